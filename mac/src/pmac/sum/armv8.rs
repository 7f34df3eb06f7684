//! The block sum with the AES instructions of ARMv8: eight blocks side by side.
#![allow(unsafe_code)]

use super::{GROUP, Kernels, Key, LANES, number};
use crate::buffer::not_last;
use crate::cipher::Block;
use crate::wipe::wipe;
use core::arch::aarch64::*;

/// Blocks side by side: enough to hide the latency of a round.
const WIDTH: usize = 8;

pub(super) const fn kernels<const ROUNDS: usize>() -> Kernels {
    Kernels {
        whole_groups: whole_groups::<ROUNDS>,
        few: few::<ROUNDS>,
        tag: tag::<ROUNDS>,
        tags: tags::<ROUNDS>,
    }
}

/// Adds a message's first blocks to the sum.
#[target_feature(enable = "neon,aes")]
fn sum<const ROUNDS: usize>(key: &Key, blocks: &[Block], sum: &mut Block) {
    let mut base = [0; 16];
    let (groups, rest) = blocks.as_chunks();
    if !groups.is_empty() {
        whole_groups::<ROUNDS>(key, &mut base, 1, groups, sum);
    }
    few::<ROUNDS>(key, &base, &key.table, rest, sum);
    wipe(&mut base);
}

#[target_feature(enable = "neon,aes")]
fn tag<const ROUNDS: usize>(key: &Key, message: &[u8], tag: &mut Block) {
    let (blocks, _) = not_last::<16>(message);
    // Each a jump to a function that needs no other.
    match blocks.len() {
        0 => last_call::<ROUNDS>(key, vdupq_n_u8(0), message, tag),
        1 => tag_of::<ROUNDS, 1>(key, message, tag),
        2 => tag_of::<ROUNDS, 2>(key, message, tag),
        3 => tag_of::<ROUNDS, 3>(key, message, tag),
        4 => tag_of::<ROUNDS, 4>(key, message, tag),
        5 => tag_of::<ROUNDS, 5>(key, message, tag),
        6 => tag_of::<ROUNDS, 6>(key, message, tag),
        7 => tag_of::<ROUNDS, 7>(key, message, tag),
        8 => tag_of::<ROUNDS, 8>(key, message, tag),
        _ => tag_of_more::<ROUNDS>(key, message, tag),
    }
}

#[target_feature(enable = "neon,aes")]
fn tags<const ROUNDS: usize>(key: &Key, messages: &[&[u8]; LANES], tags: &mut [Block; LANES]) {
    let (messages, _) = messages.as_chunks::<WIDTH>();
    let (tags, _) = tags.as_chunks_mut::<WIDTH>();
    let (first, mask) = (load(&key.rounds[0][0]), load(&key.mask));
    for (messages, tags) in messages.iter().zip(tags) {
        let mut states = [first; WIDTH];
        for (state, message) in states.iter_mut().zip(messages) {
            let mut total = [0; 16];
            sum::<ROUNDS>(key, not_last(message).0, &mut total);
            *state = veorq_u8(*state, veorq_u8(load(&total), last(key, message)));
            wipe(&mut total);
        }
        let states = encrypt::<ROUNDS, WIDTH>(key, states);
        for (tag, state) in tags.iter_mut().zip(states) {
            store(tag, vandq_u8(state, mask));
        }
    }
}

/// The tag of a message of `L` blocks and a last one.
#[inline(never)]
#[target_feature(enable = "neon,aes")]
fn tag_of<const ROUNDS: usize, const L: usize>(key: &Key, message: &[u8], tag: &mut Block) {
    let sum = side_by_side::<ROUNDS, L>(key, vdupq_n_u8(0), &key.table, not_last(message).0);
    last_call::<ROUNDS>(key, sum, message, tag);
}

/// The tag of a longer message.
#[inline(never)]
#[target_feature(enable = "neon,aes")]
fn tag_of_more<const ROUNDS: usize>(key: &Key, message: &[u8], tag: &mut Block) {
    let mut total = [0; 16];
    sum::<ROUNDS>(key, not_last(message).0, &mut total);
    last_call::<ROUNDS>(key, load(&total), message, tag);
    wipe(&mut total);
}

/// The tag of a message from the sum of its blocks but the last.
#[inline]
#[target_feature(enable = "neon,aes")]
fn last_call<const ROUNDS: usize>(key: &Key, sum: uint8x16_t, message: &[u8], tag: &mut Block) {
    let state = veorq_u8(veorq_u8(sum, load(&key.rounds[0][0])), last(key, message));
    let [state] = encrypt::<ROUNDS, 1>(key, [state]);
    store(tag, vandq_u8(state, load(&key.mask)));
}

/// A message's last block, padded.
#[inline]
#[target_feature(enable = "neon,aes")]
fn last(key: &Key, message: &[u8]) -> uint8x16_t {
    let (_, end) = not_last::<16>(message);
    veorq_u8(load(&number(end).to_le_bytes()), load(&key.ends[end.len()]))
}

