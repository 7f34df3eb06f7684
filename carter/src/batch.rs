//! Batches: messages under consecutive nonces, eight side by side.

use crate::rows::{HashKey, Packet};
use wegman::Tag;
use wegman::cipher::Block;
use wegman::hazmat::batch::EIGHT;
use wegman::hazmat::ct::wipe;
use wegman::hazmat::pads::Blocks;

/// The tags of eight messages; or false if they take no less time one by one. A tag of fewer than 16 bytes is a prefix of
/// the kernel's.
#[inline]
pub fn tag_eight<K: HashKey, const N: usize>(
    packet: Packet<K>,
    key: &K,
    blocks: &Blocks,
    messages: &[&[u8]; EIGHT],
    tags: &mut [Tag<N>; EIGHT],
) -> bool {
    let mut slots = [[0; 16]; EIGHT];
    let is_done = packet.tag8(key, messages, blocks, &mut slots);
    if is_done {
        *tags = slots.each_ref().map(prefix);
        wipe(&mut slots); // the right tags of forgeries are secret
    }
    is_done
}

/// The tag: the first `N` of sixteen bytes.
#[inline]
pub fn prefix<const N: usize>(bytes: &Block) -> Tag<N> {
    Tag::from(*bytes.first_chunk().expect("a tag has at most 16 bytes"))
}
