//! Boxed keys of MACs that consist of a hash and pads.

use crate::boxed::in_batches_under;
use crate::key::{AnyKey, AnyStream, Door, NonceError};
use alloc::boxed::Box;
use core::marker::PhantomData;
use wegman::hazmat::nonce_mac::HashAndPads;
use wegman::hazmat::raw;
use wegman::nonce_mac::{Key, Stream};
use wegman::{AnyTag, Nonce, Tag};

/// The nonce lengths that a boxed key takes.
pub(crate) trait Lengths: Send + Sync + 'static {
    /// The lengths in ascending order.
    const ALL: &'static [usize];

    /// Whether `bytes` is one of the lengths.
    fn take(bytes: usize) -> bool;
}

/// Every length of a [`Nonce`].
pub(crate) struct Any;

impl Lengths for Any {
    const ALL: &'static [usize] = &[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16];

    #[inline]
    fn take(_: usize) -> bool {
        true
    }
}

/// 12 and 16 bytes. The type of a typed key fixes one of them; this key takes either at each call.
pub(crate) struct TwelveOrSixteen;

impl Lengths for TwelveOrSixteen {
    const ALL: &'static [usize] = &[12, 16];

    #[inline]
    fn take(bytes: usize) -> bool {
        matches!(bytes, 12 | 16)
    }
}

/// A key, and the lengths of its nonces.
pub(crate) struct Boxed<H, const N: usize, L>(Key<H, N>, PhantomData<L>);

/// How to make keys.
pub(crate) const fn door<H: HashAndPads<N>, const N: usize, L: Lengths>() -> Door {
    Door {
        key: |_, cpu, secret, _| {
            Ok(Box::new(Boxed::<H, N, L>(Key::from_slice(cpu, secret)?, PhantomData)))
        },
        kernels: |_, cpu| Key::<H, N>::kernels(cpu).collect(),
    }
}

/// Boxes an existing key, for nonces of any length.
pub(crate) fn boxed<H: HashAndPads<N>, const N: usize>(key: Key<H, N>) -> Box<dyn AnyKey> {
    Box::new(Boxed::<H, N, Any>(key, PhantomData))
}

#[inline]
fn taken<L: Lengths>(nonce: Option<&Nonce>) -> Result<&Nonce, NonceError> {
    let nonce = nonce.ok_or(NonceError::Missing)?;
    if L::take(nonce.len()) { Ok(nonce) } else { Err(NonceError::Length) }
}

impl<H: HashAndPads<N>, const N: usize, L: Lengths> AnyKey for Boxed<H, N, L> {
    fn kernel(&self) -> &'static str {
        self.0.kernel()
    }

    fn stream(&self) -> Box<dyn AnyStream + '_> {
        Box::new(BoxedStream::<H, N, L>(self.0.stream(), PhantomData))
    }

    fn tag(&self, nonce: Option<&Nonce>, message: &[u8]) -> Result<AnyTag, NonceError> {
        Ok(raw::tag(&self.0, taken::<L>(nonce)?, message).into())
    }

    /// Without a copy through a tag of run-time length.
    fn tag_into(
        &self,
        nonce: Option<&Nonce>,
        message: &[u8],
        out: &mut [u8],
    ) -> Result<(), NonceError> {
        let tag = raw::tag(&self.0, taken::<L>(nonce)?, message);
        out.copy_from_slice(&tag.to_bytes());
        Ok(())
    }

    fn tags(
        &self,
        first: Option<&Nonce>,
        messages: &[&[u8]],
        out: &mut [u8],
    ) -> Result<(), NonceError> {
        in_batches_under(
            taken::<L>(first)?,
            messages,
            out,
            |first, messages, tags: &mut [Tag<N>]| {
                Ok(raw::tag_many(&self.0, first, messages, tags)?)
            },
        )
    }
}

struct BoxedStream<'k, H: HashAndPads<N>, const N: usize, L>(Stream<'k, H, N>, PhantomData<L>);

impl<H: HashAndPads<N>, const N: usize, L: Lengths> AnyStream for BoxedStream<'_, H, N, L> {
    fn update(&mut self, piece: &[u8]) {
        self.0.update(piece);
    }

    fn update_rayon(&mut self, piece: &[u8]) {
        self.0.update_rayon(piece);
    }

    fn tag(&self, nonce: Option<&Nonce>) -> Result<AnyTag, NonceError> {
        Ok(raw::stream_tag(&self.0, taken::<L>(nonce)?).into())
    }
}
