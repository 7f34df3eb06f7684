//! hash127 (Bernstein, "The hash127 library interface", 2000): a polynomial modulo 2^127 - 1 whose coefficients
//! are the 32-bit words of the message; and hash127-RC6, a MAC that encrypts it with a pad from RC6.
//!
//! ```text
//! message words m_0 .. m_{L-1}, signed     u = r^(L+1) + m_0 r^L + ... + m_{L-1} r + k  mod 2^127 - 1
//! ```
//!
//! Up to 128 words are added at a time, each multiplied by its own power of `r`. So they share one reduction and one
//! full product. No branch and no index depends on `r`, `k` or the message.
//!
//! The papers name hash127-RC6, but we found no definition. **Padding, pad and tag are ours**: `k = RC6(nonce)`; the
//! message is padded with a byte 01 and zeroes to a whole word; the tag is `u`, little-endian.
//!
//! **Bound.** At least one of `v` forgery attempts on messages of at most `L` words, after `q` messages, succeeds with
//! probability at most `v (L + 1) / 2^126 + (q + 1)^2 / 2^126` (our bound), plus the advantage of distinguishing RC6
//! from a random permutation, *if no nonce is used twice under one key*.
//!
//! ```
//! use wegman::NonceOf;
//! use wegman_yardstick::hash127::Key;
//!
//! let key = <Key>::new(b"32 bytes: the key of RC6, then r");
//! let tag = key.tag(NonceOf::counter(1), b"a message"); // a nonce: never twice under one key
//! assert!(key.verify(&NonceOf::counter(1), b"a message", &tag).is_ok());
//! ```

mod field;
pub(crate) mod sum;

use core::fmt;
use field::{P, UpToP, add, canonical, fold, fold_signed, minus, mul};
use sum::{BLOCK, Functions};
use wegman::bound::{History, Probability};
use wegman::cipher::{Block, BlockCipher};
use wegman::hazmat::buffer::Buffer;
use wegman::hazmat::nonce_mac::{Difference, HashAndPads};
use wegman::hazmat::pads::{self, PADS};
use wegman::hazmat::raw::Nonce;
use wegman::hazmat::rows::Row;
use wegman::{Cpu, Tag, nonce_mac};
use wegman_historical::Rc6;
use zeroize::{Zeroize, ZeroizeOnDrop};

/// What adding 2^31 to each of four words adds to their number: 2^31 (1 + 2^32 + 2^64 + 2^96).
const BIAS: u128 = 0x8000_0000_8000_0000_8000_0000_8000_0000;

/// The number that four signed 32-bit words represent, the lowest first.
fn number(bytes: &Block) -> UpToP {
    // With 2^31 added to each word they are one unsigned number.
    let lifted = u128::from_le_bytes(*bytes) ^ BIAS;
    // It is folded twice: it may be 2^128 - 1, which `fold` does not take.
    add(fold((lifted & P) + (lifted >> 127)), minus(fold(BIAS)))
}

/// hash127 under one `r`: the universal hash alone. It is a MAC only with a secret `k` that is used once.
#[derive(Clone)]
pub struct Hash127 {
    row: &'static Row<Functions>,
    key: sum::Key,
}

impl Hash127 {
    /// Prepares the powers of `r`, four signed 32-bit words, little-endian, the lowest first. Numbers equal
    /// modulo 2^127 - 1 give the same function.
    #[must_use]
    pub fn new(r: &Block) -> Hash127 {
        Self::with_cpu(Cpu::detect(), r)
    }

    /// [`new`](Self::new) with at most the features of `cpu`: the same hashes, perhaps from another kernel.
    #[must_use]
    pub fn with_cpu(cpu: Cpu, r: &Block) -> Hash127 {
        let row = sum::ROWS.best(cpu);
        Hash127 { row, key: row.functions.key(number(r)) }
    }

    /// The name of the kernel, for example `portable`.
    #[must_use]
    pub fn kernel(&self) -> &'static str {
        self.row.name
    }

    /// Every kernel of this machine: its name, and the `Cpu` that makes a key choose it.
    pub fn kernels(cpu: Cpu) -> impl Iterator<Item = (&'static str, Cpu)> {
        sum::ROWS.with_aes(cpu)
    }

    /// `u`, little-endian, of a message of whole words. `k` has the same form as `r` in [`new`](Self::new).
    #[must_use]
    pub fn hash(&self, message: &[[u8; 4]], k: &Block) -> Block {
        finish(self.absorb(self.key.r(), message), number(k))
    }

    /// Z after more words.
    fn absorb(&self, z: UpToP, message: &[[u8; 4]]) -> UpToP {
        self.row.functions.absorb(&self.key, z, message)
    }

    /// Z after the last bytes of a message and their padding.
    ///
    /// # Bounds
    /// The last word is below 2^25: a byte 01 after at most three bytes.
    fn absorb_last(&self, z: UpToP, last: &[u8]) -> UpToP {
        let (words, rest) = last.as_chunks();
        let z = self.absorb(z, words);
        let word = rest.iter().rev().fold(1, |word, byte| word << 8 | i32::from(*byte));
        mul(add(z, fold_signed(word.into())), self.key.r())
    }
}

/// The hash: Z + k, below p.
fn finish(z: UpToP, k: UpToP) -> Block {
    canonical(add(z, k)).to_le_bytes()
}

