//! Protected counter sums.

use crate::algorithm::{Algorithm, Bound, Source};
use crate::bounds::terms::{CALLS, CIPHER, SEEN, forgery as bound, guess, switched};
use crate::bounds::{Forgery, Term, Unbounded, Usage, theorems};
use crate::entries::comparator::comparator;
use wegman::Aes128;
use wegman_yardstick::pcs::Pcs;

/// Tags of 8 bytes are the paper's value.
pub(crate) const PCS_AES128: Algorithm = comparator::<Pcs<Aes128>, 16>(
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
        forgery,
    },
    Source {
        paper: "Bernstein, How to stretch random functions (J. Cryptology 1999)",
        section: "the combination; sizes and padding are ours",
    },
);

fn forgery(_: &str, usage: &Usage) -> Result<Forgery, Unbounded> {
    let (seen, bytes) = (usage.seen(), usage.message_bytes);
    let calls = seen.saturating_mul(bytes / 8 + 2);
    let equal = Term {
        name: "sums meet",
        formula: "p^2 / 2^65",
        source: "ours, after Bernstein, How to stretch random functions (1999)",
        probability: theorems::equal_sums(seen),
    };
    let letters = [("p", SEEN, seen), ("s", CALLS, calls)];
    Ok(bound(CIPHER, &letters, &[equal, switched("calls", calls), guess(usage)]))
}
