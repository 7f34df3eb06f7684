//! The block sum with VAES: sixteen blocks in eight 256-bit registers.
#![allow(unsafe_code)]

use super::aes::{SLOTS, eighth, fill, last, sums_of, whole_eights};
use super::aesni::prefetch;
use super::{FAR, GROUP, Kernels, Key, LAST, MOST_MIXED, Shape, before_last, end};
use crate::batch::EIGHT;
use crate::buffer::not_last;
use crate::cipher::Block;
use crate::ct::wipe;
use core::arch::x86_64::*;
use core::hint::black_box;
use core::mem::MaybeUninit;

/// How many registers run side by side: enough to hide the latency of a round.
const WIDTH: usize = 8;

/// How many groups ahead blocks are prefetched: farther ones take longer on Golden Cove.
const AHEAD: usize = 4;

pub(super) const fn kernels<const ROUNDS: usize>() -> Kernels {
    Kernels {
        whole_groups: whole_groups::<ROUNDS>,
        few: few::<ROUNDS>,
        tag: tag::<ROUNDS>,
        tags: tags::<ROUNDS>,
    }
}

/// Adds the first blocks of a message to the sum.
#[target_feature(enable = "avx2,aes,vaes")]
fn sum<const ROUNDS: usize>(key: &Key, blocks: &[Block], sum: &mut Block) {
    let mut base = [0; 16];
    let (groups, rest) = blocks.as_chunks();
    if !groups.is_empty() {
        whole_groups::<ROUNDS>(key, &mut base, 1, groups, sum);
    }
    few::<ROUNDS>(key, &base, &key.table, rest, sum);
    wipe(&mut base);
}

#[target_feature(enable = "avx2,aes,vaes")]
fn tag<const ROUNDS: usize>(key: &Key, message: &[u8], tag: &mut Block) {
    let (blocks, _) = not_last::<16>(message);
    // Each arm is a jump to a function that calls no other.
    match blocks.len() {
        0 => last_call::<ROUNDS>(key, _mm_setzero_si128(), message, tag),
        1..=2 => tag_of::<ROUNDS, 1>(key, message, tag),
        3..=4 => tag_of::<ROUNDS, 2>(key, message, tag),
        5..=6 => tag_of::<ROUNDS, 3>(key, message, tag),
        7..=8 => tag_of::<ROUNDS, 4>(key, message, tag),
        9..=10 => tag_of::<ROUNDS, 5>(key, message, tag),
        11..=12 => tag_of::<ROUNDS, 6>(key, message, tag),
        13..=14 => tag_of::<ROUNDS, 7>(key, message, tag),
        15..=16 => tag_of::<ROUNDS, 8>(key, message, tag),
        _ => tag_of_more::<ROUNDS>(key, message, tag),
    }
}

/// The tag of a message whose blocks before the last fill `L` registers, the last register perhaps by half.
#[inline(never)]
#[target_feature(enable = "avx2,aes,vaes")]
fn tag_of<const ROUNDS: usize, const L: usize>(key: &Key, message: &[u8], tag: &mut Block) {
    let (blocks, _) = not_last(message);
    let sum = registers::<ROUNDS, L>(key, _mm256_setzero_si256(), &key.table, blocks);
    last_call::<ROUNDS>(key, folded(sum), message, tag);
}

/// The tag of a longer message.
#[inline(never)]
#[target_feature(enable = "avx2,aes,vaes")]
fn tag_of_more<const ROUNDS: usize>(key: &Key, message: &[u8], tag: &mut Block) {
    let mut total = [0; 16];
    sum::<ROUNDS>(key, not_last(message).0, &mut total);
    last_call::<ROUNDS>(key, load(&total), message, tag);
    wipe(&mut total);
}

/// The tag of a message, given the sum of the blocks before its last.
#[inline]
#[target_feature(enable = "avx2,aes,vaes")]
fn last_call<const ROUNDS: usize>(key: &Key, sum: __m128i, message: &[u8], tag: &mut Block) {
    let (bytes, end) = last(key, message);
    let mut state = _mm_xor_si128(_mm_xor_si128(sum, bytes), end);
    for round in &key.rounds[1..ROUNDS] {
        state = _mm_aesenc_si128(state, load(&round[0]));
    }
    state = _mm_aesenclast_si128(state, load(&key.rounds[ROUNDS][0]));
    store(tag, _mm_and_si128(state, load(&key.mask)));
}

