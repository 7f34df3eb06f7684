//! `wegman-bench memory`: one thread over one buffer, from the cache to main memory, beside a plain
//! read of it: how much of what the machine could do at best a MAC takes. The longest buffers with
//! two threads, too.

#![allow(unsafe_code, reason = "vectors chosen at run time, and huge pages")]

use crate::progress::progress;
use rayon::{ThreadPool, ThreadPoolBuilder};
use serde::Serialize;
use std::alloc::{self, Layout};
use std::fmt::Write as _;
use std::hint::black_box;
use std::num::NonZero;
use std::ptr::NonNull;
use std::thread;
use std::time::Duration;
use wegman::{Cpu, registry};
use wegman_bench::measure::Clock;
use wegman_bench::ours::{Ours, number, secret};
use wegman_bench::report::{self, digits, digits_or_dash};
use wegman_bench::rounds::{self, Cell};

/// The buffers.
pub const LENGTHS: [usize; 7] =
    [64 << 10, 256 << 10, 1 << 20, 16 << 20, 64 << 20, 256 << 20, 1 << 30];

/// The MACs.
const NAMES: [&str; 5] = ["UMAC-64", "UMAC-128", "Carter-128", "Polyval-AES", "PMAC-AES128"];

/// A buffer of this length lies in huge pages if the system gives them, and so do the shorter ones,
/// which are its beginnings: what is measured is the memory and not the tables of its pages.
const HUGE: usize = 64 << 20;
const HUGE_PAGE: usize = 2 << 20;

/// Threads beside the one, over the buffers from [`HUGE`] on.
const THREADS: usize = 2;

/// One buffer read or tagged.
#[derive(Serialize)]
pub struct Pass {
    /// The algorithm, or `read`.
    pub algorithm: &'static str,
    /// The kernel, or the vectors the plain read is made with.
    pub kernel: &'static str,
    /// The threads that shared the work.
    pub threads: usize,
    /// Bytes in the buffer.
    pub length: usize,
    /// Core cycles a byte, if they can be known.
    pub cpb: Option<f64>,
    /// GiB in a second.
    pub gib_per_s: f64,
    /// The part of the plain read's speed.
    pub of_read: f64,
    /// Interquartile range of the passes' times divided by their median.
    pub spread: f64,
}

/// What was measured.
pub struct Memory {
    clock_ghz: Option<f64>,
    passes: Vec<Pass>,
    /// Why there is nothing on several threads though a buffer is long enough, if so.
    no_threads: Option<&'static str>,
}

/// Measures every buffer up to a length, for about `time` in all.
pub fn run(clock: &Clock, up_to: usize, time: Duration) -> Result<Memory, String> {
    let lengths: Vec<usize> = LENGTHS.into_iter().filter(|&length| length <= up_to).collect();
    let &longest = lengths.last().ok_or("no buffer is so short")?;
    let buffer = Buffer::new(longest).ok_or("there is not enough memory: use --up-to")?;
    let algorithms = NAMES
        .map(|name| Ours::new(registry::find(name).expect("the registry has it"), Cpu::detect()));
    let vectors = plain_read().0;
    let pool = ThreadPoolBuilder::new().num_threads(THREADS).build();
    let pool = pool.map_err(|error| format!("threads: {error}"))?;
    let processors = thread::available_parallelism().map_or(1, NonZero::get);
    let may_use_threads = processors >= THREADS;

    let mut memory = Memory { clock_ghz: None, passes: Vec::new(), no_threads: None };
    if longest >= HUGE && !may_use_threads {
        memory.no_threads = Some("this program may use one processor only: no rows of two threads");
    }
    // A length at a time: a longer buffer would throw the shorter ones out of the caches.
    for (done, &length) in lengths.iter().enumerate() {
        let bytes = &buffer.bytes()[..length];
        let mut cells = vec![read(bytes).1];
        cells.extend(algorithms.iter().map(|ours| over(ours, bytes)));
        let on_threads = may_use_threads && length >= HUGE;
        let shared: &[Ours] = if on_threads { &algorithms } else { &[] };
        cells.extend(shared.iter().map(|ours| over_on_threads(ours, &pool, bytes)));
        let so_far = |part| progress((done as f64 + part) / lengths.len() as f64);
        let run = rounds::run(clock, &cells, time / lengths.len() as u32, so_far)?;
        memory.clock_ghz = run.clock_ghz;
        let read_ns = run.timings[0].ns.median;
        let of = |threads| move |(name, ours): (_, &Ours)| (name, ours.kernel, threads);
        let rows = [("read", vectors, 1)]
            .into_iter()
            .chain(NAMES.into_iter().zip(&algorithms).map(of(1)))
            .chain(NAMES.into_iter().zip(shared).map(of(THREADS)));
        let passes = rows.zip(&run.timings).map(|((algorithm, kernel, threads), timing)| Pass {
            algorithm,
            kernel,
            threads,
            length,
            cpb: timing.cycles.map(|cycles| cycles.median / length as f64),
            gib_per_s: length as f64 / timing.ns.median * 1e9 / (1_u64 << 30) as f64,
            of_read: read_ns / timing.ns.median,
            spread: timing.ns.spread,
        });
        memory.passes.extend(passes);
    }
    Ok(memory)
}

