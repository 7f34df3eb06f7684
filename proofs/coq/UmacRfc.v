(* UMAC of RFC 4418 to its end: the hash of UhashAxu.v in the MAC of Rfc4418.v. *)
From mathcomp Require Import all_ssreflect all_algebra all_fingroup.
From mathcomp Require Import zify.
Require Import Constants Shift Uhash UhashBound UhashRfc UhashStreams UhashAxu Games Forgeries Pads CipherMac Rfc4418.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.

(* The definition of a stream, in words of one place. *)
Lemma stream_is T (K : nh_key (2 ^ 32) T) (i : 'I_T) (k : own_key) (M : seq byte) : stream K i k M =
  @uhash (2 ^ 32) poly64_words p64 limit64 offset64 p128 limit128 offset128 end_mark p36 (2 ^ 32) (2 ^ 16)
    [eqType of 'I_256] zero (word (2 ^ 32)) masked64 masked128 word64 point64 point128 reduced (shifted K i, k.1, k.2) M.
Proof. rewrite /stream /rfc_hash; reflexivity. Qed.

Section Umac.
Variables (T l c : nat).
Hypothesis T1 : 0 < T.
Hypothesis T4 : T <= 4.
Hypothesis l16 : l <= 16.
Hypothesis c2 : c <= 2.
Hypothesis universal : almost_xor_universal T.
Local Notation K := [finType of streams_key T].
Definition up_to_2_64 (M : seq byte) := size M <= 2 ^ 64.
Variables (Key : finType) (E : Key -> {perm block}) (subkeys : seq block -> Key * K).
Hypothesis uniform : forall keys,
  #|[set t : (size (kdf_blocks T c)).-tuple block | subkeys t == keys]| * (#|Key| * #|{: streams_key T}|) <= #|{: block}| ^ size (kdf_blocks T c).
Variables (q v : nat) (Coins : finType) (A : Coins -> adversary (nonce l * seq byte) 'M['F_2]_(T, 32)).
Hypothesis kept : forall r, keeps (fair up_to_2_64 q v) (A r).
Hypothesis few : q < 2 ^ 128.
Local Open Scope ring_scope.
Theorem umac_forgery : pr (fun x : Coins * Key => forges (umac T1 T4 c (@UHASH T) E subkeys x.2) (A x.1))
  <= (1 + (2 ^ 110)%:R^-1) * (v%:R * (1%:R / (2 ^ (30 * T))%:R) * factor (2 ^ 128) q.+1
       + advantage E (fun rk : Coins * K => umac_pads T1 T4 (@UHASH T) (A rk.1) rk.2)) + advantage E (fun r => umac_derive T1 T4 c (@UHASH T) E subkeys (A r)).
Proof.
apply: (rfc4418 T1 T4 l16 c2 (ok := up_to_2_64) _ E uniform kept few) => M M' ne le le' d.
exact: universal ne le le'.
Qed.
End Umac.
