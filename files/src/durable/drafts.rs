//! Files that do not have their place yet: their names, and that they are in use.

use crate::hex;
use crate::names::shown;
use anyhow::{Result, ensure};
use sha2::{Digest, Sha256};
use std::ffi::OsStr;
use std::fs::{self, TryLockError};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use tempfile::NamedTempFile;

/// What the names of unfinished files begin with; [`RANDOM`] letters and digits follow.
pub const DRAFT: &str = ".wegman-";
/// Those of edits: 16 digits for the manifest, a hyphen and as many letters and digits.
const DRAFT_OF_EDIT: &str = ".wegman-edit-";
pub const RANDOM: usize = 6;

fn is_random(text: &[u8]) -> bool {
    text.len() == RANDOM && text.iter().all(u8::is_ascii_alphanumeric)
}

/// Whether a file has the name of an unfinished one: a command that was killed left it.
pub fn is_draft(name: &OsStr) -> bool {
    let of_edit = |name: &[u8]| {
        let (manifest, random) =
            name.strip_prefix(DRAFT_OF_EDIT.as_bytes())?.split_at_checked(16)?;
        let is_hex = manifest.iter().all(u8::is_ascii_hexdigit);
        Some(is_hex && is_random(random.strip_prefix(b"-")?))
    };
    let name = name.as_bytes();
    name.strip_prefix(DRAFT.as_bytes()).is_some_and(is_random) || of_edit(name) == Some(true)
}

/// Refuses to make a file that would be taken for an unfinished one, and removed.
pub fn refuse_name(path: &Path) -> Result<()> {
    ensure!(
        !path.file_name().is_some_and(is_draft),
        "{}: unfinished files have names like this, and are removed: choose another",
        shown(path)
    );
    Ok(())
}

/// What the names of the unfinished files of a manifest's edits begin with.
pub fn draft_of_edit(manifest: &Path) -> String {
    // A hash, so that the length does not depend on the manifest's name.
    let manifest = fs::canonicalize(manifest).unwrap_or_else(|_| manifest.to_owned());
    let name = manifest.file_name().unwrap_or_default();
    format!("{DRAFT_OF_EDIT}{}-", hex::encode(&Sha256::digest(name.as_bytes())[..8]))
}

/// Locks a draft until it is closed: whoever removes leftovers leaves it alone then. False: they were faster.
pub fn hold(file: &NamedTempFile) -> io::Result<bool> {
    match file.as_file().try_lock() {
        Err(TryLockError::WouldBlock) => Ok(false),
        // Where files can't be locked, nobody removes leftovers.
        Err(TryLockError::Error(_)) => Ok(true),
        Ok(()) => Ok(file.as_file().metadata()?.nlink() > 0),
    }
}
