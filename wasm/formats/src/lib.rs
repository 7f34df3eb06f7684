//! The second WebAssembly module of the npm package `wegman`: key files and manifests for PMAC-AES128 and UMAC with whole tags,
//! in the one grammar of `wegman-formats`. Called by `npm/formats.js`, which gives each call an instance of its own and wipes
//! its memory afterwards: so nothing is wiped here.
//!
//! The caller asks for [room](exported::room), writes the input there, calls a function, and reads as many bytes as it says
//! from [output](exported::output); if the number is below 0, they are the reason of a refusal. A key is the place of its
//! algorithm in [`ALGORITHMS`], its id of 8 bytes and its secret of 32.
#![deny(unsafe_code)]
#![allow(
    missing_docs,
    reason = "what the functions do is documented for JavaScript, in npm/keyfile.d.ts"
)]

use anyhow::{Context, Result, ensure};
use std::cell::RefCell;
use std::ffi::OsStr;
use std::time::{Duration, UNIX_EPOCH};
use wegman_formats::hex;
use wegman_formats::keyfile::{ID_BYTES, KeyFile, SECRET_BYTES};
use wegman_formats::manifest::{Entry, Kind, Manifest, Other, Role, Stamp, parse};
use wegman_formats::names::algorithm;

/// The algorithms, and the bytes of their tags. `npm/keyfile.js` has the same list.
const ALGORITHMS: [(&str, usize); 5] =
    [("PMAC-AES128", 16), ("UMAC-32", 4), ("UMAC-64", 8), ("UMAC-96", 12), ("UMAC-128", 16)];

#[derive(Default)]
struct State {
    input: Vec<u8>,
    output: Vec<u8>,
}

thread_local! {
    /// An instance has one thread.
    static STATE: RefCell<State> = RefCell::default();
}

/// Makes output of the input: how many bytes it has.
fn make(work: impl FnOnce(&[u8]) -> Result<Vec<u8>>) -> isize {
    STATE.with_borrow_mut(|State { input, output }| {
        let (made, sign) = match work(input) {
            Ok(made) => (made, 1),
            Err(error) => (format!("{error:#}").into_bytes(), -1),
        };
        *output = made;
        sign * output.len() as isize
    })
}

/// The key at the beginning, and what follows.
fn split_key(input: &[u8]) -> Result<(KeyFile, &[u8])> {
    let (place, input) = input.split_first().context("no key")?;
    let (name, tag_bytes) = ALGORITHMS.get(usize::from(*place)).context("no algorithm")?;
    let (mut key, rest) = input.split_at_checked(ID_BYTES + SECRET_BYTES).context("no key")?;
    let next = |room: &mut [u8]| {
        let (first, after) = key.split_at(room.len());
        room.copy_from_slice(first);
        key = after;
        Ok(())
    };
    Ok((KeyFile::generate(algorithm::find(name)?, *tag_bytes, next)?, rest))
}

fn key_of_file(text: &[u8]) -> Result<Vec<u8>> {
    let key = KeyFile::parse(text)?;
    let own = (&*key.algorithm.name, key.tag_bytes);
    let place = ALGORITHMS.iter().position(|known| *known == own);
    let place = place.with_context(|| format!("it is {}: use the command", key.describe()))?;
    let mut bytes = vec![place as u8];
    bytes.extend_from_slice(&hex::decode(key.id.as_bytes())?);
    bytes.extend_from_slice(key.secret());
    Ok(bytes)
}

/// What a manifest says, in fields, each with a zero byte at its end: no name has one. First the serial number, the date and
/// the seal's id; then for each line its kind, name, tag and nonce.
fn fields_of_manifest(input: &[u8]) -> Result<Vec<u8>> {
    let (key, mut text) = split_key(input)?;
    let Manifest { role, entries, others, about } = parse(&mut text, &key)?;
    ensure!(role == Role::Plain, "it is in shards: use the command");
    let mut fields = Vec::new();
    let mut add = |field: &[u8]| {
        fields.extend_from_slice(field);
        fields.push(0);
    };
    add(about.serial.to_string().as_bytes());
    add(about.date.as_deref().unwrap_or_default().as_bytes());
    add(about.seal_id().as_bytes());
    let mut line = |kind: &str, name: &OsStr, tag: &[u8], nonce: &[u8]| {
        let [tag, nonce] = [tag, nonce].map(hex::encode);
        for field in [kind, &name.to_string_lossy(), &tag, &nonce] {
            add(field.as_bytes());
        }
    };
    for Entry { name, stamp, .. } in &entries {
        let nonce = stamp.nonce.as_ref().map_or(&[][..], |nonce| nonce.as_bytes());
        line("file", name, stamp.tag.to_bytes(), nonce);
    }
    for Other { name, kind, .. } in &others {
        let kind = if *kind == Kind::Directory { "directory" } else { "other" };
        line(kind, name, &[], &[]);
    }
    Ok(fields)
}

/// The next version of a manifest with the serial number `before`, 0 if there is none. `fields` are a kind, a name and a tag
/// for each line. It is for keys that take no nonce.
fn manifest_of_fields(input: &[u8], seconds: u64, before: u64) -> Result<Vec<u8>> {
    let (key, fields) = split_key(input)?;
    ensure!(key.nonce_bytes().is_none(), "seal with the command, or with a key for PMAC-AES128");
    let mut manifest = Manifest::default();
    manifest.about.serial = before;
    let mut fields = str::from_utf8(fields)?.split('\0');
    while let (Some(kind), Some(name), Some(tag)) = (fields.next(), fields.next(), fields.next()) {
        let name = name.into();
        match kind {
            "file" => {
                let stamp = Stamp::of_tag(&hex::decode(tag.as_bytes())?)?;
                manifest.entries.push(Entry { name, stamp, attributes: None, upto: None });
            }
            _ => manifest.others.push(Other { name, kind: Kind::Directory, attributes: None }),
        }
    }
    let (mut text, now) = (Vec::new(), UNIX_EPOCH + Duration::from_secs(seconds));
    manifest.write_next(&key, now, None, &mut text)?;
    Ok(text)
}

#[allow(unsafe_code, reason = "names that JavaScript calls; no body has unsafe code")]
mod exported {
    use super::*;

    #[unsafe(no_mangle)]
    pub extern "C" fn room(bytes: usize) -> *mut u8 {
        STATE.with_borrow_mut(|state| {
            state.input = vec![0; bytes];
            state.input.as_mut_ptr()
        })
    }

    #[unsafe(no_mangle)]
    pub extern "C" fn output() -> *const u8 {
        STATE.with_borrow(|state| state.output.as_ptr())
    }

    /// The text of a key's file.
    #[unsafe(no_mangle)]
    pub extern "C" fn key_text() -> isize {
        make(|input| Ok(split_key(input)?.0.text().as_bytes().to_vec()))
    }

    /// The key of a file's text.
    #[unsafe(no_mangle)]
    pub extern "C" fn key_read() -> isize {
        make(key_of_file)
    }

    /// What a manifest says: it follows a key, and is refused if it is not sealed by that.
    #[unsafe(no_mangle)]
    pub extern "C" fn manifest_read() -> isize {
        make(fields_of_manifest)
    }

    /// A manifest made so many seconds after 1970, with the serial number after `before`. What it says follows the key that
    /// seals it.
    #[unsafe(no_mangle)]
    pub extern "C" fn manifest_write(seconds: u64, before: u64) -> isize {
        make(|input| manifest_of_fields(input, seconds, before))
    }
}
