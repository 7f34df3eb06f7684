//! What is raised.

use pyo3::exceptions::{PyException, PyRuntimeError, PyTypeError, PyUserWarning, PyValueError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::{PyTypeInfo, create_exception};
use std::io;
use wegman::session;
use wegman_catalogue::{Algorithm, NonceError, Status, VerifyError};

create_exception!(
    wegman,
    InvalidTag,
    PyException,
    "A message is not authentic: message, nonce, key and tag do not belong together.\n\n\
     From verify_many, `valid` is a list with True for each message that is authentic."
);
create_exception!(
    wegman,
    Rejected,
    PyException,
    "A packet was not accepted. `reason` says why: \"replayed\", \"too old\", \"outside\", \"forged\", \"closed\", \
     \"not reserved\", \"too long\" or \"too short\"."
);
create_exception!(
    wegman,
    SealError,
    PyException,
    "Nothing was sealed, and no number is used up. `reason` says why: \"exhausted\", \"limit\", \"not reserved\" or \
     \"too long\"."
);
create_exception!(
    wegman,
    ExperimentalWarning,
    PyUserWarning,
    "The algorithm is the project's own, and nobody outside has reviewed it: examine it, do not rely on it."
);

/// What the command's code could not do: an OSError of the right kind if the system said so, otherwise a ValueError.
pub fn of_command(error: &anyhow::Error) -> PyErr {
    let text = format!("{error:#}");
    match error.downcast_ref::<io::Error>() {
        Some(system) => io::Error::new(system.kind(), text).into(),
        None => PyValueError::new_err(text),
    }
}

/// The tag is not right.
#[cold]
pub fn mismatch() -> PyErr {
    InvalidTag::new_err("the tag does not match the message")
}

/// A nonce is not accepted.
#[cold]
pub fn nonce(error: NonceError) -> PyErr {
    match error {
        NonceError::Missing => PyTypeError::new_err(
            "this algorithm needs a nonce: pass nonce=, a number or bytes that this key never uses again",
        ),
        NonceError::NotTaken => PyTypeError::new_err("this algorithm takes no nonce: leave it out"),
        NonceError::Length => PyValueError::new_err(
            "the nonce has another length than the key's nonce_length: pass a number, or so many bytes",
        ),
        NonceError::Exhausted => PyValueError::new_err(
            "there are fewer nonces from the first one on than messages: make a new key",
        ),
        other => PyValueError::new_err(other.to_string()),
    }
}

/// A message was not accepted.
#[cold]
pub fn verify(error: VerifyError) -> PyErr {
    match error {
        VerifyError::Nonce(error) => nonce(error),
        _ => mismatch(),
    }
}

/// With the attribute `reason`.
fn because(py: Python<'_>, error: PyErr, reason: &str) -> PyErr {
    match error.value(py).setattr("reason", reason) {
        Ok(()) => error,
        Err(other) => other,
    }
}

/// The process was forked: the numbers are its parent's.
#[cold]
pub fn other_process() -> PyErr {
    PyRuntimeError::new_err(session::OtherProcess.to_string())
}

/// Nothing was reserved.
#[cold]
pub fn reserve(error: session::ReserveError<PyErr>) -> PyErr {
    match error {
        session::ReserveError::Store(raised) => raised,
        session::ReserveError::OtherProcess => other_process(),
    }
}

/// Nothing was sealed.
#[cold]
pub fn seal(py: Python<'_>, error: session::SealError) -> PyErr {
    let reason = match error {
        session::SealError::Exhausted => "exhausted",
        session::SealError::Limit => "limit",
        session::SealError::NotReserved => "not reserved",
        session::SealError::TooLong => "too long",
        session::SealError::OtherProcess => return other_process(),
        _ => "other",
    };
    because(py, SealError::new_err(error.to_string()), reason)
}

/// A packet was not accepted.
#[cold]
pub fn rejected(py: Python<'_>, error: session::Rejected) -> PyErr {
    let reason = match error {
        session::Rejected::Replayed => "replayed",
        session::Rejected::TooOld => "too old",
        session::Rejected::Outside => "outside",
        session::Rejected::Forged => "forged",
        session::Rejected::Closed => "closed",
        session::Rejected::NotReserved => "not reserved",
        session::Rejected::TooLong => "too long",
        session::Rejected::TooShort => "too short",
        session::Rejected::OtherProcess => return other_process(),
        _ => "other",
    };
    because(py, Rejected::new_err(error.to_string()), reason)
}

/// A value is not accepted, for the reason that the error gives.
pub fn value(error: impl std::error::Error) -> PyErr {
    PyValueError::new_err(error.to_string())
}

/// ValueError with this text unless the condition holds.
pub fn require(holds: bool, text: &'static str) -> PyResult<()> {
    if holds { Ok(()) } else { Err(PyValueError::new_err(text)) }
}

/// Warns of an experimental algorithm, once in a process. The program may make an error of it; then it was not warned.
pub fn warn_of_experiment(py: Python<'_>, algorithm: &Algorithm) -> PyResult<()> {
    static WARNED: PyOnceLock<()> = PyOnceLock::new();
    let Algorithm { name, status: Status::Experimental, .. } = algorithm else { return Ok(()) };
    WARNED
        .get_or_try_init(py, || {
            let text =
                format!("{name} is experimental: nobody outside the project has reviewed it");
            let text = std::ffi::CString::new(text).expect("names have no zero byte");
            PyErr::warn(py, &ExperimentalWarning::type_object(py), &text, 1)
        })
        .copied()
}
