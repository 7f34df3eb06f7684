//! Polyval-AES: POLYVAL of a message and its length (RFC 8452, section 3), under a pad that AES makes of the nonce. It is
//! what [Carter](crate::carter) is measured against: the usual polynomial over the same field, with the same pads
//! and kernels made with the same care.
//!
//! ```text
//! hash  POLYVAL with key H of the message, zero bytes up to whole blocks, eight zero bytes and the length in bits
//! tag   hash xor AES_K(nonce), 16 bytes
//! ```
//!
//! `H` and `K` come from the secret as Carter's keys do (docs/carter.md), with the first byte 129. Pad and tag are ours.
//!
//! **Bound.** Of `v` forgery attempts one succeeds with probability at most `v (L + 1) / 2^128` times
//! `(1 - (q + 1) / 2^128)^(-(q + 2) / 2)` and 1 + 2^-110, for messages of at most `L` blocks of 16 bytes and `q` tags, plus
//! the advantage of telling AES from a random permutation, *if no nonce is used twice under one key*.
//!
//! ```
//! use wegman::NonceOf;
//! use wegman::yardstick::polyval::Key;
//!
//! let key = Key::<12>::new(b"sixteen byte key");
//! let nonce = NonceOf::counter(1); // never twice under one key
//! let tag = key.tag(&nonce, b"a message");
//! assert!(key.verify(&nonce, b"a message", &tag).is_ok());
//! ```

pub(crate) mod hash;

use crate::buffer::{Buffer, not_last};
use crate::carter::kdf::Kdf;
use crate::carter::tag_in_eights;
use crate::cipher::{Aes128, BlockCipher};
use crate::cpu::Cpu;
use crate::nonce::{Nonce, NonceOf, NoncesExhausted};
use crate::tag::{InvalidLength, Tag, TagMismatch};
use crate::umac::pdf::{self, Ahead};
use crate::verify::verify_packets;
use core::fmt;
use hash::{CHUNK, Hash, Packet};
use zeroize::Zeroize;

/// The first byte of the blocks that subkeys are made of. Carter's are 128, 96 and 64.
const FIRST: u8 = 129;

/// A Polyval-AES key for nonces of `L` bytes; `L` is 12 or 16 (others do not compile).
pub struct Key<const L: usize> {
    hash: Hash,
    packet: Option<Packet>,
    key: hash::Key,
    pad: Aes128,
}

impl<const L: usize> Key<L> {
    /// Derives the subkeys from 16 uniformly random bytes, used for nothing else.
    #[must_use]
    pub fn new(secret: &[u8; 16]) -> Self {
        Self::from_slice(Cpu::detect(), secret).expect("it has 16 bytes")
    }

    /// The same from a slice, for use with at most the features of `cpu`: the same tags, from another kernel.
    ///
    /// # Errors
    /// [`InvalidLength`] if it does not have 16 bytes.
    pub fn from_slice(cpu: Cpu, secret: &[u8]) -> Result<Self, InvalidLength> {
        const { assert!(matches!(L, 12 | 16), "a nonce has 12 or 16 bytes") };
        let kdf = Kdf::<Aes128>::new(cpu, secret, FIRST)?;
        let pad = kdf.pad_key();
        let mut h = [0; 16];
        kdf.fill(2, &mut h);
        let (hash, packet) = (Hash::new(cpu), None);
        let mut whole = Key { hash, packet, key: hash::Key::new(&h), pad };
        h.zeroize();
        whole.packet = hash.packet(&whole.pad, &mut whole.key);
        Ok(whole)
    }

