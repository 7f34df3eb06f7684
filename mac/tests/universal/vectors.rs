//! Every case of vectors/universal-hashes.json.

use super::{nh, nht, nht2};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;
use wegman::Bits;
use wegman::universal::{
    Bucket, Crc, LfsrToeplitz, Mh, Mmh16, Mmh32, MmhStar, Nmh32, NmhStar, Polynomial, Prime, Sign,
    Sqh, Tmmh16,
};

/// The algorithms' names without their parameters, and how many cases each has.
const COUNTS: [(&str, usize); 25] = [
    ("BUCKET", 2),
    ("CRC-HASH-128", 4),
    ("CRC-HASH-32", 4),
    ("CRC-HASH-64", 4),
    ("CRC-HASH-8", 4),
    ("LFSR-TOEPLITZ-128", 4),
    ("LFSR-TOEPLITZ-32", 4),
    ("LFSR-TOEPLITZ-64", 4),
    ("LFSR-TOEPLITZ-8", 4),
    ("MH16", 4),
    ("MH32", 4),
    ("MMH*(2^32+15)", 4),
    ("MMH16(65537)", 4),
    ("MMH32", 5),
    ("NH", 12),
    ("NHS", 12),
    ("NHST", 24),
    ("NHST2", 8),
    ("NHT", 24),
    ("NHT2", 8),
    ("NMH*(2^32+15)", 4),
    ("NMH32", 5),
    ("SQH(2^32+15)", 4),
    ("SQH(2^61-1)", 4),
    ("TMMH/16", 3),
];

#[test]
fn every_case_of_the_file() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../vectors/universal-hashes.json");
    let text = std::fs::read_to_string(path).unwrap();
    let json: Value = serde_json::from_str(&text).unwrap();
    let mut run = BTreeMap::new();
    for case in json["cases"].as_array().unwrap() {
        let (name, parameters) = parameters(case["algorithm"].as_str().unwrap());
        assert_eq!(hash(name, &parameters, case), hex(case, "out_hex"), "{case}");
        *run.entry(name).or_insert(0) += 1;
    }
    assert_eq!(run, BTreeMap::from(COUNTS));
    assert_eq!(run.values().sum::<usize>(), text.matches("\"id\":").count());
}

/// Splits `NAME[1,2,3]`.
fn parameters(algorithm: &str) -> (&str, Vec<usize>) {
    let Some((name, list)) = algorithm.split_once('[') else { return (algorithm, Vec::new()) };
    let list = list.strip_suffix(']').unwrap().split(',');
    (name, list.map(|number| number.parse().unwrap()).collect())
}

fn hex(value: &Value, name: &str) -> Vec<u8> {
    let hex = value[name].as_str().unwrap();
    assert!(hex.len().is_multiple_of(2));
    let byte = |i| u8::from_str_radix(&hex[i..i + 2], 16).unwrap();
    (0..hex.len()).step_by(2).map(byte).collect()
}

/// The rules that this file uses; a case with any other fails.
fn message_of(case: &Value) -> Vec<u8> {
    let Some(rule) = case.get("msg") else { return hex(case, "msg_hex") };
    let value = |name: &str| rule[name].as_u64().unwrap();
    let by =
        |byte: &dyn Fn(u64) -> u64| (0..value("length")).map(|i| (byte(i) % 256) as u8).collect();
    match rule["pattern"].as_str().unwrap() {
        "repeat" => hex(rule, "unit_hex").repeat(value("repeat") as usize),
        "affine" => by(&|i| value("a") * i + value("b")),
        "quad" => by(&|i| (value("a") * i * i + value("b") * i + value("c")) / 4),
        other => panic!("unknown message rule {other}"),
    }
}

/// Little-endian words of w bits.
fn words(w: u32, bytes: &[u8]) -> Vec<u64> {
    let size = w as usize / 8;
    assert!(bytes.len().is_multiple_of(size));
    let word = |bytes: &[u8]| bytes.iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte));
    bytes.chunks(size).map(word).collect()
}

fn narrow<W: TryFrom<u64, Error: std::fmt::Debug>>(words: &[u64]) -> Vec<W> {
    words.iter().map(|&word| W::try_from(word).unwrap()).collect()
}

/// The last bytes, big-endian.
fn bytes(hash: impl Into<u128>, length: usize) -> Vec<u8> {
    hash.into().to_be_bytes()[16 - length..].to_vec()
}

