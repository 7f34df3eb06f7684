//! NH (RFC 4418, section 5.2.2) in 256-bit registers: the x of a unit in one and its y in another, twice each, for two
//! streams side by side.
//!
//! ```text
//! load     x0 x1 x2 x3 | x0 x1 x2 x3   and   y0 y1 y2 y3 | y0 y1 y2 y3
//! then for each two streams: add their keys, which are neighbours in the key, multiply the even words, multiply the
//! odd words, add both to the sums of the two streams
//! ```
//!
//! One stream alone has a unit in a register instead (departure 3 in l1_nh.rs).

use super::{CHUNK, InTwo, Key, UNIT};
use crate::ends::{short_number, slide};
use crate::simd::{load128, load256};
use core::arch::x86_64::*;

/// The sums of level 1: streams 0 and 1 in the lanes of the first register, streams 2 and 3 in those of the second. A
/// stream's sum is spread over its lane. Of one stream, both lanes have the same sum. Of three, there is a fourth.
pub(crate) type Sums = [__m256i; 2];

/// How many registers the sums of streams fill.
const fn registers_of(streams: usize) -> usize {
    streams.div_ceil(2)
}

/// NH of a whole chunk. `meanwhile` is called for each cache line, with its number, before level 1 comes to it.
#[inline]
#[target_feature(enable = "avx2")]
pub(crate) fn whole_lanes<const STREAMS: usize>(
    key: &Key,
    (head, rest): InTwo<'_>,
    meanwhile: impl Fn(usize),
) -> Sums {
    let mut sums = [_mm256_setzero_si256(); 2];
    meanwhile(0);
    add_line::<STREAMS>(&mut sums, key, 0, head);
    for (i, line) in rest.as_chunks().0.iter().enumerate() {
        meanwhile(1 + i);
        add_line::<STREAMS>(&mut sums, key, 1 + i, line);
    }
    both_lanes::<STREAMS>(sums)
}

/// NH of at most a chunk: the `head`, if there is one, and the bytes after it, at least one. `CALLER` is as in packet/flow.rs.
#[inline]
#[target_feature(enable = "avx2")]
pub(crate) fn lanes<const STREAMS: usize, const CALLER: u8>(
    key: &Key,
    head: Option<&[u8; 2 * UNIT]>,
    message: &[u8],
) -> Sums {
    let before = 2 * usize::from(head.is_some());
    assert!(message.len() <= CHUNK - UNIT * before);
    let mut sums = [_mm256_setzero_si256(); 2];
    if let Some(head) = head {
        add_line::<STREAMS>(&mut sums, key, 0, head);
    }
    let (rounds, few_units) = message.as_chunks::<{ 4 * UNIT }>();
    for (i, units) in rounds.iter().enumerate() {
        for (j, unit) in units.as_chunks().0.iter().enumerate() {
            add_whole::<STREAMS>(&mut sums, key, before + 4 * i + j, unit);
        }
    }
    let (units, rest) = few_units.as_chunks();
    for (j, unit) in units.iter().enumerate() {
        add_whole::<STREAMS>(&mut sums, key, before + 4 * rounds.len() + j, unit);
    }
    if !rest.is_empty() || message.is_empty() {
        let i = message.len() / UNIT;
        let (x, y) = match message.last_chunk() {
            Some(last) => (block(message, UNIT * i), slid(last, UNIT - rest.len())),
            None => (few_bytes(message), _mm256_setzero_si256()),
        };
        if STREAMS == 1 {
            add_of_one(&mut sums, key, before + i, _mm256_blend_epi32::<0xf0>(x, y));
        } else {
            add_unit::<STREAMS>(&mut sums, key, before + i, x, y);
        }
    }
    both_lanes::<STREAMS>(sums)
}

/// As [`lanes`], for at most 64 bytes.
#[inline]
#[target_feature(enable = "avx2")]
pub(crate) fn short_lanes<const STREAMS: usize, const CALLER: u8>(
    key: &Key,
    message: &[u8],
) -> Sums {
    let mut sums = [_mm256_setzero_si256(); 2];
    let mut add = |i, x, y| add_unit::<STREAMS>(&mut sums, key, i, x, y);
    // Each arm has its keys at fixed places, and its own additions. The order is that of halves.rs.
    if message.len() < 16 {
        add(0, few_bytes(message), _mm256_setzero_si256());
    } else if message.len() <= UNIT {
        add(0, block(message, 0), block(message, 16));
    } else {
        add(0, block(message, 0), block(message, 16));
        add(1, block(message, UNIT), block(message, UNIT + 16));
    }
    sums
}

