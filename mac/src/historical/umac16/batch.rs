//! Batches: pads made together, and short messages eight at a time if a packet kernel fits the machine.

use super::Layers;
use super::packet::{Packet, SHORT, Tags};
use crate::batch::EIGHT;
use crate::ct::wipe;
use crate::nonce::Nonce;
use crate::nonce_mac::{HashAndPads, nth};
use crate::pads::{self, PADS, Pads};
use crate::tag::Tag;
use crate::umac::packet::fill_blocks;

/// How many groups of eight messages get their tags at a time.
const EIGHTS: usize = PADS / EIGHT;

/// What is kept from one run of messages to the next. It wipes itself.
#[doc(hidden)]
pub struct Work {
    pads: Pads,
    /// The slots where kernels store tags. The tag that a forgery should have had is secret.
    slots: [Tags; EIGHTS],
}

impl Default for Work {
    fn default() -> Self {
        Work { pads: Pads::new(), slots: [[0; 16 * EIGHT]; EIGHTS] }
    }
}

impl Drop for Work {
    fn drop(&mut self) {
        let Work { pads: _, slots } = self; // the pads wipe themselves
        slots.iter_mut().for_each(wipe);
    }
}

impl<const N: usize> Layers<N> {
    /// The tags of messages under consecutive nonces. Callers have checked that there are enough nonces.
    pub(super) fn tag_in_runs(
        &self,
        work: &mut Work,
        first: &Nonce,
        messages: &[&[u8]],
        tags: &mut [Tag<N>],
    ) {
        // Messages whose pads share a block stay together. Those before the first whole block come first.
        let before = pads::before_a_block(first, N).min(messages.len());
        let (head, messages) = messages.split_at(before);
        let (head_tags, tags) = tags.split_at_mut(before);
        self.tag_few(work, first, head, head_tags);
        for (i, (messages, tags)) in messages.chunks(PADS).zip(tags.chunks_mut(PADS)).enumerate() {
            self.tag_few(work, &nth(first, before + PADS * i), messages, tags);
        }
    }

    /// The tags of at most [`PADS`] messages.
    fn tag_few(&self, work: &mut Work, first: &Nonce, messages: &[&[u8]], tags: &mut [Tag<N>]) {
        // An upper bound on the messages' lengths in steps of 64 bytes, without a branch for each message.
        let steps = messages.iter().fold(0, |all, message| all | message.len().div_ceil(SHORT));
        let done = match self.packet {
            Some(packet) if steps <= 1 && packet.takes_eight() => {
                self.tag_eights(packet, &mut work.slots, first, messages, tags)
            }
            _ => 0,
        };
        let (messages, tags) = (&messages[done..], &mut tags[done..]);
        if messages.is_empty() {
            return;
        }
        work.pads.fill(&nth(first, done), N, |blocks, count| self.encrypt(blocks, count));
        for (i, (tag, message)) in tags.iter_mut().zip(messages).enumerate() {
            *tag = self.tag_with_pad(work.pads.at(i, N), message);
        }
    }

    /// Tags whole groups of eight of the messages, all of them short, if the first message's pad begins a block.
    /// Returns the number of messages that it tagged.
    fn tag_eights(
        &self,
        packet: Packet,
        slots: &mut [Tags; EIGHTS],
        first: &Nonce,
        messages: &[&[u8]],
        tags: &mut [Tag<N>],
    ) -> usize {
        let (eights, _) = messages.as_chunks();
        if pads::before_a_block(first, N) > 0 || eights.is_empty() {
            return 0;
        }
        // The blocks are stored long before a kernel loads them: a load has to wait until they are in the cache.
        let mut blocks = [[0; 2 * EIGHT]; EIGHTS];
        fill_blocks(&mut pads::blocks(first, N), &mut blocks[..eights.len()], N);
        for ((eight, blocks), slots) in eights.iter().zip(&blocks).zip(&mut *slots) {
            packet.tag8(&self.hash, eight, blocks, slots);
        }
        let slots = slots.iter().flat_map(|slots| slots.chunks_exact(N).take(EIGHT));
        for (tag, slot) in tags.iter_mut().zip(slots).take(EIGHT * eights.len()) {
            *tag = Tag::from(*slot.first_chunk().expect("a tag's bytes"));
        }
        EIGHT * eights.len()
    }
}
