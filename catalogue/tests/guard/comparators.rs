//! The same for every algorithm by name, and for what has only types of its own.

use super::{Guarded, message};
use wegman::{Aes128, Cpu};
use wegman_catalogue::{ALGORITHMS, Algorithm, AnyTag, find};
use wegman_historical::{Nonce, Umac2000, umac_1999};
use wegman_yardstick::cbc::FixedLength;
use wegman_yardstick::partial::{self, Division};

/// Every length up to some registers, then around the chunks, steps and blocks of all of these.
fn lengths() -> impl Iterator<Item = usize> {
    let edges = [256, 512, 1024, 2048, 3072, 4096, 5120];
    (0..=200).chain(edges.into_iter().flat_map(|edge| edge - 34..=edge + 34))
}

/// Tags of messages at the ends of memory equal those of the portable kernel elsewhere.
fn check<T: PartialEq + std::fmt::Debug>(
    name: &str,
    portable: impl Fn(&[u8]) -> T,
    tag: impl Fn(&[u8]) -> T,
) {
    let message = message();
    let mut guarded = Guarded::new(message.len());
    for length in lengths() {
        let message = &message[..length];
        let expected = portable(message);
        assert_eq!(tag(guarded.at_end(message)), expected, "{name}, {length} bytes at the end");
        assert_eq!(tag(guarded.at_start(message)), expected, "{name}, {length} at the start");
    }
}

/// One message, a stream, and each place of a batch beside others.
fn check_algorithm(algorithm: &Algorithm) {
    let secret: Vec<u8> = (1..).take(algorithm.key_bytes).collect();
    let tag_bytes = *algorithm.tag_bytes.end();
    let new = |cpu| algorithm.key(cpu, &secret, tag_bytes).expect("its lengths");
    let (portable, nonce) = (new(Cpu::PORTABLE), algorithm.counter(105));
    let expected = |message: &[u8]| portable.tag(nonce.as_ref(), message).expect("its nonce");
    for (kernel, cpu) in algorithm.kernels(Cpu::detect()) {
        let (key, case) = (new(cpu), format!("{} on {kernel}", algorithm.name));
        check(&case, expected, |message| key.tag(nonce.as_ref(), message).expect("its nonce"));
        check(&format!("{case}, stream"), expected, |message| {
            let mut stream = key.stream();
            message.chunks(1 + message.len() / 3).for_each(|piece| stream.update(piece));
            stream.finish(nonce.as_ref()).expect("its nonce")
        });
        check(&format!("{case}, batch"), expected, |message| {
            let mut messages = [&b"another"[..]; 8];
            let place = message.len() % 8;
            messages[place] = message;
            messages[(place + 3) % 8] = message;
            let mut tags = vec![0; 8 * tag_bytes];
            let first = algorithm.counter(105 - place as u64);
            key.tags(first.as_ref(), &messages, &mut tags).expect("enough nonces");
            AnyTag::new(&tags[place * tag_bytes..][..tag_bytes]).expect("its length")
        });
    }
}

#[test]
fn every_algorithm() {
    ALGORITHMS.iter().for_each(check_algorithm);
    for name in
        ["UMAC-2/32/32/16/SIGNED", "UMAC-2/3/64", "UMAC-4/32/64", "UMAC-2/6/1024/16/SIGNED/BIG"]
    {
        check_algorithm(&find(name).expect("a name of the family"));
    }
}

#[test]
fn prefixes_of_2000() {
    let nonce = Nonce::counter(5);
    for name in ["UMAC-2/16/1024/16/SIGNED", "UMAC-4/32/64", "UMAC-4/12"] {
        let parameters = name.parse().expect("a name of the family");
        let new = |cpu| Umac2000::with_cpu(cpu, &parameters, super::SECRET).expect("16 bytes");
        let portable = new(Cpu::PORTABLE);
        for (kernel, cpu) in Umac2000::kernels(Cpu::detect(), &parameters) {
            let key = new(cpu);
            for words in 1..parameters.words() {
                check(
                    &format!("{name}, {kernel}, {words} words"),
                    |message| portable.tag_prefix(&nonce, message, words),
                    |message| key.tag_prefix(&nonce, message, words),
                );
            }
        }
    }
}

#[test]
fn figure_1_fixed_lengths_and_partial_macs() {
    let key = umac_1999::Figure1::new(&[5; 4096], &[6; 64]);
    let here = |message: &[u8]| key.tag(5, message);
    check("Figure 1", here, here);
    let message = message();
    let mut guarded = Guarded::new(message.len());
    for length in [16, 32, 64, 4096] {
        let expected = FixedLength::<Aes128, 16>::with_cpu(Cpu::PORTABLE, super::SECRET, length);
        let key = FixedLength::<Aes128, 16>::new(super::SECRET, length);
        let message = &message[..length];
        assert_eq!(key.tag(guarded.at_end(message)), expected.tag(message));
        assert_eq!(key.tag(guarded.at_start(message)), expected.tag(message));
    }
    for division in [Division::new(16, 4), Division::new(3, 5)] {
        let key = partial::Key::new(division, super::SECRET, &[7; 20]);
        let here = |message: &[u8]| key.tag(&[5; 8], message);
        check("partial MAC", here, here);
    }
}
