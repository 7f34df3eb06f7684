//! Boxed keys: every way to a tag gives the same tag on every kernel, and a wrong nonce writes nothing. Prefixes of tags.

use std::sync::Arc;
use wegman::Cpu;
use wegman::hazmat::nonce_mac::Prefixes;
use wegman::hazmat::raw;
use wegman::nonce_mac::Key;
use wegman::umac::Umac;
use wegman_catalogue::{ALGORITHMS, Algorithm, AnyKey, Nonce, NonceError};
use wegman_historical::umac16::Levels;
use wegman_reference::inputs::Random;

/// How many messages the catalogue hands to a key at once.
const BATCH: usize = 32;

/// A key of each algorithm for tags of its shortest and its longest length.
fn keys() -> impl Iterator<Item = (&'static Algorithm, usize, Arc<dyn AnyKey>)> {
    ALGORITHMS.iter().flat_map(|algorithm| {
        let secret = vec![7; algorithm.key_bytes];
        [algorithm.tag_bytes.start(), algorithm.tag_bytes.end()].map(|&tag_bytes| {
            let key = algorithm.key(Cpu::detect(), &secret, tag_bytes);
            (algorithm, tag_bytes, key.expect("lengths it takes"))
        })
    })
}

/// Batches of every size that kernels take side by side, of messages of one length, of like ones and of any.
#[test]
fn every_way_to_a_tag_gives_the_same() {
    let text = Random(1).message(8192);
    for (algorithm, tag_bytes, _) in keys() {
        let secret = vec![7; algorithm.key_bytes];
        for (kernel, cpu) in algorithm.kernels(Cpu::detect()) {
            let key = algorithm.key(cpu, &secret, tag_bytes).expect("lengths it takes");
            let (name, random) = (algorithm.name, &mut Random(2));
            for count in (0..=20).chain([BATCH - 1, BATCH, BATCH + 1, 2 * BATCH + 3]) {
                for longest in [0, 16, 17, 64, 65, 200, 1100, 6144] {
                    let around = random.upto(longest);
                    let length = |random: &mut Random| match random.upto(7) {
                        0 => longest,
                        1..=5 if count % 3 == 0 => around,
                        1..=5 if count % 3 == 1 => around.next_multiple_of(16).min(longest),
                        _ => random.upto(longest),
                    };
                    // Messages of one length differ.
                    let messages: Vec<&[u8]> =
                        (0..count).map(|i| &text[i..][..length(random)]).collect();
                    let nonce = |i| algorithm.counter(0x1_0000 - 7 + i);
                    // At an odd address: nothing aligns them.
                    let mut tags = vec![0; 1 + count * tag_bytes];
                    let tags = &mut tags[1..];
                    assert_eq!(key.tags(nonce(0).as_ref(), &messages, tags), Ok(()));
                    for (i, message) in messages.iter().enumerate() {
                        let nonce = nonce(i as u64);
                        let tag = key.tag(nonce.as_ref(), message).expect("the right nonce");
                        let found = &tags[i * tag_bytes..][..tag_bytes];
                        assert_eq!(found, tag.to_bytes(), "{name} on {kernel}, {i} of {count}");
                        let mut into = vec![0; tag_bytes];
                        assert_eq!(key.tag_into(nonce.as_ref(), message, &mut into), Ok(()));
                        assert_eq!(into, tag.to_bytes());
                    }
                }
            }
        }
    }
}

/// Prefixes of `M` bytes on every row: for each message length up to 1100, and around the ends of chunks and UMAC16's step up
/// of level 2.
fn prefixes<H: Prefixes<N>, const N: usize, const M: usize>() {
    let text = Random(3).message(514 << 10);
    let ends = [1, 2, 3, 16, 512, 513].into_iter().flat_map(|chunks| {
        let end: usize = chunks << 10;
        end - 1..=end + 1
    });
    for (kernel, cpu) in Key::<H, N, 8>::kernels(Cpu::detect()) {
        let key = Key::<H, N, 8>::from_slice_with_cpu(cpu, b"sixteen byte key").expect("16 bytes");
        for length in (0..=1100).chain(ends.clone()) {
            let (message, case) = (&text[..length], format!("{kernel}, {M} of {length} bytes"));
            let long = Nonce::from([(length / 3) as u8; 13]);
            let prefix = raw::prefix::<_, N, 8, M>(&key, &long, message).to_bytes();
            assert_eq!(prefix, raw::tag(&key, &long, message).to_bytes()[..M], "{case}");
        }
    }
}

macro_rules! prefixes {
    ($($hash:ident<$n:literal>: $($m:literal)*;)*) => {
        $($(prefixes::<$hash<$n>, $n, $m>();)*)*
    };
}

#[test]
fn prefixes_are_first_bytes() {
    prefixes! {
        Umac<4>: 4;
        Umac<8>: 4 8;
        Umac<12>: 4 8 12;
        Umac<16>: 4 8 12 16;
        Levels<2>: 2;
        Levels<4>: 2 4;
        Levels<8>: 2 4 6 8;
        Levels<16>: 2 4 6 8 10 12 14 16;
    }
}

#[test]
fn wrong_nonces_are_errors_and_write_nothing() {
    for (algorithm, tag_bytes, key) in keys() {
        let (wrong, error) = match algorithm.nonce_bytes {
            Some(_) => (None, NonceError::Missing),
            None => (Some(Nonce::counter(1)), NonceError::NotTaken),
        };
        let messages = [b"a".as_slice(); BATCH + 1];
        let mut out = vec![9; messages.len() * tag_bytes];
        let before = out.clone();
        assert_eq!(key.tags(wrong.as_ref(), &messages, &mut out), Err(error));
        assert_eq!(key.tag_into(wrong.as_ref(), b"a", &mut out[..tag_bytes]), Err(error));
        for &length in algorithm.nonce_bytes.unwrap_or_default() {
            let secret = vec![7; algorithm.key_bytes];
            let key = algorithm.key_for_nonces(Cpu::detect(), &secret, tag_bytes, length);
            let key = key.expect("lengths it takes");
            let mut last = [0xff; Nonce::MAX];
            last[length - 1] -= BATCH as u8 - 1; // one too few
            let last = Nonce::new(&last[..length]).expect("a length of nonces");
            let exhausted = Err(NonceError::Exhausted);
            assert_eq!(key.tags(Some(&last), &messages, &mut out), exhausted);
            let other = Nonce::new(&vec![0; length % Nonce::MAX + 1]).expect("another length");
            let refused = Err(NonceError::Length);
            assert_eq!(key.tags(Some(&other), &messages, &mut out), refused);
            assert_eq!(key.tag_into(Some(&other), b"a", &mut out[..tag_bytes]), refused);
        }
        assert_eq!(out, before);
    }
}

#[test]
#[should_panic(expected = "one tag for each message")]
fn room_for_another_number_of_tags_panics() {
    let (algorithm, tag_bytes, key) = keys().next().expect("at least one");
    let nonce = algorithm.counter(0);
    let _ = key.tags(nonce.as_ref(), &[b"a", b"b"], &mut vec![0; tag_bytes]);
}
