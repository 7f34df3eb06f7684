//! Every kernel through the public interface on few and short messages, for `make miri` to interpret. Miri
//! detects reads beside the message, wrong alignment and uninitialised bytes, which no tag shows.
//!
//! The tags are compared with those of the portable kernels, which other tests compare with the oracle.

use wegman::hazmat::nonce_mac::HashAndPads;
use wegman::hazmat::raw;
use wegman::pmac::hazmat::{LengthPreserving, Segment, Sum, recover};
use wegman::umac::{self, Umac};
use wegman::{Aes128, Bits, Cpu, NonceOf, Tag, TagMismatch, nonce_mac, pmac};
use wegman_carter::{Carter, Carter128};
use wegman_historical::Nonce;

const SECRET: &[u8; 16] = b"sixteen byte key";

/// Around units of 32 bytes, registers of 64 and chunks of 1024; one packet of the usual size.
const LENGTHS: [usize; 17] =
    [0, 1, 15, 16, 17, 31, 32, 33, 63, 64, 65, 96, 127, 1023, 1024, 1025, 1500];

/// Each has its own memory, so that a read of any byte beside it is an error.
fn messages(lengths: &[usize]) -> Vec<Vec<u8>> {
    let message = |&length: &usize| (0..length).map(|i| (i * i / 7 + length) as u8).collect();
    lengths.iter().map(message).collect()
}

/// The message in pieces of 1, 8, 27, 64, ... bytes.
fn pieces(mut message: &[u8]) -> impl Iterator<Item = &[u8]> {
    (1..).map_while(move |i: usize| {
        let piece = message.split_off(..message.len().min(i * i * i))?;
        (!piece.is_empty()).then_some(piece)
    })
}

/// A MAC with nonces on every row: whole messages, some in pieces, and batches of each class of lengths.
fn check_nonces<H: HashAndPads<N>, const N: usize, const L: usize>(lengths: &[usize]) {
    let messages = messages(lengths);
    let nonce = |i: usize| NonceOf::counter(3 + i as u64);
    let mut expected: Vec<Tag<N>> = Vec::new();
    for (name, cpu) in nonce_mac::Key::<H, N, L>::kernels(Cpu::detect()) {
        if cfg!(miri) && H::NAME.starts_with("carter") && name == "portable" {
            continue; // it has no unsafe code, and is slow
        }
        let key = nonce_mac::Key::<H, N, L>::from_slice_with_cpu(cpu, SECRET).expect("16 bytes");
        assert_eq!(key.kernel(), name);
        let tags = messages.iter().enumerate().map(|(i, message)| key.tag(nonce(i), message));
        let tags: Vec<Tag<N>> = tags.collect();
        if expected.is_empty() {
            expected.clone_from(&tags);
        }
        assert_eq!(tags, expected, "{name}");

        for (i, (message, tag)) in messages.iter().zip(&expected).enumerate() {
            if cfg!(miri) && H::NAME.starts_with("carter") && ![129, 4097].contains(&message.len())
            {
                continue;
            }
            let mut stream = key.stream();
            pieces(message).for_each(|piece| stream.update(piece));
            assert_eq!(raw::peek(&stream, &nonce(i).into()), *tag, "{name}, message {i}");
            assert_eq!(stream.finish(nonce(i)), *tag, "{name}, message {i} in pieces");
        }

        let borrowed: Vec<&[u8]> = messages.iter().map(Vec::as_slice).collect();
        let mut tags = vec![Tag::from([0; N]); messages.len()];
        assert_eq!(key.tag_many(nonce(0), &borrowed, &mut tags), Ok(()));
        assert_eq!(tags, expected, "{name}, all at once");

        let mut packets: Vec<_> =
            (0..messages.len()).map(|i| (nonce(i), borrowed[i], expected[i])).collect();
        let mut valid = vec![false; messages.len()];
        assert_eq!(key.verify_many(&packets, &mut valid), Ok(()), "{name}");
        // One packet has the nonce of another, so they are not a run either.
        packets[1].0 = nonce(0);
        assert_eq!(key.verify_many(&packets, &mut valid), Err(TagMismatch), "{name}");
        assert!(valid.iter().enumerate().all(|(i, &valid)| valid == (i != 1)), "{name}");
    }
}

#[test]
fn umac32() {
    check_nonces::<Umac<4>, 4, 8>(&LENGTHS);
}

#[test]
#[cfg_attr(miri, ignore = "the code of umac32 and umac128, and Miri is slow")]
fn umac64_and_umac96() {
    check_nonces::<Umac<8>, 8, 8>(&LENGTHS);
    check_nonces::<Umac<12>, 12, 8>(&LENGTHS);
}

#[test]
fn umac128() {
    check_nonces::<Umac<16>, 16, 8>(&LENGTHS);
}

