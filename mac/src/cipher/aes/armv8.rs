//! AES (FIPS 197) with the instructions of ARMv8, in 128-bit registers.

use super::Rounds;
use crate::cipher::Block;
use crate::simd::{load128 as load, store128};
use core::arch::aarch64::*;

/// How many blocks run side by side: enough to hide the latency of a round.
const BLOCKS: usize = 8;

#[target_feature(enable = "neon,aes")]
pub(super) fn expand(key: &[u8]) -> Rounds {
    Rounds::expand(key, |word| {
        // A round on four equal columns: ShiftRows changes nothing.
        let columns = vreinterpretq_u8_u32(vdupq_n_u32(word));
        vgetq_lane_u32::<0>(vreinterpretq_u32_u8(vaeseq_u8(columns, vdupq_n_u8(0))))
    })
}

#[target_feature(enable = "neon,aes")]
pub(super) fn encrypt(rounds: &Rounds, blocks: &mut [Block]) {
    let (groups, rest) = blocks.as_chunks_mut::<BLOCKS>();
    groups.iter_mut().for_each(|group| side_by_side(rounds, group));
    rest.iter_mut().for_each(|block| side_by_side(rounds, core::array::from_mut(block)));
}

#[inline]
#[target_feature(enable = "neon,aes")]
fn side_by_side<const L: usize>(rounds: &Rounds, blocks: &mut [Block; L]) {
    let mut states = blocks.each_ref().map(|block| load(block));
    for key in &rounds.keys[..rounds.count - 1] {
        let key = load(key);
        states = states.map(|state| vaesmcq_u8(vaeseq_u8(state, key)));
    }
    let (before, last) = (load(&rounds.keys[rounds.count - 1]), load(&rounds.keys[rounds.count]));
    for (block, state) in blocks.iter_mut().zip(states) {
        let state = veorq_u8(vaeseq_u8(state, before), last);
        store128(block, state);
    }
}

#[target_feature(enable = "neon,aes")]
pub(super) fn chain(rounds: &Rounds, sum: &mut Block, blocks: &[Block]) {
    let [keys @ .., before, last] = rounds.keys() else { unreachable!("eleven keys or more") };
    let mut state = load(sum);
    for block in blocks {
        state = veorq_u8(state, load(block));
        for key in keys {
            state = vaesmcq_u8(vaeseq_u8(state, load(key)));
        }
        state = veorq_u8(vaeseq_u8(state, load(before)), load(last));
    }
    store128(sum, state);
}
