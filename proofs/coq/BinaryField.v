(* The fields that PMAC and Carter compute in (RunField.v): numbers are polynomials over the field of two, and those below 2^128
   are the elements, if no polynomial of lower degree divides the modulus. *)
From Coq Require Import NArith.
From mathcomp Require Import all_ssreflect all_algebra all_field.
From mathcomp Require Import zify ring.
Require Import RunField.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import GRing.Theory.
Local Open Scope ring_scope.

(* The value of a number at x: bit i counts x^i. *)
Fixpoint value_pos (R : ringType) (x : R) (p : positive) : R :=
  match p with xH => 1 | xO p' => value_pos x p' * x | xI p' => value_pos x p' * x + 1 end.
Definition value (R : ringType) (x : R) (a : N) : R := if a is N.pos p then value_pos x p else 0.

Section Value.
Variables (R : comRingType) (x : R).
Hypothesis char2 : 2%N \in [char R].
Local Notation v := (value x).

Lemma value_double a : v (N.double a) = v a * x. Proof. by case: a => //=; rewrite mul0r. Qed.
Lemma value_succ_double a : v (N.succ_double a) = v a * x + 1. Proof. by case: a => //=; rewrite mul0r add0r. Qed.
Lemma value_xor a b : v (N.lxor a b) = v a + v b.
Proof.
have two : 1 + 1 = 0 :> R by exact: addrr_char2.
have twice (y : R) : y + y = 0 by exact: addrr_char2.
case: a b => [|p] [|q] /=; rewrite ?add0r ?addr0 //.
elim: p q => [p IH|p IH|] [q|q|] /=; rewrite ?value_double ?value_succ_double ?IH //=.
- by rewrite mulrDl addrACA two addr0.
- by rewrite mulrDl addrAC.
- by rewrite -addrA two addr0.
- by rewrite mulrDl addrA.
- by rewrite mulrDl.
- by rewrite addrCA two addr0.
- by rewrite addrC.
Qed.

(* The product differs from that of the values by a multiple of the modulus. *)
Variable m : N.
Lemma value_xtime a : exists q, v (xtime m a) = v a * x + q * v m.
Proof.
rewrite /xtime; case: N.testbit; last by exists 0; rewrite mul0r addr0 value_double.
by exists 1; rewrite mul1r value_xor value_double.
Qed.
Lemma value_times a b : exists q, v (times m a b) = v a * v b + q * v m.
Proof.
case: b => [|b] /=; first by exists 0; rewrite mulr0 mul0r addr0.
elim: b => [b [q IH]|b [q IH]|] /=; last by exists 0; rewrite mulr1 mul0r addr0.
- by have [q' E] := value_xtime (times_pos m a b); exists (q * x + q'); rewrite value_xor E IH; ring.
- by have [q' E] := value_xtime (times_pos m a b); exists (q * x + q'); rewrite E IH; ring.
Qed.

(* x^(2^i). *)
Definition power i : N := iter i (fun a => times m a a) 2%num.
Lemma value_power i : exists q, v (power i) = x ^+ (2 ^ i) + q * v m.
Proof.
elim: i => [|i [q IH]]; first by exists 0; rewrite /= expr1 mul1r mul0r addr0.
have [q' E] := value_times (power i) (power i); exists (2%:R * x ^+ (2 ^ i) * q + q ^+ 2 * v m + q').
by rewrite /= E IH expnSr muln2 -addnn exprD; move: (x ^+ _) => y; ring.
Qed.
End Value.

