//! MH, which is MMH without its last two reductions (CRYPTO '99, section 3):
//!
//! ```text
//! MH    sum of m_i k_i   mod 2^2w
//! ```
//!
//! **Bound**: 2^-w for two different messages of one length and any difference of their hashes modulo 2^2w. This is
//! ours, by that paper's lemma 4.4: for any values of the other key words, at most one k_i solves
//! (m_i - m'_i) k_i = y.
//!
//! Constant time.

use super::{InvalidInput, below, check, check_words};
use core::fmt;

/// MH under a key of n words of w bits.
#[derive(Clone, Copy)]
pub struct Mh<'k> {
    w: u32,
    key: &'k [u64],
}

impl<'k> Mh<'k> {
    /// Under a key of any number of words.
    ///
    /// # Errors
    /// [`InvalidInput`] if `w` is not 1 to 64 or a word is 2^w or more.
    pub fn new(w: u32, key: &'k [u64]) -> Result<Self, InvalidInput> {
        check_words(w, key)?;
        Ok(Mh { w, key })
    }

    /// The hash, a number below 2^2w, of at most as many words as the key has.
    ///
    /// # Errors
    /// [`InvalidInput`] for more words or if one of them is 2^w or more.
    pub fn hash(&self, message: &[u64]) -> Result<u128, InvalidInput> {
        check(message.len() <= self.key.len(), InvalidInput::MessageLength)?;
        check_words(self.w, message)?;
        let products = self.key.iter().zip(message).map(|(&k, &m)| u128::from(k) * u128::from(m));
        Ok(products.fold(0, u128::wrapping_add) & below(2 * self.w))
    }
}

impl fmt::Debug for Mh<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Mh(n = {}, w = {})", self.key.len(), self.w)
    }
}
