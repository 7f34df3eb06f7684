//! NH with 16-bit words in 128-bit registers: the x of a unit in one, its y in another. One instruction
//! multiplies eight words and adds the products in pairs.
#![allow(unsafe_code)]

use super::{Block, Blocks, MOST, UNIT, padded};
use core::arch::x86_64::*;

#[target_feature(enable = "sse2")]
pub(super) fn nh<const STREAMS: usize>(key: Blocks<'_>, chunk: &[u8], sums: &mut [u32]) {
    let (units, rest) = chunk.as_chunks::<UNIT>();
    let lists = lists::<STREAMS>(key);
    let mut totals = [_mm_setzero_si128(); STREAMS];
    for (i, unit) in units.iter().enumerate() {
        add_unit(&mut totals, &lists, i, unit);
    }
    if !rest.is_empty() || units.is_empty() {
        add_unit(&mut totals, &lists, units.len(), &padded(rest));
    }
    for (sum, total) in sums.iter_mut().zip(totals) {
        let half = _mm_add_epi32(total, _mm_unpackhi_epi64(total, total));
        let both = _mm_add_epi32(half, _mm_shuffle_epi32::<1>(half));
        *sum = _mm_cvtsi128_si32(both) as u32;
    }
}

/// The key's lists; those of no stream are empty.
#[inline(always)]
fn lists<const STREAMS: usize>(key: Blocks<'_>) -> [&[[Block; 1]]; MOST + 1] {
    core::array::from_fn(|b| if b <= STREAMS { key.list(b, key.units) } else { &[] })
}

#[inline]
#[target_feature(enable = "sse2")]
fn add_unit<const STREAMS: usize>(
    totals: &mut [__m128i; STREAMS],
    lists: &[&[[Block; 1]]; MOST + 1],
    i: usize,
    unit: &[u8; UNIT],
) {
    let (halves, _) = unit.as_chunks::<16>();
    let (x, y) = (load(&halves[0]), load(&halves[1]));
    for (t, total) in totals.iter_mut().enumerate() {
        let a = _mm_add_epi16(x, load_key(&lists[t][i][0]));
        let b = _mm_add_epi16(y, load_key(&lists[t + 1][i][0]));
        *total = _mm_add_epi32(*total, _mm_madd_epi16(a, b));
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
fn load_key(block: &Block) -> __m128i {
    // SAFETY: 16 bytes are read from 16 bytes; no alignment is asked for.
    unsafe { _mm_loadu_si128(block.as_ptr().cast()) }
}
