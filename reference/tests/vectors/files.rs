//! Reading the files in vectors.

use std::ops::RangeInclusive;
use std::path::Path;

use serde_json::Value;
use sha2::{Digest, Sha256};

/// A vector file, as text (to count its cases without the parser's help) and parsed.
pub struct VectorFile {
    pub text: String,
    pub json: Value,
}

impl VectorFile {
    pub fn read(name: &str) -> VectorFile {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("vectors").join(name);
        let text = std::fs::read_to_string(&path)
            .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let json = serde_json::from_str(&text).expect("a vector file is JSON");
        VectorFile { text, json }
    }

    pub fn list(&self, name: &str) -> &[Value] {
        self.json[name].as_array().unwrap_or_else(|| panic!("the file has no list {name}"))
    }

    /// Runs `check` on everything in a list: as many entries as the text has `mark`. That no answer was lost is a test of
    /// `wegman-answers`.
    pub fn for_each(&self, list: &str, mark: &str, check: impl Fn(&Value)) {
        let entries = self.list(list);
        assert_eq!(entries.len(), self.text.matches(&format!("\"{mark}\":")).count(), "{list}");
        assert!(!entries.is_empty(), "{list}");
        entries.iter().for_each(check);
    }

    pub fn for_each_case(&self, check: impl Fn(&Value)) {
        self.for_each("cases", "id", check);
    }

    pub fn for_each_sweep(&self, check: impl Fn(&Value)) {
        self.for_each("sweeps", "sha256_of_concatenated_tags", check);
    }
}

pub fn text<'a>(value: &'a Value, name: &str) -> &'a str {
    value[name].as_str().unwrap_or_else(|| panic!("no text {name} in {value}"))
}

pub fn number(value: &Value, name: &str) -> usize {
    value[name].as_u64().unwrap_or_else(|| panic!("no number {name} in {value}")) as usize
}

pub fn from_hex(hex: &str) -> Vec<u8> {
    assert!(hex.len().is_multiple_of(2), "half a byte in {hex}");
    (0..hex.len())
        .step_by(2)
        .map(|i| u8::from_str_radix(&hex[i..i + 2], 16).expect("hexadecimal digits"))
        .collect()
}

pub fn hex(value: &Value, name: &str) -> Vec<u8> {
    from_hex(text(value, name))
}

pub fn array<const N: usize>(value: &Value, name: &str) -> [u8; N] {
    hex(value, name).try_into().unwrap_or_else(|_| panic!("{name} has not {N} bytes in {value}"))
}

// The message rules that the files use; a case with any other rule fails.

pub fn message_of(case: &Value) -> Vec<u8> {
    match case.get("msg") {
        Some(rule) => expand(rule),
        None => hex(case, "msg_hex"),
    }
}

fn expand(rule: &Value) -> Vec<u8> {
    if rule.get("hex").is_some() {
        return hex(rule, "hex");
    }
    let value = |name: &str| number(rule, name);
    let by = |byte: &dyn Fn(usize) -> usize| -> Vec<u8> {
        (0..value("length")).map(|i| (byte(i) % 256) as u8).collect()
    };
    // Looked up once: a message may have 32 MiB.
    let coefficients = |names: &[&str]| names.iter().map(|name| value(name)).collect::<Vec<_>>();
    match text(rule, "pattern") {
        "repeat" => hex(rule, "unit_hex").repeat(value("repeat")),
        "affine" => {
            let of = coefficients(&["a", "b"]);
            by(&|i| of[0] * i + of[1])
        }
        "quad" => {
            let of = coefficients(&["a", "b", "c"]);
            by(&|i| (of[0] * i * i + of[1] * i + of[2]) / 4)
        }
        "krovetz2000" => by(&|i| ((i % 127) * (i % 123)) % 127),
        "concat" => {
            rule["parts"].as_array().expect("concat has parts").iter().flat_map(expand).collect()
        }
        other => panic!("unknown message rule {other}"),
    }
}

/// The hash of the tags of all messages of one of the two sweep rules.
pub fn sweep_hash(sweep: &Value, tag: impl Fn(&[u8]) -> Vec<u8>) -> Vec<u8> {
    let lengths: RangeInclusive<usize> = match text(sweep, "msg_rule") {
        "for every length L = 0..4096: affine a=7 b=3 length=L" => 0..=4096,
        "for every length L = 1..4096: affine a=7 b=3 length=L" => 1..=4096,
        other => panic!("unknown sweep rule {other}"),
    };
    let message: Vec<u8> = (0..4096).map(|i| ((7 * i + 3) % 256) as u8).collect();
    let tags: Vec<u8> = lengths.flat_map(|length| tag(&message[..length])).collect();
    Sha256::digest(&tags).to_vec()
}
