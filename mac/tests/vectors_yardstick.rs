//! Every case of the comparators' files in ../vectors: each is run by the typed keys, and by the registry where
//! it has the algorithm and takes the key's length; on every kernel of this machine.
#![cfg(feature = "yardstick")]

use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;
use wegman::cipher::{BlockCipher, Rc6};
use wegman::yardstick::cbc::{Ecbc, Fcbc, FixedLength, Xcbc};
use wegman::yardstick::hmac::{HmacMd5, HmacSha1};
use wegman::yardstick::{Engine, Key};
use wegman::{Aes128, Cpu, Tag};

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
    let nonce = nonce.map(|nonce| wegman::Nonce::new(nonce).expect("a nonce"));
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
