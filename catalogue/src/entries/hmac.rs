//! HMAC.

use crate::algorithm::{Algorithm, Bound, Source};
use crate::bounds::terms::{
    COMPRESSION, HMAC_BLOCKS, SEEN, forgery as bound, guess, hmac_blocks, hmac_collision,
};
use crate::bounds::{Forgery, Unbounded, Usage};
use crate::entries::comparator::{comparator, interop};
use crate::name::Name;
use wegman_yardstick::hmac::{HmacMd5, HmacSha1, HmacSha256};

pub(crate) const HMAC_SHA1: Algorithm = comparator::<HmacSha1, 20>(
    "HMAC-SHA1",
    BROKEN,
    20,
    20..=20,
    &[("hash", "SHA-1")],
    of_bits::<160>("(2 m + 1) q^2 / 2^161 + v / 2^160 for q messages of m blocks, v attempts"),
    Source { paper: "RFC 2104 with FIPS 180-4; RFC 2404", section: "section 2" },
);
pub(crate) const HMAC_SHA1_96: Algorithm = Algorithm {
    name: Name::new("HMAC-SHA1-96"),
    tag_bytes: 12..=12,
    bound: of_bits::<160>(
        "(2 m + 1) q^2 / 2^161 + v / 2^96 for q messages of m blocks, v attempts",
    ),
    ..HMAC_SHA1
};
pub(crate) const HMAC_MD5: Algorithm = comparator::<HmacMd5, 16>(
    "HMAC-MD5",
    BROKEN,
    16,
    16..=16,
    &[("hash", "MD5")],
    of_bits::<128>("(2 m + 1) q^2 / 2^129 + v / 2^128 for q messages of m blocks, v attempts"),
    Source { paper: "RFC 2104 with RFC 1321; RFC 2403", section: "section 2" },
);
pub(crate) const HMAC_MD5_96: Algorithm = Algorithm {
    name: Name::new("HMAC-MD5-96"),
    tag_bytes: 12..=12,
    bound: of_bits::<128>(
        "(2 m + 1) q^2 / 2^129 + v / 2^96 for q messages of m blocks, v attempts",
    ),
    ..HMAC_MD5
};

/// Keys of any length, as RFC 4231 has them; those made here have that of the hash.
pub(crate) const HMAC_SHA256: Algorithm = Algorithm {
    other_key_lengths: true,
    ..interop(comparator::<HmacSha256, 32>(
        "HMAC-SHA256",
        "HMAC with SHA-256, which most systems have; where others require it",
        32,
        4..=32,
        &[("hash", "SHA-256")],
        of_bits::<256>(
            "(2 m + 1) q^2 / 2^257 + v / 2^t for q messages of m blocks, v attempts, t tag bits",
        ),
        Source { paper: "RFC 2104 with FIPS 180-4; RFC 4231", section: "section 2" },
    ))
};

const BROKEN: &str = "HMAC with a hash that is broken as such; to compare with";

/// The bound for a hash of `BITS` bits.
const fn of_bits<const BITS: u32>(statement: &'static str) -> Bound {
    Bound {
        statement,
        assumption: "the hash's compression function is a pseudorandom function",
        source: "Bellare, New proofs for NMAC and HMAC (CRYPTO 2006)",
        forgery: forgery::<BITS>,
    }
}

fn forgery<const BITS: u32>(_: &str, usage: &Usage) -> Result<Forgery, Unbounded> {
    let (seen, blocks) = (usage.seen(), hmac_blocks(usage.message_bytes));
    let letters = [("p", SEEN, seen), ("m", HMAC_BLOCKS, blocks)];
    Ok(bound(COMPRESSION, &letters, &[hmac_collision(seen, blocks, BITS), guess(usage)]))
}
