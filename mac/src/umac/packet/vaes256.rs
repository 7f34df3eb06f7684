//! Packets (RFC 4418, section 5) in 256-bit registers with VAES: the kernels of avx2.rs, but a register has two blocks of
//! the pads of a batch.

use super::avx2::{self, hashes8, inner_hashes8, placed, tags8};
use super::{ByStreams, Functions, Key, Tags, Words};
use crate::batch::EIGHT;
use crate::pads::Blocks;
use crate::pads::x86::two_blocks;
use crate::simd::load128;
use core::arch::x86_64::*;
use core::hint::black_box;

pub(super) const FUNCTIONS: ByStreams = ByStreams {
    hold: None,
    arrange: avx2::arrange,
    of_streams: [functions::<1>(), functions::<2>(), functions::<4>(), functions::<4>()],
};

const fn functions<const STREAMS: usize>() -> Functions {
    let mut functions = avx2::functions::<STREAMS>();
    if let Some(whole) = &mut functions.whole {
        (whole.tag8, whole.inner8) = (tag8::<STREAMS>, inner8::<STREAMS>);
    }
    functions
}

#[target_feature(enable = "avx2,bmi2,aes,vaes")]
fn tag8<const STREAMS: usize>(
    key: &Key,
    messages: &[&[u8]; EIGHT],
    blocks: &Blocks,
    tags: &mut Tags,
) {
    let hashes = hashes8::<STREAMS>(key, messages);
    tags8::<STREAMS>(tags, hashes, pads8::<STREAMS>(key, blocks));
}

#[target_feature(enable = "avx2,bmi2,aes,vaes")]
fn inner8<const STREAMS: usize>(key: &Key, words: &Words, blocks: &Blocks, tags: &mut Tags) {
    let hashes = inner_hashes8::<STREAMS>(key, words);
    tags8::<STREAMS>(tags, hashes, pads8::<STREAMS>(key, blocks));
}

/// The pads of eight messages, each at the place of its tag.
#[inline]
#[target_feature(enable = "avx2,bmi2,aes,vaes")]
fn pads8<const STREAMS: usize>(key: &Key, blocks: &Blocks) -> [__m256i; 4] {
    let key = black_box(key); // its words are loaded anew, not kept on the stack
    let mut pads = [_mm256_setzero_si256(); 4];
    let used = match STREAMS {
        1 => 1,
        2 => 2,
        _ => 4,
    };
    for (i, pads) in pads[..used].iter_mut().enumerate() {
        *pads = two_blocks(blocks, 2 * i as i64);
    }
    encrypt(key, &mut pads[..used]);
    placed::<STREAMS>(pads)
}

#[inline]
#[target_feature(enable = "avx2,bmi2,aes,vaes")]
fn encrypt(key: &Key, states: &mut [__m256i]) {
    let round = |i: usize| _mm256_broadcastsi128_si256(load128(&key.arranged.rounds[i]));
    for state in &mut *states {
        *state = _mm256_xor_si256(*state, round(0));
    }
    for i in 1..10 {
        for state in &mut *states {
            *state = _mm256_aesenc_epi128(*state, round(i));
        }
    }
    for state in states {
        *state = _mm256_aesenclast_epi128(*state, round(10));
    }
}
