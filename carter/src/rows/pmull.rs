//! Whole messages in 128-bit registers of ARMv8: the same functions as in pclmul.rs.
//!
//! # Safety
//! Every function enables CPU features. Call it only on a machine that has them, as a row of kernels ensures.
#![allow(unsafe_code)]
#![allow(clippy::missing_safety_doc, reason = "the module's documentation has it")]

use super::{HashKey, block_and_order, order_of_shift, words_of};
use crate::field::pmull::{Register, halves, load, lower, upper, xor};
use core::arch::aarch64::*;
use wegman::Tag;
use wegman::cipher::Block;
use wegman::hazmat::batch::EIGHT;
use wegman::hazmat::pads::Blocks;

/// The pad: AES of `block`. With 0 rounds, `block` is the pad itself.
#[inline]
#[target_feature(enable = "neon,aes")]
pub fn pad<const ROUNDS: usize>(key: &impl HashKey, block: u128) -> Register {
    let block = halves(block as u64, (block >> 64) as u64);
    if ROUNDS == 0 { block } else { encrypt::<ROUNDS, 1>(key.rounds(), [block])[0] }
}

/// The pads of eight messages, from the blocks of their nonces.
#[inline]
#[target_feature(enable = "neon,aes")]
pub fn pads8<const ROUNDS: usize>(key: &impl HashKey, blocks: &Blocks) -> [Register; EIGHT] {
    let mut blocks = *blocks;
    let mut states = [halves(0, 0); EIGHT];
    for state in &mut states {
        let (block, _) = blocks.next(16);
        *state = halves(block as u64, (block >> 64) as u64);
    }
    encrypt::<ROUNDS, EIGHT>(key.rounds(), states)
}

/// AES of `N` blocks.
#[inline]
#[target_feature(enable = "neon,aes")]
fn encrypt<const ROUNDS: usize, const N: usize>(
    rounds: &[Block; 15],
    blocks: [Register; N],
) -> [Register; N] {
    let mut states = blocks.map(|block| vreinterpretq_u8_u64(block));
    let round = |i: usize| vreinterpretq_u8_u64(load(&rounds[i]));
    for i in 0..ROUNDS - 1 {
        let key = round(i);
        for state in &mut states {
            *state = vaesmcq_u8(vaeseq_u8(*state, key));
        }
    }
    let (before, last) = (round(ROUNDS - 1), round(ROUNDS));
    states.map(|state| vreinterpretq_u64_u8(veorq_u8(vaeseq_u8(state, before), last)))
}

/// The bytes of a block from byte `from` on, 0 to 16, and zeroes after them.
#[inline]
#[target_feature(enable = "neon")]
pub fn bytes_from(from: usize, block: &Block) -> Register {
    shuffled(block, order_of_shift(from))
}

/// The block at `at` of 16 bytes or more, with zeroes behind their end.
#[inline]
#[target_feature(enable = "neon")]
pub fn block_at(bytes: &[u8], at: usize) -> Register {
    let (block, order) = block_and_order(bytes, at);
    shuffled(block, order)
}

/// The bytes of a block in this order: zero for a number above 15.
#[inline]
#[target_feature(enable = "neon")]
fn shuffled(block: &Block, order: &Block) -> Register {
    let [block, order] = [load(block), load(order)].map(|number| vreinterpretq_u8_u64(number));
    vreinterpretq_u64_u8(vqtbl1q_u8(block, order))
}

/// Fewer than 16 bytes, and zeroes after them.
#[inline]
#[target_feature(enable = "neon")]
pub fn few_bytes(bytes: &[u8]) -> Register {
    let [low, high] = words_of(bytes);
    halves(low, high)
}

/// Writes a tag.
#[inline]
#[target_feature(enable = "neon")]
pub fn store(tag: &mut Tag<16>, value: Register) {
    // SAFETY: 16 bytes are written to 16 bytes; no alignment is required.
    unsafe { vst1q_u8(core::ptr::from_mut(tag).cast(), vreinterpretq_u8_u64(value)) };
}

/// A number as [`with_two`] takes it: its lower half twice, and its upper half twice.
pub type Spread = [Register; 2];

/// A block.
#[inline]
#[target_feature(enable = "neon")]
pub fn spread(block: &Block) -> Spread {
    // SAFETY: 16 bytes are read from 16 bytes; no alignment is required.
    let uint64x2x2_t(low, high) = unsafe { vld2q_dup_u64(block.as_ptr().cast()) };
    [low, high]
}

/// [`bytes_from`].
#[inline]
#[target_feature(enable = "neon")]
pub fn spread_from(from: usize, block: &Block) -> Spread {
    let block = vreinterpretq_u8_u64(load(block));
    spread(order_of_shift(from))
        .map(|order| vreinterpretq_u64_u8(vqtbl1q_u8(block, vreinterpretq_u8_u64(order))))
}

/// [`few_bytes`].
#[inline]
#[target_feature(enable = "neon")]
pub fn spread_few(bytes: &[u8]) -> Spread {
    let [low, high] = words_of(bytes);
    [vdupq_n_u64(low), vdupq_n_u64(high)]
}

/// The sums of a number with each of two keys, as the products of their halves. The first block has the lower halves of
/// both keys, the second one the upper halves. Out: degree at most 126.
#[inline]
#[target_feature(enable = "neon,aes")]
pub fn with_two([low, high]: Spread, keys: &[Block; 2]) -> [Register; 2] {
    let (low, high) = (xor(low, load(&keys[0])), xor(high, load(&keys[1])));
    [lower(low, high), upper(low, high)]
}

/// Does nothing: stable Rust has no instruction for it here, and these processors look ahead by themselves.
#[inline]
pub fn prefetch<const N: usize>(_: &[u8; N]) {}
