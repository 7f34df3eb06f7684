//! A plain read of a buffer: no MAC can be faster. Which loop reads fastest depends on the machine and on where the
//! buffer lies, so that several are tried and the best one is taken: registers of every width, one place or several
//! pages at a time, with and without prefetching.

#![allow(unsafe_code, reason = "vectors chosen at run time, and prefetching")]

use crate::timing::rounds::Cell;
use std::fmt;
use std::hint::black_box;
use std::time::{Duration, Instant};

/// Bytes read at a place before the next place's turn.
const TURN: usize = 256;
const PAGE: usize = 4096;

/// A loop over a buffer: the xor of all its words of 8 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reader {
    vectors: Vectors,
    /// How many neighbouring pages are read in turn: 1, 2 or 4.
    pages: usize,
    /// How many bytes ahead the processor is told of what comes; 0: it is not.
    ahead: usize,
}

/// What a loop is compiled for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Vectors {
    Default,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    #[cfg(target_arch = "x86_64")]
    Avx512,
}

impl fmt::Display for Reader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, {} pages, {} ahead", self.vectors.name(), self.pages, self.ahead)
    }
}

impl Vectors {
    /// What this machine has, the widest last.
    fn here() -> Vec<Vectors> {
        #[allow(unused_mut)]
        let mut all = vec![Vectors::Default];
        #[cfg(target_arch = "x86_64")]
        {
            if is_x86_feature_detected!("avx2") {
                all.push(Vectors::Avx2);
            }
            if is_x86_feature_detected!("avx512f") {
                all.push(Vectors::Avx512);
            }
        }
        all
    }

    fn name(self) -> &'static str {
        match self {
            Vectors::Default => "default",
            #[cfg(target_arch = "x86_64")]
            Vectors::Avx2 => "avx2",
            #[cfg(target_arch = "x86_64")]
            Vectors::Avx512 => "avx512",
        }
    }
}

impl Reader {
    /// One place, the widest vectors, no hint.
    pub fn simplest() -> Reader {
        let vectors = *Vectors::here().last().expect("there are always some");
        Reader { vectors, pages: 1, ahead: 0 }
    }

    /// Everything there is to try.
    fn all() -> Vec<Reader> {
        let of =
            |vectors, pages| [0, 512, 2048, 4096].map(|ahead| Reader { vectors, pages, ahead });
        let all = Vectors::here().into_iter();
        all.flat_map(|vectors| [1, 2, 4].into_iter().flat_map(move |pages| of(vectors, pages)))
            .collect()
    }

    /// The fastest of all over this buffer, by `read`, which reads it with a reader.
    pub fn best(read: impl Fn(Reader) -> u64) -> Reader {
        let time = |reader: &Reader| -> Duration {
            let pass = |_| {
                let began = Instant::now();
                black_box(read(*reader));
                began.elapsed()
            };
            (0..3).map(pass).min().unwrap_or_default()
        };
        Reader::all().into_iter().min_by_key(time).expect("some are timed")
    }

    /// The xor of all words of the buffer.
    pub fn read(self, bytes: &[u8]) -> u64 {
        match self.pages {
            1 => self.read_pages::<1>(bytes),
            2 => self.read_pages::<2>(bytes),
            _ => self.read_pages::<4>(bytes),
        }
    }

