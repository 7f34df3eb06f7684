//! What the PMAC paper offers beyond tags (section 4). Read the two warnings below before use.
//!
//! | | what it does |
//! |---|---|
//! | [`Segment`] | sums a part of a message on its own, at any position; segments combine to the message's tag |
//! | [`SegmentStream`] | the same for a part that arrives in pieces |
//! | [`Sum`] | keeps the sum of a message, or recovers it from the tag: append, truncate, replace |
//! | [`recover`] | recovers one lost block from the tag and the other blocks |
//! | [`LengthPreserving`] | a cipher whose ciphertext is as long as its message |
//! | [`key_with_tag_bits`] | a key for tags of any number of bits, also short ones |
//!
//! **Segments and sums are as secret as the key.** Anyone who knows a message and its sum can forge: the sums of two
//! messages that differ in one block reveal an encrypted block, and that block can be exchanged for another whose
//! encryption is known in the same way. Only the last cipher call, which makes the tag, hides the sum. Encrypt segments
//! and sums to store or send them. A tag is public.
//!
//! **An edit does not read the message.** It trusts the old bytes it receives, and the tag or sum it starts from. If
//! they do not belong together, the new tag is not that of the edited message, and no later correct edit repairs it:
//! every verification fails. There is one exception. Suppose that an attacker secretly replaces a block A by A' and
//! waits for an edit that writes A there. The result is the tag of the message with A', which nobody ever tagged: the
//! edit removes from the sum what it never contained. So edit only what was verified, or what nobody else can have
//! changed; then an edited tag is as good as a new one (docs/pmac.md).

pub use super::edit::{EditError, Sum, recover};
pub use super::length_preserving::LengthPreserving;
pub use super::segment::{Segment, SegmentError};
pub use super::segment_stream::SegmentStream;

use super::Key;
use crate::cipher::BlockCipher;
use crate::cpu::Cpu;
use crate::tag::InvalidLength;

/// A key for tags of `bits` bits, 1 to the cipher's block length. They take `N` bytes; unused bits at the end of the
/// last byte are zero.
///
/// Each forgery attempt succeeds with probability `2^-bits`. Never use one secret with two tag lengths.
///
/// # Errors
/// [`InvalidLength`] if `bits` bits do not take exactly `N` bytes, or the cipher takes no key of the secret's length.
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
