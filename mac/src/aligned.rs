//! [`Aligned`]: 16 bytes of a table that kernels use as operands of other instructions. In the older encoding of x86
//! such operands must be aligned; what is not costs an instruction more.

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
