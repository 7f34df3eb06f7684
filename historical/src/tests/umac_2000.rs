//! UMAC of October 2000 against the oracle: every level, all parameters at edge lengths on every row, the
//! quirks, prefixes, streams.

use super::{SECRET, nat, value};
use crate::Umac2000;
use crate::umac_2000::quirks::{self, Cipher, L3Keys, NonceIndex, Quirks};
use crate::umac_2000::{Endian, InvalidParameters, Parameters, Sign, Uhash, l2, l3};
use crate::umac16::poly32::{self, poly32};
use wegman::AnyTag;
use wegman::cpu::Cpu;
use wegman::hazmat::raw::Nonce;
use wegman::hazmat::umac::l2_poly::Lazy;
use wegman::{InvalidLength, TagMismatch};
use wegman_reference::inputs::Random;
use wegman_reference::umac_2000 as oracle;
use wegman_reference::wide::Nat;

/// The secret of every test here; parameters with short keys take its first 16 bytes.
const LONG: [u8; 32] = *b"abcdefghijklmnopqrstuvwxyz012345";

fn secret(parameters: &Parameters) -> &'static [u8] {
    &LONG[..parameters.key_bytes()]
}

/// The same parameters as the oracle knows them.
fn of_oracle(parameters: &Parameters, quirks: Quirks) -> oracle::Params {
    oracle::Params {
        word_len: parameters.word_bytes(),
        output_len: parameters.output_bytes(),
        l1_key_len: parameters.l1_key_bytes(),
        key_len: parameters.key_bytes(),
        sign: match parameters.sign() {
            Sign::Signed => oracle::Sign::Signed,
            Sign::Unsigned => oracle::Sign::Unsigned,
        },
        endian: match parameters.endian() {
            Endian::Little => oracle::Endian::Little,
            Endian::Big => oracle::Endian::Big,
        },
        cipher: if quirks.cipher == Cipher::Aes {
            oracle::Cipher::Aes
        } else {
            oracle::Cipher::Rc6
        },
        l3_keys: match quirks.l3_keys {
            L3Keys::Draft => oracle::L3Keys::Draft,
            L3Keys::Refcode005 => oracle::L3Keys::Refcode005,
            L3Keys::Refcode001 => oracle::L3Keys::Refcode001,
        },
        nonce_index: match quirks.nonce_index {
            NonceIndex::Unpadded => oracle::NonceIndex::UnpaddedIndex,
            NonceIndex::DraftLiteral => oracle::NonceIndex::DraftLiteral,
        },
    }
}

fn parameters(name: &str) -> Parameters {
    name.parse().unwrap()
}

/// Every choice of sign, endianness and word, with outputs and chunks from the given ones.
fn all(outputs: &[usize], chunks: &[usize]) -> Vec<Parameters> {
    let mut all = Vec::new();
    for w in [2, 4] {
        for sign in [Sign::Signed, Sign::Unsigned] {
            for endian in [Endian::Little, Endian::Big] {
                for &l in outputs {
                    for &n in chunks {
                        for k in [16, 32] {
                            all.push(Parameters::new(w, l, n, k, sign, endian).unwrap());
                        }
                    }
                }
            }
        }
    }
    all
}

/// A key on each row of this machine.
fn keys(parameters: &Parameters) -> Vec<Umac2000> {
    let key = |(name, cpu)| {
        let key = Umac2000::with_cpu(cpu, parameters, secret(parameters)).unwrap();
        assert_eq!(key.kernel(), name);
        key
    };
    Umac2000::kernels(Cpu::detect(), parameters).into_iter().map(key).collect()
}

