(* UHASH of RFC 4418, several streams: every difference by xor. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import zify.
Require Import Counting NH Toeplitz Poly L3 Uhash UhashBound L3Xor L2Ratio UhashOwn NhRatio Shift Joint.
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

Section Streams.
Variables (t N n64 n128 p64 limit64 offset64 p128 limit128 offset128 mark p T c D beta : nat).
Variables (byte : eqType) (zero : byte) (elt : seq byte -> 'Z_N).
Hypothesis N1 : 1 < N.
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
Local Notation nh_key := (nh_key N t).
Definition words (i : 'I_t) (K : nh_key) M := words_of zero elt (shifted K i) M.
Local Notation nh := (@nh N t byte zero elt).
Local Notation n12 := #|{: K64 * K128}|.
Local Notation n3 := #|{: L3.key K3 8}|.
Local Notation b2 := (level2_bound n64 n128 K64 K128).
Local Notation b3 := (level3_bound p c beta).

(* In some streams the hashes are the same; in the others they have a difference, by xor or by another injection that moves
   every number. *)
Variables (same : pred 'I_t) (f : 'I_t -> nat -> nat).
Hypothesis f_inj : forall i, injective (f i).
Hypothesis f_moves : forall i x, f i x != x.
Definition meets M M' (i : 'I_t) (K : nh_key) (k : own_key) :=
  if same i then own_hash k (words i K M) == own_hash k (words i K M')
  else own_hash k (words i K M') == f i (own_hash k (words i K M)).

(* How rare it is that NH collides in some of them and has given ratios in others. *)
Variables (J : finType) (cn cs cr : J -> 'I_t -> nat).
Hypothesis joint : forall (Q R : {set 'I_t}) (ab : 'I_t -> nat * nat) M M', {in Q, forall i, same i} -> {in R, forall i, ~~ same i} ->
  (forall i, [/\ 0 < (ab i).1, 0 < (ab i).2 & (ab i).1 != (ab i).2]) -> M != M' -> size M <= C -> size M' <= C ->
  2 * #|[set K : nh_key | [forall (i | i \in Q), nh i K M == nh i K M'] && [forall (i | i \in R), (ab i).2 * nh i K M == (ab i).1 * nh i K M']]| * (N ^ 2) ^ t
  <= #|{: nh_key}| * \sum_j \prod_i (if i \in Q then cs j i else if i \in R then cr j i else cn j i).

Let B1 : 1 < N * N. Proof. by rewrite (leq_trans N1) // leq_pmull // ltnW. Qed.
Let below i (K : nh_key) M : all (fun w => w < N * N) (words i K M).
Proof. exact: (words_of_below zero elt N1). Qed.

(* What a stream's own keys do where the words of level 1 are not the same; with all keys; with those of longer messages. *)
Definition apart_bound := (b2 * #|K3| + n12 * ((2 * c).-1 * beta)) * n3 * #|K3|.
Definition full := n12 * n3 * #|K3| ^ 2.
Definition long_bound := (n12 * b3 + b2 * (p * c.+1) * (beta * #|K3|)) * n3.
Definition short_bound := n12 * n3 * b3.
Definition some_ratio := n12 * n3 * (p * c.+1 * (beta * #|K3|)).

Section Messages.
Variables (M M' : seq byte).
Hypothesis ne : M != M'.
Hypothesis few : chunks_of (size M) <= n64 + 2 * (n128 - 2).
Hypothesis few' : chunks_of (size M') <= n64 + 2 * (n128 - 2).

Lemma same_each i K : same i -> #|[set k | meets M M' i K k]| * #|K3| ^ 2 <= apart_bound + (words i K M == words i K M') * full.
Proof.
move=> si; rewrite /meets si; case: eqP => [_|/eqP nw].
  by rewrite mul1n; apply: leq_trans (leq_addl _ _); rewrite leq_mul2r -card_prod max_card orbT.
rewrite mul0n addn0 -mulnn mulnA leq_mul2r; apply/orP; right.
have := own_collision mark0 markB n64_1 n128_2 prime64 limit64_p offset64_limit B_p64 prime128 limit128_p offset128_limit BB_p128
  point64_inj point128_inj prime_p T0 pcT fibre D0 DD fits (ws := words i K M) (ws' := words i K M').
rewrite !size_mkseq => /(_ isT isT (below i K M) (below i K M') few few' nw); apply: leq_trans.
by rewrite leq_mul2r; apply/orP; right; apply/subset_leq_card/subsetP => k; rewrite !inE.
Qed.

(* Lists of words are the same where those of one chunk are. *)
Lemma words_collisions (Q : {set 'I_t}) : {in Q, forall i, same i} ->
  2 * #|[set K : nh_key | [forall (i | i \in Q), words i K M == words i K M']]| * (N ^ 2) ^ t
  <= #|{: nh_key}| * \sum_j \prod_i (if i \in Q then cs j i else cn j i).
Proof.
move=> sQ; pose ab (_ : 'I_t) := (1, 2).
have no : {in (set0 : {set 'I_t}), forall i, ~~ same i} by move=> i; rewrite inE.
have le (m m' : seq byte) : m != m' -> size m <= C -> size m' <= C ->
    (forall K : nh_key, [forall (i | i \in Q), words i K M == words i K M'] -> forall i, i \in Q -> nh i K m == nh i K m') ->
    2 * #|[set K : nh_key | [forall (i | i \in Q), words i K M == words i K M']]| * (N ^ 2) ^ t
    <= #|{: nh_key}| * \sum_j \prod_i (if i \in Q then cs j i else cn j i).
  move=> nm s s' h; have := joint sQ no (ab := ab) (fun _ => And3 isT isT isT) nm s s'.
  rewrite (eq_bigr (fun j => \prod_i (if i \in Q then cs j i else cn j i))); last first.
    by move=> j _; apply: eq_bigr => i _; rewrite inE.
  apply: leq_trans; rewrite leq_mul2r leq_mul2l /=; apply/orP; right.
  apply/subset_leq_card/subsetP => K; rewrite !inE => /h {}h; apply/andP; split; apply/forall_inP => i; last by rewrite inE.
  exact: h.
case: (eqVneq (chunks_of (size M)) (chunks_of (size M'))) => [En|nn]; last first.
  have [Q0|[i0 iQ]] := set_0Vmem Q.
    apply: (le [::] [:: zero]) => // K _ i; by rewrite Q0 inE.
  rewrite (_ : [set K | _] = set0) ?cards0 //; apply/setP => K; rewrite !inE; apply/negbTE/forall_inPn; exists i0 => //.
  by apply: contra nn => /eqP /(congr1 size); rewrite !size_mkseq => ->.
have [j lj nej] := chunks_differ zero ne En.
apply: le nej (size_chunk _ _) (size_chunk _ _) _ => K /forall_inP all i iQ.
have /eqP /(congr1 (nth 0 ^~ j)) := all i iQ; rewrite !nth_mkseq -?En // => E; exact/eqP/val_inj.
Qed.

Lemma streams_long : (1 < chunks_of (size M)) || (1 < chunks_of (size M')) ->
  2 * #|[set k : nh_key * {ffun 'I_t -> own_key} | [forall i, meets M M' i k.1 (k.2 i)]]| * (#|K3| ^ 2 * N ^ 2) ^ t
  <= #|{: nh_key}| * \sum_j \prod_i (if same i then cn j i * apart_bound + cs j i * full else cn j i * long_bound).
Proof.
move=> long; apply: (@leq_trans (#|{: nh_key}| * \sum_j \prod_i (if same i then cn j i * apart_bound + cs j i * full
    else cn j i * long_bound + cr j i * \sum_(l : unit) 0))); last first.
  rewrite leq_mul2l; apply/orP; right; apply: leq_sum => j _; apply: leq_prod => i _; by rewrite big1 ?muln0 ?addn0.
apply: (streams_together tt (collides := fun i K => words i K M == words i K M') (has := fun _ _ _ => true) (some := fun _ _ => 0)) => //.
- by move=> i K si; exact: same_each.
- move=> i K /negbTE si; rewrite big1 // addn0.
  rewrite /meets si; have := own_xor_long mark0 markB n64_1 n128_2 prime64 limit64_p offset64_limit B_p64 prime128 limit128_p offset128_limit BB_p128
    point64_inj point128_inj prime_p T0 pcT fibre D0 DD D64 D128 fits (ws := words i K M) (ws' := words i K M').
  rewrite !size_mkseq => /(_ isT isT (below i K M) (below i K M') few few' (f i) (@f_inj i) (@f_moves i) long); apply: leq_trans.
  by rewrite leq_mul2r; apply/orP; right; apply/subset_leq_card/subsetP => k; rewrite !inE.
move=> Q R l sQ sR; have R0 i : i \in R = false by apply/negP => /sR [].
have := words_collisions sQ; have -> : \sum_j \prod_i (if i \in Q then cs j i else if i \in R then cr j i else cn j i)
    = \sum_j \prod_i (if i \in Q then cs j i else cn j i).
  by apply: eq_bigr => j _; apply: eq_bigr => i _; rewrite R0.
apply: leq_trans; rewrite leq_mul2r leq_mul2l /=; apply/orP; right.
by apply/subset_leq_card/subsetP => K; rewrite !inE => /andP [].
Qed.

Lemma streams_short : chunks_of (size M) = 1 -> chunks_of (size M') = 1 ->
  2 * #|[set k : nh_key * {ffun 'I_t -> own_key} | [forall i, meets M M' i k.1 (k.2 i)]]| * (#|K3| ^ 2 * N ^ 2) ^ t
  <= #|{: nh_key}| * \sum_j \prod_i (if same i then cn j i * apart_bound + cs j i * full else cn j i * short_bound + cr j i * some_ratio).
Proof.
move=> s1 s1'; pose y i K M0 := digits p D (nth 0 (words i K M0) 0).
pose event i (l : 'F_p) K := proportional (y i K M) (y i K M') && (ratio_of (y i K M) (y i K M') == l).
pose some i (l : 'F_p) := if (l != 0%R) && (l != 1%R) then n12 * n3 * (#|hit T (f i) l| * (beta * #|K3|)) else 0.
have sC (M0 : seq byte) : chunks_of (size M0) = 1 -> size M0 <= C by rewrite /chunks_of /C; lia.
have word i (K : nh_key) M0 : chunks_of (size M0) = 1 -> nth 0 (words i K M0) 0 = nh i K M0.
  move=> one; rewrite nth_mkseq ?one // /chunk muln0 drop0 take_oversize //; exact: sC.
have lt i (K : nh_key) M0 : chunks_of (size M0) = 1 -> nth 0 (words i K M0) 0 < D ^ 8.
  have [_ f1 _ _] := fits; move=> one; rewrite word //; apply: leq_trans f1.
  by rewrite -[X in _ < X](Zp_cast B1) ltn_ord.
apply: (@leq_trans (#|{: nh_key}| * \sum_j \prod_i (if same i then cn j i * apart_bound + cs j i * full
    else cn j i * short_bound + cr j i * \sum_(l : 'F_p) some i l))); last first.
  rewrite leq_mul2l; apply/orP; right; apply: leq_sum => j _; apply: leq_prod => i _; case: ifP => // _.
  rewrite leq_add2l leq_mul2l; apply/orP; right; rewrite /some -big_mkcond /= -big_distrr /= leq_mul2l -big_distrl /= leq_mul2r.
  apply/orP; right; apply/orP; right; apply: leq_trans (sum_hit prime_p T0 pcT (f i)).
  by rewrite [X in _ <= X](bigID (fun l : 'F_p => (l != 0%R) && (l != 1%R))) /= leq_addr.
apply: (streams_together (0%R : 'F_p) (collides := fun i K => words i K M == words i K M') (has := event)).
- by move=> i K si; exact: same_each.
- move=> i K /negbTE si; rewrite /meets si.
  have := own_xor_short (N * N) n64 limit64 offset64 limit128 offset128 mark D point64 point128 prime_p T0 pcT fibre
    (ws := words i K M) (ws' := words i K M') (@f_inj i) (@f_moves i).
  rewrite !size_mkseq => /(_ s1 s1') h; apply: leq_trans (leq_trans _ h) _.
    by rewrite leq_mul2r; apply/orP; right; apply/subset_leq_card/subsetP => k; rewrite !inE.
  rewrite /short_bound mulnDr leq_add2l big_distrr /= big_mkcond /=; apply: leq_sum => l _.
  by rewrite /some /event; case: ifP => _; rewrite ?muln0 // mulnCA.
move=> Q R l sQ sR; have num i : exists ab : nat * nat, [/\ 0 < ab.1, 0 < ab.2 & ab.1 != ab.2] /\
    (i \in R -> forall K, event i (l i) K -> ab.2 * nh i K M == ab.1 * nh i K M').
  case: (boolP (i \in R)) => [iR|_]; last by exists (1, 2).
  have [_] := sR i iR; rewrite /some; case: ifP => // /andP [l0 l1] _.
  have [a [b [a0 b0 ab h]]] := ratio_numbers prime_p D0 DD l0 l1; exists (b, a); split; first by split; rewrite // eq_sym.
  move=> _ K /andP [pr /eqP er]; have := h _ _ (lt i K M s1) (lt i K M' s1') pr er.
  by rewrite !word // => ->.
have [ab abP] := fin_all_exists num.
have := joint sQ (fun i iR => (sR i iR).1) (fun i => (abP i).1) ne (sC M s1) (sC M' s1'); apply: leq_trans.
rewrite leq_mul2r leq_mul2l /=; apply/orP; right; apply/subset_leq_card/subsetP => K; rewrite !inE => /andP [/forall_inP hQ /forall_inP hR].
apply/andP; split; apply/forall_inP => i iS; last by have [_ h] := abP i; exact: h iS K (hR i iS).
by have /eqP /(congr1 (nth 0 ^~ 0)) := hQ i iS; rewrite !word // => E; apply/eqP/val_inj.
Qed.
End Messages.
End Streams.
