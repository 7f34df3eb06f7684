//! MACs with a nonce: a keyed hash of the message, encrypted with a pad (Wegman and Carter, 1981). All such MACs share
//! the methods here: [`Key`] and [`Stream`] use a hash and its pads through the trait [`HashAndPads`].
//!
//! ```text
//! message - hash -------+
//! nonce - block - pad - xor -> Tag
//! ```
//!
//! A MAC is a type that implements [`HashAndPads`], and an alias for its keys, which is what callers use:
//! `pub type Key<const N: usize> = nonce_mac::Key<Umac<N>, N>`, for example, is [`umac::Key`](crate::umac::Key).
//!
//! **Bound.** Suppose that the hashes of any two different messages differ by any given value with probability at most
//! `e` over the choice of the key, and that no nonce is used twice. Then one forgery attempt succeeds with probability
//! at most `e`, plus the advantage of distinguishing the pads from random ones. Each MAC's module states its own bound.

pub(crate) mod hash_and_pads;
mod tagger;

pub(crate) use hash_and_pads::{
    HashAndPads, Prefixes, in_eights, one_by_one, padded, singly, tag_ahead,
};
pub use tagger::Tagger;

use crate::batch::{EIGHT, verify_eights, verify_singly};
use crate::cpu::Cpu;
use crate::nonce::{Nonce, NonceKind, NoncesExhausted};
use crate::pads::{self, Blocks};
use crate::tag::{InvalidLength, Tag, TagMismatch};
use core::fmt;

/// A key for tags of `N` bytes. The MAC's module has an alias for it and says which `N` exist.
///
/// Deriving a key is expensive; share one (`&Key` is `Send` and `Sync`) instead of deriving it for each message.
pub struct Key<H, const N: usize>(H);

impl<H: HashAndPads<N>, const N: usize> Key<H, N> {
    /// Derives the subkeys from a secret of uniformly random bytes that is used for nothing else.
    #[must_use]
    pub fn new(secret: &H::Secret) -> Self {
        Self::with_cpu(Cpu::detect(), secret)
    }

    /// [`new`](Self::new) with at most the features of `cpu`: the same tags, perhaps from another kernel.
    #[must_use]
    pub fn with_cpu(cpu: Cpu, secret: &H::Secret) -> Self {
        Self::from_slice(cpu, secret.as_ref()).expect("its type gives the secret its length")
    }

    /// [`with_cpu`](Self::with_cpu) from a slice.
    ///
    /// # Errors
    /// [`InvalidLength`] if the secret does not have the MAC's length.
    pub fn from_slice(cpu: Cpu, secret: &[u8]) -> Result<Self, InvalidLength> {
        H::from_slice(cpu, secret).map(Key)
    }

