//! The field's arithmetic in 128-bit registers of ARMv8: the same functions as in pclmul.rs.
//!
//! # Safety
//! Every function enables CPU features. Call it only on a machine that has them, as a row of kernels ensures.
#![allow(unsafe_code)]
#![allow(clippy::missing_safety_doc, reason = "the module's documentation has it")]

use super::MODULUS;
use core::arch::aarch64::*;
use wegman::cipher::Block;

/// A number of the field.
pub type Register = uint64x2_t;

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
#[target_feature(enable = "neon")]
pub fn from_three([a, b, c]: [Register; 3]) -> Wide {
    Wide { low: a, middle: xor(xor(a, b), c), high: b }
}

/// Adds the product of `a` and `b`, any two elements.
#[inline]
#[target_feature(enable = "neon,aes")]
pub fn plus_product(wide: Wide, a: Register, b: Register) -> Wide {
    let [a_low, b_low] = [a, b].map(|number| vgetq_lane_u64::<0>(number));
    let [a_high, b_high] = [a, b].map(|number| vgetq_lane_u64::<1>(number));
    let crossed = xor(product(a_low, b_high), product(a_high, b_low));
    Wide {
        low: xor(wide.low, lower(a, b)),
        middle: xor(wide.middle, crossed),
        high: xor(wide.high, upper(a, b)),
    }
}

/// This number times x^-128, reduced to one element of the field; pclmul.rs explains the steps.
///
/// # Bounds
/// In: three parts of any value. Out: degree at most 127.
#[inline]
#[target_feature(enable = "neon,aes")]
pub fn reduce(wide: Wide) -> Register {
    reduce_by(vdupq_n_u64(MODULUS), wide)
}

/// [`reduce`] with [`MODULUS`] in the lower half of a register.
#[inline]
#[target_feature(enable = "neon,aes")]
pub fn reduce_by(modulus: Register, Wide { low, middle, high }: Wide) -> Register {
    let up = |part| xor(lower(part, modulus), vextq_u64::<1>(part, part));
    xor(high, up(xor(middle, up(low))))
}

/// The products of a word with the lower and with the upper half of a number. Out: degree at most 126.
#[inline]
#[target_feature(enable = "neon,aes")]
pub fn of_word(word: u64, number: Register) -> [Register; 2] {
    let word = vdupq_n_u64(word);
    [lower(word, number), upper(word, number)]
}

/// Adds two pairs to the three sums of Karatsuba's method: the products of the halves of x, of y and of x + y.
#[inline]
#[target_feature(enable = "neon,aes")]
pub fn plus_pairs(sums: [Register; 3], x: [Register; 2], y: [Register; 2]) -> [Register; 3] {
    // The lower halves of two numbers, and their upper halves: their products are those of registers as they are.
    let apart = |[a, b]: [Register; 2]| [vuzp1q_u64(a, b), vuzp2q_u64(a, b)];
    let plus = |sum, [low, high]: [Register; 2]| xor(xor(sum, lower(low, high)), upper(low, high));
    let (x, y) = (apart(x), apart(y));
    let [a, b, c] = sums;
    [plus(a, x), plus(b, y), plus(c, [xor(x[0], y[0]), xor(x[1], y[1])])]
}

/// The product of the two halves of a number. Out: degree at most 126.
#[inline]
#[target_feature(enable = "neon,aes")]
pub fn of_halves(number: Register) -> Register {
    product(vgetq_lane_u64::<0>(number), vgetq_lane_u64::<1>(number))
}

/// The product of the lower halves. Out: degree at most 126.
#[inline]
#[target_feature(enable = "neon,aes")]
pub fn lower(a: Register, b: Register) -> Register {
    product(vgetq_lane_u64::<0>(a), vgetq_lane_u64::<0>(b))
}

/// The product of the upper halves. Out: degree at most 126.
#[inline]
#[target_feature(enable = "neon,aes")]
pub fn upper(a: Register, b: Register) -> Register {
    let [a, b] = [a, b].map(|number| vreinterpretq_p64_u64(number));
    vreinterpretq_u64_p128(vmull_high_p64(a, b))
}

#[inline]
#[target_feature(enable = "neon,aes")]
fn product(a: u64, b: u64) -> Register {
    vreinterpretq_u64_p128(vmull_p64(a, b))
}

/// The sums of the halves of two numbers, side by side.
#[inline]
#[target_feature(enable = "neon")]
pub fn sums_of_halves(a: Register, b: Register) -> Register {
    xor(vtrn1q_u64(a, b), vtrn2q_u64(a, b))
}

/// The sum of two numbers.
#[inline]
#[target_feature(enable = "neon")]
pub fn xor(a: Register, b: Register) -> Register {
    veorq_u64(a, b)
}

/// Zero.
#[inline]
#[target_feature(enable = "neon")]
pub fn zero() -> Register {
    vdupq_n_u64(0)
}

/// A number from its halves.
#[inline]
#[target_feature(enable = "neon")]
pub fn halves(low: u64, high: u64) -> Register {
    vcombine_u64(vcreate_u64(low), vcreate_u64(high))
}

/// The register as a number.
#[inline]
#[target_feature(enable = "neon")]
pub fn number(value: Register) -> u128 {
    let high = vgetq_lane_u64::<1>(value);
    u128::from(high) << 64 | u128::from(vgetq_lane_u64::<0>(value))
}

/// A block from memory.
#[inline]
#[target_feature(enable = "neon")]
pub fn load(block: &Block) -> Register {
    // SAFETY: 16 bytes are read from 16 bytes; no alignment is required.
    vreinterpretq_u64_u8(unsafe { vld1q_u8(block.as_ptr()) })
}
