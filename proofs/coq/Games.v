(* Games: adversaries, and programs that call a function, a permutation or a block cipher. A forgery is a program's answer,
   and so is what a distinguisher says; an advantage is that of a program that is stated. *)
From mathcomp Require Import all_ssreflect all_algebra all_fingroup.
From mathcomp Require Import zify.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.

(* A program with a function that it may call: where it calls depends on what the calls before gave. *)
Section Programs.
Variables (D C A : Type).
Inductive program := Return of A | Call of D & (C -> program).
Fixpoint run (f : D -> C) p := match p with Return a => a | Call x next => run f (next (f x)) end.
Fixpoint within c p {struct p} : Prop := match p with
  | Return _ => True
  | Call _ next => if c is c'.+1 then forall y, within c' (next y) else False
  end.

Lemma run_ext f g p : f =1 g -> run f p = run g p.
Proof. by move=> E; elim: p => [a|x next IH] //=; rewrite E IH. Qed.

Lemma within_le p c c' : c <= c' -> within c p -> within c' p.
Proof. by elim: p c c' => [a|x next IH] [|c] [|c'] //= le win y; apply: IH (win y). Qed.

(* Calls at given places. *)
Fixpoint calls xs (next : seq C -> program) := if xs is x :: xs' then Call x (fun y => calls xs' (fun ys => next (y :: ys))) else next [::].

Lemma run_calls f xs next : run f (calls xs next) = run f (next (map f xs)).
Proof. by elim: xs next => [|x xs IH] next //=; rewrite IH. Qed.

Lemma within_calls xs next c : (forall ys, within c (next ys)) -> within (size xs + c) (calls xs next).
Proof. by elim: xs next => [|x xs IH] next win //= y; apply: IH. Qed.
End Programs.
Arguments Return {D C A}.

(* A program that calls a MAC, where the MAC is a program that calls a cipher. *)
Section Through.
Variables (D C Msg G A : Type).
Fixpoint bind (p : program D C G) (next : G -> program D C A) : program D C A :=
  match p with Return g => next g | Call x after => Call x (fun y => bind (after y) next) end.
Fixpoint through (mac : Msg -> program D C G) (p : program Msg G A) : program D C A :=
  match p with Return a => Return a | Call m next => bind (mac m) (fun g => through mac (next g)) end.

Lemma run_bind f p next : run f (bind p next) = run f (next (run f p)).
Proof. by elim: p => [g|x after IH] //=. Qed.

Lemma run_through f mac p : run f (through mac p) = run (fun m => run f (mac m)) p.
Proof. by elim: p => [a|m next IH] //=; rewrite run_bind. Qed.

Lemma within_bind a b p next : within a p -> (forall g, within b (next g)) -> within (a + b) (bind p next).
Proof.
elim: p a => [g|x after IH] a /=; first by move=> _ win; apply: within_le (win g); exact: leq_addl.
by case: a => //= a win win' y; apply: IH.
Qed.
End Through.

(* An adversary asks for tags and tries tags, in any order, and stops when it wants to. *)
Inductive adversary (Msg G : Type) :=
  Stop | Ask of Msg & (G -> adversary Msg G) | Try of Msg & G & (bool -> adversary Msg G).
Arguments Stop {Msg G}.

Section Play.
Variables (Msg G : eqType).

(* The game: true is a forgery, a tag that is right of a message that was not asked for. *)
Fixpoint game (asked : seq Msg) (A : adversary Msg G) : program Msg G bool := match A with
  | Stop => Return false
  | Ask m next => Call m (fun g => game (m :: asked) (next g))
  | Try m t next => Call m (fun g => if (m \notin asked) && (g == t) then Return true else game asked (next (g == t)))
  end.
Definition forges (tag : Msg -> G) A := run tag (game [::] A).

Lemma forges_ext tag tag' A : tag =1 tag' -> forges tag A = forges tag' A.
Proof. exact: run_ext. Qed.
End Play.

