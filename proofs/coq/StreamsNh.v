(* NH of several streams together, for any two chunks: collisions of all streams of a set; two streams, each of which collides
   or has a given ratio. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import zify.
Require Import Counting NH Toeplitz Uhash Lines NhRatio Shift JointNh Collisions.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import GRing.Theory.
Local Open Scope nat_scope.

(* The last unit of a chunk of s bytes, and its four pairs. *)
Definition top s := (s.-1 %/ 32) %% 32.
Lemma pair_lt u (t : 'I_4) : 4 * (u %% 32) + t < pairs.
Proof. by have := ltn_ord t; have := ltn_pmod u (isT : 0 < 32); rewrite /pairs; lia. Qed.
Definition pair u (t : 'I_4) : 'I_pairs := Ordinal (pair_lt u t).
Lemma pair_unit u t : pair u t %/ 4 = u %% 32. Proof. by rewrite /=; have := ltn_ord t; lia. Qed.
Lemma pair_chain u t : pair u t %% 4 = t. Proof. by rewrite /=; have := ltn_ord t; lia. Qed.

Lemma counts_top s (p : 'I_pairs) : s <= C -> counts s p -> p %/ 4 <= top s.
Proof. by rewrite /counts /top /C => le; case/orP => [/eqP ->|]; lia. Qed.
Lemma top_counts s t : s <= C -> counts s (pair (s.-1 %/ 32) t).
Proof. rewrite /counts pair_unit /C => le; apply/orP; case: (posnP (s.-1 %/ 32 %% 32)) => [->|z]; [by left | right; lia]. Qed.
Lemma counts_0 s t : counts s (pair 0 t). Proof. by rewrite /counts pair_unit. Qed.

(* Two of a unit's pairs, the first or the last two. *)
Definition chain (x : bool) (y : bool) : 'I_4 := inord (2 * x + y).
Lemma chain_val x y : chain x y = 2 * x + y :> nat. Proof. by rewrite inordK //; case: x; case: y. Qed.
Lemma chains_ne u x : pair u (chain x false) != pair u (chain x true).
Proof. by apply/negP => /eqP /(congr1 (fun p : 'I_pairs => p %% 4)); rewrite !pair_chain !chain_val; case: x. Qed.

Lemma counts_cases s s' : s <= s' -> s' <= C -> counts s =1 counts s' \/ forall t, ~~ counts s (pair (s'.-1 %/ 32) t).
Proof.
rewrite /C => le le'; case: (boolP ((32 * (s'.-1 %/ 32) < s) || (s'.-1 %/ 32 == 0))) => [c|c]; [left => p | right => t].
  by rewrite /counts; lia.
by rewrite /counts pair_unit; move: c; rewrite negb_or; lia.
Qed.

Section StreamsNh.
Variables (N T : nat).
Hypothesis N1 : 1 < N.
Local Notation W := 'Z_N.
Variables (byte : eqType) (zero : byte) (elt : seq byte -> W).
Hypothesis elt_inj : forall s s', size s = 4 -> size s' = 4 -> elt s = elt s' -> s = s'.
Hypothesis lengths : 8 * C < N * N.
Local Notation nh_key := (nh_key N T).
Local Notation nh := (@nh N T byte zero elt).
Local Notation words_at := (@words_at N byte zero elt).
Implicit Types (i j : 'I_T) (M : seq byte) (K : nh_key).

Lemma card_W : #|{: W}| = N. Proof. by rewrite card_ord Zp_cast. Qed.

(* What stream i meets is decided by the words of two pairs of a unit, up to how many values: c on average over the words that
   they are multiplied by. *)
Definition zs i u (x b : bool) := z_places i (pair u (chain x false)) (pair u (chain x true)) b.
Definition cs i u (x b : bool) := c_places i (pair u (chain x false)) (pair u (chain x true)) b.
Definition decided (ev : pred nh_key) i u x b (c : nat) := exists2 kap : W * W -> nat,
  (forall K, #|[set w | ev (put2 (zs i u x b).1 (zs i u x b).2 K w)]| <= kap (get2 (cs i u x b).1 (cs i u x b).2 K)) &
  \sum_w kap w <= c * N ^ 2.

Lemma fresh_decided i u x b M M' : (forall t, ~~ counts (size M) (pair u t)) -> (forall t, counts (size M') (pair u t)) ->
  decided (fun K => nh i K M == nh i K M') i u x b (N + 1).
Proof.
move=> n c; set p := pair u (chain x false); set q := pair u (chain x true).
exists (fun y : W * W => fresh_few (y.1 + words_at M' p b, y.2 + words_at M' q b)%R).
  by move=> K; exact: (fresh_step zero elt N1 i b (chains_ne u x) K (n _) (n _) (c _) (c _)).
exact: sum_fresh.
Qed.

Lemma zs_ne i u x b : (zs i u x b).1 != (zs i u x b).2.
Proof. by apply: contra (chains_ne u x) => /eqP /place_inj [E]; apply/eqP/val_inj. Qed.
Lemma cs_ne i u x b : (cs i u x b).1 != (cs i u x b).2.
Proof. by apply: contra (chains_ne u x) => /eqP /place_inj [E]; apply/eqP/val_inj. Qed.

Lemma other_chains i j u v x b h : apart_places (cs i u x b) (zs j v (~~ x) h) /\ apart_places (cs i u x b) (cs j v (~~ x) h).
Proof.
have ne y y' k k' : place i (pair u (chain x y), k) != place j (pair v (chain (~~ x) y'), k').
  by apply: place_ne; rewrite !pair_chain !chain_val; apply/orP; right; case: x y y' => -[] [].
by split; apply/and4P; split; exact: ne.
Qed.
Lemma other_places i u (x b : bool) (e : 'I_(63 + T) * 'I_4) : e.2 %/ 2 != x -> e != (cs i u x b).1 /\ e != (cs i u x b).2.
Proof.
move=> ne; split; apply: contraNneq ne => ->; rewrite /= inordK ?ltn_mod // pair_chain chain_val; by case: (x).
Qed.

(* Words that a stream does not use: those behind its last unit, and those before its first. *)
Lemma above i j u x M : i < j -> size M <= C -> top (size M) <= u %% 32 -> unmoved (zs j u x false) (fun K => nh i K M).
Proof.
move=> lt s le K w; apply: nh_same => -[p h] /= cp; have := counts_top s cp => up.
have ne t : place i (p, h) != place j (pair u t, true).
  apply: place_ne; apply/orP; left; rewrite /level /=; have := ltn_ord t; case: h; lia.
by rewrite put2_out.
Qed.
Lemma below i j x M : i < j -> unmoved (zs i 0 x true) (fun K => nh j K M).
Proof.
move=> lt K w; apply: nh_same => -[p h] /= cp.
have ne t : place j (p, h) != place i (pair 0 t, false).
  by apply: place_ne; apply/orP; left; rewrite /level /=; have := ltn_ord t; lia.
by rewrite put2_out.
Qed.

(* Two events that use different chains, where the first of them is decided by words that the second does not see. *)
Lemma two_decided ev ev' i j u v x b b' c c' : decided ev i u x b c -> decided ev' j v (~~ x) b' c' -> unmoved (zs i u x b) ev' ->
  #|[set K | ev K && ev' K]| * N ^ 4 <= c * c' * #|{: nh_key}|.
Proof.
move=> [kap step mean] [kap' step' mean'] un.
pose e (t : bool) := if t then ev else ev'; pose z t := if t then zs i u x b else zs j v (~~ x) b'.
pose y t := if t then cs i u x b else cs j v (~~ x) b'; pose k t := if t then kap else kap'; pose a t := if t then c else c'.
have zne t : (z t).1 != (z t).2 by case: t; exact: zs_ne.
have cne t : (y t).1 != (y t).2 by case: t; exact: cs_ne.
have st t K : #|[set w | e t (put2 (z t).1 (z t).2 K w)]| <= kap_of y k t K by case: t; [exact: step | exact: step'].
have me t : \sum_w k t w <= a t * #|{: W}| ^ 2 by rewrite card_W; case: t; [exact: mean | exact: mean'].
have [o1 o2] := other_chains i j u v x b b'; have [_ o3] := other_chains j i v u (~~ x) b' b; rewrite negbK in o3.
have order : in_order z y e [:: true; false] by split=> // t; rewrite inE => /eqP ->; split.
have apart : places_apart y [:: true; false] by split=> // t; rewrite inE => /eqP ->.
have elim := eliminate zne st (D := xpredT) (f := fun=> 1) order (fun t _ => conj (fun _ _ => erefl) (fun _ _ => erefl)).
have av := average z cne me apart.
have {}elim := leq_trans elim (leq_trans (eq_leq (eq_bigr _ (fun K _ => mul1n _))) av).
move: elim; rewrite !big_cons big_nil muln1 card_W; apply: leq_trans; rewrite leq_mul2r -sum1_card; apply/orP; right.
by apply: eq_leq; apply: eq_bigl => K; rewrite inE /= andbT.
Qed.
(* A set of streams collides, where one chunk has a unit more. *)
Lemma fresh_collisions (Q : {set 'I_T}) M M' : size M <= size M' -> size M' <= C ->
  (forall t, ~~ counts (size M) (pair ((size M').-1 %/ 32) t)) ->
  #|[set K | [forall (i | i \in Q), nh i K M == nh i K M']]| * N ^ (2 * #|Q|) <= (N + 1) ^ #|Q| * #|{: nh_key}|.
Proof.
move=> le s' n; set u := (size M').-1 %/ 32 in n; have c t : counts (size M') (pair u t) by exact: top_counts.
pose p i := pair u (chain (odd i) false); pose q i := pair u (chain (odd i) true).
pose z i := zs i u (odd i) false; pose y i := cs i u (odd i) false.
pose kap i (w : W * W) := fresh_few (w.1 + words_at M' (p i) false, w.2 + words_at M' (q i) false)%R.
pose ev i K := nh i K M == nh i K M'.
have zne i : (z i).1 != (z i).2 by exact: zs_ne.
have cne i : (y i).1 != (y i).2 by exact: cs_ne.
have st i K : #|[set w | ev i (put2 (z i).1 (z i).2 K w)]| <= kap_of y kap i K.
  exact: (fresh_step zero elt N1 i false (chains_ne u (odd i)) K (n _) (n _) (c _) (c _)).
have me i : \sum_w kap i w <= (N + 1) * #|{: W}| ^ 2 by rewrite card_W //; exact: sum_fresh.
have out i j : j < i -> unmoved (z i) (ev j).
  move=> lt K w; have same M0 : size M0 <= size M' -> nh j (put2 (z i).1 (z i).2 K w) M0 = nh j K M0.
    move=> le0; apply: above => //; first exact: leq_trans s'.
    by rewrite /top /u; move: le0 s'; rewrite /C; lia.
  by rewrite /ev !same.
have apart i j : j < i -> apart_places (y i) (z j) /\ apart_places (y i) (y j).
  move=> lt; have ne x x' h : place i (pair u (chain (odd i) x), false) != place j (pair u (chain (odd j) x'), h).
    apply: place_ne; rewrite !pair_chain !chain_val /level !pair_unit /=; apply/orP.
    case: (eqVneq (i : nat) j.+1) => [->|d]; last by left; case: h; lia.
    by right; rewrite /=; case: (odd j) x x' => -[] [].
  by split; apply/and4P; split; exact: ne.
pose s := rev (enum Q).
have down : sorted (fun i j : 'I_T => j < i) s.
  have all : sorted ltn (map val (enum 'I_T)) by rewrite val_enum_ord; exact: iota_ltn_sorted.
  rewrite /s rev_sorted /enum_mem; apply: sorted_filter; first by move=> ? ? ?; exact: ltn_trans.
  by move: all; rewrite sorted_map enumT.
have tr : transitive (fun i j : 'I_T => j < i) by move=> b a d ba db; exact: ltn_trans db ba.
have order : in_order z y ev s /\ places_apart y s.
  elim: (s) down => // i r IH /= path; have [o a] := IH (path_sorted path).
  have lt j : j \in r -> j < i by move=> js; have /allP /(_ j js) := order_path_min tr path.
  split; split => // j js; have [h1 h2] := apart i j (lt j js); first by split => //; exact: out (lt j js).
  by move: h2 => /and4P [? ? ? ?]; apply/and4P; split; rewrite eq_sym.
have sz : size s = #|Q| by rewrite size_rev -cardE.
have elim := eliminate zne st (D := xpredT) (f := fun=> 1) order.1 (fun t _ => conj (fun _ _ => erefl) (fun _ _ => erefl)).
have av := average z cne me order.2.
have {}elim := leq_trans elim (leq_trans (eq_leq (eq_bigr _ (fun K _ => mul1n _))) av).
have prod : \prod_(i <- s) (N + 1) = (N + 1) ^ #|Q|.
  by rewrite -sz; elim: (s) => [|t r IH]; [rewrite big_nil | rewrite big_cons IH expnS].
move: elim; rewrite card_W // sz prod.
apply: leq_trans; rewrite leq_mul2r; apply/orP; right; rewrite -sum1_card.
apply: eq_leq; apply: eq_bigl => K; rewrite inE /=.
by apply/forallP/allP => [h i|h i]; [rewrite mem_rev mem_enum => iQ; exact: (implyP (h i)) | apply/implyP => iQ; apply: h; rewrite mem_rev mem_enum].
Qed.

(* A set of streams collides, for any two chunks. *)
Lemma all_collisions (Q : {set 'I_T}) M M' : M != M' -> size M <= C -> size M' <= C ->
  #|[set K | [forall (i | i \in Q), nh i K M == nh i K M']]| * N ^ (2 * #|Q|) <= 2 ^ #|Q|.-1 * (N + 1) ^ #|Q| * #|{: nh_key}|.
Proof.
wlog le : M M' / size M <= size M'.
  move=> sym ne s s'; case: (leqP (size M) (size M')) => [le|/ltnW le]; first exact: sym.
  rewrite eq_sym in ne; apply: leq_trans (sym M' M le ne s' s); rewrite leq_mul2r; apply/orP; right.
  apply/subset_leq_card/subsetP => K; rewrite !inE => /forallP h; apply/forallP => i; apply/implyP => iQ.
  by rewrite eq_sym; exact: (implyP (h i)).
move=> ne s s'; case: (counts_cases le s') => [same|n]; last first.
  apply: leq_trans (fresh_collisions Q le s' n) _; rewrite leq_mul2r; apply/orP; right.
  by rewrite -[X in X <= _]mul1n leq_mul2r expn_gt0 orbT.
have [Q0|[i0 iQ]] := set_0Vmem Q.
  by rewrite Q0 cards0 muln0 expn0 muln1 !mul1n max_card.
have [first firstQ least] := @arg_minnP _ i0 (mem Q) val iQ.
have [p [h [_ bound]]] := collisions N1 zero elt_inj lengths firstQ least ne s s' same.
have := bound (fun=> 1) (fun _ _ _ => erefl); rewrite sum1dep_card sum_nat_const muln1 => {}bound.
rewrite mul2n -addnn expnD mulnA; apply: leq_trans (leq_mul bound (leqnn _)) _.
rewrite mulnAC leq_mul2r leq_mul2l; apply/orP; right; apply/orP; right; case: #|Q| => [|t]; rewrite ?expn0 ?leq_exp2r ?leq_addr //.
Qed.

Variable H : nat.
Hypothesis H0 : 0 < H.
Lemma ratio_decided i u x b M M' a0 b0 : 0 < a0 -> 0 < b0 -> a0 != b0 ->
  (forall t, counts (size M) (pair u t) || counts (size M') (pair u t)) ->
  decided (fun K => b0 * nh i K M == a0 * nh i K M') i u x b (ratio_bound N H).
Proof.
move=> a1 b1 ab c; set p := pair u (chain x false); set q := pair u (chain x true).
exists (fun y : W * W => few N H (slope_of a0 b0 (counts (size M) p) (words_at M p b) (counts (size M') p) (words_at M' p b) y.1,
  slope_of a0 b0 (counts (size M) q) (words_at M q b) (counts (size M') q) (words_at M' q b) y.2)); last by apply: sum_few => //; exact: c.
by move=> K; exact: (ratio_step zero elt N1 i b (chains_ne u x) a0 b0 K M M' H0).
Qed.

(* One stream collides and another has a ratio. *)
Lemma collision_and_ratio i j M M' a b : i != j -> 0 < a -> 0 < b -> a != b -> M != M' -> size M <= C -> size M' <= C ->
  #|[set K | (b * nh j K M == a * nh j K M') && (nh i K M == nh i K M')]| * N ^ 4 <= ratio_bound N H * (N + 1) * #|{: nh_key}|.
Proof.
move=> ij; wlog le : M M' a b / size M <= size M'.
  move=> sym a0 b0 ab ne s s'; case: (leqP (size M) (size M')) => [le|/ltnW le]; first exact: sym.
  rewrite eq_sym in ne; rewrite eq_sym in ab; apply: leq_trans (sym M' M b a le b0 a0 ab ne s' s).
  by rewrite leq_mul2r; apply/orP; right; apply/subset_leq_card/subsetP => K; rewrite !inE => /andP [/eqP -> /eqP ->]; rewrite !eqxx.
move=> a0 b0 ab ne s s'; pose v := (size M').-1 %/ 32; pose u := if i < j then v else 0; pose k := ~~ (i < j).
have un x : unmoved (zs j u x k) (fun K => nh i K M == nh i K M').
  rewrite /u /k; case: (ltnP i j) => [lt|ge] K w.
    have same M0 : size M0 <= size M' -> nh i (put2 (zs j v x false).1 (zs j v x false).2 K w) M0 = nh i K M0.
      by move=> le0; apply: above => //; [exact: leq_trans s' | rewrite /top /v; move: le0 s'; rewrite /C; lia].
    by rewrite !same.
  by have lt : j < i by [rewrite ltn_neqAle eq_sym ij]; rewrite !(below x _ lt).
have cnt t : counts (size M) (pair u t) || counts (size M') (pair u t).
  by rewrite /u; case: ifP => _; [rewrite /v top_counts ?orbT | rewrite counts_0].
have rd x := ratio_decided j x k a0 b0 ab cnt.
case: (counts_cases le s') => [same|n]; last first.
  exact: two_decided (rd false) (fresh_decided i true false n (fun t => top_counts t s')) (un false).
have least (t : 'I_T) : t \in [set i] -> i <= t by rewrite inE => /eqP ->.
have [p [h [_ bound]]] := collisions N1 zero elt_inj lengths (set11 i) least ne s s' same.
pose e := place i (p, h); pose x := e.2 %/ 2 == 0.
have away : e.2 %/ 2 != x by rewrite /x; case: (e.2 %/ 2).
have [kap step mean] := rd x.
pose z (_ : unit) := zs j u x k; pose y (_ : unit) := cs j u x k; pose ev (_ : unit) K := b * nh j K M == a * nh j K M'.
have zne t : (z t).1 != (z t).2 by exact: zs_ne.
have cne t : (y t).1 != (y t).2 by exact: cs_ne.
have st t K : #|[set w | ev t (put2 (z t).1 (z t).2 K w)]| <= kap_of y (fun=> kap) t K by exact: step.
have me (t : unit) : \sum_w kap w <= ratio_bound N H * #|{: W}| ^ 2 by rewrite card_W.
have elim : (\sum_(K | (nh i K M == nh i K M') && all (fun t => ev t K) [:: tt]) 1) * #|{: W}| ^ (2 * 1)
    <= \sum_(K | nh i K M == nh i K M') 1 * \prod_(t <- [:: tt]) kap_of y (fun=> kap) t K.
  by apply: (eliminate zne st); [split | move=> t _; split; [exact: un | ]].
have av : \sum_K \prod_(t <- [:: tt]) kap_of y (fun=> kap) t K <= \prod_(t <- [:: tt]) ratio_bound N H * #|{: nh_key}|.
  by apply: (average z cne me); split.
have {}bound := bound (fun K => \prod_(t <- [:: tt]) kap_of y (fun=> kap) t K).
have {}bound : (\sum_(K | nh i K M == nh i K M') 1 * \prod_(t <- [:: tt]) kap_of y (fun=> kap) t K) * N
    <= \sum_K \prod_(t <- [:: tt]) kap_of y (fun=> kap) t K.
  have h0 := bound _; rewrite cards1 expn1 mul1n in h0; apply: leq_trans (h0 _).
    rewrite leq_mul2r; apply/orP; right; apply: eq_leq; apply: eq_big => K; last by rewrite mul1n.
    by apply/idP/forallP => [c t|/(_ i)]; [apply/implyP; rewrite inE => /eqP -> | rewrite inE eqxx].
  move=> K K' else_; rewrite !big_seq1 /kap_of /get2; have [n1 n2] := other_places j u k away.
  by rewrite !else_ // => t; rewrite inE => /eqP ->; rewrite eq_sym.
have prod : \prod_(t <- [:: tt]) ratio_bound N H = ratio_bound N H by rewrite big_seq1.
rewrite card_W in elim; rewrite prod in av.
have -> : #|[set K | (b * nh j K M == a * nh j K M') && (nh i K M == nh i K M')]|
    = \sum_(K | (nh i K M == nh i K M') && all (fun t => ev t K) [:: tt]) 1.
  by rewrite sum1dep_card; apply: eq_card => K; rewrite !inE /= andbT andbC.
have e4 X : X * N ^ 4 = X * N ^ (2 * 1) * N * N by rewrite (muln1 2) !expnS expn0 muln1 !mulnA.
have three := leq_trans (leq_mul elim (leqnn N)) (leq_trans bound av).
rewrite e4; apply: leq_trans (leq_mul three (leqnn N)) _; by rewrite mulnAC leq_mul2r leq_mul2l leq_addr !orbT.
Qed.

(* Two streams have ratios. *)
Lemma two_ratios i j M M' a b a' b' : i < j -> 0 < a -> 0 < b -> a != b -> 0 < a' -> 0 < b' -> a' != b' -> size M <= C -> size M' <= C ->
  #|[set K | (b * nh j K M == a * nh j K M') && (b' * nh i K M == a' * nh i K M')]| * N ^ 4
  <= ratio_bound N H * ratio_bound N H * #|{: nh_key}|.
Proof.
move=> lt a0 b0 ab a0' b0' ab' s s'; pose v := (maxn (size M) (size M')).-1 %/ 32.
have cnt t : counts (size M) (pair v t) || counts (size M') (pair v t).
  by rewrite /v /maxn; case: ltnP => _; rewrite top_counts ?orbT.
have cnt' t : counts (size M) (pair 0 t) || counts (size M') (pair 0 t) by rewrite counts_0.
apply: two_decided (ratio_decided j false false a0 b0 ab cnt) (ratio_decided i true true a0' b0' ab' cnt') _ => K w.
have same M0 : size M0 <= maxn (size M) (size M') -> nh i (put2 (zs j v false false).1 (zs j v false false).2 K w) M0 = nh i K M0.
  move=> le0; have le1 : maxn (size M) (size M') <= C by rewrite geq_max s s'.
  by apply: above => //; [exact: leq_trans le1 | rewrite /top /v; move: le0 le1; rewrite /C; lia].
by rewrite !same ?leq_maxl ?leq_maxr.
Qed.
End StreamsNh.
