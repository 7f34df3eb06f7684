//! NH with signed 16-bit words: every row against the oracle.

use crate::l1_nh16::{self, Key, UNIT, steps};
use wegman::cpu::Cpu;
use wegman_reference::inputs::{Placed, Random};
use wegman_reference::umac_2000 as oracle;

const CHUNK: usize = 4096;

/// Key bytes for eight streams: the key of each stream starts 16 bytes later.
fn key_bytes(random: &mut Random) -> Vec<u8> {
    random.message(CHUNK + 7 * 16)
}

fn key(bytes: &[u8]) -> Key<{ steps(CHUNK) }> {
    Key::new(bytes.as_chunks().0.iter().map(|word| u16::from_be_bytes(*word)))
}

fn expected(key: &[u8], chunk: &[u8], streams: usize) -> Vec<u32> {
    let padded = oracle::zero_pad(chunk, UNIT);
    (0..streams).map(|t| oracle::nh(&oracle::UMAC16, &key[16 * t..], &padded) as u32).collect()
}

#[test]
fn every_length_and_number_of_streams() {
    let mut random = Random(60);
    let bytes = key_bytes(&mut random);
    let key = key(&bytes);
    let chunk = random.message(CHUNK);
    let placed = Placed::new(&chunk);
    let edges = (1..=CHUNK / 128).flat_map(|i| 128 * i - 2..=128 * i + 1).filter(|&i| i <= CHUNK);
    for length in (0..=300).chain(edges) {
        let expected = expected(&bytes, &chunk[..length], 8);
        for row in l1_nh16::ROWS.fitting(Cpu::detect()) {
            for streams in 0..=8 {
                let mut sums = vec![7; streams];
                row.functions.nh(&key, placed.at(length, length), &mut sums);
                let name = row.name;
                assert_eq!(sums, expected[..streams], "{name}, {length} bytes, {streams} streams");
            }
        }
    }
}

/// Words and key words at the ends of their ranges: sums that wrap, and products of the smallest numbers.
#[test]
fn extremes() {
    for (word, key_word) in
        [(0x8000u16, 0u16), (0x7fff, 0), (0xffff, 1), (0x4000, 0x4000), (0x1234, 0x6dcc)]
    {
        let chunk: Vec<u8> = word.to_le_bytes().repeat(CHUNK / 2);
        let bytes: Vec<u8> = key_word.to_be_bytes().repeat(CHUNK / 2 + 56);
        let key = key(&bytes);
        for length in [32, 64, 96, 128, 1024, CHUNK] {
            let expected = expected(&bytes, &chunk[..length], 8);
            for row in l1_nh16::ROWS.fitting(Cpu::detect()) {
                let mut sums = [0; 8];
                row.functions.nh(&key, &chunk[..length], &mut sums);
                assert_eq!(sums, *expected, "{}, {word:x} + {key_word:x}, {length}", row.name);
            }
        }
    }
}
