//! Signed NH (paper, section 4.4) of 32-bit words in 256-bit registers: four pairs, each in one 64-bit lane.
//!
//! ```text
//! load   x0 y0 | x1 y1 | x2 y2 | x3 y3        64-bit lanes
//! s = these + key
//! sum += s * (s >> 32)                        lower half times upper half, signed
//! ```

use super::{Key, PAIR, add_pairs, parts};
use core::arch::x86_64::*;
use wegman::hazmat::simd::load256;

/// Bytes of four pairs, which fill a register.
const STEP: usize = 4 * PAIR;

#[target_feature(enable = "avx2")]
pub(super) fn nh<const T: usize>(keys: &[Key], block: &[u8], sums: &mut [u64]) {
    let (keys, parts) = parts::<T>(keys, block, sums);
    for (chunk, sums) in parts {
        let (steps, rest) = chunk.as_chunks::<STEP>();
        let mut totals = [_mm256_setzero_si256(); T];
        for (i, step) in steps.iter().enumerate() {
            let pairs = load256(step);
            for (total, key) in totals.iter_mut().zip(keys) {
                let words = _mm256_add_epi32(pairs, load256::<[_; 4]>(&key.pairs.as_chunks().0[i]));
                let product = _mm256_mul_epi32(words, _mm256_srli_epi64::<32>(words));
                *total = _mm256_add_epi64(*total, product);
            }
        }
        *sums = core::array::from_fn(|t| horizontal(totals[t]));
        if !rest.is_empty() {
            add_pairs(sums, keys, STEP / PAIR * steps.len(), rest);
        }
    }
}

#[inline]
#[target_feature(enable = "avx2")]
fn horizontal(lanes: __m256i) -> u64 {
    let two = _mm_add_epi64(_mm256_castsi256_si128(lanes), _mm256_extracti128_si256::<1>(lanes));
    _mm_cvtsi128_si64(_mm_add_epi64(two, _mm_unpackhi_epi64(two, two))) as u64
}
