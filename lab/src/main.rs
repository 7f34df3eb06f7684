//! `wegman-bench`: measures the library `wegman` beside its rivals. This file does what the arguments ask for.
//!
//! ```sh
//! cargo run --release -p wegman-bench -- bench UMAC-64     # any algorithm, on any row of kernels
//! cargo run --release -p wegman-bench -- rivals --quick    # everything there is to compare with
//! cargo run --release -p wegman-bench -- family            # every set the papers define or measure
//! cargo run --release -p wegman-bench -- assurance         # a part of a tag for a part of the time?
//! cargo run --release -p wegman-bench -- keys              # what a key costs
//! cargo run --release -p wegman-bench -- memory            # as fast as memory?
//! cargo run --release -p wegman-bench -- batches           # what a message costs in batches of n
//! cargo run --release -p wegman-bench -- names             # what a tag costs by name
//! cargo run --release -p wegman-bench -- sessions          # what a session adds to a tag
//! cargo run --release -p wegman-bench -- lab run --out DIR # all tables of the papers
//! cargo run --release -p wegman-bench -- path              # what a MAC costs in a packet path
//! ```
//!
//! A command is a list of cells; [`speeds`] measures them and [`view`] shows them.
//!
//! | module | what it knows |
//! |---|---|
//! | [`arguments`] | the command line |
//! | [`timing`] | the clock, the messages, and timing in turn |
//! | [`engine`] | one algorithm as one library computes it, and the code that checks it |
//! | [`engines`] | ours by name, on any row, with their definitions: the catalogue's, and [`unlisted`] ones |
//! | [`rivals`] | everybody else's, and their definitions; held to a [`class`] of instructions |
//! | [`typed`] | ours as programs have them, in Rust and in C |
//! | [`named`] | values with names |
//! | [`assurance`], [`mod@memory`], [`ways`] | the cells of commands |
//! | [`papers`] | the command `lab`: the papers' tables, measured again |
//! | [`path`] | packets |
//!
//! System libraries are measured where the build finds them (Debian: `apt-get install
//! nettle-dev libssl-dev libgcrypt20-dev libipsec-mb-dev libcrypto++-dev`); those it does not find
//! are named in the output. Build for the default processor: `engine.rs` says why.
//!
//! Exit codes: 0 measured, 1 an engine gave a wrong tag or the output could not be written, 2 bad
//! arguments.
#![deny(unsafe_code)]

mod arguments;
mod assurance;
mod class;
mod engine;
mod engines;
mod memory;
mod named;
mod papers;
#[cfg(target_os = "linux")]
mod path;
mod rivals;
mod speeds;
mod timing;
mod typed;
mod unlisted;
mod view;
mod ways;

use anyhow::{Context, Result, ensure};
use arguments::{Arguments, Command, MessagesArguments, RunArguments, SpeedsArguments, refuse};
use clap::Parser;
use class::Class;
use engine::Engine;
use rayon::ThreadPoolBuilder;
use speeds::{Note, Speeds};
use std::collections::BTreeSet;
use std::io::{self, Write};
use std::num::NonZero;
use std::process::ExitCode;
use std::rc::Rc;
use std::thread;
use std::time::Duration;
use timing::measure::Clock;
use timing::messages::{self, MAX_BATCH_LENGTH, Mode, SHIFT, Size};
use wegman::Cpu;
use wegman_catalogue::{ALGORITHMS, Algorithm, Status};

