//! The sum with the AES instructions of ARMv8: eight pieces side by side in 128-bit registers.
#![allow(unsafe_code)]

use super::Piece;
use core::arch::aarch64::*;
use wegman::cipher::Block;
use wegman::hazmat::aes::{Rounds, keys};
use wegman::hazmat::ct::wipe;

/// How many pieces run side by side: enough to hide the latency of a round.
const WIDTH: usize = 8;

#[target_feature(enable = "neon,aes")]
pub(super) fn absorb(rounds: &Rounds, first: u64, pieces: &[Piece], sum: &mut Block) {
    let (mut number, mut total) = (first, load(sum));
    let (groups, rest) = pieces.as_chunks::<WIDTH>();
    for group in groups {
        total = veorq_u8(total, side_by_side(rounds, number, group));
        number += WIDTH as u64;
    }
    let (pairs, rest) = rest.as_chunks::<2>();
    for pair in pairs {
        total = veorq_u8(total, side_by_side(rounds, number, pair));
        number += 2;
    }
    if let [piece] = rest {
        total = veorq_u8(total, side_by_side(rounds, number, &[*piece]));
    }
    // SAFETY: 16 bytes are written to 16 bytes; no alignment is required.
    unsafe { vst1q_u8(sum.as_mut_ptr(), total) };
}

/// Encrypts a block. Input and output are numbers, the first byte highest.
#[target_feature(enable = "neon,aes")]
pub(super) fn encrypt(rounds: &Rounds, number: u128) -> u128 {
    let [state] = encrypt_all(rounds, [load(&number.to_be_bytes())]);
    let mut block = [0; 16];
    // SAFETY: 16 bytes are written to 16 bytes; no alignment is required.
    unsafe { vst1q_u8(block.as_mut_ptr(), state) };
    let number = u128::from_be_bytes(block);
    wipe(&mut block);
    number
}

/// The sum of `L` encrypted pieces, the first of which has the number `number`.
#[inline]
#[target_feature(enable = "neon,aes")]
fn side_by_side<const L: usize>(rounds: &Rounds, number: u64, pieces: &[Piece; L]) -> uint8x16_t {
    let mut blocks = [vdupq_n_u8(0); L];
    for (i, (block, piece)) in (0..).zip(blocks.iter_mut().zip(pieces)) {
        *block = vcombine_u8(half(&(number + i).to_be_bytes()), half(piece));
    }
    let mut total = vdupq_n_u8(0);
    for state in encrypt_all(rounds, blocks) {
        total = veorq_u8(total, state);
    }
    total
}

/// AES of several registers side by side.
#[inline]
#[target_feature(enable = "neon,aes")]
fn encrypt_all<const L: usize>(rounds: &Rounds, mut states: [uint8x16_t; L]) -> [uint8x16_t; L] {
    let [keys @ .., before, last] = keys(rounds) else { unreachable!("eleven keys or more") };
    for key in keys {
        let key = load(key);
        states = states.map(|state| vaesmcq_u8(vaeseq_u8(state, key)));
    }
    let (before, last) = (load(before), load(last));
    states.map(|state| veorq_u8(vaeseq_u8(state, before), last))
}

#[inline]
#[target_feature(enable = "neon,aes")]
fn load(block: &Block) -> uint8x16_t {
    // SAFETY: 16 bytes are read from 16 bytes; no alignment is required.
    unsafe { vld1q_u8(block.as_ptr()) }
}

/// Half a block.
#[inline]
#[target_feature(enable = "neon,aes")]
fn half(bytes: &[u8; 8]) -> uint8x8_t {
    // SAFETY: 8 bytes are read from 8 bytes; no alignment is required.
    unsafe { vld1_u8(bytes.as_ptr()) }
}
