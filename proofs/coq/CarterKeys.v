(* Carter with its own subkeys: the blocks that are encrypted, how the keys are cut from them, that they are uniform, and Theorem 4
   with nothing left open. Elements are numbers below 2^128 (BinaryField.v), which are strings of 16 bytes, the lowest first. *)
From Coq Require Import NArith.
From mathcomp Require Import all_ssreflect all_algebra all_fingroup all_field.
From mathcomp Require Import zify.
Require Subkeys.
Require Import Balanced UhashRfc Rfc4418 Carter Theorem3 Games Forgeries Pads CipherMac Theorem4 Aes RunField BinaryField TieUmac TieMac TieField.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import GRing.Theory.
Local Open Scope nat_scope.
Local Opaque expn times.

(* Bytes of numbers, bit by bit. *)
Lemma nth_bytes k (a : N) i : i < k -> nth 0%num (bytes_of k a) i = byte_at (bin_of_nat (k.-1 - i)) a.
Proof.
move=> lt; rewrite (nth_map 0) ?size_rev ?size_iota // nth_rev ?size_iota // nth_iota; last by clear -lt; lia.
by rewrite add0n; congr (byte_at (bin_of_nat _) a); clear -lt; lia.
Qed.
Lemma size_bytes k a : size (bytes_of k a) = k. Proof. by rewrite size_map size_rev size_iota. Qed.
Lemma byte_small i a : nat_of_bin (byte_at i a) < 2 ^ 8. Proof. exact (low_small 8 _). Qed.
Lemma bytes_only_bytes k a : bytes_only (bytes_of k a).
Proof. by move=> b /mapP [i _ ->]; exact: byte_small. Qed.
Lemma byte_bit i (a : N) j : j < 8 -> odd (nat_of_bin (byte_at (bin_of_nat i) a) %/ 2 ^ j) = odd (nat_of_bin a %/ 2 ^ (8 * i + j)).
Proof.
move=> lt; rewrite /byte_at (bin_low 8) odd_mod // bin_shiftr' nat_of_mul_bin bin_of_natK -divnMA -expnD //.
Qed.
Lemma row_before8 n r j : r < n -> 8 * (n - r) + j = 8 + (8 * (n.-1 - r) + j). Proof. lia. Qed.
Lemma big_bit (s : seq N) r j : bytes_only s -> r < size s -> j < 8 ->
  odd (nat_of_bin (big s) %/ 2 ^ (8 * ((size s).-1 - r) + j)) = odd (nat_of_bin (nth 0%num s r) %/ 2 ^ j).
Proof.
elim/last_ind: s r => [|s b IH] r // /bytes_rcons [all lb]; rewrite size_rcons => lt lj.
rewrite nat_big nth_rcons [_.+1.-1]/=; case: (ltnP r (size s)) => [less|ge].
  by rewrite (row_before8 _ less) (earlier_bits _ _ lb); apply: IH.
by rewrite (row_last ge lt) eqxx subnn muln0 add0n; exact (last_bits (nat_of_bin (big s)) lb lj).
Qed.
Lemma split8 i : i < 128 -> [/\ 15 - i %/ 8 < 16, i %% 8 < 8 & 8 * (15 - (15 - i %/ 8)) + i %% 8 = i].
Proof. by move=> lt; split; clear -lt; lia. Qed.
Lemma big_bytes a : nat_of_bin a < 2 ^ 128 -> big (bytes_of 16 a) = a.
Proof.
move=> la; apply: (can_inj nat_of_binK); have lb := big_small (@bytes_only_bytes 16 a); rewrite size_bytes in lb.
apply: (same_bits lb la) => i lt; have [l1 l2 E] := split8 lt.
have := big_bit (r := 15 - i %/ 8) (j := i %% 8) (@bytes_only_bytes 16 a); rewrite size_bytes => /(_ l1 l2).
rewrite [16.-1]/= E => ->; rewrite nth_bytes // byte_bit // [16.-1]/= E //.
Qed.
Lemma bytes_big s : size s = 16 -> bytes_only s -> bytes_of 16 (big s) = s.
Proof.
move=> sz all; apply: (big_inj _ (@bytes_only_bytes 16 _) all); first by rewrite size_bytes sz.
by apply: big_bytes; have := big_small all; rewrite sz.
Qed.
Arguments RunField.little : simpl never.
Lemma little_big s : RunField.little s = big (rev s).
Proof.
elim: s => // b s IH; rewrite rev_cons; apply: (can_inj nat_of_binK); rewrite nat_big -IH.
rewrite [RunField.little (b :: s)](_ : _ = (b + 256 * RunField.little s)%num) // nat_of_add_bin nat_of_mul_bin addnC mulnC.
by congr (_ * _ + _); exact (bin_pow 8).
Qed.
Lemma bytes_rev s : bytes_only s -> bytes_only (rev s). Proof. by move=> all b; rewrite mem_rev; exact: all. Qed.
Lemma little_small s : size s = 16 -> bytes_only s -> nat_of_bin (RunField.little s) < 2 ^ 128.
Proof. by move=> sz all; rewrite little_big; have := big_small (bytes_rev all); rewrite size_rev sz. Qed.
Lemma little_inj16 s s' : size s = 16 -> size s' = 16 -> bytes_only s -> bytes_only s' -> RunField.little s = RunField.little s' -> s = s'.
Proof.
move=> z z' all all'; rewrite !little_big => /big_inj E; apply: (can_inj revK); apply: E; rewrite ?size_rev ?z ?z' //; exact: bytes_rev.
Qed.

