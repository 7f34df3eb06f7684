//! UMAC of the package `umac` on PyPI, in a process of Python that WEGMAN_FUZZ_PYTHON names.

use crate::input::Input;
use std::io::{BufRead, BufReader, Write};
use std::process::{ChildStdin, ChildStdout, Command, Stdio};
use std::sync::Mutex;
use wegman_catalogue::{Cpu, Nonce, find};

/// How many tags one process makes. Each costs it a reference to None, and without any it ends (umac 2.0).
const MOST: usize = 500;

struct Python {
    to: ChildStdin,
    from: BufReader<ChildStdout>,
    tags: usize,
}

fn start() -> Python {
    let python =
        std::env::var("WEGMAN_FUZZ_PYTHON").expect("WEGMAN_FUZZ_PYTHON: a Python with umac");
    let child = Command::new(python)
        .arg(concat!(env!("CARGO_MANIFEST_DIR"), "/umac_of_pypi.py"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("Python");
    let from = BufReader::new(child.stdout.expect("a pipe"));
    Python { to: child.stdin.expect("a pipe"), from, tags: 0 }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Any key, nonce of 8 to 16 bytes, message, pieces.
pub fn run(data: &[u8]) {
    static PYTHON: Mutex<Option<Python>> = Mutex::new(None);
    let mut input = Input::new(data);
    let name = ["UMAC-32", "UMAC-64", "UMAC-96", "UMAC-128"][input.below(4)];
    let algorithm = find(name).expect(name);
    let tag_bytes = *algorithm.tag_bytes.end();
    let secret = input.bytes(16);
    let lengths = algorithm.nonce_bytes.expect("UMAC has nonces");
    let length = lengths[input.below(lengths.len())];
    let nonce = Nonce::new(&input.bytes(length)).expect("a length of the algorithm");
    let message = input.message(20_000);
    let pieces: Vec<String> = input.pieces(&message, 6).into_iter().map(hex).collect();

    let mut python = PYTHON.lock().expect("one thread");
    // Its input ends with it.
    python.take_if(|python| python.tags == MOST);
    let Python { to, from, tags } = python.get_or_insert_with(start);
    *tags += 1;
    let (key, nonce_hex) = (hex(&secret), hex(nonce.as_bytes()));
    let line = format!("{tag_bytes} {key} {nonce_hex} {}\n", pieces.join(" "));
    to.write_all(line.as_bytes()).expect("Python reads");
    let mut answer = String::new();
    from.read_line(&mut answer).expect("Python answers");

    let key = algorithm.key_for_nonces(Cpu::detect(), &secret, tag_bytes, length);
    let tag = key.expect("its lengths").tag(Some(&nonce), &message).expect("its nonce");
    assert_eq!(
        hex(tag.to_bytes()),
        answer.trim_end(),
        "{name}, nonce {nonce_hex}, {} bytes",
        message.len()
    );
}
