//! Command lines: their parsing, and what is decided before any file is touched.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;

/// Arguments, a line each.
pub fn run(data: &[u8]) {
    let words = data.split(|byte| *byte == b'\n').map(|word| OsString::from_vec(word.to_vec()));
    let line: Vec<OsString> = std::iter::once("wegman".into()).chain(words).collect();
    // A message must be printable, whatever is in it.
    if let Err(error) = wegman_cli::rehearse(&line) {
        assert!(!format!("{error:#}").is_empty());
    }
}
