//! [`Tag`]: a tag whose length is in its type; [`AnyTag`]: a tag whose length is known at run time. Knows no MAC.

use crate::ct::{equal, hidden_place};
use crate::hex::{self, InvalidHex};
use core::fmt;
use core::str::FromStr;
use subtle::{Choice, ConstantTimeEq};

/// A tag of `N` bytes.
///
/// Comparing two tags takes a time that does not depend on their bytes. There is deliberately no `Deref` and no
/// `AsRef<[u8]>`: comparing raw slices stops at the first difference, and a forger who can time that finds the tag
/// byte by byte. [`to_bytes`](Self::to_bytes) is for sending and storing. There is no `Hash` and no `Ord` either: a map
/// would compare tags, or values made of them, in a time that depends on their bytes.
///
/// ```compile_fail,E0308
/// # use wegman::{NonceOf, umac};
/// # let key = umac::Key::<8>::new(b"sixteen byte key");
/// # let nonce = NonceOf::counter(1);
/// let received = [0; 8];
/// assert!(key.tag(nonce, b"a message") == received);
/// ```
#[derive(Clone, Copy)]
#[repr(transparent)] // a place for its bytes is a place for the tag
#[must_use]
pub struct Tag<const N: usize>([u8; N]);

impl<const N: usize> Tag<N> {
    /// How many bytes it has.
    pub const BYTES: usize = N;

    /// The tag's bytes, for sending or storing. Compare tags, never their bytes.
    #[must_use]
    #[inline]
    pub const fn to_bytes(self) -> [u8; N] {
        self.0
    }

    /// Where its bytes are written.
    #[inline]
    pub(crate) const fn place(&mut self) -> &mut [u8; N] {
        &mut self.0
    }

    /// Tags in the places of their bytes, which lie one after another. Bytes behind the last whole tag are left out.
    #[cfg(feature = "hazmat")]
    #[inline]
    #[allow(unsafe_code)]
    pub(crate) const fn places(bytes: &mut [u8]) -> &mut [Self] {
        let (tags, _) = bytes.as_chunks_mut::<N>();
        // SAFETY: a tag is its bytes and nothing else, also by its representation.
        unsafe { core::slice::from_raw_parts_mut(tags.as_mut_ptr().cast(), tags.len()) }
    }

    /// The tag that `write` puts in its place.
    #[inline(always)]
    pub(crate) fn written(write: impl FnOnce(&mut [u8; N])) -> Self {
        let mut tag = [0; N];
        // Where the compiler does not know it to be: a processor that knows an address of the stack takes the zeroes for the
        // tag, and repeats what it did with them.
        let place = if N > 8 { hidden_place(&mut tag) } else { &mut tag };
        write(place);
        Tag(*place)
    }
}

/// Has `kernel` write the block that a tag is the beginning of. A tag of 16 bytes is the block, in its place: loading a copy
/// of what was stored a moment ago would have to wait.
#[inline(always)]
pub fn beginning<const N: usize>(tag: &mut [u8; N], kernel: impl FnOnce(&mut [u8; 16])) {
    match tag.first_chunk_mut() {
        Some(whole) => kernel(whole),
        None => {
            let mut whole = [0; 16];
            kernel(&mut whole);
            *tag = *whole.first_chunk().expect("a tag has at most 16 bytes");
            crate::ct::wipe(&mut whole); // the right tag of a forgery is secret
        }
    }
}

impl<const N: usize> From<[u8; N]> for Tag<N> {
    #[inline]
    fn from(bytes: [u8; N]) -> Self {
        Tag(bytes)
    }
}

/// A received tag. It must have exactly `N` bytes: the key fixes the length, not the sender.
impl<const N: usize> TryFrom<&[u8]> for Tag<N> {
    type Error = InvalidLength;

    #[inline]
    fn try_from(bytes: &[u8]) -> Result<Self, InvalidLength> {
        bytes.try_into().map(Tag).map_err(|_| InvalidLength)
    }
}

/// Exactly `2 N` hexadecimal digits, upper or lower case.
impl<const N: usize> FromStr for Tag<N> {
    type Err = InvalidHex;

    fn from_str(digits: &str) -> Result<Self, InvalidHex> {
        hex::decoded(digits).map(Tag)
    }
}

impl<const N: usize> ConstantTimeEq for Tag<N> {
    #[inline]
    fn ct_eq(&self, other: &Self) -> Choice {
        equal(&self.0, &other.0)
    }
}

