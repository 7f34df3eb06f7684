//! POLY-32 (draft of October 2000, section 5.3): `y = k y + m mod 2^32 - 5` for each word m, but a word at
//! or above the limit stands for two steps. The two steps are one step with another key, as in
//! [`l2_poly`](wegman::hazmat::umac::l2_poly). Words, keys and accumulators are secret.

use wegman::hazmat::ct::mask;
use wegman::hazmat::umac::l2_poly::{Lazy, Reduced};

/// Words at or above the limit take two steps. The limit is p - 1, the marker itself.
pub(crate) const LIMIT32: u32 = 6u32.wrapping_neg();
pub(crate) const P32: u32 = 5u32.wrapping_neg(); // 2^32 - 5

/// A key, with its highest three bits zero: below 2^29.
#[derive(Clone, Copy, Default)]
#[repr(transparent)]
struct Masked(u32);

/// A key and its square.
#[derive(Clone, Copy, Default)]
pub(crate) struct Key {
    k: Masked,
    square: Lazy<u32>,
}

impl Key {
    pub(crate) fn from_bytes(bytes: [u8; 4]) -> Key {
        let k = u32::from_be_bytes(bytes) & 0x1fff_ffff;
        Key { k: Masked(k), square: mul_add32(Lazy(k), Lazy(k), 0) }
    }

    /// The key, its square, and the number to subtract from a word that takes two steps.
    ///
    /// # Bounds
    /// Out: below 2^29, any 32 bits, at most 5 + 2^29 - 1, which is not more than a word that takes two steps.
    pub(crate) fn numbers(&self) -> [u32; 3] {
        let (Masked(k), Lazy(square)) = (self.k, self.square);
        [k, square, 5 + k]
    }
}

/// One word, including the limit rule.
///
/// # Bounds
/// In: any word `m`. A word at or above the limit is at least 2^32 - 6, and the key is below 2^29, so m - 5 - k is not
/// negative.
#[inline]
pub(crate) fn poly32(key: &Key, y: Lazy<u32>, m: u32) -> Lazy<u32> {
    let over = mask(m >= LIMIT32) as u32;
    let (Masked(k), Lazy(square)) = (key.k, key.square);
    let less = (5 + k) & over;
    debug_assert!(less <= m);
    mul_add32(Lazy(k ^ (k ^ square) & over), y, m.wrapping_sub(less))
}

/// `k y + m`, folded but not reduced.
///
/// # Bounds
/// In: any number `m`. Out: equal to `k y + m` mod p32. The sum is at most
/// (2^32 - 1)^2 + 2^32 - 1 = 2^64 - 2^32. 2^32 = 5 mod p32, so the first fold leaves at most 6 (2^32 - 1): what is
/// above its low half is at most 5. The second fold adds at most 5 * 5. If that carries, less than 5 * 5 is left, and 5
/// more cannot carry again.
#[inline]
fn mul_add32(k: Lazy<u32>, y: Lazy<u32>, m: u32) -> Lazy<u32> {
    let sum = u64::from(k.0) * u64::from(y.0) + u64::from(m);
    let sum = 5 * (sum >> 32) + u64::from(sum as u32);
    debug_assert!(sum >> 32 <= 5);
    let (sum, carry) = (sum as u32).overflowing_add(5 * (sum >> 32) as u32);
    debug_assert!(!carry || sum < 5 * 5);
    Lazy(sum.wrapping_add(5 & mask(carry) as u32))
}

/// The number below p32 that is equal to y mod p32.
///
/// # Bounds
/// Out: below p32, because 2^32 = p32 + 5 is below 2 p32.
#[inline]
pub(crate) fn reduce32(Lazy(y): Lazy<u32>) -> Reduced<u32> {
    let (less, below) = y.overflowing_sub(P32);
    let reduced = less.wrapping_add(P32 & mask(below) as u32);
    debug_assert!(reduced < P32);
    Reduced(reduced)
}
