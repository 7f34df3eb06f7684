//! [`Prefixed`]: any MAC of the RustCrypto crates in a session.

use super::{PacketMac, key_id};
use crate::bound::{self, BLOCKS_LIMIT, History, Probability};
use crate::tag::{InvalidLength, Tag};
use core::fmt;
use digest::{FixedOutput, KeyInit, Mac, OutputSizeUser, typenum::Unsigned};

/// A MAC without a nonce, with the packet's number in 8 bytes before the message, big-endian. The tag is the first `N` bytes
/// of the MAC's, 4 at least (fewer, or more than it has, do not compile).
///
/// ```
/// use hmac::Hmac;
/// use sha2::Sha256;
/// use wegman::session::{Prefixed, Sender};
///
/// let key = Prefixed::<Hmac<Sha256>, 16>::from_slice(&[7; 32])?;
/// let (number, tag) = Sender::new(key, 1).seal(b"a packet")?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// **Bound.** v / 2^t + 4 s^2 / 2^c, for v attempts on tags of t bits and a MAC whose whole tag has c bits; s is the number of
/// blocks of 16 bytes, or of a whole tag if that is shorter, of messages tagged and tried with their numbers. The second term is that of CMAC (Iwata and Kurosawa, INDOCRYPT 2003)
/// and more than that of HMAC (Bellare, CRYPTO 2006); of BLAKE3, keyed, nothing better than guessing is known. It does not
/// hold for a MAC that is weaker than that, such as one of a plain sum.
#[derive(Clone)]
pub struct Prefixed<M, const N: usize>(M);

impl<M: Mac + FixedOutput + Clone, const N: usize> Prefixed<M, N> {
    const BITS: u32 = 8 * <M as OutputSizeUser>::OutputSize::U32;

    const IS_A_LENGTH: () = assert!(
        N >= 4 && N <= <M as OutputSizeUser>::OutputSize::USIZE,
        "a tag has 4 bytes at least, and no more than the MAC's"
    );

    /// A key from a MAC under its key that has seen no message.
    #[must_use]
    pub fn new(mac: M) -> Self {
        const { Self::IS_A_LENGTH };
        Prefixed(mac)
    }

    /// A key from its bytes.
    ///
    /// # Errors
    /// [`InvalidLength`] if the MAC takes no key of that length.
    pub fn from_slice(secret: &[u8]) -> Result<Self, InvalidLength>
    where
        M: KeyInit,
    {
        <M as KeyInit>::new_from_slice(secret).map(Self::new).map_err(|_| InvalidLength)
    }
}

impl<M: Mac + FixedOutput + Clone, const N: usize> PacketMac for Prefixed<M, N> {
    type Tag = Tag<N>;
    type Ahead = ();
    const LIMIT: u64 = if Self::BITS < 128 { 1 << 16 } else { BLOCKS_LIMIT / 2 };

    fn cost(messages: u64, bytes: u64) -> u64 {
        bound::blocks(messages, bytes, 8, u64::from(Self::BITS / 8).min(16))
    }

    fn forgery<P: Probability>(&self, history: &History) -> P {
        let (_, blocks) = history.seen();
        let guesses = bound::guesses::<P>(history.tried.messages.into(), 8 * N as u32);
        guesses.plus(bound::cmac(blocks, Self::BITS))
    }

    fn key_id(&self) -> [u8; 8] {
        key_id(|sequence, message| self.tag_packet(sequence, message).to_bytes())
    }

    fn tag_packet_parts(&self, sequence: u64, parts: &[&[u8]]) -> Tag<N> {
        let mut mac = self.0.clone();
        Mac::update(&mut mac, &sequence.to_be_bytes());
        parts.iter().for_each(|part| Mac::update(&mut mac, part));
        let whole = mac.finalize_fixed();
        Tag::from(*whole.first_chunk().expect("no longer than the MAC's"))
    }

    fn ahead(&self) {}
}

/// Its keys are wiped if the MAC's crate does it: most have a feature `zeroize`.
#[cfg(feature = "link")]
impl<M: Mac + FixedOutput + KeyInit + Clone, const N: usize> super::LinkKey for Prefixed<M, N> {
    /// No name of the MAC: a link's context should have it.
    const FAMILY: &'static str = "prefixed";
    const KEY_BYTES: usize = M::KeySize::USIZE;
    const NONCE_BYTES: usize = 0;
    const TAG_BYTES: usize = N;

    fn from_secret(secret: &[u8]) -> Self {
        Self::from_slice(secret).expect("a secret of the MAC's length")
    }

    fn tag_bytes(tag: &Tag<N>) -> impl AsRef<[u8]> {
        tag.to_bytes()
    }
}

impl<M, const N: usize> fmt::Debug for Prefixed<M, N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "session::Prefixed<{N}>")
    }
}