#[test]
fn all_parameters_at_edge_lengths() {
    let nonce = [1, 2, 3, 4, 5, 6, 7, 0xfe];
    let message = Random(70).message(4200);
    for parameters in all(&[1, 2, 3, 4, 7, 8, 12, 16, 17, 32], &[32, 256, 1024, 2048]) {
        let params = of_oracle(&parameters, Quirks::default());
        let keys = keys(&parameters);
        let n = parameters.l1_key_bytes();
        for length in [0, 1, 2, 3, 31, 32, 33, n - 1, n, n + 1, 2 * n, 2 * n + 31] {
            let message = &message[..length];
            let expected = oracle::umac(&params, secret(&parameters), message, &nonce);
            for key in &keys {
                let tag = key.tag(&Nonce::from(nonce), message);
                assert_eq!(tag.to_bytes(), expected, "{key:?}, {length} bytes");
            }
        }
    }
}

/// 16 streams of long chunks, many chunks, and the words of messages at both ends of their range.
#[test]
fn messages_of_many_chunks() {
    for name in [
        "UMAC16",
        "UMAC32",
        "UMAC-2/32/32/16/SIGNED",
        "UMAC-4/32/64",
        "UMAC-2/3/4096/32/SIGNED/BIG",
    ] {
        let parameters = parameters(name);
        let params = of_oracle(&parameters, Quirks::default());
        let n = parameters.l1_key_bytes();
        // Around the step up from POLY-32.
        for length in [511 * n + 1, 512 * n, 512 * n + 1, 513 * n, 514 * n - 7] {
            if length > 600_000 {
                continue; // the vectors have messages of chunks of 1024 bytes
            }
            for fill in [0, 0xff] {
                let message = vec![fill; length];
                let expected = oracle::uhash(&params, secret(&parameters), &message);
                for key in keys(&parameters) {
                    let mut hash = vec![0; expected.len()];
                    key.uhash().hash(&message, &mut hash);
                    assert_eq!(hash, expected, "{key:?}, {length} bytes");
                }
            }
        }
    }
}

#[test]
fn pads_of_every_length_and_nonce() {
    let mut random = Random(71);
    for l in 1..=32 {
        for w in [2, 4] {
            let parameters = parameters(&format!("UMAC-{w}/{l}/32"));
            for nonce_index in [NonceIndex::Unpadded, NonceIndex::DraftLiteral] {
                let quirks = Quirks { nonce_index, ..Quirks::default() };
                let params = of_oracle(&parameters, quirks);
                let key = quirks::key(Cpu::detect(), &parameters, &SECRET, quirks).unwrap();
                for length in [1, 7, 8, 9, 15, 16] {
                    let mut nonce = random.message(length);
                    for last in [0, 1, 2, 7, 8, 15, 16, 0xff] {
                        nonce[length - 1] = last;
                        let tag = key.tag(&Nonce::new(&nonce).unwrap(), b"message");
                        let expected = oracle::umac(&params, &SECRET, b"message", &nonce);
                        assert_eq!(tag.to_bytes(), expected, "{key:?}, {nonce:02x?}, {quirks:?}");
                    }
                }
            }
        }
    }
}

#[test]
fn quirks() {
    let ciphers = [Cipher::Aes, Cipher::Rc6];
    let message = Random(72).message(5000);
    for parameters in all(&[2, 8, 16, 32], &[64]) {
        for cipher in ciphers {
            for l3_keys in [L3Keys::Draft, L3Keys::Refcode005, L3Keys::Refcode001] {
                let quirks = Quirks { cipher, l3_keys, ..Quirks::default() };
                let params = of_oracle(&parameters, quirks);
                let secret = secret(&parameters);
                let key = quirks::key(Cpu::detect(), &parameters, secret, quirks).unwrap();
                for length in [10, 5000] {
                    let tag = key.tag(&Nonce::counter(3), &message[..length]);
                    let expected = oracle::umac(
                        &params,
                        secret,
                        &message[..length],
                        &[0, 0, 0, 0, 0, 0, 0, 3],
                    );
                    assert_eq!(tag.to_bytes(), expected, "{key:?}, {quirks:?}");
                }
            }
        }
    }
}

// Level 2: POLY-32, and both steps up.

fn l2_key(random: &mut Random, all_ones: bool) -> [u8; 28] {
    if all_ones { [0xff; 28] } else { random.bytes() }
}

