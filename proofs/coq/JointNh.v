(* NH of several streams together: how often their hashes of two chunks are equal, or in given ratios. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import zify.
Require Import Counting NH Toeplitz Uhash Lines NhRatio Shift.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import GRing.Theory.
Local Open Scope nat_scope.

Section JointNh.
Variables (N T H : nat).
Hypothesis N1 : 1 < N.
Hypothesis H0 : 0 < H.
Local Notation W := 'Z_N.
Variables (byte : eqType) (zero : byte) (elt : seq byte -> W).
Local Notation nh_key := (nh_key N T).
Local Notation nh := (@nh N T byte zero elt).
Local Notation words_at := (@words_at N byte zero elt).

Let p0 : 'I_pairs := @Ordinal pairs 0 isT.
Let p1 : 'I_pairs := @Ordinal pairs 1 isT.
Let p01 : p0 != p1. Proof. by []. Qed.

Lemma card_word : #|{: W}| = N. Proof. by rewrite card_ord Zp_cast. Qed.

Lemma side_apart (i : 'I_T) (b : bool) (p q : 'I_pairs) : apart_places (c_places i p q b) (z_places i p q b).
Proof.
have ne (r s : 'I_pairs) : place i (r, b) != place i (s, ~~ b).
  by apply/negP => /eqP /place_inj []; case: (b).
by rewrite /apart_places /= !ne.
Qed.

(* One stream in a given ratio: the words of two pairs. *)
Lemma one_ratio_nh (i : 'I_T) M M' a b : 0 < a -> 0 < b -> a != b ->
  #|[set K : nh_key | b * nh i K M == a * nh i K M']| * N ^ 2 <= ratio_bound N H * #|{: nh_key}|.
Proof.
move=> a0 b0 ab; have c0 s (r : 'I_pairs) : r %/ 4 = 0 -> counts s r by rewrite /counts => ->.
pose kap (_ : unit) (x : W * W) := few N H (slope_of a b (counts (size M) p0) (words_at M p0 false) (counts (size M') p0) (words_at M' p0 false) x.1,
  slope_of a b (counts (size M) p1) (words_at M p1 false) (counts (size M') p1) (words_at M' p1 false) x.2).
pose z (_ : unit) := z_places i p0 p1 false; pose c (_ : unit) := c_places i p0 p1 false.
pose ev (_ : unit) (K : nh_key) := b * nh i K M == a * nh i K M'.
have zne u : (z u).1 != (z u).2 by apply: contra p01 => /eqP /place_inj [].
have cne u : (c u).1 != (c u).2 by apply: contra p01 => /eqP /place_inj [].
have step u K : #|[set w | ev u (put2 (z u).1 (z u).2 K w)]| <= kap_of c kap u K.
  have h := @ratio_step N T byte zero elt N1 i p0 p1 false p01 H a b K M M' H0; apply: leq_trans h; apply: subset_leq_card; apply/subsetP => w; rewrite !inE; exact: id.
have mean u : \sum_w kap u w <= ratio_bound N H * #|{: W}| ^ 2.
  by rewrite card_word; apply: sum_few => //; rewrite c0.
have own u : apart_places (c u) (z u) by exact: side_apart.
have elim : (\sum_(K | true && all (fun u => ev u K) [:: tt]) 1) * #|{: W}| ^ (2 * 1)
    <= \sum_(K : nh_key | true) 1 * \prod_(u <- [:: tt]) kap_of c kap u K.
  by apply: (eliminate zne step (D := xpredT)); [split | move=> u _; split].

have av : \sum_(K : nh_key) \prod_(u <- [:: tt]) kap_of c kap u K <= \prod_(u <- [:: tt]) ratio_bound N H * #|{: nh_key}|.
  by apply: (average z cne mean); split.
rewrite card_word muln1 in elim; rewrite big_seq1 in av.
apply: leq_trans (leq_trans _ elim) _; last by apply: leq_trans av; apply: eq_leq; apply: eq_bigr => K _; rewrite mul1n.
by rewrite leq_mul2r -sum1_card; apply/orP; right; apply: eq_leq; apply: eq_bigl => K; rewrite inE /= andbT.
Qed.

(* One stream by itself has a uniform key. *)
Lemma shifted_count (i : 'I_T) (P : pred (key1 N)) :
  #|[set K : nh_key | P (shifted K i)]| * #|{: key1 N}| <= #|[set k | P k]| * #|{: nh_key}|.
Proof.
pose get (K : nh_key) : key1 N := shifted K i.
pose back (e : 'I_(63 + T) * 'I_4) := [pick ph | place i ph == e].
pose set (K : nh_key) (k : key1 N) : nh_key := [ffun e => if back e is Some ph then k ph else K e].
have backP ph : back (place i ph) = Some ph.
  by rewrite /back; case: pickP => [qh /eqP /place_inj ->|/(_ ph)] //; rewrite eqxx.
rewrite -[#|{: nh_key}|]cardsT; apply: (count_at_most (get := get) (set := set)).
- by move=> K k; apply/ffunP => ph; rewrite !ffunE backP.
- by move=> K; apply/ffunP => e; rewrite !ffunE /back; case: pickP => // ph /eqP <-; rewrite ffunE.
- by move=> K u v; apply/ffunP => e; rewrite !ffunE; case: (back e).
- by move=> K k _; rewrite inE.
move=> K; apply/subset_leq_card/subsetP => k; rewrite !inE.
by have -> : shifted (set K k) i = k by apply/ffunP => ph; rewrite !ffunE backP.
Qed.
End JointNh.
