//! MACs and universal hash families that the papers on UMAC and PMAC compare with, for measurements; and CMAC and
//! HMAC-SHA256, for peers that require them. For new designs use [`umac`](wegman::umac) or [`pmac`](wegman::pmac).
//!
//! | for | use |
//! |---|---|
//! | CBC-MAC for messages of one length | [`cbc::FixedLength`] |
//! | ECBC, FCBC, XCBC | [`Key`] of [`cbc::Ecbc`], [`cbc::Fcbc`], [`cbc::Xcbc`] |
//! | CMAC and HMAC-SHA256, for peers that require them | [`Key`] of [`cbc::Cmac`], [`hmac::HmacSha256`] |
//! | protected counter sums | [`Key`] of [`pcs::Pcs`] |
//! | XOR MAC | [`xor_mac::Key`] |
//! | hash127, hash127-RC6 | [`hash127::Hash127`], [`hash127::Key`] |
//! | Polyval-AES, which Carter is compared with | [`polyval::Key`] |
//! | a MAC that reads only some parts of the message, weak by design | [`partial::Key`] |
//! | HMAC with SHA-1 or MD5, whole or truncated to 96 bits | [`Key`] of [`hmac::HmacSha1`], [`hmac::HmacMd5`] |
//! | universal hash families without a MAC | [`universal`] |
//!
//! ```
//! use wegman::Aes128;
//! use wegman_yardstick::{Key, cbc::Xcbc, hmac::HmacSha1};
//!
//! let key = Key::<Xcbc<Aes128>, 12>::new(b"sixteen byte key"); // its keys as in RFC 3566
//! assert!(key.verify(b"a packet", &key.tag(b"a packet")).is_ok());
//!
//! let key = Key::<HmacSha1, 12>::new(b"twenty bytes of key.");
//! let mut stream = key.stream();
//! stream.update(b"a pac");
//! stream.update(b"ket");
//! assert_eq!(stream.tag(), key.tag(b"a packet"));
//! ```

#![cfg_attr(not(test), no_std)]
#![deny(unsafe_code)]

pub mod cbc;
mod engine;
pub mod hash127;
pub mod hmac;
pub mod partial;
pub mod pcs;
mod pieces;
pub mod polyval;
#[cfg(test)]
mod tests;
pub mod universal;
pub mod xor_mac;

pub use engine::{Engine, Key, PacketEngine, Stream};

/// SHA-1 from the crate `sha1`, as a plain hash, which the papers measure. Without a key it is not a MAC.
pub use sha1::Sha1;
/// RC6, which the papers of 1999 use besides AES.
pub use wegman_historical::Rc6;

/// Triple DES with three keys (24 bytes) and blocks of 64 bits, since the papers measure it. Its crate does not wipe
/// the round keys.
pub type DesEde3 = wegman::cipher::Keyed<des::TdesEde3>;

/// The examples of the README, run as tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
