//! [`Tree`]: the files of a directory, as the command finds and opens them.

use crate::errors;
use anyhow::{Result, anyhow};
use pyo3::exceptions::PyFileNotFoundError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::ffi::{OsStr, OsString};
use std::os::fd::{IntoRawFd, RawFd};
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;
use wegman_files::files::find::{Except, Search, find};
use wegman_files::files::{Kind, Unfit, complaint, is_missing, kind_of_stat, tree};

/// What tells a file from what it was: its inode, when it was written, its size, and when it was changed at all, which
/// nobody can set back. Times are in nanoseconds.
type Look = (u64, i128, u64, i128);

/// Files, and in words what is none.
type Found<Name> = (Vec<(Name, Look)>, Option<String>);

/// Tree(directory): the files below a directory as `wegman tag -r` finds and opens them. No symbolic link is followed, and
/// `.wegmanignore` counts. Names are bytes, relative to the directory.
#[pyclass(module = "wegman", frozen)]
pub struct Tree {
    top: PathBuf,
    tree: tree::Tree,
}

#[pymethods]
impl Tree {
    #[new]
    fn new(directory: PathBuf) -> Tree {
        let tree = tree::Tree::below([&directory], false);
        Tree { top: directory, tree }
    }

    /// A list of (name, (inode, mtime, size, ctime)), and in words what was left out, or None.
    ///
    /// Raises OSError or ValueError if a directory can't be read.
    fn files<'py>(&self, py: Python<'py>) -> PyResult<Found<Bound<'py, PyBytes>>> {
        let (files, passed_over) = py.detach(|| self.find()).map_err(raised)?;
        let files = files.into_iter().map(|(name, look)| (PyBytes::new(py, name.as_bytes()), look));
        Ok((files.collect(), passed_over))
    }

    /// (inode, mtime, size, ctime) of a file. Raises OSError, or ValueError if it is none.
    fn look(&self, py: Python<'_>, name: &[u8]) -> PyResult<Look> {
        let name = self.top.join(OsStr::from_bytes(name));
        py.detach(|| self.looked(name.as_os_str())).map_err(raised)
    }

    /// A descriptor from which to read a file; close it afterwards. Raises OSError, or ValueError if it is no file.
    fn open(&self, py: Python<'_>, name: &[u8]) -> PyResult<RawFd> {
        let name = self.top.join(OsStr::from_bytes(name));
        let opened = py.detach(|| self.tree.open(name.as_os_str()));
        opened.map(|(file, _)| file.into_raw_fd()).map_err(raised)
    }
}

impl Tree {
    fn find(&self) -> Result<Found<OsString>> {
        let top = self.top.as_os_str().to_owned();
        let search = Search {
            tops: &[],
            recursive: true,
            follow: false,
            exclude: &[],
            except: &Except::default(),
            sizes: false,
        };
        let mut found = find(std::slice::from_ref(&top), &search)?;
        if let Some((name, error)) = found.errors.pop() {
            return Err(anyhow!(complaint(&name, &error)));
        }
        let passed_over = found.passed_over();
        let mut files = Vec::with_capacity(found.inputs.len());
        for input in found.inputs {
            match self.looked(&input.name) {
                Ok(look) => {
                    let name = input.name.as_os_str();
                    let below = PathBuf::from(name).strip_prefix(&self.top).map(OsString::from);
                    files.push((below?, look));
                }
                // It was removed, or replaced by something else, since it was found.
                Err(error) if is_missing(&error) || error.is::<Unfit>() => {}
                Err(error) => return Err(error),
            }
        }
        Ok((files, passed_over))
    }

    fn looked(&self, name: &OsStr) -> Result<Look> {
        let stat = self.tree.look(name)?;
        match kind_of_stat(&stat) {
            Kind::File => {
                let written = nanoseconds(stat.st_mtime, stat.st_mtime_nsec);
                let changed = nanoseconds(stat.st_ctime, stat.st_ctime_nsec);
                Ok((stat.st_ino, written, stat.st_size as u64, changed))
            }
            kind => Err(Unfit(format!("it is {}, not a file", kind.name())).into()),
        }
    }
}

fn nanoseconds(seconds: impl Into<i128>, more: impl Into<i128>) -> i128 {
    seconds.into() * 1_000_000_000 + more.into()
}

fn raised(error: anyhow::Error) -> PyErr {
    match is_missing(&error) {
        true => PyFileNotFoundError::new_err(format!("{error:#}")),
        false => errors::of_command(&error),
    }
}
