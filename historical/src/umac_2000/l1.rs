//! Level 1: NH of a chunk of at most n bytes, and its length in bits (draft, sections 5.1, 5.2, 6.1, 6.2).
//!
//! ```text
//! unit of 32 bytes, g = 16/w:   x0 .. x(g-1)   y0 .. y(g-1)       sum += (xj + kj) * (yj + k(j+g))
//! ```
//!
//! Sums of words are modulo 2^8w, the total is modulo 2^16w. The key of stream `t` starts 16 t bytes later. UMAC16's words
//! have kernels, also in shorter chunks; everything else is plain code.

use super::kdf::{Index, Kdf};
use super::{Endian, Parameters, Sign};
use crate::l1_nh16;
use alloc::boxed::Box;
use alloc::vec::Vec;
use wegman::cpu::Cpu;
use wegman::hazmat::ct::wipe;
use wegman::hazmat::rows::Row;
use zeroize::Zeroize;

/// NH takes the message in units of 32 bytes.
const UNIT: usize = 32;

/// The longest chunk for the kernels of signed 16-bit words.
const CHUNK16: usize = 1024;
/// The largest number of streams for one key of these kernels.
const STREAMS16: usize = 8;
type Key16 = l1_nh16::Key<{ l1_nh16::steps(CHUNK16) }>;

/// Whether the kernels for UMAC16's words compute NH. Chunks may be shorter than in UMAC16.
fn has_kernels(parameters: &Parameters) -> bool {
    let words = (parameters.word_bytes(), parameters.sign(), parameters.endian());
    let fits = parameters.l1_key_bytes() <= CHUNK16 && parameters.words() <= STREAMS16;
    matches!(words, (2, Sign::Signed, Endian::Little)) && fits
}

/// NH in plain code of words of one type, with a loop of its own for each sign and byte order.
macro_rules! plain_in_order {
    ($word:ty, $signed:ty: $of:ident, $key:ident, $chunk:ident, $sums:ident) => {{
        let little = |m, k: $word| <$word>::from_le_bytes(m).wrapping_add(k);
        let big = |m, k: $word| <$word>::from_be_bytes(m).wrapping_add(k);
        let signed = |word: $word| i64::from(word as $signed);
        match ($of.sign, $of.endian) {
            (Sign::Unsigned, Endian::Little) => {
                plain($key, $chunk, $sums, |m, k| little(m, k).into());
            }
            (Sign::Unsigned, Endian::Big) => plain($key, $chunk, $sums, |m, k| big(m, k).into()),
            (Sign::Signed, Endian::Little) => {
                plain($key, $chunk, $sums, |m, k| signed(little(m, k)));
            }
            (Sign::Signed, Endian::Big) => plain($key, $chunk, $sums, |m, k| signed(big(m, k))),
        }
    }};
}

/// The level-1 key of all streams, with its kernel.
#[derive(Clone)]
pub(super) struct Key {
    words: Words,
    sign: Sign,
    endian: Endian,
}

#[derive(Clone)]
enum Words {
    /// For kernels.
    Signed16(Box<Key16>, &'static Row<l1_nh16::ByStreams>),
    Plain16(Vec<u16>),
    Plain32(Vec<u32>),
}

impl Key {
    pub(super) fn derive(cpu: Cpu, kdf: &Kdf, parameters: &Parameters) -> Key {
        let (n, streams) = (parameters.l1_key_bytes(), parameters.words());
        let blocks = n / 16 + streams - 1;
        let words = if has_kernels(parameters) {
            let mut words = words_of(kdf, blocks, u16::from_be_bytes);
            let key = Key16::boxed(words.iter().copied());
            words.zeroize();
            Words::Signed16(key, l1_nh16::ROWS.best(cpu))
        } else if parameters.word_bytes() == 2 {
            Words::Plain16(words_of(kdf, blocks, u16::from_be_bytes))
        } else {
            Words::Plain32(words_of(kdf, blocks, u32::from_be_bytes))
        };
        Key { words, sign: parameters.sign(), endian: parameters.endian() }
    }

