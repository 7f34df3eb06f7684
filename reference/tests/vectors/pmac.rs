//! Every answer of vectors/pmac-ours.json: PMAC in bits, in blocks of 64 bits, and what else its paper has.

use super::files::{VectorFile, from_hex, hex, message_of, number, text};
use des::TdesEde3;
use des::cipher::{BlockCipherEncrypt, KeyInit};
use serde_json::Value;
use sha2::{Digest, Sha256};
use wegman_reference::aes::Aes;
use wegman_reference::pmac::bits::{bits_of, bytes_of, double, halve, l, pmac_bytes};
use wegman_reference::rc6::Rc6;

type Cipher = Box<dyn Fn(&[u8]) -> Vec<u8>>;

/// A block cipher, and the bits of its block.
fn cipher(vector: &Value) -> (Cipher, usize) {
    let key = hex(vector, "key_hex");
    match text(vector, "algorithm") {
        "PMAC-DES-EDE3" => {
            let des = TdesEde3::new_from_slice(&key).expect("24 bytes");
            let e = move |block: &[u8]| {
                let mut block = block.try_into().expect("8 bytes");
                des.encrypt_block(&mut block);
                block.to_vec()
            };
            (Box::new(e), 64)
        }
        "PMAC-RC6-128" => {
            let rc6 = Rc6::new(&key);
            (Box::new(move |block| rc6.encrypt(block.try_into().expect("16 bytes")).to_vec()), 128)
        }
        _ => (aes(&key), 128),
    }
}

fn aes(key: &[u8]) -> Cipher {
    let aes = Aes::new(key);
    Box::new(move |block| aes.encrypt(block.try_into().expect("16 bytes")).to_vec())
}

fn number_or(vector: &Value, name: &str, default: usize) -> usize {
    if vector[name].is_null() { default } else { number(vector, name) }
}

#[test]
fn pmac_in_bits() {
    let file = VectorFile::read("pmac-ours.json");
    for case in file.list("cases") {
        let ((e, n), message) = (cipher(case), message_of(case));
        let bits = number_or(case, "bits", 8 * message.len());
        let tag = pmac_bytes(&e, n, &message, bits, number_or(case, "tag_bits", n));
        assert_eq!(tag, hex(case, "tag_hex"), "{}", text(case, "id"));
    }
    file.for_each_sweep(|sweep| {
        let rule = text(sweep, "msg_rule");
        let (most, same) = rule
            .strip_prefix("for every bit count N = 0..")
            .and_then(|rule| rule.split_once(": the first N bits of affine a=7 b=3 "))
            .unwrap_or_else(|| panic!("unknown sweep rule {rule}"));
        assert_eq!(same, "length=ceil(N/8)");
        let (e, n) = cipher(sweep);
        let mut hash = Sha256::new();
        for bits in 0..=most.parse().expect("a number") {
            let message: Vec<u8> =
                (0..usize::div_ceil(bits, 8)).map(|i| (7 * i + 3) as u8).collect();
            hash.update(pmac_bytes(&e, n, &message, bits, n));
        }
        assert_eq!(hash.finalize()[..], hex(sweep, "sha256_of_concatenated_tags"), "{sweep}");
    });
    for intermediate in file.list("intermediates") {
        let (e, n) = cipher(intermediate);
        let mut power = l(&e, n);
        assert_eq!(bytes_of(&power), hex(intermediate, "L_hex"));
        assert_eq!(bytes_of(&halve(&power)), hex(intermediate, "L_times_x_inverse_hex"));
        for expected in intermediate["L_powers_hex"].as_array().expect("a list") {
            assert_eq!(bytes_of(&power), from_hex(expected.as_str().expect("hex")));
            power = double(&power);
        }
    }
}

/// Section 4: the tag, and what follows the first block xored with E(tag), E(tag + 1), ...
#[test]
fn pmacs_cipher_that_keeps_the_length() {
    let file = VectorFile::read("pmac-ours.json");
    for case in file.list("length_preserving") {
        let ([e1, e2], message) =
            (["key1_hex", "key2_hex"].map(|key| aes(&hex(case, key))), message_of(case));
        let bits = number_or(case, "bits", 8 * message.len());
        let tag = pmac_bytes(&e1, 128, &message, bits, 128);
        let first = u128::from_be_bytes(tag[..].try_into().expect("16 bytes"));
        let block = |i: usize| e2(&first.wrapping_add(i as u128).to_be_bytes());
        let stream: Vec<u8> = (0..message.len() / 16).flat_map(block).collect();
        let stream = bits_of(&stream, 8 * stream.len());
        let rest = bits_of(&message, bits).split_off(128).into_iter().zip(stream);
        let rest = bytes_of(&rest.map(|(bit, of_stream)| bit ^ of_stream).collect::<Vec<bool>>());
        assert_eq!([tag, rest].concat(), hex(case, "cipher_hex"), "{}", text(case, "id"));
    }
}

/// A lost block is the one with which the message has its tag.
#[test]
fn messages_with_a_lost_block() {
    for case in VectorFile::read("pmac-ours.json").list("recover") {
        let ((e, n), message) = (cipher(case), message_of(case));
        let tag = pmac_bytes(&e, n, &message, 8 * message.len(), n);
        assert_eq!(tag, hex(case, "tag_hex"), "{}", text(case, "id"));
        assert!(message.len() >= n / 8 * number(case, "block"), "{}", text(case, "id"));
    }
}
