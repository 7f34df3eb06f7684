//! Batches: eight messages side by side if a packet kernel fits the machine.

use crate::batch::EIGHT;
use crate::ct::wipe;
use crate::pads::{Blocks, first_bytes};
use crate::tag::Tag;
use crate::umac::Umac;
use crate::umac::kdf::Edition;
use crate::umac::packet::{NEAR, SHORT, Tags, Words};

impl<const N: usize, E: Edition> Umac<N, E> {
    /// The tags of eight messages; or false if a message is too long, or empty.
    #[inline]
    pub(super) fn tag_eight(
        &self,
        blocks: &Blocks,
        messages: &[&[u8]; EIGHT],
        tags: &mut [Tag<N>; EIGHT],
    ) -> bool {
        // An upper bound on the messages' lengths less one, without a branch for each message. It may exceed the longest,
        // but not if all are short. An empty message counts as too long.
        let Some(packet) = self.packet else { return false };
        let longest = messages.iter().fold(0, |all, message| all | message.len().wrapping_sub(1));
        let mut slots: Tags = [0; 16];
        if longest < SHORT {
            packet.tag8(&self.hash, messages, blocks, &mut slots);
        } else if longest < NEAR {
            let mut words = Words::ZERO;
            packet.words8(&self.hash, messages, &mut words);
            packet.inner8(&self.hash, &words, blocks, &mut slots);
            wipe(&mut words.0);
        } else {
            return false;
        }
        *tags = core::array::from_fn(|i| Tag::from(tag_bytes(&slots[N.div_ceil(8) * i..])));
        wipe(&mut slots); // the right tags of forgeries are secret
        true
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
