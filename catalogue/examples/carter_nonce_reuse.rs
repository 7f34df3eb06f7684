//! What one repeated nonce reveals in Carter: `cargo run --example carter_nonce_reuse -p wegman-catalogue`.
//!
//! Level 1 multiplies pairs of words of the message, each added to a word of the key: (a + ka) (b + kb). Two tags under
//! one nonce have the same pad. If their messages differ in one a, the sum of the tags is (a + a') (b + kb), and a
//! division gives kb, a word of the key. From then on, that a can be replaced in the last block of every packet that is
//! seen, under the packet's own fresh nonce, and the receiver accepts it. Only changing the key helps.
//!
//! The attack is on Carter-128 at full size, through its public tags alone. docs/carter.md has the definition.

mod support;

use support::{Packet, number, show, text};
use wegman::{Aes128, Tag};
use wegman_carter::{Carter, Carter128};
use wegman_reference::carter::dot;
use wegman_reference::inputs::Random;

type Device = support::Device<Carter<Aes128, 16>, 12>;

fn device(secret: &[u8; 16]) -> Device {
    Device::switch_on(Carter128::new(secret))
}

fn main() {
    let mut device = device(&Random(10).bytes());
    println!("A gate tags its reports with Carter-128. Tag = hash + pad, all sums are XOR.\n");

    let shut = device.send(b"shut    gate 3");
    show("It sends     ", &shut);
    device.restart();
    let open = device.send(b"open    gate 3");
    show("restarts, and", &open);
    println!("  Both have the pad of nonce 1. They differ in the first 8 bytes, which are in a:");
    println!("  tag + tag' = (a + a') (b + kb).");
    let kb = key_word(&shut, &open);
    println!("  Divided by a + a', and b added: kb = {:032x}, 16 bytes of the key\n", kb);

    let mut accepted = true;
    for report in ["shut    gate 9", "shut    gate 3 for the night, and gates 1, 2 and 4 as well"] {
        let seen = device.send(report.as_bytes());
        show("A fresh one: ", &seen);
        let (message, tag) = forge(kb, &seen, b"open    ");
        println!("The forgery:   nonce {}  {:?}  {tag}", seen.nonce, text(&message));
        accepted &= device.accepts(seen.nonce, &message, &tag);
        println!("  The gate's own key: {}\n", if accepted { "accepted." } else { "refused!" });
    }
    println!(
        "It works for every packet from now on: the key is lost. session::Sender repeats no nonce."
    );
    assert!(accepted, "the demonstration failed");
}

/// The first a and b of a block: eight bytes each, at its beginning and 64 bytes on, zero where it ends before them.
fn words(block: &[u8]) -> [u128; 2] {
    let at = |place: usize| {
        let mut word = [0; 8];
        let there = block.iter().skip(place);
        word.iter_mut().zip(there).for_each(|(byte, from)| *byte = *from);
        u128::from(u64::from_le_bytes(word))
    };
    [at(0) | at(64) << 64, at(8) | at(72) << 64]
}

/// kb, from two packets under one nonce that differ in the first a of their only block.
fn key_word(first: &Packet, second: &Packet) -> u128 {
    let ([a, b], [other, same]) = (words(&first.message), words(&second.message));
    assert!(b == same && first.message.len() == second.message.len());
    b ^ quotient(number(&first.tag) ^ number(&second.tag), a ^ other)
}

/// A packet that was seen, with other bytes at the beginning of its last block, and the tag of the result.
fn forge(kb: u128, seen: &Packet, begin: &[u8; 8]) -> (Vec<u8>, Tag<16>) {
    const BLOCK: usize = 2048;
    let mut message = seen.message.clone();
    let last = message.len().saturating_sub(1) / BLOCK * BLOCK;
    let [a, b] = words(&message[last..]);
    message[last..][..8].copy_from_slice(begin);
    let [other, _] = words(&message[last..]);
    let tag = number(&seen.tag) ^ dot(a ^ other, b ^ kb);
    (message, Tag::from(tag.to_le_bytes()))
}

/// q with dot(q, d) = n, by Fermat: d^-1 is d^(2 + 4 + ... + 2^127).
fn quotient(n: u128, d: u128) -> u128 {
    let mut power = d;
    (1..128).fold(n, |product, _| {
        power = dot(power, power);
        dot(product, power)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use wegman_reference::carter::Keys;

    fn devices() -> impl Iterator<Item = (Device, [u8; 16])> {
        (0..50).map(|seed| Random(seed).bytes()).map(|secret| (device(&secret), secret))
    }

    /// Two packets under one nonce.
    fn twice(device: &mut Device) -> u128 {
        let shut = device.send(b"shut    gate 3");
        device.restart();
        key_word(&shut, &device.send(b"open    gate 3"))
    }

    #[test]
    fn a_word_of_the_key_is_in_the_clear() {
        for (mut device, secret) in devices() {
            let [_, kb] = words(&Keys::new(&secret, 16).k);
            assert_eq!(twice(&mut device), kb);
        }
    }

    #[test]
    fn every_later_packet_can_be_forged() {
        for (mut device, _) in devices() {
            let kb = twice(&mut device);
            for length in [8, 9, 16, 40, 64, 65, 72, 80, 100, 2047, 2048, 2048 + 8, 5000] {
                let message: Vec<u8> = (0..length).map(|i| (i % 251) as u8).collect();
                let seen = device.send(&message);
                let (message, tag) = forge(kb, &seen, b"open    ");
                assert_ne!(message, seen.message);
                assert!(device.accepts(seen.nonce, &message, &tag), "{length}");
            }
        }
    }

    /// The forgery depends on the repeated nonce: with a nonce for each packet, the same steps fail.
    #[test]
    fn fresh_nonces_give_nothing_away() {
        for (mut device, _) in devices() {
            let kb = key_word(&device.send(b"shut    gate 3"), &device.send(b"open    gate 3"));
            let seen = device.send(b"shut    gate 3");
            let (message, tag) = forge(kb, &seen, b"open    ");
            assert!(!device.accepts(seen.nonce, &message, &tag));
        }
    }
}