impl<const N: usize> PartialEq for Tag<N> {
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        self.ct_eq(other).into()
    }
}

impl<const N: usize> Eq for Tag<N> {}

/// Lower-case hexadecimal.
impl<const N: usize> fmt::Display for Tag<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        hex::lower(&self.0, f)
    }
}

impl<const N: usize> fmt::LowerHex for Tag<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        hex::lower(&self.0, f)
    }
}

impl<const N: usize> fmt::Debug for Tag<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Tag({self})")
    }
}

/// A tag whose length is known only at run time. Comparing two takes a time that does not depend on their bytes.
#[derive(Clone, Copy)]
#[must_use]
pub struct AnyTag {
    bytes: [u8; AnyTag::MAX],
    len: usize,
}

impl AnyTag {
    /// The longest tag in bytes.
    pub const MAX: usize = 32;

    /// A received tag.
    ///
    /// # Errors
    /// [`InvalidLength`] if it has more than [`MAX`](Self::MAX) bytes.
    #[inline]
    pub fn new(bytes: &[u8]) -> Result<AnyTag, InvalidLength> {
        let mut tag = AnyTag { bytes: [0; AnyTag::MAX], len: bytes.len() };
        tag.bytes.get_mut(..bytes.len()).ok_or(InvalidLength)?.copy_from_slice(bytes);
        Ok(tag)
    }

    /// Stores the first sixteen bytes once more, all at once: those of `tag`, and zeroes. A copy of the tag loads them at
    /// once, and would have to wait for as long as a short message takes if they were stored in parts.
    #[cfg(target_arch = "x86_64")]
    #[allow(unsafe_code)] // a raw store
    #[inline(always)]
    fn store_half<const N: usize>(&mut self, tag: &[u8; N]) {
        use core::arch::x86_64::{_mm_set_epi64x, _mm_storeu_si128};
        let word = |at: usize| {
            let mut word = [0; 8];
            let bytes = &tag[at.min(N)..(at + 8).min(N)];
            word[..bytes.len()].copy_from_slice(bytes);
            i64::from_le_bytes(word)
        };
        let half = self.bytes.first_chunk_mut::<16>().expect("32 bytes");
        // SAFETY: all machines of this kind have SSE2, and there are sixteen bytes.
        unsafe { _mm_storeu_si128(half.as_mut_ptr().cast(), _mm_set_epi64x(word(8), word(0))) };
    }

    /// The tag's bytes, for sending or storing. Compare tags, never their bytes.
    #[must_use]
    #[inline]
    pub fn to_bytes(&self) -> &[u8] {
        &self.bytes[..self.len]
    }
}

impl<const N: usize> From<Tag<N>> for AnyTag {
    #[inline]
    fn from(tag: Tag<N>) -> AnyTag {
        const { assert!(N <= AnyTag::MAX) };
        let mut any = AnyTag { bytes: [0; AnyTag::MAX], len: N };
        any.bytes[..N].copy_from_slice(&tag.to_bytes());
        #[cfg(target_arch = "x86_64")]
        if N < 16 {
            any.store_half(&tag.0);
        }
        any
    }
}

/// Equal in length and bytes. The time depends on the lengths only, which are public.
impl ConstantTimeEq for AnyTag {
    #[inline]
    fn ct_eq(&self, other: &Self) -> Choice {
        Choice::from(u8::from(self.len == other.len)) & equal(&self.bytes, &other.bytes)
    }
}

impl PartialEq for AnyTag {
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        self.ct_eq(other).into()
    }
}

impl Eq for AnyTag {}

/// Lower-case hexadecimal.
impl fmt::Display for AnyTag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        hex::lower(self.to_bytes(), f)
    }
}

impl fmt::Debug for AnyTag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "AnyTag({self})")
    }
}

error! {
    /// The message is not authentic: wrong key, wrong nonce, altered message or altered tag. The error says no more, so
    /// that it can't help a forger.
    pub struct TagMismatch = "the tag does not match the message";
}

impl TagMismatch {
    /// The result of a comparison: `Ok` if the received tags were `equal` to the right ones.
    ///
    /// # Errors
    /// [`TagMismatch`] if `equal` is false.
    #[inline]
    pub const fn unless(equal: bool) -> Result<(), TagMismatch> {
        if equal { Ok(()) } else { Err(TagMismatch) }
    }
}

error! {
    /// A key, nonce, tag or message, given as a slice, does not have a length that its type takes.
    pub struct InvalidLength = "not of a length this type takes";
}
