//! The packet around a message, for one MAC: the number before it, the tag after it.
//!
//! ```text
//! packet = number, 8 bytes | message | tag
//! ```

use crate::named::named;
use anyhow::{Context, Result, anyhow};
use std::sync::Arc;
use wegman::session::{Budget, PacketMac, Receiver, Rejected, Sender};
use wegman::{Aes128, Tag, pmac, umac};
use wegman_yardstick::Key;
use wegman_yardstick::hmac::{HmacMd5, HmacSha1};

/// Most packets that are sealed or opened at a time.
pub const BATCH: usize = 32;

/// Bytes of the number.
const NUMBER: usize = 8;

named! {
    /// What protects the packets.
    pub enum Mac {
        None = "none",
        HmacMd5 = "HMAC-MD5-96",
        HmacSha1 = "HMAC-SHA1-96",
        Umac64 = "UMAC-64",
        Pmac = "PMAC-AES128",
    }
}

impl Mac {
    fn tag_bytes(self) -> usize {
        match self {
            Mac::None => 0,
            Mac::Umac64 => 8,
            Mac::HmacMd5 | Mac::HmacSha1 => 12,
            Mac::Pmac => 16,
        }
    }

    /// The length of a packet with a message of this length.
    pub fn packet_bytes(self, message: usize) -> usize {
        NUMBER + message + self.tag_bytes()
    }

    /// Both ends of a session under a key derived from the seed. A run uses a new seed for every slice, because the
    /// numbers start at 1 again.
    pub fn guard(self, seed: u64, message: usize) -> Box<dyn Guard> {
        let key: [u8; 20] = std::array::from_fn(|i| seed.to_be_bytes()[i % 8] ^ (i / 8) as u8);
        let short = key.first_chunk().expect("it has 20 bytes");
        match self {
            Mac::None => Box::new(Bare { next: 1, message }),
            Mac::HmacMd5 => session(Key::<HmacMd5, 12>::new(&key[..16]), message),
            Mac::HmacSha1 => session(Key::<HmacSha1, 12>::new(&key), message),
            Mac::Umac64 => session(umac::Key::<8>::new(short), message),
            Mac::Pmac => session(pmac::Key::<Aes128, 16>::new(short), message),
        }
    }
}

/// Both ends of a session.
pub trait Guard {
    /// Writes number and tag around the messages in packets that stand one behind the other, at most [`BATCH`].
    fn seal(&mut self, packets: &mut [u8]) -> Result<()>;

    /// Verifies packets that stand one behind the other, at most [`BATCH`]. The first that is not accepted is an error.
    fn open(&mut self, packets: &[u8]) -> Result<()>;
}

/// A packet without its number, if it has the length of one.
fn parse<const N: usize>(packet: &[u8], message: usize) -> Result<(u64, &[u8], Tag<N>)> {
    let wrong = || anyhow!("a packet of {} bytes came, not {}", packet.len(), NUMBER + message + N);
    let (number, rest) = packet.split_first_chunk().ok_or_else(wrong)?;
    let (message, tag) = rest.split_at_checked(message).ok_or_else(wrong)?;
    Ok((u64::from_be_bytes(*number), message, Tag::try_from(tag).map_err(|_| wrong())?))
}

fn write<const N: usize>(packet: &mut [u8], number: u64, tag: Tag<N>) {
    packet[..NUMBER].copy_from_slice(&number.to_be_bytes());
    *packet.last_chunk_mut().expect("it has room for a tag") = tag.to_bytes();
}

struct Session<K: PacketMac> {
    sender: Sender<Arc<K>>,
    receiver: Receiver<Arc<K>>,
    message: usize,
}

fn session<K, const N: usize>(key: K, message: usize) -> Box<dyn Guard>
where
    K: PacketMac<Tag = Tag<N>> + 'static,
{
    let key = Arc::new(key);
    // The first wrong tag ends the run: nothing is left for a budget to stop.
    let receiver = Receiver::new(key.clone(), 1, Budget::log_only(20));
    Box::new(Session { sender: Sender::new(key, 1), receiver, message })
}

