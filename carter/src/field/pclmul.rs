//! The field's arithmetic in 128-bit registers of x86. pmull.rs has the same functions for ARMv8.
//!
//! # Safety
//! Every function enables CPU features. Call it only on a machine that has them, as a row of kernels ensures.
#![allow(unsafe_code)]
#![allow(clippy::missing_safety_doc, reason = "the module's documentation has it")]

use super::MODULUS;
use core::arch::x86_64::*;
use wegman::cipher::Block;

/// A number of the field.
pub type Register = __m128i;

/// An unreduced element, low + x^64 middle + x^128 high.
///
/// # Bounds
/// Each part is a sum of 64-bit by 64-bit products, so its degree is at most 126. Neighbouring parts overlap by 64
/// bits; additions do not carry, so sums of any number of products keep these bounds.
#[derive(Clone, Copy)]
pub struct Wide {
    /// The lowest part.
    pub low: Register,
    /// The part 64 bits up.
    pub middle: Register,
    /// The highest part.
    pub high: Register,
}

/// A product, or a sum of products, from the three of Karatsuba's method, as [`super::Wide::from_three`].
#[inline]
#[target_feature(enable = "sse2")]
pub fn from_three([a, b, c]: [Register; 3]) -> Wide {
    Wide { low: a, middle: xor(xor(a, b), c), high: b }
}

/// Adds the product of `a` and `b`, any two elements.
#[inline]
#[target_feature(enable = "sse2,pclmulqdq")]
pub fn plus_product(wide: Wide, a: Register, b: Register) -> Wide {
    let crossed = xor(_mm_clmulepi64_si128::<0x01>(a, b), _mm_clmulepi64_si128::<0x10>(a, b));
    Wide {
        low: xor(wide.low, lower(a, b)),
        middle: xor(wide.middle, crossed),
        high: xor(wide.high, upper(a, b)),
    }
}

/// This number times x^-128, reduced to one element of the field.
///
/// Multiples of the modulus cancel the lower half of `low`, then the lower half of what that leaves in the middle.
/// Each multiple adds the 64 bits times x^63 + x^62 + x^57 to the part above, and the bits themselves 128 places up.
///
/// # Bounds
/// In: three parts of any value. Out: degree at most 127. The products have degree at most 63 + 63 and fit a register.
#[inline]
#[target_feature(enable = "sse2,pclmulqdq")]
pub fn reduce(wide: Wide) -> Register {
    reduce_by(halves(MODULUS, 0), wide)
}

/// [`reduce`] with [`MODULUS`] in the lower half of a register.
#[inline]
#[target_feature(enable = "sse2,pclmulqdq")]
pub fn reduce_by(modulus: Register, Wide { low, middle, high }: Wide) -> Register {
    let up = |part| xor(lower(part, modulus), _mm_shuffle_epi32::<0x4e>(part));
    xor(high, up(xor(middle, up(low))))
}

/// The product of the two halves of a number. Out: degree at most 126.
#[inline]
#[target_feature(enable = "pclmulqdq")]
pub fn of_halves(number: Register) -> Register {
    _mm_clmulepi64_si128::<0x01>(number, number)
}

/// The product of the lower halves. Out: degree at most 126.
#[inline]
#[target_feature(enable = "pclmulqdq")]
pub fn lower(a: Register, b: Register) -> Register {
    _mm_clmulepi64_si128::<0x00>(a, b)
}

/// The product of the upper halves. Out: degree at most 126.
#[inline]
#[target_feature(enable = "pclmulqdq")]
pub fn upper(a: Register, b: Register) -> Register {
    _mm_clmulepi64_si128::<0x11>(a, b)
}

/// The products of a word with the lower and with the upper half of a number. Out: degree at most 126.
#[inline]
#[target_feature(enable = "sse2,pclmulqdq")]
pub fn of_word(word: u64, number: Register) -> [Register; 2] {
    let word = halves(word, 0);
    [lower(word, number), _mm_clmulepi64_si128::<0x10>(word, number)]
}

/// Adds two pairs to the three sums of Karatsuba's method: the products of the halves of x, of y and of x + y.
#[inline]
#[target_feature(enable = "sse2,pclmulqdq")]
pub fn plus_pairs(sums: [Register; 3], x: [Register; 2], y: [Register; 2]) -> [Register; 3] {
    let plus = |sum, a, b| xor(xor(sum, of_halves(a)), of_halves(b));
    let [a, b, c] = sums;
    [plus(a, x[0], x[1]), plus(b, y[0], y[1]), plus(c, xor(x[0], y[0]), xor(x[1], y[1]))]
}

/// The sums of the halves of two numbers, side by side.
#[inline]
#[target_feature(enable = "sse2")]
pub fn sums_of_halves(a: Register, b: Register) -> Register {
    xor(_mm_unpacklo_epi64(a, b), _mm_unpackhi_epi64(a, b))
}

/// The sum of two numbers.
#[inline]
#[target_feature(enable = "sse2")]
pub fn xor(a: Register, b: Register) -> Register {
    _mm_xor_si128(a, b)
}

/// Zero.
#[inline]
#[target_feature(enable = "sse2")]
pub fn zero() -> Register {
    _mm_setzero_si128()
}

/// A number from its halves.
#[inline]
#[target_feature(enable = "sse2")]
pub fn halves(low: u64, high: u64) -> Register {
    _mm_set_epi64x(high as i64, low as i64)
}

/// The register as a number.
#[inline]
#[target_feature(enable = "sse2")]
pub fn number(value: Register) -> u128 {
    let high = _mm_cvtsi128_si64(_mm_unpackhi_epi64(value, value)) as u64;
    u128::from(high) << 64 | u128::from(_mm_cvtsi128_si64(value) as u64)
}

/// A block from memory.
#[inline]
#[target_feature(enable = "sse2")]
pub fn load(block: &Block) -> Register {
    // SAFETY: 16 bytes are read from 16 bytes; no alignment is required.
    unsafe { _mm_loadu_si128(block.as_ptr().cast()) }
}
