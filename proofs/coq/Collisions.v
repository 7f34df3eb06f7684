(* Collisions of NH in several streams at once, for messages of as many units. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import zify ring.
Require Import Counting NH Toeplitz Uhash NhRatio Shift.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory.
Local Open Scope nat_scope.

Lemma earlier (u v i j : nat) (k h : bool) : u <= v -> u != v -> 2 * u + k + i = 2 * v + h + j -> j < i.
Proof. by case: k; case: h; lia. Qed.
Lemma before (u i j : nat) : 2 * u + false + i = 2 * u + true + j -> j < i. Proof. by rewrite /=; lia. Qed.

Lemma gap (u v n : nat) : u < n -> v < n -> (`|u%:Z - v%:Z| < n%:Z)%R. Proof. by lia. Qed.

Section Collisions.
Variables (N T : nat).
Hypothesis N1 : 1 < N.
Local Notation W := 'Z_N.
Local Notation V := 'Z_(N * N).
Variables (byte : eqType) (zero : byte) (elt : seq byte -> W).
Implicit Types (M : seq byte).
Local Notation nh_key := (nh_key N T).
Local Notation nh := (@nh N T byte zero elt).
Local Notation words_at := (@words_at N byte zero elt).

(* One word of each of several streams, which the others decide, but for a bit of all but the first. *)
Section OneEach.
Variables (Q : {set 'I_T}) (w : 'I_T -> 'I_(63 + T) * 'I_4) (bit : 'I_T -> W -> bool) (first : 'I_T).
Hypothesis w_inj : injective w.
Hypothesis firstQ : first \in Q.
Definition elsewhere (K K' : nh_key) := forall e, (forall i, i \in Q -> e != w i) -> K e = K' e.

Lemma one_each (A : pred nh_key) f : (forall K K', elsewhere K K' -> f K = f K') ->
  (forall x y i, A x -> A y -> elsewhere x y -> i \in Q -> (forall j, j \in Q -> j != first -> bit j (x (w j)) = bit j (y (w j))) ->
     (forall j : 'I_T, j \in Q -> j < i -> x (w j) = y (w j)) -> x (w i) = y (w i)) ->
  (\sum_(K | A K) f K) * N ^ #|Q| <= 2 ^ #|Q|.-1 * \sum_K f K.
Proof.
move=> same decided; pose R := {i : 'I_T | i \in Q}; pose L := {i : 'I_T | (i \in Q) && (i != first)}.
pose set (K : nh_key) (u : {ffun R -> W}) : nh_key := [ffun e => if [pick r : R | e == w (val r)] is Some r then u r else K e].
pose get (K : nh_key) : {ffun R -> W} := [ffun r => K (w (val r))].
pose label (K : nh_key) : {ffun L -> bool} := [ffun l => bit (val l) (K (w (val l)))].
have out K u e : (forall i, i \in Q -> e != w i) -> set K u e = K e.
  by move=> no; rewrite ffunE; case: pickP => // -[i iQ] /= /eqP E; have := no i iQ; rewrite E eqxx.
have card_W : #|{: W}| = N by rewrite card_ord Zp_cast.
have -> : N ^ #|Q| = #|{: {ffun R -> W}}|.
  by rewrite card_ffun card_W card_sig; congr (_ ^ _); apply: eq_card => i.
have -> : 2 ^ #|Q|.-1 = #|{: {ffun L -> bool}}|.
  rewrite card_ffun card_bool card_sig (cardsD1 first) firstQ /=; congr (_ ^ _); apply: eq_card => i.
  by rewrite !inE andbC.
apply: (count_bits (get := get) (set := set) (label := label)).
- move=> K u; apply/ffunP => -[i iQ]; rewrite !ffunE; case: pickP => [[j jQ] /= /eqP /w_inj E|/(_ (exist _ i iQ))]; last by rewrite /= eqxx.
  by congr (u _); apply: val_inj.
- by move=> K u; apply: same => e /out.
move=> x y u v Ax Ay E El.
have else_ : elsewhere x y by move=> e no; rewrite -(out x u e no) E out.
have bits j : j \in Q -> j != first -> bit j (x (w j)) = bit j (y (w j)).
  move=> jQ nj; have jL : (j \in Q) && (j != first) by rewrite jQ.
  by have /ffunP /(_ (exist _ j jL)) := El; rewrite !ffunE.
have all n : forall j : 'I_T, j \in Q -> j < n -> x (w j) = y (w j).
  elim: n => // n IH j jQ; rewrite ltnS => le; apply: (decided x y j) => // i iQ lt.
  by apply: IH => //; exact: leq_trans le.
apply/ffunP => e; case: (boolP [exists i, (i \in Q) && (e == w i)]) => [/existsP [i /andP [iQ /eqP ->]]|].
  exact: (all T).
by rewrite negb_exists => /forallP no; apply: else_ => i iQ; have := no i; rewrite iQ.
Qed.
End OneEach.

(* Collisions of all streams of a set, for messages of as many units: each costs a word, and each but one a bit. *)
Hypothesis elt_inj : forall s s', size s = 4 -> size s' = 4 -> elt s = elt s' -> s = s'.
Hypothesis lengths : 8 * C < N * N.

Lemma same_words M M' : M != M' -> size M <= C -> size M' <= C -> counts (size M) =1 counts (size M') ->
  (forall p h, counts (size M) p -> words_at M p h = words_at M' p h) -> forall i K, nh i K M != nh i K M'.
Proof.
move=> ne s s' same' words i K; have nsz : size M != size M'.
  apply: contra ne => /eqP Es; apply/eqP/(@eq_from_nth _ zero) => // t ltt.
  have ltp : 4 * (t %/ 32) + t %% 16 %/ 4 < pairs by rewrite /pairs; move: s; rewrite /C; lia.
  pose b := 16 <= t %% 32.
  have cp : counts (size M) (Ordinal ltp) by rewrite /counts /=; apply/orP; right; lia.
  have := words (Ordinal ltp) b cp; rewrite /words_at /elements /= => /elt_inj.
  rewrite !size_mkseq => /(_ erefl erefl) /(congr1 (nth zero ^~ (t %% 4))).
  rewrite !nth_mkseq ?ltn_mod // (_ : start _ _ + t %% 4 = t) // /start /b /=.
  by case: leqP => /=; lia.
apply: contra nsz; rewrite -subr_eq0 /nh /level1.
rewrite (eq_bigl _ _ same') [X in (X + _ - _)%R](eq_bigr (product_at zero elt (shifted K i) M')) => [|p cp]; last first.
  by rewrite /product_at -!/(words_at _ _ _) !words // same'.
rewrite opprD addrACA subrr add0r subr_eq0 (word_eq N1) !modn_small; first by lia.
- by apply: leq_trans lengths; rewrite ltnS; lia.
- by apply: leq_trans lengths; rewrite ltnS; lia.
Qed.

Lemma same_shift (x y m m' : W) : ((x + m')%R <= (x + m)%R) = ((y + m')%R <= (y + m)%R) ->
  (((x + m)%R : nat)%:Z - ((x + m')%R : nat)%:Z = ((y + m)%R : nat)%:Z - ((y + m')%R : nat)%:Z)%R.
Proof.
rewrite !wrapped //; have := word_lt N1 x; have := word_lt N1 y; have := word_lt N1 m; have := word_lt N1 m'.
move: (x : nat) (y : nat) (m : nat) (m' : nat) => a b c d la lb lc ld.
by case: (leqP N (a + c)) => ?; case: (leqP N (a + d)) => ?; case: (leqP N (b + c)) => ?; case: (leqP N (b + d)) => ?;
  rewrite ?muln1 ?muln0 ?subn0 => e; lia.
Qed.

Lemma regroup (G : zmodType) (a b s t l l' : G) : (a - b + (s - t + (l - l')) = a + s + l - (b + t + l'))%R.
Proof. by rewrite addrA (addrACA a) -opprD addrACA -opprD. Qed.

(* The last unit where a word differs: in it a first word does, or only second words do. *)
Lemma last_unit M M' : (forall p h, counts (size M) p -> words_at M p h = words_at M' p h) \/ exists p h,
  [/\ counts (size M) p, (forall q, counts (size M) q -> p %/ 4 < q %/ 4 -> forall k, words_at M q k = words_at M' q k),
      words_at M p (~~ h) != words_at M' p (~~ h)
    & h || [forall (q : 'I_pairs | (q %/ 4 == p %/ 4) && counts (size M) q), words_at M q false == words_at M' q false]].
Proof.
case: (boolP [exists p : 'I_pairs, exists h, counts (size M) p && (words_at M p h != words_at M' p h)]); last first.
  move=> /existsPn none; left => p h cp; have := none p; rewrite negb_exists => /forallP /(_ h).
  by rewrite cp /= negbK => /eqP.
pose differs := [pred p : 'I_pairs | [exists h, counts (size M) p && (words_at M p h != words_at M' p h)]].
move=> /existsP [p1 dp1]; have [p0 dp0 last] := @arg_maxnP _ p1 differs (fun p => p %/ 4) dp1; right.
have later (q : 'I_pairs) : counts (size M) q -> p0 %/ 4 < q %/ 4 -> forall h, words_at M q h = words_at M' q h.
  move=> cq lt h; apply/eqP; apply: contraTT lt => nq; rewrite -leqNgt; apply: last.
  by apply/existsP; exists h; rewrite cq.
case: (boolP [forall (q : 'I_pairs | (q %/ 4 == p0 %/ 4) && counts (size M) q), words_at M q false == words_at M' q false]).
  move=> same_first; have /existsP [h /andP [cp0 dp]] := dp0; exists p0, false; split => //.
  by move: dp; case: h => //; rewrite (eqP (forall_inP same_first p0 _)) ?eqxx ?cp0.
by move=> /forall_inPn [p /andP [/eqP pu cp] dp]; exists p, true; split => // q cq; rewrite pu; exact: later.
Qed.

Lemma collisions_at M M' (p : 'I_pairs) h (Q : {set 'I_T}) (first : 'I_T) (f : nh_key -> nat) : counts (size M) =1 counts (size M') ->
  counts (size M) p -> (forall q, counts (size M) q -> p %/ 4 < q %/ 4 -> forall k, words_at M q k = words_at M' q k) ->
  words_at M p (~~ h) != words_at M' p (~~ h) -> h || (words_at M p h == words_at M' p h) -> first \in Q -> (forall i, i \in Q -> first <= i) ->
  (forall K K', elsewhere Q (fun i => place i (p, h)) K K' -> f K = f K') ->
  (\sum_(K | [forall (i | i \in Q), nh i K M == nh i K M']) f K) * N ^ #|Q| <= 2 ^ #|Q|.-1 * \sum_K f K.
Proof.
move=> same' cp later dp case_h firstQ least same; pose w (i : 'I_T) := place i (p, h).
have w_inj : injective w by move=> i j /place_eq [El _]; apply: val_inj; move: El; rewrite /level /= => /addnI.
pose bit (i : 'I_T) (x : W) := ((x + words_at M' p true)%R <= (x + words_at M p true)%R).
apply: (one_each (bit := bit) w_inj firstQ same) => x y i Ax Ay else_ iQ bits IH.
have meets (K : nh_key) : [forall (i | i \in Q), nh i K M == nh i K M'] ->
    (product_at zero elt (shifted K i) M p - product_at zero elt (shifted K i) M' p
     = - (\sum_(q | counts (size M) q && (q != p)) (product_at zero elt (shifted K i) M q - product_at zero elt (shifted K i) M' q)
          + ((8 * size M)%:R - (8 * size M')%:R)))%R.
  move=> /forall_inP /(_ i iQ); rewrite -subr_eq0 /Shift.nh /level1 -(eq_bigl _ _ same') (bigD1 p cp).
  rewrite [X in (_ - (X + _))%R](bigD1 p cp) /= => /eqP E; apply/eqP; rewrite -addr_eq0; apply/eqP; rewrite -[RHS]E sumrB.
  exact: regroup.
have same_at q k : counts (size M) q -> q != p -> (exists k', words_at M q k' != words_at M' q k') ->
    x (place i (q, k)) = y (place i (q, k)).
  move=> cq qp [k' dq]; case: (boolP [exists j, (j \in Q) && (place i (q, k) == w j)]) => [/existsP [j /andP [jQ /eqP E]]|].
    rewrite E; apply: IH => //; have [El Ec] := place_eq E; have le : q %/ 4 <= p %/ 4.
      by rewrite leqNgt; apply: contra dq => lt; rewrite later.
    have : q %/ 4 != p %/ 4 by apply: contra qp => /eqP e; apply/eqP/val_inj; rewrite /= (divn_eq q 4) e Ec -divn_eq.
    by move=> nu; exact: earlier le nu El.
  by rewrite negb_exists => /forallP no; apply: else_ => j jQ; have := no j; rewrite jQ.
have sums : (product_at zero elt (shifted x i) M p - product_at zero elt (shifted x i) M' p
    = product_at zero elt (shifted y i) M p - product_at zero elt (shifted y i) M' p)%R.
  rewrite (meets x Ax) (meets y Ay); congr (- (_ + _))%R; apply: eq_bigr => q /andP [cq qp].
  case: (boolP [exists k', words_at M q k' != words_at M' q k']) => [/existsP dq|/existsPn nd].
    by rewrite /product_at !ffunE !same_at.
  have eq k : words_at M q k = words_at M' q k by have := nd k; rewrite negbK => /eqP.
  by rewrite /product_at -!/(words_at _ _ _) !eq !subrr.
have at_other : (exists2 j, j \in Q & place i (p, ~~ h) = w j) \/ x (place i (p, ~~ h)) = y (place i (p, ~~ h)).
  case: (boolP [exists j, (j \in Q) && (place i (p, ~~ h) == w j)]) => [/existsP [j /andP [jQ /eqP E]]|]; first by left; exists j.
  by rewrite negb_exists => /forallP no; right; apply: else_ => j jQ; have := no j; rewrite jQ.
case: h dp case_h @w w_inj same IH bits else_ at_other => dp case_h w w_inj same IH bits else_ at_other; simpl in dp, case_h.
- (* a first word: Theorem 5.1's order *)
  have Ex : x (place i (p, false)) = y (place i (p, false)).
    case: at_other => // -[j jQ E]; rewrite E; apply: IH => //; have [El _] := place_eq (E : place i (p, false) = place j (p, true)); exact: before El.
  have nc : (x (place i (p, false)) + words_at M p false)%R != (x (place i (p, false)) + words_at M' p false)%R.
    by apply: contra dp => /eqP /addrI ->.
  have /card_le1_eqP one := unsigned_clause N1 (words_at M p true) (words_at M' p true)
    (product_at zero elt (shifted y i) M p - product_at zero elt (shifted y i) M' p)%R nc.
  apply: one; rewrite inE; first by apply/eqP; rewrite Ex /product_at !ffunE.
  by apply/eqP; rewrite -sums /product_at !ffunE.
(* a second word only: the first word of the key is multiplied by what one bit of the next decides *)
have em : words_at M p false = words_at M' p false by apply/eqP.
pose A (K : nh_key) := (K (place i (p, true)) + words_at M p true)%R; pose A' (K : nh_key) := (K (place i (p, true)) + words_at M' p true)%R.
have shift_same : (((A x : nat)%:Z - (A' x : nat)%:Z) = (A y : nat)%:Z - (A' y : nat)%:Z)%R.
  apply: same_shift; case: at_other => [[j jQ E]|->] //; rewrite E; apply: bits => //.
  have [El _] := place_eq (E : place i (p, true) = place j (p, false)); apply: contraTneq (least i iQ) => <-; rewrite -ltnNge; exact: before (esym El).
pose s_ := ((A x : nat)%:Z - (A' x : nat)%:Z)%R.
have s0 : s_ != 0%R.
  rewrite subr_eq0; apply: contra dp => /eqP [E]; have EA : A x = A' x by apply: val_inj.
  by have /addrI -> := EA.
pose B (K : nh_key) := (K (w i) + words_at M p false)%R.
have value (K : nh_key) : ((A K : nat)%:Z - (A' K : nat)%:Z = s_ ->
    product_at zero elt (shifted K i) M p - product_at zero elt (shifted K i) M' p = ((B K : nat)%:Z * s_)%:~R)%R.
  move=> Es; rewrite /product_at !ffunE -/(A K) -!/(words_at _ _ _) -em -/(B K) /unsigned -Es mulrBr rmorphB /= -!PoszM.
  by rewrite -!pmulrn.
have zero_ : ((((B x : nat)%:Z - (B y : nat)%:Z) * s_)%:~R = 0 :> V)%R.
  by rewrite mulrBl rmorphB /= -(value x erefl) -(value y (esym shift_same)) sums subrr.
have lt (K : nh_key) : B K < N by exact: word_lt.
have ltA (K : nh_key) : A K < N by exact: word_lt. have ltA' (K : nh_key) : A' K < N by exact: word_lt.
have small : (`|((B x : nat)%:Z - (B y : nat)%:Z) * s_| < (N * N)%:Z)%R.
  rewrite normrM PoszM; apply: ltr_pmul; rewrite ?normr_ge0 //.
    exact: gap (lt x) (lt y).
  exact: gap (ltA x) (ltA' x).
have := small_zero N1 (leqnn N) zero_ small => /eqP; rewrite mulf_eq0 (negbTE s0) orbF subr_eq0 => /eqP [E].
have EB : B x = B y by apply: val_inj.
exact: addIr EB.
Qed.

Lemma collisions M M' (Q : {set 'I_T}) (first : 'I_T) : first \in Q -> (forall i, i \in Q -> first <= i) ->
  M != M' -> size M <= C -> size M' <= C -> counts (size M) =1 counts (size M') ->
  exists p h, counts (size M) p /\ forall f : nh_key -> nat, (forall K K', elsewhere Q (fun i => place i (p, h)) K K' -> f K = f K') ->
  (\sum_(K | [forall (i | i \in Q), nh i K M == nh i K M']) f K) * N ^ #|Q| <= 2 ^ #|Q|.-1 * \sum_K f K.
Proof.
move=> firstQ least ne s s' same'; case: (last_unit M M') => [words|[p [h [cp later dp case_h]]]].
  have p0 : 0 < pairs by []. exists (Ordinal p0), true; split => // f _.
  rewrite big_pred0 // => K; apply/negbTE/forall_inPn; exists first => //; exact: same_words.
exists p, h; split => // f same; apply: (collisions_at same' cp later dp _ firstQ least same).
by move: case_h; case: (h) => //= /forall_inP; apply; rewrite eqxx cp.
Qed.
End Collisions.
