//! The Toeplitz hash with a matrix from a linear feedback shift register (Krawczyk, "LFSR-based hashing and
//! authentication", CRYPTO 1994).
//!
//! ```text
//! s_(t+n) = xor of s_(t+j) over the j below n for which p has x^j
//! h(M)    = xor of the windows s_j .. s_(j+n-1) over all j for which bit j of M, from 0, is 1
//! ```
//!
//! The key is p, uniformly random among the irreducible polynomials of degree n, and the state s_0 .. s_(n-1),
//! uniformly random but not zero. The first bit of a window is the highest of the hash (our choice; the order does not
//! affect the bound).
//!
//! **Bound**: m / 2^(n-1) for two different messages of m bits and any xor of their hashes. The paper was not
//! available; the reason is this. Let r be a root of p. Bit t of the register's output is a linear function of b r^t,
//! where b represents the state. So the hash is what the register outputs from b M(r) on. It is 0 if p divides M, which
//! happens for fewer than m / n of the 2^(n-1) / n or more p; otherwise it is any other value with probability 1 / (2^n
//! - 1). Appending zeroes to a message does not change the hash.
//!
//! Constant time: bit by bit, with masks.

use super::crc::bits;
use super::{InvalidInput, Polynomial, below, check};
use wegman::Bits;
use wegman::hazmat::ct::wide_mask;
use zeroize::Zeroize;

/// The hash under a secret polynomial and state. Both are wiped on drop.
pub struct LfsrToeplitz {
    p: Polynomial,
    state: u128,
}

impl LfsrToeplitz {
    /// Under a polynomial of degree n and a state of n bits, with s_0 the highest bit.
    ///
    /// # Errors
    /// [`InvalidInput::State`] if the state is 0, or 2^n or more.
    pub fn new(p: Polynomial, state: u128) -> Result<Self, InvalidInput> {
        let is_state = (state != 0) & (state <= below(p.degree()));
        check(is_state, InvalidInput::State)?;
        Ok(LfsrToeplitz { p, state })
    }

    /// The hash, n bits, of a message of any length.
    #[must_use]
    pub fn hash(&self, message: Bits<'_>) -> u128 {
        let n = self.p.degree();
        // The coefficient of x^0 applies to the oldest bit, which is the highest.
        let taps = self.p.low().reverse_bits() >> (128 - n);
        let windows = core::iter::successors(Some(self.state), |window| {
            let next = u128::from((window & taps).count_ones() & 1);
            Some((window << 1 & below(n)) | next)
        });
        bits(message).zip(windows).fold(0, |sum, (bit, window)| sum ^ (window & wide_mask(bit)))
    }
}

impl Drop for LfsrToeplitz {
    fn drop(&mut self) {
        let LfsrToeplitz { p: _, state } = self; // `p` wipes itself
        state.zeroize();
    }
}
