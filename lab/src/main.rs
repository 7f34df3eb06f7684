//! `wegman-bench`: measures the library `wegman` beside its rivals. This file does what the arguments ask for.
//!
//! ```sh
//! cargo run --release -p wegman-bench -- speeds            # the table of the README
//! cargo run --release -p wegman-bench -- rivals --quick    # everything there is to compare with
//! cargo run --release -p wegman-bench -- family            # every set the papers define or measure
//! cargo run --release -p wegman-bench -- assurance         # a part of a tag for a part of the time?
//! cargo run --release -p wegman-bench -- keys              # what a key costs
//! cargo run --release -p wegman-bench -- memory            # as fast as memory?
//! cargo run --release -p wegman-bench -- batches           # what a message costs in batches of n
//! cargo run --release -p wegman-bench -- names             # what a tag costs by name
//! cargo run --release -p wegman-bench -- sessions          # what a session adds to a tag
//! cargo run --release -p wegman-bench -- lab run           # all tables of the papers, as a page
//! cargo run --release -p wegman-bench -- path              # what a MAC costs in a packet path
//! ```
//!
//! | module | what it knows |
//! |---|---|
//! | [`arguments`] | the command line |
//! | [`engine`] | one algorithm as one library computes it, and the code that checks it |
//! | [`engines`] | ours by name: the catalogue's, and [`unlisted`] ones; their definitions: [`oracles`] |
//! | [`rivals`] | everybody else's, and their definitions; held to a [`class`] of instructions |
//! | [`compare`], [`speed_tables`] | engines measured in turn, and the tables of `speeds`, `rivals` and `family` |
//! | [`family`], [`assurance`], [`keys`], [`memory`], [`batches`], [`names`], [`sessions`], [`path`] | the commands of these names |
//! | [`papers`] | the command `lab`: the papers' tables, measured again |
//!
//! System libraries are measured where the build finds them (Debian: `apt-get install pkg-config
//! nettle-dev libssl-dev libgcrypt20-dev libsodium-dev libipsec-mb-dev libcrypto++-dev
//! libtomcrypt-dev`); those it does not find are named in the output. Build for the default
//! processor: `engine.rs` says why.
//!
//! Exit codes: 0 measured, 1 an engine gave a wrong tag or the output could not be written, 2 bad
//! arguments.
#![deny(unsafe_code)]

mod arguments;
mod assurance;
mod batches;
mod class;
mod compare;
mod engine;
mod engines;
mod family;
mod keys;
mod memory;
mod names;
mod oracles;
mod papers;
// Elsewhere it is only read and shown.
#[cfg_attr(not(target_os = "linux"), allow(dead_code))]
mod path;
mod progress;
mod rivals;
mod sessions;
mod speed_tables;
mod through_c;
mod unlisted;

use arguments::{
    Arguments, AssuranceArguments, BatchesArguments, Command, FamilyArguments, MemoryArguments,
    NamesArguments, PathArguments, RivalsArguments, RunArguments, SpeedsArguments, refuse,
};
use batches::{Plan, Sizes};
use clap::Parser;
use class::Class;
use std::io::{self, Write};
use std::process::ExitCode;
use std::time::Duration;
use wegman::Cpu;
use wegman_timing::measure::Clock;
use wegman_timing::messages::{MAX_BATCH_LENGTH, Mode, Size};
use wegman_timing::report;

fn main() -> ExitCode {
    let done = match Arguments::parse().command {
        Command::Speeds(arguments) => speeds(arguments),
        Command::Rivals(arguments) => compare_rivals(arguments),
        Command::Family(arguments) => measure_family(arguments),
        Command::Assurance(arguments) => measure_assurance(arguments),
        Command::Keys(arguments) => measure_keys(&arguments),
        Command::Memory(arguments) => measure_memory(&arguments),
        Command::Batches(arguments) => measure_batches(&arguments),
        Command::Names(arguments) => measure_names(&arguments),
        Command::Sessions(run) => measure_sessions(&run),
        Command::Lab(lab) => measure_lab(lab),
        Command::Path(arguments) => measure_path(&arguments),
        #[cfg(target_os = "linux")]
        Command::PathPeer { role, cpu, net } => path::be_peer(&role, cpu, net == "own-net"),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("wegman-bench: {error}");
            ExitCode::FAILURE
        }
    }
}

fn speeds(SpeedsArguments { lengths, run }: SpeedsArguments) -> Result<(), String> {
    let lengths = in_order(lengths);
    let clock = begin(&run)?;
    let engines: Vec<_> = engines::ours()
        .into_iter()
        .chain(rivals::all(None).engines)
        .filter(|engine| SPEEDS.contains(&(&engine.name, first_word(&engine.origin))))
        .collect();
    let speeds = compare::run(&clock, &engines, &[(Mode::Single, lengths)], run.time())?;
    print_run(&run, || speeds.record(None), || speed_tables::speeds(&speeds))
}

