//! Keys, streams and tags of any registered algorithm behind one boxed type (feature `alloc`): for
//! front doors that learn the algorithm's name at run time. Where it is known, its own types are
//! safer: there a forgotten nonce or a tag of another length does not compile.

use super::Algorithm;
use crate::bits::Bits;
use crate::cipher::{BlockCipher, Invertible};
use crate::cpu::Cpu;
use crate::nonce::{Nonce, NoncesExhausted};
use crate::pmac::hazmat::{EditError, Segment, SegmentError, Sum};
use crate::tag::{InvalidLength, Tag, equal};
#[cfg(feature = "yardstick")]
use crate::umac_1999;
use crate::{carter, pmac, umac, umac_2000, umac16};
use alloc::boxed::Box;
use alloc::vec::Vec;
use core::fmt;

/// A key of any algorithm. Share it: making one is the costly part.
pub trait AnyKey: Send + Sync {
    /// The name of the kernel this key uses.
    fn kernel(&self) -> &'static str;

    /// A message whose bytes arrive in pieces.
    fn stream(&self) -> Box<dyn AnyStream + '_>;

    /// The tag of a message.
    ///
    /// # Errors
    /// [`NonceError`] if the algorithm needs a nonce and there is none, or the other way round.
    fn tag(&self, nonce: Option<&Nonce>, message: &[u8]) -> Result<AnyTag, NonceError>;

    /// Writes the tag of a message to `out`: [`tag`](Self::tag) for callers who count cycles.
    ///
    /// # Errors
    /// [`NonceError`] if the algorithm needs a nonce and there is none, or the other way round.
    ///
    /// # Panics
    /// If `out` is not as long as a tag of this key.
    fn tag_into(
        &self,
        nonce: Option<&Nonce>,
        message: &[u8],
        out: &mut [u8],
    ) -> Result<(), NonceError>;

    /// Writes the tags of messages to `out`, one after another; under consecutive nonces that begin
    /// with `first`, if the algorithm takes one.
    ///
    /// # Errors
    /// [`NonceError`] if the algorithm needs a nonce and there is none, or the other way round, or
    /// if `first` has fewer nonces from it on than there are messages; then no tag is written.
    ///
    /// # Panics
    /// If `out` does not have exactly one tag's length for each message.
    fn tags(
        &self,
        first: Option<&Nonce>,
        messages: &[&[u8]],
        out: &mut [u8],
    ) -> Result<(), NonceError>;

    /// What PMAC can beyond tags; `None` of other algorithms.
    fn pmac(&self) -> Option<&dyn AnyPmac> {
        None
    }
}

