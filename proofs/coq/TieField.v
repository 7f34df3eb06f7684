(* The PMAC that runs (RunField.v) is the PMAC of the theorems, for every message of bytes and every cipher. *)
From Coq Require Import NArith.
From mathcomp Require Import all_ssreflect all_algebra all_field.
From mathcomp Require Import zify.
Require Import UhashRfc Pmac PmacForgery Aes RunField BinaryField TieUmac TieMac.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import GRing.Theory.
Local Open Scope nat_scope.
Local Opaque expn.

(* The modulus has no factor: x^(2^128) is x, and x^(2^64) - x has an inverse, a^(2^128 - 2). Coq's checker computes the first once,
   in two halves. *)
Definition inverse m (a : N) : N := (iter 127 (fun s => let b := times m s.1 s.1 in (b, times m s.2 b)) (a, 1%num)).2.
Variant irreducible m : Prop := Irreducible u of power m 128 = 2%num
  & times m (N.lxor (power m 64) 2) u = 1%num & N.testbit m 128 & N.size m = 129%num.
Lemma powers m c u : power m 64 = c -> iter 64 (fun a => times m a a) c = 2%num -> times m (N.lxor c 2) u = 1%num ->
  N.testbit m 128 -> N.size m = 129%num -> irreducible m.
Proof.
move=> E64 E128 Eu t z; have P : power m (64 + 64) = iter 64 (fun a => times m a a) (power m 64) by exact: iterD.
rewrite E64 E128 in P; rewrite -E64 in Eu; exact (Irreducible P Eu t z).
Qed.
Definition pmac_64 : N := Eval vm_compute in power pmac_modulus 64.
Definition pmac_inverse : N := Eval vm_compute in inverse pmac_modulus (N.lxor pmac_64 2).
Definition carter_64 : N := Eval vm_compute in power carter_modulus 64.
Definition carter_inverse : N := Eval vm_compute in inverse carter_modulus (N.lxor carter_64 2).
Local Opaque iter.
Lemma pmac_irreducible : irreducible pmac_modulus.
Proof.
apply: (@powers _ pmac_64 pmac_inverse); [vm_cast_no_check (erefl pmac_64) | vm_cast_no_check (erefl 2%num) | vm_cast_no_check (erefl 1%num) | exact erefl | exact erefl].
Qed.
Lemma carter_irreducible : irreducible carter_modulus.
Proof.
apply: (@powers _ carter_64 carter_inverse); [vm_cast_no_check (erefl carter_64) | vm_cast_no_check (erefl 2%num) | vm_cast_no_check (erefl 1%num) | exact erefl | exact erefl].
Qed.
Local Transparent iter.
Local Opaque power times inverse.
Lemma divisors128 d : 0 < d < 128 -> gcdn d 128 %| 64.
Proof.
have every : all (fun d => gcdn d 128 %| 64) (iota 1 127) by vm_compute.
by move=> /andP [d0 lt]; apply: (allP every); rewrite mem_iota d0.
Qed.

