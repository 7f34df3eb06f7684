//! The file a manifest is in: read as a whole, and locked.

use super::super::keyfile::KeyFile;
use super::{Entry, Refusal, parse};
use crate::files::{STDIN, is_at};
use crate::names::shown;
use crate::output::say;
use anyhow::{Context, Result, ensure};
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read};
use std::path::Path;

/// Reads a manifest and its seal. `Ok(Err(..))`: read, but refused.
pub fn load(path: &Path, key: &KeyFile) -> Result<Result<Vec<Entry>>> {
    let bytes = if path.as_os_str() == STDIN {
        let mut bytes = Vec::new();
        io::stdin().read_to_end(&mut bytes).map(|_| bytes)
    } else {
        fs::read(path)
    };
    let name = shown(path.as_os_str());
    let bytes = bytes.with_context(|| format!("{name}: can't read the manifest"))?;
    match parse(&bytes, key) {
        Ok(entries) => Ok(Ok(entries)),
        Err(Refusal::Forged(error)) => Ok(Err(error.context(format!("{name}: manifest refused")))),
        Err(Refusal::Key(error)) => Err(error.context(format!("{name}: wrong key"))),
    }
}

/// Locks a manifest, so that two edits do not come between each other.
pub fn lock(path: &Path) -> Result<File> {
    let name = shown(path.as_os_str());
    ensure!(path.as_os_str() != STDIN, "-: a manifest on standard input can't be edited");
    let mut is_told = false;
    loop {
        // Some network file systems lock only what is open for writing.
        let opened = OpenOptions::new().read(true).write(true).open(path);
        let opened = opened.or_else(|_| File::open(path));
        let file = opened.with_context(|| format!("{name}: can't read the manifest"))?;
        ensure!(file.metadata()?.is_file(), "{name}: the manifest is not a regular file");
        let locked = match file.try_lock() {
            Err(TryLockError::WouldBlock) => {
                if !is_told {
                    say(&format!("{name}: waiting for another edit to end"));
                    is_told = true;
                }
                file.lock()
            }
            Err(TryLockError::Error(error)) => Err(error),
            Ok(()) => Ok(()),
        };
        locked.with_context(|| format!("{name}: can't lock the manifest"))?;
        // While we waited another manifest may have taken the place.
        if is_at(&file, path)? {
            return Ok(file);
        }
    }
}
