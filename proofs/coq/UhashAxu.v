(* UHASH of RFC 4418 with its numbers: every difference by xor of two messages, in all streams together. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import zify.
Require Import Constants Primes Counting NH Uhash UhashBound UhashRfc L3 L3Xor UhashOwn NhRatio Shift Joint StreamsNh Between UhashStreams StreamsXor.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import GRing.Theory.
Local Open Scope nat_scope.

Lemma bits_inj x y : x < 2 ^ 32 -> y < 2 ^ 32 -> bits x = bits y -> x = y.
Proof.
move=> lx ly E; have [//|ne] := eqVneq x y.
have [i] := digits_differ (D := 2) (n := 32) isT lx ly ne.
have /matrixP /(_ ord0 i) := E; rewrite !mxE !modn2; by case: odd; case: odd.
Qed.

(* A stream is its own keys' hash of the words of level 1. *)
Lemma uhash_own N n64 p64 l64 o64 p128 l128 o128 mark p T D (byte : eqType) (zero : byte) (elt : seq byte -> 'Z_N)
  (K64 K128 K3 : finType) (point64 : K64 -> 'F_p64) (point128 : K128 -> 'F_p128) (red : K3 -> 'F_p) (K : key1 N) k M :
  uhash n64 l64 o64 l128 o128 mark T D zero elt point64 point128 red (K, k.1, k.2) M
  = own_hash (N * N) n64 l64 o64 l128 o128 mark T D point64 point128 red k (words_of zero elt K M).
Proof. by []. Qed.

(* What a stream adds to a product, in thousandths of 2^-30: of y * 2^150 * z. *)
Local Notation N2 := ((2 ^ 32) ^ 2).
Local Notation apart := ((2 * poly64_words * 2 ^ 100 + 2 ^ 50 * (2 * 2 ^ 53)) * 2 ^ 64 + 2 ^ 150 * ((2 * 16).-1 * (2 ^ 28 + 1))).
Local Notation longer := (2 ^ 150 * level3_bound p36 16 (2 ^ 28 + 1)
    + (2 * poly64_words * 2 ^ 100 + 2 ^ 50 * (2 * 2 ^ 53)) * (p36 * 17) * ((2 ^ 28 + 1) * 2 ^ 64)).
Local Notation whole z := (2 ^ 150 * z * ((2 ^ 64) ^ 2 * N2)).
Lemma sum_both (z : nat) : (N2 * (apart * z * 2 ^ 64) + 2 * (2 ^ 32 + 1) * (2 ^ 150 * z * (2 ^ 64) ^ 2)) * (1000 * 2 ^ 30) <= 1016 * whole z.
Proof. by rewrite /poly64_words; lia. Qed.
Lemma sum_apart (z : nat) : N2 * (apart * z * 2 ^ 64) * (1000 * 2 ^ 30) <= 517 * whole z.
Proof. by rewrite /poly64_words; lia. Qed.
Lemma sum_equal (z : nat) : 2 * (2 ^ 32 + 1) * (2 ^ 150 * z * (2 ^ 64) ^ 2) * (1000 * 2 ^ 30) <= 501 * whole z.
Proof. by lia. Qed.
Lemma sum_long (z : nat) : N2 * (longer * z) * (1000 * 2 ^ 30) <= 782 * whole z.
Proof. by rewrite /level3_bound /p36 /poly64_words; lia. Qed.
Lemma quotient : 2 ^ 32 %/ 2 ^ 14 = 2 ^ 18. Proof. by rewrite -[32]/(18 + 14) expnD mulnK // expn_gt0. Qed.
Lemma sum_short (z : nat) : N2 * (2 ^ 150 * z * level3_bound p36 16 (2 ^ 28 + 1)) * (1000 * 2 ^ 30) <= 251 * whole z.
Proof. by rewrite /level3_bound /p36; lia. Qed.
Lemma sum_ratio (z : nat) : ratio_bound (2 ^ 32) (2 ^ 14) * (2 ^ 150 * z * (p36 * 17 * ((2 ^ 28 + 1) * 2 ^ 64))) * (1000 * 2 ^ 30) <= 95 * whole z.
Proof. by rewrite /ratio_bound quotient /p36; lia. Qed.
Definition both (n s : bool) := if n then if s then 1016 else 517 else if s then 501 else 0.
Lemma by_cases (n s : bool) m x l y k a b c w : (m * x + l * y) * k <= a * w -> m * x * k <= b * w -> l * y * k <= c * w ->
  (n * m * x + s * l * y) * k <= (if n then if s then a else b else if s then c else 0) * w.
Proof. by case: n; case: s; rewrite ?mul1n ?mul0n ?add0n ?addn0. Qed.
Lemma by_weight n m x k a w : m * x * k <= a * w -> n * m * x * k <= n * a * w.
Proof. by move=> le; rewrite -!mulnA leq_mul2l !mulnA le orbT. Qed.
Lemma by_weights n m x k a w r l y b : m * x * k <= a * w -> l * y * k <= b * w -> (n * m * x + r * l * y) * k <= (n * a + r * b) * w.
Proof. by move=> le le'; rewrite mulnDl [X in _ <= X]mulnDl leq_add // by_weight. Qed.

Lemma regroup_left (x a b : nat) : 2 * x * a * b = 2 * (x * b) * a. Proof. by lia. Qed.
Lemma regroup_right (k v a b : nat) : k * (2 * v * (b * a)) = 2 * (v * (k * b)) * a. Proof. by lia. Qed.
Lemma in_thousandths (J : finType) T (u num : J -> 'I_T -> nat) x k s own v m : 0 < s ->
  (forall j i, u j i * m <= num j i * (own * s)) -> (\sum_j (\prod_i num j i) <= 2 * v)%N ->
  (2 * x * s ^ T <= k * (\sum_j (\prod_i u j i)))%N -> x * m ^ T <= v * (k * own ^ T).
Proof.
move=> s0 each total le; have c0 : 0 < s ^ T by rewrite expn_gt0 s0.
have step : (\sum_j \prod_i u j i) * m ^ T <= 2 * v * (own * s) ^ T.
  apply: leq_trans (leq_mul total (leqnn _)); rewrite !big_distrl /=; apply: leq_sum => j _.
  have pw (y : nat) : y ^ T = \prod_(i < T) y by rewrite prod_nat_const card_ord.
  by rewrite !pw -!big_split /=; apply: leq_prod => i _; exact: each.
have := leq_mul le (leqnn (m ^ T)); rewrite -[k * _ * _]mulnA => {}le.
have := leq_trans le (leq_mul (leqnn k) step); rewrite !expnMn regroup_left regroup_right.
by rewrite leq_pmul2r // leq_pmul2l.
Qed.

Lemma met_bits x y (e : 'rV['F_2]_32) (g : nat -> nat) : x < 2 ^ 32 -> y < 2 ^ 32 ->
  (~~ (e == 0%R) -> forall x y, x < 2 ^ 32 -> y < 2 ^ 32 -> (bits x - bits y)%R = e -> y = g x) ->
  (bits x - bits y == e)%R -> if e == 0%R then x == y else y == g x.
Proof.
move=> lx ly h /eqP E; move: h; rewrite -E subr_eq0; case: eqP => [Eb _|_ h]; apply/eqP; first exact: bits_inj lx ly Eb.
exact: h lx ly _.
Qed.
Lemma powers0 a b c e : 0 < ((2 ^ a) ^ b) * ((2 ^ c) ^ e). Proof. by rewrite muln_gt0 !expn_gt0. Qed.
Lemma power0 a : 0 < 2 ^ a. Proof. by rewrite expn_gt0. Qed.
Lemma squares0 a : 0 < (2 ^ a) ^ 2. Proof. by rewrite !expn_gt0. Qed.
Lemma sum_bool T (A : pred 'I_T) (m : bool -> bool -> nat) (k l v : nat) : (\prod_i (if A i then m true true else k) + \prod_i (if A i then m true false else k) <= v)%N ->
  l <= k -> (\sum_(j : bool) (\prod_i (if A i then m true j else l)) <= v)%N.
Proof.
move=> total le; rewrite big_bool; apply: leq_trans total; apply: leq_add; apply: leq_prod => i _; by case: (A i).
Qed.
Lemma less_short : true * 251 + 1 * 95 <= 782. Proof. by []. Qed.
Lemma less_long : true * 782 <= 782. Proof. by []. Qed.
Definition scale0 : 0 < (2 ^ 64) ^ 2 * N2 := powers0 64 2 32 2.
Lemma succ_ne x : x.+1 != x. Proof. by rewrite neq_ltn ltnSn orbT. Qed.

(* Rows that are 0, and no other row between two of them: so with up to two rows, and where all are 0 or none is. *)
Definition zero_row T (d : 'M['F_2]_(T, 32)) : pred 'I_T := fun i => row i d == 0%R.
Definition no_row_between T (d : 'M['F_2]_(T, 32)) := forall i j k : 'I_T, i < j -> j < k -> zero_row d i -> zero_row d k -> zero_row d j.
Lemma two_rows_between T (d : 'M['F_2]_(T, 32)) : T <= 2 -> no_row_between d.
Proof. by move=> T2 i j k ij jk; have := leq_trans (ltn_ord k) T2; move: (i : nat) (j : nat) (k : nat) ij jk => a b e; lia. Qed.
Lemma outside T (d : 'M['F_2]_(T, 32)) (Q R : {set 'I_T}) : no_row_between d -> {in Q, forall i, zero_row d i} -> {in R, forall i, ~~ zero_row d i} ->
  [disjoint Q & R] /\ forall r, r \in R -> (forall q, q \in Q -> q < r) \/ (forall q, q \in Q -> r < q).
Proof.
move=> none sQ sR; split; first by apply/pred0P => i /=; apply/negbTE/negP => /andP [/sQ z0 /sR]; rewrite z0.
move=> r rR; have ne q : q \in Q -> q != r :> nat.
  by move=> qQ; apply: contraTneq (sQ q qQ) => E; rewrite (_ : q = r) ?sR //; exact: val_inj.
case: (boolP [exists q in Q, q < r]) => [/exists_inP [q qQ lt]|/exists_inPn no]; [left | right] => q' qQ'.
  by rewrite ltnNge leq_eqVlt negb_or eq_sym ne //=; apply: contra (sR r rR) => lt'; exact: none lt lt' (sQ q qQ) (sQ q' qQ').
by rewrite ltn_neqAle eq_sym ne //= leqNgt no.
Qed.

Lemma two_rows (a b : bool) : (if a then 1016 else 782) * (if b then 1016 else 782) + (if a then 517 else 782) * (if b then 517 else 782) <= 2 * (650 * 1000 ^ 1).
Proof. by case: a; case: b; lia. Qed.
Lemma one_row (a : bool) : (if a then 1016 else 782) + (if a then 517 else 782) <= 2 * 782.
Proof. by case: a; lia. Qed.
Lemma three_rows (a b c : bool) : (if a then 1016 else 782) * ((if b then 1016 else 782) * (if c then 1016 else 782))
  + (if a then 517 else 782) * ((if b then 517 else 782) * (if c then 517 else 782)) <= 2 * (594 * 1000 ^ 2).
Proof. by case: a; case: b; case: c; lia. Qed.
Lemma four_rows (a b c e : bool) : (if a then 1016 else 782) * ((if b then 1016 else 782) * ((if c then 1016 else 782) * (if e then 1016 else 782)))
  + (if a then 517 else 782) * ((if b then 517 else 782) * ((if c then 517 else 782) * (if e then 517 else 782))) <= 2 * (569 * 1000 ^ 3).
Proof. by case: a; case: b; case: c; case: e; lia. Qed.
Lemma cancel x a y k m : x * (1000 * k * m) <= a * k * y -> 0 < k -> x * (1000 * m) <= a * y.
Proof. by move=> le k0; rewrite -(leq_pmul2r k0); apply: leq_trans (leq_trans _ le) _; apply: eq_leq; lia. Qed.
Lemma thousands T x m a y : x * (1000 * m) ^ T.+1 <= a * 1000 ^ T * y -> x * (1000 * m ^ T.+1) <= a * y.
Proof. by rewrite expnMn [1000 ^ _]expnS => /cancel; apply; rewrite expn_gt0. Qed.

(* Three rows, the first and the last of which are 0: a third product bounds what all three streams do together. *)
Definition row0 : 'I_3 := @Ordinal 3 0 isT.
Definition row1 : 'I_3 := @Ordinal 3 1 isT.
Definition row2 : 'I_3 := @Ordinal 3 2 isT.
Lemma rows_are (i : 'I_3) : [\/ i = row0, i = row1 | i = row2].
Proof. by case: i => -[|[|[|//]]] lt; [constructor 1 | constructor 2 | constructor 3]; exact: val_inj. Qed.
Lemma prod_rows (F : 'I_3 -> nat) : \prod_i F i = F row0 * (F row1 * F row2).
Proof. by rewrite !big_ord_recl big_ord0 muln1; congr (F _ * (F _ * F _)); exact: val_inj. Qed.
Lemma enough_steps : 2040 <= 2 ^ 32 %/ 2 ^ 14 + 24 * 2 ^ 14. Proof. by rewrite quotient; lia. Qed.
Lemma third_product c x r z p k : c * z ^ 6 <= 2 * x ^ 2 * r * k -> 2 * c * (z ^ 2) ^ 3 <= k * (true * (2 * x) * (r * (true * (2 * x))) + p).
Proof.
move=> h; rewrite -expnM -mulnA; apply: leq_trans (leq_mul (leqnn 2) h) _; rewrite -mulnn !mul1n.
by apply: leq_trans (leq_mul (leqnn k) (leq_addr _ _)); apply: eq_leq; lia.
Qed.
Lemma outer_rows (Q R : {set 'I_3}) : row1 \notin Q -> row0 \notin R -> row2 \notin R -> Q = [set row0; row2] /\ R = [set row1] \/
  forall r, r \in R -> (forall q, q \in Q -> q < r) \/ (forall q, q \in Q -> r < q).
Proof.
move=> Q1 R0 R2; case: (boolP [&& row0 \in Q, row2 \in Q & row1 \in R]) => [/and3P [Q0 Q2 R1]|few]; [left | right => r].
  by split; apply/setP => i; rewrite !inE; case: (rows_are i) => ->; rewrite ?Q0 ?Q2 ?R1 ?(negbTE Q1) ?(negbTE R0) ?(negbTE R2).
case: (rows_are r) => -> R1; [by rewrite R1 in R0 | | by rewrite R1 in R2].
move: few; rewrite R1 andbT negb_and => /orP [q0|q2]; [right => q | left => q]; case: (rows_are q) => -> // qQ.
- by rewrite qQ in q0.
- by rewrite qQ in Q1.
- by rewrite qQ in Q1.
by rewrite qQ in q2.
Qed.
Lemma joint_three N H (byte : eqType) (zero : byte) (elt : seq byte -> 'Z_N) (Q R : {set 'I_3}) (ab : 'I_3 -> nat * nat) M M' :
  1 < N -> (forall s s', size s = 4 -> size s' = 4 -> elt s = elt s' -> s = s') -> 8 * C < N * N -> 0 < H -> 2040 <= N %/ H + 24 * H ->
  row1 \notin Q -> row0 \notin R -> row2 \notin R -> (forall i, [/\ 0 < (ab i).1, 0 < (ab i).2 & (ab i).1 != (ab i).2]) ->
  M != M' -> size M <= C -> size M' <= C ->
  2 * #|[set K : nh_key N 3 | [forall (i | i \in Q), nh zero elt i K M == nh zero elt i K M']
                         && [forall (i | i \in R), (ab i).2 * nh zero elt i K M == (ab i).1 * nh zero elt i K M']]| * (N ^ 2) ^ 3
  <= #|{: nh_key N 3}| * \sum_(j : option bool) \prod_i (if i \in Q then odflt true j * (2 * (N + 1))
       else if i \in R then (if j then 1 else 43) * ratio_bound N H else j * N ^ 2).
Proof.
move=> N1 elt_inj lengths H0 enough Q1 R0 R2 abP ne s s'; case: (outer_rows Q1 R0 R2) => [[EQ ER]|out].
  rewrite (sum_option true) prod_rows EQ ER !inE /=; apply: third_product.
  have h := between N1 zero elt_inj lengths (q := row0) (r := row1) (s := row2) H0 isT erefl enough (a := fun i => (ab i).1) (b := fun i => (ab i).2) abP ne s s'.
  apply: leq_trans h; rewrite leq_mul2r; apply/orP; right; apply: eq_leq; apply: eq_card => K.
  by rewrite !inE as_events.
have QR : [disjoint Q & R].
  by apply/pred0P => i /=; case: (rows_are i) => ->; rewrite ?(negbTE Q1) ?(negbTE R0) ?(negbTE R2) ?andbF.
have h := nh_together N1 zero elt_inj lengths (a := fun i => (ab i).1) (b := fun i => (ab i).2) H0 QR abP out ne s s'.
have N0 : 0 < N ^ 2 by rewrite expn_gt0 (ltnW N1).
by apply: leq_trans (as_product N0 QR h) _; rewrite leq_mul2l (sum_option true) leq_addl orbT.
Qed.
Lemma three_long : 501 * (false * 782 * 501) + (1016 * (true * 782 * 1016) + 517 * (true * 782 * 517)) <= 2 * (738 * 1000 ^ 2).
Proof. by lia. Qed.
Lemma three_short : 501 * ((false * 251 + 43 * 95) * 501) + (1016 * ((true * 251 + 1 * 95) * 1016) + 517 * ((true * 251 + 1 * 95) * 517)) <= 2 * (738 * 1000 ^ 2).
Proof. by lia. Qed.
Lemma three_both (z : pred 'I_3) (g : option bool -> nat) : z row0 -> ~~ z row1 -> z row2 ->
  \sum_(j : option bool) \prod_i (if z i then both j (odflt true j) else g j) = 501 * (g None * 501) + (1016 * (g (Some true) * 1016) + 517 * (g (Some false) * 517)).
Proof. by move=> z0 z1 z2; rewrite (sum_option true) big_bool !prod_rows z0 z2 (negbTE z1). Qed.
Lemma other_patterns (d : 'M['F_2]_(3, 32)) : ~~ [&& zero_row d row0, ~~ zero_row d row1 & zero_row d row2] -> no_row_between d.
Proof.
move=> other i j k; case: (rows_are i) => ->; case: (rows_are j) => ->; case: (rows_are k) => -> // _ _ z0 z2.
by move: other; rewrite z0 z2 andbT /= negbK.
Qed.
Lemma weaker k : 594 * k <= 738 * k. Proof. by lia. Qed.

Section Numbers.
Let q36 := prime36.
Let q64 := prime64.
Let q128 := prime128.
Local Notation N := (2 ^ 32).
Local Notation hash := (own_hash (N * N) poly64_words limit64 offset64 limit128 offset128 end_mark N (2 ^ 16) point64 point128 reduced).

Lemma stream_own T (K : nh_key N T) i k M : stream K i k M = hash k (words_of zero (UhashRfc.word N) (shifted K i) M).
Proof. exact: uhash_own. Qed.

Let N1 : 1 < N. Proof. by lia. Qed.
Let lengths : 8 * C < N * N. Proof. by rewrite /C; lia. Qed.
Let mark0 : 0 < end_mark. Proof. by rewrite /end_mark; lia. Qed.
Let markB : end_mark < N * N. Proof. by rewrite /end_mark; lia. Qed.
Let n64 : 1 <= poly64_words. Proof. by rewrite /poly64_words; lia. Qed.
Let n128 : 2 <= 2 ^ 53. Proof. by lia. Qed.
Let a64 : limit64 < p64. Proof. by rewrite /limit64 /p64; lia. Qed.
Let b64 : offset64 <= limit64. Proof. by rewrite /limit64 /offset64; lia. Qed.
Let c64 : N * N <= p64 + offset64. Proof. by rewrite /p64 /offset64; lia. Qed.
Let a128 : limit128 < p128. Proof. by rewrite /limit128 /p128; lia. Qed.
Let b128 : offset128 <= limit128. Proof. by rewrite /limit128 /offset128; lia. Qed.
Let c128 : N * N * (N * N) <= p128 + offset128. Proof. by rewrite /p128 /offset128; lia. Qed.
Let T0 : 0 < N. Proof. by lia. Qed.
Let c36 : p36 <= 16 * N. Proof. by rewrite /p36; lia. Qed.
Let D0 : 0 < 2 ^ 16. Proof. by lia. Qed.
Let DD : 2 ^ 16 * 2 ^ 16 <= p36. Proof. by rewrite /p36; lia. Qed.
Let D64 : 2 ^ 16 <= p64. Proof. by rewrite /p64; lia. Qed.
Let D128 : 2 ^ 16 <= p128. Proof. by rewrite /p128; lia. Qed.
Let fits : [/\ p64 <= N * N * (N * N), N * N <= (2 ^ 16) ^ 8, p64 <= (2 ^ 16) ^ 8 & p128 <= (2 ^ 16) ^ 8].
Proof. by rewrite /p64 /p128; split; lia. Qed.
Let bytes4 : 256 ^ 4 <= N. Proof. by lia. Qed.
Let inj64 : injective point64.
Proof.
move=> a b /(natr_inj q64) E; apply: number64_inj; apply: E; rewrite /p64.
  by have := number64_lt a; lia.
by have := number64_lt b; lia.
Qed.
Let inj128 : injective point128.
Proof.
move=> a b /(natr_inj q128) E; apply: number128_inj; apply: E; rewrite /p128.
  by have := number128_lt a; lia.
by have := number128_lt b; lia.
Qed.
Let fibre : forall x, #|[set w | reduced w == x]| <= 2 ^ 28 + 1.
Proof. by apply: residues q36 _; rewrite /p36; lia. Qed.
Let chunks (M : seq byte) : size M <= 2 ^ 64 -> chunks_of (size M) <= poly64_words + 2 * (2 ^ 53 - 2).
Proof. by rewrite /chunks_of /C /poly64_words; lia. Qed.

Let card12 : #|{: masked64 * masked128}| = 2 ^ 150. Proof. by rewrite card_prod card_masked64 card_masked128 -expnD. Qed.

Lemma below_N k ws : hash k ws < N. Proof. by rewrite ltn_mod. Qed.

Section Streams.
Variables (T : nat) (d : 'M['F_2]_(T, 32)) (J : finType) (vn vs : J -> 'I_T -> bool) (vr : J -> 'I_T -> nat) (v : nat).
Local Notation zero_row := (zero_row d).
Hypothesis joint : forall (Q R : {set 'I_T}) (ab : 'I_T -> nat * nat) (M M' : seq byte), {in Q, forall i, zero_row i} -> {in R, forall i, ~~ zero_row i} ->
  (forall i, [/\ 0 < (ab i).1, 0 < (ab i).2 & (ab i).1 != (ab i).2]) -> M != M' -> size M <= C -> size M' <= C ->
  2 * #|[set K : nh_key N T | [forall (i | i \in Q), nh zero (word N) i K M == nh zero (word N) i K M']
                         && [forall (i | i \in R), (ab i).2 * nh zero (word N) i K M == (ab i).1 * nh zero (word N) i K M']]| * N2 ^ T
  <= #|{: nh_key N T}| * \sum_j \prod_i (if i \in Q then vs j i * (2 * (N + 1)) else if i \in R then vr j i * ratio_bound N (2 ^ 14) else vn j i * N2).
Hypothesis total_long : (\sum_j (\prod_i (if zero_row i then both (vn j i) (vs j i) else vn j i * 782)) <= 2 * v)%N.
Hypothesis total_short : (\sum_j (\prod_i (if zero_row i then both (vn j i) (vs j i) else vn j i * 251 + vr j i * 95)) <= 2 * v)%N.

Theorem streams_xor M M' : M != M' -> size M <= 2 ^ 64 -> size M' <= 2 ^ 64 ->
  #|[set k : streams_key T | (UHASH k M - UHASH k M')%R == d]| * (1000 * 2 ^ 30) ^ T <= v * #|{: streams_key T}|.
Proof.
move=> ne le le'; pose own := #|{: own_key}|; pose z := #|{: L3.key word64 8}|.
have own_is : own = 2 ^ 150 * z by rewrite /own card_prod card12.
have maps i : exists g : nat -> nat, [/\ injective g, forall x, g x != x & ~~ zero_row i -> forall x y, x < N -> y < N -> (bits x - bits y)%R = row i d -> y = g x].
  case: (boolP (zero_row i)) => [_|nd]; first (exists succn; split; [exact: succn_inj | exact: succ_ne | move=> h; case: (notF h)]).
  have [g [gi gm gd]] := difference_map bits_inj (nd : row i d != 0%R).
  exists g; split; [exact: gi | exact: gm | move=> _; exact: gd].
have [f fP] := fin_all_exists maps.
pose A := [set k : nh_key N T * {ffun 'I_T -> own_key} | [forall i,
  meets poly64_words limit64 offset64 limit128 offset128 end_mark N (2 ^ 16) zero (word N) point64 point128 reduced zero_row f M M' i k.1 (k.2 i)]].
suff bound : #|A| * (1000 * 2 ^ 30) ^ T <= v * (#|{: nh_key N T}| * own ^ T).
  have total : #|{: streams_key T}| = #|{: nh_key N T}| * own ^ T * #|{: 'M['F_2]_(T, 32)}|.
    exact: card_streams.
  rewrite total; apply: leq_trans (leq_mul (count_rows (fun i K o M0 => bits (stream K i o M0)) M M' d) (leqnn _)) _.
  rewrite mulnAC [X in _ <= X]mulnA leq_mul2r; apply/orP; right; apply: leq_trans bound; rewrite leq_mul2r; apply/orP; right.
  apply/subset_leq_card/subsetP => k; rewrite !inE => /forallP h; apply/forallP => i; have := h i; rewrite !stream_own /meets /words.
  have [_ _ g] := fP i; exact: (met_bits (below_N _ _) (below_N _ _) g).
have fi i : injective (f i) := let: And3 h _ _ := fP i in h.
have fm i : forall x, f i x != x := let: And3 _ h _ := fP i in h.
rewrite own_is; case: (boolP ((1 < chunks_of (size M)) || (1 < chunks_of (size M')))) => [long|].
  have := streams_long N1 mark0 markB n64 n128 q64 a64 b64 c64 q128 a128 b128 c128 inj64 inj128 q36 T0 c36
    fibre D0 DD D64 D128 fits fi fm joint ne (chunks le) (chunks le') long.
  rewrite card_ord; apply: in_thousandths scale0 _ total_long => j i.
  rewrite /apart_bound /full /long_bound /level2_bound card12 card_masked64 card_masked128 card_ord.
  rewrite /both; case: (zero_row i).
    exact (by_cases (vn j i) (vs j i) (sum_both z) (sum_apart z) (sum_equal z)).
  exact (by_weight (vn j i) (sum_long z)).
rewrite negb_or -!leqNgt => /andP [s s'].
have one (L : nat) : chunks_of L <= 1 -> chunks_of L = 1 by rewrite /chunks_of ltnS leqn0 => /eqP ->.
have := streams_short N1 mark0 markB n64 n128 q64 a64 b64 c64 q128 a128 b128 c128 inj64 inj128 q36 T0 c36
  fibre D0 DD D64 D128 fits fi fm joint ne (chunks le) (chunks le') (one _ s) (one _ s').
rewrite card_ord; apply: in_thousandths scale0 _ total_short => j i.
rewrite /apart_bound /full /short_bound /some_ratio /level2_bound card12 card_masked64 card_masked128 card_ord.
rewrite /both; case: (zero_row i); [exact (by_cases (vn j i) (vs j i) (sum_both z) (sum_apart z) (sum_equal z)) | exact (by_weights (vn j i) (vr j i) (sum_short z) (sum_ratio z))].
Qed.
End Streams.

Lemma few_streams T (d : 'M['F_2]_(T, 32)) v : no_row_between d ->
  (\prod_i (if zero_row d i then 1016 else 782) + \prod_i (if zero_row d i then 517 else 782) <= 2 * v)%N ->
  forall M M', M != M' -> size M <= 2 ^ 64 -> size M' <= 2 ^ 64 ->
  #|[set k : streams_key T | (UHASH k M - UHASH k M')%R == d]| * (1000 * 2 ^ 30) ^ T <= v * #|{: streams_key T}|.
Proof.
move=> none total M M'; apply: (streams_xor (J := [finType of bool]) (vn := fun _ _ => true) (vs := fun j _ => j) (vr := fun _ _ => 1)).
- move=> Q R ab m m' sQ sR abP ne s s'; have [QR out] := outside none sQ sR.
  have h := nh_together N1 zero (word_inj bytes4) lengths (a := fun i => (ab i).1) (b := fun i => (ab i).2) (power0 14) QR abP out ne s s'.
  exact (as_product (squares0 32) QR h).
- exact: (sum_bool (m := both) total less_long).
exact: (sum_bool (m := both) total less_short).
Qed.

(* One stream: less than 0.782 * 2^-30. Two: 0.65 * 2^-60. Three: 0.594 * 2^-90 with no row between, four: 0.569 * 2^-120. *)
Theorem one_stream M M' (d : 'M['F_2]_(1, 32)) : M != M' -> size M <= 2 ^ 64 -> size M' <= 2 ^ 64 ->
  #|[set k : streams_key 1 | (UHASH k M - UHASH k M')%R == d]| * (1000 * 2 ^ 30) <= 782 * #|{: streams_key 1}|.
Proof.
move=> ne s s'; have := few_streams (v := 782) (two_rows_between (d := d) isT) _ ne s s'; rewrite expn1; apply.
rewrite !big_ord_recl !big_ord0 !muln1; exact: one_row.
Qed.
Theorem two_streams M M' (d : 'M['F_2]_(2, 32)) : M != M' -> size M <= 2 ^ 64 -> size M' <= 2 ^ 64 ->
  #|[set k : streams_key 2 | (UHASH k M - UHASH k M')%R == d]| * (1000 * (2 ^ 30) ^ 2) <= 650 * #|{: streams_key 2}|.
Proof.
move=> ne s s'; have h := few_streams (v := 650 * 1000 ^ 1) (two_rows_between (d := d) isT) _ ne s s'.
apply: (thousands (T := 1) (m := 2 ^ 30)); apply: h; rewrite !big_ord_recl !big_ord0 !muln1; exact: two_rows.
Qed.
Lemma three_outside M M' (d : 'M['F_2]_(3, 32)) : no_row_between d -> M != M' -> size M <= 2 ^ 64 -> size M' <= 2 ^ 64 ->
  #|[set k : streams_key 3 | (UHASH k M - UHASH k M')%R == d]| * (1000 * (2 ^ 30) ^ 3) <= 594 * #|{: streams_key 3}|.
Proof.
move=> none ne s s'; have h := few_streams (v := 594 * 1000 ^ 2) none _ ne s s'.
apply: (thousands (T := 2) (m := 2 ^ 30)); apply: h; rewrite !big_ord_recl !big_ord0 !muln1; exact: three_rows.
Qed.

(* The one pattern that is left. *)
Lemma all_three M M' (d : 'M['F_2]_(3, 32)) : zero_row d row0 -> ~~ zero_row d row1 -> zero_row d row2 ->
  M != M' -> size M <= 2 ^ 64 -> size M' <= 2 ^ 64 ->
  #|[set k : streams_key 3 | (UHASH k M - UHASH k M')%R == d]| * (1000 * 2 ^ 30) ^ 3 <= 738 * 1000 ^ 2 * #|{: streams_key 3}|.
Proof.
move=> z0 z1 z2 ne sM sM'; apply: (streams_xor (J := [finType of option bool]) (vn := fun j _ => j) (vs := fun j _ => odflt true j)
  (vr := fun j _ => if j then 1 else 43) _ _ _ ne sM sM').
- move=> Q R ab m m' sQ sR abP ne' s s'.
  have Q1 : row1 \notin Q := contra (@sQ row1) z1.
  have R0 : row0 \notin R := contraL (@sR row0) z0.
  have R2 : row2 \notin R := contraL (@sR row2) z2.
  exact: (joint_three zero N1 (word_inj bytes4) lengths (power0 14) enough_steps Q1 R0 R2 abP ne' s s').
- exact: leq_trans (eq_leq (three_both (fun j : option bool => j * 782) z0 z1 z2)) three_long.
exact: leq_trans (eq_leq (three_both (fun j : option bool => j * 251 + (if j then 1 else 43) * 95) z0 z1 z2)) three_short.
Qed.
Theorem three_streams M M' (d : 'M['F_2]_(3, 32)) : M != M' -> size M <= 2 ^ 64 -> size M' <= 2 ^ 64 ->
  #|[set k : streams_key 3 | (UHASH k M - UHASH k M')%R == d]| * (1000 * (2 ^ 30) ^ 3) <= 738 * #|{: streams_key 3}|.
Proof.
move=> ne s s'; case: (boolP [&& zero_row d row0, ~~ zero_row d row1 & zero_row d row2]) => [/and3P [z0 z1 z2]|other].
  have h := all_three z0 z1 z2 ne s s'; apply: (thousands (T := 2) (m := 2 ^ 30)); apply: h.
exact: leq_trans (three_outside (other_patterns other) ne s s') (weaker _).
Qed.

Theorem four_streams M M' (d : 'M['F_2]_(4, 32)) : no_row_between d -> M != M' -> size M <= 2 ^ 64 -> size M' <= 2 ^ 64 ->
  #|[set k : streams_key 4 | (UHASH k M - UHASH k M')%R == d]| * (1000 * (2 ^ 30) ^ 4) <= 569 * #|{: streams_key 4}|.
Proof.
move=> none ne s s'; have h := few_streams (v := 569 * 1000 ^ 3) none _ ne s s'.
apply: (thousands (T := 3) (m := 2 ^ 30)); apply: h; rewrite !big_ord_recl !big_ord0 !muln1; exact: four_rows.
Qed.
End Numbers.

(* RFC 4418's claims for UMAC-32, UMAC-64 and UMAC-96. *)
Theorem uhash32 : almost_xor_universal 1.
Proof. by move=> M M' d ne s s'; rewrite (muln1 30); exact: thousandths (isT : 782 <= 1000) (one_stream d ne s s'). Qed.
Theorem uhash64 : almost_xor_universal 2.
Proof. by move=> M M' d ne s s'; rewrite (expnM 2 30 2); exact: thousandths (isT : 650 <= 1000) (two_streams d ne s s'). Qed.
Theorem uhash96 : almost_xor_universal 3.
Proof. by move=> M M' d ne s s'; rewrite (expnM 2 30 3); exact: thousandths (isT : 738 <= 1000) (three_streams d ne s s'). Qed.
