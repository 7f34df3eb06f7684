//! AES (FIPS 197) with VAES, in 256-bit registers: what many blocks take half as long in.

use super::{Rounds, aesni};
use crate::cipher::Block;
use crate::simd::{load128, load256, store256};
use core::arch::x86_64::*;

#[target_feature(enable = "avx2,aes,vaes")]
pub(super) fn encrypt(rounds: &Rounds, blocks: &mut [Block]) {
    let key = |i: usize| _mm256_broadcastsi128_si256(load128(&rounds.keys[i]));
    let (groups, rest) = blocks.as_chunks_mut::<16>();
    for group in groups {
        let (pairs, _) = group.as_chunks_mut::<2>();
        let mut states: [_; 8] =
            core::array::from_fn(|i| _mm256_xor_si256(load256(&pairs[i]), key(0)));
        for i in 1..rounds.count {
            states = states.map(|state| _mm256_aesenc_epi128(state, key(i)));
        }
        for (pair, state) in pairs.iter_mut().zip(states) {
            store256(pair, _mm256_aesenclast_epi128(state, key(rounds.count)));
        }
    }
    aesni::encrypt(rounds, rest);
}
