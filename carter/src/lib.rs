//! Carter: a MAC on UMAC's plan for processors with carry-less multiplication. **Experimental**: it is our design, and
//! nobody outside the project has reviewed it. docs/carter.md has the definition and the proof.
//!
//! ```text
//! message - l1 -> 128 bits a block of 2048 bytes - l2 -> 128 bits -+
//! key - kdf ---------^-------------------------------^     nonce - pad - xor -> Tag
//! ```
//!
//! A tag has `N` = 16, 12 or 8 bytes ([`Carter128`], [`Carter96`], [`Carter64`]); each length has its own subkeys. The
//! cipher `C` is AES-128 or AES-256. Nonces have `L` = 12 or 16 bytes.
//!
//! **Bound.** At least one of `v` forgery attempts succeeds with probability at most `v n 2^-8N (1 + 2^-110)` times
//! `(1 - (q + 1) / 2^128)^(-(q + 2) / 2)`, for messages of at most `n` blocks and `q` tags (that factor is below 1.0001
//! up to 2^57 tags), plus twice the advantage of distinguishing AES from a random permutation, once for the subkeys and
//! once for the pads; *if no nonce is used twice under one key*. Two messages under one nonce can reveal a key of level
//! 1, and with it forgeries until the key is changed.
//!
//! ```
//! use wegman_carter::Carter128;
//! use wegman::{Aes128, NonceOf};
//!
//! let key = Carter128::<Aes128, 12>::new(b"sixteen byte key");
//! let tag = key.tag(NonceOf::counter(1), b"a message"); // a nonce: never twice under one key
//!
//! let received = NonceOf::counter(1);
//! assert!(key.verify(&received, b"a message", &tag).is_ok());
//! assert!(key.verify(&received, b"b message", &tag).is_err());
//!
//! let mut stream = key.stream();
//! stream.update(b"a mess");
//! stream.update(b"age");
//! assert!(stream.verify(&received, &tag).is_ok());
//! ```

#![cfg_attr(not(test), no_std)]
// docs.rs shows beside each item the feature that it needs.
#![cfg_attr(docsrs, feature(doc_cfg))]
#![deny(unsafe_code)]
#![cfg_attr(
    not(any(
        target_arch = "x86_64",
        all(target_arch = "aarch64", target_endian = "little", target_feature = "neon")
    )),
    allow(dead_code, unused_imports, unused_macros, reason = "what only those kernels use")
)]

#[cfg(all(target_arch = "aarch64", target_endian = "little", target_feature = "neon"))]
mod armv8;
mod field;
mod kdf;
mod kernel;
mod key;
mod l2;
mod lanes;
#[cfg(feature = "parallel")]
mod parallel;
mod portable;
mod rows;
mod segment;
#[cfg(test)]
mod tests;
#[cfg(target_arch = "x86_64")]
mod x86;

/// Parts that can be combined in insecure ways. [`hazmat::Segment`] is for long messages hashed in parts; the modules
/// are for `wegman-yardstick`, whose Polyval-AES shares everything but the hash with Carter. **Exempt from semver.**
pub mod hazmat {
    pub use super::segment::{InvalidLast, Segment};

    /// GF(2^128) in plain code.
    pub mod field {
        pub use crate::field::*;
    }

    /// Key derivation.
    pub mod kdf {
        pub use crate::kdf::Kdf;
    }

    /// Registers of several elements of GF(2^128).
    pub mod lanes {
        #[cfg(all(
            target_arch = "aarch64",
            target_endian = "little",
            target_feature = "neon"
        ))]
        pub use crate::armv8::Pmull;
        pub use crate::lanes::{Lanes, Parts, Single};
        #[cfg(target_arch = "x86_64")]
        pub use crate::x86::{Avx512, Pclmul, Vpclmul};
    }

    /// Batches: eight messages side by side.
    pub mod rows {
        pub use wegman::hazmat::batch::eight_tags;
    }
}

pub use wegman;

