(* Hash and pads, all keys from one block cipher: the subkeys are its values at given blocks, and one of them is the key
   under which it makes the pads. RFC 4418 and Carter (Theorem 4 of docs/carter.md) are made so. *)
From mathcomp Require Import all_ssreflect all_algebra all_fingroup.
From mathcomp Require Import zify.
Require Import Counting HashThenPrf Switching Games Forgeries Pads.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.

Section CipherMac.
Variables (K B Part G Key : finType) (Nonce Msg : eqType).
Variables (h : K -> Msg -> G) (mix diff : G -> G -> G) (ok : pred Msg) (e N : nat).
Variables (block : Nonce -> B) (part : Nonce -> Part) (cut : B -> {ffun Part -> G}).

(* The cipher, the blocks that it encrypts to the subkeys, and what these are: the key of the pads and that of the hash. *)
Variables (E : Key -> {perm B}) (xs : seq B) (subkeys : seq B -> Key * K).
Definition mac key : Nonce * Msg -> G :=
  let keys := subkeys (map (E key) xs) in tag h mix block part cut (E keys.1) keys.2.

(* The two programs that tell the cipher from a permutation, if they can. One computes the subkeys with what it calls, and
   then runs the game; the other draws the hash's key, and calls for a pad where the game needs a tag. *)
Definition derive_game (A : adversary (Nonce * Msg) G) : program B B bool :=
  calls xs (fun ys => Return (forges (tag h mix block part cut (E (subkeys ys).1) (subkeys ys).2) A)).
Definition pads_game (A : adversary (Nonce * Msg) G) (k : K) : program B B bool :=
  through (fun NM => Call (block NM.1) (fun y => Return (mix (h k NM.2) (cut y (part NM.1))))) (game [::] A).

Lemma run_pads f A k : run f (pads_game A k) = forges (tag h mix block part cut f k) A.
Proof. by rewrite run_through. Qed.

Variables (q v : nat).
Lemma calls_of_derive_game A : within (size xs) (derive_game A).
Proof. by rewrite -[size xs]addn0; exact: within_calls. Qed.

Lemma calls_of_pads_game A k : keeps (fair ok q v) A -> within (q + v) (pads_game A k).
Proof.
pose mac_of NM : program B B G := Call (block NM.1) (fun y => Return (mix (h k NM.2) (cut y (part NM.1)))).
have win NM : within 1 (mac_of NM) by [].
have head (A' : adversary (Nonce * Msg) G) asked tried : keeps_to (fair ok q v) asked tried A' -> fair ok q v asked tried.
  by case: A' => [|? ?|? ? ?] [].
have general (A' : adversary (Nonce * Msg) G) asked tried : keeps_to (fair ok q v) asked tried A' ->
    within (q - size asked + (v - size tried)) (through mac_of (game asked A')).
  elim: A' asked tried => [|NM next IH|NM t next IH] asked tried [f k'] //.
    apply: (@within_le _ _ _ _ (1 + (q - size (NM :: asked) + (v - size tried)))).
      have [_ _ le _] : fair ok q v (NM :: asked) tried by exact: head (k' (cut (block NM.1) (part NM.1))).
      by move: le => /=; lia.
    by apply: (within_bind (win NM)) => g; exact: IH (k' g).
  apply: (@within_le _ _ _ _ (1 + (q - size asked + (v - size (NM :: tried))))).
    by have [_ _ _ le] := head _ _ _ (k' true); move: le => /=; lia.
  by apply: (within_bind (win NM)) => g; case: ifP => _ //; exact: IH (k' (g == t)).
by move=> kept; have := general _ _ _ kept; rewrite !subn0.
Qed.

Hypothesis mix_inj : forall x, injective (mix x).
Hypothesis diff_mix : forall x y p, diff (mix x p) (mix y p) = diff x y.
Hypothesis axu : forall M M', M != M' -> ok M -> ok M' -> forall d,
  #|[set k | diff (h k M) (h k M') == d]| * N <= e * #|K|.
Hypothesis least : N <= e * #|G|.
Hypothesis places : injective (fun n => (block n, part n)).
Hypothesis even : forall parts, #|[set b | cut b == parts]| * #|G| ^ #|Part| <= #|B|.
Hypothesis different : uniq xs.
Hypothesis uniform : forall keys, #|[set t : (size xs).-tuple B | subkeys t == keys]| * (#|Key| * #|K|) <= #|B| ^ size xs.

(* Subkeys that are values of a random function are uniform. *)
Lemma from_function (W : pred (Key * K)) : (pr (fun f : {ffun B -> B} => W (subkeys (map f xs))) <= pr W)%R.
Proof.
have B0 : 0 < #|B| ^ size xs 
  by case: (xs) => [|x s]; rewrite ?expn0 // expn_gt0; apply/orP; left; apply/card_gt0P; exists x.
have one keys : #|[set f : {ffun B -> B} | subkeys (map f xs) == keys]| * (#|Key| * #|K|) <= #|{: {ffun B -> B}}|.
  have sz (f : {ffun B -> B}) : size (map f xs) == size xs by rewrite size_map.
  rewrite -(leq_pmul2r B0) mulnAC; set S := [set f : {ffun B -> B} | _].
  have few : #|S| * #|B| ^ size xs <= #|[set t : (size xs).-tuple B | subkeys t == keys]| * #|{: {ffun B -> B}}|.
    rewrite -sum1_card (partition_big (fun f : {ffun B -> B} => Tuple (sz f)) (mem [set t : (size xs).-tuple B | subkeys t == keys])) /=; last first.
      by move=> f; rewrite !inE.
    rewrite big_distrl -sum_nat_const /=; apply: leq_sum => t _; rewrite sum1dep_card.
    apply: leq_trans (functions_taking different (size_tuple t)); rewrite leq_mul2r; apply/orP; right.
    by apply/subset_leq_card/subsetP => f; rewrite !inE => /andP [_ /eqP <-] /=.
  apply: leq_trans (leq_mul few (leqnn _)) _; rewrite mulnAC [X in _ <= X]mulnC leq_mul2r uniform orbT //.
have functions0 : (0 < #|{: {ffun B -> B}}|)%N by apply/card_gt0P; exists [ffun b => b].
case: (posnP #|{: Key * K}|) => [none|some].
  have no_keys : {ffun B -> B} -> False by move=> f; have := max_card (pred1 (subkeys (map f xs))); rewrite card1 none.
  by case: (no_keys [ffun b => b]).
rewrite /pr ler_pdivr_mulr ?ltr0n // mulrAC ler_pdivl_mulr ?ltr0n // -!natrM ler_nat.
rewrite -[X in (X * _ <= _)%N]sum1_card (partition_big (fun f : {ffun B -> B} => subkeys (map f xs)) (mem [set keys | W keys])) /=; last first.
  by move=> f; rewrite !inE.
rewrite big_distrl -sum_nat_const /=; apply: leq_sum => keys inW; rewrite sum1dep_card card_prod; apply: leq_trans (one keys).
by rewrite leq_mul2r; apply/orP; right; apply/subset_leq_card/subsetP => f; rewrite !inE => /andP [].
Qed.

Lemma from_permutation (A : adversary (Nonce * Msg) G) : (pr (fun P : {perm B} => run P (derive_game A))
  <= factor #|B| (size xs) * pr (fun keys : Key * K => forges (tag h mix block part cut (E keys.1) keys.2) A))%R.
Proof.
have le_B : size xs <= #|B| by rewrite -(card_uniqP different) max_card.
have functions0 : (0 < #|{: {ffun B -> B}}|)%N by apply/card_gt0P; exists [ffun b => b].
have f0 : (0 < #|B| ^_ size xs)%N by rewrite ffact_gt0.
apply: (@le_trans _ _ (pr (fun f : {ffun B -> B} => run f (derive_game A)) * factor #|B| (size xs) + 0%:R / (#|B| ^_ size xs)%:R)%R).
  apply: (pr_compare f0 functions0); rewrite !mul0n addn0; exact: switching_factor (calls_of_derive_game A).
rewrite mul0r addr0 mulrC ler_wpmul2l ?divr_ge0 ?ler0n //.
have runE : (fun f : {ffun B -> B} => run f (derive_game A)) =1
    (fun f => forges (tag h mix block part cut (E (subkeys (map f xs)).1) (subkeys (map f xs)).2) A).
  by move=> f; rewrite /derive_game run_calls.
rewrite (eq_pr runE); exact: (from_function (fun keys => forges (tag h mix block part cut (E keys.1) keys.2) A)).
Qed.

(* Every block cipher and every adversary, which may toss coins. *)
Variables (Coins : finType) (A : Coins -> adversary (Nonce * Msg) G).
Hypothesis kept : forall c, keeps (fair ok q v) (A c).
Hypothesis N0 : 0 < N.
Hypothesis few : q < #|B|.
Local Open Scope ring_scope.
Variable u : rat.
Hypothesis subkeys_factor : factor #|B| (size xs) <= u.
Theorem cipher_mac : pr (fun x : Coins * Key => forges (mac x.2) (A x.1))
  <= u * (v%:R * (e%:R / N%:R) * factor #|B| q.+1 + advantage E (fun ck : Coins * K => pads_game (A ck.1) ck.2))
     + advantage E (fun c => derive_game (A c)).
Proof.
have E0 : (fun x : Coins * Key => forges (mac x.2) (A x.1)) =1 (fun x => run (E x.2) (derive_game (A x.1))).
  by move=> x; rewrite /derive_game run_calls.
rewrite (eq_pr E0) -ler_subl_addr; apply: (le_trans _ (_ : factor #|B| (size xs)
  * pr (fun x : Coins * (Key * K) => forges (tag h mix block part cut (E x.2.1) x.2.2) (A x.1)) <= _)).
  rewrite /advantage opprB addrCA subrr addr0.
  exact: (pr_pair_factor (P' := fun c (keys : Key * K) => forges (tag h mix block part cut (E keys.1) keys.2) (A c)) (fun c => from_permutation (A c))).
apply: ler_pmul => //; rewrite ?pr_ge0 ?divr_ge0 ?ler0n //.
pose order (x : Coins * (Key * K)) := ((x.1, x.2.2), x.2.1); pose order' (x : Coins * K * Key) := (x.1.1, (x.2, x.1.2)).
have oK : cancel order order' by case=> c [].
have oK' : cancel order' order by case=> [[]].
have -> : pr (fun x : Coins * (Key * K) => forges (tag h mix block part cut (E x.2.1) x.2.2) (A x.1))
    = pr (fun x : (Coins * K) * Key => run (E x.2) (pads_game (A x.1.1) x.1.2)).
  by rewrite -(pr_order _ oK oK'); apply: eq_pr => x; rewrite /= run_pads.
rewrite -ler_subl_addr /advantage opprB addrCA subrr addr0.
pose turn (x : Coins * (K * {perm B})) := ((x.1, x.2.1), x.2.2); pose turn' (x : Coins * K * {perm B}) := (x.1.1, (x.1.2, x.2)).
have tK : cancel turn turn' by case=> c [].
have tK' : cancel turn' turn by case=> [[]].
rewrite -(pr_order _ tK tK').
have -> : pr ((fun x : Coins * K * {perm B} => run x.2 (pads_game (A x.1.1) x.1.2)) \o turn)
    = pr (fun x : Coins * (K * {perm B}) => forges (tag h mix block part cut x.2.2 x.2.1) (A x.1)).
  by apply: eq_pr => x; rewrite /= run_pads.
apply: (pr_pair_le (P := fun c (r : K * {perm B}) => forges (tag h mix block part cut r.2 r.1) (A c))) => [|c].
  by rewrite /factor !mulr_ge0 ?invr_ge0 ?ler0n.
exact: (pads mix_inj diff_mix axu least places even (kept c) N0 few).
Qed.
End CipherMac.
