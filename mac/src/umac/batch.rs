//! Batches: eight messages at a time if a packet kernel fits the machine.

use crate::batch::{tag_in_eights, tag_singly};
use crate::ct::wipe;
use crate::nonce::Nonce;
use crate::nonce_mac::HashAndPads;
use crate::pads::first_bytes;
use crate::tag::Tag;
use crate::umac::Umac;
use crate::umac::kdf::Edition;
use crate::umac::packet::{LONGEST, Packet, SHORT, Tags, Words};

impl<const N: usize, E: Edition> Umac<N, E> {
    /// The tags of messages under consecutive nonces. Callers have checked that there are enough nonces.
    pub(super) fn tag_eights(
        &self,
        packet: Packet,
        first: &Nonce,
        messages: &[&[u8]],
        tags: &mut [Tag<N>],
    ) {
        let mut slots: Tags = [0; 16];
        let mut words = None;
        let tag = |block, start, message: &[u8]| self.tag(block, start, message);
        tag_in_eights(
            (first, N),
            messages,
            tags,
            |eight, blocks, tags| {
                // An upper bound on the messages' lengths in steps of 64 bytes, without a branch for each message. The bound
                // may exceed the longest message, but not if all messages are short.
                let steps = eight.iter().fold(0, |all, message| all | message.len().div_ceil(64));
                if steps <= SHORT / 64 {
                    packet.tag8(&self.hash, eight, blocks, &mut slots);
                } else if steps <= LONGEST / 64 {
                    let words = words.get_or_insert(Words::ZERO);
                    packet.words8(&self.hash, eight, words);
                    packet.inner8(&self.hash, words, blocks, &mut slots);
                } else {
                    return tag_singly(&mut blocks.clone(), N, eight, tags, tag);
                }
                for (tag, slot) in tags.iter_mut().zip(slots.chunks(N.div_ceil(8))) {
                    *tag = Tag::from(tag_bytes(slot));
                }
            },
            tag,
        );
        // They may hold tags that were not asked for, and the right tags of forgeries.
        wipe(&mut slots);
        words.iter_mut().for_each(|Words(words)| wipe(words));
    }
}

/// The tag at the beginning of `words`.
#[inline]
fn tag_bytes<const N: usize>(words: &[u64]) -> [u8; N] {
    match N {
        ..=8 => first_bytes(u128::from(words[0])),
        _ => first_bytes(u128::from(words[1]) << 64 | u128::from(words[0])),
    }
}
