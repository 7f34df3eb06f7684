//! Every algorithm, once: what it takes, what it promises, where it is defined, when to use it.
//!
//! The command, the bench and every later front door read this list; none keeps its own.

#[cfg(feature = "alloc")]
pub(crate) mod any;
#[cfg(feature = "yardstick")]
mod crypto_99;
#[cfg(feature = "alloc")]
mod draft_2000;
mod families;
mod name;

#[cfg(feature = "alloc")]
pub use any::{AnyKey, AnyPmac, AnyStream, AnyTag, NonceError};
pub use families::{FAMILIES, Family, FamilyKind};
pub use name::Name;

use crate::bounds::Kind;
use crate::carter;
use crate::cipher::{Aes128, Aes192, Aes256, Invertible};
use crate::nonce::Nonce;
#[cfg(feature = "yardstick")]
use crate::yardstick::entries as yardstick;
#[cfg(feature = "alloc")]
use alloc::boxed::Box;
use core::fmt;
use core::ops::{Deref, RangeInclusive};

/// One algorithm.
#[derive(Clone, Debug)]
pub struct Algorithm {
    /// Its name in the papers, for example `UMAC-64`.
    pub name: Name,
    /// One line for people.
    pub summary: &'static str,
    /// When to use it.
    pub status: Status,
    /// Length of the key in bytes.
    pub key_bytes: usize,
    /// Lengths of nonce it takes, in bytes and in rising order; `None` if it takes no nonce. All nonces under one
    /// key should have one length: [`Nonce`] says why.
    pub nonce_bytes: Option<&'static [usize]>,
    /// Lengths of tag a key may be fixed to, in bytes. The longest is the default.
    pub tag_bytes: RangeInclusive<usize>,
    /// What it is made of, as names and values.
    pub parameters: &'static [(&'static str, &'static str)],
    /// How far it may be trusted.
    pub bound: Bound,
    /// Where it is defined.
    pub source: Source,
    #[cfg(feature = "alloc")]
    pub(crate) door: any::Door,
}

/// When to use an algorithm.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// For new designs.
    Recommended,
    /// Sound, here because others speak it.
    Interop,
    /// Ours, without any review from outside: to be examined and measured.
    Experimental,
    /// To reproduce a paper.
    Historical,
    /// What the papers measure against.
    Comparator,
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Status::Recommended => "recommended",
            Status::Interop => "interop",
            Status::Experimental => "experimental",
            Status::Historical => "historical",
            Status::Comparator => "comparator",
        })
    }
}

impl Algorithm {
    /// The nonce that stands for a count: the big-endian form of a number, of the shortest length it takes that has room
    /// for every count. `None` if it takes no nonce.
    #[must_use]
    #[inline]
    pub fn counter(&self, count: u64) -> Option<Nonce> {
        let length = self.nonce_bytes?.iter().find(|&&length| length >= 8)?;
        Some(Nonce::counter_of(*length, count))
    }
}

/// A forgery bound: never without its assumption and its source.
#[derive(Clone, Copy, Debug)]
pub struct Bound {
    /// An upper bound on an adversary's success, up to the advantage the assumption speaks of.
    pub statement: &'static str,
    /// What must hold for the bound to hold.
    pub assumption: &'static str,
    /// Where it is proved.
    pub source: &'static str,
    /// What gives its numbers: [`Algorithm::forgery`].
    pub kind: Kind,
}

/// Where an algorithm is defined.
#[derive(Clone, Copy, Debug)]
pub struct Source {
    /// The paper or standard.
    pub paper: &'static str,
    /// The section in it.
    pub section: &'static str,
}

/// An algorithm that [`find`] found. Use it like a reference to one.
#[derive(Clone, Debug)]
pub struct Found(Place);

#[derive(Clone, Debug)]
enum Place {
    Listed(&'static Algorithm),
    /// A member of a family too large for a list.
    #[cfg(feature = "alloc")]
    Made(Box<Algorithm>),
}

impl Deref for Found {
    type Target = Algorithm;

    fn deref(&self) -> &Algorithm {
        match &self.0 {
            Place::Listed(algorithm) => algorithm,
            #[cfg(feature = "alloc")]
            Place::Made(algorithm) => algorithm,
        }
    }
}

impl From<&'static Algorithm> for Found {
    fn from(algorithm: &'static Algorithm) -> Found {
        Found(Place::Listed(algorithm))
    }
}

/// Finds an algorithm by name, without regard to case. The families of UMAC 2000 have more members than
/// [`ALGORITHMS`]: every name of theirs is found (feature `alloc`), and gives the shortest name of the same
/// parameters.
#[must_use]
pub fn find(name: &str) -> Option<Found> {
    let listed = |name: &str| {
        let listed = ALGORITHMS.iter().find(|algorithm| algorithm.name.eq_ignore_ascii_case(name));
        listed.map(Found::from)
    };
    #[cfg(feature = "alloc")]
    if let Ok(parameters) = name.parse() {
        let algorithm = draft_2000::found(&parameters);
        let made = || Found(Place::Made(Box::new(algorithm.clone())));
        return Some(listed(&algorithm.name).unwrap_or_else(made));
    }
    listed(name)
}

