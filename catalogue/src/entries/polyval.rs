//! Polyval-AES.

use crate::algorithm::{Algorithm, Bound, Source, Status};
use crate::bounds::terms::hash_xor_pad;
use crate::bounds::{Forgery, Unbounded, Usage};
use crate::boxed::nonce;
use crate::name::Name;
use wegman::hazmat::nonce_mac::HashAndPads;
use wegman_yardstick::polyval::PolyvalAes;

/// With nonces of 12 or 16 bytes, like Carter.
pub(crate) const POLYVAL_AES: Algorithm = Algorithm {
    name: Name::new("Polyval-AES"),
    summary: "polynomial hash in GF(2^128) and AES pad; to compare Carter with",
    status: Status::Comparator,
    key_bytes: 16,
    other_key_lengths: false,
    nonce_bytes: Some(<PolyvalAes as HashAndPads<16>>::NONCE_BYTES),
    tag_bytes: 16..=16,
    parameters: &[("cipher", "AES-128"), ("word bits", "128")],
    bound: Bound {
        statement: "v (L + 1) / 2^128 * (1 + 2^-110) * (1 - (q + 1) / 2^128)^(-(q + 2) / 2) for q messages of at \
                    most L blocks of 16 bytes, v forgery attempts",
        assumption: "no nonce is used twice under a key, and AES-128 is a pseudorandom permutation",
        source: "ours, by Bernstein (EUROCRYPT 2005): docs/bounds.md",
        forgery,
    },
    source: Source { paper: "RFC 8452", section: "section 3 (POLYVAL); pad and tag are ours" },
    door: nonce::door::<PolyvalAes, 16>(),
};

fn forgery(_: &str, usage: &Usage) -> Result<Forgery, Unbounded> {
    let blocks = usage.message_bytes.div_ceil(16) + 1;
    let n = ("n", "blocks of 16 bytes of a message, and its length", blocks);
    // The hash takes the length in bits modulo 2^64.
    let end = 1 << 61;
    let source = "a polynomial without a constant; POLYVAL is in RFC 8452, section 3";
    Ok(hash_xor_pad(usage, n, end, source))
}
