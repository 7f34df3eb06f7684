//! Batches: pads made together, and short messages eight at a time where a packet kernel does that.

use super::Umac16;
use super::packet::{Packet, SHORT, Tags};
use crate::batch::EIGHT;
use crate::ct::wipe;
use crate::nonce::Nonce;
use crate::nonce_mac::{HashAndPads, nth};
use crate::pads::{self, PADS, Pads};
use crate::tag::Tag;
use crate::umac::packet::fill_blocks;

/// Eights of messages whose tags are made at a time.
const EIGHTS: usize = PADS / EIGHT;

/// What is kept from one run of messages to the next. It wipes itself.
#[doc(hidden)]
pub struct Work {
    pads: Pads,
    /// Where kernels put tags; those that forgeries should have had are secret.
    slots: [Tags; EIGHTS],
}

impl Default for Work {
    fn default() -> Self {
        Work { pads: Pads::new(), slots: [[0; 16 * EIGHT]; EIGHTS] }
    }
}

impl Drop for Work {
    fn drop(&mut self) {
        let Work { pads: _, slots } = self; // `pads` wipe themselves
        slots.iter_mut().for_each(wipe);
    }
}

impl<const N: usize> Umac16<N> {
    /// The tags of messages under consecutive nonces. Callers have checked that there are enough nonces.
    pub(super) fn tag_in_runs(
        &self,
        work: &mut Work,
        first: &Nonce,
        messages: &[&[u8]],
        tags: &mut [Tag<N>],
    ) {
        // Neighbours whose pads share a block stay together, so some may come before them.
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
        // Without a branch for each message: no message is longer.
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

    /// The tags of as many of the messages, all of them short, as are whole eights whose pads begin a block. Returns
    /// how many that are.
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
        // Long before a kernel loads them, which must wait until they are in the cache.
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
