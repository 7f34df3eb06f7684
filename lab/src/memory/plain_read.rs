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

/// A loop over a buffer.
#[derive(Clone, Copy)]
pub struct Reader(unsafe fn(&[u8]) -> u64);

impl Reader {
    /// Every loop that this machine can run: each width of registers, one place or several, as far apart as the buffer's
    /// length allows.
    fn all() -> Vec<Reader> {
        macro_rules! readers {
            ($read:ident) => {
                [$read::<1>, $read::<2>, $read::<4>, $read::<8>].map(|read| Reader(read))
            };
        }
        #[allow(unused_mut, reason = "on other machines")]
        let mut all = readers!(by_words).to_vec();
        #[cfg(target_arch = "x86_64")]
        {
            let wide = |has: bool, readers| has.then_some(readers).into_iter().flatten();
            all.extend(wide(is_x86_feature_detected!("avx2"), readers!(by_avx2)));
            all.extend(wide(is_x86_feature_detected!("avx512f"), readers!(by_avx512)));
        }
        all
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
        Reader::all().into_iter().min_by_key(time).expect("there are always some")
    }

    /// The xor of all words of the buffer.
    pub fn read(self, bytes: &[u8]) -> u64 {
        // SAFETY: `all` has it only if the machine has its instructions.
        unsafe { (self.0)(bytes) }
    }
}

/// [`by_words`], compiled to 512-bit vectors.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f")]
fn by_avx512<const PLACES: usize>(bytes: &[u8]) -> u64 {
    by_words::<PLACES>(bytes)
}

/// [`by_words`], compiled to 256-bit vectors.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn by_avx2<const PLACES: usize>(bytes: &[u8]) -> u64 {
    by_words::<PLACES>(bytes)
}

/// A sum for each word of a turn, for the compiler to put into vectors. The places are whole turns apart and, in long
/// buffers, no power of two: all would crowd into the same lines of the cache and the same banks of the memory.
#[inline(always)]
fn by_words<const PLACES: usize>(bytes: &[u8]) -> u64 {
    let turns = bytes.len() / PLACES / TURN;
    let turns = if turns > 100 { turns - 17 } else { turns };
    let (blocks, rest) = bytes.split_at(turns * TURN * PLACES);
    let blocks = blocks.as_chunks::<TURN>().0;
    let places: [&[[u8; TURN]]; PLACES] =
        std::array::from_fn(|place| &blocks[place * turns..][..turns]);
    let mut sums = [0_u64; TURN / 8];
    for turn in 0..turns {
        for place in places {
            for (sum, word) in sums.iter_mut().zip(place[turn].as_chunks::<8>().0) {
                *sum ^= u64::from_le_bytes(*word);
            }
        }
    }
    sums.into_iter().fold(read_by_words(rest), |sum, word| sum ^ word)
}

/// Word by word: what the others are checked with.
pub fn read_by_words(bytes: &[u8]) -> u64 {
    let (words, rest) = bytes.as_chunks::<8>();
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    words.iter().fold(u64::from_le_bytes(last), |sum, word| sum ^ u64::from_le_bytes(*word))
}

/// A plain read by the reader that is best at it, to be timed.
pub fn engine(bytes: &'static [u8], read: fn(Reader, &[u8]) -> u64) -> Engine {
    let best = Reader::best(|reader| read(reader, bytes));
    let read = move |_, bytes: &[u8]| read(best, bytes).into();
    Engine::new(Group::OneMessage, [READ, "best", ""], read)
        .summed_by(|_, bytes| read_by_words(bytes).into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_reader_reads_every_byte() {
        let mut bytes: Vec<u8> = (0..400_003_u64).map(|i| (i * i / 3) as u8).collect();
        for (i, reader) in Reader::all().into_iter().enumerate() {
            for length in [0, 1, 7, 8, 255, 256, 511, 513, 2000, 8192, 16_384, 70_001, 400_003] {
                let right = read_by_words(&bytes[..length]);
                // Words begin elsewhere where the parts do not begin at multiples of 8, which they do.
                assert_eq!(reader.read(&bytes[..length]), right, "{i} of {length}");
            }
            let before = reader.read(&bytes);
            for place in [0, 4095, 4096, 100_000, 399_999, 400_002] {
                bytes[place] ^= 1;
                assert_ne!(reader.read(&bytes), before, "{i}");
                bytes[place] ^= 1;
            }
        }
    }

    #[test]
    fn the_best_reader_is_the_fastest() {
        let count = std::cell::Cell::new(0);
        let best = Reader::best(|_| {
            let is_fast = count.replace(count.get() + 1) / 3 == 2;
            std::thread::sleep(Duration::from_millis(if is_fast { 0 } else { 6 }));
            0
        });
        assert!(std::ptr::fn_addr_eq(best.0, Reader::all()[2].0));
        assert_eq!(count.get(), 3 * Reader::all().len());
    }
}
