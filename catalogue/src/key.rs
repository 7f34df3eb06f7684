//! Keys, streams and tags of any algorithm behind one boxed type, for programs that learn the algorithm's name at run
//! time. If the algorithm is known at compile time, prefer the MAC's own types: there a missing nonce or a tag of
//! another length does not compile.

use alloc::boxed::Box;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt;
use wegman::hazmat::raw::Nonce;
use wegman::pmac::hazmat::{EditError, Segment, SegmentError, SegmentStream, Sum};
use wegman::{AnyTag, Bits, Cpu, NoncesExhausted, TagMismatch};

pub(crate) type Written = Result<(), NonceError>;
pub(crate) type Verified = Result<(), VerifyError>;

/// A key of any algorithm. Deriving a key is expensive: derive it once and share it. It fixes the lengths of its tags
/// and nonces.
pub trait AnyKey: Send + Sync {
    /// The name of the kernel that this key uses.
    fn kernel(&self) -> &'static str;

    /// Starts a stream: a message whose bytes arrive in pieces.
    fn stream(&self) -> Box<dyn AnyStream + '_>;

    /// [`stream`](Self::stream) that keeps the key for as long as it lives.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use wegman_catalogue::{Cpu, find};
    ///
    /// let pmac = find("PMAC-AES128").expect("it is listed");
    /// let key = pmac.key(Cpu::detect(), b"sixteen byte key", 16)?;
    /// let mut stream = Arc::clone(&key).shared_stream();
    /// let tag = key.tag(None, b"a message")?;
    /// drop(key);
    /// stream.update(b"a message");
    /// assert!(stream.verify(None, &tag).is_ok());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    fn shared_stream(self: Arc<Self>) -> Box<dyn SharedStream>;

    /// The tag of a message.
    ///
    /// # Errors
    /// [`NonceError`] if the algorithm needs a nonce and there is none, or if it takes none and there is one, or
    /// if its length is wrong.
    fn tag(&self, nonce: Option<&Nonce>, message: &[u8]) -> Result<AnyTag, NonceError>;

    /// Accepts a message only if the tag is right. The time does not depend on the tag's bytes.
    ///
    /// # Errors
    /// [`VerifyError::Mismatch`], without detail, if message, nonce, key and tag do not belong together, or if the tag
    /// does not have the key's length. [`VerifyError::Nonce`] as for [`tag`](Self::tag).
    fn verify(&self, nonce: Option<&Nonce>, message: &[u8], tag: &AnyTag) -> Verified;

    /// Writes the [`tag`](Self::tag) of a message to `out`.
    ///
    /// # Errors
    /// [`NonceError`] if the algorithm needs a nonce and there is none, or if it takes none and there is one, or
    /// if its length is wrong.
    ///
    /// # Panics
    /// If `out` is not as long as a tag of this key.
    fn tag_into(&self, nonce: Option<&Nonce>, message: &[u8], out: &mut [u8]) -> Written;

    /// Writes the tags of messages to `out`, one after another. If the algorithm takes a nonce, the messages have
    /// consecutive nonces from `first` on.
    ///
    /// # Errors
    /// [`NonceError`] as for [`tag`](Self::tag), or if there are fewer nonces from `first` on than messages. Then no
    /// tag is written.
    ///
    /// # Panics
    /// If `out` does not have exactly one tag's length for each message.
    fn tags(&self, first: Option<&Nonce>, messages: &[&[u8]], out: &mut [u8]) -> Written;

    /// What PMAC offers beyond tags; `None` for other algorithms.
    fn pmac(&self) -> Option<&dyn AnyPmac>;
}

impl fmt::Debug for dyn AnyKey + '_ {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "AnyKey({})", self.kernel())
    }
}

