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

mod batch;
pub(crate) mod kdf;
pub(crate) mod l1_nh;
pub(crate) mod l1_nh16;
pub(crate) mod l2_poly;
pub(crate) mod l3_inner;
pub(crate) mod packet;
#[cfg(feature = "parallel")]
mod parallel;
pub(crate) mod pdf;
pub(crate) mod tagger;

use crate::buffer::{Buffer, not_last};
use crate::cipher::Aes128;
use crate::cpu::{Cpu, Needs};
use crate::nonce::{Nonce, NoncesExhausted};
use crate::tag::{Tag, TagMismatch};
use crate::verify::verify_packets;
use batch::{Slots, after};
use core::fmt;
use l1_nh::{CHUNK, Nh};
use packet::{NEAR, Packet};
use pdf::{Ahead, PADS, wipe};
pub use tagger::Tagger;
use zeroize::Zeroize;

/// The most streams a tag has: UMAC-128's four.
pub(crate) const MAX_STREAMS: usize = 4;

/// A UMAC key for tags of `N` bytes; `N` is 4, 8, 12 or 16 (other lengths do not compile).
///
/// Making one costs about 70 AES calls, and 7 more for each stream; share it
/// (`&Key` is `Send` and `Sync`) instead of making it anew for each message.
pub struct Key<const N: usize> {
    nh: Nh,
    packet: Option<Packet>,
    /// Levels 1 and 2, and all that the packet kernels load.
    hash: packet::Key,
    l3: [l3_inner::Key; MAX_STREAMS],
    pad: Aes128,
}

impl<const N: usize> Key<N> {
    const STREAMS: usize = {
        assert!(matches!(N, 4 | 8 | 12 | 16), "a UMAC tag has 4, 8, 12 or 16 bytes");
        streams(N)
    };

    /// Derives the subkeys from a secret of 16 uniformly random bytes.
    #[must_use]
    pub fn new(secret: &[u8; 16]) -> Self {
        Self::with_cpu(Cpu::detect(), secret)
    }

    /// The same key on a machine with fewer features: the same tags, from another kernel.
    #[must_use]
    pub fn with_cpu(cpu: Cpu, secret: &[u8; 16]) -> Self {
        Self::derive(cpu, &kdf::Kdf::new(cpu, secret))
    }

    /// UMAC-4/`N` of October 2000 instead: UMAC32 if `N` is 8. The draft derives its subkeys in another way
    /// and is the same otherwise, kernels and bounds included. docs/umac-2000.md
    #[must_use]
    pub fn draft_2000(cpu: Cpu, secret: &[u8; 16]) -> Self {
        Self::derive(cpu, &kdf::Kdf::of(kdf::Edition::Draft2000, cpu, secret))
    }

    fn derive(cpu: Cpu, kdf: &kdf::Kdf) -> Self {
        let mut hash = packet::Key::new(
            l1_nh::Key::derive(kdf, Self::STREAMS),
            l2_poly::Key::derive(kdf, Self::STREAMS),
        );
        let l3 = l3_inner::Key::derive(kdf, Self::STREAMS);
        let pad = kdf.pad_key();
        let packet = Packet::new(cpu, &pad, Self::STREAMS, &mut hash, &l3);
        Key { nh: Nh::new(cpu, Self::STREAMS), packet, hash, l3, pad }
    }

