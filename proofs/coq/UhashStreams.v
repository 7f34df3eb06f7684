(* UHASH of RFC 4418 for T streams, 4 T bytes: the definition, and the statement that its bound for forgeries rests on. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import zify.
Require Import Constants Uhash UhashBound UhashRfc Shift.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import GRing.Theory.
Local Open Scope nat_scope.

(* Keys of all streams: a word that no condition looks at, and one stream. *)
Lemma card_beside (X Z : finType) (P : pred X) : #|[set k : X * Z | P k.1]| = #|[set x | P x]| * #|Z|.
Proof. by rewrite -[#|Z|]cardsT -cardsX; apply: eq_card => -[x z]; rewrite !inE /= andbT. Qed.

Lemma card_streams (X O Z : finType) T : #|{: X * {ffun 'I_T -> O} * Z}| = #|X| * #|O| ^ T * #|Z|.
Proof. by rewrite !card_prod card_ffun card_ord. Qed.

(* The words that are xored at the end play no part in a difference; each row is a stream's. *)
Section Rows.
Variables (X O : finType) (Msg : Type) (m T : nat) (h : 'I_T -> X -> O -> Msg -> 'rV['F_2]_m).
Lemma count_rows M M' (d : 'M['F_2]_(T, m)) :
  #|[set k : X * {ffun 'I_T -> O} * 'M['F_2]_(T, m) | (\matrix_i h i k.1.1 (k.1.2 i) M + k.2 - (\matrix_i h i k.1.1 (k.1.2 i) M' + k.2) == d)%R]|
  <= #|[set k : X * {ffun 'I_T -> O} | [forall i, h i k.1 (k.2 i) M - h i k.1 (k.2 i) M' == row i d]%R]| * #|{: 'M['F_2]_(T, m)}|.
Proof.
rewrite -(card_beside _ (fun k : X * {ffun 'I_T -> O} => [forall i, h i k.1 (k.2 i) M - h i k.1 (k.2 i) M' == row i d]%R)).
apply/subset_leq_card/subsetP => k; rewrite !inE => /eqP <-; apply/forallP => i; apply/eqP/rowP => j.
by rewrite !mxE opprD addrACA subrr addr0.
Qed.
End Rows.

Lemma thousandths a x y n : a <= 1000 -> x * (1000 * n) <= a * y -> x * n <= y.
Proof. by move=> le h; have := leq_mul le (leqnn y); lia. Qed.

(* One stream, before the last xor with a word of the key. *)
Definition rfc_hash := @uhash (2 ^ 32) poly64_words p64 limit64 offset64 p128 limit128 offset128 end_mark p36 (2 ^ 32)
  (2 ^ 16) [eqType of byte] zero (word (2 ^ 32)) masked64 masked128 word64 point64 point128 reduced.

Section Streams.
Variable T : nat.
(* Each stream has keys of its own for levels 2 and 3, the last of them 32 bits that are xored. *)
Definition own_key := (masked64 * masked128 * {ffun 'I_8 -> word64})%type.
Definition streams_key := (nh_key (2 ^ 32) T * {ffun 'I_T -> own_key} * 'M['F_2]_(T, 32))%type.

Definition stream (K : nh_key (2 ^ 32) T) (i : 'I_T) (k : own_key) (M : seq byte) : nat := rfc_hash (shifted K i, k.1, k.2) M.

(* Bits as elements of the field of two: their sum is xor. Row i is the word of stream i, its lowest bit first. *)
Definition bits (x : nat) : 'rV['F_2]_32 := (\row_j (odd (x %/ 2 ^ j))%:R)%R.
Definition UHASH (k : streams_key) (M : seq byte) : 'M['F_2]_(T, 32) :=
  (\matrix_i bits (stream k.1.1 i (k.1.2 i) M) + k.2)%R.

(* Two different messages of up to 2^64 bytes have the difference d for at most 2^-(30 T) of the keys, whatever d is. *)
Definition almost_xor_universal := forall (M M' : seq byte) (d : 'M['F_2]_(T, 32)),
  M != M' -> size M <= 2 ^ 64 -> size M' <= 2 ^ 64 ->
  #|[set k : streams_key | (UHASH k M - UHASH k M')%R == d]| * 2 ^ (30 * T) <= #|{: streams_key}|.
End Streams.
