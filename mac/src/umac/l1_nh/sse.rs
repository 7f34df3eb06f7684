//! The operations of SSE2 for NH (RFC 4418, section 5.2.2) in [`halves`](super::halves).
#![allow(unsafe_code)]

use super::UnitKey;
use crate::aligned::Aligned;
use crate::ends::slide;
use core::arch::x86_64::*;

pub(crate) use crate::simd::load128 as load;

pub(crate) type Register = __m128i;

/// The sums of all streams so far, each in two lanes.
#[derive(Clone, Copy)]
pub(crate) struct Sums<const STREAMS: usize>([Register; STREAMS]);

impl<const STREAMS: usize> Sums<STREAMS> {
    #[inline]
    #[target_feature(enable = "sse2")]
    pub(crate) fn zero() -> Self {
        Sums([_mm_setzero_si128(); STREAMS])
    }
}

/// Adds a unit, whose halves are `x` and `y`. There is one sum for each stream, whatever the turn.
#[inline]
#[target_feature(enable = "sse2")]
pub(crate) fn add_unit<const STREAMS: usize>(
    Sums(sums): &mut Sums<STREAMS>,
    _turn: usize,
    key: &UnitKey,
    x: Register,
    y: Register,
) {
    for (t, sum) in sums.iter_mut().enumerate() {
        let a = _mm_add_epi32(x, aligned(&key[t]));
        let b = _mm_add_epi32(y, aligned(&key[t + 1]));
        // A shift and a shuffle, because they wait for different ports.
        let upper = _mm_mul_epu32(_mm_srli_epi64::<32>(a), _mm_shuffle_epi32::<0xf5>(b));
        *sum = _mm_add_epi64(*sum, _mm_mul_epu32(a, b));
        *sum = _mm_add_epi64(*sum, upper);
    }
}

/// The sums of streams 0 and 1, and of streams 2 and 3; 0 for streams that are not there.
#[inline]
#[target_feature(enable = "sse2")]
pub(crate) fn pairs<const STREAMS: usize>(Sums(sums): Sums<STREAMS>) -> [Register; 2] {
    let lanes = |t: usize| if t < STREAMS { sums[t] } else { _mm_setzero_si128() };
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

/// 16 bytes of a table.
#[inline]
#[target_feature(enable = "sse2")]
pub(crate) fn aligned<T>(block: &Aligned<T>) -> Register {
    const { assert!(size_of::<T>() == 16) };
    // SAFETY: 16 bytes are read from 16 bytes; they are aligned.
    unsafe { _mm_load_si128((&raw const block.0).cast()) }
}

/// The block moved down by `shift` bytes, fewer than 64.
#[inline]
#[target_feature(enable = "sse2,ssse3")]
pub(crate) fn slid(block: &[u8; 16], shift: usize) -> Register {
    shuffle(load(block), slide(shift))
}

/// The bytes of a register in another order.
#[inline]
#[target_feature(enable = "sse2,ssse3")]
pub(crate) fn shuffle(bytes: Register, order: &[u8; 16]) -> Register {
    _mm_shuffle_epi8(bytes, load(order))
}
