//! `wegman-bench memory`: one thread over one buffer, from the cache to main memory, beside a plain read of it. The
//! longest buffers are also measured with two threads, beside a read by two threads.
//!
//! The read is the best of many that are tried on the same buffer: it stands for what the machine can do.

mod buffer;
mod plain_read;

use crate::engine::Engine;
use crate::engines;
use crate::speeds::{Job, Place};
use crate::timing::messages::Mode;
use crate::timing::ours;
use buffer::{Buffer, HUGE};
use plain_read::{READ, Reader};
use rayon::ThreadPoolBuilder;
use std::rc::Rc;
use std::sync::Arc;

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
    alone: Vec<Rc<Engine>>,
    on_threads: Vec<Rc<Engine>>,
}

impl Bench {
    /// With a buffer of this length.
    pub fn new(longest: usize) -> Result<&'static Bench, String> {
        let buffer = Buffer::new(longest).ok_or("there is not enough memory")?;
        let alone = NAMES.map(|name| engines::find(name).expect("the catalogue has it"));
        let on_threads = NAMES.iter().map(|name| {
            let found = wegman_catalogue::find(name).expect("the catalogue has it");
            ours::on_threads(found, THREADS).map(Rc::new)
        });
        let on_threads = on_threads.collect::<Result<_, _>>()?;
        Ok(Box::leak(Box::new(Bench { buffer, alone: alone.into(), on_threads })))
    }

    /// One length at a time: a longer buffer would evict the shorter ones from the caches.
    pub fn jobs(&'static self, length: usize, on_threads: bool) -> Result<Vec<Job>, String> {
        let bytes = &self.buffer.bytes()[..length];
        let best = Reader::best(|reader| reader.read(bytes));
        let mut jobs =
            jobs(1, plain_read::engine("best", move |bytes| best.read(bytes)), &self.alone, bytes);
        if on_threads && length >= HUGE {
            let by_two = by_threads()?;
            let best = Reader::best(|reader| by_two(reader, bytes));
            let read = plain_read::engine("best", move |bytes| by_two(best, bytes));
            jobs.extend(self::jobs(THREADS, read, &self.on_threads, bytes));
        }
        Ok(jobs)
    }
}

/// The read, and the MACs beside it.
fn jobs(threads: usize, read: Engine, macs: &[Rc<Engine>], bytes: &'static [u8]) -> Vec<Job> {
    let job = |engine: Rc<Engine>| {
        let section = format!("a buffer, threads: {threads}");
        let place = Place::new(section, &engine, Mode::Single, bytes.len());
        let from = "wegman".to_owned();
        let beside = (engine.name != READ).then(|| (READ.to_owned(), from.clone()));
        (Place { from, beside, ..place }, engine.over(vec![bytes], 1))
    };
    [Rc::new(read)].into_iter().chain(macs.iter().cloned()).map(job).collect()
}

/// A plain read of a buffer by two threads, a half each.
fn by_threads() -> Result<impl Fn(Reader, &[u8]) -> u64 + Clone, String> {
    let pool = ThreadPoolBuilder::new().num_threads(THREADS).build();
    let pool = Arc::new(pool.map_err(|error| format!("threads: {error}"))?);
    Ok(move |reader: Reader, bytes: &[u8]| {
        // Whole words in each half.
        let (one, two) = bytes.split_at(bytes.len() / 2 / 64 * 64);
        let (one, two) = pool.install(|| rayon::join(|| reader.read(one), || reader.read(two)));
        one ^ two
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_has_every_algorithm_and_the_plain_read_first() {
        let bench = Bench::new(64 << 10).unwrap();
        let jobs = bench.jobs(64 << 10, true).unwrap();
        let names: Vec<&str> = jobs.iter().map(|(place, _)| &*place.algorithm).collect();
        assert!(names.into_iter().eq([READ].into_iter().chain(NAMES)));
        for (_, cell) in jobs {
            assert_eq!((cell.work)(2), (cell.expected)(2), "{}", cell.label);
        }
    }

    #[test]
    fn threads_make_the_same_tags() {
        let bytes: &[u8] = Vec::leak((0..3_000_001_u64).map(|i| (i * i / 3) as u8).collect());
        for engine in &Bench::new(64 << 10).unwrap().on_threads {
            let cell = engine.over(vec![bytes], 1);
            assert_eq!((cell.work)(2), (cell.expected)(2), "{}", cell.label);
            assert_ne!((cell.work)(1), (cell.expected)(2), "{}", cell.label);
        }
        for length in [0, 1, 65, 3_000_001] {
            let bytes = &bytes[..length];
            let sum = by_threads().unwrap()(Reader::best(|_| 0), bytes);
            assert_eq!(sum, plain_read::read_by_words(bytes), "{length}");
        }
    }
}
