//! Level 1: NH, from 1024 bytes of message to 64 bits for each stream (RFC 4418, section 5.2).
//!
//! ```text
//! for each stream t and each unit i of 32 bytes, padded with zeroes, the words x0 x1 x2 x3 y0 y1 y2 y3:
//!     for j = 0..3:  sum_t += (x_j + k[8 i + 4 t + j]) (y_j + k[8 i + 4 t + 4 + j])
//! ```
//!
//! Sums of words are mod 2^32, sums of products mod 2^64: both wrap by definition, so no kernel of NH states bounds.
//! An empty message is a unit of zeroes. The kernels depart from this (docs/lanes.md draws their registers):
//!
//! 1. All streams take a unit together. The key of a stream's y is that of the next stream's x, so it is loaded once.
//! 2. The products of even j and of odd j are apart, and a stream's sum is spread over lanes until the chunk ends.
//! 3. In avx2 with one stream, and in avx512 with one or two, x_j and y_j share a 64-bit lane; the key has that order, too.
//! 4. avx512, and avx2 with two streams or more, pad the last unit in registers: a mask or a shuffle leaves zeroes.
//!
//! | function | files | gives |
//! |---|---|---|
//! | `words` | portable; halves, for neon and simd128 | the words of at most a chunk: a kernel. In the oracle, `l1_hash` |
//! | `lanes` | halves, for packets in 128 bits; avx2, avx512 | the sums of at most a chunk, not yet added across lanes |
//! | `whole_lanes`, `short_lanes` | the same | those of a whole chunk, of at most 64 bytes |
//! | `four_lanes`, `four_whole_lanes` | avx512 | the same with a stream in each lane |
//! | `first_unit`, `with_second_unit`; `lanes_of_eight` | avx512 | in a batch: a short message; eight units side by side |
//! | `totals`, `four_in_lanes` | avx512 | the sums of `lanes` and `whole_lanes`, added across lanes |
//! | `add_unit`, `pairs`, `words_of` | sse, neon, simd128 | the operations of halves |
//!
//! Rows with packets have their `words` in the packet's file: `words_of_chunk` there adds the sums of `lanes`.
//!
//! A kernel sees key words and message bytes and knows nothing of tags or nonces.

#[cfg(target_arch = "x86_64")]
pub(crate) mod avx2;
#[cfg(target_arch = "x86_64")]
pub(crate) mod avx512;
// Only if every machine of the target has NEON, and a message's bytes are its words in memory order.
#[cfg(any(
    target_arch = "x86_64",
    all(target_arch = "aarch64", target_endian = "little", target_feature = "neon"),
    all(target_arch = "wasm32", target_feature = "simd128"),
))]
pub(crate) mod halves;
#[cfg(all(target_arch = "aarch64", target_endian = "little", target_feature = "neon"))]
pub(crate) mod neon;
pub(crate) mod portable;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
pub(crate) mod simd128;
#[cfg(target_arch = "x86_64")]
pub(crate) mod sse;

use crate::aligned::Aligned;
use crate::ct::wipe;
use crate::umac::MAX_STREAMS;
use crate::umac::kdf::{Edition, Index, Kdf};
use zeroize::Zeroize;

/// Bytes of message in a chunk; only the last chunk may be shorter.
pub(crate) const CHUNK: usize = 1024;
/// NH takes the message in units of 32 bytes: four pairs of 32-bit words.
pub(crate) const UNIT: usize = 32;

/// Words of the longest Toeplitz key: stream `t` uses words `4 t` to `4 t + 255`.
const KEY_WORDS: usize = CHUNK / 4 + 4 * (MAX_STREAMS - 1);

/// Four key words: those of the x, or of the y, of a unit and a stream.
type Four = Aligned<[u32; 4]>;

/// The key words of a unit, for all streams: stream `t` has number `t` for x and the next one for y.
pub(crate) type UnitKey = [Four; MAX_STREAMS + 1];

/// A whole chunk: its first 64 bytes, which may lie elsewhere, and the others.
#[cfg(target_arch = "x86_64")]
pub(crate) type InTwo<'m> = (&'m [u8; 64], &'m [u8; CHUNK - 64]);

/// A chunk as [`InTwo`].
#[cfg(target_arch = "x86_64")]
#[inline(always)]
pub(crate) fn in_two(chunk: &[u8; CHUNK]) -> InTwo<'_> {
    let (head, rest) = chunk.split_first_chunk().expect("a chunk has 64 bytes");
    (head, rest.first_chunk().expect("what is left of a chunk"))
}