/// A PMAC key over any cipher: messages that do not end with a whole byte, and the operations of
/// [`wegman::pmac::hazmat`]. Segments and sums are as secret as the key.
pub trait AnyPmac: Send + Sync {
    /// The tag of a message of any number of bits.
    fn tag_bits(&self, message: Bits<'_>) -> AnyTag;

    /// Sums a part of a message that comes after `start` whole blocks: [`Segment::new`].
    ///
    /// # Errors
    /// [`SegmentError::TooLong`] if the part would end after bit 2^64 - 1 of the message.
    fn segment(&self, start: u64, part: Bits<'_>) -> Result<Segment, SegmentError>;

    /// Starts a part that comes after `start` whole blocks and arrives in pieces: [`SegmentStream::new`].
    fn segment_stream(&self, start: u64) -> SegmentStream;

    /// Appends bytes to a part: [`SegmentStream::update`].
    fn update_segment(&self, stream: &mut SegmentStream, piece: &[u8]);

    /// [`update_segment`](Self::update_segment) on all threads of rayon's current pool, with the same result.
    fn update_segment_rayon(&self, stream: &mut SegmentStream, piece: &[u8]) {
        self.update_segment(stream, piece);
    }

    /// The segment of all bytes so far: [`SegmentStream::segment`].
    ///
    /// # Errors
    /// [`SegmentError`] as for that method.
    fn segment_of_stream(&self, stream: &SegmentStream) -> Result<Segment, SegmentError>;

    /// The tag of the message that consists of one segment: [`Segment::tag`].
    ///
    /// # Errors
    /// [`SegmentError`] if the segment does not begin with the message, or has another key.
    fn tag_of_segment(&self, segment: &Segment) -> Result<AnyTag, SegmentError>;

    /// [`tag_of_segment`](Self::tag_of_segment) of a message of `bits` bits: [`Segment::tag_of_length`].
    ///
    /// # Errors
    /// [`SegmentError`] as for that method.
    fn tag_of_length(&self, segment: &Segment, bits: u64) -> Result<AnyTag, SegmentError>;

    /// The sum of a message of `bits` bits from its tag alone: [`Sum::from_tag`].
    ///
    /// # Errors
    /// [`EditError::ShortTag`] if the key's tags are shorter than a block.
    fn sum_from_tag(&self, tag: &AnyTag, bits: u64) -> Result<Sum, EditError>;

    /// The tag of the message as it is now: [`Sum::tag`].
    ///
    /// # Errors
    /// [`EditError::Key`] if the sum was made under another key.
    fn tag_of_sum(&self, sum: &Sum) -> Result<AnyTag, EditError>;

    /// Replaces bits of the message: [`Sum::replace`].
    ///
    /// # Errors
    /// [`EditError`] as for that method.
    fn replace(&self, sum: &mut Sum, at: u64, new: Bits<'_>, old: &[u8]) -> Result<(), EditError>;

    /// Appends bits to the message: [`Sum::append`].
    ///
    /// # Errors
    /// [`EditError`] as for that method.
    fn append(&self, sum: &mut Sum, new: Bits<'_>, old: &[u8]) -> Result<(), EditError>;

    /// Truncates the message: [`Sum::truncate`].
    ///
    /// # Errors
    /// [`EditError`] as for that method.
    fn truncate(&self, sum: &mut Sum, bits: u64, old: &[u8]) -> Result<(), EditError>;
}

/// What takes a message in pieces.
pub trait Absorb: Send {
    /// Appends bytes to the message.
    fn update(&mut self, piece: &[u8]);

    /// [`update`](Self::update) on all threads of rayon's current pool, with the same result. Use it for pieces of
    /// many MiB.
    fn update_rayon(&mut self, piece: &[u8]) {
        self.update(piece);
    }
}

/// A stream of any algorithm. A tag consumes it, so that a growing message does not get two tags under one nonce.
/// Verifying consumes nothing.
pub trait AnyStream: Absorb {
    /// The tag of the message. The stream is consumed, also after an error.
    ///
    /// # Errors
    /// [`NonceError`] if the algorithm needs a nonce and there is none, if it takes none and there is one, or if the
    /// nonce has another length.
    fn finish(self: Box<Self>, nonce: Option<&Nonce>) -> Result<AnyTag, NonceError>;

    /// Accepts the message so far only if the tag is right. The time does not depend on the tag's bytes.
    ///
    /// # Errors
    /// As for [`AnyKey::verify`].
    fn verify(&self, nonce: Option<&Nonce>, tag: &AnyTag) -> Verified;
}

/// A stream that keeps its key alive, so it can outlive the function that made it. It can be copied and used again.
pub trait SharedStream: AnyStream + Sync {
    /// Copies the stream with its message so far. If the algorithm takes a nonce, never end both under the same one.
    fn copy(&self) -> Box<dyn SharedStream>;

    /// Starts an empty message.
    fn reset(&mut self);

    /// Writes the tag of the message to `out`, and starts an empty message.
    ///
    /// # Errors
    /// [`NonceError`] as for [`AnyStream::finish`]; the message then stays as it is.
    ///
    /// # Panics
    /// If `out` is not as long as a tag of this key.
    fn finish_reset(&mut self, nonce: Option<&Nonce>, out: &mut [u8]) -> Written;
}

impl fmt::Debug for dyn SharedStream + '_ {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SharedStream")
    }
}

impl fmt::Debug for dyn AnyStream + '_ {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("AnyStream")
    }
}

/// Why a message was not accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum VerifyError {
    /// Its tag is not right.
    Mismatch(TagMismatch),
    /// No tag was computed.
    Nonce(NonceError),
}

impl From<TagMismatch> for VerifyError {
    fn from(mismatch: TagMismatch) -> VerifyError {
        VerifyError::Mismatch(mismatch)
    }
}

impl From<NonceError> for VerifyError {
    fn from(error: NonceError) -> VerifyError {
        VerifyError::Nonce(error)
    }
}

impl fmt::Display for VerifyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            VerifyError::Mismatch(mismatch) => mismatch.fmt(f),
            VerifyError::Nonce(error) => error.fmt(f),
        }
    }
}

impl core::error::Error for VerifyError {}

wegman::error! {
    /// Why a nonce is not accepted: it is missing, not taken, of another length, or there are too few.
    #[non_exhaustive]
    pub enum NonceError {
        /// The algorithm needs a nonce.
        Missing = "this algorithm needs a nonce",
        /// The algorithm takes no nonce.
        NotTaken = "this algorithm takes no nonce",
        /// The key takes no nonce of this length.
        Length = "this key takes no nonce of that length",
        /// Fewer nonces of this length are left than there are messages.
        Exhausted = "no nonces of this length are left: change the key",
    }
}

impl From<NoncesExhausted> for NonceError {
    fn from(_: NoncesExhausted) -> NonceError {
        NonceError::Exhausted
    }
}

/// Makes a key of the named algorithm. All lengths are the algorithm's.
pub(crate) type MakeKey = fn(&str, &Asked<'_>) -> Arc<dyn AnyKey>;

/// What a key is made of.
pub(crate) struct Asked<'a> {
    pub(crate) cpu: Cpu,
    pub(crate) secret: &'a [u8],
    pub(crate) lengths: Lengths,
}

/// The lengths of a key's tags and nonces.
#[derive(Clone, Copy)]
pub(crate) struct Lengths {
    pub(crate) tag_bytes: usize,
    /// 0 if the algorithm takes no nonce.
    pub(crate) nonce_bytes: usize,
}

/// How an entry makes keys and lists its kernels.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Door {
    pub(crate) key: MakeKey,
    pub(crate) kernels: fn(&str, Cpu) -> Vec<(&'static str, Cpu)>,
}
