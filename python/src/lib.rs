//! `wegman._native`: what the Python package `wegman` is made of. The package's files are in `python/wegman`.
//!
//! Only `data` and `tag` have `unsafe` code: what Python's buffer protocol lends, and what a tag lends by it.
#![deny(unsafe_code)]
#![allow(
    missing_docs,
    clippy::needless_pass_by_value,
    reason = "what Python sees is documented for Python, and takes what Python gives"
)]

#[allow(unsafe_code, reason = "the buffer protocol")]
mod data;
mod errors;
mod keyfile;
mod link;
mod mac;
mod manifest;
mod names;
mod nonce;
mod pmac;
mod session;
mod states;
mod stream;
#[allow(unsafe_code, reason = "the buffer protocol")]
mod tag;
mod tree;

use pyo3::exceptions::PyImportError;
use pyo3::prelude::*;
use std::sync::OnceLock;

/// UMAC, PMAC, sessions and every other MAC of the project, compiled. Use them from `wegman`.
#[pymodule]
mod _native {
    #[pymodule_export]
    #[allow(non_upper_case_globals, reason = "Python's name")]
    const __version__: &str = env!("CARGO_PKG_VERSION");
    #[pymodule_export]
    use crate::{
        errors::{ExperimentalWarning, InvalidTag, Rejected, SealError},
        keyfile::KeyFile,
        link::Link,
        mac::{Carter128, Mac, Pmac, Umac64, Umac128, new},
        manifest::{SealedManifest, read_manifest, read_whole_manifest, seal_manifest},
        names::{Algorithm, algorithms, find},
        pmac::{Segment, SegmentStream, Sum, combine},
        session::{Receiver, Sender, SharedSender},
        states::States,
        stream::Stream,
        tag::Tag,
        tree::Tree,
    };

    #[pymodule_init]
    fn init(module: &pyo3::Bound<'_, pyo3::types::PyModule>) -> pyo3::PyResult<()> {
        super::only_one_interpreter(module)
    }
}

/// Refuses a second interpreter in the process: the classes are those of the first. Each has its own module `sys`.
fn only_one_interpreter(module: &Bound<'_, PyModule>) -> PyResult<()> {
    static FIRST: OnceLock<usize> = OnceLock::new();
    let here = module.py().import("sys")?.as_ptr() as usize;
    if *FIRST.get_or_init(|| here) == here {
        return Ok(());
    }
    Err(PyImportError::new_err(
        "wegman does not support subinterpreters: use threads, for which it lets other code run, or processes",
    ))
}
