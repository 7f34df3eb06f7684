(* AES (FIPS 197) on binary numbers, to be run: a block is a number of 128 bits, its first byte the highest. *)
From Coq Require Import NArith.
From mathcomp Require Import all_ssreflect.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Local Open Scope N_scope.

(* The lower n bits of x, and the bytes of a number, the highest of k first. *)
Definition low (n x : N) : N := N.land x (N.ones n).
Definition byte_at (i x : N) : N := low 8 (N.shiftr x (8 * i)).
Definition bytes_of (k : nat) (x : N) : seq N := map (fun i => byte_at (bin_of_nat i) x) (rev (iota 0 k)).
Definition big (s : seq N) : N := foldl (fun y b => N.shiftl y 8 + b) 0 s.

(* Section 4: the field of 256 elements; 5.1.1: the S-box, from its definition. *)
Definition xtime8 (a : N) : N := let b := N.double a in if N.testbit b 8 then N.lxor b 283 else b.
Fixpoint times8 (n : nat) (a b : N) : N :=
  if n is n'.+1 then N.lxor (if N.odd b then a else 0) (times8 n' (xtime8 a) (N.div2 b)) else 0.
Definition power254 (a : N) : N := iter 253 (times8 8 a) a. (* a^-1; 0 stays 0 *)
Definition rotate8 (n x : N) : N := N.lor (low 8 (N.shiftl x n)) (N.shiftr x (8 - n)).
Definition affine (x : N) : N := foldl N.lxor 99 (map (fun n => rotate8 n x) [:: 0; 1; 2; 3; 4]).
Definition bytes256 : seq N := Eval vm_compute in map bin_of_nat (iota 0 256).
Definition table : seq N := Eval vm_compute in map (fun x => affine (power254 x)) bytes256.
Definition sbox (x : N) : N := nth 0 table (nat_of_bin x).

(* 5.1.2 to 5.1.4: a state is 16 bytes, four for each column. *)
Definition shift_rows (s : seq N) : seq N :=
  map (fun i => nth 0 s i) [:: 0; 5; 10; 15; 4; 9; 14; 3; 8; 13; 2; 7; 12; 1; 6; 11]%N.
Definition mix_column (a b c d : N) : N :=
  let all := N.lxor (N.lxor a b) (N.lxor c d) in
  let one x y := N.lxor x (N.lxor all (xtime8 (N.lxor x y))) in
  big [:: one a b; one b c; one c d; one d a].
Fixpoint mix_columns (s : seq N) : N :=
  if s is a :: b :: c :: d :: s' then N.shiftl (mix_column a b c d) (32 * (bin_of_nat (size s') / 4)) + mix_columns s' else 0.

(* 5.2: words of 32 bits; a key has four, six or eight. *)
Definition sub_word (w : N) : N := big (map sbox (bytes_of 4 w)).
Definition rot_word (w : N) : N := N.lor (low 32 (N.shiftl w 8)) (N.shiftr w 24).
Definition rcon (i : nat) : N := N.shiftl (iter i.-1 xtime8 1) 24.
(* The words so far, the last first. *)
Fixpoint expand (n i nk : nat) (ws : seq N) : seq N :=
  if n is n'.+1 then
    let t := head 0 ws in
    let t' := if (i %% nk == 0)%N then N.lxor (sub_word (rot_word t)) (rcon (i %/ nk))
              else if (6 < nk)%N && (i %% nk == 4)%N then sub_word t else t in
    expand n' i.+1 nk (N.lxor (nth 0 ws nk.-1) t' :: ws)
  else rev ws.
Fixpoint blocks_of_words (ws : seq N) : seq N :=
  if ws is a :: b :: c :: d :: ws' then
    N.shiftl (N.shiftl (N.shiftl a 32 + b) 32 + c) 32 + d :: blocks_of_words ws' else [::].
Fixpoint words32 (s : seq N) : seq N := if s is a :: b :: c :: d :: s' then big [:: a; b; c; d] :: words32 s' else [::].
Definition schedule (key : seq N) : seq N := (* key: its bytes *)
  let nk := (size key %/ 4)%N in blocks_of_words (expand (4 * (nk + 7) - nk) nk nk (rev (words32 key))).

(* 5.1: the rounds. *)
Definition round (x k : N) : N := N.lxor (mix_columns (shift_rows (map sbox (bytes_of 16 x)))) k.
Definition last_round (x k : N) : N := N.lxor (big (shift_rows (map sbox (bytes_of 16 x)))) k.
Definition encrypt (ks : seq N) (x : N) : N :=
  if ks is k :: ks' then last_round (foldl round (N.lxor x k) (belast (head 0 ks') (behead ks'))) (last k ks') else x.
Definition aes (key : seq N) : N -> N := encrypt (schedule key).
