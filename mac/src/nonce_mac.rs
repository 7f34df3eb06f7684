//! MACs with a nonce: a keyed hash of the message, xored with a pad (Wegman and Carter, 1981). The verbs of such a MAC
//! are written here, once: [`Key`] and [`Stream`] see a hash and its pads through the trait [`HashAndPads`].
//!
//! ```text
//! message - hash -------+
//! nonce - block - pad - xor -> Tag
//! ```
//!
//! A MAC is a type that implements [`HashAndPads`], and a name for its keys:
//! `pub type Key<const N: usize> = nonce_mac::Key<Umac<N>, N>`. Callers use these names: [`umac::Key`](crate::umac::Key).

mod tagger;

pub use tagger::Tagger;

use crate::batch::verify_packets;
use crate::cpu::Cpu;
use crate::nonce::{Nonce, NonceKind, NoncesExhausted};
use crate::pads::{self, Ahead, PADS};
use crate::tag::{InvalidLength, Tag, TagMismatch};
use core::fmt;

/// What a MAC with a nonce is made of: a hash, prepared with its keys, and the pads that hide it. Tags have `N` bytes.
///
/// Pads are numbers: their first byte is the lowest, and what is above the pad's bytes is unspecified.
///
/// Whoever implements this makes a MAC. The trait is exempt from semver; the feature `hazmat` has the pieces that an
/// implementation needs.
pub trait HashAndPads<const N: usize>: Send + Sync + Sized + 'static {
    /// The module in which the MAC's keys are named, for example `umac`.
    const NAME: &'static str;

    /// Bytes of a pad: `N`, if neighbouring nonces share a block of the cipher (4 and 8 bytes), or else up to 16.
    const PAD_BYTES: usize;

    /// The bound on one attempt at a forgery as an exponent: 60 stands for 2^-60, or a little more.
    const ATTEMPT_EXPONENT: u32;

    /// The secret as an array, for example `[u8; 16]`.
    type Secret: AsRef<[u8]>;

    /// The nonces it takes.
    type Nonce: NonceKind;

    /// A message under way. It wipes itself.
    type State: Clone + Send;

    /// Room for a batch, kept from one run of messages to the next.
    type Room: Default;

    /// Derives all keys from a uniformly random secret.
    ///
    /// # Errors
    /// [`InvalidLength`] if the secret has another length than [`Secret`](Self::Secret).
    fn from_slice(cpu: Cpu, secret: &[u8]) -> Result<Self, InvalidLength>;

    /// The name of the kernel in use.
    fn kernel(&self) -> &'static str;

    /// Every kernel of this machine: its name, and the `Cpu` that makes a key choose it.
    fn kernels(cpu: Cpu) -> impl Iterator<Item = (&'static str, Cpu)>;

    /// The pad that begins at byte `start` of the encrypted `block`.
    fn pad(&self, block: u128, start: usize) -> u128;

    /// Encrypts at least the first `count` blocks; what follows them is unspecified.
    fn encrypt(&self, blocks: &mut [u64; 2 * PADS], count: usize);

    /// The tag of a message; its pad begins at byte `start` of the encrypted `block`.
    fn tag(&self, block: u128, start: usize, message: &[u8]) -> Tag<N>;

    /// The tag of a message from its pad.
    fn tag_with_pad(&self, pad: u128, message: &[u8]) -> Tag<N>;

    /// An empty message.
    fn start(&self) -> Self::State;

    /// Appends bytes to a message.
    fn update(&self, state: &mut Self::State, piece: &[u8]);

    /// [`update`](Self::update) on all threads of rayon's current pool, where the MAC has a way to do that.
    #[cfg(feature = "parallel")]
    fn update_rayon(&self, state: &mut Self::State, piece: &[u8]) {
        self.update(state, piece);
    }

    /// The tag of the message so far from its pad.
    fn finish(&self, state: &Self::State, pad: u128) -> Tag<N>;

    /// The tags of messages under consecutive nonces. Callers have checked that there are enough nonces, and as many
    /// tags as messages.
    fn tag_run(
        &self,
        _room: &mut Self::Room,
        first: &Nonce,
        messages: &[&[u8]],
        tags: &mut [Tag<N>],
    ) {
        one_by_one(self, first, messages, tags);
    }

    /// Wipes the tags that a batch left in its room: those that forgeries should have had are secret.
    fn wipe_room(_room: &mut Self::Room) {}
}