(* A field of 2^128 elements with a root of the modulus. *)
Definition field_of m (F : finFieldType) (x : F) := [/\ 2%N \in [char F]%R, #|F| = 2 ^ 128 & value x m = 0%R].

Section Modulus.
Variable m : N.
Hypothesis irreducible_m : irreducible m.
Lemma size_m : N.size m = 129%num. Proof. by case: irreducible_m => u _ _ _ z; exact z. Qed.
Lemma top_m : N.testbit m 128. Proof. by case: irreducible_m => u _ _ t _; exact t. Qed.
Lemma degree_m : exists2 p, m = N.pos p & 1 < Pos.size_nat p.
Proof. case: (m) size_m => [|p] E; [discriminate E | exists p; [reflexivity | case: p E => [p|p|] E; [by case: p {E} | by case: p {E} | discriminate E]]]. Qed.
Theorem field_exists : exists (F : finFieldType) (x : F), field_of m x.
Proof.
have [F char2 card_F] := @PrimePowerField 2 128 isT isT; case: irreducible_m => u period _ _ _.
have [x root] := root_exists char2 card_F period degree_m; exists F, x; exact (And3 char2 card_F root).
Qed.

Variables (F : finFieldType) (x : F).
Hypothesis field_x : field_of m x.
Lemma char2_x : 2%N \in [char F]%R. Proof. by case: field_x. Qed.
Lemma card_x : #|F| = 2 ^ 128. Proof. by case: field_x. Qed.
Lemma value_mul a b : (value x (times m a b) = value x a * value x b)%R.
Proof. case: field_x => c _ r; exact: value_prod. Qed.
Lemma value_add a b : (value x (N.lxor a b) = value x a + value x b)%R.
Proof. exact: value_xor char2_x _ _. Qed.
Lemma value_zero a : nat_of_bin a < 2 ^ 128 -> value x a = 0%R -> a = 0%num.
Proof.
case: field_x => char2 card_F root; case: irreducible_m => u _ proper _ _.
exact (value_eq0 (n := 128) (h := 64) char2 card_F proper divisors128 root (a := a)).
Qed.
Theorem value_inj a b : nat_of_bin a < 2 ^ 128 -> nat_of_bin b < 2 ^ 128 -> value x a = value x b -> a = b.
Proof.
move=> la lb E; apply: N.lxor_eq; apply: value_zero; first exact: lxor_small.
rewrite value_add E; exact (addrr_char2 char2_x _).
Qed.
Lemma value_sum s : value x (sum s) = (\sum_(a <- s) value x a)%R.
Proof. by elim: s => [|a s IH]; rewrite ?big_nil // big_cons /= value_add IH. Qed.

(* Products stay below 2^128. *)
Lemma sum_small n s : (forall a, a \in s -> nat_of_bin a < 2 ^ n) -> nat_of_bin (sum s) < 2 ^ n.
Proof.
elim: s => [|a s IH] small; first by rewrite expn_gt0.
by apply: lxor_small; [apply: small; rewrite mem_head | apply: IH => b bs; apply: small; rewrite inE bs orbT].
Qed.
Lemma below_top n (a : nat) : a < 2 ^ n.+1 -> ~~ odd (a %/ 2 ^ n) -> a < 2 ^ n.
Proof.
rewrite expnS -ltn_divLR ?expn_gt0 //; case E: (a %/ 2 ^ n) => [|[|k]] // _ _.
by rewrite -[2 ^ n]mul1n -ltn_divLR ?expn_gt0 // E.
Qed.
Lemma size_small k (a : N) : N.size a = bin_of_nat k -> nat_of_bin a < 2 ^ k.
Proof.
move=> E; have := N.size_gt a; rewrite E => /N.compare_lt_iff; move: (bin_pow k) => P lt.
by rewrite -P; move: lt => /N.compare_lt_iff; clear; lia.
Qed.
Lemma drop_top k (a : N) : nat_of_bin a < 2 ^ k.+1 -> N.testbit a (bin_of_nat k) = false -> nat_of_bin a < 2 ^ k.
Proof. by move=> l t; apply: below_top l _; rewrite -bin_testbit t. Qed.
Lemma double_small k (a : N) : nat_of_bin a < 2 ^ k -> nat_of_bin (N.double a) < 2 ^ k.+1.
Proof. by move=> l; rewrite N.double_spec nat_of_mul_bin expnS ltn_pmul2l. Qed.
Lemma xtime_small a : nat_of_bin a < 2 ^ 128 -> nat_of_bin (xtime m a) < 2 ^ 128.
Proof.
move=> la; have l129 := double_small la; rewrite /xtime; case bit: (N.testbit (N.double a) 128).
  have off : N.testbit (N.lxor (N.double a) m) 128 = false by rewrite N.lxor_spec bit top_m.
  exact (@drop_top 128 _ (@lxor_small _ _ 129 l129 (@size_small 129 _ size_m)) off).
exact (@drop_top 128 _ l129 bit).
Qed.
Local Transparent times.
Lemma times_small a b : nat_of_bin a < 2 ^ 128 -> nat_of_bin (times m a b) < 2 ^ 128.
Proof.
move=> la; case: b => [|b]; first exact (pow0 128).
rewrite /times; elim: b => [b IH|b IH|]; [exact (lxor_small la (xtime_small IH)) | exact (xtime_small IH) | exact la].
Qed.
End Modulus.

(* Strings of bytes as numbers, the first byte the highest. *)
Definition bytes_only (s : seq N) := forall b, b \in s -> nat_of_bin b < 2 ^ 8.
Lemma bytes_rcons s b : bytes_only (rcons s b) -> bytes_only s /\ nat_of_bin b < 2 ^ 8.
Proof. by move=> all; split=> [c cs|]; apply: all; rewrite mem_rcons inE ?cs ?orbT ?eqxx. Qed.
Lemma nat_big s b : nat_of_bin (big (rcons s b)) = nat_of_bin (big s) * 2 ^ 8 + nat_of_bin b.
Proof. by rewrite /big -cats1 foldl_cat /= nat_of_add_bin (bin_shiftl 8). Qed.
Lemma split_base B (J J' w w' : nat) : w < B -> w' < B -> J * B + w = J' * B + w' -> J = J' /\ w = w'.
Proof.
move=> l l' E; have B0 : 0 < B by apply: leq_ltn_trans l.
have EJ : J = J' by have := congr1 (fun y => y %/ B) E; rewrite !divnMDl // !divn_small // !addn0.
by split=> //; move: E; rewrite EJ => /addnI.
Qed.
Lemma big_small s : bytes_only s -> nat_of_bin (big s) < 2 ^ (8 * size s).
Proof.
elim/last_ind: s => [|s b IH] all; first exact (pow0 0).
have [{}/IH IH lb] := bytes_rcons all; rewrite nat_big size_rcons mulnS expnD; clear all.
apply: (@leq_trans ((nat_of_bin (big s)).+1 * 2 ^ 8)); first by rewrite mulSn addnC ltn_add2r.
by rewrite mulnC leq_mul2l IH orbT.
Qed.
Lemma big_inj s s' : size s = size s' -> bytes_only s -> bytes_only s' -> big s = big s' -> s = s'.
Proof.
elim/last_ind: s s' => [|s b IH] s'; first by case: s'.
case/lastP: s' => [|s' b']; rewrite ?size_rcons // => -[Es] /bytes_rcons [as_ lb] /bytes_rcons [as' lb'] E.
have := congr1 nat_of_bin E; rewrite !nat_big => /(split_base lb lb') [Eb Ew].
by rewrite (IH s' Es as_ as' (can_inj nat_of_binK Eb)) (can_inj nat_of_binK Ew).
Qed.
Lemma bytes_binary (M : seq byte) : bytes_only (binary M).
Proof. by move=> b /mapP [c _ ->]; rewrite bin_of_natK; exact: (ltn_ord c). Qed.
Lemma binary_inj : injective binary.
Proof. by apply: inj_map => a b /(congr1 nat_of_bin); rewrite !bin_of_natK => /val_inj. Qed.

(* PMAC. *)
Section Pmac.
Variables (F : finFieldType) (x : F).
Hypothesis field_x : field_of pmac_modulus x.
Local Notation v := (value x).

Definition computes (f : N -> N) (P : F -> F) := forall a, nat_of_bin a < 2 ^ 128 -> nat_of_bin (f a) < 2 ^ 128 /\ v (f a) = P (v a).
Definition coefficient i : F := v (gray i).
Definition half_value : F := v half.
Definition message_of (M : seq byte) : Pmac.message F := let m := cut (binary M) in (map v m.1.1, v m.1.2, m.2).

(* The last block, padded. *)
Definition rest_of (M : seq byte) : seq N := drop (16 * ((size M).-1 %/ 16)) (binary M).
Definition last_block M : seq N := if size (rest_of M) == 16 then rest_of M else rest_of M ++ 128%num :: nseq (15 - size (rest_of M)) 0%num.
Lemma cutE M : cut (binary M) = (mkseq (fun i => big (take 16 (drop (16 * i) (binary M)))) ((size M).-1 %/ 16), big (last_block M), size (rest_of M) == 16).
Proof. by rewrite /cut /last_block /rest_of size_binary. Qed.
Lemma size_rest M : size (rest_of M) <= 16.
Proof. by rewrite size_drop size_binary; clear; lia. Qed.
Lemma size_last M : size (last_block M) = 16.
Proof. by have := size_rest M; rewrite /last_block; case: eqP => // ne le; rewrite size_cat /= size_nseq; move: ne le; clear; lia. Qed.
Lemma bytes_rest M : bytes_only (rest_of M). Proof. by move=> b /mem_drop; exact: bytes_binary. Qed.
Lemma bytes_last M : bytes_only (last_block M).
Proof.
rewrite /last_block; case: eqP => _ b; first exact: bytes_rest.
rewrite mem_cat inE mem_nseq => /or3P [|/eqP ->|/andP [_ /eqP ->]] //; exact: bytes_rest.
Qed.
Lemma bytes_block M i : bytes_only (take 16 (drop (16 * i) (binary M))).
Proof. by move=> b /mem_take /mem_drop; exact: bytes_binary. Qed.
Lemma block_small s : size s <= 16 -> bytes_only s -> nat_of_bin (big s) < 2 ^ 128.
Proof. by move=> le all; apply: leq_trans (big_small all) _; rewrite leq_exp2l // -[128]/(8 * 16) leq_mul2l. Qed.

Lemma pmac_both f P M : computes f P -> nat_of_bin (RunField.pmac f (binary M)) < 2 ^ 128
  /\ v (RunField.pmac f (binary M)) = PmacForgery.mac coefficient half_value id P (message_of M).
Proof.
move=> fP; rewrite /RunField.pmac /RunField.tag /PmacForgery.mac /Pmac.tag /final /total /message_of cutE /Pmac.pairs /Pmac.last.
set n := _ %/ 16; set inner := mkseq _ n; set lst := big _; set full := _ == 16; cbn [fst snd].
have [l0 E0] := fP 0%num (pow0 128); set L := f 0%num in l0 E0 *.
have place_small t : nat_of_bin t.2 < 2 ^ 128 -> nat_of_bin (N.lxor (times pmac_modulus L t.1) t.2) < 2 ^ 128.
  by move=> lt; apply: lxor_small lt; exact (times_small pmac_irreducible _ l0).
have inner_small a : a \in inner -> nat_of_bin a < 2 ^ 128.
  by move=> /mapP [i _ ->]; apply: block_small (@bytes_block M i); rewrite size_take; case: ltnP.
have term t : t \in zip (mkseq gray n) inner -> nat_of_bin (f (N.lxor (times pmac_modulus L t.1) t.2)) < 2 ^ 128 /\
    v (f (N.lxor (times pmac_modulus L t.1) t.2)) = P (v t.1 * P 0 + v t.2)%R.
  move=> int; have int2 : t.2 \in inner.
    have : t.2 \in unzip2 (zip (mkseq gray n) inner) by apply: map_f.
    by rewrite unzip2_zip // !size_mkseq.
  have [ls ->] := fP _ (place_small t (inner_small _ int2)); split=> //.
  by rewrite (value_add field_x) (value_mul field_x) E0 mulrC.
have last_small : nat_of_bin lst < 2 ^ 128 by apply: block_small (@bytes_last M); rewrite size_last.
have all_small : nat_of_bin (N.lxor (N.lxor (if full then times pmac_modulus L half else 0%num) lst)
   (sum (map (fun t => f (N.lxor (times pmac_modulus L t.1) t.2)) (zip (mkseq gray (size inner)) inner)))) < 2 ^ 128.
  apply: lxor_small; first apply: lxor_small last_small.
    by case: (full); [exact (times_small pmac_irreducible _ l0) | exact (pow0 128)].
  by apply: sum_small => a /mapP [t int ->]; have [] := term t; rewrite // /n; move: int; rewrite size_mkseq.
have [small ->] := fP _ all_small; split=> //; rewrite ffunE; congr (P _).
rewrite !(value_add field_x) (value_sum field_x) ffunE !big_map; congr (_ + _ + _)%R.
  by case: (full); rewrite ?(value_mul field_x) ?E0 /= ?mul0r // mulrC.
have size_inner : size inner = n by rewrite size_mkseq.
rewrite [size (map v inner)](size_map v inner) !size_inner.
have zipE : zip (mkseq coefficient n) (map v inner) = map (fun t => (v t.1, v t.2)) (zip (mkseq gray n) inner).
  rewrite /mkseq /coefficient; elim: (inner) (iota 0 n) => [|a s IH] [|i r] //=; by rewrite IH.
rewrite zipE big_map; apply: eq_big_seq => t int; have [_ ->] := term t int.
by rewrite /at_place /place !ffunE.
Qed.

Theorem pmac_runs f P M : computes f P -> v (RunField.pmac f (binary M)) = PmacForgery.mac coefficient half_value id P (message_of M).
Proof. by move=> /(pmac_both M) []. Qed.

(* Different messages are different lists, and the theorems' conditions hold. *)
Lemma pad_inj (s s' : seq N) k k' : s ++ 128%num :: nseq k 0%num = s' ++ 128%num :: nseq k' 0%num -> s = s'.
Proof.
have more j r : r ++ 128%num :: nseq j.+1 0%num = rcons (r ++ 128%num :: nseq j 0%num) 0%num by rewrite -addn1 nseqD -cat_cons catA cats1.
elim: k k' => [|k IH] [|k']; rewrite ?more ?cats1 => /rcons_inj [] //; exact: IH.
Qed.
Lemma block_full M i : i < (size M).-1 %/ 16 -> size (take 16 (drop (16 * i) (binary M))) = 16.
Proof. by move=> lt; rewrite size_takel // size_drop size_binary; move: lt; clear; lia. Qed.
Lemma message_blocks M M' i : (size M).-1 %/ 16 = (size M').-1 %/ 16 -> i < (size M).-1 %/ 16 ->
  (message_of M).1.1 = (message_of M').1.1 -> take 16 (drop (16 * i) (binary M)) = take 16 (drop (16 * i) (binary M')).
Proof.
move=> En lt; rewrite /message_of !cutE -En; cbn [fst snd] => /(congr1 (fun s => nth 0%R s i)).
rewrite !(nth_map 0%num) ?size_mkseq // !nth_mkseq // => /(value_inj pmac_irreducible field_x) E.
have lt' : i < (size M').-1 %/ 16 by rewrite -En.
have z := block_full lt; have z' := block_full lt'.
apply: big_inj (@bytes_block M i) (@bytes_block M' i) _; first by rewrite z z'.
by apply: E; apply: block_small; rewrite ?z ?z' //; exact: bytes_block.
Qed.
Theorem message_inj : injective message_of.
Proof.
move=> M M' E; apply: binary_inj; have E1 := congr1 (fun m => m.1.1) E.
have En : (size M).-1 %/ 16 = (size M').-1 %/ 16.
  by have := congr1 size E1; rewrite /message_of !cutE; cbn [fst snd]; rewrite !size_map !size_iota.
have El : last_block M = last_block M'.
  have small N0 : nat_of_bin (big (last_block N0)) < 2 ^ 128 by apply: block_small (@bytes_last N0); rewrite size_last.
  have := congr1 (fun m => m.1.2) E; rewrite /message_of !cutE; cbn [fst snd] => /(value_inj pmac_irreducible field_x (small M) (small M')).
  by apply: big_inj; rewrite ?size_last //; exact: bytes_last.
have Er : rest_of M = rest_of M'.
  have := congr1 snd E; rewrite /message_of !cutE; cbn [fst snd]; move: El; rewrite /last_block.
  by case: eqP; case: eqP => // _ _ /pad_inj.
have front N0 : (16 * ((size N0).-1 %/ 16) <= size (binary N0))%N by rewrite size_binary; clear; lia.
rewrite -(cat_take_drop (16 * ((size M).-1 %/ 16)) (binary M)) -(cat_take_drop (16 * ((size M').-1 %/ 16)) (binary M')).
congr (_ ++ _); last exact: Er.
apply: (@eq_from_nth _ 0%num) => [|t]; rewrite !size_takel // ?En // => lt.
have lt' : t %/ 16 < (size M').-1 %/ 16 by rewrite ltn_divLR // mulnC.
have at_block N0 : nth 0%num (binary N0) t = nth 0%num (take 16 (drop (16 * (t %/ 16)) (binary N0))) (t %% 16).
  by rewrite nth_take ?ltn_mod // nth_drop mulnC -divn_eq.
rewrite !nth_take // !at_block; congr (nth _ _ _); apply: message_blocks; rewrite ?En //.
Qed.

Theorem message_valid limit M : (size M).-1 %/ 16 <= limit -> Pmac.valid limit (message_of M).
Proof.
move=> le; rewrite /Pmac.valid /message_of cutE; cbn [fst snd]; rewrite size_map size_mkseq le /=.
case full: (size (rest_of M) == 16) => //=; apply/eqP => z.
have small : nat_of_bin (big (last_block M)) < 2 ^ 128 by apply: block_small (@bytes_last M); rewrite size_last.
have z0 := value_zero pmac_irreducible field_x small z.
have zeros : last_block M = nseq 16 0%num.
  apply: big_inj => //; first by rewrite size_last.
  - exact: bytes_last.
  - by move=> b; rewrite mem_nseq => /andP [_ /eqP ->].
have : 128%num \in last_block M by rewrite /last_block full mem_cat mem_head orbT.
by rewrite zeros mem_nseq.
Qed.

Lemma gray_step i j : N.lxor i (N.shiftr i 1) = N.lxor j (N.shiftr j 1) -> i = j.
Proof.
move=> E; apply: N.lxor_eq; set d := N.lxor i j.
have : d = N.shiftr d 1.
  apply: N.lxor_eq; rewrite /d N.shiftr_lxor N.lxor_assoc -(N.lxor_assoc j) (N.lxor_comm j) !N.lxor_assoc -N.lxor_assoc E.
  by rewrite N.lxor_nilpotent.
move/(congr1 nat_of_bin); rewrite (bin_shiftr 1) expn1 => Ed; apply: (can_inj nat_of_binK) => /=; move: Ed; clear; lia.
Qed.
Definition gray_limit := 2 ^ 127 - 1.
Lemma gray_small i : i < gray_limit -> nat_of_bin (gray i) < 2 ^ 127.
Proof.
rewrite /gray_limit ltn_subRL add1n => lt; have l0 : nat_of_bin (bin_of_nat i.+1) < 2 ^ 127 by rewrite bin_of_natK.
rewrite /gray; apply: (lxor_small l0 _); rewrite (bin_shiftr 1); exact: leq_ltn_trans (leq_div _ _) l0.
Qed.
Lemma gray_inj : injective gray.
Proof. by move=> i j /gray_step /(congr1 nat_of_bin); rewrite !bin_of_natK => -[]. Qed.
Lemma gray0 i : gray i <> 0%num.
Proof. by move=> E; have := @gray_step (bin_of_nat i.+1) 0 E => /(congr1 nat_of_bin); rewrite bin_of_natK. Qed.
Lemma top_big k (a : N) : N.testbit a (bin_of_nat k) -> 2 ^ k <= nat_of_bin a.
Proof. by rewrite bin_testbit leqNgt => o; apply: contraL o => lt; rewrite divn_small. Qed.
Lemma half_top : 2 ^ 127 <= nat_of_bin half. Proof. exact (@top_big 127 half erefl). Qed.
Lemma half_small : nat_of_bin half < 2 ^ 128. Proof. exact (@size_small 128 half erefl). Qed.
Lemma small_more (a : nat) : a < 2 ^ 127 -> a < 2 ^ 128.
Proof. by move=> lt; apply: leq_trans lt _; rewrite leq_exp2l. Qed.

Theorem coefficient_inj i j : i < gray_limit -> j < gray_limit -> coefficient i = coefficient j -> i = j.
Proof.
move=> li lj /(value_inj pmac_irreducible field_x (small_more (gray_small li)) (small_more (gray_small lj))); exact: gray_inj.
Qed.
Theorem coefficient0 i : i < gray_limit -> coefficient i != 0%R.
Proof. by move=> li; apply/eqP => /(value_zero pmac_irreducible field_x (small_more (gray_small li))) /gray0. Qed.
Theorem coefficient_half i : i < gray_limit -> coefficient i != half_value.
Proof.
move=> li; have hb := half_top; have hs := half_small.
apply/eqP => /(value_inj pmac_irreducible field_x (small_more (gray_small li)) hs) E.
by have := gray_small li; rewrite E ltnNge hb.
Qed.
Theorem half_value0 : half_value != 0%R.
Proof.
have hb := half_top; have hs := half_small; apply/eqP => /(value_zero pmac_irreducible field_x hs) E.
by move: hb; rewrite E leqNgt expn_gt0.
Qed.
End Pmac.

(* What PMAC's theorems require of the coefficients, and the two fields. *)
Theorem pmac_conditions (F : finFieldType) (x : F) : field_of pmac_modulus x -> let limit := 2 ^ 127 - 1 in
  [/\ forall i j, i < limit -> j < limit -> coefficient x i = coefficient x j -> i = j,
      forall i, i < limit -> coefficient x i != 0%R, forall i, i < limit -> coefficient x i != half_value x & half_value x != 0%R].
Proof. move=> fx; exact (And4 (coefficient_inj fx) (coefficient0 fx) (coefficient_half fx) (half_value0 fx)). Qed.

Lemma both_irreducible m : m \in [:: pmac_modulus; carter_modulus] -> irreducible m.
Proof. rewrite !inE => /orP [] /eqP ->; [exact pmac_irreducible | exact carter_irreducible]. Qed.
Theorem fields m : m \in [:: pmac_modulus; carter_modulus] -> exists (F : finFieldType) (x : F), field_of m x.
Proof. move=> inm; exact (field_exists (both_irreducible inm)). Qed.
Theorem field_numbers m : m \in [:: pmac_modulus; carter_modulus] -> forall (F : finFieldType) (x : F), field_of m x ->
  [/\ forall a b, (value x (N.lxor a b) = value x a + value x b)%R, forall a b, (value x (times m a b) = value x a * value x b)%R
    & forall a b, nat_of_bin a < 2 ^ 128 -> nat_of_bin b < 2 ^ 128 -> value x a = value x b -> a = b].
Proof. move=> inm F x fx; exact (And3 (value_add fx) (value_mul fx) (value_inj (both_irreducible inm) fx)). Qed.
