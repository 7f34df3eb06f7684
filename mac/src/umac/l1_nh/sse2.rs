//! NH in 128-bit registers: the x of a unit in one, its y in another.
//!
//! Stream `t` finds its keys `t` registers further on, so the key of one stream's y is the key of
//! the next one's x, and every key is loaded once a unit.
#![allow(unsafe_code)]

use super::{Key, UNIT, padded, parts};
use core::arch::x86_64::*;

#[target_feature(enable = "sse2")]
pub(super) fn nh<const STREAMS: usize>(key: &Key, message: &[u8], sums: &mut [u64]) {
    for (part, sums) in parts::<STREAMS>(message, sums) {
        let (units, rest) = part.as_chunks::<UNIT>();
        let mut totals = [_mm_setzero_si128(); STREAMS];
        for (i, unit) in units.iter().enumerate() {
            add_unit(&mut totals, key, i, unit);
        }
        if !rest.is_empty() || units.is_empty() {
            add_unit(&mut totals, key, units.len(), &padded(rest));
        }
        for (sum, total) in sums.iter_mut().zip(totals) {
            let both = _mm_add_epi64(total, _mm_unpackhi_epi64(total, total));
            *sum = _mm_cvtsi128_si64(both) as u64;
        }
    }
}

#[inline]
#[target_feature(enable = "sse2")]
fn add_unit<const STREAMS: usize>(
    totals: &mut [__m128i; STREAMS],
    key: &Key,
    i: usize,
    unit: &[u8; UNIT],
) {
    let (halves, _) = unit.as_chunks::<16>();
    let (x, y) = (load(&halves[0]), load(&halves[1]));
    let keys = &key.words.as_chunks::<4>().0[2 * i..][..STREAMS + 1];
    for (t, total) in totals.iter_mut().enumerate() {
        let a = _mm_add_epi32(x, load_key(&keys[t]));
        let b = _mm_add_epi32(y, load_key(&keys[t + 1]));
        let (upper_a, upper_b) = (_mm_srli_epi64::<32>(a), _mm_srli_epi64::<32>(b));
        *total = _mm_add_epi64(*total, _mm_mul_epu32(a, b));
        *total = _mm_add_epi64(*total, _mm_mul_epu32(upper_a, upper_b));
    }
}

#[inline]
#[target_feature(enable = "sse2")]
fn load(bytes: &[u8; 16]) -> __m128i {
    // SAFETY: 16 bytes are read from 16 bytes; no alignment is asked for.
    unsafe { _mm_loadu_si128(bytes.as_ptr().cast()) }
}

#[inline]
#[target_feature(enable = "sse2")]
fn load_key(words: &[u32; 4]) -> __m128i {
    // SAFETY: 16 bytes are read from 16 bytes; no alignment is asked for.
    unsafe { _mm_loadu_si128(words.as_ptr().cast()) }
}
