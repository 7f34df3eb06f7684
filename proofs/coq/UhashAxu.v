(* UHASH of RFC 4418 with its numbers, one stream: 2^-30-almost-xor-universal. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import zify.
Require Import Constants Primes NH Uhash UhashBound UhashRfc L3 L3Xor UhashOwn NhRatio Shift UhashStreams UhashXor.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import GRing.Theory.
Local Open Scope nat_scope.

Lemma bits_inj x y : x < 2 ^ 32 -> y < 2 ^ 32 -> bits x = bits y -> x = y.
Proof.
move=> lx ly E; have [//|ne] := eqVneq x y.
have [i] := digits_differ (D := 2) (n := 32) isT lx ly ne.
have /matrixP /(_ ord0 i) := E; rewrite !mxE !modn2; by case: odd; case: odd.
Qed.

(* The sums of the levels, over all keys: x of y * 2^150 * z. *)
Lemma sum_none (x y z : nat) : x * 2 ^ 64 * (2 ^ 32) ^ 2 <= y * ((2 ^ 32) ^ 2 * (((2 * 2 ^ 14 * 2 ^ 100 + 2 ^ 50 * (2 * 2 ^ 53)) * 2 ^ 64 + 2 ^ 150 * ((2 * 16).-1 * (2 ^ 28 + 1))) * z) + (2 ^ 32 + 2) * (2 ^ 150 * z * 2 ^ 64)) ->
  x * (1000 * 2 ^ 30) <= 766 * (y * (2 ^ 150 * z)).
Proof. lia. Qed.
Lemma sum_long (x y z : nat) : x * (2 ^ 64) ^ 2 <= y * ((2 ^ 150 * level3_bound p36 16 (2 ^ 28 + 1)
    + (2 * poly64_words * 2 ^ 100 + 2 ^ 50 * (2 * 2 ^ 53)) * (p36 * 17) * ((2 ^ 28 + 1) * 2 ^ 64)) * z) ->
  x * (1000 * 2 ^ 30) <= 782 * (y * (2 ^ 150 * z)).
Proof. by rewrite /level3_bound /p36 /poly64_words; lia. Qed.
Lemma quotient : 2 ^ 32 %/ 2 ^ 14 = 2 ^ 18. Proof. by rewrite -[32]/(18 + 14) expnD mulnK // expn_gt0. Qed.
Lemma sum_short (x y z : nat) : x * (2 ^ 64) ^ 2 * (2 ^ 32) ^ 2 <= y * (2 ^ 150 * z * (level3_bound p36 16 (2 ^ 28 + 1) * (2 ^ 32) ^ 2
    + ratio_bound (2 ^ 32) (2 ^ 14) * (p36 * 17 * ((2 ^ 28 + 1) * 2 ^ 64)))) ->
  x * (1000 * 2 ^ 30) <= 782 * (y * (2 ^ 150 * z)).
Proof. by rewrite /level3_bound /ratio_bound quotient /p36; lia. Qed.

Lemma card_same (X : finType) (a b : pred X) : a =1 b -> #|[set k | a k]| = #|[set k | b k]|.
Proof. by move=> E; apply: eq_card => k; rewrite !inE E. Qed.

(* A stream is its own keys' hash of the words of level 1. *)
Lemma uhash_own N n64 p64 l64 o64 p128 l128 o128 mark p T D (byte : eqType) (zero : byte) (elt : seq byte -> 'Z_N)
  (K64 K128 K3 : finType) (point64 : K64 -> 'F_p64) (point128 : K128 -> 'F_p128) (red : K3 -> 'F_p) (K : key1 N) k M :
  uhash n64 l64 o64 l128 o128 mark T D zero elt point64 point128 red (K, k.1, k.2) M
  = own_hash (N * N) n64 l64 o64 l128 o128 mark T D point64 point128 red k (words_of zero elt K M).
Proof. by []. Qed.

Section Numbers.
Let q36 := prime36.
Let q64 := prime64.
Let q128 := prime128.
Local Notation N := (2 ^ 32).
Local Notation hash := (own_hash (N * N) poly64_words limit64 offset64 limit128 offset128 end_mark N (2 ^ 16) point64 point128 reduced).
Local Notation words K M := (words_of zero (UhashRfc.word N) (shifted K ord0) M).
Local Notation key12 := (nh_key N 1 * ((masked64 * masked128) * L3.key word64 8))%type.

Lemma stream_own T (K : nh_key N T) i k M : stream K i k M = hash k (words_of zero (UhashRfc.word N) (shifted K i) M).
Proof. exact: uhash_own. Qed.

Let N1 : 1 < N. Proof. by lia. Qed.
Let H0 : 0 < 2 ^ 14. Proof. by lia. Qed.
Let lengths : 8 * C < N * N. Proof. by rewrite /C; lia. Qed.
Let mark0 : 0 < end_mark. Proof. by rewrite /end_mark; lia. Qed.
Let markB : end_mark < N * N. Proof. by rewrite /end_mark; lia. Qed.
Let n64 : 1 <= poly64_words. Proof. by rewrite /poly64_words; lia. Qed.
Let n128 : 2 <= 2 ^ 53. Proof. by lia. Qed.
Let a64 : limit64 < p64. Proof. by rewrite /limit64 /p64; lia. Qed.
Let b64 : offset64 <= limit64. Proof. by rewrite /limit64 /offset64; lia. Qed.
Let c64 : N * N <= p64 + offset64. Proof. by rewrite /p64 /offset64; lia. Qed.
Let a128 : limit128 < p128. Proof. by rewrite /limit128 /p128; lia. Qed.
Let b128 : offset128 <= limit128. Proof. by rewrite /limit128 /offset128; lia. Qed.
Let c128 : N * N * (N * N) <= p128 + offset128. Proof. by rewrite /p128 /offset128; lia. Qed.
Let T0 : 0 < N. Proof. by lia. Qed.
Let c36 : p36 <= 16 * N. Proof. by rewrite /p36; lia. Qed.
Let D0 : 0 < 2 ^ 16. Proof. by lia. Qed.
Let DD : 2 ^ 16 * 2 ^ 16 <= p36. Proof. by rewrite /p36; lia. Qed.
Let D64 : 2 ^ 16 <= p64. Proof. by rewrite /p64; lia. Qed.
Let D128 : 2 ^ 16 <= p128. Proof. by rewrite /p128; lia. Qed.
Let fits : [/\ p64 <= N * N * (N * N), N * N <= (2 ^ 16) ^ 8, p64 <= (2 ^ 16) ^ 8 & p128 <= (2 ^ 16) ^ 8].
Proof. by rewrite /p64 /p128; split; lia. Qed.
Let bytes4 : 256 ^ 4 <= N. Proof. by lia. Qed.
Let inj64 : injective point64.
Proof.
move=> a b /(natr_inj q64) E; apply: number64_inj; apply: E; rewrite /p64.
  by have := number64_lt a; lia.
by have := number64_lt b; lia.
Qed.
Let inj128 : injective point128.
Proof.
move=> a b /(natr_inj q128) E; apply: number128_inj; apply: E; rewrite /p128.
  by have := number128_lt a; lia.
by have := number128_lt b; lia.
Qed.
Let fibre : forall x, #|[set w | reduced w == x]| <= 2 ^ 28 + 1.
Proof. by apply: residues q36 _; rewrite /p36; lia. Qed.
Let chunks (M : seq byte) : size M <= 2 ^ 64 -> chunks_of (size M) <= poly64_words + 2 * (2 ^ 53 - 2).
Proof. by rewrite /chunks_of /C /poly64_words; lia. Qed.

Let card12 : #|{: masked64 * masked128}| = 2 ^ 150. Proof. by rewrite card_prod card_masked64 card_masked128 -expnD. Qed.
Let card_key : #|{: key12}| = #|{: nh_key N 1}| * (2 ^ 150 * #|{: L3.key word64 8}|).
Proof. by rewrite card_prod; congr (_ * _); rewrite card_prod card12. Qed.

Lemma difference_none (M M' : seq byte) : M != M' -> size M <= 2 ^ 64 -> size M' <= 2 ^ 64 ->
  #|[set k : key12 | hash k.2 (words k.1 M) == hash k.2 (words k.1 M')]| * (1000 * 2 ^ 30) <= 766 * #|{: key12}|.
Proof.
move=> ne le le'.
have bound := xor_none zero N1 H0 (word_inj bytes4) lengths mark0 markB n64 n128 q64 a64 b64 c64 q128 a128 b128 c128 inj64 inj128 q36 T0 c36
  fibre D0 DD D64 D128 fits ne (chunks le) (chunks le').
move: bound; rewrite /level2_bound card_key card12 card_masked64 card_masked128 card_ord /poly64_words.
exact: sum_none.
Qed.

Lemma difference_some f (M M' : seq byte) : injective f -> (forall x, f x != x) -> size M <= 2 ^ 64 -> size M' <= 2 ^ 64 ->
  #|[set k : key12 | hash k.2 (words k.1 M') == f (hash k.2 (words k.1 M))]| * (1000 * 2 ^ 30) <= 782 * #|{: key12}|.
Proof.
move=> fi fm le le'; case: (boolP ((1 < chunks_of (size M)) || (1 < chunks_of (size M')))) => [long|].
  have bound := xor_long zero (word N) N1 mark0 markB n64 n128 q64 a64 b64 c64 q128 a128 b128 c128 inj64 inj128 q36 T0 c36
    fibre D0 DD D64 D128 fits fi fm long (chunks le) (chunks le').
  move: bound; rewrite /level2_bound card_key card12 card_masked64 card_masked128 card_ord; exact: sum_long.
rewrite negb_or -!leqNgt => /andP [s s'].
have one (L : nat) : chunks_of L <= 1 -> chunks_of L = 1 by rewrite /chunks_of ltnS leqn0 => /eqP ->.
have bound := xor_short zero (word N) N1 H0 lengths mark0 markB n64 n128 q64 a64 b64 c64 q128 a128 b128 c128 point64 point128 q36 T0 c36
  fibre D0 DD D64 D128 fits fi fm (one _ s) (one _ s').
move: bound; rewrite card_key card12 card_ord; exact: sum_short.
Qed.

(* One stream, before the last xor: every difference of the hashes of two different messages has less than 0.782 * 2^-30 of
   the keys. *)
Theorem rfc4418_xor (M M' : seq byte) (d : 'rV['F_2]_32) : M != M' -> size M <= 2 ^ 64 -> size M' <= 2 ^ 64 ->
  #|[set k : key12 | (bits (hash k.2 (words k.1 M)) - bits (hash k.2 (words k.1 M')))%R == d]| * (1000 * 2 ^ 30) <= 782 * #|{: key12}|.
Proof.
move=> ne le le'; pose h (k : key12) M0 := hash k.2 (words k.1 M0).
have lt k M0 : h k M0 < N by rewrite ltn_mod.
case: (eqVneq d 0%R) => [d0|nd].
  apply: leq_trans (leq_trans _ (difference_none ne le le')) (leq_mul (isT : 766 <= 782) (leqnn _)).
  rewrite leq_mul2r; apply/orP; right; apply/subset_leq_card/subsetP => k; rewrite !inE d0 subr_eq0 => /eqP E.
  by apply/eqP; apply: (bits_inj (lt k M) (lt k M') E).
have [f [fi fm fd]] := difference_map bits_inj nd.
  apply: leq_trans (difference_some fi fm le le'); rewrite leq_mul2r; apply/orP; right.
  by apply/subset_leq_card/subsetP => k; rewrite !inE => /eqP E; apply/eqP; exact: (fd _ _ (lt k M) (lt k M') E).
Qed.

(* RFC 4418's claim for one stream, UMAC-32. *)
Theorem uhash32 : almost_xor_universal 1.
Proof.
move=> M M' d ne le le'; have bound := rfc4418_xor (row ord0 d) ne le le'.
have sub := leq_trans (count_rows (fun i K o M0 => bits (stream K i o M0)) M M' d)
  (leq_mul (card_one (fun i K o => bits (stream K i o M) - bits (stream K i o M') == row i d)%R) (leqnn _)).
have same : (fun k : key12 => bits (stream k.1 ord0 k.2 M) - bits (stream k.1 ord0 k.2 M') == row ord0 d)%R
    =1 (fun k => (bits (hash k.2 (words k.1 M)) - bits (hash k.2 (words k.1 M')))%R == row ord0 d).
  by move=> k; rewrite !stream_own; reflexivity.
have {}bound : #|[set k : key12 | (bits (stream k.1 ord0 k.2 M) - bits (stream k.1 ord0 k.2 M') == row ord0 d)%R]| * (1000 * 2 ^ 30)
  <= 782 * #|{: key12}| := leq_trans (leq_mul (eq_leq (card_same same)) (leqnn _)) bound.
have {}sub : #|[set k : streams_key 1 | (UHASH k M - UHASH k M')%R == d]|
  <= #|[set k : key12 | (bits (stream k.1 ord0 k.2 M) - bits (stream k.1 ord0 k.2 M') == row ord0 d)%R]| * #|{: 'M['F_2]_(1, 32)}| := sub.
have total : #|{: streams_key 1}| = #|{: key12}| * #|{: 'M['F_2]_(1, 32)}| by exact: card_one_key.
rewrite total (muln1 30); exact: leq_trans (leq_mul sub (leqnn _)) (thousandths #|{: 'M['F_2]_(1, 32)}| (isT : 782 <= 1000) bound).
Qed.
End Numbers.
