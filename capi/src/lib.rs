//! `libwegman` and `libwegman-catalogue`, the libraries for C. `include/wegman.h` is made from this text, as the compiler
//! expands it, in this order: most used first. `libwegman-catalogue` has what begins with Carter.
#![allow(clippy::missing_safety_doc, reason = "wegman.h says once what holds for all")]

mod door;
mod fixed;

use fixed::mac;

mac! {
    /// A key of UMAC-64 (RFC 4418) for tags of 8 bytes under nonces of 8 bytes: for packets, records and SSH. The probability of
    /// a forgery is at most v * 2^-60 for v attempts if no nonce is used twice (RFC 4418, section 6, proved by Coq; Bernstein,
    /// EUROCRYPT 2005).
    umac64: Umac64(wegman::umac::Key<8>), Umac64Stream(160 words: wegman::umac::Stream<&'static Inner, 8>),
    tag 8, nonce(nonce, first_nonce, nonces) 8
}

mac! {
    /// A key of PMAC with AES-128 (Black and Rogaway, EUROCRYPT 2002) for tags of 16 bytes: for files, objects and disk images.
    /// It needs no nonce. The probability of a forgery is at most (s + 1)^2 / 2^127 + v / 2^128 for v attempts and s blocks of 16
    /// bytes, tagged or tried. Change the key before 2^43 blocks.
    pmac_aes128: PmacAes128(wegman::pmac::Key<wegman::Aes128, 16>), PmacAes128Stream(80 words: wegman::pmac::Stream<&'static Inner, wegman::Aes128, 16>),
    tag 16
}

pub mod link;

pub mod library;
pub mod status;

mac! {
    /// A key of UMAC-128 (RFC 4418) for tags of 16 bytes under nonces of 8 bytes. The probability of a forgery is at most
    /// v * 2^-120 for v attempts if no nonce is used twice (RFC 4418, section 6, proved by Coq; Bernstein, EUROCRYPT 2005).
    umac128: Umac128(wegman::umac::Key<16>), Umac128Stream(160 words: wegman::umac::Stream<&'static Inner, 16>),
    tag 16, nonce(nonce, first_nonce, nonces) 8
}

pub mod pmac_edit;

mac! {
    /// A key of Carter-128 for tags of 16 bytes under nonces of 12 bytes. Experimental: it is our own design, and no outsider has
    /// reviewed its proof. The probability of a forgery is at most about v n / 2^128 for v attempts with messages of up to n
    /// blocks of 2048 bytes, if no nonce is used twice.
    carter128: Carter128(wegman_carter::Key<wegman::Aes128, 16, 12>),
    Carter128Stream(304 words: wegman_carter::Stream<&'static Inner, wegman::Aes128, 16, 12>),
    tag 16, nonce(nonce, first_nonce, nonces) 12
}

pub mod named;

mod raw;
mod slot;
mod typed;

pub use raw::Bytes;