#[target_feature(enable = "avx2,aes,vaes")]
fn tags<const ROUNDS: usize>(
    key: &Key,
    messages: &[&[u8]; EIGHT],
    tags: &mut [Block; EIGHT],
) -> bool {
    let Some(shape) = Shape::of(messages, MOST_MIXED, false) else { return false };
    let mut sums = match shape {
        Shape::Same(blocks) | Shape::Alike(blocks) => columns::<ROUNDS>(key, messages, blocks),
        Shape::Mixed(most) => in_a_row::<ROUNDS>(key, messages, most),
    };
    for (sum, last) in sums.iter_mut().zip(lasts(key, messages, shape)) {
        *sum = _mm256_xor_si256(*sum, last);
    }
    let mask = two(&key.mask);
    let states = encrypt::<ROUNDS, { EIGHT / 2 }>(black_box(key), sums);
    for (tags, state) in tags.as_chunks_mut().0.iter_mut().zip(states) {
        store2(tags, _mm256_and_si256(state, mask));
    }
    true
}

/// The padded last blocks of eight messages, two in a register. Those of one length share a shuffle.
#[inline]
#[target_feature(enable = "avx2,aes,vaes")]
fn lasts(key: &Key, messages: &[&[u8]; EIGHT], shape: Shape) -> [__m256i; EIGHT / 2] {
    let mut lasts = [_mm256_setzero_si256(); EIGHT / 2];
    if let (Shape::Same(_), Some((_, down, bytes))) = (shape, end(messages[0])) {
        let (down, end) = (two(down), two(&key.ends[bytes]));
        let place = |message: &[u8]| message.as_ptr().wrapping_add(messages[0].len() - 16);
        for (last, [a, b]) in lasts.iter_mut().zip(messages.as_chunks().0) {
            // SAFETY: these are the last 16 bytes of each.
            let whole = unsafe { two_from(place(a), place(b)) };
            *last = _mm256_xor_si256(_mm256_shuffle_epi8(whole, down), end);
        }
    } else {
        for (last_two, [a, b]) in lasts.iter_mut().zip(messages.as_chunks().0) {
            let ((a, end_a), (b, end_b)) = (last(key, a), last(key, b));
            *last_two = _mm256_set_m128i(_mm_xor_si128(b, end_b), _mm_xor_si128(a, end_a));
        }
    }
    lasts
}

/// The sums of the blocks before the last ones of eight messages, two in a register, if all have the same number of
/// blocks: block `j` of all messages side by side, for each `j`; two such rows at once.
#[inline]
#[target_feature(enable = "avx2,aes,vaes")]
fn columns<const ROUNDS: usize>(
    key: &Key,
    messages: &[&[u8]; EIGHT],
    blocks: usize,
) -> [__m256i; EIGHT / 2] {
    debug_assert!(messages.iter().all(|message| before_last(message.len()) == blocks));
    let mut sums = [_mm256_setzero_si256(); EIGHT / 2];
    let (mut base, mut at) = (_mm256_setzero_si256(), 0);
    while at < blocks {
        // The base changes with each group. Before the message's end, the last block of a group is in the second row.
        let step = two(&key.steps[Key::zeroes(at as u64 + 1)]);
        let last = _mm256_xor_si256(step, two(&key.rounds[0][0]));
        if blocks - at >= 2 {
            // SAFETY: every message has as many blocks.
            unsafe { rows::<ROUNDS, 2, EIGHT>(key, messages, at, [base, last], &mut sums) };
        } else {
            // SAFETY: as above.
            unsafe { rows::<ROUNDS, 1, { EIGHT / 2 }>(key, messages, at, [base, last], &mut sums) };
        }
        at += 2;
        if at.is_multiple_of(GROUP) {
            base = _mm256_xor_si256(base, step);
        }
    }
    sums
}

