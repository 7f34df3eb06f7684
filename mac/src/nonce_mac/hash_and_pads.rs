//! The traits of a MAC that is a hash and its pads: [`HashAndPads`], [`Prefixes`]. They are public by the feature
//! `hazmat` alone.

use crate::batch::{EIGHT, tag_eights};
use crate::bound::{self, History, PADS_LIMIT, Probability};
use crate::cpu::{Cpu, Needs};
use crate::pads::{self, Blocks, PADS, Pads};
use crate::tag::Tag;
use zeroize::ZeroizeOnDrop;

/// The parts of a MAC with a nonce: a hash under its keys, and the pads that encrypt it. Tags have `N` bytes.
///
/// A pad is a number whose lowest byte is the pad's first byte. Bits above the pad's last byte are unspecified.
///
/// Implementing this trait defines a MAC. The trait is exempt from semver; the feature `hazmat` has the parts that an
/// implementation needs.
pub trait HashAndPads<const N: usize>: Clone + Send + Sync + ZeroizeOnDrop + 'static {
    /// The name of the MAC's keys, for example `umac::Key`.
    const NAME: &'static str;

    /// The name of the MAC's family, for the derivation of keys in a link: the same for all keys that agree on tags.
    const FAMILY: &'static str;

    /// Length of a pad in bytes: `N` if neighbouring nonces share a cipher block (4 and 8 bytes), else up to 16.
    const PAD_BYTES: usize;

    /// The probability, over the key, that the hashes of two messages differ by a given value.
    const DIFFERENCE: Difference;

    /// The blocks of the subkeys that are made in output feedback: 0 if they are encryptions of different blocks.
    const FED_BACK: u32 = 0;

    /// The most messages that sessions tag under one key.
    const LIMIT: u64 = PADS_LIMIT;

    /// The longest message, in bytes, for which sessions compute the bound by default. It matters if
    /// [`DIFFERENCE`](Self::DIFFERENCE) depends on the length.
    const LONGEST: u64 = if Self::DIFFERENCE.block == u64::MAX { u64::MAX } else { 1 << 16 };

    /// The bound on the probability that at least one attempt was accepted
    /// ([`PacketMac::forgery`](crate::session::PacketMac::forgery)). This is the one for pads of AES.
    #[must_use]
    fn forgery<P: Probability>(history: &History) -> P {
        let attempts = history.tried.messages.into();
        let hash = Self::DIFFERENCE.of::<P>(history.longest, attempts);
        bound::hash_and_pad(hash, history.tagged.messages.into(), Self::FED_BACK)
    }

    /// The nonce lengths that the MAC is defined for, in bytes, in ascending order.
    const NONCE_BYTES: &'static [usize];

    /// The secret as an array, for example `[u8; 16]`.
    type Secret: AsRef<[u8]>;

    /// The state of a stream. It wipes itself on drop.
    type State: Clone + Send + Sync;

    /// Derives all keys from a uniformly random secret.
    ///
    /// # Panics
    /// If the secret does not have the length of [`Secret`](Self::Secret).
    fn new(cpu: Cpu, secret: &[u8]) -> Self;

    /// Whether [`put`](Self::put) moves only a key without subkeys, but for the pad's.
    const IN_PLACE: bool = false;

    /// [`new`](Self::new), where `place` puts the key.
    fn put<'p>(cpu: Cpu, secret: &[u8], place: impl FnOnce(Self) -> &'p mut Self)
    where
        Self: 'p,
    {
        place(Self::new(cpu, secret));
    }

    /// The name of the kernel that this key uses.
    fn kernel(&self) -> &'static str;

    /// Every kernel that this machine can run: its name, and the `Cpu` with which a key chooses it.
    fn kernels(cpu: Cpu) -> impl Iterator<Item = (&'static str, Cpu)>;

    /// What the key's kernels need. With AVX-512 among it, parts of messages are joined in registers, too.
    fn needs(&self) -> Needs {
        Needs::NONE
    }

    /// The pad that begins at byte `start` of the encrypted `block`.
    fn pad(&self, block: u128, start: usize) -> u128;

    /// Encrypts at least the first `count` blocks. Blocks after those are unspecified.
    fn encrypt(&self, blocks: &mut [u64; 2 * PADS], count: usize);

    /// Writes the tag of a message whose pad begins at byte `start` of the encrypted `block`. A kernel that stores whole
    /// tags needs no copy.
    #[inline]
    fn tag(&self, block: u128, start: usize, message: &[u8], tag: &mut [u8; N]) {
        // The pad first, so that the processor runs it beside the hash.
        let pad = self.pad(block, start);
        *tag = self.tag_with_pad(pad, message).to_bytes();
    }

    /// Whether [`tag_after`](Self::tag_after) ever returns true.
    const TAKES_HEADS: bool = false;

    /// [`tag`](Self::tag) of a message of more than 64 bytes, its first ones and the rest; or false if no kernel takes them.
    fn tag_after(
        &self,
        _block: u128,
        _start: usize,
        _head: &[u8; 64],
        _rest: &[u8],
        _tag: &mut [u8; N],
    ) -> bool {
        false
    }

    /// The tag of a message, given its pad.
    fn tag_with_pad(&self, pad: u128, message: &[u8]) -> Tag<N>;

    /// The state of an empty message.
    fn start(&self) -> Self::State;

    /// Appends bytes to a message.
    fn update(&self, state: &mut Self::State, piece: &[u8]);

    /// [`update`](Self::update) on all threads of rayon's current pool, if the MAC supports that.
    #[cfg(feature = "parallel")]
    fn update_rayon(&self, state: &mut Self::State, piece: &[u8]) {
        self.update(state, piece);
    }

    /// The tag of the message so far, given its pad.
    fn finish(&self, state: &Self::State, pad: u128) -> Tag<N>;

    /// The message, if all of it is still in the state.
    #[inline]
    fn whole(_state: &Self::State) -> Option<&[u8]> {
        None
    }

    /// [`finish`](Self::finish), given where the pad begins: at byte `start` of the encrypted `block`.
    #[inline]
    fn end(&self, state: &Self::State, block: u128, start: usize) -> Tag<N> {
        if let Some(message) = Self::whole(state) {
            return Tag::written(|tag| self.tag(block, start, message, tag));
        }
        // The pad first, so that the processor runs it beside the hash.
        let pad = self.pad(block, start);
        self.finish(state, pad)
    }

    /// Makes the state that of an empty message.
    #[inline]
    fn reset(&self, state: &mut Self::State) {
        *state = self.start();
    }

    /// How the key takes eight messages side by side; `None` if it has no kernels, or only kernels for single messages.
    #[inline]
    fn eights(&self) -> Option<Eights<Self, N>> {
        None
    }

    /// The tags of eight messages or more under the nonces of these blocks. There is one tag for each message.
    #[inline(always)]
    fn tags(&self, blocks: Blocks, messages: &[&[u8]], tags: &mut [Tag<N>]) {
        match self.eights() {
            Some(eights) => in_eights(self, &eights, blocks, messages, tags),
            None => one_by_one(self, blocks, messages, tags),
        }
    }
}

