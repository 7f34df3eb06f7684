//! The block sum with VAES: a group of 32 blocks in eight 512-bit registers.
//!
//! Eight short messages share registers: first the blocks before the last ones, one, two or four of each message
//! side by side, then the last cipher calls.
#![allow(unsafe_code)]

use super::{GROUP, Kernels, Key};
use crate::batch::EIGHT;
use crate::buffer::not_last;
use crate::cipher::Block;
use crate::ct::wipe;
use core::arch::x86_64::*;

/// Blocks in a register.
const WIDTH: usize = 4;

pub(super) const fn kernels<const ROUNDS: usize>() -> Kernels {
    Kernels {
        whole_groups: whole_groups::<ROUNDS>,
        few: few::<ROUNDS>,
        tag: tag::<ROUNDS>,
        tags: Some(tags::<ROUNDS>),
    }
}

/// Adds the first blocks of a message to the sum.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,aes,vaes")]
fn sum<const ROUNDS: usize>(key: &Key, blocks: &[Block], sum: &mut Block) {
    let mut base = [0; 16];
    let (groups, rest) = blocks.as_chunks();
    if !groups.is_empty() {
        whole_groups::<ROUNDS>(key, &mut base, 1, groups, sum);
    }
    few::<ROUNDS>(key, &base, &key.table, rest, sum);
    wipe(&mut base);
}

#[target_feature(enable = "avx512f,avx512bw,avx512vl,aes,vaes")]
fn tag<const ROUNDS: usize>(key: &Key, message: &[u8], tag: &mut Block) {
    // Each arm is a jump to a function that calls no other.
    match before_last(message.len()) {
        0 => last_call::<ROUNDS>(key, _mm_setzero_si128(), message, tag),
        1..=2 => tag_of_two::<ROUNDS>(key, message, tag),
        3..=4 => tag_of::<ROUNDS, 1>(key, message, tag),
        5..=8 => tag_of::<ROUNDS, 2>(key, message, tag),
        9..=12 => tag_of::<ROUNDS, 3>(key, message, tag),
        13..=16 => tag_of::<ROUNDS, 4>(key, message, tag),
        17..=20 => tag_of::<ROUNDS, 5>(key, message, tag),
        21..=24 => tag_of::<ROUNDS, 6>(key, message, tag),
        25..=28 => tag_of::<ROUNDS, 7>(key, message, tag),
        29..=31 => tag_of::<ROUNDS, 8>(key, message, tag),
        _ => tag_of_groups::<ROUNDS>(key, message, tag),
    }
}

/// The tag of a message with one or two blocks before its last.
#[inline(never)]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,aes,vaes")]
fn tag_of_two<const ROUNDS: usize>(key: &Key, message: &[u8], tag: &mut Block) {
    let mask = 0xf >> (4 - 2 * before_last(message.len()));
    // SAFETY: only whole blocks of the message are read.
    let blocks = unsafe { _mm256_maskz_loadu_epi64(mask, message.as_ptr().cast()) };
    let table = load2(key.table.first_chunk().expect("a table of 32"));
    let mut state = _mm256_xor_si256(blocks, table);
    for round in &key.rounds[1..ROUNDS] {
        state = _mm256_aesenc_epi128(state, pair(round));
    }
    state = _mm256_aesenclast_epi128(state, pair(&key.rounds[ROUNDS]));
    state = _mm256_maskz_mov_epi64(mask, state);
    let sum = _mm_xor_si128(_mm256_castsi256_si128(state), _mm256_extracti128_si256::<1>(state));
    last_call::<ROUNDS>(key, sum, message, tag);
}

/// The tag of a message whose blocks before the last fill `L` registers, the last register perhaps in part.
#[inline(never)]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,aes,vaes")]
fn tag_of<const ROUNDS: usize, const L: usize>(key: &Key, message: &[u8], tag: &mut Block) {
    let (blocks, _) = not_last(message);
    let sum = registers::<ROUNDS, L>(key, _mm512_setzero_si512(), &key.table, blocks);
    last_call::<ROUNDS>(key, folded(sum), message, tag);
}

/// The tag of a longer message.
#[inline(never)]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,aes,vaes")]
fn tag_of_groups<const ROUNDS: usize>(key: &Key, message: &[u8], tag: &mut Block) {
    let (blocks, _) = not_last(message);
    let mut total = [0; 16];
    sum::<ROUNDS>(key, blocks, &mut total);
    last_call::<ROUNDS>(key, load(&total), message, tag);
    wipe(&mut total);
}

