//! Lines on standard output, and the progress bar.

use super::{Exit, say};
use crate::names::{shown, steers};
use crate::standard;
use anyhow::{Context, Result};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde::Serialize;
use std::ffi::OsStr;
use std::io::{self, BufWriter, IsTerminal, Write};
use std::os::unix::ffi::OsStrExt;

/// A progress bar on standard error, and lines on standard output that do not tear it.
pub struct Screen {
    bar: ProgressBar,
    out: BufWriter<standard::Output>,
    json: bool,
    /// Why lines were lost. The work goes on: what it finds decides the exit code.
    lost: Option<anyhow::Error>,
}

impl Screen {
    /// `total` bytes are to be read, if that is known. `silent`: without a progress bar.
    pub fn new(total: Option<u64>, json: bool, silent: bool) -> Screen {
        let bar = progress_bar(total, silent || !io::stderr().is_terminal());
        Screen { bar, out: BufWriter::new(standard::Output), json, lost: None }
    }

    pub fn bar(&self) -> &ProgressBar {
        &self.bar
    }

    /// A line of text for people, unless programs read the output.
    pub fn line(&mut self, line: &[u8]) {
        if self.json {
            return;
        }
        if io::stdout().is_terminal() {
            // A name must not tell the terminal what to do.
            self.write(shown(OsStr::from_bytes(line)).as_bytes());
        } else {
            self.write(line);
        }
    }

    /// A record for programs, if they read the output.
    pub fn record(&mut self, record: &impl Serialize) {
        if self.json {
            let record = serde_json::to_string(record).expect("records are plain text and numbers");
            self.write(controls_escaped(&record).as_bytes());
        }
    }

    /// An error if lines were lost, or are lost on their way out now.
    pub fn whole(&mut self) -> Result<()> {
        let flushed = self.out.flush().context("standard output");
        self.lost.take().map_or(flushed, Err)
    }

    /// A message on standard error.
    pub fn message(&mut self, message: &str) {
        // Lines that belong before the message go out first.
        if let Err(error) = self.out.flush() {
            self.lost.get_or_insert(anyhow::Error::new(error).context("standard output"));
        }
        self.bar.suspend(|| say(message));
    }

    fn write(&mut self, line: &[u8]) {
        if self.lost.is_some() {
            return;
        }
        let out = &mut self.out;
        let write = |out: &mut BufWriter<standard::Output>| {
            out.write_all(line)?;
            out.write_all(b"\n")
        };
        let written = if self.bar.is_hidden() {
            write(out)
        } else {
            // On a terminal the bar makes room, and then the line must be there at once.
            self.bar.suspend(|| write(out).and_then(|()| out.flush()))
        };
        self.lost = written.context("standard output").err();
    }

    /// The exit code, once everything written has arrived. Lost lines are an error, but they hide no
    /// failed verification.
    pub fn finish(&mut self, exit: Exit) -> Result<Exit> {
        self.bar.finish_and_clear();
        match self.whole() {
            Err(error) if exit == Exit::Bad => {
                say(&format!("{error:#}"));
                Ok(exit)
            }
            written => written.map(|()| exit),
        }
    }
}

/// JSON leaves some characters as they are that terminals may obey.
pub fn controls_escaped(json: &str) -> String {
    let escape = |c: char| match c {
        c if steers(c) => format!("\\u{:04x}", u32::from(c)),
        c => c.into(),
    };
    json.chars().map(escape).collect()
}

/// A bar of bytes with rate and time left.
pub fn progress_bar(total: Option<u64>, hidden: bool) -> ProgressBar {
    if hidden {
        return ProgressBar::hidden();
    }
    let (bar, style) = match total {
        Some(total) => (
            ProgressBar::new(total),
            "{bar:30} {bytes:>11} of {total_bytes}  {bytes_per_sec}  {eta} left",
        ),
        None => (ProgressBar::new_spinner(), "{spinner} {bytes:>11}  {bytes_per_sec}"),
    };
    bar.set_draw_target(ProgressDrawTarget::stderr());
    bar.with_style(ProgressStyle::with_template(style).expect("a fixed template"))
}
