(* NH of three streams, where a stream that has a ratio lies between two that collide. For chunks with as many units, d the last unit
   that differs and v the last one: if d < v, no collision sees the words of v that decide the ratio (ratio_above). If a first word of v
   differs, the last stream has a word of its own there (top_collision). If only second words of v differ, the ratio and the last
   collision have their words in common: three of them decide both (count_three, second_words). *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import zify ring.
Require Import Counting NH Toeplitz Uhash Lines NhRatio Shift Collisions StreamsNh.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory.
Local Open Scope nat_scope.

Section ThreeWords.
Variables (N H : nat).
Hypothesis H0 : 0 < H.
Local Notation I := 'I_N.
Definition apart_by (x y : I) : int := ((x : nat)%:Z - (y : nat)%:Z)%R.
Variables (S : {set I * (I * I)}) (s a1 a2 b q1 q2 : int).
Hypothesis s0 : s != 0%R.
Hypothesis collision : forall u v, u \in S -> v \in S ->
  (s * apart_by u.1 v.1 + a1 * apart_by u.2.1 v.2.1 + a2 * apart_by u.2.2 v.2.2 = 0)%R.
Hypothesis ratio : forall u v, u \in S -> v \in S ->
  (b * apart_by u.1 v.1 + q1 * apart_by u.2.1 v.2.1 + q2 * apart_by u.2.2 v.2.2 = 0)%R.

(* Two words decide the third. *)
Lemma two_decide : {in S &, injective (fun u : I * (I * I) => u.2)}.
Proof.
move=> [w [x y]] [w' [x' y']] uS vS /= [Ex Ey]; have := collision uS vS.
rewrite /apart_by /= Ex Ey !subrr !mulr0 !addr0 => /eqP; rewrite mulf_eq0 (negbTE s0) /= subr_eq0 => /eqP [E].
by congr (_, _); apply: val_inj.
Qed.

Lemma line (w x y : int) : (s * w + a1 * x + a2 * y = 0 -> b * w + q1 * x + q2 * y = 0 -> (s * q1 - b * a1) * x + (s * q2 - b * a2) * y = 0)%R.
Proof.
move=> c r; have -> : ((s * q1 - b * a1) * x + (s * q2 - b * a2) * y = s * (b * w + q1 * x + q2 * y) - b * (s * w + a1 * x + a2 * y))%R by ring.
by rewrite c r !mulr0 subrr.
Qed.

Lemma three_words : (s * q1 - b * a1, s * q2 - b * a2)%R != (0, 0)%R ->
  #|S| <= 1 + N %/ H + @steps_weight N H (s * q1 - b * a1, s * q2 - b * a2)%R.
Proof.
move=> nq; rewrite -(card_in_imset two_decide); apply: (line_points H0 nq) => x y /imsetP [u uS ->] /imsetP [v vS ->].
exact: line (collision uS vS) (ratio uS vS).
Qed.

Lemma three_words_any : #|S| <= N * N.
Proof.
rewrite -(card_in_imset two_decide); apply: leq_trans (max_card _) _; by rewrite card_prod card_ord.
Qed.
End ThreeWords.

(* Lines whose two coefficients each take a value, or a multiple of it, for at most m words: NhRatio.sum_few for any slopes. *)
Section SumLines.
Variables (N H L m : nat).
Hypothesis N1 : 1 < N.
Hypothesis H0 : 0 < H.
Local Notation W := 'Z_N.
Variables (Q1 Q2 : W -> int).
Hypothesis few1 : forall k v : int, k != 0%R -> #|[set x | (Q1 x * k)%R == v]| <= m.
Hypothesis few2 : forall k v : int, k != 0%R -> #|[set x | (Q2 x * k)%R == v]| <= m.
Definition few_points q := L * (if q == (0, 0)%R then N * N else 1 + N %/ H + @steps_weight N H q).

Lemma sum_lines : \sum_(x : W * W) few_points (Q1 x.1, Q2 x.2) <= L * (m * m + 1 + N %/ H + 6 * m * H) * N ^ 2.
Proof.
pose q (x : W * W) := (Q1 x.1, Q2 x.2).
have card_W : #|{: W}| = N by rewrite card_ord Zp_cast.
have card_WW : #|{: W * W}| = N * N by rewrite card_prod card_W.
have zero : #|[set x | q x == (0, 0)%R]| <= m * m.
  have -> : [set x | q x == (0, 0)%R] = setX [set x | (Q1 x * 1)%R == 0%R] [set x | (Q2 x * 1)%R == 0%R].
    by apply/setP => -[x y]; rewrite !inE /q /= xpair_eqE !mulr1.
  by rewrite cardsX leq_mul // ?few1 ?few2.
have on_line (s : step H) : 0 < size_of s -> #|[set x | along (q x) s]| <= m * N.
  have -> : m * N = #|{: W}| * m by rewrite card_W mulnC.
  move=> s0; case: (posnP s.1.1) => [y0|ypos].
    have zpos : 0 < s.1.2 by move: s0; rewrite /size_of y0 max0n.
    apply: count_fibres => x1; pose c : int := ((-1) ^+ s.2 * (s.1.2 : nat)%:Z)%R.
    have c0 : c != 0%R by rewrite mulf_neq0 ?signr_eq0 //; move: zpos; lia.
    apply: leq_trans (few2 (Q1 x1 * (s.1.1 : nat)%:Z)%R c0).
    apply/subset_leq_card/subsetP => w; rewrite !inE /along s0 /= => /eqP ->; apply/eqP; rewrite /c; ring.
  pose flip (p : W * W) := (p.2, p.1); have inj : injective flip by move=> [? ?] [? ?] [-> ->].
  rewrite -(card_imset _ inj); apply: count_fibres => x2; pose c : int := ((s.1.1 : nat)%:Z)%R.
  have c0 : c != 0%R by move: ypos; rewrite /c; lia.
  apply: leq_trans (few1 ((-1) ^+ s.2 * (Q2 x2 * (s.1.2 : nat)%:Z))%R c0).
  apply/subset_leq_card/subsetP => w; rewrite !inE => /imsetP [[u v]]; rewrite inE /along s0 /= => /eqP E [-> ->].
  by rewrite E.
have weights : \sum_(x : W * W) @steps_weight N H (q x) <= m * N * (6 * (N * H)).
  rewrite /steps_weight (exchange_big_dep (fun s : step H => 0 < size_of s)) /=; last by move=> x s _ /andP [].
  apply: (@leq_trans (\sum_(s : step H | 0 < size_of s) m * N * (N %/ size_of s))); last first.
    by rewrite -big_distrr /=; apply: leq_mul => //; exact: all_steps.
  apply: leq_sum => s s0; rewrite sum_nat_cond_const leq_mul2r; apply/orP; right; apply: leq_trans (on_line s s0).
  by apply/subset_leq_card/subsetP => x; rewrite !inE.
rewrite /few_points -big_distrr -mulnA leq_mul2l /=; apply/orP; right.
apply: (@leq_trans (\sum_(x : W * W) ((q x == (0, 0)%R) * (N * N) + (1 + N %/ H + @steps_weight N H (q x))))).
  by apply: leq_sum => x _; rewrite -/(q x); case: eqP => _; [rewrite mul1n leq_addr | rewrite mul0n add0n].
rewrite big_split /= -big_distrl /= big_split /= sum_nat_const card_WW.
have -> : \sum_(x : W * W) (q x == (0, 0)%R) = #|[set x | q x == (0, 0)%R]|.
  by rewrite -sum1_card [RHS]big_mkcond /=; apply: eq_bigr => x _; rewrite inE; case: eqP.
have h1 := leq_mul zero (leqnn (N * N)); have h2 := leq_add (leqnn (N * N * (1 + N %/ H))) weights.
apply: leq_trans (leq_add h1 h2) _; rewrite -mulnn; move: (N %/ H) => d; apply: eq_leq; lia.
Qed.
End SumLines.

(* A word, and the sums of it with three others: how many of them pass N says which. *)
Section CountThree.
Variables (N a b H : nat).
Hypothesis N1 : 1 < N.
Hypothesis H0 : 0 < H.
Local Notation W := 'Z_N.
Local Notation V := 'Z_(N * N).
Definition wraps (z m m' n : W) : nat := (N <= z + m) + (N <= z + m') + (N <= z + n).
Lemma wraps_lt z m m' n : wraps z m m' n < 4. Proof. by rewrite /wraps; case: (N <= z + m); case: (N <= z + m'); case: (N <= z + n). Qed.
Lemma same_wraps z y m m' n : wraps z m m' n = wraps y m m' n ->
  [/\ (N <= z + m) = (N <= y + m), (N <= z + m') = (N <= y + m') & (N <= z + n) = (N <= y + n)].
Proof.
rewrite /wraps; move: (z : nat) (y : nat) (m : nat) (m' : nat) (n : nat) => {}z {}y {}m {}m' {}n.
by case: (leqP N (z + m)); case: (leqP N (z + m')); case: (leqP N (z + n)); case: (leqP N (y + m)); case: (leqP N (y + m')); case: (leqP N (y + n)) => //; lia.
Qed.

Lemma three_terms (g h k e p p' q q' r r' x x' y y' z z' : int) : (p = p' + x - x' -> q = q' + y - y' -> r = r' + z - z' ->
  g * p + h * q + k * r + e - (g * p' + h * q' + k * r' + e) = g * (x - x') + h * (y - y') + k * (z - z'))%R.
Proof. by move=> -> -> ->; ring. Qed.

Lemma same_quotient (x y q r t : nat) : x = q + r -> y = q + t -> (r%:Z - t%:Z = x%:Z - y%:Z)%R.
Proof. by move=> -> ->; lia. Qed.
Lemma close_by (x y n : nat) : 0 < n -> x %/ n = y %/ n -> (`|x%:Z - y%:Z| < n%:Z)%R.
Proof.
move=> n0 E; have := divn_eq x n; have := divn_eq y n; have := ltn_pmod x n0; have := ltn_pmod y n0; rewrite E.
move: (y %/ n * n) (x %% n) (y %% n) => q r t; lia.
Qed.

Definition sum3 (f0 f1 f2 : nat) (m0 m1 m2 : W) c (u : W * (W * W)) := f0 * (u.1 + m0)%R + f1 * (u.2.1 + m1)%R + f2 * (u.2.2 + m2)%R + c.
Lemma sum3_lt f0 f1 f2 m0 m1 m2 c u : f0 < N -> f1 < N -> f2 < N -> c < N * N -> sum3 f0 f1 f2 m0 m1 m2 c u %/ (N * N) < 4.
Proof.
move=> l0 l1 l2 lc; rewrite ltn_divLR ?muln_gt0 ?(ltnW N1) // /sum3.
have := leq_mul (ltnW l0) (ltnW (word_lt N1 (u.1 + m0)%R)); have := leq_mul (ltnW l1) (ltnW (word_lt N1 (u.2.1 + m1)%R)).
have := leq_mul (ltnW l2) (ltnW (word_lt N1 (u.2.2 + m2)%R)); lia.
Qed.

Variables (f0 f1 f2 f0' f1' f2' c c' : nat) (m0 m1 m2 m0' m1' m2' n0 n1 n2 : W) (s a1 a2 : int) (d : V).
Hypotheses (l0 : f0 < N) (l1 : f1 < N) (l2 : f2 < N) (l0' : f0' < N) (l1' : f1' < N) (l2' : f2' < N) (lc : c < N * N) (lc' : c' < N * N).
Hypotheses (ls : (`|s| < N%:Z)%R) (la1 : (`|a1| < N%:Z)%R) (la2 : (`|a2| < N%:Z)%R) (s0 : s != 0%R).
Definition lin (u : W * (W * W)) : int := (s * ((u.1 + n0)%R : nat)%:Z + a1 * ((u.2.1 + n1)%R : nat)%:Z + a2 * ((u.2.2 + n2)%R : nat)%:Z)%R.
Lemma one_lt (t : int) (w : W) : (`|t| < N%:Z)%R -> (`|t * (w : nat)%:Z| < (N * N)%:Z)%R.
Proof. by move=> lt; rewrite normrM PoszM; apply: ltr_pmul; rewrite ?normr_ge0 //; have := word_lt N1 w; lia. Qed.
Lemma lin_lt u : (0 <= lin u + (3 * (N * N))%:Z < (6 * (N * N))%:Z)%R.
Proof.
rewrite /lin; have := one_lt (u.1 + n0)%R ls; have := one_lt (u.2.1 + n1)%R la1; have := one_lt (u.2.2 + n2)%R la2.
set x := (s * _)%R; set y := (a1 * _)%R; set z := (a2 * _)%R; move: (N * N) => NN; lia.
Qed.
Lemma lin_label u : `|(lin u + (3 * (N * N))%:Z)%R|%N %/ (N * N) < 6.
Proof.
rewrite ltn_divLR ?muln_gt0 ?(ltnW N1) //; have := lin_lt u; move: (lin u) (N * N) => x NN; lia.
Qed.

Definition hash3 f0 f1 f2 m0 m1 m2 c u := sum3 f0 f1 f2 m0 m1 m2 c u %% (N * N).
Lemma count_three : #|[set u | ((lin u)%:~R == d)%R && (b * hash3 f0 f1 f2 m0 m1 m2 c u == a * hash3 f0' f1' f2' m0' m1' m2' c' u)]|
  <= few_points N H (64 * 96) (s * slope a b f1 f1' - slope a b f0 f0' * a1, s * slope a b f2 f2' - slope a b f0 f0' * a2)%R.
Proof.
pose label (u : W * (W * W)) := ((Ordinal (wraps_lt u.1 m0 m0' n0), (Ordinal (wraps_lt u.2.1 m1 m1' n1), Ordinal (wraps_lt u.2.2 m2 m2' n2))),
  (Ordinal (lin_label u), (Ordinal (sum3_lt m0 m1 m2 u l0 l1 l2 lc), Ordinal (sum3_lt m0' m1' m2' u l0' l1' l2' lc')))).
have -> : (64 * 96) = #|{: ('I_4 * ('I_4 * 'I_4)) * ('I_6 * ('I_4 * 'I_4))}| by rewrite !card_prod !card_ord.
apply: (card_labels (label := label)) => -[[w0 [w1 w2]] [g [k k']]].
have pts n (S : {set 'I_n * ('I_n * 'I_n)}) q1 q2 t : n = N ->
    (forall u v, u \in S -> v \in S -> s * apart_by u.1 v.1 + a1 * apart_by u.2.1 v.2.1 + a2 * apart_by u.2.2 v.2.2 = 0)%R ->
    (forall u v, u \in S -> v \in S -> t * apart_by u.1 v.1 + q1 * apart_by u.2.1 v.2.1 + q2 * apart_by u.2.2 v.2.2 = 0)%R ->
    #|S| <= if ((s * q1 - t * a1, s * q2 - t * a2) == (0, 0))%R then N * N else 1 + N %/ H + @steps_weight N H (s * q1 - t * a1, s * q2 - t * a2)%R.
  move=> En; move: S; rewrite En => S cS rS; case: eqP => [_|/eqP nq]; first exact: three_words_any s0 cS.
  exact: (three_words H0 s0 cS rS nq).
apply: (pts _ _ _ _ _ (Zp_cast N1)) => u v; rewrite !inE => /andP [/andP [/eqP cu /eqP ru] /eqP lu] /andP [/andP [/eqP cv /eqP rv] /eqP lv].
- have [/same_wraps [_ _ e0] [/same_wraps [_ _ e1] [/same_wraps [_ _ e2] eg]]] : wraps u.1 m0 m0' n0 = wraps v.1 m0 m0' n0 /\
      wraps u.2.1 m1 m1' n1 = wraps v.2.1 m1 m1' n1 /\ wraps u.2.2 m2 m2' n2 = wraps v.2.2 m2 m2' n2 /\
      `|(lin u + (3 * (N * N))%:Z)%R|%N %/ (N * N) = `|(lin v + (3 * (N * N))%:Z)%R|%N %/ (N * N).
    by move: lu; rewrite -lv => -[]; do 4!move=> ->.
  have -> : (s * apart_by u.1 v.1 + a1 * apart_by u.2.1 v.2.1 + a2 * apart_by u.2.2 v.2.2 = lin u - lin v)%R.
    by rewrite -(three_terms s a1 a2 0 (same_wrap N1 e0) (same_wrap N1 e1) (same_wrap N1 e2)) !addr0.
  have zero_ : ((lin u - lin v)%:~R = 0 :> V)%R by rewrite mulrzBr cu cv subrr.
  apply: (small_zero N1 (leqnn N) zero_).
  have pos z : (lin z + (3 * (N * N))%:Z = `|(lin z + (3 * (N * N))%:Z)%R|%N%:Z)%R by rewrite gez0_abs //; case/andP: (lin_lt z).
  have -> : (lin u - lin v = (lin u + (3 * (N * N))%:Z) - (lin v + (3 * (N * N))%:Z))%R by rewrite opprD addrACA subrr addr0.
  rewrite (pos u) (pos v); apply: close_by; [by rewrite muln_gt0 (ltnW N1) | exact: eg].
have [/same_wraps [e0 e0' _] [/same_wraps [e1 e1' _] [/same_wraps [e2 e2' _] [ek ek']]]] : wraps u.1 m0 m0' n0 = wraps v.1 m0 m0' n0 /\
    wraps u.2.1 m1 m1' n1 = wraps v.2.1 m1 m1' n1 /\ wraps u.2.2 m2 m2' n2 = wraps v.2.2 m2 m2' n2 /\
    sum3 f0 f1 f2 m0 m1 m2 c u %/ (N * N) = sum3 f0 f1 f2 m0 m1 m2 c v %/ (N * N) /\
    sum3 f0' f1' f2' m0' m1' m2' c' u %/ (N * N) = sum3 f0' f1' f2' m0' m1' m2' c' v %/ (N * N).
  by move: lu; rewrite -lv => -[]; do 3!move=> ->; move=> _ -> ->.
have step g0 g1 g2 (k0 k1 k2 : W) e : (N <= u.1 + k0) = (N <= v.1 + k0) -> (N <= u.2.1 + k1) = (N <= v.2.1 + k1) -> (N <= u.2.2 + k2) = (N <= v.2.2 + k2) ->
    sum3 g0 g1 g2 k0 k1 k2 e u %/ (N * N) = sum3 g0 g1 g2 k0 k1 k2 e v %/ (N * N) ->
    ((hash3 g0 g1 g2 k0 k1 k2 e u)%:Z - (hash3 g0 g1 g2 k0 k1 k2 e v)%:Z
     = g0%:Z * apart_by u.1 v.1 + g1%:Z * apart_by u.2.1 v.2.1 + g2%:Z * apart_by u.2.2 v.2.2)%R.
  move=> w0' w1' w2' eq; have vu := divn_eq (sum3 g0 g1 g2 k0 k1 k2 e u) (N * N); have vv := divn_eq (sum3 g0 g1 g2 k0 k1 k2 e v) (N * N).
  rewrite -/(hash3 _ _ _ _ _ _ _ u) eq in vu; rewrite -/(hash3 _ _ _ _ _ _ _ v) in vv.
  have -> : ((hash3 g0 g1 g2 k0 k1 k2 e u)%:Z - (hash3 g0 g1 g2 k0 k1 k2 e v)%:Z = (sum3 g0 g1 g2 k0 k1 k2 e u)%:Z - (sum3 g0 g1 g2 k0 k1 k2 e v)%:Z)%R.
    exact: same_quotient vu vv.
  by rewrite /sum3 !PoszD !PoszM; apply: three_terms; exact: same_wrap.
have E := step _ _ _ _ _ _ _ e0 e1 e2 ek; have E' := step _ _ _ _ _ _ _ e0' e1' e2' ek'.
have both : (b%:Z * ((hash3 f0 f1 f2 m0 m1 m2 c u)%:Z - (hash3 f0 f1 f2 m0 m1 m2 c v)%:Z)
    = a%:Z * ((hash3 f0' f1' f2' m0' m1' m2' c' u)%:Z - (hash3 f0' f1' f2' m0' m1' m2' c' v)%:Z))%R.
  by rewrite !mulrBr -!PoszM ru rv.
move: both; rewrite E E' /slope; set x := apart_by _ _; set y := apart_by _ _; set z := apart_by _ _ => both.
have -> : ((b%:Z * f0%:Z - a%:Z * f0'%:Z) * x + (b%:Z * f1%:Z - a%:Z * f1'%:Z) * y + (b%:Z * f2%:Z - a%:Z * f2'%:Z) * z
  = b%:Z * (f0%:Z * x + f1%:Z * y + f2%:Z * z) - a%:Z * (f0'%:Z * x + f1'%:Z * y + f2'%:Z * z))%R by ring.
by rewrite both subrr.
Qed.
End CountThree.

(* Three words of a key at three places. *)
Section ThreePlaces.
Variables (P A : finType) (e0 e1 e2 : P).
Hypotheses (ne01 : e0 != e1) (ne02 : e0 != e2) (ne12 : e1 != e2).
Implicit Types (K : {ffun P -> A}) (w : A * (A * A)).
Definition put3 K w := put e0 (put e1 (put e2 K w.2.2) w.2.1) w.1.
Definition get3 K := (K e0, (K e1, K e2)).
Lemma get_put3 K w : get3 (put3 K w) = w.
Proof.
rewrite /get3 /put3 /put !ffunE !eqxx ![_ == e0]eq_sym (negbTE ne01) (negbTE ne02) [e2 == e1]eq_sym (negbTE ne12).
by case: w => w [x y].
Qed.
Lemma put_get3 K : put3 K (get3 K) = K. Proof. by rewrite /put3 /= !put_id. Qed.
Lemma put3_put3 K u v : put3 (put3 K u) v = put3 K v.
Proof. by apply/ffunP => e; rewrite /put3 /put !ffunE; case: (e == e0) => //; case: (e == e1) => //; case: (e == e2). Qed.
Lemma put3_out K w e : e != e0 -> e != e1 -> e != e2 -> put3 K w e = K e.
Proof. by move=> n0 n1 n2; rewrite /put3 !put_out. Qed.
Lemma put3_0 K w : put3 K w e0 = w.1. Proof. by have := get_put3 K w; rewrite /get3 => /(congr1 fst). Qed.
Lemma put3_1 K w : put3 K w e1 = w.2.1. Proof. by have := get_put3 K w; rewrite /get3 => /(congr1 (fun v => v.2.1)). Qed.
Lemma put3_2 K w : put3 K w e2 = w.2.2. Proof. by have := get_put3 K w; rewrite /get3 => /(congr1 (fun v => v.2.2)). Qed.
End ThreePlaces.

(* Point 1: a collision does not see the words of units that are the same in both chunks. *)
Section Common.
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

(* d: no unit behind it differs. A ratio of stream i is decided by words of unit u. *)
Lemma collision_above d u i j x M M' : counts (size M) =1 counts (size M') ->
  (forall p, counts (size M) p -> d < p %/ 4 -> forall h, words_at M p h = words_at M' p h) ->
  2 * d + j < 2 * (u %% 32) + i ->
  unmoved (zs i u x false) (fun K => nh j K M == nh j K M').
Proof.
move=> same later lt K w; apply: collision_same => // p h k cp dp.
have le : p %/ 4 <= d by rewrite leqNgt; apply: contra dp => ltp; rewrite later.
have ne t : place j (p, k) != place i (pair u t, true).
  apply: place_ne; apply/orP; left; rewrite /level pair_unit /=; move: le lt; case: k; lia.
by rewrite put2_out //; exact: ne.
Qed.

(* One stream with a ratio, where the last unit that differs is so far below the last unit that no collision sees the word that decides
   the ratio: streams that collide may be below and above it. *)
Section Above.
Variables (Q : {set 'I_T}) (r : 'I_T) (a b : 'I_T -> nat) (H : nat) (M M' : seq byte) (p : 'I_pairs) (h : bool).
Hypothesis H0 : 0 < H.
Hypothesis a0 : forall i, 0 < a i.
Hypothesis b0 : forall i, 0 < b i.
Hypothesis ab : forall i, a i != b i.
Hypothesis s : size M <= C.
Hypothesis s' : size M' <= C.
Hypothesis same : counts (size M) =1 counts (size M').
Hypothesis later : forall q, counts (size M) q -> p %/ 4 < q %/ 4 -> forall k, words_at M q k = words_at M' q k.
Let v := (maxn (size M) (size M')).-1 %/ 32.
Hypothesis far : forall q, q \in Q -> 2 * (p %/ 4) + q < 2 * (v %% 32) + r.
Hypothesis bound : forall f : nh_key -> nat, (forall K K', elsewhere Q (fun i => place i (p, h)) K K' -> f K = f K') ->
  (\sum_(K | [forall (i | i \in Q), nh i K M == nh i K M']) f K) * N ^ #|Q| <= 2 ^ #|Q|.-1 * \sum_K f K.

Lemma ratio_above : #|[set K | [forall (i | i \in Q), nh i K M == nh i K M'] && (b r * nh r K M == a r * nh r K M')]| * N ^ (2 + #|Q|)
  <= 2 ^ #|Q|.-1 * ratio_bound N H * #|{: nh_key}|.
Proof.
pose x := p %% 4 %/ 2 == 0.
pose z (i : 'I_T) := zs i v x false; pose y (i : 'I_T) := cs i v x false.
pose kap (i : 'I_T) := @ratio_few N T byte zero elt a b H M M' i v x false.
pose ev (i : 'I_T) (K : nh_key) := b i * nh i K M == a i * nh i K M'.
pose D : pred nh_key := fun K => [forall (i | i \in Q), nh i K M == nh i K M'].
have zne i : (z i).1 != (z i).2 by exact: zs_ne.
have cne i : (y i).1 != (y i).2 by exact: cs_ne.
have st i K : #|[set w | ev i (put2 (z i).1 (z i).2 K w)]| <= kap_of y kap i K by apply: ratio_few_step.
have cnt t : counts (size M) (pair v t) || counts (size M') (pair v t).
  by rewrite /v /maxn; case: ltnP => _; rewrite top_counts ?orbT.
have me i : \sum_w kap i w <= ratio_bound N H * #|{: W}| ^ 2 by apply: ratio_few_sum.
have order : in_order z y ev [:: r] by split.
have apart : places_apart y [:: r] by split.
have un : unmoved (z r) D.
  move=> K w; apply: eq_forallb => j; case: (boolP (j \in Q)) => //= jQ.
  exact: (collision_above x same later (far jQ)).
have elim := eliminate zne st (D := D) (f := fun=> 1) order.
have {}elim : (\sum_(K | D K && ev r K) 1) * N ^ 2 <= \sum_(K | D K) kap_of y kap r K.
  have h1 := elim _; rewrite (card_W N1) /= muln1 in h1; apply: leq_trans (leq_trans (h1 _) _).
  - by rewrite leq_mul2r; apply/orP; right; apply: eq_leq; apply: eq_bigl => K; rewrite /= andbT.
  - by move=> i; rewrite inE => /eqP ->.
  - by apply: eq_leq; apply: eq_bigr => K _; rewrite big_seq1 mul1n.
have av : \sum_K kap_of y kap r K <= ratio_bound N H * #|{: nh_key}|.
  have := average z cne me apart; rewrite big_seq1; apply: leq_trans; apply: eq_leq; apply: eq_bigr => K _; by rewrite big_seq1.
have bnd : (\sum_(K | D K) kap_of y kap r K) * N ^ #|Q| <= 2 ^ #|Q|.-1 * \sum_K kap_of y kap r K.
  apply: bound => K K' else_; rewrite /kap_of /get2 !else_ // => q qQ; apply: place_ne; rewrite /= pair_chain chain_val; apply/orP; right;
    by apply/eqP => E; have := half_chain (esym E); rewrite -/x; case: (x).
have -> : #|[set K | [forall (i | i \in Q), nh i K M == nh i K M'] && (b r * nh r K M == a r * nh r K M')]| = \sum_(K | D K && ev r K) 1 by rewrite sum1dep_card.
rewrite expnD mulnA; apply: leq_trans (leq_mul elim (leqnn _)) (leq_trans bnd _).
by rewrite -mulnA leq_mul2l av orbT.
Qed.
End Above.

(* Point 2: a first word of the last unit differs. The last stream that collides goes first, by the second word of the key there. *)
Lemma first_word q p M M' (D : pred nh_key) : counts (size M) =1 counts (size M') -> counts (size M) p ->
  words_at M p false != words_at M' p false -> (forall K K', elsewhere [set q] (fun i => place i (p, true)) K K' -> D K = D K') ->
  #|[set K | D K && (nh q K M == nh q K M')]| * N <= #|[set K | D K]|.
Proof.
move=> same cp dp out; pose w (i : 'I_T) := place i (p, true).
have w_inj : injective w by move=> i j /place_eq [El _]; apply: val_inj; move: El; rewrite /level /= => /addnI.
pose A : pred nh_key := fun K => nh q K M == nh q K M'.
have := one_each N1 (Q := [set q]) (w := w) (bit := fun _ _ => true) (first := q) w_inj (set11 q) (A := A) (f := fun K => D K : nat).
rewrite cards1 expn1 expn0 mul1n => one.
have -> : #|[set K | D K && (nh q K M == nh q K M')]| = \sum_(K | A K) D K.
  by rewrite -sum1dep_card [RHS]big_mkcond [LHS]big_mkcond /=; apply: eq_bigr => K _; rewrite /A; case: (D K); case: (nh q K M == _).
have -> : #|[set K | D K]| = \sum_K D K.
  by rewrite -sum1dep_card big_mkcond /=; apply: eq_bigr => K _; case: (D K).
apply: one => [K K' e|x y i Ax Ay else_]; first by rewrite (out K K' e).
rewrite inE => /eqP -> _ _.
have xy ph : ph != (p, true) -> x (place q ph) = y (place q ph).
  by move=> n; apply: else_ => j; rewrite inE => /eqP ->; apply: (contra _ n) => /eqP /place_inj ->.
have meets (K : nh_key) : A K ->
    (product_at zero elt (shifted K q) M p - product_at zero elt (shifted K q) M' p
     = - (\sum_(t | counts (size M) t && (t != p)) (product_at zero elt (shifted K q) M t - product_at zero elt (shifted K q) M' t)
          + ((8 * size M)%:R - (8 * size M')%:R)))%R.
  rewrite /A -subr_eq0 /Shift.nh /level1 -(eq_bigl _ _ same) (bigD1 p cp).
  rewrite [X in (_ - (X + _))%R](bigD1 p cp) /= => /eqP E; apply/eqP; rewrite -addr_eq0; apply/eqP; rewrite -[RHS]E sumrB.
  exact: regroup.
have sums : (product_at zero elt (shifted x q) M p - product_at zero elt (shifted x q) M' p
    = product_at zero elt (shifted y q) M p - product_at zero elt (shifted y q) M' p)%R.
  rewrite (meets x Ax) (meets y Ay); congr (- (_ + _))%R; apply: eq_bigr => t /andP [ct tp].
  have n k : (t, k) != (p, true) by apply: (contra _ tp) => /eqP [->] _.
  by rewrite /product_at !ffunE !xy.
have Ex : x (place q (p, false)) = y (place q (p, false)) by apply: xy; rewrite xpair_eqE andbF.
have nc : (x (place q (p, false)) + words_at M p false)%R != (x (place q (p, false)) + words_at M' p false)%R.
  by apply: contra dp => /eqP /addrI ->.
have /card_le1_eqP at_one := unsigned_clause N1 (words_at M p true) (words_at M' p true)
  (product_at zero elt (shifted y q) M p - product_at zero elt (shifted y q) M' p)%R nc.
apply: at_one; rewrite inE; first by apply/eqP; rewrite Ex /product_at !ffunE.
by apply/eqP; rewrite -sums /product_at !ffunE.
Qed.

(* Streams before q do not see that word. *)
Lemma below_word (q j : 'I_T) (p : 'I_pairs) M K K' : j < q -> size M <= C -> top (size M) <= p %/ 4 ->
  elsewhere [set q] (fun i => place i (p, true)) K K' -> nh j K M = nh j K' M.
Proof.
move=> lt s le else_; apply: nh_same => -[t k] /= ct; apply: else_ => i; rewrite inE => /eqP ->.
apply: place_ne; apply/orP; left; rewrite /level /=; have := counts_top s ct; move: lt le; case: k; lia.
Qed.

(* Only second words of the last unit differ there: the ratio of stream r and the collision of the next stream have the same words. *)
Section Three.
Variables (q r s : 'I_T) (a b H : nat) (M M' : seq byte) (p : 'I_pairs).
Hypotheses (H0 : 0 < H) (a0 : 0 < a) (b0 : 0 < b) (ab : a != b).
Hypotheses (qr : q < r) (rs : s = r.+1 :> nat).
Hypothesis same : counts (size M) =1 counts (size M').
Hypothesis cp : counts (size M) p.
Hypothesis last : forall t, counts (size M) t -> t %/ 4 <= p %/ 4.
Hypothesis dp : words_at M p true != words_at M' p true.
Hypothesis firsts : forall t, counts (size M) t -> t %/ 4 = p %/ 4 -> words_at M t false = words_at M' t false.

Definition other k := pair (p %/ 4) (chain (p %% 4 %/ 2 == 0) k).
Lemma other_unit k : other k %/ 4 = p %/ 4.
Proof. by rewrite pair_unit modn_small //; have := ltn_ord p; rewrite {2}/pairs; lia. Qed.
Lemma other_p k : other k != p.
Proof. by apply/negP => /eqP /(congr1 (fun t : 'I_pairs => t %% 4 %/ 2)); rewrite pair_chain chain_val; have := ltn_pmod p (isT : 0 < 4); case: k; case: eqP => /=; lia. Qed.
Lemma others : other false != other true. Proof. exact: chains_ne. Qed.
Lemma other_counts k : counts (size M) (other k). Proof. by move: cp; rewrite /counts other_unit. Qed.
Lemma place_next t : place r (t, true) = place s (t, false).
Proof. by rewrite /place; congr (_, _); apply: val_inj; rewrite /level /= rs; lia. Qed.

Local Notation e0 := (place s (p, false)).
Local Notation e1 := (place s (other false, false)).
Local Notation e2 := (place s (other true, false)).
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
rewrite -!addrA; congr (_ + (_ + (_ + (_ + _))))%R; by apply: eq_bigl => t; rewrite -!andbA.
Qed.
Lemma out_s K w t : put3 K w (place s (t, true)) = K (place s (t, true)).
Proof. by apply: put3_out; apply/negP => /eqP /place_inj []. Qed.
Lemma out_r K w t : put3 K w (place r (t, false)) = K (place r (t, false)).
Proof. by apply: put3_out; rewrite -place_next; apply/negP => /eqP /place_inj []. Qed.
Lemma out_rest K w t h : t != p -> t != other false -> t != other true -> put3 K w (place s (t, h)) = K (place s (t, h)) /\ put3 K w (place r (t, h)) = K (place r (t, h)).
Proof.
have no i (u : 'I_pairs) k k' : t != u -> place i (t, k) != place i (u, k').
  by move=> n; apply: contra n => /eqP /place_inj /(congr1 fst) E; apply/eqP.
move=> n0 n1 n2; split; first by apply: put3_out; exact: no.
by apply: put3_out; rewrite -place_next; exact: no.
Qed.
Lemma product_form i K M0 t : product_at zero elt (shifted K i) M0 t
  = unsigned (K (place i (t, false)) + words_at M0 t false)%R (K (place i (t, true)) + words_at M0 t true)%R.
Proof. by rewrite /product_at !ffunE. Qed.
Lemma rest3_s K w M0 : rest3 s (put3 K w) M0 = rest3 s K M0.
Proof.
congr (_ + _)%R; apply: eq_bigr => t /and4P [_ n0 n1 n2]; rewrite !product_form.
by have [-> _] := out_rest K w false n0 n1 n2; have [-> _] := out_rest K w true n0 n1 n2.
Qed.
Lemma rest3_r K w M0 : rest3 r (put3 K w) M0 = rest3 r K M0.
Proof.
congr (_ + _)%R; apply: eq_bigr => t /and4P [_ n0 n1 n2]; rewrite !product_form.
by have [_ ->] := out_rest K w false n0 n1 n2; have [_ ->] := out_rest K w true n0 n1 n2.
Qed.

Lemma unsigned_difference (x y z : W) : (unsigned x y - unsigned x z = (((y : nat)%:Z - (z : nat)%:Z) * (x : nat)%:Z)%:~R :> V)%R.
Proof. by rewrite mulrBl mulrzBr -!PoszM -!pmulrn /unsigned ![x * _]mulnC. Qed.

Definition moved K t : int := (((K (place s (t, true)) + words_at M t true)%R : nat)%:Z - ((K (place s (t, true)) + words_at M' t true)%R : nat)%:Z)%R.
Definition first_of K M0 t : nat := (K (place r (t, false)) + words_at M0 t false)%R.
Definition slope_at K t : int := slope a b (first_of K M t) (first_of K M' t).
Definition kap3 K := few_points N H (64 * 96) (moved K p * slope_at K (other false) - slope_at K p * moved K (other false),
  moved K p * slope_at K (other true) - slope_at K p * moved K (other true))%R.

Lemma moved_p K : moved K p != 0%R.
Proof. by rewrite subr_eq0; apply: contra dp => /eqP [E]; apply/eqP; apply: (@addrI _ (K (place s (p, true)))); exact: val_inj. Qed.
Lemma moved_lt K t : (`|moved K t| < N%:Z)%R.
Proof. by apply: gap; exact: word_lt. Qed.

Lemma collision_lin K w : nh s (put3 K w) M == nh s (put3 K w) M' ->
  ((lin (words_at M p false) (words_at M (other false) false) (words_at M (other true) false) (moved K p) (moved K (other false)) (moved K (other true)) w)%:~R
    == rest3 s K M' - rest3 s K M :> V)%R.
Proof.
have at_ t x : counts (size M) t -> t %/ 4 = p %/ 4 -> put3 K w (place s (t, false)) = x ->
    (product_at zero elt (shifted (put3 K w) s) M t - product_at zero elt (shifted (put3 K w) s) M' t = (moved K t * ((x + words_at M t false)%R : nat)%:Z)%:~R :> V)%R.
  move=> ct ut Ex; rewrite !product_form !out_s Ex -(firsts ct ut); exact: unsigned_difference.
have h0 := at_ p _ cp erefl (put3_0 ne01 ne02 ne12 K w).
have h1 := at_ _ _ (other_counts false) (other_unit false) (put3_1 ne01 ne02 ne12 K w).
have h2 := at_ _ _ (other_counts true) (other_unit true) (put3_2 ne01 ne02 ne12 K w).
rewrite (nh_three _ _ (fun _ => erefl)) (nh_three _ _ (fsym same)) !rest3_s /lin !mulrzDl -h0 -h1 -h2 => /eqP E; apply/eqP.
move: E; set x0 := product_at _ _ _ _ _; set x1 := product_at _ _ _ _ _; set x2 := product_at _ _ _ _ _; set y0 := product_at _ _ _ _ _.
set y1 := product_at _ _ _ _ _; set y2 := product_at _ _ _ _ _; set k := rest3 _ _ _; set k' := rest3 _ _ _ => E.
have -> : (x0 - y0 + (x1 - y1) + (x2 - y2) = (x0 + (x1 + (x2 + k))) - (y0 + (y1 + (y2 + k'))) + (k' - k) :> V)%R by ring.
by rewrite E subrr add0r.
Qed.

Lemma hash_three K w M0 : counts (size M0) =1 counts (size M) -> (nh r (put3 K w) M0 : nat)
  = hash3 (first_of K M0 p) (first_of K M0 (other false)) (first_of K M0 (other true)) (words_at M0 p true) (words_at M0 (other false) true) (words_at M0 (other true) true)
      (rest3 r K M0) w.
Proof.
move=> eqc; have N2 : 1 < N * N by rewrite (leq_trans N1) // leq_pmulr // ltnW.
have at_ t x : put3 K w (place s (t, false)) = x ->
    (product_at zero elt (shifted (put3 K w) r) M0 t = (first_of K M0 t * (x + words_at M0 t true)%R)%N%:R :> V)%R.
  by move=> Ex; rewrite product_form out_r place_next Ex.
rewrite (nh_three _ _ eqc) rest3_r (at_ _ _ (put3_0 ne01 ne02 ne12 K w)) (at_ _ _ (put3_1 ne01 ne02 ne12 K w)) (at_ _ _ (put3_2 ne01 ne02 ne12 K w)) /hash3 /sum3.
have sum (x y z : nat) (v : V) : (x%:R + (y%:R + (z%:R + v)) = (x + y + z + v)%N%:R :> V)%R by rewrite !natrD natr_Zp !addrA.
by rewrite sum val_Zp_nat.
Qed.

Lemma three_step K : #|[set w | (nh s (put3 K w) M == nh s (put3 K w) M') && (b * nh r (put3 K w) M == a * nh r (put3 K w) M')]| <= kap3 K.
Proof.
have N2 : 1 < N * N by rewrite (leq_trans N1) // leq_pmulr // ltnW.
have lt (v : V) : v < N * N by rewrite -[X in _ < X](Zp_cast N2) ltn_ord.
have lf M0 t : first_of K M0 t < N by exact: word_lt.
apply: leq_trans (count_three a b N1 H0 (words_at M p true) (words_at M (other false) true) (words_at M (other true) true)
  (words_at M' p true) (words_at M' (other false) true) (words_at M' (other true) true) (words_at M p false) (words_at M (other false) false) (words_at M (other true) false)
  (rest3 s K M' - rest3 s K M)%R (lf M p) (lf M (other false)) (lf M (other true)) (lf M' p) (lf M' (other false)) (lf M' (other true))
  (lt (rest3 r K M)) (lt (rest3 r K M')) (moved_lt K p) (moved_lt K (other false)) (moved_lt K (other true)) (moved_p K)).
apply/subset_leq_card/subsetP => w; rewrite !inE => /andP [/collision_lin ->]; rewrite !hash_three //.
Qed.

(* Together over the first words of the two other pairs of stream r, which only the ratio's slopes have. *)
Lemma few_slopes (t : 'I_pairs) (k v : int) K : counts (size M) t -> k != 0%R ->
  #|[set x | ((moved K p * slope_of a b true (words_at M t false) true (words_at M' t false) x - slope_at K p * moved K t) * k)%R == v]| <= 4.
Proof.
move=> ct k0; have mk : (moved K p * k)%R != 0%R by rewrite mulf_neq0 ?moved_p.
apply: leq_trans (slope_multiple N1 H0 a0 b0 ab (words_at M t false) (words_at M' t false) (v + slope_at K p * moved K t * k)%R (isT : true || true) mk).
apply/subset_leq_card/subsetP => x; rewrite !inE => /eqP <-; apply/eqP; ring.
Qed.

Local Notation c1 := (place r (other false, false)).
Local Notation c2 := (place r (other true, false)).
Lemma c_ne : c1 != c2. Proof. by apply: contra others => /eqP /place_inj /(congr1 fst) E; apply/eqP. Qed.
Lemma c_first t K w : t != other false -> t != other true -> put2 c1 c2 K w (place r (t, false)) = K (place r (t, false)).
Proof. by move=> n1 n2; apply: put2_out; [apply: contra n1 | apply: contra n2] => /eqP /place_inj /(congr1 fst) E; apply/eqP. Qed.
Lemma c_second (t : 'I_pairs) K w : t %/ 4 = p %/ 4 -> put2 c1 c2 K w (place s (t, true)) = K (place s (t, true)).
Proof.
move=> ut; have ne k : place s (t, true) != place r (other k, false).
  by apply: place_ne; apply/orP; left; have E := other_unit k; rewrite /level /= in E *; rewrite E ut rs; lia.
by apply: put2_out; exact: ne.
Qed.

Lemma moved_put (t : 'I_pairs) K w : t %/ 4 = p %/ 4 -> moved (put2 c1 c2 K w) t = moved K t.
Proof. by move=> ut; rewrite /moved (c_second K w ut). Qed.
Lemma slope_put K w : slope_at (put2 c1 c2 K w) p = slope_at K p.
Proof.
have n k : p != other k by rewrite eq_sym; exact: other_p.
by rewrite /slope_at /first_of (c_first K w (n false) (n true)).
Qed.
Lemma slope_word K t x : K (place r (t, false)) = x -> slope_at K t = slope_of a b true (words_at M t false) true (words_at M' t false) x.
Proof. by move=> <-. Qed.

Lemma kap3_put K w : kap3 (put2 c1 c2 K w) = few_points N H (64 * 96)
  (moved K p * slope_of a b true (words_at M (other false) false) true (words_at M' (other false) false) w.1 - slope_at K p * moved K (other false),
   moved K p * slope_of a b true (words_at M (other true) false) true (words_at M' (other true) false) w.2 - slope_at K p * moved K (other true))%R.
Proof.
have e1 : put2 c1 c2 K w c1 = w.1 by have := get2_put2 c_ne K w; rewrite /get2 => /(congr1 fst).
have e2 : put2 c1 c2 K w c2 = w.2 by have := get2_put2 c_ne K w; rewrite /get2 => /(congr1 snd).
have m0 := moved_put K w (erefl (p %/ 4)); have m1 := moved_put K w (other_unit false); have m2 := moved_put K w (other_unit true).
by rewrite /kap3 m0 m1 m2 (slope_put K w) (slope_word e1) (slope_word e2).
Qed.

Definition three_bound := 64 * 96 * (4 * 4 + 1 + N %/ H + 6 * 4 * H).
Lemma sum_kap3 : \sum_K kap3 K <= three_bound * #|{: nh_key}|.
Proof.
have N0 : 0 < N by exact: ltnW.
rewrite -(leq_pmul2r (_ : 0 < #|{: W * W}|)) ?card_prod ?card_W ?muln_gt0 ?N0 //.
apply: (@leq_trans (\sum_(K : nh_key) three_bound * N ^ 2)); last first.
  by rewrite sum_nat_const -mulnn; apply: eq_leq; move: three_bound #|_| => x y; lia.
have <- : #|{: W * W}| = N * N by rewrite card_prod card_W.
apply: (weigh (A := xpredT) (@get2_put2 _ _ _ _ c_ne) (@put2_get2 _ _ _ _) (@put2_put2 _ _ _ _)) => K.
rewrite (eq_bigr _ (fun w _ => kap3_put K w)).
exact: (sum_lines (64 * 96) N1 H0 (fun k v => @few_slopes (other false) k v K (other_counts false)) (fun k v => @few_slopes (other true) k v K (other_counts true))).
Qed.

(* The collision of a stream below does not see those words, but for them it is as likely as it is by itself. *)
Lemma second_words : 8 * C < N * N -> (forall t, counts (size M) t -> p %/ 4 < t %/ 4 -> forall k, words_at M t k = words_at M' t k) ->
  #|[set K | (nh q K M == nh q K M') && ((nh s K M == nh s K M') && (b * nh r K M == a * nh r K M'))]| * N ^ 4 <= three_bound * #|{: nh_key}|.
Proof.
move=> lengths later; pose D : pred nh_key := fun K => nh q K M == nh q K M'.
have stay K w : nh q (put3 K w) M = nh q K M /\ nh q (put3 K w) M' = nh q K M'.
  have ne (t u : 'I_pairs) k : t %/ 4 <= p %/ 4 -> u %/ 4 = p %/ 4 -> place q (t, k) != place s (u, false).
    by move=> le Eu; apply: place_ne; apply/orP; left; rewrite /level /= Eu rs; move: le qr; case: k; lia.
  have out t k : counts (size M) t -> put3 K w (place q (t, k)) = K (place q (t, k)).
    by move=> ct; have le := last ct; apply: put3_out; [exact: ne le erefl | exact: ne le (other_unit false) | exact: ne le (other_unit true)].
  by split; apply: nh_same => -[t k] /= ct; apply: out => //; rewrite same.
have three : (\sum_(K | (nh q K M == nh q K M') && ((nh s K M == nh s K M') && (b * nh r K M == a * nh r K M'))) 1) * #|{: W * (W * W)}| <= \sum_K D K * kap3 K.
  apply: (weigh (get_put3 ne01 ne02 ne12) (put_get3 _ _ _) (put3_put3 _ _ _)) => K; have st w := stay K w.
  rewrite (eq_bigl (fun w => D K && ((nh s (put3 K w) M == nh s (put3 K w) M') && (b * nh r (put3 K w) M == a * nh r (put3 K w) M')))); last first.
    by move=> w; have [-> ->] := st w.
  case: (D K); last by rewrite big_pred0.
  rewrite mul1n sum1_card; apply: leq_trans (three_step K); by apply/subset_leq_card/subsetP => w; rewrite inE.
have dep : \sum_K D K * kap3 K = \sum_(K | [forall (i | i \in [set q]), nh i K M == nh i K M']) kap3 K.
  rewrite [RHS]big_mkcond /=; apply: eq_bigr => K _; rewrite (_ : [forall (i | _), _] = D K); first by case: (D K); rewrite ?mul1n ?mul0n.
  by apply/forall_inP/idP => [h|h i]; [apply: h; rewrite inE | rewrite inE => /eqP ->].
have below_ : (\sum_K D K * kap3 K) * N <= \sum_K kap3 K.
  rewrite dep; have := collisions_at N1 lengths (Q := [set q]) (first := q) (f := kap3) (p := p) (h := false) same cp later dp _ (set11 q).
  rewrite cards1 expn1 expn0 mul1n; apply.
  - by rewrite /=; apply/eqP; exact: firsts.
  - by move=> i; rewrite inE => /eqP ->.
  move=> K K' else_; have e i (t : 'I_pairs) (k : bool) : (k + i != q) -> t %/ 4 = p %/ 4 -> K (place i (t, k)) = K' (place i (t, k)).
    move=> n ut; apply: else_ => j; rewrite inE => /eqP ->; apply: place_ne; apply/orP; left; rewrite /level /= ut.
    by move: n; case: k; lia.
  have mv (t : 'I_pairs) : t %/ 4 = p %/ 4 -> moved K t = moved K' t by move=> ut; rewrite /moved (e s t true) // rs; move: qr; lia.
  have sl (t : 'I_pairs) : t %/ 4 = p %/ 4 -> slope_at K t = slope_at K' t by move=> ut; rewrite /slope_at /first_of (e r t false) //; move: qr; lia.
  by rewrite /kap3 (mv p erefl) (mv _ (other_unit false)) (mv _ (other_unit true)) (sl p erefl) (sl _ (other_unit false)) (sl _ (other_unit true)).
rewrite -sum1dep_card expnSr mulnA; apply: leq_trans (leq_mul _ (leqnn N)) (leq_trans below_ sum_kap3).
by apply: leq_trans three; rewrite !card_prod !card_W // !expnS expn0 muln1.
Qed.
End Three.

Hypothesis elt_inj : forall s s', size s = 4 -> size s' = 4 -> elt s = elt s' -> s = s'.
Hypothesis lengths : 8 * C < N * N.
Lemma top_collision (Q R : {set 'I_T}) (q : 'I_T) H a b (p : 'I_pairs) M M' : 0 < H -> [disjoint Q & R] -> (forall i, [/\ 0 < a i, 0 < b i & a i != b i]) ->
  (forall r, r \in R -> (forall j, j \in Q -> j < r) \/ (forall j, j \in Q -> r < j)) -> (forall j, j \in Q :|: R -> j < q) ->
  M != M' -> size M <= C -> size M' <= C -> counts (size M) =1 counts (size M') -> counts (size M) p ->
  top (size M) <= p %/ 4 -> top (size M') <= p %/ 4 -> words_at M p false != words_at M' p false ->
  #|[set K | [forall (i | i \in Q), nh i K M == nh i K M'] && [forall (i | i \in R), b i * nh i K M == a i * nh i K M']
      && (nh q K M == nh q K M')]| * N * (N ^ 2) ^ (#|Q| + #|R|)
  <= 2 ^ #|Q|.-1 * (N + 1) ^ #|Q| * ratio_bound N H ^ #|R| * #|{: nh_key}|.
Proof.
move=> H0 QR ab out lt ne s s' same cp le le' dp.
apply: leq_trans (nh_together N1 zero elt_inj lengths H0 QR ab out ne s s'); rewrite leq_mul2r; apply/orP; right.
apply: (first_word (D := fun K => _ && _) same cp dp) => K K' else_.
have e j : j \in Q :|: R -> nh j K M = nh j K' M /\ nh j K M' = nh j K' M'.
  by move=> jS; split; apply: below_word else_ => //; exact: lt.
have same_at j : j \in Q :|: R -> (nh j K M == nh j K M') = (nh j K' M == nh j K' M') /\
    (b j * nh j K M == a j * nh j K M') = (b j * nh j K' M == a j * nh j K' M').
  by move=> jS; have [E E'] := e j jS; rewrite E E'.
congr (_ && _); apply: eq_forallb => j.
  by case: (boolP (j \in Q)) => // jQ; rewrite !implyTb; apply: (proj1 (same_at j _)); rewrite inE jQ.
by case: (boolP (j \in R)) => // jR; rewrite !implyTb; apply: (proj2 (same_at j _)); rewrite inE jR orbT.
Qed.

(* A stream r that has a ratio, between two that collide, s the next one. *)
Lemma as_events (q r s : 'I_T) (A : pred 'I_T) (B : 'I_T -> bool) : [forall (i | i \in [set q; s]), A i] && [forall (i | i \in [set r]), B i] = A q && (A s && B r).
Proof.
apply/andP/and3P => [[/forall_inP hA /forall_inP hB]|[Aq As Br]]; first by split; [apply: hA | apply: hA | apply: hB]; rewrite !inE eqxx ?orbT.
by split; apply/forall_inP => i; rewrite !inE; [case/orP => /eqP -> | move=> /eqP ->].
Qed.
Lemma enough_labels H : 2040 <= N %/ H + 24 * H -> three_bound H <= 43 * ratio_bound N H.
Proof. by rewrite /three_bound /ratio_bound; move: (N %/ H) => x; lia. Qed.
Lemma widen (c k x y n4 n2 m2 : nat) : c * n4 <= x * k -> x <= 2 * y -> n2 <= m2 -> c * (n4 * n2) <= 2 * m2 * y * k.
Proof. by move=> h lex le; rewrite mulnA; have := leq_mul (leq_trans h (leq_mul lex (leqnn k))) le; lia. Qed.

Lemma far_below (d v i j : nat) : d < v -> i < j -> 2 * d + i < 2 * v + j. Proof. by lia. Qed.
Lemma far_next (d v j : nat) : d < v -> 2 * d + j.+1 < 2 * v + j. Proof. by lia. Qed.
Lemma twice x : 2 * x <= 2 * (43 * x). Proof. by lia. Qed.
Lemma six n c : n * (c * n * (n ^ 2) ^ (1 + 1)) = c * n ^ 6. Proof. by rewrite -expnM !expnS expn0; lia. Qed.
Lemma more_top n x k : n * ((n + 1) * x * k) <= 2 * (n + 1) ^ 2 * (43 * x) * k.
Proof.
by rewrite !mulnA leq_mul2r; apply/orP; right; rewrite leq_mul2r; apply/orP; right; nia.
Qed.
Lemma more_fresh y x : y * x <= 2 * y * (43 * x). Proof. by nia. Qed.

Section Between.
Variables (q r s : 'I_T) (H : nat).
Hypotheses (H0 : 0 < H) (qr : q < r) (rs : s = r.+1 :> nat) (enough : 2040 <= N %/ H + 24 * H).
Definition between_event (a b : 'I_T -> nat) M M' : pred nh_key := fun K =>
  (nh q K M == nh q K M') && ((nh s K M == nh s K M') && (b r * nh r K M == a r * nh r K M')).
Local Notation most := (2 * (N + 1) ^ 2 * (43 * ratio_bound N H)).
Lemma between_same a b M M' : (forall i, [/\ 0 < a i, 0 < b i & a i != b i]) -> M != M' -> size M <= C -> size M' <= C -> counts (size M) =1 counts (size M') ->
  size M <= size M' -> #|[set K | between_event a b M M' K]| * N ^ 6 <= most * #|{: nh_key}|.
Proof.
move=> abP ne sz sz' same le; set c := #|[set K | _]|; set k := #|_|; have [a0 b0 ab] : [/\ forall i, 0 < a i, forall i, 0 < b i & forall i, a i != b i].
  by split=> i; have [] := abP i.
have by_four x : c * N ^ 4 <= x * k -> x <= 2 * (43 * ratio_bound N H) -> c * N ^ 6 <= most * k.
  by move=> h lex; rewrite -[6]/(4 + 2) expnD; apply: widen h lex _; rewrite leq_exp2r // leq_addr.
case: (last_unit zero elt M M') => [words|[p [h [cp later dp case_h]]]].
  rewrite /c (_ : [set K | _] = set0) ?cards0 //; apply/setP => K; rewrite !inE /between_event.
  by rewrite (negbTE (same_words N1 elt_inj lengths ne sz sz' same words q K)).
pose v := (maxn (size M) (size M')).-1 %/ 32.
have le1 : maxn (size M) (size M') <= C by rewrite geq_max sz sz'.
have topv M0 : size M0 <= maxn (size M) (size M') -> top (size M0) <= v %% 32 by move=> le0; exact: (top_le le0 le1).
have qs : q != s by rewrite -val_eqE /= rs neq_ltn ltnS (ltnW qr).
have eqv K : between_event a b M M' K = [forall (i | i \in [set q; s]), nh i K M == nh i K M'] && (b r * nh r K M == a r * nh r K M').
  have := as_events q r s (fun i => nh i K M == nh i K M') (fun i => b i * nh i K M == a i * nh i K M').
  rewrite /between_event => <-; congr (_ && _); apply/forall_inP/idP => [all|hr i]; first by apply: all; rewrite inE.
  by rewrite inE => /eqP ->.
have case_h' : h || (words_at M p h == words_at M' p h) by move: case_h; case: (h) => //= /forall_inP; apply; rewrite eqxx cp.
case: (ltnP (p %/ 4) (v %% 32)) => [lower|upper].
  apply: (by_four (2 * ratio_bound N H)); last exact: twice.
  have least i : i \in [set q; s] -> q <= i by rewrite !inE => /orP [/eqP ->|/eqP ->] //; rewrite rs leqW // ltnW.
  have qQ : q \in [set q; s] by rewrite !inE eqxx.
  have bnd f := collisions_at N1 lengths (f := f) same cp later dp case_h' qQ least.
  have far i : i \in [set q; s] -> 2 * (p %/ 4) + i < 2 * (v %% 32) + r.
    by rewrite !inE => /orP [/eqP ->|/eqP ->]; [exact: far_below | rewrite rs; exact: far_next].
  have := ratio_above H0 a0 b0 ab sz sz' same later far bnd; rewrite cards2 qs /= expn1.
  rewrite (_ : [set K | _ && _] = [set K | between_event a b M M' K]) //; by apply/setP => K; rewrite !inE eqv.
have ptop M0 : size M0 <= maxn (size M) (size M') -> top (size M0) <= p %/ 4 by move=> le0; exact: leq_trans (topv _ le0) upper.
have last t : counts (size M) t -> t %/ 4 <= p %/ 4 by move=> ct; exact: leq_trans (counts_top sz ct) (ptop _ (leq_maxl _ _)).
case: h dp case_h {case_h'} => dp case_h.
  have QR : [disjoint [set q] & [set r]] by rewrite disjoints1 inE; apply/negP => /eqP E; move: qr; rewrite E ltnn.
  have out i : i \in [set r] -> (forall j, j \in [set q] -> j < i) \/ (forall j, j \in [set q] -> i < j).
    by rewrite inE => /eqP ->; left => j; rewrite inE => /eqP ->.
  have low j : j \in [set q] :|: [set r] -> j < s by rewrite !inE => /orP [/eqP ->|/eqP ->]; rewrite rs ltnS // ltnW.
  have := top_collision H0 QR abP out low ne sz sz' same cp (ptop _ (leq_maxl _ _)) (ptop _ (leq_maxr _ _)) dp.
  rewrite !cards1 /= expn0 mul1n !expn1.
  have -> : [set K | [forall (i | i \in [set q]), nh i K M == nh i K M'] && [forall (i | i \in [set r]), b i * nh i K M == a i * nh i K M'] && (nh s K M == nh s K M')]
      = [set K | between_event a b M M' K].
    apply/setP => K; rewrite !inE /between_event [(nh s K M == _) && _]andbC andbA; congr (_ && _); congr (_ && _).
      by apply/forall_inP/idP => [all|h i]; [apply: all; rewrite inE | rewrite inE => /eqP ->].
    by apply/forall_inP/idP => [all|h i]; [apply: all; rewrite inE | rewrite inE => /eqP ->].
  by rewrite -/c -/k => h; rewrite -six; exact: leq_trans (leq_mul (leqnn N) h) (more_top _ _ _).
have firsts t : counts (size M) t -> t %/ 4 = p %/ 4 -> words_at M t false = words_at M' t false.
  by move=> ct ut; apply/eqP; move: case_h => /= /forall_inP; apply; rewrite ut eqxx ct.
apply: by_four (second_words H0 (a0 r) (b0 r) (ab r) qr rs same cp last dp firsts lengths later) _.
by apply: leq_trans (enough_labels enough) _; rewrite leq_pmull.
Qed.

Lemma between a b M M' : (forall i, [/\ 0 < a i, 0 < b i & a i != b i]) -> M != M' -> size M <= C -> size M' <= C ->
  #|[set K | between_event a b M M' K]| * N ^ 6 <= most * #|{: nh_key}|.
Proof.
wlog le : M M' a b / size M <= size M'.
  move=> sym abP ne sz sz'; case: (leqP (size M) (size M')) => [le|/ltnW le]; first exact: sym.
  rewrite eq_sym in ne; apply: leq_trans (sym M' M b a le _ ne sz' sz); last by move=> i; have [? ? n] := abP i; rewrite eq_sym.
  rewrite leq_mul2r; apply/orP; right; apply: eq_leq; apply: eq_card => K.
  by rewrite !inE /between_event [nh q K M == _]eq_sym [nh s K M == _]eq_sym [b r * _ == _]eq_sym.
move=> abP ne sz sz'; case: (counts_cases le sz') => [same|one]; first exact: between_same.
have [a0 b0 ab] : [/\ forall i, 0 < a i, forall i, 0 < b i & forall i, a i != b i] by split=> i; have [] := abP i.
have qs : q != s by rewrite -val_eqE /= rs neq_ltn ltnS (ltnW qr).
have QR : [disjoint [set q; s] & [set r]].
  rewrite disjoint_sym disjoints1 !inE negb_or; apply/andP; split; apply/negP => /eqP E; first by move: qr; rewrite E ltnn.
  by have := congr1 val E; rewrite /= rs => /n_Sn.
have := fresh_streams N1 zero elt lengths H0 a0 b0 ab QR le sz' one; rewrite cards2 qs cards1 /= expn1 (_ : 2 * (2 + 1) = 6) // => h.
have -> : #|[set K | between_event a b M M' K]| = #|[set K | collide zero elt [set q; s] M M' K && ratios zero elt [set r] a b M M' K]|.
  by apply: eq_card => K; rewrite !inE /collide /ratios as_events.
apply: leq_trans h _; rewrite leq_mul2r; apply/orP; right; exact: more_fresh.
Qed.
End Between.
End Common.
