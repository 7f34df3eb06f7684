//! Batches: messages under consecutive nonces, eight side by side.

use wegman::Tag;
use wegman::cipher::Block;
use wegman::hazmat::batch::{BATCH, EIGHT};
use wegman::hazmat::ct::wipe;
use wegman::hazmat::pads;
use wegman::hazmat::raw::Nonce;

/// Eight blocks: those of eight nonces, and in their place the tags.
pub type EightBlocks = [Block; EIGHT];

/// Tags messages under consecutive nonces, eight side by side, for pads that are a whole block each. `tag8` receives
/// eight messages and the blocks of their nonces and replaces the blocks with tags; `tag` tags one message. A tag of
/// fewer than 16 bytes is a prefix of these. `tags` has one place for each message.
#[inline]
pub fn tag_in_eights<const N: usize>(
    first: &Nonce,
    messages: &[&[u8]],
    tags: &mut [Tag<N>],
    tag8: impl Fn(&[&[u8]; EIGHT], &mut EightBlocks),
    tag: impl Fn(u128, &[u8]) -> Block,
) {
    let mut next = pads::blocks(first, 16);
    let mut slots: [EightBlocks; BATCH / EIGHT] = [[[0; 16]; EIGHT]; BATCH / EIGHT];
    for (messages, tags) in messages.chunks(BATCH).zip(tags.chunks_mut(BATCH)) {
        // Stored long before a kernel loads them, since it must wait until they are in the cache.
        let slots = &mut slots[..messages.len().div_ceil(EIGHT)];
        for slot in slots.as_flattened_mut() {
            let (halves, _) = slot.as_chunks_mut();
            for (half, word) in halves.iter_mut().zip(next()) {
                *half = word.to_le_bytes();
            }
        }
        let (eights, rest) = messages.as_chunks();
        for (eight, slots) in eights.iter().zip(&mut *slots) {
            tag8(eight, slots);
        }
        if rest.len() < EIGHT / 2 {
            for (message, slot) in
                rest.iter().zip(&mut slots.as_flattened_mut()[EIGHT * eights.len()..])
            {
                *slot = tag(u128::from_le_bytes(*slot), message);
            }
        } else {
            // The places left over get one byte of a message, which costs little; empty only if that message is.
            let mut eight = [&rest[0][..rest[0].len().min(1)]; EIGHT];
            eight[..rest.len()].copy_from_slice(rest);
            tag8(&eight, &mut slots[eights.len()]);
        }
        for (tag, slot) in tags.iter_mut().zip(slots.as_flattened()) {
            *tag = Tag::from(*slot.first_chunk().expect("a tag has at most 16 bytes"));
        }
    }
    // These hold tags that were not asked for, and pads of later nonces.
    wipe(&mut slots);
}