impl Drop for Hash127 {
    fn drop(&mut self) {
        // `row` is the choice of a kernel, which is not secret.
        let Hash127 { row: _, key } = self;
        key.zeroize();
    }
}

impl fmt::Debug for Hash127 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Hash127({})", self.kernel())
    }
}

/// `u` in the form in which Bernstein's library returns it: four 32-bit limbs, the lowest first, each minus 2^31.
#[must_use]
pub fn out_words(u: &Block) -> [i32; 4] {
    let (limbs, _) = u.as_chunks();
    core::array::from_fn(|i| i32::from_le_bytes(limbs[i]) ^ i32::MIN)
}

/// A key of hash127-RC6. Its secret is RC6's key and `r`, 16 bytes each.
pub type Key<const L: usize = 8> = nonce_mac::Key<Hash127Rc6, 16, L>;

/// A stream: any split of a message into pieces gives the same tag.
pub type Stream<K, const L: usize = 8> = nonce_mac::Stream<K, Hash127Rc6, 16, L>;

/// hash127 and RC6 with their keys: the MAC behind [`Key`].
#[derive(Clone)]
pub struct Hash127Rc6 {
    hash: Hash127,
    cipher: Rc6,
}

impl ZeroizeOnDrop for Hash127Rc6 {}

/// Two of p pads are equal, or they distinguish RC6 from random blocks, with probability at most p^2 / 2^126: by the
/// switching lemma, and because pads are values modulo 2^127 - 1.
#[must_use]
pub fn pads_meet<P: Probability>(pads: u128) -> P {
    P::half_to(126).times(pads).times(pads)
}

impl HashAndPads<16> for Hash127Rc6 {
    const NAME: &'static str = "hash127::Key";
    const FAMILY: &'static str = "hash127-RC6";
    const PAD_BYTES: usize = 16;
    /// The words, one with the padding, and one more.
    const DIFFERENCE: Difference = Difference { exponent: 126, block: 4, more: 2 };
    /// The term for pads is then 2^-42.
    const LIMIT: u64 = 1 << 42;
    type Secret = [u8; 32];
    const NONCE_BYTES: &'static [usize] = Nonce::LENGTHS;
    type State = State;

    fn new(cpu: Cpu, secret: &[u8]) -> Self {
        let ([secret, r], []) = secret.as_chunks() else { panic!("a secret of 32 bytes") };
        Hash127Rc6 { hash: Hash127::with_cpu(cpu, r), cipher: Rc6::new(secret) }
    }

    fn kernel(&self) -> &'static str {
        self.hash.kernel()
    }

    fn kernels(cpu: Cpu) -> impl Iterator<Item = (&'static str, Cpu)> {
        Hash127::kernels(cpu)
    }

    /// The pads are encryptions modulo 2^127 - 1, so Bernstein's theorem does not apply.
    fn forgery<P: Probability>(history: &History) -> P {
        let (seen, _) = history.seen();
        let attempts = history.tried.messages.into();
        Self::DIFFERENCE.of::<P>(history.longest, attempts).plus(pads_meet(seen))
    }

    /// RC6 of the nonce with zeroes appended. `sum` reduces it modulo p.
    fn pad(&self, block: u128, start: usize) -> u128 {
        debug_assert_eq!(start, 0, "pads of 16 bytes begin their blocks");
        pads::pad(&self.cipher, block, start)
    }

    fn encrypt(&self, blocks: &mut [u64; 2 * PADS], count: usize) {
        pads::encrypt(&self.cipher, blocks, count);
    }

    fn tag(&self, block: u128, start: usize, message: &[u8], tag: &mut [u8; 16]) {
        // The hash comes first, because the processor can run RC6, one long dependency chain, beside it.
        let z = self.hash.absorb_last(self.hash.key.r(), message);
        *tag = self.sum(z, self.pad(block, start)).to_bytes();
    }

    fn tag_with_pad(&self, pad: u128, message: &[u8]) -> Tag<16> {
        self.sum(self.hash.absorb_last(self.hash.key.r(), message), pad)
    }

    fn start(&self) -> State {
        State { z: self.hash.key.r(), buffer: Buffer::new() }
    }

    fn update(&self, state: &mut State, piece: &[u8]) {
        let State { z, buffer } = state;
        buffer.update(piece, |blocks| {
            let (words, _) = blocks.as_flattened().as_chunks();
            *z = self.hash.absorb(*z, words);
        });
    }

    fn finish(&self, state: &State, pad: u128) -> Tag<16> {
        let State { z, buffer } = state;
        self.sum(self.hash.absorb_last(*z, buffer.last()), pad)
    }
}

impl Hash127Rc6 {
    /// The tag: the sum of hash and pad modulo p. The pad is any block.
    fn sum(&self, z: UpToP, pad: u128) -> Tag<16> {
        Tag::from(finish(z, number(&pad.to_le_bytes())))
    }
}

/// The state of a stream: Z and the bytes held back. It is wiped on drop.
#[doc(hidden)]
#[derive(Clone)]
pub struct State {
    z: UpToP,
    buffer: Buffer<BLOCK>,
}

impl Drop for State {
    fn drop(&mut self) {
        let State { z, buffer: _ } = self; // `buffer` wipes itself
        z.zeroize();
    }
}
