//! Hexadecimal digits of tags and nonces, which are public. Knows no MAC.

use core::fmt;

/// `N` bytes from exactly `2 N` hexadecimal digits, upper or lower case.
pub fn decoded<const N: usize>(text: &str) -> Result<[u8; N], InvalidHex> {
    let mut bytes = [0; N];
    if text.len() != 2 * N {
        return Err(InvalidHex::Length { digits: 2 * N });
    }
    for (i, digit) in text.bytes().enumerate() {
        let value = char::from(digit).to_digit(16).ok_or(InvalidHex::Digit { at: i })?;
        bytes[i / 2] = bytes[i / 2] << 4 | value as u8;
    }
    Ok(bytes)
}

pub fn lower(bytes: &[u8], f: &mut fmt::Formatter<'_>) -> fmt::Result {
    bytes.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
}

/// A text is not the hexadecimal form of a tag or nonce of this type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum InvalidHex {
    /// The text does not have this many digits.
    #[non_exhaustive]
    Length {
        /// How many digits the type takes.
        digits: usize,
    },
    /// A byte of the text is not a hexadecimal digit.
    #[non_exhaustive]
    Digit {
        /// Its place, counted from 0.
        at: usize,
    },
}

impl fmt::Display for InvalidHex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            InvalidHex::Length { digits } => write!(f, "not {digits} hexadecimal digits"),
            InvalidHex::Digit { at } => write!(f, "no hexadecimal digit at byte {at}"),
        }
    }
}

impl core::error::Error for InvalidHex {}
