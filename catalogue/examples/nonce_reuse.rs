//! One nonce used twice lets anybody forge: `cargo run --example nonce_reuse -p wegman-catalogue`.
//!
//! A Wegman-Carter MAC adds a pad, made from the nonce, to a hash. Two tags under one nonce have the same pad. Their
//! difference is that of two hashes, without the pad, and with hash127 one division turns it into the key of the hash.
//! From then on, every packet that is seen can be replaced by another under the packet's own fresh nonce.
//!
//! The attack uses hash127-RC6, a real MAC of the library, through its public tags alone.

mod support;

use support::{Packet, number, show, text};
use wegman::session::{Saved, Sender};
use wegman::{Tag, umac};
use wegman_reference::hash127::{self, P, add_mod_p, mul_mod_p, word_mod_p};
use wegman_reference::inputs::Random;
use wegman_yardstick::hash127::{Hash127Rc6, Key};

type Device = support::Device<Hash127Rc6, 8>;

fn device(seed: u64) -> Device {
    Device::switch_on(Key::new(&Random(seed).bytes()))
}

fn main() {
    let mut device = device(6);
    println!("A device tags its packets with hash127-RC6. Tag = hash + pad, modulo 2^127 - 1.\n");

    let on = device.send(b"on.");
    show("It sends     ", &on);
    device.restart();
    let off = device.send(b"off");
    show("restarts, and", &off);
    println!("  Both have the pad of nonce 1, and one word: tag - tag' = (word - word') r.");
    let r = hash_key(&on, &off);
    println!("  Divided by the difference of the words: r = {r:032x}\n");

    let seen = device.send(b"door: keep it locked");
    show("A fresh one: ", &seen);
    let message = b"door: open it for Mallory";
    let tag = forge(r, &seen, message);
    println!("  Its tag less its hash is its pad; with the hash of another message that is a tag.");
    println!("The forgery:  nonce {}  {:?}  {tag}", seen.nonce, text(message));
    let accepted = device.accepts(seen.nonce, message, &tag);
    println!("  The device's own key: {}\n", if accepted { "accepted." } else { "refused!" });

    let (used, after) = numbers_of_a_sender();
    println!("session::Sender stores its counter before it uses it: number {used} before a crash,");
    println!("{after} after it.");
    assert!(accepted && used < after, "the demonstration failed");
}

/// r, from two packets of one word each under one nonce.
fn hash_key(first: &Packet, second: &Packet) -> u128 {
    let difference = |a, b| add_mod_p(a, P - b);
    let words = [first, second].map(|packet| words(&packet.message));
    let [&[a], &[b]] = [&words[0][..], &words[1][..]] else { panic!("one word each") };
    divide(difference(number(&first.tag), number(&second.tag)), difference(a, b))
}

/// The tag of another message under the nonce of a packet that was seen.
fn forge(r: u128, seen: &Packet, message: &[u8]) -> Tag<16> {
    let pad = add_mod_p(number(&seen.tag), P - hash(r, &seen.message));
    Tag::from(add_mod_p(hash(r, message), pad).to_le_bytes())
}

/// r^(L+1) + m_0 r^L + ... + m_(L-1) r.
fn hash(r: u128, message: &[u8]) -> u128 {
    mul_mod_p(words(message).iter().fold(1, |y, word| add_mod_p(mul_mod_p(y, r), *word)), r)
}

/// The signed words of a message followed by a byte 01 and zeroes, modulo p.
fn words(message: &[u8]) -> Vec<u128> {
    let mut bytes = [message, &[1]].concat();
    bytes.resize(bytes.len().next_multiple_of(4), 0);
    hash127::words(&bytes).into_iter().map(word_mod_p).collect()
}

/// By Fermat, 1 / b = b^(p - 2).
fn divide(a: u128, b: u128) -> u128 {
    let inverse = (0..127).rev().fold(1, |power, bit| {
        let square = mul_mod_p(power, power);
        if (P - 2) >> bit & 1 == 1 { mul_mod_p(square, b) } else { square }
    });
    mul_mod_p(a, inverse)
}

/// The number of the last packet before a crash and that of the first one after it, with a sender that is stored.
fn numbers_of_a_sender() -> (u64, u64) {
    let key = umac::Key::<8>::new(b"sixteen byte key");
    let mut disk = Saved::starting_at(&key, 1).to_bytes();
    let mut start = |messages: [&[u8]; 2]| {
        let saved = Saved::from_bytes(&disk).expect("a sender was stored");
        let mut sender = Sender::restore(&key, saved).expect("it is the same key");
        let stored = sender.reserve(1000, 1 << 20, |saved| -> Result<(), ()> {
            disk = saved.to_bytes();
            Ok(())
        });
        stored.expect("a variable can be stored");
        messages.map(|message| sender.seal(message).expect("1000 numbers are reserved").0)
        // the sender crashes: it is dropped without being stored
    };
    let [_, used] = start([b"one", b"on."]);
    let [after, _] = start([b"off", b"two"]);
    (used, after)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_forgery_is_accepted_under_every_key() {
        for seed in 0..50 {
            let mut device = device(seed);
            let first = device.send(b"on.");
            device.restart();
            let r = hash_key(&first, &device.send(b"off"));
            for message in [&b""[..], b"yes", b"a longer message than the one that was seen"] {
                let seen = device.send(b"door: keep it locked");
                assert!(device.accepts(seen.nonce, message, &forge(r, &seen, message)), "{seed}");
            }
        }
    }

    /// The forgery depends on the repeated nonce: with a nonce for each packet, the same steps fail.
    #[test]
    fn fresh_nonces_give_nothing_away() {
        for seed in 0..50 {
            let mut device = device(seed);
            let r = hash_key(&device.send(b"on."), &device.send(b"off"));
            let seen = device.send(b"door: keep it locked");
            let message = b"door: open it for Mallory";
            assert!(!device.accepts(seen.nonce, message, &forge(r, &seen, message)), "{seed}");
        }
    }

    #[test]
    fn a_sender_repeats_no_number() {
        assert_eq!(numbers_of_a_sender(), (2, 1001));
    }
}
