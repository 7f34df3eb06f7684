(* Theorem 6.1 of UMAC (CRYPTO '99): a hash of strings of one length, block by block, with the length at the end. Two
   messages of any lengths collide no more often than two blocks. *)
From mathcomp Require Import all_ssreflect.
From mathcomp Require Import zify.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Section Blocks.
Variables (byte : eqType) (zero : byte) (K : finType) (V : eqType) (h : K -> seq byte -> V).
Variables n unit : nat. (* bytes of a block; what a hash takes is a multiple of *)
Hypothesis n0 : 0 < n.
Hypothesis unit0 : 0 < unit.
Hypothesis whole : unit %| n.
Variables e N : nat.
Hypothesis universal : forall s s', s != s' -> size s = size s' -> 0 < size s <= n -> unit %| size s ->
  #|[set k | h k s == h k s']| * N <= e * #|K|.

Definition up a b := (a + b.-1) %/ b. (* a / b, rounded up *)
Definition padded s := s ++ nseq (up (size s) unit * unit - size s) zero.
Definition block (M : seq byte) i := take n (drop (n * i) M).
Definition hashes k M := mkseq (fun i => h k (padded (block M i))) (up (size M) n).
Definition hash k M := (hashes k M, size M %% n).

Lemma up_le a b : 0 < b -> a <= up a b * b.
Proof. by move=> b0; rewrite /up; have := divn_eq (a + b.-1) b; have := ltn_pmod (a + b.-1) b0; lia. Qed.

Lemma up_lt a b : 0 < b -> up a b * b < a + b.
Proof. by move=> b0; rewrite /up; have := divn_eq (a + b.-1) b; lia. Qed.

Lemma up_least a b c : 0 < b -> a <= c * b -> up a b <= c.
Proof. by move=> b0 le; have := up_lt a b0; nia. Qed.

Lemma length_inj a b : up a n = up b n -> a %% n = b %% n -> a = b.
Proof.
have [la lb] := (up_le a n0, up_le b n0); have [ua ub] := (up_lt a n0, up_lt b n0).
have [Ea Eb] := (divn_eq a n, divn_eq b n); have := ltn_pmod a n0; have := ltn_pmod b n0 => lta ltb E Em.
rewrite Em in Ea; rewrite E in la ua; case: (ltngtP (a %/ n) (b %/ n)) => lt; last by rewrite Ea lt -Eb.
  by have := leq_mul lt (leqnn n); rewrite mulSn; move: Ea Eb la ua lb ub lta ltb; clear; lia.
by have := leq_mul lt (leqnn n); rewrite mulSn; move: Ea Eb la ua lb ub lta ltb; clear; lia.
Qed.

Lemma size_padded s : size (padded s) = up (size s) unit * unit.
Proof. by rewrite size_cat size_nseq subnKC // up_le. Qed.

Lemma padded_inj s s' : size s = size s' -> padded s = padded s' -> s = s'.
Proof. by rewrite /padded => E /eqP; rewrite E eqseq_cat // => /andP [/eqP]. Qed.

Lemma blocks_differ M M' : M != M' -> size M = size M' ->
  exists i, i < up (size M) n /\ block M i != block M' i.
Proof.
move=> ne Es; case: (boolP [exists i : 'I_(up (size M) n), block M i != block M' i]).
  by move=> /existsP [i di]; exists i.
rewrite negb_exists => /forallP same; case/eqP: ne.
have all m : m <= up (size M) n -> take (n * m) M = take (n * m) M'.
  elim: m => [|m IH] le; first by rewrite muln0 !take0.
  have := same (Ordinal le); rewrite negbK => /eqP /= E.
  by rewrite mulnS addnC !takeD IH ?(ltnW le) // -!/(block _ _) E.
have := all _ (leqnn _); have := up_le (size M) n0 => le.
by rewrite !take_oversize // -?Es mulnC.
Qed.

Theorem theorem61 M M' : M != M' -> #|[set k | hash k M == hash k M']| * N <= e * #|K|.
Proof.
move=> ne; case: (boolP ((up (size M) n == up (size M') n) && (size M %% n == size M' %% n))); last first.
  move=> no; rewrite (_ : [set k | _] = set0) ?cards0 //; apply/setP => k; rewrite !inE.
  apply: contraNF no => /eqP [/(congr1 size) E ->]; rewrite !size_mkseq in E.
  by rewrite E !eqxx.
move=> /andP [/eqP Eu /eqP Em]; have Es := length_inj Eu Em.
have [i [lt di]] := blocks_differ ne Es.
have Eb : size (block M i) = size (block M' i) by rewrite !size_take !size_drop Es.
have le : size (block M i) <= n by rewrite size_take; case: ltnP.
have inside : n * i < size M.
  by have := up_lt (size M) n0; have := leq_mul lt (leqnn n); rewrite mulSn [n * i]mulnC => a b; lia.
have pos : 0 < size (block M i).
  by rewrite size_take size_drop; case: (ltnP n) => // _; rewrite subn_gt0.
apply: leq_trans (universal (s := padded (block M i)) (s' := padded (block M' i)) _ _ _ _).
- rewrite leq_mul2r; apply/orP; right; apply/subset_leq_card/subsetP => k; rewrite !inE => /eqP [E _].
  have := congr1 (fun s => nth (h k [::]) s i) E.
  by rewrite !nth_mkseq // -?Eu // => ->.
- by apply: contraNneq di => /(padded_inj Eb) ->.
- by rewrite !size_padded Eb.
- rewrite size_padded (leq_trans pos (up_le _ unit0)) /=; case/dvdnP: whole => c Ec.
  by rewrite Ec leq_mul2r up_least ?orbT // -Ec.
- by rewrite size_padded dvdn_mull.
Qed.
End Blocks.
