//! PMAC over any cipher.

use crate::algorithm::{Algorithm, Bound, Source, Status};
use crate::bounds::terms::{CIPHER, forgery as bound, guess};
use crate::bounds::{Forgery, Term, Unbounded, Usage, theorems};
use crate::boxed::{Shared, cut, in_batches, not_taken, write_prefix};
use crate::key::{Absorb, AnyKey, AnyPmac, AnyStream, Door, NonceError, SharedStream, VerifyError};
use crate::name::Name;
use alloc::boxed::Box;
use alloc::sync::Arc;
use core::borrow::Borrow;
use wegman::cipher::{BlockCipher, Invertible};
use wegman::hazmat::raw::Nonce;
use wegman::hazmat::wiped::Wiped;
use wegman::pmac::hazmat::{EditError, Segment, SegmentError, SegmentStream, Sum};
use wegman::{AnyTag, Bits, Tag, TagMismatch, pmac};

/// PMAC over the cipher `C`, which has blocks of `N` bytes.
pub(crate) const fn entry<C: Invertible, const N: usize>(
    name: &'static str,
    status: Status,
    parameters: &'static [(&'static str, &'static str)],
) -> Algorithm {
    Algorithm {
        name: Name::new(name),
        summary: match status {
            Status::Comparator => "parallel block-cipher MAC without a nonce; to compare with",
            _ => "parallel block-cipher MAC without a nonce; for files, objects and disk images",
        },
        status,
        key_bytes: C::KEY_BYTES,
        other_key_lengths: false,
        nonce_bytes: None,
        tag_bytes: 4..=N,
        parameters,
        bound: Bound {
            statement: if N == 16 {
                "(s + 1)^2 / 2^127 + v / 2^t for s blocks tagged and tried, v forgery attempts, t tag bits"
            } else {
                "(s + 1)^2 / 2^63 + v / 2^t for s blocks tagged and tried, v forgery attempts, t tag bits"
            },
            assumption: "the cipher is a pseudorandom permutation",
            source: "PMAC (EUROCRYPT 2002), Theorem 1",
            forgery: forgery::<N>,
        },
        source: Source { paper: "PMAC (EUROCRYPT 2002)", section: "section 3, Figure 1" },
        door: door::<C, N>(),
    }
}

/// The bound for a cipher with blocks of `N` bytes.
fn forgery<const N: usize>(_: &str, usage: &Usage) -> Result<Forgery, Unbounded> {
    let block_bits = 8 * N as u32;
    let (seen, bytes) = (usage.seen(), usage.message_bytes);
    let each = bytes.div_ceil(u128::from(block_bits) / 8).max(1);
    let blocks = seen.saturating_mul(each);
    let formula = match block_bits {
        128 => "(s + 1)^2 / 2^127",
        64 => "(s + 1)^2 / 2^63",
        _ => "(s + 1)^2 / 2^(n-1)",
    };
    let blocks_meet = Term {
        name: "blocks meet",
        formula,
        source: "PMAC (EUROCRYPT 2002), Theorem 1",
        probability: theorems::pmac(blocks, block_bits),
    };
    let s = ("s", "blocks of messages tagged and tried", blocks);
    Ok(bound(CIPHER, &[s], &[blocks_meet, guess(usage)]))
}

const fn door<C: Invertible, const N: usize>() -> Door {
    Door {
        key: |_, asked| {
            Ok(Wiped::key(|| {
                let key = pmac::Key::from_slice_with_cpu(asked.cpu, asked.secret)?;
                Ok(Pmac::<C, N> { key, tag_bytes: asked.tag_bytes })
            })?)
        },
        kernels: |_, cpu| pmac::Key::<C, N>::kernels(cpu).collect(),
    }
}

/// PMAC with a tag length that is known only at run time. A shorter tag is a prefix of the longest one.
struct Pmac<C: BlockCipher, const N: usize> {
    key: pmac::Key<C, N>,
    tag_bytes: usize,
}

struct PmacStream<K, C: BlockCipher, const N: usize> {
    stream: pmac::Stream<K, C, N>,
    tag_bytes: usize,
}

impl<C: BlockCipher, const N: usize> Borrow<pmac::Key<C, N>> for Shared<Pmac<C, N>> {
    fn borrow(&self) -> &pmac::Key<C, N> {
        &self.0.key
    }
}

impl<C: Invertible, const N: usize> AnyKey for Wiped<Pmac<C, N>> {
    fn kernel(&self) -> &'static str {
        self.key.kernel()
    }

    fn stream(&self) -> Box<dyn AnyStream + '_> {
        Wiped::boxed(|| PmacStream { stream: self.key.stream(), tag_bytes: self.tag_bytes })
    }

    fn shared_stream(self: Arc<Self>) -> Box<dyn SharedStream> {
        let tag_bytes = self.tag_bytes;
        Wiped::boxed(|| PmacStream { stream: pmac::Stream::new(Shared(self)), tag_bytes })
    }

    fn tag(&self, nonce: Option<&Nonce>, message: &[u8]) -> Result<AnyTag, NonceError> {
        not_taken(nonce)?;
        let tag = self.key.tag(message);
        // A whole tag keeps the stores that it was made with.
        Ok(if self.tag_bytes == N { tag.into() } else { self.cut(tag) })
    }

    /// Without a copy through a tag of run-time length.
    fn tag_into(
        &self,
        nonce: Option<&Nonce>,
        message: &[u8],
        out: &mut [u8],
    ) -> Result<(), NonceError> {
        not_taken(nonce)?;
        if self.tag_bytes == N {
            // Checked before the tag is made: afterwards only the place is needed.
            let whole = out.try_into().expect("the key fixes the tag's length");
            self.key.tag_into(message, whole);
        } else {
            assert_eq!(out.len(), self.tag_bytes, "the key fixes the tag's length");
            self.write_cut(message, out);
        }
        Ok(())
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

    fn pmac(&self) -> Option<&dyn AnyPmac> {
        Some(&**self)
    }
}

