//! The block sum with the AES instructions of x86 (row `aesni`) or ARMv8 (row `armv8`), eight blocks side by side in
//! 128-bit registers.

#[cfg(target_arch = "x86_64")]
use super::aesni::{
    Register, almost, and, encrypt, hidden, load, load_from, prefetch, register, shared, shuffle,
    store, xor,
};
#[cfg(target_arch = "aarch64")]
use super::armv8::{
    Register, almost, and, encrypt, hidden, load, load_from, prefetch, register, shared, shuffle,
    store, xor,
};
use super::{FAR, GROUP, Kernels, Key, LAST, MOST_MIXED, Shape, before_last, end};
use crate::batch::EIGHT;
use crate::buffer::not_last;
use crate::cipher::Block;
use crate::ct::wipe;
use crate::ends;
use core::hint::{black_box, select_unpredictable};
use core::mem::MaybeUninit;

/// How many blocks run side by side: enough to hide the latency of a round.
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
#[cfg_attr(target_arch = "x86_64", target_feature(enable = "ssse3,aes"))]
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

#[cfg_attr(target_arch = "x86_64", target_feature(enable = "ssse3,aes"))]
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
#[cfg_attr(target_arch = "x86_64", target_feature(enable = "ssse3,aes"))]
#[cfg_attr(target_arch = "aarch64", target_feature(enable = "neon,aes"))]
fn tag_of<const ROUNDS: usize, const L: usize>(key: &Key, message: &[u8], tag: &mut Block) {
    let sum = side_by_side::<ROUNDS, L>(key, register(0), &key.table, not_last(message).0);
    last_call::<ROUNDS>(key, sum, message, tag);
}

/// The tag of a longer message.
#[inline(never)]
#[cfg_attr(target_arch = "x86_64", target_feature(enable = "ssse3,aes"))]
#[cfg_attr(target_arch = "aarch64", target_feature(enable = "neon,aes"))]
fn tag_of_more<const ROUNDS: usize>(key: &Key, message: &[u8], tag: &mut Block) {
    let mut total = [0; 16];
    sum::<ROUNDS>(key, not_last(message).0, &mut total);
    last_call::<ROUNDS>(key, load(&total), message, tag);
    wipe(&mut total);
}

/// The tag of a message, given the sum of the blocks before its last.
#[inline]
#[cfg_attr(target_arch = "x86_64", target_feature(enable = "ssse3,aes"))]
#[cfg_attr(target_arch = "aarch64", target_feature(enable = "neon,aes"))]
fn last_call<const ROUNDS: usize>(key: &Key, sum: Register, message: &[u8], tag: &mut Block) {
    let (bytes, end) = last(key, message);
    let [state] = encrypt::<ROUNDS, 1>(key, [xor(sum, bytes)], [end]);
    store(tag, and(state, load(&key.mask)));
}

/// The bytes of the last block of a message, and what to add to them: the padding and the first round key.
#[inline]
#[cfg_attr(target_arch = "x86_64", target_feature(enable = "ssse3,aes"))]
#[cfg_attr(target_arch = "aarch64", target_feature(enable = "neon,aes"))]
pub(super) fn last(key: &Key, message: &[u8]) -> (Register, Register) {
    match end(message) {
        Some((whole, down, bytes)) => (shuffle(load(whole), load(down)), load(&key.ends[bytes])),
        None => (register(ends::few(message)), load(&key.ends[message.len()])),
    }
}

#[cfg_attr(target_arch = "x86_64", target_feature(enable = "ssse3,aes"))]
#[cfg_attr(target_arch = "aarch64", target_feature(enable = "neon,aes"))]
#[allow(unsafe_code)]
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
    let mut ends = [register(0); EIGHT];
    if let (Shape::Same(_), Some((_, down, bytes))) = (shape, end(messages[0])) {
        // One shuffle for all.
        let down = load(down);
        ends = [load(&key.ends[bytes]); EIGHT];
        for (sum, message) in sums.iter_mut().zip(messages) {
            // SAFETY: these are the last 16 bytes.
            let whole = unsafe { load_from(message.as_ptr().add(messages[0].len() - 16)) };
            *sum = xor(*sum, shuffle(whole, down));
        }
    } else {
        for ((sum, end), message) in sums.iter_mut().zip(&mut ends).zip(messages) {
            let (bytes, added) = last(key, message);
            (*sum, *end) = (xor(*sum, bytes), added);
        }
    }
    let mask = load(&key.mask);
    for (tag, state) in tags.iter_mut().zip(encrypt::<ROUNDS, EIGHT>(hidden(key), sums, ends)) {
        store(tag, and(state, mask));
    }
    true
}

