//! The registry's entries.

use super::Engine;
use super::cbc::{Ecbc, Fcbc, Xcbc};
use super::hmac::{HmacMd5, HmacSha1};
use super::pcs::Pcs;
use crate::bounds::Kind;
use crate::cipher::{Aes128, Rc6};
#[cfg(feature = "alloc")]
use crate::registry::any::Door;
use crate::registry::{ANY_NONCE, Algorithm, Bound, Name, Source, Status};
use core::ops::RangeInclusive;

type Parameters = &'static [(&'static str, &'static str)];

const AES128: Parameters = &[("cipher", "AES-128")];
const RC6: Parameters = &[("cipher", "RC6-32/20/16")];

pub(crate) const ECBC_AES128: Algorithm = ecbc::<Ecbc<Aes128>>("ECBC-AES128", AES128);
pub(crate) const ECBC_RC6: Algorithm = ecbc::<Ecbc<Rc6>>("ECBC-RC6-128", RC6);
pub(crate) const FCBC_AES128: Algorithm = fcbc::<Fcbc<Aes128>>("FCBC-AES128", AES128);
pub(crate) const FCBC_RC6: Algorithm = fcbc::<Fcbc<Rc6>>("FCBC-RC6-128", RC6);

/// With the key of RFC 3566.
pub(crate) const XCBC_AES128: Algorithm = cbc::<Xcbc<Aes128>>(
    "XCBC-AES128",
    "CBC-MAC with the last block masked, keys as in RFC 3566; to compare with",
    16,
    AES128,
    Kind::Cbc { extra_calls: 0, subkeys: 3 },
    Source { paper: "RFC 3566; Black and Rogaway (CRYPTO 2000)", section: "section 4; XCBC" },
);

pub(crate) const XCBC_RC6: Algorithm = cbc::<Xcbc<Rc6>>(
    "XCBC-RC6-128",
    "CBC-MAC with the last block masked, key K1 || k2 || k3; to compare with",
    48,
    RC6,
    Kind::Cbc { extra_calls: 0, subkeys: 0 },
    Source { paper: THREE_KEYS, section: "XCBC" },
);

pub(crate) const HMAC_SHA1: Algorithm = hmac_sha1(
    "HMAC-SHA1",
    20..=20,
    "(2 m + 1) q^2 / 2^161 + v / 2^160 for q messages of m blocks, v attempts",
);
pub(crate) const HMAC_SHA1_96: Algorithm = hmac_sha1(
    "HMAC-SHA1-96",
    12..=12,
    "(2 m + 1) q^2 / 2^161 + v / 2^96 for q messages of m blocks, v attempts",
);
pub(crate) const HMAC_MD5: Algorithm = hmac_md5(
    "HMAC-MD5",
    16..=16,
    "(2 m + 1) q^2 / 2^129 + v / 2^128 for q messages of m blocks, v attempts",
);
pub(crate) const HMAC_MD5_96: Algorithm = hmac_md5(
    "HMAC-MD5-96",
    12..=12,
    "(2 m + 1) q^2 / 2^129 + v / 2^96 for q messages of m blocks, v attempts",
);

/// Tags of 8 bytes are the paper's value.
pub(crate) const PCS_AES128: Algorithm = comparator::<Pcs<Aes128>>(
    "PCS-AES128",
    "protected counter sum with 64 bits inside; to compare with",
    16,
    8..=16,
    &[("cipher", "AES-128"), ("piece bytes", "8")],
    Bound {
        statement: "(q + v)^2 / 2^65 + s^2 / 2^129 + v / 2^t for q messages of s blocks in all, v forgery \
                    attempts, t tag bits",
        assumption: "AES-128 is a pseudorandom permutation",
        source: "ours, after Bernstein, How to stretch random functions (J. Cryptology 1999)",
        kind: Kind::ProtectedCounterSums,
    },
    Source {
        paper: "Bernstein, How to stretch random functions (J. Cryptology 1999)",
        section: "the combination; sizes and padding are ours",
    },
);

/// The layout of Bellare, Guerin and Rogaway.
pub(crate) const XOR_MAC_BGR: Algorithm = xor_mac(
    "XORMAC-AES128-BGR",
    &[("cipher", "AES-128"), ("piece bytes", "8"), ("first bit", "of the pieces' blocks")],
    Source {
        paper: "Bellare, Guerin and Rogaway, XOR MACs (CRYPTO 1995)",
        section: "XMACC; sizes and padding are ours",
    },
    #[cfg(feature = "alloc")]
    Door::xor_mac_data(),
);

/// The layout of Black and Rogaway.
pub(crate) const XOR_MAC_BR: Algorithm = xor_mac(
    "XORMAC-AES128-BR",
    &[("cipher", "AES-128"), ("piece bytes", "8"), ("first bit", "of the value's block")],
    Source { paper: "PMAC (EUROCRYPT 2002)", section: "section 1; padding is ours" },
    #[cfg(feature = "alloc")]
    Door::xor_mac_value(),
);

