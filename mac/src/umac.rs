//! UMAC-32, -64, -96 and -128 (RFC 4418): keys and states, no arithmetic. umac/packet.rs composes the levels.
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
//! `v * 2^-(30 N / 4)` (2^-30, 2^-60, 2^-90, 2^-120 for one attempt; RFC 4418, section 6, proved by Coq), plus twice the
//! advantage of telling AES-128 from a random permutation, *if no nonce is used twice under one key*. That
//! pads and subkeys come from a permutation makes a forgery about 1 + 2^-33 times as likely, up to 2^48
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

mod compact;
pub(crate) mod kdf;
pub(crate) mod l1_nh;
pub(crate) mod l2_poly;
pub(crate) mod l3_inner;
pub(crate) mod packet;
#[cfg(feature = "parallel")]
mod parallel;

pub use compact::{Compact, CompactKey, CompactStream};

use crate::buffer::Buffer;
use crate::cpu::{Cpu, Needs};
use crate::nonce::Nonce;
use crate::nonce_mac::{self, Difference, Eights, HashAndPads, Prefixes, with_pad};
use crate::pads::{self, PADS};
use crate::tag::Tag;
use core::marker::PhantomData;
use kdf::{Edition, Kdf, Rfc4418};
use l1_nh::CHUNK;
use packet::{Functions, NEAR};
use zeroize::ZeroizeOnDrop;

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
/// Making a key costs about 65 AES calls, and 6 or 7 more for each stream. Share the key (`&Key` is `Send` and `Sync`)
/// instead of making a new one for each message. docs/sizes.md says how large it is; [`CompactKey`] is small.
pub type Key<const N: usize, const L: usize = 8> = nonce_mac::Key<Umac<N>, N, L>;

/// A message under way: any split of a message into pieces gives the same tag. `K` lends it the [`Key`].
pub type Stream<K, const N: usize, const L: usize = 8> = nonce_mac::Stream<K, Umac<N>, N, L>;

/// UMAC with all its subkeys: what [`Key`] is a key of. Editions differ in how they derive subkeys.
#[derive(Clone)]
pub struct Umac<const N: usize, E = Rfc4418> {
    key: packet::Key,
    edition: PhantomData<E>,
}

/// The blocks of all subkeys, for each level, the masks and the key of the pads.
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

    fn new(cpu: Cpu, secret: &[u8]) -> Self {
        let kdf = Kdf::<E>::new(cpu, secret);
        let mut key = packet::Key::blank(packet::ROWS.best(cpu), kdf.pad_key());
        key.derive(&kdf, Self::STREAMS);
        Umac { key, edition: PhantomData }
    }

    const IN_PLACE: bool = true;

    fn put<'p>(cpu: Cpu, secret: &[u8], place: impl FnOnce(Self) -> &'p mut Self) {
        let kdf = Kdf::<E>::new(cpu, secret);
        let key = packet::Key::blank(packet::ROWS.best(cpu), kdf.pad_key());
        place(Umac { key, edition: PhantomData }).key.derive(&kdf, Self::STREAMS);
    }

    fn kernel(&self) -> &'static str {
        self.key.row.name
    }

    #[inline]
    fn needs(&self) -> Needs {
        self.key.row.needs
    }

    fn kernels(cpu: Cpu) -> impl Iterator<Item = (&'static str, Cpu)> {
        packet::ROWS.kernels(cpu)
    }

    fn pad(&self, block: u128, start: usize) -> u128 {
        pads::pad(&self.key.pad, block, start)
    }

    fn encrypt(&self, blocks: &mut [u64; 2 * PADS], count: usize) {
        pads::encrypt(&self.key.pad, blocks, count);
    }

    #[inline(always)] // a call would store a tag in halves
    fn tag(&self, block: u128, start: usize, message: &[u8], tag: &mut [u8; N]) {
        self.functions().tag(&self.key, block, start, message, tag);
    }

    const TAKES_HEADS: bool = true;

    #[inline(always)]
    fn tag_after(
        &self,
        block: u128,
        start: usize,
        head: &[u8; 64],
        rest: &[u8],
        tag: &mut [u8; N],
    ) -> bool {
        self.functions().tag_after(&self.key, block, start, head, rest, tag)
    }

    #[inline]
    fn tag_with_pad(&self, pad: u128, message: &[u8]) -> Tag<N> {
        with_pad(self.functions().hash(&self.key, message), pad)
    }

    #[inline(always)] // a call would copy the buffer, of which nothing is initialised
    fn start(&self) -> State {
        State { buffer: Buffer::new(), l2: l2_poly::State::new() }
    }

    #[inline]
    fn update(&self, state: &mut State, piece: &[u8]) {
        let State { l2, buffer } = state;
        if self.key.row.functions.hold(piece, buffer) {
            return;
        }
        buffer.update(piece, |chunks| self.functions().absorb(&self.key, l2, chunks));
    }

    #[cfg(feature = "parallel")]
    fn update_rayon(&self, state: &mut State, piece: &[u8]) {
        let State { l2, buffer } = state;
        buffer.update(piece, |chunks| self.absorb_on_threads(l2, chunks));
    }

    fn finish(&self, state: &State, pad: u128) -> Tag<N> {
        let State { l2, buffer } = state;
        with_pad(self.functions().finish(&self.key, &mut l2.clone(), buffer.last()), pad)
    }

    /// One of at most a chunk.
    #[inline]
    fn whole(State { l2, buffer }: &State) -> Option<&[u8]> {
        (l2.count() == 0).then(|| buffer.last())
    }

    #[inline]
    fn reset(&self, State { l2, buffer }: &mut State) {
        if l2.count() > 0 {
            *l2 = l2_poly::State::new();
        }
        buffer.clear();
    }

    #[inline]
    fn eights(&self) -> Option<Eights<Self, N>> {
        self.functions().takes_eight().then_some(Eights {
            tags: |umac, blocks, messages, tags| {
                umac.functions().tags(&umac.key, blocks, messages, tags)
            },
            longest: NEAR,
            verifies: false,
        })
    }
}

impl<const N: usize, E: Edition> Prefixes<N> for Umac<N, E> {
    #[inline(always)]
    fn prefix<const M: usize>(&self, block: u128, start: usize, message: &[u8]) -> Tag<M> {
        let functions = self.key.row.functions.of(streams(M));
        Tag::written(|tag| functions.tag(&self.key, block, start, message, tag))
    }
}

impl<const N: usize, E: Edition> Umac<N, E> {
    const STREAMS: usize = {
        assert!(matches!(N, 4 | 8 | 12 | 16), "a UMAC tag has 4, 8, 12 or 16 bytes");
        streams(N)
    };

    #[inline(always)]
    fn functions(&self) -> &'static Functions {
        self.key.row.functions.of(Self::STREAMS)
    }

    /// The hash of a message for a tag's prefix of `M` bytes.
    #[doc(hidden)]
    pub fn hash<const M: usize>(&self, message: &[u8]) -> u128 {
        self.key.row.functions.of(streams(M)).hash(&self.key, message)
    }
}

/// How many streams make `bytes` bytes of a tag.
const fn streams(bytes: usize) -> usize {
    bytes / 4
}

impl<const N: usize, E> ZeroizeOnDrop for Umac<N, E> {}

#[doc(hidden)]
/// A message under way: level 2 of its chunks so far, and its last bytes. Both wipe themselves.
#[derive(Clone)]
#[repr(C)] // the message first
pub struct State {
    buffer: Buffer<CHUNK>,
    l2: l2_poly::State,
}
