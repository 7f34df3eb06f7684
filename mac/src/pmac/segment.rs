//! [`Segment`]: a part of a message, summed on its own (PMAC paper, section 3).

use super::{Key, bits_of_last};
use crate::bits::Bits;
use crate::cipher::{Block, BlockCipher, CipherBlock};
use crate::tag::Tag;
use core::fmt;
use zeroize::Zeroize;

/// Identifies the key of a sum, so that sums of different keys are not mixed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Origin {
    block_bytes: u8,
    key_bytes: u8,
    tag_bits: u8,
    /// The first bytes of `E(L / x^2)`. No message makes the cipher encrypt that block, except by chance: none of the
    /// offsets has that factor. So it reveals nothing about any tag.
    key: [u8; 8],
}

impl Origin {
    pub(crate) fn of<C: BlockCipher, const N: usize>(key: &Key<C, N>) -> Origin {
        let mut block = key.offsets.inverse().halve();
        key.cipher.encrypt(&mut block);
        Origin {
            block_bytes: C::Block::BYTES as u8,
            key_bytes: C::KEY_BYTES as u8,
            tag_bits: (8 * (N - 1)) as u8 + key.last_byte.count_ones() as u8,
            key: *block.as_ref().first_chunk().expect("blocks have at least 8 bytes"),
        }
    }

    pub(crate) fn block_bits(self) -> u64 {
        8 * u64::from(self.block_bytes)
    }
}

/// A block of any cipher as 16 bytes, and nothing of it where it was. A shorter block has zeroes after it.
pub(crate) fn padded(block: &mut impl CipherBlock) -> Block {
    let mut padded = [0; 16];
    padded[..block.as_ref().len()].copy_from_slice(block.as_ref());
    block.zeroize();
    padded
}

/// The sum of consecutive blocks of a message. Any machine that has the key can make one, in any order; segments
/// combine to the tag of the message. **As secret as the key**, see [the module](super::hazmat).
///
/// ```
/// use wegman::{Aes128, Bits, pmac, pmac::hazmat::Segment};
///
/// let key = pmac::Key::<Aes128, 16>::new(b"sixteen byte key");
/// let message = b"forty-three bytes, the first 32 in one part";
/// let second = Segment::new(&key, 2, Bits::from(&message[32..]))?; // two blocks come before it
/// let first = Segment::new(&key, 0, Bits::from(&message[..32]))?;
/// let whole = Segment::combine(&mut [second, first])?;
/// assert_eq!(whole.bits(), 8 * 43);
/// assert!(key.verify(message, &whole.tag(&key)?).is_ok());
///
/// // A long part in pieces of whole blocks, each joined to those before it.
/// let mut part = Segment::new(&key, 0, Bits::from(&message[..16]))?;
/// part = part.then(&Segment::new(&key, 1, Bits::from(&message[16..]))?)?;
/// assert_eq!(part.tag(&key)?, whole.tag(&key)?);
/// # Ok::<(), pmac::hazmat::SegmentError>(())
/// ```
#[derive(Clone)]
pub struct Segment {
    origin: Origin,
    start: u64,
    bits: u64,
    /// The sum of its whole blocks, as if none were the message's last.
    sum: Block,
    /// What to xor with the sum if the message ends here; zero for an empty segment.
    end: Block,
}

impl Segment {
    /// Length of an encoded segment in bytes.
    pub const BYTES: usize = 68;

    /// The first bytes of an encoded segment: format and version.
    const MAGIC: [u8; 8] = *b"wegmanS1";