    /// The name of the level-1 kernel this key uses, for example `portable`.
    #[must_use]
    pub fn kernel(&self) -> &'static str {
        self.nh.name()
    }

    /// Every kernel of this machine: its name, and the `Cpu` that makes a key choose it.
    pub fn kernels(cpu: Cpu) -> impl Iterator<Item = (&'static str, Cpu)> {
        // With AES for the pads on all rows but the one that is to do without anything.
        Nh::all(cpu, Self::STREAMS).map(move |nh| match nh.needs() {
            Needs::NONE => (nh.name(), cpu.only(Needs::NONE)),
            needs => (nh.name(), cpu.only(needs.and(Needs::AES))),
        })
    }

    /// The tag of a message.
    #[must_use]
    #[inline]
    pub fn tag(&self, nonce: &Nonce, message: &[u8]) -> Tag<N> {
        self.front(nonce, message)
    }

    /// The first `M` bytes of the tag of a message, from their streams alone; `M` is 4, 8, 12 or 16 and at
    /// most `N` (others do not compile).
    ///
    /// It is not the tag of a key for `M` bytes, whose pads are cut from their blocks in another way.
    #[must_use]
    #[inline]
    pub fn tag_front<const M: usize>(&self, nonce: &Nonce, message: &[u8]) -> Tag<M> {
        const { assert!(matches!(M, 4 | 8 | 12 | 16) && M <= N, "a front has 4, 8, 12 or 16 bytes") };
        self.front(nonce, message)
    }

    /// [`tag_front`](Self::tag_front), of which `M` there is a front once callers have made sure.
    #[inline]
    pub(crate) fn front<const M: usize>(&self, nonce: &Nonce, message: &[u8]) -> Tag<M> {
        match self.packet {
            Some(packet) if message.len() <= CHUNK => {
                let (block, start) = pdf::block::<N>(nonce);
                let packet = packet.front(streams(M));
                Tag::from(packet.tag(&self.hash, block, start, message))
            }
            _ => self.front_in_layers(nonce, message),
        }
    }

    #[inline(never)]
    fn front_in_layers<const M: usize>(&self, nonce: &Nonce, message: &[u8]) -> Tag<M> {
        // The pad first: it runs beside the hash.
        let pad = self.pad(nonce);
        let pad = pad.first_chunk().expect("a front is no longer than the tag");
        tag(self.hash::<M>(message), *pad)
    }

    #[inline]
    fn pad(&self, nonce: &Nonce) -> [u8; N] {
        match self.packet {
            Some(packet) => {
                let (block, start) = pdf::block::<N>(nonce);
                first_bytes(packet.pad(&self.hash, block, start))
            }
            None => pdf::pad(&self.pad, nonce),
        }
    }

    /// Accepts a message only with its tag, in time that does not depend on the tag's bytes.
    ///
    /// # Errors
    /// [`TagMismatch`], without detail, if message, nonce, key and tag do not belong together.
    pub fn verify(&self, nonce: &Nonce, message: &[u8], tag: &Tag<N>) -> Result<(), TagMismatch> {
        if self.tag(nonce, message) == *tag { Ok(()) } else { Err(TagMismatch) }
    }

    /// Accepts a message if the first `M` bytes of its tag are right ("selective assurance"); `M` is 4, 8, 12
    /// or 16 and at most `N` (others do not compile). What the tag has behind them is not looked at.
    ///
    /// A forger has to guess as much as for a tag of `M` bytes. And where he can ask for low levels he finds a
    /// tag part by part: let the receiver choose `M`, never the sender. docs/umac-2000.md
    ///
    /// # Errors
    /// [`TagMismatch`], without detail, if message, nonce, key and the front of the tag do not belong together.
    pub fn verify_front<const M: usize>(
        &self,
        nonce: &Nonce,
        message: &[u8],
        tag: &Tag<N>,
    ) -> Result<(), TagMismatch> {
        let front = self.tag_front::<M>(nonce, message);
        if front == tag.front() { Ok(()) } else { Err(TagMismatch) }
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
        let last = messages.len().saturating_sub(1) as u64;
        first.advance(last).ok_or(NoncesExhausted)?;
        match self.packet {
            Some(packet) => self.tag_eights(packet, first, messages, tags, &mut Slots::default()),
            None => {
                let mut tagger = self.tagger(*first);
                for (message, tag) in messages.iter().zip(tags) {
                    (_, *tag) = tagger.tag(message)?;
                }
            }
        }
        Ok(())
    }

    /// Tags messages one at a time under consecutive nonces, beginning with `first`, with their pads
    /// made ahead.
    #[must_use]
    pub fn tagger(&self, first: Nonce) -> Tagger<'_, N> {
        Tagger::new(self, first)
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
        // As `tag_eights` cuts: nonces that share a block stay together.
        let before = packets.first().map_or(0, |(nonce, _, _)| pdf::before_a_block::<N>(nonce));
        let (head, rest) = packets.split_at(before.min(packets.len()));
        let (head_valid, rest_valid) = valid.split_at_mut(head.len());
        let mut slots = Slots::default();
        let mut verify = |packets, valid| {
            verify_packets(
                packets,
                valid,
                |one: Nonce, next| one.next() == Some(next),
                |first, messages, tags| match self.packet {
                    Some(packet) => self.tag_eights(packet, &first, messages, tags, &mut slots),
                    None => {
                        for (i, (message, tag)) in messages.iter().zip(tags).enumerate() {
                            *tag = self.tag(&after(&first, i), message);
                        }
                    }
                },
                |nonce, message| self.tag(&nonce, message),
            )
        };
        let all = verify(head, head_valid) & verify(rest, rest_valid);
        wipe(&mut slots);
        if all { Ok(()) } else { Err(TagMismatch) }
    }

    /// The tag of a message under the nonce that `ahead` comes to next.
    #[inline]
    pub(crate) fn tag_ahead(&self, ahead: &mut Ahead<N>, nonce: &Nonce, message: &[u8]) -> Tag<N> {
        let pad = ahead.pad(nonce, |words, count| self.encrypt(words, count));
        tag(self.hash::<N>(message), pad)
    }

    /// Encrypts at least the first `count` blocks of nonces.
    fn encrypt(&self, words: &mut [u64; 2 * PADS], count: usize) {
        match self.packet {
            Some(packet) => packet.encrypt(&self.hash, words, count),
            None => pdf::encrypt(&self.pad, &mut words.as_chunks_mut().0[..count]),
        }
    }

    /// The first `M` bytes of the tag, without their pad. In this and the following, numbers stand for the
    /// bytes of a tag, the first one lowest; what is above them is of no account.
    #[inline]
    pub(crate) fn hash<const M: usize>(&self, message: &[u8]) -> u128 {
        match self.packet {
            Some(packet) if message.len() <= CHUNK => {
                packet.front(streams(M)).hash(&self.hash, message)
            }
            _ => self.hash_in_layers::<M>(message),
        }
    }

    /// Level 3 of a 64-bit word a stream.
    #[inline]
    fn level3<const M: usize>(&self, words: [u64; MAX_STREAMS]) -> u128 {
        match self.packet {
            Some(packet) => packet.front(streams(M)).inner(&self.hash, &words),
            None => {
                (0..streams(M)).fold(0, |hash, t| hash | self.l3[t].part(t, u128::from(words[t])))
            }
        }
    }

    /// Level 1 of chunks of which none is the message's last. `take` gets the words of one after level 1
    /// of the next, so that level 2's chain of multiplications never waits for sums under way and runs
    /// in the shadow of the vector code.
    #[inline]
    fn each_chunk<const M: usize>(&self, chunks: &[[u8; CHUNK]], mut take: impl FnMut(&[u64])) {
        let mut sums = [[0; MAX_STREAMS]; 2];
        let [mut now, mut before] = sums.each_mut().map(|sums| &mut sums[..streams(M)]);
        let nh = self.nh.front(streams(M));
        for (i, chunk) in chunks.iter().enumerate() {
            nh.chunk(&self.hash.l1, chunk, now);
            core::mem::swap(&mut now, &mut before);
            if i > 0 {
                take(now);
            }
        }
        if !chunks.is_empty() {
            take(before);
        }
        wipe(&mut sums);
    }

    #[inline(never)]
    fn hash_in_layers<const M: usize>(&self, message: &[u8]) -> u128 {
        if let Some(packet) = self.packet
            && (CHUNK + 1..=NEAR).contains(&message.len())
        {
            return packet.front(streams(M)).hash_of_chunks(&self.hash, message);
        }
        let (chunks, last) = not_last(message);
        let mut state = State::new();
        state.absorb::<N, M>(self, chunks);
        state.hash::<N, M>(self, last)
    }
}

