//! UMAC16 of October 2000 (draft-krovetz-umac-01): UMAC-2/l/1024/16/SIGNED/LITTLE with tags of 2, 4, 8 and
//! 16 bytes. Its words have 16 bits: instructions for signal processing multiply them and add the products in pairs.
//!
//! ```text
//! message - l1_nh16 -> words - l2 -> 128 bits - l3 -> 16 bits x streams -+
//! key - kdf ----------^----------^--------------^         nonce - pdf - xor -> Tag
//! ```
//!
//! A tag of `N` bytes is the output of `N / 2` streams. Use it to check old tags and to reproduce what the authors
//! measured. New designs use [`umac`](wegman::umac), whose definition is a standard. Other parameters, and
//! tag prefixes whose length is chosen at run time, are in [`umac_2000`](super::umac_2000).
//!
//! **Bound.** At least one of `v` forgery attempts succeeds with probability at most about `v * 2^-(15 N / 2)`
//! (2^-15, 2^-30, 2^-60, 2^-120 for one attempt; draft, section 8.2), plus about 2^-115 for subkeys in output feedback
//! and twice the advantage of telling AES-128 from a random permutation, *if no nonce is used twice under one key*. Pads cost
//! the factor that [`umac`](wegman::umac) states.
//!
//! ```
//! use wegman::NonceOf;
//! use wegman_historical::Umac16;
//!
//! let key = Umac16::<8>::new(b"sixteen byte key"); // 8-byte tags
//! let tag = key.tag(NonceOf::counter(1), b"a message"); // a nonce: never twice under one key
//! assert!(key.verify(&NonceOf::counter(1), b"a message", &tag).is_ok());
//! ```

pub(crate) mod l3;
pub(crate) mod packet;
pub(crate) mod poly32;

use super::l1_nh16;
use super::umac_2000::Parameters;
use super::umac_2000::l2::{self, Shape};
use super::umac32::Draft2000;
use packet::LONGEST;
use wegman::hazmat::buffer::{Buffer, not_last};
use wegman::hazmat::ct::wipe;
use wegman::hazmat::nonce_mac::{Difference, HashAndPads, Prefixes, with_pad};
use wegman::hazmat::pads::{self, PADS};
use wegman::hazmat::raw::Nonce;
use wegman::hazmat::rows::Row;
use wegman::hazmat::umac::{Index, Kdf};
use wegman::{Aes128, Cpu, Tag, nonce_mac};
use zeroize::{Zeroize, ZeroizeOnDrop};

pub(crate) const MAX_STREAMS: usize = 8;

/// Bytes of message in a chunk; only the last chunk may be shorter.
pub(crate) const CHUNK: usize = 1024;

pub(crate) type L1Key = l1_nh16::Key<{ l1_nh16::steps(CHUNK) }>;

/// A UMAC16 key for tags of `T` bytes and nonces of `L` bytes. `T` is 2, 4, 8 or 16 and `L` is 8 to 16 (other lengths do
/// not compile).
///
/// Making a key costs about 70 AES calls, and a few more for each stream. Share the key.
pub type Umac16<const T: usize, const L: usize = 8> = nonce_mac::Key<Levels<T>, T, L>;

/// A message under way: any split of a message into pieces gives the same tag.
pub type Stream<K, const T: usize, const L: usize = 8> = nonce_mac::Stream<K, Levels<T>, T, L>;

/// UMAC16 with all its subkeys: the MAC inside a [`Umac16`] key.
#[derive(Clone)]
pub struct Levels<const N: usize> {
    row: &'static Row<l1_nh16::ByStreams>,
    whole: Option<&'static packet::ByStreams>,
    keys: packet::Key,
    pad: Aes128,
}

