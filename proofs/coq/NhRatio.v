(* Two hashes of NH that are in a given ratio: how often, over the words of two pairs. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import zify ring.
Require Import Counting NH Toeplitz Lines.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory.
Local Open Scope nat_scope.

Section Ratio.
Variable N : nat.
Hypothesis N1 : 1 < N.
Variables (a b : nat). (* b times the one is a times the other *)
Local Notation W := 'Z_N.
Let N0 : 0 < N. Proof. exact: ltnW. Qed.
Let cast : (Zp_trunc N).+2 = N. Proof. exact: Zp_cast. Qed.

(* The words that multiply are given, and those that are multiplied run: all but few lie on few lines. *)
Definition slope (g g' : nat) : int := (b%:Z * g%:Z - a%:Z * g'%:Z)%R.
Definition hashes_to (g1 g2 : nat) (m1 m2 : W) r (z : W * W) : nat :=
  (g1 * (z.1 + m1)%R + g2 * (z.2 + m2)%R + r) %% (N * N).

Lemma wrapped (z m : W) : ((z + m)%R : nat) = z + m - N * (N <= z + m).
Proof.
rewrite word_plus //; have := word_lt N1 z; have := word_lt N1 m; move: (z : nat) (m : nat) => x y lx ly.
case: leqP => le; last by rewrite modn_small // muln0 subn0.
by rewrite muln1 -{1}(subnK le) modnDr modn_small //; lia.
Qed.

Lemma same_wrap (x y v : W) : (N <= x + v) = (N <= y + v) ->
  (((x + v)%R : nat)%:Z = ((y + v)%R : nat)%:Z + (x : nat)%:Z - (y : nat)%:Z)%R.
Proof.
move=> e; rewrite !wrapped -e; move: e; move: (x : nat) (y : nat) (v : nat) => i j k.
by case: (leqP N (i + k)); case: (leqP N (j + k)) => // l l' _; rewrite ?muln1 ?muln0; lia.
Qed.

Lemma differences (g h u p p' q q' x x' y y' : int) : (p = p' + x - x' -> q = q' + y - y' ->
  g * p + h * q + u - (g * p' + h * q' + u) = g * (x - x') + h * (y - y'))%R.
Proof. by move=> -> ->; ring. Qed.

Variable H : nat.
Hypothesis H0 : 0 < H.
Definition few q := if q == (0, 0)%R then N * N else 144 * (1 + N %/ H + @steps_weight N H q).
Lemma ratio_points g1 g2 g1' g2' (m1 m2 m1' m2' : W) r r' : g1 < N -> g2 < N -> g1' < N -> g2' < N -> r < N * N -> r' < N * N ->
  #|[set z : W * W | b * hashes_to g1 g2 m1 m2 r z == a * hashes_to g1' g2' m1' m2' r' z]| <= few (slope g1 g1', slope g2 g2').
Proof.
move=> l1 l2 l1' l2' lr lr'; rewrite /few; case: ifP => [_|nq].
  by apply: leq_trans (max_card _) _; rewrite card_prod !card_ord cast.
pose sum g1 g2 (m1 m2 : W) r (z : W * W) := g1 * (z.1 + m1)%R + g2 * (z.2 + m2)%R + r.
have lt g h (m n : W) s z : g < N -> h < N -> s < N * N -> sum g h m n s z %/ (N * N) < 3.
  move=> lg lh ls; rewrite ltn_divLR ?muln_gt0 ?N0 // /sum.
  have := word_lt N1 (z.1 + m)%R; have := word_lt N1 (z.2 + n)%R; move: ((z.1 + m)%R : nat) ((z.2 + n)%R : nat) => x y lx ly.
  have := leq_mul (ltnW lg) (ltnW ly); have := leq_mul (ltnW lh) (ltnW lx); lia.
pose label (z : W * W) := (((N <= z.1 + m1, N <= z.1 + m1'), (N <= z.2 + m2, N <= z.2 + m2')),
  (Ordinal (lt _ _ m1 m2 _ z l1 l2 lr), Ordinal (lt _ _ m1' m2' _ z l1' l2' lr'))).
have -> : 144 = #|{: ((bool * bool) * (bool * bool)) * ('I_3 * 'I_3)}| by rewrite !card_prod !card_bool !card_ord.
apply: (card_labels (label := label)) => -[[[w1 w1'] [w2 w2']] [k k']].
have pts n (q : int * int) (S : {set 'I_n * 'I_n}) : n = N -> (q != (0, 0))%R ->
    (forall s t, s \in S -> t \in S -> q.1 * ((s.1 : nat)%:Z - (t.1 : nat)%:Z) + q.2 * ((s.2 : nat)%:Z - (t.2 : nat)%:Z) = 0)%R ->
    #|S| <= 1 + N %/ H + @steps_weight N H q.
  by move=> En; move: S; rewrite En => S; exact: line_points.
apply: (pts _ _ _ cast); first by rewrite nq.
move=> s t; rewrite !inE => /andP [/eqP Es /eqP ls] /andP [/eqP Et /eqP lt'].
have step g h (m n : W) u : (N <= s.1 + m) = (N <= t.1 + m) -> (N <= s.2 + n) = (N <= t.2 + n) ->
    sum g h m n u s %/ (N * N) = sum g h m n u t %/ (N * N) ->
    ((hashes_to g h m n u s)%:Z - (hashes_to g h m n u t)%:Z
     = g%:Z * ((s.1 : nat)%:Z - (t.1 : nat)%:Z) + h%:Z * ((s.2 : nat)%:Z - (t.2 : nat)%:Z))%R.
  move=> e1 e2 ek; have vs := divn_eq (sum g h m n u s) (N * N); have vt := divn_eq (sum g h m n u t) (N * N).
  rewrite -/(hashes_to g h m n u s) ek in vs; rewrite -/(hashes_to g h m n u t) in vt.
  have -> : ((hashes_to g h m n u s)%:Z - (hashes_to g h m n u t)%:Z = (sum g h m n u s)%:Z - (sum g h m n u t)%:Z)%R.
    by move: vs vt; clear; lia.
  by rewrite /sum !PoszD !PoszM; apply: differences; exact: same_wrap.
have [e1 [e2 [e3 [e4 [ek ek']]]]] : (N <= s.1 + m1) = (N <= t.1 + m1) /\ (N <= s.1 + m1') = (N <= t.1 + m1') /\
    (N <= s.2 + m2) = (N <= t.2 + m2) /\ (N <= s.2 + m2') = (N <= t.2 + m2') /\
    sum g1 g2 m1 m2 r s %/ (N * N) = sum g1 g2 m1 m2 r t %/ (N * N) /\
    sum g1' g2' m1' m2' r' s %/ (N * N) = sum g1' g2' m1' m2' r' t %/ (N * N).
  by move: ls; rewrite -lt' => -[]; do 6!move=> ->.
have E := step _ _ _ _ _ e1 e3 ek; have E' := step _ _ _ _ _ e2 e4 ek'.
have both : (b%:Z * ((hashes_to g1 g2 m1 m2 r s)%:Z - (hashes_to g1 g2 m1 m2 r t)%:Z)
    = a%:Z * ((hashes_to g1' g2' m1' m2' r' s)%:Z - (hashes_to g1' g2' m1' m2' r' t)%:Z))%R.
  by rewrite !mulrBr -!PoszM Es Et.
rewrite /slope /= ; move: both; rewrite E E' => both.
set y := (_ - _)%R in both *; set z := (_ - _)%R in both *.
have -> : ((b%:Z * g1%:Z - a%:Z * g1'%:Z) * y + (b%:Z * g2%:Z - a%:Z * g2'%:Z) * z
  = b%:Z * (g1%:Z * y + g2%:Z * z) - a%:Z * (g1'%:Z * y + g2'%:Z * z))%R by ring.
by rewrite both subrr.
Qed.

(* A factor of a product as it is for one message or the other: a word of the key and one of the message, or nothing. *)
Definition factor (f : bool) (n x : W) : nat := if f then nat_of_ord (x + n)%R else 0.
Definition slope_of f n f' n' (x : W) := slope (factor f n x) (factor f' n' x).

Lemma factor_lt f n x : factor f n x < N.
Proof. by rewrite /factor; case: f => //; exact: word_lt. Qed.

Lemma factor_times f n x : factor f n x = f * (x + n)%R.
Proof. by rewrite /factor; case: f; rewrite ?mul1n ?mul0n. Qed.

Lemma slopes (f f' u u' x y z z' : int) : (u = z + x - y -> u' = z' + x - y ->
  b%:Z * (f * u) - a%:Z * (f' * u') - (b%:Z * (f * z) - a%:Z * (f' * z')) = (b%:Z * f - a%:Z * f') * (x - y))%R.
Proof. by move=> -> ->; ring. Qed.

Hypothesis a0 : 0 < a.
Hypothesis b0 : 0 < b.
Hypothesis ab : a != b.
Lemma slope_value f n f' n' v : f || f' -> #|[set x | slope_of f n f' n' x == v]| <= 4.
Proof.
have -> : 4 = #|{: bool * bool}| * 1 by rewrite card_prod !card_bool.
move=> ff; apply: (card_labels (label := fun x : W => (N <= x + n, N <= x + n'))) => -[w w'].
apply/card_le1_eqP => x y; rewrite !inE => /andP [/eqP Ex /eqP [wx wx']] /andP [/eqP Ey /eqP [wy wy']].
have E := same_wrap (etrans wx (esym wy)); have E' := same_wrap (etrans wx' (esym wy')).
have : (slope_of f n f' n' x - slope_of f n f' n' y = 0)%R by rewrite Ex Ey subrr.
rewrite /slope_of /slope !factor_times !PoszM (slopes _ _ E E') => /eqP.
rewrite mulf_eq0 => /orP [/eqP Z|]; last by rewrite subr_eq0 => /eqP [Z]; exact: val_inj.
by move: a0 b0 ab Z; case: (f) (f') ff => -[] //= _; lia.
Qed.

Lemma slope_multiple f n f' n' (c v : int) : f || f' -> c != 0%R -> #|[set x | (slope_of f n f' n' x * c)%R == v]| <= 4.
Proof.
move=> ff c0; case: (set_0Vmem [set x | (slope_of f n f' n' x * c)%R == v]) => [->|[w]]; first by rewrite cards0.
rewrite inE => /eqP Ew; apply: leq_trans (slope_value n n' (slope_of f n f' n' w) ff); apply/subset_leq_card/subsetP => x.
by rewrite !inE -Ew => /eqP /(mulIf c0) ->.
Qed.

Definition ratio_bound := 160 + 144 * (N %/ H + 24 * H).

(* Together over the words that multiply: about 144 N / H + 3456 H of N^2. *)
Lemma sum_few f1 n1 f1' n1' f2 n2 f2' n2' : f1 || f1' -> f2 || f2' ->
  \sum_(x : W * W) few (slope_of f1 n1 f1' n1' x.1, slope_of f2 n2 f2' n2' x.2) <= ratio_bound * N ^ 2.
Proof.
move=> ff1 ff2; pose q (x : W * W) := (slope_of f1 n1 f1' n1' x.1, slope_of f2 n2 f2' n2' x.2).
have card_W : #|{: W}| = N by rewrite card_ord.
have card_WW : #|{: W * W}| = N * N by rewrite card_prod card_W.
have zero : #|[set x | q x == (0, 0)%R]| <= 16.
  have -> : [set x | q x == (0, 0)%R] = setX [set x | slope_of f1 n1 f1' n1' x == 0%R] [set x | slope_of f2 n2 f2' n2' x == 0%R].
    by apply/setP => -[x y]; rewrite !inE /q /= xpair_eqE.
  by rewrite cardsX (leq_mul (slope_value _ _ _ ff1) (slope_value _ _ _ ff2)).
have on_line (s : step H) : 0 < size_of s -> #|[set x | along (q x) s]| <= 4 * N.
  have -> : 4 * N = #|{: W}| * 4 by rewrite card_W mulnC.
  move=> s0; case: (posnP s.1.1) => [y0|ypos].
    have zpos : 0 < s.1.2 by move: s0; rewrite /size_of y0 max0n.
    apply: count_fibres => x1; pose c : int := ((-1) ^+ s.2 * (s.1.2 : nat)%:Z)%R.
    have c0 : c != 0%R by rewrite mulf_neq0 ?signr_eq0 //; move: zpos; lia.
    apply: leq_trans (slope_multiple n2 n2' (slope_of f1 n1 f1' n1' x1 * (s.1.1 : nat)%:Z)%R ff2 c0).
    apply/subset_leq_card/subsetP => w; rewrite !inE /along s0 /= => /eqP ->; apply/eqP; rewrite /c; ring.
  pose flip (p : W * W) := (p.2, p.1); have inj : injective flip by move=> [? ?] [? ?] [-> ->].
  rewrite -(card_imset _ inj); apply: count_fibres => x2; pose c : int := ((s.1.1 : nat)%:Z)%R.
  have c0 : c != 0%R by move: ypos; rewrite /c; lia.
  apply: leq_trans (slope_multiple n1 n1' ((-1) ^+ s.2 * (slope_of f2 n2 f2' n2' x2 * (s.1.2 : nat)%:Z))%R ff1 c0).
  apply/subset_leq_card/subsetP => w; rewrite !inE => /imsetP [[u v]]; rewrite inE /along s0 /= => /eqP E [-> ->].
  by rewrite E.
have weights : \sum_(x : W * W) @steps_weight N H (q x) <= 4 * N * (6 * (N * H)).
  rewrite /steps_weight (exchange_big_dep (fun s : step H => 0 < size_of s)) /=; last by move=> x s _ /andP [].
  apply: (@leq_trans (\sum_(s : step H | 0 < size_of s) 4 * N * (N %/ size_of s))); last first.
    by rewrite -big_distrr /=; apply: leq_mul => //; exact: all_steps.
  apply: leq_sum => s s0; rewrite sum_nat_cond_const leq_mul2r; apply/orP; right; apply: leq_trans (on_line s s0).
  by apply/subset_leq_card/subsetP => x; rewrite !inE.
apply: (@leq_trans (\sum_(x : W * W) ((q x == (0, 0)%R) * (N * N) + 144 * (1 + N %/ H + @steps_weight N H (q x))))).
  by apply: leq_sum => x _; rewrite /few -/(q x); case: eqP => _; [rewrite mul1n leq_addr | rewrite mul0n add0n].
rewrite big_split /= -big_distrl /= -big_distrr /= big_split /= sum_nat_const card_WW.
have -> : \sum_(x : W * W) (q x == (0, 0)%R) = #|[set x | q x == (0, 0)%R]|.
  by rewrite -sum1_card [RHS]big_mkcond /=; apply: eq_bigr => x _; rewrite inE; case: eqP.
have h1 := leq_mul zero (leqnn (N * N)); have h2 := leq_mul (leqnn 144) (leq_add (leqnn (N * N * (1 + N %/ H))) weights).
apply: leq_trans (leq_add h1 h2) _; rewrite /ratio_bound -mulnn; move: (N %/ H) => d; apply: eq_leq; clear; lia.
Qed.
End Ratio.
