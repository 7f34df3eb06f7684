//! The cryptographic CRC (Krawczyk, "LFSR-based hashing and authentication", CRYPTO 1994).
//!
//! ```text
//! h(M) = M(x) x^n mod p(x)
//! ```
//!
//! The key is p, uniformly random among the irreducible polynomials of degree n. The first bit of the message
//! is its highest coefficient.
//!
//! **Bound**: (m + n) / 2^(n-1) for two different messages of m bits and any xor of their hashes; m / 2^(n-1) for
//! collisions. The paper was not available; the reason is this. A nonzero polynomial of degree below m + n has fewer
//! than (m + n) / n irreducible factors of degree n, and there are at least 2^(n-1) / n of those.
//! Prepending zeroes to a message does not change the hash.
//!
//! Constant time: bit by bit, with masks.

use super::Polynomial;
use wegman::Bits;

/// The CRC modulo a secret polynomial.
pub struct Crc(Polynomial);

impl Crc {
    /// Modulo this polynomial.
    #[must_use]
    pub fn new(p: Polynomial) -> Self {
        Crc(p)
    }

    /// The hash of a message of any length. Bit k is the coefficient of x^k, for k below the degree.
    ///
    /// ```
    /// use wegman::Bits;
    /// use wegman_yardstick::universal::{Crc, Polynomial};
    ///
    /// let crc = Crc::new(Polynomial::new(3, 0b011)?); // x^3 + x + 1
    /// // x^3 is x + 1, and x^4 is x^2 + x.
    /// assert_eq!(crc.hash(Bits::new(&[0b1000_0000], 1).unwrap()), 0b011);
    /// assert_eq!(crc.hash(Bits::new(&[0b1000_0000], 2).unwrap()), 0b110);
    /// # Ok::<(), wegman_yardstick::universal::InvalidInput>(())
    /// ```
    #[must_use]
    pub fn hash(&self, message: Bits<'_>) -> u128 {
        bits(message).fold(0, |rest, bit| self.0.shift(rest, bit))
    }
}

/// The bits of a message in order.
pub(super) fn bits(message: Bits<'_>) -> impl Iterator<Item = bool> {
    let bytes = message.bytes();
    (0..message.len()).map(move |i| bytes[(i / 8) as usize] >> (7 - i % 8) & 1 == 1)
}
