//! The functions of level 1, of eight messages and of level 3 of each row, each against the oracle's levels, so that a
//! failure names the function.

use super::{SECRET, for_every_length};
use crate::batch::EIGHT;
use crate::cpu::Cpu;
use crate::nonce::Nonce;
use crate::pads::Blocks;
use crate::tag::Tag;
use crate::umac::kdf::{Kdf, Rfc4418};
use crate::umac::l1_nh::CHUNK;
use crate::umac::packet::{self, Functions, Key, NEAR, SHORT, Words};
use crate::umac::{MAX_STREAMS, l3_inner};
use wegman_reference::inputs::{Placed, Random};
use wegman_reference::umac_rfc4418 as oracle;

/// Every row of this machine with its key.
fn rows<const N: usize>() -> impl Iterator<Item = (&'static str, &'static Functions, Key)> {
    packet::ROWS.kernels(Cpu::detect()).map(move |(name, cpu)| {
        let kdf = Kdf::<Rfc4418>::new(Cpu::detect(), &SECRET);
        let row = packet::ROWS.best(cpu);
        assert_eq!(row.name, name);
        (name, row.functions.of(N / 4), {
            let mut key = Key::blank(row, kdf.pad_key());
            key.derive(&kdf, N / 4);
            key
        })
    })
}

/// The bytes of a tag; the bytes above it are unspecified.
fn bytes<const N: usize>(number: u128) -> Vec<u8> {
    number.to_le_bytes()[..N].to_vec()
}

fn xor(a: &[u8], b: &[u8]) -> Vec<u8> {
    a.iter().zip(b).map(|(a, b)| a ^ b).collect()
}

// Level 1.

/// Chunks of every length that differ in every byte, and those that make the largest sums.
fn check_words<const N: usize>() {
    let placed = Placed::new(&Random(59).message(CHUNK));
    let extreme = [[0; CHUNK], [0xff; CHUNK]];
    let keys: Vec<_> = (0..N / 4).map(|t| oracle::l1_key(&SECRET, t)).collect();
    for (name, packet, key) in rows::<N>() {
        for length in 0..=CHUNK {
            for chunk in [placed.at(length, length), &extreme[0][..length], &extreme[1][..length]] {
                let expected: Vec<_> = keys.iter().map(|key| oracle::l1_hash(key, chunk)).collect();
                let mut words = [0; MAX_STREAMS];
                packet.words(&key.l1, chunk, &mut words);
                assert_eq!(words[..N / 4], expected, "{name}, {length} bytes");
            }
        }
    }
}

#[test]
fn words() {
    for_every_length!(check_words);
}

// Eight messages.

/// The blocks of eight nonces, the first of which begins a block, and their pads. Nonces of every length, and carries
/// from each byte into the next.
fn pads8<const N: usize>(random: &mut Random) -> (Blocks, Vec<Vec<u8>>) {
    let length = 1 + (random.word() % 16) as usize;
    let carried = random.word() as usize % length;
    let mut nonce = random.message(length);
    nonce[length - carried..].fill(0xff);
    nonce[0] &= 0x7f;
    nonce[length - 1] &= 0xfc;
    let blocks = Blocks::new(&Nonce::new(&nonce).unwrap(), N);
    let pads = (0..EIGHT).map(|_| {
        let pad = oracle::pdf(&SECRET, &nonce, N);
        for byte in nonce.iter_mut().rev() {
            *byte = byte.wrapping_add(1);
            if *byte != 0 {
                break;
            }
        }
        pad
    });
    let pads = pads.collect();
    (blocks, pads)
}

/// The tags of these eight messages by every row that takes eight, next to those of the oracle.
fn check_eight<const N: usize>(
    rows: &[(&str, &Functions, Key)],
    messages: &[&[u8]; EIGHT],
    hashes: &[Vec<u8>; EIGHT],
    random: &mut Random,
) {
    let (blocks, pads) = pads8::<N>(random);
    let expected: [Vec<u8>; EIGHT] = core::array::from_fn(|i| xor(&hashes[i], &pads[i]));
    for (name, packet, key) in rows.iter().filter(|(_, packet, _)| packet.takes_eight()) {
        let mut tags = [Tag::from([0xde; N]); EIGHT];
        assert!(packet.tags(key, &blocks, messages, &mut tags), "{name}");
        let found = tags.map(|tag| tag.to_bytes().to_vec());
        let lengths = messages.map(|message| message.len());
        assert_eq!(found, expected, "{name}, {lengths:?}");
    }
}