/// A key of PMAC over any cipher: messages that do not end with a whole byte, and the sharp tools of
/// [`pmac::hazmat`]. Segments and sums are as secret as the key.
pub trait AnyPmac {
    /// The tag of a message of any number of bits.
    fn tag_bits(&self, message: Bits<'_>) -> AnyTag;

    /// Sums a part of a message before which there are `start` whole blocks: [`Segment::new`].
    ///
    /// # Errors
    /// [`SegmentError::TooLong`] if the part would end after bit 2^64 - 1 of the message.
    fn segment(&self, start: u64, part: Bits<'_>) -> Result<Segment, SegmentError>;

    /// The tag of the message that a segment is all of: [`Segment::tag`].
    ///
    /// # Errors
    /// [`SegmentError`] if it does not begin with the message, or is of another key.
    fn tag_of_segment(&self, segment: &Segment) -> Result<AnyTag, SegmentError>;

    /// The sum of a message of `bits` bits from its tag alone: [`Sum::from_tag`].
    ///
    /// # Errors
    /// [`EditError::ShortTag`] if the key's tags are shorter than a block.
    fn sum_from_tag(&self, tag: &AnyTag, bits: u64) -> Result<Sum, EditError>;

    /// The tag of the message as it is now: [`Sum::tag`].
    ///
    /// # Errors
    /// [`EditError::Key`] if the sum is of another key.
    fn tag_of_sum(&self, sum: &Sum) -> Result<AnyTag, EditError>;

    /// [`Sum::replace`]
    ///
    /// # Errors
    /// [`EditError`], as there.
    fn replace(&self, sum: &mut Sum, at: u64, new: Bits<'_>, old: &[u8]) -> Result<(), EditError>;

    /// [`Sum::append`]
    ///
    /// # Errors
    /// [`EditError`], as there.
    fn append(&self, sum: &mut Sum, new: Bits<'_>, old: &[u8]) -> Result<(), EditError>;

    /// [`Sum::truncate`]
    ///
    /// # Errors
    /// [`EditError`], as there.
    fn truncate(&self, sum: &mut Sum, bits: u64, old: &[u8]) -> Result<(), EditError>;
}

/// A message under way, of any algorithm.
pub trait AnyStream {
    /// Appends bytes to the message.
    fn update(&mut self, piece: &[u8]);

    /// [`update`](Self::update) on all threads of rayon's current pool: for pieces of many MiB. The tag
    /// is the same.
    #[cfg(feature = "parallel")]
    fn update_rayon(&mut self, piece: &[u8]) {
        self.update(piece);
    }

    /// The tag of the message so far. The stream goes on undisturbed.
    ///
    /// # Errors
    /// [`NonceError`] if the algorithm needs a nonce and there is none, or the other way round.
    fn tag(&self, nonce: Option<&Nonce>) -> Result<AnyTag, NonceError>;
}

/// A tag whose length is known at run time only. Compared in time independent of its bytes.
#[derive(Clone, Copy)]
pub struct AnyTag {
    bytes: [u8; AnyTag::MAX],
    len: usize,
}

impl AnyTag {
    /// The longest tag in bytes.
    pub const MAX: usize = 32;

    /// A received tag.
    ///
    /// # Errors
    /// [`InvalidLength`] if it is longer than any algorithm's.
    pub fn new(bytes: &[u8]) -> Result<AnyTag, InvalidLength> {
        let mut tag = AnyTag { bytes: [0; AnyTag::MAX], len: bytes.len() };
        tag.bytes.get_mut(..bytes.len()).ok_or(InvalidLength)?.copy_from_slice(bytes);
        Ok(tag)
    }

    /// The tag's bytes, for sending or storing. Compare tags, never these.
    #[must_use]
    pub fn to_bytes(&self) -> &[u8] {
        &self.bytes[..self.len]
    }

    pub(crate) fn truncate(mut self, len: usize) -> AnyTag {
        self.len = self.len.min(len);
        self.bytes[self.len..].fill(0);
        self
    }
}

impl<const N: usize> From<Tag<N>> for AnyTag {
    fn from(tag: Tag<N>) -> AnyTag {
        const { assert!(N <= AnyTag::MAX) };
        let mut any = AnyTag { bytes: [0; AnyTag::MAX], len: N };
        any.bytes[..N].copy_from_slice(&tag.to_bytes());
        any
    }
}

/// Equal in length and bytes; only the lengths, which are no secret, may show in the time.
impl PartialEq for AnyTag {
    fn eq(&self, other: &Self) -> bool {
        self.len == other.len && equal(&self.bytes, &other.bytes).into()
    }
}

impl Eq for AnyTag {}

impl fmt::Display for AnyTag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.to_bytes().iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for AnyTag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "AnyTag({self})")
    }
}

/// A nonce where none is taken, or none (or too few) where one is needed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NonceError {
    /// The algorithm needs a nonce.
    Missing,
    /// The algorithm takes no nonce.
    NotTaken,
    /// The algorithm takes no nonce of that length.
    Length,
    /// There are fewer nonces of this length left than messages.
    Exhausted,
}

impl From<NoncesExhausted> for NonceError {
    fn from(_: NoncesExhausted) -> NonceError {
        NonceError::Exhausted
    }
}

impl fmt::Display for NonceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            NonceError::Missing => "this algorithm needs a nonce",
            NonceError::NotTaken => "this algorithm takes no nonce",
            NonceError::Length => "this algorithm takes no nonce of that length",
            NonceError::Exhausted => return NoncesExhausted.fmt(f),
        })
    }
}

impl core::error::Error for NonceError {}

