//! A run over many files, as `tag`, `check` and `audit` make it: a file that can't be read stops nothing.

use super::{FileRecord, Tally};
use crate::args::ReadArgs;
use crate::files::complaint;
use crate::files::find::Found;
use crate::names::escape;
use crate::output::screen::Screen;
use crate::output::{Exit, say};
use crate::stored::journal::interrupted::{Left, Watch};
use anyhow::Result;
use indicatif::{HumanBytes, ProgressBar};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::time::Instant;

/// How much a run says.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Voice {
    Full,
    /// Nothing if all is good, otherwise everything that is not. No progress bar.
    Quiet,
    /// Nothing: the exit code tells.
    Silent,
}

/// What is said of the files while the run goes on, how many there are of each outcome, and what it comes to.
pub struct Run {
    screen: Screen,
    tally: Tally,
    voice: Voice,
    /// What was passed over in directories, in words.
    passed_over: Option<String>,
    start: Instant,
}

impl Voice {
    pub fn of(quiet: bool, status: bool) -> Voice {
        match (quiet, status) {
            (_, true) => Voice::Silent,
            (true, false) => Voice::Quiet,
            (false, false) => Voice::Full,
        }
    }
}

impl Run {
    /// `total` bytes are to be read, if that is known.
    pub fn new(
        command: &'static str,
        outcomes: &[&'static str],
        total: Option<u64>,
        read: &ReadArgs,
        voice: Voice,
    ) -> Run {
        let screen = Screen::new(total, read.json, read.no_progress || voice != Voice::Full);
        let tally = Tally::new(command, outcomes);
        Run { screen, tally, voice, passed_over: None, start: Instant::now() }
    }

    pub fn bar(&self) -> ProgressBar {
        self.screen.bar().clone()
    }

    pub fn screen(&mut self) -> &mut Screen {
        &mut self.screen
    }

    /// How many files had one of these outcomes so far.
    pub fn of(&self, outcomes: &[&str]) -> u64 {
        self.tally.of(outcomes)
    }

    /// Counts a file, and says nothing of it.
    pub fn count(&mut self, outcome: &str) {
        self.tally.add(outcome);
    }

    /// Counts a file, and gives programs its record.
    pub fn file(&mut self, record: &FileRecord<'_>) {
        self.count(record.status);
        if self.voice != Voice::Silent {
            self.screen.record(record);
        }
    }

    /// A file that is as it should be.
    pub fn good(&mut self, name: &OsStr, outcome: &'static str, word: &str) {
        match self.voice {
            Voice::Full => self.bad(name, outcome, word),
            _ => self.count(outcome),
        }
    }

    /// A file that is not.
    pub fn bad(&mut self, name: &OsStr, outcome: &'static str, word: &str) {
        self.file(&FileRecord::new(name, outcome));
        self.line(name, word);
    }

    /// A file that is not, and why.
    pub fn failed(&mut self, name: &OsStr, error: &anyhow::Error) {
        self.error(name, "failed", error);
        self.line(name, "FAILED");
    }

    /// A file of which that is unknown, and why.
    pub fn not_checked(&mut self, name: &OsStr, error: &anyhow::Error) {
        self.unreadable(name, error);
        self.line(name, "FAILED open or read");
    }

    /// A file's line for people.
    pub fn line(&mut self, name: &OsStr, word: &str) {
        let (mark, name) = escape(name.as_bytes());
        self.text(&[mark, &name, b": ", word.as_bytes()].concat());
    }

    /// Counts a file with which something is wrong, and says what.
    pub fn error(&mut self, name: &OsStr, outcome: &'static str, error: &anyhow::Error) {
        self.message(&complaint(name, error));
        self.file(&FileRecord::new(name, outcome).with("error", format!("{error:#}")));
    }

    /// A file that can't be read is an error of the run, not a finding about the file.
    pub fn unreadable(&mut self, name: &OsStr, error: &anyhow::Error) {
        self.error(name, "unreadable", error);
    }

    /// What a search for files could not read, and what it passed over.
    pub fn searched(&mut self, found: &Found) {
        self.passed_over = found.passed_over();
        for (name, error) in &found.errors {
            self.unreadable(name, error);
        }
    }

    /// What an interrupted edit left, if there is something.
    pub fn interrupted(&mut self, left: Option<Left>) {
        if let Some(Left { name, error }) = left {
            self.error(&name, "interrupted", &error);
        }
    }

    /// The last record, and no more to say once all lines have arrived.
    pub fn close(&mut self, exit: Exit) -> Result<Exit> {
        if self.voice != Voice::Silent {
            self.screen.record(&self.tally.record(exit));
        }
        self.screen.finish(exit)
    }

    /// [`close`](Self::close), and the summary.
    pub fn end(&mut self, exit: Exit) -> Result<Exit> {
        let exit = self.close(exit)?;
        if self.voice == Voice::Full || (self.voice == Voice::Quiet && exit != Exit::Good) {
            let words = [self.rate(), self.passed_over.take()];
            let words = words.iter().flatten().map(|words| format!("; {words}"));
            say(&format!("{}{}", self.tally, words.collect::<String>()));
        }
        Ok(exit)
    }

    /// How much was read, and how fast.
    fn rate(&self) -> Option<String> {
        let (bytes, time) = (self.screen.bar().position(), self.start.elapsed().as_secs_f64());
        (bytes > 0).then(|| {
            let rate = HumanBytes((bytes as f64 / time) as u64);
            format!("{} in {time:.2} s, {rate}/s", HumanBytes(bytes))
        })
    }

    /// The end of a run whose manifest is refused, or can't be read.
    pub fn without(mut self, error: anyhow::Error) -> Result<Exit> {
        if Exit::after(&error) == Exit::Error {
            return Err(error);
        }
        if self.voice != Voice::Silent {
            let mut record = self.tally.record(Exit::Bad);
            record["error"] = format!("{error:#}").into();
            self.screen.record(&record);
            self.screen.message(&format!("{error:#}"));
        }
        self.screen.finish(Exit::Bad)
    }

    /// If files had one of these outcomes, says whether an edit that came in between may be the reason. One that
    /// was interrupted has been told of.
    pub fn hint(&self, watch: &Watch<'_>, outcomes: &[&str]) {
        if self.of(outcomes) > 0 && self.of(&["interrupted"]) == 0 {
            watch.hint().iter().for_each(|hint| self.remark(hint));
        }
    }

    /// A line of text for people.
    pub fn text(&mut self, line: &[u8]) {
        if self.voice != Voice::Silent {
            self.screen.line(line);
        }
    }

    /// A message that nobody misses who wants few words.
    pub fn aside(&self, message: &str) {
        if self.voice == Voice::Full {
            say(message);
        }
    }

    /// A message before the summary.
    pub fn message(&mut self, message: &str) {
        if self.voice != Voice::Silent {
            self.screen.message(message);
        }
    }

    /// A message after the summary.
    pub fn remark(&self, message: &str) {
        if self.voice != Voice::Silent {
            say(message);
        }
    }
}