    /// Sums a part of a message that comes after `start` whole blocks.
    ///
    /// # Errors
    /// [`SegmentError::TooLong`] if the part would end after bit 2^64 - 1 of the message.
    pub fn new<C: BlockCipher, const N: usize>(
        key: &Key<C, N>,
        start: u64,
        part: Bits<'_>,
    ) -> Result<Segment, SegmentError> {
        let (origin, bits) = (Origin::of(key), part.len());
        let mut segment = Segment { origin, start, bits, sum: [0; 16], end: [0; 16] };
        segment.check_end()?;
        let (blocks, rest) = C::Block::split(part.bytes());
        // A last block of 8 or 16 bytes may have fewer bits.
        let whole = &blocks[..(bits / origin.block_bits()) as usize];
        let mut sum = C::Block::ZERO;
        if !whole.is_empty() {
            key.add(start + 1, whole, &mut sum);
        }
        segment.sum = padded(&mut sum);
        let last_bits = bits_of_last::<C::Block>(bits);
        let mut end = match (whole.last(), blocks.last()) {
            _ if bits == 0 => C::Block::ZERO,
            (Some(last), _) if last_bits as u64 == origin.block_bits() => {
                // `sum` has it as a block that is not the last.
                let mut end = key.last(last.as_ref(), last_bits);
                key.add(start + whole.len() as u64, &[*last], &mut end);
                end
            }
            (_, Some(last)) if rest.is_empty() => key.last(last.as_ref(), last_bits),
            _ => key.last(rest, last_bits),
        };
        segment.end = padded(&mut end);
        Ok(segment)
    }

    /// How many blocks of the message come before this segment.
    #[must_use]
    pub fn start(&self) -> u64 {
        self.start
    }

    /// Its length in bits.
    #[must_use]
    pub fn bits(&self) -> u64 {
        self.bits
    }

    /// This segment followed by `next`. The operation is associative.
    ///
    /// # Errors
    /// [`SegmentError`] unless both have the same key and `next` begins where this one ends.
    pub fn then(&self, next: &Segment) -> Result<Segment, SegmentError> {
        if self.origin != next.origin {
            return Err(SegmentError::Key);
        }
        let end = self.end();
        if next.start != end {
            return Err(if next.start > end { SegmentError::Gap } else { SegmentError::Overlap });
        }
        if next.bits == 0 {
            return Ok(self.clone());
        }
        if !self.bits.is_multiple_of(self.origin.block_bits()) {
            return Err(SegmentError::Unaligned);
        }
        Ok(Segment {
            bits: self.bits + next.bits,
            sum: self.sum.xor(&next.sum),
            end: next.end,
            ..*self
        })
    }

    /// Joins all segments, in any order; sorts them.
    ///
    /// # Errors
    /// [`SegmentError`] unless all have the same key and follow each other without gap or overlap; also if there
    /// are no segments.
    pub fn combine(segments: &mut [Segment]) -> Result<Segment, SegmentError> {
        segments.sort_unstable_by_key(|segment| (segment.start, segment.bits));
        let (first, others) = segments.split_first().ok_or(SegmentError::Gap)?;
        others.iter().try_fold(first.clone(), |whole, next| whole.then(next))
    }

    /// The tag of the message that consists of this segment: exactly that of [`Key::tag`]. Only the caller can know
    /// whether [`bits`](Self::bits) is the length of the whole message.
    ///
    /// # Errors
    /// [`SegmentError`] if it does not begin with the message, or has another key.
    pub fn tag<C: BlockCipher, const N: usize>(
        &self,
        key: &Key<C, N>,
    ) -> Result<Tag<N>, SegmentError> {
        let mut block = self.whole(key)?;
        key.cipher.encrypt(&mut block);
        Ok(key.cut(&block))
    }

    /// [`tag`](Self::tag) of a message that is known to have `bits` bits: a segment of another length is refused.
    ///
    /// # Errors
    /// [`SegmentError::Length`], or as for [`tag`](Self::tag).
    pub fn tag_of_length<C: BlockCipher, const N: usize>(
        &self,
        key: &Key<C, N>,
        bits: u64,
    ) -> Result<Tag<N>, SegmentError> {
        if self.bits != bits {
            return Err(SegmentError::Length);
        }
        self.tag(key)
    }

    /// How many blocks of the message there are up to its end.
    pub(super) fn end(&self) -> u64 {
        self.start + self.bits.div_ceil(self.origin.block_bits())
    }

    /// The last cipher input of the message that consists of this segment.
    pub(crate) fn whole<C: BlockCipher, const N: usize>(
        &self,
        key: &Key<C, N>,
    ) -> Result<C::Block, SegmentError> {
        if self.origin != Origin::of(key) {
            return Err(SegmentError::Key);
        }
        if self.start != 0 {
            return Err(SegmentError::Gap);
        }
        if self.bits == 0 {
            return Ok(key.last(&[], 0));
        }
        let (mut block, whole) = (C::Block::ZERO, self.sum.xor(&self.end));
        block.as_mut().copy_from_slice(&whole[..C::Block::BYTES]);
        Ok(block)
    }