/// How many streams make so many bytes of a tag.
const fn streams(bytes: usize) -> usize {
    bytes / 4
}

/// The tag from its hash and its pad.
#[inline]
pub(crate) fn tag<const N: usize>(hash: u128, pad: [u8; N]) -> Tag<N> {
    let mut tag = first_bytes(hash);
    for (byte, pad) in tag.iter_mut().zip(pad) {
        *byte ^= pad;
    }
    Tag::from(tag)
}

/// The tag or pad that stands at the front of words.
#[inline]
fn tag_bytes<const N: usize>(words: &[u64]) -> [u8; N] {
    match N {
        ..=8 => first_bytes(u128::from(words[0])),
        _ => first_bytes(u128::from(words[1]) << 64 | u128::from(words[0])),
    }
}

/// The bytes of a number, the lowest first.
#[inline]
pub(crate) fn first_bytes<const N: usize>(number: u128) -> [u8; N] {
    *number.to_le_bytes().first_chunk().expect("a tag has at most 16 bytes")
}

impl<const N: usize> Drop for Key<N> {
    fn drop(&mut self) {
        // `pad` wipes its own round keys; `nh` and `packet` are choices of kernels and no secret.
        let Key { nh: _, packet: _, hash, l3, pad: _ } = self;
        hash.zeroize();
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
        buffer.update(piece, |chunks| state.absorb::<N, N>(key, chunks));
    }

