//! PMAC of LibTomCrypt, the other library in C that has it. Its AES is by tables.
#![allow(unsafe_code, reason = "a library in C")]

use super::Found;
use crate::class::Class;
use crate::engine::{Engine, Group, KEY};
use crate::timing::number::number;
use std::ffi::{c_int, c_ulong, c_void};
use std::ptr::NonNull;
use wegman_reference::pmac as oracle_pmac;

#[link(name = "wegman_bench_tomcrypt", kind = "static")]
unsafe extern "C" {
    fn wegman_bench_pmac_new(key: *const u8) -> *mut c_void;
    fn wegman_bench_pmac_tag(
        pmac: *mut c_void,
        message: *const u8,
        length: c_ulong,
        tag: *mut u8,
    ) -> c_int;
}

// The code above needs it.
#[link(name = "tomcrypt")]
unsafe extern "C" {}

/// PMAC; `None` if the library was built without it.
pub fn all() -> Found {
    // SAFETY: it reads the 16 bytes of the key, and the key it makes is never freed.
    let pmac = NonNull::new(unsafe { wegman_bench_pmac_new(KEY.as_ptr()) })?;
    let tag = move |_, message: &[u8]| {
        let mut tag = [0; 16];
        let length = c_ulong::try_from(message.len()).expect("no message is longer than 1 GiB");
        // SAFETY: only this closure, which is not `Sync`, uses the key; it reads the message and
        // writes 16 bytes of tag.
        let done = unsafe {
            wegman_bench_pmac_tag(pmac.as_ptr(), message.as_ptr(), length, tag.as_mut_ptr())
        };
        assert!(done == 1, "LibTomCrypt failed");
        number(&tag)
    };
    let origin = concat!("LibTomCrypt ", env!("TOMCRYPT_VERSION"));
    let pmac = Engine::rival(Group::NoNonce, "PMAC-AES128", origin, tag)
        .within(Class::Sse)
        .checked_by(|_, message| oracle_pmac::pmac_aes(KEY, message, 16));
    Some((vec![pmac], None))
}
