//! `wegman-bench keys`: what a key costs, from its secret to its wiping, in the catalogue's box.

use crate::progress::progress;
use serde::Serialize;
use std::fmt::Write as _;
use std::time::Duration;
use wegman::Cpu;
use wegman_catalogue::ALGORITHMS;
use wegman_timing::measure::Clock;
use wegman_timing::ours::Ours;
use wegman_timing::report::{self, digits, digits_or_dash};
use wegman_timing::rounds::{self, Cell};

/// The cost of a key.
#[derive(Serialize)]
pub struct Setup {
    /// The algorithm.
    pub algorithm: String,
    /// The kernel of the key.
    pub kernel: &'static str,
    /// Core cycles, if they can be known.
    pub cycles: Option<f64>,
    /// Nanoseconds.
    pub ns: f64,
    /// Interquartile range of the blocks divided by their median.
    pub spread: f64,
}

/// What was measured.
pub struct Keys {
    clock_ghz: Option<f64>,
    setups: Vec<Setup>,
}

/// Measures every algorithm that the catalogue lists, in turn, for about `time`.
pub fn run(clock: &Clock, time: Duration) -> Result<Keys, String> {
    let all: Vec<Ours> =
        ALGORITHMS.iter().map(|algorithm| Ours::new(algorithm, Cpu::detect())).collect();
    let cells: Vec<Cell<'_>> = all.iter().map(Ours::setup).collect();
    let run = rounds::run(clock, &cells, time, progress)?;
    let setup = |(ours, timing): (&Ours, &rounds::Timing)| Setup {
        algorithm: ours.algorithm.name.to_string(),
        kernel: ours.kernel,
        cycles: timing.cycles.map(|cycles| cycles.median),
        ns: timing.ns.median,
        spread: timing.cycles.unwrap_or(timing.ns).spread,
    };
    let setups = all.iter().zip(&run.timings).map(setup).collect();
    Ok(Keys { clock_ghz: run.clock_ghz, setups })
}

/// For programs.
pub fn record(keys: &Keys) -> impl Serialize {
    serde_json::json!({
        "cpu": report::cpu_model(), "clock": keys.clock_ghz, "results": keys.setups,
    })
}

/// For people.
pub fn table(keys: &Keys) -> String {
    let mut text = String::from("\na key, from its secret to its wiping\n");
    let mut line = |name: &str, kernel: &str, cycles: &str, ns: &str, spread: &str| {
        let _ = writeln!(text, "{name:<26}{kernel:<10}{cycles:>12}{ns:>12}{spread:>9}");
    };
    line("algorithm", "kernel", "cycles", "ns", "spread");
    for setup in &keys.setups {
        let spread = format!("{:.1} %", 100.0 * setup.spread);
        let cycles = digits_or_dash(setup.cycles);
        line(&setup.algorithm, setup.kernel, &cycles, &digits(setup.ns), &spread);
    }
    if keys.setups.iter().any(|setup| setup.spread > report::UNQUIET) {
        let _ = writeln!(text, "{}", report::UNQUIET_NOTE);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_has_all_that_the_catalogue_lists() {
        let keys = run(&Clock::start(), Duration::ZERO).unwrap();
        let names = keys.setups.iter().map(|setup| setup.algorithm.as_str());
        assert!(names.eq(ALGORITHMS.iter().map(|algorithm| algorithm.name.as_str())));
        assert!(keys.setups.iter().all(|setup| setup.ns > 0.0));
        assert!(table(&keys).lines().all(|line| line.len() <= 100));
    }
}
