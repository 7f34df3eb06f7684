//! NH with 16-bit words (draft of October 2000, section 6.1) in 128-bit registers: the x of a unit in one, its y in
//! another. One instruction multiplies eight words and adds the products in pairs.

use super::{STEP, Step, UNIT, padded, row};
use core::arch::x86_64::*;
use wegman::hazmat::simd::{load128, store128};

row!("sse2");

/// NH of at most a chunk. Each stream's sum is still spread over four lanes.
#[inline]
#[target_feature(enable = "sse2")]
pub(super) fn lanes<const STREAMS: usize>(key: &[Step], chunk: &[u8]) -> [__m128i; STREAMS] {
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
    totals
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
    let (x, y) = (load128(&halves[0]), load128(&halves[1]));
    for (t, total) in totals.iter_mut().enumerate() {
        let a = _mm_add_epi16(x, load128(&lists[t][i]));
        let b = _mm_add_epi16(y, load128(&lists[t + 1][i]));
        *total = _mm_add_epi32(*total, _mm_madd_epi16(a, b));
    }
}

/// The sum over all lanes of each of four registers, side by side.
#[inline]
#[target_feature(enable = "sse2")]
pub(super) fn four_sums(totals: &[__m128i]) -> __m128i {
    let total = |t: usize| totals.get(t).copied().unwrap_or(_mm_setzero_si128());
    let (a, b, c, d) = (total(0), total(1), total(2), total(3));
    let ab = _mm_add_epi32(_mm_unpacklo_epi32(a, b), _mm_unpackhi_epi32(a, b));
    let cd = _mm_add_epi32(_mm_unpacklo_epi32(c, d), _mm_unpackhi_epi32(c, d));
    _mm_add_epi32(_mm_unpacklo_epi64(ab, cd), _mm_unpackhi_epi64(ab, cd))
}