/// Parts, pairs, groups and blocks of Carter; then batches of each class of lengths, and a part of a group.
#[test]
fn carter() {
    let single = [0, 1, 16, 17, 48, 64, 65, 128, 129, 257, 2048, 2049, 4097];
    check_nonces::<Carter<Aes128, 16>, 16, 12>(&single);
    check_nonces::<Carter<Aes128, 16>, 16, 12>(&[1, 16, 7, 16, 3, 15, 8, 2]);
    check_nonces::<Carter<Aes128, 16>, 16, 12>(&[64, 1, 16, 33, 48, 17, 63, 5]);
    check_nonces::<Carter<Aes128, 16>, 16, 12>(&[0, 65, 300]);
}

#[test]
fn pmac_aes128() {
    type Key = pmac::Key<Aes128, 16>;
    let mut expected: Vec<Tag<16>> = Vec::new();
    for (name, cpu) in Key::kernels(Cpu::detect()) {
        let key = Key::with_cpu(cpu, SECRET);
        let messages = messages(&LENGTHS);
        let tags: Vec<Tag<16>> = messages.iter().map(|message| key.tag(message)).collect();
        if expected.is_empty() {
            assert_eq!(name, "portable");
            expected = tags.clone();
        }
        assert_eq!(tags, expected, "{name}");
        for (message, tag) in messages.iter().zip(&expected) {
            let mut stream = key.stream();
            pieces(message).for_each(|piece| stream.update(piece));
            assert_eq!(stream.tag(), *tag, "{name}, {} bytes in pieces", message.len());
        }
    }
}

/// Groups of 16 of each class of lengths, and a part of a group.
#[test]
fn pmac_batches() {
    type Key = pmac::Key<Aes128, 16>;
    let lengths = |longest: usize| (0..16).map(move |i| longest - 7 * i % (longest.min(16) + 1));
    for (name, cpu) in Key::kernels(Cpu::detect()) {
        if cfg!(miri) && name == "portable" {
            continue; // it takes them one by one, as above, and its AES is slow
        }
        let key = Key::with_cpu(cpu, SECRET);
        for (longest, count) in
            [(0, 16), (16, 16), (32, 16), (48, 16), (80, 16), (600, 16), (70, 9)]
        {
            let messages: Vec<Vec<u8>> =
                lengths(longest).take(count).map(|length| vec![length as u8; length]).collect();
            let expected: Vec<Tag<16>> = messages.iter().map(|message| key.tag(message)).collect();
            let borrowed: Vec<&[u8]> = messages.iter().map(Vec::as_slice).collect();
            let mut tags = vec![Tag::from([0; 16]); count];
            key.tag_many(&borrowed, &mut tags);
            assert_eq!(tags, expected, "{name}, {count} of up to {longest} bytes");
            let mut packets: Vec<_> = borrowed.into_iter().zip(expected).collect();
            let mut valid = vec![false; count];
            assert_eq!(key.verify_many(&packets, &mut valid), Ok(()), "{name}");
            packets[3].1 = Tag::from([0; 16]);
            assert_eq!(key.verify_many(&packets, &mut valid), Err(TagMismatch), "{name}");
            assert!(valid.iter().enumerate().all(|(i, &valid)| valid == (i != 3)), "{name}");
        }
    }
}

/// Bits, segments from any position in a group, edits, recovery.
#[test]
fn pmac_claims() {
    type Key = pmac::Key<Aes128, 16>;
    let message: Vec<u8> = (0..700).map(|i| (i * i / 5) as u8).collect();
    for (name, cpu) in Key::kernels(Cpu::detect()) {
        let key = Key::with_cpu(cpu, SECRET);
        for bits in [1, 127, 129, 8 * 600 + 5] {
            let part = &message[..usize::div_ceil(bits, 8)];
            let whole = Bits::new(part, bits as u64).unwrap();
            let tag = key.tag_bits(whole);
            let cut = part.len() / 3 / 16 * 16;
            let (head, tail) = part.split_at(cut);
            let tail = Bits::new(tail, (bits - 8 * cut) as u64).unwrap();
            let tail = Segment::new(&key, cut as u64 / 16, tail).unwrap();
            let head = Segment::new(&key, 0, Bits::from(head)).unwrap();
            let all = Segment::combine(&mut [tail, head]).unwrap();
            assert_eq!(all.tag(&key), Ok(tag), "{name}, {bits} bits");

            let mut sum = Sum::from_tag(&key, &tag, bits as u64).unwrap();
            let window = sum.append_window();
            let old = &part[window.start as usize..window.end as usize];
            sum.append(&key, Bits::from(&message[..50]), old).unwrap();
            assert_ne!(sum.tag(&key), Ok(tag), "{name}, {bits} bits");
        }
        let tag = key.tag(&message);
        let others = [&message[..320], &message[336..]].concat();
        let found = recover(&key, &tag, 21, Bits::from(&others[..])).unwrap();
        assert_eq!(found, message[320..336], "{name}");
    }
    let cipher = LengthPreserving::<Aes128, 16>::new(SECRET, b"another 16 bytes");
    let mut record = message[..77].to_vec();
    cipher.encrypt(&mut record).unwrap();
    cipher.decrypt(&mut record).unwrap();
    assert_eq!(record, message[..77]);
}

