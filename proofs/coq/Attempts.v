(* An adversary that asks for q tags and makes v attempts: from the probability that one attempt succeeds behind given
   tags to that of a forgery. What the tags are made of, a hash key and pads or a function, is abstract here. *)
From mathcomp Require Import all_ssreflect.
From mathcomp Require Import zify.
Require Import Counting Prf.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

(* Tuples that begin with given ones. *)
Lemma sum_take (T : finType) (i q : nat) (f : seq T -> nat) : i <= q ->
  (\sum_(t : i.-tuple T) f t) * #|T| ^ (q - i) <= \sum_(t : q.-tuple T) f (take i t).
Proof.
move=> le; have sz (t : q.-tuple T) : size (take i t) == i by rewrite size_takel ?size_tuple.
rewrite (partition_big (fun t => Tuple (sz t)) xpredT) //= big_distrl /=.
apply: leq_sum => t _.
rewrite (eq_bigr (fun _ => f t)) => [|t' /eqP <-] //.
rewrite sum_nat_const mulnC leq_mul2r; apply/orP; right.
have szc (r : (q - i).-tuple T) : size (t ++ r) == q by rewrite size_cat !size_tuple subnKC.
rewrite -(card_tuple (q - i) T) -cardsT -(card_in_imset (f := fun r => Tuple (szc r))).
  apply/subset_leq_card/subsetP => t' /imsetP [r _ ->]; rewrite unfold_in /=.
  by rewrite take_size_cat ?size_tuple //; exact/(@eqP (seq_eqType T)).
move=> r r' _ _ /(congr1 val) /= /eqP; rewrite eqseq_cat // => /andP [_ /eqP E]; exact: val_inj.
Qed.

Lemma asked_take (G : finType) (Msg : eqType) (query : seq G -> Msg) i T :
  i <= size T -> asked query (take i T) = take i (asked query T).
Proof.
move=> le; rewrite /asked size_takel // /mkseq -map_take take_iota (minn_idPl le).
by apply/eq_in_map => j; rewrite mem_iota => /andP [_ lt]; rewrite take_take // ltnW.
Qed.

Section Attempts.
Variables (R G : finType) (Msg : eqType) (tag : R -> Msg -> G) (query : seq G -> Msg).

(* From the tags seen so far attempts, each a message (with its nonce) and the whole tags that a tag of t bytes stands
   for. That they depend on tags only loses nothing: up to the first forgery attempts are answered with no, but for
   those of a message that was asked, whose answers follow from the tags. *)
Variables (q v C : nat) (w : nat -> nat) (tries : seq G -> seq (Msg * {set G})).
Hypothesis total : forall T, size T = q -> \sum_(i < q.+1) size (tries (take i T)) <= v.

(* The tags are T, and an attempt after them succeeds. *)
Definition event (T : seq G) (a : Msg * {set G}) : {set R} :=
  [set r | (T == map (tag r) (asked query T)) && (tag r a.1 \in a.2)].
Hypothesis one : forall T a, size T <= q -> a \in tries T -> a.1 \notin asked query T ->
  #|event T a| * w (size T) <= C.
Hypothesis weights : forall i, i <= q -> w q <= w i * #|G| ^ (q - i).

Definition forges r T := has (fun a : Msg * {set G} => (a.1 \notin asked query T) && (tag r a.1 \in a.2)) (tries T).
Definition forged : {set R} := \bigcup_(i < q.+1) [set r | forges r (tags tag query r i)].

(* After i tags. *)
Lemma stage i : i <= q ->
  #|[set r | forges r (tags tag query r i)]| * w i <= (\sum_(T : i.-tuple G) size (tries T)) * C.
Proof.
move=> le; pose all := \bigcup_(T : i.-tuple G) \bigcup_(a <- tries T | a.1 \notin asked query T) event T a.
have sub : [set r | forges r (tags tag query r i)] \subset all.
  apply/subsetP => r; rewrite inE /= => /hasP [a ina /andP [fresh acc]].
  have sz : size (tags tag query r i) == i by rewrite size_tags.
  apply/bigcupP; exists (Tuple sz) => //=; rewrite big_tnth; have [j Ej] := seq_tnthP ina.
  by apply/bigcupP; exists j; rewrite -?Ej // inE /= acc tagsP size_tags eqxx.
apply: leq_trans (leq_mul (subset_leq_card sub) (leqnn _)) _.
apply: leq_trans (leq_mul (card_cup _ _ _) (leqnn _)) _; rewrite !big_distrl /=.
apply: leq_sum => T _; apply: leq_trans (leq_mul (card_cup _ _ _) (leqnn _)) _.
rewrite big_distrl /= -sum1_size big_distrl /= big_seq_cond [X in _ <= X]big_seq.
apply: (@leq_trans (\sum_(a <- tries T | (a \in tries T) && (a.1 \notin asked query T)) C)).
  by apply: leq_sum => a /andP [ina fresh]; have := @one T a; rewrite size_tuple; exact.
by rewrite big_mkcond [X in _ <= X]big_mkcond /=; apply: leq_sum => a _; case: (a \in _) => //=; rewrite mul1n; case: ifP.
Qed.

Theorem forgeries : #|forged| * w q <= v * C * #|G| ^ q.
Proof.
apply: leq_trans (leq_mul (card_cup _ _ _) (leqnn _)) _; rewrite big_distrl /=.
apply: (@leq_trans (\sum_(i < q.+1) (\sum_(T : q.-tuple G) size (tries (take i T))) * C)).
  apply: leq_sum => i _; have le : i <= q by rewrite -ltnS.
  apply: leq_trans (leq_mul (leqnn _) (weights le)) _; rewrite mulnA.
  apply: leq_trans (leq_mul (stage le) (leqnn _)) _; rewrite mulnAC leq_mul2r.
  by rewrite (sum_take (fun T => size (tries T)) le) orbT.
rewrite -big_distrl /= exchange_big /=.
apply: (@leq_trans ((\sum_(T : q.-tuple G) v) * C)).
  by rewrite leq_mul2r; apply/orP; right; apply: leq_sum => T _; rewrite total // size_tuple.
by rewrite sum_nat_const card_tuple [_ * v]mulnC mulnAC.
Qed.
End Attempts.
