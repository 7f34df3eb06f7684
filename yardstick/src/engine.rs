//! MACs without a nonce share the methods here: [`Key`] and [`Stream`] use a MAC through the trait [`Engine`].

use core::borrow::Borrow;
use core::fmt;
use wegman::bound::{self, BLOCKS_LIMIT, History, Probability};
use wegman::cpu::Needs;
use wegman::session::{PacketMac, key_id};
use wegman::{Cpu, InvalidLength, Tag, TagMismatch};

/// The longest tag of any engine. A shorter tag is a prefix of it.
pub(crate) type Longest = [u8; LONGEST];

/// That of HMAC-SHA256.
const LONGEST: usize = 32;

/// The name of the kernel that runs everywhere.
const PORTABLE: &str = "portable";

/// The name of the kernel with the machine's AES instructions.
const AES: &str = "aes";

/// A MAC without a nonce under a key, in the form that [`Key`] uses. The modules of this crate have the types that
/// implement it.
pub trait Engine: Send + Sync + Sized + 'static {
    /// The state of a stream. Wiped on drop.
    type State: Clone + Send + Sync;

    /// Length of the longest tag in bytes.
    const MOST: usize;

    /// Whether a key may use the machine's instructions for AES.
    const IS_AES: bool = false;

    /// A MAC under this secret.
    ///
    /// # Errors
    /// [`InvalidLength`] if the MAC takes no secret of this length.
    fn from_slice(cpu: Cpu, secret: &[u8]) -> Result<Self, InvalidLength>;

    /// Whether this key uses them.
    fn uses_aes(&self) -> bool {
        false
    }

    /// The state of no bytes.
    fn state(&self) -> Self::State;

    /// Takes the next bytes.
    fn update(&self, state: &mut Self::State, piece: &[u8]);

    /// The tag of the bytes so far.
    fn tag(&self, state: &Self::State) -> Longest;

    /// The tag of a whole message.
    fn tag_of(&self, message: &[u8]) -> Longest {
        let mut state = self.state();
        self.update(&mut state, message);
        self.tag(&state)
    }
}

/// An engine whose keys sessions take: HMAC with a hash of blocks of 64 bytes. The packet's number is 8 bytes before the
/// message, big-endian.
pub trait PacketEngine: Engine {}

/// The kernels of an engine that has none of its own: portable code, and the machine's AES instructions if the engine
/// uses AES and the machine has them.
pub(crate) fn kernels(cpu: Cpu, has_aes: bool) -> impl Iterator<Item = (&'static str, Cpu)> {
    let needs =
        if cfg!(target_arch = "aarch64") { Needs::NEON.and(Needs::AES) } else { Needs::AES };
    let aes = (has_aes && cpu.meets(needs)).then(|| (AES, cpu.only(needs)));
    [(PORTABLE, Cpu::PORTABLE)].into_iter().chain(aes)
}

/// The name of the kernel in use, for such an engine.
pub(crate) fn kernel(uses_aes: bool) -> &'static str {
    if uses_aes { AES } else { PORTABLE }
}

/// A key for tags of `N` bytes: 4 to the engine's longest (others do not compile).
pub struct Key<E: Engine, const N: usize>(E);

impl<E: Engine, const N: usize> Key<E, N> {
    pub(crate) fn of(engine: E) -> Self {
        const { assert!(N >= 4 && N <= E::MOST, "4 bytes at least, and no more than the MAC has") };
        Key(engine)
    }

    /// Prepares a key from a uniformly random secret.
    ///
    /// # Panics
    /// If the MAC takes no secret of that length; [`from_slice`](Self::from_slice) returns an error instead.
    #[must_use]
    pub fn new(secret: &[u8]) -> Self {
        Self::from_slice(secret).expect("a secret of a length that the MAC takes")
    }

    /// Prepares a key from a slice. The engine's module says which bytes.
    ///
    /// # Errors
    /// [`InvalidLength`] if the MAC takes no key of that length.
    pub fn from_slice(secret: &[u8]) -> Result<Self, InvalidLength> {
        Self::from_slice_with_cpu(Cpu::detect(), secret)
    }

    /// [`from_slice`](Self::from_slice) with at most the features of `cpu`: the same tags, perhaps from another kernel.
    ///
    /// # Errors
    /// [`InvalidLength`] if the MAC takes no key of that length.
    pub fn from_slice_with_cpu(cpu: Cpu, secret: &[u8]) -> Result<Self, InvalidLength> {
        E::from_slice(cpu, secret).map(Self::of)
    }

