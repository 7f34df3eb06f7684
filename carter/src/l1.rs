//! Levels 1 and 2: a pseudo-dot product of a block of 2048 bytes, and a polynomial over the blocks (docs/carter.md).
//! This is the one interface between the hash and its kernels.
//!
//! ```text
//! a group of 128 bytes   x_0 x_1 x_2 x_3 | y_0 y_1 y_2 y_3      16 bytes each: a lower and an upper half
//! its pairs              a = lower halves of x_j and y_j, b = upper halves; each has its key added
//! level 1                sum of the products a b over all pairs of the block
//! level 2                Y r + level 1, block after block
//! the hash               Y r + level 1 of the last block + length times its key
//! ```
//!
//! All products have the factor x^-128. They are summed first and reduced once for each block. Karatsuba's method makes
//! a b from three products of halves, where z is x + y:
//!
//! ```text
//! A = x.low x.high    B = y.low y.high    C = z.low z.high        a b = A + x^64 (A + B + C) + x^128 B
//! ```
//!
//! Each product multiplies the two halves of one register, so no half ever moves. The kernels sum A, B and C over all
//! pairs first. Additions are xors, so the sums have the bounds of one product (see [`field`](crate::field)).
//!
//! A kernel sees keys, blocks and a length, and knows nothing of tags or nonces. The exceptions are the kernels of
//! whole messages: [`Packet`].

#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(any(
    target_arch = "x86_64",
    all(target_arch = "aarch64", target_endian = "little", target_feature = "neon")
))]
mod clmul;
mod portable;
#[cfg(target_arch = "x86_64")]
mod vpclmul;

use crate::kdf::Kdf;
use crate::rows::{self, HashKernels, HashKey};
use wegman::cipher::{Block, BlockCipher};
use wegman::hazmat::pads::PADS;
use wegman::hazmat::rows::Row;
use zeroize::Zeroize;

pub(crate) type Hash = rows::Hash<Key>;
pub(crate) type Packet = rows::Packet<Key>;

/// Bytes in a block. Only the last block of a message may be shorter.
pub(crate) const BLOCK: usize = 2048;
/// Bytes in a group of level 1: eight parts of 16 bytes, which make four pairs.
const GROUP: usize = 128;

/// What the kernels know of a key. All numbers are little-endian.
#[derive(Clone)]
#[repr(C, align(64))] // whole cache lines for the widest loads
pub(crate) struct Key {
    /// The key of level 1.
    pub(super) k: [u8; BLOCK],
    /// For a message that ends before its y: what y_0, y_1, ... of 0 to 4 pairs contribute. Such a y_j is its key
    /// alone, so this is the sum of the products of the halves of those keys.
    of_zero: [Block; 5],
    /// The keys of x_0 and of x_0 + y_0, the first pair.
    of_first: [Block; 2],
    /// The lower and the upper half of `length`, each twice.
    halves_of_length: [Block; 2],
    /// The key of level 2.
    pub(super) r: Block,
    /// The key of the length, which multiplies it.
    pub(super) length: Block,
    /// The round keys of the pad cipher, 11 or 15 of them.
    rounds: [Block; 15],
}

impl Key {
    pub(crate) const ZERO: Key = Key {
        k: [0; BLOCK],
        of_zero: [[0; 16]; 5],
        of_first: [[0; 16]; 2],
        halves_of_length: [[0; 16]; 2],
        r: [0; 16],
        length: [0; 16],
        rounds: [[0; 16]; 15],
    };

    /// Fills in the keys of levels 1 and 2.
    pub(crate) fn derive(&mut self, kdf: &Kdf<impl BlockCipher<Block = Block>>) {
        kdf.fill(1, &mut self.k);
        let mut last = [[0; 16]; 2];
        kdf.fill(2, last.as_flattened_mut());
        [self.r, self.length] = last;
        last.as_flattened_mut().zeroize();
        self.prepare();
    }

    /// Fills in what depends on the keys of level 1 and of the length.
    fn prepare(&mut self) {
        let (keys, _) = self.k[GROUP / 2..].as_chunks();
        let mut sum = 0;
        for (so_far, key) in self.of_zero[1..].iter_mut().zip(keys) {
            sum ^= portable::of_halves(key);
            *so_far = sum.to_le_bytes();
        }
        let (keys, _) = self.k.as_chunks::<16>();
        self.of_first = [keys[0], core::array::from_fn(|i| keys[0][i] ^ keys[4][i])];
        let (halves, _) = self.length.as_chunks::<8>();
        for (twice, half) in self.halves_of_length.iter_mut().zip(halves) {
            twice[..8].copy_from_slice(half);
            twice[8..].copy_from_slice(half);
        }
    }
}

