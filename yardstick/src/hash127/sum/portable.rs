//! Two limbs of 64 bits with a sign, one word at a time. The meaning of the others.

use super::super::field::{P, add, fold_signed};
use super::{Key, WORDS};

/// Each power from -2^126 to 2^126, as high 2^64 + low, both with a sign.
pub(super) fn prepare(key: &mut Key) {
    let Key { limbs, powers, unlifts: _ } = key;
    for (limbs, power) in limbs.as_chunks_mut().0.iter_mut().zip(powers[1..].iter().rev()) {
        // p less from 2^126 on, without a branch.
        let power = power.wrapping_sub(P & (power >> 126).wrapping_neg()) as i128;
        let low = power as i64;
        *limbs = [low as u64, ((power - i128::from(low)) >> 64) as u64];
    }
}

pub(super) fn absorb(key: &Key, mut z: u128, words: &[[u8; 4]]) -> u128 {
    for block in words.chunks(WORDS) {
        z = key.step(z, block.len(), sum(key, block));
    }
    z
}

#[inline]
fn sum(key: &Key, words: &[[u8; 4]]) -> u128 {
    let (limbs, _) = key.limbs.as_chunks();
    let (mut low, mut high) = (0, 0); // at most 2^101 and 2^100 + 2^38, or as much below 0
    for (word, [low_limb, high_limb]) in words.iter().zip(&limbs[WORDS - words.len()..WORDS]) {
        let word = i128::from(i32::from_le_bytes(*word));
        low += word * i128::from(*low_limb as i64);
        high += word * i128::from(*high_limb as i64);
    }
    // 2^127 is 1.
    let above = high as u128 & ((1 << 63) - 1);
    add(fold_signed(low + (high >> 63)), above << 64)
}
