//! The partial MAC: a MAC of some parts of the message, weak by design. It has no entry, since its keys need more than
//! a secret; here is its bound.

use crate::bounds::terms::{
    COMPRESSION, HMAC_BLOCKS, SEEN, forgery as bound, guess, hmac_blocks, hmac_collision,
};
use crate::bounds::{Forgery, Term, Unbounded, Usage, theorems};

/// The bound on forgeries that change one part of a region of `region` parts.
///
/// # Errors
/// None at present; the type is that of all bounds.
pub fn one_part(usage: &Usage, region: u32) -> Result<Forgery, Unbounded> {
    let (seen, bytes) = (usage.seen(), usage.message_bytes);
    let blocks = hmac_blocks(bytes.saturating_add(16));
    let missed = Term {
        name: "not looked at",
        formula: "v (1 - 1 / n)",
        source: "ours: one part is changed",
        probability: theorems::unnoticed(region.into(), 1).times(usage.attempts),
    };
    let letters = [
        ("n", "parts of a region, one of which is looked at", region.into()),
        ("p", SEEN, seen),
        ("m", HMAC_BLOCKS, blocks),
    ];
    Ok(bound(COMPRESSION, &letters, &[missed, hmac_collision(seen, blocks, 160), guess(usage)]))
}
