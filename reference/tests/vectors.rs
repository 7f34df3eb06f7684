//! Every case, sweep and intermediate value of ../vectors/{umac-rfc4418,pmac,rc6,carter}.json.

use std::path::Path;

use serde_json::Value;
use sha2::{Digest, Sha256};
use wegman_reference::aes::Aes;
use wegman_reference::carter;
use wegman_reference::pmac::{double, halve, l, l_power, pmac_aes, pmac_rc6};
use wegman_reference::rc6::Rc6;
use wegman_reference::umac_rfc4418::{
    k64, l1_key, l1_outputs, l2_key, l3_hash, l3_key, limit64, mask, pdf, poly, umac,
};
use wegman_reference::wide::Nat;

// Reading the files.

/// A vector file, as text (to count its cases without the parser's help) and parsed.
struct VectorFile {
    text: String,
    json: Value,
}

impl VectorFile {
    fn read(name: &str) -> VectorFile {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../vectors").join(name);
        let text = std::fs::read_to_string(&path)
            .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let json = serde_json::from_str(&text).expect("a vector file is JSON");
        VectorFile { text, json }
    }

    fn list(&self, name: &str) -> &[Value] {
        self.json[name].as_array().unwrap_or_else(|| panic!("the file has no list {name}"))
    }

    /// Runs `check` on every case. The number of runs must be the number of ids in the text, and at
    /// least `known`, the number there was when this test was written.
    fn for_each_case(&self, known: usize, check: impl Fn(&Value)) {
        let mut run = 0;
        for case in self.list("cases") {
            check(case);
            run += 1;
        }
        assert_eq!(run, self.text.matches("\"id\":").count());
        assert!(run >= known, "the file has lost cases: {run} of {known}");
    }

    /// The same for the sweeps.
    fn for_each_sweep(&self, known: usize, check: impl Fn(&Value)) {
        let mut run = 0;
        for sweep in self.list("sweeps") {
            check(sweep);
            run += 1;
        }
        let in_text = self.text.matches("\"sha256_of_concatenated_tags\":");
        assert_eq!(run, in_text.count());
        assert!(run >= known, "the file has lost sweeps: {run} of {known}");
    }
}

fn text<'a>(value: &'a Value, name: &str) -> &'a str {
    value[name].as_str().unwrap_or_else(|| panic!("no text {name} in {value}"))
}

fn number(value: &Value, name: &str) -> u64 {
    value[name].as_u64().unwrap_or_else(|| panic!("no number {name} in {value}"))
}

fn from_hex(hex: &str) -> Vec<u8> {
    assert!(hex.len().is_multiple_of(2), "half a byte in {hex}");
    (0..hex.len())
        .step_by(2)
        .map(|i| u8::from_str_radix(&hex[i..i + 2], 16).expect("hexadecimal digits"))
        .collect()
}

fn hex(value: &Value, name: &str) -> Vec<u8> {
    from_hex(text(value, name))
}

fn block(value: &Value, name: &str) -> [u8; 16] {
    hex(value, name).try_into().expect("16 bytes")
}

// The message rules that these files use; a case with any other rule fails.

fn message_of(case: &Value) -> Vec<u8> {
    match case.get("msg") {
        Some(rule) => expand(rule),
        None => hex(case, "msg_hex"),
    }
}

fn expand(rule: &Value) -> Vec<u8> {
    if rule.get("hex").is_some() {
        return hex(rule, "hex");
    }
    match text(rule, "pattern") {
        "repeat" => hex(rule, "unit_hex").repeat(number(rule, "repeat") as usize),
        "affine" => affine(number(rule, "a"), number(rule, "b"), number(rule, "length")),
        "concat" => {
            rule["parts"].as_array().expect("concat has parts").iter().flat_map(expand).collect()
        }
        other => panic!("unknown message rule {other}"),
    }
}

fn affine(a: u64, b: u64, length: u64) -> Vec<u8> {
    (0..length).map(|i| ((a * i + b) % 256) as u8).collect()
}

/// The hash of the tags of all messages of the one sweep rule that the files use.
fn sweep_hash(sweep: &Value, tag: impl Fn(&[u8]) -> Vec<u8>) -> Vec<u8> {
    assert_eq!(text(sweep, "msg_rule"), "for every length L = 0..4096: affine a=7 b=3 length=L");
    let mut tags = Vec::new();
    for length in 0..=4096 {
        tags.extend(tag(&affine(7, 3, length)));
    }
    Sha256::digest(&tags).to_vec()
}

// UMAC.

fn umac_tag_len(vector: &Value) -> usize {
    match text(vector, "algorithm") {
        "UMAC-32" => 4,
        "UMAC-64" => 8,
        "UMAC-96" => 12,
        "UMAC-128" => 16,
        other => panic!("unknown algorithm {other}"),
    }
}

fn check_umac_case(case: &Value) {
    let message = message_of(case);
    let nonce = hex(case, "nonce_hex");
    let tag = umac(&block(case, "key_hex"), &message, &nonce, umac_tag_len(case));
    assert_eq!(tag, hex(case, "tag_hex"), "{}", text(case, "id"));
}

#[test]
fn umac_cases() {
    VectorFile::read("umac-rfc4418.json").for_each_case(562, check_umac_case);
}

#[test]
fn umac_sweeps() {
    VectorFile::read("umac-rfc4418.json").for_each_sweep(3, |sweep| {
        let key = block(sweep, "key_hex");
        let nonce = hex(sweep, "nonce_hex");
        let tag_len = umac_tag_len(sweep);
        let hash = sweep_hash(sweep, |message| umac(&key, message, &nonce, tag_len));
        assert_eq!(hash, hex(sweep, "sha256_of_concatenated_tags"), "{sweep}");
    });
}

