//! The manifest that takes the place of another.

use super::drafts::{DRAFT, draft_of_edit};
use super::{Over, begin_for, put_in_place};
use crate::names::shown;
use anyhow::{Context, Result};
use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{self, BufWriter, ErrorKind, IntoInnerError, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// The new manifest: a file that takes its place only when it is complete; until then the old one
/// stays whole. A pipe or device in the place is written to, never replaced.
pub struct Replacement {
    file: BufWriter<Target>,
    place: PathBuf,
}

enum Target {
    Unfinished(NamedTempFile),
    Special(File),
}

impl Replacement {
    pub fn new(path: &Path) -> Result<Replacement> {
        Replacement::with_prefix(path, DRAFT)
    }

    /// For an edit of the manifest that is there.
    pub fn of_edit(path: &Path) -> Result<Replacement> {
        Replacement::with_prefix(path, &draft_of_edit(path))
    }

    fn with_prefix(path: &Path, prefix: &str) -> Result<Replacement> {
        // A link keeps pointing to its file: the file is replaced, not the link.
        let place = match fs::canonicalize(path) {
            Err(error) if path.is_symlink() => return Err(error).with_context(|| cant_write(path)),
            place => place.unwrap_or_else(|_| path.to_owned()),
        };
        let target = Target::open(&place, prefix).with_context(|| cant_write(path))?;
        Ok(Replacement { file: BufWriter::new(target), place })
    }

    /// Takes the place. If the manifest that was there is locked, lock this one before.
    pub fn finish(self) -> Result<File> {
        let Replacement { file, place } = self;
        let target = file.into_inner().map_err(IntoInnerError::into_error);
        target.and_then(|target| target.finish(&place)).with_context(|| cant_write(&place))
    }

    /// Brings what was written to disk, so that little is left to do for [`finish`](Self::finish).
    pub fn sync(&mut self) -> Result<()> {
        let flushed = self.file.flush().and_then(|()| match self.file.get_ref() {
            Target::Unfinished(file) => file.as_file().sync_all(),
            Target::Special(_) => Ok(()),
        });
        flushed.with_context(|| cant_write(&self.place))
    }

    /// Locks it until the file that [`finish`](Self::finish) gives is closed.
    pub fn lock(&self) -> Result<()> {
        let file = match self.file.get_ref() {
            Target::Unfinished(file) => file.as_file(),
            Target::Special(file) => file,
        };
        file.lock().with_context(|| cant_write(&self.place))
    }
}

fn cant_write(path: &Path) -> String {
    format!("{}: can't write the manifest", shown(path.as_os_str()))
}

impl Target {
    fn open(place: &Path, prefix: &str) -> io::Result<Target> {
        match fs::metadata(place) {
            Ok(old) if old.is_dir() => Err(ErrorKind::IsADirectory.into()),
            Ok(old) if !old.is_file() => {
                OpenOptions::new().write(true).open(place).map(Target::Special)
            }
            Ok(old) => {
                let mode = old.permissions().mode() & 0o777;
                let file = begin_for(place, mode, prefix)?;
                // The mode it had, whatever the umask takes from new files.
                file.as_file().set_permissions(Permissions::from_mode(mode))?;
                Ok(Target::Unfinished(file))
            }
            Err(_) => begin_for(place, 0o666, prefix).map(Target::Unfinished),
        }
    }

    fn finish(self, place: &Path) -> io::Result<File> {
        match self {
            Target::Unfinished(file) => put_in_place(file, place, Over::Any),
            Target::Special(file) => Ok(file),
        }
    }
}

impl Write for Target {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Target::Unfinished(file) => file.write(bytes),
            Target::Special(file) => file.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Target::Unfinished(file) => file.flush(),
            Target::Special(file) => file.flush(),
        }
    }
}

impl Write for Replacement {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}
