//! Batches: pads made together, and short messages eight at a time where a packet kernel does that.

use super::Key;
use super::packet::{Packet, SHORT, Tags};
use crate::nonce::Nonce;
use crate::tag::Tag;
use crate::umac::packet::LANES;
use crate::umac::pdf::{self, PADS, Pads};
use crate::umac::tag;
use crate::wipe::wipe;

/// Eights of messages whose tags are made at a time.
const EIGHTS: usize = PADS / LANES;

/// What is kept from one run of messages to the next.
pub(super) struct Work<const N: usize> {
    pads: Pads<N>,
    /// Where kernels put tags; those that forgeries should have had are secret.
    slots: [Tags; EIGHTS],
}

impl<const N: usize> Work<N> {
    pub(super) const fn new() -> Self {
        Work { pads: Pads::new(), slots: [[0; 16 * LANES]; EIGHTS] }
    }

    pub(super) fn wipe(&mut self) {
        let Work { pads, slots } = self;
        pads.wipe();
        slots.iter_mut().for_each(wipe);
    }
}

impl<const N: usize> Key<N> {
    /// The tags of at most [`PADS`] messages under consecutive nonces, of which there must be enough.
    pub(super) fn tag_run(
        &self,
        work: &mut Work<N>,
        first: &Nonce,
        messages: &[&[u8]],
        tags: &mut [Tag<N>],
    ) {
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
        let first = first.advance(done as u64).expect("there are as many nonces as messages");
        work.pads.fill(&first, |words, count| {
            pdf::encrypt(&self.pad, &mut words.as_chunks_mut().0[..count]);
        });
        for (i, (slot, message)) in tags.iter_mut().zip(messages).enumerate() {
            *slot = tag(self.hash::<N>(message), work.pads.at(i));
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
        if pdf::before_a_block::<N>(first) > 0 || eights.is_empty() {
            return 0;
        }
        // Long before a kernel loads them, which must wait until they are in the cache.
        let mut blocks = [[0; 2 * LANES]; EIGHTS];
        pdf::blocks_of_eights::<N>(&mut pdf::blocks::<N>(first), &mut blocks[..eights.len()]);
        for ((eight, blocks), slots) in eights.iter().zip(&blocks).zip(&mut *slots) {
            packet.tag8(&self.hash, eight, blocks, slots);
        }
        let slots = slots.iter().flat_map(|slots| slots.chunks_exact(N).take(LANES));
        for (tag, slot) in tags.iter_mut().zip(slots).take(LANES * eights.len()) {
            *tag = Tag::from(*slot.first_chunk().expect("a tag's bytes"));
        }
        LANES * eights.len()
    }
}
