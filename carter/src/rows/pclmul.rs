//! Whole messages in 128-bit registers of x86: pads, the ends of messages, tags. pmull.rs has the same functions for
//! ARMv8.
//!
//! # Safety
//! Every function enables CPU features. Call it only on a machine that has them, as a row of kernels ensures.
#![allow(unsafe_code)]
#![allow(clippy::missing_safety_doc, reason = "the module's documentation has it")]

use super::{HashKey, block_and_order, order_of_shift, words_of};
use crate::field::pclmul::{Register, halves, load, of_halves, xor};
use core::arch::x86_64::*;
use wegman::Tag;
use wegman::cipher::Block;

/// The pad: AES of `block`. With 0 rounds, `block` is the pad itself.
#[inline]
#[target_feature(enable = "sse2,aes")]
pub fn pad<const ROUNDS: usize>(key: &impl HashKey, block: u128) -> Register {
    let block = halves(block as u64, (block >> 64) as u64);
    if ROUNDS == 0 {
        return block;
    }
    let rounds = key.rounds();
    let mut state = xor(block, load(&rounds[0]));
    for round in &rounds[1..ROUNDS] {
        state = _mm_aesenc_si128(state, load(round));
    }
    _mm_aesenclast_si128(state, load(&rounds[ROUNDS]))
}

/// The bytes of a block from byte `from` on, 0 to 16, and zeroes after them.
#[inline]
#[target_feature(enable = "sse2,ssse3")]
pub fn bytes_from(from: usize, block: &Block) -> Register {
    _mm_shuffle_epi8(load(block), load(order_of_shift(from)))
}

/// The block at `at` of 16 bytes or more, with zeroes behind their end.
#[inline]
#[target_feature(enable = "sse2,ssse3")]
pub fn block_at(bytes: &[u8], at: usize) -> Register {
    let (block, order) = block_and_order(bytes, at);
    _mm_shuffle_epi8(load(block), load(order))
}

/// Fewer than 16 bytes, and zeroes after them.
#[inline]
#[target_feature(enable = "sse2")]
pub fn few_bytes(bytes: &[u8]) -> Register {
    let [low, high] = words_of(bytes);
    halves(low, high)
}

/// Writes a tag.
#[inline]
#[target_feature(enable = "sse2")]
pub fn store(tag: &mut Tag<16>, value: Register) {
    // SAFETY: 16 bytes are written to 16 bytes; no alignment is required.
    unsafe { _mm_storeu_si128(core::ptr::from_mut(tag).cast(), value) };
}

/// A number as [`with_two`] takes it.
pub type Spread = Register;

/// A block.
#[inline]
#[target_feature(enable = "sse2")]
pub fn spread(block: &Block) -> Spread {
    load(block)
}

/// [`bytes_from`].
#[inline]
#[target_feature(enable = "sse2,ssse3")]
pub fn spread_from(from: usize, block: &Block) -> Spread {
    bytes_from(from, block)
}

/// [`few_bytes`].
#[inline]
#[target_feature(enable = "sse2")]
pub fn spread_few(bytes: &[u8]) -> Spread {
    few_bytes(bytes)
}

/// The sums of a number with each of two keys, as the products of their halves. Out: degree at most 126.
#[inline]
#[target_feature(enable = "sse2,pclmulqdq")]
pub fn with_two(x: Spread, keys: &[Block; 2]) -> [Register; 2] {
    [of_halves(xor(x, load(&keys[0]))), of_halves(xor(x, load(&keys[1])))]
}

/// Prefetches lines of the cache that will be read soon. The other hints were slower from memory, also the one for all
/// caches.
#[inline]
pub fn prefetch<const N: usize>(bytes: &[u8; N]) {
    for line in bytes.as_chunks::<64>().0 {
        #[allow(unused_unsafe)] // newer compilers call it safe
        // SAFETY: the instruction has no effect that the program can see, whatever the address.
        unsafe {
            _mm_prefetch::<_MM_HINT_T2>(line.as_ptr().cast());
        }
    }
}
