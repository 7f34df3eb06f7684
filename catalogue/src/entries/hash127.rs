//! hash127 with a pad from RC6.

use crate::algorithm::{Algorithm, Bound, Source, Status};
use crate::bounds::terms::{CIPHER, PAD_CALLS, forgery as bound};
use crate::bounds::{Forgery, Term, Unbounded, Usage, theorems};
use crate::boxed::nonce;
use crate::name::Name;
use wegman::hazmat::nonce_mac::HashAndPads;
use wegman_yardstick::hash127::{Hash127Rc6, pads_meet};

/// The secret is RC6's key and r.
pub(crate) const HASH127_RC6: Algorithm = Algorithm {
    name: Name::new("hash127-RC6"),
    summary: "polynomial hash modulo 2^127 - 1 and RC6 pad, key K || r; to compare with",
    status: Status::Comparator,
    key_bytes: 32,
    other_key_lengths: false,
    nonce_bytes: Some(<Hash127Rc6 as HashAndPads<16>>::NONCE_BYTES),
    tag_bytes: 16..=16,
    parameters: &[("modulus", "2^127 - 1"), ("word bits", "32"), ("cipher", "RC6-32/20/16")],
    bound: Bound {
        statement: "v (L + 1) / 2^126 + (q + 1)^2 / 2^126 for q messages, v forgery attempts, messages of at \
                    most L 32-bit words",
        assumption: "no nonce is used twice under a key, and RC6 is a pseudorandom permutation",
        source: "ours",
        forgery,
    },
    source: Source {
        paper: "Bernstein, The hash127 library interface (2000)",
        section: "the hash; pad, padding and tag are ours",
    },
    door: nonce::door::<Hash127Rc6, 16>(),
};

fn forgery(_: &str, usage: &Usage) -> Result<Forgery, Unbounded> {
    let (seen, bytes) = (usage.seen(), usage.message_bytes);
    // The words of 4 bytes of the message and the byte 01 after it.
    let words = bytes / 4 + 1;
    let hash = Term {
        name: "hash",
        formula: "v (l + 1) / 2^126",
        source: "ours",
        probability: theorems::hash127(words).times(usage.attempts),
    };
    let two_pads = Term {
        name: "pads",
        formula: "p^2 / 2^126",
        source: "ours: the switching lemma, and pads modulo 2^127 - 1",
        probability: pads_meet(seen),
    };
    let letters = [("l", "words of 32 bits of a message", words), ("p", PAD_CALLS, seen)];
    Ok(bound(CIPHER, &letters, &[hash, two_pads]))
}