/// A MAC whose tags are words of streams side by side, so that the first words can be made, and checked, for their share
/// of the hashing.
pub trait Prefixes<const N: usize>: HashAndPads<N> {
    /// Bytes of a word.
    const WORD_BYTES: usize;

    /// The first `M` bytes of [`tag`](HashAndPads::tag). Callers have checked that these are whole words of the tag.
    fn prefix<const M: usize>(&self, block: u128, start: usize, message: &[u8]) -> Tag<M>;
}

/// [`HashAndPads::tag_run`] one message at a time, with pads made ahead.
pub fn one_by_one<H: HashAndPads<N>, const N: usize>(
    hash: &H,
    first: &Nonce,
    messages: &[&[u8]],
    tags: &mut [Tag<N>],
) {
    let mut ahead = Ahead::new();
    for ((count, message), tag) in (0..).zip(messages).zip(tags) {
        let nonce = nth(first, count);
        *tag = tag_ahead(hash, &mut ahead, &nonce, message);
    }
}

/// The nonce `count` places after the first.
///
/// # Panics
/// If there is none: better no tag than a nonce used twice. Callers have checked.
#[inline]
pub fn nth(first: &Nonce, count: usize) -> Nonce {
    first.advance(count as u64).expect("there are as many nonces as messages")
}

/// The tag of a message under the nonce that `ahead` comes to next.
#[inline]
pub(crate) fn tag_ahead<H: HashAndPads<N>, const N: usize>(
    hash: &H,
    ahead: &mut Ahead,
    nonce: &Nonce,
    message: &[u8],
) -> Tag<N> {
    let pad = ahead.pad(nonce, H::PAD_BYTES, |blocks, count| hash.encrypt(blocks, count));
    hash.tag_with_pad(pad, message)
}

/// The tag from its hash and its pad, numbers whose first byte is the lowest.
#[inline]
pub fn padded<const N: usize>(hash: u128, pad: u128) -> Tag<N> {
    Tag::from(pads::first_bytes(hash ^ pad))
}

/// A key for tags of `N` bytes. The MAC's module has a name for it, and says which `N` there are.
///
/// Making one is the costly part: share it (`&Key` is `Send` and `Sync`) instead of making it anew for each message.
pub struct Key<H, const N: usize>(H);

impl<H: HashAndPads<N>, const N: usize> Key<H, N> {
    /// Derives the subkeys from a secret of uniformly random bytes that is used for nothing else.
    #[must_use]
    pub fn new(secret: &H::Secret) -> Self {
        Self::with_cpu(Cpu::detect(), secret)
    }

    /// The same key on a machine with fewer features: the same tags, from another kernel.
    #[must_use]
    pub fn with_cpu(cpu: Cpu, secret: &H::Secret) -> Self {
        Self::from_slice(cpu, secret.as_ref()).expect("its type gives the secret its length")
    }

    /// [`with_cpu`](Self::with_cpu) from a slice.
    ///
    /// # Errors
    /// [`InvalidLength`] if the secret has another length than the MAC's.
    pub fn from_slice(cpu: Cpu, secret: &[u8]) -> Result<Self, InvalidLength> {
        H::from_slice(cpu, secret).map(Key)
    }

