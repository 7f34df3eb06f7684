//! Level 3: an inner product mod 2^19 - 1, 128 bits to 16 (draft of October 2000, section 6.4).

use crate::ct::mask;
use zeroize::Zeroize;

pub(crate) const P19: u64 = (1 << 19) - 1;

/// Eight keys below 2^19 - 1, one for each 16-bit digit, and the mask of the output.
#[derive(Clone, Copy, Default)]
pub(crate) struct Key {
    k: [u32; 8],
    mask: u16,
}

impl Key {
    pub(crate) fn from_bytes(bytes: &[u8; 32], mask: [u8; 2]) -> Key {
        let words = bytes.as_chunks().0;
        Key {
            k: core::array::from_fn(|i| mod19(u32::from_be_bytes(words[i]).into()) as u32),
            mask: u16::from_be_bytes(mask),
        }
    }

    /// The keys of a 32-bit word's two digits, the least significant first.
    pub(crate) fn digits(&self) -> [u32; 2] {
        [self.k[7], self.k[6]]
    }

    pub(crate) fn mask(&self) -> u16 {
        self.mask
    }

    /// The inner product with the eight 16-bit digits of `b`, most significant first.
    pub(crate) fn hash(&self, b: u128) -> u16 {
        let digit = |i: usize| u64::from((b >> (112 - 16 * i)) as u16);
        let sum = (0..8).map(|i| digit(i) * u64::from(self.k[i])).sum(); // < 8 * 2^16 * 2^19 = 2^38
        mod19(sum) as u16 ^ self.mask
    }
}

impl Zeroize for Key {
    fn zeroize(&mut self) {
        let Key { k, mask } = self;
        k.zeroize();
        mask.zeroize();
    }
}

/// # Bounds
/// In: below 2^38. Out: below p: two folds (2^19 = 1 mod p) leave at most p.
fn mod19(x: u64) -> u64 {
    debug_assert!(x < 1 << 38);
    let fold = |x: u64| (x >> 19) + (x & P19);
    let folded = fold(fold(x));
    let less = folded.wrapping_sub(P19);
    // The top bit of the difference tells the borrow.
    let borrow = mask(less >> 63 == 1);
    (folded & borrow) | (less & !borrow)
}
