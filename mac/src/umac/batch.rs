//! Batches: eight messages at a time where a packet kernel does that.

use crate::nonce::Nonce;
use crate::tag::Tag;
use crate::umac::packet::{LANES, LONGEST, Packet, SHORT, Words};
use crate::umac::pdf::{self, Blocks, wipe};
use crate::umac::{Key, tag_bytes};

/// How many messages are looked at together.
pub(super) const BATCH: usize = 32;

type Eight<'m> = [&'m [u8]; LANES];

impl<const N: usize> Key<N> {
    /// The tags of messages under consecutive nonces, of which there must be enough.
    pub(super) fn tag_eights(
        &self,
        packet: Packet,
        first: &Nonce,
        messages: &[&[u8]],
        tags: &mut [Tag<N>],
    ) {
        // Neighbours whose pads share a block stay together, so some may come before them, alone.
        let before = pdf::before_a_block::<N>(first).min(messages.len());
        let (head, messages) = messages.split_at(before);
        let (head_tags, tags) = tags.split_at_mut(before);
        self.tag_singly(first, head, head_tags);

        // The nonces live on in their blocks: one that was stored a moment ago is slow to load.
        let mut next = pdf::blocks::<N>(&after(first, before));
        let mut blocks = [[0; 2 * LANES]; BATCH / LANES];
        let (eights, rest) = messages.as_chunks();
        let (eight_tags, rest_tags) = tags.as_chunks_mut();
        let mut words = None;
        for (i, (eights, tags)) in
            eights.chunks(BATCH / LANES).zip(eight_tags.chunks_mut(BATCH / LANES)).enumerate()
        {
            // Long before a kernel loads them, which must wait until they are in the cache.
            let blocks = &mut blocks[..eights.len()];
            pdf::blocks_of_eights::<N>(|| next.next(), blocks);
            // In steps of 64 bytes, and without a branch for each message: no message is longer, and
            // if all have at most a power of two of them, so has this.
            let steps = eights.as_flattened().iter().fold(0, |all, m| all | m.len().div_ceil(64));
            if steps <= LONGEST / 64 {
                self.tag_batch(packet, blocks, eights, steps, &mut words, tags);
            } else {
                let first = after(first, before + BATCH * i);
                self.tag_singly(&first, eights.as_flattened(), tags.as_flattened_mut());
            }
        }
        words.iter_mut().flatten().for_each(|Words(words)| wipe(words));
        if !rest.is_empty() {
            let first = after(first, before + LANES * eights.len());
            self.tag_singly(&first, rest, rest_tags);
        }
    }

    fn tag_singly(&self, first: &Nonce, messages: &[&[u8]], tags: &mut [Tag<N>]) {
        for (i, (message, tag)) in messages.iter().zip(tags).enumerate() {
            *tag = self.tag(&after(first, i), message);
        }
    }

    /// The tags of at most [`BATCH`] messages.
    #[inline]
    fn tag_batch(
        &self,
        packet: Packet,
        blocks: &[Blocks],
        eights: &[Eight],
        steps: usize,
        words: &mut Option<[Words; BATCH / LANES]>,
        tags: &mut [[Tag<N>; LANES]],
    ) {
        let mut slots = [[0; 2 * LANES]; BATCH / LANES];
        if steps <= SHORT / 64 {
            for ((eight, blocks), slots) in eights.iter().zip(blocks).zip(&mut slots) {
                packet.tag8(&self.hash, eight, blocks, slots);
            }
        } else {
            // All words first, so that no kernel waits for the sums of a single message.
            let words = words.get_or_insert([Words::ZERO; BATCH / LANES]);
            for (eight, words) in eights.iter().zip(&mut *words) {
                packet.words8(&self.hash, eight, words);
            }
            for ((words, blocks), slots) in words.iter().zip(blocks).zip(&mut slots) {
                packet.inner8(&self.hash, words, blocks, slots);
            }
        }
        let width = N.div_ceil(8);
        for (slots, tags) in slots.iter().zip(tags) {
            *tags = core::array::from_fn(|i| Tag::from(tag_bytes(&slots[width * i..])));
        }
    }
}

/// The nonce `count` places after the first. There is one: the caller has counted.
#[inline]
fn after(first: &Nonce, count: usize) -> Nonce {
    first.advance(count as u64).unwrap_or(*first)
}
