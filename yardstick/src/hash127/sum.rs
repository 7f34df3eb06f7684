//! The polynomial of hash127 (Bernstein, "The hash127 library interface"): sums of words times powers of r. This is the
//! one interface between the hash and its kernels.
//!
//! ```text
//! Z = r;  for each word m, signed:  Z = (Z + m) r  mod 2^127 - 1            the hash is Z + k
//! ```
//!
//! The kernels depart from this:
//!
//! 1. A block of up to 128 words takes one reduction and one full product: Z = Z r^n + m_0 r^n + ... + m_(n-1) r. Its
//!    products of words depend neither on each other nor on Z.
//! 2. A word is multiplied by each limb of its power, and the products of a limb are added without carries.
//! 3. avx512 takes groups of sixteen words. Zeroes *before* the first word fill its group. So the last word is always
//!    multiplied by r, and one table serves all lengths.
//! 4. The 52-bit products of avx512 are unsigned, so it adds 2^31 to each word. It corrects this by -2^31 (r + ... + r^n)
//!    from a table, where n is a multiple of 16.
//!
//! A kernel sees a key and words, but neither the ends of messages nor nonces nor tags.
//!
//! # Registers
//!
//! | kernel | limbs of a power | words side by side | instructions for a word and each limb |
//! |---|---|---|---|
//! | portable | two of 64 bits, signed | one | one product of 64 x 64 bits, 128-bit sum |
//! | avx512 | 52, 52 and 23 bits | eight | vpmadd52luq, vpmadd52huq; vpmuludq, vpaddq for the last |
//!
//! avx512 takes five multiplications for 32 bytes. Zen 4 starts one 512-bit multiplication a cycle, of 52 or of 32 bits, so
//! this costs at least 0.156 cycles a byte.

#[cfg(target_arch = "x86_64")]
mod avx512;
mod portable;

use super::field::{UpToP, add, mul};
use wegman::cpu::Needs;
use wegman::hazmat::rows::{Row, Rows, functions};
use zeroize::Zeroize;

/// The most words in a block: those that share a reduction.
pub(super) const WORDS: usize = 128;

/// Bytes in a full block.
pub(super) const BLOCK: usize = 4 * WORDS;

/// The words of a register of 512 bits.
const SIXTEEN: usize = 16;

/// What the kernels know of r.
#[derive(Clone)]
#[repr(C, align(64))] // whole cache lines for the widest loads
pub(crate) struct Key {
    /// The limbs of r^128 to r, in the form that the row's kernel takes.
    limbs: [u64; 5 * WORDS],
    /// 1, r, ..., r^128. The last word of a block is multiplied by r.
    powers: [UpToP; WORDS + 1],
    /// -2^31 (r + ... + r^(16 n)) from n = 0 on, for kernels that add 2^31 to every word to make it unsigned.
    unlifts: [UpToP; WORDS / SIXTEEN + 1],
}

impl Key {
    /// r.
    pub(super) fn r(&self) -> UpToP {
        self.powers[1]
    }

    /// Z after `n` more words, at most 128, given the sum of their products.
    #[inline]
    fn step(&self, z: UpToP, n: usize, sum: UpToP) -> UpToP {
        add(mul(z, self.powers[n]), sum)
    }
}

impl Zeroize for Key {
    fn zeroize(&mut self) {
        let Key { limbs, powers, unlifts } = self;
        limbs.zeroize();
        powers.zeroize();
        unlifts.zeroize();
    }
}

functions! {
    pub(crate) struct Functions {
        /// Z after any number of words.
        unsafe fn absorb(key: &Key, z: UpToP, words: &[[u8; 4]]) -> UpToP;
        // Fills in the limbs from the powers.
        + prepare: fn(key: &mut Key),
    }
}

/// One row for each file in `sum/`. The last row that fits the machine is used.
static TABLE: &[Row<Functions>] = &[
    Row {
        name: "portable",
        needs: Needs::NONE,
        functions: Functions { prepare: portable::prepare, absorb: portable::absorb },
    },
    #[cfg(target_arch = "x86_64")]
    Row {
        name: "avx512",
        needs: Needs::listed("avx512f,avx512ifma"),
        functions: Functions { prepare: avx512::prepare, absorb: avx512::absorb },
    },
];

pub(crate) static ROWS: Rows<Functions> = Rows::new(TABLE);

impl Functions {
    /// The key of `r` for this kernel.
    pub(super) fn key(&self, r: UpToP) -> Key {
        let mut key = Key {
            limbs: [0; 5 * WORDS],
            powers: [UpToP::new(1); WORDS + 1],
            unlifts: [UpToP::default(); WORDS / SIXTEEN + 1],
        };
        key.powers[1] = r;
        // As r^(n/2) r^(n/2), because then most products do not wait for each other.
        for n in 2..=WORDS {
            key.powers[n] = mul(key.powers[n / 2], key.powers[n.div_ceil(2)]);
        }
        (self.prepare)(&mut key);
        key
    }
}
