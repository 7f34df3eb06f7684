//! The manifest: a line per file, and a seal under all of them. docs/manifest.md has the format.
//!
//! ```text
//! # wegman manifest 1: key 0123456789abcdef, UMAC-64, 64-bit tags
//! UMAC-64 (a name) = 0123456789abcdef nonce=00112233445566778899aabbccddeeff
//! # wegman seal = 0123456789abcdef nonce=ffeeddccbbaa99887766554433221100
//! ```

pub mod file;

use super::keyfile::{KeyFile, Purpose};
use crate::files::reader::Reader;
use crate::hex;
use crate::names::{escape, unescape};
use anyhow::{Context, Result, anyhow, bail, ensure};
use indicatif::ProgressBar;
use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use wegman_catalogue::{AnyKey, AnyStream, AnyTag, Nonce};

/// What manifests of any version begin with.
pub const MARK: &str = "# wegman manifest ";
const HEADER: &str = "# wegman manifest 1: ";
const SEAL: &str = "# wegman seal = ";

/// A tag and, if the algorithm takes one, the nonce it was made under.
#[derive(Clone)]
pub struct Stamp {
    pub tag: AnyTag,
    pub nonce: Option<Nonce>,
}

impl fmt::Display for Stamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.tag)?;
        match &self.nonce {
            Some(nonce) => write!(f, " nonce={}", hex::encode(nonce.as_bytes())),
            None => Ok(()),
        }
    }
}

impl Stamp {
    /// Reads `HEX` or `HEX nonce=HEX`, whichever the key's algorithm has.
    fn parse(text: &[u8], key: &KeyFile) -> Result<Stamp> {
        let (tag, nonce) = match text.iter().position(|&byte| byte == b' ') {
            Some(space) => (&text[..space], Some(&text[space + 1..])),
            None => (text, None),
        };
        let tag = hex::decode_lower(tag).context("the tag")?;
        if tag.len() != key.tag_bytes {
            return Err(anyhow!(
                "the tag has {} bits, the key's {}",
                8 * tag.len(),
                8 * key.tag_bytes
            ));
        }
        let nonce = match (nonce, key.nonce_bytes()) {
            (None, None) => None,
            (Some(_), None) => return Err(anyhow!("there is text after the tag")),
            (None, Some(_)) => return Err(anyhow!("the nonce is missing")),
            (Some(text), Some(length)) => {
                let digits =
                    text.strip_prefix(b"nonce=").context("nonce= should follow the tag")?;
                let bytes = hex::decode_lower(digits).context("the nonce")?;
                let nonce = Nonce::new(&bytes).ok().filter(|nonce| nonce.len() == length);
                Some(nonce.with_context(|| {
                    format!("a nonce here has {length} bytes, not {}", bytes.len())
                })?)
            }
        };
        Ok(Stamp { tag: AnyTag::new(&tag)?, nonce })
    }
}

/// A fresh random nonce, if the algorithm takes one. 16 random bytes: 2^32 files under one key
/// collide with probability about 2^-65.
pub fn fresh_nonce(key: &KeyFile) -> Result<Option<Nonce>> {
    let Some(length) = key.nonce_bytes() else {
        return Ok(None);
    };
    let mut bytes = [0; Nonce::MAX];
    let bytes = &mut bytes[..length];
    getrandom::fill(bytes).map_err(|error| anyhow!("no random nonce: {error}"))?;
    Ok(Some(Nonce::new(bytes)?))
}

/// Makes the lines of a manifest, in order: header, entries, seal.
pub struct Sealer<'k> {
    key: &'k KeyFile,
    /// Everything made so far.
    seal: Box<dyn AnyStream + 'k>,
}

impl<'k> Sealer<'k> {
    /// `seal_key` is `key` derived for seals.
    pub fn new(key: &'k KeyFile, seal_key: &'k dyn AnyKey) -> Self {
        Sealer { key, seal: seal_key.stream() }
    }

    pub fn header(&mut self) -> Vec<u8> {
        self.covered(format!("{HEADER}{}", self.key.describe()).into_bytes())
    }

    pub fn entry(&mut self, name: &OsStr, stamp: &Stamp) -> Vec<u8> {
        self.covered(entry_line(&self.key.algorithm.name, name, stamp))
    }