fn main() -> ExitCode {
    match run(Arguments::parse().command) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("wegman-bench: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(command: Command) -> Result<()> {
    let one =
        |clock: &Clock, cells, run: &RunArguments| speeds::run(clock, vec![cells], run.time());
    match command {
        Command::Bench(arguments) => bench(arguments, recommended(), BENCH),
        Command::Family(arguments) => bench(arguments, engines::family(), FAMILY),
        Command::Rivals { messages, class } => compare_rivals(&messages, &class),
        Command::Assurance(run) => {
            show(run, |clock| one(clock, assurance::cells(&assurance::LENGTHS)?, &run))
        }
        Command::Keys(run) => show(run.per_message(), |clock| {
            let key =
                |algorithm: &'static Algorithm| engines::setup(algorithm.into(), Cpu::detect());
            one(clock, ALGORITHMS.iter().map(key).collect(), &run)
        }),
        Command::Memory(run) => show(run, |clock| memory(clock, run.time())),
        Command::Batches(run) => show(run.per_message(), |clock| {
            speeds::run(clock, ways::batches(&ways::NUMBERS), 2 * run.time())
        }),
        Command::Names(run) => show(run.per_message(), |clock| one(clock, ways::names(), &run)),
        Command::Sessions(run) => show(run.per_message(), |clock| {
            let notes = vec![ways::shared(run.time() / 20)];
            Ok(Speeds { notes, ..one(clock, ways::sessions(), &run)? })
        }),
        Command::Lab(lab) => {
            warn();
            papers::main(lab)
        }
        #[cfg(target_os = "linux")]
        Command::Path { seconds, loopback, run } => {
            let seconds = seconds.unwrap_or(if run.quick { 45 } else { 300 });
            show(run, |clock| path::run(clock, Duration::from_secs(seconds), loopback))
        }
        #[cfg(not(target_os = "linux"))]
        Command::Path { .. } => anyhow::bail!(
            "the packet path is measured on Linux only: namespaces, sendmmsg and GSO are its own"
        ),
    }
}

/// Prints what spoils figures and the machine first, so that the user knows what is measured, and then the speeds.
fn show(run: RunArguments, measure: impl FnOnce(&Clock) -> Result<Speeds>) -> Result<()> {
    warn();
    let clock = Clock::start();
    if !run.json {
        print(&clock.machine())?;
    }
    let speeds = measure(&clock)?;
    if run.json {
        print(&serde_json::to_string_pretty(&speeds)?)
    } else {
        print(&view::table(&speeds, &run))
    }
}

/// Modes, lengths and mixes if none are asked for; of the lengths, batches have those up to [`LONGEST_OF_BATCHES`].
type Usual = (&'static [Mode], &'static [usize], &'static [Size]);

const LONGEST_OF_BATCHES: usize = 4096;

const BOTH: &[Mode] = &[Mode::Single, Mode::Batch];

const BENCH: Usual = (&[Mode::Single], &[16, 43, 64, 256, 576, 1500, 4096, 65_536, 262_144], &[]);

const FAMILY: Usual = (BOTH, &[43, 256, 1500, 4096, 262_144], &[]);

const RIVALS: Usual = (BOTH, &[16, 43, 256, 1500, 4096, 262_144], &Size::MIXES);

/// Each mode once, with the lengths that were asked for or the usual ones. Refuses batches that would not fit into memory.
fn modes(asked: &MessagesArguments, usual: Usual) -> Vec<(Mode, Vec<Size>)> {
    let lengths = in_order(&asked.lengths);
    let modes = if asked.mode.is_empty() { usual.0.to_vec() } else { in_order(&asked.mode) };
    let is_too_long = |size: &Size| size.longest() > MAX_BATCH_LENGTH;
    if modes.contains(&Mode::Batch) && lengths.iter().any(is_too_long) {
        let most = messages::bytes(MAX_BATCH_LENGTH);
        refuse(&format!("such a batch takes messages of up to {most} bytes"));
    }
    let of = |mode: Mode| {
        let most = if mode == Mode::Batch { LONGEST_OF_BATCHES } else { usize::MAX };
        let usual_lengths = usual.1.iter().filter(|length| **length <= most);
        let all = usual_lengths.map(|&length| length.into()).chain(usual.2.iter().copied());
        if lengths.is_empty() { all.collect() } else { lengths.clone() }
    };
    modes.into_iter().map(|mode| (mode, of(mode))).collect()
}

/// What `bench` measures if nothing is named.
fn recommended() -> Vec<&'static str> {
    let recommended = ALGORITHMS.iter().filter(|algorithm| algorithm.status == Status::Recommended);
    recommended.map(|algorithm| algorithm.name.as_str()).collect()
}

fn bench(arguments: SpeedsArguments, all: Vec<&str>, usual: Usual) -> Result<()> {
    let SpeedsArguments { names, messages, cpu } = arguments;
    let modes = modes(&messages, usual);
    let mut engines: Vec<Rc<Engine>> = Vec::new();
    let asked: Vec<&str> = names.iter().map(String::as_str).collect();
    for name in if asked.is_empty() { all } else { asked } {
        let Some(engine) = engines::find(name) else {
            refuse(&format!("nothing of ours is called {name:?}: see `wegman algorithms`"));
        };
        let takes =
            |(mode, sizes): &(Mode, Vec<Size>)| sizes.iter().any(|&size| engine.takes(*mode, size));
        if !names.is_empty() && !modes.iter().any(takes) {
            refuse(&format!("{} takes no such messages", engine.name));
        }
        if engines.iter().all(|other| other.name != engine.name) {
            engines.push(engine);
        }
    }
    if !cpu.is_empty() {
        engines = engines::on_rows(&engines, &cpu).unwrap_or_else(|why| refuse(&why));
    }
    measure_engines(&messages, &engines, &modes, engines::title, Vec::new())
}

/// All engines in all modes, in one interleaved run.
fn measure_engines(
    messages: &MessagesArguments,
    engines: &[Rc<Engine>],
    modes: &[(Mode, Vec<Size>)],
    title: fn(&Engine) -> &'static str,
    mut notes: Vec<(&'static str, Vec<String>)>,
) -> Result<()> {
    let MessagesArguments { unaligned, run, .. } = *messages;
    show(run, |clock| {
        let mut cells = Vec::new();
        // Each mode has its own messages: a batch of the longest ones might not fit into memory.
        for mode in modes {
            let shift = if unaligned { SHIFT } else { 0 };
            cells.extend(speeds::of_engines(engines, mode, shift, title)?);
        }
        // A few cells take no longer than they need.
        let time = run.time().min(run.part(CELL * cells.len() as u32));
        let begin = unaligned.then(|| "at any byte, not at multiples of 64".to_owned());
        notes.push(("where messages begin", begin.into_iter().collect()));
        let notes = notes.into_iter().filter(|(_, lines)| !lines.is_empty());
        let notes = notes.map(|(title, lines)| Note { title, lines }).collect();
        Ok(Speeds { notes, ..speeds::run(clock, vec![cells], time)? })
    })
}

/// For a cell, if there are not many.
const CELL: Duration = Duration::from_millis(300);

fn compare_rivals(messages: &MessagesArguments, classes: &[String]) -> Result<()> {
    // A process that is held to a class measures that one; otherwise it starts one for each.
    let class = Class::of_process();
    if class.is_none() && !classes.is_empty() {
        return in_classes(classes, messages.run.json);
    }
    let modes = modes(messages, RIVALS);
    let rivals = rivals::all(class);
    let mut engines = engines::ours_on(class.map_or_else(Cpu::detect, Class::cpu));
    engines.extend(rivals.engines);
    let of_class = class.map(|class| format!("{class} alone")).into_iter().collect();
    let notes = vec![
        ("class of instructions", of_class),
        ("told to use no more, and what they say", rivals.reports),
        ("left out of this class", rivals.left_out),
        ("absent, found when installed and lab/build.rs is touched", rivals.absent),
    ];
    measure_engines(messages, &engines, &modes, |one| one.group.name(), notes)
}

/// Runs this program once more for each class.
fn in_classes(names: &[String], json: bool) -> Result<()> {
    let is_asked_for =
        |class: &Class| names.iter().any(|name| name == class.name() || name == "all");
    let (here, absent): (Vec<Class>, Vec<Class>) =
        Class::ALL.into_iter().filter(is_asked_for).partition(|class| class.is_here());
    for class in absent {
        eprintln!("this machine has not all instructions of {class}");
    }
    match here.len() {
        0 => refuse("none of these classes is here"),
        2.. if json => refuse("--json is for one class"),
        _ => {}
    }
    for class in here {
        let status = class.command().and_then(|mut command| command.status());
        let status = status.context("this program once more")?;
        ensure!(status.success(), "class {class}: {status}");
    }
    Ok(())
}

fn memory(clock: &Clock, time: Duration) -> Result<Speeds> {
    let processors = thread::available_parallelism().map_or(1, NonZero::get);
    let on_threads = processors >= memory::THREADS;
    let pool = ThreadPoolBuilder::new().num_threads(memory::THREADS).build_global();
    pool.context("threads")?;
    let lines = vec!["this program may use one processor only".to_owned()];
    let note = (!on_threads).then_some(Note { title: "no rows of two threads", lines });
    let groups = memory::groups(&memory::LENGTHS, on_threads)?;
    Ok(Speeds { notes: note.into_iter().collect(), ..speeds::run(clock, groups, time)? })
}

/// Each once.
fn in_order<T: Ord + Copy>(list: &[T]) -> Vec<T> {
    list.iter().copied().collect::<BTreeSet<T>>().into_iter().collect()
}

/// Says what makes this build's figures worthless, if anything.
fn warn() {
    if cfg!(debug_assertions) {
        eprintln!("warning: not a release build: build with --release");
    }
    // Each kind of vectors includes AVX.
    if cfg!(all(
        target_arch = "x86_64",
        any(target_feature = "avx", target_feature = "aes", target_feature = "sha")
    )) {
        eprintln!(
            "warning: built for more than the default processor (target-cpu or target-feature): \
             some rivals are then far slower than they need to be"
        );
    }
}

/// Prints a line or more; a closed pipe is an error to report, not a panic.
fn print(text: &str) -> Result<()> {
    let mut out = io::stdout().lock();
    writeln!(out, "{}", text.trim_end()).and_then(|()| out.flush()).context("standard output")
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
    fn lengths_and_modes_are_lists_each_once() {
        let arguments = ["rivals", "--lengths", "uniform,43,1K", "--mode", "batch,single,batch"];
        let Ok(Command::Rivals { messages, .. }) = parse(&arguments) else { panic!("not parsed") };
        let wanted = vec![Size::Bytes(43), Size::Bytes(1024), Size::MIXES[0]];
        assert_eq!(
            modes(&messages, RIVALS),
            BOTH.iter().map(|&mode| (mode, wanted.clone())).collect::<Vec<_>>()
        );
        for text in ["0", "", "43,,44", "mix", "-1", "2G", "99999999999999999999"] {
            assert!(parse(&["rivals", "--lengths", text]).is_err(), "{text:?}");
        }
    }

    #[test]
    fn names_go_with_options() {
        let Ok(Command::Family(family)) = parse(&["family", "UMAC16", "--mode", "single", "SHA-1"])
        else {
            panic!("not parsed")
        };
        assert_eq!(family.names, ["UMAC16", "SHA-1"]);
        assert_eq!(family.messages.mode, [Mode::Single]);
        assert!(parse(&["assurance", "UMAC16"]).is_err() && parse(&["keys", "UMAC16"]).is_err());
    }

    #[test]
    fn without_lengths_and_modes_the_usual_ones_are_measured() {
        let Ok(Command::Rivals { messages, .. }) = parse(&["rivals"]) else { panic!("not parsed") };
        let with_mixes = |lengths: &[usize]| -> Vec<Size> {
            lengths.iter().map(|&length| length.into()).chain(Size::MIXES).collect()
        };
        let single = with_mixes(&[16, 43, 256, 1500, 4096, 262_144]);
        let batch = with_mixes(&[16, 43, 256, 1500, 4096]);
        assert_eq!(modes(&messages, RIVALS), [(Mode::Single, single), (Mode::Batch, batch)]);
    }
}
