//! The ends of messages: numbers of few bytes, and blocks that slide down.

use crate::ends::{block, short_number, slide};
use wegman_reference::inputs::{Placed, Random};

#[test]
fn few_bytes_are_a_number() {
    let mut random = Random(90);
    for len in 0..16 {
        let placed = Placed::new(&random.message(len));
        for bytes in [placed.at(0, len), placed.at(7, len), &vec![0xff; len]] {
            let mut number = [0; 16];
            number[..len].copy_from_slice(bytes);
            assert_eq!(short_number(bytes), u128::from_le_bytes(number), "{len} bytes");
        }
    }
}

/// As a byte shuffle takes it: a number from 16 on gives zero, on x86 only from 128 on.
fn slid(bytes: &[u8; 16], shift: usize) -> [u8; 16] {
    slide(shift).map(|place| match place {
        0..16 => bytes[usize::from(place)],
        128.. => 0,
        _ => panic!("{place} is a zero on ARM alone"),
    })
}

#[test]
fn blocks_slide_to_where_they_belong() {
    let mut random = Random(91);
    for len in 0..=80 {
        let message = random.message(len);
        for at in 0..=64 {
            let Some((bytes, shift)) = block(&message, at) else {
                assert!(len < 16, "{len} bytes have a block");
                continue;
            };
            if shift >= 64 {
                continue;
            }
            let mut expected = [0; 16];
            if let Some(rest) = message.get(at..) {
                let count = rest.len().min(16);
                expected[..count].copy_from_slice(&rest[..count]);
            }
            assert_eq!(slid(bytes, shift), expected, "at {at} of {len} bytes");
        }
    }
}
