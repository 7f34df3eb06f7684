//! Levels 1 and 2 in 128-bit registers of x86 (row `pclmul`) or ARMv8 (row `pmull`): each pair in two registers.

use super::{BLOCK, GROUP, Key, PartialSums, groups};
use crate::field::clmul::{
    Register, from_three, halves, load, number, of_halves, plus_product, reduce, xor, zero,
};

/// Karatsuba's three sums of products.
type Sums = [Register; 3];

#[cfg_attr(target_arch = "x86_64", target_feature(enable = "sse2,pclmulqdq"))]
#[cfg_attr(target_arch = "aarch64", target_feature(enable = "neon,aes"))]
pub(super) fn absorb(key: &Key, partial: &mut PartialSums, blocks: &[[u8; BLOCK]]) {
    let r = load(&key.r);
    let mut y = sum(partial);
    for block in blocks {
        let mut sums = [zero(); 3];
        for (group, key) in block.as_chunks().0.iter().zip(key.k.as_chunks().0) {
            for j in 0..4 {
                add(&mut sums, key, group, j);
            }
        }
        y = reduce(plus_product(from_three(sums), y, r));
    }
    *partial = PartialSums::from(number(y));
}

#[cfg_attr(target_arch = "x86_64", target_feature(enable = "sse2,pclmulqdq"))]
#[cfg_attr(target_arch = "aarch64", target_feature(enable = "neon,aes"))]
pub(super) fn finish(key: &Key, partial: &PartialSums, last: &[u8], length: u64) -> u128 {
    let (groups, rest, pairs) = groups(last);
    let (keys, _) = key.k.as_chunks();
    let mut sums = [zero(); 3];
    for (group, key) in groups.iter().zip(keys) {
        for j in 0..4 {
            add(&mut sums, key, group, j);
        }
    }
    for j in 0..pairs {
        add(&mut sums, &keys[groups.len()], &rest, j);
    }
    let before = plus_product(from_three(sums), sum(partial), load(&key.r));
    number(reduce(plus_product(before, halves(length, 0), load(&key.length))))
}

/// Adds the products of pair `j` of a group.
#[inline]
#[cfg_attr(target_arch = "x86_64", target_feature(enable = "sse2,pclmulqdq"))]
#[cfg_attr(target_arch = "aarch64", target_feature(enable = "neon,aes"))]
fn add(sums: &mut Sums, key: &[u8; GROUP], group: &[u8; GROUP], j: usize) {
    let sum = |i: usize| {
        let at = |bytes: &[u8; GROUP]| load(&bytes.as_chunks().0[i]);
        xor(at(group), at(key))
    };
    let (x, y) = (sum(j), sum(4 + j));
    for (sum, number) in sums.iter_mut().zip([x, y, xor(x, y)]) {
        *sum = xor(*sum, of_halves(number));
    }
}

/// Y itself.
#[inline]
#[cfg_attr(target_arch = "x86_64", target_feature(enable = "sse2"))]
#[cfg_attr(target_arch = "aarch64", target_feature(enable = "neon"))]
fn sum(PartialSums([a, b, c, d]): &PartialSums) -> Register {
    xor(xor(load(a), load(b)), xor(load(c), load(d)))
}
