//! Manifests in files: of a plain one, a shard, or the root over shards.

use crate::errors::{self, InvalidTag};
use crate::keyfile::{KeyFile, has_digits};
use crate::tag::{Tag, received};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyIterator};
use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::PathBuf;
use wegman::AnyTag;
use wegman_files::stored::journal::interrupted::left_behind;
use wegman_files::stored::manifest::{load_any, load_at_least, refuse_parted, write_rows};
use wegman_formats::manifest::role::{Refused, Role};
use wegman_formats::manifest::{Entry, Manifest};
use wegman_formats::names::shown;

/// Writes a manifest. It replaces an existing one in one step, and has the next serial number.
///
/// rows: (name, tag) in the order of the names, which are bytes. shard: the id of the shard, if it is one. root:
/// whether it is the root, whose files are shards: (name, tag, upto) in the order of their ranges; upto is the last
/// name of the range, and empty for the last range. Returns the serial number, and the first digits of the seal.
///
/// Raises OSError if it can't be written, ValueError if the rows are not in order, or if the existing file is no
/// manifest of this key.
#[pyfunction]
#[pyo3(signature = (key, path, rows, *, shard = None, root = false))]
pub fn seal_manifest(
    key: &Bound<'_, KeyFile>,
    path: PathBuf,
    rows: &Bound<'_, PyAny>,
    shard: Option<&str>,
    root: bool,
) -> PyResult<(u64, String)> {
    let role = match (shard, root) {
        (None, false) => Role::Plain,
        (None, true) => Role::Root,
        (Some(id), false) => Role::Shard(has_digits(id, 16)?.to_owned()),
        (Some(_), true) => {
            return Err(PyTypeError::new_err("a manifest is a shard or a root, not both"));
        }
    };
    let tag_bytes = key.get().0.tag_bytes;
    // The first thing that Python raises ends it, and is raised again.
    let mut failed = None;
    let rows = PyIterator::from_object(rows)?.map(|row| {
        row.and_then(|row| read_row(&row, tag_bytes, root)).map_err(|error| {
            failed = Some(error);
            anyhow::anyhow!("the rows")
        })
    });
    let written = write_rows(&path, &key.get().0, &role, rows);
    match (written, failed) {
        (_, Some(error)) => Err(error),
        (Ok(about), None) => Ok((about.serial, about.seal_id().to_owned())),
        (Err(error), None) => Err(errors::of_command(&error)),
    }
}

/// Name, tag and, of a root's row, the end of its range.
type Row = (OsString, AnyTag, Option<OsString>);

fn read_row(row: &Bound<'_, PyAny>, tag_bytes: usize, root: bool) -> PyResult<Row> {
    type Parts<'py, More> = (Vec<u8>, Bound<'py, PyAny>, More);
    let (name, tag, upto) = match root && row.len()? == 3 {
        true => {
            row.extract::<Parts<'_, Vec<u8>>>().map(|(name, tag, upto)| (name, tag, Some(upto)))?
        }
        false => row.extract().map(|(name, tag)| (name, tag, None))?,
    };
    let tag = received(&tag)?.filter(|tag| tag.to_bytes().len() == tag_bytes);
    let tag = tag
        .ok_or_else(|| PyValueError::new_err(format!("tags of this key have {tag_bytes} bytes")))?;
    Ok((OsString::from_vec(name), tag, upto.map(OsString::from_vec)))
}

/// A manifest whose seal was checked.
///
/// `kind` is "plain", "shard" or "root"; `shard` the id of a shard; `serial` one more than that of the version before;
/// `seal_id` the first digits of the seal.
#[pyclass(module = "wegman", frozen)]
pub struct SealedManifest(Manifest);

/// Reads a manifest that has no nonces, and checks its seal.
///
/// Raises InvalidTag if it is not what was sealed, OSError if it can't be read, ValueError if another key made it.
#[pyfunction]
pub fn read_manifest(key: &Bound<'_, KeyFile>, path: PathBuf) -> PyResult<SealedManifest> {
    load_any(&path, &key.get().0).map(SealedManifest).map_err(not_read)
}

fn not_read(error: anyhow::Error) -> PyErr {
    match error.is::<Refused>() {
        true => InvalidTag::new_err(format!("{error:#}")),
        false => errors::of_command(&error),
    }
}

/// Reads a manifest from which files are loaded, and checks its seal.
///
/// Raises InvalidTag if it is not what was sealed, or its serial number is below at_least; OSError if it can't be read;
/// ValueError if another key made it, the key's MAC is not PMAC, it is a part of a large manifest, or an edit of one of
/// its files is not finished.
#[pyfunction]
pub fn read_whole_manifest(
    key: &Bound<'_, KeyFile>,
    path: PathBuf,
    at_least: u64,
) -> PyResult<SealedManifest> {
    let key = &key.get().0;
    if !key.algorithm.name.starts_with("PMAC") {
        let name = &key.algorithm.name;
        return Err(PyValueError::new_err(format!(
            "the key is for {name}: files are loaded under a key for PMAC, which wegman.files.keygen makes"
        )));
    }
    let manifest = load_at_least(&path, key, Some(at_least)).map_err(not_read)?;
    refuse_parted(&path, &manifest).map_err(not_read)?;
    match left_behind(&path, key, "`wegman finish`", &manifest.entries) {
        Some(left) => {
            let (name, error) = (shown(&left.name), left.error);
            Err(PyValueError::new_err(format!("{name}: {error:#}")))
        }
        None => Ok(SealedManifest(manifest)),
    }
}

#[pymethods]
impl SealedManifest {
    #[getter]
    fn kind(&self) -> &'static str {
        match self.0.role {
            Role::Plain => "plain",
            Role::Shard(_) => "shard",
            Role::Root => "root",
        }
    }

    #[getter]
    fn shard(&self) -> Option<&str> {
        if let Role::Shard(id) = &self.0.role { Some(id) } else { None }
    }

    #[getter]
    fn serial(&self) -> u64 {
        self.0.about.serial
    }

    #[getter]
    fn seal_id(&self) -> &str {
        self.0.about.seal_id()
    }

    /// A list of (name, tag), in the manifest's order. Names are bytes.
    #[getter]
    fn rows<'py>(&self, py: Python<'py>) -> Vec<(Bound<'py, PyBytes>, Tag)> {
        let row = |entry: &Entry| (PyBytes::new(py, entry.name.as_bytes()), Tag(entry.stamp.tag));
        self.0.entries.iter().map(row).collect()
    }

    /// For a root whose rows have ranges: the last name of each range, in the order of the rows, and empty for the
    /// last. Otherwise None.
    #[getter]
    fn ends<'py>(&self, py: Python<'py>) -> Option<Vec<Bound<'py, PyBytes>>> {
        let end = |entry: &Entry| Some(PyBytes::new(py, entry.upto.as_ref()?.as_bytes()));
        let ends: Option<Vec<_>> = self.0.entries.iter().map(end).collect();
        ends.filter(|ends| !ends.is_empty())
    }
}
