//! Boxed keys. A tag that is shorter than the longest of its algorithm is a prefix of that.

use crate::boxed::{Lent, accept, cut, in_batches, write_prefix};
use crate::key::{Absorb, AnyKey, AnyPmac, AnyStream, Asked, Lengths, NonceError, SharedStream};
use crate::key::{Verified, Written};
use alloc::boxed::Box;
use alloc::sync::Arc;
use core::borrow::Borrow;
use wegman::hazmat::raw::Nonce;
use wegman::hazmat::wiped::{MOVED, Wiped};
use wegman::{AnyTag, InvalidLength, Tag};

/// The nonce lengths of keys whose nonce is a number: big-endian, by name.
pub(crate) const NUMBERS: &[usize] = &[8];

/// The nonce of such a key.
pub(crate) fn number(nonce: Option<&Nonce>) -> u64 {
    let bytes = nonce.and_then(|nonce| nonce.as_bytes().first_chunk());
    u64::from_be_bytes(*bytes.expect("the boxed key looks whether there are 8 bytes"))
}

/// The methods of a key in the box. It has a nonce, of the length that was asked for, if the algorithm takes one; else none.
pub(crate) trait Inner<const N: usize>: Sized + Send + Sync + 'static {
    const TAKES_NONCES: bool;
    /// Whether a key may be asked for shorter tags.
    const CUTS_TAGS: bool;
    /// A stream; `K` lends it the key.
    type Stream<K: Borrow<Self> + Clone + Send + Sync>: InnerStream<N> + Clone + Sync;

    fn kernel(&self) -> &'static str;
    fn stream<K: Borrow<Self> + Clone + Send + Sync>(key: K) -> Self::Stream<K>;
    fn tag(&self, nonce: Option<&Nonce>, message: &[u8]) -> Tag<N>;

    fn tag_into(&self, nonce: Option<&Nonce>, message: &[u8], out: &mut [u8; N]) {
        *out = self.tag(nonce, message).to_bytes();
    }

    /// The tags under consecutive nonces, of which there are enough.
    fn tag_many(&self, first: Option<&Nonce>, messages: &[&[u8]], tags: &mut [Tag<N>]) -> Written {
        let mut nonce = first.copied();
        for (message, tag) in messages.iter().zip(tags) {
            *tag = self.tag(nonce.as_ref(), message);
            nonce = nonce.and_then(Nonce::next); // there is none only after the last message
        }
        Ok(())
    }

    fn pmac(_: &Boxed<Self, N>) -> Option<&dyn AnyPmac> {
        None
    }
}

/// A stream of such a key.
pub(crate) trait InnerStream<const N: usize>: Send {
    fn update(&mut self, piece: &[u8]);
    fn update_rayon(&mut self, piece: &[u8]) {
        self.update(piece);
    }
    /// The tag of the message so far.
    fn peek(&self, nonce: Option<&Nonce>) -> Tag<N>;
    fn reset(&mut self);
    /// The tag; the stream starts again.
    fn finish(&mut self, nonce: Option<&Nonce>) -> Tag<N> {
        let tag = self.peek(nonce);
        self.reset();
        tag
    }
}

/// The methods of [`Inner`] that every key has by itself, too.
macro_rules! key_methods {
    () => {
        fn kernel(&self) -> &'static str {
            self.kernel()
        }

        fn stream<K: Borrow<Self> + Clone + Send + Sync>(key: K) -> Self::Stream<K> {
            <Self::Stream<K>>::new(key)
        }
    };
}

/// The methods of [`InnerStream`] that every stream has by itself, too.
macro_rules! stream_methods {
    () => {
        fn update(&mut self, piece: &[u8]) {
            self.update(piece);
        }

        fn reset(&mut self) {
            self.reset();
        }
    };
}
pub(crate) use {key_methods, stream_methods};

/// A key, and what it was asked for.
pub(crate) struct Boxed<K, const N: usize> {
    pub(crate) key: K,
    pub(crate) lengths: Lengths,
}

impl Lengths {
    /// The nonce of a message, or what is wrong with it.
    #[inline(always)]
    fn check<'n, K: Inner<N>, const N: usize>(
        &self,
        nonce: Option<&'n Nonce>,
    ) -> Result<Option<&'n Nonce>, NonceError> {
        match nonce {
            Some(_) if !K::TAKES_NONCES => Err(NonceError::NotTaken),
            Some(taken) if taken.len() != self.nonce_bytes => Err(NonceError::Length),
            None if K::TAKES_NONCES => Err(NonceError::Missing),
            _ => Ok(nonce),
        }
    }
}

impl<K: Inner<N>, const N: usize> Boxed<K, N> {
    /// A key for tags and nonces as long as was asked for. It is made where nothing of it stays on the stack.
    pub(crate) fn made(
        asked: &Asked<'_>,
        make: impl FnOnce() -> Result<K, InvalidLength>,
    ) -> Arc<dyn AnyKey> {
        Self::shared(asked.lengths, || make().expect("the entry takes secrets of this length"))
    }

