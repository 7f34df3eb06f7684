//! The contract of every listed algorithm, on every kernel, through the catalogue's boxed types.

use std::collections::HashSet;
use std::sync::Arc;
use std::thread;
use wegman::{Cpu, InvalidLength, Tag, TagMismatch};
use wegman_catalogue::{ALGORITHMS, Algorithm, AnyKey, AnyStream, AnyTag, SharedStream};
use wegman_catalogue::{Nonce, NonceError, VerifyError};
use wegman_reference::inputs::{LENGTHS, Random, bit_flips, random_pieces};
use wegman_reference::names;

fn secret(algorithm: &Algorithm) -> Vec<u8> {
    Random(1).message(algorithm.key_bytes)
}

fn longest_tag(algorithm: &Algorithm) -> usize {
    *algorithm.tag_bytes.end()
}

/// A nonce, if the algorithm takes one.
fn nonce(algorithm: &Algorithm, count: u64) -> Option<Nonce> {
    algorithm.counter(count)
}

/// A key under test: its name in messages, and how to use it.
struct Subject {
    algorithm: &'static Algorithm,
    name: String,
    cpu: Cpu,
    key: Arc<dyn AnyKey>,
    nonce: Option<Nonce>,
}

impl Subject {
    fn tag(&self, message: &[u8]) -> AnyTag {
        self.key.tag(self.nonce.as_ref(), message).expect("the right kind of nonce")
    }

    fn tag_of(&self, stream: Box<dyn AnyStream + '_>) -> AnyTag {
        stream.finish(self.nonce.as_ref()).expect("the right kind of nonce")
    }

    fn tag_of_pieces(&self, pieces: &[&[u8]]) -> AnyTag {
        let mut stream = self.key.stream();
        pieces.iter().for_each(|piece| stream.update(piece));
        self.tag_of(stream)
    }

    /// The same key for nonces of another length.
    fn key_for_nonces(&self, length: usize) -> Result<Arc<dyn AnyKey>, InvalidLength> {
        let (secret, tag_bytes) = (secret(self.algorithm), longest_tag(self.algorithm));
        self.algorithm.key_for_nonces(self.cpu, &secret, tag_bytes, length)
    }
}

/// Runs a check with every algorithm on every kernel.
fn for_every_key(check: impl Fn(&Subject)) {
    for algorithm in ALGORITHMS {
        for (kernel, cpu) in algorithm.kernels(Cpu::detect()) {
            let key = algorithm.key(cpu, &secret(algorithm), longest_tag(algorithm));
            let key = key.expect("the lengths it asks for");
            let name = format!("{} on {kernel}", algorithm.name);
            check(&Subject { algorithm, name, cpu, key, nonce: nonce(algorithm, 7) });
        }
    }
}

#[test]
fn every_kernel_is_the_one_it_is_called() {
    for algorithm in ALGORITHMS {
        let kernels = algorithm.kernels(Cpu::detect());
        let names: Vec<&str> = kernels.iter().map(|(name, _)| *name).collect();
        eprintln!("{}: {}", algorithm.name, names.join(", "));
        assert_eq!(names.first(), Some(&"portable"));
        assert_eq!(names.iter().collect::<HashSet<_>>().len(), names.len(), "{names:?}");
        for (name, cpu) in kernels {
            let key = algorithm.key(cpu, &secret(algorithm), longest_tag(algorithm)).unwrap();
            assert_eq!(key.kernel(), name, "{}", algorithm.name);
        }
        let without_features = algorithm.kernels(Cpu::PORTABLE);
        assert_eq!(without_features, [("portable", Cpu::PORTABLE)], "{}", algorithm.name);
    }
}

