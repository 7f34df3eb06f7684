//! [`Nonce`]: the number used once, of any length; [`NonceOf`]: of a fixed length. Knows no MAC.

use crate::tag::InvalidLength;
use core::fmt;

/// A nonce of 1 to 16 bytes.
///
/// Never tag two messages with the same nonce under one key: two tags under one nonce reveal the difference of two
/// hash values, and with it the hash key. All nonces under one key should have the same length, since a nonce and
/// the same nonce with zero bytes appended share a pad.
///
/// A counter is the safest nonce ([`Nonce::counter`], [`Nonce::next`]). Random nonces should have
/// all 16 bytes: 2^32 of them collide with probability about 2^-65.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Nonce {
    /// The nonce's bytes, then zeroes: the input of the pad (RFC 4418, section 3.3).
    padded: [u8; 16],
    len: u8,
}

impl Nonce {
    /// The longest nonce in bytes.
    pub const MAX: usize = 16;

    /// A nonce from 1 to 16 bytes.
    ///
    /// # Errors
    /// [`InvalidLength`] if `bytes` is empty or longer than 16 bytes.
    #[inline]
    pub fn new(bytes: &[u8]) -> Result<Nonce, InvalidLength> {
        if bytes.is_empty() || bytes.len() > Self::MAX {
            return Err(InvalidLength);
        }
        let mut padded = [0; Self::MAX];
        padded[..bytes.len()].copy_from_slice(bytes);
        Ok(Nonce { padded, len: bytes.len() as u8 })
    }

    /// A counter as an 8-byte nonce, big-endian, as SSH uses it.
    #[must_use]
    #[inline]
    pub fn counter(count: u64) -> Nonce {
        Nonce::from(count.to_be_bytes())
    }

    /// A counter as a nonce of `len` bytes, big-endian.
    #[cfg(feature = "hazmat")]
    #[inline]
    pub(crate) fn counter_of(len: usize, count: u64) -> Nonce {
        assert!((8..=Self::MAX).contains(&len), "a counter's nonce has 8 to 16 bytes");
        let number = u128::from(count) << (8 * (Self::MAX - len));
        Nonce { padded: number.to_be_bytes(), len: len as u8 }
    }

    /// The nonce's bytes.
    #[must_use]
    #[inline]
    pub fn as_bytes(&self) -> &[u8] {
        &self.padded[..self.len as usize]
    }

    /// How many bytes the nonce has, 1 to 16.
    #[must_use]
    #[inline]
    #[expect(clippy::len_without_is_empty, reason = "no nonce is empty")]
    pub const fn len(&self) -> usize {
        self.len as usize
    }

    /// The nonce after this one, read as a big-endian number; `None` after the last of its length.
    #[must_use]
    #[inline]
    pub fn next(self) -> Option<Nonce> {
        self.advance(1)
    }

    /// The nonce `count` places after this one, or `None` if its length has no such nonce.
    #[must_use]
    #[inline]
    pub fn advance(self, count: u64) -> Option<Nonce> {
        // The nonce as the upper part of a 128-bit number.
        let below = 8 * (Self::MAX as u32 - u32::from(self.len));
        let step = u128::from(count) << below;
        let next = u128::from_be_bytes(self.padded).checked_add(step)?;
        (step >> below == u128::from(count))
            .then_some(Nonce { padded: next.to_be_bytes(), len: self.len })
    }

    /// The padded nonce as a number, its first byte lowest, with the low `bits` (0 to 4) bits of the nonce cleared; and
    /// those bits.
    #[inline]
    pub(crate) fn block(&self, bits: usize) -> (u128, usize) {
        let (halves, _) = self.padded.as_chunks();
        let first = u64::from_le_bytes(halves[0]);
        if bits == 0 {
            return (u128::from(u64::from_le_bytes(halves[1])) << 64 | u128::from(first), 0);
        }
        let len = usize::from(self.len);
        let mask = (1 << bits) - 1;
        let low = usize::from(self.padded[len - 1]) & mask;
        // A nonce was often stored in two halves just before. The processor can load them as one only once both are in
        // its cache, so the usual lengths are loaded in halves.
        let block = if len <= 8 {
            u128::from(first & !((mask as u64) << (8 * (len - 1))))
        } else {
            let second = u64::from_le_bytes(halves[1]) & !((mask as u64) << (8 * (len - 9)));
            u128::from(second) << 64 | u128::from(first)
        };
        (block, low)
    }
}

/// The operations that a MAC needs on nonces: a [`Nonce`] of any length, or a [`NonceOf`] one length.
pub trait NonceKind: Copy + Eq + fmt::Debug + Into<Nonce> + Send + Sync + 'static {
    /// A counter as a nonce, big-endian.
    fn counter(count: u64) -> Self;

    /// The nonce `count` places after this one, or `None` if there is none.
    fn advance(self, count: u64) -> Option<Self>;

    /// The nonce with zero bytes appended, as a number with the first byte lowest and the nonce's low `bits` (0 to 4)
    /// bits cleared; and those bits.
    fn block(&self, bits: usize) -> (u128, usize);
}

