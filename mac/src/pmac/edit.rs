//! [`Sum`]: the sum of a message, and what edits do to it (PMAC paper, section 4, "incremental" and "parsimonious").

use super::segment::{Origin, Segment, SegmentError, padded};
use super::{BUFFER, Key, bits_of_last, not_last};
use crate::bits::Bits;
use crate::cipher::{Block, BlockCipher, CipherBlock, Invertible};
use crate::tag::Tag;
use core::fmt;
use core::ops::Range;
use zeroize::{Zeroize, Zeroizing};

/// The last cipher input of PMAC for a message, and the length of the message: kept from the message, or recovered
/// from its tag. An edit takes time in proportion to what it changes.
/// **As secret as the key**, see [the module](super::hazmat).
///
/// Positions and lengths are in bits. Each edit receives the old bytes of its *window*: the blocks it changes, as the
/// message had them before. For each edit there is a method that returns its window.
///
/// ```
/// use wegman::{Aes128, Bits, pmac, pmac::hazmat::Sum};
///
/// let key = pmac::Key::<Aes128, 16>::new(b"sixteen byte key");
/// let mut page = [7; 4096];
/// let tag = key.tag(&page);
///
/// let mut sum = Sum::from_tag(&key, &tag, 8 * 4096)?;
/// let new = Bits::from(&b"new"[..]);
/// let window = sum.replace_window(8 * 1000, new.len());
/// assert_eq!(window, 992..1008); // bytes: one block
/// sum.replace(&key, 8 * 1000, new, &page[992..1008])?;
/// page[1000..1003].copy_from_slice(b"new");
/// assert_eq!(sum.tag(&key)?, key.tag(&page));
/// # Ok::<(), pmac::hazmat::EditError>(())
/// ```
#[derive(Clone)]
pub struct Sum {
    origin: Origin,
    bits: u64,
    sum: Block,
}

impl Sum {
    /// The sum of a message.
    #[must_use]
    pub fn new<C: BlockCipher, const N: usize>(key: &Key<C, N>, message: Bits<'_>) -> Sum {
        let contents = Contents::of(message.bytes());
        let sum = padded(&mut contribution(key, 0, message.len(), true, contents));
        Sum { origin: Origin::of(key), bits: message.len(), sum }
    }

    /// The sum of a message of `bits` bits, from its tag alone. Needs a tag as long as a block.
    ///
    /// # Errors
    /// [`EditError::ShortTag`] if the key's tags are shorter than a block.
    pub fn from_tag<C: Invertible, const N: usize>(
        key: &Key<C, N>,
        tag: &Tag<N>,
        bits: u64,
    ) -> Result<Sum, EditError> {
        Ok(Sum { origin: Origin::of(key), bits, sum: padded(&mut uncut(key, tag)?) })
    }

    /// The sum of the message that consists of one segment.
    ///
    /// # Errors
    /// [`SegmentError`] if the segment does not begin with the message, or has another key.
    pub fn from_segment<C: BlockCipher, const N: usize>(
        key: &Key<C, N>,
        segment: &Segment,
    ) -> Result<Sum, SegmentError> {
        let sum = padded(&mut segment.whole(key)?);
        Ok(Sum { origin: Origin::of(key), bits: segment.bits(), sum })
    }

    /// The message's length in bits.
    #[must_use]
    pub fn bits(&self) -> u64 {
        self.bits
    }

    /// The tag of the message as it is now.
    ///
    /// # Errors
    /// [`EditError::Key`] if the sum was made under another key.
    pub fn tag<C: BlockCipher, const N: usize>(
        &self,
        key: &Key<C, N>,
    ) -> Result<Tag<N>, EditError> {
        self.check_key(key)?;
        let mut block = C::Block::ZERO;
        block.as_mut().copy_from_slice(&self.sum[..C::Block::BYTES]);
        key.cipher.encrypt(&mut block);
        Ok(key.cut(&block))
    }

    /// The window of [`replace`](Self::replace) for `len` bits from bit `at` on, as byte positions in the message.
    /// Clipped to the message.
    #[must_use]
    pub fn replace_window(&self, at: u64, len: u64) -> Range<u64> {
        let block = self.origin.block_bits();
        let first = at.min(self.bits) / block * block;
        let end = at.saturating_add(len).min(self.bits);
        let end = if len == 0 { first } else { up(end, block).min(self.bits) };
        first / 8..end.div_ceil(8).max(first / 8)
    }

