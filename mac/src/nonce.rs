//! [`NonceOf`]: the number used once, its length in its type; [`Nonce`]: of a length known at run time. Knows no MAC.

use crate::hex::{self, InvalidHex};
use crate::tag::InvalidLength;
use core::fmt;
use core::str::FromStr;

/// A nonce of exactly `L` bytes, 8 to 16 (other lengths do not compile).
///
/// Never tag two messages with the same nonce under one key: two tags under one nonce reveal the difference of two
/// hash values, and with it the hash key. So tagging consumes a nonce, and a nonce can be neither copied nor cloned.
/// Making the same one twice is still possible; a session (feature `session`) does not do it.
///
/// The length is in the type because it is part of the key's promise: nonces of two lengths can share a pad.
///
/// There is no `Hash`: nobody should need a table of the nonces that were used.
///
/// A counter is the safest nonce ([`counter`](Self::counter)). Random nonces should have all 16 bytes: 2^32 of them
/// collide with probability about 2^-65.
///
/// ```
/// use wegman::{NonceOf, umac};
///
/// let key = umac::Key::<8>::new(b"sixteen byte key");
/// let nonce = NonceOf::counter(1);
/// let to_send = nonce.to_bytes();
/// let tag = key.tag(nonce, b"a message");
///
/// let received = NonceOf::from(to_send);
/// assert!(key.verify(&received, b"a message", &tag).is_ok());
/// ```
///
/// A nonce that was used is gone:
///
/// ```compile_fail,E0382
/// # use wegman::{NonceOf, umac};
/// # let key = umac::Key::<8>::new(b"sixteen byte key");
/// let nonce = NonceOf::counter(1);
/// let one = key.tag(nonce, b"one");
/// let two = key.tag(nonce, b"two");
/// ```
// Two words, not bytes: a function receives it in registers, and what was stored as words is loaded as words. Bytes may
// be stored and loaded in different pieces, and then the processor waits for as long as a short message takes.
#[derive(PartialEq, Eq)]
pub struct NonceOf<const L: usize> {
    /// The first eight bytes, as a number with the first byte lowest.
    first: u64,
    /// The bytes after those, in the same way, and zero bytes.
    second: u64,
}

impl<const L: usize> NonceOf<L> {
    /// How many bytes it has.
    pub const BYTES: usize = L;

    const IS_A_LENGTH: () = assert!(L >= 8 && L <= Nonce::MAX, "a nonce has 8 to 16 bytes");

    /// A counter as a nonce, big-endian, as SSH uses it.
    #[must_use]
    #[inline]
    pub const fn counter(count: u64) -> Self {
        const { Self::IS_A_LENGTH };
        let number = (count as u128) << (8 * (Nonce::MAX - L));
        let (first, second) = ((number >> 64) as u64, number as u64);
        NonceOf { first: first.swap_bytes(), second: second.swap_bytes() }
    }

    /// The nonce's bytes, for sending or storing.
    #[must_use]
    #[inline]
    pub const fn to_bytes(&self) -> [u8; L] {
        *self.padded().first_chunk().expect("a nonce has at most 16 bytes")
    }

    /// The nonce after this one, in its place; `None` after the last. Nonces are read as big-endian numbers.
    #[must_use]
    #[inline]
    #[allow(clippy::should_implement_trait, reason = "no iterator")]
    pub fn next(self) -> Option<Self> {
        self.to_nonce().advance(1).map(|next| Self::from_padded(&next.padded))
    }

    /// The nonce with zero bytes appended.
    #[inline]
    const fn padded(&self) -> [u8; Nonce::MAX] {
        let [first, second] = self.halves();
        ((second as u128) << 64 | first as u128).to_le_bytes()
    }

    /// [`padded`](Self::padded) as two little-endian words.
    #[inline]
    const fn halves(&self) -> [u64; 2] {
        [self.first, if L > 8 { self.second } else { 0 }]
    }

    #[inline]
    fn from_padded(padded: &[u8; Nonce::MAX]) -> Self {
        let (halves, _) = padded.as_chunks();
        let [first, second] = [0, 1].map(|i| u64::from_le_bytes(halves[i]));
        NonceOf { first, second }
    }
}

impl<const L: usize> From<[u8; L]> for NonceOf<L> {
    #[inline]
    fn from(bytes: [u8; L]) -> Self {
        const { Self::IS_A_LENGTH };
        // Each word by itself, in registers.
        let (first, rest) = bytes.split_at(8);
        let mut second = [0; 8];
        second[..rest.len()].copy_from_slice(rest);
        let first = *first.first_chunk().expect("a nonce has 8 bytes at least");
        NonceOf { first: u64::from_le_bytes(first), second: u64::from_le_bytes(second) }
    }
}

impl<const L: usize> From<NonceOf<L>> for Nonce {
    #[inline]
    fn from(nonce: NonceOf<L>) -> Nonce {
        nonce.to_nonce()
    }
}

/// A received nonce.
impl<const L: usize> TryFrom<&[u8]> for NonceOf<L> {
    type Error = InvalidLength;

