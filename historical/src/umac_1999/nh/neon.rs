//! NH of the STD sets in 128-bit registers: the x of four pairs in one, their y in another. NEON's load of pairs
//! separates them.
#![allow(unsafe_code)]

use super::{Key, PAIR, add_pairs, parts};
use core::arch::aarch64::*;

/// Bytes of four pairs, which fill two registers.
const STEP: usize = 4 * PAIR;

#[target_feature(enable = "neon")]
pub(super) fn nh<const T: usize>(keys: &[Key], block: &[u8], sums: &mut [u64]) {
    let (keys, parts) = parts::<T>(keys, block, sums);
    for (chunk, sums) in parts {
        let (steps, rest) = chunk.as_chunks::<STEP>();
        // Two registers of sums for each output, so that neither multiplication waits for the other.
        let mut totals = [[vdupq_n_s64(0); 2]; T];
        for (i, step) in steps.iter().enumerate() {
            let uint32x4x2_t(x, y) = load(step);
            for ([lower, upper], key) in totals.iter_mut().zip(keys) {
                let uint32x4x2_t(kx, ky) = load_key(&key.pairs.as_chunks().0[i]);
                let a = vreinterpretq_s32_u32(vaddq_u32(x, kx));
                let b = vreinterpretq_s32_u32(vaddq_u32(y, ky));
                *lower = vmlal_s32(*lower, vget_low_s32(a), vget_low_s32(b));
                *upper = vmlal_high_s32(*upper, a, b);
            }
        }
        *sums = totals.map(|[lower, upper]| vaddvq_s64(vaddq_s64(lower, upper)) as u64);
        if !rest.is_empty() {
            add_pairs(sums, keys, STEP / PAIR * steps.len(), rest);
        }
    }
}

/// The words of pairs. Their bytes are numbers only on a little-endian machine.
#[inline]
#[target_feature(enable = "neon")]
fn load(bytes: &[u8; STEP]) -> uint32x4x2_t {
    // SAFETY: 32 bytes are read from 32 bytes; no alignment is asked for.
    unsafe { vld2q_u32(bytes.as_ptr().cast()) }
}

#[inline]
#[target_feature(enable = "neon")]
fn load_key(pairs: &[[u32; 2]; 4]) -> uint32x4x2_t {
    // SAFETY: 32 bytes are read from 32 bytes, with the alignment of a word.
    unsafe { vld2q_u32(pairs.as_ptr().cast()) }
}
