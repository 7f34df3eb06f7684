//! The oracle of wegman: a second implementation of every algorithm, written to be read and believed.
//!
//! This crate exists so that the fast library can be compared with something written from the definitions alone. It
//! shares no code with the library, and it is slow on purpose: numbers are multiplied and divided by hand methods,
//! tables are computed from their definition, and nothing is precomputed that the definition does not precompute.
//!
//! **Never use it with real keys.** Its running time and its memory accesses depend on keys and
//! messages, and it leaves copies of keys behind in memory.
//!
//! # How to read this beside the papers
//!
//! Read the paper and the module side by side, from top to bottom. The functions have the order of the paper and the
//! paper's names, in snake case. Where the paper counts from 1 (PMAC's blocks), so does the code. Where the paper
//! reduces modulo something, the code has a visible `%`, `rem` or mask.
//!
//! | module | read it beside |
//! |---|---|
//! | [`wide`] | nothing: integers below 2^512, for arithmetic modulo p64 and p128 |
//! | [`aes`] | FIPS 197, sections 4 and 5 |
//! | [`rc6`] | Rivest, Robshaw, Sidney, Yin, "The RC6 Block Cipher" (1998), section 2 |
//! | [`sha1`] | FIPS 180-4, sections 4 to 6 |
//! | [`md5`] | RFC 1321, section 3 |
//! | [`hmac`] | RFC 2104, section 2 |
//! | [`umac_1999`] | Black, Halevi, Krawczyk, Krovetz, Rogaway, "UMAC: Fast and Secure Message Authentication" (CRYPTO 1999), sections 2, 7 and 8, with the authors' code 0.25.05 |
//! | [`umac_2000`] | draft-krovetz-umac-01, sections 2 to 7 |
//! | [`umac_rfc4418`] | RFC 4418 with its erratum 3507: KDF, PDF, then the three levels of UHASH |
//! | [`pmac`] | Black and Rogaway, "A Block-Cipher Mode of Operation for Parallelizable Message Authentication" (EUROCRYPT 2002), sections 2 and 3 |
//! | [`universal`] | Black, Halevi, Krawczyk, Krovetz, Rogaway, "UMAC: Fast and Secure Message Authentication" (CRYPTO 1999), sections 4 to 6; the papers of MMH, square hash, bucket hashing and LFSR-based hashing |
//! | [`cbc_mac`] | Black and Rogaway, "CBC MACs for arbitrary-length messages: the three-key constructions" (CRYPTO 2000), sections 2 to 5; RFC 3566, section 4 |
//! | [`hash127`] | Bernstein, "The hash127 library interface" and the tests of hash127 0.70 |
//! | [`sum_macs`] | Bellare, Guerin, Rogaway, "XOR MACs" (CRYPTO 1995); Bernstein, "How to stretch random functions" (J. Cryptology 1999); blocks and padding are our own |
//! | [`carter`] | docs/carter.md, "Definition": our own |
//! | [`polyval_aes`] | RFC 8452, section 3; keys and pads are our own |
//!
//! Three modules define nothing and serve the tests of every crate: [`names`], [`inputs`], and [`kernels`], which
//! compares the CPU features that a kernel's row states with those that its file enables.
//!
//! Arguments outside the definition (a nonce of 17 bytes, a tag of 5 bytes for UMAC) are errors of the caller, and the
//! functions panic.

#![forbid(unsafe_code)]

pub mod aes;
pub mod carter;
pub mod cbc_mac;
pub mod hash127;
pub mod hmac;
pub mod inputs;
pub mod kernels;
pub mod md5;
pub mod names;
pub mod pmac;
pub mod polyval_aes;
pub mod rc6;
pub mod sha1;
pub mod sum_macs;
pub mod umac_1999;
pub mod umac_2000;
pub mod umac_rfc4418;
pub mod universal;
pub mod wide;
