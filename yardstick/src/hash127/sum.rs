//! The polynomial: sums of words times powers of r. This is the one interface between the hash and its kernels.
//!
//! ```text
//! n words     Z = Z r^n + m_0 r^n + m_1 r^(n-1) + ... + m_(n-1) r          n at most 128
//! ```
//!
//! Z starts as r, and the hash is Z + k. The products within a block depend neither on each other nor on Z. Each
//! multiplies a word by one limb of a power; the products of each limb are added without carries. One reduction and
//! one full product then serve the whole block.
//!
//! The vector kernel takes words in groups. An incomplete group is filled with zeroes *before* its first word. They add
//! nothing, and the last word always lines up with r.
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
//! ```text
//! load     m0 m1 m2 m3 m4 m5 m6 m7
//! even     m0    m2    m4    m6            a mask
//! odd      m1    m3    m5    m7            a shift
//! ```
//!
//! The key has the limbs in the same order: those of the even words, then of the odd words. Zeros before the first word
//! fill its group. So the last word is always multiplied by r, and one table serves all lengths.
//!
//! The 52-bit products are unsigned. avx512 adds 2^31 to each word and corrects this by -2^31 (r + ... + r^n) from a table,
//! where n is a multiple of 16.
//!
//! avx512 takes five multiplications for 32 bytes. Zen 4 starts one 512-bit multiplication a cycle, of 52 or of 32 bits, so
//! this costs at least 0.156 cycles a byte. The last limb takes one 32-bit multiplication, because two 52-bit ones are
//! slower.

#[cfg(target_arch = "x86_64")]
mod avx512;
mod portable;

use super::field::{UpToP, add, mul};
use wegman::Cpu;
use wegman::cpu::Needs;
use wegman::hazmat::rows::Row;
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

/// One kernel.
pub(crate) struct Kernel {
    /// Fills in the limbs from the powers.
    prepare: fn(key: &mut Key),
    /// Z after any number of words.
    absorb: unsafe fn(key: &Key, z: UpToP, words: &[[u8; 4]]) -> UpToP,
}

/// A file's row: a function that enables its features, without which it could not call the file's.
#[cfg(target_arch = "x86_64")]
macro_rules! row {
    (name: $name:literal, needs: $features:literal, $file:ident) => {{
        #[target_feature(enable = $features)]
        fn absorb(key: &Key, z: UpToP, words: &[[u8; 4]]) -> UpToP {
            $file::absorb(key, z, words)
        }
        let (needs, prepare) = (Needs::listed($features), $file::prepare);
        Row { name: $name, needs, kernels: Kernel { prepare, absorb } }
    }};
}

/// One row for each file in `sum/`. The last row that fits the machine is used.
pub(crate) static ROWS: &[Row<Kernel>] = &[
    Row {
        name: "portable",
        needs: Needs::NONE,
        kernels: Kernel { prepare: portable::prepare, absorb: portable::absorb },
    },
    #[cfg(target_arch = "x86_64")]
    row! { name: "avx512", needs: "avx512f,avx512ifma", avx512 },
];

/// A kernel that this machine can run. It is chosen once and kept in the key.
#[derive(Clone, Copy)]
pub(super) struct Sum(&'static Row<Kernel>);

#[allow(unsafe_code)] // the indirect call
impl Sum {
    /// The kernel to use.
    pub(super) fn new(cpu: Cpu) -> Sum {
        Sum(Row::best(ROWS, cpu).expect("the portable row needs nothing"))
    }

    pub(super) fn name(self) -> &'static str {
        self.0.name
    }

    /// The key of `r` for this kernel.
    pub(super) fn key(self, r: UpToP) -> Key {
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
        (self.0.kernels.prepare)(&mut key);
        key
    }

    /// Z after any number of words.
    #[inline]
    pub(super) fn absorb(self, key: &Key, z: UpToP, words: &[[u8; 4]]) -> UpToP {
        // SAFETY: `Row::best` gives only rows whose needs this machine meets.
        unsafe { (self.0.kernels.absorb)(key, z, words) }
    }
}