/// The tag of a message, given the sum of the blocks before its last.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,aes,vaes")]
fn last_call<const ROUNDS: usize>(key: &Key, sum: __m128i, message: &[u8], tag: &mut Block) {
    let mut state =
        _mm_ternarylogic_epi32::<0x96>(sum, last(key, message), load(&key.rounds[0][0]));
    for round in &key.rounds[1..ROUNDS] {
        state = _mm_aesenc_si128(state, load(&round[0]));
    }
    state = _mm_aesenclast_si128(state, load(&key.rounds[ROUNDS][0]));
    store(tag, _mm_and_si128(state, load(&key.mask)));
}

#[target_feature(enable = "avx512f,avx512bw,avx512vl,aes,vaes")]
fn tags<const ROUNDS: usize>(key: &Key, messages: &[&[u8]; EIGHT], tags: &mut [Block; EIGHT]) {
    debug_assert!(messages.iter().all(|message| before_last(message.len()) <= WIDTH));
    let longest = messages.iter().fold(0, |most, message| message.len().max(most));
    // Messages of one length share a mask, which is worth separate code.
    let same = messages.iter().all(|message| message.len() == longest);
    let mut sums = match (longest, same) {
        (0..=16, true) => lasts::<true>(key, messages),
        (0..=16, false) => lasts::<false>(key, messages),
        (17..=32, true) => short::<ROUNDS, 1, 2, true>(key, messages),
        (17..=32, false) => short::<ROUNDS, 1, 2, false>(key, messages),
        (33..=48, true) => short::<ROUNDS, 2, 4, true>(key, messages),
        (33..=48, false) => short::<ROUNDS, 2, 4, false>(key, messages),
        (_, true) => short::<ROUNDS, 4, 8, true>(key, messages),
        (_, false) => short::<ROUNDS, 4, 8, false>(key, messages),
    };
    let first = load4(&key.rounds[0]);
    for sum in &mut sums {
        *sum = _mm512_xor_si512(*sum, first);
    }
    let states = encrypt::<ROUNDS, 2>(key, sums);
    let mask = four(&key.mask);
    for (tags, state) in tags.as_chunks_mut::<4>().0.iter_mut().zip(states) {
        // SAFETY: 64 bytes are written to 64 bytes; no alignment is required.
        unsafe { _mm512_storeu_si512(tags.as_mut_ptr().cast(), _mm512_and_si512(state, mask)) };
    }
}

/// The last cipher inputs of eight messages, each with at most `EACH` blocks before its last. Those blocks fill
/// `REGISTERS` registers. `SAME`: all messages have the same length.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,aes,vaes")]
fn short<const ROUNDS: usize, const EACH: usize, const REGISTERS: usize, const SAME: bool>(
    key: &Key,
    messages: &[&[u8]; EIGHT],
) -> [__m512i; 2] {
    let table = match EACH {
        1 => four(&key.table[0]),
        2 => _mm512_broadcast_i64x4(load2(key.table.first_chunk().expect("a table of 32"))),
        _ => load4(key.table.first_chunk().expect("a table of 32")),
    };
    let length = messages[0].len();
    debug_assert!(!SAME || messages.iter().all(|message| message.len() == length));
    let mut counted = [0; REGISTERS];
    let mut states = [_mm512_setzero_si512(); REGISTERS];
    for (i, messages) in messages.chunks_exact(WIDTH / EACH).enumerate() {
        // Two mask bits, for two 64-bit words, for each block.
        let mask = |message: &[u8]| {
            let length = if SAME { length } else { message.len() };
            ((1u32 << (2 * before_last(length))) - 1) as u8
        };
        let blocks = match messages {
            [a, b, c, d] => {
                let masks = [mask(a), mask(b), mask(c), mask(d)];
                counted[i] = masks[0] | masks[1] << 2 | masks[2] << 4 | masks[3] << 6;
                lanes(one(a, masks[0]), one(b, masks[1]), one(c, masks[2]), one(d, masks[3]))
            }
            [a, b] => {
                let (first, second) = (mask(a), mask(b));
                counted[i] = first | second << 4;
                // SAFETY: only whole blocks of the messages are read.
                let (low, high) = unsafe {
                    (
                        _mm256_maskz_loadu_epi64(first, a.as_ptr().cast()),
                        _mm256_maskz_loadu_epi64(second, b.as_ptr().cast()),
                    )
                };
                _mm512_inserti64x4::<1>(_mm512_castsi256_si512(low), high)
            }
            messages => {
                counted[i] = mask(messages[0]);
                // SAFETY: only whole blocks of the message are read.
                unsafe { _mm512_maskz_loadu_epi64(counted[i], messages[0].as_ptr().cast()) }
            }
        };
        states[i] = _mm512_xor_si512(blocks, table);
    }
    states = encrypt::<ROUNDS, REGISTERS>(key, states);
    for (state, counted) in states.iter_mut().zip(counted) {
        *state = _mm512_maskz_mov_epi64(counted, *state);
    }
    let mut sums = lasts::<SAME>(key, messages);
    for (g, sum) in sums.iter_mut().enumerate() {
        let blocks = match EACH {
            1 => states[g],
            2 => both(states[2 * g], states[2 * g + 1]),
            _ => {
                let (a, b) = (states[4 * g], states[4 * g + 1]);
                let (c, d) = (states[4 * g + 2], states[4 * g + 3]);
                both(both(a, b), both(c, d))
            }
        };
        *sum = _mm512_xor_si512(*sum, blocks);
    }
    sums
}

