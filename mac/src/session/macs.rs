//! [`PacketMac`]: what a session needs of a key, and how each MAC binds the sequence number to the packet.

use crate::batch::verify_eights;
use crate::bound::{self, BLOCKS_LIMIT, History, Probability};
use crate::cipher::{BlockCipher, CipherBlock};
use crate::ct::wipe;
use crate::nonce::{NonceOf, PadInput};
use crate::nonce_mac::{self, HashAndPads};
use crate::pads::Ahead;
use crate::pmac;
use crate::tag::Tag;
use core::fmt;
use core::ops::Deref;
use subtle::ConstantTimeEq;

/// A key whose tags authenticate a packet *and* its sequence number, a 64-bit number.
///
/// | key | the sequence number is | a message costs | limit |
/// |---|---|---|---|
/// | [`umac::Key`](crate::umac::Key), UMAC16 and UMAC32 of 2000 | the nonce, 8 to 16 bytes, big-endian | 1 | 2^48 |
/// | Carter (`wegman-carter`) | the nonce, 12 or 16 bytes, big-endian | 1 | 2^48 |
/// | [`pmac::Key`] | the first block, big-endian in 16 bytes (8 for ciphers with 64-bit blocks), before the message | blocks, with that of the number | 2^43 (2^16 of 64 bits) |
/// | HMAC (`wegman-yardstick`), `Prefixed` | 8 bytes before the message, big-endian | blocks of 64 bytes, of 16 bytes | 2^43 |
///
/// So the tag is `key.tag(NonceOf::counter(sequence), message)` in the first two rows. In the others it is that
/// of number and message as one message. A peer without sessions can verify all of these.
///
/// At its limit, the bound of a key has a term of about 2^-41 for PMAC and HMAC-MD5, and of 2^-31 for blocks of 64
/// bits; for UMAC and Carter it grows by the factor 1 + 2^-33. `wegman bounds` prints the bound for fewer messages, and
/// `wegman-catalogue` explains the terms.
///
/// An implementation for another MAC must bind the number to the packet as strongly as it binds the message. [`laws`] has a
/// test for it.
///
/// [`laws`]: super::laws
pub trait PacketMac {
    /// The tag. The key's type fixes its length. Sessions compare tags in constant time.
    type Tag: Copy + ConstantTimeEq + fmt::Debug;

    /// What a sender computes ahead of the messages: `()` if nothing.
    type Ahead: Send + Sync;

    /// The most that one key may tag, in the units of [`cost`](Self::cost).
    const LIMIT: u64;

    /// The longest message in bytes that a key tags if nothing else is agreed: where the bound depends on the longest
    /// message, it is calculated for at least this length.
    const LONGEST: u64 = u64::MAX;

    /// What a message of `bytes` bytes costs, if `messages` is 1; if not, the most that so many messages can cost that have
    /// `bytes` bytes in all.
    #[must_use]
    fn cost(messages: u64, bytes: u64) -> u64;

    /// The bound on the probability that at least one attempt was accepted, up to the advantages against the primitive.
    /// For each MAC it is the one that `wegman bounds` prints.
    #[must_use]
    fn forgery<P: Probability>(&self, history: &History) -> P;

    /// Eight bytes that tell this key from others and are not secret: [`key_id`] makes them from tags.
    #[must_use]
    fn key_id(&self) -> [u8; 8];

    /// The tag of a packet. Define it if it is faster than that of one part, or if
    /// [`tag_packet_parts`](Self::tag_packet_parts) calls it.
    #[must_use]
    fn tag_packet(&self, sequence: u64, message: &[u8]) -> Self::Tag {
        self.tag_packet_parts(sequence, &[message])
    }

    /// The tag of a packet in parts: that of the parts one after the other.
    #[must_use]
    fn tag_packet_parts(&self, sequence: u64, parts: &[&[u8]]) -> Self::Tag;

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

/// The end of the sequence numbers: no packet has this number or a larger one. The eight numbers from here on are for
/// [`key_id`].
pub const END: u64 = u64::MAX - 7;

/// An id for a key from its tags: `tag` makes the tag of this message under a number. The numbers are [`END`] and those
/// after it, as many as it takes to have 8 bytes; no packet has them, so an id reveals no more than packets do. Keys that
/// differ in the length of their tags have different ids, too. It takes at most eight messages of 13 bytes beyond what a
/// sender's limit counts.
#[must_use]
pub fn key_id<T: AsRef<[u8]>>(tag: impl Fn(u64, &[u8]) -> T) -> [u8; 8] {
    let mut id = [0; 8];
    let mut rest = &mut id[..];
    for sequence in END..=u64::MAX {
        let tag = tag(sequence, b"wegman key id");
        let bytes = tag.as_ref();
        let taken = bytes.len().min(rest.len());
        rest[..taken].copy_from_slice(&bytes[..taken]);
        // A short tag may be a prefix of a long one.
        rest[0] ^= bytes.len() as u8;
        rest = &mut rest[taken..];
        if rest.is_empty() {
            break;
        }
    }
    id
}

/// Borrowed, boxed and shared keys.
impl<K: PacketMac, R: Deref<Target = K>> PacketMac for R {
    type Tag = K::Tag;
    type Ahead = K::Ahead;
    const LIMIT: u64 = K::LIMIT;
    const LONGEST: u64 = K::LONGEST;

    fn cost(messages: u64, bytes: u64) -> u64 {
        K::cost(messages, bytes)
    }

    fn forgery<P: Probability>(&self, history: &History) -> P {
        (**self).forgery(history)
    }

