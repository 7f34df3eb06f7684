//! UMAC and PMAC: provably secure message authentication.
//!
//! | for | use | nonce | tag |
//! |---|---|---|---|
//! | packets, records, RPC, SSH | [`umac::Key<8>`](umac::Key), `umac::Key<16>` | yes, never twice | 8, 16 bytes |
//! | files, objects, disk images | [`pmac::Key<Aes128, 16>`](pmac::Key) | no | 4 to 16 bytes |
//!
//! [`carter::Key`] is a third, for processors with carry-less products, with a nonce and tags of 8 to 16 bytes: ours,
//! **experimental**, and not reviewed by anybody outside.
//!
//! All have the same verbs: `new`, `tag`, `verify`, `stream`, `tag_many`, `verify_many`. The
//! modules say how far each may be trusted, and under which assumption; [`registry`] lists every
//! algorithm with its bound and source, and [`bounds`] has the numbers.
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
//! - `alloc`: keys of any registered algorithm behind one boxed type, [`registry::Algorithm`]; UMAC of
//!   October 2000 with any parameters, `umac_2000`.
//! - `digest`: the RustCrypto `digest::Mac` traits for PMAC; follows that crate's versions.
//! - `parallel`: long messages on several threads of `rayon`, the streams' `update_rayon`; needs `std`.
//! - `yardstick`: what the papers measure against; UMAC of 1999, `umac_1999`;
//!   families of hash functions, `universal`.
//!
//! Without them the crate is `no_std` and does not allocate.
#![cfg_attr(not(test), no_std)]
#![deny(unsafe_code)]

#[cfg(feature = "alloc")]
extern crate alloc;

mod bits;
pub mod bounds;
mod buffer;
pub mod carter;
pub mod cipher;
pub mod cpu;
mod nonce;
pub mod pmac;
pub mod registry;
pub mod session;
mod tag;
#[cfg(test)]
mod tests;
pub mod umac;
pub mod umac16;
#[cfg(feature = "yardstick")]
pub mod umac_1999;
#[cfg(feature = "alloc")]
pub mod umac_2000;
#[cfg(feature = "yardstick")]
pub mod universal;
mod verify;
mod wipe;
#[cfg(feature = "yardstick")]
pub mod yardstick;

pub use bits::Bits;
pub use cipher::{Aes128, Aes192, Aes256};
pub use cpu::Cpu;
#[cfg(feature = "digest")]
pub use digest;
pub use nonce::{Nonce, NonceOf, NoncesExhausted};
pub use tag::{InvalidLength, Tag, TagMismatch};

/// The examples of the README, run as tests.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
struct Readme;