/// The first block of a message, or nothing if the mask is 0.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,aes,vaes")]
fn one(message: &[u8], mask: u8) -> __m128i {
    debug_assert!(8 * mask.count_ones() as usize <= message.len());
    // SAFETY: only whole blocks of the message are read.
    unsafe { _mm_maskz_loadu_epi64(mask, message.as_ptr().cast()) }
}

/// The sums of neighbouring blocks, those in `a` before those in `b`.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,aes,vaes")]
fn both(a: __m512i, b: __m512i) -> __m512i {
    let even = _mm512_shuffle_i64x2::<0x88>(a, b);
    _mm512_xor_si512(even, _mm512_shuffle_i64x2::<0xdd>(a, b))
}

/// The padded last blocks of eight messages. `SAME`: all messages have the same length.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,aes,vaes")]
fn lasts<const SAME: bool>(key: &Key, messages: &[&[u8]; EIGHT]) -> [__m512i; 2] {
    let length = messages[0].len();
    debug_assert!(!SAME || messages.iter().all(|message| message.len() == length));
    let last = |message: &[u8]| match SAME {
        // SAFETY: all messages have this length.
        true => unsafe { last_bytes(message.as_ptr(), length) },
        // SAFETY: this is the length of the message.
        false => _mm_xor_si128(
            unsafe { last_bytes(message.as_ptr(), message.len()) },
            end(key, message.len()),
        ),
    };
    let mut ends = [_mm512_setzero_si512(); 2];
    for (ends, [a, b, c, d]) in ends.iter_mut().zip(messages.as_chunks::<4>().0) {
        *ends = lanes(last(a), last(b), last(c), last(d));
        if SAME {
            *ends = _mm512_xor_si512(*ends, _mm512_broadcast_i32x4(end(key, length)));
        }
    }
    ends
}

/// The last block of a message, padded.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,aes,vaes")]
fn last(key: &Key, message: &[u8]) -> __m128i {
    // SAFETY: this is the length of the message.
    let bytes = unsafe { last_bytes(message.as_ptr(), message.len()) };
    _mm_xor_si128(bytes, end(key, message.len()))
}

/// The last block of a message of `length` bytes, with zeroes after it.
///
/// # Safety
/// `length` bytes can be read at `message`.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,aes,vaes")]
unsafe fn last_bytes(message: *const u8, length: usize) -> __m128i {
    let start = 16 * before_last(length);
    let mask = ((1u32 << (length - start)) - 1) as u16;
    // SAFETY: bytes from `start` to `length` are read.
    unsafe { _mm_maskz_loadu_epi8(mask, message.wrapping_add(start).cast()) }
}

/// The padding of the last block of a message of `length` bytes, to be xored.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,aes,vaes")]
fn end(key: &Key, length: usize) -> __m128i {
    load(&key.ends[length - 16 * before_last(length)])
}

/// How many blocks a message of `length` bytes has before its last.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,aes,vaes")]
fn before_last(length: usize) -> usize {
    length.saturating_sub(1) / 16
}

