//! Whole messages in 512-bit registers: POLYVAL (RFC 8452, section 3) and the pad.
//!
//! ```text
//! Y = 0;  for each block X of the message, and for its length:  Y = dot(Y xor X, H)
//! tag = Y xor E(nonce)
//! ```
//!
//! The kernels depart from this:
//!
//! 1. Up to 64 blocks, each times a power of H, share a reduction ([`hash`](super)).
//! 2. Four blocks side by side have a lane each; the lanes are added at the end.
//! 3. Up to 16 bytes need no wide register, and up to 64 bytes no loop.
//! 4. The pad is encrypted beside the hash.

use super::kernel::{absorb_chunks, finish_from, plus_length};
use super::{CHUNK, Key, MOST};
use core::arch::x86_64::*;
use wegman::cipher::Block;
use wegman::hazmat::buffer::not_last;
use wegman_carter::hazmat::lanes::{Avx512, Lanes, Parts, Single as _};

/// Rounds of AES-128.
const ROUNDS: usize = 10;

#[target_feature(enable = "sse2,avx512f,avx512bw,avx512vl,bmi2,aes,vaes,pclmulqdq,vpclmulqdq")]
pub(super) fn tag(key: &Key, block: u128, message: &[u8], tag: &mut Block) {
    // Each arm is a jump to a function that calls no other: across calls, vectors would go through memory.
    match message.len() {
        ..=16 => tag_of_16(key, block, message, tag),
        17..=64 => tag_of_64(key, block, message, tag),
        65..=CHUNK => tag_of_chunk(key, block, message, tag),
        _ => tag_of_chunks(key, block, message, tag),
    }
}

#[inline(never)]
#[target_feature(enable = "sse2,avx512f,avx512bw,avx512vl,bmi2,aes,vaes,pclmulqdq,vpclmulqdq")]
fn tag_of_16(key: &Key, block: u128, message: &[u8], tag: &mut Block) {
    let isa = Avx512::new();
    let (single, bits) = (isa.single(), 8 * message.len() as u64);
    let x = isa.load_short_16(message);
    let zero = Parts { low: single.zero(), middle: single.zero(), high: single.zero() };
    let product = single.plus_product(zero, x, single.spread(key.power(2)));
    store(key, block, single.reduce(plus_length(single, key, product, bits)), tag);
    // The compiler does this only after using wider registers. Upper halves that other code left in use make
    // everything that follows slow: 115 cycles for a tag instead of 25.
    _mm256_zeroupper();
}

#[inline(never)]
#[target_feature(enable = "sse2,avx512f,avx512bw,avx512vl,bmi2,aes,vaes,pclmulqdq,vpclmulqdq")]
fn tag_of_64(key: &Key, block: u128, message: &[u8], tag: &mut Block) {
    let (isa, bits) = (Avx512::new(), 8 * message.len() as u64);
    let hash = isa.reduce(plus_length(isa, key, products(key, message), bits));
    store(key, block, isa.sum_of_lanes(hash), tag);
}

#[inline(never)]
#[target_feature(enable = "sse2,avx512f,avx512bw,avx512vl,bmi2,aes,vaes,pclmulqdq,vpclmulqdq")]
fn tag_of_chunk(key: &Key, block: u128, message: &[u8], tag: &mut Block) {
    let isa = Avx512::new();
    let hash = finish_from(isa, key, isa.zero(), message, 8 * message.len() as u64);
    store(key, block, hash, tag);
}

#[inline(never)]
#[target_feature(enable = "sse2,avx512f,avx512bw,avx512vl,bmi2,aes,vaes,pclmulqdq,vpclmulqdq")]
fn tag_of_chunks(key: &Key, block: u128, message: &[u8], tag: &mut Block) {
    let isa = Avx512::new();
    let (chunks, last) = not_last(message);
    let y = absorb_chunks(isa, key, isa.single().zero(), chunks);
    let hash = finish_from(isa, key, isa.alone(y), last, 8 * message.len() as u64);
    store(key, block, hash, tag);
}

#[inline]
#[target_feature(enable = "sse2,avx512f,avx512bw,avx512vl,bmi2,aes,vaes,pclmulqdq,vpclmulqdq")]
fn store(key: &Key, block: u128, hash: __m128i, tag: &mut Block) {
    let single = Avx512::new().single();
    let pad = single.pad::<ROUNDS>(&key.rounds, block);
    single.store(core::slice::from_mut(tag), single.xor(pad, hash));
}

/// The products of at most 64 bytes with their powers.
#[inline]
#[target_feature(enable = "sse2,avx512f,avx512bw,avx512vl,bmi2,aes,vaes,pclmulqdq,vpclmulqdq")]
fn products(key: &Key, message: &[u8]) -> Parts<__m512i> {
    let isa = Avx512::new();
    let n = message.len().div_ceil(16) + 1;
    debug_assert!(n <= 5);
    // H^n and the three powers below it.
    let (last, _) = key.powers[super::FIRST + MOST - 5..].as_flattened().split_at(16 * 9);
    let powers = isa.load(&last[16 * (5 - n.min(5))..]);
    let zero = Parts { low: isa.zero(), middle: isa.zero(), high: isa.zero() };
    isa.plus_product(zero, isa.load_some(message), powers)
}
