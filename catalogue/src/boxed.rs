//! What the boxed keys of the entries share.

pub(crate) mod inner;
pub(crate) mod nonce;

use crate::key::NonceError;
use alloc::sync::Arc;
use wegman::hazmat::raw::Nonce;
use wegman::hazmat::wiped::Wiped;
use wegman::{AnyTag, Tag};

/// A boxed key that a stream keeps alive. The boxed types implement how it lends the key inside.
pub(crate) struct Shared<B>(pub(crate) Arc<Wiped<B>>);

impl<B> Clone for Shared<B> {
    fn clone(&self) -> Self {
        Shared(Arc::clone(&self.0))
    }
}

/// How many messages go through `tag_many` at a time. Their tags are on the stack.
pub(crate) const BATCH: usize = 32;

/// Few messages: room for more tags would cost them more than they do.
const FEW: usize = 4;

/// Tags all messages batch by batch, and writes the first `tag_bytes` bytes of each tag.
pub(crate) fn in_batches<const N: usize>(
    messages: &[&[u8]],
    tag_bytes: usize,
    out: &mut [u8],
    mut tag_many: impl FnMut(&[&[u8]], &mut [Tag<N>]) -> Result<(), NonceError>,
) -> Result<(), NonceError> {
    assert_eq!(out.len(), messages.len() * tag_bytes, "one tag for each message");
    let (mut few, mut many);
    let tags: &mut [Tag<N>] = if messages.len() <= FEW {
        few = [Tag::from([0; N]); FEW];
        &mut few
    } else {
        many = [Tag::from([0; N]); BATCH];
        &mut many
    };
    for (messages, out) in messages.chunks(BATCH).zip(out.chunks_mut(BATCH * tag_bytes)) {
        let tags = &mut tags[..messages.len()];
        tag_many(messages, tags)?;
        for (tag, out) in tags.iter().zip(out.chunks_exact_mut(tag_bytes)) {
            write_prefix(&tag.to_bytes(), out);
        }
    }
    Ok(())
}

/// [`in_batches`] under consecutive nonces. `tag_many` receives the first nonce of each batch.
pub(crate) fn in_batches_under<const N: usize>(
    first: &Nonce,
    messages: &[&[u8]],
    out: &mut [u8],
    mut tag_many: impl FnMut(&Nonce, &[&[u8]], &mut [Tag<N>]) -> Result<(), NonceError>,
) -> Result<(), NonceError> {
    // Checked here for all of them, so that no tag is written if there are too few.
    first.advance(messages.len().saturating_sub(1) as u64).ok_or(NonceError::Exhausted)?;
    let mut tagged = 0;
    in_batches(messages, N, out, |messages, tags: &mut [Tag<N>]| {
        let first = first.advance(tagged).ok_or(NonceError::Exhausted)?;
        tagged += messages.len() as u64;
        tag_many(&first, messages, tags)
    })
}

/// The first `tag_bytes` bytes of a tag, of which there are as many.
#[inline]
pub(crate) fn cut<const N: usize>(tag: Tag<N>, tag_bytes: usize) -> AnyTag {
    AnyTag::new(&tag.to_bytes()[..tag_bytes]).expect("no tag is longer than AnyTag::MAX")
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

/// The check of algorithms that take no nonce.
pub(crate) fn not_taken(nonce: Option<&Nonce>) -> Result<(), NonceError> {
    if nonce.is_some() { Err(NonceError::NotTaken) } else { Ok(()) }
}
