(* Tags that are values of a random function at places that the key and the message choose: how far they are from
   random tags. Messages may depend on the tags before them. *)
From mathcomp Require Import all_ssreflect.
From mathcomp Require Import zify.
Require Import Counting.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

(* The adversary: from the tags seen so far the next message. *)
Section Asking.
Variables (R G : finType) (Msg : eqType) (tag : R -> Msg -> G) (query : seq G -> Msg).
Definition asked T := mkseq (fun i => query (take i T)) (size T).
Fixpoint tags r i := if i is j.+1 then rcons (tags r j) (tag r (query (tags r j))) else [::].

Lemma size_tags r i : size (tags r i) = i.
Proof. by elim: i => //= i IH; rewrite size_rcons IH. Qed.
Definition answers r i : i.-tuple G := Tuple (introT eqP (size_tags r i)).

Lemma asked_rcons T g : asked (rcons T g) = rcons (asked T) (query T).
Proof.
rewrite /asked size_rcons /mkseq -addn1 iotaD map_cat /= -!cats1 add0n take_size_cat //; congr (_ ++ _).
by apply/eq_in_map => i; rewrite mem_iota /= => lt; rewrite takel_cat // ltnW.
Qed.

Lemma tagsP r T : (T == map (tag r) (asked T)) = (T == tags r (size T)).
Proof.
elim/last_ind: T => [|T g IH] //; rewrite asked_rcons map_rcons size_rcons /= !eqseq_rcons IH.
by case: eqP => // <-.
Qed.

(* If no list of tags is much rarer than it should be, no set of lists is much more frequent. *)
Variables (q N e : nat).
Hypothesis rare : forall T : q.-tuple G,
  #|R| * N <= #|[set r | T == map (tag r) (asked T) :> seq G]| * #|G| ^ q * N + e * #|R|.
Definition real (A : {set q.-tuple G}) := [set r | answers r q \in A].

Lemma real_split (A : {set q.-tuple G}) : #|real A| = \sum_(T in A) #|[set r | T == map (tag r) (asked T) :> seq G]|.
Proof.
rewrite -sum1_card (partition_big (fun r => answers r q) (mem A)) /=; last by move=> r; rewrite inE.
apply: eq_bigr => T AT; rewrite sum1dep_card; apply: eq_card => r; rewrite !inE tagsP size_tuple.
rewrite -val_eqE /= [RHS]eq_sym; case: eqP => [E|]; rewrite ?andbF // andbT.
by rewrite (_ : answers r q = T) //; apply: val_inj.
Qed.

Theorem indistinguishable_from_below (A : {set q.-tuple G}) :
  #|A| * #|R| * N <= #|real A| * #|G| ^ q * N + e * #|R| * #|A|.
Proof.
have -> : #|A| * #|R| * N = \sum_(T in A) #|R| * N by rewrite sum_nat_const mulnA.
have -> : e * #|R| * #|A| = \sum_(T in A) e * #|R| by rewrite sum_nat_const mulnC.
rewrite real_split -mulnA big_distrl /= -big_split /=.
by apply: leq_sum => T _; rewrite mulnA; exact: rare.
Qed.

Theorem indistinguishable (A : {set q.-tuple G}) : #|real A| * #|G| ^ q * N <= #|A| * #|R| * N + e * #|R| * #|G| ^ q.
Proof.
have := indistinguishable_from_below (~: A).
have -> : real (~: A) = ~: real A by apply/setP => r; rewrite !inE.
have EA := cardsC A; have ER := cardsC (real A); rewrite card_tuple in EA.
by rewrite -{1 2}ER -EA; nia.
Qed.
End Asking.
