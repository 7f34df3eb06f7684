//! GF(2^128) as in RFC 8452, section 3: here in plain code, and in `lanes.rs` with the machine's
//! instructions for carry-less products. No table, branch or index depends on a value.
//!
//! The lowest bit of a number is the coefficient of x^0; it is the lowest bit of a block's first byte. The modulus is
//! x^128 + x^127 + x^126 + x^121 + 1.
//!
//! Additions are xors and never carry. So a sum of any number of unreduced products has the bounds of one product, and
//! [`Wide::reduce`] takes all of them.

use core::ops::BitXor;
use wegman::hazmat::ct::mask;

/// The modulus without its lowest and its highest term, as the coefficients of x^64 to x^127.
pub const MODULUS: u64 = 0xc2 << 56;

/// An unreduced element of the field: a carry-less product of two 128-bit numbers, or a sum of such products.
///
/// # Bounds
/// A product of two numbers of degree at most 127 has degree at most 254, so the top bit of `high` is 0 for sums of
/// products. No function here depends on that.
#[derive(Clone, Copy, Default)]
pub struct Wide {
    /// The coefficients of x^0 to x^127.
    pub low: u128,
    /// The coefficients of x^128 to x^255.
    pub high: u128,
}

impl Wide {
    /// a + x^64 (a + b + c) + x^128 b: a product from the three products of Karatsuba's method.
    ///
    /// # Bounds
    /// In: the products of the lower halves, of the upper halves and of their sums, each of degree at most 126, or sums
    /// of as many of each. Out: degree at most 254.
    pub fn from_three([a, b, c]: [u128; 3]) -> Wide {
        let middle = a ^ b ^ c;
        Wide { low: a ^ middle << 64, high: b ^ middle >> 64 }
    }

    /// This number times x^-128, reduced to one element of the field.
    ///
    /// # Bounds
    /// In: any 256 bits. Out: degree at most 127, the only such number in its residue class.
    pub fn reduce(self) -> u128 {
        // Adding a multiple of the modulus, whose lowest term is 1, cancels each 64-bit half of `low`. The multiple's
        // upper part, of degree at most 63 + 64 = 127 relative to the next half, goes into the halves above.
        let up = |word: u64| {
            let word = u128::from(word);
            word << 64 ^ word << 63 ^ word << 62 ^ word << 57
        };
        let low = self.low as u64;
        let middle = (self.low >> 64) ^ up(low);
        let high = self.high ^ (middle >> 64);
        high ^ up(middle as u64)
    }
}

impl BitXor for Wide {
    type Output = Wide;

    fn bitxor(self, other: Wide) -> Wide {
        Wide { low: self.low ^ other.low, high: self.high ^ other.high }
    }
}

/// a b x^-128 in the field. In: any two elements. Out: degree at most 127.
pub fn dot(a: u128, b: u128) -> u128 {
    multiply(a, b).reduce()
}

/// a b, unreduced. In: any two elements. Out: degree at most 254.
pub fn multiply(a: u128, b: u128) -> Wide {
    let ([a_low, a_high], [b_low, b_high]) = (halves(a), halves(b));
    Wide::from_three([
        product(a_low, b_low),
        product(a_high, b_high),
        product(a_low ^ a_high, b_low ^ b_high),
    ])
}

fn halves(a: u128) -> [u64; 2] {
    [a as u64, (a >> 64) as u64]
}

/// The carry-less product of two words.
///
/// Each word is split into four numbers that have only every fourth bit. In the integer product of two such numbers,
/// each group of four bits holds a column sum, whose lowest bit is the sum without carries.
///
/// # Bounds
/// In: any two words. Out: degree at most 126. A column has at most 15 terms, since the top four bits of `a` are left
/// out and added at the end; so no column sum carries out of its four bits.
pub fn product(a: u64, b: u64) -> u128 {
    const ONE_IN_FOUR: u64 = 0x1111_1111_1111_1111;
    const TOP: u32 = 60;
    let parts = |word: u64| [0, 1, 2, 3].map(|i| word & ONE_IN_FOUR << i);
    // With all sixteen bits of a part, a column could come to 16.
    let (a_parts, b_parts) = (parts(a & !(0xf << TOP)), parts(b));
    let mut sums = [0u128; 4];
    for (i, a) in a_parts.iter().enumerate() {
        for (j, b) in b_parts.iter().enumerate() {
            sums[(i + j) % 4] ^= u128::from(*a) * u128::from(*b);
        }
    }
    let one_in_four = u128::from(ONE_IN_FOUR) << 64 | u128::from(ONE_IN_FOUR);
    let low = (0..4).fold(0, |all, i| all | sums[i] & one_in_four << i);
    let product = (TOP..64).fold(low, |all, i| all ^ u128::from(b & mask(a >> i & 1 != 0)) << i);
    debug_assert!(product >> 127 == 0);
    product
}
