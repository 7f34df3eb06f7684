//! The field's arithmetic in 256-bit registers, one element in each of two 128-bit lanes.
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
    pub low: __m256i,
    /// The part 64 bits up.
    pub middle: __m256i,
    /// The highest part.
    pub high: __m256i,
}

/// Products, or sums of products, from the three of Karatsuba's method, as [`super::Wide::from_three`].
#[inline]
#[target_feature(enable = "avx2")]
pub fn from_three([a, b, c]: [__m256i; 3]) -> Wide {
    Wide { low: a, middle: _mm256_xor_si256(_mm256_xor_si256(a, b), c), high: b }
}

/// Adds the product of `a` and `b` in each lane, any elements.
#[inline]
#[target_feature(enable = "avx2,vpclmulqdq")]
pub fn plus_product(wide: Wide, a: __m256i, b: __m256i) -> Wide {
    let crossed = _mm256_xor_si256(
        _mm256_clmulepi64_epi128::<0x01>(a, b),
        _mm256_clmulepi64_epi128::<0x10>(a, b),
    );
    Wide {
        low: _mm256_xor_si256(wide.low, _mm256_clmulepi64_epi128::<0x00>(a, b)),
        middle: _mm256_xor_si256(wide.middle, crossed),
        high: _mm256_xor_si256(wide.high, _mm256_clmulepi64_epi128::<0x11>(a, b)),
    }
}

/// Each lane times x^-128, reduced to one element of the field; pclmul.rs explains the steps.
///
/// # Bounds
/// In: three parts of any value. Out: degree at most 127 in each lane.
#[inline]
#[target_feature(enable = "avx2,vpclmulqdq")]
pub fn reduce(Wide { low, middle, high }: Wide) -> __m256i {
    let modulus = _mm256_set1_epi64x(MODULUS as i64);
    let up = |part: __m256i| {
        _mm256_xor_si256(
            _mm256_clmulepi64_epi128::<0x00>(part, modulus),
            _mm256_shuffle_epi32::<0x4e>(part),
        )
    };
    _mm256_xor_si256(high, up(_mm256_xor_si256(middle, up(low))))
}

/// The products of the two halves of a number, in each lane. Out: degree at most 126.
#[inline]
#[target_feature(enable = "avx2,vpclmulqdq")]
pub fn of_halves(number: __m256i) -> __m256i {
    _mm256_clmulepi64_epi128::<0x01>(number, number)
}

/// The lower lane.
#[inline]
#[target_feature(enable = "avx2")]
pub fn lower(lanes: __m256i) -> __m128i {
    _mm256_castsi256_si128(lanes)
}

/// The upper lane.
#[inline]
#[target_feature(enable = "avx2")]
pub fn upper(lanes: __m256i) -> __m128i {
    _mm256_extracti128_si256::<1>(lanes)
}

/// The sum of the two lanes.
#[inline]
#[target_feature(enable = "avx2")]
pub fn fold(lanes: __m256i) -> __m128i {
    _mm_xor_si128(lower(lanes), upper(lanes))
}

/// A block in the lower lane, zero in the upper one.
#[inline]
#[target_feature(enable = "avx2")]
pub fn alone(block: __m128i) -> __m256i {
    _mm256_zextsi128_si256(block)
}

/// One block in both lanes.
#[inline]
#[target_feature(enable = "avx2")]
pub fn twice(block: &Block) -> __m256i {
    // SAFETY: 16 bytes are read from 16 bytes; no alignment is required.
    _mm256_broadcastsi128_si256(unsafe { _mm_loadu_si128(block.as_ptr().cast()) })
}

/// Two blocks side by side, the first in the lower lane.
#[inline]
#[target_feature(enable = "avx2")]
pub fn beside(a: __m128i, b: __m128i) -> __m256i {
    _mm256_inserti128_si256::<1>(_mm256_castsi128_si256(a), b)
}

/// Two blocks from memory.
#[inline]
#[target_feature(enable = "avx2")]
pub fn load(bytes: &[u8; 32]) -> __m256i {
    // SAFETY: 32 bytes are read from 32 bytes; no alignment is required.
    unsafe { _mm256_loadu_si256(bytes.as_ptr().cast()) }
}
