//! [`Owner`]: counters belong to one process.

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::sync::atomic::{AtomicU32, Ordering};

/// How many times this process is a child of the one that imported the package.
static FORKS: AtomicU32 = AtomicU32::new(0);

/// Python calls it in a child. (Asking the system for the process's number would cost more than a tag.)
#[pyfunction]
fn forked() {
    FORKS.fetch_add(1, Ordering::Relaxed);
}

/// Tells Python to call [`forked`].
pub fn watch(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let how = PyDict::new(module.py());
    how.set_item("after_in_child", wrap_pyfunction!(forked, module)?)?;
    module.py().import("os")?.call_method("register_at_fork", (), Some(&how)).map(drop)
}

/// The process that made an object. A child has a copy of its parent's counters: two processes that seal from the same
/// numbers use every nonce twice, and two that open accept every packet twice.
#[derive(Clone, Copy)]
pub struct Owner(u32);

impl Owner {
    pub fn new() -> Owner {
        Owner(FORKS.load(Ordering::Relaxed))
    }

    #[inline]
    pub fn check(self) -> PyResult<()> {
        if self.0 == FORKS.load(Ordering::Relaxed) { Ok(()) } else { Err(Self::refuse()) }
    }

    #[cold]
    fn refuse() -> PyErr {
        PyRuntimeError::new_err(
            "this process was forked, and its parent goes on with these numbers: make a new key or link for each process",
        )
    }
}
