//! Every case of the comparators' files in ../vectors: each is run by the typed keys, and by the registry where
//! it has the algorithm and takes the key's length; on every kernel of this machine.
#![cfg(feature = "yardstick")]

use serde_json::Value;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::path::Path;
use wegman::cipher::{BlockCipher, Invertible, Rc6, Rc6With8, Rc6With24, Rc6With32};
use wegman::yardstick::cbc::{Ecbc, Fcbc, FixedLength, Xcbc};
use wegman::yardstick::hash127::{self, Hash127, out_words};
use wegman::yardstick::hmac::{HmacMd5, HmacSha1};
use wegman::yardstick::partial::{self, Division};
use wegman::yardstick::pcs::Pcs;
use wegman::yardstick::xor_mac::{self, Layout, Value as Value127};
use wegman::yardstick::{Engine, Key};
use wegman::{Aes128, Cpu, Nonce, Tag};

// Reading the files.

fn read(name: &str) -> (String, Value) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../vectors").join(name);
    let text = std::fs::read_to_string(&path)
        .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let json = serde_json::from_str(&text).expect("a vector file is JSON");
    (text, json)
}

/// Runs `check` on every case. `counts` says how many there are of each algorithm; the sum must also be the
/// number of ids in the file's text.
fn for_each_case(name: &str, counts: &[(&str, usize)], check: impl Fn(&str, &Value)) {
    let (content, json) = read(name);
    let mut run = BTreeMap::new();
    for case in json["cases"].as_array().expect("the file has cases") {
        let algorithm = text(case, "algorithm");
        check(algorithm, case);
        *run.entry(algorithm).or_insert(0) += 1;
    }
    assert_eq!(run, counts.iter().copied().collect());
    assert_eq!(run.values().sum::<usize>(), content.matches("\"id\":").count());
}

fn text<'a>(value: &'a Value, name: &str) -> &'a str {
    value[name].as_str().unwrap_or_else(|| panic!("no text {name} in {value}"))
}

fn number(value: &Value, name: &str) -> usize {
    value[name].as_u64().unwrap_or_else(|| panic!("no number {name} in {value}")) as usize
}

fn hex(value: &Value, name: &str) -> Vec<u8> {
    let text = text(value, name);
    assert!(text.len().is_multiple_of(2), "half a byte in {text}");
    let byte = |i| u8::from_str_radix(&text[i..i + 2], 16).expect("hexadecimal digits");
    (0..text.len()).step_by(2).map(byte).collect()
}

fn array<const N: usize>(value: &Value, name: &str) -> [u8; N] {
    hex(value, name).try_into().unwrap_or_else(|_| panic!("{name} has not {N} bytes in {value}"))
}

/// The rules that these files use; a case with any other fails.
fn message_of(case: &Value) -> Vec<u8> {
    let Some(rule) = case.get("msg") else {
        return hex(case, "msg_hex");
    };
    match text(rule, "pattern") {
        "repeat" => hex(rule, "unit_hex").repeat(number(rule, "repeat")),
        "affine" => {
            let (a, b) = (number(rule, "a"), number(rule, "b"));
            (0..number(rule, "length")).map(|i| (a * i + b) as u8).collect()
        }
        other => panic!("unknown message rule {other}"),
    }
}

// Running them.

/// The tag of a case by every way to it, on every kernel.
fn check_key<E: Engine, const N: usize>(case: &Value, secret: &[u8], expected: &[u8]) {
    let message = message_of(case);
    let expected = Tag::<N>::try_from(expected).expect("a tag of this length");
    for (kernel, cpu) in Key::<E, N>::kernels(Cpu::detect()) {
        let key = Key::<E, N>::from_slice(cpu, secret).expect("a length it takes");
        assert_eq!(key.kernel(), kernel);
        let case = format_args!("{} on {kernel}", text(case, "id"));
        assert_eq!(key.tag(&message), expected, "{case}");
        assert_eq!(key.verify(&message, &expected), Ok(()), "{case}");
        let mut stream = key.stream();
        message.chunks(13).for_each(|piece| stream.update(piece));
        assert_eq!(stream.tag(), expected, "{case}, stream");
        let mut tags = [Tag::from([0; N]); 9];
        key.tag_many(&[message.as_slice(); 9], &mut tags);
        assert_eq!(tags, [expected; 9], "{case}, batch");
    }
}

