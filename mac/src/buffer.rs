//! [`Buffer`]: cuts a message that arrives in pieces into whole parts. Every stream has one.

use core::hint::black_box;
use core::mem::MaybeUninit;
use core::slice;

/// Holds back the last 1 to `SIZE` bytes of a message: every MAC here treats the last part differently, and only the
/// end of the message shows which part that is. Empty only while the message is empty. Wiped on drop.
#[derive(Clone)]
#[repr(C)] // a stream that begins a cache line begins the message there
pub struct Buffer<const SIZE: usize> {
    /// The first `len` are initialised.
    bytes: [MaybeUninit<u8>; SIZE],
    len: usize,
    /// Behind these bytes is nothing of a message: to clear and to wipe all would take longer than a short message.
    most: usize,
}

impl<const SIZE: usize> Buffer<SIZE> {
    /// The buffer of an empty message.
    #[must_use]
    #[allow(clippy::new_without_default, reason = "streams start it by name")]
    #[inline(always)]
    pub const fn new() -> Self {
        Buffer { bytes: [MaybeUninit::uninit(); SIZE], len: 0, most: 0 }
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
    #[allow(unsafe_code)]
    fn put(&mut self, piece: &[u8]) {
        let room = &mut self.bytes[self.len..][..piece.len()];
        // SAFETY: it has as many bytes, and a reference to it and one to the piece are apart.
        unsafe { piece.as_ptr().copy_to_nonoverlapping(room.as_mut_ptr().cast(), piece.len()) };
        self.len += piece.len();
        self.most = self.most.max(self.len);
    }

    /// The place of a message's first piece of so many bytes, if it fits.
    ///
    /// # Safety
    /// The caller writes all of the place, if there is one.
    #[inline]
    #[allow(unsafe_code)]
    pub(crate) unsafe fn first<const PLACE: usize>(
        &mut self,
        len: usize,
    ) -> Option<&mut MaybeUninit<[u8; PLACE]>> {
        if self.len > 0 || len > PLACE {
            return None;
        }
        let place = self.bytes.first_chunk_mut::<PLACE>()?.as_mut_ptr();
        (self.len, self.most) = (len, self.most.max(len));
        // SAFETY: a place for as many bytes.
        Some(unsafe { &mut *place.cast() })
    }

    /// The bytes held back: the end of the message.
    #[must_use]
    #[inline]
    #[allow(unsafe_code)]
    pub fn last(&self) -> &[u8] {
        let last = &self.bytes[..self.len];
        // SAFETY: they are initialised: what makes `len` larger writes them.
        unsafe { slice::from_raw_parts(last.as_ptr().cast(), last.len()) }
    }

    /// Forgets the message, and wipes what it left.
    #[inline]
    pub fn clear(&mut self) {
        match self.bytes.first_chunk_mut::<64>() {
            // A call for a few bytes would take longer.
            Some(line) if self.most <= 64 => {
                *line = [MaybeUninit::new(0); 64];
                black_box(line);
            }
            _ => {
                self.bytes[..self.most].fill(MaybeUninit::new(0));
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