/// NH of 16-bit words: whole steps of four units and every kind of rest, for each number of streams.
#[test]
fn umac_2000() {
    use wegman_historical::Umac2000;
    let parameters = "UMAC-2/16/256/16/SIGNED".parse().unwrap();
    let message: Vec<u8> = (0..600).map(|i| (i * i / 3) as u8).collect();
    let nonce = Nonce::counter(7);
    let mut expected = Vec::new();
    for (name, cpu) in Umac2000::kernels(Cpu::detect(), &parameters) {
        let key = Umac2000::with_cpu(cpu, &parameters, SECRET).unwrap();
        let mut tags = Vec::new();
        for length in [0, 1, 32, 33, 63, 64, 97, 127, 128, 129, 255, 256, 257, 600] {
            let message = message[..length].to_vec();
            let tag = key.tag(&nonce, &message);
            let mut stream = key.stream();
            pieces(&message).for_each(|piece| stream.update(piece));
            assert_eq!(stream.finish(&nonce), tag, "{name}, {length} bytes in pieces");
            tags.push(tag);
        }
        for words in 1..8 {
            tags.push(key.tag_prefix(&nonce, &message[..161], words));
        }
        if expected.is_empty() {
            assert_eq!(name, "portable");
            expected.clone_from(&tags);
        }
        assert_eq!(tags, expected, "{name}");
    }
}

/// The same kernels with a block of 4096 bytes and two streams; and NH of 32-bit words with signs.
#[test]
fn umac_1999() {
    use wegman_historical::Umac1999;
    use wegman_historical::umac_1999::{Mmx30, Set, Std60};
    fn check<S: Set>(lengths: &[usize]) {
        let message: Vec<u8> = (0..5000).map(|i| (i * i / 3) as u8).collect();
        let mut expected = Vec::new();
        for (name, cpu) in Umac1999::<S>::kernels(Cpu::detect()) {
            let secret = &b"a secret of 20 bytes"[..S::KEY_BYTES];
            let key = Umac1999::<S>::from_slice_with_cpu(cpu, secret).unwrap();
            let tags: Vec<S::Tag> =
                lengths.iter().map(|&length| key.tag(7, &Vec::from(&message[..length]))).collect();
            if expected.is_empty() {
                assert_eq!(name, "portable");
                expected.clone_from(&tags);
            }
            assert_eq!(tags, expected, "{}, {name}", S::NAME);
        }
    }
    check::<Mmx30>(&[0, 33, 64, 95, 129, 4097]);
    check::<Std60>(&[0, 56, 61, 127, 256, 300, 700]);
}

/// Groups and blocks of hash127, whose words are loaded under a mask.
#[test]
fn hash127() {
    use wegman_yardstick::hash127::Hash127;
    let mut expected = Vec::new();
    for (name, cpu) in Hash127::kernels(Cpu::detect()) {
        let hash = Hash127::with_cpu(cpu, SECRET);
        let hashes: Vec<_> = [0, 1, 7, 8, 9, 15, 16, 17, 33, 128, 129]
            .map(|words| {
                // In its own memory.
                let message: Vec<[u8; 4]> = (0..words)
                    .map(|i: u32| (i.wrapping_mul(0x9e37_79b9) ^ i).to_le_bytes())
                    .collect();
                hash.hash(&message, SECRET)
            })
            .into();
        if expected.is_empty() {
            assert_eq!(name, "portable");
            expected.clone_from(&hashes);
        }
        assert_eq!(hashes, expected, "{name}");
    }
}

/// Which kernels the tests above ran. With `WEGMAN_REQUIRE_KERNELS=avx2` it fails if that one is not
/// among them.
#[test]
fn the_required_kernels_run_here() {
    let names = |kernels: &mut dyn Iterator<Item = (&'static str, Cpu)>| -> Vec<&'static str> {
        kernels.map(|(name, _)| name).collect()
    };
    let umac = names(&mut umac::Key::<4>::kernels(Cpu::detect()));
    let pmac = names(&mut pmac::Key::<Aes128, 16>::kernels(Cpu::detect()));
    let carter = names(&mut Carter128::<Aes128, 12>::kernels(Cpu::detect()));
    let parameters = "UMAC-2/16/256/16/SIGNED".parse().unwrap();
    let umac_2000 =
        names(&mut wegman_historical::Umac2000::kernels(Cpu::detect(), &parameters).into_iter());
    let all = [("UMAC", &umac), ("PMAC", &pmac), ("Carter", &carter), ("UMAC of 2000", &umac_2000)];
    for (mac, ran) in all {
        eprintln!("{mac}: ran {}", ran.join(", "));
    }
    let required = std::env::var("WEGMAN_REQUIRE_KERNELS").unwrap_or_default();
    for name in required.split(',').map(str::trim).filter(|name| !name.is_empty()) {
        assert!(all.iter().any(|(_, ran)| ran.contains(&name)), "{name} did not run here");
    }
}
