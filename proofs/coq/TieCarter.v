(* The Carter that runs (RunField.v) is the MAC of carter_own_keys (CarterKeys.v), from the secret and the nonce to the tag, for every
   cipher and every message. *)
From Coq Require Import NArith.
From mathcomp Require Import all_ssreflect all_algebra all_fingroup all_field.
From mathcomp Require Import zify.
Require Import UhashRfc Carter Theorem3 Theorem4 Aes RunField BinaryField TieUmac TieMac TieField CarterKeys.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import GRing.Theory.
Local Open Scope nat_scope.
Local Opaque expn times.

(* Strings of blocks. *)
Lemma size_sixteens (A B : Type) (g : A -> seq B) s : (forall a, size (g a) = 16) -> size (flatten (map g s)) = 16 * size s.
Proof. by move=> g16; elim: s => //= a s IH; rewrite size_cat g16 IH mulnS. Qed.
Lemma two_blocks (A : Type) (g : nat -> seq A) : flatten [seq g j | j <- iota 0 2] = g 0 ++ g 1.
Proof. by rewrite /= cats0. Qed.
Lemma drop_blocks (ss : seq (seq N)) j : (forall s, s \in ss -> size s = 16) -> drop (16 * j) (flatten ss) = flatten (drop j ss).
Proof.
elim: ss j => [|s ss IH] [|j] all16; rewrite ?muln0 ?drop0 //; have s16 := all16 s (mem_head _ _).
rewrite [flatten _]/= mulnS addnC -drop_drop drop_size_cat // IH // => s' ins; apply: all16; by rewrite inE ins orbT.
Qed.
Lemma at_block (ss : seq (seq N)) j (h : bool) : (forall s, s \in ss -> size s = 16) -> j < size ss ->
  at_ (flatten ss) (16 * j + 8 * h) = take 8 (drop (8 * h) (nth [::] ss j)).
Proof.
move=> all16 lt; have s16 := all16 _ (mem_nth [::] lt).
rewrite /at_ addnC -drop_drop drop_blocks // (drop_nth [::] lt) [flatten _]/= drop_cat s16.
have -> : 8 * h < 16 by case: (h).
by rewrite -catA takel_cat // size_drop s16; case: (h).
Qed.
Lemma at_binary M s : at_ (binary M) s = binary (mkseq (fun i => nth zero M (s + i)) 8).
Proof.
have big8 : 8 <= size (drop s (binary M) ++ nseq 8 0%num) by rewrite size_cat size_nseq leq_addl.
apply: (@eq_from_nth _ 0%num) => [|i]; rewrite size_takel // => lt.
apply: (can_inj nat_of_binK); rewrite nth_take // nth_binary nth_mkseq // -nth_binary nth_cat nth_drop.
case: ltnP => // ge; rewrite nth_nseq nth_default ?if_same //.
by move: ge; rewrite size_drop leq_subLR.
Qed.

Section Hash.
Variables (F : finFieldType) (x : F).
Hypothesis field_x : field_of carter_modulus x.
Local Notation v := (value x).
Lemma dot_value a b : v (dot a b) = (dot_factor x * v a * v b)%R.
Proof. by rewrite /dot !(value_mul field_x). Qed.

