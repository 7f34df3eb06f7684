(* The UMAC that runs (RunUmac.v) has the hash of the theorems (UhashRfc.v), for every key and message. *)
From Coq Require Import NArith.
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import zify.
Require Import Constants Toeplitz Poly L3 Uhash UhashBound UhashRfc Aes.
Require RunUmac.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import GRing.Theory.
Local Open Scope nat_scope.

(* Binary numbers and those of the theorems. *)
Lemma bin_mod (a b : N) : (b <> 0)%num -> nat_of_bin (a mod b) = nat_of_bin a %% nat_of_bin b.
Proof.
move=> b0; have E := N.div_mod a b b0; have lt : nat_of_bin (a mod b) < nat_of_bin b by have := N.mod_lt a b b0; lia.
rewrite [in RHS]E nat_of_add_bin nat_of_mul_bin mulnC modnMDl modn_small //.
Qed.

Lemma bin_pow n : nat_of_bin (2 ^ bin_of_nat n) = 2 ^ n.
Proof.
elim: n => // n IH; have -> : bin_of_nat n.+1 = N.succ (bin_of_nat n) by lia.
by rewrite N.pow_succ_r' nat_of_mul_bin IH expnS.
Qed.

Lemma bin_low n (x : N) : nat_of_bin (low (bin_of_nat n) x) = nat_of_bin x %% 2 ^ n.
Proof. by rewrite /low N.land_ones bin_mod ?bin_pow //; have := expn_gt0 2 n; rewrite -bin_pow; lia. Qed.

Lemma bin_shiftl n (x : N) : nat_of_bin (N.shiftl x (bin_of_nat n)) = nat_of_bin x * 2 ^ n.
Proof. by rewrite N.shiftl_mul_pow2 nat_of_mul_bin bin_pow. Qed.

Lemma bin_shiftr n (x : N) : nat_of_bin (N.shiftr x (bin_of_nat n)) = nat_of_bin x %/ 2 ^ n.
Proof.
have p : nat_of_bin (2 ^ bin_of_nat n) > 0 by rewrite bin_pow expn_gt0.
rewrite N.shiftr_div_pow2 -[in RHS]bin_pow; move: (2 ^ _)%num p => d p.
have E := N.div_mod x d ltac:(lia); have lt : nat_of_bin (x mod d) < nat_of_bin d by have := N.mod_lt x d; lia.
by rewrite [in RHS]E nat_of_add_bin nat_of_mul_bin mulnC divnMDl // divn_small // addn0.
Qed.

Lemma bin_sub (a b : N) : nat_of_bin (a - b) = nat_of_bin a - nat_of_bin b. Proof. lia. Qed.
Lemma bin_ltb (a b : N) : (a <? b)%num = (nat_of_bin a < nat_of_bin b).
Proof. by apply/idP/idP => [/N.ltb_lt|] lt; [lia | apply/N.ltb_lt; lia]. Qed.

(* Bytes. *)
Definition binary (M : seq byte) : seq N := map (fun b : byte => bin_of_nat b) M.
Lemma size_binary M : size (binary M) = size M. Proof. exact: size_map. Qed.
Lemma nth_binary M i : nat_of_bin (nth 0%num (binary M) i) = nth zero M i :> nat.
Proof.
case: (ltnP i (size M)) => [lt|ge]; first by rewrite (nth_map zero) // bin_of_natK.
by rewrite !nth_default ?size_binary.
Qed.

Arguments RunUmac.little : simpl never.
Lemma bin_little s : nat_of_bin (RunUmac.little s) = foldr (fun b rest => b + 256 * rest) 0 (map nat_of_bin s).
Proof.
elim: s => // b s IH; rewrite [RunUmac.little _](_ : _ = (b + 256 * RunUmac.little s)%num) //.
by rewrite nat_of_add_bin nat_of_mul_bin IH.
Qed.

Lemma nth_little_words s i :
  nth 0%num (RunUmac.little_words s) i = RunUmac.little (mkseq (fun t => nth 0%num s (4 * i + t)) 4).
Proof.
have behind s' i' : size s' <= 4 * i' -> RunUmac.little (mkseq (fun t => nth 0%num s' (4 * i' + t)) 4) = 0%num.
  by move=> le; rewrite /mkseq /= !nth_default // (leq_trans le) ?leq_addr.
