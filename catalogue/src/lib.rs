//! The project's algorithms by name: what each takes, where it is defined, when to use it, its forgery bound in numbers,
//! and a key of it behind one boxed type. Those that have no boxed key are in [`FAMILIES`].
//!
//! The command line tool, the benchmarks and every other program that takes an algorithm by name read this catalogue.
//!
//! ```
//! use wegman_catalogue::{Cpu, Nonce, find};
//!
//! let umac = find("umac-64").expect("it is listed");
//! let key = umac.key(Cpu::detect(), b"sixteen byte key", 8)?;
//! let tag = key.tag(Some(&Nonce::counter(1)), b"a packet")?;
//! assert_eq!(tag.to_bytes().len(), 8);
//! # Ok::<(), Box<dyn core::error::Error>>(())
//! ```
#![cfg_attr(not(test), no_std)]
#![forbid(unsafe_code)]
#![cfg_attr(not(feature = "every"), allow(dead_code, reason = "what the entries share"))]

extern crate alloc;

mod algorithm;
pub mod bounds;
mod boxed;
pub mod entries;
#[cfg(feature = "every")]
mod families;
mod key;
#[cfg(feature = "every")]
pub mod link;
mod name;

pub use algorithm::{Algorithm, Bound, Most, Source, Status};
pub use entries::ALGORITHMS;
#[cfg(feature = "every")]
pub use families::{FAMILIES, Family, FamilyKind};
pub use key::{Absorb, AnyKey, AnyPmac, AnyStream, NonceError, SharedStream, VerifyError};
pub use name::Name;
pub use wegman::hazmat::raw::Nonce;
pub use wegman::{self, AnyTag, Cpu, InvalidLength, TagMismatch};

use alloc::boxed::Box;
use core::ops::Deref;
#[cfg(feature = "every")]
use entries::umac_2000;

/// An algorithm that [`find`] found. It dereferences to [`Algorithm`].
#[derive(Clone, Debug)]
pub struct Found(Place);

#[derive(Clone, Debug)]
enum Place {
    Listed(&'static Algorithm),
    /// A member of a family that is too large to list. In a box: beside a listed one, a place as large as an algorithm would
    /// be uninitialised, and a move would carry what was on the stack, such as a key, to where nobody wipes it.
    Made(Box<Algorithm>),
}

impl Deref for Found {
    type Target = Algorithm;

    fn deref(&self) -> &Algorithm {
        match &self.0 {
            Place::Listed(algorithm) => algorithm,
            Place::Made(algorithm) => algorithm,
        }
    }
}

impl From<&'static Algorithm> for Found {
    fn from(algorithm: &'static Algorithm) -> Found {
        Found(Place::Listed(algorithm))
    }
}

/// Finds an algorithm by name, ignoring case. The families of UMAC 2000 have more members than [`ALGORITHMS`] lists:
/// every name of a member is found, and gives the shortest name for the same parameters.
///
/// Two names are close: `UMAC-32` is that of RFC 4418, with tags of 4 bytes. `UMAC32` is an edition of 2000, with tags of
/// 8 bytes; it is historical.
#[must_use]
pub fn find(name: &str) -> Option<Found> {
    let listed = |name: &str| {
        let listed = ALGORITHMS.iter().find(|algorithm| algorithm.name.eq_ignore_ascii_case(name));
        listed.map(Found::from)
    };
    #[cfg(feature = "every")]
    if let Ok(parameters) = name.parse() {
        let algorithm = umac_2000::found(&parameters);
        let made = || Found(Place::Made(Box::new(algorithm.clone())));
        return Some(listed(&algorithm.name).unwrap_or_else(made));
    }
    listed(name)
}

/// The examples of the README, run as tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
