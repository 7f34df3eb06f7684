//! Files: which ones, opened safely, several at once, results in order.

use crate::args::{How, ReadArgs};
use crate::manifest::shown;
use crate::output::{counted, is_draft};
use crate::reader::{Crew, Reader};
use anyhow::{Context, Result, anyhow, bail, ensure};
use std::collections::{BTreeMap, HashSet};
use std::ffi::{OsStr, OsString};
use std::fs::{File, FileType, Metadata, OpenOptions};
use std::io::{self, ErrorKind, Read};
use std::os::fd::AsFd;
use std::os::unix::fs::{FileTypeExt, MetadataExt, OpenOptionsExt};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use walkdir::WalkDir;

/// The name that means standard input.
pub const STDIN: &str = "-";

/// A file to read, by the name it has in the manifest.
#[derive(Debug)]
pub struct Input {
    pub name: OsString,
    /// Bytes to expect, for the progress bar.
    pub size: Option<u64>,
}

/// What a search for files found.
#[derive(Default)]
pub struct Found {
    pub inputs: Vec<Input>,
    /// What can't be read, with the reason.
    pub errors: Vec<(OsString, anyhow::Error)>,
    symlinks: u64,
    special: u64,
    drafts: u64,
}

impl Found {
    /// What was passed over in directories, in words.
    pub fn passed_over(&self) -> Option<String> {
        let kinds = [
            (self.symlinks, "symbolic link", "symbolic links"),
            (self.special, "socket, pipe or device", "sockets, pipes or devices"),
            (self.drafts, "unfinished file `.wegman-...`", "unfinished files `.wegman-...`"),
        ];
        let kinds = kinds.iter().filter(|(number, ..)| *number > 0);
        let words = kinds.map(|&(number, one, more)| counted(number, one, more));
        let words: Vec<_> = words.collect();
        (!words.is_empty()).then(|| format!("passed over: {}", words.join(", ")))
    }

    /// Bytes to read, if all sizes are known.
    pub fn total(&self) -> Option<u64> {
        self.inputs.iter().map(|input| input.size).sum()
    }
}

/// Device and inode: what makes two names the same file.
pub fn identity(path: &Path) -> Option<(u64, u64)> {
    path.metadata().ok().map(|metadata| (metadata.dev(), metadata.ino()))
}

/// [`identity`] of what standard input comes from.
pub fn identity_of_stdin() -> Option<(u64, u64)> {
    let input = io::stdin().as_fd().try_clone_to_owned().ok()?;
    let metadata = File::from(input).metadata().ok()?;
    Some((metadata.dev(), metadata.ino()))
}

/// Whether a file is still the one of that name.
pub fn is_at(file: &File, path: &Path) -> io::Result<bool> {
    let metadata = file.metadata()?;
    Ok(identity(path) == Some((metadata.dev(), metadata.ino())))
}

