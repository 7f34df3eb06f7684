//! UMAC and PMAC: provably secure message authentication.
//!
//! | for | use | nonce | tag |
//! |---|---|---|---|
//! | packets, records, RPC, SSH | [`umac::Key<8>`](umac::Key), `umac::Key<16>` | yes, never twice | 8, 16 bytes |
//! | files, objects, disk images | [`pmac::Key<Aes128, 16>`](pmac::Key) | no | 4 to 16 bytes |
//!
//! Both have the same verbs: `new`, `tag`, `verify`, `stream`, `tag_many`, `verify_many`. The modules say how far
//! each may be trusted, and under which assumption. [`session`] keeps the counters and replay windows that a MAC needs.
//!
//! Related crates: `wegman-catalogue` has every algorithm by name, with its forgery bound as numbers; `wegman-carter` an
//! experimental MAC for processors with carry-less products; `wegman-yardstick` what the papers measure against.
//!
//! ```
//! use wegman::{Aes128, Nonce, pmac, umac};
//!
//! let key = umac::Key::<8>::new(b"sixteen byte key");
//! let tag = key.tag(&Nonce::counter(1), b"a packet");
//! assert!(key.verify(&Nonce::counter(1), b"a packet", &tag).is_ok());
//!
//! let key = pmac::Key::<Aes128, 16>::new(b"another 16 bytes");
//! assert!(key.verify(b"a file", &key.tag(b"a file")).is_ok());
//! ```
//!
//! # Features
//!
//! - `alloc`: sessions with keys in an `Arc`.
//! - `digest`: the RustCrypto `digest::Mac` traits for PMAC; follows that crate's versions.
//! - `parallel`: long messages on several threads of `rayon`, the streams' `update_rayon`; needs `std`.
//! - `historical`: the editions of UMAC before the standard, `historical`; implies `alloc`.
//! - `hazmat`: what other MACs are built of, `hazmat`; exempt from semver.
//!
//! Without them the crate is `no_std` and does not allocate.
#![cfg_attr(not(test), no_std)]
#![deny(unsafe_code)]

#[cfg(feature = "alloc")]
extern crate alloc;

mod batch;
mod bits;
mod buffer;
pub mod cipher;
pub mod cpu;
mod ct;
#[cfg(feature = "hazmat")]
pub mod hazmat;
#[cfg(feature = "historical")]
pub mod historical;
mod nonce;
pub mod nonce_mac;
mod pads;
pub mod pmac;
mod rows;
pub mod session;
mod tag;
#[cfg(test)]
mod tests;
pub mod umac;

pub use bits::Bits;
pub use cipher::{Aes128, Aes192, Aes256};
pub use cpu::Cpu;
#[cfg(feature = "digest")]
pub use digest;
pub use nonce::{Nonce, NonceKind, NonceOf, NoncesExhausted};
pub use tag::{AnyTag, InvalidLength, Tag, TagMismatch};
