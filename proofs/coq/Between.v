(* NH of up to four streams, where a stream that has a ratio may lie between two that collide. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import zify ring.
Require Import Counting NH Toeplitz Uhash Lines NhRatio Shift Collisions StreamsNh ThreeWords.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory.
Local Open Scope nat_scope.

(* Two pairs of the unit of a pair p: those of the other two chains. *)
Definition other (p : 'I_pairs) k := pair (p %/ 4) (chain (p %% 4 %/ 2 == 0) k).
Lemma other_unit p k : other p k %/ 4 = p %/ 4.
Proof. by rewrite pair_unit modn_small //; have := ltn_ord p; rewrite {2}/pairs; lia. Qed.
Lemma other_p p k : other p k != p.
Proof. by apply/negP => /eqP /(congr1 (fun t : 'I_pairs => t %% 4 %/ 2)); rewrite !pair_chain chain_val; have := ltn_pmod p (isT : 0 < 4); case: k; case: eqP => /=; lia. Qed.
Lemma next_place T (r s : 'I_T) (side : bool) (t : 'I_pairs) : (if side then r = s.+1 :> nat else s = r.+1 :> nat) ->
  place r (t, ~~ side) = place s (t, side).
Proof. by move=> next; rewrite /place; congr (_, _); apply: val_inj; move: next; rewrite /level /=; case: side => /= ->; lia. Qed.
Lemma others p : other p false != other p true. Proof. exact: chains_ne. Qed.

Section Between.
Variables (N T : nat).
Hypothesis N1 : 1 < N.
Local Notation W := 'Z_N.
Local Notation V := 'Z_(N * N).
Variables (byte : eqType) (zero : byte) (elt : seq byte -> W).
Implicit Types (M : seq byte) (i j : 'I_T).
Local Notation nh_key := (nh_key N T).
Local Notation nh := (@nh N T byte zero elt).
Local Notation words_at := (@words_at N byte zero elt).
Implicit Types (K : nh_key).

(* A collision does not see the words of units that are the same in both chunks. *)
Lemma collision_same j K K' M M' : counts (size M) =1 counts (size M') ->
  (forall p h k, counts (size M) p -> words_at M p h != words_at M' p h -> K (place j (p, k)) = K' (place j (p, k))) ->
  (nh j K M == nh j K M') = (nh j K' M == nh j K' M').
Proof.
move=> same at_; rewrite -[LHS]subr_eq0 -[RHS]subr_eq0; congr (_ == _); rewrite /Shift.nh /level1 -!(eq_bigl _ _ same).
rewrite !opprD ![(_ + _ + (- _ - _))%R]addrACA -!sumrB; congr (_ + _)%R; apply: eq_bigr => p cp.
case: (boolP [exists h, words_at M p h != words_at M' p h]) => [/existsP [h dp]|/existsPn nd].
  by rewrite /product_at !ffunE !(at_ p h _ cp dp).
have eq h : words_at M p h = words_at M' p h by have := nd h; rewrite negbK => /eqP.
by rewrite /product_at -!/(words_at _ _ _) !eq !subrr.
Qed.


(* Stream s collides, and the next one, r, has a ratio: the one above it (side = true) or below it. In a unit, only the words differ that
   the two streams multiply with the same words of the key. *)
Section Three.
Variables (r s : 'I_T) (side : bool) (a b H : nat) (M M' : seq byte) (p : 'I_pairs).
Hypotheses (H0 : 0 < H) (a0 : 0 < a) (b0 : 0 < b) (ab : a != b).
Hypothesis next : if side then r = s.+1 :> nat else s = r.+1 :> nat.
Hypothesis same : counts (size M) =1 counts (size M').
Hypothesis cp : counts (size M) p.
Hypothesis dp : words_at M p (~~ side) != words_at M' p (~~ side).
Hypothesis agree : forall t, counts (size M) t -> t %/ 4 = p %/ 4 -> words_at M t side = words_at M' t side.

Local Notation other := (other p).
Local Notation other_unit := (other_unit p).
Local Notation other_p := (other_p p).
Local Notation others := (others p).
Lemma other_counts k : counts (size M) (other k). Proof. by move: cp; rewrite /counts other_unit. Qed.
Local Notation place_next := (fun t => next_place t next).

Local Notation e0 := (place s (p, side)).
Local Notation e1 := (place s (other false, side)).
Local Notation e2 := (place s (other true, side)).
Local Notation put3 := (put3 e0 e1 e2).
Lemma ne01 : e0 != e1. Proof. by apply: contra (other_p false) => /eqP /place_inj [<-]. Qed.
Lemma ne02 : e0 != e2. Proof. by apply: contra (other_p true) => /eqP /place_inj [<-]. Qed.
Lemma ne12 : e1 != e2. Proof. by apply: contra others => /eqP /place_inj /(congr1 fst) E; apply/eqP. Qed.

(* The sum of a stream, with the three pairs apart. *)
Definition rest3 i K M0 := (\sum_(t | [&& counts (size M0) t, t != p, t != other false & t != other true]) product_at zero elt (shifted K i) M0 t + (8 * size M0)%:R)%R.
Lemma nh_three i K M0 : counts (size M0) =1 counts (size M) -> (nh i K M0 = product_at zero elt (shifted K i) M0 p
  + (product_at zero elt (shifted K i) M0 (other false) + (product_at zero elt (shifted K i) M0 (other true) + rest3 i K M0)))%R.
Proof.
move=> eqc; rewrite /nh /level1 (bigD1 p) ?eqc //= (bigD1 (other false)) /=; last by rewrite eqc other_counts other_p.
rewrite (bigD1 (other true)) /=; last by rewrite eqc other_counts other_p eq_sym others.
rewrite -!addrA /rest3; do 3 congr (_ + _)%R; congr (_ + _)%R; by apply: eq_bigl => t; rewrite -!andbA.
Qed.
Lemma half_ne i t u : place i (t, ~~ side) != place i (u, side).
Proof. by apply/negP => /eqP /place_inj [_]; case: side. Qed.
Lemma out_s K w t : put3 K w (place s (t, ~~ side)) = K (place s (t, ~~ side)).
Proof. by apply: put3_out; exact: half_ne. Qed.
Lemma out_r K w t : put3 K w (place r (t, side)) = K (place r (t, side)).
Proof. by apply: put3_out; rewrite -place_next eq_sym; exact: half_ne. Qed.
Lemma out_rest K w t h : t != p -> t != other false -> t != other true -> put3 K w (place s (t, h)) = K (place s (t, h)) /\ put3 K w (place r (t, h)) = K (place r (t, h)).
Proof.
have no i (u : 'I_pairs) k k' : t != u -> place i (t, k) != place i (u, k').
  by move=> n; apply: contra n => /eqP /place_inj /(congr1 fst) E; apply/eqP.
move=> n0 n1 n2; split; first by apply: put3_out; exact: no.
by apply: put3_out; rewrite -place_next; exact: no.
Qed.
Lemma product_form i K M0 t : product_at zero elt (shifted K i) M0 t
  = unsigned (K (place i (t, side)) + words_at M0 t side)%R (K (place i (t, ~~ side)) + words_at M0 t (~~ side))%R.
Proof. by rewrite (product_at_sym _ _ _ _ _ side) !ffunE. Qed.
Lemma rest3_out i K w M0 : i = s \/ i = r -> rest3 i (put3 K w) M0 = rest3 i K M0.
Proof.
move=> ri; congr (_ + _)%R; apply: eq_bigr => t /and4P [_ n0 n1 n2]; rewrite !product_form.
have [es er] := out_rest K w side n0 n1 n2; have [es' er'] := out_rest K w (~~ side) n0 n1 n2.
by case: ri => ->; rewrite ?es ?es' ?er ?er'.
Qed.

Lemma unsigned_difference (x y z : W) : (unsigned x y - unsigned x z = (((y : nat)%:Z - (z : nat)%:Z) * (x : nat)%:Z)%:~R :> V)%R.
Proof. by rewrite mulrBl mulrzBr -!PoszM -!pmulrn /unsigned ![x * _]mulnC. Qed.

Definition moved K t : int := (((K (place s (t, ~~ side)) + words_at M t (~~ side))%R : nat)%:Z - ((K (place s (t, ~~ side)) + words_at M' t (~~ side))%R : nat)%:Z)%R.
Definition factor_of K M0 t : nat := (K (place r (t, side)) + words_at M0 t side)%R.
Definition slope_at K t : int := slope a b (factor_of K M t) (factor_of K M' t).
Definition kap3 K := few_points N H labels (moved K p * slope_at K (other false) - slope_at K p * moved K (other false),
  moved K p * slope_at K (other true) - slope_at K p * moved K (other true))%R.

Lemma moved_p K : moved K p != 0%R.
Proof. by rewrite subr_eq0; apply: contra dp => /eqP [E]; apply/eqP; apply: (@addrI _ (K (place s (p, ~~ side)))); exact: val_inj. Qed.
Lemma moved_lt K t : (`|moved K t| < N%:Z)%R.
Proof. by apply: gap; exact: word_lt. Qed.

(* The words of the key, from their sums with the first chunk's. *)
Definition back (u : W * (W * W)) := (u.1 - words_at M p side, (u.2.1 - words_at M (other false) side, u.2.2 - words_at M (other true) side))%R.
Lemma back_inj : injective back.
Proof.
move=> [x [y z]] [x' [y' z']] E; have /addIr /= -> := congr1 (fun u => u.1) E.
by have /addIr /= -> := congr1 (fun u => u.2.1) E; have /addIr /= -> := congr1 (fun u => u.2.2) E.
Qed.

Lemma collision_lin K u : nh s (put3 K (back u)) M == nh s (put3 K (back u)) M' ->
  ((lin (moved K p) (moved K (other false)) (moved K (other true)) u)%:~R == rest3 s K M' - rest3 s K M :> V)%R.
Proof.
set w := back u; have at_ t x : counts (size M) t -> t %/ 4 = p %/ 4 -> put3 K w (place s (t, side)) = (x - words_at M t side)%R ->
    (product_at zero elt (shifted (put3 K w) s) M t - product_at zero elt (shifted (put3 K w) s) M' t = (moved K t * (x : nat)%:Z)%:~R :> V)%R.
  by move=> ct ut Ex; rewrite !product_form !out_s Ex -(agree ct ut) subrK; exact: unsigned_difference.
have h0 := at_ p _ cp erefl (put3_0 ne01 ne02 ne12 K w).
have h1 := at_ _ _ (other_counts false) (other_unit false) (put3_1 ne01 ne02 ne12 K w).
have h2 := at_ _ _ (other_counts true) (other_unit true) (put3_2 ne01 ne02 ne12 K w).
rewrite (nh_three _ _ (fun _ => erefl)) (nh_three _ _ (fsym same)) !rest3_out; try by left.
rewrite /lin !mulrzDl -h0 -h1 -h2 => /eqP E; apply/eqP.
move: E; set x0 := product_at _ _ _ _ _; set x1 := product_at _ _ _ _ _; set x2 := product_at _ _ _ _ _; set y0 := product_at _ _ _ _ _.
set y1 := product_at _ _ _ _ _; set y2 := product_at _ _ _ _ _; set k := rest3 _ _ _; set k' := rest3 _ _ _ => E.
have -> : (x0 - y0 + (x1 - y1) + (x2 - y2) = (x0 + (x1 + (x2 + k))) - (y0 + (y1 + (y2 + k'))) + (k' - k) :> V)%R by ring.
by rewrite E subrr add0r.
Qed.

Lemma hash_three K u M0 : counts (size M0) =1 counts (size M) -> (nh r (put3 K (back u)) M0 : nat)
  = hash3 (factor_of K M0 p) (factor_of K M0 (other false)) (factor_of K M0 (other true)) (words_at M0 p (~~ side) - words_at M p side)%R
      (words_at M0 (other false) (~~ side) - words_at M (other false) side)%R (words_at M0 (other true) (~~ side) - words_at M (other true) side)%R (rest3 r K M0) u.
Proof.
move=> eqc; have N2 : 1 < N * N by rewrite (leq_trans N1) // leq_pmulr // ltnW.
set w := back u; have at_ t x : put3 K w (place s (t, side)) = (x - words_at M t side)%R ->
    (product_at zero elt (shifted (put3 K w) r) M0 t = (factor_of K M0 t * (x + (words_at M0 t (~~ side) - words_at M t side))%R)%N%:R :> V)%R.
  by move=> Ex; rewrite product_form out_r place_next Ex -addrA [(- _ + _)%R]addrC.
rewrite (nh_three _ _ eqc) rest3_out; last by right.
rewrite (at_ _ _ (put3_0 ne01 ne02 ne12 K w)) (at_ _ _ (put3_1 ne01 ne02 ne12 K w)) (at_ _ _ (put3_2 ne01 ne02 ne12 K w)) /hash3 /sum3.
have sum (x y z : nat) (v : V) : (x%:R + (y%:R + (z%:R + v)) = (x + y + z + v)%N%:R :> V)%R by rewrite !natrD natr_Zp !addrA.
by rewrite sum val_Zp_nat.
Qed.

Lemma three_step K : #|[set w | (nh s (put3 K w) M == nh s (put3 K w) M') && (b * nh r (put3 K w) M == a * nh r (put3 K w) M')]| <= kap3 K.
Proof.
have N2 : 1 < N * N by rewrite (leq_trans N1) // leq_pmulr // ltnW.
have lt (v : V) : v < N * N by rewrite -[X in _ < X](Zp_cast N2) ltn_ord.
have lf M0 t : factor_of K M0 t < N by exact: word_lt.
rewrite -(on_card_preimset (f := back)); last exact: onW_bij (injF_bij back_inj).
apply: leq_trans (count_three a b N1 H0 _ _ _ _ _ _ (rest3 s K M' - rest3 s K M)%R
  (lf M p) (lf M (other false)) (lf M (other true)) (lf M' p) (lf M' (other false)) (lf M' (other true))
  (lt (rest3 r K M)) (lt (rest3 r K M')) (moved_lt K p) (moved_lt K (other false)) (moved_lt K (other true)) (moved_p K)).
apply/subset_leq_card/subsetP => u; rewrite !inE => /andP [/collision_lin ->]; rewrite !hash_three //; exact.
Qed.

(* Together over the words of two pairs that only the ratio's slopes have. *)
Lemma few_slopes (t : 'I_pairs) (k v : int) K : counts (size M) t -> k != 0%R ->
  #|[set x | ((moved K p * slope_of a b true (words_at M t side) true (words_at M' t side) x - slope_at K p * moved K t) * k)%R == v]| <= 4.
Proof.
move=> ct k0; have mk : (moved K p * k)%R != 0%R by rewrite mulf_neq0 ?moved_p.
apply: leq_trans (slope_multiple N1 H0 a0 b0 ab (words_at M t side) (words_at M' t side) (v + slope_at K p * moved K t * k)%R (isT : true || true) mk).
apply/subset_leq_card/subsetP => x; rewrite !inE => /eqP <-; apply/eqP; ring.
Qed.

Local Notation c1 := (place r (other false, side)).
Local Notation c2 := (place r (other true, side)).
Lemma c_ne : c1 != c2. Proof. by apply: contra others => /eqP /place_inj /(congr1 fst) E; apply/eqP. Qed.
Lemma c_own t K w : t != other false -> t != other true -> put2 c1 c2 K w (place r (t, side)) = K (place r (t, side)).
Proof. by move=> n1 n2; apply: put2_out; [apply: contra n1 | apply: contra n2] => /eqP /place_inj /(congr1 fst) E; apply/eqP. Qed.
Lemma c_next (t : 'I_pairs) K w : t %/ 4 = p %/ 4 -> put2 c1 c2 K w (place s (t, ~~ side)) = K (place s (t, ~~ side)).
Proof.
move=> ut; have ne k : place s (t, ~~ side) != place r (other k, side).
  by apply: place_ne; apply/orP; left; have E := other_unit k; move: next; rewrite /level /= in E *; rewrite E ut; case: side => /= ->; lia.
by apply: put2_out; exact: ne.
Qed.

Lemma moved_put (t : 'I_pairs) K w : t %/ 4 = p %/ 4 -> moved (put2 c1 c2 K w) t = moved K t.
Proof. by move=> ut; rewrite /moved (c_next K w ut). Qed.
Lemma slope_put K w : slope_at (put2 c1 c2 K w) p = slope_at K p.
Proof.
have n k : p != other k by rewrite eq_sym; exact: other_p.
by rewrite /slope_at /factor_of (c_own K w (n false) (n true)).
Qed.
Lemma slope_word K t x : K (place r (t, side)) = x -> slope_at K t = slope_of a b true (words_at M t side) true (words_at M' t side) x.
Proof. by move=> <-. Qed.

Lemma kap3_put K w : kap3 (put2 c1 c2 K w) = few_points N H labels
  (moved K p * slope_of a b true (words_at M (other false) side) true (words_at M' (other false) side) w.1 - slope_at K p * moved K (other false),
   moved K p * slope_of a b true (words_at M (other true) side) true (words_at M' (other true) side) w.2 - slope_at K p * moved K (other true))%R.
Proof.
have e1 : put2 c1 c2 K w c1 = w.1 by have := get2_put2 c_ne K w; rewrite /get2 => /(congr1 fst).
have e2 : put2 c1 c2 K w c2 = w.2 by have := get2_put2 c_ne K w; rewrite /get2 => /(congr1 snd).
have m0 := moved_put K w (erefl (p %/ 4)); have m1 := moved_put K w (other_unit false); have m2 := moved_put K w (other_unit true).
by rewrite /kap3 m0 m1 m2 (slope_put K w) (slope_word e1) (slope_word e2).
Qed.

Definition three_bound := labels * (4 * 4 + 1 + N %/ H + 6 * 4 * H).
Lemma kap3_average g : (forall K w, g (put2 c1 c2 K w) = g K) -> \sum_K g K * kap3 K <= three_bound * \sum_K g K.
Proof.
move=> gP; have N0 : 0 < N by exact: ltnW.
rewrite -(leq_pmul2r (_ : 0 < #|{: W * W}|)) ?card_prod ?card_W ?muln_gt0 ?N0 //.
apply: (@leq_trans (\sum_(K : nh_key) g K * (three_bound * N ^ 2))); last first.
  by rewrite -big_distrl /= -mulnn; apply: eq_leq; move: three_bound (\sum__ _) => x y; lia.
have <- : #|{: W * W}| = N * N by rewrite card_prod card_W.
apply: (weigh (A := xpredT) (@get2_put2 _ _ _ _ c_ne) (@put2_get2 _ _ _ _) (@put2_put2 _ _ _ _)) => K.
rewrite (eq_bigr (fun w => g K * few_points N H labels (moved K p * slope_of a b true (words_at M (other false) side) true (words_at M' (other false) side) w.1 - slope_at K p * moved K (other false),
   moved K p * slope_of a b true (words_at M (other true) side) true (words_at M' (other true) side) w.2 - slope_at K p * moved K (other true))%R)); last first.
  by move=> w _; rewrite gP kap3_put.
rewrite -big_distrr leq_mul2l; apply/orP; right.
exact: (sum_lines labels N1 H0 (fun k v => @few_slopes (other false) k v K (other_counts false)) (fun k v => @few_slopes (other true) k v K (other_counts true))).
Qed.
Lemma three_sum (D : pred nh_key) f : (forall K w, D (put3 K w) = D K) -> (forall K w, f (put3 K w) = f K) ->
  (\sum_(K | D K && ((nh s K M == nh s K M') && (b * nh r K M == a * nh r K M'))) f K) * N ^ 3 <= \sum_(K | D K) f K * kap3 K.
Proof.
move=> DP fP; have <- : #|{: W * (W * W)}| = N ^ 3 by rewrite !card_prod !card_W // !expnS expn0 muln1.
rewrite [X in _ <= X]big_mkcond /=; apply: (weigh (get_put3 ne01 ne02 ne12) (put_get3 _ _ _) (put3_put3 _ _ _)) => K.
rewrite (eq_bigl (fun w => D K && ((nh s (put3 K w) M == nh s (put3 K w) M') && (b * nh r (put3 K w) M == a * nh r (put3 K w) M')))); last first.
  by move=> w; rewrite DP.
case: (D K); last by rewrite big_pred0.
rewrite (eq_bigr (fun=> f K)) => [|w _]; last exact: fP.
rewrite sum_nat_const mulnC leq_mul2l; apply/orP; right; apply: leq_trans (three_step K); by apply/subset_leq_card/subsetP => w; rewrite inE.
Qed.
End Three.
End Between.
