(* UHASH of RFC 4418, one stream: every difference by xor. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import zify.
Require Import Constants Counting NH Toeplitz Poly L3 Uhash UhashBound UhashRfc L3Xor L2Ratio UhashOwn NhRatio Shift JointNh UhashStreams.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import GRing.Theory.
Local Open Scope nat_scope.

(* Numbers below m as elements of a group, such as their bits: two with the difference d are x and f x. *)
Lemma difference_map (m : nat) (G : zmodType) (bts : nat -> G) (d : G) :
  (forall x y, x < m -> y < m -> bts x = bts y -> x = y) -> d != 0%R ->
  exists f : nat -> nat, [/\ injective f, forall x, f x != x & forall x y, x < m -> y < m -> (bts x - bts y)%R = d -> y = f x].
Proof.
move=> inj d0; pose other x := [pick y : 'I_m | bts y == (bts x - d)%R].
pose f x := if x < m then (if other x is Some y then nat_of_ord y else m + x) else m + m + x.+1.+1.
exists f; split.
- move=> x y; rewrite /f; case: (ltnP x m) => lx; case: (ltnP y m) => ly; rewrite /other.
  + case: pickP => [u /eqP Eu|_]; case: pickP => [v /eqP Ev|_] E.
    * by apply: inj => //; apply: (addIr (- d)%R); rewrite -Eu -Ev E.
    * by move: (ltn_ord u) E; move: (u : nat) => n; lia.
    * by move: (ltn_ord v) E; move: (v : nat) => n; lia.
    * by move: E; lia.
  + by case: pickP => [u _|_]; [move: (ltn_ord u); move: (u : nat) => n | ]; lia.
  + by case: pickP => [v _|_]; [move: (ltn_ord v); move: (v : nat) => n | ]; lia.
  + by lia.
- move=> x; rewrite /f; case: (ltnP x m) => lx; last by lia.
  rewrite /other; case: pickP => [u /eqP Eu|_]; last by lia.
  apply: contra d0 => /eqP E; move: Eu; rewrite E => /eqP.
  by rewrite -subr_eq0 opprB addrC subrK.
- move=> x y lx ly E; rewrite /f lx /other; case: pickP => [u /eqP Eu|/(_ (Ordinal ly))].
    by apply: inj => //; rewrite Eu -E opprB addrC subrK.
  by rewrite /= -E opprB addrC subrK eqxx.
Qed.

Section OneStream.
Variables (N n64 n128 p64 limit64 offset64 p128 limit128 offset128 mark p T c D beta H : nat).
Variables (byte : eqType) (zero : byte) (elt : seq byte -> 'Z_N).
Hypothesis N1 : 1 < N.
Hypothesis H0 : 0 < H.
Hypothesis elt_inj : forall s s', size s = 4 -> size s' = 4 -> elt s = elt s' -> s = s'.
Hypothesis lengths : 8 * C < N * N.
Hypothesis mark0 : 0 < mark.
Hypothesis markB : mark < N * N.
Hypothesis n64_1 : 1 <= n64.
Hypothesis n128_2 : 2 <= n128.
Hypothesis prime64 : prime p64.
Hypothesis limit64_p : limit64 < p64.
Hypothesis offset64_limit : offset64 <= limit64.
Hypothesis B_p64 : N * N <= p64 + offset64.
Hypothesis prime128 : prime p128.
Hypothesis limit128_p : limit128 < p128.
Hypothesis offset128_limit : offset128 <= limit128.
Hypothesis BB_p128 : N * N * (N * N) <= p128 + offset128.
Variables (K64 K128 K3 : finType) (point64 : K64 -> 'F_p64) (point128 : K128 -> 'F_p128) (red : K3 -> 'F_p).
Hypothesis point64_inj : injective point64.
Hypothesis point128_inj : injective point128.
Hypothesis prime_p : prime p.
Hypothesis T0 : 0 < T.
Hypothesis pcT : p <= c * T.
Hypothesis fibre : forall x, #|[set w | red w == x]| <= beta.
Hypothesis D0 : 0 < D.
Hypothesis DD : D * D <= p.
Hypothesis D64 : D <= p64.
Hypothesis D128 : D <= p128.
Hypothesis fits : [/\ p64 <= N * N * (N * N), N * N <= D ^ 8, p64 <= D ^ 8 & p128 <= D ^ 8].
Local Notation own_hash := (own_hash (N * N) n64 limit64 offset64 limit128 offset128 mark T D point64 point128 red).
Local Notation own_key := ((K64 * K128) * L3.key K3 8)%type.
Local Notation nh_key := (nh_key N 1).
Let ws (K : nh_key) M := words_of zero elt (shifted K ord0) M.
Local Notation n12 := #|{: K64 * K128}|.
Local Notation n3 := #|{: L3.key K3 8}|.
Local Notation b2 := (level2_bound n64 n128 K64 K128).
Local Notation b3 := (level3_bound p c beta).

Variable f : nat -> nat.
Hypothesis f_inj : injective f.
Hypothesis f_moves : forall x, f x != x.

Let B1 : 1 < N * N. Proof. by rewrite (leq_trans N1) // leq_pmull // ltnW. Qed.
Let below (K : nh_key) M : all (fun w => w < N * N) (ws K M).
Proof. exact: (words_of_below zero elt N1). Qed.

(* Longer messages: for every key of level 1. *)
Lemma xor_long M M' : (1 < chunks_of (size M)) || (1 < chunks_of (size M')) ->
  chunks_of (size M) <= n64 + 2 * (n128 - 2) -> chunks_of (size M') <= n64 + 2 * (n128 - 2) ->
  #|[set k : nh_key * own_key | own_hash k.2 (ws k.1 M') == f (own_hash k.2 (ws k.1 M))]| * #|K3| ^ 2
  <= #|{: nh_key}| * ((n12 * b3 + b2 * (p * c.+1) * (beta * #|K3|)) * n3).
Proof.
move=> long m m'; rewrite -[X in _ <= X]sum_nat_const; apply: count_fibres_sum => K.
have := own_xor_long mark0 markB n64_1 n128_2 prime64 limit64_p offset64_limit B_p64 prime128 limit128_p offset128_limit BB_p128
  point64_inj point128_inj prime_p T0 pcT fibre D0 DD D64 D128 fits (ws := ws K M) (ws' := ws K M').
rewrite !size_mkseq => /(_ isT isT (below K M) (below K M') m m' _ f_inj f_moves long); apply: leq_trans.
by rewrite leq_mul2r; apply/orP; right; apply/subset_leq_card/subsetP => k; rewrite !inE.
Qed.

(* One chunk each: ratios of NH are rare. *)
Lemma xor_short M M' : chunks_of (size M) = 1 -> chunks_of (size M') = 1 ->
  #|[set k : nh_key * own_key | own_hash k.2 (ws k.1 M') == f (own_hash k.2 (ws k.1 M))]| * #|K3| ^ 2 * N ^ 2
  <= #|{: nh_key}| * (n12 * n3 * (b3 * N ^ 2 + ratio_bound N H * (p * c.+1 * (beta * #|K3|)))).
Proof.
move=> s1 s1'; pose y K := digits p D (nth 0 (ws K M) 0); pose y' K := digits p D (nth 0 (ws K M') 0).
pose hits (l : 'F_p) := #|hit T f l| * (beta * #|K3|).
pose event (l : 'F_p) K := proportional (y K) (y' K) && (ratio_of (y K) (y' K) == l).
have count : #|[set k : nh_key * own_key | own_hash k.2 (ws k.1 M') == f (own_hash k.2 (ws k.1 M))]| * #|K3| ^ 2
    <= \sum_(K : nh_key) n12 * n3 * (b3 + \sum_(l : 'F_p | (l != 0%R) && (l != 1%R)) event l K * hits l).
  apply: count_fibres_sum => K.
  have := own_xor_short (N * N) n64 limit64 offset64 limit128 offset128 mark D point64 point128 prime_p T0 pcT fibre
    (ws := ws K M) (ws' := ws K M') f_inj f_moves.
  rewrite !size_mkseq => /(_ s1 s1'); apply: leq_trans; rewrite leq_mul2r; apply/orP; right.
  by apply/subset_leq_card/subsetP => k; rewrite !inE.
apply: leq_trans (leq_mul count (leqnn _)) _; rewrite -big_distrr /= -mulnA [X in _ <= X]mulnCA leq_mul2l; apply/orP; right.
rewrite big_split /= sum_nat_const mulnDl mulnDr mulnA leq_add2l.
rewrite exchange_big /=; apply: (@leq_trans (\sum_(l : 'F_p | (l != 0%R) && (l != 1%R)) ratio_bound N H * #|{: nh_key}| * hits l)).
  rewrite big_distrl /=; apply: leq_sum => l /andP [l0 l1]; rewrite -big_distrl /= mulnAC leq_mul2r; apply/orP; right.
  have [a [b [a0 b0 ab num]]] := ratio_numbers prime_p D0 DD l0 l1.
  apply: leq_trans (one_ratio_nh N1 H0 zero elt ord0 M' M a0 b0 ab); rewrite leq_mul2r; apply/orP; right.
  have -> : \sum_K event l K = #|[set K | event l K]|.
    by rewrite -sum1_card [RHS]big_mkcond /=; apply: eq_bigr => K _; rewrite inE; case: ifP.
  apply/subset_leq_card/subsetP => K; rewrite !inE => /andP [pr /eqP er]; apply/eqP.
  have [_ f1 _ _] := fits.
  have lt M0 : chunks_of (size M0) = 1 -> nth 0 (ws K M0) 0 < D ^ 8 /\ nth 0 (ws K M0) 0 = Shift.nh zero elt ord0 K M0.
    move=> one; rewrite nth_mkseq ?one //; split; last first.
      by rewrite /chunk muln0 drop0 take_oversize //; move: one; rewrite /chunks_of /C; lia.
    by apply: leq_trans f1; rewrite -[X in _ < X](Zp_cast B1) ltn_ord.
  have [l1' e1] := lt M s1; have [l2' e2] := lt M' s1'.
  by have := num _ _ l1' l2' pr er; rewrite e1 e2.
rewrite -big_distrr /= [X in X <= _]mulnAC mulnC leq_mul2l; apply/orP; right; rewrite leq_mul2l; apply/orP; right.
rewrite /hits -big_distrl /= leq_mul2r; apply/orP; right; apply: leq_trans (sum_hit prime_p T0 pcT f).
by rewrite [X in _ <= X](bigID (fun l : 'F_p => (l != 0%R) && (l != 1%R))) /= leq_addr.
Qed.

(* The same hash. *)
Lemma xor_none M M' : M != M' ->
  chunks_of (size M) <= n64 + 2 * (n128 - 2) -> chunks_of (size M') <= n64 + 2 * (n128 - 2) ->
  #|[set k : nh_key * own_key | own_hash k.2 (ws k.1 M) == own_hash k.2 (ws k.1 M')]| * #|K3| * N ^ 2
  <= #|{: nh_key}| * (N ^ 2 * ((b2 * #|K3| + n12 * ((2 * c).-1 * beta)) * n3) + (N + 2) * (n12 * n3 * #|K3|)).
Proof.
move=> ne m m'; pose own := n12 * n3 * #|K3|; pose e := (b2 * #|K3| + n12 * ((2 * c).-1 * beta)) * n3.
have count : #|[set k : nh_key * own_key | own_hash k.2 (ws k.1 M) == own_hash k.2 (ws k.1 M')]| * #|K3|
    <= \sum_(K : nh_key) (e + (ws K M == ws K M') * own).
  apply: count_fibres_sum => K; case: eqP => [_|/eqP nw].
    by rewrite mul1n; apply: leq_trans (leq_addl _ _); rewrite leq_mul2r -card_prod max_card orbT.
  rewrite mul0n addn0.
  have := own_collision mark0 markB n64_1 n128_2 prime64 limit64_p offset64_limit B_p64 prime128 limit128_p offset128_limit BB_p128
    point64_inj point128_inj prime_p T0 pcT fibre D0 DD fits (ws := ws K M) (ws' := ws K M').
  rewrite !size_mkseq => /(_ isT isT (below K M) (below K M') m m' nw); apply: leq_trans.
  by rewrite leq_mul2r; apply/orP; right; apply/subset_leq_card/subsetP => k; rewrite !inE.
have same : #|[set K : nh_key | ws K M == ws K M']| * N ^ 2 <= (N + 2) * #|{: nh_key}|.
  have k1 : 0 < #|{: key1 N}| by apply/card_gt0P; exists [ffun=> 0%R].
  have h2 := @shifted_count N 1 ord0 (fun k => words_of zero elt k M == words_of zero elt k M').
  have h1 := words_of_collision zero N1 elt_inj lengths ne.
  rewrite -(leq_pmul2r k1); move: h1 h2.
  move: #|[set K | words_of zero elt K M == words_of zero elt K M']| #|[set K : nh_key | _]| #|{: key1 N}| #|{: nh_key}| (N ^ 2) (N + 2).
  move=> y x k n a b h1 h2; have := leq_mul h2 (leqnn a); have := leq_mul h1 (leqnn n); lia.
apply: leq_trans (leq_mul count (leqnn _)) _; rewrite big_split /= sum_nat_const -big_distrl /=.
have -> : \sum_(K : nh_key) (ws K M == ws K M') = #|[set K : nh_key | ws K M == ws K M']|.
  by rewrite -sum1_card [RHS]big_mkcond /=; apply: eq_bigr => K _; rewrite inE; case: eqP.
rewrite -/own -/e; clear count; move: same; move: #|[set _ | _]| #|{: nh_key}| (N ^ 2) (N + 2) own e => x n a b o u h.
rewrite mulnDl mulnDr; apply: leq_add; first by apply: eq_leq; lia.
by rewrite mulnAC [n * _]mulnA [n * b]mulnC leq_mul2r h orbT.
Qed.
End OneStream.