/// Every length at every place of the eight, next to equal lengths and next to others.
fn check_short_eights<const N: usize>() {
    let mut random = Random(54);
    let placed = Placed::new(&random.message(SHORT));
    let hashes: Vec<Vec<u8>> =
        (0..=SHORT).map(|length| oracle::uhash(&SECRET, placed.at(0, length), N)).collect();
    let rows: Vec<_> = rows::<N>().collect();
    for length in 0..SHORT {
        for step in [0, 1, 8, 27, 63] {
            let lengths: [usize; EIGHT] = core::array::from_fn(|i| 1 + (length + step * i) % SHORT);
            let messages = core::array::from_fn(|i| placed.at(length + 13 * i, lengths[i]));
            let hashes = lengths.map(|length| hashes[length].clone());
            check_eight::<N>(&rows, &messages, &hashes, &mut random);
        }
    }
}

#[test]
fn short_eights() {
    for_every_length!(check_short_eights);
}

fn check_longer_eights<const N: usize>() {
    let mut random = Random(55);
    let placed = Placed::new(&random.message(5 * CHUNK));
    let rows: Vec<_> = rows::<N>().collect();
    for (case, length) in (1..=CHUNK + 1).chain((CHUNK..5 * CHUNK).step_by(97)).enumerate() {
        // A message with this length, next to shorter, short and long messages.
        let others = [length.div_ceil(2), 1, 17, CHUNK, CHUNK + 1, 64, 65];
        let lengths: [usize; EIGHT] = core::array::from_fn(|i| match (i + case) % EIGHT {
            0 => length,
            other => others[other - 1],
        });
        let messages = core::array::from_fn(|i| placed.at(case + 9 * i, lengths[i]));
        let hashes = messages.map(|message| oracle::uhash(&SECRET, message, N));
        check_eight::<N>(&rows, &messages, &hashes, &mut random);
    }
}

#[test]
fn longer_eights() {
    for_every_length!(check_longer_eights);
}

/// An empty message or one that is too long is tagged by itself.
#[test]
fn no_eights() {
    let long = vec![0; NEAR + 1];
    for (name, packet, key) in rows::<8>() {
        for (odd, takes) in [(&long[..0], false), (&long, false), (&long[..NEAR], true)] {
            let blocks = Blocks::new(&Nonce::counter(0), 8);
            let mut messages = [&long[..20]; EIGHT];
            messages[3] = odd;
            let mut tags = [Tag::from([0; 8]); EIGHT];
            let is_done = packet.tags(&key, &blocks, &messages, &mut tags);
            assert_eq!(is_done, takes && packet.takes_eight(), "{name}, {} bytes", odd.len());
        }
    }
}

/// Eight tags from the registers that they fill.
fn tags_in<const N: usize>(tags: &[[u8; 64]]) -> Vec<Vec<u8>> {
    let width = if N <= 8 { 8 } else { 16 };
    tags.as_flattened().chunks(width).take(EIGHT).map(|tag| tag[..N].to_vec()).collect()
}

/// How many words each of eight messages has.
const fn words_each(tag_bytes: usize) -> usize {
    if tag_bytes <= 8 { 2 } else { 4 }
}

// Level 3.

const P36: u64 = (1 << 36) - 5;

