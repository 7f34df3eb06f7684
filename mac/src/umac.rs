//! UMAC-32, -64, -96 and -128 (RFC 4418): the composition of the layers, no arithmetic.
//!
//! ```text
//! message - l1_nh -> words - l2_poly -> 128 bits - l3_inner -> 32 bits x streams -+
//! key - kdf ---------^-----------------^----------------------^  nonce - pads - xor -> Tag
//! ```
//!
//! A tag of `N` = 4, 8, 12 or 16 bytes is the output of `N / 4` streams: the same hash under
//! different keys, side by side.
//!
//! **Bound.** At least one of `v` forgery attempts succeeds with probability at most about
//! `v * 2^-(30 N / 4)` (2^-30, 2^-60, 2^-90, 2^-120 for one attempt; claimed in RFC 4418, section 6), plus twice the
//! advantage of telling AES-128 from a random permutation, *if no nonce is used twice under one key*. That
//! pads and subkeys come from a permutation makes a forgery at most 1 + 2^-32 times as likely, up to 2^48
//! messages (Bernstein, "Stronger security bounds for Wegman-Carter-Shoup authenticators", EUROCRYPT 2005;
//! docs/bounds.md of `wegman-catalogue`). Attempts do not count as messages.
//!
//! ```
//! use wegman::{NonceOf, umac};
//!
//! let key = umac::Key::<8>::new(b"sixteen byte key"); // UMAC-64: 8-byte tags
//! let tag = key.tag(NonceOf::counter(1), b"a message"); // a nonce: never twice under one key
//!
//! let received = NonceOf::counter(1);
//! assert!(key.verify(&received, b"a message", &tag).is_ok());
//! assert!(key.verify(&received, b"b message", &tag).is_err());
//!
//! let mut stream = key.stream();
//! stream.update(b"a mess");
//! stream.update(b"age");
//! assert!(stream.verify(&received, &tag).is_ok());
//! ```

mod batch;
mod compact;
pub(crate) mod kdf;
pub(crate) mod l1_nh;
pub(crate) mod l2_poly;
pub(crate) mod l3_inner;
pub(crate) mod packet;
#[cfg(feature = "parallel")]
mod parallel;

pub use compact::{Compact, CompactKey, CompactStream};

use crate::buffer::{Buffer, not_last};
use crate::cipher::Aes128;
use crate::cpu::{Cpu, Needs};
use crate::ct::wipe;
use crate::nonce::Nonce;
use crate::nonce_mac::{self, Difference, Eights, HashAndPads, Prefixes, padded};
use crate::pads::{self, PADS};
use crate::rows::Row;
use crate::tag::{InvalidLength, Tag};
use core::marker::PhantomData;
use kdf::{Edition, Kdf, Rfc4418};
use l1_nh::{CHUNK, Nh};
use packet::{NEAR, Packet};
use zeroize::{Zeroize, ZeroizeOnDrop};

/// The largest number of streams: UMAC-128 has four.
pub const MAX_STREAMS: usize = 4;

/// A UMAC key for tags of `N` bytes and nonces of `L` bytes. `N` is 4, 8, 12 or 16 and `L` is 8 to 16 (`cargo build` refuses
/// other lengths).
///
/// ```compile_fail,E0080
/// let key = wegman::umac::Key::<5>::new(b"sixteen byte key");
/// ```
///
/// A tag of another length and a nonce of another length are other types:
///
/// ```compile_fail,E0308
/// # use wegman::{NonceOf, Tag, umac};
/// # let key = umac::Key::<8>::new(b"sixteen byte key");
/// let tag: Tag<4> = key.tag(NonceOf::counter(1), b"a message");
/// ```
///
/// ```compile_fail,E0308
/// # use wegman::{NonceOf, umac};
/// # let key = umac::Key::<8>::new(b"sixteen byte key");
/// let tag = key.tag(NonceOf::from([0; 12]), b"a message");
/// ```
///
/// Making a key costs about 70 AES calls, and 7 more for each stream. Share the key (`&Key` is `Send` and `Sync`)
/// instead of making a new one for each message. docs/sizes.md says how large it is; [`CompactKey`] is small.
pub type Key<const N: usize, const L: usize = 8> = nonce_mac::Key<Umac<N>, N, L>;

