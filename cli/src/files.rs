//! Files: opened safely, and what is wrong with them. [`find`] says which ones, [`reader`] reads several at once.

pub mod find;
pub mod reader;

use crate::names::shown;
use anyhow::{Result, bail, ensure};
use std::ffi::OsStr;
use std::fs::{File, FileType, Metadata, OpenOptions};
use std::io::{self, ErrorKind, Read};
use std::os::fd::AsFd;
use std::os::unix::fs::{FileTypeExt, MetadataExt, OpenOptionsExt};
use std::path::Path;

/// The name that means standard input.
pub const STDIN: &str = "-";

/// Device and inode: what makes two names the same file.
pub fn identity(path: &Path) -> Option<(u64, u64)> {
    path.metadata().ok().map(|metadata| (metadata.dev(), metadata.ino()))
}

/// [`identity`] of what standard input comes from.
pub fn identity_of_stdin() -> Option<(u64, u64)> {
    let input = io::stdin().as_fd().try_clone_to_owned().ok()?;
    let metadata = File::from(input).metadata().ok()?;
    Some((metadata.dev(), metadata.ino()))
}

/// Whether a file is still the one of that name.
pub fn is_at(file: &File, path: &Path) -> io::Result<bool> {
    let metadata = file.metadata()?;
    Ok(identity(path) == Some((metadata.dev(), metadata.ino())))
}

/// Reads until there is no room or nothing more.
pub fn fill(input: &mut dyn Read, room: &mut [u8]) -> io::Result<usize> {
    let mut bytes = 0;
    while bytes < room.len() {
        match input.read(&mut room[bytes..]) {
            Ok(0) => break,
            Ok(more) => bytes += more,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(bytes)
}

/// The user this runs as.
#[allow(unsafe_code, reason = "it is declared so")]
pub fn user() -> u32 {
    // SAFETY: it only asks.
    unsafe { libc::geteuid() }
}

/// A path given by name: a regular file or a directory.
fn named(name: &OsStr, follow: bool) -> Result<Metadata> {
    let path = Path::new(name);
    let metadata = if follow { path.metadata() } else { path.symlink_metadata() }?;
    let kind = metadata.file_type();
    if let Some(reason) = unreadable_kind(kind) {
        bail!("{reason}");
    }
    Ok(metadata)
}

fn unreadable_kind(kind: FileType) -> Option<&'static str> {
    if kind.is_symlink() {
        Some("it is a symbolic link: give --follow-symlinks to read what it points to")
    } else if kind.is_socket() {
        Some("it is a socket, not a file")
    } else if kind.is_fifo() {
        Some("it is a pipe: read it through standard input, `- < PIPE`")
    } else if kind.is_char_device() || kind.is_block_device() {
        Some("it is a device: read it through standard input, `- < DEVICE`")
    } else {
        None
    }
}

/// Opens a regular file; never waits on a pipe, never follows a link it was not asked to, even if
/// the file was exchanged since it was found.
pub fn open(name: &OsStr, follow: bool) -> Result<(File, Metadata)> {
    named(name, follow)?;
    let no_follow = if follow { 0 } else { libc::O_NOFOLLOW };
    let mut options = OpenOptions::new();
    let file = options.read(true).custom_flags(libc::O_NONBLOCK | no_follow).open(name)?;
    let metadata = file.metadata()?;
    ensure!(!metadata.is_dir(), "it is a directory");
    match unreadable_kind(metadata.file_type()) {
        Some(reason) => bail!("{reason}"),
        None => Ok((file, metadata)),
    }
}

/// Whether an error says that there is no such file.
pub fn is_missing(error: &anyhow::Error) -> bool {
    error
        .downcast_ref::<io::Error>()
        .is_some_and(|error| matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory))
}

/// Says what is wrong with a file.
pub fn complaint(name: &OsStr, error: &anyhow::Error) -> String {
    format!("{}: {error:#}", shown(name))
}
