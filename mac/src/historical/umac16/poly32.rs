//! POLY-32 (draft of October 2000, section 5.3): `y = k y + m mod 2^32 - 5` for each word m, but a word at
//! or above the limit stands for two steps. They are one with another key, as in
//! [`l2_poly`](crate::umac::l2_poly). Words, keys and accumulators are secret.

use crate::ct::mask;
use zeroize::Zeroize;

/// Words from here on take two steps. The first of them is p - 1, the marker itself.
pub(crate) const LIMIT32: u32 = 6u32.wrapping_neg();
pub(crate) const P32: u32 = 5u32.wrapping_neg(); // 2^32 - 5

/// A key below 2^29 and its square.
#[derive(Clone, Copy, Default)]
pub(crate) struct Key {
    k: u32,
    square: u32,
}

impl Key {
    pub(crate) fn from_bytes(bytes: [u8; 4]) -> Key {
        let k = u32::from_be_bytes(bytes) & 0x1fff_ffff;
        Key { k, square: mul_add32(k, k, 0) }
    }

    /// The key, its square, and what is subtracted from a word that takes two steps.
    pub(crate) fn numbers(&self) -> [u32; 3] {
        [self.k, self.square, 5 + self.k]
    }
}

impl Zeroize for Key {
    fn zeroize(&mut self) {
        let Key { k, square } = self;
        k.zeroize();
        square.zeroize();
    }
}

/// One word, the limit rule included. Accumulators are any numbers below 2^32, equal to the value mod p.
#[inline]
pub(crate) fn poly32(key: &Key, y: u32, m: u32) -> u32 {
    let over = mask(m >= LIMIT32) as u32;
    let k = key.k ^ (key.k ^ key.square) & over;
    // Not negative: k is below 2^29, m is over the limit.
    mul_add32(k, y, m.wrapping_sub((5 + key.k) & over))
}

/// `k y + m mod p32`, not reduced to the end: any numbers in, a number below 2^32 out.
#[inline]
fn mul_add32(k: u32, y: u32, m: u32) -> u32 {
    // At most (2^32 - 1)^2 + 2^32 - 1, which is below 2^64.
    let sum = u64::from(k) * u64::from(y) + u64::from(m);
    // 2^32 = 5 mod p: at most 6 * 2^32.
    let sum = 5 * (sum >> 32) + u64::from(sum as u32);
    let (sum, carry) = (sum as u32).overflowing_add(5 * (sum >> 32) as u32);
    // If this last fold carries, the sum is below 5 * 6 and 5 more can't carry again.
    sum.wrapping_add(5 & mask(carry) as u32)
}

/// The number below p32 that is equal to y mod p32.
#[inline]
pub(crate) fn reduce32(y: u32) -> u32 {
    let (less, below) = y.overflowing_sub(P32);
    less.wrapping_add(P32 & mask(below) as u32)
}
