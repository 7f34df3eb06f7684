//! UMAC of RFC 4418 and of 2000, and UMAC16.

use crate::secrets::{
    LENGTHS, LONGEST, Messages, SECRET, hidden, revealed, revealed_flag, revealed_outcome,
};
use crate::valgrind::{is_hidden, reveal};
use wegman::{Cpu, NonceOf, Tag, umac};
use wegman_historical::{Nonce, Umac16, Umac2000};

/// All sets and lengths of tags.
pub fn check(messages: &Messages) {
    check_umac::<4>(messages);
    check_umac::<8>(messages);
    check_umac::<12>(messages);
    check_umac::<16>(messages);
    check_umac16::<2>(messages);
    check_umac16::<8>(messages);
    check_umac16::<16>(messages);
    check_umac_2000(messages);
}

fn check_umac<const N: usize>(messages: &Messages) {
    // The tags, made in public with the same secret.
    let portable = umac::Key::<N>::with_cpu(Cpu::PORTABLE, &SECRET);
    let first = || NonceOf::counter(0xfffe);
    for (name, cpu) in umac::Key::<N>::kernels(Cpu::detect()) {
        println!("UMAC-{}: {name}", 8 * N);
        let key = umac::Key::<N>::with_cpu(cpu, &hidden(SECRET));
        for length in LENGTHS.into_iter().chain([LONGEST]) {
            let message = &messages.hidden[..length];
            let expected = portable.tag(first(), &messages.public[..length]).to_bytes();
            let tag = revealed(key.tag(first(), message));
            assert_eq!(tag, expected, "{name}, {length} bytes");

            let mut stream = key.stream();
            stream.update(&message[..length / 3]);
            stream.update(&message[length / 3..]);
            assert_eq!(revealed(stream.clone().finish(first())), expected, "{name}, stream");
            if length == LONGEST && N == 8 {
                // On both sides of the switch of polynomials, in segments.
                let mut stream = key.stream();
                stream.update_rayon(message);
                stream.update_rayon(&message[..3 << 20]);
                assert_eq!(
                    revealed(stream.finish(first())),
                    rayon_tag(&portable, messages),
                    "{name}, threads"
                );
            }

            for wrong in [0, 1] {
                let mut received = expected;
                received[N - 1] ^= wrong;
                let received = Tag::from(received);
                let outcome = revealed_outcome(&key.verify(&first(), message, &received));
                assert_eq!(outcome, wrong == 0, "{name}, verify");
                let outcome = revealed_outcome(&stream.clone().verify(&first(), &received));
                assert_eq!(outcome, wrong == 0, "{name}, stream verifies");
            }
        }
        check_many(name, &key, &portable, messages);
    }
}

/// The tag of the longest message and its front once more.
fn rayon_tag<const N: usize>(portable: &umac::Key<N>, messages: &Messages) -> [u8; N] {
    let mut stream = portable.stream();
    stream.update(&messages.public);
    stream.update(&messages.public[..3 << 20]);
    stream.finish(NonceOf::counter(0xfffe)).to_bytes()
}

/// Batches, over several groups of pads.
fn check_many<const N: usize>(
    name: &str,
    key: &umac::Key<N>,
    portable: &umac::Key<N>,
    messages: &Messages,
) {
    const COUNT: usize = 41;
    let nonce = |i: usize| NonceOf::counter(0xfffd + i as u64);
    let short = |i: usize| i % 65;
    let mixed = |i: usize| LENGTHS[i % LENGTHS.len()];
    let lengths: [&dyn Fn(usize) -> usize; 2] = [&short, &mixed];
    for length in lengths {
        let hidden: Vec<&[u8]> = (0..COUNT).map(|i| &messages.hidden[..length(i)]).collect();
        let expected: Vec<[u8; N]> = (0..COUNT)
            .map(|i| portable.tag(nonce(i), &messages.public[..length(i)]).to_bytes())
            .collect();

        let mut tags = [Tag::from([0; N]); COUNT];
        key.tag_many(nonce(0), &hidden, &mut tags).expect("enough nonces");
        for (tag, expected) in tags.into_iter().zip(&expected) {
            assert_eq!(revealed(tag), *expected, "{name}, batch");
        }

        // In order, which is a batch, and backwards, which is none.
        for backwards in [false, true] {
            let mut packets: Vec<(NonceOf<8>, &[u8], Tag<N>)> =
                (0..COUNT).map(|i| (nonce(i), hidden[i], Tag::from(expected[i]))).collect();
            if backwards {
                packets.reverse();
            }
            let mut valid = [false; COUNT];
            _ = key.verify_many(&packets, &mut valid);
            assert!(valid.map(revealed_flag).iter().all(|&valid| valid), "{name}, verify_many");
        }
    }
}

/// UMAC16 by its own key: both sides of POLY-32, streams, batches.
fn check_umac16<const N: usize>(messages: &Messages) {
    let portable = Umac16::<N>::with_cpu(Cpu::PORTABLE, &SECRET);
    let first = || NonceOf::counter(0xfffe);
    for (name, cpu) in Umac16::<N>::kernels(Cpu::detect()) {
        println!("UMAC16 of {N} bytes: {name}");
        let key = Umac16::<N>::with_cpu(cpu, &hidden(SECRET));
        for length in LENGTHS.into_iter().chain([513 * 1024 + 1]) {
            let message = &messages.hidden[..length];
            let expected = portable.tag(first(), &messages.public[..length]).to_bytes();
            assert_eq!(revealed(key.tag(first(), message)), expected, "{name}, {length} bytes");

            let mut stream = key.stream();
            stream.update(&message[..length / 3]);
            stream.update(&message[length / 3..]);
            assert_eq!(revealed(stream.clone().finish(first())), expected, "{name}, stream");

            let mut tags = [Tag::from([0; N]); 3];
            key.tag_many(first(), &[message; 3], &mut tags).expect("enough nonces");
            assert_eq!(revealed(tags[0]), expected, "{name}, batch");
            let outcome = revealed_outcome(&stream.verify(&first(), &Tag::from(expected)));
            assert!(outcome, "{name}, stream verifies");
        }
    }
}

/// The engine of 2000: each shape of its layers, on both sides of POLY-32, and fronts of tags. Its
/// verification is not checked: it branches on the outcome, which is no secret.
fn check_umac_2000(messages: &Messages) {
    for name in ["UMAC16", "UMAC32", "UMAC-2/3/32", "UMAC-4/32/64/16/SIGNED"] {
        let parameters = name.parse().expect("a name of the family");
        let make = |cpu, secret: &[u8]| {
            Umac2000::with_cpu(cpu, &parameters, secret).expect("a secret of 16 bytes")
        };
        let portable = make(Cpu::PORTABLE, &SECRET);
        let nonce = Nonce::counter(0xfffe);
        for (kernel, cpu) in Umac2000::kernels(Cpu::detect(), &parameters) {
            println!("{name}: {kernel}");
            let key = make(cpu, &hidden(SECRET));
            for length in LENGTHS.into_iter().chain([513 * parameters.l1_key_bytes() + 1]) {
                let message = &messages.hidden[..length];
                let expected = portable.tag(&nonce, &messages.public[..length]);
                for words in 1..=parameters.words() {
                    let mut front = key.tag_prefix(&nonce, message, words).to_bytes().to_vec();
                    assert!(is_hidden(&front), "the tag does not depend on the secret");
                    reveal(&mut front);
                    assert_eq!(front, expected.to_bytes()[..front.len()], "{name}, {kernel}");
                }
            }
        }
    }
}
