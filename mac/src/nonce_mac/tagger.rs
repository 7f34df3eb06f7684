//! [`Tagger`]: tags one message at a time, with pads made ahead of time.

use crate::nonce::{NonceKind, NoncesExhausted};
use crate::nonce_mac::{HashAndPads, Key, tag_ahead};
use crate::pads::Ahead;
use crate::tag::Tag;
use core::fmt;

/// Tags messages under consecutive nonces, made by [`Key::tagger`].
///
/// A tagger makes the pads of the next 32 nonces at once. On machines with wide AES instructions this takes a fraction
/// of the time of 32 calls. A tagger owns its counter: it counts up before it gives out a tag, and it cannot be cloned.
/// So no nonce is used twice *by this tagger*. Two taggers of one key must not use the same nonces: give each its own
/// range.
///
/// ```
/// use wegman::{Nonce, umac};
///
/// let key = umac::Key::<8>::new(b"sixteen byte key");
/// let mut tagger = key.tagger(Nonce::counter(1));
/// let (nonce, tag) = tagger.tag(b"a message")?;
/// assert_eq!(nonce, Nonce::counter(1));
/// assert!(key.verify(&nonce, b"a message", &tag).is_ok());
/// # Ok::<(), wegman::NoncesExhausted>(())
/// ```
pub struct Tagger<'k, H: HashAndPads<N>, const N: usize> {
    key: &'k Key<H, N>,
    /// The next message's nonce, if one is left.
    next: Option<H::Nonce>,
    ahead: Ahead,
}

impl<'k, H: HashAndPads<N>, const N: usize> Tagger<'k, H, N> {
    pub(super) fn new(key: &'k Key<H, N>, first: H::Nonce) -> Self {
        Tagger { key, next: Some(first), ahead: Ahead::new() }
    }

    /// The tag of a message and the nonce it was made with.
    ///
    /// # Errors
    /// [`NoncesExhausted`] after the last nonce of the first one's length. Nothing is tagged then.
    pub fn tag(&mut self, message: &[u8]) -> Result<(H::Nonce, Tag<N>), NoncesExhausted> {
        let nonce = self.next.ok_or(NoncesExhausted)?;
        self.next = nonce.advance(1);
        Ok((nonce, tag_ahead(self.key.hash_and_pads(), &mut self.ahead, &nonce.into(), message)))
    }

    /// As [`Key::tag_many`], under the next nonces. Returns the first of them.
    ///
    /// # Errors
    /// [`NoncesExhausted`] if fewer nonces are left than there are messages. Then nothing is tagged.
    ///
    /// # Panics
    /// If `messages` and `tags` differ in length.
    pub fn tag_many(
        &mut self,
        messages: &[&[u8]],
        tags: &mut [Tag<N>],
    ) -> Result<H::Nonce, NoncesExhausted> {
        let first = self.next.ok_or(NoncesExhausted)?;
        // The nonces are spent before the first tag is made, whatever happens after that.
        let last = first.advance(messages.len().saturating_sub(1) as u64).ok_or(NoncesExhausted)?;
        if !messages.is_empty() {
            self.next = last.advance(1);
            self.ahead.forget();
        }
        self.key.tag_many(&first, messages, tags)?;
        Ok(first)
    }

    /// The nonce of the next message; `None` if none is left.
    #[must_use]
    pub fn next_nonce(&self) -> Option<H::Nonce> {
        self.next
    }
}

impl<H: HashAndPads<N>, const N: usize> fmt::Debug for Tagger<'_, H, N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}::Tagger<{N}>", H::NAME)
    }
}
