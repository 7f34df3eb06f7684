//! NH of the STD sets in 512-bit registers: eight pairs, each in one 64-bit lane.
#![allow(unsafe_code)]

use super::{Key, PAIR, parts};
use core::arch::x86_64::*;

/// Bytes of eight pairs, which fill a register.
const STEP: usize = 8 * PAIR;

#[target_feature(enable = "avx512f,avx512bw")]
pub(super) fn nh<const T: usize>(keys: &[Key], block: &[u8], sums: &mut [u64]) {
    let (keys, parts) = parts::<T>(keys, block, sums);
    for (chunk, sums) in parts {
        let (steps, rest) = chunk.as_chunks::<STEP>();
        let mut totals = [_mm512_setzero_si512(); T];
        for (i, step) in steps.iter().enumerate() {
            add(&mut totals, keys, i, !0, load(step));
        }
        if !rest.is_empty() {
            // Missing pairs must not count: their keys are not zero.
            let counted = !0 >> (STEP / PAIR - rest.len().div_ceil(PAIR));
            add(&mut totals, keys, steps.len(), counted, load_short(rest));
        }
        *sums = core::array::from_fn(|t| _mm512_reduce_add_epi64(totals[t]) as u64);
    }
}

/// Adds the products of register `i` of a chunk.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn add<const T: usize>(
    totals: &mut [__m512i; T],
    keys: &[Key; T],
    i: usize,
    counted: __mmask8,
    pairs: __m512i,
) {
    for (total, key) in totals.iter_mut().zip(keys) {
        let words = _mm512_add_epi32(pairs, load_key(&key.pairs.as_chunks().0[i]));
        let product = _mm512_maskz_mul_epi32(counted, words, _mm512_srli_epi64::<32>(words));
        *total = _mm512_add_epi64(*total, product);
    }
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn load(bytes: &[u8; STEP]) -> __m512i {
    // SAFETY: 64 bytes are read from 64 bytes; no alignment is asked for.
    unsafe { _mm512_loadu_si512(bytes.as_ptr().cast()) }
}

/// Loads fewer than 64 bytes, followed by zeroes.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn load_short(bytes: &[u8]) -> __m512i {
    debug_assert!(bytes.len() < STEP);
    let mask = 1_u64.wrapping_shl(bytes.len() as u32) - 1;
    // SAFETY: the mask lets at most the first `bytes.len()` bytes be read, for any length. (The shift uses the lowest
    // six bits of the length.)
    unsafe { _mm512_maskz_loadu_epi8(mask, bytes.as_ptr().cast()) }
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn load_key(pairs: &[[u32; 2]; 8]) -> __m512i {
    // SAFETY: 64 bytes are read from 64 bytes; no alignment is asked for.
    unsafe { _mm512_loadu_si512(pairs.as_ptr().cast()) }
}
