//! NH in 512-bit registers: two units side by side, the two words of a product in one 64-bit lane.
//!
//! ```text
//! load     x0 x1 x2 x3 y0 y1 y2 y3 | the next unit
//! permute  x0 y0 x1 y1 x2 y2 x3 y3 | ...
//! then for each stream: add the key, shift the y down, multiply, add to the stream's sums
//! ```
//!
//! The instruction mix was chosen by measured time. Storing the sums and loading their upper words back would save one
//! of four vector instructions. On Golden Cove dense multiplications lower the clock by as much; on Zen 4 it takes half
//! as long again.
#![allow(unsafe_code)]

use super::{CHUNK, Key, parts};
use core::arch::x86_64::*;
use core::hint::black_box;

/// Bytes of two units, which fill a register.
pub(crate) const STEP: usize = 64;

#[target_feature(enable = "avx512f,avx512bw,bmi2")]
pub(super) fn nh<const STREAMS: usize, const SIGNED: bool>(
    key: &Key,
    message: &[u8],
    sums: &mut [u64],
) {
    for (part, sums) in parts::<STREAMS>(message, sums) {
        // Hidden from the compiler, which would load the whole key ahead of the loop and spill it.
        let key = black_box(key);
        let lanes = match part.try_into() {
            Ok(chunk) => whole::<STREAMS, SIGNED>(key, chunk, |_| ()),
            Err(_) => lanes::<STREAMS, SIGNED>(key, part),
        };
        let mut four = [0u64; 4];
        // SAFETY: 32 bytes are written to 32 bytes; no alignment is asked for.
        unsafe { _mm256_storeu_si256(four.as_mut_ptr().cast(), totals(lanes)) };
        *sums = core::array::from_fn(|t| four[t]);
    }
}

/// NH of a whole chunk. Each stream's sum is still spread over eight lanes. `meanwhile` is called before each step,
/// with the step's number.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,bmi2")]
pub(crate) fn whole<const STREAMS: usize, const SIGNED: bool>(
    key: &Key,
    chunk: &[u8; CHUNK],
    meanwhile: impl Fn(usize),
) -> [__m512i; STREAMS] {
    let mut sums = [_mm512_setzero_si512(); STREAMS];
    // Four steps in each round: the compiler unrolls four, whatever the number of streams.
    for (i, steps) in chunk.as_chunks::<{ 4 * STEP }>().0.iter().enumerate() {
        for (j, step) in steps.as_chunks().0.iter().enumerate() {
            meanwhile(4 * i + j);
            let units = pairs(load(step));
            for (t, sum) in sums.iter_mut().enumerate() {
                let words = _mm512_add_epi32(units, key_of(key, t, 4 * i + j));
                *sum = _mm512_add_epi64(*sum, products::<SIGNED>(!0, words));
            }
        }
    }
    sums
}

/// NH of at most a chunk. Each stream's sum is still spread over eight lanes.
///
/// The last register is loaded under a mask, so that the last 0 to 64 bytes take the same instructions whatever their
/// number.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,bmi2")]
pub(crate) fn lanes<const STREAMS: usize, const SIGNED: bool>(
    key: &Key,
    mut message: &[u8],
) -> [__m512i; STREAMS] {
    let mut sums = [_mm512_setzero_si512(); STREAMS];
    let mut i = 0;
    while let Some((step, rest)) = message.split_first_chunk()
        && !rest.is_empty()
        && i < CHUNK / STEP - 1
    {
        let units = pairs(load(step));
        for (t, sum) in sums.iter_mut().enumerate() {
            let words = _mm512_add_epi32(units, key_of(key, t, i));
            *sum = _mm512_add_epi64(*sum, products::<SIGNED>(!0, words));
        }
        message = rest;
        i += 1;
    }
    let units = pairs(load_short(message));
    // If there is no second unit, its keys must not count.
    let mask = if message.len() > STEP / 2 { 0xff } else { 0x0f };
    for (t, sum) in sums.iter_mut().enumerate() {
        let words = _mm512_add_epi32(units, key_of(key, t, i));
        *sum = _mm512_add_epi64(*sum, products::<SIGNED>(mask, words));
    }
    sums
}

