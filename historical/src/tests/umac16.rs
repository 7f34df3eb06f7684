//! UMAC16 against the oracle: every length of tag on every row, both steps up of level 2, eight messages. The catalogue tests
//! streams, batches and prefixes.

use super::SECRET;
use crate::Umac16;
use crate::umac16::l2::{self, State};
use crate::umac16::packet::{self, Packet, SHORT};
use crate::umac16::{CHUNK, L1Key, MAX_STREAMS, l3};
use wegman::Aes128;
use wegman::cipher::BlockCipher;
use wegman::cpu::Cpu;
use wegman::hazmat::raw::{self, Nonce};
use wegman::hazmat::rows::Row;
use wegman::{NonceOf, Tag, TagMismatch};
use wegman_reference::inputs::{Placed, Random};
use wegman_reference::umac_2000 as oracle;

fn params(tag_bytes: usize) -> oracle::Params {
    oracle::Params { output_len: tag_bytes, ..oracle::UMAC16 }
}

/// A key of each row of this machine.
fn keys<const N: usize>() -> Vec<Umac16<N>> {
    let key = |(name, cpu)| {
        let key = Umac16::with_cpu(cpu, &SECRET);
        assert_eq!(key.kernel(), name);
        key
    };
    Umac16::<N>::kernels(Cpu::detect()).map(key).collect()
}

/// The oracle's tags of all lengths: shorter hashes are prefixes of the longest.
fn tag_of<const N: usize>(hash: &[u8], nonce: &Nonce) -> [u8; N] {
    let pad = oracle::pdf(&params(N), &SECRET, nonce.as_bytes());
    core::array::from_fn(|i| hash[i] ^ pad[i])
}

fn check_tags<const N: usize>(keys: &[Umac16<N>], hash: &[u8], message: &[u8]) {
    for nonce in [Nonce::counter(message.len() as u64), Nonce::from([message.len() as u8; 13])] {
        let expected = tag_of::<N>(hash, &nonce);
        for key in keys {
            let tag = raw::tag(key, &nonce, message);
            assert_eq!(tag.to_bytes(), expected, "{key:?}, {} bytes", message.len());
        }
    }
}

#[test]
fn every_length() {
    let message = Random(90).message(2100);
    let placed = Placed::new(&message);
    let keys = (keys::<2>(), keys::<4>(), keys::<8>(), keys::<16>());
    for length in 0..=message.len() {
        let message = placed.at(length, length);
        let hash = oracle::uhash(&params(16), &SECRET, message);
        check_tags(&keys.0, &hash, message);
        check_tags(&keys.1, &hash, message);
        check_tags(&keys.2, &hash, message);
        check_tags(&keys.3, &hash, message);
    }
}

/// Lengths around 16 KiB, and around 512 KiB, where POLY-64 takes over. One message is random: its words are over
/// the limit of POLY-32 only by chance. The other is all ones.
#[test]
fn long_messages() {
    let (random, ones) = (Random(91).message(600_000), vec![0xff; 600_000]);
    let keys = (keys::<2>(), keys::<4>(), keys::<8>(), keys::<16>());
    let around = |edge: usize| [edge - 1, edge, edge + 1];
    let lengths =
        [16 << 10, 511 << 10, 512 << 10, 513 << 10, 514 << 10].into_iter().flat_map(around);
    for length in lengths.chain([515 * 1024 - 77]) {
        for message in [&random[..length], &ones[..length]] {
            let hash = oracle::uhash(&params(16), &SECRET, message);
            check_tags(&keys.0, &hash, message);
            check_tags(&keys.1, &hash, message);
            check_tags(&keys.2, &hash, message);
            check_tags(&keys.3, &hash, message);
            for key in &keys.3 {
                let (mut stream, nonce) = (key.stream(), Nonce::counter(5));
                message.chunks(70_001).for_each(|piece| stream.update(piece));
                let tag = raw::tag(key, &nonce, message);
                assert_eq!(raw::peek(&stream, &nonce), tag, "{key:?}, {length} bytes in pieces");
            }
        }
    }
}

