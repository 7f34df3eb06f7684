//! Boxed keys of MACs without a nonce, and of those whose nonce is a 64-bit number. A shorter tag is a prefix of the
//! longest one.

use crate::boxed::{Shared, cut, in_batches, not_taken, write_prefix};
use crate::key::{Absorb, AnyKey, AnyPmac, AnyStream, Asked, NonceError, SharedStream};
use crate::key::{Verified, Written};
use alloc::boxed::Box;
use alloc::sync::Arc;
use core::borrow::Borrow;
use wegman::hazmat::raw::Nonce;
use wegman::hazmat::wiped::Wiped;
use wegman::{AnyTag, InvalidLength, Tag, TagMismatch};

/// The nonce lengths of keys whose nonce is a number: big-endian, by name.
pub(crate) const NUMBERS: &[usize] = &[8];

/// What a key takes with each message.
pub(crate) trait Given: Copy {
    fn of(nonce: Option<&Nonce>) -> Result<Self, NonceError>;
    fn advance(self, count: u64) -> Result<Self, NonceError>;
}

impl Given for () {
    #[inline(always)]
    fn of(nonce: Option<&Nonce>) -> Result<(), NonceError> {
        not_taken(nonce)
    }

    fn advance(self, _: u64) -> Result<(), NonceError> {
        Ok(())
    }
}

impl Given for u64 {
    fn of(nonce: Option<&Nonce>) -> Result<u64, NonceError> {
        let nonce = nonce.ok_or(NonceError::Missing)?;
        let bytes = nonce.as_bytes().try_into().map_err(|_| NonceError::Length)?;
        Ok(u64::from_be_bytes(bytes))
    }

    fn advance(self, count: u64) -> Result<u64, NonceError> {
        self.checked_add(count).ok_or(NonceError::Exhausted)
    }
}

/// The methods of such a key.
pub(crate) trait Inner<const N: usize>: Sized + Send + Sync + 'static {
    type Given: Given;
    /// A stream; `K` lends it the key.
    type Stream<K: Borrow<Self> + Clone + Send + Sync>: InnerStream<N, Given = Self::Given>
        + Clone
        + Sync;

    fn kernel(&self) -> &'static str;
    fn stream<K: Borrow<Self> + Clone + Send + Sync>(key: K) -> Self::Stream<K>;
    fn tag(&self, given: Self::Given, message: &[u8]) -> Tag<N>;

    fn tag_into(&self, given: Self::Given, message: &[u8], out: &mut [u8; N]) {
        *out = self.tag(given, message).to_bytes();
    }

    fn tag_many(&self, first: Self::Given, messages: &[&[u8]], tags: &mut [Tag<N>]) -> Written {
        for ((count, message), tag) in (0..).zip(messages).zip(tags) {
            *tag = self.tag(first.advance(count)?, message);
        }
        Ok(())
    }

    fn pmac(_: &Boxed<Self, N>) -> Option<&dyn AnyPmac> {
        None
    }
}

/// A stream of such a key.
pub(crate) trait InnerStream<const N: usize>: Send {
    type Given: Given;
    fn update(&mut self, piece: &[u8]);
    fn update_rayon(&mut self, piece: &[u8]) {
        self.update(piece);
    }
    /// The tag; the stream starts again.
    fn finish(&mut self, given: Self::Given) -> Tag<N>;
    /// Accepts a tag of `tag_bytes` bytes only.
    fn verify(&self, given: Self::Given, tag: &AnyTag, tag_bytes: usize)
    -> Result<(), TagMismatch>;
    fn reset(&mut self);
}

/// A key whose tag length is known only at run time.
pub(crate) struct Boxed<K, const N: usize> {
    pub(crate) key: K,
    pub(crate) tag_bytes: usize,
}

impl<K: Inner<N>, const N: usize> Boxed<K, N> {
    /// A key for tags as long as was asked for. It is made where nothing of it stays on the stack.
    pub(crate) fn made(
        asked: &Asked<'_>,
        make: impl FnOnce() -> Result<K, InvalidLength>,
    ) -> Result<Arc<dyn AnyKey>, InvalidLength> {
        Ok(Wiped::key(|| Ok(Boxed { key: make()?, tag_bytes: asked.tag_bytes }))?)
    }

