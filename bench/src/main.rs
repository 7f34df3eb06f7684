//! `wegman-bench`: measures the library `wegman` beside its rivals. This file reads the arguments.
//!
//! Exit codes: 0 measured, 1 an engine gave a wrong tag or the output could not be written, 2 bad
//! arguments.

mod engines;
mod measure;
mod report;
mod speeds;

use clap::{Args, Parser, Subcommand};
use measure::Clock;
use std::io::{self, Write};
use std::process::ExitCode;
use std::time::Duration;

/// Measures wegman's speed beside its rivals, every answer checked
#[derive(Parser)]
#[command(version, about)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Cycles per byte and nanoseconds per message of every engine
    Speeds(SpeedsArguments),
}

#[derive(Args)]
struct SpeedsArguments {
    /// Message lengths in bytes, separated by commas
    #[arg(long, value_name = "BYTES", value_delimiter = ',', value_parser = length)]
    #[arg(default_value = "43,256,1500,262144")]
    lengths: Vec<usize>,

    /// Take about 10 seconds instead of 30
    #[arg(long)]
    quick: bool,

    /// Print one JSON object instead of tables
    #[arg(long)]
    json: bool,
}

/// The longest message: the oracle, slow on purpose, still answers in seconds.
const MAX_LENGTH: usize = 1 << 20;

fn length(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(length @ 1..=MAX_LENGTH) => Ok(length),
        _ => Err(format!("a length is a number from 1 to {MAX_LENGTH}")),
    }
}

fn main() -> ExitCode {
    let Command::Speeds(arguments) = Arguments::parse().command;
    match run(arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("wegman-bench: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(SpeedsArguments { mut lengths, quick, json }: SpeedsArguments) -> Result<(), String> {
    lengths.sort_unstable();
    lengths.dedup();
    for warning in report::warnings() {
        eprintln!("warning: {warning}");
    }

    let clock = Clock::start();
    if !json {
        // At once, not with the tables: it says what one waits for.
        print(&report::machine(clock.core_ghz(), clock.ticks_per_ns()))?;
    }
    let time = Duration::from_secs(if quick { 10 } else { 30 });
    let speeds = speeds::run(&clock, &lengths, time)?;
    print(&if json { report::json(&speeds)? } else { report::tables(&speeds) })
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
    use clap::error::ErrorKind;

    fn lengths(text: &str) -> Result<Vec<usize>, ErrorKind> {
        let parsed = Arguments::try_parse_from(["wegman-bench", "speeds", "--lengths", text]);
        let Command::Speeds(arguments) = parsed.map_err(|error| error.kind())?.command;
        Ok(arguments.lengths)
    }

    #[test]
    fn good_lengths_are_read() {
        assert_eq!(lengths("1"), Ok(vec![1]));
        assert_eq!(lengths("43,1048576"), Ok(vec![43, 1_048_576]));
    }

    #[test]
    fn bad_lengths_are_refused() {
        for text in ["0", "1048577", "", "43,,44", "-1", "1k", "99999999999999999999"] {
            assert!(lengths(text).is_err(), "{text:?}");
        }
    }

    #[test]
    fn the_defaults_are_what_the_help_says() {
        let arguments = Arguments::try_parse_from(["wegman-bench", "speeds"]).unwrap();
        let Command::Speeds(speeds) = arguments.command;
        assert_eq!(speeds.lengths, [43, 256, 1500, 262_144]);
        assert!(!speeds.quick && !speeds.json);
    }
}
