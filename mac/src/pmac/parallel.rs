//! Long messages on several threads (feature `parallel`): a block's part in the sum depends on its
//! number alone, so each thread sums some of them and the sums are xored in any order.

use crate::cipher::{Block, BlockCipher, xor};
use crate::pmac::{Key, State, Stream};
use rayon::prelude::*;

/// Blocks of a thread's share: 256 KiB, enough to be worth its while and little enough for its cache.
const SHARE: usize = 1 << 14;

impl<C: BlockCipher, const N: usize> Stream<'_, C, N> {
    /// [`update`](Self::update) on all threads of rayon's current pool. The tag is the same.
    ///
    /// For pieces of many MiB; less than 512 KiB stay on this thread.
    pub fn update_rayon(&mut self, piece: &[u8]) {
        let Stream { key, state, buffer } = self;
        buffer.update(piece, |parts| {
            state.absorb_on_threads(key, parts.as_flattened().as_chunks().0);
        });
    }
}

impl State {
    fn absorb_on_threads<C: BlockCipher, const N: usize>(
        &mut self,
        key: &Key<C, N>,
        blocks: &[Block],
    ) {
        if blocks.len() < 2 * SHARE {
            return self.absorb(key, blocks);
        }
        let shares = blocks.par_chunks(SHARE).enumerate().map(|(i, blocks)| {
            let mut share = State { next: self.next + (i * SHARE) as u64, sum: [0; 16] };
            share.absorb(key, blocks);
            share.sum
        });
        let sum = shares.reduce(|| [0; 16], |a, b| xor(&a, &b));
        self.sum = xor(&self.sum, &sum);
        self.next += blocks.len() as u64;
    }
}
