//! Limbs of 52, 52 and 23 bits in 512-bit registers: groups of sixteen words.
//!
//! ```text
//! load       m0 m1 m2 ... m15                 each plus 2^31, since products of 52 bits have no sign
//! even       m0    m2 ... m14                 alone in 64-bit lanes, by a mask
//! odd        m1    m3 ... m15                 by a shift
//! for each limb of 52 bits: lower sum += lower 52 bits of the product, upper sum += the bits above
//! for the limb of 23 bits:  sum += product
//! ```
//!
//! The last limb takes one product of 32 bits and an addition where two instructions of 52 bits would do the same: on
//! Zen 4 the former want the same pipes as the latter, and additions may go to others.
#![allow(unsafe_code)]

use super::super::field::{P, add, mul};
use super::{Key, SIXTEEN, WORDS};
use core::arch::x86_64::*;
use core::hint::black_box;

/// Limbs of a power.
const LIMBS: usize = 3;
/// Bits of a limb but the last.
const BITS: u32 = 52;
/// Numbers of a group in the key: for each limb those of the even words, then those of the odd ones.
const GROUP: usize = LIMBS * SIXTEEN;

pub(super) fn prepare(key: &mut Key) {
    let Key { limbs, powers, unlifts } = key;
    let (of_groups, _) = powers[1..].as_chunks::<SIXTEEN>();
    for (limbs, powers) in limbs.as_chunks_mut::<GROUP>().0.iter_mut().zip(of_groups.iter().rev()) {
        for (i, power) in powers.iter().rev().enumerate() {
            for limb in 0..LIMBS {
                let this = (power >> (BITS * limb as u32)) as u64 & ((1 << BITS) - 1);
                limbs[limb * SIXTEEN + i % 2 * 8 + i / 2] = this;
            }
        }
    }
    // r + ... + r^16: twice as many powers each time.
    let sum = [1, 2, 4, 8].iter().fold(powers[1], |sum, n| add(sum, mul(sum, powers[*n])));
    let sixteen = P - mul(sum, 1 << 31);
    for n in 1..unlifts.len() {
        unlifts[n] = add(mul(unlifts[n - 1], powers[SIXTEEN]), sixteen);
    }
}

#[target_feature(enable = "avx512f,avx512ifma")]
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
#[target_feature(enable = "avx512f,avx512ifma")]
fn sum(key: &Key, words: &[[u8; 4]]) -> u128 {
    let missing = words.len().wrapping_neg() % SIXTEEN;
    let (first, rest) = words.split_at(SIXTEEN - missing);
    let (groups, _) = rest.as_chunks();
    let (limbs, _) = key.limbs.as_chunks();
    let limbs = &limbs[WORDS / SIXTEEN - 1 - groups.len()..];
    let mut sums = Sums([_mm512_setzero_si512(); 5]);
    sums.add_group(&limbs[0], load_at_end(first));
    for (group, limbs) in groups.iter().zip(&limbs[1..]) {
        sums.add_group(limbs, load(group));
    }
    add(sums.total(), key.unlifts[1 + groups.len()])
}

/// Of the first limb the lower and the upper sum, of the second one, too, and that of the last.
struct Sums([__m512i; 5]);

impl Sums {
    #[inline]
    #[target_feature(enable = "avx512f,avx512ifma")]
    fn add_group(&mut self, limbs: &[u64; GROUP], words: __m512i) {
        let lifted = _mm512_xor_si512(words, _mm512_set1_epi32(i32::MIN));
        let even = _mm512_and_si512(lifted, _mm512_set1_epi64(0xffff_ffff));
        let odd = _mm512_srli_epi64::<32>(lifted);
        let (limbs, _) = limbs.as_chunks();
        let Sums([low0, high0, low1, high1, last]) = self;
        for (half, words) in [even, odd].into_iter().enumerate() {
            let limb = load_limbs(&limbs[half]);
            *low0 = _mm512_madd52lo_epu64(*low0, words, limb);
            *high0 = _mm512_madd52hi_epu64(*high0, words, limb);
            let limb = load_limbs(&limbs[2 + half]);
            *low1 = _mm512_madd52lo_epu64(*low1, words, limb);
            *high1 = _mm512_madd52hi_epu64(*high1, words, limb);
            let limb = load_limbs(&limbs[4 + half]);
            *last = _mm512_add_epi64(*last, _mm512_mul_epu32(words, limb));
        }
    }

    /// The number whose limbs are the sums over the lanes.
    #[inline]
    #[target_feature(enable = "avx512f")]
    fn total(self) -> u128 {
        let Sums([low0, high0, low1, high1, last]) = self;
        let (low, middle) = two(low0, _mm512_add_epi64(high0, low1));
        let (high, _) = two(_mm512_add_epi64(high1, last), _mm512_setzero_si512());
        // Of 128 words: below 2^59, 2^60 and 2^63.
        debug_assert!(low >> 59 == 0 && middle >> 60 == 0 && high >> 63 == 0);
        // 2^127 is 1, and `high` has the factor 2^104.
        let below = u128::from(low) + u128::from(high >> 23) + (u128::from(middle) << BITS);
        add(below, u128::from(high & ((1 << 23) - 1)) << (2 * BITS))
    }
}

/// The sums of the lanes of two registers.
#[inline]
#[target_feature(enable = "avx512f")]
fn two(a: __m512i, b: __m512i) -> (u64, u64) {
    let half =
        |all| _mm256_add_epi64(_mm512_castsi512_si256(all), _mm512_extracti64x4_epi64::<1>(all));
    let (a, b) = (half(a), half(b));
    // The lanes of both alternate.
    let both = _mm256_add_epi64(_mm256_unpacklo_epi64(a, b), _mm256_unpackhi_epi64(a, b));
    let both = _mm_add_epi64(_mm256_castsi256_si128(both), _mm256_extracti128_si256::<1>(both));
    (_mm_cvtsi128_si64(both) as u64, _mm_extract_epi64::<1>(both) as u64)
}

#[inline]
#[target_feature(enable = "avx512f")]
fn load(words: &[[u8; 4]; SIXTEEN]) -> __m512i {
    // SAFETY: 64 bytes are read from 64 bytes; no alignment is asked for.
    unsafe { _mm512_loadu_si512(words.as_ptr().cast()) }
}

/// At most sixteen words, after zeroes.
#[inline]
#[target_feature(enable = "avx512f")]
fn load_at_end(words: &[[u8; 4]]) -> __m512i {
    debug_assert!(words.len() <= SIXTEEN);
    let mask = (1u32 << words.len()) - 1;
    // SAFETY: the mask lets only the first `words.len()` words be read; no alignment is asked for.
    let front = unsafe { _mm512_maskz_loadu_epi32(mask as __mmask16, words.as_ptr().cast()) };
    // Place i takes what is `count` places on, cyclically.
    let places = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    let count = _mm512_set1_epi32(words.len() as i32);
    _mm512_permutexvar_epi32(_mm512_add_epi32(places, count), front)
}

#[inline]
#[target_feature(enable = "avx512f")]
fn load_limbs(limbs: &[u64; 8]) -> __m512i {
    // SAFETY: 64 bytes are read from 64 bytes; no alignment is asked for.
    unsafe { _mm512_loadu_si512(limbs.as_ptr().cast()) }
}
