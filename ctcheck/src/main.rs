//! Runs the library on secrets that valgrind watches (`make ctcheck`): user keys, hash keys, messages
//! and tags are undefined memory to it, lengths and nonces are not. A branch or an address that
//! depends on a secret is an error with its stack trace.
//!
//! `wegman-ctcheck kernels` names the kernels of this machine, or of the one valgrind imitates.
//! `wegman-ctcheck leak-branch` and `leak-address` do what must be found, with a tag's byte.
//!
//! What this cannot find: instructions whose own time depends on their operands, and code of kernels
//! that valgrind does not execute.

mod valgrind;

use std::hint::black_box;
use valgrind::{hide, is_hidden, reveal};
use wegman::cipher::{Aes128, BlockCipher};
use wegman::{Cpu, Nonce, Tag, pmac, umac};

const SECRET: [u8; 16] = *b"sixteen byte key";

/// Around everything that is cut into parts, and beyond the switch of level 2.
const LENGTHS: [usize; 25] = [
    0, 1, 15, 16, 17, 31, 32, 33, 63, 64, 65, 100, 128, 257, 511, 512, 513, 1023, 1024, 1025, 2048,
    2049, 3000, 4097, 17413,
];
const LONGEST: usize = (1 << 24) + 1025;

fn hidden_secret() -> [u8; 16] {
    let mut secret = SECRET;
    hide(&mut secret);
    secret
}

/// A tag as everybody may see it, after a look at whether it was secret until now: if not, the
/// secret was lost on the way and nothing was checked.
fn revealed<const N: usize>(tag: Tag<N>) -> [u8; N] {
    let mut bytes = tag.to_bytes();
    assert!(!valgrind::is_running() || is_hidden(&bytes), "the tag does not depend on the secret");
    reveal(&mut bytes);
    bytes
}

/// Whether a message is authentic is told to everybody, but not why.
fn revealed_outcome<E>(outcome: &Result<(), E>) -> bool {
    revealed_flag(outcome.is_ok())
}

fn revealed_flag(flag: bool) -> bool {
    let mut flag = [u8::from(flag)];
    reveal(&mut flag);
    flag[0] == 1
}

/// A message to work with, and the same in public.
struct Messages {
    hidden: Vec<u8>,
    public: Vec<u8>,
}

impl Messages {
    fn new() -> Messages {
        let public: Vec<u8> =
            (0..LONGEST as u32).map(|i| (i.wrapping_mul(0x9e37_79b9) >> 24) as u8).collect();
        let mut hidden = public.clone();
        hide(&mut hidden);
        Messages { hidden, public }
    }
}

