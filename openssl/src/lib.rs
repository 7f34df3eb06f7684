//! A provider for OpenSSL 3: UMAC, PMAC and, experimental, Carter as EVP_MAC. docs/openssl.md shows its use.
//!
//! It needs no symbol of libcrypto: OpenSSL passes and receives tables of functions.

mod algorithms;
mod context;
mod ffi;
mod mac;

use context::REASONS;
use core::ffi::{CStr, c_int, c_void};
use ffi::{Algorithm, Core, Dispatch, END, Item, OPERATION_MAC, Param, answer_params};
use mac::ENTRIES;

const VERSION: &CStr =
    match CStr::from_bytes_with_nul(concat!(env!("CARGO_PKG_VERSION"), "\0").as_bytes()) {
        Ok(version) => version,
        Err(_) => panic!("a version has no zero byte"),
    };

/// Where OpenSSL begins.
///
/// # Safety
/// OpenSSL calls it, with its own handle and table, and places for ours.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn OSSL_provider_init(
    handle: *const c_void,
    theirs: *const c_void,
    ours: *mut *const c_void,
    provider: *mut *mut c_void,
) -> c_int {
    // SAFETY: the caller's promise.
    unsafe {
        let core = Core::new(handle, theirs.cast());
        ours.write(FUNCTIONS.as_ptr().cast());
        provider.write(Box::into_raw(Box::new(core)).cast());
    }
    1
}

unsafe extern "C" fn teardown(provider: *mut c_void) {
    if !provider.is_null() {
        // SAFETY: OpenSSL passes what `OSSL_provider_init` gave it, for the last time.
        drop(unsafe { Box::from_raw(provider.cast::<Core>()) });
    }
}

extern "C" fn query(_: *mut c_void, operation: c_int, no_cache: *mut c_int) -> *const Algorithm {
    // SAFETY: OpenSSL passes a place for a number.
    if let Some(no_cache) = unsafe { no_cache.as_mut() } {
        *no_cache = 0;
    }
    if operation == OPERATION_MAC { ENTRIES.as_ptr() } else { core::ptr::null() }
}

static GETTABLE: [Param; 4] =
    [Param::text(c"name"), Param::text(c"version"), Param::number(c"status"), Param::END];

extern "C" fn gettable(_: *mut c_void) -> *const Param {
    GETTABLE.as_ptr()
}

unsafe extern "C" fn get_params(_: *mut c_void, list: *mut Param) -> c_int {
    // SAFETY: OpenSSL passes a list of parameters.
    let answered = unsafe {
        answer_params(list, |param| {
            if param.is(c"name") {
                param.answer_text(c"Wegman: UMAC and PMAC")
            } else if param.is(c"version") || param.is(c"buildinfo") {
                param.answer_text(VERSION)
            } else if param.is(c"status") {
                param.answer_number(1)
            } else {
                true
            }
        })
    };
    answered.into()
}

extern "C" fn reasons(_: *mut c_void) -> *const Item {
    REASONS.as_ptr()
}

static FUNCTIONS: [Dispatch; 6] = [
    Dispatch::new(1024, teardown as *const c_void), // OSSL_FUNC_PROVIDER_TEARDOWN
    Dispatch::new(1025, gettable as *const c_void), // OSSL_FUNC_PROVIDER_GETTABLE_PARAMS
    Dispatch::new(1026, get_params as *const c_void), // OSSL_FUNC_PROVIDER_GET_PARAMS
    Dispatch::new(1027, query as *const c_void),    // OSSL_FUNC_PROVIDER_QUERY_OPERATION
    Dispatch::new(1029, reasons as *const c_void),  // OSSL_FUNC_PROVIDER_GET_REASON_STRINGS
    END,
];
