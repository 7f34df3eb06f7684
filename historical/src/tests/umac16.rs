//! UMAC16 against the oracle: every length of tag on every row, and words over the limit of POLY-32. The catalogue tests
//! streams, batches and prefixes.

use super::SECRET;
use crate::Umac16;
use crate::umac_2000::l2::{self, Shape, State};
use crate::umac16::packet::{self, ByStreams};
use crate::umac16::{CHUNK, L1Key, MAX_STREAMS, l3};
use wegman::Aes128;
use wegman::cipher::BlockCipher;
use wegman::cpu::Cpu;
use wegman::hazmat::raw::{self, Nonce};
use wegman::hazmat::rows::Row;
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

fn l2_bytes() -> [[u8; 28]; MAX_STREAMS] {
    let params = params(16);
    core::array::from_fn(|t| oracle::l2_key(&params, &SECRET, t).try_into().unwrap())
}

/// Every row of packet kernels of this machine for eight streams, with the given keys of levels 2 and 3. Level 1 has
/// keys of zeroes, so that words depend on the message alone and are the same in all streams.
fn rows_without_level_1(
    l2: [l2::Key; MAX_STREAMS],
    l3: [l3::Key; MAX_STREAMS],
) -> impl Iterator<Item = (&'static str, &'static ByStreams, packet::Key)> {
    packet::ROWS.fitting(Cpu::detect()).map(move |&Row { name, needs, .. }| {
        let mut key = packet::Key::new(L1Key::new([]), l2, l3);
        let cpu = Cpu::detect().only(needs);
        let whole = packet::whole(cpu, &Aes128::new(&SECRET), &mut key);
        (name, whole.expect("the row's own needs"), key)
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
    let l2 = bytes.each_ref().map(|bytes| l2::Key::from_bytes(bytes));
    let l3 = core::array::from_fn(|_| {
        let bytes: Vec<u8> = random.message(32);
        l3::Key::from_bytes(bytes.as_slice().try_into().unwrap(), [1, 2])
    });
    for (name, whole, key) in rows_without_level_1(l2, l3) {
        for count in [1, 2, 3, 40, 2, 2, 2, 2, 3, 3, 3, 3] {
            let (chunks, words): (Vec<[u8; CHUNK]>, Vec<u32>) =
                (0..count).map(|_| chunk_near_the_limit(&mut random)).unzip();
            let (mut state, mut expected) = (State::new(Shape::OF_16), State::new(Shape::OF_16));
            for &word in &words {
                expected.absorb_words(&l2, &[word.into(); MAX_STREAMS]);
            }
            assert!(whole.absorb::<16>(&key, &mut state, &chunks).is_empty());
            for (t, key) in l2.iter().enumerate() {
                let (found, expected) = (state.finish(key, t), expected.finish(key, t));
                assert_eq!(found, expected, "{name}, {count} chunks");
            }
            if count > 1 {
                // The same chunks as a whole message, whose last chunk takes another path.
                let hash = whole.hash::<16>(&key, chunks.as_flattened()).to_le_bytes();
                for (t, found) in hash.as_chunks().0.iter().enumerate() {
                    let expected = l3[t].hash(expected.finish(&l2[t], t).0);
                    assert_eq!(u16::from_be_bytes(*found), expected, "{name}, {count} chunks");
                }
            }
        }
    }
}