    /// The name of the kernel this key uses, for example `portable`.
    #[must_use]
    pub fn kernel(&self) -> &'static str {
        self.hash.name()
    }

    /// Every kernel of this machine: its name, and the `Cpu` that makes a key choose it.
    pub fn kernels(cpu: Cpu) -> impl Iterator<Item = (&'static str, Cpu)> {
        Hash::kernels(cpu)
    }

    /// The tag of a message.
    #[must_use]
    #[inline]
    pub fn tag(&self, nonce: &NonceOf<L>, message: &[u8]) -> Tag<16> {
        self.tag_at(nonce.block(), message)
    }

    /// Accepts a message only with its tag, in time that does not depend on the tag's bytes.
    ///
    /// # Errors
    /// [`TagMismatch`], without detail, if message, nonce, key and tag do not belong together.
    pub fn verify(
        &self,
        nonce: &NonceOf<L>,
        message: &[u8],
        tag: &Tag<16>,
    ) -> Result<(), TagMismatch> {
        super::matches(self.tag(nonce, message) == *tag)
    }

    /// A message whose bytes arrive in pieces.
    #[must_use]
    pub fn stream(&self) -> Stream<'_, L> {
        Stream { key: self, y: 0, chunks: 0, buffer: Buffer::new() }
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
        first: &NonceOf<L>,
        messages: &[&[u8]],
        tags: &mut [Tag<16>],
    ) -> Result<(), NoncesExhausted> {
        self.tag_many_under(&Nonce::from(*first), messages, tags)
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
        packets: &[(NonceOf<L>, &[u8], Tag<16>)],
        valid: &mut [bool],
    ) -> Result<(), TagMismatch> {
        super::matches(verify_packets(
            packets,
            valid,
            |one, next| one.next() == Some(next),
            |first, messages, tags| {
                self.tag_many(&first, messages, tags).expect("each packet has a nonce");
            },
            |nonce, message| self.tag(&nonce, message),
        ))
    }

    /// [`tag`](Self::tag) for callers who have made sure of the nonce's length.
    #[cfg(feature = "alloc")] // the registry's
    #[inline]
    pub(super) fn tag_under(&self, nonce: &Nonce, message: &[u8]) -> Tag<16> {
        self.tag_at(nonce.block(0).0, message)
    }

    /// The tag of a message under the nonce that `block` is, its first byte lowest.
    #[inline]
    fn tag_at(&self, block: u128, message: &[u8]) -> Tag<16> {
        match self.packet {
            Some(packet) => Tag::from(packet.tag(&self.key, block, message)),
            None => self.tag_in_layers(block, message),
        }
    }

    #[inline(never)]
    fn tag_in_layers(&self, block: u128, message: &[u8]) -> Tag<16> {
        // The pad first: it runs beside the hash.
        let pad = self.pad(block);
        padded(self.hash_of(message), pad)
    }

    fn hash_of(&self, message: &[u8]) -> u128 {
        let (chunks, last) = not_last(message);
        let mut y = 0;
        self.hash.absorb(&self.key, &mut y, chunks);
        self.hash.finish(&self.key, &y, last, 8 * message.len() as u64)
    }

    fn pad(&self, block: u128) -> u128 {
        let mut block = block.to_le_bytes();
        self.pad.encrypt(&mut block);
        u128::from_le_bytes(block)
    }

    /// [`tag_many`](Self::tag_many) for callers who have made sure of the nonce's length.
    pub(super) fn tag_many_under(
        &self,
        first: &Nonce,
        messages: &[&[u8]],
        tags: &mut [Tag<16>],
    ) -> Result<(), NoncesExhausted> {
        assert_eq!(messages.len(), tags.len(), "one tag for each message");
        first.advance(messages.len().saturating_sub(1) as u64).ok_or(NoncesExhausted)?;
        if let Some(packet) = self.packet {
            tag_in_eights(
                first,
                messages,
                tags,
                |messages, slots| packet.tag8(&self.key, messages, slots),
                |block, message| packet.tag(&self.key, block, message),
            );
            return Ok(());
        }
        let mut ahead = Ahead::<16>::new();
        for ((count, message), tag) in (0..).zip(messages).zip(tags) {
            let nonce = first.advance(count).ok_or(NoncesExhausted)?;
            let pad = ahead.pad(&nonce, |words, count| {
                pdf::encrypt(&self.pad, &mut words.as_chunks_mut().0[..count]);
            });
            *tag = padded(self.hash_of(message), u128::from_le_bytes(pad));
        }
        Ok(())
    }
}

fn padded(hash: u128, pad: u128) -> Tag<16> {
    Tag::from((hash ^ pad).to_le_bytes())
}

impl<const L: usize> Drop for Key<L> {
    fn drop(&mut self) {
        // `pad` wipes its own round keys; `hash` and `packet` are choices of kernels and no secret.
        let Key { hash: _, packet: _, key, pad: _ } = self;
        key.zeroize();
    }
}

impl<const L: usize> fmt::Debug for Key<L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "polyval::Key<{L}>({})", self.kernel())
    }
}

/// A message under way: any split of a message into pieces gives the same tag.
#[derive(Clone)]
pub struct Stream<'k, const L: usize> {
    key: &'k Key<L>,
    y: u128,
    chunks: u64,
    buffer: Buffer<CHUNK>,
}

impl<const L: usize> Stream<'_, L> {
    /// Appends bytes to the message.
    pub fn update(&mut self, piece: &[u8]) {
        let Stream { key, y, chunks, buffer } = self;
        buffer.update(piece, |whole| {
            key.hash.absorb(&key.key, y, whole);
            *chunks += whole.len() as u64;
        });
    }

    /// The tag of the message so far. The stream goes on undisturbed, but the nonce is spent.
    #[must_use]
    pub fn tag(&self, nonce: &NonceOf<L>) -> Tag<16> {
        self.tag_at(nonce.block())
    }

    /// [`tag`](Self::tag) for callers who have made sure of the nonce's length.
    #[cfg(feature = "alloc")] // the registry's
    pub(super) fn tag_under(&self, nonce: &Nonce) -> Tag<16> {
        self.tag_at(nonce.block(0).0)
    }

    fn tag_at(&self, block: u128) -> Tag<16> {
        let Stream { key, y, chunks, buffer } = self;
        let last = buffer.last();
        // A number of 64 bits.
        let bits =
            chunks.wrapping_mul(CHUNK as u64).wrapping_add(last.len() as u64).wrapping_mul(8);
        padded(key.hash.finish(&key.key, y, last, bits), key.pad(block))
    }

    /// Accepts the message so far only with its tag.
    ///
    /// # Errors
    /// [`TagMismatch`], without detail, if message, nonce, key and tag do not belong together.
    pub fn verify(&self, nonce: &NonceOf<L>, tag: &Tag<16>) -> Result<(), TagMismatch> {
        super::matches(self.tag(nonce) == *tag)
    }

    /// Forgets the message so far.
    pub fn reset(&mut self) {
        (self.y, self.chunks) = (0, 0);
        self.buffer.zeroize();
    }
}

impl<const L: usize> Drop for Stream<'_, L> {
    fn drop(&mut self) {
        let Stream { key: _, y, chunks: _, buffer } = self;
        y.zeroize();
        buffer.zeroize();
    }
}

impl<const L: usize> fmt::Debug for Stream<'_, L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "polyval::Stream<{L}>")
    }
}
