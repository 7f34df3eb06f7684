//! The engine of all commands: lists of cells, measured in turn, and a figure of each, for programs and for the view.

use crate::engine::Engine;
use crate::rivals;
use crate::timing::measure::{Clock, cpu_model, median};
use crate::timing::messages::{Messages, Mode, Size};
use crate::timing::rounds::{self, Cell, Place, Timing};
use anyhow::Result;
use serde::Serialize;
use std::collections::BTreeMap;
use std::io::{self, IsTerminal, Write};
use std::rc::Rc;
use std::time::Duration;

/// What was measured of it.
#[derive(Clone, Debug, Serialize)]
pub struct Speed {
    #[serde(flatten)]
    pub place: Place,
    #[serde(flatten)]
    pub timing: Timing,
    /// Core cycles a byte, of a mix on average.
    pub cpb: Option<f64>,
    /// How many times the cost of the row it is compared with.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub times: Option<f64>,
    /// Other figures, by their names.
    #[serde(flatten)]
    pub more: BTreeMap<&'static str, f64>,
}

impl Speed {
    /// Compared with nothing.
    pub fn new(place: Place, timing: Timing) -> Speed {
        let bytes = place.length.mean();
        let cpb = timing.cycles.filter(|_| bytes > 0.0).map(|cycles| cycles / bytes);
        Speed { place, timing, cpb, times: None, more: BTreeMap::new() }
    }
}

/// All of a run, for programs: the processor, its clock in GHz while it measured (`null` if that can't be known), the
/// speeds, and what else is to be said.
#[derive(Serialize)]
pub struct Speeds {
    pub cpu: String,
    pub clock: Option<f64>,
    pub results: Vec<Speed>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<Note>,
}

/// Lines under a heading, for example the libraries that are absent.
#[derive(Serialize)]
pub struct Note {
    pub title: &'static str,
    pub lines: Vec<String>,
}

/// Measures each group in turn, for about `time` in all. A group is measured together: a slow moment of the machine
/// touches all of it alike.
///
/// # Errors
/// A text that names the cell, if its answers were wrong.
pub fn run(clock: &Clock, groups: Vec<Vec<Cell>>, time: Duration) -> Result<Speeds> {
    let all = groups.iter().map(Vec::len).sum::<usize>().max(1) as f64;
    let (mut done, mut clocks, mut results) = (0.0, Vec::new(), Vec::new());
    for cells in groups {
        let part = cells.len() as f64 / all;
        let so_far = |of_group| progress(done + part * of_group);
        let (clock, speeds) = group(clock, cells, time.mul_f64(part), so_far)?;
        done += part;
        clocks.extend(clock);
        results.extend(speeds);
    }
    let times: Vec<Option<f64>> = results.iter().map(|speed| times(&results, speed)).collect();
    results.iter_mut().zip(times).for_each(|(speed, times)| speed.times = times);
    let (clock, notes) = (median(clocks.into_iter().map(Some)), Vec::new());
    Ok(Speeds { cpu: cpu_model(), clock, results, notes })
}

/// Measures a group for about `time`: the core's clock meanwhile, and its speeds.
pub fn group(
    clock: &Clock,
    cells: Vec<Cell>,
    time: Duration,
    so_far: impl FnMut(f64),
) -> Result<(Option<f64>, Vec<Speed>)> {
    let (clock, timings) = rounds::run(clock, &cells, time, so_far)?;
    let timed = cells.into_iter().zip(timings);
    Ok((clock, timed.map(|(cell, timing)| Speed::new(cell.place, timing)).collect()))
}

fn times(all: &[Speed], speed: &Speed) -> Option<f64> {
    let (algorithm, from) = speed.place.beside.as_ref()?;
    let is_it = |other: &&Speed| {
        let place = &other.place;
        (&place.algorithm, &place.from) == (algorithm, from)
            && (&place.section, place.length) == (&speed.place.section, speed.place.length)
    };
    Some(speed.timing.cost() / all.iter().find(is_it)?.timing.cost())
}

