//! The command `wegman`: arguments in, exit code out. Each subcommand is a file beside this one.
#![deny(unsafe_code)]

#[cfg(not(unix))]
compile_error!("the command needs Unix file modes and names; the library builds anywhere");

mod algorithms;
mod args;
mod audit;
mod bench;
mod bounds;
mod check;
mod edit;
mod files;
mod hex;
mod journal;
mod keyfile;
mod keygen;
mod mac;
mod manifest;
mod output;
mod reader;
mod segment;
mod tag;
mod vectors;

use anyhow::Context;
use args::{Args, Command};
use clap::{CommandFactory, Parser};
use output::{Exit, say};
use std::io::{self, Write};
use std::process::ExitCode;

fn main() -> ExitCode {
    output::remove_unfinished_on_interrupt();
    let done = match Args::parse().command {
        Command::Keygen(args) => keygen::run(&args),
        Command::Tag(args) => tag::run(&args),
        Command::Check(args) => check::run(&args),
        Command::Audit(args) => audit::run(&args),
        Command::Edit(args) => edit::edit(&args),
        Command::Append(args) => edit::append(&args),
        Command::Truncate(args) => edit::truncate(&args),
        Command::Finish(args) => edit::finish(&args),
        Command::Segment(args) => segment::segment(&args),
        Command::Combine(args) => segment::combine(&args),
        Command::Mac(args) => mac::run(&args),
        Command::Vectors(args) => vectors::run(&args),
        Command::Algorithms(args) => algorithms::run(&args),
        Command::Bounds(args) => bounds::run(&args),
        Command::Bench(args) => bench::run(&args),
        Command::Completions { shell } => {
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut Args::command(), "wegman", &mut script);
            let written = io::stdout().write_all(&script);
            written.context("standard output").map(|()| Exit::Good)
        }
        Command::Man { directory } => clap_mangen::generate_to(Args::command(), directory)
            .map(|()| Exit::Good)
            .map_err(anyhow::Error::from),
    };
    match done {
        Ok(exit) => exit.into(),
        Err(error) => {
            say(&format!("{error:#}"));
            Exit::Error.into()
        }
    }
}
