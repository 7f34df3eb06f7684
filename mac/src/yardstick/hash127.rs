//! hash127 (Bernstein, "The hash127 library interface", 2000): a polynomial modulo 2^127 - 1 whose coefficients
//! are the message's 32-bit words; and hash127-RC6, the MAC with a pad from RC6.
//!
//! ```text
//! message words m_0 .. m_{L-1}, signed     u = r^(L+1) + m_0 r^L + ... + m_{L-1} r + k  mod 2^127 - 1
//! ```
//!
//! Up to 128 words are taken at a time, each by its power of `r`, so that one reduction and one long product serve for
//! all of them. No branch and no index depends on `r`, `k` or the message.
//!
//! hash127-RC6 is named in the papers, but no definition was found. **Padding, pad and tag are ours**:
//! `k = RC6(nonce)`, the message with a byte 01 and zeroes up to a whole word, the tag `u`, little-endian.
//!
//! **Bound.** Of `v` forgery attempts on messages of at most `L` words, after `q` messages, one succeeds with
//! probability at most `v (L + 1) / 2^126 + (q + 1)^2 / 2^126` (ours), plus the advantage of telling RC6 from a random
//! permutation, *if no nonce is used twice under one key*.
//!
//! ```
//! use wegman::Nonce;
//! use wegman::yardstick::hash127::Key;
//!
//! let key = Key::new(b"sixteen byte key", b"sixteen bytes: r");
//! let nonce = Nonce::counter(1); // never twice under one key
//! let tag = key.tag(&nonce, b"a message");
//! assert!(key.verify(&nonce, b"a message", &tag).is_ok());
//! ```

mod field;
pub(crate) mod sum;

use crate::buffer::Buffer;
use crate::cipher::{Block, BlockCipher, Rc6};
use crate::cpu::Cpu;
use crate::nonce::{Nonce, NoncesExhausted};
use crate::tag::{InvalidLength, Tag, TagMismatch};
use core::fmt;
use field::{P, add, canonical, fold, fold_signed, mul};
use sum::{BLOCK, Sum};
use zeroize::Zeroize;

/// 2^31 (1 + 2^32 + 2^64 + 2^96).
const BIAS: u128 = 0x8000_0000_8000_0000_8000_0000_8000_0000;

/// The number of 16 bytes, four signed words.
fn number(bytes: &Block) -> u128 {
    // The words lifted are one unsigned number.
    let lifted = u128::from_le_bytes(*bytes) ^ BIAS;
    // Twice, since it may be 2^128 - 1.
    add(fold((lifted & P) + (lifted >> 127)), P - fold(BIAS))
}

/// hash127 with one `r`: the universal hash alone. With a secret `k` that is used only once it is a MAC.
pub struct Hash127 {
    sum: Sum,
    key: sum::Key,
}

impl Hash127 {
    /// Prepares the powers of `r`: four signed 32-bit words, little-endian, the lowest first. The same number
    /// modulo 2^127 - 1 is the same function.
    #[must_use]
    pub fn new(r: &Block) -> Hash127 {
        Self::with_cpu(Cpu::detect(), r)
    }

    /// The same for use with at most the features of `cpu`: the same hashes, from another kernel.
    #[must_use]
    pub fn with_cpu(cpu: Cpu, r: &Block) -> Hash127 {
        let sum = Sum::new(cpu);
        Hash127 { sum, key: sum.key(number(r)) }
    }

