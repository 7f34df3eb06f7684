//! The block sum with VAES in 256-bit registers: sixteen blocks in eight of them.
#![allow(unsafe_code)]

use super::{GROUP, Kernels, Key, LANES, number};
use crate::buffer::not_last;
use crate::cipher::Block;
use core::arch::x86_64::*;

/// Registers side by side: enough to hide the latency of a round.
const WIDTH: usize = 8;

pub(super) const fn kernels<const ROUNDS: usize>() -> Kernels {
    Kernels { sum: sum::<ROUNDS>, tag: tag::<ROUNDS>, tags: tags::<ROUNDS> }
}

#[target_feature(enable = "avx2,aes,vaes")]
fn sum<const ROUNDS: usize>(
    key: &Key,
    base: &Block,
    first: u64,
    blocks: &[Block],
    sum: &mut Block,
) {
    let total = blocks_from::<ROUNDS>(key, two(base), first, blocks);
    store(sum, _mm_xor_si128(load(sum), total));
}

#[target_feature(enable = "avx2,aes,vaes")]
fn tag<const ROUNDS: usize>(key: &Key, message: &[u8], tag: &mut Block) {
    let mut state = before_last_call::<ROUNDS>(key, message);
    for round in &key.rounds[1..ROUNDS] {
        state = _mm_aesenc_si128(state, load(&round[0]));
    }
    state = _mm_aesenclast_si128(state, load(&key.rounds[ROUNDS][0]));
    store(tag, _mm_and_si128(state, load(&key.mask)));
}

#[target_feature(enable = "avx2,aes,vaes")]
fn tags<const ROUNDS: usize>(key: &Key, messages: &[&[u8]; LANES], tags: &mut [Block; LANES]) {
    let (pairs, _) = messages.as_chunks::<2>();
    let sums = core::array::from_fn(|i| {
        let [a, b] = pairs[i].map(|message| before_last_call::<ROUNDS>(key, message));
        _mm256_set_m128i(b, a)
    });
    let states = encrypt::<ROUNDS, { LANES / 2 }>(key, sums);
    let mask = two(&key.mask);
    for (tags, state) in tags.as_chunks_mut::<2>().0.iter_mut().zip(states) {
        // SAFETY: 32 bytes are written to 32 bytes; no alignment is asked for.
        unsafe { _mm256_storeu_si256(tags.as_mut_ptr().cast(), _mm256_and_si256(state, mask)) };
    }
}

/// What is encrypted to the tag, but xor the first round key.
#[inline]
#[target_feature(enable = "avx2,aes,vaes")]
fn before_last_call<const ROUNDS: usize>(key: &Key, message: &[u8]) -> __m128i {
    let (blocks, last) = not_last(message);
    let sum = blocks_from::<ROUNDS>(key, _mm256_setzero_si256(), 1, blocks);
    let end = number(last);
    let end = _mm_set_epi64x((end >> 64) as i64, end as i64);
    let end = _mm_xor_si128(end, load(&key.ends[last.len()]));
    _mm_xor_si128(_mm_xor_si128(sum, end), load(&key.rounds[0][0]))
}

#[inline]
#[target_feature(enable = "avx2,aes,vaes")]
fn blocks_from<const ROUNDS: usize>(
    key: &Key,
    mut base: __m256i,
    mut first: u64,
    mut blocks: &[Block],
) -> __m128i {
    let mut sum = _mm256_setzero_si256();
    let place = (first - 1) as usize % GROUP;
    if place != 0 {
        let (group, after) = blocks.split_at((GROUP - place).min(blocks.len()));
        let table = key.whole_table(first);
        sum = few::<ROUNDS>(key, base, &table[place..], group);
        base = _mm256_xor_si256(base, two(&key.steps[Key::zeroes(first)]));
        first += group.len() as u64;
        blocks = after;
    }
    let (groups, rest) = blocks.as_chunks::<GROUP>();
    let (tables, _) = key.table.as_chunks::<2>();
    let (tables, _) = tables.as_chunks::<WIDTH>();
    for group in groups {
        let zeroes = Key::zeroes(first);
        let (parts, _) = group.as_chunks::<2>();
        let (parts, _) = parts.as_chunks::<WIDTH>();
        let mut table = tables[0].each_ref().map(|pair| load2(pair));
        sum = _mm256_xor_si256(sum, part::<ROUNDS, WIDTH>(key, base, table, &parts[0]));
        table = tables[1].each_ref().map(|pair| load2(pair));
        table[WIDTH - 1] = _mm256_inserti128_si256::<1>(table[WIDTH - 1], load(&key.lasts[zeroes]));
        sum = _mm256_xor_si256(sum, part::<ROUNDS, WIDTH>(key, base, table, &parts[1]));
        base = _mm256_xor_si256(base, two(&key.steps[zeroes]));
        first += GROUP as u64;
    }
    if !rest.is_empty() {
        sum = _mm256_xor_si256(sum, few::<ROUNDS>(key, base, &key.table, rest));
    }
    _mm_xor_si128(_mm256_castsi256_si128(sum), _mm256_extracti128_si256::<1>(sum))
}

