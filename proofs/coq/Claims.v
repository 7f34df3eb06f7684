(* What docs/proofs.md says is proved, in full: first what the words mean, definition by definition, then every theorem of
   its table by name. Nothing here is proved; `Check` compares with the files that are. *)
From mathcomp Require Import all_ssreflect all_algebra all_fingroup.
Require Constants NH Toeplitz Blocks TwoLevels Prf Attempts HashThenPrf Umac Poly L3 Uhash UhashBound UhashRfc Carter WegmanCarter.
Require Theorem3 Instance Pmac Switching Games Forgeries PmacForgery Pads CipherMac Theorem4 Rfc4418.
Require Primes Shift StreamsNh UhashStreams UhashAxu UmacRfc Balanced Subkeys UmacKeys.
Require Aes RunUmac RunField TieUmac TieMac BinaryField TieField CarterKeys TieCarter AesPermutes PmacBytes AesMacs Answers.
Set Implicit Arguments.
Unset Strict Implicit.
Local Open Scope nat_scope.

(* NH, NHS and their Toeplitz extensions: CRYPTO '99. *)
Check erefl : NH.word = fun w => 'I_(2 ^ w).
Check erefl : NH.list = fun w n => {ffun 'I_n * bool -> 'I_(2 ^ w)}.
Check (fun w n K M => erefl) : forall w n (K M : NH.list w n), NH.NH K M =
  (\sum_(i < n) (K (i, false) + M (i, false)) %% 2 ^ w * ((K (i, true) + M (i, true)) %% 2 ^ w)) %% 2 ^ (2 * w).
Check NH.NH_delta_universal : forall w n (M M' : NH.list w n) d, M != M' ->
  #|[set K | NH.NH K M == NH.NH K M' + d %[mod 2 ^ (2 * w)]]| * 2 ^ w <= #|{: NH.list w n}|.
Check NH.lemma43 : forall N c c' m m' k1 k2, c < N -> c' < N -> k1 < N -> k2 < N -> c != c' ->
  c * ((k1 + m) %% N) + c' * ((k2 + m') %% N) = c * ((k2 + m) %% N) + c' * ((k1 + m') %% N) %[mod N * N] -> k1 = k2.

