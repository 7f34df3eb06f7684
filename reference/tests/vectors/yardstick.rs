//! Every case and test of universal-hashes.json, cbc-mac-variants.json, rc6.json, hash127.json,
//! hmac96.json and sum-macs.json in vectors: the MACs and hashes that UMAC and
//! PMAC are measured against.

use super::files::{VectorFile, array, from_hex, hex, message_of, number, text};
use serde_json::Value;
use sha2::{Digest, Sha256};
use wegman_reference::aes::Aes;
use wegman_reference::cbc_mac::{rfc3566_keys, xcbc};
use wegman_reference::hash127::{four_words, hash127, limbs, out_words, words};
use wegman_reference::names;
use wegman_reference::pmac::bits::{bits_of, bytes_of};
use wegman_reference::rc6::Rc6;
use wegman_reference::universal::linear::{
    bucket, crc, degree, is_irreducible, lfsr_toeplitz, polynomial,
};
use wegman_reference::universal::products::{
    P16, P32, mh, mmh_star, mmh16, mmh32, nmh_star, nmh32, sqh, tmmh16,
};
use wegman_reference::universal::{self, Sign, nh, nht, nht2, string};

// Reading the files.

/// Runs `check` on every case, with the algorithm's name.
fn for_each_case(name: &str, check: impl Fn(&str, &Value)) {
    let check = |case: &Value| check(parameters(text(case, "algorithm")).0, case);
    VectorFile::read(name).for_each_case(check);
}

/// Splits `NAME[1,2,3]`.
fn parameters(algorithm: &str) -> (&str, Vec<usize>) {
    match algorithm.split_once('[') {
        None => (algorithm, Vec::new()),
        Some((name, list)) => {
            let list = list.strip_suffix(']').expect("a closing bracket");
            (name, list.split(',').map(|number| number.parse().expect("a number")).collect())
        }
    }
}

fn check_out(case: &Value, name: &str, found: &[u8]) {
    assert_eq!(found, hex(case, name), "{}", text(case, "id"));
}

// Universal hashes.

#[test]
fn universal_hashes() {
    for_each_case("universal-hashes.json", |algorithm, case| {
        check_out(case, "out_hex", &universal_hash(algorithm, case));
    });
}

fn universal_hash(algorithm: &str, case: &Value) -> Vec<u8> {
    let message = message_of(case);
    let key = |w: u32| universal::words(w, &hex(case, "key_hex"));
    let m = |w: u32| universal::words(w, &message);
    let as_bytes = |hash: u128, length: usize| hash.to_be_bytes()[16 - length..].to_vec();
    match algorithm {
        "NH" | "NHS" | "NHT" | "NHST" | "NHT2" | "NHST2" => nh_family(algorithm, case),
        "MH16" => as_bytes(mh(16, &key(16), &m(16)), 4),
        "MH32" => as_bytes(mh(32, &key(32), &m(32)), 8),
        "MMH*(2^32+15)" => as_bytes(mmh_star(P32, &key(32), &m(32)), 5),
        "MMH32" => mmh32(&key(32), &m(32)).to_be_bytes().to_vec(),
        "MMH16(65537)" => {
            assert_eq!(P16, 65537);
            mmh16(&key(16), &m(16)).to_be_bytes().to_vec()
        }
        "TMMH/16" => {
            assert_eq!(text(case, "word_order"), "big-endian words");
            tmmh16(&hex(case, "key_hex"), &message, number(case, "tag_len") / 2)
        }
        "NMH*(2^32+15)" => as_bytes(nmh_star(P32, &key(32), &m(32)), 5),
        "NMH32" => nmh32(&key(32), &m(32)).to_be_bytes().to_vec(),
        "SQH(2^32+15)" => as_bytes(sqh(P32, &key(32), &m(32)), 5),
        "SQH(2^61-1)" => as_bytes(sqh((1 << 61) - 1, &key(32), &m(32)), 8),
        "BUCKET" => bucket_hash(case),
        _ => {
            let (name, n) = algorithm.rsplit_once('-').expect("a degree");
            let p = polynomial_of(case);
            assert_eq!(degree(&p), n.parse::<usize>().expect("a degree"));
            assert!(is_irreducible(&p), "{}", text(case, "poly"));
            let m = bits_of(&message, 8 * message.len());
            let state = || bits_of(&hex(case, "state_hex"), degree(&p));
            bytes_of(&match name {
                "CRC-HASH" => crc(&p, &m),
                "LFSR-TOEPLITZ" => lfsr_toeplitz(&p, &state(), &m),
                other => panic!("unknown algorithm {other}"),
            })
        }
    }
}

