//! `wegman-bench memory`: one thread over one buffer, from the cache to main memory, beside a plain read of it. The
//! longest buffers are also measured with two threads, beside a read by two threads.
//!
//! The read is the best of many that are tried on the same buffer: it stands for what the machine can do.
//! Which loop reads fastest depends on the machine and on where the buffer lies: registers of every width, one place or
//! several places at a time.

#![allow(unsafe_code, reason = "huge pages, and vectors chosen at run time")]

use crate::engine::{Engine, Group};
use crate::engines;
use crate::timing::messages::Mode;
use crate::timing::rounds::Cell;
use anyhow::{Context, Result};
use std::hint::black_box;
use std::rc::Rc;
use std::time::{Duration, Instant};
use wegman_reference::inputs::Random;

/// The buffers.
pub const LENGTHS: [usize; 7] =
    [64 << 10, 256 << 10, 1 << 20, 16 << 20, 64 << 20, 256 << 20, 1 << 30];

/// The MACs.
const NAMES: [&str; 5] = ["UMAC-64", "UMAC-128", "Carter-128", "Polyval-AES", "PMAC-AES128"];

/// Threads of rayon's pool, over the buffers from [`HUGE`] on.
pub const THREADS: usize = 2;

/// The cells of each length, apart: a longer buffer would evict the shorter ones from the caches.
pub fn groups(lengths: &[usize], on_threads: bool) -> Result<Vec<Vec<Cell>>> {
    let longest = lengths.iter().max().expect("there are some");
    let buffer = buffer(*longest).context("there is not enough memory")?;
    let alone = NAMES.map(|name| engines::find(name).expect("the catalogue has it"));
    let by_two = NAMES.map(by_threads);
    let group = |&length: &usize| {
        let bytes = &buffer[..length];
        let mut group = cells(1, plain_read(bytes, Reader::read), &alone, bytes);
        if on_threads && length >= HUGE {
            group.extend(cells(THREADS, plain_read(bytes, read_by_threads), &by_two, bytes));
        }
        group
    };
    Ok(lengths.iter().map(group).collect())
}

/// A MAC with rayon's threads.
fn by_threads(name: &str) -> Rc<Engine> {
    Rc::new(engines::on_threads(wegman_catalogue::find(name).expect("the catalogue has it")))
}

/// The read, and the MACs beside it.
fn cells(threads: usize, read: Engine, macs: &[Rc<Engine>], bytes: &'static [u8]) -> Vec<Cell> {
    let section = format!("a buffer, threads: {threads}");
    let cell = |engine: Rc<Engine>| {
        let mut cell = engine.over(&section, vec![bytes], 1, Mode::Single, bytes.len().into());
        cell.place.from = "wegman".to_owned();
        let is_mac = cell.place.algorithm != READ;
        cell.place.beside = is_mac.then(|| (READ.to_owned(), cell.place.from.clone()));
        cell
    };
    [Rc::new(read)].into_iter().chain(macs.iter().cloned()).map(cell).collect()
}

/// A plain read of a buffer by two threads, a half each.
fn read_by_threads(reader: Reader, bytes: &[u8]) -> u64 {
    // Whole words in each half.
    let (one, two) = bytes.split_at(bytes.len() / 2 / 64 * 64);
    let (one, two) = rayon::join(|| reader.read(one), || reader.read(two));
    one ^ two
}

/// From this length on a buffer lies in huge pages if the system grants them, and so do the shorter
/// buffers, which are its prefixes. This measures the memory, not the page tables.
const HUGE: usize = 64 << 20;
const HUGE_PAGE: usize = 2 << 20;

/// Bytes without a pattern, in huge pages where the system gives them; `None` if there is not so much memory. They stay to
/// the end of the program.
fn buffer(length: usize) -> Option<&'static [u8]> {
    let mut room: Vec<u8> = Vec::new();
    room.try_reserve_exact(length + HUGE_PAGE).ok()?;
    let first = room.as_ptr().align_offset(HUGE_PAGE);
    #[cfg(target_os = "linux")]
    if length >= HUGE {
        // Before the pages are touched: otherwise they would start as small ones.
        let start = room.as_mut_ptr().wrapping_add(first).cast();
        // SAFETY: these pages are inside the room; the advice does not change what is in them. Systems that ignore it
        // use small pages.
        unsafe { libc::madvise(start, length, libc::MADV_HUGEPAGE) };
    }
    let mut random = Random(1);
    room.resize(first, 0);
    (0..length / 8).for_each(|_| room.extend_from_slice(&random.word().to_le_bytes()));
    Some(&room.leak()[first..])
}

/// The row of the plain read, and its name in tables.
const READ: &str = "plain read";

/// Bytes read at a place before the next place's turn.
const TURN: usize = 256;

/// A loop over a buffer.
#[derive(Clone, Copy)]
struct Reader(unsafe fn(&[u8]) -> u64);

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
fn plain_read(bytes: &'static [u8], read: fn(Reader, &[u8]) -> u64) -> Engine {
    let best = Reader::best(|reader| read(reader, bytes));
    let read = move |_, bytes: &[u8]| read(best, bytes).into();
    Engine::new(Group::OneMessage, [READ, "best", ""], read)
        .summed_by(|_, bytes| read_by_words(bytes).into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_has_every_algorithm_and_the_plain_read_first() {
        let cells = groups(&[64 << 10], true).unwrap().remove(0);
        let names: Vec<&str> = cells.iter().map(|cell| &*cell.place.algorithm).collect();
        assert!(names.into_iter().eq([READ].into_iter().chain(NAMES)));
        for cell in cells {
            assert_eq!((cell.work)(2), (cell.expected)(2), "{}", cell.place);
        }
    }

    #[test]
    fn threads_make_the_same_tags() {
        let bytes: &[u8] = Vec::leak((0..3_000_001_u64).map(|i| (i * i / 3) as u8).collect());
        for engine in NAMES.map(by_threads) {
            let cell = engine.over("", vec![bytes], 1, Mode::Single, bytes.len().into());
            assert_eq!((cell.work)(2), (cell.expected)(2), "{}", cell.place);
            assert_ne!((cell.work)(1), (cell.expected)(2), "{}", cell.place);
        }
        for length in [0, 1, 65, 3_000_001] {
            let bytes = &bytes[..length];
            let sum = read_by_threads(Reader::best(|_| 0), bytes);
            assert_eq!(sum, read_by_words(bytes), "{length}");
        }
    }

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