/// Adds whole groups to the sum. At the end, the base is that of the group after them.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,aes,vaes")]
fn whole_groups<const ROUNDS: usize>(
    key: &Key,
    base: &mut Block,
    mut first: u64,
    groups: &[[Block; GROUP]],
    sum: &mut Block,
) {
    let (tables, _) = key.table.as_chunks();
    let tables: [__m512i; GROUP / WIDTH] = core::array::from_fn(|i| load4(&tables[i]));
    let (mut total, mut bases) = (_mm512_setzero_si512(), four(base));
    // Prefetches messages that do not fit in a core's own caches. Each line is loaded once, and Zen 4 does not
    // recognize that as a stream.
    let far = groups.len() > 128;
    for (i, group) in groups.iter().enumerate() {
        if let Some(ahead) = groups.get(i + 8)
            && far
        {
            ahead.as_chunks().0.iter().for_each(|line| prefetch(line));
        }
        let step = load(&key.steps[Key::zeroes(first)]);
        let last = _mm_xor_si128(step, load(&key.rounds[0][0]));
        let (parts, _) = group.as_chunks();
        let mut states: [__m512i; GROUP / WIDTH] = core::array::from_fn(|i| {
            let table = if i < GROUP / WIDTH - 1 {
                tables[i]
            } else {
                _mm512_mask_broadcast_i32x4(tables[i], 0xf000, last)
            };
            xor3(load4(&parts[i]), bases, table)
        });
        states = encrypt::<ROUNDS, { GROUP / WIDTH }>(key, states);
        for pair in states.as_chunks::<2>().0 {
            total = xor3(total, pair[0], pair[1]);
        }
        bases = _mm512_xor_si512(bases, _mm512_broadcast_i32x4(step));
        first += GROUP as u64;
    }
    store(base, _mm512_castsi512_si128(bases));
    store(sum, _mm_xor_si128(load(sum), folded(total)));
}

/// Prefetches blocks that will be loaded.
#[inline]
#[target_feature(enable = "avx512f")]
fn prefetch(line: &[Block; WIDTH]) {
    #[allow(unused_unsafe)] // newer compilers call it safe
    // SAFETY: the instruction has no effect that the program can see, whatever the address.
    unsafe {
        _mm_prefetch::<_MM_HINT_T2>(line.as_ptr().cast());
    };
}

/// Adds a part of a group to the sum. `table` starts at the part's first block.
#[inline(never)]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,aes,vaes")]
fn few<const ROUNDS: usize>(
    key: &Key,
    base: &Block,
    table: &[Block],
    blocks: &[Block],
    sum: &mut Block,
) {
    let base = four(base);
    let total = match blocks.len().div_ceil(WIDTH) {
        0 => return,
        1 => registers::<ROUNDS, 1>(key, base, table, blocks),
        2 => registers::<ROUNDS, 2>(key, base, table, blocks),
        3 => registers::<ROUNDS, 3>(key, base, table, blocks),
        4 => registers::<ROUNDS, 4>(key, base, table, blocks),
        5 => registers::<ROUNDS, 5>(key, base, table, blocks),
        6 => registers::<ROUNDS, 6>(key, base, table, blocks),
        7 => registers::<ROUNDS, 7>(key, base, table, blocks),
        _ => registers::<ROUNDS, 8>(key, base, table, blocks),
    };
    store(sum, _mm_xor_si128(load(sum), folded(total)));
}

/// The sum of blocks that fill `L` registers, the last one perhaps in part. `table` starts at the first block.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,aes,vaes")]
fn registers<const ROUNDS: usize, const L: usize>(
    key: &Key,
    base: __m512i,
    table: &[Block],
    blocks: &[Block],
) -> __m512i {
    let missing = (WIDTH * L).wrapping_sub(blocks.len());
    assert!(missing < WIDTH);
    // Two mask bits, for two 64-bit words, for each block.
    let mask = 0xff >> (2 * missing);
    let (tables, _) = table.as_chunks::<WIDTH>();
    let mut states = [_mm512_setzero_si512(); L];
    for (i, (state, table)) in states.iter_mut().zip(&tables[..L]).enumerate() {
        let place = blocks.as_ptr().wrapping_add(WIDTH * i);
        let part = if i < L - 1 {
            // SAFETY: there are more than 4 (L - 1) blocks, as asserted above.
            unsafe { _mm512_loadu_si512(place.cast()) }
        } else {
            // SAFETY: the mask has the words from block 4 (L - 1) to the last, and no others are read.
            unsafe { _mm512_maskz_loadu_epi64(mask, place.cast()) }
        };
        *state = xor3(part, base, load4(table));
    }
    states = encrypt::<ROUNDS, L>(key, states);
    states[L - 1] = _mm512_maskz_mov_epi64(mask, states[L - 1]);
    let mut total = _mm512_setzero_si512();
    let (pairs, single) = states.as_chunks::<2>();
    for pair in pairs {
        total = xor3(total, pair[0], pair[1]);
    }
    for state in single {
        total = _mm512_xor_si512(total, *state);
    }
    total
}

