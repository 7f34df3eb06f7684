//! POLYVAL (RFC 8452, section 3) of a message and its length: one reduction for up to 64 blocks of 16 bytes. This is
//! the one interface between the hash and its kernels.
//!
//! ```text
//! 64 blocks      Y = (Y + X_0) H^64 + X_1 H^63 + ... + X_63 H         (all but the last 1 to 64)
//! n last blocks  (Y + X_0) H^(n+1) + ... + X_(n-1) H^2 + length H
//! ```
//!
//! Each product has the factor x^-128, and the sum of the products is reduced. Blocks are taken in groups of eight, so
//! that each block X has a partner W, four places on. Of Karatsuba's three products, those of the sums of halves of X
//! and W share a register that holds no half of anything else: (X.low + X.high, W.low + W.high).
//!
//! A kernel sees keys, blocks and a length, and knows nothing of nonces. The exceptions are the kernels of whole
//! messages: [`Packet`].

// Groups are for the kernels; plain code takes single blocks.
#![cfg_attr(not(any(target_arch = "x86_64", target_arch = "aarch64")), allow(dead_code))]

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

use wegman::cipher::Block;
use wegman::hazmat::rows::Row;
use wegman_carter::hazmat::field::dot;
use wegman_carter::hazmat::rows::{self, HashKernels, HashKey};
use zeroize::Zeroize;

pub(crate) type Hash = rows::Hash<Key>;
pub(crate) type Packet = rows::Packet<Key>;

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

// A static: the functions of a constant are compiled anew in every crate that names it.
static ROWS: &[Row<HashKernels<Key>>] = &[
    HashKernels::portable(portable::absorb, portable::finish),
    #[cfg(target_arch = "x86_64")]
    HashKernels::pclmul(clmul::absorb, clmul::finish, [None, None]),
    #[cfg(target_arch = "x86_64")]
    HashKernels::vpclmul(vpclmul::absorb, vpclmul::finish, [None, None]),
    #[cfg(target_arch = "x86_64")]
    HashKernels::avx512(avx512::absorb, avx512::finish, [Some(avx512::KERNELS), None]),
    #[cfg(all(target_arch = "aarch64", target_endian = "little", target_feature = "neon"))]
    HashKernels::pmull(clmul::absorb, clmul::finish, [None, None]),
];

// SAFETY: a test compares the rows' needs with what their files enable.
#[allow(unsafe_code)]
unsafe impl HashKey for Key {
    type Bytes = [u8; CHUNK];
    /// Y.
    type State = u128;
    type Ahead = ();

    const ROWS: &'static [Row<HashKernels<Key>>] = ROWS;

    #[inline]
    fn rounds(&self) -> &[Block; 15] {
        &self.rounds
    }

    fn rounds_mut(&mut self) -> &mut [Block; 15] {
        &mut self.rounds
    }
}

/// The whole groups, and the bytes after them, if any, padded with zeroes.
fn groups(last: &[u8]) -> (&[[u8; GROUP]], Option<[u8; GROUP]>) {
    let (groups, rest) = last.as_chunks();
    let mut group = [0; GROUP];
    group[..rest.len()].copy_from_slice(rest);
    (groups, (!rest.is_empty()).then_some(group))
}
