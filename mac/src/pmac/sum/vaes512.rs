//! The block sum with VAES in 512-bit registers: a group of 32 blocks in eight of them.
//!
//! Sixteen short messages share registers: their blocks before the last, one, two or four of each
//! message side by side, then their last calls.
#![allow(unsafe_code)]

use super::{GROUP, Kernels, Key, LANES};
use crate::buffer::not_last;
use crate::cipher::Block;
use core::arch::x86_64::*;

/// Blocks of a register.
const WIDTH: usize = 4;

pub(super) const fn kernels<const ROUNDS: usize>() -> Kernels {
    Kernels { sum: sum::<ROUNDS>, tag: tag::<ROUNDS>, tags: tags::<ROUNDS> }
}

#[target_feature(enable = "avx512f,avx512bw,avx512vl,aes,vaes")]
fn sum<const ROUNDS: usize>(
    key: &Key,
    base: &Block,
    first: u64,
    blocks: &[Block],
    sum: &mut Block,
) {
    let total = blocks_from::<ROUNDS>(key, four(base), first, blocks);
    store(sum, _mm_xor_si128(load(sum), total));
}

#[target_feature(enable = "avx512f,avx512bw,avx512vl,aes,vaes")]
fn tag<const ROUNDS: usize>(key: &Key, message: &[u8], tag: &mut Block) {
    let mut state = _mm_xor_si128(before_last_call::<ROUNDS>(key, message), load(&key.rounds[0]));
    for round in &key.rounds[1..ROUNDS] {
        state = _mm_aesenc_si128(state, load(round));
    }
    store(tag, _mm_aesenclast_si128(state, load(&key.rounds[ROUNDS])));
}

#[target_feature(enable = "avx512f,avx512bw,avx512vl,aes,vaes")]
fn tags<const ROUNDS: usize>(key: &Key, messages: &[&[u8]; LANES], tags: &mut [Block; LANES]) {
    let longest = messages.iter().fold(0, |most, message| message.len().max(most));
    let sums = match longest {
        ..=16 => lasts(key, messages),
        ..=32 => short::<ROUNDS, 1, 4>(key, messages),
        ..=48 => short::<ROUNDS, 2, 8>(key, messages),
        ..=80 => short::<ROUNDS, 4, 16>(key, messages),
        _ => {
            let (groups, _) = messages.as_chunks::<4>();
            core::array::from_fn(|g| {
                let [a, b, c, d] =
                    groups[g].map(|message| before_last_call::<ROUNDS>(key, message));
                lanes(a, b, c, d)
            })
        }
    };
    let first = four(&key.rounds[0]);
    let states = encrypt::<ROUNDS, 4>(key, sums.map(|sum| _mm512_xor_si512(sum, first)));
    for (tags, state) in tags.as_chunks_mut::<4>().0.iter_mut().zip(states) {
        // SAFETY: 64 bytes are written to 64 bytes; no alignment is asked for.
        unsafe { _mm512_storeu_si512(tags.as_mut_ptr().cast(), state) };
    }
}

/// What the last calls of sixteen messages encrypt, if each has at most `EACH` blocks before its last;
/// those take `REGISTERS` registers.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,aes,vaes")]
fn short<const ROUNDS: usize, const EACH: usize, const REGISTERS: usize>(
    key: &Key,
    messages: &[&[u8]; LANES],
) -> [__m512i; 4] {
    let table = match EACH {
        1 => four(&key.table[0]),
        2 => _mm512_broadcast_i64x4(load2(key.table.first_chunk().expect("a table of 32"))),
        _ => load4(key.table.first_chunk().expect("a table of 32")),
    };
    let mut counted = [0; REGISTERS];
    let mut states: [__m512i; REGISTERS] = core::array::from_fn(|i| {
        let message = |lane| messages[i * WIDTH / EACH + lane];
        // Two 64-bit words a block.
        let mask = |lane| ((1u32 << (2 * before_last(message(lane)))) - 1) as u8;
        match EACH {
            1 => {
                let masks = [0, 1, 2, 3].map(mask);
                counted[i] = masks[0] | masks[1] << 2 | masks[2] << 4 | masks[3] << 6;
                let block = |lane: usize| {
                    // SAFETY: only the message's whole blocks are read.
                    unsafe { _mm_maskz_loadu_epi64(masks[lane], message(lane).as_ptr().cast()) }
                };
                lanes(block(0), block(1), block(2), block(3))
            }
            2 => {
                let masks = [0, 1].map(mask);
                counted[i] = masks[0] | masks[1] << 4;
                let blocks = |lane: usize| {
                    // SAFETY: only the message's whole blocks are read.
                    unsafe { _mm256_maskz_loadu_epi64(masks[lane], message(lane).as_ptr().cast()) }
                };
                _mm512_inserti64x4::<1>(_mm512_castsi256_si512(blocks(0)), blocks(1))
            }
            _ => {
                counted[i] = mask(0);
                // SAFETY: only the message's whole blocks are read.
                unsafe { _mm512_maskz_loadu_epi64(counted[i], message(0).as_ptr().cast()) }
            }
        }
    });
    states = states.map(|state| _mm512_xor_si512(state, table));
    states = encrypt::<ROUNDS, REGISTERS>(key, states);
    let states: [__m512i; REGISTERS] =
        core::array::from_fn(|i| _mm512_maskz_mov_epi64(counted[i], states[i]));
    let lasts = lasts(key, messages);
    core::array::from_fn(|g| {
        let sums = match EACH {
            1 => states[g],
            2 => both(states[2 * g], states[2 * g + 1]),
            _ => {
                let (a, b) = (states[4 * g], states[4 * g + 1]);
                let (c, d) = (states[4 * g + 2], states[4 * g + 3]);
                both(both(a, b), both(c, d))
            }
        };
        _mm512_xor_si512(sums, lasts[g])
    })
}

