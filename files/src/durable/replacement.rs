//! The manifest that takes the place of another.

use super::{begin_for, put_in_place};
use crate::names::shown;
use crate::standard::say;
use anyhow::{Context, Result};
use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
use std::fs::{self, File, Metadata, OpenOptions, Permissions};
use std::io::{self, BufWriter, ErrorKind, IntoInnerError, Write};
use std::os::unix::fs::{FileTypeExt, MetadataExt, OpenOptionsExt, PermissionsExt, fchown};
use std::path::{Path, PathBuf};
use tempfile::{NamedTempFile, TempPath};

/// The new manifest: a file that takes its place only when it is complete; until then the old one
/// stays whole. A pipe or device in the place is written to, never replaced.
pub struct Replacement {
    file: BufWriter<File>,
    /// Where the file is until it takes its place; `None`: it is the pipe or device there.
    draft: Option<TempPath>,
    place: PathBuf,
}

impl Replacement {
    /// `prefix` is what the name of the unfinished file begins with.
    pub fn new(path: &Path, prefix: &str) -> Result<Replacement> {
        // A link keeps pointing to its file: the file is replaced, not the link.
        let place = match fs::canonicalize(path) {
            // A shell's `>(command)` is a link to a pipe, which has no path.
            Err(_) if fs::metadata(path).is_ok_and(|target| !target.is_file()) => path.to_owned(),
            Err(error) if path.is_symlink() => return Err(error).with_context(|| cant_write(path)),
            place => place.unwrap_or_else(|_| path.to_owned()),
        };
        let (file, draft) = open(&place, prefix).with_context(|| cant_write(path))?;
        Ok(Replacement { file: BufWriter::new(file), draft, place })
    }

    /// Takes the place. If the manifest that was there is locked, lock this one before.
    pub fn finish(self) -> Result<File> {
        let Replacement { file, draft, place } = self;
        let finish = |file: File| {
            let Some(draft) = draft else { return Ok(file) };
            // Not before: a leftover belongs to whoever made it.
            if let Ok(old) = fs::metadata(&place) {
                give_access(&file, &old)?;
            }
            let file = NamedTempFile::from_parts(file, draft);
            put_in_place(file, &place, NamedTempFile::persist)
        };
        let file = file.into_inner().map_err(IntoInnerError::into_error);
        file.and_then(finish).with_context(|| cant_write(&place))
    }

    /// Brings what was written to disk, so that little is left to do for [`finish`](Self::finish).
    pub fn sync(&mut self) -> Result<()> {
        let flushed = self.file.flush().and_then(|()| match self.draft {
            Some(_) => self.file.get_ref().sync_all(),
            None => Ok(()),
        });
        flushed.with_context(|| cant_write(&self.place))
    }

    /// Locks it until the file that [`finish`](Self::finish) gives is closed.
    pub fn lock(&self) -> Result<()> {
        self.file.get_ref().lock().with_context(|| cant_write(&self.place))
    }
}

fn cant_write(path: &Path) -> String {
    format!("{}: can't write the manifest", shown(path))
}

/// The file to write, and where it is unless it has its place already.
fn open(place: &Path, prefix: &str) -> io::Result<(File, Option<TempPath>)> {
    let mode = match fs::metadata(place) {
        Ok(old) if old.is_dir() => return Err(ErrorKind::IsADirectory.into()),
        Ok(old) if !old.is_file() => return Ok((open_as_it_is(place, &old)?, None)),
        // It gets its mode when it takes the place.
        Ok(_) => 0o600,
        Err(_) => 0o666,
    };
    let (file, draft) = begin_for(place, mode, prefix)?.into_parts();
    Ok((file, Some(draft)))
}

/// A pipe, which opens when somebody reads it, or a device.
fn open_as_it_is(place: &Path, metadata: &Metadata) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true);
    if metadata.file_type().is_fifo() {
        match options.clone().custom_flags(libc::O_NONBLOCK).open(place) {
            Err(error) if error.raw_os_error() == Some(libc::ENXIO) => {
                say(&format!("{}: waiting for somebody to read this pipe", shown(place)));
            }
            // A reader would take it for the end if this were closed.
            opened => {
                let file = opened?;
                fcntl_setfl(&file, fcntl_getfl(&file)? - OFlags::NONBLOCK)?;
                return Ok(file);
            }
        }
    }
    options.open(place)
}

/// Gives a new file the owner, group and mode of an old one, as far as this user may: never more to anybody else
/// than the old one gave.
fn give_access(file: &File, old: &Metadata) -> io::Result<()> {
    let group = Some(old.gid());
    let owned = fchown(file, Some(old.uid()), group).or_else(|_| fchown(file, None, group));
    let mode = old.mode() & 0o777;
    let mode = if owned.is_ok() { mode } else { without_group(mode) };
    file.set_permissions(Permissions::from_mode(mode))
}

/// A mode for another group: who was in the old one is one of the others now, and who is in the new one was one of
/// them, so both get what both had.
fn without_group(mode: u32) -> u32 {
    let both = mode >> 3 & mode & 0o7;
    mode & 0o700 | both << 3 | both
}

impl Write for Replacement {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}
