//! Level 2 of parts of a message: Y = Y r + L1, block after block, is linear, so parts are summed apart and joined.

use crate::field::dot;
use crate::l1::{BLOCK, Hash, Key, Lanes};
use zeroize::Zeroize;

/// A message under way; it wipes itself.
#[derive(Clone)]
pub(crate) struct State {
    lanes: Lanes,
    blocks: u64,
}

impl State {
    pub(crate) const fn new() -> State {
        State { lanes: Lanes::ZERO, blocks: 0 }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.blocks == 0
    }

    /// Absorbs blocks of which none is the message's last.
    pub(crate) fn absorb(&mut self, hash: Hash, key: &Key, blocks: &[[u8; BLOCK]]) {
        hash.absorb(key, &mut self.lanes, blocks);
        self.blocks += blocks.len() as u64;
    }

    /// The hash of the message that ends with `last`, at most a block.
    pub(crate) fn finish(&self, hash: Hash, key: &Key, last: &[u8]) -> u128 {
        // Bounds are of messages below 2^64 bytes.
        let length = self.blocks.wrapping_mul(BLOCK as u64).wrapping_add(last.len() as u64);
        hash.finish(key, &self.lanes, last, length)
    }

    /// Appends blocks that began with a state of their own.
    pub(crate) fn then(mut self, key: &Key, next: &State) -> State {
        let y = self.lanes.sum();
        let y = if next.blocks == 0 { y } else { dot(y, power(key, next.blocks)) };
        self.lanes = Lanes::from(y ^ next.lanes.sum());
        self.blocks += next.blocks;
        self
    }
}

/// r^n for n > 0, with a factor x^-128 for each product.
fn power(key: &Key, n: u64) -> u128 {
    let r = u128::from_le_bytes(key.r);
    (0..n.ilog2()).rev().fold(r, |power, i| {
        let square = dot(power, power);
        if n >> i & 1 == 1 { dot(square, r) } else { square }
    })
}

impl Drop for State {
    fn drop(&mut self) {
        let State { lanes, blocks: _ } = self;
        lanes.zeroize();
    }
}
