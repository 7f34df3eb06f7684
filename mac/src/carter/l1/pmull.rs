//! Levels 1 and 2 with ARMv8's carry-less products: a pair in two 128-bit registers.
#![allow(unsafe_code)]

use super::{BLOCK, GROUP, Key, Lanes, groups};
use crate::cipher::Block;
use core::arch::aarch64::*;

/// Karatsuba's three sums of products.
type Sums = [uint64x2_t; 3];

#[target_feature(enable = "neon,aes")]
pub(super) fn absorb(key: &Key, lanes: &mut Lanes, blocks: &[[u8; BLOCK]]) {
    let r = load(&key.r);
    let mut y = sum(lanes);
    for block in blocks {
        let mut sums = [vdupq_n_u64(0); 3];
        for (group, key) in block.as_chunks().0.iter().zip(key.k.as_chunks().0) {
            for j in 0..4 {
                add(&mut sums, key, group, j);
            }
        }
        y = reduce(plus_product(wide(sums), y, r));
    }
    *lanes = Lanes::from(number(y));
}

#[target_feature(enable = "neon,aes")]
pub(super) fn finish(key: &Key, lanes: &Lanes, last: &[u8], length: u64) -> u128 {
    let (groups, rest, pairs) = groups(last);
    let (keys, _) = key.k.as_chunks();
    let mut sums = [vdupq_n_u64(0); 3];
    for (group, key) in groups.iter().zip(keys) {
        for j in 0..4 {
            add(&mut sums, key, group, j);
        }
    }
    for j in 0..pairs {
        add(&mut sums, &keys[groups.len()], &rest, j);
    }
    let before = plus_product(wide(sums), sum(lanes), load(&key.r));
    let length = vcombine_u64(vcreate_u64(length), vcreate_u64(0));
    number(reduce(plus_product(before, length, load(&key.length))))
}

/// Adds the products of a group's pair.
#[inline]
#[target_feature(enable = "neon,aes")]
fn add(sums: &mut Sums, key: &[u8; GROUP], group: &[u8; GROUP], j: usize) {
    let sum = |i: usize| {
        let at = |bytes: &[u8; GROUP]| load(&bytes.as_chunks().0[i]);
        veorq_u64(at(group), at(key))
    };
    let (x, y) = (sum(j), sum(4 + j));
    for (sum, number) in sums.iter_mut().zip([x, y, veorq_u64(x, y)]) {
        let (low, high) = (vgetq_lane_u64::<0>(number), vgetq_lane_u64::<1>(number));
        *sum = veorq_u64(*sum, product(low, high));
    }
}

/// A product in three parts, 64 bits apart.
#[derive(Clone, Copy)]
pub(crate) struct Wide {
    pub(crate) low: uint64x2_t,
    pub(crate) middle: uint64x2_t,
    pub(crate) high: uint64x2_t,
}

#[inline]
#[target_feature(enable = "neon")]
fn wide([a, b, c]: Sums) -> Wide {
    Wide { low: a, middle: veorq_u64(veorq_u64(a, b), c), high: b }
}

/// Adds a b.
#[inline]
#[target_feature(enable = "neon,aes")]
pub(crate) fn plus_product(wide: Wide, a: uint64x2_t, b: uint64x2_t) -> Wide {
    let [a_low, b_low] = [a, b].map(|number| vgetq_lane_u64::<0>(number));
    let [a_high, b_high] = [a, b].map(|number| vgetq_lane_u64::<1>(number));
    let crossed = veorq_u64(product(a_low, b_high), product(a_high, b_low));
    Wide {
        low: veorq_u64(wide.low, product(a_low, b_low)),
        middle: veorq_u64(wide.middle, crossed),
        high: veorq_u64(wide.high, product(a_high, b_high)),
    }
}

/// Times x^-128 in the field; as in pclmul.rs.
#[inline]
#[target_feature(enable = "neon,aes")]
pub(crate) fn reduce(Wide { low, middle, high }: Wide) -> uint64x2_t {
    let up = |part: uint64x2_t| {
        let multiple = product(vgetq_lane_u64::<0>(part), 0xc2 << 56);
        veorq_u64(multiple, vextq_u64::<1>(part, part))
    };
    veorq_u64(high, up(veorq_u64(middle, up(low))))
}

#[inline]
#[target_feature(enable = "neon,aes")]
pub(crate) fn product(a: u64, b: u64) -> uint64x2_t {
    vreinterpretq_u64_p128(vmull_p64(a, b))
}

#[inline]
#[target_feature(enable = "neon")]
fn sum(lanes: &Lanes) -> uint64x2_t {
    let [a, b, c, d] = [0, 1, 2, 3].map(|i| load(&lanes.0[i]));
    veorq_u64(veorq_u64(a, b), veorq_u64(c, d))
}

#[inline]
#[target_feature(enable = "neon")]
pub(crate) fn number(value: uint64x2_t) -> u128 {
    let high = vgetq_lane_u64::<1>(value);
    u128::from(high) << 64 | u128::from(vgetq_lane_u64::<0>(value))
}

#[inline]
#[target_feature(enable = "neon")]
pub(crate) fn load(block: &Block) -> uint64x2_t {
    // SAFETY: 16 bytes are read from 16 bytes, one by one as far as alignment goes.
    vreinterpretq_u64_u8(unsafe { vld1q_u8(block.as_ptr()) })
}
