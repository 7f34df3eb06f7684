//! The hash of a block of 1 to 4096 bytes, zero-padded to whole units (paper, sections 5.3 to 7).
//!
//! ```text
//! STD   chunks of 256 bytes - nh -> 16 x 64 bits, high half first - nh -> 64 bits, for each output
//! MMX   4096 bytes - l1_nh16 -> 32 bits, for each output
//! ```
//!
//! Factors are signed. The key of output `i` of `T` starts `i` shifts later; a shift is 8 bytes (STD) or 16 (MMX). All
//! words are read little-endian; outputs are written big-endian.

use super::nh::{self, CHUNK, MOST};
use crate::l1_nh16;
use alloc::boxed::Box;
use wegman::cpu::Cpu;
use wegman::hazmat::ct::wipe;
use wegman::hazmat::rows::Row;
use zeroize::Zeroize;

/// The longest block.
pub(crate) const BLOCK: usize = 4096;

/// The largest number of bytes that a block is hashed to.
pub(super) const MAX_BYTES: usize = 16;

/// A keyed hash of blocks, with its kernel.
pub trait BlockHash: Clone + Send + Sync {
    /// How many bytes a block is hashed to.
    const BYTES: usize;

    /// Shorter messages are not hashed.
    const MIN_MESSAGE: usize;

    /// A hash whose key bytes are what `fill` writes.
    fn derive(cpu: Cpu, fill: impl FnOnce(&mut [u8])) -> Self;

    /// Writes the hash of a block of 1 to 4096 bytes to `BYTES` bytes.
    fn hash(&self, block: &[u8], out: &mut [u8]);

    fn kernel(&self) -> &'static str;

    fn kernels(cpu: Cpu) -> impl Iterator<Item = (&'static str, Cpu)>;
}

// STD: words of 32 bits, neighbours paired, two levels.

/// The largest number of chunks in a block.
const CHUNKS: usize = BLOCK / CHUNK;
/// Bytes from the start of an output's key to the start of the next output's key.
const SHIFT: usize = 8;

/// The hash of UMAC-STD with `T` outputs.
#[derive(Clone)]
pub struct Std<const T: usize> {
    /// One key for each output.
    level_1: [nh::Key; T],
    level_2: [nh::Key; T],
    row: &'static Row<nh::ByOutputs>,
}

impl<const T: usize> BlockHash for Std<T> {
    const BYTES: usize = 8 * T;
    const MIN_MESSAGE: usize = 56;

    fn derive(cpu: Cpu, fill: impl FnOnce(&mut [u8])) -> Self {
        const { assert!(1 <= T && T <= MOST) };
        // Level 1, then level 2.
        let mut bytes = [0; CHUNK + 8 * CHUNKS + 2 * SHIFT * (MOST - 1)];
        let own = &mut bytes[..CHUNK + 8 * CHUNKS + 2 * SHIFT * (T - 1)];
        fill(own);
        let (level_1, level_2) = own.split_at(CHUNK + SHIFT * (T - 1));
        let keys = |level: &[u8], length: usize| {
            core::array::from_fn(|t| nh::Key::new(level[SHIFT * t..][..length].as_chunks().0))
        };
        let hash = Std {
            level_1: keys(level_1, CHUNK),
            level_2: keys(level_2, 8 * CHUNKS),
            row: nh::ROWS.best(cpu),
        };
        bytes.zeroize();
        hash
    }

    fn hash(&self, block: &[u8], out: &mut [u8]) {
        debug_assert!((1..=BLOCK).contains(&block.len()));
        let count = block.len().div_ceil(CHUNK);
        let mut sums = [0; CHUNKS * MOST];
        self.row.functions.nh(&self.level_1, block, &mut sums[..count * T]);
        // Level 2 in plain code: its 16 products need not wait until their words are stored and loaded into a register.
        for (t, out) in out.as_chunks_mut().0.iter_mut().enumerate() {
            let words = sums.as_chunks::<T>().0[..count].iter().map(|sums| sums[t]);
            let products = words.enumerate().map(|(i, word)| {
                // The high half is the first of the pair.
                self.level_2[t].product(i, (word >> 32) as u32, word as u32)
            });
            *out = products.fold(0, u64::wrapping_add).to_be_bytes();
        }
        wipe(&mut sums);
    }

    fn kernel(&self) -> &'static str {
        self.row.name
    }

    fn kernels(cpu: Cpu) -> impl Iterator<Item = (&'static str, Cpu)> {
        nh::ROWS.with_aes(cpu)
    }
}

impl<const T: usize> Drop for Std<T> {
    fn drop(&mut self) {
        let Std { level_1, level_2, row: _ } = self;
        level_1.zeroize();
        level_2.zeroize();
    }
}

// MMX: words of 16 bits, paired 8 apart, one level.

/// The hash of UMAC-MMX with `T` outputs.
#[derive(Clone)]
pub struct Mmx<const T: usize> {
    key: Box<l1_nh16::Key<{ l1_nh16::steps(BLOCK) }>>,
    row: &'static Row<l1_nh16::ByStreams>,
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
        let hash = Mmx { key: l1_nh16::Key::boxed(words), row: l1_nh16::ROWS.best(cpu) };
        bytes.zeroize();
        hash
    }

    fn hash(&self, block: &[u8], out: &mut [u8]) {
        debug_assert!((1..=BLOCK).contains(&block.len()));
        let mut sums = [0; T];
        self.row.functions.nh(&self.key, block, &mut sums);
        for (out, sum) in out.as_chunks_mut().0.iter_mut().zip(sums) {
            *out = sum.to_be_bytes();
        }
        wipe(&mut sums);
    }

    fn kernel(&self) -> &'static str {
        self.row.name
    }

    fn kernels(cpu: Cpu) -> impl Iterator<Item = (&'static str, Cpu)> {
        l1_nh16::ROWS.with_aes(cpu)
    }
}

impl<const T: usize> Drop for Mmx<T> {
    fn drop(&mut self) {
        let Mmx { key, row: _ } = self;
        key.zeroize();
    }
}
