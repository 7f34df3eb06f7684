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
elim: n => // n IH; rewrite expnS -IH -nat_of_mul_bin.
have -> : bin_of_nat n.+1 = N.succ (bin_of_nat n) by lia.
by rewrite N.pow_succ_r'.
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

Lemma nth_little_words s i : nat_of_bin (nth 0%num (RunUmac.little_words s) i)
  = foldr (fun b rest => b + 256 * rest) 0 (mkseq (fun t => nat_of_bin (nth 0%num s (4 * i + t))) 4).
Proof.
have [n le] := ubnP (size s); elim: n s i le => // n IH [|a [|b [|c [|d s]]]] [|i] //= le;
  rewrite ?nth_nil ?addn0 ?muln0 //; try by (rewrite /= ?nth_nil; lia).
rewrite IH /=; last by lia.
by rewrite !(_ : 4 * i.+1 + _ = (4 * i + _).+4) //; lia.
Qed.