    /// The last line.
    pub fn seal(self) -> Result<Vec<u8>> {
        let nonce = fresh_nonce(self.key)?;
        let tag = self.seal.finish(nonce.as_ref())?;
        Ok(format!("{SEAL}{}", Stamp { tag, nonce }).into_bytes())
    }

    fn covered(&mut self, line: Vec<u8>) -> Vec<u8> {
        self.seal.update(&line);
        self.seal.update(b"\n");
        line
    }
}

/// One file's line.
pub fn entry_line(algorithm: &str, name: &OsStr, stamp: &Stamp) -> Vec<u8> {
    let (mark, name) = escape(name.as_bytes());
    let mut line = Vec::with_capacity(name.len() + 128);
    line.extend_from_slice(mark);
    line.extend_from_slice(algorithm.as_bytes());
    line.extend_from_slice(b" (");
    line.extend_from_slice(&name);
    line.extend_from_slice(format!(") = {stamp}").as_bytes());
    line
}

/// One file of a manifest.
pub struct Entry {
    pub name: OsString,
    pub stamp: Stamp,
}

impl Entry {
    /// Whether the file is what its entry says: an error if it can't be read.
    pub fn is_good(
        &self,
        key: &dyn AnyKey,
        reader: &mut Reader<'_>,
        bar: &ProgressBar,
    ) -> Result<bool> {
        let mut stream = key.stream();
        reader.feed(&mut *stream, &self.name, bar)?;
        Ok(stream.finish(self.stamp.nonce.as_ref())? == self.stamp.tag)
    }
}

/// Why a manifest was not accepted.
pub enum Refusal {
    /// Another key made it, or another version of it: nothing can be said of its files.
    Key(anyhow::Error),
    /// It is not what was sealed.
    Forged(anyhow::Error),
}

/// Reads a manifest; only a whole, sealed, unchanged one comes back.
pub fn parse(bytes: &[u8], key: &KeyFile) -> Result<Vec<Entry>, Refusal> {
    if bytes.is_empty() {
        return Err(Refusal::Forged(anyhow!("it is empty: a manifest has at least a seal")));
    }
    header(bytes, key)?;
    body(bytes, key).map_err(Refusal::Forged)
}

/// The first line: is this a manifest at all, and of this key?
fn header(bytes: &[u8], key: &KeyFile) -> Result<(), Refusal> {
    let first = bytes.split_inclusive(|&byte| byte == b'\n').next().unwrap_or_default();
    if first == format!("{HEADER}{}\n", key.describe()).as_bytes() {
        return Ok(());
    }
    let rest = first.strip_prefix(HEADER.as_bytes()).and_then(|rest| rest.strip_suffix(b"\n"));
    match rest.and_then(made_with) {
        Some(made_with) if made_with != key.describe() => Err(Refusal::Key(anyhow!(
            "it was made with {made_with}, but the key given is {}: use the key that made it",
            key.describe()
        ))),
        _ => Err(Refusal::Forged(anyhow!(
            "line 1 is damaged: a manifest of this version and key begins with `{HEADER}{}`",
            key.describe()
        ))),
    }
}

/// What a whole first line says of its key, `key 0123456789abcdef, NAME, N-bit tags`. Nothing else
/// of an unverified manifest is repeated in a message.
pub fn made_with(rest: &[u8]) -> Option<&str> {
    let text = str::from_utf8(rest).ok()?;
    let mut parts = text.strip_prefix("key ")?.strip_suffix("-bit tags")?.split(", ");
    let (id, name, bits) = (parts.next()?, parts.next()?, parts.next()?);
    let whole = id.len() == 16
        && id.bytes().all(|byte| byte.is_ascii_hexdigit())
        && name.bytes().all(|byte| byte.is_ascii_graphic())
        && bits.bytes().all(|byte| byte.is_ascii_digit())
        && parts.next().is_none();
    whole.then_some(text)
}

