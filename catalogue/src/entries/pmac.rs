//! PMAC over any cipher.

use crate::algorithm::{Algorithm, Bound, Parameters, Source, Status};
use crate::bounds::terms::{CIPHER, forgery as bound, guess};
use crate::bounds::{Forgery, Term, Unbounded, Usage, theorems};
use crate::boxed::cut;
use crate::boxed::inner::{Boxed, Inner, InnerStream, key_methods, stream_methods};
use crate::key::{AnyPmac, Door, Written};
use crate::name::Name;
use core::borrow::Borrow;
use wegman::cipher::Invertible;
use wegman::hazmat::raw::Nonce;
use wegman::pmac::hazmat::{EditError, Segment, SegmentError, SegmentStream, Sum};
use wegman::{AnyTag, Bits, Tag, pmac};

/// PMAC over the cipher `C`, which has blocks of `N` bytes.
pub(crate) const fn entry<C: Invertible, const N: usize>(
    name: &'static str,
    status: Status,
    parameters: Parameters,
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
        door: Door {
            key: |_, asked| {
                let key = || pmac::Key::<C, N>::from_slice_with_cpu(asked.cpu, asked.secret);
                Boxed::made(asked, key)
            },
            kernels: |_, cpu| pmac::Key::<C, N>::kernels(cpu).collect(),
        },
    }
}

/// The bound for a cipher with blocks of `N` bytes.
fn forgery<const N: usize>(_: &str, usage: &Usage) -> Result<Forgery, Unbounded> {
    let block_bits = 8 * N as u32;
    let (seen, bytes) = (usage.seen(), usage.message_bytes);
    let each = bytes.div_ceil(u128::from(block_bits) / 8).max(1);
    let blocks = seen.saturating_mul(each);
    let blocks_meet = Term {
        name: "blocks meet",
        formula: if N == 16 { "(s + 1)^2 / 2^127" } else { "(s + 1)^2 / 2^63" },
        source: "PMAC (EUROCRYPT 2002), Theorem 1",
        probability: theorems::pmac(blocks, block_bits),
    };
    let s = ("s", "blocks of messages tagged and tried", blocks);
    Ok(bound(CIPHER, &[s], &[blocks_meet, guess(usage)]))
}

impl<C: Invertible, const N: usize> Inner<N> for pmac::Key<C, N> {
    const TAKES_NONCES: bool = false;
    const CUTS_TAGS: bool = true;
    type Stream<K: Borrow<Self> + Clone + Send + Sync> = pmac::Stream<K, C, N>;

    key_methods!();

    #[inline(always)]
    fn tag(&self, _: Option<&Nonce>, message: &[u8]) -> Tag<N> {
        self.tag(message)
    }

    #[inline(always)]
    fn tag_into(&self, _: Option<&Nonce>, message: &[u8], out: &mut [u8; N]) {
        self.tag_into(message, out);
    }

    fn tag_many(&self, _: Option<&Nonce>, messages: &[&[u8]], tags: &mut [Tag<N>]) -> Written {
        self.tag_many(messages, tags);
        Ok(())
    }

    fn pmac(key: &Boxed<Self, N>) -> Option<&dyn AnyPmac> {
        Some(key)
    }
}

impl<K, C: Invertible, const N: usize> InnerStream<N> for pmac::Stream<K, C, N>
where
    K: Borrow<pmac::Key<C, N>> + Send,
{
    stream_methods!();

    #[cfg(feature = "every")]
    fn update_rayon(&mut self, piece: &[u8]) {
        self.update_rayon(piece);
    }

    fn peek(&self, _: Option<&Nonce>) -> Tag<N> {
        self.tag()
    }
}

impl<C: Invertible, const N: usize> AnyPmac for Boxed<pmac::Key<C, N>, N> {
    fn tag_bits(&self, message: Bits<'_>) -> AnyTag {
        cut(self.key.tag_bits(message), self.lengths.tag_bytes)
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
        segment.tag(&self.key).map(|tag| cut(tag, self.lengths.tag_bytes))
    }

    fn tag_of_length(&self, segment: &Segment, bits: u64) -> Result<AnyTag, SegmentError> {
        segment.tag_of_length(&self.key, bits).map(|tag| cut(tag, self.lengths.tag_bytes))
    }

    fn sum_from_tag(&self, tag: &AnyTag, bits: u64) -> Result<Sum, EditError> {
        // The key fixes the tag's length, not the tag.
        if self.lengths.tag_bytes != N {
            return Err(EditError::ShortTag);
        }
        let tag = Tag::try_from(tag.to_bytes()).map_err(|_| EditError::ShortTag)?;
        Sum::from_tag(&self.key, &tag, bits)
    }

    fn tag_of_sum(&self, sum: &Sum) -> Result<AnyTag, EditError> {
        sum.tag(&self.key).map(|tag| cut(tag, self.lengths.tag_bytes))
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
