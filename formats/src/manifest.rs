//! The manifest: a line for each file and for what else is in its directories, and a seal under all of them.
//! `docs/manifest.md` of `wegman-cli` has the format.
//!
//! ```text
//! # wegman manifest 2: key 0123456789abcdef, UMAC-64, 64-bit tags
//! # directory (photos)
//! UMAC-64 (photos/a.jpg) = 0123456789abcdef nonce=00112233445566778899aabbccddeeff
//! # serial 1, 2026-11-22T15:04:05Z, 1 file, 1 other
//! # wegman seal = 0123456789abcdef nonce=ffeeddccbbaa99887766554433221100
//! ```

pub mod attributes;
pub mod role;

use crate::keyfile::{KeyFile, Purpose};
use crate::names::{counted, escape, unescape};
use crate::{cut, cut_last, hex, name_of};
use anyhow::{Context, Result, anyhow, bail, ensure};
use attributes::Attributes;
use std::collections::{HashMap, HashSet};
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::io::{BufRead, Read, Write};
use std::time::{SystemTime, UNIX_EPOCH};
use wegman_catalogue::{AnyKey, AnyStream, AnyTag, Nonce};

pub use role::{Refusal, Role, made_with};

/// What manifests of any version begin with.
pub const MARK: &str = "# wegman manifest ";
const SEAL: &str = "# wegman seal = ";
const SERIAL: &str = "# serial ";
const UPTO: &[u8] = b" upto=";
/// No name has more bytes.
pub const MAX_NAME: usize = 4096;
/// The first second, counted from 1970, that no date of a manifest can say.
const YEAR_10000: u64 = 253_402_300_800;
/// No line is longer.
const MAX_LINE: u64 = 64 << 10;

/// A tag and, if the algorithm takes one, its nonce.
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
    /// A tag of an algorithm without a nonce.
    pub fn of_tag(tag: &[u8]) -> Result<Stamp> {
        Ok(Stamp { tag: AnyTag::new(tag)?, nonce: None })
    }

    /// Reads `HEX` or, if the key's algorithm takes a nonce, `HEX nonce=HEX`.
    fn parse(text: &[u8], key: &KeyFile) -> Result<Stamp> {
        let (tag, nonce) = cut(text, b" ");
        let tag = hex::decode_lower(tag).context("the tag")?;
        let (bits, wanted) = (8 * tag.len(), 8 * key.tag_bytes);
        ensure!(bits == wanted, "the tag has {bits} bits, the key's {wanted}");
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

/// Makes the lines of a manifest, in order: header, others, entries, seal.
pub struct Sealer<'k> {
    key: &'k KeyFile,
    /// Everything made so far.
    seal: Box<dyn AnyStream + 'k>,
    /// What of it was not taken yet.
    lines: Vec<u8>,
    serial: u64,
    files: u64,
    others: u64,
}

impl<'k> Sealer<'k> {
    /// `seal_key` is `key` derived for seals. `before` is the serial number of the manifest before, 0 if there is none.
    pub fn new(
        key: &'k KeyFile,
        seal_key: &'k dyn AnyKey,
        role: &Role,
        before: u64,
    ) -> Result<Self> {
        // From the beginning again, it would be older than the one before.
        let serial = before.checked_add(1).context("no serial number comes after this one")?;
        let (seal, lines) = (seal_key.stream(), Vec::new());
        let mut sealer = Sealer { key, seal, lines, serial, files: 0, others: 0 };
        sealer.line(role.header(key).as_bytes());
        Ok(sealer)
    }

    pub fn other(&mut self, other: &Other) {
        self.others += 1;
        self.line(&other.line());
    }

    pub fn entry(&mut self, entry: &Entry) {
        self.files += 1;
        self.line(&entry.line(&self.key.algorithm.name));
    }

    /// The lines made since the last call.
    pub fn take(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.lines)
    }

    /// The last lines, after those not taken yet, and what they say. `nonce` is a fresh one, if the key takes one.
    pub fn seal(mut self, now: SystemTime, nonce: Option<Nonce>) -> Result<(Vec<u8>, About)> {
        let seconds = now.duration_since(UNIX_EPOCH).map_or(u64::MAX, |time| time.as_secs());
        ensure!(seconds < YEAR_10000, "the system's clock is before 1970 or after 9999: set it");
        let date = humantime::format_rfc3339_seconds(now).to_string();
        let mut about = About { serial: self.serial, date: Some(date), seal: String::new() };
        self.line(about.line(self.files, self.others).as_bytes());
        let tag = self.seal.finish(nonce.as_ref())?;
        about.seal = tag.to_string();
        self.lines.extend_from_slice(format!("{SEAL}{}\n", Stamp { tag, nonce }).as_bytes());
        Ok((self.lines, about))
    }

    fn line(&mut self, line: &[u8]) {
        let start = self.lines.len();
        self.lines.extend_from_slice(line);
        self.lines.push(b'\n');
        self.seal.update(&self.lines[start..]);
    }
}

