//! GMAC of Intel's ipsec-mb, by its direct interface: no jobs, no queue.
#![allow(unsafe_code, reason = "a library in C")]

use super::{Found, definitions, nonce};
use crate::class::Class;
use crate::engine::{Engine, Group, KEY};
use crate::timing::number::number;
use std::ffi::{CStr, c_char, c_void};
use std::ptr::NonNull;

#[link(name = "wegman_bench_ipsec_mb", kind = "static")]
unsafe extern "C" {
    fn wegman_bench_ipsec_mb_uses(class: u32) -> *const c_char;
    fn wegman_bench_gmac_new(class: u32, key: *const u8) -> *mut c_void;
    fn wegman_bench_gmac_tag(
        gmac: *const c_void,
        nonce: *const u8,
        message: *const u8,
        length: u64,
        tag: *mut u8,
    );
}

#[link(name = "IPSec_MB")]
unsafe extern "C" {
    fn imb_get_version_str() -> *const c_char;
}

/// GMAC on the library's code for a class; `None` if the library does not run on this machine.
pub fn all(class: Class) -> Found {
    let number = Class::ALL.iter().position(|other| *other == class)? as u32;
    // SAFETY: it makes a manager, never freed, and returns null or a string constant.
    let uses = NonNull::new(unsafe { wegman_bench_ipsec_mb_uses(number) }.cast_mut());
    let (number, reach) = if uses.is_some() { (number, class) } else { (3, Class::Avx512) };
    // SAFETY: the library returns a string of its own that ends in a zero byte.
    let version = unsafe { CStr::from_ptr(imb_get_version_str()) }.to_string_lossy();
    let origin = format!("ipsec-mb {version}");
    let report = uses.filter(|_| class < Class::Avx512).map(|uses| {
        // SAFETY: as above.
        let uses = unsafe { CStr::from_ptr(uses.as_ptr()) }.to_string_lossy();
        format!("{origin}: its code for {uses}")
    });
    Some((vec![gmac(number, &origin)?.within(reach)], report))
}

fn gmac(class: u32, origin: &str) -> Option<Engine> {
    // SAFETY: it reads the 16 bytes of the key, and the key it makes is never freed.
    let gmac = NonNull::new(unsafe { wegman_bench_gmac_new(class, KEY.as_ptr()) })?;
    let tag = move |count, message: &[u8]| {
        let (nonce, mut tag) = (nonce(count), [0; 16]);
        // SAFETY: it reads the key, 12 bytes of nonce and the message, and writes 16 bytes of tag.
        unsafe {
            wegman_bench_gmac_tag(
                gmac.as_ptr(),
                nonce.as_ptr(),
                message.as_ptr(),
                message.len() as u64,
                tag.as_mut_ptr(),
            );
        }
        number(&tag)
    };
    Some(
        Engine::rival(Group::LongNonce, "GMAC", origin, tag)
            .checked_by(|count, message| definitions::aes_gmac(KEY, &nonce(count), message)),
    )
}
