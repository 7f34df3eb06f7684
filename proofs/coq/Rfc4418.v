(* UMAC's blocks as RFC 4418 has them: which blocks give the subkeys, which block and which part of it is the pad of a nonce.
   A block is four words of 32 bits, a tag of T words is T rows of bits. Bits are elements of the field of two. *)
From mathcomp Require Import all_ssreflect all_algebra all_fingroup.
From mathcomp Require Import zify.
Require Import Counting Games Forgeries Pads CipherMac.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.

Definition block := 'M['F_2]_(4, 32).
Lemma card_words T : #|{: 'M['F_2]_(T, 32)}| = 2 ^ (32 * T).
Proof. by rewrite card_matrix card_Fp // mulnC. Qed.

(* The block of a number of 16 bytes, highest byte first: row 0 has the highest word, a row its lowest bit first. *)
Definition block_of (x : nat) : block := (\matrix_(r, j) (odd (x %/ 2 ^ (32 * (3 - r) + j)))%:R)%R.

Lemma same_bits n x y : x < 2 ^ n -> y < 2 ^ n -> (forall i, i < n -> odd (x %/ 2 ^ i) = odd (y %/ 2 ^ i)) -> x = y.
Proof.
elim: n x y => [|n IH] x y; first by rewrite expn0 !ltnS !leqn0 => /eqP -> /eqP ->.
rewrite expnS => lx ly same; rewrite -(odd_double_half x) -(odd_double_half y).
have E0 := same 0 isT; rewrite expn0 !divn1 in E0; rewrite E0; congr (_ + _.*2); apply: IH => [||i lt]; try by lia.
by have := same i.+1 lt; rewrite expnS !divnMA !divn2.
Qed.

Lemma block_of_inj x y : x < 2 ^ 128 -> y < 2 ^ 128 -> block_of x = block_of y -> x = y.
Proof.
move=> lx ly E; apply: (same_bits lx ly) => i lt.
have lr : 3 - i %/ 32 < 4 by lia.
have lj : i %% 32 < 32 by rewrite ltn_mod.
have := congr1 (fun M : block => M (Ordinal lr) (Ordinal lj)) E; rewrite !mxE /=.
have -> : 32 * (3 - (3 - i %/ 32)) + i %% 32 = i by lia.
by case: (odd _); case: (odd _).
Qed.

Section Umac.
Variable T : nat. (* words of the tag, or streams *)
Hypothesis T1 : 0 < T.
Hypothesis T4 : T <= 4.

