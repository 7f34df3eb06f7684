//! A plain read of a buffer: no MAC can be faster. Which loop reads fastest depends on the machine and on where the
//! buffer lies, so that several are tried and the best one is taken: registers of every width, one place or several
//! places at a time.

#![allow(unsafe_code, reason = "vectors chosen at run time")]

use crate::engine::{Engine, Group};
use std::hint::black_box;
use std::time::{Duration, Instant};

/// The row of the plain read, and its name in tables.
pub const READ: &str = "plain read";

/// Bytes read at a place before the next place's turn.
const TURN: usize = 256;

/// A loop over a buffer: the xor of all its words of 8 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reader {
    vectors: Vectors,
    /// How many places are read in turn.
    places: usize,
    /// They lie as far apart as the buffer's length allows, not a page.
    in_parts: bool,
}

/// What a loop reads with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Vectors {
    Default,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    #[cfg(target_arch = "x86_64")]
    Avx512,
}

impl Vectors {
    /// What this machine has, the widest last, with names.
    fn here() -> Vec<(&'static str, Vectors)> {
        #[allow(unused_mut)]
        let mut all = vec![("default", Vectors::Default)];
        #[cfg(target_arch = "x86_64")]
        {
            all.extend(is_x86_feature_detected!("avx2").then_some(("avx2", Vectors::Avx2)));
            all.extend(is_x86_feature_detected!("avx512f").then_some(("avx512", Vectors::Avx512)));
        }
        all
    }
}

impl Reader {
    /// Every loop that this machine can run.
    fn all() -> impl Iterator<Item = Reader> {
        let places = [(1, false), (2, false), (4, false), (2, true), (4, true), (8, true)];
        Vectors::here().into_iter().flat_map(move |(_, vectors)| {
            places.map(|(places, in_parts)| Reader { vectors, places, in_parts })
        })
    }

    /// The fastest of all over this buffer, by `read`, which reads it with a reader.
    pub fn best(read: impl Fn(Reader) -> u64) -> Reader {
        let time = |reader: &Reader| {
            let pass = |_| {
                let began = Instant::now();
                black_box(read(*reader));
                began.elapsed()
            };
            (0..3).map(pass).min().unwrap_or(Duration::MAX)
        };
        Reader::all().min_by_key(time).expect("there are always some")
    }

    /// The xor of all words of the buffer.
    pub fn read(self, bytes: &[u8]) -> u64 {
        match self.places {
            1 => self.at_places::<1>(bytes),
            2 => self.at_places::<2>(bytes),
            4 => self.at_places::<4>(bytes),
            _ => self.at_places::<8>(bytes),
        }
    }

    fn at_places<const PLACES: usize>(self, bytes: &[u8]) -> u64 {
        let apart = match (PLACES, self.in_parts) {
            (1, _) => bytes.len(),
            (_, true) => apart::<PLACES>(bytes),
            (_, false) => 4096,
        };
        match self.vectors {
            Vectors::Default => by_words::<PLACES>(bytes, apart),
            // SAFETY: `Vectors::here` has it only if the machine does.
            #[cfg(target_arch = "x86_64")]
            Vectors::Avx2 => unsafe { by_avx2::<PLACES>(bytes, apart) },
            // SAFETY: as above.
            #[cfg(target_arch = "x86_64")]
            Vectors::Avx512 => unsafe { by_avx512::<PLACES>(bytes, apart) },
        }
    }
}

/// How far apart the parts of a buffer begin: whole turns, and no power of two, or all places would crowd into the same
/// lines of the cache and the same banks of the memory.
fn apart<const PLACES: usize>(bytes: &[u8]) -> usize {
    let turns = bytes.len() / PLACES / TURN;
    TURN * if turns > 100 { turns - 17 } else { turns }
}

/// Calls `step` with the place of each turn, and returns the bytes that are left for others.
#[inline(always)]
fn turns<'b, const PLACES: usize>(
    bytes: &'b [u8],
    apart: usize,
    mut step: impl FnMut(&'b [u8; TURN]),
) -> &'b [u8] {
    let apart = (apart / TURN * TURN).min(bytes.len() / TURN * TURN);
    let mut blocks = bytes.chunks_exact((apart * PLACES).max(1));
    if apart == 0 {
        return bytes;
    }
    for block in &mut blocks {
        let places: [&[[u8; TURN]]; PLACES] =
            std::array::from_fn(|place| block[place * apart..][..apart].as_chunks().0);
        for turn in 0..apart / TURN {
            for place in places {
                step(&place[turn]);
            }
        }
    }
    blocks.remainder()
}

/// [`by_words`], compiled to 512-bit vectors.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f")]
fn by_avx512<const PLACES: usize>(bytes: &[u8], apart: usize) -> u64 {
    by_words::<PLACES>(bytes, apart)
}

/// [`by_words`], compiled to 256-bit vectors.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn by_avx2<const PLACES: usize>(bytes: &[u8], apart: usize) -> u64 {
    by_words::<PLACES>(bytes, apart)
}

/// A sum for each word of a turn, for the compiler to put into vectors.
#[inline(always)]
fn by_words<const PLACES: usize>(bytes: &[u8], apart: usize) -> u64 {
    let mut sums = [0_u64; TURN / 8];
    let rest = turns::<PLACES>(bytes, apart, |turn| {
        for (sum, word) in sums.iter_mut().zip(turn.as_chunks::<8>().0) {
            *sum ^= u64::from_le_bytes(*word);
        }
    });
    sums.into_iter().fold(read_by_words(rest), |sum, word| sum ^ word)
}

/// Word by word: what the others are checked with.
pub fn read_by_words(bytes: &[u8]) -> u64 {
    let (words, rest) = bytes.as_chunks::<8>();
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    words.iter().fold(u64::from_le_bytes(last), |sum, word| sum ^ u64::from_le_bytes(*word))
}

/// A plain read, to be timed.
pub fn engine(kernel: &'static str, read: impl Fn(&[u8]) -> u64 + 'static) -> Engine {
    let read = move |_, bytes: &[u8]| read(bytes).into();
    Engine::new(Group::OneMessage, READ, kernel, "", Box::new(read))
        .summed_by(|_, bytes| read_by_words(bytes).into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_reader_reads_every_byte() {
        let mut bytes: Vec<u8> = (0..400_003_u64).map(|i| (i * i / 3) as u8).collect();
        for reader in Reader::all() {
            for length in [0, 1, 7, 8, 255, 256, 511, 513, 2000, 8192, 16_384, 70_001, 400_003] {
                let right = read_by_words(&bytes[..length]);
                // Words begin elsewhere where the parts do not begin at multiples of 8, which they do.
                assert_eq!(reader.read(&bytes[..length]), right, "{reader:?} of {length}");
            }
        }
        for reader in Reader::all() {
            let before = reader.read(&bytes);
            for place in [0, 4095, 4096, 100_000, 399_999, 400_002] {
                bytes[place] ^= 1;
                assert_ne!(reader.read(&bytes), before, "{reader:?}");
                bytes[place] ^= 1;
            }
        }
    }

    #[test]
    fn the_best_reader_is_the_fastest() {
        let count = std::cell::Cell::new(0);
        let best = Reader::best(|reader| {
            let is_fast = (reader.places, reader.in_parts) == (4, false);
            std::thread::sleep(Duration::from_millis(if is_fast { 0 } else { 6 }));
            count.set(count.get() + 1);
            0
        });
        assert_eq!((best.places, best.in_parts), (4, false));
        assert_eq!(count.get(), 3 * Reader::all().count());
    }
}
