//! The padding of old code. The authors' code 0.25.05 padded short inputs of its CBC-MAC otherwise than their
//! paper; this module makes keys that do as that code did, **to check or reproduce old tags**. In them a
//! message of less than 33 bytes and the same message with a zero byte behind it have one tag, unless
//! one of them is a multiple of 16 bytes: a forgery for nothing.

use super::{Key, Set};
use crate::cpu::Cpu;
use crate::tag::InvalidLength;

/// What follows the last block of an input of the CBC-MAC if it is not full.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Padding {
    /// A 1 bit and zeroes: the paper.
    #[default]
    Paper,
    /// Zeroes alone, if the input has at most 64 bytes: code 0.25.05 in a new context.
    Ref02505,
}

impl Padding {
    /// Whether an input of so many bytes gets the 1 bit.
    pub(super) fn has_one_bit(self, len: usize) -> bool {
        self == Padding::Paper || len > 64
    }
}

/// A key that pads in that way. The STD sets do not pad: theirs is the usual key.
///
/// # Errors
/// [`InvalidLength`] if `secret` does not have [`Set::KEY_BYTES`].
pub fn key<S: Set>(cpu: Cpu, secret: &[u8], padding: Padding) -> Result<Key<S>, InvalidLength> {
    Key::derive(cpu, secret, padding)
}