    /// The name of the kernel, for example `portable`.
    #[must_use]
    pub fn kernel(&self) -> &'static str {
        self.sum.name()
    }

    /// Every kernel of this machine: its name, and the `Cpu` that makes a key choose it.
    pub fn kernels(cpu: Cpu) -> impl Iterator<Item = (&'static str, Cpu)> {
        Sum::all(cpu).map(move |sum| (sum.name(), cpu.only(sum.needs())))
    }

    /// u, little-endian, for a message of whole words and `k` in the form of `r`.
    #[must_use]
    pub fn hash(&self, message: &[[u8; 4]], k: &Block) -> Block {
        finish(self.absorb(self.key.r(), message), number(k))
    }

    /// Takes words.
    fn absorb(&self, z: u128, message: &[[u8; 4]]) -> u128 {
        self.sum.absorb(&self.key, z, message)
    }

    /// Takes the last bytes of a message, padded.
    fn absorb_last(&self, z: u128, last: &[u8]) -> u128 {
        let (words, rest) = last.as_chunks();
        let z = self.absorb(z, words);
        let word = rest.iter().rev().fold(1, |word, byte| word << 8 | i32::from(*byte));
        mul(add(z, fold_signed(word.into())), self.key.r())
    }
}

/// Adds k.
fn finish(z: u128, k: u128) -> Block {
    canonical(add(z, k)).to_le_bytes()
}

impl Drop for Hash127 {
    fn drop(&mut self) {
        // `sum` is a choice of a kernel and no secret.
        let Hash127 { sum: _, key } = self;
        key.zeroize();
    }
}

impl fmt::Debug for Hash127 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Hash127({})", self.kernel())
    }
}

/// What Bernstein's library returns for `u`: four limbs, the lowest first, each less 2^31.
#[must_use]
pub fn out_words(u: &Block) -> [i32; 4] {
    let (limbs, _) = u.as_chunks();
    core::array::from_fn(|i| i32::from_le_bytes(limbs[i]) ^ i32::MIN)
}

/// A key of hash127-RC6.
pub struct Key {
    hash: Hash127,
    cipher: Rc6,
}

impl Key {
    /// Prepares a key from two independent uniformly random secrets: RC6's key, and r.
    #[must_use]
    pub fn new(secret: &[u8; 16], r: &Block) -> Key {
        Self::with_cpu(Cpu::detect(), secret, r)
    }

    /// The same for use with at most the features of `cpu`: the same tags, from another kernel.
    #[must_use]
    pub fn with_cpu(cpu: Cpu, secret: &[u8; 16], r: &Block) -> Key {
        Key { hash: Hash127::with_cpu(cpu, r), cipher: Rc6::new(secret) }
    }

    /// Prepares a key from both secrets one after another, as the registry does.
    ///
    /// # Errors
    /// [`InvalidLength`] if they do not have 32 bytes.
    pub fn from_slice(cpu: Cpu, secret: &[u8]) -> Result<Key, InvalidLength> {
        match secret.as_chunks() {
            ([secret, r], []) => Ok(Key::with_cpu(cpu, secret, r)),
            _ => Err(InvalidLength),
        }
    }