    /// A separate function, so that a whole tag does not pay for its registers.
    #[inline(never)]
    fn write_cut(&self, given: K::Given, message: &[u8], out: &mut [u8]) {
        write_prefix(&self.key.tag(given, message).to_bytes(), out);
    }
}

impl<K, const N: usize> Borrow<K> for Shared<Boxed<K, N>> {
    fn borrow(&self) -> &K {
        &self.0.key
    }
}

impl<K: Inner<N>, const N: usize> AnyKey for Wiped<Boxed<K, N>> {
    fn kernel(&self) -> &'static str {
        self.key.kernel()
    }

    fn stream(&self) -> Box<dyn AnyStream + '_> {
        Wiped::boxed(|| BoxedStream { stream: K::stream(&self.key), tag_bytes: self.tag_bytes })
    }

    fn shared_stream(self: Arc<Self>) -> Box<dyn SharedStream> {
        let tag_bytes = self.tag_bytes;
        Wiped::boxed(|| BoxedStream { stream: K::stream(Shared(self)), tag_bytes })
    }

    fn tag(&self, nonce: Option<&Nonce>, message: &[u8]) -> Result<AnyTag, NonceError> {
        let tag = self.key.tag(K::Given::of(nonce)?, message);
        // A whole tag keeps the stores that it was made with.
        Ok(if self.tag_bytes == N { tag.into() } else { cut(tag, self.tag_bytes) })
    }

    /// Without a copy through a tag of run-time length.
    fn tag_into(&self, nonce: Option<&Nonce>, message: &[u8], out: &mut [u8]) -> Written {
        let given = K::Given::of(nonce)?;
        if self.tag_bytes == N {
            // Checked before the tag is made: afterwards only the place is needed.
            let whole = out.try_into().expect("the key fixes the tag's length");
            self.key.tag_into(given, message, whole);
        } else {
            assert_eq!(out.len(), self.tag_bytes, "the key fixes the tag's length");
            self.write_cut(given, message, out);
        }
        Ok(())
    }

    fn tags(&self, first: Option<&Nonce>, messages: &[&[u8]], out: &mut [u8]) -> Written {
        let first = K::Given::of(first)?;
        // Checked here for all of them, so that no tag is written if there are too few.
        first.advance(messages.len().saturating_sub(1) as u64)?;
        let mut tagged = 0;
        in_batches(messages, self.tag_bytes, out, |messages, tags: &mut [Tag<N>]| {
            let first = first.advance(tagged)?;
            tagged += messages.len() as u64;
            self.key.tag_many(first, messages, tags)
        })
    }

    fn pmac(&self) -> Option<&dyn AnyPmac> {
        K::pmac(self)
    }
}

struct BoxedStream<S, const N: usize> {
    stream: S,
    tag_bytes: usize,
}

impl<S: InnerStream<N>, const N: usize> Absorb for Wiped<BoxedStream<S, N>> {
    fn update(&mut self, piece: &[u8]) {
        self.stream.update(piece);
    }

    fn update_rayon(&mut self, piece: &[u8]) {
        self.stream.update_rayon(piece);
    }
}

impl<S: InnerStream<N>, const N: usize> AnyStream for Wiped<BoxedStream<S, N>> {
    fn finish(mut self: Box<Self>, nonce: Option<&Nonce>) -> Result<AnyTag, NonceError> {
        Ok(cut(self.stream.finish(S::Given::of(nonce)?), self.tag_bytes))
    }

    fn verify(&self, nonce: Option<&Nonce>, tag: &AnyTag) -> Verified {
        Ok(self.stream.verify(S::Given::of(nonce)?, tag, self.tag_bytes)?)
    }
}

impl<S, const N: usize> SharedStream for Wiped<BoxedStream<S, N>>
where
    S: InnerStream<N> + Clone + Sync + 'static,
{
    fn copy(&self) -> Box<dyn SharedStream> {
        let BoxedStream { stream, tag_bytes } = &**self;
        Wiped::boxed(|| BoxedStream { stream: stream.clone(), tag_bytes: *tag_bytes })
    }

    fn reset(&mut self) {
        self.stream.reset();
    }

    fn finish_reset(&mut self, nonce: Option<&Nonce>, out: &mut [u8]) -> Written {
        let given = S::Given::of(nonce)?;
        assert_eq!(out.len(), self.tag_bytes, "the key fixes the tag's length");
        write_prefix(&self.stream.finish(given).to_bytes(), out);
        Ok(())
    }
}
