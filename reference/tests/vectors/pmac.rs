//! Every answer of vectors/pmac-ours.json: PMAC in bits, in blocks of 64 bits, and what else its paper has.

use super::files::{VectorFile, from_hex, hex, message_of, number, text};
use des::TdesEde3;
use des::cipher::{BlockCipherDecrypt, BlockCipherEncrypt, KeyInit};
use serde_json::Value;
use sha2::{Digest, Sha256};
use wegman_reference::aes::Aes;
use wegman_reference::pmac::bits::{
    bits_of, bytes_of, decipher_aes, double, encipher_aes, halve, l, pmac_bytes, recover,
};
use wegman_reference::rc6::Rc6;

type Direction = Box<dyn Fn(&[u8]) -> Vec<u8>>;

/// A block cipher, its inverse, and the bits of its block.
fn cipher(vector: &Value) -> (Direction, Direction, usize) {
    type Run<C> = fn(&C, &[u8]) -> Vec<u8>;
    fn both<C: Clone + 'static>(cipher: C, [e, d]: [Run<C>; 2]) -> (Direction, Direction) {
        let inverse = cipher.clone();
        (Box::new(move |block| e(&cipher, block)), Box::new(move |block| d(&inverse, block)))
    }
    let key = hex(vector, "key_hex");
    match text(vector, "algorithm") {
        "PMAC-DES-EDE3" => {
            fn of(run: impl Fn(&mut des::cipher::Block<TdesEde3>), block: &[u8]) -> Vec<u8> {
                let mut block = block.try_into().expect("8 bytes");
                run(&mut block);
                block.to_vec()
            }
            let des = TdesEde3::new_from_slice(&key).expect("24 bytes");
            let (e, d) = both(
                des,
                [
                    |des, block| of(|block| des.encrypt_block(block), block),
                    |des, block| of(|block| des.decrypt_block(block), block),
                ],
            );
            (e, d, 64)
        }
        "PMAC-RC6-128" => {
            let (e, d) = both(
                Rc6::new(&key),
                [
                    |rc6, block| rc6.encrypt(block.try_into().expect("16 bytes")).to_vec(),
                    |rc6, block| rc6.decrypt(block.try_into().expect("16 bytes")).to_vec(),
                ],
            );
            (e, d, 128)
        }
        _ => {
            let (e, d) = both(
                Aes::new(&key),
                [
                    |aes, block| aes.encrypt(block.try_into().expect("16 bytes")).to_vec(),
                    |aes, block| aes.decrypt(block.try_into().expect("16 bytes")).to_vec(),
                ],
            );
            (e, d, 128)
        }
    }
}

fn number_or(vector: &Value, name: &str, default: usize) -> usize {
    if vector[name].is_null() { default } else { number(vector, name) }
}

#[test]
fn pmac_in_bits() {
    let file = VectorFile::read("pmac-ours.json");
    for case in file.list("cases") {
        let ((e, _, n), message) = (cipher(case), message_of(case));
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
        let (e, _, n) = cipher(sweep);
        let mut hash = Sha256::new();
        for bits in 0..=most.parse().expect("a number") {
            let message: Vec<u8> =
                (0..usize::div_ceil(bits, 8)).map(|i| (7 * i + 3) as u8).collect();
            hash.update(pmac_bytes(&e, n, &message, bits, n));
        }
        assert_eq!(hash.finalize()[..], hex(sweep, "sha256_of_concatenated_tags"), "{sweep}");
    });
    for intermediate in file.list("intermediates") {
        let (e, _, n) = cipher(intermediate);
        let mut power = l(&e, n);
        assert_eq!(bytes_of(&power), hex(intermediate, "L_hex"));
        assert_eq!(bytes_of(&halve(&power)), hex(intermediate, "L_times_x_inverse_hex"));
        for expected in intermediate["L_powers_hex"].as_array().expect("a list") {
            assert_eq!(bytes_of(&power), from_hex(expected.as_str().expect("hex")));
            power = double(&power);
        }
    }
}

#[test]
fn pmacs_cipher_and_recovery() {
    let file = VectorFile::read("pmac-ours.json");
    for case in file.list("length_preserving") {
        let (keys, message) =
            (["key1_hex", "key2_hex"].map(|key| hex(case, key)), message_of(case));
        let bits = number_or(case, "bits", 8 * message.len());
        let ciphertext = encipher_aes(&keys[0], &keys[1], &message, bits);
        assert_eq!(ciphertext, hex(case, "cipher_hex"), "{}", text(case, "id"));
        // Deciphering can't know the unused bits.
        let back = decipher_aes(&keys[0], &keys[1], &ciphertext, bits);
        assert_eq!(back, bytes_of(&bits_of(&message, bits)), "{}", text(case, "id"));
    }
    for case in file.list("recover") {
        let ((e, d, n), message) = (cipher(case), message_of(case));
        let tag = pmac_bytes(&e, n, &message, 8 * message.len(), n);
        assert_eq!(tag, hex(case, "tag_hex"), "{}", text(case, "id"));
        let block = number(case, "block");
        let place = n / 8 * (block - 1)..n / 8 * block;
        let others = [&message[..place.start], &message[place.end..]].concat();
        let others = bits_of(&others, 8 * others.len());
        let found = recover(&e, &d, n, &others, block, &bits_of(&tag, n));
        assert_eq!(bytes_of(&found), message[place], "{}", text(case, "id"));
    }
}
