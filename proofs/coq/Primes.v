(* The moduli are prime, by Pocklington's theorem: if primes whose product is above the root of n divide n - 1, and each of them
   is the order of a power of some a modulo every prime factor of n, then n has no factor up to its root. *)
From Coq Require Import NArith.
From mathcomp Require Import all_ssreflect all_algebra all_field.
From mathcomp Require Import zify.
Require Import Constants.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import GRing.Theory.
Local Open Scope nat_scope.

(* x mod n: where n is little less than a power of two, almost nothing is divided. *)
Definition folded (n x : N) : N :=
  let k := N.size n in (N.shiftr x k * (N.shiftl 1 k - n) + N.land x (N.ones k))%num.
Definition reduce (n x : N) : N := let y := folded n (folded n x) in if N.ltb y n then y else (y mod n)%num.
(* a^e mod n, by squares. *)
Fixpoint power (n a : N) (e : positive) : N :=
  match e with
  | xH => a
  | xO e' => let b := power n a e' in reduce n (b * b)
  | xI e' => let b := power n a e' in reduce n (a * reduce n (b * b))
  end.
Definition power_is_1 (n a e : N) : bool := if e is N.pos e' then N.eqb (power n a e') 1 else false.

(* q divides n - 1 = q m, and x = a^m has x^q = 1; y is the inverse of x - 1. *)
Definition step (n q a y : N) : bool :=
  let m := ((n - 1) / q)%num in
  if m is N.pos m' then let x := power n a m' in
    [&& N.eqb (q * m) (n - 1), power_is_1 n x q & N.eqb (reduce n ((x + (n - 1)) * y)) 1]
  else false.
Definition product (qs : seq (N * (N * N))) : N := foldr (fun q => N.mul q.1) 1%num qs.
(* No number from d on, of the same parity, divides n; the first one above the root ends the search. *)
Fixpoint no_divisor (fuel : nat) (d n : N) : bool :=
  if fuel is f.+1 then N.ltb n (d * d) || ~~ N.eqb (n mod d) 0 && no_divisor f (d + 2) n else false.
Definition small_prime (n : N) : bool := N.eqb n 2 || [&& N.ltb 1 n, N.odd n & no_divisor 200 3 n].
(* A certificate: numbers, each with primes that divide it less one, their a and their y. Primes stand before it, or are small. *)
Fixpoint certified (known : seq N) (cs : seq (N * seq (N * (N * N)))) : bool :=
  if cs is (n, qs) :: rest then
    [&& N.ltb 1 n, N.ltb n (product qs * product qs), uniq (map fst qs),
      all (fun q => (q.1 \in known) || small_prime q.1) qs,
      all (fun q => step n q.1 q.2.1 q.2.2) qs & certified (n :: known) rest]
  else true.

Lemma no_divisor_below fuel (d n : N) : nat_of_bin n != 0 -> odd (nat_of_bin d) -> no_divisor fuel d n ->
  forall e : nat, odd e -> nat_of_bin d <= e -> e * e <= nat_of_bin n -> ~~ (e %| nat_of_bin n).
Proof.
move=> n0; elim: fuel d => //= f IH d od /orP [/N.ltb_lt lt|/andP [nd more]] e oe le sq.
  have : nat_of_bin n < d * d by lia.
  by rewrite ltnNge (leq_trans _ sq) // leq_mul.
case: (ltnP (nat_of_bin d) e) => [lt|ge].
  apply: (IH _ _ more e oe _ sq); first by rewrite nat_of_add_bin oddD od.
  have ne : (nat_of_bin d).+1 != e by apply: contraTneq oe => <-; rewrite /= od.
  by rewrite nat_of_add_bin /=; move: lt ne; clear; lia.
