(* The numbers of the definitions, once: theorems, proofs/arithmetic and the comparison with the source read them here. *)
From mathcomp Require Import all_ssreflect.
Definition chunk_bytes := 1024.
Definition poly64_words := 2 ^ 14.
Definition p19 := 2 ^ 19 - 1.
Definition p32 := 2 ^ 32 - 5.
Definition p36 := 2 ^ 36 - 5.
Definition p64 := 2 ^ 64 - 59.
Definition p127 := 2 ^ 127 - 1.
Definition p128 := 2 ^ 128 - 159.
Definition offset64 := 59.
Definition offset128 := 159.
Definition limit32 := 2 ^ 32 - 6.
Definition limit64 := 2 ^ 64 - 2 ^ 32.
Definition limit128 := 2 ^ 128 - 2 ^ 96.
Definition end_mark := 2 ^ 63.
Definition carter_block_bytes := 2048.
Definition carter_modulus := 2 ^ 63 + 2 ^ 62 + 2 ^ 57.
