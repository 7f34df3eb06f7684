//! `wegman-bench names`: what a tag costs by name, under the catalogue's boxed keys, and through the functions for C, beside
//! one under a typed key.

use crate::progress::progress;
use crate::through_c;
use serde::Serialize;
use std::fmt::Write as _;
use std::hint::black_box;
use std::sync::Arc;
use std::time::Duration;
use wegman::cipher::Aes128;
use wegman::hazmat::raw::Nonce;
use wegman::{AnyTag, Cpu, NonceOf, Tag, pmac, umac};
use wegman_carter::Carter128;
use wegman_catalogue::AnyKey;
use wegman_timing::measure::Clock;
use wegman_timing::messages::{Messages, Mode, Size};
use wegman_timing::ours::{SECRET, number};
use wegman_timing::report::{self, digits};
use wegman_timing::rounds::{self, Cell};

/// What is tagged.
const SIZES: [Size; 6] = [
    Size::Bytes(16),
    Size::Bytes(43),
    Size::Bytes(64),
    Size::Bytes(256),
    Size::Bytes(1500),
    Size::Uniform,
];

/// One message size of one algorithm: core cycles, or nanoseconds where cycles are not known.
#[derive(Serialize)]
pub struct Named {
    /// The algorithm.
    pub algorithm: &'static str,
    /// The kernel of both keys.
    pub kernel: &'static str,
    /// What is tagged.
    pub length: Size,
    /// By `tag` of the typed key.
    pub typed: f64,
    /// By `tag_into` of the boxed key.
    pub into: f64,
    /// By `tag` of the boxed key.
    pub any: f64,
    /// Under a typed key of the library for C.
    pub c: f64,
    /// The largest interquartile range of the four divided by its median.
    pub spread: f64,
}

/// What was measured.
pub struct Names {
    clock_ghz: Option<f64>,
    all: Vec<Named>,
}

/// Tags messages of a size, so many calls of them.
type TypedLoop = Box<dyn Fn(&Messages, Size, u64) -> u128>;

/// Both keys of one algorithm on one row.
struct Both {
    algorithm: &'static str,
    kernel: &'static str,
    /// The timed loop of the typed key.
    typed: TypedLoop,
    /// That of the functions for C.
    c: TypedLoop,
    boxed: Arc<dyn AnyKey>,
    nonce_bytes: usize,
    tag_bytes: usize,
}

