//! `wegman bench`: how fast the algorithms are on this machine. The measuring is `wegman-timing`'s.

use crate::args::Bench;
use crate::names::algorithm;
use crate::output::{Exit, say};
use crate::standard::print_page;
use anyhow::{Result, bail, ensure};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::io::{self, IsTerminal};
use std::time::Duration;
use wegman::Cpu;
use wegman_catalogue::{ALGORITHMS, Algorithm, Found, Status};
use wegman_timing::measure::Clock;
use wegman_timing::messages::{MAX_BATCH_LENGTH, MAX_LENGTH, Messages, Mode, Size};
use wegman_timing::ours::Ours;
use wegman_timing::report::{self, Record, Speed, digits, digits_or_dash};
use wegman_timing::rounds::{self, Cell};

/// For each cell, but for all of them no longer than the default run takes.
const TIME: Duration = Duration::from_millis(300);
const LONGEST: Duration = Duration::from_secs(12);
/// A quick run takes this fraction of the time.
const QUICK: u32 = 10;

pub fn run(args: &Bench) -> Result<Exit> {
    let algorithms = algorithms(args)?;
    let modes: Vec<Mode> = Mode::ALL.into_iter().filter(|mode| args.mode.contains(mode)).collect();
    let lengths: Vec<Size> =
        args.lengths.iter().copied().collect::<BTreeSet<Size>>().into_iter().collect();
    let longest = lengths.iter().map(|size| size.longest()).max().unwrap_or_default();
    ensure!(
        !modes.contains(&Mode::Batch) || longest <= MAX_BATCH_LENGTH,
        "--mode batch takes messages of up to {} bytes",
        report::bytes(MAX_BATCH_LENGTH)
    );
    if let Some(batch) = args.batch {
        ensure!(modes.contains(&Mode::Batch), "--batch is for --mode batch");
        ensure!(
            longest <= MAX_LENGTH / batch,
            "--batch {batch} takes messages of up to {} bytes: a batch has 1G at most",
            report::bytes(MAX_LENGTH / batch)
        );
    }
    if let Some(warning) = report::debug_warning() {
        say(&format!("warning: {warning}"));
    }

    let clock = Clock::start();
    if !args.json {
        // Before the table, which takes a while.
        print(&report::machine(clock.core_ghz(), clock.ticks_per_ns()))?;
    }
    let messages = Messages::in_batches(&lengths, &modes, args.batch);
    let (cells, of_cells) = cells(&algorithms, &messages, &lengths, &modes);
    let quick = if args.quick { QUICK } else { 1 };
    let time = (TIME * cells.len() as u32).min(LONGEST) / quick;
    let bar = progress_bar();
    let run = rounds::run(&clock, &cells, time, |part| bar.set_position((100.0 * part) as u64));
    bar.finish_and_clear();
    let run = match run {
        Ok(run) => run,
        Err(error) => {
            say(&format!("WRONG TAGS: {error}"));
            return Ok(Exit::Bad);
        }
    };

    // Read, algorithm after algorithm.
    let mut rows: Vec<_> = of_cells.into_iter().zip(&run.timings).collect();
    rows.sort_by_key(|&((place, mode, _), _)| (place, mode));
    let speed = |((place, mode, length), timing): ((usize, Mode, Size), _)| {
        let Ours { algorithm, kernel, .. } = &algorithms[place];
        Speed::new(&algorithm.name, kernel, mode.name(), length, timing)
    };
    let results: &[Speed] = &rows.into_iter().map(speed).collect::<Vec<_>>();
    let clock = run.clock_ghz;
    if args.json {
        let record = Record { cpu: report::cpu_model(), clock, results, absent: None };
        print(&serde_json::to_string_pretty(&record)?)?;
    } else {
        print(&table(results, clock))?;
    }
    Ok(Exit::Good)
}

/// What is measured, and of which algorithm, mode and length each is. In one round the algorithms are neighbours: a
/// slow moment touches all of them alike.
fn cells<'a>(
    algorithms: &'a [Ours],
    messages: &'a Messages,
    lengths: &[Size],
    modes: &[Mode],
) -> (Vec<Cell<'a>>, Vec<(usize, Mode, Size)>) {
    let mut cells = Vec::new();
    let mut of_cells = Vec::new();
    for &length in lengths {
        for &mode in modes {
            for (place, ours) in algorithms.iter().enumerate() {
                cells.push(ours.cell(messages, mode, length));
                of_cells.push((place, mode, length));
            }
        }
    }
    (cells, of_cells)
}