/// A manifest's version: serial number, date, numbers of files and others, and seal.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct About {
    /// The serial number, one higher in each version; 0 in manifests of the first format.
    pub serial: u64,
    pub date: Option<String>,
    /// The seal's tag.
    seal: String,
}

impl About {
    fn line(&self, files: u64, others: u64) -> String {
        let date = self.date.as_deref().unwrap_or_default();
        let (files, others) = (counted(files, "file", "files"), counted(others, "other", "others"));
        format!("{SERIAL}{}, {date}, {files}, {others}", self.serial)
    }

    /// Reads [`line`](Self::line) without its mark, and compares the numbers.
    fn parse(text: &[u8], files: u64, others: u64) -> Option<About> {
        let mut parts = str::from_utf8(text).ok()?.splitn(3, ", ");
        let serial = parts.next()?.parse().ok()?;
        let date = parts.next()?;
        let time = humantime::parse_rfc3339(date).ok()?;
        // A date has one form.
        (humantime::format_rfc3339_seconds(time).to_string() == date).then_some(())?;
        let about = About { serial, date: Some(date.to_owned()), seal: String::new() };
        (about.line(files, others).strip_prefix(SERIAL)?.as_bytes() == text).then_some(about)
    }

    /// The first digits of the seal, to compare with another copy's.
    pub fn seal_id(&self) -> &str {
        self.seal.get(..16).unwrap_or(&self.seal)
    }
}

impl fmt::Display for About {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.date {
            Some(date) => write!(f, "serial {}, {date}, seal id {}", self.serial, self.seal_id()),
            None => write!(f, "no serial number, seal id {}", self.seal_id()),
        }
    }
}

/// One file's line in a journal: name and tag.
pub fn entry_line(algorithm: &str, name: &OsStr, stamp: &Stamp) -> Vec<u8> {
    let (mark, name) = escape(name.as_encoded_bytes());
    let mut line = Vec::with_capacity(name.len() + 128);
    line.extend_from_slice(mark);
    line.extend_from_slice(algorithm.as_bytes());
    line.extend_from_slice(b" (");
    line.extend_from_slice(&name);
    line.extend_from_slice(format!(") = {stamp}").as_bytes());
    line
}

/// The line of an entry or of anything else, followed by its attributes, if any.
fn with_attributes(mut line: Vec<u8>, attributes: Option<&Attributes>) -> Vec<u8> {
    if let Some(attributes) = attributes {
        line.extend_from_slice(format!(" {attributes}").as_bytes());
    }
    line
}

/// One file of a manifest.
#[derive(Clone)]
pub struct Entry {
    pub name: OsString,
    pub stamp: Stamp,
    pub attributes: Option<Attributes>,
    /// In a root: the last name that the shard may have; empty for the last shard. `None` in roots of the first kind,
    /// whose rows are in the order of their shards' file names.
    pub upto: Option<OsString>,
}

impl Entry {
    fn line(&self, algorithm: &str) -> Vec<u8> {
        let line = entry_line(algorithm, &self.name, &self.stamp);
        let mut line = with_attributes(line, self.attributes.as_ref());
        if let Some(upto) = &self.upto {
            line.extend_from_slice(UPTO);
            line.extend_from_slice(hex::encode(upto.as_encoded_bytes()).as_bytes());
        }
        line
    }

    /// The sort key of a shard's or a root's rows.
    pub fn place(&self) -> (bool, &OsStr) {
        match &self.upto {
            Some(upto) => (upto.is_empty(), upto),
            None => (false, &self.name),
        }
    }
}

/// The type of what has a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    File,
    Directory,
    Link,
    Socket,
    Pipe,
    Device,
}

impl Kind {
    /// All types but files.
    const OTHERS: [Kind; 5] = [Kind::Directory, Kind::Link, Kind::Socket, Kind::Pipe, Kind::Device];

    /// As manifests have it.
    pub fn word(self) -> &'static str {
        match self {
            Kind::Link => "link",
            other => other.name().trim_start_matches("a "),
        }
    }

    /// With its article.
    pub fn name(self) -> &'static str {
        match self {
            Kind::File => "a file",
            Kind::Directory => "a directory",
            Kind::Link => "a symbolic link",
            Kind::Socket => "a socket",
            Kind::Pipe => "a pipe",
            Kind::Device => "a device",
        }
    }
}

