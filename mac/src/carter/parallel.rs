//! Long messages on several threads (feature `parallel`): each makes the [`State`]s of its blocks, and joining those in
//! order gives the state that one thread would have come to.

use super::l1::{BLOCK, Hash, Key as HashKey};
use super::l2::State;
use super::{Cipher, Stream};
use rayon::prelude::*;

/// Blocks of a part: enough to be worth a thread's while.
const PART: usize = 256;

impl<C: Cipher, const N: usize, const L: usize> Stream<'_, C, N, L> {
    /// [`update`](Self::update) on all threads of rayon's current pool. The tag is the same.
    ///
    /// For pieces of many MiB that are in memory already, on machines whose memory feeds more than one
    /// core: measure. Pieces of less than 1 MiB stay on this thread.
    pub fn update_rayon(&mut self, piece: &[u8]) {
        let Stream { key, state, buffer } = self;
        buffer.update(piece, |blocks| on_threads(state, key.hash, &key.key, blocks));
    }
}

fn on_threads(state: &mut State, hash: Hash, key: &HashKey, blocks: &[[u8; BLOCK]]) {
    if blocks.len() < 2 * PART {
        return state.absorb(hash, key, blocks);
    }
    let parts = blocks.par_chunks(PART).map(|blocks| {
        let mut part = State::new();
        part.absorb(hash, key, blocks);
        part
    });
    if let Some(rest) = parts.reduce_with(|one, next| one.then(key, &next)) {
        *state = state.clone().then(key, &rest);
    }
}
