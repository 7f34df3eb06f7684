//! Taking an input apart. What is not there any more is zero.

use arbitrary::Unstructured;
use std::sync::Arc;
use wegman_catalogue::{AnyKey, Cpu, Nonce, find};

/// An input, taken from the front.
pub struct Input<'a>(Unstructured<'a>);

impl<'a> Input<'a> {
    pub fn new(data: &'a [u8]) -> Self {
        Input(Unstructured::new(data))
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn byte(&mut self) -> u8 {
        self.0.arbitrary().unwrap_or(0)
    }

    pub fn bool(&mut self) -> bool {
        self.byte() & 1 == 1
    }

    pub fn number(&mut self) -> u64 {
        self.0.arbitrary().unwrap_or(0)
    }

    /// A number below `end`, which is at most 256.
    pub fn below(&mut self, end: usize) -> usize {
        usize::from(self.byte()) % end.max(1)
    }

    /// A number up to `most`, often a small one or one close to the end.
    pub fn upto(&mut self, most: u64) -> u64 {
        let number = match self.byte() % 4 {
            0 => u64::from(self.byte()),
            1 => most.saturating_sub(self.byte().into()),
            2 => u64::from(self.byte()) << (self.byte() % 57),
            _ => self.number(),
        };
        number.min(most)
    }

    /// So many bytes.
    pub fn bytes(&mut self, length: usize) -> Vec<u8> {
        (0..length).map(|_| self.byte()).collect()
    }

    /// A message of at most `most` bytes. A long one repeats a few bytes of the input, so that lengths cost no input.
    pub fn message(&mut self, most: usize) -> Vec<u8> {
        let length = match self.byte() % 8 {
            0 => 0,
            1..=4 => self.below(80),
            5 | 6 => 16 * self.below(256) + self.below(3),
            _ => usize::from(self.byte()) << 8 | usize::from(self.byte()),
        };
        let length = length.min(most);
        let unit = self.bytes(length.min(24));
        let mut message: Vec<u8> = unit.iter().copied().cycle().take(length).collect();
        // Not the same in every block.
        for (i, chunk) in message.chunks_mut(24).enumerate() {
            chunk[0] ^= i as u8;
        }
        message
    }

    /// The message cut into up to `most` pieces; the last takes what is left.
    pub fn pieces<'m>(&mut self, mut message: &'m [u8], most: usize) -> Vec<&'m [u8]> {
        let mut pieces = Vec::new();
        for _ in 0..self.below(most) {
            let wanted = usize::from(self.byte()) << (self.byte() % 8);
            let (piece, rest) = message.split_at(wanted.min(message.len()));
            pieces.push(piece);
            message = rest;
        }
        pieces.push(message);
        pieces
    }

    pub fn rest(self) -> &'a [u8] {
        self.0.take_rest()
    }
}

/// A key of an algorithm with a nonce, its secret, and a nonce of any of its lengths.
pub fn umac(input: &mut Input<'_>, name: &str) -> (Arc<dyn AnyKey>, Vec<u8>, Nonce) {
    let algorithm = find(name).expect(name);
    let secret = input.bytes(algorithm.key_bytes);
    let lengths = algorithm.nonce_bytes.expect("UMAC has nonces");
    let length = lengths[input.below(lengths.len())];
    let nonce = Nonce::new(&input.bytes(length)).expect("a length of the algorithm");
    let tag_bytes = *algorithm.tag_bytes.end();
    let key = algorithm.key_for_nonces(Cpu::detect(), &secret, tag_bytes, length);
    (key.expect("its lengths"), secret, nonce)
}
