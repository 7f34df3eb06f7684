//! What the user sees: exit codes; lines and the progress bar are in [`screen`].

pub mod screen;

pub use crate::names::counted;
pub use crate::standard::say;
use std::process::ExitCode;
use wegman_formats::manifest::role::Refused;

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

    /// Of a command that an error has ended.
    pub fn after(error: &anyhow::Error) -> Exit {
        if error.is::<Refused>() { Exit::Bad } else { Exit::Error }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        ExitCode::from(exit as u8)
    }
}