have -> : e = d by apply/eqP; rewrite eqn_leq ge le.
apply/negP => /dvdnP [k E]; move/negP: nd; apply; apply/N.eqb_eq; have d0 : d <> 0%num by move=> d0; rewrite d0 in od.
have -> : n = (bin_of_nat k * d)%num by apply: (can_inj nat_of_binK); rewrite nat_of_mul_bin bin_of_natK.
exact: N.mod_mul.
Qed.
Lemma small_primeP (n : N) : small_prime n -> prime n.
Proof.
rewrite /small_prime => /orP [/N.eqb_eq -> //|/and3P [/N.ltb_lt n1 on none]].
have n1' : 1 < n by lia.
have o : odd (nat_of_bin n).
  by rewrite (N.div2_odd n) on nat_of_add_bin nat_of_mul_bin oddD oddM.
apply: ltn_pdiv2_prime; first exact: ltnW.
rewrite ltnNge; apply/negP => sq; rewrite -mulnn in sq.
have op : odd (pdiv n) := dvdn_odd (pdiv_dvd n) o.
have p3 : 3 <= pdiv n by have := pdiv_prime n1'; move: op; case: (pdiv n) => [|[|[|p]]].
have n0 : nat_of_bin n != 0 by rewrite -lt0n ltnW.
by have := no_divisor_below (d := 3%num) n0 isT none op p3 sq; rewrite pdiv_dvd.
Qed.

Section Factor.
Variables (n : N) (r : nat).
Hypothesis r_prime : prime r.
Hypothesis r_n : r %| n.
Hypothesis n1 : 1 < n.
Local Notation "x %:F" := ((nat_of_bin x)%:R : 'F_r)%R (at level 2).

Lemma mod_F x : ((x mod n)%num%:F = x%:F)%R.
Proof.
have [k nk] := dvdnP r_n; have n0 : n <> 0%num by move: n1; case: (n).
rewrite [in RHS](N.div_mod x n n0) nat_of_add_bin nat_of_mul_bin nk natrD !natrM.
by rewrite char_Fp_0 // mulr0 mul0r add0r.
Qed.

Lemma folded_F x : ((folded n x)%:F = x%:F)%R.
Proof.
have n_F : (n%:F = 0 :> 'F_r)%R by have [m ->] := dvdnP r_n; rewrite natrM char_Fp_0 // mulr0.
have d_F : ((2 ^ N.size n)%num%:F = (N.shiftl 1 (N.size n) - n)%num%:F :> 'F_r)%R.
  have lt : (n < 2 ^ N.size n)%num := N.size_gt n.
  have -> : nat_of_bin (2 ^ N.size n)%num = nat_of_bin (N.shiftl 1 (N.size n) - n) + n by rewrite N.shiftl_1_l; move: lt; clear; lia.
  by rewrite natrD n_F addr0.
have p0 : (2 ^ N.size n <> 0)%num by apply: N.pow_nonzero.
rewrite /folded N.shiftr_div_pow2 N.land_ones [in RHS](N.div_mod x _ p0) !nat_of_add_bin !nat_of_mul_bin !natrD !natrM.
by rewrite d_F mulrC.
Qed.
Lemma reduce_F x : ((reduce n x)%:F = x%:F)%R.
Proof. by rewrite /reduce; case: N.ltb; rewrite ?mod_F !folded_F. Qed.

Lemma power_F a e : ((power n a e)%:F = a%:F ^+ nat_of_pos e)%R.
Proof.
elim: e => [e IH|e IH|] /=; last by rewrite expr1.
- by rewrite reduce_F nat_of_mul_bin natrM reduce_F nat_of_mul_bin natrM IH ?NatTrec.doubleE exprS -addnn exprD.
- by rewrite reduce_F nat_of_mul_bin natrM IH ?NatTrec.doubleE -addnn exprD.
Qed.

Lemma power_1 a e : power_is_1 n a e -> (a%:F ^+ nat_of_bin e = 1 :> 'F_r)%R.
Proof. by case: e => //= e /N.eqb_eq E; rewrite -power_F E. Qed.

Lemma step_divides (q a z : N) : prime q -> step n q a z -> q %| r.-1.
Proof.
move=> qp; rewrite /step; case: (_ / _)%num => // m /and3P [/N.eqb_eq E xq y]; set x := power n a m in xq y.
have n0 : ((n - 1)%num%:F = - 1 :> 'F_r)%R.
  have [k nk] := dvdnP r_n; apply/eqP; rewrite -addr_eq0 -(natrD _ _ 1).
  have -> : nat_of_bin (n - 1) + 1 = n by lia.
  by rewrite nk natrM char_Fp_0 // mulr0.
have {}xq := power_1 xq; have {y} : ((reduce n ((x + (n - 1)) * z))%:F = 1 :> 'F_r)%R by move/N.eqb_eq: y => ->.
rewrite reduce_F nat_of_mul_bin natrM nat_of_add_bin natrD n0 => y.
have x1 : (x%:F != 1 :> 'F_r)%R.
  by apply/eqP => x1; move/eqP: y; rewrite x1 subrr mul0r eq_sym oner_eq0.
apply: contraR x1 => nd; have x0 : (x%:F != 0 :> 'F_r)%R.
  by apply/eqP => x0; move/eqP: xq; rewrite x0 expr0n eqn0Ngt prime_gt0 //= eq_sym oner_eq0.
have xr : (x%:F ^+ r.-1 = 1 :> 'F_r)%R.
  have xE := expf_card (x%:F : 'F_r)%R; rewrite card_Fp // in xE.
  by apply: (mulfI x0); rewrite -exprS prednK ?prime_gt0 // mulr1.
case: (egcdnP r.-1 (prime_gt0 qp)) => u v; have /eqP -> : coprime q r.-1 by rewrite prime_coprime.
move=> /(congr1 (GRing.exp (x%:F : 'F_r))%R) + _; rewrite mulnC exprM xq expr1n exprD mulnC exprM xr expr1n mul1r expr1.
by move=> <-.
Qed.
End Factor.

Lemma product_divides qs d : uniq (map fst qs) -> all (fun q : N * (N * N) => prime q.1) qs ->
  (forall q, q \in qs -> q.1 %| d) -> product qs %| d.
Proof.
elim: qs => [|[q a] qs IH] /=; first by rewrite dvd1n.
move=> /andP [new u] /andP [qp ps] all_d; rewrite nat_of_mul_bin Gauss_dvd.
  by rewrite (all_d (q, a)) ?mem_head //= IH // => t tq; apply: all_d; rewrite in_cons tq orbT.
rewrite prime_coprime //; elim: qs {IH u all_d} new ps => [|[t b] qs IH] /=; first by rewrite dvdn1 neq_ltn prime_gt1 ?orbT.
rewrite in_cons negb_or => /andP [qt new] /andP [tp ps]; rewrite nat_of_mul_bin Euclid_dvdM // negb_or IH // andbT dvdn_prime2 //.
by apply: contra qt => /eqP /(can_inj nat_of_binK) ->.
Qed.

Lemma pocklington n qs : (1 < n)%num -> (n < product qs * product qs)%num -> uniq (map fst qs) ->
  all (fun q : N * (N * N) => prime q.1) qs -> all (fun q => step n q.1 q.2.1 q.2.2) qs -> prime n.
Proof.
move=> n1 big u ps steps; have n1' : 1 < n by lia.
apply: ltn_pdiv2_prime; first exact: ltnW.
have rp := pdiv_prime n1'; have r1 := prime_gt1 rp.
have /dvdn_leq le : product qs %| (pdiv n).-1.
  apply: (product_divides u ps) => q qq; exact: (step_divides rp (pdiv_dvd n) n1' (allP ps q qq) (allP steps q qq)).
have {}le : product qs <= (pdiv n).-1 by apply: le; lia.
apply: (@leq_trans (product qs * product qs)); first by lia.
by rewrite -mulnn; apply: leq_mul; lia.
Qed.

Lemma certified_primes known cs : all (fun n : N => prime n) known -> certified known cs -> all (fun c : N * seq (N * (N * N)) => prime c.1) cs.
Proof.
elim: cs known => //= -[n qs] cs IH known ok /and5P [/N.ltb_lt n1 /N.ltb_lt big u ps /andP [steps rest]].
have np : prime n.
  apply: (pocklington n1 big u _ steps); apply/allP => q qq; by have /orP [/(allP ok) //|/small_primeP] := allP ps q qq.
by rewrite /= np; apply: (IH (n :: known)) => //; rewrite /= np.
Qed.

Definition certificates : seq (N * seq (N * (N * N))) := [::
  (524287, [:: (73, (3, 130543)); (19, (2, 515965))]);
  (22605091, [:: (181, (2, 19569746)); (23, (2, 7421446)); (5, (2, 891059))]);
  (4294967291, [:: (22605091, (2, 1771216906))]);
  (6871947673, [:: (65537, (2, 2957465017)); (257, (2, 5679404099))]);
  (68719476731, [:: (6871947673, (2, 3493072131))]);
  (5594472617641, [:: (15331, (2, 3161697676777)); (2131, (2, 1933328135809))]);
  (18446744073709551557, [:: (5594472617641, (2, 1898613474652435203))]);
  (174763, [:: (73, (3, 30736)); (19, (2, 116509))]);
  (699053, [:: (174763, (2, 605846))]);
  (77158673929, [:: (699053, (3, 303426239))]);
  (649657, [:: (1289, (3, 288063))]);
  (92737, [:: (23, (3, 25240)); (7, (2, 20437)); (3, (2, 18979))]);
  (170141183460469231731687303715884105727, [:: (77158673929, (3, 46923548802193521005161092283058279922)); (649657, (3, 58521024311718766171606481931475363244)); (92737, (3, 141899323343967763829894105985566179829))]);
  (62826870453001, [:: (21821, (2, 54325188471321)); (13147, (2, 30620204459169))]);
  (957119, [:: (1283, (2, 493065))]);
  (42113237, [:: (957119, (2, 40202922))]);
  (340282366920938463463374607431768211297, [:: (62826870453001, (2, 323337512909814987232579794063204582881)); (42113237, (2, 151747583207642637668133749158723026581))])]%num.

Lemma primes : all (fun c : N * seq (N * (N * N)) => prime c.1) certificates.
Proof. have ok : certified [::] certificates = true by vm_compute. exact (certified_primes (known := [::]) isT ok). Qed.

Lemma in_certificates p (n : N) : n \in map fst certificates -> nat_of_bin n = p -> prime p.
Proof. by move=> /mapP [c inc ->] <-; exact: allP primes c inc. Qed.
Lemma prime19 : prime p19. Proof. by apply: (@in_certificates _ (2 ^ 19 - 1)%num); [vm_compute | rewrite /p19; lia]. Qed.
Lemma prime32 : prime p32. Proof. by apply: (@in_certificates _ (2 ^ 32 - 5)%num); [vm_compute | rewrite /p32; lia]. Qed.
Lemma prime36 : prime p36. Proof. by apply: (@in_certificates _ (2 ^ 36 - 5)%num); [vm_compute | rewrite /p36; lia]. Qed.
Lemma prime64 : prime p64. Proof. by apply: (@in_certificates _ (2 ^ 64 - 59)%num); [vm_compute | rewrite /p64; lia]. Qed.
Lemma prime127 : prime p127. Proof. by apply: (@in_certificates _ (2 ^ 127 - 1)%num); [vm_compute | rewrite /p127; lia]. Qed.
Lemma prime128 : prime p128. Proof. by apply: (@in_certificates _ (2 ^ 128 - 159)%num); [vm_compute | rewrite /p128; lia]. Qed.
