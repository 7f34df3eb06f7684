//! What the entries of comparators without a nonce share, and those that others use.

use crate::algorithm::{Algorithm, Bound, Parameters, Source, Status};
use crate::boxed::inner::{Boxed, Inner, InnerStream, key_methods, stream_methods};
use crate::key::Door;
use crate::name::Name;
use core::borrow::Borrow;
use core::ops::RangeInclusive;
use wegman::Tag;
use wegman::hazmat::raw::Nonce;
use wegman_yardstick::{Engine, Key, Stream};

/// The entry of an engine whose longest tag has `N` bytes.
pub(crate) const fn comparator<E: Engine, const N: usize>(
    name: &'static str,
    summary: &'static str,
    key_bytes: usize,
    tag_bytes: RangeInclusive<usize>,
    parameters: Parameters,
    bound: Bound,
    source: Source,
) -> Algorithm {
    Algorithm {
        name: Name::new(name),
        summary,
        status: Status::Comparator,
        key_bytes,
        other_key_lengths: false,
        nonce_bytes: None,
        tag_bytes,
        parameters,
        bound,
        source,
        door: Door {
            key: |_, asked| {
                Boxed::made(asked, || Key::<E, N>::from_slice_with_cpu(asked.cpu, asked.secret))
            },
            kernels: |_, cpu| Key::<E, N>::kernels(cpu).collect(),
        },
    }
}

/// The same entry as one that is sound, and here because others use it.
pub(crate) const fn interop(entry: Algorithm) -> Algorithm {
    Algorithm { status: Status::Interop, ..entry }
}

impl<E: Engine, const N: usize> Inner<N> for Key<E, N> {
    const TAKES_NONCES: bool = false;
    const CUTS_TAGS: bool = true;
    type Stream<K: Borrow<Self> + Clone + Send + Sync> = Stream<K, E, N>;

    key_methods!();

    fn tag(&self, _: Option<&Nonce>, message: &[u8]) -> Tag<N> {
        self.tag(message)
    }
}

impl<K: Borrow<Key<E, N>> + Send, E: Engine, const N: usize> InnerStream<N> for Stream<K, E, N> {
    stream_methods!();

    fn peek(&self, _: Option<&Nonce>) -> Tag<N> {
        self.tag()
    }
}
