//! UMAC of the package `umac` on PyPI, in a process of Python that WEGMAN_FUZZ_PYTHON names.

use crate::input::{Input, umac};
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::Mutex;
use wegman_formats::hex;

/// How many tags one process makes. Each costs it a reference to None, and without any it ends (umac 2.0).
const MOST: usize = 500;

struct Python {
    child: Child,
    from: BufReader<ChildStdout>,
    tags: usize,
}

fn start() -> Python {
    let python = std::env::var("WEGMAN_FUZZ_PYTHON").expect("WEGMAN_FUZZ_PYTHON");
    let mut child = Command::new(python)
        .arg(concat!(env!("CARGO_MANIFEST_DIR"), "/umac_of_pypi.py"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("Python");
    let from = BufReader::new(child.stdout.take().expect("a pipe"));
    Python { child, from, tags: 0 }
}

/// Any key, nonce of 8 to 16 bytes, message, pieces.
pub fn run(data: &[u8]) {
    static PYTHON: Mutex<Option<Python>> = Mutex::new(None);
    let mut input = Input::new(data);
    let name = ["UMAC-32", "UMAC-64", "UMAC-96", "UMAC-128"][input.below(4)];
    let (key, secret, nonce) = umac(&mut input, name);
    let message = input.message(20_000);
    let pieces: Vec<String> = input.pieces(&message, 6).into_iter().map(hex::encode).collect();

    let mut python = PYTHON.lock().expect("one thread");
    if let Some(mut old) = python.take_if(|python| python.tags == MOST) {
        // This ends its input, too.
        old.child.wait().expect("its end");
    }
    let Python { child, from, tags } = python.get_or_insert_with(start);
    *tags += 1;
    let tag = key.tag(Some(&nonce), &message).expect("its nonce");
    let tag = tag.to_bytes();
    let (secret, nonce_hex) = (hex::encode(&secret), hex::encode(nonce.as_bytes()));
    let line = format!("{} {secret} {nonce_hex} {}\n", tag.len(), pieces.join(" "));
    child.stdin.as_mut().unwrap().write_all(line.as_bytes()).expect("Python reads");
    let mut answer = String::new();
    from.read_line(&mut answer).expect("Python answers");
    assert_eq!(hex::encode(tag), answer.trim_end(), "{name}, {nonce_hex}, {} bytes", message.len());
}
