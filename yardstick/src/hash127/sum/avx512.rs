//! The sum of hash127 with limbs of 52, 52 and 23 bits in 512-bit registers, sixteen words in a group. The key has the
//! limbs of the even words, then those of the odd words.
//!
//! ```text
//! load       m0 m1 m2 ... m15                 each plus 2^31
//! even       m0    m2 ... m14                 masked to 64-bit lanes
//! odd        m1    m3 ... m15                 after a shift
//! for each 52-bit limb:     lower sum += lower 52 bits of the product, upper sum += the bits above
//! for the 23-bit limb:      sum += product
//! ```
//!
//! The last limb takes a 32-bit product and an addition. Two 52-bit instructions would do the same, but on Zen 4 the
//! 32-bit product uses the same pipes as one of them, and the addition can use others.
#![allow(unsafe_code)]

use super::super::field::{UpToP, add, minus, mul};
use super::{Key, SIXTEEN, WORDS};
use core::arch::x86_64::*;
use core::hint::black_box;
use wegman::hazmat::simd::load512;

/// Limbs of a power.
const LIMBS: usize = 3;
/// Bits in each limb but the last.
const BITS: u32 = 52;
/// Numbers in the key for each group: for each limb, those of the even words, then those of the odd words.
const GROUP: usize = LIMBS * SIXTEEN;

/// Writes each power in limbs, and fills in what takes the added 2^31 back out.
///
/// # Bounds
/// Out: two limbs below 2^52, the third below 2^23.
pub(super) fn prepare(key: &mut Key) {
    let Key { limbs, powers, unlifts } = key;
    let (of_groups, _) = powers[1..].as_chunks::<SIXTEEN>();
    for (limbs, powers) in limbs.as_chunks_mut::<GROUP>().0.iter_mut().zip(of_groups.iter().rev()) {
        for (i, power) in powers.iter().rev().enumerate() {
            for limb in 0..LIMBS {
                let this = (power.value() >> (BITS * limb as u32)) as u64 & ((1 << BITS) - 1);
                limbs[limb * SIXTEEN + i % 2 * 8 + i / 2] = this;
            }
        }
    }
    // r + ... + r^16: each step doubles the number of powers.
    let sum = [1, 2, 4, 8].iter().fold(powers[1], |sum, n| add(sum, mul(sum, powers[*n])));
    let sixteen = minus(mul(sum, UpToP::new(1 << 31)));
    for n in 1..unlifts.len() {
        unlifts[n] = add(mul(unlifts[n - 1], powers[SIXTEEN]), sixteen);
    }
}

