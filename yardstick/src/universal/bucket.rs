//! Bucket hashing (Rogaway, "Bucket hashing and its application to fast message authentication", CRYPTO 1995
//! and Journal of Cryptology 1999).
//!
//! ```text
//! B[w, n, N]    word i is xored into the three of N buckets that set i of the key names; the hash is all buckets
//! ```
//!
//! The key is a list of n different sets of three buckets, uniformly random among such lists.
//!
//! **Bound**: 3312 N^-6 for two different messages of one length and any xor of their hashes, if N is at least 32 and n
//! is at most a sixth of the number of possible sets, that is N (N - 1) (N - 2) / 36. We quote it from memory, because
//! the paper was not available.
//!
//! Constant time, at a price: which bucket a word goes into is secret, so every word visits all buckets. The paper's
//! speed comes from a program compiled for the key, which a cache would reveal.

use super::{InvalidInput, check};
use wegman::hazmat::ct::mask;

/// Bucket hashing under a list of sets of three.
#[derive(Clone, Copy)]
pub struct Bucket<'k> {
    buckets: u16,
    key: &'k [[u16; 3]],
}

impl<'k> Bucket<'k> {
    /// A function with `buckets` buckets, under a list of sets of three, for words of any size up to 64 bits. Buckets
    /// are counted from 0; the three of a set may be in any order. Takes time quadratic in the length of the list,
    /// since each set is compared with all others.
    ///
    /// # Errors
    /// [`InvalidInput::Triples`] if a set does not have three different buckets, or two sets are
    /// equal.
    pub fn new(buckets: u16, key: &'k [[u16; 3]]) -> Result<Self, InvalidInput> {
        let mut wrong = 0;
        for (i, &set) in key.iter().enumerate() {
            let [a, b, c] = set;
            wrong |= equal(a, b) | equal(b, c) | equal(a, c);
            wrong |= at_least(a, buckets) | at_least(b, buckets) | at_least(c, buckets);
            for &other in &key[i + 1..] {
                wrong |= is_in(a, other) & is_in(b, other) & is_in(c, other);
            }
        }
        check(wrong == 0, InvalidInput::Triples)?;
        Ok(Bucket { buckets, key })
    }

    /// Writes the buckets of a message of at most as many words as the key has sets.
    ///
    /// # Errors
    /// [`InvalidInput`] for more words, or if `out` does not have one element for each bucket. Nothing is
    /// written then.
    pub fn hash(&self, message: &[u64], out: &mut [u64]) -> Result<(), InvalidInput> {
        check(message.len() <= self.key.len(), InvalidInput::MessageLength)?;
        check(out.len() == usize::from(self.buckets), InvalidInput::OutputLength)?;
        out.fill(0);
        for (word, &set) in message.iter().zip(self.key) {
            for (b, bucket) in (0..self.buckets).zip(&mut *out) {
                *bucket ^= word & mask(is_in(b, set) == 1);
            }
        }
        Ok(())
    }
}

/// 1 if the numbers are equal, otherwise 0.
fn equal(a: u16, b: u16) -> u32 {
    u32::from(a ^ b).wrapping_sub(1) >> 31
}

/// 1 if `a` is at least `b`, otherwise 0.
fn at_least(a: u16, b: u16) -> u32 {
    (u32::from(a).wrapping_sub(u32::from(b)) >> 31) ^ 1
}

fn is_in(b: u16, [x, y, z]: [u16; 3]) -> u32 {
    equal(b, x) | equal(b, y) | equal(b, z)
}
