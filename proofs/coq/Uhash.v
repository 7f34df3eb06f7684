(* UHASH of RFC 4418, one stream: strings of bytes of any lengths, through NH, POLY-64, POLY-128 and level 3. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import zify ring.
Require Import Counting NH Toeplitz Poly L3.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import GRing.Theory.
Local Open Scope nat_scope.

(* A product of two words, each with a key: how often a sum of two such products has one value. *)
Section Products.
Variable N : nat.
Hypothesis N1 : 1 < N.
Let N0 : 0 < N. Proof. exact: ltnW. Qed.
Local Notation W := 'Z_N.
Local Notation V := 'Z_(N * N).
Let prod (x : W * W) : V := unsigned x.1 x.2.
Let card_W : #|{: W}| = N. Proof. by rewrite card_ord Zp_cast. Qed.

Lemma value_small (x y : W) (v : V) : unsigned x y = v -> x * y = v :> nat.
Proof.
move=> <-; rewrite /unsigned val_Zp_nat ?modn_small //; last by rewrite (leq_trans N1) // leq_pmull.
by rewrite (leq_ltn_trans (leq_mul (ltnW (word_lt N1 x)) (leqnn y))) // ltn_pmul2l // word_lt.
Qed.

Lemma zero_products : #|[set x : W * W | prod x == 0%R]| <= 2 * N.
Proof.
pose A := setX [set 0%R : W] [set: W]; pose B := setX [set: W] [set 0%R : W].
apply: (@leq_trans #|A :|: B|); last first.
  by apply: leq_trans (leq_card_setU _ _) _; rewrite !cardsX !cardsT !cards1 card_W; lia.
apply/subset_leq_card/subsetP => -[a b]; rewrite !inE /= => /eqP /value_small /eqP.
by rewrite muln_eq0 !andbT => /orP [] E; apply/orP; [left | right]; rewrite -val_eqE.
Qed.

Lemma other_products (v : V) : v != 0%R -> #|[set x : W * W | prod x == v]| <= N.
Proof.
move=> nz; rewrite -[X in _ <= X]card_W -[X in _ <= X]muln1; apply: count_fibres => a.
apply/card_le1_eqP => b b'; rewrite !inE /= => /eqP /value_small E /eqP /value_small E'.
have a0 : 0 < a.
  by rewrite lt0n; apply: contraNneq nz => a0; rewrite -val_eqE /= -E a0.
by apply: val_inj; apply/eqP; rewrite -(eqn_pmul2l a0) E E'.
Qed.

Lemma two_products (e f e' f' : W) (v : V) :
  #|[set x : (W * W) * (W * W) |
      (unsigned (x.1.1 + e) (x.1.2 + f) + unsigned (x.2.1 + e') (x.2.2 + f'))%R == v]| <= N ^ 3 + 2 * N ^ 2.
Proof.
set A := [set x | _].
pose B : {set (W * W) * (W * W)} := [set x | (prod x.1 + prod x.2)%R == v].
pose g (x : (W * W) * (W * W)) : (W * W) * (W * W) :=
  ((x.1.1 + e, x.1.2 + f), (x.2.1 + e', x.2.2 + f'))%R.
have inj : injective g.
  move=> [[a b] [c d]] [[a' b'] [c' d']] E.
  have /addIr /= -> := congr1 (fun z => z.1.1) E; have /addIr /= -> := congr1 (fun z => z.1.2) E.
  by have /addIr /= -> := congr1 (fun z => z.2.1) E; have /addIr /= -> := congr1 (fun z => z.2.2) E.
have -> : #|A| = #|g @: A| by rewrite (card_imset _ inj).
apply: (@leq_trans #|B|); first by apply/subset_leq_card/subsetP => y /imsetP [x xA ->]; move: xA; rewrite !inE.
pose Z : {set W * W} := [set x | prod x == v].
have le : #|B| * 1 <= \sum_(x : W * W) (if x \in Z then 2 * N else N).
  apply: count_fibres_sum => x; rewrite muln1.
  have -> : [set w | (x, w) \in B] = [set w | prod w == (v - prod x)%R].
    by apply/setP => w; rewrite !inE /= [in RHS]eq_sym subr_eq eq_sym addrC.
  have -> : (x \in Z) = (prod x == v) by rewrite inE.
  case: (eqVneq (prod x) v) => [E|nE]; first by rewrite E subrr; exact: zero_products.
  by apply: other_products; rewrite subr_eq0 eq_sym.
rewrite muln1 in le; apply: leq_trans le _.
rewrite (bigID (mem Z)) /= (eq_bigr (fun _ => 2 * N)) => [|x ->//].
rewrite [X in _ + X](eq_bigr (fun _ => N)) => [|x /negbTE ->//]; rewrite !sum_nat_const.
have leZ : #|Z| <= 2 * N.
  case: (eqVneq v 0%R) => [E|nz]; first by rewrite /Z E; exact: zero_products.
  by apply: leq_trans (other_products nz) _; rewrite leq_pmull.
have split : #|Z| + #|[predC Z]| = N * N by rewrite cardC card_prod card_W.
have -> : #|[pred x | x \notin Z]| = #|[predC Z]| by apply: eq_card.
rewrite !expnS expn0 !muln1; move: split leZ; move: #|Z| #|[predC Z]| => a b split leZ.
have -> : a * (2 * N) + b * N = (a + b) * N + a * N by rewrite mulnDl mul2n -addnn mulnDr; lia.
by rewrite split mulnA leq_add2l (leq_trans (leq_mul leZ (leqnn N))) // mulnA.
Qed.
End Products.

(* Level 1: chunks of up to 1024 bytes, in units of 32 bytes, of four pairs of words 16 bytes apart. *)
Section Level1.
Variable N : nat.
Hypothesis N1 : 1 < N.
Local Notation W := 'Z_N.
Local Notation V := 'Z_(N * N).
Variables (byte : eqType) (zero : byte) (elt : seq byte -> W).
Hypothesis elt_inj : forall s s', size s = 4 -> size s' = 4 -> elt s = elt s' -> s = s'.
Implicit Types (M : seq byte).
Definition C := 1024.
Hypothesis lengths : 8 * C < N * N. (* lengths in bits are different numbers *)
Definition pairs := 128.
Definition start (p : nat) (b : bool) := 32 * (p %/ 4) + 4 * (p %% 4) + 16 * b.
Definition bytes_at M s := mkseq (fun t => nth zero M (s + t)) 4.
Definition elements M (ph : 'I_pairs * bool) : W := elt (bytes_at M (start ph.1 ph.2)).
Definition counts s (p : 'I_pairs) := (p %/ 4 == 0) || (32 * (p %/ 4) < s).
Definition key1 := {ffun 'I_pairs * bool -> W}.
Implicit Types (K : key1).
Definition product_at K M (p : 'I_pairs) : V :=
  unsigned (K (p, false) + elements M (p, false))%R (K (p, true) + elements M (p, true))%R.
Definition level1 K M : V := (\sum_(p | counts (size M) p) product_at K M p + (8 * size M)%:R)%R.

Lemma product_at_sym K M p b :
  product_at K M p = unsigned (K (p, b) + elements M (p, b))%R (K (p, ~~ b) + elements M (p, ~~ b))%R.
Proof. by rewrite /product_at; case: b => //=; rewrite /unsigned mulnC. Qed.

(* Chunks of as many units that differ in a word: any difference. *)
Lemma level1_word M M' p b (d : V) : counts (size M) =1 counts (size M') -> counts (size M) p ->
  elements M (p, b) != elements M' (p, b) ->
  #|[set K | (level1 K M - level1 K M')%R == d]| * N <= #|{: key1}|.
Proof.
move=> same cp ne; have cardW : #|{: W}| = N by rewrite card_ord Zp_cast.
rewrite -[X in _ * X]cardW -[#|{: key1}|]mul1n -[#|{: key1}|]cardsT.
apply: (@count_at_most _ _ (fun K : key1 => K (p, ~~ b)) (put (p, ~~ b)));
  try by [move=> *; exact: put_at | move=> *; exact: put_id | move=> *; exact: put_put].
  by move=> K w _; rewrite inE.
move=> K; pose rest M0 := (\sum_(q | counts (size M0) q && (q != p)) product_at K M0 q + (8 * size M0)%:R)%R.
pose c := (K (p, b) + elements M (p, b))%R; pose c' := (K (p, b) + elements M' (p, b))%R.
have nc : c != c' by apply: contra ne => /eqP /addrI ->.
apply: leq_trans (unsigned_clause N1 (elements M (p, ~~ b)) (elements M' (p, ~~ b)) (d - (rest M - rest M'))%R nc).
have form M0 w : counts (size M0) p -> level1 (put (p, ~~ b) K w) M0
    = (unsigned (K (p, b) + elements M0 (p, b)) (w + elements M0 (p, ~~ b)) + rest M0)%R.
  move=> cp0; rewrite /level1 (bigD1 p) //= -addrA; congr (_ + _)%R.
    by rewrite (product_at_sym _ _ _ b) put_at put_out // xpair_eqE eqxx; case: (b).
  congr (_ + _)%R; apply: eq_bigr => q /andP [_ nq]; rewrite /product_at !put_out //;
    by rewrite xpair_eqE (negbTE nq).
apply/subset_leq_card/subsetP => w; rewrite !inE !form -?same // opprD addrACA => /eqP <-.
by rewrite addrK.
Qed.

(* Chunks of which one has two pairs more. *)
Lemma level1_pairs M M' (p q : 'I_pairs) (d : V) : p != q ->
  ~~ counts (size M) p -> ~~ counts (size M) q -> counts (size M') p -> counts (size M') q ->
  #|[set K | (level1 K M' - level1 K M)%R == d]| * N ^ 2 <= (N + 2) * #|{: key1}|.
Proof.
move=> npq np nq cp cq; have cardW : #|{: W}| = N by rewrite card_ord Zp_cast.
have N0 : 0 < N by exact: ltnW.
rewrite -(@leq_pmul2r (N ^ 2)) ?expn_gt0 ?N0 //.
pose get K := ((K (p, false), K (p, true)), (K (q, false), K (q, true))).
pose set K (w : (W * W) * (W * W)) : key1 :=
  put (p, false) (put (p, true) (put (q, false) (put (q, true) K w.2.2) w.2.1) w.1.2) w.1.1.
have nqp : (q == p) = false by rewrite eq_sym (negbTE npq).
have bound : #|[set K | (level1 K M' - level1 K M)%R == d]| * #|{: (W * W) * (W * W)}|
    <= (N ^ 3 + 2 * N ^ 2) * #|[set: key1]|.
  apply: (@count_at_most _ _ get set).
  - move=> K [[w1 w2] [w3 w4]]; rewrite /get /set /= /put !ffunE !xpair_eqE /= ?eqxx ?(negbTE npq) ?nqp /=.
    by rewrite ?andbF ?eqxx /=.
  - by move=> K; rewrite /set /get /= !put_id.
  - by move=> K w w'; apply/ffunP => r; rewrite /set /= /put !ffunE; do !case: eqP => // _.
  - by move=> K w _; rewrite inE.
  move=> K; pose rest := (\sum_(r | [&& counts (size M') r, r != p & r != q]) product_at K M' r)%R.
  apply: leq_trans (two_products N1 (elements M' (p, false)) (elements M' (p, true))
    (elements M' (q, false)) (elements M' (q, true)) (d - (rest + (8 * size M')%:R - level1 K M))%R).
  have out w r b : r != p -> r != q -> set K w (r, b) = K (r, b).
    by move=> rp rq; rewrite /set !put_out // xpair_eqE ?(negbTE rp) ?(negbTE rq).
  apply/subset_leq_card/subsetP => w; rewrite !inE => /eqP <-; apply/eqP.
  have -> : level1 (set K w) M = level1 K M.
    rewrite /level1; congr (_ + _)%R; apply: eq_bigr => r cr; rewrite /product_at !out //;
      by apply: contraTneq cr => ->.
  have -> : level1 (set K w) M' = (product_at (set K w) M' p + product_at (set K w) M' q + rest + (8 * size M')%:R)%R.
    rewrite /level1; congr (_ + _)%R; rewrite (bigD1 p) //= (bigD1 q) /=; last by rewrite cq eq_sym.
    rewrite addrA; congr (_ + _)%R; rewrite /rest; under eq_bigl do rewrite -andbA.
    by apply: eq_bigr => r /and3P [_ rp rq]; rewrite /product_at !out.
  have Ep : product_at (set K w) M' p
      = unsigned (w.1.1 + elements M' (p, false))%R (w.1.2 + elements M' (p, true))%R.
    by rewrite /product_at /set /put !ffunE !xpair_eqE /= !eqxx.
  have Eq : product_at (set K w) M' q
      = unsigned (w.2.1 + elements M' (q, false))%R (w.2.2 + elements M' (q, true))%R.
    by rewrite /product_at /set /put !ffunE !xpair_eqE /= nqp !eqxx.
  by rewrite Ep Eq -(addrA _ rest) -(addrA _ (rest + _)%R) addrK.
rewrite cardsT !card_prod cardW in bound.
rewrite -[_ * N ^ 2 * N ^ 2]mulnA -!mulnn; apply: leq_trans bound _.
by rewrite expnS -mulnDl -!mulnn mulnAC.
Qed.

(* Different chunks collide, with sizes: at most (N + 2) / N^2 of the keys. *)
Theorem level1_collision M M' : M != M' -> size M <= C -> size M' <= C ->
  #|[set K | level1 K M == level1 K M']| * N ^ 2 <= (N + 2) * #|{: key1}|.
Proof.
wlog le : M M' / size M <= size M'.
  move=> sym ne s s'; case: (leqP (size M) (size M')) => [le|/ltnW le]; first exact: sym.
  rewrite (_ : [set K | _] = [set K | level1 K M' == level1 K M]); last by apply/setP => K; rewrite !inE eq_sym.
  by apply: sym; rewrite // eq_sym.
move=> ne s s'.
have zero_difference M1 M2 K : (level1 K M1 == level1 K M2) = (level1 K M1 - level1 K M2 == 0)%R.
  by rewrite subr_eq0.
case: (boolP [exists p, counts (size M) p != counts (size M') p]) => [/existsP [p nec]|/existsPn same].
- (* a unit more: its first two pairs *)
  have [np cp] : ~~ counts (size M) p /\ counts (size M') p.
    by move: nec; rewrite /counts; case: (p %/ 4 == 0) => //=; case: (ltnP _ (size M)); case: (ltnP _ (size M')) => //; lia.
  have lt4 i : i < 4 -> 4 * (p %/ 4) + i < pairs.
    by have := ltn_ord p; rewrite {2}/pairs /pairs; lia.
  pose q0 := Ordinal (lt4 0 isT); pose q1 := Ordinal (lt4 1 isT).
  have c0 x : counts x q0 = counts x p by rewrite /counts (_ : q0 %/ 4 = p %/ 4) //=; lia.
  have c1 x : counts x q1 = counts x p by rewrite /counts (_ : q1 %/ 4 = p %/ 4) //=; lia.
  have nq : q0 != q1 by rewrite -val_eqE /=; lia.
  rewrite (_ : [set K | _] = [set K | (level1 K M' - level1 K M)%R == 0%R]); last first.
    by apply/setP => K; rewrite !inE eq_sym zero_difference.
  by apply: (level1_pairs 0%R nq); rewrite ?c0 ?c1.
have same' : counts (size M) =1 counts (size M') by move=> p; apply/eqP; have := same p; rewrite negbK.
have more : #|[set K | level1 K M == level1 K M']| * N <= #|{: key1}| ->
    #|[set K | level1 K M == level1 K M']| * N ^ 2 <= (N + 2) * #|{: key1}|.
  by rewrite -mulnn mulnA => h; rewrite mulnC; apply: leq_mul h; rewrite leq_addr.
apply: more.
case: (boolP [exists p, exists b, counts (size M) p && (elements M (p, b) != elements M' (p, b))]).
  move=> /existsP [p /existsP [b /andP [cp nep]]].
  rewrite (_ : [set K | _] = [set K | (level1 K M - level1 K M')%R == 0%R]); last first.
    by apply/setP => K; rewrite !inE zero_difference.
  exact: level1_word same' cp nep.
(* the same words: the lengths are different *)
move=> /existsPn none; have words p b : counts (size M) p -> elements M (p, b) = elements M' (p, b).
  by move=> cp; have := none p; rewrite negb_exists => /forallP /(_ b); rewrite cp /= negbK => /eqP.
have lt : size M < size M'.
  rewrite ltn_neqAle le andbT; apply: contra ne => /eqP Es; apply/eqP/(@eq_from_nth _ zero) => // t ltt.
  have ltp : 4 * (t %/ 32) + t %% 16 %/ 4 < pairs by rewrite /pairs; move: s; rewrite /C; lia.
  pose b := 16 <= t %% 32.
  have cp : counts (size M) (Ordinal ltp) by rewrite /counts /=; apply/orP; right; lia.
  have := words (Ordinal ltp) b cp; rewrite /elements /= => /elt_inj.
  rewrite !size_mkseq => /(_ erefl erefl) /(congr1 (nth zero ^~ (t %% 4))).
  rewrite !nth_mkseq ?ltn_mod // (_ : start _ _ + t %% 4 = t) // /start /b /=.
  by clear; case: leqP => /=; lia.
rewrite (_ : [set K | _] = set0) ?cards0 //; apply/setP => K; rewrite !inE zero_difference /level1.
rewrite (eq_bigl _ _ same') (eq_bigr (product_at K M')) => [|p cp]; last first.
  by rewrite /product_at !words // same'.
rewrite opprD addrACA subrr add0r subr_eq0 (word_eq N1) !modn_small; first by lia.
- by apply: leq_trans lengths; rewrite ltnS; lia.
- by apply: leq_ltn_trans lengths; rewrite leq_mul2l.
Qed.
End Level1.

(* Messages as lists of chunks. *)
Section Messages.
Variables (byte : eqType) (zero : byte).
Implicit Types (M : seq byte).
Definition chunks_of len := (len.-1 %/ C).+1. (* the empty message is one empty chunk *)
Definition chunk M i := take C (drop (C * i) M).

Lemma size_chunk M i : size (chunk M i) <= C.
Proof. by rewrite /chunk size_take; case: ltnP. Qed.

Lemma chunks_differ M M' : M != M' -> chunks_of (size M) = chunks_of (size M') ->
  exists2 i, i < chunks_of (size M) & chunk M i != chunk M' i.
Proof.
move=> ne En; case: (eqVneq (size M) (size M')) => [Es|nes].
  have [t lt net] : exists2 t, t < size M & nth zero M t != nth zero M' t.
    have : ~~ [forall t : 'I_(size M), nth zero M t == nth zero M' t].
      apply: contra ne => /forallP E; apply/eqP/(@eq_from_nth _ zero) => // t lt.
      exact/eqP/(E (Ordinal lt)).
    by rewrite negb_forall => /existsP [t net]; exists t.
  exists (t %/ C); first by rewrite ltnS /C; lia.
  apply: contra net => /eqP /(congr1 (nth zero ^~ (t %% C))).
  rewrite /chunk !nth_take ?ltn_mod // !nth_drop.
  have -> : C * (t %/ C) + t %% C = t by (rewrite /C; lia).
  by move=> ->.
exists (chunks_of (size M)).-1 => //.
apply: contra nes => /eqP /(congr1 size); rewrite /chunk !size_take !size_drop /=.
move: En; rewrite /chunks_of /C /= => -[En] E; apply/eqP; move: En E.
move: (size M) (size M') => a b En; case: ltnP => la; case: ltnP => lb; move: En la lb; clear; lia.
Qed.
End Messages.

(* Pairs of words as POLY-128 takes them, with the mark behind the last. *)
Section Pairs.
Variables (B mark : nat).
Hypothesis mark0 : 0 < mark.
Hypothesis markB : mark < B.
Definition marked (ws : seq nat) := ws ++ (if odd (size ws) then [:: mark] else [:: mark; 0]).
Definition in_pairs ws := mkseq (fun i => nth 0 (marked ws) (2 * i) * B + nth 0 (marked ws) (2 * i).+1) (size (marked ws))./2.
Definition below (ws : seq nat) := all (fun w => w < B) ws.

Lemma marked_even ws : odd (size (marked ws)) = false.
Proof. by rewrite /marked size_cat; case: ifP => o; rewrite oddD o. Qed.

Lemma marked_inj : injective marked.
Proof.
move=> ws ws'; rewrite /marked; case: ifP => _; case: ifP => _ E.
- by have := congr1 rev E; rewrite !rev_cat /= => -[] /(congr1 rev); rewrite !revK.
- by have := congr1 rev E; rewrite !rev_cat /= => -[] Em; move: mark0; rewrite Em.
- by have := congr1 rev E; rewrite !rev_cat /= => -[] Em; move: mark0; rewrite -Em.
- by have := congr1 rev E; rewrite !rev_cat /= => -[] /(congr1 rev); rewrite !revK.
Qed.

Lemma in_pairs_inj ws ws' : below ws -> below ws' -> in_pairs ws = in_pairs ws' -> ws = ws'.
Proof.
move=> lw lw' E; apply: marked_inj; have B0 : 0 < B by apply: leq_ltn_trans markB.
have lm v t : below v -> nth 0 (marked v) t < B.
  move=> /allP lv; case: (ltnP t (size (marked v))) => [lt|ge]; last by rewrite nth_default.
  have : nth 0 (marked v) t \in marked v by rewrite mem_nth.
  by rewrite /marked mem_cat => /orP [/lv //|]; case: ifP => _; rewrite !inE; [move/eqP -> | case/orP => /eqP ->].
have Es2 : (size (marked ws))./2 = (size (marked ws'))./2.
  by have := congr1 size E; rewrite !size_mkseq.
have Es : size (marked ws) = size (marked ws').
  by rewrite -(odd_double_half (size (marked ws))) -(odd_double_half (size (marked ws'))) !marked_even Es2.
apply/(@eq_from_nth _ 0) => // t lt.
have lt2 : t./2 < (size (marked ws))./2.
  have := odd_double_half (size (marked ws)); have := odd_double_half t; rewrite marked_even; lia.
have := congr1 (nth 0 ^~ t./2) E; rewrite !nth_mkseq -?Es2 // => Et.
have E0 : nth 0 (marked ws) (2 * t./2) = nth 0 (marked ws') (2 * t./2).
  by have := congr1 (divn^~ B) Et; rewrite /= !divnMDl // !divn_small ?lm // !addn0.
have E1 : nth 0 (marked ws) (2 * t./2).+1 = nth 0 (marked ws') (2 * t./2).+1.
  by move: Et; rewrite E0 => /addnI.
have := odd_double_half t; case: (odd t) => /= Et2.
  by have <- : (2 * t./2).+1 = t by lia.
by have <- : 2 * t./2 = t by lia.
Qed.

Lemma in_pairs_below ws : below ws -> all (fun w => w < B * B) (in_pairs ws).
Proof.
move=> lw; have B0 : 0 < B by apply: leq_ltn_trans markB.
have lm t : nth 0 (marked ws) t < B.
  case: (ltnP t (size (marked ws))) => [lt|ge]; last by rewrite nth_default.
  have : nth 0 (marked ws) t \in marked ws by rewrite mem_nth.
  rewrite /marked mem_cat => /orP [|]; first by move/(allP lw).
  by case: ifP => _; rewrite !inE; [move/eqP -> | case/orP => /eqP ->].
apply/allP => w /mapP [i _ ->]; apply: (@leq_trans (nth 0 (marked ws) (2 * i) * B + B)).
  by rewrite ltn_add2l.
by rewrite -mulSnr leq_mul2r lm orbT.
Qed.

Lemma size_in_pairs ws : size (in_pairs ws) <= (size ws)./2.+1.
Proof. by rewrite size_mkseq /marked size_cat; case: ifP => /= o; have := odd_double_half (size ws); rewrite o; clear mark0 markB; lia. Qed.
End Pairs.

(* Level 2: one word as it is, up to n64 words POLY-64, more POLY-128 behind it. *)
Section Level2.
Variables (B mark n64 n128 p64 limit64 offset64 p128 limit128 offset128 : nat).
Hypothesis mark0 : 0 < mark.
Hypothesis markB : mark < B.
Hypothesis n64_1 : 1 <= n64.
Hypothesis prime64 : prime p64.
Hypothesis limit64_p : limit64 < p64.
Hypothesis offset64_limit : offset64 <= limit64.
Hypothesis B_p64 : B <= p64 + offset64.
Hypothesis prime128 : prime p128.
Hypothesis limit128_p : limit128 < p128.
Hypothesis offset128_limit : offset128 <= limit128.
Hypothesis BB_p128 : B * B <= p128 + offset128.
Hypothesis p64_BB : p64 <= B * B.
Variables (K64 K128 : finType) (point64 : K64 -> 'F_p64) (point128 : K128 -> 'F_p128).
Hypothesis point64_inj : injective point64.
Hypothesis point128_inj : injective point128.
Implicit Types (ws : seq nat).

Lemma natr_inj p : prime p -> forall a b, a < p -> b < p -> (a%:R = b%:R :> 'F_p)%R -> a = b.
Proof.
move=> pp a b la lb /(congr1 val) /=; rewrite !val_Fp_nat //.
by rewrite !modn_small.
Qed.

Lemma natr_val p (x : 'F_p) (v : nat) : x = v :> nat -> x = v%:R%R.
Proof. by move=> <-; rewrite natr_Zp. Qed.

Definition POLY64 := POLY p64 limit64 offset64 (fun a => a%:R%R) point64.
Definition POLY128 := POLY p128 limit128 offset128 (fun a => a%:R%R) point128.
Definition later k1 ws : seq nat := (POLY64 k1 (take n64 ws) : nat) :: in_pairs B mark (drop n64 ws).
Definition level2 (k : K64 * K128) ws : nat :=
  if size ws <= 1 then nth 0 ws 0
  else if size ws <= n64 then (POLY64 k.1 ws : nat) else (POLY128 k.2 (later k.1 ws) : nat).

Lemma of_first (P : pred K64) e : #|[set k1 | P k1]| <= e -> #|[set k : K64 * K128 | P k.1]| <= e * #|K128|.
Proof.
move=> le; have -> : [set k : K64 * K128 | P k.1] = setX [set k1 | P k1] setT.
  by apply/setP => k; rewrite !inE andbT.
by rewrite cardsX cardsT leq_mul2r le orbT.
Qed.

Lemma of_second (P : K64 -> pred K128) e : (forall k1, #|[set k2 | P k1 k2]| <= e) ->
  #|[set k : K64 * K128 | P k.1 k.2]| <= #|K64| * e.
Proof.
move=> le; apply: count_fibres => k1; apply: leq_trans (le k1).
by apply/subset_leq_card/subsetP => k2; rewrite !inE.
Qed.

Lemma later_words k1 ws : all (fun w => w < B) ws -> words (B * B) (later k1 ws).
Proof.
move=> lw; rewrite /later /words /= in_pairs_below // ?andbT.
  by apply: leq_trans p64_BB; rewrite -[X in _ < X](Fp_cast prime64) ltn_ord.
by apply/allP => w /mem_drop /(allP lw).
Qed.

Lemma size_later k1 ws : size ws <= n64 + 2 * (n128 - 2) -> 2 <= n128 -> size (later k1 ws) <= n128.
Proof.
move=> le n2; have := size_in_pairs B mark (drop n64 ws); rewrite size_drop => h.
rewrite -[size _]/((size (in_pairs B mark (drop n64 ws))).+1); apply: leq_ltn_trans h _.
by have := odd_double_half (size ws - n64); lia.
Qed.

Theorem level2_collision ws ws' : ws != ws' -> 0 < size ws -> 0 < size ws' ->
  all (fun w => w < B) ws -> all (fun w => w < B) ws' -> 2 <= n128 ->
  size ws <= n64 + 2 * (n128 - 2) -> size ws' <= n64 + 2 * (n128 - 2) ->
  #|[set k | level2 k ws == level2 k ws']| <= 2 * n64 * #|K128| + #|K64| * (2 * n128).
Proof.
wlog le : ws ws' / size ws <= size ws'.
  move=> sym ne s s' l l' n2 m m'; case: (leqP (size ws) (size ws')) => [le|/ltnW le]; first exact: sym.
  rewrite (_ : [set k | _] = [set k | level2 k ws' == level2 k ws]); last by apply/setP => k; rewrite !inE eq_sym.
  by apply: sym; rewrite // eq_sym.
move=> ne s0 s0' lw lw' n2 m m'.
have inj64 := natr_inj prime64; have inj128 := natr_inj prime128.
have first e : #|[set k | level2 k ws == level2 k ws']| <= e * #|K128| -> e <= 2 * n64 ->
    #|[set k | level2 k ws == level2 k ws']| <= 2 * n64 * #|K128| + #|K64| * (2 * n128).
  by move=> h h'; apply: leq_trans h _; rewrite (leq_trans _ (leq_addr _ _)) // leq_mul2r h' orbT.
case: (leqP (size ws') 1) => [s1'|s1'].
  (* two single words *)
  rewrite (_ : [set k | _] = set0) ?cards0 //; apply/setP => k; rewrite !inE /level2 s1' (leq_trans le s1').
  clear first; apply: contraNF ne; move: s0 s0' s1' le; case: ws {m lw} => [|w [|? ?]] //; case: ws' {m' lw'} => [|w' [|? ?]] //=.
  by move=> _ _ _ _ /eqP ->.
case: (leqP (size ws') n64) => [s64'|s64'].
  have s64 : size ws <= n64 by exact: leq_trans s64'.
  case: (leqP (size ws) 1) => s1.
    (* a single word and POLY-64 *)
    apply: (first (2 * n64)) => //; apply: leq_trans (of_first (P := fun k1 => POLY64 k1 ws' == (nth 0%N ws 0%N)%:R%R) (e := 2 * n64) _).
      apply/subset_leq_card/subsetP => k; rewrite !inE /level2 s1 leqNgt s1' /= s64' => /eqP E.
      exact/eqP/natr_val.
    exact: (@POLY_value _ p64 B).
  (* POLY-64 twice *)
  have n1 : (size ws <= 1) = false by rewrite leqNgt s1.
  have n1' : (size ws' <= 1) = false by rewrite leqNgt s1'.
  apply: (first (2 * n64)) => //; apply: leq_trans (of_first (P := fun k1 => POLY64 k1 ws == POLY64 k1 ws') (e := 2 * n64) _).
    by apply/subset_leq_card/subsetP => k; rewrite !inE /level2 n1 n1' s64 s64' => /eqP /val_inj ->.
  exact: (@POLY_collision _ p64 B).
have n1' : (size ws' <= 1) = false by rewrite leqNgt s1'.
have n64' : (size ws' <= n64) = false by rewrite leqNgt s64'.
case: (leqP (size ws) n64) => [s64|s64].
  (* POLY-128 and what POLY-64 or one word gives *)
  pose v k1 := if size ws <= 1 then nth 0 ws 0 else (POLY64 k1 ws : nat).
  apply: leq_trans (leq_addl _ _).
  apply: leq_trans (of_second (P := fun k1 k2 => POLY128 k2 (later k1 ws') == (v k1)%:R%R) (e := 2 * n128) _).
    apply/subset_leq_card/subsetP => k; rewrite !inE /level2 s64 n1' n64'.
    by rewrite /v eq_sym; case: ifP => _ /eqP E; exact/eqP/natr_val.
  by move=> k1; apply: (@POLY_value _ p128 (B * B)) => //; exact: size_later.
(* POLY-128 twice *)
have n1 : (size ws <= 1) = false by rewrite leqNgt (leq_ltn_trans n64_1 s64).
have n64_ : (size ws <= n64) = false by rewrite leqNgt s64.
pose S : {set K64 * K128} := [set k | (take n64 ws != take n64 ws') && (POLY64 k.1 (take n64 ws) == POLY64 k.1 (take n64 ws'))].
pose T : {set K64 * K128} := [set k | (later k.1 ws != later k.1 ws') && (POLY128 k.2 (later k.1 ws) == POLY128 k.2 (later k.1 ws'))].
have sub : [set k | level2 k ws == level2 k ws'] \subset S :|: T.
  apply/subsetP => k; rewrite !inE /level2 n1 n1' n64_ n64' => /eqP /val_inj E.
  rewrite E eqxx andbT; case: (eqVneq (later k.1 ws) (later k.1 ws')) => [[Ey Ep]|]; last by rewrite orbT.
  rewrite orbF (val_inj Ey) eqxx andbT; apply: contra ne => /eqP Et.
  rewrite -(cat_take_drop n64 ws) -(cat_take_drop n64 ws') Et.
  have dropped v : all (fun w => w < B) v -> all (fun w => w < B) (drop n64 v).
    by move=> h; apply/allP => w /mem_drop /(allP h).
  by rewrite (in_pairs_inj mark0 markB (dropped _ lw) (dropped _ lw') Ep).
have taken v : all (fun w => w < B) v -> words B (take n64 v).
  by move=> h; apply/allP => w /mem_take /(allP h).
apply: leq_trans (subset_leq_card sub) (leq_trans (leq_card_setU _ _) _); apply: leq_add.
  apply: (of_first (P := fun k1 => (take n64 ws != take n64 ws') && (POLY64 k1 (take n64 ws) == POLY64 k1 (take n64 ws')))).
  case: (eqVneq (take n64 ws) (take n64 ws')) => [_|net].
    by rewrite (_ : [set k1 | _] = set0) ?cards0 //; apply/setP => k1; rewrite !inE.
  apply: (@leq_trans #|[set k1 | POLY64 k1 (take n64 ws) == POLY64 k1 (take n64 ws')]|).
    by apply/subset_leq_card/subsetP => k1; rewrite !inE.
  by apply: (@POLY_collision _ p64 B) => //; rewrite ?taken // size_take; case: ifP => // /negbT; rewrite -leqNgt.
apply: (of_second (P := fun k1 k2 => (later k1 ws != later k1 ws') && (POLY128 k2 (later k1 ws) == POLY128 k2 (later k1 ws')))).
move=> k1; case: (eqVneq (later k1 ws) (later k1 ws')) => [_|nel].
  by rewrite (_ : [set k2 | _] = set0) ?cards0 //; apply/setP => k2; rewrite !inE.
apply: (@leq_trans #|[set k2 | POLY128 k2 (later k1 ws) == POLY128 k2 (later k1 ws')]|).
  by apply/subset_leq_card/subsetP => k2; rewrite !inE.
exact: (@POLY_collision _ p128 (B * B) limit128 offset128 _ inj128 limit128_p offset128_limit BB_p128
  _ _ point128_inj _ _ n128 nel (later_words k1 lw) (later_words k1 lw') (size_later k1 m n2) (size_later k1 m' n2)).
Qed.
End Level2.
