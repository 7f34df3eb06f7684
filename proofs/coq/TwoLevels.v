(* NHT2 and NHST2 of UMAC (CRYPTO '99, section 5.4): Theorems 5.3 and 5.4, whose proofs the paper omits. Two blocks that differ
   first decide: if neither of their two hashes collides, both hashes of level 2 differ first at this place. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import zify.
Require Import Counting Blocks Toeplitz.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import GRing.Theory.
Local Open Scope ring_scope.

Section Clauses.
Variables (W : finZmodType) (V : zmodType) (g : W -> W -> V) (r : nat).
Hypothesis clause : forall (c c' m m' : W) (d : V), c != c' ->
  (#|[set k : W | (g c (k + m) - g c' (k + m'))%R == d]| <= r)%N.
Hypothesis sym : forall x y, g x y = g y x.

(* A string of at most n pairs under the key that is shifted by j pairs. *)
Section Nh.
Variables n t : nat.
Definition nh (K : key W n t) (j : 'I_t) (s : seq (W * W)) : V :=
  \sum_(i < n | (i < size s)%N) g (K (at_ i j, false) + (nth 0 s i).1) (K (at_ i j, true) + (nth 0 s i).2).
Definition pairs (s : seq (W * W)) : msg W n := [ffun p : 'I_n * bool => if p.2 then (nth 0 s p.1).2 else (nth 0 s p.1).1].

Lemma nh_difference K j s s' : size s = size s' ->
  (nh K j s == nh K j s') = (hash g K (pairs s) j - hash g K (pairs s') j == 0).
Proof.
move=> Es; have whole u : hash g K (pairs u) j = nh K j u + \sum_(i < n | ~~ (i < size u)%N) g (K (at_ i j, false)) (K (at_ i j, true)).
  rewrite /hash (bigID (fun i : 'I_n => (i < size u)%N)) /=; congr (_ + _); apply: eq_bigr => i.
    by rewrite /term !ffunE.
  by rewrite -leqNgt => ge; rewrite /term !ffunE /= nth_default // !addr0.
by rewrite !whole -Es opprD addrACA subrr addr0 subr_eq0.
Qed.

Lemma pairs_differ s s' (i : 'I_n) : nth 0 s i != nth 0 s' i -> exists b, pairs s (i, b) != pairs s' (i, b).
Proof.
move=> ne; case: (eqVneq (nth 0 s i).1 (nth 0 s' i).1) => E; last by exists false; rewrite !ffunE.
exists true; rewrite !ffunE /=; apply: contra ne => /eqP E'.
by rewrite (surjective_pairing (nth 0 s i)) E E' -surjective_pairing.
Qed.

(* The differences do not look at a word before the first pair that differs. *)
Lemma difference_first (M M' : msg W n) (i0 : 'I_n) (j : 'I_t) (K K' : key W n t) :
  (forall (i : 'I_n) b, (i < i0)%N -> M (i, b) = M' (i, b)) ->
  (forall p : 'I_(n + t) * bool, (i0 + j <= p.1)%N -> K p = K' p) ->
  hash g K M j - hash g K M' j = hash g K' M j - hash g K' M' j.
Proof.
move=> before same; rewrite /hash -!sumrB; apply: eq_bigr => i _.
case: (ltnP i i0) => lt; first by rewrite /term !before // !subrr.
by rewrite /term !same //= leq_add2r.
Qed.
End Nh.

Lemma one_hash n t (s s' : seq (W * W)) (i : 'I_n) (j : 'I_t) : size s = size s' -> nth 0 s i != nth 0 s' i ->
  (#|[set K : key W n t | nh K j s == nh K j s']| * #|W| <= r * #|{: key W n t}|)%N.
Proof.
move=> Es /pairs_differ [b ne]; rewrite -[#|{: key W n t}|]cardsT.
apply: leq_trans (one_step clause sym 0 (j := j) ne (B := setT) _) => [|K w]; last by rewrite !inE.
by rewrite leq_mul2r; apply/orP; right; apply/subset_leq_card/subsetP => K; rewrite !inE nh_difference.
Qed.

(* Two strings for each of two keys, which differ first at one place. *)
Lemma two_hashes n (s s' u u' : seq (W * W)) (i : 'I_n) : size s = size s' -> size u = size u' ->
  nth 0 s i != nth 0 s' i -> nth 0 u i != nth 0 u' i ->
  (forall a, (a < i)%N -> nth 0 u a = nth 0 u' a) ->
  (#|[set K : key W n 2 | (nh K (inord 0) s == nh K (inord 0) s') && (nh K (inord 1) u == nh K (inord 1) u')]| * #|W| ^ 2
   <= r ^ 2 * #|{: key W n 2}|)%N.
Proof.
move=> Es Eu nes neu before; have [b ne] := pairs_differ nes; have := one_hash (inord 1 : 'I_2) Eu neu.
pose B := [set K : key W n 2 | nh K (inord 1) u == nh K (inord 1) u'] => leB.
have step := one_step clause sym 0 (j := inord 0 : 'I_2) ne (B := B).
have {}step := step _; rewrite !expnS !expn0 !muln1 !mulnA; apply: leq_trans (leq_mul (leq_trans _ (step _)) (leqnn _)) _.
- rewrite leq_mul2r; apply/orP; right; apply/subset_leq_card/subsetP => K; rewrite !inE => /andP [E E1].
  by rewrite E1 -nh_difference.
- move=> K w; rewrite !inE !(nh_difference _ _ Eu) => /eqP <-; apply/eqP.
  apply: (difference_first (i0 := i)) => [a b' lt|p le]; first by rewrite !ffunE /= before.
  apply: put_out; apply: contraTneq le => ->; by rewrite /= !inordK // addn0 addn1 -ltnNge.
by rewrite -!mulnA leq_mul2l leB orbT.
Qed.

(* Two levels: blocks of n pairs, of each of which `split` makes the hash a pair of words; at most m blocks. *)
Variables (split : V -> W * W) (n m : nat).
Hypothesis split_inj : injective split.
Hypothesis n0 : (0 < n)%N.
Definition level1 (K : key W n 2) (j : 'I_2) (M : seq (W * W)) := mkseq (fun i => split (nh K j (block n M i))) (up (size M) n).
Definition two_levels (k : key W n 2 * key W m 2) M : V * V :=
  (nh k.2 (inord 0) (level1 k.1 (inord 0) M), nh k.2 (inord 1) (level1 k.1 (inord 1) M)).

Theorem two_levels_collision M M' : M != M' -> size M = size M' -> (size M <= m * n)%N ->
  (#|[set k | two_levels k M == two_levels k M']| * #|W| ^ 2 <= 4 * r ^ 2 * #|{: key W n 2 * key W m 2}|)%N.
Proof.
move=> ne Es fits; have one1 : (0 < 1)%N by []; have [i0 [lt0 d0]] := blocks_differ n0 one1 (dvd1n n) ne Es.
pose P i := (i < up (size M) n)%N && (block n M i != block n M' i).
have some : exists i, P i by exists i0; rewrite /P lt0.
case: (ex_minnP some) => e /andP [lte de] least.
have em : (e < m)%N by apply: leq_trans lte (up_least n0 one1 (dvd1n n) n0 fits).
have same i : (i < e)%N -> block n M i = block n M' i.
  move=> lt; apply/eqP/negPn; apply: contraTN (lt) => di; rewrite -leqNgt; apply: least.
  by rewrite /P di (ltn_trans lt lte).
have Eb : size (block n M e) = size (block n M' e) by rewrite !size_take !size_drop Es.
have [p [ltp dp]] : exists p, (p < n)%N /\ nth 0 (block n M e) p != nth 0 (block n M' e) p.
  have le_n : (size (block n M e) <= n)%N by rewrite size_take; case: ltnP.
  case: (boolP [exists p : 'I_n, nth 0 (block n M e) p != nth 0 (block n M' e) p]) => [/existsP [p dp]|]; first by exists p.
  rewrite negb_exists => /forallP all; case/eqP: de; apply: (@eq_from_nth _ 0) => // p lt.
  by have := all (Ordinal (leq_trans lt le_n)); rewrite negbK => /eqP.
pose x := Ordinal ltp; pose y := Ordinal em.
pose a (j : 'I_2) (K : key W n 2) := nh K j (block n M e) == nh K j (block n M' e).
have sizes (K : key W n 2) j : size (level1 K j M) = size (level1 K j M') by rewrite !size_mkseq Es.
have at1 (K : key W n 2) j : (nth 0 (level1 K j M) y != nth 0 (level1 K j M') y) = ~~ a j K.
  by rewrite /level1 -Es !nth_mkseq // (inj_eq split_inj).
have before (K : key W n 2) j i : (i < y)%N -> nth 0 (level1 K j M) i = nth 0 (level1 K j M') i.
  by move=> lt; rewrite /level1 -Es !nth_mkseq ?(ltn_trans lt lte) // same.
have one j : (#|[set K | a j K]| * #|W| <= r * #|{: key W n 2}|)%N by exact: (one_hash (i := x) j Eb dp).
have both : (#|[set K | a (inord 0) K && a (inord 1) K]| * #|W| ^ 2 <= r ^ 2 * #|{: key W n 2}|)%N.
  have [b neb] := pairs_differ (i := x) dp.
  have neM : pairs n (block n M e) != pairs n (block n M' e) by apply: contra neb => /eqP ->.
  apply: leq_trans (toeplitz clause sym (t := 2) (fun=> 0) neM); rewrite leq_mul2r; apply/orP; right.
  apply/subset_leq_card/subsetP => K; rewrite !inE /a !nh_difference // => /andP [E0 E1]; apply/forallP => j.
  by have [->|->] : j = inord 0 \/ j = inord 1 by case: j => [[|[|//]] lt]; [left | right]; apply: val_inj; rewrite /= inordK.
pose L := #|{: key W m 2}|; pose N := #|W|.
pose weight K := if a (inord 0) K && a (inord 1) K then (N ^ 2)%N else if a (inord 0) K || a (inord 1) K then (r * N)%N else (r ^ 2)%N.
apply: (@leq_trans (\sum_K weight K * L)).
  apply: count_fibres_sum => K; rewrite /weight; set S := [set w | _].
  have few j : ~~ a j K -> (#|S| * N ^ 2 <= r * N * L)%N.
    move=> na; have le : (#|S| * N <= r * L)%N; last by have := leq_mul le (leqnn N); rewrite expnS expn1; lia.
    apply: leq_trans (one_hash j (sizes K j) (_ : nth 0 _ y != nth 0 _ y)); rewrite ?at1 //.
    rewrite leq_mul2r; apply/orP; right; apply/subset_leq_card/subsetP => w; rewrite !inE => /eqP [E0 E1]; apply/eqP.
    by have [->|->] : j = inord 0 \/ j = inord 1 by case: (j) => [[|[|//]] lt]; [left | right]; apply: val_inj; rewrite /= inordK.
  case: (boolP (a (inord 0) K)) => a0; case: (boolP (a (inord 1) K)) => a1 /=.
  - by rewrite mulnC leq_mul2l max_card orbT.
  - exact: few a1.
  - exact: few a0.
  apply: leq_trans (two_hashes (i := y) (sizes K (inord 0)) (sizes K (inord 1)) _ _ _); rewrite ?at1 //; last by move=> i lt; exact: before.
  by rewrite leq_mul2r; apply/orP; right; apply/subset_leq_card/subsetP => w; rewrite !inE => /eqP [-> ->]; rewrite !eqxx.
rewrite card_prod -/L -big_distrl /= mulnA leq_mul2r; apply/orP; right.
apply: (@leq_trans (\sum_K ((a (inord 0) K && a (inord 1) K) * N ^ 2 + (a (inord 0) K + a (inord 1) K) * (r * N) + r ^ 2))).
  by apply: leq_sum => K _; rewrite /weight; case: (a _ K); case: (a _ K) => /=; lia.
have sum1 (A : pred (key W n 2)) : (\sum_K (A K : nat) = #|[set K | A K]|)%N.
  by rewrite -sum1dep_card [RHS]big_mkcond; apply: eq_bigr => K _; case: (A K).
rewrite !big_split /= -!big_distrl /= big_split /= !sum1 sum_nat_const.
have := one (inord 0); have := one (inord 1); move: both; rewrite -/N.
set k := #|{: key W n 2}|; move: #|_| #|_| #|_| => A B C lA lB lC.
by rewrite mulnDl; have := leq_mul lB (leqnn r); have := leq_mul lC (leqnn r); lia.
Qed.
End Clauses.

(* Words of w bits: a hash of two words, the upper one first. *)
Section Named.
Variable w : nat.
Hypothesis w1 : (0 < w)%N.
Let N := (2 ^ w)%N.
Let N1 : (1 < N)%N. Proof. by rewrite -[1%N]/(2 ^ 0)%N ltn_exp2l. Qed.
Let NN1 : (1 < N * N)%N. Proof. by rewrite (leq_trans N1) // leq_pmull // ltnW. Qed.
Definition two_words (v : 'Z_(N * N)) : 'Z_N * 'Z_N := ((v %/ N)%N%:R, (v %% N)%N%:R).
Lemma two_words_inj : injective two_words.
Proof.
move=> u v [] /(congr1 val) E /(congr1 val) E'; apply: val_inj; move: E E'; rewrite /= !val_Zp_nat //.
have lt (x : 'Z_(N * N)) : (x %/ N < N)%N by rewrite ltn_divLR ?(ltnW N1) // -[X in (_ < X)%N](Zp_cast NN1) ltn_ord.
rewrite !(modn_small (lt _)) !modn_mod => E E'; by rewrite (divn_eq u N) (divn_eq v N) E E'.
Qed.

Variables n m : nat. (* pairs of a block, blocks *)
Hypothesis n0 : (0 < n)%N.
Definition NHT2 := two_levels (@unsigned N) two_words (n := n) (m := m).
Definition NHST2 := two_levels (@product N (2 ^ w.-1)) two_words (n := n) (m := m).
Let card_word : #|'Z_N| = N. Proof. by rewrite card_ord Zp_cast. Qed.

(* Theorem 5.3: at most 2^(2 - 2w) of the keys. *)
Theorem theorem53 M M' : M != M' -> size M = size M' -> (size M <= m * n)%N ->
  (#|[set k | NHT2 k M == NHT2 k M']| * (2 ^ w) ^ 2 <= 2 ^ 2 * #|{: key [finZmodType of 'Z_N] n 2 * key [finZmodType of 'Z_N] m 2}|)%N.
Proof.
move=> ne Es fits; have := two_levels_collision (unsigned_clause N1) _ two_words_inj n0 ne Es fits.
by rewrite card_word; apply=> x y; rewrite /unsigned mulnC.
Qed.

(* Theorem 5.4: at most 2^(4 - 2w). *)
Theorem theorem54 M M' : M != M' -> size M = size M' -> (size M <= m * n)%N ->
  (#|[set k | NHST2 k M == NHST2 k M']| * (2 ^ w) ^ 2 <= 2 ^ 4 * #|{: key [finZmodType of 'Z_N] n 2 * key [finZmodType of 'Z_N] m 2}|)%N.
Proof.
move=> ne Es fits; have half_le : (2 ^ w.-1 <= N)%N by rewrite leq_exp2l // leq_pred.
have := two_levels_collision (product_clause N1 half_le) _ two_words_inj n0 ne Es fits.
by rewrite card_word; apply=> x y; rewrite /product mulrC.
Qed.
End Named.
