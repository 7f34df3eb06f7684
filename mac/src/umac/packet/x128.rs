//! Packets (RFC 4418, section 5) in 128-bit registers, the rows `sse` and `armv8`: the operations of flow.rs. Two streams
//! share a register from the sums of level 1 on; docs/lanes.md draws it.
//!
//! Departure 5 in flow.rs is here: level 3 takes two messages of two streams at a time, and the pads of eight are encrypted
//! side by side. Level 1 takes one message at a time, since nothing has to be shuffled for it.
//!
//! Sums of level 1 are mod 2^64 by definition: they wrap, and have no bounds.

#[cfg(target_arch = "aarch64")]
use super::armv8::{
    Pair, Register, Sums, apart, as_block, encrypt, hash_of_four, hash_of_two, load, number, pair,
    pair_of, pairs, plus_bits, register, shuffle, store, store_bytes, sums_of_digits, twice,
    whole_number, words_of, xor,
};
use super::flow::{caller::*, lines_to_prefetch, prefetch, row};
#[cfg(target_arch = "x86_64")]
use super::sse::{
    Pair, Register, Sums, apart, as_block, encrypt, hash_of_four, hash_of_two, load, number, pair,
    pair_of, pairs, plus_bits, register, shuffle, store, store_bytes, sums_of_digits, twice,
    whole_number, words_of, xor,
};
use super::{Arranged, ByStreams, Functions, Hold, Key, PadOf, SHORT, Tags, Whole, Words};
use crate::aligned::Aligned;
use crate::batch::EIGHT;
use crate::pads::{Blocks, order_from};
use crate::umac::l1_nh::halves::{lanes, short_lanes, whole_lanes};
use crate::umac::l1_nh::{self, CHUNK};
use crate::umac::l2_poly::{self, Reduced, State, reduce64, step64};
use crate::umac::{MAX_STREAMS, l3_inner};
use core::hint::black_box;

#[cfg(target_arch = "aarch64")]
pub(crate) use super::armv8::Keys;
#[cfg(target_arch = "x86_64")]
pub(crate) use super::sse::Keys;

type OfStreams = [Pair; 2];
/// On ARM, so that the pad's rounds continue while the processor recovers from a mispredicted length. On x86 the hash is the
/// longer chain: behind the pad, messages of one length take 2 to 7 % more time, and those of random lengths no less.
const PAD_FIRST: bool = cfg!(target_arch = "aarch64");
const HOLD: Option<Hold> = None;

#[cfg(target_arch = "x86_64")]
row!("sse2,ssse3,aes");
#[cfg(target_arch = "aarch64")]
row!("neon,aes");

pub(super) fn arrange(
    _: &l1_nh::Key,
    _: &[l2_poly::Key; MAX_STREAMS],
    l3: &[l3_inner::Key; MAX_STREAMS],
    arranged: &mut Arranged,
) {
    arranged.x128 = Keys::new(l3);
}

#[cfg_attr(target_arch = "x86_64", target_feature(enable = "sse2,ssse3,aes"))]
#[cfg_attr(target_arch = "aarch64", target_feature(enable = "neon,aes"))]
fn words<const STREAMS: usize>(key: &l1_nh::Key, chunk: &[u8], words: &mut [u64; MAX_STREAMS]) {
    *words = scalars::<STREAMS>(if chunk.is_empty() {
        summed(short_lanes::<STREAMS, WORDS>(key, chunk), 0)
    } else {
        words_of_chunk::<STREAMS, WORDS>(key, None, chunk)
    });
}

#[cfg_attr(target_arch = "x86_64", target_feature(enable = "sse2,ssse3,aes"))]
#[cfg_attr(target_arch = "aarch64", target_feature(enable = "neon,aes"))]
fn tag8<const STREAMS: usize>(
    key: &Key,
    messages: &[&[u8]; EIGHT],
    blocks: &Blocks,
    tags: &mut Tags,
) {
    let mut words = [[pair_of([0; 2]); 2]; EIGHT];
    for (words, message) in words.iter_mut().zip(messages) {
        let key = black_box(key); // its keys are loaded for each message anew, instead of kept on the stack
        *words = short_words::<STREAMS, TAG8>(key, message);
    }
    tags8::<STREAMS>(black_box(key), |i| words[i], blocks, tags);
}

#[cfg_attr(target_arch = "x86_64", target_feature(enable = "sse2,ssse3,aes"))]
#[cfg_attr(target_arch = "aarch64", target_feature(enable = "neon,aes"))]
fn words8<const STREAMS: usize>(key: &Key, messages: &[&[u8]; EIGHT], out: &mut Words) {
    let (places, _) = out.0.as_chunks_mut::<2>();
    for (i, message) in messages.iter().enumerate() {
        let key = black_box(key); // its words are loaded anew, not kept on the stack
        let [a, b] = match message.len() {
            ..=64 => short_words::<STREAMS, WORDS8>(key, message),
            65..=CHUNK => words_of_chunk::<STREAMS, WORDS8>(&key.l1, None, message),
            _ => {
                let (head, rest) = message.split_first_chunk().expect("more than a chunk");
                words_of_chunks::<STREAMS, WORDS8_OF_CHUNKS>(key, head, rest).0
            }
        };
        if STREAMS <= 2 {
            store(&mut places[i], as_block(a));
        } else {
            store(&mut places[2 * i], as_block(a));
            store(&mut places[2 * i + 1], as_block(b));
        }
    }
}

