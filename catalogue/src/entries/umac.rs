//! UMAC of RFC 4418.

use crate::algorithm::{Algorithm, Bound, Source, Status};
use crate::bounds::terms::{forgery_beside_pads, permuted_pads, permuted_subkeys};
use crate::bounds::{Forgery, Probability, Term, Unbounded, Usage};
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
            assumption: "no nonce is used twice under a key, and AES-128 is a pseudorandom permutation",
            source: "RFC 4418, section 6 (proved by Coq); Bernstein (EUROCRYPT 2005)",
            forgery: forgery::<N>,
        },
        source: Source { paper: "RFC 4418, with erratum 3507", section: "sections 3 to 5" },
        door: nonce::door::<Umac<N>, N>(),
    }
}

/// The bound for tags of `N` bytes.
fn forgery<const N: usize>(_: &str, usage: &Usage) -> Result<Forgery, Unbounded> {
    let streams = N as u32 / 4;
    // Nothing is proved of longer messages.
    let bits = if usage.message_bytes > 1 << 64 { 0 } else { 30 * streams };
    let hash = Term {
        name: "hash",
        formula: "v * 2^-(30 x)",
        source: "RFC 4418, section 6 (proved by Coq)",
        probability: Probability::half_to(bits).times(usage.attempts),
    };
    let pads = permuted_pads(&hash, usage.messages, 1);
    let subkeys = permuted_subkeys(&hash, &pads);
    let x = ("x", "streams, t / 32", streams.into());
    Ok(forgery_beside_pads(&[x], &[hash, pads, subkeys]))
}
