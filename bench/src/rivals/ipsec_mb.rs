//! GMAC of Intel's ipsec-mb, by its direct interface: no jobs, no queue.
#![allow(unsafe_code, reason = "a library in C")]

use crate::definitions;
use crate::engines::{Engine, Group, KEY};
use std::ffi::{CStr, c_char, c_void};
use std::ptr::NonNull;
use wegman_bench::ours::number;

#[link(name = "wegman_bench_gmac", kind = "static")]
unsafe extern "C" {
    fn wegman_bench_gmac_new(key: *const u8) -> *mut c_void;
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

/// GMAC; `None` if the library does not run on this machine.
pub fn all() -> Option<Vec<Engine>> {
    // SAFETY: it reads the 16 bytes of the key, and the key it makes is never freed.
    let gmac = NonNull::new(unsafe { wegman_bench_gmac_new(KEY.as_ptr()) })?;
    // SAFETY: the library returns a string of its own that ends in a zero byte.
    let version = unsafe { CStr::from_ptr(imb_get_version_str()) }.to_string_lossy();
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
    let origin = format!("ipsec-mb {version}");
    Some(vec![
        Engine::rival(Group::LongNonce, "GMAC", origin, tag)
            .checked_by(|count, message| definitions::aes_gmac(KEY, &nonce(count), message)),
    ])
}

/// A counter as a nonce of 12 bytes.
fn nonce(count: u64) -> [u8; 12] {
    let mut nonce = [0; 12];
    nonce[4..].copy_from_slice(&count.to_be_bytes());
    nonce
}
