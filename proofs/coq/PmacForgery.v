(* Forgeries of PMAC: under a random function, a random permutation, and any block cipher. *)
From mathcomp Require Import all_ssreflect all_algebra all_fingroup.
From mathcomp Require Import zify.
Require Import Counting HashThenPrf Games Forgeries Switching Pmac.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Forgery.
Variable F : finFieldType.
Hypothesis char2 : 2%N \in [char F].
Variables (gamma : nat -> F) (half : F) (limit : nat).
Hypothesis gamma_inj : forall i j, (i < limit)%N -> (j < limit)%N -> gamma i = gamma j -> i = j.
Hypothesis gamma0 : forall i, (i < limit)%N -> gamma i != 0.
Hypothesis gamma_half : forall i, (i < limit)%N -> gamma i != half.
Hypothesis half0 : half != 0.

(* A tag is the whole one, or what is cut from it. *)
Variables (G : finType) (cut : F -> G).
Hypothesis even : forall g, (#|[set x | cut x == g]| * #|G| <= #|F|)%N.
Definition mac (f : F -> F) (M : message F) : G := cut (tag gamma half (finfun f) M).

(* The adversary: at most v attempts, and sigma blocks in all messages that it asks for and tries. *)
Variables (sigma v : nat).
Definition fair (asked tried : seq (message F)) : Prop :=
  [/\ all (valid limit) (asked ++ tried), (cost asked + cost tried <= sigma)%N & (size tried <= v)%N].

Let cost_cons (M : message F) Ms : cost (M :: Ms) = (blocks M + cost Ms)%N. Proof. by rewrite /cost big_cons. Qed.

Lemma size_cost (Ms : seq (message F)) : (size Ms <= cost Ms)%N.
Proof. by elim: Ms => [|M Ms IH] //; rewrite cost_cons /= addSn ltnS; apply: leq_trans IH (leq_addl _ _). Qed.

Section Adversary.
Variable A : adversary (message F) G.
Hypothesis kept : keeps fair A.

(* The ideal tags: a random function of the message. *)
Let short : finType := [finType of {bseq limit of F} * F * bool].
Let name (M : message F) : short := (insub_bseq limit M.1.1, M.1.2, M.2).
Lemma name_inj : {in valid limit &, injective name}.
Proof.
move=> [[s x] b] [[s' x'] b'] /andP [/= le _] /andP [/= le' _] [E -> ->].
by move/(congr1 val): E; rewrite !val_insubd le le' => ->.
Qed.

Lemma names_uniq (Ms : seq (message F)) : all (valid limit) Ms -> uniq Ms -> uniq (map name Ms).
Proof. by move=> vs u; rewrite map_inj_in_uniq // => M M' /(allP vs) + /(allP vs); exact: name_inj. Qed.

Lemma ideal_tags (B : finType) (s : seq (message F * B)) : uniq (map fst s) -> all (valid limit) (map fst s) ->
  (all_of (fun r : {ffun short -> B} => r \o name) s * #|B| ^ size s <= #|{: {ffun short -> B}}|)%N.
Proof.
move=> u vs; have := @functions_taking _ _ (map name (map fst s)) (map snd s) (names_uniq vs u).
rewrite !size_map => /(_ erefl); apply: leq_trans; rewrite leq_mul2r; apply/orP; right.
apply/subset_leq_card/subsetP => r; rewrite !inE => /allP ag; apply/eqP; rewrite -!map_comp.
by apply/eq_in_map => xy /ag /eqP.
Qed.

Lemma ideal_forgeries :
  pr (fun r : {ffun short -> F} => forges (fun M => cut (r (name M))) A) <= v%:R / #|G|%:R.
Proof.
have Gpos : (0 < #|G|)%N by apply/card_gt0P; exists (cut 0).
pose S := [set g : {ffun short -> G} | forges (g \o name) A].
have few : (#|S| * #|G| <= v * #|{: {ffun short -> G}}|)%N.
  have Gq : (0 < #|G| ^ sigma)%N by rewrite expn_gt0 Gpos.
  rewrite -(leq_pmul2r Gq) -mulnA -expnS.
  apply: (@attempts _ _ _ (fun g : {ffun short -> G} => g \o name) fair sigma v _ (fun i => #|G| ^ i.+1)%N) kept.
  - by move=> asked tried [_ le _]; apply: leq_trans (size_cost _) (leq_trans (leq_addr _ _) le).
  - by move=> asked tried [].
  - move=> s asked tried M t u E le [vs _ _] new.
    have vs' : all (valid limit) (map fst ((M, t) :: s)).
      apply/allP => M' /=; rewrite inE E => inM; apply: (allP vs); rewrite mem_cat inE orbCA.
      by case/orP: inM => -> //; rewrite orbT.
    have := @ideal_tags _ ((M, t) :: s) _ vs'; rewrite /= E new u => /(_ isT); apply: leq_trans.
    by rewrite leq_mul2r; apply/orP; right; apply/subset_leq_card/subsetP => g; rewrite !inE /= andbC.
  - by move=> i le; rewrite -expnD addSn subnKC.
apply: (pr_bound Gpos); have := cut_functions (X := short) even S; move: few.
have -> : [set f : {ffun short -> F} | [ffun x => cut (f x)] \in S] = [set r : {ffun short -> F} | forges (fun M => cut (r (name M))) A].
  by apply/setP => r; rewrite !inE; apply: forges_ext => M; rewrite /= ffunE.
have : (0 < #|{: {ffun short -> G}}|)%N by rewrite card_ffun expn_gt0 Gpos.
by move: #|S| #|{: {ffun short -> G}}| #|[set r | _]| #|G| #|{: {ffun short -> F}}| => a b c d e; nia.
Qed.

(* The game, where the MAC is a function of whole tags. *)
Definition whole M : program (message F) F G := Call M (fun x => Return (cut x)).
Let few_blocks (Ms : seq (message F)) := all (valid limit) Ms /\ (cost Ms <= sigma)%N.

Lemma head_fair (A' : adversary (message F) G) asked tried : keeps_to fair asked tried A' -> fair asked tried.
Proof. by case: A' => [|? ?|? ? ?] []. Qed.

Lemma calls_kept (A' : adversary (message F) G) called asked tried : all (valid limit) called -> (cost called <= cost asked + cost tried)%N ->
  keeps_to fair asked tried A' -> calls_fair few_blocks called (through whole (game asked A')).
Proof.
elim: A' called asked tried => [|M next IH|M t next IH] called asked tried vs le [f k].
- by case: f => [_ le' _]; split=> //; exact: leq_trans le'.
- move=> /= y; have [] := head_fair (k (cut y)); rewrite /= => /andP [vM _] _ _.
  by apply: IH (k (cut y)); case: ifP => _ //=; rewrite ?vM ?cost_cons; move: le vs; clear; lia.
- move=> /= y; have [] := head_fair (k true); rewrite all_cat /= cost_cons => /and3P [va vM _] cM _.
  have le' : (cost (if M \in called then called else M :: called) <= cost asked + (blocks M + cost tried))%N.
    by case: ifP => _; rewrite ?cost_cons; move: le; clear; lia.
  have vs' : all (valid limit) (if M \in called then called else M :: called) by case: ifP => //= _; rewrite vM.
  move: le' vs'; move: (if M \in called then called else _) => called' le' vs'.
  case: ifP => _; first by split=> //; exact: leq_trans cM.
  by apply: IH (k (cut y == t)); rewrite ?cost_cons.
Qed.

Lemma weigh R Q a b k R' e : (b * k <= R' -> R * Q <= a * k * Q + e * R -> R * b * Q <= a * R' * Q + e * R * b)%N.
Proof. by move=> ideal real; have := leq_mul real (leqnn b); have := leq_mul (leqnn (a * Q)%N) ideal; lia. Qed.

(* v / #|G| + sigma^2 / #|F|. *)
Theorem pmac_function : pr (fun f : function F => forges (mac f) A) <= v%:R / #|G|%:R + (sigma ^ 2)%:R / #|F|%:R.
Proof.
have F0 : (0 < #|F|)%N by apply/card_gt0P; exists 0.
have ideal0 : (0 < #|{: {ffun short -> F}}|)%N by rewrite card_ffun expn_gt0 F0.
have real_run (f : function F) : forges (mac f) A = run (tag gamma half f) (through whole (game [::] A)).
  by rewrite run_through; apply: run_ext => M; rewrite /mac /= (_ : finfun f = f) //; apply/ffunP => x; rewrite ffunE.
have ideal_run (r : {ffun short -> F}) : forges (fun M => cut (r (name M))) A = run (r \o name) (through whole (game [::] A)).
  by rewrite run_through.
rewrite (eq_pr real_run); apply: (@le_trans _ _ (pr (fun r : {ffun short -> F} => forges (fun M => cut (r (name M))) A)
    * (#|F|%:R / #|F|%:R) + (sigma ^ 2)%:R / #|F|%:R)); last first.
  by rewrite divff ?pnatr_eq0 -?lt0n // mulr1 ler_add2r ideal_forgeries.
rewrite (eq_pr ideal_run); apply: (pr_compare F0 ideal0).
apply: rarely (@calls_kept A [::] [::] [::] isT (leq_addr _ _) kept) => s u [vs le].
have ideal := ideal_tags u vs; have := rare_tags char2 gamma_inj gamma0 gamma_half half0 vs u le (_ : size (map snd s) = _).
rewrite !size_map => /(_ erefl); rewrite (_ : #|[set f | _]| = all_of (fun f : function F => tag gamma half f) s).
  by move=> real; exact: weigh ideal real.
by apply: eq_card => f; rewrite !inE agreesE.
Qed.

(* The game as a program that calls the cipher: L first, and then the blocks of each message and its tag. *)
Fixpoint summed L (s : seq (F * F)) (sum : F) : program F F G :=
  if s is t :: s' then Call (place L t) (fun y => summed L s' (sum + y)) else Call sum (fun x => Return (cut x)).
Definition tagged L (M : message F) : program F F G := summed L (pairs gamma M) (last half M * L + M.1.2).
Definition pmac_game : program F F bool := Call 0 (fun L => through (tagged L) (game [::] A)).

Lemma run_game (f : F -> F) : run f pmac_game = forges (mac f) A.
Proof.
rewrite /= run_through; apply: run_ext => M; rewrite /mac /tag /final /total /tagged ffunE.
have run_summed s sum : run f (summed (f 0) s sum) = cut (f (sum + \sum_(t <- s) at_place (finfun f) t)).
  elim: s sum => [|t s IH] sum /=; first by rewrite big_nil addr0.
  by rewrite big_cons IH addrA /at_place !ffunE.
by rewrite run_summed !ffunE.
Qed.

Lemma within_game : within sigma.+1 pmac_game.
Proof.
move=> L /=; have win M : within (blocks M) (tagged L M).
  rewrite /blocks -(size_pairs gamma M) /tagged; move: (_ + _) => sum.
  by elim: (pairs gamma M) sum => [|t s IH] sum //= y; exact: IH.
have general (A' : adversary (message F) G) asked tried : keeps_to fair asked tried A' ->
    within (sigma - (cost asked + cost tried)) (through (tagged L) (game asked A')).
  elim: A' asked tried => [|M next IH|M t next IH] asked tried [f k] //=.
    apply: (@within_le _ _ _ _ (blocks M + (sigma - (cost (M :: asked) + cost tried)))).
      by have [_ le _] := head_fair (k (cut 0)); move: le; rewrite cost_cons; lia.
    by apply: (within_bind (win M)) => g; exact: IH (k g).
  apply: (@within_le _ _ _ _ (blocks M + (sigma - (cost asked + cost (M :: tried))))).
    by have [_ le _] := head_fair (k true); move: le; rewrite cost_cons; lia.
  by apply: (within_bind (win M)) => g; case: ifP => _ //; exact: IH (k (g == t)).
by have := general _ _ _ kept; rewrite /cost !big_nil subn0.
Qed.

(* A random permutation: the switching lemma adds (sigma + 1) sigma / 2 #|F|. *)
Definition bound : rat := v%:R / #|G|%:R + (sigma ^ 2)%:R / #|F|%:R + (sigma.+1 * sigma)%:R / (2 * #|F|)%:R.
Theorem pmac_permutation : pr (fun P : {perm F} => forges (mac P) A) <= bound.
Proof.
have F0 : (0 < #|F|)%N by apply/card_gt0P; exists 0.
have F20 : (0 < 2 * #|F|)%N by rewrite muln_gt0 F0.
have functions0 : (0 < #|{: {ffun F -> F}}|)%N by rewrite card_ffun expn_gt0 F0.
apply: le_trans (_ : pr (fun f : function F => forges (mac f) A) + (sigma.+1 * sigma)%:R / (2 * #|F|)%:R <= _); last first.
  by rewrite ler_add2r pmac_function.
have runP : (fun P : {perm F} => forges (mac P) A) =1 (fun P => run P pmac_game) by move=> P; rewrite run_game.
have runf : (fun f : function F => forges (mac f) A) =1 (fun f => run f pmac_game) by move=> f; rewrite run_game.
rewrite (eq_pr runP) (eq_pr runf); have -> : pr (fun f : function F => run f pmac_game)
  = pr (fun f : function F => run f pmac_game) * ((2 * #|F|)%:R / (2 * #|F|)%:R) by rewrite divff ?mulr1 // pnatr_eq0 -lt0n.
apply: (pr_compare F20 functions0); have := switching within_game; rewrite /= => sw; lia.
Qed.
End Adversary.

(* Any block cipher, and an adversary that may toss coins: what is added is the advantage of the game, as a program that
   calls the cipher. *)
Theorem pmac_cipher (Key Coins : finType) (E : Key -> {perm F}) (A : Coins -> adversary (message F) G) :
  (forall c, keeps fair (A c)) ->
  pr (fun x : Coins * Key => forges (mac (E x.2)) (A x.1)) <= bound + advantage E (fun c => pmac_game (A c)).
Proof.
move=> kept; have E' : (fun x : Coins * Key => forges (mac (E x.2)) (A x.1)) =1 (fun x => run (E x.2) (pmac_game (A x.1))).
  by move=> x; rewrite run_game.
rewrite (eq_pr E'); apply: by_advantage => [|c]; first by rewrite !addr_ge0 ?divr_ge0 ?ler0n.
rewrite -(eq_pr (fun P : {perm F} => esym (run_game (A c) P))); exact: pmac_permutation.
Qed.
End Forgery.
