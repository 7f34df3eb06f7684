//! What a command says of files: a record of each for programs, and how many there are of each outcome.

pub mod run;

use crate::hex;
use crate::output::Exit;
use serde::{Serialize, Serializer};
use std::borrow::Cow;
use std::ffi::OsStr;
use std::fmt;
use std::os::unix::ffi::OsStrExt;
use wegman_formats::manifest::Stamp;

/// One file, for programs: keys and values.
pub struct FileRecord<'a> {
    pub status: &'static str,
    fields: Vec<(&'static str, Cow<'a, str>)>,
}

impl<'a> FileRecord<'a> {
    pub fn new(name: &'a OsStr, status: &'static str) -> FileRecord<'a> {
        let record = FileRecord { status, fields: vec![("type", "file".into())] };
        let mut record = record.with("name", name.to_string_lossy());
        if name.to_str().is_none() {
            record = record.with("name_hex", hex::encode(name.as_bytes()));
        }
        record.with("status", status)
    }

    /// What else there is to say: where the file is now (`to`), what it is if it is no file (`kind`), what is different if
    /// that is not the content (`detail`), an `error`.
    pub fn with(mut self, key: &'static str, value: impl Into<Cow<'a, str>>) -> Self {
        self.fields.push((key, value.into()));
        self
    }

    pub fn stamp(self, stamp: &Stamp) -> Self {
        let record = self.with("tag", stamp.tag.to_string());
        match stamp.nonce {
            Some(nonce) => record.with("nonce", hex::encode(nonce.as_bytes())),
            None => record,
        }
    }
}

impl Serialize for FileRecord<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.fields.iter().map(|(key, value)| (key, value)))
    }
}

/// What a run came to: how many files of each outcome.
pub struct Tally {
    command: &'static str,
    counts: Vec<(&'static str, u64)>,
}

impl Tally {
    pub fn new(command: &'static str, outcomes: &[&'static str]) -> Tally {
        Tally { command, counts: outcomes.iter().map(|&outcome| (outcome, 0)).collect() }
    }

    pub fn add(&mut self, outcome: &str) {
        let count = self.counts.iter_mut().find(|(name, _)| *name == outcome);
        count.expect("an outcome named at the start").1 += 1;
    }

    /// How many files had one of these outcomes.
    pub fn of(&self, outcomes: &[&str]) -> u64 {
        let counted = self.counts.iter().filter(|(name, _)| outcomes.contains(name));
        counted.map(|(_, count)| count).sum()
    }

    /// The last record for programs.
    pub fn record(&self, exit: Exit) -> serde_json::Value {
        let mut record = serde_json::json!({
            "type": "summary", "command": self.command, "exit": exit as u8
        });
        for (outcome, count) in &self.counts {
            record[outcome] = (*count).into();
        }
        record
    }
}

/// The first count always, the others if there is something to count.
impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (first, others) = self.counts.split_first().expect("at least one outcome");
        write!(f, "{}: {} {}", self.command, first.1, first.0)?;
        let others = others.iter().filter(|(_, count)| *count > 0);
        others.into_iter().try_for_each(|(outcome, count)| write!(f, ", {count} {outcome}"))
    }
}