/// The values that RFC 4418 prints for 'a' x 2^25 come out if POLY-64 takes all layer-1 outputs.
/// This is the error that erratum 3507 corrects, and it shows the layers fit together by hand.
#[test]
fn the_misprint_of_rfc_4418_is_poly_64_without_end() {
    let key = b"abcdefghijklmnop";
    let message = vec![b'a'; 1 << 25];
    let outputs = l1_outputs(&l1_key(key, 0), &message);
    let words: Vec<Nat> = outputs.into_iter().map(Nat::from_u64).collect();
    let y = poly(64, &limit64(), &k64(&l2_key(key, 0)), &words);
    let b: [u8; 16] = y.to_be_bytes(16).try_into().expect("16 bytes");
    let hash = l3_hash(&l3_key(key, 0), &mask(key, 0), &b);
    let pad = pdf(key, b"bcdefghi", 4);
    let tag: Vec<u8> = hash.iter().zip(pad).map(|(hash, pad)| hash ^ pad).collect();
    assert_eq!(tag, from_hex("5109A660"));
}

// PMAC.

fn pmac_tag(algorithm: &str, key: &[u8], message: &[u8], tag_len: usize) -> Vec<u8> {
    let (key_len, tag) = match algorithm {
        "PMAC-AES128" => (16, pmac_aes(key, message, tag_len)),
        "PMAC-AES192" => (24, pmac_aes(key, message, tag_len)),
        "PMAC-AES256" => (32, pmac_aes(key, message, tag_len)),
        "PMAC-RC6-128" => (16, pmac_rc6(key, message, tag_len)),
        other => panic!("unknown algorithm {other}"),
    };
    assert_eq!(key.len(), key_len, "{algorithm}");
    tag
}

#[test]
fn pmac_cases() {
    VectorFile::read("pmac.json").for_each_case(295, |case| {
        let algorithm = text(case, "algorithm");
        let expected = hex(case, "tag_hex");
        let key = hex(case, "key_hex");
        let tag = pmac_tag(algorithm, &key, &message_of(case), expected.len());
        assert_eq!(tag, expected, "{}", text(case, "id"));
    });
}

#[test]
fn pmac_sweeps() {
    VectorFile::read("pmac.json").for_each_sweep(2, |sweep| {
        let algorithm = text(sweep, "algorithm");
        let key = hex(sweep, "key_hex");
        let hash = sweep_hash(sweep, |message| pmac_tag(algorithm, &key, message, 16));
        assert_eq!(hash, hex(sweep, "sha256_of_concatenated_tags"), "{sweep}");
    });
}

#[test]
fn pmac_intermediates() {
    let file = VectorFile::read("pmac.json");
    let intermediates = file.list("intermediates");
    assert_eq!(intermediates.len(), file.text.matches("\"L_powers_hex\":").count());
    assert!(!intermediates.is_empty());
    intermediates.iter().for_each(check_pmac_intermediate);
}

fn check_pmac_intermediate(intermediate: &Value) {
    let aes = Aes::new(&hex(intermediate, "key_hex"));
    let l = l(&|block| aes.encrypt(block));
    assert_eq!(l, block(intermediate, "L_hex"));
    assert_eq!(halve(&l), block(intermediate, "L_times_x_inverse_hex"));

    let powers = intermediate["L_powers_hex"].as_array().expect("a list");
    assert!(!powers.is_empty());
    let mut doubled = l;
    for (j, power) in powers.iter().enumerate() {
        let power = from_hex(power.as_str().expect("hex"));
        assert_eq!(l_power(&l, j as u32).as_slice(), power, "L({j})");
        assert_eq!(doubled.as_slice(), power, "L({j})");
        doubled = double(&doubled);
    }
}

// RC6.

/// A case may ask for more than one encryption in a row.
fn check_rc6_case(case: &Value) {
    let key = hex(case, "key_hex");
    let algorithm = format!("RC6-32/20/{}", key.len());
    assert_eq!(text(case, "algorithm"), algorithm);

    let rc6 = Rc6::new(&key);
    let iterations = match case.get("iterations") {
        Some(_) => number(case, "iterations"),
        None => 1,
    };
    let plaintext = block(case, "plaintext_hex");
    let ciphertext = block(case, "ciphertext_hex");
    let encrypted = (0..iterations).fold(plaintext, |block, _| rc6.encrypt(&block));
    let decrypted = (0..iterations).fold(ciphertext, |block, _| rc6.decrypt(&block));
    assert_eq!(encrypted, ciphertext, "{}", text(case, "id"));
    assert_eq!(decrypted, plaintext, "{}", text(case, "id"));
}

#[test]
fn rc6_cases() {
    VectorFile::read("rc6.json").for_each_case(47, check_rc6_case);
}

// Carter.

fn check_carter_case(case: &Value) {
    let expected = hex(case, "tag_hex");
    let tag_bytes = match text(case, "algorithm") {
        "Carter-128" => 16,
        "Carter-96" => 12,
        "Carter-64" => 8,
        other => panic!("unknown algorithm {other}"),
    };
    assert_eq!(expected.len(), tag_bytes, "{}", text(case, "id"));
    let (key, nonce) = (hex(case, "key_hex"), hex(case, "nonce_hex"));
    let tag = carter::tag(&key, tag_bytes, &nonce, &message_of(case));
    assert_eq!(tag, expected, "{}", text(case, "id"));
}

#[test]
fn carter_cases() {
    VectorFile::read("carter.json").for_each_case(163, check_carter_case);
}