/// A directory that was walked, or something in one that is not a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Other {
    pub name: OsString,
    pub kind: Kind,
    pub attributes: Option<Attributes>,
}

impl Other {
    fn line(&self) -> Vec<u8> {
        assert_ne!(self.kind, Kind::File, "a file has an entry");
        let (mark, name) = escape(self.name.as_encoded_bytes());
        let line = [mark, b"# ", self.kind.word().as_bytes(), b" (", &name, b")"].concat();
        with_attributes(line, self.attributes.as_ref())
    }

    /// Reads [`line`](Self::line) without its marks.
    fn parse(text: &[u8], is_escaped: bool) -> Result<Other> {
        let shape = "a line should have a tag, or be of a directory, link, socket, pipe or device";
        let found = Kind::OTHERS.into_iter().find_map(|kind| {
            Some((kind, text.strip_prefix(kind.word().as_bytes())?.strip_prefix(b" (")?))
        });
        let (kind, rest) = found.context(shape)?;
        let end = rest.iter().rposition(|&byte| byte == b')').context(shape)?;
        let attributes = match &rest[end + 1..] {
            [] => None,
            text => Some(Attributes::parse(text.strip_prefix(b" ").context(shape)?)?),
        };
        Ok(Other { name: parse_name(&rest[..end], is_escaped)?, kind, attributes })
    }
}

/// A whole manifest.
#[derive(Default)]
pub struct Manifest {
    pub role: Role,
    pub entries: Vec<Entry>,
    pub others: Vec<Other>,
    pub about: About,
}

impl Manifest {
    /// The directories that were walked.
    pub fn directories(&self) -> Vec<OsString> {
        let directories = self.others.iter().filter(|other| other.kind == Kind::Directory);
        directories.map(|other| other.name.clone()).collect()
    }

    pub fn has_attributes(&self) -> bool {
        self.entries.iter().any(|entry| entry.attributes.is_some())
            || self.others.iter().any(|other| other.attributes.is_some())
    }

    /// Splits it into the entries with some names and the others.
    pub fn split(self, is_in: impl Fn(&OsStr) -> bool) -> (Manifest, Manifest) {
        let Manifest { role, entries, others, about } = self;
        let (entries, other_entries) = entries.into_iter().partition(|entry| is_in(&entry.name));
        let (others, other_others) = others.into_iter().partition(|other| is_in(&other.name));
        let rest = Manifest {
            role: role.clone(),
            entries: other_entries,
            others: other_others,
            about: about.clone(),
        };
        (Manifest { role, entries, others, about }, rest)
    }

    /// Refuses a name that appears twice.
    fn ensure_once(&self) -> Result<()> {
        let others = self.others.iter().map(|other| &other.name);
        let names = others.chain(self.entries.iter().map(|entry| &entry.name));
        let mut lines_of = HashMap::new();
        for (number, name) in (2..).zip(names) {
            if let Some(first) = lines_of.insert(name, number) {
                bail!("line {number}: the same name is on line {first}");
            }
        }
        Ok(())
    }

    /// Joins it with `rest`, which has other names and the serial number.
    pub fn and(mut self, mut rest: Manifest) -> Manifest {
        rest.entries.append(&mut self.entries);
        rest.others.append(&mut self.others);
        rest
    }

    /// Writes it, sealed, as its next version. `nonce` is a fresh one, if the key takes one.
    pub fn write_next(
        &self,
        key: &KeyFile,
        now: SystemTime,
        nonce: Option<Nonce>,
        out: &mut dyn Write,
    ) -> Result<About> {
        // Nobody could read it, and it may take the place of one that is good: what was found at first may be another thing
        // by the time that it is read.
        if self.role == Role::Plain {
            self.ensure_once().context("nothing was written")?;
        }
        let seal_key = key.derive(Purpose::Seals);
        let mut sealer = Sealer::new(key, &*seal_key, &self.role, self.about.serial)?;
        let mut write = |lines: Vec<u8>| out.write_all(&lines).context("writing the manifest");
        self.others.iter().for_each(|other| sealer.other(other));
        for entry in &self.entries {
            sealer.entry(entry);
            write(sealer.take())?;
        }
        let (lines, about) = sealer.seal(now, nonce)?;
        write(lines)?;
        Ok(about)
    }
}