(* Degrees. *)
Section Size.
Variable R : idomainType.
Lemma size_value p : size (value_pos 'X p : {poly R}) = Pos.size_nat p.
Proof.
have pos p' : (0 < Pos.size_nat p')%N by case: p'.
elim: p => [p IH|p IH|] /=; last by rewrite size_poly1.
- by rewrite size_MXaddC -size_poly_eq0 IH; case: (Pos.size_nat p) (pos p).
- by rewrite -[_ * 'X]addr0 -[0]/(0%:P) size_MXaddC -size_poly_eq0 IH; case: (Pos.size_nat p) (pos p).
Qed.
Lemma horner_value (y : R) a : (value 'X a).[y] = value y a.
Proof.
case: a => [|p] /=; first exact: horner0.
by elim: p => [p IH|p IH|] /=; rewrite ?hornerD ?hornerMX ?hornerC ?IH.
Qed.
Lemma size_below n p : (nat_of_pos p < 2 ^ n)%N -> (Pos.size_nat p <= n)%N.
Proof.
have low q : (2 ^ Pos.size_nat q <= 2 * nat_of_pos q)%N.
  elim: q => [q IH|q IH|] //; rewrite [Pos.size_nat _]/= expnS leq_mul2l /= ?NatTrec.doubleE -mul2n; last by [].
  exact: leq_trans IH (leqnSn _).
move=> lt; rewrite leqNgt; apply/negP => gt.
have := leq_trans (leq_pexp2l (isT : 0 < 2)%N gt) (low p); rewrite expnS leq_mul2l /= leqNgt lt //.
Qed.
End Size.

Section Field.
Variables (F : finFieldType) (n h : nat) (m : N).
Hypothesis char2 : 2%N \in [char F].
Hypothesis card_F : #|F| = (2 ^ n)%N.
Hypothesis period : power m n = 2%num. (* x^(2^n) = x modulo m *)
Variable u : N.
Hypothesis proper : times m (N.lxor (power m h) 2) u = 1%num. (* x^(2^h) - x is invertible *)
Hypothesis divisors : forall d, (0 < d < n)%N -> (gcdn d n %| h)%N.
Hypothesis degree : exists2 p, m = N.pos p & (1 < Pos.size_nat p)%N.

Let charP : 2%N \in [char {poly F}]. Proof. by rewrite char_lalg. Qed.
Lemma root_exists : exists y : F, value y m = 0.
Proof.
have [q E] := value_power 'X charP m n; rewrite period /= mul1r -card_F in E.
have Hd : (value 'X m %| \prod_(x <- enum F) ('X - x%:P))%R.
  rewrite big_enum -finField_genPoly; apply/dvdpP; exists (- q); by rewrite {2}E opprD addrA subrr add0r mulNr.
have [mask_ eq] := dvdp_prod_XsubC Hd; have [p Em lt] := degree.
have := eqp_size eq; rewrite size_prod_XsubC Em /= size_value => Es.
case Er: (mask _ _) => [|y r] in eq Es; first by rewrite Es in lt.
exists y; rewrite -[value_pos y p]/(value y (N.pos p)) -Em -horner_value; apply/eqP; rewrite -/(root _ _) (eqp_root eq) root_prod_XsubC mem_head //.
Qed.

Variable y : F.
Hypothesis root_y : value y m = 0.
Lemma value_prod a b : value y (times m a b) = value y a * value y b.
Proof. by have [q ->] := value_times y char2 m a b; rewrite root_y mulr0 addr0. Qed.

(* The orbit of y under squaring. *)
Definition orbit i : F := y ^+ (2 ^ i).
Lemma orbitS i : orbit i.+1 = orbit i ^+ 2. Proof. by rewrite /orbit expnSr exprM. Qed.
Lemma square_inj : injective (fun x : F => x ^+ 2).
Proof.
move=> a b E; apply/eqP; rewrite -subr_eq0 -(sqrf_eq0 (a - b)) sqrrB E.
have two : 2%:R = 0 :> F by move/charf0: char2.
by rewrite -mulr_natl two mul0r subr0 -mulr2n -mulr_natl two mul0r.
Qed.
Lemma orbit_shift i j k : orbit i = orbit j -> orbit (i + k) = orbit (j + k).
Proof. by move=> E; elim: k => [|k IH]; rewrite ?addn0 // !addnS !orbitS IH. Qed.
Lemma orbit_back i j k : orbit (i + k) = orbit (j + k) -> orbit i = orbit j.
Proof. by elim: k => [|k IH]; rewrite ?addn0 // !addnS !orbitS => /square_inj. Qed.
Lemma orbit_times d k : orbit d = orbit 0 -> orbit (k * d) = orbit 0.
Proof. by move=> E; elim: k => // k IH; rewrite mulSn addnC; have := orbit_shift d IH; rewrite add0n E. Qed.
Lemma orbit_period : orbit n = orbit 0. Proof. by rewrite /orbit -card_F expf_card expr1. Qed.
Lemma orbit_gcd d : (0 < d)%N -> orbit d = orbit 0 -> orbit (gcdn d n) = orbit 0.
Proof.
move=> d0 E; case: (egcdnP n d0) => km kn Eg _.
have := orbit_times km E; rewrite Eg addnC => Ek.
have := orbit_times kn orbit_period => /(orbit_shift (gcdn d n)); rewrite add0n addnC => <-; exact: Ek.
Qed.
Lemma orbit_proper : orbit h != orbit 0.
Proof.
apply/eqP => E; have := value_prod (N.lxor (power m h) 2) u; rewrite proper value_xor //.
have [q ->] := value_power y char2 m h; rewrite root_y mulr0 addr0 -/(orbit h) E /= mul1r /orbit expr1.
by rewrite (addrr_char2 char2) mul0r => /eqP; rewrite oner_eq0.
Qed.

Lemma value_square x a : value (x ^+ 2 : F) a = value x a ^+ 2.
Proof.
have two : 2%:R = 0 :> F by move/charf0: char2.
have add (s t : F) : (s + t) ^+ 2 = s ^+ 2 + t ^+ 2 by rewrite sqrrD -mulr_natl two mul0r addr0.
case: a => [|p] /=; first by rewrite expr0n.
by elim: p => [p IH|p IH|] /=; rewrite ?add ?exprMn ?IH ?expr1n.
Qed.
Lemma value_orbit a i : value y a = 0 -> value (orbit i) a = 0.
Proof. by move=> E; elim: i => [|i IH]; rewrite ?expr1 // orbitS value_square IH expr0n. Qed.

Lemma value_eq0 a : (nat_of_bin a < 2 ^ n)%N -> value y a = 0 -> a = 0%num.
Proof.
case: a => // p lt E; have := size_below lt => le.
have nz : value_pos 'X p != 0 :> {poly F} by rewrite -size_poly_eq0 size_value; case: (p).
have roots : all (root (value_pos 'X p)) (mkseq orbit n).
  apply/allP => z /mapP [i _ ->]; rewrite /root; have := horner_value (orbit i) (N.pos p); rewrite /= => ->.
  by have /= -> := value_orbit i E.
have := max_poly_roots nz roots; rewrite size_mkseq size_value ltnNge le => no.
have /(uniqPn 0) [i [j [lt_ij]]] : ~~ uniq (mkseq orbit n) by apply/negP => /no.
rewrite size_mkseq => lt_j; rewrite !nth_mkseq ?(ltn_trans lt_ij) // => Eij.
have d0 : (0 < j - i)%N by rewrite subn_gt0.
have Ed : orbit (j - i) = orbit 0 by apply: (@orbit_back _ _ i); rewrite subnK ?add0n // ltnW.
have /dvdnP [k Ek] : (gcdn (j - i) n %| h)%N by apply: divisors; rewrite d0 (leq_ltn_trans (leq_subr _ _)).
by have := orbit_proper; rewrite Ek (orbit_times _ (orbit_gcd d0 Ed)) eqxx.
Qed.
End Field.