/// A message under way: any split of a message into pieces gives the same tag. `K` lends it the [`Key`].
pub type Stream<K, const N: usize, const L: usize = 8> = nonce_mac::Stream<K, Umac<N>, N, L>;

/// UMAC with all its subkeys: what [`Key`] is a key of. Editions differ in how they derive subkeys.
#[derive(Clone)]
pub struct Umac<const N: usize, E = Rfc4418> {
    nh: Nh,
    packet: Option<Packet>,
    /// The keys of levels 1 and 2, and everything else that the packet kernels load.
    hash: packet::Key,
    l3: [l3_inner::Key; MAX_STREAMS],
    pad: Aes128,
    edition: PhantomData<E>,
}

/// The blocks of all subkeys, for each layer, the masks and the key of the pads.
const fn subkey_blocks(streams: u32) -> u32 {
    let l1 = CHUNK as u32 / 16 + streams - 1;
    let l2 = (24 * streams).div_ceil(16);
    let l3 = 4 * streams;
    let masks = (4 * streams).div_ceil(16);
    l1 + l2 + l3 + masks + 1
}

impl<const N: usize, E: Edition> HashAndPads<N> for Umac<N, E> {
    const NAME: &'static str = E::NAME;
    const FAMILY: &'static str = E::FAMILY;
    const PAD_BYTES: usize = N;
    const DIFFERENCE: Difference = Difference::half_to(30 * (N as u32 / 4));
    const FED_BACK: u32 = if E::FED_BACK { subkey_blocks(N as u32 / 4) } else { 0 };
    const NONCE_BYTES: &'static [usize] = Nonce::LENGTHS;
    type Secret = [u8; 16];
    type State = State;

    fn from_slice(cpu: Cpu, secret: &[u8]) -> Result<Self, InvalidLength> {
        let secret = secret.try_into().map_err(|_| InvalidLength)?;
        let kdf = Kdf::<E>::new(cpu, secret);
        let mut hash = packet::Key::new(
            l1_nh::Key::derive(&kdf, Self::STREAMS),
            l2_poly::Key::derive(&kdf, Self::STREAMS),
        );
        let l3 = l3_inner::Key::derive(&kdf, Self::STREAMS);
        let pad = kdf.pad_key();
        let packet = Packet::new(cpu, &pad, Self::STREAMS, &mut hash, &l3);
        let nh = Nh::new(cpu, Self::STREAMS);
        Ok(Umac { nh, packet, hash, l3, pad, edition: PhantomData })
    }