(* Functions with a name r, of which some agree with given answers. *)
Section Families.
Variables (D : eqType) (C R : finType) (at_ : R -> D -> C).
Implicit Types (s : seq (D * C)) (p : program D C bool).
Definition agrees s (f : D -> C) := all (fun xy : D * C => f xy.1 == xy.2) s.
Lemma agreesE s f : agrees s f = (map snd s == map f (map fst s)).
Proof. by elim: s => //= -[x y] s ->; rewrite eqseq_cons eq_sym. Qed.

Definition all_of s := #|[set r | agrees s (at_ r)]|.
Definition accepting p s := #|[set r | agrees s (at_ r) && run (at_ r) p]|.

Lemma accepting_le p s : accepting p s <= all_of s.
Proof. by apply/subset_leq_card/subsetP => r; rewrite !inE => /andP []. Qed.

Lemma accepting_return (b : bool) s : accepting (Return b) s = b * all_of s.
Proof.
case: b; rewrite ?mul1n ?mul0n; first by apply: eq_card => r; rewrite !inE andbT.
by apply/eqP; rewrite cards_eq0; apply/eqP/setP => r; rewrite !inE andbF.
Qed.

Lemma split_at x (P : pred R) s :
  #|[set r | agrees s (at_ r) && P r]| = \sum_y #|[set r | agrees ((x, y) :: s) (at_ r) && P r]|.
Proof.
rewrite -sum1_card (partition_big (fun r => at_ r x) xpredT) //=; apply: eq_bigr => y _.
rewrite sum1dep_card; apply: eq_card => r; rewrite !inE /=.
by rewrite andbC andbA.
Qed.

Lemma all_split x s : all_of s = \sum_y all_of ((x, y) :: s).
Proof.
have E s' : all_of s' = #|[set r | agrees s' (at_ r) && true]| by apply: eq_card => r; rewrite !inE andbT.
by rewrite E (split_at x); apply: eq_bigr => y _; rewrite E.
Qed.

Lemma accepting_call x next s : accepting (Call x next) s = \sum_y accepting (next y) ((x, y) :: s).
Proof.
rewrite /accepting (split_at x); apply: eq_bigr => y _; apply: eq_card => r; rewrite !inE /=.
by case: (at_ r x =P y) => [->|].
Qed.

Lemma accepting_known x y next s : (x, y) \in s -> accepting (Call x next) s = accepting (next y) s.
Proof.
move=> ins; apply: eq_card => r; rewrite !inE /=.
by case: (boolP (agrees s (at_ r))) => //= /allP /(_ _ ins) /= /eqP ->.
Qed.
End Families.

(* Probabilities. *)
Local Open Scope ring_scope.
Definition pr (T : finType) (P : pred T) : rat := #|[set x | P x]|%:R / #|T|%:R.

Section Probabilities.
Variable T : finType.
Implicit Types P : pred T.

Lemma pr_ge0 P : 0 <= pr P. Proof. by rewrite divr_ge0 ?ler0n. Qed.

Lemma eq_pr P P' : P =1 P' -> pr P = pr P'.
Proof. by move=> E; congr (_%:R / _); apply: eq_card => x; rewrite !inE E. Qed.

Lemma pr_le P P' : (forall x, P x -> P' x) -> pr P <= pr P'.
Proof.
move=> sub; rewrite ler_wpmul2r ?invr_ge0 ?ler0n // ler_nat; apply/subset_leq_card/subsetP => x.
by rewrite !inE; exact: sub.
Qed.

