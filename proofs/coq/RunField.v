(* PMAC and Carter on binary numbers, to be run. Bit i of a number is the coefficient of x^i in the field of 2^128 elements.
   TieField.v and TieCarter.v prove that they are the MACs of the theorems. *)
From Coq Require Import NArith.
From mathcomp Require Import all_ssreflect.
Require Import Aes.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Local Open Scope N_scope.

(* a x and a b modulo a polynomial of degree 128. *)
Section Field.
Variable modulus : N.
Definition xtime (a : N) : N := let b := N.double a in if N.testbit b 128 then N.lxor b modulus else b.
Fixpoint times_pos (a : N) (b : positive) : N :=
  match b with
  | xH => a
  | xO b' => xtime (times_pos a b')
  | xI b' => N.lxor a (xtime (times_pos a b'))
  end.
Definition times (a b : N) : N := if b is N.pos p then times_pos a p else 0.
End Field.
Definition sum (s : seq N) : N := foldr N.lxor 0 s.

(* PMAC: x^128 + x^7 + x^2 + x + 1, Gray codes from 1 on, x^-1. *)
Definition pmac_modulus : N := N.shiftl 1 128 + 135.
Definition gray (i : nat) : N := let n := bin_of_nat i.+1 in N.lxor n (N.shiftr n 1).
Definition half : N := N.shiftl 1 127 + 67.
(* The inner blocks, the last one padded, and whether it was full. *)
Definition cut (M : seq N) : seq N * N * bool :=
  let n := ((size M).-1 %/ 16)%N in let rest := drop (16 * n) M in let full := (size rest == 16)%N in
  (map (fun i => big (take 16 (drop (16 * i) M))) (iota 0 n),
   big (if full then rest else rest ++ 128 :: nseq (15 - size rest) 0), full).
Definition tag (E : N -> N) (m : seq N * N * bool) : N :=
  let L := E 0 in
  E (N.lxor (N.lxor (if m.2 then times pmac_modulus L half else 0) m.1.2)
    (sum (map (fun t => E (N.lxor (times pmac_modulus L t.1) t.2)) (zip (mkseq gray (size m.1.1)) m.1.1)))).
Definition pmac (E : N -> N) (M : seq N) : N := tag E (cut M).

(* Carter: x^128 + x^127 + x^126 + x^121 + 1, and x^-128. *)
Definition carter_modulus : N := N.shiftl 1 128 + (N.shiftl 1 127 + (N.shiftl 1 126 + (N.shiftl 1 121 + 1))).
Definition dot_constant : N := N.shiftl 1 127 + (N.shiftl 1 124 + (N.shiftl 1 121 + (N.shiftl 1 114 + 1))).
Definition little (s : seq N) : N := foldr (fun b rest => b + 256 * rest) 0 s.
Definition dot (a b : N) : N := times carter_modulus (times carter_modulus dot_constant a) b.
(* The halves of 16 bytes at s and of those 64 bytes behind. *)
Definition at_ (M : seq N) (s : nat) : seq N := take 8 (drop s M ++ nseq 8 0).
Definition start (p : nat) : nat := (128 * (p %/ 4) + 16 * (p %% 4))%N.
Definition element (M : seq N) (p : nat) (h : bool) : N :=
  little (at_ M (start p + 8 * h)%N ++ at_ M (start p + 64 + 8 * h)%N).
Definition level1 (k : seq (N * N)) (M : seq N) : N :=
  sum (map (fun p => let K := nth (0, 0) k p in
      dot (N.lxor (element M p false) K.1) (N.lxor (element M p true) K.2))
    [seq p <- iota 0 64 | (start p < size M)%N]).
Definition level2 (r : N) (ys : seq N) : N := foldl (fun y l => N.lxor (dot y r) l) 0 ys.
Definition hash (k : seq (N * N)) (r kL : N) (M : seq N) : N :=
  N.lxor (level2 r (mkseq (fun i => level1 k (take 2048 (drop (2048 * i) M))) ((size M).-1 %/ 2048).+1))
    (dot (bin_of_nat (size M)) kL).
(* Keys of a secret for tags of n bytes: strings of blocks, each under a number. *)
Definition string (E : N -> N) (first p : N) (blocks : nat) : seq N :=
  flatten (map (fun j => bytes_of 16 (E (N.shiftl first 120 + N.shiftl p 112 + bin_of_nat j))) (iota 0 blocks)).
Definition carter (cipher : seq N -> N -> N) (secret : seq N) (n : nat) (l nonce : N) (M : seq N) : N :=
  let E := cipher secret in let part := string E (8 * bin_of_nat n) in
  let k := part 1 128%N in let k2 := part 2 2%N in
  let pad := cipher (part 0 (size secret %/ 16)%N) (N.shiftl nonce (8 * (16 - l))) in
  big (take n (bytes_of 16 (N.lxor (big (rev (bytes_of 16 (hash (map (fun p => (element k p false, element k p true)) (iota 0 64))
    (little (take 16 k2)) (little (drop 16 k2)) M))) ) pad))).

(* Known answers: key, message, tag; for Carter also the tag's bytes and the nonce with its bytes. *)
Definition pmac_holds (a : seq N * seq N * N) : bool := let: (key, M, t) := a in pmac (aes key) M == t.
Definition carter_holds (a : seq N * nat * N * N * seq N * N) : bool :=
  let: (key, n, l, nonce, M, t) := a in carter aes key n l nonce M == t.
