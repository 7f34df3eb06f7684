//! NH with 16-bit words in 512-bit registers: the x of four units in one, their y in another. VNNI
//! multiplies, adds in pairs and accumulates in one instruction.
#![allow(unsafe_code)]

use super::{Block, Blocks, MOST, UNIT, place};
use core::arch::x86_64::*;
use core::hint::black_box;

/// Bytes of four units.
const STEP: usize = 4 * UNIT;

#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
pub(super) fn nh<const STREAMS: usize>(key: Blocks<'_>, chunk: &[u8], sums: &mut [u32]) {
    let (steps, rest) = chunk.as_chunks::<STEP>();
    let mut totals = [_mm512_setzero_si512(); STREAMS];
    // Hidden, or the compiler loads the whole key ahead of the loop and spills it.
    let key = black_box(key);
    for (i, step) in steps.iter().enumerate() {
        let (halves, _) = step.as_chunks();
        add_units(&mut totals, key, 4 * i, 0xffff, load(&halves[0]), load(&halves[1]));
    }
    if !rest.is_empty() || steps.is_empty() {
        // Units that are not there must not count: their keys would.
        let counted = !0 >> (16 - 4 * rest.len().div_ceil(UNIT).max(1));
        let (first, second) = rest.split_at(rest.len().min(64));
        let (first, second) = (load_front(first), load_front(second));
        add_units(&mut totals, key, 4 * steps.len(), counted, first, second);
    }
    for (sum, total) in sums.iter_mut().zip(totals) {
        *sum = _mm512_reduce_add_epi32(total) as u32;
    }
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
fn add_units<const STREAMS: usize>(
    totals: &mut [__m512i; STREAMS],
    key: Blocks<'_>,
    i: usize,
    counted: u16,
    first: __m512i,
    second: __m512i,
) {
    let x = _mm512_shuffle_i64x2::<0x88>(first, second);
    let y = _mm512_shuffle_i64x2::<0xdd>(first, second);
    let keys = key.from::<{ MOST / 2 + 4 }>(i);
    for (t, total) in totals.iter_mut().enumerate() {
        let ((a, i), (b, j)) = (place(t, 0), place(t, 1));
        let a = _mm512_add_epi16(x, load_keys(keys[a][i..].first_chunk().expect("four")));
        let b = _mm512_add_epi16(y, load_keys(keys[b][j..].first_chunk().expect("four")));
        *total = if counted == 0xffff {
            _mm512_dpwssd_epi32(*total, a, b)
        } else {
            _mm512_mask_dpwssd_epi32(*total, counted, a, b)
        };
    }
}

#[inline]
#[target_feature(enable = "avx512f")]
fn load(bytes: &[u8; 64]) -> __m512i {
    // SAFETY: 64 bytes are read from 64 bytes; no alignment is asked for.
    unsafe { _mm512_loadu_si512(bytes.as_ptr().cast()) }
}

/// At most 64 bytes, zeroes after them.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn load_front(bytes: &[u8]) -> __m512i {
    let mask = (1u128.wrapping_shl(bytes.len() as u32) - 1) as u64;
    // SAFETY: only the slice's bytes, at most 64, are read.
    unsafe { _mm512_maskz_loadu_epi8(mask, bytes.as_ptr().cast()) }
}

#[inline]
#[target_feature(enable = "avx512f")]
fn load_keys(blocks: &[Block; 4]) -> __m512i {
    // SAFETY: 64 bytes are read from 64 bytes; no alignment is asked for.
    unsafe { _mm512_loadu_si512(blocks.as_ptr().cast()) }
}
