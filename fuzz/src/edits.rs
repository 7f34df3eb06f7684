//! Edits of sums: after each, the tag is that of the edited message.

use crate::input::Input;
use std::ops::Range;
use wegman::pmac::Key;
use wegman::pmac::hazmat::Sum;
use wegman::{Aes128, Bits};
use wegman_reference::pmac::bits::{bits_of, bytes_of};

/// A message of bits and a list of edits.
pub fn run(data: &[u8]) {
    let mut input = Input::new(data);
    let key = Key::<Aes128, 16>::from_slice(&input.bytes(16)).expect("16 bytes");
    let mut bytes = input.message(1200);
    let mut message = bits_of(&bytes, 8 * bytes.len());
    let mut sum = Sum::new(&key, Bits::from(&bytes[..]));
    let mut left = 24;
    while !input.is_empty() && left > 0 {
        left -= 1;
        let old = |window: Range<u64>| &bytes[window.start as usize..window.end as usize];
        let length = message.len() as u64;
        match input.byte() % 5 {
            0 | 1 => {
                let new = any_bits(&mut input);
                let at = input.upto(length + 9);
                let end = at + new.len() as u64;
                let window = sum.replace_window(at, new.len() as u64);
                let done = sum.replace(&key, at, as_bits(&new, &bytes_of(&new)), old(window));
                assert_eq!(done.is_ok(), end <= length);
                if done.is_ok() {
                    message[at as usize..end as usize].copy_from_slice(&new);
                }
            }
            2 => {
                let new = any_bits(&mut input);
                let window = sum.append_window();
                let done = sum.append(&key, as_bits(&new, &bytes_of(&new)), old(window));
                done.expect("the window");
                message.extend(new);
            }
            3 => {
                let bits = input.upto(length + 9);
                let window = sum.truncate_window(bits);
                let done = sum.truncate(&key, bits, old(window));
                assert_eq!(done.is_ok(), bits <= length);
                if done.is_ok() {
                    message.truncate(bits as usize);
                }
            }
            _ => {
                let tag = sum.tag(&key).expect("its key");
                sum = Sum::from_tag(&key, &tag, length).expect("a whole tag");
            }
        }
        bytes = bytes_of(&message);
        assert_eq!(sum.bits(), message.len() as u64);
        assert_eq!(sum.tag(&key).expect("its key"), key.tag_bits(as_bits(&message, &bytes)));
    }
}

fn any_bits(input: &mut Input<'_>) -> Vec<bool> {
    let bytes = input.message(300);
    let mut bits = bits_of(&bytes, 8 * bytes.len());
    bits.truncate(bits.len().saturating_sub(usize::from(input.byte() % 8)));
    bits
}

/// These bits, in their bytes.
fn as_bits<'b>(bits: &[bool], bytes: &'b [u8]) -> Bits<'b> {
    Bits::new(bytes, bits.len() as u64).expect("as many bytes")
}
