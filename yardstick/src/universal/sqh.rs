//! The square hash (Etzel, Patel, Ramzan, "Square hash: fast message authentication via optimized universal
//! hash functions", CRYPTO 1999): the base family. The authors' truncated variants are missing, since the paper was not
//! available.
//!
//! ```text
//! SQH    sum of (m_i + k_i)^2   mod p, an odd prime
//! ```
//!
//! **Bound**: 1/p for two different messages of one length and any difference of their hashes (from that paper; checked
//! at small p). If m_i and m'_i differ, the difference is 2 k_i (m_i - m'_i) plus a constant, which is linear in k_i.
//!
//!
//! Constant time, except with a prime that [`Prime`] does not name.

use super::{InvalidInput, Prime, check};
use core::fmt;

/// SQH under a key of n words below p.
#[derive(Clone, Copy)]
pub struct Sqh<'k> {
    p: Prime,
    key: &'k [u64],
}

impl<'k> Sqh<'k> {
    /// Under a key of any number of words.
    ///
    /// # Errors
    /// [`InvalidInput`] if a word is p or more, or if p is 2: then 2 k_i is always 0.
    pub fn new(p: Prime, key: &'k [u64]) -> Result<Self, InvalidInput> {
        check(p.value() != 2, InvalidInput::Modulus)?;
        p.check_words(key)?;
        Ok(Sqh { p, key })
    }

    /// The hash, a number below p, of at most as many words as the key has.
    ///
    /// # Errors
    /// [`InvalidInput`] for more words or if one of them is p or more.
    pub fn hash(&self, message: &[u64]) -> Result<u64, InvalidInput> {
        check(message.len() <= self.key.len(), InvalidInput::MessageLength)?;
        self.p.check_words(message)?;
        Ok(self.key.iter().zip(message).fold(0, |sum, (&k, &m)| {
            let root = self.p.add(k, m);
            self.p.add_product(sum, root, root)
        }))
    }
}

impl fmt::Debug for Sqh<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Sqh(n = {}, p = {})", self.key.len(), self.p.value())
    }
}