Definition indices_of (counts : seq (nat * nat)) : seq (nat * nat) := flatten [seq [seq (p.1, i) | i <- iota 0 p.2] | p <- counts].
Lemma size_indices b n1 n2 : size (indices_of [:: (0, b); (1, n1); (2, n2)]) = b + (n1 + n2).
Proof. by rewrite /indices_of /= !size_cat !size_map !size_iota addn0. Qed.
Lemma indices_uniq b n1 n2 : uniq (indices_of [:: (0, b); (1, n1); (2, n2)]).
Proof.
rewrite /indices_of /= !cat_uniq !map_inj_uniq ?iota_uniq //=; try by move=> ? ? [].
have apart c d (s s' : seq nat) : c != d -> ~~ has (mem [seq (c, i) | i <- s]) [seq (d, i) | i <- s'].
  by move=> ne; apply/hasPn => y /mapP [i _ ->] /=; apply/negP => /mapP [j _ [Ea _]]; rewrite Ea eqxx in ne.
by rewrite cats0 !has_cat !negb_or !apart.
Qed.

Section Keys.
Variables (F : finFieldType) (x : F).
Hypothesis field_x : field_of carter_modulus x.
Local Notation v := (value x).
Local Notation inj := (value_inj carter_irreducible field_x).

(* The element of 16 bytes, that of a block of the cipher, and the bytes of an element. *)
Definition element_of (s : seq N) : F := v (RunField.little s).
Definition block_element (a : N) : F := element_of (bytes_of 16 a).
Definition number_of (y : F) : N := bin_of_nat (odflt (Ordinal (pow0 128)) [pick i : 'I_(2 ^ 128) | v (bin_of_nat i) == y]).
Definition string_of (y : F) : seq N := rev (bytes_of 16 (number_of y)).

Lemma number_small y : nat_of_bin (number_of y) < 2 ^ 128.
Proof. rewrite /number_of bin_of_natK; exact: ltn_ord. Qed.
Lemma numberK y : v (number_of y) = y.
Proof.
pose place (i : 'I_(2 ^ 128)) : F := v (bin_of_nat i).
have place_inj : injective place.
  move=> i j E; apply: val_inj; have := inj (a := bin_of_nat i) (b := bin_of_nat j).
  by rewrite !bin_of_natK => /(_ (ltn_ord i) (ltn_ord j) E) /(congr1 nat_of_bin); rewrite !bin_of_natK.
have le : #|F| <= #|'I_(2 ^ 128)| := eq_leq (etrans (card_x field_x) (esym (card_ord _))).
have /codomP [i ->] := inj_card_onto place_inj le y.
rewrite /number_of; case: pickP => [j /eqP <- //|/(_ i)]; by rewrite /place eqxx.
Qed.
Lemma valueK a : nat_of_bin a < 2 ^ 128 -> number_of (v a) = a.
Proof. by move=> la; apply: inj => //; rewrite ?numberK //; exact: number_small. Qed.
Lemma number_add y z : number_of (y + z)%R = N.lxor (number_of y) (number_of z).
Proof.
apply: inj; [exact: number_small | exact (lxor_small (number_small y) (number_small z)) | ].
by rewrite (value_add field_x) !numberK.
Qed.
Lemma size_string y : size (string_of y) = 16. Proof. by rewrite size_rev size_bytes. Qed.
Lemma bytes_string y : bytes_only (string_of y). Proof. exact: bytes_rev (@bytes_only_bytes 16 _). Qed.
Lemma stringK y : element_of (string_of y) = y.
Proof. by rewrite /element_of little_big revK big_bytes ?numberK //; exact: number_small. Qed.
Lemma string_block a : string_of (block_element a) = bytes_of 16 a.
Proof.
have all := @bytes_only_bytes 16 a; have z := size_bytes 16 a.
rewrite /string_of /block_element /element_of valueK; last exact: little_small.
by rewrite little_big bytes_big ?revK ?size_rev //; exact: bytes_rev.
Qed.
Lemma string_inj : injective string_of.
Proof. by move=> y z E; rewrite -(stringK y) E stringK. Qed.
Lemma element_inj s s' : size s = 16 -> size s' = 16 -> bytes_only s -> bytes_only s' -> element_of s = element_of s' -> s = s'.
Proof. by move=> z z' all all' /(inj (little_small z all) (little_small z' all')); exact: little_inj16. Qed.

(* carter.md's constants, elements of strings of bytes, and lengths. *)
Definition dot_factor : F := v dot_constant.
Definition element (s : seq byte) : F := element_of (binary s).
Definition length (a : nat) : F := v (bin_of_nat a).
Lemma dot_factor0 : dot_factor != 0%R.
Proof.
apply/eqP => /(value_zero carter_irreducible field_x (@size_small 128 dot_constant erefl)) E.
by have : N.testbit dot_constant 0 by []; rewrite E.
Qed.
Lemma element_bytes_inj s s' : size s = 16 -> size s' = 16 -> element s = element s' -> s = s'.
Proof.
move=> z z' /(element_inj _ _ (@bytes_binary s) (@bytes_binary s')); rewrite !size_binary => /(_ z z'); exact: binary_inj.
Qed.
Lemma wider n k a : n <= k -> a < 2 ^ n -> a < 2 ^ k.
Proof. by move=> le lt; apply: leq_trans lt _; rewrite leq_exp2l. Qed.
Lemma length_inj a b : a < 2 ^ 64 -> b < 2 ^ 64 -> length a = length b -> a = b.
Proof.
have small c : c < 2 ^ 64 -> nat_of_bin (bin_of_nat c) < 2 ^ 128 by rewrite bin_of_natK; exact: wider.
by move=> la lb /(inj (small a la) (small b lb)) /(congr1 nat_of_bin); rewrite !bin_of_natK.
Qed.

(* A tag: the first t bytes, as bits. *)
Section Cut.
Variable t : nat.
Hypothesis t16 : t <= 16.
Definition cut_tag (y : F) : 'rV['F_2]_(8 * t) := (\row_j (odd (nat_of_bin (number_of y) %/ 2 ^ j))%:R)%R.
Lemma cut_add y z : cut_tag (y + z)%R = (cut_tag y + cut_tag z)%R.
Proof. by apply/rowP => j; rewrite !mxE number_add bin_lxor bit_add. Qed.
Lemma cut_sub y z : cut_tag (y - z)%R = (cut_tag y - cut_tag z)%R.
Proof. by apply/eqP; rewrite eq_sym subr_eq -cut_add subrK. Qed.
Lemma card_row m : #|{: 'rV['F_2]_m}| = 2 ^ m. Proof. by rewrite card_matrix card_Fp // mul1n. Qed.
Lemma cut_even_tag g : #|[set y | cut_tag y == g]| * #|{: 'rV['F_2]_(8 * t)}| <= #|F|.
Proof.
have E128 : 128 = 128 - 8 * t + 8 * t by move: t16; clear; lia.
rewrite card_row (card_x field_x) [X in _ <= 2 ^ X]E128 expnD leq_mul2r -(card_row (128 - 8 * t)); apply/orP; right.
pose rest (y : F) : 'rV['F_2]_(128 - 8 * t) := (\row_j (odd (nat_of_bin (number_of y) %/ 2 ^ (8 * t + j)))%:R)%R.
rewrite -(card_in_imset (f := rest)) ?max_card // => y z; rewrite !inE => /eqP Ey /eqP Ez Er.
rewrite -(numberK y) -(numberK z); congr (value x _); apply: (can_inj nat_of_binK).
apply: (same_bits (number_small y) (number_small z)) => i lt; case: (ltnP i (8 * t)) => [lti|ge].
  by have := congr1 (fun r : 'rV['F_2]_(8 * t) => r ord0 (Ordinal lti)) (etrans Ey (esym Ez)); rewrite !mxE => /Subkeys.bit_eq.
have ltr : i - 8 * t < 128 - 8 * t by move: lt ge; clear; lia.
by have := congr1 (fun r : 'rV['F_2]_(128 - 8 * t) => r ord0 (Ordinal ltr)) Er; rewrite !mxE /= subnKC // => /Subkeys.bit_eq.
Qed.
End Cut.

