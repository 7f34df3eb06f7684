(* How many points of a square of whole numbers lie on a line whose direction is random. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import zify.
Require Import Counting.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope nat_scope.

(* What has one of few labels. *)
Lemma card_labels (X L : finType) (S : {set X}) (label : X -> L) (r : nat) :
  (forall l, #|[set x in S | label x == l]| <= r) -> #|S| <= #|L| * r.
Proof.
move=> le; rewrite -sum1_card (partition_big label xpredT) //= -sum_nat_const; apply: leq_sum => l _.
by apply: leq_trans (le l); rewrite sum1dep_card.
Qed.

Section Line.
Variables (N H : nat).
Hypothesis H0 : 0 < H.
Implicit Types (q : int * int).
(* A small step along the lines q.1 x + q.2 y = constant: y to the one side, z to the other or the same one. *)
Definition step := ('I_H * 'I_H * bool)%type.
Definition size_of (s : step) := maxn s.1.1 s.1.2.
Definition along q (s : step) := (0 < size_of s) && (q.1 * (s.1.1 : nat)%:Z == (-1) ^+ s.2 * (q.2 * (s.1.2 : nat)%:Z))%R.
Definition steps_weight q := \sum_(s : step | along q s) N %/ size_of s.

Lemma apart_line (q1 q2 : int) (S : {set 'I_N * 'I_N}) g : 0 < g -> (`|q2| <= `|q1|)%R -> q1 != 0%R ->
  (forall s t, s \in S -> t \in S -> q1 * ((s.1 : nat)%:Z - (t.1 : nat)%:Z) + q2 * ((s.2 : nat)%:Z - (t.2 : nat)%:Z) = 0)%R ->
  (forall y z : int, `|y| < g%:Z -> `|z| < g%:Z -> q1 * y + q2 * z = 0 -> y = 0 /\ z = 0)%R ->
  #|S| <= (N %/ g).+1.
Proof.
move=> g0 le q0 line gap; have lt (s : 'I_N * 'I_N) : s.2 %/ g < (N %/ g).+1 by rewrite ltnS leq_div2r // ltnW.
rewrite -[X in _ <= X]card_ord -(card_in_imset (f := fun s => Ordinal (lt s))); first exact: max_card.
move=> [s1 s2] [t1 t2] sS tS [] /= E; have := line _ _ sS tS; rewrite /= => L.
have small : (`|(s2 : nat)%:Z - (t2 : nat)%:Z| < g%:Z)%R.
  have := divn_eq s2 g; have := divn_eq t2 g; rewrite E; have := ltn_mod s2 g; have := ltn_mod t2 g; rewrite g0.
  move: (s2 : nat) (t2 : nat) (t2 %/ g * g) => a b c; clear; lia.
move: L small gap; set y := (_ - _)%R; set z := (_ - _)%R => L small /(_ y z) => gap.
have ly : (`|y| <= `|z|)%R.
  have n0 : (0 < `|q1|)%R by rewrite normr_gt0.
  have EL : (`|q1| * `|y| = `|q2| * `|z|)%R.
    by rewrite -!normrM -[in RHS]normrN; congr (`|_|)%R; apply/eqP; rewrite -addr_eq0 L.
  by rewrite -(ler_pmul2l n0) EL ler_wpmul2r.
have ly' : (`|y| < g%:Z)%R by move: ly small; clear; lia.
have [Ey Ez] := gap ly' small L.
by congr (_, _); apply: val_inj => /=; move: Ey Ez; rewrite /y /z; clear; lia.
Qed.

(* Points of one line: one, and one more for every smallest step along it, or for every H of N. *)
Lemma line_points q (S : {set 'I_N * 'I_N}) : q != (0, 0)%R ->
  (forall s t, s \in S -> t \in S -> q.1 * ((s.1 : nat)%:Z - (t.1 : nat)%:Z) + q.2 * ((s.2 : nat)%:Z - (t.2 : nat)%:Z) = 0)%R ->
  #|S| <= 1 + N %/ H + steps_weight q.
Proof.
move=> nq line.
have apart g : 0 < g -> (forall y z : int, `|y| < g%:Z -> `|z| < g%:Z -> q.1 * y + q.2 * z = 0 -> y = 0 /\ z = 0)%R -> #|S| <= (N %/ g).+1.
  move=> g0 gap; case: (lerP `|q.2|%R `|q.1|%R) => le.
    apply: (apart_line g0 le) => //; apply: contra nq => /eqP q1; move: le q1; case: (q) => a b /= le E.
    by move: le; rewrite E normr0 normr_le0 => /eqP ->.
  pose flip (s : 'I_N * 'I_N) := (s.2, s.1).
  have inj : injective flip by move=> [? ?] [? ?] [-> ->].
  rewrite -(card_imset _ inj); apply: (apart_line g0 (ltW le)).
  - by move: le; case: eqP => // ->; rewrite normr0 normr_lt0.
  - move=> s t /imsetP [s' sS ->] /imsetP [t' tS ->]; rewrite /= addrC; exact: line.
  - by move=> y z ly lz E; have [|-> ->] := gap z y lz ly; rewrite // addrC.
have step_of (y z : int) : (`|y| < H%:Z -> `|z| < H%:Z -> q.1 * y + q.2 * z = 0 -> (y != 0) || (z != 0) ->
    exists2 s, along q s & (size_of s)%:Z = Num.max `|y| `|z|)%R.
  move=> ly lz E ne.
  have ly' : `|y|%N < H by (move: ly; lia). have lz' : `|z|%N < H by (move: lz; lia).
  exists (Ordinal ly', Ordinal lz', (0 <= y)%R == (0 <= z)%R).
    rewrite /along /size_of /=; apply/andP; split; first by move: ne; lia.
    by apply/eqP; move: E; case: (lerP 0%R y) => sy; case: (lerP 0%R z) => sz /=; rewrite ?expr1 ?expr0; move: sy sz; nia.
  by rewrite /size_of /=; lia.
case: (boolP [exists s : step, along q s]) => [/existsP [s0 A0]|/existsPn none]; last first.
  apply: (@leq_trans (N %/ H).+1); last by rewrite add1n leq_addr.
  apply: apart => // y z ly lz E; case: (eqVneq y 0%R) => [y0|ny]; last first.
    by have [|s] := step_of y z ly lz E; rewrite ?ny // (negbTE (none s)).
  case: (eqVneq z 0%R) => [z0|nz]; first by split.
  by have [|s] := step_of y z ly lz E; rewrite ?nz ?orbT // (negbTE (none s)).
case: (@arg_minnP _ s0 (along q) size_of A0) => s As least.
rewrite -addnA addnCA; apply: leq_trans (leq_addl _ _).
apply: (@leq_trans (N %/ size_of s).+1); last by rewrite add1n ltnS /steps_weight (bigD1 s) //= leq_addr.
have /andP [s_pos _] := As.
have size_lt : size_of s < H by rewrite /size_of gtn_max !ltn_ord.
apply: apart => // y z ly lz E.
have ly' : (`|y| < H%:Z)%R by (move: ly size_lt; clear; lia). have lz' : (`|z| < H%:Z)%R by (move: lz size_lt; clear; lia).
case: (boolP ((y != 0) || (z != 0))%R) => [ne|]; last by rewrite negb_or !negbK => /andP [/eqP -> /eqP ->].
have [t At Et] := step_of y z ly' lz' E ne; have := least t At; move: Et ly lz; clear; lia.
Qed.

Lemma sum_max (f : nat -> nat) n : \sum_(y < n) \sum_(z < n) f (maxn y z) = \sum_(m < n) (2 * m + 1) * f m.
Proof.
elim: n => [|n IH]; first by rewrite !big_ord0.
rewrite [LHS]big_ord_recr [RHS]big_ord_recr /= -IH.
rewrite (eq_bigr (fun y : 'I_n => \sum_(z < n) f (maxn y z) + f n)); last first.
  by move=> y _; rewrite big_ord_recr /= (maxn_idPr _) // ltnW.
rewrite big_split /= sum_nat_const card_ord big_ord_recr /= maxnn.
have -> : \sum_(z < n) f (maxn n z) = n * f n.
  by rewrite (eq_bigr (fun=> f n)) ?sum_nat_const ?card_ord // => z _; rewrite (maxn_idPl _) // ltnW.
by rewrite mulnDl mul1n -mulnA mul2n -addnn !addnA.
Qed.

Lemma all_steps : \sum_(s : step | 0 < size_of s) N %/ size_of s <= 6 * (N * H).
Proof.
pose f m := if 0 < m then N %/ m else 0.
rewrite big_mkcond /= -(pair_big xpredT xpredT (fun (p : 'I_H * 'I_H) (b : bool) => f (maxn p.1 p.2))) /=.
rewrite (eq_bigr (fun p : 'I_H * 'I_H => f (maxn p.1 p.2) * 2)) -?big_distrl /=; last first.
  by move=> p _; rewrite sum_nat_const card_bool mulnC.
rewrite -(pair_big xpredT xpredT (fun y z : 'I_H => f (maxn y z))) /= sum_max.
rewrite -[6]/(3 * 2) mulnAC leq_mul2r; apply: (@leq_trans (\sum_(m < H) 3 * N)); last by rewrite sum_nat_const card_ord; lia.
apply: leq_sum => m _; rewrite /f; case: posnP => [->|m0]; first by rewrite muln0.
have := leq_trunc_div N m; move: (N %/ m) (m : nat) m0 => a b b0 le; nia.
Qed.
End Line.
