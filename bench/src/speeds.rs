//! `wegman-bench speeds`: checks every engine at every length, then times them in turn.
//!
//! A *cell* is one engine at one length. A *block* is as many calls of a cell as take about 45 us,
//! timed as one. A *round* times a few blocks of every cell, the engines of one length next to each
//! other, so that a slow moment of the machine touches all of them alike; rounds follow each other
//! until the time is up, so that no cell hangs on one moment.

use crate::engines::{self, Engine};
use crate::measure::{Clock, Sample, Summary};
use serde::Serialize;
use std::hint::black_box;
use std::time::{Duration, Instant};

/// How long a timed block should take.
const BLOCK: Duration = Duration::from_micros(45);

/// Blocks of a cell in a round; fewer where one call takes longer than [`LONG_CALL`].
const BLOCKS: usize = 11;
const BLOCKS_OF_LONG_CALLS: usize = 3;
const LONG_CALL: Duration = Duration::from_millis(1);

/// Rounds there are in any case, however long they take.
const FEWEST_ROUNDS: usize = 5;

/// What was measured of one cell.
#[derive(Serialize)]
pub struct Speed {
    /// The algorithm.
    pub algorithm: &'static str,
    /// The kernel that ran.
    pub kernel: &'static str,
    /// The crates it came from.
    #[serde(skip)]
    pub origin: &'static str,
    /// Bytes in the message.
    pub length: usize,
    /// Core cycles of a call, if they can be known.
    pub cycles: Option<f64>,
    /// Core cycles per byte.
    pub cpb: Option<f64>,
    /// Nanoseconds of a call.
    pub ns: f64,
    /// Interquartile range of the blocks divided by their median, of the cycles if they are known.
    pub spread: f64,
}

/// All speeds, and the core's clock while they were measured.
pub struct Speeds {
    /// Median clock in GHz, if it can be known.
    pub clock_ghz: Option<f64>,
    /// Length after length, each with every engine.
    pub results: Vec<Speed>,
}

/// Measures every engine at every length for about `time`, checks included.
pub fn run(clock: &Clock, lengths: &[usize], time: Duration) -> Result<Speeds, String> {
    let engines = engines::all();
    let messages = Messages::new(lengths.iter().copied().max().unwrap_or(0));

    engines::check_published()?;
    for &length in lengths {
        for engine in &engines {
            for count in 0..STARTS {
                engines::check(engine, count, messages.get(count, length))?;
            }
        }
    }

    let mut cells: Vec<Cell> = lengths
        .iter()
        .flat_map(|&length| engines.iter().map(move |engine| (engine, length)))
        .map(|(engine, length)| Cell::new(engine, length, &messages))
        .collect();
    let mut rounds = 0;
    while rounds < FEWEST_ROUNDS || clock.elapsed() < time {
        for cell in &mut cells {
            cell.round(clock, &messages)?;
        }
        rounds += 1;
    }

    let ticks_per_ns = clock.ticks_per_ns();
    let rates: Option<Vec<f64>> =
        cells.iter().flat_map(|cell| &cell.samples).map(|sample| sample.cycles_per_tick).collect();
    Ok(Speeds {
        clock_ghz: rates.map(|rates| Summary::of(rates).median * ticks_per_ns),
        results: cells.iter().map(|cell| cell.speed(ticks_per_ns)).collect(),
    })
}

/// One engine at one length.
struct Cell<'e> {
    engine: &'e Engine,
    length: usize,
    /// Calls in a block.
    calls: u64,
    /// Blocks in a round.
    blocks: usize,
    /// What the tags of a block must add up to.
    sum: u128,
    samples: Vec<Sample>,
}

impl<'e> Cell<'e> {
    /// Finds how many calls make a block, and what their tags add up to.
    fn new(engine: &'e Engine, length: usize, messages: &Messages) -> Self {
        // The best of some calls: the first ones find everything cold.
        let call = (0..20)
            .map(|count| {
                let began = Instant::now();
                black_box((engine.tag)(count, messages.get(count, length)));
                began.elapsed()
            })
            .min()
            .unwrap_or_default();
        let calls = (BLOCK.as_nanos() / call.as_nanos().max(1)).max(1) as u64;
        let blocks = if call > LONG_CALL { BLOCKS_OF_LONG_CALLS } else { BLOCKS };

        // Another loop than the timed one, last call first: what the compiler might do to one of
        // them it does not do to both.
        let sum = (0..calls)
            .rev()
            .map(|count| black_box((engine.tag)(count, messages.get(count, length))))
            .fold(0, u128::wrapping_add);
        Cell { engine, length, calls, blocks, sum, samples: Vec::new() }
    }

