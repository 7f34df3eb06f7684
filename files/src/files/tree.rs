//! Where names lead. Without `--follow-symlinks`, every directory below the top of a tree is opened as itself and never
//! through a symbolic link: whoever can write in a tree can't lead a name out of it.

use super::{Kind, Unfit, advice, is_below, kind_of_stat, plain, topmost};
use crate::durable::directory_of;
use crate::names::shown;
use anyhow::Result;
use rustix::fs::{AtFlags, CWD, Mode, OFlags, Stat, fstat, openat, readlinkat, statat};
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::{Component, Path, PathBuf};

/// To go through a directory, one need not be able to list it.
#[cfg(target_os = "linux")]
const THROUGH: OFlags = OFlags::PATH;
#[cfg(not(target_os = "linux"))]
const THROUGH: OFlags = OFlags::RDONLY;

/// What is below some directories.
pub struct Tree {
    follow: bool,
    /// The directories, each with the one it lies in: links above it are followed. None of them lies in another.
    tops: Vec<(PathBuf, io::Result<OwnedFd>)>,
    /// Whether names outside the tops are those that the command line has: the directories in them are the user's.
    is_typed: bool,
}

impl Tree {
    /// The tree below these directories. In a name outside of them no directory may be a link.
    pub fn below<P: AsRef<Path>>(directories: impl IntoIterator<Item = P>, follow: bool) -> Tree {
        let directories = directories.into_iter().map(|path| path.as_ref().as_os_str().to_owned());
        let open = |top: OsString| {
            let top = plain(&top);
            let flags = THROUGH | OFlags::DIRECTORY | OFlags::CLOEXEC;
            let parent = openat(CWD, directory_of(&top), flags, Mode::empty());
            (top, parent.map_err(io::Error::from))
        };
        let tops = if follow { Vec::new() } else { topmost(directories) };
        let tops = tops.into_iter().map(open).collect();
        Tree { follow, tops, is_typed: false }
    }

    /// Files that the command line names: only the file itself may be no link.
    pub fn typed(follow: bool) -> Tree {
        Tree { follow, tops: Vec::new(), is_typed: true }
    }

    /// Opens a regular file for reading. It never waits on a pipe.
    pub fn open(&self, name: &OsStr) -> Result<(File, Stat)> {
        self.open_as(name, OFlags::RDONLY)
    }

    /// Opens a regular file for reading and writing.
    pub fn open_to_write(&self, name: &OsStr) -> Result<(File, Stat)> {
        self.open_as(name, OFlags::RDWR)
    }

    fn open_as(&self, name: &OsStr, access: OFlags) -> Result<(File, Stat)> {
        let flags = access | OFlags::NONBLOCK | OFlags::CLOEXEC | OFlags::NOCTTY;
        let file = match self.resolve(name, flags) {
            Ok(file) => file,
            // A socket can't be opened, nor a directory to write.
            Err(error) => match self.look(name).map(|stat| kind_of_stat(&stat)) {
                Ok(Kind::File) | Err(_) => return Err(self.explained(name, error)),
                Ok(kind) => return Err(Unfit(advice(kind).into()).into()),
            },
        };
        let stat = fstat(&file)?;
        match kind_of_stat(&stat) {
            Kind::File => Ok((File::from(file), stat)),
            kind => Err(Unfit(advice(kind).into()).into()),
        }
    }