/// Adds whole groups to the sum; moves the base on to the group after them.
#[inline(never)]
#[target_feature(enable = "neon,aes")]
fn whole_groups<const ROUNDS: usize>(
    key: &Key,
    base: &mut Block,
    mut first: u64,
    groups: &[[Block; GROUP]],
    sum: &mut Block,
) {
    let (tables, _) = key.table.as_chunks::<WIDTH>();
    let (mut total, mut bases) = (load(sum), load(base));
    for group in groups {
        let zeroes = Key::zeroes(first);
        let (parts, _) = group.as_chunks::<WIDTH>();
        for (i, (part, table)) in parts.iter().zip(tables).enumerate() {
            let mut states = [bases; WIDTH];
            for (j, state) in states.iter_mut().enumerate() {
                let is_last = WIDTH * i + j == GROUP - 1;
                let table = if is_last { &key.lasts[zeroes] } else { &table[j] };
                *state = veorq_u8(veorq_u8(*state, load(table)), load(&part[j]));
            }
            for state in encrypt::<ROUNDS, WIDTH>(key, states) {
                total = veorq_u8(total, state);
            }
        }
        bases = veorq_u8(bases, load(&key.steps[zeroes]));
        first += GROUP as u64;
    }
    store(base, bases);
    store(sum, total);
}

/// Adds a part of a group to the sum; `table` begins with its first block.
#[inline(never)]
#[target_feature(enable = "neon,aes")]
fn few<const ROUNDS: usize>(
    key: &Key,
    base: &Block,
    mut table: &[Block],
    mut blocks: &[Block],
    sum: &mut Block,
) {
    let (mut total, base) = (load(sum), load(base));
    while let Some((part, after)) = blocks.split_at_checked(WIDTH) {
        let part = side_by_side::<ROUNDS, WIDTH>(key, base, table, part);
        total = veorq_u8(total, part);
        (table, blocks) = (&table[WIDTH..], after);
    }
    let part = match blocks.len() {
        0 => vdupq_n_u8(0),
        1 => side_by_side::<ROUNDS, 1>(key, base, table, blocks),
        2 => side_by_side::<ROUNDS, 2>(key, base, table, blocks),
        3 => side_by_side::<ROUNDS, 3>(key, base, table, blocks),
        4 => side_by_side::<ROUNDS, 4>(key, base, table, blocks),
        5 => side_by_side::<ROUNDS, 5>(key, base, table, blocks),
        6 => side_by_side::<ROUNDS, 6>(key, base, table, blocks),
        _ => side_by_side::<ROUNDS, 7>(key, base, table, blocks),
    };
    store(sum, veorq_u8(total, part));
}

/// The sum of the first `L` blocks; `table` begins with the first block.
#[inline]
#[target_feature(enable = "neon,aes")]
fn side_by_side<const ROUNDS: usize, const L: usize>(
    key: &Key,
    base: uint8x16_t,
    table: &[Block],
    blocks: &[Block],
) -> uint8x16_t {
    let (table, blocks) = (&table[..L], &blocks[..L]);
    let mut states = [base; L];
    for (state, (offset, block)) in states.iter_mut().zip(table.iter().zip(blocks)) {
        *state = veorq_u8(veorq_u8(*state, load(offset)), load(block));
    }
    let mut total = vdupq_n_u8(0);
    for state in encrypt::<ROUNDS, L>(key, states) {
        total = veorq_u8(total, state);
    }
    total
}

/// AES of blocks that have the first round key added.
#[inline]
#[target_feature(enable = "neon,aes")]
fn encrypt<const ROUNDS: usize, const L: usize>(
    key: &Key,
    mut states: [uint8x16_t; L],
) -> [uint8x16_t; L] {
    // The instruction adds a round key before the round; the first one is in the states already.
    let none = vdupq_n_u8(0);
    for state in &mut states {
        *state = vaesmcq_u8(vaeseq_u8(*state, none));
    }
    for round in &key.rounds[1..ROUNDS - 1] {
        let round = load(&round[0]);
        for state in &mut states {
            *state = vaesmcq_u8(vaeseq_u8(*state, round));
        }
    }
    let (before, last) = (load(&key.rounds[ROUNDS - 1][0]), load(&key.rounds[ROUNDS][0]));
    for state in &mut states {
        *state = veorq_u8(vaeseq_u8(*state, before), last);
    }
    states
}

#[inline]
#[target_feature(enable = "neon,aes")]
fn load(block: &Block) -> uint8x16_t {
    // SAFETY: 16 bytes are read from 16 bytes; no alignment is asked for.
    unsafe { vld1q_u8(block.as_ptr()) }
}

#[inline]
#[target_feature(enable = "neon,aes")]
fn store(block: &mut Block, register: uint8x16_t) {
    // SAFETY: 16 bytes are written to 16 bytes; no alignment is asked for.
    unsafe { vst1q_u8(block.as_mut_ptr(), register) }
}
