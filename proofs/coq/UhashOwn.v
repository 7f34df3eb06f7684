(* What a stream's own keys, those of levels 2 and 3, do with the words that NH made of two messages. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import zify ring.
Require Import Counting NH Toeplitz Poly L3 Uhash UhashBound L3Xor L2Ratio.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import GRing.Theory.
Local Open Scope nat_scope.

Section Own.
Variables (B n64 n128 p64 limit64 offset64 p128 limit128 offset128 mark p T c D beta : nat).
Hypothesis mark0 : 0 < mark.
Hypothesis markB : mark < B.
Hypothesis n64_1 : 1 <= n64.
Hypothesis n128_2 : 2 <= n128.
Hypothesis prime64 : prime p64.
Hypothesis limit64_p : limit64 < p64.
Hypothesis offset64_limit : offset64 <= limit64.
Hypothesis B_p64 : B <= p64 + offset64.
Hypothesis prime128 : prime p128.
Hypothesis limit128_p : limit128 < p128.
Hypothesis offset128_limit : offset128 <= limit128.
Hypothesis BB_p128 : B * B <= p128 + offset128.
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
Hypothesis fits : [/\ p64 <= B * B, B <= D ^ 8, p64 <= D ^ 8 & p128 <= D ^ 8].
Local Notation L2 := (level2 B mark n64 limit64 offset64 limit128 offset128 point64 point128).
Local Notation own_key := ((K64 * K128) * key K3 8)%type.
Local Notation digits := (digits p D).
Implicit Types (ws : seq nat).
Definition own_hash (k : own_key) ws : nat := L3 T red k.2 (digits (L2 k.1 ws)).
Definition level2_bound := 2 * n64 * #|K128| + #|K64| * (2 * n128).
Definition level3_bound := p * c * beta ^ 2.

Lemma level2_small k ws : 0 < size ws -> all (fun w => w < B) ws -> L2 k ws < D ^ 8.
Proof.
have [_ f1 f2 f3] := fits; move=> s0 /allP lw; rewrite /level2; case: ifP => [le|_].
  by apply: leq_trans f1; apply: lw; rewrite mem_nth.
case: ifP => _; [apply: leq_trans f2 | apply: leq_trans f3].
  by rewrite -[X in _ < X](Fp_cast prime64) ltn_ord.
by rewrite -[X in _ < X](Fp_cast prime128) ltn_ord.
Qed.

Lemma digits_ne y y' : y < D ^ 8 -> y' < D ^ 8 -> y != y' -> exists i, digits y i != digits y' i.
Proof.
move=> ly ly' ne; have [i ni] := digits_differ D0 ly ly' ne; exists i; apply: contra ni => /eqP /(natr_inj prime_p) E.
have D_p : D <= p by apply: leq_trans DD; rewrite leq_pmulr.
by apply/eqP/E; rewrite (leq_trans _ D_p) // ltn_mod.
Qed.

Section Lists.
Variables (ws ws' : seq nat).
Hypothesis some : 0 < size ws.
Hypothesis some' : 0 < size ws'.
Hypothesis lw : all (fun w => w < B) ws.
Hypothesis lw' : all (fun w => w < B) ws'.
Hypothesis few : size ws <= n64 + 2 * (n128 - 2).
Hypothesis few' : size ws' <= n64 + 2 * (n128 - 2).

(* Different lists collide: level 2 or level 3. *)
Lemma own_collision : ws != ws' -> #|[set k | own_hash k ws == own_hash k ws']| * #|K3|
  <= (level2_bound * #|K3| + #|{: K64 * K128}| * ((2 * c).-1 * beta)) * #|{: key K3 8}|.
Proof.
move=> ne; have [f0 _ _ _] := fits; set n12 := #|{: K64 * K128}|.
pose C2 : {set K64 * K128} := [set k | L2 k ws == L2 k ws'].
have c2 : #|C2| <= level2_bound.
  exact: (level2_collision mark0 markB n64_1 prime64 limit64_p offset64_limit B_p64 prime128 limit128_p
      offset128_limit BB_p128 f0 point64_inj point128_inj ne some some' lw lw' n128_2 few few').
have each : #|[set k | own_hash k ws == own_hash k ws']| * #|K3|
    <= \sum_(k : K64 * K128) (if k \in C2 then #|{: key K3 8}| * #|K3| else (2 * c).-1 * beta * #|{: key K3 8}|).
  apply: count_fibres_sum => k; case: ifP => [_|]; first by rewrite leq_mul2r max_card orbT.
  rewrite inE => /negbT nl; have [i nd] := digits_ne (level2_small k some lw) (level2_small k some' lw') nl.
  apply: leq_trans (L3_collision prime_p T0 pcT fibre nd).
  by rewrite leq_mul2r; apply/orP; right; apply/subset_leq_card/subsetP => w; rewrite !inE.
have total : #|[set k | own_hash k ws == own_hash k ws']| * #|K3|
    <= #|C2| * (#|{: key K3 8}| * #|K3|) + n12 * ((2 * c).-1 * beta * #|{: key K3 8}|).
  apply: leq_trans each _; rewrite (bigID (mem C2)) /= (eq_bigr (fun=> #|{: key K3 8}| * #|K3|)) => [|k ->//].
  rewrite sum_nat_const leq_add2l (eq_bigr (fun=> (2 * c).-1 * beta * #|{: key K3 8}|)) => [|k /negbTE ->//].
  by rewrite sum_nat_const leq_mul2r max_card orbT.
apply: leq_trans total _; rewrite mulnDl mulnA leq_add //; last by rewrite !mulnA.
by rewrite -mulnA [X in _ <= X]mulnAC -mulnA leq_mul.
Qed.

(* The difference by xor, or by another injection that moves every number. *)
Variable f : nat -> nat.
Hypothesis f_inj : injective f.
Hypothesis f_moves : forall x, f x != x.

Lemma met_differ k : own_hash k ws' == f (own_hash k ws) -> differ (digits (L2 k.1 ws)) (digits (L2 k.1 ws')).
Proof.
move=> /eqP E; apply: contraT => /existsPn same; have := f_moves (own_hash k ws).
rewrite -E; case/eqP; rewrite /own_hash /L3; congr low; apply: eq_bigr => i _.
by have := same i; rewrite negbK => /eqP ->.
Qed.

(* A list of more than one word: every ratio is rare. *)
Lemma own_xor_long : (1 < size ws) || (1 < size ws') -> #|[set k | own_hash k ws' == f (own_hash k ws)]| * #|K3| ^ 2
  <= (#|{: K64 * K128}| * level3_bound + level2_bound * (p * c.+1) * (beta * #|K3|)) * #|{: key K3 8}|.
Proof.
move=> long; pose Y k := digits (L2 k ws); pose Y' k := digits (L2 k ws'); have [f0 _ _ _] := fits.
have rare (l : 'F_p) : l != 0%R -> l != 1%R -> #|[set x | proportional (Y x) (Y' x) && (ratio_of (Y x) (Y' x) == l)]| <= level2_bound.
  move=> l0 l1; case: (set_0Vmem [set x | proportional (Y x) (Y' x) && (ratio_of (Y x) (Y' x) == l)]) => [->|[x0]]; first by rewrite cards0.
  rewrite inE => /andP [/and4P [_ /existsP [i yi] _ /forallP E0] /eqP El].
  have Y0 j : Y' x0 j = (l * Y x0 j)%R by rewrite -El; exact: eqP (E0 j).
  have [b0 a0 ab] := @ratio_digits p D 8 l (L2 x0 ws) (L2 x0 ws') i yi (Y0 i) l0 l1.
  set b := digit D (L2 x0 ws) i in b0 ab; set a := digit D (L2 x0 ws') i in a0 ab.
  have aD : a < D by exact: digit_lt. have bD : b < D by exact: digit_lt.
  apply: (@leq_trans #|[set x | b * L2 x ws' == a * L2 x ws]|).
    apply/subset_leq_card/subsetP => x; rewrite !inE => /andP [/and4P [_ _ _ /forallP E] /eqP Ex]; apply/eqP.
    apply: (@one_ratio p D 8 prime_p D0 DD l) => // [j||]; try exact: level2_small.
    by have := E j; rewrite Ex => /eqP.
  have two := two_values mark0 markB n64_1 n128_2 prime64 limit64_p offset64_limit B_p64 prime128 limit128_p offset128_limit
    BB_p128 f0 point64_inj point128_inj D64 D128.
  case: (leqP (size ws) (size ws')) => le.
    by apply: two; rewrite ?a0 ?b0 // 1?eq_sym //; case/orP: long => // h; exact: leq_trans le.
  rewrite (_ : [set x | _] = [set x | a * L2 x ws == b * L2 x ws']); last by apply/setP => x; rewrite !inE eq_sym.
  by apply: two; rewrite ?a0 ?b0 //; [exact: ltnW | case/orP: long => // h; exact: ltn_trans le].
apply: leq_trans (L3_any prime_p T0 pcT fibre f_inj rare).
by rewrite leq_mul2r; apply/orP; right; apply/subset_leq_card/subsetP => k; rewrite !inE => met; rewrite met andbT; exact: met_differ.
Qed.

(* Two words: few keys, or as many as meet the relation with a multiple. *)
Lemma own_xor_short : size ws = 1 -> size ws' = 1 -> #|[set k | own_hash k ws' == f (own_hash k ws)]| * #|K3| ^ 2
  <= #|{: K64 * K128}| * #|{: key K3 8}| * (level3_bound + \sum_(l : 'F_p | (l != 0%R) && (l != 1%R))
       [&& proportional (digits (nth 0 ws 0)) (digits (nth 0 ws' 0)) & ratio_of (digits (nth 0 ws 0)) (digits (nth 0 ws' 0)) == l]
       * (#|hit T f l| * (beta * #|K3|))).
Proof.
move=> s1 s1'; have E ws0 : size ws0 = 1 -> forall k, L2 k ws0 = nth 0 ws0 0 by move=> e k; rewrite /level2 e.
set y := digits _; set y' := digits _.
pose A := [set k : key K3 8 | differ y y' && (L3 T red k y' == f (L3 T red k y))].
have -> : #|[set k | own_hash k ws' == f (own_hash k ws)]| = #|{: K64 * K128}| * #|A|.
  rewrite -[#|{: K64 * K128}|]cardsT -cardsX; apply: eq_card => -[k k3]; rewrite !inE /=.
  apply/idP/idP => [met|/andP [_ met]]; last by move: met; rewrite /own_hash /= !E.
  by have := met_differ met; move: met; rewrite /own_hash /= !E // => -> ->.
rewrite -!mulnA leq_mul2l; apply/orP; right; apply: leq_trans (L3_each prime_p T0 pcT fibre f_inj y y') _.
case: ifP => [pr|_]; last by rewrite mulnC leq_mul2l leq_addr orbT.
rewrite mulnA mulnC leq_mul2l; apply/orP; right; apply: leq_trans (leq_addl _ _).
have [/and4P [_ _ r0 _]] := pr; have r1 := ratio_not_1 pr.
by rewrite (bigD1 (ratio_of y y')) /= ?r0 ?r1 // eqxx mul1n leq_addr.
Qed.
End Lists.

(* A ratio of words is one of two small numbers, if it occurs. *)
Lemma ratio_numbers (l : 'F_p) : l != 0%R -> l != 1%R ->
  exists a b, [/\ 0 < a, 0 < b, a != b & forall y y', y < D ^ 8 -> y' < D ^ 8 ->
    proportional (digits y) (digits y') -> ratio_of (digits y) (digits y') = l -> b * y' = a * y].
Proof.
move=> l0 l1; pose has := [exists y : 'I_(D ^ 8), [exists y' : 'I_(D ^ 8),
  proportional (digits y) (digits y') && (ratio_of (digits y) (digits y') == l)]].
case: (boolP has) => [/existsP [y0 /existsP [y0' /andP [/and4P [_ /existsP [i yi] _ /forallP E0] /eqP El]]]|none].
  have Y0 j : digits y0' j = (l * digits y0 j)%R by rewrite -El; exact: eqP (E0 j).
  have [b0 a0 ab] := @ratio_digits p D 8 l y0 y0' i yi (Y0 i) l0 l1.
  exists (digit D y0' i), (digit D y0 i); split => //; first by rewrite eq_sym.
  move=> y y' ly ly' /and4P [_ _ _ /forallP E] Ey.
  by apply: (@one_ratio p D 8 prime_p D0 DD l) => // j; have := E j; rewrite Ey => /eqP.
exists 1, 2; split => // y y' ly ly' pr Er; case/negP: none.
by apply/existsP; exists (Ordinal ly); apply/existsP; exists (Ordinal ly'); rewrite /= pr Er eqxx.
Qed.
End Own.
