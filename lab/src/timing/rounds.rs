//! Timing many things in turn, every answer checked.
//!
//! A *cell* is one thing to be timed, for example one algorithm at one length. A *block* is as many
//! calls of a cell as take about 50 us, timed as one. A *round* times a few blocks of every cell,
//! so that a slow moment of the machine affects neighbours alike; rounds follow each other until
//! the time is up, so that no cell depends on one moment.

use super::measure::{Clock, Sample, Summary, median};
use super::messages::Size;
use anyhow::{Result, ensure};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::hint::black_box;
use std::time::{Duration, Instant};

/// How long a timed block should take.
const BLOCK: Duration = Duration::from_micros(50);

/// Blocks of a cell in a round; fewer where one call takes longer than [`LONG_CALL`].
const BLOCKS: usize = 11;
const BLOCKS_OF_LONG_CALLS: usize = 1;
const LONG_CALL: Duration = Duration::from_millis(1);

/// The least number of rounds, however long they take.
const FEWEST_ROUNDS: usize = 5;

/// A tag of at most 16 bytes as a number, the first byte lowest. Where the length is one of the
/// usual ones, by loads of the size the tag was written with: others wait for the store.
pub fn number(tag: &[u8]) -> u128 {
    let whole = "as long as the array";
    match tag.len() {
        4 => u32::from_le_bytes(*tag.first_chunk().expect(whole)).into(),
        8 => u64::from_le_bytes(*tag.first_chunk().expect(whole)).into(),
        12 => number(&tag[8..]) << 64 | number(&tag[..8]),
        16 => u128::from_le_bytes(*tag.first_chunk().expect(whole)),
        _ => tag.iter().rev().fold(0, |number, &byte| number << 8 | u128::from(byte)),
    }
}

/// Makes so many calls and returns the sum of their answers.
pub type Work = Box<dyn Fn(u64) -> u128>;

/// What is timed: a row and a column of a table.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Place {
    /// The heading it stands under.
    #[serde(skip)]
    pub section: String,
    /// The algorithm.
    pub algorithm: String,
    /// The kernel that ran, as far as its library says so.
    pub kernel: String,
    /// The library it came from, or the way it was called.
    pub from: String,
    /// How messages follow each other.
    pub mode: &'static str,
    /// Bytes in a message, or the mix of lengths.
    pub length: Size,
    /// The row of its section that it is compared with: algorithm and `from`.
    #[serde(skip)]
    pub beside: Option<(String, String)>,
}

impl Place {
    /// Of a row: algorithm, kernel and `from`.
    pub fn new(section: &str, row: [&str; 3], mode: &'static str, length: Size) -> Place {
        let ([algorithm, kernel, from], section) = (row.map(str::to_owned), section.to_owned());
        Place { section, algorithm, kernel, from, mode, length, beside: None }
    }
}

/// As an error names it.
impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Place { algorithm, kernel, from, mode, length, .. } = self;
        write!(f, "{algorithm} ({kernel}; {from}), {mode}, {length} bytes")
    }
}

/// One thing to be timed.
pub struct Cell {
    pub place: Place,
    /// Makes this many calls and returns the sum of their answers. This is timed.
    pub work: Work,
    /// The same sum another way. This is not timed.
    pub expected: Work,
    /// Messages in a call: the timing is of one of them.
    pub messages: u64,
}

impl Cell {
    /// Compares it with the row of its algorithm that has this `from`, if that is another.
    pub fn beside(mut self, from: &str) -> Cell {
        let Place { algorithm, from: own, beside, .. } = &mut self.place;
        *beside = (own != from).then(|| (algorithm.clone(), from.to_owned()));
        self
    }
}

/// What one message of a cell takes: medians of the blocks.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Timing {
    /// Core cycles, if they can be known.
    pub cycles: Option<f64>,
    /// Nanoseconds.
    pub ns: f64,
    /// Interquartile range of the blocks divided by their median, of the cycles if they are known.
    pub spread: f64,
}

impl Timing {
    /// Cycles, or nanoseconds where cycles are not known.
    pub fn cost(&self) -> f64 {
        self.cycles.unwrap_or(self.ns)
    }
}

/// Times all cells for about `time`: the median clock of the core in GHz while the blocks ran, if it can be known, and the
/// timings, cell after cell. Calls `progress` with the fraction done, at each hundredth.
///
/// # Errors
/// A text that names the cell, if the answers of a timed block do not add up to what they should.
pub fn run(
    clock: &Clock,
    cells: &[Cell],
    time: Duration,
    mut progress: impl FnMut(f64),
) -> Result<(Option<f64>, Vec<Timing>)> {
    let began = Instant::now();
    let mut blocks: Vec<Blocks<'_>> = cells.iter().map(Blocks::new).collect();
    let (mut rounds, mut told) = (0, 0.0_f64);
    while rounds < FEWEST_ROUNDS || began.elapsed() < time {
        for blocks in &mut blocks {
            blocks.round(clock)?;
        }
        rounds += 1;
        let of_time = began.elapsed().as_secs_f64() / time.as_secs_f64().max(1e-9);
        let done = of_time.min(rounds as f64 / FEWEST_ROUNDS as f64).min(1.0);
        if (100.0 * done).floor() > (100.0 * told).floor() {
            told = done;
            progress(done);
        }
    }
    let ticks_per_ns = clock.ticks_per_ns();
    let samples = blocks.iter().flat_map(|blocks| &blocks.samples);
    let rate = median(samples.map(|sample| sample.cycles_per_tick));
    let timings = blocks.iter().map(|blocks| blocks.timing(ticks_per_ns)).collect();
    Ok((rate.map(|rate| rate * ticks_per_ns), timings))
}

