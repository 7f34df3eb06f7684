//! Sums of words times powers of r, the narrow waist.
//!
//! ```text
//! n words     Z = Z r^n + m_0 r^n + m_1 r^(n-1) + ... + m_(n-1) r          n at most 128
//! ```
//!
//! Z begins as r, and the hash is Z + k. The products of the words of a block are independent of each other and of
//! Z; each is one of a word and a limb of a power, and they are added up without carries. One reduction and one
//! product of whole numbers serve for all of the block.
//!
//! Kernels with vectors take words in groups. What is missing to a whole group are zeroes *before* the first word:
//! they add nothing, and the last word stands beside r whatever the number of words.
//!
//! A kernel sees a key and words and knows nothing of messages' ends, nonces or tags.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod portable;

use super::field::{P, add, mul};
use wegman::Cpu;
use wegman::cpu::Needs;
use wegman::hazmat::rows::Row;
use zeroize::Zeroize;

/// Words that are taken together, at most.
pub(super) const WORDS: usize = 128;

/// Their bytes.
pub(super) const BLOCK: usize = 4 * WORDS;

/// The words of a register of 512 bits.
const SIXTEEN: usize = 16;

/// What the kernels know of r.
#[repr(C, align(64))] // whole cache lines for the widest loads
pub(crate) struct Key {
    /// r^128 to r in limbs, as the row's kernel wants them.
    limbs: [u64; 5 * WORDS],
    /// 1, r, ..., r^128. The last word of a block stands beside r.
    powers: [u128; WORDS + 1],
    /// -2^31 (r + ... + r^(16 n)), from n = 0 on, for kernels whose words have no sign.
    unlifts: [u128; WORDS / SIXTEEN + 1],
}

impl Key {
    /// r.
    pub(super) fn r(&self) -> u128 {
        self.powers[1]
    }

    /// Z after n words whose sum is there.
    #[inline]
    fn step(&self, z: u128, n: usize, sum: u128) -> u128 {
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
    /// Makes from the powers what the kernel wants.
    prepare: fn(key: &mut Key),
    /// Z after any number of words.
    absorb: unsafe fn(key: &Key, z: u128, words: &[[u8; 4]]) -> u128,
}

/// One row a file beside this one; the last that fits the machine wins.
pub(crate) const ROWS: &[Row<Kernel>] = &[
    Row {
        name: "portable",
        needs: Needs::NONE,
        kernels: Kernel { prepare: portable::prepare, absorb: portable::absorb },
    },
    #[cfg(target_arch = "x86_64")]
    Row {
        name: "avx2",
        needs: Needs::AVX2,
        kernels: Kernel { prepare: avx2::prepare, absorb: avx2::absorb },
    },
    #[cfg(target_arch = "x86_64")]
    Row {
        name: "avx512",
        needs: Needs::AVX512F.and(Needs::AVX512IFMA),
        kernels: Kernel { prepare: avx512::prepare, absorb: avx512::absorb },
    },
];

/// A kernel this machine can run, chosen once and kept in the key.
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

    /// The key of r, at most p, for this kernel.
    pub(super) fn key(self, r: u128) -> Key {
        let mut key = Key {
            limbs: [0; 5 * WORDS],
            powers: [1; WORDS + 1],
            unlifts: [P; WORDS / SIXTEEN + 1],
        };
        key.powers[1] = r;
        // By halves, so that one product need not wait for another.
        for n in 2..=WORDS {
            key.powers[n] = mul(key.powers[n / 2], key.powers[n.div_ceil(2)]);
        }
        (self.0.kernels.prepare)(&mut key);
        key
    }

    /// Z after any number of words.
    #[inline]
    pub(super) fn absorb(self, key: &Key, z: u128, words: &[[u8; 4]]) -> u128 {
        // SAFETY: `Row::best` gives only rows whose needs this machine meets.
        unsafe { (self.0.kernels.absorb)(key, z, words) }
    }
}
