(* UMAC of RFC 4418 on binary numbers, to be run. TieUmac.v proves that it is the hash of the theorems. *)
From Coq Require Import NArith.
From mathcomp Require Import all_ssreflect.
Require Import Aes.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Local Open Scope N_scope.

(* Section 3.2.1: the KDF, as words of 32 bits. Every part of a key begins at one. *)
Definition kdf (E : N -> N) (index : N) (blocks : nat) : seq N :=
  flatten (map (fun i => let b := E (N.shiftl index 64 + bin_of_nat i.+1) in
    map (fun s => low 32 (N.shiftr b s)) [:: 96; 64; 32; 0]) (iota 0 blocks)).

(* 5.2: level 1. Words of the message are little-endian; word p is multiplied with word p + 4. *)
Definition little (s : seq N) : N := foldr (fun b rest => b + 256 * rest) 0 s.
Fixpoint little_words (s : seq N) : seq N :=
  match s with
  | a :: b :: c :: d :: s' => little [:: a; b; c; d] :: little_words s'
  | [::] => [::]
  | _ => [:: little s]
  end.
Definition place (p : nat) : nat := (8 * (p %/ 4) + p %% 4)%N.
Definition clause (k k' m m' : N) : N := low 32 (k + m) * low 32 (k' + m').
Definition level1 (ks M : seq N) : N :=
  let ms := little_words M in
  low 64 (foldr (fun p sum => let i := place p in
      clause (nth 0 ks i) (nth 0 ks (i + 4)%N) (nth 0 ms i) (nth 0 ms (i + 4)%N) + sum)
    (8 * bin_of_nat (size M)) [seq p <- iota 0 128 | (p %/ 4 == 0)%N || (32 * (p %/ 4) < size M)%N]).

(* Messages, so that long ones can be run: chunks of 1024 bytes, each with its number of copies, and the rest. *)
Definition message := (seq (nat * seq N) * seq N)%type.
Definition bytes (M : message) : seq N := flatten (map (fun r => flatten (nseq r.1 r.2)) M.1) ++ M.2.
Definition whole (M : message) : bool := all (fun r => size r.2 == 1024)%N M.1 && ((M.1 == [::]) || (M.2 != [::])).
Definition words (ks : seq N) (M : message) : seq N :=
  flatten (map (fun r => nseq r.1 (level1 ks r.2)) M.1)
  ++ mkseq (fun i => level1 ks (take 1024 (drop (1024 * i) M.2))) ((size M.2).-1 %/ 1024).+1.

(* 5.3: level 2, modulo 2^b - d. *)
Definition reduce (b d x : N) : N :=
  let fold y := N.shiftr y b * d + low b y in
  let p := N.shiftl 1 b - d in let y := fold (fold x) in if y <? p then y else y mod p.
Definition poly (b d limit k : N) (ws : seq N) : N :=
  let step y t := reduce b d (k * y + t) in
  foldl (fun y w => if w <? limit then step y w else step (step y (N.shiftl 1 b - d - 1)) (w - d)) 1 ws.
Fixpoint in_pairs (mark : N) (ws : seq N) : seq N :=
  match ws with
  | a :: b :: ws' => N.shiftl a 64 + b :: in_pairs mark ws'
  | [:: a] => [:: N.shiftl a 64 + mark]
  | [::] => [:: N.shiftl mark 64]
  end.
Definition end_mark : N := N.shiftl 1 63. (* a byte 80 and zeroes *)
Definition limit64 : N := N.shiftl 1 64 - N.shiftl 1 32.
Definition limit128 : N := N.shiftl 1 128 - N.shiftl 1 96.
Definition words64 : nat := 2 ^ 14.
Definition level2 (k64 k128 : N) (ws : seq N) : N :=
  if (size ws <= 1)%N then nth 0 ws 0
  else if (size ws <= words64)%N then poly 64 59 limit64 k64 ws
  else poly 128 159 limit128 k128 (poly 64 59 limit64 k64 (take words64 ws) :: in_pairs end_mark (drop words64 ws)).
Definition masked (ks : seq N) (i : nat) : N := N.shiftl (low 25 (nth 0 ks i)) 32 + low 25 (nth 0 ks i.+1).
Definition point64 (ks : seq N) : N := masked ks 0.
Definition point128 (ks : seq N) : N := N.shiftl (masked ks 2) 64 + masked ks 4.

(* 5.4: level 3, digits of 16 bits, the lowest with the last word of the key. *)
Definition word64 (ks : seq N) (i : nat) : N := low 64 (N.shiftl (nth 0 ks (2 * i)%N) 32 + nth 0 ks (2 * i).+1).
Definition level3 (ks : seq N) (y : N) : N :=
  low 32 (foldr (fun i sum => low 16 (N.shiftr y (16 * bin_of_nat i)) * word64 ks (7 - i)%N + sum) 0 (iota 0 8)
    mod (N.shiftl 1 36 - 5)).

(* 5.1, 3.3: one stream without its mask, from the words of its keys. *)
Definition stream (ks1 ks2 ks3 : seq N) (M : message) : N :=
  level3 ks3 (level2 (point64 ks2) (point128 ks2) (words ks1 M)).

(* The keys of stream t begin 16, 24 and 64 bytes behind those of the one before it. *)
Definition uhash (E : N -> N) (n : nat) (M : message) : seq N :=
  let ks1 := kdf E 1 (63 + n) in let ks2 := kdf E 2 (2 * n) in let ks3 := kdf E 3 (4 * n) in let masks := kdf E 4 1 in
  map (fun t => N.lxor (stream (drop (4 * t) ks1) (drop (6 * t) ks2) (drop (16 * t) ks3) M) (nth 0 masks t)) (iota 0 n).

(* 3.3.1: the pad, from the part of a block that the last bits of a nonce of l bytes choose. *)
Definition pdf (E : N -> N) (n : nat) (l nonce : N) : N :=
  let index := nonce mod (if n is 1%N then 4 else if n is 2%N then 2 else 1) in
  low (32 * bin_of_nat n) (N.shiftr (E (N.shiftl (nonce - index) (8 * (16 - l)))) (128 - 32 * bin_of_nat n * (index + 1))).
Definition joined (s : seq N) : N := foldl (fun h w => N.shiftl h 32 + w) 0 s.
(* A tag of n words, for a cipher that takes the bytes of a key. *)
Definition umac (cipher : seq N -> N -> N) (key : seq N) (n : nat) (l nonce : N) (M : message) : N :=
  let E := cipher key in
  let E0 := cipher (flatten (map (bytes_of 4) (take (size key %/ 4) (kdf E 0 2)))) in
  N.lxor (joined (uhash E n M)) (pdf E0 n l nonce).

(* A known answer: key, words of the tag, bytes of the nonce, nonce, message, tag. *)
Definition answer := (seq N * nat * N * N * message * N)%type.
Definition holds (a : answer) : bool :=
  let: (key, n, l, nonce, M, tag) := a in whole M && (umac aes key n l nonce M == tag).
