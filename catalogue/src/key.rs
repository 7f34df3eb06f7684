//! Keys, streams and tags of any algorithm behind one boxed type: for front doors that learn the algorithm's name at
//! run time. Where it is known at compile time, the MAC's own types are safer: there a forgotten nonce or a tag of
//! another length does not compile.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::fmt;
use wegman::pmac::hazmat::{EditError, Segment, SegmentError, Sum};
use wegman::{AnyTag, Bits, Cpu, InvalidLength, Nonce, NoncesExhausted};

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
/// [`wegman::pmac::hazmat`]. Segments and sums are as secret as the key.
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
    fn update_rayon(&mut self, piece: &[u8]) {
        self.update(piece);
    }

    /// The tag of the message so far. The stream goes on undisturbed.
    ///
    /// # Errors
    /// [`NonceError`] if the algorithm needs a nonce and there is none, or the other way round.
    fn tag(&self, nonce: Option<&Nonce>) -> Result<AnyTag, NonceError>;
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

/// Makes a key of the algorithm with a name from a secret of its length, for tags of a length that it has.
pub(crate) type MakeKey = fn(&str, Cpu, &[u8], usize) -> Result<Box<dyn AnyKey>, InvalidLength>;

/// How an entry makes keys and lists its kernels.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Door {
    pub(crate) key: MakeKey,
    pub(crate) kernels: fn(&str, Cpu) -> Vec<(&'static str, Cpu)>,
}
