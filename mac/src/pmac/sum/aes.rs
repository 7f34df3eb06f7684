//! The block sum with the AES instructions of x86 (row `aesni`) or ARMv8 (row `armv8`), eight blocks side by side in
//! 128-bit registers.

#[cfg(target_arch = "x86_64")]
use super::aesni::{Register, and, encrypt, hidden, load, register, store, xor};
#[cfg(target_arch = "aarch64")]
use super::armv8::{Register, and, encrypt, hidden, load, register, store, xor};
use super::{GROUP, Kernels, Key, number};
use crate::buffer::not_last;
use crate::cipher::Block;
use crate::ct::wipe;

/// How many blocks run side by side: enough to hide the latency of a round.
const WIDTH: usize = 8;

pub(super) const fn kernels<const ROUNDS: usize>() -> Kernels {
    Kernels {
        whole_groups: whole_groups::<ROUNDS>,
        few: few::<ROUNDS>,
        tag: tag::<ROUNDS>,
        tags: None,
    }
}

/// Adds the first blocks of a message to the sum.
#[cfg_attr(target_arch = "x86_64", target_feature(enable = "aes"))]
#[cfg_attr(target_arch = "aarch64", target_feature(enable = "neon,aes"))]
fn sum<const ROUNDS: usize>(key: &Key, blocks: &[Block], sum: &mut Block) {
    let mut base = [0; 16];
    let (groups, rest) = blocks.as_chunks();
    if !groups.is_empty() {
        whole_groups::<ROUNDS>(key, &mut base, 1, groups, sum);
    }
    few::<ROUNDS>(key, &base, &key.table, rest, sum);
    wipe(&mut base);
}

#[cfg_attr(target_arch = "x86_64", target_feature(enable = "aes"))]
#[cfg_attr(target_arch = "aarch64", target_feature(enable = "neon,aes"))]
fn tag<const ROUNDS: usize>(key: &Key, message: &[u8], tag: &mut Block) {
    let (blocks, _) = not_last::<16>(message);
    // Each arm is a jump to a function that calls no other.
    match blocks.len() {
        0 => last_call::<ROUNDS>(key, register(0), message, tag),
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

/// The tag of a message with `L` blocks before its last.
#[inline(never)]
#[cfg_attr(target_arch = "x86_64", target_feature(enable = "aes"))]
#[cfg_attr(target_arch = "aarch64", target_feature(enable = "neon,aes"))]
fn tag_of<const ROUNDS: usize, const L: usize>(key: &Key, message: &[u8], tag: &mut Block) {
    let sum = side_by_side::<ROUNDS, L>(key, register(0), &key.table, not_last(message).0);
    last_call::<ROUNDS>(key, sum, message, tag);
}

/// The tag of a longer message.
#[inline(never)]
#[cfg_attr(target_arch = "x86_64", target_feature(enable = "aes"))]
#[cfg_attr(target_arch = "aarch64", target_feature(enable = "neon,aes"))]
fn tag_of_more<const ROUNDS: usize>(key: &Key, message: &[u8], tag: &mut Block) {
    let mut total = [0; 16];
    sum::<ROUNDS>(key, not_last(message).0, &mut total);
    last_call::<ROUNDS>(key, load(&total), message, tag);
    wipe(&mut total);
}

/// The tag of a message, given the sum of the blocks before its last.
#[inline]
#[cfg_attr(target_arch = "x86_64", target_feature(enable = "aes"))]
#[cfg_attr(target_arch = "aarch64", target_feature(enable = "neon,aes"))]
fn last_call<const ROUNDS: usize>(key: &Key, sum: Register, message: &[u8], tag: &mut Block) {
    let state = xor(xor(sum, load(&key.rounds[0][0])), last(key, message));
    let [state] = encrypt::<ROUNDS, 1>(key, [state]);
    store(tag, and(state, load(&key.mask)));
}

/// The last block of a message, padded.
#[inline]
#[cfg_attr(target_arch = "x86_64", target_feature(enable = "aes"))]
#[cfg_attr(target_arch = "aarch64", target_feature(enable = "neon,aes"))]
fn last(key: &Key, message: &[u8]) -> Register {
    let (_, end) = not_last::<16>(message);
    xor(register(number(end)), load(&key.ends[end.len()]))
}

/// Adds whole groups to the sum. At the end, the base is that of the group after them.
#[inline(never)]
#[cfg_attr(target_arch = "x86_64", target_feature(enable = "aes"))]
#[cfg_attr(target_arch = "aarch64", target_feature(enable = "neon,aes"))]
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
        let key = hidden(key);
        let step = load(&key.steps[Key::zeroes(first)]);
        let (parts, _) = group.as_chunks::<WIDTH>();
        for (i, (part, table)) in parts.iter().zip(tables).enumerate() {
            let mut states = [bases; WIDTH];
            for (j, state) in states.iter_mut().enumerate() {
                let is_last = WIDTH * i + j == GROUP - 1;
                let table =
                    if is_last { xor(step, load(&key.rounds[0][0])) } else { load(&table[j]) };
                *state = xor(xor(*state, table), load(&part[j]));
            }
            for state in encrypt::<ROUNDS, WIDTH>(key, states) {
                total = xor(total, state);
            }
        }
        bases = xor(bases, step);
        first += GROUP as u64;
    }
    store(base, bases);
    store(sum, total);
}

/// Adds a part of a group to the sum. `table` starts at the part's first block.
#[inline(never)]
#[cfg_attr(target_arch = "x86_64", target_feature(enable = "aes"))]
#[cfg_attr(target_arch = "aarch64", target_feature(enable = "neon,aes"))]
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
        total = xor(total, part);
        (table, blocks) = (&table[WIDTH..], after);
    }
    let part = match blocks.len() {
        0 => register(0),
        1 => side_by_side::<ROUNDS, 1>(key, base, table, blocks),
        2 => side_by_side::<ROUNDS, 2>(key, base, table, blocks),
        3 => side_by_side::<ROUNDS, 3>(key, base, table, blocks),
        4 => side_by_side::<ROUNDS, 4>(key, base, table, blocks),
        5 => side_by_side::<ROUNDS, 5>(key, base, table, blocks),
        6 => side_by_side::<ROUNDS, 6>(key, base, table, blocks),
        _ => side_by_side::<ROUNDS, 7>(key, base, table, blocks),
    };
    store(sum, xor(total, part));
}

/// The sum of the first `L` blocks. `table` starts at the first of them.
#[inline]
#[cfg_attr(target_arch = "x86_64", target_feature(enable = "aes"))]
#[cfg_attr(target_arch = "aarch64", target_feature(enable = "neon,aes"))]
fn side_by_side<const ROUNDS: usize, const L: usize>(
    key: &Key,
    base: Register,
    table: &[Block],
    blocks: &[Block],
) -> Register {
    let (table, blocks) = (&table[..L], &blocks[..L]);
    let mut states = [base; L];
    for (state, (offset, block)) in states.iter_mut().zip(table.iter().zip(blocks)) {
        *state = xor(xor(*state, load(offset)), load(block));
    }
    let mut total = register(0);
    for state in encrypt::<ROUNDS, L>(key, states) {
        total = xor(total, state);
    }
    total
}
