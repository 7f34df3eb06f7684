//! Long messages on several threads (feature `parallel`). What a block adds to the sum (PMAC paper, section 3) depends on
//! its number alone, so each thread sums some of the blocks, and the sums are xored in any order.

#[cfg(feature = "hazmat")]
use crate::bits::Bits;
use crate::cipher::{BlockCipher, CipherBlock};
#[cfg(feature = "hazmat")]
use crate::pmac::hazmat::{Segment, SegmentStream};
use crate::pmac::{Key, State, Stream};
use core::borrow::Borrow;
use rayon::prelude::*;

/// Blocks in one thread's share: 256 KiB, large enough to be worth a thread and small enough for its cache.
const SHARE: usize = 1 << 14;

/// The sum of each share, which is given the number of blocks before it, joined in order. `dyn`: rayon's code is
/// compiled for each type of sum, not for each cipher.
fn in_shares<B: Sync, T: Send>(
    blocks: &[B],
    share: usize,
    sum: &(dyn Fn(u64, &[B]) -> T + Sync),
    join: fn(T, T) -> T,
) -> T {
    let shares = blocks.par_chunks(share).enumerate();
    let sums = shares.map(|(i, blocks)| sum((i * SHARE) as u64, blocks));
    sums.reduce_with(join).expect("there are blocks")
}

impl<K: Borrow<Key<C, N>>, C: BlockCipher, const N: usize> Stream<K, C, N> {
    /// [`update`](Self::update) on all threads of rayon's current pool, with the same result.
    ///
    /// Use it for pieces of many MiB. Pieces below 512 KiB stay on this thread.
    pub fn update_rayon(&mut self, piece: &[u8]) {
        let Stream { key, state, buffer } = self;
        let key = (*key).borrow();
        buffer.update(piece, |parts| {
            state.absorb_on_threads(key, C::Block::split(parts.as_flattened()).0);
        });
    }
}

#[cfg(feature = "hazmat")]
impl SegmentStream {
    /// [`update`](Self::update) on all threads of rayon's current pool, with the same result.
    ///
    /// Use it for pieces of many MiB. Pieces below 512 KiB stay on this thread.
    pub fn update_rayon<C: BlockCipher, const N: usize>(&mut self, key: &Key<C, N>, piece: &[u8]) {
        let segment = |start: u64, blocks: &[u8]| Segment::new(key, start, Bits::from(blocks));
        let share = SHARE * C::Block::BYTES;
        self.update_by(piece, |start, blocks| {
            if blocks.len() < 2 * share {
                return segment(start, blocks);
            }
            let sum = |before, blocks: &_| segment(start.saturating_add(before), blocks);
            in_shares(blocks, share, &sum, |one, next| one?.then(&next?))
        });
    }
}

impl<B: CipherBlock> State<B> {
    fn absorb_on_threads<C: BlockCipher<Block = B>, const N: usize>(
        &mut self,
        key: &Key<C, N>,
        blocks: &[B],
    ) {
        if blocks.len() < 2 * SHARE {
            return self.absorb(key, blocks);
        }
        let sum = |before, blocks: &_| {
            let mut share = State { next: self.next + before, sum: B::ZERO };
            share.absorb(key, blocks);
            share.sum
        };
        let sum = in_shares(blocks, SHARE, &sum, |one, next| one.xor(&next));
        self.sum = self.sum.xor(&sum);
        self.next += blocks.len() as u64;
    }
}