    /// The name of the kernel, for example `portable`.
    #[must_use]
    pub fn kernel(&self) -> &'static str {
        self.hash.kernel()
    }

    /// Every kernel of this machine: its name, and the `Cpu` that makes a key choose it.
    pub fn kernels(cpu: Cpu) -> impl Iterator<Item = (&'static str, Cpu)> {
        Hash127::kernels(cpu)
    }

    /// The tag of a message.
    #[must_use]
    pub fn tag(&self, nonce: &Nonce, message: &[u8]) -> Tag<16> {
        self.tag_of(self.hash.key.r(), message, nonce)
    }

    /// The tag of a message of which the last bytes are left.
    fn tag_of(&self, z: u128, last: &[u8], nonce: &Nonce) -> Tag<16> {
        // The hash first: RC6 is one long chain, which the processor begins beside it.
        let z = self.hash.absorb_last(z, last);
        Tag::from(finish(z, self.pad(nonce)))
    }

    /// Accepts a message only with its tag, in time that does not depend on the tag's bytes.
    ///
    /// # Errors
    /// [`TagMismatch`], without detail, if message, nonce, key and tag do not belong together.
    pub fn verify(&self, nonce: &Nonce, message: &[u8], tag: &Tag<16>) -> Result<(), TagMismatch> {
        super::matches(self.tag(nonce, message) == *tag)
    }

    /// A message whose bytes arrive in pieces.
    #[must_use]
    pub fn stream(&self) -> Stream<'_> {
        Stream { key: self, z: self.hash.key.r(), buffer: Buffer::new() }
    }

    /// The tags of messages under consecutive nonces, beginning with `first`.
    ///
    /// # Errors
    /// [`NoncesExhausted`] if `first` has fewer nonces from it on than there are messages; then no
    /// tag is written.
    ///
    /// # Panics
    /// If `messages` and `tags` differ in length.
    pub fn tag_many(
        &self,
        first: &Nonce,
        messages: &[&[u8]],
        tags: &mut [Tag<16>],
    ) -> Result<(), NoncesExhausted> {
        assert_eq!(messages.len(), tags.len(), "one tag for each message");
        first.advance(messages.len().saturating_sub(1) as u64).ok_or(NoncesExhausted)?;
        for ((count, message), tag) in (0..).zip(messages).zip(tags) {
            *tag = self.tag(&first.advance(count).ok_or(NoncesExhausted)?, message);
        }
        Ok(())
    }

    /// Verifies messages, each with its own nonce and tag; `valid` tells which are authentic.
    ///
    /// # Errors
    /// [`TagMismatch`] if at least one is not; `valid` is filled in either way.
    ///
    /// # Panics
    /// If `packets` and `valid` differ in length.
    pub fn verify_many(
        &self,
        packets: &[(Nonce, &[u8], Tag<16>)],
        valid: &mut [bool],
    ) -> Result<(), TagMismatch> {
        assert_eq!(packets.len(), valid.len(), "one outcome for each packet");
        for ((nonce, message, tag), valid) in packets.iter().zip(&mut *valid) {
            *valid = self.verify(nonce, message, tag).is_ok();
        }
        super::matches(valid.iter().all(|valid| *valid))
    }

    /// The pad of a nonce: RC6 of the nonce with zeroes behind it, modulo p.
    fn pad(&self, nonce: &Nonce) -> u128 {
        let mut block = nonce.block(0).0.to_le_bytes();
        self.cipher.encrypt(&mut block);
        let pad = number(&block);
        block.zeroize();
        pad
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("hash127::Key")
    }
}

/// A message under way: any split of a message into pieces gives the same tag.
#[derive(Clone)]
pub struct Stream<'k> {
    key: &'k Key,
    z: u128,
    buffer: Buffer<BLOCK>,
}

impl Stream<'_> {
    /// Appends bytes to the message.
    pub fn update(&mut self, piece: &[u8]) {
        let Stream { key, z, buffer } = self;
        buffer.update(piece, |blocks| {
            let (words, _) = blocks.as_flattened().as_chunks();
            *z = key.hash.absorb(*z, words);
        });
    }

    /// The tag of the message so far. The stream goes on undisturbed, but the nonce is spent.
    #[must_use]
    pub fn tag(&self, nonce: &Nonce) -> Tag<16> {
        let Stream { key, z, buffer } = self;
        key.tag_of(*z, buffer.last(), nonce)
    }

    /// Accepts the message so far only with its tag.
    ///
    /// # Errors
    /// [`TagMismatch`], without detail, if message, nonce, key and tag do not belong together.
    pub fn verify(&self, nonce: &Nonce, tag: &Tag<16>) -> Result<(), TagMismatch> {
        super::matches(self.tag(nonce) == *tag)
    }

    /// Forgets the message so far.
    pub fn reset(&mut self) {
        self.z = self.key.hash.key.r();
        self.buffer.zeroize();
    }
}

impl Drop for Stream<'_> {
    fn drop(&mut self) {
        let Stream { key: _, z, buffer } = self;
        z.zeroize();
        buffer.zeroize();
    }
}

impl fmt::Debug for Stream<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("hash127::Stream")
    }
}
