(* AES permutes the blocks of 128 bits under every key, so it is a block cipher of the theorems, in each of their three forms. *)
From Coq Require Import NArith.
From mathcomp Require Import all_ssreflect all_algebra all_fingroup all_field.
From mathcomp Require Import zify.
Require Import UhashRfc Rfc4418 Aes RunField BinaryField TieUmac TieMac TieField CarterKeys TieCarter.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import GRing.Theory.
Local Open Scope nat_scope.
Local Opaque expn times.
Local Notation "x ^^ y" := (N.lxor x y) (at level 50, left associativity).

(* 5.1.3: a column, by its kernel. *)
Ltac bits := let n := fresh "n" in apply: N.bits_inj => n; rewrite ?N.lxor_spec ?N.bits_0;
  repeat match goal with |- context [N.testbit ?y n] => case: (N.testbit y n) end.
Lemma xtime8_add a b : xtime8 (a ^^ b) = xtime8 a ^^ xtime8 b.
Proof.
have D : N.double (a ^^ b) = N.double a ^^ N.double b by case: a b => [|p] [|q].
rewrite /xtime8 D N.lxor_spec; case: (N.testbit (N.double a) 8); case: (N.testbit (N.double b) 8); by bits.
Qed.
Lemma xtime8_small a : nat_of_bin a < 2 ^ 8 -> nat_of_bin (xtime8 a) < 2 ^ 8.
Proof.
move=> la; have l9 := double_small la; rewrite /xtime8; case bit: (N.testbit (N.double a) 8); last exact (@drop_top 8 _ l9 bit).
have off : N.testbit (N.double a ^^ 283) 8 = false by rewrite N.lxor_spec bit.
exact (@drop_top 8 _ (@lxor_small _ _ 9 l9 (@size_small 9 283 erefl)) off).
Qed.
Definition mixed (a b c d : N) : seq N :=
  let all := (a ^^ b) ^^ (c ^^ d) in let one x y := x ^^ (all ^^ xtime8 (x ^^ y)) in [:: one a b; one b c; one c d; one d a].
Lemma mixed_zero a b c d : mixed a b c d = [:: 0; 0; 0; 0]%num -> [:: a; b; c; d] = [:: 0; 0; 0; 0]%num.
Proof.
rewrite /mixed; set all := (a ^^ b) ^^ (c ^^ d) => -[E1 E2 E3 E4].
have sum_x u v : xtime8 u ^^ xtime8 v = xtime8 (u ^^ v) by rewrite xtime8_add.
have sum0 u v : u = 0%num -> v = 0%num -> u ^^ v = 0%num by move=> -> ->.
have all0 : all = 0%num.
  have L : (xtime8 (a ^^ b) ^^ xtime8 (b ^^ c)) ^^ (xtime8 (c ^^ d) ^^ xtime8 (d ^^ a)) = 0%num.
    by rewrite !sum_x (_ : _ ^^ _ = 0%num) //; bits.
  have S := sum0 _ _ (sum0 _ _ (sum0 _ _ E1 E2) (sum0 _ _ E3 E4)) L; rewrite -S /all; by bits.
have ac : a = c.
  have L : xtime8 (a ^^ b) ^^ xtime8 (c ^^ d) = 0%num by rewrite sum_x -/all all0.
  have S := sum0 _ _ (sum0 _ _ E1 E3) L; apply: N.lxor_eq; rewrite -S; by bits.
have bd : b = d.
  have L : xtime8 (b ^^ c) ^^ xtime8 (d ^^ a) = 0%num.
    have E : (b ^^ c) ^^ (d ^^ a) = all by rewrite /all; bits.
    by rewrite sum_x E all0.
  have S := sum0 _ _ (sum0 _ _ E2 E4) L; apply: N.lxor_eq; rewrite -S; by bits.
rewrite all0 -ac -?bd ?N.lxor_0_l in E1 E2.
have ab : a = b.
  have S := sum0 _ _ E1 E2; rewrite (N.lxor_comm b a) in S; apply: N.lxor_eq; rewrite -S; by bits.
