//! What the demonstrations of a repeated nonce share.

use wegman::hazmat::nonce_mac::HashAndPads;
use wegman::nonce_mac::Key;
use wegman::{NonceOf, Tag};

/// A packet as anyone on the network sees it.
pub struct Packet {
    pub nonce: u64,
    pub message: Vec<u8>,
    pub tag: Tag<16>,
}

/// A device with the key and a counter that it does not store.
pub struct Device<H, const L: usize> {
    key: Key<H, 16, L>,
    counter: u64,
}

impl<H: HashAndPads<16>, const L: usize> Device<H, L> {
    pub fn switch_on(key: Key<H, 16, L>) -> Self {
        Device { key, counter: 1 }
    }

    /// The mistake: the counter starts again.
    pub fn restart(&mut self) {
        self.counter = 1;
    }

    pub fn send(&mut self, message: &[u8]) -> Packet {
        let nonce = self.counter;
        self.counter += 1;
        let tag = self.key.tag(NonceOf::counter(nonce), message);
        Packet { nonce, message: message.to_vec(), tag }
    }

    pub fn accepts(&self, nonce: u64, message: &[u8], tag: &Tag<16>) -> bool {
        self.key.verify(&NonceOf::counter(nonce), message, tag).is_ok()
    }
}

pub fn show(what: &str, packet: &Packet) {
    println!("{what}  nonce {}  {:?}  {}", packet.nonce, text(&packet.message), packet.tag);
}

pub fn text(message: &[u8]) -> &str {
    core::str::from_utf8(message).expect("the messages are text")
}

pub fn number(tag: &Tag<16>) -> u128 {
    u128::from_le_bytes(tag.to_bytes())
}