    /// The tag of the message so far. The stream goes on undisturbed, but the nonce is spent.
    #[must_use]
    pub fn tag(&self, nonce: &Nonce) -> Tag<N> {
        let pad = self.key.pad(nonce);
        tag(self.state.clone().hash::<N, N>(self.key, self.buffer.last()), pad)
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

/// Level 2 of a message under way; it wipes itself.
#[derive(Clone)]
struct State(l2_poly::State);

impl State {
    const fn new() -> State {
        State(l2_poly::State::new())
    }

    /// Absorbs chunks of which none is the message's last, for `M` bytes of a tag.
    fn absorb<const N: usize, const M: usize>(&mut self, key: &Key<N>, chunks: &[[u8; CHUNK]]) {
        if let Some(packet) = key.packet {
            return packet.front(streams(M)).absorb(&key.hash, &mut self.0, chunks);
        }
        key.each_chunk::<M>(chunks, |sums| self.0.absorb_row(&key.hash.l2, sums));
    }

    /// Absorbs the last chunk, 0 to 1024 bytes, of more than one.
    #[inline]
    fn absorb_last<const N: usize, const M: usize>(&mut self, key: &Key<N>, last: &[u8]) {
        let mut sums = [0; MAX_STREAMS];
        let of_streams = &mut sums[..streams(M)];
        key.nh.front(streams(M)).last(&key.hash.l1, last, of_streams);
        self.0.absorb_row(&key.hash.l2, of_streams);
        wipe(&mut sums);
    }

    /// Absorbs the last chunk: the first `M` bytes of the tag, without their pad.
    #[inline]
    fn hash<const N: usize, const M: usize>(&mut self, key: &Key<N>, last: &[u8]) -> u128 {
        if self.0.count() == 0 {
            // A message of one chunk skips level 2 (RFC 4418, section 5.1).
            let mut sums = [0; MAX_STREAMS];
            key.nh.front(streams(M)).last(&key.hash.l1, last, &mut sums[..streams(M)]);
            let hash = key.level3::<M>(sums);
            wipe(&mut sums);
            return hash;
        }
        self.absorb_last::<N, M>(key, last);
        if self.0.is_of_64() {
            return key.level3::<M>(self.0.words_64());
        }
        (0..streams(M))
            .fold(0, |hash, t| hash | key.l3[t].part(t, self.0.finish(&key.hash.l2[t], t)))
    }
}

impl Drop for State {
    fn drop(&mut self) {
        let State(l2) = self;
        l2.zeroize();
    }
}