/// The sum of each pair of neighbouring blocks, those of the first register first.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,aes,vaes")]
fn both(a: __m512i, b: __m512i) -> __m512i {
    let even = _mm512_shuffle_i64x2::<0x88>(a, b);
    _mm512_xor_si512(even, _mm512_shuffle_i64x2::<0xdd>(a, b))
}

/// The padded last blocks of sixteen messages.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,aes,vaes")]
fn lasts(key: &Key, messages: &[&[u8]; LANES]) -> [__m512i; 4] {
    let (groups, _) = messages.as_chunks::<4>();
    core::array::from_fn(|g| {
        let [a, b, c, d] = groups[g].map(|message| {
            let (_, end) = not_last::<16>(message);
            last(key, end)
        });
        lanes(a, b, c, d)
    })
}

/// What is encrypted to the tag.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,aes,vaes")]
fn before_last_call<const ROUNDS: usize>(key: &Key, message: &[u8]) -> __m128i {
    let (blocks, end) = not_last(message);
    let sum = blocks_from::<ROUNDS>(key, _mm512_setzero_si512(), 1, blocks);
    _mm_xor_si128(sum, last(key, end))
}

/// A last block of 0 to 16 bytes, padded.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,aes,vaes")]
fn last(key: &Key, end: &[u8]) -> __m128i {
    let mask = ((1u32 << end.len()) - 1) as u16;
    // SAFETY: only the bytes of `end`, at most 16, are read.
    let bytes = unsafe { _mm_maskz_loadu_epi8(mask, end.as_ptr().cast()) };
    _mm_xor_si128(bytes, load(&key.ends[end.len()]))
}

