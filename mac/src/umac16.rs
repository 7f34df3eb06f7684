//! UMAC16 of October 2000 (draft-krovetz-umac-01): UMAC-2/l/1024/16/SIGNED/LITTLE with tags of 2, 4, 8 and
//! 16 bytes. Words of 16 bits, which instructions for signal processing multiply and add in pairs.
//!
//! ```text
//! message - l1_nh16 -> words - l2 -> 128 bits - l3 -> 16 bits x streams -+
//! key - kdf ----------^----------^--------------^         nonce - pdf - xor -> Tag
//! ```
//!
//! A tag of `N` bytes is the output of `N / 2` streams. To reproduce what the authors measured, and for old
//! tags; new designs take [`umac`](crate::umac), whose definition is a standard. Other parameters, and
//! fronts of tags in words chosen at run time, are in `umac_2000` (feature `alloc`).
//!
//! **Bound.** Of `v` forgery attempts one succeeds with probability at most about `v * 2^-(15 N / 2)`
//! (2^-15, 2^-30, 2^-60, 2^-120 for one attempt; draft, section 8.2), plus the advantage of telling AES-128
//! from a random function, *if no nonce is used twice under one key*.
//!
//! ```
//! use wegman::{Nonce, umac16};
//!
//! let key = umac16::Key::<8>::new(b"sixteen byte key"); // UMAC16: 8-byte tags
//! let nonce = Nonce::counter(1); // never twice under one key
//! let tag = key.tag(&nonce, b"a message");
//! assert!(key.verify(&nonce, b"a message", &tag).is_ok());
//! ```

mod batch;
pub(crate) mod l2;
pub(crate) mod l3;
pub(crate) mod packet;
pub(crate) mod poly32;

use crate::buffer::{Buffer, not_last};
use crate::cipher::Aes128;
use crate::cpu::{Cpu, Needs};
use crate::nonce::{Nonce, NoncesExhausted};
use crate::tag::{Tag, TagMismatch};
use crate::umac::kdf::{Edition, Index, Kdf};
use crate::umac::l1_nh16::{self, Nh16};
use crate::umac::pdf::{self, PADS};
use crate::umac::tag;
use crate::verify::verify_packets;
use crate::wipe::wipe;
use batch::Work;
use core::fmt;
use l2::State;
use packet::{LONGEST, Packet};
use zeroize::Zeroize;

/// The most streams a tag has.
pub(crate) const MAX_STREAMS: usize = 8;

/// Bytes of message a chunk has; only the last chunk may be shorter.
pub(crate) const CHUNK: usize = 1024;

pub(crate) type L1Key = l1_nh16::Key<{ l1_nh16::steps(CHUNK) }>;

/// A UMAC16 key for tags of `N` bytes; `N` is 2, 4, 8 or 16 (other lengths do not compile).
///
/// Making one costs about 70 AES calls, and a few more for each stream; share it.
pub struct Key<const N: usize> {
    nh: Nh16,
    packet: Option<Packet>,
    hash: packet::Key,
    pad: Aes128,
}

impl<const N: usize> Key<N> {
    const STREAMS: usize = {
        assert!(matches!(N, 2 | 4 | 8 | 16), "a UMAC16 tag has 2, 4, 8 or 16 bytes");
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
        let kdf = Kdf::of(Edition::Draft2000, cpu, secret);
        let mut l1 = [0; CHUNK + 16 * (MAX_STREAMS - 1)];
        let mut l2 = [[0; 28]; MAX_STREAMS];
        let mut l3 = [[0; 32]; MAX_STREAMS];
        let mut masks = [[0; 2]; MAX_STREAMS];
        kdf.fill(Index::L1, &mut l1[..CHUNK + 16 * (Self::STREAMS - 1)]);
        kdf.fill(Index::L2, l2[..Self::STREAMS].as_flattened_mut());
        kdf.fill(Index::L3, l3[..Self::STREAMS].as_flattened_mut());
        kdf.fill(Index::L3Mask, masks[..Self::STREAMS].as_flattened_mut());
        let mut hash = packet::Key::new(
            L1Key::new(l1.as_chunks().0.iter().map(|word| u16::from_be_bytes(*word))),
            l2.each_ref().map(l2::Key::from_bytes),
            core::array::from_fn(|t| l3::Key::from_bytes(&l3[t], masks[t])),
        );
        l1.zeroize();
        l2.as_flattened_mut().zeroize();
        l3.as_flattened_mut().zeroize();
        masks.as_flattened_mut().zeroize();
        let pad = kdf.pad_key();
        let packet = Packet::new(cpu, &pad, Self::STREAMS, &mut hash);
        Key { nh: Nh16::new(cpu), packet, hash, pad }
    }

