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
use wegman_reference::names;
use wegman_reference::pmac::{double, halve, l, l_power};
use wegman_reference::umac_rfc4418::{
    k64, l1_key, l1_outputs, l2_key, l3_hash, l3_key, limit, mask, pdf, poly,
};
use wegman_reference::wide::Nat;

/// Where the name says all of the algorithm: cases, and sweeps over all lengths.
#[test]
fn answers_by_name() {
    let definition = |vector: &Value| {
        let name = text(vector, "algorithm");
        let definition = names::find(name, &hex(vector, "key_hex")).expect(name);
        let nonce = vector.get("nonce_hex").map_or(Vec::new(), |_| hex(vector, "nonce_hex"));
        move |message: &[u8]| definition(&nonce, message)
    };
    for name in ["umac-rfc4418.json", "pmac.json", "carter.json"] {
        let file = VectorFile::read(name);
        file.for_each_case(|case| {
            let (tag, expected) = (definition(case)(&message_of(case)), hex(case, "tag_hex"));
            assert_eq!(tag[..expected.len()], expected, "{}", text(case, "id"));
        });
        if name != "carter.json" {
            file.for_each_sweep(|sweep| {
                let hash = sweep_hash(sweep, definition(sweep));
                assert_eq!(hash, hex(sweep, "sha256_of_concatenated_tags"), "{sweep}");
            });
        }
    }
}

/// The values that RFC 4418 prints for 'a' x 2^25 come out if POLY-64 takes all level-1 outputs.
/// This is the error that erratum 3507 corrects, and it shows the layers fit together by hand.
#[test]
fn the_misprint_of_rfc_4418_is_poly_64_without_end() {
    let key = b"abcdefghijklmnop";
    let message = vec![b'a'; 1 << 25];
    let outputs = l1_outputs(&l1_key(key, 0), &message);
    let words: Vec<Nat> = outputs.into_iter().map(Nat::from_u64).collect();
    let y = poly(64, &limit(64), &k64(&l2_key(key, 0)), &words);
    let b: [u8; 16] = y.to_be_bytes(16).try_into().expect("16 bytes");
    let hash = l3_hash(&l3_key(key, 0), &mask(key, 0), &b);
    let pad = pdf(key, b"bcdefghi", 4);
    let tag: Vec<u8> = hash.iter().zip(pad).map(|(hash, pad)| hash ^ pad).collect();
    assert_eq!(tag, from_hex("5109A660"));
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
