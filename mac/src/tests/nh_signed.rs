//! NH with signed 32-bit words: every row against the oracle.

use crate::cpu::Cpu;
use crate::umac::MAX_STREAMS;
use crate::umac::l1_nh::{CHUNK, Key, Nh, UNIT};
use wegman_reference::inputs::{Placed, Random};
use wegman_reference::umac_2000 as oracle;

const PARAMS: oracle::Params = oracle::Params { sign: oracle::Sign::Signed, ..oracle::UMAC32 };

/// Key bytes for four streams: the key of each stream starts 16 bytes later.
const KEY_BYTES: usize = CHUNK + 16 * (MAX_STREAMS - 1);

/// NH of the message's chunks for all streams. An empty message has one empty chunk.
fn expected(key: &[u8], message: &[u8]) -> Vec<u64> {
    let empty = message.is_empty().then_some(message);
    let hashes = |chunk| {
        let padded = oracle::zero_pad(chunk, UNIT);
        (0..MAX_STREAMS).map(move |t| oracle::nh(&PARAMS, &key[16 * t..], &padded))
    };
    message.chunks(CHUNK).chain(empty).flat_map(hashes).collect()
}

fn check(key: &[u8], message: &[u8], expected: &[u64]) {
    for streams in 1..=MAX_STREAMS {
        let first = |room: &mut [u8]| room.copy_from_slice(&key[..room.len()]);
        let key = Key::from_bytes(streams, first);
        let expected: Vec<u64> =
            expected.chunks(MAX_STREAMS).flat_map(|chunk| &chunk[..streams]).copied().collect();
        for row in Nh::all_signed(Cpu::detect(), streams) {
            let mut sums = vec![0xdead; expected.len()]; // old contents must not count
            row.nh(&key, message, &mut sums);
            let (name, length) = (row.name(), message.len());
            assert_eq!(sums, expected, "{name}, {streams} streams, {length} bytes");
        }
    }
}

#[test]
fn every_length() {
    let mut random = Random(61);
    let key = random.message(KEY_BYTES);
    let message = random.message(2 * CHUNK + 52);
    let placed = Placed::new(&message);
    for length in 0..=message.len() {
        check(&key, placed.at(length, length), &expected(&key, &message[..length]));
    }
}

/// Words and key words at the ends of their ranges, x and y equal or not: sums that wrap, products of the
/// smallest numbers, of the smallest and the largest, and of small numbers with different signs.
#[test]
fn extremes() {
    let words: [u32; 7] = [0, 1, 0x7fff_ffff, 0x8000_0000, 0x8000_0001, 0xffff_fffe, 0xffff_ffff];
    for x in words {
        for y in words {
            let unit = [[x; 4], [y; 4]].concat();
            let bytes: Vec<u8> = unit.iter().flat_map(|word| word.to_le_bytes()).collect();
            let message = bytes.repeat(CHUNK / UNIT);
            for key_word in [0, 1, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff_u32] {
                let key = key_word.to_be_bytes().repeat(KEY_BYTES / 4);
                for length in [32, 60, 64, 100, CHUNK] {
                    let message = &message[..length];
                    check(&key, message, &expected(&key, message));
                }
            }
        }
    }
}

/// The first products, by hand.
#[test]
fn signs_count() {
    let one = |x: u32, y: u32| {
        let mut message = [0; 20];
        message[..4].copy_from_slice(&x.to_le_bytes());
        message[16..].copy_from_slice(&y.to_le_bytes());
        let key = Key::from_bytes(1, |_| ());
        let sums = Nh::all_signed(Cpu::detect(), 1).map(|row| {
            let mut sums = [0];
            row.nh(&key, &message, &mut sums);
            sums[0] as i64
        });
        let sums: Vec<i64> = sums.collect();
        assert!(sums.iter().all(|sum| *sum == sums[0]), "{sums:x?}");
        sums[0]
    };
    assert_eq!(one(1 << 31, 1 << 31), 1 << 62);
    assert_eq!(one(1 << 31, i32::MAX as u32), -(1 << 31) * i64::from(i32::MAX));
    assert_eq!(one(u32::MAX, 5), -5);
    assert_eq!(one(5, u32::MAX), -5);
    assert_eq!(one(u32::MAX, u32::MAX), 1);
}