/// Reads until there is no room or nothing more.
pub fn fill(input: &mut dyn Read, room: &mut [u8]) -> io::Result<usize> {
    let mut bytes = 0;
    while bytes < room.len() {
        match input.read(&mut room[bytes..]) {
            Ok(0) => break,
            Ok(more) => bytes += more,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(bytes)
}

/// The user this runs as.
#[allow(unsafe_code, reason = "it is declared so")]
pub fn user() -> u32 {
    // SAFETY: it only asks.
    unsafe { libc::geteuid() }
}

/// Finds the files that `paths` name. Directories are searched if `recursive`; a file in `except`
/// is left out there.
pub fn find(paths: &[OsString], recursive: bool, args: &ReadArgs, except: &[(u64, u64)]) -> Found {
    let mut found = Found::default();
    let mut seen = HashSet::new();
    let mut add = |found: &mut Found, name: &OsStr, size| {
        if seen.insert(name.to_owned()) {
            found.inputs.push(Input { name: name.to_owned(), size });
        }
    };
    for name in paths {
        if name == STDIN {
            add(&mut found, name, None);
            continue;
        }
        match named(name, args.follow_symlinks) {
            Ok(metadata) if metadata.is_dir() && recursive => {
                walk(name, args, except, &mut found, &mut add);
            }
            Ok(metadata) if metadata.is_dir() => {
                let error = anyhow!("it is a directory: give -r to tag all it holds");
                found.errors.push((name.clone(), error));
            }
            Ok(metadata) => add(&mut found, name, Some(metadata.len())),
            Err(error) => found.errors.push((name.clone(), error)),
        }
    }
    found
}

fn walk(
    root: &OsStr,
    args: &ReadArgs,
    except: &[(u64, u64)],
    found: &mut Found,
    add: &mut impl FnMut(&mut Found, &OsStr, Option<u64>),
) {
    let walk = WalkDir::new(root).follow_links(args.follow_symlinks).sort_by_file_name();
    for entry in walk {
        let (path, metadata) = match entry.and_then(|e| Ok((e.metadata()?, e.into_path()))) {
            Ok((metadata, path)) => (path, metadata),
            Err(error) => {
                let name = error.path().map_or(root, Path::as_os_str).to_owned();
                let reason = error.into_io_error().map_or_else(
                    || anyhow!("a symbolic link leads back to a directory above it"),
                    anyhow::Error::from,
                );
                found.errors.push((name, reason));
                continue;
            }
        };
        if metadata.is_symlink() {
            found.symlinks += 1;
        } else if metadata.is_file() {
            if is_draft(path.file_name().unwrap_or_default()) {
                found.drafts += 1;
            } else if !except.contains(&(metadata.dev(), metadata.ino())) {
                add(found, path.as_os_str(), Some(metadata.len()));
            }
        } else if !metadata.is_dir() {
            found.special += 1;
        }
    }
}

/// A path given by name: a regular file or a directory.
fn named(name: &OsStr, follow: bool) -> Result<Metadata> {
    let path = Path::new(name);
    let metadata = if follow { path.metadata() } else { path.symlink_metadata() }?;
    let kind = metadata.file_type();
    if let Some(reason) = unreadable_kind(kind) {
        bail!("{reason}");
    }
    Ok(metadata)
}

fn unreadable_kind(kind: FileType) -> Option<&'static str> {
    if kind.is_symlink() {
        Some("it is a symbolic link: give --follow-symlinks to read what it points to")
    } else if kind.is_socket() {
        Some("it is a socket, not a file")
    } else if kind.is_fifo() {
        Some("it is a pipe: read it through standard input, `- < PIPE`")
    } else if kind.is_char_device() || kind.is_block_device() {
        Some("it is a device: read it through standard input, `- < DEVICE`")
    } else {
        None
    }
}

/// Opens a regular file; never waits on a pipe, never follows a link it was not asked to, even if
/// the file was exchanged since it was found.
pub fn open(name: &OsStr, follow: bool) -> Result<(File, Metadata)> {
    named(name, follow)?;
    let no_follow = if follow { 0 } else { libc::O_NOFOLLOW };
    let mut options = OpenOptions::new();
    let file = options.read(true).custom_flags(libc::O_NONBLOCK | no_follow).open(name)?;
    let metadata = file.metadata()?;
    ensure!(!metadata.is_dir(), "it is a directory");
    match unreadable_kind(metadata.file_type()) {
        Some(reason) => bail!("{reason}"),
        None => Ok((file, metadata)),
    }
}

/// Whether an error says that there is no such file.
pub fn is_missing(error: &anyhow::Error) -> bool {
    error
        .downcast_ref::<io::Error>()
        .is_some_and(|error| matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory))
}

/// Says what is wrong with a file.
pub fn complaint(name: &OsStr, error: &anyhow::Error) -> String {
    format!("{}: {error:#}", shown(name))
}

/// Runs `work` on all items, several at once, and hands the results to `sink` in the order of the
/// items.
pub fn in_order<'i, T: Sync, R: Send>(
    how: How,
    items: &'i [T],
    work: impl Fn(&T, &mut Reader<'_>) -> R + Sync,
    mut sink: impl FnMut(&'i T, R) -> Result<()>,
) -> Result<()> {
    let threads = how.threads.map_or(0, usize::from); // 0: one for each core
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    let pool = pool.context("can't start threads")?;
    let crew = Crew::new(pool.current_num_threads(), items.len(), how);
    let todo = AtomicUsize::new(0);
    let (sender, results) = mpsc::channel();
    pool.in_place_scope(|scope| {
        // Not a parallel iterator: waiting for its part of a big file, a thread would take up another
        // thread's share of the items, and lose it.
        let (crew, work, todo) = (&crew, &work, &todo);
        scope.spawn_broadcast(move |_, _| {
            let mut reader = crew.reader();
            loop {
                let i = todo.fetch_add(1, Ordering::Relaxed);
                let Some(item) = items.get(i) else { break };
                let result = work(item, &mut reader);
                crew.done();
                // A closed channel means that the sink failed: no need to go on.
                if sender.send((i, result)).is_err() {
                    break;
                }
            }
        });
        let mut early = BTreeMap::new();
        let mut next = 0;
        for (i, result) in results {
            early.insert(i, result);
            while let Some(result) = early.remove(&next) {
                sink(&items[next], result)?;
                next += 1;
            }
        }
        Ok(())
    })
}
