//! The command `wegman` as a library: arguments in, exit code out. Each subcommand is a file in `commands`.
//!
//! What is here changes with the command and promises nothing to others. Its files are `wegman-files`'.
#![deny(unsafe_code)]

// From the bottom up: each uses only those above it.
mod args;
mod output;
mod reader;
mod report;

mod commands;

use anyhow::{Context, Result, ensure};
use args::{Args, Command};
use clap::error::ContextKind;
use clap::{CommandFactory, Parser};
use commands::edit::Change;
use commands::{
    algorithms, audit, bounds, check, cluster, combine, edit, keygen, mac, segment, tag,
};
use output::{Exit, say};
use std::path::Path;
use std::process::ExitCode;
use wegman_files::durable::interrupt;
use wegman_files::{durable, files, regular, standard, stored};
use wegman_formats::{hex, names};

/// Does what the command line says.
pub fn main() -> ExitCode {
    handle_interrupts();
    let done = match Args::try_parse() {
        Ok(args) => start_in(args.go_to.as_deref()).and_then(|()| run(&args.command)),
        Err(answer) => tell(&answer),
    };
    match done {
        Ok(exit) => exit.into(),
        Err(error) => {
            say(&format!("{error:#}"));
            Exit::after(&error).into()
        }
    }
}

/// Reads a command line, program name first, and does of it what touches no file: `algorithms` and `bounds` as a whole, of
/// other commands what is decided before the first file. For tests that may not touch files, such as those in fuzz/.
///
/// # Errors
/// What is wrong with the command line.
#[doc(hidden)]
pub fn rehearse(line: &[std::ffi::OsString]) -> Result<()> {
    match &Args::try_parse_from(line)?.command {
        Command::Algorithms(args) => algorithms::run(args).map(drop),
        Command::Bounds(args) => bounds::run(args).map(drop),
        Command::Keygen(args) => keygen::chosen(args).map(drop),
        Command::Mac(args) => mac::chosen(args).map(drop),
        _ => Ok(()),
    }
}

/// On an interrupt: no half-written file stays behind, and none takes its place afterwards.
fn handle_interrupts() {
    let handler = || {
        // Held until the end.
        let unfinished = interrupt::unfinished();
        if let Some(path) = unfinished.as_ref() {
            let _ = std::fs::remove_file(path);
        }
        if let Some(advice) = interrupt::advice() {
            say(&advice);
        }
        std::process::exit(130);
    };
    // Without a handler an interrupt still ends the program; only a temporary file stays behind.
    let _ = ctrlc::set_handler(handler);
}

/// Goes to the directory to which names are relative.
fn start_in(directory: Option<&Path>) -> Result<()> {
    let Some(directory) = directory else { return Ok(()) };
    let name = names::shown(directory);
    std::env::set_current_dir(directory)
        .with_context(|| format!("{name}: can't change to this directory"))?;
    args::DIRECTORY.get_or_init(|| directory.to_owned());
    Ok(())
}

fn run(command: &Command) -> Result<Exit> {
    match command {
        Command::Keygen(args) => keygen::run(args),
        Command::Tag(args) => tag::run(args),
        Command::Check(args) => check::run(args),
        Command::Audit(args) => audit::run(args),
        Command::Edit(args) => edit::run("edit", &args.edit, Change::Write { at: Some(args.at) }),
        Command::Append(args) => edit::run("append", args, Change::Write { at: None }),
        Command::Truncate(args) => {
            edit::run("truncate", &args.edit, Change::Truncate { to: args.size })
        }
        Command::Finish(args) => edit::finish(args),
        Command::Segment(args) => segment::run(args),
        Command::Combine(args) => combine::run(args),
        Command::Mac(args) => mac::run(args),
        Command::Algorithms(args) => algorithms::run(args),
        Command::Bounds(args) => bounds::run(args),
        Command::Cluster { arguments } => cluster::run(arguments),
        Command::Completions { shell } => {
            let mut script = Vec::new();
            clap_complete::generate(*shell, &mut Args::command(), "wegman", &mut script);
            standard::print(&script).map(|()| Exit::Good)
        }
        Command::Man { directory } => {
            let name = names::shown(directory);
            let written = clap_mangen::generate_to(Args::command(), directory);
            written.with_context(|| format!("{name}: can't write the pages")).map(|()| Exit::Good)
        }
    }
}

/// What to do instead, where clap does not know.
fn hint(answer: &clap::Error) -> Option<&'static str> {
    let said = |kind| answer.get(kind).map(ToString::to_string).unwrap_or_default();
    let argument = said(ContextKind::InvalidArg);
    if argument.contains("--key <KEY>") {
        return Some(
            "`wegman keygen KEY` makes a key file; -k or the variable WEGMAN_KEY names it",
        );
    }
    let is_check = argument == "-c" || said(ContextKind::InvalidSubcommand) == "verify";
    is_check.then_some("did you mean `wegman check -k KEY MANIFEST`?")
}

/// The help or the version that was asked for, which must arrive; or what is wrong with the command line.
fn tell(answer: &clap::Error) -> Result<Exit> {
    if answer.use_stderr() {
        // Of a name of a file, which may be a part of it, nothing tells a terminal what to do.
        let words = std::env::args_os().map(names::shown);
        // If standard error is full or closed, the exit code still tells.
        let shown = Args::try_parse_from(words).err();
        let shown = shown.as_ref().unwrap_or(answer);
        let _ = shown.print();
        hint(shown).into_iter().for_each(say);
        return Ok(Exit::Error);
    }
    ensure!(standard::output_is_open(), "standard output: it is closed");
    answer.print().context("standard output").map(|()| Exit::Good)
}
