//! Which files a command line names.

use super::tree::Tree;
use super::{
    Kind, STDIN, Unfit, advice, identity, identity_of, is_below, kind_of_stat, kind_of_type, plain,
};
use crate::names::counted;
use anyhow::{Context, Result, anyhow, ensure};
use ignore::gitignore::{Gitignore, GitignoreBuilder};
use rustix::fs::{AtFlags, CWD, Dir, FileType, Mode, OFlags, Stat, openat, statat};
use std::collections::HashSet;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::Read;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// The file whose lines say which files of its directory are no part of the tree.
const IGNORE: &str = ".wegmanignore";
/// No such file is longer; anything longer is something else.
const MAX_IGNORE: u64 = 64 << 10;

/// A file to read, by the name it has in the manifest.
#[derive(Debug)]
pub struct Input {
    pub name: OsString,
    /// Bytes to expect, for the progress bar.
    pub size: Option<u64>,
}

/// How to search.
pub struct Search<'a> {
    /// Directories to search from, besides those that are searched: links above them are followed.
    pub tops: &'a [OsString],
    /// Whether directories are searched.
    pub recursive: bool,
    pub follow: bool,
    /// Patterns of names to leave out, as in `.gitignore`.
    pub exclude: &'a [String],
    pub except: &'a Except,
    /// Whether sizes are needed: they cost a system call for each file.
    pub sizes: bool,
}

/// What is no file of the tree: the key under any name, and the manifest and its journal under theirs.
#[derive(Default)]
pub struct Except {
    key: Option<(u64, u64)>,
    named: Vec<(OsString, Option<(u64, u64)>)>,
}

impl Except {
    /// `key` under any name, `files` under theirs.
    pub fn of(key: &Path, files: &[&Path]) -> Except {
        let names = files.iter().filter_map(|path| {
            let name = path.file_name()?.to_owned();
            Some((name, identity(path)))
        });
        Except { key: identity(key), named: names.collect() }
    }

    /// Whether it has to be looked at. The inode numbers in a directory are not always those of the files.
    fn may_have(&self, name: &OsStr, inode: u64) -> bool {
        self.key.is_some_and(|(_, key)| key == inode)
            || self.named.iter().any(|(other, _)| other == name)
    }

    fn has(&self, name: &OsStr, stat: &Stat) -> bool {
        let identity = Some((stat.st_dev, stat.st_ino));
        self.key == identity
            || self.named.iter().any(|(other, file)| other == name && *file == identity)
    }
}

/// What a search for files found.
pub struct Found {
    pub inputs: Vec<Input>,
    /// What is in the directories besides files, and the directories.
    pub others: Vec<(OsString, Kind)>,
    /// What can't be read, with the reason.
    pub errors: Vec<(OsString, anyhow::Error)>,
    /// From where the names lead.
    pub tree: Tree,
    ignored: u64,
}

impl Found {
    /// What was passed over in directories, in words.
    pub fn passed_over(&self) -> Option<String> {
        let of = |kinds: &[Kind]| {
            self.others.iter().filter(|(_, kind)| kinds.contains(kind)).count() as u64
        };
        let special = [Kind::Socket, Kind::Pipe, Kind::Device];
        let kinds = [
            (of(&[Kind::Link]), "symbolic link", "symbolic links"),
            (of(&special), "socket, pipe or device", "sockets, pipes or devices"),
            (self.ignored, "ignored", "ignored"),
        ];
        let kinds = kinds.iter().filter(|(number, ..)| *number > 0);
        let words: Vec<_> = kinds.map(|&(number, one, more)| counted(number, one, more)).collect();
        (!words.is_empty()).then(|| format!("not read: {}", words.join(", ")))
    }

    /// Bytes to read, if all sizes are known.
    pub fn total(&self) -> Option<u64> {
        self.inputs.iter().map(|input| input.size).sum()
    }
}

/// Finds the files that `paths` name.
pub fn find(paths: &[OsString], search: &Search<'_>) -> Result<Found> {
    let exclude = patterns(search.exclude.iter().map(String::as_str)).context("--exclude")?;
    let kinds: Vec<_> = paths.iter().map(|path| kind_of(path, search)).collect();
    let roots =
        paths.iter().zip(&kinds).filter(|(_, seen)| matches!(seen, Ok((Kind::Directory, _))));
    let tree = Tree::below(roots.map(|(path, _)| path).chain(search.tops), search.follow);
    let found =
        Found { inputs: Vec::new(), others: Vec::new(), errors: Vec::new(), tree, ignored: 0 };
    let mut walk = Walk { search, exclude, seen: HashSet::new(), found };
    for (path, kind) in paths.iter().zip(kinds) {
        match kind {
            Ok((Kind::Directory, _)) => walk.root(path),
            Ok((_, size)) => walk.file(path, size),
            Err(error) => walk.found.errors.push((path.clone(), error)),
        }
    }
    Ok(walk.found)
}

