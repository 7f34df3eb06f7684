//! The field's arithmetic in 512-bit registers, one element in each of four 128-bit lanes.
//!
//! # Safety
//! Every function enables CPU features. Call it only on a machine that has them, as a row of kernels ensures.
#![allow(unsafe_code)]
#![allow(clippy::missing_safety_doc, reason = "the module's documentation has it")]

use super::MODULUS;
use core::arch::x86_64::*;
use wegman::cipher::Block;

/// An unreduced element in each lane, low + x^64 middle + x^128 high. The bounds are those of pclmul.rs.
#[derive(Clone, Copy)]
pub struct Wide {
    /// The lowest part.
    pub low: __m512i,
    /// The part 64 bits up.
    pub middle: __m512i,
    /// The highest part.
    pub high: __m512i,
}

/// Products, or sums of products, from the three of Karatsuba's method, as [`super::Wide::from_three`].
#[inline]
#[target_feature(enable = "avx512f")]
pub fn from_three([a, b, c]: [__m512i; 3]) -> Wide {
    Wide { low: a, middle: _mm512_xor_si512(_mm512_xor_si512(a, b), c), high: b }
}

/// The product of `a` and `b` in each lane, any elements. Out: each part of degree at most 126.
#[inline]
#[target_feature(enable = "avx512f,vpclmulqdq")]
pub fn product(a: __m512i, b: __m512i) -> Wide {
    Wide {
        low: _mm512_clmulepi64_epi128::<0x00>(a, b),
        middle: _mm512_xor_si512(
            _mm512_clmulepi64_epi128::<0x01>(a, b),
            _mm512_clmulepi64_epi128::<0x10>(a, b),
        ),
        high: _mm512_clmulepi64_epi128::<0x11>(a, b),
    }
}

/// Adds the product of `a` and `b` in each lane.
#[inline]
#[target_feature(enable = "avx512f,vpclmulqdq")]
pub fn plus_product(wide: Wide, a: __m512i, b: __m512i) -> Wide {
    let Wide { low, middle, high } = product(a, b);
    Wide {
        low: _mm512_xor_si512(wide.low, low),
        middle: _mm512_xor_si512(wide.middle, middle),
        high: _mm512_xor_si512(wide.high, high),
    }
}

/// Each lane times x^-128, reduced to one element of the field; pclmul.rs explains the steps.
///
/// # Bounds
/// In: three parts of any value. Out: degree at most 127 in each lane.
#[inline]
#[target_feature(enable = "avx512f,vpclmulqdq")]
pub fn reduce(Wide { low, middle, high }: Wide) -> __m512i {
    let modulus = _mm512_set1_epi64(MODULUS as i64);
    let t = _mm512_clmulepi64_epi128::<0x00>(low, modulus);
    let low = _mm512_shuffle_epi32::<0x4e>(low);
    let middle = _mm512_xor_si512(_mm512_xor_si512(middle, t), low);
    let t = _mm512_clmulepi64_epi128::<0x00>(middle, modulus);
    let middle = _mm512_shuffle_epi32::<0x4e>(middle);
    _mm512_xor_si512(_mm512_xor_si512(high, t), middle)
}

/// The sum of the four lanes.
#[inline]
#[target_feature(enable = "avx512f,avx512vl")]
pub fn fold(lanes: __m512i) -> __m128i {
    let upper = _mm512_extracti64x4_epi64::<1>(lanes);
    let two = _mm256_xor_si256(_mm512_castsi512_si256(lanes), upper);
    _mm_xor_si128(_mm256_castsi256_si128(two), _mm256_extracti128_si256::<1>(two))
}

/// The sums of the lanes of each of four registers, one sum in each lane.
#[inline]
#[target_feature(enable = "avx512f")]
pub fn fold4([a, b, c, d]: [__m512i; 4]) -> __m512i {
    let halves = |a: __m512i, b: __m512i| {
        _mm512_xor_si512(_mm512_shuffle_i64x2::<0x44>(a, b), _mm512_shuffle_i64x2::<0xee>(a, b))
    };
    let (t, u) = (halves(a, b), halves(c, d));
    _mm512_xor_si512(_mm512_shuffle_i64x2::<0x88>(t, u), _mm512_shuffle_i64x2::<0xdd>(t, u))
}

/// Four blocks in one register, the first in the lowest lane.
#[inline]
#[target_feature(enable = "avx512f,avx512vl")]
pub fn four(a: __m128i, b: __m128i, c: __m128i, d: __m128i) -> __m512i {
    let lower = _mm512_castsi256_si512(_mm256_set_m128i(b, a));
    _mm512_inserti64x4::<1>(lower, _mm256_set_m128i(d, c))
}

/// Four blocks from four places. All but one go to their lanes as they are loaded.
#[inline]
#[target_feature(enable = "avx512f,avx512vl")]
pub fn four_of([a, b, c, d]: [&Block; 4]) -> __m512i {
    four(load(a), load(b), load(c), load(d))
}

/// One block in all four lanes.
#[inline]
#[target_feature(enable = "avx512f")]
pub fn quad(block: &Block) -> __m512i {
    _mm512_broadcast_i32x4(load(block))
}

/// The register as a number.
#[inline]
#[target_feature(enable = "avx512f")]
pub fn number(value: __m128i) -> u128 {
    let high = _mm_extract_epi64::<1>(value) as u64;
    u128::from(high) << 64 | u128::from(_mm_cvtsi128_si64(value) as u64)
}

/// Four blocks from memory.
#[inline]
#[target_feature(enable = "avx512f")]
pub fn load_64(bytes: &[u8; 64]) -> __m512i {
    // SAFETY: 64 bytes are read from 64 bytes; no alignment is required.
    unsafe { _mm512_loadu_si512(bytes.as_ptr().cast()) }
}

/// A block from memory.
#[inline]
#[target_feature(enable = "sse2")]
pub fn load(block: &Block) -> __m128i {
    // SAFETY: 16 bytes are read from 16 bytes; no alignment is required.
    unsafe { _mm_loadu_si128(block.as_ptr().cast()) }
}
