//! Whole messages in 512-bit registers: the pads and the tags around the hashes of
//! [`HashKernels::avx512`](super::HashKernels::avx512).
//!
//! # Safety
//! Every function enables CPU features. Call it only on a machine that has them, as a row of kernels ensures.
#![allow(unsafe_code)]
#![allow(clippy::missing_safety_doc, reason = "the module's documentation has it")]

use super::EightTags;
use super::HashKey;
use crate::field::avx512::load;
use core::arch::x86_64::*;
use wegman::cipher::Block;
use wegman::hazmat::pads::{Blocks, PADS, four_blocks};

/// The pad: AES of `block`. With 0 rounds, `block` is the pad itself.
#[inline]
#[target_feature(enable = "aes,avx512vl")]
pub fn pad<const ROUNDS: usize>(key: &impl HashKey, block: u128) -> __m128i {
    let block = _mm_set_epi64x((block >> 64) as i64, block as i64);
    if ROUNDS == 0 { block } else { encrypt::<ROUNDS>(key.rounds(), block) }
}

/// The pads of eight messages, from the blocks of their nonces.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,vaes")]
pub fn pads8<const ROUNDS: usize>(key: &impl HashKey, blocks: &Blocks) -> [__m512i; 2] {
    let mut pads = [four_blocks(blocks, 0), four_blocks(blocks, 4)];
    encrypt_wide::<ROUNDS, 2>(key.rounds(), &mut pads);
    pads
}

/// Writes the tags of eight messages.
#[inline]
#[target_feature(enable = "avx512f")]
pub fn store8(tags: &mut EightTags, hashes: [__m512i; 2], pads: [__m512i; 2]) {
    let (tags, _) = tags.as_flattened_mut().as_chunks_mut();
    for i in 0..2 {
        store_64(&mut tags[i], _mm512_xor_si512(hashes[i], pads[i]));
    }
}

/// Encrypts at least the first `count` blocks, each two words.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,bmi2,aes,vaes,pclmulqdq,vpclmulqdq")]
pub fn encrypt_words<const ROUNDS: usize, K: HashKey>(
    key: &K,
    words: &mut [u64; 2 * PADS],
    count: usize,
) {
    for words in words.as_chunks_mut::<32>().0.iter_mut().take(count.div_ceil(16)) {
        let (words, _) = words.as_chunks_mut::<8>();
        let mut blocks = [_mm512_setzero_si512(); 4];
        for (block, words) in blocks.iter_mut().zip(&*words) {
            // SAFETY: 64 bytes are read from 64 bytes; no alignment is required.
            *block = unsafe { _mm512_loadu_si512(words.as_ptr().cast()) };
        }
        encrypt_wide::<ROUNDS, 4>(key.rounds(), &mut blocks);
        for (block, words) in blocks.iter().zip(words) {
            // SAFETY: 64 bytes are written to 64 bytes; no alignment is required.
            unsafe { _mm512_storeu_si512(words.as_mut_ptr().cast(), *block) };
        }
    }
}

/// AES of one block.
#[inline]
#[target_feature(enable = "aes,avx512vl")]
fn encrypt<const ROUNDS: usize>(rounds: &[Block; 15], block: __m128i) -> __m128i {
    let mut state = _mm_xor_si128(block, load(&rounds[0]));
    for round in &rounds[1..ROUNDS] {
        state = _mm_aesenc_si128(state, load(round));
    }
    _mm_aesenclast_si128(state, load(&rounds[ROUNDS]))
}

/// AES of four blocks in each of `W` registers.
#[inline]
#[target_feature(enable = "avx512f,vaes")]
fn encrypt_wide<const ROUNDS: usize, const W: usize>(
    rounds: &[Block; 15],
    states: &mut [__m512i; W],
) {
    let key = |i: usize| _mm512_broadcast_i32x4(load(&rounds[i]));
    for state in &mut *states {
        *state = _mm512_xor_si512(*state, key(0));
    }
    for i in 1..ROUNDS {
        for state in &mut *states {
            *state = _mm512_aesenc_epi128(*state, key(i));
        }
    }
    for state in states {
        *state = _mm512_aesenclast_epi128(*state, key(ROUNDS));
    }
}

/// At most 64 bytes, with zeroes after them.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,bmi2")]
pub fn load_short(bytes: &[u8]) -> __m512i {
    debug_assert!(bytes.len() <= 64);
    let mask = _bzhi_u64(!0, bytes.len() as u32);
    // SAFETY: bytes outside the mask are not read, and the mask has at most one bit for each of `bytes`, whatever their
    // length.
    unsafe { _mm512_maskz_loadu_epi8(mask, bytes.as_ptr().cast()) }
}

/// At most 16 bytes, with zeroes after them.
#[inline]
#[target_feature(enable = "avx512bw,avx512vl,bmi2")]
pub fn load_short_16(bytes: &[u8]) -> __m128i {
    debug_assert!(bytes.len() <= 16);
    let mask = _bzhi_u32(0xffff, bytes.len() as u32) as __mmask16;
    // SAFETY: bytes outside the mask are not read, and the mask has at most one bit for each of `bytes`, whatever their
    // length.
    unsafe { _mm_maskz_loadu_epi8(mask, bytes.as_ptr().cast()) }
}

/// Prefetches 64 bytes that will be read soon.
#[inline]
pub fn prefetch(bytes: &[u8; 64]) {
    #[allow(unused_unsafe)] // newer compilers call it safe
    // SAFETY: the instruction has no effect that the program can see, whatever the address.
    unsafe {
        _mm_prefetch::<_MM_HINT_T2>(bytes.as_ptr().cast());
    };
}

/// Writes a block.
#[inline]
#[target_feature(enable = "sse2")]
pub fn store(block: &mut Block, value: __m128i) {
    // SAFETY: 16 bytes are written to 16 bytes; no alignment is required.
    unsafe { _mm_storeu_si128(block.as_mut_ptr().cast(), value) };
}

#[inline]
#[target_feature(enable = "avx512f")]
fn store_64(bytes: &mut [u8; 64], value: __m512i) {
    // SAFETY: 64 bytes are written to 64 bytes; no alignment is required.
    unsafe { _mm512_storeu_si512(bytes.as_mut_ptr().cast(), value) };
}
