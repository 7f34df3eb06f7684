//! [`SegmentStream`]: a segment whose bytes arrive in pieces (PMAC paper, section 3).

use super::segment::{Segment, SegmentError};
use super::{BUFFER, Key};
use crate::bits::Bits;
use crate::buffer::Buffer;
use crate::cipher::BlockCipher;
use core::fmt;

/// Sums a part of a message that arrives in pieces, cut anywhere. Like [`Segment`] and [`Sum`](super::hazmat::Sum) it
/// borrows no key: each call is given the key. **As secret as the key**, see [the module](super::hazmat). Wiped on drop.
///
/// ```
/// use wegman::{Aes128, Bits, pmac, pmac::hazmat::{Segment, SegmentStream}};
///
/// let key = pmac::Key::<Aes128, 16>::new(b"sixteen byte key");
/// let mut part = SegmentStream::new(&key, 2); // two blocks come before it
/// part.update(&key, b"bytes that ");
/// part.update(&key, b"arrive in pieces");
/// let part = part.segment(&key)?;
/// let whole = Segment::new(&key, 0, Bits::from(&[0; 32][..]))?.then(&part)?;
/// assert_eq!(whole.bits(), 8 * (32 + 27));
/// # Ok::<(), pmac::hazmat::SegmentError>(())
/// ```
#[derive(Clone)]
pub struct SegmentStream {
    /// The bytes that are followed by others, or why there is no segment.
    whole: Result<Segment, SegmentError>,
    buffer: Buffer<BUFFER>,
}

impl SegmentStream {
    /// Starts a part of a message that comes after `start` whole blocks.
    #[must_use]
    pub fn new<C: BlockCipher, const N: usize>(key: &Key<C, N>, start: u64) -> SegmentStream {
        let whole = Segment::new(key, start, Bits::from(&[][..]));
        SegmentStream { whole, buffer: Buffer::new() }
    }

    /// Appends bytes to the part. What is wrong with them, [`segment`](Self::segment) says.
    pub fn update<C: BlockCipher, const N: usize>(&mut self, key: &Key<C, N>, piece: &[u8]) {
        self.update_by(piece, |start, blocks| Segment::new(key, start, Bits::from(blocks)));
    }

    /// [`update`](Self::update), with a function that sums blocks after `start` others.
    pub(super) fn update_by(
        &mut self,
        piece: &[u8],
        sum: impl Fn(u64, &[u8]) -> Result<Segment, SegmentError>,
    ) {
        let SegmentStream { whole, buffer } = self;
        buffer.update(piece, |parts| {
            if let Ok(before) = whole {
                *whole =
                    sum(before.end(), parts.as_flattened()).and_then(|next| before.then(&next));
            }
        });
    }

    /// The segment of all bytes so far. More may follow.
    ///
    /// # Errors
    /// [`SegmentError::TooLong`] if the part ends after bit 2^64 - 1 of the message, [`SegmentError::Key`] if not all
    /// calls were given the same key.
    pub fn segment<C: BlockCipher, const N: usize>(
        &self,
        key: &Key<C, N>,
    ) -> Result<Segment, SegmentError> {
        let whole = self.whole.as_ref().map_err(|error| *error)?;
        whole.then(&Segment::new(key, whole.end(), Bits::from(self.buffer.last()))?)
    }
}

impl fmt::Debug for SegmentStream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SegmentStream")
    }
}