    /// The name of the kernel that this key uses, for example `portable`.
    #[must_use]
    pub fn kernel(&self) -> &'static str {
        kernel(self.0.uses_aes())
    }

    /// Every kernel that this machine can run: its name, and the `Cpu` with which a key chooses it.
    pub fn kernels(cpu: Cpu) -> impl Iterator<Item = (&'static str, Cpu)> {
        kernels(cpu, E::IS_AES)
    }

    /// The tag of a message.
    pub fn tag(&self, message: &[u8]) -> Tag<N> {
        prefix(&self.0.tag_of(message))
    }

    /// Accepts a message only with its tag. The time does not depend on the tag's bytes.
    ///
    /// # Errors
    /// [`TagMismatch`], without detail, if message, key and tag do not belong together.
    pub fn verify(&self, message: &[u8], tag: &Tag<N>) -> Result<(), TagMismatch> {
        TagMismatch::unless(self.tag(message) == *tag)
    }

    /// Starts a stream: a message whose bytes arrive in pieces.
    #[must_use]
    pub fn stream(&self) -> Stream<&Self, E, N> {
        Stream::new(self)
    }
}

impl<E: PacketEngine, const N: usize> PacketMac for Key<E, N> {
    type Tag = Tag<N>;
    type Ahead = ();
    const LIMIT: u64 = BLOCKS_LIMIT;

    /// The blocks of number, message, a bit 1 and 64 bits of length.
    fn cost(messages: u64, bytes: u64) -> u64 {
        bound::blocks(messages, bytes, 8 + 9, 64)
    }

    fn forgery<P: Probability>(&self, history: &History) -> P {
        let (messages, blocks) = history.seen();
        let attempts = history.tried.messages.into();
        bound::hmac::<P>(messages, blocks, 8 * E::MOST as u32)
            .plus(bound::guesses(attempts, 8 * N as u32))
    }

    fn key_id(&self) -> [u8; 8] {
        key_id(|sequence, message| self.tag_packet(sequence, message).to_bytes())
    }

    fn tag_packet_parts(&self, sequence: u64, parts: &[&[u8]]) -> Tag<N> {
        let mut stream = self.stream();
        stream.update(&sequence.to_be_bytes());
        parts.iter().for_each(|part| stream.update(part));
        stream.tag()
    }

    fn ahead(&self) {}
}

impl<E: Engine, const N: usize> fmt::Debug for Key<E, N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "yardstick::Key<{N}>({})", self.kernel())
    }
}

/// A stream: any split of a message into pieces gives the same tag.
///
/// `K` is the key or anything that lends it: `&Key`, `Arc<Key>`, or the key itself.
pub struct Stream<K, E: Engine, const N: usize> {
    key: K,
    state: E::State,
}

impl<K: Borrow<Key<E, N>>, E: Engine, const N: usize> Stream<K, E, N> {
    /// Starts a stream that keeps `key`.
    #[must_use]
    pub fn new(key: K) -> Self {
        let state = key.borrow().0.state();
        Stream { key, state }
    }

    /// Appends bytes to the message.
    pub fn update(&mut self, piece: &[u8]) {
        self.key.borrow().0.update(&mut self.state, piece);
    }

    /// The tag of the message so far. More bytes may follow.
    pub fn tag(&self) -> Tag<N> {
        prefix(&self.key.borrow().0.tag(&self.state))
    }

    /// Accepts the message so far only with its tag.
    ///
    /// # Errors
    /// [`TagMismatch`], without detail, if message, key and tag do not belong together.
    pub fn verify(&self, tag: &Tag<N>) -> Result<(), TagMismatch> {
        TagMismatch::unless(self.tag() == *tag)
    }

    /// Forgets the message so far.
    pub fn reset(&mut self) {
        self.state = self.key.borrow().0.state();
    }
}

impl<K: Clone, E: Engine, const N: usize> Clone for Stream<K, E, N> {
    fn clone(&self) -> Self {
        Stream { key: self.key.clone(), state: self.state.clone() }
    }
}

impl<K, E: Engine, const N: usize> fmt::Debug for Stream<K, E, N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "yardstick::Stream<{N}>")
    }
}

/// The tag of `N` bytes: a prefix of the longest.
pub(crate) fn prefix<const N: usize>(longest: &Longest) -> Tag<N> {
    Tag::from(*longest.first_chunk().expect("no tag is longer"))
}

/// A block as the first bytes of a longest tag.
pub(crate) fn longest(block: impl AsRef<[u8]>) -> Longest {
    let mut longest = [0; LONGEST];
    longest[..block.as_ref().len()].copy_from_slice(block.as_ref());
    longest
}