    /// The name of the kernel that this key uses, for example `portable`.
    #[must_use]
    pub fn kernel(&self) -> &'static str {
        self.0.kernel()
    }

    /// Every kernel that this machine can run: its name, and the `Cpu` with which a key chooses it.
    pub fn kernels(cpu: Cpu) -> impl Iterator<Item = (&'static str, Cpu)> {
        H::kernels(cpu)
    }

    /// The tag of a message.
    #[must_use]
    #[inline]
    pub fn tag(&self, nonce: &H::Nonce, message: &[u8]) -> Tag<N> {
        let (block, start) = pads::block(nonce, H::PAD_BYTES);
        self.0.tag(block, start, message)
    }

    /// Accepts a message only with its tag. The time does not depend on the tag's bytes.
    ///
    /// # Errors
    /// [`TagMismatch`], without detail, if message, nonce, key and tag do not belong together.
    pub fn verify(
        &self,
        nonce: &H::Nonce,
        message: &[u8],
        tag: &Tag<N>,
    ) -> Result<(), TagMismatch> {
        TagMismatch::unless(self.tag(nonce, message) == *tag)
    }

    /// Starts a stream: a message whose bytes arrive in pieces.
    #[must_use]
    pub fn stream(&self) -> Stream<'_, H, N> {
        Stream { key: self, state: self.0.start() }
    }

    /// The tags of messages under consecutive nonces, beginning with `first`.
    ///
    /// # Errors
    /// [`NoncesExhausted`] if there are fewer nonces from `first` on than messages. Then no tag is written.
    ///
    /// # Panics
    /// If `messages` and `tags` differ in length.
    #[inline]
    pub fn tag_many(
        &self,
        first: &H::Nonce,
        messages: &[&[u8]],
        tags: &mut [Tag<N>],
    ) -> Result<(), NoncesExhausted> {
        if let ([message], [tag]) = (messages, &mut *tags) {
            *tag = self.tag(first, message);
            return Ok(());
        }
        self.tag_from(first, messages, tags)
    }

    /// Verifies messages, each with its own nonce and tag, and sets `valid` for each that is authentic.
    ///
    /// # Errors
    /// [`TagMismatch`] if at least one is not authentic; `valid` is complete in either case.
    ///
    /// # Panics
    /// If `packets` and `valid` differ in length.
    #[inline]
    pub fn verify_many(
        &self,
        packets: &[(H::Nonce, &[u8], Tag<N>)],
        valid: &mut [bool],
    ) -> Result<(), TagMismatch> {
        let tag = |(nonce, message, _): &(H::Nonce, &[u8], Tag<N>)| self.tag(nonce, message);
        TagMismatch::unless(if packets.len() < EIGHT || !self.0.verifies_eight() {
            verify_singly(packets, valid, |(.., tag)| tag, tag)
        } else {
            let tag8 = |eight: &_, tags: &mut _| self.tag_packets_in_order(eight, tags);
            verify_eights(packets, valid, |(.., tag)| tag, tag8, tag)
        })
    }

    /// The right tags of packets whose nonces are consecutive; or false.
    fn tag_packets_in_order(
        &self,
        eight: &[(H::Nonce, &[u8], Tag<N>); EIGHT],
        tags: &mut [Tag<N>; EIGHT],
    ) -> bool {
        let first = &eight[0].0;
        let blocks = Blocks::new(first, H::PAD_BYTES);
        if !H::BESIDE.contains(&eight[0].1.len()) || blocks.before_a_block(H::PAD_BYTES) > 0 {
            return false;
        }
        let length = |nonce: &H::Nonce| (*nonce).into().len();
        let number = |nonce: &H::Nonce| nonce.block(0).0.swap_bytes();
        let (bytes, mut next) = (length(first), number(first));
        let is_run = eight.iter().fold(true, |all, (nonce, ..)| {
            let is_next = (number(nonce) == next) & (length(nonce) == bytes);
            next = next.wrapping_add(1 << (8 * (Nonce::MAX - bytes)));
            all & is_next
        });
        is_run && self.0.tag_eight(&blocks, &eight.each_ref().map(|packet| packet.1), tags)
    }

    /// Tags messages one at a time under consecutive nonces, beginning with `first`, with their pads made ahead.
    #[must_use]
    pub fn tagger(&self, first: H::Nonce) -> Tagger<'_, H, N> {
        Tagger::new(self, first)
    }

    /// [`tag`](Self::tag) under a nonce of any length. Callers use only lengths that the MAC is defined for.
    #[cfg(feature = "hazmat")]
    #[must_use]
    #[inline]
    pub(crate) fn tag_raw(&self, nonce: &Nonce, message: &[u8]) -> Tag<N> {
        let (block, start) = pads::block(nonce, H::PAD_BYTES);
        self.0.tag(block, start, message)
    }

    /// [`tag_many`](Self::tag_many) under nonces of any length, with the same condition.
    pub(crate) fn tag_many_raw(
        &self,
        first: &Nonce,
        messages: &[&[u8]],
        tags: &mut [Tag<N>],
    ) -> Result<(), NoncesExhausted> {
        self.tag_from(first, messages, tags)
    }

    #[inline]
    fn tag_from(
        &self,
        first: &impl NonceKind,
        messages: &[&[u8]],
        tags: &mut [Tag<N>],
    ) -> Result<(), NoncesExhausted> {
        assert_eq!(messages.len(), tags.len(), "one tag for each message");
        let mut blocks = Blocks::new(first, H::PAD_BYTES);
        // Few messages would not pay for anything that has to be set up.
        let few = messages.len() < EIGHT;
        let others = messages.len().saturating_sub(1);
        if !(few && blocks.reach(others, H::PAD_BYTES)) {
            first.advance(others as u64).ok_or(NoncesExhausted)?;
        }
        if few {
            singly(&self.0, &mut blocks, messages, tags);
        } else {
            self.0.tag_run(blocks, messages, tags);
        }
        Ok(())
    }

    /// The hash and its pads, the MAC's own type.
    #[inline]
    pub(crate) fn hash_and_pads(&self) -> &H {
        &self.0
    }
}