have [n le] := ubnP (size s); elim: n s i le => // n IH [|a [|b [|c [|d s]]]] [|i] le //;
  try by (rewrite behind //=; rewrite ?nth_nil //; lia).
rewrite -[LHS]/(nth 0%num (RunUmac.little_words s) i) IH; last by rewrite /= in le; lia.
by congr RunUmac.little; apply: eq_mkseq => t; rewrite mulnS -!addnA.
Qed.

(* Keys of the theorems, from the words of key strings. *)
Definition word_at (ks : seq N) i : nat := nat_of_bin (nth 0%num ks i).
Definition key1_of (ks : seq N) : key1 (2 ^ 32) :=
  [ffun pb : 'I_pairs * bool => (word_at ks (8 * (pb.1 %/ 4) + pb.1 %% 4 + 4 * pb.2))%:R%R].
Lemma pow0 n : 0 < 2 ^ n. Proof. by rewrite expn_gt0. Qed.
Definition below n (x : nat) : 'I_(2 ^ n) := Ordinal (ltn_pmod x (pow0 n)).
Definition masked_of (ks : seq N) i : masked64 := (below 25 (word_at ks i), below 25 (word_at ks i.+1)).
Definition key2_of (ks : seq N) : masked64 * masked128 := (masked_of ks 0, (masked_of ks 2, masked_of ks 4)).
Definition key3_of (ks : seq N) : key word64 8 :=
  [ffun i : 'I_8 => below 64 (word_at ks (2 * (7 - i)) * 2 ^ 32 + word_at ks (2 * (7 - i)).+1)].
Definition key_of (ks1 ks2 ks3 : seq N) : hash_key := (key1_of ks1, key2_of ks2, key3_of ks3).

Lemma bin_sum (I : Type) (g : I -> N) c s :
  nat_of_bin (foldr (fun p sum => g p + sum)%num c s) = \sum_(p <- s) nat_of_bin (g p) + nat_of_bin c.
Proof. by elim: s => [|p s IH] /=; rewrite ?big_nil // big_cons nat_of_add_bin IH addnA. Qed.

Lemma Zp_sum n (a b : nat) : 1 < n -> nat_of_ord (a%:R + b%:R : 'Z_n)%R = (a + b) %% n.
Proof. by move=> n1; rewrite -natrD val_Zp_nat. Qed.

Lemma N1 : 1 < 2 ^ 32. Proof. by rewrite -[1]/(2 ^ 0) ltn_exp2l. Qed.

Lemma level1_word ks M p (b : bool) : nat_of_bin (low 32 (nth 0 ks (RunUmac.place p + 4 * b) + nth 0 (RunUmac.little_words (binary M)) (RunUmac.place p + 4 * b)))%num
  = ((word_at ks (8 * (p %/ 4) + p %% 4 + 4 * b))%:R + word (2 ^ 32) (bytes_at zero M (start p b)) : 'Z_(2 ^ 32))%R :> nat.
Proof.
rewrite /word Zp_sum // (bin_low 32) nat_of_add_bin nth_little_words bin_little /mkseq -!map_comp; congr ((_ + _) %% _).
rewrite /little /bytes_at /mkseq foldr_map /=.
have -> : 4 * (RunUmac.place p + 4 * b) = start p b by rewrite /RunUmac.place /start; lia.
by rewrite !nth_binary.
Qed.

Lemma level1_runs ks M : nat_of_bin (RunUmac.level1 ks (binary M)) = level1 zero (word (2 ^ 32)) (key1_of ks) M :> nat.
Proof.
pose x p (b : bool) := nat_of_ord ((word_at ks (8 * (p %/ 4) + p %% 4 + 4 * b))%:R + word (2 ^ 32) (bytes_at zero M (start p b)) : 'Z_(2 ^ 32))%R.
have -> : level1 zero (word (2 ^ 32)) (key1_of ks) M
    = ((\sum_(p < pairs | counts (size M) p) x p false * x p true + 8 * size M)%:R)%R.
  rewrite natrD natr_sum /level1; congr (_ + _)%R; apply: eq_bigr => p _.
  by rewrite /product_at /unsigned !ffunE.
rewrite val_Zp_nat // -expnD (bin_low 64) bin_sum size_binary; congr ((_ + _) %% _); last by lia.
rewrite big_filter -(big_mkord (fun p => (p %/ 4 == 0) || (32 * (p %/ 4) < size M)) (fun p => x p false * x p true)).
apply: eq_bigr => p _.
have E (b : bool) : nat_of_bin (low 32 (nth 0 ks (RunUmac.place p + 4 * b) + nth 0 (RunUmac.little_words (binary M)) (RunUmac.place p + 4 * b)))%num = x p b :=
  level1_word ks M p b.
by have := E true; have := E false; rewrite /RunUmac.clause nat_of_mul_bin muln0 muln1 !addn0 => -> ->.
Qed.

(* Level 2. *)
Section Reduce.
Variables (b d p : nat).
Hypothesis p_def : p = 2 ^ b - d.
Let B := bin_of_nat b.
Let D := bin_of_nat d.
Hypothesis d_b : d < 2 ^ b.
Lemma reduce_mod x : nat_of_bin (RunUmac.reduce B D x) = nat_of_bin x %% p.
Proof.
have p0 : 0 < p by rewrite p_def subn_gt0.
have Ep : nat_of_bin (N.shiftl 1 B - D) = p by rewrite bin_sub bin_shiftl mul1n /D bin_of_natK p_def.
have fold y : nat_of_bin (N.shiftr y B * D + low B y) = nat_of_bin y %[mod p].
  rewrite nat_of_add_bin nat_of_mul_bin bin_shiftr bin_low /D bin_of_natK.
  have Eb : 2 ^ b = d + p by rewrite p_def; move: d_b; lia.
  rewrite [in RHS](divn_eq y (2 ^ b)); move: (nat_of_bin y %/ 2 ^ b) (nat_of_bin y %% 2 ^ b) => h l; rewrite Eb.
  have -> : h * (d + p) + l = h * p + (h * d + l) by lia.
  by rewrite modnMDl.
rewrite /RunUmac.reduce; set y := (_ + _)%num.
have Ey : nat_of_bin y = nat_of_bin x %[mod p] by rewrite !fold.
case: ifP => [|_]; first by rewrite bin_ltb Ep -Ey => lt; rewrite modn_small.
by rewrite bin_mod ?Ep // => E; move: p0; rewrite -Ep E.
Qed.

Variable limit : N.
Hypothesis p_prime : prime p.
Variables (K : finType) (point : K -> 'F_p) (k : K) (kn : N).
Hypothesis point_k : point k = (nat_of_bin kn)%:R%R.
Lemma poly_runs ws : nat_of_bin (RunUmac.poly B D limit kn ws)
  = POLY p limit d (fun a => a%:R%R) point k (map nat_of_bin ws) :> nat.
Proof.
have Ep : nat_of_bin (N.shiftl 1 B - D) = p by rewrite bin_sub bin_shiftl mul1n /D bin_of_natK p_def.
rewrite /POLY point_k /RunUmac.poly; set f := fun y w => _.
have natr_mod n : ((n %% p)%:R = n%:R :> 'F_p)%R by apply: val_inj; rewrite /= !val_Fp_nat // modn_mod.
have step (y t : N) : ((nat_of_bin (RunUmac.reduce B D (kn * y + t)))%:R
    = (nat_of_bin kn)%:R * (nat_of_bin y)%:R + (nat_of_bin t)%:R :> 'F_p)%R.
  by rewrite reduce_mod natr_mod nat_of_add_bin nat_of_mul_bin natrD natrM.
have small x : nat_of_bin (RunUmac.reduce B D x) < p by rewrite reduce_mod ltn_mod prime_gt0.
suff E y : nat_of_bin y < p -> nat_of_bin (foldl f y ws) < p /\
    ((nat_of_bin (foldl f y ws))%:R = foldl (fun y t => (nat_of_bin kn)%:R * y + t) (nat_of_bin y)%:R
      (code p (nat_of_bin limit) d (fun a => a%:R) (map nat_of_bin ws)) :> 'F_p)%R.
  have [lt E1] := E 1%num (prime_gt1 p_prime); rewrite -[LHS](modn_small lt) -val_Fp_nat //; congr nat_of_ord.
  exact: E1.
elim: ws y => //= w ws IH y lt; rewrite /code /= foldl_cat -/(code _ _ _ _ _).
rewrite /coded /f bin_ltb; case: ifP => _ /=; rewrite -/f.
- have [small' ->] := IH _ (small (kn * y + w)%num); split=> //; congr foldl; exact: step.
- have [small' ->] := IH _ (small (kn * RunUmac.reduce B D (kn * y + (N.shiftl 1 B - D - 1)) + (w - D))%num).
  split=> //; congr foldl; rewrite step step; congr (_ * (_ * _ + _%:R) + _%:R)%R.
    by rewrite bin_sub Ep subn1.
  by rewrite bin_sub /D bin_of_natK.
Qed.
End Reduce.

Lemma in_pairs_runs (mark : N) (ws : seq N) :
  map nat_of_bin (RunUmac.in_pairs mark ws) = in_pairs (2 ^ 32 * 2 ^ 32) mark (map nat_of_bin ws).
Proof.
have Es x : nat_of_bin (N.shiftl x 64) = nat_of_bin x * (2 ^ 32 * 2 ^ 32).
  by rewrite -expnD; exact: (bin_shiftl 64 x).
move: (2 ^ 32 * 2 ^ 32) Es => B Es; rewrite /in_pairs /marked.
have [n le] := ubnP (size ws); elim: n ws le => // n IH [|a [|b ws]] le.
- rewrite /mkseq /= Es; congr [:: _]; lia.
- rewrite /mkseq /= nat_of_add_bin Es; congr [:: _]; lia.
rewrite /= nat_of_add_bin Es IH; last by move: le => /=; lia.
rewrite negbK; set tail := if _ then _ else _.
move: (size _)./2 => m; rewrite /mkseq -[iota 0 m.+1]/(0 :: iota (1 + 0) m) iotaDl /= -map_comp; congr (_ :: _).
by apply: eq_map => i; rewrite /comp (_ : 2 * (1 + i) = (2 * i).+2); last by lia.
Qed.

Definition end_mark_bin : nat_of_bin RunUmac.end_mark = end_mark := etrans (bin_shiftl 63 1) (mul1n _).
Lemma limit64_bin : nat_of_bin RunUmac.limit64 = limit64.
Proof.
rewrite /RunUmac.limit64 /limit64 bin_sub.
exact: (f_equal2 subn (etrans (bin_shiftl 64 1) (mul1n _)) (etrans (bin_shiftl 32 1) (mul1n _))).
Qed.
Lemma limit128_bin : nat_of_bin RunUmac.limit128 = limit128.
Proof.
rewrite /RunUmac.limit128 /limit128 bin_sub.
exact: (f_equal2 subn (etrans (bin_shiftl 128 1) (mul1n _)) (etrans (bin_shiftl 96 1) (mul1n _))).
Qed.

Lemma masked_runs ks i : nat_of_bin (RunUmac.masked ks i) = number64 (masked_of ks i).
Proof.
rewrite /RunUmac.masked nat_of_add_bin (bin_shiftl 32) !(bin_low 25) /number64 /masked_of /below /=; exact: erefl.
Qed.

Lemma p64_def : p64 = 2 ^ 64 - 59. Proof. by rewrite /p64. Qed.
Lemma p128_def : p128 = 2 ^ 128 - 159. Proof. rewrite /p128; exact: erefl. Qed.

Lemma p36_bin : nat_of_bin (N.shiftl 1 36 - 5) = p36.
Proof. rewrite bin_sub /p36; exact (f_equal2 subn (etrans (bin_shiftl 36 1) (mul1n _)) erefl). Qed.
Lemma nth0_map (ws : seq N) : nat_of_bin (nth 0%num ws 0) = nth 0 (map nat_of_bin ws) 0.
Proof. by case: ws. Qed.

Section Primes.
Hypothesis prime36 : prime p36.
Hypothesis prime64 : prime p64.
Hypothesis prime128 : prime p128.

Lemma level2_runs ks ws : nat_of_bin (RunUmac.level2 (RunUmac.point64 ks) (RunUmac.point128 ks) ws)
  = level2 (2 ^ 32 * 2 ^ 32) end_mark poly64_words limit64 offset64 limit128 offset128 point64 point128 (key2_of ks)
      (map nat_of_bin ws).
Proof.
have e64 : nat_of_bin (RunUmac.point64 ks) = number64 (key2_of ks).1 := masked_runs ks 0.
have e128 : nat_of_bin (RunUmac.point128 ks) = number128 (key2_of ks).2.
  rewrite /RunUmac.point128 nat_of_add_bin (bin_shiftl 64) !masked_runs /number128 /key2_of /=; exact: erefl.
have g64 : point64 (key2_of ks).1 = (nat_of_bin (RunUmac.point64 ks))%:R%R by rewrite /point64 -e64.
have g128 : point128 (key2_of ks).2 = (nat_of_bin (RunUmac.point128 ks))%:R%R by rewrite /point128 -e128.
have d64 : 59 < 2 ^ 64 by lia.
have d128 : 159 < 2 ^ 128 by lia.
have p64_runs v := @poly_runs 64 59 p64 p64_def d64 RunUmac.limit64 prime64 _ point64 (key2_of ks).1 (RunUmac.point64 ks) g64 v.
have p128_runs v := @poly_runs 128 159 p128 p128_def d128 RunUmac.limit128 prime128 _ point128 (key2_of ks).2 (RunUmac.point128 ks) g128 v.
clear e64 e128 g64 g128 d64 d128; rewrite limit64_bin in p64_runs; rewrite limit128_bin in p128_runs.
have E14 : RunUmac.words64 = poly64_words := erefl.
rewrite /RunUmac.level2 /level2 size_map E14; clear E14; move: poly64_words => n64.
case: (size ws <= 1); [exact (nth0_map ws) | case: (size ws <= n64); [exact (p64_runs ws) |]].
rewrite (p128_runs (_ :: _)) map_cons in_pairs_runs end_mark_bin map_drop (p64_runs (take n64 ws)) map_take.
rewrite /POLY128 /later /POLY64 /offset64 /offset128; reflexivity.
Qed.

Lemma level3_runs ks (y : N) : nat_of_bin (RunUmac.level3 ks y)
  = L3 (2 ^ 32) reduced (key3_of ks) (digits p36 (2 ^ 16) (nat_of_bin y)).
Proof.
have -> : RunUmac.level3 ks y = low 32 (foldr (fun i sum => low 16 (N.shiftr y (16 * bin_of_nat i)) * RunUmac.word64 ks (7 - i)
    + sum)%num 0%num (iota 0 8) mod (N.shiftl 1 36 - 5))%num by [].
have p0 := prime_gt0 prime36.
have nz : (N.shiftl 1 36 - 5 <> 0)%num by move=> E; move: p0; rewrite -p36_bin E.
rewrite (bin_low 32) (bin_mod _ nz) p36_bin; clear nz.
rewrite bin_sum -[nat_of_bin 0]/0 addn0 /L3 /L3.low /inner.
pose x i := (nat_of_bin y %/ (2 ^ 16) ^ i) %% 2 ^ 16 * ((word_at ks (2 * (7 - i)) * 2 ^ 32 + word_at ks (2 * (7 - i)).+1) %% 2 ^ 64).
have -> : (\sum_i digits p36 (2 ^ 16) (nat_of_bin y) i * reduced (key3_of ks i) = (\sum_(i < 8) x i)%:R)%R.
  by rewrite natr_sum; apply: eq_bigr => i _; rewrite /reduced ffunE -natrM.
rewrite (val_Fp_nat prime36); congr (_ %% _ %% _).
rewrite -(big_mkord xpredT x); apply: eq_bigr => i _; rewrite nat_of_mul_bin; congr (_ * _).
  rewrite (bin_low 16) -expnM -bin_shiftr; congr (nat_of_bin (N.shiftr _ _) %% _); lia.
by rewrite (bin_low 64) nat_of_add_bin (bin_shiftl 32).
Qed.
End Primes.

(* Messages as the theorems have them, in runs of equal chunks. *)
Section Words.
Variable ks : seq N.
Local Notation words := (words_of zero (word (2 ^ 32)) (key1_of ks)).
Implicit Types (rs : seq (nat * seq byte)) (M : seq byte).
Definition joined rs M := flatten (map (fun r => flatten (nseq r.1 r.2)) rs) ++ M.
Definition in_runs rs M : RunUmac.message := (map (fun r => (r.1, binary r.2)) rs, binary M).

Lemma chunk_first (c M : seq byte) : size c = C -> chunk (c ++ M) 0 = c.
Proof. by move=> sc; rewrite /chunk muln0 drop0 take_size_cat. Qed.
Lemma chunk_later (c M : seq byte) i : size c = C -> chunk (c ++ M) i.+1 = chunk M i.
Proof.
move=> sc; rewrite /chunk mulnS drop_cat sc ltnNge leq_addr /=; congr (take _ (drop _ _)); exact: addKn.
Qed.
Lemma chunks_more (a : nat) : 0 < a -> chunks_of (C + a) = (chunks_of a).+1.
Proof. by rewrite /chunks_of /C => a0; lia. Qed.

Lemma words_cons (c M : seq byte) : size c = C -> M != [::] ->
  words (c ++ M) = (level1 zero (word (2 ^ 32)) (key1_of ks) c : nat) :: words M.
Proof.
move=> sc ne; have sM : 0 < size M by rewrite lt0n size_eq0.
rewrite /words_of size_cat sc chunks_more //; move: (chunks_of (size M)) => n.
rewrite /mkseq -[iota 0 n.+1]/(0 :: iota (1 + 0) n) iotaDl map_cons chunk_first // -map_comp; congr (_ :: _).
by apply: eq_map => i; rewrite /comp add1n chunk_later.
Qed.

Lemma words_rest M : map nat_of_bin (RunUmac.words ks ([::], binary M)) = words M.
Proof.
have -> : RunUmac.words ks ([::], binary M)
  = mkseq (fun i => RunUmac.level1 ks (take C (drop (C * i) (binary M)))) (chunks_of (size (binary M))) := erefl.
rewrite size_binary /words_of /mkseq -map_comp; apply: eq_map => i.
by rewrite /comp /binary -map_drop -map_take level1_runs.
Qed.

Lemma words_runs rs M : all (fun r => size r.2 == C) rs -> (rs == [::]) || (M != [::]) ->
  map nat_of_bin (RunUmac.words ks (in_runs rs M)) = words (joined rs M).
Proof.
case: rs => [|r0 rs0]; first by rewrite words_rest.
move=> sizes /= ne; move: (r0 :: rs0) sizes => rs.
have -> : RunUmac.words ks (in_runs rs M) = flatten (map (fun r => nseq r.1 (RunUmac.level1 ks r.2)) (in_runs rs M).1)
  ++ RunUmac.words ks ([::], binary M) := erefl.
have more (s M1 : seq byte) : M1 != [::] -> s ++ M1 != [::] by case: s.
rewrite map_cat words_rest /joined /=; elim: rs => [|[n c] rs IH] //= /andP [/eqP sc all].
rewrite map_cat -catA IH // -catA; have := more (flatten (map (fun r => flatten (nseq r.1 r.2)) rs)) M ne.
move: (_ ++ M) => M' ne'; rewrite map_nseq level1_runs.
move: (nat_of_ord (level1 zero _ _ c)) (fun M0 => @words_cons c M0 sc) => x cons.
by elim: n => [|n IHn] //=; rewrite IHn -catA (cons _ (more _ _ ne')).
Qed.
End Words.

(* One stream: the hash of the theorems, for any words of keys, and any message of the theorems. *)
Section Stream.
Hypothesis prime36 : prime p36.
Hypothesis prime64 : prime p64.
Hypothesis prime128 : prime p128.
Variables (rs : seq (nat * seq byte)) (M : seq byte).
Hypothesis chunks : all (fun r => size r.2 == C) rs.
Hypothesis rest : (rs == [::]) || (M != [::]).
Local Notation hash := (@uhash (2 ^ 32) poly64_words p64 limit64 offset64 p128 limit128 offset128 end_mark p36 (2 ^ 32)
  (2 ^ 16) _ zero (word (2 ^ 32)) masked64 masked128 word64 point64 point128 reduced).

Theorem stream_runs ks1 ks2 ks3 : nat_of_bin (RunUmac.stream ks1 ks2 ks3 (in_runs rs M))
  = hash (key_of ks1 ks2 ks3) (joined rs M).
Proof.
rewrite /RunUmac.stream (level3_runs prime36 prime64 prime128) (level2_runs prime36 prime64 prime128) (words_runs ks1 chunks rest) /uhash /level12.
cbv beta iota delta [key_of fst snd]; reflexivity.
Qed.
End Stream.
