//! Formats of stored files, as functions from bytes to values and back: key files, manifests, segments and edit
//! journals. They use no files, arguments or terminal, so the command, the Python package and the browser share them.
//!
//! They are for this project's packages and promise nothing to others.
#![forbid(unsafe_code)]
#![allow(missing_docs, reason = "the formats are documented in docs of wegman-cli")]

pub mod hex;
pub mod names;

pub mod keyfile;
pub mod manifest;

pub mod journal;
pub mod segment;

use std::ffi::OsString;

/// A file name from its bytes. Outside of Unix, it must be UTF-8.
fn name_of(bytes: Vec<u8>) -> anyhow::Result<OsString> {
    #[cfg(unix)]
    return Ok(std::os::unix::ffi::OsStringExt::from_vec(bytes));
    #[cfg(not(unix))]
    return Ok(String::from_utf8(bytes)
        .map_err(|_| anyhow::anyhow!("the name is not text (UTF-8)"))?
        .into());
}

/// The text before the first `mark`, and the text after it, if it is there.
fn cut<'a>(text: &'a [u8], mark: &[u8]) -> (&'a [u8], Option<&'a [u8]>) {
    match text.windows(mark.len()).position(|part| part == mark) {
        Some(at) => (&text[..at], Some(&text[at + mark.len()..])),
        None => (text, None),
    }
}

/// The text before the last `mark`, and the text after it.
fn cut_last<'a>(text: &'a [u8], mark: &[u8]) -> Option<(&'a [u8], &'a [u8])> {
    let at = text.windows(mark.len()).rposition(|part| part == mark)?;
    Some((&text[..at], &text[at + mark.len()..]))
}