impl<H: Prefixes<N>, const N: usize> Key<H, N> {
    /// The first `M` bytes of the tag of a message, from their streams alone. They are whole words, and no more than
    /// `N` (other lengths do not compile); a word has 4 bytes for UMAC, 2 for UMAC16.
    ///
    /// This is not the tag of a key for `M` bytes, whose pads are cut from their blocks in another way.
    #[must_use]
    #[inline]
    pub fn tag_prefix<const M: usize>(&self, nonce: &H::Nonce, message: &[u8]) -> Tag<M> {
        const {
            assert!(
                M > 0 && M.is_multiple_of(H::WORD_BYTES) && M <= N,
                "a prefix is whole words of a tag"
            );
        }
        self.prefix(nonce, message)
    }

    /// [`tag_prefix`](Self::tag_prefix). Callers have checked that `M` is a valid prefix length.
    #[inline]
    pub(crate) fn prefix<const M: usize>(&self, nonce: &H::Nonce, message: &[u8]) -> Tag<M> {
        let (block, start) = pads::block(nonce, H::PAD_BYTES);
        self.0.prefix(block, start, message)
    }

    /// Accepts a message if the first `M` bytes of its tag are right ("selective assurance"); `M` as in
    /// [`tag_prefix`](Self::tag_prefix). The tag's other bytes are not looked at.
    ///
    /// A forger has to guess as much as for a tag of `M` bytes. A forger who can choose low levels finds a tag part by
    /// part: let the receiver choose `M`, never the sender. docs/umac-2000.md
    ///
    /// # Errors
    /// [`TagMismatch`], without detail, if message, nonce, key and the prefix of the tag do not belong together.
    pub fn verify_prefix<const M: usize>(
        &self,
        nonce: &H::Nonce,
        message: &[u8],
        tag: &Tag<N>,
    ) -> Result<(), TagMismatch> {
        TagMismatch::unless(self.tag_prefix::<M>(nonce, message) == tag.prefix())
    }
}

impl<H: HashAndPads<N>, const N: usize> fmt::Debug for Key<H, N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}::Key<{N}>({})", H::NAME, self.kernel())
    }
}

/// A stream: any split of a message into pieces gives the same tag.
pub struct Stream<'k, H: HashAndPads<N>, const N: usize> {
    key: &'k Key<H, N>,
    state: H::State,
}

impl<H: HashAndPads<N>, const N: usize> Stream<'_, H, N> {
    /// Appends bytes to the message.
    pub fn update(&mut self, piece: &[u8]) {
        self.key.0.update(&mut self.state, piece);
    }

    /// [`update`](Self::update) on all threads of rayon's current pool, with the same result.
    ///
    /// Use it for pieces of many MiB that are in memory already, on machines where one core cannot use the whole memory
    /// bandwidth; measure. Pieces below 1 MiB stay on this thread, and so do all pieces of a MAC that cannot combine
    /// the work of threads.
    #[cfg(feature = "parallel")]
    pub fn update_rayon(&mut self, piece: &[u8]) {
        self.key.0.update_rayon(&mut self.state, piece);
    }

    /// The tag of the message so far. More bytes may follow, but not under this nonce.
    #[must_use]
    pub fn tag(&self, nonce: &H::Nonce) -> Tag<N> {
        self.tag_of(pads::block(nonce, H::PAD_BYTES))
    }

    /// Accepts the message so far only with its tag.
    ///
    /// # Errors
    /// [`TagMismatch`], without detail, if message, nonce, key and tag do not belong together.
    pub fn verify(&self, nonce: &H::Nonce, tag: &Tag<N>) -> Result<(), TagMismatch> {
        TagMismatch::unless(self.tag(nonce) == *tag)
    }

    /// Forgets the message so far.
    pub fn reset(&mut self) {
        self.state = self.key.0.start();
    }

    /// [`tag`](Self::tag) under a nonce of any length, as [`Key::tag_raw`].
    #[cfg(feature = "hazmat")]
    #[must_use]
    pub(crate) fn tag_raw(&self, nonce: &Nonce) -> Tag<N> {
        self.tag_of(pads::block(nonce, H::PAD_BYTES))
    }

    fn tag_of(&self, (block, start): (u128, usize)) -> Tag<N> {
        let hash = &self.key.0;
        // The pad first, so that the processor runs it beside the hash.
        let pad = hash.pad(block, start);
        hash.finish(&self.state, pad)
    }
}

// Written out, since a derived `Clone` would require `H: Clone`, and the key is only borrowed.
impl<H: HashAndPads<N>, const N: usize> Clone for Stream<'_, H, N> {
    fn clone(&self) -> Self {
        Stream { key: self.key, state: self.state.clone() }
    }
}

impl<H: HashAndPads<N>, const N: usize> fmt::Debug for Stream<'_, H, N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}::Stream<{N}>", H::NAME)
    }
}
