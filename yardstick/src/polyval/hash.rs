//! POLYVAL (RFC 8452, section 3) of a message and its length: one reduction for up to 64 blocks of 16 bytes. This is
//! the one interface between the hash and its kernels.
//!
//! ```text
//! 64 blocks      Y = (Y + X_0) H^64 + X_1 H^63 + ... + X_63 H         (all but the last 1 to 64)
//! n last blocks  (Y + X_0) H^(n+1) + ... + X_(n-1) H^2 + length H
//! ```
//!
//! Each product has the factor x^-128, and the sum of the products is reduced.
//!
//! A kernel sees keys, blocks and a length, and knows nothing of nonces. The exceptions are the kernels for whole
//! messages: [`Whole`]. The field's arithmetic is Carter's.

// Groups are for the kernels; plain code takes single blocks.
#![cfg_attr(not(any(target_arch = "x86_64", target_arch = "aarch64")), allow(dead_code))]

#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(any(
    target_arch = "x86_64",
    all(target_arch = "aarch64", target_endian = "little", target_feature = "neon")
))]
mod kernel;
mod portable;

use wegman::cipher::{Block, BlockCipher};
use wegman::cpu::Needs;
use wegman::hazmat::aes::round_keys;
use wegman::hazmat::rows::{Row, Rows, functions};
use wegman_carter::hazmat::field::dot;
use zeroize::Zeroize;

/// The most blocks that share a reduction.
const MOST: usize = 64;
/// Bytes in [`MOST`] blocks.
pub(crate) const CHUNK: usize = 16 * MOST;
/// Bytes in a group of eight blocks.
const GROUP: usize = 128;

/// The index of H^MOST among the powers: at the start of a cache line, with room for H^(MOST + 1) before it.
const FIRST: usize = 4;
/// The number of powers, including zeroes after H, since the last group may be incomplete.
const POWERS: usize = FIRST + MOST + 8;

/// What the kernels know of a key. All numbers are little-endian.
#[derive(Clone)]
#[repr(C, align(64))] // whole cache lines for the widest loads
pub(crate) struct Key {
    /// H^65, H^64, ..., H.
    powers: [Block; POWERS],
    /// For each power, the sum of its halves and the same of the power four places on.
    sums: [Block; POWERS],
    /// The round keys of the pad cipher: eleven, since it is AES-128.
    rounds: [Block; 15],
}

impl Key {
    const ZERO: Key =
        Key { powers: [[0; 16]; POWERS], sums: [[0; 16]; POWERS], rounds: [[0; 16]; 15] };

    pub(crate) fn new(h: &Block) -> Key {
        let mut key = Key::ZERO;
        let h = u128::from_le_bytes(*h);
        let mut power = h;
        for slot in key.powers[FIRST - 1..FIRST + MOST].iter_mut().rev() {
            *slot = power.to_le_bytes();
            power = dot(power, h);
        }
        let halves = |power: &Block| {
            let number = u128::from_le_bytes(*power);
            number as u64 ^ (number >> 64) as u64
        };
        for (i, sums) in key.sums.iter_mut().enumerate().take(POWERS - 4) {
            let (this, other) = (halves(&key.powers[i]), halves(&key.powers[i + 4]));
            *sums = (u128::from(other) << 64 | u128::from(this)).to_le_bytes();
        }
        key
    }

    /// H.
    fn h(&self) -> &Block {
        self.power(1)
    }

    /// H^n, for `n` from 1 to 65.
    fn power(&self, n: usize) -> &Block {
        &self.powers[FIRST + MOST - n]
    }

    /// H^n and the powers below it, with the sums of their halves, in groups.
    #[inline]
    fn powers_from(&self, n: usize) -> impl ExactSizeIterator<Item = Powers<'_>> {
        let start = 16 * (FIRST + MOST - n);
        let (powers, _) = self.powers.as_flattened()[start..].as_chunks();
        let (sums, _) = self.sums.as_flattened()[start..].as_chunks::<GROUP>();
        powers
            .iter()
            .zip(sums)
            .map(|(powers, sums)| Powers { powers, sums: sums.first_chunk().expect("half of it") })
    }
}

