(* UMAC's known answers in less time: equal words of a list are joined, and a step of POLY is repeated by squaring. *)
From Coq Require Import NArith.
From mathcomp Require Import all_ssreflect.
From mathcomp Require Import zify.
Require Import TieUmac Aes RunUmac.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Local Open Scope N_scope.

(* Equal words that follow each other, with their number less one. *)
Fixpoint together (w c : N) (ws : seq N) : seq (N * N) :=
  if ws is w' :: ws' then if N.eqb w w' then together w (N.succ c) ws' else (w, c) :: together w' 0 ws' else [:: (w, c)].

Section Poly.
Variables (b d : nat) (limit k : N).
Hypothesis d_b : (d < 2 ^ b)%N.
Let B := bin_of_nat b.
Let D := bin_of_nat d.
Definition step (a t y : N) : N := reduce B D (a * y + t).
Fixpoint power (n : positive) (a t y : N) : N :=
  match n with
  | xH => step a t y
  | xO n' => power n' (reduce B D (a * a)) (reduce B D (a * t + t)) y
  | xI n' => power n' (reduce B D (a * a)) (reduce B D (a * t + t)) (step a t y)
  end.
Definition one (y w : N) : N := if w <? limit then step k w y else step k (w - D) (step k (N.shiftl 1 B - D - 1) y).
Definition several (y : N) (r : N * N) : N :=
  if r.1 <? limit then power (N.succ_pos r.2) k r.1 y else iter (nat_of_bin r.2).+1 (one ^~ r.1) y.
Definition quick_poly (ws : seq N) : N := if ws is w :: ws' then foldl several 1 (together w 0 ws') else 1.

Lemma twice a t y : step (reduce B D (a * a)) (reduce B D (a * t + t)) y = step a t (step a t y).
Proof.
apply: (can_inj nat_of_binK); rewrite !(@reduce_mod b d _ erefl d_b) !nat_of_add_bin !nat_of_mul_bin.
rewrite !(@reduce_mod b d _ erefl d_b) !nat_of_add_bin !nat_of_mul_bin; move: (2 ^ b - d)%N => p; clear.
by rewrite modnDmr -modnDml modnMml modnDml -[in RHS]modnDml modnMmr modnDml; congr (_ %% _)%N; lia.
Qed.
Lemma powerE n a t y : power n a t y = iter (nat_of_pos n) (step a t) y.
Proof.
have even m a' t' z : iter m (step (reduce B D (a' * a')) (reduce B D (a' * t' + t'))) z = iter m.*2 (step a' t') z.
  by elim: m => //= m ->; rewrite twice.
by elim: n a t y => [n IH|n IH|] a t y //=; rewrite IH even NatTrec.doubleE // -iterSr.
Qed.
Lemma severalE y w c : several y (w, c) = iter (nat_of_bin c).+1 (one ^~ w) y.
Proof.
rewrite /several; case: ifP => // lt; rewrite powerE.
have E (c' : N) : nat_of_pos (N.succ_pos c') = (nat_of_bin c').+1 by case: c' => //= p; exact: nat_of_succ_pos.
by rewrite E; apply: eq_iter => z; rewrite /one; move: lt => /= ->.
Qed.
Lemma togetherE ws w c y : foldl several y (together w c ws) = foldl one (iter (nat_of_bin c).+1 (one ^~ w) y) ws.
Proof.
elim: ws w c y => [|w' ws IH] w c y /=; first exact: severalE.
case: N.eqb_spec => [<-|_]; last by rewrite /= IH severalE.
by rewrite IH; case: c => //= p; rewrite nat_of_succ_pos.
Qed.
Lemma quick_polyE ws : quick_poly ws = poly B D limit k ws.
Proof. by case: ws => // w ws; rewrite /quick_poly togetherE. Qed.
End Poly.

Definition quick_level2 (k64 k128 : N) (ws : seq N) : N :=
  if (size ws <= 1)%N then nth 0 ws 0
  else if (size ws <= words64)%N then quick_poly 64 59 limit64 k64 ws
  else quick_poly 128 159 limit128 k128 (quick_poly 64 59 limit64 k64 (take words64 ws) :: in_pairs end_mark (drop words64 ws)).
Definition quick_uhash (E : N -> N) (n : nat) (M : message) : seq N :=
  let ks1 := kdf E 1 (63 + n) in let ks2 := kdf E 2 (2 * n) in let ks3 := kdf E 3 (4 * n) in let masks := kdf E 4 1 in
  map (fun t => let k := drop (6 * t) ks2 in
    N.lxor (level3 (drop (16 * t) ks3) (quick_level2 (point64 k) (point128 k) (words (drop (4 * t) ks1) M))) (nth 0 masks t)) (iota 0 n).
Definition quick (a : answer) : bool :=
  let: (key, n, l, nonce, M, tag) := a in
  let E0 := aes (flatten (map (bytes_of 4) (take (size key %/ 4) (kdf (aes key) 0 2)))) in
  whole M && (N.lxor (joined (quick_uhash (aes key) n M)) (pdf E0 n l nonce) == tag).

Lemma quickE : quick =1 holds.
Proof.
have small d b : (d < 2 ^ 8)%N -> (8 <= b)%N -> (d < 2 ^ b)%N by move=> lt le; apply: leq_trans lt _; rewrite leq_exp2l.
move=> -[[[[[key n] l] nonce] M] tag]; rewrite /quick /holds /umac /quick_uhash /uhash.
congr (_ && (N.lxor (joined _) _ == _)); apply: eq_map => t; rewrite /stream /quick_level2 /level2.
by rewrite !(quick_polyE _ _ (small 59%N 64%N isT isT)) !(quick_polyE _ _ (small 159%N 128%N isT isT)).
Qed.
