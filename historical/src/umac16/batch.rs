//! Batches: eight short messages side by side if a packet kernel fits the machine.

use super::Layers;
use super::packet::SHORT;
use wegman::Tag;
use wegman::hazmat::batch::EIGHT;
use wegman::hazmat::ct::wipe;
use wegman::hazmat::pads::Blocks;

impl<const N: usize> Layers<N> {
    /// The tags of eight messages, by a kernel that takes eight; or false if a message is too long, or there is none.
    pub(super) fn tag_eight(
        &self,
        blocks: &Blocks,
        messages: &[&[u8]; EIGHT],
        tags: &mut [Tag<N>; EIGHT],
    ) -> bool {
        // An upper bound on the messages' lengths in steps of 64 bytes, without a branch for each message.
        let steps = messages.iter().fold(0, |all, message| all | message.len().div_ceil(SHORT));
        if steps > 1 {
            return false;
        }
        let Some(packet) = self.packet else { return false };
        let mut slots = [0; 16 * EIGHT];
        packet.tag8(&self.hash, messages, blocks, &mut slots);
        for (tag, slot) in tags.iter_mut().zip(slots.chunks_exact(N)) {
            *tag = Tag::from(*slot.first_chunk().expect("a tag's bytes"));
        }
        wipe(&mut slots); // the tag that a forgery should have had is secret
        true
    }
}
