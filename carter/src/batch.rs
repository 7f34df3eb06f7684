//! Batches: messages under consecutive nonces, eight side by side.

use crate::rows::{HashKey, Packet};
use wegman::cipher::Block;
use wegman::hazmat::batch::{self, EIGHT};
use wegman::hazmat::ct::wipe;
use wegman::{Nonce, Tag};

/// The tags of eight messages.
pub type EightTags = [Block; EIGHT];

/// Tags messages under consecutive nonces, eight side by side. A tag of fewer than 16 bytes is a prefix of the kernel's.
/// `tags` has one place for each message, and there are enough nonces.
#[inline]
pub fn tag_in_eights<K: HashKey, const N: usize>(
    packet: Packet<K>,
    key: &K,
    first: &Nonce,
    messages: &[&[u8]],
    tags: &mut [Tag<N>],
) {
    let mut slots = [[0; 16]; EIGHT];
    let tag = |block, _, message: &[u8]| prefix(&packet.tag(key, block, message));
    batch::tag_in_eights(
        (first, 16),
        messages,
        tags,
        |eight, blocks, tags| {
            if !packet.tag8(key, eight, blocks, &mut slots) {
                return batch::tag_singly(&mut blocks.clone(), 16, eight, tags, tag);
            }
            for (tag, slot) in tags.iter_mut().zip(&slots) {
                *tag = prefix(slot);
            }
        },
        tag,
    );
    // They may hold tags that were not asked for, and the right tags of forgeries.
    wipe(&mut slots);
}

/// The tag: the first `N` of sixteen bytes.
#[inline]
pub fn prefix<const N: usize>(bytes: &Block) -> Tag<N> {
    Tag::from(*bytes.first_chunk().expect("a tag has at most 16 bytes"))
}
