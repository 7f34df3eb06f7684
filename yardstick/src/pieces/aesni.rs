//! The sum with AES-NI: eight pieces side by side in 128-bit registers.
#![allow(unsafe_code)]

use super::{Piece, join};
use core::arch::x86_64::*;
use wegman::cipher::Block;
use wegman::hazmat::aes::{Rounds, keys};

/// How many pieces run side by side: enough to hide the latency of a round.
const WIDTH: usize = 8;

#[target_feature(enable = "aes")]
pub(super) fn absorb(rounds: &Rounds, first: u64, pieces: &[Piece], sum: &mut Block) {
    let (mut number, mut total) = (first, load(sum));
    let (groups, rest) = pieces.as_chunks::<WIDTH>();
    for group in groups {
        total = _mm_xor_si128(total, side_by_side(rounds, number, group));
        number += WIDTH as u64;
    }
    let (pairs, rest) = rest.as_chunks::<2>();
    for pair in pairs {
        total = _mm_xor_si128(total, side_by_side(rounds, number, pair));
        number += 2;
    }
    if let [piece] = rest {
        total = _mm_xor_si128(total, side_by_side(rounds, number, &[*piece]));
    }
    // SAFETY: 16 bytes are written to 16 bytes; no alignment is required.
    unsafe { _mm_storeu_si128(sum.as_mut_ptr().cast(), total) };
}

/// Encrypts a block. Input and output are numbers, the first byte highest.
#[target_feature(enable = "aes")]
pub(super) fn encrypt(rounds: &Rounds, number: u128) -> u128 {
    // The first half of a block is the low half of a register and the high half of a number.
    let half = |shift| ((number >> shift) as u64).swap_bytes().cast_signed();
    let [state] = encrypt_all(rounds, [_mm_set_epi64x(half(0), half(64))]);
    let half = |register| _mm_cvtsi128_si64(register).cast_unsigned().swap_bytes();
    let (first, second) = (half(state), half(_mm_unpackhi_epi64(state, state)));
    join(first, second)
}

/// The sum of `L` encrypted pieces, the first of which has the number `number`.
#[inline]
#[target_feature(enable = "aes")]
fn side_by_side<const L: usize>(rounds: &Rounds, number: u64, pieces: &[Piece; L]) -> __m128i {
    let mut blocks = [_mm_setzero_si128(); L];
    for (i, (block, piece)) in (0..).zip(blocks.iter_mut().zip(pieces)) {
        // In a block, the highest byte of the number is the first.
        let number = (number + i).swap_bytes().cast_signed();
        *block = _mm_set_epi64x(i64::from_le_bytes(*piece), number);
    }
    let mut total = _mm_setzero_si128();
    for state in encrypt_all(rounds, blocks) {
        total = _mm_xor_si128(total, state);
    }
    total
}

/// AES of several registers side by side.
#[inline]
#[target_feature(enable = "aes")]
fn encrypt_all<const L: usize>(rounds: &Rounds, states: [__m128i; L]) -> [__m128i; L] {
    let [first, middle @ .., last] = keys(rounds) else { unreachable!("eleven keys or more") };
    let first = load(first);
    let mut states = states.map(|state| _mm_xor_si128(state, first));
    for key in middle {
        let key = load(key);
        states = states.map(|state| _mm_aesenc_si128(state, key));
    }
    let last = load(last);
    states.map(|state| _mm_aesenclast_si128(state, last))
}

#[inline]
#[target_feature(enable = "aes")]
fn load(block: &Block) -> __m128i {
    // SAFETY: 16 bytes are read from 16 bytes; no alignment is required.
    unsafe { _mm_loadu_si128(block.as_ptr().cast()) }
}