impl<const N: usize> HashAndPads<N> for Levels<N> {
    const NAME: &'static str = "Umac16";
    const FAMILY: &'static str = "UMAC16";
    const PAD_BYTES: usize = N;
    const DIFFERENCE: Difference = Difference::half_to(15 * (N as u32 / 2));
    const FED_BACK: u32 = Parameters::umac16(N).subkey_blocks();
    const NONCE_BYTES: &'static [usize] = Nonce::LENGTHS;
    type Secret = [u8; 16];
    type State = State;

    fn new(cpu: Cpu, secret: &[u8]) -> Self {
        let kdf = Kdf::<Draft2000>::new(cpu, secret);
        let mut l1 = [0; CHUNK + 16 * (MAX_STREAMS - 1)];
        let mut l2 = [[0; 28]; MAX_STREAMS];
        let mut l3 = [[0; 32]; MAX_STREAMS];
        let mut masks = [[0; 2]; MAX_STREAMS];
        kdf.fill(Index::L1, &mut l1[..CHUNK + 16 * (Self::STREAMS - 1)]);
        kdf.fill(Index::L2, l2[..Self::STREAMS].as_flattened_mut());
        kdf.fill(Index::L3, l3[..Self::STREAMS].as_flattened_mut());
        kdf.fill(Index::L3Mask, masks[..Self::STREAMS].as_flattened_mut());
        let mut keys = packet::Key::new(
            L1Key::new(l1.as_chunks().0.iter().map(|word| u16::from_be_bytes(*word))),
            l2.each_ref().map(|bytes| l2::Key::from_bytes(bytes)),
            core::array::from_fn(|t| l3::Key::from_bytes(&l3[t], masks[t])),
        );
        l1.zeroize();
        l2.as_flattened_mut().zeroize();
        l3.as_flattened_mut().zeroize();
        masks.as_flattened_mut().zeroize();
        let pad = kdf.pad_key();
        let whole = packet::whole(cpu, &pad, &mut keys);
        Levels { row: l1_nh16::ROWS.best(cpu), whole, keys, pad }
    }

    fn kernel(&self) -> &'static str {
        self.row.name
    }

    fn kernels(cpu: Cpu) -> impl Iterator<Item = (&'static str, Cpu)> {
        l1_nh16::ROWS.with_aes(cpu).map(move |(name, levels)| {
            // A kernel for whole messages needs what its levels do, and more.
            let whole = packet::ROWS.fitting(cpu).find(|row| row.name == name);
            (name, whole.map_or(levels, |row| cpu.only(row.needs)))
        })
    }

    fn pad(&self, block: u128, start: usize) -> u128 {
        pads::pad(&self.pad, block, start)
    }

    fn encrypt(&self, blocks: &mut [u64; 2 * PADS], count: usize) {
        pads::encrypt(&self.pad, blocks, count);
    }

    #[inline(always)] // a call would store a tag in halves
    fn tag(&self, block: u128, start: usize, message: &[u8], tag: &mut [u8; N]) {
        *tag = self.prefix(block, start, message).to_bytes();
    }

    #[inline]
    fn tag_with_pad(&self, pad: u128, message: &[u8]) -> Tag<N> {
        with_pad(self.hash::<N>(message), pad)
    }

    fn start(&self) -> State {
        State { l2: l2::State::new(Shape::OF_16), buffer: Buffer::new() }
    }

    fn update(&self, state: &mut State, piece: &[u8]) {
        let State { l2, buffer } = state;
        buffer.update(piece, |chunks| self.absorb::<N>(l2, chunks));
    }

    fn finish(&self, state: &State, pad: u128) -> Tag<N> {
        let State { l2, buffer } = state;
        with_pad(self.finish_levels::<N>(l2.clone(), buffer.last()), pad)
    }
}

impl<const N: usize> Prefixes<N> for Levels<N> {
    #[inline(always)]
    fn prefix<const M: usize>(&self, block: u128, start: usize, message: &[u8]) -> Tag<M> {
        match self.whole {
            Some(whole) if message.len() <= LONGEST => {
                Tag::from(whole.tag(&self.keys, block, start, message))
            }
            _ => self.prefix_by_levels(block, start, message),
        }
    }
}