    fn kernel(&self) -> &'static str {
        self.packet.map_or(self.nh.name(), Packet::name)
    }

    fn kernels(cpu: Cpu) -> impl Iterator<Item = (&'static str, Cpu)> {
        // The layers, where no packets have their name, and the packets. If the layers' features were enough for packets,
        // their keys would choose those: they do without AES instructions.
        let packets = Row::named(packet::ROWS, cpu, |_| Needs::NONE);
        let is_packet = move |name| Row::fitting(packet::ROWS, cpu).any(|row| row.name == name);
        let layers = Row::named(l1_nh::ROWS, cpu, |_| Needs::NONE)
            .filter(move |(name, _)| !is_packet(*name))
            .map(|(name, cpu)| match Row::best(packet::ROWS, cpu) {
                Some(_) => (name, cpu.without(Needs::AES)),
                None => (name, cpu),
            });
        layers.chain(packets)
    }

    #[inline]
    fn pad(&self, block: u128, start: usize) -> u128 {
        match self.packet {
            Some(packet) => packet.pad(&self.hash, block, start),
            None => pads::pad(&self.pad, block, start),
        }
    }

    #[inline]
    fn encrypt(&self, blocks: &mut [u64; 2 * PADS], count: usize) {
        match self.packet {
            Some(packet) => packet.encrypt(&self.hash, blocks, count),
            None => pads::encrypt(&self.pad, blocks, count),
        }
    }

    #[inline(always)] // a call would store a tag in halves
    fn tag(&self, block: u128, start: usize, message: &[u8], tag: &mut [u8; N]) {
        match self.packet {
            Some(packet) if message.len() <= NEAR => {
                let packet = packet.with_streams(streams(N));
                packet.tag_into(&self.hash, block, start, message, tag);
            }
            _ => self.prefix_in_layers_into(block, start, message, tag),
        }
    }

    #[inline]
    fn tag_with_pad(&self, pad: u128, message: &[u8]) -> Tag<N> {
        padded(self.hash::<N>(message), pad)
    }

    fn start(&self) -> State {
        State { l2: l2_poly::State::new(), buffer: Buffer::new() }
    }

    fn update(&self, state: &mut State, piece: &[u8]) {
        let State { l2, buffer } = state;
        buffer.update(piece, |chunks| self.absorb::<N>(l2, chunks));
    }

    #[cfg(feature = "parallel")]
    fn update_rayon(&self, state: &mut State, piece: &[u8]) {
        let State { l2, buffer } = state;
        buffer.update(piece, |chunks| self.absorb_on_threads(l2, chunks));
    }

    fn finish(&self, state: &State, pad: u128) -> Tag<N> {
        let State { l2, buffer } = state;
        padded(self.finish_layers::<N>(&mut l2.clone(), buffer.last()), pad)
    }

    #[inline]
    fn eights(&self) -> Option<Eights<Self, N>> {
        self.packet.is_some().then_some(Eights {
            tags: Self::tag_eight,
            longest: NEAR,
            verifies: false,
        })
    }
}

impl<const N: usize, E: Edition> Prefixes<N> for Umac<N, E> {
    const WORD_BYTES: usize = 4;

    #[inline(always)]
    fn prefix<const M: usize>(&self, block: u128, start: usize, message: &[u8]) -> Tag<M> {
        match self.packet {
            Some(packet) if message.len() <= NEAR => {
                let packet = packet.with_streams(streams(M));
                Tag::from(packet.tag(&self.hash, block, start, message))
            }
            _ => self.prefix_in_layers(block, start, message),
        }
    }
}

impl<const N: usize, E: Edition> Umac<N, E> {
    const STREAMS: usize = {
        assert!(matches!(N, 4 | 8 | 12 | 16), "a UMAC tag has 4, 8, 12 or 16 bytes");
        streams(N)
    };

    #[inline(never)]
    fn prefix_in_layers<const M: usize>(
        &self,
        block: u128,
        start: usize,
        message: &[u8],
    ) -> Tag<M> {
        // The pad comes first, so that its AES rounds overlap with the hash.
        let pad = self.pad(block, start);
        padded(self.hash::<M>(message), pad)
    }

    /// A function of its own, so that nothing but the place is kept for what follows.
    #[inline(never)]
    fn prefix_in_layers_into<const M: usize>(
        &self,
        block: u128,
        start: usize,
        message: &[u8],
        tag: &mut [u8; M],
    ) {
        *tag = self.prefix_in_layers(block, start, message).to_bytes();
    }

    /// The hash of a message for a tag's prefix of `M` bytes.
    #[doc(hidden)]
    #[inline]
    pub fn hash<const M: usize>(&self, message: &[u8]) -> u128 {
        match self.packet {
            Some(packet) if message.len() <= NEAR => {
                packet.with_streams(streams(M)).hash(&self.hash, message)
            }
            _ => self.hash_in_layers::<M>(message),
        }
    }

