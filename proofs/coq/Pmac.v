(* PMAC (EUROCRYPT 2002) with a random function in place of the cipher: its inputs collide rarely, and its tags are
   those of a random function. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import zify ring.
Require Import Counting Prf.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import GRing.Theory.
Local Open Scope ring_scope.

Section Sums.
Variable F : finFieldType.
Definition function := {ffun F -> F}.
Implicit Types (f : function) (t : F * F) (s : seq (F * F)) (A : {set function}).

(* L is f(0). An inner block with its coefficient is a pair, and makes an input of the cipher. *)
Definition place (L : F) t : F := t.1 * L + t.2.
Definition at_place f t : F := f (place (f 0) t).

Lemma one_L A : (forall f g, f \in A -> g \in A -> f 0 = g 0) -> (#|A| * #|F| <= #|{: function}|)%N.
Proof.
move=> one; apply: (@count_le _ _ (fun f : function => f 0) (put 0)) => [f x|f g u v Af Ag E]; first exact: put_at.
exact: same_but E (one _ _ Af Ag).
Qed.

(* An input other than 0 has an output of its own. *)
Lemma one_output A t : (forall f, f \in A -> place (f 0) t != 0) ->
  (forall f g, f \in A -> g \in A -> (forall y, y != place (f 0) t -> f y = g y) -> at_place f t = at_place g t) ->
  (#|A| * #|F| <= #|{: function}|)%N.
Proof.
move=> ne one; pose h (p : function * F) := put (place (p.1 0) t) p.1 p.2.
have inj : {in setX A setT &, injective h}.
  move=> [f u] [g v] /setXP [/= Af _] /setXP [/= Ag _]; rewrite /h /= => E.
  have E0 : f 0 = g 0.
    by move/ffunP: E => /(_ 0); rewrite !put_out // eq_sym ne.
  rewrite -E0 in E; have Euv : u = v by move/ffunP: E => /(_ (place (f 0) t)); rewrite !put_at.
  have same := put_eq E; congr (_, _) => //; apply: same_but E _.
  by have := one _ _ Af Ag same; rewrite /at_place -E0.
by rewrite -cardsT -cardsX -(card_in_imset inj) max_card.
Qed.

Lemma affine_one (a c x y : F) : a != 0 -> a * x + c = 0 -> a * y + c = 0 -> x = y.
Proof. by move=> a0 <- /addIr /(mulfI a0). Qed.

(* A sum of outputs of different pairs, and L: it is 0 for few functions. *)
Definition total a c s f : F := a * f 0 + c + \sum_(t <- s) at_place f t.

Lemma few_zero a c s : uniq s -> (forall t, t \in s -> t.1 != 0) -> (s = [::] -> (a != 0) || (c != 0)) ->
  (#|[set f | total a c s f == 0%R]| * #|F| <= (size s).+1 * #|{: function}|)%N.
Proof.
case: s => [|t s] /=.
  move=> _ _ /(_ erefl) /orP ac; rewrite mul1n; case: (eqVneq a 0) => a0.
    case: ac => [|c0]; first by rewrite a0 eqxx.
    rewrite (_ : [set f | _] = set0) ?cards0 //; apply/setP => f; rewrite !inE /total big_nil addr0 a0 mul0r add0r.
    exact: negbTE.
  by apply: one_L => f g; rewrite !inE /total !big_nil !addr0 => /eqP + /eqP; exact: affine_one.
move=> /andP [nt us] nz _; set A := [set f | _].
have t0 : t.1 != 0 by apply: nz; rewrite inE eqxx.
pose zero : {set function} := [set f : function | place (f 0) t == 0].
pose same t' : {set function} := [set f : function | place (f 0) t == place (f 0) t'].
pose free := A :\: (zero :|: \bigcup_(i < size s) same (tnth (in_tuple s) i)).
have le0 : (#|zero| * #|F| <= #|{: function}|)%N.
  by apply: one_L => f g; rewrite !inE => /eqP + /eqP; exact: affine_one.
have le1 (i : 'I_(size s)) : (#|same (tnth (in_tuple s) i)| * #|F| <= #|{: function}|)%N.
  move: (tnth _ _) (mem_tnth i (in_tuple s)) => t' ins.
  have ne : t != t' by apply: contraNneq nt => ->.
  apply: one_L => f g; rewrite !inE /place => /eqP Ef /eqP Eg.
  case: (eqVneq t.1 t'.1) => E1.
    move: Ef; rewrite E1 => /addrI E2; case/eqP: ne; move: E1 E2; clear; case: t t' => [? ?] [? ?] /= -> -> //.
  apply: (@affine_one (t.1 - t'.1) (t.2 - t'.2)); first by rewrite subr_eq0.
    by rewrite mulrBl addrACA -opprD Ef subrr.
  by rewrite mulrBl addrACA -opprD Eg subrr.
have le2 : (#|free| * #|F| <= #|{: function}|)%N.
  have away f : f \in free -> place (f 0) t != 0 /\ (forall t', t' \in s -> place (f 0) t != place (f 0) t').
    rewrite !inE => /andP [/norP [z n] _]; split=> // t' /seq_tnthP [i ->].
    by apply: contra n => E; apply/bigcupP; exists i; rewrite ?inE.
  apply: (@one_output _ t) => [f /away [] //|f g Af Ag out].
  have [z n] := away f Af; have E0 : f 0 = g 0 by apply: out; rewrite eq_sym.
  move: (Af) (Ag); rewrite 2!inE => /andP [_]; rewrite inE /total big_cons => /eqP Ef.
  rewrite 2!inE => /andP [_]; rewrite inE /total big_cons -E0 => /eqP Eg.
  have Es : \sum_(t' <- s) at_place g t' = \sum_(t' <- s) at_place f t'.
    by apply: eq_big_seq => t' ins; rewrite /at_place -E0; symmetry; apply: out; rewrite eq_sym n.
  by move: Eg; rewrite Es -[RHS]Ef => /addrI /addIr ->.
have sub : A \subset free :|: (zero :|: \bigcup_(i < size s) same (tnth (in_tuple s) i)).
  by apply/subsetP => f Af; rewrite !(in_setU, in_setD) Af andbT orNb.
have leU (I : finType) (S : I -> {set function}) : (#|\bigcup_i S i| <= \sum_i #|S i|)%N.
  elim/big_rec2: _ => [|i m X _ le]; first by rewrite cards0.
  by apply: leq_trans (leq_card_setU _ _) _; rewrite leq_add2l.
apply: leq_trans (leq_mul (subset_leq_card sub) (leqnn _)) _.
apply: leq_trans (leq_mul (leq_card_setU _ _) (leqnn _)) _; rewrite mulnDl !mulSn; apply: leq_add le2 _.
apply: leq_trans (leq_mul (leq_card_setU _ _) (leqnn _)) _; rewrite mulnDl; apply: leq_add le0 _.
apply: leq_trans (leq_mul (leU _ _) (leqnn _)) _; rewrite big_distrl /=.
by rewrite -[X in (_ <= X * _)%N]card_ord -sum_nat_const; apply: leq_sum => i _; exact: le1.
Qed.
End Sums.

Lemma few_has (R X : finType) (I : eqType) (P : I -> R -> bool) (c : I -> nat) (xs : seq I) :
  (forall x, x \in xs -> #|[set r | P x r]| * #|X| <= c x * #|R|)%N ->
  (#|[set r | has (P ^~ r) xs]| * #|X| <= (\sum_(x <- xs) c x) * #|R|)%N.
Proof.
elim: xs => [|x xs IH] few; first by rewrite big_nil (_ : [set r | _] = set0) ?cards0 //; apply/setP => r; rewrite !inE.
rewrite (_ : [set r | _] = [set r | P x r] :|: [set r | has (P ^~ r) xs]); last by apply/setP => r; rewrite !inE.
apply: leq_trans (leq_mul (leq_card_setU _ _) (leqnn _)) _; rewrite big_cons !mulnDl; apply: leq_add.
  by apply: few; rewrite inE eqxx.
by apply: IH => y ys; apply: few; rewrite inE ys orbT.
Qed.

Section Pmac.
Variable F : finFieldType.
Hypothesis char2 : 2%N \in [char F].
Variables (gamma : nat -> F) (half : F) (limit : nat). (* coefficients of the inner blocks, x^-1, their number *)
Hypothesis gamma_inj : forall i j, (i < limit)%N -> (j < limit)%N -> gamma i = gamma j -> i = j.
Hypothesis gamma0 : forall i, (i < limit)%N -> gamma i != 0.
Hypothesis gamma_half : forall i, (i < limit)%N -> gamma i != half.
Hypothesis half0 : half != 0.

(* The inner blocks, the last with its padding, and whether it was full without. A padded block is not 0. *)
Definition message := (seq F * F * bool)%type.
Implicit Types (M : message) (Ms : seq message) (f : function F).
Definition valid M := (size M.1.1 <= limit)%N && (M.2 || (M.1.2 != 0)).
Definition pairs M := zip (mkseq gamma (size M.1.1)) M.1.1.
Definition last M : F := if M.2 then half else 0.
Definition final f M := total (last M) M.1.2 (pairs M) f.
Definition tag f M : F := f (final f M).

Definition blocks M := (size M.1.1).+1.
Definition cost Ms := (\sum_(M <- Ms) blocks M)%N.

Lemma size_pairs M : size (pairs M) = size M.1.1.
Proof. by rewrite size_zip size_mkseq minnn. Qed.

Lemma pairsP M t : t \in pairs M -> exists2 i, (i < size M.1.1)%N & t = (gamma i, nth 0 M.1.1 i).
Proof.
move=> /(nthP (0, 0)) [i lt <-]; rewrite size_pairs in lt; exists i => //.
by rewrite /pairs nth_zip ?size_mkseq // nth_mkseq.
Qed.

Lemma in_pairs M i : (i < size M.1.1)%N -> (gamma i, nth 0 M.1.1 i) \in pairs M.
Proof.
move=> lt; apply/(nthP (0, 0)); exists i; first by rewrite size_pairs.
by rewrite /pairs nth_zip ?size_mkseq // nth_mkseq.
Qed.

Lemma pairs_uniq M : valid M -> uniq (pairs M).
Proof.
move=> /andP [le _]; apply: (@map_uniq _ _ fst); rewrite -/(unzip1 _) unzip1_zip ?size_mkseq //; apply/mkseq_uniqP => i j; rewrite !inE => li lj.
by apply: gamma_inj; apply: leq_trans le.
Qed.

Lemma pairs_coefficient M t : valid M -> t \in pairs M -> (t.1 != 0) && (t.1 != half).
Proof.
move=> /andP [le _] /pairsP [i lt ->] /=.
by rewrite gamma0 ?gamma_half //; apply: leq_trans le.
Qed.

Lemma pairs_inj M M' : valid M -> valid M' -> pairs M =i pairs M' -> M.1.1 = M'.1.1.
Proof.
move=> v v' E; have Es : size M.1.1 = size M'.1.1.
  rewrite -!size_pairs; apply: perm_size; apply: uniq_perm => //; exact: pairs_uniq.
apply: (@eq_from_nth _ 0) => // i lt; have := in_pairs lt; rewrite E => /pairsP [j lj [Eg ->]].
congr nth; move: v v' => /andP [le _] /andP [le' _]; symmetry; apply: gamma_inj Eg; first exact: leq_trans le.
exact: leq_trans le'.
Qed.

(* The last input is an inner one, or 0. *)
Definition inputs Ms := (0, 0) :: flatten (map pairs Ms).

Lemma meet_input M Ms t : valid M -> all valid Ms -> t \in inputs Ms ->
  (#|[set f | final f M == place (f 0%R) t]| * #|F| <= blocks M * #|{: function F}|)%N.
Proof.
move=> v vs int; rewrite /blocks -size_pairs.
have -> : [set f | final f M == place (f 0) t] = [set f | total (last M - t.1) (M.1.2 - t.2) (pairs M) f == 0%R].
  apply/setP => f; rewrite !inE -subr_eq0; congr (_ == _); rewrite /final /total /place.
  by rewrite [LHS]addrAC opprD addrACA mulrBl.
apply: few_zero; first exact: pairs_uniq.
  by move=> t' /(pairs_coefficient v) /andP [].
move=> _; move: v => /andP [_]; rewrite /last; move: int; rewrite inE => /orP [/eqP -> /=|].
  by rewrite !subr0; case: M.2 => /= [_|->]; rewrite ?half0 ?orbT.
move=> /flattenP [ps /mapP [M' in' ->]] /(pairs_coefficient (allP vs _ in')) /andP [t0 th] _.
by case: M.2; rewrite subr_eq0 eq_sym ?th ?t0.
Qed.

(* The last inputs of two messages are the same. *)
Definition apart M M' := [seq t <- pairs M | t \notin pairs M'] ++ [seq t <- pairs M' | t \notin pairs M].

Lemma meet_messages M M' : valid M -> valid M' -> M != M' ->
  (#|[set f | final f M == final f M']| * #|F| <= (blocks M + size M'.1.1) * #|{: function F}|)%N.
Proof.
move=> v v' ne; have minus (x : F) : - x = x by exact: oppr_char2.
have -> : [set f | final f M == final f M']
    = [set f | total (last M - last M') (M.1.2 - M'.1.2) (apart M M') f == 0%R].
  apply/setP => f; rewrite !inE -subr_eq0; congr (_ == _); rewrite /final /total /apart big_cat /= !big_filter.
  rewrite (bigID (mem (pairs M'))) /= [X in _ - (_ + X)](bigID (mem (pairs M))) /=.
  have -> : \sum_(t <- pairs M | t \in pairs M') at_place f t = \sum_(t <- pairs M' | t \in pairs M) at_place f t.
    rewrite -[LHS]big_filter -[RHS]big_filter; apply: perm_big; apply: uniq_perm; rewrite ?filter_uniq ?pairs_uniq //.
    by move=> t; rewrite !mem_filter andbC.
  have cancel (a b c d x s s' common : F) :
    a * x + c + (common + s) - (b * x + d + (common + s')) = (a - b) * x + (c - d) + (s - s') by ring.
  by rewrite cancel; congr (_ + (_ + _)); exact: minus.
apply: (@leq_trans ((size (apart M M')).+1 * #|{: function F}|)); last first.
  rewrite leq_mul2r /apart size_cat /blocks addSn ltnS; apply/orP; right.
  by rewrite leq_add // size_filter -?(size_pairs M) -?(size_pairs M') count_size.
apply: few_zero.
- rewrite cat_uniq !filter_uniq ?pairs_uniq //= andbT; apply/hasPn => t; rewrite mem_filter => /andP [n _].
  by rewrite /= mem_filter (negbTE n) andbF.
- move=> t; rewrite mem_cat !mem_filter => /orP [] /andP [_ int].
    by have /andP [] := pairs_coefficient v int.
  by have /andP [] := pairs_coefficient v' int.
move=> E0; apply: contraR ne; rewrite negb_or !negbK !subr_eq0 => /andP [/eqP El /eqP Ec].
have E : M.1.1 = M'.1.1.
  apply: pairs_inj => // t; apply/idP/idP => int; apply: contraT => n.
    by have : t \in apart M M'; [rewrite mem_cat !mem_filter n int | rewrite E0].
  by have : t \in apart M M'; [rewrite mem_cat !mem_filter n int orbT | rewrite E0].
have Eb : M.2 = M'.2.
  by move: El; rewrite /last; case: M.2; case: M'.2 => // /eqP; rewrite ?(negbTE half0) // eq_sym (negbTE half0).
by apply/eqP; move: E Ec Eb; clear; case: M M' => [[? ?] ?] [[? ?] ?] /= -> -> ->.
Qed.

Definition good Ms f :=
  uniq (map (final f) Ms) && all (fun M => all (fun t => final f M != place (f 0) t) (inputs Ms)) Ms.

Fixpoint two Ms := if Ms is M :: Ms' then (\sum_(M' <- Ms') (blocks M + size M'.1.1) + two Ms')%N else 0%N.

Lemma twoE Ms : (two Ms <= (size Ms).-1 * cost Ms)%N.
Proof.
elim: Ms => [|M Ms IH] //=; rewrite /cost big_cons -/(cost Ms).
have -> : (\sum_(M' <- Ms) (blocks M + size M'.1.1) = size Ms * size M.1.1 + cost Ms)%N.
  by rewrite /cost; elim: (Ms) => [|M' Ms' IH']; rewrite ?big_nil // !big_cons IH' /blocks /= mulSn; lia.
rewrite /blocks; move: IH; case: Ms => [|M' Ms] /=; first by rewrite /cost big_nil.
by move: (cost _) (size M.1.1) (size Ms) (_ + two Ms)%N => c b s t; nia.
Qed.

Lemma few_repeat Ms : all valid Ms -> uniq Ms ->
  (#|[set f | ~~ uniq (map (final f) Ms)]| * #|F| <= two Ms * #|{: function F}|)%N.
Proof.
elim: Ms => [|M Ms IH] /=; first by rewrite (_ : [set f | _] = set0) ?cards0 //; apply/setP => f; rewrite !inE.
move=> /andP [v vs] /andP [n u].
apply: (@leq_trans (#|[set f | has (fun M' => final f M == final f M') Ms] :|: [set f | ~~ uniq (map (final f) Ms)]| * #|F|)).
  rewrite leq_mul2r; apply/orP; right; apply/subset_leq_card/subsetP => f; rewrite !inE negb_and negbK.
  move=> /orP [/mapP [M' inM E]|->]; last by rewrite orbT.
  by apply/orP; left; apply/hasP; exists M' => //; apply/eqP.
apply: leq_trans (leq_mul (leq_card_setU _ _) (leqnn _)) _; rewrite !mulnDl; apply: leq_add; last exact: IH.
apply: (few_has (P := fun M' f => final f M == final f M')) => M' inM; apply: meet_messages => //; first exact: (allP vs).
by apply: contraNneq n => ->.
Qed.

Lemma size_inputs Ms : (size (inputs Ms) + size Ms = (cost Ms).+1)%N.
Proof.
rewrite /inputs /= addSn; congr _.+1; rewrite /cost; elim: Ms => [|M Ms IH]; first by rewrite big_nil.
by rewrite big_cons /= size_cat size_pairs -IH /blocks; lia.
Qed.

(* The heart: the inputs of the tags are different, and no others, but for at most sigma^2 / #|F| of the functions. *)
Theorem few_bad Ms : all valid Ms -> uniq Ms ->
  (#|[set f | ~~ good Ms f]| * #|F| <= cost Ms ^ 2 * #|{: function F}|)%N.
Proof.
move=> vs u; pose P M f := has (fun t => final f M == place (f 0) t) (inputs Ms).
apply: (@leq_trans (#|[set f | ~~ uniq (map (final f) Ms)] :|: [set f | has (P ^~ f) Ms]| * #|F|)).
  rewrite leq_mul2r; apply/orP; right; apply/subset_leq_card/subsetP => f; rewrite !inE negb_and => /orP [->//|].
  move=> /allPn [M inM /allPn [t int]]; rewrite negbK => E.
  by apply/orP; right; apply/hasP; exists M => //; apply/hasP; exists t.
apply: leq_trans (leq_mul (leq_card_setU _ _) (leqnn _)) _; rewrite mulnDl.
have le1 := leq_mul (twoE Ms) (leqnn #|{: function F}|).
have le2 : (#|[set f | has (P ^~ f) Ms]| * #|F| <= (\sum_(M <- Ms) \sum_(t <- inputs Ms) blocks M) * #|{: function F}|)%N.
  apply: few_has => M inM; apply: (few_has (P := fun t f => final f M == place (f 0) t)) => t int.
  by apply: meet_input int => //; exact: (allP vs).
apply: leq_trans (leq_add (leq_trans (few_repeat vs u) le1) le2) _; rewrite -mulnDl leq_mul2r; apply/orP; right.
have -> : (\sum_(M <- Ms) \sum_(t <- inputs Ms) blocks M = cost Ms * size (inputs Ms))%N.
  rewrite /cost big_distrl /=; apply: eq_bigr => M _.
  by rewrite big_const_seq count_predT iter_addn_0.
have := size_inputs Ms; move: (size (inputs Ms)) => i; case: (Ms) => [|M Ms'] /=.
  by rewrite /cost big_nil.
move: (cost _) (size _) => c s; nia.
Qed.

(* Other values there give the tags that are wanted. *)
Lemma resample Ms (T : seq F) : size T = size Ms ->
  (#|[set f | good Ms f]| <= #|[set f | T == map (tag f) Ms]| * #|F| ^ size Ms)%N.
Proof.
move=> sT; pose ends f := map (final f) Ms.
pose redo f : function F := [ffun x => if x \in ends f then nth 0 T (index x (ends f)) else f x].
have out f x : x \notin ends f -> redo f x = f x by move=> n; rewrite ffunE (negbTE n).
have new f t : good Ms f -> t \in inputs Ms -> place (f 0) t \notin ends f.
  move=> /andP [_ /allP al] int; apply/negP => /mapP [M inM E].
  by have /allP /(_ t int) := al M inM; rewrite E eqxx.
have same0 f : good Ms f -> redo f 0 = f 0.
  move=> g; apply: out; have := new f (0, 0) g; rewrite /place mul0r addr0; apply.
  by rewrite inE eqxx.
have same f : good Ms f -> ends (redo f) = ends f.
  move=> g; apply/eq_in_map => M inM; rewrite /final /total same0 //; congr (_ + _).
  apply: eq_big_seq => t int; rewrite /at_place same0 // out // new // inE; apply/orP; right.
  by apply/flattenP; exists (pairs M) => //; exact: map_f.
have sz f : size (map f (ends f)) == size Ms by rewrite !size_map.
pose h f := (redo f, Tuple (sz f)).
have inj : {in [set f | good Ms f] &, injective h}.
  move=> f g; rewrite !inE => Gf Gg [E Ev].
  have Ee : ends f = ends g by rewrite -(same f) // -(same g) // E.
  apply/ffunP => x; case: (boolP (x \in ends f)) => inx; last first.
    by rewrite -(out f) // E out // -Ee.
  rewrite -Ee in Ev; exact: (eq_in_map _ _ _).2 inx.
rewrite -(card_tuple (size Ms) F) -[X in (_ <= _ * X)%N]cardsT -cardsX -(card_in_imset inj).
apply/subset_leq_card/subsetP => p /imsetP [f]; rewrite inE => G ->; rewrite !inE andbT /=.
rewrite (map_comp (redo f) (final (redo f))) -/(ends _) same //.
have u : uniq (ends f) by move: G => /andP [].
have se : size (ends f) = size Ms by rewrite size_map.
apply/eqP; apply: (@eq_from_nth _ 0); first by rewrite size_map se sT.
move=> i lt; rewrite (nth_map 0) ?se -?sT // ffunE mem_nth ?se -?sT //.
by rewrite index_uniq ?se -?sT.
Qed.

Lemma rare_tags Ms (T : seq F) sigma : all valid Ms -> uniq Ms -> (cost Ms <= sigma)%N -> size T = size Ms ->
  (#|{: function F}| * #|F| <= #|[set f | T == map (tag f) Ms]| * #|F| ^ size Ms * #|F| + sigma ^ 2 * #|{: function F}|)%N.
Proof.
move=> vs u le sT; rewrite -{1}(cardsC [set f | good Ms f]) mulnDl; apply: leq_add; first by rewrite leq_mul2r resample ?orbT.
rewrite (_ : ~: _ = [set f | ~~ good Ms f]); last by apply/setP => f; rewrite !inE.
by apply: leq_trans (few_bad vs u) _; rewrite leq_mul2r leq_exp2r ?le ?orbT.
Qed.

(* The adversary: q different messages of at most sigma blocks in all. *)
Variables (q sigma : nat) (query : seq F -> message).
Hypothesis valid_query : forall T, valid (query T).
Hypothesis different : forall T, size T = q -> uniq (asked query T).
Hypothesis length : forall T, size T = q -> (cost (asked query T) <= sigma)%N.

Lemma rare (T : q.-tuple F) :
  (#|{: function F}| * #|F| <=
   #|[set f | T == map (tag f) (asked query T) :> seq F]| * #|F| ^ q * #|F| + sigma ^ 2 * #|{: function F}|)%N.
Proof.
have sA : size (asked query T) = q by rewrite size_mkseq size_tuple.
have := @rare_tags (asked query T) T sigma; rewrite sA size_tuple; apply=> //; rewrite ?different ?length ?size_tuple //.
by apply/allP => M /mapP [i _ ->]; exact: valid_query.
Qed.

(* No set of lists of tags is likelier, by more than sigma^2 / #|F|, than under a random function of the message. *)
Theorem pmac_prf (A : {set q.-tuple F}) :
  (#|real (@tag) query A| * #|F| ^ q * #|F| <= #|A| * #|{: function F}| * #|F| + sigma ^ 2 * #|{: function F}| * #|F| ^ q)%N.
Proof. exact: indistinguishable rare _. Qed.
End Pmac.
