//! Packets (RFC 4418, section 5) in 512-bit registers on AMD's processors: the kernels of avx512.rs, but level 1 of three or
//! four streams is as that of two: all streams share a permutation of the message. It takes 17 operations for 64 bytes where
//! a stream in each lane takes 16. But a load to all lanes at once takes an operation more on Zen 4 (docs/lanes.md). Level 1
//! by itself, for other threads and the last chunk of a stream, is avx512.rs's.

use super::avx512::{
    self, HOLD, OfStreams, PAD_FIRST, Register, arrange, inner8, l3_hash, of_scalars, pad, scalars,
    short_words, tag8, words, words_of_chunk, words_of_chunks, words_of_whole, words8_by, xor,
};
use super::flow::{caller, lines_to_prefetch, prefetch, row};
use super::sse::{number, whole_number};
use super::{ByStreams, Functions, Key, PadOf, SHORT, Whole, Words};
use crate::batch::EIGHT;
use crate::simd::store128 as store_bytes;
use crate::umac::MAX_STREAMS;
use crate::umac::l1_nh::{self, CHUNK, in_two};
use crate::umac::l2_poly::State;
use core::arch::x86_64::*;

const WORDS: u8 = caller::WORDS | caller::AMD;
const HASH: u8 = caller::HASH | caller::AMD;
const HASH_OF_CHUNKS: u8 = caller::HASH_OF_CHUNKS | caller::AMD;
const TAG: u8 = caller::TAG | caller::AMD;
const TAG_OF_CHUNKS: u8 = caller::TAG_OF_CHUNKS | caller::AMD;
const WORDS8: u8 = caller::WORDS8 | caller::AMD;
const WORDS8_OF_CHUNKS: u8 = caller::WORDS8_OF_CHUNKS | caller::AMD;

/// One or two streams are those of avx512.rs, and so is what few callers need: it would make the library larger.
pub(super) const AMD: ByStreams = {
    let ByStreams { arrange, of_streams: [one, two, ..], hold } = avx512::FUNCTIONS;
    let ByStreams { of_streams: [.., mut three, mut four], .. } = FUNCTIONS;
    if let (Some(three), Some(four)) = (&mut three.whole, &mut four.whole) {
        (three.hash, four.hash) = (avx512::hash::<4>, avx512::hash::<4>);
    }
    ByStreams { arrange, of_streams: [one, two, three, four], hold }
};

row!("avx512f,avx512bw,avx512vl,avx512ifma,avx512vbmi,bmi2,aes,vaes,sse4a");

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512ifma,avx512vbmi,bmi2,aes,vaes")]
fn whole_words<const STREAMS: usize>(
    key: &l1_nh::Key,
    chunk: &[u8; CHUNK],
    meanwhile: impl Fn(usize),
) -> __m512i {
    words_of_whole::<STREAMS, WORDS>(key, in_two(chunk), meanwhile)
}

#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512ifma,avx512vbmi,bmi2,aes,vaes")]
fn words8<const STREAMS: usize>(key: &Key, messages: &[&[u8]; EIGHT], out: &mut Words) {
    words8_by::<STREAMS, WORDS8, WORDS8_OF_CHUNKS>(key, messages, out);
}
