//! Levels 1 and 2 (docs/carter.md) in plain code, for machines without carry-less multiplication. It defines what the other kernels
//! compute.

use crate::field::{Wide, multiply};
use crate::key::{BLOCK, GROUP, Key, PartialSums, of_halves};

pub(crate) fn absorb(key: &Key, partial: &mut PartialSums, blocks: &[[u8; BLOCK]]) {
    let r = u128::from_le_bytes(key.r);
    let mut y = partial.sum();
    for block in blocks {
        let mut sums = [0; 3];
        for (group, key) in block.as_chunks().0.iter().zip(key.k.as_chunks().0) {
            add(&mut sums, key, group, 4);
        }
        y = (multiply(y, r) ^ Wide::from_three(sums)).reduce();
    }
    *partial = PartialSums::from(y);
}

pub(crate) fn finish(key: &Key, partial: &PartialSums, last: &[u8], length: u64) -> u128 {
    let (groups, rest, pairs) = groups(last);
    let (keys, _) = key.k.as_chunks();
    let mut sums = [0; 3];
    for (group, key) in groups.iter().zip(keys) {
        add(&mut sums, key, group, 4);
    }
    if pairs > 0 {
        add(&mut sums, &keys[groups.len()], &rest, pairs);
    }
    let before = multiply(partial.sum(), u128::from_le_bytes(key.r));
    let length = multiply(length.into(), u128::from_le_bytes(key.length));
    (Wide::from_three(sums) ^ before ^ length).reduce()
}

/// Adds the products of the first `pairs` pairs of a group, 0 to 4.
fn add(sums: &mut [u128; 3], key: &[u8; GROUP], group: &[u8; GROUP], pairs: usize) {
    let sum = |i: usize| {
        let at = |bytes: &[u8; GROUP]| u128::from_le_bytes(bytes.as_chunks().0[i]);
        at(group) ^ at(key)
    };
    debug_assert!(pairs <= 4);
    for j in 0..pairs {
        let (x, y) = (sum(j), sum(4 + j));
        for (sum, number) in sums.iter_mut().zip([x, y, x ^ y]) {
            *sum ^= of_halves(&number.to_le_bytes());
        }
    }
}

/// The groups of the last block: the whole ones; the 0 to 127 bytes after them, padded with zeroes; and the number of
/// pairs in those bytes, which is 0 if there are none.
fn groups(last: &[u8]) -> (&[[u8; GROUP]], [u8; GROUP], usize) {
    let (groups, rest) = last.as_chunks();
    let mut group = [0; GROUP];
    group[..rest.len()].copy_from_slice(rest);
    (groups, group, rest.len().div_ceil(16).min(4))
}
