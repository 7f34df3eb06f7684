//! How far a run is.

use std::io::{self, IsTerminal, Write};

/// Shows on a terminal how far a run is.
pub fn progress(part: f64) {
    let mut err = io::stderr();
    if err.is_terminal() {
        let end = if part < 1.0 { "" } else { "\r    \r" };
        let _ = write!(err, "\r{:3.0}%{end}", 100.0 * part);
    }
}
