(* Carter with all keys from a block cipher, and tags that may be cut: Theorem 4 of docs/carter.md, all three steps. *)
From mathcomp Require Import all_ssreflect all_algebra all_fingroup.
From mathcomp Require Import zify.
Require Import Counting Carter Theorem3 Games Forgeries Pads CipherMac.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.

Section Theorem4.
Variables (F : finFieldType) (byte : eqType) (zero : byte).
Variables (c : F) (elt : seq byte -> F) (number : nat -> F) (limit : nat).
Hypothesis c0 : c != 0%R.
Hypothesis elt_inj : forall s s', size s = 16 -> size s' = 16 -> elt s = elt s' -> s = s'.
Hypothesis number_inj : forall a b, a < limit -> b < limit -> number a = number b -> a = b.

(* What is cut from 16 bytes: t bytes of them, or all. *)
Variables (G : finZmodType) (cut : F -> G).
Hypothesis cutD : forall x y, cut (x - y)%R = (cut x - cut y)%R.
Hypothesis even : forall g, #|[set x | cut x == g]| * #|G| <= #|F|.

(* A tag is cut from the hash and from the encrypted nonce, and the parts are added. *)
Definition cut_hash (k : key F) M : G := cut (Theorem3.hash zero c elt number k M).
Definition cut_pad (y : F) : {ffun unit -> G} := [ffun=> cut y].

Lemma cut_axu n M M' : M != M' -> Theorem3.ok limit n M -> Theorem3.ok limit n M' -> forall d,
  #|[set k | (cut_hash k M - cut_hash k M')%R == d]| * #|G| <= n * #|{: key F}|.
Proof.
move=> ne /andP [s l] /andP [s' l'] d; have F0 : 0 < #|F| by apply/card_gt0P; exists 0%R.
have few : #|[set k | (cut_hash k M - cut_hash k M')%R == d]| * #|F| <= #|[set x | cut x == d]| * (n * #|{: key F}|).
  rewrite -[X in X * _ <= _]sum1_card (partition_big (fun k => (Theorem3.hash zero c elt number k M - Theorem3.hash zero c elt number k M')%R)
    (mem [set x | cut x == d])) /=; last by move=> k; rewrite !inE cutD.
  rewrite big_distrl -sum_nat_const /=; apply: leq_sum => x _; rewrite sum1dep_card.
  apply: leq_trans (H_axu zero c0 elt_inj number_inj x ne s s' l l'); rewrite leq_mul2r; apply/orP; right.
  by apply/subset_leq_card/subsetP => k; rewrite !inE => /andP [].
rewrite -(leq_pmul2r F0); have := leq_mul few (leqnn #|G|); have := leq_mul (even d) (leqnn (n * #|{: key F}|)); lia.
Qed.

Lemma cut_pad_even parts : #|[set y | cut_pad y == parts]| * #|G| ^ #|{: unit}| <= #|F|.
Proof.
rewrite card_unit expn1; apply: leq_trans (even (parts tt)); rewrite leq_mul2r; apply/orP; right.
by apply/subset_leq_card/subsetP => y; rewrite !inE => /eqP <-; rewrite ffunE.
Qed.

Variables (Key : finType) (E : Key -> {perm F}) (xs : seq F) (subkeys : seq F -> Key * key F).
Hypothesis different : uniq xs.
Hypothesis uniform : forall keys, #|[set t : (size xs).-tuple F | subkeys t == keys]| * (#|Key| * #|{: key F}|) <= #|F| ^ size xs.
Variables (n q v : nat) (Coins : finType) (A : Coins -> adversary (F * seq byte) G).
Hypothesis kept : forall r, keeps (fair (Theorem3.ok limit n) q v) (A r).
Hypothesis n0 : 0 < n.
Hypothesis few : q < #|F|.
Variable u : rat.
Hypothesis subkeys_factor : (factor #|F| (size xs) <= u)%R.

Definition carter_mac := mac cut_hash (fun x y => x + y)%R id (fun=> tt) cut_pad E xs subkeys.
Definition carter_derive := derive_game cut_hash (fun x y => x + y)%R id (fun=> tt) cut_pad E xs subkeys.
Definition carter_pads := pads_game cut_hash (fun x y => x + y)%R (id : F -> F) (fun=> tt) cut_pad.

Lemma carter_mac_is key NM : carter_mac key NM
  = (let keys := subkeys (map (E key) xs) in cut (Theorem3.hash zero c elt number keys.2 NM.2) + cut (E keys.1 NM.1))%R.
Proof. by rewrite /carter_mac /mac /tag /pad /cut_pad ffunE. Qed.

Local Open Scope ring_scope.
Theorem theorem4 : pr (fun x : Coins * Key => forges (carter_mac x.2) (A x.1))
  <= u * (v%:R * (n%:R / #|G|%:R) * factor #|F| q.+1 + advantage E (fun rk : Coins * key F => carter_pads (A rk.1) rk.2))
     + advantage E (fun r => carter_derive (A r)).
Proof.
have G0 : (0 < #|G|)%N by apply/card_gt0P; exists 0.
apply: (@cipher_mac _ _ _ _ _ _ _ cut_hash (fun x y => x + y) (fun x y => x - y) (Theorem3.ok limit n)) => //.
- by move=> x y y' /addrI.
- by move=> x y p; rewrite opprD addrACA subrr addr0.
- by move=> M M' ne okM okM' d; exact: cut_axu.
- by rewrite leq_pmull.
- by move=> x y [].
- exact: cut_pad_even.
Qed.
End Theorem4.
