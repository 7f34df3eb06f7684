(* NH, NHS and their Toeplitz extensions NHT, NHST of UMAC (CRYPTO '99): Theorems 4.2, 4.5, 5.1 and 5.2, for every
   difference of hashes. A clause (k + m)(k' + m') is abstract first: what matters is how many k' give a difference. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import zify ring.
Require Import Counting NH.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Shifts.
Variables (W : finZmodType) (V : zmodType) (g : W -> W -> V). (* words, sums, products of words *)
Variable r : nat.
Hypothesis clause : forall (c c' m m' : W) (d : V), c != c' ->
  (#|[set k : W | (g c (k + m) - g c' (k + m'))%R == d]| <= r)%N.
Hypothesis sym : forall x y, g x y = g y x.
Variables n t : nat. (* pairs of words of a message, keys *)
Definition msg := {ffun 'I_n * bool -> W}.
Definition key := {ffun 'I_(n + t) * bool -> W}.
Implicit Types (M : msg) (K : key).

(* Pair i of a message under the key that is shifted by j pairs. *)
Lemma shift_lt (i : 'I_n) (j : 'I_t) : (i + j < n + t)%N.
Proof. by rewrite -addSn leq_add // ltnW. Qed.
Definition at_ (i : 'I_n) (j : 'I_t) : 'I_(n + t) := Ordinal (shift_lt i j).
Definition term K M (j : 'I_t) (i : 'I_n) : V :=
  g (K (at_ i j, false) + M (i, false)) (K (at_ i j, true) + M (i, true)).
Definition hash K M (j : 'I_t) : V := \sum_(i < n) term K M j i.

(* The first s hashes have given differences. *)
Definition meet M M' (d : 'I_t -> V) (s : nat) : {set key} :=
  [set K | [forall j : 'I_t, (j < s)%N ==> (hash K M j - hash K M' j == d j)]].

Lemma term_sym K M j (i : 'I_n) b :
  term K M j i = g (K (at_ i j, b) + M (i, b)) (K (at_ i j, ~~ b) + M (i, ~~ b)).
Proof. by rewrite /term; case: b => //; exact: sym. Qed.

(* The differences do not look at a word after the last pair that differs. *)
Lemma difference_last M M' (i0 : 'I_n) (j : 'I_t) K K' :
  (forall (i : 'I_n) b, (i0 < i)%N -> M (i, b) = M' (i, b)) ->
  (forall p : 'I_(n + t) * bool, (p.1 <= i0 + j)%N -> K p = K' p) ->
  hash K M j - hash K M' j = hash K' M j - hash K' M' j.
Proof.
move=> after same; rewrite /hash -!sumrB; apply: eq_bigr => i _.
case: (leqP i i0) => le; last by rewrite /term !after // !subrr.
by rewrite /term !same //= leq_add2r.
Qed.

(* Keys of a set that does not look at one word: one difference is met by at most r/#W of them. *)
Lemma one_step M M' (d : V) (i0 : 'I_n) b (j : 'I_t) (B : {set key}) : M (i0, b) != M' (i0, b) ->
  (forall K w, K \in B -> put (at_ i0 j, ~~ b) K w \in B) ->
  (#|[set K in B | (hash K M j - hash K M' j)%R == d]| * #|W| <= r * #|B|)%N.
Proof.
move=> ne closed; pose p : 'I_(n + t) * bool := (at_ i0 j, ~~ b).
apply: (@count_at_most _ _ (fun K : key => K p) (put p)).
- by move=> K w; exact: put_at.
- by move=> K; exact: put_id.
- by move=> K u v; exact: put_put.
- by move=> K w; rewrite inE => /andP [inB _]; exact: closed.
- move=> K; pose c := K (at_ i0 j, b) + M (i0, b); pose c' := K (at_ i0 j, b) + M' (i0, b).
  have nc : c != c' by apply: contra ne => /eqP /addrI ->.
  pose rest M0 := \sum_(i < n | i != i0) term K M0 j i.
  pose e := d - (rest M - rest M').
  apply: leq_trans (clause (M (i0, ~~ b)) (M' (i0, ~~ b)) e nc).
  apply/subset_leq_card/subsetP => w; rewrite !inE => /andP [_ /eqP E].
  have split M0 : hash (put p K w) M0 j
      = g (K (at_ i0 j, b) + M0 (i0, b)) (w + M0 (i0, ~~ b)) + rest M0.
    rewrite /hash (bigD1 i0) //=; congr (_ + _).
      rewrite (term_sym _ _ _ _ b) /p put_at put_out // xpair_eqE eqxx /=; by case: (b).
    apply: eq_bigr => i ni; rewrite /term !put_out // xpair_eqE negb_and; apply/orP; left;
      apply: contra ni => /eqP /(congr1 val) /= /eqP; rewrite eqn_add2r => /eqP E'; exact/eqP/val_inj.
  move: E; rewrite !split opprD addrACA => E; apply/eqP; rewrite /e -E -/c -/c' addrK //.
Qed.

Lemma toeplitz_step M M' d (i0 : 'I_n) b (j : 'I_t) : M (i0, b) != M' (i0, b) ->
  (forall (i : 'I_n) b, (i0 < i)%N -> M (i, b) = M' (i, b)) ->
  (#|meet M M' d j.+1| * #|W| <= r * #|meet M M' d j|)%N.
Proof.
move=> ne after; apply: leq_trans (one_step (d j) (B := meet M M' d j) ne _) => [|K w].
  rewrite leq_mul2r; apply/orP; right; apply/subset_leq_card/subsetP => K; rewrite !inE => /forallP all.
  apply/andP; split; last exact: (implyP (all j) (ltnSn j)).
  by apply/forallP => j'; apply/implyP => lt; apply: (implyP (all j')); exact: leq_trans lt (leqnSn j).
rewrite !inE => /forallP all; apply/forallP => j'; apply/implyP => lt; have := all j'; rewrite lt => /eqP <-; apply/eqP.
apply: (difference_last after) => q le; apply: put_out; apply: contraTneq le => ->.
by rewrite /= -ltnNge ltn_add2l.
Qed.

(* Theorems 5.1 and 5.2: at most (r/#W)^t of the keys give t differences. *)
Theorem toeplitz M M' (d : 'I_t -> V) : M != M' ->
  (#|[set K | [forall j, (hash K M j - hash K M' j)%R == d j]]| * #|W| ^ t <= r ^ t * #|{: key}|)%N.
Proof.
move=> neM; pose differ := [pred i : 'I_n | [exists b, M (i, b) != M' (i, b)]].
have some : exists i, differ i.
  apply/existsP; apply: contraNT neM; rewrite negb_exists => /forallP E; apply/eqP/ffunP => -[i b].
  by have := E i; rewrite negb_exists => /forallP /(_ b); rewrite negbK => /eqP.
have [i1 di1] := some; case: (@arg_maxnP _ i1 differ val di1) => i0 /existsP [b ne] last.
have after (i : 'I_n) b' : (i0 < i)%N -> M (i, b') = M' (i, b').
  by move=> lt; apply/eqP; apply: contraTT lt => ne'; rewrite -leqNgt; apply: last; apply/existsP; exists b'.
have step s : (s <= t)%N -> (#|meet M M' d s| * #|W| ^ s <= r ^ s * #|{: key}|)%N.
  elim: s => [|s IH] lt; first by rewrite muln1 mul1n max_card.
  have := @toeplitz_step M M' d i0 b (Ordinal lt) ne after => /= one.
  rewrite !expnS mulnA; apply: leq_trans (leq_mul one (leqnn _)) _.
  by rewrite -!mulnA leq_mul2l IH ?orbT // ltnW.
apply: leq_trans (step t (leqnn _)); rewrite leq_mul2r subset_leq_card ?orbT //.
apply/subsetP => K; rewrite !inE => /forallP E; apply/forallP => j; apply/implyP => _; exact: E.
Qed.
End Shifts.

(* Words of N values. *)
Section Words.
Variable N : nat.
Hypothesis N1 : (1 < N)%N.
Let N0 : (0 < N)%N. Proof. exact: ltnW. Qed.
Let NN1 : (1 < N * N)%N. Proof. by rewrite (leq_trans N1) // leq_pmull. Qed.
Let W := 'Z_N.
Let V := 'Z_(N * N).

Lemma word_lt (x : W) : (x < N)%N. Proof. by rewrite -[X in (_ < X)%N](Zp_cast N1) ltn_ord. Qed.
Lemma word_plus (x y : W) : nat_of_ord (x + y) = ((x + y) %% N)%N.
Proof. by congr (_ %% _)%N; exact: Zp_cast. Qed.
Lemma word_eq (x y : nat) : (x%:R == y%:R :> V) = (x == y %[mod N * N]).
Proof. by rewrite -val_eqE /= !val_Zp_nat. Qed.

(* NH: words from 0 on. *)
Definition unsigned (x y : W) : V := (x * y)%:R.
Lemma unsigned_clause (c c' m m' : W) (d : V) : c != c' ->
  (#|[set k | (unsigned c (k + m) - unsigned c' (k + m'))%R == d]| <= 1)%N.
Proof.
move=> ne; apply/card_le1_eqP => k1 k2; rewrite !inE => /eqP E1 /eqP E2; apply: val_inj.
apply: (@lemma43 N c c' m m'); try exact: word_lt; first by rewrite -val_eqE in ne.
apply/eqP; rewrite -word_eq !natrD -!word_plus.
move: E1; rewrite -E2 /unsigned => /eqP; rewrite subr_eq => /eqP ->.
by rewrite addrAC subrK addrC.
Qed.

(* NHS: the values from h on stand for themselves less N; h is N / 2 there. *)
Variable h : nat.
Hypothesis hN : (h <= N)%N.
Definition signed (x : W) : int := if (x < h)%N then (x : nat)%:Z else (x : nat)%:Z - N%:Z.
Definition product (x y : W) : V := (signed x * signed y)%:~R.

Lemma signed_range x : - (N%:Z - h%:Z) <= signed x /\ signed x < h%:Z.
Proof.
move: (word_lt x); rewrite /signed; move: (nat_of_ord x) => a lt.
by case: ltnP => lt'; split; lia.
Qed.

Lemma signed_inj : injective signed.
Proof.
move=> x y E; apply: val_inj => /=; have := word_lt x; have := word_lt y; move: E.
rewrite /signed; move: (nat_of_ord x) (nat_of_ord y) => a b.
by case: ltnP => lx; case: ltnP => ly; lia.
Qed.

Lemma signed_plus (k m : W) : exists q : int, signed (k + m) = (k : nat)%:Z + (m : nat)%:Z + q * N%:Z.
Proof.
have E := divn_eq (k + m) N; rewrite -word_plus in E; rewrite /signed -PoszD E.
by case: ltnP => _; [exists (- ((k + m) %/ N)%N%:Z) | exists (- ((k + m) %/ N)%N%:Z - 1)]; rewrite PoszD PoszM; ring.
Qed.

Lemma multiple_small (z : int) : - N%:Z < z * N%:Z -> z * N%:Z < N%:Z -> z * N%:Z = 0.
Proof. by move: N0 => ? ? ?; have -> : z = 0 by nia. Qed.

(* Where the same of two sums is the greater, they have the same difference. *)
Lemma signed_difference (k1 k2 m m' : W) :
  (signed (k1 + m') <= signed (k1 + m)) = (signed (k2 + m') <= signed (k2 + m)) ->
  signed (k1 + m) - signed (k1 + m') = signed (k2 + m) - signed (k2 + m').
Proof.
have [q1 E1] := signed_plus k1 m; have [q2 E2] := signed_plus k1 m'.
have [q3 E3] := signed_plus k2 m; have [q4 E4] := signed_plus k2 m'.
have [a1 b1] := signed_range (k1 + m); have [a2 b2] := signed_range (k1 + m').
have [a3 b3] := signed_range (k2 + m); have [a4 b4] := signed_range (k2 + m').
move=> same; apply/eqP; rewrite -subr_eq0; apply/eqP.
have E : signed (k1 + m) - signed (k1 + m') - (signed (k2 + m) - signed (k2 + m')) = (q1 - q2 - q3 + q4) * N%:Z.
  by rewrite E1 E2 E3 E4; ring.
have := @multiple_small (q1 - q2 - q3 + q4); rewrite -E => small; rewrite small //; move: same a1 b1 a2 b2 a3 b3 a4 b4;
  move: (signed (k1 + m)) (signed (k1 + m')) (signed (k2 + m)) (signed (k2 + m')) => s1 s2 s3 s4; clear;
  by case: (boolP (s2 <= s1)) => ? e; have := esym e; case: (boolP (s4 <= s3)) => // *; lia.
Qed.

Lemma small_zero (z : int) : z%:~R = 0 :> V -> `|z| < (N * N)%:Z -> z = 0.
Proof.
have pos (a : nat) : a%:R = 0 :> V -> (a < N * N)%N -> a = 0%N.
  by move=> /eqP; rewrite -[0]/(0%:R) word_eq mod0n => /eqP <- lt; rewrite modn_small.
case: z => a; first by rewrite -pmulrn => /pos E lt; rewrite E.
by rewrite NegzE mulrNz => /eqP; rewrite oppr_eq0 -pmulrn => /eqP /pos E lt; have := E; lia.
Qed.

Lemma product_clause (c c' m m' : W) (d : V) : c != c' ->
  (#|[set k | (product c (k + m) - product c' (k + m'))%R == d]| <= 2)%N.
Proof.
move=> ne; set A := [set k | _].
pose up := [set k : W | signed (k + m') <= signed (k + m)].
have one (B : {set W}) : {in B &, forall k1 k2 : W, (k1 \in up) = (k2 \in up)} -> (#|A :&: B| <= 1)%N.
  move=> same; apply/card_le1_eqP => k1 k2 /setIP [A1 B1] /setIP [A2 B2].
  have := same k1 k2 B1 B2; rewrite !inE => /signed_difference E.
  move: A1 A2; rewrite !inE => /eqP <- /eqP E12.
  pose z := signed c * signed (k1 + m) - signed c' * signed (k1 + m')
    - (signed c * signed (k2 + m) - signed c' * signed (k2 + m')).
  have z0 : z%:~R = 0 :> V by rewrite /z !rmorphB /= -!/(product _ _) E12 subrr.
  have Ez' : z = (signed c - signed c') * (signed (k1 + m) - signed (k2 + m)).
    have Em : signed (k1 + m') = signed (k2 + m') + (signed (k1 + m) - signed (k2 + m)).
      move: E; move: (signed (k1 + m)) (signed (k1 + m')) (signed (k2 + m)) (signed (k2 + m')) => *; lia.
    by rewrite /z Em; ring.
  have nc : signed c - signed c' != 0 by rewrite subr_eq0 (inj_eq signed_inj).
  have : z = 0.
    apply: small_zero z0 _; rewrite Ez' normrM PoszM.
    have [? ?] := signed_range c; have [? ?] := signed_range c'.
    have [? ?] := signed_range (k1 + m); have [? ?] := signed_range (k2 + m).
    by apply: ltr_pmul => //; lia.
  move/eqP; rewrite Ez' mulf_eq0 (negbTE nc) /= subr_eq0 (inj_eq signed_inj) => /eqP /addIr //.
rewrite -(cardsID up A) setDE -[2%N]/(1 + 1)%N; apply: leq_add.
  by apply: one => k1 k2 -> ->.
by apply: one => k1 k2; rewrite !in_setC => /negbTE -> /negbTE ->.
Qed.

(* Theorem 4.8: under these many keys the two words 0, 0 have the hash of h, h. *)
Hypothesis twice : (h + h = N)%N.
Hypothesis h0 : (0 < h)%N.
Definition half : W := h%:R.
Lemma half_half : half + half = 0.
Proof. by rewrite /half -natrD twice; apply: val_inj; rewrite /= val_Zp_nat // modnn. Qed.

Lemma val_half : half = h :> nat.
Proof. by rewrite val_Zp_nat // modn_small //; move: h0 => ?; lia. Qed.

Lemma signed_opp x : x != half -> signed (- x) = - signed x.
Proof.
rewrite -val_eqE /= val_half => ne; have := word_lt x; rewrite /signed.
have -> : nat_of_ord (- x) = ((N - x) %% N)%N by congr ((_ - _) %% _)%N; exact: Zp_cast.
move: ne h0 twice; move: (nat_of_ord x) => a ne *.
case: (posnP a) => [->|a0]; first by rewrite subn0 modnn h0 oppr0.
by rewrite modn_small ?ltn_subrL ?a0 //; case: ltnP => ?; case: ltnP => ?; lia.
Qed.

Definition same : {set W * W} := [set k | product k.1 k.2 == product (k.1 + half) (k.2 + half)].

Lemma same_above x : (x, x + half) \in same.
Proof. by rewrite inE /= -addrA half_half addr0 /product mulrC. Qed.

Lemma same_mirrored x : x != 0 -> x != half -> (x, - (x + half)) \in same.
Proof.
move=> x0 xh; have xh' : x + half != half by apply: contra x0 => /eqP E; rewrite -(addrK half x) E subrr.
have E : - (x + half) + half = - x by rewrite opprD addrNK.
by rewrite inE /= E /product !signed_opp // !mulrN mulrC.
Qed.

Theorem theorem48 : (2 * N - 2 <= #|same|)%N.
Proof.
pose A := [set (x, x + half) | x : W]; pose B := [set (x, - (x + half)) | x in ~: [set 0; half]].
have cW : #|W| = N by rewrite card_ord Zp_cast.
have cA : #|A| = N by rewrite card_imset // => x y [].
have cB : #|B| = (N - 2)%N.
  rewrite card_imset; last by move=> x y [].
  have := cardsC [set 0; half]; rewrite cW cards2 (_ : 0 != half); first by lia.
  by rewrite -val_eqE /= val_half neq_ltn h0.
have dis : A :&: B = set0.
  apply/setP => -[x y]; rewrite !inE; apply/negP => /andP [/imsetP [a _ [-> ->]] /imsetP [b]].
  rewrite !inE negb_or => /andP [b0 bh] E0; have Eb := congr1 snd E0; move: Eb; rewrite /= (congr1 fst E0 : a = b) => /eqP.
  rewrite -subr_eq0 opprK addrACA half_half addr0 -mulr2n => /eqP E.
  have := word_lt b; have := congr1 val E; rewrite mulr2n /= -[LHS]/(nat_of_ord (b + b)) word_plus => E2 lt.
  have : (b == 0%N :> nat) || (b == h :> nat).
    have [c Ec] : exists c, (b + b = c * N)%N by exists ((b + b) %/ N)%N; rewrite {1}(divn_eq (b + b) N) E2 addn0.
    by case: c Ec => [|[|c]]; move: (nat_of_ord b) lt h0 twice; clear => *; lia.
  by rewrite -val_half !val_eqE (negbTE bh) orbF => /eqP Z; case/eqP: b0; exact: val_inj.
have := cardsUI A B; rewrite dis cards0 addn0 cA cB => E.
have -> : (2 * N - 2 = #|A :|: B|)%N by move: N1 => ?; lia.
apply/subset_leq_card/subsetP => p; rewrite inE => /orP [] /imsetP [x]; first by move=> _ ->; exact: same_above.
by rewrite in_setC in_set2 negb_or => /andP [x0 xh] ->; exact: same_mirrored.
Qed.
End Words.

(* The theorems of the paper, for words of w bits, w at least 1. *)
Section Named.
Variable w : nat.
Hypothesis w1 : (0 < w)%N.
Let N := (2 ^ w)%N.
Let N1 : (1 < N)%N. Proof. by rewrite -[1%N]/(2 ^ 0)%N ltn_exp2l. Qed.
Variables n t : nat.
Definition NHT := @hash [finZmodType of 'Z_N] [zmodType of 'Z_(N * N)] (@unsigned N) n t.
Definition NHST := @hash [finZmodType of 'Z_N] [zmodType of 'Z_(N * N)] (@product N (2 ^ w.-1)) n t.

Let card_word : #|'Z_N| = N. Proof. by rewrite card_ord Zp_cast. Qed.

(* Theorem 5.1, with Theorem 4.2 as t = 1: at most 2^-(w t) of the keys. *)
Theorem NHT_delta M M' (d : 'I_t -> 'Z_(N * N)) : M != M' ->
  (#|[set K | [forall j, (NHT K M j - NHT K M' j)%R == d j]]| * N ^ t <= #|{: key [finZmodType of 'Z_N] n t}|)%N.
Proof.
move=> ne; have := @toeplitz [finZmodType of 'Z_N] [zmodType of 'Z_(N * N)] (@unsigned N) 1 _ _ n t M M' d ne.
rewrite exp1n mul1n card_word; apply; first exact: unsigned_clause.
by move=> x y; rewrite /unsigned mulnC.
Qed.

(* Theorem 5.2, with Theorem 4.5 as t = 1: at most 2^(t (1 - w)). *)
Theorem NHST_delta M M' (d : 'I_t -> 'Z_(N * N)) : M != M' ->
  (#|[set K | [forall j, (NHST K M j - NHST K M' j)%R == d j]]| * N ^ t <= 2 ^ t * #|{: key [finZmodType of 'Z_N] n t}|)%N.
Proof.
move=> ne; have := @toeplitz [finZmodType of 'Z_N] [zmodType of 'Z_(N * N)] (@product N (2 ^ w.-1)) 2 _ _ n t M M' d ne.
rewrite card_word; apply; last by move=> x y; rewrite /product mulrC.
by apply: product_clause => //; rewrite leq_exp2l // leq_pred.
Qed.

(* Theorem 4.8: NHS with its two words comes to 2^(1-w) - 2^(1-2w) at least. *)
Let half_N : (2 ^ w.-1 + 2 ^ w.-1 = N)%N.
Proof. by rewrite addnn -mul2n -expnS prednK. Qed.
Theorem NHS_reached : exists M' : 'Z_N * 'Z_N, M' != (0, 0) /\
  (2 * N - 2 <= #|[set k : 'Z_N * 'Z_N | (@product N (2 ^ w.-1) k.1 k.2
     == @product N (2 ^ w.-1) (k.1 + M'.1) (k.2 + M'.2))%R]|)%N.
Proof.
have h0 : (0 < 2 ^ w.-1)%N by rewrite expn_gt0.
have le : (2 ^ w.-1 <= N)%N by rewrite leq_exp2l // leq_pred.
exists (half N (2 ^ w.-1), half N (2 ^ w.-1)); split; last exact: (theorem48 N1 le half_N h0).
by rewrite xpair_eqE negb_and -val_eqE /= (val_half N1 le half_N h0) -lt0n h0.
Qed.
End Named.