fn check_umac<const N: usize>(messages: &Messages) {
    // The tags, made in public with the same secret.
    let portable = umac::Key::<N>::with_cpu(Cpu::PORTABLE, &SECRET);
    let first = Nonce::counter(0xfffe);
    for (name, cpu) in umac::Key::<N>::kernels(Cpu::detect()) {
        println!("UMAC-{}: {name}", 8 * N);
        let key = umac::Key::<N>::with_cpu(cpu, &hidden_secret());
        for length in LENGTHS.into_iter().chain([LONGEST]) {
            let message = &messages.hidden[..length];
            let expected = portable.tag(&first, &messages.public[..length]).to_bytes();
            let tag = revealed(key.tag(&first, message));
            assert_eq!(tag, expected, "{name}, {length} bytes");

            let mut stream = key.stream();
            stream.update(&message[..length / 3]);
            stream.update(&message[length / 3..]);
            assert_eq!(revealed(stream.clone().tag(&first)), expected, "{name}, stream");
            if length == LONGEST && N == 8 {
                // On both sides of the switch of polynomials, in segments.
                let mut stream = key.stream();
                stream.update_rayon(message);
                stream.update_rayon(&message[..3 << 20]);
                assert_eq!(
                    revealed(stream.tag(&first)),
                    rayon_tag(&portable, messages),
                    "{name}, threads"
                );
            }

            for wrong in [0, 1] {
                let mut received = expected;
                received[N - 1] ^= wrong;
                let received = Tag::from(received);
                let outcome = revealed_outcome(&key.verify(&first, message, &received));
                assert_eq!(outcome, wrong == 0, "{name}, verify");
                let outcome = revealed_outcome(&stream.verify(&first, &received));
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
    stream.tag(&Nonce::counter(0xfffe)).to_bytes()
}

/// Batches and a tagger, over several groups of pads.
fn check_many<const N: usize>(
    name: &str,
    key: &umac::Key<N>,
    portable: &umac::Key<N>,
    messages: &Messages,
) {
    const COUNT: usize = 41;
    let first = Nonce::counter(0xfffd);
    let short = |i: usize| i % 65;
    let mixed = |i: usize| LENGTHS[i % LENGTHS.len()];
    let lengths: [&dyn Fn(usize) -> usize; 2] = [&short, &mixed];
    for length in lengths {
        let hidden: Vec<&[u8]> = (0..COUNT).map(|i| &messages.hidden[..length(i)]).collect();
        let expected: Vec<[u8; N]> = (0..COUNT)
            .map(|i| {
                let nonce = first.advance(i as u64).expect("enough nonces");
                portable.tag(&nonce, &messages.public[..length(i)]).to_bytes()
            })
            .collect();

        let mut tags = [Tag::from([0; N]); COUNT];
        key.tag_many(&first, &hidden, &mut tags).expect("enough nonces");
        for (tag, expected) in tags.into_iter().zip(&expected) {
            assert_eq!(revealed(tag), *expected, "{name}, batch");
        }

        let mut tagger = key.tagger(first);
        for (message, expected) in hidden.iter().zip(&expected) {
            let (_, tag) = tagger.tag(message).expect("enough nonces");
            assert_eq!(revealed(tag), *expected, "{name}, tagger");
        }

        // In order, which is a batch, and backwards, which is none.
        for backwards in [false, true] {
            let mut packets: Vec<(Nonce, &[u8], Tag<N>)> = (0..COUNT)
                .map(|i| {
                    let nonce = first.advance(i as u64).expect("enough nonces");
                    (nonce, hidden[i], Tag::from(expected[i]))
                })
                .collect();
            if backwards {
                packets.reverse();
            }
            let mut valid = [false; COUNT];
            _ = key.verify_many(&packets, &mut valid);
            assert!(valid.map(revealed_flag).iter().all(|&valid| valid), "{name}, verify_many");
        }
    }
}

fn check_pmac<C: BlockCipher>(cipher: &str) {
    let messages = Messages::new();
    let mut secret = vec![0x5a; C::KEY_BYTES];
    let portable = pmac::Key::<C, 16>::from_slice(Cpu::PORTABLE, &secret).expect("its length");
    hide(&mut secret);
    for (name, cpu) in pmac::Key::<C, 16>::kernels(Cpu::detect()) {
        println!("PMAC-{cipher}: {name}");
        let key = pmac::Key::<C, 16>::from_slice(cpu, &secret).expect("its length");
        for length in LENGTHS {
            let message = &messages.hidden[..length];
            let expected = portable.tag(&messages.public[..length]).to_bytes();
            assert_eq!(revealed(key.tag(message)), expected, "{name}, {length} bytes");
            let mut stream = key.stream();
            stream.update(&message[..length / 3]);
            stream.update(&message[length / 3..]);
            assert_eq!(revealed(stream.tag()), expected, "{name}, stream");
            let outcome = revealed_outcome(&key.verify(message, &Tag::from(expected)));
            assert!(outcome, "{name}, verify");

            let mut tags = [Tag::from([0; 16]); 2];
            key.tag_many(&[message, message], &mut tags);
            let tags = tags.map(revealed);
            assert_eq!(tags, [expected; 2], "{name}, batch");
            let mut valid = [false; 2];
            _ = key.verify_many(&tags.map(|tag| (message, Tag::from(tag))), &mut valid);
            assert!(valid.map(revealed_flag).iter().all(|&valid| valid), "{name}, verify_many");
        }
    }
}

/// A branch or an address that a tag decides, on every kernel: it must be reported.
fn leak(by_address: bool) {
    for (_, cpu) in umac::Key::<8>::kernels(Cpu::detect()) {
        let key = umac::Key::<8>::with_cpu(cpu, &hidden_secret());
        let byte = key.tag(&Nonce::counter(1), b"a message").to_bytes()[0];
        if by_address {
            leak_by_address(byte);
        } else {
            leak_by_branch(byte);
        }
    }
}

#[inline(never)]
fn leak_by_branch(byte: u8) {
    if byte & 1 == 1 {
        black_box(());
        println!("odd");
    }
}

#[inline(never)]
fn leak_by_address(byte: u8) {
    let table = black_box([7u8; 256]);
    black_box(table[usize::from(byte)]);
}

fn main() {
    match std::env::args().nth(1).as_deref() {
        Some("kernels") => {
            let names = umac::Key::<8>::kernels(Cpu::detect()).map(|(name, _)| name);
            println!("{}", names.collect::<Vec<_>>().join("\n"));
        }
        Some("leak-branch") => leak(false),
        Some("leak-address") => leak(true),
        Some(other) => {
            eprintln!("wegman-ctcheck: {other}? kernels, leak-branch, leak-address or nothing");
            std::process::exit(2);
        }
        None => {
            assert!(valgrind::is_running(), "without valgrind nobody watches: make ctcheck");
            let messages = Messages::new();
            check_umac::<4>(&messages);
            check_umac::<8>(&messages);
            check_umac::<12>(&messages);
            check_umac::<16>(&messages);
            check_pmac::<Aes128>("AES128");
            check_pmac::<wegman::Aes256>("AES256");
        }
    }
}
