//! The block sum with VAES: a group of 32 blocks in eight 512-bit registers.
//!
//! Eight messages share registers: first the blocks before the last ones, then the last cipher calls.
#![allow(unsafe_code)]

use super::{FAR, GROUP, Kernels, Key, LAST, Shape, before_last, end};
use crate::batch::EIGHT;
use crate::buffer::not_last;
use crate::cipher::Block;
use crate::ct::wipe;
use core::arch::x86_64::*;
use core::hint::black_box;

/// Blocks in a register.
const WIDTH: usize = 4;

/// How many groups ahead blocks are prefetched.
const AHEAD: usize = 8;

pub(super) const fn kernels<const ROUNDS: usize>() -> Kernels {
    Kernels {
        whole_groups: whole_groups::<ROUNDS>,
        few: few::<ROUNDS>,
        tag: tag::<ROUNDS>,
        tags: tags::<ROUNDS>,
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
        1..=2 => tag_of_pairs::<ROUNDS, 1>(key, message, tag),
        3..=4 => tag_of_pairs::<ROUNDS, 2>(key, message, tag),
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

/// The tag of a message whose blocks before the last fill `L` registers of 256 bits, the last register perhaps by half:
/// for few blocks, they are faster than half as many of 512 bits.
#[inline(never)]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,aes,vaes")]
fn tag_of_pairs<const ROUNDS: usize, const L: usize>(key: &Key, message: &[u8], tag: &mut Block) {
    let single = 2 * L - before_last(message.len());
    debug_assert!(single <= 1);
    let (tables, _) = key.table.as_chunks::<2>();
    let mut states = [_mm256_setzero_si256(); L];
    // Two mask bits, for two 64-bit words, for each block.
    let mut mask = 0xf >> (2 * single);
    for (i, (state, table)) in states.iter_mut().zip(tables).enumerate() {
        let counted = if i < L - 1 { 0xf } else { mask };
        // SAFETY: only whole blocks of the message are read.
        let blocks = unsafe {
            _mm256_maskz_loadu_epi64(counted, message.as_ptr().wrapping_add(32 * i).cast())
        };
        *state = _mm256_xor_si256(blocks, load2(table));
    }
    for round in &key.rounds[1..ROUNDS] {
        let round = pair(round);
        for state in &mut states {
            *state = _mm256_aesenc_epi128(*state, round);
        }
    }
    let round = pair(&key.rounds[ROUNDS]);
    let mut sum = _mm256_setzero_si256();
    for state in states.into_iter().rev() {
        // The last register comes first.
        let state = _mm256_aesenclast_epi128(state, round);
        sum = _mm256_xor_si256(sum, _mm256_maskz_mov_epi64(mask, state));
        mask = 0xf;
    }
    let sum = _mm_xor_si128(_mm256_castsi256_si128(sum), _mm256_extracti128_si256::<1>(sum));
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
    let mut state = _mm_xor_si128(sum, last(key, message));
    for round in &key.rounds[1..ROUNDS] {
        state = _mm_aesenc_si128(state, load(&round[0]));
    }
    state = _mm_aesenclast_si128(state, load(&key.rounds[ROUNDS][0]));
    store(tag, _mm_and_si128(state, load(&key.mask)));
}

#[target_feature(enable = "avx512f,avx512bw,avx512vl,aes,vaes")]
fn tags<const ROUNDS: usize>(
    key: &Key,
    messages: &[&[u8]; EIGHT],
    tags: &mut [Block; EIGHT],
) -> bool {
    let Some(shape) = Shape::of(messages, WIDTH, true) else { return false };
    let mut sums = match shape {
        Shape::Same(blocks) | Shape::Alike(blocks) => columns::<ROUNDS>(key, messages, blocks),
        Shape::Mixed(..=1) => short::<ROUNDS, 1, 2>(key, messages),
        Shape::Mixed(2) => short::<ROUNDS, 2, 4>(key, messages),
        Shape::Mixed(_) => short::<ROUNDS, 4, 8>(key, messages),
    };
    // Messages of one length share a shuffle.
    let lasts = match (shape, end(messages[0])) {
        (Shape::Same(_), Some((_, down, bytes))) => lasts_alike(messages, down, &key.ends[bytes]),
        _ => lasts(key, messages),
    };
    for (sum, last) in sums.iter_mut().zip(lasts) {
        *sum = _mm512_xor_si512(*sum, last);
    }
    let states = encrypt::<ROUNDS, 2>(black_box(key), sums);
    let mask = four(&key.mask);
    for (tags, state) in tags.as_chunks_mut::<4>().0.iter_mut().zip(states) {
        // SAFETY: 64 bytes are written to 64 bytes; no alignment is required.
        unsafe { _mm512_storeu_si512(tags.as_mut_ptr().cast(), _mm512_and_si512(state, mask)) };
    }
    true
}

/// The sums of the blocks before the last ones of eight messages, four in a register, if all have the same number of
/// blocks: block `j` of all messages side by side, for each `j`; four such rows at once as long as there are as many.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,aes,vaes")]
fn columns<const ROUNDS: usize>(
    key: &Key,
    messages: &[&[u8]; EIGHT],
    blocks: usize,
) -> [__m512i; 2] {
    debug_assert!(messages.iter().all(|message| before_last(message.len()) == blocks));
    let mut sums = [_mm512_setzero_si512(); 2];
    let (mut base, mut at) = (_mm512_setzero_si512(), 0);
    while blocks - at >= 4 {
        // The base changes with each group.
        let step = four(&key.steps[Key::zeroes(at as u64 + 1)]);
        let last = _mm512_xor_si512(step, four(&key.rounds[0][0]));
        // SAFETY: every message has as many blocks.
        unsafe { rows::<ROUNDS, 4, 8>(key, messages, at, [base, last], &mut sums) };
        at += 4;
        if at.is_multiple_of(GROUP) {
            base = _mm512_xor_si512(base, step);
        }
    }
    // No group's last block is among the rest.
    let bases = [base, base];
    if blocks - at >= 2 {
        // SAFETY: as above.
        unsafe { rows::<ROUNDS, 2, 4>(key, messages, at, bases, &mut sums) };
        at += 2;
    }
    if blocks > at {
        // SAFETY: as above.
        unsafe { rows::<ROUNDS, 1, 2>(key, messages, at, bases, &mut sums) };
    }
    sums
}

/// Adds `ROWS` blocks of each message to its sum, from block `at` on. They fill `REGISTERS` registers. Their group has
/// this base and, in place of the table's last entry, that one.
///
/// # Safety
/// Every message has as many blocks.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,aes,vaes")]
unsafe fn rows<const ROUNDS: usize, const ROWS: usize, const REGISTERS: usize>(
    key: &Key,
    messages: &[&[u8]; EIGHT],
    at: usize,
    [base, last]: [__m512i; 2],
    sums: &mut [__m512i; 2],
) {
    let key = black_box(key); // hidden from the compiler, which would copy the round keys to the stack
    let mut states = [_mm512_setzero_si512(); REGISTERS];
    for (r, states) in states.as_chunks_mut::<2>().0.iter_mut().enumerate() {
        let table = match (at + r) % GROUP {
            LAST => last,
            i => four(&key.table[i]),
        };
        let offset = _mm512_xor_si512(base, table);
        for (state, messages) in states.iter_mut().zip(messages.as_chunks::<4>().0) {
            // SAFETY: all have such a block, as the caller says.
            let blocks = unsafe { lanes_from(messages, 16 * (at + r)) };
            *state = _mm512_xor_si512(blocks, offset);
        }
    }
    states = encrypt::<ROUNDS, REGISTERS>(key, states);
    for states in states.as_chunks::<2>().0 {
        for (sum, state) in sums.iter_mut().zip(states) {
            *sum = _mm512_xor_si512(*sum, *state);
        }
    }
}

/// The sums of the blocks before the last ones of eight messages, each with at most `EACH` of them. They fill
/// `REGISTERS` registers.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,aes,vaes")]
fn short<const ROUNDS: usize, const EACH: usize, const REGISTERS: usize>(
    key: &Key,
    messages: &[&[u8]; EIGHT],
) -> [__m512i; 2] {
    let table = match EACH {
        1 => four(&key.table[0]),
        2 => _mm512_broadcast_i64x4(load2(key.table.first_chunk().expect("a table of 32"))),
        _ => load4(key.table.first_chunk().expect("a table of 32")),
    };
    let mut counted = [0; REGISTERS];
    let mut states = [_mm512_setzero_si512(); REGISTERS];
    for (i, messages) in messages.chunks_exact(WIDTH / EACH).enumerate() {
        // Two mask bits, for two 64-bit words, for each block.
        let mask = |message: &[u8]| ((1u32 << (2 * before_last(message.len()))) - 1) as u8;
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
    let mut sums = [_mm512_setzero_si512(); 2];
    for (g, sum) in sums.iter_mut().enumerate() {
        *sum = match EACH {
            1 => states[g],
            2 => both(states[2 * g], states[2 * g + 1]),
            _ => {
                let (a, b) = (states[4 * g], states[4 * g + 1]);
                let (c, d) = (states[4 * g + 2], states[4 * g + 3]);
                both(both(a, b), both(c, d))
            }
        };
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

/// The padded last blocks of eight messages of one length of at least 16 bytes: the shuffle that moves their bytes down
/// and what to add.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,aes,vaes")]
fn lasts_alike(messages: &[&[u8]; EIGHT], down: &Block, end: &Block) -> [__m512i; 2] {
    let at = messages[0].len() - 16;
    debug_assert!(messages.iter().all(|message| message.len() == at + 16));
    let (down, end) = (four(down), four(end));
    let mut lasts = [down; 2];
    for (last, messages) in lasts.iter_mut().zip(messages.as_chunks().0) {
        // SAFETY: these are the last 16 bytes of each.
        let whole = unsafe { lanes_from(messages, at) };
        *last = _mm512_xor_si512(_mm512_shuffle_epi8(whole, down), end);
    }
    lasts
}

/// The padded last blocks of eight messages.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,aes,vaes")]
fn lasts(key: &Key, messages: &[&[u8]; EIGHT]) -> [__m512i; 2] {
    let mut lasts = [_mm512_setzero_si512(); 2];
    for (lasts, [a, b, c, d]) in lasts.iter_mut().zip(messages.as_chunks::<4>().0) {
        *lasts = lanes(last(key, a), last(key, b), last(key, c), last(key, d));
    }
    lasts
}

/// The last block of a message, padded.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,aes,vaes")]
fn last(key: &Key, message: &[u8]) -> __m128i {
    let start = 16 * before_last(message.len());
    let bytes = message.len() - start;
    let mask = ((1u32 << bytes) - 1) as u16;
    // SAFETY: only bytes of the message are read.
    let last = unsafe { _mm_maskz_loadu_epi8(mask, message.as_ptr().wrapping_add(start).cast()) };
    _mm_xor_si128(last, load(&key.ends[bytes]))
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
    let far = groups.len() > FAR;
    for (i, group) in groups.iter().enumerate() {
        if let Some(ahead) = groups.get(i + AHEAD)
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

/// The blocks at one place of four messages.
///
/// # Safety
/// All messages have a block there.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,aes,vaes")]
unsafe fn lanes_from(messages: &[&[u8]; WIDTH], at: usize) -> __m512i {
    let place = |i: usize| messages[i].as_ptr().wrapping_add(at).cast();
    // SAFETY: all messages have a block there; no alignment is required.
    unsafe {
        lanes(
            _mm_loadu_si128(place(0)),
            _mm_loadu_si128(place(1)),
            _mm_loadu_si128(place(2)),
            _mm_loadu_si128(place(3)),
        )
    }
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
