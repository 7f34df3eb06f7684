//! [`KeyFile`]: the key file of the command.

use crate::errors;
use crate::mac::Mac;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use std::path::PathBuf;
use wegman_files::stored::keyfile as stored;
use wegman_formats::hex;
use wegman_formats::keyfile::{self, Purpose};

/// A key file of the command `wegman`, from which the keys for files are derived.
///
/// KeyFile(path, *, insecure_permissions=False) reads it, and refuses one that others may access. `id` names the key
/// and is not secret. A KeyFile can't be pickled: each machine reads its own copy.
///
/// Raises OSError if it can't be read, ValueError if it is no key file, is damaged, or others may access it.
#[pyclass(module = "wegman", frozen)]
pub struct KeyFile(pub keyfile::KeyFile);

#[pymethods]
impl KeyFile {
    #[new]
    #[pyo3(signature = (path, *, insecure_permissions = false))]
    fn new(path: PathBuf, insecure_permissions: bool) -> PyResult<KeyFile> {
        let read = stored::open(&path, insecure_permissions);
        read.map(KeyFile).map_err(|error| errors::of_command(&error))
    }

    #[getter]
    fn id(&self) -> &str {
        &self.0.id
    }

    #[getter]
    fn algorithm(&self) -> &str {
        &self.0.algorithm.name
    }

    #[getter]
    fn tag_bits(&self) -> usize {
        8 * self.0.tag_bytes
    }

    /// The key for the tags of files in a plain manifest, or in the shard with this id.
    ///
    /// Raises ValueError if id is not 16 hexadecimal digits, 0 to 9 and a to f.
    #[pyo3(signature = (shard = None))]
    fn mac(&self, shard: Option<&str>) -> PyResult<Mac> {
        let purpose = match shard {
            None => Purpose::Files,
            Some(id) => Purpose::Shard(has_digits(id, 16)?),
        };
        let (file, algorithm) = (&self.0, &self.0.algorithm);
        let nonce_bytes = file.nonce_bytes().unwrap_or(0);
        Ok(Mac::of(
            algorithm,
            file.derive(purpose),
            algorithm.key_bytes,
            file.tag_bytes,
            nonce_bytes,
        ))
    }

    fn __reduce__(&self) -> PyResult<()> {
        Err(PyTypeError::new_err("a key file can't be pickled: each machine reads its own copy"))
    }

    fn __repr__(&self) -> String {
        format!("<wegman.KeyFile: {}>", self.0.describe())
    }
}

/// Refuses an id that does not have so many hexadecimal digits.
pub fn has_digits(id: &str, digits: usize) -> PyResult<&str> {
    if hex::has_digits(id, digits) {
        return Ok(id);
    }
    Err(PyValueError::new_err(format!("an id here has {digits} hexadecimal digits, not {id:?}")))
}