/// Adds `ROWS` blocks of each message to its sum, from block `at` on. They fill `REGISTERS` registers. Their group has
/// this base and, in place of the table's last entry, that one.
///
/// # Safety
/// Every message has as many blocks.
#[inline]
#[target_feature(enable = "avx2,aes,vaes")]
unsafe fn rows<const ROUNDS: usize, const ROWS: usize, const REGISTERS: usize>(
    key: &Key,
    messages: &[&[u8]; EIGHT],
    at: usize,
    [base, last]: [__m256i; 2],
    sums: &mut [__m256i; EIGHT / 2],
) {
    let key = black_box(key);
    let mut states = [_mm256_setzero_si256(); REGISTERS];
    for (r, states) in states.as_chunks_mut::<4>().0.iter_mut().enumerate() {
        let table = match (at + r) % GROUP {
            LAST => last,
            i => two(&key.table[i]),
        };
        let offset = _mm256_xor_si256(base, table);
        for (state, [a, b]) in states.iter_mut().zip(messages.as_chunks().0) {
            let place = |message: &[u8]| message.as_ptr().wrapping_add(16 * (at + r));
            // SAFETY: both have such a block, as the caller says.
            let blocks = unsafe { two_from(place(a), place(b)) };
            *state = _mm256_xor_si256(blocks, offset);
        }
    }
    states = encrypt::<ROUNDS, REGISTERS>(key, states);
    for states in states.as_chunks::<4>().0 {
        for (sum, state) in sums.iter_mut().zip(states) {
            *sum = _mm256_xor_si256(*sum, *state);
        }
    }
}

/// The same of messages with different numbers of blocks: whole eights of each message, then the rest of all messages
/// in a row, eight at a time.
#[inline]
#[target_feature(enable = "avx2,aes,vaes")]
fn in_a_row<const ROUNDS: usize>(
    key: &Key,
    messages: &[&[u8]; EIGHT],
    most: usize,
) -> [__m256i; EIGHT / 2] {
    let mut sums = [_mm256_setzero_si256(); EIGHT / 2];
    let longer = if most < EIGHT { &[][..] } else { messages.as_chunks::<2>().0 };
    for (sum, two) in sums.iter_mut().zip(longer) {
        let mut each = [_mm256_setzero_si256(); 2];
        for (each, message) in each.iter_mut().zip(two) {
            for (i, eight) in whole_eights(message).iter().enumerate() {
                let (base, table) = eighth(key, i);
                let base = _mm256_set_m128i(base, base);
                let eight = registers::<ROUNDS, { EIGHT / 2 }>(black_box(key), base, table, eight);
                *each = _mm256_xor_si256(*each, eight);
            }
        }
        let [a, b] = each;
        let low = _mm256_permute2x128_si256::<0x20>(a, b);
        *sum = _mm256_xor_si256(low, _mm256_permute2x128_si256::<0x31>(a, b));
    }
    let mut slots = [MaybeUninit::uninit(); SLOTS];
    let (places, eights) = match most < EIGHT {
        true => fill::<false>(key, messages, &mut slots),
        false => fill::<true>(key, messages, &mut slots),
    };
    let mut total = _mm_setzero_si128();
    for eight in slots[1..].as_chunks_mut::<EIGHT>().0[..eights].iter_mut() {
        let mut states = [_mm256_setzero_si256(); EIGHT / 2];
        let (low, high) = eight.split_at_mut(EIGHT / 2);
        for (state, (a, b)) in states.iter_mut().zip(low.iter().zip(&*high)) {
            // SAFETY: `fill` has filled whole eights.
            *state = unsafe { two_from(a.as_ptr().cast(), b.as_ptr().cast()) };
        }
        states = encrypt::<ROUNDS, { EIGHT / 2 }>(black_box(key), states);
        for (slot, state) in low.iter_mut().zip(states) {
            total = _mm_xor_si128(total, _mm256_castsi256_si128(state));
            slot.write(total);
        }
        for (slot, state) in high.iter_mut().zip(states) {
            total = _mm_xor_si128(total, _mm256_extracti128_si256::<1>(state));
            slot.write(total);
        }
    }
    let rests = sums_of(&mut slots, places, eights);
    for (sum, [a, b]) in sums.iter_mut().zip(rests.as_chunks().0) {
        *sum = _mm256_xor_si256(*sum, _mm256_set_m128i(*b, *a));
    }
    sums
}