/// The sums of the blocks before the last ones of eight messages, if all have the same number of blocks: block `j` of
/// all messages side by side, for each `j`.
#[inline]
#[cfg_attr(target_arch = "x86_64", target_feature(enable = "ssse3,aes"))]
#[cfg_attr(target_arch = "aarch64", target_feature(enable = "neon,aes"))]
#[allow(unsafe_code)]
fn columns<const ROUNDS: usize>(
    key: &Key,
    messages: &[&[u8]; EIGHT],
    blocks: usize,
) -> [Register; EIGHT] {
    debug_assert!(messages.iter().all(|message| before_last(message.len()) == blocks));
    let mut sums = [register(0); EIGHT];
    let mut base = register(0);
    for j in 0..blocks {
        let table = match j % GROUP {
            0 if j > 0 => {
                base = xor(base, load(&key.steps[Key::zeroes(j as u64)]));
                load(&key.table[0])
            }
            LAST => xor(load(&key.steps[Key::zeroes(j as u64 + 1)]), load(&key.rounds[0][0])),
            i => load(&key.table[i]),
        };
        let offset = xor(base, table);
        let mut states = [register(0); EIGHT];
        for (state, message) in states.iter_mut().zip(messages) {
            // SAFETY: every message has more than j + 1 blocks.
            *state = unsafe { load_from(message.as_ptr().add(16 * j)) };
        }
        states = almost::<ROUNDS, EIGHT>(hidden(key), states, [offset; EIGHT]);
        for (sum, state) in sums.iter_mut().zip(states) {
            *sum = xor(*sum, state);
        }
    }
    if !blocks.is_multiple_of(2) {
        for sum in &mut sums {
            *sum = xor(*sum, shared::<ROUNDS>(key));
        }
    }
    sums
}

/// The same of messages with different numbers of blocks: whole eights of each message, then the rest of all messages
/// in a row, eight at a time.
#[inline]
#[cfg_attr(target_arch = "x86_64", target_feature(enable = "ssse3,aes"))]
#[cfg_attr(target_arch = "aarch64", target_feature(enable = "neon,aes"))]
#[allow(unsafe_code)]
fn in_a_row<const ROUNDS: usize>(
    key: &Key,
    messages: &[&[u8]; EIGHT],
    most: usize,
) -> [Register; EIGHT] {
    let mut sums = [register(0); EIGHT];
    let longer = if most < EIGHT { &[][..] } else { messages };
    for (sum, message) in sums.iter_mut().zip(longer) {
        for (i, eight) in whole_eights(message).iter().enumerate() {
            let (base, table) = eighth(key, i);
            *sum = xor(*sum, side_by_side::<ROUNDS, EIGHT>(hidden(key), base, table, eight));
        }
    }
    let mut slots = [MaybeUninit::uninit(); SLOTS];
    let (places, eights) = match most < EIGHT {
        true => fill::<false>(key, messages, &mut slots),
        false => fill::<true>(key, messages, &mut slots),
    };
    let mut total = register(0);
    for eight in slots[1..].as_chunks_mut::<EIGHT>().0[..eights].iter_mut() {
        let mut states = [register(0); EIGHT];
        for (state, slot) in states.iter_mut().zip(&*eight) {
            // SAFETY: `fill` has filled whole eights.
            *state = unsafe { slot.assume_init() };
        }
        states = encrypt::<ROUNDS, EIGHT>(hidden(key), states, [register(0); EIGHT]);
        for (slot, state) in eight.iter_mut().zip(states) {
            total = xor(total, state);
            slot.write(total);
        }
    }
    for (sum, rest) in sums.iter_mut().zip(sums_of(&mut slots, places, eights)) {
        *sum = xor(*sum, rest);
    }
    sums
}

/// The blocks before the last of a message, as far as they fill eights.
#[inline(always)]
pub(super) fn whole_eights(message: &[u8]) -> &[[Block; EIGHT]] {
    debug_assert!(before_last(message.len()) <= MOST_MIXED);
    let (blocks, _) = message[..16 * before_last(message.len())].as_chunks();
    blocks.as_chunks().0
}

/// The offsets of eight `i` of a message's blocks: the base of its group and a part of the table.
#[inline]
#[cfg_attr(target_arch = "x86_64", target_feature(enable = "ssse3,aes"))]
#[cfg_attr(target_arch = "aarch64", target_feature(enable = "neon,aes"))]
pub(super) fn eighth(key: &Key, i: usize) -> (Register, &[Block; EIGHT]) {
    let (tables, _) = key.table.as_chunks::<EIGHT>();
    let table = &tables[i % tables.len()];
    // The table has the first round key in it.
    let second = || xor(load(&key.table[GROUP - 1]), load(&key.rounds[0][0]));
    (if i < tables.len() { register(0) } else { second() }, table)
}

/// A zero, less than eight blocks of each of eight messages, and zeroes up to a multiple of eight.
pub(super) const SLOTS: usize = 1 + EIGHT * EIGHT + EIGHT;

