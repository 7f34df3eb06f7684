//! POLYVAL with ARMv8's carry-less products: a block in a 128-bit register.
#![allow(unsafe_code)]

use super::{CHUNK, GROUP, Key, MOST, Powers, groups};
use crate::carter::l1::pmull::{Wide, load, number, plus_product, product, reduce};
use core::arch::aarch64::*;

#[target_feature(enable = "neon,aes")]
pub(super) fn absorb(key: &Key, y: u128, chunks: &[[u8; CHUNK]]) -> u128 {
    let mut y = load(&y.to_le_bytes());
    for chunk in chunks {
        let mut sums = Sums::new(y);
        for (group, powers) in chunk.as_chunks().0.iter().zip(key.powers_from(MOST)) {
            sums.add(group, &powers);
        }
        y = reduce(sums.wide());
    }
    number(y)
}

#[target_feature(enable = "neon,aes")]
pub(super) fn finish(key: &Key, y: u128, last: &[u8], bits: u64) -> u128 {
    let (groups, rest) = groups(last);
    let mut sums = Sums::new(load(&y.to_le_bytes()));
    let powers = key.powers_from(last.len().div_ceil(16) + 1);
    for (group, powers) in groups.iter().chain(&rest).zip(powers) {
        sums.add(group, &powers);
    }
    let length = vcombine_u64(vcreate_u64(0), vcreate_u64(bits));
    number(reduce(plus_product(sums.wide(), length, load(key.h()))))
}

/// Karatsuba's three sums of products, and what is added to the next block.
struct Sums {
    low: uint64x2_t,
    high: uint64x2_t,
    crossed: uint64x2_t,
    y: uint64x2_t,
}

impl Sums {
    #[inline]
    #[target_feature(enable = "neon")]
    fn new(y: uint64x2_t) -> Sums {
        let zero = vdupq_n_u64(0);
        Sums { low: zero, high: zero, crossed: zero, y }
    }

    /// Adds the products of a group.
    #[inline]
    #[target_feature(enable = "neon,aes")]
    fn add(&mut self, group: &[u8; GROUP], powers: &Powers) {
        let (blocks, _) = group.as_chunks();
        let (of_blocks, _) = powers.powers.as_chunks();
        let (of_sums, _) = powers.sums.as_chunks();
        for j in 0..4 {
            let x = veorq_u64(self.y, load(&blocks[j]));
            self.y = vdupq_n_u64(0);
            let w = load(&blocks[j + 4]);
            let (of_x, of_w) = (load(&of_blocks[j]), load(&of_blocks[j + 4]));
            let halves = veorq_u64(vtrn1q_u64(x, w), vtrn2q_u64(x, w));
            let of_halves = load(&of_sums[j]);
            self.low = veorq_u64(self.low, veorq_u64(lower(x, of_x), lower(w, of_w)));
            self.high = veorq_u64(self.high, veorq_u64(upper(x, of_x), upper(w, of_w)));
            let crossed = veorq_u64(lower(halves, of_halves), upper(halves, of_halves));
            self.crossed = veorq_u64(self.crossed, crossed);
        }
    }

    #[inline]
    #[target_feature(enable = "neon")]
    fn wide(self) -> Wide {
        let Sums { low, high, crossed, y: _ } = self;
        Wide { low, middle: veorq_u64(veorq_u64(low, high), crossed), high }
    }
}

/// The product of the lower halves.
#[inline]
#[target_feature(enable = "neon,aes")]
fn lower(a: uint64x2_t, b: uint64x2_t) -> uint64x2_t {
    product(vgetq_lane_u64::<0>(a), vgetq_lane_u64::<0>(b))
}

/// The product of the upper halves.
#[inline]
#[target_feature(enable = "neon,aes")]
fn upper(a: uint64x2_t, b: uint64x2_t) -> uint64x2_t {
    product(vgetq_lane_u64::<1>(a), vgetq_lane_u64::<1>(b))
}