/// Adds the products of two units, line `i`.
#[inline]
#[target_feature(enable = "avx2")]
fn add_line<const STREAMS: usize>(sums: &mut Sums, key: &Key, i: usize, line: &[u8; 2 * UNIT]) {
    for (j, unit) in line.as_chunks().0.iter().enumerate() {
        add_whole::<STREAMS>(sums, key, 2 * i + j, unit);
    }
}

/// Adds the products of unit `i`.
#[inline]
#[target_feature(enable = "avx2")]
fn add_whole<const STREAMS: usize>(sums: &mut Sums, key: &Key, i: usize, unit: &[u8; UNIT]) {
    if STREAMS == 1 {
        add_of_one(sums, key, i, load256(unit));
    } else {
        add_unit::<STREAMS>(sums, key, i, twice(unit, 0), twice(unit, 1));
    }
}

/// Adds the products of unit `i`, whose x and y are in both lanes.
#[inline]
#[target_feature(enable = "avx2")]
fn add_unit<const STREAMS: usize>(sums: &mut Sums, key: &Key, i: usize, x: __m256i, y: __m256i) {
    for (p, sum) in sums[..registers_of(STREAMS)].iter_mut().enumerate() {
        let a = _mm256_add_epi32(x, load256(key.two_of_x(i, p)));
        let b = _mm256_add_epi32(y, load256(key.two_of_y(i, p)));
        // Of two kinds, which different ports execute.
        let (odd_a, odd_b) = (_mm256_srli_epi64::<32>(a), _mm256_shuffle_epi32::<0xf5>(b));
        let (even, odd) = (_mm256_mul_epu32(a, b), _mm256_mul_epu32(odd_a, odd_b));
        *sum = _mm256_add_epi64(_mm256_add_epi64(*sum, even), odd);
    }
}

/// Adds the products of unit `i` and one stream.
#[inline]
#[target_feature(enable = "avx2")]
fn add_of_one([sum, _]: &mut Sums, key: &Key, i: usize, unit: __m256i) {
    let pairs = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
    let words = _mm256_permutevar8x32_epi32(unit, pairs);
    let words = _mm256_add_epi32(words, load256(key.pairs::<8>(0, i)));
    let products = _mm256_mul_epu32(words, _mm256_srli_epi64::<32>(words));
    *sum = _mm256_add_epi64(*sum, products);
}

/// Of one stream, which has a unit in a register, the sum of both lanes in both.
#[inline]
#[target_feature(enable = "avx2")]
fn both_lanes<const STREAMS: usize>([a, b]: Sums) -> Sums {
    if STREAMS == 1 {
        [_mm256_add_epi64(a, _mm256_permute2x128_si256::<1>(a, a)), b]
    } else {
        [a, b]
    }
}

/// Half `half` of a unit, in both lanes.
#[inline]
#[target_feature(enable = "avx2")]
fn twice(unit: &[u8; UNIT], half: usize) -> __m256i {
    broadcast(&unit.as_chunks().0[half])
}

/// The 16 bytes of a message from byte `at` on, in both lanes; behind the end of the message are zeroes. The message has
/// at least 16 bytes, and fewer than 64 are missing.
#[inline]
#[target_feature(enable = "avx2")]
fn block(message: &[u8], at: usize) -> __m256i {
    let from = at.min(message.len() - 16);
    slid(message[from..].first_chunk().expect("16 bytes or more"), at - from)
}

/// A block moved down by `by` bytes, zeroes behind it, in both lanes.
#[inline]
#[target_feature(enable = "avx2")]
fn slid(block: &[u8; 16], by: usize) -> __m256i {
    _mm256_shuffle_epi8(broadcast(block), broadcast(slide(by)))
}

/// A block in both lanes.
#[inline]
#[target_feature(enable = "avx2")]
fn broadcast(block: &[u8; 16]) -> __m256i {
    _mm256_broadcastsi128_si256(load128(block))
}

/// A message of at most 15 bytes, in both lanes.
#[inline]
#[target_feature(enable = "avx2")]
fn few_bytes(message: &[u8]) -> __m256i {
    let bytes = short_number(message);
    _mm256_broadcastsi128_si256(_mm_set_epi64x((bytes >> 64) as i64, bytes as i64))
}