/// The tag of a case by the registry, if the key has the length that the algorithm has there.
#[cfg(feature = "alloc")]
fn check_registered(case: &Value, name: &str, secret: &[u8], nonce: Option<&[u8]>, tag: &[u8]) {
    let algorithm = wegman::registry::find(name).unwrap_or_else(|| panic!("no {name}"));
    if secret.len() != algorithm.key_bytes {
        return;
    }
    let nonce = nonce.map(|nonce| Nonce::new(nonce).expect("a nonce"));
    for (kernel, cpu) in algorithm.kernels(Cpu::detect()) {
        let key = algorithm.key(cpu, secret, tag.len()).expect("lengths it takes");
        let found = key.tag(nonce.as_ref(), &message_of(case)).expect("a nonce if it takes one");
        assert_eq!(found.to_bytes(), tag, "{name}, {} on {kernel}", text(case, "id"));
    }
}

#[cfg(not(feature = "alloc"))]
fn check_registered(_: &Value, _: &str, _: &[u8], _: Option<&[u8]>, _: &[u8]) {}

// CBC-MAC and its variants.

#[test]
fn cbc_mac_variants() {
    let counts = [
        ("CBC-MAC-AES128", 3),
        ("CBC-MAC-RC6-128", 3),
        ("ECBC-AES128", 8),
        ("ECBC-RC6-128", 6),
        ("FCBC-AES128", 10),
        ("FCBC-RC6-128", 8),
        ("XCBC-AES128", 13),
        ("XCBC-RC6-128", 10),
    ];
    for_each_case("cbc-mac-variants.json", &counts, |algorithm, case| match algorithm {
        "CBC-MAC-AES128" => check_fixed_length::<Aes128>(case),
        "CBC-MAC-RC6-128" => check_fixed_length::<Rc6>(case),
        "ECBC-AES128" => check_cbc::<Ecbc<Aes128>>(case),
        "ECBC-RC6-128" => check_cbc::<Ecbc<Rc6>>(case),
        "FCBC-AES128" => check_cbc::<Fcbc<Aes128>>(case),
        "FCBC-RC6-128" => check_cbc::<Fcbc<Rc6>>(case),
        "XCBC-AES128" => check_cbc::<Xcbc<Aes128>>(case),
        "XCBC-RC6-128" => check_cbc::<Xcbc<Rc6>>(case),
        other => panic!("unknown algorithm {other}"),
    });
}

fn check_fixed_length<C: BlockCipher<Key = [u8; 16]>>(case: &Value) {
    let message = message_of(case);
    let expected = Tag::from(array(case, "tag_hex"));
    for cpu in [Cpu::detect(), Cpu::PORTABLE] {
        let key = FixedLength::<C, 16>::with_cpu(cpu, &array(case, "k1_hex"), message.len());
        assert_eq!(key.tag(&message), Ok(expected), "{}", text(case, "id"));
        let mut stream = key.stream();
        message.chunks(13).for_each(|piece| stream.update(piece).expect("no longer than it is"));
        assert_eq!(stream.tag(), Ok(expected), "{}, stream", text(case, "id"));
    }
}

fn check_cbc<E: Engine>(case: &Value) {
    let (name, tag) = (text(case, "algorithm"), hex(case, "tag_hex"));
    let three = ["k1_hex", "k2_hex", "k3_hex"].map(|name| hex(case, name)).concat();
    check_key::<E, 16>(case, &three, &tag);
    check_registered(case, name, &three, None, &tag);
    if case.get("rfc3566_key_hex").is_some() {
        let secret = hex(case, "rfc3566_key_hex");
        check_key::<E, 16>(case, &secret, &tag);
        check_key::<E, 12>(case, &secret, &tag[..12]); // AES-XCBC-MAC-96
        check_registered(case, name, &secret, None, &tag);
    }
}

// HMAC.

#[test]
fn hmac96() {
    let counts = [("HMAC-MD5-96", 15), ("HMAC-SHA1-96", 15)];
    for_each_case("hmac96.json", &counts, |algorithm, case| {
        let (secret, full) = (hex(case, "key_hex"), hex(case, "full_mac_hex"));
        let tag = hex(case, "tag_hex");
        match algorithm {
            "HMAC-MD5-96" => {
                check_key::<HmacMd5, 12>(case, &secret, &tag);
                check_key::<HmacMd5, 16>(case, &secret, &full);
            }
            "HMAC-SHA1-96" => {
                check_key::<HmacSha1, 12>(case, &secret, &tag);
                check_key::<HmacSha1, 20>(case, &secret, &full);
            }
            other => panic!("unknown algorithm {other}"),
        }
        check_registered(case, algorithm, &secret, None, &tag);
        let uncut = algorithm.strip_suffix("-96").expect("cut to 96 bits");
        check_registered(case, uncut, &secret, None, &full);
    });
}

// RC6.