/// What `speeds` measures: the table of the README.
const SPEEDS: [(&str, &str); 4] =
    [("UMAC-64", "wegman"), ("PMAC-AES128", "wegman"), ("HMAC-SHA1", "hmac"), ("AES-CMAC", "cmac")];

fn first_word(text: &str) -> &str {
    text.split(' ').next().unwrap_or_default()
}

fn compare_rivals(arguments: RivalsArguments) -> Result<(), String> {
    // A process that is held to a class measures that one; otherwise it starts one for each.
    let class = Class::of_process();
    if class.is_none() && !arguments.class.is_empty() {
        return in_classes(&arguments.class, arguments.run.json);
    }
    let RivalsArguments { lengths, mode, shown, run, .. } = arguments;
    let modes = lengths_of_modes(mode, lengths, &RIVALS);
    let clock = begin(&run)?;
    let mut rivals = rivals::all(class);
    let mut engines = engines::ours_on(class.map_or_else(Cpu::detect, Class::cpu));
    engines.append(&mut rivals.engines);
    let speeds = compare::run(&clock, &engines, &modes, run.time())?;
    print_run(
        &run,
        || speeds.record_beside(&rivals, class),
        || speed_tables::rivals(&speeds, &engines, class, &rivals, shown),
    )
}

/// Runs this program once more for each class.
fn in_classes(names: &[String], json: bool) -> Result<(), String> {
    let is_asked_for =
        |class: &Class| names.iter().any(|name| name == class.name() || name == "all");
    let (here, absent): (Vec<Class>, Vec<Class>) =
        Class::ALL.into_iter().filter(is_asked_for).partition(|class| class.is_here());
    if json && here.len() > 1 {
        refuse("--json is for one class");
    }
    let absent: Vec<&str> = absent.into_iter().map(Class::name).collect();
    match (&here[..], &absent[..]) {
        ([], _) => {
            refuse(&format!("this machine has not all instructions of {}", absent.join(", ")))
        }
        (_, []) => (),
        _ => eprintln!("this machine has not all instructions of {}", absent.join(", ")),
    }
    for class in here {
        let status = class.command().and_then(|mut command| command.status());
        let status = status.map_err(|error| format!("this program once more: {error}"))?;
        if !status.success() {
            return Err(format!("class {class}: {status}"));
        }
    }
    Ok(())
}

fn measure_family(arguments: FamilyArguments) -> Result<(), String> {
    let FamilyArguments { names, lengths, mode, row, shown, run } = arguments;
    let modes = lengths_of_modes(mode, lengths, &FAMILY);
    let mut engines = if names.is_empty() { family::engines() } else { Vec::new() };
    for name in names {
        let Some(engine) = engines::find(&name) else {
            refuse(&format!("nothing of ours is called {name:?}"));
        };
        let takes = |(mode, lengths): &(Mode, Vec<Size>)| {
            lengths.iter().any(|&length| engine.takes(*mode, length))
        };
        if !modes.iter().any(takes) {
            refuse(&format!("{} takes no such messages", engine.name));
        }
        if engines.iter().all(|other| other.name != engine.name) {
            engines.push(engine);
        }
    }
    if let Some(row) = row {
        engines = engines::on_row(&engines, &row).unwrap_or_else(|why| refuse(&why));
    }
    let clock = begin(&run)?;
    let speeds = compare::run(&clock, &engines, &modes, run.time())?;
    print_run(&run, || speeds.record(None), || speed_tables::family(&speeds, shown))
}

