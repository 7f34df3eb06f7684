//! Typed keys, as programs have them, under one trait: what [`ways`](crate::ways) call, in Rust and through the functions of
//! wegman.h, from the static library.
#![allow(unsafe_code, reason = "as from C")]

use std::ffi::{CString, c_char};
use std::ptr::null_mut;
use wegman::cipher::Aes128;
use wegman::session::LinkKey;
use wegman::{Cpu, NonceOf, Tag, pmac, umac};
use wegman_c::status::Status;
use wegman_carter::Carter128;

/// A key of 16 bytes, on the best row.
pub trait Typed<const N: usize>: LinkKey + 'static {
    /// Its name in the catalogue.
    const NAME: &'static str;
    /// What is verified.
    type Packet<'m>;

    /// The row that a key has here.
    fn row() -> &'static str;
    /// The tag under a counter; without a nonce the count is nothing.
    fn tag(&self, count: u64, message: &[u8]) -> Tag<N>;
    fn tag_parts(&self, count: u64, parts: &[&[u8]]) -> Tag<N>;
    fn tag_many(&self, first: u64, messages: &[&[u8]], tags: &mut [Tag<N>]);
    fn packet(count: u64, message: &[u8], tag: Tag<N>) -> Self::Packet<'_>;
    fn verify(&self, packet: &Self::Packet<'_>) -> bool;
    fn verify_many(&self, packets: &[Self::Packet<'_>], valid: &mut [bool]) -> bool;
    /// The function for C, under a key of the library for C.
    fn through_c(kernel: &str, secret: &[u8; 16]) -> impl Fn(u64, &[u8]) -> Tag<N> + 'static;
}

/// A key of the library for C with that kernel. It stays for good.
fn key_for_c<K>(
    new: unsafe extern "C" fn(*const c_char, *const u8, *mut *mut K) -> Status,
    kernel: &str,
    secret: &[u8; 16],
) -> &'static K {
    let kernel = CString::new(kernel).expect("a name");
    let mut key = null_mut();
    // SAFETY: a string, 16 bytes, and a place for the key.
    let status = unsafe { new(kernel.as_ptr(), secret.as_ptr(), &mut key) };
    assert_eq!(status, Status::Ok, "{kernel:?}");
    // SAFETY: it was made just now, and nobody frees it.
    unsafe { &*key }
}

/// A key's functions under a nonce (a name for it, and its type) or without one, and the module of the library for C. Those
/// that are inlined are timed: a call of them would count as the library's.
macro_rules! typed {
    ($name:literal, $key:ty, $tag:literal, $c:ident $(, $n:ident: $nonce:ty)?) => {
        impl Typed<$tag> for $key {
            const NAME: &'static str = $name;
            type Packet<'m> = ($($nonce,)? &'m [u8], Tag<$tag>);

            fn row() -> &'static str {
                Self::kernels(Cpu::detect()).last().expect("there is a portable row").0
            }
            #[inline(always)]
            fn tag(&self, _count: u64, message: &[u8]) -> Tag<$tag> {
                self.tag($(<$nonce>::counter(_count),)? message)
            }
            #[inline(always)]
            fn tag_parts(&self, _count: u64, parts: &[&[u8]]) -> Tag<$tag> {
                self.tag_parts($(<$nonce>::counter(_count),)? parts)
            }
            #[inline(always)]
            fn tag_many(&self, _first: u64, messages: &[&[u8]], tags: &mut [Tag<$tag>]) {
                _ = self.tag_many($(<$nonce>::counter(_first),)? messages, tags); // errors show in the sum of tags
            }
            fn packet(_count: u64, message: &[u8], tag: Tag<$tag>) -> Self::Packet<'_> {
                ($(<$nonce>::counter(_count),)? message, tag)
            }
            #[inline(always)]
            fn verify(&self, ($($n,)? message, tag): &Self::Packet<'_>) -> bool {
                self.verify($($n,)? message, tag).is_ok()
            }
            #[inline(always)]
            fn verify_many(&self, packets: &[Self::Packet<'_>], valid: &mut [bool]) -> bool {
                self.verify_many(packets, valid).is_ok()
            }
            fn through_c(
                kernel: &str,
                secret: &[u8; 16],
            ) -> impl Fn(u64, &[u8]) -> Tag<$tag> + 'static {
                let key = key_for_c(wegman_c::$c::new_with, kernel, secret);
                move |_count, message| {
                    let mut tag = [0; $tag];
                    // SAFETY: key, nonce, message and tag have the function's lengths.
                    let status = unsafe {
                        wegman_c::$c::tag(
                            Some(key),
                            $(<$nonce>::counter(_count).to_bytes().as_ptr(),)?
                            message.as_ptr().cast(),
                            message.len(),
                            tag.as_mut_ptr(),
                        )
                    };
                    assert_eq!(status, Status::Ok);
                    Tag::from(tag)
                }
            }
        }
    };
}

typed!("UMAC-64", umac::Key<8>, 8, umac64, nonce: NonceOf<8>);
typed!("UMAC-128", umac::Key<16>, 16, umac128, nonce: NonceOf<8>);
typed!("Carter-128", Carter128<Aes128, 12>, 16, carter128, nonce: NonceOf<12>);
typed!("PMAC-AES128", pmac::Key<Aes128, 16>, 16, pmac_aes128);

/// Calls a function for each of them.
macro_rules! each {
    ($function:ident($($argument:expr),*)) => {
        $function::<::wegman::umac::Key<8>, 8>($($argument),*);
        $function::<::wegman::umac::Key<16>, 16>($($argument),*);
        $function::<::wegman_carter::Carter128<::wegman::Aes128, 12>, 16>($($argument),*);
        $function::<::wegman::pmac::Key<::wegman::Aes128, 16>, 16>($($argument),*);
    };
}
pub(crate) use each;
