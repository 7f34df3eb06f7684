//! Levels 1 and 2 in 256-bit registers: the x of two pairs in one, their y in another. The rest is as in avx512.rs.
#![allow(unsafe_code)]

use super::{BLOCK, GROUP, Key, PartialSums, groups};
use crate::field::vpclmul::{fold, from_three, load, plus_product, reduce, twice};
use core::arch::x86_64::*;
use core::hint::black_box;

/// Karatsuba's three sums of products, of two pairs side by side.
type Sums = [__m256i; 3];

#[target_feature(enable = "avx2,pclmulqdq,vpclmulqdq")]
pub(super) fn absorb(key: &Key, partial: &mut PartialSums, blocks: &[[u8; BLOCK]]) {
    let r = twice(&key.r);
    let mut y = two_lanes(partial);
    for block in blocks {
        // Hidden from the compiler, which would load the whole key before the loop and spill it.
        let k = &black_box(key).k;
        let mut sums = [_mm256_setzero_si256(); 3];
        for (group, key) in block.as_chunks().0.iter().zip(k.as_chunks().0) {
            add(&mut sums, key, group, 0, all());
            add(&mut sums, key, group, 1, all());
        }
        y = reduce(plus_product(from_three(sums), y, r));
    }
    *partial = PartialSums::ZERO;
    // SAFETY: 32 bytes are written to the first 32 of 64 bytes; no alignment is required.
    unsafe { _mm256_storeu_si256(partial.0.as_mut_ptr().cast(), y) };
}

#[target_feature(enable = "avx2,pclmulqdq,vpclmulqdq")]
pub(super) fn finish(key: &Key, partial: &PartialSums, last: &[u8], length: u64) -> u128 {
    let (groups, rest, pairs) = groups(last);
    let (keys, _) = key.k.as_chunks();
    let mut sums = [_mm256_setzero_si256(); 3];
    for (group, key) in groups.iter().zip(keys) {
        add(&mut sums, key, group, 0, all());
        add(&mut sums, key, group, 1, all());
    }
    if pairs > 0 {
        let key = &keys[groups.len()];
        add(&mut sums, key, &rest, 0, first_of_two(pairs));
        add(&mut sums, key, &rest, 1, first_of_two(pairs.saturating_sub(2)));
    }
    let before = plus_product(from_three(sums), two_lanes(partial), twice(&key.r));
    let length = _mm256_setr_epi64x(length as i64, 0, 0, 0);
    fold(reduce(plus_product(before, length, twice(&key.length))))
}

/// The mask for both pairs.
#[inline]
#[target_feature(enable = "avx2")]
fn all() -> __m256i {
    _mm256_set1_epi64x(-1)
}

/// The mask for the first `pairs` of two pairs: none, the first, or both.
#[inline]
#[target_feature(enable = "avx2")]
fn first_of_two(pairs: usize) -> __m256i {
    _mm256_cmpgt_epi64(_mm256_set1_epi64x(pairs as i64), _mm256_setr_epi64x(0, 0, 1, 1))
}

/// Adds the products of two pairs of a group, the first two or the last two (`half`), where the mask is set.
#[inline]
#[target_feature(enable = "avx2,vpclmulqdq")]
fn add(sums: &mut Sums, key: &[u8; GROUP], group: &[u8; GROUP], half: usize, mask: __m256i) {
    let sum = |i: usize| {
        let at = |bytes: &[u8; GROUP]| load(&bytes.as_chunks().0[i]);
        _mm256_and_si256(mask, _mm256_xor_si256(at(group), at(key)))
    };
    let (x, y) = (sum(half), sum(2 + half));
    for (sum, number) in sums.iter_mut().zip([x, y, _mm256_xor_si256(x, y)]) {
        *sum = _mm256_xor_si256(*sum, _mm256_clmulepi64_epi128::<0x01>(number, number));
    }
}

/// Y as two partial sums, one in each lane.
#[inline]
#[target_feature(enable = "avx2")]
fn two_lanes(partial: &PartialSums) -> __m256i {
    let (halves, _) = partial.0.as_flattened().as_chunks();
    _mm256_xor_si256(load(&halves[0]), load(&halves[1]))
}