impl<C: BlockCipher, const N: usize> Pmac<C, N> {
    /// A separate function, so that a whole tag does not pay for its registers.
    #[inline(never)]
    fn write_cut(&self, message: &[u8], out: &mut [u8]) {
        write_prefix(&self.key.tag(message).to_bytes(), out);
    }

    fn cut(&self, tag: Tag<N>) -> AnyTag {
        cut(tag, self.tag_bytes)
    }
}

impl<C: Invertible, const N: usize> AnyPmac for Pmac<C, N> {
    fn tag_bits(&self, message: Bits<'_>) -> AnyTag {
        self.cut(self.key.tag_bits(message))
    }

    fn segment(&self, start: u64, part: Bits<'_>) -> Result<Segment, SegmentError> {
        Segment::new(&self.key, start, part)
    }

    fn segment_stream(&self, start: u64) -> SegmentStream {
        SegmentStream::new(&self.key, start)
    }

    fn update_segment(&self, stream: &mut SegmentStream, piece: &[u8]) {
        stream.update(&self.key, piece);
    }

    #[cfg(feature = "every")]
    fn update_segment_rayon(&self, stream: &mut SegmentStream, piece: &[u8]) {
        stream.update_rayon(&self.key, piece);
    }

    fn segment_of_stream(&self, stream: &SegmentStream) -> Result<Segment, SegmentError> {
        stream.segment(&self.key)
    }

    fn tag_of_segment(&self, segment: &Segment) -> Result<AnyTag, SegmentError> {
        segment.tag(&self.key).map(|tag| self.cut(tag))
    }

    fn tag_of_length(&self, segment: &Segment, bits: u64) -> Result<AnyTag, SegmentError> {
        segment.tag_of_length(&self.key, bits).map(|tag| self.cut(tag))
    }

    fn sum_from_tag(&self, tag: &AnyTag, bits: u64) -> Result<Sum, EditError> {
        // The key fixes the tag's length, not the tag.
        if self.tag_bytes != N {
            return Err(EditError::ShortTag);
        }
        let tag = Tag::try_from(tag.to_bytes()).map_err(|_| EditError::ShortTag)?;
        Sum::from_tag(&self.key, &tag, bits)
    }

    fn tag_of_sum(&self, sum: &Sum) -> Result<AnyTag, EditError> {
        sum.tag(&self.key).map(|tag| self.cut(tag))
    }

    fn replace(&self, sum: &mut Sum, at: u64, new: Bits<'_>, old: &[u8]) -> Result<(), EditError> {
        sum.replace(&self.key, at, new, old)
    }

    fn append(&self, sum: &mut Sum, new: Bits<'_>, old: &[u8]) -> Result<(), EditError> {
        sum.append(&self.key, new, old)
    }

    fn truncate(&self, sum: &mut Sum, bits: u64, old: &[u8]) -> Result<(), EditError> {
        sum.truncate(&self.key, bits, old)
    }
}

impl<K, C: BlockCipher, const N: usize> Absorb for Wiped<PmacStream<K, C, N>>
where
    K: Borrow<pmac::Key<C, N>> + Send,
{
    fn update(&mut self, piece: &[u8]) {
        self.stream.update(piece);
    }

    #[cfg(feature = "every")]
    fn update_rayon(&mut self, piece: &[u8]) {
        self.stream.update_rayon(piece);
    }
}

impl<K, C: BlockCipher, const N: usize> AnyStream for Wiped<PmacStream<K, C, N>>
where
    K: Borrow<pmac::Key<C, N>> + Send,
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

impl<C: Invertible, const N: usize> SharedStream for Wiped<PmacStream<Shared<Pmac<C, N>>, C, N>> {
    fn copy(&self) -> Box<dyn SharedStream> {
        let PmacStream { stream, tag_bytes } = &**self;
        Wiped::boxed(|| PmacStream { stream: stream.clone(), tag_bytes: *tag_bytes })
    }

    fn reset(&mut self) {
        self.stream.reset();
    }

    fn finish_reset(&mut self, nonce: Option<&Nonce>, out: &mut [u8]) -> Result<(), NonceError> {
        not_taken(nonce)?;
        assert_eq!(out.len(), self.tag_bytes, "the key fixes the tag's length");
        write_prefix(&self.stream.finish_reset().to_bytes(), out);
        Ok(())
    }
}
