//! Carter: the member of the family for machines that multiply polynomials. **Experimental**: it is ours, and nobody
//! outside has examined it. docs/carter.md has the definition and the proof.
//!
//! ```text
//! message - l1 -> 128 bits a block of 2048 bytes - l2 -> 128 bits -+
//! key - kdf ---------^-------------------------------^     nonce - pad - xor -> Tag
//! ```
//!
//! A tag has `N` = 16, 12 or 8 bytes ([`Carter128`], [`Carter96`], [`Carter64`]), each with subkeys of its own; the
//! cipher `C` is AES-128 or AES-256; nonces have `L` = 12 or 16 bytes.
//!
//! **Bound.** Of `v` forgery attempts one succeeds with probability at most `v n 2^-8N (1 + 2^-110)` times
//! `(1 - (q + 1) / 2^128)^(-(q + 2) / 2)`, for messages of at most `n` blocks and `q` tags (that factor is below 1.0001 up to
//! 2^57 tags), plus the advantage of telling AES from a random permutation, twice: for the subkeys and for the pads; *if
//! no nonce is used twice under one key*. Two messages under one nonce can give a key of level 1 away, and with it
//! forgeries until the key is changed.
//!
//! ```
//! use wegman::carter::Carter128;
//! use wegman::{Aes128, NonceOf};
//!
//! let key = Carter128::<Aes128, 12>::new(b"sixteen byte key");
//! let nonce = NonceOf::counter(1); // never twice under one key
//! let tag = key.tag(&nonce, b"a message");
//!
//! assert!(key.verify(&nonce, b"a message", &tag).is_ok());
//! assert!(key.verify(&nonce, b"b message", &tag).is_err());
//!
//! let mut stream = key.stream();
//! stream.update(b"a mess");
//! stream.update(b"age");
//! assert_eq!(stream.tag(&nonce), tag);
//! ```

pub(crate) mod field;
pub(crate) mod kdf;
pub(crate) mod l1;
mod l2;
#[cfg(feature = "parallel")]
mod parallel;
pub(crate) mod rows;
mod segment;

/// The sharp tools: what is here can be put together in wrong ways.
pub mod hazmat {
    pub use super::segment::{InvalidLast, Segment};
}

use crate::buffer::{Buffer, not_last};
use crate::cipher::{Aes128, Aes256, Block, BlockCipher};
use crate::cpu::Cpu;
use crate::nonce::{Nonce, NonceOf, NoncesExhausted};
use crate::tag::{InvalidLength, Tag, TagMismatch};
use crate::umac::pdf::{self, PADS};
use crate::verify::{BATCH, verify_packets};
use crate::wipe::wipe;
use core::fmt;
use kdf::Kdf;
use l1::{BLOCK, Hash, Packet};
use l2::State;
use rows::{Eight, LANES};
use zeroize::Zeroize;

/// A key for tags of 16 bytes.
pub type Carter128<C, const L: usize> = Key<C, 16, L>;
/// A key for tags of 12 bytes.
pub type Carter96<C, const L: usize> = Key<C, 12, L>;
/// A key for tags of 8 bytes: they fall to few attempts, and all further tags with the first; see docs/carter.md.
pub type Carter64<C, const L: usize> = Key<C, 8, L>;

/// The ciphers that Carter is defined with: [`Aes128`] and [`Aes256`].
pub trait Cipher: BlockCipher<Block = Block> + sealed::Sealed {}
impl Cipher for Aes128 {}
impl Cipher for Aes256 {}

mod sealed {
    pub trait Sealed {}
    impl Sealed for crate::cipher::Aes128 {}
    impl Sealed for crate::cipher::Aes256 {}
}

/// A Carter key for tags of `N` bytes under nonces of `L` bytes; `N` is 8, 12 or 16, `L` is 12 or 16 (others do not
/// compile).
///
/// It has 2.9 KiB. Making one costs 131 AES calls, 132 with AES-256; share it (`&Key` is `Send` and `Sync`) instead of
/// making it anew for each message.
pub struct Key<C: Cipher, const N: usize, const L: usize> {
    hash: Hash,
    packet: Option<Packet>,
    pub(crate) key: l1::Key,
    pad: C,
}

impl<C: Cipher, const N: usize, const L: usize> Key<C, N, L> {
    /// Derives the subkeys from a secret of 16 or 32 uniformly random bytes, used for nothing else.
    #[must_use]
    pub fn new(secret: &C::Key) -> Self {
        Self::from_slice(Cpu::detect(), secret.as_ref())
            .expect("its type gives the secret the cipher's length")
    }

