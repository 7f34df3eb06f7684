//! `wegman-bench speeds` and `rivals`: checks every engine at every length, then times them in turn.

use crate::engines::Engine;
use crate::rivals;
use std::io::{self, IsTerminal, Write};
use std::time::Duration;
use wegman_bench::measure::Clock;
use wegman_bench::messages::{Messages, Mode, STARTS};
use wegman_bench::report::Speed;
use wegman_bench::rounds;

/// Messages up to this length are checked with every nonce and start the timed ones begin with,
/// longer ones with one: the definitions are slow on purpose.
const CHECKED_OFTEN: usize = 4096;

/// What was measured.
pub struct Speeds {
    /// Median clock in GHz, if it can be known.
    pub clock_ghz: Option<f64>,
    /// Length after length, each with every engine in order.
    pub results: Vec<Speed>,
}

/// Measures every engine at every length for about `time`, the checks not included.
pub fn run(
    clock: &Clock,
    engines: &[Engine],
    lengths: &[usize],
    mode: Mode,
    time: Duration,
) -> Result<Speeds, String> {
    rivals::check_published()?;
    let messages = Messages::new(lengths, &[mode]);
    for &length in lengths {
        let counts = if length <= CHECKED_OFTEN { STARTS } else { 1 };
        for engine in engines {
            for count in 0..counts {
                engine.check(count, messages.get(count, length))?;
            }
        }
    }

    let pairs =
        || lengths.iter().flat_map(|&length| engines.iter().map(move |engine| (engine, length)));
    let cells: Vec<_> =
        pairs().map(|(engine, length)| engine.cell(&messages, mode, length)).collect();
    let run = rounds::run(clock, &cells, time, progress)?;
    let speed = |((engine, length), timing): ((&Engine, usize), _)| {
        let speed = Speed::new(engine.name, engine.kernel, mode.name(), length, timing);
        Speed { origin: Some(engine.origin.clone()), ..speed }
    };
    let results = pairs().zip(&run.timings).map(speed).collect();
    Ok(Speeds { clock_ghz: run.clock_ghz, results })
}

/// Shows on a terminal how far a run is.
pub fn progress(part: f64) {
    let mut err = io::stderr();
    if err.is_terminal() {
        let end = if part < 1.0 { "" } else { "\r    \r" };
        let _ = write!(err, "\r{:3.0}%{end}", 100.0 * part);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engines;

    #[test]
    fn a_run_has_every_engine_at_every_length() {
        let engines = engines::ours();
        let lengths = [43, 100];
        let clock = Clock::start();
        let speeds = run(&clock, &engines, &lengths, Mode::Single, Duration::ZERO).unwrap();
        let cells: Vec<_> =
            speeds.results.iter().map(|s| (s.length, s.algorithm.as_str())).collect();
        let wanted: Vec<_> =
            lengths.iter().flat_map(|&l| engines.iter().map(move |e| (l, e.name))).collect();
        assert_eq!(cells, wanted);
        for speed in &speeds.results {
            assert!(speed.ns > 0.0 && speed.spread >= 0.0);
            assert!(speed.cpb.is_none_or(|cpb| cpb > 0.0));
        }
    }
}
