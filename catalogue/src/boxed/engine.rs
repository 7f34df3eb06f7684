//! Boxed keys of the comparators without a nonce. A shorter tag is a prefix of the longest one.

use crate::boxed::{Shared, cut, in_batches, not_taken, write_prefix};
use crate::key::{Absorb, AnyKey, AnyStream, Door, NonceError, SharedStream, VerifyError};
use alloc::boxed::Box;
use alloc::sync::Arc;
use core::borrow::Borrow;
use wegman::hazmat::raw::Nonce;
use wegman::hazmat::wiped::Wiped;
use wegman::{AnyTag, Tag, TagMismatch};
use wegman_yardstick::{Engine, Key, Stream};

/// An engine whose tag length is known only at run time.
struct Cut<E: Engine, const N: usize> {
    key: Key<E, N>,
    tag_bytes: usize,
}

struct CutStream<K, E: Engine, const N: usize> {
    stream: Stream<K, E, N>,
    tag_bytes: usize,
}

impl<E: Engine, const N: usize> Borrow<Key<E, N>> for Shared<Cut<E, N>> {
    fn borrow(&self) -> &Key<E, N> {
        &self.0.key
    }
}

/// How to make keys of an engine whose longest tag has `N` bytes.
pub(crate) const fn door<E: Engine, const N: usize>() -> Door {
    Door {
        key: |_, asked| {
            Ok(Wiped::key(|| {
                let key = Key::<E, N>::from_slice_with_cpu(asked.cpu, asked.secret)?;
                Ok(Cut { key, tag_bytes: asked.tag_bytes })
            })?)
        },
        kernels: |_, cpu| Key::<E, N>::kernels(cpu).collect(),
    }
}

impl<E: Engine, const N: usize> AnyKey for Wiped<Cut<E, N>> {
    fn kernel(&self) -> &'static str {
        self.key.kernel()
    }

    fn stream(&self) -> Box<dyn AnyStream + '_> {
        Wiped::boxed(|| CutStream { stream: self.key.stream(), tag_bytes: self.tag_bytes })
    }

    fn shared_stream(self: Arc<Self>) -> Box<dyn SharedStream> {
        let tag_bytes = self.tag_bytes;
        Wiped::boxed(|| CutStream { stream: Stream::new(Shared(self)), tag_bytes })
    }

    fn tag(&self, nonce: Option<&Nonce>, message: &[u8]) -> Result<AnyTag, NonceError> {
        not_taken(nonce)?;
        let mut tag = [Tag::from([0; N])];
        self.key.tag_many(&[message], &mut tag);
        Ok(cut(tag[0], self.tag_bytes))
    }

    fn tags(
        &self,
        first: Option<&Nonce>,
        messages: &[&[u8]],
        out: &mut [u8],
    ) -> Result<(), NonceError> {
        not_taken(first)?;
        in_batches(messages, self.tag_bytes, out, |messages, tags: &mut [Tag<N>]| {
            self.key.tag_many(messages, tags);
            Ok(())
        })
    }
}

impl<K, E: Engine, const N: usize> Absorb for Wiped<CutStream<K, E, N>>
where
    K: Borrow<Key<E, N>> + Send,
{
    fn update(&mut self, piece: &[u8]) {
        self.stream.update(piece);
    }
}

impl<K, E: Engine, const N: usize> AnyStream for Wiped<CutStream<K, E, N>>
where
    K: Borrow<Key<E, N>> + Send,
{
    fn finish(self: Box<Self>, nonce: Option<&Nonce>) -> Result<AnyTag, NonceError> {
        not_taken(nonce)?;
        Ok(cut(self.stream.tag(), self.tag_bytes))
    }

    fn verify(&self, nonce: Option<&Nonce>, tag: &AnyTag) -> Result<(), VerifyError> {
        not_taken(nonce)?;
        Ok(TagMismatch::unless(cut(self.stream.tag(), self.tag_bytes) == *tag)?)
    }
}

impl<E: Engine, const N: usize> SharedStream for Wiped<CutStream<Shared<Cut<E, N>>, E, N>> {
    fn copy(&self) -> Box<dyn SharedStream> {
        let CutStream { stream, tag_bytes } = &**self;
        Wiped::boxed(|| CutStream { stream: stream.clone(), tag_bytes: *tag_bytes })
    }

    fn reset(&mut self) {
        self.stream.reset();
    }

    fn finish_reset(&mut self, nonce: Option<&Nonce>, out: &mut [u8]) -> Result<(), NonceError> {
        not_taken(nonce)?;
        assert_eq!(out.len(), self.tag_bytes, "the key fixes the tag's length");
        write_prefix(&self.stream.tag().to_bytes(), out);
        self.stream.reset();
        Ok(())
    }
}
