//! The progress of a run.

use std::io::{self, IsTerminal, Write};

/// Shows the progress of a run on a terminal.
pub fn progress(part: f64) {
    let mut err = io::stderr();
    if err.is_terminal() {
        let end = if part < 1.0 { "" } else { "\r    \r" };
        let _ = write!(err, "\r{:3.0}%{end}", 100.0 * part);
    }
}
