//! `wegman-bench memory`: one thread over one buffer, from the cache to main memory, beside a plain read of it. The
//! longest buffers are also measured with two threads, beside a read by two threads.
//!
//! The read is the best of many that are tried on the same buffer: it stands for what the machine can do.

mod buffer;
mod plain_read;

pub use buffer::Buffer;
pub use plain_read::read;

use self::plain_read::Reader;
use crate::progress::progress;
use buffer::HUGE;
use rayon::{ThreadPool, ThreadPoolBuilder};
use serde::Serialize;
use std::fmt::Write as _;
use std::num::NonZero;
use std::thread;
use std::time::Duration;
use wegman::Cpu;
use wegman_timing::measure::Clock;
use wegman_timing::ours::{Ours, number, secret};
use wegman_timing::report::{self, digits, digits_or_dash};
use wegman_timing::rounds::{self, Cell};

/// The buffers.
pub const LENGTHS: [usize; 7] =
    [64 << 10, 256 << 10, 1 << 20, 16 << 20, 64 << 20, 256 << 20, 1 << 30];

/// The MACs.
const NAMES: [&str; 5] = ["UMAC-64", "UMAC-128", "Carter-128", "Polyval-AES", "PMAC-AES128"];

/// Threads beside the one, over the buffers from [`HUGE`] on.
const THREADS: usize = 2;

/// One buffer read or tagged.
#[derive(Serialize)]
pub struct Pass {
    /// The algorithm, or `read`.
    pub algorithm: &'static str,
    /// The kernel, or how the plain read goes through the buffer.
    pub kernel: String,
    /// The threads that shared the work.
    pub threads: usize,
    /// Bytes in the buffer.
    pub length: usize,
    /// Core cycles a byte, if they can be known.
    pub cpb: Option<f64>,
    /// GiB in a second.
    pub gib_per_s: f64,
    /// The part of the speed of the plain read by as many threads.
    pub of_read: f64,
    /// Interquartile range of the passes' times divided by their median.
    pub spread: f64,
}

/// What was measured.
pub struct Memory {
    clock_ghz: Option<f64>,
    passes: Vec<Pass>,
    /// Why there are no rows of several threads although a buffer is long enough, if so.
    no_threads: Option<&'static str>,
}

/// Measures every buffer up to a length, for about `time` in all.
pub fn run(clock: &Clock, up_to: usize, time: Duration) -> Result<Memory, String> {
    let lengths: Vec<usize> = LENGTHS.into_iter().filter(|&length| length <= up_to).collect();
    let &longest = lengths.last().ok_or("no buffer is so short")?;
    let buffer = Buffer::new(longest).ok_or("there is not enough memory: use --up-to")?;
    let algorithms = NAMES.map(|name| {
        Ours::new(wegman_catalogue::find(name).expect("the catalogue has it"), Cpu::detect())
    });
    let pool = ThreadPoolBuilder::new().num_threads(THREADS).build();
    let pool = pool.map_err(|error| format!("threads: {error}"))?;
    let processors = thread::available_parallelism().map_or(1, NonZero::get);
    let may_use_threads = processors >= THREADS;

    let mut memory = Memory { clock_ghz: None, passes: Vec::new(), no_threads: None };
    if longest >= HUGE && !may_use_threads {
        memory.no_threads = Some("this program may use one processor only: no rows of two threads");
    }
    // One length at a time: a longer buffer would evict the shorter ones from the caches.
    for (done, &length) in lengths.iter().enumerate() {
        let bytes = &buffer.bytes()[..length];
        let on_threads = may_use_threads && length >= HUGE;
        let reader = Reader::best(|reader| reader.read(bytes));
        let mut cells = vec![plain_read::cell(&format!("read ({reader})"), bytes, move |bytes| {
            reader.read(bytes)
        })];
        let mut rows = vec![("read", reader.to_string(), 1)];
        cells.extend(algorithms.iter().map(|ours| over(ours, bytes)));
        let of = |threads| move |(name, ours): (_, &Ours)| (name, ours.kernel.to_owned(), threads);
        rows.extend(NAMES.into_iter().zip(&algorithms).map(of(1)));
        if on_threads {
            let reader = Reader::best(|reader| read_on_threads(reader, &pool, bytes));
            let label = format!("read ({reader}), on threads");
            let pool = &pool;
            cells.push(plain_read::cell(&label, bytes, move |bytes| {
                read_on_threads(reader, pool, bytes)
            }));
            rows.push(("read", reader.to_string(), THREADS));
            cells.extend(algorithms.iter().map(|ours| over_on_threads(ours, pool, bytes)));
            rows.extend(NAMES.into_iter().zip(&algorithms).map(of(THREADS)));
        }
        let so_far = |part| progress((done as f64 + part) / lengths.len() as f64);
        let run = rounds::run(clock, &cells, time / lengths.len() as u32, so_far)?;
        memory.clock_ghz = run.clock_ghz;
        let mut read_ns = 0.0;
        let passes =
            rows.into_iter().zip(&run.timings).map(|((algorithm, kernel, threads), timing)| {
                // Every read stands before those that are compared with it.
                if algorithm == "read" {
                    read_ns = timing.ns.median;
                }
                Pass {
                    algorithm,
                    kernel,
                    threads,
                    length,
                    cpb: timing.cycles.map(|cycles| cycles.median / length as f64),
                    gib_per_s: length as f64 / timing.ns.median * 1e9 / (1_u64 << 30) as f64,
                    of_read: read_ns / timing.ns.median,
                    spread: timing.ns.spread,
                }
            });
        memory.passes.extend(passes);
    }
    Ok(memory)
}

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

/// For programs.
pub fn record(memory: &Memory) -> impl Serialize {
    serde_json::json!({
        "cpu": report::cpu_model(), "clock": memory.clock_ghz, "results": memory.passes,
    })
}

/// For people.
pub fn table(memory: &Memory) -> String {
    let mut text = String::new();
    for passes in memory.passes.chunk_by(|a, b| a.length == b.length) {
        let _ = writeln!(
            text,
            "\n{:<13}{:<25}{:>7}{:>7}{:>10}{:>13}{:>9}{:>10}",
            "algorithm", "kernel", "threads", "bytes", "GiB/s", "cycles/byte", "of read", "spread"
        );
        for pass in passes {
            let _ = writeln!(
                text,
                "{:<13}{:<25}{:>7}{:>7}{:>10}{:>13}{:>7.0} %{:>8.1} %",
                pass.algorithm,
                pass.kernel,
                pass.threads,
                report::bytes(pass.length),
                digits(pass.gib_per_s),
                digits_or_dash(pass.cpb),
                100.0 * pass.of_read,
                100.0 * pass.spread
            );
        }
    }
    if let Some(why) = memory.no_threads {
        let _ = writeln!(text, "\n{why}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_has_every_algorithm_and_the_plain_read_first() {
        let memory = run(&Clock::start(), 64 << 10, Duration::ZERO).unwrap();
        let names: Vec<_> = memory.passes.iter().map(|pass| pass.algorithm).collect();
        assert!(names.into_iter().eq(["read"].into_iter().chain(NAMES)));
        assert_eq!(memory.passes[0].of_read, 1.0);
        assert!(table(&memory).lines().all(|line| line.len() <= 100));
        assert!(run(&Clock::start(), 1, Duration::ZERO).is_err());
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
