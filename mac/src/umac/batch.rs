//! Batches: eight messages at a time where a packet kernel does that.

use crate::nonce::Nonce;
use crate::tag::Tag;
use crate::umac::l1_nh::CHUNK;
use crate::umac::l2_poly::WORDS_64;
use crate::umac::packet::{LANES, Packet, SHORT, Words};
use crate::umac::pdf::{self, wipe};
use crate::umac::{Key, State, not_last, tag_bytes};

/// How many messages are looked at together.
pub(super) const BATCH: usize = 32;

/// The longest message of which level 2 makes words of 64 bits.
const LONGEST_64: usize = WORDS_64 as usize * CHUNK;

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
        let mut nonce = self.tag_singly(*first, head, head_tags);

        let (eights, rest) = messages.as_chunks();
        let (eight_tags, rest_tags) = tags.as_chunks_mut();
        let mut words = None;
        for (eights, tags) in
            eights.chunks(BATCH / LANES).zip(eight_tags.chunks_mut(BATCH / LANES))
        {
            nonce = self.tag_batch(packet, nonce, eights, &mut words, tags);
        }
        words.iter_mut().flatten().for_each(|Words(words)| wipe(words));
        self.tag_singly(nonce, rest, rest_tags);
    }

    /// Returns the next nonce; if there is none, any.
    fn tag_singly(&self, first: Nonce, messages: &[&[u8]], tags: &mut [Tag<N>]) -> Nonce {
        let mut nonce = first;
        for (message, tag) in messages.iter().zip(tags) {
            *tag = self.tag(&nonce, message);
            nonce = nonce.next().unwrap_or(nonce);
        }
        nonce
    }

    /// The tags of at most [`BATCH`] messages. Returns the next nonce; if there is none, any.
    fn tag_batch(
        &self,
        packet: Packet,
        first: Nonce,
        eights: &[Eight],
        words: &mut Option<[Words; BATCH / LANES]>,
        tags: &mut [[Tag<N>; LANES]],
    ) -> Nonce {
        // Long before a kernel loads them, which must wait until they are in the cache.
        let blocks = pdf::blocks_of_eights::<N>(&first);
        let longest = eights.as_flattened().iter().fold(0, |max, message| max.max(message.len()));
        if longest > LONGEST_64 {
            return self.tag_singly(first, eights.as_flattened(), tags.as_flattened_mut());
        }

        let mut slots = [0; 2 * LANES];
        let width = N.div_ceil(8);
        let tags_in = |slots: &[u64; 2 * LANES]| {
            core::array::from_fn(|i| Tag::from(tag_bytes(&slots[width * i..])))
        };
        if longest <= SHORT {
            for ((eight, blocks), tags) in eights.iter().zip(&blocks).zip(tags) {
                packet.tag8(&self.hash, eight, blocks, &mut slots);
                *tags = tags_in(&slots);
            }
        } else {
            // All words first, so that no kernel waits for the sums of a single message.
            let words = words.get_or_insert([Words::ZERO; BATCH / LANES]);
            for (eight, words) in eights.iter().zip(&mut *words) {
                packet.words8(&self.hash, eight, words);
                if longest > CHUNK {
                    self.words_of_long(eight, words);
                }
            }
            for ((words, blocks), tags) in words.iter().zip(&blocks).zip(tags) {
                packet.inner8(&self.hash, words, blocks, &mut slots);
                *tags = tags_in(&slots);
            }
        }
        first.advance((LANES * eights.len()) as u64).unwrap_or(first)
    }

    /// The words of those of eight messages that have more than a chunk.
    fn words_of_long(&self, messages: &Eight, words: &mut Words) {
        for (message, words) in messages.iter().zip(words.of_each::<N>()) {
            if message.len() > CHUNK {
                let (chunks, last) = not_last(message);
                let mut state = State::new();
                state.absorb(self, chunks);
                for (word, of_stream) in words.iter_mut().zip(state.words(self, last)) {
                    *word = of_stream as u64;
                }
            }
        }
    }
}