/// Lengths to measure one message at a time, and in batches.
type Lengths = (&'static [usize], &'static [usize], &'static [Size]);

const RIVALS: Lengths =
    (&[16, 43, 256, 1500, 4096, 262_144], &[16, 43, 64, 256, 576, 1500, 4096], &Size::MIXES);

const FAMILY: Lengths = (&family::LENGTHS, &family::LENGTHS_OF_BATCHES, &[]);

/// Each mode once, with the lengths that were asked for or the usual ones.
fn lengths_of_modes(
    modes: Vec<Mode>,
    lengths: Vec<Size>,
    (single, batch, mixes): &Lengths,
) -> Vec<(Mode, Vec<Size>)> {
    let lengths = in_order(lengths);
    let of = |mode: Mode| {
        let usual = match mode {
            _ if !lengths.is_empty() => return lengths.clone(),
            Mode::Single | Mode::Latency => single,
            Mode::Batch => batch,
        };
        usual.iter().map(|&length| length.into()).chain(mixes.iter().copied()).collect()
    };
    let modes: Vec<(Mode, Vec<Size>)> =
        in_order(modes).into_iter().map(|mode| (mode, of(mode))).collect();
    let is_too_long = |size: &Size| size.longest() > MAX_BATCH_LENGTH;
    if modes.iter().any(|(mode, lengths)| *mode == Mode::Batch && lengths.iter().any(is_too_long)) {
        refuse(&format!(
            "a batch takes messages of up to {} bytes: for longer ones use --mode single",
            report::bytes(MAX_BATCH_LENGTH)
        ));
    }
    modes
}

fn measure_assurance(
    AssuranceArguments { lengths, run }: AssuranceArguments,
) -> Result<(), String> {
    let lengths = in_order(lengths);
    let clock = begin(&run)?;
    let levels = assurance::run(&clock, &lengths, run.time())?;
    print_run(&run, || assurance::record(&levels), || assurance::table(&levels))
}

fn measure_keys(run: &RunArguments) -> Result<(), String> {
    let clock = begin(run)?;
    let keys = keys::run(&clock, run.time())?;
    print_run(run, || keys::record(&keys), || keys::table(&keys))
}

fn measure_memory(arguments: &MemoryArguments) -> Result<(), String> {
    if arguments.up_to < memory::LENGTHS[0] {
        refuse(&format!("the smallest buffer has {} bytes", report::bytes(memory::LENGTHS[0])));
    }
    let clock = begin(&arguments.run)?;
    let results = memory::run(&clock, arguments.up_to, arguments.run.time())?;
    print_run(&arguments.run, || memory::record(&results), || memory::table(&results))
}

fn measure_batches(arguments: &BatchesArguments) -> Result<(), String> {
    let BatchesArguments { names, n, lengths, row, check, run } = arguments;
    let is_known = |name: &&String| batches::names().any(|other| other.eq_ignore_ascii_case(name));
    if let Some(name) = names.iter().find(|name| !is_known(name)) {
        let known: Vec<&str> = batches::names().collect();
        refuse(&format!("batches of {name:?} are not measured, only of {}", known.join(", ")));
    }
    let numbers = in_order(n.clone());
    let mut lengths: Vec<Sizes> = in_order(lengths.clone()).into_iter().map(Sizes::Same).collect();
    lengths.extend([Sizes::Mixed, Sizes::OneLong]);
    let plan = Plan { names, row: row.as_deref(), numbers: &numbers, lengths: &lengths };
    let clock = begin(run)?;
    let batches = batches::run(&clock, &plan, 2 * run.time())?;
    print_run(run, || batches::record(&batches), || batches::table(&batches))?;
    check.and_then(|limit| batches::above(&batches, limit)).map_or(Ok(()), Err)
}

fn measure_names(NamesArguments { every_row, run }: &NamesArguments) -> Result<(), String> {
    let clock = begin(run)?;
    let names = names::run(&clock, *every_row, run.time())?;
    print_run(run, || names::record(&names), || names::table(&names))
}

fn measure_sessions(run: &RunArguments) -> Result<(), String> {
    let clock = begin(run)?;
    let sessions = sessions::run(&clock, run.time())?;
    print_run(run, || sessions::record(&sessions), || sessions::table(&sessions))
}

fn measure_lab(lab: papers::Lab) -> Result<(), String> {
    for warning in warnings() {
        eprintln!("warning: {warning}");
    }
    papers::main(lab, print)
}

#[cfg(target_os = "linux")]
fn measure_path(PathArguments { seconds, loopback, run }: &PathArguments) -> Result<(), String> {
    let seconds = seconds.unwrap_or(if run.quick { 45 } else { 300 });
    let clock = begin(run)?;
    let paths = path::run(&clock, Duration::from_secs(seconds), *loopback)?;
    print_run(run, || &paths, || path::table(&paths))
}

#[cfg(not(target_os = "linux"))]
fn measure_path(_: &PathArguments) -> Result<(), String> {
    Err("the packet path is measured on Linux only: namespaces, sendmmsg and GSO are its own"
        .into())
}

/// Warns about everything that spoils figures, and prints the machine first, so that the user knows what
/// is measured.
fn begin(run: &RunArguments) -> Result<Clock, String> {
    for warning in warnings() {
        eprintln!("warning: {warning}");
    }
    let clock = Clock::start();
    if !run.json {
        print(&report::machine(clock.core_ghz(), clock.ticks_per_ns()))?;
    }
    Ok(clock)
}

fn print_run<R: serde::Serialize>(
    run: &RunArguments,
    record: impl FnOnce() -> R,
    tables: impl FnOnce() -> String,
) -> Result<(), String> {
    if run.json {
        print(&serde_json::to_string_pretty(&record()).map_err(|error| error.to_string())?)
    } else {
        print(&tables())
    }
}

/// Each once.
fn in_order<T: Ord>(mut list: Vec<T>) -> Vec<T> {
    list.sort_unstable();
    list.dedup();
    list
}

/// What makes this build's figures worthless, if anything.
fn warnings() -> Vec<&'static str> {
    let mut warnings: Vec<_> = report::debug_warning().into_iter().collect();
    if cfg!(all(
        target_arch = "x86_64",
        any(
            target_feature = "avx",
            target_feature = "avx2",
            target_feature = "avx512f",
            target_feature = "aes",
            target_feature = "sha",
        )
    )) {
        warnings.push(
            "built for more than the default processor (target-cpu or target-feature): some rivals \
             are then far slower than they need to be",
        );
    }
    warnings
}

