(* Maps that take every value equally often: what they make of a uniform key is uniform. *)
From mathcomp Require Import all_ssreflect.
From mathcomp Require Import zify.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Definition balanced (X Y : finType) (f : X -> Y) := forall y, #|[set x | f x == y]| * #|Y| <= #|X|.

Section Maps.
Variables X Y Z : finType.

Lemma balanced_inj (f : X -> Y) : injective f -> #|Y| <= #|X| -> balanced f.
Proof.
move=> inj le y; apply: leq_trans le; rewrite -[X in _ <= X]mul1n leq_mul2r; apply/orP; right.
rewrite -(card_imset _ inj) -(cards1 y); apply/subset_leq_card/subsetP => z /imsetP [x]; rewrite !inE => /eqP <- ->; exact: eqxx.
Qed.

Lemma balanced_eq (f g : X -> Y) : f =1 g -> balanced f -> balanced g.
Proof. by move=> E b y; rewrite -(_ : [set x | f x == y] = [set x | g x == y]) //; apply/setP => x; rewrite !inE E. Qed.

Lemma balanced_comp (f : X -> Y) (g : Y -> Z) : balanced f -> balanced g -> balanced (fun x => g (f x)).
Proof.
move=> bf bg z; case: (posnP #|Y|) => [none|some].
  rewrite (_ : [set x | _] = set0) ?cards0 //; apply/setP => x; have := max_card (pred1 (f x)); by rewrite card1 none.
rewrite -(leq_pmul2r some) -mulnA; apply: leq_trans (_ : #|[set y | g y == z]| * #|X| * #|Z| <= _); last first.
  by rewrite mulnAC [X in _ <= X]mulnC leq_mul2r bg orbT.
rewrite [#|Z| * _]mulnC mulnA leq_mul2r; apply/orP; right.
rewrite -[X in X * _]sum1_card (partition_big f (mem [set y | g y == z])) /=; last by move=> x; rewrite !inE.
rewrite big_distrl -sum_nat_const /=; apply: leq_sum => y _; rewrite sum1dep_card; apply: leq_trans (bf y).
by rewrite leq_mul2r; apply/orP; right; apply/subset_leq_card/subsetP => x; rewrite !inE => /andP [].
Qed.
End Maps.

Lemma balanced_pair (X Y X' Y' : finType) (f : X -> Y) (g : X' -> Y') : balanced f -> balanced g ->
  balanced (fun x : X * X' => (f x.1, g x.2)).
Proof.
move=> bf bg [y y']; rewrite !card_prod; have -> : [set x : X * X' | (f x.1, g x.2) == (y, y')]
    = setX [set x | f x == y] [set x | g x == y'] by apply/setP => -[x x']; rewrite !inE.
by rewrite cardsX mulnACA; apply: leq_mul.
Qed.

(* One map for each part, and parts chosen among others. *)
Lemma balanced_each (I X Y : finType) (f : X -> Y) : balanced f -> balanced (fun k : {ffun I -> X} => [ffun i => f (k i)]).
Proof.
move=> bf y; rewrite !card_ffun -!prod_nat_const /=.
have -> : #|[set k : {ffun I -> X} | [ffun i => f (k i)] == y]| = \prod_(i : I) #|[set x | f x == y i]|.
  rewrite -sum1_card; have -> : \prod_(i : I) #|[set x | f x == y i]| = \prod_(i : I) \sum_(x | f x == y i) 1.
    by apply: eq_bigr => i _; rewrite sum1dep_card.
  rewrite bigA_distr_big_dep /=; apply: eq_big => [k|k _]; last by rewrite big1.
  rewrite inE; apply/eqP/familyP => [<- i|all]; first by rewrite unfold_in ffunE.
  by apply/ffunP => i; rewrite ffunE; have := all i; rewrite unfold_in => /eqP.
by rewrite -big_split /=; apply: leq_prod => i _; exact: bf.
Qed.

Lemma balanced_choice (I J X : finType) (s : I -> J) : injective s -> balanced (fun k : {ffun J -> X} => [ffun i => k (s i)]).
Proof.
move=> inj y; rewrite -[#|{: {ffun I -> X}}|]cardsT -cardsX.
pose put (p : {ffun J -> X} * {ffun I -> X}) := [ffun j => if [pick i | s i == j] is Some i then p.2 i else p.1 j].
have at_s i : [pick i' | s i' == s i] = Some i.
  by case: pickP => [i' /eqP /inj -> //|/(_ i)]; rewrite eqxx.
rewrite -(card_in_imset (f := put)) ?max_card // => -[k u] [k' u']; rewrite !inE /= !andbT => /eqP Ek /eqP Ek' E.
have {}E j : put (k, u) j = put (k', u') j by rewrite E.
congr (_, _); apply/ffunP => j; last by have := E (s j); rewrite !ffunE at_s.
have := E j; rewrite !ffunE /=; case: pickP => [i /eqP <- _|_ //].
by have := congr1 (fun g : {ffun I -> X} => g i) (etrans Ek (esym Ek')); rewrite !ffunE.
Qed.

(* Parts beside each other, and parts of parts. *)
Lemma balanced_fork (I J X A B : finType) (f : {ffun I -> X} -> A) (g : {ffun J -> X} -> B) : balanced f -> balanced g ->
  balanced (fun k : {ffun sum_finType I J -> X} => (f [ffun i => k (inl i)], g [ffun j => k (inr j)])).
Proof.
move=> bf bg; pose split (k : {ffun sum_finType I J -> X}) := ([ffun i => k (inl i)], [ffun j => k (inr j)]) : {ffun I -> X} * {ffun J -> X}.
have bs : balanced split; last exact: (balanced_comp bs (balanced_pair bf bg)).
apply: balanced_inj => [k k' [E E']|]; last by rewrite card_prod !card_ffun card_sum expnD.
by apply/ffunP => -[i|j]; [have := congr1 (fun g : {ffun I -> X} => g i) E | have := congr1 (fun g : {ffun J -> X} => g j) E'];
  rewrite !ffunE.
Qed.

Lemma balanced_rows (I J X A : finType) (f : {ffun J -> X} -> A) : balanced f ->
  balanced (fun k : {ffun prod_finType I J -> X} => [ffun i => f [ffun j => k (i, j)]]).
Proof.
move=> bf; pose curry (k : {ffun prod_finType I J -> X}) := [ffun i => [ffun j => k (i, j)]] : {ffun I -> {ffun J -> X}}.
have bc : balanced curry.
  apply: balanced_inj => [k k' E|]; last by rewrite !card_ffun card_prod mulnC expnM.
  by apply/ffunP => -[i j]; have := congr1 (fun g : {ffun I -> {ffun J -> X}} => g i j) E; rewrite !ffunE.
by apply: balanced_eq (balanced_comp bc (balanced_each (I := I) bf)) => k; apply/ffunP => i; rewrite !ffunE.
Qed.

Lemma balanced_zip (I X Y : finType) : balanced (fun k : {ffun I -> X} * {ffun I -> Y} => [ffun i => (k.1 i, k.2 i)]).
Proof.
apply: balanced_inj => [[k l] [k' l'] E|]; last by rewrite card_prod !card_ffun card_prod expnMn.
by congr (_, _); apply/ffunP => i; have := congr1 (fun g : {ffun I -> X * Y} => g i) E; rewrite !ffunE => -[].
Qed.

(* The lower bits of a number. *)
Lemma pow0 n : 0 < 2 ^ n. Proof. by rewrite expn_gt0. Qed.
Definition below n (x : nat) : 'I_(2 ^ n) := Ordinal (ltn_pmod x (pow0 n)).
Lemma balanced_low m n : m <= n -> balanced (fun x : 'I_(2 ^ n) => below m x).
Proof.
move=> le y; rewrite !card_ord; have E : 2 ^ n = 2 ^ (n - m) * 2 ^ m by rewrite -expnD subnK.
rewrite [X in _ <= X]E leq_mul2r; apply/orP; right.
have lt (x : 'I_(2 ^ n)) : x %/ 2 ^ m < 2 ^ (n - m) by rewrite ltn_divLR ?expn_gt0 // -E.
rewrite -[X in _ <= X]card_ord -(card_in_imset (f := fun x => Ordinal (lt x))) ?max_card // => x x'.
rewrite !inE => /eqP Ey /eqP Ey' [Eq]; apply: val_inj => /=.
by rewrite (divn_eq x (2 ^ m)) (divn_eq x' (2 ^ m)) Eq; have := congr1 val (etrans Ey (esym Ey')) => /= ->.
Qed.
