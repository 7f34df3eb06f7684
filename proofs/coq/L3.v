(* Level 3 of RFC 4418: an inner product mod p = 2^36 - 5, of which the lower 32 bits count. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import zify ring.
Require Import Counting.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import GRing.Theory.
Local Open Scope ring_scope.

Section Inner.
Variables (F : finFieldType) (K : finType) (red : K -> F) (beta : nat).
(* A word of the key is a number that is reduced mod p: at most beta numbers have one residue. *)
Hypothesis fibre : forall x, (#|[set w | red w == x]| <= beta)%N.
Variable n : nat.
Definition key := {ffun 'I_n -> K}.
Definition inner (k : key) (m : 'I_n -> F) : F := \sum_i m i * red (k i).

Lemma fibres (S : {set F}) : (#|[set w | red w \in S]| <= #|S| * beta)%N.
Proof.
rewrite -sum1_card (partition_big red (mem S)) /=; last by move=> w; rewrite inE.
rewrite -sum_nat_const; apply: leq_sum => x xS; apply: leq_trans (fibre x).
by rewrite sum1dep_card subset_leq_card //; apply/subsetP => w; rewrite !inE => /andP [_].
Qed.

Lemma inner_put i k w m : inner (put i k w) m = m i * red w + \sum_(j | j != i) m j * red (k j).
Proof.
rewrite /inner (bigD1 i) //= put_at; congr (_ + _).
by apply: eq_bigr => j ne; rewrite put_out.
Qed.

(* Two words that differ in a digit: the difference is in S for at most #S beta / #K of the keys. *)
Theorem inner_difference (S : {set F}) m m' i : m i != m' i ->
  (#|[set k | (inner k m - inner k m')%R \in S]| * #|K| <= #|S| * beta * #|{: key}|)%N.
Proof.
move=> ne; rewrite -[#|{: key}|]cardsT.
apply: (@count_at_most _ _ (fun k : key => k i) (put i)); try by [exact: put_at | exact: put_id | exact: put_put].
  by move=> k w _; rewrite inE.
move=> k; pose rest m := \sum_(j | j != i) m j * red (k j).
have nz : m i - m' i != 0 by rewrite subr_eq0.
pose S' := [set (s - (rest m - rest m')) / (m i - m' i) | s in S].
apply: leq_trans (leq_trans (fibres S') _); last by rewrite leq_mul2r leq_imset_card orbT.
apply/subset_leq_card/subsetP => w; rewrite !inE !inner_put -/(rest m) -/(rest m') => inS.
apply/imsetP; exists ((m i * red w + rest m - (m' i * red w + rest m'))%R) => //.
have -> : m i * red w + rest m - (m' i * red w + rest m') - (rest m - rest m') = red w * (m i - m' i) by ring.
by rewrite mulfK.
Qed.

(* Two words that are not proportional: the two products are as two uniform numbers. *)
Theorem inner_pair (R : {set F * F}) m m' i j : m i * m' j != m j * m' i ->
  (#|[set k | (inner k m, inner k m') \in R]| * #|K| ^ 2 <= #|R| * beta ^ 2 * #|{: key}|)%N.
Proof.
move=> ne; have nij : j != i by apply: contraNneq ne => ->; rewrite mulrC.
rewrite -[#|{: key}|]cardsT -mulnn -card_prod.
pose get (k : key) := (k i, k j); pose set (k : key) (w : K * K) := put i (put j k w.2) w.1.
apply: (@count_at_most _ _ get set).
- by move=> k [u v]; rewrite /get /set /= put_at put_out // put_at.
- by move=> k; rewrite /get /set /= put_id put_id.
- move=> k [u v] [u' v']; apply/ffunP => l; rewrite /set /= /put !ffunE.
  by case: eqP => // _; case: eqP.
- by move=> k w _; rewrite inE.
move=> k; pose rest m := \sum_(l | (l != i) && (l != j)) m l * red (k l).
have form m0 w : inner (set k w) m0 = m0 i * red w.1 + m0 j * red w.2 + rest m0.
  rewrite /set inner_put -addrA; congr (_ + _); rewrite (bigD1 j) //= put_at; congr (_ + _).
  by apply: eq_bigr => l /andP [_ nl]; rewrite put_out.
pose D := m i * m' j - m j * m' i; have D0 : D != 0 by rewrite subr_eq0.
pose solve (r : F * F) : F * F :=
  (((r.1 - rest m) * m' j - (r.2 - rest m') * m j) / D, ((r.2 - rest m') * m i - (r.1 - rest m) * m' i) / D).
pose R' := solve @: R.
apply: (@leq_trans (#|R'| * beta ^ 2)); last by rewrite leq_mul2r leq_imset_card orbT.
have sub : [set w | set k w \in [set k | (inner k m, inner k m') \in R]]
    \subset [set w : K * K | (red w.1, red w.2) \in R'].
  apply/subsetP => -[u v]; rewrite !inE /= => inR; apply/imsetP.
  exists (inner (set k (u, v)) m, inner (set k (u, v)) m') => //.
  rewrite !form /solve /=; congr (_, _); apply: (canRL (mulfK D0)); rewrite /D; ring.
apply: leq_trans (subset_leq_card sub) _.
rewrite -sum1_card (partition_big (fun w => (red w.1, red w.2)) (mem R')) /=; last by move=> w; rewrite inE.
rewrite -sum_nat_const; apply: leq_sum => -[x y] xyS.
rewrite sum1dep_card -mulnn.
apply: leq_trans (leq_mul (fibre x) (fibre y)); rewrite -cardsX subset_leq_card //.
by apply/subsetP => -[u v]; rewrite !inE /= => /andP [_ /eqP [-> ->]]; rewrite !eqxx.
Qed.
End Inner.

(* The lower bits, as numbers mod T; p is at most c T. *)
Section Low.
Variables (p T c : nat).
Hypothesis p_prime : prime p.
Hypothesis T0 : (0 < T)%N.
Hypothesis pcT : (p <= c * T)%N.
Definition low (u : 'F_p) : nat := (u %% T)%N.

Lemma val_lt (u : 'F_p) : (u < p)%N.
Proof. by rewrite -[X in (_ < X)%N](Fp_cast p_prime) ltn_ord. Qed.

Definition apart : {set 'F_p} :=
  [set ((j : nat)%:R - c.-1%:R) * T%:R | j : 'I_(2 * c).-1]%R.

Lemma card_apart : (#|apart| <= (2 * c).-1)%N.
Proof. by apply: leq_trans (leq_imset_card _ _) _; rewrite card_ord. Qed.

(* Equal lower bits: at most 2c - 1 differences. *)
Lemma low_apart (u v : 'F_p) : low u = low v -> u - v \in apart.
Proof.
move=> E; have ltu := val_lt u; have ltv := val_lt v.
have c0 : (0 < c)%N by rewrite lt0n; apply: contraTneq pcT => ->; rewrite mul0n -ltnNge prime_gt0.
have qu : (u %/ T < c)%N by rewrite ltn_divLR // (leq_trans ltu).
have qv : (v %/ T < c)%N by rewrite ltn_divLR // (leq_trans ltv).
have lt : (u %/ T + c.-1 - v %/ T < (2 * c).-1)%N.
  by move: qu qv; move: (u %/ T)%N (v %/ T)%N => a b; lia.
apply/imsetP; exists (Ordinal lt) => //=.
rewrite natrB; last by move: qu qv; move: (u %/ T)%N (v %/ T)%N => a b; lia.
rewrite natrD addrAC addrK mulrBl -!natrM.
have Eu : u = (u %/ T * T)%:R + (low u)%:R :> 'F_p by rewrite -natrD /low -divn_eq natr_Zp.
have Ev : v = (v %/ T * T)%:R + (low v)%:R :> 'F_p by rewrite -natrD /low -divn_eq natr_Zp.
by rewrite [in LHS]Eu [in LHS]Ev E opprD addrACA subrr addr0.
Qed.

(* Any relation of the lower bits that leaves one value of the second for each of the first, as xor with d does: at most
   c p pairs. *)
Lemma low_related (f : nat -> nat) :
  (#|[set r : 'F_p * 'F_p | low r.2 == f (low r.1)]| <= p * c)%N.
Proof.
apply: leq_trans (count_fibres (t := c) _) _; last by rewrite card_Fp.
have q (x : 'F_p) : (x %/ T < c)%N by rewrite ltn_divLR // (leq_trans (val_lt x)).
move=> u; rewrite -[X in (_ <= X)%N](card_ord c).
rewrite -(card_in_imset (f := fun v => Ordinal (q v))); first exact: max_card.
move=> v v'; rewrite !inE /= => /eqP E /eqP E' [Eq]; apply: val_inj => /=.
by rewrite (divn_eq v T) (divn_eq v' T) Eq -/(low v) -/(low v') E E'.
Qed.
End Low.

Section Level3.
Variables (p T c : nat) (K : finType) (red : K -> 'F_p) (beta n : nat).
Hypothesis p_prime : prime p.
Hypothesis T0 : (0 < T)%N.
Hypothesis pcT : (p <= c * T)%N.
Hypothesis fibre : forall x, (#|[set w | red w == x]| <= beta)%N.
Definition L3 (k : key K n) m : nat := low T (inner red k m).

(* Collisions of different words: with c = 16 at most 31 beta / #K, where beta / #K is about 2^-36. *)
Theorem L3_collision m m' i : m i != m' i ->
  (#|[set k | L3 k m == L3 k m']| * #|K| <= (2 * c).-1 * beta * #|{: key K n}|)%N.
Proof.
move=> ne; apply: leq_trans (leq_trans (inner_difference fibre (apart p T c) ne) _); last first.
  by rewrite leq_mul2r leq_mul2r card_apart !orbT.
rewrite leq_mul2r subset_leq_card ?orbT //; apply/subsetP => k; rewrite !inE => /eqP; exact: low_apart.
Qed.

(* Differences by xor, or by any other group: words that are not proportional. *)
Theorem L3_related (f : nat -> nat) m m' i j : m i * m' j != m j * m' i ->
  (#|[set k | L3 k m' == f (L3 k m)]| * #|K| ^ 2 <= p * c * beta ^ 2 * #|{: key K n}|)%N.
Proof.
move=> ne; pose R := [set r : 'F_p * 'F_p | low T r.2 == f (low T r.1)].
apply: leq_trans (leq_trans (inner_pair fibre R ne) _); last first.
  by rewrite !leq_mul2r low_related ?orbT.
by rewrite leq_mul2r subset_leq_card ?orbT //; apply/subsetP => k; rewrite !inE.
Qed.
End Level3.
