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

use super::{CHUNK, Key, UNIT, padded};
use crate::ends::{few, slide};
use crate::simd::{load128, load256};
use core::arch::x86_64::*;

/// The sums of level 1: streams 0 and 1 in the lanes of the first register, streams 2 and 3 in those of the second. A
/// stream's sum is spread over its lane. Of one stream, both lanes have the same sum. Of three, there is a fourth.
pub(crate) type Sums = [__m256i; 2];

/// How many registers the sums of streams fill.
const fn pairs(streams: usize) -> usize {
    streams.div_ceil(2)
}

/// NH of a whole chunk. `meanwhile` is called for each cache line, with its number, before level 1 comes to it.
#[inline]
#[target_feature(enable = "avx2")]
pub(crate) fn whole_lanes<const STREAMS: usize>(
    key: &Key,
    chunk: &[u8; CHUNK],
    meanwhile: impl Fn(usize),
) -> Sums {
    if STREAMS == 1 {
        (0..CHUNK / (2 * UNIT)).for_each(meanwhile);
        return of_one(key, chunk);
    }
    let mut sums = [_mm256_setzero_si256(); 2];
    for (i, units) in chunk.as_chunks::<{ 4 * UNIT }>().0.iter().enumerate() {
        meanwhile(2 * i);
        meanwhile(2 * i + 1);
        for (j, unit) in units.as_chunks().0.iter().enumerate() {
            add_unit::<STREAMS>(&mut sums, key, 4 * i + j, twice(unit, 0), twice(unit, 1));
        }
    }
    sums
}

/// NH of at most a chunk. `CALLER` is as in packet/flow.rs.
#[inline]
#[target_feature(enable = "avx2")]
pub(crate) fn lanes<const STREAMS: usize, const CALLER: u8>(key: &Key, message: &[u8]) -> Sums {
    assert!(message.len() <= CHUNK);
    if STREAMS == 1 {
        return of_one(key, message);
    }
    let mut sums = [_mm256_setzero_si256(); 2];
    let (rounds, few_units) = message.as_chunks::<{ 4 * UNIT }>();
    for (i, units) in rounds.iter().enumerate() {
        for (j, unit) in units.as_chunks().0.iter().enumerate() {
            add_unit::<STREAMS>(&mut sums, key, 4 * i + j, twice(unit, 0), twice(unit, 1));
        }
    }
    let (units, rest) = few_units.as_chunks::<UNIT>();
    for (j, unit) in units.iter().enumerate() {
        let i = 4 * rounds.len() + j;
        add_unit::<STREAMS>(&mut sums, key, i, twice(unit, 0), twice(unit, 1));
    }
    if !rest.is_empty() || message.is_empty() {
        let i = message.len() / UNIT;
        let (x, y) = match message.last_chunk() {
            Some(last) => (block(message, UNIT * i), slid(last, UNIT - rest.len())),
            None => (few_bytes(message), _mm256_setzero_si256()),
        };
        add_unit::<STREAMS>(&mut sums, key, i, x, y);
    }
    sums
}

/// As [`lanes`], for at most 64 bytes.
#[inline]
#[target_feature(enable = "avx2")]
pub(crate) fn short_lanes<const STREAMS: usize, const CALLER: u8>(
    key: &Key,
    message: &[u8],
) -> Sums {
    let mut sums = [_mm256_setzero_si256(); 2];
    let (mut i, x, y);
    if let Some(last) = message.last_chunk() {
        i = 0;
        let length = message.len();
        if let Some((unit, rest)) = message.split_first_chunk::<UNIT>()
            && !rest.is_empty()
        {
            add_unit::<STREAMS>(&mut sums, key, 0, twice(unit, 0), twice(unit, 1));
            i = 1;
            (x, y) = (block(message, UNIT), slid(last, 2 * UNIT - length));
        } else {
            let first = message.first_chunk().expect("16 bytes or more");
            (x, y) = (broadcast(first), slid(last, UNIT - length));
        }
    } else {
        (i, x, y) = (0, few_bytes(message), _mm256_setzero_si256());
    }
    add_unit::<STREAMS>(&mut sums, key, i, x, y);
    sums
}

/// Adds the products of unit `i`, whose x and y are in both lanes.
#[inline]
#[target_feature(enable = "avx2")]
fn add_unit<const STREAMS: usize>(sums: &mut Sums, key: &Key, i: usize, x: __m256i, y: __m256i) {
    for (p, sum) in sums[..pairs(STREAMS)].iter_mut().enumerate() {
        let a = _mm256_add_epi32(x, load256(key.two_of_x(i, p)));
        let b = _mm256_add_epi32(y, load256(key.two_of_y(i, p)));
        // Of two kinds, which different ports execute.
        let (odd_a, odd_b) = (_mm256_srli_epi64::<32>(a), _mm256_shuffle_epi32::<0xf5>(b));
        let (even, odd) = (_mm256_mul_epu32(a, b), _mm256_mul_epu32(odd_a, odd_b));
        *sum = _mm256_add_epi64(_mm256_add_epi64(*sum, even), odd);
    }
}

/// NH of one stream and at most a chunk.
#[inline]
#[target_feature(enable = "avx2")]
fn of_one(key: &Key, message: &[u8]) -> Sums {
    let mut sums = _mm256_setzero_si256();
    let (units, rest) = message.as_chunks();
    for (i, unit) in units.iter().enumerate() {
        sums = _mm256_add_epi64(sums, products_of_one(key, i, unit));
    }
    if !rest.is_empty() || message.is_empty() {
        let last = products_of_one(key, units.len(), &padded(rest));
        sums = _mm256_add_epi64(sums, last);
    }
    let other_lane = _mm256_permute2x128_si256::<1>(sums, sums);
    [_mm256_add_epi64(sums, other_lane), _mm256_setzero_si256()]
}

#[inline]
#[target_feature(enable = "avx2")]
fn products_of_one(key: &Key, i: usize, unit: &[u8; UNIT]) -> __m256i {
    let pairs = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
    let sum = _mm256_permutevar8x32_epi32(load256(unit), pairs);
    let sum = _mm256_add_epi32(sum, load256(key.pairs::<8>(0, i)));
    let upper = _mm256_srli_epi64::<32>(sum);
    _mm256_mul_epu32(sum, upper)
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
    let bytes = few(message);
    _mm256_broadcastsi128_si256(_mm_set_epi64x((bytes >> 64) as i64, bytes as i64))
}