impl<K: PacketMac<Tag = Tag<N>>, const N: usize> Guard for Session<K> {
    fn seal(&mut self, packets: &mut [u8]) -> Result<()> {
        let Session { sender, message, .. } = self;
        let (bytes, text) = (NUMBER + *message + N, NUMBER..NUMBER + *message);
        if packets.len() == bytes {
            let (number, tag) = sender.seal(&packets[text])?;
            write(packets, number, tag);
            return Ok(());
        }
        let count = packets.len() / bytes;
        let (mut messages, mut tags) = ([&[][..]; BATCH], [Tag::from([0; N]); BATCH]);
        for (message, packet) in messages.iter_mut().zip(packets.chunks_exact(bytes)) {
            *message = &packet[text.clone()];
        }
        let first = sender.seal_many(&messages[..count], &mut tags[..count])?;
        for ((number, packet), tag) in (first..).zip(packets.chunks_exact_mut(bytes)).zip(tags) {
            write(packet, number, tag);
        }
        Ok(())
    }

    fn open(&mut self, packets: &[u8]) -> Result<()> {
        let Session { receiver, message, .. } = self;
        let bytes = NUMBER + *message + N;
        let refused = |number: u64| move || format!("packet {number} was not accepted");
        if packets.len() <= bytes {
            let (number, message, tag) = parse(packets, *message)?;
            return receiver.open(number, message, &tag).map(drop).with_context(refused(number));
        }
        let mut parsed = [(0, &[][..], Tag::from([0; N])); BATCH];
        for (slot, packet) in parsed.iter_mut().zip(packets.chunks(bytes)) {
            *slot = parse(packet, *message)?;
        }
        let mut outcomes = [Err(Rejected::Closed); BATCH];
        let count = packets.len() / bytes;
        let (parsed, outcomes) = (&parsed[..count], &mut outcomes[..count]);
        receiver.open_many(parsed, outcomes);
        let mut all = parsed.iter().zip(outcomes);
        all.try_for_each(|((number, ..), outcome)| outcome.map(drop).with_context(refused(*number)))
    }
}

/// Without a MAC whatever has the right length is believed.
struct Bare {
    next: u64,
    message: usize,
}

impl Guard for Bare {
    fn seal(&mut self, packets: &mut [u8]) -> Result<()> {
        for packet in packets.chunks_exact_mut(NUMBER + self.message) {
            packet[..NUMBER].copy_from_slice(&self.next.to_be_bytes());
            self.next += 1;
        }
        Ok(())
    }

    fn open(&mut self, packets: &[u8]) -> Result<()> {
        let mut packets = packets.chunks(NUMBER + self.message);
        packets.try_for_each(|packet| parse::<0>(packet, self.message).map(drop))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_sealed_is_accepted_once() {
        for mac in Mac::ALL {
            for (message, count) in [(10, 1), (10, BATCH), (100, 5), (1400, 1), (1400, BATCH)] {
                let bytes = mac.packet_bytes(message);
                let mut guard = mac.guard(7, message);
                let mut sent = vec![b'.'; bytes * count];
                guard.seal(&mut sent).unwrap();
                guard.open(&sent).unwrap();
                assert_eq!(guard.open(&sent).is_err(), mac != Mac::None, "{}", mac.name());
                assert!(guard.open(&sent[1..bytes]).is_err());
            }
        }
    }

    #[test]
    fn one_wrong_bit_is_an_error() {
        for mac in Mac::ALL.into_iter().filter(|mac| *mac != Mac::None) {
            for count in [1, BATCH] {
                let bytes = mac.packet_bytes(10);
                let mut guard = mac.guard(7, 10);
                let mut sent = vec![b'.'; bytes * count];
                for bit in 0..8 * bytes {
                    guard.seal(&mut sent).unwrap();
                    let last = bytes * (count - 1);
                    sent[last + bit / 8] ^= 1 << (bit % 8);
                    assert!(guard.open(&sent).is_err(), "{} {bit}", mac.name());
                    sent[last + bit / 8] ^= 1 << (bit % 8);
                }
            }
        }
    }

    #[test]
    fn another_key_accepts_nothing() {
        for mac in Mac::ALL.into_iter().filter(|mac| *mac != Mac::None) {
            let mut sent = vec![b'.'; mac.packet_bytes(100)];
            mac.guard(1, 100).seal(&mut sent).unwrap();
            assert!(mac.guard(2, 100).open(&sent).is_err());
            assert!(mac.guard(1, 100).open(&sent).is_ok());
        }
    }
}
