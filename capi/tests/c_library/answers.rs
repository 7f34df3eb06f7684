//! The known answers through C, in every way and on every kernel.

use crate::compilers::{Compiler, Language, compilers, here, program, run};
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::fs;
use wegman_answers::cases::{Case, cases, hex};
use wegman_answers::message;

/// The files of what is recommended or experimental.
const FILES: [&str; 4] = ["umac-rfc4418", "pmac", "carter", "hmac96"];

fn file(name: &str) -> Vec<u8> {
    fs::read(here().join(format!("../vectors/{name}.json"))).unwrap()
}

/// Runs all answers with messages of at most so many bytes.
fn answers(compiler: &Compiler, options: &[&str], longest: usize) {
    let program = program(compiler, options, &["tests/c_library/c/answers.c"]);
    let (mut requests, mut wanted) = (Vec::new(), Vec::new());
    for name in FILES {
        let cases = cases(&file(name)).unwrap();
        assert!(!cases.is_empty(), "{name}");
        for case in cases.iter().filter(|case| case.message.len() <= longest) {
            case.write_request(&mut requests);
            wanted.push(hex(&case.tag));
        }
    }
    let output = run(&program, &[], &requests);
    assert_eq!(output.lines().collect::<Vec<_>>(), wanted);
    println!("{} answers are right", wanted.len());
}

#[test]
fn the_known_answers_come_from_c() {
    for compiler in compilers(Language::C99) {
        answers(&compiler, &["-O2"], usize::MAX);
        let watched = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-g"];
        answers(&compiler, &watched, 1 << 16);
    }
}

#[test]
fn so_do_the_sweeps_over_all_lengths() {
    let text = |value: &Value, field: &str| value[field].as_str().unwrap_or_default().to_owned();
    let bytes = |digits: String| -> Vec<u8> {
        let byte = |i| u8::from_str_radix(&digits[i..i + 2], 16).unwrap();
        (0..digits.len()).step_by(2).map(byte).collect()
    };
    for compiler in compilers(Language::C99).into_iter().take(1) {
        let program = program(&compiler, &["-O2"], &["tests/c_library/c/answers.c"]);
        for name in FILES {
            let file: Value = serde_json::from_slice(&file(name)).unwrap();
            for sweep in file["sweeps"].as_array().into_iter().flatten() {
                let algorithm = text(sweep, "algorithm");
                let tag_bytes = match &algorithm[..] {
                    "UMAC-32" => 4,
                    "UMAC-64" => 8,
                    "UMAC-96" => 12,
                    _ => 16,
                };
                let mut requests = Vec::new();
                for message in message::of_sweep(&text(sweep, "msg_rule")).unwrap() {
                    let case = Case {
                        algorithm: algorithm.clone(),
                        key: bytes(text(sweep, "key_hex")),
                        nonce: bytes(text(sweep, "nonce_hex")),
                        message: message.unwrap().0,
                        tag: vec![0; tag_bytes], // only its length is used
                    };
                    case.write_request(&mut requests);
                }
                let output = run(&program, &[], &requests);
                let hash = output
                    .lines()
                    .fold(Sha256::new(), |hash, tag| hash.chain_update(bytes(tag.to_owned())));
                assert_eq!(hex(&hash.finalize()), text(sweep, "sha256_of_concatenated_tags"));
            }
        }
    }
}