#[target_feature(enable = "avx512f,avx512ifma")]
pub(super) fn absorb(key: &Key, mut z: UpToP, words: &[[u8; 4]]) -> UpToP {
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
/// With 2^31 added a word is below 2^32, so a product with a 52-bit limb is below 2^84: its lower part is below 2^52 and
/// its upper part below 2^32. A product with the last limb is below 2^55.
#[inline]
#[target_feature(enable = "avx512f,avx512ifma")]
fn sum(key: &Key, words: &[[u8; 4]]) -> UpToP {
    let missing = words.len().wrapping_neg() % SIXTEEN;
    let (first, rest) = words.split_at(SIXTEEN - missing);
    let (groups, _) = rest.as_chunks::<SIXTEEN>();
    let (limbs, _) = key.limbs.as_chunks();
    let limbs = &limbs[WORDS / SIXTEEN - 1 - groups.len()..];
    let mut sums = Sums([_mm512_setzero_si512(); 5]);
    sums.add_group(&limbs[0], load_at_end(first));
    for (group, limbs) in groups.iter().zip(&limbs[1..]) {
        sums.add_group(limbs, load512(group));
    }
    add(sums.total(), key.unlifts[1 + groups.len()])
}

/// The lower and upper sums of the first limb, those of the second limb, and the sum of the last limb.
struct Sums([__m512i; 5]);

impl Sums {
    /// Adds the products of sixteen words.
    ///
    /// # Bounds
    /// A lane adds two products to each of its sums, sixteen in 128 words: below 2^(52 + 4), 2^(32 + 4) and, of the last
    /// limb, 2^(55 + 4).
    #[inline]
    #[target_feature(enable = "avx512f,avx512ifma")]
    fn add_group(&mut self, limbs: &[u64; GROUP], words: __m512i) {
        let lifted = _mm512_xor_si512(words, _mm512_set1_epi32(i32::MIN));
        let even = _mm512_and_si512(lifted, _mm512_set1_epi64(0xffff_ffff));
        let odd = _mm512_srli_epi64::<32>(lifted);
        let (limbs, _) = limbs.as_chunks::<8>();
        let Sums([low0, high0, low1, high1, last]) = self;
        for (half, words) in [even, odd].into_iter().enumerate() {
            let limb = load512(&limbs[half]);
            *low0 = _mm512_madd52lo_epu64(*low0, words, limb);
            *high0 = _mm512_madd52hi_epu64(*high0, words, limb);
            let limb = load512(&limbs[2 + half]);
            *low1 = _mm512_madd52lo_epu64(*low1, words, limb);
            *high1 = _mm512_madd52hi_epu64(*high1, words, limb);
            let limb = load512(&limbs[4 + half]);
            *last = _mm512_add_epi64(*last, _mm512_mul_epu32(words, limb));
        }
    }

    /// The number whose limbs are the sums over the lanes, modulo p.
    ///
    /// # Bounds
    /// In: the sums of at most 128 products.
    #[inline]
    #[target_feature(enable = "avx512f")]
    fn total(self) -> UpToP {
        let Sums([low0, high0, low1, high1, last]) = self;
        let (low, middle) = two(low0, _mm512_add_epi64(high0, low1));
        let (high, _) = two(_mm512_add_epi64(high1, last), _mm512_setzero_si512());
        // Over 128 words: low < 2^(52 + 7), middle < 2^59 + 2^(32 + 7), high < 2^39 + 2^(55 + 7).
        debug_assert!(low >> 59 == 0 && middle >> 60 == 0 && high >> 63 == 0);
        // `high` has the factor 2^104, and 2^127 = 1 mod p: its bits from 23 on are added at the bottom.
        // The first sum is below 2^59 + 2^40 + 2^112, the number added to it at most 2^127 - 2^104.
        let below = u128::from(low) + u128::from(high >> 23) + (u128::from(middle) << BITS);
        let above = u128::from(high & ((1 << 23) - 1)) << (2 * BITS);
        add(UpToP::new(below), UpToP::new(above))
    }
}

/// The sum of the lanes of each of two registers.
#[inline]
#[target_feature(enable = "avx512f")]
fn two(a: __m512i, b: __m512i) -> (u64, u64) {
    let half =
        |all| _mm256_add_epi64(_mm512_castsi512_si256(all), _mm512_extracti64x4_epi64::<1>(all));
    let (a, b) = (half(a), half(b));
    // Lanes of `a` and `b` alternate.
    let both = _mm256_add_epi64(_mm256_unpacklo_epi64(a, b), _mm256_unpackhi_epi64(a, b));
    let both = _mm_add_epi64(_mm256_castsi256_si128(both), _mm256_extracti128_si256::<1>(both));
    (_mm_cvtsi128_si64(both) as u64, _mm_extract_epi64::<1>(both) as u64)
}

/// At most sixteen words, with zeroes before them.
#[inline]
#[target_feature(enable = "avx512f")]
fn load_at_end(words: &[[u8; 4]]) -> __m512i {
    debug_assert!(words.len() <= SIXTEEN);
    let mask = (1u32 << words.len()) - 1;
    // SAFETY: the mask lets only the first `words.len()` words be read; no alignment is required.
    let loaded = unsafe { _mm512_maskz_loadu_epi32(mask as __mmask16, words.as_ptr().cast()) };
    // Word i of the result is word i + count of the loaded ones, modulo 16.
    let places = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    let count = _mm512_set1_epi32(words.len() as i32);
    _mm512_permutexvar_epi32(_mm512_add_epi32(places, count), loaded)
}
