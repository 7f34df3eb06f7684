//! The known answers through C, in every way and on every kernel.

use crate::compilers::{Compiler, Language, compilers, here, program, run};
use std::fs;
use wegman_answers::cases::{cases, hex};

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
