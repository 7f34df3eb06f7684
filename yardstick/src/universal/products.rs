//! Sums of products, and their reductions.
//!
//! ```text
//! MH       sum of m_i k_i                    mod 2^2w                        words of w bits
//! MMH*     sum of m_i k_i                    mod p
//! NMH*     sum of (m1 + k1) (m2 + k2), ...   mod p
//! SQH      sum of (m_i + k_i)^2              mod p, an odd prime
//! MMH32    MH of words of 32 bits            mod 2^32 + 15   mod 2^32
//! NMH32    NH of words of 32 bits            mod 2^32 + 15   mod 2^32
//! MMH16    MH of words of 16 bits            mod 2^16 + 1    mod 2^16
//! TMMH/16  word j: MMH16 of |M|, m_1, m_2, ... under the key from word j on
//! ```
//!
//! MMH is of Halevi and Krawczyk ("MMH: software message authentication in the Gbit/second rates", FSE 1997), where NMH,
//! by Carter and Wegman, stands, too; NH descends from it (CRYPTO '99, section 1.3). MH is MMH without its last two
//! reductions (CRYPTO '99, section 3). The square hash is of Etzel, Patel and Ramzan ("Square hash: fast message
//! authentication via optimized universal hash functions", CRYPTO 1999): the base family, without the authors'
//! truncated variants. TMMH/16 is MMH16 with a Toeplitz key (draft-mcgrew-saag-tmmh-01).
//!
//! **Bounds**, for two different messages of one length and any difference of their hashes:
//!
//! - MH: 2^-w. This is ours, by lemma 4.4 of CRYPTO '99: for any values of the other key words, at most one k_i solves
//!   (m_i - m'_i) k_i = y.
//! - MMH\*, NMH\* and SQH: 1/p (checked at small p). In SQH, if m_i and m'_i differ, the difference is
//!   2 k_i (m_i - m'_i) plus a constant, which is linear in k_i.
//! - MMH32 6 * 2^-32, MMH16 6 * 2^-16, and TMMH/16 with t words of tag (9 * 2^-16)^t, for any lengths, since the length
//!   is part of the hash.
//! - NMH32: a small constant times 2^-32; the constant is the cost of its two reductions (CRYPTO '99, section 1.2; the
//!   authors' own text, which has the constant, was not available). NH, without the reductions, has 2^-32.
//!
//! The papers on MMH were not available, so here is a proof. Let W be 2^32 or 2^16. Let m and m' be two different words,
//! x their word of the key, and all other words of the key fixed. Before the reductions mod p and W, the hashes are A =
//! (m x + s) mod W^2 and B = (m' x + s') mod W^2. The hashes differ by a given number mod W only if (A mod p) - (B mod
//! p) is one of at most three numbers between -p and p. A - B is (m - m') x + s - s' plus W^2 times -1, 0 or 1. Since A
//! and B wrap at most once each as x grows, only two of these three occur. That leaves six linear equations mod p, each
//! with at most one solution x out of W. For TMMH, take the last word of length and message that differs. Word j of the
//! tag depends on its key word, which no earlier word of the tag has at a place where the messages differ. Nothing is
//! known about the common end of the sums, so a third multiple of W^2 can occur: nine equations for each word of the
//! tag.
//!
//! Constant time, except with a prime that [`Prime`] does not name.

use super::{InvalidInput, Prime, below, check, check_words};

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
        // Below 2^2w each; the sum is mod 2^2w by definition, which divides 2^128.
        let products = self.key.iter().zip(message).map(|(&k, &m)| u128::from(k) * u128::from(m));
        Ok(products.fold(0, u128::wrapping_add) & below(2 * self.w))
    }
}

