//! The sum with five signed 26-bit limbs in 256-bit registers, eight words in a group.
//!
//! ```text
//! load       m0 m1 m2 m3 m4 m5 m6 m7
//! even       m0    m2    m4    m6             the multiplication reads the lower half of each 64-bit lane
//! odd        m1    m3    m5    m7             after a shift
//! for each limb: sum += even * limbs of their powers + odd * limbs of their powers
//! ```
#![allow(unsafe_code)]

use super::super::field::{add, fold_signed};
use super::{Key, WORDS};
use core::arch::x86_64::*;
use core::hint::black_box;

/// Limbs of a power.
const LIMBS: usize = 5;
/// Words in a group.
const EIGHT: usize = 8;
/// Numbers in the key for each group: for each limb, those of the even words, then those of the odd words.
const GROUP: usize = LIMBS * EIGHT;

/// Writes each power in limbs.
///
/// # Bounds
/// In: powers at most p. Out: limbs from 1 - 2^25 to 2^25, the last one from 0 to 2^23. Each step rounds to the nearest
/// multiple of 2^26, so after limb i the rest is at most 2^(101 - 26 i).
pub(super) fn prepare(key: &mut Key) {
    const BELOW: u128 = (1 << 25) - 1; // how far a limb goes below 0
    let Key { limbs, powers, unlifts: _ } = key;
    let (of_groups, _) = powers[1..].as_chunks::<EIGHT>();
    for (limbs, powers) in limbs.as_chunks_mut::<GROUP>().0.iter_mut().zip(of_groups.iter().rev()) {
        for (i, power) in powers.iter().rev().enumerate() {
            let mut rest = *power;
            for limb in 0..LIMBS {
                let lifted = rest + BELOW;
                let this = (lifted as u64 & ((1 << 26) - 1)).wrapping_sub(BELOW as u64);
                rest = lifted >> 26;
                debug_assert!(rest <= 1 << (101 - 26 * limb.min(LIMBS - 2)));
                limbs[limb * EIGHT + i % 2 * 4 + i / 2] = this;
            }
            debug_assert_eq!(rest, 0);
        }
    }
}

#[target_feature(enable = "avx2")]
pub(super) fn absorb(key: &Key, mut z: u128, words: &[[u8; 4]]) -> u128 {
    let (blocks, rest) = words.as_chunks::<WORDS>();
    for block in blocks {
        // Hidden, or the compiler loads the limbs before the loop and spills them.
        let key = black_box(key);
        z = key.step(z, WORDS, sum(key, block));
    }
    if rest.is_empty() { z } else { key.step(z, rest.len(), sum(key, rest)) }
}

/// The sum of the products of 1 to 128 words.
///
/// # Bounds
/// Out: at most p. A word is from -2^31 to 2^31 - 1 and a limb from 1 - 2^25 to 2^25, so a product is from -2^56 to
/// 2^56 - 2^25. All 128 of one limb come to -2^63 up to 2^63 - 2^32: no lane and no sum of lanes overflows.
#[inline]
#[target_feature(enable = "avx2")]
fn sum(key: &Key, words: &[[u8; 4]]) -> u128 {
    let missing = words.len().wrapping_neg() % EIGHT;
    let (first, rest) = words.split_at(EIGHT - missing);
    let (groups, _) = rest.as_chunks();
    let (limbs, _) = key.limbs.as_chunks();
    let limbs = &limbs[WORDS / EIGHT - 1 - groups.len()..];
    let mut sums = [_mm256_setzero_si256(); LIMBS];
    add_group(&mut sums, &limbs[0], load_at_end(first));
    for (group, limbs) in groups.iter().zip(&limbs[1..]) {
        add_group(&mut sums, limbs, load(group));
    }
    total(sums)
}

#[inline]
#[target_feature(enable = "avx2")]
fn add_group(sums: &mut [__m256i; LIMBS], limbs: &[u64; GROUP], words: __m256i) {
    let odd = _mm256_srli_epi64::<32>(words);
    let (limbs, _) = limbs.as_chunks();
    for (i, sum) in sums.iter_mut().enumerate() {
        let even = _mm256_mul_epi32(words, load_limbs(&limbs[2 * i]));
        let odd = _mm256_mul_epi32(odd, load_limbs(&limbs[2 * i + 1]));
        *sum = _mm256_add_epi64(*sum, _mm256_add_epi64(even, odd));
    }
}

/// The number whose limbs are the sums over the lanes, modulo p.
///
/// # Bounds
/// In: for each limb a signed 64-bit sum, the last one at most 2^(31 + 23 + 7) in absolute value. Out: at most p.
#[inline]
#[target_feature(enable = "avx2")]
fn total(sums: [__m256i; LIMBS]) -> u128 {
    let [a, b, c, d, e] = sums;
    let (a, b) = two(a, b);
    let (c, d) = two(c, d);
    let (e, _) = two(e, _mm256_setzero_si256());
    let [a, b, c, d, e] = [a, b, c, d, e].map(i128::from);
    // |low| <= 2^63 + 2^89 and |high| <= 2^63 + 2^89 + 2^113.
    let (low, high) = (a + (b << 26), c + (d << 26) + (e << 52));
    debug_assert!(low.unsigned_abs() < 1 << 90 && high.unsigned_abs() < 1 << 114);
    // `high` has the factor 2^52, and 2^127 = 1 mod p: its bits from 75 on, below 2^39, are added to `low`.
    let above = high as u128 & ((1 << 75) - 1);
    add(fold_signed(low + (high >> 75)), above << 52)
}

/// The sum of the lanes of each of two registers.
#[inline]
#[target_feature(enable = "avx2")]
fn two(a: __m256i, b: __m256i) -> (i64, i64) {
    // Lanes of `a` and `b` alternate.
    let both = _mm256_add_epi64(_mm256_unpacklo_epi64(a, b), _mm256_unpackhi_epi64(a, b));
    let both = _mm_add_epi64(_mm256_castsi256_si128(both), _mm256_extracti128_si256::<1>(both));
    (_mm_cvtsi128_si64(both), _mm_extract_epi64::<1>(both))
}

#[inline]
#[target_feature(enable = "avx2")]
fn load(words: &[[u8; 4]; EIGHT]) -> __m256i {
    // SAFETY: 32 bytes are read from 32 bytes; no alignment is required.
    unsafe { _mm256_loadu_si256(words.as_ptr().cast()) }
}

/// At most eight words, with zeroes before them.
#[inline]
#[target_feature(enable = "avx2")]
fn load_at_end(words: &[[u8; 4]]) -> __m256i {
    debug_assert!(words.len() <= EIGHT);
    let places = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    let count = _mm256_set1_epi32(words.len() as i32);
    let mask = _mm256_cmpgt_epi32(count, places);
    // SAFETY: the mask lets only the first `words.len()` words be read; no alignment is required.
    let words = unsafe { _mm256_maskload_epi32(words.as_ptr().cast(), mask) };
    // Word i of the result is word i + count of the loaded ones, modulo 8.
    _mm256_permutevar8x32_epi32(words, _mm256_add_epi32(places, count))
}

#[inline]
#[target_feature(enable = "avx2")]
fn load_limbs(limbs: &[u64; 4]) -> __m256i {
    // SAFETY: 32 bytes are read from 32 bytes; no alignment is required.
    unsafe { _mm256_loadu_si256(limbs.as_ptr().cast()) }
}