/// Makes a key of an algorithm from a secret for tags of so many bytes.
type MakeKey = fn(&Algorithm, Cpu, &[u8], usize) -> Result<Box<dyn AnyKey>, InvalidLength>;

/// How the registry makes keys of an algorithm and lists its kernels.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Door {
    key: MakeKey,
    kernels: fn(&Algorithm, Cpu) -> Vec<(&'static str, Cpu)>,
}

impl Algorithm {
    /// A key of this algorithm for tags of `tag_bytes` bytes.
    ///
    /// # Errors
    /// [`InvalidLength`] if `secret` is not [`key_bytes`](Self::key_bytes) long or `tag_bytes` not
    /// among [`tag_bytes`](Self::tag_bytes).
    pub fn key(
        &self,
        cpu: Cpu,
        secret: &[u8],
        tag_bytes: usize,
    ) -> Result<Box<dyn AnyKey>, InvalidLength> {
        if !self.tag_bytes.contains(&tag_bytes) {
            return Err(InvalidLength);
        }
        (self.door.key)(self, cpu, secret, tag_bytes)
    }

    /// Every kernel of this machine: its name, and the `Cpu` that makes a key choose it.
    #[must_use]
    pub fn kernels(&self, cpu: Cpu) -> Vec<(&'static str, Cpu)> {
        (self.door.kernels)(self, cpu)
    }
}

