//! The operations of AES-NI for [`aes`](super::aes).
#![allow(unsafe_code)]

use super::Key;
use crate::cipher::Block;
use core::arch::x86_64::*;
use core::hint::black_box;

pub(super) type Register = __m128i;

/// AES of blocks xor offsets, which have the first round key in them.
#[inline]
#[target_feature(enable = "ssse3,aes")]
pub(super) fn encrypt<const ROUNDS: usize, const L: usize>(
    key: &Key,
    mut states: [Register; L],
    offsets: [Register; L],
) -> [Register; L] {
    for (state, offset) in states.iter_mut().zip(offsets) {
        *state = xor(*state, offset);
    }
    for round in &key.rounds[1..ROUNDS] {
        let round = load(&round[0]);
        for state in &mut states {
            *state = _mm_aesenc_si128(*state, round);
            if L > 4 {
                *state = in_order(*state);
            }
        }
    }
    let last = load(&key.rounds[ROUNDS][0]);
    for state in &mut states {
        *state = _mm_aesenclast_si128(*state, last);
    }
    states
}

/// AES of blocks xor offsets, all but adding [`shared`].
#[inline]
#[target_feature(enable = "ssse3,aes")]
pub(super) fn almost<const ROUNDS: usize, const L: usize>(
    key: &Key,
    states: [Register; L],
    offsets: [Register; L],
) -> [Register; L] {
    encrypt::<ROUNDS, L>(key, states, offsets)
}

/// What [`almost`] leaves to be added: nothing.
#[inline]
#[target_feature(enable = "ssse3,aes")]
pub(super) fn shared<const ROUNDS: usize>(_: &Key) -> Register {
    register(0)
}

/// Keeps the rounds of many registers interleaved; vaes512.rs explains why.
#[inline]
#[target_feature(enable = "ssse3,aes")]
fn in_order(state: Register) -> Register {
    #[cfg(not(miri))] // Miri has no assembly
    let state = {
        let after;
        // SAFETY: the assembly is a comment; it executes nothing.
        unsafe {
            core::arch::asm!(
                "/* {} */",
                inout(xmm_reg) state => after,
                options(nomem, nostack, preserves_flags),
            );
        }
        after
    };
    state
}

#[inline]
#[target_feature(enable = "ssse3,aes")]
pub(super) fn xor(a: Register, b: Register) -> Register {
    _mm_xor_si128(a, b)
}

#[inline]
#[target_feature(enable = "ssse3,aes")]
pub(super) fn and(a: Register, b: Register) -> Register {
    _mm_and_si128(a, b)
}

#[inline]
#[target_feature(enable = "ssse3,aes")]
pub(super) fn register(number: u128) -> Register {
    _mm_set_epi64x((number >> 64) as i64, number as i64)
}

/// The bytes of a block in another order; zero for an index of 0x80.
#[inline]
#[target_feature(enable = "ssse3,aes")]
pub(super) fn shuffle(bytes: Register, order: Register) -> Register {
    _mm_shuffle_epi8(bytes, order)
}

/// The key, hidden from the compiler, which would copy the round keys to the stack before a loop.
#[inline]
pub(super) fn hidden(key: &Key) -> &Key {
    black_box(key)
}

#[inline]
#[target_feature(enable = "ssse3,aes")]
pub(super) fn load(block: &Block) -> Register {
    // SAFETY: 16 bytes are read from 16 bytes.
    unsafe { load_from(block.as_ptr()) }
}

/// # Safety
/// 16 bytes can be read there.
#[inline]
#[target_feature(enable = "ssse3,aes")]
pub(super) unsafe fn load_from(place: *const u8) -> Register {
    // SAFETY: 16 bytes can be read; no alignment is required.
    unsafe { _mm_loadu_si128(place.cast()) }
}

#[inline]
#[target_feature(enable = "ssse3,aes")]
pub(super) fn store(block: &mut Block, register: Register) {
    // SAFETY: 16 bytes are written to 16 bytes; no alignment is required.
    unsafe { _mm_storeu_si128(block.as_mut_ptr().cast(), register) }
}

/// Prefetches a cache line of blocks that will be loaded.
#[inline]
#[target_feature(enable = "ssse3,aes")]
pub(super) fn prefetch(line: &[Block; 4]) {
    #[allow(unused_unsafe)] // newer compilers call it safe
    // SAFETY: the instruction has no effect that the program can see, whatever the address.
    unsafe {
        _mm_prefetch::<_MM_HINT_T0>(line.as_ptr().cast());
    };
}