/// Batches that kernels verify eight at a time, one tag of them wrong: with consecutive nonces, and out of order.
#[test]
fn a_wrong_tag_among_eights() {
    let text = Random(94).message(65);
    for key in keys::<8>() {
        for count in [8, 9, 17] {
            let packet = |i: u64| {
                let (nonce, message) = (NonceOf::counter(i), &text[7 * i as usize % 65..]);
                (nonce, message, key.tag(NonceOf::counter(i), message))
            };
            for wrong in 0..count {
                let mut packets: Vec<_> = (0..count as u64).map(packet).collect();
                let mut bytes = packets[wrong].2.to_bytes();
                bytes[wrong % 8] ^= 1;
                packets[wrong].2 = Tag::from(bytes);
                for turn in 0..2 {
                    let mut valid = vec![false; count];
                    assert_eq!(key.verify_many(&packets, &mut valid), Err(TagMismatch));
                    let at = (wrong + count - turn) % count;
                    assert!((0..count).all(|i| valid[i] == (i != at)), "{key:?}, {count}, {wrong}");
                    packets.rotate_left(1);
                }
            }
        }
    }
}

/// Level 2 with words over the limit, on both sides of the step up to POLY-64.
#[test]
fn level_2_is_the_oracles() {
    let mut random = Random(96);
    let params = params(16);
    let bytes = l2_bytes();
    let keys = bytes.each_ref().map(l2::Key::from_bytes);
    let mut state = State::new();
    let mut words = vec![Vec::new(); MAX_STREAMS];
    for count in 1..530 {
        let line = line(&mut random);
        state.absorb_words(&keys, &line);
        for (t, word) in line.iter().enumerate() {
            words[t].extend(word.to_be_bytes());
            if count > 1 && !(8..505).contains(&count) {
                let expected = oracle::l2(&params, &bytes[t], &words[t]);
                assert_eq!(state.finish(&keys[t], t).to_be_bytes(), expected, "{count} words");
            }
        }
    }
}

/// The step up to POLY-128 is 2 TiB into a message. The test moves two states there: this one, and that of the engine
/// of all parameters. Other tests compare the latter with the oracle, with steps up at other places.
#[test]
fn the_end_of_poly_64() {
    use crate::umac_2000::{Parameters, l2 as of_all};
    let mut random = Random(97);
    let bytes = l2_bytes();
    let keys = bytes.each_ref().map(l2::Key::from_bytes);
    let general_keys = bytes.each_ref().map(|bytes| of_all::Key::from_bytes(bytes));
    let shape = of_all::Shape::of(&Parameters::UMAC16);
    let (mut state, mut general) = (State::new(), of_all::State::new(shape));
    for count in 0..540 {
        if count == 514 {
            state = state.moved_to_the_end_of_64();
            general = general.moved(shape, 1 << 31);
        }
        let line = line(&mut random);
        state.absorb_words(&keys, &line);
        general.absorb_words(&general_keys, &line.map(u64::from));
        for t in 0..MAX_STREAMS {
            let expected = general.finish(&general_keys[t], t);
            assert_eq!(state.finish(&keys[t], t), expected, "{count} words before");
        }
    }
}

fn l2_bytes() -> [[u8; 28]; MAX_STREAMS] {
    let params = params(16);
    core::array::from_fn(|t| oracle::l2_key(&params, &SECRET, t).try_into().unwrap())
}

/// A word for each stream, often over the limit.
fn line(random: &mut Random) -> [u32; MAX_STREAMS] {
    core::array::from_fn(|_| {
        let word = random.word();
        if word.is_multiple_of(3) { u32::MAX - (word >> 32) as u32 % 8 } else { word as u32 }
    })
}

/// Every row of packet kernels of this machine for eight streams, with the given keys of levels 2 and 3. Level 1 has
/// keys of zeroes, so that words depend on the message alone and are the same in all streams.
fn rows_without_layer_1(
    l2: [l2::Key; MAX_STREAMS],
    l3: [l3::Key; MAX_STREAMS],
) -> impl Iterator<Item = (&'static str, Packet, packet::Key)> {
    Row::fitting(packet::ROWS, Cpu::detect()).map(move |&Row { name, needs, .. }| {
        let mut key = packet::Key::new(L1Key::new([]), l2, l3);
        let cpu = Cpu::detect().only(needs);
        let kernels = Packet::new(cpu, &Aes128::new(&SECRET), MAX_STREAMS, &mut key);
        (name, kernels.expect("the row's own needs"), key)
    })
}

