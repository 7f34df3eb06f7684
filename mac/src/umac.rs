//! UMAC-32, -64, -96 and -128 (RFC 4418): the composition of the layers, no arithmetic.
//!
//! ```text
//! message - l1_nh -> words - l2_poly -> 128 bits - l3_inner -> 32 bits x streams -+
//! key - kdf ---------^-----------------^----------------------^   nonce - pdf - xor -> Tag
//! ```
//!
//! A tag of `N` = 4, 8, 12 or 16 bytes is the output of `N / 4` streams: the same hash under
//! different keys, side by side.
//!
//! **Bound.** Of `v` forgery attempts one succeeds with probability at most about
//! `v * 2^-(30 N / 4)` (2^-30, 2^-60, 2^-90, 2^-120 for one attempt), plus the advantage of telling
//! AES-128 from a random function, *if no nonce is used twice under one key* (RFC 4418, section 6;
//! the theorem is 8.2 of the CRYPTO '99 paper's full version).
//!
//! ```
//! use wegman::{Nonce, umac};
//!
//! let key = umac::Key::<8>::new(b"sixteen byte key"); // UMAC-64: 8-byte tags
//! let nonce = Nonce::counter(1); // never twice under one key
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

pub(crate) mod kdf;
pub(crate) mod l1_nh;
pub(crate) mod l2_poly;
pub(crate) mod l3_inner;
pub(crate) mod pdf;

use crate::buffer::{Buffer, not_last};
use crate::cipher::Aes128;
use crate::cpu::Cpu;
use crate::nonce::{Nonce, NoncesExhausted};
use crate::tag::{Tag, TagMismatch};
use core::fmt;
use l1_nh::{CHUNK, Nh};
use zeroize::Zeroize;

/// The most streams a tag has: UMAC-128's four.
pub(crate) const MAX_STREAMS: usize = 4;

/// A UMAC key for tags of `N` bytes; `N` is 4, 8, 12 or 16 (other lengths do not compile).
///
/// Making one costs about 20 AES calls a stream and 64 of its own for the hash keys; share it
/// (`&Key` is `Send` and `Sync`) instead of making it anew for each message.
pub struct Key<const N: usize> {
    nh: Nh,
    pad: Aes128,
    l1: l1_nh::Key,
    l2: [l2_poly::Key; MAX_STREAMS],
    l3: [l3_inner::Key; MAX_STREAMS],
}

impl<const N: usize> Key<N> {
    const STREAMS: usize = {
        assert!(matches!(N, 4 | 8 | 12 | 16), "a UMAC tag has 4, 8, 12 or 16 bytes");
        N / 4
    };

    /// Derives the subkeys from a secret of 16 uniformly random bytes.
    #[must_use]
    pub fn new(secret: &[u8; 16]) -> Self {
        Self::with_cpu(Cpu::detect(), secret)
    }

    /// The same key on a machine with fewer features: the same tags, from another kernel.
    #[must_use]
    pub fn with_cpu(cpu: Cpu, secret: &[u8; 16]) -> Self {
        let kdf = kdf::Kdf::new(secret);
        Key {
            nh: Nh::new(cpu, Self::STREAMS),
            pad: kdf.pad_key(),
            l1: l1_nh::Key::derive(&kdf, Self::STREAMS),
            l2: l2_poly::Key::derive(&kdf, Self::STREAMS),
            l3: l3_inner::Key::derive(&kdf, Self::STREAMS),
        }
    }

    /// The name of the level-1 kernel this key uses, for example `portable`.
    #[must_use]
    pub fn kernel(&self) -> &'static str {
        self.nh.name()
    }

    /// Every kernel of this machine: its name, and the `Cpu` that makes a key choose it.
    pub fn kernels(cpu: Cpu) -> impl Iterator<Item = (&'static str, Cpu)> {
        Nh::all(cpu, Self::STREAMS).map(move |nh| (nh.name(), cpu.only(nh.needs())))
    }

    /// The tag of a message.
    #[must_use]
    pub fn tag(&self, nonce: &Nonce, message: &[u8]) -> Tag<N> {
        let (chunks, last) = not_last(message);
        let mut state = State::new();
        state.absorb(self, chunks);
        state.tag(self, last, nonce)
    }

    /// Accepts a message only with its tag, in time that does not depend on the tag's bytes.
    ///
    /// # Errors
    /// [`TagMismatch`], without detail, if message, nonce, key and tag do not belong together.
    pub fn verify(&self, nonce: &Nonce, message: &[u8], tag: &Tag<N>) -> Result<(), TagMismatch> {
        if self.tag(nonce, message) == *tag { Ok(()) } else { Err(TagMismatch) }
    }

    /// A message whose bytes arrive in pieces.
    #[must_use]
    pub fn stream(&self) -> Stream<'_, N> {
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
        first: &Nonce,
        messages: &[&[u8]],
        tags: &mut [Tag<N>],
    ) -> Result<(), NoncesExhausted> {
        assert_eq!(messages.len(), tags.len(), "one tag for each message");
        let mut nonce = *first;
        nonce.advance(messages.len().saturating_sub(1) as u64).ok_or(NoncesExhausted)?;
        for (i, (message, tag)) in messages.iter().zip(tags).enumerate() {
            if i > 0 {
                nonce = nonce.next().ok_or(NoncesExhausted)?;
            }
            *tag = self.tag(&nonce, message);
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
        packets: &[(Nonce, &[u8], Tag<N>)],
        valid: &mut [bool],
    ) -> Result<(), TagMismatch> {
        assert_eq!(packets.len(), valid.len(), "one outcome for each packet");
        for ((nonce, message, tag), valid) in packets.iter().zip(&mut *valid) {
            *valid = self.verify(nonce, message, tag).is_ok();
        }
        if valid.iter().all(|&valid| valid) { Ok(()) } else { Err(TagMismatch) }
    }
}

