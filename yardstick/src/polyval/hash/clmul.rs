//! POLYVAL in 128-bit registers of x86 (row `pclmul`) or ARMv8 (row `pmull`).

use super::{CHUNK, GROUP, Key, MOST, Powers, groups};
use wegman_carter::hazmat::field::clmul::{
    Register, from_three, halves, load, lower, number, plus_product, reduce, sums_of_halves, upper,
    xor, zero,
};

#[cfg_attr(target_arch = "x86_64", target_feature(enable = "sse2,pclmulqdq"))]
#[cfg_attr(target_arch = "aarch64", target_feature(enable = "neon,aes"))]
pub(super) fn absorb(key: &Key, y: &mut u128, chunks: &[[u8; CHUNK]]) {
    let mut sum = load(&y.to_le_bytes());
    for chunk in chunks {
        let mut sums = Sums::new(sum);
        for (group, powers) in chunk.as_chunks().0.iter().zip(key.powers_from(MOST)) {
            sums.add(group, &powers);
        }
        sum = reduce(from_three(sums.products));
    }
    *y = number(sum);
}

#[cfg_attr(target_arch = "x86_64", target_feature(enable = "sse2,pclmulqdq"))]
#[cfg_attr(target_arch = "aarch64", target_feature(enable = "neon,aes"))]
pub(super) fn finish(key: &Key, y: &u128, last: &[u8], bits: u64) -> u128 {
    let (groups, rest) = groups(last);
    let mut sums = Sums::new(load(&y.to_le_bytes()));
    let powers = key.powers_from(last.len().div_ceil(16) + 1);
    for (group, powers) in groups.iter().chain(&rest).zip(powers) {
        sums.add(group, &powers);
    }
    number(reduce(plus_product(from_three(sums.products), halves(0, bits), load(key.h()))))
}

struct Sums {
    /// The three sums of products of Karatsuba's method: of lower halves, of upper halves, of sums of halves.
    products: [Register; 3],
    /// What to add to the next block.
    y: Register,
}

impl Sums {
    #[inline]
    #[cfg_attr(target_arch = "x86_64", target_feature(enable = "sse2"))]
    #[cfg_attr(target_arch = "aarch64", target_feature(enable = "neon"))]
    fn new(y: Register) -> Sums {
        Sums { products: [zero(); 3], y }
    }

    /// Adds the products of a group.
    #[inline]
    #[cfg_attr(target_arch = "x86_64", target_feature(enable = "sse2,pclmulqdq"))]
    #[cfg_attr(target_arch = "aarch64", target_feature(enable = "neon,aes"))]
    fn add(&mut self, group: &[u8; GROUP], powers: &Powers) {
        let (blocks, _) = group.as_chunks();
        let (of_blocks, _) = powers.powers.as_chunks();
        let (of_sums, _) = powers.sums.as_chunks();
        for j in 0..4 {
            let x = xor(self.y, load(&blocks[j]));
            self.y = zero();
            let w = load(&blocks[j + 4]);
            let (of_x, of_w) = (load(&of_blocks[j]), load(&of_blocks[j + 4]));
            let (halves, of_halves) = (sums_of_halves(x, w), load(&of_sums[j]));
            let [low, high, crossed] = &mut self.products;
            *low = xor(*low, xor(lower(x, of_x), lower(w, of_w)));
            *high = xor(*high, xor(upper(x, of_x), upper(w, of_w)));
            let both = xor(lower(halves, of_halves), upper(halves, of_halves));
            *crossed = xor(*crossed, both);
        }
    }
}
