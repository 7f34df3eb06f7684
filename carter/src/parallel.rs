//! Long messages on several threads (feature `parallel`). Each thread makes the [`State`] of its blocks. Joined in
//! order, they are the state that one thread would have computed, because level 2 is linear.

use crate::field::dot;
use crate::key::{BLOCK, Key, PartialSums};
use crate::l2::State;
use crate::rows::Hash;
use rayon::prelude::*;

/// Blocks in a part: enough work for a thread.
const PART: usize = 256;

/// Absorbs blocks, none of which is the message's last.
pub(crate) fn absorb(state: &mut State, hash: Hash, key: &Key, blocks: &[[u8; BLOCK]]) {
    if blocks.len() < 2 * PART {
        return state.absorb(hash, key, blocks);
    }
    let parts = blocks.par_chunks(PART).map(|blocks| {
        let mut part = State::new();
        part.absorb(hash, key, blocks);
        part
    });
    if let Some(rest) = parts.reduce_with(|one, next| joined(key, one, &next)) {
        *state = joined(key, state.clone(), &rest);
    }
}

/// The state of some blocks followed by those of `next`.
pub(crate) fn joined(key: &Key, mut state: State, next: &State) -> State {
    let y = state.y.sum();
    let y = if next.blocks == 0 { y } else { dot(y, power(key, next.blocks)) };
    state.y = PartialSums::from(y ^ next.y.sum());
    state.blocks += next.blocks;
    state
}

/// r^n for `n` > 0, with a factor x^-128 for each product.
fn power(key: &Key, n: u64) -> u128 {
    let r = u128::from_le_bytes(key.r);
    (0..n.ilog2()).rev().fold(r, |power, i| {
        let square = dot(power, power);
        if n >> i & 1 == 1 { dot(square, r) } else { square }
    })
}
