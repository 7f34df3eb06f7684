//! What a command says of files: a record of each for programs, and how many there are of each outcome.

pub mod run;

use crate::files::Kind;
use crate::hex;
use crate::output::Exit;
use serde::Serialize;
use std::borrow::Cow;
use std::ffi::OsStr;
use std::fmt;
use std::os::unix::ffi::OsStrExt;
use wegman_formats::manifest::Stamp;

/// One file, for programs.
#[derive(Serialize)]
pub struct FileRecord<'a> {
    r#type: &'static str,
    name: Cow<'a, str>,
    /// The name's bytes in hexadecimal, if they are not UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    name_hex: Option<String>,
    pub status: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    tag: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    nonce: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    to: Option<Cow<'a, str>>,
    /// What it is, if it is no file.
    #[serde(skip_serializing_if = "Option::is_none")]
    kind: Option<&'static str>,
    /// What is different, if that is not the content.
    #[serde(skip_serializing_if = "Option::is_none")]
    detail: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

impl<'a> FileRecord<'a> {
    pub fn new(name: &'a OsStr, status: &'static str) -> FileRecord<'a> {
        let name_hex = name.to_str().is_none().then(|| hex::encode(name.as_bytes()));
        let name = name.to_string_lossy();
        FileRecord {
            r#type: "file",
            name,
            name_hex,
            status,
            tag: None,
            nonce: None,
            to: None,
            kind: None,
            detail: None,
            error: None,
        }
    }

    pub fn stamp(mut self, stamp: &Stamp) -> Self {
        self.tag = Some(stamp.tag.to_string());
        self.nonce = stamp.nonce.map(|nonce| hex::encode(nonce.as_bytes()));
        self
    }

    /// Where the file is now.
    pub fn moved_to(mut self, name: &'a OsStr) -> Self {
        self.to = Some(name.to_string_lossy());
        self
    }

    pub fn kind(mut self, kind: Kind) -> Self {
        let word = Kind::OTHERS.iter().find(|(other, _)| *other == kind);
        self.kind = word.map(|(_, word)| *word);
        self
    }

    pub fn detail(mut self, detail: &'a str) -> Self {
        self.detail = Some(detail.into());
        self
    }

    pub fn error(mut self, error: &anyhow::Error) -> Self {
        self.error = Some(format!("{error:#}"));
        self
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