/// A cell and the samples of its blocks.
struct Blocks<'c> {
    cell: &'c Cell,
    /// Calls in a block.
    calls: u64,
    /// Blocks in a round.
    in_a_round: usize,
    /// What the answers of a block must add up to.
    sum: u128,
    samples: Vec<Sample>,
}

impl<'c> Blocks<'c> {
    /// Finds the number of calls in a block and the sum of their answers.
    fn new(cell: &'c Cell) -> Self {
        let mut calls = 1;
        let call = loop {
            // The best of three: the first one runs with cold caches.
            let time = |_| {
                let began = Instant::now();
                black_box((cell.work)(calls));
                began.elapsed()
            };
            let best = (0..3).map(time).min().unwrap_or_default();
            if best > BLOCK / 4 {
                break best.as_nanos() as f64 / calls as f64;
            }
            calls = calls.checked_mul(4).expect("calls that take time");
        };
        let calls = (BLOCK.as_nanos() as f64 / call).max(1.0) as u64;
        let is_long = call > LONG_CALL.as_nanos() as f64;
        let in_a_round = if is_long { BLOCKS_OF_LONG_CALLS } else { BLOCKS };
        Blocks { cell, calls, in_a_round, sum: (cell.expected)(calls), samples: Vec::new() }
    }

    /// Times some blocks, after an untimed one that warms the caches.
    fn round(&mut self, clock: &Clock) -> Result<()> {
        let Blocks { cell, calls, sum: right, .. } = *self;
        black_box((cell.work)(calls));
        for _ in 0..self.in_a_round {
            let (sum, sample) = clock.time(|| (cell.work)(calls));
            ensure!(
                sum == right,
                "{}: {calls} timed calls gave answers that add up to {sum:032x}, untimed ones {right:032x}",
                cell.place
            );
            self.samples.push(sample);
        }
        Ok(())
    }

    fn timing(&self, ticks_per_ns: f64) -> Timing {
        let messages = (self.calls * self.cell.messages) as f64;
        let ns = self.samples.iter().map(|sample| sample.ticks / messages / ticks_per_ns);
        let cycles = self.samples.iter().map(|sample| sample.cycles().map(|n| n / messages));
        let cycles = cycles.collect::<Option<_>>().map(Summary::of);
        let ns = Summary::of(ns.collect());
        let spread = cycles.unwrap_or(ns).spread;
        Timing { cycles: cycles.map(|cycles| cycles.median), ns: ns.median, spread }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cell(label: &str, expected: impl Fn(u64) -> u128 + 'static) -> Cell {
        // Even a single call takes longer than reading the clock.
        let work = |calls| (0..1000 * calls).fold(0, |sum, _| black_box(sum + 3)) / 1000;
        Cell {
            place: Place::new("", [label, "auto", "a test"], "single", 1.into()),
            work: Box::new(work),
            expected: Box::new(expected),
            messages: 2,
        }
    }

    #[test]
    fn every_cell_has_a_timing_and_progress_comes_to_the_end() {
        let cells = [cell("one", |n| 3 * u128::from(n)), cell("two", |n| 3 * u128::from(n))];
        let mut done = 0.0;
        let (_, timings) =
            run(&Clock::start(), &cells, Duration::ZERO, |part| done = part).unwrap();
        assert_eq!(timings.len(), 2);
        assert!(timings.iter().all(|timing| timing.ns > 0.0));
        assert_eq!(done, 1.0);
    }

    #[test]
    fn a_timing_is_of_one_message() {
        let cell = cell("two messages a call", |_| 0);
        let sample = |ticks| Sample { ticks, cycles_per_tick: Some(1.5) };
        let samples = [400.0, 600.0, 500.0].map(sample).to_vec();
        let blocks = Blocks { cell: &cell, calls: 5, in_a_round: 1, sum: 0, samples };
        // Ten messages in 500 ticks of half a nanosecond, or 750 cycles.
        let timing = Timing { cycles: Some(75.0), ns: 25.0, spread: 0.2 };
        assert_eq!(blocks.timing(2.0), timing);
    }

    #[test]
    fn a_wrong_sum_is_an_error_that_names_the_cell() {
        let cells = [cell("good", |n| 3 * u128::from(n)), cell("bad", |n| 3 * u128::from(n) - 1)];
        let error = run(&Clock::start(), &cells, Duration::ZERO, |_| ()).unwrap_err().to_string();
        assert!(error.starts_with("bad ("), "{error}");
    }

    #[test]
    fn no_cells_are_no_panic() {
        assert!(run(&Clock::start(), &[], Duration::ZERO, |_| ()).unwrap().1.is_empty());
    }

    #[test]
    fn a_tag_is_the_same_number_by_any_loads() {
        let tag: [u8; 16] = std::array::from_fn(|i| 16 * i as u8 + 1);
        for length in 0..=16 {
            let number = number(&tag[..length]);
            assert_eq!(number.to_le_bytes()[..length], tag[..length]);
            assert!(length == 16 || number >> (8 * length) == 0);
        }
    }
}
