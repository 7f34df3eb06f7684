//! What every [`PacketMac`] has to do, as a test for those of other crates.
//!
//! ```
//! use wegman::{session, umac};
//!
//! // In a test of a crate that implements `PacketMac`:
//! session::laws::check(&umac::Key::<8>::new(b"sixteen byte key"));
//! ```

use super::{END, PacketMac};
use crate::bound::{History, Probability, Traffic, Units};
use subtle::ConstantTimeEq;

/// Tests a key.
///
/// # Panics
/// If it breaks a law; the message says which. A correct key with tags of `t` bits fails with probability about
/// 2^-(t - 12): for tags of at least 4 bytes.
pub fn check<K: PacketMac>(key: &K) {
    tags(key);
    batches(key);
    prices(key);
}

const LENGTHS: [usize; 17] =
    [0, 1, 7, 8, 15, 16, 17, 31, 32, 33, 63, 64, 65, 255, 1023, 1025, 2100];

fn message(room: &mut [u8; 2100], length: usize) -> &[u8] {
    for (i, byte) in room.iter_mut().enumerate() {
        *byte = (i * 7 + length) as u8;
    }
    &room[..length]
}

/// A tag depends on the number and on every byte, and on nothing else.
fn tags<K: PacketMac>(key: &K) {
    for length in LENGTHS {
        let (mut room, mut ahead) = ([0; 2100], key.ahead());
        let message = message(&mut room, length);
        let tag = key.tag_packet(5, message);
        let is_it = |other: K::Tag| bool::from(other.ct_eq(&tag));
        assert!(is_it(key.tag_packet(5, message)), "the same packet has the same tag");
        assert!(is_it(key.next_tag(&mut ahead, 5, message)), "what is made ahead changes no tag");
        for at in [0, 1, length / 3, length / 2, length] {
            let (first, rest) = message.split_at(at.min(length));
            let parts = [first, &[], rest];
            assert!(is_it(key.tag_packet_parts(5, &parts)), "parts are one message");
        }
        assert!(is_it(key.tag_packet_parts(5, &[message])), "one part is a message");
        for sequence in [4, 6, 5 << 8, 5 << 32, 5 | 1 << 63] {
            assert!(!is_it(key.tag_packet(sequence, message)), "the tag depends on the number");
        }
        let mut other = [0; 2101];
        other[..length].copy_from_slice(message);
        assert!(!is_it(key.tag_packet(5, &other[..=length])), "the tag depends on the length");
        for at in [0, length / 2, length.saturating_sub(1)] {
            if at < length {
                other[at] ^= 0x80;
                assert!(
                    !is_it(key.tag_packet(5, &other[..length])),
                    "the tag depends on each byte"
                );
                other[at] ^= 0x80;
            }
        }
    }
    let no_parts = key.tag_packet_parts(5, &[]);
    assert!(bool::from(no_parts.ct_eq(&key.tag_packet(5, b""))), "no parts are empty");
    assert_eq!(key.key_id(), key.key_id(), "a key has one id");
}

/// Batches have the tags that their packets have one by one.
fn batches<K: PacketMac>(key: &K) {
    let mut rooms = [[0; 2100]; LENGTHS.len()];
    let mut messages = [&[][..]; LENGTHS.len()];
    for ((place, room), length) in messages.iter_mut().zip(&mut rooms).zip(LENGTHS) {
        *place = message(room, length);
    }
    for count in 0..=messages.len() {
        for first in [0, 3, (1 << 32) - 5, END - count as u64] {
            let messages = &messages[..count];
            let mut tags = [key.tag_packet(0, b""); LENGTHS.len()];
            key.tag_packets(first, messages, &mut tags[..count]);
            let mut packets = [(0, &[][..], tags[0]); LENGTHS.len()];
            for (i, (place, tag)) in packets.iter_mut().zip(tags).take(count).enumerate() {
                *place = (first + i as u64, messages[i], tag);
                let one = key.tag_packet(place.0, place.1);
                assert!(bool::from(one.ct_eq(&tag)), "a batch has the same tags");
            }
            let mut valid = [false; LENGTHS.len()];
            key.verify_packets(&packets[..count], &mut valid[..count]);
            assert!(valid[..count].iter().all(|valid| *valid), "a batch is authentic");
            if count > 1 {
                packets[count / 2].0 ^= 1;
                key.verify_packets(&packets[..count], &mut valid[..count]);
                let wrong = valid[..count].iter().position(|valid| !*valid);
                assert_eq!(wrong, Some(count / 2), "one packet of a batch is not authentic");
            }
        }
    }
}

/// Costs and bounds never get smaller, and messages together cost no more than what is reserved for them.
fn prices<K: PacketMac>(key: &K) {
    let mut sum = Traffic::NONE;
    let mut bytes = 0;
    for length in LENGTHS.map(|length| length as u64) {
        assert!(K::cost(1, length) >= 1, "a message costs something");
        assert!(K::cost(1, length) <= K::cost(1, length + 1), "a longer message costs as much");
        sum = sum.plus(Traffic { messages: 1, cost: K::cost(1, length) });
        bytes += length;
        assert!(sum.cost <= K::cost(sum.messages, bytes), "what is reserved is enough");
    }
    let tried =
        |attempts: u64| Traffic { messages: attempts, cost: K::cost(attempts, 100 * attempts) };
    let history = |tagged: u64, attempts| History {
        tagged: Traffic { messages: tagged, cost: tagged },
        tried: if attempts == 0 { Traffic::NONE } else { tried(attempts) },
        longest: 1 << 16,
    };
    let mut last = key.forgery::<Units>(&history(K::LIMIT, 0));
    for exponent in 0..40 {
        let now = key.forgery::<Units>(&history(K::LIMIT, 1 << exponent));
        assert!(now >= last, "more attempts have no smaller bound");
        last = now;
    }
    // Whatever is below a unit. What there is without attempts, for subkeys, may hide the rest.
    let Approximate(none) = key.forgery(&history(0, 0));
    let mut last = 0.0;
    for exponent in 0..40 {
        let Approximate(now) = key.forgery(&history(0, 1 << exponent));
        assert!(now > last || none > 0.0 && now >= last, "each attempt costs something");
        last = now;
    }
}

/// A probability that is not rounded up.
#[derive(Clone, Copy)]
struct Approximate(f64);

impl Probability for Approximate {
    const ZERO: Approximate = Approximate(0.0);

    fn half_to(exponent: u32) -> Approximate {
        Approximate((0..exponent).fold(1.0, |half, _| half / 2.0))
    }

    fn plus(self, other: Approximate) -> Approximate {
        Approximate(self.0 + other.0)
    }

    fn times(self, count: u128) -> Approximate {
        Approximate(self.0 * count as f64)
    }

    fn share(self, numerator: u64, exponent: u32) -> Approximate {
        Approximate(self.0 * numerator as f64 * Self::half_to(exponent).0)
    }
}
