//! The hash of a block of 1 to 4096 bytes, zero-padded to whole units.
//!
//! ```text
//! STD   chunks of 256 bytes - nh -> 16 x 64 bits, high half first - nh -> 64 bits, for each output
//! MMX   4096 bytes - l1_nh16 -> 32 bits, for each output
//! ```
//!
//! Factors have signs. Output `i` of `T` has its key `i` shifts further on: 8 bytes (STD), 16 (MMX). All words
//! are read little-endian; outputs are written big-endian.

use crate::cpu::{Cpu, Needs};
use crate::umac::l1_nh16::{self, Nh16};
use crate::wipe::wipe;
use zeroize::Zeroize;

/// The longest block.
pub(crate) const BLOCK: usize = 4096;

/// The most bytes that a block is hashed to.
pub(super) const MAX_BYTES: usize = 16;

/// A keyed hash of blocks, with its kernel.
pub trait BlockHash: Sized + Send + Sync {
    /// How many bytes a block is hashed to.
    #[doc(hidden)]
    const BYTES: usize;

    /// Shorter messages are not hashed.
    #[doc(hidden)]
    const MIN_MESSAGE: usize;

    /// A hash whose key bytes are what `fill` writes.
    #[doc(hidden)]
    fn derive(cpu: Cpu, fill: impl FnOnce(&mut [u8])) -> Self;

    /// Writes the hash of a block of 1 to 4096 bytes to `BYTES` bytes.
    #[doc(hidden)]
    fn hash(&self, block: &[u8], out: &mut [u8]);

    #[doc(hidden)]
    fn kernel(&self) -> &'static str;

    #[doc(hidden)]
    fn kernels(cpu: Cpu) -> impl Iterator<Item = (&'static str, Cpu)>;
}

// STD: words of 32 bits, neighbours paired, two levels.

const CHUNK: usize = 256;
const LEVEL_1: usize = CHUNK / 4;
const LEVEL_2: usize = 2 * (BLOCK / CHUNK);
/// Words from one output's key to the next one's.
const SHIFT: usize = 2;
/// The most outputs.
const MOST: usize = 2;
/// Words of the longest key.
const WORDS: usize = LEVEL_1 + LEVEL_2 + 2 * SHIFT * (MOST - 1);

/// NH of a chunk of at most 256 bytes, which is padded with zeroes to 8, for each output. `key` has the words
/// of both levels; `sums` has one word an output, 1 or 2.
type Kernel = fn(key: &[u32], chunk: &[u8], sums: &mut [u64]);

/// One kernel: its name, what it needs, its function.
struct Row {
    name: &'static str,
    needs: Needs,
    nh: Kernel,
}

/// The last that fits the machine wins.
const ROWS: &[Row] = &[Row { name: "portable", needs: Needs::NONE, nh: portable }];

/// The hash of UMAC-STD with `T` outputs.
pub struct Std<const T: usize> {
    /// Level 1, then level 2.
    words: [u32; WORDS],
    row: &'static Row,
}

impl<const T: usize> Std<T> {
    const LEVEL_1_WORDS: usize = LEVEL_1 + SHIFT * (T - 1);
    const KEY_BYTES: usize = 4 * (Self::LEVEL_1_WORDS + LEVEL_2 + SHIFT * (T - 1));

    fn rows(cpu: Cpu) -> impl DoubleEndedIterator<Item = &'static Row> {
        ROWS.iter().filter(move |row| cpu.meets(row.needs))
    }
}

impl<const T: usize> BlockHash for Std<T> {
    const BYTES: usize = 8 * T;
    const MIN_MESSAGE: usize = 56;

    fn derive(cpu: Cpu, fill: impl FnOnce(&mut [u8])) -> Self {
        const { assert!(1 <= T && T <= MOST) };
        let row = Self::rows(cpu).next_back().expect("the portable row needs nothing");
        let mut hash = Std { words: [0; WORDS], row };
        let mut bytes = [0; 4 * WORDS];
        let own = &mut bytes[..Self::KEY_BYTES];
        fill(own);
        for (word, bytes) in hash.words.iter_mut().zip(own.as_chunks().0) {
            *word = u32::from_le_bytes(*bytes);
        }
        bytes.zeroize();
        hash
    }