/// The keys of the algorithms that have a typed one, on their best rows or on every row.
fn keys(every_row: bool) -> Vec<Both> {
    fn of<K: 'static, C: Fn(u64, &[u8]) -> Tag<N> + 'static, const N: usize>(
        algorithm: &'static str,
        rows: Vec<(&'static str, Cpu)>,
        every_row: bool,
        nonce_bytes: usize,
        make: impl Fn(Cpu) -> K,
        tag: impl Fn(&K, u64, &[u8]) -> Tag<N> + Copy + 'static,
        through_c: impl Fn(&str, &[u8; 16]) -> C,
    ) -> Vec<Both> {
        let skipped = if every_row { 0 } else { rows.len() - 1 };
        let both = |(kernel, cpu): (&'static str, Cpu)| {
            let found = wegman_catalogue::find(algorithm).expect("the catalogue has it");
            let key = make(cpu);
            let c = through_c(kernel, SECRET.first_chunk().expect("32 bytes"));
            Both {
                algorithm,
                kernel,
                typed: Box::new(move |messages, size, calls| {
                    let key = black_box(&key);
                    messages.single(size, calls, |count, message| {
                        number(&tag(key, count, message).to_bytes())
                    })
                }),
                c: Box::new(move |messages, size, calls| {
                    messages
                        .single(size, calls, |count, message| number(&c(count, message).to_bytes()))
                }),
                boxed: found.key(cpu, &SECRET[..16], N).expect("its lengths"),
                nonce_bytes,
                tag_bytes: N,
            }
        };
        rows.into_iter().skip(skipped).map(both).collect()
    }
    let cpu = Cpu::detect();
    let secret = || SECRET.first_chunk::<16>().expect("32 bytes");
    let mut all = of(
        "UMAC-64",
        umac::Key::<8>::kernels(cpu).collect(),
        every_row,
        8,
        |cpu| umac::Key::<8>::with_cpu(cpu, secret()),
        |key, count, message| key.tag(NonceOf::counter(count), message),
        through_c::umac64,
    );
    all.extend(of(
        "UMAC-128",
        umac::Key::<16>::kernels(cpu).collect(),
        every_row,
        8,
        |cpu| umac::Key::<16>::with_cpu(cpu, secret()),
        |key, count, message| key.tag(NonceOf::counter(count), message),
        through_c::umac128,
    ));
    all.extend(of(
        "Carter-128",
        Carter128::<Aes128, 12>::kernels(cpu).collect(),
        every_row,
        12,
        |cpu| Carter128::<Aes128, 12>::with_cpu(cpu, secret()),
        |key, count, message| key.tag(NonceOf::counter(count), message),
        through_c::carter128,
    ));
    all.extend(of(
        "PMAC-AES128",
        pmac::Key::<Aes128, 16>::kernels(cpu).collect(),
        every_row,
        0,
        |cpu| pmac::Key::<Aes128, 16>::with_cpu(cpu, secret()),
        |key, _, message| key.tag(message),
        through_c::pmac_aes128,
    ));
    all
}

impl Both {
    /// The timed loop over a boxed key. `tag` is a call of it.
    fn by_name(
        &self,
        messages: &Messages,
        size: Size,
        calls: u64,
        tag: impl Fn(&dyn AnyKey, Option<&Nonce>, &[u8]) -> u128,
    ) -> u128 {
        let key = black_box(&*self.boxed);
        match self.nonce_bytes {
            0 => messages.single(size, calls, |_, message| tag(key, None, message)),
            8 => messages.single(size, calls, |count, message| {
                tag(key, Some(&NonceOf::<8>::counter(count).into()), message)
            }),
            _ => messages.single(size, calls, |count, message| {
                tag(key, Some(&NonceOf::<12>::counter(count).into()), message)
            }),
        }
    }

    /// With room for tags of `N` bytes.
    fn into<const N: usize>(&self, messages: &Messages, size: Size, calls: u64) -> u128 {
        self.by_name(messages, size, calls, |key, nonce, message| {
            let mut tag = [0; N];
            key.tag_into(nonce, message, &mut tag).expect("a nonce of its length");
            number(&tag)
        })
    }

    fn any<const N: usize>(&self, messages: &Messages, size: Size, calls: u64) -> u128 {
        self.by_name(messages, size, calls, |key, nonce, message| {
            let tag: AnyTag = key.tag(nonce, message).expect("a nonce of its length");
            number(tag.to_bytes().first_chunk::<N>().expect("as long"))
        })
    }

    /// In the order of [`Named`].
    fn cells<'a>(&'a self, messages: &'a Messages, size: Size) -> [Cell<'a>; 4] {
        let cell = |way: &str, work: Box<dyn Fn(u64) -> u128 + 'a>| Cell {
            label: format!("{} ({}) of {size} bytes, {way}", self.algorithm, self.kernel),
            work,
            // One by one, the last first.
            expected: Box::new(move |calls| {
                let count = calls * messages.in_a_call(Mode::Single, size);
                let tag = |count: u64| {
                    let nonce = match self.nonce_bytes {
                        0 => None,
                        bytes => Some(Nonce::counter_of(bytes, count)),
                    };
                    let message = messages.number(count, Mode::Single, size);
                    let mut stream = self.boxed.stream();
                    stream.update(message);
                    let tag = stream.finish(nonce.as_ref()).expect("a nonce of its length");
                    number(tag.to_bytes())
                };
                (0..count).rev().map(tag).fold(0, u128::wrapping_add)
            }),
            messages: messages.in_a_call(Mode::Single, size),
        };
        [
            cell("typed", Box::new(move |calls| (self.typed)(messages, size, calls))),
            cell(
                "tag_into",
                Box::new(move |calls| match self.tag_bytes {
                    8 => self.into::<8>(messages, size, calls),
                    _ => self.into::<16>(messages, size, calls),
                }),
            ),
            cell(
                "tag",
                Box::new(move |calls| match self.tag_bytes {
                    8 => self.any::<8>(messages, size, calls),
                    _ => self.any::<16>(messages, size, calls),
                }),
            ),
            cell("C", Box::new(move |calls| (self.c)(messages, size, calls))),
        ]
    }
}

