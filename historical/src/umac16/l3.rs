//! Level 3: an inner product mod 2^19 - 1, from 128 bits to 16 (draft of October 2000, section 6.4).

use wegman::hazmat::ct::mask;

pub(crate) const P19: u64 = (1 << 19) - 1;

/// A number below 2^19 - 1.
#[derive(Clone, Copy, Default)]
#[repr(transparent)]
pub(crate) struct Mod19(pub(crate) u32);

/// Eight keys, one for each 16-bit digit, and the mask of the output.
#[derive(Clone, Copy, Default)]
pub(crate) struct Key {
    k: [Mod19; 8],
    mask: u16,
}

impl Key {
    pub(crate) fn from_bytes(bytes: &[u8; 32], mask: [u8; 2]) -> Key {
        let words = bytes.as_chunks().0;
        Key {
            k: core::array::from_fn(|i| mod19(u32::from_be_bytes(words[i]).into())),
            mask: u16::from_be_bytes(mask),
        }
    }

    /// The keys of a 32-bit word's two digits, the least significant first.
    pub(crate) fn digits(&self) -> [Mod19; 2] {
        [self.k[7], self.k[6]]
    }

    pub(crate) fn mask(&self) -> u16 {
        self.mask
    }

    /// The inner product with the eight 16-bit digits of `b`, the most significant first.
    ///
    /// # Bounds
    /// In: any 128 bits. The digits are below 2^16 and the keys below 2^19, so the sum of the eight products is below
    /// 8 * 2^16 * 2^19 = 2^38.
    pub(crate) fn hash(&self, b: u128) -> u16 {
        let digit = |i: usize| u64::from((b >> (112 - 16 * i)) as u16);
        let sum = (0..8).map(|i| digit(i) * u64::from(self.k[i].0)).sum();
        mod19(sum).0 as u16 ^ self.mask
    }
}

/// Folds the bits above the low 19 twice (2^19 = 1 mod p), then subtracts p once if the result is p.
///
/// # Bounds
/// In: below 2^38. Out: below p. The first fold adds two numbers of at most 2^19 - 1. If the sum is at least 2^19, the
/// second fold takes 2^19 off and adds 1; either way, at most 2^19 - 1 = p is left. So the difference has its top bit
/// set exactly if it borrowed.
fn mod19(x: u64) -> Mod19 {
    debug_assert!(x < 1 << 38);
    let fold = |x: u64| (x >> 19) + (x & P19);
    let folded = fold(fold(x));
    debug_assert!(folded <= P19);
    let less = folded.wrapping_sub(P19);
    let borrow = mask(less >> 63 == 1);
    let reduced = (folded & borrow) | (less & !borrow);
    debug_assert!(reduced < P19);
    Mod19(reduced as u32)
}
