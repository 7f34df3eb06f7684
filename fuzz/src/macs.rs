//! Every MAC of the catalogue against the oracle, on every kernel of this machine: whole messages, pieces, batches.

use crate::input::Input;
use sha2::{Digest, Sha256};
use std::sync::LazyLock;
use wegman_catalogue::{ALGORITHMS, Algorithm, AnyTag, Cpu, Found, Nonce, find};
use wegman_reference::{hmac, names};

/// Members of the families of 2000 that are not listed.
const MORE: [&str; 6] = [
    "UMAC-4/8/1024/16/UNSIGNED/LITTLE",
    "UMAC-4/8/256/16/SIGNED",
    "UMAC-2/8/128/16/SIGNED",
    "UMAC-2/12/2048/16/SIGNED/BIG",
    "UMAC-4/12/64/32/UNSIGNED/BIG",
    "UMAC-2/4/32/16/SIGNED",
];

/// Those that the oracle does not have: 64-bit blocks. Their kernels are compared with one another.
const WITHOUT: [&str; 1] = ["PMAC-DES-EDE3"];

static ALL: LazyLock<Vec<Found>> = LazyLock::new(|| {
    let more = MORE.iter().map(|name| find(name).expect(name));
    ALGORITHMS.iter().map(Found::from).chain(more).collect()
});

/// What the input says: algorithm, lengths, key, nonce, message, pieces.
pub fn run(data: &[u8]) {
    let mut input = Input::new(data);
    let algorithm: &Algorithm = &ALL[input.below(ALL.len())];
    let key_bytes = match algorithm.other_key_lengths && input.bool() {
        true => 1 + input.below(200),
        false => algorithm.key_bytes,
    };
    let secret = input.bytes(key_bytes);
    let (least, most) = (*algorithm.tag_bytes.start(), *algorithm.tag_bytes.end());
    let tag_bytes = least + input.below(most - least + 1);
    let nonce = algorithm.nonce_bytes.map(|lengths| {
        let length = lengths[input.below(lengths.len())];
        Nonce::new(&input.bytes(length)).expect("a length of the algorithm")
    });
    let message = input.message(5000);
    // The tags of a batch have consecutive nonces: as many as there are.
    let count = input.below(12);
    let has_next = |count: &u64| nonce.is_none_or(|nonce| nonce.advance(*count).is_some());
    let count = (0..count as u64).take_while(has_next).count();
    let lengths: Vec<usize> = (0..count)
        .map(|_| (usize::from(input.byte()) << (input.byte() % 4)).min(message.len()))
        .collect();
    let pieces = input.pieces(&message, 12);

    let nonce_bytes = |index| nonce.map(|nonce| nonce.advance(index).expect("there is one"));
    let expected = |message: &[u8]| {
        let nonce = nonce.as_ref().map_or(&[][..], |nonce| nonce.as_bytes());
        let mut tag = match &*algorithm.name {
            "HMAC-SHA256" => hmac::hmac(|text| Sha256::digest(text).to_vec(), &secret, message),
            name => names::find(name, &secret)?(nonce, message),
        };
        tag.truncate(tag_bytes);
        Some(tag)
    };
    let make = |cpu| algorithm.key_with(cpu, &secret, tag_bytes, nonce.as_ref().map(Nonce::len));
    let portable = make(Cpu::PORTABLE).expect("lengths of the algorithm");
    let own = |index, message: &[u8]| {
        let tag = portable.tag(nonce_bytes(index).as_ref(), message).expect("its nonce");
        tag.to_bytes().to_vec()
    };
    let whole = expected(&message);
    assert!(whole.is_some() != WITHOUT.contains(&&*algorithm.name), "{}", algorithm.name);
    let whole = whole.unwrap_or_else(|| own(0, &message));
    // The oracle is slow: what a batch has is that of single calls.
    let batch: Vec<u8> =
        lengths.iter().zip(0..).flat_map(|(length, i)| own(i, &message[..*length])).collect();

    for (kernel, cpu) in algorithm.kernels(Cpu::detect()) {
        let what = || format!("{} on {kernel}, {} bytes", algorithm.name, message.len());
        let key = make(cpu).expect("lengths of the algorithm");
        let tag = key.tag(nonce.as_ref(), &message).expect("its nonce");
        assert_eq!(tag.to_bytes(), whole, "{}", what());
        assert!(key.verify(nonce.as_ref(), &message, &tag).is_ok());
        let mut wrong = whole.clone();
        wrong[message.len() % tag_bytes] ^= 1 << (message.len() % 8);
        let wrong = AnyTag::new(&wrong).expect("its length");
        assert!(key.verify(nonce.as_ref(), &message, &wrong).is_err());
        let mut stream = key.stream();
        pieces.iter().for_each(|piece| stream.update(piece));
        assert!(stream.verify(nonce.as_ref(), &tag).is_ok(), "{}", what());
        let streamed = stream.finish(nonce.as_ref()).expect("its nonce");
        assert_eq!(streamed.to_bytes(), whole, "{}", what());
        let messages: Vec<&[u8]> = lengths.iter().map(|length| &message[..*length]).collect();
        let mut tags = vec![0; count * tag_bytes];
        key.tags(nonce.as_ref(), &messages, &mut tags).expect("there are as many nonces");
        assert_eq!(tags, batch, "{}, a batch of {lengths:?}", what());
    }
}
