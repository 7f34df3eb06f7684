//! Signed NH (paper, section 4.4) in plain code.

use super::{Key, add_pairs, parts};

pub(super) fn nh<const T: usize>(keys: &[Key], block: &[u8], sums: &mut [u64]) {
    let (keys, parts) = parts::<T>(keys, block, sums);
    for (chunk, sums) in parts {
        *sums = [0; T];
        add_pairs(sums, keys, 0, chunk);
    }
}
