//! Protected counter sums (Bernstein, "How to stretch random functions", J. Cryptology 1999): the sum of
//! [`xor_mac`](super::xor_mac), to which the function is applied once more instead of a mask.
//!
//! ```text
//! f(0, f(1, piece 1) xor ... xor f(m, piece m))       f(i, x) = the first 8 bytes of E(i || x)
//! ```
//!
//! **Padding and sizes are ours**: pieces have 8 bytes; the message is always padded with a byte 80 and zeroes; all 16
//! bytes of the last encryption are the tag, of which the first 8 are the paper's value. The inner sum has only 64
//! bits, so this is for study, not for use.
//!
//! **Bound.** Over `q` messages and `v` forgery attempts with `s` blocks in all, a forgery succeeds with probability at
//! most about `(q + v)^2 / 2^65 + s^2 / 2^129 + v / 2^8N` (our bound), plus the advantage of distinguishing the cipher
//! from a random permutation.

use crate::engine::{Engine, Longest, longest};
use crate::pieces::{Pieces, Sum};
use core::fmt;
use wegman::cipher::{Block, BlockCipher};
use wegman::{Cpu, InvalidLength};

/// Protected counter sums over the cipher `C`.
pub struct Pcs<C>(Pieces<C>);

impl<C: BlockCipher<Block = Block>> Pcs<C> {
    /// The first half of the sum, encrypted as a piece with the number 0.
    fn finish(&self, sum: u128) -> Longest {
        longest(self.0.encrypt(sum >> 64).to_be_bytes())
    }
}

impl<C: BlockCipher<Block = Block>> Engine for Pcs<C> {
    type State = Sum;

    const MOST: usize = 16;

    const IS_AES: bool = C::IS_AES;

    fn from_slice(cpu: Cpu, secret: &[u8]) -> Result<Self, InvalidLength> {
        Pieces::from_slice(cpu, secret).map(Pcs)
    }

    fn uses_aes(&self) -> bool {
        self.0.uses_aes()
    }

    fn state(&self) -> Sum {
        Sum::new(false)
    }

    fn update(&self, state: &mut Sum, piece: &[u8]) {
        state.update(&self.0, piece);
    }

    fn tag(&self, state: &Sum) -> Longest {
        self.finish(state.finish(&self.0))
    }

    fn tag_of(&self, message: &[u8]) -> Longest {
        self.finish(self.0.sum(false, message))
    }
}

impl<C> fmt::Debug for Pcs<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Pcs")
    }
}