fn hash(name: &str, parameters: &[usize], case: &Value) -> Vec<u8> {
    let message = message_of(case);
    let key = |w| words(w, &hex(case, "key_hex"));
    let m = |w| words(w, &message);
    match name {
        "MH16" => bytes(Mh::new(16, &key(16)).unwrap().hash(&m(16)).unwrap(), 4),
        "MH32" => bytes(Mh::new(32, &key(32)).unwrap().hash(&m(32)).unwrap(), 8),
        "MMH*(2^32+15)" => {
            bytes(MmhStar::new(Prime::P32, &key(32)).unwrap().hash(&m(32)).unwrap(), 5)
        }
        "NMH*(2^32+15)" => {
            bytes(NmhStar::new(Prime::P32, &key(32)).unwrap().hash(&m(32)).unwrap(), 5)
        }
        "SQH(2^32+15)" => bytes(Sqh::new(Prime::P32, &key(32)).unwrap().hash(&m(32)).unwrap(), 5),
        "SQH(2^61-1)" => bytes(Sqh::new(Prime::P61, &key(32)).unwrap().hash(&m(32)).unwrap(), 8),
        "MMH32" => bytes(Mmh32::new(&narrow(&key(32))).hash(&narrow(&m(32))).unwrap(), 4),
        "NMH32" => bytes(Nmh32::new(&narrow(&key(32))).hash(&narrow(&m(32))).unwrap(), 4),
        "MMH16(65537)" => bytes(Mmh16::new(&narrow(&key(16))).hash(&narrow(&m(16))).unwrap(), 2),
        "TMMH/16" => {
            assert_eq!(case["word_order"], "big-endian words");
            let mut out = vec![0; case["tag_len"].as_u64().unwrap() as usize];
            Tmmh16::new(&hex(case, "key_hex")).unwrap().hash(&message, &mut out).unwrap();
            out
        }
        "BUCKET" => bucket(parameters, case, &message),
        _ if name.starts_with("NH") => nh_family(name, parameters, case, &message),
        _ => {
            let (family, n) = name.rsplit_once('-').unwrap();
            let n: usize = n.parse().unwrap();
            let digits = case["poly_hex"].as_str().unwrap();
            // The leading coefficient has a digit of its own.
            assert_eq!((&digits[..1], digits.len()), ("1", 1 + n / 4));
            let low = u128::from_str_radix(&digits[1..], 16).unwrap();
            let p = Polynomial::new(n as u32, low).unwrap();
            let message = Bits::from(&message[..]);
            let state = || u128::from_str_radix(case["state_hex"].as_str().unwrap(), 16).unwrap();
            let hash = match family {
                "CRC-HASH" => Crc::new(p).hash(message),
                "LFSR-TOEPLITZ" => LfsrToeplitz::new(p, state()).unwrap().hash(message),
                other => panic!("unknown algorithm {other}"),
            };
            bytes(hash, n / 8)
        }
    }
}

fn nh_family(name: &str, parameters: &[usize], case: &Value, message: &[u8]) -> Vec<u8> {
    let sign = if name.starts_with("NHS") { Sign::Signed } else { Sign::Unsigned };
    if let Some(written) = case.get("sign") {
        assert_eq!(written, if sign == Sign::Signed { "signed" } else { "unsigned" });
    }
    let n = parameters[0];
    let w = parameters[if name.ends_with('2') { 2 } else { 1 }] as u32;
    let (key, m) = (words(w, &hex(case, "key_hex")), words(w, message));
    let hashes = match (name, parameters) {
        ("NH" | "NHS", _) => vec![nh(sign, w, &key[..n], &m)],
        ("NHT" | "NHST", [_, _, 2]) => nht::<2>(sign, w, &key[..n + 2], &m).to_vec(),
        ("NHT" | "NHST", [_, _, 4]) => nht::<4>(sign, w, &key[..n + 6], &m).to_vec(),
        ("NHT2" | "NHST2", [_, blocks, _]) => {
            let l = words(w, &hex(case, "key2_hex"));
            assert_eq!((key.len(), l.len()), (n + 2, 2 * blocks + 2));
            nht2(sign, w, &key, &l, &m).to_vec()
        }
        other => panic!("unknown algorithm {other:?}"),
    };
    hashes.into_iter().flat_map(|hash| bytes(hash, w as usize / 4)).collect()
}

fn bucket(parameters: &[usize], case: &Value, message: &[u8]) -> Vec<u8> {
    assert_eq!(case["word_order"], "big-endian message words, big-endian output words");
    let &[32, n, buckets] = parameters else { panic!("words of 32 bits") };
    let set = |set: &Value| {
        assert_eq!(set.as_array().unwrap().len(), 3);
        [0, 1, 2].map(|i| set[i].as_u64().unwrap() as u16)
    };
    let key: Vec<[u16; 3]> = case["triples"].as_array().unwrap().iter().map(set).collect();
    assert_eq!(key.len(), n);
    let word = |bytes: &[u8]| u64::from(u32::from_be_bytes(bytes.try_into().unwrap()));
    let words: Vec<u64> = message.chunks(4).map(word).collect();
    let mut out = vec![0; buckets];
    Bucket::new(buckets as u16, &key).unwrap().hash(&words, &mut out).unwrap();
    out.into_iter().flat_map(|word| bytes(word, 4)).collect()
}