/// Every kernel has the tag of the portable one at every length, and that of the definition around blocks, chunks and
/// what streams keep.
#[test]
fn every_kernel_gives_the_tag_of_the_definition() {
    let message = Random(2).message(17409);
    let edges = |length: usize| length <= 140 || LENGTHS.contains(&length);
    let mut undefined = Vec::new();
    for algorithm in ALGORITHMS {
        let (secret, nonce) = (secret(algorithm), nonce(algorithm, 7));
        let definition = names::find(&algorithm.name, &secret);
        if definition.is_none() {
            undefined.push(algorithm.name);
        }
        let portable = algorithm.key(Cpu::PORTABLE, &secret, longest_tag(algorithm)).unwrap();
        let tags: Vec<_> = (0..=1100)
            .chain(LENGTHS)
            .map(|length| (length, portable.tag(nonce.as_ref(), &message[..length]).unwrap()))
            .collect();
        for (length, tag) in tags.iter().filter(|(length, _)| edges(*length)) {
            let Some(definition) = &definition else { break };
            let nonce = nonce.as_ref().map_or(&[][..], |nonce| nonce.as_bytes());
            let defined = definition(nonce, &message[..*length]);
            assert_eq!(
                tag.to_bytes(),
                &defined[..longest_tag(algorithm)],
                "{}, {length}",
                algorithm.name
            );
        }
        for (kernel, cpu) in algorithm.kernels(Cpu::detect()) {
            let key = algorithm.key(cpu, &secret, longest_tag(algorithm)).unwrap();
            for (length, tag) in &tags {
                let found = key.tag(nonce.as_ref(), &message[..*length]).unwrap();
                assert_eq!(found, *tag, "{} on {kernel}, {length}", algorithm.name);
            }
        }
    }
    // Answers published elsewhere are their definition.
    assert_eq!(undefined, ["PMAC-DES-EDE3", "HMAC-SHA256"]);
}

#[test]
fn a_shared_stream_keeps_its_key() {
    fn can_be_sent<T: Send + ?Sized>() {}
    can_be_sent::<dyn AnyStream>();
    let message = Random(5).message(5000);
    for_every_key(|subject| {
        let nonce = subject.nonce.as_ref();
        let wanted = |length: usize| subject.tag(&message[..length]);
        let tag_bytes = longest_tag(subject.algorithm);
        let finish = |stream: &mut dyn SharedStream| {
            let mut tag = vec![0; tag_bytes];
            stream.finish_reset(nonce, &mut tag).expect("the right kind of nonce");
            AnyTag::new(&tag).expect("not too long")
        };
        // Its own key, which only the stream holds soon, on another thread.
        let key = subject.algorithm.key(subject.cpu, &secret(subject.algorithm), tag_bytes);
        let mut stream = key.expect("the lengths it asks for").shared_stream();
        let mut stream = thread::scope(|scope| {
            let update = || {
                stream.update(&message[..1500]);
                stream
            };
            scope.spawn(update).join().expect("no panic")
        });
        let mut copy = stream.copy();
        stream.update(&message[1500..4097]);
        copy.update(&message[1500..1501]);
        assert!(stream.verify(nonce, &wanted(4097)).is_ok(), "{}", subject.name);
        assert!(stream.verify(nonce, &wanted(1501)).is_err(), "{}", subject.name);
        assert_eq!(finish(&mut *copy), wanted(1501), "{}", subject.name);
        assert_eq!(finish(&mut *copy), wanted(0), "{}", subject.name);
        // A nonce that is not right leaves the message.
        let wrong = if nonce.is_some() { None } else { Some(Nonce::counter(1)) };
        let mut out = vec![0; tag_bytes];
        assert!(stream.finish_reset(wrong.as_ref(), &mut out).is_err());
        assert_eq!(finish(&mut *stream), wanted(4097), "{}", subject.name);
        for length in [2049, 513, 33] {
            stream.update(&message[..length]);
            stream.reset();
        }
        stream.update(&message[..32]);
        assert_eq!(stream.finish(nonce).expect("the right kind of nonce"), wanted(32));
    });
}

#[test]
fn any_split_gives_the_same_tag() {
    let message = Random(3).message(17409);
    for_every_key(|subject| {
        let mut random = Random(4);
        for length in LENGTHS {
            let message = &message[..length];
            let expected = subject.tag(message);
            let check = |pieces: &[&[u8]]| {
                let lengths: Vec<usize> = pieces.iter().map(|piece| piece.len()).collect();
                let tag = subject.tag_of_pieces(pieces);
                assert_eq!(tag, expected, "{}, {lengths:?}", subject.name);
            };
            check(&[message]);
            check(&[&[], message, &[]]);
            check(&message.chunks(1).collect::<Vec<_>>());
            (0..10).for_each(|_| check(&random_pieces(&mut random, message)));
            // In two pieces, cut at every edge length inside the message.
            for at in LENGTHS.into_iter().filter(|at| *at < length) {
                let (left, right) = message.split_at(at);
                check(&[left, right]);
            }
        }
    });
}