impl NonceKind for Nonce {
    #[inline]
    fn counter(count: u64) -> Self {
        Nonce::counter(count)
    }

    #[inline]
    fn advance(self, count: u64) -> Option<Self> {
        Nonce::advance(self, count)
    }

    #[inline]
    fn block(&self, bits: usize) -> (u128, usize) {
        Nonce::block(self, bits)
    }
}

impl<const L: usize> NonceKind for NonceOf<L> {
    #[inline]
    fn counter(count: u64) -> Self {
        NonceOf::counter(count)
    }

    #[inline]
    fn advance(self, count: u64) -> Option<Self> {
        NonceOf::advance(self, count)
    }

    #[inline]
    fn block(&self, bits: usize) -> (u128, usize) {
        if bits == 0 { (NonceOf::block(self), 0) } else { Nonce::from(*self).block(bits) }
    }
}

/// A nonce of 1 to 16 bytes; other lengths do not compile.
impl<const L: usize> From<[u8; L]> for Nonce {
    #[inline]
    fn from(bytes: [u8; L]) -> Nonce {
        const { assert!(L >= 1 && L <= Nonce::MAX, "a nonce has 1 to 16 bytes") };
        let mut padded = [0; Nonce::MAX];
        padded[..L].copy_from_slice(&bytes);
        Nonce { padded, len: L as u8 }
    }
}

/// A nonce of exactly `L` bytes, for keys that take one length only. `L` is 8 to 16 (other lengths do not compile).
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct NonceOf<const L: usize>([u8; L]);

impl<const L: usize> NonceOf<L> {
    /// A counter as a nonce, big-endian.
    #[must_use]
    #[inline]
    pub fn counter(count: u64) -> Self {
        const { assert!(L >= 8 && L <= Nonce::MAX, "this nonce has 8 to 16 bytes") };
        let mut bytes = [0; L];
        bytes[L - 8..].copy_from_slice(&count.to_be_bytes());
        NonceOf(bytes)
    }

    /// The nonce's bytes.
    #[must_use]
    #[inline]
    pub fn as_bytes(&self) -> &[u8; L] {
        &self.0
    }

    /// The nonce after this one, read as a big-endian number; `None` after the last.
    #[must_use]
    #[inline]
    pub fn next(self) -> Option<Self> {
        self.advance(1)
    }

    /// The nonce `count` places after this one, or `None` if there is no such nonce.
    #[must_use]
    #[inline]
    pub fn advance(self, count: u64) -> Option<Self> {
        let nonce = Nonce::from(self.0).advance(count)?;
        Some(NonceOf(*nonce.padded.first_chunk().expect("a nonce has at most 16 bytes")))
    }

    /// The nonce with zero bytes appended, as a number with the first byte lowest.
    #[inline]
    pub(crate) fn block(&self) -> u128 {
        const { assert!(L >= 8 && L <= Nonce::MAX, "this nonce has 8 to 16 bytes") };
        let mut second = [0; 8];
        second[..L - 8].copy_from_slice(&self.0[8..]);
        let first = *self.0.first_chunk().expect("a nonce has 8 bytes at least");
        u128::from(u64::from_le_bytes(second)) << 64 | u128::from(u64::from_le_bytes(first))
    }
}

impl<const L: usize> From<[u8; L]> for NonceOf<L> {
    #[inline]
    fn from(bytes: [u8; L]) -> Self {
        const { assert!(L >= 8 && L <= Nonce::MAX, "this nonce has 8 to 16 bytes") };
        NonceOf(bytes)
    }
}

/// Fails if the nonce does not have `L` bytes.
impl<const L: usize> TryFrom<Nonce> for NonceOf<L> {
    type Error = InvalidLength;

    #[inline]
    fn try_from(nonce: Nonce) -> Result<Self, InvalidLength> {
        const { assert!(L >= 8 && L <= Nonce::MAX, "this nonce has 8 to 16 bytes") };
        nonce.as_bytes().try_into().map(NonceOf).map_err(|_| InvalidLength)
    }
}

impl<const L: usize> From<NonceOf<L>> for Nonce {
    #[inline]
    fn from(nonce: NonceOf<L>) -> Nonce {
        // From registers: two pieces of different lengths in memory could not be loaded as halves at once.
        Nonce { padded: nonce.block().to_le_bytes(), len: L as u8 }
    }
}

impl<const L: usize> fmt::Debug for NonceOf<L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Nonce::from(*self).fmt(f)
    }
}

impl fmt::Debug for Nonce {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Nonce(")?;
        self.as_bytes().iter().try_for_each(|byte| write!(f, "{byte:02x}"))?;
        f.write_str(")")
    }
}

/// Fewer nonces of this length are left than there are messages. Nothing was tagged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoncesExhausted;

impl fmt::Display for NoncesExhausted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("no nonces of this length are left: change the key")
    }
}

impl core::error::Error for NoncesExhausted {}
