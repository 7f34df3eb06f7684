//! [`Tag`]: the tag of a message, its length part of its type. Knows no MAC.

use core::fmt;
use core::str::FromStr;
use subtle::{Choice, ConstantTimeEq};

/// A tag of `N` bytes.
///
/// Two tags are compared in time that does not depend on their bytes. There is no `Deref` and no
/// `AsRef<[u8]>` on purpose: a comparison of raw slices would stop at the first difference, and a
/// forger who can time that finds the tag byte by byte. [`to_bytes`](Self::to_bytes) is for sending.
#[derive(Clone, Copy)]
pub struct Tag<const N: usize>([u8; N]);

impl<const N: usize> Tag<N> {
    /// The tag's bytes, for sending or storing. Compare tags, never these.
    #[must_use]
    pub const fn to_bytes(self) -> [u8; N] {
        self.0
    }

    /// The first bytes of a tag that has as many, or more.
    #[inline]
    pub(crate) fn front<const M: usize>(&self) -> Tag<M> {
        Tag(*self.0.first_chunk().expect("a front is no longer than its tag"))
    }
}

impl<const N: usize> From<[u8; N]> for Tag<N> {
    fn from(bytes: [u8; N]) -> Self {
        Tag(bytes)
    }
}

/// Whether as many bytes are the same, in time that depends on their number alone. As `subtle` compares slices, but
/// eight bytes at a time: that takes five cycles for each, all of them longer than a short message's tag.
#[inline]
pub(crate) fn equal(a: &[u8], b: &[u8]) -> Choice {
    debug_assert!(a.len() == b.len());
    let ((a, last_of_a), (b, last_of_b)) = (a.as_chunks::<8>(), b.as_chunks::<8>());
    let words = a.iter().zip(b).map(|(a, b)| u64::from_le_bytes(*a) ^ u64::from_le_bytes(*b));
    let last = last_of_a.iter().zip(last_of_b).map(|(a, b)| u64::from(a ^ b));
    words.chain(last).fold(0, |all, difference| all | difference).ct_eq(&0)
}

/// A received tag. It must have exactly `N` bytes: the key fixes the length, not the sender.
impl<const N: usize> TryFrom<&[u8]> for Tag<N> {
    type Error = InvalidLength;

    fn try_from(bytes: &[u8]) -> Result<Self, InvalidLength> {
        bytes.try_into().map(Tag).map_err(|_| InvalidLength)
    }
}

/// Exactly `2 N` hexadecimal digits of either case.
impl<const N: usize> FromStr for Tag<N> {
    type Err = InvalidLength;

    fn from_str(hex: &str) -> Result<Self, InvalidLength> {
        let digits = hex.as_bytes();
        let mut bytes = [0; N];
        if digits.len() != 2 * N {
            return Err(InvalidLength);
        }
        for (byte, pair) in bytes.iter_mut().zip(digits.as_chunks::<2>().0) {
            let digit = |c: u8| (c as char).to_digit(16).ok_or(InvalidLength);
            *byte = (digit(pair[0])? << 4 | digit(pair[1])?) as u8;
        }
        Ok(Tag(bytes))
    }
}

impl<const N: usize> ConstantTimeEq for Tag<N> {
    #[inline]
    fn ct_eq(&self, other: &Self) -> Choice {
        equal(&self.0, &other.0)
    }
}

impl<const N: usize> PartialEq for Tag<N> {
    fn eq(&self, other: &Self) -> bool {
        self.ct_eq(other).into()
    }
}

impl<const N: usize> Eq for Tag<N> {}

/// Lower-case hexadecimal.
impl<const N: usize> fmt::Display for Tag<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl<const N: usize> fmt::Debug for Tag<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Tag({self})")
    }
}

/// The message is not authentic: wrong key, wrong nonce, altered message or altered tag. No detail,
/// so that an error message can't help a forger.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TagMismatch;

impl fmt::Display for TagMismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the tag does not match the message")
    }
}

impl core::error::Error for TagMismatch {}

/// A key, nonce or tag given as a slice or as hexadecimal digits is not of a form its type takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InvalidLength;

impl fmt::Display for InvalidLength {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("not of the length this type takes, or not hexadecimal")
    }
}

impl core::error::Error for InvalidLength {}