    /// Replaces bits of the message, from bit `at` on, with `new`. `old` are the bytes of the window before the
    /// edit.
    ///
    /// # Errors
    /// [`EditError`] if the sum was made under another key, if the new bits do not lie within the message, or if
    /// `old` is not as long as the window. Then nothing has changed.
    pub fn replace<C: BlockCipher, const N: usize>(
        &mut self,
        key: &Key<C, N>,
        at: u64,
        new: Bits<'_>,
        old: &[u8],
    ) -> Result<(), EditError> {
        let end = at.checked_add(new.len()).filter(|end| *end <= self.bits);
        let end = end.ok_or(EditError::Range)?;
        let window = self.replace_window(at, new.len());
        self.check(key, &window, old)?;
        if new.len() == 0 {
            return Ok(());
        }
        let block = 8 * C::Block::BYTES as u64;
        let (start, end) = (8 * window.start, up(end, block).min(self.bits));
        let contents = Contents { old, at: at - start, new: new.bytes(), len: new.len() };
        self.exchange(key, start, old, end - start, contents, end - start, end == self.bits);
        Ok(())
    }

    /// The window of [`append`](Self::append), as byte positions: the message's last block.
    #[must_use]
    pub fn append_window(&self) -> Range<u64> {
        self.truncate_window(self.bits)
    }

    /// Appends bits to the message. `old` are the bytes of the window.
    ///
    /// # Errors
    /// [`EditError`] if the sum was made under another key, if the message would be too long, or if `old` is not
    /// as long as the window. Then nothing has changed.
    pub fn append<C: BlockCipher, const N: usize>(
        &mut self,
        key: &Key<C, N>,
        new: Bits<'_>,
        old: &[u8],
    ) -> Result<(), EditError> {
        let after = self.bits.checked_add(new.len()).ok_or(EditError::Range)?;
        let window = self.append_window();
        self.check(key, &window, old)?;
        let (start, end) = (8 * window.start, self.bits);
        let contents = Contents { old, at: end - start, new: new.bytes(), len: new.len() };
        self.exchange(key, start, old, end - start, contents, after - start, true);
        self.bits = after;
        Ok(())
    }

    /// The window of [`truncate`](Self::truncate) to `bits` bits, as byte positions: everything from the block on
    /// that will be the last one.
    #[must_use]
    pub fn truncate_window(&self, bits: u64) -> Range<u64> {
        let block = self.origin.block_bits();
        let start = bits.min(self.bits).saturating_sub(1) / block * block;
        start / 8..self.bits.div_ceil(8)
    }

    /// Truncates the message to its first `bits` bits. `old` are the bytes of the window.
    ///
    /// # Errors
    /// [`EditError`] if the sum was made under another key, if the message is shorter, or if `old` is not as long
    /// as the window. Then nothing has changed.
    pub fn truncate<C: BlockCipher, const N: usize>(
        &mut self,
        key: &Key<C, N>,
        bits: u64,
        old: &[u8],
    ) -> Result<(), EditError> {
        if bits > self.bits {
            return Err(EditError::Range);
        }
        let window = self.truncate_window(bits);
        self.check(key, &window, old)?;
        let start = 8 * window.start;
        let (before, after) = (self.bits - start, bits - start);
        self.exchange(key, start, old, before, Contents::of(old), after, true);
        self.bits = bits;
        Ok(())
    }

    /// Removes from the sum what `before` bits of the message from bit `start` on added, and adds what `after`
    /// bits of the new contents add. `to_end`: the message ends with them.
    #[expect(clippy::too_many_arguments, reason = "old and new, each with its length")]
    fn exchange<C: BlockCipher, const N: usize>(
        &mut self,
        key: &Key<C, N>,
        start: u64,
        old: &[u8],
        before: u64,
        new: Contents<'_>,
        after: u64,
        to_end: bool,
    ) {
        let first = start / (8 * C::Block::BYTES as u64);
        let mut out = contribution(key, first, before, to_end, Contents::of(old));
        let mut added = contribution(key, first, after, to_end, new);
        let change = Zeroizing::new(padded(&mut out.xor(&added)));
        self.sum = self.sum.xor(&change);
        out.zeroize();
        added.zeroize();
    }

    fn check<C: BlockCipher, const N: usize>(
        &self,
        key: &Key<C, N>,
        window: &Range<u64>,
        old: &[u8],
    ) -> Result<(), EditError> {
        if old.len() as u64 != window.end - window.start {
            return Err(EditError::Window);
        }
        self.check_key(key)
    }

    fn check_key<C: BlockCipher, const N: usize>(&self, key: &Key<C, N>) -> Result<(), EditError> {
        if self.origin == Origin::of(key) { Ok(()) } else { Err(EditError::Key) }
    }
}

/// `bits` rounded up to a multiple of `block`.
fn up(bits: u64, block: u64) -> u64 {
    bits.div_ceil(block).saturating_mul(block)
}

/// The bytes of a window after an edit: the old ones, overwritten with new bits from bit `at` on.
#[derive(Clone, Copy)]
struct Contents<'m> {
    old: &'m [u8],
    at: u64,
    new: &'m [u8],
    len: u64,
}

impl<'m> Contents<'m> {
    /// The old bytes, unchanged.
    fn of(old: &'m [u8]) -> Self {
        Contents { old, at: 0, new: &[], len: 0 }
    }

