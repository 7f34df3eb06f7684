//! [`Data`]: the bytes of a Python object.

use crate::errors;
use pyo3::buffer::PyUntypedBuffer;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyList, PyMemoryView};
use std::slice;

/// From this many bytes on, other Python threads run meanwhile. Letting them run costs about as much as hashing this much
/// (docs/python.md has the measurement).
pub const DETACH_FROM: usize = 128 << 10;

/// The bytes of a Python object, which they keep alive and in place.
pub enum Data<'a> {
    Bytes(&'a [u8]),
    Buffer(PyUntypedBuffer),
}

/// The bytes of anything with the buffer protocol.
impl<'a> FromPyObject<'a, '_> for Data<'a> {
    type Error = PyErr;

    #[inline]
    fn extract(object: Borrowed<'a, '_, PyAny>) -> PyResult<Data<'a>> {
        match object.extract() {
            Ok(bytes) => Ok(Data::Bytes(bytes)),
            Err(_) => Self::of_buffer(&object),
        }
    }
}

impl<'a> Data<'a> {
    /// The same of what lies in a list.
    #[inline]
    pub fn of(object: &'a Bound<'_, PyAny>) -> PyResult<Data<'a>> {
        object.extract()
    }

    #[inline(never)]
    fn of_buffer(object: &Bound<'_, PyAny>) -> PyResult<Data<'a>> {
        // A memoryview fills in what some leave out, such as ZMQ's frames.
        let buffer = PyUntypedBuffer::get(object).or_else(|error| {
            PyMemoryView::from(object).and_then(|view| PyUntypedBuffer::get(&view)).or(Err(error))
        });
        let buffer = match buffer {
            Ok(buffer) => buffer,
            // It has one, but can't lend it: a map that is closed.
            Err(error) if error.is_instance_of::<PyValueError>(object.py()) => return Err(error),
            Err(_) => {
                let name = object.get_type().name()?;
                return Err(PyTypeError::new_err(format!(
                    "bytes, or another object with the buffer protocol, is needed, not {name}"
                )));
            }
        };
        errors::require(
            buffer.is_c_contiguous(),
            "the bytes do not lie one after the other: make a contiguous copy, such as bytes(data) \
             or numpy.ascontiguousarray(data)",
        )?;
        // Between colons are names of fields. A tag of addresses would stay right whatever becomes of the objects: numpy's
        // of Python, those that pointers of ctypes point to.
        let mut codes = buffer.format().to_bytes().split(|byte| *byte == b':').step_by(2);
        if codes.any(|codes| codes.iter().any(|code| b"OP&z".contains(code))) {
            return Err(PyTypeError::new_err(
                "an array of objects or pointers has addresses, not bytes: convert it to numbers or bytes first",
            ));
        }
        Ok(Data::Buffer(buffer))
    }

    /// The bytes.
    #[inline]
    pub fn as_slice(&self) -> &[u8] {
        match self {
            Data::Bytes(bytes) => bytes,
            Data::Buffer(buffer) if buffer.len_bytes() == 0 => &[],
            // SAFETY: while the buffer is held, its owner keeps these bytes where they are; they are contiguous, which
            // `of_buffer` has checked, and every byte is initialised. Rust asks for more than Python gives: nobody may write
            // to them meanwhile. A program that writes to an object which it is hashing in another thread has a race, as
            // with hashlib; docs/python.md forbids it. Nothing here reads a byte twice and relies on both being the same.
            Data::Buffer(buffer) => unsafe {
                slice::from_raw_parts(buffer.buf_ptr().cast(), buffer.len_bytes())
            },
        }
    }

    /// [`detached`] work on the bytes.
    #[inline]
    pub fn detached<T: Send>(&self, py: Python<'_>, work: impl FnOnce(&[u8]) -> T + Send) -> T {
        let bytes = self.as_slice();
        detached(py, bytes.len(), || work(bytes))
    }
}

/// The bytes of each object of a list, or whatever else can be gone through.
pub fn objects<'py>(list: &Bound<'py, PyAny>) -> PyResult<Vec<Bound<'py, PyAny>>> {
    // A list of bytes is meant, not the bytes of one. A list is no buffer, and asking it for one takes as long as a tag.
    if let Ok(list) = list.cast::<PyList>() {
        return Ok(list.iter().collect());
    }
    if Data::of(list).is_ok() {
        return Err(PyTypeError::new_err("a list of messages is needed, not one message"));
    }
    list.try_iter()?.collect()
}

/// Runs what takes as long as so many bytes, with other Python threads beside it if that is worth it.
#[inline]
pub fn detached<T: Send>(py: Python<'_>, bytes: usize, work: impl FnOnce() -> T + Send) -> T {
    if bytes < DETACH_FROM { work() } else { py.detach(work) }
}