    /// Times some blocks, after one untimed one that brings code and message into the caches.
    fn round(&mut self, clock: &Clock, messages: &Messages) -> Result<(), String> {
        self.block(messages);
        for _ in 0..self.blocks {
            let (sum, sample) = clock.time(|| self.block(messages));
            if sum != self.sum {
                return Err(format!(
                    "{} ({}) of {} bytes: {} timed calls gave tags that add up to {sum:032x}, \
                     untimed ones {:032x}",
                    self.engine.name, self.engine.origin, self.length, self.calls, self.sum
                ));
            }
            self.samples.push(sample);
        }
        Ok(())
    }

    /// The timed loop. Message and nonce are new in every call, and every tag goes into the sum,
    /// so that a call left out or made once for all shows. (Not their xor: a message that comes
    /// twice would cancel there.) The nonces begin anew in every block, so that all blocks have the
    /// same sum; nothing remembers them.
    fn block(&self, messages: &Messages) -> u128 {
        let tag = &self.engine.tag;
        let mut sum = 0_u128;
        for count in 0..self.calls {
            sum = sum.wrapping_add(tag(count, black_box(messages.get(count, self.length))));
        }
        sum
    }

    fn speed(&self, ticks_per_ns: f64) -> Speed {
        let calls = self.calls as f64;
        let ns = self.samples.iter().map(|sample| sample.ticks / calls / ticks_per_ns).collect();
        let cycles: Option<Vec<f64>> =
            self.samples.iter().map(|sample| sample.cycles().map(|n| n / calls)).collect();
        let (ns, cycles) = (Summary::of(ns), cycles.map(Summary::of));
        Speed {
            algorithm: self.engine.name,
            kernel: self.engine.kernel,
            origin: self.engine.origin,
            length: self.length,
            cycles: cycles.map(|cycles| cycles.median),
            cpb: cycles.map(|cycles| cycles.median / self.length as f64),
            ns: ns.median,
            spread: cycles.unwrap_or(ns).spread,
        }
    }
}

/// The places in the buffer where messages begin, a cache line apart: enough that no two calls in
/// a row have the same message, few enough that a message stays in the cache it would be in alone.
const STARTS: u64 = 8;

/// A cache line, and the widest vector.
const LINE: usize = 64;

/// The messages: pieces of one buffer. Every message begins at a multiple of 64 bytes; what
/// messages that begin elsewhere cost is not measured here.
struct Messages {
    bytes: Vec<u8>,
    first: usize,
}

impl Messages {
    /// Messages of up to so many bytes, without a pattern.
    fn new(longest: usize) -> Messages {
        let mut state = 1_u64;
        let random = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 56) as u8
        };
        let bytes: Vec<u8> =
            std::iter::repeat_with(random).take(longest + LINE * STARTS as usize).collect();
        let first = bytes.as_ptr().align_offset(LINE);
        Messages { bytes, first }
    }

    /// Message number `count` of this length.
    fn get(&self, count: u64, length: usize) -> &[u8] {
        &self.bytes[self.first + LINE * (count % STARTS) as usize..][..length]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_aligned_and_change_from_call_to_call() {
        let messages = Messages::new(100);
        for count in 0..2 * STARTS {
            let message = messages.get(count, 100);
            assert!(message.as_ptr().addr().is_multiple_of(LINE));
            assert_ne!(message, messages.get(count + 1, 100));
        }
    }

    #[test]
    fn a_block_that_leaves_out_a_call_is_noticed() {
        let engines = engines::all();
        let (clock, messages) = (Clock::start(), Messages::new(43));
        for engine in &engines {
            let mut cell = Cell::new(engine, 43, &messages);
            assert_eq!(cell.round(&clock, &messages), Ok(()));
            cell.calls -= 1;
            let error = cell.round(&clock, &messages).unwrap_err();
            assert!(error.starts_with(engine.name), "{error}");
        }
    }

    #[test]
    fn a_run_has_every_engine_at_every_length() {
        let speeds = run(&Clock::start(), &[43, 100], Duration::ZERO).unwrap();
        let cells: Vec<_> = speeds.results.iter().map(|s| (s.length, s.algorithm)).collect();
        let names = ["UMAC-64", "PMAC-AES128", "HMAC-SHA1", "AES-CMAC"];
        assert_eq!(cells[..4], names.map(|name| (43, name)));
        assert_eq!(cells[4..], names.map(|name| (100, name)));
        for speed in &speeds.results {
            assert!(speed.ns > 0.0 && speed.spread >= 0.0);
            assert!(speed.cpb.is_none_or(|cpb| cpb > 0.0));
        }
    }
}