#[test]
fn poly32_at_its_ends() {
    let mut random = Random(73);
    let p = value(&oracle::prime(32)) as u32;
    let edges = [0, 1, 5, 6, 1 << 31, p - 2, p - 1, p, p + 1, u32::MAX];
    let check = |key: &[u8; 28], m: u32| {
        // From the accumulator 1, as the oracle begins, to two words.
        for before in edges {
            let k32 = oracle::k32(&oracle::UMAC16, key);
            let words = [nat(before.into()), nat(m.into())];
            let expected = value(&oracle::poly(32, &oracle::limit(32), &k32, &words));
            let (key, _) = key.split_first_chunk().unwrap();
            let key = poly32::Key::from_bytes(*key);
            let Lazy(y) = poly32(&key, poly32(&key, Lazy(1), before), m);
            assert_eq!(u128::from(y % p), expected, "{before:#x}, {m:#x}");
        }
    };
    for all_ones in [true, false] {
        for _ in 0..50 {
            let key = l2_key(&mut random, all_ones);
            edges.iter().for_each(|&m| check(&key, m));
            check(&key, random.word() as u32);
            check(&key, u32::MAX - random.word() as u32 % 16);
        }
    }
}

/// The oracle's level 2, written once more for steps up at any place.
fn l2_of_oracle(word: u32, ends: [u64; 2], keys: &[Nat; 3], words: &[u64]) -> u128 {
    let poly = |bits: usize, words: &[Nat]| {
        let key = &keys[bits.ilog2() as usize - 5];
        oracle::poly(bits, &oracle::limit(bits), key, words)
    };
    let bytes = |words: &[u64]| -> Vec<u8> {
        words.iter().flat_map(|m| m.to_be_bytes()[8 - word as usize / 8..].to_vec()).collect()
    };
    let mut bits = word as usize;
    let mut before: Option<Nat> = None;
    let mut rest = words;
    for end in ends.iter().scan(0, |last, end| Some(end - std::mem::replace(last, *end))) {
        if rest.len() as u64 <= end {
            break;
        }
        let (these, others) = rest.split_at(end as usize);
        let mut of_step: Vec<Nat> = before.into_iter().collect();
        of_step.extend(bytes(these).chunks(bits / 8).map(Nat::from_be_bytes));
        before = Some(poly(bits, &of_step));
        (rest, bits) = (others, 2 * bits);
    }
    let mut last = bytes(rest);
    if before.is_some() {
        last.push(0x80);
        last = oracle::zero_pad(&last, bits / 8);
    }
    let mut of_step: Vec<Nat> = before.into_iter().collect();
    of_step.extend(last.chunks(bits / 8).map(Nat::from_be_bytes));
    value(&poly(bits, &of_step))
}

#[test]
fn both_steps_up_at_any_place() {
    let mut random = Random(74);
    for (word, ends) in [(32, [4, 12]), (32, [1, 3]), (32, [2, u64::MAX]), (64, [3, u64::MAX])] {
        for all_ones in [false, true] {
            let bytes = l2_key(&mut random, all_ones);
            let key = l2::Key::from_bytes(&bytes);
            let keys = [
                oracle::k32(&oracle::UMAC16, &bytes),
                oracle::k64(&oracle::UMAC16, &bytes),
                oracle::k128(&oracle::UMAC16, &bytes),
            ];
            let mut state = l2::State::new(l2::Shape { word, ends });
            let mut words = Vec::new();
            for count in 1..40 {
                // Often over the limit.
                let m = if random.word().is_multiple_of(3) { u64::MAX } else { random.word() }
                    >> (64 - word);
                words.push(m);
                state.absorb_words(std::slice::from_ref(&key), &[m]);
                let expected = l2_of_oracle(word, ends, &keys, &words);
                assert_eq!(
                    state.finish(&key, 0).0,
                    expected,
                    "{word} bits, {ends:?}, {count} words"
                );
            }
        }
    }
}

