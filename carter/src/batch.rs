//! Batches: messages under consecutive nonces, eight side by side.

use crate::rows::{EightTags, HashKey, Packet};
use core::any::Any;
use wegman::Tag;
use wegman::hazmat::batch::EIGHT;
use wegman::hazmat::pads::Blocks;

/// The tags of eight messages; or false if they take no less time one by one. A tag of fewer than 16 bytes is a prefix
/// of the kernel's.
#[inline]
pub fn tag_eight<K: HashKey, const N: usize>(
    packet: Packet<K>,
    key: &K,
    blocks: &Blocks,
    messages: &[&[u8]; EIGHT],
    tags: &mut [Tag<N>; EIGHT],
) -> bool {
    // Each way from eight tags to those of the caller would be a quarter of what a short message costs.
    if let Some(tags) = (tags as &mut dyn Any).downcast_mut::<EightTags>() {
        return packet.tag8(key, messages, blocks, tags);
    }
    let mut whole = [Tag::from([0; 16]); EIGHT];
    let is_done = packet.tag8(key, messages, blocks, &mut whole);
    if is_done {
        for (tag, whole) in tags.iter_mut().zip(&whole) {
            *tag = Tag::from(*whole.to_bytes().first_chunk().expect("at most 16 bytes"));
        }
        // The right tags of forgeries are secret.
        whole = [Tag::from([0; 16]); EIGHT];
        core::hint::black_box(&whole);
    }
    is_done
}
