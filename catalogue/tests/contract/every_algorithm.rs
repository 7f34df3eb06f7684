//! The contract of every listed algorithm, on every kernel, through the catalogue's boxed types.

use std::collections::HashSet;
use wegman::{Cpu, InvalidLength, Nonce, Tag};
use wegman_catalogue::{ALGORITHMS, Algorithm, AnyKey, AnyStream, AnyTag, NonceError};
use wegman_reference::inputs::{LENGTHS, Random, bit_flips, random_pieces};

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
    key: Box<dyn AnyKey>,
    nonce: Option<Nonce>,
}

impl Subject {
    fn tag(&self, message: &[u8]) -> AnyTag {
        self.key.tag(self.nonce.as_ref(), message).expect("the right kind of nonce")
    }

    fn tag_of(&self, stream: &dyn AnyStream) -> AnyTag {
        stream.tag(self.nonce.as_ref()).expect("the right kind of nonce")
    }

    fn tag_of_pieces(&self, pieces: &[&[u8]]) -> AnyTag {
        let mut stream = self.key.stream();
        pieces.iter().for_each(|piece| stream.update(piece));
        self.tag_of(&*stream)
    }
}

/// Runs a check with every algorithm on every kernel.
fn for_every_key(check: impl Fn(&Subject)) {
    for algorithm in ALGORITHMS {
        for (kernel, cpu) in algorithm.kernels(Cpu::detect()) {
            let key = algorithm.key(cpu, &secret(algorithm), longest_tag(algorithm));
            let key = key.expect("the lengths it asks for");
            let name = format!("{} on {kernel}", algorithm.name);
            check(&Subject { algorithm, name, key, nonce: nonce(algorithm, 7) });
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

#[test]
fn every_kernel_gives_the_same_tag() {
    let message = Random(2).message(17409);
    for_every_key(|subject| {
        let algorithm = subject.algorithm;
        let portable =
            algorithm.key(Cpu::PORTABLE, &secret(algorithm), longest_tag(algorithm)).unwrap();
        for length in (0..=1100).chain(LENGTHS) {
            let expected = portable.tag(subject.nonce.as_ref(), &message[..length]).unwrap();
            assert_eq!(subject.tag(&message[..length]), expected, "{}, {length}", subject.name);
        }
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

#[test]
fn a_tag_does_not_disturb_the_stream() {
    let message = Random(5).message(3079);
    for_every_key(|subject| {
        let mut stream = subject.key.stream();
        assert_eq!(subject.tag_of(&*stream), subject.tag(&[]), "{}, empty", subject.name);
        let mut taken = 0;
        for piece in random_pieces(&mut Random(6), &message) {
            stream.update(piece);
            taken += piece.len();
            let expected = subject.tag(&message[..taken]);
            assert_eq!(subject.tag_of(&*stream), expected, "{}, {taken}", subject.name);
            assert_eq!(subject.tag_of(&*stream), expected, "{}, {taken} again", subject.name);
        }
        assert_eq!(taken, message.len());
    });
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
        assert_eq!(subject.tag_of(&*streams[0]), of(|i| i, 13), "{}", subject.name);
        assert_eq!(subject.tag_of(&*streams[1]), of(|i| !i, 29), "{}", subject.name);
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
            assert_eq!(key.is_ok(), length == algorithm.key_bytes, "{name}, {length}");
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
            assert_eq!(stream.tag(nonce.as_ref()).unwrap(), tag, "{}", algorithm.name);
        }
    }
    assert!(with_choice >= 3, "the three PMACs at least");
}

#[test]
fn a_nonce_is_asked_for_where_one_is_taken() {
    for_every_key(|subject| {
        let (wrong, error) = match subject.algorithm.nonce_bytes {
            Some(_) => (None, NonceError::Missing),
            None => (Some(Nonce::counter(1)), NonceError::NotTaken),
        };
        let name = &subject.name;
        assert_eq!(subject.key.tag(wrong.as_ref(), b"m"), Err(error), "{name}");
        let mut stream = subject.key.stream();
        assert_eq!(stream.tag(wrong.as_ref()), Err(error), "{name}");
        // Only the call fails; the stream is as before.
        stream.update(b"m");
        assert_eq!(stream.tag(wrong.as_ref()), Err(error), "{name}");
        assert_eq!(subject.tag_of(&*stream), subject.tag(b"m"), "{name}");
    });
    assert_ne!(NonceError::Missing.to_string(), NonceError::NotTaken.to_string());
}

#[test]
fn nonces_of_other_lengths_are_errors() {
    for_every_key(|subject| {
        let Some(lengths) = subject.algorithm.nonce_bytes else { return };
        for length in 1..=Nonce::MAX {
            let nonce = Nonce::new(&vec![0; length]).unwrap();
            let expected = if lengths.contains(&length) { None } else { Some(NonceError::Length) };
            let (name, key) = (&subject.name, &subject.key);
            assert_eq!(key.tag(Some(&nonce), b"m").err(), expected, "{name}, {length}");
            assert_eq!(key.stream().tag(Some(&nonce)).err(), expected, "{name}, {length}");
            let mut out = vec![9; longest_tag(subject.algorithm)];
            assert_eq!(key.tags(Some(&nonce), &[b"m"], &mut out).err(), expected, "{name}");
            assert_eq!(key.tag_into(Some(&nonce), b"m", &mut out).err(), expected, "{name}");
        }
    });
}

#[test]
fn nonces_matter() {
    for_every_key(|subject| {
        let Some(lengths) = subject.algorithm.nonce_bytes else { return };
        // Long enough for UMAC of 1999, whose shortest messages ignore the nonce.
        let tag = |nonce: Nonce| subject.key.tag(Some(&nonce), &[7; 56]).unwrap();
        // Neighbours, which may share an AES block.
        let tags: Vec<AnyTag> =
            (0..64).map(|count| tag(nonce(subject.algorithm, count).unwrap())).collect();
        let different: HashSet<&[u8]> = tags.iter().map(AnyTag::to_bytes).collect();
        assert_eq!(different.len(), 64, "{}", subject.name);
        // Every bit of every length.
        for &length in lengths {
            let bytes = Random(11).message(length);
            let expected = tag(Nonce::new(&bytes).unwrap());
            for other in bit_flips(&bytes) {
                let other = tag(Nonce::new(&other).unwrap());
                assert_ne!(other, expected, "{}, {length}", subject.name);
            }
        }
    });
}

#[test]
fn keys_are_shared_between_threads() {
    for_every_key(|subject| {
        let (key, nonce) = (&*subject.key, subject.nonce);
        let expected = subject.tag(b"a message");
        std::thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(move || {
                    assert_eq!(key.tag(nonce.as_ref(), b"a message"), Ok(expected));
                });
            }
        });
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
