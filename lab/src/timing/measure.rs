//! The clock and the statistics: how many core cycles a block of work took, and what many blocks
//! say together. Knows nothing of MACs.
//!
//! Virtual machines rarely expose their cycle counters, and the time stamp counter (TSC) ticks at a
//! fixed rate while the core's clock changes. So every block of work is timed between two chains of
//! dependent additions, which take one core cycle each on every core we know. The ticks of the two
//! chains tell how many cycles a tick was worth at that moment:
//!
//! ```text
//! ticks   | chain | work ........ | chain |
//! cycles  = ticks of work * additions in both chains / ticks of both chains
//! ```

#![allow(unsafe_code, reason = "the time stamp counter and the chain of additions")]

use std::hint::black_box;
use std::time::{Duration, Instant};
use wegman::Cpu;

/// Additions in one chain: about 5 us, short beside a block of work, long beside reading a clock.
const CHAIN: u64 = 16_000;

/// Additions in a row between two jumps, so that the loop's own instructions cost nothing.
const UNROLLED: u64 = 100;

/// Whether the chain is machine code on this architecture. Elsewhere its additions are not known to
/// take one cycle each, and only nanoseconds are reported.
const CYCLES_KNOWN: bool = cfg!(any(target_arch = "x86_64", target_arch = "aarch64"));

/// Counts ticks, and converts them to nanoseconds and to core cycles.
pub struct Clock {
    began: Instant,
    began_ticks: u64,
    /// Ticks between two readings with nothing between them.
    reading: u64,
}

/// One timed block of work.
#[derive(Clone, Copy)]
pub struct Sample {
    /// Ticks of the work.
    pub ticks: f64,
    /// Core cycles in a tick while the work ran, if they can be known.
    pub cycles_per_tick: Option<f64>,
}

impl Sample {
    /// Core cycles of the work, if they can be known.
    pub fn cycles(self) -> Option<f64> {
        self.cycles_per_tick.map(|rate| rate * self.ticks)
    }
}

impl Clock {
    /// Starts the clock and waits long enough to learn the length of a tick.
    pub fn start() -> Clock {
        let empty = |_| {
            let before = ticks();
            ticks() - before
        };
        let reading = (0..1000).map(empty).min().unwrap_or(0);
        let clock = Clock { began: Instant::now(), began_ticks: ticks(), reading };
        // Busy, not asleep: the core's clock should have risen before the first block.
        while clock.began.elapsed() < Duration::from_millis(50) {
            black_box(chain());
        }
        clock
    }

    /// Ticks in a nanosecond, over the whole time since the start: the later the call, the better the answer.
    pub fn ticks_per_ns(&self) -> f64 {
        // The two readings of each clock lie some 50 ns apart: 1 part per million after 50 ms.
        let ticks = ticks() - self.began_ticks;
        ticks as f64 / self.began.elapsed().as_nanos() as f64
    }

    /// Runs the work between two chains.
    pub fn time<T>(&self, work: impl FnOnce() -> T) -> (T, Sample) {
        let t0 = ticks();
        black_box(chain());
        let t1 = ticks();
        let answer = work();
        let t2 = ticks();
        black_box(chain());
        let t3 = ticks();

        (answer, self.sample([t0, t1, t2, t3]))
    }

    /// What four readings say: before the first chain, after it, after the work, after the second chain.
    fn sample(&self, [t0, t1, t2, t3]: [u64; 4]) -> Sample {
        let span = |from: u64, to: u64| (to - from).saturating_sub(self.reading) as f64;
        let chains = span(t0, t1) + span(t2, t3);
        let rate = (2 * CHAIN) as f64 / chains;
        let cycles_per_tick = (CYCLES_KNOWN && chains > 0.0).then_some(rate);
        Sample { ticks: span(t1, t2), cycles_per_tick }
    }

    /// The core's clock in GHz as it is now, if it can be known.
    pub fn core_ghz(&self) -> Option<f64> {
        let rates = (0..101).map(|_| self.time(|| ()).1.cycles_per_tick);
        median(rates).map(|rate| rate * self.ticks_per_ns())
    }

    /// The line that says which machine the figures are of.
    pub fn machine(&self) -> String {
        let core = self.core_ghz().map_or("unknown".to_owned(), |ghz| format!("{ghz:.2} GHz"));
        let (model, features, ticks) = (cpu_model(), features(), self.ticks_per_ns());
        format!("{model}; {features}; clock {core}, ticks {ticks:.2} GHz")
    }
}

/// The processor's name, as the system gives it.
pub fn cpu_model() -> String {
    let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    info.lines()
        .filter_map(|line| line.split_once(':'))
        .find(|(field, _)| field.trim() == "model name")
        .map_or_else(|| std::env::consts::ARCH.to_owned(), |(_, name)| name.trim().to_owned())
}

/// The processor's features.
pub fn features() -> String {
    Cpu::detect().features().collect::<Vec<_>>().join(" ")
}

/// Reads the time stamp counter.
#[cfg(target_arch = "x86_64")]
fn ticks() -> u64 {
    use core::arch::x86_64::{_mm_lfence, _rdtsc};
    // The fences keep what stands before and after from running across the reading.
    // SAFETY: every x86-64 processor has both instructions; neither touches memory. (A system may
    // forbid RDTSC to programs; then it ends the program, which is no undefined behaviour.)
    unsafe {
        _mm_lfence();
        let ticks = _rdtsc();
        _mm_lfence();
        ticks
    }
}

/// Nanoseconds: other counters a program may read are too coarse to be worth their own code.
#[cfg(not(target_arch = "x86_64"))]
fn ticks() -> u64 {
    use std::sync::LazyLock;
    static BEGAN: LazyLock<Instant> = LazyLock::new(Instant::now);
    BEGAN.elapsed().as_nanos() as u64
}

