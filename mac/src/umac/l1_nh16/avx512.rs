//! NH with 16-bit words in 512-bit registers: the x of four units in one, their y in another. VNNI
//! multiplies, adds in pairs and accumulates in one instruction.
#![allow(unsafe_code)]

use super::{Block, Blocks, MOST, STEP, UNIT};
use core::arch::x86_64::*;

#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
pub(super) fn nh<const STREAMS: usize>(key: Blocks<'_>, chunk: &[u8], sums: &mut [u32]) {
    let (steps, rest) = chunk.as_chunks::<{ STEP * UNIT }>();
    let mut totals = [_mm512_setzero_si512(); STREAMS];
    let count = steps.len();
    let lists: [&[[Block; STEP]]; MOST + 1] =
        core::array::from_fn(|b| if b <= STREAMS { key.list(b, count) } else { &[] });
    for (i, step) in steps.iter().enumerate() {
        let (halves, _) = step.as_chunks();
        let (first, second) = (load(&halves[0]), load(&halves[1]));
        let x = _mm512_shuffle_i64x2::<0x88>(first, second);
        let y = _mm512_shuffle_i64x2::<0xdd>(first, second);
        for (t, total) in totals.iter_mut().enumerate() {
            let a = _mm512_add_epi16(x, load_keys(&lists[t][i]));
            let b = _mm512_add_epi16(y, load_keys(&lists[t + 1][i]));
            *total = _mm512_dpwssd_epi32(*total, a, b);
        }
    }
    if !rest.is_empty() || steps.is_empty() {
        // Units that are not there must not count: their keys would.
        let counted = !0 >> (16 - 4 * rest.len().div_ceil(UNIT).max(1));
        let (first, second) = rest.split_at(rest.len().min(2 * UNIT));
        let (first, second) = (load_front(first), load_front(second));
        let x = _mm512_shuffle_i64x2::<0x88>(first, second);
        let y = _mm512_shuffle_i64x2::<0xdd>(first, second);
        for (t, total) in totals.iter_mut().enumerate() {
            let a = _mm512_add_epi16(x, load_keys(&key.list(t, count + 1)[count]));
            let b = _mm512_add_epi16(y, load_keys(&key.list(t + 1, count + 1)[count]));
            *total = _mm512_mask_dpwssd_epi32(*total, counted, a, b);
        }
    }
    for (sums, totals) in sums.chunks_mut(4).zip(totals.chunks(4)) {
        let total = |t: usize| totals.get(t).copied().unwrap_or(_mm512_setzero_si512());
        let four = four_sums(total(0), total(1), total(2), total(3));
        if let Ok(sums) = <&mut [u32; 4]>::try_from(&mut *sums) {
            // SAFETY: 16 bytes are written to 16 bytes; no alignment is asked for.
            unsafe { _mm_storeu_si128(sums.as_mut_ptr().cast(), four) };
        } else {
            // One or two.
            let two = _mm_cvtsi128_si64(four) as u64;
            sums.iter_mut().zip([two as u32, (two >> 32) as u32]).for_each(|(sum, two)| *sum = two);
        }
    }
}

/// The sums over all lanes of four registers, side by side.
#[inline]
#[target_feature(enable = "avx512f")]
fn four_sums(a: __m512i, b: __m512i, c: __m512i, d: __m512i) -> __m128i {
    let ab = _mm512_add_epi32(_mm512_unpacklo_epi32(a, b), _mm512_unpackhi_epi32(a, b));
    let cd = _mm512_add_epi32(_mm512_unpacklo_epi32(c, d), _mm512_unpackhi_epi32(c, d));
    let all = _mm512_add_epi32(_mm512_unpacklo_epi64(ab, cd), _mm512_unpackhi_epi64(ab, cd));
    let high = _mm512_extracti64x4_epi64::<1>(all);
    let half = _mm256_add_epi32(_mm512_castsi512_si256(all), high);
    _mm_add_epi32(_mm256_castsi256_si128(half), _mm256_extracti128_si256::<1>(half))
}

#[inline]
#[target_feature(enable = "avx512f")]
fn load(bytes: &[u8; 64]) -> __m512i {
    // SAFETY: 64 bytes are read from 64 bytes; no alignment is asked for.
    unsafe { _mm512_loadu_si512(bytes.as_ptr().cast()) }
}

/// At most 64 bytes, zeroes after them.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn load_front(bytes: &[u8]) -> __m512i {
    let mask = (1u128.wrapping_shl(bytes.len() as u32) - 1) as u64;
    // SAFETY: only the slice's bytes, at most 64, are read.
    unsafe { _mm512_maskz_loadu_epi8(mask, bytes.as_ptr().cast()) }
}

#[inline]
#[target_feature(enable = "avx512f")]
fn load_keys(blocks: &[Block; STEP]) -> __m512i {
    // SAFETY: 64 bytes are read from 64 bytes; no alignment is asked for.
    unsafe { _mm512_loadu_si512(blocks.as_ptr().cast()) }
}
