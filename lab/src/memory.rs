//! `wegman-bench memory`: one thread over one buffer, from the cache to main memory, beside a plain read of it. The
//! longest buffers are also measured with two threads, beside a read by two threads.
//!
//! The read is the best of many that are tried on the same buffer: it stands for what the machine can do.

mod buffer;
mod plain_read;

pub use buffer::Buffer;
pub use plain_read::read;

use self::plain_read::Reader;
use crate::speeds::{Job, Place};
use crate::timing::messages::{Mode, Size};
use crate::timing::ours::{Ours, number, secret};
use crate::timing::rounds::Cell;
use buffer::HUGE;
use rayon::{ThreadPool, ThreadPoolBuilder};
use wegman::Cpu;

/// The buffers.
pub const LENGTHS: [usize; 7] =
    [64 << 10, 256 << 10, 1 << 20, 16 << 20, 64 << 20, 256 << 20, 1 << 30];

/// The MACs.
const NAMES: [&str; 5] = ["UMAC-64", "UMAC-128", "Carter-128", "Polyval-AES", "PMAC-AES128"];

/// Threads beside the one, over the buffers from [`HUGE`] on.
pub const THREADS: usize = 2;

/// What it is measured with.
pub struct Bench {
    buffer: Buffer,
    algorithms: [Ours; NAMES.len()],
    pool: ThreadPool,
}

impl Bench {
    /// With a buffer of this length.
    pub fn new(longest: usize) -> Result<Bench, String> {
        let buffer = Buffer::new(longest).ok_or("there is not enough memory: use --up-to")?;
        let ours = |name| {
            Ours::new(wegman_catalogue::find(name).expect("the catalogue has it"), Cpu::detect())
        };
        let pool = ThreadPoolBuilder::new().num_threads(THREADS).build();
        let pool = pool.map_err(|error| format!("threads: {error}"))?;
        Ok(Bench { buffer, algorithms: NAMES.map(ours), pool })
    }

    /// One length at a time: a longer buffer would evict the shorter ones from the caches.
    pub fn jobs(&self, length: usize, on_threads: bool) -> Vec<Job<'_>> {
        let bytes = &self.buffer.bytes()[..length];
        let place = |algorithm: &str, kernel: &str, threads: usize| Place {
            section: format!("a buffer, threads: {threads}"),
            algorithm: algorithm.to_owned(),
            kernel: kernel.to_owned(),
            from: "wegman".to_owned(),
            mode: Mode::Single.name(),
            length: Size::Bytes(length),
            beside: (algorithm != READ).then(|| (READ.to_owned(), "wegman".to_owned())),
        };
        let reader = Reader::best(|reader| reader.read(bytes));
        let cell =
            plain_read::cell(&format!("read ({reader})"), bytes, move |bytes| reader.read(bytes));
        let mut jobs = vec![(place(READ, "best", 1), cell)];
        let of =
            |ours: &Ours, threads| place(&ours.algorithm.name.to_string(), ours.kernel, threads);
        jobs.extend(self.algorithms.iter().map(|ours| (of(ours, 1), over(ours, bytes))));
        if on_threads && length >= HUGE {
            let pool = &self.pool;
            let reader = Reader::best(|reader| read_on_threads(reader, pool, bytes));
            let cell =
                plain_read::cell(&format!("read ({reader}), on threads"), bytes, move |bytes| {
                    read_on_threads(reader, pool, bytes)
                });
            jobs.push((place(READ, "best", THREADS), cell));
            let tagged = |ours| (of(ours, THREADS), over_on_threads(ours, pool, bytes));
            jobs.extend(self.algorithms.iter().map(tagged));
        }
        jobs
    }
}

/// The row of the plain read.
const READ: &str = "read";

/// A plain read of the buffer by two threads, a half each.
fn read_on_threads(reader: Reader, pool: &ThreadPool, bytes: &[u8]) -> u64 {
    // Whole words in each half.
    let (one, two) = bytes.split_at(bytes.len() / 2 / 64 * 64);
    let (one, two) = pool.install(|| rayon::join(|| reader.read(one), || reader.read(two)));
    one ^ two
}

/// A MAC of the whole buffer, one nonce after another.
fn over<'a>(ours: &'a Ours, bytes: &'a [u8]) -> Cell<'a> {
    Cell {
        label: format!("{} ({}) of {} bytes", ours.algorithm.name, ours.kernel, bytes.len()),
        work: Box::new(move |calls| {
            let tag = ours.tagger();
            (0..calls).fold(0, |sum, count| sum.wrapping_add(tag(count, bytes)))
        }),
        expected: Box::new(move |calls| {
            let tag = ours.portable_tagger();
            (0..calls).fold(0, |sum, count| sum.wrapping_add(tag(count, bytes)))
        }),
        messages: 1,
    }
}

/// The same with the threads of a pool.
pub fn over_on_threads<'a>(ours: &'a Ours, pool: &'a ThreadPool, bytes: &'a [u8]) -> Cell<'a> {
    let algorithm = &ours.algorithm;
    let (secret, tag_bytes) = (secret(algorithm), *algorithm.tag_bytes.end());
    let key = algorithm.key(Cpu::detect(), secret, tag_bytes).expect("both lengths are its own");
    let tag = move |count| {
        let nonce = algorithm.counter(count);
        let tag = pool.install(|| {
            let mut stream = key.stream();
            stream.update_rayon(bytes);
            stream.finish(nonce.as_ref())
        });
        number(tag.expect("a nonce if it takes one").to_bytes())
    };
    let alone = over(ours, bytes);
    Cell {
        label: format!("{}, on threads", alone.label),
        work: Box::new(move |calls| (0..calls).fold(0, |sum, count| sum.wrapping_add(tag(count)))),
        ..alone
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_has_every_algorithm_and_the_plain_read_first() {
        let bench = Bench::new(64 << 10).unwrap();
        let jobs = bench.jobs(64 << 10, true);
        let names: Vec<&str> = jobs.iter().map(|(place, _)| &*place.algorithm).collect();
        assert!(names.into_iter().eq([READ].into_iter().chain(NAMES)));
        for (_, cell) in jobs {
            assert_eq!((cell.work)(2), (cell.expected)(2), "{}", cell.label);
        }
    }

    #[test]
    fn threads_make_the_same_tags() {
        let bytes: Vec<u8> = (0..3_000_001_u64).map(|i| (i * i / 3) as u8).collect();
        let pool = ThreadPoolBuilder::new().num_threads(THREADS).build().unwrap();
        for name in NAMES {
            let ours = Ours::new(wegman_catalogue::find(name).unwrap(), Cpu::detect());
            let cell = over_on_threads(&ours, &pool, &bytes);
            assert_eq!((cell.work)(2), (cell.expected)(2), "{}", cell.label);
            assert_ne!((cell.work)(1), (cell.expected)(2), "{}", cell.label);
        }
        for length in [0, 1, 65, 3_000_001] {
            let bytes = &bytes[..length];
            let sum = read_on_threads(Reader::simplest(), &pool, bytes);
            assert_eq!(sum, plain_read::read_by_words(bytes), "{length}");
        }
    }
}