/// `CHAIN` additions of 1, each waiting for the one before; returns their sum. In machine code: the addition, one off
/// the rounds, and the jump back if there are more.
///
/// Register to register, because some cores (Golden Cove) fold additions of a small constant at
/// rename and run several of them in a cycle.
macro_rules! chain {
    ($arch:literal, $add:literal, $one_less:literal, $back:literal) => {
        #[cfg(target_arch = $arch)]
        fn chain() -> u64 {
            let mut sum = 0;
            // SAFETY: only the three registers named here and the flags change; no memory, no stack. The
            // loop ends because `rounds` begins above 0 and comes down by one a time.
            unsafe {
                core::arch::asm!(
                    "2:",
                    ".rept {unrolled}",
                    $add,
                    ".endr",
                    $one_less,
                    $back,
                    unrolled = const UNROLLED,
                    sum = inout(reg) sum,
                    one = in(reg) 1_u64,
                    rounds = inout(reg) CHAIN / UNROLLED => _,
                    options(nomem, nostack),
                );
            }
            sum
        }
    };
}

chain!("x86_64", "add {sum}, {one}", "sub {rounds}, 1", "jnz 2b");
chain!("aarch64", "add {sum}, {sum}, {one}", "subs {rounds}, {rounds}, #1", "b.ne 2b");

/// `CHAIN` additions of 1; returns their sum. See [`CYCLES_KNOWN`].
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
fn chain() -> u64 {
    (0..CHAIN).fold(0, |sum, _| black_box(sum + 1))
}

/// What many measurements of one thing say together. Robust: almost a quarter of them may be
/// arbitrarily wrong (an interrupt, a neighbour on the same core) and hardly move it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Summary {
    /// As many measurements lie below as above.
    pub median: f64,
    /// The interquartile range divided by the median.
    pub spread: f64,
}

impl Summary {
    /// The summary of at least one measurement.
    pub fn of(mut values: Vec<f64>) -> Summary {
        values.sort_by(f64::total_cmp);
        let median = quantile(&values, 0.5);
        Summary { median, spread: (quantile(&values, 0.75) - quantile(&values, 0.25)) / median }
    }
}

/// The median of values, if there are some and all are known.
pub fn median(values: impl Iterator<Item = Option<f64>>) -> Option<f64> {
    let values: Option<Vec<f64>> = values.collect();
    values.filter(|values| !values.is_empty()).map(|values| Summary::of(values).median)
}

/// The value at fraction `q` of the sorted ones, interpolated linearly between two neighbours.
fn quantile(sorted: &[f64], q: f64) -> f64 {
    assert!(!sorted.is_empty(), "nothing was measured");
    let position = q * (sorted.len() - 1) as f64;
    let (low, high) = (sorted[position.floor() as usize], sorted[position.ceil() as usize]);
    low + (high - low) * position.fract()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_summary_of_known_data() {
        assert_eq!(Summary::of(vec![7.0]), Summary { median: 7.0, spread: 0.0 });
        // Quartiles 2 and 4 around 3; the order does not matter.
        let odd = Summary::of(vec![5.0, 1.0, 4.0, 2.0, 3.0]);
        assert_eq!(odd, Summary { median: 3.0, spread: 2.0 / 3.0 });
        // Quartiles 1.75 and 3.25 around 2.5.
        let even = Summary::of(vec![4.0, 3.0, 2.0, 1.0]);
        assert_eq!(even, Summary { median: 2.5, spread: 0.6 });
    }

    #[test]
    fn a_quarter_of_wild_values_changes_little() {
        let mut values = vec![100.0; 76];
        values.extend([1e9; 24]);
        assert_eq!(Summary::of(values), Summary { median: 100.0, spread: 0.0 });
    }

    #[test]
    #[should_panic(expected = "nothing was measured")]
    fn no_measurement_has_no_summary() {
        Summary::of(Vec::new());
    }

    #[test]
    fn the_chain_makes_every_addition() {
        assert!(CHAIN.is_multiple_of(UNROLLED));
        assert_eq!(chain(), CHAIN);
    }

    #[test]
    fn a_sample_follows_from_the_four_readings() {
        let clock = Clock { began: Instant::now(), began_ticks: 0, reading: 20 };
        // Chains of 8000 and 16,000 ticks, so 4/3 cycles a tick, around 300 ticks of work.
        let sample = clock.sample([5, 8025, 8345, 24_365]);
        assert_eq!(sample.ticks, 300.0);
        assert_eq!(sample.cycles(), CYCLES_KNOWN.then_some(400.0));
        // Less than a reading takes is nothing, and no chain tells nothing.
        let sample = clock.sample([5, 15, 25, 35]);
        assert_eq!((sample.ticks, sample.cycles()), (0.0, None));
    }

    // The bounds are so wide that only a wrong unit breaks them, no load on the machine.
    #[test]
    fn the_clock_is_plausible() {
        let clock = Clock::start();
        let per_ns = clock.ticks_per_ns();
        assert!((0.01..20.0).contains(&per_ns), "{per_ns} ticks/ns");
        if let Some(ghz) = clock.core_ghz() {
            assert!((0.01..20.0).contains(&ghz), "{ghz} GHz");
        }
    }

    #[test]
    fn time_passes_while_work_is_done() {
        let clock = Clock::start();
        let wait = Duration::from_millis(20);
        let ((), sample) = clock.time(|| std::thread::sleep(wait));
        let ns = sample.ticks / clock.ticks_per_ns();
        assert!(ns > 0.9 * wait.as_nanos() as f64, "{ns} ns");
        assert_eq!(sample.cycles().is_some(), CYCLES_KNOWN);
        assert!(sample.cycles().is_none_or(|cycles| cycles > 0.0));
    }
}
