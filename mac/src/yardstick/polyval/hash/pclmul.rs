//! POLYVAL in 128-bit registers.
#![allow(unsafe_code)]

use super::{CHUNK, GROUP, Key, MOST, Powers, groups};
use crate::carter::l1::pclmul::{Wide, load, number, plus_product, reduce};
use core::arch::x86_64::*;

#[target_feature(enable = "sse2,pclmulqdq")]
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

#[target_feature(enable = "sse2,pclmulqdq")]
pub(super) fn finish(key: &Key, y: u128, last: &[u8], bits: u64) -> u128 {
    let (groups, rest) = groups(last);
    let mut sums = Sums::new(load(&y.to_le_bytes()));
    let powers = key.powers_from(last.len().div_ceil(16) + 1);
    for (group, powers) in groups.iter().chain(&rest).zip(powers) {
        sums.add(group, &powers);
    }
    let length = _mm_set_epi64x(bits as i64, 0);
    number(reduce(plus_product(sums.wide(), length, load(key.h()))))
}

/// Karatsuba's three sums of products, and what is added to the next block.
struct Sums {
    low: __m128i,
    high: __m128i,
    crossed: __m128i,
    y: __m128i,
}

impl Sums {
    #[inline]
    #[target_feature(enable = "sse2")]
    fn new(y: __m128i) -> Sums {
        let zero = _mm_setzero_si128();
        Sums { low: zero, high: zero, crossed: zero, y }
    }

    /// Adds the products of a group.
    #[inline]
    #[target_feature(enable = "sse2,pclmulqdq")]
    fn add(&mut self, group: &[u8; GROUP], powers: &Powers) {
        let (blocks, _) = group.as_chunks();
        let (of_blocks, _) = powers.powers.as_chunks();
        let (of_sums, _) = powers.sums.as_chunks();
        for j in 0..4 {
            let x = _mm_xor_si128(self.y, load(&blocks[j]));
            self.y = _mm_setzero_si128();
            let w = load(&blocks[j + 4]);
            let (of_x, of_w) = (load(&of_blocks[j]), load(&of_blocks[j + 4]));
            let halves = _mm_xor_si128(_mm_unpacklo_epi64(x, w), _mm_unpackhi_epi64(x, w));
            let of_halves = load(&of_sums[j]);
            let plus = |sum, a, b| _mm_xor_si128(sum, _mm_xor_si128(a, b));
            self.low = plus(
                self.low,
                _mm_clmulepi64_si128::<0x00>(x, of_x),
                _mm_clmulepi64_si128::<0x00>(w, of_w),
            );
            self.high = plus(
                self.high,
                _mm_clmulepi64_si128::<0x11>(x, of_x),
                _mm_clmulepi64_si128::<0x11>(w, of_w),
            );
            self.crossed = plus(
                self.crossed,
                _mm_clmulepi64_si128::<0x00>(halves, of_halves),
                _mm_clmulepi64_si128::<0x11>(halves, of_halves),
            );
        }
    }

    #[inline]
    #[target_feature(enable = "sse2")]
    fn wide(self) -> Wide {
        let Sums { low, high, crossed, y: _ } = self;
        Wide { low, middle: _mm_xor_si128(_mm_xor_si128(low, high), crossed), high }
    }
}
