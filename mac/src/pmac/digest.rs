//! PMAC as a RustCrypto `digest::Mac` (feature `digest`). It follows the versions of that crate.

use super::{Key, Stream};
use crate::cipher::BlockCipher;
use crate::ct::equal;
use core::fmt;
use digest::array::{Array, ArraySize, AssocArraySize};
use digest::common::KeySizeUser;
use digest::{
    CtOutput, FixedOutput, FixedOutputReset, InvalidLength, KeyInit, MacError, Output,
    OutputSizeUser, Reset, Update,
};

/// A stream that owns its key, for code written against `digest::Mac`.
///
/// Every `verify` method takes all `N` bytes of a tag only, `verify_truncated_left` and `verify_truncated_right` too:
/// the key fixes the tag's length. For shorter tags, take a shorter `N`.
///
/// ```
/// use wegman::{Aes128, digest::{KeyInit, Mac as _}, pmac};
///
/// let mut mac = pmac::Mac::<Aes128, 16>::new(b"sixteen byte key".into());
/// mac.update(b"a message");
/// let tag = pmac::Key::<Aes128, 16>::new(b"sixteen byte key").tag(b"a message").to_bytes();
/// assert!(mac.clone().verify_slice(&tag).is_ok());
/// assert!(mac.verify_truncated_left(&tag[..15]).is_err());
/// ```
///
/// `digest` implements its `Mac` for every type with `MacMarker`, and truncation with it. So this type has no
/// `MacMarker`, and its own `Mac`.
#[derive(Clone)]
pub struct Mac<C: BlockCipher, const N: usize>(Stream<Key<C, N>, C, N>);

impl<C: BlockCipher, const N: usize> From<Key<C, N>> for Mac<C, N> {
    fn from(key: Key<C, N>) -> Self {
        Mac(Stream::new(key))
    }
}

impl<C: BlockCipher<Key: AssocArraySize>, const N: usize> KeySizeUser for Mac<C, N> {
    type KeySize = <C::Key as AssocArraySize>::Size;
}

impl<C: BlockCipher<Key: AssocArraySize>, const N: usize> KeyInit for Mac<C, N> {
    fn new(key: &digest::Key<Self>) -> Self {
        Self::new_from_slice(key).expect("the key has the cipher's key length by its type")
    }

    fn new_from_slice(key: &[u8]) -> Result<Self, InvalidLength> {
        Key::from_slice(key).map(Self::from).map_err(|_| InvalidLength)
    }
}

impl<C: BlockCipher, const N: usize> OutputSizeUser for Mac<C, N>
where
    [u8; N]: AssocArraySize<Size: ArraySize<ArrayType<u8> = [u8; N]>>,
{
    type OutputSize = <[u8; N] as AssocArraySize>::Size;
}

impl<C: BlockCipher, const N: usize> Update for Mac<C, N> {
    fn update(&mut self, piece: &[u8]) {
        self.0.update(piece);
    }
}

impl<C: BlockCipher, const N: usize> FixedOutputReset for Mac<C, N>
where
    Self: OutputSizeUser<OutputSize: ArraySize<ArrayType<u8> = [u8; N]>>,
{
    fn finalize_into_reset(&mut self, out: &mut Output<Self>) {
        *out = Array(self.0.finish_reset().to_bytes());
    }
}

impl<C: BlockCipher, const N: usize> FixedOutput for Mac<C, N>
where
    Self: OutputSizeUser<OutputSize: ArraySize<ArrayType<u8> = [u8; N]>>,
{
    fn finalize_into(self, out: &mut Output<Self>) {
        *out = Array(self.0.finish().to_bytes());
    }
}

impl<C: BlockCipher, const N: usize> Reset for Mac<C, N> {
    fn reset(&mut self) {
        self.0.reset();
    }
}

impl<C: BlockCipher, const N: usize> digest::Mac for Mac<C, N>
where
    Self: OutputSizeUser<OutputSize: ArraySize<ArrayType<u8> = [u8; N]>>,
{
    fn update(&mut self, data: &[u8]) {
        self.0.update(data);
    }

    fn chain_update(mut self, data: impl AsRef<[u8]>) -> Self {
        self.0.update(data.as_ref());
        self
    }

    fn finalize(self) -> CtOutput<Self> {
        CtOutput::new(self.finalize_fixed())
    }

    fn finalize_reset(&mut self) -> CtOutput<Self>
    where
        Self: FixedOutputReset,
    {
        CtOutput::new(self.finalize_fixed_reset())
    }

    fn reset(&mut self)
    where
        Self: Reset,
    {
        self.0.reset();
    }

    fn verify(self, tag: &Output<Self>) -> Result<(), MacError> {
        self.verify_slice(tag)
    }

    fn verify_reset(&mut self, tag: &Output<Self>) -> Result<(), MacError>
    where
        Self: FixedOutputReset,
    {
        self.verify_slice_reset(tag)
    }

    fn verify_slice(self, tag: &[u8]) -> Result<(), MacError> {
        compare(&self.0.finish().to_bytes(), tag)
    }

    fn verify_slice_reset(&mut self, tag: &[u8]) -> Result<(), MacError>
    where
        Self: FixedOutputReset,
    {
        compare(&self.0.finish_reset().to_bytes(), tag)
    }

    fn verify_truncated_left(self, tag: &[u8]) -> Result<(), MacError> {
        self.verify_slice(tag)
    }

    fn verify_truncated_right(self, tag: &[u8]) -> Result<(), MacError> {
        self.verify_slice(tag)
    }
}

fn compare(right: &[u8], tag: &[u8]) -> Result<(), MacError> {
    // The lengths are public.
    if tag.len() == right.len() && equal(right, tag).into() { Ok(()) } else { Err(MacError) }
}

impl<C: BlockCipher, const N: usize> fmt::Debug for Mac<C, N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "pmac::Mac<{N}>")
    }
}
