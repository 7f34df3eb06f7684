//! Edits of sums: after each, the tag is that of the edited message.

use crate::input::Input;
use wegman::pmac::Key;
use wegman::pmac::hazmat::Sum;
use wegman::{Aes128, Bits};

/// A message of bits and a list of edits.
pub fn run(data: &[u8]) {
    let mut input = Input::new(data);
    let key = Key::<Aes128, 16>::from_slice(&input.bytes(16)).expect("16 bytes");
    let message = input.message(1200);
    let mut message = Message { bits: 8 * message.len() as u64, bytes: message };
    let mut sum = Sum::new(&key, message.all());
    let mut left = 24;
    while !input.is_empty() && left > 0 {
        left -= 1;
        match input.byte() % 5 {
            0 | 1 => {
                let new = Message::of(&mut input);
                let at = input.upto(message.bits + 9);
                let window = sum.replace_window(at, new.bits);
                let done = sum.replace(&key, at, new.all(), message.window(window));
                assert_eq!(done.is_ok(), at + new.bits <= message.bits);
                if done.is_ok() {
                    (0..new.bits).for_each(|i| message.set(at + i, new.get(i)));
                }
            }
            2 => {
                let new = Message::of(&mut input);
                let window = sum.append_window();
                sum.append(&key, new.all(), message.window(window)).expect("the window");
                (0..new.bits).for_each(|i| message.push(new.get(i)));
            }
            3 => {
                let bits = input.upto(message.bits + 9);
                let window = sum.truncate_window(bits);
                let done = sum.truncate(&key, bits, message.window(window));
                assert_eq!(done.is_ok(), bits <= message.bits);
                if done.is_ok() {
                    message.truncate(bits);
                }
            }
            _ => {
                let tag = sum.tag(&key).expect("its key");
                sum = Sum::from_tag(&key, &tag, message.bits).expect("a whole tag");
            }
        }
        assert_eq!(sum.bits(), message.bits);
        assert_eq!(sum.tag(&key).expect("its key"), key.tag_bits(message.all()));
    }
}

/// Bits, the first the highest of the first byte. Those after the last are zero.
struct Message {
    bytes: Vec<u8>,
    bits: u64,
}

impl Message {
    fn of(input: &mut Input<'_>) -> Message {
        let bytes = input.message(300);
        let bits = (8 * bytes.len() as u64).saturating_sub(u64::from(input.byte() % 8));
        let mut message = Message { bytes, bits };
        message.truncate(bits);
        message
    }

    fn all(&self) -> Bits<'_> {
        Bits::new(&self.bytes, self.bits).expect("as many bytes")
    }

    fn window(&self, window: std::ops::Range<u64>) -> &[u8] {
        &self.bytes[window.start as usize..window.end as usize]
    }

    fn get(&self, at: u64) -> bool {
        self.bytes[(at / 8) as usize] & 0x80 >> (at % 8) != 0
    }

    fn set(&mut self, at: u64, bit: bool) {
        let mask = 0x80 >> (at % 8);
        let byte = &mut self.bytes[(at / 8) as usize];
        *byte = if bit { *byte | mask } else { *byte & !mask };
    }

    fn push(&mut self, bit: bool) {
        if self.bits.is_multiple_of(8) {
            self.bytes.push(0);
        }
        self.bits += 1;
        self.set(self.bits - 1, bit);
    }

    fn truncate(&mut self, bits: u64) {
        self.bytes.truncate(bits.div_ceil(8) as usize);
        self.bits = bits;
        (bits..8 * self.bytes.len() as u64).for_each(|at| self.set(at, false));
    }
}