(* The blocks that give the keys: tag's bits, stream, ten zero bytes, count. The secret has b blocks. *)
Variables (t b : nat).
Hypothesis t16 : t <= 16.
Hypothesis b2 : b <= 2.
Definition counts := [:: (0, b); (1, 128); (2, 2)].
Definition indices : seq (nat * nat) := indices_of counts.
Definition input (i : nat * nat) : N := (N.shiftl (8 * bin_of_nat t) 120 + N.shiftl (bin_of_nat i.1) 112 + bin_of_nat i.2)%num.
Definition key_blocks : seq F := [seq block_element (input i) | i <- indices].
Lemma size_key_blocks : size key_blocks = b + 130.
Proof. rewrite size_map; exact (size_indices b 128 2). Qed.
Lemma in_indices i : i \in indices -> i.1 < 3 /\ i.2 < 128.
Proof.
move=> /flattenP [s /mapP [p inp ->] /mapP [j]]; rewrite mem_iota add0n => /andP [_ lt] ->; cbn [fst snd].
have [l1 l2] : p.1 < 3 /\ p.2 <= 128; last by split=> //; exact: leq_trans lt l2.
by move: inp b2; rewrite !inE; clear; case/or3P => /eqP -> le; split=> //=; exact: leq_trans le _.
Qed.
Lemma input_is i : nat_of_bin (input i) = 8 * t * 2 ^ 120 + i.1 * 2 ^ 112 + i.2.
Proof. by rewrite /input !nat_of_add_bin (bin_shiftl 120) (bin_shiftl 112) nat_of_mul_bin !bin_of_natK. Qed.
Lemma tag_bits_small n : n <= 16 -> (8 * n).+1 <= 2 ^ 8.
Proof. by move=> le; rewrite (_ : 2 ^ 8 = 256) //; move: le; clear; lia. Qed.
Lemma pow3 i j k : 2 ^ (i + (j + k)) = 2 ^ i * (2 ^ j * 2 ^ k). Proof. by rewrite !expnD. Qed.
Lemma three_parts (A B a p j p' j' : nat) : p < A -> p' < A -> j < B -> j' < B -> (a * A + p) * B + j = (a * A + p') * B + j' -> p = p' /\ j = j'.
Proof. by move=> lp lp' lj lj' /(split_base lj lj') [/(split_base lp lp') [_ ->] ->]. Qed.
Lemma three_small (A B a p j : nat) : p < A -> j < B -> (a * A + p) * B + j < a.+1 * (A * B).
Proof.
move=> lp lj; apply: (@leq_trans ((a * A + p).+1 * B)); first by rewrite mulSn addnC ltn_add2r.
by rewrite mulnA leq_mul2r mulSn [A + _]addnC ltn_add2l lp orbT.
Qed.
Lemma input_parts i : i.1 < 3 -> i.2 < 128 -> [/\ i.1 < 2 ^ 8, i.2 < 2 ^ 112 & nat_of_bin (input i) = (8 * t * 2 ^ 8 + i.1) * 2 ^ 112 + i.2].
Proof.
move=> l1 l2; split; [exact: (wider (n := 2)) (leq_trans l1 _) | exact: (wider (n := 7)) l2 | ].
have E120 : 2 ^ 120 = 2 ^ 8 * 2 ^ 112 by rewrite -expnD.
by rewrite input_is E120 mulnA -mulnDl.
Qed.
Lemma input_small i : i \in indices -> nat_of_bin (input i) < 2 ^ 128.
Proof.
move=> /in_indices [/input_parts h /h [l1 l2 ->]]; apply: leq_trans (three_small (8 * t) l1 l2) _.
have E128 : 2 ^ 128 = 2 ^ 8 * (2 ^ 8 * 2 ^ 112) := pow3 8 8 112.
rewrite E128 leq_mul2r; clear E128; apply/orP; right; exact (tag_bits_small t16).
Qed.
Lemma bytes_inj (a c : N) : nat_of_bin a < 2 ^ 128 -> nat_of_bin c < 2 ^ 128 -> bytes_of 16 a = bytes_of 16 c -> a = c.
Proof. by move=> la lc E; rewrite -(big_bytes la) E big_bytes. Qed.
Lemma key_blocks_uniq : uniq key_blocks.
Proof.
rewrite map_inj_in_uniq => [|i j ini inj_ E].
  exact: indices_uniq.
have Ei : input i = input j.
  apply: bytes_inj (input_small ini) (input_small inj_) _; rewrite -!string_block.
  by rewrite -[block_element (input i)]/(block_element (input i)) E.
have [l1 l2] := in_indices ini; have [l1' l2'] := in_indices inj_.
have [s1 s2 E1] := input_parts l1 l2; have [s1' s2' E1'] := input_parts l1' l2'.
have := congr1 nat_of_bin Ei; rewrite E1 E1' => /(three_parts s1 s1' s2 s2') [].
by case: (i) (j) => [? ?] [? ?] /= -> ->.
Qed.

(* The keys from the encrypted blocks: b for the pads' key; 128 for level 1, in two halves each; r and the key of the length. *)
Definition halves (h : bool) (y z : F) : F := element_of (take 8 (drop (8 * h) (string_of y)) ++ take 8 (drop (8 * h) (string_of z))).
Definition first_of (p : nat) := 8 * (p %/ 4) + p %% 4.
Definition subkeys (ys : seq F) : {ffun 'I_b -> F} * Carter.key F :=
  ([ffun i : 'I_b => nth 0%R ys i],
   ([ffun ph : 'I_pairs * bool => halves ph.2 (nth 0%R ys (b + first_of ph.1)) (nth 0%R ys (b + first_of ph.1 + 4))],
    nth 0%R ys (b + 129), nth 0%R ys (b + 128))).

Lemma size_half (h : bool) y : size (take 8 (drop (8 * h) (string_of y))) = 8.
Proof. by case: h; rewrite size_takel // size_drop size_string. Qed.
Lemma halves_inj y z y' z' : (forall h, halves h y z = halves h y' z') -> y = y' /\ z = z'.
Proof.
move=> E; have part (h : bool) : take 8 (drop (8 * h) (string_of y)) = take 8 (drop (8 * h) (string_of y'))
    /\ take 8 (drop (8 * h) (string_of z)) = take 8 (drop (8 * h) (string_of z')).
  have bytes_half w : bytes_only (take 8 (drop (8 * h) (string_of w))) by move=> c /mem_take /mem_drop; exact: bytes_string.
  have bytes_both w w' : bytes_only (take 8 (drop (8 * h) (string_of w)) ++ take 8 (drop (8 * h) (string_of w'))).
    by move=> c; rewrite mem_cat => /orP [] /bytes_half.
  have sz w w' : size (take 8 (drop (8 * h) (string_of w)) ++ take 8 (drop (8 * h) (string_of w'))) = 16 by rewrite size_cat !size_half.
  have /eqP := element_inj (sz y z) (sz y' z') (@bytes_both y z) (@bytes_both y' z') (E h).
  by rewrite eqseq_cat ?size_half // => /andP [/eqP -> /eqP ->].
have whole w : string_of w = take 8 (drop (8 * false) (string_of w)) ++ take 8 (drop (8 * true) (string_of w)).
  by rewrite muln0 muln1 drop0 [take 8 (drop 8 _)]take_oversize ?cat_take_drop // size_drop size_string.
have [y0 z0] := part false; have [y1 z1] := part true.
by split; apply: string_inj; rewrite whole [RHS]whole ?y0 ?y1 ?z0 ?z1.
Qed.

Lemma place_of j : j < 128 -> 4 * (j %/ 8) + j %% 4 < pairs
  /\ (j = first_of (4 * (j %/ 8) + j %% 4) \/ j = first_of (4 * (j %/ 8) + j %% 4) + 4).
Proof. by move=> lt; split; [move: lt; clear; rewrite /pairs; lia | move: lt; clear; rewrite /first_of; lia]. Qed.
Lemma where_in i : i < b + 130 -> [\/ i < b, exists2 j, j < 128 & i = b + j, i = b + 128 | i = b + 129].
Proof.
move=> lt; case: (ltnP i b) => [|ge]; first by constructor 1.
case: (ltnP (i - b) 128) => lt'; first by constructor 2; exists (i - b); rewrite ?subnKC.
have [] : i = b + 128 \/ i = b + 129 by move: lt lt' ge; clear; lia.
  by constructor 3.
by constructor 4.
Qed.
Lemma subkeys_inj (s s' : seq F) i : i < b + 130 -> subkeys s = subkeys s' -> nth 0%R s i = nth 0%R s' i.
Proof.
move=> lt E; case: (where_in lt) => [lti | [j ltj ->] | -> | ->].
- by have := congr1 (fun k : {ffun 'I_b -> F} * Carter.key F => k.1 (Ordinal lti)) E; rewrite !ffunE.
- have [lp eq] := place_of ltj.
  have [Ey Ez] : nth 0%R s (b + first_of (4 * (j %/ 8) + j %% 4)) = nth 0%R s' (b + first_of (4 * (j %/ 8) + j %% 4))
      /\ nth 0%R s (b + first_of (4 * (j %/ 8) + j %% 4) + 4) = nth 0%R s' (b + first_of (4 * (j %/ 8) + j %% 4) + 4).
    apply: halves_inj => h.
    by have := congr1 (fun k : {ffun 'I_b -> F} * Carter.key F => k.2.1.1 (Ordinal lp, h)) E; rewrite /= !ffunE.
  move: Ey Ez eq; move: (first_of _) => k Ey Ez [] -> //; by rewrite addnA.
- exact (congr1 (fun k : {ffun 'I_b -> F} * Carter.key F => k.2.2) E).
- exact (congr1 (fun k : {ffun 'I_b -> F} * Carter.key F => k.2.1.2) E).
Qed.
Lemma card_keys : #|{: {ffun 'I_b -> F} * Carter.key F}| = #|F| ^ (b + 130).
Proof.
rewrite !card_prod !card_ffun card_prod card_bool !card_ord -!expnSr -expnD; congr (_ ^ _); rewrite /pairs; clear; lia.
Qed.
Lemma balanced_subkeys n : n = b + 130 -> balanced (fun s : n.-tuple F => subkeys s).
Proof.
move=> En; apply: balanced_inj => [s s' E|]; last by rewrite card_keys card_tuple En.
apply: eq_from_tnth => i; rewrite !(tnth_nth 0%R); apply: subkeys_inj E; by rewrite -En.
Qed.
Theorem uniform_subkeys keys : #|[set s : (size key_blocks).-tuple F | subkeys s == keys]|
  * (#|{: {ffun 'I_b -> F}}| * #|{: Carter.key F}|) <= #|F| ^ size key_blocks.
Proof. by have := balanced_subkeys size_key_blocks keys; rewrite card_prod card_tuple. Qed.

(* Theorem 4 with these keys, for every block cipher and every adversary. *)
Section Mac.
Local Notation Key := [finType of {ffun 'I_b -> F}].
Variables (E : Key -> {perm F}) (n q w : nat) (Coins : finType).
Variable A : Coins -> adversary (F * seq byte) 'rV['F_2]_(8 * t).
Hypothesis kept : forall r, keeps (fair (Theorem3.ok (2 ^ 64) n) q w) (A r).
Hypothesis n0 : 0 < n.
Hypothesis few : q < 2 ^ 128.
Definition own_mac := carter_mac zero dot_factor element length (@cut_tag t) E key_blocks subkeys.
Definition own_derive := carter_derive zero dot_factor element length (@cut_tag t) E key_blocks subkeys.
Definition own_pads := carter_pads zero dot_factor element length (@cut_tag t).
Local Open Scope ring_scope.
Theorem carter_own_keys : pr (fun r : Coins * Key => forges (own_mac r.2) (A r.1))
  <= (1 + (2 ^ 110)%:R^-1) * (w%:R * (n%:R / (2 ^ (8 * t))%:R) * factor (2 ^ 128) q.+1
       + advantage E (fun rk : Coins * Carter.key F => own_pads (A rk.1) rk.2)) + advantage E (fun r => own_derive (A r)).
Proof.
have small : (size key_blocks <= 700)%N by rewrite size_key_blocks; move: b2; clear; lia.
move: (factor_subkeys small) few; rewrite -(card_x field_x) => small' few'.
rewrite -(card_row (8 * t)).
exact (theorem4 zero dot_factor0 element_bytes_inj length_inj (@cut_sub t) (cut_even_tag t16) E key_blocks_uniq uniform_subkeys kept n0 few' small').
Qed.
End Mac.
End Keys.
