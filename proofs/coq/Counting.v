(* Counting: how a statement "for all other key words, one value of this word" becomes a probability. *)
From mathcomp Require Import all_ssreflect.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

(* A key x has a word get x, and set x w replaces it. *)
Section OneWord.
Variables (X W : finType) (get : X -> W) (set : X -> W -> X).
Hypothesis get_set : forall x w, get (set x w) = w.

(* If the other words leave at most one value of this word in A, then A is at most 1/#|W| of all. *)
Lemma count_le (A : {set X}) :
  (forall x y u v, x \in A -> y \in A -> set x u = set y v -> x = y) ->
  #|A| * #|W| <= #|X|.
Proof.
move=> one; pose f (p : X * W) := set p.1 p.2.
have inj : {in setX A setT &, injective f}.
  move=> [x u] [y v] /setXP [Ax _] /setXP [Ay _]; rewrite /f /= => E.
  have Euv : u = v by rewrite -(get_set x u) E get_set.
  by rewrite (one _ _ _ _ Ax Ay E) Euv.
by rewrite -cardsT -cardsX -(card_in_imset inj) max_card.
Qed.

(* If they leave exactly one, A is exactly 1/#|W| of all. *)
Lemma count_eq (A : {set X}) :
  (forall x, set x (get x) = x) -> (forall x u v, set (set x u) v = set x v) ->
  (forall x y u v, x \in A -> y \in A -> set x u = set y v -> x = y) ->
  (forall x, exists w, set x w \in A) ->
  #|A| * #|W| = #|X|.
Proof.
move=> set_get set_set one some; apply/eqP; rewrite eqn_leq count_le //=.
pose f (p : X * W) := set p.1 p.2.
have sub : [set: X] \subset f @: setX A setT.
  apply/subsetP => x _; have [w Aw] := some x; apply/imsetP; exists (set x w, get x).
    by rewrite inE /= Aw inE.
  by rewrite /f /= set_set set_get.
rewrite -cardsT (leq_trans (subset_leq_card sub)) // (leq_trans (leq_imset_card _ _)) //.
by rewrite cardsX cardsT.
Qed.
End OneWord.

(* Keys of words at places, and the word at one place. *)
Section Places.
Variables (I : finType) (W : finType).
Implicit Types (K : {ffun I -> W}) (i : I) (w : W).
Definition put i K w : {ffun I -> W} := [ffun j => if j == i then w else K j].
Lemma put_at i K w : put i K w i = w. Proof. by rewrite ffunE eqxx. Qed.
Lemma put_out i K w j : j != i -> put i K w j = K j.
Proof. by rewrite ffunE => /negbTE ->. Qed.
Lemma put_id i K : put i K (K i) = K.
Proof. by apply/ffunP => j; rewrite ffunE; case: eqP => [->|]. Qed.
Lemma put_put i K u v : put i (put i K u) v = put i K v.
Proof. by apply/ffunP => j; rewrite !ffunE; case: eqP. Qed.
Lemma put_eq i K K' u v : put i K u = put i K' v -> forall j, j != i -> K j = K' j.
Proof. by move=> /ffunP E j ne; move: (E j); rewrite !ffunE (negbTE ne). Qed.
Lemma same_but i K K' u v : put i K u = put i K' v -> K i = K' i -> K = K'.
Proof.
move=> E Ei; apply/ffunP => j; case: (eqVneq j i) => [-> //|]; exact: put_eq E j.
Qed.
End Places.

(* A product of two key spaces: for each y at most t of the w. *)
Lemma count_fibres (Y W : finType) (A : {set Y * W}) (t : nat) :
  (forall y, #|[set w | (y, w) \in A]| <= t) -> #|A| <= #|Y| * t.
Proof.
move=> le; rewrite -sum1_card (eq_bigl (fun p => true && ((p.1, p.2) \in A))); last by case.
rewrite -(pair_big_dep xpredT (fun y w => (y, w) \in A) (fun _ _ => 1)) /=.
rewrite -sum_nat_const; apply: leq_sum => y _.
by rewrite sum1dep_card; move: (le y); rewrite cardsE.
Qed.

(* The same weighted: a bound t y for each y. *)
Lemma count_fibres_sum (Y W : finType) (A : {set Y * W}) (f : nat) (t : Y -> nat) :
  (forall y, #|[set w | (y, w) \in A]| * f <= t y) -> #|A| * f <= \sum_y t y.
Proof.
move=> le; rewrite -sum1_card (eq_bigl (fun p => true && ((p.1, p.2) \in A))); last by case.
rewrite -(pair_big_dep xpredT (fun y w => (y, w) \in A) (fun _ _ => 1)) /= big_distrl /=.
by apply: leq_sum => y _; rewrite sum1dep_card; move: (le y); rewrite cardsE.
Qed.

(* Keys x of a set B, and a word of theirs: if at most r values of it lead into A, whatever the other words are, then A has
   at most r/#|W| of B. B does not look at that word. *)
Section AtMost.
Variables (X W : finType) (get : X -> W) (set : X -> W -> X).
Hypothesis get_set : forall x w, get (set x w) = w.
Hypothesis set_get : forall x, set x (get x) = x.
Hypothesis set_set : forall x u v, set (set x u) v = set x v.

Lemma count_at_most (A B : {set X}) (r : nat) :
  (forall x w, x \in A -> set x w \in B) ->
  (forall x, #|[set w | set x w \in A]| <= r) ->
  #|A| * #|W| <= r * #|B|.
Proof.
move=> closed few.
pose S : {set X * W} := [set p | (p.1 \in B) && (set p.1 p.2 \in A)].
apply: (@leq_trans #|S|).
  pose f (p : X * W) := (set p.1 p.2, get p.1).
  have inj : {in setX A setT &, injective f}.
    move=> [x u] [y v] _ _ [E Eg]; have Euv : u = v by rewrite -(get_set x u) E get_set.
    have : set (set x u) (get x) = set (set y v) (get y) by rewrite E Eg.
    by rewrite !set_set !set_get Euv => ->.
  rewrite -cardsT -cardsX -(card_in_imset inj) subset_leq_card //.
  apply/subsetP => p /imsetP [[x u] /setXP [/= Ax _] ->].
  by rewrite inE /= closed //= set_set set_get.
rewrite -sum1_card (eq_bigl (fun p => (p.1 \in B) && (set p.1 p.2 \in A))); last by move=> p; rewrite inE.
rewrite -(pair_big_dep (fun x => x \in B) (fun x w => set x w \in A) (fun _ _ => 1)) /=.
rewrite mulnC -sum_nat_const; apply: leq_sum => x _.
by have := few x; rewrite sum1dep_card cardsE.
Qed.
End AtMost.

(* A union is at most its parts together. *)
Lemma card_cup (X : finType) (I : Type) (s : seq I) (A : pred I) (S : I -> {set X}) :
  #|\bigcup_(i <- s | A i) S i| <= \sum_(i <- s | A i) #|S i|.
Proof.
elim/big_rec2: _ => [|i m B _ le]; first by rewrite cards0.
by apply: leq_trans (leq_card_setU _ _) _; rewrite leq_add2l.
Qed.
