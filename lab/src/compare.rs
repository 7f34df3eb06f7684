//! `wegman-bench speeds` and `rivals`: checks every engine at every length, then times them in turn.

use crate::class::Class;
use crate::engine::Engine;
use crate::progress::progress;
use crate::rivals::{self, Rivals};
use serde::Serialize;
use std::time::Duration;
use wegman_timing::measure::Clock;
use wegman_timing::messages::{Messages, Mode, STARTS, Size};
use wegman_timing::report::{self, Record, Speed};
use wegman_timing::rounds;

/// Messages up to this length are checked with every nonce and start the timed ones begin with,
/// longer ones with one, because the definitions are slow on purpose.
const CHECKED_OFTEN: usize = 4096;

/// Messages of a mix that are checked.
const CHECKED_OF_MIX: u64 = 64;

/// What was measured.
pub struct Speeds {
    /// Median clock in GHz, if it can be known.
    pub clock_ghz: Option<f64>,
    /// Mode after mode, length after length, each with the engines that take it, in order.
    pub results: Vec<Speed>,
}

impl Speeds {
    /// For programs; with the absent libraries, if the run looked for them.
    pub fn record(&self, absent: Option<&[String]>) -> Record<'_> {
        Record {
            cpu: report::cpu_model(),
            clock: self.clock_ghz,
            results: &self.results,
            absent: absent.map(<[String]>::to_vec),
        }
    }

    /// The same of a run beside rivals, perhaps of one class.
    pub fn record_beside<'r>(
        &'r self,
        rivals: &'r Rivals,
        class: Option<Class>,
    ) -> impl Serialize + use<'r> {
        #[derive(Serialize)]
        struct Beside<'r> {
            #[serde(skip_serializing_if = "Option::is_none")]
            class: Option<&'static str>,
            #[serde(flatten)]
            record: Record<'r>,
            #[serde(skip_serializing_if = "<[String]>::is_empty")]
            left_out: &'r [String],
            #[serde(skip_serializing_if = "<[String]>::is_empty")]
            restricted: &'r [String],
        }
        Beside {
            class: class.map(Class::name),
            record: self.record(Some(&rivals.absent)),
            left_out: &rivals.left_out,
            restricted: &rivals.reports,
        }
    }
}

/// Measures every engine in every mode at the mode's lengths, all in turn, for about `time`, the
/// without the checks. Lengths and modes that an engine does not take are left out.
pub fn run(
    clock: &Clock,
    engines: &[Engine],
    modes: &[(Mode, Vec<Size>)],
    time: Duration,
) -> Result<Speeds, String> {
    rivals::check_published()?;
    // Each mode has its own messages: a batch of the longest ones might not fit into memory.
    let messages: Vec<Messages> =
        modes.iter().map(|(mode, lengths)| Messages::new(lengths, &[*mode])).collect();
    let all: Vec<(&Messages, Mode, Size, &Engine)> = modes
        .iter()
        .zip(&messages)
        .flat_map(|((mode, lengths), messages)| lengths.iter().map(move |&l| (messages, *mode, l)))
        .flat_map(|(messages, mode, l)| engines.iter().map(move |e| (messages, mode, l, e)))
        .filter(|(_, mode, length, engine)| engine.takes(*mode, *length))
        .collect();
    for &(messages, mode, size, engine) in &all {
        let counts = match size {
            Size::Bytes(length) if length > CHECKED_OFTEN => 1,
            Size::Bytes(_) => STARTS,
            Size::Uniform | Size::Imix => CHECKED_OF_MIX,
        };
        for count in 0..counts {
            engine.check(count, messages.number(count, mode, size))?;
        }
    }

    let cells: Vec<_> = all
        .iter()
        .map(|&(messages, mode, length, engine)| engine.cell(messages, mode, length))
        .collect();
    let run = rounds::run(clock, &cells, time, progress)?;
    let speed = |(&(_, mode, length, engine), timing): (&(_, Mode, Size, &Engine), _)| {
        let speed = Speed::new(&engine.name, engine.kernel, mode.name(), length, timing);
        Speed { origin: Some(engine.origin.clone()), ..speed }
    };
    let results = all.iter().zip(&run.timings).map(speed).collect();
    Ok(Speeds { clock_ghz: run.clock_ghz, results })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Group;
    use crate::engines;

    #[test]
    fn a_run_has_every_engine_at_every_length_it_takes() {
        let mut engines = engines::ours();
        engines
            .push(Engine::rival(Group::NoNonce, "SOME-MAC", "some 1.0", |count, _| count.into()));
        let modes =
            [(Mode::Single, vec![43.into(), 100.into()]), (Mode::Batch, vec![Size::Uniform])];
        let speeds = run(&Clock::start(), &engines, &modes, Duration::ZERO).unwrap();
        let cells: Vec<_> =
            speeds.results.iter().map(|s| (s.mode, s.length, s.algorithm.as_str())).collect();
        let [ours @ .., other] = &engines[..] else { panic!("there are some") };
        let of = |mode, length: Size| {
            ours.iter().map(move |engine| (mode, length, engine.name.as_str()))
        };
        let wanted: Vec<_> = of("single", 43.into())
            .chain([("single", 43.into(), other.name.as_str())])
            .chain(of("single", 100.into()))
            .chain([("single", 100.into(), other.name.as_str())])
            .chain(of("batch", Size::Uniform))
            .collect();
        assert_eq!(cells, wanted);
        for speed in &speeds.results {
            assert!(speed.ns > 0.0 && speed.spread >= 0.0);
            assert!(speed.cpb.is_none_or(|cpb| cpb > 0.0));
        }
    }
}