/// A family modulo a prime from `$least` on: a sum over `$step` words at a time, of which the closure adds the next
/// term.
macro_rules! modulo_a_prime {
    ($(#[$doc:meta])* $name:ident, $least:literal, $step:literal, $add:expr) => {
        $(#[$doc])*
        #[derive(Clone, Copy)]
        pub struct $name<'k> {
            p: Prime,
            key: &'k [u64],
        }

        impl<'k> $name<'k> {
            /// Under a key of any number of words.
            ///
            /// # Errors
            /// [`InvalidInput`] if a word is p or more, or if the family does not take the prime.
            pub fn new(p: Prime, key: &'k [u64]) -> Result<Self, InvalidInput> {
                check(p.value() >= $least, InvalidInput::Modulus)?;
                p.check_words(key)?;
                Ok($name { p, key })
            }

            /// The hash, a number below p, of at most as many words as the key has; of NMH\*, of an even number.
            ///
            /// # Errors
            /// [`InvalidInput`] for another number of words or if one of them is p or more.
            pub fn hash(&self, message: &[u64]) -> Result<u64, InvalidInput> {
                check_length(message.len(), $step, self.key.len())?;
                self.p.check_words(message)?;
                let add: fn(Prime, u64, &[u64; $step], &[u64; $step]) -> u64 = $add;
                let terms = self.key.as_chunks().0.iter().zip(message.as_chunks().0);
                Ok(terms.fold(0, |sum, (k, m)| add(self.p, sum, k, m)))
            }
        }
    };
}

modulo_a_prime! {
    /// MMH\* under a key of n words below p.
    MmhStar, 2, 1, |p, sum, [k], [m]| p.add_product(sum, *k, *m)
}

modulo_a_prime! {
    /// NMH\* under a key of n words below p.
    NmhStar, 2, 2, |p, sum, [k1, k2], [m1, m2]| p.add_product(sum, p.add(*k1, *m1), p.add(*k2, *m2))
}

modulo_a_prime! {
    /// SQH under a key of n words below p, which is not 2: then 2 k_i is always 0.
    Sqh, 3, 1, |p, sum, [k], [m]| p.add_product(sum, p.add(*k, *m), p.add(*k, *m))
}

/// Whole steps, and no more words than the key has.
fn check_length(words: usize, step: usize, most: usize) -> Result<(), InvalidInput> {
    check(words.is_multiple_of(step) && words <= most, InvalidInput::MessageLength)
}

/// A family of words of one type: a sum in words of twice the size over `$step` words at a time, reduced.
macro_rules! reduced {
    ($(#[$doc:meta])* $name:ident, $word:ty, $wide:ty, $prime:expr, $step:literal, $product:expr) => {
        $(#[$doc])*
        #[derive(Clone, Copy)]
        pub struct $name<'k>(&'k [$word]);

        impl<'k> $name<'k> {
            /// Under a key of any number of words.
            #[must_use]
            pub fn new(key: &'k [$word]) -> Self {
                $name(key)
            }

            /// The hash of at most as many words as the key has; of NMH32, of an even number.
            ///
            /// # Errors
            /// [`InvalidInput::MessageLength`] for another number of words.
            pub fn hash(&self, message: &[$word]) -> Result<$word, InvalidInput> {
                check_length(message.len(), $step, self.0.len())?;
                let pairs = self.0.as_chunks().0.iter().zip(message.as_chunks().0);
                let product: fn((&[$word; $step], &[$word; $step])) -> $wide = $product;
                // A product fits `$wide`; the sum is mod 2^32 or 2^64 by definition.
                let sum = pairs.map(product).fold(0, <$wide>::wrapping_add);
                Ok($prime.reduce(sum.into()) as $word)
            }
        }
    };
}

reduced! {
    /// MMH32 under a key of words of 32 bits.
    Mmh32, u32, u64, Prime::P32, 1, |([k], [m])| u64::from(*k) * u64::from(*m)
}

reduced! {
    /// NMH32 under a key of words of 32 bits.
    Nmh32, u32, u64, Prime::P32, 2,
    |([k1, k2], [m1, m2])| u64::from(k1.wrapping_add(*m1)) * u64::from(k2.wrapping_add(*m2))
}

reduced! {
    /// MMH16 under a key of words of 16 bits.
    Mmh16, u16, u32, Prime::P16, 1, |([k], [m])| u32::from(*k) * u32::from(*m)
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
            let products =
                words(&self.0[2 * j..]).zip(annotated).map(|(k, m)| u32::from(k) * u32::from(m));
            let sum = products.fold(0, u32::wrapping_add); // mod 2^32 by definition
            out.copy_from_slice(&(Prime::P16.reduce(sum.into()) as u16).to_be_bytes());
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
