//! Every known answer in ../vectors for a registered algorithm, on every kernel of this machine.
#![cfg(feature = "alloc")]

use serde_json::Value;
use sha2::{Digest, Sha256};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use wegman::registry::{Algorithm, AnyKey, find};
use wegman::{Cpu, Nonce};

// Reading the files.

/// A vector file, as text (to count without the parser's help) and parsed.
struct VectorFile {
    text: String,
    json: Value,
}

impl VectorFile {
    fn read(name: &str) -> VectorFile {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../vectors").join(name);
        let text = std::fs::read_to_string(&path)
            .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let json = serde_json::from_str(&text).expect("a vector file is JSON");
        VectorFile { text, json }
    }

    /// Checks every entry of a list, side by side on the machine's cores. `mark` is what each entry
    /// has once in the file's text, and `known` how many there were when this test was written.
    fn for_each(&self, list: &str, mark: &str, known: usize, check: fn(&Test)) {
        let entries = self.json[list].as_array().expect("the file has this list");
        let (next, run, left_out) = Default::default();
        let work = || {
            let (next, run, left_out): (&AtomicUsize, &AtomicUsize, &AtomicUsize) =
                (&next, &run, &left_out);
            while let Some(entry) = entries.get(next.fetch_add(1, Ordering::Relaxed)) {
                match Test::of(entry) {
                    Some(test) => {
                        check(&test);
                        run.fetch_add(1, Ordering::Relaxed);
                    }
                    None => {
                        left_out.fetch_add(1, Ordering::Relaxed);
                    }
                }
            }
        };
        std::thread::scope(|scope| {
            let cores = std::thread::available_parallelism().map_or(1, usize::from);
            (0..cores).for_each(|_| drop(scope.spawn(work)));
        });
        let (run, left_out) = (run.into_inner(), left_out.into_inner());
        eprintln!("{list}: {run} run, {left_out} left out");

        assert_eq!(run + left_out, self.text.matches(mark).count(), "{list} in the file");
        assert!(run + left_out >= known, "the file has lost {list}");
        let needs_yardstick =
            entries.iter().filter(|entry| text(entry, "algorithm") == "PMAC-RC6-128").count();
        let expected = if cfg!(feature = "yardstick") { 0 } else { needs_yardstick };
        assert_eq!(left_out, expected, "{list} of algorithms that are not registered");
    }
}

fn text<'a>(value: &'a Value, name: &str) -> &'a str {
    value[name].as_str().unwrap_or_else(|| panic!("no text {name} in {value}"))
}

fn number(value: &Value, name: &str) -> usize {
    value[name].as_u64().unwrap_or_else(|| panic!("no number {name} in {value}")) as usize
}

fn hex(value: &Value, name: &str) -> Vec<u8> {
    let text = text(value, name);
    assert!(text.len().is_multiple_of(2), "half a byte in {text}");
    let byte = |i| u8::from_str_radix(&text[i..i + 2], 16).expect("hexadecimal digits");
    (0..text.len()).step_by(2).map(byte).collect()
}

// The message rules that these files use; an entry with any other rule fails.

fn message_of(case: &Value) -> Vec<u8> {
    match case.get("msg") {
        Some(rule) => expand(rule),
        None => hex(case, "msg_hex"),
    }
}

fn expand(rule: &Value) -> Vec<u8> {
    if rule.get("hex").is_some() {
        return hex(rule, "hex");
    }
    match text(rule, "pattern") {
        "repeat" => hex(rule, "unit_hex").repeat(number(rule, "repeat")),
        "affine" => affine(number(rule, "a"), number(rule, "b"), number(rule, "length")),
        "concat" => {
            rule["parts"].as_array().expect("concat has parts").iter().flat_map(expand).collect()
        }
        other => panic!("unknown message rule {other}"),
    }
}

/// Byte i is a i + b mod 256, so the bytes come again after 256.
fn affine(a: usize, b: usize, length: usize) -> Vec<u8> {
    let period: Vec<u8> = (0..256).map(|i| (a * i + b) as u8).collect();
    let mut bytes = period.repeat(length.div_ceil(256));
    bytes.truncate(length);
    bytes
}

// Running them.

/// An entry of a file with what it asks for: an algorithm of this build, its key and its nonce.
struct Test<'f> {
    entry: &'f Value,
    algorithm: &'static Algorithm,
    secret: Vec<u8>,
    nonce: Option<Nonce>,
}

impl Test<'_> {
    fn of(entry: &Value) -> Option<Test<'_>> {
        let algorithm = find(text(entry, "algorithm"))?;
        let nonce = entry.get("nonce_hex").map(|_| hex(entry, "nonce_hex"));
        let nonce = nonce.map(|bytes| Nonce::new(&bytes).expect("a nonce of 1 to 16 bytes"));
        Some(Test { entry, algorithm, secret: hex(entry, "key_hex"), nonce })
    }

    /// The key on every kernel of this machine.
    fn keys(&self, tag_bytes: usize) -> impl Iterator<Item = Box<dyn AnyKey>> {
        self.algorithm.kernels(Cpu::detect()).into_iter().map(move |(name, cpu)| {
            let key = self.algorithm.key(cpu, &self.secret, tag_bytes).expect("lengths it takes");
            assert_eq!(key.kernel(), name);
            key
        })
    }

    fn tag(&self, key: &dyn AnyKey, message: &[u8]) -> Vec<u8> {
        let tag = key.tag(self.nonce.as_ref(), message).expect("a nonce if it takes one");
        tag.to_bytes().to_vec()
    }
}

fn check_case(test: &Test) {
    let message = message_of(test.entry);
    let expected = hex(test.entry, "tag_hex");
    for key in test.keys(expected.len()) {
        let tag = test.tag(&*key, &message);
        assert_eq!(tag, expected, "{} on {}", text(test.entry, "id"), key.kernel());
    }
}

/// The hash of the tags of the messages of all lengths; the files use one rule only.
fn check_sweep(test: &Test) {
    let rule = text(test.entry, "msg_rule");
    assert_eq!(rule, "for every length L = 0..4096: affine a=7 b=3 length=L");
    let message = affine(7, 3, 4096);
    let expected = hex(test.entry, "sha256_of_concatenated_tags");
    for key in test.keys(*test.algorithm.tag_bytes.end()) {
        let mut hash = Sha256::new();
        (0..=4096).for_each(|length| hash.update(test.tag(&*key, &message[..length])));
        let hash = hash.finalize();
        assert_eq!(hash.as_slice(), expected, "{} on {}", test.algorithm.name, key.kernel());
    }
}

const CASE: &str = "\"id\":";
const SWEEP: &str = "\"sha256_of_concatenated_tags\":";

#[test]
fn umac_cases() {
    VectorFile::read("umac-rfc4418.json").for_each("cases", CASE, 562, check_case);
}

#[test]
fn umac_sweeps() {
    VectorFile::read("umac-rfc4418.json").for_each("sweeps", SWEEP, 3, check_sweep);
}

#[test]
fn pmac_cases() {
    VectorFile::read("pmac.json").for_each("cases", CASE, 295, check_case);
}

#[test]
fn pmac_sweeps() {
    VectorFile::read("pmac.json").for_each("sweeps", SWEEP, 2, check_sweep);
}
