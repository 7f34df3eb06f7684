//! The known answers in vectors, run; and files with something wrong in them.

mod every_file;
mod messages;
mod wrong_files;

use serde_json::{Value, json};
use std::fs;
use std::path::PathBuf;
use wegman_answers::{File, Report};

/// The files in vectors that a test above runs.
const FILES: [&str; 13] = [
    "carter.json",
    "cbc-mac-variants.json",
    "hash127.json",
    "hmac96.json",
    "partial-mac.json",
    "pmac-ours.json",
    "pmac.json",
    "rc6.json",
    "sum-macs.json",
    "umac-1999.json",
    "umac-2000.json",
    "umac-rfc4418.json",
    "universal-hashes.json",
];

fn vectors() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/vectors"))
}

fn read(name: &str) -> String {
    fs::read_to_string(vectors().join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

fn run(list: &str, answer: &Value) -> anyhow::Result<Report> {
    Ok(File::read(json!({ list: [answer] }).to_string().as_bytes())?.run())
}

/// Whether the answer ran on at least one kernel and was right on all.
fn passes(list: &str, answer: &Value) -> bool {
    run(list, answer).is_ok_and(|Report { kernels, .. }| {
        !kernels.is_empty() && kernels.iter().all(|of| of.passed == 1 && of.failures.is_empty())
    })
}
