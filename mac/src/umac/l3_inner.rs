//! Level 3: an inner product mod 2^36 - 5, from 128 bits to 32 (RFC 4418, section 5.4).
//!
//! | function | where | what |
//! |---|---|---|
//! | `l3_hash`, `mod36` | here, for any 128 bits | the inner product, masked; below p36. In the oracle also `l3_hash` |
//! | `inner` | all rows | the hashes of all streams, of words of 64 bits; each at its place in a tag |
//! | `l3_hash` | x128, avx2, avx512 (umac/packet/) | the same in a register |
//! | `sums_of_digits`, `folded` | sse, armv8, avx2 | the inner product; reduced, but for 5 where it is negative |
//! | `hash_of_two`, `hash_of_four` | sse, armv8 | the hashes of two or four sums, not masked |
//! | `hashes_of_two` | avx2; avx512 | the hashes of two registers of words; of two messages, not masked |
//! | `mod36`; `residues8` | avx512 | below p36, in each lane; the inner products of eight words, below p36 |

use crate::ct::{mask, wipe};
use crate::umac::MAX_STREAMS;
use crate::umac::kdf::{Edition, Index, Kdf};
use zeroize::DefaultIsZeroes;

const P36: u64 = (1 << 36) - 5;

/// A number below 2^36 - 5; in a register, one in each lane.
#[derive(Clone, Copy, Default)]
#[repr(transparent)]
pub(crate) struct Mod36<N>(pub(crate) N);

/// What [`mod36`] has still to reduce: below 2^54, and in sse and armv8 with 5 more; in a register, one in each lane.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
pub(crate) struct Sum54<N>(pub(crate) N);

/// Such a sum, folded: between -2^36 and 2^36. The lower 32 bits are those of the reduced number, and 5 more where this is
/// negative.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
pub(crate) struct Signed36<N>(pub(crate) N);

/// Eight keys, one for each 16-bit digit, and the mask of the output.
#[derive(Clone, Copy, Default)]
pub struct Key {
    k: [Mod36<u64>; 8],
    mask: u32,
}

impl Key {
    #[inline(never)] // a proof runs it
    pub(crate) fn derive(keys: &mut [Key], kdf: &Kdf<impl Edition>) {
        let mut bytes = [[0; 64]; MAX_STREAMS];
        let mut masks = [[0; 4]; MAX_STREAMS];
        kdf.fill(Index::L3, bytes[..keys.len()].as_flattened_mut());
        kdf.fill(Index::L3Mask, masks[..keys.len()].as_flattened_mut());
        for (key, (bytes, mask)) in keys.iter_mut().zip(bytes.iter().zip(&masks)) {
            *key = Key::from_bytes(bytes, mask);
        }
        bytes.iter_mut().for_each(wipe);
        wipe(&mut masks);
    }

    /// The key of a stream, and its mask, from their bytes.
    pub fn from_bytes(bytes: &[u8; 64], mask: &[u8; 4]) -> Key {
        let words = bytes.as_chunks().0;
        Key {
            k: core::array::from_fn(|i| mod36(u64::from_be_bytes(words[i]))),
            mask: u32::from_be_bytes(*mask),
        }
    }

    /// The key of digit `i` of a 64-bit word, counted from the least significant.
    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
    pub(crate) fn of_digit(&self, i: usize) -> Mod36<u64> {
        self.k[7 - i]
    }

    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
    pub(crate) fn mask(&self) -> u32 {
        self.mask
    }

    /// The hash of stream `t`'s word, at its place in a tag that is read as a number, the first byte lowest.
    pub(crate) fn part(&self, t: usize, word: u128) -> u128 {
        u128::from(self.l3_hash(word).swap_bytes()) << (32 * t)
    }

    /// The inner product with the eight 16-bit digits of `word`, the most significant first.
    ///
    /// # Bounds
    /// In: any 128 bits. The digits are below 2^16 and the keys below 2^36, so the sum of the eight products is below
    /// 8 * 2^16 * 2^36 = 2^55.
    pub fn l3_hash(&self, word: u128) -> u32 {
        let digit = |i: usize| u64::from((word >> (112 - 16 * i)) as u16);
        let sum: u64 = (0..8).map(|i| digit(i) * self.k[i].0).sum();
        debug_assert!(sum < 1 << 55);
        mod36(sum).0 as u32 ^ self.mask
    }
}

impl DefaultIsZeroes for Key {}

/// Folds the bits above the low 36 (2^36 = 5 mod p), then subtracts p once if the result is at least p. There is no
/// division: even by a constant, some builds use an instruction whose time depends on the secret.
///
/// # Bounds
/// In: any 64 bits. Out: below p. The bits above the low 36 are a number below 2^28, so the fold leaves less than
/// 2^36 + 5 * 2^28, which is below 2 p = 2^37 - 10. So the difference has its top bit set exactly if it borrowed.
fn mod36(x: u64) -> Mod36<u64> {
    let folded = (x >> 36) * 5 + (x & ((1 << 36) - 1));
    debug_assert!(folded < 2 * P36);
    let less = folded.wrapping_sub(P36);
    let borrow = mask(less >> 63 == 1);
    let reduced = (folded & borrow) | (less & !borrow);
    debug_assert!(reduced < P36);
    Mod36(reduced)
}