/// Adds whole groups to the sum. At the end, the base is that of the group after them.
#[inline(never)]
#[target_feature(enable = "avx2,aes,vaes")]
fn whole_groups<const ROUNDS: usize>(
    key: &Key,
    base: &mut Block,
    mut first: u64,
    groups: &[[Block; GROUP]],
    sum: &mut Block,
) {
    let (tables, _) = key.table.as_chunks::<2>();
    let mut bases = two(base);
    let mut total = _mm256_setzero_si256();
    let far = groups.len() > FAR;
    for (i, group) in groups.iter().enumerate() {
        if let Some(ahead) = groups.get(i + AHEAD)
            && far
        {
            ahead.as_chunks().0.iter().for_each(|line| prefetch(line));
        }
        let key = black_box(key); // hidden from the compiler, which would copy the round keys to the stack
        let (pairs, _) = group.as_chunks::<2>();
        let step = load(&key.steps[Key::zeroes(first)]);
        for half in 0..2 {
            let mut states = [bases; WIDTH];
            for (j, state) in states.iter_mut().enumerate() {
                let i = WIDTH * half + j;
                let mut table = load2(&tables[i]);
                if i == GROUP / 2 - 1 {
                    let last = _mm_xor_si128(step, load(&key.rounds[0][0]));
                    table = _mm256_inserti128_si256::<1>(table, last);
                }
                *state = _mm256_xor_si256(_mm256_xor_si256(*state, table), load2(&pairs[i]));
            }
            for state in encrypt::<ROUNDS, WIDTH>(key, states) {
                total = _mm256_xor_si256(total, state);
            }
        }
        bases = _mm256_xor_si256(bases, _mm256_broadcastsi128_si256(step));
        first += GROUP as u64;
    }
    store(base, _mm256_castsi256_si128(bases));
    store(sum, _mm_xor_si128(load(sum), folded(total)));
}

/// Adds a part of a group to the sum. `table` starts at the part's first block.
#[inline(never)]
#[target_feature(enable = "avx2,aes,vaes")]
fn few<const ROUNDS: usize>(
    key: &Key,
    base: &Block,
    mut table: &[Block],
    mut blocks: &[Block],
    sum: &mut Block,
) {
    let base = two(base);
    let mut total = _mm256_setzero_si256();
    while let Some((part, after)) = blocks.split_at_checked(2 * WIDTH) {
        let part = registers::<ROUNDS, WIDTH>(key, base, table, part);
        total = _mm256_xor_si256(total, part);
        (table, blocks) = (&table[2 * WIDTH..], after);
    }
    let part = match blocks.len().div_ceil(2) {
        0 => _mm256_setzero_si256(),
        1 => registers::<ROUNDS, 1>(key, base, table, blocks),
        2 => registers::<ROUNDS, 2>(key, base, table, blocks),
        3 => registers::<ROUNDS, 3>(key, base, table, blocks),
        4 => registers::<ROUNDS, 4>(key, base, table, blocks),
        5 => registers::<ROUNDS, 5>(key, base, table, blocks),
        6 => registers::<ROUNDS, 6>(key, base, table, blocks),
        7 => registers::<ROUNDS, 7>(key, base, table, blocks),
        _ => registers::<ROUNDS, 8>(key, base, table, blocks),
    };
    store(sum, _mm_xor_si128(load(sum), folded(_mm256_xor_si256(total, part))));
}

/// The sum of blocks that fill `L` registers, the last one perhaps by half. `table` starts at the first block.
#[inline]
#[target_feature(enable = "avx2,aes,vaes")]
fn registers<const ROUNDS: usize, const L: usize>(
    key: &Key,
    base: __m256i,
    table: &[Block],
    blocks: &[Block],
) -> __m256i {
    let (pairs, single) = blocks.as_chunks::<2>();
    let (tables, _) = table.as_chunks::<2>();
    let (tables, pairs) = (&tables[..L], &pairs[..L - single.len()]);
    let mut states = [base; L];
    for (state, (table, pair)) in states.iter_mut().zip(tables.iter().zip(pairs)) {
        *state = _mm256_xor_si256(_mm256_xor_si256(*state, load2(table)), load2(pair));
    }
    if let [block] = single {
        // The other half of the register is ignored.
        let offset = _mm_xor_si128(_mm256_castsi256_si128(base), load(&tables[L - 1][0]));
        states[L - 1] = _mm256_zextsi128_si256(_mm_xor_si128(offset, load(block)));
    }
    states = encrypt::<ROUNDS, L>(key, states);
    if !single.is_empty() {
        states[L - 1] = _mm256_zextsi128_si256(_mm256_castsi256_si128(states[L - 1]));
    }
    let mut total = _mm256_setzero_si256();
    for state in states {
        total = _mm256_xor_si256(total, state);
    }
    total
}

