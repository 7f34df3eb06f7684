//! `wegman edit`, `append`, `truncate`, `finish`: a file and its manifest change together, in time
//! proportional to the change.
//!
//! The order makes it safe to stop at any moment: the new bytes and the new tag are in the journal, on
//! disk, before the file changes; the file is on disk before the manifest has its new tag; and the journal
//! goes last. `finish` does what is left of these steps again.

mod editor;
mod report;
mod splice;
mod sums;

use crate::args::{EditArgs, Finish};
use crate::names::shown;
use crate::output::screen::Screen;
use crate::output::{Exit, counted};
use crate::standard;
use anyhow::{Result, ensure};
use editor::Editor;
use report::Report;
use std::ffi::OsStr;
use std::io;

/// Bytes of an edit in memory at once.
const PIECE: usize = 1 << 20;

/// What to do to a file.
#[derive(Clone, Copy)]
pub enum Change {
    /// Write what comes on standard input, from `at` on or after the file's end.
    Write {
        at: Option<u64>,
    },
    Truncate {
        to: u64,
    },
}

pub fn run(command: &'static str, args: &EditArgs, change: Change) -> Result<Exit> {
    let screen = Screen::new(None, args.read.json, args.read.no_progress);
    let change = || {
        let is_read = matches!(change, Change::Write { .. });
        ensure!(
            !is_read || standard::input_is_open(),
            "{}: standard input is closed, and the new bytes come from there: nothing was changed",
            shown(&args.file)
        );
        let key = args.key.load()?;
        let mut watch = || ();
        let (threads, follow) = (args.read.speed.threads, args.read.follow_symlinks);
        let mut editor = Editor::new(&key, &args.key, &args.manifest, threads, follow, &mut watch);
        editor.bar = screen.bar().clone();
        editor.change(&args.file, change, args.verify, &mut io::stdin().lock())
    };
    let done = change();
    Report::new(command, screen, &args.file, &args.manifest, args.quiet).end(done)
}

pub fn finish(args: &Finish) -> Result<Exit> {
    let screen = Screen::new(None, args.json, args.no_progress);
    let finish = || {
        let key = args.key.load()?;
        let mut watch = || ();
        let follow = args.follow_symlinks;
        let mut editor = Editor::new(&key, &args.key, &args.manifest, None, follow, &mut watch);
        editor.bar = screen.bar().clone();
        editor.finish(args.verify)
    };
    let done = finish();
    Report::new("finish", screen, OsStr::new(""), &args.manifest, args.quiet).end(done)
}

fn in_bytes(bytes: u64) -> String {
    counted(bytes, "byte", "bytes")
}

#[cfg(test)]
mod tests;
