//! Which files a command line names.

use super::{STDIN, named};
use crate::args::ReadArgs;
use crate::durable::drafts::is_draft;
use crate::output::counted;
use anyhow::anyhow;
use std::collections::HashSet;
use std::ffi::{OsStr, OsString};
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use walkdir::WalkDir;

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
                let error = anyhow!("it is a directory: give -r to tag everything in it");
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