    /// The name of the level-1 kernel this key uses, for example `portable`.
    #[must_use]
    pub fn kernel(&self) -> &'static str {
        self.nh.name()
    }

    /// Every kernel of this machine: its name, and the `Cpu` that makes a key choose it.
    pub fn kernels(cpu: Cpu) -> impl Iterator<Item = (&'static str, Cpu)> {
        // With AES for the pads on all rows but the one that is to do without anything.
        Nh16::all(cpu).map(move |nh| match nh.needs() {
            Needs::NONE => (nh.name(), cpu.only(Needs::NONE)),
            needs => {
                let needs = needs.and(Packet::needs(nh.name())).and(Needs::AES);
                (nh.name(), cpu.only(needs))
            }
        })
    }

    /// The tag of a message.
    #[must_use]
    #[inline]
    pub fn tag(&self, nonce: &Nonce, message: &[u8]) -> Tag<N> {
        self.front(nonce, message)
    }

    /// The first `M` bytes of the tag of a message, from their streams alone; `M` is even and at most `N`
    /// (others do not compile).
    ///
    /// It is not the tag of a key for `M` bytes, whose pads are cut from their blocks in another way.
    #[must_use]
    #[inline]
    pub fn tag_front<const M: usize>(&self, nonce: &Nonce, message: &[u8]) -> Tag<M> {
        const { assert!(M.is_multiple_of(2) && 2 <= M && M <= N, "a front has whole words of 2 bytes") };
        self.front(nonce, message)
    }

    /// [`tag_front`](Self::tag_front), of which `M` there is a front once callers have made sure.
    #[inline]
    pub(crate) fn front<const M: usize>(&self, nonce: &Nonce, message: &[u8]) -> Tag<M> {
        match self.packet {
            Some(packet) if message.len() <= LONGEST => {
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
        let pad = pdf::pad::<N>(&self.pad, nonce);
        let pad = pad.first_chunk().expect("a front is no longer than the tag");
        tag(self.hash_in_layers::<M>(message), *pad)
    }

    /// Accepts a message only with its tag, in time that does not depend on the tag's bytes.
    ///
    /// # Errors
    /// [`TagMismatch`], without detail, if message, nonce, key and tag do not belong together.
    pub fn verify(&self, nonce: &Nonce, message: &[u8], tag: &Tag<N>) -> Result<(), TagMismatch> {
        if self.tag(nonce, message) == *tag { Ok(()) } else { Err(TagMismatch) }
    }

    /// Accepts a message if the first `M` bytes of its tag are right ("selective assurance"); `M` is even and at
    /// most `N` (others do not compile). What the tag has behind them is not looked at.
    ///
    /// A forger has to guess as much as for `M / 2` words: 2^-15 each. And where he can ask for low levels he finds a
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
        first.advance(messages.len().saturating_sub(1) as u64).ok_or(NoncesExhausted)?;
        let mut work = Work::new();
        // Neighbours whose pads share a block stay together, so some may come before them.
        let before = pdf::before_a_block::<N>(first).min(messages.len());
        let (head, messages) = messages.split_at(before);
        let (head_tags, tags) = tags.split_at_mut(before);
        self.tag_run(&mut work, first, head, head_tags);
        for (i, (messages, tags)) in messages.chunks(PADS).zip(tags.chunks_mut(PADS)).enumerate() {
            let first = first.advance((before + PADS * i) as u64).ok_or(NoncesExhausted)?;
            self.tag_run(&mut work, &first, messages, tags);
        }
        work.wipe();
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
        // As `tag_many` cuts: nonces that share a block stay together.
        let before = packets.first().map_or(0, |(nonce, _, _)| pdf::before_a_block::<N>(nonce));
        let (head, rest) = packets.split_at(before.min(packets.len()));
        let (head_valid, rest_valid) = valid.split_at_mut(head.len());
        let mut work = Work::new();
        let mut verify = |packets, valid| {
            verify_packets(
                packets,
                valid,
                |one: Nonce, next| one.next() == Some(next),
                |first, messages, tags| self.tag_run(&mut work, &first, messages, tags),
                |nonce, message| self.tag(&nonce, message),
            )
        };
        let all = verify(head, head_valid) & verify(rest, rest_valid);
        work.wipe();
        if all { Ok(()) } else { Err(TagMismatch) }
    }

    /// The first `M` bytes of the tag, without their pad. In this and the following, numbers stand for the
    /// bytes of a tag, the first one lowest; what is above them is of no account.
    #[inline]
    pub(crate) fn hash<const M: usize>(&self, message: &[u8]) -> u128 {
        match self.packet {
            Some(packet) if message.len() <= LONGEST => {
                packet.front(streams(M)).hash(&self.hash, message)
            }
            _ => self.hash_in_layers::<M>(message),
        }
    }

    #[inline(never)]
    fn hash_in_layers<const M: usize>(&self, message: &[u8]) -> u128 {
        if message.len() <= CHUNK {
            return self.hash_of_chunk::<M>(message);
        }
        let (chunks, last) = not_last(message);
        let mut state = State::new();
        self.absorb::<M>(&mut state, chunks);
        self.finish::<M>(&mut state, last)
    }

    /// The hash of a message of one chunk, which skips level 2.
    fn hash_of_chunk<const M: usize>(&self, message: &[u8]) -> u128 {
        let mut sums = [0; MAX_STREAMS];
        self.level1(message, &mut sums[..streams(M)]);
        let hash = self.level3::<M>(|t| sums[t].into());
        wipe(&mut sums);
        hash
    }

    /// Absorbs chunks of which none is the message's last.
    fn absorb<const M: usize>(&self, state: &mut State, mut chunks: &[[u8; CHUNK]]) {
        if let Some(packet) = self.packet {
            chunks = packet.front(streams(M)).absorb(&self.hash, state, chunks);
        }
        // Level 2 of a chunk after level 1 of the next, as in `umac::Key::each_chunk`.
        let mut sums = [[0; MAX_STREAMS]; 2];
        let [mut now, mut before] = sums.each_mut().map(|sums| &mut sums[..streams(M)]);
        for (i, chunk) in chunks.iter().enumerate() {
            self.level1(chunk, now);
            core::mem::swap(&mut now, &mut before);
            if i > 0 {
                state.absorb_row(&self.hash.l2, now);
            }
        }
        if !chunks.is_empty() {
            state.absorb_row(&self.hash.l2, before);
        }
        wipe(&mut sums);
    }

    /// Absorbs the last chunk: the tag without its pad.
    fn finish<const M: usize>(&self, state: &mut State, last: &[u8]) -> u128 {
        if state.count() == 0 {
            return self.hash::<M>(last);
        }
        let mut sums = [0; MAX_STREAMS];
        let of_streams = &mut sums[..streams(M)];
        self.level1(last, of_streams);
        state.absorb_row(&self.hash.l2, of_streams);
        wipe(&mut sums);
        self.level3::<M>(|t| state.finish(&self.hash.l2[t], t))
    }

    /// NH of at most a chunk and its length in bits.
    fn level1(&self, chunk: &[u8], sums: &mut [u32]) {
        self.nh.nh(&self.hash.l1, chunk, sums);
        sums.iter_mut().for_each(|sum| *sum = sum.wrapping_add(8 * chunk.len() as u32));
    }

    /// Level 3 of the streams' level-2 hashes.
    fn level3<const M: usize>(&self, b: impl Fn(usize) -> u128) -> u128 {
        let part = |t: usize| u128::from(self.hash.l3[t].hash(b(t)).swap_bytes()) << (16 * t);
        (0..streams(M)).fold(0, |hash, t| hash | part(t))
    }
}

/// How many streams make so many bytes of a tag.
const fn streams(bytes: usize) -> usize {
    bytes / 2
}

impl<const N: usize> Drop for Key<N> {
    fn drop(&mut self) {
        // `pad` wipes its own round keys; `nh` and `packet` are choices of kernels and no secret.
        let Key { nh: _, packet: _, hash, pad: _ } = self;
        hash.zeroize();
    }
}

impl<const N: usize> fmt::Debug for Key<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "umac16::Key<{N}>({})", self.kernel())
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
        buffer.update(piece, |chunks| key.absorb::<N>(state, chunks));
    }

    /// The tag of the message so far. The stream goes on undisturbed, but the nonce is spent.
    #[must_use]
    pub fn tag(&self, nonce: &Nonce) -> Tag<N> {
        let pad = pdf::pad(&self.key.pad, nonce);
        tag(self.key.finish::<N>(&mut self.state.clone(), self.buffer.last()), pad)
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
        write!(f, "umac16::Stream<{N}>")
    }
}
