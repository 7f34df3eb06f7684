(* A hash under pads of a random permutation, where a pad is a part of a block and several nonces may share the block: UMAC
   of RFC 4418 at all its lengths, and Carter (Bernstein 2005 for parts of blocks). *)
From mathcomp Require Import all_ssreflect all_algebra all_fingroup.
From mathcomp Require Import zify.
Require Import Counting HashThenPrf WegmanCarter Switching Games Forgeries.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.

(* Q^c / (Q (Q-1) ... (Q-c+1)): how much likelier given values are of a permutation than of a function. *)
Definition factor Q c : rat := ((Q ^ c)%:R / (Q ^_ c)%:R)%R.

(* As docs/carter.md has it: the factor for q + 1 values is at most (1 - q/Q)^(-(q+1)/2), here squared. *)
Lemma factor_square Q q : q < Q -> (factor Q q.+1 ^+ 2 * (1 - q%:R / Q%:R) ^+ q.+1 <= 1)%R.
Proof.
move=> lt; have Q0 : (Q%:R != 0 :> rat)%R by rewrite pnatr_eq0 -lt0n (leq_trans _ lt).
have f0 : (0 < (Q ^_ q.+1)%:R :> rat)%R by rewrite ltr0n ffact_gt0.
have -> : (1 - q%:R / Q%:R = (Q - q)%:R / Q%:R :> rat)%R by rewrite natrB 1?ltnW // mulrBl divff.
rewrite /factor !expr_div_n mulf_div -!natrX -!natrM ler_pdivr_mulr ?mul1r; last first.
  by rewrite ltr0n muln_gt0 !expn_gt0 ffact_gt0 lt (leq_ltn_trans (leq0n q) lt).
rewrite ler_nat -[(Q ^ _) ^ 2]mulnn mulnAC [X in X <= _]mulnC [X in _ <= X]mulnC leq_mul2l mulnC.
by rewrite [_ * Q ^ _]mulnC ffact_square ?orbT // ltnW.
Qed.

Lemma distinct_factor (Q s : nat) : Q ^ s * (2 * Q - s * s.-1) <= 2 * Q * Q ^_ s.
Proof.
elim: s => [|s IH]; first by rewrite expn0 ffactn0 mul0n subn0 mul1n muln1.
case: (leqP (s.+1 * s) (2 * Q)) => [le|lt]; last by rewrite [_ - _](_ : _ = 0) ?muln0 //=; lia.
have sQ : s <= Q by nia.
rewrite ffactnSr expnSr mulnA; apply: leq_trans (leq_mul IH (leqnn (Q - s))).
rewrite -!mulnA leq_mul2l; apply/orP; right => /=.
by move: le sQ; clear; case: s => [|s] /= le sQ; nia.
Qed.

(* The factor for s subkeys is at most 2Q / (2Q - s (s-1)): for blocks of 128 bits and up to 700 of them, 1 + 2^-110. *)
Lemma factor_le Q s D : 0 < Q -> 0 < D -> s <= Q -> s * s.-1 * D.+1 <= 2 * Q -> (factor Q s <= 1 + D%:R^-1)%R.
Proof.
move=> Q0 D0 fits le; have f0 : (0 < (Q ^_ s)%:R :> rat)%R by rewrite ltr0n ffact_gt0.
have -> : (1 + D%:R^-1 = D.+1%:R / D%:R :> rat)%R by rewrite -addn1 addnC natrD mulrDl divff ?div1r ?pnatr_eq0 -?lt0n // addrC.
rewrite /factor ler_pdivr_mulr // mulrAC ler_pdivl_mulr ?ltr0n // -!natrM ler_nat.
have := distinct_factor Q s; move: (_ ^_ s) (Q ^ s) (s * s.-1) le => f e w le le'.
have : w * D <= (2 * Q - w) by lia.
have d0 : 0 < 2 * Q - w by nia.
move=> _; rewrite -(leq_pmul2r d0); have := leq_mul le' (leqnn D).
have : f * (2 * Q * D) <= f * (D.+1 * (2 * Q - w)) by rewrite leq_mul2l; apply/orP; right; nia.
lia.
Qed.

Lemma factor_subkeys s : s <= 700 -> (factor (2 ^ 128) s <= 1 + (2 ^ 110)%:R^-1)%R.
Proof.
rewrite (_ : 2 ^ 128 = 2 ^ 18 * 2 ^ 110); last by rewrite -expnD.
have : 2 ^ 4 <= 2 ^ 110 by rewrite leq_exp2l.
move: (2 ^ 110) => x big le; have small : s * s.-1 <= 700 * 699 by apply: leq_mul; lia.
apply: factor_le; [lia | lia | lia |].
by move: (s * s.-1) small => w small; nia.
Qed.

