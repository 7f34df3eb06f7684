//! The operations of SSE2 for [`halves`](super::halves).
//!
//! The multiplication is unsigned: `s32(a) * s32(b) = a * b - 2^32 (b if a is negative) - 2^32 (a if b is)`.
//! `excess` sums what is to be subtracted, in 32-bit lanes that count multiples of 2^32.
#![allow(unsafe_code)]

use super::UnitKey;
use crate::aligned::Aligned;
use core::arch::x86_64::*;

pub(crate) type Register = __m128i;

/// The sums of all streams so far, each in two lanes.
#[derive(Clone, Copy)]
pub(crate) struct Sums<const STREAMS: usize> {
    sums: [Register; STREAMS],
    /// Zero unless `SIGNED`.
    excess: [Register; STREAMS],
}

impl<const STREAMS: usize> Sums<STREAMS> {
    #[inline]
    #[target_feature(enable = "sse2")]
    pub(crate) fn zero() -> Self {
        Sums { sums: [_mm_setzero_si128(); STREAMS], excess: [_mm_setzero_si128(); STREAMS] }
    }
}

/// Adds a unit, whose halves are `x` and `y`. There is one sum for each stream, whatever the turn.
#[inline]
#[target_feature(enable = "sse2")]
pub(crate) fn add_unit<const STREAMS: usize, const SIGNED: bool>(
    Sums { sums, excess }: &mut Sums<STREAMS>,
    _turn: usize,
    key: &UnitKey,
    x: Register,
    y: Register,
) {
    for t in 0..STREAMS {
        let a = _mm_add_epi32(x, aligned(&key[t]));
        let b = _mm_add_epi32(y, aligned(&key[t + 1]));
        // A shift and a shuffle, because they wait for different ports.
        let upper = _mm_mul_epu32(_mm_srli_epi64::<32>(a), _mm_shuffle_epi32::<0xf5>(b));
        sums[t] = _mm_add_epi64(sums[t], _mm_mul_epu32(a, b));
        sums[t] = _mm_add_epi64(sums[t], upper);
        if SIGNED {
            let (of_a, of_b) = (_mm_srai_epi32::<31>(a), _mm_srai_epi32::<31>(b));
            excess[t] = _mm_add_epi32(excess[t], _mm_and_si128(of_a, b));
            excess[t] = _mm_add_epi32(excess[t], _mm_and_si128(of_b, a));
        }
    }
}

/// The sums of streams 0 and 1, and of streams 2 and 3; 0 for streams that are not there.
#[inline]
#[target_feature(enable = "sse2")]
pub(crate) fn pairs<const STREAMS: usize, const SIGNED: bool>(all: Sums<STREAMS>) -> [Register; 2] {
    let lanes = |t: usize| {
        if t >= STREAMS {
            return _mm_setzero_si128();
        }
        if !SIGNED {
            return all.sums[t];
        }
        let lower = _mm_slli_epi64::<32>(all.excess[t]);
        let upper = _mm_slli_epi64::<32>(_mm_srli_epi64::<32>(all.excess[t]));
        _mm_sub_epi64(all.sums[t], _mm_add_epi64(lower, upper))
    };
    [0, 2].map(|t| {
        let (a, b) = (lanes(t), lanes(t + 1));
        _mm_add_epi64(_mm_unpacklo_epi64(a, b), _mm_unpackhi_epi64(a, b))
    })
}

#[inline]
#[target_feature(enable = "sse2")]
pub(crate) fn words_of(pair: Register) -> [u64; 2] {
    let upper = _mm_unpackhi_epi64(pair, pair);
    [_mm_cvtsi128_si64(pair), _mm_cvtsi128_si64(upper)].map(|word| word as u64)
}

#[inline]
#[target_feature(enable = "sse2")]
pub(crate) fn register(number: u128) -> Register {
    _mm_set_epi64x((number >> 64) as i64, number as i64)
}

#[inline]
#[target_feature(enable = "sse2")]
pub(crate) fn load(bytes: &[u8; 16]) -> Register {
    // SAFETY: 16 bytes are read from 16 bytes; no alignment is asked for.
    unsafe { _mm_loadu_si128(bytes.as_ptr().cast()) }
}

/// 16 bytes of a table.
#[inline]
#[target_feature(enable = "sse2")]
pub(crate) fn aligned<T>(block: &Aligned<T>) -> Register {
    const { assert!(size_of::<T>() == 16) };
    // SAFETY: 16 bytes are read from 16 bytes; they are aligned.
    unsafe { _mm_load_si128((&raw const block.0).cast()) }
}
