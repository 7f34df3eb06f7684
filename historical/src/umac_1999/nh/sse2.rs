//! NH of the STD sets in 128-bit registers: two pairs, each in one 64-bit lane.
//!
//! The multiplication is unsigned: `s32(a) * s32(b) = a * b - 2^32 (b if a is negative) - 2^32 (a if b is)`.
//! `excesses` sum what is to be subtracted, in 32-bit lanes that count multiples of 2^32.
#![allow(unsafe_code)]

use super::{Key, PAIR, add_pairs, parts};
use core::arch::x86_64::*;

/// Bytes of two pairs, which fill a register.
const STEP: usize = 2 * PAIR;

#[target_feature(enable = "sse2")]
pub(super) fn nh<const T: usize>(keys: &[Key], block: &[u8], sums: &mut [u64]) {
    let (keys, parts) = parts::<T>(keys, block, sums);
    for (chunk, sums) in parts {
        let (steps, rest) = chunk.as_chunks::<STEP>();
        let mut totals = [_mm_setzero_si128(); T];
        let mut excesses = [_mm_setzero_si128(); T];
        for (i, step) in steps.iter().enumerate() {
            let pairs = load(step);
            for ((total, excess), key) in totals.iter_mut().zip(&mut excesses).zip(keys) {
                let words = _mm_add_epi32(pairs, load_key(&key.pairs.as_chunks().0[i]));
                let swapped = _mm_shuffle_epi32::<0b10_11_00_01>(words);
                *total = _mm_add_epi64(*total, _mm_mul_epu32(words, swapped));
                let other = _mm_and_si128(_mm_srai_epi32::<31>(words), swapped);
                *excess = _mm_add_epi32(*excess, other);
            }
        }
        *sums = core::array::from_fn(|t| horizontal(totals[t], excesses[t]));
        if !rest.is_empty() {
            add_pairs(sums, keys, STEP / PAIR * steps.len(), rest);
        }
    }
}

#[inline]
#[target_feature(enable = "sse2")]
fn horizontal(total: __m128i, excess: __m128i) -> u64 {
    let lower = _mm_slli_epi64::<32>(excess);
    let upper = _mm_slli_epi64::<32>(_mm_srli_epi64::<32>(excess));
    let total = _mm_sub_epi64(total, _mm_add_epi64(lower, upper));
    _mm_cvtsi128_si64(_mm_add_epi64(total, _mm_unpackhi_epi64(total, total))) as u64
}

#[inline]
#[target_feature(enable = "sse2")]
fn load(bytes: &[u8; STEP]) -> __m128i {
    // SAFETY: 16 bytes are read from 16 bytes; no alignment is asked for.
    unsafe { _mm_loadu_si128(bytes.as_ptr().cast()) }
}

#[inline]
#[target_feature(enable = "sse2")]
fn load_key(pairs: &[[u32; 2]; 2]) -> __m128i {
    // SAFETY: 16 bytes are read from 16 bytes; no alignment is asked for.
    unsafe { _mm_loadu_si128(pairs.as_ptr().cast()) }
}
