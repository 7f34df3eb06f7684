//! What the entries of comparators without a nonce share, and those that others use.

use crate::algorithm::{Algorithm, Bound, Source, Status};
use crate::boxed::engine;
use crate::name::Name;
use core::ops::RangeInclusive;
use wegman_yardstick::Engine;

/// The parameters of an algorithm, as names and values.
pub(crate) type Parameters = &'static [(&'static str, &'static str)];

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
        door: engine::door::<E, N>(),
    }
}

/// The same entry as one that is sound, and here because others use it.
pub(crate) const fn interop(entry: Algorithm) -> Algorithm {
    Algorithm { status: Status::Interop, ..entry }
}