#[test]
fn rc6() {
    let counts =
        [("RC6-32/20/16", 23), ("RC6-32/20/24", 12), ("RC6-32/20/32", 2), ("RC6-32/20/8", 10)];
    for_each_case("rc6.json", &counts, |algorithm, case| match algorithm {
        "RC6-32/20/8" => check_rc6::<Rc6With8>(case),
        "RC6-32/20/16" => check_rc6::<Rc6>(case),
        "RC6-32/20/24" => check_rc6::<Rc6With24>(case),
        "RC6-32/20/32" => check_rc6::<Rc6With32>(case),
        other => panic!("unknown algorithm {other}"),
    });
}

fn check_rc6<C: Invertible<Block = [u8; 16]>>(case: &Value) {
    let cipher = C::from_slice(Cpu::detect(), &hex(case, "key_hex")).expect("its length");
    let iterations = if case.get("iterations").is_some() { number(case, "iterations") } else { 1 };
    let plain: [u8; 16] = array(case, "plaintext_hex");
    let mut block = plain;
    (0..iterations).for_each(|_| cipher.encrypt(&mut block));
    assert_eq!(block, array(case, "ciphertext_hex"), "{}", text(case, "id"));
    (0..iterations).for_each(|_| cipher.decrypt(&mut block));
    assert_eq!(block, plain, "{}", text(case, "id"));
}

// hash127.

fn words(bytes: &[u8]) -> &[[u8; 4]] {
    let (words, rest) = bytes.as_chunks();
    assert!(rest.is_empty(), "whole words");
    words
}

#[test]
fn hash127_cases() {
    for_each_case("hash127.json", &[("hash127", 98)], |_, case| {
        let hash = Hash127::new(&array(case, "r_hex"));
        let u = hash.hash(words(&message_of(case)), &array(case, "k_hex"));
        assert_eq!(u, array(case, "u_hex_le"), "{}", text(case, "id"));
        let signed = case["out_words_signed"].as_array().expect("a list");
        let signed: Vec<i64> = signed.iter().map(|word| word.as_i64().expect("a word")).collect();
        assert_eq!(out_words(&u).map(i64::from).as_slice(), signed, "{}", text(case, "id"));
    });
}

/// All 2000 lines of the accuracy test of hash127 0.70.
#[test]
fn hash127_accuracy() {
    let (_, json) = read("hash127.json");
    let case = &json["cases"][0];
    assert_eq!(text(case, "origin"), "official");
    let (hash, k) = (Hash127::new(&array(case, "r_hex")), array(case, "k_hex"));
    let mut lines = String::new();
    for message in [i32::MIN.to_le_bytes().repeat(1000), (0..4000).map(|i| i as u8).collect()] {
        for i in 0..1000 {
            let u = hash.hash(&words(&message)[..i], &k);
            let [a, b, c, d] = [0, 1, 2, 3].map(|limb| u32::from_le_bytes(words(&u)[limb]));
            lines += &format!("{i}: {a} {b} {c} {d}\n");
        }
    }
    assert_eq!(lines.lines().count(), 2000);
    let found = Sha256::digest(lines.as_bytes()).to_vec();
    assert_eq!(found, hex(&json, "accuracy_full_output_sha256"));
}

/// The iterated test of hash127 0.70: mixes the state, and then hashes its front into it 250 times.
struct Iterated {
    out: Vec<[u8; 4]>,
}

impl Iterated {
    /// One loop. Returns the words of r plus 2^31.
    fn step(&mut self) -> [u64; 4] {
        let (mut x, mut s) = (12345u32, 67890u32);
        for _ in 0..10 {
            s = s.wrapping_add(2_654_435_769);
            for word in &mut self.out {
                x = x.wrapping_add(s).rotate_left(7) ^ u32::from_le_bytes(*word);
                *word = x.to_le_bytes();
            }
        }
        let four = |at: usize| -> [u8; 16] {
            self.out[at..at + 4].as_flattened().try_into().expect("four words")
        };
        let (r, k) = (four(996), four(992));
        let hash = Hash127::new(&r);
        for i in 0..250 {
            let u = hash.hash(&self.out[..i], &k);
            for (word, out) in self.out[4 * i..].iter_mut().zip(out_words(&u)) {
                *word = out.to_le_bytes();
            }
        }
        [0, 1, 2, 3].map(|i| u64::from(u32::from_le_bytes(words(&r)[i]) ^ 1 << 31))
    }
}

