//! Files, as the command and the Python package find, open, lock and replace them. Their formats are `wegman-formats`'.
//!
//! It is for the packages of this project and promises nothing to others.
#![deny(unsafe_code)]
#![allow(missing_docs, reason = "for the packages of this project")]

#[cfg(not(unix))]
compile_error!("the command needs Unix file modes and names; the library builds anywhere");

// From the bottom up: each uses only those above it.
pub mod regular;
pub mod standard;

pub mod durable;
pub mod files;
pub mod stored;

use wegman_formats::{hex, names};