/// A chunk whose word is at the limit of POLY-32, above it or a little below it; and the word.
fn chunk_near_the_limit(random: &mut Random) -> ([u8; CHUNK], u32) {
    // a b + c d is the wanted word without the length, 8192. With b = 181 all factors are small.
    let wanted = u32::MAX - random.word() as u32 % 12;
    let rest = wanted.wrapping_sub(8192) as i32; // small and negative
    let mut chunk = [0; CHUNK];
    for (j, (a, b)) in [(rest / 181, 181), (rest % 181, 1)].into_iter().enumerate() {
        chunk[2 * j..][..2].copy_from_slice(&(a as i16).to_le_bytes());
        chunk[16 + 2 * j..][..2].copy_from_slice(&(b as i16).to_le_bytes());
    }
    (chunk, wanted)
}

/// POLY-32 of the packet kernels against the scalar POLY-32, which the tests above compare with the oracle. With a
/// level-1 key of zeroes the message determines the words.
#[test]
fn words_over_the_limit_in_kernels() {
    let mut random = Random(98);
    let bytes = l2_bytes();
    let l2 = bytes.each_ref().map(l2::Key::from_bytes);
    let l3 = core::array::from_fn(|_| {
        let bytes: Vec<u8> = random.message(32);
        l3::Key::from_bytes(bytes.as_slice().try_into().unwrap(), [1, 2])
    });
    for (name, kernels, key) in rows_without_layer_1(l2, l3) {
        for count in [1, 2, 3, 40, 2, 2, 2, 2, 3, 3, 3, 3] {
            let (chunks, words): (Vec<[u8; CHUNK]>, Vec<u32>) =
                (0..count).map(|_| chunk_near_the_limit(&mut random)).unzip();
            let (mut state, mut expected) = (State::new(), State::new());
            for &word in &words {
                expected.absorb_words(&l2, &[word; MAX_STREAMS]);
            }
            assert!(kernels.absorb(&key, &mut state, &chunks).is_empty());
            for (t, key) in l2.iter().enumerate() {
                let (found, expected) = (state.finish(key, t), expected.finish(key, t));
                assert_eq!(found, expected, "{name}, {count} chunks");
            }
            if count > 1 {
                // The same chunks as a whole message, whose last chunk takes another path.
                let hash = kernels.hash(&key, chunks.as_flattened()).to_le_bytes();
                for (t, found) in hash.as_chunks().0.iter().enumerate() {
                    let expected = l3[t].hash(expected.finish(&l2[t], t));
                    assert_eq!(u16::from_be_bytes(*found), expected, "{name}, {count} chunks");
                }
            }
        }
    }
}

/// Eight messages at a time: every length at every place, next to equal lengths and next to others.
fn check_tag8<const N: usize>() {
    let mut random = Random(100);
    let placed = Placed::new(&random.message(SHORT));
    let hashes: Vec<Vec<u8>> =
        (0..=SHORT).map(|n| oracle::uhash(&params(N), &SECRET, placed.at(0, n))).collect();
    let keys = keys::<N>();
    for length in 0..=SHORT {
        for step in [0, 1, 8, 27, 64] {
            let lengths: [usize; 8] = core::array::from_fn(|i| (length + step * i) % (SHORT + 1));
            let messages: [&[u8]; 8] =
                core::array::from_fn(|i| placed.at(length + 13 * i, lengths[i]));
            // The first message's pad begins a block.
            let first = Nonce::counter(random.word() >> 8 << 3);
            let nonce = |i| first.advance(i as u64).unwrap();
            let expected: Vec<[u8; N]> =
                (0..8).map(|i| tag_of(&hashes[lengths[i]], &nonce(i))).collect();
            for key in &keys {
                let mut tags = [Tag::from([0xad; N]); 8];
                assert_eq!(raw::tag_many(key, &first, &messages, &mut tags), Ok(()));
                assert_eq!(tags.map(Tag::to_bytes).as_slice(), expected, "{key:?}, {lengths:?}");
            }
        }
    }
}

#[test]
fn eight_messages() {
    check_tag8::<2>();
    check_tag8::<4>();
    check_tag8::<8>();
    check_tag8::<16>();
}
