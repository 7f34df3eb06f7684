(* PMAC's bound for a random permutation: the forgery under a random function, and the switching lemma for the game. *)
From mathcomp Require Import all_ssreflect all_algebra all_fingroup.
From mathcomp Require Import zify.
Require Import Counting Prf Attempts Pmac Switching.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import GRing.Theory.
Local Open Scope ring_scope.

Section Game.
Variable F : finFieldType.
Hypothesis char2 : 2%N \in [char F].
Variables (gamma : nat -> F) (half : F) (limit : nat).
Hypothesis gamma_inj : forall i j, (i < limit)%N -> (j < limit)%N -> gamma i = gamma j -> i = j.
Hypothesis gamma0 : forall i, (i < limit)%N -> gamma i != 0.
Hypothesis gamma_half : forall i, (i < limit)%N -> gamma i != half.
Hypothesis half0 : half != 0.
Variables (q sigma u : nat) (query : seq F -> message F) (guess : seq F -> {set F}).
Hypothesis valid_query : forall T, valid limit (query T).
Hypothesis different : forall T, size T = q.+1 -> uniq (asked query T).
Hypothesis length : forall T, size T = q.+1 -> (cost (asked query T) <= sigma)%N.
Hypothesis width : forall T, (#|guess T| <= u)%N.
Let forged := forged gamma half q query guess.

(* The game as a program: L first, then the blocks of each message, then its tag. *)
Fixpoint summed L (s : seq (F * F)) (sum : F) (next : F -> program F bool) : program F bool :=
  if s is t :: s' then Call (place L t) (fun y => summed L s' (sum + y) next) else next sum.
Definition tagged L (M : message F) (next : F -> program F bool) : program F bool :=
  summed L (pairs gamma M) (last half M * L + M.1.2) (fun x => Call x next).
Fixpoint asks L n T : program F bool :=
  tagged L (query T) (fun g => if n is n'.+1 then asks L n' (rcons T g) else Return F (g \in guess T)).
Definition game : program F bool := Call 0 (fun L => asks L q [::]).

Lemma run_summed (f : function F) s sum next :
  run f (summed (f 0) s sum next) = run f (next (sum + \sum_(t <- s) at_place f t)).
Proof. by elim: s sum => [|t s IH] sum /=; rewrite ?big_nil ?addr0 // big_cons IH addrA. Qed.

Lemma run_tagged (f : function F) M next : run f (tagged (f 0) M next) = run f (next (tag gamma half f M)).
Proof. by rewrite /tagged run_summed. Qed.

Lemma run_asks (f : function F) n i : (i + n = q)%N ->
  run f (asks (f 0) n (tags (tag gamma half) query f i))
  = (tag gamma half f (query (tags (tag gamma half) query f q)) \in guess (tags (tag gamma half) query f q)).
Proof.
elim: n i => [|n IH] i E /=; rewrite run_tagged; first by rewrite -E addn0.
by rewrite -(IH i.+1) // -E addnS.
Qed.

Lemma run_game (f : function F) : run f game = (f \in forged).
Proof. by rewrite inE /=; exact: (@run_asks f q 0 (add0n q)). Qed.

Lemma within_summed L s sum next c : (forall x, within c (next x)) -> within (size s + c) (summed L s sum next).
Proof. by move=> win; elim: s sum => [|t s IH] sum //= y; exact: IH. Qed.

Lemma within_tagged L M next c : (forall y, within c (next y)) -> within (blocks M + c) (tagged L M next).
Proof. by move=> win; rewrite /blocks addSnnS -(size_pairs gamma M); apply: within_summed. Qed.

Lemma within_le (p : program F bool) c c' : (c <= c')%N -> within c p -> within c' p.
Proof. by elim: p c c' => [a|x next IH] [|c] [|c'] //= le win y; apply: IH (win y). Qed.

Lemma cost_asked T : (size T <= q.+1)%N -> (cost (asked query T) <= sigma)%N.
Proof.
move=> le; pose R := T ++ nseq (q.+1 - size T) 0.
have sR : size R = q.+1 by rewrite size_cat size_nseq subnKC.
apply: leq_trans (length sR); have -> : asked query T = take (size T) (asked query R).
  by rewrite -asked_take ?sR // take_size_cat.
by rewrite -{2}(cat_take_drop (size T) (asked query R)) /cost big_cat /= leq_addr.
Qed.

Lemma cost_rcons T g : cost (asked query (rcons T g)) = (cost (asked query T) + blocks (query T))%N.
Proof. by rewrite asked_rcons /cost -cats1 big_cat big_seq1. Qed.

Lemma cost_next T : (size T <= q)%N -> (cost (asked query T) + blocks (query T) <= sigma)%N.
Proof. by move=> le; rewrite -(cost_rcons T 0) cost_asked // size_rcons. Qed.

Lemma within_asks L n T : (size T + n = q)%N -> within (sigma - cost (asked query T)) (asks L n T).
Proof.
elim: n T => [|n IH] T E /=; have := @cost_next T; rewrite -E leq_addr => /(_ isT) le.
  apply: (@within_le _ (blocks (query T) + 0)); first by rewrite addn0 leq_subRL; lia.
  exact: within_tagged.
apply: (@within_le _ (blocks (query T) + (sigma - (cost (asked query T) + blocks (query T))))); first by lia.
by apply: within_tagged => g; rewrite -(cost_rcons T g); apply: IH; rewrite size_rcons addSnnS.
Qed.

Lemma within_game : within sigma.+1 game.
Proof. by move=> L; have := @within_asks L q [::] (add0n _); rewrite /cost big_nil subn0. Qed.

Lemma run_ext (f g : F -> F) (p : program F bool) : f =1 g -> run f p = run g p.
Proof. by move=> E; elim: p => [a|x next IH] //=; rewrite E IH. Qed.

(* (u + sigma^2) / #|F| + (sigma + 1) sigma / 2 #|F|. *)
Theorem pmac_permutation :
  (#|[set p : {perm F} | finfun p \in forged]| * (2 * #|F|)
   <= (2 * (u + sigma ^ 2) + sigma.+1 * sigma) * #|{: {perm F}}|)%N.
Proof.
have := switching within_game; have mac := pmac_mac char2 gamma_inj gamma0 gamma_half half0 valid_query different length width.
have -> : [set f : {perm F} | run f game] = [set p : {perm F} | finfun p \in forged].
  by apply/setP => p; rewrite in_set [RHS]in_set -run_game; apply: run_ext => x; rewrite ffunE.
have -> : [set f : {ffun F -> F} | run f game] = forged by apply/setP => f; rewrite in_set run_game.
move=> sw; have N0 : (0 < #|{: function F}|)%N by apply/card_gt0P; exists (finfun id).
rewrite -(leq_pmul2r N0); move: mac sw N0; rewrite -/forged.
by move: #|forged| #|[set p : {perm F} | _]| #|{: function F}| #|{: {perm F}}| #|F| => a b n p d; nia.
Qed.
End Game.