    pub(super) fn kernel(&self) -> &'static str {
        match &self.words {
            Words::Signed16(_, row) => row.name,
            Words::Plain16(_) | Words::Plain32(_) => "portable",
        }
    }

    /// The level-1 hash of a chunk of 0 to n bytes, for the first `sums.len()` streams.
    ///
    /// # Bounds
    /// Out: words below 2^64 or, if words have 2 bytes, below 2^32.
    pub(super) fn hash(&self, chunk: &[u8], sums: &mut [u64]) {
        self.nh(chunk, sums);
        let bits = 8 * chunk.len() as u64;
        let is_32 = matches!(self.words, Words::Plain32(_));
        let modulus_mask = if is_32 { u64::MAX } else { u32::MAX.into() };
        sums.iter_mut().for_each(|sum| *sum = sum.wrapping_add(bits) & modulus_mask);
    }

    /// NH of a chunk, which is padded with zeroes to whole units. An empty chunk is a unit of zeroes. Bits
    /// above the modulus are unspecified.
    fn nh(&self, chunk: &[u8], sums: &mut [u64]) {
        match &self.words {
            Words::Signed16(key, row) => {
                let mut short = [0; STREAMS16];
                row.functions.nh(key, chunk, &mut short[..sums.len()]);
                for (sum, &short) in sums.iter_mut().zip(&short) {
                    *sum = short.into();
                }
                wipe(&mut short);
            }
            Words::Plain16(key) => {
                plain_in_order!(u16, i16: self, key, chunk, sums);
            }
            Words::Plain32(key) => {
                plain_in_order!(u32, i32: self, key, chunk, sums);
            }
        }
    }
}

impl Drop for Key {
    fn drop(&mut self) {
        let Key { words, sign: _, endian: _ } = self;
        match words {
            Words::Signed16(key, _) => key.zeroize(),
            Words::Plain16(words) => words.zeroize(),
            Words::Plain32(words) => words.zeroize(),
        }
    }
}

/// The kernels of this machine for a set of parameters: the name, and the `Cpu` that makes a key choose it.
pub(super) fn kernels(cpu: Cpu, parameters: &Parameters) -> Vec<(&'static str, Cpu)> {
    if has_kernels(parameters) {
        l1_nh16::ROWS.with_aes(cpu).collect()
    } else {
        [("portable", Cpu::PORTABLE)].into()
    }
}

/// The key's words in order. The vector gets its whole capacity at once, so that it never moves and leaves no part of a
/// key behind.
fn words_of<const W: usize, T>(kdf: &Kdf, blocks: usize, word: impl Fn([u8; W]) -> T) -> Vec<T> {
    let mut words = Vec::with_capacity(blocks * (16 / W));
    kdf.blocks(Index::L1, blocks, |block| {
        words.extend(block.as_chunks().0.iter().map(|bytes| word(*bytes)));
    });
    words
}

/// NH in plain code: words of `W` bytes, and a `factor` from each word of the message and its key word. The sums are
/// modulo 2^64, and their low 32 bits are the sums modulo 2^32. `factor` returns every factor, signed or not, as an
/// `i64`, so one multiplication modulo 2^64 serves both.
fn plain<const W: usize, K: Copy>(
    key: &[K],
    chunk: &[u8],
    sums: &mut [u64],
    factor: impl Fn([u8; W], K) -> i64,
) {
    let g = 16 / W;
    sums.fill(0);
    let (units, rest) = chunk.as_chunks::<UNIT>();
    let mut last = [0; UNIT];
    last[..rest.len()].copy_from_slice(rest);
    let last = (!rest.is_empty() || units.is_empty()).then_some(last);
    for (i, unit) in units.iter().chain(&last).enumerate() {
        let (m, _) = unit.as_chunks::<W>();
        for (t, sum) in sums.iter_mut().enumerate() {
            let k = &key[g * (2 * i + t)..][..2 * g];
            for j in 0..g {
                let product = factor(m[j], k[j]).wrapping_mul(factor(m[j + g], k[j + g]));
                *sum = sum.wrapping_add(product as u64);
            }
        }
    }
}