/// Compares the checkpoints up to a loop, and returns how many they are.
fn iterated_checkpoints(last_loop: u64) -> usize {
    let (_, json) = read("hash127.json");
    let checkpoints = json["iterated_test_accuracy2"]["checkpoints"].as_array().expect("a list");
    assert_eq!(checkpoints.len(), 22);
    let mut test = Iterated { out: vec![[0; 4]; 1000] };
    let (mut done, mut run) = (0, 0);
    for checkpoint in checkpoints {
        let number = checkpoint[0].as_u64().expect("a number");
        if number > last_loop {
            break;
        }
        let mut limbs = [0; 4];
        while done <= number {
            limbs = test.step();
            done += 1;
        }
        let expected = checkpoint[1].as_array().expect("a list");
        let expected: Vec<u64> =
            expected.iter().map(|limb| limb.as_u64().expect("a limb")).collect();
        assert_eq!(limbs.as_slice(), expected, "loop {number}");
        run += 1;
    }
    run
}

#[test]
fn hash127_iterated_up_to_loop_2_to_10() {
    assert_eq!(iterated_checkpoints(1 << 10), 12);
}

/// The other checkpoints.
#[test]
#[ignore = "a million loops take minutes; run with --release -- --ignored"]
fn hash127_iterated_up_to_loop_2_to_20() {
    assert_eq!(iterated_checkpoints(1 << 20), 22);
}

// Sums.

#[test]
fn sum_macs() {
    let counts = [
        ("PCS-AES128", 7),
        ("XORMAC-AES128 (BGR prefix bits)", 7),
        ("XORMAC-AES128 (seed 003 layout)", 8),
        ("hash127-RC6", 8),
    ];
    for_each_case("sum-macs.json", &counts, |algorithm, case| match algorithm {
        "PCS-AES128" => {
            let (secret, tag) = (hex(case, "key_hex"), hex(case, "tag_hex"));
            check_key::<Pcs<Aes128>, 16>(case, &secret, &tag);
            check_key::<Pcs<Aes128>, 8>(case, &secret, &tag[..8]);
            check_registered(case, algorithm, &secret, None, &tag);
        }
        "XORMAC-AES128 (BGR prefix bits)" => check_xor_mac(case, Layout::Data),
        "XORMAC-AES128 (seed 003 layout)" => check_xor_mac(case, Layout::Value),
        "hash127-RC6" => {
            let (secret, r) = (array(case, "key_hex"), array(case, "r_hex"));
            let (nonce, tag) = (hex(case, "nonce_hex"), hex(case, "tag_hex"));
            let key = hash127::Key::new(&secret, &r);
            let found = key.tag(&Nonce::new(&nonce).expect("16 bytes"), &message_of(case));
            assert_eq!(found.to_bytes().as_slice(), tag, "{}", text(case, "id"));
            check_registered(case, algorithm, &[secret, r].concat(), Some(&nonce), &tag);
        }
        other => panic!("unknown algorithm {other}"),
    });
}

fn check_xor_mac(case: &Value, layout: Layout) {
    let value = Value127::new(array(case, "value127_hex")).expect("127 bits");
    let z = Tag::from(array(case, "tag_hex"));
    let message = message_of(case);
    for (kernel, cpu) in xor_mac::Key::<Aes128, 16>::kernels(Cpu::detect()) {
        let secret = hex(case, "key_hex");
        let key = xor_mac::Key::<Aes128, 16>::from_slice(cpu, layout, &secret).expect("16 bytes");
        assert_eq!(key.tag(&value, &message), z, "{} on {kernel}", text(case, "id"));
        let mut stream = key.stream();
        message.chunks(13).for_each(|piece| stream.update(piece));
        assert_eq!(stream.tag(&value), z, "{} on {kernel}, stream", text(case, "id"));
    }
}

// Partial MAC.

#[test]
fn partial_macs() {
    for_each_case("partial-mac.json", &[("PartialMac-HMAC-SHA1-96", 30)], |_, case| {
        let division = Division::new(number(case, "part_len"), number(case, "region_parts"));
        let (select, mac) = (array(case, "select_key_hex"), array(case, "mac_key_hex"));
        let (nonce, message) = (array(case, "nonce_hex"), message_of(case));
        let tag = Tag::from(array(case, "tag_hex"));
        for cpu in [Cpu::detect(), Cpu::PORTABLE] {
            let key = partial::Key::with_cpu(cpu, division, &select, &mac);
            let expected = case["selected_parts"].as_array().expect("a list");
            let expected = expected.iter().map(|part| part.as_u64().expect("a part") as usize);
            // The file has the first 32 of them.
            let selected = key.selected_parts(&nonce, message.len()).take(32);
            assert!(selected.eq(expected), "{}", text(case, "id"));
            assert_eq!(key.tag(&nonce, &message), tag, "{}", text(case, "id"));
            assert_eq!(key.verify(&nonce, &message, &tag), Ok(()), "{}", text(case, "id"));
        }
    });
}
