//! The known answers through C, in every way and on every kernel.

use crate::compilers::{Compiler, Language, compilers, here, program, run};
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::fmt::Write;
use std::fs;
use wegman_answers::message;

/// The files of what is recommended or experimental.
const FILES: [&str; 4] = ["umac-rfc4418", "pmac", "carter", "hmac96"];

struct Requests {
    input: Vec<u8>,
    wanted: Vec<String>,
}

fn text<'v>(case: &'v Value, field: &str) -> &'v str {
    case[field].as_str().unwrap_or("-")
}

impl Requests {
    fn add(&mut self, case: &Value, message: &[u8], tag_bytes: usize) {
        let (algorithm, key, nonce) =
            (text(case, "algorithm"), text(case, "key_hex"), text(case, "nonce_hex"));
        // The file has one name for both ciphers of Carter, the catalogue two.
        let is_256 = algorithm.starts_with("Carter") && key.len() == 64;
        let cipher = if is_256 { "-AES256" } else { "" };
        let line = format!("{algorithm}{cipher} {key} {nonce} {tag_bytes} {}\n", message.len());
        self.input.extend_from_slice(line.as_bytes());
        self.input.extend_from_slice(message);
    }
}

fn file(name: &str) -> Value {
    let file = here().join(format!("../vectors/{name}.json"));
    serde_json::from_slice(&fs::read(file).unwrap()).unwrap()
}

/// The answers with messages of at most so many bytes.
fn requests(longest: usize) -> Requests {
    let mut requests = Requests { input: Vec::new(), wanted: Vec::new() };
    for name in FILES {
        let file = file(name);
        let cases = file["cases"].as_array().unwrap();
        assert!(!cases.is_empty());
        for case in cases {
            // By name, the HMACs of IPsec have the keys of IPsec.
            let key_bytes = text(case, "key_hex").len() / 2;
            match text(case, "algorithm") {
                "HMAC-MD5-96" if key_bytes != 16 => continue,
                "HMAC-SHA1-96" if key_bytes != 20 => continue,
                _ => {}
            }
            let (message, tag) = (message::of_case(case).unwrap(), text(case, "tag_hex"));
            if message.len() <= longest {
                requests.add(case, &message, tag.len() / 2);
                requests.wanted.push(tag.to_owned());
            }
        }
    }
    requests
}

fn answers(compiler: &Compiler, options: &[&str], longest: usize) {
    let program = program(compiler, options, &["tests/c_library/c/answers.c"]);
    let requests = requests(longest);
    let output = run(&program, &[], &requests.input);
    assert_eq!(output.lines().collect::<Vec<_>>(), requests.wanted);
    println!("{} answers are right", requests.wanted.len());
}

#[test]
fn the_known_answers_come_from_c() {
    for compiler in compilers(Language::C99) {
        answers(&compiler, &["-O2"], usize::MAX);
        answers(
            &compiler,
            &["-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-g"],
            1 << 16,
        );
    }
}

#[test]
fn so_do_the_sweeps_over_all_lengths() {
    for compiler in compilers(Language::C99).into_iter().take(1) {
        let program = program(&compiler, &["-O2"], &["tests/c_library/c/answers.c"]);
        for name in FILES {
            let file = file(name);
            for sweep in file["sweeps"].as_array().into_iter().flatten() {
                let mut requests = Requests { input: Vec::new(), wanted: Vec::new() };
                let tag_bytes = match text(sweep, "algorithm") {
                    "UMAC-32" => 4,
                    "UMAC-64" => 8,
                    "UMAC-96" => 12,
                    _ => 16,
                };
                for message in message::of_sweep(text(sweep, "msg_rule")).unwrap() {
                    requests.add(sweep, &message.unwrap().0, tag_bytes);
                }
                let output = run(&program, &[], &requests.input);
                let mut hash = Sha256::new();
                for tag in output.lines() {
                    let bytes = (0..tag.len()).step_by(2);
                    let bytes: Vec<_> =
                        bytes.map(|i| u8::from_str_radix(&tag[i..i + 2], 16).unwrap()).collect();
                    hash.update(bytes);
                }
                let mut found = String::new();
                hash.finalize().iter().for_each(|byte| write!(found, "{byte:02x}").unwrap());
                assert_eq!(found, text(sweep, "sha256_of_concatenated_tags"));
            }
        }
    }
}
