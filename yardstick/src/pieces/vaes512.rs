//! The sum with VAES: sixteen pieces side by side in four 512-bit registers.
//!
//! ```text
//! numbers   n0 n1 n2 n3 n4 n5 n6 n7      the bytes of each in reverse order
//! pieces    p0 p1 p2 p3 p4 p5 p6 p7
//! blocks    n0 p0 n2 p2 n4 p4 n6 p6      and      n1 p1 n3 p3 n5 p5 n7 p7
//! ```
//!
//! This is not the order of the pieces, but the sum does not depend on the order.
#![allow(unsafe_code)]

use super::Piece;
use core::arch::x86_64::*;
use wegman::cipher::Block;
use wegman::hazmat::aes::{Rounds, keys};

/// Pieces in a register.
const WIDTH: usize = 8;

#[target_feature(enable = "avx512f,avx512bw,aes,vaes")]
pub(super) fn absorb(rounds: &Rounds, first: u64, pieces: &[Piece], sum: &mut Block) {
    let mut number = first;
    let mut total = _mm512_setzero_si512();
    let (pairs, rest) = pieces.as_chunks::<{ 2 * WIDTH }>();
    for pair in pairs {
        let (one, two) = pair.split_at(WIDTH);
        let [a, b] = blocks(number, load(0xff, one));
        let [c, d] = blocks(number + WIDTH as u64, load(0xff, two));
        for state in encrypt(rounds, [a, b, c, d]) {
            total = _mm512_xor_si512(total, state);
        }
        number += 2 * WIDTH as u64;
    }
    for some in rest.chunks(WIDTH) {
        let mask = 0xff >> (WIDTH - some.len());
        let [even, odd] = encrypt(rounds, blocks(number, load(mask, some)));
        // Two mask bits, for the two words of a block, for each piece that is there.
        let (mask_even, mask_odd) = ((mask & 0x55) * 3, (mask >> 1 & 0x55) * 3);
        total = _mm512_xor_si512(total, _mm512_maskz_mov_epi64(mask_even, even));
        total = _mm512_xor_si512(total, _mm512_maskz_mov_epi64(mask_odd, odd));
        number += WIDTH as u64;
    }
    let two =
        _mm256_xor_si256(_mm512_castsi512_si256(total), _mm512_extracti64x4_epi64::<1>(total));
    let one = _mm_xor_si128(_mm256_castsi256_si128(two), _mm256_extracti128_si256::<1>(two));
    // SAFETY: 16 bytes are read from 16 bytes and written to them; no alignment is required.
    unsafe {
        let before = _mm_loadu_si128(sum.as_ptr().cast());
        _mm_storeu_si128(sum.as_mut_ptr().cast(), _mm_xor_si128(before, one));
    }
}

/// The blocks of eight pieces. The first piece has the number `number`.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,aes,vaes")]
fn blocks(number: u64, pieces: __m512i) -> [__m512i; 2] {
    let numbers = _mm512_add_epi64(
        _mm512_set1_epi64(number.cast_signed()),
        _mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7),
    );
    let reversed = _mm_set_epi64x(0x0809_0a0b_0c0d_0e0f, 0x0001_0203_0405_0607);
    let numbers = _mm512_shuffle_epi8(numbers, _mm512_broadcast_i32x4(reversed));
    [_mm512_unpacklo_epi64(numbers, pieces), _mm512_unpackhi_epi64(numbers, pieces)]
}

/// AES of several registers side by side.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,aes,vaes")]
fn encrypt<const L: usize>(rounds: &Rounds, states: [__m512i; L]) -> [__m512i; L] {
    let [first, middle @ .., last] = keys(rounds) else { unreachable!("eleven keys or more") };
    let first = four(first);
    let mut states = states.map(|state| _mm512_xor_si512(state, first));
    for key in middle {
        let key = four(key);
        states = states.map(|state| _mm512_aesenc_epi128(state, key));
    }
    let last = four(last);
    states.map(|state| _mm512_aesenclast_epi128(state, last))
}

/// A round key, four times.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,aes,vaes")]
fn four(key: &Block) -> __m512i {
    // SAFETY: 16 bytes are read from 16 bytes; no alignment is required.
    _mm512_broadcast_i32x4(unsafe { _mm_loadu_si128(key.as_ptr().cast()) })
}

/// Up to eight pieces. The mask has a one bit for each.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,aes,vaes")]
fn load(mask: u8, pieces: &[Piece]) -> __m512i {
    debug_assert_eq!(mask.count_ones() as usize, pieces.len());
    // SAFETY: the mask has these pieces and no others are read; no alignment is required.
    unsafe { _mm512_maskz_loadu_epi64(mask, pieces.as_ptr().cast()) }
}