fn nh_family(algorithm: &str, case: &Value) -> Vec<u8> {
    let (_, parameters) = parameters(text(case, "algorithm"));
    let sign = if algorithm.contains('S') { Sign::Signed } else { Sign::Unsigned };
    if let Some(name) = case.get("sign") {
        assert_eq!(name, if sign == Sign::Signed { "signed" } else { "unsigned" });
    }
    let w = if algorithm.ends_with('2') { parameters[2] } else { parameters[1] } as u32;
    let n = parameters[0];
    let message = universal::words(w, &message_of(case));
    let key = universal::words(w, &hex(case, "key_hex"));
    let hashes = match (algorithm, &parameters[..]) {
        ("NH" | "NHS", [_, _]) => vec![nh(sign, w, &key[..n], &message)],
        ("NHT" | "NHST", &[_, _, t]) => nht(sign, w, t, &key[..n + 2 * (t - 1)], &message),
        ("NHT2" | "NHST2", &[_, m, _]) => {
            let l = universal::words(w, &hex(case, "key2_hex"));
            assert_eq!(l.len(), 2 * m + 2);
            nht2(sign, w, n, &key, &l, &message).to_vec()
        }
        other => panic!("unknown algorithm {other:?}"),
    };
    string(w, &hashes)
}

fn bucket_hash(case: &Value) -> Vec<u8> {
    assert_eq!(text(case, "word_order"), "big-endian message words, big-endian output words");
    let (_, parameters) = parameters(text(case, "algorithm"));
    let bytes = parameters[0] / 8;
    let number = |value: &Value| value.as_u64().expect("a number") as usize;
    let triples = case["triples"].as_array().expect("a list");
    let key: Vec<[usize; 3]> = triples
        .iter()
        .map(|triple| {
            assert_eq!(triple.as_array().expect("a list").len(), 3);
            [0, 1, 2].map(|i| number(&triple[i]))
        })
        .collect();
    assert_eq!(key.len(), parameters[1]);

    let message = message_of(case);
    let words =
        message.chunks(bytes).map(|word| word.iter().fold(0, |x, &b| x << 8 | u64::from(b)));
    let buckets = bucket(parameters[2], &key, &words.collect::<Vec<u64>>());
    buckets.iter().flat_map(|word| word.to_be_bytes()[8 - bytes..].to_vec()).collect()
}

/// The polynomial is there twice, as an odd number of digits and as text.
fn polynomial_of(case: &Value) -> Vec<bool> {
    let p = polynomial(&from_hex(&format!("0{}", text(case, "poly_hex"))));
    let mut in_text = vec![false; p.len()];
    for term in text(case, "poly").split('+') {
        let exponent = match term {
            "1" => 0,
            "x" => 1,
            _ => term.strip_prefix("x^").expect("a power").parse().expect("an exponent"),
        };
        in_text[exponent] = true;
    }
    assert_eq!(p, in_text);
    p
}

// CBC-MAC and its variants.

#[test]
fn cbc_mac_variants() {
    for_each_case("cbc-mac-variants.json", |algorithm, case| {
        check_out(case, "tag_hex", &cbc_variant(algorithm, case));
    });
}

fn cbc_variant(algorithm: &str, case: &Value) -> Vec<u8> {
    let keys = ["k1_hex", "k2_hex", "k3_hex"].map(|name| case.get(name).map(|_| hex(case, name)));
    let key = keys.into_iter().flatten().collect::<Vec<_>>().concat();
    let tag = |name: &str, key: &[u8]| names::find(name, key).expect(name)(&[], &message_of(case));
    if algorithm != "XCBC-AES128" {
        return tag(algorithm, &key);
    }
    // By that name the three keys are RFC 3566's, of one.
    let aes = |key: &[u8]| {
        let aes = Aes::new(key);
        move |block: &[u8; 16]| aes.encrypt(block)
    };
    if case.get("rfc3566_key_hex").is_some() {
        let one = hex(case, "rfc3566_key_hex");
        assert_eq!(rfc3566_keys(&aes(&one)).concat(), key);
        check_out(case, "tag_hex", &tag(algorithm, &one));
    }
    xcbc(&aes(&key[..16]), &array(case, "k2_hex"), &array(case, "k3_hex"), &message_of(case)).into()
}

// RC6.

#[test]
fn rc6() {
    for_each_case("rc6.json", |algorithm, case| {
        let key = hex(case, "key_hex");
        assert_eq!(algorithm, format!("RC6-32/20/{}", key.len()));
        let rc6 = Rc6::new(&key);
        let iterations =
            if case.get("iterations").is_some() { number(case, "iterations") } else { 1 };
        let (plain, cipher): (_, [u8; 16]) =
            (array(case, "plaintext_hex"), array(case, "ciphertext_hex"));
        let encrypted = (0..iterations).fold(plain, |block, _| rc6.encrypt(&block));
        assert_eq!(encrypted, cipher, "{}", text(case, "id"));
    });
}

// hash127.

#[test]
fn hash127_cases() {
    for_each_case("hash127.json", |_, case| {
        let r = four_words(&array(case, "r_hex"));
        let k = four_words(&array(case, "k_hex"));
        let u = hash127(&r, &words(&message_of(case)), &k);
        check_out(case, "u_hex_le", &u.to_le_bytes());
        let signed = case["out_words_signed"].as_array().expect("a list");
        let signed: Vec<i64> = signed.iter().map(|word| word.as_i64().expect("a word")).collect();
        assert_eq!(out_words(u).map(i64::from).as_slice(), signed, "{}", text(case, "id"));
    });
}

