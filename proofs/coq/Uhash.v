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
  by case: leqP => /=; lia.
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
move: (size M) (size M') => a b En; case: ltnP => la; case: ltnP => lb; move: En la lb; lia.
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
Proof. by rewrite size_mkseq /marked size_cat; case: ifP => /= o; have := odd_double_half (size ws); rewrite o; lia. Qed.
End Pairs.