/// A plain read of the buffer, and the vectors it is made with.
pub fn read(bytes: &[u8]) -> (&'static str, Cell<'_>) {
    let (vectors, read) = plain_read();
    let cell = Cell {
        label: format!("plain read ({vectors}) of {} bytes", bytes.len()),
        work: Box::new(move |calls| {
            (0..calls).fold(0, |sum, _| sum + u128::from(read(black_box(bytes))))
        }),
        expected: Box::new(move |calls| u128::from(calls) * u128::from(read_by_words(bytes))),
        messages: 1,
    };
    (vectors, cell)
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
            stream.tag(nonce.as_ref())
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
            "\n{:<14}{:<12}{:>7}{:>8}{:>12}{:>14}{:>12}{:>9}",
            "algorithm", "kernel", "threads", "bytes", "GiB/s", "cycles/byte", "of read", "spread"
        );
        for pass in passes {
            let _ = writeln!(
                text,
                "{:<14}{:<12}{:>7}{:>8}{:>12}{:>14}{:>10.0} %{:>7.1} %",
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

/// Bytes without a pattern, in huge pages where the system gives them.
pub struct Buffer {
    start: NonNull<u8>,
    layout: Layout,
}

impl Buffer {
    /// `None` if there is not so much memory.
    pub fn new(length: usize) -> Option<Buffer> {
        let layout = Layout::from_size_align(length, HUGE_PAGE).ok()?;
        // SAFETY: the layout's size is not zero: no buffer is empty.
        let start = NonNull::new(unsafe { alloc::alloc(layout) })?;
        #[cfg(target_os = "linux")]
        if length >= HUGE {
            // Before the pages are touched: only then they come as huge ones at once.
            // SAFETY: these are the pages just allocated; the advice does not change what is in
            // them. Systems that do not take it go on with small pages.
            unsafe { libc::madvise(start.as_ptr().cast(), length, libc::MADV_HUGEPAGE) };
        }
        // SAFETY: allocated with this size.
        unsafe { start.write_bytes(0, length) };
        let mut buffer = Buffer { start, layout };
        let mut state = 1_u64;
        for word in buffer.bytes_mut().as_chunks_mut::<8>().0 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            *word = (state ^ (state >> 29)).to_le_bytes();
        }
        Some(buffer)
    }

    /// All of it.
    pub fn bytes(&self) -> &[u8] {
        // SAFETY: allocated with this size, filled with zeroes and then more, and never written
        // to while shared.
        unsafe { std::slice::from_raw_parts(self.start.as_ptr(), self.layout.size()) }
    }

    fn bytes_mut(&mut self) -> &mut [u8] {
        // SAFETY: as above, and `self` is borrowed by nobody else.
        unsafe { std::slice::from_raw_parts_mut(self.start.as_ptr(), self.layout.size()) }
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        // SAFETY: allocated with this layout, and freed only here.
        unsafe { alloc::dealloc(self.start.as_ptr(), self.layout) };
    }
}

/// The xor of all words of 8 bytes.
type Read = fn(&[u8]) -> u64;

/// The plain read with the widest vectors of this machine.
fn plain_read() -> (&'static str, Read) {
    #[cfg(target_arch = "x86_64")]
    {
        if is_x86_feature_detected!("avx512f") {
            // SAFETY: the machine has AVX-512F.
            return ("avx512", |bytes| unsafe { read_avx512(bytes) });
        }
        if is_x86_feature_detected!("avx2") {
            // SAFETY: the machine has AVX2.
            return ("avx2", |bytes| unsafe { read_avx2(bytes) });
        }
    }
    ("default", read_by_vectors)
}

/// Compiled to AVX-512: eight sums, of one register each.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f")]
fn read_avx512(bytes: &[u8]) -> u64 {
    use core::arch::x86_64::{__m512i, _mm512_loadu_si512, _mm512_setzero_si512, _mm512_xor_si512};
    let (lines, rest) = bytes.as_chunks::<512>();
    let mut sums = [_mm512_setzero_si512(); 8];
    for line in lines {
        for (sum, vector) in sums.iter_mut().zip(line.as_chunks::<64>().0) {
            // SAFETY: 64 bytes are read from an array of 64.
            let vector = unsafe { _mm512_loadu_si512(vector.as_ptr().cast::<__m512i>()) };
            *sum = _mm512_xor_si512(*sum, vector);
        }
    }
    let mut words = [0_u64; 8];
    for sum in sums {
        // SAFETY: a vector is eight words, for which any bits will do.
        let sum: [u64; 8] = unsafe { core::mem::transmute(sum) };
        words = std::array::from_fn(|i| words[i] ^ sum[i]);
    }
    words.into_iter().fold(read_by_words(rest), |sum, word| sum ^ word)
}

/// Compiled to AVX2.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn read_avx2(bytes: &[u8]) -> u64 {
    read_by_vectors(bytes)
}