    fn check_end(&self) -> Result<(), SegmentError> {
        let start = u128::from(self.start) * u128::from(self.origin.block_bits());
        match u64::try_from(start + u128::from(self.bits)) {
            Ok(_) => Ok(()),
            Err(_) => Err(SegmentError::TooLong),
        }
    }

    /// The segment as bytes, for [`from_bytes`](Self::from_bytes) (docs/pmac.md has the layout). As secret as the
    /// key.
    #[must_use]
    pub fn to_bytes(&self) -> [u8; Segment::BYTES] {
        let Segment { origin, start, bits, sum, end } = self;
        let Origin { block_bytes, key_bytes, tag_bits, key } = *origin;
        let mut bytes = [0; Segment::BYTES];
        let mut rest = &mut bytes[..];
        for field in [
            &Self::MAGIC[..],
            &[block_bytes, key_bytes, tag_bits, 0],
            &key,
            &start.to_be_bytes(),
            &bits.to_be_bytes(),
            sum,
            end,
        ] {
            let (place, after) = rest.split_at_mut(field.len());
            place.copy_from_slice(field);
            rest = after;
        }
        debug_assert!(rest.is_empty());
        bytes
    }

    /// Reads what [`to_bytes`](Self::to_bytes) wrote.
    ///
    /// # Errors
    /// [`SegmentError::Encoding`] if the bytes are not a segment, or one of another version.
    pub fn from_bytes(bytes: &[u8]) -> Result<Segment, SegmentError> {
        let bytes: &[u8; Segment::BYTES] = bytes.try_into().map_err(|_| SegmentError::Encoding)?;
        let mut rest = &bytes[..];
        let magic = take::<8>(&mut rest);
        let [block_bytes, key_bytes, tag_bits, zero] = take(&mut rest);
        let origin = Origin { block_bytes, key_bytes, tag_bits, key: take(&mut rest) };
        let start = u64::from_be_bytes(take(&mut rest));
        let bits = u64::from_be_bytes(take(&mut rest));
        let segment = Segment { origin, start, bits, sum: take(&mut rest), end: take(&mut rest) };
        let is_padded = |block: &Block| block[block_bytes.into()..].iter().all(|byte| *byte == 0);
        let is_well_formed = magic == Self::MAGIC
            && matches!(block_bytes, 8 | 16)
            && (1..=8 * block_bytes).contains(&tag_bits)
            && zero == 0
            && is_padded(&segment.sum)
            && is_padded(&segment.end)
            && (bits > 0 || segment.sum == segment.end && segment.end == [0; 16]);
        if !is_well_formed {
            return Err(SegmentError::Encoding);
        }
        segment.check_end()?;
        Ok(segment)
    }
}

/// Takes the next `L` bytes. Callers have checked that there are as many.
fn take<const L: usize>(bytes: &mut &[u8]) -> [u8; L] {
    let (taken, rest) = bytes.split_first_chunk().expect("an encoded segment has a fixed length");
    *bytes = rest;
    *taken
}

impl Drop for Segment {
    fn drop(&mut self) {
        let Segment { origin, start: _, bits: _, sum, end } = self;
        origin.key.zeroize();
        sum.zeroize();
        end.zeroize();
    }
}

/// Leaves out the secret parts.
impl fmt::Debug for Segment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Segment({} bits after {} blocks)", self.bits, self.start)
    }
}

error! {
    /// Why segments do not fit together.
    #[non_exhaustive]
    pub enum SegmentError {
        /// They do not have the same key, cipher and tag length.
        Key = "the segments are not of the same key, cipher and tag length",
        /// Blocks are missing between them or at the beginning.
        Gap = "blocks are missing before a segment",
        /// Blocks are in both.
        Overlap = "blocks are in more than one segment",
        /// A segment that does not end with a whole block has another after it.
        Unaligned = "a segment that does not end with a whole block has another after it",
        /// The segment would end after bit 2^64 - 1 of the message.
        TooLong = "the segment ends too far from the message's beginning",
        /// The segments do not have as many bits as the message.
        Length = "the segments do not have the length of the whole message",
        /// The bytes are not a segment, or one of another version.
        Encoding = "not a segment, or one of another version",
    }
}
