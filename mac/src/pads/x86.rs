//! The pad inside a packet kernel, kept in the registers in which it is added to the hash.
#![allow(unsafe_code)]

use core::arch::x86_64::*;

/// The encrypted `block` from byte `start` on.
#[inline]
#[target_feature(enable = "ssse3,aes")]
pub(crate) fn part<const STREAMS: usize>(
    rounds: &[[u8; 16]; 11],
    block: u128,
    start: usize,
) -> __m128i {
    let block = _mm_set_epi64x((block >> 64) as i64, block as i64);
    let mut state = _mm_xor_si128(block, block_of(&rounds[0]));
    for round in &rounds[1..10] {
        state = _mm_aesenc_si128(state, block_of(round));
    }
    state = _mm_aesenclast_si128(state, block_of(&rounds[10]));
    if STREAMS > 2 {
        return state; // the pad is the whole block
    }
    // Moves byte `start` and those after it to the beginning.
    static ORDERS: [u8; 32] = {
        let mut orders = [0; 32];
        let mut i = 0;
        while i < 32 {
            orders[i] = i as u8 % 16;
            i += 1;
        }
        orders
    };
    let order = ORDERS[start % 16..].first_chunk().expect("16 bytes from each of 16 places");
    _mm_shuffle_epi8(state, block_of(order))
}

#[inline]
#[target_feature(enable = "ssse3,aes")]
fn block_of(bytes: &[u8; 16]) -> __m128i {
    // SAFETY: 16 bytes are read from 16 bytes; no alignment is required.
    unsafe { _mm_loadu_si128(bytes.as_ptr().cast()) }
}
