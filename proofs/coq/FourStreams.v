(* NH of up to four streams, for any two chunks: some streams collide, and others have given ratios. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import zify.
Require Import Counting NH Toeplitz Uhash Lines NhRatio Shift Collisions StreamsNh ThreeWords Between.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import GRing.Theory.
Local Open Scope nat_scope.

(* Numbers of streams, units and levels. *)
Lemma after (u n i r : nat) : u <= n -> i < r -> 2 * u + 1 + i < 2 * n + 1 + r. Proof. by lia. Qed.
Lemma last_one (t r s : nat) : t <= 4 -> 1 < r -> r < s -> s < t -> s = r.+1. Proof. by lia. Qed.
Lemma first_one (r s : nat) : r <= 1 -> s < r -> s = 0 /\ r = 1. Proof. by lia. Qed.
Lemma no_less (n r : nat) : 2 * n + r <= 2 * n + true + r.+1. Proof. by rewrite /=; lia. Qed.
Lemma not_above (n i r : nat) : i < r -> 2 * n + false + i != 2 * n + false + r /\ 2 * n + false + i != 2 * n + true + r.+1. Proof. by rewrite /=; lia. Qed.
Lemma two_or_more (i : nat) : i != 1 -> i != 0 -> 1 < i. Proof. by lia. Qed.
Lemma by_first (d i : nat) (k : bool) : 1 < i -> 2 * d + k + i = 2 * 0 + true + 1 -> d = 0 /\ k = false. Proof. by case: k => /=; lia. Qed.
Lemma by_last (d k i : nat) : 1 < i -> 2 * d + k + i != 2 * 0 + ~~ true + 0. Proof. by rewrite /=; lia. Qed.
Lemma second_unit (d k : nat) : d != 0 -> 1 < 2 * d + k + 0. Proof. by lia. Qed.
Lemma by_second (u n k i r : nat) : u < n -> k <= 1 -> i = r.+1 -> 2 * u + k + i < 2 * n + 1 + r. Proof. by lia. Qed.
Lemma only (t q0 r0 s0 r r' : nat) : t <= 4 -> q0 < r0 -> r0 < s0 -> s0 < t -> q0 != r -> q0 != r' -> s0 != r -> s0 != r' -> (1 < r) = (1 < r') ->
  r < t -> r' < t -> r = r'.
Proof. by lia. Qed.
Lemma clash (t n q0 r0 s0 r r' : nat) : t <= 4 -> q0 < r0 -> r0 < s0 -> s0 < t -> q0 != r -> q0 != r' -> s0 != r -> s0 != r' -> 1 < r -> r' <= 1 ->
  2 * n + r <= r'.+1 -> [/\ n = 0, r < s0 & q0 < r'].
Proof. by move=> *; split; lia. Qed.
Lemma powers (q s s' r r' : nat) : 2 * r + s + (2 * r' + s') + q = q + (s + s') + 2 * (r + r'). Proof. by lia. Qed.
Lemma other_inner (t r q r' : nat) : t <= 4 -> 1 < r -> r.+1 < t -> q < t -> r' < t -> q != r.+1 -> q != r -> q != r' -> r' != r.+1 ->
  q < r.+1 /\ r' < r.+1 /\ (if 0 < r' then q < r' else r' < q).
Proof. by move=> *; split; [lia | split; [lia | case: (posnP r'); lia]]. Qed.
Lemma other_outer (t q r' : nat) : t <= 4 -> q < t -> r' < t -> q != 0 -> q != 1 -> q != r' -> r' != 0 -> 0 < q /\ 0 < r' /\ (if r' <= 2 then r' < q else q < r').
Proof. by move=> *; split; [lia | split; [lia | case: (leqP r' 2); lia]]. Qed.
Lemma one_less (x n c r m k : nat) : x * n * r <= 2 ^ c.-1 * (n + 1) ^ c * m * k -> x * (n ^ 2 * r) <= 2 ^ c * (n + 1) ^ c.+1 * m * k.
Proof.
move=> le; have := leq_mul (leqnn n) le; rewrite (_ : n * (x * n * r) = x * (n ^ 2 * r)); last by rewrite -mulnn; lia.
move=> {}le; apply: leq_trans le _; rewrite expnS !mulnA leq_mul2r; apply/orP; right; rewrite leq_mul2r; apply/orP; right.
rewrite -mulnA mulnC -!mulnA; apply: leq_mul; first by rewrite leq_pexp2l // leq_pred.
by rewrite mulnC leq_mul2r leq_addr orbT.
Qed.
Lemma last_two (t r i : nat) : t <= 4 -> 1 < r -> r.+1 < t -> i < t -> i != r.+1 -> i < r.+1. Proof. by lia. Qed.
Lemma more_collisions (x n q r c m k : nat) : x * n ^ (q + 2 * r) <= c * m * k -> x * (n ^ 2) ^ (q + r) <= c * (n + 1) ^ q * m * k.
Proof.
move=> le; have -> : (n ^ 2) ^ (q + r) = n ^ (q + 2 * r) * n ^ q by rewrite -expnM -expnD; congr (_ ^ _); lia.
have wider : n ^ q <= (n + 1) ^ q by case: q {le} => // q; rewrite leq_exp2r // leq_addr.
rewrite mulnA; apply: leq_trans (leq_mul le wider) _; apply: eq_leq; move: ((n + 1) ^ q) => y; lia.
Qed.
Lemma three_labels N H : 142 <= N %/ H + 24 * H -> three_bound N H <= 10 * ratio_bound N H.
Proof. by rewrite /three_bound /ratio_bound /labels; move: (N %/ H) => x; lia. Qed.

Section FourStreams.
Variables (N T : nat).
Hypothesis N1 : 1 < N.
Local Notation W := 'Z_N.
Local Notation V := 'Z_(N * N).
Variables (byte : eqType) (zero : byte) (elt : seq byte -> W).
Hypothesis elt_inj : forall s s', size s = 4 -> size s' = 4 -> elt s = elt s' -> s = s'.
Hypothesis lengths : 8 * C < N * N.
Implicit Types (M : seq byte) (i j : 'I_T).
Local Notation nh_key := (nh_key N T).
Local Notation nh := (@nh N T byte zero elt).
Local Notation words_at := (@words_at N byte zero elt).
Local Notation collide := (@collide N T byte zero elt).
Implicit Types (K : nh_key).
Local Notation key_place := ('I_(63 + T) * 'I_4)%type.

(* What only words of some levels decide. *)
Definition on (A : pred nat) (Y : Type) (f : nh_key -> Y) := forall K K', (forall e : key_place, A e.1 -> K e = K' e) -> f K = f K'.
Lemma on_sub (A A' : pred nat) Y (f : nh_key -> Y) : (forall l, A l -> A' l) -> on A f -> on A' f.
Proof. by move=> sub onf K K' eq; apply: onf => e /sub; exact: eq. Qed.
Lemma on_put2 (A : pred nat) Y (f : nh_key -> Y) (e e' : key_place) K w : on A f -> ~~ A e.1 -> ~~ A e'.1 -> f (put2 e e' K w) = f K.
Proof. by move=> onf n n'; apply: onf => g Ag; apply: put2_out; [apply: contraTneq Ag | apply: contraTneq Ag] => ->. Qed.
Lemma on_put3 (A : pred nat) Y (f : nh_key -> Y) (e e' e2 : key_place) K w : on A f -> ~~ A e.1 -> ~~ A e'.1 -> ~~ A e2.1 -> f (put3 e e' e2 K w) = f K.
Proof. by move=> onf n n' n2; apply: onf => g Ag; apply: put3_out; apply: contraTneq Ag => ->. Qed.

(* An event that words of its own decide: rarely, on the average over what words of the levels C decide. What the words of the levels A
   decide does not see its words; and it does not look at those by which the streams of Q collide. *)
Definition decided (ev : pred nh_key) (n B : nat) (A C : pred nat) (Q : {set 'I_T}) (w : 'I_T -> key_place) :=
  exists rare : nh_key -> nat, [/\
    forall (D : pred nh_key) f, on A D -> on A f -> (\sum_(K | D K && ev K) f K) * N ^ n <= \sum_(K | D K) f K * rare K,
    forall K K', elsewhere Q w K K' -> rare K = rare K',
    on C rare
  & forall f, on (predC C) f -> \sum_K f K * rare K <= B * \sum_K f K].

Lemma decided_ev ev ev' n B A C Q w : ev =1 ev' -> decided ev n B A C Q w -> decided ev' n B A C Q w.
Proof.
move=> eq [rare [h1 h2 h3 h4]]; exists rare; split => // D f onD onf; apply: leq_trans (h1 D f onD onf).
by rewrite leq_mul2r; apply/orP; right; apply: eq_leq; apply: eq_bigl => K; rewrite eq.
Qed.
Lemma nothing_decided A C Q w : decided xpredT 0 1 A C Q w.
Proof.
exists (fun=> 1); split => // [D f _ _|f _].
  by rewrite muln1; apply: eq_leq; apply: eq_big => K; rewrite ?andbT ?muln1.
by rewrite mul1n; apply: eq_leq; apply: eq_bigr => K _; rewrite muln1.
Qed.

(* A ratio, by words of two pairs of a unit. *)
Lemma ratio_decided (Q : {set 'I_T}) (r : 'I_T) (a b : 'I_T -> nat) H M M' (p : 'I_pairs) (h : bool) u half (A C : pred nat) :
  0 < H -> (forall i, [/\ 0 < a i, 0 < b i & a i != b i]) -> (forall t, counts (size M) (pair u t) || counts (size M') (pair u t)) ->
  ~~ A (2 * (u %% 32) + ~~ half + r) -> C (2 * (u %% 32) + half + r) ->
  decided (fun K => b r * nh r K M == a r * nh r K M') 2 (ratio_bound N H) A C Q (fun i => place i (p, h)).
Proof.
move=> H0 abP cnt nA inC; pose x := p %% 4 %/ 2 == 0; set z := zs r u x half; set c := cs r u x half.
have [a0 b0 ab] : [/\ forall i, 0 < a i, forall i, 0 < b i & forall i, a i != b i] by split=> i; have [] := abP i.
pose few := @ratio_few N T byte zero elt a b H M M' r u x half.
have WW : #|{: W * W}| = N ^ 2 by rewrite card_prod card_W // mulnn.
have zlevel : ~~ A z.1.1 /\ ~~ A z.2.1 by rewrite /= /level !pair_unit.
have clevel : C c.1.1 /\ C c.2.1 by rewrite /= /level !pair_unit.
have zne : z.1 != z.2 by exact: zs_ne.
have cne : c.1 != c.2 by exact: cs_ne.
exists (fun K => few (get2 c.1 c.2 K)); split.
- move=> D f onD onf; rewrite -WW [X in _ <= X]big_mkcond /=.
  apply: (weigh (@get2_put2 _ _ _ _ zne) (@put2_get2 _ _ _ _) (@put2_put2 _ _ _ _)) => K.
  rewrite (eq_bigl (fun w => D K && (b r * nh r (put2 z.1 z.2 K w) M == a r * nh r (put2 z.1 z.2 K w) M'))); last first.
    by move=> w; rewrite (on_put2 _ _ onD) ?zlevel.1 ?zlevel.2.
  case: (D K); last by rewrite big_pred0.
  rewrite (eq_bigr (fun=> f K)) => [|w _]; last by rewrite (on_put2 _ _ onf) ?zlevel.1 ?zlevel.2.
  rewrite sum_nat_const mulnC leq_mul2l; apply/orP; right.
  apply: leq_trans (_ : #|[set w | b r * nh r (put2 z.1 z.2 K w) M == a r * nh r (put2 z.1 z.2 K w) M']| <= _).
    by apply/subset_leq_card/subsetP => w; rewrite inE.
  exact: ratio_few_step.
- move=> K K' else_; rewrite /get2 !else_ // => i _; apply: place_ne; rewrite /= pair_chain chain_val; apply/orP; right;
    by apply/eqP => E; have := half_chain (esym E); rewrite -/x; case: (x).
- by move=> K K' eq; rewrite /get2 !eq ?clevel.1 ?clevel.2.
move=> f onf; rewrite -(leq_pmul2r (_ : 0 < #|{: W * W}|)); last by rewrite WW expn_gt0 (ltnW N1).
apply: (@leq_trans (\sum_K f K * (ratio_bound N H * N ^ 2))); last first.
  by rewrite -big_distrl /= WW mulnCA mulnA.
apply: (weigh (A := xpredT) (@get2_put2 _ _ _ _ cne) (@put2_get2 _ _ _ _) (@put2_put2 _ _ _ _)) => K.
rewrite (eq_bigr (fun w => f K * few w)) => [|w _]; last first.
  by rewrite get2_put2 // (on_put2 _ _ onf) /= ?clevel.1 ?clevel.2.
rewrite -big_distrr leq_mul2l; apply/orP; right; have : \sum_w few w <= ratio_bound N H * #|{: W}| ^ 2 by apply: ratio_few_sum.
by rewrite card_W.
Qed.

(* A ratio and the collision of the next stream, by words of three pairs. *)
Lemma both_decided (Q : {set 'I_T}) (r s : 'I_T) half (a b : 'I_T -> nat) H M M' (t p : 'I_pairs) (h : bool) (A C : pred nat) :
  0 < H -> (forall i, [/\ 0 < a i, 0 < b i & a i != b i]) -> (if half then r = s.+1 :> nat else s = r.+1 :> nat) ->
  counts (size M) =1 counts (size M') -> counts (size M) t -> words_at M t (~~ half) != words_at M' t (~~ half) ->
  (forall t', counts (size M) t' -> t' %/ 4 = t %/ 4 -> words_at M t' half = words_at M' t' half) ->
  ~~ A (2 * (t %/ 4) + ~~ half + r) -> C (2 * (t %/ 4) + half + r) -> C (2 * (t %/ 4) + ~~ half + s) ->
  (forall i, i \in Q -> 2 * (p %/ 4) + h + i != 2 * (t %/ 4) + half + r /\ 2 * (p %/ 4) + h + i != 2 * (t %/ 4) + ~~ half + s) ->
  decided (fun K => (nh s K M == nh s K M') && (b r * nh r K M == a r * nh r K M')) 3 (three_bound N H) A C Q (fun i => place i (p, h)).
Proof.
move=> H0 abP next same ct dt agree nA inC inC' other_; have [a0 b0 ab] := abP r.
have level_ i (t' : 'I_pairs) k : t' %/ 4 = t %/ 4 -> ((place i (t', k)).1 : nat) = 2 * (t %/ 4) + k + i by rewrite /= /level /= => ->.
have u k := other_unit t k.
have eq_at K K' : (forall t' : 'I_pairs, t' %/ 4 = t %/ 4 -> K (place s (t', ~~ half)) = K' (place s (t', ~~ half)) /\ K (place r (t', half)) = K' (place r (t', half))) ->
    kap3 zero elt r s half (a r) (b r) H M M' t K = kap3 zero elt r s half (a r) (b r) H M M' t K'.
  move=> eq; have mv (t' : 'I_pairs) : t' %/ 4 = t %/ 4 -> moved zero elt s half M M' K t' = moved zero elt s half M M' K' t'.
    by move=> /eq [e _]; rewrite /moved e.
  have sl (t' : 'I_pairs) : t' %/ 4 = t %/ 4 -> slope_at zero elt r half (a r) (b r) M M' K t' = slope_at zero elt r half (a r) (b r) M M' K' t'.
    by move=> /eq [_ e]; rewrite /slope_at /factor_of e.
  by rewrite /kap3 (mv t erefl) (mv _ (u false)) (mv _ (u true)) (sl t erefl) (sl _ (u false)) (sl _ (u true)).
exists (kap3 zero elt r s half (a r) (b r) H M M' t); split.
- move=> D f onD onf; apply: three_sum => // K w.
    by apply: (on_put3 _ _ onD); rewrite -(next_place _ next) level_ ?u.
  by apply: (on_put3 _ _ onf); rewrite -(next_place _ next) level_ ?u.
- move=> K K' else_; apply: eq_at => t' ut; split; apply: else_ => i iQ; have [n n'] := other_ i iQ; apply: place_ne; apply/orP; left.
    by rewrite /level /= ut eq_sym.
  by rewrite /level /= ut eq_sym.
- by move=> K K' eq; apply: eq_at => t' ut; split; apply: eq; rewrite level_.
move=> f onf; apply: kap3_average => // K w; apply: (on_put2 _ _ onf); by apply/negPn; rewrite level_ ?u.
Qed.

(* What decides hashes and collisions. *)
Lemma nh_on (A : pred nat) j M : size M <= C -> (forall l, j <= l -> l <= 2 * top (size M) + 1 + j -> A l) -> on A (fun K => nh j K M).
Proof.
move=> s inA K K' eq; apply: nh_same => -[p k] /= cp; apply: eq; have := counts_top s cp => le.
by apply: inA; rewrite /= /level /=; move: le; case: k; lia.
Qed.
Lemma same_hash_on (A : pred nat) j M M' : on A (fun K => nh j K M) -> on A (fun K => nh j K M') -> on A (fun K => nh j K M == nh j K M').
Proof. by move=> h h' K K' eq; rewrite (h K K' eq) (h' K K' eq). Qed.
Lemma collision_on (A : pred nat) j M M' : counts (size M) =1 counts (size M') ->
  (forall (t : 'I_pairs) k, counts (size M) t -> words_at M t k != words_at M' t k -> forall k' : bool, A (2 * (t %/ 4) + k' + j)) ->
  on A (fun K => nh j K M == nh j K M').
Proof. by move=> same inA K K' eq; apply: collision_same => // t k k' ct dt; apply: eq; exact: inA ct dt k'. Qed.
Lemma collide_on (A : pred nat) (Q : {set 'I_T}) M M' : (forall i, i \in Q -> on A (fun K => nh i K M == nh i K M')) -> on A (collide Q M M').
Proof. by move=> each K K' eq; apply: eq_forallb => i; case: (boolP (i \in Q)) => //= iQ; exact: each iQ K K' eq. Qed.

Lemma elsewhere_sub (Q Q' : {set 'I_T}) w K K' : Q' \subset Q -> elsewhere Q' w K K' -> elsewhere Q w K K'.
Proof. by move=> /subsetP sub else_ e no; apply: else_ => i /sub; exact: no. Qed.
Lemma decided_sub ev n B A C (Q Q' : {set 'I_T}) w : Q' \subset Q -> decided ev n B A C Q w -> decided ev n B A C Q' w.
Proof. by move=> sub [rare [h1 h2 h3 h4]]; exists rare; split => // K K' /(elsewhere_sub sub); exact: h2. Qed.
Lemma decided_le ev n B B' A C Q w : B <= B' -> decided ev n B A C Q w -> decided ev n B' A C Q w.
Proof.
by move=> le [rare [h1 h2 h3 h4]]; exists rare; split => // f onf; apply: leq_trans (h4 f onf) _; rewrite leq_mul2r le orbT.
Qed.

(* Two such events, and then collisions. *)
Lemma two_decided (Q : {set 'I_T}) w M M' ev n B (A C : pred nat) ev' n' B' (A' C' : pred nat) :
  (forall f : nh_key -> nat, (forall K K', elsewhere Q w K K' -> f K = f K') -> (\sum_(K | collide Q M M' K) f K) * N ^ #|Q| <= 2 ^ #|Q|.-1 * \sum_K f K) ->
  decided ev n B A C Q w -> decided ev' n' B' A' C' Q w -> on A ev' -> on A (collide Q M M') -> on A' (collide Q M M') ->
  (forall l, C l -> A' l) -> (forall l, C' l -> ~~ C l) ->
  #|[set K | collide Q M M' K && (ev K && ev' K)]| * N ^ (n + n' + #|Q|) <= 2 ^ #|Q|.-1 * (B * B') * #|{: nh_key}|.
Proof.
move=> bound [rare [h1 h2 h3 h4]] [rare' [h1' h2' h3' h4']] onev onQ onQ' CA CC.
have one : (\sum_(K | (collide Q M M' K && ev' K) && ev K) 1) * N ^ n <= \sum_(K | collide Q M M' K && ev' K) 1 * rare K.
  by apply: h1 => // K K' eq; rewrite (onQ K K' eq) (onev K K' eq).
have two : (\sum_(K | collide Q M M' K && ev' K) 1 * rare K) * N ^ n' <= \sum_(K | collide Q M M' K) 1 * rare K * rare' K.
  by apply: h1' => //; apply: (on_sub CA) => K K' eq; rewrite (h3 K K' eq).
have three : (\sum_(K | collide Q M M' K) 1 * rare K * rare' K) * N ^ #|Q| <= 2 ^ #|Q|.-1 * \sum_K 1 * rare K * rare' K.
  by apply: bound => K K' else_; rewrite (h2 K K' else_) (h2' K K' else_).
have four : \sum_K 1 * rare K * rare' K <= B * \sum_K rare' K.
  apply: leq_trans (h4 rare' _); last exact: on_sub h3'.
  by apply: eq_leq; apply: eq_bigr => K _; rewrite mul1n mulnC.
have five : \sum_K rare' K <= B' * #|{: nh_key}|.
  have := h4' (fun=> 1) (fun _ _ _ => erefl); rewrite sum1_card; apply: leq_trans; apply: eq_leq; apply: eq_bigr => K _; by rewrite mul1n.
rewrite -sum1dep_card !expnD !mulnA; apply: leq_trans (leq_trans three _); last first.
  by rewrite -!mulnA leq_mul2l; apply/orP; right; apply: leq_trans four _; rewrite leq_mul2l five orbT.
rewrite leq_mul2r; apply/orP; right; apply: leq_trans two; rewrite leq_mul2r; apply/orP; right; apply: leq_trans one.
by rewrite leq_mul2r; apply/orP; right; apply: eq_leq; apply: eq_bigl => K; rewrite -andbA [ev' K && _]andbC.
Qed.

Lemma forall_cup (A B : {set 'I_T}) (P : pred 'I_T) : [forall (i | i \in A :|: B), P i] = [forall (i | i \in A), P i] && [forall (i | i \in B), P i].
Proof.
apply/forall_inP/andP => [all|[/forall_inP hA /forall_inP hB] i]; last by rewrite inE => /orP [/hA|/hB].
by split; apply/forall_inP => i iS; apply: all; rewrite inE iS ?orbT.
Qed.
Lemma forall_none (P : pred 'I_T) : [forall (i | i \in set0), P i]. Proof. by apply/forall_inP => i; rewrite inE. Qed.
Lemma forall_one (j : 'I_T) (P : pred 'I_T) : [forall (i | i \in [set j]), P i] = P j.
Proof. by apply/forall_inP/idP => [all|h i]; [apply: all; rewrite inE | rewrite inE => /eqP ->]. Qed.

(* A collision by one word, which no other event sees. *)
Lemma one_collision (D : pred nh_key) (A : pred nat) (q : 'I_T) (t : 'I_pairs) half M M' : counts (size M) =1 counts (size M') -> counts (size M) t ->
  words_at M t half != words_at M' t half -> on A D -> ~~ A (2 * (t %/ 4) + ~~ half + q) ->
  #|[set K | D K && (nh q K M == nh q K M')]| * N <= #|[set K | D K]|.
Proof.
move=> same ct dt onD nA; set e := place q (t, ~~ half).
rewrite -[X in _ * X](card_W N1) -[X in _ <= X]mul1n; apply: (@count_at_most _ _ (fun K : nh_key => K e) (put e)); try by
  [move=> *; exact: put_at | move=> *; exact: put_id | move=> *; exact: put_put].
  move=> K w; rewrite !inE => /andP [DK _]; rewrite (onD _ K) // => g Ag; apply: put_out; by apply: contraTneq Ag => ->.
move=> K; pose rest M0 := (\sum_(u | counts (size M0) u && (u != t)) product_at zero elt (shifted K q) M0 u + (8 * size M0)%:R)%R.
have nc : (K (place q (t, half)) + words_at M t half != K (place q (t, half)) + words_at M' t half)%R by apply: contra dt => /eqP /addrI ->.
apply: leq_trans (unsigned_clause N1 (words_at M t (~~ half)) (words_at M' t (~~ half)) (rest M' - rest M)%R nc).
have sh (K' : nh_key) ph : shifted K' q ph = K' (place q ph) by rewrite ffunE.
have form M0 w : counts (size M0) t -> nh q (put e K w) M0
    = (unsigned (K (place q (t, half)) + words_at M0 t half) (w + words_at M0 t (~~ half)) + rest M0)%R.
  move=> c0; rewrite /nh /level1 (bigD1 t) //= -addrA; congr (_ + _)%R.
    rewrite (product_at_sym _ _ _ _ _ half) !sh put_at put_out //.
    by apply/negP => /eqP /place_inj []; case: (half).
  congr (_ + _)%R; apply: eq_bigr => u /andP [_ nu]; rewrite /product_at !sh !put_out //; by apply: contra nu => /eqP /place_inj [->].
apply/subset_leq_card/subsetP => w; rewrite !inE => /andP [_]; rewrite !form -?same // => /eqP E.
by rewrite subr_eq addrAC [(rest M' + _)%R]addrC -E addrK.
Qed.

(* Chunks with as many units: v is the last one, and p is in the last one that differs. Streams 0 and 1 are looked at in the first unit, and
   the others in the last one. *)
Section Same.
Implicit Types (q r s : 'I_T).
Hypothesis T4 : T <= 4.
Variables (Q R : {set 'I_T}) (a b : 'I_T -> nat) (H : nat) (M M' : seq byte) (p : 'I_pairs) (h : bool).
Hypothesis H0 : 0 < H.
Hypothesis enough : 142 <= N %/ H + 24 * H.
Hypothesis QR : [disjoint Q & R].
Hypothesis abP : forall i, [/\ 0 < a i, 0 < b i & a i != b i].
Hypothesis sM : size M <= C.
Hypothesis sM' : size M' <= C.
Hypothesis same : counts (size M) =1 counts (size M').
Hypothesis cp : counts (size M) p.
Hypothesis later : forall q : 'I_pairs, counts (size M) q -> p %/ 4 < q %/ 4 -> forall k, words_at M q k = words_at M' q k.
Hypothesis dp : words_at M p (~~ h) != words_at M' p (~~ h).
Hypothesis case_h : h || [forall (q : 'I_pairs | (q %/ 4 == p %/ 4) && counts (size M) q), words_at M q false == words_at M' q false].
Let unit := (maxn (size M) (size M')).-1 %/ 32.
Let v := unit %% 32.
Local Notation at_p := (fun i => place i (p, h)).
Definition inner (r : 'I_T) := [exists q in Q, q < r] && [exists q in Q, r < q].
Definition weight r := (if inner r then 10 else 1) * ratio_bound N H.
Local Notation ratios R' := (@ratios N T byte zero elt R' a b M M').

Lemma apart_QR i j : i \in Q -> j \in R -> i != j :> nat.
Proof. by move=> iQ jR; apply: contraTneq iQ => E; rewrite (val_inj E : i = j) (disjointFl QR). Qed.
Lemma tops : top (size M) <= v /\ top (size M') <= v.
Proof.
have le : maxn (size M) (size M') <= C by rewrite geq_max sM sM'.
by split; apply: top_le le; rewrite ?leq_maxl ?leq_maxr.
Qed.
Lemma p_top : p %/ 4 <= v. Proof. exact: leq_trans (counts_top sM cp) tops.1. Qed.
Lemma unit_counts t : counts (size M) (pair unit t) || counts (size M') (pair unit t).
Proof. by rewrite /unit /maxn; case: ltnP => _; rewrite top_counts ?orbT. Qed.

Definition part (R' S : {set 'I_T}) (A C : pred nat) := [/\ S \subset Q,
  decided (fun K => collide S M M' K && ratios R' K) (2 * #|R'| + #|S|) (\prod_(r in R') weight r) A C (Q :\: S) at_p
  & forall i, i \in Q -> i \notin S -> on A (fun K => nh i K M == nh i K M')].
Lemma part_none : part set0 set0 predT pred0.
Proof.
split; rewrite ?sub0set // ?cards0 ?big_set0 ?setD0; last by move=> i _ _ K K' eq; have -> : K = K' by apply/ffunP => e; exact: eq.
by apply: decided_ev (nothing_decided _ _ _ _) => K; rewrite /StreamsNh.collide /StreamsNh.ratios !forall_none.
Qed.
Lemma part_plain r u half (A C : pred nat) : (forall t, counts (size M) (pair u t) || counts (size M') (pair u t)) ->
  ~~ A (2 * (u %% 32) + ~~ half + r) -> C (2 * (u %% 32) + half + r) -> (forall i, i \in Q -> on A (fun K => nh i K M == nh i K M')) ->
  part [set r] set0 A C.
Proof.
move=> cnt nA inC onA; split; rewrite ?sub0set // ?cards0 ?cards1 ?big_set1 ?setD0; last by move=> i iQ _; exact: onA.
apply: decided_le (decided_ev _ (ratio_decided Q p h H0 abP cnt nA inC)) => [|K].
  by rewrite /weight leq_pmull //; case: ifP.
by rewrite /StreamsNh.collide /StreamsNh.ratios forall_none forall_one.
Qed.
Lemma part_both r s t half (A C : pred nat) : inner r -> s \in Q -> (if half then r = s.+1 :> nat else s = r.+1 :> nat) ->
  counts (size M) t -> words_at M t (~~ half) != words_at M' t (~~ half) ->
  (forall t', counts (size M) t' -> t' %/ 4 = t %/ 4 -> words_at M t' half = words_at M' t' half) ->
  ~~ A (2 * (t %/ 4) + ~~ half + r) -> C (2 * (t %/ 4) + half + r) -> C (2 * (t %/ 4) + ~~ half + s) ->
  (forall i, i \in Q -> i != s -> 2 * (p %/ 4) + h + i != 2 * (t %/ 4) + half + r /\ 2 * (p %/ 4) + h + i != 2 * (t %/ 4) + ~~ half + s) ->
  (forall i, i \in Q -> i != s -> on A (fun K => nh i K M == nh i K M')) -> part [set r] [set s] A C.
Proof.
move=> in_r sQ next ct dt agree nA inC inC' other_ onA; split.
- by rewrite sub1set.
- rewrite !cards1 big_set1; have out i : i \in Q :\ s -> 2 * (p %/ 4) + h + i != 2 * (t %/ 4) + half + r /\ 2 * (p %/ 4) + h + i != 2 * (t %/ 4) + ~~ half + s.
    by rewrite !inE => /andP [n iQ]; exact: other_.
  apply: decided_le (decided_ev _ (both_decided H0 abP next same ct dt agree nA inC inC' out)) => [|K].
    by rewrite /weight in_r; exact: three_labels enough.
  by rewrite /StreamsNh.collide /StreamsNh.ratios !forall_one.
by move=> i iQ; rewrite inE => n; exact: onA.
Qed.

Lemma below_hash (i r : 'I_T) : i < r -> on (fun l => l < 2 * v + 1 + r) (fun K => nh i K M) /\ on (fun l => l < 2 * v + 1 + r) (fun K => nh i K M').
Proof.
have [t t'] := tops; move=> lt; split.
  by apply: nh_on sM _ => l _ /leq_ltn_trans; apply; exact: after t lt.
by apply: nh_on sM' _ => l _ /leq_ltn_trans; apply; exact: after t' lt.
Qed.
Lemma above_hash (i r : 'I_T) : r < i -> on (fun l => r < l) (fun K => nh i K M) /\ on (fun l => r < l) (fun K => nh i K M').
Proof. by move=> lt; split; [apply: nh_on sM _ => l le _ | apply: nh_on sM' _ => l le _]; exact: leq_trans le. Qed.
Lemma below_on (i r : 'I_T) : i < r -> on (fun l => l < 2 * v + 1 + r) (fun K => nh i K M == nh i K M').
Proof. by move=> /below_hash [o o']; exact: same_hash_on. Qed.
Lemma above_on (i r : 'I_T) : r < i -> on (fun l => r < l) (fun K => nh i K M == nh i K M').
Proof. by move=> /above_hash [o o']; exact: same_hash_on. Qed.

Lemma part_above r : r \in R -> 1 < r -> (forall s, s \in Q -> r < s -> inner r /\ ~~ (h && (p %/ 4 == v))) ->
  exists2 S, part [set r] S (fun l => l < 2 * v + 1 + r) (fun l => 2 * v + r <= l) & {in S, forall i : 'I_T, 1 < i}.
Proof.
move=> rR r1 at_s; have less i : i \in Q -> i < r \/ i = r.+1 :> nat.
  by move=> iQ; case: ltngtP (apart_QR iQ rR) => // [lt _|lt _]; [left | right; exact: last_one T4 r1 lt (ltn_ord i)].
have nA : ~~ (2 * (unit %% 32) + ~~ false + r < 2 * v + 1 + r) by rewrite ltnn.
have inC : 2 * v + r <= 2 * (unit %% 32) + false + r by rewrite addn0.
case: (boolP [exists s in Q, r < s]) => [/exists_inP [s sQ rs]|/exists_inPn none]; last first.
  exists set0; last by move=> i; rewrite inE.
  apply: (part_plain (A := fun l => l < 2 * v + 1 + r) (C := fun l => 2 * v + r <= l) unit_counts nA inC) => i iQ; apply: below_on; case: (less i iQ) => // E; by have := none i iQ; rewrite E ltnSn.
have Es : s = r.+1 :> nat := last_one T4 r1 rs (ltn_ord s).
have [in_r nh_] := at_s s sQ rs; case: (ltnP (p %/ 4) v) => [lower|upper].
  exists set0; last by move=> i; rewrite inE.
  apply: (part_plain (A := fun l => l < 2 * v + 1 + r) (C := fun l => 2 * v + r <= l) unit_counts nA inC) => i iQ; case: (less i iQ) => [|E]; first exact: below_on.
  apply: collision_on same _ => t k ct dt k'; apply: by_second (leq_b1 k') E; apply: leq_ltn_trans lower.
  by rewrite leqNgt; apply: contra dt => lt; apply/eqP; exact: later.
have Ep : p %/ 4 = v by apply/eqP; rewrite eqn_leq upper p_top.
have h0 : h = false by apply/negbTE; move: nh_; rewrite Ep eqxx andbT.
exists [set s]; last by move=> i; rewrite inE => /eqP ->; rewrite Es ltnS ltnW.
have low i : i \in Q -> i != s -> i < r by move=> iQ; case: (less i iQ) => // E; rewrite -val_eqE /= E Es eqxx.
apply: (part_both (A := fun l => l < 2 * v + 1 + r) (C := fun l => 2 * v + r <= l) (t := p) (half := false) in_r sQ Es cp).
- by move: dp; rewrite h0.
- by move=> t ct ut; move: case_h; rewrite h0 /= => /forall_inP all; apply/eqP; apply: all; rewrite ut eqxx ct.
- by rewrite Ep ltnn.
- by rewrite Ep addn0.
- by rewrite Ep Es; exact: no_less.
- by move=> i iQ n; rewrite h0 Ep Es; exact: not_above (low i iQ n).
by move=> i iQ n; apply: below_on; exact: low.
Qed.

Lemma part_below r : r \in R -> r <= 1 ->
  (forall s, s \in Q -> s < r -> inner r /\ forall t : 'I_pairs, counts (size M) t -> t %/ 4 = 0 -> words_at M t true = words_at M' t true) ->
  exists2 S, part [set r] S (fun l => r < l) (fun l => l <= r.+1) & {in S, forall i : 'I_T, i <= 1}.
Proof.
move=> rR r1 at_s.
have cnt t : counts (size M) (pair 0 t) || counts (size M') (pair 0 t) by rewrite counts_0.
have nA : ~~ (r < 2 * (0 %% 32) + ~~ true + r) by rewrite ltnn.
have inC : 2 * (0 %% 32) + true + r <= r.+1 by [].
have no_S : {in (set0 : {set 'I_T}), forall i : 'I_T, i <= 1} by move=> i; rewrite inE.
case: (boolP [exists s in Q, s < r]) => [/exists_inP [s sQ sr]|/exists_inPn none]; last first.
  exists set0 => //; apply: (part_plain (A := fun l => r < l) (C := fun l => l <= r.+1) cnt nA inC) => i iQ; apply: above_on.
  by rewrite ltn_neqAle eq_sym apart_QR //= leqNgt none.
have [Es Er] := first_one r1 sr; have [in_r seconds] := at_s s sQ sr.
have more i : i \in Q -> i != s -> r < i.
  by move=> iQ; have := apart_QR iQ rR; rewrite -val_eqE /= Es Er; exact: two_or_more.
case: (boolP [exists t : 'I_pairs, [&& counts (size M) t, t %/ 4 == 0 & words_at M t false != words_at M' t false]]) => [/existsP [t /and3P [ct /eqP ut dt]]|/existsPn firsts].
  exists [set s]; last by move=> i; rewrite inE => /eqP ->; rewrite Es.
  apply: (part_both (A := fun l => r < l) (C := fun l => l <= r.+1) (t := t) (half := true) in_r sQ _ ct dt).
  - by rewrite Er Es.
  - by move=> t' ct'; rewrite ut; exact: seconds.
  - by rewrite ut ltnn.
  - by rewrite ut.
  - by rewrite ut Es.
  - move=> i iQ n; have := more i iQ n; rewrite ut Es Er => lt; split; last exact: by_last.
    apply/negP => /eqP /(by_first lt) [p0 h0]; by move: dp; rewrite h0 /= (seconds p cp p0) eqxx.
  by move=> i iQ n; apply: above_on; exact: more.
exists set0 => //; apply: (part_plain (A := fun l => r < l) (C := fun l => l <= r.+1) cnt nA inC) => i iQ; case: (eqVneq i s) => [Ei|n]; last by apply: above_on; exact: more.
apply: collision_on same _ => t k ct dt k'; have t0 : t %/ 4 != 0.
  apply: contraTneq dt => ut; have := firsts t; rewrite ct ut eqxx /= negbK => /eqP E; apply/negPn/eqP.
  by case: (k) => //; exact: seconds.
by rewrite Ei Es Er; exact: second_unit.
Qed.

Lemma all_on K K' : (forall e : key_place, predT e.1 -> K e = K' e) -> K = K'.
Proof. by move=> eq; apply/ffunP => e; exact: eq. Qed.

Variables (q0 r0 s0 : 'I_T).
Hypotheses (q0Q : q0 \in Q) (s0Q : s0 \in Q) (r0R : r0 \in R) (qr : q0 < r0) (rs : r0 < s0).
Hypothesis not_top : forall r s, r \in R -> s \in Q -> 1 < r -> r < s -> ~~ (h && (p %/ 4 == v)).
Hypothesis not_bottom : forall r s, r \in R -> s \in Q -> r <= 1 -> s < r ->
  forall t : 'I_pairs, counts (size M) t -> t %/ 4 = 0 -> words_at M t true = words_at M' t true.

Lemma only_one r r' : r \in R -> r' \in R -> (1 < r) = (1 < r') -> r = r'.
Proof. by move=> rR rR' e; apply: val_inj; apply: (only T4 qr rs (ltn_ord s0)) e _ _ => //; exact: apart_QR. Qed.

Lemma above_inner r s : r \in R -> s \in Q -> 1 < r -> r < s -> inner r.
Proof.
move=> rR sQ r1 lt; apply/andP; split; last by apply/exists_inP; exists s.
apply/exists_inP; exists q0 => //; case: (leqP r0 1) => r01.
  exact: leq_trans qr (leq_trans r01 (ltnW r1)).
by rewrite (only_one rR r0R) // r1 r01.
Qed.
Lemma below_inner r s : r \in R -> s \in Q -> r <= 1 -> s < r -> inner r.
Proof.
move=> rR sQ r1 lt; apply/andP; split; first by apply/exists_inP; exists s.
apply/exists_inP; exists s0 => //; case: (leqP r0 1) => r01.
  by rewrite (only_one rR r0R) // !ltnNge r1 r01.
exact: leq_ltn_trans r1 (ltn_trans r01 rs).
Qed.

Lemma top_part : exists S A C, [/\ part [set r in R | 1 < r] S A C, {in S, forall i : 'I_T, 1 < i},
  forall i, i <= 1 -> on A (fun K => nh i K M) /\ on A (fun K => nh i K M') & forall l, C l -> exists r, [/\ r \in R, 1 < r & 2 * v + r <= l]].
Proof.
case: (set_0Vmem [set r in R | 1 < r]) => [->|[r]].
  exists set0, predT, pred0; split => //; [exact: part_none | by move=> i; rewrite inE | by move=> i _; split => K K' /all_on ->].
rewrite inE => /andP [rR r1]; have -> : [set r in R | 1 < r] = [set r].
  by apply/setP => i; rewrite !inE; apply/andP/eqP => [[iR i1]|-> //]; apply: only_one; rewrite // i1 r1.
have [|S pS inS] := part_above rR r1.
  by move=> s sQ lt; split; [exact: above_inner lt | exact: not_top lt].
exists S, (fun l => l < 2 * v + 1 + r), (fun l => 2 * v + r <= l); split => //; last by move=> l le; exists r.
by move=> i i1; apply: below_hash; exact: leq_ltn_trans r1.
Qed.
Lemma bottom_part : exists S A C, [/\ part [set r in R | r <= 1] S A C, {in S, forall i : 'I_T, i <= 1},
  forall l, 1 < l -> A l & forall l, C l -> exists r, [/\ r \in R, r <= 1 & l <= r.+1]].
Proof.
case: (set_0Vmem [set r in R | r <= 1]) => [->|[r]].
  exists set0, predT, pred0; split => //; [exact: part_none | by move=> i; rewrite inE].
rewrite inE => /andP [rR r1]; have -> : [set r in R | r <= 1] = [set r].
  by apply/setP => i; rewrite !inE; apply/andP/eqP => [[iR i1]|-> //]; apply: only_one; rewrite // !ltnNge i1 r1.
have [|S pS inS] := part_below rR r1.
  by move=> s sQ lt; split; [exact: below_inner lt | exact: not_bottom lt].
exists S, (fun l => r < l), (fun l => l <= r.+1); split => //; last by move=> l le; exists r.
by move=> l; exact: leq_ltn_trans.
Qed.

Lemma some_collisions (Q' : {set 'I_T}) (f : nh_key -> nat) : (forall K K', elsewhere Q' at_p K K' -> f K = f K') ->
  (\sum_(K | collide Q' M M' K) f K) * N ^ #|Q'| <= 2 ^ #|Q'|.-1 * \sum_K f K.
Proof.
have [->|[i0 iQ]] := set_0Vmem Q'.
  move=> _; rewrite cards0 muln1 mul1n [X in X <= _]big_mkcond /=; apply: leq_sum => K _; by case: ifP.
have [i iQ' least] := @arg_minnP _ i0 (mem Q') val iQ.
apply: (collisions_at N1 lengths same cp later dp _ iQ' least).
by move: case_h; case: (h) => //= /forall_inP; apply; rewrite eqxx cp.
Qed.

Lemma same_inner : #|[set K | collide Q M M' K && ratios R K]| * N ^ (#|Q| + 2 * #|R|) <= 2 ^ #|Q|.-1 * (\prod_(r in R) weight r) * #|{: nh_key}|.
Proof.
have [S [A [D [[SQ dS onS] S1 low inD]]]] := top_part; have [S' [A' [D' [[SQ' dS' onS'] S1' inA inD']]]] := bottom_part.
set R1 := [set r in R | 1 < r] in dS; set R2 := [set r in R | r <= 1] in dS'.
have ER : R = R1 :|: R2 by apply/setP => i; rewrite !inE -andb_orr; case: (ltnP 1 i); rewrite ?andbT.
have RR : [disjoint R1 & R2] by apply/pred0P => i /=; rewrite !inE; case: (ltnP 1 i); rewrite ?andbF.
have SS : [disjoint S & S'].
  by apply/pred0P => i /=; apply/negbTE/negP => /andP [/S1 i1 /S1']; rewrite leqNgt i1.
pose Q' := Q :\: (S :|: S'); have SSQ : S :|: S' \subset Q by rewrite subUset SQ SQ'.
have EQ : Q = Q' :|: (S :|: S').
  by apply/setP => i; rewrite !inE; case: (boolP ((i \in S) || (i \in S'))) => [iS|_] /=; rewrite ?orbF //; apply: (subsetP SSQ); rewrite inE.
have cQ : #|Q| = #|Q'| + (#|S| + #|S'|).
  by rewrite -[#|Q|](cardsID (S :|: S')) (setIidPr SSQ) addnC cardsU (disjoint_setI0 SS) cards0 subn0.
have cR : #|R| = #|R1| + #|R2| by rewrite {1}ER cardsU (disjoint_setI0 RR) cards0 subn0.
have pR : \prod_(r in R) weight r = (\prod_(r in R1) weight r) * \prod_(r in R2) weight r.
  by rewrite -bigU //=; apply: eq_bigl => i; rewrite {1}ER inE.
have onQ (A0 : pred nat) : (forall i, i \in Q' -> on A0 (fun K => nh i K M == nh i K M')) -> on A0 (collide Q' M M') by exact: collide_on.
have dd : decided (fun K => collide S M M' K && ratios R1 K) (2 * #|R1| + #|S|) (\prod_(r in R1) weight r) A D Q' at_p.
  by apply: decided_sub dS; apply: setDS; exact: subsetUl.
have dd' : decided (fun K => collide S' M M' K && ratios R2 K) (2 * #|R2| + #|S'|) (\prod_(r in R2) weight r) A' D' Q' at_p.
  by apply: decided_sub dS'; apply: setDS; exact: subsetUr.
have one : on A (fun K => collide S' M M' K && ratios R2 K).
  move=> K K' eq; congr (_ && _); apply: eq_forallb => i; case: (boolP (i \in _)) => //= iS.
    by have [e e'] := low i (S1' i iS); rewrite (e K K' eq) (e' K K' eq).
  by move: iS; rewrite inE => /andP [_ /low [e e']]; rewrite /ratio (e K K' eq) (e' K K' eq).
have q1 : on A (collide Q' M M').
  by apply: onQ => i; rewrite !inE negb_or => /andP [/andP [n _] iQ]; exact: onS.
have q2 : on A' (collide Q' M M').
  by apply: onQ => i; rewrite !inE negb_or => /andP [/andP [_ n] iQ]; exact: onS'.
have sub l : D l -> A' l by move=> /inD [r [_ r1 le]]; apply: inA; apply: leq_trans r1 _; exact: leq_trans (leq_addl _ _) le.
have no l : D' l -> ~~ D l.
  move=> /inD' [r' [rR' r1' le']]; apply/negP => /inD [r [rR r1 le]].
  have [v0 lt lt'] := clash T4 qr rs (ltn_ord s0) (apart_QR q0Q rR) (apart_QR q0Q rR') (apart_QR s0Q rR) (apart_QR s0Q rR') r1 r1' (leq_trans le le').
  have p0 : p %/ 4 = 0 by apply/eqP; rewrite -leqn0 -[X in _ <= X]v0 p_top.
  have := not_top rR s0Q r1 lt; rewrite v0 p0 eqxx andbT => h0.
  by move: dp; rewrite h0 (not_bottom rR' q0Q r1' lt' cp p0) eqxx.
have size_ : 2 * #|R1| + #|S| + (2 * #|R2| + #|S'|) + #|Q'| = #|Q| + 2 * #|R| by rewrite cQ cR; exact: powers.
have := two_decided (@some_collisions Q') dd dd' one q1 q2 sub no; rewrite -pR size_ => le.
have -> : [set K | collide Q M M' K && ratios R K]
    = [set K | collide Q' M M' K && ((collide S M M' K && ratios R1 K) && (collide S' M M' K && ratios R2 K))].
  apply/setP => K; rewrite !inE /StreamsNh.collide /StreamsNh.ratios {1}EQ {1}ER !forall_cup.
  by rewrite -!andbA; do !bool_congr.
apply: leq_trans le _; rewrite -!mulnA leq_mul2r; apply/orP; right; apply: leq_pexp2l => //.
by rewrite cQ; case: #|Q'| => // n; rewrite addSn /= leq_addr.
Qed.
End Same.

(* For any two chunks: a ratio between two collisions costs a factor of 10. *)
Theorem nh_all (Q R : {set 'I_T}) H a b M M' : T <= 4 -> 0 < H -> 142 <= N %/ H + 24 * H -> [disjoint Q & R] ->
  (forall i, [/\ 0 < a i, 0 < b i & a i != b i]) -> M != M' -> size M <= C -> size M' <= C ->
  #|[set K | [forall (i | i \in Q), nh i K M == nh i K M'] && [forall (i | i \in R), b i * nh i K M == a i * nh i K M']]| * (N ^ 2) ^ (#|Q| + #|R|)
  <= 2 ^ #|Q|.-1 * (N + 1) ^ #|Q| * (\prod_(r in R) weight Q H r) * #|{: nh_key}|.
Proof.
move=> T4 H0 enough QR; wlog le : M M' a b / size M <= size M'.
  move=> sym abP ne s s'; case: (leqP (size M) (size M')) => [le|/ltnW le]; first exact: sym.
  rewrite eq_sym in ne; apply: leq_trans (sym M' M b a le _ ne s' s); last by move=> i; have [a0 b0 n] := abP i; rewrite eq_sym.
  rewrite leq_mul2r; apply/orP; right; apply/subset_leq_card/subsetP => K; rewrite !inE => /andP [/forall_inP hQ /forall_inP hR].
  by apply/andP; split; apply/forall_inP => i iS; rewrite eq_sym; [exact: hQ | exact: hR].
move=> abP ne s s'; have [a0 b0 ab] : [/\ forall i, 0 < a i, forall i, 0 < b i & forall i, a i != b i] by split=> i; have [] := abP i.
have weights : ratio_bound N H ^ #|R| <= \prod_(r in R) weight Q H r.
  by rewrite -prod_nat_const; apply: leq_prod => r _; rewrite /weight leq_pmull //; case: ifP.
have [/existsP [r0 /andP [r0R /andP [/exists_inP [q0 q0Q qr] /exists_inP [s0 s0Q rs]]]]|/existsPn none] := boolP [exists r, (r \in R) && inner Q r]; last first.
  apply: leq_trans (nh_together N1 zero elt_inj lengths H0 QR abP _ ne s s') _; last first.
    by rewrite leq_mul2r; apply/orP; right; rewrite leq_mul2l weights orbT.
  move=> r rR; have := none r; rewrite rR /= negb_and => /orP [] /exists_inPn no; [right | left] => q qQ;
    have := no q qQ; have := apart_QR QR qQ rR; by rewrite -leqNgt leq_eqVlt => n /orP [/eqP E|//]; rewrite E eqxx in n.
case: (counts_cases le s') => [same|one]; last first.
  rewrite -expnM; apply: leq_trans (fresh_streams N1 zero elt lengths H0 a0 b0 ab QR le s' one) _.
  rewrite leq_mul2r; apply/orP; right; apply: leq_mul => //; by rewrite leq_pmull // expn_gt0.
case: (last_unit zero elt M M') => [words|[p [h [cp later dp case_h]]]].
  rewrite (_ : [set K | _] = set0) ?cards0 //; apply/setP => K; rewrite !inE; apply/negbTE/nandP; left.
  by apply/forall_inPn; exists q0 => //; exact: (same_words N1 elt_inj lengths).
set v := (maxn (size M) (size M')).-1 %/ 32 %% 32.
(* The collision q by a word, and then the others. *)
have by_one (q : 'I_T) (t : 'I_pairs) half (A : pred nat) : q \in Q -> counts (size M) t -> words_at M t half != words_at M' t half ->
    ~~ A (2 * (t %/ 4) + ~~ half + q) -> (forall i, i != q -> (i \in Q) || (i \in R) -> on A (fun K => nh i K M) /\ on A (fun K => nh i K M')) ->
    (forall r, r \in R -> (forall i, i \in Q :\ q -> i < r) \/ (forall i, i \in Q :\ q -> r < i)) ->
    #|[set K | [forall (i | i \in Q), nh i K M == nh i K M'] && [forall (i | i \in R), b i * nh i K M == a i * nh i K M']]| * (N ^ 2) ^ (#|Q| + #|R|)
    <= 2 ^ #|Q|.-1 * (N + 1) ^ #|Q| * (\prod_(r in R) weight Q H r) * #|{: nh_key}|.
  move=> qQ ct dt nA onA out; pose D : pred nh_key := fun K => collide (Q :\ q) M M' K && ratios zero elt R a b M M' K.
  have QR' : [disjoint Q :\ q & R] by apply: disjointWl QR; rewrite subD1set.
  have onD : on A D.
    move=> K K' eq; congr (_ && _); apply: eq_forallb => i; case: (boolP (i \in _)) => //= iS.
      by move: iS; rewrite !inE => /andP [n iQ]; have [|e e'] := onA i n; rewrite ?iQ // (e K K' eq) (e' K K' eq).
    have n : i != q by apply: contraTneq iS => ->; rewrite (disjointFr QR qQ).
    by have [|e e'] := onA i n; rewrite ?iS ?orbT // /ratio (e K K' eq) (e' K K' eq).
  have h1 := one_collision same ct dt onD nA.
  have h2 := nh_together N1 zero elt_inj lengths H0 QR' abP out ne s s'.
  have h3 := one_less (leq_trans (leq_mul h1 (leqnn _)) h2).
  have cQ : #|Q| = #|Q :\ q|.+1 by rewrite (cardsD1 q Q) qQ.
  have e : (N ^ 2) ^ (#|Q :\ q|.+1 + #|R|) = N ^ 2 * (N ^ 2) ^ (#|Q :\ q| + #|R|) by rewrite addSn expnS.
  have -> : [set K | [forall (i | i \in Q), nh i K M == nh i K M'] && [forall (i | i \in R), b i * nh i K M == a i * nh i K M']]
      = [set K | D K && (nh q K M == nh q K M')].
    apply/setP => K; rewrite !inE /D /StreamsNh.collide /StreamsNh.ratios.
    have -> : [forall (i | i \in Q), nh i K M == nh i K M'] = [forall (i | i \in Q :\ q), nh i K M == nh i K M'] && (nh q K M == nh q K M').
      by rewrite -(forall_one q (fun i => nh i K M == nh i K M')) -forall_cup setUC setD1K.
    by rewrite andbAC.
  rewrite cQ e; apply: leq_trans h3 _; rewrite leq_mul2r; apply/orP; right; by rewrite leq_mul2l weights orbT.
case: (boolP [exists r, exists q : 'I_T, [&& r \in R, q \in Q, 1 < r, r < q & h && (p %/ 4 == v)]]) => [/existsP [r /existsP [q /and5P [rR qQ r1 rq /andP [h1 pv]]]]|/existsPn top].
  have Eq : q = r.+1 :> nat := last_one T4 r1 rq (ltn_ord q).
  have far i r' : i \in Q -> i != q -> r' \in R -> i < q /\ r' < q /\ (if 0 < r' then i < r' else r' < i).
    move=> iQ n r'R; rewrite Eq; apply: (other_inner T4 r1) => //; rewrite -?Eq //; try exact: (apart_QR QR); by rewrite eq_sym (apart_QR QR).
  have far' i : i != q -> (i \in Q) || (i \in R) -> i < q.
    move=> n /orP [iQ|iR]; first by have [] := far i r iQ n rR.
    have := apart_QR QR qQ iR; rewrite Eq eq_sym; apply: (last_two T4 r1) => //; by rewrite -Eq.
  apply: (by_one q p false (fun l => l < 2 * v + 1 + q) qQ cp).
  - by move: dp; rewrite h1.
  - by rewrite (eqP pv) ltnn.
  - by move=> i n iS; exact: (below_hash s s' (far' i n iS)).
  move=> r' r'R; case: (posnP r') => r'0; [right | left] => i; rewrite !inE => /andP [n iQ]; have [_ [_]] := far i r' iQ n r'R; by rewrite ?r'0.
case: (boolP [exists r, exists q : 'I_T, exists t : 'I_pairs, [&& r \in R, q \in Q, r <= 1, q < r & [&& counts (size M) t, t %/ 4 == 0 & words_at M t true != words_at M' t true]]])
  => [/existsP [r /existsP [q /existsP [t /and5P [rR qQ r1 qr' /and3P [ct /eqP t0 dt]]]]]|/existsPn bottom].
  have [Eq Er] := first_one r1 qr'.
  have far i r' : i \in Q -> i != q -> r' \in R -> 0 < i /\ 0 < r' /\ (if r' <= 2 then r' < i else i < r').
    move=> iQ n r'R; apply: (other_outer T4 (ltn_ord i) (ltn_ord r') _ _ (apart_QR QR iQ r'R)); first by move: n; rewrite -val_eqE /= Eq.
      by have := apart_QR QR iQ rR; rewrite Er.
    by have := apart_QR QR qQ r'R; rewrite Eq eq_sym.
  apply: (by_one q t true (fun l => q < l) qQ ct dt).
  - by rewrite t0 ltnn.
  - move=> i n iS; apply: (above_hash s s'); rewrite Eq; case/orP: iS => [iQ|iR]; first by have [] := far i r iQ n rR.
    by rewrite lt0n -Eq eq_sym (apart_QR QR).
  move=> r' r'R; case: (leqP r' 2) => le2; [right | left] => i; rewrite !inE => /andP [n iQ]; have [_ [_]] := far i r' iQ n r'R; by rewrite ?le2 // leqNgt le2.
apply: more_collisions; apply: (same_inner T4 H0 enough QR abP s s' same cp later dp case_h q0Q s0Q r0R qr rs) => [r q rR qQ r1 rq|r q rR qQ r1 qr' t ct t0].
  by have := top r; rewrite negb_exists => /forallP /(_ q); rewrite rR qQ r1 rq.
apply/eqP; have := bottom r; rewrite negb_exists => /forallP /(_ q); rewrite negb_exists => /forallP /(_ t).
by rewrite rR qQ r1 qr' ct t0 eqxx /= negbK.
Qed.
End FourStreams.
