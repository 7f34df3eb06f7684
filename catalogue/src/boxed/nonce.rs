//! What boxed keys need of MACs that consist of a hash and pads.

use crate::boxed::inner::{Boxed, Inner, InnerStream, key_methods, stream_methods};
use crate::key::{Door, Written};
use core::borrow::Borrow;
use wegman::Tag;
use wegman::hazmat::nonce_mac::HashAndPads;
use wegman::hazmat::raw::{self, Nonce};
use wegman::hazmat::wiped::{MOVED, Wiped};
use wegman::nonce_mac::{Key, Stream};

/// The length in a key's type when the real one is known at run time. All these MACs take it.
const TYPED: usize = 16;

pub(crate) const fn door<H: HashAndPads<N>, const N: usize>() -> Door {
    Door {
        key: |_, asked| {
            let lengths = asked.lengths;
            Wiped::key(if H::IN_PLACE { 1 } else { MOVED }, |place| {
                let place = |key| &mut place.put(Boxed { key, lengths }).key;
                raw::put::<H, N, TYPED>(asked.cpu, asked.secret, place);
            })
        },
        kernels: |_, cpu| Key::<H, N, TYPED>::kernels(cpu).collect(),
    }
}

/// The nonce of a MAC that takes one.
#[inline(always)]
pub(crate) fn taken(nonce: Option<&Nonce>) -> &Nonce {
    nonce.expect("the boxed key looks whether there is one")
}

impl<H: HashAndPads<N>, const N: usize> Inner<N> for Key<H, N, TYPED> {
    const TAKES_NONCES: bool = true;
    const CUTS_TAGS: bool = false;
    type Stream<K: Borrow<Self> + Clone + Send + Sync> = Stream<K, H, N, TYPED>;

    key_methods!();

    #[inline(always)]
    fn tag(&self, nonce: Option<&Nonce>, message: &[u8]) -> Tag<N> {
        raw::tag(self, taken(nonce), message)
    }

    #[inline(always)]
    fn tag_into(&self, nonce: Option<&Nonce>, message: &[u8], out: &mut [u8; N]) {
        raw::tag_into(self, taken(nonce), message, out);
    }

    fn tag_many(&self, first: Option<&Nonce>, messages: &[&[u8]], tags: &mut [Tag<N>]) -> Written {
        Ok(raw::tag_many(self, taken(first), messages, tags)?)
    }
}

impl<K, H: HashAndPads<N>, const N: usize> InnerStream<N> for Stream<K, H, N, TYPED>
where
    K: Borrow<Key<H, N, TYPED>> + Send,
{
    stream_methods!();

    #[cfg(feature = "every")]
    fn update_rayon(&mut self, piece: &[u8]) {
        self.update_rayon(piece);
    }

    fn peek(&self, nonce: Option<&Nonce>) -> Tag<N> {
        raw::peek(self, taken(nonce))
    }
}