/// How a MAC takes eight messages side by side.
pub struct Eights<H, const N: usize> {
    /// The tags of eight messages, the first of whose pads begins a block; or false if single messages are as fast. A
    /// tag does not depend on the messages beside it.
    #[expect(clippy::type_complexity, reason = "what goes in, and what comes out")]
    pub tags: fn(&H, &Blocks, &[&[u8]; EIGHT], &mut [Tag<N>; EIGHT]) -> bool,
    /// The longest message, in bytes, that gains from others beside it.
    pub longest: usize,
    /// Whether verifying gains as well, although it has to collect the messages.
    pub verifies: bool,
}

/// The probability, over the key, that the hashes of two messages differ by a given value: 2^-`exponent` times a number
/// of coefficients. For most polynomials, that is the number of the message's blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The exponent for one coefficient: 60 means 2^-60.
    pub exponent: u32,
    /// Bytes of a block; 2^64 - 1 if the length of the message does not matter.
    pub block: u64,
    /// Coefficients besides those of the blocks. There is always at least one coefficient.
    pub more: u64,
}

impl Difference {
    /// 2^-`exponent` for messages of any lengths.
    #[must_use]
    pub const fn half_to(exponent: u32) -> Difference {
        Difference { exponent, block: u64::MAX, more: 0 }
    }