impl<const N: usize> Levels<N> {
    const STREAMS: usize = {
        assert!(matches!(N, 2 | 4 | 8 | 16), "a UMAC16 tag has 2, 4, 8 or 16 bytes");
        streams(N)
    };

    #[inline(never)]
    fn prefix_by_levels<const M: usize>(
        &self,
        block: u128,
        start: usize,
        message: &[u8],
    ) -> Tag<M> {
        with_pad(self.hash_by_levels::<M>(message), pads::pad(&self.pad, block, start))
    }

    /// The hash of a message for a tag's prefix of `M` bytes.
    #[inline]
    pub(crate) fn hash<const M: usize>(&self, message: &[u8]) -> u128 {
        match self.whole {
            Some(whole) if message.len() <= LONGEST => whole.hash::<M>(&self.keys, message),
            _ => self.hash_by_levels::<M>(message),
        }
    }

    #[inline(never)]
    fn hash_by_levels<const M: usize>(&self, message: &[u8]) -> u128 {
        let (chunks, last) = not_last(message);
        let mut l2 = l2::State::new(Shape::OF_16);
        self.absorb::<M>(&mut l2, chunks);
        self.finish_levels::<M>(l2, last)
    }

    /// Absorbs chunks, none of which is the last of the message.
    fn absorb<const M: usize>(&self, state: &mut l2::State, mut chunks: &[[u8; CHUNK]]) {
        if let Some(whole) = self.whole {
            chunks = whole.absorb::<M>(&self.keys, state, chunks);
        }
        for chunk in chunks {
            let mut words = self.level1::<M>(chunk);
            state.absorb_words(&self.keys.l2, &words[..streams(M)]);
            wipe(&mut words);
        }
    }

    /// Absorbs the last chunk and gives the hash for a tag's prefix of `M` bytes. A message of one chunk skips level 2.
    fn finish_levels<const M: usize>(&self, mut state: l2::State, last: &[u8]) -> u128 {
        let is_first = state.count() == 0;
        if let Some(whole) = self.whole.filter(|_| is_first) {
            return whole.hash::<M>(&self.keys, last);
        }
        let mut words = self.level1::<M>(last);
        if !is_first {
            state.absorb_words(&self.keys.l2, &words[..streams(M)]);
        }
        let part = |t: usize| {
            let word = if is_first { words[t].into() } else { state.finish(&self.keys.l2[t], t).0 };
            u128::from(self.keys.l3[t].hash(word).swap_bytes()) << (16 * t)
        };
        let hash = (0..streams(M)).fold(0, |hash, t| hash | part(t));
        wipe(&mut words);
        hash
    }

    /// NH of at most a chunk, plus its length in bits: a word below 2^32 of each stream.
    fn level1<const M: usize>(&self, chunk: &[u8]) -> [u64; MAX_STREAMS] {
        let mut sums = [0_u32; MAX_STREAMS];
        self.row.functions.nh(&self.keys.l1, chunk, &mut sums[..streams(M)]);
        let words = sums.map(|sum| sum.wrapping_add(8 * chunk.len() as u32).into());
        wipe(&mut sums);
        words
    }
}

/// How many streams make `bytes` bytes of a tag.
const fn streams(bytes: usize) -> usize {
    bytes / 2
}

impl<const N: usize> ZeroizeOnDrop for Levels<N> {}

impl<const N: usize> Drop for Levels<N> {
    fn drop(&mut self) {
        // `pad` wipes its own round keys; `row` and `whole` say which kernels are in use, which is not secret.
        let Levels { row: _, whole: _, keys, pad: _ } = self;
        keys.zeroize();
    }
}

/// A message under way: level 2 of its chunks so far, and its last bytes. Both wipe themselves.
#[doc(hidden)]
#[derive(Clone)]
pub struct State {
    l2: l2::State,
    buffer: Buffer<CHUNK>,
}
