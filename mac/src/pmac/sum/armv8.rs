//! The block sum with the AES instructions of ARMv8: eight blocks side by side.
#![allow(unsafe_code)]

use super::{GROUP, Kernels, Key, LANES, number};
use crate::buffer::not_last;
use crate::cipher::Block;
use core::arch::aarch64::*;

/// Blocks side by side: enough to hide the latency of a round.
const WIDTH: usize = 8;

pub(super) const fn kernels<const ROUNDS: usize>() -> Kernels {
    Kernels { sum: sum::<ROUNDS>, tag: tag::<ROUNDS>, tags: tags::<ROUNDS> }
}

#[target_feature(enable = "neon,aes")]
fn sum<const ROUNDS: usize>(
    key: &Key,
    base: &Block,
    first: u64,
    blocks: &[Block],
    sum: &mut Block,
) {
    let total = veorq_u8(load(sum), blocks_from::<ROUNDS>(key, load(base), first, blocks));
    store(sum, total);
}

#[target_feature(enable = "neon,aes")]
fn tag<const ROUNDS: usize>(key: &Key, message: &[u8], tag: &mut Block) {
    let [state] = encrypt::<ROUNDS, 1>(key, [before_last_call::<ROUNDS>(key, message)]);
    store(tag, vandq_u8(state, load(&key.mask)));
}

#[target_feature(enable = "neon,aes")]
fn tags<const ROUNDS: usize>(key: &Key, messages: &[&[u8]; LANES], tags: &mut [Block; LANES]) {
    let (messages, _) = messages.as_chunks::<WIDTH>();
    let (tags, _) = tags.as_chunks_mut::<WIDTH>();
    for (messages, tags) in messages.iter().zip(tags) {
        let sums = messages.map(|message| before_last_call::<ROUNDS>(key, message));
        let states = encrypt::<ROUNDS, WIDTH>(key, sums);
        for (tag, state) in tags.iter_mut().zip(states) {
            store(tag, vandq_u8(state, load(&key.mask)));
        }
    }
}

/// What is encrypted to the tag, but xor the first round key.
#[inline]
#[target_feature(enable = "neon,aes")]
fn before_last_call<const ROUNDS: usize>(key: &Key, message: &[u8]) -> uint8x16_t {
    let (blocks, last) = not_last(message);
    let sum = blocks_from::<ROUNDS>(key, vdupq_n_u8(0), 1, blocks);
    let end = veorq_u8(load(&number(last).to_le_bytes()), load(&key.ends[last.len()]));
    veorq_u8(veorq_u8(sum, end), load(&key.rounds[0][0]))
}

#[inline]
#[target_feature(enable = "neon,aes")]
fn blocks_from<const ROUNDS: usize>(
    key: &Key,
    mut base: uint8x16_t,
    mut first: u64,
    mut blocks: &[Block],
) -> uint8x16_t {
    let mut sum = vdupq_n_u8(0);
    while !blocks.is_empty() {
        let place = (first - 1) as usize % GROUP;
        let (group, after) = blocks.split_at((GROUP - place).min(blocks.len()));
        if group.len() == GROUP {
            let (parts, _) = group.as_chunks();
            for (i, part) in parts.iter().enumerate() {
                let (table, _) = key.table.as_chunks::<WIDTH>();
                let mut table = table[i].each_ref().map(|block| load(block));
                if i == GROUP / WIDTH - 1 {
                    table[WIDTH - 1] = load(&key.lasts[Key::zeroes(first)]);
                }
                sum = veorq_u8(sum, part_of::<ROUNDS, WIDTH>(key, base, table, part));
            }
        } else if place + group.len() < GROUP {
            sum = veorq_u8(sum, few::<ROUNDS>(key, base, &key.table[place..], group));
        } else {
            let table = key.whole_table(first);
            sum = veorq_u8(sum, few::<ROUNDS>(key, base, &table[place..], group));
        }
        base = veorq_u8(base, load(&key.steps[Key::zeroes(first)]));
        first += group.len() as u64;
        blocks = after;
    }
    sum
}

/// The sum of a part of a group; `table` begins with its first block.
#[inline]
#[target_feature(enable = "neon,aes")]
fn few<const ROUNDS: usize>(
    key: &Key,
    base: uint8x16_t,
    table: &[Block],
    blocks: &[Block],
) -> uint8x16_t {
    let (parts, rest) = blocks.as_chunks::<WIDTH>();
    let (tables, _) = table.as_chunks::<WIDTH>();
    let mut sum = vdupq_n_u8(0);
    for (part, table) in parts.iter().zip(tables) {
        let table = table.each_ref().map(|block| load(block));
        sum = veorq_u8(sum, part_of::<ROUNDS, WIDTH>(key, base, table, part));
    }
    let table = &table[WIDTH * parts.len()..];
    let last = match rest.len() {
        0 => return sum,
        1 => first_of::<ROUNDS, 1>(key, base, table, rest),
        2 => first_of::<ROUNDS, 2>(key, base, table, rest),
        3 => first_of::<ROUNDS, 3>(key, base, table, rest),
        4 => first_of::<ROUNDS, 4>(key, base, table, rest),
        5 => first_of::<ROUNDS, 5>(key, base, table, rest),
        6 => first_of::<ROUNDS, 6>(key, base, table, rest),
        _ => first_of::<ROUNDS, 7>(key, base, table, rest),
    };
    veorq_u8(sum, last)
}

#[inline]
#[target_feature(enable = "neon,aes")]
fn first_of<const ROUNDS: usize, const L: usize>(
    key: &Key,
    base: uint8x16_t,
    table: &[Block],
    blocks: &[Block],
) -> uint8x16_t {
    match (table.first_chunk::<L>(), blocks.first_chunk::<L>()) {
        (Some(table), Some(blocks)) => {
            part_of::<ROUNDS, L>(key, base, table.each_ref().map(|block| load(block)), blocks)
        }
        _ => unreachable!("as many blocks as the caller counted"),
    }
}

#[inline]
#[target_feature(enable = "neon,aes")]
fn part_of<const ROUNDS: usize, const L: usize>(
    key: &Key,
    base: uint8x16_t,
    table: [uint8x16_t; L],
    blocks: &[Block; L],
) -> uint8x16_t {
    let mut states = table;
    for (state, block) in states.iter_mut().zip(blocks) {
        *state = veorq_u8(veorq_u8(*state, base), load(block));
    }
    encrypt::<ROUNDS, L>(key, states)
        .into_iter()
        .fold(vdupq_n_u8(0), |sum, state| veorq_u8(sum, state))
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
    states = states.map(|state| vaesmcq_u8(vaeseq_u8(state, none)));
    for round in &key.rounds[1..ROUNDS - 1] {
        let round = load(&round[0]);
        states = states.map(|state| vaesmcq_u8(vaeseq_u8(state, round)));
    }
    let (before, last) = (load(&key.rounds[ROUNDS - 1][0]), load(&key.rounds[ROUNDS][0]));
    states.map(|state| veorq_u8(vaeseq_u8(state, before), last))
}

#[inline]
#[target_feature(enable = "neon")]
fn load(block: &Block) -> uint8x16_t {
    // SAFETY: 16 bytes are read from 16 bytes; no alignment is asked for.
    unsafe { vld1q_u8(block.as_ptr()) }
}

#[inline]
#[target_feature(enable = "neon")]
fn store(block: &mut Block, register: uint8x16_t) {
    // SAFETY: 16 bytes are written to 16 bytes; no alignment is asked for.
    unsafe { vst1q_u8(block.as_mut_ptr(), register) }
}
