(* How often the words that level 2 makes of two lists, one of them longer than a word, have a given ratio. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import zify ring.
Require Import Counting NH Toeplitz Poly L3 Uhash UhashBound.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import GRing.Theory.
Local Open Scope nat_scope.

(* Digits. *)
Lemma digits_sum (D n y : nat) : 0 < D -> y < D ^ n -> y = \sum_(i < n) ((y %/ D ^ i) %% D) * D ^ i.
Proof.
move=> D0; elim: n y => [|n IH] y; first by rewrite expn0 big_ord0; case: y.
rewrite expnS => ly; rewrite big_ord_recl /= expn0 divn1 muln1.
have l' : y %/ D < D ^ n by rewrite ltn_divLR // mulnC.
rewrite {1}(divn_eq y D) addnC; congr (_ + _); rewrite {1}(IH _ l') big_distrl /=.
by apply: eq_bigr => i _; rewrite /bump /= add1n -!divnMA -expnS -mulnA -expnSr.
Qed.

Section Ratio.
Variables (p D n : nat).
Hypothesis p_prime : prime p.
Hypothesis D0 : 0 < D.
Hypothesis DD : D * D <= p.
Local Notation F := 'F_p.
Definition digit (y i : nat) := (y %/ D ^ i) %% D.
Definition digs (y : nat) (i : 'I_n) : F := (digit y i)%:R%R.

Lemma digit_lt y i : digit y i < D. Proof. by rewrite ltn_mod. Qed.

Lemma small_eq a b : a < D * D -> b < D * D -> (a%:R = b%:R :> F)%R -> a = b.
Proof. by move=> la lb; apply: (natr_inj p_prime); exact: leq_trans DD. Qed.

(* One pair of words with the ratio l gives two small numbers that are the ratio of every other. *)
Lemma one_ratio (l : F) y0 y0' (i : 'I_n) y y' : digs y0 i != 0%R ->
  (forall j, digs y0' j = l * digs y0 j)%R -> (forall j, digs y' j = l * digs y j)%R ->
  y < D ^ n -> y' < D ^ n -> digit y0 i * y' = digit y0' i * y.
Proof.
move=> nz E0 E ly ly'; rewrite (digits_sum D0 ly) (digits_sum D0 ly') !big_distrr /=; apply: eq_bigr => j _.
rewrite !mulnA; congr (_ * _); apply: small_eq; try by rewrite ltn_mul ?digit_lt ?ltn_mod.
rewrite !natrM -/(digit _ _) -/(digit _ _) -/(digs y' j) -/(digs y j) -/(digs y0 i) -/(digs y0' i) E E0; ring.
Qed.

Lemma ratio_digits (l : F) y0 y0' (i : 'I_n) : digs y0 i != 0%R -> (digs y0' i = l * digs y0 i)%R ->
  l != 0%R -> l != 1%R -> [/\ 0 < digit y0 i, 0 < digit y0' i & digit y0 i != digit y0' i].
Proof.
move=> nz E l0 l1; split.
- by rewrite lt0n; apply: contraNneq nz; rewrite /digs => ->.
- have : digs y0' i != 0%R by rewrite E mulf_neq0.
  by rewrite lt0n; apply: contraNneq; rewrite /digs => ->.
- apply: contraNneq l1 => Ed; apply/eqP; apply: (mulIf nz); rewrite -E mul1r /digs Ed //.
Qed.
End Ratio.

(* Two monic polynomials are proportional for few keys, unless by 1. *)
Lemma steps_ratio (F : finFieldType) (K : finType) (point : K -> F) (inj : injective point) (a b : F) ts ts' n :
  (a != 0)%R -> (b != 0)%R -> a != b -> size ts <= n -> size ts' <= n ->
  #|[set k | (b * steps (point k) ts' == a * steps (point k) ts)%R]| <= n.
Proof.
move=> a0 b0 ab le le'; set P := coefficients ts; set P' := coefficients ts'.
have lead us : (lead_coef (coefficients us) = 1 :> F)%R.
  by rewrite lead_coefE size_coefficients coefficients_seq /= -[1%R :: us]/([:: 1%R] ++ us) rev_cat nth_cat size_rev ltnn subnn.
have nz : (b *: P' - a *: P != 0)%R.
  rewrite subr_eq0; apply: contra ab => /eqP /(congr1 lead_coef); rewrite !lead_coefZ !lead !mulr1 => ->; exact: eqxx.
apply: leq_trans (roots_le inj nz (n := n) _).
  apply/subset_leq_card/subsetP => k; rewrite !inE /root !hornerE -!steps_poly => /eqP ->.
  by rewrite subrr.
apply: leq_trans (size_add _ _) _; rewrite size_opp geq_max !size_scale // !size_coefficients !ltnS le le' //.
Qed.

Section Level2Ratio.
Variables (B mark n64 n128 p64 limit64 offset64 p128 limit128 offset128 : nat).
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
Hypothesis p64_BB : p64 <= B * B.
Variables (K64 K128 : finType) (point64 : K64 -> 'F_p64) (point128 : K128 -> 'F_p128).
Hypothesis point64_inj : injective point64.
Hypothesis point128_inj : injective point128.
Variable D : nat.
Hypothesis D64 : D <= p64.
Hypothesis D128 : D <= p128.
Local Notation L2 := (level2 B mark n64 limit64 offset64 limit128 offset128 point64 point128).
Local Notation P64 := (POLY64 limit64 offset64 point64).
Local Notation P128 := (POLY128 limit128 offset128 point128).

Lemma nonzero q a : prime q -> 0 < a < D -> D <= q -> (a%:R != 0 :> 'F_q)%R.
Proof.
move=> pq /andP [a0 aD] Dq; apply/negP => /eqP E; have := @natr_inj q pq a 0 (leq_trans aD Dq) (prime_gt0 pq) E => E0.
by rewrite E0 in a0.
Qed.

Lemma unequal q a b : prime q -> a < D -> b < D -> D <= q -> a != b -> (a%:R != b%:R :> 'F_q)%R.
Proof.
move=> pq aD bD Dq; apply: contra => /eqP E; apply/eqP; exact: (@natr_inj q pq a b (leq_trans aD Dq) (leq_trans bD Dq) E).
Qed.

Let bound := 2 * n64 * #|K128| + #|K64| * (2 * n128).

Lemma two_values a b ws ws' : 0 < a < D -> 0 < b < D -> a != b -> size ws <= size ws' -> 1 < size ws' ->
  size ws' <= n64 + 2 * (n128 - 2) ->
  #|[set k | b * L2 k ws' == a * L2 k ws]| <= bound.
Proof.
move=> ra rb nab le s1 m; have [/andP [a0 aD] /andP [b0 bD]] := (ra, rb).
have n1' : (size ws' <= 1) = false by rewrite leqNgt s1.
case: (leqP (size ws') n64) => [s64|s64].
  have s64' : size ws <= n64 by exact: leq_trans s64.
  pose A := (a%:R : 'F_p64)%R; pose Bb := (b%:R : 'F_p64)%R.
  have A0 : (A != 0)%R by apply: nonzero. have B0 : (Bb != 0)%R by apply: nonzero.
  apply: leq_trans (leq_addr _ _); case: (leqP (size ws) 1) => o.
    pose v := (A * (nth 0%N ws 0)%:R / Bb)%R.
    apply: leq_trans (@of_first K64 K128 (fun k1 => P64 k1 ws' == v) (2 * n64) _).
      apply/subset_leq_card/subsetP => k; rewrite !inE /level2 o n1' s64 => /eqP /(congr1 (fun x : nat => x%:R : 'F_p64)%R).
      by rewrite !natrM natr_Zp => E; apply/eqP/(canRL (mulfK B0)); rewrite mulrC E.
    by apply: (POLY_value _ limit64_p offset64_limit B_p64 point64_inj) => //; rewrite (leq_trans _ s1).
  have n1 : (size ws <= 1) = false by rewrite leqNgt o.
  apply: leq_trans (@of_first K64 K128 (fun k1 => Bb * P64 k1 ws' == A * P64 k1 ws)%R (2 * n64) _).
    apply/subset_leq_card/subsetP => k; rewrite !inE /level2 n1 n1' s64 s64' => /eqP /(congr1 (fun x : nat => x%:R : 'F_p64)%R).
    by rewrite !natrM !natr_Zp => ->.
  apply: (steps_ratio point64_inj) => //; first exact: unequal.
    by have /andP [_ h] := size_code (fun a => a%:R%R : 'F_p64) limit64_p offset64_limit B_p64 ws; apply: leq_trans h _; rewrite leq_mul2l s64'.
  by have /andP [_ h] := size_code (fun a => a%:R%R : 'F_p64) limit64_p offset64_limit B_p64 ws'; apply: leq_trans h _; rewrite leq_mul2l s64.
pose A := (a%:R : 'F_p128)%R; pose Bb := (b%:R : 'F_p128)%R.
have A0 : (A != 0)%R by apply: nonzero. have B0 : (Bb != 0)%R by apply: nonzero.
have n64' : (size ws' <= n64) = false by rewrite leqNgt s64.
have later_le k1 us : size us <= n64 + 2 * (n128 - 2) -> size (later B mark n64 limit64 offset64 point64 k1 us) <= n128.
  by move=> h; exact: (size_later mark0 markB n64_1 prime64 limit64_p offset64_limit B_p64 prime128 limit128_p offset128_limit BB_p128 p64_BB point64 k1 h n128_2).
apply: leq_trans (leq_addl _ _); case: (leqP (size ws) n64) => o.
  pose v k1 := if size ws <= 1 then nth 0 ws 0 else (P64 k1 ws : nat).
  apply: leq_trans (@of_second K64 K128 (fun k1 k2 => P128 k2 (later B mark n64 limit64 offset64 point64 k1 ws') == (A * (v k1)%:R / Bb)%R) (2 * n128) _).
    apply/subset_leq_card/subsetP => k; rewrite !inE /level2 n1' n64' o.
    move=> /eqP E; have {E} : b * P128 k.2 (later B mark n64 limit64 offset64 point64 k.1 ws') = a * v k.1 by rewrite E /v; case: ifP.
    move=> /(congr1 (fun x : nat => x%:R : 'F_p128)%R); rewrite !natrM natr_Zp => E.
    by apply/eqP/(canRL (mulfK B0)); rewrite mulrC E.
  by move=> k1; apply: (POLY_value _ limit128_p offset128_limit BB_p128 point128_inj) => //; apply: later_le.
have n1 : (size ws <= 1) = false by rewrite leqNgt (leq_ltn_trans n64_1 o).
have n64_ : (size ws <= n64) = false by rewrite leqNgt o.
pose ts k1 us := later B mark n64 limit64 offset64 point64 k1 us.
apply: leq_trans (@of_second K64 K128 (fun k1 k2 => Bb * P128 k2 (ts k1 ws') == A * P128 k2 (ts k1 ws))%R (2 * n128) _).
  apply/subset_leq_card/subsetP => k; rewrite !inE /level2 n1 n1' n64_ n64' => /eqP /(congr1 (fun x : nat => x%:R : 'F_p128)%R).
  by rewrite !natrM !natr_Zp => ->.
move=> k1; apply: (steps_ratio point128_inj) => //; first exact: unequal.
  by have /andP [_ h] := size_code (fun a => a%:R%R : 'F_p128) limit128_p offset128_limit BB_p128 (ts k1 ws);
     apply: leq_trans h _; rewrite leq_mul2l later_le // (leq_trans le).
by have /andP [_ h] := size_code (fun a => a%:R%R : 'F_p128) limit128_p offset128_limit BB_p128 (ts k1 ws');
   apply: leq_trans h _; rewrite leq_mul2l later_le.
Qed.
End Level2Ratio.