impl<const N: usize> Drop for Key<N> {
    fn drop(&mut self) {
        // `pad` wipes its own round keys; `nh` is a choice of kernel and no secret.
        let Key { nh: _, pad: _, l1, l2, l3 } = self;
        l1.zeroize();
        l2.zeroize();
        l3.zeroize();
    }
}

impl<const N: usize> fmt::Debug for Key<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "umac::Key<{N}>({})", self.kernel())
    }
}

/// A message under way: any split of a message into pieces gives the same tag.
#[derive(Clone)]
pub struct Stream<'k, const N: usize> {
    key: &'k Key<N>,
    state: State,
    buffer: Buffer<CHUNK>,
}

impl<const N: usize> Stream<'_, N> {
    /// Appends bytes to the message.
    pub fn update(&mut self, piece: &[u8]) {
        let Stream { key, state, buffer } = self;
        buffer.update(piece, |chunks| state.absorb(key, chunks));
    }

    /// The tag of the message so far. The stream goes on undisturbed, but the nonce is spent.
    #[must_use]
    pub fn tag(&self, nonce: &Nonce) -> Tag<N> {
        self.state.clone().tag(self.key, self.buffer.last(), nonce)
    }

    /// Accepts the message so far only with its tag.
    ///
    /// # Errors
    /// [`TagMismatch`], without detail, if message, nonce, key and tag do not belong together.
    pub fn verify(&self, nonce: &Nonce, tag: &Tag<N>) -> Result<(), TagMismatch> {
        if self.tag(nonce) == *tag { Ok(()) } else { Err(TagMismatch) }
    }

    /// Forgets the message so far.
    pub fn reset(&mut self) {
        self.state = State::new();
        self.buffer = Buffer::new();
    }
}

impl<const N: usize> Drop for Stream<'_, N> {
    fn drop(&mut self) {
        let Stream { key: _, state: _, buffer } = self; // `state` wipes itself
        buffer.zeroize();
    }
}

impl<const N: usize> fmt::Debug for Stream<'_, N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "umac::Stream<{N}>")
    }
}

/// What is left of the chunks absorbed so far: their number and one level-2 state a stream.
#[derive(Clone)]
struct State {
    chunks: u64,
    l2: [l2_poly::State; MAX_STREAMS],
}

/// How many chunks go through the level-1 kernel before level 2 takes their sums.
const GROUP: usize = 2;

impl State {
    const fn new() -> State {
        State { chunks: 0, l2: [const { l2_poly::State::new() }; MAX_STREAMS] }
    }

    /// Absorbs chunks of which none is the message's last.
    fn absorb<const N: usize>(&mut self, key: &Key<N>, chunks: &[[u8; CHUNK]]) {
        if chunks.is_empty() {
            return;
        }
        // Level 2 of a group comes after level 1 of the next, so that its chain of multiplications
        // never waits for sums under way and runs in the shadow of the vector code.
        let mut sums = [[0; GROUP * MAX_STREAMS]; 2];
        let mut ready = 0;
        for (i, group) in chunks.chunks(GROUP).enumerate() {
            let [even, odd] = &mut sums;
            let (now, before) = if i.is_multiple_of(2) { (even, odd) } else { (odd, even) };
            let count = group.len() * Key::<N>::STREAMS;
            key.nh.chunks(&key.l1, group, &mut now[..count]);
            self.absorb_sums(key, &before[..ready]);
            ready = count;
        }
        let last = (chunks.len().div_ceil(GROUP) - 1) % 2;
        self.absorb_sums(key, &sums[last][..ready]);
        sums.as_flattened_mut().zeroize();
    }

    /// Level 2 of whole chunks' sums, stream after stream for each chunk.
    fn absorb_sums<const N: usize>(&mut self, key: &Key<N>, sums: &[u64]) {
        let streams = Key::<N>::STREAMS;
        for (t, l2) in self.l2[..streams].iter_mut().enumerate() {
            l2.absorb(&key.l2[t], self.chunks, sums.chunks_exact(streams).map(|chunk| chunk[t]));
        }
        self.chunks += (sums.len() / streams) as u64;
    }

    /// Absorbs the last chunk, 0 to 1024 bytes, and makes the tag.
    fn tag<const N: usize>(mut self, key: &Key<N>, last: &[u8], nonce: &Nonce) -> Tag<N> {
        let mut sums = [0; MAX_STREAMS];
        let sums = &mut sums[..Key::<N>::STREAMS];
        key.nh.last(&key.l1, last, sums);

        // A message of one chunk skips level 2 (RFC 4418, section 5.1).
        let one_chunk = self.chunks == 0;
        if !one_chunk {
            self.absorb_sums(key, sums);
        }
        let mut tag = pdf::pad(&key.pad, nonce);
        for (i, out) in tag.as_chunks_mut::<4>().0.iter_mut().enumerate() {
            let word = if one_chunk {
                u128::from(sums[i])
            } else {
                self.l2[i].finish(&key.l2[i], self.chunks)
            };
            *out = (u32::from_be_bytes(*out) ^ key.l3[i].hash(word)).to_be_bytes();
        }
        sums.zeroize();
        Tag::from(tag)
    }
}

impl Drop for State {
    fn drop(&mut self) {
        let State { chunks, l2 } = self;
        chunks.zeroize();
        l2.zeroize();
    }
}
