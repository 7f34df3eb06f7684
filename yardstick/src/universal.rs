//! The families of universal hash functions that the papers name, for measurements, comparisons and experiments with
//! the theorems.
//!
//! **None of them is a MAC.** A bound limits how often two messages collide if they were chosen *without knowing the
//! key or any hash*. From hashes, anyone can compute the key. A MAC encrypts the hash with a pad that is made from a
//! nonce and used once, as [`umac`](wegman::umac) does.
//!
//! | family | key | hash | probability that messages of one length collide |
//! |---|---|---|---|
//! | [`Nh`], unsigned, signed | words | 2w bits | 2^-w, 2^(1-w) |
//! | [`Nht`] | words | t times 2w bits | 2^-wt, 2^(t(1-w)) |
//! | [`Nht2`] | words | 4w bits | 2^(2-2w), 2^(4-2w) |
//! | [`Nhx`], any lengths | words | long | that of [`Nht`] |
//! | [`Mh`] | words | 2w bits | 2^-w |
//! | [`MmhStar`], [`NmhStar`], [`Sqh`] | words below p | below p | 1/p |
//! | [`Mmh32`] | words | 32 bits | 6 * 2^-32 |
//! | [`Nmh32`] | words | 32 bits | a small constant times 2^-32 |
//! | [`Mmh16`], [`Tmmh16`] | words | 16 bits, t times 16 | 6 * 2^-16, its t-th power |
//! | [`Bucket`] | sets of three | N words | 3312 N^-6 |
//! | [`Crc`] | irreducible polynomial | n bits | (m + n) / 2^(n-1) for m bits |
//! | [`LfsrToeplitz`] | polynomial and state | n bits | m / 2^(n-1) for m bits |
//!
//! The modules give the source of each bound, and docs/universal.md compares them. The length of a message is public
//! and does not enter the hash, except in [`Nhx`] and [`Tmmh16`]. So in the other families, messages of different
//! lengths may always collide.
//!
//! A family is a type that borrows its key, or wipes it on drop; a value of the type is one function of the family.
//! `new` checks the key and `hash` checks the message, in a time that depends on their lengths only, except for a prime
//! given at run time, [`Prime::new`]. Whether an input is refused, and with which error, is not secret. The caller must
//! choose a uniformly random key. This is plain code without kernels.
//!
//! A word is a number below 2^w in a `u64`, for every w from 1 to 64. The first word of a list is number 1 in the
//! papers.
//!
//! ```
//! use wegman_yardstick::universal::{Nh, Sign};
//!
//! let nh = Nh::new(Sign::Unsigned, 4, &[15, 3, 1, 9])?;
//! // (15 + 2 mod 16) (3 + 4) + (1 + 1) (9 + 0) = 1 * 7 + 2 * 9
//! assert_eq!(nh.hash(&[2, 4, 1, 0])?, 25);
//! # Ok::<(), wegman_yardstick::universal::InvalidInput>(())
//! ```

pub mod bucket;
pub mod crc;
pub mod lfsr_toeplitz;
pub mod nh;
pub mod polynomial;
pub mod prime;
pub mod products;

pub use bucket::Bucket;
pub use crc::Crc;
pub use lfsr_toeplitz::LfsrToeplitz;
pub use nh::{Nh, Nht, Nht2, Nhx, Sign};
pub use polynomial::Polynomial;
pub use prime::Prime;
pub use products::{Mh, Mmh16, Mmh32, MmhStar, Nmh32, NmhStar, Sqh, Tmmh16};

use core::fmt;

wegman::error! {
    /// Why a family refuses an input. Each error names the argument; about a key, it says only that it is not valid.
    #[non_exhaustive]
    pub enum InvalidInput {
        /// The word size is not 1 to 64 bits, or, where bytes are read, not 8, 16, 32 or 64.
        WordSize = "no word size of this family",
        /// A word of the key or of the message is not below 2^w, or not below p.
        Word = "a word is too large",
        /// The key does not have as many words as the family needs.
        KeyLength = "the key has another length",
        /// The message is longer than the key allows, or does not have whole pairs of words.
        MessageLength = "the message has a length this key does not take",
        /// The output slice does not have the length of the hash.
        OutputLength = "the hash has another length",
        /// The number of repetitions is 0.
        Repetitions = "no number of repetitions of this family",
        /// The modulus is not a prime, or this family is not universal for it.
        Modulus = "not a prime this family takes",
        /// These are not sets of three different buckets, or two sets are equal.
        Triples = "not different sets of three buckets",
        /// The polynomial is not irreducible, or its degree is not 1 to 128.
        Polynomial = "not an irreducible polynomial of degree 1 to 128",
        /// The state is zero, or longer than the polynomial's degree.
        State = "the state is zero or too long",
    }
}

/// A function is shown by the name of its family: its key is a secret.
macro_rules! shown_by_name {
    ($($family:ty)*) => {$(
        impl fmt::Debug for $family {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(stringify!($family))
            }
        }
    )*};
}

shown_by_name!(Nh<'_> Nht<'_> Nht2<'_> Nhx<'_> Mh<'_> MmhStar<'_> NmhStar<'_> Sqh<'_> Mmh32<'_> Nmh32<'_>
    Mmh16<'_> Tmmh16<'_> Bucket<'_> Crc LfsrToeplitz Polynomial);

/// `Ok` if the condition holds, otherwise the error.
fn check(holds: bool, error: InvalidInput) -> Result<(), InvalidInput> {
    if holds { Ok(()) } else { Err(error) }
}

/// The mask of the low `bits` bits, 1 to 128.
const fn below(bits: u32) -> u128 {
    u128::MAX >> (128 - bits)
}

/// Checks that all words are below 2^w. It reads all of them, whatever it finds.
fn check_words(w: u32, words: &[u64]) -> Result<(), InvalidInput> {
    check((1..=64).contains(&w), InvalidInput::WordSize)?;
    let together = words.iter().fold(0, |all, word| all | word);
    let too_high = !(below(w) as u64);
    check(together & too_high == 0, InvalidInput::Word)
}
