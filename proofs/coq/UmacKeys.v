(* UMAC of RFC 4418 with its own subkeys: those that Subkeys.v cuts from the cipher's blocks. *)
From mathcomp Require Import all_ssreflect all_algebra all_fingroup.
From mathcomp Require Import zify.
Require Import UhashRfc UhashStreams UhashAxu Games Forgeries Pads CipherMac Rfc4418 Subkeys UmacRfc.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.

Section Umac.
Variables (T l c words : nat).
Hypothesis T1 : 0 < T.
Hypothesis T4 : T <= 4.
Hypothesis l16 : l <= 16.
Hypothesis c2 : c <= 2.
Hypothesis fits : words <= 4 * c.
Hypothesis universal : almost_xor_universal T.
Local Notation Key := [finType of 'M['F_2]_(words, 32)].
Local Notation K := [finType of streams_key T].
Definition cut_keys : seq block -> Key * K := @subkeys T c words.
Variables (E : Key -> {perm block}) (q v : nat) (Coins : finType).
Variable A : Coins -> adversary (nonce l * seq byte) 'M['F_2]_(T, 32).
Hypothesis kept : forall r, keeps (fair up_to_2_64 q v) (A r).
Hypothesis few : q < 2 ^ 128.
Local Open Scope ring_scope.
Theorem umac_own_keys : pr (fun x : Coins * Key => forges (umac T1 T4 c (@UHASH T) E cut_keys x.2) (A x.1))
  <= (1 + (2 ^ 110)%:R^-1) * (v%:R * (1%:R / (2 ^ (30 * T))%:R) * factor (2 ^ 128) q.+1
       + advantage E (fun rk : Coins * K => umac_pads T1 T4 (@UHASH T) (A rk.1) rk.2))
     + advantage E (fun r => umac_derive T1 T4 c (@UHASH T) E cut_keys (A r)).
Proof. exact (umac_forgery T1 T4 l16 c2 universal E (uniform_subkeys T4 fits) kept few). Qed.
End Umac.

(* Tags of 32, 64 and 96 bits. *)
Definition umac32_own_keys l c words l16 c2 fits := @umac_own_keys 1 l c words isT isT l16 c2 fits uhash32.
Definition umac64_own_keys l c words l16 c2 fits := @umac_own_keys 2 l c words isT isT l16 c2 fits uhash64.
Definition umac96_own_keys l c words l16 c2 fits := @umac_own_keys 3 l c words isT isT l16 c2 fits uhash96.
