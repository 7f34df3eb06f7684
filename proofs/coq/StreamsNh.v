(* NH of several streams together, for any two chunks: some collide, and others have given ratios. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import zify.
Require Import Counting NH Toeplitz Uhash Lines NhRatio Shift Collisions.
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

Lemma top_le s s' : s <= s' -> s' <= C -> top s <= s'.-1 %/ 32 %% 32. Proof. by rewrite /top /C; lia. Qed.
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

(* The words of two pairs of a unit of stream i, and the words that they are multiplied by. *)
Definition zs i u (x b : bool) := z_places i (pair u (chain x false)) (pair u (chain x true)) b.
Definition cs i u (x b : bool) := c_places i (pair u (chain x false)) (pair u (chain x true)) b.

Lemma zs_ne i u x b : (zs i u x b).1 != (zs i u x b).2.
Proof. by apply: contra (chains_ne u x) => /eqP /place_inj [E]; apply/eqP/val_inj. Qed.
Lemma cs_ne i u x b : (cs i u x b).1 != (cs i u x b).2.
Proof. by apply: contra (chains_ne u x) => /eqP /place_inj [E]; apply/eqP/val_inj. Qed.

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

Lemma places_ne i j u v (x y k k' b h : bool) : (2 * (u %% 32) + b + i != 2 * (v %% 32) + h + j) || (x != y) ->
  place i (pair u (chain x k), b) != place j (pair v (chain y k'), h).
Proof.
move=> ne; apply: place_ne; rewrite /level !pair_chain !chain_val !pair_unit; case/orP: ne => [->//|ne].
by apply/orP; right; case: x y k k' ne => [] [] [] [].
Qed.
Lemma cs_zs i j u v (x y b h : bool) : (2 * (u %% 32) + b + i != 2 * (v %% 32) + ~~ h + j) || (x != y) -> apart_places (cs i u x b) (zs j v y h).
Proof. by move=> ne; apply/and4P; split; exact: places_ne. Qed.
Lemma cs_cs i j u v (x y b h : bool) : (2 * (u %% 32) + b + i != 2 * (v %% 32) + h + j) || (x != y) -> apart_places (cs i u x b) (cs j v y h).
Proof. by move=> ne; apply/and4P; split; exact: places_ne. Qed.

(* Lists of streams, each of which is in a relation to all that come later. *)
Section Lists.
Variables (r : rel 'I_T) (z c : 'I_T -> ('I_(63 + T) * 'I_4) * ('I_(63 + T) * 'I_4)) (ev : 'I_T -> pred nh_key).
Lemma in_order_pairwise s : pairwise r s ->
  (forall i j, r i j -> unmoved (z i) (ev j) /\ apart_places (c i) (z j) /\ apart_places (c j) (c i)) -> in_order z c ev s /\ places_apart c s.
Proof.
move=> + all; elim: s => //= i s IH /andP [/allP first rest]; have [o p] := IH rest.
by split; split => // j js; have [? []] := all i j (first j js).
Qed.
End Lists.
Lemma upwards (A : pred 'I_T) : pairwise (fun i j : 'I_T => i < j) [seq i <- enum 'I_T | A i].
Proof.
have tr : transitive (fun i j : 'I_T => i < j) by move=> ? ? ?; exact: ltn_trans.
rewrite -sorted_pairwise //; apply: sorted_filter => //.
have : sorted ltn (map val (enum 'I_T)) by rewrite val_enum_ord; exact: iota_ltn_sorted.
by rewrite sorted_map.
Qed.
Lemma downwards (A : pred 'I_T) : pairwise (fun i j : 'I_T => j < i) (rev [seq i <- enum 'I_T | A i]).
Proof.
have tr : transitive (fun i j : 'I_T => i < j) by move=> ? ? ?; exact: ltn_trans.
have tr' : transitive (fun i j : 'I_T => j < i) by move=> m n p h1 h2; exact: ltn_trans h2 h1.
by rewrite -sorted_pairwise // rev_sorted sorted_pairwise //; exact: upwards.
Qed.

(* A set of streams collides, and each of another set has a ratio of its own. *)
Section Ratios.
Variables (Q R : {set 'I_T}) (a b : 'I_T -> nat) (H : nat).
Hypothesis H0 : 0 < H.
Hypothesis a0 : forall i, 0 < a i.
Hypothesis b0 : forall i, 0 < b i.
Hypothesis ab : forall i, a i != b i.
Hypothesis QR : [disjoint Q & R].
Definition collide M M' : pred nh_key := fun K => [forall (i | i \in Q), nh i K M == nh i K M'].
Definition ratio i M M' : pred nh_key := fun K => b i * nh i K M == a i * nh i K M'.
Definition ratios M M' : pred nh_key := fun K => [forall (i | i \in R), ratio i M M' K].
Definition ratio_few M M' i u x h (y : W * W) := few N H
  (slope_of (a i) (b i) (counts (size M) (pair u (chain x false))) (words_at M (pair u (chain x false)) h)
     (counts (size M') (pair u (chain x false))) (words_at M' (pair u (chain x false)) h) y.1,
   slope_of (a i) (b i) (counts (size M) (pair u (chain x true))) (words_at M (pair u (chain x true)) h)
     (counts (size M') (pair u (chain x true))) (words_at M' (pair u (chain x true)) h) y.2).

Lemma ratio_few_step M M' i u x h K :
  #|[set w | ratio i M M' (put2 (zs i u x h).1 (zs i u x h).2 K w)]| <= ratio_few M M' i u x h (get2 (cs i u x h).1 (cs i u x h).2 K).
Proof. exact: (ratio_step zero elt N1 i h (chains_ne u x) (a i) (b i) K M M' H0). Qed.
Lemma ratio_few_sum M M' i u x h : (forall t, counts (size M) (pair u t) || counts (size M') (pair u t)) ->
  \sum_w ratio_few M M' i u x h w <= ratio_bound N H * #|{: W}| ^ 2.
Proof. by move=> c; rewrite card_W; apply: sum_few. Qed.

Lemma prod_const (s : seq 'I_T) c : \prod_(i <- s) c = c ^ size s.
Proof. by elim: s => [|i s IH]; rewrite ?big_nil // big_cons IH expnS. Qed.

(* One chunk has a unit more. *)
Lemma fresh_streams M M' : size M <= size M' -> size M' <= C -> (forall t, ~~ counts (size M) (pair ((size M').-1 %/ 32) t)) ->
  #|[set K | collide M M' K && ratios M M' K]| * N ^ (2 * (#|Q| + #|R|))
  <= (N + 1) ^ #|Q| * ratio_bound N H ^ #|R| * #|{: nh_key}|.
Proof.
move=> le s' n; set u := (size M').-1 %/ 32 in n; have c t : counts (size M') (pair u t) by exact: top_counts.
pose p i := pair u (chain (odd i) false); pose q i := pair u (chain (odd i) true).
pose z i := zs i u (odd i) false; pose y i := cs i u (odd i) false.
pose kap i (w : W * W) := if i \in Q then fresh_few (w.1 + words_at M' (p i) false, w.2 + words_at M' (q i) false)%R
  else ratio_few M M' i u (odd i) false w.
pose ev i K := if i \in Q then nh i K M == nh i K M' else ratio i M M' K.
pose most i := if i \in Q then N + 1 else ratio_bound N H.
have zne i : (z i).1 != (z i).2 by exact: zs_ne.
have cne i : (y i).1 != (y i).2 by exact: cs_ne.
have st i K : #|[set w | ev i (put2 (z i).1 (z i).2 K w)]| <= kap_of y kap i K.
  rewrite /ev /kap_of /kap; case: ifP => iQ; last exact: ratio_few_step.
  exact: (fresh_step zero elt N1 i false (chains_ne u (odd i)) K (n _) (n _) (c _) (c _)).
have me i : \sum_w kap i w <= most i * #|{: W}| ^ 2.
  rewrite /kap /most; case: ifP => iQ; last by apply: ratio_few_sum => t; rewrite c orbT.
  by rewrite card_W; exact: sum_fresh.
pose s := rev [seq i <- enum 'I_T | i \in Q :|: R].
have [order apart] : in_order z y ev s /\ places_apart y s.
  apply: (in_order_pairwise (downwards _)) => i j lt; split; last split.
  - move=> K w; have same M0 : size M0 <= size M' -> nh j (put2 (z i).1 (z i).2 K w) M0 = nh j K M0.
      by move=> le0; apply: above => //; [exact: leq_trans s' | rewrite /top /u; move: le0 s'; rewrite /C; lia].
    by rewrite /ev /ratio !same.
  - apply: cs_zs; case: (eqVneq (i : nat) j.+1) => [->|d]; last by apply/orP; left; move: lt d => /=; lia.
    by apply/orP; right; rewrite /=; case: (odd j).
  - by apply: cs_cs; apply/orP; left; move: lt => /=; lia.
have mem_s i : (i \in s) = (i \in Q) || (i \in R) by rewrite mem_rev mem_filter inE mem_enum andbT.
have big F : \prod_(i <- s) F i = \prod_(i in Q) F i * \prod_(i in R) F i.
  rewrite (perm_big [seq i <- enum 'I_T | i \in Q :|: R]) ?perm_rev //= big_filter big_enum_cond /= -bigU //=.
  by apply: eq_bigl => i; rewrite !inE.
have sz : size s = #|Q| + #|R|.
  by rewrite size_rev size_filter -sum1_count big_enum_cond sum1_card -cardsUI (disjoint_setI0 QR) cards0 addn0.
have elim := eliminate zne st (D := xpredT) (f := fun=> 1) order (fun t _ => conj (fun _ _ => erefl) (fun _ _ => erefl)).
have av := average z cne me apart.
have {}elim := leq_trans elim (leq_trans (eq_leq (eq_bigr _ (fun K _ => mul1n _))) av).
have prod : \prod_(i <- s) most i = (N + 1) ^ #|Q| * ratio_bound N H ^ #|R|.
  rewrite big -!prod_nat_const; congr (_ * _); apply: eq_bigr => i iQ; rewrite /most ?iQ //.
  by rewrite (disjointFl QR iQ).
move: elim; rewrite card_W // sz prod.
apply: leq_trans; rewrite leq_mul2r; apply/orP; right; rewrite -sum1_card.
apply: eq_leq; apply: eq_bigl => K; rewrite inE /=.
apply/andP/allP => [[/forallP hQ /forallP hR] i|h].
  rewrite mem_s /ev; case: ifP => [iQ _|_ /= iR]; [exact: (implyP (hQ i)) | exact: (implyP (hR i))].
split; apply/forallP => i; apply/implyP => h0; have := h i; rewrite mem_s h0 ?orbT /ev.
  by move=> /(_ isT); rewrite h0.
by move=> /(_ isT); rewrite (disjointFl QR h0).
Qed.

Lemma order_up (n i j : nat) : j < i -> i != j.+1 -> 2 * n + 0 + i != 2 * n + 1 + j. Proof. by lia. Qed.
Lemma order_both (n i j : nat) : j < i -> j.+1 < i -> 2 * n + 0 + i != 2 * 0 + 0 + j. Proof. by lia. Qed.
Lemma apart_up (n i j : nat) : j < i -> 2 * n + 0 + j != 2 * n + 0 + i. Proof. by lia. Qed.
Lemma apart_both (n i j : nat) : j.+1 < i -> 2 * 0 + 1 + j != 2 * n + 0 + i. Proof. by lia. Qed.
Lemma apart_down (i j : nat) : i < j -> 2 * 0 + 1 + j != 2 * 0 + 1 + i. Proof. by lia. Qed.
Lemma with_between (i j q : nat) : q < i -> j < q -> (j < i) && (j.+1 < i). Proof. by lia. Qed.
Lemma next_up (v p h i q m : nat) : p <= v -> h <= 1 -> q <= m -> m < i -> 2 * v + 0 + i = 2 * p + h + q -> i = m.+1. Proof. by lia. Qed.
Lemma next_down (p h i q m : nat) : m <= q -> i < m -> 2 * 0 + 1 + i = 2 * p + h + q -> m = i.+1. Proof. by lia. Qed.
Lemma half_chain (q : nat) (x k : bool) : q %% 4 = 2 * x + k -> (q %% 4 %/ 2 == 0) = ~~ x. Proof. by case: x; case: k => ->. Qed.

(* As many units, where no stream that has a ratio lies between two that collide: those above them are decided by their last
   words, from the last stream down, those below by their first words, from the first stream up. *)
Hypothesis outside : forall r, r \in R -> (forall q, q \in Q -> q < r) \/ (forall q, q \in Q -> r < q).
Lemma same_streams M M' : M != M' -> size M <= C -> size M' <= C -> counts (size M) =1 counts (size M') ->
  #|[set K | collide M M' K && ratios M M' K]| * N ^ (2 * (#|Q| + #|R|))
  <= 2 ^ #|Q|.-1 * (N + 1) ^ #|Q| * ratio_bound N H ^ #|R| * #|{: nh_key}|.
Proof.
move=> ne s s' same; pose up (i : 'I_T) := [forall (q | q \in Q), q < i].
have upP i q : up i -> q \in Q -> q < i by move=> /forall_inP; exact.
have downP i q : i \in R -> ~~ up i -> q \in Q -> i < q.
  by move=> iR; case: (outside iR) => all; [move=> /negP []; apply/forall_inP => q0; exact: all | move=> _; exact: all].
pose v := (maxn (size M) (size M')).-1 %/ 32; pose at_ i := if up i then v else 0.
have cnt i t : counts (size M) (pair (at_ i) t) || counts (size M') (pair (at_ i) t).
  by rewrite /at_; case: ifP => _; rewrite ?counts_0 // /v /maxn; case: ltnP => _; rewrite top_counts ?orbT.
have above_ i j x K w : j < i -> nh j (put2 (zs i v x false).1 (zs i v x false).2 K w) M = nh j K M /\
    nh j (put2 (zs i v x false).1 (zs i v x false).2 K w) M' = nh j K M'.
  move=> lt; have le1 : maxn (size M) (size M') <= C by rewrite geq_max s s'.
  have le0 M0 : size M0 <= maxn (size M) (size M') -> nh j (put2 (zs i v x false).1 (zs i v x false).2 K w) M0 = nh j K M0.
    by move=> le0; apply: above => //; [exact: leq_trans le1 | rewrite /top /v; move: le0 le1; rewrite /C; lia].
  by rewrite !le0 ?leq_maxl ?leq_maxr.
pose ups := rev [seq i <- enum 'I_T | (i \in R) && up i]; pose downs := [seq i <- enum 'I_T | (i \in R) && ~~ up i].
pose rel (i j : 'I_T) := [&& i \in R, j \in R & if up i then (j < i) && (up j || (j.+1 < i)) else ~~ up j && (i < j)].
have mem_ups i : (i \in ups) = (i \in R) && up i by rewrite mem_rev mem_filter mem_enum andbT.
have mem_downs i : (i \in downs) = (i \in R) && ~~ up i by rewrite mem_filter mem_enum andbT.
have in_rel : pairwise rel (ups ++ downs).
  rewrite pairwise_cat; apply/and3P; split.
  - apply/allrelP => i j; rewrite mem_ups mem_downs => /andP [iR ui] /andP [jR uj]; rewrite /rel iR jR ui (negbTE uj) /=.
    have [q qQ qj] : exists2 q, q \in Q & j <= q by move: uj => /forall_inPn [q qQ]; rewrite -leqNgt; exists q.
    exact: with_between (upP _ _ ui qQ) (downP _ _ jR uj qQ).
  - have := downwards (fun i => (i \in R) && up i); apply: sub_in_pairwise (allss _) => i j.
    by rewrite -/ups !mem_ups /rel => /andP [-> ->] /andP [-> ->] /= ->.
  - have := upwards (fun i => (i \in R) && ~~ up i); apply: sub_in_pairwise (allss _) => i j.
    by rewrite -/downs !mem_downs /rel => /andP [-> /[dup] /negbTE -> _] /andP [-> ->] /= ->.
have us : uniq (ups ++ downs).
  have u1 : uniq ups by rewrite rev_uniq filter_uniq // enum_uniq.
  have u2 : uniq downs by rewrite filter_uniq // enum_uniq.
  rewrite cat_uniq u1 u2 andbT; apply/hasPn => i; by rewrite mem_downs /= mem_ups => /andP [-> /negbTE ->].
have mem_s i : (i \in ups ++ downs) = (i \in R) by rewrite mem_cat mem_ups mem_downs -andb_orr orbN andbT.
have sz : size (ups ++ downs) = #|R| by have /card_uniqP <- := us; exact: eq_card.
pose x eu ed i := odd i (+) (if up i then eu else ed).
pose z eu ed i := zs i (at_ i) (x eu ed i) (~~ up i); pose y eu ed i := cs i (at_ i) (x eu ed i) (~~ up i).
pose kap eu ed i := ratio_few M M' i (at_ i) (x eu ed i) (~~ up i).
pose weight eu ed K := \prod_(i <- ups ++ downs) kap_of (y eu ed) (kap eu ed) i K.
have part eu ed : (\sum_(K | collide M M' K && ratios M M' K) 1) * N ^ (2 * #|R|) <= \sum_(K | collide M M' K) weight eu ed K /\
    \sum_K weight eu ed K <= ratio_bound N H ^ #|R| * #|{: nh_key}|.
  have zne i : (z eu ed i).1 != (z eu ed i).2 by exact: zs_ne.
  have cne i : (y eu ed i).1 != (y eu ed i).2 by exact: cs_ne.
  have unmoved_by i j : i \in R -> rel i j \/ j \in Q -> forall K w, nh j (put2 (z eu ed i).1 (z eu ed i).2 K w) M = nh j K M /\
      nh j (put2 (z eu ed i).1 (z eu ed i).2 K w) M' = nh j K M'.
    move=> iR ij K w; rewrite /z /at_; case: (boolP (up i)) => ui; first by apply: above_; case: ij => [|/(upP _ _ ui) //]; rewrite /rel ui => /and4P [].
    by have lt : i < j by [case: ij => [|/(downP _ _ iR ui) //]; rewrite /rel (negbTE ui) => /and4P []]; rewrite !(below _ _ lt).
  have [order apart] : in_order (z eu ed) (y eu ed) (fun i => ratio i M M') (ups ++ downs) /\ places_apart (y eu ed) (ups ++ downs).
    apply: (in_order_pairwise in_rel) => i j ij; have /and3P [iR jR ij'] := ij; split; last split.
    - by move=> K w; have [e e'] := unmoved_by i j iR (or_introl ij) K w; rewrite /ratio e e'.
    - apply: cs_zs; rewrite /at_ /x; move: ij'; case: (up i) => [/andP [lt]|/andP [uj lt]]; last rewrite (negbTE uj).
        case: (up j) => /= [_|lt2]; last by apply/orP; left; rewrite mod0n; exact: order_both.
        case: (eqVneq (i : nat) j.+1) => [->|d]; last by apply/orP; left; exact: (order_up _ lt d).
        by apply/orP; right; rewrite /=; case: (odd j) (eu) => -[].
      case: (eqVneq (j : nat) i.+1) => [->|d]; last by [].
      by apply/orP; right; rewrite /=; case: (odd i) (ed) => -[].
    - apply: cs_cs; apply/orP; left; rewrite /at_; move: ij'; case: (up i) => [/andP [lt]|/andP [uj lt]].
        by case: (up j) => /= [_|lt2]; rewrite ?mod0n; [exact: apart_up | exact: apart_both].
      by rewrite (negbTE uj) /=; exact: apart_down.
  have st i K : #|[set w | ratio i M M' (put2 (z eu ed i).1 (z eu ed i).2 K w)]| <= kap_of (y eu ed) (kap eu ed) i K by exact: ratio_few_step.
  have me i : \sum_w kap eu ed i w <= ratio_bound N H * #|{: W}| ^ 2 by apply: ratio_few_sum => t; exact: cnt.
  have elim := eliminate zne st (D := collide M M') (f := fun=> 1) order.
  have av := average (z eu ed) cne me apart; rewrite prod_const sz in av; split; last exact: av.
  rewrite card_W sz in elim; apply: leq_trans (leq_trans (elim _) _).
  - rewrite leq_mul2r; apply/orP; right; apply: eq_leq; apply: eq_bigl => K; congr (_ && _).
    by apply/forallP/allP => h i; [rewrite mem_s => iR; exact: (implyP (h i)) | apply/implyP => iR; apply: h; rewrite mem_s].
  - move=> i; rewrite mem_s => iR; split => // K w; rewrite /collide; apply: eq_forallb => j; case: (boolP (j \in Q)) => //= jQ.
    by have [-> ->] := unmoved_by i j iR (or_intror jQ) K w.
  - by apply: eq_leq; apply: eq_bigr => K _; rewrite mul1n.
have -> : #|[set K | collide M M' K && ratios M M' K]| = \sum_(K | collide M M' K && ratios M M' K) 1 by rewrite sum1dep_card.
have [Q0|[q0 q0Q]] := set_0Vmem Q.
  have [h1 h2] := part false false; rewrite Q0 cards0 !mul1n add0n; apply: leq_trans h1 (leq_trans _ h2).
  by rewrite [X in X <= _]big_mkcond /=; apply: leq_sum => K _; case: ifP.
have [qmin qminQ least] := @arg_minnP _ q0 (mem Q) val q0Q.
have [qmax qmaxQ most] := @arg_maxnP _ q0 (mem Q) val q0Q.
have [p [h [cp bound]]] := collisions N1 zero elt_inj lengths qminQ least ne s s' same.
pose x0 := p %% 4 %/ 2 == 0; have [h1 h2] := part (odd qmax.+1 (+) x0) (~~ odd qmin (+) x0).
have {}bound := bound (weight (odd qmax.+1 (+) x0) (~~ odd qmin (+) x0)) _.
have {}bound : (\sum_(K | collide M M' K) weight (odd qmax.+1 (+) x0) (~~ odd qmin (+) x0) K) * N ^ #|Q|
    <= 2 ^ #|Q|.-1 * \sum_K weight (odd qmax.+1 (+) x0) (~~ odd qmin (+) x0) K.
  apply: bound => K K' else_; rewrite /weight big_seq [RHS]big_seq; apply: eq_bigr => i; rewrite mem_s => iR.
  have away q k : q \in Q -> place i (pair (at_ i) (chain (x (odd qmax.+1 (+) x0) (~~ odd qmin (+) x0) i) k), ~~ up i) != place q (p, h).
    move=> qQ; apply/negP => /eqP /place_eq [] /=; rewrite /level pair_unit pair_chain chain_val => El Ec.
    have xi := half_chain (esym Ec); move: El; rewrite -/x0 in xi; move: xi; rewrite /x /at_; case: (boolP (up i)) => ui.
      have le : p %/ 4 <= v %% 32 by apply: leq_trans (counts_top s cp) (top_le (leq_maxl _ _) _); rewrite geq_max s s'.
      move=> xi /(next_up le (leq_b1 h) (most _ qQ) (upP _ _ ui qmaxQ)) E.
      by move: xi; rewrite E addbA addbb; case: (x0).
    rewrite mod0n => xi /(next_down (least _ qQ) (downP _ _ iR ui qminQ)) E.
    by move: xi; rewrite E /= negbK addbA addbb; case: (x0).
  by rewrite /kap_of /get2 !else_ // => q qQ; exact: away.
have e X : X * N ^ (2 * (#|Q| + #|R|)) = X * N ^ (2 * #|R|) * N ^ #|Q| * N ^ #|Q| by rewrite mulnDr addnC expnD [2 * #|Q|]mul2n -addnn expnD !mulnA.
rewrite e; apply: (@leq_trans (2 ^ #|Q|.-1 * (ratio_bound N H ^ #|R| * #|{: nh_key}|) * N ^ #|Q|)).
  rewrite leq_mul2r; apply/orP; right; apply: leq_trans (leq_mul h1 (leqnn _)) (leq_trans bound _).
  by rewrite leq_mul2l h2 orbT.
rewrite -!mulnA leq_mul2l; apply/orP; right; rewrite [X in _ <= X]mulnC -!mulnA leq_mul2l; apply/orP; right.
by rewrite leq_mul2l; apply/orP; right; rewrite leq_exp2r ?leq_addr // card_gt0; apply/set0Pn; exists q0.
Qed.
End Ratios.

(* For any two chunks. *)
Lemma nh_together (Q R : {set 'I_T}) H a b M M' : 0 < H -> [disjoint Q & R] -> (forall i, [/\ 0 < a i, 0 < b i & a i != b i]) ->
  (forall r, r \in R -> (forall q, q \in Q -> q < r) \/ (forall q, q \in Q -> r < q)) -> M != M' -> size M <= C -> size M' <= C ->
  #|[set K | [forall (i | i \in Q), nh i K M == nh i K M'] && [forall (i | i \in R), b i * nh i K M == a i * nh i K M']]| * (N ^ 2) ^ (#|Q| + #|R|)
  <= 2 ^ #|Q|.-1 * (N + 1) ^ #|Q| * ratio_bound N H ^ #|R| * #|{: nh_key}|.
Proof.
move=> H0 QR; wlog le : M M' a b / size M <= size M'.
  move=> sym ab out ne s s'; case: (leqP (size M) (size M')) => [le|/ltnW le]; first exact: sym.
  rewrite eq_sym in ne; apply: leq_trans (sym M' M b a le _ out ne s' s); last by move=> i; have [a0 b0 n] := ab i; rewrite eq_sym.
  rewrite leq_mul2r; apply/orP; right; apply/subset_leq_card/subsetP => K; rewrite !inE => /andP [/forall_inP hQ /forall_inP hR].
  by apply/andP; split; apply/forall_inP => i iS; rewrite eq_sym; [exact: hQ | exact: hR].
move=> ab out ne s s'; rewrite -expnM; have [a0 b0 n] : [/\ forall i, 0 < a i, forall i, 0 < b i & forall i, a i != b i].
  by split=> i; have [] := ab i.
case: (counts_cases le s') => [same|one].
  exact: (same_streams H0 a0 b0 n QR out ne s s' same).
apply: leq_trans (fresh_streams H0 a0 b0 n QR le s' one) _.
by rewrite -!mulnA leq_pmull // expn_gt0.
Qed.

(* A set of streams collides. *)
Lemma all_collisions (Q : {set 'I_T}) M M' : M != M' -> size M <= C -> size M' <= C ->
  #|[set K | [forall (i | i \in Q), nh i K M == nh i K M']]| * N ^ (2 * #|Q|) <= 2 ^ #|Q|.-1 * (N + 1) ^ #|Q| * #|{: nh_key}|.
Proof.
move=> ne s s'; have no r : r \in (set0 : {set 'I_T}) -> (forall q, q \in Q -> q < r) \/ (forall q, q \in Q -> r < q) by rewrite inE.
have QR : [disjoint Q & set0] by rewrite disjoint_sym disjoints_subset sub0set.
have := nh_together (a := fun=> 1) (b := fun=> 2) (isT : 0 < 1) QR (fun=> And3 isT isT isT) no ne s s'.
rewrite cards0 addn0 muln1 -expnM; apply: leq_trans; rewrite leq_mul2r; apply/orP; right.
apply/subset_leq_card/subsetP => K; rewrite !inE => ->; by apply/forall_inP => i; rewrite inE.
Qed.
End StreamsNh.