    fn hash(&self, block: &[u8], out: &mut [u8]) {
        debug_assert!((1..=BLOCK).contains(&block.len()));
        // Level 2's words, as the bytes that its kernel reads: the high half is the first word.
        let mut halves = [[0; 8 * (BLOCK / CHUNK)]; T];
        let mut sums = [0; T];
        for (i, chunk) in block.chunks(CHUNK).enumerate() {
            (self.row.nh)(&self.words, chunk, &mut sums);
            for (halves, sum) in halves.iter_mut().zip(sums) {
                halves[8 * i..][..8].copy_from_slice(&sum.rotate_left(32).to_le_bytes());
            }
        }
        let used = 8 * block.len().div_ceil(CHUNK);
        for (t, (halves, out)) in halves.iter_mut().zip(out.as_chunks_mut().0).enumerate() {
            let key = &self.words[Self::LEVEL_1_WORDS + SHIFT * t..];
            let mut sum = [0];
            (self.row.nh)(key, &halves[..used], &mut sum);
            *out = sum[0].to_be_bytes();
            wipe(halves);
            wipe(&mut sum);
        }
        wipe(&mut sums);
    }

    fn kernel(&self) -> &'static str {
        self.row.name
    }

    fn kernels(cpu: Cpu) -> impl Iterator<Item = (&'static str, Cpu)> {
        Self::rows(cpu).map(move |row| (row.name, cpu.only(row.needs)))
    }
}

impl<const T: usize> Drop for Std<T> {
    fn drop(&mut self) {
        let Std { words, row: _ } = self;
        words.zeroize();
    }
}

/// One pair of words at a time: the meaning of every kernel.
fn portable(key: &[u32], chunk: &[u8], sums: &mut [u64]) {
    sums.fill(0);
    for_each_pair(chunk, |i, x, y| {
        for (t, sum) in sums.iter_mut().enumerate() {
            let [kx, ky] = key[2 * i + SHIFT * t..][..2] else { unreachable!("two words") };
            let factor = |word: u32, k: u32| i64::from(word.wrapping_add(k) as i32);
            // Of at most 2^31 each: the product is at most 2^62.
            *sum = sum.wrapping_add((factor(x, kx) * factor(y, ky)) as u64);
        }
    });
}

/// Gives the pairs of little-endian words of a chunk, padded with zeroes to whole pairs, to `take`.
pub(super) fn for_each_pair(chunk: &[u8], mut take: impl FnMut(usize, u32, u32)) {
    let mut pair = |i, bytes: &[u8; 8]| {
        let both = u64::from_le_bytes(*bytes);
        take(i, both as u32, (both >> 32) as u32);
    };
    let (pairs, rest) = chunk.as_chunks();
    for (i, bytes) in pairs.iter().enumerate() {
        pair(i, bytes);
    }
    if !rest.is_empty() {
        let mut bytes = [0; 8];
        bytes[..rest.len()].copy_from_slice(rest);
        pair(pairs.len(), &bytes);
    }
}

// MMX: words of 16 bits, paired 8 apart, one level.

/// The hash of UMAC-MMX with `T` outputs.
pub struct Mmx<const T: usize> {
    key: l1_nh16::Key<{ l1_nh16::steps(BLOCK) }>,
    nh: Nh16,
}

impl<const T: usize> BlockHash for Mmx<T> {
    const BYTES: usize = 4 * T;
    const MIN_MESSAGE: usize = 33;

    fn derive(cpu: Cpu, fill: impl FnOnce(&mut [u8])) -> Self {
        const { assert!(1 <= T && 4 * T <= MAX_BYTES) };
        let mut bytes = [0; BLOCK + 16 * (MAX_BYTES / 4 - 1)];
        let own = &mut bytes[..BLOCK + 16 * (T - 1)];
        fill(own);
        let words = own.as_chunks().0.iter().map(|word| u16::from_le_bytes(*word));
        let hash = Mmx { key: l1_nh16::Key::new(words), nh: Nh16::new(cpu) };
        bytes.zeroize();
        hash
    }

    fn hash(&self, block: &[u8], out: &mut [u8]) {
        debug_assert!((1..=BLOCK).contains(&block.len()));
        let mut sums = [0; T];
        self.nh.nh(&self.key, block, &mut sums);
        for (out, sum) in out.as_chunks_mut().0.iter_mut().zip(sums) {
            *out = sum.to_be_bytes();
        }
        wipe(&mut sums);
    }

    fn kernel(&self) -> &'static str {
        self.nh.name()
    }

    fn kernels(cpu: Cpu) -> impl Iterator<Item = (&'static str, Cpu)> {
        Nh16::all(cpu).map(move |nh| (nh.name(), cpu.only(nh.needs())))
    }
}

impl<const T: usize> Drop for Mmx<T> {
    fn drop(&mut self) {
        let Mmx { key, nh: _ } = self;
        key.zeroize();
    }
}
