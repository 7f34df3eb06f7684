//! NH (RFC 4418, section 5.2.2) in 128-bit registers. The loops of the rows `sse`, `neon` and `simd128`, and of the packets
//! in such registers.
//!
//! ```text
//! load     x0 x1 x2 x3   in one   and   y0 y1 y2 y3   in another
//! then for each stream: add the keys, multiply the even words, multiply the odd words, add both to the stream's sums
//! ```
//!
//! The keys of stream `t` start `t` registers later. So the key of a stream's y is the key of the next stream's x, and
//! nothing is ever shuffled.

#[cfg(not(target_arch = "wasm32"))]
use super::CHUNK;
#[cfg(target_arch = "aarch64")]
use super::neon::{Register, Sums, add_unit, load, pairs, register, slid, words_of};
#[cfg(target_arch = "wasm32")]
use super::simd128::{Sums, add_unit, load, pairs, register, words_of};
#[cfg(target_arch = "x86_64")]
use super::sse::{Register, Sums, add_unit, load, register, slid};
use super::{Four, Key, UNIT, UnitKey};
#[cfg(not(target_arch = "wasm32"))]
use crate::ends::block;
use crate::ends::short_number;
use crate::umac::MAX_STREAMS;
use core::hint::black_box;

/// NH of a whole chunk. `meanwhile` is called for each cache line, with its number, before level 1 comes to it.
#[cfg(not(target_arch = "wasm32"))] // which has no packets
#[inline]
#[cfg_attr(target_arch = "x86_64", target_feature(enable = "sse2,ssse3"))]
#[cfg_attr(target_arch = "aarch64", target_feature(enable = "neon"))]
pub(crate) fn whole_lanes<const STREAMS: usize>(
    key: &Key,
    chunk: &[u8; CHUNK],
    meanwhile: impl Fn(usize),
) -> Sums<STREAMS> {
    add_units(key, None, chunk.as_chunks().0, meanwhile)
}

/// NH of at most a chunk: the `head`, if there is one, and the bytes after it, at least one. Each caller has a `meanwhile`, and
/// so an instance, of its own (packet/flow.rs says why).
#[cfg(not(target_arch = "wasm32"))]
#[inline]
#[cfg_attr(target_arch = "x86_64", target_feature(enable = "sse2,ssse3"))]
#[cfg_attr(target_arch = "aarch64", target_feature(enable = "neon"))]
pub(crate) fn lanes<const STREAMS: usize>(
    key: &Key,
    head: Option<&[u8; 2 * UNIT]>,
    message: &[u8],
    meanwhile: impl Fn(usize),
) -> Sums<STREAMS> {
    let before = head.map_or(0, |head| head.len());
    let (units, rest) = message.as_chunks();
    let mut sums = add_units(key, head, units, meanwhile);
    if !rest.is_empty() {
        let from = UNIT * units.len();
        let (x, y) = if message.len() < 16 {
            (register(short_number(message)), register(0))
        } else {
            (half(message, from), half(message, from + 16))
        };
        add_unit::<STREAMS>(&mut sums, 0, key.unit(before / UNIT + units.len()), x, y);
    }
    sums
}

/// NH of at most 64 bytes.
#[cfg(not(target_arch = "wasm32"))]
#[inline]
#[cfg_attr(target_arch = "x86_64", target_feature(enable = "sse2,ssse3"))]
#[cfg_attr(target_arch = "aarch64", target_feature(enable = "neon"))]
pub(crate) fn short_lanes<const STREAMS: usize, const CALLER: u8>(
    key: &Key,
    message: &[u8],
) -> Sums<STREAMS> {
    let mut sums = Sums::zero();
    let mut add = |i, x, y| add_unit::<STREAMS>(&mut sums, 0, key.unit(i), x, y);
    // Of random lengths up to 64, half are mispredicted in this order, and three quarters with the longest first.
    if message.len() < 16 {
        add(0, register(short_number(message)), register(0));
    } else if message.len() <= UNIT {
        add(0, half(message, 0), half(message, 16));
    } else {
        add(0, half(message, 0), half(message, 16));
        add(1, half(message, UNIT), half(message, UNIT + 16));
    }
    sums
}

