//! Carter.

use crate::algorithm::{Algorithm, Bound, Source, Status};
use crate::bounds::terms::hash_xor_pad;
use crate::bounds::{Forgery, Unbounded, Usage};
use crate::boxed::nonce;
use crate::name::Name;
use wegman::hazmat::nonce_mac::HashAndPads;
use wegman_carter::{Carter, Cipher};

/// Carter with tags of `N` bytes.
pub(crate) const fn entry<C: Cipher, const N: usize>(name: &'static str) -> Algorithm {
    Algorithm {
        name: Name::new(name),
        summary: "universal hash in GF(2^128) and AES pad; to be examined, not for data that must last",
        status: Status::Experimental,
        key_bytes: C::KEY_BYTES,
        other_key_lengths: false,
        nonce_bytes: Some(Carter::<C, N>::NONCE_BYTES),
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
            forgery,
        },
        source: Source { paper: "Carter (ours)", section: "docs/carter.md" },
        // The key's type has the longer nonce; `TwelveOrSixteen` accepts both lengths.
        door: nonce::door::<Carter<C, N>, N>(),
    }
}

fn forgery(_: &str, usage: &Usage) -> Result<Forgery, Unbounded> {
    let blocks = usage.message_bytes.div_ceil(2048).max(1);
    let n = ("n", "blocks of 2048 bytes of a message", blocks);
    Ok(hash_xor_pad(usage, n, 1 << 64, "ours: docs/carter.md"))
}
