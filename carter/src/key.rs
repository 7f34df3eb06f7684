//! The key of levels 1 and 2: a pseudo-dot product of a block of 2048 bytes, and a polynomial over the blocks
//! (docs/carter.md).
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
//! This file has what the kernels know of a key, and the state between them. `portable.rs` defines what they compute.

use crate::field::{MODULUS, product};
use crate::kdf::Kdf;
use core::hint::black_box;
use wegman::cipher::{Block, BlockCipher};
use wegman::hazmat::aes::round_keys;
use wegman::hazmat::ct::wipe;
use zeroize::Zeroize;

/// Bytes in a block. Only the last block of a message may be shorter.
pub(crate) const BLOCK: usize = 2048;
/// Bytes in a group of level 1: eight parts of 16 bytes, which make four pairs.
pub(crate) const GROUP: usize = 128;

/// What the kernels know of a key. All numbers are little-endian. Pairs of blocks that are loaded at once lie in one line
/// of the cache.
#[derive(Clone)]
#[repr(C, align(64))] // whole cache lines for the widest loads
pub(crate) struct Key {
    /// The key of level 1.
    pub(crate) k: [u8; BLOCK],
    /// The keys of x_j and of x_j + y_j, for the pairs of the first group.
    pub(crate) of_pairs: [[Block; 2]; 4],
    /// The lower and the upper half of `length`, each twice.
    pub(crate) halves_of_length: [Block; 2],
    /// For a message that ends before its y: what y_0, y_1, ... of 0 to 4 pairs contribute. Such a y_j is its key
    /// alone, so this is the sum of the products of the halves of those keys.
    pub(crate) of_zero: [Block; 5],
    /// The same for a kernel that multiplies the x of all four pairs of a group, also of those behind the end: what it
    /// adds to the lowest and to the middle part, so that only the pairs of the message count.
    pub(crate) of_missing: [[Block; 2]; 5],
    /// The key of level 2.
    pub(crate) r: Block,
    /// The key of the length, which multiplies it.
    pub(crate) length: Block,
    /// [`MODULUS`], twice: a constant would be made by instructions for which short messages have no time.
    pub(crate) modulus: Block,
    /// The round keys of the pad cipher, 11 or 15 of them.
    pub(crate) rounds: [Block; 15],
}

impl Key {
    pub(crate) const ZERO: Key = Key {
        k: [0; BLOCK],
        of_zero: [[0; 16]; 5],
        of_missing: [[[0; 16]; 2]; 5],
        of_pairs: [[[0; 16]; 2]; 4],
        halves_of_length: [[0; 16]; 2],
        r: [0; 16],
        length: [0; 16],
        modulus: ((MODULUS as u128) << 64 | MODULUS as u128).to_le_bytes(),
        rounds: [[0; 16]; 15],
    };

    /// Fills in the keys of levels 1 and 2.
    pub(crate) fn derive(&mut self, kdf: &Kdf<impl BlockCipher<Block = Block>>) {
        kdf.fill(1, &mut self.k);
        let mut last = [[0; 16]; 2];
        kdf.fill(2, last.as_flattened_mut());
        [self.r, self.length] = last;
        wipe(&mut last);
        self.prepare();
    }

    /// Copies the round keys of the pad cipher, if it uses the machine's AES instructions: how many there are.
    pub(crate) fn set_rounds(&mut self, pad: &impl BlockCipher) -> Option<usize> {
        let rounds = round_keys(pad)?;
        self.rounds[..rounds.len()].copy_from_slice(rounds);
        Some(rounds.len() - 1)
    }

    /// Fills in what depends on the keys of level 1 and of the length.
    fn prepare(&mut self) {
        let (keys, _) = self.k.as_chunks::<16>();
        let mut products = [[0; 3]; 4];
        for (j, products) in products.iter_mut().enumerate() {
            let (x, y) = (keys[j], keys[4 + j]);
            let z = core::array::from_fn(|i| x[i] ^ y[i]);
            self.of_pairs[j] = arranged([x, z]);
            *products = [x, y, z].map(|key| of_halves(&key));
        }
        for pairs in 0..=4 {
            let (there, missing) = products.split_at(pairs);
            let of_zero = there.iter().fold(0, |sum, [_, b, _]| sum ^ b);
            let low = missing.iter().fold(0, |sum, [a, _, _]| sum ^ a);
            let middle = missing.iter().fold(of_zero ^ low, |sum, [_, _, c]| sum ^ c);
            self.of_zero[pairs] = of_zero.to_le_bytes();
            self.of_missing[pairs] = [low, middle].map(u128::to_le_bytes);
        }
        let (halves, _) = self.length.as_chunks::<8>();
        for (twice, half) in self.halves_of_length.iter_mut().zip(halves) {
            twice[..8].copy_from_slice(half);
            twice[8..].copy_from_slice(half);
        }
    }
}

impl Zeroize for Key {
    /// At once: byte by byte, it would take a third of a key's whole life.
    fn zeroize(&mut self) {
        *self = Key::ZERO;
        black_box(self);
    }
}

/// Y, level 2 of the blocks so far, as four partial sums: a kernel that takes four pairs side by side need not add
/// them up after each block. Any four numbers with the right sum will do.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub(crate) struct PartialSums(pub(crate) [Block; 4]);

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
        wipe(parts);
    }
}

/// The keys of a pair, as the row in 128-bit registers of the machine loads them: on ARMv8 the lower halves of both,
/// then the upper halves.
fn arranged(keys: [Block; 2]) -> [Block; 2] {
    if cfg!(not(target_arch = "aarch64")) {
        return keys;
    }
    let [x, z] = keys.map(u128::from_le_bytes);
    let lower = |number: u128| number as u64 as u128;
    let halves = [lower(x) | z << 64, x >> 64 | z >> 64 << 64];
    halves.map(u128::to_le_bytes)
}

/// The product of the two halves of a number.
pub(crate) fn of_halves(number: &Block) -> u128 {
    let (halves, _) = number.as_chunks();
    product(u64::from_le_bytes(halves[0]), u64::from_le_bytes(halves[1]))
}