fn body(bytes: &[u8], key: &KeyFile) -> Result<Vec<Entry>> {
    let mut entries = Vec::new();
    let mut lines_of = HashMap::new();
    let mut start = 0;
    for (number, line) in (1..).zip(bytes.split_inclusive(|&byte| byte == b'\n')) {
        let line_start = start;
        start += line.len();
        let line = line
            .strip_suffix(b"\n")
            .with_context(|| format!("line {number} is cut off: the manifest is truncated"))?;
        if number == 1 {
            continue;
        }
        if let Some(text) = line.strip_prefix(SEAL.as_bytes()) {
            let stamp = Stamp::parse(text, key).with_context(|| format!("line {number}"))?;
            let seal_key = key.derive(Purpose::Seals);
            let sealed = seal_key.tag(stamp.nonce.as_ref(), &bytes[..line_start])?;
            ensure!(
                sealed == stamp.tag,
                "the seal does not match: a line was edited, removed, added or moved, or the seal \
                 is another manifest's; nothing in it can be trusted"
            );
            ensure!(start == bytes.len(), "line {}: there is text after the seal", number + 1);
            return Ok(entries);
        }
        let entry = parse_entry(line, key).with_context(|| format!("line {number}"))?;
        if let Some(first) = lines_of.insert(entry.name.clone(), number) {
            bail!("line {number}: the same name is on line {first}");
        }
        entries.push(entry);
    }
    bail!("it ends without a seal: it is truncated, or `wegman tag` did not make it")
}

