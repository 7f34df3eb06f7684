//! Poly1305 and SipHash of libsodium.
#![allow(unsafe_code, reason = "a library in C")]

use super::{Found, definitions};
use crate::class::Class;
use crate::engine::{Engine, Group, KEY};
use crate::timing::number::number;
use crate::timing::ours::SECRET;
use siphasher::{sip, sip128};
use std::ffi::{c_int, c_ulonglong};

/// A function of libsodium that makes a tag under a key.
type Tag = unsafe extern "C" fn(*mut u8, *const u8, c_ulonglong, *const u8) -> c_int;

#[link(name = "sodium")]
unsafe extern "C" {
    fn sodium_init() -> c_int;
    fn crypto_onetimeauth_poly1305(
        tag: *mut u8,
        message: *const u8,
        length: c_ulonglong,
        key: *const u8,
    ) -> c_int;
    fn crypto_shorthash_siphash24(
        tag: *mut u8,
        message: *const u8,
        length: c_ulonglong,
        key: *const u8,
    ) -> c_int;
    fn crypto_shorthash_siphashx24(
        tag: *mut u8,
        message: *const u8,
        length: c_ulonglong,
        key: *const u8,
    ) -> c_int;
}

const ORIGIN: &str = concat!("libsodium ", env!("SODIUM_VERSION"));

/// Poly1305 and SipHash; `None` if the library does not run on this machine.
pub fn all() -> Found {
    // SAFETY: it may be called at any time; it chooses the code for this machine.
    if unsafe { sodium_init() } < 0 {
        return None;
    }
    let siphash = sip::SipHasher24::new_with_key(KEY);
    let siphash_128 = sip128::SipHasher24::new_with_key(KEY);
    let all = vec![
        engine::<8>(Group::NoNonce, "SipHash-2-4", crypto_shorthash_siphash24)
            .checked_by(move |_, message| siphash.hash(message).to_le_bytes()),
        engine::<16>(Group::NoNonce, "SipHash-128", crypto_shorthash_siphashx24)
            .checked_by(move |_, message| siphash_128.hash(message).as_bytes()),
        engine::<16>(Group::OneMessage, "Poly1305", crypto_onetimeauth_poly1305)
            .checked_by(|_, message| definitions::poly1305(SECRET, message)),
    ];
    Some((all, None))
}

/// A function that writes tags of `N` bytes.
fn engine<const N: usize>(group: Group, name: &'static str, tag_of: Tag) -> Engine {
    Engine::rival(group, name, ORIGIN, move |_, message| {
        let mut tag = [0; N];
        // SAFETY: it reads the message and at most 32 bytes of key, and writes `N` bytes of tag.
        unsafe {
            tag_of(tag.as_mut_ptr(), message.as_ptr(), message.len() as u64, SECRET.as_ptr());
        }
        number(&tag)
    })
    // Its Poly1305 has no code for more.
    .within(Class::Sse)
}