    fn read_pages<const PAGES: usize>(self, bytes: &[u8]) -> u64 {
        match self.vectors {
            Vectors::Default => xor::<PAGES>(bytes, self.ahead),
            // SAFETY: `Vectors::here` has it only if the machine does.
            #[cfg(target_arch = "x86_64")]
            Vectors::Avx2 => unsafe { by_avx2::<PAGES>(bytes, self.ahead) },
            // SAFETY: as above.
            #[cfg(target_arch = "x86_64")]
            Vectors::Avx512 => unsafe { by_avx512::<PAGES>(bytes, self.ahead) },
        }
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f")]
fn by_avx512<const PAGES: usize>(bytes: &[u8], ahead: usize) -> u64 {
    xor::<PAGES>(bytes, ahead)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn by_avx2<const PAGES: usize>(bytes: &[u8], ahead: usize) -> u64 {
    xor::<PAGES>(bytes, ahead)
}

/// A sum for each word of a turn, for the compiler to put into vectors.
#[inline(always)]
fn xor<const PAGES: usize>(bytes: &[u8], ahead: usize) -> u64 {
    let mut sums = [0_u64; TURN / 8];
    let (groups, rest) = bytes.as_chunks::<PAGE>().0.as_chunks::<PAGES>();
    for group in groups {
        for turn in 0..PAGE / TURN {
            for page in group {
                let turn = &page.as_chunks::<TURN>().0[turn];
                prefetch(turn, ahead);
                for (sum, word) in sums.iter_mut().zip(turn.as_chunks().0) {
                    *sum ^= u64::from_le_bytes(*word);
                }
            }
        }
    }
    let last = bytes.as_chunks::<PAGE>().1;
    let rest = rest.as_flattened().len() + last.len();
    sums.into_iter().fold(read_by_words(&bytes[bytes.len() - rest..]), |sum, word| sum ^ word)
}

/// Tells the processor of what comes after these bytes. Any address will do.
#[inline(always)]
fn prefetch(bytes: &[u8; TURN], ahead: usize) {
    #[cfg(target_arch = "x86_64")]
    for line in 0..if ahead == 0 { 0 } else { TURN / 64 } {
        use core::arch::x86_64::{_MM_HINT_NTA, _mm_prefetch};
        let at = bytes.as_ptr().wrapping_add(ahead + 64 * line).cast();
        // SAFETY: a hint reads nothing.
        unsafe { _mm_prefetch::<_MM_HINT_NTA>(at) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (bytes, ahead);
}

/// Word by word: what the others are checked with.
pub fn read_by_words(bytes: &[u8]) -> u64 {
    let (words, rest) = bytes.as_chunks::<8>();
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    words.iter().fold(u64::from_le_bytes(last), |sum, word| sum ^ u64::from_le_bytes(*word))
}

/// A plain read of the buffer by the simplest loop, and the name of its vectors.
pub fn read(bytes: &[u8]) -> (&'static str, Cell<'_>) {
    let reader = Reader::simplest();
    let vectors = reader.vectors.name();
    (vectors, cell(&format!("plain read ({vectors})"), bytes, move |bytes| reader.read(bytes)))
}

/// A plain read of the buffer, to be timed.
pub fn cell<'a>(label: &str, bytes: &'a [u8], read: impl Fn(&[u8]) -> u64 + 'a) -> Cell<'a> {
    Cell {
        label: format!("{label} of {} bytes", bytes.len()),
        work: Box::new(move |calls| {
            (0..calls).fold(0, |sum, _| sum + u128::from(read(black_box(bytes))))
        }),
        expected: Box::new(move |calls| u128::from(calls) * u128::from(read_by_words(bytes))),
        messages: 1,
    }
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
                assert_eq!(reader.read(&bytes[..length]), right, "{reader} of {length}");
            }
        }
        for reader in Reader::all() {
            let before = reader.read(&bytes);
            for place in [0, 4095, 4096, 100_000, 399_999, 400_002] {
                bytes[place] ^= 1;
                assert_ne!(reader.read(&bytes), before, "{reader}");
                bytes[place] ^= 1;
            }
        }
    }

    #[test]
    fn the_best_reader_is_the_fastest() {
        let best = Reader::best(|reader| {
            let is_it = reader.pages == 4 && reader.ahead == 2048;
            std::thread::sleep(Duration::from_millis(if is_it { 0 } else { 3 }));
            0
        });
        assert_eq!((best.pages, best.ahead), (4, 2048));
    }

    #[test]
    fn the_cell_is_right() {
        let bytes: Vec<u8> = (0..100_000_u64).map(|i| (i * i / 7) as u8).collect();
        let (_, cell) = read(&bytes);
        assert_eq!((cell.work)(3), (cell.expected)(3));
        assert_ne!((cell.work)(2), 0);
    }
}
