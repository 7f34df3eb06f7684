//! [`Aligned`]: 16 bytes of a table that a kernel's instructions take as memory operands. In the older encoding of x86,
//! such an operand must be aligned; an unaligned one needs a load of its own.

use core::ops::Deref;

/// A value of 16 bytes, or several of them, at a multiple of 16 bytes.
#[derive(Clone, Copy, Default)]
#[repr(C, align(16))]
pub(crate) struct Aligned<T>(pub(crate) T);

impl<T> Deref for Aligned<T> {
    type Target = T;

    #[inline(always)]
    fn deref(&self) -> &T {
        &self.0
    }
}