/// The places of the steps up are those of the oracle. The step that no test message reaches is checked by its number.
#[test]
fn steps_up_are_where_they_should_be() {
    let shape = |name: &str| l2::Shape::of(&parameters(name));
    assert_eq!((shape("UMAC16").word, shape("UMAC16").ends), (32, [1 << 9, 1 << 31]));
    assert_eq!((shape("UMAC32").word, shape("UMAC32").ends[0]), (64, 1 << 14));
    let mut random = Random(75);
    for (name, around) in [("UMAC16", 1 << 9), ("UMAC32", 1 << 14)] {
        let parameters = parameters(name);
        let params = of_oracle(&parameters, Quirks::default());
        let bytes = oracle::l2_key(&params, &SECRET, 0);
        let key = l2::Key::from_bytes(&bytes);
        let mut state = l2::State::new(l2::Shape::of(&parameters));
        let mut a = Vec::new();
        for count in 1..around + 10 {
            let m = random.word() >> (64 - shape(name).word);
            a.extend(&m.to_be_bytes()[8 - shape(name).word as usize / 8..]);
            state.absorb_words(std::slice::from_ref(&key), &[m]);
            if count > 1 && !(10..around - 3).contains(&count) {
                assert_eq!(state.finish(&key, 0).0.to_be_bytes(), oracle::l2(&params, &bytes, &a));
            }
        }
    }
    // POLY-128 of two-byte words takes over 2 TiB into a message of UMAC16. There the state must go on as it does where
    // POLY-128 takes over early.
    let key = l2::Key::from_bytes(&l2_key(&mut random, false));
    let keys = std::slice::from_ref(&key);
    let mut near = l2::State::new(l2::Shape { word: 32, ends: [2, 4] });
    for word in [5, 6, 7, 8] {
        near.absorb_words(keys, &[word]);
    }
    let mut real = near.clone().moved(shape("UMAC16"), 1 << 31);
    for word in 9..20 {
        real.absorb_words(keys, &[word]);
        near.absorb_words(keys, &[word]);
        assert_eq!(real.finish(&key, 0), near.finish(&key, 0), "{word}");
    }
}

#[test]
fn l3_at_its_ends() {
    let mut random = Random(76);
    for name in ["UMAC16", "UMAC32"] {
        let parameters = parameters(name);
        let params = of_oracle(&parameters, Quirks::default());
        let w = parameters.word_bytes();
        let p: u64 = if w == 4 { (1 << 36) - 5 } else { (1 << 19) - 1 };
        let number = |k: u64| k.to_be_bytes()[8 - 2 * w..].to_vec();
        let largest = u64::MAX >> (64 - 16 * w);
        for k in [0, 1, p - 1, p, p + 1, 2 * p, largest, random.word() & largest] {
            let bytes = number(k).repeat(8);
            let mask = &[0x5a, 0xff, 0x00, 0x81][..w];
            let key = l3::Key::from_bytes(&bytes, mask);
            for b in [0, 1, u128::MAX, 0xffff << 112, random.wide()] {
                let mut out = vec![0; w];
                key.hash(b, &mut out);
                let expected = oracle::l3(&params, &[k % p; 8], mask, &b.to_be_bytes());
                assert_eq!(out, expected, "{name}, {k:#x}, {b:#x}");
            }
        }
    }
}

// Prefixes, streams, batches.

