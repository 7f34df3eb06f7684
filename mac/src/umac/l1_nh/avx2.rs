//! NH in 256-bit registers: one unit, the two words of a product in one 64-bit lane.
//!
//! ```text
//! load     x0 x1 x2 x3 y0 y1 y2 y3
//! permute  x0 y0 x1 y1 x2 y2 x3 y3
//! then for each stream: add the key, shift the y down, multiply, add to the stream's sums
//! ```
#![allow(unsafe_code)]

use super::{Key, UNIT, padded, parts};
use core::arch::x86_64::*;
use core::hint::black_box;

#[target_feature(enable = "avx2")]
pub(super) fn nh<const STREAMS: usize, const SIGNED: bool>(
    key: &Key,
    message: &[u8],
    sums: &mut [u64],
) {
    for (part, sums) in parts::<STREAMS>(message, sums) {
        // Hidden from the compiler, which would load the whole key ahead of the loop and spill it.
        let key = black_box(key);
        let mut totals = [_mm256_setzero_si256(); STREAMS];
        // Four units in each round: the compiler unrolls four, whatever the number of streams.
        let (rounds, few) = part.as_chunks::<{ 4 * UNIT }>();
        for (i, round) in rounds.iter().enumerate() {
            for (j, unit) in round.as_chunks().0.iter().enumerate() {
                add_unit::<STREAMS, SIGNED>(&mut totals, key, 4 * i + j, unit);
            }
        }
        let (units, rest) = few.as_chunks();
        for (j, unit) in units.iter().enumerate() {
            add_unit::<STREAMS, SIGNED>(&mut totals, key, 4 * rounds.len() + j, unit);
        }
        if !rest.is_empty() || part.is_empty() {
            add_unit::<STREAMS, SIGNED>(
                &mut totals,
                key,
                4 * rounds.len() + units.len(),
                &padded(rest),
            );
        }
        for (sum, total) in sums.iter_mut().zip(totals) {
            *sum = horizontal(total);
        }
    }
}

#[inline]
#[target_feature(enable = "avx2")]
fn add_unit<const STREAMS: usize, const SIGNED: bool>(
    totals: &mut [__m256i; STREAMS],
    key: &Key,
    i: usize,
    unit: &[u8; UNIT],
) {
    let pairs = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
    let unit = _mm256_permutevar8x32_epi32(load(unit), pairs);
    for (t, total) in totals.iter_mut().enumerate() {
        let sum = _mm256_add_epi32(unit, load_key(key.pairs(t, i)));
        let upper = _mm256_srli_epi64::<32>(sum);
        let product =
            if SIGNED { _mm256_mul_epi32(sum, upper) } else { _mm256_mul_epu32(sum, upper) };
        *total = _mm256_add_epi64(*total, product);
    }
}

#[inline]
#[target_feature(enable = "avx2")]
fn horizontal(lanes: __m256i) -> u64 {
    let two = _mm_add_epi64(_mm256_castsi256_si128(lanes), _mm256_extracti128_si256::<1>(lanes));
    _mm_cvtsi128_si64(_mm_add_epi64(two, _mm_unpackhi_epi64(two, two))) as u64
}

#[inline]
#[target_feature(enable = "avx2")]
fn load(bytes: &[u8; 32]) -> __m256i {
    // SAFETY: 32 bytes are read from 32 bytes; no alignment is asked for.
    unsafe { _mm256_loadu_si256(bytes.as_ptr().cast()) }
}

#[inline]
#[target_feature(enable = "avx2")]
fn load_key(words: &[u32; 8]) -> __m256i {
    // SAFETY: 32 bytes are read from 32 bytes; no alignment is asked for.
    unsafe { _mm256_loadu_si256(words.as_ptr().cast()) }
}
