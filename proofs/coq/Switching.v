(* A random permutation and a random function, for programs that call one after the other. c calls tell them apart with
   advantage c (c - 1) / 2Q at most (the switching lemma), Q = #|T|; and a program says yes under the permutation at most
   Q^c / (Q (Q-1) ... (Q-c+1)) times as often as under the function. *)
From mathcomp Require Import all_ssreflect all_fingroup.
From mathcomp Require Import zify.
Require Import Counting Games.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Section Switching.
Variable T : finType.
Let Q := #|T|.
Implicit Types (s : seq (T * T)) (p : program T T bool).
Let function := {ffun T -> T}.
Let F := @all_of T T [finType of function] (fun f : function => fun x => f x).
Let P := @all_of T T [finType of {perm T}] (fun f : {perm T} => fun x => f x).
Let F_of := @accepting T T [finType of function] (fun f : function => fun x => f x).
Let P_of := @accepting T T [finType of {perm T}] (fun f : {perm T} => fun x => f x).
Definition known s := map fst s.
Definition seen s := map snd s.

Lemma F_same x y y' s : x \notin known s -> F ((x, y) :: s) <= F ((x, y') :: s).
Proof.
move=> nx; rewrite /F /all_of -(card_in_imset (f := fun f : function => put x f y')).
  apply/subset_leq_card/subsetP => f' /imsetP [f]; rewrite !inE /= => /andP [_ /allP ag] ->.
  rewrite put_at eqxx /=; apply/allP => -[a b] ins; rewrite /= put_out; first exact: (ag (a, b)).
  by apply: contraNneq nx => <-; apply/mapP; exists (a, b).
move=> f g; rewrite !inE /= => /andP [/eqP fx _] /andP [/eqP gx _] E.
by apply: same_but E _; rewrite fx gx.
Qed.

Lemma P_same x y y' s : x \notin known s -> y \notin seen s -> y' \notin seen s -> P ((x, y) :: s) <= P ((x, y') :: s).
Proof.
move=> nx ny ny'; rewrite /P /all_of -(card_in_imset (f := fun f : {perm T} => (f * tperm y y')%g)).
  apply/subset_leq_card/subsetP => f' /imsetP [f]; rewrite !inE /= => /andP [/eqP fx /allP ag] ->.
  rewrite permM fx tpermL eqxx /=; apply/allP => -[a b] ins; have /= /eqP E := ag _ ins.
  by rewrite /= permM E tpermD //; [apply: contraNneq ny => -> | apply: contraNneq ny' => ->]; apply/mapP; exists (a, b).
by move=> f g _ _ /mulIg.
Qed.

Lemma P_none x y s : x \notin known s -> y \in seen s -> P ((x, y) :: s) = 0.
Proof.
move=> nx /mapP [[a b] ins /= E]; apply/eqP; rewrite cards_eq0; apply/eqP/setP => f; rewrite !inE /=.
apply/negP => /andP [/eqP fx /allP ag]; have /= /eqP fa := ag _ ins.
by move/negP: nx; apply; rewrite -(_ : a = x); [apply/mapP; exists (a, b) | apply: (@perm_inj _ f); rewrite fa fx E].
Qed.

Lemma F_step x y s : x \notin known s -> F ((x, y) :: s) * Q = F s.
Proof.
move=> nx; rewrite mulnC -(sum_nat_const (mem T)) [RHS](all_split _ x); apply: eq_bigr => y' _.
by apply/eqP; rewrite eqn_leq !F_same.
Qed.

Lemma P_step x y s : x \notin known s -> uniq (seen s) -> y \notin seen s -> P ((x, y) :: s) * (Q - size s) = P s.
Proof.
move=> nx u ny; rewrite [RHS](all_split _ x) (bigID (mem (seen s))) /= [X in _ = X + _]big1 ?add0n; last first.
  by move=> y' iny; exact: P_none.
rewrite (eq_bigr (fun=> P ((x, y) :: s))) => [|y' ny']; last by apply/eqP; rewrite eqn_leq !P_same.
rewrite sum_nat_const mulnC; congr (_ * _).
have := cardC (mem (seen s)); rewrite (card_uniqP u) size_map -/Q => <-; rewrite addKn.
by apply: eq_card.
Qed.

Fixpoint error k c := if c is c'.+1 then k + error k.+1 c' else 0.

Lemma error_le k c : error k c <= error k c.+1.
Proof. by elim: c k => [|c IH] k //=; rewrite leq_add2l; exact: IH. Qed.

Lemma one_call (SP SF A f p q k e : nat) : k < q -> A <= SF -> A * q <= (q - k) * f ->
  SP * f * q * (q - k) <= A * p * q * q + (q - k) * (e * (f * p)) ->
  SP * f * q <= SF * p * q + (k + e) * (f * p).
Proof.
move=> lt le le2 sum; have pos : 0 < q - k by lia.
rewrite -(leq_pmul2r pos); apply: leq_trans sum _.
have -> : A * p * q * q = A * p * q * (q - k) + A * q * (p * k).
  have {2}-> : q = (q - k) + k by lia.
  by rewrite mulnDr; congr (_ + _); lia.
have a : A * p * q * (q - k) <= SF * p * q * (q - k) by rewrite !leq_mul2r le !orbT.
have b : A * q * (p * k) <= (q - k) * f * (p * k) by rewrite leq_mul2r le2 orbT.
rewrite mulnDl [(k + e) * _]mulnDl mulnDl.
have -> : (q - k) * (e * (f * p)) = e * (f * p) * (q - k) by rewrite mulnC.
have E : (q - k) * f * (p * k) = k * (f * p) * (q - k) by lia.
by rewrite E in b; lia.
Qed.

Lemma switching_from c p s : within c p -> uniq (known s) -> uniq (seen s) -> 0 < P s ->
  P_of p s * F s * Q <= F_of p s * P s * Q + error (size s) c * (F s * P s).
Proof.
elim: c p s => [|c IH] [b|x next] s //= win uk us P0; try by rewrite /P_of /F_of !accepting_return -/P -/F; lia.
case: (boolP (x \in known s)) => [/mapP [[x' y] ins /= ->]|nx].
  rewrite /P_of /F_of !(accepting_known _ _ ins) -/P_of -/F_of; apply: leq_trans (IH _ _ (win y) uk us P0) _.
  by rewrite leq_add2l leq_mul2r [error _ c <= _]error_le orbT.
have ltk : size s < Q.
  have : uniq (x :: known s) by rewrite /= nx.
  by move=> /card_uniqP E; have := max_card (mem (x :: known s)); rewrite E /= size_map.
rewrite /P_of /F_of !accepting_call -/P_of -/F_of; pose old := mem (seen s).
have num : #|[predC old]| = Q - size s.
  have := cardC old; rewrite (card_uniqP us) size_map -/Q => <-; rewrite addKn; exact: eq_card.
rewrite [X in X * _ * _ <= _](bigID old) /= [X in X + _]big1 ?add0n; last first.
  by move=> y iny; apply/eqP; rewrite -leqn0; apply: leq_trans (accepting_le _ _ _) _; rewrite -/P P_none.
apply: (@one_call _ _ (\sum_(y | ~~ old y) F_of (next y) ((x, y) :: s))) => //.
- by rewrite [X in _ <= X](bigID old) /= leq_addl.
- rewrite -num big_distrl -sum_nat_const /=; apply: leq_sum => y ny.
  by rewrite -(F_step y nx) leq_mul2r accepting_le orbT.
rewrite !big_distrl -num -sum_nat_const -big_split /=; apply: leq_sum => y ny; rewrite num.
have [Fy Py] := (F_step y nx, P_step nx us ny).
have pos : 0 < P ((x, y) :: s) by move: P0; rewrite -Py muln_gt0 => /andP [].
have uk' : uniq (known ((x, y) :: s)) by rewrite /= nx.
have us' : uniq (seen ((x, y) :: s)) by rewrite /= us andbT; exact: ny.
have := leq_mul (IH _ _ (win y) uk' us' pos) (leqnn (Q * (Q - size s))).
rewrite -Fy -Py mulnDl /=; move: (Q - size s) (P_of _ _) (F_of _ _) (P _) (F _) (error _ _) => d a b h g e.
have -> : a * (g * Q) * Q * d = a * g * Q * (Q * d) by clear; lia.
have -> : b * (h * d) * Q * Q = b * h * Q * (Q * d) by clear; lia.
have -> // : e * (g * Q * (h * d)) = e * (g * h) * (Q * d) by clear; lia.
Qed.

(* Two times the error is c (c - 1). *)
Lemma error_twice c : error 0 c * 2 = c * c.-1.
Proof.
have general k : error k c * 2 = c * (2 * k + c.-1); last by rewrite general muln0.
by elim: c k => [|c IH] k //=; rewrite mulnDl IH; case: c {IH} => [|c] /=; nia.
Qed.

Theorem switching c p : within c p ->
  #|[set f : {perm T} | run f p]| * #|{: function}| * Q * 2
  <= #|[set f : function | run f p]| * #|{: {perm T}}| * Q * 2 + c * c.-1 * (#|{: function}| * #|{: {perm T}}|).
Proof.
move=> win; have E (R : finType) (at_ : R -> T -> T) : all_of at_ [::] = #|R|.
  by apply: eq_card => r; rewrite !inE.
have P0 : 0 < P [::] by rewrite /P E; apply/card_gt0P; exists 1%g.
have := switching_from win (isT : uniq (known [::])) isT P0.
rewrite /P_of /F_of /P /F !E /= => le; rewrite -error_twice; move: (leq_mul le (leqnn 2)).
rewrite mulnDl [error _ _ * _ * 2]mulnAC.
have -> : accepting (fun (f : {perm T}) x => f x) p [::] = #|[set f : {perm T} | run f p]| by apply: eq_card.
have -> // : accepting (fun (f : function) x => f x) p [::] = #|[set f : function | run f p]| by apply: eq_card.
Qed.

(* Many times as often, at most, in place of so much more. *)
Lemma factor_from c p s : within c p -> uniq (known s) -> uniq (seen s) -> 0 < P s ->
  P_of p s * F s * (Q - size s) ^_ c <= F_of p s * P s * Q ^ c.
Proof.
have le_exp n k : n <= Q -> n ^_ k <= Q ^ k.
  move=> le; elim: k => [|k IH] //; rewrite ffactnSr expnSr; apply: leq_mul IH _.
  exact: leq_trans (leq_subr _ _) le.
elim: c p s => [|c IH] [b|x next] s //= win uk us P0.
- by rewrite /P_of /F_of !accepting_return -/P -/F ffactn0 expn0; apply: eq_leq; lia.
- rewrite /P_of /F_of !accepting_return -/P -/F [X in _ <= X * _](_ : _ = b * P s * F s); last by lia.
  by rewrite leq_mul2l le_exp ?leq_subr ?orbT.
case: (boolP (x \in known s)) => [/mapP [[x' y] ins /= ->]|nx].
  rewrite /P_of /F_of !(accepting_known _ _ ins) -/P_of -/F_of ffactnSr expnSr !mulnA.
  apply: leq_mul (IH _ _ (win y) uk us P0) _; exact: leq_trans (leq_subr _ _) (leq_subr _ _).
rewrite /P_of /F_of !accepting_call -/P_of -/F_of; pose old := mem (seen s).
rewrite [X in X * _ * _ <= _](bigID old) /= [X in X + _]big1 ?add0n; last first.
  by move=> y iny; apply/eqP; rewrite -leqn0; apply: leq_trans (accepting_le _ _ _) _; rewrite -/P P_none.
apply: (@leq_trans ((\sum_(y | ~~ old y) F_of (next y) ((x, y) :: s)) * P s * Q ^ c.+1)); last first.
  by rewrite -!mulnA leq_mul2r [X in _ <= X](bigID old) /= leq_addl orbT.
rewrite !big_distrl /=; apply: leq_sum => y ny.
have [Fy Py] := (F_step y nx, P_step nx us ny).
have pos : 0 < P ((x, y) :: s) by move: P0; rewrite -Py muln_gt0 => /andP [].
have uk' : uniq (known ((x, y) :: s)) by rewrite /= nx.
have us' : uniq (seen ((x, y) :: s)) by rewrite /= us andbT; exact: ny.
have := leq_mul (IH _ _ (win y) uk' us' pos) (leqnn (Q * (Q - size s))).
rewrite -Fy -Py ffactnS -subnS expnS /=; move: (_ ^_ c) (Q ^ c) (Q - size s) (P_of _ _) (F_of _ _) (P _) (F _) => k e d a b h g.
have -> : a * g * k * (Q * d) = a * (g * Q) * (d * k) by clear; lia.
by have -> : b * h * e * (Q * d) = b * (h * d) * (Q * e) by clear; lia.
Qed.

Theorem switching_factor c p : within c p ->
  #|[set f : {perm T} | run f p]| * #|{: function}| * Q ^_ c <= #|[set f : function | run f p]| * #|{: {perm T}}| * Q ^ c.
Proof.
move=> win; have E (R : finType) (at_ : R -> T -> T) : all_of at_ [::] = #|R|.
  by apply: eq_card => r; rewrite !inE.
have P0 : 0 < P [::] by rewrite /P E; apply/card_gt0P; exists 1%g.
have := factor_from win (isT : uniq (known [::])) isT P0.
rewrite /P_of /F_of /P /F !E /= subn0.
have -> : accepting (fun (f : {perm T}) x => f x) p [::] = #|[set f : {perm T} | run f p]| by apply: eq_card.
by have -> : accepting (fun (f : function) x => f x) p [::] = #|[set f : function | run f p]| by apply: eq_card.
Qed.
End Switching.
