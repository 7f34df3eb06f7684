//! The padding of old code. The authors' code 0.25.05 pads short inputs of its CBC-MAC in another way than their
//! paper (section 8.4). This module makes keys that pad as that code does, **to check or reproduce old tags**. Under
//! such a key, a message of less than 33 bytes and the same message with a zero byte appended have the same tag, unless
//! the length of one of them is a multiple of 16 bytes. That is a forgery without any effort.

use super::{Set, Umac1999};
use wegman::InvalidLength;
use wegman::cpu::Cpu;

/// The padding of the last block of the CBC-MAC's input if that block is not full.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Padding {
    /// A 1 bit and zeroes, as in the paper.
    #[default]
    Paper,
    /// Zeroes alone if the input has at most 64 bytes, as in code 0.25.05 with a new context.
    Ref02505,
}

impl Padding {
    /// Whether an input of `len` bytes gets the 1 bit.
    pub(super) fn has_one_bit(self, len: usize) -> bool {
        self == Padding::Paper || len > 64
    }
}

/// A key that pads in the given way. The STD sets do not pad: for them this is the usual key.
///
/// # Errors
/// [`InvalidLength`] if `secret` does not have [`Set::KEY_BYTES`].
pub fn key<S: Set>(
    cpu: Cpu,
    secret: &[u8],
    padding: Padding,
) -> Result<Umac1999<S>, InvalidLength> {
    Umac1999::derive(cpu, secret, padding)
}
