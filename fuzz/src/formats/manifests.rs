//! Manifests: of both formats, shards and roots.

use crate::input::Input;
use crate::keys::{COUNT, key};
use std::time::UNIX_EPOCH;
use wegman_catalogue::Nonce;
use wegman_formats::hex;
use wegman_formats::keyfile::{KeyFile, Purpose};
use wegman_formats::manifest::{Entry, Manifest, Stamp, check, parse};

/// The first bytes choose a key and a first line; the rest are lines, which are sealed here, or a whole file.
pub fn run(data: &[u8]) {
    let mut input = Input::new(data);
    let key = key(input.below(COUNT));
    let of = key.describe();
    let first = match input.byte() % 6 {
        0 => None,
        1 => Some(format!("# wegman manifest 2: {of}\n")),
        2 => Some(format!("# wegman manifest 1: {of}\n")),
        3 => Some(format!("# wegman manifest 3: {of}, shard 0123456789abcdef\n")),
        4 => Some(format!("# wegman manifest 3: {of}, root\n")),
        _ => Some(String::new()),
    };
    let is_whole = first.is_none();
    let text = match first {
        None => input.rest().to_vec(),
        Some(first) => sealed(&key, [first.as_bytes(), input.rest()].concat()),
    };
    let Ok(manifest) = parse(&mut &text[..], &key) else { return };
    assert!(check(&mut &text[..], &key).is_ok());
    if is_whole {
        assert!(is_sealed(&key, &text), "accepted without a seal");
    }
    round_trip(&key, &manifest);
}

fn round_trip(key: &KeyFile, manifest: &Manifest) {
    let mut printed = Vec::new();
    let Ok(about) = manifest.write_next(key, UNIX_EPOCH, nonce(key), &mut printed) else {
        assert_eq!(manifest.about.serial, u64::MAX, "it can't be written");
        return;
    };
    let again = parse(&mut &printed[..], key).ok().expect("what was printed");
    assert_eq!(again.role, manifest.role);
    assert_eq!(again.others, manifest.others);
    let entry =
        |entry: &Entry| (entry.name.clone(), entry.stamp.to_string(), entry.attributes.clone());
    let entries = |manifest: &Manifest| manifest.entries.iter().map(entry).collect::<Vec<_>>();
    assert_eq!(entries(&again), entries(manifest));
    assert_eq!(again.about, about);
    assert_eq!(about.serial, manifest.about.serial + 1);
}

/// The nonce of every tag that is made here.
pub(super) fn nonce(key: &KeyFile) -> Option<Nonce> {
    key.nonce_bytes().map(|bytes| Nonce::new(&vec![0x5a; bytes]).expect("the key's length"))
}

/// Lines with their seal.
fn sealed(key: &KeyFile, mut lines: Vec<u8>) -> Vec<u8> {
    if lines.last().is_some_and(|byte| *byte != b'\n') {
        lines.push(b'\n');
    }
    let nonce = nonce(key);
    let tag = key.derive(Purpose::Seals).tag(nonce.as_ref(), &lines).expect("the key's nonce");
    lines.extend_from_slice(format!("# wegman seal = {}\n", Stamp { tag, nonce }).as_bytes());
    lines
}

/// Whether the last line is the seal of all others, by another reading than the library's.
fn is_sealed(key: &KeyFile, text: &[u8]) -> bool {
    let Some(text) = text.strip_suffix(b"\n") else { return false };
    let start = text.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    let (lines, last) = text.split_at(start);
    let Some(words) =
        std::str::from_utf8(last).ok().and_then(|l| l.strip_prefix("# wegman seal = "))
    else {
        return false;
    };
    let digits = words.split_once(" nonce=");
    let nonce = digits.map(|(_, nonce)| {
        Nonce::new(&hex::decode(nonce.as_bytes()).expect("digits")).expect("a nonce")
    });
    let tag = key.derive(Purpose::Seals).tag(nonce.as_ref(), lines);
    tag.is_ok_and(|tag| Stamp { tag, nonce }.to_string() == words)
}
