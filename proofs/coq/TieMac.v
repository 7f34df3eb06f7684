(* The UMAC that runs (RunUmac.v) is the MAC of the theorems (Rfc4418.v, Subkeys.v), from the key and the nonce to the tag, for
   every cipher, every length of tag and every message. *)
From Coq Require Import NArith.
From mathcomp Require Import all_ssreflect all_algebra all_fingroup.
From mathcomp Require Import zify.
Require Import Constants Primes Uhash UhashRfc Shift UhashStreams Pads CipherMac Rfc4418 Balanced Subkeys UmacRfc Aes TieUmac.
Require RunUmac.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import GRing.Theory.
Local Open Scope nat_scope.
Local Opaque expn.

(* Bits. *)
Lemma bin_odd (x : N) : N.odd x = odd (nat_of_bin x).
Proof.
rewrite [in RHS](N.div2_odd x) nat_of_add_bin nat_of_mul_bin oddD oddM /=.
by case: (N.odd x).
Qed.
Lemma bin_testbit (x : N) j : N.testbit x (bin_of_nat j) = odd (nat_of_bin x %/ 2 ^ j).
Proof. by rewrite N.testbit_odd bin_odd bin_shiftr. Qed.
Lemma bin_lxor (x y : N) j :
  odd (nat_of_bin (N.lxor x y) %/ 2 ^ j) = odd (nat_of_bin x %/ 2 ^ j) (+) odd (nat_of_bin y %/ 2 ^ j).
