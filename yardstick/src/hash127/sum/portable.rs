//! The sum of hash127 with two signed 64-bit limbs, one word at a time. It defines what every other kernel computes.

use super::super::field::{P, UpToP, add, fold_signed};
use super::{Key, WORDS};

/// Writes each power as high 2^64 + low, both signed.
///
/// # Bounds
/// Out: `low` from -2^63 to 2^63 - 1, `high` from -2^62 to 2^62. A power from 2^126 on is replaced by the power minus p,
/// so all are between -2^126 and 2^126; `high` is that divided by 2^64, rounded.
pub(super) fn prepare(key: &mut Key) {
    let Key { limbs, powers, unlifts: _ } = key;
    for (limbs, power) in limbs.as_chunks_mut().0.iter_mut().zip(powers[1..].iter().rev()) {
        let power = power.value();
        // Subtracts p from 2^126 on, without a branch.
        let power = power.wrapping_sub(P & (power >> 126).wrapping_neg()) as i128;
        let low = power as i64;
        *limbs = [low as u64, ((power - i128::from(low)) >> 64) as u64];
    }
}

pub(super) fn absorb(key: &Key, mut z: UpToP, words: &[[u8; 4]]) -> UpToP {
    for block in words.chunks(WORDS) {
        z = key.step(z, block.len(), sum(key, block));
    }
    z
}

/// The sum of the products of at most 128 words.
///
/// # Bounds
/// A word is at most 2^31 in absolute value, so 128 products with the low limbs come to at most 2^(31 + 63 + 7) and
/// those with the high limbs to at most 2^(31 + 62 + 7).
#[inline]
fn sum(key: &Key, words: &[[u8; 4]]) -> UpToP {
    let (limbs, _) = key.limbs.as_chunks();
    let (mut low, mut high) = (0, 0);
    for (word, [low_limb, high_limb]) in words.iter().zip(&limbs[WORDS - words.len()..WORDS]) {
        let word = i128::from(i32::from_le_bytes(*word));
        low += word * i128::from(*low_limb as i64);
        high += word * i128::from(*high_limb as i64);
    }
    debug_assert!(i128::unsigned_abs(low) <= 1 << 101 && i128::unsigned_abs(high) <= 1 << 100);
    // Since 2^127 = 1 mod p, the bits of `high` from 63 on, at most 2^37, are added to `low`.
    let above = high as u128 & ((1 << 63) - 1);
    add(fold_signed(low + (high >> 63)), UpToP::new(above << 64))
}