(* 3.3.1: a block has 4 / T parts; the last bits of the nonce choose, and are zero in the block. A nonce has l bytes. *)
Definition parts := 4 %/ T.
Variable l : nat.
Hypothesis l16 : l <= 16.
Definition nonce := 'I_(2 ^ (8 * l)).
Definition nonce_block (n : nonce) : block := block_of ((n - n %% parts) * 2 ^ (8 * (16 - l))).
Lemma parts0 : 0 < parts. Proof. by rewrite divn_gt0. Qed.
Definition nonce_part (n : nonce) : 'I_parts := Ordinal (ltn_pmod n parts0).
Definition cut (b : block) : {ffun 'I_parts -> 'M['F_2]_(T, 32)} := [ffun i : 'I_parts => \matrix_(r, j) b (inord (T * i + r)) j]%R.

Lemma nonce_places : injective (fun n => (nonce_block n, nonce_part n)).
Proof.
move=> n n' [Eb Ep]; apply: val_inj => /=.
have lt (m : nonce) : (m - m %% parts) * 2 ^ (8 * (16 - l)) < 2 ^ 128.
  have -> : 2 ^ 128 = 2 ^ (8 * l) * 2 ^ (8 * (16 - l)) by rewrite -expnD; congr (_ ^ _); lia.
  by rewrite ltn_pmul2r ?expn_gt0 // (leq_ltn_trans (leq_subr _ _) (ltn_ord m)).
have := block_of_inj (lt n) (lt n') Eb; move/eqP; rewrite eqn_pmul2r ?expn_gt0 // => /eqP.
by have := leq_mod n parts; have := leq_mod n' parts; rewrite Ep; lia.
Qed.

Lemma cut_even p : #|[set b | cut b == p]| * #|{: 'M['F_2]_(T, 32)}| ^ #|{: 'I_parts}| <= #|{: block}|.
Proof.
have fits : T * parts <= 4 by rewrite mulnC leq_trunc_div.
rewrite !card_words card_ord -expnM; have -> : 32 * 4 = 32 * (4 - T * parts) + 32 * T * parts by lia.
rewrite expnD leq_mul2r -card_words; apply/orP; right.
pose rest (b : block) : 'M['F_2]_(4 - T * parts, 32) := (\matrix_(r, j) b (inord (T * parts + r)) j)%R.
rewrite -(card_in_imset (f := rest)) ?max_card // => b b'; rewrite !inE => /eqP Eb /eqP Eb' Er.
apply/matrixP => r j; have lr := ltn_ord r; case: (ltnP r (T * parts)) => [lt|le].
  have li : r %/ T < parts by rewrite ltn_divLR // mulnC.
  have lt' : r %% T < T by rewrite ltn_mod.
  have := congr1 (fun f : {ffun 'I_parts -> 'M['F_2]_(T, 32)} => f (Ordinal li) (Ordinal lt') j) (etrans Eb (esym Eb')).
  by rewrite !ffunE !mxE /= mulnC -divn_eq inord_val.
have lt' : r - T * parts < 4 - T * parts by lia.
have := congr1 (fun M : 'M['F_2]_(4 - T * parts, 32) => M (Ordinal lt') j) Er.
by rewrite !mxE /= subnKC // inord_val.
Qed.

(* 3.2.1: the blocks that are encrypted to subkeys: an index, and a count from 1. Index 0 is the pads' key, of c blocks, 1 to 3
   the keys of the levels, 4 the words that are xored at the end. *)
Variable c : nat.
Hypothesis c2 : c <= 2.
Definition counts := [:: (0, c); (1, T + 63); (2, (3 * T).+1 %/ 2); (3, 4 * T); (4, 1)].
Definition kdf_blocks : seq block := [seq block_of (i.1 * 2 ^ 64 + i.2.+1) | i <- flatten [seq [seq (p.1, i) | i <- iota 0 p.2] | p <- counts]].

Lemma size_kdf_blocks : size kdf_blocks <= 700.
Proof. rewrite size_map /= !size_cat !size_map !size_iota /=; move: T4 c2; lia. Qed.

Lemma kdf_blocks_uniq : uniq kdf_blocks.
Proof.
have in_range i : i \in flatten [seq [seq (p.1, i) | i <- iota 0 p.2] | p <- counts] -> i.1 < 5 /\ i.2 < 100.
  move=> /flattenP [s /mapP [p inp ->] /mapP [j]]; rewrite mem_iota add0n => /andP [z lt] -> /= {z}.
  suff [small few] : p.1 < 5 /\ p.2 < 100 by split=> //; apply: ltn_trans few.
  by move: inp T4 c2; rewrite !inE; do 4?[case/orP => [/eqP ->|]; first by move=> /=; lia]; move/eqP => ->.
rewrite map_inj_in_uniq.
  rewrite /= !cat_uniq !map_inj_uniq ?iota_uniq //=; try by move=> ? ? [].
  have apart a b (s s' : seq nat) : a != b -> ~~ has (mem [seq (a, i) | i <- s]) [seq (b, i) | i <- s'].
    by move=> ne; apply/hasPn => x /mapP [i _ ->] /=; apply/negP => /mapP [j _ [Ea _]]; rewrite Ea eqxx in ne.
  have last a (s : seq nat) : a != 4 -> ((4, 0) \in [seq (a, i) | i <- s]) = false.
    by move=> ne; apply/negP => /mapP [j _ [Ea _]]; rewrite -Ea eqxx in ne.
  by rewrite !has_cat /= !last // !orbF !negb_or !apart.
move=> [i a] [j b] /in_range [/= li la] /in_range [/= lj lb].
have big : 2 ^ 128 = 2 ^ 64 * 2 ^ 64 by rewrite -expnD.
have : 2 ^ 7 <= 2 ^ 64 by rewrite leq_exp2l.
move=> wide E; have := block_of_inj _ _ E; rewrite big; clear E big; move: (2 ^ 64) wide => x lx.
rewrite (_ : 2 ^ 7 = 128) // in lx.
have bound n m : n < 5 -> m < 100 -> n * x + m.+1 < x * x.
  move=> ln lm; apply: (@leq_trans (5 * x)); first by have := leq_mul ln (leqnn x); rewrite mulSn; lia.
  by rewrite leq_mul2r; apply/orP; right; lia.
move=> /(_ (bound _ _ li la) (bound _ _ lj lb)) Ex.
have part n m : m < 100 -> (n * x + m.+1) %/ x = n by move=> lm; rewrite divnMDl ?divn_small ?addn0; lia.
have Ei : i = j by rewrite -(part i a la) Ex part.
by move: Ex; rewrite Ei => /addnI [->].
Qed.

(* The MAC: any hash of T streams whose differences are as rare as 2^-30T, and any cipher with blocks of 16 bytes. *)
Section Mac.
Variables (K Key : finType) (Msg : eqType) (h : K -> Msg -> 'M['F_2]_(T, 32)) (ok : pred Msg).
Hypothesis axu : forall M M', M != M' -> ok M -> ok M' -> forall d,
  #|[set k | (h k M - h k M')%R == d]| * 2 ^ (30 * T) <= #|K|.
Variables (E : Key -> {perm block}) (subkeys : seq block -> Key * K).
Hypothesis uniform : forall keys, #|[set t : (size kdf_blocks).-tuple block | subkeys t == keys]| * (#|Key| * #|K|) <= #|{: block}| ^ size kdf_blocks.
Definition umac := mac h (fun x y => x + y)%R nonce_block nonce_part cut E kdf_blocks subkeys.
Definition umac_derive := derive_game h (fun x y => x + y)%R nonce_block nonce_part cut E kdf_blocks subkeys.
Definition umac_pads := pads_game h (fun x y => x + y)%R nonce_block nonce_part cut.

Variables (q v : nat) (Coins : finType) (A : Coins -> adversary (nonce * Msg) 'M['F_2]_(T, 32)).
Hypothesis kept : forall r, keeps (fair ok q v) (A r).
Hypothesis few : q < 2 ^ 128.
Local Open Scope ring_scope.
Theorem rfc4418 : pr (fun x : Coins * Key => forges (umac x.2) (A x.1))
  <= (1 + (2 ^ 110)%:R^-1) * (v%:R * (1%:R / (2 ^ (30 * T))%:R) * factor (2 ^ 128) q.+1
       + advantage E (fun rk : Coins * K => umac_pads (A rk.1) rk.2)) + advantage E (fun r => umac_derive (A r)).
Proof.
have card_block : #|{: block}| = (2 ^ 128)%N by rewrite card_words.
move: (factor_subkeys size_kdf_blocks) few; rewrite -card_block => small few'.
have axu' M M' : M != M' -> ok M -> ok M' -> forall d, (#|[set k | (h k M - h k M')%R == d]| * 2 ^ (30 * T) <= 1 * #|K|)%N.
  by rewrite mul1n; exact: axu.
have mix_inj (x : 'M['F_2]_(T, 32)) : injective (fun y => x + y) by exact: addrI.
have diff_mix (x y p : 'M['F_2]_(T, 32)) : x + p - (y + p) = x - y by rewrite opprD addrACA subrr addr0.
have least : (2 ^ (30 * T) <= 1 * #|{: 'M['F_2]_(T, 32)}|)%N by rewrite mul1n card_words leq_exp2l // leq_mul2r orbT.
have N0 : (0 < 2 ^ (30 * T))%N by rewrite expn_gt0.
exact: (cipher_mac E mix_inj diff_mix axu' least nonce_places cut_even kdf_blocks_uniq uniform kept N0 few' small).
Qed.
End Mac.
End Umac.
