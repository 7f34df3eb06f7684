(* From one attempt to a game: adversaries that ask, try and stop as they like. *)
From mathcomp Require Import all_ssreflect.
From mathcomp Require Import zify.
Require Import Counting Games HashThenPrf.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

(* What an adversary keeps to, whatever it is answered: `fair` looks at all messages that were asked for and tried. *)
Section Keeps.
Variables (Msg G : Type) (fair : seq Msg -> seq Msg -> Prop).
Fixpoint keeps_to asked tried (A : adversary Msg G) : Prop := fair asked tried /\ match A with
  | Stop => True
  | Ask m next => forall g, keeps_to (m :: asked) tried (next g)
  | Try m t next => forall b, keeps_to asked (m :: tried) (next b)
  end.
Definition keeps A := keeps_to [::] [::] A.
End Keeps.

(* If one attempt behind given tags succeeds for few of the keys r, few of them are forged. *)
Section Attempts.
Variables (R G : finType) (Msg : eqType) (tag : R -> Msg -> G) (fair : seq Msg -> seq Msg -> Prop) (q v C : nat) (w : nat -> nat).
Hypothesis size_asked : forall asked tried, fair asked tried -> size asked <= q.
Hypothesis size_tried : forall asked tried, fair asked tried -> size tried <= v.
Hypothesis one : forall (s : seq (Msg * G)) (asked tried : seq Msg) m t, uniq (map fst s) -> map fst s =i asked -> size s <= q ->
  fair asked (m :: tried) -> m \notin asked -> #|[set r | agrees s (tag r) && (tag r m == t)]| * w (size s) <= C.
Hypothesis weights : forall i, i <= q -> w q <= w i * #|G| ^ (q - i).

Lemma attempts_from A s (asked tried : seq Msg) : uniq (map fst s) -> map fst s =i asked -> keeps_to fair asked tried A ->
  accepting tag (game asked A) s * w q <= (v - size tried) * C * #|G| ^ (q - size s).
