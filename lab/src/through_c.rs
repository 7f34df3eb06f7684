//! Our own MACs as a program in C calls them: the functions of wegman.h, from the static library.
#![allow(unsafe_code, reason = "as from C")]

use std::ffi::{CString, c_char, c_void};
use std::ptr::null_mut;
use wegman::{NonceOf, Tag};
use wegman_c::carter128::{self, Carter128};
use wegman_c::pmac_aes128::{self, PmacAes128};
use wegman_c::status::Status;
use wegman_c::umac64::{self, Umac64};
use wegman_c::umac128::{self, Umac128};

type New<K> = unsafe extern "C" fn(*const c_char, *const u8, *mut *mut K) -> Status;
type TagUnderNonce<K> =
    unsafe extern "C" fn(Option<&K>, *const u8, *const c_void, usize, *mut u8) -> Status;

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

/// One call of the function of a MAC whose nonce has `L` bytes.
#[inline(always)]
fn tag<K, const N: usize, const L: usize>(
    function: TagUnderNonce<K>,
    key: &K,
    count: u64,
    message: &[u8],
) -> Tag<N> {
    let (nonce, mut tag) = (NonceOf::<L>::counter(count).to_bytes(), [0; N]);
    // SAFETY: key, nonce, message and tag have the function's lengths.
    let status = unsafe {
        let message = (message.as_ptr().cast(), message.len());
        function(Some(key), nonce.as_ptr(), message.0, message.1, tag.as_mut_ptr())
    };
    assert_eq!(status, Status::Ok);
    Tag::from(tag)
}

/// UMAC-64 under a counter.
pub fn umac64(kernel: &str, secret: &[u8; 16]) -> impl Fn(u64, &[u8]) -> Tag<8> + use<> {
    let key: &Umac64 = key(umac64::new_with, kernel, secret);
    move |count, message| tag::<_, 8, 8>(umac64::tag, key, count, message)
}

/// UMAC-128 under a counter.
pub fn umac128(kernel: &str, secret: &[u8; 16]) -> impl Fn(u64, &[u8]) -> Tag<16> + use<> {
    let key: &Umac128 = key(umac128::new_with, kernel, secret);
    move |count, message| tag::<_, 16, 8>(umac128::tag, key, count, message)
}

/// Carter-128 under a counter.
pub fn carter128(kernel: &str, secret: &[u8; 16]) -> impl Fn(u64, &[u8]) -> Tag<16> + use<> {
    let key: &Carter128 = key(carter128::new_with, kernel, secret);
    move |count, message| tag::<_, 16, 12>(carter128::tag, key, count, message)
}

/// PMAC-AES128.
pub fn pmac_aes128(kernel: &str, secret: &[u8; 16]) -> impl Fn(u64, &[u8]) -> Tag<16> + use<> {
    let key: &PmacAes128 = key(pmac_aes128::new_with, kernel, secret);
    move |_, message| {
        let mut tag = [0; 16];
        // SAFETY: key, message and tag have the function's lengths.
        let status = unsafe {
            let message = (message.as_ptr().cast(), message.len());
            pmac_aes128::tag(Some(key), message.0, message.1, tag.as_mut_ptr())
        };
        assert_eq!(status, Status::Ok);
        Tag::from(tag)
    }
}