/// The algorithms asked for, each on the row asked for.
fn algorithms(args: &Bench) -> Result<Vec<Ours>> {
    let mut chosen: Vec<Found> = Vec::new();
    for name in &args.names {
        let algorithm = algorithm::find(name)?;
        if !chosen.iter().any(|other| other.name == algorithm.name) {
            chosen.push(algorithm);
        }
    }
    if chosen.is_empty() {
        let recommended = |algorithm: &&Algorithm| algorithm.status == Status::Recommended;
        chosen.extend(ALGORITHMS.iter().filter(recommended).map(Found::from));
    }
    if args.cpu.is_empty() {
        return Ok(chosen.into_iter().map(|each| Ours::new(each, Cpu::detect())).collect());
    }
    let every = args.cpu.iter().any(|row| row.eq_ignore_ascii_case("all"));
    let mut found = Vec::new();
    let mut lacking = Vec::new();
    for row in &args.cpu {
        let is_known = chosen
            .iter()
            .flat_map(|each| each.kernels(Cpu::detect()))
            .any(|(name, _)| name.eq_ignore_ascii_case(row));
        if !every && !is_known {
            bail!("--cpu: this machine has no row {row:?}; {}", rows_of(&chosen));
        }
    }
    for algorithm in chosen {
        let kernels = algorithm.kernels(Cpu::detect());
        let before = found.len();
        let wanted =
            |name: &str| every || args.cpu.iter().any(|row| name.eq_ignore_ascii_case(row));
        let rows = kernels.iter().filter(|(name, _)| wanted(name));
        found.extend(rows.map(|&(_, cpu)| Ours::new(algorithm.clone(), cpu)));
        if found.len() == before {
            lacking.push(algorithm);
        }
    }
    // An algorithm that was named must have one of the rows; of the others, those that have it.
    if !lacking.is_empty() {
        let rows = format!("--cpu: none of these rows here; {}", rows_of(&lacking));
        ensure!(args.names.is_empty(), "{rows}");
        say(&format!("left out, {rows}"));
    }
    Ok(found)
}

/// The rows of each algorithm that this machine can run, those with the same ones together.
fn rows_of(algorithms: &[Found]) -> String {
    let mut all: Vec<(Vec<&str>, Vec<&str>)> = Vec::new();
    for algorithm in algorithms {
        let rows = algorithm.kernels(Cpu::detect()).into_iter().map(|(name, _)| name).collect();
        match all.iter_mut().find(|(others, _)| *others == rows) {
            Some((_, names)) => names.push(&algorithm.name),
            None => all.push((rows, vec![&algorithm.name])),
        }
    }
    let text = |(rows, names): &(Vec<&str>, Vec<&str>)| {
        let verb = if names.len() == 1 { "can run" } else { "each can run" };
        format!("{} {verb} {}", names.join(", "), rows.join(", "))
    };
    all.iter().map(text).collect::<Vec<_>>().join("; ")
}

/// A bar on a terminal, nothing elsewhere.
fn progress_bar() -> ProgressBar {
    if !io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::with_draw_target(Some(100), ProgressDrawTarget::stderr());
    let style = ProgressStyle::with_template("{bar:30} {percent} %  {eta} left");
    bar.with_style(style.expect("a fixed template"))
}

/// A row for each speed, a blank line between algorithms.
fn table(speeds: &[Speed], clock_ghz: Option<f64>) -> String {
    let mut text = String::new();
    let width = speeds.iter().map(|speed| speed.algorithm.len()).fold(13, usize::max);
    for of_one in speeds.chunk_by(|a, b| a.algorithm == b.algorithm) {
        let _ = writeln!(
            text,
            "\n{:<width$} {:<14}{:<9}{:>8}{:>12}{:>12}{:>12}{:>9}",
            "algorithm", "kernel", "mode", "bytes", "cycles", "cycles/byte", "ns", "spread"
        );
        for speed in of_one {
            let _ = writeln!(
                text,
                "{:<width$} {:<14}{:<9}{:>8}{:>12}{:>12}{:>12}{:>7.1} %",
                speed.algorithm,
                speed.kernel,
                speed.mode,
                speed.length,
                digits_or_dash(speed.cycles),
                digits_or_dash(speed.cpb),
                digits(speed.ns),
                100.0 * speed.spread
            );
        }
    }
    if let Some(ghz) = clock_ghz {
        let _ = writeln!(text, "\ncore clock while measuring: {ghz:.2} GHz (median)");
    }
    if speeds.iter().any(|speed| speed.spread > report::UNQUIET) {
        let _ = writeln!(text, "{}", report::UNQUIET_NOTE);
    }
    text
}

fn print(text: &str) -> Result<()> {
    print_page(&format!("{}\n", text.trim_end()))
}