impl Zeroize for Key {
    fn zeroize(&mut self) {
        let Key { powers, sums, rounds } = self;
        powers.as_flattened_mut().zeroize();
        sums.as_flattened_mut().zeroize();
        rounds.as_flattened_mut().zeroize();
    }
}

/// The factors of a group.
struct Powers<'k> {
    powers: &'k [u8; GROUP],
    sums: &'k [u8; GROUP / 2],
}

functions! {
    pub(crate) struct Functions {
        /// Absorbs chunks, none of which is the message's last.
        unsafe fn absorb(key: &Key, y: &mut u128, chunks: &[[u8; CHUNK]]);
        /// The hash of a message, given its last chunk and its length in bits.
        unsafe fn finish(key: &Key, y: u128, last: &[u8], bits: u64) -> u128;
        + whole: Option<Whole>,
    }
}

functions! {
    /// The kernel for whole messages, pads included.
    #[derive(Clone, Copy)]
    pub(crate) struct Whole {
        /// The tag of a message under the nonce whose block is `block`.
        unsafe fn tag(key: &Key, block: u128, message: &[u8], tag: &mut Block);
    }
}

/// A row over registers of `$lanes`.
#[cfg(any(
    target_arch = "x86_64",
    all(target_arch = "aarch64", target_endian = "little", target_feature = "neon")
))]
macro_rules! row {
    (name: $name:literal, needs: $features:literal, $lanes:ident, $whole:expr) => {{
        use wegman_carter::hazmat::lanes::$lanes;
        #[target_feature(enable = $features)]
        fn absorb(key: &Key, y: &mut u128, chunks: &[[u8; CHUNK]]) {
            kernel::absorb($lanes::new(), key, y, chunks);
        }
        #[target_feature(enable = $features)]
        fn finish(key: &Key, y: u128, last: &[u8], bits: u64) -> u128 {
            kernel::finish($lanes::new(), key, y, last, bits)
        }
        let needs = Needs::listed($features);
        Row { name: $name, needs, functions: Functions { absorb, finish, whole: $whole } }
    }};
}

// A static: the functions of a constant are compiled anew in every crate that names it.
static TABLE: &[Row<Functions>] = &[
    Row {
        name: "portable",
        needs: Needs::NONE,
        functions: Functions { absorb: portable::absorb, finish: portable::finish, whole: None },
    },
    #[cfg(target_arch = "x86_64")]
    row! { name: "pclmul", needs: "sse2,ssse3,aes,pclmulqdq", Pclmul, None },
    #[cfg(target_arch = "x86_64")]
    row! { name: "vpclmul", needs: "avx2,bmi2,aes,vaes,pclmulqdq,vpclmulqdq", Vpclmul, None },
    #[cfg(target_arch = "x86_64")]
    row! {
        name: "avx512",
        needs: "sse2,avx512f,avx512bw,avx512vl,bmi2,aes,vaes,pclmulqdq,vpclmulqdq",
        Avx512, Some(Whole { tag: avx512::tag })
    },
    #[cfg(all(target_arch = "aarch64", target_endian = "little", target_feature = "neon"))]
    row! { name: "pmull", needs: "neon,aes", Pmull, None },
];

pub(crate) static ROWS: Rows<Functions> = Rows::new(TABLE);

impl Functions {
    /// The kernel for whole messages, if there is one for this cipher. Copies its round keys into `key`.
    pub(crate) fn whole(&self, pad: &impl BlockCipher, key: &mut Key) -> Option<Whole> {
        let whole = self.whole?;
        let rounds = round_keys(pad)?;
        key.rounds[..rounds.len()].copy_from_slice(rounds);
        Some(whole)
    }
}
