//! [`Slot`]: an object in memory that C owns, such as a stream on C's stack.

use crate::raw::{ensure, not_null};
use crate::status::Status;
use core::mem::{align_of, size_of};
use zeroize::Zeroize;

/// Marks a slot that holds something. It is xored with the slot's address, so that a copy of the memory is not taken for
/// the object.
const MARK: u64 = 0x7765_676d_616e_4d41;

/// A view of `WORDS` words at `place`: a mark, and an object wherever its alignment puts it after that.
pub(crate) struct Slot<T, const WORDS: usize> {
    mark: *mut u64,
    object: *mut T,
}

impl<T, const WORDS: usize> Slot<T, WORDS> {
    /// The slot at `place`, if that may be one.
    pub(crate) fn at(place: *mut [u64; WORDS]) -> Result<Self, Status> {
        // Wherever the words begin: on some machines, numbers of 64 bits are aligned to 4 bytes only.
        const {
            assert!(
                8 + align_of::<T>() - align_of::<u64>() + size_of::<T>() <= 8 * WORDS,
                "the words of a slot hold its object"
            );
        }
        let mark = place.cast::<u64>();
        not_null(mark)?;
        ensure(mark.is_aligned(), Status::Stream)?;
        let after = mark.wrapping_add(1).cast::<u8>();
        let object = after.wrapping_add(after.align_offset(align_of::<T>())).cast();
        Ok(Slot { mark, object })
    }

    fn mark(&self) -> u64 {
        MARK ^ self.mark as u64
    }

    /// Puts an object in. What was there before is overwritten, not dropped: it may be anything.
    ///
    /// # Safety
    /// The slot is writable memory.
    #[inline(always)] // as what makes a stream
    pub(crate) unsafe fn put(&self, object: T) {
        // SAFETY: `at` shows that it is within the words; the caller's promise.
        unsafe {
            self.object.write(object);
            self.mark.write(self.mark());
        }
    }

    /// The object.
    ///
    /// # Safety
    /// The slot is memory that was written to, by [`put`](Self::put), C or anybody, and nobody else uses it now.
    pub(crate) unsafe fn get<'a>(&self) -> Result<&'a mut T, Status> {
        // SAFETY: the caller's promise; with the mark for this address, `put` was here and `take` was not.
        unsafe {
            ensure(self.mark.read() == self.mark(), Status::Stream)?;
            Ok(&mut *self.object)
        }
    }

    /// Drops the object, if there is one: a stream wipes what it wrote. What else a move may bring, from the stack to between
    /// the object's fields, depends on the compiler: a test in C shows that there is nothing.
    ///
    /// # Safety
    /// As for [`get`](Self::get).
    pub(crate) unsafe fn clear(&self) {
        // SAFETY: the caller's promise; nobody has the object any more.
        unsafe {
            if self.mark.read() == self.mark() {
                (*self.mark).zeroize();
                self.object.drop_in_place();
            }
        }
    }
}
