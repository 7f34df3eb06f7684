//! GF(2^128) as RFC 8452 has it, in plain code, and in the files of the folder with the
//! machine's carry-less products. No table, no branch and no index depends on a value.
//!
//! A number's lowest bit is the coefficient of x^0, as in a block's first byte. The modulus is
//! x^128 + x^127 + x^126 + x^121 + 1.

#[cfg(target_arch = "x86_64")]
pub mod avx512;
#[cfg(target_arch = "x86_64")]
pub mod pclmul;
#[cfg(all(target_arch = "aarch64", target_endian = "little", target_feature = "neon"))]
pub mod pmull;
#[cfg(target_arch = "x86_64")]
pub mod vpclmul;

/// 128-bit registers, of whichever machine it is.
#[cfg(target_arch = "x86_64")]
pub use pclmul as clmul;
#[cfg(all(target_arch = "aarch64", target_endian = "little", target_feature = "neon"))]
pub use pmull as clmul;

use core::ops::BitXor;
use wegman::hazmat::ct::mask;

/// A carry-less product of two numbers of 128 bits: 256 bits.
#[derive(Clone, Copy, Default)]
pub struct Wide {
    /// The lower half.
    pub low: u128,
    /// The upper half.
    pub high: u128,
}

impl Wide {
    /// a + x^64 (a + b + c) + x^128 b: a product from Karatsuba's three.
    pub fn from_three([a, b, c]: [u128; 3]) -> Wide {
        let middle = a ^ b ^ c;
        Wide { low: a ^ middle << 64, high: b ^ middle >> 64 }
    }

    /// This times x^-128 in the field.
    pub fn reduce(self) -> u128 {
        // Each half of `low` is made zero by adding a multiple of the modulus, which ends with 1.
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

/// a b x^-128 in the field.
pub fn dot(a: u128, b: u128) -> u128 {
    multiply(a, b).reduce()
}

/// a b before it is reduced.
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

/// The carry-less product of two words, by products of numbers that have one bit in four: each sum of a column is at
/// most 15 and stays in its four bits, and its lowest bit is the sum without carries.
pub fn product(a: u64, b: u64) -> u128 {
    const ONE_IN_FOUR: u64 = 0x1111_1111_1111_1111;
    const TOP: u32 = 60;
    let parts = |word: u64| [0, 1, 2, 3].map(|i| word & ONE_IN_FOUR << i);
    // Sixteen bits would be one too many.
    let (a_parts, b_parts) = (parts(a & !(0xf << TOP)), parts(b));
    let mut sums = [0u128; 4];
    for (i, a) in a_parts.iter().enumerate() {
        for (j, b) in b_parts.iter().enumerate() {
            sums[(i + j) % 4] ^= u128::from(*a) * u128::from(*b);
        }
    }
    let one_in_four = u128::from(ONE_IN_FOUR) << 64 | u128::from(ONE_IN_FOUR);
    let low = (0..4).fold(0, |all, i| all | sums[i] & one_in_four << i);
    (TOP..64).fold(low, |all, i| all ^ u128::from(b & mask(a >> i & 1 != 0)) << i)
}