    /// A key that is made in any way.
    pub(crate) fn shared(lengths: Lengths, make: impl FnOnce() -> K) -> Arc<dyn AnyKey> {
        Wiped::key(MOVED, |place| {
            place.put(Boxed { key: make(), lengths });
        })
    }

    /// A separate function, so that a whole tag does not pay for its registers.
    #[inline(never)]
    fn write_cut(&self, nonce: Option<&Nonce>, message: &[u8], out: &mut [u8]) {
        write_prefix(&self.key.tag(nonce, message).to_bytes(), out);
    }

    fn start(key: Lent<'_, Self>) -> Box<Wiped<BoxedStream<'_, K, N>>> {
        let lengths = key.lengths;
        Wiped::boxed(|| BoxedStream { stream: K::stream(key), lengths })
    }
}

impl<K, const N: usize> Borrow<K> for Lent<'_, Boxed<K, N>> {
    #[inline]
    fn borrow(&self) -> &K {
        &self.key
    }
}

impl<K: Inner<N>, const N: usize> AnyKey for Wiped<Boxed<K, N>> {
    fn kernel(&self) -> &'static str {
        self.key.kernel()
    }

    fn stream(&self) -> Box<dyn AnyStream + '_> {
        Boxed::start(Lent::Borrowed(self))
    }

    fn shared_stream(self: Arc<Self>) -> Box<dyn SharedStream> {
        Boxed::start(Lent::Shared(self))
    }

    fn tag(&self, nonce: Option<&Nonce>, message: &[u8]) -> Result<AnyTag, NonceError> {
        let tag = self.key.tag(self.lengths.check::<K, N>(nonce)?, message);
        Ok(cut(tag, self.lengths.tag_bytes))
    }

    fn verify(&self, nonce: Option<&Nonce>, message: &[u8], tag: &AnyTag) -> Verified {
        let right = self.key.tag(self.lengths.check::<K, N>(nonce)?, message);
        Ok(accept(tag, right, self.lengths.tag_bytes)?)
    }

    /// Without a copy through a tag of run-time length.
    fn tag_into(&self, nonce: Option<&Nonce>, message: &[u8], out: &mut [u8]) -> Written {
        let nonce = self.lengths.check::<K, N>(nonce)?;
        if !K::CUTS_TAGS || self.lengths.tag_bytes == N {
            // Checked before the tag is made: afterwards only the place is needed.
            let whole = out.try_into().expect("the key fixes the tag's length");
            self.key.tag_into(nonce, message, whole);
        } else {
            assert_eq!(out.len(), self.lengths.tag_bytes, "the key fixes the tag's length");
            self.write_cut(nonce, message, out);
        }
        Ok(())
    }

    fn tags(&self, first: Option<&Nonce>, messages: &[&[u8]], out: &mut [u8]) -> Written {
        let first = self.lengths.check::<K, N>(first)?;
        in_batches(first, messages, self.lengths.tag_bytes, out, &|first, messages, tags| {
            self.key.tag_many(first, messages, tags)
        })
    }

    fn pmac(&self) -> Option<&dyn AnyPmac> {
        K::pmac(self)
    }
}

struct BoxedStream<'k, K: Inner<N>, const N: usize> {
    stream: K::Stream<Lent<'k, Boxed<K, N>>>,
    lengths: Lengths,
}

impl<K: Inner<N>, const N: usize> Absorb for Wiped<BoxedStream<'_, K, N>> {
    fn update(&mut self, piece: &[u8]) {
        self.stream.update(piece);
    }

    fn update_rayon(&mut self, piece: &[u8]) {
        self.stream.update_rayon(piece);
    }
}

impl<K: Inner<N>, const N: usize> AnyStream for Wiped<BoxedStream<'_, K, N>> {
    fn finish(mut self: Box<Self>, nonce: Option<&Nonce>) -> Result<AnyTag, NonceError> {
        let nonce = self.lengths.check::<K, N>(nonce)?;
        Ok(cut(self.stream.finish(nonce), self.lengths.tag_bytes))
    }

    fn verify(&self, nonce: Option<&Nonce>, tag: &AnyTag) -> Verified {
        let nonce = self.lengths.check::<K, N>(nonce)?;
        Ok(accept(tag, self.stream.peek(nonce), self.lengths.tag_bytes)?)
    }
}

impl<K: Inner<N>, const N: usize> SharedStream for Wiped<BoxedStream<'static, K, N>> {
    fn copy(&self) -> Box<dyn SharedStream> {
        let BoxedStream::<K, N> { stream, lengths } = &**self;
        Wiped::boxed(|| BoxedStream::<K, N> { stream: stream.clone(), lengths: *lengths })
    }

    fn reset(&mut self) {
        self.stream.reset();
    }

    fn finish_reset(&mut self, nonce: Option<&Nonce>, out: &mut [u8]) -> Written {
        let nonce = self.lengths.check::<K, N>(nonce)?;
        assert_eq!(out.len(), self.lengths.tag_bytes, "the key fixes the tag's length");
        write_prefix(&self.stream.finish(nonce).to_bytes(), out);
        Ok(())
    }
}
