//! [`Authentic`]: a message whose tag was right.

use core::ops::Deref;

/// A message in `P` parts that a receiver has accepted: its tag is right, and its number is new. The tag is that of all
/// parts together. It does not say where a part ends, so the protocol must fix that. Only receivers make an
/// `Authentic`. So a function that takes one instead of bytes can't be called without a check:
///
/// ```compile_fail,E0308
/// use wegman::session::Authentic;
///
/// fn act_on(message: Authentic<'_>) {}
/// act_on(b"a message that nobody has checked");
/// ```
#[must_use]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Authentic<'m, const P: usize = 1>([&'m [u8]; P]);

impl<'m, const P: usize> Authentic<'m, P> {
    /// Callers have checked the tag.
    #[inline]
    pub(super) const fn new(parts: [&'m [u8]; P]) -> Self {
        Authentic(parts)
    }

    /// The parts, as they were given to the receiver.
    #[must_use]
    #[inline]
    pub const fn parts(self) -> [&'m [u8]; P] {
        self.0
    }
}

impl<'m> Authentic<'m> {
    /// The message.
    #[must_use]
    #[inline]
    pub const fn message(self) -> &'m [u8] {
        self.0[0]
    }
}

impl Deref for Authentic<'_> {
    type Target = [u8];

    #[inline]
    fn deref(&self) -> &[u8] {
        self.0[0]
    }
}
