//! Five limbs of 26 bits with a sign, in 256-bit registers: groups of eight words.
//!
//! ```text
//! load       m0 m1 m2 m3 m4 m5 m6 m7
//! even       m0    m2    m4    m6             the lower half of each 64-bit lane is multiplied
//! odd        m1    m3    m5    m7             by a shift
//! then for each limb: sum += even * the limbs of its powers + odd * those of its powers
//! ```
#![allow(unsafe_code)]

use super::super::field::{add, fold_signed};
use super::{Key, WORDS};
use core::arch::x86_64::*;
use core::hint::black_box;

/// Limbs of a power.
const LIMBS: usize = 5;
/// Words of a group.
const EIGHT: usize = 8;
/// Numbers of a group in the key: for each limb those of the even words, then those of the odd ones.
const GROUP: usize = LIMBS * EIGHT;

/// Each limb is above -2^25 and at most 2^25, so that no sum of 128 products is outside 64 bits with a sign.
pub(super) fn prepare(key: &mut Key) {
    const BELOW: u128 = (1 << 25) - 1;
    let Key { limbs, powers, unlifts: _ } = key;
    let (of_groups, _) = powers[1..].as_chunks::<EIGHT>();
    for (limbs, powers) in limbs.as_chunks_mut::<GROUP>().0.iter_mut().zip(of_groups.iter().rev()) {
        for (i, power) in powers.iter().rev().enumerate() {
            let mut rest = *power;
            for limb in 0..LIMBS {
                let lifted = rest + BELOW;
                let this = (lifted as u64 & ((1 << 26) - 1)).wrapping_sub(BELOW as u64);
                rest = lifted >> 26;
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
        // Hidden, or the compiler loads the limbs ahead of the loop and spills them.
        let key = black_box(key);
        z = key.step(z, WORDS, sum(key, block));
    }
    if rest.is_empty() { z } else { key.step(z, rest.len(), sum(key, rest)) }
}

/// The sum of 1 to 128 words.
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

/// The number whose limbs are the sums over the lanes.
#[inline]
#[target_feature(enable = "avx2")]
fn total(sums: [__m256i; LIMBS]) -> u128 {
    let [a, b, c, d, e] = sums;
    let (a, b) = two(a, b);
    let (c, d) = two(c, d);
    let (e, _) = two(e, _mm256_setzero_si256());
    let [a, b, c, d, e] = [a, b, c, d, e].map(i128::from);
    // At most 2^90 and 2^116, or as much below 0. 2^127 is 1.
    let (low, high) = (a + (b << 26), c + (d << 26) + (e << 52));
    let above = high as u128 & ((1 << 75) - 1);
    add(fold_signed(low + (high >> 75)), above << 52)
}

/// The sums of the lanes of two registers.
#[inline]
#[target_feature(enable = "avx2")]
fn two(a: __m256i, b: __m256i) -> (i64, i64) {
    // The lanes of both alternate.
    let both = _mm256_add_epi64(_mm256_unpacklo_epi64(a, b), _mm256_unpackhi_epi64(a, b));
    let both = _mm_add_epi64(_mm256_castsi256_si128(both), _mm256_extracti128_si256::<1>(both));
    (_mm_cvtsi128_si64(both), _mm_extract_epi64::<1>(both))
}

#[inline]
#[target_feature(enable = "avx2")]
fn load(words: &[[u8; 4]; EIGHT]) -> __m256i {
    // SAFETY: 32 bytes are read from 32 bytes; no alignment is asked for.
    unsafe { _mm256_loadu_si256(words.as_ptr().cast()) }
}

/// At most eight words, after zeroes.
#[inline]
#[target_feature(enable = "avx2")]
fn load_at_end(words: &[[u8; 4]]) -> __m256i {
    debug_assert!(words.len() <= EIGHT);
    let places = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    let count = _mm256_set1_epi32(words.len() as i32);
    let mask = _mm256_cmpgt_epi32(count, places);
    // SAFETY: the mask lets only the first `words.len()` words be read; no alignment is asked for.
    let words = unsafe { _mm256_maskload_epi32(words.as_ptr().cast(), mask) };
    // Place i takes what is `count` places on, cyclically.
    _mm256_permutevar8x32_epi32(words, _mm256_add_epi32(places, count))
}

#[inline]
#[target_feature(enable = "avx2")]
fn load_limbs(limbs: &[u64; 4]) -> __m256i {
    // SAFETY: 32 bytes are read from 32 bytes; no alignment is asked for.
    unsafe { _mm256_loadu_si256(limbs.as_ptr().cast()) }
}