/// How many blocks a message has before its last.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,aes,vaes")]
fn before_last(message: &[u8]) -> usize {
    message.len().saturating_sub(1) / 16
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,aes,vaes")]
fn blocks_from<const ROUNDS: usize>(
    key: &Key,
    mut base: __m512i,
    mut first: u64,
    mut blocks: &[Block],
) -> __m128i {
    let mut sum = _mm512_setzero_si512();
    let place = (first - 1) as usize % GROUP;
    if place != 0 {
        let (group, after) = blocks.split_at((GROUP - place).min(blocks.len()));
        let table = key.whole_table(first);
        sum = few::<ROUNDS>(key, base, &table[place..], group, sum);
        base = _mm512_xor_si512(base, four(&key.steps[Key::zeroes(first)]));
        first += group.len() as u64;
        blocks = after;
    }
    let (groups, rest) = blocks.as_chunks::<GROUP>();
    if !groups.is_empty() {
        (sum, base) = whole_groups::<ROUNDS>(key, base, first, groups, sum);
    }
    if !rest.is_empty() {
        sum = few::<ROUNDS>(key, base, &key.table, rest, sum);
    }
    let half = _mm256_xor_si256(_mm512_castsi512_si256(sum), _mm512_extracti64x4_epi64::<1>(sum));
    _mm_xor_si128(_mm256_castsi256_si128(half), _mm256_extracti128_si256::<1>(half))
}

/// Adds whole groups to the sum; gives it and the base of the group after them.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,aes,vaes")]
fn whole_groups<const ROUNDS: usize>(
    key: &Key,
    mut base: __m512i,
    mut first: u64,
    groups: &[[Block; GROUP]],
    mut sum: __m512i,
) -> (__m512i, __m512i) {
    let (tables, _) = key.table.as_chunks();
    let tables: [__m512i; GROUP / WIDTH] = core::array::from_fn(|i| load4(&tables[i]));
    for group in groups {
        let zeroes = Key::zeroes(first);
        let (parts, _) = group.as_chunks();
        let mut states: [__m512i; GROUP / WIDTH] = core::array::from_fn(|i| {
            let table = if i < GROUP / WIDTH - 1 {
                tables[i]
            } else {
                _mm512_mask_broadcast_i32x4(tables[i], 0xf000, load(&key.lasts[zeroes]))
            };
            xor3(load4(&parts[i]), base, table)
        });
        states = encrypt::<ROUNDS, { GROUP / WIDTH }>(key, states);
        for pair in states.as_chunks::<2>().0 {
            sum = xor3(sum, pair[0], pair[1]);
        }
        base = _mm512_xor_si512(base, four(&key.steps[zeroes]));
        first += GROUP as u64;
    }
    (sum, base)
}

/// Adds a part of a group, at least a block of it, to the sum; `table` begins with its first block.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,aes,vaes")]
fn few<const ROUNDS: usize>(
    key: &Key,
    base: __m512i,
    table: &[Block],
    blocks: &[Block],
    sum: __m512i,
) -> __m512i {
    match blocks.len().div_ceil(WIDTH) {
        0 => sum,
        1 => registers::<ROUNDS, 1>(key, base, table, blocks, sum),
        2 => registers::<ROUNDS, 2>(key, base, table, blocks, sum),
        3 => registers::<ROUNDS, 3>(key, base, table, blocks, sum),
        4 => registers::<ROUNDS, 4>(key, base, table, blocks, sum),
        5 => registers::<ROUNDS, 5>(key, base, table, blocks, sum),
        6 => registers::<ROUNDS, 6>(key, base, table, blocks, sum),
        7 => registers::<ROUNDS, 7>(key, base, table, blocks, sum),
        _ => registers::<ROUNDS, 8>(key, base, table, blocks, sum),
    }
}

/// [`few`] of blocks that fill `L` registers, the last one perhaps in part.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,aes,vaes")]
fn registers<const ROUNDS: usize, const L: usize>(
    key: &Key,
    base: __m512i,
    table: &[Block],
    blocks: &[Block],
    mut sum: __m512i,
) -> __m512i {
    assert!(blocks.len().div_ceil(WIDTH) == L && table.len() >= blocks.len());
    // Two 64-bit words a block.
    let mask = 0xff >> (8 * L - 2 * blocks.len());
    let part = |blocks: &[Block], i: usize| {
        let place = blocks.as_ptr().wrapping_add(WIDTH * i);
        if i < L - 1 {
            // SAFETY: there are more than 4 i + 4 blocks, as was asserted.
            unsafe { _mm512_loadu_si512(place.cast()) }
        } else {
            // SAFETY: as many words are read as there are from block 4 i on, as was asserted.
            unsafe { _mm512_maskz_loadu_epi64(mask, place.cast()) }
        }
    };
    let states = core::array::from_fn(|i| xor3(part(blocks, i), base, part(table, i)));
    let mut states: [__m512i; L] = encrypt::<ROUNDS, L>(key, states);
    states[L - 1] = _mm512_maskz_mov_epi64(mask, states[L - 1]);
    let (pairs, single) = states.as_chunks::<2>();
    for pair in pairs {
        sum = xor3(sum, pair[0], pair[1]);
    }
    single.iter().fold(sum, |sum, state| _mm512_xor_si512(sum, *state))
}

/// AES of blocks that have the first round key added.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,aes,vaes")]
fn encrypt<const ROUNDS: usize, const L: usize>(
    key: &Key,
    mut states: [__m512i; L],
) -> [__m512i; L] {
    for round in &key.rounds[1..ROUNDS] {
        let round = four(round);
        states = states.map(|state| _mm512_aesenc_epi128(state, round));
    }
    let last = four(&key.rounds[ROUNDS]);
    states.map(|state| _mm512_aesenclast_epi128(state, last))
}

#[inline]
#[target_feature(enable = "avx512f")]
fn xor3(a: __m512i, b: __m512i, c: __m512i) -> __m512i {
    _mm512_ternarylogic_epi64::<0x96>(a, b, c)
}

#[inline]
#[target_feature(enable = "avx512f,avx512vl")]
fn lanes(a: __m128i, b: __m128i, c: __m128i, d: __m128i) -> __m512i {
    let low = _mm256_inserti128_si256::<1>(_mm256_castsi128_si256(a), b);
    let high = _mm256_inserti128_si256::<1>(_mm256_castsi128_si256(c), d);
    _mm512_inserti64x4::<1>(_mm512_castsi256_si512(low), high)
}

/// A block in each lane.
#[inline]
#[target_feature(enable = "avx512f")]
fn four(block: &Block) -> __m512i {
    _mm512_broadcast_i32x4(load(block))
}

#[inline]
#[target_feature(enable = "avx512f")]
fn load(block: &Block) -> __m128i {
    // SAFETY: 16 bytes are read from 16 bytes; no alignment is asked for.
    unsafe { _mm_loadu_si128(block.as_ptr().cast()) }
}

#[inline]
#[target_feature(enable = "avx512f,avx512vl")]
fn load2(blocks: &[Block; 2]) -> __m256i {
    // SAFETY: 32 bytes are read from 32 bytes; no alignment is asked for.
    unsafe { _mm256_loadu_si256(blocks.as_ptr().cast()) }
}

#[inline]
#[target_feature(enable = "avx512f")]
fn load4(blocks: &[Block; WIDTH]) -> __m512i {
    // SAFETY: 64 bytes are read from 64 bytes; no alignment is asked for.
    unsafe { _mm512_loadu_si512(blocks.as_ptr().cast()) }
}

#[inline]
#[target_feature(enable = "avx512f")]
fn store(block: &mut Block, register: __m128i) {
    // SAFETY: 16 bytes are written to 16 bytes; no alignment is asked for.
    unsafe { _mm_storeu_si128(block.as_mut_ptr().cast(), register) }
}