/// What a path on the command line is: a directory to search, or a file, which standard input is, too, and its size if
/// that is known.
fn kind_of(path: &OsStr, search: &Search<'_>) -> Result<(Kind, Option<u64>)> {
    if path == STDIN {
        return Ok((Kind::File, None));
    }
    // Nor is it this directory.
    ensure!(!path.is_empty(), "an empty name is no file's");
    let flags = if search.follow { AtFlags::empty() } else { AtFlags::SYMLINK_NOFOLLOW };
    let stat = statat(CWD, path, flags)?;
    match kind_of_stat(&stat) {
        Kind::File => Ok((Kind::File, Some(stat.st_size as u64))),
        Kind::Directory if search.recursive => Ok((Kind::Directory, None)),
        Kind::Directory => Err(anyhow!("it is a directory: give -r to tag everything in it")),
        kind => Err(Unfit(advice(kind).into()).into()),
    }
}

/// Lines of patterns, as in `.gitignore`.
fn patterns<'p>(lines: impl Iterator<Item = &'p str>) -> Result<Gitignore> {
    let mut builder = GitignoreBuilder::new("");
    for line in lines {
        builder.add_line(None, line)?;
    }
    Ok(builder.build()?)
}

/// A walk through directories, in the order of their names. It needs no more stack for a deep tree.
struct Walk<'a> {
    search: &'a Search<'a>,
    exclude: Gitignore,
    seen: HashSet<PathBuf>,
    found: Found,
}

/// A directory under way.
struct Place {
    path: PathBuf,
    /// Device and inode, if links are followed: they may lead back here.
    identity: Option<(u64, u64)>,
    ignore: Option<Gitignore>,
    /// What is in it and not visited yet.
    rest: std::vec::IntoIter<(PathBuf, Result<Seen>)>,
}

/// What is in a directory, and its size if it is a file and that is known. `None`: it is left out.
type Seen = Option<(Kind, Option<u64>)>;

