//! Boxed keys: every way to a tag gives the same tag, and a wrong nonce writes nothing.

use crate::boxed::BATCH;
use crate::{ALGORITHMS, Algorithm, AnyKey, Nonce, NonceError};
use alloc::sync::Arc;
use wegman::Cpu;

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

#[test]
fn every_way_to_a_tag_gives_the_same() {
    let text: Vec<u8> = (0..3000).map(|i| (i * i / 7) as u8).collect();
    for (algorithm, tag_bytes, key) in keys() {
        for count in [0, 1, BATCH - 1, BATCH, BATCH + 1, 2 * BATCH + 3] {
            let messages: Vec<&[u8]> = (0..count).map(|i| &text[i..][..43 * i]).collect();
            let nonce = |i| algorithm.counter(250 + i);
            let mut tags = vec![0; count * tag_bytes];
            assert_eq!(key.tags(nonce(0).as_ref(), &messages, &mut tags), Ok(()));
            for (i, message) in messages.iter().enumerate() {
                let nonce = nonce(i as u64);
                let tag = key.tag(nonce.as_ref(), message).expect("the right kind of nonce");
                assert_eq!(&tags[i * tag_bytes..][..tag_bytes], tag.to_bytes());
                let mut into = vec![0; tag_bytes];
                assert_eq!(key.tag_into(nonce.as_ref(), message, &mut into), Ok(()));
                assert_eq!(into, tag.to_bytes());
            }
        }
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
