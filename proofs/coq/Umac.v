(* The MAC of UMAC's paper (CRYPTO '99), put together: blocks under NHT or NHST (Theorems 5.1, 5.2), the length (6.1),
   and a function of hash and nonce (8.1, 8.2). Figure 1 has this form: words of 32 bits without signs, 512 pairs, one key. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import zify.
Require Import Counting Prf Attempts NH Toeplitz Blocks HashThenPrf.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import GRing.Theory.
Local Open Scope nat_scope.

Section Hash.
Variables (W : finZmodType) (V : finZmodType) (g : W -> W -> V) (r : nat).
Hypothesis clause : forall (c c' m m' : W) (d : V), c != c' ->
  #|[set k : W | (g c (k + m) - g c' (k + m'))%R == d]| <= r.
Hypothesis sym : forall x y, g x y = g y x.
Variables (byte : eqType) (zero : byte) (wb : nat) (elt : seq byte -> W). (* bytes of a word, and their word *)
Hypothesis wb0 : 0 < wb.
Hypothesis elt_inj : forall s s', size s = wb -> size s' = wb -> elt s = elt s' -> s = s'.
Variables n t : nat. (* pairs of words of a block, keys *)
Hypothesis n0 : 0 < n.

Definition pair := 2 * wb.
Definition words (s : seq byte) : msg W n :=
  [ffun p : 'I_n * bool => elt (mkseq (fun i => nth zero s (pair * p.1 + wb * p.2 + i)) wb)].

(* The hash of a string of whole pairs: their products. *)
Definition nht (K : key W n t) (s : seq byte) : {ffun 'I_t -> V} :=
  [ffun j => (\sum_(i < n | (pair * i < size s)%N) term g K (words s) j i)%R].

Lemma words_differ s s' : s != s' -> size s = size s' -> size s <= n * pair -> words s != words s'.
Proof.
move=> ne Es le; apply: contra ne => /eqP E; apply/eqP/(@eq_from_nth _ zero) => // a lt.
have lti : a %/ pair < n by rewrite ltn_divLR ?(leq_trans lt) // /pair muln_gt0.
pose b := wb <= a %% pair; pose c := a %% pair - wb * b.
have ltc : c < wb.
  have := ltn_pmod a (_ : 0 < pair); rewrite /c /b /pair muln_gt0 wb0 => /(_ isT).
  by move: (a %% _); clear=> v; case: leqP => ? ?; lia.
have Ea : pair * Ordinal lti + wb * b + c = a.
  by have := divn_eq a pair; rewrite /= mulnC /c /b; case: leqP => ?; rewrite ?muln1 ?muln0; lia.
have := congr1 (fun M : msg W n => M (Ordinal lti, b)) E; rewrite !ffunE => /elt_inj.
rewrite !size_mkseq => /(_ erefl erefl) /(congr1 (nth zero ^~ c)).
by rewrite !nth_mkseq // Ea.
Qed.

Lemma nht_universal s s' : s != s' -> size s = size s' -> 0 < size s <= n * pair -> pair %| size s ->
  #|[set K | nht K s == nht K s']| * #|W| ^ t <= r ^ t * #|{: key W n t}|.
Proof.
move=> ne Es /andP [_ le] whole; have bound := @toeplitz _ _ _ _ clause sym n t _ _ (fun=> 0%R) (words_differ ne Es le).
apply: leq_trans bound; rewrite leq_mul2r; apply/orP; right; apply/subset_leq_card/subsetP => K.
rewrite !inE => /eqP E; apply/forallP => j; have := congr1 (fun v : {ffun 'I_t -> V} => v j) E.
rewrite !ffunE /Toeplitz.hash -Es => Ej.
rewrite (bigID (fun i : 'I_n => pair * i < size s)) [X in (_ - X)%R](bigID (fun i : 'I_n => pair * i < size s)) /=.
rewrite Ej opprD addrACA subrr add0r subr_eq0; apply/eqP/eq_bigr => i; rewrite -leqNgt => out.
have beyond b : words s (i, b) = words s' (i, b).
  rewrite !ffunE; congr elt; apply: eq_mkseq => a /=; rewrite !nth_default // -?Es;
    by apply: leq_trans out _; rewrite -addnA leq_addr.
by rewrite /term !beyond.
Qed.

(* Messages of at most m blocks have a finite number of hashes. *)
Variable m : nat.
Let block_bytes := n * pair.
Let block0 : 0 < block_bytes. Proof. by rewrite !muln_gt0 n0 wb0. Qed.
Let pair0 : 0 < pair. Proof. by rewrite muln_gt0 wb0. Qed.
Definition hash_value : finType := [finType of {bseq m of {ffun 'I_t -> V}} * 'I_block_bytes.+1].
Definition ok (M : seq byte) := up (size M) block_bytes <= m.
Definition hash (K : key W n t) M : hash_value :=
  let h := Blocks.hash zero nht block_bytes pair K M in (insub_bseq m h.1, inord h.2).

Lemma hash_universal M M' : M != M' -> ok M -> ok M' ->
  #|[set K | hash K M == hash K M']| * #|W| ^ t <= r ^ t * #|{: key W n t}|.
Proof.
move=> ne okM okM'; apply: leq_trans (theorem61 zero block0 pair0 (dvdn_mull n (dvdnn pair)) nht_universal ne).
rewrite leq_mul2r; apply/orP; right; apply/subset_leq_card/subsetP => K; rewrite !inE => /eqP E; apply/eqP.
have small a : a %% block_bytes < block_bytes.+1 by rewrite ltnS ltnW // ltn_mod.
have E1 := congr1 (fun h : hash_value => val h.1) E; have E2 := congr1 (fun h : hash_value => val h.2) E.
rewrite /= !val_insubd !size_mkseq -/(ok _) okM -/(ok _) okM' in E1.
rewrite /= !inordK // in E2.
by rewrite /Blocks.hash E1 E2.
Qed.

(* The MAC: the bound of the hash and a guess, for each attempt. *)
Section Mac.
Variables (Nonce G : finType) (q u v : nat) (query : seq G -> Nonce * seq byte).
Variable tries : seq G -> seq ((Nonce * seq byte) * {set G}).
Hypothesis ok_query : forall T, ok (query T).2.
Hypothesis ok_tries : forall T a, a \in tries T -> ok a.1.2.
Hypothesis nonces : forall T, size T <= q -> uniq (map fst (asked query T)).
Hypothesis width : forall T a, a \in tries T -> #|a.2| <= u.
Hypothesis total : forall T, size T = q -> \sum_(i < q.+1) size (tries (take i T)) <= v.

Theorem umac : #|forged hash q query tries| * (#|G| * #|W| ^ t)
  <= v * (r ^ t * #|G| + u * #|W| ^ t) * (#|{: key W n t}| * #|{: function hash_value Nonce G}|).
Proof. exact: (lemma81 hash_universal ok_query ok_tries nonces width total). Qed.
End Mac.
End Hash.

(* With words of w bits: v (2^-wt + u / #|G|), and 2^t times the first term with signed words. *)
Section Named.
Variable w : nat.
Hypothesis w1 : 0 < w.
Let N := 2 ^ w.
Let N1 : 1 < N. Proof. by rewrite -[1]/(2 ^ 0) ltn_exp2l. Qed.
Let half_le : 2 ^ w.-1 <= N. Proof. by rewrite leq_exp2l // leq_pred. Qed.
Definition unsigned_words := @umac [finZmodType of 'Z_N] [finZmodType of 'Z_(N * N)] (@unsigned N) 1
  (unsigned_clause N1) (fun x y => congr1 (fun p => p%:R%R) (mulnC x y)).
Definition signed_words := @umac [finZmodType of 'Z_N] [finZmodType of 'Z_(N * N)] (@product N (2 ^ w.-1)) 2
  (product_clause N1 half_le) (fun x y => congr1 (fun p => p%:~R%R) (mulrC (signed _ x) (signed _ y))).
End Named.