by move: E1; rewrite -ac -bd -ab N.lxor_nilpotent N.lxor_0_r => ->.
Qed.
Lemma mixed_inj a b c d a' b' c' d' : mixed a b c d = mixed a' b' c' d' -> [:: a; b; c; d] = [:: a'; b'; c'; d'].
Proof.
rewrite {1 2}/mixed => -[E1 E2 E3 E4].
have step x y x' y' all all' : x ^^ (all ^^ xtime8 (x ^^ y)) = x' ^^ (all' ^^ xtime8 (x' ^^ y')) ->
    (x ^^ x') ^^ ((all ^^ all') ^^ xtime8 ((x ^^ x') ^^ (y ^^ y'))) = 0%num.
  have -> : xtime8 ((x ^^ x') ^^ (y ^^ y')) = xtime8 (x ^^ y) ^^ xtime8 (x' ^^ y').
    by rewrite -xtime8_add; congr xtime8; bits.
  by move=> E; rewrite -(N.lxor_nilpotent (x ^^ (all ^^ xtime8 (x ^^ y)))) {2}E; bits.
have := @mixed_zero (a ^^ a') (b ^^ b') (c ^^ c') (d ^^ d').
rewrite /mixed (_ : (a ^^ a') ^^ (b ^^ b') ^^ ((c ^^ c') ^^ (d ^^ d')) = ((a ^^ b) ^^ (c ^^ d)) ^^ ((a' ^^ b') ^^ (c' ^^ d'))); last by bits.
rewrite (step _ _ _ _ _ _ E1) (step _ _ _ _ _ _ E2) (step _ _ _ _ _ _ E3) (step _ _ _ _ _ _ E4) => /(_ erefl) [].
by do 4! [move=> /N.lxor_eq ->].
Qed.
Lemma mixed_bytes a b c d : bytes_only [:: a; b; c; d] -> bytes_only (mixed a b c d).
Proof.
move=> all; have [la lb lc ld] : [/\ nat_of_bin a < 2 ^ 8, nat_of_bin b < 2 ^ 8, nat_of_bin c < 2 ^ 8 & nat_of_bin d < 2 ^ 8].
  by split; apply: all; rewrite !inE eqxx ?orbT.
