//! The nonce that Python passes.

use crate::data::Data;
use crate::errors;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyInt;
use wegman_catalogue::{Nonce, NonceError};

/// The nonce that Python passes for a key whose nonces have `length` bytes: a number, or bytes.
#[inline]
pub fn nonce_of(nonce: Option<&Bound<'_, PyAny>>, length: usize) -> PyResult<Option<Nonce>> {
    let Some(nonce) = nonce else { return Ok(None) };
    if nonce.is_instance_of::<PyInt>() {
        return counter(nonce, length).map(Some);
    }
    let bytes = match Data::of(nonce) {
        // Also for numpy's numbers: they lend bytes, but not a row of them, which a buffer has to be here.
        Err(error) if error.is_instance_of::<PyTypeError>(nonce.py()) => {
            return counter(nonce, length).map(Some);
        }
        bytes => bytes?,
    };
    let wrong = |_| errors::nonce(NonceError::Length);
    Nonce::new(bytes.as_slice()).map_err(wrong).map(Some)
}

/// The nonce of a number: an int, or what Python takes for one.
fn counter(number: &Bound<'_, PyAny>, length: usize) -> PyResult<Nonce> {
    if length == 0 {
        return Err(errors::nonce(NonceError::NotTaken));
    }
    let count = number.extract().map_err(|error: PyErr| {
        const WANTED: &str = "a nonce is a number from 0 to 2**64 - 1, or bytes";
        if !error.is_instance_of::<PyTypeError>(number.py()) {
            return PyValueError::new_err(WANTED);
        }
        match number.get_type().name() {
            Ok(kind) => PyTypeError::new_err(format!("{WANTED}, not {kind}")),
            Err(error) => error,
        }
    })?;
    if length < 8 {
        return Err(PyTypeError::new_err(format!("pass a nonce of {length} bytes, not a number")));
    }
    Ok(Nonce::counter_of(length, count))
}
