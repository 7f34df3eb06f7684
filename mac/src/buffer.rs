//! [`Buffer`]: cuts a message that arrives in pieces into whole parts. Every stream has one.

use crate::ct::wipe;
use core::hint::black_box;

/// Holds back the last 1 to `SIZE` bytes of a message: every MAC here treats the last part differently, and only the
/// end of the message shows which part that is. Empty only while the message is empty. Wiped on drop.
#[derive(Clone)]
#[repr(C)] // a stream that begins a cache line begins the message there
pub struct Buffer<const SIZE: usize> {
    bytes: [u8; SIZE],
    len: usize,
    /// Behind these bytes are zeroes: to wipe them again would take longer than a short message.
    most: usize,
}

impl<const SIZE: usize> Buffer<SIZE> {
    /// The buffer of an empty message.
    #[must_use]
    #[allow(clippy::new_without_default, reason = "streams start it by name")]
    #[inline]
    pub const fn new() -> Self {
        Buffer { bytes: [0; SIZE], len: 0, most: 0 }
    }

    /// Appends a piece of the message. `absorb` receives whole parts, never the last one.
    #[inline]
    pub fn update(&mut self, mut piece: &[u8], mut absorb: impl FnMut(&[[u8; SIZE]])) {
        let room = SIZE - self.len;
        if self.len > 0 && piece.len() > room {
            let (fill, rest) = piece.split_at(room);
            self.put(fill);
            absorb(self.last().as_chunks().0);
            self.len = 0;
            piece = rest;
        }
        if self.len == 0 && piece.len() > SIZE {
            let (parts, rest) = not_last::<SIZE>(piece);
            absorb(parts);
            piece = rest;
        }
        self.put(piece);
    }

    #[inline]
    fn put(&mut self, piece: &[u8]) {
        self.bytes[self.len..][..piece.len()].copy_from_slice(piece);
        self.grow(piece.len());
    }

    #[inline]
    fn grow(&mut self, by: usize) {
        self.len += by;
        self.most = self.most.max(self.len);
    }

    /// The place of a message's first piece of so many bytes, if it fits. The caller writes them there.
    #[inline]
    pub(crate) fn first<const PLACE: usize>(&mut self, len: usize) -> Option<&mut [u8; PLACE]> {
        if self.len > 0 || len > PLACE {
            return None;
        }
        self.grow(len);
        self.bytes.first_chunk_mut()
    }

    /// The bytes held back: the end of the message.
    #[must_use]
    #[inline]
    pub fn last(&self) -> &[u8] {
        &self.bytes[..self.len]
    }

    /// Forgets the message, and wipes what it left.
    #[inline]
    pub fn clear(&mut self) {
        match self.bytes.first_chunk_mut::<64>() {
            // A call for a few bytes would take longer.
            Some(line) if self.most <= 64 => wipe(line),
            _ => {
                self.bytes[..self.most].fill(0);
                black_box(&mut self.bytes);
            }
        }
        (self.len, self.most) = (0, 0);
    }
}

impl<const SIZE: usize> Drop for Buffer<SIZE> {
    #[inline]
    fn drop(&mut self) {
        // A field more is for `clear`, too.
        let Buffer { bytes: _, len: _, most: _ } = self;
        self.clear();
    }
}

/// Splits a message into whole parts, none of which is the last, and the last 0 to `SIZE` bytes.
#[must_use]
pub fn not_last<const SIZE: usize>(message: &[u8]) -> (&[[u8; SIZE]], &[u8]) {
    let parts = message.len().saturating_sub(1) / SIZE;
    let (head, last) = message.split_at(parts * SIZE);
    (head.as_chunks().0, last)
}
