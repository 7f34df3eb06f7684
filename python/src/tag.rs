//! [`Tag`].

use crate::data::Data;
use pyo3::exceptions::PyValueError;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyIterator, PyType};
use std::ffi::c_int;
use wegman::AnyTag;

/// What authenticates a message: 1 to 32 bytes, as many as the key says.
///
/// Tag(data) takes the bytes of a received tag. Functions that take bytes-like objects take a tag. Indices, slices and
/// + work as for bytes, and give bytes. bytes(tag) is a copy; str(tag) and tag.hex() give hexadecimal digits.
///
/// tag == other compares with another tag or with bytes, in a time that does not depend on their contents. A bytearray
/// or a memoryview on the left uses its own comparison: use verify, or put the tag first. A tag has no hash.
///
/// Raises TypeError if data has no bytes, ValueError if it has none or more than 32.
#[pyclass(module = "wegman", frozen)]
pub struct Tag(pub AnyTag);

/// The bytes of a tag, whatever gives them; `None` if no tag has so many.
pub fn received(object: &Bound<'_, PyAny>) -> PyResult<Option<AnyTag>> {
    if let Ok(tag) = object.cast::<Tag>() {
        return Ok(Some(tag.get().0));
    }
    Ok(AnyTag::new(Data::of(object)?.as_slice()).ok())
}

#[pymethods]
impl Tag {
    #[new]
    #[pyo3(signature = (data, /))]
    fn new(data: &Bound<'_, PyAny>) -> PyResult<Tag> {
        received(data)?
            .filter(|tag| !tag.to_bytes().is_empty())
            .map(Tag)
            .ok_or_else(|| PyValueError::new_err(format!("a tag has 1 to {} bytes", AnyTag::MAX)))
    }

    /// The tag with these hexadecimal digits.
    ///
    /// Raises ValueError if they are not such digits.
    #[classmethod]
    #[pyo3(signature = (digits, /))]
    fn fromhex(class: &Bound<'_, PyType>, digits: &str) -> PyResult<Tag> {
        let bytes = class.py().get_type::<PyBytes>().call_method1("fromhex", (digits,))?;
        Tag::new(&bytes)
    }

    /// The tag as hexadecimal digits.
    fn hex(&self) -> String {
        self.0.to_string()
    }

    fn __bytes__<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, self.0.to_bytes())
    }

    /// Lends the bytes, to be read.
    ///
    /// # Safety
    /// Python passes a view to be filled in.
    unsafe fn __getbuffer__(
        slf: Bound<'_, Self>,
        view: *mut ffi::Py_buffer,
        flags: c_int,
    ) -> PyResult<()> {
        let bytes = slf.get().0.to_bytes();
        // SAFETY: the view keeps the tag alive, which is frozen: its bytes stay where and as they are, and the view is one to read.
        let done = unsafe {
            let start = bytes.as_ptr().cast_mut().cast();
            ffi::PyBuffer_FillInfo(view, slf.as_ptr(), start, bytes.len() as isize, 1, flags)
        };
        if done == 0 { Ok(()) } else { Err(PyErr::fetch(slf.py())) }
    }

    fn __len__(&self) -> usize {
        self.0.to_bytes().len()
    }

    fn __getitem__<'py>(&self, index: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        self.__bytes__(index.py()).as_any().get_item(index)
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyIterator>> {
        self.__bytes__(py).try_iter()
    }

    /// `bytes + tag` needs nothing of a tag but its buffer.
    fn __concat__<'py>(&self, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        self.__bytes__(other.py()).as_any().add(other)
    }

    fn __str__(&self) -> String {
        self.0.to_string()
    }

    fn __repr__(&self) -> String {
        format!("<wegman.Tag {}>", self.0)
    }

    // An object without bytes is not compared: Python then asks that one.
    fn __eq__(&self, #[pyo3(from_py_with = received)] other: Option<AnyTag>) -> bool {
        other == Some(self.0)
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> (Bound<'py, PyType>, (Bound<'py, PyBytes>,)) {
        (py.get_type::<Tag>(), (self.__bytes__(py),))
    }
}