/// Writes the blocks between the [`whole_eights`] and the last ones of eight messages, xor their offsets, from slot 1 on
/// in a row, and zeroes up to a multiple of eight. Returns the place of each message's last slot, or of the one before
/// its first if it has none, and how many eights there are. `LONG`: not all messages have less than eight. Up to four
/// blocks of a message are written without a branch on its length.
#[inline]
#[cfg_attr(target_arch = "x86_64", target_feature(enable = "ssse3,aes"))]
#[cfg_attr(target_arch = "aarch64", target_feature(enable = "neon,aes"))]
#[allow(unsafe_code)]
pub(super) fn fill<const LONG: bool>(
    key: &Key,
    messages: &[&[u8]; EIGHT],
    slots: &mut [MaybeUninit<Register>; SLOTS],
) -> ([usize; EIGHT], usize) {
    let (mut places, mut count) = ([0; EIGHT], 0);
    slots[0].write(register(0));
    for (place, message) in places.iter_mut().zip(messages) {
        let blocks = before_last(message.len());
        let eights = if LONG { blocks / EIGHT } else { 0 };
        let (base, table) = eighth(key, eights);
        // What is read and written past the message's blocks is overwritten later. Messages below 16 bytes have none,
        // and something else is read.
        let enough = message.len() >= 16;
        let from = select_unpredictable(enough, message.as_ptr(), key.table.as_ptr().cast());
        let furthest = select_unpredictable(enough, message.len().wrapping_sub(16), 0);
        let (first, blocks) = (16 * EIGHT * eights, blocks - EIGHT * eights);
        for (half, table) in table.as_chunks::<4>().0.iter().enumerate() {
            let four = slots[count + 4 * half + 1..].first_chunk_mut::<4>().expect("room for all");
            for (i, (slot, offset)) in four.iter_mut().zip(table).enumerate() {
                // SAFETY: 16 bytes can be read up to `furthest`.
                let block =
                    unsafe { load_from(from.add(furthest.min(first + 64 * half + 16 * i))) };
                slot.write(xor(block, xor(base, load(offset))));
            }
            if blocks <= 4 {
                break;
            }
        }
        count += blocks;
        *place = count;
    }
    for slot in &mut slots[count + 1..][..EIGHT - 1] {
        slot.write(register(0));
    }
    (places, count.div_ceil(EIGHT))
}

/// The sum of each message's blocks, given in each slot the sum of all up to it. Wipes the slots.
#[inline]
#[cfg_attr(target_arch = "x86_64", target_feature(enable = "ssse3,aes"))]
#[cfg_attr(target_arch = "aarch64", target_feature(enable = "neon,aes"))]
#[allow(unsafe_code)]
pub(super) fn sums_of(
    slots: &mut [MaybeUninit<Register>; SLOTS],
    places: [usize; EIGHT],
    eights: usize,
) -> [Register; EIGHT] {
    let mut before = register(0);
    let mut sums = [before; EIGHT];
    for (sum, place) in sums.iter_mut().zip(places) {
        // SAFETY: the slots up to the last block have been written.
        let up_to = unsafe { slots[place].assume_init() };
        *sum = xor(up_to, before);
        before = up_to;
    }
    for eight in &mut slots[1..].as_chunks_mut::<EIGHT>().0[..eights] {
        *eight = [MaybeUninit::new(register(0)); EIGHT];
        black_box(&eight); // one by one, which is no call
    }
    sums
}

/// Adds whole groups to the sum. At the end, the base is that of the group after them.
#[inline(never)]
#[cfg_attr(target_arch = "x86_64", target_feature(enable = "ssse3,aes"))]
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
    let far = groups.len() > FAR;
    for (i, group) in groups.iter().enumerate() {
        if let Some(ahead) = groups.get(i + AHEAD)
            && far
        {
            ahead.as_chunks().0.iter().for_each(|line| prefetch(line));
        }
        let key = hidden(key);
        let step = load(&key.steps[Key::zeroes(first)]);
        let (parts, _) = group.as_chunks::<WIDTH>();
        for (i, (part, table)) in parts.iter().zip(tables).enumerate() {
            let (mut states, mut offsets) = ([bases; WIDTH], [bases; WIDTH]);
            for (j, (state, offset)) in states.iter_mut().zip(&mut offsets).enumerate() {
                let is_last = WIDTH * i + j == GROUP - 1;
                let table =
                    if is_last { xor(step, load(&key.rounds[0][0])) } else { load(&table[j]) };
                (*state, *offset) = (load(&part[j]), xor(*offset, table));
            }
            for state in almost::<ROUNDS, WIDTH>(key, states, offsets) {
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
#[cfg_attr(target_arch = "x86_64", target_feature(enable = "ssse3,aes"))]
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
#[cfg_attr(target_arch = "x86_64", target_feature(enable = "ssse3,aes"))]
#[cfg_attr(target_arch = "aarch64", target_feature(enable = "neon,aes"))]
fn side_by_side<const ROUNDS: usize, const L: usize>(
    key: &Key,
    base: Register,
    table: &[Block],
    blocks: &[Block],
) -> Register {
    let (table, blocks) = (&table[..L], &blocks[..L]);
    let (mut states, mut offsets) = ([base; L], [base; L]);
    for (state, block) in states.iter_mut().zip(blocks) {
        *state = load(block);
    }
    for (offset, table) in offsets.iter_mut().zip(table) {
        *offset = xor(*offset, load(table));
    }
    let mut total = if L.is_multiple_of(2) { register(0) } else { shared::<ROUNDS>(key) };
    for state in almost::<ROUNDS, L>(key, states, offsets) {
        total = xor(total, state);
    }
    total
}
