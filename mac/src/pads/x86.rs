//! The pad (RFC 4418, section 3.3) inside a packet kernel, kept in the registers in which it is added to the hash.

use super::{Blocks, order_from};
use crate::simd::load128;
use core::arch::x86_64::*;

/// The encrypted `block` from byte `start` on.
///
/// # Safety
/// Call it only on a machine with these features, as a row of kernels ensures.
#[inline]
#[target_feature(enable = "ssse3,aes")]
pub fn pad_from<const STREAMS: usize>(
    rounds: &[[u8; 16]; 11],
    block: u128,
    start: usize,
) -> __m128i {
    let block = _mm_set_epi64x((block >> 64) as i64, block as i64);
    let mut state = _mm_xor_si128(block, load128(&rounds[0]));
    for round in &rounds[1..10] {
        state = _mm_aesenc_si128(state, load128(round));
    }
    state = _mm_aesenclast_si128(state, load128(&rounds[10]));
    if STREAMS > 2 {
        return state; // the pad is the whole block
    }
    _mm_shuffle_epi8(state, load128(order_from(start)))
}

/// Four blocks, from number `from` (0 or 4) on. In 64-bit lanes:
///
/// ```text
/// sums      upper 0  lower 0 | upper 1  lower 1 | upper 2  lower 2 | upper 3  lower 3      + number << shift
/// carries   of lower 0 to upper 0, ...                                                     a bit of a mask each
/// ```
///
/// # Safety
/// Call it only on a machine with these features, as a row of kernels ensures.
///
/// # Bounds
/// A number is at most 7, and `shift` at most 59 where it moves a number within the lower word: no bit is lost.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
pub fn four_blocks(&Blocks { high, shift, low, part: _ }: &Blocks, from: i64) -> __m512i {
    // Of each block, the even lane is its upper word and the odd lane its lower word.
    let (shift, high, low) = (shift as i64, high as i64, low as i64);
    let reversed = _mm_setr_epi8(7, 6, 5, 4, 3, 2, 1, 0, 15, 14, 13, 12, 11, 10, 9, 8);
    let reversed = _mm512_broadcast_i32x4(reversed);
    if shift >= 64 {
        // Nonces of at most 8 bytes: the upper words count, without carries.
        let numbers = _mm512_setr_epi64(0, 0, 1, 0, 2, 0, 3, 0);
        let numbers = _mm512_mask_add_epi64(numbers, 0x55, numbers, _mm512_set1_epi64(from));
        let steps = _mm512_sllv_epi64(numbers, _mm512_set1_epi64(shift - 64));
        let first = _mm512_mask_set1_epi64(_mm512_set1_epi64(high), 0xaa, low);
        return _mm512_shuffle_epi8(_mm512_add_epi64(first, steps), reversed);
    }
    // A shift by 64 or more gives zero; below zero is more.
    // Two at first: for four, the compiler would load words together and wait until each is stored.
    let first = _mm512_broadcast_i64x4(_mm256_setr_epi64x(high, low, high, low));
    let shifts = _mm256_setr_epi64x(shift - 64, shift, shift - 64, shift);
    let shifts = _mm512_broadcast_i64x4(shifts);
    let numbers = _mm512_setr_epi64(0, 0, 1, 1, 2, 2, 3, 3);
    let numbers = _mm512_add_epi64(numbers, _mm512_set1_epi64(from));
    let steps = _mm512_sllv_epi64(numbers, shifts);
    let sums = _mm512_add_epi64(first, steps);
    // Carries go from the odd lanes to the even ones.
    let carries = (_mm512_cmplt_epu64_mask(sums, steps) & 0xaa) >> 1;
    let sums = _mm512_mask_sub_epi64(sums, carries, sums, _mm512_set1_epi64(-1));
    _mm512_shuffle_epi8(sums, reversed)
}

/// Two blocks, from number `from` (0 to 6) on. [`four_blocks`] explains the steps, and has the same bounds.
///
/// # Safety
/// Call it only on a machine with this feature, as a row of kernels ensures.
#[inline]
#[target_feature(enable = "avx2")]
pub fn two_blocks(&Blocks { high, shift, low, part: _ }: &Blocks, from: i64) -> __m256i {
    let (shift, high, low) = (shift as i64, high as i64, low as i64);
    let first = _mm256_setr_epi64x(high, low, high, low);
    let shifts = _mm256_setr_epi64x(shift - 64, shift, shift - 64, shift);
    let numbers = _mm256_add_epi64(_mm256_setr_epi64x(0, 0, 1, 1), _mm256_set1_epi64x(from));
    let steps = _mm256_sllv_epi64(numbers, shifts);
    let sums = _mm256_add_epi64(first, steps);
    // Compared as numbers without sign. A carry is -1.
    let unsigned = |words| _mm256_xor_si256(words, _mm256_set1_epi64x(i64::MIN));
    let carries = _mm256_cmpgt_epi64(unsigned(steps), unsigned(sums));
    let sums = _mm256_sub_epi64(sums, _mm256_srli_si256::<8>(carries));
    let reversed = _mm_setr_epi8(7, 6, 5, 4, 3, 2, 1, 0, 15, 14, 13, 12, 11, 10, 9, 8);
    _mm256_shuffle_epi8(sums, _mm256_broadcastsi128_si256(reversed))
}