(* From whole numbers. *)
Lemma pr_bound P (n d : nat) : (0 < d)%N -> (#|[set x | P x]| * d <= n * #|T|)%N -> pr P <= n%:R / d%:R.
Proof.
move=> d0 le; case: (posnP #|T|) => [E|T0]; first by rewrite /pr E invr0 mulr0 divr_ge0 ?ler0n.
by rewrite /pr ler_pdivr_mulr ?ltr0n // mulrAC ler_pdivl_mulr ?ltr0n // -!natrM ler_nat.
Qed.
End Probabilities.

Lemma pr_compare (R R' : finType) (P : pred R) (P' : pred R') (n d e : nat) : (0 < d)%N -> (0 < #|R'|)%N ->
  (#|[set x | P x]| * #|R'| * d <= #|[set x | P' x]| * #|R| * n + e * #|R| * #|R'|)%N ->
  pr P <= pr P' * (n%:R / d%:R) + e%:R / d%:R.
Proof.
move=> d0 R'0 le; rewrite /pr mulf_div -natrM; set P'n := #|[set x | P' x]| in le *; set Pn := #|_| in le *.
have E : e%:R / d%:R = (e * #|R'|)%:R / (#|R'| * d)%:R :> rat.
  by rewrite (mulnC #|R'|) !natrM -mulf_div divff ?mulr1 // pnatr_eq0 -lt0n.
rewrite E -natrM -mulrDl -natrD; case: (posnP #|R|) => [->|R0]; first by rewrite invr0 mulr0 divr_ge0 ?ler0n.
rewrite ler_pdivr_mulr ?ltr0n // mulrAC ler_pdivl_mulr ?ltr0n ?muln_gt0 ?R'0 // -!natrM ler_nat.
by rewrite mulnA; apply: leq_trans le _; apply: eq_leq; lia.
Qed.

(* First one thing is drawn, then another. *)
Lemma pr_pair (A B : finType) (P : A -> pred B) : pr (fun x : A * B => P x.1 x.2) = (\sum_a pr (P a)) / #|A|%:R.
Proof.
rewrite /pr -mulr_suml -natr_sum card_prod natrM invfM [#|A|%:R^-1 * _]mulrC mulrA; congr (_%:R / _ / _).
rewrite -sum1_card (eq_bigl (fun x : A * B => true && P x.1 x.2)); last by move=> x; rewrite inE.
rewrite -(pair_big_dep xpredT (fun a b => P a b) (fun _ _ => 1%N)) /=.
by apply: eq_bigr => a _; rewrite sum1dep_card.
Qed.

Lemma pr_pair_le (A B : finType) (P : A -> pred B) b : 0 <= b -> (forall a, pr (P a) <= b) -> pr (fun x : A * B => P x.1 x.2) <= b.
Proof.
move=> b0 le; rewrite pr_pair; case: (posnP #|A|) => [->|A0]; first by rewrite invr0 mulr0.
rewrite ler_pdivr_mulr ?ltr0n //; apply: le_trans (ler_sum _ (fun a _ => le a)) _.
by rewrite sumr_const mulr_natr.
Qed.

Lemma pr_pair_factor (A B B' : finType) (P : A -> pred B) (P' : A -> pred B') (f : rat) :
  (forall a, pr (P a) <= f * pr (P' a)) -> pr (fun x : A * B => P x.1 x.2) <= f * pr (fun x : A * B' => P' x.1 x.2).
Proof.
move=> le; rewrite !pr_pair mulrA ler_wpmul2r ?invr_ge0 ?ler0n // mulr_sumr.
by apply: ler_sum => a _; exact: le.
Qed.

(* The same things, drawn in another order. *)
Lemma pr_order (A B : finType) (f : A -> B) (g : B -> A) (P : pred B) : cancel f g -> cancel g f -> pr (P \o f) = pr P.
Proof.
move=> fg gf; have bij : bijective f by exists g.
rewrite /pr (bij_eq_card bij); congr (_%:R / _).
by rewrite -[RHS](on_card_preimset (onW_bij _ bij)); apply: eq_card => x; rewrite !inE.
Qed.

(* How much better a program, which may toss coins, tells a block cipher under a random key from a random permutation. *)
Section Advantage.
Variables (Coins Key T : finType) (E : Key -> {perm T}) (p : Coins -> program T T bool).
Definition advantage : rat := pr (fun x : Coins * Key => run (E x.2) (p x.1)) - pr (fun x : Coins * {perm T} => run x.2 (p x.1)).

(* From a random permutation to the cipher. *)
Lemma by_advantage b : 0 <= b -> (forall c, pr (fun P : {perm T} => run P (p c)) <= b) ->
  pr (fun x : Coins * Key => run (E x.2) (p x.1)) <= b + advantage.
Proof. by move=> b0 le; rewrite addrCA ler_addl subr_ge0; exact: (pr_pair_le b0 le). Qed.
End Advantage.