/// All algorithms of this build.
// A static, not a constant: a constant's functions are compiled anew in every crate that names it.
pub static ALGORITHMS: &[Algorithm] = &[
    umac::<4>("UMAC-32", Status::Interop, &STREAMS[0], "v * 2^-30 for v forgery attempts"),
    umac::<8>("UMAC-64", Status::Recommended, &STREAMS[1], "v * 2^-60 for v forgery attempts"),
    umac::<12>("UMAC-96", Status::Interop, &STREAMS[2], "v * 2^-90 for v forgery attempts"),
    umac::<16>("UMAC-128", Status::Recommended, &STREAMS[3], "v * 2^-120 for v forgery attempts"),
    pmac::<Aes128, 16>("PMAC-AES128", Status::Recommended, &[("cipher", "AES-128")]),
    pmac::<Aes192, 16>("PMAC-AES192", Status::Recommended, &[("cipher", "AES-192")]),
    pmac::<Aes256, 16>("PMAC-AES256", Status::Recommended, &[("cipher", "AES-256")]),
    carter::<Aes128, 16>("Carter-128"),
    carter::<Aes128, 12>("Carter-96"),
    carter::<Aes128, 8>("Carter-64"),
    carter::<Aes256, 16>("Carter-128-AES256"),
    carter::<Aes256, 12>("Carter-96-AES256"),
    carter::<Aes256, 8>("Carter-64-AES256"),
    #[cfg(feature = "alloc")]
    draft_2000::entry("UMAC16", &draft_2000::signed_16(8)),
    #[cfg(feature = "alloc")]
    draft_2000::entry("UMAC-2/4/1024/16/SIGNED", &draft_2000::signed_16(4)),
    #[cfg(feature = "alloc")]
    draft_2000::entry("UMAC-2/16/1024/16/SIGNED", &draft_2000::signed_16(16)),
    #[cfg(feature = "alloc")]
    draft_2000::entry("UMAC32", &draft_2000::unsigned_32(8)),
    #[cfg(feature = "alloc")]
    draft_2000::entry("UMAC-4/4", &draft_2000::unsigned_32(4)),
    #[cfg(feature = "alloc")]
    draft_2000::entry("UMAC-4/16", &draft_2000::unsigned_32(16)),
    #[cfg(feature = "yardstick")]
    crypto_99::entry::<crate::umac_1999::Std30, 20>(
        &crypto_99::std("1"),
        "v * (2^-30 + 2^-160) for v forgery attempts",
    ),
    #[cfg(feature = "yardstick")]
    crypto_99::entry::<crate::umac_1999::Std60, 20>(
        &crypto_99::std("2"),
        "v * (2^-60 + 2^-160) for v forgery attempts",
    ),
    #[cfg(feature = "yardstick")]
    crypto_99::entry::<crate::umac_1999::Mmx15, 16>(
        &crypto_99::mmx("1"),
        "v * (2^-15 + 2^-128) for v forgery attempts",
    ),
    #[cfg(feature = "yardstick")]
    crypto_99::entry::<crate::umac_1999::Mmx30, 16>(
        &crypto_99::mmx("2"),
        "v * (2^-30 + 2^-128) for v forgery attempts",
    ),
    #[cfg(feature = "yardstick")]
    crypto_99::entry::<crate::umac_1999::Mmx60, 16>(
        &crypto_99::mmx("4"),
        "v * (2^-60 + 2^-128) for v forgery attempts",
    ),
    #[cfg(feature = "yardstick")]
    pmac::<crate::cipher::Rc6, 16>(
        "PMAC-RC6-128",
        Status::Comparator,
        &[("cipher", "RC6-32/20/16")],
    ),
    #[cfg(feature = "yardstick")]
    pmac::<crate::cipher::DesEde3, 8>(
        "PMAC-DES-EDE3",
        Status::Comparator,
        &[("cipher", "triple DES, three keys")],
    ),
    #[cfg(feature = "yardstick")]
    yardstick::ECBC_AES128,
    #[cfg(feature = "yardstick")]
    yardstick::ECBC_RC6,
    #[cfg(feature = "yardstick")]
    yardstick::FCBC_AES128,
    #[cfg(feature = "yardstick")]
    yardstick::FCBC_RC6,
    #[cfg(feature = "yardstick")]
    yardstick::XCBC_AES128,
    #[cfg(feature = "yardstick")]
    yardstick::XCBC_RC6,
    #[cfg(feature = "yardstick")]
    yardstick::HMAC_SHA1,
    #[cfg(feature = "yardstick")]
    yardstick::HMAC_SHA1_96,
    #[cfg(feature = "yardstick")]
    yardstick::HMAC_MD5,
    #[cfg(feature = "yardstick")]
    yardstick::HMAC_MD5_96,
    #[cfg(feature = "yardstick")]
    yardstick::PCS_AES128,
    #[cfg(feature = "yardstick")]
    yardstick::XOR_MAC_BGR,
    #[cfg(feature = "yardstick")]
    yardstick::XOR_MAC_BR,
    #[cfg(feature = "yardstick")]
    yardstick::HASH127_RC6,
    #[cfg(feature = "yardstick")]
    yardstick::POLYVAL_AES,
];

