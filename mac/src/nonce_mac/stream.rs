//! [`Stream`]: a message whose bytes arrive in pieces.

use crate::nonce::{NonceOf, PadInput};
use crate::nonce_mac::{HashAndPads, Key};
use crate::pads;
use crate::tag::{Tag, TagMismatch};
use core::borrow::Borrow;
use core::fmt;

/// A stream: any split of a message into pieces gives the same tag. Wiped on drop.
///
/// `K` is the key or anything that lends it: `&Key`, `Arc<Key>`, `Box<Key>` or the [`Key`] itself. A stream that owns
/// its key or shares it by `Arc` can outlive the function that made it, and move to another thread or task.
///
/// A tag ends a stream, so that a growing message does not get two tags under one nonce:
///
/// ```compile_fail,E0382
/// # use wegman::{NonceOf, umac};
/// # let key = umac::Key::<8>::new(b"sixteen byte key");
/// let mut stream = key.stream();
/// stream.update(b"a message");
/// let tag = stream.finish(NonceOf::counter(1));
/// stream.update(b" and more");
/// ```
#[repr(C)]
#[cfg_attr(target_arch = "x86_64", repr(align(64)))] // what a kernel stores and loads at once lies in one cache line
pub struct Stream<K, H: HashAndPads<N>, const N: usize, const L: usize> {
    state: H::State,
    key: K,
}

impl<K, H, const N: usize, const L: usize> Stream<K, H, N, L>
where
    K: Borrow<Key<H, N, L>>,
    H: HashAndPads<N>,
{
    /// Starts a stream that keeps `key`.
    #[must_use]
    #[inline(always)]
    pub fn new(key: K) -> Self {
        let state = key.borrow().hash_and_pads().start();
        Stream { key, state }
    }

    /// Appends bytes to the message.
    #[inline]
    pub fn update(&mut self, piece: &[u8]) {
        self.key.borrow().hash_and_pads().update(&mut self.state, piece);
    }

    /// Appends everything that `reader` yields, in large pieces, and returns how many bytes that was.
    ///
    /// # Errors
    /// The reader's first error, except [`Interrupted`](std::io::ErrorKind::Interrupted), which is retried. Bytes read
    /// before the error stay appended.
    #[cfg(feature = "std")]
    pub fn update_reader(&mut self, reader: impl std::io::Read) -> std::io::Result<u64> {
        std::io::copy(&mut std::io::BufReader::with_capacity(1 << 16, reader), self)
    }

    /// [`update`](Self::update) on all threads of rayon's current pool, with the same result.
    ///
    /// Use it for pieces of many MiB that are in memory already, on machines where one core cannot use the whole memory
    /// bandwidth; measure. Pieces below 1 MiB stay on this thread, and so do all pieces of a MAC that cannot combine
    /// the work of threads.
    #[cfg(feature = "parallel")]
    pub fn update_rayon(&mut self, piece: &[u8]) {
        self.key.borrow().hash_and_pads().update_rayon(&mut self.state, piece);
    }

    /// The tag of the message. It uses up the stream and the nonce.
    #[inline(always)] // a call would move the stream
    #[expect(clippy::needless_pass_by_value, reason = "a nonce is used once")]
    pub fn finish(self, nonce: NonceOf<L>) -> Tag<N> {
        self.tag_under(&nonce)
    }

    /// As [`finish`](Self::finish); the stream then starts again with an empty message.
    #[inline]
    #[expect(clippy::needless_pass_by_value, reason = "a nonce is used once")]
    pub fn finish_reset(&mut self, nonce: NonceOf<L>) -> Tag<N> {
        let tag = self.tag_under(&nonce);
        self.reset();
        tag
    }

    /// Accepts the message so far only if the tag is right. The stream and the nonce stay as they are.
    ///
    /// # Errors
    /// [`TagMismatch`], without detail, if message, nonce, key and tag do not belong together.
    pub fn verify(&self, nonce: &NonceOf<L>, tag: &Tag<N>) -> Result<(), TagMismatch> {
        TagMismatch::unless(self.tag_under(nonce) == *tag)
    }

    /// Forgets the message so far.
    #[inline]
    pub fn reset(&mut self) {
        self.key.borrow().hash_and_pads().reset(&mut self.state);
    }

    /// The tag of the message so far. A nonce whose length is not in its type has a length that the MAC is defined for.
    #[inline]
    pub(crate) fn tag_under(&self, nonce: &impl PadInput) -> Tag<N> {
        let hash = self.key.borrow().hash_and_pads();
        let (block, start) = pads::block(nonce, H::PAD_BYTES);
        hash.end(&self.state, block, start)
    }
}

#[cfg(feature = "std")]
impl<K, H, const N: usize, const L: usize> std::io::Write for Stream<K, H, N, L>
where
    K: Borrow<Key<H, N, L>>,
    H: HashAndPads<N>,
{
    /// Appends all of `piece`. It never fails.
    fn write(&mut self, piece: &[u8]) -> std::io::Result<usize> {
        self.update(piece);
        Ok(piece.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

// Written out, since a derived `Clone` would require `H: Clone` and `H::State` does not show that it is `Clone`.
impl<K: Clone, H: HashAndPads<N>, const N: usize, const L: usize> Clone for Stream<K, H, N, L> {
    fn clone(&self) -> Self {
        Stream { key: self.key.clone(), state: self.state.clone() }
    }
}

impl<K, H: HashAndPads<N>, const N: usize, const L: usize> fmt::Debug for Stream<K, H, N, L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Stream of {}<{N}, {L}>", H::NAME)
    }
}