/// Reads a manifest. It must be complete, sealed and unchanged, and no name may appear twice.
pub fn parse(input: &mut dyn BufRead, key: &KeyFile) -> Result<Manifest, Refusal> {
    let (mut entries, mut others) = (Vec::new(), Vec::new());
    let (role, about) = read(input, key, &mut |line| match line {
        Line::Entry(entry) => entries.push(entry),
        Line::Other(other) => others.push(other),
    })?;
    if role != Role::Plain {
        ensure_sorted(&role, &entries, others.len())?;
        return Ok(Manifest { role, entries, others, about });
    }
    ensure_ranges(&role, &entries)?;
    let manifest = Manifest { role, entries, others, about };
    manifest.ensure_once()?;
    Ok(manifest)
}

/// Checks the order of a shard's or a root's rows, so that no name appears twice. A root's ranges must follow one
/// another, and the last must have no end, so that they leave out no name.
fn ensure_sorted(role: &Role, entries: &[Entry], others: usize) -> Result<()> {
    ensure!(others == 0, "a shard or a root has files, and nothing else");
    ensure!(
        entries.is_sorted_by(|one, next| one.place() < next.place()),
        "the names of a shard or a root are not in order"
    );
    ensure_ranges(role, entries)
}

/// Only roots have ranges; either all rows have one or none.
fn ensure_ranges(role: &Role, entries: &[Entry]) -> Result<()> {
    let ranges = entries.iter().filter(|entry| entry.upto.is_some()).count();
    if ranges > 0 {
        let is_whole = entries.last().is_some_and(|last| last.place().0);
        ensure!(
            *role == Role::Root && ranges == entries.len() && is_whole,
            "the ranges are not those of a root"
        );
        let names: HashSet<_> = entries.iter().map(|entry| &entry.name).collect();
        ensure!(names.len() == entries.len(), "a shard is there twice");
    }
    Ok(())
}

/// As [`parse`], without keeping the manifest in memory.
pub fn check(input: &mut dyn BufRead, key: &KeyFile) -> Result<(), Refusal> {
    read(input, key, &mut |_| ()).map(drop)
}

/// A line below the first.
enum Line {
    Entry(Entry),
    Other(Other),
}

/// Reads a manifest line by line, each of bounded length, and checks its seal. Before that, nothing in it can be
/// trusted.
fn read(
    input: &mut dyn BufRead,
    key: &KeyFile,
    take: &mut dyn FnMut(Line),
) -> Result<(Role, About), Refusal> {
    let seal_key = key.derive(Purpose::Seals);
    let mut seal = seal_key.stream();
    let (mut role, mut about) = (Role::Plain, About::default());
    let (mut files, mut others) = (0, 0);
    let (mut has_serial, mut serial) = (true, None::<(u64, Vec<u8>)>);
    let mut line = Vec::new();
    for number in 1_u64.. {
        line.clear();
        let bytes = (&mut *input).take(MAX_LINE).read_until(b'\n', &mut line);
        let bytes = bytes.map_err(Refusal::Unreadable)?;
        if number == 1 {
            if bytes == 0 {
                return Err(anyhow!("it is empty: a manifest has at least a seal").into());
            }
            role = Role::parse(&line, key)?;
            has_serial = !line.starts_with(role::FIRST_HEADER.as_bytes());
            seal.update(&line);
            continue;
        }
        if bytes == 0 {
            let what = "it ends without a seal: it is truncated, or `wegman tag` did not make it";
            return Err(anyhow!(what).into());
        }
        let Some(text) = line.strip_suffix(b"\n") else {
            let what = if bytes as u64 == MAX_LINE {
                "is longer than any line of a manifest"
            } else {
                "is cut off: the manifest is truncated"
            };
            return Err(anyhow!("line {number} {what}").into());
        };
        if let Some(text) = text.strip_prefix(SEAL.as_bytes()) {
            let stamp = Stamp::parse(text, key).with_context(|| format!("line {number}"))?;
            let sealed = seal.finish(stamp.nonce.as_ref()).map_err(anyhow::Error::from)?;
            if sealed != stamp.tag {
                return Err(anyhow!(
                    "the seal does not match: a line was edited, removed, added or moved, or the seal is another \
                     manifest's; nothing in it can be trusted"
                )
                .into());
            }
            if let Some((number, text)) = serial {
                let parsed = About::parse(&text, files, others);
                about = parsed.with_context(|| format!("line {number} does not fit the others"))?;
            } else if has_serial {
                return Err(anyhow!("line {number}: no serial number stands above the seal").into());
            }
            if !input.fill_buf().map_err(Refusal::Unreadable)?.is_empty() {
                return Err(anyhow!("line {}: there is text after the seal", number + 1).into());
            }
            about.seal = sealed.to_string();
            return Ok((role, about));
        }
        if let Some((number, _)) = serial {
            let what = "after the serial number comes the seal, nothing else";
            return Err(anyhow!("line {number}: {what}").into());
        }
        seal.update(&line);
        if let Some(text) = text.strip_prefix(SERIAL.as_bytes()) {
            serial = Some((number, text.to_owned()));
            continue;
        }
        let parsed = parse_line(text, key).with_context(|| format!("line {number}"))?;
        match parsed {
            Line::Entry(_) => files += 1,
            Line::Other(_) => others += 1,
        }
        take(parsed);
    }
    unreachable!("every manifest ends")
}