/// Measures all of them in turn, for about `time`.
pub fn run(clock: &Clock, every_row: bool, time: Duration) -> Result<Names, String> {
    let keys = keys(every_row);
    let messages = Messages::new(&SIZES, &[Mode::Single]);
    let subjects: Vec<(&Both, Size)> =
        keys.iter().flat_map(|both| SIZES.map(|size| (both, size))).collect();
    let cells: Vec<Cell<'_>> =
        subjects.iter().flat_map(|(both, size)| both.cells(&messages, *size)).collect();
    let run = rounds::run(clock, &cells, time, progress)?;
    let named = |((both, length), timings): (&(&Both, Size), &[rounds::Timing])| {
        let of = |i: usize| timings[i].cycles.unwrap_or(timings[i].ns);
        Named {
            algorithm: both.algorithm,
            kernel: both.kernel,
            length: *length,
            typed: of(0).median,
            into: of(1).median,
            any: of(2).median,
            c: of(3).median,
            spread: (0..4).map(|i| of(i).spread).fold(0.0, f64::max),
        }
    };
    let all = subjects.iter().zip(run.timings.chunks(4)).map(named).collect();
    Ok(Names { clock_ghz: run.clock_ghz, all })
}

/// For programs.
pub fn record(names: &Names) -> impl Serialize {
    serde_json::json!({
        "cpu": report::cpu_model(), "clock": names.clock_ghz, "results": names.all,
    })
}

/// For people.
pub fn table(names: &Names) -> String {
    let unit = if names.clock_ghz.is_some() { "cycles" } else { "ns" };
    let mut text = format!("\na message, in {unit}: a typed key, by name, and from C\n");
    let _ = writeln!(
        text,
        "{:<12}{:<9}{:>7}{:>9}{:>10}{:>7}{:>9}{:>7}{:>9}{:>7}{:>9}",
        "algorithm",
        "kernel",
        "bytes",
        "typed",
        "tag_into",
        "more",
        "tag",
        "more",
        "C",
        "more",
        "spread"
    );
    for named in &names.all {
        let Named { algorithm, kernel, length, typed, into, any, c, spread } = named;
        let _ = writeln!(
            text,
            "{algorithm:<12}{kernel:<9}{length:>7}{:>9}{:>10}{:>+7.1}{:>9}{:>+7.1}{:>9}{:>+7.1}{:>7.1} %",
            digits(*typed),
            digits(*into),
            into - typed,
            digits(*any),
            any - typed,
            digits(*c),
            c - typed,
            100.0 * spread
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_has_both_keys_and_all_make_the_same_tags() {
        let messages = Messages::new(&SIZES, &[Mode::Single]);
        for both in keys(true) {
            assert_eq!(both.boxed.kernel(), both.kernel);
            for size in SIZES {
                for cell in both.cells(&messages, size) {
                    assert_eq!((cell.work)(2), (cell.expected)(2), "{}", cell.label);
                    assert_ne!((cell.work)(1), (cell.expected)(2), "{}", cell.label);
                }
            }
        }
        assert_eq!(keys(false).len(), 4);
    }

    #[test]
    fn the_table_has_a_line_for_each() {
        let names = run(&Clock::start(), false, Duration::ZERO).unwrap();
        assert_eq!(table(&names).lines().count(), 3 + 4 * SIZES.len());
        assert!(table(&names).lines().all(|line| line.len() <= 100));
    }
}
