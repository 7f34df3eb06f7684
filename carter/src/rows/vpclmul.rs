//! Whole messages in 256-bit registers: the pads of eight side by side, tags, the ends of messages.
//!
//! # Safety
//! Every function enables CPU features. Call it only on a machine that has them, as a row of kernels ensures.
#![allow(unsafe_code)]
#![allow(clippy::missing_safety_doc, reason = "the module's documentation has it")]

use super::{HashKey, order_of_shift};
use crate::field::vpclmul::twice;
use core::arch::x86_64::*;
use wegman::Tag;
use wegman::cipher::Block;
use wegman::hazmat::pads::{Blocks, two_blocks};

/// The bytes of a block from byte `from` on, 0 to 16, and zeroes after them, in both lanes.
#[inline]
#[target_feature(enable = "avx2")]
pub fn twice_from(from: usize, block: &Block) -> __m256i {
    _mm256_shuffle_epi8(twice(block), twice(order_of_shift(from)))
}

/// The pads of eight messages, from the blocks of their nonces.
#[inline]
#[target_feature(enable = "avx2,bmi2,aes,vaes,pclmulqdq,vpclmulqdq")]
pub fn pads8<const ROUNDS: usize>(key: &impl HashKey, blocks: &Blocks) -> [__m256i; 4] {
    let rounds = key.rounds();
    let first = twice(&rounds[0]);
    let mut states = [first; 4];
    for (from, state) in (0..).step_by(2).zip(&mut states) {
        *state = _mm256_xor_si256(*state, two_blocks(blocks, from));
    }
    for round in &rounds[1..ROUNDS] {
        let round = twice(round);
        states = states.map(|state| _mm256_aesenc_epi128(state, round));
    }
    let last = twice(&rounds[ROUNDS]);
    states.map(|state| _mm256_aesenclast_epi128(state, last))
}

/// Writes the tags of two messages.
#[inline]
#[target_feature(enable = "avx2")]
pub fn store2(tags: &mut [Tag<16>; 2], hashes: __m256i, pads: __m256i) {
    // SAFETY: 32 bytes are written to 32 bytes; no alignment is required.
    unsafe { _mm256_storeu_si256(tags.as_mut_ptr().cast(), _mm256_xor_si256(hashes, pads)) };
}