/// As [`lanes`], for at most 64 bytes and unsigned factors.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,bmi2")]
pub(crate) fn short_lanes<const STREAMS: usize>(key: &Key, message: &[u8]) -> [__m512i; STREAMS] {
    let units = pairs(load_short(message));
    let mask = if message.len() > STEP / 2 { 0xff } else { 0x0f };
    core::array::from_fn(|t| {
        let words = _mm512_add_epi32(units, key_of(key, t, 0));
        products::<false>(mask, words)
    })
}

/// The sum of each stream's lanes, stream after stream; unused streams have 0.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,bmi2")]
pub(crate) fn totals<const STREAMS: usize>(lanes: [__m512i; STREAMS]) -> __m256i {
    let half = |t: usize| match lanes.get(t) {
        Some(&all) => {
            _mm256_add_epi64(_mm512_castsi512_si256(all), _mm512_extracti64x4_epi64::<1>(all))
        }
        None => _mm256_setzero_si256(),
    };
    // The lanes of two streams alternate.
    let two = |a, b| _mm256_add_epi64(_mm256_unpacklo_epi64(a, b), _mm256_unpackhi_epi64(a, b));
    let first = two(half(0), half(1));
    if STREAMS <= 2 {
        let (low, high) = (_mm256_castsi256_si128(first), _mm256_extracti128_si256::<1>(first));
        return _mm256_zextsi128_si256(_mm_add_epi64(low, high));
    }
    let second = two(half(2), half(3));
    _mm256_add_epi64(
        _mm256_permute2x128_si256::<0x20>(first, second),
        _mm256_permute2x128_si256::<0x31>(first, second),
    )
}

/// Brings the two words of each product together.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,bmi2")]
fn pairs(units: __m512i) -> __m512i {
    let order = _mm512_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7, 8, 12, 9, 13, 10, 14, 11, 15);
    _mm512_permutexvar_epi32(order, units)
}

/// The products of the lanes in the mask `counted`, and 0 in the others.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,bmi2")]
fn products<const SIGNED: bool>(counted: __mmask8, words: __m512i) -> __m512i {
    let upper = _mm512_srli_epi64::<32>(words);
    if SIGNED {
        _mm512_maskz_mul_epi32(counted, words, upper)
    } else {
        _mm512_maskz_mul_epu32(counted, words, upper)
    }
}

/// Stream `t`'s keys of register `i` of the chunk.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,bmi2")]
fn key_of(key: &Key, t: usize, i: usize) -> __m512i {
    let words: &[u32; 16] = key.pairs(t, i);
    // SAFETY: 64 bytes are read from 64 bytes; no alignment is asked for.
    unsafe { _mm512_loadu_si512(words.as_ptr().cast()) }
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,bmi2")]
pub(crate) fn load(bytes: &[u8; STEP]) -> __m512i {
    // SAFETY: 64 bytes are read from 64 bytes; no alignment is asked for.
    unsafe { _mm512_loadu_si512(bytes.as_ptr().cast()) }
}

/// Prefetches bytes that will be loaded.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,bmi2")]
pub(crate) fn prefetch(bytes: &[u8; STEP]) {
    #[allow(unused_unsafe)] // newer compilers call it safe
    // SAFETY: the instruction changes nothing that a program can see, whatever the address.
    unsafe {
        _mm_prefetch::<_MM_HINT_T2>(bytes.as_ptr().cast());
    };
}

/// Loads at most 64 bytes, followed by zeroes.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,bmi2")]
pub(crate) fn load_short(bytes: &[u8]) -> __m512i {
    debug_assert!(bytes.len() <= STEP);
    let mask = _bzhi_u64(u64::MAX, bytes.len() as u32);
    // SAFETY: the mask lets at most the first `bytes.len()` bytes be read, for any length. (The instruction that makes
    // the mask uses the lowest eight bits of the length.)
    unsafe { _mm512_maskz_loadu_epi8(mask, bytes.as_ptr().cast()) }
}