Variables (ks : seq (N * N)) (K : Carter.words F pairs).
Hypothesis keys_are : forall (p : 'I_pairs) h, v (if h then (nth (0%num, 0%num) ks p).2 else (nth (0%num, 0%num) ks p).1) = K (p, h).
Lemma element_value M p (h : bool) : v (RunField.element (binary M) p h)
  = element x (Carter.half zero M (Carter.start p) h ++ Carter.half zero M (Carter.start p + 64) h).
Proof. by rewrite /RunField.element !at_binary /element /element_of /binary map_cat. Qed.
Lemma level1_value M : v (RunField.level1 ks (binary M)) = Carter.level1 zero (dot_factor x) (element x) K M.
Proof.
rewrite /RunField.level1 (value_sum field_x) big_map big_filter size_binary /Carter.level1 /L1.
pose g p := v (dot (N.lxor (RunField.element (binary M) p false) (nth (0%num, 0%num) ks p).1)
  (N.lxor (RunField.element (binary M) p true) (nth (0%num, 0%num) ks p).2)).
rewrite -[LHS]/(\sum_(0 <= p < pairs | (RunField.start p < size M)%N) g p)%R big_mkord.
apply: eq_bigr => p _; rewrite /g dot_value !(value_add field_x) !element_value /elements !ffunE.
by rewrite -(keys_are p false) -(keys_are p true).
Qed.
Lemma level2_value r ys : v (RunField.level2 r ys) = L2 (dot_factor x) (v r) (map v ys).
Proof.
rewrite /RunField.level2 /L2; have z : v 0%num = 0%R by [].
move: {1 2}0%num (0%R) z => y y' <-; elim: ys y => //= l ys IH y.
by rewrite IH (value_add field_x) dot_value.
Qed.
Lemma hash_value r kL M : v (RunField.hash ks r kL (binary M)) = H zero (dot_factor x) (element x) (length x) K (v r) (v kL) M.
Proof.
rewrite /RunField.hash (value_add field_x) level2_value dot_value size_binary /H; congr (L2 _ _ _ + _)%R.
rewrite /mkseq -map_comp; apply: eq_map => i; rewrite /comp -level1_value /block.
by rewrite /binary map_take map_drop.
Qed.
End Hash.

Lemma dot_small a b : nat_of_bin (dot a b) < 2 ^ 128.
Proof. exact (times_small carter_irreducible _ (times_small carter_irreducible _ (@size_small 128 dot_constant erefl))). Qed.
Lemma hash_small ks r kL M : nat_of_bin (RunField.hash ks r kL M) < 2 ^ 128.
Proof.
apply: lxor_small (dot_small _ _); rewrite /RunField.level2.
have small l : l \in mkseq (fun i => RunField.level1 ks (take 2048 (drop (2048 * i) M))) ((size M).-1 %/ 2048).+1 -> nat_of_bin l < 2 ^ 128.
  by move=> /mapP [i _ ->]; apply: sum_small => a /mapP [p _ ->]; exact: dot_small.
move: (mkseq _ _) small => ls small; have: nat_of_bin 0 < 2 ^ 128 by exact: (pow0 128).
elim: ls (0%num) small => //= l ls IH y small ly; apply: IH => [l' inl|]; first by apply: small; rewrite inE inl orbT.
by apply: lxor_small (dot_small _ _) _; apply: small; rewrite inE eqxx.
Qed.

Section Mac.
Variables (F : finFieldType) (x : F).
Hypothesis field_x : field_of carter_modulus x.
Local Notation v := (value x).
Variables (t b : nat).
Hypothesis t16 : t <= 16.
Hypothesis b2 : b <= 2.
Local Notation Key := [finType of {ffun 'I_b -> F}].
(* The bytes of a secret of b blocks, and a cipher for them. *)
Definition secret_bytes (k : Key) : seq N := flatten [seq string_of x (k i) | i <- enum 'I_b].
Variables (cipher : seq N -> N -> N) (E : Key -> {perm F}).
Hypothesis computed : forall k a, nat_of_bin a < 2 ^ 128 ->
  block_element x (cipher (secret_bytes k) a) = E k (block_element x a).
Variable k : Key.
Local Notation f := (cipher (secret_bytes k)).
Local Notation ys := (map (E k) (key_blocks x t b)).
Local Notation keys := (subkeys x b ys).

Lemma size_secret : size (secret_bytes k) %/ 16 = b.
Proof.
have z : size (secret_bytes k) = 16 * size (enum 'I_b) := size_sixteens _ (fun i => size_string x (k i)).
by rewrite z -cardE card_ord mulKn.
Qed.
Lemma key_at p j : p < 3 -> j < (nth (0, 0) (counts b) p).2 ->
  string_of x (nth 0%R ys (sumn (map snd (take p (counts b))) + j)) = bytes_of 16 (f (input t (p, j))).
Proof.
move=> lp lj; have lp' : p < size (counts b) by [].
have lt := nth_sizes lp' lj.
have first : (nth (0, 0) (counts b) p).1 = p by clear -lp; case: p lp => [|[|[|p]]].
have at_i : nth (0, 0) (indices b) (sumn (map snd (take p (counts b))) + j) = (p, j) by rewrite /indices /indices_of (nth_counts lp' lj) first.
rewrite (nth_map 0%R); last by rewrite size_map.
rewrite (nth_map (0, 0)) // at_i -computed ?(string_block field_x) //.
by apply: (input_small t16 b2); rewrite -at_i; exact: mem_nth.
Qed.
Lemma part_is p n : p < 3 -> n <= (nth (0, 0) (counts b) p).2 ->
  string f (8 * bin_of_nat t) (bin_of_nat p) n = flatten [seq string_of x (nth 0%R ys (sumn (map snd (take p (counts b))) + j)) | j <- iota 0 n].
Proof.
move=> lp le; rewrite /string; congr flatten; apply/eq_in_map => j; rewrite mem_iota add0n => /andP [_ lt].
by rewrite (key_at lp (leq_trans lt le)).
Qed.
Lemma pads_secret : string f (8 * bin_of_nat t) 0 b = secret_bytes keys.1.
Proof.
rewrite (@part_is 0 b isT (leqnn b)) /secret_bytes -val_enum_ord -map_comp; congr flatten; apply: eq_map => i.
by rewrite /comp ffunE.
Qed.

(* Level 1's keys, r and the length's. *)
Local Notation kstr := (string f (8 * bin_of_nat t) 1 128).
Lemma first_lt (p : 'I_pairs) : first_of p < 124.
Proof. by have := ltn_ord p; rewrite /first_of {2}/pairs; clear; lia. Qed.
Lemma start_first p : RunField.start p = 16 * first_of p.
Proof. rewrite /RunField.start /first_of; clear; lia. Qed.
Lemma key1_value (p : 'I_pairs) h : v (RunField.element kstr p h) = keys.2.1.1 (p, h).
Proof.
have lt := first_lt p.
have all16 s : s \in [seq string_of x (nth 0%R ys (sumn (map snd (take 1 (counts b))) + j)) | j <- iota 0 128] -> size s = 16.
  by move=> /mapP [j _ ->]; exact: size_string.
have block j : j < 128 -> at_ kstr (16 * j + 8 * h) = take 8 (drop (8 * h) (string_of x (nth 0%R ys (b + j)))).
  move=> lj; rewrite (@part_is 1 128 isT (leqnn _)) (at_block h all16); last by rewrite size_map size_iota.
  rewrite (nth_map 0) ?size_iota // nth_iota // add0n.
  by congr (take 8 (drop _ (string_of x (nth 0%R ys (_ + j))))); exact: addn0.
rewrite ffunE /halves /element_of /RunField.element start_first; congr (v (RunField.little (_ ++ _))).
  by apply: block; apply: ltn_trans lt _.
have -> : 16 * first_of p + 64 = 16 * (first_of p + 4) by rewrite mulnDr.
by rewrite block ?addnA //; move: lt; clear; lia.
Qed.
Local Notation k2str := (string f (8 * bin_of_nat t) 2 2).
Lemma k2_is : k2str = string_of x keys.2.2 ++ string_of x keys.2.1.2.
Proof.
rewrite (@part_is 2 2 isT (leqnn _)) two_blocks.
have e128 : sumn (map snd (take 2 (counts b))) + 0 = b + 128 by rewrite /sumn /= !addn0.
have e129 : sumn (map snd (take 2 (counts b))) + 1 = b + 129 by rewrite /sumn /=; clear; lia.
by rewrite e128 e129.
Qed.
Lemma r_value : v (RunField.little (take 16 k2str)) = keys.2.2.
Proof. by rewrite k2_is take_size_cat ?size_string //; exact: stringK. Qed.
Lemma kL_value : v (RunField.little (drop 16 k2str)) = keys.2.1.2.
Proof. by rewrite k2_is drop_size_cat ?size_string //; exact: stringK. Qed.

(* The nonce of l bytes, with zeroes behind it; the bits of a tag of t bytes. *)
Variables (l : nat) (n : 'I_(2 ^ (8 * l))).
Hypothesis l16 : l <= 16.
Definition nonce_element : F := block_element x (N.shiftl (bin_of_nat n) (8 * (16 - bin_of_nat l))).
Definition tag_row (T : nat) : 'rV['F_2]_(8 * t) := (\row_j (odd (T %/ 2 ^ (8 * (t.-1 - j %/ 8) + j %% 8)))%:R)%R.
Lemma nonce_small : nat_of_bin (N.shiftl (bin_of_nat n) (8 * (16 - bin_of_nat l))) < 2 ^ 128.
Proof.
rewrite bin_shiftl' nat_of_mul_bin bin_sub !bin_of_natK.
have E128 : 8 * l + 8 * (16 - l) = 128 by move: l16; clear; lia.
by rewrite -[X in _ < 2 ^ X]E128 expnD ltn_pmul2r ?expn_gt0 // ltn_ord.
Qed.

Lemma tag_place j : j < 8 * t -> [/\ j %/ 8 < t, j %% 8 < 8 & 8 * (15 - (15 - j %/ 8)) + j %% 8 = j].
Proof. by move=> lt; split; move: lt t16; clear; lia. Qed.
(* Byte i of a number and byte 15 - i of the number whose bytes are in the other order. *)
Lemma swapped_bit (a : N) i j : i < 16 -> j < 8 ->
  odd (nat_of_bin (big (rev (bytes_of 16 a))) %/ 2 ^ (8 * (15 - i) + j)) = odd (nat_of_bin a %/ 2 ^ (8 * i + j)).
Proof.
move=> li lj; have := big_bit (r := i) (j := j) (bytes_rev (@bytes_only_bytes 16 a)).
rewrite size_rev size_bytes [16.-1]/= => -> //; rewrite nth_rev ?size_bytes // nth_bytes; last by clear; lia.
by rewrite byte_bit // [16.-1]/=; congr (odd (_ %/ 2 ^ (8 * _ + j))); move: li; clear; lia.
Qed.
Lemma cut_bit (a : N) i j : i < t -> j < 8 -> odd (nat_of_bin (big (take t (bytes_of 16 a))) %/ 2 ^ (8 * (t.-1 - i) + j))
  = odd (nat_of_bin a %/ 2 ^ (8 * (15 - i) + j)).
Proof.
move=> li lj; have all : bytes_only (take t (bytes_of 16 a)) by move=> c /mem_take; exact: bytes_only_bytes.
have sz : size (take t (bytes_of 16 a)) = t by rewrite size_takel // size_bytes.
have := big_bit (r := i) (j := j) all; rewrite sz => -> //.
by rewrite nth_take // nth_bytes ?byte_bit //; exact: leq_trans li t16.
Qed.

Lemma number_block a : number_of x (block_element x a) = big (rev (bytes_of 16 a)).
Proof.
rewrite /block_element /element_of (valueK field_x); last exact (little_small (size_bytes 16 a) (@bytes_only_bytes 16 a)).
exact: little_big.
Qed.
Theorem carter_runs M : tag_row (nat_of_bin (RunField.carter cipher (secret_bytes k) t (bin_of_nat l) (bin_of_nat n) (binary M)))
  = own_mac x t E k (nonce_element, M).
Proof.
rewrite /own_mac carter_mac_is; cbv zeta; cbn [fst snd]; rewrite -(cut_add field_x).
have ks_are (p : 'I_pairs) h : v (if h then (nth (0%num, 0%num) [seq (RunField.element kstr i false, RunField.element kstr i true) | i <- iota 0 64] p).2
    else (nth (0%num, 0%num) [seq (RunField.element kstr i false, RunField.element kstr i true) | i <- iota 0 64] p).1) = keys.2.1.1 (p, h).
  have lt : p < size (iota 0 64) := ltn_ord p.
  rewrite (nth_map 0) // nth_iota; last exact: ltn_ord.
  by rewrite add0n -key1_value; case: h.
have hash_is := hash_value field_x ks_are (RunField.little (take 16 k2str)) (RunField.little (drop 16 k2str)) M.
rewrite r_value kL_value in hash_is.
have -> : Theorem3.hash zero (dot_factor x) (element x) (length x) keys.2 M
  = H zero (dot_factor x) (element x) (length x) keys.2.1.1 keys.2.2 keys.2.1.2 M by [].
rewrite -hash_is -computed; last exact: nonce_small.
rewrite /RunField.carter size_secret pads_secret.
set h := RunField.hash _ _ _ _; set pad := cipher _ _.
apply/rowP => j; rewrite !mxE; congr (nat_of_bool _)%:R%R.
have [l1 l2 E1] := tag_place (ltn_ord j).
rewrite cut_bit // bin_lxor (number_add field_x) bin_lxor; congr (_ (+) _).
- have small : nat_of_bin h < 2 ^ 128 by exact: hash_small.
  rewrite (valueK field_x small) swapped_bit //; last exact: leq_trans l1 t16.
  by rewrite mulnC -divn_eq.
- rewrite number_block -[in RHS]E1 swapped_bit //.
  by rewrite ltnS leq_subr.
Qed.
End Mac.