/// Whether a line has the mark of an escaped name, and what follows.
fn marked(line: &[u8]) -> (bool, &[u8]) {
    line.strip_prefix(b"\\").map_or((false, line), |rest| (true, rest))
}

fn parse_line(line: &[u8], key: &KeyFile) -> Result<Line> {
    let (is_escaped, rest) = marked(line);
    match rest.strip_prefix(b"# ") {
        Some(text) => Other::parse(text, is_escaped).map(Line::Other),
        None => parse_entry(line, key).map(Line::Entry),
    }
}

/// Reads a file's line.
pub fn parse_entry(line: &[u8], key: &KeyFile) -> Result<Entry> {
    let shape = || format!("a line should be `{} (name) = tag`", key.algorithm.name);
    let (is_escaped, rest) = marked(line);
    let rest = rest
        .strip_prefix(key.algorithm.name.as_bytes())
        .and_then(|rest| rest.strip_prefix(b" ("))
        .with_context(shape)?;
    // A name may hold ") = " itself; a tag can't.
    let (name, rest) = cut_last(rest, b") = ").with_context(shape)?;
    let name = parse_name(name, is_escaped)?;
    let (rest, upto) = cut(rest, UPTO);
    let upto = upto.map(hex::decode_lower).transpose().context("the range's end")?;
    let upto = upto.map(|upto| name_of(upto.to_vec())).transpose()?;
    let (stamp, has_attributes) = cut(rest, b" mode=");
    let attributes = has_attributes.map(|_| Attributes::parse(&rest[stamp.len() + 1..]));
    let (attributes, stamp) = (attributes.transpose()?, Stamp::parse(stamp, key)?);
    Ok(Entry { name, stamp, attributes, upto })
}