/// Only the message with its tag is accepted, whole or from a stream.
#[test]
fn right_tags_are_accepted_and_wrong_ones_are_not() {
    let message = Random(12).message(100);
    let mismatch = Err(VerifyError::Mismatch(TagMismatch));
    for_every_key(|subject| {
        let (name, key, nonce) = (&subject.name, &subject.key, subject.nonce.as_ref());
        let verified = |nonce: Option<&Nonce>, message: &[u8], tag: &AnyTag| {
            let mut stream = key.stream();
            message.chunks(13).for_each(|piece| stream.update(piece));
            let outcome = key.verify(nonce, message, tag);
            assert_eq!(stream.verify(nonce, tag), outcome, "{name}, stream");
            outcome
        };
        for length in [0, 1, 16, 100] {
            let message = &message[..length];
            let tag = subject.tag(message);
            assert_eq!(verified(nonce, message, &tag), Ok(()), "{name}, {length}");
            for flipped in bit_flips(tag.to_bytes()) {
                let wrong = AnyTag::new(&flipped).unwrap();
                assert_eq!(verified(nonce, message, &wrong), mismatch, "{name}: {wrong}");
            }
            // Of another length: cut off, longer by a zero byte, empty.
            let bytes = tag.to_bytes();
            for other in [&bytes[..bytes.len() - 1], &[bytes, &[0]].concat(), &[]] {
                let Ok(wrong) = AnyTag::new(other) else { continue };
                assert_eq!(verified(nonce, message, &wrong), mismatch, "{name}: {wrong}");
            }
            let longer = [message, &[0]].concat();
            assert_eq!(verified(nonce, &longer, &tag), mismatch, "{name}, {length}");
        }
        let tag = subject.tag(&message);
        let (wrong, error) = match subject.algorithm.counter(8) {
            Some(other) => {
                assert_eq!(verified(Some(&other), &message, &tag), mismatch, "{name}");
                (None, NonceError::Missing)
            }
            None => (Some(Nonce::counter(1)), NonceError::NotTaken),
        };
        let refused = Err(VerifyError::Nonce(error));
        assert_eq!(verified(wrong.as_ref(), &message, &tag), refused, "{name}");
        assert_eq!(key.tag(wrong.as_ref(), &message), Err(error), "{name}");
        assert_eq!(key.stream().finish(wrong.as_ref()), Err(error), "{name}");
    });
    let texts = [
        VerifyError::from(TagMismatch).to_string(),
        VerifyError::from(NonceError::Missing).to_string(),
        VerifyError::from(NonceError::Length).to_string(),
    ];
    let texts: HashSet<&str> = texts.iter().map(String::as_str).collect();
    assert!(texts.len() == 3 && !texts.contains(""), "each its own: {texts:?}");
}

#[test]
fn streams_of_one_key_are_independent() {
    for_every_key(|subject| {
        let mut streams = [subject.key.stream(), subject.key.stream()];
        for i in 0..100 {
            streams[0].update(&[i; 13]);
            streams[1].update(&[!i; 29]);
        }
        let of = |word: fn(u8) -> u8, count| {
            subject.tag(&(0..100).flat_map(|i| vec![word(i); count]).collect::<Vec<u8>>())
        };
        let [one, other] = streams.map(|stream| subject.tag_of(stream));
        assert_eq!(one, of(|i| i, 13), "{}", subject.name);
        assert_eq!(other, of(|i| !i, 29), "{}", subject.name);
    });
}

/// Memory beside a message is not part of it, and its address does not matter.
#[test]
fn surroundings_do_not_matter() {
    let message = Random(7).message(1100);
    for_every_key(|subject| {
        for length in [0, 1, 15, 16, 33, 63, 64, 100, 1023, 1024, 1025, 1100] {
            let message = &message[..length];
            let expected = subject.tag(message);
            for (before, shift) in
                [0x00, 0xff].into_iter().flat_map(|b| (0..33).map(move |s| (b, s)))
            {
                let memory = [&vec![before; shift], message, &[!before; 64]].concat();
                let tag = subject.tag(&memory[shift..shift + length]);
                assert_eq!(tag, expected, "{}, {length} bytes at {shift}", subject.name);
            }
        }
    });
}

#[test]
fn every_bit_counts() {
    let mut random = Random(8);
    let messages = [1, 16, 33, 100].map(|length| random.message(length));
    for_every_key(|subject| {
        for message in &messages {
            let tag = subject.tag(message);
            for flipped in bit_flips(message) {
                assert_ne!(subject.tag(&flipped), tag, "{}: {flipped:02x?}", subject.name);
            }
        }
        // One bit in each block and unit of a long message: a skipped one would go unnoticed.
        let long = vec![0; 3079];
        let tag = subject.tag(&long);
        for at in (0..long.len()).step_by(4) {
            let mut changed = long.clone();
            changed[at] = 1;
            assert_ne!(subject.tag(&changed), tag, "{}, byte {at}", subject.name);
        }
    });
}

