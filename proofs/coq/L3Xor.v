(* Level 3, differences by xor, of any two different words: those that are proportional, too. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import zify ring.
Require Import Counting L3.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import GRing.Theory.
Local Open Scope ring_scope.

Section Any.
Variables (p T c : nat) (K : finType) (red : K -> 'F_p) (beta n : nat).
Hypothesis p_prime : prime p.
Hypothesis T0 : (0 < T)%N.
Hypothesis pcT : (p <= c * T)%N.
Hypothesis fibre : forall x, (#|[set w | red w == x]| <= beta)%N.
Variable f : nat -> nat. (* xor with d, or any other injection *)
Hypothesis f_inj : injective f.
Local Notation F := 'F_p.
Local Notation key := (key K n).

(* How often a number and its multiple by l are in the relation. *)
Definition hit (l : F) : {set F} := [set u | low T (l * u) == f (low T u)].

Lemma low_fibre t : (#|[set w : F | low T w == t]| <= c)%N.
Proof.
have q (x : F) : (x %/ T < c)%N by rewrite ltn_divLR // (leq_trans (val_lt p_prime x)).
rewrite -[X in (_ <= X)%N](card_ord c) -(card_in_imset (f := fun v => Ordinal (q v))); first exact: max_card.
move=> v v'; rewrite !inE => /eqP E /eqP E' [Eq]; apply: val_inj => /=.
by rewrite (divn_eq v T) (divn_eq v' T) Eq -/(low T v) -/(low T v') E E'.
Qed.

Definition hitters (u : F) : {set F} := [set l | low T (l * u) == f (low T u)].

(* Over all ratios together, proportional words meet the relation about as often as unrelated ones: a number u but 0 meets
   each number once as a multiple l u. *)
Lemma sum_hit : (\sum_(l : F) #|hit l| <= p * c.+1)%N.
Proof.
have -> : (\sum_(l : F) #|hit l| = \sum_(u : F) #|hitters u|)%N.
  rewrite (eq_bigr (fun l : F => \sum_(u : F | u \in hit l) 1))%N; last by move=> l _; rewrite sum1_card.
  rewrite (exchange_big_dep xpredT) //=; apply: eq_bigr => u _; rewrite -sum1_card.
  by apply: eq_bigl => l; rewrite !inE.
have cardF : #|F| = p by exact: card_Fp.
rewrite (bigD1 0) //= mulnS; apply: leq_add.
  by apply: leq_trans (max_card _) _; rewrite cardF.
apply: (@leq_trans (\sum_(u : F | u != 0%R) c)).
  apply: leq_sum => u u0; apply: leq_trans (low_fibre (f (low T u))).
  rewrite -(card_imset _ (mulIf u0)); apply/subset_leq_card/subsetP => w /imsetP [l]; rewrite !inE => E ->.
  exact: E.
rewrite sum_nat_const leq_mul2r; apply/orP; right; apply: leq_trans (max_card _) _; by rewrite cardF.
Qed.

Lemma K_le : (#|K| <= p * beta)%N.
Proof.
have := fibres fibre [set: F]; rewrite cardsT card_Fp //; apply: leq_trans.
by rewrite -cardsT subset_leq_card //; apply/subsetP => w _; rewrite !inE.
Qed.

Lemma inner0 (k : key) : inner red k (fun=> 0) = 0.
Proof. by rewrite /inner big1 // => i _; rewrite mul0r. Qed.

Lemma L3_ratio (m m' : 'I_n -> F) l i : m i != 0 -> (forall j, m' j = l * m j) ->
  (#|[set k : key | L3 T red k m' == f (L3 T red k m)]| * #|K| <= #|hit l| * beta * #|{: key}|)%N.
Proof.
move=> mi E; apply: leq_trans (inner_difference fibre (hit l) (m' := fun=> 0) (i := i) mi).
rewrite leq_mul2r; apply/orP; right; apply/subset_leq_card/subsetP => k; rewrite !inE inner0 subr0 /L3.
have -> // : inner red k m' = l * inner red k m.
by rewrite /inner mulr_sumr; apply: eq_bigr => j _; rewrite E mulrA.
Qed.

Lemma L3_zero (m m' : 'I_n -> F) i : (forall j, m j = 0) -> m' i != 0 ->
  (#|[set k : key | L3 T red k m' == f (L3 T red k m)]| * #|K| <= c * beta * #|{: key}|)%N.
Proof.
move=> m0 mi; have E k : inner red k m = 0 by rewrite /inner big1 // => j _; rewrite m0 mul0r.
pose S : {set F} := [set w : F | low T w == f (low T (0 : F))].
have h := inner_difference fibre S (m := m') (m' := fun=> 0) (i := i) mi.
have le : (#|S| * beta * #|{: key}| <= c * beta * #|{: key}|)%N by rewrite !leq_mul2r low_fibre !orbT.
apply: leq_trans le; apply: leq_trans h; rewrite leq_mul2r; apply/orP; right.
apply/subset_leq_card/subsetP => k; by rewrite !inE inner0 subr0 /L3 E.
Qed.

Lemma L3_zero' (m m' : 'I_n -> F) i : (forall j, m' j = 0) -> m i != 0 ->
  (#|[set k : key | L3 T red k m' == f (L3 T red k m)]| * #|K| <= c * beta * #|{: key}|)%N.
Proof.
move=> m0 mi; have E k : inner red k m' = 0 by rewrite /inner big1 // => j _; rewrite m0 mul0r.
pose S : {set F} := [set w : F | low T (0 : F) == f (low T w)].
have leS : (#|S| <= c)%N.
  case: (set_0Vmem S) => [->|[w0]]; first by rewrite cards0.
  rewrite inE => /eqP E0; apply: leq_trans (low_fibre (low T w0)); apply/subset_leq_card/subsetP => w; rewrite !inE E0.
  by move=> /eqP /f_inj ->.
have h := inner_difference fibre S (m := m) (m' := fun=> 0) (i := i) mi.
have le : (#|S| * beta * #|{: key}| <= c * beta * #|{: key}|)%N by rewrite !leq_mul2r leS !orbT.
apply: leq_trans le; apply: leq_trans h; rewrite leq_mul2r; apply/orP; right.
apply/subset_leq_card/subsetP => k; by rewrite !inE inner0 subr0 /L3 E.
Qed.

(* The ratio of two words, where they have one. *)
Definition ratio_of (m m' : 'I_n -> F) : F := if [pick i | m i != 0] is Some i then m' i / m i else 0.
Definition differ (m m' : 'I_n -> F) := [exists i, m i != m' i].
Definition proportional m m' :=
  [&& differ m m', [exists i, m i != 0], ratio_of m m' != 0 & [forall j, m' j == ratio_of m m' * m j]].

Lemma ratio_not_1 m m' : proportional m m' -> ratio_of m m' != 1.
Proof.
move=> /and4P [/existsP [i di] _ _ /forallP E]; apply: contra di => /eqP E1; apply/eqP.
by have /eqP := E i; rewrite E1 mul1r.
Qed.

Lemma L3_each (m m' : 'I_n -> F) :
  (#|[set k : key | differ m m' && (L3 T red k m' == f (L3 T red k m))]| * #|K| ^ 2
   <= if proportional m m' then #|hit (ratio_of m m')| * (beta * #|K| * #|{: key}|) else p * c * beta ^ 2 * #|{: key}|)%N.
Proof.
case: (boolP (differ m m')) => [dx|_]; last by rewrite (_ : [set k | _] = set0) ?cards0 //; apply/setP => k; rewrite !inE.
rewrite /=; case: ifP => [/and4P [_ /existsP [i yi] _ /forallP E]|].
  have h := @L3_ratio m m' (ratio_of m m') i yi (fun j => eqP (E j)).
  by rewrite -mulnn mulnA (leq_trans (leq_mul h (leqnn #|K|))) // -!mulnA [(#|K| * _)%N]mulnC.
rewrite /proportional dx /=; case: (boolP [exists i, m i != 0]) => [/existsP [i0 yi0]|/existsPn zero] /= np; last first.
  have z j : m j = 0 by have := zero j; rewrite negbK => /eqP.
  move/existsP: dx => [i]; rewrite z eq_sym => yi; have h := @L3_zero m m' i z yi.
  rewrite -mulnn mulnA; apply: leq_trans (leq_mul h K_le) _; rewrite -mulnn; apply: eq_leq; lia.
case: (boolP [exists i, m' i != 0]) => [/existsP [i1 yi1]|/existsPn zero']; last first.
  have z j : m' j = 0 by have := zero' j; rewrite negbK => /eqP.
  have h := @L3_zero' m m' i0 z yi0.
  rewrite -mulnn mulnA; apply: leq_trans (leq_mul h K_le) _; rewrite -mulnn; apply: eq_leq; lia.
have [i [j ne]] : exists i j, m i * m' j != m j * m' i.
  move: np; rewrite /ratio_of; case: pickP => [i yi|none]; last by have := none i0; rewrite yi0.
  case: (eqVneq (m' i) 0) => [zi _|nzi].
    by exists i, i1; rewrite zi mulr0 mulf_neq0.
  rewrite (_ : m' i / m i != 0) ?mulf_neq0 ?invr_eq0 //=.
  move/negbT; rewrite negb_forall => /existsP [j nj]; exists i, j; apply: contra nj => /eqP E; apply/eqP.
  by rewrite mulrAC; apply: (canRL (mulfK yi)); rewrite [LHS]mulrC [LHS]E; exact: mulrC.
exact: (L3_related p_prime T0 pcT fibre f ne).
Qed.

(* Words that come from other keys, and how often, at most, they have a ratio. *)
Variables (X : finType) (Y Y' : X -> 'I_n -> F) (r : nat).
Hypothesis rare : forall l : F, l != 0 -> l != 1 -> (#|[set x | proportional (Y x) (Y' x) && (ratio_of (Y x) (Y' x) == l)]| <= r)%N.

Theorem L3_any :
  (#|[set z : X * key | differ (Y z.1) (Y' z.1) && (L3 T red z.2 (Y' z.1) == f (L3 T red z.2 (Y z.1)))]| * #|K| ^ 2
   <= (#|X| * (p * c * beta ^ 2) + r * (p * c.+1) * (beta * #|K|)) * #|{: key}|)%N.
Proof.
pose ratio x := ratio_of (Y x) (Y' x); pose prop x := proportional (Y x) (Y' x).
pose A := (p * c * beta ^ 2 * #|{: key}|)%N; pose B := (beta * #|K| * #|{: key}|)%N.
pose t x := if prop x then (#|hit (ratio x)| * B)%N else A.
apply: leq_trans (_ : (\sum_x t x <= _)%N).
  apply: count_fibres_sum => x; have := L3_each (Y x) (Y' x); rewrite -/(prop x) -/(t x); apply: leq_trans.
  by rewrite leq_mul2r; apply/orP; right; apply/subset_leq_card/subsetP => k; rewrite !inE.
rewrite (bigID prop) /= mulnDl addnC; apply: leq_add.
  apply: (@leq_trans (\sum_(x | ~~ prop x) A)); first by apply: leq_sum => x /negbTE np; rewrite /t np.
  by rewrite sum_nat_const -mulnA leq_mul2r max_card orbT.
apply: (@leq_trans (\sum_(x | prop x) #|hit (ratio x)| * B)); first by apply: eq_leq; apply: eq_bigr => x px; rewrite /t px.
rewrite -big_distrl /= (partition_big ratio xpredT) //=.
apply: (@leq_trans ((\sum_(l : F) r * #|hit l|) * B)); last first.
  by rewrite -big_distrr /=; apply: leq_trans (leq_mul (leq_mul (leqnn r) sum_hit) (leqnn B)) _; rewrite /B !mulnA.
rewrite leq_mul2r; apply/orP; right; apply: leq_sum => l _.
apply: (@leq_trans (\sum_(x | prop x && (ratio x == l)) #|hit l|)); first by apply: leq_sum => x /andP [_ /eqP ->].
rewrite sum_nat_const leq_mul2r; apply/orP; right.
case: (eqVneq l 1) => [El|nl].
  by rewrite eq_card0 // => x; rewrite unfold_in /=; apply/negbTE/negP => /andP [/ratio_not_1 n1 /eqP Er]; rewrite -/(ratio x) Er El eqxx in n1.
case: (eqVneq l 0) => [El0|nl0].
  by rewrite eq_card0 // => x; rewrite unfold_in /=; apply/negbTE/negP => /andP [/and4P [_ _ nz _] /eqP Er]; rewrite -/(ratio x) Er El0 eqxx in nz.
by apply: leq_trans (rare nl0 nl); apply/subset_leq_card/subsetP => x; rewrite unfold_in !inE.
Qed.
End Any.