/// The level-1 key as numbers. The streams share it; each stream starts four words after the one before it.
#[derive(Clone)]
#[cfg_attr(target_arch = "x86_64", repr(C, align(64)))] // whole cache lines for the widest loads
pub(crate) struct Key {
    /// The words ordered so that the two words of a product are neighbours: words j and j + 4 of every eight, for the
    /// kernels in wide registers. The first order begins with stream 0, the second with stream 1. Streams 2 and 3 are the
    /// same, a unit later.
    #[cfg(target_arch = "x86_64")]
    pairs: [[u32; PAIR_WORDS]; 2],
    /// The words in order.
    words: [Four; KEY_WORDS / 4],
}

/// The words of a stream and a unit more, up to the end of a cache line.
#[cfg(target_arch = "x86_64")]
const PAIR_WORDS: usize = CHUNK / 4 + 16;

impl Key {
    pub(crate) const ZERO: Key = Key {
        #[cfg(target_arch = "x86_64")]
        pairs: [[0; PAIR_WORDS]; 2],
        words: [Aligned([0; 4]); KEY_WORDS / 4],
    };

    /// Fills in the key, in its place: a move would cost as much.
    #[inline(never)] // a proof runs it
    pub(crate) fn derive(&mut self, streams: usize, kdf: &Kdf<impl Edition>) {
        let mut bytes = [0; 4 * KEY_WORDS];
        kdf.fill(Index::L1, &mut bytes[..CHUNK + 16 * (streams - 1)]);
        for (four, bytes) in self.words.iter_mut().zip(bytes.as_chunks::<16>().0) {
            let (bytes, _) = bytes.as_chunks();
            *four = Aligned(core::array::from_fn(|j| u32::from_be_bytes(bytes[j])));
        }
        wipe(&mut bytes);
        #[cfg(target_arch = "x86_64")]
        for (t, pairs) in self.pairs.iter_mut().enumerate() {
            let (units, _) = self.words[t..].as_chunks();
            pairs[8 * units.len()..].fill(0);
            for (pairs, [Aligned(x), Aligned(y)]) in
                pairs.as_chunks_mut::<8>().0.iter_mut().zip(units)
            {
                *pairs = [x[0], y[0], x[1], y[1], x[2], y[2], x[3], y[3]];
            }
        }
    }

    /// The key of unit `i`.
    #[inline(always)]
    pub(crate) fn unit(&self, i: usize) -> &UnitKey {
        self.words[2 * i..].first_chunk().expect("a key for each unit of a chunk")
    }
}

#[cfg(target_arch = "x86_64")]
impl Key {
    /// Register `i` of stream `t`'s words in the order of products, a register having `W` of them.
    #[inline(always)]
    fn pairs<const W: usize>(&self, t: usize, i: usize) -> &[u32; W] {
        &self.pairs[t % 2][8 * (t / 2)..].as_chunks().0[i]
    }

    /// The words for the x of unit `i` of streams `2 p` and `2 p + 1`, side by side.
    #[inline(always)]
    fn two_of_x(&self, i: usize, p: usize) -> &[Four; 2] {
        &self.words.as_chunks().0[i + p]
    }

    /// The words for its y: four words on.
    #[inline(always)]
    fn two_of_y(&self, i: usize, p: usize) -> &[Four; 2] {
        &self.words[1..].as_chunks().0[i + p]
    }

    /// The words of streams 0 and 1 for the first 64 bytes, two of one stream beside two of the other: those for the x of
    /// both units, then for their y.
    pub(super) fn two_units(&self) -> [[[u32; 4]; 4]; 2] {
        let of = |half: usize| {
            let two = |unit: usize, word: usize| {
                let (a, b) = (self.words[half + unit].0, self.words[half + unit + 1].0);
                [a[word], a[word + 1], b[word], b[word + 1]]
            };
            [two(0, 0), two(0, 2), two(2, 0), two(2, 2)]
        };
        [of(0), of(1)]
    }

    /// Stream `t`'s key words for the first two units, in the lanes of the packet kernels. Four lists: the keys of
    /// words 0 and 1 of x, of words 0 and 1 of y, of words 2 and 3 of x, of words 2 and 3 of y.
    pub(super) fn lanes(&self, t: usize) -> [[u32; 8]; 4] {
        [0, 4, 2, 6].map(|word| {
            // Of two messages: the pair of words in their first unit, then the pair in their second unit.
            let place = |i| t + word / 4 + 2 * (i / 4);
            core::array::from_fn(|i| self.words[place(i)].0[word % 4 + i % 2])
        })
    }
}

impl Zeroize for Key {
    fn zeroize(&mut self) {
        let Key {
            #[cfg(target_arch = "x86_64")]
            pairs,
            words,
        } = self;
        #[cfg(target_arch = "x86_64")]
        pairs.iter_mut().for_each(wipe);
        wipe(words);
    }
}

/// The last, shorter unit of a message, padded with zeroes.
fn padded(rest: &[u8]) -> [u8; UNIT] {
    let mut unit = [0; UNIT];
    unit[..rest.len()].copy_from_slice(rest);
    unit
}