/// AES of blocks to which the first round key was added.
#[inline]
#[target_feature(enable = "avx2,aes,vaes")]
fn encrypt<const ROUNDS: usize, const L: usize>(
    key: &Key,
    mut states: [__m256i; L],
) -> [__m256i; L] {
    for round in &key.rounds[1..ROUNDS] {
        let round = pair(round);
        for state in &mut states {
            *state = _mm256_aesenc_epi128(*state, round);
            if L > 4 {
                *state = in_order(*state);
            }
        }
    }
    let last = pair(&key.rounds[ROUNDS]);
    for state in &mut states {
        *state = _mm256_aesenclast_epi128(*state, last);
    }
    states
}

/// The sum of the two blocks in a register.
#[inline]
#[target_feature(enable = "avx2")]
fn folded(blocks: __m256i) -> __m128i {
    _mm_xor_si128(_mm256_castsi256_si128(blocks), _mm256_extracti128_si256::<1>(blocks))
}

/// A round key in both lanes.
#[inline]
#[target_feature(enable = "avx2")]
fn pair(round: &[Block; 4]) -> __m256i {
    load2(round.first_chunk().expect("four of it"))
}

/// The same block in both lanes.
#[inline]
#[target_feature(enable = "avx2")]
fn two(block: &Block) -> __m256i {
    _mm256_broadcastsi128_si256(load(block))
}

/// Keeps the rounds of many registers interleaved; vaes512.rs explains why.
#[inline]
#[target_feature(enable = "avx2")]
fn in_order(state: __m256i) -> __m256i {
    #[cfg(not(miri))] // Miri has no assembly
    let state = {
        let after;
        // SAFETY: the assembly is a comment; it executes nothing.
        unsafe {
            core::arch::asm!(
                "/* {} */",
                inout(ymm_reg) state => after,
                options(nomem, nostack, preserves_flags),
            );
        }
        after
    };
    state
}

#[inline]
#[target_feature(enable = "avx2")]
fn load(block: &Block) -> __m128i {
    // SAFETY: 16 bytes are read from 16 bytes; no alignment is required.
    unsafe { _mm_loadu_si128(block.as_ptr().cast()) }
}

#[inline]
#[target_feature(enable = "avx2")]
fn load2(blocks: &[Block; 2]) -> __m256i {
    // SAFETY: 32 bytes are read from 32 bytes; no alignment is required.
    unsafe { _mm256_loadu_si256(blocks.as_ptr().cast()) }
}

#[inline]
#[target_feature(enable = "avx2")]
fn store(block: &mut Block, register: __m128i) {
    // SAFETY: 16 bytes are written to 16 bytes; no alignment is required.
    unsafe { _mm_storeu_si128(block.as_mut_ptr().cast(), register) }
}

#[inline]
#[target_feature(enable = "avx2")]
fn store2(blocks: &mut [Block; 2], register: __m256i) {
    // SAFETY: 32 bytes are written to 32 bytes; no alignment is required.
    unsafe { _mm256_storeu_si256(blocks.as_mut_ptr().cast(), register) }
}

/// Two blocks from two places.
///
/// # Safety
/// 16 bytes can be read at each.
#[inline]
#[target_feature(enable = "avx2")]
unsafe fn two_from(a: *const u8, b: *const u8) -> __m256i {
    // SAFETY: 16 bytes can be read at each; no alignment is required.
    let (a, b) = unsafe { (_mm_loadu_si128(a.cast()), _mm_loadu_si128(b.cast())) };
    _mm256_set_m128i(b, a)
}
