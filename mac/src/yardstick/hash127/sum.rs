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
use crate::cpu::{Cpu, Needs};
use zeroize::Zeroize;

/// Words that are taken together, at most.
pub(super) const WORDS: usize = 128;

/// Their bytes.
pub(super) const BLOCK: usize = 4 * WORDS;

/// The words of a register of 512 bits.
const SIXTEEN: usize = 16;

/// What the kernels know of r.
#[repr(C, align(64))] // whole cache lines for the widest loads
pub(super) struct Key {
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

/// One kernel a file beside this one.
struct Row {
    name: &'static str,
    needs: Needs,
    /// Makes from the powers what the kernel wants.
    prepare: fn(key: &mut Key),
    /// Z after any number of words.
    absorb: unsafe fn(key: &Key, z: u128, words: &[[u8; 4]]) -> u128,
}

const ROWS: &[Row] = &[
    Row {
        name: "portable",
        needs: Needs::NONE,
        prepare: portable::prepare,
        absorb: portable::absorb,
    },
    #[cfg(target_arch = "x86_64")]
    Row { name: "avx2", needs: Needs::AVX2, prepare: avx2::prepare, absorb: avx2::absorb },
    #[cfg(target_arch = "x86_64")]
    Row {
        name: "avx512",
        needs: Needs::AVX512F.and(Needs::AVX512IFMA),
        prepare: avx512::prepare,
        absorb: avx512::absorb,
    },
];

/// A kernel this machine can run, chosen once and kept in the key.
#[derive(Clone, Copy)]
pub(crate) struct Sum(&'static Row);

#[allow(unsafe_code)] // the indirect call
impl Sum {
    /// Every kernel the machine can run, the preferred one last.
    pub(crate) fn all(cpu: Cpu) -> impl DoubleEndedIterator<Item = Sum> {
        ROWS.iter().filter(move |row| cpu.meets(row.needs)).map(Sum)
    }

    /// The kernel to use.
    pub(super) fn new(cpu: Cpu) -> Sum {
        Self::all(cpu).next_back().expect("the portable row needs nothing")
    }

    pub(crate) fn name(self) -> &'static str {
        self.0.name
    }

    pub(crate) fn needs(self) -> Needs {
        self.0.needs
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
        (self.0.prepare)(&mut key);
        key
    }

    /// Z after any number of words.
    #[inline]
    pub(super) fn absorb(self, key: &Key, z: u128, words: &[[u8; 4]]) -> u128 {
        // SAFETY: `all` yields only rows whose needs this machine meets.
        unsafe { (self.0.absorb)(key, z, words) }
    }
}