    /// A directory, to be listed.
    pub fn directory(&self, name: &OsStr) -> Result<OwnedFd> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        self.resolve(name, flags).map_err(|error| self.explained(name, error))
    }

    /// What a name stands for, a link if it is one.
    pub fn look(&self, name: &OsStr) -> Result<Stat> {
        let flags = if self.follow { AtFlags::empty() } else { AtFlags::SYMLINK_NOFOLLOW };
        let (parent, last) = self.parent(name)?;
        Ok(statat(parent, last, flags)?)
    }

    /// Where a link points to.
    pub fn target(&self, name: &OsStr) -> Result<Vec<u8>> {
        let (parent, last) = self.parent(name)?;
        Ok(readlinkat(parent, last, Vec::new())?.into_bytes())
    }

    /// The directory in which a name lies, and its last part.
    fn parent<'n>(&self, name: &'n OsStr) -> Result<(OwnedFd, &'n OsStr)> {
        let flags = THROUGH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let split = |path: &'n Path| match path.file_name() {
            Some(last) => (directory_of(path), last),
            None => (path, OsStr::new(".")), // the root, or a directory above this one
        };
        let path = Path::new(name);
        if self.follow || self.is_typed {
            let (parent, last) = split(path);
            return Ok((openat(CWD, parent, flags, Mode::empty())?, last));
        }
        let (start, rest) = self.start(path)?;
        let (parent, last) = split(rest);
        let parent = without_links(start, parent, flags | OFlags::NOFOLLOW);
        Ok((parent.map_err(|error| self.explained(name, error.into()))?, last))
    }

    /// The directory from which a name is resolved, and what is left of it.
    fn start<'n>(&self, name: &'n Path) -> io::Result<(BorrowedFd<'_>, &'n Path)> {
        let name_is_in = |(top, _): &&(PathBuf, _)| starts_with(name, top);
        if let Some((top, parent)) = self.tops.iter().find(name_is_in) {
            let parent = parent.as_ref().map_err(|error| io::Error::from(error.kind()))?;
            let rest = strip(name, parent_parts(top));
            return Ok((parent.as_fd(), rest));
        }
        Ok((CWD, name))
    }

    fn resolve(&self, name: &OsStr, flags: OFlags) -> io::Result<OwnedFd> {
        let flags = if self.follow { flags } else { flags | OFlags::NOFOLLOW };
        if self.follow || self.is_typed {
            return Ok(openat(CWD, name, flags, Mode::empty())?);
        }
        let (start, rest) = self.start(Path::new(name))?;
        Ok(without_links(start, rest, flags)?)
    }

    /// Says what is wrong with a name: which part of it is a link, if one is.
    fn explained(&self, name: &OsStr, error: io::Error) -> anyhow::Error {
        let is_link = matches!(error.raw_os_error(), Some(libc::ELOOP | libc::ENOTDIR));
        if self.follow || !is_link {
            return error.into();
        }
        match self.link_in(Path::new(name)) {
            Some(link) if link.as_os_str() == plain(name) => Unfit(LINK.into()).into(),
            Some(link) => Unfit(format!(
                "{} is a symbolic link: give --follow-symlinks to go where it points to",
                shown(&link)
            ))
            .into(),
            None => error.into(),
        }
    }

    /// The first part of a name that is a link and should not be.
    fn link_in(&self, name: &Path) -> Option<PathBuf> {
        let name = plain(name.as_os_str());
        let trusted = match self.tops.iter().find(|(top, _)| starts_with(&name, top)) {
            Some((top, _)) => parent_parts(top),
            None if self.is_typed => name.components().count() - 1,
            None => 0,
        };
        let mut parts = PathBuf::new();
        for (i, part) in name.components().enumerate() {
            parts.push(part);
            if i >= trusted && parts.is_symlink() {
                return Some(parts);
            }
        }
        None
    }
}

/// What is said of a link.
pub const LINK: &str = "it is a symbolic link: give --follow-symlinks to read what it points to";

/// How many parts of a path are above its last.
fn parent_parts(path: &Path) -> usize {
    path.components().count().saturating_sub(1)
}

/// [`Path::starts_with`] that passes over `.`.
fn starts_with(name: &Path, top: &Path) -> bool {
    is_below(name, top) || is_below(&plain(name.as_os_str()), top)
}

/// A path without its first parts, those that are `.` not counted.
fn strip(path: &Path, count: usize) -> &Path {
    let mut parts = path.components();
    let mut left = count;
    while left > 0 {
        match parts.next() {
            Some(Component::CurDir) => {}
            Some(_) => left -= 1,
            None => break,
        }
    }
    if parts.as_path() == Path::new("") { Path::new(".") } else { parts.as_path() }
}