/// The sum of the four blocks in a register.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,aes,vaes")]
fn folded(blocks: __m512i) -> __m128i {
    let high = _mm512_extracti64x4_epi64::<1>(blocks);
    let half = _mm256_xor_si256(_mm512_castsi512_si256(blocks), high);
    _mm_xor_si128(_mm256_castsi256_si128(half), _mm256_extracti128_si256::<1>(half))
}

/// AES of blocks to which the first round key was added.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,aes,vaes")]
fn encrypt<const ROUNDS: usize, const L: usize>(
    key: &Key,
    mut states: [__m512i; L],
) -> [__m512i; L] {
    // Loops, not `map`: with many registers the compiler would make calls.
    for round in &key.rounds[1..ROUNDS] {
        let round = load4(round);
        for state in &mut states {
            *state = _mm512_aesenc_epi128(*state, round);
            if L > 4 {
                *state = in_order(*state);
            }
        }
    }
    let last = load4(&key.rounds[ROUNDS]);
    for state in &mut states {
        *state = _mm512_aesenclast_epi128(*state, last);
    }
    states
}

/// Keeps the rounds of many registers interleaved. The compiler would put all rounds of one register before those of
/// the next, and a processor does not look ahead far enough to undo that.
#[inline]
#[target_feature(enable = "avx512f")]
fn in_order(state: __m512i) -> __m512i {
    #[cfg(not(miri))] // Miri has no assembly
    let state = {
        let after;
        // SAFETY: the assembly is a comment; it executes nothing.
        unsafe {
            core::arch::asm!(
                "/* {} */",
                inout(zmm_reg) state => after,
                options(nomem, nostack, preserves_flags),
            );
        }
        after
    };
    state
}

#[inline]
#[target_feature(enable = "avx512f")]
fn xor3(a: __m512i, b: __m512i, c: __m512i) -> __m512i {
    // Either word size gives the same result; Miri supports this one.
    _mm512_ternarylogic_epi32::<0x96>(a, b, c)
}

/// Four blocks, one in each lane.
#[inline]
#[target_feature(enable = "avx512f,avx512vl")]
fn lanes(a: __m128i, b: __m128i, c: __m128i, d: __m128i) -> __m512i {
    let low = _mm256_inserti128_si256::<1>(_mm256_castsi128_si256(a), b);
    let high = _mm256_inserti128_si256::<1>(_mm256_castsi128_si256(c), d);
    _mm512_inserti64x4::<1>(_mm512_castsi256_si512(low), high)
}

/// A round key in both lanes.
#[inline]
#[target_feature(enable = "avx512f,avx512vl")]
fn pair(round: &[Block; 4]) -> __m256i {
    load2(round.first_chunk().expect("four of it"))
}

/// The same block in each lane.
#[inline]
#[target_feature(enable = "avx512f")]
fn four(block: &Block) -> __m512i {
    _mm512_broadcast_i32x4(load(block))
}

#[inline]
#[target_feature(enable = "avx512f")]
fn load(block: &Block) -> __m128i {
    // SAFETY: 16 bytes are read from 16 bytes; no alignment is required.
    unsafe { _mm_loadu_si128(block.as_ptr().cast()) }
}

#[inline]
#[target_feature(enable = "avx512f,avx512vl")]
fn load2(blocks: &[Block; 2]) -> __m256i {
    // SAFETY: 32 bytes are read from 32 bytes; no alignment is required.
    unsafe { _mm256_loadu_si256(blocks.as_ptr().cast()) }
}

#[inline]
#[target_feature(enable = "avx512f")]
fn load4(blocks: &[Block; WIDTH]) -> __m512i {
    // SAFETY: 64 bytes are read from 64 bytes; no alignment is required.
    unsafe { _mm512_loadu_si512(blocks.as_ptr().cast()) }
}

#[inline]
#[target_feature(enable = "avx512f")]
fn store(block: &mut Block, register: __m128i) {
    // SAFETY: 16 bytes are written to 16 bytes; no alignment is required.
    unsafe { _mm_storeu_si128(block.as_mut_ptr().cast(), register) }
}