/// Eight sums of 32 bytes each, for the compiler to put into vectors.
#[inline(always)]
fn read_by_vectors(bytes: &[u8]) -> u64 {
    let (lines, rest) = bytes.as_chunks::<256>();
    let mut sums = [0_u64; 32];
    for line in lines {
        for (sum, word) in sums.iter_mut().zip(line.as_chunks::<8>().0) {
            *sum ^= u64::from_le_bytes(*word);
        }
    }
    sums.into_iter().fold(read_by_words(rest), |sum, word| sum ^ word)
}

/// Word by word: what the others are checked with.
fn read_by_words(bytes: &[u8]) -> u64 {
    let (words, rest) = bytes.as_chunks::<8>();
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    words.iter().fold(u64::from_le_bytes(last), |sum, word| sum ^ u64::from_le_bytes(*word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_plain_read_reads_every_byte() {
        let mut bytes: Vec<u8> = (0..2000_u32).map(|i| (i * i / 3) as u8).collect();
        for length in [0, 1, 7, 8, 255, 256, 511, 512, 513, 2000] {
            let right = read_by_words(&bytes[..length]);
            assert_eq!(plain_read().1(&bytes[..length]), right);
            assert_eq!(read_by_vectors(&bytes[..length]), right);
            #[cfg(target_arch = "x86_64")]
            if is_x86_feature_detected!("avx2") {
                // SAFETY: the machine has AVX2.
                assert_eq!(unsafe { read_avx2(&bytes[..length]) }, right);
            }
        }
        let before = plain_read().1(&bytes);
        for place in [0, 1000, 1999] {
            bytes[place] ^= 1;
            assert_ne!(plain_read().1(&bytes), before);
            bytes[place] ^= 1;
        }
    }

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
            let ours = Ours::new(registry::find(name).unwrap(), Cpu::detect());
            let cell = over_on_threads(&ours, &pool, &bytes);
            assert_eq!((cell.work)(2), (cell.expected)(2), "{}", cell.label);
            assert_ne!((cell.work)(1), (cell.expected)(2), "{}", cell.label);
        }
    }
}