#[cfg_attr(target_arch = "x86_64", target_feature(enable = "sse2,ssse3,aes"))]
#[cfg_attr(target_arch = "aarch64", target_feature(enable = "neon,aes"))]
fn inner8<const STREAMS: usize>(key: &Key, words: &Words, blocks: &Blocks, tags: &mut Tags) {
    let (pairs, _) = words.0.as_chunks::<2>();
    let at = |i: usize| pair(&pairs[i]);
    if STREAMS <= 2 {
        tags8::<STREAMS>(key, |i| [at(i); 2], blocks, tags);
    } else {
        tags8::<STREAMS>(key, |i| [at(2 * i), at(2 * i + 1)], blocks, tags);
    }
}

/// The tags of eight messages from their words.
#[inline]
#[cfg_attr(target_arch = "x86_64", target_feature(enable = "sse2,ssse3,aes"))]
#[cfg_attr(target_arch = "aarch64", target_feature(enable = "neon,aes"))]
fn tags8<const STREAMS: usize>(
    key: &Key,
    words: impl Fn(usize) -> [Pair; 2],
    blocks: &Blocks,
    tags: &mut Tags,
) {
    let (tags, _) = tags.as_flattened_mut().as_chunks_mut::<16>();
    let mask = load(&key.arranged.mask);
    if STREAMS > 2 {
        let pads = pads8::<8>(key, blocks);
        for (i, (tag, pad)) in tags.iter_mut().zip(pads).enumerate() {
            let keys = &black_box(key).arranged.x128; // its words are loaded anew, not kept on the stack
            let [a, b] = words(i);
            let hash = hash_of_four(keys, sums_of_digits(keys, 0, a), sums_of_digits(keys, 1, b));
            store(tag, xor(hash, xor(pad, mask)));
        }
        return;
    }
    // Four pads of 32 bits are in a block, or two of 64 bits.
    let pads = if STREAMS == 1 {
        let [first, last] = pads8::<2>(key, blocks).map(|block| apart(block));
        [first[0], first[1], last[0], last[1]]
    } else {
        pads8::<4>(key, blocks)
    };
    let mask = twice(mask);
    for (i, (tags, pads)) in tags.iter_mut().zip(pads).enumerate() {
        let keys = &black_box(key).arranged.x128; // its words are loaded anew, not kept on the stack
        let [[a, _], [b, _]] = [words(2 * i), words(2 * i + 1)];
        let hashes = hash_of_four(keys, sums_of_digits(keys, 0, a), sums_of_digits(keys, 0, b));
        store(tags, xor(hashes, xor(pads, mask)));
    }
}

/// Level 1 of a message of at most 64 bytes.
///
/// # Bounds
/// Out: any 64 bits for each stream; the length in bits, at most 512, for streams that are not there.
#[inline]
#[cfg_attr(target_arch = "x86_64", target_feature(enable = "sse2,ssse3,aes"))]
#[cfg_attr(target_arch = "aarch64", target_feature(enable = "neon,aes"))]
fn short_words<const STREAMS: usize, const CALLER: u8>(key: &Key, message: &[u8]) -> OfStreams {
    summed(short_lanes::<STREAMS, CALLER>(&key.l1, message), message.len())
}

/// Level 1 of at most a chunk: the `head`, if there is one, and the bytes after it, at least one.
///
/// # Bounds
/// As in [`short_words`]; a length in bits is at most 2^13.
#[inline]
#[cfg_attr(target_arch = "x86_64", target_feature(enable = "sse2,ssse3,aes"))]
#[cfg_attr(target_arch = "aarch64", target_feature(enable = "neon,aes"))]
fn words_of_chunk<const STREAMS: usize, const CALLER: u8>(
    key: &l1_nh::Key,
    head: Option<&[u8; SHORT]>,
    chunk: &[u8],
) -> OfStreams {
    let length = head.map_or(0, |head| head.len()) + chunk.len();
    summed(lanes::<STREAMS>(key, head, chunk, |_| ()), length)
}

#[inline]
#[cfg_attr(target_arch = "x86_64", target_feature(enable = "sse2,ssse3,aes"))]
#[cfg_attr(target_arch = "aarch64", target_feature(enable = "neon,aes"))]
fn whole_words<const STREAMS: usize>(
    key: &l1_nh::Key,
    chunk: &[u8; CHUNK],
    meanwhile: impl Fn(usize),
) -> OfStreams {
    let key = black_box(key); // its words are loaded anew, not kept on the stack
    summed(whole_lanes::<STREAMS>(key, chunk, meanwhile), CHUNK)
}

