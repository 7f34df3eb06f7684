//! GMAC and AES-CMAC of Intel's ipsec-mb.
//!
//! GMAC by its direct interface: no jobs, no queue. AES-CMAC has only jobs, which are what the
//! library is made for: messages of a batch side by side in the lanes of its vectors. A single
//! message is a job alone, which leaves the other lanes empty.
#![allow(unsafe_code, reason = "a library in C")]

use super::{Found, definitions, nonce};
use crate::class::Class;
use crate::engine::{Engine, Group, KEY};
use crate::timing::number::number;
use std::ffi::{CStr, c_char, c_void};
use std::ptr::{NonNull, null};

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
    fn wegman_bench_cmac_new(class: u32, key: *const u8) -> *mut c_void;
    fn wegman_bench_cmac_tags(
        cmac: *const c_void,
        count: u32,
        messages: *const *const u8,
        lengths: *const u64,
        tags: *mut [u8; 16],
    ) -> u32;
}

#[link(name = "IPSec_MB")]
unsafe extern "C" {
    fn imb_get_version_str() -> *const c_char;
}

/// GMAC and AES-CMAC on the library's code for a class; `None` if the library does not run on this machine.
pub fn all(class: Class) -> Found {
    let number = Class::ALL.iter().position(|other| *other == class)? as u32;
    // SAFETY: it makes a manager, never freed, and returns null or a string constant.
    let uses = NonNull::new(unsafe { wegman_bench_ipsec_mb_uses(number) }.cast_mut());
    let (number, reach) = if uses.is_some() { (number, class) } else { (3, Class::Avx512) };
    // SAFETY: the library returns a string of its own that ends in a zero byte.
    let version = unsafe { CStr::from_ptr(imb_get_version_str()) }.to_string_lossy();
    let origin = format!("ipsec-mb {version}");
    let engines = [gmac(number, &origin)?, cmac(number, &origin)?];
    let report = uses.filter(|_| class < Class::Avx512).map(|uses| {
        // SAFETY: as above.
        let uses = unsafe { CStr::from_ptr(uses.as_ptr()) }.to_string_lossy();
        format!("{origin}: its code for {uses}")
    });
    Some((engines.map(|engine| engine.within(reach)).into(), report))
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

/// The lengths of messages in lanes have 16 bits, and the last value stands for an empty lane.
const LONGEST: usize = 65_534;

/// Messages handed over at once.
const BURST: usize = 32;

fn cmac(class: u32, origin: &str) -> Option<Engine> {
    // SAFETY: it reads the 16 bytes of the key, and the key it makes is never freed.
    let cmac = NonNull::new(unsafe { wegman_bench_cmac_new(class, KEY.as_ptr()) })?;
    // The jobs go through a queue of the key's own.
    let burst = move |messages: &[&[u8]], tags: &mut [[u8; 16]]| {
        assert!(messages.len() <= BURST && tags.len() == messages.len());
        let (mut starts, mut lengths) = ([null(); BURST], [0; BURST]);
        for (i, message) in messages.iter().enumerate() {
            assert!(message.len() <= LONGEST);
            (starts[i], lengths[i]) = (message.as_ptr(), message.len() as u64);
        }
        let count = messages.len() as u32;
        // SAFETY: only the closures of this engine, which is not `Sync`, use the key. It reads as
        // many addresses and lengths as there are messages and those messages, none of them longer
        // than it can take, and writes as many tags; no job is left in the queue.
        let done = unsafe {
            wegman_bench_cmac_tags(
                cmac.as_ptr(),
                count,
                starts.as_ptr(),
                lengths.as_ptr(),
                tags.as_mut_ptr(),
            )
        };
        assert_eq!(done, count, "ipsec-mb failed");
    };
    let single = move |_, message: &[u8]| {
        let mut tag = [[0; 16]];
        burst(&[message], &mut tag);
        number(&tag[0])
    };
    let batch = move |messages: &[&[u8]], tags: &mut [[u8; 16]]| {
        for (messages, tags) in messages.chunks(BURST).zip(tags.chunks_mut(BURST)) {
            burst(messages, tags);
        }
    };
    Some(
        Engine::rival(Group::NoNonce, "AES-CMAC", origin, single)
            .checked_by(|_, message| definitions::aes_cmac(KEY, message))
            .with_batches(batch)
            .up_to(LONGEST),
    )
}