/// Reads [`entry_line`].
pub fn parse_entry(line: &[u8], key: &KeyFile) -> Result<Entry> {
    let shape = || format!("a line should be `{} (name) = tag`", key.algorithm.name);
    let (escaped, rest) = match line.strip_prefix(b"\\") {
        Some(rest) => (true, rest),
        None => (false, line),
    };
    let rest = rest
        .strip_prefix(key.algorithm.name.as_bytes())
        .and_then(|rest| rest.strip_prefix(b" ("))
        .with_context(shape)?;
    // A name may hold ") = " itself; a tag can't.
    let end = rest.windows(4).rposition(|four| four == b") = ").with_context(shape)?;
    let name = match escaped {
        true => unescape(&rest[..end]).context("the name has an unknown escape sequence")?,
        false => rest[..end].to_vec(),
    };
    ensure!(!name.is_empty() && !name.contains(&0), "that is not a valid file name");
    Ok(Entry { name: OsString::from_vec(name), stamp: Stamp::parse(&rest[end + 4..], key)? })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(algorithm: &str) -> KeyFile {
        let algorithm = wegman_catalogue::find(algorithm).unwrap();
        let longest = *algorithm.tag_bytes.end();
        KeyFile::generate(algorithm, longest).unwrap()
    }

    fn stamp(key: &KeyFile, content: &[u8]) -> Stamp {
        let nonce = fresh_nonce(key).unwrap();
        let tag = key.derive(Purpose::Files).tag(nonce.as_ref(), content).unwrap();
        Stamp { tag, nonce }
    }

    fn manifest(key: &KeyFile, names: &[&[u8]]) -> Vec<u8> {
        let seal_key = key.derive(Purpose::Seals);
        let mut sealer = Sealer::new(key, &*seal_key);
        let mut lines = vec![sealer.header()];
        for name in names {
            lines.push(sealer.entry(OsStr::from_bytes(name), &stamp(key, b"content")));
        }
        lines.push(sealer.seal().unwrap());
        lines.push(Vec::new());
        lines.join(&b'\n')
    }

    const NAMES: &[&[u8]] = &[
        b"plain",
        b"-leading dash",
        b"new\nline",
        b"back\\slash\\n",
        b"carriage\rreturn",
        b"not \xff\xfe UTF-8",
        b"x) = 00112233445566778899aabbccddeeff",
        b"# wegman seal = 00",
        b" ",
    ];

    fn forged(refusal: Refusal) -> String {
        match refusal {
            Refusal::Forged(error) => format!("{error:#}"),
            Refusal::Key(error) => panic!("not a matter of the key: {error:#}"),
        }
    }

    #[test]
    fn every_name_survives() {
        for algorithm in ["PMAC-AES128", "UMAC-32", "UMAC-128", "Carter-64"] {
            let key = key(algorithm);
            let entries = parse(&manifest(&key, NAMES), &key).ok().expect("it is whole");
            let names: Vec<_> = entries.iter().map(|entry| entry.name.as_bytes()).collect();
            assert_eq!(names, NAMES);
            for entry in entries {
                let tag = key.derive(Purpose::Files).tag(entry.stamp.nonce.as_ref(), b"content");
                assert_eq!(tag.unwrap(), entry.stamp.tag);
            }
        }
    }

    #[test]
    fn any_flipped_bit_and_any_cut_is_refused() {
        let key = key("UMAC-64");
        let whole = manifest(&key, &[b"a", b"b"]);
        for at in 0..whole.len() {
            for bit in 0..8 {
                let mut flipped = whole.clone();
                flipped[at] ^= 1 << bit;
                assert!(parse(&flipped, &key).is_err(), "byte {at}, bit {bit}");
            }
            assert!(parse(&whole[..at], &key).is_err(), "cut at {at}");
        }
    }

    #[test]
    fn lines_taken_away_swapped_or_doubled_are_refused() {
        let key = key("PMAC-AES128");
        let whole = manifest(&key, &[b"a", b"b", b"c"]);
        let lines: Vec<&[u8]> = whole.split_inclusive(|&byte| byte == b'\n').collect();
        let (other, changed) = (manifest(&key, &[b"a", b"b"]), |lines: &[&[u8]]| {
            parse(&lines.concat(), &key).err().map(forged)
        });
        assert_eq!(changed(&lines), None);
        for gone in 1..lines.len() {
            let mut fewer = lines.clone();
            fewer.remove(gone);
            assert!(changed(&fewer).is_some(), "without line {}", gone + 1);
        }
        let mut swapped = lines.clone();
        swapped.swap(1, 2);
        assert!(changed(&swapped).unwrap().contains("the seal does not match"));
        let mut resealed = lines.clone();
        resealed[4] = other.split_inclusive(|&byte| byte == b'\n').next_back().unwrap();
        assert!(changed(&resealed).unwrap().contains("the seal does not match"));
        let mut after = lines.clone();
        after.push(lines[1]);
        assert!(changed(&after).unwrap().contains("line 6: there is text after the seal"));
    }

    /// All nonces under a key have one length: shorter ones can share a pad with them.
    #[test]
    fn nonces_of_other_lengths_are_refused() {
        for algorithm in ["UMAC-64", "Carter-128", "UMAC-STD-30"] {
            let key = key(algorithm);
            let right = fresh_nonce(&key).unwrap().unwrap().len();
            assert_eq!(Some(right), key.nonce_bytes());
            let tag = AnyTag::new(&vec![7; key.tag_bytes]).unwrap();
            for length in 1..=Nonce::MAX {
                let nonce = Nonce::new(&vec![1; length]).ok();
                let text = Stamp { tag, nonce }.to_string();
                let parsed = Stamp::parse(text.as_bytes(), &key);
                if length == right {
                    assert_eq!(parsed.unwrap().nonce, nonce);
                    continue;
                }
                let error = parsed.err().unwrap().to_string();
                assert_eq!(error, format!("a nonce here has {right} bytes, not {length}"));
            }
            let longer = format!("{tag} nonce={}", "01".repeat(Nonce::MAX + 1));
            let error = Stamp::parse(longer.as_bytes(), &key).err().unwrap().to_string();
            assert_eq!(error, format!("a nonce here has {right} bytes, not 17"));
        }
    }

    #[test]
    fn a_name_given_twice_is_refused_even_if_sealed() {
        let key = key("PMAC-AES128");
        let twice = manifest(&key, &[b"a", b"b", b"a"]);
        let error = forged(parse(&twice, &key).err().unwrap());
        assert!(error.contains("line 4: the same name is on line 2"), "{error}");
    }

    /// A file that holds a manifest's lines, tagged as a file, must not yield that manifest's seal.
    #[test]
    fn a_files_tag_is_no_seal() {
        let key = key("PMAC-AES128");
        let whole = manifest(&key, &[b"a"]);
        let seal = whole.windows(SEAL.len()).position(|part| part == SEAL.as_bytes()).unwrap();
        let mut forgery = whole[..seal].to_vec();
        let tag = stamp(&key, &forgery);
        forgery.extend_from_slice(format!("{SEAL}{tag}\n").as_bytes());
        assert!(forged(parse(&forgery, &key).err().unwrap()).contains("the seal does not match"));
    }

    #[test]
    fn another_keys_manifest_is_a_matter_of_the_key() {
        let (mine, other) = (key("PMAC-AES128"), key("PMAC-AES128"));
        assert!(matches!(parse(&manifest(&other, &[b"a"]), &mine), Err(Refusal::Key(_))));
    }
}
