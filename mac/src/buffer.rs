//! [`Buffer`]: cuts a message that arrives in pieces into whole parts. Every stream has one.

use crate::ct::wipe;

/// Holds back the last 1 to `SIZE` bytes of a message: every MAC here treats the last part differently, and only the
/// end of the message shows which part that is. Empty only while the message is empty. Wiped on drop.
#[derive(Clone)]
pub struct Buffer<const SIZE: usize> {
    bytes: [u8; SIZE],
    len: usize,
}

impl<const SIZE: usize> Buffer<SIZE> {
    /// The buffer of an empty message.
    #[must_use]
    #[allow(clippy::new_without_default, reason = "streams start it by name")]
    #[inline]
    pub const fn new() -> Self {
        Buffer { bytes: [0; SIZE], len: 0 }
    }

    /// Appends a piece of the message. `absorb` receives whole parts, never the last one.
    #[inline]
    pub fn update(&mut self, mut piece: &[u8], mut absorb: impl FnMut(&[[u8; SIZE]])) {
        let room = SIZE - self.len;
        if self.len > 0 && piece.len() > room {
            let (fill, rest) = piece.split_at(room);
            self.bytes[self.len..].copy_from_slice(fill);
            absorb(core::slice::from_ref(&self.bytes));
            self.len = 0;
            piece = rest;
        }
        if self.len == 0 && piece.len() > SIZE {
            let (parts, rest) = not_last::<SIZE>(piece);
            absorb(parts);
            piece = rest;
        }
        self.bytes[self.len..][..piece.len()].copy_from_slice(piece);
        self.len += piece.len();
    }

    /// The bytes held back: the end of the message.
    #[must_use]
    #[inline]
    pub fn last(&self) -> &[u8] {
        &self.bytes[..self.len]
    }
}

impl<const SIZE: usize> Drop for Buffer<SIZE> {
    #[inline]
    fn drop(&mut self) {
        wipe(&mut self.bytes);
    }
}

/// Splits a message into whole parts, none of which is the last, and the last 0 to `SIZE` bytes.
#[must_use]
pub fn not_last<const SIZE: usize>(message: &[u8]) -> (&[[u8; SIZE]], &[u8]) {
    let parts = message.len().saturating_sub(1) / SIZE;
    let (head, last) = message.split_at(parts * SIZE);
    (head.as_chunks().0, last)
}