    #[inline(never)]
    fn hash_in_layers<const M: usize>(&self, message: &[u8]) -> u128 {
        let (chunks, last) = not_last(message);
        let mut l2 = l2_poly::State::new();
        self.absorb::<M>(&mut l2, chunks);
        self.finish_layers::<M>(&mut l2, last)
    }

    /// Level 3 of one 64-bit word for each stream.
    #[inline]
    fn level3<const M: usize>(&self, words: [u64; MAX_STREAMS]) -> u128 {
        match self.packet {
            Some(packet) => packet.with_streams(streams(M)).inner(&self.hash, &words),
            None => {
                (0..streams(M)).fold(0, |hash, t| hash | self.l3[t].part(t, u128::from(words[t])))
            }
        }
    }

    /// Level 1 of chunks, none of which is the last of the message. `take` gets the words of a chunk after level 1 of
    /// the next chunk. So level 2's chain of multiplications never waits for unfinished sums and overlaps with the
    /// vector code.
    #[inline]
    fn each_chunk<const M: usize>(&self, chunks: &[[u8; CHUNK]], mut take: impl FnMut(&[u64])) {
        let mut sums = [[0; MAX_STREAMS]; 2];
        let [mut now, mut before] = sums.each_mut().map(|sums| &mut sums[..streams(M)]);
        let nh = self.nh.with_streams(streams(M));
        for (i, chunk) in chunks.iter().enumerate() {
            nh.chunk(&self.hash.l1, chunk, now);
            core::mem::swap(&mut now, &mut before);
            if i > 0 {
                take(now);
            }
        }
        if !chunks.is_empty() {
            take(before);
        }
        wipe(&mut sums);
    }

    /// Absorbs chunks, none of which is the last of the message, for a tag's prefix of `M` bytes.
    fn absorb<const M: usize>(&self, l2: &mut l2_poly::State, chunks: &[[u8; CHUNK]]) {
        if let Some(packet) = self.packet {
            return packet.with_streams(streams(M)).absorb(&self.hash, l2, chunks);
        }
        self.each_chunk::<M>(chunks, |sums| l2.absorb_row(&self.hash.l2, sums));
    }

    /// Absorbs the last chunk, of 0 to 1024 bytes, and gives the hash for a tag's prefix of `M` bytes.
    #[inline]
    fn finish_layers<const M: usize>(&self, l2: &mut l2_poly::State, last: &[u8]) -> u128 {
        let mut sums = [0; MAX_STREAMS];
        self.nh.with_streams(streams(M)).last(&self.hash.l1, last, &mut sums[..streams(M)]);
        let hash = if l2.count() == 0 {
            // A message of one chunk skips level 2 (RFC 4418, section 5.1).
            self.level3::<M>(sums)
        } else {
            l2.absorb_row(&self.hash.l2, &sums[..streams(M)]);
            if l2.is_of_64() {
                self.level3::<M>(l2.words_64())
            } else {
                let part = |t: usize| self.l3[t].part(t, l2.finish(&self.hash.l2[t], t));
                (0..streams(M)).fold(0, |hash, t| hash | part(t))
            }
        };
        wipe(&mut sums);
        hash
    }
}

/// How many streams make `bytes` bytes of a tag.
const fn streams(bytes: usize) -> usize {
    bytes / 4
}

impl<const N: usize, E> ZeroizeOnDrop for Umac<N, E> {}

impl<const N: usize, E> Drop for Umac<N, E> {
    fn drop(&mut self) {
        // `pad` wipes its own round keys; `nh` and `packet` are choices of kernels and no secret.
        let Umac { nh: _, packet: _, hash, l3, pad: _, edition: _ } = self;
        hash.zeroize();
        l3.zeroize();
    }
}

#[doc(hidden)]
/// A message under way: level 2 of its chunks so far, and its last bytes. Both wipe themselves.
#[derive(Clone)]
pub struct State {
    l2: l2_poly::State,
    buffer: Buffer<CHUNK>,
}
