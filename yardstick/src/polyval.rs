//! Polyval-AES: POLYVAL of a message and its length (RFC 8452, section 3), encrypted with a pad that AES makes from the
//! nonce. It is here for comparison with [Carter](wegman_carter): it has the usual polynomial over the same field, the
//! same pads, and kernels made with the same care.
//!
//! ```text
//! hash  POLYVAL with key H of the message, zero bytes up to whole blocks, eight zero bytes and the length in bits
//! tag   hash xor AES_K(nonce), 16 bytes
//! ```
//!
//! `H` and `K` are derived from the secret as Carter's keys are (`wegman-carter`), with the first byte 129. The pad and
//! the tag are our choice.
//!
//! **Bound.** At least one of `v` forgery attempts succeeds with probability at most `v (L + 1) / 2^128` times
//! `(1 - (q + 1) / 2^128)^(-(q + 2) / 2)` times 1 + 2^-110, for messages of at most `L` blocks of 16 bytes and `q`
//! tags, plus the advantage of distinguishing AES from a random permutation, *if no nonce is used twice under one key*.
//!
//! ```
//! use wegman::NonceOf;
//! use wegman_yardstick::polyval::Key;
//!
//! let key = Key::<12>::new(b"sixteen byte key");
//! let tag = key.tag(NonceOf::counter(1), b"a message"); // a nonce: never twice under one key
//! assert!(key.verify(&NonceOf::counter(1), b"a message", &tag).is_ok());
//! ```

pub(crate) mod hash;

use hash::{CHUNK, Functions, Whole};
use wegman::cpu::Needs;
use wegman::hazmat::buffer::{Buffer, not_last};
use wegman::hazmat::nonce_mac::{Difference, HashAndPads, with_pad};
use wegman::hazmat::pads::{self, PADS};
use wegman::hazmat::rows::Row;
use wegman::{Aes128, Cpu, Tag, nonce_mac};
use wegman_carter::hazmat::kdf::Kdf;
use zeroize::{Zeroize, ZeroizeOnDrop};

/// The first byte of the blocks from which subkeys are made. Carter's are 128, 96 and 64.
const FIRST: u8 = 129;

/// A Polyval-AES key for nonces of `L` bytes; `L` is 12 or 16 (others do not compile).
pub type Key<const L: usize> = nonce_mac::Key<PolyvalAes, 16, L>;

/// A stream: any split of a message into pieces gives the same tag.
pub type Stream<K, const L: usize> = nonce_mac::Stream<K, PolyvalAes, 16, L>;

/// Polyval-AES with its subkeys: the MAC behind [`Key`].
#[derive(Clone)]
pub struct PolyvalAes {
    row: &'static Row<Functions>,
    whole: Option<Whole>,
    key: hash::Key,
    pad: Aes128,
}

impl HashAndPads<16> for PolyvalAes {
    const NAME: &'static str = "polyval::Key";
    const FAMILY: &'static str = "Polyval-AES";
    const PAD_BYTES: usize = 16;
    /// The blocks and the length.
    const DIFFERENCE: Difference = Difference { exponent: 128, block: 16, more: 1 };
    const NONCE_BYTES: &'static [usize] = &[12, 16];
    type Secret = [u8; 16];
    type State = State;

    fn new(cpu: Cpu, secret: &[u8]) -> Self {
        let kdf = Kdf::<Aes128>::new(cpu, secret, FIRST).expect("a secret of 16 bytes");
        let pad = kdf.pad_key();
        let mut h = [0; 16];
        kdf.fill(2, &mut h);
        let (row, whole) = (hash::ROWS.best(cpu), None);
        let mut polyval = PolyvalAes { row, whole, key: hash::Key::new(&h), pad };
        h.zeroize();
        polyval.whole = row.functions.whole(&polyval.pad, &mut polyval.key);
        polyval
    }

    fn kernel(&self) -> &'static str {
        self.row.name
    }

    #[inline]
    fn needs(&self) -> Needs {
        self.row.needs
    }

    fn kernels(cpu: Cpu) -> impl Iterator<Item = (&'static str, Cpu)> {
        hash::ROWS.with_aes(cpu)
    }

    fn pad(&self, block: u128, start: usize) -> u128 {
        debug_assert_eq!(start, 0, "pads of 16 bytes begin their blocks");
        pads::pad(&self.pad, block, start)
    }

    fn encrypt(&self, blocks: &mut [u64; 2 * PADS], count: usize) {
        pads::encrypt(&self.pad, blocks, count);
    }

    #[inline(always)] // a call would store a tag in halves
    fn tag(&self, block: u128, _: usize, message: &[u8], tag: &mut [u8; 16]) {
        match self.whole {
            Some(whole) => whole.tag(&self.key, block, message, tag),
            None => *tag = self.tag_by_levels(block, message).to_bytes(),
        }
    }

    fn tag_with_pad(&self, pad: u128, message: &[u8]) -> Tag<16> {
        with_pad(self.hash_of(message), pad)
    }

    fn start(&self) -> State {
        State { y: 0, chunks: 0, buffer: Buffer::new() }
    }

    fn update(&self, state: &mut State, piece: &[u8]) {
        let State { y, chunks, buffer } = state;
        buffer.update(piece, |whole| {
            self.row.functions.absorb(&self.key, y, whole);
            *chunks += whole.len() as u64;
        });
    }

    fn finish(&self, state: &State, pad: u128) -> Tag<16> {
        let State { y, chunks, buffer } = state;
        let last = buffer.last();
        // The length in bits, modulo 2^64.
        let bits =
            chunks.wrapping_mul(CHUNK as u64).wrapping_add(last.len() as u64).wrapping_mul(8);
        with_pad(self.row.functions.finish(&self.key, *y, last, bits), pad)
    }
}

impl PolyvalAes {
    #[inline(never)]
    fn tag_by_levels(&self, block: u128, message: &[u8]) -> Tag<16> {
        // The pad comes first, because the processor then runs it beside the hash.
        let pad = self.pad(block, 0);
        with_pad(self.hash_of(message), pad)
    }

    fn hash_of(&self, message: &[u8]) -> u128 {
        let (chunks, last) = not_last(message);
        let mut y = 0;
        self.row.functions.absorb(&self.key, &mut y, chunks);
        self.row.functions.finish(&self.key, y, last, 8 * message.len() as u64)
    }
}

impl ZeroizeOnDrop for PolyvalAes {}

impl Drop for PolyvalAes {
    fn drop(&mut self) {
        // `pad` wipes its own round keys; `row` and `whole` are choices of kernels, which are not secret.
        let PolyvalAes { row: _, whole: _, key, pad: _ } = self;
        key.zeroize();
    }
}

/// The state of a stream: Y and the bytes held back. It is wiped on drop.
#[doc(hidden)]
#[derive(Clone)]
pub struct State {
    y: u128,
    chunks: u64,
    buffer: Buffer<CHUNK>,
}

impl Drop for State {
    fn drop(&mut self) {
        let State { y, chunks: _, buffer: _ } = self; // `buffer` wipes itself
        y.zeroize();
    }
}
