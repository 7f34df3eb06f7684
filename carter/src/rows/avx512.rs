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
use wegman::Tag;
use wegman::cipher::Block;
use wegman::hazmat::pads::{Blocks, PADS, four_blocks};

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
    let (tags, _) = tags.as_chunks_mut();
    for i in 0..2 {
        store4(&mut tags[i], hashes[i], pads[i]);
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

/// At most 64 bytes, with zeroes after them, in two registers.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,bmi2")]
pub fn load_short_twice(bytes: &[u8]) -> [__m256i; 2] {
    debug_assert!(bytes.len() <= 64);
    let mask = _bzhi_u64(!0, bytes.len() as u32);
    let (first, second) = (bytes.as_ptr(), bytes.as_ptr().wrapping_add(32));
    // SAFETY: as in `load_short`, in two halves.
    unsafe {
        [
            _mm256_maskz_loadu_epi8(mask as u32, first.cast()),
            _mm256_maskz_loadu_epi8((mask >> 32) as u32, second.cast()),
        ]
    }
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

/// Writes the tags of four messages.
#[inline]
#[target_feature(enable = "avx512f")]
pub fn store4(tags: &mut [Tag<16>; 4], hashes: __m512i, pads: __m512i) {
    let value = _mm512_xor_si512(hashes, pads);
    // SAFETY: 64 bytes are written to 64 bytes; no alignment is required.
    unsafe { _mm512_storeu_si512(tags.as_mut_ptr().cast(), value) };
}