Check erefl : Toeplitz.msg = fun W n => {ffun 'I_n * bool -> W}.
Check erefl : Toeplitz.key = fun W n t => {ffun 'I_(n + t) * bool -> W}.
Check (fun n t i j => erefl) : forall n t (i : 'I_n) (j : 'I_t), nat_of_ord (Toeplitz.at_ i j) = i + j.
Check (fun W V g n t K M j => erefl) : forall W V g n t (K : Toeplitz.key W n t) (M : Toeplitz.msg W n) (j : 'I_t),
  Toeplitz.hash g K M j = (\sum_(i < n) g (K (Toeplitz.at_ i j, false) + M (i, false)) (K (Toeplitz.at_ i j, true) + M (i, true)))%R.
Check (fun N x y => erefl) : forall N (x y : 'Z_N), Toeplitz.unsigned x y = ((x * y)%N%:R)%R.
Check (fun N h x => erefl) : forall N h (x : 'Z_N),
  Toeplitz.signed h x = (if (x < h)%N then (x : nat)%:Z else (x : nat)%:Z - N%:Z)%R.
Check (fun N h x y => erefl) : forall N h (x y : 'Z_N),
  Toeplitz.product h x y = ((Toeplitz.signed h x * Toeplitz.signed h y)%:~R)%R.
Check (fun w n t => erefl) : forall w n t, @Toeplitz.NHT w n t = Toeplitz.hash (@Toeplitz.unsigned (2 ^ w)) (n := n) (t := t).
Check (fun w n t => erefl) : forall w n t, @Toeplitz.NHST w n t = Toeplitz.hash (@Toeplitz.product (2 ^ w) (2 ^ w.-1)) (n := n) (t := t).
Check Toeplitz.NHT_delta : forall w, 0 < w -> forall n t (M M' : {ffun 'I_n * bool -> 'Z_(2 ^ w)})
    (d : 'I_t -> 'Z_(2 ^ w * 2 ^ w)), M != M' ->
  #|[set K | [forall j, (Toeplitz.NHT K M j - Toeplitz.NHT K M' j)%R == d j]]| * (2 ^ w) ^ t
  <= #|{: {ffun 'I_(n + t) * bool -> 'Z_(2 ^ w)}}|.
Check Toeplitz.NHST_delta : forall w, 0 < w -> forall n t (M M' : {ffun 'I_n * bool -> 'Z_(2 ^ w)})
    (d : 'I_t -> 'Z_(2 ^ w * 2 ^ w)), M != M' ->
  #|[set K | [forall j, (Toeplitz.NHST K M j - Toeplitz.NHST K M' j)%R == d j]]| * (2 ^ w) ^ t
  <= 2 ^ t * #|{: {ffun 'I_(n + t) * bool -> 'Z_(2 ^ w)}}|.
Check Toeplitz.product_clause : forall N, 1 < N -> forall h, h <= N -> forall (c c' m m' : 'Z_N) (d : 'Z_(N * N)), c != c' ->
  #|[set k | (Toeplitz.product h c (k + m) - Toeplitz.product h c' (k + m'))%R == d]| <= 2.
Check Toeplitz.NHS_reached : forall w, 0 < w -> exists M' : 'Z_(2 ^ w) * 'Z_(2 ^ w), M' != (0, 0)%R /\
  2 * 2 ^ w - 2 <= #|[set k : 'Z_(2 ^ w) * 'Z_(2 ^ w) | Toeplitz.product (2 ^ w.-1) k.1 k.2
                      == Toeplitz.product (2 ^ w.-1) (k.1 + M'.1)%R (k.2 + M'.2)%R]|.

(* Blocks of n bytes, and the length: 6.1. *)
Check erefl : Blocks.up = fun a b => (a + b.-1) %/ b.
Check (fun byte zero unit s => erefl) : forall (byte : eqType) zero unit (s : seq byte),
  Blocks.padded zero unit s = s ++ nseq (Blocks.up (size s) unit * unit - size s) zero.
Check (fun byte zero K V h n unit k M => erefl) : forall (byte : eqType) zero (K : finType) (V : eqType) h n unit (k : K) (M : seq byte),
  Blocks.hash zero h n unit k M
  = (mkseq (fun i => h k (Blocks.padded zero unit (take n (drop (n * i) M))) : V) (Blocks.up (size M) n), size M %% n).
Check Blocks.theorem61 : forall (byte : eqType) (zero : byte) (K : finType) (V : eqType) (h : K -> seq byte -> V) n unit,
  0 < n -> 0 < unit -> unit %| n -> forall e N,
  (forall s s', s != s' -> size s = size s' -> 0 < size s <= n -> unit %| size s -> #|[set k | h k s == h k s']| * N <= e * #|K|) ->
  forall M M', M != M' -> #|[set k | Blocks.hash zero h n unit k M == Blocks.hash zero h n unit k M']| * N <= e * #|K|.

(* NHT2 and NHST2: level 1 hashes blocks of n pairs of words, level 2 hashes these hashes as pairs, the upper word first; again with both
   keys moved by a pair. Two different messages of one length, of at most m blocks. *)
Check (fun W V g n t K j s => erefl) : forall (W : finZmodType) (V : zmodType) g n t (K : Toeplitz.key W n t) (j : 'I_t) s,
  TwoLevels.nh g K j s = (\sum_(i < n | (i < size s)%N) (g (K (Toeplitz.at_ i j, false) + (nth 0 s i).1) (K (Toeplitz.at_ i j, true) + (nth 0 s i).2) : V))%R.
Check (fun W V g split n K j M => erefl) : forall (W : finZmodType) (V : zmodType) g (split : V -> W * W) n (K : Toeplitz.key W n 2) j M,
  TwoLevels.level1 g split K j M = mkseq (fun i => split (TwoLevels.nh g K j (take n (drop (n * i) M)))) (Blocks.up (size M) n).
Check (fun W V g split n m k M => erefl) : forall (W : finZmodType) (V : zmodType) g (split : V -> W * W) n m (k : Toeplitz.key W n 2 * Toeplitz.key W m 2) M,
  TwoLevels.two_levels g split k M = (TwoLevels.nh g k.2 (inord 0) (TwoLevels.level1 g split k.1 (inord 0) M),
                                      TwoLevels.nh g k.2 (inord 1) (TwoLevels.level1 g split k.1 (inord 1) M)).
Check erefl : TwoLevels.two_words = fun w (v : 'Z_(2 ^ w * 2 ^ w)) => ((v %/ 2 ^ w)%:R : 'Z_(2 ^ w), (v %% 2 ^ w)%:R : 'Z_(2 ^ w))%R.
Check erefl : TwoLevels.NHT2 = fun w n m => TwoLevels.two_levels (@Toeplitz.unsigned (2 ^ w)) (@TwoLevels.two_words w) (n := n) (m := m).
Check erefl : TwoLevels.NHST2 = fun w n m => TwoLevels.two_levels (@Toeplitz.product (2 ^ w) (2 ^ w.-1)) (@TwoLevels.two_words w) (n := n) (m := m).
Check TwoLevels.theorem53 : forall w, 0 < w -> forall n m, 0 < n -> forall M M' : seq ('Z_(2 ^ w) * 'Z_(2 ^ w)),
  M != M' -> size M = size M' -> size M <= m * n ->
  #|[set k : {ffun 'I_(n + 2) * bool -> 'Z_(2 ^ w)} * {ffun 'I_(m + 2) * bool -> 'Z_(2 ^ w)} | TwoLevels.NHT2 k M == TwoLevels.NHT2 k M']| * (2 ^ w) ^ 2
  <= 2 ^ 2 * #|{: {ffun 'I_(n + 2) * bool -> 'Z_(2 ^ w)} * {ffun 'I_(m + 2) * bool -> 'Z_(2 ^ w)}}|.
Check TwoLevels.theorem54 : forall w, 0 < w -> forall n m, 0 < n -> forall M M' : seq ('Z_(2 ^ w) * 'Z_(2 ^ w)),
  M != M' -> size M = size M' -> size M <= m * n ->
  #|[set k : {ffun 'I_(n + 2) * bool -> 'Z_(2 ^ w)} * {ffun 'I_(m + 2) * bool -> 'Z_(2 ^ w)} | TwoLevels.NHST2 k M == TwoLevels.NHST2 k M']| * (2 ^ w) ^ 2
  <= 2 ^ 4 * #|{: {ffun 'I_(n + 2) * bool -> 'Z_(2 ^ w)} * {ffun 'I_(m + 2) * bool -> 'Z_(2 ^ w)}}|.

(* Adversaries: tags, attempts, forgeries. *)
Check (fun G Msg query T => erefl) : forall (G : finType) (Msg : eqType) (query : seq G -> Msg) T,
  Prf.asked query T = mkseq (fun i => query (take i T)) (size T).
Check (fun R G Msg tag query r => erefl) : forall (R G : finType) (Msg : eqType) (tag : R -> Msg -> G) query r,
  Prf.tags tag query r 0 = [::].
Check (fun R G Msg tag query r i => erefl) : forall (R G : finType) (Msg : eqType) (tag : R -> Msg -> G) query r i,
  Prf.tags tag query r i.+1 = rcons (Prf.tags tag query r i) (tag r (query (Prf.tags tag query r i))).
Check (fun R G Msg tag query q A => erefl) : forall (R G : finType) (Msg : eqType) (tag : R -> Msg -> G) query q (A : {set q.-tuple G}),
  Prf.real tag query A = [set r | Prf.answers tag query r q \in A].
Check (fun R G Msg tag query q r => erefl) : forall (R G : finType) (Msg : eqType) (tag : R -> Msg -> G) query q r,
  tval (Prf.answers tag query r q) = Prf.tags tag query r q.
Check (fun R G Msg tag query q tries => erefl) : forall (R G : finType) (Msg : eqType) (tag : R -> Msg -> G) query q
    (tries : seq G -> seq (Msg * {set G})),
  Attempts.forged tag query q tries = \bigcup_(i < q.+1) [set r | has (fun a : Msg * {set G} =>
    (a.1 \notin Prf.asked query (Prf.tags tag query r i)) && (tag r a.1 \in a.2)) (tries (Prf.tags tag query r i))].
Check (fun R G Msg tag query T a => erefl) : forall (R G : finType) (Msg : eqType) (tag : R -> Msg -> G) query T (a : Msg * {set G}),
  Attempts.event tag query T a = [set r | (T == map (tag r) (Prf.asked query T)) && (tag r a.1 \in a.2)].
Check Attempts.forgeries : forall (R G : finType) (Msg : eqType) (tag : R -> Msg -> G) query q v C (w : nat -> nat)
    (tries : seq G -> seq (Msg * {set G})),
  (forall T, size T = q -> \sum_(i < q.+1) size (tries (take i T)) <= v) ->
  (forall T a, size T <= q -> a \in tries T -> a.1 \notin Prf.asked query T -> #|Attempts.event tag query T a| * w (size T) <= C) ->
  (forall i, i <= q -> w q <= w i * #|G| ^ (q - i)) ->
  #|Attempts.forged tag query q tries| * w q <= v * C * #|G| ^ q.

(* A function of hash and nonce: 8.1, 8.2. *)
Check (fun B Nonce G => erefl) : forall B Nonce G : finType, HashThenPrf.function B Nonce G = {ffun B * Nonce -> G}.
Check (fun K B Nonce G Msg h kf NM => erefl) : forall (K B Nonce G : finType) (Msg : eqType) (h : K -> Msg -> B)
    (kf : K * {ffun B * Nonce -> G}) (NM : Nonce * Msg),
  HashThenPrf.tag h kf NM = kf.2 (h kf.1 NM.2, NM.1).
Check (fun K B Nonce G Msg h q query tries => erefl) : forall (K B Nonce G : finType) (Msg : eqType) (h : K -> Msg -> B) q query
    (tries : seq G -> seq ((Nonce * Msg) * {set G})),
  HashThenPrf.forged h q query tries = Attempts.forged (HashThenPrf.tag h) query q tries.
Check (fun K B Nonce G Msg h q query tries S f => erefl) : forall (K B Nonce G : finType) (Msg : eqType) (h : K -> Msg -> B) q query tries
    (S : finType) (f : S -> {ffun B * Nonce -> G}),
  HashThenPrf.forged_with h q query tries f = Attempts.forged (fun ks => HashThenPrf.tag h (ks.1, f ks.2)) query q tries.
Section HashThenPrf.
Variables (K B Nonce G : finType) (Msg : eqType) (h : K -> Msg -> B) (ok : pred Msg) (e N : nat).
Hypothesis universal : forall M M', M != M' -> ok M -> ok M' -> #|[set k | h k M == h k M']| * N <= e * #|K|.
Variables (q u v : nat) (query : seq G -> Nonce * Msg) (tries : seq G -> seq ((Nonce * Msg) * {set G})).
Hypothesis ok_query : forall T, ok (query T).2.
Hypothesis ok_tries : forall T a, a \in tries T -> ok a.1.2.
Hypothesis nonces : forall T, size T <= q -> uniq (map fst (Prf.asked query T)).
Hypothesis width : forall T a, a \in tries T -> #|a.2| <= u.
Hypothesis total : forall T, size T = q -> \sum_(i < q.+1) size (tries (take i T)) <= v.
Check HashThenPrf.lemma81 universal ok_query ok_tries nonces width total :
  #|HashThenPrf.forged h q query tries| * (#|G| * N) <= v * (e * #|G| + u * N) * (#|K| * #|{: {ffun B * Nonce -> G}}|).
Check HashThenPrf.theorem82 universal ok_query ok_tries nonces width total :
  forall (S : finType) (f : S -> {ffun B * Nonce -> G}) d N',
  #|HashThenPrf.forged_with h q query tries f| * #|{: {ffun B * Nonce -> G}}| * N'
  <= #|HashThenPrf.forged h q query tries| * #|S| * N' + d * #|K| * #|S| * #|{: {ffun B * Nonce -> G}}| ->
  #|HashThenPrf.forged_with h q query tries f| * (#|G| * N * N') <= (v * (e * #|G| + u * N) * N' + d * (#|G| * N)) * (#|K| * #|S|).
End HashThenPrf.

(* The MAC of 1999 with one level of hashing: words of w bits from wb bytes, blocks of n pairs, t keys. *)
Check (fun W V g byte zero wb elt n t K s => erefl) : forall (W V : finZmodType) g (byte : eqType) zero wb (elt : seq byte -> W) n t
    (K : Toeplitz.key W n t) (s : seq byte),
  Umac.nht g zero wb elt K s = [ffun j => (\sum_(i < n | (2 * wb * i < size s)%N) Toeplitz.term g K [ffun p : 'I_n * bool =>
    elt (mkseq (fun i => nth zero s (2 * wb * p.1 + wb * p.2 + i)) wb)] j i : V)%R].
Check (fun W V g n t K M j i => erefl) : forall W (V : zmodType) g n t (K : Toeplitz.key W n t) (M : Toeplitz.msg W n) (j : 'I_t) (i : 'I_n),
  Toeplitz.term g K M j i = (g (K (Toeplitz.at_ i j, false) + M (i, false)) (K (Toeplitz.at_ i j, true) + M (i, true)) : V)%R.
Check (fun byte wb n m M => erefl) : forall (byte : eqType) wb n m (M : seq byte),
  Umac.ok wb n m M = (Blocks.up (size M) (n * (2 * wb)) <= m).
Check erefl : Umac.hash_value = fun (V : finZmodType) wb n t m => [finType of {bseq m of {ffun 'I_t -> V}} * 'I_(n * (2 * wb)).+1].
Check (fun W V g byte zero wb elt n t m K M => erefl) : forall (W V : finZmodType) (g : W -> W -> V) (byte : eqType) zero wb
    (elt : seq byte -> W) n t m (K : Toeplitz.key W n t) (M : seq byte),
  Umac.hash g zero wb elt m K M = (fun h => (insub_bseq m h.1, inord h.2))
    (Blocks.hash zero (@Umac.nht W V g byte zero wb elt n t) (n * (2 * wb)) (2 * wb) K M).
Section Umac.
Variables (w : nat) (byte : eqType) (zero : byte) (wb : nat) (elt : seq byte -> 'Z_(2 ^ w)).
Hypothesis w1 : 0 < w.
Hypothesis wb0 : 0 < wb.
Hypothesis elt_inj : forall s s', size s = wb -> size s' = wb -> elt s = elt s' -> s = s'.
Variables n t : nat.
Hypothesis n0 : 0 < n.
Variables (m : nat) (Nonce G : finType) (q u v : nat) (query : seq G -> Nonce * seq byte).
Variable tries : seq G -> seq ((Nonce * seq byte) * {set G}).
Hypothesis ok_query : forall T, Umac.ok wb n m (query T).2.
Hypothesis ok_tries : forall T a, a \in tries T -> Umac.ok wb n m a.1.2.
Hypothesis nonces : forall T, size T <= q -> uniq (map fst (Prf.asked query T)).
Hypothesis width : forall T a, a \in tries T -> #|a.2| <= u.
Hypothesis total : forall T, size T = q -> \sum_(i < q.+1) size (tries (take i T)) <= v.
Check Umac.unsigned_words w1 zero wb0 elt_inj t n0 ok_query ok_tries nonces width total :
  #|HashThenPrf.forged (Umac.hash (@Toeplitz.unsigned (2 ^ w)) zero wb elt (n := n) (t := t) m) q query tries| * (#|G| * #|{: 'Z_(2 ^ w)}| ^ t)
  <= v * (1 ^ t * #|G| + u * #|{: 'Z_(2 ^ w)}| ^ t)
     * (#|{: {ffun 'I_(n + t) * bool -> 'Z_(2 ^ w)}}|
        * #|{: {ffun Umac.hash_value [finZmodType of 'Z_(2 ^ w * 2 ^ w)] wb n t m * Nonce -> G}}|).
Check Umac.signed_words w1 zero wb0 elt_inj t n0 ok_query ok_tries nonces width total :
  #|HashThenPrf.forged (Umac.hash (@Toeplitz.product (2 ^ w) (2 ^ w.-1)) zero wb elt (n := n) (t := t) m) q query tries|
     * (#|G| * #|{: 'Z_(2 ^ w)}| ^ t)
  <= v * (2 ^ t * #|G| + u * #|{: 'Z_(2 ^ w)}| ^ t)
     * (#|{: {ffun 'I_(n + t) * bool -> 'Z_(2 ^ w)}}|
        * #|{: {ffun Umac.hash_value [finZmodType of 'Z_(2 ^ w * 2 ^ w)] wb n t m * Nonce -> G}}|).
End Umac.

(* RFC 4418, level 1: NH of a chunk in units of 32 bytes, of which one word of a pair is 16 bytes behind the other. *)
Check erefl : Uhash.C = Constants.chunk_bytes.
Check erefl : Uhash.pairs = 128.
Check erefl : Uhash.start = fun p (b : bool) => 32 * (p %/ 4) + 4 * (p %% 4) + 16 * b.
Check erefl : Uhash.counts = fun s (p : 'I_128) => (p %/ 4 == 0) || (32 * (p %/ 4) < s).
Check (fun N byte zero elt K M => erefl) : forall N (byte : eqType) zero elt (K : {ffun 'I_128 * bool -> 'Z_N}) (M : seq byte),
  Uhash.level1 zero elt K M = (\sum_(p | Uhash.counts (size M) p) Toeplitz.unsigned
    (K (p, false) + elt (mkseq (fun t => nth zero M (Uhash.start p false + t)) 4))
    (K (p, true) + elt (mkseq (fun t => nth zero M (Uhash.start p true + t)) 4)) + (8 * size M)%:R)%R.
Check Uhash.level1_collision : forall N, 1 < N -> forall (byte : eqType) zero (elt : seq byte -> 'Z_N),
  (forall s s', size s = 4 -> size s' = 4 -> elt s = elt s' -> s = s') -> 8 * Constants.chunk_bytes < N * N ->
  forall M M', M != M' -> size M <= Constants.chunk_bytes -> size M' <= Constants.chunk_bytes ->
  #|[set K | Uhash.level1 zero elt K M == Uhash.level1 zero elt K M']| * N ^ 2 <= (N + 2) * #|{: {ffun 'I_128 * bool -> 'Z_N}}|.

(* POLY. *)
Check (fun F x ts => erefl) : forall (F : finFieldType) (x : F) ts, Poly.steps x ts = (foldl (fun y t => x * y + t) 1 ts)%R.
Check (fun F p limit offset number K point k ws => erefl) : forall (F : finFieldType) p limit offset number (K : finType) (point : K -> F) k ws,
  Poly.POLY p limit offset number point k ws = Poly.steps (point k) (flatten (map (fun w =>
    if w < limit then [:: number w] else [:: number p.-1; number (w - offset)]) ws)).
Check erefl : Poly.words = fun W ws => seq.all (fun w => w < W) ws.
Section Poly.
Variables (F : finFieldType) (p W limit offset : nat) (number : nat -> F) (K : finType) (point : K -> F).
Hypothesis number_inj : forall a b, a < p -> b < p -> number a = number b -> a = b.
Hypothesis limit_p : limit < p.
Hypothesis offset_limit : offset <= limit.
Hypothesis W_p : W <= p + offset.
Hypothesis point_inj : injective point.
Check Poly.POLY_collision number_inj limit_p offset_limit W_p point_inj : forall ws ws' n, ws != ws' -> Poly.words W ws ->
  Poly.words W ws' -> size ws <= n -> size ws' <= n ->
  #|[set k | Poly.POLY p limit offset number point k ws == Poly.POLY p limit offset number point k ws']| <= 2 * n.
Check Poly.POLY_value number limit_p offset_limit W_p point_inj : forall ws v n, 0 < size ws -> size ws <= n ->
  #|[set k | Poly.POLY p limit offset number point k ws == v]| <= 2 * n.
Check Poly.hash127_difference point_inj : forall ts ts' d n, ts != ts' -> size ts <= n -> size ts' <= n ->
  #|[set k | (Poly.steps (point k) ts * point k - Poly.steps (point k) ts' * point k)%R == d]| <= n.+1.
End Poly.

(* Level 2: one word, POLY-64, and POLY-128 of pairs behind it. *)
Check erefl : Uhash.marked = fun mark ws => ws ++ (if odd (size ws) then [:: mark] else [:: mark; 0]).
Check erefl : Uhash.in_pairs = fun B mark ws => mkseq (fun i => nth 0 (Uhash.marked mark ws) (2 * i) * B
  + nth 0 (Uhash.marked mark ws) (2 * i).+1) (size (Uhash.marked mark ws))./2.
Section Level2.
Variables (B mark n64 n128 p64 limit64 offset64 p128 limit128 offset128 : nat).
Variables (K64 K128 : finType) (point64 : K64 -> 'F_p64) (point128 : K128 -> 'F_p128).
Check (fun k ws => erefl) : forall k ws, Uhash.level2 B mark n64 limit64 offset64 limit128 offset128 point64 point128 k ws
  = if size ws <= 1 then nth 0 ws 0
    else if size ws <= n64 then Poly.POLY p64 limit64 offset64 (fun a => a%:R%R) point64 k.1 ws : nat
    else Poly.POLY p128 limit128 offset128 (fun a => a%:R%R) point128 k.2
      ((Poly.POLY p64 limit64 offset64 (fun a => a%:R%R) point64 k.1 (take n64 ws) : nat) :: Uhash.in_pairs B mark (drop n64 ws)).
Hypothesis mark0 : 0 < mark.
Hypothesis markB : mark < B.
Hypothesis n64_1 : 1 <= n64.
Hypothesis prime64 : prime p64.
Hypothesis limit64_p : limit64 < p64.
Hypothesis offset64_limit : offset64 <= limit64.
Hypothesis B_p64 : B <= p64 + offset64.
Hypothesis prime128 : prime p128.
Hypothesis limit128_p : limit128 < p128.
Hypothesis offset128_limit : offset128 <= limit128.
Hypothesis BB_p128 : B * B <= p128 + offset128.
Hypothesis p64_BB : p64 <= B * B.
Hypothesis point64_inj : injective point64.
Hypothesis point128_inj : injective point128.
Check Uhash.level2_collision mark0 markB n64_1 prime64 limit64_p offset64_limit B_p64 prime128 limit128_p offset128_limit BB_p128
    p64_BB point64_inj point128_inj :
  forall ws ws', ws != ws' -> 0 < size ws -> 0 < size ws' -> seq.all (fun w => w < B) ws -> seq.all (fun w => w < B) ws' ->
  2 <= n128 -> size ws <= n64 + 2 * (n128 - 2) -> size ws' <= n64 + 2 * (n128 - 2) ->
  #|[set k | Uhash.level2 B mark n64 limit64 offset64 limit128 offset128 point64 point128 k ws
          == Uhash.level2 B mark n64 limit64 offset64 limit128 offset128 point64 point128 k ws']|
  <= 2 * n64 * #|K128| + #|K64| * (2 * n128).
End Level2.

(* Level 3: an inner product mod p, of which the numbers below T count. *)
Check (fun p T K red n k m => erefl) : forall p T (K : finType) (red : K -> 'F_p) n (k : {ffun 'I_n -> K}) m,
  L3.L3 T red k m = nat_of_ord (\sum_i m i * red (k i))%R %% T.
Section Level3.
Variables (p T c : nat) (K : finType) (red : K -> 'F_p) (beta n : nat).
Hypothesis p_prime : prime p.
Hypothesis T0 : 0 < T.
Hypothesis pcT : p <= c * T.
Hypothesis fibre : forall x, #|[set w | red w == x]| <= beta.
Check L3.L3_collision p_prime T0 pcT fibre : forall (m m' : 'I_n -> 'F_p) i, m i != m' i ->
  #|[set k | L3.L3 T red k m == L3.L3 T red k m']| * #|K| <= (2 * c).-1 * beta * #|{: {ffun 'I_n -> K}}|.
Check L3.L3_related p_prime T0 pcT fibre : forall f (m m' : 'I_n -> 'F_p) i j, (m i * m' j != m j * m' i)%R ->
  #|[set k | L3.L3 T red k m' == f (L3.L3 T red k m)]| * #|K| ^ 2 <= p * c * beta ^ 2 * #|{: {ffun 'I_n -> K}}|.
End Level3.

(* UHASH: the three levels, for any numbers and for those of RFC 4418. *)
Check erefl : Uhash.chunks_of = fun len => (len.-1 %/ Constants.chunk_bytes).+1.
Check (fun byte M i => erefl) : forall (byte : eqType) (M : seq byte) i,
  Uhash.chunk M i = take Constants.chunk_bytes (drop (Constants.chunk_bytes * i) M).
Section Uhash.
Variables (N n64 n128 p64 limit64 offset64 p128 limit128 offset128 mark p T c D beta : nat).
Variables (byte : eqType) (zero : byte) (elt : seq byte -> 'Z_N).
Variables (K64 K128 K3 : finType) (point64 : K64 -> 'F_p64) (point128 : K128 -> 'F_p128) (red : K3 -> 'F_p).
Check (fun k M => erefl) : forall k M,
  UhashBound.uhash n64 limit64 offset64 limit128 offset128 mark T D zero elt point64 point128 red k M
  = L3.L3 T red k.2 (fun i : 'I_8 => ((Uhash.level2 (N * N) mark n64 limit64 offset64 limit128 offset128 point64 point128 k.1.2
      (mkseq (fun j => Uhash.level1 zero elt k.1.1 (Uhash.chunk M j) : nat) (Uhash.chunks_of (size M))) %/ D ^ i) %% D)%N%:R%R).
Hypothesis N1 : 1 < N.
Hypothesis elt_inj : forall s s', size s = 4 -> size s' = 4 -> elt s = elt s' -> s = s'.
Hypothesis lengths : 8 * Constants.chunk_bytes < N * N.
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
Hypothesis point64_inj : injective point64.
Hypothesis point128_inj : injective point128.
Hypothesis prime_p : prime p.
Hypothesis T0 : 0 < T.
Hypothesis pcT : p <= c * T.
Hypothesis fibre : forall x, #|[set w | red w == x]| <= beta.
Hypothesis D0 : 0 < D.
Hypothesis D_p : D <= p.
Hypothesis fits : [/\ p64 <= N * N * (N * N), N * N <= D ^ 8, p64 <= D ^ 8 & p128 <= D ^ 8].
Check UhashBound.uhash_collision zero N1 elt_inj lengths mark0 markB n64_1 n128_2 prime64 limit64_p offset64_limit B_p64 prime128
    limit128_p offset128_limit BB_p128 point64_inj point128_inj prime_p T0 pcT fibre D0 D_p fits :
  forall M M', M != M' -> Uhash.chunks_of (size M) <= n64 + 2 * (n128 - 2) -> Uhash.chunks_of (size M') <= n64 + 2 * (n128 - 2) ->
  #|[set k | UhashBound.uhash n64 limit64 offset64 limit128 offset128 mark T D zero elt point64 point128 red k M
          == UhashBound.uhash n64 limit64 offset64 limit128 offset128 mark T D zero elt point64 point128 red k M']|
     * (N ^ 2 * (#|K64| * #|K128|) * #|K3|)
  <= ((N + 2) * (#|K64| * #|K128|) * #|K3| + N ^ 2 * (2 * n64 * #|K128| + #|K64| * (2 * n128)) * #|K3|
      + N ^ 2 * (#|K64| * #|K128|) * ((2 * c).-1 * beta)) * #|{: {ffun 'I_128 * bool -> 'Z_N} * (K64 * K128) * {ffun 'I_8 -> K3}}|.
End Uhash.
Check erefl : UhashRfc.little = foldr (fun (b : 'I_256) rest => b + 256 * rest) 0.
Check erefl : UhashRfc.word = fun N s => ((UhashRfc.little s)%:R : 'Z_N)%R.
Check erefl : UhashRfc.zero = ord0.
Check erefl : UhashRfc.word64 = [finType of 'I_(2 ^ 64)].
Check erefl : UhashRfc.masked64 = [finType of 'I_(2 ^ 25) * 'I_(2 ^ 25)].
Check erefl : UhashRfc.masked128 = [finType of UhashRfc.masked64 * UhashRfc.masked64].
Check erefl : UhashRfc.number64 = fun k => k.1 * 2 ^ 32 + k.2.
Check erefl : UhashRfc.number128 = fun k => UhashRfc.number64 k.1 * 2 ^ 64 + UhashRfc.number64 k.2.
Check erefl : UhashRfc.point64 = fun k => ((UhashRfc.number64 k)%:R : 'F_Constants.p64)%R.
Check erefl : UhashRfc.point128 = fun k => ((UhashRfc.number128 k)%:R : 'F_Constants.p128)%R.
Check erefl : UhashRfc.reduced = fun w : 'I_(2 ^ 64) => ((nat_of_ord w)%:R : 'F_Constants.p36)%R.
Check erefl : UhashRfc.hash_key = [finType of {ffun 'I_128 * bool -> 'Z_(2 ^ 32)} * (UhashRfc.masked64 * UhashRfc.masked128)
  * {ffun 'I_8 -> 'I_(2 ^ 64)}].
Check UhashRfc.rfc4418_collision : let hash := @UhashBound.uhash (2 ^ 32) Constants.poly64_words Constants.p64 Constants.limit64
    Constants.offset64 Constants.p128 Constants.limit128 Constants.offset128 Constants.end_mark Constants.p36 (2 ^ 32) (2 ^ 16)
    [eqType of 'I_256] UhashRfc.zero (UhashRfc.word (2 ^ 32)) UhashRfc.masked64 UhashRfc.masked128 UhashRfc.word64
    UhashRfc.point64 UhashRfc.point128 UhashRfc.reduced in
  forall M M' : seq 'I_256, M != M' -> size M <= 2 ^ 64 -> size M' <= 2 ^ 64 ->
  #|[set k : UhashRfc.hash_key | hash k M == hash k M']| * (1000 * 2 ^ 30) <= 766 * #|UhashRfc.hash_key|.

(* The moduli are prime. *)
Check Primes.prime19 : prime Constants.p19.
Check Primes.prime32 : prime Constants.p32.
Check Primes.prime36 : prime Constants.p36.
Check Primes.prime64 : prime Constants.p64.
Check Primes.prime127 : prime Constants.p127.
Check Primes.prime128 : prime Constants.p128.

(* UHASH of RFC 4418 for T streams, 4 T bytes. Level 1 has 63 + T rows of four key words, of which stream i begins with row i; each
   stream has its own keys of the levels 2 and 3, and 32 bits of its own that are xored. Bits are elements of the field of two. *)
Check erefl : Shift.nh_key = fun N T => {ffun 'I_(63 + T) * 'I_4 -> 'Z_N}.
Check (fun T i ph => erefl) : forall T (i : 'I_T) (ph : 'I_128 * bool), nat_of_ord (Shift.place i ph).1 = 2 * (ph.1 %/ 4) + ph.2 + i.
Check (fun T i ph => erefl) : forall T (i : 'I_T) (ph : 'I_128 * bool), (Shift.place i ph).2 = inord (ph.1 %% 4).
Check (fun N T K i => erefl) : forall N T (K : Shift.nh_key N T) (i : 'I_T), Shift.shifted K i = [ffun ph => K (Shift.place i ph)].
Check erefl : UhashStreams.own_key = (UhashRfc.masked64 * UhashRfc.masked128 * {ffun 'I_8 -> UhashRfc.word64})%type.
Check erefl : UhashStreams.streams_key = fun T => (Shift.nh_key (2 ^ 32) T * {ffun 'I_T -> UhashStreams.own_key} * matrix 'F_2 T 32)%type.
Check UmacRfc.stream_is : forall T (K : Shift.nh_key (2 ^ 32) T) (i : 'I_T) (k : UhashStreams.own_key) M, UhashStreams.stream K i k M
  = @UhashBound.uhash (2 ^ 32) Constants.poly64_words Constants.p64 Constants.limit64
    Constants.offset64 Constants.p128 Constants.limit128 Constants.offset128 Constants.end_mark Constants.p36 (2 ^ 32) (2 ^ 16)
    [eqType of 'I_256] UhashRfc.zero (UhashRfc.word (2 ^ 32)) UhashRfc.masked64 UhashRfc.masked128 UhashRfc.word64
    UhashRfc.point64 UhashRfc.point128 UhashRfc.reduced (Shift.shifted K i, k.1, k.2) M.
Check erefl : UhashStreams.bits = fun x => (\row_(j < 32) (odd (x %/ 2 ^ j))%:R)%R.
Check (fun T k M => erefl) : forall T (k : UhashStreams.streams_key T) M, UhashStreams.UHASH k M
  = (\matrix_i UhashStreams.bits (UhashStreams.stream k.1.1 i (k.1.2 i) M) + k.2)%R.
(* One stream, UMAC-32: two different messages of up to 2^64 bytes have the difference d for at most 0.782 * 2^-30 of the keys,
   whatever d is. *)
Check UhashAxu.one_stream : forall (M M' : seq 'I_256) (d : matrix 'F_2 1 32), M != M' -> size M <= 2 ^ 64 -> size M' <= 2 ^ 64 ->
  #|[set k : UhashStreams.streams_key 1 | (UhashStreams.UHASH k M - UhashStreams.UHASH k M')%R == d]| * (1000 * 2 ^ 30)
  <= 782 * #|{: UhashStreams.streams_key 1}|.
Check UhashAxu.uhash32 : forall (M M' : seq 'I_256) (d : matrix 'F_2 1 32), M != M' -> size M <= 2 ^ 64 -> size M' <= 2 ^ 64 ->
  #|[set k : UhashStreams.streams_key 1 | (UhashStreams.UHASH k M - UhashStreams.UHASH k M')%R == d]| * 2 ^ (30 * 1)
  <= #|{: UhashStreams.streams_key 1}|.
(* Two streams, UMAC-64: at most 0.65 * 2^-60. *)
Check UhashAxu.two_streams : forall (M M' : seq 'I_256) (d : matrix 'F_2 2 32), M != M' -> size M <= 2 ^ 64 -> size M' <= 2 ^ 64 ->
  #|[set k : UhashStreams.streams_key 2 | (UhashStreams.UHASH k M - UhashStreams.UHASH k M')%R == d]| * (1000 * (2 ^ 30) ^ 2)
  <= 650 * #|{: UhashStreams.streams_key 2}|.
Check UhashAxu.uhash64 : forall (M M' : seq 'I_256) (d : matrix 'F_2 2 32), M != M' -> size M <= 2 ^ 64 -> size M' <= 2 ^ 64 ->
  #|[set k : UhashStreams.streams_key 2 | (UhashStreams.UHASH k M - UhashStreams.UHASH k M')%R == d]| * 2 ^ (30 * 2)
  <= #|{: UhashStreams.streams_key 2}|.
(* Three streams, UMAC-96: at most 0.725 * 2^-90. *)
Check UhashAxu.three_streams : forall (M M' : seq 'I_256) (d : matrix 'F_2 3 32), M != M' -> size M <= 2 ^ 64 -> size M' <= 2 ^ 64 ->
  #|[set k : UhashStreams.streams_key 3 | (UhashStreams.UHASH k M - UhashStreams.UHASH k M')%R == d]| * (1000 * (2 ^ 30) ^ 3)
  <= 725 * #|{: UhashStreams.streams_key 3}|.
Check UhashAxu.uhash96 : forall (M M' : seq 'I_256) (d : matrix 'F_2 3 32), M != M' -> size M <= 2 ^ 64 -> size M' <= 2 ^ 64 ->
  #|[set k : UhashStreams.streams_key 3 | (UhashStreams.UHASH k M - UhashStreams.UHASH k M')%R == d]| * 2 ^ (30 * 3)
  <= #|{: UhashStreams.streams_key 3}|.
(* Four streams, UMAC-128: at most 0.827 * 2^-120. *)
Check UhashAxu.four_streams : forall (M M' : seq 'I_256) (d : matrix 'F_2 4 32), M != M' -> size M <= 2 ^ 64 -> size M' <= 2 ^ 64 ->
  #|[set k : UhashStreams.streams_key 4 | (UhashStreams.UHASH k M - UhashStreams.UHASH k M')%R == d]| * (1000 * (2 ^ 30) ^ 4)
  <= 827 * #|{: UhashStreams.streams_key 4}|.
Check UhashAxu.uhash128 : forall (M M' : seq 'I_256) (d : matrix 'F_2 4 32), M != M' -> size M <= 2 ^ 64 -> size M' <= 2 ^ 64 ->
  #|[set k : UhashStreams.streams_key 4 | (UhashStreams.UHASH k M - UhashStreams.UHASH k M')%R == d]| * 2 ^ (30 * 4)
  <= #|{: UhashStreams.streams_key 4}|.

(* RFC 4418 moves the key by half a pair from stream to stream, which Theorem 5.1 does not allow. Level 1 of any set of streams
   together: two different chunks of 0 to 1024 bytes collide in all of them with (N + 1) / N^2 for each, twice that for each but one. *)
Check (fun N T byte zero elt i K M => erefl) : forall N T (byte : eqType) zero (elt : seq byte -> 'Z_N) (i : 'I_T) (K : Shift.nh_key N T) M,
  Shift.nh zero elt i K M = Uhash.level1 zero elt (Shift.shifted K i) M.
Check StreamsNh.all_collisions : forall N T, 1 < N -> forall (byte : eqType) zero (elt : seq byte -> 'Z_N),
  (forall s s', size s = 4 -> size s' = 4 -> elt s = elt s' -> s = s') -> 8 * 1024 < N * N ->
  forall (Q : {set 'I_T}) (M M' : seq byte), M != M' -> size M <= 1024 -> size M' <= 1024 ->
  #|[set K | [forall (i | i \in Q), Shift.nh zero elt i K M == Shift.nh zero elt i K M']]| * N ^ (2 * #|Q|)
  <= 2 ^ #|Q|.-1 * (N + 1) ^ #|Q| * #|{: Shift.nh_key N T}|.
(* Some streams collide, and the hashes of each of others have a ratio of their own, other than 1, where no stream with a ratio lies
   between two that collide. H may be any number but 0; 2^14 is used. *)
Check (fun N H => erefl) : forall N H, NhRatio.ratio_bound N H = 160 + 144 * (N %/ H + 24 * H).
Check StreamsNh.nh_together : forall N T, 1 < N -> forall (byte : eqType) zero (elt : seq byte -> 'Z_N),
  (forall s s', size s = 4 -> size s' = 4 -> elt s = elt s' -> s = s') -> 8 * 1024 < N * N ->
  forall (Q R : {set 'I_T}) H a b (M M' : seq byte), 0 < H -> [disjoint Q & R] -> (forall i, [/\ 0 < a i, 0 < b i & a i != b i]) ->
  (forall r, r \in R -> (forall q, q \in Q -> q < r) \/ (forall q, q \in Q -> r < q)) -> M != M' -> size M <= 1024 -> size M' <= 1024 ->
  #|[set K | [forall (i | i \in Q), Shift.nh zero elt i K M == Shift.nh zero elt i K M']
          && [forall (i | i \in R), b i * Shift.nh zero elt i K M == a i * Shift.nh zero elt i K M']]| * (N ^ 2) ^ (#|Q| + #|R|)
  <= 2 ^ #|Q|.-1 * (N + 1) ^ #|Q| * NhRatio.ratio_bound N H ^ #|R| * #|{: Shift.nh_key N T}|.
(* Up to four streams, where a stream with a ratio may lie between two that collide: ten times as much for each that does, if
   N / H + 24 H is at least 142. *)
Check (fun T Q r => erefl) : forall T (Q : {set 'I_T}) (r : 'I_T), FourStreams.inner Q r = [exists q in Q, q < r] && [exists q in Q, r < q].
Check (fun N T Q H r => erefl) : forall N T (Q : {set 'I_T}) H (r : 'I_T),
  FourStreams.weight N Q H r = (if FourStreams.inner Q r then 10 else 1) * NhRatio.ratio_bound N H.
Check FourStreams.nh_all : forall N T, 1 < N -> forall (byte : eqType) zero (elt : seq byte -> 'Z_N),
  (forall s s', size s = 4 -> size s' = 4 -> elt s = elt s' -> s = s') -> 8 * 1024 < N * N ->
  forall (Q R : {set 'I_T}) H a b (M M' : seq byte), T <= 4 -> 0 < H -> 142 <= N %/ H + 24 * H -> [disjoint Q & R] ->
  (forall i, [/\ 0 < a i, 0 < b i & a i != b i]) -> M != M' -> size M <= 1024 -> size M' <= 1024 ->
  #|[set K | [forall (i | i \in Q), Shift.nh zero elt i K M == Shift.nh zero elt i K M']
          && [forall (i | i \in R), b i * Shift.nh zero elt i K M == a i * Shift.nh zero elt i K M']]| * (N ^ 2) ^ (#|Q| + #|R|)
  <= 2 ^ #|Q|.-1 * (N + 1) ^ #|Q| * (\prod_(r in R) FourStreams.weight N Q H r) * #|{: Shift.nh_key N T}|.

(* Carter: carter/docs/carter.md. *)
Check erefl : Carter.B = Constants.carter_block_bytes.
Check erefl : Carter.pairs = 64.
Check erefl : Carter.start = fun p => 128 * (p %/ 4) + 16 * (p %% 4).
Check (fun F n => erefl) : forall (F : finFieldType) n, Carter.words F n = {ffun 'I_n * bool -> F}.
Check (fun F => erefl) : forall F : finFieldType, Carter.key F = ({ffun 'I_64 * bool -> F} * F * F)%type.
Check (fun F n c A K M => erefl) : forall (F : finFieldType) n c A (K M : {ffun 'I_n * bool -> F}),
  Carter.L1 c A K M = (\sum_(i < n | A i) c * (M (i, false) + K (i, false)) * (M (i, true) + K (i, true)))%R.
Check (fun F c r ys => erefl) : forall (F : finFieldType) (c r : F) ys, Carter.L2 c r ys = (foldl (fun y l => c * y * r + l) 0 ys)%R.
Check erefl : Carter.blocks_of = fun len => (len.-1 %/ Constants.carter_block_bytes).+1.
Check (fun F byte zero c elt K M => erefl) : forall (F : finFieldType) (byte : eqType) zero c elt (K : {ffun 'I_64 * bool -> F}) (M : seq byte),
  Carter.level1 zero c elt K M = Carter.L1 c (fun p : 'I_64 => 128 * (p %/ 4) + 16 * (p %% 4) < size M) K
    [ffun ph : 'I_64 * bool => elt (mkseq (fun t => nth zero M (Carter.start ph.1 + 8 * ph.2 + t)) 8
      ++ mkseq (fun t => nth zero M (Carter.start ph.1 + 64 + 8 * ph.2 + t)) 8)].
Check (fun F byte zero c elt number K r kL M => erefl) : forall (F : finFieldType) (byte : eqType) zero c elt number K (r kL : F) (M : seq byte),
  Carter.H zero c elt number K r kL M = (Carter.L2 c r (mkseq (fun i => Carter.level1 zero c elt K
      (take Carter.B (drop (Carter.B * i) M))) (Carter.blocks_of (size M))) + c * number (size M) * kL)%R.
Check (fun F byte zero c elt number M M' d => erefl) : forall (F : finFieldType) (byte : eqType) zero (c : F) elt number (M M' : seq byte) d,
  Carter.bad zero c elt number M M' d
  = [set k | (Carter.H zero c elt number k.1.1 k.2 k.1.2 M - Carter.H zero c elt number k.1.1 k.2 k.1.2 M')%R == d].
Check Carter.L1_axu : forall (F : finFieldType) n (c : F), c != 0%R -> forall A (M M' : {ffun 'I_n * bool -> F}) d,
  (exists i b, A i && (M (i, b) != M' (i, b))) ->
  #|[set K | (Carter.L1 c A K M - Carter.L1 c A K M')%R == d]| * #|F| = #|{: {ffun 'I_n * bool -> F}}|.
Check (fun F byte zero c elt number q query tries => erefl) : forall (F : finFieldType) (byte : eqType) zero (c : F) elt number q query
    (tries : seq F -> seq ((F * seq byte) * {set F})),
  Theorem3.won zero c elt number q query tries = WegmanCarter.forged (Theorem3.hash zero c elt number) query q tries.
Check (fun F byte zero c elt number k M => erefl) : forall (F : finFieldType) (byte : eqType) zero (c : F) elt number k (M : seq byte),
  Theorem3.hash zero c elt number k M = Carter.H zero c elt number k.1.1 k.2 k.1.2 M.
Check (fun byte limit n M => erefl) : forall (byte : eqType) limit n (M : seq byte),
  Theorem3.ok limit n M = (size M < limit) && (Carter.blocks_of (size M) <= n).
Check (fun F => erefl) : forall F : finFieldType, Theorem3.all F = #|{: Carter.key F}| * #|{: {perm F}}|.
Section Carter.
Variables (F : finFieldType) (byte : eqType) (zero : byte) (c : F) (elt : seq byte -> F) (number : nat -> F) (limit : nat).
Hypothesis c0 : c != 0%R.
Hypothesis elt_inj : forall s s', size s = 16 -> size s' = 16 -> elt s = elt s' -> s = s'.
Hypothesis number_inj : forall a b, a < limit -> b < limit -> number a = number b -> a = b.
Check Carter.H_axu zero c0 elt_inj number_inj : forall M M' d n, M != M' -> size M < limit -> size M' < limit ->
  Carter.blocks_of (size M) <= n -> Carter.blocks_of (size M') <= n ->
  #|Carter.bad zero c elt number M M' d| * #|F| <= n * #|{: Carter.key F}|.
Variables (n q u v : nat) (query : seq F -> F * seq byte) (tries : seq F -> seq ((F * seq byte) * {set F})).
Hypothesis ok_query : forall T, Theorem3.ok limit n (query T).2.
Hypothesis ok_tries : forall T a, a \in tries T -> Theorem3.ok limit n a.1.2.
Hypothesis nonces : forall T, size T = q -> uniq (map fst (Prf.asked query T)).
Hypothesis width : forall T a, a \in tries T -> #|a.2| <= u.
Hypothesis total : forall T, size T = q -> \sum_(i < q.+1) size (tries (take i T)) <= v.
Check Theorem3.carter zero c0 elt_inj number_inj ok_query ok_tries nonces width total :
  #|Theorem3.won zero c elt number q query tries| * #|F| ^_ q.+1 <= v * (n * u) * #|F| ^ q * Theorem3.all F.
Check Theorem3.carter_f zero c0 elt_inj number_inj ok_query ok_tries nonces width total : q < #|F| ->
  (#|Theorem3.won zero c elt number q query tries| * #|F|) ^ 2 * (#|F| - q) ^ q.+1 <= (v * (n * u) * Theorem3.all F) ^ 2 * #|F| ^ q.+1.
End Carter.

(* Pads of a random permutation. *)
Check (fun K Msg G h kP NM => erefl) : forall (K : finType) (Msg : eqType) (G : finZmodType) (h : K -> Msg -> G) kP NM,
  WegmanCarter.tag h kP NM = (h kP.1 NM.2 + kP.2 NM.1)%R.
Check (fun K Msg G h query q tries => erefl) : forall (K : finType) (Msg : eqType) (G : finZmodType) (h : K -> Msg -> G) query q
    (tries : seq G -> seq ((G * Msg) * {set G})),
  WegmanCarter.forged h query q tries = Attempts.forged (WegmanCarter.tag h) query q tries.
Section Pads.
Variables (K : finType) (Msg : eqType) (G : finZmodType) (h : K -> Msg -> G) (ok : pred Msg) (n : nat).
Hypothesis n1 : 0 < n.
Hypothesis axu : forall M M' (d : G), M != M' -> ok M -> ok M' -> #|[set k | (h k M - h k M')%R == d]| * #|G| <= n * #|K|.
Variables (query : seq G -> G * Msg) (q u v : nat) (tries : seq G -> seq ((G * Msg) * {set G})).
Hypothesis ok_query : forall T, ok (query T).2.
Hypothesis nonces : forall T, size T = q -> uniq (map fst (Prf.asked query T)).
Hypothesis ok_tries : forall T a, a \in tries T -> ok a.1.2.
Hypothesis width : forall T a, a \in tries T -> #|a.2| <= u.
Hypothesis total : forall T, size T = q -> \sum_(i < q.+1) size (tries (take i T)) <= v.
Check WegmanCarter.attempts n1 axu ok_query nonces ok_tries width total :
  #|WegmanCarter.forged h query q tries| * #|G| ^_ q.+1 <= v * (n * u) * #|G| ^ q * (#|K| * #|{: {perm G}}|).
End Pads.
(* PMAC: a message is its inner blocks, the last block with its padding, and whether that was full. *)
Check (fun F => erefl) : forall F : finFieldType, Pmac.function F = {ffun F -> F}.
Check (fun F => erefl) : forall F : finFieldType, Pmac.message F = (seq F * F * bool)%type.
Check (fun F limit M => erefl) : forall (F : finFieldType) limit (M : Pmac.message F),
  Pmac.valid limit M = (size M.1.1 <= limit) && (M.2 || (M.1.2 != 0%R)).
Check (fun F gamma M => erefl) : forall (F : finFieldType) gamma (M : Pmac.message F), Pmac.pairs gamma M = zip (mkseq gamma (size M.1.1)) M.1.1.
Check (fun F L t => erefl) : forall (F : finFieldType) (L : F) t, Pmac.place L t = (t.1 * L + t.2)%R.
Check (fun F gamma half f M => erefl) : forall (F : finFieldType) gamma half (f : {ffun F -> F}) (M : Pmac.message F),
  Pmac.final gamma half f M = ((if M.2 then half else 0) * f 0 + M.1.2 + \sum_(t <- Pmac.pairs gamma M) f (Pmac.place (f 0) t))%R.
Check (fun F gamma half f M => erefl) : forall (F : finFieldType) gamma half (f : {ffun F -> F}) (M : Pmac.message F),
  Pmac.tag gamma half f M = f (Pmac.final gamma half f M).
Check (fun F Ms => erefl) : forall (F : finFieldType) (Ms : seq (Pmac.message F)), Pmac.cost Ms = \sum_(M <- Ms) (size M.1.1).+1.
Check (fun F gamma Ms => erefl) : forall (F : finFieldType) gamma (Ms : seq (Pmac.message F)),
  Pmac.inputs gamma Ms = (0, 0)%R :: flatten (map (Pmac.pairs gamma) Ms).
Check (fun F gamma half Ms f => erefl) : forall (F : finFieldType) gamma half (Ms : seq (Pmac.message F)) f,
  Pmac.good gamma half Ms f = uniq (map (Pmac.final gamma half f) Ms) && seq.all (fun M => seq.all (fun t =>
    Pmac.final gamma half f M != Pmac.place (f 0%R) t) (Pmac.inputs gamma Ms)) Ms.
Section Pmac.
Variables (F : finFieldType) (gamma : nat -> F) (half : F) (limit : nat).
Hypothesis char2 : 2 \in [char F]%R.
Hypothesis gamma_inj : forall i j, i < limit -> j < limit -> gamma i = gamma j -> i = j.
Hypothesis gamma0 : forall i, i < limit -> gamma i != 0%R.
Hypothesis gamma_half : forall i, i < limit -> gamma i != half.
Hypothesis half0 : half != 0%R.
Check Pmac.few_bad char2 gamma_inj gamma0 gamma_half half0 : forall Ms, seq.all (Pmac.valid limit) Ms -> uniq Ms ->
  #|[set f | ~~ Pmac.good gamma half Ms f]| * #|F| <= Pmac.cost Ms ^ 2 * #|{: {ffun F -> F}}|.
(* Tags of different messages are those of a random function, but for sigma^2 / #|F|; messages may depend on tags. *)
Variables (q sigma : nat) (query : seq F -> Pmac.message F).
Hypothesis valid_query : forall T, Pmac.valid limit (query T).
Hypothesis different : forall T, size T = q -> uniq (Prf.asked query T).
Hypothesis length : forall T, size T = q -> Pmac.cost (Prf.asked query T) <= sigma.
Check Pmac.pmac_prf char2 gamma_inj gamma0 gamma_half half0 valid_query different length : forall A : {set q.-tuple F},
  #|Prf.real (Pmac.tag gamma half) query A| * #|F| ^ q * #|F|
  <= #|A| * #|{: {ffun F -> F}}| * #|F| + sigma ^ 2 * #|{: {ffun F -> F}}| * #|F| ^ q.
End Pmac.

(* Games. A program calls a function: it returns something, or calls and goes on with the answer. *)
Local Open Scope ring_scope.
Check (fun D C A f a => erefl) : forall D C A (f : D -> C) (a : A), Games.run f (Games.Return a) = a.
Check (fun D C A f x next => erefl) : forall D C A (f : D -> C) x (next : C -> Games.program D C A),
  Games.run f (Games.Call x next) = Games.run f (next (f x)).
Check (fun D C A c a => erefl) : forall D C A c (a : A), Games.within c (@Games.Return D C A a) = True.
Check (fun D C A c x next => erefl) : forall D C A c x (next : C -> Games.program D C A),
  Games.within c.+1 (Games.Call x next) = forall y, Games.within c (next y).
Check (fun D C A x next => erefl) : forall D C A x (next : C -> Games.program D C A), Games.within 0 (Games.Call x next) = False.
(* A program that calls a MAC, where the MAC is a program that calls a cipher. *)
Check (fun D C Msg G A mac a => erefl) : forall D C Msg G A (mac : Msg -> Games.program D C G) (a : A),
  Games.through mac (Games.Return a) = Games.Return a.
Check (fun D C Msg G A mac m next => erefl) : forall D C Msg G A (mac : Msg -> Games.program D C G) m (next : G -> Games.program Msg G A),
  Games.through mac (Games.Call m next) = Games.bind (mac m) (fun g => Games.through mac (next g)).
Check (fun D C G A g next => erefl) : forall D C G A g (next : G -> Games.program D C A), Games.bind (Games.Return g) next = next g.
Check (fun D C G A x after next => erefl) : forall D C G A x (after : C -> Games.program D C G) (next : G -> Games.program D C A),
  Games.bind (Games.Call x after) next = Games.Call x (fun y => Games.bind (after y) next).
Check (fun D C A next => erefl) : forall D C A (next : seq C -> Games.program D C A), Games.calls [::] next = next [::].
Check (fun D C A x xs next => erefl) : forall D C A x (xs : seq D) (next : seq C -> Games.program D C A),
  Games.calls (x :: xs) next = Games.Call x (fun y => Games.calls xs (fun ys => next (y :: ys))).
(* An adversary stops, asks for a tag or tries a tag; what it does next depends on the answers. It wins by a tag that is right,
   of a message that it had not asked for. *)
Check (fun Msg G asked => erefl) : forall (Msg G : eqType) (asked : seq Msg),
  Games.game asked (@Games.Stop Msg G) = Games.Return false.
Check (fun Msg G asked m next => erefl) : forall (Msg G : eqType) (asked : seq Msg) m (next : G -> Games.adversary Msg G),
  Games.game asked (Games.Ask m next) = Games.Call m (fun g => Games.game (m :: asked) (next g)).
Check (fun Msg G asked m t next => erefl) : forall (Msg G : eqType) (asked : seq Msg) m (t : G) next,
  Games.game asked (Games.Try m t next) = Games.Call m (fun g =>
    if (m \notin asked) && (g == t) then Games.Return true else Games.game asked (next (g == t))).
Check (fun Msg G tag A => erefl) : forall (Msg G : eqType) (tag : Msg -> G) A, Games.forges tag A = Games.run tag (Games.game [::] A).
(* It keeps to limits, whatever it is answered: `fair` looks at all that was asked for and tried so far. *)
Check (fun Msg G fair A => erefl) : forall Msg G fair (A : Games.adversary Msg G),
  Forgeries.keeps fair A = Forgeries.keeps_to fair [::] [::] A.
Check (fun Msg G fair asked tried => erefl) : forall Msg G fair (asked tried : seq Msg),
  Forgeries.keeps_to fair asked tried (@Games.Stop Msg G) = (fair asked tried /\ True).
Check (fun Msg G fair asked tried m next => erefl) : forall Msg G fair (asked tried : seq Msg) m (next : G -> Games.adversary Msg G),
  Forgeries.keeps_to fair asked tried (Games.Ask m next)
  = (fair asked tried /\ forall g, Forgeries.keeps_to fair (m :: asked) tried (next g)).
Check (fun Msg G fair asked tried m t next => erefl) : forall Msg G fair (asked tried : seq Msg) m (t : G) next,
  Forgeries.keeps_to fair asked tried (Games.Try m t next)
  = (fair asked tried /\ forall b, Forgeries.keeps_to fair asked (m :: tried) (next b)).
(* Probabilities, and the advantage of a program, which may toss coins: cipher under a random key against random permutation. *)
Check (fun T P => erefl) : forall (T : finType) (P : pred T), Games.pr P = #|[set x | P x]|%:R / #|T|%:R.
Check (fun Coins Key T E p => erefl) : forall (Coins Key T : finType) (E : Key -> {perm T}) (p : Coins -> Games.program T T bool),
  Games.advantage E p = Games.pr (fun x : Coins * Key => Games.run (E x.2) (p x.1))
    - Games.pr (fun x : Coins * {perm T} => Games.run x.2 (p x.1)).
(* A random permutation against a random function: what a program of c calls gains at most, as a sum and as a factor. *)
Check Switching.switching : forall (T : finType) c (p : Games.program T T bool), Games.within c p -> (
  #|[set f : {perm T} | Games.run f p]| * #|{: {ffun T -> T}}| * #|T| * 2
  <= #|[set f : {ffun T -> T} | Games.run f p]| * #|{: {perm T}}| * #|T| * 2 + c * c.-1 * (#|{: {ffun T -> T}}| * #|{: {perm T}}|))%N.
Check Switching.switching_factor : forall (T : finType) c (p : Games.program T T bool), Games.within c p -> (
  #|[set f : {perm T} | Games.run f p]| * #|{: {ffun T -> T}}| * #|T| ^_ c
  <= #|[set f : {ffun T -> T} | Games.run f p]| * #|{: {perm T}}| * #|T| ^ c)%N.
Check (fun Q c => erefl) : forall Q c : nat, Pads.factor Q c = (Q ^ c)%:R / (Q ^_ c)%:R.
Check Pads.factor_square : forall Q q : nat, (q < Q)%N -> Pads.factor Q q.+1 ^+ 2 * (1 - q%:R / Q%:R) ^+ q.+1 <= 1.
Check Pads.factor_subkeys : forall s : nat, (s <= 700)%N -> Pads.factor (2 ^ 128) s <= 1 + (2 ^ 110)%:R^-1.

(* PMAC: forgeries. The tag may be cut; the adversary asks and tries sigma blocks in all, v times it tries. *)
Check (fun F gamma half G cut f M => erefl) : forall (F : finFieldType) gamma half (G : finType) (cut : F -> G) f (M : Pmac.message F),
  PmacForgery.mac gamma half cut f M = cut (Pmac.tag gamma half (finfun f) M).
Check (fun F limit sigma v asked tried => erefl) : forall (F : finFieldType) limit sigma v (asked tried : seq (Pmac.message F)),
  PmacForgery.fair limit sigma v asked tried
  = [/\ seq.all (Pmac.valid limit) (asked ++ tried), (Pmac.cost asked + Pmac.cost tried <= sigma)%N & (size tried <= v)%N].
Check (fun F G sigma v => erefl) : forall (F : finFieldType) (G : finType) sigma v, PmacForgery.bound F G sigma v
  = v%:R / #|G|%:R + (sigma ^ 2)%:R / #|F|%:R + (sigma.+1 * sigma)%:R / (2 * #|F|)%:R.
(* The game as a program that calls the cipher: L first, and then the blocks of each message and its tag. *)
Check (fun F gamma half G cut A => erefl) : forall (F : finFieldType) gamma half (G : finType) (cut : F -> G) A,
  PmacForgery.pmac_game gamma half cut A
  = Games.Call 0 (fun L => Games.through (PmacForgery.tagged gamma half cut L) (Games.game [::] A)).
Check (fun F gamma half G cut L M => erefl) : forall (F : finFieldType) gamma half (G : finType) (cut : F -> G) L M,
  PmacForgery.tagged gamma half cut L M
  = PmacForgery.summed cut L (Pmac.pairs gamma M) ((if M.2 then half else 0) * L + M.1.2).
Check (fun F G cut L sum => erefl) : forall (F : finFieldType) (G : finType) (cut : F -> G) L sum,
  PmacForgery.summed cut L [::] sum = Games.Call sum (fun x => Games.Return (cut x)).
Check (fun F G cut L t s sum => erefl) : forall (F : finFieldType) (G : finType) (cut : F -> G) L t s sum,
  PmacForgery.summed cut L (t :: s) sum = Games.Call (Pmac.place L t) (fun y => PmacForgery.summed cut L s (sum + y)).
Section PmacForgery.
Variables (F : finFieldType) (gamma : nat -> F) (half : F) (limit : nat).
Hypothesis char2 : 2%N \in [char F].
Hypothesis gamma_inj : forall i j, (i < limit)%N -> (j < limit)%N -> gamma i = gamma j -> i = j.
Hypothesis gamma0 : forall i, (i < limit)%N -> gamma i != 0.
Hypothesis gamma_half : forall i, (i < limit)%N -> gamma i != half.
Hypothesis half0 : half != 0.
Variables (G : finType) (cut : F -> G) (sigma v : nat).
Hypothesis even : forall g, (#|[set x | cut x == g]| * #|G| <= #|F|)%N.
Section OneAdversary.
Variable A : Games.adversary (Pmac.message F) G.
Hypothesis kept : Forgeries.keeps (PmacForgery.fair limit sigma v) A.
(* PMAC under a random function, and under a random permutation. Its game makes sigma + 1 calls. *)
Check PmacForgery.pmac_function char2 gamma_inj gamma0 gamma_half half0 even kept :
  Games.pr (fun f : {ffun F -> F} => Games.forges (PmacForgery.mac gamma half cut f) A)
  <= v%:R / #|G|%:R + (sigma ^ 2)%:R / #|F|%:R.
Check PmacForgery.pmac_permutation char2 gamma_inj gamma0 gamma_half half0 even kept :
  Games.pr (fun P : {perm F} => Games.forges (PmacForgery.mac gamma half cut P) A) <= PmacForgery.bound F G sigma v.
Check PmacForgery.within_game char2 gamma half0 cut kept : Games.within sigma.+1 (PmacForgery.pmac_game gamma half cut A).
End OneAdversary.
(* PMAC with any block cipher and any adversary, which may toss coins. *)
Check PmacForgery.pmac_cipher char2 gamma_inj gamma0 gamma_half half0 even (sigma := sigma) (v := v) : forall (Key Coins : finType) (E : Key -> {perm F})
    (A : Coins -> Games.adversary (Pmac.message F) G), (forall c, Forgeries.keeps (PmacForgery.fair limit sigma v) (A c)) ->
  Games.pr (fun x : Coins * Key => Games.forges (PmacForgery.mac gamma half cut (E x.2)) (A x.1))
  <= PmacForgery.bound F G sigma v + Games.advantage E (fun c => PmacForgery.pmac_game gamma half cut (A c)).
End PmacForgery.

(* Hash and pads. A pad is a part of an encrypted block, and several nonces may share the block: four with UMAC-32, two with
   UMAC-64. `mix` puts a pad on a hash, as xor does, and `diff` is what two tags with one pad show of their hashes. *)
Section Macs.
Variables (K B Part G : finType) (Nonce Msg : eqType) (h : K -> Msg -> G) (mix diff : G -> G -> G) (ok : pred Msg) (e N : nat).
Variables (block : Nonce -> B) (part : Nonce -> Part) (cut : B -> {ffun Part -> G}).
Check erefl : Pads.pad block part cut = fun (P : B -> B) n => cut (P (block n)) (part n).
Check erefl : Pads.tag h mix block part cut = fun P k NM => mix (h k NM.2) (Pads.pad block part cut P NM.1).
Check (fun q v asked tried => erefl) : forall q v (asked tried : seq (Nonce * Msg)), Pads.fair ok q v asked tried
  = [/\ uniq (map fst asked), seq.all (fun NM => ok NM.2) (asked ++ tried), (size asked <= q)%N & (size tried <= v)%N].
Hypothesis mix_inj : forall x, injective (mix x).
Hypothesis diff_mix : forall x y p, diff (mix x p) (mix y p) = diff x y.
Hypothesis axu : forall M M', M != M' -> ok M -> ok M' -> forall d, (#|[set k | diff (h k M) (h k M') == d]| * N <= e * #|K|)%N.
Hypothesis least : (N <= e * #|G|)%N.
Hypothesis places : injective (fun n => (block n, part n)).
Hypothesis even : forall parts, (#|[set b | cut b == parts]| * #|G| ^ #|Part| <= #|B|)%N.
Variables (q v : nat).
Hypothesis N0 : (0 < N)%N.
Hypothesis few : (q < #|B|)%N.
(* Pads of a random permutation: q tags and v attempts in any order, v e / N and the factor. *)
Section OneAdversary.
Variable A : Games.adversary (Nonce * Msg) G.
Hypothesis kept : Forgeries.keeps (Pads.fair ok q v) A.
Check Pads.pads mix_inj diff_mix axu least places even kept N0 few :
  Games.pr (fun r : K * {perm B} => Games.forges (Pads.tag h mix block part cut r.2 r.1) A)
  <= v%:R * (e%:R / N%:R) * Pads.factor #|B| q.+1.
End OneAdversary.
(* Every block cipher: its values at the blocks xs are the subkeys, of which one is the key that makes the pads. *)
Variables (Key : finType) (E : Key -> {perm B}) (xs : seq B) (subkeys : seq B -> Key * K).
Check erefl : CipherMac.mac h mix block part cut E xs subkeys
  = fun key => let keys := subkeys (map (E key) xs) in Pads.tag h mix block part cut (E keys.1) keys.2.
(* Two programs. One computes the subkeys with what it calls and plays the game itself; the other draws the hash's key and
   calls for the pads. *)
Check erefl : CipherMac.derive_game h mix block part cut E xs subkeys
  = fun A => Games.calls xs (fun ys => Games.Return (Games.forges (Pads.tag h mix block part cut (E (subkeys ys).1) (subkeys ys).2) A)).
Check erefl : CipherMac.pads_game h mix block part cut
  = fun A k => Games.through (fun NM => Games.Call (block NM.1) (fun y => Games.Return (mix (h k NM.2) (cut y (part NM.1)))))
      (Games.game [::] A).
Check CipherMac.calls_of_derive_game h mix block part cut E xs subkeys : forall A,
  Games.within (size xs) (CipherMac.derive_game h mix block part cut E xs subkeys A).
Check CipherMac.calls_of_pads_game h mix block part cut (ok := ok) : forall q v A k, Forgeries.keeps (Pads.fair ok q v) A ->
  Games.within (q + v) (CipherMac.pads_game h mix block part cut A k).
Hypothesis different : uniq xs.
Hypothesis uniform : forall keys, (#|[set t : (size xs).-tuple B | subkeys t == keys]| * (#|Key| * #|K|) <= #|B| ^ size xs)%N.
Variables (Coins : finType) (A : Coins -> Games.adversary (Nonce * Msg) G).
Hypothesis kept : forall c, Forgeries.keeps (Pads.fair ok q v) (A c).
Variable u : rat.
Hypothesis subkeys_factor : Pads.factor #|B| (size xs) <= u.
Check CipherMac.cipher_mac E mix_inj diff_mix axu least places even different uniform kept N0 few subkeys_factor :
  Games.pr (fun x : Coins * Key => Games.forges (CipherMac.mac h mix block part cut E xs subkeys x.2) (A x.1))
  <= u * (v%:R * (e%:R / N%:R) * Pads.factor #|B| q.+1
       + Games.advantage E (fun ck : Coins * K => CipherMac.pads_game h mix block part cut (A ck.1) ck.2))
     + Games.advantage E (fun c => CipherMac.derive_game h mix block part cut E xs subkeys (A c)).
End Macs.

(* RFC 4418 for tags of T words: the blocks that give the subkeys, the block and the part of it that is the pad of a nonce, and
   the MAC, for any hash of T streams whose differences have 2^-30T. A block is four words, a word a row of bits; its number
   has the highest byte first. *)
Check erefl : Rfc4418.block = matrix 'F_2 4 32.
Check erefl : Rfc4418.block_of = fun x => \matrix_(r, j) (odd (x %/ 2 ^ (32 * (3 - r) + j)))%:R.
Check erefl : Rfc4418.parts = fun T => (4 %/ T)%N.
Check erefl : Rfc4418.nonce = fun l => 'I_(2 ^ (8 * l)).
Check erefl : Rfc4418.nonce_block = fun T l (n : 'I_(2 ^ (8 * l))) => Rfc4418.block_of ((n - n %% Rfc4418.parts T) * 2 ^ (8 * (16 - l))).
Check (fun T T1 T4 l n => erefl) : forall T (T1 : (0 < T)%N) (T4 : (T <= 4)%N) l (n : 'I_(2 ^ (8 * l))),
  nat_of_ord (Rfc4418.nonce_part T1 T4 n) = (n %% Rfc4418.parts T)%N.
Check erefl : Rfc4418.cut = fun T (b : matrix 'F_2 4 32) => [ffun i : 'I_(Rfc4418.parts T) => \matrix_(r, j) b (inord (T * i + r)) j : matrix 'F_2 T 32].
Check erefl : Rfc4418.counts = fun T c => [:: (0, c); (1, T + 63); (2, (3 * T).+1 %/ 2); (3, 4 * T); (4, 1)]%N.
Check erefl : Rfc4418.kdf_blocks = fun T c => [seq Rfc4418.block_of (i.1 * 2 ^ 64 + i.2.+1) |
  i <- flatten [seq [seq (p.1, i) | i <- iota 0 p.2] | p <- Rfc4418.counts T c]].
Section Rfc4418.
Variables (T l c : nat).
Hypothesis T1 : (0 < T)%N.
Hypothesis T4 : (T <= 4)%N.
Hypothesis l16 : (l <= 16)%N.
Hypothesis c2 : (c <= 2)%N.
Variables (K Key : finType) (Msg : eqType) (h : K -> Msg -> matrix 'F_2 T 32) (ok : pred Msg).
Variables (E : Key -> {perm Rfc4418.block}) (subkeys : seq Rfc4418.block -> Key * K).
Check erefl : Rfc4418.umac T1 T4 (l := l) c h E subkeys = CipherMac.mac h (fun x y => x + y) (Rfc4418.nonce_block T (l := l))
  (Rfc4418.nonce_part T1 T4 (l := l)) (@Rfc4418.cut T) E (Rfc4418.kdf_blocks T c) subkeys.
Check erefl : Rfc4418.umac_derive T1 T4 (l := l) c h E subkeys = CipherMac.derive_game h (fun x y => x + y)
  (Rfc4418.nonce_block T (l := l)) (Rfc4418.nonce_part T1 T4 (l := l)) (@Rfc4418.cut T) E (Rfc4418.kdf_blocks T c) subkeys.
Check erefl : Rfc4418.umac_pads T1 T4 (l := l) h = CipherMac.pads_game h (fun x y => x + y) (Rfc4418.nonce_block T (l := l))
  (Rfc4418.nonce_part T1 T4 (l := l)) (@Rfc4418.cut T).
Hypothesis axu : forall M M', M != M' -> ok M -> ok M' -> forall d, (#|[set k | (h k M - h k M')%R == d]| * 2 ^ (30 * T) <= #|K|)%N.
Hypothesis uniform : forall keys, (#|[set t : (size (Rfc4418.kdf_blocks T c)).-tuple Rfc4418.block | subkeys t == keys]| * (#|Key| * #|K|)
  <= #|{: Rfc4418.block}| ^ size (Rfc4418.kdf_blocks T c))%N.
Variables (q v : nat) (Coins : finType) (A : Coins -> Games.adversary ('I_(2 ^ (8 * l)) * Msg) (matrix 'F_2 T 32)).
Hypothesis kept : forall r, Forgeries.keeps (Pads.fair ok q v) (A r).
Hypothesis few : (q < 2 ^ 128)%N.
Check Rfc4418.rfc4418 T1 T4 l16 c2 axu E uniform kept few :
  Games.pr (fun x : Coins * Key => Games.forges (Rfc4418.umac T1 T4 (l := l) c h E subkeys x.2) (A x.1))
  <= (1 + (2 ^ 110)%:R^-1) * (v%:R * (1%:R / (2 ^ (30 * T))%:R) * Pads.factor (2 ^ 128) q.+1
       + Games.advantage E (fun rk : Coins * K => Rfc4418.umac_pads T1 T4 (l := l) h (A rk.1) rk.2))
     + Games.advantage E (fun r => Rfc4418.umac_derive T1 T4 (l := l) c h E subkeys (A r)).
End Rfc4418.

Local Open Scope nat_scope.
(* The subkeys that RFC 4418 cuts from those blocks: the first words are the cipher's key for the pads, of 4, 6 or 8 words; then come
   the keys of level 1, six words and sixteen for each stream, and a word to be xored. They are uniform if the blocks are. *)
Check erefl : Subkeys.word = fun ys i => \sum_(j < 32) (nth 0%R ys (i %/ 4) (inord (i %% 4)) j != 0%R) * 2 ^ j.
Check (fun n x => erefl) : forall n x, nat_of_ord (Balanced.below n x) = x %% 2 ^ n.
Check erefl : Subkeys.masked_of = fun w i => (Balanced.below 25 (w i), Balanced.below 25 (w i.+1)).
Check erefl : Subkeys.key2_of = fun w => (Subkeys.masked_of w 0, (Subkeys.masked_of w 2, Subkeys.masked_of w 4)).
Check erefl : Subkeys.key3_of = fun w => [ffun i : 'I_8 => Balanced.below 64 (w (2 * (7 - i)) * 2 ^ 32 + w (2 * (7 - i)).+1)].
Check erefl : Subkeys.word_bits = fun m w => (\matrix_(i < m, j < 32) (odd (w i %/ 2 ^ j))%:R)%R.
Check erefl : Subkeys.first1 = fun c => 4 * c.
Check erefl : Subkeys.first2 = fun T c => 4 * c + 4 * (T + 63).
Check erefl : Subkeys.first3 = fun T c => 4 * c + 4 * (T + 63) + 4 * ((3 * T).+1 %/ 2).
Check erefl : Subkeys.first4 = fun T c => 4 * c + 4 * (T + 63) + 4 * ((3 * T).+1 %/ 2) + 4 * (4 * T).
Check erefl : Subkeys.subkeys = fun T c words ys => (Subkeys.word_bits words (Subkeys.word ys),
  ([ffun p : 'I_(63 + T) * 'I_4 => (Subkeys.word ys (Subkeys.first1 c + (4 * p.1 + p.2)))%:R%R],
   [ffun i : 'I_T => (Subkeys.key2_of (fun k => Subkeys.word ys (Subkeys.first2 T c + 6 * i + k)),
                      Subkeys.key3_of (fun k => Subkeys.word ys (Subkeys.first3 T c + 16 * i + k)))],
   Subkeys.word_bits T (fun i => Subkeys.word ys (Subkeys.first4 T c + i)))).
Check Subkeys.uniform_subkeys : forall T c words, T <= 4 -> words <= 4 * c -> forall keys,
  #|[set t : (size (Rfc4418.kdf_blocks T c)).-tuple Rfc4418.block | Subkeys.subkeys T c words t == keys]|
    * (#|{: matrix 'F_2 words 32}| * #|{: UhashStreams.streams_key T}|) <= #|{: Rfc4418.block}| ^ size (Rfc4418.kdf_blocks T c).
Local Open Scope ring_scope.
(* UMAC-32 with these subkeys, for every block cipher and every adversary that asks for at most q tags under different nonces and makes at
   most v attempts, with messages of up to 2^64 bytes: v 2^-30, the factors of pads and subkeys, and the advantages
   of the two programs; nothing else. *)
Check erefl : UmacRfc.up_to_2_64 = fun M : seq 'I_256 => (size M <= 2 ^ 64)%N.
Check erefl : UmacKeys.cut_keys = fun T c words => Subkeys.subkeys T c words.
Check UmacKeys.umac32_own_keys : forall l c words, (l <= 16)%N -> (c <= 2)%N -> (words <= 4 * c)%N ->
  forall (E : [finType of matrix 'F_2 words 32] -> {perm Rfc4418.block}) (q v : nat) (Coins : finType)
    (A : Coins -> Games.adversary ('I_(2 ^ (8 * l)) * seq 'I_256) (matrix 'F_2 1 32)),
  (forall r, Forgeries.keeps (Pads.fair UmacRfc.up_to_2_64 q v) (A r)) -> (q < 2 ^ 128)%N ->
  Games.pr (fun x : Coins * [finType of matrix 'F_2 words 32] =>
      Games.forges (Rfc4418.umac (T := 1) isT isT (l := l) c (@UhashStreams.UHASH 1) E (UmacKeys.cut_keys 1 c words) x.2) (A x.1))
  <= (1 + (2 ^ 110)%:R^-1) * (v%:R * (1%:R / (2 ^ (30 * 1))%:R) * Pads.factor (2 ^ 128) q.+1
       + Games.advantage E (fun rk : Coins * [finType of UhashStreams.streams_key 1] => Rfc4418.umac_pads (T := 1) isT isT (l := l) (@UhashStreams.UHASH 1) (A rk.1) rk.2))
     + Games.advantage E (fun r => Rfc4418.umac_derive (T := 1) isT isT (l := l) c (@UhashStreams.UHASH 1) E (UmacKeys.cut_keys 1 c words) (A r)).
(* UMAC-64: v 2^-60. *)
Check UmacKeys.umac64_own_keys : forall l c words, (l <= 16)%N -> (c <= 2)%N -> (words <= 4 * c)%N ->
  forall (E : [finType of matrix 'F_2 words 32] -> {perm Rfc4418.block}) (q v : nat) (Coins : finType)
    (A : Coins -> Games.adversary ('I_(2 ^ (8 * l)) * seq 'I_256) (matrix 'F_2 2 32)),
  (forall r, Forgeries.keeps (Pads.fair UmacRfc.up_to_2_64 q v) (A r)) -> (q < 2 ^ 128)%N ->
  Games.pr (fun x : Coins * [finType of matrix 'F_2 words 32] =>
      Games.forges (Rfc4418.umac (T := 2) isT isT (l := l) c (@UhashStreams.UHASH 2) E (UmacKeys.cut_keys 2 c words) x.2) (A x.1))
  <= (1 + (2 ^ 110)%:R^-1) * (v%:R * (1%:R / (2 ^ (30 * 2))%:R) * Pads.factor (2 ^ 128) q.+1
       + Games.advantage E (fun rk : Coins * [finType of UhashStreams.streams_key 2] => Rfc4418.umac_pads (T := 2) isT isT (l := l) (@UhashStreams.UHASH 2) (A rk.1) rk.2))
     + Games.advantage E (fun r => Rfc4418.umac_derive (T := 2) isT isT (l := l) c (@UhashStreams.UHASH 2) E (UmacKeys.cut_keys 2 c words) (A r)).
(* UMAC-96: v 2^-90. *)
Check UmacKeys.umac96_own_keys : forall l c words, (l <= 16)%N -> (c <= 2)%N -> (words <= 4 * c)%N ->
  forall (E : [finType of matrix 'F_2 words 32] -> {perm Rfc4418.block}) (q v : nat) (Coins : finType)
    (A : Coins -> Games.adversary ('I_(2 ^ (8 * l)) * seq 'I_256) (matrix 'F_2 3 32)),
  (forall r, Forgeries.keeps (Pads.fair UmacRfc.up_to_2_64 q v) (A r)) -> (q < 2 ^ 128)%N ->
  Games.pr (fun x : Coins * [finType of matrix 'F_2 words 32] =>
      Games.forges (Rfc4418.umac (T := 3) isT isT (l := l) c (@UhashStreams.UHASH 3) E (UmacKeys.cut_keys 3 c words) x.2) (A x.1))
  <= (1 + (2 ^ 110)%:R^-1) * (v%:R * (1%:R / (2 ^ (30 * 3))%:R) * Pads.factor (2 ^ 128) q.+1
       + Games.advantage E (fun rk : Coins * [finType of UhashStreams.streams_key 3] => Rfc4418.umac_pads (T := 3) isT isT (l := l) (@UhashStreams.UHASH 3) (A rk.1) rk.2))
     + Games.advantage E (fun r => Rfc4418.umac_derive (T := 3) isT isT (l := l) c (@UhashStreams.UHASH 3) E (UmacKeys.cut_keys 3 c words) (A r)).
(* UMAC-128: v 2^-120. *)
Check UmacKeys.umac128_own_keys : forall l c words, (l <= 16)%N -> (c <= 2)%N -> (words <= 4 * c)%N ->
  forall (E : [finType of matrix 'F_2 words 32] -> {perm Rfc4418.block}) (q v : nat) (Coins : finType)
    (A : Coins -> Games.adversary ('I_(2 ^ (8 * l)) * seq 'I_256) (matrix 'F_2 4 32)),
  (forall r, Forgeries.keeps (Pads.fair UmacRfc.up_to_2_64 q v) (A r)) -> (q < 2 ^ 128)%N ->
  Games.pr (fun x : Coins * [finType of matrix 'F_2 words 32] =>
      Games.forges (Rfc4418.umac (T := 4) isT isT (l := l) c (@UhashStreams.UHASH 4) E (UmacKeys.cut_keys 4 c words) x.2) (A x.1))
  <= (1 + (2 ^ 110)%:R^-1) * (v%:R * (1%:R / (2 ^ (30 * 4))%:R) * Pads.factor (2 ^ 128) q.+1
       + Games.advantage E (fun rk : Coins * [finType of UhashStreams.streams_key 4] => Rfc4418.umac_pads (T := 4) isT isT (l := l) (@UhashStreams.UHASH 4) (A rk.1) rk.2))
     + Games.advantage E (fun r => Rfc4418.umac_derive (T := 4) isT isT (l := l) c (@UhashStreams.UHASH 4) E (UmacKeys.cut_keys 4 c words) (A r)).

(* Carter with all keys from a block cipher: Theorem 4. A tag is cut from hash and pad, or whole. *)
Section Theorem4.
Variables (F : finFieldType) (byte : eqType) (zero : byte) (c : F) (elt : seq byte -> F) (number : nat -> F) (limit : nat).
Variables (G : finZmodType) (cut : F -> G) (Key : finType) (E : Key -> {perm F}) (xs : seq F) (subkeys : seq F -> Key * Carter.key F).
Check Theorem4.carter_mac_is zero c elt number cut E xs subkeys : forall key NM,
  Theorem4.carter_mac zero c elt number cut E xs subkeys key NM = (let keys := subkeys (map (E key) xs) in
    cut (Theorem3.hash zero c elt number keys.2 NM.2) + cut (E keys.1 NM.1)).
Check erefl : Theorem4.cut_hash zero c elt number cut = fun k M => cut (Theorem3.hash zero c elt number k M).
Check erefl : Theorem4.carter_pads zero c elt number cut = CipherMac.pads_game (Theorem4.cut_hash zero c elt number cut)
  (fun x y => x + y) id (fun=> tt) (fun y => [ffun=> cut y]).
Check erefl : Theorem4.carter_derive zero c elt number cut E xs subkeys = CipherMac.derive_game (Theorem4.cut_hash zero c elt number cut)
  (fun x y => x + y) id (fun=> tt) (fun y => [ffun=> cut y]) E xs subkeys.
Hypothesis c0 : c != 0.
Hypothesis elt_inj : forall s s', size s = 16%N -> size s' = 16%N -> elt s = elt s' -> s = s'.
Hypothesis number_inj : forall a b, (a < limit)%N -> (b < limit)%N -> number a = number b -> a = b.
Hypothesis cutD : forall x y, cut (x - y) = cut x - cut y.
Hypothesis even : forall g, (#|[set x | cut x == g]| * #|G| <= #|F|)%N.
Hypothesis different : uniq xs.
Hypothesis uniform : forall keys, (#|[set t : (size xs).-tuple F | subkeys t == keys]| * (#|Key| * #|{: Carter.key F}|) <= #|F| ^ size xs)%N.
Variables (n q v : nat) (Coins : finType) (A : Coins -> Games.adversary (F * seq byte) G).
Hypothesis kept : forall r, Forgeries.keeps (Pads.fair (Theorem3.ok limit n) q v) (A r).
Hypothesis n0 : (0 < n)%N.
Hypothesis few : (q < #|F|)%N.
Variable u : rat.
Hypothesis subkeys_factor : Pads.factor #|F| (size xs) <= u.
Check Theorem4.theorem4 zero c0 elt_inj number_inj cutD even E different uniform kept n0 few subkeys_factor :
  Games.pr (fun x : Coins * Key => Games.forges (Theorem4.carter_mac zero c elt number cut E xs subkeys x.2) (A x.1))
  <= u * (v%:R * (n%:R / #|G|%:R) * Pads.factor #|F| q.+1
       + Games.advantage E (fun rk : Coins * Carter.key F => Theorem4.carter_pads zero c elt number cut (A rk.1) rk.2))
     + Games.advantage E (fun r => Theorem4.carter_derive zero c elt number cut E xs subkeys (A r)).
End Theorem4.
Local Open Scope nat_scope.

(* The hypotheses can be met: what exists, and the theorems applied to it. *)
Check Instance.elements_of_strings : forall (byte : finType) (F : finFieldType) s, #|byte| ^ s <= #|F| ->
  exists elt : seq byte -> F, forall x y, size x = s -> size y = s -> elt x = elt y -> x = y.
Check Instance.elements_of_numbers : forall (F : finFieldType) limit, limit <= #|F| ->
  exists number : nat -> F, forall a b, a < limit -> b < limit -> number a = number b -> a = b.
Check Instance.field_of_two_to : forall m, 0 < m -> exists F : finFieldType, 2 \in [char F]%R /\ #|F| = 2 ^ m.
Check Instance.coefficients : forall (F : finFieldType) limit, limit + 2 <= #|F| ->
  exists (gamma : nat -> F) half, [/\ half != 0%R, forall i, i < limit -> gamma i != 0%R, forall i, i < limit -> gamma i != half
    & forall i j, i < limit -> j < limit -> gamma i = gamma j -> i = j].
Check Instance.umac_applies : forall (Nonce G : finType) (N0 : Nonce) (g0 : G) q n t, q <= #|Nonce| -> 0 < n ->
  exists (query : seq G -> Nonce * seq 'I_256) (tries : seq G -> seq ((Nonce * seq 'I_256) * {set G})),
  (forall T, size T = q -> size (tries T) = 1) /\
  #|HashThenPrf.forged (Umac.hash (@Toeplitz.unsigned (2 ^ 32)) (ord0 : 'I_256) 4 (UhashRfc.word (2 ^ 32)) (n := n) (t := t) 1) q query tries|
     * (#|G| * #|{: 'Z_(2 ^ 32)}| ^ t)
  <= (1 ^ t * #|G| + #|{: 'Z_(2 ^ 32)}| ^ t) * (#|{: {ffun 'I_(n + t) * bool -> 'Z_(2 ^ 32)}}|
     * #|{: {ffun Umac.hash_value [finZmodType of 'Z_(2 ^ 32 * 2 ^ 32)] 4 n t 1 * Nonce -> G}}|).
Check Instance.hash127_applies : forall (F : finFieldType) (ts ts' : seq F) d n, ts != ts' -> size ts <= n -> size ts' <= n ->
  #|[set k | (Poly.steps k ts * k - Poly.steps k ts' * k)%R == d]| <= n.+1.
Check Instance.carter_applies : exists (F : finFieldType) (elt : seq 'I_256 -> F) (number : nat -> F), #|F| = 2 ^ 128 /\
  forall c : F, c != 0%R ->
  (forall M M' d n, M != M' -> size M < 2 ^ 64 -> size M' < 2 ^ 64 -> Carter.blocks_of (size M) <= n -> Carter.blocks_of (size M') <= n ->
     #|Carter.bad (ord0 : 'I_256) c elt number M M' d| * #|F| <= n * #|{: Carter.key F}|) /\
  (forall q, q < #|F| -> exists query tries, (forall T, size T = q -> size (tries T) = 1) /\
     (#|Theorem3.won (ord0 : 'I_256) c elt number q query tries| * #|F|) ^ 2 * (#|F| - q) ^ q.+1 <= Theorem3.all F ^ 2 * #|F| ^ q.+1).
Check Instance.pmac_applies : exists (F : finFieldType) (gamma : nat -> F) half, #|F| = 2 ^ 128 /\
  (forall Ms, seq.all (Pmac.valid (2 ^ 64)) Ms -> uniq Ms ->
     #|[set f | ~~ Pmac.good gamma half Ms f]| * #|F| <= Pmac.cost Ms ^ 2 * #|{: {ffun F -> F}}|) /\
  (forall q, q < #|F| -> exists A : Games.adversary (Pmac.message F) F,
     Forgeries.keeps (PmacForgery.fair (2 ^ 64) q.+1 1) A /\ forall (Key : finType) (E : Key -> {perm F}),
     (Games.pr (fun x : unit * Key => Games.forges (PmacForgery.mac gamma half id (E x.2)) A)
      <= PmacForgery.bound F F q.+1 1 + Games.advantage E (fun u : unit => PmacForgery.pmac_game gamma half id A))%R).
Check Instance.uniform_subkeys : forall (B K : finType) s (k0 : K), #|K| = #|B| ^ s -> exists subkeys : seq B -> K,
  forall k, #|[set t : s.-tuple B | subkeys t == k]| * #|K| <= #|B| ^ s.
Check Instance.theorem4_applies : exists (F : finFieldType) (elt : seq 'I_256 -> F) (number : nat -> F) (subkeys : seq F -> F * Carter.key F),
  #|F| = 2 ^ 128 /\ forall (c : F) q (E : F -> {perm F}) (xs : seq F), c != 0%R -> q < #|F| -> uniq xs -> size xs = 131 ->
  exists A : Games.adversary (F * seq 'I_256) F, Forgeries.keeps (Pads.fair (Theorem3.ok (2 ^ 64) 1) q 1) A /\
    (Games.pr (fun x : unit * F => Games.forges (Theorem4.carter_mac (ord0 : 'I_256) c elt number id E xs subkeys x.2) A)
    <= Pads.factor #|F| 131 * (#|F|%:R^-1 * Pads.factor #|F| q.+1
         + Games.advantage E (fun rk : unit * Carter.key F => Theorem4.carter_pads (ord0 : 'I_256) c elt number id A rk.2))
       + Games.advantage E (fun u : unit => Theorem4.carter_derive (ord0 : 'I_256) c elt number id E xs subkeys A))%R.

(* Definitions that run. Their texts, Aes.v, RunUmac.v and RunField.v, are short and to be read.
   One stream of the UMAC that runs is the hash of rfc4418_collision, for all words of keys and all messages. *)
Check erefl : TieUmac.binary = map (fun b : 'I_256 => bin_of_nat b).
Check erefl : TieUmac.joined = fun rs M => flatten (map (fun r => flatten (nseq r.1 r.2)) rs) ++ M.
Check erefl : TieUmac.in_runs = fun rs M => (map (fun r => (r.1, TieUmac.binary r.2)) rs, TieUmac.binary M).
Check (fun ks i => erefl) : forall ks i, TieUmac.word_at ks i = nat_of_bin (nth BinNums.N0 ks i).
Check erefl : TieUmac.key1_of = fun ks => [ffun pb : 'I_128 * bool => ((TieUmac.word_at ks (8 * (pb.1 %/ 4) + pb.1 %% 4 + 4 * pb.2))%:R : 'Z_(2 ^ 32))%R].
Check (fun n a => erefl) : forall n a, nat_of_ord (TieUmac.below n a) = a %% 2 ^ n.
Check erefl : TieUmac.masked_of = fun ks i => (TieUmac.below 25 (TieUmac.word_at ks i), TieUmac.below 25 (TieUmac.word_at ks i.+1)).
Check erefl : TieUmac.key_of = fun ks1 ks2 ks3 => (TieUmac.key1_of ks1,
  (TieUmac.masked_of ks2 0, (TieUmac.masked_of ks2 2, TieUmac.masked_of ks2 4)),
  [ffun i : 'I_8 => TieUmac.below 64 (TieUmac.word_at ks3 (2 * (7 - i)) * 2 ^ 32 + TieUmac.word_at ks3 (2 * (7 - i)).+1)]).
Check TieUmac.stream_runs : prime Constants.p36 -> prime Constants.p64 -> prime Constants.p128 ->
  forall (rs : seq (nat * seq 'I_256)) (M : seq 'I_256),
  seq.all (fun r => size r.2 == Constants.chunk_bytes) rs -> (rs == [::]) || (M != [::]) -> forall ks1 ks2 ks3,
  nat_of_bin (RunUmac.stream ks1 ks2 ks3 (TieUmac.in_runs rs M))
  = @UhashBound.uhash (2 ^ 32) Constants.poly64_words Constants.p64 Constants.limit64
    Constants.offset64 Constants.p128 Constants.limit128 Constants.offset128 Constants.end_mark Constants.p36 (2 ^ 32) (2 ^ 16)
    [eqType of 'I_256] UhashRfc.zero (UhashRfc.word (2 ^ 32)) UhashRfc.masked64 UhashRfc.masked128 UhashRfc.word64
    UhashRfc.point64 UhashRfc.point128 UhashRfc.reduced (TieUmac.key_of ks1 ks2 ks3) (TieUmac.joined rs M).
(* The whole UMAC that runs, from key and nonce to tag, is the MAC of umac32_own_keys to umac128_own_keys: for every cipher on numbers
   that is a permutation of blocks, all keys of up to 8 words, all nonces and all messages. *)
Check erefl : TieMac.computes = fun f e => forall x : BinNums.N, nat_of_bin x < 2 ^ 128 ->
  Rfc4418.block_of (nat_of_bin (f x)) = e (Rfc4418.block_of (nat_of_bin x)).
Check erefl : TieMac.row_number = fun m (k : matrix 'F_2 m 32) i => \sum_(j < 32) (k i j != 0%R) * 2 ^ j.
Check erefl : TieMac.key_bytes = fun m (k : matrix 'F_2 m 32) =>
  flatten (map (Aes.bytes_of 4) [seq bin_of_nat (TieMac.row_number k i) | i <- enum 'I_m]).
Check erefl : TieMac.tag_of = fun T x => (\matrix_(r < T, j < 32) (odd (x %/ 2 ^ (32 * (T.-1 - r) + j)))%:R)%R.
Check TieMac.umac_runs : forall T l c words (T1 : 0 < T) (T4 : T <= 4), l <= 16 -> c <= 2 -> words <= 4 * c ->
  forall (cipher : seq BinNums.N -> BinNums.N -> BinNums.N) (E : matrix 'F_2 words 32 -> {perm Rfc4418.block}),
  (forall k, TieMac.computes (cipher (TieMac.key_bytes k)) (E k)) -> forall k (rs : seq (nat * seq 'I_256)) (M : seq 'I_256),
  seq.all (fun r => size r.2 == Constants.chunk_bytes) rs -> (rs == [::]) || (M != [::]) -> forall n : 'I_(2 ^ (8 * l)),
  TieMac.tag_of T (nat_of_bin (RunUmac.umac cipher (TieMac.key_bytes k) T (bin_of_nat l) (bin_of_nat n) (TieUmac.in_runs rs M)))
  = Rfc4418.umac T1 T4 (l := l) c (@UhashStreams.UHASH T) E (Subkeys.subkeys T c words) k (n, TieUmac.joined rs M).
(* PMAC and Carter compute in fields of 2^128 elements: a number is a polynomial, whose value at a root x of the modulus is an element.
   Both fields exist. In them xor is the sum, `times` the product, and different numbers below 2^128 are different elements. *)
Check (fun R x => erefl) : forall (R : ringType) (x : R), BinaryField.value x BinNums.N0 = 0%R.
Check (fun R x p => erefl) : forall (R : ringType) (x : R) p, BinaryField.value x (BinNums.Npos p) = BinaryField.value_pos x p.
Check (fun R x => erefl) : forall (R : ringType) (x : R), BinaryField.value_pos x BinNums.xH = 1%R.
Check (fun R x p => erefl) : forall (R : ringType) (x : R) p, BinaryField.value_pos x (BinNums.xO p) = (BinaryField.value_pos x p * x)%R.
Check (fun R x p => erefl) : forall (R : ringType) (x : R) p, BinaryField.value_pos x (BinNums.xI p) = (BinaryField.value_pos x p * x + 1)%R.
Check erefl : TieField.field_of = fun m (F : finFieldType) (x : F) => [/\ 2 \in [char F]%R, #|F| = 2 ^ 128 & BinaryField.value x m = 0%R].
Check TieField.fields : forall m, m \in [:: RunField.pmac_modulus; RunField.carter_modulus] -> exists (F : finFieldType) (x : F), TieField.field_of m x.
Check TieField.field_numbers : forall m, m \in [:: RunField.pmac_modulus; RunField.carter_modulus] ->
  forall (F : finFieldType) (x : F), TieField.field_of m x ->
  [/\ forall a b, (BinaryField.value x (BinNat.N.lxor a b) = BinaryField.value x a + BinaryField.value x b)%R,
      forall a b, (BinaryField.value x (RunField.times m a b) = BinaryField.value x a * BinaryField.value x b)%R
    & forall a b, nat_of_bin a < 2 ^ 128 -> nat_of_bin b < 2 ^ 128 -> BinaryField.value x a = BinaryField.value x b -> a = b].
(* The PMAC that runs is the PMAC of the theorems, for every cipher and every message of bytes. Different messages of bytes are different
   messages there. Gray codes and x^-1 are what the theorems require, up to 2^127 - 1 inner blocks. *)
Check erefl : TieField.computes = fun (F : finFieldType) (x : F) f P => forall a, nat_of_bin a < 2 ^ 128 ->
  nat_of_bin (f a) < 2 ^ 128 /\ BinaryField.value x (f a) = P (BinaryField.value x a).
Check erefl : TieField.coefficient = fun (F : finFieldType) (x : F) i => BinaryField.value x (RunField.gray i).
Check erefl : TieField.half_value = fun (F : finFieldType) (x : F) => BinaryField.value x RunField.half.
Check erefl : TieField.message_of = fun (F : finFieldType) (x : F) M => let m := RunField.cut (TieUmac.binary M) in
  (map (BinaryField.value x) m.1.1, BinaryField.value x m.1.2, m.2).
Section TieField.
Variables (F : finFieldType) (x : F).
Hypothesis field_x : TieField.field_of RunField.pmac_modulus x.
Check TieField.pmac_runs field_x : forall f P M, TieField.computes x f P -> BinaryField.value x (RunField.pmac f (TieUmac.binary M))
  = PmacForgery.mac (TieField.coefficient x) (TieField.half_value x) id P (TieField.message_of x M).
Check TieField.message_inj field_x : forall M M', TieField.message_of x M = TieField.message_of x M' -> M = M'.
Check TieField.message_valid field_x : forall limit M, (size M).-1 %/ 16 <= limit -> Pmac.valid limit (TieField.message_of x M).
Check TieField.pmac_conditions field_x : let limit := 2 ^ 127 - 1 in
  [/\ forall i j, i < limit -> j < limit -> TieField.coefficient x i = TieField.coefficient x j -> i = j,
      forall i, i < limit -> TieField.coefficient x i != 0%R, forall i, i < limit -> TieField.coefficient x i != TieField.half_value x
    & TieField.half_value x != 0%R].
End TieField.
(* AES is a permutation of the numbers below 2^128 under every key, so a cipher of the theorems about UMAC, PMAC and Carter. *)
Check erefl : TieField.bytes_only = fun s => forall b, b \in s -> nat_of_bin b < 2 ^ 8.
Check erefl : AesPermutes.permutes = fun f => (forall x, nat_of_bin x < 2 ^ 128 -> nat_of_bin (f x) < 2 ^ 128)
  /\ (forall x y, nat_of_bin x < 2 ^ 128 -> nat_of_bin y < 2 ^ 128 -> f x = f y -> x = y).
Check AesPermutes.aes_permutes : forall key, TieField.bytes_only key -> AesPermutes.permutes (Aes.aes key).
Check AesPermutes.aes_umac : forall words, exists E : matrix 'F_2 words 32 -> {perm Rfc4418.block},
  forall k, TieMac.computes (Aes.aes (TieMac.key_bytes k)) (E k).
Check AesPermutes.aes_pmac : forall (F : finFieldType) (x : F), TieField.field_of RunField.pmac_modulus x ->
  forall n, exists E : n.-tuple 'I_256 -> {perm F}, forall k : n.-tuple 'I_256, TieField.computes x (Aes.aes (TieUmac.binary k)) (E k).
Check AesPermutes.aes_carter : forall (F : finFieldType) (x : F), TieField.field_of RunField.carter_modulus x ->
  forall b, exists E : {ffun 'I_b -> F} -> {perm F}, forall k a, nat_of_bin a < 2 ^ 128 ->
  CarterKeys.block_element x (Aes.aes (TieCarter.secret_bytes x k) a) = E k (CarterKeys.block_element x a).
(* UMAC with AES, from keys and messages of bytes to forgeries, tags of all four lengths: nothing is left but AES's advantage in the two
   programs. *)
Check (fun T l words k NM => erefl) : forall T l words (k : matrix 'F_2 words 32) (NM : 'I_(2 ^ (8 * l)) * seq 'I_256), AesMacs.umac_tag T k NM
  = TieMac.tag_of T (nat_of_bin (RunUmac.umac Aes.aes (TieMac.key_bytes k) T (bin_of_nat l) (bin_of_nat NM.1) (TieUmac.in_runs [::] NM.2))).
Check AesMacs.umac_aes : forall T l c words (T1 : 0 < T) (T4 : T <= 4), l <= 16 -> c <= 2 -> words <= 4 * c ->
  exists E : matrix 'F_2 words 32 -> {perm Rfc4418.block}, (forall k, TieMac.computes (Aes.aes (TieMac.key_bytes k)) (E k)) /\
  forall (q v : nat) (Coins : finType) (A : Coins -> Games.adversary ('I_(2 ^ (8 * l)) * seq 'I_256) (matrix 'F_2 T 32)),
  (forall r, Forgeries.keeps (Pads.fair UmacRfc.up_to_2_64 q v) (A r)) -> q < 2 ^ 128 ->
  (Games.pr (fun x : Coins * matrix 'F_2 words 32 => Games.forges (AesMacs.umac_tag T x.2) (A x.1))
   <= (1 + (2 ^ 110)%:R^-1) * (v%:R * (1%:R / (2 ^ (30 * T))%:R) * Pads.factor (2 ^ 128) q.+1
        + Games.advantage E (fun rk : Coins * [finType of UhashStreams.streams_key T] => Rfc4418.umac_pads T1 T4 (l := l) (@UhashStreams.UHASH T) (A rk.1) rk.2))
      + Games.advantage E (fun r => Rfc4418.umac_derive T1 T4 (l := l) c (@UhashStreams.UHASH T) E (Subkeys.subkeys T c words) (A r)))%R.
(* PMAC over strings of bytes, for every block cipher and every adversary: v attempts, and sigma blocks of 16 bytes in all messages that
   are asked for and tried, each message at least one. A tag is the first t bytes of 16. The adversary's messages are cut and padded
   (`message_of`); the game is a program of sigma + 1 calls. *)
Section PmacBytes.
Check (fun Msg Msg' G name => erefl) : forall (Msg Msg' G : eqType) (name : Msg -> Msg'),
  PmacBytes.renamed name (@Games.Stop Msg G) = Games.Stop.
Check (fun Msg Msg' G name m next => erefl) : forall (Msg Msg' G : eqType) (name : Msg -> Msg') m (next : G -> Games.adversary Msg G),
  PmacBytes.renamed name (Games.Ask m next) = Games.Ask (name m) (fun g => PmacBytes.renamed name (next g)).
Check (fun Msg Msg' G name m t next => erefl) : forall (Msg Msg' G : eqType) (name : Msg -> Msg') m (t : G) next,
  PmacBytes.renamed name (Games.Try m t next) = Games.Try (name m) t (fun b => PmacBytes.renamed name (next b)).
Variables (F : finFieldType) (x : F) (t sigma v : nat).
Hypothesis field_x : TieField.field_of RunField.pmac_modulus x.
Hypothesis t16 : t <= 16.
Check PmacBytes.number_small x : forall y, nat_of_bin (PmacBytes.number_of x y) < 2 ^ 128.
Check PmacBytes.numberK field_x : forall y, BinaryField.value x (PmacBytes.number_of x y) = y.
Check (fun a => erefl) : forall a, nat_of_ord (PmacBytes.first_bytes t a) = (a %/ 2 ^ (128 - 8 * t)) %% 2 ^ (8 * t).
Check erefl : PmacBytes.cut_tag x t = fun y => PmacBytes.first_bytes t (nat_of_bin (PmacBytes.number_of x y)).
Check erefl : PmacBytes.bytes_mac x t = fun P M =>
  PmacForgery.mac (TieField.coefficient x) (TieField.half_value x) (PmacBytes.cut_tag x t) P (TieField.message_of x M).
Check erefl : @PmacBytes.bytes_game F x t = fun A => PmacForgery.pmac_game (TieField.coefficient x) (TieField.half_value x)
  (PmacBytes.cut_tag x t) (PmacBytes.renamed (TieField.message_of x) A).
Check erefl : PmacBytes.bytes_cost = fun Ms => \sum_(M <- Ms) ((size M).-1 %/ 16).+1.
Check erefl : PmacBytes.bytes_fair sigma v = fun asked tried =>
  PmacBytes.bytes_cost asked + PmacBytes.bytes_cost tried <= sigma /\ size tried <= v.
Hypothesis few : sigma < 2 ^ 127.
Check PmacBytes.within_bytes field_x (t := t) (v := v) few : forall A : Games.adversary (seq 'I_256) [eqType of 'I_(2 ^ (8 * t))],
  Forgeries.keeps (PmacBytes.bytes_fair sigma v) A -> Games.within sigma.+1 (PmacBytes.bytes_game x A).
Check PmacBytes.pmac_bytes field_x t16 few : forall (Key Coins : finType) (E : Key -> {perm F})
    (A : Coins -> Games.adversary (seq 'I_256) [eqType of 'I_(2 ^ (8 * t))]),
  (forall c, Forgeries.keeps (PmacBytes.bytes_fair sigma v) (A c)) ->
  (Games.pr (fun r : Coins * Key => Games.forges (PmacBytes.bytes_mac x t (E r.2)) (A r.1))
   <= v%:R / (2 ^ (8 * t))%:R + (sigma ^ 2)%:R / (2 ^ 128)%:R + (sigma.+1 * sigma)%:R / (2 * 2 ^ 128)%:R
      + Games.advantage E (fun c => PmacBytes.bytes_game x (A c)))%R.
(* The PMAC that runs is this MAC. With AES under a key of n bytes, nothing is left but its advantage. *)
Check PmacBytes.bytes_mac_runs field_x t : forall f P M, TieField.computes x f P ->
  PmacBytes.first_bytes t (nat_of_bin (RunField.pmac f (TieUmac.binary M))) = PmacBytes.bytes_mac x t P M.
Check PmacBytes.pmac_aes field_x t16 v few : forall n, exists E : n.-tuple 'I_256 -> {perm F},
  (forall k : n.-tuple 'I_256, TieField.computes x (Aes.aes (TieUmac.binary k)) (E k)) /\
  forall (Coins : finType) (A : Coins -> Games.adversary (seq 'I_256) [eqType of 'I_(2 ^ (8 * t))]),
  (forall c, Forgeries.keeps (PmacBytes.bytes_fair sigma v) (A c)) ->
  (Games.pr (fun r : Coins * n.-tuple 'I_256 => Games.forges (fun M =>
      PmacBytes.first_bytes t (nat_of_bin (RunField.pmac (Aes.aes (TieUmac.binary r.2)) (TieUmac.binary M)))) (A r.1))
   <= v%:R / (2 ^ (8 * t))%:R + (sigma ^ 2)%:R / (2 ^ 128)%:R + (sigma.+1 * sigma)%:R / (2 * 2 ^ 128)%:R
      + Games.advantage E (fun c => PmacBytes.bytes_game x (A c)))%R.
End PmacBytes.
(* Carter with its own keys. A string of 16 bytes is an element, the lowest byte first. The cipher encrypts blocks of the tag's length
   in bits, the number of a stream, ten zero bytes and a count. A secret has b blocks. *)
Check erefl : CarterKeys.element_of = fun (F : finFieldType) (x : F) s => BinaryField.value x (RunField.little s).
Check erefl : CarterKeys.block_element = fun (F : finFieldType) (x : F) a => CarterKeys.element_of x (Aes.bytes_of 16 a).
Check erefl : CarterKeys.string_of = fun (F : finFieldType) (x : F) y => rev (Aes.bytes_of 16 (CarterKeys.number_of x y)).
Check (fun F x => erefl) : forall (F : finFieldType) (x : F), CarterKeys.dot_factor x = BinaryField.value x RunField.dot_constant.
Check erefl : CarterKeys.element = fun (F : finFieldType) (x : F) s => CarterKeys.element_of x (TieUmac.binary s).
Check erefl : CarterKeys.length = fun (F : finFieldType) (x : F) a => BinaryField.value x (bin_of_nat a).
Check erefl : CarterKeys.cut_tag = fun (F : finFieldType) (x : F) t y =>
  (\row_(j < 8 * t) (odd (nat_of_bin (CarterKeys.number_of x y) %/ 2 ^ j))%:R)%R.
Check erefl : CarterKeys.counts = fun b => [:: (0, b); (1, 128); (2, 2)].
Check (fun F x t b => erefl) : forall (F : finFieldType) (x : F) t b, CarterKeys.key_blocks x t b
  = [seq CarterKeys.block_element x (CarterKeys.input t i) | i <- flatten [seq [seq (p.1, i) | i <- iota 0 p.2] | p <- CarterKeys.counts b]].
Check CarterKeys.input_is : forall t i, nat_of_bin (CarterKeys.input t i) = 8 * t * 2 ^ 120 + i.1 * 2 ^ 112 + i.2.
Check erefl : CarterKeys.first_of = fun p => 8 * (p %/ 4) + p %% 4.
Check erefl : CarterKeys.halves = fun (F : finFieldType) (x : F) h y z => CarterKeys.element_of x
  (take 8 (drop (8 * h) (CarterKeys.string_of x y)) ++ take 8 (drop (8 * h) (CarterKeys.string_of x z))).
Check erefl : CarterKeys.subkeys = fun (F : finFieldType) (x : F) b ys => ([ffun i : 'I_b => nth 0%R ys i],
  ([ffun ph : 'I_64 * bool => CarterKeys.halves x ph.2 (nth 0%R ys (b + CarterKeys.first_of ph.1)) (nth 0%R ys (b + CarterKeys.first_of ph.1 + 4))],
   nth 0%R ys (b + 129), nth 0%R ys (b + 128))).
Section CarterKeys.
Variables (F : finFieldType) (x : F) (t b : nat).
Hypothesis field_x : TieField.field_of RunField.carter_modulus x.
Hypothesis t16 : t <= 16.
Hypothesis b2 : b <= 2.
(* `number_of` is the number of an element. *)
Check CarterKeys.number_small x : forall y, nat_of_bin (CarterKeys.number_of x y) < 2 ^ 128.
Check CarterKeys.numberK field_x : forall y, BinaryField.value x (CarterKeys.number_of x y) = y.
(* The keys are uniform if the blocks are. *)
Check CarterKeys.uniform_subkeys field_x t (b := b) : forall keys,
  #|[set s : (size (CarterKeys.key_blocks x t b)).-tuple F | CarterKeys.subkeys x b s == keys]|
    * (#|{: {ffun 'I_b -> F}}| * #|{: Carter.key F}|) <= #|F| ^ size (CarterKeys.key_blocks x t b).
(* Carter with these keys, for every block cipher and every adversary: w n 2^-8t for w attempts with messages of at most n blocks, the
   factors of pads and subkeys, and the advantages of the two programs; nothing else. *)
Variable E : [finType of {ffun 'I_b -> F}] -> {perm F}.
Check erefl : @CarterKeys.own_mac F x t b E = Theorem4.carter_mac UhashRfc.zero (CarterKeys.dot_factor x) (CarterKeys.element x) (CarterKeys.length x)
  (@CarterKeys.cut_tag F x t) E (CarterKeys.key_blocks x t b) (CarterKeys.subkeys x b).
Check erefl : @CarterKeys.own_derive F x t b E = Theorem4.carter_derive UhashRfc.zero (CarterKeys.dot_factor x) (CarterKeys.element x)
  (CarterKeys.length x) (@CarterKeys.cut_tag F x t) E (CarterKeys.key_blocks x t b) (CarterKeys.subkeys x b).
Check erefl : @CarterKeys.own_pads F x t = Theorem4.carter_pads UhashRfc.zero (CarterKeys.dot_factor x) (CarterKeys.element x) (CarterKeys.length x)
  (@CarterKeys.cut_tag F x t).
Section Adversary.
Local Open Scope ring_scope.
Variables (n q w : nat) (Coins : finType) (A : Coins -> Games.adversary (F * seq 'I_256) (matrix 'F_2 1 (8 * t))).
Hypothesis kept : forall r, Forgeries.keeps (Pads.fair (Theorem3.ok (2 ^ 64) n) q w) (A r).
Hypothesis n0 : (0 < n)%N.
Hypothesis few : (q < 2 ^ 128)%N.
Check CarterKeys.carter_own_keys field_x t16 b2 E kept n0 few :
  Games.pr (fun r : Coins * [finType of {ffun 'I_b -> F}] => Games.forges (@CarterKeys.own_mac F x t b E r.2) (A r.1))
  <= (1 + (2 ^ 110)%:R^-1) * (w%:R * (n%:R / (2 ^ (8 * t))%:R) * Pads.factor (2 ^ 128) q.+1
       + Games.advantage E (fun rk : Coins * Carter.key F => @CarterKeys.own_pads F x t (A rk.1) rk.2))
     + Games.advantage E (fun r => @CarterKeys.own_derive F x t b E (A r)).
End Adversary.
(* The Carter that runs is this MAC, for every cipher, secret, nonce of up to 16 bytes and message. *)
Check erefl : @TieCarter.secret_bytes F x b = fun k => flatten [seq CarterKeys.string_of x (k i) | i <- enum 'I_b].
Check (fun l n => erefl) : forall l (n : 'I_(2 ^ (8 * l))), TieCarter.nonce_element x n
  = CarterKeys.block_element x (BinNat.N.shiftl (bin_of_nat n) (BinNat.N.mul (bin_of_nat 8) (BinNat.N.sub (bin_of_nat 16) (bin_of_nat l)))).
Check erefl : TieCarter.tag_row t = fun T => (\row_(j < 8 * t) (odd (T %/ 2 ^ (8 * (t.-1 - j %/ 8) + j %% 8)))%:R)%R.
Variable cipher : seq BinNums.N -> BinNums.N -> BinNums.N.
Hypothesis computed : forall k a, nat_of_bin a < 2 ^ 128 ->
  CarterKeys.block_element x (cipher (TieCarter.secret_bytes x k) a) = E k (CarterKeys.block_element x a).
Check TieCarter.carter_runs field_x t16 b2 computed : forall k l (n : 'I_(2 ^ (8 * l))), l <= 16 -> forall M,
  TieCarter.tag_row t (nat_of_bin (RunField.carter cipher (TieCarter.secret_bytes x k) t (bin_of_nat l) (bin_of_nat n) (TieUmac.binary M)))
  = @CarterKeys.own_mac F x t b E k (TieCarter.nonce_element x n, M).
End CarterKeys.
(* Carter with AES, from secrets and messages of bytes to forgeries: nonces have l bytes. Nothing is left but AES's advantage in the two
   programs. *)
Check erefl : AesMacs.with_element = fun (F : finFieldType) (x : F) l (NM : 'I_(2 ^ (8 * l)) * seq 'I_256) => (TieCarter.nonce_element x NM.1, NM.2).
Check (fun F x t b l k NM => erefl) : forall (F : finFieldType) (x : F) t b l (k : {ffun 'I_b -> F}) (NM : 'I_(2 ^ (8 * l)) * seq 'I_256),
  AesMacs.carter_tag x t k NM = TieCarter.tag_row t
    (nat_of_bin (RunField.carter Aes.aes (TieCarter.secret_bytes x k) t (bin_of_nat l) (bin_of_nat NM.1) (TieUmac.binary NM.2))).
Check AesMacs.carter_aes : forall (F : finFieldType) (x : F) t b n l, TieField.field_of RunField.carter_modulus x -> l <= 16 -> t <= 16 ->
  b <= 2 -> 0 < n -> exists E : {ffun 'I_b -> F} -> {perm F},
  (forall k a, nat_of_bin a < 2 ^ 128 ->
     CarterKeys.block_element x (Aes.aes (TieCarter.secret_bytes x k) a) = E k (CarterKeys.block_element x a)) /\
  forall (q w : nat) (Coins : finType) (A : Coins -> Games.adversary ('I_(2 ^ (8 * l)) * seq 'I_256) (matrix 'F_2 1 (8 * t))),
  (forall r, Forgeries.keeps (Pads.fair (Theorem3.ok (2 ^ 64) n) q w) (A r)) -> q < 2 ^ 128 ->
  (Games.pr (fun r : Coins * {ffun 'I_b -> F} => Games.forges (AesMacs.carter_tag x t r.2) (A r.1))
   <= (1 + (2 ^ 110)%:R^-1) * (w%:R * (n%:R / (2 ^ (8 * t))%:R) * Pads.factor (2 ^ 128) q.+1
        + Games.advantage E (fun rk : Coins * Carter.key F => @CarterKeys.own_pads F x t (PmacBytes.renamed (@AesMacs.with_element F x l) (A rk.1)) rk.2))
      + Games.advantage E (fun r => @CarterKeys.own_derive F x t b E (PmacBytes.renamed (@AesMacs.with_element F x l) (A r))))%R.
(* They give the known answers that answers.py takes from vectors/. *)
Check Answers.umac : seq.all RunUmac.holds Answers.umac_answers.
Check Answers.pmac : seq.all RunField.pmac_holds Answers.pmac_answers.
Check Answers.carter : seq.all RunField.carter_holds Answers.carter_answers.
