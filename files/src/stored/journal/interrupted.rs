//! What an interrupted edit left beside a manifest, and what to do about it.

use super::{Journal, place, refused};
use crate::files::{self, STDIN};
use crate::names::{counted, shown};
use anyhow::{Result, anyhow, ensure};
use std::ffi::OsString;
use std::fs::{File, TryLockError};
use std::path::Path;
use wegman_formats::keyfile::KeyFile;
use wegman_formats::manifest::Entry;

/// Whether somebody else has a manifest locked.
fn is_locked(manifest: &Path) -> bool {
    let lock = File::open(manifest).map(|file| file.try_lock_shared());
    matches!(lock, Ok(Err(TryLockError::WouldBlock)))
}

/// What an interrupted edit left beside a manifest.
pub struct Left {
    /// The file it is of, or else the journal.
    pub name: OsString,
    /// What to do.
    pub error: anyhow::Error,
}

/// What an interrupted edit left beside a manifest. `how` completes it.
pub fn left_behind(manifest: &Path, key: &KeyFile, how: &str, entries: &[Entry]) -> Option<Left> {
    if manifest.as_os_str() == STDIN {
        return None;
    }
    let mut left = left_behind_of_others(manifest, key, how, entries)?;
    if is_locked(manifest) {
        left.error = anyhow!("an edit of it is under way: check again when that is done");
    }
    Some(left)
}

/// [`left_behind`], for a caller that has the manifest locked.
pub fn left_behind_of_others(
    manifest: &Path,
    key: &KeyFile,
    how: &str,
    entries: &[Entry],
) -> Option<Left> {
    let path = place(manifest);
    if path.symlink_metadata().is_err() {
        return None;
    }
    let journal = match Journal::open(&path, key) {
        Ok(journal) => journal?,
        Err(error) => return Some(Left { name: path.into(), error: refused(error) }),
    };
    let name = journal.details.name.clone();
    let error = match journal.fits(entries) {
        Some((_, false)) => anyhow!(
            "an edit of it was interrupted: {how} completes it (it had {} before)",
            counted(journal.details.from, "byte", "bytes")
        ),
        Some((_, true)) => {
            anyhow!("an edit of it was interrupted near its end: {how} removes what it left")
        }
        None => return Some(Left { name: path.into(), error: journal.stale() }),
    };
    Some(Left { name, error })
}

/// Refuses to make a manifest again where an interrupted edit has left its journal: a torn file would be sealed
/// as if it were whole.
pub fn refuse_at(manifest: &Path, how: &str) -> Result<()> {
    let left = refuse_at_of_others(manifest, how);
    ensure!(
        left.is_ok() || !is_locked(manifest),
        "{}: an edit of one of its files is under way: tag again when that is done",
        shown(manifest)
    );
    left
}

/// [`refuse_at`], for a caller that has the manifest locked.
pub fn refuse_at_of_others(manifest: &Path, how: &str) -> Result<()> {
    let path = place(manifest);
    ensure!(
        path.symlink_metadata().is_err(),
        "{}: an edit was interrupted: run {how} first; or delete this journal, if the files are to be tagged \
         as they are now",
        shown(&path)
    );
    Ok(())
}

/// Whether an edit came in between while files were compared with a manifest.
pub struct Watch<'a> {
    manifest: &'a Path,
    /// Kept open, so that no other file gets its number.
    file: Option<File>,
}

impl Watch<'_> {
    /// From before the manifest is read.
    pub fn new(manifest: &Path) -> Watch<'_> {
        // A pipe must not be opened twice.
        let file = manifest.is_file().then(|| File::open(manifest).ok()).flatten();
        Watch { manifest, file: file.filter(|_| manifest.as_os_str() != STDIN) }
    }

    /// What to say when files were found changed, if there was no journal at the start.
    pub fn hint(&self) -> Option<String> {
        let is_same = files::is_at(self.file.as_ref()?, self.manifest).unwrap_or(false);
        let has_journal = place(self.manifest).symlink_metadata().is_ok();
        (!is_same || has_journal).then(|| {
            let shown = shown(self.manifest);
            format!("{shown}: the manifest was edited or replaced in between: run this again")
        })
    }
}
