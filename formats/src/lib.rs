//! What is written for later, as bytes in and values out: key files, manifests, segments and the journals of edits. No
//! files, no arguments and no terminal: the command, the Python package and the browser share it.
//!
//! It is for the packages of this project and promises nothing to others.
#![forbid(unsafe_code)]
#![allow(missing_docs, reason = "the formats are documented in docs of wegman-cli")]

pub mod hex;
pub mod names;

pub mod keyfile;
pub mod manifest;

pub mod journal;
pub mod segment;

use std::ffi::OsString;

/// A name from its bytes. Outside of Unix a name is text.
fn name_of(bytes: Vec<u8>) -> anyhow::Result<OsString> {
    #[cfg(unix)]
    return Ok(std::os::unix::ffi::OsStringExt::from_vec(bytes));
    #[cfg(not(unix))]
    return Ok(String::from_utf8(bytes)
        .map_err(|_| anyhow::anyhow!("the name is not text (UTF-8)"))?
        .into());
}
