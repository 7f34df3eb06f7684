//! [`PacketMac`]: what a session needs of a key, and how each MAC binds the sequence number to the packet.

use crate::batch::verify_eights;
use crate::cipher::{BlockCipher, CipherBlock};
use crate::ct::wipe;
use crate::nonce::{NonceOf, PadInput};
use crate::nonce_mac::{self, HashAndPads, tag_ahead};
use crate::pads::Ahead;
use crate::pmac;
use crate::tag::Tag;
#[cfg(feature = "alloc")]
use alloc::boxed::Box;
use core::fmt;

/// A key whose tags authenticate a packet *and* its sequence number, a 64-bit number.
///
/// | key | the sequence number is | limit |
/// |---|---|---|
/// | [`umac::Key`](crate::umac::Key), UMAC of 2000 | the nonce, 8 to 16 bytes, big-endian | 2^48 messages |
/// | Carter (`wegman-carter`) | the nonce, 12 or 16 bytes, big-endian | 2^48 messages |
/// | UMAC of 1999 | the nonce, and 8 bytes before the message, since the tags of its short messages do not depend on the nonce | 2^48 blocks of the PRF |
/// | [`pmac::Key`] | the first block, big-endian in 16 bytes (8 for ciphers with 64-bit blocks), before the message | 2^48 blocks (2^16 of 64 bits) |
/// | HMAC (`wegman-yardstick`) | 8 bytes before the message, big-endian | 2^48 messages |
///
/// So the tag is `key.tag(NonceOf::counter(sequence), message)` in the first two rows. In the last two rows it is that
/// of number and message as one message. A peer without sessions can
/// verify all of these.
///
/// At its limit, a key's term for pads or blocks is about 2^-33 for UMAC, 2^-31 for PMAC and the parameter sets of
/// 1999, and 2^-28 for HMAC-MD5 with messages of 1 KiB; for Carter it is a factor of 1 + 2^-33. `wegman bounds` prints
/// the whole bound for fewer messages, and `wegman-catalogue` explains the terms.
///
/// An implementation for another MAC must bind the number to the packet as strongly as it binds the message.
pub trait PacketMac {
    /// The tag. The key's type fixes its length.
    type Tag: Copy + Eq + fmt::Debug;

    /// What a sender computes ahead of the messages: `()` if nothing.
    type Ahead: Send;

    /// The most that one key may tag, in the units of the table above.
    const LIMIT: u64;

    /// The most that `messages` messages of `bytes` bytes in all can cost, in these units.
    #[must_use]
    fn cost(messages: u64, bytes: u64) -> u64;

    /// The bound on one forgery attempt, as an exponent: 60 means a probability of 2^-60 or slightly more.
    fn attempt_exponent(&self) -> u32;

    /// The tag of a packet.
    #[must_use]
    fn tag_packet(&self, sequence: u64, message: &[u8]) -> Self::Tag;

    /// The tags of packets under consecutive numbers, which must not go beyond 2^64 - 1.
    ///
    /// # Panics
    /// If `messages` and `tags` differ in length.
    fn tag_packets(&self, first: u64, messages: &[&[u8]], tags: &mut [Self::Tag]) {
        assert_eq!(messages.len(), tags.len(), "one tag for each message");
        // Not a range from `first` on, which would count beyond the last number.
        for ((count, message), tag) in (0..).zip(messages).zip(tags) {
            *tag = self.tag_packet(first + count, message);
        }
    }

    /// Sets `valid` for each packet whose tag is right. Packets in the order they were sent are checked side by side.
    fn verify_packets(&self, packets: &[(u64, &[u8], Self::Tag)], valid: &mut [bool]) {
        verify_eights(
            packets,
            valid,
            |(.., tag)| tag,
            |eight, tags| {
                let is_next =
                    |pair: &[(u64, &[u8], _)]| pair[0].0.checked_add(1) == Some(pair[1].0);
                let is_run = eight.windows(2).all(is_next);
                if is_run {
                    let messages = eight.each_ref().map(|(_, message, _)| *message);
                    self.tag_packets(eight[0].0, &messages, tags);
                }
                is_run
            },
            |(sequence, message, _)| self.tag_packet(*sequence, message),
        );
    }

    /// What a new sender begins with.
    fn ahead(&self) -> Self::Ahead;

