//! POLYVAL in 256-bit registers, two blocks in each. The rest is as in avx512.rs.

use super::{CHUNK, GROUP, Key, MOST, Powers, groups};
use core::arch::x86_64::*;
use core::hint::black_box;
use wegman_carter::hazmat::field::pclmul::number;
use wegman_carter::hazmat::field::vpclmul::{fold, from_three, load, plus_product, reduce, twice};

#[target_feature(enable = "avx2,pclmulqdq,vpclmulqdq")]
pub(super) fn absorb(key: &Key, y: &mut u128, chunks: &[[u8; CHUNK]]) {
    for chunk in chunks {
        // Hidden from the compiler, which would load the whole key before the loop and spill it.
        let powers = black_box(key).powers_from(MOST);
        let mut sums = Sums::new(*y);
        for (group, powers) in chunk.as_chunks().0.iter().zip(powers) {
            sums.add(group, &powers);
        }
        *y = number(fold(reduce(from_three(sums.products))));
    }
}

#[target_feature(enable = "avx2,pclmulqdq,vpclmulqdq")]
pub(super) fn finish(key: &Key, y: &u128, last: &[u8], bits: u64) -> u128 {
    let (groups, rest) = groups(last);
    let mut sums = Sums::new(*y);
    let powers = key.powers_from(last.len().div_ceil(16) + 1);
    for (group, powers) in groups.iter().chain(&rest).zip(powers) {
        sums.add(group, &powers);
    }
    let length = _mm256_setr_epi64x(0, bits as i64, 0, 0);
    number(fold(reduce(plus_product(from_three(sums.products), length, twice(key.h())))))
}

/// The three sums of products of Karatsuba's method, in two lanes, and what to add to the next block.
struct Sums {
    products: [__m256i; 3],
    y: __m256i,
}

impl Sums {
    #[inline]
    #[target_feature(enable = "avx2")]
    fn new(y: u128) -> Sums {
        let y = _mm256_setr_epi64x(y as i64, (y >> 64) as i64, 0, 0);
        Sums { products: [_mm256_setzero_si256(); 3], y }
    }

    /// Adds the products of a group.
    #[inline]
    #[target_feature(enable = "avx2,vpclmulqdq")]
    fn add(&mut self, group: &[u8; GROUP], powers: &Powers) {
        let (blocks, _) = group.as_chunks();
        let (of_blocks, _) = powers.powers.as_chunks();
        let (of_sums, _) = powers.sums.as_chunks();
        for j in 0..2 {
            let x = _mm256_xor_si256(self.y, load(&blocks[j]));
            self.y = _mm256_setzero_si256();
            let w = load(&blocks[j + 2]);
            let (of_x, of_w) = (load(&of_blocks[j]), load(&of_blocks[j + 2]));
            let halves = _mm256_xor_si256(_mm256_unpacklo_epi64(x, w), _mm256_unpackhi_epi64(x, w));
            let of_halves = load(&of_sums[j]);
            let plus = |sum: &mut __m256i, a, b| {
                *sum = _mm256_xor_si256(*sum, _mm256_xor_si256(a, b));
            };
            let [low, high, crossed] = &mut self.products;
            plus(
                low,
                _mm256_clmulepi64_epi128::<0x00>(x, of_x),
                _mm256_clmulepi64_epi128::<0x00>(w, of_w),
            );
            plus(
                high,
                _mm256_clmulepi64_epi128::<0x11>(x, of_x),
                _mm256_clmulepi64_epi128::<0x11>(w, of_w),
            );
            plus(
                crossed,
                _mm256_clmulepi64_epi128::<0x00>(halves, of_halves),
                _mm256_clmulepi64_epi128::<0x11>(halves, of_halves),
            );
        }
    }
}