Lemma weigh s g all fs fn ps pm qf qe : 0 < all -> 0 < fn -> s * g <= all -> fs * all <= s * fn ->
  ps * fn * qf <= fs * pm * qe -> ps * (qf * g) <= pm * qe.
Proof.
move=> all0 fn0 a b c; have enough : fs * g <= fn.
  by rewrite -(leq_pmul2r all0); have := leq_mul b (leqnn g); have := leq_mul a (leqnn fn); lia.
by rewrite -(leq_pmul2r fn0); have := leq_mul c (leqnn g); have := leq_mul enough (leqnn (pm * qe)); lia.
Qed.

Section Pads.
Variables (K B Part G : finType) (Nonce Msg : eqType).

(* The hash. mix puts a pad on it, for example by xor, and diff is what two tags with one pad show of their hashes. *)
Variables (h : K -> Msg -> G) (mix diff : G -> G -> G) (ok : pred Msg) (e N : nat).
Hypothesis mix_inj : forall x, injective (mix x).
Hypothesis diff_mix : forall x y p, diff (mix x p) (mix y p) = diff x y.
Hypothesis axu : forall M M', M != M' -> ok M -> ok M' -> forall d,
  #|[set k | diff (h k M) (h k M') == d]| * N <= e * #|K|.
Hypothesis least : N <= e * #|G|. (* no hash is better than 1 / #|G| *)

(* The pads: a nonce has a block that is encrypted, and a part of what comes out. *)
Variables (block : Nonce -> B) (part : Nonce -> Part) (cut : B -> {ffun Part -> G}).
Hypothesis places : injective (fun n => (block n, part n)).
Hypothesis even : forall parts, #|[set b | cut b == parts]| * #|G| ^ #|Part| <= #|B|.
Definition pad (P : B -> B) n : G := cut (P (block n)) (part n).
Definition tag (P : B -> B) k (NM : Nonce * Msg) : G := mix (h k NM.2) (pad P NM.1).

(* Given pads of different nonces. *)
Lemma pads_count (ns : seq Nonce) (gs : seq G) : uniq ns -> size gs = size ns ->
  #|[set P : {perm B} | map (pad P) ns == gs]| * (#|B| ^_ size ns * #|G| ^ size ns) <= #|{: {perm B}}| * #|B| ^ size ns.
Proof.
move=> u Es; pose slot n := (block n, part n); have us : uniq (map slot ns) by rewrite (map_inj_uniq places).
pose p : program B B bool := calls (map block ns) (fun ys => Return ([seq cut y.1 (part y.2) | y <- zip ys ns] == gs)).
have runp f : run f p = (map (pad f) ns == gs).
  rewrite run_calls /=; congr (_ == _); rewrite -map_comp.
  by elim: (ns) => //= n s ->.
