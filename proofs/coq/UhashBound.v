(* UHASH of RFC 4418, one stream: the three levels of Uhash.v and L3.v together. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import zify ring.
Require Import Counting NH Toeplitz Poly L3 Uhash.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import GRing.Theory.
Local Open Scope nat_scope.

(* Digits, the lowest first; which comes first does not matter. *)
Lemma digits_differ (D n y y' : nat) : 0 < D -> y < D ^ n -> y' < D ^ n -> y != y' ->
  exists i : 'I_n, (y %/ D ^ i) %% D != (y' %/ D ^ i) %% D.
Proof.
move=> D0 ly ly' ne; apply/existsP; apply: contraNT ne; rewrite negb_exists => /forallP same.
have {}same i : i < n -> (y %/ D ^ i) %% D = (y' %/ D ^ i) %% D.
  by move=> lt; have := same (Ordinal lt); rewrite negbK => /eqP.
apply/eqP; elim: n y y' ly ly' same => [|n IH] y y'; first by rewrite expn0 !ltnS !leqn0 => /eqP -> /eqP ->.
rewrite expnS => ly ly' same; rewrite (divn_eq y D) (divn_eq y' D).
have := same 0 isT; rewrite expn0 !divn1 => ->; congr (_ * _ + _); apply: IH.
- by rewrite ltn_divLR // mulnC.
- by rewrite ltn_divLR // mulnC.
- by move=> i lt; rewrite -!divnMA -expnS; exact: same.
Qed.

Section Uhash.
Variables (N n64 n128 p64 limit64 offset64 p128 limit128 offset128 mark p T c D beta : nat).
Variables (byte : eqType) (zero : byte) (elt : seq byte -> 'Z_N).
Hypothesis N1 : 1 < N.
Hypothesis elt_inj : forall s s', size s = 4 -> size s' = 4 -> elt s = elt s' -> s = s'.
Hypothesis lengths : 8 * C < N * N.
Hypothesis mark0 : 0 < mark.
Hypothesis markB : mark < N * N.
Hypothesis n64_1 : 1 <= n64.
Hypothesis n128_2 : 2 <= n128.
Hypothesis prime64 : prime p64.
Hypothesis limit64_p : limit64 < p64.
Hypothesis offset64_limit : offset64 <= limit64.
Hypothesis B_p64 : N * N <= p64 + offset64.
Hypothesis prime128 : prime p128.
Hypothesis limit128_p : limit128 < p128.
Hypothesis offset128_limit : offset128 <= limit128.
Hypothesis BB_p128 : N * N * (N * N) <= p128 + offset128.
Variables (K64 K128 K3 : finType) (point64 : K64 -> 'F_p64) (point128 : K128 -> 'F_p128) (red : K3 -> 'F_p).
Hypothesis point64_inj : injective point64.
Hypothesis point128_inj : injective point128.
Hypothesis prime_p : prime p.
Hypothesis T0 : 0 < T.
Hypothesis pcT : p <= c * T.
Hypothesis fibre : forall x, #|[set w | red w == x]| <= beta.
Hypothesis D0 : 0 < D.
Hypothesis D_p : D <= p.
Hypothesis fits : [/\ p64 <= N * N * (N * N), N * N <= D ^ 8, p64 <= D ^ 8 & p128 <= D ^ 8].

Definition keys := (key1 N * (K64 * K128) * key K3 8)%type.
Definition words_of (K : key1 N) M : seq nat :=
  mkseq (fun i => level1 zero elt K (chunk M i) : nat) (chunks_of (size M)).
Definition level12 (k : key1 N * (K64 * K128)) M : nat :=
  level2 (N * N) mark n64 limit64 offset64 limit128 offset128 point64 point128 k.2 (words_of k.1 M).
Definition digits (y : nat) (i : 'I_8) : 'F_p := (((y %/ D ^ i) %% D)%N)%:R%R.
Definition uhash (k : keys) M : nat := L3 T red k.2 (digits (level12 k.1 M)).

Let B1 : 1 < N * N. Proof. by rewrite (leq_trans N1) // leq_pmull // ltnW. Qed.

Lemma words_of_collision M M' : M != M' ->
  #|[set K | words_of K M == words_of K M']| * N ^ 2 <= (N + 2) * #|{: key1 N}|.
Proof.
move=> ne; case: (eqVneq (chunks_of (size M)) (chunks_of (size M'))) => [En|nen]; last first.
  rewrite (_ : [set K | _] = set0) ?cards0 //; apply/setP => K; rewrite !inE.
  by apply: contraNF nen => /eqP /(congr1 size); rewrite !size_mkseq => ->.
have [i lt nei] := chunks_differ zero ne En.
apply: leq_trans (level1_collision N1 zero elt_inj lengths nei (size_chunk _ _) (size_chunk _ _)).
rewrite leq_mul2r; apply/orP; right; apply/subset_leq_card/subsetP => K; rewrite !inE => /eqP.
by move=> /(congr1 (nth 0 ^~ i)); rewrite !nth_mkseq -?En // => /val_inj ->.
Qed.

Lemma words_of_below K M : all (fun w => w < N * N) (words_of K M).
Proof. by apply/allP => w /mapP [i _ ->]; rewrite -[X in _ < X](Zp_cast B1) ltn_ord. Qed.

Lemma level12_small k M : level12 k M < D ^ 8.
Proof.
have [_ f1 f2 f3] := fits; rewrite /level12 /level2; case: ifP => [le|_].
  rewrite /words_of nth_mkseq // ; apply: leq_trans f1; by rewrite -[X in _ < X](Zp_cast B1) ltn_ord.
case: ifP => _; [apply: leq_trans f2 | apply: leq_trans f3].
  by rewrite -[X in _ < X](Fp_cast prime64) ltn_ord.
by rewrite -[X in _ < X](Fp_cast prime128) ltn_ord.
Qed.

(* The three levels: at most the sum of their bounds, in one fraction. *)
Theorem uhash_collision M M' : M != M' ->
  chunks_of (size M) <= n64 + 2 * (n128 - 2) -> chunks_of (size M') <= n64 + 2 * (n128 - 2) ->
  #|[set k | uhash k M == uhash k M']| * (N ^ 2 * (#|K64| * #|K128|) * #|K3|)
  <= ((N + 2) * (#|K64| * #|K128|) * #|K3| + N ^ 2 * (2 * n64 * #|K128| + #|K64| * (2 * n128)) * #|K3|
      + N ^ 2 * (#|K64| * #|K128|) * ((2 * c).-1 * beta)) * #|{: keys}|.
Proof.
move=> ne lc lc'; have [f0 f1 f2 f3] := fits.
pose X1 : {set keys} := [set k : keys | words_of k.1.1 M == words_of k.1.1 M'].
pose X2 : {set keys} := [set k : keys | (words_of k.1.1 M != words_of k.1.1 M') && (level12 k.1 M == level12 k.1 M')].
pose X3 : {set keys} := [set k : keys | (level12 k.1 M != level12 k.1 M') && (uhash k M == uhash k M')].
have sub : [set k | uhash k M == uhash k M'] \subset X1 :|: X2 :|: X3.
  by apply/subsetP => k; rewrite !inE => ->; rewrite andbT; case: eqVneq => //= _; case: eqVneq.
have b1 : #|X1| * N ^ 2 <= (N + 2) * #|{: keys}|.
  have -> : X1 = setX (setX [set K | words_of K M == words_of K M'] setT) setT.
    by apply/setP => -[[K k2] k3]; rewrite !inE /= !andbT.
  rewrite !cardsX !cardsT !card_prod; have := words_of_collision ne.
  move: #|[set K | words_of K M == words_of K M']| #|{: key1 N}| #|{: key K3 8}| (#|K64| * #|K128|) (N ^ 2) (N + 2).
  move=> a b d e n2 n3 h; have -> : a * e * d * n2 = a * n2 * (e * d) by clear; lia.
  have -> : n3 * (b * e * d) = n3 * b * (e * d) by clear; lia.
  by rewrite leq_mul2r h orbT.
have b2 : #|X2| * (#|K64| * #|K128|) <= (2 * n64 * #|K128| + #|K64| * (2 * n128)) * #|{: keys}|.
  pose X2' : {set key1 N * (K64 * K128)} :=
    [set k | (words_of k.1 M != words_of k.1 M') && (level12 k M == level12 k M')].
  have -> : X2 = setX X2' setT by apply/setP => -[k k3]; rewrite !inE /= andbT.
  have h : #|X2'| <= #|{: key1 N}| * (2 * n64 * #|K128| + #|K64| * (2 * n128)).
    apply: count_fibres => K; case: (eqVneq (words_of K M) (words_of K M')) => [Ew|nw].
      by rewrite (_ : [set w | _] = set0) ?cards0 //; apply/setP => w; rewrite !inE /= Ew eqxx.
    apply: leq_trans (level2_collision mark0 markB n64_1 prime64 limit64_p offset64_limit B_p64 prime128 limit128_p
      offset128_limit BB_p128 f0 point64_inj point128_inj nw _ _ (words_of_below _ _) (words_of_below _ _) n128_2 _ _);
      rewrite ?size_mkseq //.
    by apply/subset_leq_card/subsetP => w; rewrite !inE /level12 /= => /andP [].
  rewrite cardsX cardsT !card_prod; move: h.
  move: #|X2'| #|{: key1 N}| #|{: key K3 8}| (2 * n64 * #|K128| + #|K64| * (2 * n128)) (#|K64| * #|K128|) => a b d e g h.
  apply: leq_trans (leq_mul (leq_mul h (leqnn d)) (leqnn g)) _.
  by have -> : b * e * d * g = e * (b * g * d) by clear; lia.
have b3 : #|X3| * #|K3| <= ((2 * c).-1 * beta) * #|{: keys}|.
  have : #|X3| * #|K3| <= \sum_(k : key1 N * (K64 * K128)) (2 * c).-1 * beta * #|{: key K3 8}|.
    apply: count_fibres_sum => k; case: (eqVneq (level12 k M) (level12 k M')) => [El|nl].
      by rewrite (_ : [set w | _] = set0) ?cards0 //; apply/setP => w; rewrite !inE /= El eqxx.
    have [i ni] := digits_differ D0 (level12_small k M) (level12_small k M') nl.
    have nd : digits (level12 k M) i != digits (level12 k M') i.
      apply: contra ni => /eqP /(natr_inj prime_p) E; apply/eqP/E; by rewrite (leq_trans _ D_p) // ltn_mod.
    apply: leq_trans (L3_collision prime_p T0 pcT fibre nd).
    by rewrite leq_mul2r subset_leq_card ?orbT //; apply/subsetP => w; rewrite !inE => /andP [].
  by move=> h; apply: leq_trans h _; rewrite sum_nat_const mulnCA [#|{: keys}|]card_prod.
have u : #|[set k | uhash k M == uhash k M']| <= #|X1| + #|X2| + #|X3|.
  apply: leq_trans (subset_leq_card sub) _; apply: leq_trans (leq_card_setU _ _) _.
  by rewrite leq_add2r leq_card_setU.
apply: leq_trans (leq_mul u (leqnn _)) _.
move: b1 b2 b3; move: #|X1| #|X2| #|X3| (N ^ 2) (#|K64| * #|K128|) #|K3| #|{: keys}| => x1 x2 x3 a b d t.
move: (N + 2) (2 * n64 * #|K128| + #|K64| * (2 * n128)) ((2 * c).-1 * beta) => e1 e2 e3 b1 b2 b3.
rewrite !mulnDl; apply: leq_add; first apply: leq_add.
- have -> : x1 * (a * b * d) = x1 * a * (b * d) by clear; lia.
  have -> : e1 * b * d * t = e1 * t * (b * d) by clear; lia.
  by rewrite leq_mul2r b1 orbT.
- have -> : x2 * (a * b * d) = x2 * b * (a * d) by clear; lia.
  have -> : a * e2 * d * t = e2 * t * (a * d) by clear; lia.
  by rewrite leq_mul2r b2 orbT.
- have -> : x3 * (a * b * d) = x3 * d * (a * b) by clear; lia.
  have -> : a * b * e3 * t = e3 * t * (a * b) by clear; lia.
  by rewrite leq_mul2r b3 orbT.
Qed.
End Uhash.