/// Padding does not lead to forgeries: zeroes, or PMAC's 80 (hex) and zeroes, after a message.
#[test]
fn padded_by_hand_is_another_message() {
    let message = Random(9).message(1024);
    for_every_key(|subject| {
        for length in [0, 1, 15, 16, 17, 31, 32, 33, 1000, 1023, 1024] {
            let message = &message[..length];
            let mut tags = vec![subject.tag(message)];
            for first in [0, 0x80] {
                let mut padded = [message, &[first]].concat();
                for _ in 0..34 {
                    tags.push(subject.tag(&padded));
                    padded.push(0);
                }
            }
            let tags: HashSet<&[u8]> = tags.iter().map(AnyTag::to_bytes).collect();
            assert_eq!(tags.len(), 1 + 2 * 34, "{}, {length} bytes", subject.name);
        }
    });
}

#[test]
fn keys_matter_in_every_bit() {
    for algorithm in ALGORITHMS {
        let tag = |secret: &[u8]| {
            let key = algorithm.key(Cpu::detect(), secret, longest_tag(algorithm)).unwrap();
            // Whole blocks, then a full or an incomplete one: some MACs have a key for each.
            [[7; 25].as_slice(), &[7; 32]]
                .map(|message| key.tag(nonce(algorithm, 1).as_ref(), message).unwrap())
        };
        let secret = secret(algorithm);
        let expected = tag(&secret);
        for (bit, other) in bit_flips(&secret).enumerate() {
            // DES uses seven bits of each key byte; the lowest is a parity bit.
            let counts = bit % 8 != 0 || algorithm.name != "PMAC-DES-EDE3";
            assert_eq!(tag(&other) != expected, counts, "{}: {other:02x?}", algorithm.name);
        }
    }
}

#[test]
fn other_lengths_of_key_and_tag_are_refused() {
    for algorithm in ALGORITHMS {
        let name = algorithm.name;
        for length in 0..=64 {
            let secret = vec![1; length];
            let key = algorithm.key(Cpu::detect(), &secret, longest_tag(algorithm));
            let others = algorithm.name == "HMAC-SHA256" && length > 0;
            assert_eq!(key.is_ok(), length == algorithm.key_bytes || others, "{name}, {length}");
            assert!(key.err().is_none_or(|error| error == InvalidLength));
        }
        for length in (0..=64).chain([usize::MAX]) {
            let key = algorithm.key(Cpu::detect(), &secret(algorithm), length);
            assert_eq!(key.is_ok(), algorithm.tag_bytes.contains(&length), "{name}, {length}");
            if let Ok(key) = key {
                let tag = key.tag(nonce(algorithm, 1).as_ref(), b"a message").unwrap();
                assert_eq!(tag.to_bytes().len(), length, "{name}");
            }
        }
    }
}

/// If an algorithm has several tag lengths, a shorter tag is a prefix of the longest.
#[test]
fn shorter_tags_are_prefixes() {
    let message = Random(10).message(100);
    let mut with_choice = 0;
    for algorithm in ALGORITHMS.iter().filter(|a| a.tag_bytes.start() < a.tag_bytes.end()) {
        with_choice += 1;
        let key = |length| algorithm.key(Cpu::detect(), &secret(algorithm), length).unwrap();
        let nonce = nonce(algorithm, 1);
        let longest = key(longest_tag(algorithm)).tag(nonce.as_ref(), &message).unwrap();
        for length in algorithm.tag_bytes.clone() {
            let key = key(length);
            let tag = key.tag(nonce.as_ref(), &message).unwrap();
            assert_eq!(tag.to_bytes(), &longest.to_bytes()[..length], "{}", algorithm.name);
            let mut stream = key.stream();
            stream.update(&message);
            assert_eq!(stream.finish(nonce.as_ref()).unwrap(), tag, "{}", algorithm.name);
        }
    }
    assert!(with_choice >= 3, "the three PMACs at least");
}