impl Door {
    #[cfg(feature = "yardstick")]
    pub(crate) const fn new(
        key: MakeKey,
        kernels: fn(&Algorithm, Cpu) -> Vec<(&'static str, Cpu)>,
    ) -> Door {
        Door { key, kernels }
    }

    pub(crate) const fn umac<const N: usize>() -> Door {
        Door {
            key: |_, cpu, secret, _| {
                let secret = secret.try_into().map_err(|_| InvalidLength)?;
                Ok(Box::new(umac::Key::<N>::with_cpu(cpu, secret)))
            },
            kernels: |_, cpu| umac::Key::<N>::kernels(cpu).collect(),
        }
    }

    /// Keys that take nonces of 12 and of 16 bytes. As with UMAC, all nonces under one key should have one length: one
    /// of 12 bytes and the same with four zero bytes appended share a pad.
    pub(crate) const fn carter<C: carter::Cipher, const N: usize>() -> Door {
        Door {
            key: |_, cpu, secret, _| {
                Ok(Box::new(carter::Key::<C, N, CARTER_NONCE>::from_slice(cpu, secret)?))
            },
            kernels: |_, cpu| carter::Key::<C, N, CARTER_NONCE>::kernels(cpu).collect(),
        }
    }

    /// The parameters are in the name. Where the kernels of whole packets know them, they do it.
    pub(crate) const fn umac_2000() -> Door {
        fn packets<const N: usize>(
            cpu: Cpu,
            secret: &[u8],
        ) -> Result<Box<dyn AnyKey>, InvalidLength> {
            let secret = secret.try_into().map_err(|_| InvalidLength)?;
            Ok(Box::new(umac::Key::<N>::draft_2000(cpu, secret)))
        }
        fn packets_16<const N: usize>(
            cpu: Cpu,
            secret: &[u8],
        ) -> Result<Box<dyn AnyKey>, InvalidLength> {
            let secret = secret.try_into().map_err(|_| InvalidLength)?;
            Ok(Box::new(umac16::Key::<N>::with_cpu(cpu, secret)))
        }
        fn parameters(algorithm: &Algorithm) -> umac_2000::Parameters {
            algorithm.name.parse().expect("the registry's names are of the family")
        }
        Door {
            key: |algorithm, cpu, secret, tag_bytes| {
                let parameters = parameters(algorithm);
                match tag_bytes {
                    4 if parameters.are_of_rfc4418() => packets::<4>(cpu, secret),
                    8 if parameters.are_of_rfc4418() => packets::<8>(cpu, secret),
                    12 if parameters.are_of_rfc4418() => packets::<12>(cpu, secret),
                    16 if parameters.are_of_rfc4418() => packets::<16>(cpu, secret),
                    2 if parameters.are_umac16() => packets_16::<2>(cpu, secret),
                    4 if parameters.are_umac16() => packets_16::<4>(cpu, secret),
                    8 if parameters.are_umac16() => packets_16::<8>(cpu, secret),
                    16 if parameters.are_umac16() => packets_16::<16>(cpu, secret),
                    _ => Ok(Box::new(umac_2000::Key::with_cpu(cpu, &parameters, secret)?)),
                }
            },
            kernels: |algorithm, cpu| umac_2000::Key::kernels(cpu, &parameters(algorithm)),
        }
    }

    #[cfg(feature = "yardstick")]
    pub(crate) const fn umac_1999<S: umac_1999::Set<Tag = Tag<N>>, const N: usize>() -> Door {
        Door {
            key: |_, cpu, secret, _| Ok(Box::new(umac_1999::Key::<S>::from_slice(cpu, secret)?)),
            kernels: |_, cpu| umac_1999::Key::<S>::kernels(cpu).collect(),
        }
    }

    pub(crate) const fn pmac<C: Invertible, const N: usize>() -> Door {
        Door {
            key: |_, cpu, secret, tag_bytes| {
                Ok(Box::new(Pmac::<C, N> { key: pmac::Key::from_slice(cpu, secret)?, tag_bytes }))
            },
            kernels: |_, cpu| pmac::Key::<C, N>::kernels(cpu).collect(),
        }
    }
}

/// Keys with tags of `$n` bytes have the same verbs: `$tag` and `$tag_many`, for nonces that `$needed` lets by.
macro_rules! key_with_nonce {
    ($key:ty, [$($generics:tt)*], $n:expr, $tag:ident, $tag_many:ident, $needed:expr) => {
        impl<$($generics)*> AnyKey for $key {
            fn kernel(&self) -> &'static str {
                self.kernel()
            }

            fn stream(&self) -> Box<dyn AnyStream + '_> {
                Box::new(self.stream())
            }

            fn tag(&self, nonce: Option<&Nonce>, message: &[u8]) -> Result<AnyTag, NonceError> {
                Ok(self.$tag($needed(nonce)?, message).into())
            }

            fn tag_into(
                &self,
                nonce: Option<&Nonce>,
                message: &[u8],
                out: &mut [u8],
            ) -> Result<(), NonceError> {
                let tag = self.$tag($needed(nonce)?, message);
                out.copy_from_slice(&tag.to_bytes());
                Ok(())
            }

            fn tags(
                &self,
                first: Option<&Nonce>,
                messages: &[&[u8]],
                out: &mut [u8],
            ) -> Result<(), NonceError> {
                let first = $needed(first)?;
                // Asked here for all of them, so that no tag is written if they do not suffice.
                first
                    .advance(messages.len().saturating_sub(1) as u64)
                    .ok_or(NonceError::Exhausted)?;
                let mut tagged = 0;
                in_batches(messages, $n, out, |messages, tags: &mut [Tag<{ $n }>]| {
                    let first = first.advance(tagged).ok_or(NonceError::Exhausted)?;
                    tagged += messages.len() as u64;
                    Ok(self.$tag_many(&first, messages, tags)?)
                })
            }
        }
    };
}

#[cfg(feature = "yardstick")]
pub(crate) use key_with_nonce;

key_with_nonce!(umac::Key<N>, [const N: usize], N, tag, tag_many, of_any_length);
key_with_nonce!(umac16::Key<N>, [const N: usize], N, tag, tag_many, of_any_length);
// The length in its type says which nonces the typed key takes. This one takes both at each call.
key_with_nonce!(
    carter::Key<C, N, CARTER_NONCE>,
    [C: carter::Cipher, const N: usize],
    N,
    tag_under,
    tag_many_under,
    of_carter
);

#[inline]
pub(crate) fn of_any_length(nonce: Option<&Nonce>) -> Result<&Nonce, NonceError> {
    nonce.ok_or(NonceError::Missing)
}

const CARTER_NONCE: usize = 16;

#[inline]
pub(crate) fn of_carter(nonce: Option<&Nonce>) -> Result<&Nonce, NonceError> {
    let nonce = nonce.ok_or(NonceError::Missing)?;
    if matches!(nonce.as_bytes().len(), 12 | 16) { Ok(nonce) } else { Err(NonceError::Length) }
}

