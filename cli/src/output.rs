//! What the user sees: exit codes and messages; lines and the progress bar are in [`screen`].

pub mod screen;

pub use crate::names::counted;
use crate::names::shown;
use std::ffi::OsStr;
use std::io::{self, Write};
use std::process::ExitCode;

/// How a command ended. The numbers are documented in `wegman --help`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    Good = 0,
    /// Something failed verification.
    Bad = 1,
    /// Usage, file or key error.
    Error = 2,
}

impl Exit {
    /// A forgery outweighs an unreadable file.
    pub fn of(bad: u64, errors: u64) -> Exit {
        match (bad, errors) {
            (0, 0) => Exit::Good,
            (0, _) => Exit::Error,
            _ => Exit::Bad,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        ExitCode::from(exit as u8)
    }
}

/// A message on standard error, on one line: files write some of it, not names alone. If that is full or closed, the exit code
/// still tells.
pub fn say(message: &str) {
    let _ = writeln!(io::stderr(), "wegman: {}", shown(OsStr::new(message)));
}