/// Prints a line or more; a closed pipe is an error to report, not a panic.
fn print(text: &str) -> Result<(), String> {
    let mut out = io::stdout().lock();
    writeln!(out, "{}", text.trim_end())
        .and_then(|()| out.flush())
        .map_err(|error| format!("standard output: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    fn parse(arguments: &[&str]) -> Result<Command, clap::Error> {
        let arguments = ["wegman-bench"].iter().chain(arguments);
        Arguments::try_parse_from(arguments).map(|arguments| arguments.command)
    }

    #[test]
    fn the_arguments_are_consistent() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn lengths_are_lists() {
        let Ok(Command::Rivals(rivals)) = parse(&["rivals", "--lengths", "uniform,43,1K"]) else {
            panic!("not parsed")
        };
        let modes =
            lengths_of_modes(vec![Mode::Batch, Mode::Single, Mode::Batch], rivals.lengths, &RIVALS);
        let wanted = vec![Size::Bytes(43), Size::Bytes(1024), Size::Uniform];
        assert_eq!(modes, [Mode::Single, Mode::Batch].map(|mode| (mode, wanted.clone())));
        for text in ["0", "", "43,,44", "mix", "-1", "2G", "99999999999999999999"] {
            assert!(parse(&["speeds", "--lengths", text]).is_err(), "{text:?}");
        }
    }

    #[test]
    fn names_go_with_options() {
        let Ok(Command::Family(family)) = parse(&["family", "UMAC16", "--mode", "single", "SHA-1"])
        else {
            panic!("not parsed")
        };
        assert_eq!(
            (family.names, family.mode),
            (vec!["UMAC16".into(), "SHA-1".into()], vec![Mode::Single])
        );
        assert!(parse(&["assurance", "UMAC16"]).is_err() && parse(&["keys", "UMAC16"]).is_err());
    }

    #[test]
    fn the_defaults_are_what_the_help_says() {
        let Ok(Command::Speeds(speeds)) = parse(&["speeds"]) else { panic!("not parsed") };
        let with_mixes = |lengths: &[usize]| -> Vec<Size> {
            lengths.iter().map(|&length| length.into()).chain(Size::MIXES).collect()
        };
        assert_eq!(speeds.lengths, with_mixes(&[43, 256, 1500, 262_144]));
        assert!(!speeds.run.quick && !speeds.run.json);
        let Ok(Command::Rivals(rivals)) = parse(&["rivals"]) else { panic!("not parsed") };
        let modes = lengths_of_modes(rivals.mode, rivals.lengths, &RIVALS);
        let single = with_mixes(&[16, 43, 256, 1500, 4096, 262_144]);
        let batch = with_mixes(&[16, 43, 64, 256, 576, 1500, 4096]);
        assert_eq!(modes, [(Mode::Single, single), (Mode::Batch, batch)]);
        let Ok(Command::Family(family)) = parse(&["family"]) else { panic!("not parsed") };
        let modes = lengths_of_modes(family.mode, family.lengths, &FAMILY);
        let single = [43, 256, 1500, 4096, 262_144].map(Size::Bytes);
        assert_eq!(modes, [(Mode::Single, single.to_vec()), (Mode::Batch, single[..4].to_vec())]);
        let Ok(Command::Assurance(levels)) = parse(&["assurance"]) else { panic!("not parsed") };
        assert_eq!(levels.lengths, [256, 1500, 4096, 65_536, 262_144]);
    }

    #[test]
    fn speeds_has_all_four() {
        let engines: Vec<_> =
            engines::ours().into_iter().chain(rivals::all(None).engines).collect();
        for (name, library) in SPEEDS {
            let is_it =
                |e: &&engine::Engine| (e.name.as_str(), first_word(&e.origin)) == (name, library);
            assert_eq!(engines.iter().filter(is_it).count(), 1, "{name}");
        }
    }
}
