(* Three words of a key that meet two equations, each linear in them but for what passes N: one decides the third word, the other is then a
   line. Their coefficients are those of a collision and of a ratio of NH (Between.v). *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import zify ring.
Require Import Counting NH Toeplitz Lines NhRatio Shift.
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

(* A word, and the sums of it with two others: how many of them pass N says which. *)
Section CountThree.
Variables (N a b H : nat).
Hypothesis N1 : 1 < N.
Hypothesis H0 : 0 < H.
Local Notation W := 'Z_N.
Local Notation V := 'Z_(N * N).
Definition wraps (z m m' : W) : nat := (N <= z + m) + (N <= z + m').
Lemma wraps_lt z m m' : wraps z m m' < 3. Proof. by rewrite /wraps; case: (N <= z + m); case: (N <= z + m'). Qed.
Lemma same_wraps z y m m' : wraps z m m' = wraps y m m' -> (N <= z + m) = (N <= y + m) /\ (N <= z + m') = (N <= y + m').
Proof.
rewrite /wraps; move: (z : nat) (y : nat) (m : nat) (m' : nat) => {}z {}y {}m {}m'.
by case: (leqP N (z + m)); case: (leqP N (z + m')); case: (leqP N (y + m)); case: (leqP N (y + m')) => //; lia.
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

Variables (f0 f1 f2 f0' f1' f2' c c' : nat) (m0 m1 m2 m0' m1' m2' : W) (s a1 a2 : int) (d : V).
Hypotheses (l0 : f0 < N) (l1 : f1 < N) (l2 : f2 < N) (l0' : f0' < N) (l1' : f1' < N) (l2' : f2' < N) (lc : c < N * N) (lc' : c' < N * N).
Hypotheses (ls : (`|s| < N%:Z)%R) (la1 : (`|a1| < N%:Z)%R) (la2 : (`|a2| < N%:Z)%R) (s0 : s != 0%R).
Definition lin (u : W * (W * W)) : int := (s * (u.1 : nat)%:Z + a1 * (u.2.1 : nat)%:Z + a2 * (u.2.2 : nat)%:Z)%R.
(* What makes a multiple of a word no less than 0. *)
Definition lift (t : int) : nat := if (t < 0)%R then `|t|%N * N else 0.
Lemma lift_lt (t : int) (w : W) : (`|t| < N%:Z)%R -> (0 <= t * (w : nat)%:Z + (lift t)%:Z < (N * N)%:Z)%R.
Proof.
have := word_lt N1 w; move: (w : nat) => x lx; rewrite /lift; case: t => n lt /=.
  have {}lt : n < N by move: lt; lia.
  by rewrite -!PoszM; have := leq_mul (leqnn N) lt; nia.
rewrite NegzE in lt *; have {}lt : n.+1 < N by move: lt; lia.
by have := leq_mul lt (leqnn N); have := leq_mul (leqnn n.+1) (ltnW lx); nia.
Qed.
Local Notation up := (lift s + lift a1 + lift a2).
Lemma lin_lt u : (0 <= lin u + up%:Z < (3 * (N * N))%:Z)%R.
Proof.
rewrite /lin; have := lift_lt u.1 ls; have := lift_lt u.2.1 la1; have := lift_lt u.2.2 la2.
set x := (s * _)%R; set y := (a1 * _)%R; set z := (a2 * _)%R; move: (N * N) (lift s) (lift a1) (lift a2) => NN i j k; lia.
Qed.
Lemma lin_label u : `|(lin u + up%:Z)%R|%N %/ (N * N) < 3.
Proof.
rewrite ltn_divLR ?muln_gt0 ?(ltnW N1) //; have := lin_lt u; move: (lin u) (N * N) up => x NN y; lia.
Qed.

Definition hash3 f0 f1 f2 m0 m1 m2 c u := sum3 f0 f1 f2 m0 m1 m2 c u %% (N * N).
Definition labels := 27 * 48.
Lemma count_three : #|[set u | ((lin u)%:~R == d)%R && (b * hash3 f0 f1 f2 m0 m1 m2 c u == a * hash3 f0' f1' f2' m0' m1' m2' c' u)]|
  <= few_points N H labels (s * slope a b f1 f1' - slope a b f0 f0' * a1, s * slope a b f2 f2' - slope a b f0 f0' * a2)%R.
Proof.
pose label (u : W * (W * W)) := ((Ordinal (wraps_lt u.1 m0 m0'), (Ordinal (wraps_lt u.2.1 m1 m1'), Ordinal (wraps_lt u.2.2 m2 m2'))),
  (Ordinal (lin_label u), (Ordinal (sum3_lt m0 m1 m2 u l0 l1 l2 lc), Ordinal (sum3_lt m0' m1' m2' u l0' l1' l2' lc')))).
have -> : labels = #|{: ('I_3 * ('I_3 * 'I_3)) * ('I_3 * ('I_4 * 'I_4))}| by rewrite !card_prod !card_ord.
apply: (card_labels (label := label)) => -[[w0 [w1 w2]] [g [k k']]].
have pts n (S : {set 'I_n * ('I_n * 'I_n)}) q1 q2 t : n = N ->
    (forall u v, u \in S -> v \in S -> s * apart_by u.1 v.1 + a1 * apart_by u.2.1 v.2.1 + a2 * apart_by u.2.2 v.2.2 = 0)%R ->
    (forall u v, u \in S -> v \in S -> t * apart_by u.1 v.1 + q1 * apart_by u.2.1 v.2.1 + q2 * apart_by u.2.2 v.2.2 = 0)%R ->
    #|S| <= if ((s * q1 - t * a1, s * q2 - t * a2) == (0, 0))%R then N * N else 1 + N %/ H + @steps_weight N H (s * q1 - t * a1, s * q2 - t * a2)%R.
  move=> En; move: S; rewrite En => S cS rS; case: eqP => [_|/eqP nq]; first exact: three_words_any s0 cS.
  exact: (three_words H0 s0 cS rS nq).
apply: (pts _ _ _ _ _ (Zp_cast N1)) => u v; rewrite !inE => /andP [/andP [/eqP cu /eqP ru] /eqP lu] /andP [/andP [/eqP cv /eqP rv] /eqP lv].
- have eg : `|(lin u + up%:Z)%R|%N %/ (N * N) = `|(lin v + up%:Z)%R|%N %/ (N * N) by move: lu; rewrite -lv => -[_ _ _ ->].
  have -> : (s * apart_by u.1 v.1 + a1 * apart_by u.2.1 v.2.1 + a2 * apart_by u.2.2 v.2.2 = lin u - lin v)%R.
    have same (x y : int) : (x = y + x - y)%R by rewrite addrAC subrr add0r.
    by rewrite -(three_terms s a1 a2 0 (same _ _) (same _ _) (same _ _)) !addr0.
  have zero_ : ((lin u - lin v)%:~R = 0 :> V)%R by rewrite mulrzBr cu cv subrr.
  apply: (small_zero N1 (leqnn N) zero_).
  have pos z : (lin z + up%:Z = `|(lin z + up%:Z)%R|%N%:Z)%R by rewrite gez0_abs //; case/andP: (lin_lt z).
  have -> : (lin u - lin v = (lin u + up%:Z) - (lin v + up%:Z))%R by rewrite opprD addrACA subrr addr0.
  rewrite (pos u) (pos v); apply: close_by; [by rewrite muln_gt0 (ltnW N1) | exact: eg].
have [/same_wraps [e0 e0'] [/same_wraps [e1 e1'] [/same_wraps [e2 e2'] [ek ek']]]] : wraps u.1 m0 m0' = wraps v.1 m0 m0' /\
    wraps u.2.1 m1 m1' = wraps v.2.1 m1 m1' /\ wraps u.2.2 m2 m2' = wraps v.2.2 m2 m2' /\
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

