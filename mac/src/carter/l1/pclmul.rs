//! Levels 1 and 2 in 128-bit registers: a pair in two of them.
#![allow(unsafe_code)]

use super::{BLOCK, GROUP, Key, Lanes, groups};
use crate::cipher::Block;
use core::arch::x86_64::*;

/// Karatsuba's three sums of products.
type Sums = [__m128i; 3];

#[target_feature(enable = "sse2,pclmulqdq")]
pub(super) fn absorb(key: &Key, lanes: &mut Lanes, blocks: &[[u8; BLOCK]]) {
    let r = load(&key.r);
    let mut y = sum(lanes);
    for block in blocks {
        let mut sums = [_mm_setzero_si128(); 3];
        for (group, key) in block.as_chunks().0.iter().zip(key.k.as_chunks().0) {
            for j in 0..4 {
                add(&mut sums, key, group, j);
            }
        }
        y = reduce(plus_product(wide(sums), y, r));
    }
    *lanes = Lanes::ZERO;
    store(&mut lanes.0[0], y);
}

#[target_feature(enable = "sse2,pclmulqdq")]
pub(super) fn finish(key: &Key, lanes: &Lanes, last: &[u8], length: u64) -> u128 {
    let (groups, rest, pairs) = groups(last);
    let (keys, _) = key.k.as_chunks();
    let mut sums = [_mm_setzero_si128(); 3];
    for (group, key) in groups.iter().zip(keys) {
        for j in 0..4 {
            add(&mut sums, key, group, j);
        }
    }
    for j in 0..pairs {
        add(&mut sums, &keys[groups.len()], &rest, j);
    }
    let before = plus_product(wide(sums), sum(lanes), load(&key.r));
    let length = _mm_cvtsi64_si128(length as i64);
    number(reduce(plus_product(before, length, load(&key.length))))
}

/// Adds the products of a group's pair.
#[inline]
#[target_feature(enable = "sse2,pclmulqdq")]
fn add(sums: &mut Sums, key: &[u8; GROUP], group: &[u8; GROUP], j: usize) {
    let sum = |i: usize| {
        let at = |bytes: &[u8; GROUP]| load(&bytes.as_chunks().0[i]);
        _mm_xor_si128(at(group), at(key))
    };
    let (x, y) = (sum(j), sum(4 + j));
    for (sum, number) in sums.iter_mut().zip([x, y, _mm_xor_si128(x, y)]) {
        *sum = _mm_xor_si128(*sum, _mm_clmulepi64_si128::<0x01>(number, number));
    }
}

/// A product in three parts, 64 bits apart.
#[derive(Clone, Copy)]
pub(crate) struct Wide {
    pub(crate) low: __m128i,
    pub(crate) middle: __m128i,
    pub(crate) high: __m128i,
}

#[inline]
#[target_feature(enable = "sse2,pclmulqdq")]
fn wide([a, b, c]: Sums) -> Wide {
    Wide { low: a, middle: _mm_xor_si128(_mm_xor_si128(a, b), c), high: b }
}

/// Adds a b.
#[inline]
#[target_feature(enable = "sse2,pclmulqdq")]
pub(crate) fn plus_product(wide: Wide, a: __m128i, b: __m128i) -> Wide {
    let crossed =
        _mm_xor_si128(_mm_clmulepi64_si128::<0x01>(a, b), _mm_clmulepi64_si128::<0x10>(a, b));
    Wide {
        low: _mm_xor_si128(wide.low, _mm_clmulepi64_si128::<0x00>(a, b)),
        middle: _mm_xor_si128(wide.middle, crossed),
        high: _mm_xor_si128(wide.high, _mm_clmulepi64_si128::<0x11>(a, b)),
    }
}

/// Times x^-128 in the field: the lower half of `low` and then that of what it leaves in the middle are made zero by
/// multiples of the modulus, each 64 bits times x^63 + x^62 + x^57 and itself 128 places higher.
#[inline]
#[target_feature(enable = "sse2,pclmulqdq")]
pub(crate) fn reduce(Wide { low, middle, high }: Wide) -> __m128i {
    let modulus = _mm_set_epi64x(0, 0xc2 << 56);
    let up = |part: __m128i| {
        _mm_xor_si128(_mm_clmulepi64_si128::<0x00>(part, modulus), _mm_shuffle_epi32::<0x4e>(part))
    };
    _mm_xor_si128(high, up(_mm_xor_si128(middle, up(low))))
}

#[inline]
#[target_feature(enable = "sse2,pclmulqdq")]
fn sum(lanes: &Lanes) -> __m128i {
    let [a, b, c, d] = lanes.0.each_ref().map(|lane| load(lane));
    _mm_xor_si128(_mm_xor_si128(a, b), _mm_xor_si128(c, d))
}

#[inline]
#[target_feature(enable = "sse2")]
pub(crate) fn number(value: __m128i) -> u128 {
    let high = _mm_cvtsi128_si64(_mm_unpackhi_epi64(value, value)) as u64;
    u128::from(high) << 64 | u128::from(_mm_cvtsi128_si64(value) as u64)
}

#[inline]
#[target_feature(enable = "sse2")]
pub(crate) fn load(block: &Block) -> __m128i {
    // SAFETY: 16 bytes are read from 16 bytes; no alignment is asked for.
    unsafe { _mm_loadu_si128(block.as_ptr().cast()) }
}

#[inline]
#[target_feature(enable = "sse2")]
fn store(block: &mut Block, value: __m128i) {
    // SAFETY: 16 bytes are written to 16 bytes; no alignment is asked for.
    unsafe { _mm_storeu_si128(block.as_mut_ptr().cast(), value) };
}
