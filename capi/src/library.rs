//! What belongs to no MAC: the version, random keys.

use crate::door::door;
use crate::raw::{ensure, not_null};
use crate::status::Status;
use core::ffi::c_char;

/// The library's version, such as "0.1.0". Functions and constants are stable within a major version (0.x: within a
/// minor version).
///
/// Thread safety: any thread at any time.
#[unsafe(no_mangle)]
pub extern "C" fn wegman_version() -> *const c_char {
    concat!(env!("CARGO_PKG_VERSION"), "\0").as_ptr().cast()
}

door! {
    /// Writes `length` random bytes from the system to `secret`: a new key.
    ///
    /// Errors: WEGMAN_NULL; WEGMAN_LENGTH if `length` is 0; WEGMAN_RANDOM if the system gives none. After an error,
    /// the bytes at `secret` may have changed.
    /// Thread safety: any thread at any time.
    fn wegman_generate_key(secret: *mut u8, length: usize) {
        not_null(secret)?;
        ensure((1..=isize::MAX as usize).contains(&length), Status::Length)?;
        let secret = core::slice::from_raw_parts_mut(secret.cast(), length);
        getrandom::fill_uninit(secret).map(drop).map_err(|_| Status::Random)?;
    }
}