/// The sum of a part of a group; `table` begins with its first block.
#[inline]
#[target_feature(enable = "avx2,aes,vaes")]
fn few<const ROUNDS: usize>(
    key: &Key,
    base: __m256i,
    table: &[Block],
    blocks: &[Block],
) -> __m256i {
    let (pairs, single) = blocks.as_chunks::<2>();
    let (tables, _) = table.as_chunks::<2>();
    let mut sum = _mm256_setzero_si256();
    let (parts, rest) = pairs.as_chunks::<WIDTH>();
    let (whole, _) = tables.as_chunks::<WIDTH>();
    for (pairs, table) in parts.iter().zip(whole) {
        let table = table.each_ref().map(|pair| load2(pair));
        sum = _mm256_xor_si256(sum, part::<ROUNDS, WIDTH>(key, base, table, pairs));
    }
    let tables = &tables[WIDTH * parts.len()..];
    let pairs = match rest.len() {
        0 => _mm256_setzero_si256(),
        1 => first_of::<ROUNDS, 1>(key, base, tables, rest),
        2 => first_of::<ROUNDS, 2>(key, base, tables, rest),
        3 => first_of::<ROUNDS, 3>(key, base, tables, rest),
        4 => first_of::<ROUNDS, 4>(key, base, tables, rest),
        5 => first_of::<ROUNDS, 5>(key, base, tables, rest),
        6 => first_of::<ROUNDS, 6>(key, base, tables, rest),
        _ => first_of::<ROUNDS, 7>(key, base, tables, rest),
    };
    sum = _mm256_xor_si256(sum, pairs);
    if let [block] = single {
        let masked = _mm_xor_si128(load(block), load(&table[blocks.len() - 1]));
        let mut state = _mm_xor_si128(masked, _mm256_castsi256_si128(base));
        for round in &key.rounds[1..ROUNDS] {
            state = _mm_aesenc_si128(state, load(&round[0]));
        }
        state = _mm_aesenclast_si128(state, load(&key.rounds[ROUNDS][0]));
        sum = _mm256_xor_si256(sum, _mm256_zextsi128_si256(state));
    }
    sum
}

#[inline]
#[target_feature(enable = "avx2,aes,vaes")]
fn first_of<const ROUNDS: usize, const L: usize>(
    key: &Key,
    base: __m256i,
    table: &[[Block; 2]],
    pairs: &[[Block; 2]],
) -> __m256i {
    match (table.first_chunk::<L>(), pairs.first_chunk::<L>()) {
        (Some(table), Some(pairs)) => {
            part::<ROUNDS, L>(key, base, table.each_ref().map(|pair| load2(pair)), pairs)
        }
        _ => unreachable!("as many blocks as the caller counted"),
    }
}

#[inline]
#[target_feature(enable = "avx2,aes,vaes")]
fn part<const ROUNDS: usize, const L: usize>(
    key: &Key,
    base: __m256i,
    table: [__m256i; L],
    pairs: &[[Block; 2]; L],
) -> __m256i {
    let mut states = table;
    for (state, pair) in states.iter_mut().zip(pairs) {
        *state = _mm256_xor_si256(_mm256_xor_si256(*state, base), load2(pair));
    }
    let zero = _mm256_setzero_si256();
    let states = encrypt::<ROUNDS, L>(key, states);
    states.into_iter().fold(zero, |sum, state| _mm256_xor_si256(sum, state))
}

/// AES of blocks that have the first round key added.
#[inline]
#[target_feature(enable = "avx2,aes,vaes")]
fn encrypt<const ROUNDS: usize, const L: usize>(
    key: &Key,
    mut states: [__m256i; L],
) -> [__m256i; L] {
    for round in &key.rounds[1..ROUNDS] {
        let round = pair(round);
        states = states.map(|state| _mm256_aesenc_epi128(state, round));
    }
    let last = pair(&key.rounds[ROUNDS]);
    states.map(|state| _mm256_aesenclast_epi128(state, last))
}

/// A round key in both lanes.
#[inline]
#[target_feature(enable = "avx2")]
fn pair(round: &[Block; 4]) -> __m256i {
    load2(round.first_chunk().expect("four of it"))
}

/// A block in both lanes.
#[inline]
#[target_feature(enable = "avx2")]
fn two(block: &Block) -> __m256i {
    _mm256_broadcastsi128_si256(load(block))
}

#[inline]
#[target_feature(enable = "avx2")]
fn load(block: &Block) -> __m128i {
    // SAFETY: 16 bytes are read from 16 bytes; no alignment is asked for.
    unsafe { _mm_loadu_si128(block.as_ptr().cast()) }
}

#[inline]
#[target_feature(enable = "avx2")]
fn load2(blocks: &[Block; 2]) -> __m256i {
    // SAFETY: 32 bytes are read from 32 bytes; no alignment is asked for.
    unsafe { _mm256_loadu_si256(blocks.as_ptr().cast()) }
}

#[inline]
#[target_feature(enable = "avx2")]
fn store(block: &mut Block, register: __m128i) {
    // SAFETY: 16 bytes are written to 16 bytes; no alignment is asked for.
    unsafe { _mm_storeu_si128(block.as_mut_ptr().cast(), register) }
}
