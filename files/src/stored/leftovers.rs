//! Drafts of commands that were killed: the next one that writes in the same directory, with the same key, removes
//! them. A file of somebody else that happens to have such a name stays.

use crate::durable::directory_of;
use crate::durable::drafts::is_draft;
use crate::files::{fill, user};
use std::fs::{self, Metadata, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::Path;
use wegman_formats::keyfile::KeyFile;
use wegman_formats::{journal, manifest, segment};

/// Bytes of a draft that tell what it is.
const FRONT: usize = 128;

/// Removes the leftovers beside a file that is to be written.
pub fn remove(place: &Path, key: &KeyFile) {
    // A link keeps pointing to its file: drafts lie beside that.
    let place = fs::canonicalize(place).unwrap_or_else(|_| place.to_owned());
    let Ok(files) = fs::read_dir(directory_of(&place)) else { return };
    for file in files.flatten().filter(|file| is_draft(&file.file_name())) {
        // What can't be removed does no harm.
        let _ = remove_leftover(&file.path(), key);
    }
}

/// Removes a file with the name of a draft, if it is one of this user and key that nobody works on any more.
fn remove_leftover(path: &Path, key: &KeyFile) -> io::Result<()> {
    let may_be = |file: &Metadata| file.is_file() && file.nlink() == 1 && file.uid() == user();
    if !may_be(&path.symlink_metadata()?) {
        return Ok(()); // not even opened
    }
    let mut options = OpenOptions::new();
    // For writing, too: some network file systems lock nothing else.
    options.read(true).write(true).custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK);
    let mut file = options.open(path)?;
    file.try_lock()?; // a command that is running has it
    let mut front = [0; FRONT];
    let bytes = fill(&mut front, |room, _| file.read(room))?;
    let (opened, now) = (file.metadata()?, path.symlink_metadata()?);
    let is_same = (opened.dev(), opened.ino()) == (now.dev(), now.ino());
    if is_same && may_be(&opened) && (bytes == 0 || is_ours(&front[..bytes], key)) {
        fs::remove_file(path)?;
    }
    Ok(())
}

/// Whether a file begins as what this command writes with that key, in any version.
fn is_ours(front: &[u8], key: &KeyFile) -> bool {
    let front = String::from_utf8_lossy(front);
    let Some((what, of)) = front.split_once(": ") else { return false };
    let versions =
        [manifest::MARK, journal::MARK, segment::MARK].map(|mark| what.strip_prefix(mark));
    let is_version = |version: &&str| version.parse::<u32>().is_ok();
    versions.iter().flatten().any(is_version) && of.starts_with(&format!("key {}, ", key.id))
}