    fn key_id(&self) -> [u8; 8] {
        (**self).key_id()
    }

    #[inline(always)] // a call would store a tag in halves
    fn tag_packet(&self, sequence: u64, message: &[u8]) -> K::Tag {
        (**self).tag_packet(sequence, message)
    }

    #[inline(always)]
    fn tag_packet_parts(&self, sequence: u64, parts: &[&[u8]]) -> K::Tag {
        (**self).tag_packet_parts(sequence, parts)
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

    #[inline(always)]
    fn next_tag(&self, ahead: &mut K::Ahead, sequence: u64, message: &[u8]) -> K::Tag {
        (**self).next_tag(ahead, sequence, message)
    }
}

impl<H: HashAndPads<N>, const N: usize, const L: usize> PacketMac for nonce_mac::Key<H, N, L> {
    type Tag = Tag<N>;
    /// Pads under the numbers that come next, and the first of these numbers.
    type Ahead = (Ahead, u64);
    const LIMIT: u64 = H::LIMIT;
    const LONGEST: u64 = H::LONGEST;

    #[inline]
    fn cost(messages: u64, _: u64) -> u64 {
        messages
    }

    fn forgery<P: Probability>(&self, history: &History) -> P {
        H::forgery(history)
    }

    fn key_id(&self) -> [u8; 8] {
        key_id(|sequence, message| self.tag_packet(sequence, message).to_bytes())
    }

    #[inline]
    fn tag_packet(&self, sequence: u64, message: &[u8]) -> Tag<N> {
        self.tag(NonceOf::counter(sequence), message)
    }

    #[inline]
    fn tag_packet_parts(&self, sequence: u64, parts: &[&[u8]]) -> Tag<N> {
        self.tag_parts(NonceOf::counter(sequence), parts)
    }

    fn tag_packets(&self, first: u64, messages: &[&[u8]], tags: &mut [Tag<N>]) {
        self.tag_many(NonceOf::counter(first), messages, tags)
            .expect("callers keep the numbers below 2^64");
    }

    fn ahead(&self) -> (Ahead, u64) {
        (Ahead::default(), 0)
    }

    #[inline]
    fn next_tag(&self, (ahead, next): &mut (Ahead, u64), sequence: u64, message: &[u8]) -> Tag<N> {
        // A packet kernel makes the pad beside the hash, for less than it costs to keep one.
        if self.hash_and_pads().eights().is_some() {
            return self.tag_packet(sequence, message);
        }
        if sequence != *next {
            ahead.forget();
        }
        *next = sequence.wrapping_add(1);
        let nonce = NonceOf::<L>::counter(sequence).to_nonce();
        let hash = self.hash_and_pads();
        let pad = ahead.pad(&nonce, H::PAD_BYTES, |blocks, count| hash.encrypt(blocks, count));
        hash.tag_with_pad(pad, message)
    }
}

impl<C: BlockCipher, const N: usize> PacketMac for pmac::Key<C, N> {
    type Tag = Tag<N>;
    type Ahead = ();
    const LIMIT: u64 = if C::Block::BYTES < 16 { 1 << 16 } else { BLOCKS_LIMIT };

    #[inline]
    fn cost(messages: u64, bytes: u64) -> u64 {
        let block = C::Block::BYTES as u64;
        bound::blocks(messages, bytes, block, block)
    }

    fn forgery<P: Probability>(&self, history: &History) -> P {
        let (_, blocks) = history.seen();
        let attempts = history.tried.messages.into();
        bound::pmac::<P>(blocks, 8 * C::Block::BYTES as u32)
            .plus(bound::guesses(attempts, self.tag_bits_count()))
    }

    fn key_id(&self) -> [u8; 8] {
        key_id(|sequence, message| self.tag_packet(sequence, message).to_bytes())
    }

    #[inline]
    fn tag_packet(&self, sequence: u64, message: &[u8]) -> Tag<N> {
        self.tag_after(sequence, message)
    }

    #[inline]
    fn tag_packet_parts(&self, sequence: u64, parts: &[&[u8]]) -> Tag<N> {
        self.tag_parts_after(sequence, parts)
            .unwrap_or_else(|| self.tag_joined_after(sequence, parts))
    }

    fn tag_packets(&self, first: u64, messages: &[&[u8]], tags: &mut [Tag<N>]) {
        const MESSAGES: usize = 16;
        let mut room = [0; MESSAGES * (16 + SHORT)];
        for (i, (messages, tags)) in
            messages.chunks(MESSAGES).zip(tags.chunks_mut(MESSAGES)).enumerate()
        {
            let first = first + (MESSAGES * i) as u64;
            if messages.iter().any(|message| message.len() > SHORT) {
                for ((count, message), tag) in (0..).zip(messages).zip(tags) {
                    *tag = self.tag_packet(first + count, message);
                }
                continue;
            }
            let mut wholes = [&[][..]; MESSAGES];
            let rooms = room.as_chunks_mut::<{ 16 + SHORT }>().0;
            for (((count, whole), room), message) in (0..).zip(&mut wholes).zip(rooms).zip(messages)
            {
                let (start, rest) = room.split_at_mut(C::Block::BYTES);
                start.copy_from_slice(Self::block_of(first + count).as_ref());
                rest[..message.len()].copy_from_slice(message);
                *whole = &room[..C::Block::BYTES + message.len()];
            }
            self.tag_many(&wholes[..messages.len()], tags);
        }
        wipe(&mut room);
    }

    fn ahead(&self) {}
}

/// The longest messages that are copied, with the block of their number, to a small buffer.
const SHORT: usize = 112;
