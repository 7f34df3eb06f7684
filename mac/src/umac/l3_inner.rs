//! Level 3: an inner product mod 2^36 - 5, 128 bits to 32 (RFC 4418, section 5.4).

use crate::ct::mask;
use crate::umac::MAX_STREAMS;
use crate::umac::kdf::{Edition, Index, Kdf};
use zeroize::Zeroize;

const P36: u64 = (1 << 36) - 5;

/// Eight keys below 2^36 - 5, one for each 16-bit digit, and the mask of the output.
#[derive(Clone, Copy, Default)]
pub(crate) struct Key {
    k: [u64; 8],
    mask: u32,
}

impl Key {
    pub(crate) fn derive(kdf: &Kdf<impl Edition>, streams: usize) -> [Key; MAX_STREAMS] {
        let mut bytes = [[0; 64]; MAX_STREAMS];
        let mut masks = [[0; 4]; MAX_STREAMS];
        kdf.fill(Index::L3, bytes[..streams].as_flattened_mut());
        kdf.fill(Index::L3Mask, masks[..streams].as_flattened_mut());
        let keys = core::array::from_fn(|i| Key::from_bytes(&bytes[i], &masks[i]));
        bytes.zeroize();
        masks.zeroize();
        keys
    }

    pub(crate) fn from_bytes(bytes: &[u8; 64], mask: &[u8; 4]) -> Key {
        let words = bytes.as_chunks().0;
        Key {
            k: core::array::from_fn(|i| mod36(u64::from_be_bytes(words[i]))),
            mask: u32::from_be_bytes(*mask),
        }
    }

    /// The key of digit `i` of a 64-bit word, counted from the least significant.
    pub(crate) fn digit(&self, i: usize) -> u64 {
        self.k[7 - i]
    }

    pub(crate) fn mask(&self) -> u32 {
        self.mask
    }

    /// The hash of stream `t`'s word, where it stands in a tag read as a number, first byte lowest.
    pub(crate) fn part(&self, t: usize, word: u128) -> u128 {
        u128::from(self.hash(word).swap_bytes()) << (32 * t)
    }

    /// The inner product with the eight 16-bit digits of `word`, most significant first.
    pub(crate) fn hash(&self, word: u128) -> u32 {
        let digit = |i: usize| u64::from((word >> (112 - 16 * i)) as u16);
        let sum: u64 = (0..8).map(|i| digit(i) * self.k[i]).sum(); // < 8 * 2^16 * 2^36 = 2^55
        mod36(sum) as u32 ^ self.mask
    }
}

impl Zeroize for Key {
    fn zeroize(&mut self) {
        let Key { k, mask } = self;
        k.zeroize();
        mask.zeroize();
    }
}

/// Folds the bits above 36 (2^36 = 5 mod p) and subtracts p once if that leaves no negative number.
/// Division, even by a constant, may be a slow instruction of secret-dependent time in some builds.
///
/// # Bounds
/// In: any word. Out: below p, because the fold leaves less than 2^36 + 5 * 2^28, which is below 2 p.
fn mod36(x: u64) -> u64 {
    let folded = (x >> 36) * 5 + (x & ((1 << 36) - 1));
    let less = folded.wrapping_sub(P36);
    // The top bit of the difference tells the borrow.
    let borrow = mask(less >> 63 == 1);
    (folded & borrow) | (less & !borrow)
}