    /// The same from a slice, for use with at most the features of `cpu`: the same tags, from another kernel.
    ///
    /// # Errors
    /// [`InvalidLength`] if the cipher takes no key of that length.
    pub fn from_slice(cpu: Cpu, secret: &[u8]) -> Result<Self, InvalidLength> {
        const {
            assert!(matches!(N, 8 | 12 | 16), "a Carter tag has 8, 12 or 16 bytes");
            assert!(matches!(L, 12 | 16), "a Carter nonce has 12 or 16 bytes");
        }
        let kdf = Kdf::<C>::new(cpu, secret, 8 * N as u8)?;
        let (hash, packet) = (Hash::new(cpu), None);
        let mut whole = Key { hash, packet, key: kdf.hash_key(), pad: kdf.pad_key() };
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
    pub fn tag(&self, nonce: &NonceOf<L>, message: &[u8]) -> Tag<N> {
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
        tag: &Tag<N>,
    ) -> Result<(), TagMismatch> {
        if self.tag(nonce, message) == *tag { Ok(()) } else { Err(TagMismatch) }
    }

    /// A message whose bytes arrive in pieces.
    #[must_use]
    pub fn stream(&self) -> Stream<'_, C, N, L> {
        Stream { key: self, state: State::new(), buffer: Buffer::new() }
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
        tags: &mut [Tag<N>],
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
        packets: &[(NonceOf<L>, &[u8], Tag<N>)],
        valid: &mut [bool],
    ) -> Result<(), TagMismatch> {
        let all = verify_packets(
            packets,
            valid,
            |one, next| one.next() == Some(next),
            |first, messages, tags| {
                self.tag_many(&first, messages, tags).expect("each packet has a nonce");
            },
            |nonce, message| self.tag(&nonce, message),
        );
        if all { Ok(()) } else { Err(TagMismatch) }
    }

    /// [`tag`](Self::tag) for callers who have made sure of the nonce's length.
    #[cfg(feature = "alloc")] // the registry's
    #[inline]
    pub(crate) fn tag_under(&self, nonce: &Nonce, message: &[u8]) -> Tag<N> {
        let (block, _) = nonce.block(0);
        self.tag_at(block, message)
    }

    /// The tag of a message under the nonce that `block` is, its first byte lowest.
    #[inline]
    fn tag_at(&self, block: u128, message: &[u8]) -> Tag<N> {
        match self.packet {
            Some(packet) => front(packet.tag(&self.key, block, message)),
            None => self.tag_in_layers(block, message),
        }
    }

    #[inline(never)]
    fn tag_in_layers(&self, block: u128, message: &[u8]) -> Tag<N> {
        // The pad first: it runs beside the hash.
        let pad = self.pad(block);
        self.padded(self.hash_in_layers(message), pad)
    }

    /// The tag of a message whose pad is there.
    #[inline]
    pub(crate) fn tag_with_pad(&self, pad: Block, message: &[u8]) -> Tag<N> {
        let pad = u128::from_le_bytes(pad);
        match self.packet {
            Some(packet) => front(packet.tag_with_pad(&self.key, pad, message)),
            None => self.padded(self.hash_in_layers(message), pad),
        }
    }

    fn hash_in_layers(&self, message: &[u8]) -> u128 {
        let (blocks, last) = not_last(message);
        let mut state = State::new();
        state.absorb(self.hash, &self.key, blocks);
        state.finish(self.hash, &self.key, last)
    }

    fn pad(&self, block: u128) -> u128 {
        let mut block = block.to_le_bytes();
        self.pad.encrypt(&mut block);
        u128::from_le_bytes(block)
    }

    fn padded(&self, hash: u128, pad: u128) -> Tag<N> {
        front((hash ^ pad).to_le_bytes())
    }

    /// [`tag_many`](Self::tag_many) for callers who have made sure of the nonce's length.
    pub(crate) fn tag_many_under(
        &self,
        first: &Nonce,
        messages: &[&[u8]],
        tags: &mut [Tag<N>],
    ) -> Result<(), NoncesExhausted> {
        assert_eq!(messages.len(), tags.len(), "one tag for each message");
        first.advance(messages.len().saturating_sub(1) as u64).ok_or(NoncesExhausted)?;
        let Some(packet) = self.packet else {
            let mut ahead = pdf::Ahead::<16>::new();
            for ((count, message), tag) in (0..).zip(messages).zip(tags) {
                let nonce = first.advance(count).ok_or(NoncesExhausted)?;
                let pad = ahead.pad(&nonce, |words, count| self.encrypt(words, count));
                *tag = self.tag_with_pad(pad, message);
            }
            return Ok(());
        };
        tag_in_eights(
            first,
            messages,
            tags,
            |messages, slots| packet.tag8(&self.key, messages, slots),
            |block, message| packet.tag(&self.key, block, message),
        );
        Ok(())
    }

    /// Encrypts at least the first `count` blocks of nonces.
    pub(crate) fn encrypt(&self, words: &mut [u64; 2 * PADS], count: usize) {
        match self.packet {
            Some(packet) => packet.encrypt(&self.key, words, count),
            None => pdf::encrypt(&self.pad, &mut words.as_chunks_mut().0[..count]),
        }
    }
}