#[test]
fn prefixes_are_first_bytes_and_say_what_they_are_worth() {
    let message = Random(77).message(2500);
    let nonce = Nonce::counter(9);
    let names = "UMAC16 UMAC32 UMAC-2/2/1024/16/SIGNED UMAC-2/4/1024/16/SIGNED \
                 UMAC-2/16/1024/16/SIGNED UMAC-2/32/1024/16/SIGNED UMAC-4/4 UMAC-4/12 UMAC-4/16 \
                 UMAC-4/7 UMAC-2/5/64/32";
    for name in names.split(' ') {
        let parameters = parameters(name);
        for key in keys(&parameters) {
            let tag = key.tag(&nonce, &message);
            let mut stream = key.stream();
            stream.update(b"something before");
            stream.reset();
            message.chunks(700).for_each(|piece| stream.update(piece));
            assert_eq!(stream.clone().finish(&nonce), tag);
            for words in 1..=parameters.words() {
                let bytes = (words * parameters.word_bytes()).min(parameters.output_bytes());
                let prefix = key.tag_prefix(&nonce, &message, words);
                assert_eq!(prefix.to_bytes(), &tag.to_bytes()[..bytes], "{key:?}, {words}");
                // Any wrong bit of the prefix is found; wrong bits after it are ignored.
                for bit in 0..8 * parameters.output_bytes() {
                    let mut wrong = tag.to_bytes().to_vec();
                    wrong[bit / 8] ^= 1 << (bit % 8);
                    let wrong = AnyTag::new(&wrong).unwrap();
                    let outcome = key.verify_prefix(&nonce, &message, &wrong, words);
                    assert_eq!(outcome.is_err(), bit < 8 * bytes, "{key:?}, {words}, {bit}");
                    if words == parameters.words() {
                        assert_eq!(stream.verify(&nonce, &wrong), Err(TagMismatch));
                    }
                }
                let reached = key.verify_prefix(&nonce, &message, &tag, words).unwrap();
                assert_eq!((reached.words(), reached.bits()), (words, 8 * bytes));
                assert_eq!(reached.is_full(), words == parameters.words());
                // A prefix is not a tag.
                if !reached.is_full() {
                    assert_eq!(
                        key.verify_prefix(&nonce, &message, &prefix, words),
                        Err(TagMismatch)
                    );
                }
            }
            assert_eq!(key.verify(&nonce, b"other", &tag), Err(TagMismatch));
        }
    }
}

/// Typed keys make the tags and prefixes of their parameters; streams run in the code for all parameters. A wrong
/// choice of either would show here.
#[test]
fn typed_keys_and_the_engine_agree() {
    let message = Random(80).message(600_000);
    for name in ["UMAC16", "UMAC-2/16/1024/16/SIGNED", "UMAC32", "UMAC-4/16"] {
        let parameters = parameters(name);
        for key in keys(&parameters) {
            for length in [0, 1, 31, 32, 33, 63, 64, 65, 1023, 1024, 1025, 2049, 524_289, 600_000] {
                let (nonce, message) = (Nonce::counter(length as u64 + 1), &message[..length]);
                let mut stream = key.stream();
                stream.update(message);
                let tag = stream.finish(&nonce);
                for words in 1..=parameters.words() {
                    let prefix = key.tag_prefix(&nonce, message, words);
                    let bytes = &tag.to_bytes()[..words * parameters.word_bytes()];
                    assert_eq!(prefix.to_bytes(), bytes, "{key:?}, {words} words, {length} bytes");
                }
            }
        }
    }
}

#[test]
fn bounds() {
    let exponents = |name: &str| -> Vec<usize> {
        let parameters = parameters(name);
        let key = Umac2000::new(&parameters, secret(&parameters)).unwrap();
        let tag = key.tag(&Nonce::counter(0), b"");
        let level = |words| key.verify_prefix(&Nonce::counter(0), b"", &tag, words).unwrap();
        assert!(
            (1..=parameters.words())
                .all(|j| level(j).bound() == format!("2^-{}", level(j).log2_bound()))
        );
        (1..=parameters.words()).map(|words| level(words).log2_bound()).collect()
    };
    // As the authors state them: 2^-15, 2^-30, 2^-60, 2^-120 at 2, 4, 8, 16 bytes.
    assert_eq!(exponents("UMAC16"), [15, 30, 45, 60]);
    assert_eq!(exponents("UMAC32"), [30, 60]);
    assert_eq!(exponents("UMAC-2/16/1024/16/SIGNED")[7], 120);
    assert_eq!(exponents("UMAC-4/16"), [30, 60, 90, 120]);
    // Ours.
    assert_eq!(exponents("UMAC-4/8/1024/16/SIGNED"), [29, 58]);
    assert_eq!(exponents("UMAC-4/7"), [30, 52]);
    assert_eq!(exponents("UMAC-4/1"), [6]);
    assert_eq!(exponents("UMAC-2/1/1024/16/SIGNED"), [7]);
}

