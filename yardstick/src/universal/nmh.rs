//! NMH, from which NH descends (Carter and Wegman, unpublished; in Halevi and Krawczyk, "MMH", FSE 1997;
//! CRYPTO '99, section 1.3).
//!
//! ```text
//! NMH*     sum of (m1 + k1) (m2 + k2), (m3 + k3) (m4 + k4), ...   mod p
//! NMH32    NH of words of 32 bits   mod 2^32 + 15   mod 2^32
//! ```
//!
//! **Bounds**, for two different messages of one length and any difference of their hashes: NMH\* has 1/p (checked at
//! small p). NMH32 has a small constant times 2^-32; the constant is the cost of its two reductions (CRYPTO '99,
//! section 1.2; the authors' own text, which has the constant, was not available). NH, without the reductions, has
//! 2^-32.
//!
//! Constant time, except with a prime that [`Prime`] does not name.

use super::{InvalidInput, Prime, check};
use core::fmt;

/// NMH\* under a key of n words below p.
#[derive(Clone, Copy)]
pub struct NmhStar<'k> {
    p: Prime,
    key: &'k [u64],
}

impl<'k> NmhStar<'k> {
    /// Under a key of any number of words.
    ///
    /// # Errors
    /// [`InvalidInput::Word`] if a word is p or more.
    pub fn new(p: Prime, key: &'k [u64]) -> Result<Self, InvalidInput> {
        p.check_words(key)?;
        Ok(NmhStar { p, key })
    }

    /// The hash, a number below p, of an even number of words, at most as many as the key has.
    ///
    /// # Errors
    /// [`InvalidInput`] for another number of words or if one of them is p or more.
    pub fn hash(&self, message: &[u64]) -> Result<u64, InvalidInput> {
        let fits = message.len().is_multiple_of(2) && message.len() <= self.key.len();
        check(fits, InvalidInput::MessageLength)?;
        self.p.check_words(message)?;
        let pairs = self.key.as_chunks().0.iter().zip(message.as_chunks().0);
        Ok(pairs.fold(0, |sum, (&[k1, k2], &[m1, m2])| {
            self.p.add_product(sum, self.p.add(k1, m1), self.p.add(k2, m2))
        }))
    }
}

impl fmt::Debug for NmhStar<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "NmhStar(n = {}, p = {})", self.key.len(), self.p.value())
    }
}

/// NMH32 under a key of words of 32 bits.
#[derive(Clone, Copy)]
pub struct Nmh32<'k>(&'k [u32]);

impl<'k> Nmh32<'k> {
    /// Under a key of any number of words.
    #[must_use]
    pub fn new(key: &'k [u32]) -> Self {
        Nmh32(key)
    }

    /// The hash of an even number of words, at most as many as the key has.
    ///
    /// # Errors
    /// [`InvalidInput::MessageLength`] for another number of words.
    pub fn hash(&self, message: &[u32]) -> Result<u32, InvalidInput> {
        let fits = message.len().is_multiple_of(2) && message.len() <= self.0.len();
        check(fits, InvalidInput::MessageLength)?;
        let pairs = self.0.as_chunks().0.iter().zip(message.as_chunks().0);
        let sum = pairs.fold(0, |sum: u64, (&[k1, k2], &[m1, m2])| {
            let (left, right) = (k1.wrapping_add(m1), k2.wrapping_add(m2));
            sum.wrapping_add(u64::from(left) * u64::from(right))
        });
        Ok(Prime::P32.reduce(sum.into()) as u32)
    }
}

impl fmt::Debug for Nmh32<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Nmh32(n = {})", self.0.len())
    }
}