have one x y : nat_of_bin x < 2 ^ 8 -> nat_of_bin y < 2 ^ 8 -> nat_of_bin (x ^^ ((a ^^ b) ^^ (c ^^ d) ^^ xtime8 (x ^^ y))) < 2 ^ 8.
  by move=> lx ly; do ?[apply: lxor_small => // | apply: xtime8_small].
by move=> e; rewrite !inE => /or4P [] /eqP ->; exact: one.
Qed.

(* Lists, four by four. *)
Lemma fours (P : seq N -> Prop) : (forall s, size s < 4 -> P s) -> (forall a b c d s, P s -> P (a :: b :: c :: d :: s)) -> forall s, P s.
Proof.
move=> short long s; elim: {s}(size s) {-2}s (leqnn (size s)) => [|n IH] [|a [|b [|c [|d s]]]] le; try exact: short.
by apply: long; apply: IH; move: le; rewrite [size _]/= ltnS; do 3! [move/ltnW].
Qed.
Lemma bytes_four a b c d s : bytes_only (a :: b :: c :: d :: s) -> bytes_only [:: a; b; c; d] /\ bytes_only s.
Proof. by move=> all; split=> e ein; apply: all; move: ein; rewrite !inE; [case/or4P => -> | move->]; rewrite ?orbT. Qed.
Lemma big4_small s : size s = 4 -> bytes_only s -> nat_of_bin (big s) < 2 ^ 32. Proof. by move=> z /big_small; rewrite z. Qed.

Lemma mix_cons a b c d s : 4 %| size s ->
  nat_of_bin (mix_columns (a :: b :: c :: d :: s)) = nat_of_bin (big (mixed a b c d)) * 2 ^ (8 * size s) + nat_of_bin (mix_columns s).
Proof.
have -> : mix_columns (a :: b :: c :: d :: s) = (N.shiftl (big (mixed a b c d)) (32 * (bin_of_nat (size s) / 4)) + mix_columns s)%num by [].
move=> /dvdnP [n z]; rewrite nat_of_add_bin bin_shiftl'; congr (_ * 2 ^ _ + _).
have E : bin_of_nat (n * 4) = (bin_of_nat n * 4)%num by apply: (can_inj nat_of_binK); rewrite nat_of_mul_bin !bin_of_natK.
by rewrite nat_of_mul_bin z E N.div_mul // bin_of_natK; clear; lia.
Qed.
Lemma mix_small s : 4 %| size s -> bytes_only s -> nat_of_bin (mix_columns s) < 2 ^ (8 * size s).
Proof.
elim/fours: s => [s lt div _|a b c d s IH div all].
  by rewrite (_ : s = [::]) ?expn_gt0 //; case: s lt div => [|? [|? [|? [|? ?]]]].
have {}div : 4 %| size s by move: div; rewrite -[size _]/(4 + size s) dvdn_addr.
have [all4 /(IH div) lt] := bytes_four all; have l := big4_small (s := mixed a b c d) erefl (mixed_bytes all4).
rewrite (mix_cons _ _ _ _ div) (_ : 8 * size (a :: b :: c :: d :: s) = 32 + 8 * size s); last by rewrite [size (_ :: _)]/=; clear; lia.
rewrite expnD; apply: (@leq_trans ((nat_of_bin (big (mixed a b c d))).+1 * 2 ^ (8 * size s))); first by rewrite mulSn addnC ltn_add2r.
by rewrite leq_mul2r l orbT.
Qed.
Lemma mix_inj s s' : size s = size s' -> 4 %| size s -> bytes_only s -> bytes_only s' -> mix_columns s = mix_columns s' -> s = s'.
Proof.
elim/fours: s s' => [s lt s' z div _ _ _|a b c d s IH].
  have E : s = [::] by case: s lt div {z} => [|? [|? [|? [|? ?]]]].
  by rewrite E (size0nil (s := s')) // -z E.
case=> [|a' [|b' [|c' [|d' s']]]] // [z] div all all'.
have {}div : 4 %| size s by move: div; rewrite -[size _]/(4 + size s) dvdn_addr.
have [all4 all_s] := bytes_four all; have [all4' all_s'] := bytes_four all'; have div' : 4 %| size s' by rewrite -z.
move=> /(congr1 nat_of_bin); rewrite (mix_cons _ _ _ _ div) (mix_cons _ _ _ _ div') -z.
have ls := mix_small div all_s; have ls' := mix_small div' all_s'; rewrite -z in ls'.
move=> /(split_base ls ls') [/(can_inj nat_of_binK) Eb /(can_inj nat_of_binK) Em].
have [-> -> -> ->] := mixed_inj (big_inj (s := mixed a b c d) (s' := mixed a' b' c' d') erefl (mixed_bytes all4) (mixed_bytes all4') Eb).
by rewrite (IH s' z div all_s all_s' Em).
Qed.

(* 5.1.1, 5.1.2. *)
Lemma table_bytes : all (fun y => N.ltb y 256) table. Proof. by vm_compute. Qed.
Lemma table_uniq : uniq table. Proof. by vm_compute. Qed.
Lemma power8 : 2 ^ 8 = 256. Proof. exact: erefl. Qed.
Lemma sbox_small x : nat_of_bin (sbox x) < 2 ^ 8.
Proof.
rewrite power8; case: (ltnP (nat_of_bin x) 256) => [lt|ge]; last by rewrite /sbox nth_default.
by have /(all_nthP 0%num) /(_ (nat_of_bin x) lt) := table_bytes; rewrite bin_ltb.
Qed.
Lemma sbox_inj x y : nat_of_bin x < 2 ^ 8 -> nat_of_bin y < 2 ^ 8 -> sbox x = sbox y -> x = y.
Proof.
rewrite power8 => lx ly /eqP; rewrite /sbox (nth_uniq _ (_ : _ < size table) (_ : _ < size table) table_uniq) //.
by move=> /eqP; exact: (can_inj nat_of_binK).
Qed.
Definition inner (s : seq N) : seq N := shift_rows (map sbox s).
Lemma inner_bytes s : bytes_only (inner s).
Proof.
move=> b /mapP [i _ ->]; case: (ltnP i (size s)) => [lt|ge]; last by rewrite nth_default ?size_map.
by rewrite (nth_map 0%num) //; exact: sbox_small.
Qed.
Lemma size_inner s : size (inner s) = 16. Proof. by []. Qed.
Lemma inner_inj s s' : size s = 16 -> size s' = 16 -> bytes_only s -> bytes_only s' -> inner s = inner s' -> s = s'.
Proof.
move=> z z' all all' /eq_in_map E; apply: (@eq_from_nth _ 0%num) => [|i]; rewrite z ?z' // => lt.
have in_rows : i \in [:: 0; 5; 10; 15; 4; 9; 14; 3; 8; 13; 2; 7; 12; 1; 6; 11].
  by move: lt; do 16! [case: i => [|i] //].
have := E i in_rows; rewrite !(nth_map 0%num) ?z ?z' // => /sbox_inj; apply.
  by apply: all; rewrite mem_nth ?z.
by apply: all'; rewrite mem_nth ?z'.
Qed.

(* 5.1: the rounds. *)
Local Notation small a := (nat_of_bin a < 2 ^ 128) (only parsing).
Lemma xor_inj a b k : a ^^ k = b ^^ k -> a = b.
Proof. by move=> /(congr1 (fun y => y ^^ k)); rewrite !N.lxor_assoc !N.lxor_nilpotent !N.lxor_0_r. Qed.
Lemma block_state x : size (bytes_of 16 x) = 16 /\ bytes_only (bytes_of 16 x).
Proof. by split; [rewrite size_bytes | exact: bytes_only_bytes]. Qed.
Lemma round_small x k : small k -> small (round x k).
Proof. by move=> lk; apply: lxor_small lk; exact: (mix_small (s := inner _) isT (@inner_bytes _)). Qed.
Lemma last_small x k : small k -> small (last_round x k).
Proof. by move=> lk; apply: lxor_small lk; exact: (big_small (s := inner _) (@inner_bytes _)). Qed.
Lemma round_inj x y k : small x -> small y -> round x k = round y k -> x = y.
Proof.
rewrite /round => lx ly /xor_inj E; have [z all] := block_state x; have [z' all'] := block_state y.
apply: (bytes_inj lx ly); apply: inner_inj z z' all all' _.
exact: (mix_inj (s := inner (bytes_of 16 x)) (s' := inner (bytes_of 16 y)) erefl isT (@inner_bytes _) (@inner_bytes _) E).
Qed.
Lemma last_inj x y k : small x -> small y -> last_round x k = last_round y k -> x = y.
Proof.
rewrite /last_round => lx ly /xor_inj E; have [z all] := block_state x; have [z' all'] := block_state y.
apply: (bytes_inj lx ly); apply: inner_inj z z' all all' _.
exact: (big_inj (s := inner (bytes_of 16 x)) (s' := inner (bytes_of 16 y)) erefl (@inner_bytes _) (@inner_bytes _) E).
Qed.
Local Opaque round last_round big mix_columns shift_rows sbox.
Definition permutes (f : N -> N) := (forall x, small x -> small (f x)) /\ (forall x y, small x -> small y -> f x = f y -> x = y).
Lemma rounds_permute ks : (forall k, k \in ks -> small k) -> permutes (fun x => foldl round x ks).
Proof.
elim: ks => [|k ks IH] lks //=; have [s i] : permutes (fun x => foldl round x ks) by apply: IH => k' ink; apply: lks; rewrite inE ink orbT.
have lk : small k by apply: lks; rewrite mem_head.
by split=> [x lx|x y lx ly /(i _ _ (round_small _ lk) (round_small _ lk)) /(round_inj lx ly)] //; apply: s; exact: round_small.
Qed.
Lemma encrypt_permutes ks : (forall k, k \in ks -> small k) -> permutes (encrypt ks).
Proof.
case: ks => [|k ks] lks; first by [].
have lk : small k by apply: lks; rewrite mem_head.
have from y : y = 0%num \/ y \in ks -> small y by move=> [->|iny]; [exact (pow0 128) | apply: lks; rewrite inE iny orbT].
have lrest : small (last k ks) by apply: lks; exact: mem_last.
have [s i] : permutes (fun x => foldl round x (belast (head 0%num ks) (behead ks))).
  apply: rounds_permute => k' /mem_belast; case: (ks) from => [|k1 ks1] from.
    by rewrite mem_seq1 => /eqP ->; apply: from; left.
  by move=> ink; apply: from; right.
by split=> [x lx|x y lx ly /(last_inj (s _ (lxor_small lx lk)) (s _ (lxor_small ly lk))) /(i _ _ (lxor_small lx lk) (lxor_small ly lk)) /xor_inj] //; exact: last_small.
Qed.

(* 5.2: the keys of the rounds. *)
Definition words_only (ws : seq N) := forall w, w \in ws -> nat_of_bin w < 2 ^ 32.
Lemma nth_word ws i : words_only ws -> nat_of_bin (nth 0%num ws i) < 2 ^ 32.
Proof. by move=> all; case: (ltnP i (size ws)) => [lt|ge]; [apply: all; rewrite mem_nth | rewrite nth_default //; exact (pow0 32)]. Qed.
Lemma sub_word_small w : nat_of_bin (sub_word w) < 2 ^ 32.
Proof. by apply: (big4_small (s := map sbox (bytes_of 4 w)) erefl) => b /mapP [c _ ->]; exact: sbox_small. Qed.
Lemma rcon_small i : nat_of_bin (rcon i) < 2 ^ 32.
Proof.
have l : nat_of_bin (iter i.-1 xtime8 1%num) < 2 ^ 8 by elim: (i.-1) => [|n IH]; [rewrite power8 | exact: xtime8_small].
by rewrite /rcon (bin_shiftl 24) -[32]/(8 + 24) expnD ltn_pmul2r // expn_gt0.
Qed.
Lemma expand_words n i nk ws : words_only ws -> words_only (expand n i nk ws).
Proof.
elim: n i ws => [|n IH] i ws all /=; first by move=> w; rewrite mem_rev; exact: all.
apply: IH => w; rewrite inE => /orP [/eqP ->|]; last exact: all.
apply: lxor_small; first exact: nth_word.
have h : nat_of_bin (head 0%num ws) < 2 ^ 32 by rewrite -nth0; exact: nth_word.
by case: ifP => _; [apply: lxor_small (rcon_small _); exact: sub_word_small | case: ifP => _ //; exact: sub_word_small].
Qed.
Lemma wide (B W x w : nat) : x < W -> w < B -> x * B + w < W * B.
Proof. by move=> lx lw; apply: (@leq_trans (x.+1 * B)); [rewrite mulSn addnC ltn_add2r | rewrite leq_mul2r lx orbT]. Qed.
Lemma four_wide (B a b c d : nat) : a < B -> b < B -> c < B -> d < B -> ((a * B + b) * B + c) * B + d < B * B * (B * B).
Proof. by move=> la lb lc ld; rewrite mulnA; do ![apply: wide => //]. Qed.
Lemma blocks_small ws : words_only ws -> forall k, k \in blocks_of_words ws -> small k.
Proof.
elim/fours: ws => [ws lt all k|a b c d ws IH all k].
  by rewrite (_ : blocks_of_words ws = [::]) ?in_nil //; case: ws lt {all} => [|? [|? [|? [|? ?]]]].
rewrite [blocks_of_words _]/= inE => /orP [/eqP ->|]; last by apply: IH => w inw; apply: all; rewrite !inE inw !orbT.
have [la lb lc ld] : [/\ nat_of_bin a < 2 ^ 32, nat_of_bin b < 2 ^ 32, nat_of_bin c < 2 ^ 32 & nat_of_bin d < 2 ^ 32].
  by split; apply: all; rewrite !inE eqxx ?orbT.
have E128 : 2 ^ 128 = 2 ^ 64 * 2 ^ 64 := power128.
have E64 : 2 ^ 64 = 2 ^ 32 * 2 ^ 32 := expnD 2 32 32.
have E : nat_of_bin (N.shiftl (N.shiftl (N.shiftl a 32 + b) 32 + c) 32 + d)
    = ((nat_of_bin a * 2 ^ 32 + nat_of_bin b) * 2 ^ 32 + nat_of_bin c) * 2 ^ 32 + nat_of_bin d.
  by rewrite nat_of_add_bin (bin_shiftl 32) nat_of_add_bin (bin_shiftl 32) nat_of_add_bin (bin_shiftl 32).
rewrite E128 E64 E; exact (four_wide la lb lc ld).
Qed.
Lemma words32_words s : bytes_only s -> words_only (words32 s).
Proof.
elim/fours: s => [s lt all w|a b c d s IH all w].
  by rewrite (_ : words32 s = [::]) ?in_nil //; case: s lt {all} => [|? [|? [|? [|? ?]]]].
have [all4 all_s] := bytes_four all.
by rewrite [words32 _]/= inE => /orP [/eqP ->|]; [exact: (big4_small (s := [:: a; b; c; d]) erefl all4) | exact: IH].
Qed.

(* A key is a string of bytes; AES has keys of 16, 24 and 32. *)
Theorem aes_permutes key : bytes_only key -> permutes (aes key).
Proof.
move=> all; apply: encrypt_permutes; apply: blocks_small; apply: expand_words => w; rewrite mem_rev; exact: words32_words.
Qed.

(* In the forms of the theorems. *)
Section Represented.
Variables (T : finType) (rep : N -> T).
Hypothesis rep_inj : forall a b, small a -> small b -> rep a = rep b -> a = b.
Hypothesis card_T : #|T| = 2 ^ 128.
Definition number (y : T) : N := bin_of_nat (odflt (Ordinal (pow0 128)) [pick i : 'I_(2 ^ 128) | rep (bin_of_nat i) == y]).
Lemma number_below y : small (number y). Proof. by rewrite /number bin_of_natK; exact: ltn_ord. Qed.
Lemma rep_number y : rep (number y) = y.
Proof.
pose place (i : 'I_(2 ^ 128)) : T := rep (bin_of_nat i).
have place_inj : injective place.
  move=> i j E; apply: val_inj; have := rep_inj (a := bin_of_nat i) (b := bin_of_nat j).
  by rewrite !bin_of_natK => /(_ (ltn_ord i) (ltn_ord j) E) /(congr1 nat_of_bin); rewrite !bin_of_natK.
have le : #|T| <= #|'I_(2 ^ 128)| := eq_leq (etrans card_T (esym (card_ord _))).
have /codomP [i ->] := inj_card_onto place_inj le y.
rewrite /number; case: pickP => [j /eqP <- //|/(_ i)]; by rewrite /place eqxx.
Qed.
Lemma represented f : permutes f -> exists P : {perm T}, forall a, small a -> rep (f a) = P (rep a).
Proof.
move=> [s i]; have inj : injective (fun y => rep (f (number y))).
  move=> y z /(rep_inj (s _ (number_below y)) (s _ (number_below z))) /(i _ _ (number_below y) (number_below z)).
  by move=> E; rewrite -(rep_number y) E rep_number.
exists (perm inj) => a la; rewrite permE; congr (rep (f _)).
exact: rep_inj la (number_below _) (esym (rep_number _)).
Qed.
Lemma ciphers (Key : finType) (f : Key -> N -> N) : (forall k, permutes (f k)) ->
  exists E : Key -> {perm T}, forall k a, small a -> rep (f k a) = E k (rep a).
Proof. by move=> all; apply: (@fin_all_exists _ (fun=> {perm T}) (fun k P => forall a, small a -> rep (f k a) = P (rep a))) => k; exact: represented. Qed.
End Represented.

(* UMAC's: blocks of four rows; a key has four, six or eight. *)
Theorem aes_umac words : exists E : 'M['F_2]_(words, 32) -> {perm block}, forall k, TieMac.computes (aes (key_bytes k)) (E k).
Proof.
have card_block : #|{: block}| = 2 ^ 128 by rewrite card_matrix card_Fp.
have inj a b : small a -> small b -> block_of (nat_of_bin a) = block_of (nat_of_bin b) -> a = b.
  by move=> la lb /(block_of_inj la lb) /(can_inj nat_of_binK).
have all (k : 'M['F_2]_(words, 32)) : permutes (aes (key_bytes k)).
  by apply: aes_permutes => b /flattenP [s /mapP [w _ ->]]; exact: bytes_only_bytes.
exact (ciphers inj card_block all).
Qed.
Section Fields.
Variables (F : finFieldType) (x : F).
(* PMAC's: elements, and strings of n bytes as keys. *)
Theorem aes_pmac : field_of pmac_modulus x -> forall n, exists E : n.-tuple byte -> {perm F},
  forall k : n.-tuple byte, TieField.computes x (aes (binary k)) (E k).
Proof.
move=> fx n; have all (k : n.-tuple byte) : permutes (aes (binary k)) by apply: aes_permutes; exact: bytes_binary.
have [E Ek] := ciphers (value_inj pmac_irreducible fx) (card_x fx) all.
by exists E => k a la; split; [have [s _] := all k; exact: s | exact: Ek].
Qed.
(* Carter's: elements, and secrets of b blocks. *)
Theorem aes_carter : field_of carter_modulus x -> forall b, exists E : {ffun 'I_b -> F} -> {perm F},
  forall k a, nat_of_bin a < 2 ^ 128 -> block_element x (aes (secret_bytes x k) a) = E k (block_element x a).
Proof.
move=> fx b; have all (k : {ffun 'I_b -> F}) : permutes (aes (secret_bytes x k)).
  by apply: aes_permutes => c /flattenP [s /mapP [i _ ->]]; exact: bytes_string.
have inj a c : small a -> small c -> block_element x a = block_element x c -> a = c.
  by move=> la lc E; apply: (bytes_inj la lc); rewrite -!(string_block fx) E.
exact (ciphers inj (card_x fx) all).
Qed.
End Fields.