    /// The name of the kernel this key uses, for example `portable`.
    #[must_use]
    pub fn kernel(&self) -> &'static str {
        self.0.kernel()
    }

    /// Every kernel of this machine: its name, and the `Cpu` that makes a key choose it.
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

    /// Accepts a message only with its tag, in time that does not depend on the tag's bytes.
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

    /// A message whose bytes arrive in pieces.
    #[must_use]
    pub fn stream(&self) -> Stream<'_, H, N> {
        Stream { key: self, state: self.0.start() }
    }

    /// The tags of messages under consecutive nonces, beginning with `first`.
    ///
    /// # Errors
    /// [`NoncesExhausted`] if there are fewer nonces from `first` on than messages; then no tag is written.
    ///
    /// # Panics
    /// If `messages` and `tags` differ in length.
    pub fn tag_many(
        &self,
        first: &H::Nonce,
        messages: &[&[u8]],
        tags: &mut [Tag<N>],
    ) -> Result<(), NoncesExhausted> {
        self.tag_many_raw(&(*first).into(), messages, tags)
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
        packets: &[(H::Nonce, &[u8], Tag<N>)],
        valid: &mut [bool],
    ) -> Result<(), TagMismatch> {
        assert_eq!(packets.len(), valid.len(), "one outcome for each packet");
        // Nonces that share a block stay together.
        let before =
            packets.first().map_or(0, |(nonce, ..)| pads::before_a_block(nonce, H::PAD_BYTES));
        let (head, rest) = packets.split_at(before.min(packets.len()));
        let (head_valid, rest_valid) = valid.split_at_mut(head.len());
        let mut room = H::Room::default();
        let mut verify = |packets, valid| {
            verify_packets(
                packets,
                valid,
                |one: H::Nonce, next| one.advance(1) == Some(next),
                |first, messages, tags| self.0.tag_run(&mut room, &first.into(), messages, tags),
                |nonce, message| self.tag(&nonce, message),
            )
        };
        let all = verify(head, head_valid) & verify(rest, rest_valid);
        H::wipe_room(&mut room);
        TagMismatch::unless(all)
    }

    /// Tags messages one at a time under consecutive nonces, beginning with `first`, with their pads made ahead.
    #[must_use]
    pub fn tagger(&self, first: H::Nonce) -> Tagger<'_, H, N> {
        Tagger::new(self, first)
    }

    /// [`tag`](Self::tag) under a nonce of any length. Callers keep to the lengths that the MAC is defined for.
    #[cfg(feature = "hazmat")]
    #[must_use]
    #[inline]
    pub(crate) fn tag_raw(&self, nonce: &Nonce, message: &[u8]) -> Tag<N> {
        let (block, start) = pads::block(nonce, H::PAD_BYTES);
        self.0.tag(block, start, message)
    }

    /// [`tag_many`](Self::tag_many) under nonces of any length, likewise.
    pub(crate) fn tag_many_raw(
        &self,
        first: &Nonce,
        messages: &[&[u8]],
        tags: &mut [Tag<N>],
    ) -> Result<(), NoncesExhausted> {
        assert_eq!(messages.len(), tags.len(), "one tag for each message");
        first.advance(messages.len().saturating_sub(1) as u64).ok_or(NoncesExhausted)?;
        self.0.tag_run(&mut H::Room::default(), first, messages, tags);
        Ok(())
    }

    /// The hash and its pads.
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

/// A message under way: any split of a message into pieces gives the same tag.
pub struct Stream<'k, H: HashAndPads<N>, const N: usize> {
    key: &'k Key<H, N>,
    state: H::State,
}

impl<H: HashAndPads<N>, const N: usize> Stream<'_, H, N> {
    /// Appends bytes to the message.
    pub fn update(&mut self, piece: &[u8]) {
        self.key.0.update(&mut self.state, piece);
    }

    /// [`update`](Self::update) on all threads of rayon's current pool. The tag is the same.
    ///
    /// For pieces of many MiB that are in memory already, on machines whose memory feeds more than one core: measure.
    /// Pieces of less than 1 MiB stay on this thread, and so do all pieces of a MAC without a way to join threads'
    /// work.
    #[cfg(feature = "parallel")]
    pub fn update_rayon(&mut self, piece: &[u8]) {
        self.key.0.update_rayon(&mut self.state, piece);
    }

    /// The tag of the message so far. The stream goes on undisturbed, but the nonce is spent.
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
        // The pad first: it runs beside the hash.
        let pad = hash.pad(block, start);
        hash.finish(&self.state, pad)
    }
}

// By hand, because a derived one would ask for a hash that can be cloned; the key is only borrowed.
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
