//! Level 2: POLY, the level-1 words to 128 bits (RFC 4418, section 5.3).
//!
//! ```text
//! up to 2^14 words:  y = POLY(p64,  k64,  words)
//! more:              y = POLY(p128, k128, y || later words in pairs || 0x80 0...)
//!
//! POLY: y = 1;  for each word m:  y = k y + m mod p
//!       but a word at or above the limit stands for two steps, k y + (p - 1) and k y + (m - offset)
//! ```
//!
//! Words and accumulators are secret, so both outcomes of the limit rule are computed and one is
//! selected. Numbers of words are not.

use crate::umac::MAX_STREAMS;
use crate::umac::kdf::{Index, Kdf};
use subtle::{ConditionallySelectable, ConstantTimeEq, ConstantTimeGreater};
use zeroize::Zeroize;

/// Words hashed by POLY-64; one more and POLY-128 takes over: 2^14 chunks, 2^24 bytes of message.
pub(crate) const WORDS_64: u64 = 1 << 14;

const P64: u64 = 59u64.wrapping_neg(); // 2^64 - 59
const P128: u128 = 159u128.wrapping_neg(); // 2^128 - 159

/// The two keys of a stream, masked so that products have room (RFC 4418, section 5.3).
#[derive(Clone, Copy, Default)]
pub(crate) struct Key {
    k64: u64,
    k128: u128,
}

impl Key {
    pub(crate) fn derive(kdf: &Kdf, streams: usize) -> [Key; MAX_STREAMS] {
        let mut bytes = [[0; 24]; MAX_STREAMS];
        kdf.fill(Index::L2, bytes[..streams].as_flattened_mut());
        let keys = core::array::from_fn(|i| Key::from_bytes(&bytes[i]));
        bytes.zeroize();
        keys
    }

    pub(crate) fn from_bytes(bytes: &[u8; 24]) -> Key {
        let word = |i: usize| u64::from_be_bytes(bytes.as_chunks().0[i]) & 0x01ff_ffff_01ff_ffff;
        Key { k64: word(0), k128: u128::from(word(1)) << 64 | u128::from(word(2)) }
    }
}

impl Zeroize for Key {
    fn zeroize(&mut self) {
        let Key { k64, k128 } = self;
        k64.zeroize();
        k128.zeroize();
    }
}

/// The accumulators of one stream. The number of words so far is kept by the caller, once for all
/// streams.
#[derive(Clone)]
pub(crate) struct State {
    y64: u64,
    y128: u128,
    /// The first word of a pair whose second is still to come.
    first: u64,
}

impl State {
    pub(crate) const fn new() -> State {
        State { y64: 1, y128: 1, first: 0 }
    }

    /// Takes word number `index`, counted from 0.
    pub(crate) fn absorb(&mut self, key: &Key, index: u64, word: u64) {
        if index < WORDS_64 {
            self.y64 = poly64(key.k64, self.y64, word);
            return;
        }
        if index == WORDS_64 {
            self.y128 = poly128(key.k128, 1, u128::from(self.y64));
        }
        if index.is_multiple_of(2) {
            self.first = word;
        } else {
            self.y128 = poly128(key.k128, self.y128, pair(self.first, word));
        }
    }

    /// The level-2 hash of `count` words.
    pub(crate) fn finish(&self, key: &Key, count: u64) -> u128 {
        const END: u64 = 0x80 << 56;
        if count <= WORDS_64 {
            u128::from(self.y64)
        } else if count.is_multiple_of(2) {
            poly128(key.k128, self.y128, pair(END, 0))
        } else {
            poly128(key.k128, self.y128, pair(self.first, END))
        }
    }
}

impl Zeroize for State {
    fn zeroize(&mut self) {
        let State { y64, y128, first } = self;
        y64.zeroize();
        y128.zeroize();
        first.zeroize();
    }
}

fn pair(first: u64, second: u64) -> u128 {
    u128::from(first) << 64 | u128::from(second)
}

/// One word of POLY-64, the limit rule included.
///
/// # Bounds
/// In: `k < 2^57`, `y < p64`, `m` any word. Out: below p64.
pub(crate) fn poly64(k: u64, y: u64, m: u64) -> u64 {
    let over = (m >> 32).ct_eq(&0xffff_ffff);
    let y = u64::conditional_select(&y, &mul_add64(k, y, P64 - 1), over);
    let m = u64::conditional_select(&m, &m.wrapping_sub(59), over);
    mul_add64(k, y, m)
}

/// One pair of words of POLY-128, the limit rule included.
///
/// # Bounds
/// In: `k < 2^121`, `y < p128`, `m` any pair. Out: below p128.
pub(crate) fn poly128(k: u128, y: u128, m: u128) -> u128 {
    let over = ((m >> 96) as u32).ct_eq(&0xffff_ffff);
    let y = u128::conditional_select(&y, &mul_add128(k, y, P128 - 1), over);
    let m = u128::conditional_select(&m, &m.wrapping_sub(159), over);
    mul_add128(k, y, m)
}

/// `k y + m mod p64`.
///
/// # Bounds
/// In: `k < 2^57`, `y < p64`, `m < p64`. Out: below p64.
fn mul_add64(k: u64, y: u64, m: u64) -> u64 {
    debug_assert!(k < 1 << 57 && y < P64 && m < P64);
    let product = u128::from(k) * u128::from(y); // < 2^121
    let (high, low) = ((product >> 64) as u64, product as u64); // high < 2^57
    let sum = u128::from(low) + 59 * u128::from(high) + u128::from(m); // < 2^64 + 2^63 + 2^64
    let sum = u128::from(sum as u64) + 59 * (sum >> 64); // < 2^64 + 118
    // If this last fold carries, the low half is below 118 and 59 more can't carry again.
    let sum = (sum as u64).wrapping_add(59 * (sum >> 64) as u64);
    u64::conditional_select(&sum, &sum.wrapping_sub(P64), !P64.ct_gt(&sum))
}

/// `k y + m mod p128`.
///
/// # Bounds
/// In: `k < 2^121`, `y < p128`, `m < p128`. Out: below p128.
fn mul_add128(k: u128, y: u128, m: u128) -> u128 {
    debug_assert!(k < 1 << 121 && y < P128 && m < P128);
    let (high, low) = wide_mul(k, y); // high < 2^121
    let (carry, folded) = wide_mul(high, 159); // carry < 2: 159 high < 2^129
    let (sum, c1) = low.overflowing_add(folded);
    let (sum, c2) = sum.overflowing_add(m);
    let carries = carry + u128::from(c1) + u128::from(c2); // at most 3
    let (sum, c3) = sum.overflowing_add(159 * carries);
    // If this last fold carries, the sum is below 477 and 159 more can't carry again.
    let sum = sum + 159 * u128::from(c3);
    u128::conditional_select(&sum, &sum.wrapping_sub(P128), !P128.ct_gt(&sum))
}

/// The 256-bit product as (high, low) halves, schoolbook in 64-bit digits.
fn wide_mul(a: u128, b: u128) -> (u128, u128) {
    let split = |x: u128| (x >> 64, x & u128::from(u64::MAX));
    let ((a1, a0), (b1, b0)) = (split(a), split(b));
    let low = a0 * b0;
    // Each product is at most (2^64 - 1)^2 = 2^128 - 2^65 + 1, so a digit may be added to it twice.
    let middle = a1 * b0 + (low >> 64);
    let (m1, m0) = split(middle);
    let middle = a0 * b1 + m0;
    (a1 * b1 + m1 + (middle >> 64), middle << 64 | low & u128::from(u64::MAX))
}
