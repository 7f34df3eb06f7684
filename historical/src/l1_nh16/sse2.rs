//! NH with 16-bit words in 128-bit registers: the x of a unit in one, its y in another. One instruction
//! multiplies eight words and adds the products in pairs.
#![allow(unsafe_code)]

use super::{Block, MOST, STEP, Step, UNIT, padded};
use core::arch::x86_64::*;

#[target_feature(enable = "sse2")]
pub(super) fn nh<const STREAMS: usize>(key: &[Step], chunk: &[u8], sums: &mut [u32]) {
    let (steps, rest) = chunk.as_chunks::<{ STEP * UNIT }>();
    let mut totals = [_mm_setzero_si128(); STREAMS];
    for (step, lists) in steps.iter().zip(key) {
        for (i, unit) in step.as_chunks().0.iter().enumerate() {
            add_unit(&mut totals, lists, i, unit);
        }
    }
    if !rest.is_empty() || steps.is_empty() {
        let lists = &key[steps.len()];
        let (units, rest) = rest.as_chunks();
        for (i, unit) in units.iter().enumerate() {
            add_unit(&mut totals, lists, i, unit);
        }
        if !rest.is_empty() || units.is_empty() {
            add_unit(&mut totals, lists, units.len(), &padded(rest));
        }
    }
    let total = |t: usize| totals.get(t).copied().unwrap_or(_mm_setzero_si128());
    let mut all = [0; MOST];
    for (i, sums) in all.as_chunks_mut::<4>().0.iter_mut().enumerate() {
        let four = four_sums(total(4 * i), total(4 * i + 1), total(4 * i + 2), total(4 * i + 3));
        // SAFETY: 16 bytes are written to 16 bytes; no alignment is asked for.
        unsafe { _mm_storeu_si128(sums.as_mut_ptr().cast(), four) };
    }
    sums.copy_from_slice(&all[..STREAMS]);
}

#[inline]
#[target_feature(enable = "sse2")]
fn add_unit<const STREAMS: usize>(
    totals: &mut [__m128i; STREAMS],
    lists: &Step,
    i: usize,
    unit: &[u8; UNIT],
) {
    let (halves, _) = unit.as_chunks::<16>();
    let (x, y) = (load(&halves[0]), load(&halves[1]));
    for (t, total) in totals.iter_mut().enumerate() {
        let a = _mm_add_epi16(x, load_key(&lists[t][i]));
        let b = _mm_add_epi16(y, load_key(&lists[t + 1][i]));
        *total = _mm_add_epi32(*total, _mm_madd_epi16(a, b));
    }
}

/// The sum over all lanes of each of four registers, side by side.
#[inline]
#[target_feature(enable = "sse2")]
fn four_sums(a: __m128i, b: __m128i, c: __m128i, d: __m128i) -> __m128i {
    let ab = _mm_add_epi32(_mm_unpacklo_epi32(a, b), _mm_unpackhi_epi32(a, b));
    let cd = _mm_add_epi32(_mm_unpacklo_epi32(c, d), _mm_unpackhi_epi32(c, d));
    _mm_add_epi32(_mm_unpacklo_epi64(ab, cd), _mm_unpackhi_epi64(ab, cd))
}

#[inline]
#[target_feature(enable = "sse2")]
fn load(bytes: &[u8; 16]) -> __m128i {
    // SAFETY: 16 bytes are read from 16 bytes; no alignment is asked for.
    unsafe { _mm_loadu_si128(bytes.as_ptr().cast()) }
}

#[inline]
#[target_feature(enable = "sse2")]
fn load_key(block: &Block) -> __m128i {
    // SAFETY: 16 bytes are read from 16 bytes; no alignment is asked for.
    unsafe { _mm_loadu_si128(block.as_ptr().cast()) }
}