/// Shows the progress of a run on a terminal.
pub fn progress(part: f64) {
    let mut err = io::stderr();
    if err.is_terminal() {
        let end = if part < 0.999 { "" } else { "\r    \r" };
        let _ = write!(err, "\r{:3.0}%{end}", 100.0 * part);
    }
}

/// Every engine in a mode at these lengths, each checked before; the messages are [shifted](Messages::new) or not. Lengths
/// and modes that an engine does not take are left out. `title` is the heading of an engine's rows, one message at a time.
pub fn of_engines(
    engines: &[Rc<Engine>],
    (mode, sizes): &(Mode, Vec<Size>),
    shift: usize,
    title: fn(&Engine) -> &'static str,
) -> Result<Vec<Cell>> {
    rivals::all(None).check_published()?;
    let (mode, longest) = (*mode, sizes.iter().map(|size| size.longest()).max());
    let messages = Messages::new(longest.unwrap_or(0), mode, shift);
    let mut cells = Vec::new();
    for &size in sizes {
        for engine in engines.iter().filter(|engine| engine.takes(mode, size)) {
            engine.check_all(messages, mode, size)?;
            let section = match mode {
                Mode::Single => title(engine).to_owned(),
                Mode::Latency => format!("latency, {}", title(engine)),
                Mode::Batch => "batches, by those that tag many messages at once".to_owned(),
            };
            cells.push(engine.cell(&section, messages, mode, size));
        }
    }
    Ok(cells)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Group;
    use crate::engines;
    use std::hint::black_box;
    use wegman::Cpu;

    #[test]
    fn a_run_has_every_engine_at_every_length_it_takes() {
        let mut engines = engines::ours_on(Cpu::detect());
        // Hidden from the compiler, which would add up any number of counts at once.
        let tag = |count: u64, _: &[u8]| black_box(count).into();
        let some = Engine::new(Group::NoNonce, ["SOME-MAC", "auto", "some 1.0"], tag);
        engines.push(Rc::new(some));
        let modes = [
            (Mode::Single, vec![Size::Bytes(43), Size::Bytes(100)]),
            (Mode::Batch, vec![Size::MIXES[0]]),
        ];
        let cells = modes.iter().map(|mode| of_engines(&engines, mode, 0, |_| "a title"));
        let cells = cells.flat_map(Result::unwrap).collect();
        let speeds = run(&Clock::start(), vec![cells], Duration::ZERO).unwrap();
        let count = |mode, length| {
            let of =
                speeds.results.iter().filter(|s| (s.place.mode, s.place.length) == (mode, length));
            of.count()
        };
        assert_eq!(count("single", Size::Bytes(43)), engines.len());
        assert_eq!(count("single", Size::Bytes(100)), engines.len());
        assert_eq!(count("batch", Size::MIXES[0]), engines.len() - 1);
        for speed in &speeds.results {
            let Timing { ns, spread, .. } = speed.timing;
            assert!(ns > 0.0 && spread >= 0.0 && speed.times.is_none());
            assert!(speed.cpb.is_none_or(|cpb| cpb > 0.0));
        }
    }

    #[test]
    fn what_is_compared_has_its_times() {
        let engines = engines::ours_on(Cpu::detect());
        let mode = (Mode::Single, vec![43.into()]);
        let mut cells = of_engines(&engines, &mode, 0, |_| "one").unwrap();
        let first = (cells[0].place.algorithm.clone(), cells[0].place.from.clone());
        cells[0].place.beside = Some(first.clone());
        cells[1].place.beside = Some(first);
        cells[2].place.beside = Some(("nobody".into(), "nowhere".into()));
        let speeds = run(&Clock::start(), vec![cells], Duration::ZERO).unwrap().results;
        assert_eq!(speeds[0].times, Some(1.0));
        assert_eq!(speeds[1].times, Some(speeds[1].timing.cost() / speeds[0].timing.cost()));
        assert_eq!((speeds[2].times, speeds[3].times), (None, None));
    }
}
