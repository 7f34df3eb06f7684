//! Level 2 (docs/carter.md) of parts of a message. Y = Y r + L1, block after block, is linear, so parts can be summed apart
//! and joined.

use crate::field::dot;
use crate::key::{BLOCK, Key, PartialSums};
use crate::rows::Functions;
use zeroize::Zeroize;

/// Level 2 of the blocks so far. Wiped on drop.
#[derive(Clone)]
pub(crate) struct State {
    y: PartialSums,
    blocks: u64,
}

impl State {
    #[inline(always)]
    pub(crate) const fn new() -> State {
        State { y: PartialSums::ZERO, blocks: 0 }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.blocks == 0
    }

    /// Absorbs blocks, none of which is the message's last.
    pub(crate) fn absorb(&mut self, functions: &Functions, key: &Key, blocks: &[[u8; BLOCK]]) {
        functions.absorb(key, &mut self.y, blocks);
        self.blocks += blocks.len() as u64;
    }

    /// The hash of the message that ends with `last`, 0 to 2048 bytes.
    pub(crate) fn finish(&self, functions: &Functions, key: &Key, last: &[u8]) -> u128 {
        assert!(last.len() <= BLOCK, "a message's last part");
        // The bound is for messages below 2^64 bytes.
        let length = self.blocks.wrapping_mul(BLOCK as u64).wrapping_add(last.len() as u64);
        functions.finish(key, &self.y, last, length)
    }

    /// The state of these blocks followed by those of `next`.
    pub(crate) fn then(mut self, key: &Key, next: &State) -> State {
        let y = self.y.sum();
        let y = if next.blocks == 0 { y } else { dot(y, power(key, next.blocks)) };
        self.y = PartialSums::from(y ^ next.y.sum());
        self.blocks += next.blocks;
        self
    }
}

/// r^n for `n` > 0, with a factor x^-128 for each product.
fn power(key: &Key, n: u64) -> u128 {
    let r = u128::from_le_bytes(key.r);
    (0..n.ilog2()).rev().fold(r, |power, i| {
        let square = dot(power, power);
        if n >> i & 1 == 1 { dot(square, r) } else { square }
    })
}

impl Drop for State {
    fn drop(&mut self) {
        let State { y, blocks: _ } = self;
        y.zeroize();
    }
}