#[cfg(feature = "yardstick")]
pub(crate) fn of_8_bytes(nonce: Option<&Nonce>) -> Result<&Nonce, NonceError> {
    let nonce = nonce.ok_or(NonceError::Missing)?;
    if nonce.as_bytes().len() == 8 { Ok(nonce) } else { Err(NonceError::Length) }
}

/// A nonce that [`of_8_bytes`] has let by, as a number.
#[cfg(feature = "yardstick")]
pub(crate) fn number(nonce: &Nonce) -> u64 {
    u64::from_be_bytes(nonce.as_bytes().try_into().expect("it has 8 bytes"))
}

impl<const N: usize> AnyStream for umac::Stream<'_, N> {
    fn update(&mut self, piece: &[u8]) {
        self.update(piece);
    }

    #[cfg(feature = "parallel")]
    fn update_rayon(&mut self, piece: &[u8]) {
        self.update_rayon(piece);
    }

    fn tag(&self, nonce: Option<&Nonce>) -> Result<AnyTag, NonceError> {
        Ok(self.tag(nonce.ok_or(NonceError::Missing)?).into())
    }
}

impl<const N: usize> AnyStream for umac16::Stream<'_, N> {
    fn update(&mut self, piece: &[u8]) {
        self.update(piece);
    }

    fn tag(&self, nonce: Option<&Nonce>) -> Result<AnyTag, NonceError> {
        Ok(self.tag(nonce.ok_or(NonceError::Missing)?).into())
    }
}

impl<C: carter::Cipher, const N: usize> AnyStream for carter::Stream<'_, C, N, CARTER_NONCE> {
    fn update(&mut self, piece: &[u8]) {
        self.update(piece);
    }

    #[cfg(feature = "parallel")]
    fn update_rayon(&mut self, piece: &[u8]) {
        self.update_rayon(piece);
    }

    fn tag(&self, nonce: Option<&Nonce>) -> Result<AnyTag, NonceError> {
        Ok(self.tag_under(of_carter(nonce)?).into())
    }
}

impl AnyKey for umac_2000::Key {
    fn kernel(&self) -> &'static str {
        self.kernel()
    }

    fn stream(&self) -> Box<dyn AnyStream + '_> {
        Box::new(self.stream())
    }

    fn tag(&self, nonce: Option<&Nonce>, message: &[u8]) -> Result<AnyTag, NonceError> {
        Ok(self.tag(nonce.ok_or(NonceError::Missing)?, message))
    }

    fn tag_into(
        &self,
        nonce: Option<&Nonce>,
        message: &[u8],
        out: &mut [u8],
    ) -> Result<(), NonceError> {
        let tag = self.tag(nonce.ok_or(NonceError::Missing)?, message);
        out.copy_from_slice(tag.to_bytes());
        Ok(())
    }

    fn tags(
        &self,
        first: Option<&Nonce>,
        messages: &[&[u8]],
        out: &mut [u8],
    ) -> Result<(), NonceError> {
        let tag_bytes = self.parameters().output_bytes();
        assert_eq!(out.len(), messages.len() * tag_bytes, "one tag for each message");
        let mut nonce = *first.ok_or(NonceError::Missing)?;
        // Asked here for all of them, so that no tag is written if they do not suffice.
        nonce.advance(messages.len().saturating_sub(1) as u64).ok_or(NonceError::Exhausted)?;
        for (message, out) in messages.iter().zip(out.chunks_exact_mut(tag_bytes)) {
            out.copy_from_slice(self.tag(&nonce, message).to_bytes());
            nonce = nonce.next().unwrap_or(nonce); // after the last one no message is left
        }
        Ok(())
    }
}

impl AnyStream for umac_2000::Stream<'_> {
    fn update(&mut self, piece: &[u8]) {
        self.update(piece);
    }

    fn tag(&self, nonce: Option<&Nonce>) -> Result<AnyTag, NonceError> {
        Ok(self.tag(nonce.ok_or(NonceError::Missing)?))
    }
}