impl Zeroize for Key {
    fn zeroize(&mut self) {
        let Key { k, of_zero, of_first, halves_of_length, r, length, rounds } = self;
        k.zeroize();
        of_zero.as_flattened_mut().zeroize();
        of_first.as_flattened_mut().zeroize();
        halves_of_length.as_flattened_mut().zeroize();
        r.zeroize();
        length.zeroize();
        rounds.as_flattened_mut().zeroize();
    }
}

/// Y, level 2 of the blocks so far, as four partial sums: a kernel that takes four pairs side by side need not add
/// them up after each block. Any four numbers with the right sum will do.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub(crate) struct PartialSums([Block; 4]);

impl PartialSums {
    pub(crate) const ZERO: PartialSums = PartialSums([[0; 16]; 4]);

    /// Y itself.
    pub(crate) fn sum(&self) -> u128 {
        self.0.iter().fold(0, |sum, part| sum ^ u128::from_le_bytes(*part))
    }
}

impl From<u128> for PartialSums {
    fn from(y: u128) -> PartialSums {
        let mut partial = PartialSums::ZERO;
        partial.0[0] = y.to_le_bytes();
        partial
    }
}

impl Zeroize for PartialSums {
    fn zeroize(&mut self) {
        let PartialSums(parts) = self;
        parts.as_flattened_mut().zeroize();
    }
}

// A static: the functions of a constant are compiled anew in every crate that names it.
static ROWS: &[Row<HashKernels<Key>>] = &[
    HashKernels::portable(portable::absorb, portable::finish),
    #[cfg(target_arch = "x86_64")]
    HashKernels::pclmul(clmul::absorb, clmul::finish),
    #[cfg(target_arch = "x86_64")]
    HashKernels::vpclmul(vpclmul::absorb, vpclmul::finish),
    #[cfg(target_arch = "x86_64")]
    HashKernels::avx512(
        avx512::absorb,
        avx512::finish,
        [Some(avx512::kernels::<10>()), Some(avx512::kernels::<14>())],
    ),
    #[cfg(all(target_arch = "aarch64", target_endian = "little", target_feature = "neon"))]
    HashKernels::pmull(clmul::absorb, clmul::finish),
];

// SAFETY: a test compares the rows' needs with what their files enable.
#[allow(unsafe_code)]
unsafe impl HashKey for Key {
    type Bytes = [u8; BLOCK];
    type State = PartialSums;
    type Ahead = Ahead;

    const ROWS: &'static [Row<HashKernels<Key>>] = ROWS;

    #[inline]
    fn rounds(&self) -> &[Block; 15] {
        &self.rounds
    }

    fn rounds_mut(&mut self) -> &mut [Block; 15] {
        &mut self.rounds
    }
}

/// The kernels for sessions, which make pads ahead of the messages.
pub(crate) struct Ahead {
    /// The tag of a message, given its pad.
    tag: unsafe fn(key: &Key, pad: u128, message: &[u8], tag: &mut Block),
    /// Encrypts at least the first `count` blocks, each two words.
    encrypt: unsafe fn(key: &Key, blocks: &mut [u64; 2 * PADS], count: usize),
}

/// The tag of a message, given its pad.
#[allow(unsafe_code)] // the indirect call
#[inline(always)] // a call would store the tag in halves
pub(crate) fn tag_with_pad(packet: Packet, key: &Key, pad: u128, message: &[u8]) -> Block {
    let mut tag = [0; 16];
    // SAFETY: `ahead` returns functions that this machine can run.
    unsafe { (packet.ahead().tag)(key, pad, message, &mut tag) };
    tag
}

/// Encrypts at least the first `count` blocks. Blocks after those are unspecified.
#[allow(unsafe_code)] // the indirect call
pub(crate) fn encrypt(packet: Packet, key: &Key, blocks: &mut [u64; 2 * PADS], count: usize) {
    // SAFETY: as in `tag_with_pad`.
    unsafe { (packet.ahead().encrypt)(key, blocks, count) }
}

/// The groups of the last block: the whole ones; the 0 to 127 bytes after them, padded with zeroes; and the number of
/// pairs in those bytes, which is 0 if there are none.
fn groups(last: &[u8]) -> (&[[u8; GROUP]], [u8; GROUP], usize) {
    let (groups, rest) = last.as_chunks();
    let mut group = [0; GROUP];
    group[..rest.len()].copy_from_slice(rest);
    (groups, group, rest.len().div_ceil(16).min(4))
}
