//! Every case, sweep and intermediate value of the files in vectors.

#[path = "vectors/files.rs"]
mod files;
#[path = "vectors/pmac.rs"]
mod pmac;
#[path = "vectors/umac.rs"]
mod umac;
#[path = "vectors/yardstick.rs"]
mod yardstick;

use files::{VectorFile, array, from_hex, hex, message_of, sweep_hash, text};
use serde_json::Value;
use wegman_reference::aes::Aes;
use wegman_reference::carter;
use wegman_reference::pmac::{double, halve, l, l_power, pmac_aes, pmac_rc6};
use wegman_reference::umac_rfc4418::{
    k64, l1_key, l1_outputs, l2_key, l3_hash, l3_key, limit64, mask, pdf, poly, umac,
};
use wegman_reference::wide::Nat;

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
    let tag = umac(&array(case, "key_hex"), &message, &nonce, umac_tag_len(case));
    assert_eq!(tag, hex(case, "tag_hex"), "{}", text(case, "id"));
}

#[test]
fn umac_cases() {
    VectorFile::read("umac-rfc4418.json").for_each_case(check_umac_case);
}

#[test]
fn umac_sweeps() {
    VectorFile::read("umac-rfc4418.json").for_each_sweep(|sweep| {
        let key = array(sweep, "key_hex");
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
    VectorFile::read("pmac.json").for_each_case(|case| {
        let algorithm = text(case, "algorithm");
        let expected = hex(case, "tag_hex");
        let key = hex(case, "key_hex");
        let tag = pmac_tag(algorithm, &key, &message_of(case), expected.len());
        assert_eq!(tag, expected, "{}", text(case, "id"));
    });
}

#[test]
fn pmac_sweeps() {
    VectorFile::read("pmac.json").for_each_sweep(|sweep| {
        let algorithm = text(sweep, "algorithm");
        let key = hex(sweep, "key_hex");
        let hash = sweep_hash(sweep, |message| pmac_tag(algorithm, &key, message, 16));
        assert_eq!(hash, hex(sweep, "sha256_of_concatenated_tags"), "{sweep}");
    });
}

#[test]
fn pmac_intermediates() {
    let file = VectorFile::read("pmac.json");
    file.for_each("intermediates", "L_powers_hex", check_pmac_intermediate);
}

fn check_pmac_intermediate(intermediate: &Value) {
    let aes = Aes::new(&hex(intermediate, "key_hex"));
    let l = l(&|block| aes.encrypt(block));
    assert_eq!(l, array(intermediate, "L_hex"));
    assert_eq!(halve(&l), array(intermediate, "L_times_x_inverse_hex"));

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
    VectorFile::read("carter.json").for_each_case(check_carter_case);
}
