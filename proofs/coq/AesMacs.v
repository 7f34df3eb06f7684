(* UMAC and Carter with AES, from keys and messages of bytes to forgeries: the MACs that run, and no hypothesis about a cipher. *)
From Coq Require Import NArith.
From mathcomp Require Import all_ssreflect all_algebra all_fingroup.
Require Import UhashRfc UhashStreams UhashAxu Games Forgeries Pads Rfc4418 Subkeys UmacRfc UmacKeys.
Require Import Aes RunUmac RunField TieUmac TieMac TieField CarterKeys TieCarter AesPermutes PmacBytes.
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

(* Carter: a nonce of l bytes is one of 16, so an adversary that chooses it is one of carter_own_keys. *)
Section CarterAes.
Variables (F : finFieldType) (x : F) (t b n l : nat).
Hypothesis field_x : field_of carter_modulus x.
Hypothesis l16 : l <= 16.
Definition carter_tag (k : {ffun 'I_b -> F}) (NM : 'I_(2 ^ (8 * l)) * seq byte) : 'rV['F_2]_(8 * t) :=
  tag_row t (nat_of_bin (RunField.carter aes (secret_bytes x k) t (bin_of_nat l) (bin_of_nat NM.1) (binary NM.2))).
Definition with_element (NM : 'I_(2 ^ (8 * l)) * seq byte) : F * seq byte := (nonce_element x NM.1, NM.2).
Lemma nonce_inj : injective (@nonce_element F x l).
Proof.
move=> i j E; have s := nonce_small i l16; have s' := nonce_small j l16.
have := CarterKeys.bytes_inj s s'; rewrite -!(string_block field_x) => /(_ (congr1 (string_of x) E)) /(congr1 nat_of_bin).
rewrite !bin_shiftl' !nat_of_mul_bin bin_sub !bin_of_natK => /eqP; rewrite eqn_pmul2r ?expn_gt0 // => /eqP; exact: val_inj.
Qed.
Lemma with_element_inj : injective with_element.
Proof. by move=> [i M] [j M'] [/nonce_inj -> ->]. Qed.
Lemma fair_elements (q w : nat) (asked tried : seq ('I_(2 ^ (8 * l)) * seq byte)) : fair (Theorem3.ok (2 ^ 64) n) q w asked tried ->
  fair (Theorem3.ok (2 ^ 64) n) q w (map with_element asked) (map with_element tried).
Proof.
move=> [u ok s s']; split; rewrite ?size_map //; last by rewrite -map_cat all_map.
by rewrite -map_comp (map_comp (@nonce_element F x l) fst) map_inj_uniq //; exact: nonce_inj.
Qed.

Theorem carter_aes : t <= 16 -> b <= 2 -> 0 < n -> exists E : {ffun 'I_b -> F} -> {perm F},
  (forall k a, nat_of_bin a < 2 ^ 128 -> block_element x (aes (secret_bytes x k) a) = E k (block_element x a)) /\
  forall (q w : nat) (Coins : finType) (A : Coins -> adversary ('I_(2 ^ (8 * l)) * seq byte) 'rV['F_2]_(8 * t)),
  (forall r, keeps (fair (Theorem3.ok (2 ^ 64) n) q w) (A r)) -> q < 2 ^ 128 ->
  (pr (fun r : Coins * {ffun 'I_b -> F} => forges (carter_tag r.2) (A r.1))
   <= (1 + (2 ^ 110)%:R^-1) * (w%:R * (n%:R / (2 ^ (8 * t))%:R) * factor (2 ^ 128) q.+1
        + advantage E (fun rk : Coins * Carter.key F => own_pads x (renamed with_element (A rk.1)) rk.2))
      + advantage E (fun r => own_derive x E (renamed with_element (A r))))%R.
Proof.
move=> t16 b2 n0; have [E Ek] := aes_carter field_x b; exists E; split; first exact Ek; move=> q w Coins A kept few.
have kept' r : keeps (fair (Theorem3.ok (2 ^ 64) n) q w) (renamed with_element (A r)).
  by apply: keeps_renamed (kept r) => asked tried; exact: fair_elements.
apply: Order.POrderTheory.le_trans (carter_own_keys field_x t16 b2 E kept' n0 few).
have same (r : Coins * {ffun 'I_b -> F}) : forges (carter_tag r.2) (A r.1) = forges (own_mac x t E r.2) (renamed with_element (A r.1)).
  rewrite (forges_renamed with_element_inj); apply: forges_ext => -[i M]; exact: (carter_runs field_x t16 b2 Ek r.2 i l16 M).
rewrite (eq_pr same); exact: Order.POrderTheory.lexx.
Qed.
End CarterAes.
