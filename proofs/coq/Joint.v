(* Several streams: one key of level 1 for all of them, and keys of its own for each. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import zify.
Require Import Counting.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Local Open Scope nat_scope.

(* What a stream's own keys do depends on which of a few events the common key meets, each with a weight. If the events of
   all streams together are as rare as a sum of products, what the streams do together is. *)
Section Product.
Variables (X O I J : finType) (T s D : nat).
Variables (P : 'I_T -> X -> pred O) (E : 'I_T -> I -> pred X) (w : 'I_T -> I -> nat) (u : J -> 'I_T -> I -> nat).
Hypothesis each : forall i x, #|[set o | P i x o]| * s <= \sum_e E i e x * w i e.
Hypothesis joint : forall g : {ffun 'I_T -> I}, (forall i, 0 < w i (g i)) ->
  2 * #|[set x | [forall i, E i (g i) x]]| * D ^ T <= #|X| * \sum_j \prod_i u j i (g i).

Lemma bool_prod (A : finType) (b : A -> bool) : \prod_j (b j : nat) = [forall j, b j].
Proof.
case: (boolP [forall j, b j]) => [/forallP all|]; first by rewrite big1 // => j _; rewrite all.
rewrite negb_forall => /existsP [j nb]; by rewrite (bigD1 j) //= (negbTE nb) mul0n.
Qed.

Theorem product_of_streams :
  2 * #|[set k : X * {ffun 'I_T -> O} | [forall i, P i k.1 (k.2 i)]]| * (s * D) ^ T
  <= #|X| * \sum_j \prod_i (\sum_e u j i e * w i e).
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
rewrite (eq_bigr (fun j => \sum_(g : {ffun 'I_T -> I}) \prod_i (u j i (g i) * w i (g i)))); last by move=> j _; rewrite bigA_distr_bigA.
rewrite exchange_big /= [X in _ <= _ * X]exchange_big /= !big_distrr /=; apply: leq_sum => g _.
rewrite -big_distrl /= (eq_bigr (fun j => (\prod_i u j i (g i)) * \prod_i w i (g i))); last by move=> j _; rewrite big_split.
rewrite -big_distrl /=.
have -> : \sum_x [forall i, E i (g i) x] = #|[set x | [forall i, E i (g i) x]]|.
  by rewrite -sum1_card [RHS]big_mkcond /=; apply: eq_bigr => x _; rewrite inE; case: ifP.
case: (boolP [forall i, 0 < w i (g i)]) => [/forallP pos|]; last first.
  rewrite negb_forall => /existsP [i]; rewrite lt0n negbK => /eqP w0.
  by rewrite [\prod_i w i (g i)](bigD1 i) //= w0 mul0n !muln0.
rewrite mulnA [X in _ <= X]mulnA leq_mul2r; apply/orP; right.
by apply: leq_trans (joint pos); rewrite mulnAC.
Qed.
End Product.

(* Some streams may collide; each of the others may have one of several ratios. *)
Section Streams.
Variables (X O F J : finType) (l0 : F) (T s D : nat) (P : 'I_T -> X -> pred O) (same : pred 'I_T).
Variables (collides : 'I_T -> pred X) (has : 'I_T -> F -> pred X) (apart full none : nat) (some : 'I_T -> F -> nat) (cn cs cr : J -> 'I_T -> nat).
Hypothesis each_same : forall i x, same i -> #|[set o | P i x o]| * s <= apart + collides i x * full.
Hypothesis each_other : forall i x, ~~ same i -> #|[set o | P i x o]| * s <= none + \sum_l has i l x * some i l.
Hypothesis joint : forall (Q R : {set 'I_T}) (l : 'I_T -> F), {in Q, forall i, same i} -> {in R, forall i, ~~ same i /\ 0 < some i (l i)} ->
  2 * #|[set x | [forall (i | i \in Q), collides i x] && [forall (i | i \in R), has i (l i) x]]| * D ^ T
  <= #|X| * \sum_j \prod_i (if i \in Q then cs j i else if i \in R then cr j i else cn j i).

Lemma sum_option (G : option F -> nat) : \sum_e G e = G None + \sum_l G (Some l).
Proof.
rewrite (bigD1 None) //=; congr (_ + _); rewrite (reindex_onto Some (odflt l0)) /=; last by case.
by apply: eq_bigl => l; rewrite eqxx.
Qed.

Theorem streams_together :
  2 * #|[set k : X * {ffun 'I_T -> O} | [forall i, P i k.1 (k.2 i)]]| * (s * D) ^ T
  <= #|X| * \sum_j \prod_i (if same i then cn j i * apart + cs j i * full else cn j i * none + cr j i * \sum_l some i l).
Proof.
pose E i e x := if e is Some l then if same i then collides i x else has i l x else true.
pose w i e := if e is Some l then if same i then (l == l0) * full else some i l else if same i then apart else none.
pose u j i (e : option F) := if e is Some _ then if same i then cs j i else cr j i else cn j i.
have at_l0 (G : nat) : \sum_(l : F) (l == l0) * G = G.
  by rewrite -big_distrl /= (bigD1 l0) //= eqxx big1 ?mul1n // => l /negbTE ->.
have each i x : #|[set o | P i x o]| * s <= \sum_e E i e x * w i e.
  rewrite sum_option /E /w mul1n; case: (boolP (same i)) => si; last exact: each_other.
  by apply: leq_trans (each_same x si) _; rewrite -big_distrr /= at_l0.
have all g : (forall i, 0 < w i (g i)) -> 2 * #|[set x | [forall i, E i (g i) x]]| * D ^ T <= #|X| * \sum_j \prod_i u j i (g i).
  move=> pos; pose Q := [set i | same i & g i]; pose R := [set i | ~~ same i & g i].
  have := joint (Q := Q) (R := R) (l := fun i => odflt l0 (g i)) _ _.
  have e1 : [set x | [forall (i | i \in Q), collides i x] && [forall (i | i \in R), has i (odflt l0 (g i)) x]] = [set x | [forall i, E i (g i) x]].
    apply/setP => x; rewrite !inE /E; apply/andP/forallP => [[/forallP q /forallP r] i|h].
      have := q i; have := r i; rewrite !inE; case: (g i) => // l; case: (same i) => /=; [by move=> _ /= h; exact: h | by move=> h _; exact: h].
    by split; apply/forallP => i; have := h i; rewrite inE; case: (g i) => [l|]; case: (same i).
  have e2 j i : (if i \in Q then cs j i else if i \in R then cr j i else cn j i) = u j i (g i).
    by rewrite /u !inE; case: (g i) => [l|]; case: (same i).
  rewrite e1 => h; apply: leq_trans (h _ _) _.
  - by move=> i; rewrite inE => /andP [].
  - move=> i; rewrite inE => /andP [ns]; have := pos i; rewrite /w; case: (g i) => // l; by rewrite (negbTE ns).
  by rewrite leq_mul2l; apply/orP; right; apply: leq_sum => j _; apply: eq_leq; apply: eq_bigr => i _; exact: e2.
apply: leq_trans (product_of_streams each all) _; rewrite leq_mul2l; apply/orP; right; apply: leq_sum => j _; apply: leq_prod => i _.
rewrite sum_option /u /w; case: (same i); last by rewrite big_distrr.
by rewrite -big_distrr /= at_l0.
Qed.
End Streams.

(* Streams of which some collide, some have ratios and the others do anything, as a product over the streams. *)
Lemma as_product (T : nat) (Q R : {set 'I_T}) (count size a D : nat) (r : 'I_T -> nat) : 0 < D -> [disjoint Q & R] ->
  count * D ^ (#|Q| + #|R|) <= 2 ^ #|Q|.-1 * a ^ #|Q| * (\prod_(i in R) r i) * size ->
  2 * count * D ^ T <= size * \sum_(j : bool) \prod_(i < T) (if i \in Q then j * (2 * a) else if i \in R then r i else true * D).
Proof.
move=> D0 QR le; suff: 2 * count * D ^ T <= size * (\prod_(i < T) (if i \in Q then 2 * a else if i \in R then r i else D)
                               + \prod_(i < T) (if i \in Q then 0 else if i \in R then r i else D)).
  move=> h; apply: leq_trans h _; rewrite big_bool; apply: eq_leq; congr (_ * (_ + _)); apply: eq_bigr => i _; by rewrite !mul1n ?mul0n.
have pw (c : nat) (A : {set 'I_T}) : c ^ #|A| = \prod_(i < T) (if i \in A then c else 1).
  by rewrite -prod_nat_const [LHS]big_mkcond.
have power : D ^ T = \prod_(i < T) D by rewrite prod_nat_const card_ord.
have spread c : (\prod_(i < T) (if i \in Q then c else if i \in R then r i else D)) * D ^ (#|Q| + #|R|) = c ^ #|Q| * (\prod_(i in R) r i) * D ^ T.
  rewrite expnD !pw power [\prod_(i in R) r i]big_mkcond -!big_split /=; apply: eq_bigr => i _.
  case: (boolP (i \in Q)) => [iQ|_]; first by rewrite (disjointFr QR iQ); lia.
  by case: (i \in R); lia.
rewrite -(leq_pmul2r (_ : 0 < D ^ (#|Q| + #|R|))) ?expn_gt0 ?D0 // -[X in _ <= X]mulnA mulnDl !spread.
have {}le := leq_mul (leq_mul (leqnn 2) le) (leqnn (D ^ T)).
move: le; move: (D ^ (_ + _)) (D ^ T) => x y le.
apply: leq_trans (leq_trans _ le) _; first by apply: eq_leq; lia.
move: QR; case: (set_0Vmem Q) => [->|[i iQ]] _.
  by rewrite cards0 /= !expn0; apply: eq_leq; lia.
have q0 : 0 < #|Q| by apply/card_gt0P; exists i.
rewrite (exp0n q0) (expnMn 2); case: #|Q| q0 => // q _ /=; rewrite (expnS 2); apply: eq_leq; lia.
Qed.
