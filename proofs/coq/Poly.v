(* POLY of RFC 4418, level 2: a polynomial over a prime field whose coefficients are words, where a word at or above a
   limit takes two coefficients. Lists of words of any lengths. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import zify.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import GRing.Theory.
Local Open Scope ring_scope.

Section Horner.
Variables (F : finFieldType) (K : finType) (point : K -> F).
Hypothesis point_inj : injective point. (* keys are some of the elements: certain bits are cleared *)
Implicit Types (ts : seq F).

Definition steps (x : F) ts : F := foldl (fun y t => x * y + t) 1 ts.
Definition coefficients ts : {poly F} := Poly (rev (1 :: ts)).

Lemma steps_poly x ts : steps x ts = (coefficients ts).[x].
Proof.
rewrite /steps /coefficients; elim/last_ind: ts => [|ts t IH]; first by rewrite /= horner_cons horner0 mul0r add0r.
by rewrite foldl_rcons -rcons_cons rev_rcons /= horner_cons IH mulrC.
Qed.

Lemma coefficients_seq ts : coefficients ts = rev (1 :: ts) :> seq F.
Proof.
apply: (@PolyK _ 1); rewrite rev_cons; by rewrite last_rcons oner_neq0.
Qed.

Lemma coefficients_inj : injective coefficients.
Proof.
move=> ts ts' /(congr1 polyseq); rewrite !coefficients_seq => /(congr1 rev).
by rewrite !revK => -[].
Qed.

Lemma size_coefficients ts : size (coefficients ts) = (size ts).+1.
Proof. by rewrite coefficients_seq size_rev. Qed.

Lemma roots_le (p : {poly F}) n : p != 0 -> (size p <= n.+1)%N -> (#|[set k | root p (point k)]| <= n)%N.
Proof.
move=> p0 sz; pose S := [set s | root p s].
have lt : (#|S| < size p)%N.
  rewrite cardE; apply: max_poly_roots p0 _ (enum_uniq _).
  by apply/allP => s; rewrite mem_enum inE.
rewrite -(card_imset _ point_inj) -ltnS; apply: leq_trans (leq_trans lt sz).
by rewrite ltnS subset_leq_card //; apply/subsetP => s /imsetP [k]; rewrite !inE => ? ->.
Qed.

(* Different lists, of any lengths. *)
Lemma steps_collision ts ts' n : ts != ts' -> (size ts <= n)%N -> (size ts' <= n)%N ->
  (#|[set k | steps (point k) ts == steps (point k) ts']| <= n)%N.
Proof.
move=> ne le le'; have p0 : coefficients ts - coefficients ts' != 0.
  by rewrite subr_eq0 (inj_eq coefficients_inj).
apply: leq_trans (roots_le p0 (n := n) _).
  by rewrite subset_leq_card //; apply/subsetP => k; rewrite !inE /root !hornerE -!steps_poly subr_eq0.
apply: leq_trans (size_add _ _) _.
by rewrite size_opp !size_coefficients geq_max !ltnS le le'.
Qed.

(* One value, whatever it is. *)
Lemma steps_value ts v n : (0 < size ts)%N -> (size ts <= n)%N ->
  (#|[set k | steps (point k) ts == v]| <= n)%N.
Proof.
move=> s0 le; have p0 : coefficients ts - v%:P != 0.
  rewrite -size_poly_eq0 size_addl ?size_coefficients //.
  by rewrite size_opp (leq_ltn_trans (size_polyC_leq1 _)).
apply: leq_trans (roots_le p0 (n := n) _).
  by rewrite subset_leq_card //; apply/subsetP => k; rewrite !inE /root !hornerE -steps_poly subr_eq0.
by rewrite size_addl size_coefficients // size_opp (leq_ltn_trans (size_polyC_leq1 _)).
Qed.

(* hash127: the same list, once more times the key. Any difference, lists of any lengths. *)
Theorem hash127_difference ts ts' d n : ts != ts' -> (size ts <= n)%N -> (size ts' <= n)%N ->
  (#|[set k | (steps (point k) ts * point k - steps (point k) ts' * point k)%R == d]| <= n.+1)%N.
Proof.
move=> ne le le'; pose A := coefficients ts - coefficients ts'.
have A0 : A != 0 by rewrite subr_eq0 (inj_eq coefficients_inj).
have sA : (size A <= n.+1)%N.
  by apply: leq_trans (size_add _ _) _; rewrite size_opp !size_coefficients geq_max !ltnS le le'.
have p0 : A * 'X - d%:P != 0.
  rewrite subr_eq0; apply/eqP => E; have := size_mulX A0; have := size_polyC_leq1 d.
  by rewrite -E; move: A0; rewrite -size_poly_eq0; move: (size A) (size (A * 'X)) => a b; lia.
apply: leq_trans (roots_le p0 (n := n.+1) _).
  apply/subset_leq_card/subsetP => k; rewrite !inE /root !hornerE -!steps_poly => /eqP <-.
  by rewrite mulrBl subrr.
apply: leq_trans (size_add _ _) _; rewrite size_opp size_mulX // geq_max ltnS sA.
exact: leq_trans (size_polyC_leq1 _) _.
Qed.
End Horner.

(* Words below W, the limit, p - 1 as the mark, the offset: 59 for 2^64 - 59, 159 for 2^128 - 159. *)
Section TwoSteps.
Variables (F : finFieldType) (p W limit offset : nat) (number : nat -> F).
Hypothesis number_inj : forall a b, (a < p)%N -> (b < p)%N -> number a = number b -> a = b.
Hypothesis limit_p : (limit < p)%N.
Hypothesis offset_limit : (offset <= limit)%N.
Hypothesis W_p : (W <= p + offset)%N.
Implicit Types (w : nat) (ws : seq nat).

Definition coded w : seq F := if (w < limit)%N then [:: number w] else [:: number p.-1; number (w - offset)].
Definition code ws : seq F := flatten (map coded ws).
Definition words ws := all (fun w => w < W)%N ws.

Lemma code_inj ws ws' : words ws -> words ws' -> code ws = code ws' -> ws = ws'.
Proof.
elim: ws ws' => [|w ws IH] [|w' ws'] //=; rewrite /code /=.
- by rewrite /coded => _ _; case: ifP.
- by rewrite /coded => _ _; case: ifP.
move=> /andP [wW sW] /andP [w'W s'W]; rewrite /coded.
have mark v : (v < limit)%N -> number v = number p.-1 -> False.
  by move=> lt /number_inj E; move: (limit_p) lt E; clear=> ? ? E'; have := E' ltac:(lia) ltac:(lia); lia.
case: (ltnP w limit) => lt; case: (ltnP w' limit) => lt' /=.
- by move=> [/number_inj E /(IH _ sW s'W) ->]; rewrite E //; lia.
- by move=> [/(mark _ lt)].
- by move=> [/esym /(mark _ lt')].
- move=> [/number_inj E /(IH _ sW s'W) ->]; congr (_ :: _).
  move: (W_p) (offset_limit) wW w'W lt lt' E; clear=> ? ? ? ? ? ? E'; have := E' ltac:(lia) ltac:(lia); lia.
Qed.

Lemma size_code ws : (size ws <= size (code ws) <= 2 * size ws)%N.
Proof.
elim: ws => //= w ws /andP [lo hi]; rewrite /code /= size_cat -/(code ws) /coded.
by case: ifP => _ /=; lia.
Qed.

Variables (K : finType) (point : K -> F).
Hypothesis point_inj : injective point.
Definition POLY (k : K) ws : F := steps (point k) (code ws).

(* At most 2n keys make two lists of at most n words collide, or give one list a certain value. *)
Theorem POLY_collision ws ws' n : ws != ws' -> words ws -> words ws' -> (size ws <= n)%N -> (size ws' <= n)%N ->
  (#|[set k | POLY k ws == POLY k ws']| <= 2 * n)%N.
Proof.
move=> ne wW w'W le le'; apply: steps_collision => //.
- by apply: contra ne => /eqP /code_inj ->.
- by have /andP [_ h] := size_code ws; apply: leq_trans h _; rewrite leq_mul2l le orbT.
- by have /andP [_ h] := size_code ws'; apply: leq_trans h _; rewrite leq_mul2l le' orbT.
Qed.

Theorem POLY_value ws v n : (0 < size ws)%N -> (size ws <= n)%N -> (#|[set k | POLY k ws == v]| <= 2 * n)%N.
Proof.
move=> s0 le; have /andP [lo hi] := size_code ws; apply: steps_value => //; first exact: leq_trans lo.
by apply: leq_trans hi _; rewrite leq_mul2l le orbT.
Qed.
End TwoSteps.