impl Walk<'_> {
    fn file(&mut self, name: &OsStr, size: Option<u64>) {
        if self.seen.insert(plain(name)) {
            self.found.inputs.push(Input { name: name.to_owned(), size });
        }
    }

    fn other(&mut self, name: &OsStr, kind: Kind) {
        if self.seen.insert(plain(name)) {
            self.found.others.push((name.to_owned(), kind));
        }
    }

    /// A directory to search. The patterns of those above it count, too, as far as these are searched from.
    fn root(&mut self, path: &OsStr) {
        let path = Path::new(path);
        let tops: Vec<PathBuf> = self.search.tops.iter().map(|top| plain(top)).collect();
        let is_searched =
            |path: &Path| tops.iter().any(|top| is_below(&plain(path.as_os_str()), top));
        let mut above: Vec<&Path> =
            path.ancestors().skip(1).filter(|path| is_searched(path)).collect();
        above.reverse();
        let mut places = Vec::new();
        for path in above {
            let name = if path == Path::new("") { Path::new(".") } else { path };
            let ignore = self.found.tree.directory(name.as_os_str()).and_then(|directory| {
                let is_there = statat(&directory, IGNORE, AtFlags::SYMLINK_NOFOLLOW).is_ok();
                if is_there { read_ignore(&directory, name) } else { Ok(None) }
            });
            match ignore {
                Ok(ignore) => {
                    let (path, rest) = (path.to_owned(), Vec::new().into_iter());
                    places.push(Place { path, identity: None, ignore, rest });
                }
                Err(error) => {
                    return self.found.errors.push((name.as_os_str().to_owned(), error));
                }
            }
        }
        let above = places.len();
        self.directory(&mut places, path);
        while let Some(place) = places.get_mut(above..).and_then(<[Place]>::last_mut) {
            let Some((path, seen)) = place.rest.next() else {
                places.pop();
                continue;
            };
            match seen {
                Ok(Some((Kind::Directory, _))) => self.directory(&mut places, &path),
                Ok(Some((Kind::File, size))) => self.file(path.as_os_str(), size),
                Ok(Some((kind, _))) => self.other(path.as_os_str(), kind),
                Ok(None) => {}
                Err(error) => self.found.errors.push((path.into_os_string(), error)),
            }
        }
    }

    /// Says what can't be read, and goes on.
    fn directory(&mut self, places: &mut Vec<Place>, path: &Path) {
        if let Err(error) = self.list(places, path) {
            self.found.errors.push((path.as_os_str().to_owned(), error));
        }
    }

    /// Adds a directory to those that it lies in.
    fn list(&mut self, places: &mut Vec<Place>, path: &Path) -> Result<()> {
        let directory = self.found.tree.directory(path.as_os_str())?;
        let identity = if self.search.follow { Some(identity_of(&directory)?) } else { None };
        let is_above = identity.is_some() && places.iter().any(|place| place.identity == identity);
        ensure!(!is_above, "a symbolic link leads back to a directory above it");
        self.other(path.as_os_str(), Kind::Directory);
        let mut entries = Vec::new();
        for entry in Dir::read_from(&directory)? {
            let entry = entry?;
            let name = OsStr::from_bytes(entry.file_name().to_bytes());
            if name != "." && name != ".." {
                entries.push((name.to_owned(), entry.file_type(), entry.ino()));
            }
        }
        entries.sort_unstable_by(|(one, ..), (other, ..)| one.cmp(other));
        let has_ignore = entries.iter().any(|(name, ..)| name == IGNORE);
        let ignore = if has_ignore { read_ignore(&directory, path)? } else { None };
        places.push(Place {
            path: path.to_owned(),
            identity,
            ignore,
            rest: Vec::new().into_iter(),
        });
        let entries: Vec<_> = entries
            .into_iter()
            .map(|(name, kind, inode)| {
                let path = path.join(&name);
                let seen = self.entry(places, &directory, &name, &path, (kind, inode));
                (path, seen)
            })
            .collect();
        // Directories are opened by their names, one at a time: there are more of them than a process may have open.
        drop(directory);
        places.last_mut().expect("this one").rest = entries.into_iter();
        Ok(())
    }

    fn entry(
        &mut self,
        places: &[Place],
        directory: &OwnedFd,
        name: &OsStr,
        path: &Path,
        (kind, inode): (FileType, u64),
    ) -> Result<Seen> {
        let Search { follow, except, sizes, .. } = *self.search;
        let mut stat = None;
        let kind = match kind_of_type(kind) {
            Some(kind) if !(follow && kind == Kind::Link) => kind,
            _ => {
                let flags = if follow { AtFlags::empty() } else { AtFlags::SYMLINK_NOFOLLOW };
                kind_of_stat(stat.insert(statat(directory, name, flags)?))
            }
        };
        // A file that says what is left out is never left out: it could hide itself and everything.
        if name != IGNORE && self.is_left_out(places, path, kind == Kind::Directory) {
            self.found.ignored += 1;
            return Ok(None);
        }
        let may_be_excepted = except.may_have(name, inode);
        if kind == Kind::File && stat.is_none() && (sizes || may_be_excepted) {
            stat = Some(statat(directory, name, AtFlags::SYMLINK_NOFOLLOW)?);
        }
        if kind == Kind::File
            && name != IGNORE
            && stat.as_ref().is_some_and(|stat| except.has(name, stat))
        {
            return Ok(None);
        }
        Ok(Some((kind, stat.map(|stat| stat.st_size as u64))))
    }

    /// The patterns nearest to a path decide.
    fn is_left_out(&self, places: &[Place], path: &Path, is_directory: bool) -> bool {
        for place in places.iter().rev() {
            let Some(ignore) = &place.ignore else { continue };
            let name = path.strip_prefix(&place.path).unwrap_or(path);
            let matched = ignore.matched(name, is_directory);
            if !matched.is_none() {
                return matched.is_ignore();
            }
        }
        if self.exclude.is_empty() {
            return false;
        }
        let name = path.strip_prefix(&places[0].path).unwrap_or(path);
        self.exclude.matched(name, is_directory).is_ignore()
    }
}

/// The patterns of a directory.
fn read_ignore(directory: &OwnedFd, path: &Path) -> Result<Option<Gitignore>> {
    let read = || -> Result<Option<Gitignore>> {
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let stat = statat(directory, IGNORE, AtFlags::SYMLINK_NOFOLLOW)?;
        match kind_of_stat(&stat) {
            Kind::File => {}
            Kind::Link => return Err(Unfit("it is a symbolic link, not a file".into()).into()),
            _ => return Ok(None),
        }
        let file = File::from(openat(directory, IGNORE, flags, Mode::empty())?);
        let mut text = String::new();
        let bytes = file.take(MAX_IGNORE + 1).read_to_string(&mut text)?;
        ensure!(bytes as u64 <= MAX_IGNORE, "too long for a file of patterns");
        patterns(text.lines()).map(Some)
    };
    let name: PathBuf = path.join(IGNORE);
    read().with_context(|| format!("{}: can't use it", crate::names::shown(&name)))
}
