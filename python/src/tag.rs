//! [`Tag`].

use crate::data::Data;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyType};
use std::fmt::Write;
use wegman::AnyTag;

/// What authenticates a message: 2 to 32 bytes, as many as the key has.
///
/// Tag(data) takes the bytes of a received tag. bytes(tag) gives them, str(tag) and tag.hex() give hexadecimal digits. ==
/// compares with another tag or with bytes, in a time that does not depend on their contents.
///
/// Raises TypeError if data has no bytes, ValueError if it has more than 32.
#[pyclass(module = "wegman", frozen)]
pub struct Tag(pub AnyTag);

/// The bytes of a tag, whatever gives them; `None` if no tag has so many.
pub fn received(object: &Bound<'_, PyAny>) -> PyResult<Option<AnyTag>> {
    if let Ok(tag) = object.cast::<Tag>() {
        return Ok(Some(tag.get().0));
    }
    Ok(AnyTag::new(Data::of(object)?.as_slice()).ok())
}

fn hex(tag: &AnyTag) -> String {
    tag.to_bytes().iter().fold(String::new(), |mut text, byte| {
        write!(text, "{byte:02x}").expect("there is room");
        text
    })
}

impl Tag {
    pub fn hex_digits(&self) -> String {
        hex(&self.0)
    }
}

#[pymethods]
impl Tag {
    #[new]
    #[pyo3(signature = (data, /))]
    fn new(data: &Bound<'_, PyAny>) -> PyResult<Tag> {
        received(data)?
            .map(Tag)
            .ok_or_else(|| PyValueError::new_err(format!("a tag has 1 to {} bytes", AnyTag::MAX)))
    }

    /// The tag that is written as these hexadecimal digits.
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
        hex(&self.0)
    }

    fn __bytes__<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, self.0.to_bytes())
    }

    fn __len__(&self) -> usize {
        self.0.to_bytes().len()
    }

    fn __str__(&self) -> String {
        hex(&self.0)
    }

    fn __repr__(&self) -> String {
        format!("<wegman.Tag {}>", hex(&self.0))
    }

    fn __eq__(&self, py: Python<'_>, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        match received(other) {
            Ok(other) => {
                Ok((other == Some(self.0)).into_pyobject(py)?.to_owned().into_any().unbind())
            }
            Err(_) => Ok(py.NotImplemented()),
        }
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> (Bound<'py, PyType>, (Bound<'py, PyBytes>,)) {
        (py.get_type::<Tag>(), (self.__bytes__(py),))
    }
}
