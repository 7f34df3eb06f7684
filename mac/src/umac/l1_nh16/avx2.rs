//! NH with 16-bit words in 256-bit registers: the x of two units in one, their y in another.
#![allow(unsafe_code)]

use super::{Block, Blocks, MOST, UNIT, padded};
use core::arch::x86_64::*;

#[target_feature(enable = "avx2")]
pub(super) fn nh<const STREAMS: usize>(key: Blocks<'_>, chunk: &[u8], sums: &mut [u32]) {
    let (pairs, rest) = chunk.as_chunks::<{ 2 * UNIT }>();
    let mut totals = [_mm256_setzero_si256(); STREAMS];
    let count = pairs.len();
    let lists: [&[[Block; 2]]; MOST + 1] =
        core::array::from_fn(|b| if b <= STREAMS { key.list(b, count) } else { &[] });
    for (i, pair) in pairs.iter().enumerate() {
        let (units, _) = pair.as_chunks();
        let (first, second) = (load(&units[0]), load(&units[1]));
        let x = _mm256_permute2x128_si256::<0x20>(first, second);
        let y = _mm256_permute2x128_si256::<0x31>(first, second);
        for (t, total) in totals.iter_mut().enumerate() {
            let a = _mm256_add_epi16(x, load_keys(&lists[t][i]));
            let b = _mm256_add_epi16(y, load_keys(&lists[t + 1][i]));
            *total = _mm256_add_epi32(*total, _mm256_madd_epi16(a, b));
        }
    }
    let mut ends = [_mm_setzero_si128(); STREAMS];
    match rest.split_first_chunk() {
        Some((unit, rest)) => {
            add_unit(&mut ends, key, 2 * count, unit);
            if !rest.is_empty() {
                add_unit(&mut ends, key, 2 * count + 1, &padded(rest));
            }
        }
        None if rest.is_empty() && count > 0 => {}
        None => add_unit(&mut ends, key, 2 * count, &padded(rest)),
    }
    for (sum, (total, end)) in sums.iter_mut().zip(totals.into_iter().zip(ends)) {
        let high = _mm_add_epi32(end, _mm256_extracti128_si256::<1>(total));
        let four = _mm_add_epi32(_mm256_castsi256_si128(total), high);
        let half = _mm_add_epi32(four, _mm_unpackhi_epi64(four, four));
        let both = _mm_add_epi32(half, _mm_shuffle_epi32::<1>(half));
        *sum = _mm_cvtsi128_si32(both) as u32;
    }
}

/// What is left of a chunk, a unit at a time.
#[inline]
#[target_feature(enable = "avx2")]
fn add_unit<const STREAMS: usize>(
    totals: &mut [__m128i; STREAMS],
    key: Blocks<'_>,
    i: usize,
    unit: &[u8; UNIT],
) {
    let unit = load(unit);
    let (x, y) = (_mm256_castsi256_si128(unit), _mm256_extracti128_si256::<1>(unit));
    for (t, total) in totals.iter_mut().enumerate() {
        let a = _mm_add_epi16(x, load_key(&key.list::<1>(t, key.units)[i][0]));
        let b = _mm_add_epi16(y, load_key(&key.list::<1>(t + 1, key.units)[i][0]));
        *total = _mm_add_epi32(*total, _mm_madd_epi16(a, b));
    }
}

#[inline]
#[target_feature(enable = "avx2")]
fn load(unit: &[u8; UNIT]) -> __m256i {
    // SAFETY: 32 bytes are read from 32 bytes; no alignment is asked for.
    unsafe { _mm256_loadu_si256(unit.as_ptr().cast()) }
}

#[inline]
#[target_feature(enable = "avx2")]
fn load_key(block: &Block) -> __m128i {
    // SAFETY: 16 bytes are read from 16 bytes; no alignment is asked for.
    unsafe { _mm_loadu_si128(block.as_ptr().cast()) }
}

#[inline]
#[target_feature(enable = "avx2")]
fn load_keys(blocks: &[Block; 2]) -> __m256i {
    // SAFETY: 32 bytes are read from 32 bytes; no alignment is asked for.
    unsafe { _mm256_loadu_si256(blocks.as_ptr().cast()) }
}