Proof.
elim: A s asked tried => [|m next IH|m t next IH] s asked tried u E [f keeps].
- by rewrite /= accepting_return !mul0n.
- rewrite /=; case: (boolP (m \in map fst s)) => [/mapP [[m' g] ins /= Em]|nm].
    rewrite -Em in ins; rewrite (accepting_known _ _ ins); apply: IH u _ (keeps g) => m''.
    by rewrite inE -E; case: eqP => // ->; rewrite Em; apply/mapP; exists (m', g); rewrite -?Em.
  rewrite accepting_call big_distrl /=; case: (posnP #|G|) => [G0|G0].
    by rewrite big_pred0 // => g; have := max_card (pred1 g); rewrite card1 G0.
  have lt : size s < q.
    have [g _] : exists g, g \in G by apply/card_gt0P.
    have fg : fair (m :: asked) tried by case: (next g) (keeps g) => [|? ?|? ? ?] [].
    apply: leq_trans (size_asked fg); rewrite /= ltnS -(size_map fst); apply: uniq_leq_size => // x.
    by rewrite E.
  rewrite [X in _ * X](_ : _ = #|G| * #|G| ^ (q - (size s).+1)); last by rewrite -expnS -subSn.
  rewrite mulnCA -sum_nat_const; apply: leq_sum => g _; apply: (IH g ((m, g) :: s)) (keeps g); first by rewrite /= nm.
  by move=> x; rewrite !inE E.
- have size_s : size s <= q.
    apply: leq_trans (size_asked f); rewrite -(size_map fst); apply: uniq_leq_size => // x.
    by rewrite E.
  have fb (b : bool) : fair asked (m :: tried) by case: (next b) (keeps b) => [|? ?|? ? ?] [].
  have one_less : v - size tried = (v - size (m :: tried)).+1.
    by have := size_tried (fb true); rewrite /=; lia.
  have later (b : bool) : accepting tag (game asked (next b)) s * w q <= (v - size (m :: tried)) * C * #|G| ^ (q - size s).
    exact: IH u E (keeps b).
  case: (boolP (m \in asked)) => [inm|nm] /=.
    have /mapP [[m' g] ins /= Em] : m \in map fst s by rewrite E.
    rewrite -Em in ins; rewrite (accepting_known _ _ ins) inm /=; apply: leq_trans (later _) _.
    by rewrite one_less !leq_mul2r /= leqnSn !orbT.
  apply: (@leq_trans (#|[set r | agrees s (tag r) && (tag r m == t)] :|:
      [set r | agrees s (tag r) && run (tag r) (game asked (next false))]| * w q)).
    rewrite leq_mul2r; apply/orP; right; apply/subset_leq_card/subsetP => r; rewrite !inE nm /= => /andP [->].
    by case: eqP.
  apply: leq_trans (leq_mul (leq_card_setU _ _) (leqnn _)) _; rewrite mulnDl one_less mulSn mulnDl; apply: leq_add (later false).
  apply: leq_trans (leq_mul (leqnn _) (weights size_s)) _; rewrite mulnA leq_mul2r; apply/orP; right.
  exact: one u E size_s (fb true) nm.
Qed.

Theorem attempts A : keeps fair A -> #|[set r | forges (tag r) A]| * w q <= v * C * #|G| ^ q.
Proof.
by move=> k; have := @attempts_from A [::] [::] [::] isT (fun=> erefl) k; rewrite !subn0.
Qed.
End Attempts.

(* Two families of functions, the second without what is too rare in the first: a program says yes at most so much more
   often with the first. *)
Section Rare.
Variables (D : eqType) (C R R' : finType) (at_ : R -> D -> C) (at' : R' -> D -> C) (fair : seq D -> Prop) (N e : nat).
Hypothesis rare : forall s : seq (D * C), uniq (map fst s) -> fair (map fst s) ->
  #|R| * all_of at' s * N <= all_of at_ s * #|R'| * N + e * #|R| * all_of at' s.

(* The calls so far are fair, whatever they gave; a call that is repeated counts once. *)
Fixpoint calls_fair xs (p : program D C bool) : Prop := match p with
  | Return _ => fair xs
  | Call x next => forall y, calls_fair (if x \in xs then xs else x :: xs) (next y)
  end.

Lemma rarely_from p s : uniq (map fst s) -> calls_fair (map fst s) p ->
  #|R| * accepting at' p s * N <= accepting at_ p s * #|R'| * N + e * #|R| * accepting at' p s.
Proof.
elim: p s => [b|x next IH] s u /= f.
  by rewrite !accepting_return; have := rare u f; case: b {f}; rewrite ?mul1n ?mul0n ?muln0.
case: (boolP (x \in map fst s)) f => [/mapP [[x' y] ins /= ->] f|nx f].
  by rewrite !(accepting_known _ _ ins); apply: IH.
rewrite !accepting_call !big_distrr /= !big_distrl -big_split /=; apply: leq_sum => y _.
by apply: IH; [rewrite /= nx | exact: f].
Qed.

Theorem rarely p : calls_fair [::] p ->
  #|[set r | run (at_ r) p]| * #|R'| * N <= #|[set r | run (at' r) p]| * #|R| * N + e * #|R| * #|R'|.
Proof.
move=> f; pose no := bind p (fun b => Return (~~ b)).
have fno : calls_fair [::] no by elim: p [::] f @no => [b|x next IH] xs f //= y; exact: IH (f y).
have E (S : finType) (name : S -> D -> C) : accepting name no [::] + #|[set r | run (name r) p]| = #|S|.
  rewrite -[in RHS](cardsC [set r | run (name r) p]) addnC; congr (_ + _).
  by apply: eq_card => r; rewrite !inE /= run_bind.
by have := rarely_from (isT : uniq (map fst [::])) fno; have := E _ at_; have := E _ at'; nia.
Qed.
End Rare.

(* A random function, and what is cut from its values, each cut for as many of them. *)
Section Cut.
Variables (X B C : finType) (cut : B -> C).
Hypothesis even : forall c, #|[set b | cut b == c]| * #|C| <= #|B|.

Lemma cut_functions (S : {set {ffun X -> C}}) :
  #|[set f : {ffun X -> B} | [ffun x => cut (f x)] \in S]| * #|{: {ffun X -> C}}| <= #|S| * #|{: {ffun X -> B}}|.
Proof.
have one (g : {ffun X -> C}) :
    #|[set f : {ffun X -> B} | [ffun x => cut (f x)] == g]| * #|{: {ffun X -> C}}| <= #|{: {ffun X -> B}}|.
  pose F x : pred B := [pred b | cut b == g x].
  have -> : #|[set f : {ffun X -> B} | [ffun x => cut (f x)] == g]| = #|(family F : pred {ffun X -> B})|.
    rewrite cardsE; apply: eq_card => f; apply/eqP/familyP => [E x|E]; first by rewrite inE /= -E ffunE.
    by apply/ffunP => x; have := E x; rewrite inE /= ffunE => /eqP.
  rewrite card_family !card_ffun -!prod_nat_const.
  have -> : foldr muln 1 [seq #|F x| | x : X] = \prod_(x in X) #|F x| by rewrite foldrE big_map big_enum.
  rewrite -big_split; apply: leq_prod => x _; have := even (g x); rewrite cardsE; apply: leq_trans.
  by apply: eq_leq; congr (_ * _); apply: eq_card => b.
rewrite -sum1_card (partition_big (fun f : {ffun X -> B} => [ffun x => cut (f x)]) (mem S)) /=; last by move=> f; rewrite inE.
rewrite big_distrl -sum_nat_const /=; apply: leq_sum => g inS; rewrite sum1dep_card; apply: leq_trans (one g).
by rewrite leq_mul2r; apply/orP; right; apply/subset_leq_card/subsetP => f; rewrite !inE => /andP [].
Qed.
End Cut.
