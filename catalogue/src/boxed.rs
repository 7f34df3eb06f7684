//! What the boxed keys of the entries share.

pub(crate) mod inner;
pub(crate) mod nonce;

use crate::key::{NonceError, Written};
use alloc::sync::Arc;
use core::ops::Deref;
use wegman::hazmat::raw::{Nonce, places};
use wegman::hazmat::wiped::Wiped;
use wegman::{AnyTag, Tag, TagMismatch};

/// A boxed key that a stream borrows or keeps alive. One type for both, so that a stream's functions are compiled once.
pub(crate) enum Lent<'k, B> {
    Borrowed(&'k Wiped<B>),
    Shared(Arc<Wiped<B>>),
}

impl<B> Clone for Lent<'_, B> {
    fn clone(&self) -> Self {
        match self {
            Lent::Borrowed(key) => Lent::Borrowed(key),
            Lent::Shared(key) => Lent::Shared(Arc::clone(key)),
        }
    }
}

impl<B> Deref for Lent<'_, B> {
    type Target = B;

    #[inline]
    fn deref(&self) -> &B {
        match self {
            Lent::Borrowed(key) => key,
            Lent::Shared(key) => key,
        }
    }
}

/// How many messages go through `tag_many` at a time if their tags are cut. Their whole tags are on the stack.
pub(crate) const BATCH: usize = 32;

/// Tags messages under consecutive nonces, if there is a first one.
type TagMany<'a, const N: usize> = dyn Fn(Option<&Nonce>, &[&[u8]], &mut [Tag<N>]) -> Written + 'a;

/// Tags all messages, under consecutive nonces if there is a first one, and writes the first `tag_bytes` bytes of each tag:
/// whole tags in their places, others batch by batch. `tag_many` receives the first nonce of what it tags. It is `dyn`: this
/// is compiled for each length of tags, not for each algorithm.
pub(crate) fn in_batches<const N: usize>(
    first: Option<&Nonce>,
    messages: &[&[u8]],
    tag_bytes: usize,
    out: &mut [u8],
    tag_many: &TagMany<'_, N>,
) -> Written {
    assert_eq!(out.len(), messages.len() * tag_bytes, "one tag for each message");
    let mut first = first.copied();
    let after = |first: Option<Nonce>, count| first.map(|first| first.advance(count));
    // Checked here for all of them, so that no tag is written if there are too few.
    if after(first, messages.len().saturating_sub(1) as u64) == Some(None) {
        return Err(NonceError::Exhausted);
    }
    if tag_bytes == N {
        return tag_many(first.as_ref(), messages, places(out));
    }
    let mut tags = [Tag::from([0; N]); BATCH];
    for (messages, out) in messages.chunks(BATCH).zip(out.chunks_mut(BATCH * tag_bytes)) {
        let tags = &mut tags[..messages.len()];
        tag_many(first.as_ref(), messages, tags)?;
        for (tag, out) in tags.iter().zip(out.chunks_exact_mut(tag_bytes)) {
            write_prefix(&tag.to_bytes(), out);
        }
        first = after(first, BATCH as u64).flatten(); // there is none only after the last batch
    }
    Ok(())
}

/// The first `tag_bytes` bytes of a tag, of which there are as many. A whole tag keeps the stores that it was made with.
#[inline]
pub(crate) fn cut<const N: usize>(tag: Tag<N>, tag_bytes: usize) -> AnyTag {
    if tag_bytes == N {
        return tag.into();
    }
    AnyTag::new(&tag.to_bytes()[..tag_bytes]).expect("no tag is longer than AnyTag::MAX")
}

/// Accepts a tag of `tag_bytes` bytes only if the right one begins with it. A whole tag is compared without one of run-time
/// length.
#[inline]
pub(crate) fn accept<const N: usize>(
    tag: &AnyTag,
    right: Tag<N>,
    tag_bytes: usize,
) -> Result<(), TagMismatch> {
    TagMismatch::unless(match Tag::try_from(tag.to_bytes()) {
        Ok(tag) if tag_bytes == N => right == tag,
        _ => cut(right, tag_bytes) == *tag,
    })
}

/// Writes the first bytes of a tag. A whole tag is one or two stores, not a copy of variable length.
#[inline]
pub(crate) fn write_prefix<const N: usize>(tag: &[u8; N], out: &mut [u8]) {
    /// A separate function, or the compiler merges both cases into one copy of variable length.
    #[inline(never)]
    fn write_cut(tag: &[u8], out: &mut [u8]) {
        out.copy_from_slice(&tag[..out.len()]);
    }
    match <&mut [u8; N]>::try_from(&mut *out) {
        Ok(out) => *out = *tag,
        Err(_) => write_cut(tag, out),
    }
}
