//! NH with 16-bit words (draft of October 2000, section 6.1) in 512-bit registers: the x of four units in one, their y
//! in another. VNNI multiplies, adds in pairs and accumulates in one instruction.
#![allow(unsafe_code)]

use super::{STEP, Step, UNIT, row};
use core::arch::asm;
use core::arch::x86_64::*;
use wegman::hazmat::simd::{load512, store128};

row!("avx512f,avx512bw,avx512vnni,bmi2");

/// NH of at most a chunk. Each stream's sum is still spread over sixteen lanes.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vnni,bmi2")]
pub(crate) fn lanes<const STREAMS: usize>(key: &[Step], chunk: &[u8]) -> [__m512i; STREAMS] {
    let (steps, rest) = chunk.as_chunks::<{ STEP * UNIT }>();
    let mut totals = [_mm512_setzero_si512(); STREAMS];
    for (step, lists) in steps.iter().zip(key) {
        let (halves, _) = step.as_chunks();
        add_step(
            &mut totals,
            lists,
            [load512::<[u8; 64]>(&halves[0]), load512::<[u8; 64]>(&halves[1])],
            !0,
        );
    }
    if !rest.is_empty() || steps.is_empty() {
        // Missing units must not count: their keys are not zero.
        let counted = !0 >> (32 - 8 * rest.len().div_ceil(UNIT).max(1));
        let (first, second) = rest.split_at(rest.len().min(2 * UNIT));
        let halves = [load_short(first), load_short(second)];
        add_step(&mut totals, &key[steps.len()], halves, counted);
    }
    totals
}

/// NH of two chunks side by side, which have the same number of whole steps. The keys are loaded once for both.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vnni,bmi2")]
pub(crate) fn lanes_of_two<const STREAMS: usize>(
    key: &[Step],
    [first, second]: [&[u8]; 2],
) -> [[__m512i; STREAMS]; 2] {
    debug_assert!(first.len() == second.len() && first.len().is_multiple_of(STEP * UNIT));
    let mut totals = [[_mm512_setzero_si512(); STREAMS]; 2];
    let steps = first.as_chunks::<{ STEP * UNIT }>().0.iter().zip(second.as_chunks().0);
    for ((first, second), lists) in steps.zip(key) {
        let [(x, y), (x2, y2)] = [first, second].map(|step: &[u8; STEP * UNIT]| {
            let (halves, _) = step.as_chunks();
            halves_of_units(load512::<[u8; 64]>(&halves[0]), load512::<[u8; 64]>(&halves[1]))
        });
        for t in 0..STREAMS {
            let (x_key, y_key) = (load512(&lists[t]), load512(&lists[t + 1]));
            let (a, b) = (_mm512_add_epi16(x, x_key), _mm512_add_epi16(y, y_key));
            totals[0][t] = add_products(totals[0][t], a, b);
            let (a, b) = (_mm512_add_epi16(x2, x_key), _mm512_add_epi16(y2, y_key));
            totals[1][t] = add_products(totals[1][t], a, b);
        }
    }
    totals
}

/// Adds the products of four units, for the words in the mask `counted`.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vnni,bmi2")]
fn add_step<const STREAMS: usize>(
    totals: &mut [__m512i; STREAMS],
    lists: &Step,
    [first, second]: [__m512i; 2],
    counted: __mmask32,
) {
    let (x, y) = halves_of_units(first, second);
    for (t, total) in totals.iter_mut().enumerate() {
        let a = _mm512_maskz_add_epi16(counted, x, load512(&lists[t]));
        let b = _mm512_add_epi16(y, load512(&lists[t + 1]));
        *total = add_products(*total, a, b);
    }
}

/// The x of four units and their y.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vnni,bmi2")]
fn halves_of_units(first: __m512i, second: __m512i) -> (__m512i, __m512i) {
    (_mm512_shuffle_i64x2::<0x88>(first, second), _mm512_shuffle_i64x2::<0xdd>(first, second))
}

/// `_mm512_dpwssd_epi32`. The compiler splits the intrinsic into a multiplication and an addition: six instructions in
/// place of five.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vnni,bmi2")]
fn add_products(mut sum: __m512i, a: __m512i, b: __m512i) -> __m512i {
    // SAFETY: the instruction reads and writes these registers and nothing else.
    unsafe {
        asm!(
            "vpdpwssd {}, {}, {}",
            inout(zmm_reg) sum, in(zmm_reg) a, in(zmm_reg) b,
            options(pure, nomem, nostack, preserves_flags),
        );
    }
    sum
}

/// The sum over all lanes of each of at most four registers, side by side.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vnni,bmi2")]
pub(crate) fn four_sums(totals: &[__m512i]) -> __m128i {
    let total = |t: usize| totals.get(t).copied().unwrap_or(_mm512_setzero_si512());
    let (a, b, c, d) = (total(0), total(1), total(2), total(3));
    let ab = _mm512_add_epi32(_mm512_unpacklo_epi32(a, b), _mm512_unpackhi_epi32(a, b));
    let cd = _mm512_add_epi32(_mm512_unpacklo_epi32(c, d), _mm512_unpackhi_epi32(c, d));
    let all = _mm512_add_epi32(_mm512_unpacklo_epi64(ab, cd), _mm512_unpackhi_epi64(ab, cd));
    let high = _mm512_extracti64x4_epi64::<1>(all);
    let half = _mm256_add_epi32(_mm512_castsi512_si256(all), high);
    _mm_add_epi32(_mm256_castsi256_si128(half), _mm256_extracti128_si256::<1>(half))
}

/// Loads at most 64 bytes, followed by zeroes.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vnni,bmi2")]
pub(crate) fn load_short(bytes: &[u8]) -> __m512i {
    debug_assert!(bytes.len() <= 2 * UNIT);
    let mask = _bzhi_u64(u64::MAX, bytes.len() as u32);
    // SAFETY: the mask lets at most the first `bytes.len()` bytes be read, for any length. (The instruction that makes
    // the mask uses the lowest eight bits of the length.)
    unsafe { _mm512_maskz_loadu_epi8(mask, bytes.as_ptr().cast()) }
}