/// All 2000 lines of the accuracy test of hash127 0.70.
#[test]
fn hash127_accuracy() {
    let json = VectorFile::read("hash127.json").json;
    let case = &json["cases"][0];
    assert_eq!(text(case, "origin"), "official");
    let r = four_words(&array(case, "r_hex"));
    let k = four_words(&array(case, "k_hex"));

    let smallest = vec![i32::MIN; 1000];
    let counting = words(&(0..4000).map(|i| i as u8).collect::<Vec<u8>>());
    let mut lines = String::new();
    for message in [smallest, counting] {
        for i in 0..1000 {
            let [a, b, c, d] = limbs(hash127(&r, &message[..i], &k));
            lines += &format!("{i}: {a} {b} {c} {d}\n");
        }
    }
    assert_eq!(lines.lines().count(), 2000);
    let hash = Sha256::digest(lines.as_bytes()).to_vec();
    assert_eq!(hash, hex(&json, "accuracy_full_output_sha256"));
}

/// The state of the iterated test of hash127 0.70: 1000 words, zero at the beginning.
struct IteratedTest {
    out: [i32; 1000],
}

impl IteratedTest {
    fn mix(&mut self) {
        let mut x: u32 = 12345;
        let mut s: u32 = 67890;
        for _ in 0..10 {
            s = s.wrapping_add(2_654_435_769);
            for word in &mut self.out {
                x = x.wrapping_add(s).rotate_left(7);
                x ^= word.cast_unsigned();
                *word = x.cast_signed();
            }
        }
    }

    fn four(&self, start: usize) -> [i32; 4] {
        std::array::from_fn(|i| self.out[start + i])
    }

    /// One loop: mix, take r and k from the end, and hash the first i words into the i-th group of
    /// four, for i = 0..249. Returns the words of r plus 2^31, which the test prints for loop 0 and
    /// after every power of two.
    fn step(&mut self) -> [u32; 4] {
        self.mix();
        let r = self.four(996);
        let k = self.four(992);
        for i in 0..250 {
            let u = hash127(&r, &self.out[..i], &k);
            self.out[4 * i..4 * i + 4].copy_from_slice(&out_words(u));
        }
        r.map(|word| (i64::from(word) + (1 << 31)) as u32)
    }
}

/// Compares the checkpoints up to a loop, and returns how many they are.
fn iterated_checkpoints(last_loop: u64) -> usize {
    let json = VectorFile::read("hash127.json").json;
    let checkpoints = json["iterated_test_accuracy2"]["checkpoints"].as_array().expect("a list");
    assert_eq!(checkpoints.len(), 22);

    let mut test = IteratedTest { out: [0; 1000] };
    let mut step = 0;
    let mut run = 0;
    for (position, checkpoint) in checkpoints.iter().enumerate() {
        // 0, 1, 2, 4, 8, ...
        let number = if position == 0 { 0 } else { 1 << (position - 1) };
        assert_eq!(checkpoint[0].as_u64(), Some(number));
        if number > last_loop {
            break;
        }
        let limbs = loop {
            let limbs = test.step();
            step += 1;
            if step == number + 1 {
                break limbs;
            }
        };
        let expected = checkpoint[1].as_array().expect("a list");
        let expected: Vec<u64> =
            expected.iter().map(|limb| limb.as_u64().expect("a limb")).collect();
        assert_eq!(limbs.map(u64::from).as_slice(), expected, "loop {number}");
        run += 1;
    }
    run
}

#[test]
fn hash127_iterated_up_to_loop_2_to_10() {
    assert_eq!(iterated_checkpoints(1 << 10), 12);
}

/// The other checkpoints. Takes minutes.
#[test]
#[ignore = "a million loops take minutes; run with --release -- --ignored"]
fn hash127_iterated_up_to_loop_2_to_20() {
    assert_eq!(iterated_checkpoints(1 << 20), 22);
}

// HMAC.

#[test]
fn hmac96() {
    for_each_case("hmac96.json", |algorithm, case| {
        let mac = names::find(algorithm, &hex(case, "key_hex")).expect(algorithm);
        let mac = mac(&[], &message_of(case));
        check_out(case, "full_mac_hex", &mac);
        check_out(case, "tag_hex", &mac[..12]);
    });
}

// Sums.

/// Also of any other MAC of the catalogue whose answers are added there.
#[test]
fn sum_macs() {
    for_each_case("sum-macs.json", |algorithm, case| {
        let name = match algorithm {
            "XORMAC-AES128 (BGR prefix bits)" => "XORMAC-AES128-BGR",
            "XORMAC-AES128 (seed 003 layout)" => "XORMAC-AES128-BR",
            name => name,
        };
        let field = |name: &str| case.get(name).map_or(Vec::new(), |_| hex(case, name));
        let key = [field("key_hex"), field("r_hex")].concat();
        let nonce = [field("nonce_hex"), field("value127_hex")].concat();
        let tag = names::find(name, &key).expect(name)(&nonce, &message_of(case));
        check_out(case, "tag_hex", &tag);
    });
}
