//! HMAC.

use crate::algorithm::{Algorithm, Bound, Source};
use crate::bounds::terms::{
    COMPRESSION, HMAC_BLOCKS, SEEN, forgery as bound, guess, hmac_blocks, hmac_collision,
};
use crate::bounds::{Forgery, Unbounded, Usage};
use crate::entries::comparator::{comparator, interop};
use core::ops::RangeInclusive;
use wegman_yardstick::hmac::{HmacMd5, HmacSha1, HmacSha256};

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

/// Keys of any length, as RFC 4231 has them; those made here have that of the hash.
pub(crate) const HMAC_SHA256: Algorithm = Algorithm {
    other_key_lengths: true,
    ..interop(comparator::<HmacSha256, 32>(
        "HMAC-SHA256",
        "HMAC with SHA-256, which most systems have; where others require it",
        32,
        4..=32,
        &[("hash", "SHA-256")],
        Bound {
            statement: "(2 m + 1) q^2 / 2^257 + v / 2^t for q messages of m blocks, v attempts, t tag bits",
            assumption: PSEUDORANDOM,
            source: BELLARE,
            forgery: forgery::<256>,
        },
        Source { paper: "RFC 2104 with FIPS 180-4; RFC 4231", section: "section 2" },
    ))
};

const fn hmac_sha1(
    name: &'static str,
    tag_bytes: RangeInclusive<usize>,
    statement: &'static str,
) -> Algorithm {
    let source = Source { paper: "RFC 2104 with FIPS 180-4; RFC 2404", section: "section 2" };
    let summary = "HMAC with a hash that is broken as such; to compare with";
    let bound =
        Bound { statement, assumption: PSEUDORANDOM, source: BELLARE, forgery: forgery::<160> };
    comparator::<HmacSha1, 20>(name, summary, 20, tag_bytes, &[("hash", "SHA-1")], bound, source)
}

const fn hmac_md5(
    name: &'static str,
    tag_bytes: RangeInclusive<usize>,
    statement: &'static str,
) -> Algorithm {
    let source = Source { paper: "RFC 2104 with RFC 1321; RFC 2403", section: "section 2" };
    let summary = "HMAC with a hash that is broken as such; to compare with";
    let bound =
        Bound { statement, assumption: PSEUDORANDOM, source: BELLARE, forgery: forgery::<128> };
    comparator::<HmacMd5, 16>(name, summary, 16, tag_bytes, &[("hash", "MD5")], bound, source)
}

const PSEUDORANDOM: &str = "the hash's compression function is a pseudorandom function";
const BELLARE: &str = "Bellare, New proofs for NMAC and HMAC (CRYPTO 2006)";

/// The bound for a hash of `BITS` bits.
fn forgery<const BITS: u32>(_: &str, usage: &Usage) -> Result<Forgery, Unbounded> {
    let (seen, blocks) = (usage.seen(), hmac_blocks(usage.message_bytes));
    let letters = [("p", SEEN, seen), ("m", HMAC_BLOCKS, blocks)];
    Ok(bound(COMPRESSION, &letters, &[hmac_collision(seen, blocks, BITS), guess(usage)]))
}