/// Opens a path from `start` on. No part of it may be a link.
fn without_links(start: BorrowedFd<'_>, path: &Path, flags: OFlags) -> rustix::io::Result<OwnedFd> {
    #[cfg(target_os = "linux")]
    {
        use rustix::fs::{ResolveFlags, openat2};
        use rustix::io::Errno;
        use std::sync::atomic::{AtomicBool, Ordering};

        /// Whether the system has no such call. Some containers forbid calls that they do not know.
        static IS_MISSING: AtomicBool = AtomicBool::new(false);
        /// How often a name is resolved again if somebody renames its directories meanwhile.
        const TIMES: usize = 100;
        for _ in 0..TIMES {
            if IS_MISSING.load(Ordering::Relaxed) {
                break;
            }
            match openat2(start, path, flags, Mode::empty(), ResolveFlags::NO_SYMLINKS) {
                Err(Errno::AGAIN) => {}
                Err(Errno::NOSYS | Errno::PERM) => IS_MISSING.store(true, Ordering::Relaxed),
                done => return done,
            }
        }
    }
    step_by_step(start, path, flags)
}

/// [`without_links`], one directory after the other.
fn step_by_step(start: BorrowedFd<'_>, path: &Path, flags: OFlags) -> rustix::io::Result<OwnedFd> {
    let step = THROUGH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let mut parts = path.components().peekable();
    let mut now: Option<OwnedFd> = None;
    while let Some(part) = parts.next() {
        let from = now.as_ref().map_or(start, AsFd::as_fd);
        let path: &Path = part.as_ref();
        if parts.peek().is_none() {
            return openat(from, path, flags, Mode::empty());
        }
        now = Some(openat(from, path, step, Mode::empty())?);
    }
    Err(rustix::io::Errno::NOENT)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::io::Read;
    use std::os::unix::fs::symlink;

    /// Both ways of resolving a name say the same.
    #[test]
    fn no_part_of_a_path_may_be_a_link() {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path().canonicalize().unwrap();
        fs::create_dir_all(root.join("a/b")).unwrap();
        fs::write(root.join("a/b/file"), "content").unwrap();
        symlink("a", root.join("link")).unwrap();
        symlink("file", root.join("a/b/last")).unwrap();
        let start = File::open(&root).unwrap();
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        for open in [without_links, step_by_step] {
            for good in ["a/b/file", "./a/./b/file", "a/../a/b/file"] {
                let mut text = String::new();
                let file = open(start.as_fd(), Path::new(good), flags).unwrap();
                File::from(file).read_to_string(&mut text).unwrap();
                assert_eq!(text, "content");
            }
            let absolute = root.join("a/b/file");
            assert!(open(start.as_fd(), &absolute, flags).is_ok());
            for bad in ["link/b/file", "a/b/last", "a/../link/b/file", "no", ""] {
                assert!(open(start.as_fd(), Path::new(bad), flags).is_err(), "{bad}");
            }
        }
    }

    #[test]
    fn only_what_is_above_a_top_may_be_a_link() {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path().canonicalize().unwrap();
        fs::create_dir_all(root.join("real/tree/sub")).unwrap();
        fs::write(root.join("real/tree/sub/x"), "").unwrap();
        symlink("real", root.join("above")).unwrap();
        symlink("sub", root.join("real/tree/below")).unwrap();
        let name = |name: &str| root.join(name).into_os_string();
        let tree = Tree::below([root.join("above/tree"), root.join("above/tree/sub")], false);
        assert!(tree.open(&name("above/tree/sub/x")).is_ok());
        assert!(
            tree.look(&name("above/tree/below"))
                .is_ok_and(|stat| stat.st_mode & 0o170000 == 0o120000)
        );
        let error = tree.open(&name("above/tree/below/x")).unwrap_err();
        assert!(error.is::<Unfit>() && error.to_string().contains("tree/below is a symbolic link"));
        let others = Tree::below([root.join("real")], false);
        assert!(others.open(&name("above/tree/sub/x")).is_err());
        assert!(Tree::typed(false).open(&name("above/tree/below/x")).is_ok());
        assert!(Tree::below([&root], true).open(&name("above/tree/below/x")).is_ok());
    }
}
