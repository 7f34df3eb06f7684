//! NH with 16-bit words (draft of October 2000, section 6.1) in 256-bit registers: the x of two units in one, their y
//! in another.

use super::{Eight, STEP, Step, UNIT, padded, row};
use core::arch::x86_64::*;
use wegman::hazmat::buffer::slide;
use wegman::hazmat::simd::{load128, load256, store128};

/// Bytes of two units.
const PAIR: usize = 2 * UNIT;

row!("avx2");

/// NH of at most a chunk. Each stream's sum is still spread over eight lanes.
#[inline]
#[target_feature(enable = "avx2")]
pub(crate) fn lanes<const STREAMS: usize>(key: &[Step], chunk: &[u8]) -> [__m256i; STREAMS] {
    let (steps, rest) = chunk.as_chunks::<{ STEP * UNIT }>();
    let mut totals = [_mm256_setzero_si256(); STREAMS];
    for (step, lists) in steps.iter().zip(key) {
        let (pairs, _) = step.as_chunks();
        add_pair(&mut totals, lists, 0, &pairs[0]);
        add_pair(&mut totals, lists, 1, &pairs[1]);
    }
    if !rest.is_empty() || steps.is_empty() {
        add_rest(&mut totals, &key[steps.len()], chunk, rest.len());
    }
    totals
}

/// Adds the last `left` bytes of a chunk, less than a step.
#[inline]
#[target_feature(enable = "avx2")]
fn add_rest<const STREAMS: usize>(
    totals: &mut [__m256i; STREAMS],
    lists: &Step,
    chunk: &[u8],
    left: usize,
) {
    let mut rest = &chunk[chunk.len() - left..];
    let mut i = 0;
    if let Some((pair, after)) = rest.split_first_chunk() {
        add_pair(totals, lists, 0, pair);
        if after.is_empty() {
            return;
        }
        (i, rest) = (2, after);
    }
    if let Some((unit, after)) = rest.split_first_chunk() {
        add_unit(totals, lists, i, halves(unit));
        if after.is_empty() {
            return;
        }
        (i, rest) = (i + 1, after);
    }
    // No copy is needed if the chunk has more than 16 bytes: a whole block that ends with the chunk can be loaded.
    let unit = match rest.split_first_chunk::<16>() {
        Some((x, [])) => [load128(x), _mm_setzero_si128()],
        Some((x, _)) => [load128(x), tail(chunk)],
        None if chunk.len() > 16 => [tail(chunk), _mm_setzero_si128()],
        None => halves(&padded(rest)),
    };
    add_unit(totals, lists, i, unit);
}

/// The last block of a message of more than 16 bytes: its 1 to 16 bytes, followed by zeroes.
#[inline]
#[target_feature(enable = "avx2")]
pub(crate) fn tail(message: &[u8]) -> __m128i {
    let last = message.last_chunk::<16>().expect("more than 16 bytes");
    _mm_shuffle_epi8(load128(last), load128(slide(message.len().wrapping_neg() % 16)))
}

#[inline]
#[target_feature(enable = "avx2")]
fn add_pair<const STREAMS: usize>(
    totals: &mut [__m256i; STREAMS],
    lists: &Step,
    i: usize,
    pair: &[u8; PAIR],
) {
    let (units, _) = pair.as_chunks();
    let (first, second) = (load256::<[u8; UNIT]>(&units[0]), load256::<[u8; UNIT]>(&units[1]));
    let x = _mm256_permute2x128_si256::<0x20>(first, second);
    let y = _mm256_permute2x128_si256::<0x31>(first, second);
    for (t, total) in totals.iter_mut().enumerate() {
        let a = _mm256_add_epi16(x, load256::<[Eight; 2]>(&lists[t].as_chunks().0[i]));
        let b = _mm256_add_epi16(y, load256::<[Eight; 2]>(&lists[t + 1].as_chunks().0[i]));
        *total = _mm256_add_epi32(*total, _mm256_madd_epi16(a, b));
    }
}

#[inline]
#[target_feature(enable = "avx2")]
fn add_unit<const STREAMS: usize>(
    totals: &mut [__m256i; STREAMS],
    lists: &Step,
    i: usize,
    [x, y]: [__m128i; 2],
) {
    for (t, total) in totals.iter_mut().enumerate() {
        let a = _mm_add_epi16(x, load128(&lists[t][i]));
        let b = _mm_add_epi16(y, load128(&lists[t + 1][i]));
        *total = _mm256_add_epi32(*total, _mm256_zextsi128_si256(_mm_madd_epi16(a, b)));
    }
}

/// The sum over all lanes of each of at most four registers, side by side.
#[inline]
#[target_feature(enable = "avx2")]
pub(crate) fn four_sums(totals: &[__m256i]) -> __m128i {
    let total = |t: usize| totals.get(t).copied().unwrap_or(_mm256_setzero_si256());
    let (a, b, c, d) = (total(0), total(1), total(2), total(3));
    let ab = _mm256_add_epi32(_mm256_unpacklo_epi32(a, b), _mm256_unpackhi_epi32(a, b));
    let cd = _mm256_add_epi32(_mm256_unpacklo_epi32(c, d), _mm256_unpackhi_epi32(c, d));
    let all = _mm256_add_epi32(_mm256_unpacklo_epi64(ab, cd), _mm256_unpackhi_epi64(ab, cd));
    _mm_add_epi32(_mm256_castsi256_si128(all), _mm256_extracti128_si256::<1>(all))
}

#[inline]
#[target_feature(enable = "avx2")]
fn halves(unit: &[u8; UNIT]) -> [__m128i; 2] {
    let (halves, _) = unit.as_chunks();
    [load128::<[u8; 16]>(&halves[0]), load128::<[u8; 16]>(&halves[1])]
}
