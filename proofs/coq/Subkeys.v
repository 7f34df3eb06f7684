(* UMAC's subkeys as RFC 4418 cuts them from encrypted blocks: if the blocks are uniform, so are the cipher's key for the pads
   and the keys of all streams. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import zify.
Require Import Balanced Shift UhashRfc UhashStreams Rfc4418.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import GRing.Theory.
(* Powers are compared by their exponents, and not counted out. *)
Local Opaque expn.

(* Word i of a string of blocks; bit j of a row is 2^j. *)
Definition word (ys : seq block) (i : nat) : nat :=
  \sum_(j < 32) (nth 0%R ys (i %/ 4) (inord (i %% 4)) j != 0%R) * 2 ^ j.

Lemma odd_sum (b : nat -> bool) n i : i < n -> odd ((\sum_(j < n) b j * 2 ^ j) %/ 2 ^ i) = b i.
Proof.
elim: n b i => [|n IH] b i //; rewrite big_ord_recl /= muln1.
have -> : \sum_(j < n) b (bump 0 j) * 2 ^ bump 0 j = 2 * \sum_(j < n) b j.+1 * 2 ^ j.
  by rewrite big_distrr; apply: eq_bigr => j _; rewrite /bump /= add1n expnS; lia.
set S := \sum_(j < n) _; case: i => [|i] lt; first by rewrite expn0 divn1 oddD oddM addbF oddb.
have -> : (b 0 + 2 * S) %/ 2 ^ i.+1 = S %/ 2 ^ i by rewrite expnS divnMA; congr (_ %/ _); case: (b 0) => /=; lia.
exact: (IH (fun j => b j.+1)).
Qed.

Lemma sum_lt (b : nat -> bool) n : \sum_(j < n) b j * 2 ^ j < 2 ^ n.
Proof. by elim: n => [|n IH]; rewrite ?big_ord0 // big_ord_recr /= expnS; move: IH; case: (b n) => /=; lia. Qed.

Definition word_bit (ys : seq block) i a : bool := nth 0%R ys (i %/ 4) (inord (i %% 4)) (inord a) != 0%R.
Lemma word_sum ys i : word ys i = \sum_(j < 32) word_bit ys i j * 2 ^ j.
Proof. by apply: eq_bigr => j _; rewrite /word_bit inord_val. Qed.
Lemma word_lt ys i : word ys i < 2 ^ 32. Proof. by rewrite word_sum; exact: sum_lt. Qed.
Lemma odd_word ys i (j : 'I_32) : odd (word ys i %/ 2 ^ j) = (nth 0%R ys (i %/ 4) (inord (i %% 4)) j != 0%R).
Proof. by rewrite word_sum (odd_sum (word_bit ys i) (ltn_ord j)) /word_bit inord_val. Qed.

(* Parts of a stream's key, from its words: 25 bits of each of six, and eight times 64 bits, the last first. *)
Definition masked_of (w : nat -> nat) i : masked64 := (below 25 (w i), below 25 (w i.+1)).
Definition key2_of w : masked64 * masked128 := (masked_of w 0, (masked_of w 2, masked_of w 4)).
Definition key3_of w : {ffun 'I_8 -> word64} := [ffun i : 'I_8 => below 64 (w (2 * (7 - i)) * 2 ^ 32 + w (2 * (7 - i)).+1)].
Definition word_bits m (w : nat -> nat) : 'M['F_2]_(m, 32) := (\matrix_(i, j) (odd (w i %/ 2 ^ j))%:R)%R.

(* The same for words of any length: Coq must not count to 2^32. *)
Section AnyWords.
Variables a b : nat.
Hypothesis le : a <= b.
Lemma balanced_six : balanced (fun k : {ffun 'I_6 -> 'I_(2 ^ b)} =>
  ((below a (k (inord 0)), below a (k (inord 1))), ((below a (k (inord 2)), below a (k (inord 3))), (below a (k (inord 4)), below a (k (inord 5)))))).
Proof.
have each := balanced_each (I := [finType of 'I_6]) (balanced_low le).
pose six (k : {ffun 'I_6 -> 'I_(2 ^ a)}) := ((k (inord 0), k (inord 1)), ((k (inord 2), k (inord 3)), (k (inord 4), k (inord 5)))).
apply: balanced_eq (balanced_comp each (_ : balanced six)) => [k|]; first by rewrite /six !ffunE.
apply: balanced_inj => [k k' [] E0 E1 E2 E3 E4 E5|]; last first.
  by rewrite !card_prod card_ffun !card_ord -!expnD -expnM leq_pexp2l //; lia.
apply/ffunP => i; rewrite -(inord_val i); case: i => [[|[|[|[|[|[|]]]]]] lt] //=; exact: val_inj.
Qed.

Lemma balanced_eight c : c = 2 * b -> balanced (fun k : {ffun 'I_16 -> 'I_(2 ^ b)} =>
  [ffun i : 'I_8 => below c (k (inord (2 * (7 - i))) * 2 ^ b + k (inord (2 * (7 - i)).+1))]).
Proof.
move=> double; apply: balanced_inj => [k k' E|]; last by rewrite !card_ffun !card_ord -!expnM leq_pexp2l //; lia.
apply/ffunP => i; have lt : 7 - i %/ 2 < 8 by lia.
have := congr1 (fun f : {ffun 'I_8 -> 'I_(2 ^ c)} => val (f (Ordinal lt))) E; rewrite !ffunE /=.
have -> : 7 - (7 - i %/ 2) = i %/ 2 by have := ltn_ord i; lia.
have small (x y : 'I_(2 ^ b)) : x * 2 ^ b + y < 2 ^ c.
  rewrite double mul2n -addnn expnD; have := ltn_ord x; have := ltn_ord y; move: (2 ^ b) (nat_of_ord x) (nat_of_ord y) => m; nia.
rewrite !modn_small ?small // => {}E.
have E1 : k (inord (2 * (i %/ 2))) = k' (inord (2 * (i %/ 2))).
  apply: val_inj; have := congr1 (fun x => x %/ 2 ^ b) E; rewrite /= !(divnMDl _ _ (pow0 b)).
  by rewrite (divn_small (ltn_ord _)) (divn_small (ltn_ord _)) !addn0.
move: E; rewrite E1 => /addnI /val_inj E2; rewrite -(inord_val i) (_ : nat_of_ord i = 2 * (i %/ 2) + odd i); last by lia.
by case: (odd i); rewrite ?addn1 ?addn0.
Qed.
End AnyWords.

(* A key made of words at different places, part by part. *)
Section Parts.
Variables (I1 I2 T : finType) (X R A1 A2 A3 A5 : finType) (bits1 : {ffun I1 -> X} -> A1) (ring : X -> R).
Variables (f2 : {ffun 'I_6 -> X} -> A2) (f3 : {ffun 'I_16 -> X} -> A3) (bits5 : {ffun T -> X} -> A5).
Local Notation J6 := [finType of 'I_6].
Local Notation J16 := [finType of 'I_16].
Definition places : finType := sum_finType I1 (sum_finType (sum_finType I2 (sum_finType (prod_finType T J6) (prod_finType T J16))) T).
Variables (J : finType) (s : places -> J).
Definition parts (k : {ffun J -> X}) : A1 * ({ffun I2 -> R} * {ffun T -> A2 * A3} * A5) :=
  (bits1 [ffun i => k (s (inl i))],
   ([ffun p => ring (k (s (inr (inl (inl p)))))],
    [ffun i => (f2 [ffun j => k (s (inr (inl (inr (inl (i, j))))))], f3 [ffun j => k (s (inr (inl (inr (inr (i, j))))))])],
    bits5 [ffun i => k (s (inr (inr i)))])).
Hypothesis b1 : balanced bits1.
Hypothesis b2 : balanced ring.
Hypothesis b3 : balanced f2.
Hypothesis b4 : balanced f3.
Hypothesis b5 : balanced bits5.
Lemma balanced_parts : injective s -> balanced parts.
Proof.
move=> inj; have own := balanced_comp (balanced_fork (balanced_rows (I := T) b3) (balanced_rows (I := T) b4)) (@balanced_zip T A2 A3).
have all := balanced_fork b1 (balanced_fork (balanced_fork (balanced_each (I := I2) b2) own) b5).
have full := balanced_comp (@balanced_choice places J X s inj) all.
apply: (balanced_eq _ full) => k; rewrite /parts /=; congr (_, (_, _, _)).
- by congr bits1; apply/ffunP => i; rewrite !ffunE.
- by apply/ffunP => p; rewrite !ffunE.
- by apply/ffunP => i; rewrite !ffunE /=; congr (f2 _, f3 _); apply/ffunP => j; rewrite !ffunE.
- by congr bits5; apply/ffunP => i; rewrite !ffunE.
Qed.
End Parts.

Section Subkeys.
(* Streams; blocks of the cipher's key, and its words: 4, 6 or 8. *)
Variables (T c words : nat).
(* Where the words of each index begin in the blocks of `kdf_blocks`. *)
Definition first1 := 4 * c.
Definition first2 := first1 + 4 * (T + 63).
Definition first3 := first2 + 4 * ((3 * T).+1 %/ 2).
Definition first4 := first3 + 4 * (4 * T).
Definition subkeys (ys : seq block) : 'M['F_2]_(words, 32) * streams_key T :=
  (word_bits words (word ys),
   ([ffun p : 'I_(63 + T) * 'I_4 => (word ys (first1 + (4 * p.1 + p.2)))%:R%R],
    [ffun i : 'I_T => (key2_of (fun k => word ys (first2 + 6 * i + k)), key3_of (fun k => word ys (first3 + 16 * i + k)))],
    word_bits T (fun i => word ys (first4 + i)))).

Local Notation W := 'I_(2 ^ 32).
Lemma bit_eq (x y : bool) : (x%:R = y%:R :> 'F_2)%R -> x = y. Proof. by case: x y => [] []. Qed.

Definition bits m (k : {ffun 'I_m -> W}) : 'M['F_2]_(m, 32) := (\matrix_(i, j) (odd (k i %/ 2 ^ j))%:R)%R.
Lemma balanced_bits m : balanced (@bits m).
Proof.
apply: balanced_inj => [k k' E|]; last by rewrite card_words card_ffun !card_ord -expnM.
apply/ffunP => i; apply: val_inj; apply: (same_bits (ltn_ord (k i)) (ltn_ord (k' i))) => j lt.
by have := congr1 (fun M : 'M['F_2]_(m, 32) => M i (Ordinal lt)) E; rewrite !mxE; exact: bit_eq.
Qed.

Lemma balanced_Zp N : 1 < N -> balanced (fun x : 'I_N => ((x : nat)%:R : 'Z_N)%R).
Proof.
move=> N1; apply: balanced_inj => [x y E|]; last by rewrite !card_ord Zp_cast.
by apply: val_inj; have := congr1 val E; rewrite /= !val_Zp_nat // !modn_small.
Qed.
Definition ring (x : W) : 'Z_(2 ^ 32) := ((x : nat)%:R)%R.
Lemma balanced_Zp32 : balanced ring.
Proof. apply: balanced_Zp; by rewrite -[1]/(2 ^ 0) ltn_exp2l. Qed.

Lemma balanced_key2 : balanced (fun k : {ffun 'I_6 -> W} => key2_of (fun i => k (inord i))).
Proof. exact (@balanced_six 25 32 isT). Qed.
Lemma balanced_key3 : balanced (fun k : {ffun 'I_16 -> W} => key3_of (fun i => k (inord i))).
Proof. exact (@balanced_eight 25 32 isT 64 erefl). Qed.

Lemma power_words a n : (2 ^ a) ^ (4 * n) <= (2 ^ (a * 4)) ^ n. Proof. by rewrite -!expnM mulnA. Qed.
Lemma card_strings n : #|{: {ffun 'I_(4 * n) -> W}}| <= #|{: n.-tuple block}|.
Proof. rewrite card_ffun card_tuple (card_ord (4 * n)) [#|W|]card_ord card_words; exact (power_words 32 n). Qed.
Lemma balanced_words n : balanced (fun t : n.-tuple block => [ffun i : 'I_(4 * n) => Ordinal (word_lt t i) : W]).
Proof.
apply: balanced_inj (card_strings n) => t t' E.
apply: eq_from_tnth => p; apply/matrixP => r j; rewrite !(tnth_nth 0%R).
have lt : 4 * p + r < 4 * n by have := ltn_ord p; have := ltn_ord r; lia.
have := congr1 (fun f : {ffun 'I_(4 * n) -> W} => odd (f (Ordinal lt) %/ 2 ^ j)) E; rewrite !ffunE /= /word.
have -> : (4 * p + r) %/ 4 = p by have := ltn_ord r; lia.
have -> : inord ((4 * p + r) %% 4) = r by apply: val_inj; rewrite /= inordK; have := ltn_ord r; lia.
have bit (ys : seq block) : odd ((\sum_(j < 32) (nth 0%R ys p r j != 0%R) * 2 ^ j) %/ 2 ^ j) = (nth 0%R ys p r j != 0%R).
  rewrite -[in RHS](inord_val j) -(odd_sum (fun i => nth 0%R ys p r (inord i) != 0%R) (ltn_ord j)).
  by congr (odd (_ %/ _)); apply: eq_bigr => i _; rewrite inord_val.
have two (x y : 'F_2) : (x != 0)%R = (y != 0)%R -> x = y.
  by case: x y => [[|[|x]] lx] // [[|[|y]] ly] //= _; apply: val_inj.
by rewrite !bit; exact: two.
Qed.

Lemma key2_of_eq w w' : (forall i, i < 6 -> w i = w' i) -> key2_of w = key2_of w'.
Proof. by move=> E; rewrite /key2_of /masked_of !E. Qed.
Lemma key3_of_eq w w' : (forall i, i < 16 -> w i = w' i) -> key3_of w = key3_of w'.
Proof. by move=> E; apply: eq_ffun => i; rewrite !E //; have := ltn_ord i; lia. Qed.

(* The words that are used, each once. *)
Hypothesis T4 : T <= 4.
Hypothesis fits : words <= 4 * c.
Definition place (x : places [finType of 'I_words] [finType of 'I_(63 + T) * 'I_4] [finType of 'I_T]) : nat := match x with
  | inl i => i
  | inr (inl (inl p)) => first1 + (4 * p.1 + p.2)
  | inr (inl (inr (inl p))) => first2 + 6 * p.1 + p.2
  | inr (inl (inr (inr p))) => first3 + 16 * p.1 + p.2
  | inr (inr i) => first4 + i
  end.
Lemma place_lt x : place x < 4 * size (kdf_blocks T c).
Proof.
have -> : size (kdf_blocks T c) = c + (T + 63) + (3 * T).+1 %/ 2 + 4 * T + 1.
  by rewrite size_map /= !size_cat !size_map !size_iota /=; lia.
rewrite /place /first4 /first3 /first2 /first1; move: T4 fits.
by case: x => [[i li]|[[[[a la] [b lb]]|[[[a la] [b lb]]|[[a la] [b lb]]]]|[i li]]] /=; lia.
Qed.
Lemma place_inj : injective (fun x => Ordinal (place_lt x)).
Proof.
move=> x y [] E; move: x y E; rewrite /place /first4 /first3 /first2 /first1 => x y E; move: T4 fits E.
case: x => [[i li]|[[[[a la] [b lb]]|[[[a la] [b lb]]|[[a la] [b lb]]]]|[i li]]];
  case: y => [[i' li']|[[[[a' la'] [b' lb']]|[[[a' la'] [b' lb']]|[[a' la'] [b' lb']]]]|[i' li']]] /= small ok E;
  try (by exfalso; lia); do ?[congr (inl _) | congr (inr _)]; try congr (_, _); apply: val_inj => /=; lia.
Qed.

Lemma subkeys_words (t : (size (kdf_blocks T c)).-tuple block) :
  subkeys t = parts (@bits words) ring (fun k => key2_of (fun i => k (inord i))) (fun k => key3_of (fun i => k (inord i))) (@bits T)
    (fun x => Ordinal (place_lt x)) [ffun i : 'I_(4 * size (kdf_blocks T c)) => Ordinal (word_lt t i) : W].
Proof.
rewrite /subkeys /parts; congr (_, (_, _, _)).
- by apply/matrixP => i j; rewrite !mxE !ffunE.
- by apply: eq_ffun => p; rewrite !ffunE.
- apply: eq_ffun => i; congr (_, _); [apply: key2_of_eq | apply: key3_of_eq] => j lt; by rewrite !ffunE /= inordK.
- by apply/matrixP => i j; rewrite !mxE !ffunE.
Qed.

Theorem balanced_subkeys : balanced (fun t : (size (kdf_blocks T c)).-tuple block => subkeys t).
Proof.
apply: balanced_eq (fun t => esym (subkeys_words t)) _.
apply: balanced_comp (@balanced_words _) _.
exact (balanced_parts (@balanced_bits words) balanced_Zp32 balanced_key2 balanced_key3 (@balanced_bits T) place_inj).
Qed.

Theorem uniform_subkeys keys :
  #|[set t : (size (kdf_blocks T c)).-tuple block | subkeys t == keys]| * (#|{: 'M['F_2]_(words, 32)}| * #|{: streams_key T}|)
  <= #|{: block}| ^ size (kdf_blocks T c).
Proof. by have := balanced_subkeys keys; rewrite card_prod card_tuple. Qed.
End Subkeys.
