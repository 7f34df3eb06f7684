//! The catalogue: [`Algorithm`].

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use wegman_catalogue::{ALGORITHMS, Found};

/// What the catalogue knows about an algorithm.
///
/// `name`, `summary`, `status` ("recommended", "interop", "experimental", "historical" or "comparator"), `key_length`,
/// `nonce_length` (0 if it takes no nonce), `tag_length` and `shortest_tag_length` in bytes; `bound` limits the
/// probability of a forgery if `assumption` holds; `source` is where it is defined.
#[pyclass(module = "wegman", frozen, get_all)]
pub struct Algorithm {
    name: String,
    summary: &'static str,
    status: &'static str,
    key_length: usize,
    nonce_length: usize,
    tag_length: usize,
    shortest_tag_length: usize,
    bound: &'static str,
    assumption: &'static str,
    source: String,
}

#[pymethods]
impl Algorithm {
    fn __repr__(&self) -> String {
        format!("<wegman.Algorithm {}: {}>", self.name, self.status)
    }
}

impl Algorithm {
    fn of(algorithm: &wegman_catalogue::Algorithm) -> Algorithm {
        Algorithm {
            name: algorithm.name.to_string(),
            summary: algorithm.summary,
            status: algorithm.status.name(),
            key_length: algorithm.key_bytes,
            nonce_length: nonce_length(algorithm),
            tag_length: *algorithm.tag_bytes.end(),
            shortest_tag_length: *algorithm.tag_bytes.start(),
            bound: algorithm.bound.statement,
            assumption: algorithm.bound.assumption,
            source: format!("{}, {}", algorithm.source.paper, algorithm.source.section),
        }
    }
}

/// Refuses a secret of a length that is no key's.
pub fn wrong_key(algorithm: &wegman_catalogue::Algorithm, bytes: usize) -> PyErr {
    let (name, right) = (&*algorithm.name, algorithm.key_bytes);
    PyValueError::new_err(format!(
        "a key of {name} has {right} bytes, not {bytes}: wegman.generate_key({name:?}) makes one"
    ))
}

/// Bytes of a usual nonce; 0 if the algorithm takes none.
pub fn nonce_length(algorithm: &wegman_catalogue::Algorithm) -> usize {
    algorithm.counter(0).map_or(0, |nonce| nonce.len())
}

/// All algorithms, the recommended ones first.
#[pyfunction]
pub fn algorithms() -> Vec<Algorithm> {
    ALGORITHMS.iter().map(Algorithm::of).collect()
}

/// The catalogue's entry for an algorithm by name, such as "UMAC-64". Upper and lower case are the same.
///
/// Raises ValueError if there is none, TypeError if name is no string.
#[pyfunction]
#[pyo3(signature = (name, /))]
pub fn find(#[pyo3(from_py_with = name_of)] name: String) -> PyResult<Algorithm> {
    Ok(Algorithm::of(&*found(&name)?))
}

/// The name that Python passes.
pub fn name_of(name: &Bound<'_, PyAny>) -> PyResult<String> {
    name.extract().map_err(|_| match name.get_type().name() {
        Ok(kind) => PyTypeError::new_err(format!(
            "the name of an algorithm is needed, such as \"UMAC-64\", not {kind}: wegman.algorithms() lists them"
        )),
        Err(error) => error,
    })
}

/// Finds an algorithm by name.
pub fn found(name: &str) -> PyResult<Found> {
    wegman_catalogue::find(name).ok_or_else(|| {
        PyValueError::new_err(format!(
            "no algorithm is called {name:?}: wegman.algorithms() lists them"
        ))
    })
}
