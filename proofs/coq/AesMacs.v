(* UMAC and Carter with AES, from keys and messages of bytes to forgeries: the MACs that run, and no hypothesis about a cipher. *)
From Coq Require Import NArith.
From mathcomp Require Import all_ssreflect all_algebra all_fingroup.
Require Import UhashRfc UhashStreams UhashAxu Games Forgeries Pads Rfc4418 Subkeys UmacRfc UmacKeys.
Require Import Aes RunUmac RunField TieUmac TieMac TieField CarterKeys TieCarter AesPermutes.
Require Carter Theorem3.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Local Open Scope nat_scope.
Local Opaque expn.

(* A tag of T words, for a key of the given words. *)
Definition umac_tag T l words (k : 'M['F_2]_(words, 32)) (NM : nonce l * seq byte) : 'M['F_2]_(T, 32) :=
  tag_of T (nat_of_bin (RunUmac.umac aes (key_bytes k) T (bin_of_nat l) (bin_of_nat NM.1) (in_runs [::] NM.2))).

Lemma all_lengths T : 0 < T -> T <= 4 -> almost_xor_universal T.
Proof. by case: T => [|[|[|[|[|T]]]]] // _ _; [exact: uhash32 | exact: uhash64 | exact: uhash96 | exact: uhash128]. Qed.

Theorem umac_aes T l c words (T1 : 0 < T) (T4 : T <= 4) : l <= 16 -> c <= 2 -> words <= 4 * c ->
  exists E : 'M['F_2]_(words, 32) -> {perm block}, (forall k, TieMac.computes (aes (key_bytes k)) (E k)) /\
  forall (q v : nat) (Coins : finType) (A : Coins -> adversary (nonce l * seq byte) 'M['F_2]_(T, 32)),
  (forall r, keeps (fair up_to_2_64 q v) (A r)) -> q < 2 ^ 128 ->
  (pr (fun x : Coins * 'M['F_2]_(words, 32) => forges (umac_tag T x.2) (A x.1))
   <= (1 + (2 ^ 110)%:R^-1) * (v%:R * (1%:R / (2 ^ (30 * T))%:R) * factor (2 ^ 128) q.+1
        + advantage E (fun rk : Coins * [finType of streams_key T] => umac_pads T1 T4 (@UHASH T) (A rk.1) rk.2))
      + advantage E (fun r => umac_derive T1 T4 c (@UHASH T) E (@Subkeys.subkeys T c words) (A r)))%R.
Proof.
move=> l16 c2 fits; have [E Ek] := aes_umac words; exists E; split; first exact Ek; move=> q v Coins A kept few.
apply: Order.POrderTheory.le_trans (umac_own_keys T1 T4 l16 c2 fits (all_lengths T1 T4) E kept few).
have same (x : Coins * 'M['F_2]_(words, 32)) : forges (umac_tag T x.2) (A x.1)
    = forges (Rfc4418.umac T1 T4 c (@UHASH T) E (@Subkeys.subkeys T c words) x.2) (A x.1).
  apply: forges_ext => -[n M]; have := umac_runs T1 T4 l16 c2 fits Ek x.2 (rs := [::]) (M := M) isT isT n.
  have -> : joined [::] M = M by []. exact.
rewrite (eq_pr same); exact: Order.POrderTheory.lexx.
Qed.
