(* PMAC over strings of bytes, with the padding and the lengths of tags that are shipped: forgeries, for every block cipher. *)
From Coq Require Import NArith.
From mathcomp Require Import all_ssreflect all_algebra all_fingroup.
From mathcomp Require Import zify.
Require Import UhashRfc Games Forgeries Pmac PmacForgery Aes RunField BinaryField TieUmac TieMac TieField AesPermutes.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import GRing.Theory.
Local Open Scope nat_scope.
Local Opaque expn.

(* An adversary whose messages are named. *)
Section Renamed.
Variables (Msg Msg' G : eqType) (name : Msg -> Msg').
Hypothesis name_inj : injective name.
Fixpoint renamed (A : adversary Msg G) : adversary Msg' G := match A with
  | Stop => Stop
  | Ask m next => Ask (name m) (fun g => renamed (next g))
  | Try m t next => Try (name m) t (fun b => renamed (next b))
  end.
Lemma forges_renamed (tag : Msg' -> G) A : forges tag (renamed A) = forges (tag \o name) A.
Proof.
rewrite /forges -[[::]]/(map name [::]); elim: A [::] => [|m next IH|m t next IH] asked //=; first exact: (IH _ (m :: asked)).
by rewrite mem_map //; case: ifP => // _; exact: IH.
Qed.
Lemma keeps_renamed (fair : seq Msg -> seq Msg -> Prop) (fair' : seq Msg' -> seq Msg' -> Prop) A :
  (forall asked tried, fair asked tried -> fair' (map name asked) (map name tried)) -> keeps fair A -> keeps fair' (renamed A).
Proof.
move=> sub; have from asked tried : keeps_to fair asked tried A -> keeps_to fair' (map name asked) (map name tried) (renamed A).
  elim: A asked tried => [|m next IH|m t next IH] asked tried [f k].
  - by split=> //; exact: sub.
  - by split=> [|g]; [exact: sub | exact: (IH g (m :: asked) tried (k g))].
  - by split=> [|b]; [exact: sub | exact: (IH b asked (m :: tried) (k b))].
exact: (from [::] [::]).
Qed.
End Renamed.

Section Bytes.
Variables (F : finFieldType) (x : F).
Hypothesis field_x : field_of pmac_modulus x.
(* The first t bytes of 16, as a number. *)
Variable t : nat.
Hypothesis t16 : t <= 16.
Definition first_bytes (a : nat) : 'I_(2 ^ (8 * t)) := below (8 * t) (a %/ 2 ^ (128 - 8 * t)).
Definition number_of : F -> N := number (value x).
Definition cut_tag (y : F) := first_bytes (nat_of_bin (number_of y)).
Lemma number_small y : nat_of_bin (number_of y) < 2 ^ 128. Proof. exact: number_below. Qed.
Lemma numberK y : value x (number_of y) = y.
Proof. exact (rep_number (value_inj pmac_irreducible field_x) (card_x field_x) y). Qed.
Lemma cut_even g : #|[set y | cut_tag y == g]| * #|{: 'I_(2 ^ (8 * t))}| <= #|F|.
Proof.
have E128 : 128 = 128 - 8 * t + 8 * t by move: t16; clear; lia.
have P : 2 ^ 128 = 2 ^ (128 - 8 * t) * 2 ^ (8 * t) by rewrite -expnD -E128.
rewrite card_ord (card_x field_x) P leq_mul2r -[X in _ <= X]card_ord; apply/orP; right.
rewrite -(card_in_imset (f := fun y : F => below (128 - 8 * t) (number_of y))) ?max_card // => y z; rewrite !inE => /eqP Ey /eqP Ez.
have part w : nat_of_bin (number_of w) %/ 2 ^ (128 - 8 * t) < 2 ^ (8 * t) by rewrite ltn_divLR ?expn_gt0 // mulnC -P number_small.
move=> /(congr1 val) /= Em; have := congr1 val (etrans Ey (esym Ez)); rewrite /= !modn_small // => Ed.
by rewrite -(numberK y) -(numberK z); congr (value x _); apply: (can_inj nat_of_binK); rewrite (divn_eq (number_of y) (2 ^ (128 - 8 * t))) Ed Em -divn_eq.
Qed.

(* The MAC, and adversaries: v attempts, sigma blocks in all messages that are asked for and tried. *)
Definition bytes_mac (P : F -> F) (M : seq byte) := PmacForgery.mac (coefficient x) (half_value x) cut_tag P (message_of x M).
Definition bytes_cost (Ms : seq (seq byte)) := \sum_(M <- Ms) ((size M).-1 %/ 16).+1.
Variables (sigma v : nat).
Definition bytes_fair (asked tried : seq (seq byte)) : Prop := bytes_cost asked + bytes_cost tried <= sigma /\ size tried <= v.
Definition bytes_game A := pmac_game (coefficient x) (half_value x) cut_tag (renamed (message_of x) A).
Hypothesis few : sigma < 2 ^ 127.

Lemma cost_bytes Ms : cost (map (message_of x) Ms) = bytes_cost Ms.
Proof. by rewrite /cost /bytes_cost big_map; apply: eq_bigr => M _; rewrite /blocks /message_of cutE size_map size_mkseq. Qed.
Lemma in_cost M Ms : M \in Ms -> ((size M).-1 %/ 16).+1 <= bytes_cost Ms.
Proof. by move=> inM; rewrite /bytes_cost (big_rem M) //= leq_addr. Qed.
Lemma fair_bytes asked tried : bytes_fair asked tried ->
  PmacForgery.fair (2 ^ 127 - 1) sigma v (map (message_of x) asked) (map (message_of x) tried).
Proof.
move=> [le le_v]; split; rewrite ?size_map ?cost_bytes // -map_cat all_map; apply/allP => M inM; apply: (message_valid field_x).
have {inM} : ((size M).-1 %/ 16).+1 <= sigma.
  apply: leq_trans le; move: inM; rewrite mem_cat => /orP [] /in_cost l; apply: leq_trans l _; [exact: leq_addr | exact: leq_addl].
by move=> l; rewrite leq_subRL ?expn_gt0 // add1n; apply: leq_trans l (ltnW few).
Qed.

Theorem pmac_bytes (Key Coins : finType) (E : Key -> {perm F}) (A : Coins -> adversary (seq byte) [eqType of 'I_(2 ^ (8 * t))]) :
  (forall c, keeps bytes_fair (A c)) ->
  (pr (fun r : Coins * Key => forges (bytes_mac (E r.2)) (A r.1))
   <= v%:R / (2 ^ (8 * t))%:R + (sigma ^ 2)%:R / (2 ^ 128)%:R + (sigma.+1 * sigma)%:R / (2 * 2 ^ 128)%:R
      + advantage E (fun c => bytes_game (A c)))%R.
Proof.
move=> kept; have kept' c : keeps (PmacForgery.fair (2 ^ 127 - 1) sigma v) (renamed (message_of x) (A c)).
  by apply: keeps_renamed (kept c) => asked tried; exact: fair_bytes.
have := pmac_cipher (char2_x field_x) (coefficient_inj field_x) (coefficient0 field_x) (coefficient_half field_x) (half_value0 field_x)
  cut_even E kept'.
rewrite /bound card_ord (card_x field_x) => le; apply: Order.POrderTheory.le_trans le.
rewrite (eq_pr (P' := fun r : Coins * Key => forges (bytes_mac (E r.2)) (A r.1))) // => r.
by rewrite (forges_renamed (message_inj field_x)).
Qed.
Theorem within_bytes (A : adversary (seq byte) [eqType of 'I_(2 ^ (8 * t))]) : keeps bytes_fair A -> within sigma.+1 (bytes_game A).
Proof.
move=> kept; have kept' : keeps (PmacForgery.fair (2 ^ 127 - 1) sigma v) (renamed (message_of x) A).
  by apply: keeps_renamed kept => asked tried; exact: fair_bytes.
exact (within_game (char2_x field_x) (coefficient x) (half_value0 field_x) cut_tag kept').
Qed.
(* The PMAC that runs is this MAC. *)
Theorem bytes_mac_runs f P M : TieField.computes x f P -> first_bytes (nat_of_bin (RunField.pmac f (binary M))) = bytes_mac P M.
Proof.
move=> /(pmac_both field_x M) [small E]; rewrite /bytes_mac /PmacForgery.mac /cut_tag; congr (first_bytes (nat_of_bin _)).
by apply: (value_inj pmac_irreducible field_x small (number_small _)); rewrite numberK E.
Qed.
(* With AES, and no hypothesis about a cipher: a key has n bytes. *)
Theorem pmac_aes n : exists E : n.-tuple byte -> {perm F}, (forall k : n.-tuple byte, TieField.computes x (aes (binary k)) (E k)) /\
  forall (Coins : finType) (A : Coins -> adversary (seq byte) [eqType of 'I_(2 ^ (8 * t))]), (forall c, keeps bytes_fair (A c)) ->
  (pr (fun r : Coins * n.-tuple byte => forges (fun M => first_bytes (nat_of_bin (RunField.pmac (aes (binary r.2)) (binary M)))) (A r.1))
   <= v%:R / (2 ^ (8 * t))%:R + (sigma ^ 2)%:R / (2 ^ 128)%:R + (sigma.+1 * sigma)%:R / (2 * 2 ^ 128)%:R
      + advantage E (fun c => bytes_game (A c)))%R.
Proof.
have [E Ek] := aes_pmac field_x n; exists E; split=> // Coins A kept; apply: Order.POrderTheory.le_trans (pmac_bytes E kept).
rewrite (eq_pr (P' := fun r : Coins * n.-tuple byte => forges (bytes_mac (E r.2)) (A r.1))) // => r.
by apply: forges_ext => M; exact: bytes_mac_runs.
Qed.
End Bytes.
