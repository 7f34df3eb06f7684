//! Batches: eight messages at a time if a packet kernel fits the machine.

use crate::batch::{BATCH, EIGHT};
use crate::ct::wipe;
use crate::nonce::Nonce;
use crate::nonce_mac::{HashAndPads, nth};
use crate::pads::{self, first_bytes};
use crate::tag::Tag;
use crate::umac::Umac;
use crate::umac::kdf::Edition;
use crate::umac::packet::{self, Blocks, LONGEST, Packet, SHORT, Words, fill_blocks};

type Eight<'m> = [&'m [u8]; EIGHT];

/// The slots where kernels store the tags of a batch.
pub type Slots = [packet::Tags; BATCH / EIGHT];

impl<const N: usize, E: Edition> Umac<N, E> {
    /// The tags of messages under consecutive nonces. Callers have checked that there are enough nonces.
    pub(super) fn tag_eights(
        &self,
        packet: Packet,
        first: &Nonce,
        messages: &[&[u8]],
        tags: &mut [Tag<N>],
        slots: &mut Slots,
    ) {
        // Messages whose pads share a block stay together. Those before the first whole block are tagged singly.
        let before = pads::before_a_block(first, N).min(messages.len());
        let (head, messages) = messages.split_at(before);
        let (head_tags, tags) = tags.split_at_mut(before);
        self.tag_singly(first, head, head_tags);
        if messages.is_empty() {
            return;
        }

        // The nonces are counted in their blocks: a nonce that was stored a moment ago would be slow to load.
        let mut next = pads::blocks(&nth(first, before), N);
        let mut blocks = [[0; 2 * EIGHT]; BATCH / EIGHT];
        let (eights, rest) = messages.as_chunks();
        let (eight_tags, rest_tags) = tags.as_chunks_mut::<EIGHT>();
        let mut words = None;
        for (i, (eights, tags)) in
            eights.chunks(BATCH / EIGHT).zip(eight_tags.chunks_mut(BATCH / EIGHT)).enumerate()
        {
            // The blocks are stored long before a kernel loads them: a load has to wait until they are in the cache.
            let blocks = &mut blocks[..eights.len()];
            fill_blocks(&mut next, blocks, N);
            // An upper bound on the messages' lengths in steps of 64 bytes, without a branch for each message. The
            // bound may exceed the longest message, but not if all messages are short.
            let steps = eights.as_flattened().iter().fold(0, |all, m| all | m.len().div_ceil(64));
            if steps <= LONGEST / 64 {
                let slots = &mut slots[..eights.len()];
                self.tag_batch(packet, eights, steps, blocks, &mut words, slots);
                for (slots, tags) in slots.iter().zip(tags) {
                    let width = N.div_ceil(8);
                    *tags = core::array::from_fn(|i| Tag::from(tag_bytes(&slots[width * i..])));
                }
            } else {
                let first = nth(first, before + BATCH * i);
                self.tag_singly(&first, eights.as_flattened(), tags.as_flattened_mut());
            }
        }
        words.iter_mut().flatten().for_each(|Words(words)| wipe(words));
        if !rest.is_empty() {
            let first = nth(first, before + EIGHT * eights.len());
            self.tag_singly(&first, rest, rest_tags);
        }
    }

    fn tag_singly(&self, first: &Nonce, messages: &[&[u8]], tags: &mut [Tag<N>]) {
        for (i, (message, tag)) in messages.iter().zip(tags).enumerate() {
            let (block, start) = pads::block(&nth(first, i), N);
            *tag = self.tag(block, start, message);
        }
    }

    /// The tags of at most [`BATCH`] messages, each of at most `steps` steps of 64 bytes.
    #[inline]
    fn tag_batch(
        &self,
        packet: Packet,
        eights: &[Eight],
        steps: usize,
        blocks: &[Blocks],
        words: &mut Option<[Words; BATCH / EIGHT]>,
        tags: &mut [packet::Tags],
    ) {
        if steps <= SHORT / 64 {
            for ((eight, blocks), tags) in eights.iter().zip(blocks).zip(tags) {
                packet.tag8(&self.hash, eight, blocks, tags);
            }
            return;
        }
        // All words come first, so that no kernel waits for the sums of a single message.
        let words = words.get_or_insert([Words::ZERO; BATCH / EIGHT]);
        for (eight, words) in eights.iter().zip(&mut *words) {
            packet.words8(&self.hash, eight, words);
        }
        for ((words, blocks), tags) in words.iter().zip(blocks).zip(tags) {
            packet.inner8(&self.hash, words, blocks, tags);
        }
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
