(* NH of RFC 4418 for several streams: each has the key words of the one before, moved by four words, half a pair. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import zify ring.
Require Import Counting NH Toeplitz Uhash Lines NhRatio.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory.
Local Open Scope nat_scope.

(* Words u replace the words that set puts: what they decide but for one of few labels is rare, weighted by what does not
   look at them. *)
Lemma count_bits (X W L : finType) (get : X -> W) (set : X -> W -> X) (A : pred X) (label : X -> L) (f : X -> nat) :
  (forall x w, get (set x w) = w) -> (forall x w, f (set x w) = f x) ->
  (forall x y u v, A x -> A y -> set x u = set y v -> label x = label y -> x = y) ->
  (\sum_(x | A x) f x) * #|W| <= #|L| * \sum_x f x.
Proof.
move=> get_set same one; pose g (p : X * W) := (set p.1 p.2, label p.1); pose S := [set p : X * W | A p.1].
have inj : {in S &, injective g}.
  move=> [x u] [y v]; rewrite !inE /g /= => Ax Ay [E El]; have Euv : u = v by rewrite -(get_set x u) E get_set.
  by rewrite (one _ _ _ _ Ax Ay E El) Euv.
apply: (@leq_trans (\sum_(z in g @: S) f z.1)).
  rewrite big_imset //= (eq_bigr (fun p : X * W => f p.1)); last by move=> p _; rewrite same.
  rewrite (eq_bigl (fun p : X * W => A p.1 && true)); last by move=> p; rewrite inE andbT.
  rewrite -(pair_big A xpredT (fun x _ => f x)) /= big_distrl /=; apply: eq_leq; apply: eq_bigr => x _.
  by rewrite sum_nat_const mulnC.
apply: (@leq_trans (\sum_(z : X * L) f z.1)).
  by rewrite [X in _ <= X](bigID (mem (g @: S))) /= leq_addr.
rewrite (eq_bigl (fun p : X * L => true && true)) // -(pair_big xpredT xpredT (fun x _ => f x)) /= big_distrr /=.
by apply: eq_leq; apply: eq_bigr => x _; rewrite sum_nat_const.
Qed.

(* Words that are set one after the other. *)
Lemma weigh (X W : finType) (get : X -> W) (set : X -> W -> X) (A : pred X) (f g : X -> nat) :
  (forall x w, get (set x w) = w) -> (forall x, set x (get x) = x) -> (forall x u v, set (set x u) v = set x v) ->
  (forall y, \sum_(v | A (set y v)) f (set y v) <= g y) -> (\sum_(x | A x) f x) * #|W| <= \sum_y g y.
Proof.
move=> get_set set_get set_set le.
apply: (@leq_trans (\sum_y \sum_(v | A (set y v)) f (set y v))); last by apply: leq_sum => y _; exact: le.
pose F (x : X) := if A x then f x else 0.
have -> : \sum_(x | A x) f x = \sum_x F x by rewrite big_mkcond.
have -> : \sum_y \sum_(v | A (set y v)) f (set y v) = \sum_y \sum_v F (set y v).
  by apply: eq_bigr => y _; rewrite big_mkcond.
have -> : (\sum_x F x) * #|W| = \sum_x \sum_(w : W) F x.
  by rewrite big_distrl /=; apply: eq_bigr => x _; rewrite sum_nat_const mulnC.
rewrite !pair_big /= [X in X <= _](reindex (fun p : X * W => (set p.1 p.2, get p.1))) /=; first exact: leqnn.
exists (fun p : X * W => (set p.1 p.2, get p.1)) => -[x w] _ /=; by rewrite set_set set_get get_set.
Qed.

(* Two words of a key at two places. *)
Section TwoPlaces.
Variables (P W : finType) (e1 e2 : P).
Hypothesis ne : e1 != e2.
Implicit Types (K : {ffun P -> W}) (w : W * W).
Definition get2 K := (K e1, K e2).
Definition put2 K w := put e1 (put e2 K w.2) w.1.
Lemma get2_put2 K w : get2 (put2 K w) = w.
Proof. by rewrite /get2 /put2 put_at put_out 1?eq_sym // put_at; case: w. Qed.
Lemma put2_get2 K : put2 K (get2 K) = K. Proof. by rewrite /put2 /= !put_id. Qed.
Lemma put2_put2 K u v : put2 (put2 K u) v = put2 K v.
Proof. by apply/ffunP => j; rewrite /put2 !ffunE; case: eqP => // _; case: eqP. Qed.
Lemma put2_out K w e : e != e1 -> e != e2 -> put2 K w e = K e.
Proof. by move=> n1 n2; rewrite /put2 !put_out. Qed.
End TwoPlaces.

(* Events, each of which the two words at two places of its own meet rarely, depending on the words at two other places. *)
Section Eliminate.
Variables (P W S : finType).
Local Notation key := {ffun P -> W}.
Variables (z c : S -> P * P) (ev : S -> pred key) (kap : S -> W * W -> nat) (C : S -> nat).
Hypothesis z_ne : forall i, (z i).1 != (z i).2.
Hypothesis c_ne : forall i, (c i).1 != (c i).2.
Definition kap_of i (K : key) := kap i (get2 (c i).1 (c i).2 K).
Definition unmoved (e : P * P) (Y : Type) (f : key -> Y) := forall K w, f (put2 e.1 e.2 K w) = f K.
Definition apart_places (e e' : P * P) := [&& e.1 != e'.1, e.1 != e'.2, e.2 != e'.1 & e.2 != e'.2].
Hypothesis step : forall i K, #|[set w | ev i (put2 (z i).1 (z i).2 K w)]| <= kap_of i K.
Hypothesis mean : forall i, \sum_w kap i w <= C i * #|W| ^ 2.
Hypothesis own : forall i, apart_places (c i) (z i).

Fixpoint in_order (s : seq S) : Prop := if s is i :: s' then
  (forall j, j \in s' -> unmoved (z i) (ev j) /\ apart_places (c i) (z j)) /\ in_order s' else True.

Lemma kap_unmoved i e : apart_places (c i) e -> unmoved e (kap_of i).
Proof. by move=> /and4P [n1 n2 n3 n4] K w; rewrite /kap_of /get2 !put2_out. Qed.

Lemma eliminate (D : pred key) s f : in_order s -> (forall i, i \in s -> unmoved (z i) D /\ unmoved (z i) f) ->
  (\sum_(K | D K && all (fun i => ev i K) s) f K) * #|W| ^ (2 * size s) <= \sum_(K | D K) f K * \prod_(i <- s) kap_of i K.
Proof.
elim: s f => [|i s IH] f.
  move=> _ _; rewrite muln1 (eq_bigl D); last by move=> K; rewrite /= andbT.
  by apply: eq_leq; apply: eq_bigr => K _; rewrite big_nil muln1.
move=> [first rest] out; have [Di fi] := out i (mem_head _ _).
have E : 2 * size (i :: s) = 2 + 2 * size s by rewrite /= mulnS.
rewrite E expnD mulnA.
apply: (@leq_trans ((\sum_(K | D K && all (fun i => ev i K) s) f K * kap_of i K) * #|W| ^ (2 * size s))).
  rewrite leq_mul2r; apply/orP; right; rewrite -mulnn -card_prod [X in _ <= X]big_mkcond /=.
  apply: (weigh (@get2_put2 _ _ _ _ (z_ne i)) (@put2_get2 _ _ _ _) (@put2_put2 _ _ _ _)) => K.
  pose w := put2 (z i).1 (z i).2 K.
  have same v : D (w v) && all (fun j => ev j (w v)) (i :: s) = (D K && all (fun j => ev j K) s) && ev i (w v).
    have -> : all (fun j => ev j (w v)) (i :: s) = ev i (w v) && all (fun j => ev j K) s.
      by congr (_ && _); apply: eq_in_all => j js; have [-> _] := first j js.
    by rewrite Di andbCA andbC.
  rewrite (eq_bigl _ _ same) (eq_bigr (fun=> f K)); last by move=> v _; rewrite fi.
  case: (D K && _) => /=; last by rewrite big_pred0_eq.
  rewrite sum_nat_const mulnC leq_mul2l; apply/orP; right; apply: leq_trans (step i K).
  by apply/subset_leq_card/subsetP => v; rewrite inE.
apply: leq_trans (IH (fun K => f K * kap_of i K) rest _) _.
  move=> j js; have [Dj fj] := out j (mem_behead (s := i :: s) js); split => // K w.
  by rewrite fj (kap_unmoved (first j js).2).
by apply: eq_leq; apply: eq_bigr => K _; rewrite big_cons mulnA.
Qed.

Fixpoint places_apart (s : seq S) : Prop := if s is i :: s' then
  (forall j, j \in s' -> apart_places (c j) (c i)) /\ places_apart s' else True.

Lemma average s : places_apart s -> (\sum_K \prod_(i <- s) kap_of i K) <= \prod_(i <- s) C i * #|{: key}|.
Proof.
elim: s => [_|i s IH [first rest]]; first by rewrite big_nil mul1n -sum1_card; apply: eq_leq; apply: eq_bigr => K _; rewrite big_nil.
have [W0|W0] := posnP #|W|.
  have no (K : key) : False by have : K (z i).1 \in W by []; rewrite (card0_eq W0).
  by rewrite big1 // => K; case: (no K).
rewrite big_cons -(leq_pmul2r (_ : 0 < #|W| ^ 2)) ?expn_gt0 ?W0 //.
apply: (@leq_trans (\sum_K C i * #|W| ^ 2 * \prod_(j <- s) kap_of j K)).
  rewrite -[#|W| ^ 2]mulnn -[X in _ * X <= _]card_prod.
  apply: (weigh (A := xpredT) (@get2_put2 _ _ _ _ (c_ne i)) (@put2_get2 _ _ _ _) (@put2_put2 _ _ _ _)) => K.
  rewrite (eq_bigr (fun w => kap i w * \prod_(j <- s) kap_of j K)); last first.
    move=> w _; rewrite big_cons {1}/kap_of get2_put2 //; congr (_ * _); rewrite !big_seq; apply: eq_bigr => j js.
    by rewrite (kap_unmoved (first j js)).
  by rewrite -big_distrl /= mulnn leq_mul2r mean orbT.
rewrite -big_distrr /=; apply: leq_trans (leq_mul (leqnn _) (IH rest)) _; apply: eq_leq.
by move: (\prod_(j <- s) C j) #|{: key}| (#|W| ^ 2) (C i) => a b d e; lia.
Qed.
End Eliminate.

Section Nh.
Variables (N T : nat).
Local Notation W := 'Z_N.
Local Notation V := 'Z_(N * N).
Variables (byte : eqType) (zero : byte) (elt : seq byte -> W).
Implicit Types (M : seq byte) (i : 'I_T) (ph : 'I_pairs * bool).

(* The key of level 1 is 63 + T rows of four words, of which stream i begins with row i. *)
Definition nh_key := {ffun 'I_(63 + T) * 'I_4 -> W}.
Implicit Types (K : nh_key).
Definition level i ph := 2 * (ph.1 %/ 4) + ph.2 + i.
Lemma level_lt i ph : level i ph < 63 + T.
Proof. by rewrite /level; case: ph => p b /=; have := ltn_ord p; have := ltn_ord i; rewrite {2}/pairs; case: b; lia. Qed.
Definition place i ph : 'I_(63 + T) * 'I_4 := (Ordinal (level_lt i ph), inord (ph.1 %% 4)).
Definition shifted K i : key1 N := [ffun ph => K (place i ph)].
Definition nh i K M : V := level1 zero elt (shifted K i) M.

Lemma place_ne i j ph qh : (level i ph != level j qh) || (ph.1 %% 4 != qh.1 %% 4) -> place i ph != place j qh.
Proof.
apply: contraL => /eqP E; rewrite negb_or !negbK; have /= -> := congr1 (fun e => val e.1) E; rewrite eqxx /=.
by have /= := congr1 (fun e => val e.2) E; rewrite !inordK ?ltn_mod // => ->.
Qed.

Lemma place_eq i j ph qh : place i ph = place j qh -> level i ph = level j qh /\ ph.1 %% 4 = qh.1 %% 4.
Proof. by move=> E; split; apply: contra_eq E => ne; apply: place_ne; rewrite ne ?orbT. Qed.

Lemma place_inj i ph qh : place i ph = place i qh -> ph = qh.
Proof.
move=> /place_eq [El Ec]; have := El; rewrite /level => /addIn.
case: ph qh Ec {El} => [r h] [r' h'] /= Ec E.
have Er : r = r' by apply: val_inj => /=; rewrite (divn_eq r 4) (divn_eq r' 4) Ec; congr (_ * _ + _); case: h h' E => -[]; lia.
by rewrite Er in E *; congr (_, _); case: h h' E => -[]; lia.
Qed.

Hypothesis N1 : 1 < N.

(* A word that a hash does not use. *)
Lemma nh_same i K K' M : (forall ph, counts (size M) ph.1 -> K (place i ph) = K' (place i ph)) -> nh i K M = nh i K' M.
Proof.
move=> same; rewrite /nh /level1; congr (_ + _)%R; apply: eq_bigr => p cp.
by rewrite /product_at !ffunE !same.
Qed.

(* The words of two pairs, in one of their halves: NH as a function of them. *)
Section TwoPairs.
Variables (i : 'I_T) (p q : 'I_pairs) (b : bool).
Hypothesis pq : p != q.
Definition z_places := (place i (p, ~~ b), place i (q, ~~ b)).
Definition c_places := (place i (p, b), place i (q, b)).
Definition rest K M : V := (\sum_(r | [&& counts (size M) r, r != p & r != q]) product_at zero elt (shifted K i) M r + (8 * size M)%:R)%R.
Definition words_at M r (h : bool) := elements zero elt M (r, h).

Lemma nh_form K M (w : W * W) : let z := z_places in let c := c_places in
  (nh i (put2 z.1 z.2 K w) M : nat)
  = hashes_to (factor (counts (size M) p) (words_at M p b) (K c.1)) (factor (counts (size M) q) (words_at M q b) (K c.2))
      (words_at M p (~~ b)) (words_at M q (~~ b)) (rest K M) w.
Proof.
move=> z c; set K' := put2 _ _ _ _.
have zne : z.1 != z.2 by apply: contra pq => /eqP /place_inj [->].
have K1 : K' z.1 = w.1 by rewrite /K' /put2 put_at.
have K2 : K' z.2 = w.2 by rewrite /K' /put2 put_out 1?eq_sym // put_at.
have out ph : ph != (p, ~~ b) -> ph != (q, ~~ b) -> K' (place i ph) = K (place i ph).
  by move=> n1 n2; apply: put2_out; [apply: contra n1 | apply: contra n2] => /eqP /place_inj ->.
clearbody K'; have flip h : (h == ~~ h) = false by case: h.
have Kc1 : K' c.1 = K c.1 by apply: out; rewrite xpair_eqE ?flip ?andbF // (negbTE pq).
have Kc2 : K' c.2 = K c.2 by apply: out; rewrite xpair_eqE ?flip ?andbF // eq_sym (negbTE pq).
have N2 : 1 < N * N by rewrite (leq_trans N1) // leq_pmulr // ltnW.
have one r w0 : K' (place i (r, b)) = K (place i (r, b)) -> K' (place i (r, ~~ b)) = w0 ->
    (if counts (size M) r then product_at zero elt (shifted K' i) M r else 0%R)
    = ((factor (counts (size M) r) (words_at M r b) (K (place i (r, b))) * (w0 + words_at M r (~~ b))%R)%N%:R : V)%R.
  move=> e1 e2; rewrite /factor; case: ifP => _; last by rewrite mul0n.
  by rewrite (product_at_sym _ _ _ _ _ b) !ffunE e1 e2.
have sum3 (x y : nat) (v : V) : ((x + y + v)%N%:R = x%:R + y%:R + v :> V)%R by rewrite !natrD natr_Zp.
have split : nh i K' M = ((if counts (size M) p then product_at zero elt (shifted K' i) M p else 0)
    + ((if counts (size M) q then product_at zero elt (shifted K' i) M q else 0) + rest K M))%R.
  rewrite /nh /level1 big_mkcond (bigD1 p) //= (bigD1 q) 1?eq_sym //= -!addrA.
  congr (_ + (_ + _))%R; rewrite /rest; congr (_ + _)%R; rewrite [RHS]big_mkcondl /=; apply: eq_bigr => r /andP [rp rq].
  case: ifP => // _; rewrite /product_at !ffunE !out // xpair_eqE ?(negbTE rp) ?(negbTE rq) //.
have -> : nh i K' M = ((factor (counts (size M) p) (words_at M p b) (K c.1) * (w.1 + words_at M p (~~ b))%R
    + factor (counts (size M) q) (words_at M q b) (K c.2) * (w.2 + words_at M q (~~ b))%R + rest K M)%N%:R : V)%R.
  by rewrite split (one p w.1) // (one q w.2) // sum3 addrA.
by rewrite val_Zp_nat.
Qed.

(* One ratio. *)
Lemma ratio_step (H a b0 : nat) K M M' : 0 < H ->
  #|[set w | b0 * nh i (put2 z_places.1 z_places.2 K w) M == a * nh i (put2 z_places.1 z_places.2 K w) M']|
  <= few N H (slope_of a b0 (counts (size M) p) (words_at M p b) (counts (size M') p) (words_at M' p b) (K c_places.1),
              slope_of a b0 (counts (size M) q) (words_at M q b) (counts (size M') q) (words_at M' q b) (K c_places.2)).
Proof.
move=> H0; have N2 : 1 < N * N by rewrite (leq_trans N1) // leq_pmulr // ltnW.
have lt (v : V) : v < N * N by rewrite -[X in _ < X](Zp_cast N2) ltn_ord.
apply: leq_trans (ratio_points N1 a b0 H0 (words_at M p (~~ b)) (words_at M q (~~ b)) (words_at M' p (~~ b)) (words_at M' q (~~ b))
  (factor_lt N1 (counts (size M) p) (words_at M p b) (K c_places.1)) (factor_lt N1 (counts (size M) q) (words_at M q b) (K c_places.2))
  (factor_lt N1 (counts (size M') p) (words_at M' p b) (K c_places.1)) (factor_lt N1 (counts (size M') q) (words_at M' q b) (K c_places.2))
  (lt (rest K M)) (lt (rest K M'))).
by apply/subset_leq_card/subsetP => w; rewrite !inE -!nh_form.
Qed.

(* Two pairs that only one message has: one value. *)
Definition fresh_few (x : W * W) := if x == (0, 0)%R then N ^ 2 else N.
Lemma fresh_step K M M' : ~~ counts (size M) p -> ~~ counts (size M) q -> counts (size M') p -> counts (size M') q ->
 
  #|[set w | nh i (put2 z_places.1 z_places.2 K w) M == nh i (put2 z_places.1 z_places.2 K w) M']| <= fresh_few (K c_places.1 + words_at M' p b, K c_places.2 + words_at M' q b)%R.
Proof.
move=> np nq cp cq; rewrite /fresh_few; case: ifP => [_|].
  by apply: leq_trans (max_card _) _; rewrite card_prod !card_ord Zp_cast // mulnn.
have N2 : 1 < N * N by rewrite (leq_trans N1) // leq_pmulr // ltnW.
have card_W : #|{: W}| = N by rewrite card_ord Zp_cast.
have value w : (nh i (put2 z_places.1 z_places.2 K w) M == nh i (put2 z_places.1 z_places.2 K w) M')
    = (unsigned (K c_places.1 + words_at M' p b) (w.1 + words_at M' p (~~ b))
      + unsigned (K c_places.2 + words_at M' q b) (w.2 + words_at M' q (~~ b)) == rest K M - rest K M')%R.
  have form M0 := nh_form K M0 w; have E := form M; have E' := form M'.
  have sum3 (x y : nat) (v : V) : ((x + y + v)%N%:R = x%:R + y%:R + v :> V)%R by rewrite !natrD natr_Zp.
  have -> : forall x y : V, (x == y) = ((x : nat) == y) by [].
  rewrite E E' /hashes_to /factor (negbTE np) (negbTE nq) cp cq !mul0n -(word_eq N1) !sum3 !addr0 add0r.
  by rewrite /unsigned [RHS]eq_sym subr_eq.
have zero_product (y : W) : unsigned (0%R : W) y = 0%R by rewrite /unsigned (_ : (0%R : W) * y = 0)%N // mul0n.
have solve (x : W) (m : W) (v : V) : x != 0%R -> #|[set k : W | unsigned x (k + m)%R == v]| <= 1.
  move=> x0; apply: leq_trans (unsigned_clause N1 m m v x0); apply/subset_leq_card/subsetP => k.
  by rewrite !inE zero_product subr0.
rewrite xpair_eqE => /nandP [] x0.
  pose flip (w : W * W) := (w.2, w.1); have inj : injective flip by move=> [? ?] [? ?] [-> ->].
  rewrite -(card_imset _ inj) -[X in _ <= X]muln1 -[X in _ <= X * _]card_W; apply: count_fibres => w2.
  apply: leq_trans (solve _ (words_at M' p (~~ b)) (rest K M - rest K M' - unsigned (K c_places.2 + words_at M' q b) (w2 + words_at M' q (~~ b)))%R x0).
  apply/subset_leq_card/subsetP => w1; rewrite !inE => /imsetP [[u v]]; rewrite inE value /= => /eqP E [-> ->].
  by rewrite -E addrK.
rewrite -[X in _ <= X]muln1 -[X in _ <= X * _]card_W; apply: count_fibres => w1.
apply: leq_trans (solve _ (words_at M' q (~~ b)) (rest K M - rest K M' - unsigned (K c_places.1 + words_at M' p b) (w1 + words_at M' p (~~ b)))%R x0).
apply/subset_leq_card/subsetP => w2; rewrite !inE value /= => /eqP E.
by rewrite -E [X in _ == X]addrC addKr.
Qed.

Lemma sum_fresh (m m' : W) : \sum_(x : W * W) fresh_few (x.1 + m, x.2 + m')%R <= (N + 1) * N ^ 2.
Proof.
have card_W : #|{: W}| = N by rewrite card_ord Zp_cast.
apply: (@leq_trans (\sum_(x : W * W) (N + (x == (- m, - m')%R) * N ^ 2))).
  apply: leq_sum => -[x y] _; rewrite /fresh_few !xpair_eqE /= !addr_eq0; case: (_ && _) => /=; rewrite ?mul1n ?mul0n ?addn0 //.
  by rewrite leq_addl.
rewrite big_split /= sum_nat_const card_prod card_W -big_distrl /=.
have -> : \sum_(x : W * W) (x == (- m, - m')%R) = 1.
  by rewrite (bigD1 (- m, - m')%R) //= eqxx big1 // => x /negbTE ->.
by rewrite mul1n mulnn mulnDl mul1n mulnC.
Qed.
End TwoPairs.
End Nh.
