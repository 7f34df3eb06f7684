//! The bodies of the fuzz targets: each takes bytes, and panics if something does not hold. docs/testing.md lists what is
//! fuzzed and what is checked.

pub mod arguments;
pub mod c_calls;
pub mod edits;
pub mod formats;
mod input;
pub mod journals;
mod keys;
pub mod macs;
pub mod pypi;
#[cfg(feature = "rivals")]
pub mod rivals;
pub mod states;
pub mod vectors;
