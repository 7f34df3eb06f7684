//! Boxed keys of MACs whose nonce is a 64-bit number. By name, they take it as a nonce of 8 bytes, big-endian.

use crate::boxed::{Shared, in_batches_under};
use crate::key::{Absorb, AnyKey, AnyStream, NonceError, SharedStream, VerifyError};
use alloc::boxed::Box;
use alloc::sync::Arc;
use core::borrow::Borrow;
use wegman::hazmat::raw::Nonce;
use wegman::hazmat::wiped::Wiped;
use wegman::{AnyTag, NoncesExhausted, Tag, TagMismatch};

/// The nonce lengths that these keys take.
pub(crate) const LENGTHS: &[usize] = &[8];

/// The methods of a key whose nonce is a number.
pub(crate) trait CounterKey<const N: usize>: Sized + Send + Sync + 'static {
    /// A stream; `K` lends it the key.
    type Stream<K: Borrow<Self> + Clone + Send + Sync>: CounterStream<N> + Clone + Sync;

    fn kernel(&self) -> &'static str;
    fn stream<K: Borrow<Self> + Clone + Send + Sync>(key: K) -> Self::Stream<K>;
    fn tag(&self, number: u64, message: &[u8]) -> Tag<N>;
    fn tag_many(
        &self,
        first: u64,
        messages: &[&[u8]],
        tags: &mut [Tag<N>],
    ) -> Result<(), NoncesExhausted>;
}

/// A stream of such a key.
pub(crate) trait CounterStream<const N: usize>: Send {
    fn update(&mut self, piece: &[u8]);
    /// The tag; the stream starts again.
    fn finish(&mut self, number: u64) -> Tag<N>;
    fn reset(&mut self);
    fn verify(&self, number: u64, tag: &Tag<N>) -> Result<(), TagMismatch>;
}

pub(crate) struct Boxed<K, const N: usize> {
    pub(crate) key: K,
}

impl<K, const N: usize> Borrow<K> for Shared<Boxed<K, N>> {
    fn borrow(&self) -> &K {
        &self.0.key
    }
}

fn number(nonce: Option<&Nonce>) -> Result<u64, NonceError> {
    let nonce = nonce.ok_or(NonceError::Missing)?;
    let bytes = nonce.as_bytes().try_into().map_err(|_| NonceError::Length)?;
    Ok(u64::from_be_bytes(bytes))
}

impl<K: CounterKey<N>, const N: usize> AnyKey for Wiped<Boxed<K, N>> {
    fn kernel(&self) -> &'static str {
        self.key.kernel()
    }

    fn stream(&self) -> Box<dyn AnyStream + '_> {
        Wiped::boxed(|| BoxedStream { stream: K::stream(&self.key) })
    }

    fn shared_stream(self: Arc<Self>) -> Box<dyn SharedStream> {
        Wiped::boxed(|| BoxedStream { stream: K::stream(Shared(self)) })
    }

    fn tag(&self, nonce: Option<&Nonce>, message: &[u8]) -> Result<AnyTag, NonceError> {
        Ok(self.key.tag(number(nonce)?, message).into())
    }

    fn tags(
        &self,
        first: Option<&Nonce>,
        messages: &[&[u8]],
        out: &mut [u8],
    ) -> Result<(), NonceError> {
        number(first)?;
        let first = first.ok_or(NonceError::Missing)?;
        in_batches_under(first, messages, out, |first, messages, tags: &mut [Tag<N>]| {
            Ok(self.key.tag_many(number(Some(first))?, messages, tags)?)
        })
    }
}

struct BoxedStream<S, const N: usize> {
    stream: S,
}

impl<S: CounterStream<N>, const N: usize> Absorb for Wiped<BoxedStream<S, N>> {
    fn update(&mut self, piece: &[u8]) {
        self.stream.update(piece);
    }
}

impl<S: CounterStream<N>, const N: usize> AnyStream for Wiped<BoxedStream<S, N>> {
    fn finish(mut self: Box<Self>, nonce: Option<&Nonce>) -> Result<AnyTag, NonceError> {
        Ok(self.stream.finish(number(nonce)?).into())
    }

    fn verify(&self, nonce: Option<&Nonce>, tag: &AnyTag) -> Result<(), VerifyError> {
        let number = number(nonce)?;
        let tag = Tag::try_from(tag.to_bytes()).map_err(|_| TagMismatch)?;
        Ok(self.stream.verify(number, &tag)?)
    }
}

impl<S, const N: usize> SharedStream for Wiped<BoxedStream<S, N>>
where
    S: CounterStream<N> + Clone + Sync + 'static,
{
    fn copy(&self) -> Box<dyn SharedStream> {
        Wiped::boxed(|| BoxedStream { stream: self.stream.clone() })
    }

    fn reset(&mut self) {
        self.stream.reset();
    }

    fn finish_reset(&mut self, nonce: Option<&Nonce>, out: &mut [u8]) -> Result<(), NonceError> {
        let out: &mut [u8; N] = out.try_into().expect("the key fixes the tag's length");
        *out = self.stream.finish(number(nonce)?).to_bytes();
        Ok(())
    }
}