/// The 16 bytes from byte `at` on of a message that has at least 16 in all, with zeroes for what it lacks. It lacks less
/// than 64 bytes.
#[cfg(not(target_arch = "wasm32"))]
#[inline]
#[cfg_attr(target_arch = "x86_64", target_feature(enable = "sse2,ssse3"))]
#[cfg_attr(target_arch = "aarch64", target_feature(enable = "neon"))]
fn half(message: &[u8], at: usize) -> Register {
    let (bytes, shift) = block(message, at).expect("a message of at least 16 bytes");
    slid(bytes, shift)
}

/// The words of at most a chunk.
#[cfg(not(target_arch = "x86_64"))] // packets have their own
#[cfg_attr(target_arch = "aarch64", target_feature(enable = "neon"))]
#[cfg_attr(target_arch = "wasm32", target_feature(enable = "simd128"))]
pub(crate) fn words<const STREAMS: usize>(key: &Key, chunk: &[u8]) -> [u64; MAX_STREAMS] {
    // Hidden from the compiler, which would load the whole key before the loop and spill it.
    let key = black_box(key);
    let (units, rest) = chunk.as_chunks();
    let mut lanes = add_units::<STREAMS>(key, None, units, |_| ());
    if !rest.is_empty() || units.is_empty() {
        let (x, y) = match rest.split_first_chunk() {
            Some((x, rest)) => (load(x), register(short_number(rest))),
            None => (register(short_number(rest)), register(0)),
        };
        add_unit(&mut lanes, 0, key.unit(units.len()), x, y);
    }
    let [[a, b], [c, d]] = pairs(lanes).map(|pair| words_of(pair));
    [a, b, c, d].map(|word| word.wrapping_add(8 * chunk.len() as u64))
}

/// The sums of all streams over the first whole units of a chunk, those in `head` before the others. `meanwhile` is called
/// for each cache line of a whole chunk, with its number, before level 1 comes to it.
#[inline]
#[cfg_attr(target_arch = "x86_64", target_feature(enable = "sse2"))]
#[cfg_attr(target_arch = "aarch64", target_feature(enable = "neon"))]
#[cfg_attr(target_arch = "wasm32", target_feature(enable = "simd128"))]
pub(crate) fn add_units<const STREAMS: usize>(
    key: &Key,
    head: Option<&[u8; 2 * UNIT]>,
    units: &[[u8; UNIT]],
    meanwhile: impl Fn(usize),
) -> Sums<STREAMS> {
    let mut sums = Sums::zero();
    let mut add = |turn, key: &UnitKey, unit: &[u8; UNIT]| {
        let (halves, _) = unit.as_chunks::<16>();
        add_unit(&mut sums, turn, key, load(&halves[0]), load(&halves[1]));
    };
    let first = head.map_or(&[][..], |head| head.as_chunks().0);
    for (i, unit) in first.iter().enumerate() {
        add(i, key.unit(i), unit);
    }
    // Four units in each round, written out: the compiler does not always unroll as many. Of three streams and more it
    // would unroll the rounds of a chunk, too, into more code than a processor keeps decoded: so it may not know how many
    // words there are.
    let words: &[Four] = if STREAMS > 2 { black_box(&key.words) } else { &key.words };
    let (rounds, few) = units.as_chunks();
    for (i, [a, b, c, d]) in rounds.iter().enumerate() {
        meanwhile(2 * i);
        meanwhile(2 * i + 1);
        let keys: &[_; 2 * 4 + MAX_STREAMS - 1] = words[2 * (first.len() + 4 * i)..]
            .first_chunk()
            .expect("a key for each unit of a chunk");
        let unit = |j: usize| keys[2 * j..].first_chunk().expect("a key for each unit");
        add(0, unit(0), a);
        add(1, unit(1), b);
        add(0, unit(2), c);
        add(1, unit(3), d);
    }
    for (j, unit) in few.iter().enumerate() {
        add(0, key.unit(first.len() + 4 * rounds.len() + j), unit);
    }
    sums
}
