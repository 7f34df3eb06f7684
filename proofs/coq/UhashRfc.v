(* UHASH with the numbers and the keys of RFC 4418, one stream: nothing is open. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import zify.
Require Import Constants Primes Uhash UhashBound.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Local Open Scope nat_scope.

Definition byte := 'I_256.
Definition zero : byte := ord0.
Definition little (s : seq byte) : nat := foldr (fun (b : byte) rest => b + 256 * rest) 0 s. (* little-endian *)

Lemma little_lt s : little s < 256 ^ size s.
Proof. by elim: s => //= b s IH; rewrite expnS; have := ltn_ord b; lia. Qed.

Lemma little_inj s s' : size s = size s' -> little s = little s' -> s = s'.
Proof.
elim: s s' => [|b s IH] [|b' s'] //= [Es] E; have := ltn_ord b; have := ltn_ord b' => lb lb'.
congr (_ :: _); first by apply: val_inj => /=; lia.
by apply: IH => //; lia.
Qed.

Definition word N (s : seq byte) : 'Z_N := (little s)%:R%R.
Lemma word_inj N : 256 ^ 4 <= N -> forall s s', size s = 4 -> size s' = 4 -> word N s = word N s' -> s = s'.
Proof.
move=> le s s' z z'; have N1 : 1 < N by apply: leq_trans le.
move=> /(congr1 val) /=; rewrite !val_Zp_nat // !modn_small; first by apply: little_inj; rewrite z z'.
- by apply: leq_trans le; have := little_lt s'; rewrite z'.
- by apply: leq_trans le; have := little_lt s; rewrite z.
Qed.

(* The masks of section 5.3 leave 25 bits of 32. *)
Definition bits25 : finType := [finType of 'I_(2 ^ 25)].
Definition masked64 : finType := [finType of bits25 * bits25].
Definition masked128 : finType := [finType of masked64 * masked64].
Definition number64 (k : masked64) : nat := nat_of_ord k.1 * 2 ^ 32 + nat_of_ord k.2.
Definition number128 (k : masked128) : nat := number64 k.1 * 2 ^ 64 + number64 k.2.

Lemma number64_lt k : number64 k < 2 ^ 57.
Proof. by case: k => a b; rewrite /number64 /=; have := ltn_ord a; have := ltn_ord b; lia. Qed.

Lemma number64_inj : injective number64.
Proof.
move=> [a b] [a' b']; rewrite /number64 /= => E.
have := ltn_ord a; have := ltn_ord b; have := ltn_ord a'; have := ltn_ord b' => *.
by congr (_, _); apply: val_inj => /=; lia.
Qed.

Lemma number128_lt k : number128 k < 2 ^ 121.
Proof. by rewrite /number128; have := number64_lt k.1; have := number64_lt k.2; lia. Qed.

Lemma number128_inj : injective number128.
Proof.
move=> [a b] [a' b']; rewrite /number128 /= => E.
have := number64_lt a; have := number64_lt b; have := number64_lt a'; have := number64_lt b' => *.
by congr (_, _); apply: number64_inj; lia.
Qed.

Definition point64 (k : masked64) : 'F_p64 := (number64 k)%:R%R.
Definition point128 (k : masked128) : 'F_p128 := (number128 k)%:R%R.
Definition word64 : finType := [finType of 'I_(2 ^ 64)].
Definition reduced (w : word64) : 'F_p36 := (nat_of_ord w)%:R%R.

Lemma residues p n b : prime p -> n <= b * p -> forall x : 'F_p, #|[set w : 'I_n | ((w : nat)%:R)%R == x]| <= b.
Proof.
move=> pp le x; have p0 := prime_gt0 pp.
have lt (w : 'I_n) : w %/ p < b by rewrite ltn_divLR // (leq_trans (ltn_ord w)).
rewrite -[X in _ <= X]card_ord -(card_in_imset (f := fun w => Ordinal (lt w))); first exact: max_card.
move=> w w'; rewrite !inE => /eqP E /eqP E' [Eq]; apply: val_inj => /=.
have := congr1 val (etrans E (esym E')); rewrite /= !val_Fp_nat // => Em.
by rewrite (divn_eq w p) (divn_eq w' p) Eq Em.
Qed.

Lemma card_masked64 : #|masked64| = 2 ^ 50. Proof. by rewrite card_prod !card_ord; lia. Qed.
Lemma card_masked128 : #|masked128| = 2 ^ 100. Proof. by rewrite card_prod card_masked64; lia. Qed.

Definition hash_key : finType :=
  [finType of keys (2 ^ 32) masked64 masked128 word64].
Local Notation hash := (@uhash (2 ^ 32) poly64_words p64 limit64 offset64 p128 limit128 offset128 end_mark p36 (2 ^ 32)
  (2 ^ 16) _ zero (word (2 ^ 32)) masked64 masked128 word64 point64 point128 reduced).

(* One stream: two messages of up to 2^64 bytes collide for less than 0.766 * 2^-30 of the keys. *)
Theorem rfc4418_collision (M M' : seq byte) : M != M' -> size M <= 2 ^ 64 -> size M' <= 2 ^ 64 ->
  #|[set k : hash_key | hash k M == hash k M']| * (1000 * 2 ^ 30) <= 766 * #|hash_key|.
Proof.
move=> ne le le'; have q36 := prime36; have q64 := prime64; have q128 := prime128.
have chunks s : s <= 2 ^ 64 -> chunks_of s <= poly64_words + 2 * (2 ^ 53 - 2).
  by rewrite /chunks_of /C /poly64_words; lia.
have inj64 : injective point64.
  move=> a b /(natr_inj q64) E; apply: number64_inj; apply: E; rewrite /p64.
    by have := number64_lt a; lia.
  by have := number64_lt b; lia.
have inj128 : injective point128.
  move=> a b /(natr_inj q128) E; apply: number128_inj; apply: E; rewrite /p128.
    by have := number128_lt a; lia.
  by have := number128_lt b; lia.
have fibre : forall x, #|[set w | reduced w == x]| <= 2 ^ 28 + 1.
  by apply: residues q36 _; rewrite /p36; lia.
have bound : #|[set k | hash k M == hash k M']| * ((2 ^ 32) ^ 2 * (#|masked64| * #|masked128|) * #|word64|)
    <= ((2 ^ 32 + 2) * (#|masked64| * #|masked128|) * #|word64|
        + (2 ^ 32) ^ 2 * (2 * poly64_words * #|masked128| + #|masked64| * (2 * 2 ^ 53)) * #|word64|
        + (2 ^ 32) ^ 2 * (#|masked64| * #|masked128|) * ((2 * 16).-1 * (2 ^ 28 + 1))) * #|hash_key|.
  have N1 : 1 < 2 ^ 32 by lia.
  have lengths : 8 * C < 2 ^ 32 * 2 ^ 32 by rewrite /C; lia.
  have mark0 : 0 < end_mark by rewrite /end_mark; lia.
  have markB : end_mark < 2 ^ 32 * 2 ^ 32 by rewrite /end_mark; lia.
  have n64 : 1 <= poly64_words by rewrite /poly64_words; lia.
  have n128 : 2 <= 2 ^ 53 by lia.
  have a64 : limit64 < p64 by rewrite /limit64 /p64; lia.
  have b64 : offset64 <= limit64 by rewrite /limit64 /offset64; lia.
  have c64 : 2 ^ 32 * 2 ^ 32 <= p64 + offset64 by rewrite /p64 /offset64; lia.
  have a128 : limit128 < p128 by rewrite /limit128 /p128; lia.
  have b128 : offset128 <= limit128 by rewrite /limit128 /offset128; lia.
  have c128 : 2 ^ 32 * 2 ^ 32 * (2 ^ 32 * 2 ^ 32) <= p128 + offset128 by rewrite /p128 /offset128; lia.
  have T0 : 0 < 2 ^ 32 by lia.
  have c36 : p36 <= 16 * 2 ^ 32 by rewrite /p36; lia.
  have D0 : 0 < 2 ^ 16 by lia.
  have D36 : 2 ^ 16 <= p36 by rewrite /p36; lia.
  have fits : [/\ p64 <= 2 ^ 32 * 2 ^ 32 * (2 ^ 32 * 2 ^ 32), 2 ^ 32 * 2 ^ 32 <= (2 ^ 16) ^ 8, p64 <= (2 ^ 16) ^ 8
    & p128 <= (2 ^ 16) ^ 8] by rewrite /p64 /p128; split; lia.
  have bytes4 : 256 ^ 4 <= 2 ^ 32 by lia.
  exact: (uhash_collision zero N1 (word_inj bytes4) lengths mark0 markB n64 n128 q64 a64 b64 c64 q128 a128 b128 c128
    inj64 inj128 q36 T0 c36 fibre D0 D36 fits ne (chunks _ le) (chunks _ le')).
move: bound; rewrite card_masked64 card_masked128 card_ord /poly64_words.
move: #|[set k | _]| #|hash_key| => x y; lia.
Qed.