use kdf::Kdf;
use key::BLOCK;
use rows::{Functions, Whole};
use wegman::cipher::{Block, BlockCipher};
use wegman::cpu::Needs;
use wegman::hazmat::batch::beginning;
use wegman::hazmat::buffer::{Buffer, not_last};
use wegman::hazmat::nonce_mac::{Difference, Eights, HashAndPads, with_pad};
use wegman::hazmat::pads::{self, PADS};
use wegman::hazmat::rows::Row;
use wegman::nonce_mac;
use wegman::{Aes128, Aes256, Cpu, Tag};
use zeroize::{Zeroize, ZeroizeOnDrop};

/// A key for tags of 16 bytes.
pub type Carter128<C, const L: usize> = Key<C, 16, L>;
/// A key for tags of 12 bytes.
pub type Carter96<C, const L: usize> = Key<C, 12, L>;
/// A key for tags of 8 bytes. About 2^64 / n attempts find such a tag, and the first success gives all others; see
/// docs/carter.md.
pub type Carter64<C, const L: usize> = Key<C, 8, L>;

/// The ciphers that Carter is defined with: [`Aes128`] and [`Aes256`].
pub trait Cipher: BlockCipher<Block = Block> + Clone + sealed::Sealed {}
impl Cipher for Aes128 {}
impl Cipher for Aes256 {}

mod sealed {
    pub trait Sealed {}
    impl Sealed for wegman::Aes128 {}
    impl Sealed for wegman::Aes256 {}
}

/// A Carter key for tags of `N` bytes under nonces of `L` bytes. `N` is 8, 12 or 16 and `L` is 12 or 16 (others do not
/// compile).
///
/// It has 3.1 KiB. Deriving one costs 131 AES calls, 132 with AES-256: share one (`&Key` is `Send` and `Sync`) instead
/// of deriving it for each message.
pub type Key<C, const N: usize, const L: usize> = nonce_mac::Key<Carter<C, N>, N, L>;

/// A stream: any split of a message into pieces gives the same tag.
pub type Stream<K, C, const N: usize, const L: usize> = nonce_mac::Stream<K, Carter<C, N>, N, L>;

/// Carter with all its subkeys: the MAC behind [`Key`].
#[derive(Clone)]
pub struct Carter<C: Cipher, const N: usize> {
    row: &'static Row<Functions>,
    whole: Option<&'static Whole>,
    key: key::Key,
    pad: C,
}

impl<C: Cipher, const N: usize> HashAndPads<N> for Carter<C, N> {
    const NAME: &'static str = "carter::Key";
    const FAMILY: &'static str = "Carter";
    const PAD_BYTES: usize = 16;
    const DIFFERENCE: Difference =
        Difference { exponent: 8 * N as u32, block: BLOCK as u64, more: 0 };
    const NONCE_BYTES: &'static [usize] = &[12, 16];
    type Secret = C::Key;
    type State = State;

    fn new(cpu: Cpu, secret: &[u8]) -> Self {
        let (mut carter, kdf) = Self::blank(cpu, secret);
        carter.derive(&kdf);
        carter
    }

    const IN_PLACE: bool = true;

