//! PMAC as a RustCrypto `digest::Mac` (feature `digest`). It follows the versions of that crate.

use super::{BUFFER, Key, State, not_last};
use crate::buffer::Buffer;
use crate::cipher::{BlockCipher, CipherBlock};
use crate::cpu::Cpu;
use core::fmt;
use digest::array::{Array, ArraySize, AssocArraySize};
use digest::common::KeySizeUser;
use digest::{
    FixedOutput, FixedOutputReset, InvalidLength, KeyInit, MacMarker, Output, OutputSizeUser,
    Reset, Update,
};

/// A stream that owns its key, for code written against `digest::Mac`.
///
/// To compare a tag, use `verify_slice`, which takes all `N` bytes only.
///
/// ```
/// use wegman::{Aes128, digest::{KeyInit, Mac as _}, pmac};
///
/// let mut mac = pmac::Mac::<Aes128, 16>::new(b"sixteen byte key".into());
/// mac.update(b"a message");
/// let tag = pmac::Key::<Aes128, 16>::new(b"sixteen byte key").tag(b"a message");
/// assert!(mac.verify_slice(&tag.to_bytes()).is_ok());
/// ```
#[derive(Clone)]
pub struct Mac<C: BlockCipher, const N: usize> {
    key: Key<C, N>,
    state: State<C::Block>,
    buffer: Buffer<BUFFER>,
}

impl<C: BlockCipher, const N: usize> From<Key<C, N>> for Mac<C, N> {
    fn from(key: Key<C, N>) -> Self {
        Mac { key, state: State::new(), buffer: Buffer::new() }
    }
}

impl<C: BlockCipher, const N: usize> MacMarker for Mac<C, N> {}

impl<C: BlockCipher + KeySizeUser, const N: usize> KeySizeUser for Mac<C, N> {
    type KeySize = C::KeySize;
}

impl<C: BlockCipher + KeySizeUser, const N: usize> KeyInit for Mac<C, N> {
    fn new(key: &digest::Key<Self>) -> Self {
        Self::new_from_slice(key).expect("the key has the cipher's key length by its type")
    }

    fn new_from_slice(key: &[u8]) -> Result<Self, InvalidLength> {
        Key::from_slice(Cpu::detect(), key).map(Self::from).map_err(|_| InvalidLength)
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
        let Mac { key, state, buffer } = self;
        buffer.update(piece, |parts| state.absorb(key, C::Block::split(parts.as_flattened()).0));
    }
}

impl<C: BlockCipher, const N: usize> FixedOutputReset for Mac<C, N>
where
    Self: OutputSizeUser<OutputSize: ArraySize<ArrayType<u8> = [u8; N]>>,
{
    fn finalize_into_reset(&mut self, out: &mut Output<Self>) {
        let (blocks, last) = not_last(self.buffer.last());
        self.state.absorb(&self.key, blocks);
        *out = Array(self.state.clone().tag(&self.key, last, 8 * last.len()).to_bytes());
        Reset::reset(self);
    }
}

impl<C: BlockCipher, const N: usize> FixedOutput for Mac<C, N>
where
    Self: OutputSizeUser<OutputSize: ArraySize<ArrayType<u8> = [u8; N]>>,
{
    fn finalize_into(mut self, out: &mut Output<Self>) {
        self.finalize_into_reset(out);
    }
}

impl<C: BlockCipher, const N: usize> Reset for Mac<C, N> {
    fn reset(&mut self) {
        self.state = State::new();
        self.buffer = Buffer::new();
    }
}

impl<C: BlockCipher, const N: usize> fmt::Debug for Mac<C, N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "pmac::Mac<{N}>({})", self.key.kernel())
    }
}