/// Every length of a [`Nonce`].
pub(crate) const ANY_NONCE: &[usize] = &[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16];

/// UMAC's parameters for 1 to 4 streams.
const STREAMS: [[(&str, &str); 4]; 4] = [umac_of("1"), umac_of("2"), umac_of("3"), umac_of("4")];

const fn umac_of(streams: &'static str) -> [(&'static str, &'static str); 4] {
    [("streams", streams), ("word bits", "32"), ("chunk bytes", "1024"), ("cipher", "AES-128")]
}

/// A member of RFC 4418's family: tags of `N` bytes from `N / 4` streams.
const fn umac<const N: usize>(
    name: &'static str,
    status: Status,
    parameters: &'static [(&'static str, &'static str)],
    statement: &'static str,
) -> Algorithm {
    Algorithm {
        name: Name::new(name),
        summary: "universal hash and AES pad; for packets, records and SSH, under a counter nonce",
        status,
        key_bytes: 16,
        nonce_bytes: Some(ANY_NONCE),
        tag_bytes: N..=N,
        parameters,
        bound: Bound {
            statement,
            assumption: "no nonce is used twice under a key, and AES-128 is a pseudorandom function",
            source: "RFC 4418, section 6; UMAC (CRYPTO '99, full version), Theorem 8.2",
            kind: Kind::UmacRfc4418 { streams: N as u32 / 4 },
        },
        source: Source { paper: "RFC 4418, with erratum 3507", section: "sections 3 to 5" },
        #[cfg(feature = "alloc")]
        door: any::Door::umac::<N>(),
    }
}

/// PMAC over the cipher `C`, which has blocks of `N` bytes.
const fn pmac<C: Invertible, const N: usize>(
    name: &'static str,
    status: Status,
    parameters: &'static [(&'static str, &'static str)],
) -> Algorithm {
    Algorithm {
        name: Name::new(name),
        summary: match status {
            Status::Comparator => "parallel block-cipher MAC without a nonce; to compare with",
            _ => "parallel block-cipher MAC without a nonce; for files, objects and disk images",
        },
        status,
        key_bytes: C::KEY_BYTES,
        nonce_bytes: None,
        tag_bytes: 4..=N,
        parameters,
        bound: Bound {
            statement: if N == 16 {
                "(s + 1)^2 / 2^127 + v / 2^t for s blocks tagged and tried, v forgery attempts, t tag bits"
            } else {
                "(s + 1)^2 / 2^63 + v / 2^t for s blocks tagged and tried, v forgery attempts, t tag bits"
            },
            assumption: "the cipher is a pseudorandom permutation",
            source: "PMAC (EUROCRYPT 2002), Theorem 1",
            kind: Kind::Pmac { block_bits: 8 * N as u32 },
        },
        source: Source { paper: "PMAC (EUROCRYPT 2002)", section: "section 3, Figure 1" },
        #[cfg(feature = "alloc")]
        door: any::Door::pmac::<C, N>(),
    }
}

/// Carter with tags of `N` bytes.
const fn carter<C: carter::Cipher, const N: usize>(name: &'static str) -> Algorithm {
    Algorithm {
        name: Name::new(name),
        summary: "universal hash in GF(2^128) and AES pad; to be examined, not for data that must last",
        status: Status::Experimental,
        key_bytes: C::KEY_BYTES,
        nonce_bytes: Some(&[12, 16]),
        tag_bytes: N..=N,
        parameters: if C::KEY_BYTES == 16 {
            &[("cipher", "AES-128"), ("block bytes", "2048"), ("word bits", "128")]
        } else {
            &[("cipher", "AES-256"), ("block bytes", "2048"), ("word bits", "128")]
        },
        bound: Bound {
            statement: "v n / 2^t * (1 + 2^-110) * (1 - (q + 1) / 2^128)^(-(q + 2) / 2) for q messages of at most n \
                        blocks of 2048 bytes, v forgery attempts, t tag bits",
            assumption: "no nonce is used twice under a key, all of a key's nonces have one length, and AES is a \
                         pseudorandom permutation",
            source: "ours, by Bernstein (EUROCRYPT 2005): docs/carter.md",
            kind: Kind::Carter,
        },
        source: Source { paper: "Carter (ours)", section: "docs/carter.md" },
        #[cfg(feature = "alloc")]
        door: any::Door::carter::<C, N>(),
    }
}
