//! [`Bits`]: a message that need not end with a whole byte. The papers define messages as bit strings.

use crate::tag::InvalidLength;
use core::fmt;

/// A bit string in bytes, the most significant bit of each byte first.
///
/// ```
/// use wegman::{Aes128, Bits, pmac};
///
/// let key = pmac::Key::<Aes128, 16>::new(b"sixteen byte key");
/// let twelve = Bits::new(&[0xab, 0xc0], 12).unwrap();
/// assert_eq!(twelve.len(), 12);
/// // The last four bits of the second byte do not belong to the message.
/// assert_eq!(key.tag_bits(twelve), key.tag_bits(Bits::new(&[0xab, 0xcf], 12).unwrap()));
/// assert_eq!(key.tag_bits(Bits::from(b"whole")), key.tag(b"whole"));
/// ```
#[derive(Clone, Copy)]
pub struct Bits<'m> {
    bytes: &'m [u8],
    len: u64,
}

impl<'m> Bits<'m> {
    /// The first `len` bits of `bytes`. The remaining bits of the last byte are ignored.
    ///
    /// # Errors
    /// [`InvalidLength`] if `bytes` does not have exactly as many bytes as `len` bits need.
    pub const fn new(bytes: &'m [u8], len: u64) -> Result<Self, InvalidLength> {
        if bytes.len() as u64 == len.div_ceil(8) {
            Ok(Bits { bytes, len })
        } else {
            Err(InvalidLength)
        }
    }

    /// The length in bits.
    #[must_use]
    #[expect(clippy::len_without_is_empty, reason = "an empty message is nothing special")]
    pub const fn len(self) -> u64 {
        self.len
    }

    /// The bytes that hold the bits.
    #[must_use]
    pub const fn bytes(self) -> &'m [u8] {
        self.bytes
    }
}

/// Shows the length only: messages may be secret.
impl fmt::Debug for Bits<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Bits({})", self.len)
    }
}

/// All bits of the bytes.
impl<'m, const N: usize> From<&'m [u8; N]> for Bits<'m> {
    fn from(bytes: &'m [u8; N]) -> Self {
        Bits::from(&bytes[..])
    }
}

/// All bits of the bytes.
impl<'m> From<&'m [u8]> for Bits<'m> {
    fn from(bytes: &'m [u8]) -> Self {
        Bits { bytes, len: 8 * bytes.len() as u64 }
    }
}