fn parse_name(text: &[u8], is_escaped: bool) -> Result<OsString> {
    let name = match is_escaped {
        true => unescape(text).context("the name has an unknown escape sequence")?,
        false => text.to_vec(),
    };
    ensure!(!name.is_empty() && !name.contains(&0), "that is not a valid file name");
    name_of(name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn parse(bytes: &[u8], key: &KeyFile) -> Result<Manifest, Refusal> {
        super::parse(&mut &bytes[..], key)
    }

    fn key(algorithm: &str) -> KeyFile {
        let algorithm = wegman_catalogue::find(algorithm).unwrap();
        let longest = *algorithm.tag_bytes.end();
        KeyFile::generate(algorithm, longest, random).unwrap()
    }

    fn random(room: &mut [u8]) -> Result<()> {
        Ok(getrandom::fill(room)?)
    }

    fn fresh_nonce(key: &KeyFile) -> Option<Nonce> {
        let mut bytes = vec![0; key.nonce_bytes()?];
        random(&mut bytes).unwrap();
        Some(Nonce::new(&bytes).unwrap())
    }

    fn write(manifest: &Manifest, key: &KeyFile) -> Result<Vec<u8>> {
        let mut bytes = Vec::new();
        manifest.write_next(key, UNIX_EPOCH, fresh_nonce(key), &mut bytes).map(|_| bytes)
    }

    fn stamp(key: &KeyFile, content: &[u8]) -> Stamp {
        let nonce = fresh_nonce(key);
        let tag = key.derive(Purpose::Files).tag(nonce.as_ref(), content).unwrap();
        Stamp { tag, nonce }
    }

    fn entry(name: &[u8], stamp: Stamp, upto: Option<&str>) -> Entry {
        let name = name_of(name.to_vec()).unwrap();
        Entry { name, stamp, attributes: None, upto: upto.map(OsString::from) }
    }

    fn manifest(key: &KeyFile, names: &[&[u8]]) -> Vec<u8> {
        let entries = names.iter().map(|name| entry(name, stamp(key, b"content"), None)).collect();
        write(&Manifest { entries, ..Manifest::default() }, key).unwrap()
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
            Refusal::Unreadable(error) => panic!("{error}"),
        }
    }

    #[test]
    fn every_name_survives() {
        for algorithm in ["PMAC-AES128", "UMAC-32", "UMAC-128", "Carter-64"] {
            let key = key(algorithm);
            let entries = parse(&manifest(&key, NAMES), &key).ok().expect("it is whole").entries;
            let names: Vec<_> = entries.iter().map(|entry| entry.name.as_encoded_bytes()).collect();
            assert_eq!(names, NAMES);
            for entry in entries {
                let tag = key.derive(Purpose::Files).tag(entry.stamp.nonce.as_ref(), b"content");
                assert_eq!(tag.unwrap(), entry.stamp.tag);
            }
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
        let mut doubled = lines.clone();
        doubled.insert(2, lines[1]);
        assert!(changed(&doubled).is_some());
        let mut swapped = lines.clone();
        swapped.swap(1, 2);
        assert!(changed(&swapped).unwrap().contains("the seal does not match"));
        let mut resealed = lines.clone();
        resealed[5] = other.split_inclusive(|&byte| byte == b'\n').next_back().unwrap();
        assert!(changed(&resealed).unwrap().contains("the seal does not match"));
        let mut after = lines.clone();
        after.push(lines[1]);
        assert!(changed(&after).unwrap().contains("line 7: there is text after the seal"));
    }

    /// It is this key's manifest, only damaged.
    #[test]
    fn line_ends_of_other_systems_are_refused() {
        let key = key("UMAC-64");
        let whole = manifest(&key, &[b"a", b"b"]);
        let with = |end: &[u8], from: usize| {
            let lines = whole.split_inclusive(|&byte| byte == b'\n').enumerate();
            let line = |(i, line): (usize, &[u8])| match i < from {
                true => line.to_vec(),
                false => [&line[..line.len() - 1], end].concat(),
            };
            forged(parse(&lines.flat_map(line).collect::<Vec<_>>(), &key).err().unwrap())
        };
        assert!(with(b"\r\n", 0).contains("line ends are CRLF"));
        assert!(with(b"\r", 0).contains("line 1"));
        assert!(with(b"\r\n", 1).contains("line 2"));
    }

    /// `tests/manifests.json` has those of an algorithm without nonces.
    #[test]
    fn malformed_lines_are_named() {
        let key = key("UMAC-64");
        let whole = manifest(&key, &[b"a", b"b", b"c"]);
        let lines: Vec<&[u8]> = whole.split_inclusive(|&byte| byte == b'\n').collect();
        let nonce = "00".repeat(16);
        for bad in [
            "UMAC-64 (b)",
            "UMAC-64 (b) = 0123456789abcdef",
            "UMAC-64 (b) = 0123456789abcdef nonce=",
            "UMAC-64 (b) = 0123456789abcdef nonce=0",
            &format!("UMAC-64 (b) = 0123456789abcde nonce={nonce}"),
            &format!("UMAC-64 (b) = 0123456789abcdeg nonce={nonce}"),
            &format!("UMAC-64 (b) = 0123456789ab nonce={nonce}"),
            &format!("UMAC-64 (b) = 0123456789abcdef nonce={nonce}00"),
            &format!("UMAC-64 (b) = 0123456789abcdef nonce={nonce} "),
            &format!("UMAC-32 (b) = 01234567 nonce={nonce}"),
        ] {
            let bad = format!("{bad}\n");
            let mut changed = lines.clone();
            changed[2] = bad.as_bytes();
            let error = forged(parse(&changed.concat(), &key).err().unwrap());
            assert!(error.starts_with("line 3"), "{bad}: {error}");
        }
    }

    /// All nonces under a key have one length: shorter ones can share a pad with them.
    #[test]
    fn nonces_of_other_lengths_are_refused() {
        for algorithm in ["UMAC-64", "Carter-128", "UMAC-STD-30"] {
            let key = key(algorithm);
            let right = fresh_nonce(&key).unwrap().len();
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

    /// What a case of `tests/manifests.json` makes, sealed.
    fn sealed(case: &serde_json::Value, key: &KeyFile) -> Result<Manifest, Refusal> {
        let version = case["version"].as_u64().unwrap_or(2);
        let mut text = format!("{MARK}{version}: {}\n", key.describe());
        for line in case["lines"].as_array().unwrap() {
            text.push_str(line.as_str().unwrap());
            text.push('\n');
        }
        if let Some(repeat) = case["repeat"].as_array() {
            let times = repeat[1].as_u64().unwrap() as usize;
            text = text.replace('@', &repeat[0].as_str().unwrap().repeat(times));
        }
        let seal = key.derive(Purpose::Seals).tag(None, text.as_bytes()).unwrap();
        parse(format!("{text}{SEAL}{seal}\n").as_bytes(), key)
    }

    #[test]
    fn sealed_lines_are_of_one_grammar() {
        let key = key("PMAC-AES128");
        let text = include_str!("../tests/manifests.json");
        let cases: serde_json::Value = serde_json::from_str(text).unwrap();
        for case in cases["accepted"].as_array().unwrap() {
            let manifest = sealed(case, &key).map_err(forged);
            let manifest = manifest.unwrap_or_else(|error| panic!("{case}: {error}"));
            let files = manifest.entries.iter().map(|entry| &entry.name);
            let names: Vec<_> = files.map(|name| name.to_str().unwrap()).collect();
            if case["repeat"].is_null() {
                assert_eq!(serde_json::json!(names), case["files"], "{case}");
            }
            let directories = manifest.directories();
            let names: Vec<_> = directories.iter().map(|name| name.to_str().unwrap()).collect();
            assert_eq!(serde_json::json!(names), case["directories"], "{case}");
            assert_eq!(manifest.about.serial.to_string(), case["serial"], "{case}");
        }
        let refused = cases["refused"].as_array().unwrap().iter();
        let taken: Vec<_> = refused.filter(|case| sealed(case, &key).is_ok()).collect();
        assert!(taken.is_empty(), "{taken:#?}");
    }

    #[test]
    fn nothing_is_sealed_that_can_not_be_read() {
        let key = key("PMAC-AES128");
        let written = |names: &[&[u8]]| {
            let entry = |name: &&[u8]| entry(name, stamp(&key, b"content"), None);
            let entries = names.iter().map(entry).collect();
            let error = |error: anyhow::Error| format!("{error:#}");
            write(&Manifest { entries, ..Manifest::default() }, &key).map_err(error)
        };
        let twice = written(&[b"a", b"b", b"a"]).unwrap_err();
        assert_eq!(twice, "nothing was written: line 4: the same name is on line 2");
    }

    /// Fuzzing found number 0 after the last one: a new manifest that counts as the oldest.
    #[test]
    fn no_serial_number_comes_after_the_last() {
        let key = key("PMAC-AES128");
        let about = |serial| About { serial, ..About::default() };
        let next = |serial| {
            let manifest = Manifest { about: about(serial), ..Manifest::default() };
            manifest.write_next(&key, UNIX_EPOCH, None, &mut Vec::new())
        };
        assert_eq!(next(u64::MAX - 1).unwrap().serial, u64::MAX);
        let error = next(u64::MAX).unwrap_err().to_string();
        assert_eq!(error, "no serial number comes after this one");
    }

    #[test]
    fn a_clock_that_no_date_can_say() {
        let key = key("PMAC-AES128");
        let at = |now| Manifest::default().write_next(&key, now, None, &mut Vec::new());
        let last = UNIX_EPOCH + Duration::from_secs(YEAR_10000 - 1);
        assert_eq!(at(last).unwrap().date.as_deref(), Some("9999-12-31T23:59:59Z"));
        for now in [last + Duration::from_secs(1), UNIX_EPOCH - Duration::from_secs(1)] {
            assert!(at(now).unwrap_err().to_string().contains("set it"));
        }
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

    fn roles() -> [Role; 3] {
        [Role::Plain, Role::shard("0123456789abcdef").unwrap(), Role::Root]
    }

    fn of_role(key: &KeyFile, role: Role, names: &[&str]) -> Vec<u8> {
        let tag = role.files_key(key).tag(None, b"content").unwrap();
        let stamp = Stamp { tag, nonce: None };
        let entries =
            names.iter().map(|name| entry(name.as_bytes(), stamp.clone(), None)).collect();
        write(&Manifest { role, entries, ..Manifest::default() }, key).unwrap()
    }

    #[test]
    fn ranges_of_a_root_leave_out_nothing() {
        let key = key("PMAC-AES128");
        let parsed = |role: &Role, rows: &[(&str, Option<&str>)]| {
            let tag = role.files_key(&key).tag(None, b"content").unwrap();
            let stamp = Stamp { tag, nonce: None };
            let entries: Vec<_> = rows
                .iter()
                .map(|(name, upto)| entry(name.as_bytes(), stamp.clone(), *upto))
                .collect();
            let manifest = Manifest { role: role.clone(), entries, ..Manifest::default() };
            parse(&write(&manifest, &key).unwrap(), &key)
        };
        let good = [("z", Some("b")), ("a", Some("b/\n\u{10ffff}")), ("m", Some(""))];
        let read = parsed(&Role::Root, &good).ok().unwrap();
        let found = read.entries.iter().map(|entry| entry.upto.as_ref().unwrap().to_str().unwrap());
        assert!(found.eq(good.iter().map(|row| row.1.unwrap())));
        let (end, none) = (Some(""), None);
        let bad: [&[_]; 8] = [
            &[("z", Some("b")), ("a", Some("c"))],
            &[("z", Some("c")), ("a", Some("b")), ("m", end)],
            &[("z", Some("b")), ("a", Some("b")), ("m", end)],
            &[("z", end), ("a", end)],
            &[("z", end), ("a", Some("b"))],
            &[("z", Some("b")), ("zz", none)],
            &[("b", none), ("z", end)],
            &[("z", Some("b")), ("z", end)],
        ];
        for rows in bad {
            assert!(parsed(&Role::Root, rows).is_err(), "{rows:?}");
        }
        let shard = Role::shard("0123456789abcdef").unwrap();
        assert!(parsed(&shard, &[("z", end)]).is_err());
        assert!(parsed(&Role::Plain, &[("z", end)]).is_err());
    }

    #[test]
    fn a_role_is_what_was_sealed() {
        let key = key("PMAC-AES128");
        for role in roles() {
            let whole = of_role(&key, role.clone(), &["a", "b"]);
            assert_eq!(parse(&whole, &key).ok().unwrap().role, role);
            for at in 0..whole.len() {
                for bit in 0..8 {
                    let mut flipped = whole.clone();
                    flipped[at] ^= 1 << bit;
                    assert!(parse(&flipped, &key).is_err(), "{role:?}: byte {at}, bit {bit}");
                }
                // Of no other key: what is left of the first line only looks so.
                let cut = parse(&whole[..at], &key);
                assert!(matches!(cut, Err(Refusal::Forged(_))), "{role:?}: cut at {at}");
            }
            let rest = &whole[whole.iter().position(|&byte| byte == b'\n').unwrap()..];
            let another = Role::shard("0123456789abcdee").unwrap();
            for other in roles().into_iter().chain([another]).filter(|other| *other != role) {
                let header = other.header(&key).into_bytes();
                let error = forged(parse(&[&header, rest].concat(), &key).err().unwrap());
                assert!(
                    error.contains("the seal does not match"),
                    "{role:?} as {other:?}: {error}"
                );
            }
        }
        assert_eq!(Role::shard("0123456789ABCDEF"), None);
        assert_eq!(Role::shard("0123456789abcde"), None);
    }

    #[test]
    fn shards_have_keys_of_their_own() {
        let key = key("PMAC-AES128");
        let shards = ["0123456789abcdef", "0123456789abcdee"].map(|id| Role::shard(id).unwrap());
        let tag = |role: &Role| role.files_key(&key).tag(None, b"content").unwrap();
        assert_ne!(tag(&shards[0]), tag(&shards[1]));
        assert_ne!(tag(&shards[0]), tag(&Role::Plain));
        assert_eq!(tag(&Role::Root), tag(&Role::Plain));
    }

    #[test]
    fn shards_and_roots_have_files_in_order_and_nothing_else() {
        let key = key("PMAC-AES128");
        for role in roles().into_iter().skip(1) {
            for names in [&["b", "a"][..], &["a", "a"], &["a", "c", "b"]] {
                let error = parse(&of_role(&key, role.clone(), names), &key).err().map(forged);
                assert!(error.unwrap().contains("not in order"), "{role:?}: {names:?}");
            }
            let other = Other { name: "d".into(), kind: Kind::Directory, attributes: None };
            let manifest =
                Manifest { role: role.clone(), others: vec![other], ..Manifest::default() };
            let error = forged(parse(&write(&manifest, &key).unwrap(), &key).err().unwrap());
            assert!(error.contains("nothing else"), "{error}");
        }
    }

    #[test]
    fn another_keys_manifest_is_a_matter_of_the_key() {
        let (mine, other) = (key("PMAC-AES128"), key("PMAC-AES128"));
        assert!(matches!(parse(&manifest(&other, &[b"a"]), &mine), Err(Refusal::Key(_))));
        for role in roles() {
            assert!(matches!(parse(&of_role(&other, role, &["a"]), &mine), Err(Refusal::Key(_))));
        }
    }
}