/// RC6's key and r.
pub(crate) const HASH127_RC6: Algorithm = Algorithm {
    name: Name::new("hash127-RC6"),
    summary: "polynomial hash modulo 2^127 - 1 and RC6 pad, key K || r; to compare with",
    status: Status::Comparator,
    key_bytes: 32,
    nonce_bytes: Some(ANY_NONCE),
    tag_bytes: 16..=16,
    parameters: &[("modulus", "2^127 - 1"), ("word bits", "32"), ("cipher", "RC6-32/20/16")],
    bound: Bound {
        statement: "v (L + 1) / 2^126 + (q + 1)^2 / 2^126 for q messages, v forgery attempts, messages of at \
                    most L 32-bit words",
        assumption: "no nonce is used twice under a key, and RC6 is a pseudorandom permutation",
        source: "ours",
        kind: Kind::Hash127,
    },
    source: Source {
        paper: "Bernstein, The hash127 library interface (2000)",
        section: "the hash; pad, padding and tag are ours",
    },
    #[cfg(feature = "alloc")]
    door: Door::hash127_rc6(),
};

const THREE_KEYS: &str = "Black and Rogaway, CBC MACs for arbitrary-length messages (CRYPTO 2000)";

const fn ecbc<E: Engine>(name: &'static str, parameters: Parameters) -> Algorithm {
    let source = Source { paper: THREE_KEYS, section: "ECBC" };
    let summary = "CBC-MAC encrypted once more, key K1 || K2 || K3; to compare with";
    cbc::<E>(name, summary, 48, parameters, Kind::Cbc { extra_calls: 1, subkeys: 0 }, source)
}

const fn fcbc<E: Engine>(name: &'static str, parameters: Parameters) -> Algorithm {
    let source = Source { paper: THREE_KEYS, section: "FCBC; UMAC (CRYPTO '99), section 8.4" };
    let summary = "CBC-MAC with the last block under another key, K1 || K2 || K3; to compare with";
    cbc::<E>(name, summary, 48, parameters, Kind::Cbc { extra_calls: 0, subkeys: 0 }, source)
}

const fn cbc<E: Engine>(
    name: &'static str,
    summary: &'static str,
    key_bytes: usize,
    parameters: Parameters,
    kind: Kind,
    source: Source,
) -> Algorithm {
    let bound = Bound {
        statement: "s^2 / 2^128 + v / 2^t for s cipher calls, v forgery attempts, t tag bits",
        assumption: "the cipher is a pseudorandom permutation",
        source: "ours; of the order of Black and Rogaway, CBC MACs for arbitrary-length messages (CRYPTO 2000)",
        kind,
    };
    comparator::<E>(name, summary, key_bytes, 4..=16, parameters, bound, source)
}

const fn hmac_sha1(
    name: &'static str,
    tag_bytes: RangeInclusive<usize>,
    statement: &'static str,
) -> Algorithm {
    let source = Source { paper: "RFC 2104 with FIPS 180-4; RFC 2404", section: "section 2" };
    let summary = "HMAC with a hash that is broken as such; to compare with";
    let kind = Kind::Hmac { hash_bits: 160 };
    let bound = Bound { statement, assumption: COMPRESSION, source: BELLARE, kind };
    comparator::<HmacSha1>(name, summary, 20, tag_bytes, &[("hash", "SHA-1")], bound, source)
}

const fn hmac_md5(
    name: &'static str,
    tag_bytes: RangeInclusive<usize>,
    statement: &'static str,
) -> Algorithm {
    let source = Source { paper: "RFC 2104 with RFC 1321; RFC 2403", section: "section 2" };
    let summary = "HMAC with a hash that is broken as such; to compare with";
    let kind = Kind::Hmac { hash_bits: 128 };
    let bound = Bound { statement, assumption: COMPRESSION, source: BELLARE, kind };
    comparator::<HmacMd5>(name, summary, 16, tag_bytes, &[("hash", "MD5")], bound, source)
}

const COMPRESSION: &str = "the hash's compression function is a pseudorandom function";
const BELLARE: &str = "Bellare, New proofs for NMAC and HMAC (CRYPTO 2006)";

const fn xor_mac(
    name: &'static str,
    parameters: Parameters,
    source: Source,
    #[cfg(feature = "alloc")] door: Door,
) -> Algorithm {
    Algorithm {
        name: Name::new(name),
        summary: "xor of encrypted pieces and an encrypted counter, the nonce; to compare with",
        status: Status::Comparator,
        key_bytes: 16,
        nonce_bytes: Some(&[8]),
        tag_bytes: 16..=16,
        parameters,
        bound: Bound {
            statement: "s^2 / 2^129 + v / 2^128 for s calls of the cipher in all, v forgery attempts",
            assumption: "no nonce is used twice under a key, and AES-128 is a pseudorandom permutation",
            source: "Bellare, Guerin and Rogaway (CRYPTO 1995), XMACC; the constants are ours",
            kind: Kind::XorMac { is_random: false },
        },
        source,
        #[cfg(feature = "alloc")]
        door,
    }
}

#[cfg_attr(not(feature = "alloc"), allow(clippy::extra_unused_type_parameters, reason = "no door"))]
const fn comparator<E: Engine>(
    name: &'static str,
    summary: &'static str,
    key_bytes: usize,
    tag_bytes: RangeInclusive<usize>,
    parameters: Parameters,
    bound: Bound,
    source: Source,
) -> Algorithm {
    Algorithm {
        name: Name::new(name),
        summary,
        status: Status::Comparator,
        key_bytes,
        nonce_bytes: None,
        tag_bytes,
        parameters,
        bound,
        source,
        #[cfg(feature = "alloc")]
        door: Door::yardstick::<E>(),
    }
}
