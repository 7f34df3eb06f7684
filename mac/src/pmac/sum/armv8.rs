//! The AES operations of ARMv8 for [`aes`](super::aes).
#![allow(unsafe_code)]

use super::Key;
use crate::cipher::Block;
use core::arch::aarch64::*;

pub(super) type Register = uint8x16_t;

/// AES of blocks to which the first round key was added.
#[inline]
#[target_feature(enable = "neon,aes")]
pub(super) fn encrypt<const ROUNDS: usize, const L: usize>(
    key: &Key,
    mut states: [Register; L],
) -> [Register; L] {
    // The instruction adds a round key before the round, and the states already have the first one.
    let none = vdupq_n_u8(0);
    for state in &mut states {
        *state = vaesmcq_u8(vaeseq_u8(*state, none));
    }
    for round in &key.rounds[1..ROUNDS - 1] {
        let round = load(&round[0]);
        for state in &mut states {
            *state = vaesmcq_u8(vaeseq_u8(*state, round));
        }
    }
    let (before, last) = (load(&key.rounds[ROUNDS - 1][0]), load(&key.rounds[ROUNDS][0]));
    for state in &mut states {
        *state = veorq_u8(vaeseq_u8(*state, before), last);
    }
    states
}

#[inline]
#[target_feature(enable = "neon,aes")]
pub(super) fn xor(a: Register, b: Register) -> Register {
    veorq_u8(a, b)
}

#[inline]
#[target_feature(enable = "neon,aes")]
pub(super) fn and(a: Register, b: Register) -> Register {
    vandq_u8(a, b)
}

#[inline]
#[target_feature(enable = "neon,aes")]
pub(super) fn register(number: u128) -> Register {
    load(&number.to_le_bytes())
}

/// The key as it is: all round keys fit in registers.
#[inline]
pub(super) fn hidden(key: &Key) -> &Key {
    key
}

#[inline]
#[target_feature(enable = "neon,aes")]
pub(super) fn load(block: &Block) -> Register {
    // SAFETY: 16 bytes are read from 16 bytes; no alignment is required.
    unsafe { vld1q_u8(block.as_ptr()) }
}

#[inline]
#[target_feature(enable = "neon,aes")]
pub(super) fn store(block: &mut Block, register: Register) {
    // SAFETY: 16 bytes are written to 16 bytes; no alignment is required.
    unsafe { vst1q_u8(block.as_mut_ptr(), register) }
}