    /// The sum for so many attempts with messages of at most `longest` bytes.
    #[must_use]
    pub fn of<P: Probability>(&self, longest: u64, attempts: u128) -> P {
        let coefficients = longest.div_ceil(self.block).saturating_add(self.more).max(1);
        bound::product_over(attempts, coefficients.into(), self.exponent)
    }
}

/// A MAC whose tags are words of streams side by side, so that the first words can be made, and checked, for their share
/// of the hashing.
#[cfg_attr(not(feature = "hazmat"), allow(dead_code, reason = "UMAC of 2000 calls it"))]
pub trait Prefixes<const N: usize>: HashAndPads<N> {
    /// The first `M` bytes of [`tag`](HashAndPads::tag). Callers have checked that these are whole words of the tag.
    fn prefix<const M: usize>(&self, block: u128, start: usize, message: &[u8]) -> Tag<M>;
}

/// [`HashAndPads::tags`] one message at a time, with their pads made together.
fn one_by_one<H: HashAndPads<N>, const N: usize>(
    hash: &H,
    mut blocks: Blocks,
    messages: &[&[u8]],
    tags: &mut [Tag<N>],
) {
    let mut pads = Pads::new();
    for (messages, tags) in messages.chunks(PADS).zip(tags.chunks_mut(PADS)) {
        pads.fill(&blocks, messages.len(), H::PAD_BYTES, |blocks, count| {
            hash.encrypt(blocks, count);
        });
        for (i, (message, tag)) in messages.iter().zip(tags).enumerate() {
            *tag = hash.tag_with_pad(pads.at(i, H::PAD_BYTES), message);
        }
        blocks = blocks.after(PADS, H::PAD_BYTES);
    }
}

/// [`HashAndPads::tags`] eight at a time where that gains, and the others singly.
#[inline(always)]
fn in_eights<H: HashAndPads<N>, const N: usize>(
    hash: &H,
    eights: &Eights<H, N>,
    blocks: Blocks,
    messages: &[&[u8]],
    tags: &mut [Tag<N>],
) {
    // Messages whose pads share a block stay together.
    let head = blocks.before_a_block(H::PAD_BYTES);
    let at = |i| blocks.after(i, H::PAD_BYTES);
    tag_eights(
        messages,
        tags,
        head,
        |i, eight, tags| {
            eight[0].len() <= eights.longest && (eights.tags)(hash, &at(i), eight, tags)
        },
        |i, messages, tags| singly(hash, at(i), messages, tags),
    );
}

/// The tags of messages, each by itself.
#[inline(always)] // the numbers of a run stay in registers
pub(crate) fn singly<H: HashAndPads<N>, const N: usize>(
    hash: &H,
    mut blocks: Blocks,
    messages: &[&[u8]],
    tags: &mut [Tag<N>],
) {
    for (message, tag) in messages.iter().zip(tags) {
        let (block, start) = blocks.next(H::PAD_BYTES);
        hash.tag(block, start, message, tag.place());
    }
}

/// The tag: the first `N` bytes of hash xor pad, both numbers with the first byte lowest.
#[inline]
pub fn with_pad<const N: usize>(hash: u128, pad: u128) -> Tag<N> {
    Tag::from(pads::first_bytes(hash ^ pad))
}
