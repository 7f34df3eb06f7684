//! Level 2 of a message: Y = Y r + L1, block after block.

use crate::key::{BLOCK, Key, PartialSums};
use crate::rows::Hash;
use zeroize::Zeroize;

/// Level 2 of the blocks so far. Wiped on drop.
#[derive(Clone)]
pub(crate) struct State {
    pub(crate) y: PartialSums,
    pub(crate) blocks: u64,
}

impl State {
    pub(crate) const fn new() -> State {
        State { y: PartialSums::ZERO, blocks: 0 }
    }

    /// Absorbs blocks, none of which is the message's last.
    pub(crate) fn absorb(&mut self, hash: Hash, key: &Key, blocks: &[[u8; BLOCK]]) {
        hash.absorb(key, &mut self.y, blocks);
        self.blocks += blocks.len() as u64;
    }

    /// The hash of the message that ends with `last`, 0 to 2048 bytes.
    pub(crate) fn finish(&self, hash: Hash, key: &Key, last: &[u8]) -> u128 {
        // The bound is for messages below 2^64 bytes.
        let length = self.blocks.wrapping_mul(BLOCK as u64).wrapping_add(last.len() as u64);
        hash.finish(key, &self.y, last, length)
    }
}

impl Drop for State {
    fn drop(&mut self) {
        let State { y, blocks: _ } = self;
        y.zeroize();
    }
}
