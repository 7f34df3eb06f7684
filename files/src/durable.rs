//! Files that take their place whole, and survive a power failure there.

pub mod drafts;
pub mod interrupt;
pub mod replacement;

use std::fs::{self, File, Permissions};
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use tempfile::{NamedTempFile, PersistError};

/// A new file beside the place it will take; an interrupt removes it. One at a time. Its name begins with `prefix`.
/// It is locked, which tells that it is no leftover.
pub fn begin_for(place: &Path, mode: u32, prefix: &str) -> io::Result<NamedTempFile> {
    let mut unfinished = interrupt::unfinished();
    loop {
        let file = tempfile::Builder::new()
            .prefix(prefix)
            .rand_bytes(drafts::RANDOM)
            .permissions(Permissions::from_mode(mode))
            .tempfile_in(directory_of(place))?;
        if drafts::hold(&file)? {
            *unfinished = Some(file.path().to_owned());
            return Ok(file);
        }
    }
}

/// Gives a complete file its place by one of tempfile's two methods. Then the file is on disk, and so is its name. If
/// that fails for a reason that can be known before, nothing is in the place.
pub fn put_in_place<'p>(
    file: NamedTempFile,
    place: &'p Path,
    persist: fn(NamedTempFile, &'p Path) -> Result<File, PersistError>,
) -> io::Result<File> {
    file.as_file().sync_all()?;
    let directory = File::open(directory_of(place))?;
    let mut unfinished = interrupt::unfinished();
    let file = persist(file, place)?;
    *unfinished = None;
    drop(unfinished);
    directory.sync_all().map_err(|error| {
        let what = "it is in its place, but a power failure may undo that";
        io::Error::new(error.kind(), format!("{what}: {error}"))
    })?;
    Ok(file)
}

/// Makes sure a new file survives a power failure together with its name.
pub fn sync_directory_of(path: &Path) -> io::Result<()> {
    File::open(directory_of(path))?.sync_all()
}

/// Removes a file; it stays removed after a power failure.
pub fn remove(path: &Path) -> io::Result<()> {
    let directory = File::open(directory_of(path))?;
    fs::remove_file(path)?;
    directory.sync_all()
}

/// Where a path's last part is.
pub fn directory_of(path: &Path) -> &Path {
    match path.parent() {
        Some(directory) if directory != Path::new("") => directory,
        None if path.has_root() => path,
        _ => Path::new("."),
    }
}
