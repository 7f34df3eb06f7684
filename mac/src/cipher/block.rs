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
    impl Sealed for [u8; 16] {}
    impl Sealed for [u8; 8] {}
}

impl CipherBlock for [u8; 16] {
    const BYTES: usize = 16;
    const ZERO: Self = [0; 16];

    fn xor(&self, other: &Self) -> Self {
        (u128::from_ne_bytes(*self) ^ u128::from_ne_bytes(*other)).to_ne_bytes()
    }

    /// Modulo x^128 + x^7 + x^2 + x + 1.
    fn double(&self) -> Self {
        let a = u128::from_be_bytes(*self);
        ((a << 1) ^ ((a >> 127).wrapping_neg() & 0x87)).to_be_bytes()
    }

    /// The constant is x^-1.
    fn halve(&self) -> Self {
        let a = u128::from_be_bytes(*self);
        ((a >> 1) ^ ((a & 1).wrapping_neg() & (1 << 127 | 0x43))).to_be_bytes()
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

impl CipherBlock for [u8; 8] {
    const BYTES: usize = 8;
    const ZERO: Self = [0; 8];

    fn xor(&self, other: &Self) -> Self {
        (u64::from_ne_bytes(*self) ^ u64::from_ne_bytes(*other)).to_ne_bytes()
    }

    /// Modulo x^64 + x^4 + x^3 + x + 1.
    fn double(&self) -> Self {
        let a = u64::from_be_bytes(*self);
        ((a << 1) ^ ((a >> 63).wrapping_neg() & 0x1b)).to_be_bytes()
    }

    /// The constant is x^-1.
    fn halve(&self) -> Self {
        let a = u64::from_be_bytes(*self);
        ((a >> 1) ^ ((a & 1).wrapping_neg() & (1 << 63 | 0x0d))).to_be_bytes()
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
