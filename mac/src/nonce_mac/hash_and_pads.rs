//! The traits of a MAC that is a hash and its pads: [`HashAndPads`], [`Prefixes`]. They are public by the feature
//! `hazmat` alone.

use crate::batch::EIGHT;
use crate::cpu::Cpu;
use crate::nonce::Nonce;
use crate::pads::{self, Ahead, PADS};
use crate::tag::{InvalidLength, Tag};
use zeroize::ZeroizeOnDrop;

/// The parts of a MAC with a nonce: a hash under its keys, and the pads that encrypt it. Tags have `N` bytes.
///
/// A pad is a number whose lowest byte is the pad's first byte. Bits above the pad's last byte are unspecified.
///
/// Implementing this trait defines a MAC. The trait is exempt from semver; the feature `hazmat` has the parts that an
/// implementation needs.
pub trait HashAndPads<const N: usize>: Clone + Send + Sync + ZeroizeOnDrop + 'static {
    /// The module that has the MAC's keys, for example `umac`.
    const NAME: &'static str;

    /// Length of a pad in bytes: `N` if neighbouring nonces share a cipher block (4 and 8 bytes), else up to 16.
    const PAD_BYTES: usize;

    /// The bound on one forgery attempt, as an exponent: 60 means a probability of 2^-60 or slightly more.
    const ATTEMPT_EXPONENT: u32;

    /// The nonce lengths that the MAC is defined for, in bytes, in ascending order.
    const NONCE_BYTES: &'static [usize];

    /// The secret as an array, for example `[u8; 16]`.
    type Secret: AsRef<[u8]>;

    /// The state of a stream. It wipes itself on drop.
    type State: Clone + Send + Sync;

    /// Working memory for batches, kept from one run of messages to the next.
    type Room: Default;

    /// Derives all keys from a uniformly random secret.
    ///
    /// # Errors
    /// [`InvalidLength`] if the secret does not have the length of [`Secret`](Self::Secret).
    fn from_slice(cpu: Cpu, secret: &[u8]) -> Result<Self, InvalidLength>;

    /// The name of the kernel that this key uses.
    fn kernel(&self) -> &'static str;

    /// Every kernel that this machine can run: its name, and the `Cpu` with which a key chooses it.
    fn kernels(cpu: Cpu) -> impl Iterator<Item = (&'static str, Cpu)>;

    /// The pad that begins at byte `start` of the encrypted `block`.
    fn pad(&self, block: u128, start: usize) -> u128;

    /// Encrypts at least the first `count` blocks. Blocks after those are unspecified.
    fn encrypt(&self, blocks: &mut [u64; 2 * PADS], count: usize);

    /// The tag of a message whose pad begins at byte `start` of the encrypted `block`.
    fn tag(&self, block: u128, start: usize, message: &[u8]) -> Tag<N>;

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

    /// The tags of messages under consecutive nonces. Callers have checked that there are enough nonces, and that there
    /// is one tag for each message.
    fn tag_run(
        &self,
        _room: &mut Self::Room,
        first: &Nonce,
        messages: &[&[u8]],
        tags: &mut [Tag<N>],
    ) {
        one_by_one(self, first, messages, tags);
    }

    /// Wipes what a batch left in its working memory: the right tags of forgeries are secret.
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

/// [`HashAndPads::tag_run`] one message at a time, with pads made ahead if the messages are enough to use them.
pub fn one_by_one<H: HashAndPads<N>, const N: usize>(
    hash: &H,
    first: &Nonce,
    messages: &[&[u8]],
    tags: &mut [Tag<N>],
) {
    if messages.len() < EIGHT {
        for ((count, message), tag) in (0..).zip(messages).zip(tags) {
            let (block, start) = pads::block(&nth(first, count), H::PAD_BYTES);
            *tag = hash.tag(block, start, message);
        }
        return;
    }
    let mut ahead = Ahead::new();
    for ((count, message), tag) in (0..).zip(messages).zip(tags) {
        let nonce = nth(first, count);
        *tag = tag_ahead(hash, &mut ahead, &nonce, message);
    }
}

/// The nonce `count` places after the first.
///
/// # Panics
/// If there is no such nonce. Callers have checked that there is; a panic is better than a nonce used twice.
#[inline]
pub fn nth(first: &Nonce, count: usize) -> Nonce {
    first.advance(count as u64).expect("there are as many nonces as messages")
}

/// The tag of a message under the next nonce of `ahead`.
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

/// The tag: the first `N` bytes of hash xor pad, both numbers with the first byte lowest.
#[inline]
pub fn padded<const N: usize>(hash: u128, pad: u128) -> Tag<N> {
    Tag::from(pads::first_bytes(hash ^ pad))
}