/// Levels 1 and 2 of more than a chunk and at most `NEAR` bytes.
///
/// # Bounds
/// Out: 0 for streams that are not there.
#[inline]
#[cfg_attr(target_arch = "x86_64", target_feature(enable = "sse2,ssse3,aes"))]
#[cfg_attr(target_arch = "aarch64", target_feature(enable = "neon,aes"))]
fn words_of_chunks<const STREAMS: usize, const CALLER: u8>(
    key: &Key,
    head: &[u8; SHORT],
    rest: &[u8],
) -> Reduced<OfStreams> {
    // The words are few enough for POLY-64, whose accumulators stay in registers here. Level 2 of a chunk comes after
    // level 1 of the next chunk: its chain of multiplications never waits for unfinished sums and overlaps with them.
    // A key's words are loaded for each chunk anew, instead of kept on the stack.
    let (first, rest) = rest.split_at(CHUNK - SHORT);
    let first = lanes::<STREAMS>(black_box(&key.l1), Some(head), first, |_| ());
    let (mut y, mut before) = (None, scalars::<STREAMS>(summed(first, CHUNK)));
    for chunk in rest.chunks(CHUNK) {
        let l1 = black_box(&key.l1);
        let now = scalars::<STREAMS>(words_of_chunk::<STREAMS, CALLER>(l1, None, chunk));
        y = Some(step64::<STREAMS>(&key.l2, y, before));
        before = now;
    }
    let words = step64::<STREAMS>(&key.l2, y, before).map(reduce64);
    Reduced(of_scalars::<STREAMS>(words.map(|Reduced(word)| word)))
}

/// The level-1 hashes: the sums of all lanes of each stream, plus the length in bits.
#[inline]
#[cfg_attr(target_arch = "x86_64", target_feature(enable = "sse2,ssse3,aes"))]
#[cfg_attr(target_arch = "aarch64", target_feature(enable = "neon,aes"))]
fn summed<const STREAMS: usize>(sums: Sums<STREAMS>, length: usize) -> OfStreams {
    pairs::<STREAMS>(sums).map(|words| plus_bits(words, length))
}

#[inline]
#[cfg_attr(target_arch = "x86_64", target_feature(enable = "sse2,ssse3,aes"))]
#[cfg_attr(target_arch = "aarch64", target_feature(enable = "neon,aes"))]
fn of_scalars<const STREAMS: usize>([a, b, c, d]: [u64; MAX_STREAMS]) -> OfStreams {
    // One by one: a wider load would wait for words that were stored a moment ago.
    [pair_of([a, b]), pair_of([c, d])]
}

#[inline]
#[cfg_attr(target_arch = "x86_64", target_feature(enable = "sse2,ssse3,aes"))]
#[cfg_attr(target_arch = "aarch64", target_feature(enable = "neon,aes"))]
fn scalars<const STREAMS: usize>([a, b]: OfStreams) -> [u64; MAX_STREAMS] {
    let ([a, b], [c, d]) = (words_of(a), words_of(b));
    [a, b, c, d]
}

/// Level 3: the hash, masked.
#[inline]
#[cfg_attr(target_arch = "x86_64", target_feature(enable = "sse2,ssse3,aes"))]
#[cfg_attr(target_arch = "aarch64", target_feature(enable = "neon,aes"))]
fn l3_hash<const STREAMS: usize>(key: &Key, [a, b]: OfStreams) -> Register {
    let keys = &key.arranged.x128;
    let first = sums_of_digits(keys, 0, a);
    let hash = if STREAMS <= 2 {
        hash_of_two(keys, first)
    } else {
        hash_of_four(keys, first, sums_of_digits(keys, 1, b))
    };
    xor(hash, load(&key.arranged.mask))
}

/// The pad that begins at byte `start` of the encrypted `block`.
#[inline]
#[cfg_attr(target_arch = "x86_64", target_feature(enable = "sse2,ssse3,aes"))]
#[cfg_attr(target_arch = "aarch64", target_feature(enable = "neon,aes"))]
fn pad<const STREAMS: usize>(
    rounds: &Aligned<[[u8; 16]; 11]>,
    block: u128,
    start: usize,
) -> Register {
    let [pad] = encrypt(rounds, [register(block)]);
    // A longer pad is the whole block.
    if STREAMS > 2 { pad } else { shuffle(pad, order_from(start)) }
}

/// The blocks with the pads of eight messages, encrypted.
#[inline]
#[cfg_attr(target_arch = "x86_64", target_feature(enable = "sse2,ssse3,aes"))]
#[cfg_attr(target_arch = "aarch64", target_feature(enable = "neon,aes"))]
fn pads8<const L: usize>(key: &Key, blocks: &Blocks) -> [Register; L] {
    encrypt(&key.arranged.rounds, blocks.some::<L>().map(|block| register(block)))
}