    #[inline]
    fn try_from(bytes: &[u8]) -> Result<Self, InvalidLength> {
        <[u8; L]>::try_from(bytes).map(Self::from).map_err(|_| InvalidLength)
    }
}

/// Exactly `2 L` hexadecimal digits, upper or lower case.
impl<const L: usize> FromStr for NonceOf<L> {
    type Err = InvalidHex;

    fn from_str(digits: &str) -> Result<Self, InvalidHex> {
        hex::decoded(digits).map(Self::from)
    }
}

impl<const L: usize> fmt::LowerHex for NonceOf<L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        hex::lower(&self.to_bytes(), f)
    }
}

impl<const L: usize> fmt::Debug for NonceOf<L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "NonceOf({self:x})")
    }
}

/// A nonce of 1 to 16 bytes, for programs that learn its length at run time.
///
/// All nonces under one key must have the same length. Nonces of two lengths can share a pad: one nonce and the same
/// with zero bytes appended do, and for UMAC-32 and UMAC-64 also others, such as `[1]` and `[0, 1]`, since the low bits
/// that select a part of the block are taken away before the zero bytes are appended.
///
/// It can be copied, so nothing keeps a program from using it twice. [`NonceOf`] is for everything else.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Nonce {
    /// The nonce's bytes, then zeroes: the input of the pad (RFC 4418, section 3.3).
    padded: [u8; 16],
    len: u8,
}

impl Nonce {
    /// The longest nonce in bytes.
    pub const MAX: usize = 16;

    /// All its lengths.
    pub const LENGTHS: &'static [usize] = &[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16];

    /// A nonce from 1 to 16 bytes.
    ///
    /// # Errors
    /// [`InvalidLength`] if `bytes` is empty or longer than 16 bytes.
    #[inline]
    pub fn new(bytes: &[u8]) -> Result<Nonce, InvalidLength> {
        // The usual lengths are stored whole: a load of bytes that were just stored in pieces waits for them.
        match (<[u8; 8]>::try_from(bytes), <[u8; 12]>::try_from(bytes)) {
            (Ok(eight), _) => return Ok(Nonce::from(eight)),
            (_, Ok(twelve)) => return Ok(Nonce::from(twelve)),
            _ if bytes.is_empty() || bytes.len() > Self::MAX => return Err(InvalidLength),
            _ => {}
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
    ///
    /// # Panics
    /// If `len` is not 8 to 16.
    #[must_use]
    #[inline]
    pub fn counter_of(len: usize, count: u64) -> Nonce {
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
    #[allow(clippy::len_without_is_empty, reason = "no nonce is empty")]
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
}

/// What a pad is made from: a nonce of either kind.
pub trait PadInput {
    /// The nonce with zero bytes appended, as a number with the first byte lowest and the nonce's low `bits` (0 to 4)
    /// bits cleared; and those bits.
    fn block(&self, bits: usize) -> (u128, usize);

    /// The nonce with its length known at run time.
    fn to_nonce(&self) -> Nonce;
}

impl PadInput for Nonce {
    #[inline]
    fn block(&self, bits: usize) -> (u128, usize) {
        let (halves, _) = self.padded.as_chunks();
        let halves = [0, 1].map(|i| u64::from_le_bytes(halves[i]));
        match self.len {
            8 => block(halves, 8, bits), // the usual length: constants take fewer instructions
            len => block(halves, len.into(), bits),
        }
    }

    #[inline]
    fn to_nonce(&self) -> Nonce {
        *self
    }
}

impl<const L: usize> PadInput for NonceOf<L> {
    #[inline]
    fn block(&self, bits: usize) -> (u128, usize) {
        block(self.halves(), L, bits)
    }

    #[inline]
    fn to_nonce(&self) -> Nonce {
        Nonce { padded: self.padded(), len: L as u8 }
    }
}

/// [`PadInput::block`] of the padded nonce in two halves.
///
/// A nonce was often stored in two halves just before. The processor can load them as one only once both are in its
/// cache, so they are loaded in halves.
#[inline]
fn block([first, second]: [u64; 2], len: usize, bits: usize) -> (u128, usize) {
    let whole = |first, second| u128::from(second) << 64 | u128::from(first);
    if bits == 0 {
        return (whole(first, second), 0);
    }
    let mask = (1 << bits) - 1;
    if len <= 8 {
        let shift = 8 * (len - 1);
        ((first & !(mask << shift)).into(), (first >> shift & mask) as usize)
    } else {
        let shift = 8 * (len - 9);
        (whole(first, second & !(mask << shift)), (second >> shift & mask) as usize)
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

impl fmt::Debug for Nonce {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Nonce(")?;
        self.as_bytes().iter().try_for_each(|byte| write!(f, "{byte:02x}"))?;
        f.write_str(")")
    }
}

error! {
    /// Fewer nonces of this length are left than there are messages. Nothing was tagged.
    pub struct NoncesExhausted = "no nonces of this length are left: change the key";
}
