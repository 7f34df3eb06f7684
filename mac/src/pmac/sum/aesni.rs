//! The block sum with AES-NI: eight blocks side by side in 128-bit registers.
#![allow(unsafe_code)]

use super::{GROUP, Kernels, Key, LANES, number};
use crate::buffer::not_last;
use crate::cipher::Block;
use crate::wipe::wipe;
use core::arch::x86_64::*;
use core::hint::black_box;

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
#[target_feature(enable = "aes")]
fn sum<const ROUNDS: usize>(key: &Key, blocks: &[Block], sum: &mut Block) {
    let mut base = [0; 16];
    let (groups, rest) = blocks.as_chunks();
    if !groups.is_empty() {
        whole_groups::<ROUNDS>(key, &mut base, 1, groups, sum);
    }
    few::<ROUNDS>(key, &base, &key.table, rest, sum);
    wipe(&mut base);
}

#[target_feature(enable = "aes")]
fn tag<const ROUNDS: usize>(key: &Key, message: &[u8], tag: &mut Block) {
    let (blocks, _) = not_last::<16>(message);
    // Each a jump to a function that needs no other.
    match blocks.len() {
        0 => last_call::<ROUNDS>(key, _mm_setzero_si128(), message, tag),
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

#[target_feature(enable = "aes")]
fn tags<const ROUNDS: usize>(key: &Key, messages: &[&[u8]; LANES], tags: &mut [Block; LANES]) {
    let (messages, _) = messages.as_chunks::<WIDTH>();
    let (tags, _) = tags.as_chunks_mut::<WIDTH>();
    let (first, mask) = (load(&key.rounds[0][0]), load(&key.mask));
    for (messages, tags) in messages.iter().zip(tags) {
        let mut states = [first; WIDTH];
        for (state, message) in states.iter_mut().zip(messages) {
            let mut total = [0; 16];
            sum::<ROUNDS>(key, not_last(message).0, &mut total);
            *state = _mm_xor_si128(*state, _mm_xor_si128(load(&total), last(key, message)));
            wipe(&mut total);
        }
        let states = encrypt::<ROUNDS, WIDTH>(key, states);
        for (tag, state) in tags.iter_mut().zip(states) {
            store(tag, _mm_and_si128(state, mask));
        }
    }
}

/// The tag of a message of `L` blocks and a last one.
#[inline(never)]
#[target_feature(enable = "aes")]
fn tag_of<const ROUNDS: usize, const L: usize>(key: &Key, message: &[u8], tag: &mut Block) {
    let sum = side_by_side::<ROUNDS, L>(key, _mm_setzero_si128(), &key.table, not_last(message).0);
    last_call::<ROUNDS>(key, sum, message, tag);
}

/// The tag of a longer message.
#[inline(never)]
#[target_feature(enable = "aes")]
fn tag_of_more<const ROUNDS: usize>(key: &Key, message: &[u8], tag: &mut Block) {
    let mut total = [0; 16];
    sum::<ROUNDS>(key, not_last(message).0, &mut total);
    last_call::<ROUNDS>(key, load(&total), message, tag);
    wipe(&mut total);
}

/// The tag of a message from the sum of its blocks but the last.
#[inline]
#[target_feature(enable = "aes")]
fn last_call<const ROUNDS: usize>(key: &Key, sum: __m128i, message: &[u8], tag: &mut Block) {
    let state = _mm_xor_si128(_mm_xor_si128(sum, load(&key.rounds[0][0])), last(key, message));
    let [state] = encrypt::<ROUNDS, 1>(key, [state]);
    store(tag, _mm_and_si128(state, load(&key.mask)));
}

/// A message's last block, padded.
#[inline]
#[target_feature(enable = "aes")]
fn last(key: &Key, message: &[u8]) -> __m128i {
    let (_, end) = not_last::<16>(message);
    let bytes = number(end);
    let bytes = _mm_set_epi64x((bytes >> 64) as i64, bytes as i64);
    _mm_xor_si128(bytes, load(&key.ends[end.len()]))
}

/// Adds whole groups to the sum; moves the base on to the group after them.
#[inline(never)]
#[target_feature(enable = "aes")]
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
        let key = black_box(key); // or the round keys go to the stack first
        let zeroes = Key::zeroes(first);
        let (parts, _) = group.as_chunks::<WIDTH>();
        for (i, (part, table)) in parts.iter().zip(tables).enumerate() {
            let mut states = [bases; WIDTH];
            for (j, state) in states.iter_mut().enumerate() {
                let is_last = WIDTH * i + j == GROUP - 1;
                let table = if is_last { &key.lasts[zeroes] } else { &table[j] };
                *state = _mm_xor_si128(_mm_xor_si128(*state, load(table)), load(&part[j]));
            }
            for state in encrypt::<ROUNDS, WIDTH>(key, states) {
                total = _mm_xor_si128(total, state);
            }
        }
        bases = _mm_xor_si128(bases, load(&key.steps[zeroes]));
        first += GROUP as u64;
    }
    store(base, bases);
    store(sum, total);
}