    fn put<'p>(cpu: Cpu, secret: &[u8], place: impl FnOnce(Self) -> &'p mut Self)
    where
        Self: 'p,
    {
        let (blank, kdf) = Self::blank(cpu, secret);
        place(blank).derive(&kdf);
    }

    fn kernel(&self) -> &'static str {
        self.row.name
    }

    #[inline]
    fn needs(&self) -> Needs {
        self.row.needs
    }

    fn kernels(cpu: Cpu) -> impl Iterator<Item = (&'static str, Cpu)> {
        rows::ROWS.with_aes(cpu)
    }

    fn pad(&self, block: u128, start: usize) -> u128 {
        debug_assert_eq!(start, 0, "pads of 16 bytes begin their blocks");
        pads::pad(&self.pad, block, start)
    }

    fn encrypt(&self, blocks: &mut [u64; 2 * PADS], count: usize) {
        pads::encrypt(&self.pad, blocks, count);
    }

    #[inline(always)] // a call would store a tag in halves
    fn tag(&self, block: u128, _: usize, message: &[u8], tag: &mut [u8; N]) {
        match self.whole {
            Some(whole) => beginning(tag, |tag| whole.tag(&self.key, block, message, tag)),
            None => self.tag_by_levels(block, message, tag),
        }
    }

    const TAKES_HEADS: bool = true;

    #[inline(always)]
    fn tag_after(
        &self,
        block: u128,
        _: usize,
        head: &[u8; 64],
        rest: &[u8],
        tag: &mut [u8; N],
    ) -> bool {
        let Some(whole) = self.whole else { return false };
        beginning(tag, |tag| whole.tag_after(&self.key, block, head, rest, tag));
        true
    }

    #[inline]
    fn tag_with_pad(&self, pad: u128, message: &[u8]) -> Tag<N> {
        let (blocks, last) = not_last(message);
        let mut l2 = l2::State::new();
        l2.absorb(&self.row.functions, &self.key, blocks);
        with_pad(l2.finish(&self.row.functions, &self.key, last), pad)
    }

    #[inline(always)] // a call would copy the buffer, of which nothing is initialised
    fn start(&self) -> State {
        State { l2: l2::State::new(), buffer: Buffer::new() }
    }

    fn update(&self, state: &mut State, piece: &[u8]) {
        let State { l2, buffer } = state;
        buffer.update(piece, |blocks| l2.absorb(&self.row.functions, &self.key, blocks));
    }

    #[cfg(feature = "parallel")]
    fn update_rayon(&self, state: &mut State, piece: &[u8]) {
        let State { l2, buffer } = state;
        buffer.update(piece, |blocks| parallel::absorb(l2, &self.row.functions, &self.key, blocks));
    }

    /// One of at most a block.
    #[inline]
    fn whole(State { l2, buffer }: &State) -> Option<&[u8]> {
        l2.is_empty().then(|| buffer.last())
    }

    fn finish(&self, state: &State, pad: u128) -> Tag<N> {
        let State { l2, buffer } = state;
        with_pad(l2.finish(&self.row.functions, &self.key, buffer.last()), pad)
    }

    #[inline]
    fn reset(&self, State { l2, buffer }: &mut State) {
        if !l2.is_empty() {
            *l2 = l2::State::new();
        }
        buffer.clear();
    }

    #[inline]
    fn eights(&self) -> Option<Eights<Self, N>> {
        self.whole.is_some().then_some(Eights {
            tags: |carter, blocks, messages, tags| {
                let whole = carter.whole;
                whole.is_some_and(|whole| whole.tag8(&carter.key, messages, blocks, tags))
            },
            longest: BLOCK,
            verifies: false,
        })
    }
}

impl<C: Cipher, const N: usize> Carter<C, N> {
    /// A key without subkeys, but for the pad's.
    #[inline] // a call would copy it
    fn blank(cpu: Cpu, secret: &[u8]) -> (Self, Kdf<C>) {
        const {
            assert!(matches!(N, 8 | 12 | 16), "a Carter tag has 8, 12 or 16 bytes");
        }
        let kdf = Kdf::<C>::new(cpu, secret, 8 * N as u8).expect("as long as the cipher's key");
        let (row, whole) = (rows::ROWS.best(cpu), None);
        (Carter { row, whole, key: key::Key::ZERO, pad: kdf.pad_key() }, kdf)
    }

    fn derive(&mut self, kdf: &Kdf<C>) {
        self.key.derive(kdf);
        self.whole = self.row.functions.whole(&self.pad, &mut self.key);
    }

    /// A function of its own, so that only the place is kept for later code.
    #[inline(never)]
    fn tag_by_levels(&self, block: u128, message: &[u8], tag: &mut [u8; N]) {
        // The pad first, so that the processor runs it beside the hash.
        let pad = self.pad(block, 0);
        *tag = self.tag_with_pad(pad, message).to_bytes();
    }
}

impl<C: Cipher, const N: usize> ZeroizeOnDrop for Carter<C, N> {}

impl<C: Cipher, const N: usize> Drop for Carter<C, N> {
    fn drop(&mut self) {
        // `pad` wipes its own round keys; `row` and `whole` are choices of kernels and no secret.
        let Carter { row: _, whole: _, key, pad: _ } = self;
        key.zeroize();
    }
}

/// The state of a stream: level 2 of its blocks, and the bytes held back. Both are wiped on drop.
#[doc(hidden)]
#[derive(Clone)]
pub struct State {
    l2: l2::State,
    buffer: Buffer<BLOCK>,
}

/// The examples of the README, run as tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