have win : within (size ns) p by rewrite -[size ns]addn0 -(size_map block); exact: within_calls.
have sw := switching_factor win.
(* functions: the parts of all blocks are independent *)
pose X := [finType of B * Part].
have even' parts : #|[set b | cut b == parts]| * #|{: {ffun Part -> G}}| <= #|B| by rewrite card_ffun.
pose curry (F : {ffun B -> {ffun Part -> G}}) : {ffun X -> G} := [ffun x => F x.1 x.2].
pose S := [set F : {ffun B -> {ffun Part -> G}} | map (curry F) (map slot ns) == gs].
have fewS : #|S| * #|G| ^ size ns <= #|{: {ffun B -> {ffun Part -> G}}}|.
  have := @functions_taking _ _ (map slot ns) gs us; rewrite size_map => /(_ Es) few.
  have inj : injective curry.
    by move=> F F' /ffunP E; apply/ffunP => b; apply/ffunP => i; have := E (b, i); rewrite !ffunE.
  have <- : #|{: {ffun X -> G}}| = #|{: {ffun B -> {ffun Part -> G}}}|.
    by rewrite !card_ffun card_prod -expnM mulnC.
  apply: leq_trans few; rewrite leq_mul2r -(card_imset _ inj); apply/orP; right.
  by apply/subset_leq_card/subsetP => F /imsetP [F']; rewrite !inE => ? ->.
have := cut_functions (X := B) even' S.
have -> : [set f : {ffun B -> B} | [ffun x => cut (f x)] \in S] = [set f : {ffun B -> B} | run f p].
  apply/setP => f; rewrite !inE runp; congr (_ == _); rewrite -map_comp.
  by apply: eq_map => n; rewrite /= !ffunE.
move: sw; have -> : [set f : {perm B} | run f p] = [set P : {perm B} | map (pad P) ns == gs].
  by apply/setP => P; rewrite !inE runp.
have functions0 : 0 < #|{: {ffun B -> B}}| by apply/card_gt0P; exists [ffun b => b].
have parts0 : 0 < #|{: {ffun B -> {ffun Part -> G}}}| by apply/card_gt0P; exists [ffun b => cut b].
by move=> sw' few; exact: weigh parts0 functions0 fewS few sw'.
Qed.

(* The adversary asks for at most q tags, under different nonces, and makes at most v attempts. *)
Variables (q v : nat).
Definition fair (asked tried : seq (Nonce * Msg)) : Prop :=
  [/\ uniq (map fst asked), all (fun NM => ok NM.2) (asked ++ tried), size asked <= q & size tried <= v].

(* What the pads must be for a key, tags being given. *)
Definition unmix a g : G := odflt g [pick p | mix a p == g].
Lemma given_key k (s : seq ((Nonce * Msg) * G)) : uniq (map (fun x => x.1.1) s) ->
  #|[set P : {perm B} | agrees s (tag P k)]| * (#|B| ^_ size s * #|G| ^ size s) <= #|{: {perm B}}| * #|B| ^ size s.
Proof.
move=> u; have := pads_count u (_ : size [seq unmix (h k x.1.2) x.2 | x <- s] = _); rewrite !size_map => /(_ erefl).
apply: leq_trans; rewrite leq_mul2r; apply/orP; right; apply/subset_leq_card/subsetP => P; rewrite !inE => /allP ag.
apply/eqP; rewrite -map_comp; apply/eq_in_map => x /ag /eqP; rewrite /tag /unmix /= => E.
case: pickP => [p /eqP|/(_ (pad P x.1.1))]; last by rewrite E eqxx.
by rewrite -E => /mix_inj.
Qed.

Lemma weigh_old bad k e' S pm qe qf qf' g b : bad * N <= e' * k -> S * (qf * g) <= bad * (pm * qe) -> qf' <= qf * b ->
  S * (qf' * g * N) <= e' * (qe * b) * (k * pm).
Proof.
move=> x y z; have := leq_mul y (leqnn (b * N)); have := leq_mul x (leqnn (pm * qe * b)).
by have := leq_mul z (leqnn (S * g * N)); lia.
Qed.

Lemma weigh_new e' S qf g k pm qe : N <= e' * #|G| -> S * (qf * (g * #|G|)) <= k * (pm * qe) ->
  S * (qf * g * N) <= e' * qe * (k * pm).
Proof.
by move=> x y; have := leq_mul x (leqnn (S * qf * g)); have := leq_mul y (leqnn e'); lia.
Qed.

Lemma weigh_all X qf g e' qe k pm : 0 < g -> X * (qf * g * N) <= v * (e' * qe * (k * pm)) * g ->
  X * (N * qf) <= v * e' * qe * (k * pm).
Proof. by move=> g0 le; rewrite -(leq_pmul2r g0); lia. Qed.

Lemma one_attempt (s : seq ((Nonce * Msg) * G)) asked tried NM t : uniq (map fst s) -> map fst s =i asked -> size s <= q ->
  fair asked (NM :: tried) -> NM \notin asked ->
  #|[set r : K * {perm B} | agrees s (tag r.2 r.1) && (tag r.2 r.1 NM == t)]| * (#|B| ^_ (size s).+1 * #|B| ^ (q - size s) * #|G| ^ size s * N)
  <= e * #|B| ^ q.+1 * (#|K| * #|{: {perm B}}|).
Proof.
move=> u E le [un okm _ _] fresh; set S := [set _ | _].
have ok_NM : ok NM.2 by move: okm; rewrite all_cat /= => /and3P [].
have nonces : uniq (map (fun x => x.1.1) s).
  have -> : map (fun x => x.1.1) s = map fst (map fst s) by rewrite -map_comp.
  have pm : perm_eq (map fst s) (undup asked) by apply: uniq_perm; rewrite ?undup_uniq // => x; rewrite mem_undup E.
  by rewrite (perm_uniq (perm_map fst pm)) (undup_id (map_uniq un)).
suff main : #|S| * (#|B| ^_ (size s).+1 * #|G| ^ size s * N) <= e * #|B| ^ (size s).+1 * (#|K| * #|{: {perm B}}|).
  have -> : #|B| ^ q.+1 = #|B| ^ (size s).+1 * #|B| ^ (q - size s) by rewrite -expnD addSn subnKC.
  by have := leq_mul main (leqnn (#|B| ^ (q - size s))); clear; lia.
case: (boolP (NM.1 \in map (fun x => x.1.1) s)) => [/mapP [x inx En]|new].
- (* a nonce that was used: the hash *)
  have ne : NM.2 != x.1.2.
    apply: contraNneq fresh => EM; rewrite -E; apply/mapP; exists x => //.
    by rewrite [NM]surjective_pairing EM En -surjective_pairing.
  have ok_x : ok x.1.2.
    have : x.1 \in asked by rewrite -E map_f.
    by move=> ina; apply: (allP okm); rewrite mem_cat ina.
  pose bad := [set k | diff (h k NM.2) (h k x.1.2) == diff t x.2]; have few := axu ne ok_NM ok_x (diff t x.2).
  have le_s : #|S| * (#|B| ^_ size s * #|G| ^ size s) <= \sum_k (if k \in bad then #|{: {perm B}}| * #|B| ^ size s else 0).
    apply: count_fibres_sum => k; case: ifP => inb.
      apply: leq_trans (given_key k nonces); rewrite leq_mul2r; apply/orP; right.
      by apply/subset_leq_card/subsetP => P; rewrite !inE => /andP [].
    rewrite (_ : [set P | _] = set0) ?cards0 //; apply/setP => P; rewrite !inE /=.
    apply/negP => /andP [/allP /(_ _ inx) /= /eqP Ex /eqP Et]; move/negP: inb; apply; rewrite inE -Ex -Et.
    by rewrite /tag En diff_mix.
  rewrite -big_mkcond sum_nat_const /= in le_s; rewrite expnSr; apply: (weigh_old few le_s).
  by rewrite ffactnSr; apply: leq_mul => //; exact: leq_subr.
- (* a new nonce: the permutation *)
  have nonces' : uniq (map (fun x => x.1.1) ((NM, t) :: s)) by rewrite /= new.
  have le_s : #|S| * (#|B| ^_ (size s).+1 * #|G| ^ (size s).+1) <= \sum_(k : K) #|{: {perm B}}| * #|B| ^ (size s).+1.
    apply: count_fibres_sum => k; apply: leq_trans (given_key k nonces'); rewrite leq_mul2r; apply/orP; right.
    by apply/subset_leq_card/subsetP => P; rewrite !inE /= andbC.
  by rewrite sum_nat_const [#|G| ^ _]expnSr in le_s; exact: weigh_new least le_s.
Qed.

(* v e / N, and the factor for q + 1 values of the permutation. *)
Theorem pads (A : adversary (Nonce * Msg) G) : keeps fair A -> 0 < N -> q < #|B| ->
  (pr (fun r : K * {perm B} => forges (tag r.2 r.1) A) <= v%:R * (e%:R / N%:R) * factor #|B| q.+1)%R.
Proof.
move=> kept N0 lt; have G0 : 0 < #|G| by move: (leq_trans N0 least); rewrite muln_gt0 => /andP [].
pose w i := #|B| ^_ i.+1 * #|B| ^ (q - i) * #|G| ^ i * N.
have weights i : i <= q -> w q <= w i * #|G| ^ (q - i).
  move=> le; rewrite /w subnn muln1 [_ * N * _]mulnAC leq_mul2r; apply/orP; right.
  rewrite -mulnA -expnD subnKC // leq_mul2r; apply/orP; right.
  by have := ffact_add #|B| i.+1 (q - i); rewrite addSn subnKC.
have := @attempts _ _ _ (fun r : K * {perm B} => tag r.2 r.1) fair q v _ w (fun a t f => let: And4 _ _ le _ := f in le)
  (fun a t f => let: And4 _ _ _ le := f in le) one_attempt weights A kept.
rewrite /w subnn muln1 => bound; rewrite /factor [(v%:R * _)%R]mulrA mulf_div -!natrM; apply: pr_bound; first by rewrite muln_gt0 N0 ffact_gt0.
rewrite card_prod; apply: weigh_all bound; by rewrite expn_gt0 G0.
Qed.
End Pads.
