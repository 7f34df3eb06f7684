//! [`Stream`].

use crate::data::Data;
use crate::errors;
use crate::nonce::nonce_of;
use crate::tag::{Tag, received};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::sync::MutexExt;
use pyo3::types::PyBytes;
use std::sync::{Mutex, MutexGuard, PoisonError};
use wegman::AnyTag;
use wegman_catalogue::SharedStream;

/// A message whose bytes arrive in pieces, from mac.stream().
///
/// The tag does not depend on the pieces. Without a nonce, a stream works like an object of hashlib: digest() and
/// hexdigest() give the tag so far, copy() continues in two ways, and hashlib.file_digest(file, mac.stream) reads a
/// file. With a nonce, tag(nonce) ends the stream and it can't be copied, because two messages must not have the same
/// nonce.
#[pyclass(module = "wegman", frozen)]
pub struct Stream {
    stream: Mutex<Option<Box<dyn SharedStream>>>,
    #[pyo3(get)]
    name: String,
    /// Bytes of a tag.
    #[pyo3(get)]
    digest_size: usize,
    #[pyo3(get)]
    nonce_length: usize,
}

impl Stream {
    pub fn new(
        stream: Box<dyn SharedStream>,
        name: String,
        digest_size: usize,
        nonce_length: usize,
    ) -> Stream {
        Stream { stream: Mutex::new(Some(stream)), name, digest_size, nonce_length }
    }

    /// Another thread that has it hashes, perhaps for a while, and may need Python afterwards.
    fn lock(&self, py: Python<'_>) -> MutexGuard<'_, Option<Box<dyn SharedStream>>> {
        self.stream.lock_py_attached(py).unwrap_or_else(PoisonError::into_inner)
    }

    /// The hashlib manners are for messages without a nonce.
    fn without_nonce(&self, what: &str) -> PyResult<()> {
        if self.nonce_length == 0 {
            return Ok(());
        }
        Err(PyTypeError::new_err(format!(
            "{} takes a nonce, and a growing message must not get two tags under one: there is no {what}; tag(nonce) ends \
             the stream",
            self.name
        )))
    }

    fn now(&self, py: Python<'_>) -> PyResult<AnyTag> {
        let guard = self.lock(py);
        let mut copy = guard.as_ref().ok_or_else(ended)?.copy();
        drop(guard);
        self.finish(&mut *copy, None)
    }

    fn finish(
        &self,
        stream: &mut dyn SharedStream,
        nonce: Option<&wegman_catalogue::Nonce>,
    ) -> PyResult<AnyTag> {
        let mut place = [0; AnyTag::MAX];
        let tag = &mut place[..self.digest_size];
        stream.finish_reset(nonce, tag).map_err(errors::nonce)?;
        Ok(AnyTag::new(tag).expect("it is the key's tag length"))
    }
}

#[cold]
fn ended() -> PyErr {
    PyValueError::new_err("the stream has ended with its tag: start another one")
}

#[pymethods]
impl Stream {
    /// Bytes that hashlib's users read at a time.
    #[getter]
    fn block_size(&self) -> usize {
        16
    }

    /// Appends bytes to the message: bytes, or anything else with the buffer protocol whose bytes are contiguous.
    ///
    /// Raises TypeError or ValueError if data is neither, ValueError if the stream has ended.
    #[pyo3(signature = (data, /))]
    fn update(&self, py: Python<'_>, data: Data<'_>) -> PyResult<()> {
        let mut guard = self.lock(py);
        let stream = guard.as_mut().ok_or_else(ended)?;
        data.detached(py, |data| stream.update(data));
        Ok(())
    }

    /// The tag of the message. With a nonce, the stream ends; without one, it can continue.
    ///
    /// Raises TypeError if the nonce is missing or not taken, and ValueError if it has another length; the stream can
    /// continue then. Raises ValueError if the stream has ended.
    #[pyo3(signature = (nonce = None))]
    fn tag(&self, py: Python<'_>, nonce: Option<&Bound<'_, PyAny>>) -> PyResult<Tag> {
        let nonce = nonce_of(nonce, self.nonce_length)?;
        if self.nonce_length == 0 && nonce.is_none() {
            return self.now(py).map(Tag);
        }
        let mut guard = self.lock(py);
        let stream = guard.as_mut().ok_or_else(ended)?;
        let tag = self.finish(&mut **stream, nonce.as_ref())?;
        *guard = None;
        Ok(Tag(tag))
    }

    /// Returns if tag is the tag of the message so far. The stream can continue.
    ///
    /// Raises InvalidTag if it is not; TypeError and ValueError as tag does.
    #[pyo3(signature = (tag, nonce = None))]
    fn verify(
        &self,
        py: Python<'_>,
        tag: &Bound<'_, PyAny>,
        nonce: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        let nonce = nonce_of(nonce, self.nonce_length)?;
        let Some(tag) = received(tag)? else { return Err(errors::mismatch()) };
        let guard = self.lock(py);
        let stream = guard.as_ref().ok_or_else(ended)?;
        stream.verify(nonce.as_ref(), &tag).map_err(errors::verify)
    }

    /// A stream with the same message so far, if the algorithm takes no nonce.
    ///
    /// Raises TypeError if it takes one.
    fn copy(&self, py: Python<'_>) -> PyResult<Stream> {
        self.without_nonce("copy()")?;
        let copy = self.lock(py).as_ref().ok_or_else(ended)?.copy();
        Ok(Stream::new(copy, self.name.clone(), self.digest_size, self.nonce_length))
    }

    /// The tag of the message so far as bytes, if the algorithm takes no nonce.
    ///
    /// Raises TypeError if it takes one.
    fn digest<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        self.without_nonce("digest()")?;
        Ok(PyBytes::new(py, self.now(py)?.to_bytes()))
    }

    /// The tag of the message so far as hexadecimal digits, if the algorithm takes no nonce.
    ///
    /// Raises TypeError if it takes one.
    fn hexdigest(&self, py: Python<'_>) -> PyResult<String> {
        self.without_nonce("hexdigest()")?;
        Ok(self.now(py)?.to_string())
    }

    fn __repr__(&self) -> String {
        format!("<wegman stream: {}>", self.name)
    }
}
