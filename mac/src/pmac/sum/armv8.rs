//! The AES operations of ARMv8 for [`aes`](super::aes).
#![allow(unsafe_code)]

use super::Key;
use crate::cipher::Block;
use core::arch::aarch64::*;

pub(super) type Register = uint8x16_t;

/// AES of blocks xor offsets, which have the first round key in them.
#[inline]
#[target_feature(enable = "neon,aes")]
pub(super) fn encrypt<const ROUNDS: usize, const L: usize>(
    key: &Key,
    states: [Register; L],
    offsets: [Register; L],
) -> [Register; L] {
    let mut states = almost::<ROUNDS, L>(key, states, offsets);
    for state in &mut states {
        *state = veorq_u8(*state, shared::<ROUNDS>(key));
    }
    states
}

/// AES of blocks xor offsets, all but adding [`shared`].
#[inline]
#[target_feature(enable = "neon,aes")]
pub(super) fn almost<const ROUNDS: usize, const L: usize>(
    key: &Key,
    mut states: [Register; L],
    offsets: [Register; L],
) -> [Register; L] {
    // The instruction adds a round key before the round: the offset is the first one.
    for (state, offset) in states.iter_mut().zip(offsets) {
        *state = vaesmcq_u8(vaeseq_u8(*state, offset));
    }
    for round in &key.rounds[1..ROUNDS - 1] {
        let round = load(&round[0]);
        for state in &mut states {
            *state = vaesmcq_u8(vaeseq_u8(*state, round));
        }
    }
    let before_last = load(&key.rounds[ROUNDS - 1][0]);
    for state in &mut states {
        *state = vaeseq_u8(*state, before_last);
    }
    states
}

/// What [`almost`] leaves to be added: the last round key. Sums of an even number of blocks do without.
#[inline]
#[target_feature(enable = "neon,aes")]
pub(super) fn shared<const ROUNDS: usize>(key: &Key) -> Register {
    load(&key.rounds[ROUNDS][0])
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

/// The bytes of a block in another order; zero for an index of 0x80.
#[inline]
#[target_feature(enable = "neon,aes")]
pub(super) fn shuffle(bytes: Register, order: Register) -> Register {
    vqtbl1q_u8(bytes, order)
}

/// The key as it is: all round keys fit in registers.
#[inline]
pub(super) fn hidden(key: &Key) -> &Key {
    key
}

#[inline]
#[target_feature(enable = "neon,aes")]
pub(super) fn load(block: &Block) -> Register {
    // SAFETY: 16 bytes are read from 16 bytes.
    unsafe { load_from(block.as_ptr()) }
}

/// # Safety
/// 16 bytes can be read there.
#[inline]
#[target_feature(enable = "neon,aes")]
pub(super) unsafe fn load_from(place: *const u8) -> Register {
    // SAFETY: 16 bytes can be read; no alignment is required.
    unsafe { vld1q_u8(place) }
}

#[inline]
#[target_feature(enable = "neon,aes")]
pub(super) fn store(block: &mut Block, register: Register) {
    // SAFETY: 16 bytes are written to 16 bytes; no alignment is required.
    unsafe { vst1q_u8(block.as_mut_ptr(), register) }
}

/// Nothing: stable Rust has no such instruction, and reading onwards is what these processors recognize.
#[inline]
#[target_feature(enable = "neon,aes")]
pub(super) fn prefetch(_: &[Block; 4]) {}
