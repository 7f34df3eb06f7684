//! UMAC of RFC 4418.

use crate::algorithm::{Algorithm, Bound, Source, Status};
use crate::bounds::terms::{AES_TWICE, PAD_CALLS, forgery as bound, pads, subkeys};
use crate::bounds::{Forgery, Probability, Term, Unbounded, Usage, theorems};
use crate::boxed::nonce;
use crate::name::Name;
use wegman::hazmat::nonce_mac::HashAndPads;
use wegman::umac::Umac;

/// The parameters for 1 to 4 streams.
const STREAMS: [[(&str, &str); 4]; 4] = [umac_of("1"), umac_of("2"), umac_of("3"), umac_of("4")];

const fn umac_of(streams: &'static str) -> [(&'static str, &'static str); 4] {
    [("streams", streams), ("word bits", "32"), ("chunk bytes", "1024"), ("cipher", "AES-128")]
}

/// A member of RFC 4418's family: tags of `N` bytes from `N / 4` streams.
pub(crate) const fn entry<const N: usize>(
    name: &'static str,
    status: Status,
    statement: &'static str,
) -> Algorithm {
    Algorithm {
        name: Name::new(name),
        summary: "universal hash and AES pad; for packets, records and SSH, under a counter nonce",
        status,
        key_bytes: 16,
        other_key_lengths: false,
        nonce_bytes: Some(Umac::<N>::NONCE_BYTES),
        tag_bytes: N..=N,
        parameters: &STREAMS[N / 4 - 1],
        bound: Bound {
            statement,
            assumption: "no nonce is used twice under a key, and AES-128 is a pseudorandom function",
            source: "RFC 4418, section 6; UMAC (CRYPTO '99, full version), Theorem 8.2",
            forgery: forgery::<N>,
        },
        source: Source { paper: "RFC 4418, with erratum 3507", section: "sections 3 to 5" },
        door: nonce::door::<Umac<N>, N>(),
    }
}

/// The bound for tags of `N` bytes.
fn forgery<const N: usize>(_: &str, usage: &Usage) -> Result<Forgery, Unbounded> {
    let streams = N as u32 / 4;
    let seen = usage.seen();
    let calls = rfc4418_subkeys(streams);
    Ok(bound(
        AES_TWICE,
        &[
            ("x", "streams, t / 32", streams.into()),
            ("p", PAD_CALLS, seen),
            ("k", "cipher calls for the subkeys", calls.into()),
        ],
        &[
            Term {
                name: "hash",
                formula: "v * 2^-(30 x)",
                source: "RFC 4418, section 6",
                probability: Probability::half_to(30 * streams).times(usage.attempts),
            },
            pads(theorems::switching(seen, 128), "p (p - 1) / 2^129"),
            subkeys(calls),
        ],
    ))
}

/// The cipher calls of RFC 4418's KDF: for the keys of the layers, the masks and the key of the pads.
const fn rfc4418_subkeys(streams: u32) -> u32 {
    let l1 = 64 + (streams - 1);
    let l2 = (24 * streams).div_ceil(16);
    let l3 = 4 * streams;
    let masks = (4 * streams).div_ceil(16);
    l1 + l2 + l3 + masks + 1
}
