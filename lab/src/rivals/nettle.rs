//! UMAC of Nettle, the other library that has it.
#![allow(unsafe_code, reason = "a library in C")]

use super::Found;
use crate::class::Class;
use crate::engine::{Engine, Group, KEY};
use crate::timing::number::number;
use std::cell::RefCell;

/// Room for a key of any of the four; the largest takes 4 KiB.
#[repr(C, align(64))]
struct Key([u8; 16 << 10]);

/// The functions of one tag length.
#[derive(Clone, Copy)]
struct Functions {
    set_key: unsafe extern "C" fn(*mut Key, *const u8),
    set_nonce: unsafe extern "C" fn(*mut Key, usize, *const u8),
    update: unsafe extern "C" fn(*mut Key, usize, *const u8),
    digest: unsafe extern "C" fn(*mut Key, usize, *mut u8),
}

/// An engine for each line: bytes in a tag, group, name, and Nettle's functions.
macro_rules! umacs {
    ($($bytes:literal $group:ident $name:literal: $set_key:ident $set_nonce:ident $update:ident $digest:ident;)*) => {{
        #[link(name = "nettle")]
        unsafe extern "C" {
            $(
                fn $set_key(key: *mut Key, secret: *const u8);
                fn $set_nonce(key: *mut Key, length: usize, nonce: *const u8);
                fn $update(key: *mut Key, length: usize, message: *const u8);
                fn $digest(key: *mut Key, length: usize, tag: *mut u8);
            )*
        }
        vec![$({
            let (set_key, set_nonce, update, digest) = ($set_key, $set_nonce, $update, $digest);
            umac::<$bytes>(Group::$group, $name, Functions { set_key, set_nonce, update, digest })
        }),*]
    }};
}

/// UMAC with tags of all four lengths.
pub fn all() -> Found {
    let all = umacs! {
        4 ShortNonce "UMAC-32": nettle_umac32_set_key nettle_umac32_set_nonce nettle_umac32_update nettle_umac32_digest;
        8 ShortNonce "UMAC-64": nettle_umac64_set_key nettle_umac64_set_nonce nettle_umac64_update nettle_umac64_digest;
        12 LongNonce "UMAC-96": nettle_umac96_set_key nettle_umac96_set_nonce nettle_umac96_update nettle_umac96_digest;
        16 LongNonce "UMAC-128": nettle_umac128_set_key nettle_umac128_set_nonce nettle_umac128_update nettle_umac128_digest;
    };
    Some((all, None))
}

fn umac<const N: usize>(group: Group, name: &'static str, functions: Functions) -> Engine {
    let Functions { set_key, set_nonce, update, digest } = functions;
    let mut key = Box::new(Key([0; 16 << 10]));
    // SAFETY: it reads 16 bytes of secret and writes the key, for which there is room.
    unsafe { set_key(&mut *key, KEY.as_ptr()) };
    // The library counts its nonces up by itself: the one that comes next need not be set.
    let state = RefCell::new((key, None));
    let origin = concat!("Nettle ", env!("NETTLE_VERSION"));
    Engine::rival(group, name, origin, move |count, message| {
        let (key, next) = &mut *state.borrow_mut();
        let key: *mut Key = &mut **key;
        let mut tag = [0; N];
        if *next != Some(count) {
            let nonce = count.to_be_bytes();
            // SAFETY: the key is set; it reads 8 bytes of nonce.
            unsafe { set_nonce(key, nonce.len(), nonce.as_ptr()) };
        }
        *next = Some(count + 1);
        // SAFETY: the key is set and borrowed by nobody else; the first reads the message, the
        // second writes `N` bytes of tag.
        unsafe {
            update(key, message.len(), message.as_ptr());
            digest(key, N, tag.as_mut_ptr());
        }
        number(&tag)
    })
    // Its UMAC is code for 128-bit vectors, and AES instructions.
    .within(Class::Sse)
    .defined_by(name, KEY)
}
