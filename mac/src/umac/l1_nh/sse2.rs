//! NH in 128-bit registers: the x of a unit in one, its y in another.
//!
//! The keys of stream `t` start `t` registers later. So the key of a stream's y is the key of the next
//! stream's x, and every key is loaded once for each unit.
//!
//! The multiplication is unsigned: `s32(a) * s32(b) = a * b - 2^32 (b if a is negative) - 2^32 (a if b is)`.
//! `excess` sums what is to be subtracted, in 32-bit lanes that count multiples of 2^32.
#![allow(unsafe_code)]

use super::{Key, UNIT, padded, parts};
use core::arch::x86_64::*;

#[target_feature(enable = "sse2")]
pub(super) fn nh<const STREAMS: usize, const SIGNED: bool>(
    key: &Key,
    message: &[u8],
    sums: &mut [u64],
) {
    for (part, sums) in parts::<STREAMS>(message, sums) {
        let (units, rest) = part.as_chunks::<UNIT>();
        let mut totals = [Total { sum: _mm_setzero_si128(), excess: _mm_setzero_si128() }; STREAMS];
        for (i, unit) in units.iter().enumerate() {
            add_unit::<STREAMS, SIGNED>(&mut totals, key, i, unit);
        }
        if !rest.is_empty() || units.is_empty() {
            add_unit::<STREAMS, SIGNED>(&mut totals, key, units.len(), &padded(rest));
        }
        for (sum, total) in sums.iter_mut().zip(totals) {
            *sum = horizontal(total);
        }
    }
}

/// A stream's sums so far.
#[derive(Clone, Copy)]
struct Total {
    sum: __m128i,
    /// Zero unless `SIGNED`.
    excess: __m128i,
}

#[inline]
#[target_feature(enable = "sse2")]
fn add_unit<const STREAMS: usize, const SIGNED: bool>(
    totals: &mut [Total; STREAMS],
    key: &Key,
    i: usize,
    unit: &[u8; UNIT],
) {
    let (halves, _) = unit.as_chunks::<16>();
    let (x, y) = (load(&halves[0]), load(&halves[1]));
    let keys = &key.words.as_chunks::<4>().0[2 * i..][..STREAMS + 1];
    for (t, Total { sum, excess }) in totals.iter_mut().enumerate() {
        let a = _mm_add_epi32(x, load_key(&keys[t]));
        let b = _mm_add_epi32(y, load_key(&keys[t + 1]));
        let (upper_a, upper_b) = (_mm_srli_epi64::<32>(a), _mm_srli_epi64::<32>(b));
        *sum = _mm_add_epi64(*sum, _mm_mul_epu32(a, b));
        *sum = _mm_add_epi64(*sum, _mm_mul_epu32(upper_a, upper_b));
        if SIGNED {
            *excess = _mm_add_epi32(*excess, _mm_and_si128(_mm_srai_epi32::<31>(a), b));
            *excess = _mm_add_epi32(*excess, _mm_and_si128(_mm_srai_epi32::<31>(b), a));
        }
    }
}

#[inline]
#[target_feature(enable = "sse2")]
fn horizontal(Total { sum, excess }: Total) -> u64 {
    let lower = _mm_slli_epi64::<32>(excess);
    let upper = _mm_slli_epi64::<32>(_mm_srli_epi64::<32>(excess));
    let total = _mm_sub_epi64(sum, _mm_add_epi64(lower, upper));
    _mm_cvtsi128_si64(_mm_add_epi64(total, _mm_unpackhi_epi64(total, total))) as u64
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