#[test]
fn nonces_of_other_lengths_are_errors() {
    for_every_key(|subject| {
        // A key takes nonces of the one length that it was made for.
        let check = |key: &dyn AnyKey, bound: Option<usize>| {
            for length in 1..=Nonce::MAX {
                let nonce = Nonce::new(&vec![0; length]).unwrap();
                let expected = match bound {
                    None => Some(NonceError::NotTaken),
                    Some(bound) if bound == length => None,
                    Some(_) => Some(NonceError::Length),
                };
                let case = format!("{}, {length} bytes for {bound:?}", subject.name);
                let nonce = Some(&nonce);
                assert_eq!(key.tag(nonce, b"m").err(), expected, "{case}");
                assert_eq!(key.stream().finish(nonce).err(), expected, "{case}");
                let mut out = vec![9; longest_tag(subject.algorithm)];
                assert_eq!(key.tags(nonce, &[b"m"], &mut out).err(), expected, "{case}");
                assert_eq!(key.tag_into(nonce, b"m", &mut out).err(), expected, "{case}");
                assert_eq!(out == vec![9; out.len()], expected.is_some(), "{case}");
                let wrong = AnyTag::new(&out[1..]).unwrap();
                let expected = Err(expected.map_or(TagMismatch.into(), VerifyError::from));
                assert_eq!(key.verify(nonce, b"m", &wrong), expected, "{case}");
                assert_eq!(key.stream().verify(nonce, &wrong), expected, "{case}");
            }
        };
        // By default it is the length of a counter.
        check(&*subject.key, subject.nonce.map(|nonce| nonce.len()));
        let lengths = subject.algorithm.nonce_bytes.unwrap_or_default();
        for length in (0..=Nonce::MAX + 1).chain([usize::MAX]) {
            let key = subject.key_for_nonces(length);
            assert_eq!(key.is_ok(), lengths.contains(&length), "{}, {length}", subject.name);
            match key {
                Ok(key) => check(&*key, Some(length)),
                Err(error) => assert_eq!(error, InvalidLength),
            }
        }
    });
}

/// A key for nonces of the default length is the same key.
#[test]
fn keys_for_nonces_of_a_length_are_the_same() {
    for_every_key(|subject| {
        let Some(nonce) = subject.nonce else { return };
        let key = subject.key_for_nonces(nonce.len()).expect("the default length");
        assert_eq!(key.kernel(), subject.key.kernel());
        assert_eq!(key.tag(Some(&nonce), &[7; 56]), Ok(subject.tag(&[7; 56])), "{}", subject.name);
    });
}

#[test]
fn nonces_matter() {
    for_every_key(|subject| {
        let Some(lengths) = subject.algorithm.nonce_bytes else { return };
        // Long enough for UMAC of 1999, whose shortest messages ignore the nonce.
        let tag_by = |key: &dyn AnyKey, nonce: Nonce| key.tag(Some(&nonce), &[7; 56]).unwrap();
        // Neighbours, which may share an AES block.
        let tag = |count| tag_by(&*subject.key, nonce(subject.algorithm, count).unwrap());
        let tags: Vec<AnyTag> = (0..64).map(tag).collect();
        let different: HashSet<&[u8]> = tags.iter().map(AnyTag::to_bytes).collect();
        assert_eq!(different.len(), 64, "{}", subject.name);
        // Every bit of every length.
        for &length in lengths {
            let key = subject.key_for_nonces(length).expect("a length it takes");
            let tag = |nonce: &[u8]| tag_by(&*key, Nonce::new(nonce).unwrap());
            let bytes = Random(11).message(length);
            let expected = tag(&bytes);
            for other in bit_flips(&bytes) {
                let other = tag(&other);
                assert_ne!(other, expected, "{}, {length}", subject.name);
            }
        }
    });
}

#[test]
fn tags_of_any_length_compare() {
    let bytes: Vec<u8> = (1..=33).collect();
    for length in 0..=AnyTag::MAX {
        let tag = AnyTag::new(&bytes[..length]).unwrap();
        assert_eq!(tag.to_bytes(), &bytes[..length]);
        assert_eq!(tag, AnyTag::new(&bytes[..length]).unwrap());
        // Other lengths: a prefix, and the same padded with zeroes, are other tags.
        for other in (0..=AnyTag::MAX).filter(|other| *other != length) {
            let mut padded = bytes[..length.min(other)].to_vec();
            assert_ne!(tag, AnyTag::new(&bytes[..other]).unwrap());
            padded.resize(other, 0);
            assert_ne!(tag, AnyTag::new(&padded).unwrap());
        }
        for flipped in bit_flips(&bytes[..length]) {
            assert_ne!(tag, AnyTag::new(&flipped).unwrap());
        }
    }
    assert_eq!(AnyTag::new(&bytes), Err(InvalidLength));
    assert_eq!(AnyTag::new(&[0, 1, 0xab]).unwrap().to_string(), "0001ab");
    assert_eq!(format!("{:?}", AnyTag::new(&[0xab]).unwrap()), "AnyTag(ab)");
    let typed = Tag::from([1, 2, 3, 4, 5]);
    assert_eq!(AnyTag::from(typed), AnyTag::new(&[1, 2, 3, 4, 5]).unwrap());
    assert_eq!(AnyTag::from(typed).to_string(), typed.to_string());
}
