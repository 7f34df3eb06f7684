//! Our own MACs as a program in C calls them: the functions of wegman.h, from the static library.
#![allow(unsafe_code, reason = "as from C")]

use std::ffi::{CString, c_char};
use std::ptr::null_mut;
use wegman::{NonceOf, Tag};
use wegman_c::status::Status;

type New<K> = unsafe extern "C" fn(*const c_char, *const u8, *mut *mut K) -> Status;

/// A key with that kernel. It stays for good.
fn key<K>(new: New<K>, kernel: &str, secret: &[u8; 16]) -> &'static K {
    let kernel = CString::new(kernel).expect("a name");
    let mut key = null_mut();
    // SAFETY: a string, 16 bytes, and a place for the key.
    let status = unsafe { new(kernel.as_ptr(), secret.as_ptr(), &mut key) };
    assert_eq!(status, Status::Ok, "{kernel:?}");
    // SAFETY: it was made just now, and nobody frees it.
    unsafe { &*key }
}

/// A MAC's function under a counter of `$nonce` bytes, or without a nonce.
macro_rules! through_c {
    ($mac:ident, tag $tag:literal $(, nonce $nonce:literal)?) => {
        pub fn $mac(kernel: &str, secret: &[u8; 16]) -> impl Fn(u64, &[u8]) -> Tag<$tag> + use<> {
            let key = key(wegman_c::$mac::new_with, kernel, secret);
            move |_count, message| {
                let mut tag = [0; $tag];
                let (start, length) = (message.as_ptr().cast(), message.len());
                // SAFETY: key, nonce, message and tag have the function's lengths.
                let status = unsafe {
                    wegman_c::$mac::tag(
                        Some(key),
                        $(NonceOf::<$nonce>::counter(_count).to_bytes().as_ptr(),)?
                        start,
                        length,
                        tag.as_mut_ptr(),
                    )
                };
                assert_eq!(status, Status::Ok);
                Tag::from(tag)
            }
        }
    };
}

through_c!(umac64, tag 8, nonce 8);
through_c!(umac128, tag 16, nonce 8);
through_c!(carter128, tag 16, nonce 12);
through_c!(pmac_aes128, tag 16);
