//! Files: opened safely ([`tree`]), and what is wrong with them. [`find`] says which ones.

pub mod find;
pub mod tree;

use crate::names::shown;
use crate::standard;
use rustix::fs::{FileType, Stat, fstat};
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::fs::File;
use std::io::{self, ErrorKind};
use std::os::fd::AsFd;
use std::os::unix::fs::MetadataExt;
use std::path::{Component, Path, PathBuf};
pub use wegman_formats::manifest::Kind;
use wegman_formats::manifest::Manifest;
use wegman_formats::manifest::attributes::Attributes;

/// The name that means standard input.
pub const STDIN: &str = "-";

/// Device and inode: what makes two names the same file.
pub fn identity(path: &Path) -> Option<(u64, u64)> {
    path.metadata().ok().map(|metadata| (metadata.dev(), metadata.ino()))
}

/// [`identity`] of an open file.
pub fn identity_of(file: impl AsFd) -> io::Result<(u64, u64)> {
    let stat = fstat(file)?;
    Ok((stat.st_dev, stat.st_ino))
}

/// Standard input, if there is one.
pub fn stdin() -> io::Result<File> {
    standard::input()?.as_fd().try_clone_to_owned().map(File::from)
}

/// Whether a file is still the one of that name.
pub fn is_at(file: &File, path: &Path) -> io::Result<bool> {
    Ok(identity(path) == Some(identity_of(file)?))
}

/// Calls `read` with the room that is left, and with how many bytes are there, until there is no room or nothing more.
pub fn fill(
    room: &mut [u8],
    mut read: impl FnMut(&mut [u8], usize) -> io::Result<usize>,
) -> io::Result<usize> {
    let mut bytes = 0;
    while bytes < room.len() {
        match read(&mut room[bytes..], bytes) {
            Ok(0) => break,
            Ok(more) => bytes += more,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(bytes)
}

/// The user this runs as.
pub fn user() -> u32 {
    rustix::process::geteuid().as_raw()
}

/// A path without what does not matter: `./`, doubled and trailing slashes. Standard input, which is no file `./-`, gets
/// what no file is called.
pub fn plain(path: &OsStr) -> PathBuf {
    let path = if path == STDIN { OsStr::new("\0") } else { path };
    Path::new(path).components().filter(|part| *part != Component::CurDir).collect()
}

/// Whether a name is a directory's or of something in it. Both are [`plain`]; the empty directory is the current one.
pub fn is_below(name: &Path, directory: &Path) -> bool {
    let is_here = || name.components().next() != Some(Component::ParentDir);
    name.has_root() == directory.has_root()
        && name.starts_with(directory)
        && (directory != Path::new("") || is_here())
}

/// Those directories that lie in no other of them.
pub fn topmost(directories: impl IntoIterator<Item = OsString>) -> Vec<OsString> {
    let mut tops: Vec<(PathBuf, OsString)> = Vec::new();
    for directory in directories {
        let path = plain(&directory);
        if !tops.iter().any(|(top, _)| is_below(&path, top)) {
            tops.retain(|(top, _)| !is_below(top, &path));
            tops.push((path, directory));
        }
    }
    tops.into_iter().map(|(_, directory)| directory).collect()
}

/// What is in a file's place can't be what was tagged: it is no file, can't be reached without following a link, or was
/// written meanwhile.
#[derive(Debug)]
pub struct Unfit(pub String);

impl fmt::Display for Unfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Unfit {}

/// From where the names of a manifest lead.
pub fn tree_of(manifest: &Manifest, follow: bool) -> tree::Tree {
    tree::Tree::below(manifest.directories(), follow)
}

/// The directories of a manifest that lie in no other.
pub fn tops(manifest: &Manifest) -> Vec<OsString> {
    topmost(manifest.directories())
}

/// What is in a place.
pub fn kind_of_stat(stat: &Stat) -> Kind {
    // What no system has is no file either.
    kind_of_type(FileType::from_raw_mode(stat.st_mode)).unwrap_or(Kind::Device)
}

/// `None`: the file system does not say.
pub fn kind_of_type(kind: FileType) -> Option<Kind> {
    Some(match kind {
        FileType::RegularFile => Kind::File,
        FileType::Directory => Kind::Directory,
        FileType::Symlink => Kind::Link,
        FileType::Socket => Kind::Socket,
        FileType::Fifo => Kind::Pipe,
        FileType::CharacterDevice | FileType::BlockDevice => Kind::Device,
        FileType::Unknown => return None,
    })
}

/// Why it is not read as a file.
pub fn advice(kind: Kind) -> &'static str {
    match kind {
        Kind::File => "it is a file",
        Kind::Directory => "it is a directory",
        Kind::Link => tree::LINK,
        Kind::Socket => "it is a socket, not a file",
        Kind::Pipe => "it is a pipe: read it through standard input, `- < PIPE`",
        Kind::Device => "it is a device: read it through standard input, `- < DEVICE`",
    }
}

/// Mode, owner and target of what a name stands for.
pub fn attributes(tree: &tree::Tree, name: &OsStr) -> anyhow::Result<Attributes> {
    let stat = tree.look(name)?;
    let target = if kind_of_stat(&stat) == Kind::Link { Some(tree.target(name)?) } else { None };
    let Stat { st_mode, st_uid, st_gid, .. } = stat;
    Ok(Attributes { mode: st_mode & 0o7777, user: st_uid, group: st_gid, target })
}

/// Whether an error says that there is no such file.
pub fn is_missing(error: &anyhow::Error) -> bool {
    let is = |kind| matches!(kind, ErrorKind::NotFound | ErrorKind::NotADirectory);
    let errno = error.downcast_ref::<rustix::io::Errno>();
    let error = error.downcast_ref::<io::Error>();
    error.is_some_and(|error| is(error.kind())) || errno.is_some_and(|errno| is(errno.kind()))
}

/// Whether an error says that what is in a file's place can't be what was tagged.
pub fn is_unfit(error: &anyhow::Error) -> bool {
    error.is::<Unfit>()
}

/// Says what is wrong with a file.
pub fn complaint(name: &OsStr, error: &anyhow::Error) -> String {
    format!("{}: {error:#}", shown(name))
}
