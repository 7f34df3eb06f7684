//! Level 1 of the STD sets: signed NH, from 256 bytes of message to 64 bits for each output (paper, sections 4.4 and 5.4).
//!
//! ```text
//! for each output t and each pair i of words x, y, the last padded with zeroes:
//!     sum_t += s32(x + k[2 i + 2 t]) s32(y + k[2 i + 2 t + 1])
//! ```
//!
//! Sums of words are mod 2^32, sums of products mod 2^64: both wrap by definition, so no kernel states bounds. The kernels
//! depart from this:
//!
//! 1. A kernel takes the chunks of a whole block, because a chunk fills only a few registers.
//! 2. Both outputs take a pair together, each under a [`Key`] of its own.
//! 3. In avx2, a sum is spread over four lanes until the chunk ends. Then pairs that fill no register are added.
//!
//! There is plain code, and one kernel for the tables that compare speeds.

#[cfg(target_arch = "x86_64")]
mod avx2;
mod portable;

use wegman::cpu::Needs;
use wegman::hazmat::rows::{Row, Rows, functions};
use zeroize::Zeroize;

/// Bytes of message in a chunk; only the last chunk may be shorter.
pub(super) const CHUNK: usize = 256;
/// Bytes of a pair of words. A message is padded to whole pairs.
const PAIR: usize = 8;
/// The largest number of outputs.
pub(super) const MOST: usize = 2;

/// An output's key for a chunk.
#[derive(Clone, Copy)]
#[repr(C, align(64))] // whole cache lines for the widest loads
pub(crate) struct Key {
    pairs: [[u32; 2]; CHUNK / PAIR],
}

impl Key {
    /// A key from its words in order; missing words count as zeroes.
    pub(crate) fn new(words: &[[u8; 4]]) -> Key {
        let mut key = Key { pairs: [[0; 2]; CHUNK / PAIR] };
        for (word, bytes) in key.pairs.as_flattened_mut().iter_mut().zip(words) {
            *word = u32::from_le_bytes(*bytes);
        }
        key
    }

    /// The product of pair `i`.
    #[inline]
    pub(crate) fn product(&self, i: usize, x: u32, y: u32) -> u64 {
        let [kx, ky] = self.pairs[i];
        let factor = |word: u32, k: u32| i64::from(word.wrapping_add(k) as i32);
        // Each factor has an absolute value of at most 2^31, so that of the product is at most 2^62.
        (factor(x, kx) * factor(y, ky)) as u64
    }
}

impl Zeroize for Key {
    fn zeroize(&mut self) {
        let Key { pairs } = self;
        pairs.as_flattened_mut().zeroize();
    }
}

functions! {
    /// The functions for one number of outputs.
    struct Functions {
        /// NH of each chunk of a block. The last chunk is padded with zeroes to whole pairs. No byte outside `block` is read.
        /// `keys` has one key for each output. `sums` has one word for each chunk and output; the words of a chunk's outputs
        /// are neighbours.
        unsafe fn nh(keys: &[Key], block: &[u8], sums: &mut [u64]);
    }
}

/// The functions of a row, for one output and for two.
pub(crate) struct ByOutputs([Functions; MOST]);

/// One row for each kernel file; the last row that fits the machine wins.
static TABLE: &[Row<ByOutputs>] = &[
    Row {
        name: "portable",
        needs: Needs::NONE,
        functions: ByOutputs([
            Functions { nh: portable::nh::<1> },
            Functions { nh: portable::nh::<2> },
        ]),
    },
    #[cfg(target_arch = "x86_64")]
    Row {
        name: "avx2",
        needs: Needs::listed("avx2"),
        functions: ByOutputs([Functions { nh: avx2::nh::<1> }, Functions { nh: avx2::nh::<2> }]),
    },
];

pub(crate) static ROWS: Rows<ByOutputs> = Rows::new(TABLE);

impl ByOutputs {
    /// NH of each chunk of a block, for each output.
    pub(super) fn nh(&self, keys: &[Key], block: &[u8], sums: &mut [u64]) {
        assert_eq!(sums.len(), block.len().div_ceil(CHUNK) * keys.len());
        self.0[keys.len() - 1].nh(keys, block, sums);
    }
}

/// The keys of `T` outputs, and the chunks of a block, each with the sums that it fills.
#[inline(always)] // into kernels, which know the number of outputs
fn parts<'a, const T: usize>(
    keys: &'a [Key],
    block: &'a [u8],
    sums: &'a mut [u64],
) -> (&'a [Key; T], impl Iterator<Item = (&'a [u8], &'a mut [u64; T])>) {
    let keys = keys.try_into().expect("a key for each output");
    (keys, block.chunks(CHUNK).zip(sums.as_chunks_mut().0))
}

/// Adds the products of pairs one at a time, from pair number `first` on; the last pair is padded with zeroes. This
/// defines what every kernel computes. Kernels use it for the pairs of a chunk that do not fill a register.
fn add_pairs<const T: usize>(sums: &mut [u64; T], keys: &[Key; T], first: usize, bytes: &[u8]) {
    for_each_pair(bytes, |i, x, y| {
        for (sum, key) in sums.iter_mut().zip(keys) {
            *sum = sum.wrapping_add(key.product(first + i, x, y));
        }
    });
}

/// Calls `take` with each pair of little-endian words of a message, which is padded with zeroes to whole pairs.
pub(super) fn for_each_pair(bytes: &[u8], mut take: impl FnMut(usize, u32, u32)) {
    let mut pair = |i, bytes: &[u8; PAIR]| {
        let both = u64::from_le_bytes(*bytes);
        take(i, both as u32, (both >> 32) as u32);
    };
    let (pairs, rest) = bytes.as_chunks();
    for (i, bytes) in pairs.iter().enumerate() {
        pair(i, bytes);
    }
    if !rest.is_empty() {
        let mut bytes = [0; PAIR];
        bytes[..rest.len()].copy_from_slice(rest);
        pair(pairs.len(), &bytes);
    }
}
