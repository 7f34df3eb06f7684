//! The tests that came with hash127 0.70. vectors/hash127.json has their answers beside its cases.

use crate::read;
use serde_json::Value;
use sha2::{Digest, Sha256};
use wegman::Cpu;
use wegman_yardstick::hash127::{Hash127, out_words};

fn file() -> Value {
    serde_json::from_str(&read("hash127.json")).expect("JSON")
}

fn hex(value: &Value) -> Vec<u8> {
    base16ct::lower::decode_vec(value.as_str().expect("text")).expect("hexadecimal digits")
}

fn array(value: &Value) -> [u8; 16] {
    hex(value).try_into().expect("16 bytes")
}

fn whole_words(bytes: &[u8]) -> &[[u8; 4]] {
    let (words, rest) = bytes.as_chunks();
    assert!(rest.is_empty(), "whole words");
    words
}

/// All 2000 lines of the accuracy test of hash127 0.70.
#[test]
fn accuracy() {
    let json = file();
    let case = &json["cases"][0];
    assert_eq!(case["origin"], "official");
    let (r, k) = (array(&case["r_hex"]), array(&case["k_hex"]));
    for (kernel, cpu) in Hash127::kernels(Cpu::detect()) {
        let found = accuracy_lines(&Hash127::with_cpu(cpu, &r), &k);
        assert_eq!(found.lines().count(), 2000);
        let found = Sha256::digest(found.as_bytes()).to_vec();
        assert_eq!(found, hex(&json["accuracy_full_output_sha256"]), "{kernel}");
    }
}

fn accuracy_lines(hash: &Hash127, k: &[u8; 16]) -> String {
    let mut lines = String::new();
    for message in [i32::MIN.to_le_bytes().repeat(1000), (0..4000).map(|i| i as u8).collect()] {
        for i in 0..1000 {
            let u = hash.hash(&whole_words(&message)[..i], k);
            let [a, b, c, d] = [0, 1, 2, 3].map(|limb| u32::from_le_bytes(whole_words(&u)[limb]));
            lines += &format!("{i}: {a} {b} {c} {d}\n");
        }
    }
    lines
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
        [0, 1, 2, 3].map(|i| u64::from(u32::from_le_bytes(whole_words(&r)[i]) ^ 1 << 31))
    }
}

/// Compares the checkpoints up to a loop and returns their number.
fn iterated_checkpoints(last_loop: u64) -> usize {
    let json = file();
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
fn iterated_up_to_loop_2_to_10() {
    assert_eq!(iterated_checkpoints(1 << 10), 12);
}

/// The other checkpoints.
#[test]
#[ignore = "a million loops take minutes; run with --release -- --ignored"]
fn iterated_up_to_loop_2_to_20() {
    assert_eq!(iterated_checkpoints(1 << 20), 22);
}
