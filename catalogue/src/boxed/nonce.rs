//! Boxed keys of MACs that consist of a hash and pads.

use crate::boxed::{Shared, in_batches_under};
use crate::key::{Absorb, AnyKey, AnyStream, Asked, Door, NonceError, SharedStream};
use crate::key::{Verified, Written};
use alloc::boxed::Box;
use alloc::sync::Arc;
use core::borrow::Borrow;
use wegman::hazmat::nonce_mac::HashAndPads;
use wegman::hazmat::raw::{self, Nonce};
use wegman::hazmat::wiped::Wiped;
use wegman::nonce_mac::{Key, Stream};
use wegman::{AnyTag, InvalidLength, Tag, TagMismatch};

/// The length in a key's type when the real one is known at run time. All these MACs take it.
const TYPED: usize = 16;

/// The length that nonces usually have, of those a MAC takes: 8 bytes, or 12.
const fn usual(mut lengths: &[usize]) -> usize {
    while let [length, rest @ ..] = lengths {
        if *length == 8 {
            return 8;
        }
        lengths = rest;
    }
    12
}

/// A key, and the length of its nonces. The usual one is in the type: from a constant the pad's block takes fewer
/// instructions.
struct Boxed<H, const N: usize, const USUAL: bool> {
    key: Key<H, N, TYPED>,
    nonce_bytes: usize,
}

/// How to make keys.
pub(crate) const fn door<H: HashAndPads<N>, const N: usize>() -> Door {
    Door {
        key: |_, asked| {
            Ok(if asked.nonce_bytes == const { usual(H::NONCE_BYTES) } {
                Wiped::key(|| Boxed::<H, N, true>::of(asked))?
            } else {
                Wiped::key(|| Boxed::<H, N, false>::of(asked))?
            })
        },
        kernels: |_, cpu| Key::<H, N, TYPED>::kernels(cpu).collect(),
    }
}

#[inline]
pub(crate) fn taken(nonce: Option<&Nonce>, nonce_bytes: usize) -> Result<&Nonce, NonceError> {
    let nonce = nonce.ok_or(NonceError::Missing)?;
    if nonce.len() == nonce_bytes { Ok(nonce) } else { Err(NonceError::Length) }
}

impl<H: HashAndPads<N>, const N: usize, const USUAL: bool> Boxed<H, N, USUAL> {
    fn of(asked: &Asked<'_>) -> Result<Self, InvalidLength> {
        let key = Key::from_slice_with_cpu(asked.cpu, asked.secret)?;
        Ok(Boxed { key, nonce_bytes: asked.nonce_bytes })
    }

    #[inline(always)] // after it the length is known
    fn taken<'n>(&self, nonce: Option<&'n Nonce>) -> Result<&'n Nonce, NonceError> {
        taken(nonce, if USUAL { const { usual(H::NONCE_BYTES) } } else { self.nonce_bytes })
    }
}

impl<H: HashAndPads<N>, const N: usize, const USUAL: bool> AnyKey for Wiped<Boxed<H, N, USUAL>> {
    fn kernel(&self) -> &'static str {
        self.key.kernel()
    }

    fn stream(&self) -> Box<dyn AnyStream + '_> {
        Wiped::boxed(|| BoxedStream { stream: self.key.stream(), nonce_bytes: self.nonce_bytes })
    }

    fn shared_stream(self: Arc<Self>) -> Box<dyn SharedStream> {
        let nonce_bytes = self.nonce_bytes;
        Wiped::boxed(|| BoxedStream { stream: Stream::new(Shared(self)), nonce_bytes })
    }

    fn tag(&self, nonce: Option<&Nonce>, message: &[u8]) -> Result<AnyTag, NonceError> {
        Ok(raw::tag(&self.key, self.taken(nonce)?, message).into())
    }

    /// Without a tag of run-time length.
    fn verify(&self, nonce: Option<&Nonce>, message: &[u8], tag: &AnyTag) -> Verified {
        let right = raw::tag(&self.key, self.taken(nonce)?, message);
        let tag = Tag::try_from(tag.to_bytes()).map_err(|_| TagMismatch)?;
        Ok(TagMismatch::unless(right == tag)?)
    }

    /// Without a copy through a tag of run-time length.
    fn tag_into(&self, nonce: Option<&Nonce>, message: &[u8], out: &mut [u8]) -> Written {
        let out = out.try_into().expect("the key fixes the tag's length");
        raw::tag_into(&self.key, self.taken(nonce)?, message, out);
        Ok(())
    }

    fn tags(&self, first: Option<&Nonce>, messages: &[&[u8]], out: &mut [u8]) -> Written {
        let first = self.taken(first)?;
        in_batches_under(first, messages, out, |first, messages, tags: &mut [Tag<N>]| {
            Ok(raw::tag_many(&self.key, first, messages, tags)?)
        })
    }
}

struct BoxedStream<K, H: HashAndPads<N>, const N: usize> {
    stream: Stream<K, H, N, TYPED>,
    nonce_bytes: usize,
}

impl<H, const N: usize, const USUAL: bool> Borrow<Key<H, N, TYPED>> for Shared<Boxed<H, N, USUAL>> {
    fn borrow(&self) -> &Key<H, N, TYPED> {
        &self.0.key
    }
}

impl<K, H: HashAndPads<N>, const N: usize> Absorb for Wiped<BoxedStream<K, H, N>>
where
    K: Borrow<Key<H, N, TYPED>> + Send,
{
    fn update(&mut self, piece: &[u8]) {
        self.stream.update(piece);
    }

    #[cfg(feature = "every")]
    fn update_rayon(&mut self, piece: &[u8]) {
        self.stream.update_rayon(piece);
    }
}

impl<K, H: HashAndPads<N>, const N: usize> AnyStream for Wiped<BoxedStream<K, H, N>>
where
    K: Borrow<Key<H, N, TYPED>> + Send,
{
    fn finish(self: Box<Self>, nonce: Option<&Nonce>) -> Result<AnyTag, NonceError> {
        Ok(raw::peek(&self.stream, taken(nonce, self.nonce_bytes)?).into())
    }

    fn verify(&self, nonce: Option<&Nonce>, tag: &AnyTag) -> Verified {
        let right = raw::peek(&self.stream, taken(nonce, self.nonce_bytes)?);
        Ok(TagMismatch::unless(*tag == right.into())?)
    }
}

impl<H, const N: usize, const USUAL: bool> SharedStream
    for Wiped<BoxedStream<Shared<Boxed<H, N, USUAL>>, H, N>>
where
    H: HashAndPads<N> + 'static,
{
    fn copy(&self) -> Box<dyn SharedStream> {
        let BoxedStream { stream, nonce_bytes } = &**self;
        Wiped::boxed(|| BoxedStream { stream: stream.clone(), nonce_bytes: *nonce_bytes })
    }

    fn reset(&mut self) {
        self.stream.reset();
    }

    fn finish_reset(&mut self, nonce: Option<&Nonce>, out: &mut [u8]) -> Written {
        let tag = raw::peek(&self.stream, taken(nonce, self.nonce_bytes)?);
        *<&mut [u8; N]>::try_from(out).expect("the key fixes the tag's length") = tag.to_bytes();
        self.stream.reset();
        Ok(())
    }
}
