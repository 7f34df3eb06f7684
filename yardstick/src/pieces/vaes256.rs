//! The sum with VAES: sixteen pieces side by side in eight 256-bit registers.
//!
//! ```text
//! numbers   n0 n1 n2 n3      the bytes of each in reverse order
//! pieces    p0 p1 p2 p3
//! blocks    n0 p0 n2 p2      and      n1 p1 n3 p3
//! ```
//!
//! This is not the order of the pieces, but the sum does not depend on the order.
#![allow(unsafe_code)]

use super::Piece;
use core::arch::x86_64::*;
use wegman::cipher::Block;
use wegman::hazmat::aes::{Rounds, keys};

/// Pieces in a register.
const WIDTH: usize = 4;

#[target_feature(enable = "avx2,aes,vaes")]
pub(super) fn absorb(rounds: &Rounds, first: u64, pieces: &[Piece], sum: &mut Block) {
    let mut number = first;
    let mut total = _mm256_setzero_si256();
    let all = _mm256_set1_epi64x(-1);
    let (groups, rest) = pieces.as_chunks::<{ 4 * WIDTH }>();
    for group in groups {
        let mut states = [[_mm256_setzero_si256(); 2]; 4];
        for (states, pieces) in states.iter_mut().zip(group.chunks(WIDTH)) {
            *states = blocks(number, load(all, pieces));
            number += WIDTH as u64;
        }
        let [[a, b], [c, d], [e, f], [g, h]] = states;
        for state in encrypt(rounds, [a, b, c, d, e, f, g, h]) {
            total = _mm256_xor_si256(total, state);
        }
    }
    for some in rest.chunks(WIDTH) {
        // All ones for each piece that is there.
        let there = _mm256_set1_epi64x(some.len() as i64);
        let mask = _mm256_cmpgt_epi64(there, _mm256_setr_epi64x(0, 1, 2, 3));
        let [even, odd] = encrypt(rounds, blocks(number, load(mask, some)));
        let even = _mm256_and_si256(even, _mm256_unpacklo_epi64(mask, mask));
        let odd = _mm256_and_si256(odd, _mm256_unpackhi_epi64(mask, mask));
        total = _mm256_xor_si256(total, _mm256_xor_si256(even, odd));
        number += WIDTH as u64;
    }
    let one = _mm_xor_si128(_mm256_castsi256_si128(total), _mm256_extracti128_si256::<1>(total));
    // SAFETY: 16 bytes are read from 16 bytes and written to them; no alignment is required.
    unsafe {
        let before = _mm_loadu_si128(sum.as_ptr().cast());
        _mm_storeu_si128(sum.as_mut_ptr().cast(), _mm_xor_si128(before, one));
    }
}

/// The blocks of four pieces. The first piece has the number `number`.
#[inline]
#[target_feature(enable = "avx2,aes,vaes")]
fn blocks(number: u64, pieces: __m256i) -> [__m256i; 2] {
    let number = _mm256_set1_epi64x(number.cast_signed());
    let numbers = _mm256_add_epi64(number, _mm256_setr_epi64x(0, 1, 2, 3));
    let reversed = _mm_set_epi64x(0x0809_0a0b_0c0d_0e0f, 0x0001_0203_0405_0607);
    let numbers = _mm256_shuffle_epi8(numbers, _mm256_broadcastsi128_si256(reversed));
    [_mm256_unpacklo_epi64(numbers, pieces), _mm256_unpackhi_epi64(numbers, pieces)]
}

/// AES of several registers side by side.
#[inline]
#[target_feature(enable = "avx2,aes,vaes")]
fn encrypt<const L: usize>(rounds: &Rounds, states: [__m256i; L]) -> [__m256i; L] {
    let [first, middle @ .., last] = keys(rounds) else { unreachable!("eleven keys or more") };
    let first = two(first);
    let mut states = states.map(|state| _mm256_xor_si256(state, first));
    for key in middle {
        let key = two(key);
        states = states.map(|state| _mm256_aesenc_epi128(state, key));
    }
    let last = two(last);
    states.map(|state| _mm256_aesenclast_epi128(state, last))
}

/// A round key, twice.
#[inline]
#[target_feature(enable = "avx2,aes,vaes")]
fn two(key: &Block) -> __m256i {
    // SAFETY: 16 bytes are read from 16 bytes; no alignment is required.
    _mm256_broadcastsi128_si256(unsafe { _mm_loadu_si128(key.as_ptr().cast()) })
}

/// Up to four pieces. The mask has all ones for each.
#[inline]
#[target_feature(enable = "avx2,aes,vaes")]
fn load(mask: __m256i, pieces: &[Piece]) -> __m256i {
    // SAFETY: the mask has these pieces and no others are read; no alignment is required.
    unsafe { _mm256_maskload_epi64(pieces.as_ptr().cast(), mask) }
}
