//! Every algorithm of the project by name: what it takes, where it is defined, when to use it, its forgery bound in
//! numbers, and a key of it behind one boxed type.
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
#[cfg(test)]
mod tests;

pub use algorithm::{Algorithm, Bound, Source, Status};
#[cfg(feature = "every")]
pub use families::{FAMILIES, Family, FamilyKind};
pub use key::{Absorb, AnyKey, AnyPmac, AnyStream, NonceError, SharedStream, VerifyError};
pub use name::Name;
pub use wegman::hazmat::raw::Nonce;
pub use wegman::{self, AnyTag, Cpu, InvalidLength, TagMismatch};

use alloc::boxed::Box;
use core::ops::Deref;
#[cfg(feature = "every")]
use entries::{carter, cbc, hash127, hmac, pcs, polyval, umac_1999, umac_2000, xor_mac};
use entries::{pmac, umac};
use wegman::Aes128;
#[cfg(feature = "every")]
use wegman::{Aes192, Aes256};
#[cfg(feature = "every")]
use wegman_historical::umac_1999 as sets;
#[cfg(feature = "every")]
use wegman_yardstick::{DesEde3, Rc6};

/// An algorithm that [`find`] found. It dereferences to [`Algorithm`].
#[derive(Clone, Debug)]
pub struct Found(Place);

#[derive(Clone, Debug)]
enum Place {
    Listed(&'static Algorithm),
    /// A member of a family that is too large to list.
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

/// All algorithms that are listed.
// A static, not a constant: every crate that names a constant would compile its functions again.
#[cfg(feature = "every")]
pub static ALGORITHMS: &[Algorithm] = &[
    umac::entry::<4>("UMAC-32", Status::Interop, "v * 2^-30 for v forgery attempts"),
    umac::entry::<8>("UMAC-64", Status::Recommended, "v * 2^-60 for v forgery attempts"),
    umac::entry::<12>("UMAC-96", Status::Interop, "v * 2^-90 for v forgery attempts"),
    umac::entry::<16>("UMAC-128", Status::Recommended, "v * 2^-120 for v forgery attempts"),
    pmac::entry::<Aes128, 16>("PMAC-AES128", Status::Recommended, &[("cipher", "AES-128")]),
    pmac::entry::<Aes192, 16>("PMAC-AES192", Status::Recommended, &[("cipher", "AES-192")]),
    pmac::entry::<Aes256, 16>("PMAC-AES256", Status::Recommended, &[("cipher", "AES-256")]),
    carter::entry::<Aes128, 16>("Carter-128"),
    carter::entry::<Aes128, 12>("Carter-96"),
    carter::entry::<Aes128, 8>("Carter-64"),
    carter::entry::<Aes256, 16>("Carter-128-AES256"),
    carter::entry::<Aes256, 12>("Carter-96-AES256"),
    carter::entry::<Aes256, 8>("Carter-64-AES256"),
    umac_2000::entry("UMAC16", &umac_2000::signed_16(8)),
    umac_2000::entry("UMAC-2/4/1024/16/SIGNED", &umac_2000::signed_16(4)),
    umac_2000::entry("UMAC-2/16/1024/16/SIGNED", &umac_2000::signed_16(16)),
    umac_2000::entry("UMAC32", &umac_2000::unsigned_32(8)),
    umac_2000::entry("UMAC-4/4", &umac_2000::unsigned_32(4)),
    umac_2000::entry("UMAC-4/16", &umac_2000::unsigned_32(16)),
    umac_1999::entry::<sets::Std30, 20>(
        &umac_1999::std("1"),
        "v * (2^-30 + 2^-160) for v forgery attempts",
    ),
    umac_1999::entry::<sets::Std60, 20>(
        &umac_1999::std("2"),
        "v * (2^-60 + 2^-160) for v forgery attempts",
    ),
    umac_1999::entry::<sets::Mmx15, 16>(
        &umac_1999::mmx("1"),
        "v * (2^-15 + 2^-128) for v forgery attempts",
    ),
    umac_1999::entry::<sets::Mmx30, 16>(
        &umac_1999::mmx("2"),
        "v * (2^-30 + 2^-128) for v forgery attempts",
    ),
    umac_1999::entry::<sets::Mmx60, 16>(
        &umac_1999::mmx("4"),
        "v * (2^-60 + 2^-128) for v forgery attempts",
    ),
    pmac::entry::<Rc6, 16>("PMAC-RC6-128", Status::Comparator, &[("cipher", "RC6-32/20/16")]),
    pmac::entry::<DesEde3, 8>(
        "PMAC-DES-EDE3",
        Status::Comparator,
        &[("cipher", "triple DES, three keys")],
    ),
    cbc::CMAC_AES128,
    cbc::CMAC_AES256,
    hmac::HMAC_SHA256,
    cbc::ECBC_AES128,
    cbc::ECBC_RC6,
    cbc::FCBC_AES128,
    cbc::FCBC_RC6,
    cbc::XCBC_AES128,
    cbc::XCBC_RC6,
    hmac::HMAC_SHA1,
    hmac::HMAC_SHA1_96,
    hmac::HMAC_MD5,
    hmac::HMAC_MD5_96,
    pcs::PCS_AES128,
    xor_mac::XOR_MAC_BGR,
    xor_mac::XOR_MAC_BR,
    hash127::HASH127_RC6,
    polyval::POLYVAL_AES,
];

/// All algorithms that are listed: those of the npm package.
#[cfg(not(feature = "every"))]
pub static ALGORITHMS: &[Algorithm] = &[
    umac::entry::<4>("UMAC-32", Status::Interop, "v * 2^-30 for v forgery attempts"),
    umac::entry::<8>("UMAC-64", Status::Recommended, "v * 2^-60 for v forgery attempts"),
    umac::entry::<12>("UMAC-96", Status::Interop, "v * 2^-90 for v forgery attempts"),
    umac::entry::<16>("UMAC-128", Status::Recommended, "v * 2^-120 for v forgery attempts"),
    pmac::entry::<Aes128, 16>("PMAC-AES128", Status::Recommended, &[("cipher", "AES-128")]),
];

/// The examples of the README, run as tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
