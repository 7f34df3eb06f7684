//! Batches: short messages eight at a time if a packet kernel fits the machine.

use super::Umac16;
use super::packet::{Packet, SHORT};
use crate::batch::{EIGHT, tag_in_eights, tag_singly};
use crate::ct::wipe;
use crate::nonce::Nonce;
use crate::nonce_mac::HashAndPads;
use crate::tag::Tag;

impl<const N: usize> Umac16<N> {
    /// The tags of messages under consecutive nonces, by a kernel that takes eight. Callers have checked that there are
    /// enough nonces.
    pub(super) fn tag_eights(
        &self,
        packet: Packet,
        first: &Nonce,
        messages: &[&[u8]],
        tags: &mut [Tag<N>],
    ) {
        let mut slots = [0; 16 * EIGHT];
        let tag = |block, start, message: &[u8]| self.tag(block, start, message);
        tag_in_eights(
            (first, N),
            messages,
            tags,
            |eight, blocks, tags| {
                // An upper bound on the messages' lengths in steps of 64 bytes, without a branch for each message.
                let steps =
                    eight.iter().fold(0, |all, message| all | message.len().div_ceil(SHORT));
                if steps <= 1 {
                    packet.tag8(&self.hash, eight, blocks, &mut slots);
                    for (tag, slot) in tags.iter_mut().zip(slots.chunks_exact(N)) {
                        *tag = Tag::from(*slot.first_chunk().expect("a tag's bytes"));
                    }
                    return;
                }
                tag_singly(&mut blocks.clone(), N, eight, tags, tag);
            },
            tag,
        );
        wipe(&mut slots); // the tag that a forgery should have had is secret
    }
}
