//! VMAC of Crypto++: UMAC's successor for 64-bit machines (draft-krovetz-vmac-01).
//!
//! Only with tags of 128 bits. With 64 bits, Crypto++ 8.7 uses the pad of a key's first nonce for
//! most of the later ones too (`Resynchronize`): what it makes then are not the tags of VMAC.
#![allow(unsafe_code, reason = "a library in C++")]

use super::Found;
use crate::class::Class;
use crate::engine::{Engine, Group, KEY};
use crate::timing::number::number;
use std::ffi::c_void;
use std::ptr::NonNull;

#[link(name = "wegman_bench_vmac", kind = "static")]
unsafe extern "C" {
    fn wegman_bench_vmac_new(key: *const u8) -> *mut c_void;
    fn wegman_bench_vmac_tag(
        vmac: *mut c_void,
        nonce: *const u8,
        message: *const u8,
        length: usize,
        tag: *mut u8,
    ) -> bool;
}

// The code above needs them.
#[link(name = "cryptopp")]
#[link(name = "stdc++")]
unsafe extern "C" {}

/// VMAC-128; `None` if the library does not run on this machine.
pub fn all() -> Found {
    // SAFETY: it reads the 16 bytes of the key, and the key it makes is never freed.
    let vmac = NonNull::new(unsafe { wegman_bench_vmac_new(KEY.as_ptr()) })?;
    let tag = move |count: u64, message: &[u8]| {
        let (nonce, mut tag) = (count.to_be_bytes(), [0; 16]);
        // SAFETY: only this closure, which is not `Sync`, uses the key; it reads 8 bytes of nonce
        // and the message and writes 16 bytes of tag.
        let done = unsafe {
            wegman_bench_vmac_tag(
                vmac.as_ptr(),
                nonce.as_ptr(),
                message.as_ptr(),
                message.len(),
                tag.as_mut_ptr(),
            )
        };
        assert!(done, "Crypto++ raised an exception");
        number(&tag)
    };
    let origin = concat!("Crypto++ ", env!("CRYPTOPP_VERSION"));
    // Products of 64-bit numbers, and AES instructions.
    let vmac = Engine::rival(Group::LongNonce, "VMAC-128", origin, tag).within(Class::Sse);
    Some((vec![vmac], None))
}

/// The tags of draft-krovetz-vmac-01, section 6, under the key and nonce it uses.
pub fn check_published() -> Result<(), String> {
    let Some((engines, _)) = all() else { return Ok(()) };
    let count = u64::from_be_bytes(*b"bcdefghi");
    let tags = [
        (0, "472766c70f74ed23481d6d7de4e80dac"),
        (1, "4ee815a06a1d71edd36fc75d51188a42"),
        (16, "09f2c80c8e1007a0c12fae19fe4504ae"),
    ];
    for (times, tag) in tags {
        engines[0].has_published(count, &b"abc".repeat(times), tag, "draft-krovetz-vmac-01")?;
    }
    Ok(())
}
