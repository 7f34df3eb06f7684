(* Several streams: one key of level 1 for all of them, and keys of its own for each. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import zify.
Require Import Counting.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Local Open Scope nat_scope.

(* What a stream's own keys do depends on which of a few events the common key meets, each with a weight. If the events of
   all streams together are as rare as a product, what the streams do together is. *)
Section Product.
Variables (X O I : finType) (T s D : nat).
Variables (P : 'I_T -> X -> pred O) (E : 'I_T -> I -> pred X) (w u v : 'I_T -> I -> nat).
Hypothesis each : forall i x, #|[set o | P i x o]| * s <= \sum_e E i e x * w i e.
Hypothesis joint : forall g : {ffun 'I_T -> I}, (forall i, 0 < w i (g i)) ->
  2 * #|[set x | [forall i, E i (g i) x]]| * D ^ T <= #|X| * (\prod_i u i (g i) + \prod_i v i (g i)).

Lemma bool_prod (J : finType) (b : J -> bool) : \prod_j (b j : nat) = [forall j, b j].
Proof.
case: (boolP [forall j, b j]) => [/forallP all|]; first by rewrite big1 // => j _; rewrite all.
rewrite negb_forall => /existsP [j nb]; by rewrite (bigD1 j) //= (negbTE nb) mul0n.
Qed.

Theorem product_of_streams :
  2 * #|[set k : X * {ffun 'I_T -> O} | [forall i, P i k.1 (k.2 i)]]| * (s * D) ^ T
  <= #|X| * (\prod_i (\sum_e u i e * w i e) + \prod_i (\sum_e v i e * w i e)).
Proof.
set A := [set k | _].
have count : #|A| * s ^ T <= \sum_x \sum_(g : {ffun 'I_T -> I}) [forall i, E i (g i) x] * \prod_i w i (g i).
  apply: count_fibres_sum => x; have -> : [set o | (x, o) \in A] = [set o : {ffun 'I_T -> O} | o \in family (fun i => P i x)].
    by apply/setP => o; rewrite !inE.
  rewrite cardsE card_family foldrE big_map big_enum /= -[X in s ^ X]card_ord -prod_nat_const -big_split /=.
  apply: (@leq_trans (\prod_i \sum_e E i e x * w i e)).
    by apply: leq_prod => i _; have := each i x; rewrite cardsE.
  rewrite bigA_distr_bigA /=; apply: eq_leq; apply: eq_bigr => g _; by rewrite big_split /= bool_prod.
apply: (@leq_trans (2 * D ^ T * (#|A| * s ^ T))); first by rewrite expnMn; apply: eq_leq; lia.
apply: leq_trans (leq_mul (leqnn _) count) _.
have -> : \prod_i (\sum_e u i e * w i e) + \prod_i (\sum_e v i e * w i e)
    = \sum_(g : {ffun 'I_T -> I}) ((\prod_i (u i (g i) * w i (g i))) + (\prod_i (v i (g i) * w i (g i)))).
  by rewrite !bigA_distr_bigA big_split.
rewrite exchange_big /= !big_distrr /=; apply: leq_sum => g _.
rewrite -big_distrl /= !big_split /= -mulnDl.
have -> : \sum_x [forall i, E i (g i) x] = #|[set x | [forall i, E i (g i) x]]|.
  by rewrite -sum1_card [RHS]big_mkcond /=; apply: eq_bigr => x _; rewrite inE; case: ifP.
case: (boolP [forall i, 0 < w i (g i)]) => [/forallP pos|]; last first.
  rewrite negb_forall => /existsP [i]; rewrite lt0n negbK => /eqP w0.
  by rewrite [\prod_i w i (g i)](bigD1 i) //= w0 mul0n !muln0.
rewrite mulnA [X in _ <= X]mulnA leq_mul2r; apply/orP; right.
by apply: leq_trans (joint pos); rewrite mulnAC.
Qed.
End Product.