    /// The tag of the next packet of a sender: [`tag_packet`](Self::tag_packet), perhaps with what was computed ahead.
    fn next_tag(&self, _: &mut Self::Ahead, sequence: u64, message: &[u8]) -> Self::Tag {
        self.tag_packet(sequence, message)
    }
}

/// A key that can check a prefix of its tags at a proportionate share of the hashing ("selective assurance").
pub trait SelectiveMac: PacketMac {
    /// How many words a tag has. Each is checked on its own.
    fn words(&self) -> usize;

    /// The bound on one attempt at the first `words` words, as [`PacketMac::attempt_exponent`].
    ///
    /// # Panics
    /// If `words` is more than a tag has.
    fn exponent_of(&self, words: usize) -> u32;

    /// Whether the first `words` words of a tag, a prefix of it, are right.
    ///
    /// # Panics
    /// If `words` is 0 or more than a tag has.
    #[must_use]
    fn verify_prefix(&self, sequence: u64, message: &[u8], tag: &Self::Tag, words: usize) -> bool;
}

/// Implements the traits for borrowed and shared keys.
macro_rules! through {
    ($(#[$cfg:meta])* $pointer:ty) => {
        $(#[$cfg])*
        impl<K: PacketMac> PacketMac for $pointer {
            type Tag = K::Tag;
            type Ahead = K::Ahead;
            const LIMIT: u64 = K::LIMIT;

            fn cost(messages: u64, bytes: u64) -> u64 {
                K::cost(messages, bytes)
            }

            fn attempt_exponent(&self) -> u32 {
                (**self).attempt_exponent()
            }

            fn tag_packet(&self, sequence: u64, message: &[u8]) -> K::Tag {
                (**self).tag_packet(sequence, message)
            }

            fn tag_packets(&self, first: u64, messages: &[&[u8]], tags: &mut [K::Tag]) {
                (**self).tag_packets(first, messages, tags);
            }

            fn verify_packets(&self, packets: &[(u64, &[u8], K::Tag)], valid: &mut [bool]) {
                (**self).verify_packets(packets, valid);
            }

            fn ahead(&self) -> K::Ahead {
                (**self).ahead()
            }

            fn next_tag(&self, ahead: &mut K::Ahead, sequence: u64, message: &[u8]) -> K::Tag {
                (**self).next_tag(ahead, sequence, message)
            }
        }

        $(#[$cfg])*
        impl<K: SelectiveMac> SelectiveMac for $pointer {
            fn words(&self) -> usize {
                (**self).words()
            }

            fn exponent_of(&self, words: usize) -> u32 {
                (**self).exponent_of(words)
            }

            fn verify_prefix(
                &self,
                sequence: u64,
                message: &[u8],
                tag: &K::Tag,
                words: usize,
            ) -> bool {
                (**self).verify_prefix(sequence, message, tag, words)
            }
        }
    };
}

through!(&K);
// Counting references across threads takes atomic numbers, and Cortex-M0 has none.
through!(
    #[cfg(all(feature = "alloc", target_has_atomic = "ptr"))]
    alloc::sync::Arc<K>
);
through!(
    #[cfg(feature = "alloc")]
    alloc::rc::Rc<K>
);
through!(
    #[cfg(feature = "alloc")]
    Box<K>
);

/// The most pads under one key. After `q` pads, the advantage of distinguishing a permutation such as AES from a random
/// function is about q^2 / 2^129.
pub const PADS_LIMIT: u64 = 1 << 48;

impl<H: HashAndPads<N>, const N: usize, const L: usize> PacketMac for nonce_mac::Key<H, N, L> {
    type Tag = Tag<N>;
    /// Pads under the numbers that come next, and the first of these numbers.
    type Ahead = (Ahead, u64);
    const LIMIT: u64 = PADS_LIMIT;

    #[inline]
    fn cost(messages: u64, _: u64) -> u64 {
        messages
    }

    #[inline]
    fn attempt_exponent(&self) -> u32 {
        H::ATTEMPT_EXPONENT
    }

    #[inline]
    fn tag_packet(&self, sequence: u64, message: &[u8]) -> Tag<N> {
        self.tag(NonceOf::counter(sequence), message)
    }

    fn tag_packets(&self, first: u64, messages: &[&[u8]], tags: &mut [Tag<N>]) {
        self.tag_many(NonceOf::counter(first), messages, tags)
            .expect("callers keep the numbers below 2^64");
    }

    fn ahead(&self) -> (Ahead, u64) {
        (Ahead::new(), 0)
    }

    #[inline]
    fn next_tag(&self, (ahead, next): &mut (Ahead, u64), sequence: u64, message: &[u8]) -> Tag<N> {
        if sequence != *next {
            ahead.forget();
        }
        *next = sequence.wrapping_add(1);
        let nonce = NonceOf::<L>::counter(sequence).to_nonce();
        tag_ahead(self.hash_and_pads(), ahead, &nonce, message)
    }
}

impl<C: BlockCipher, const N: usize> PacketMac for pmac::Key<C, N> {
    type Tag = Tag<N>;
    type Ahead = ();
    const LIMIT: u64 = 1 << (4 * C::Block::BYTES - 16);

    /// A block for the number, and at least one for the message.
    #[inline]
    fn cost(messages: u64, bytes: u64) -> u64 {
        messages.saturating_mul(2).saturating_add(bytes / C::Block::BYTES as u64)
    }

    #[inline]
    fn attempt_exponent(&self) -> u32 {
        self.tag_bits_count()
    }

    fn tag_packet(&self, sequence: u64, message: &[u8]) -> Tag<N> {
        let block = block_of::<C>(sequence);
        // The kernels take whole messages; a copy costs less than two calls.
        match message.len() {
            ..SHORT => behind::<{ 15 + SHORT }, C, N>(self, &block, message),
            SHORT..=LONG => behind::<{ 16 + LONG }, C, N>(self, &block, message),
            _ => self.tag_after(&block, message),
        }
    }

    fn tag_packets(&self, first: u64, messages: &[&[u8]], tags: &mut [Tag<N>]) {
        const MESSAGES: usize = 16;
        let mut room = [0; MESSAGES * (15 + SHORT)];
        for (i, (messages, tags)) in
            messages.chunks(MESSAGES).zip(tags.chunks_mut(MESSAGES)).enumerate()
        {
            let first = first + (MESSAGES * i) as u64;
            if messages.iter().any(|message| message.len() >= SHORT) {
                for ((count, message), tag) in (0..).zip(messages).zip(tags) {
                    *tag = self.tag_packet(first + count, message);
                }
                continue;
            }
            let mut wholes = [&[][..]; MESSAGES];
            let rooms = room.as_chunks_mut::<{ 15 + SHORT }>().0;
            for (((count, whole), room), message) in (0..).zip(&mut wholes).zip(rooms).zip(messages)
            {
                *whole = joined(room, &block_of::<C>(first + count), message);
            }
            self.tag_many(&wholes[..messages.len()], tags);
        }
        wipe(&mut room);
    }

    fn ahead(&self) {}
}

/// Messages below this length are copied, with the block of their number, to a small buffer.
const SHORT: usize = 113;

/// The longest message that is copied at all.
const LONG: usize = 2032;

/// The sequence number as a block, big-endian.
#[inline]
fn block_of<C: BlockCipher>(sequence: u64) -> C::Block {
    let mut block = C::Block::ZERO;
    let number = block.as_mut().last_chunk_mut().expect("a block has 8 bytes at least");
    *number = sequence.to_be_bytes();
    block
}

/// The tag of `block` and `message` as one message, joined in a buffer of `ROOM` bytes.
#[inline]
fn behind<const ROOM: usize, C: BlockCipher, const N: usize>(
    key: &pmac::Key<C, N>,
    block: &C::Block,
    message: &[u8],
) -> Tag<N> {
    let mut room = [0; ROOM];
    let tag = key.tag(joined(&mut room, block, message));
    wipe(&mut room);
    tag
}

/// `block` followed by `message`, in `room`, which must be long enough.
#[inline]
fn joined<'r>(room: &'r mut [u8], block: &impl AsRef<[u8]>, message: &[u8]) -> &'r [u8] {
    let block = block.as_ref();
    let whole = &mut room[..block.len() + message.len()];
    let (start, rest) = whole.split_at_mut(block.len());
    start.copy_from_slice(block);
    rest.copy_from_slice(message);
    whole
}