/// Adds a part of a group to the sum; `table` begins with its first block.
#[inline(never)]
#[target_feature(enable = "aes")]
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
        total = _mm_xor_si128(total, part);
        (table, blocks) = (&table[WIDTH..], after);
    }
    let part = match blocks.len() {
        0 => _mm_setzero_si128(),
        1 => side_by_side::<ROUNDS, 1>(key, base, table, blocks),
        2 => side_by_side::<ROUNDS, 2>(key, base, table, blocks),
        3 => side_by_side::<ROUNDS, 3>(key, base, table, blocks),
        4 => side_by_side::<ROUNDS, 4>(key, base, table, blocks),
        5 => side_by_side::<ROUNDS, 5>(key, base, table, blocks),
        6 => side_by_side::<ROUNDS, 6>(key, base, table, blocks),
        _ => side_by_side::<ROUNDS, 7>(key, base, table, blocks),
    };
    store(sum, _mm_xor_si128(total, part));
}

/// The sum of the first `L` blocks; `table` begins with the first block.
#[inline]
#[target_feature(enable = "aes")]
fn side_by_side<const ROUNDS: usize, const L: usize>(
    key: &Key,
    base: __m128i,
    table: &[Block],
    blocks: &[Block],
) -> __m128i {
    let (table, blocks) = (&table[..L], &blocks[..L]);
    let mut states = [base; L];
    for (state, (offset, block)) in states.iter_mut().zip(table.iter().zip(blocks)) {
        *state = _mm_xor_si128(_mm_xor_si128(*state, load(offset)), load(block));
    }
    let mut total = _mm_setzero_si128();
    for state in encrypt::<ROUNDS, L>(key, states) {
        total = _mm_xor_si128(total, state);
    }
    total
}

/// AES of blocks that have the first round key added.
#[inline]
#[target_feature(enable = "aes")]
fn encrypt<const ROUNDS: usize, const L: usize>(
    key: &Key,
    mut states: [__m128i; L],
) -> [__m128i; L] {
    for round in &key.rounds[1..ROUNDS] {
        let round = load(&round[0]);
        for state in &mut states {
            *state = _mm_aesenc_si128(*state, round);
            if L > 4 {
                *state = in_order(*state);
            }
        }
    }
    let last = load(&key.rounds[ROUNDS][0]);
    for state in &mut states {
        *state = _mm_aesenclast_si128(*state, last);
    }
    states
}

/// Keeps the rounds of many registers side by side, as in the file beside this one.
#[inline]
#[target_feature(enable = "aes")]
fn in_order(state: __m128i) -> __m128i {
    #[cfg(not(miri))] // which knows no assembly
    let state = {
        let after;
        // SAFETY: it is a comment.
        unsafe {
            core::arch::asm!(
                "/* {} */",
                inout(xmm_reg) state => after,
                options(nomem, nostack, preserves_flags),
            );
        }
        after
    };
    state
}

#[inline]
#[target_feature(enable = "aes")]
fn load(block: &Block) -> __m128i {
    // SAFETY: 16 bytes are read from 16 bytes; no alignment is asked for.
    unsafe { _mm_loadu_si128(block.as_ptr().cast()) }
}

#[inline]
#[target_feature(enable = "aes")]
fn store(block: &mut Block, register: __m128i) {
    // SAFETY: 16 bytes are written to 16 bytes; no alignment is asked for.
    unsafe { _mm_storeu_si128(block.as_mut_ptr().cast(), register) }
}
