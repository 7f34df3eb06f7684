//! Every algorithm of the catalogue on every kernel: tags, streams and batches.
//!
//! Not watched: triple DES, whose crate uses tables.

use crate::secrets::{LENGTHS, LONGEST, Messages, reveal_secret};
use crate::valgrind::hide;
use wegman::Cpu;
use wegman_catalogue::{ALGORITHMS, Absorb, Algorithm, Nonce};

const TAKEN: &str = "lengths that the algorithm takes";

/// All of them, under nonces of the greatest length each takes.
pub fn check(messages: &Messages) {
    for algorithm in ALGORITHMS.iter().filter(|algorithm| &*algorithm.name != "PMAC-DES-EDE3") {
        check_algorithm(algorithm, messages);
    }
}

/// The pieces of a long message: beyond the switch of level 2, and enough for threads.
fn long(algorithm: &Algorithm) -> &'static [usize] {
    match &*algorithm.name {
        "UMAC-32" | "UMAC-64" | "UMAC-96" | "UMAC-128" => &[LONGEST, 3 << 20],
        "Carter-128" | "PMAC-AES128" => &[(3 << 20) + 7],
        name if name.starts_with("UMAC") => &[513 * 1024 + 1],
        _ => &[],
    }
}

fn check_algorithm(algorithm: &Algorithm, messages: &Messages) {
    let (short, whole) = (*algorithm.tag_bytes.start(), *algorithm.tag_bytes.end());
    let nonce_bytes = algorithm.nonce_bytes.and_then(|lengths| lengths.last());
    // Some carry into their third byte.
    let nonce = |i: usize| nonce_bytes.map(|&bytes| Nonce::counter_of(bytes, 0xfffd + i as u64));
    let make = |cpu, secret: &[u8], tag_bytes| {
        let key = match nonce_bytes {
            Some(&bytes) => algorithm.key_for_nonces(cpu, secret, tag_bytes, bytes),
            None => algorithm.key(cpu, secret, tag_bytes),
        };
        key.expect(TAKEN)
    };
    let mut secret: Vec<u8> = (1..).take(algorithm.key_bytes).collect();
    // The tags, made in public with the same secret.
    let portable = make(Cpu::PORTABLE, &secret, whole);
    let right = |i, length: usize| -> Vec<u8> {
        let tag = portable.tag(nonce(i).as_ref(), &messages.public[..length]);
        tag.expect(TAKEN).to_bytes().into()
    };
    let of_lengths = LENGTHS.map(|length| right(0, length));
    let of_long = |stream: &mut dyn Absorb, bytes: &[u8]| {
        long(algorithm).iter().for_each(|&piece| stream.update_rayon(&bytes[..piece]));
    };
    let mut stream = portable.stream();
    of_long(&mut *stream, &messages.public);
    let of_pieces = stream.finish(nonce(0).as_ref()).expect(TAKEN);
    hide(&mut secret);
    // The highest bit of hash127 is known.
    let known = usize::from(algorithm.name.starts_with("hash127"));
    let revealed = |tag: &[u8]| {
        let mut tag = tag.to_vec();
        let secret = tag.len() - known;
        reveal_secret(&mut tag, secret);
        tag
    };

    for (kernel, cpu) in algorithm.kernels(Cpu::detect()) {
        let name = format!("{}: {kernel}", algorithm.name);
        println!("{name}");
        let (key, cut) = (make(cpu, &secret, whole), make(cpu, &secret, short));
        for (length, expected) in LENGTHS.into_iter().zip(&of_lengths) {
            let message = &messages.hidden[..length];
            let tag = key.tag(nonce(0).as_ref(), message).expect(TAKEN);
            assert_eq!(revealed(tag.to_bytes()), *expected, "{name}, {length} bytes");
            let tag = cut.tag(nonce(0).as_ref(), message).expect(TAKEN);
            let tag = revealed(tag.to_bytes());
            assert_eq!(tag, expected[..short], "{name}, {length} bytes, short");
            let mut stream = key.stream();
            stream.update(&message[..length / 3]);
            stream.update(&message[length / 3..]);
            let tag = stream.finish(nonce(0).as_ref()).expect(TAKEN);
            assert_eq!(revealed(tag.to_bytes()), *expected, "{name}, stream");
        }
        let mut stream = key.stream();
        of_long(&mut *stream, &messages.hidden);
        let tag = stream.finish(nonce(0).as_ref()).expect(TAKEN);
        assert_eq!(revealed(tag.to_bytes()), of_pieces.to_bytes(), "{name}, threads");

        // Short, around one and a few blocks, and all lengths.
        let longest = |longest: usize| move |i| longest - 7 * i % (longest.min(16) + 1);
        let batches: [&dyn Fn(usize) -> usize; 7] = [
            &|i| i % 65,
            &longest(16),
            &longest(32),
            &longest(48),
            &longest(80),
            &|i| 1 + 7 * i % 2100,
            &|i| LENGTHS[i % LENGTHS.len()],
        ];
        for (batch, length) in batches.into_iter().enumerate() {
            for count in [2, 11, 41] {
                let hidden: Vec<&[u8]> =
                    (0..count).map(|i| &messages.hidden[..length(i)]).collect();
                let mut tags = vec![0; count * whole];
                key.tags(nonce(0).as_ref(), &hidden, &mut tags).expect(TAKEN);
                for (i, tag) in tags.chunks_exact(whole).enumerate() {
                    let tag = revealed(tag);
                    assert_eq!(tag, right(i, length(i)), "{name}, batch {batch} of {count}");
                }
            }
        }
    }
}
