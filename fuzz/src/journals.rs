//! Journals of edits. They are files: TMPDIR should be in memory.

use crate::input::Input;
use crate::keys::key;
use std::ffi::OsString;
use std::fs::OpenOptions;
use std::io::Write;
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use wegman_catalogue::AnyTag;
use wegman_files::stored::journal::{Draft, Journal, place};
use wegman_formats::journal::Details;
use wegman_formats::keyfile::{KeyFile, Purpose};
use wegman_formats::manifest::Stamp;

/// Keys without a nonce: only they make journals.
const KEYS: [usize; 2] = [0, 3];

/// The first bytes choose a key, and whether the rest is a whole journal, one that is sealed here, or what goes into one.
pub fn run(data: &[u8]) {
    let mut input = Input::new(data);
    let key = key(KEYS[input.below(KEYS.len())]);
    let directory = std::env::temp_dir();
    let manifest = directory.join(format!("manifest-{}", std::process::id()));
    let place = place(&manifest);
    let _ = std::fs::remove_file(&place);
    match input.byte() % 3 {
        0 => check_file(&key, &manifest, input.rest()),
        1 => {
            let details = usize::from(input.byte());
            let text = input.rest();
            let start = text.len().saturating_sub(details);
            let covered = [
                format!("# wegman edit 1: {}\n", key.describe()).as_bytes(),
                text,
                format!("# details {:010}\n", text.len() - start).as_bytes(),
            ]
            .concat();
            let seal = key.derive(Purpose::Edits).tag(None, &covered).expect("no nonce");
            let whole = [&covered, format!("# wegman seal = {seal}\n").as_bytes()].concat();
            check_file(&key, &manifest, &whole);
        }
        _ => from_details(&key, &manifest, input),
    }
    let _ = std::fs::remove_file(&place);
}

/// What opens is what was written, byte for byte.
fn check_file(key: &KeyFile, manifest: &Path, whole: &[u8]) {
    let place = place(manifest);
    let mut options = OpenOptions::new();
    let file = options.write(true).create_new(true).mode(0o600).open(&place);
    file.and_then(|mut file| file.write_all(whole)).expect("TMPDIR can be written to");
    let Ok(journal) = Journal::open(&place, key) else { return };
    let journal = journal.expect("it is there");
    let mut bytes = Vec::new();
    let mut next = journal.details.at;
    let replayed = journal.replay(5, |at, piece| {
        assert_eq!(at, next);
        next += piece.len() as u64;
        bytes.extend_from_slice(piece);
        Ok(())
    });
    replayed.expect("it can be read");
    assert_eq!(bytes.len() as u64, journal.details.bytes);
    assert!(journal.details.at + journal.details.bytes <= journal.details.to);
    let details = journal.remove().expect("it can be removed");
    write(key, manifest, &bytes, details);
    assert!(std::fs::read(&place).expect("it was written") == whole);
}

fn write(key: &KeyFile, manifest: &Path, bytes: &[u8], details: Details) {
    let edits = key.derive(Purpose::Edits);
    let mut draft = Draft::new(key, &*edits, manifest).expect("TMPDIR can be written to");
    bytes.chunks(7).for_each(|piece| draft.write(piece).expect("it can be written"));
    assert_eq!(draft.bytes(), bytes.len() as u64);
    draft.finish(details).expect("it can be written");
}

fn from_details(key: &KeyFile, manifest: &Path, mut input: Input<'_>) {
    let length = 1 + input.below(40);
    let name =
        OsString::from_vec(input.bytes(length).into_iter().map(|byte| byte.max(1)).collect());
    let mut stamp = || {
        let tag = AnyTag::new(&input.bytes(key.tag_bytes)).expect("the key's length");
        Stamp { tag, nonce: None }
    };
    let (old, new) = (stamp(), stamp());
    let bytes = input.message(600);
    let at = input.upto(u64::MAX - bytes.len() as u64);
    let to = at + bytes.len() as u64 + input.upto(u64::MAX - at - bytes.len() as u64);
    let from = input.number();
    let details = Details { name, old, new, bytes: bytes.len() as u64, at, from, to };
    write(key, manifest, &bytes, details.clone());
    let journal = Journal::open(&place(manifest), key).expect("what was written").expect("there");
    let read = &journal.details;
    assert_eq!(read.name, details.name);
    assert_eq!((read.bytes, read.at, read.from, read.to), (details.bytes, at, from, to));
    assert_eq!((read.old.tag, read.new.tag), (details.old.tag, details.new.tag));
}
