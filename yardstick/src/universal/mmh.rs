//! MMH (Halevi and Krawczyk, "MMH: software message authentication in the Gbit/second rates", FSE 1997)
//! and TMMH/16 (draft-mcgrew-saag-tmmh-01), which is MMH16 with a Toeplitz key.
//!
//! ```text
//! MMH*     sum of m_i k_i   mod p
//! MMH32    sum of m_i k_i   mod 2^64   mod 2^32 + 15   mod 2^32      words of 32 bits
//! MMH16    sum of m_i k_i   mod 2^32   mod 2^16 + 1    mod 2^16      words of 16 bits
//! TMMH/16  word j: MMH16 of |M|, m_1, m_2, ... under the key from word j on
//! ```
//!
//! **Bounds**, for two different messages of one length and any difference of their hashes: MMH\* 1/p (Carter
//! and Wegman; checked at small p). MMH32 6 * 2^-32, MMH16 6 * 2^-16, and TMMH/16 with t words of tag
//! (9 * 2^-16)^t, for any lengths, since the length is part of the hash.
//!
//! The papers were not available, so here is a proof. Let W be 2^32 or 2^16. Let m and m' be two different words, x
//! their word of the key, and all other words of the key fixed. Before the reductions mod p and W, the hashes are A =
//! (m x + s) mod W^2 and B = (m' x + s') mod W^2. The hashes differ by a given number mod W only if (A mod p) - (B mod
//! p) is one of at most three numbers between -p and p. A - B is (m - m') x + s - s' plus W^2 times -1, 0 or 1. Since A
//! and B wrap at most once each as x grows, only two of these three occur. That leaves six linear equations mod p, each
//! with at most one solution x out of W. For TMMH, take the last word of length and message that differs. Word j of the
//! tag depends on its key word, which no earlier word of the tag has at a place where the messages differ. Nothing is
//! known about the common end of the sums, so a third multiple of W^2 can occur: nine equations for each word of the
//! tag.
//!
//! Constant time, except with a prime that [`Prime`] does not name.

use super::{InvalidInput, Prime, check};
use core::fmt;

/// MMH\* under a key of n words below p.
#[derive(Clone, Copy)]
pub struct MmhStar<'k> {
    p: Prime,
    key: &'k [u64],
}

impl<'k> MmhStar<'k> {
    /// Under a key of any number of words.
    ///
    /// # Errors
    /// [`InvalidInput::Word`] if a word is p or more.
    pub fn new(p: Prime, key: &'k [u64]) -> Result<Self, InvalidInput> {
        p.check_words(key)?;
        Ok(MmhStar { p, key })
    }

    /// The hash, a number below p, of at most as many words as the key has.
    ///
    /// # Errors
    /// [`InvalidInput`] for more words or if one of them is p or more.
    pub fn hash(&self, message: &[u64]) -> Result<u64, InvalidInput> {
        check(message.len() <= self.key.len(), InvalidInput::MessageLength)?;
        self.p.check_words(message)?;
        let pairs = self.key.iter().zip(message);
        Ok(pairs.fold(0, |sum, (&k, &m)| self.p.add_product(sum, k, m)))
    }
}

impl fmt::Debug for MmhStar<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "MmhStar(n = {}, p = {})", self.key.len(), self.p.value())
    }
}

/// MMH32 under a key of words of 32 bits.
#[derive(Clone, Copy)]
pub struct Mmh32<'k>(&'k [u32]);

impl<'k> Mmh32<'k> {
    /// Under a key of any number of words.
    #[must_use]
    pub fn new(key: &'k [u32]) -> Self {
        Mmh32(key)
    }

    /// The hash of at most as many words as the key has.
    ///
    /// # Errors
    /// [`InvalidInput::MessageLength`] for more words.
    pub fn hash(&self, message: &[u32]) -> Result<u32, InvalidInput> {
        check(message.len() <= self.0.len(), InvalidInput::MessageLength)?;
        let products = self.0.iter().zip(message).map(|(&k, &m)| u64::from(k) * u64::from(m));
        Ok(Prime::P32.reduce(products.fold(0, u64::wrapping_add).into()) as u32)
    }
}

impl fmt::Debug for Mmh32<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Mmh32(n = {})", self.0.len())
    }
}

/// MMH16 under a key of words of 16 bits.
#[derive(Clone, Copy)]
pub struct Mmh16<'k>(&'k [u16]);

impl<'k> Mmh16<'k> {
    /// Under a key of any number of words.
    #[must_use]
    pub fn new(key: &'k [u16]) -> Self {
        Mmh16(key)
    }

    /// The hash of at most as many words as the key has.
    ///
    /// # Errors
    /// [`InvalidInput::MessageLength`] for more words.
    pub fn hash(&self, message: &[u16]) -> Result<u16, InvalidInput> {
        check(message.len() <= self.0.len(), InvalidInput::MessageLength)?;
        Ok(mmh16(self.0.iter().copied().zip(message.iter().copied())))
    }
}

fn mmh16(pairs: impl Iterator<Item = (u16, u16)>) -> u16 {
    let products = pairs.map(|(k, m)| u32::from(k) * u32::from(m));
    Prime::P16.reduce(products.fold(0, u32::wrapping_add).into()) as u16
}

impl fmt::Debug for Mmh16<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Mmh16(n = {})", self.0.len())
    }
}

/// TMMH/16, for keys and messages in bytes. Words are big-endian.
///
/// The draft's MAC encrypts this hash; the hash alone is not one.
#[derive(Clone, Copy)]
pub struct Tmmh16<'k>(&'k [u8]);

impl<'k> Tmmh16<'k> {
    /// Under a key of any number of bytes. For hashes of `t` words it must have `2 t` bytes more than the longest
    /// message, which counts as one byte longer if its length is odd.
    ///
    /// # Errors
    /// [`InvalidInput::KeyLength`] if its length is odd.
    pub fn new(key: &'k [u8]) -> Result<Self, InvalidInput> {
        check(key.len().is_multiple_of(2), InvalidInput::KeyLength)?;
        Ok(Tmmh16(key))
    }

    /// Writes a hash of `out.len() / 2` words of a message of at most 65535 bytes.
    ///
    /// # Errors
    /// [`InvalidInput`] if the message is longer, the key is too short for both, or the length of `out` is odd.
    /// Nothing is written then.
    pub fn hash(&self, message: &[u8], out: &mut [u8]) -> Result<(), InvalidInput> {
        check(!out.is_empty() && out.len().is_multiple_of(2), InvalidInput::OutputLength)?;
        let length = u16::try_from(message.len()).map_err(|_| InvalidInput::MessageLength)?;
        let needed = message.len().next_multiple_of(2) + out.len();
        check(needed <= self.0.len(), InvalidInput::MessageLength)?;
        for (j, out) in out.chunks_exact_mut(2).enumerate() {
            let annotated = core::iter::once(length).chain(words(message));
            out.copy_from_slice(&mmh16(words(&self.0[2 * j..]).zip(annotated)).to_be_bytes());
        }
        Ok(())
    }
}

/// Big-endian words. An odd last byte is followed by a zero.
fn words(bytes: &[u8]) -> impl Iterator<Item = u16> {
    bytes.chunks(2).map(|word| {
        let low = word.get(1).map_or(0, |&byte| u16::from(byte)); // the choice depends on the length only
        u16::from(word[0]) << 8 | low
    })
}

impl fmt::Debug for Tmmh16<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Tmmh16({} bytes of key)", self.0.len())
    }
}