/// PMAC with its tag length known at run time: a shorter tag is the front of the longest one.
struct Pmac<C: BlockCipher, const N: usize> {
    key: pmac::Key<C, N>,
    tag_bytes: usize,
}

struct PmacStream<'k, C: BlockCipher, const N: usize> {
    stream: pmac::Stream<'k, C, N>,
    tag_bytes: usize,
}

impl<C: Invertible, const N: usize> AnyKey for Pmac<C, N> {
    fn kernel(&self) -> &'static str {
        self.key.kernel()
    }

    fn stream(&self) -> Box<dyn AnyStream + '_> {
        Box::new(PmacStream { stream: self.key.stream(), tag_bytes: self.tag_bytes })
    }

    fn tag(&self, nonce: Option<&Nonce>, message: &[u8]) -> Result<AnyTag, NonceError> {
        truncated(nonce, self.key.tag(message), self.tag_bytes)
    }

    fn tag_into(
        &self,
        nonce: Option<&Nonce>,
        message: &[u8],
        out: &mut [u8],
    ) -> Result<(), NonceError> {
        not_taken(nonce)?;
        assert_eq!(out.len(), self.tag_bytes, "the key fixes the tag's length");
        match out.try_into() {
            Ok(whole) => self.key.tag_into(message, whole),
            Err(_) => write_front(&self.key.tag(message).to_bytes(), out),
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
        Some(self)
    }
}

impl<C: BlockCipher, const N: usize> Pmac<C, N> {
    fn cut(&self, tag: Tag<N>) -> AnyTag {
        AnyTag::from(tag).truncate(self.tag_bytes)
    }
}

impl<C: Invertible, const N: usize> AnyPmac for Pmac<C, N> {
    fn tag_bits(&self, message: Bits<'_>) -> AnyTag {
        self.cut(self.key.tag_bits(message))
    }

    fn segment(&self, start: u64, part: Bits<'_>) -> Result<Segment, SegmentError> {
        Segment::new(&self.key, start, part)
    }