/// Level 3's keys of the four digits of a 64-bit word, and the mask: extreme keys, random keys, and keys
/// for which sums of few digits reach the multiples of 2^36 - 5 and their neighbours.
fn level_3_keys() -> Vec<([u8; 64], [u8; 4])> {
    let mut random = Random(56);
    let mut keys: Vec<([u64; 4], u32)> = vec![
        ([0; 4], 0),
        ([P36 - 1; 4], 0),
        ([P36 - 1; 4], u32::MAX),
        ([u64::MAX; 4], 0x0123_4567),
        ([1 << 35; 4], 0),
        ([(1 << 36) - 6, 4, 3, 2], 0), // p - 1, and keys that bring the sum to p, to 2^36 and beyond
        ([5, (1 << 36) - 6, 6, 7], 0),
        ([1, 0, (1 << 36) - 6, (1 << 36) - 6], 0),
        ([(1 << 36) - 6, 1, 2, (1 << 36) - 6], u32::MAX),
    ];
    keys.extend((0..8).map(|_| (core::array::from_fn(|_| random.word()), random.word() as u32)));
    let bytes = |(keys, mask): ([u64; 4], u32)| {
        let mut bytes = [0x77; 64]; // the upper four digits of a 64-bit word are zero
        for (bytes, key) in bytes.as_chunks_mut().0[4..].iter_mut().zip(keys) {
            *bytes = key.to_be_bytes();
        }
        (bytes, mask.to_be_bytes())
    };
    keys.into_iter().map(bytes).collect()
}

/// Words of extreme digits, small and large, alone and together, and random ones.
fn level_3_words() -> Vec<u64> {
    let mut random = Random(57);
    let mut words = Vec::new();
    for digits in 0..256u64 {
        // Each of the four digits has one of four values.
        let digit = |i: u64| [0, 1, 2, 0xffff][(digits >> (2 * i) & 3) as usize] << (16 * i);
        words.push((0..4).map(digit).sum());
    }
    words.extend([1 << 63, !0 << 32, !0 >> 32, 0x8000_8000_8000_8000, 0x7fff_7fff_7fff_7fff]);
    words.extend((0..60).map(|_| random.word()));
    words.resize(words.len().next_multiple_of(EIGHT), u64::MAX);
    words
}

/// Level 3 alone and of eight messages, with every word in every stream and at every place.
fn check_level_3<const N: usize>() {
    let mut random = Random(58);
    let all = level_3_keys();
    let words = level_3_words();
    for first in 0..all.len() {
        // Each stream has its own keys.
        let of_stream = |t: usize| &all[(first + t) % all.len()];
        let l3 = core::array::from_fn(|t| {
            let (key, mask) = of_stream(t);
            l3_inner::Key::from_bytes(key, mask)
        });
        let hash = |words: &[u64]| -> Vec<u8> {
            let part = |t: usize| {
                let (key, mask) = of_stream(t);
                oracle::l3_hash(key, mask, &u128::from(words[t]).to_be_bytes())
            };
            (0..N / 4).flat_map(part).collect()
        };
        for (name, packet, mut key) in rows::<N>() {
            key.l3 = l3;
            key.arrange();
            // One word for each stream, in groups of eight messages. Each stream has the words in a different order.
            let word = |i: usize, t: usize| words[(i + 41 * t) % words.len()];
            for group in 0..words.len() / EIGHT {
                let (blocks, pads) = pads8::<N>(&mut random);
                let mut eight = Words([1; EIGHT * MAX_STREAMS]);
                let mut expected = Vec::new();
                for (place, pad) in pads.iter().enumerate() {
                    // Unused streams have an accumulator too, which is 1.
                    let mut its_words = [1; MAX_STREAMS];
                    for (t, slot) in its_words[..N / 4].iter_mut().enumerate() {
                        *slot = word(EIGHT * group + place, t);
                    }
                    let hash = hash(&its_words);
                    let found = bytes::<N>(packet.inner(&key, &its_words));
                    assert_eq!(found, hash, "{name}, keys {first}, {its_words:x?}");
                    let each = words_each(N);
                    eight.0[each * place..][..each].copy_from_slice(&its_words[..each]);
                    expected.push(xor(&hash, pad));
                }
                if let Some(tags) = packet.tags_of_words(&key, &eight, &blocks) {
                    assert_eq!(
                        tags_in::<N>(&tags),
                        expected,
                        "{name}, keys {first}, group {group}"
                    );
                }
            }
        }
    }
}

#[test]
fn inner_and_inner8() {
    for_every_length!(check_level_3);
}
