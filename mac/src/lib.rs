//! UMAC and PMAC: fast message authentication with proved bounds on forgeries.
//!
//! | for | use | nonce | tag | chance of a forgery |
//! |---|---|---|---|---|
//! | packets, records, RPC, SSH | [`umac::Key<8>`](umac::Key), `umac::Key<16>` | required, never reused | 8, 16 bytes | about 2^-60, 2^-120 for each attempt |
//! | files, objects, disk images | [`pmac::Key<Aes128, 16>`](pmac::Key) | none | 4 to 16 bytes | at most `(s + 1)^2 / 2^127` after `s` blocks, and 2^-t for each attempt on `t` bits |
//!
//! The bounds hold if AES is a pseudorandom permutation; the documentation of each module has their sources. Both MACs
//! have methods of the same names: `new`, `tag`, `verify`, `stream`, `tag_many`, `verify_many`. [`ssh`] has OpenSSH's
//! UMACs by name.
//!
//! Related crates: `wegman-catalogue` has every algorithm by name, with its forgery bound in numbers. `wegman-carter`
//! is an experimental MAC for processors with carry-less multiplication. `wegman-historical` has the editions of UMAC
//! before RFC 4418, `wegman-yardstick` the MACs and hash families that the papers compare with.
//!
//! ```
//! use wegman::{Aes128, NonceOf, pmac, umac};
//!
//! let key = umac::Key::<8>::new(b"sixteen byte key");
//! let tag = key.tag(NonceOf::counter(1), b"a packet");
//! assert!(key.verify(&NonceOf::counter(1), b"a packet", &tag).is_ok());
//!
//! let key = pmac::Key::<Aes128, 16>::new(b"another 16 bytes");
//! assert!(key.verify(b"a file", &key.tag(b"a file")).is_ok());
//! ```
//!
//! # Features
//!
//! - `alloc`: sessions with keys in an `Arc` (where the processor has atomic numbers) or an `Rc`.
//! - `digest`: the RustCrypto trait `digest::Mac` for PMAC, and any such MAC in sessions (`session::Prefixed`). It follows the versions of that crate.
//! - `getrandom`: keys get `generate`, which makes a key and its secret from the system's random bytes.
//! - `parallel`: streams get `update_rayon`, which hashes a long message on several threads. Implies `std`.
//! - `session`: the module `session`, what a protocol needs around a MAC: sequence numbers, replay windows, a budget for
//!   forgery attempts.
//! - `link`: `session::Link`, both directions of a channel from one secret. Implies `session` and `alloc`.
//! - `serde`: tags and nonces are serialized, as hexadecimal digits in text formats and as bytes in binary ones.
//! - `std`: streams get `update_reader` and implement `std::io::Write`. Implies `alloc`.
//! - `hazmat`: the module `hazmat`, the parts that other MACs are built from, exempt from semver; and `pmac::hazmat`,
//!   segments and edits, under semver.
//!
//! Without features the crate is `no_std` and does not allocate.
#![cfg_attr(not(test), no_std)]
// docs.rs shows beside each item the feature that it needs.
#![cfg_attr(docsrs, feature(doc_cfg))]
#![deny(unsafe_code)]

#[cfg(feature = "alloc")]
extern crate alloc;
#[cfg(all(feature = "std", not(test)))]
extern crate std;

/// An error type without fields, and its messages. For the crates that `hazmat` is for; exempt from semver.
#[doc(hidden)]
#[cfg_attr(feature = "hazmat", macro_export)]
macro_rules! error {
    ($(#[$about:meta])* pub struct $name:ident = $text:expr;) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub struct $name;

        impl ::core::fmt::Display for $name {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                f.write_str($text)
            }
        }

        impl ::core::error::Error for $name {}
    };
    ($(#[$about:meta])* pub enum $name:ident { $($(#[$when:meta])* $value:ident = $text:expr,)* }) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum $name {
            $($(#[$when])* $value,)*
        }

        impl ::core::fmt::Display for $name {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                f.write_str(match self {
                    $($name::$value => $text,)*
                })
            }
        }

        impl ::core::error::Error for $name {}
    };
}

mod aligned;
mod batch;
mod bits;
pub mod bound;
mod buffer;
pub mod cipher;
pub mod cpu;
mod ct;
mod ends;
#[cfg(feature = "hazmat")]
pub mod hazmat;
mod hex;
mod nonce;
pub mod nonce_mac;
mod pads;
mod parts;
pub mod pmac;
#[cfg(feature = "getrandom")]
mod random;
mod rows;
#[cfg(feature = "serde")]
mod serial;
#[cfg(feature = "session")]
pub mod session;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod simd;
pub mod ssh;
mod tag;
#[cfg(test)]
mod tests;
pub mod umac;
#[cfg(feature = "alloc")]
#[cfg_attr(not(feature = "hazmat"), allow(dead_code, reason = "other crates use the rest"))]
mod wiped;

pub use bits::Bits;
pub use cipher::{Aes128, Aes192, Aes256};
pub use cpu::Cpu;
#[cfg(feature = "digest")]
pub use digest;
#[cfg(feature = "getrandom")]
pub use getrandom;
pub use hex::InvalidHex;
pub use nonce::{NonceOf, NoncesExhausted};
pub use subtle;
pub use tag::{AnyTag, InvalidLength, Tag, TagMismatch};
pub use zeroize;

/// The examples of the README, run as tests.
#[cfg(all(doctest, feature = "link"))]
#[doc = include_str!("../README.md")]
struct Readme;
