//! AES (FIPS 197) with AES-NI, in 128-bit registers.

use super::Rounds;
use crate::cipher::Block;
use crate::simd::{load128, store128};
use core::arch::x86_64::*;

/// How many blocks run side by side: enough to hide the latency of a round.
const BLOCKS: usize = 8;

#[target_feature(enable = "aes")]
pub(super) fn expand(key: &[u8]) -> Rounds {
    if let Ok(key) = key.try_into() {
        return expand_128(key);
    }
    Rounds::expand(key, |word| {
        // The last round on four equal columns: ShiftRows changes nothing.
        let columns = _mm_set1_epi32(word as i32);
        _mm_cvtsi128_si32(_mm_aesenclast_si128(columns, _mm_setzero_si128())) as u32
    })
}

/// The schedule of AES-128 in vectors: it takes half as long if no word goes to a general register and back.
#[inline]
#[target_feature(enable = "aes")]
fn expand_128(key: &Block) -> Rounds {
    let mut rounds = Rounds::ZERO;
    rounds.count = 10;
    let (mut key, mut constant) = (load128(key), _mm_set1_epi32(1));
    store128(&mut rounds.keys[0], key);
    for (i, place) in rounds.keys[1..=10].iter_mut().enumerate() {
        // The last word, rotated by a byte, in each column: the last round's ShiftRows changes nothing.
        let rotated = _mm_or_si128(_mm_srli_epi32::<8>(key), _mm_slli_epi32::<24>(key));
        let word = _mm_aesenclast_si128(_mm_shuffle_epi32::<0xff>(rotated), constant);
        constant = if i == 7 { _mm_set1_epi32(0x1b) } else { _mm_slli_epi32::<1>(constant) };
        key = _mm_xor_si128(key, _mm_slli_si128::<4>(key));
        key = _mm_xor_si128(key, _mm_slli_si128::<8>(key));
        key = _mm_xor_si128(key, word);
        store128(place, key);
    }
    rounds
}

#[target_feature(enable = "aes")]
pub(super) fn encrypt(rounds: &Rounds, blocks: &mut [Block]) {
    let (groups, rest) = blocks.as_chunks_mut::<BLOCKS>();
    groups.iter_mut().for_each(|group| side_by_side(rounds, group));
    let (pairs, rest) = rest.as_chunks_mut::<2>();
    pairs.iter_mut().for_each(|pair| side_by_side(rounds, pair));
    rest.iter_mut().for_each(|block| side_by_side(rounds, core::array::from_mut(block)));
}

#[inline]
#[target_feature(enable = "aes")]
fn side_by_side<const L: usize>(rounds: &Rounds, blocks: &mut [Block; L]) {
    let (first, middle) = (&rounds.keys[0], &rounds.keys[1..rounds.count]);
    let mut states = blocks.each_ref().map(|block| _mm_xor_si128(load128(block), load128(first)));
    for key in middle {
        let key = load128(key);
        states = states.map(|state| _mm_aesenc_si128(state, key));
    }
    let last = load128(&rounds.keys[rounds.count]);
    for (block, state) in blocks.iter_mut().zip(states) {
        store128(block, _mm_aesenclast_si128(state, last));
    }
}

#[target_feature(enable = "aes")]
pub(super) fn chain(rounds: &Rounds, sum: &mut Block, blocks: &[Block]) {
    let [first, middle @ .., last] = rounds.keys() else { unreachable!("eleven keys or more") };
    let mut state = load128(sum);
    for block in blocks {
        state = _mm_xor_si128(state, _mm_xor_si128(load128(block), load128(first)));
        for key in middle {
            state = _mm_aesenc_si128(state, load128(key));
        }
        state = _mm_aesenclast_si128(state, load128(last));
    }
    store128(sum, state);
}
