//! Every UMAC tag of one message against the oracle: each row, length and alignment, whole and in
//! pieces.

use super::{SECRET, for_every_length, keys, oracle_tag};
use crate::nonce::{Nonce, NonceOf};
use crate::nonce_mac::Prefixes;
use crate::pads;
use crate::umac::l1_nh::CHUNK;
use std::sync::OnceLock;
use wegman_reference::inputs::{Placed, Random};
use wegman_reference::umac_rfc4418 as oracle;

/// Every length up to a little more than four chunks, then lengths around level 1's groups of 16 chunks.
fn lengths() -> impl Iterator<Item = usize> {
    let edges = [16 * CHUNK, 17 * CHUNK, 33 * CHUNK];
    let around = |edge| [-33, -32, -31, -1, 0, 1, 31, 32, 33].map(|d| edge + d);
    let around = edges.into_iter().flat_map(move |edge| around(edge as isize));
    (0..=4100).chain(around.map(|length| length as usize))
}

/// A message, and the lengths at which it is cut and tagged, each with the oracle's hash.
type Hashed = (Vec<u8>, Vec<(usize, Vec<u8>)>);

fn hashed() -> &'static Hashed {
    static HASHED: OnceLock<Hashed> = OnceLock::new();
    HASHED.get_or_init(|| {
        let message = Random(12).message(34 * CHUNK);
        let hash = |length: usize| (length, oracle::uhash(&SECRET, &message[..length], 16));
        let hashes = lengths().map(hash).collect();
        (message, hashes)
    })
}

/// A nonce of any length, of any low bits.
fn nonce_for(length: usize) -> Vec<u8> {
    let bytes = (length as u128).wrapping_mul(0x1234_5678_9abc_def1_0fed_cba9_8765_4321);
    bytes.to_le_bytes()[..1 + length % 16].to_vec()
}

fn check<const N: usize>() {
    let (message, hashes) = hashed();
    let placed = Placed::new(message);
    let keys = keys::<N>();
    for (length, hash) in hashes {
        let length = *length;
        let nonce = nonce_for(length);
        let expected = oracle_tag(hash, &nonce, N);
        let nonce = Nonce::new(&nonce).unwrap();
        // All distances for messages of few registers. For longer messages, three distances, which differ
        // between neighbouring lengths.
        let distances = match length {
            0..=130 => (0..64).collect(),
            _ => vec![0, length % 64, 63 - 5 * length % 64],
        };
        for key in &keys {
            for &distance in &distances {
                let tag = key.tag_under(&nonce, placed.at(distance, length)).to_bytes();
                assert_eq!(tag.as_slice(), expected, "{key:?}, {length} bytes at {distance}");
            }
        }
    }
}

#[test]
fn umac() {
    for_every_length!(check);
}

/// A message in a head and a rest, and in more parts: heads around the ends of a block and of a line.
fn check_parts<const N: usize>() {
    let (message, hashes) = hashed();
    let mut random = Random(31 + N as u64);
    let nonce = || NonceOf::<8>::counter(9);
    for key in keys::<N>() {
        for (length, hash) in hashes {
            let expected = oracle_tag(hash, &nonce().to_bytes(), N);
            let message = &message[..*length];
            let heads = [0, 1, 12, 15, 16, 17, 63, 64, 65, random.upto(70)];
            for head in heads.map(|head| head.min(*length)) {
                let (head, rest) = message.split_at(head);
                let (first, second) = head.split_at(random.upto(head.len()));
                for parts in [&[head, rest][..], &[first, &[], second, rest]] {
                    let tag = key.tag_parts(nonce(), parts);
                    assert_eq!(tag.to_bytes().as_slice(), expected, "{key:?}, {length}: {head:?}");
                    assert!(key.verify_parts(&nonce(), parts, &tag).is_ok());
                }
            }
        }
    }
}

#[test]
fn parts() {
    for_every_length!(check_parts);
}

/// Random pieces: at least one in four is empty, most are short, some span several chunks.
fn check_streams<const N: usize>() {
    let (message, hashes) = hashed();
    let mut random = Random(30 + N as u64);
    for key in keys::<N>() {
        for (length, hash) in hashes {
            let nonce = nonce_for(*length);
            let mut stream = key.stream();
            let mut rest = &message[..*length];
            while !rest.is_empty() {
                let most = [0, 70, 1100, 5000][random.word() as usize % 4].min(rest.len());
                let (piece, after) = rest.split_at(random.word() as usize % (most + 1));
                stream.update(piece);
                rest = after;
            }
            let tag = stream.tag_under(&Nonce::new(&nonce).unwrap()).to_bytes();
            assert_eq!(tag.as_slice(), oracle_tag(hash, &nonce, N), "{key:?}, {length} bytes");
        }
    }
}

#[test]
fn streams_in_random_pieces() {
    for_every_length!(check_streams);
}

/// Lengths around which long messages are absorbed instead of hashed by one call, and around which POLY-128 takes over.
/// The catalogue tests prefixes of shorter messages.
#[test]
fn prefixes_of_long_messages() {
    let message = Random(13).message((16 << 20) + 2 * CHUNK);
    let nonce = Nonce::counter(11);
    let (block, start) = pads::block(&nonce, 16);
    for key in keys::<16>() {
        let hash = key.hash_and_pads();
        for length in [1 << 20, (1 << 20) + 1, 16 << 20, (16 << 20) + 1, (16 << 20) + CHUNK + 1] {
            let message = &message[..length];
            let tag = key.tag_under(&nonce, message).to_bytes();
            let case = format!("{key:?}, {length} bytes");
            assert_eq!(hash.prefix::<4>(block, start, message).to_bytes(), tag[..4], "{case}");
            assert_eq!(hash.prefix::<8>(block, start, message).to_bytes(), tag[..8], "{case}");
            assert_eq!(hash.prefix::<12>(block, start, message).to_bytes(), tag[..12], "{case}");
        }
    }
}
