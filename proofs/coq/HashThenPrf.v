(* A random function of the hash and the nonce: Lemma 8.1 and Theorem 8.2 of UMAC (CRYPTO '99). A hash need only be
   almost universal here: collisions count, differences do not. *)
From mathcomp Require Import all_ssreflect.
From mathcomp Require Import zify.
Require Import Counting Prf Attempts.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

(* How many functions take given values. *)
Lemma functions_taking (D G : finType) (xs : seq D) (ys : seq G) : uniq xs -> size ys = size xs ->
  #|[set f : {ffun D -> G} | map f xs == ys]| * #|G| ^ size xs <= #|{: {ffun D -> G}}|.
Proof.
elim: xs ys => [|x xs IH] [|y ys] //=; first by rewrite expn0 muln1 max_card.
move=> /andP [nx ux] [Es]; rewrite expnS mulnA; apply: leq_trans (IH ys ux Es); rewrite leq_mul2r; apply/orP; right.
rewrite -[X in _ <= X]mul1n.
apply: (@count_at_most _ _ (fun f : {ffun D -> G} => f x) (put x)).
- by move=> f z; exact: put_at.
- by move=> f; exact: put_id.
- by move=> f a b; exact: put_put.
- move=> f z; rewrite !inE eqseq_cons => /andP [_ /eqP <-]; apply/eqP/eq_in_map => t int; apply: put_out.
  by apply: contraNneq nx => <-.
- move=> f; apply: (@leq_trans #|[set y]|); last by rewrite cards1.
  apply/subset_leq_card/subsetP => z; rewrite !inE eqseq_cons put_at => /andP [/eqP ->].
  by rewrite eqxx.
Qed.

Lemma uniq_fst (A B : eqType) (s : seq (A * B)) : uniq (map fst s) -> {in s &, injective fst}.
Proof.
elim: s => [|p s IH] //= /andP [n u] x y; rewrite !inE => /orP [/eqP ->|inx] /orP [/eqP ->|iny] // E.
- by move/negP: n; case; rewrite E map_f.
- by move/negP: n; case; rewrite -E map_f.
- exact: IH.
Qed.

Section HashThenPrf.
Variables (K B Nonce G : finType) (Msg : eqType) (h : K -> Msg -> B) (ok : pred Msg) (e N : nat).
Hypothesis universal : forall M M', M != M' -> ok M -> ok M' -> #|[set k | h k M == h k M']| * N <= e * #|K|.
Definition function := {ffun B * Nonce -> G}.
Definition tag (kf : K * function) (NM : Nonce * Msg) : G := kf.2 (h kf.1 NM.2, NM.1).

Variables (q u v : nat) (query : seq G -> Nonce * Msg) (tries : seq G -> seq ((Nonce * Msg) * {set G})).
Hypothesis ok_query : forall T, ok (query T).2.
Hypothesis ok_tries : forall T a, a \in tries T -> ok a.1.2.
Hypothesis nonces : forall T, size T <= q -> uniq (map fst (asked query T)).
Hypothesis width : forall T a, a \in tries T -> #|a.2| <= u.
Hypothesis total : forall T, size T = q -> \sum_(i < q.+1) size (tries (take i T)) <= v.

(* Where the functions are called for the messages that were asked for. *)
Definition places k T := [seq (h k NM.2, NM.1) | NM <- asked query T].
Lemma places_uniq k T : size T <= q -> uniq (places k T).
Proof.
move=> le; apply: (@map_uniq _ _ snd); rewrite /places -(map_comp snd); exact: nonces.
Qed.

Lemma size_places k T : size (places k T) = size T. Proof. by rewrite size_map size_mkseq. Qed.

Implicit Types (T : seq G) (a : (Nonce * Msg) * {set G}).

Lemma event_tags k T a : [set f : function | (k, f) \in event tag query T a]
  = [set f : function | (map f (places k T) == T) && (f (h k a.1.2, a.1.1) \in a.2)].
Proof. by apply/setP => f; rewrite !inE /= [T == _]eq_sym /places -(map_comp f). Qed.

(* A place that is new. *)
Lemma fresh_place k T a : size T <= q -> #|a.2| <= u -> (h k a.1.2, a.1.1) \notin places k T ->
  #|[set f : function | (k, f) \in event tag query T a]| * #|G| ^ (size T).+1 <= u * #|{: function}|.
Proof.
move=> le wid new; rewrite event_tags; pose x := (h k a.1.2, a.1.1).
pose S g := [set f : function | map f (x :: places k T) == g :: T].
have sub : [set f : function | (map f (places k T) == T) && (f x \in a.2)] \subset \bigcup_(g in a.2) S g.
  apply/subsetP => f; rewrite inE => /andP [/eqP E ing]; apply/bigcupP; exists (f x) => //.
  by rewrite inE /= E.
apply: leq_trans (leq_mul (subset_leq_card sub) (leqnn _)) _.
apply: leq_trans (leq_mul (card_cup _ _ _) (leqnn _)) _; rewrite big_distrl /=.
apply: leq_trans (leq_mul wid (leqnn _)); rewrite -sum_nat_const; apply: leq_sum => g _.
have := @functions_taking _ _ (x :: places k T) (g :: T); rewrite /= size_places; apply=> //.
by rewrite new places_uniq.
Qed.

Lemma one_attempt T a : size T <= q -> a \in tries T -> a.1 \notin asked query T ->
  #|event tag query T a| * (#|G| ^ size T * (#|G| * N)) <= (e * #|G| + u * N) * (#|K| * #|{: function}|).
Proof.
move=> le ina fresh; have wid := width ina.
(* the keys for which the place is one that was asked for *)
pose bad := [set k | (h k a.1.2, a.1.1) \in places k T].
have few : #|bad| * N <= e * #|K|.
  case: (boolP (a.1.1 \in map fst (asked query T))) => [/mapP [NM inA EN] | newN]; last first.
    rewrite (_ : bad = set0) ?cards0 //; apply/setP => k; rewrite !inE; apply/negP => /mapP [NM inA [_ EN]].
    by move/negP: newN; apply; rewrite EN map_f.
  have ne : a.1.2 != NM.2 by apply: contraNneq fresh => EM; rewrite [a.1]surjective_pairing EM EN -surjective_pairing.
  apply: leq_trans (universal ne (ok_tries ina) _); last by move/mapP: inA => [i _ ->]; exact: ok_query.
  rewrite leq_mul2r; apply/orP; right; apply/subset_leq_card/subsetP => k; rewrite !inE => /mapP [NM' inA' [Eh EN']].
  suff -> : NM = NM' by rewrite Eh.
  by apply: (uniq_fst (nonces le)) => //; rewrite -EN -EN'.
pose weight k := if k \in bad then #|{: function}| * #|G| else u * #|{: function}|.
have sum : #|event tag query T a| * #|G| ^ (size T).+1 <= \sum_k weight k.
  apply: count_fibres_sum => k; rewrite /weight inE; case: ifP => inb; last first.
    by apply: fresh_place => //; rewrite inb.
  rewrite expnSr mulnA leq_mul2r; apply/orP; right.
  have := @functions_taking _ _ (places k T) T; rewrite size_places => le'.
  apply: leq_trans (le' (places_uniq k le) erefl); rewrite leq_mul2r; apply/orP; right; rewrite event_tags.
  by apply/subset_leq_card/subsetP => f; rewrite !inE => /andP [].
have le_sum : \sum_k weight k <= #|bad| * (#|{: function}| * #|G|) + #|K| * (u * #|{: function}|).
  rewrite (bigID (mem bad)) /= -(sum_nat_const (mem bad)) -(sum_nat_const (mem K)); apply: leq_add.
    by apply: leq_sum => k; rewrite /weight => ->.
  rewrite big_mkcond; apply: leq_sum => k _ /=; case: ifP => // n.
  by rewrite /weight (negbTE n).
have := leq_mul (leq_trans sum le_sum) (leqnn N); rewrite -mulnA expnSr -mulnA => all; apply: leq_trans all _.
have := leq_mul few (leqnn (#|{: function}| * #|G|)).
by move: #|bad| #|G| #|{: function}| #|K| => b g f s; nia.
Qed.

(* Lemma 8.1: v (e / N + u / #|G|), with 1 / #|G| where a tag is whole. *)
Definition forged := Attempts.forged tag query q tries.
Theorem lemma81 : #|forged| * (#|G| * N) <= v * (e * #|G| + u * N) * (#|K| * #|{: function}|).
Proof.
case: (posnP #|G|) => [E|G0]; first by rewrite E mul0n muln0.
pose w i := #|G| ^ i * (#|G| * N).
have weights i : i <= q -> w q <= w i * #|G| ^ (q - i).
  by move=> le; rewrite /w mulnAC -expnD subnKC.
have := @forgeries _ _ _ tag query q v _ w tries total one_attempt weights.
by rewrite /w -/forged mulnCA [X in _ <= X -> _]mulnC leq_pmul2l ?expn_gt0 ?G0 // -(mulnA v).
Qed.

(* Theorem 8.2: a family of functions in place of the random one. d / N' is its advantage for those who choose a hash
   key, run the adversary and its attempts with the function and say whether there was a forgery: q + v calls. *)
Variables (S : finType) (f : S -> function) (d N' : nat).
Definition tag_with (ks : K * S) := tag (ks.1, f ks.2).
Definition forged_with := Attempts.forged tag_with query q tries.
Hypothesis pseudorandom : #|forged_with| * #|{: function}| * N' <= #|forged| * #|S| * N' + d * #|K| * #|S| * #|{: function}|.

Theorem theorem82 : #|forged_with| * (#|G| * N * N')
  <= (v * (e * #|G| + u * N) * N' + d * (#|G| * N)) * (#|K| * #|S|).
Proof.
case: (posnP #|{: function}|) => [E|F0].
  by move/eqP: E; rewrite card_ffun expn_eq0 => /andP [/eqP ->]; rewrite !mul0n muln0.
rewrite -(leq_pmul2r F0); have := leq_mul pseudorandom (leqnn (#|G| * N)); have := leq_mul lemma81 (leqnn (#|S| * N')).
by move: #|forged_with| #|forged| #|{: function}| #|G| #|K| #|S| => a b c g k s; nia.
Qed.
End HashThenPrf.