    fn tag_of_segment(&self, segment: &Segment) -> Result<AnyTag, SegmentError> {
        segment.tag(&self.key).map(|tag| self.cut(tag))
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

impl<C: BlockCipher, const N: usize> AnyStream for PmacStream<'_, C, N> {
    fn update(&mut self, piece: &[u8]) {
        self.stream.update(piece);
    }

    #[cfg(feature = "parallel")]
    fn update_rayon(&mut self, piece: &[u8]) {
        self.stream.update_rayon(piece);
    }

    fn tag(&self, nonce: Option<&Nonce>) -> Result<AnyTag, NonceError> {
        truncated(nonce, self.stream.tag(), self.tag_bytes)
    }
}

fn truncated<const N: usize>(
    nonce: Option<&Nonce>,
    tag: Tag<N>,
    bytes: usize,
) -> Result<AnyTag, NonceError> {
    not_taken(nonce)?;
    Ok(AnyTag::from(tag).truncate(bytes))
}

pub(crate) fn not_taken(nonce: Option<&Nonce>) -> Result<(), NonceError> {
    if nonce.is_some() { Err(NonceError::NotTaken) } else { Ok(()) }
}

/// How many messages go through `tag_many` at a time: the tags wait on the stack.
const BATCH: usize = 32;

/// Tags all messages batch by batch, and writes the first `tag_bytes` bytes of each tag.
pub(crate) fn in_batches<const N: usize>(
    messages: &[&[u8]],
    tag_bytes: usize,
    out: &mut [u8],
    mut tag_many: impl FnMut(&[&[u8]], &mut [Tag<N>]) -> Result<(), NonceError>,
) -> Result<(), NonceError> {
    assert_eq!(out.len(), messages.len() * tag_bytes, "one tag for each message");
    let mut tags = [Tag::from([0; N]); BATCH];
    for (messages, out) in messages.chunks(BATCH).zip(out.chunks_mut(BATCH * tag_bytes)) {
        let tags = &mut tags[..messages.len()];
        tag_many(messages, tags)?;
        for (tag, out) in tags.iter().zip(out.chunks_exact_mut(tag_bytes)) {
            write_front(&tag.to_bytes(), out);
        }
    }
    Ok(())
}

/// Writes the front of a tag. A whole one is a store or two, not a copy of some length.
#[inline]
fn write_front<const N: usize>(tag: &[u8; N], out: &mut [u8]) {
    /// Apart, or the compiler makes one copy of some length of both.
    #[inline(never)]
    fn write_cut(tag: &[u8], out: &mut [u8]) {
        out.copy_from_slice(&tag[..out.len()]);
    }
    match <&mut [u8; N]>::try_from(&mut *out) {
        Ok(out) => *out = *tag,
        Err(_) => write_cut(tag, out),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registry::ALGORITHMS;
    use alloc::vec;

    /// A key of each algorithm for tags of its shortest and its longest length.
    fn keys() -> impl Iterator<Item = (&'static Algorithm, usize, Box<dyn AnyKey>)> {
        ALGORITHMS.iter().flat_map(|algorithm| {
            let secret = vec![7; algorithm.key_bytes];
            [algorithm.tag_bytes.start(), algorithm.tag_bytes.end()].map(|&tag_bytes| {
                let key = algorithm.key(Cpu::detect(), &secret, tag_bytes);
                (algorithm, tag_bytes, key.expect("lengths it takes"))
            })
        })
    }

    #[test]
    fn every_way_to_a_tag_gives_the_same() {
        let text: Vec<u8> = (0..3000).map(|i| (i * i / 7) as u8).collect();
        for (algorithm, tag_bytes, key) in keys() {
            for count in [0, 1, BATCH - 1, BATCH, BATCH + 1, 2 * BATCH + 3] {
                let messages: Vec<&[u8]> = (0..count).map(|i| &text[i..][..43 * i]).collect();
                let nonce = |i| algorithm.counter(250 + i);
                let mut tags = vec![0; count * tag_bytes];
                assert_eq!(key.tags(nonce(0).as_ref(), &messages, &mut tags), Ok(()));
                for (i, message) in messages.iter().enumerate() {
                    let nonce = nonce(i as u64);
                    let tag = key.tag(nonce.as_ref(), message).expect("the right kind of nonce");
                    assert_eq!(&tags[i * tag_bytes..][..tag_bytes], tag.to_bytes());
                    let mut into = vec![0; tag_bytes];
                    assert_eq!(key.tag_into(nonce.as_ref(), message, &mut into), Ok(()));
                    assert_eq!(into, tag.to_bytes());
                }
            }
        }
    }

    #[test]
    fn wrong_nonces_are_errors_and_write_nothing() {
        for (algorithm, tag_bytes, key) in keys() {
            let (wrong, error) = match algorithm.nonce_bytes {
                Some(_) => (None, NonceError::Missing),
                None => (Some(Nonce::counter(1)), NonceError::NotTaken),
            };
            let messages = [b"a".as_slice(); BATCH + 1];
            let mut out = vec![9; messages.len() * tag_bytes];
            let before = out.clone();
            assert_eq!(key.tags(wrong.as_ref(), &messages, &mut out), Err(error));
            assert_eq!(key.tag_into(wrong.as_ref(), b"a", &mut out[..tag_bytes]), Err(error));
            if let Some(lengths) = algorithm.nonce_bytes {
                let mut last = [0xff; Nonce::MAX];
                let length = *lengths.last().expect("at least one");
                last[length - 1] -= BATCH as u8 - 1; // one too few
                let last = Nonce::new(&last[..length]).expect("a length of nonces");
                let exhausted = Err(NonceError::Exhausted);
                assert_eq!(key.tags(Some(&last), &messages, &mut out), exhausted);
            }
            assert_eq!(out, before);
        }
    }

    #[test]
    #[should_panic(expected = "one tag for each message")]
    fn room_for_another_number_of_tags_panics() {
        let (algorithm, tag_bytes, key) = keys().next().expect("at least one");
        let nonce = algorithm.counter(0);
        let _ = key.tags(nonce.as_ref(), &[b"a", b"b"], &mut vec![0; tag_bytes]);
    }
}
