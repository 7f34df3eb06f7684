//! UMAC (RFC 4418) for very many keys: a key keeps its secret alone, and derives everything else when it is used.

use crate::cpu::Cpu;
use crate::nonce_mac::{self, Difference, HashAndPads};
use crate::pads::{self, Blocks, PADS};
use crate::tag::Tag;
use crate::umac::kdf::{Kdf, Rfc4418};
use crate::umac::packet;
use crate::umac::{State, Umac};
use zeroize::{Zeroize, ZeroizeOnDrop};

/// A UMAC key of 20 bytes, for programs with very many connections, or very little memory, that use each key seldom. It
/// has the methods, the tags and the bound of [`Key`](super::Key).
///
/// Each call of `tag` or `verify`, and each stream, derives the subkeys anew, and wipes them at its end (but not the
/// copies that the compiler made of them on the stack): about 80 AES calls and a [`Key`](super::Key) on the stack. `tag_many` does that once for a batch of eight messages and more, and a
/// stream keeps its subkeys. docs/sizes.md says what that costs.
///
/// ```
/// use wegman::{NonceOf, umac};
///
/// let key = umac::CompactKey::<8>::new(b"sixteen byte key");
/// let tag = key.tag(NonceOf::counter(1), b"a message");
/// assert!(umac::Key::<8>::new(b"sixteen byte key").verify(&NonceOf::counter(1), b"a message", &tag).is_ok());
/// assert!(size_of_val(&key) < 32);
/// ```
pub type CompactKey<const N: usize, const L: usize = 8> = nonce_mac::Key<Compact<N>, N, L>;

/// A message under way under a [`CompactKey`].
pub type CompactStream<K, const N: usize, const L: usize = 8> =
    nonce_mac::Stream<K, Compact<N>, N, L>;

/// A secret and the kernels to use: what [`CompactKey`] is a key of.
#[derive(Clone)]
pub struct Compact<const N: usize> {
    cpu: Cpu,
    secret: [u8; 16],
}

impl<const N: usize> Compact<N> {
    fn derive(&self) -> Umac<N> {
        Umac::new(self.cpu, &self.secret)
    }
}

impl<const N: usize> HashAndPads<N> for Compact<N> {
    const NAME: &'static str = "umac::CompactKey";
    const FAMILY: &'static str = Umac::<N>::FAMILY;
    const PAD_BYTES: usize = N;
    const DIFFERENCE: Difference = Umac::<N>::DIFFERENCE;
    const NONCE_BYTES: &'static [usize] = Umac::<N>::NONCE_BYTES;
    type Secret = [u8; 16];
    /// The subkeys, and the message under way.
    type State = (Umac<N>, State);

    fn new(cpu: Cpu, secret: &[u8]) -> Self {
        Compact { cpu, secret: secret.try_into().expect("16 bytes") }
    }

    fn kernel(&self) -> &'static str {
        packet::ROWS.best(self.cpu).name
    }

    fn kernels(cpu: Cpu) -> impl Iterator<Item = (&'static str, Cpu)> {
        Umac::<N>::kernels(cpu)
    }

    fn pad(&self, block: u128, start: usize) -> u128 {
        pads::pad(&Kdf::<Rfc4418>::new(self.cpu, &self.secret).pad_key(), block, start)
    }

    fn encrypt(&self, blocks: &mut [u64; 2 * PADS], count: usize) {
        pads::encrypt(&Kdf::<Rfc4418>::new(self.cpu, &self.secret).pad_key(), blocks, count);
    }

    fn tag(&self, block: u128, start: usize, message: &[u8], tag: &mut [u8; N]) {
        self.derive().tag(block, start, message, tag);
    }

    fn tag_with_pad(&self, pad: u128, message: &[u8]) -> Tag<N> {
        self.derive().tag_with_pad(pad, message)
    }

    fn start(&self) -> Self::State {
        let umac = self.derive();
        let state = umac.start();
        (umac, state)
    }

    fn update(&self, (umac, state): &mut Self::State, piece: &[u8]) {
        umac.update(state, piece);
    }

    #[cfg(feature = "parallel")]
    fn update_rayon(&self, (umac, state): &mut Self::State, piece: &[u8]) {
        umac.update_rayon(state, piece);
    }

    fn finish(&self, (umac, state): &Self::State, pad: u128) -> Tag<N> {
        umac.finish(state, pad)
    }

    fn tags(&self, blocks: Blocks, messages: &[&[u8]], tags: &mut [Tag<N>]) {
        self.derive().tags(blocks, messages, tags);
    }
}

impl<const N: usize> ZeroizeOnDrop for Compact<N> {}

impl<const N: usize> Drop for Compact<N> {
    fn drop(&mut self) {
        let Compact { cpu: _, secret } = self;
        secret.zeroize();
    }
}