Proof. by rewrite -!bin_testbit N.lxor_spec; case: (N.testbit x _); case: (N.testbit y _). Qed.
Lemma odd_mod x n j : j < n -> odd (x %% 2 ^ n %/ 2 ^ j) = odd (x %/ 2 ^ j).
Proof.
move=> lt; have E : 2 ^ n = 2 * 2 ^ (n - j).-1 * 2 ^ j by rewrite -expnS -expnD; congr (_ ^ _); lia.
rewrite [in RHS](divn_eq x (2 ^ n)) [X in _ * X]E mulnA divnMDl ?expn_gt0 // oddD !oddM /= andbF //.
Qed.
Lemma bit_add (a b : bool) : (((a (+) b)%:R : 'F_2) = a%:R + b%:R)%R.
Proof. by case: a b => [] []; apply: val_inj. Qed.
Lemma bit_back (b : 'F_2) : ((b != 0)%:R = b)%R.
Proof. by case: b => [[|[|b]] lb] //; apply: val_inj. Qed.

(* Words of blocks. *)
Lemma word_block ys i x : nth 0%R ys (i %/ 4) = block_of x -> word ys i = (x %/ 2 ^ (32 * (3 - i %% 4))) %% 2 ^ 32.
Proof.
move=> E; apply: (same_bits (word_lt ys i)) => [|j lt]; first by rewrite ltn_mod expn_gt0.
rewrite -[j]/(nat_of_ord (Ordinal lt)) odd_word E mxE odd_mod //= inordK ?ltn_mod // -divnMA -expnD.
by case: (odd _).
Qed.

Lemma nth_fours (A : Type) (d : A) (g : nat -> seq A) s i : (forall a, size (g a) = 4) -> i < 4 * size s ->
  nth d (flatten (map g s)) i = nth d (g (nth 0 s (i %/ 4))) (i %% 4).
Proof.
elim: s i => [|a s IH] i g4 lt; first by rewrite muln0 in lt.
rewrite [map g _]/= [flatten _]/= nth_cat g4; case: ltnP => [small|ge]; first by rewrite (divn_small small) (modn_small small).
have lt' : i - 4 < 4 * size s by move: lt; rewrite [size _]/=; lia.
rewrite (IH _ g4 lt') -[in RHS](subnK ge) divnDr // modnDr divnn addn1 //.
Qed.

(* A cipher on numbers, of which 128 bits count. *)
Definition computes (f : N -> N) (e : block -> block) :=
  forall x : N, nat_of_bin x < 2 ^ 128 -> block_of (nat_of_bin (f x)) = e (block_of (nat_of_bin x)).

Lemma four_words (x : N) r : r < 4 -> nat_of_bin (nth 0%num (map (fun s => low 32 (N.shiftr x s)) [:: 96; 64; 32; 0]%num) r)
  = (nat_of_bin x %/ 2 ^ (32 * (3 - r))) %% 2 ^ 32.
Proof.
have one s : nat_of_bin (low 32 (N.shiftr x (bin_of_nat s))) = (nat_of_bin x %/ 2 ^ s) %% 2 ^ 32 by rewrite (bin_low 32) bin_shiftr.
case: r => [|[|[|[|r]]]] lt; [exact (one 96) | exact (one 64) | exact (one 32) | exact (one 0) | by []].
Qed.

Section Kdf.
Variables (f : N -> N) (e : block -> block).
Hypothesis fe : computes f e.

Lemma power128 : 2 ^ 128 = 2 ^ 64 * 2 ^ 64.
Proof. rewrite -expnD; exact erefl. Qed.
Lemma kdf_input index k :
  nat_of_bin (N.shiftl (bin_of_nat index) 64 + bin_of_nat k) = index * 2 ^ 64 + k.
Proof. by rewrite nat_of_add_bin (bin_shiftl 64) !bin_of_natK. Qed.
Lemma input_small (a b index k : nat) : a = 2 ^ 64 -> b = 2 ^ 64 * 2 ^ 64 -> index < 5 -> k < a -> index * a + k < b.
Proof. move=> -> ->; have : 5 <= 2 ^ 64 by rewrite (@leq_trans (2 ^ 3)) // leq_exp2l. move: (2 ^ 64) => m; nia. Qed.

Lemma kdf_nth index n i : i < 4 * n -> nth 0%num (RunUmac.kdf f (bin_of_nat index) n) i
  = nth 0%num (map (fun s => low 32 (N.shiftr (f (N.shiftl (bin_of_nat index) 64 + bin_of_nat (i %/ 4).+1)) s)) [:: 96; 64; 32; 0]%num) (i %% 4).
Proof. by move=> lt; rewrite /RunUmac.kdf nth_fours ?size_iota // nth_iota ?add0n //; lia. Qed.

Lemma kdf_word index n i : index < 5 -> i < 4 * n -> (i %/ 4).+1 < 2 ^ 64 ->
  forall ys, nth 0%R ys (i %/ 4) = e (block_of (index * 2 ^ 64 + (i %/ 4).+1)) ->
  nat_of_bin (nth 0%num (RunUmac.kdf f (bin_of_nat index) n) i) = word ys i.
Proof.
move=> small lt few ys E; pose x := (N.shiftl (bin_of_nat index) 64 + bin_of_nat (i %/ 4).+1)%num.
have Ex : nat_of_bin x = index * 2 ^ 64 + (i %/ 4).+1 := kdf_input index _.
have lt128 : nat_of_bin x < 2 ^ 128.
  by rewrite Ex; exact (input_small erefl power128 small few).
rewrite -Ex -(fe lt128) in E.
by rewrite (word_block E) (kdf_nth _ lt) -/x four_words // ltn_mod.
Qed.
End Kdf.

Lemma nth_counts (ps : seq (nat * nat)) k i : k < size ps -> i < (nth (0, 0) ps k).2 ->
  nth (0, 0) (flatten [seq [seq (p.1, i) | i <- iota 0 p.2] | p <- ps]) (sumn (map snd (take k ps)) + i) = ((nth (0, 0) ps k).1, i).
Proof.
elim: ps k => [|p ps IH] [|k] //= lt lti; rewrite nth_cat size_map size_iota.
  by rewrite add0n lti (nth_map 0) ?size_iota // nth_iota.
by rewrite -addnA ltnNge leq_addr addKn IH.
Qed.

Lemma nth_sizes (ps : seq (nat * nat)) k i : k < size ps -> i < (nth (0, 0) ps k).2 ->
  sumn (map snd (take k ps)) + i < size (flatten [seq [seq (p.1, i) | i <- iota 0 p.2] | p <- ps]).
Proof.
elim: ps k => [|p ps IH] [|k] //= lt lti; rewrite size_cat size_map size_iota; first by rewrite add0n ltn_addr.
by rewrite -addnA ltn_add2l IH.
Qed.

Lemma word_drop ys s i : word (drop s ys) i = word ys (4 * s + i).
Proof.
have E : (4 * s + i) %/ 4 = s + i %/ 4 by rewrite mulnC divnMDl.
by rewrite /word E mulnC modnMDl; apply: eq_bigr => j _; rewrite nth_drop.
Qed.

Lemma number_bits m (w : nat -> nat) (i : 'I_m) : w i < 2 ^ 32 -> \sum_(j < 32) ((word_bits m w) i j != 0%R) * 2 ^ j = w i.
Proof.
move=> lt; pose b a := odd (w i %/ 2 ^ a).
have -> : \sum_(j < 32) (word_bits m w i j != 0%R) * 2 ^ j = \sum_(j < 32) b j * 2 ^ j.
  by apply: eq_bigr => j _; rewrite mxE /b; case: (odd _).
apply: (same_bits (sum_lt b 32) lt) => j ltj; exact: odd_sum.
Qed.

(* The words of a tag, the first the highest. *)
Lemma joined_rcons s w : RunUmac.joined (rcons s w) = (N.shiftl (RunUmac.joined s) 32 + w)%num.
Proof. by rewrite /RunUmac.joined -cats1 foldl_cat. Qed.
Section AnyBits.
Variable b : nat.
Hypothesis b0 : 0 < b.
Lemma last_bits (J w j : nat) : w < 2 ^ b -> j < b -> odd ((J * 2 ^ b + w) %/ 2 ^ j) = odd (w %/ 2 ^ j).
Proof. by move=> lw lj; rewrite -(odd_mod (J * 2 ^ b + w) lj) modnMDl (modn_small lw). Qed.
Lemma earlier_bits (J w i : nat) : w < 2 ^ b -> (J * 2 ^ b + w) %/ 2 ^ (b + i) = J %/ 2 ^ i.
Proof. by move=> lw; rewrite expnD divnMA (divnMDl _ _ (_ : 0 < 2 ^ b)) ?expn_gt0 // (divn_small lw) addn0. Qed.
End AnyBits.
Lemma row_before n r j : r < n -> 32 * (n - r) + j = 32 + (32 * (n.-1 - r) + j). Proof. lia. Qed.
Lemma row_last n r : n <= r -> r < n.+1 -> r = n. Proof. lia. Qed.
Lemma joined_bit (s : seq N) r j : (forall w, w \in s -> nat_of_bin w < 2 ^ 32) -> r < size s -> j < 32 ->
  odd (nat_of_bin (RunUmac.joined s) %/ 2 ^ (32 * ((size s).-1 - r) + j)) = odd (nat_of_bin (nth 0%num s r) %/ 2 ^ j).
Proof.
elim/last_ind: s r => [|s w IH] r // small; rewrite size_rcons => lt lj.
have lw : nat_of_bin w < 2 ^ 32 by apply: small; rewrite mem_rcons mem_head.
rewrite joined_rcons nat_of_add_bin (bin_shiftl 32) nth_rcons [_.+1.-1]/=.
case: (ltnP r (size s)) => [less|ge].
  rewrite (row_before _ less) (earlier_bits _ _ lw); apply: IH => // w' inw; apply: small.
  by rewrite mem_rcons in_cons inw orbT.
rewrite (row_last ge lt) eqxx subnn muln0 add0n; exact (last_bits (nat_of_bin (RunUmac.joined s)) lw lj).
Qed.

Lemma low_small n (x : N) : nat_of_bin (low (bin_of_nat n) x) < 2 ^ n. Proof. by rewrite bin_low ltn_mod expn_gt0. Qed.
Lemma lxor_small (x y : N) n : nat_of_bin x < 2 ^ n -> nat_of_bin y < 2 ^ n -> nat_of_bin (N.lxor x y) < 2 ^ n.
Proof.
move=> lx ly; suff -> : N.lxor x y = low (bin_of_nat n) (N.lxor x y) by exact: low_small.
have lowE z : nat_of_bin z < 2 ^ n -> low (bin_of_nat n) z = z.
  by move=> lz; rewrite -[LHS]nat_of_binK -[RHS]nat_of_binK bin_low modn_small.
rewrite -{1}(lowE _ lx) -{1}(lowE _ ly) /low; apply: N.bits_inj => j.
by rewrite N.lxor_spec !N.land_spec N.lxor_spec; case: (N.testbit _ j); case: (N.testbit _ j); case: (N.testbit _ j).
Qed.

Lemma joined_small (s : seq N) : (forall w, w \in s -> nat_of_bin w < 2 ^ 32) -> nat_of_bin (RunUmac.joined s) < 2 ^ (32 * size s).
Proof.
elim/last_ind: s => [|s w IH] small; first by rewrite muln0 expn0.
have lw : nat_of_bin w < 2 ^ 32 by apply: small; rewrite mem_rcons mem_head.
have {}IH : nat_of_bin (RunUmac.joined s) < 2 ^ (32 * size s).
  by apply: IH => w' inw; apply: small; rewrite mem_rcons in_cons inw orbT.
rewrite joined_rcons nat_of_add_bin (bin_shiftl 32) size_rcons mulnS expnD; clear small.
apply: (@leq_trans ((nat_of_bin (RunUmac.joined s)).+1 * 2 ^ 32)); first by rewrite mulSn addnC ltn_add2r.
by rewrite mulnC leq_mul2l IH orbT.
Qed.

(* Shifts by binary numbers. *)
Lemma bin_shiftl' x s : nat_of_bin (N.shiftl x s) = nat_of_bin x * 2 ^ nat_of_bin s.
Proof. by rewrite -{1}(nat_of_binK s) bin_shiftl. Qed.
Lemma bin_shiftr' x s : nat_of_bin (N.shiftr x s) = nat_of_bin x %/ 2 ^ nat_of_bin s.
Proof. by rewrite -{1}(nat_of_binK s) bin_shiftr. Qed.
Lemma bin_low' s x : nat_of_bin (low s x) = nat_of_bin x %% 2 ^ nat_of_bin s.
Proof. by rewrite -{1}(nat_of_binK s) bin_low. Qed.

Lemma size_fours (A B : Type) (g : A -> seq B) s : (forall a, size (g a) = 4) -> size (flatten (map g s)) = 4 * size s.
Proof. by move=> g4; elim: s => //= a s IH; rewrite size_cat g4 IH mulnS. Qed.
Lemma below_eq n x : Balanced.below n x = TieUmac.below n x. Proof. exact: val_inj. Qed.

(* The bits of a tag of T words, and the bytes of a cipher's key. *)
Definition tag_of T (x : nat) : 'M['F_2]_(T, 32) := (\matrix_(r, j) (odd (x %/ 2 ^ (32 * (T.-1 - r) + j)))%:R)%R.
Definition row_number m (k : 'M['F_2]_(m, 32)) (i : 'I_m) : nat := \sum_(j < 32) (k i j != 0%R) * 2 ^ j.
Definition key_bytes m (k : 'M['F_2]_(m, 32)) : seq N := flatten (map (bytes_of 4) [seq bin_of_nat (row_number k i) | i <- enum 'I_m]).
Lemma size_key_bytes m (k : 'M['F_2]_(m, 32)) : size (key_bytes k) %/ 4 = m.
Proof.
have four (x : N) : size (bytes_of 4 x) = 4 by rewrite size_map size_rev size_iota.
by rewrite (size_fours _ four) size_map -cardE card_ord mulKn.
Qed.

Lemma small_count x : x < 100 -> x.+1 < 2 ^ 64.
Proof.
move=> lt; have seven : x.+1 < 2 ^ 7 by rewrite (_ : 2 ^ 7 = 128) //; clear -lt; lia.
by apply: leq_trans seven _; rewrite leq_exp2l.
Qed.
Definition bin_parts T : N := if T is 1 then 4%num else if T is 2 then 2%num else 1%num.
Lemma parts_bin T : 0 < T -> T <= 4 -> nat_of_bin (bin_parts T) = 4 %/ T.
Proof. by case: T => [|[|[|[|[|T]]]]]. Qed.
Lemma pad_row T P r j : P + T <= 4 -> r < T -> 128 - 32 * (P + T) + (32 * (T.-1 - r) + j) = 32 * (3 - (P + r)) + j.
Proof. lia. Qed.
Lemma tag_bits T r j : r < T -> j < 32 -> 32 * (T.-1 - r) + j < 32 * T. Proof. lia. Qed.

Section Umac.
Variables (T l c words : nat).
Hypothesis T1 : 0 < T.
Hypothesis T4 : T <= 4.
Hypothesis l16 : l <= 16.
Hypothesis c2 : c <= 2.
Hypothesis fits : words <= 4 * c.
Variables (cipher : seq N -> N -> N) (E : 'M['F_2]_(words, 32) -> {perm block}).
Hypothesis computed : forall k, computes (cipher (key_bytes k)) (E k).
Variable k : 'M['F_2]_(words, 32).
Local Notation f := (cipher (key_bytes k)).
Local Notation ys := (map (E k) (kdf_blocks T c)).

Lemma kdf_at a m i : a < 5 -> i < 4 * (nth (0, 0) (counts T c) a).2 -> i < 4 * m ->
  nat_of_bin (nth 0%num (RunUmac.kdf f (bin_of_nat a) m) i) = word ys (4 * sumn (map snd (take a (counts T c))) + i).
Proof.
move=> la lt ltm; have li : i %/ 4 < (nth (0, 0) (counts T c) a).2 by rewrite ltn_divLR // mulnC.
have l100 : i %/ 4 < 100.
  by apply: leq_trans li _; move: la T4 c2; clear; case: a => [|[|[|[|[|a]]]]] //= _; lia.
rewrite -word_drop; apply: (kdf_word (computed k) la ltm (small_count l100)).
have la' : a < size (counts T c) by [].
rewrite nth_drop (nth_map 0%R); last by rewrite size_map; exact: nth_sizes la' li.
congr (E k _); rewrite /kdf_blocks (nth_map (0, 0)); last exact: nth_sizes la' li.
rewrite (nth_counts la' li); congr (block_of (_ * _ + _)).
by clear -la; case: a la => [|[|[|[|[|a]]]]].
Qed.

Lemma pads_key : flatten (map (bytes_of 4) (take (size (key_bytes k) %/ 4) (RunUmac.kdf f 0 2))) = key_bytes (word_bits words (word ys)).
Proof.
rewrite size_key_bytes; congr flatten; congr map.
have size_kdf : size (RunUmac.kdf f 0 2) = 4 * 2 by rewrite size_fours // size_iota.
have le : words <= size (RunUmac.kdf f 0 2) by rewrite size_kdf; move: fits c2; clear; lia.
apply: (@eq_from_nth _ 0%num) => [|i]; rewrite size_takel //; first by rewrite size_map -cardE card_ord.
move=> lt.
rewrite nth_take // (nth_map (Ordinal lt)) -?cardE ?card_ord //; apply: (can_inj nat_of_binK); rewrite bin_of_natK.
have E0 : nth (Ordinal lt) (enum 'I_words) i = Ordinal lt by apply: val_inj; rewrite /= nth_enum_ord.
rewrite E0 /row_number (number_bits (w := word ys) (i := Ordinal lt) (word_lt _ _)).
exact (kdf_at (a := 0) (m := 2) isT (leq_trans lt fits) (leq_trans lt (leq_trans le (eq_leq size_kdf)))).
Qed.

(* The hash. *)
Lemma row_place p (b : bool) t : p < pairs -> t < T -> 4 * t + (8 * (p %/ 4) + p %% 4 + 4 * b) < 4 * (T + 63)
  /\ 4 * t + (8 * (p %/ 4) + p %% 4 + 4 * b) = 4 * (2 * (p %/ 4) + b + t) + p %% 4.
Proof. by rewrite /pairs => lp lt; case: b => /=; lia. Qed.

Variables (rs : seq (nat * seq byte)) (M : seq byte).
Hypothesis chunks : all (fun r => size r.2 == C) rs.
Hypothesis rest : (rs == [::]) || (M != [::]).
Local Notation keys := (subkeys T c words ys).
Local Notation ks1 := (RunUmac.kdf f 1 (63 + T)).
Local Notation ks2 := (RunUmac.kdf f 2 (2 * T)).
Local Notation ks3 := (RunUmac.kdf f 3 (4 * T)).
Local Notation masks := (RunUmac.kdf f 4 1).
Lemma key1_at (t : 'I_T) : key1_of (drop (4 * t) ks1) = shifted keys.2.1.1 t.
Proof.
apply/ffunP => -[p b]; rewrite /shifted /key1_of [RHS]ffunE [LHS]ffunE ffunE /word_at nth_drop.
have [lt E1] := row_place b (ltn_ord p) (ltn_ord t).
have lt' := lt; rewrite [T + 63]addnC in lt'; rewrite (kdf_at (a := 1) (m := 63 + T) isT lt lt').
congr (_%:R)%R; congr (word _ _); rewrite /= inordK ?ltn_mod // /level /= E1 addn0 /first1; clear; lia.
Qed.
Lemma key2_at (t : 'I_T) : TieUmac.key2_of (drop (6 * t) ks2) = (keys.2.1.2 t).1.
Proof.
have w i : i < 6 -> word_at (drop (6 * t) ks2) i = word ys (first2 T c + 6 * t + i).
  move=> lt; have lt6 : 6 * t + i < 6 * T by have := ltn_ord t; move: lt; clear; lia.
  rewrite /word_at nth_drop (kdf_at (a := 2)) //; first 1 last.
  - by move: lt6; rewrite /=; clear; lia.
  - by move: lt6; clear; lia.
  by congr (word _ _); rewrite /= /first2 /first1; clear; lia.
rewrite ffunE /TieUmac.key2_of /TieUmac.masked_of -!below_eq !w //.
Qed.
Lemma key3_at (t : 'I_T) : TieUmac.key3_of (drop (16 * t) ks3) = (keys.2.1.2 t).2.
Proof.
have w i : i < 16 -> word_at (drop (16 * t) ks3) i = word ys (first3 T c + 16 * t + i).
  move=> lt; have lt16 : 16 * t + i < 4 * (4 * T) by have := ltn_ord t; move: lt; clear; lia.
  rewrite /word_at nth_drop (kdf_at (a := 3)) //.
  by congr (word _ _); rewrite /= /first3 /first2 /first1; clear; lia.
rewrite ffunE /TieUmac.key3_of; apply: eq_ffun => i; rewrite -below_eq.
have lo : 2 * (7 - i) < 16 by clear; lia.
have hi : (2 * (7 - i)).+1 < 16 by clear; lia.
by rewrite !w.
Qed.
Lemma mask_at t : t < T -> nat_of_bin (nth 0%num masks t) = word ys (first4 T c + t).
Proof.
move=> lt; rewrite (kdf_at (a := 4)) //; try (by move: lt T4; clear => /=; lia).
by congr (word _ _); rewrite /= /first4 /first3 /first2 /first1; clear; lia.
Qed.

Lemma stream_at (t : 'I_T) : nat_of_bin (RunUmac.stream (drop (4 * t) ks1) (drop (6 * t) ks2) (drop (16 * t) ks3) (in_runs rs M))
  = stream keys.2.1.1 t (keys.2.1.2 t) (TieUmac.joined rs M).
Proof.
rewrite (stream_runs prime36 prime64 prime128 chunks rest) stream_is /key_of key1_at key2_at key3_at; reflexivity.
Qed.

Local Notation message := (in_runs rs M).
Lemma stream_small ka kb kc (X : RunUmac.message) : nat_of_bin (RunUmac.stream ka kb kc X) < 2 ^ 32.
Proof. exact (low_small 32 _). Qed.
Lemma uhash_small w : w \in RunUmac.uhash f T message -> nat_of_bin w < 2 ^ 32.
Proof.
move=> /mapP [t]; rewrite mem_iota add0n => /andP [_ lt] ->.
by apply: lxor_small; rewrite ?stream_small // mask_at // word_lt.
Qed.
Lemma size_uhash : size (RunUmac.uhash f T message) = T. Proof. by rewrite size_map size_iota. Qed.
Lemma uhash_bit (t : 'I_T) j : j < 32 -> odd (nat_of_bin (nth 0%num (RunUmac.uhash f T message) t) %/ 2 ^ j)
  = odd (stream keys.2.1.1 t (keys.2.1.2 t) (TieUmac.joined rs M) %/ 2 ^ j) (+) odd (word ys (first4 T c + t) %/ 2 ^ j).
Proof.
move=> lt; rewrite (nth_map 0) ?size_iota // nth_iota // add0n bin_lxor; congr (_ (+) _).
  by rewrite stream_at.
by rewrite mask_at.
Qed.

(* The pad. *)
Variable n : nonce l.
Local Notation f0 := (cipher (key_bytes keys.1)).
Lemma index_is : nat_of_bin (bin_of_nat n mod bin_parts T)%num = n %% Rfc4418.parts T.
Proof.
have E0 := parts_bin T1 T4; rewrite bin_mod ?E0 ?bin_of_natK //.
by move=> Z; have := parts0 T1 T4; rewrite /Rfc4418.parts -E0 Z.
Qed.
Lemma nonce_input : let index := (bin_of_nat n mod bin_parts T)%num in
  let x := N.shiftl (bin_of_nat n - index) (8 * (16 - bin_of_nat l)) in
  nat_of_bin x < 2 ^ 128 /\ block_of (nat_of_bin x) = nonce_block T n.
Proof.
move=> index x; have Es : nat_of_bin (8 * (16 - bin_of_nat l)) = 8 * (16 - l) by rewrite nat_of_mul_bin bin_sub bin_of_natK.
have Ex : nat_of_bin x = (n - n %% Rfc4418.parts T) * 2 ^ (8 * (16 - l)) by rewrite bin_shiftl' Es bin_sub index_is bin_of_natK.
split; last by rewrite Ex.
have E128 : 2 ^ 128 = 2 ^ (8 * l) * 2 ^ (8 * (16 - l)) by rewrite -expnD; congr (_ ^ _); move: l16; clear; lia.
rewrite Ex E128 ltn_pmul2r ?expn_gt0 //; exact: leq_ltn_trans (leq_subr _ _) (ltn_ord n).
Qed.
Lemma pad_bit (r : 'I_T) (j : 'I_32) :
  odd (nat_of_bin (RunUmac.pdf f0 T (bin_of_nat l) (bin_of_nat n)) %/ 2 ^ (32 * (T.-1 - r) + j))
  = (pad (@nonce_block T l) (@nonce_part T T1 T4 l) (@cut T) (E keys.1) n r j != 0%R).
Proof.
have [small Eb] := nonce_input; rewrite /RunUmac.pdf -/(bin_parts T); set x := N.shiftl _ _ in small Eb *.
rewrite bin_low' nat_of_mul_bin bin_of_natK odd_mod; last exact: tag_bits.
rewrite bin_shiftr' -divnMA -expnD bin_sub !nat_of_mul_bin bin_of_natK nat_of_add_bin index_is.
rewrite /pad ffunE mxE /= -Eb -(computed _ small) mxE.
have le : T * (n %% Rfc4418.parts T) + T <= 4.
  rewrite -mulnSr; apply: leq_trans (leq_trunc_div 4 T); rewrite mulnC leq_mul2r ltn_mod (parts0 T1 T4) orbT //.
rewrite inordK; last by move: le (ltn_ord r); move: (T * _) => P; clear; lia.
have -> : 128 - 32 * T * (n %% Rfc4418.parts T + 1) + (32 * (T.-1 - r) + j) = 32 * (3 - (T * (n %% Rfc4418.parts T) + r)) + j.
  by rewrite -(pad_row j le (ltn_ord r)) -mulnA mulnDr muln1.
by case: (odd _).
Qed.

Theorem umac_runs : tag_of T (nat_of_bin (RunUmac.umac cipher (key_bytes k) T (bin_of_nat l) (bin_of_nat n) message))
  = umac T1 T4 c (@UHASH T) E (subkeys T c words) k (n, TieUmac.joined rs M).
Proof.
apply/matrixP => r j; rewrite !mxE /RunUmac.umac bin_lxor pads_key pad_bit bit_add.
have := joined_bit (r := r) (j := j) uhash_small; rewrite size_uhash => -> //.
rewrite uhash_bit // bit_add; congr (_ + _ + _)%R.
exact: bit_back.
Qed.

(* A tag has T words. *)
Lemma umac_small : nat_of_bin (RunUmac.umac cipher (key_bytes k) T (bin_of_nat l) (bin_of_nat n) message) < 2 ^ (32 * T).
Proof.
apply: lxor_small; first by have := joined_small uhash_small; rewrite size_uhash.
by rewrite /RunUmac.pdf bin_low' nat_of_mul_bin bin_of_natK ltn_mod expn_gt0.
Qed.
End Umac.
