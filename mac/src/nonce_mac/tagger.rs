//! [`Tagger`]: tags one message at a time, with pads made ahead of time.

use crate::nonce::{Nonce, NoncesExhausted};
use crate::nonce_mac::{HashAndPads, Key, tag_ahead};
use crate::owner::{OtherProcess, Owner};
use crate::pads::Ahead;
use crate::tag::Tag;
use core::fmt;

/// Tags messages under consecutive nonces, made by [`Key::tagger`].
///
/// A tagger makes the pads of the next 32 nonces at once. On machines with wide AES instructions this takes a fraction
/// of the time of 32 calls. A tagger owns its counter: it counts up before it gives out a tag, and it cannot be cloned.
/// So no nonce is used twice *by this tagger*. In a child that is forked it tags nothing. Two taggers of one key must not use
/// the same nonces: give each its own range.
///
/// ```
/// use wegman::{NonceOf, umac};
///
/// let key = umac::Key::<8>::new(b"sixteen byte key");
/// let mut tagger = key.tagger(NonceOf::counter(1));
/// let (to_send, tag) = tagger.tag(b"a message")?;
/// assert_eq!(to_send, 1u64.to_be_bytes());
/// assert!(key.verify(&to_send.into(), b"a message", &tag).is_ok());
/// # Ok::<(), wegman::nonce_mac::TaggerError>(())
/// ```
pub struct Tagger<'k, H: HashAndPads<N>, const N: usize, const L: usize> {
    key: &'k Key<H, N, L>,
    /// The next message's nonce, if one is left. It has `L` bytes.
    next: Option<Nonce>,
    ahead: Ahead,
    /// Whose nonces these are.
    owner: Owner,
}

impl<'k, H: HashAndPads<N>, const N: usize, const L: usize> Tagger<'k, H, N, L> {
    pub(super) fn new(key: &'k Key<H, N, L>, first: Nonce) -> Self {
        Tagger { key, next: Some(first), ahead: Ahead::new(), owner: Owner::this_process() }
    }

    /// The tag of a message, and the bytes of the nonce it was made with.
    ///
    /// # Errors
    /// [`TaggerError`] after the last nonce of the first one's length, and in a forked child. Nothing is tagged then.
    pub fn tag(&mut self, message: &[u8]) -> Result<([u8; L], Tag<N>), TaggerError> {
        self.owner.check()?;
        let nonce = self.next.ok_or(NoncesExhausted)?;
        self.next = nonce.advance(1);
        let tag = tag_ahead(self.key.hash_and_pads(), &mut self.ahead, &nonce, message);
        Ok((bytes(&nonce), tag))
    }

    /// As [`Key::tag_many`], under the next nonces. Returns the bytes of the first of them.
    ///
    /// # Errors
    /// [`TaggerError`] if fewer nonces are left than there are messages, or none at all, and in a forked child. Then nothing
    /// is tagged.
    ///
    /// # Panics
    /// If `messages` and `tags` differ in length.
    pub fn tag_many(
        &mut self,
        messages: &[&[u8]],
        tags: &mut [Tag<N>],
    ) -> Result<[u8; L], TaggerError> {
        self.owner.check()?;
        let first = self.next.ok_or(NoncesExhausted)?;
        // The nonces are spent before the first tag is made, whatever happens after that.
        let last = first.advance(messages.len().saturating_sub(1) as u64).ok_or(NoncesExhausted)?;
        if !messages.is_empty() {
            self.next = last.advance(1);
            self.ahead.forget();
        }
        self.key.tag_many_raw(&first, messages, tags)?;
        Ok(bytes(&first))
    }

    /// The bytes of the next message's nonce; `None` if none is left.
    #[must_use]
    pub fn next_nonce(&self) -> Option<[u8; L]> {
        self.next.as_ref().map(bytes)
    }
}

/// Why nothing was tagged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TaggerError {
    /// [`NoncesExhausted`].
    Exhausted,
    /// This process was forked since the tagger was made: the nonces are its parent's.
    OtherProcess,
}

impl From<NoncesExhausted> for TaggerError {
    fn from(_: NoncesExhausted) -> TaggerError {
        TaggerError::Exhausted
    }
}

impl From<OtherProcess> for TaggerError {
    fn from(_: OtherProcess) -> TaggerError {
        TaggerError::OtherProcess
    }
}

impl fmt::Display for TaggerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TaggerError::Exhausted => NoncesExhausted.fmt(f),
            TaggerError::OtherProcess => OtherProcess.fmt(f),
        }
    }
}

impl core::error::Error for TaggerError {}

fn bytes<const L: usize>(nonce: &Nonce) -> [u8; L] {
    *nonce.as_bytes().first_chunk().expect("the tagger's nonces have L bytes")
}

impl<H: HashAndPads<N>, const N: usize, const L: usize> fmt::Debug for Tagger<'_, H, N, L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Tagger of {}<{N}, {L}>", H::NAME)
    }
}