// Names.

#[test]
fn names() {
    for (name, shortest) in [
        ("UMAC16", "UMAC16"),
        ("umac32", "UMAC32"),
        ("UMAC-4/8", "UMAC32"),
        ("UMAC-4", "UMAC32"),
        ("UMAC-2/8/1024/16/SIGNED/LITTLE", "UMAC16"),
        ("UMAC-2/8", "UMAC-2/8"),
        ("UMAC-2", "UMAC-2/8"),
        ("UMAC-4/4/1024/16/UNSIGNED/LITTLE", "UMAC-4/4"),
        ("umac-2/4/1024/16/signed", "UMAC-2/4/1024/16/SIGNED"),
        ("UMAC-4/8/1024/16/UNSIGNED/BIG", "UMAC-4/8/1024/16/UNSIGNED/BIG"),
        ("UMAC-2/32/268435456/32/UNSIGNED/LITTLE", "UMAC-2/32/268435456/32"),
    ] {
        assert_eq!(parameters(name).to_string(), shortest);
        let (_, params) = oracle::Params::parse(&name.to_uppercase()).unwrap();
        assert_eq!(of_oracle(&parameters(name), Quirks::default()), params);
    }
    for parameters in all(&[1, 8, 9, 32], &[32, 1024, 1 << 28]) {
        assert_eq!(parameters.to_string().parse(), Ok(parameters));
        let uhash = parameters.to_string().replace("UMAC16", "UMAC-2/8/1024/16/SIGNED");
        let uhash = uhash.replace("UMAC32", "UMAC-4/8").replace("UMAC", "UHASH");
        assert_eq!(Parameters::of_uhash(&uhash), Ok(parameters));
        assert_eq!(uhash.parse::<Parameters>(), Err(InvalidParameters));
        assert_eq!(Parameters::of_uhash(&parameters.to_string()), Err(InvalidParameters));
    }
    let wrong = "UMAC UMAC- UMAC8 UMAC-64 UMAC-128 UMAC16-2 UMAC16/4 UMAC_4 PMAC-4/8 UMAC-3 UMAC-3/8 \
                 UMAC-4/0 UMAC-4/33 UMAC-4/08 UMAC-4/+8 UMAC-4/8/16 UMAC-4/8/48 UMAC-4/8/1000 \
                 UMAC-4/8/536870912 UMAC-4/99999999999999999999999 UMAC-4//1024 UMAC-4/8/1024/24 \
                 UMAC-4/8/1024/16/SIGN UMAC-4/8/1024/16/SIGNED/ UMAC-4/8/1024/16/SIGNED/MIDDLE \
                 UMAC-4/8/1024/16/SIGNED/BIG/ UMAC-4/8/1024/16/SIGNED/LITTLE/1";
    for wrong in wrong.split(' ').chain(["", " UMAC32"]) {
        assert_eq!(wrong.parse::<Parameters>(), Err(InvalidParameters), "{wrong:?}");
        assert_eq!(oracle::Params::parse(wrong), None, "{wrong:?}");
    }
}

#[test]
fn secrets_of_another_length_are_refused() {
    for parameters in [parameters("UMAC32"), parameters("UMAC-2/8/32/32")] {
        for length in [0, 15, 16, 17, 24, 31, 32] {
            let fits = length == parameters.key_bytes();
            let key = Umac2000::new(&parameters, &LONG[..length]).map(drop);
            assert_eq!(key, if fits { Ok(()) } else { Err(InvalidLength) });
            assert_eq!(Uhash::new(&parameters, &LONG[..length]).is_ok(), fits);
        }
    }
}
