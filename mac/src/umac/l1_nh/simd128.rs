//! The operations of WebAssembly's vectors for NH (RFC 4418, section 5.2.2) in [`halves`](super::halves). A program has
//! them or not: nothing is detected.
#![allow(unsafe_code)]

use super::{Four, UnitKey};
use core::arch::wasm32::*;

/// The sums of all streams so far, each in two lanes.
#[derive(Clone, Copy)]
pub(crate) struct Sums<const STREAMS: usize>([v128; STREAMS]);

impl<const STREAMS: usize> Sums<STREAMS> {
    #[inline]
    #[target_feature(enable = "simd128")]
    pub(crate) fn zero() -> Self {
        Sums([u64x2_splat(0); STREAMS])
    }
}

/// Adds a unit, whose halves are `x` and `y`. There is one sum for each stream, whatever the turn.
#[inline]
#[target_feature(enable = "simd128")]
pub(crate) fn add_unit<const STREAMS: usize>(
    Sums(sums): &mut Sums<STREAMS>,
    _turn: usize,
    key: &UnitKey,
    x: v128,
    y: v128,
) {
    for (t, sum) in sums.iter_mut().enumerate() {
        let a = u32x4_add(x, load_key(&key[t]));
        let b = u32x4_add(y, load_key(&key[t + 1]));
        let lower = u64x2_extmul_low_u32x4(a, b);
        *sum = u64x2_add(u64x2_add(*sum, lower), u64x2_extmul_high_u32x4(a, b));
    }
}

/// The sums of streams 0 and 1, and of streams 2 and 3; 0 for streams that are not there.
#[inline]
#[target_feature(enable = "simd128")]
pub(crate) fn pairs<const STREAMS: usize>(Sums(sums): Sums<STREAMS>) -> [v128; 2] {
    let lanes = |t: usize| if t < STREAMS { sums[t] } else { u64x2_splat(0) };
    [0, 2].map(|t| {
        let (a, b) = (lanes(t), lanes(t + 1));
        u64x2_add(u64x2_shuffle::<0, 2>(a, b), u64x2_shuffle::<1, 3>(a, b))
    })
}

#[inline]
#[target_feature(enable = "simd128")]
pub(crate) fn words_of(pair: v128) -> [u64; 2] {
    [u64x2_extract_lane::<0>(pair), u64x2_extract_lane::<1>(pair)]
}

#[inline]
#[target_feature(enable = "simd128")]
pub(crate) fn register(number: u128) -> v128 {
    u64x2(number as u64, (number >> 64) as u64)
}

#[inline]
#[target_feature(enable = "simd128")]
pub(crate) fn load(bytes: &[u8; 16]) -> v128 {
    // SAFETY: 16 bytes are read from 16 bytes; no alignment is asked for.
    unsafe { v128_load(bytes.as_ptr().cast()) }
}

#[inline]
#[target_feature(enable = "simd128")]
fn load_key(words: &Four) -> v128 {
    // SAFETY: 16 bytes are read from 16 bytes; no alignment is asked for.
    unsafe { v128_load(words.as_ptr().cast()) }
}
