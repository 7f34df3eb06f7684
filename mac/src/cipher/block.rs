//! [`CipherBlock`]: a cipher's block as an element of GF(2^n), n = 128 or 64 (PMAC paper, section 2).

use core::fmt::Debug;
use zeroize::Zeroize;

/// A block of 16 or 8 bytes. As a field element, its bits are the coefficients, the highest first.
pub trait CipherBlock:
    Copy
    + Default
    + Debug
    + AsRef<[u8]>
    + AsMut<[u8]>
    + Zeroize
    + Send
    + Sync
    + sealed::Sealed
    + 'static
{
    /// Length in bytes.
    const BYTES: usize;

    /// All zeroes.
    const ZERO: Self;

    /// The sum of two elements.
    #[must_use]
    fn xor(&self, other: &Self) -> Self;

    /// Times x.
    #[must_use]
    fn double(&self) -> Self;

    /// Divided by x.
    #[must_use]
    fn halve(&self) -> Self;

    /// The whole blocks of a byte string, and the bytes after them.
    #[must_use]
    fn split(bytes: &[u8]) -> (&[Self], &[u8]);

    /// The bytes of blocks.
    #[must_use]
    fn flatten(blocks: &[Self]) -> &[u8];

    /// The bytes of blocks.
    #[must_use]
    fn flatten_mut(blocks: &mut [Self]) -> &mut [u8];
}

mod sealed {
    pub trait Sealed {}
}

/// The modulus is given without its highest power of x.
macro_rules! block {
    ($bytes:literal: $word:ident, $modulus:literal) => {
        impl sealed::Sealed for [u8; $bytes] {}

        impl CipherBlock for [u8; $bytes] {
            const BYTES: usize = $bytes;
            const ZERO: Self = [0; $bytes];

            fn xor(&self, other: &Self) -> Self {
                ($word::from_ne_bytes(*self) ^ $word::from_ne_bytes(*other)).to_ne_bytes()
            }

            fn double(&self) -> Self {
                let a = $word::from_be_bytes(*self);
                ((a << 1) ^ ((a >> ($word::BITS - 1)).wrapping_neg() & $modulus)).to_be_bytes()
            }

            /// The constant is x^-1.
            fn halve(&self) -> Self {
                const INVERSE: $word = 1 << ($word::BITS - 1) | $modulus >> 1;
                let a = $word::from_be_bytes(*self);
                ((a >> 1) ^ ((a & 1).wrapping_neg() & INVERSE)).to_be_bytes()
            }

            fn split(bytes: &[u8]) -> (&[Self], &[u8]) {
                bytes.as_chunks()
            }

            fn flatten(blocks: &[Self]) -> &[u8] {
                blocks.as_flattened()
            }

            fn flatten_mut(blocks: &mut [Self]) -> &mut [u8] {
                blocks.as_flattened_mut()
            }
        }
    };
}

block!(16: u128, 0x87); // x^128 + x^7 + x^2 + x + 1
block!(8: u64, 0x1b); // x^64 + x^4 + x^3 + x + 1
