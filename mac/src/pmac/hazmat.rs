//! Sharp tools: what PMAC's paper claims beyond tags (section 2), for those who know what they hold.
//!
//! | | what it does |
//! |---|---|
//! | [`Segment`] | a part of a message summed on its own, anywhere; parts combine to the message's tag |
//! | [`Sum`] | a message's sum, kept or taken back from its tag: append, truncate, replace |
//! | [`recover`] | one lost block, from the tag and the other blocks |
//! | [`LengthPreserving`] | a cipher whose ciphertext is as long as its message |
//! | [`key_with_tag_bits`] | tags of any number of bits, short ones too |
//!
//! **Segments and sums are as secret as the key.** Who sees the sum of a message that he knows can
//! forge: the sum of two messages that differ in one block tells an encrypted block, and that block may
//! be exchanged for others of which he knows the same. Only the last call, which makes the tag, hides
//! the sum. Store and send them encrypted; a tag is public.
//!
//! **An edit does not read the message.** It trusts the old bytes it is handed and the tag or sum it
//! begins with. If they do not belong together, the new tag is not that of the edited message: every
//! later check of that one fails, whatever right edits follow. But who exchanged a block A for A'
//! unseen and then waits for an edit that writes A there gets the tag of the message with A', which
//! nobody ever tagged: the sum loses what it never had. So edit what was checked, or what nobody else
//! can have changed; then an edited tag is worth what a tag made anew is (docs/pmac.md).

pub use super::edit::{EditError, Sum, recover};
pub use super::length_preserving::LengthPreserving;
pub use super::segment::{Segment, SegmentError};

use super::Key;
use crate::cipher::BlockCipher;
use crate::cpu::Cpu;
use crate::tag::InvalidLength;

/// A key for tags of `bits` bits: 1 to the cipher's block length, in `N` bytes of which the last one may
/// have zero bits at its end.
///
/// Each forgery attempt succeeds with probability `2^-bits`. Never use one secret with two tag lengths.
///
/// # Errors
/// [`InvalidLength`] if `bits` bits do not need exactly `N` bytes, or the cipher takes no such secret.
pub fn key_with_tag_bits<C: BlockCipher, const N: usize>(
    cpu: Cpu,
    secret: &[u8],
    bits: usize,
) -> Result<Key<C, N>, InvalidLength> {
    if bits == 0 || bits.div_ceil(8) != N {
        return Err(InvalidLength);
    }
    let unused = 8 * N - bits;
    Ok(Key::from_cipher(cpu, C::from_slice(cpu, secret)?, 0xff << unused))
}
