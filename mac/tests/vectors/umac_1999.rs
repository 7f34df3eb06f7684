//! ../vectors/umac-1999.json: every case, sweep and intermediate tag, in the padding it asks for.

use super::{CASE, SWEEP, Sha256, Test, VectorFile, affine, hex, message_of, text};
use serde_json::Value;
use sha2::Digest;
use wegman::registry::AnyKey;
use wegman::umac_1999::historical::{self, Padding};
use wegman::umac_1999::{Mmx15, Mmx30, Mmx60, Std30, Std60};
use wegman::{Cpu, InvalidLength};

/// The key of a set in some padding.
fn key(
    name: &str,
    cpu: Cpu,
    secret: &[u8],
    padding: Padding,
) -> Result<Box<dyn AnyKey>, InvalidLength> {
    Ok(match name {
        "UMAC-STD-30" => Box::new(historical::key::<Std30>(cpu, secret, padding)?),
        "UMAC-STD-60" => Box::new(historical::key::<Std60>(cpu, secret, padding)?),
        "UMAC-MMX-15" => Box::new(historical::key::<Mmx15>(cpu, secret, padding)?),
        "UMAC-MMX-30" => Box::new(historical::key::<Mmx30>(cpu, secret, padding)?),
        "UMAC-MMX-60" => Box::new(historical::key::<Mmx60>(cpu, secret, padding)?),
        other => panic!("unknown algorithm {other}"),
    })
}

/// The keys that an entry is for, on every kernel: of the registry, and of the padding it names; of both
/// paddings where that makes no difference.
fn keys(test: &Test) -> Vec<Box<dyn AnyKey>> {
    let name = text(test.entry, "algorithm");
    let kernels = test.algorithm.kernels(Cpu::detect());
    let of = |padding| {
        let of_kernel = |&(_, cpu): &_| key(name, cpu, &test.secret, padding).expect("its lengths");
        kernels.iter().map(of_kernel).collect::<Vec<_>>()
    };
    let registered = || test.keys(*test.algorithm.tag_bytes.end());
    match test.entry.get("cbc_padding").map(|padding| padding.as_str().expect("a text")) {
        Some("ref-0.25.05") => of(Padding::Ref02505),
        Some("paper") | None => registered().chain(of(Padding::Paper)).collect(),
        Some("n/a") => registered().chain(of(Padding::Ref02505)).collect(),
        Some(other) => panic!("unknown padding {other}"),
    }
}

/// Runs `check` on each entry of a list; there are exactly so many.
fn for_each(list: &str, mark: &str, expected: usize, check: fn(&Test)) {
    let file = VectorFile::read("umac-1999.json");
    let entries = file.json[list].as_array().expect("the file has this list");
    for entry in entries {
        check(&Test::of(entry).expect("registered with this feature"));
    }
    eprintln!("{list}: {} run", entries.len());
    assert_eq!(entries.len(), file.text.matches(mark).count(), "{list} in the file");
    assert_eq!(entries.len(), expected, "{list} in the file");
}

fn check_message(test: &Test, message: &[u8], expected: &[u8]) {
    for key in keys(test) {
        assert_eq!(test.tag(&*key, message), expected, "{} on {}", test.entry, key.kernel());
        let mut stream = key.stream();
        message.chunks(1000).for_each(|piece| stream.update(piece));
        let tag = stream.tag(test.nonce.as_ref()).expect("a nonce of 8 bytes");
        assert_eq!(tag.to_bytes(), expected, "{} on {}, stream", test.entry, key.kernel());
    }
}

#[test]
fn cases() {
    for_each("cases", CASE, 659, |test| {
        check_message(test, &message_of(test.entry), &hex(test.entry, "tag_hex"));
    });
}

#[test]
fn intermediates() {
    for_each("intermediates", "\"hash_key_len\":", 5, |test| {
        check_message(test, &message_of(test.entry), &hex(test.entry, "tag_paper_padding_hex"));
    });
}

#[test]
fn sweeps() {
    for_each("sweeps", SWEEP, 6, |test| {
        let rule = text(test.entry, "msg_rule");
        assert_eq!(rule, "for every length L = 0..4096: affine a=7 b=3 length=L");
        let message = affine(7, 3, 4096);
        let expected = hex(test.entry, "sha256_of_concatenated_tags");
        for key in keys(test) {
            let mut hash = Sha256::new();
            (0..=4096).for_each(|length| hash.update(test.tag(&*key, &message[..length])));
            assert_eq!(hash.finalize().as_slice(), expected, "{} on {}", test.entry, key.kernel());
        }
    });
}

/// How many cases there are of each padding: none of them is run in another's.
#[test]
fn paddings() {
    let file = VectorFile::read("umac-1999.json");
    let cases = file.json["cases"].as_array().expect("the file has cases");
    let count = |padding| {
        let of = |case: &&Value| text(case, "cbc_padding") == padding;
        cases.iter().filter(of).count()
    };
    assert_eq!(["n/a", "paper", "ref-0.25.05"].map(count), [170, 234, 255]);
}
