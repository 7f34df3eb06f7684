//! Levels 1 and 2 (docs/carter.md) of long messages on several threads (feature `parallel`). Each thread makes the
//! [`State`] of its blocks. Joined in order, they are the state that one thread would have computed.

use crate::key::{BLOCK, Key};
use crate::l2::State;
use crate::rows::Functions;
use rayon::prelude::*;

/// Blocks in a part: enough work for a thread.
const PART: usize = 256;

/// Absorbs blocks, none of which is the message's last.
pub(crate) fn absorb(state: &mut State, functions: &Functions, key: &Key, blocks: &[[u8; BLOCK]]) {
    if blocks.len() < 2 * PART {
        return state.absorb(functions, key, blocks);
    }
    let parts = blocks.par_chunks(PART).map(|blocks| {
        let mut part = State::new();
        part.absorb(functions, key, blocks);
        part
    });
    if let Some(rest) = parts.reduce_with(|one, next| one.then(key, &next)) {
        *state = state.clone().then(key, &rest);
    }
}