    /// Writes the bytes from index `from` on.
    fn fill(&self, from: usize, out: &mut [u8]) {
        let old = self.old.get(from..).unwrap_or_default();
        let known = old.len().min(out.len());
        out[..known].copy_from_slice(&old[..known]);
        out[known..].fill(0);
        let (first, shift) = ((self.at / 8) as usize, self.at % 8);
        for (j, byte) in (from..).zip(out) {
            let bit = 8 * j as u64;
            // The new bits of this byte.
            let begin = self.at.max(bit);
            let end = (self.at + self.len).min(bit + 8);
            if begin >= end {
                continue;
            }
            let mask = (0xff00u32 >> (end - bit)) as u8 & (0xff >> (begin - bit));
            let at = |i: Option<usize>| i.and_then(|i| self.new.get(i)).copied().unwrap_or(0);
            let i = j - first;
            let two = u16::from_be_bytes([at(i.checked_sub(1)), at(Some(i))]);
            *byte = *byte & !mask | (two >> shift) as u8 & mask;
        }
    }
}

/// What `bits` bits of contents add to the sum. Their first bit begins block `first`, counted from 0.
/// `to_end`: the message ends with them; otherwise they are whole blocks.
fn contribution<C: BlockCipher, const N: usize>(
    key: &Key<C, N>,
    first: u64,
    bits: u64,
    to_end: bool,
    contents: Contents<'_>,
) -> C::Block {
    let (mut sum, mut next) = (C::Block::ZERO, first + 1);
    let bytes = bits.div_ceil(8) as usize;
    let mut piece = [0; BUFFER];
    let mut from = 0;
    loop {
        let piece = &mut piece[..(bytes - from).min(BUFFER)];
        contents.fill(from, piece);
        from += piece.len();
        let is_last = from == bytes;
        let (blocks, last) =
            if is_last && to_end { not_last(piece) } else { C::Block::split(piece) };
        if !blocks.is_empty() {
            key.add(next, blocks, &mut sum);
            next += blocks.len() as u64;
        }
        if is_last && to_end {
            sum = sum.xor(&key.last(last, bits_of_last::<C::Block>(bits)));
        }
        if is_last {
            break;
        }
    }
    piece[..bytes.min(BUFFER)].zeroize();
    sum
}

/// The last cipher input of the message with this tag.
fn uncut<C: Invertible, const N: usize>(
    key: &Key<C, N>,
    tag: &Tag<N>,
) -> Result<C::Block, EditError> {
    if N != C::Block::BYTES || key.last_byte != 0xff {
        return Err(EditError::ShortTag);
    }
    let mut block = C::Block::ZERO;
    block.as_mut().copy_from_slice(&tag.to_bytes());
    key.cipher.decrypt(&mut block);
    Ok(block)
}

/// Block number `lost` of a message, counted from 1, from its tag and all other bits of the message in order.
/// The block must be a whole one, and the key's tags must be as long as a block.
///
/// Nothing is verified: with a wrong tag or wrong bits, the result is some other block.
///
/// # Errors
/// [`EditError::ShortTag`] if the key's tags are shorter than a block; [`EditError::Range`] if the message
/// does not have such a block, or only a part of it.
pub fn recover<C: Invertible, const N: usize>(
    key: &Key<C, N>,
    tag: &Tag<N>,
    lost: u64,
    others: Bits<'_>,
) -> Result<C::Block, EditError> {
    let mut sum = Zeroizing::new(uncut(key, tag)?);
    let block = 8 * C::Block::BYTES as u64;
    let before = lost.checked_sub(1).and_then(|blocks| blocks.checked_mul(block));
    let before = before.filter(|bits| *bits <= others.len()).ok_or(EditError::Range)?;
    let (head, tail) = others.bytes().split_at((before / 8) as usize);
    *sum = sum.xor(&Zeroizing::new(contribution(key, 0, before, false, Contents::of(head))));
    if before == others.len() {
        // The lost block is the last one.
        return Ok(sum.xor(key.offsets.inverse()));
    }
    let rest = others.len() - before;
    *sum = sum.xor(&Zeroizing::new(contribution(key, lost, rest, true, Contents::of(tail))));
    key.cipher.decrypt(&mut sum);
    Ok(sum.xor(&key.offsets.of(lost)))
}

impl Drop for Sum {
    fn drop(&mut self) {
        let Sum { origin: _, bits: _, sum } = self;
        sum.zeroize();
    }
}

/// Leaves out the secret part.
impl fmt::Debug for Sum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Sum({} bits)", self.bits)
    }
}

error! {
    /// Why an edit is impossible.
    #[non_exhaustive]
    pub enum EditError {
        /// The sum was made under another key, cipher or tag length.
        Key = "the sum is of another key, cipher or tag length",
        /// The position is not in the message, or the message would end after bit 2^64 - 1.
        Range = "the place is not in the message",
        /// The old bytes do not have the length of the window.
        Window = "the old bytes do not have the window's length",
        /// The key's tags are shorter than a block, so a tag does not determine the sum.
        ShortTag = "edits from a tag need one as long as the cipher's block",
    }
}