/// Tags messages under consecutive nonces, eight side by side. `tag8` is given eight messages and the blocks that their
/// nonces are, and leaves the tags in their place; `tag` does one.
pub(crate) fn tag_in_eights<const N: usize>(
    first: &Nonce,
    messages: &[&[u8]],
    tags: &mut [Tag<N>],
    tag8: impl Fn(&[&[u8]; LANES], &mut Eight),
    tag: impl Fn(u128, &[u8]) -> Block,
) {
    let mut next = pdf::blocks::<16>(first);
    let mut slots: [Eight; BATCH / LANES] = [[[0; 16]; LANES]; BATCH / LANES];
    for (messages, tags) in messages.chunks(BATCH).zip(tags.chunks_mut(BATCH)) {
        // Long before a kernel loads them, which must wait until they are in the cache.
        let slots = &mut slots[..messages.len().div_ceil(LANES)];
        for slot in slots.as_flattened_mut() {
            let (halves, _) = slot.as_chunks_mut();
            for (half, word) in halves.iter_mut().zip(next()) {
                *half = word.to_le_bytes();
            }
        }
        let (eights, rest) = messages.as_chunks();
        for (eight, slots) in eights.iter().zip(&mut *slots) {
            tag8(eight, slots);
        }
        if rest.len() < LANES / 2 {
            for (message, slot) in
                rest.iter().zip(&mut slots.as_flattened_mut()[LANES * eights.len()..])
            {
                *slot = tag(u128::from_le_bytes(*slot), message);
            }
        } else {
            // The others are of one byte, which costs little, and empty only if one of these is.
            let mut eight = [&rest[0][..rest[0].len().min(1)]; LANES];
            eight[..rest.len()].copy_from_slice(rest);
            tag8(&eight, &mut slots[eights.len()]);
        }
        for (tag, slot) in tags.iter_mut().zip(slots.as_flattened()) {
            *tag = front(*slot);
        }
    }
    // The tags that nobody asked for, and pads of nonces that come later.
    wipe(&mut slots);
}

/// A tag is the front of sixteen bytes.
#[inline]
fn front<const N: usize>(bytes: Block) -> Tag<N> {
    Tag::from(*bytes.first_chunk().expect("a tag has at most 16 bytes"))
}

impl<C: Cipher, const N: usize, const L: usize> Drop for Key<C, N, L> {
    fn drop(&mut self) {
        // `pad` wipes its own round keys; `hash` and `packet` are choices of kernels and no secret.
        let Key { hash: _, packet: _, key, pad: _ } = self;
        key.zeroize();
    }
}

impl<C: Cipher, const N: usize, const L: usize> fmt::Debug for Key<C, N, L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "carter::Key<{N}, {L}>({})", self.kernel())
    }
}

/// A message under way: any split of a message into pieces gives the same tag.
#[derive(Clone)]
pub struct Stream<'k, C: Cipher, const N: usize, const L: usize> {
    key: &'k Key<C, N, L>,
    state: State,
    buffer: Buffer<BLOCK>,
}

impl<C: Cipher, const N: usize, const L: usize> Stream<'_, C, N, L> {
    /// Appends bytes to the message.
    pub fn update(&mut self, piece: &[u8]) {
        let Stream { key, state, buffer } = self;
        buffer.update(piece, |blocks| state.absorb(key.hash, &key.key, blocks));
    }

    /// The tag of the message so far. The stream goes on undisturbed, but the nonce is spent.
    #[must_use]
    pub fn tag(&self, nonce: &NonceOf<L>) -> Tag<N> {
        self.tag_at(nonce.block())
    }

    /// [`tag`](Self::tag) for callers who have made sure of the nonce's length.
    #[cfg(feature = "alloc")] // the registry's
    pub(crate) fn tag_under(&self, nonce: &Nonce) -> Tag<N> {
        let (block, _) = nonce.block(0);
        self.tag_at(block)
    }

    fn tag_at(&self, block: u128) -> Tag<N> {
        let Stream { key, state, buffer } = self;
        let hash = state.finish(key.hash, &key.key, buffer.last());
        key.padded(hash, key.pad(block))
    }

    /// Accepts the message so far only with its tag.
    ///
    /// # Errors
    /// [`TagMismatch`], without detail, if message, nonce, key and tag do not belong together.
    pub fn verify(&self, nonce: &NonceOf<L>, tag: &Tag<N>) -> Result<(), TagMismatch> {
        if self.tag(nonce) == *tag { Ok(()) } else { Err(TagMismatch) }
    }

    /// Forgets the message so far.
    pub fn reset(&mut self) {
        self.state = State::new();
        self.buffer = Buffer::new();
    }
}

impl<C: Cipher, const N: usize, const L: usize> Drop for Stream<'_, C, N, L> {
    fn drop(&mut self) {
        let Stream { key: _, state: _, buffer } = self; // `state` wipes itself
        buffer.zeroize();
    }
}

impl<C: Cipher, const N: usize, const L: usize> fmt::Debug for Stream<'_, C, N, L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "carter::Stream<{N}, {L}>")
    }
}
