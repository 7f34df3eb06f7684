//! `wegman combine`: the tag of an object from the segments of its parts.

use super::segment::summer::PartKey;
use crate::args::Combine;
use crate::files::{STDIN, fill, stdin};
use crate::names::shown;
use crate::output::screen::controls_escaped;
use crate::output::{Exit, counted, say};
use crate::stored::manifest::write_next;
use crate::{hex, standard};
use anyhow::{Context, Result, bail, ensure};
use std::ffi::OsStr;
use std::fs::File;
use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;
use wegman::pmac::hazmat::Segment;
use wegman_catalogue::AnyTag;
use wegman_formats::keyfile::{KeyFile, Purpose};
use wegman_formats::manifest::{Entry, MAX_NAME, Manifest, Stamp};
use wegman_formats::segment::{Object, parse};
use zeroize::Zeroizing;

/// Bytes of a file of segments to begin with.
const ROOM: usize = 64 << 10;
/// No file of segments is longer; anything longer is something else.
const MAX_FILE: usize = 64 << 20;

/// A segment and where it came from.
struct Part {
    source: String,
    segment: Segment,
    object: Object,
    block: u64,
}

impl Part {
    fn start(&self) -> u64 {
        self.segment.start() * self.block
    }

    fn end(&self) -> u64 {
        self.start() + self.segment.bits() / 8
    }

    /// What it is a part of, for messages.
    fn of(&self) -> String {
        match &self.object.id {
            Some(id) => format!("the object {}", shown(id)),
            None => "an object without an id".to_owned(),
        }
    }
}

pub fn run(args: &Combine) -> Result<Exit> {
    let key = args.key.load()?;
    let file_key = key.derive(Purpose::Files);
    let part_key = PartKey::new(&key, &*file_key)?;
    let block = part_key.block as u64;
    let mut parts = read_all(&args.segments, &key, block)?;
    let object = object_of(&parts, args.object.as_deref())?;
    fit(&mut parts, block)?;
    let count = parts.len();
    let mut segments: Vec<Segment> = parts.into_iter().map(|part| part.segment).collect();
    let whole = Segment::combine(&mut segments)?;
    let bytes = whole.bits() / 8;
    if let Some(length) = object.length {
        ensure!(
            bytes == length,
            "the segments end at byte {bytes}, but say that the object has {length}: the last one is missing"
        );
    }
    if let Some(length) = args.length {
        ensure!(
            bytes == length,
            "the segments end at byte {bytes}, but --length says {length}: {}",
            if bytes < length {
                "the last one is missing"
            } else {
                "they belong to something else, or --length is wrong"
            }
        );
    }
    if object.length.is_none() && args.length.is_none() {
        say(
            "no segment says how long the object is, so the last ones may be missing; `--length BYTES` here or \
             `wegman segment --size BYTES` says it",
        );
    }
    if object.id.is_none() {
        say(
            "the segments have no object id: it is unknown whether they are parts of the same object, and of the same \
             version of it; `wegman segment --object ID` binds them to one",
        );
    }
    let tag = part_key.pmac.tag_of_segment(&whole)?;

    let text = if args.json {
        let id = object.id.as_deref();
        let mut record = serde_json::json!({
            "type": "summary", "command": "combine", "segments": count, "bytes": bytes,
            "tag": tag.to_string(), "object": id.map(OsStr::to_string_lossy), "length": object.length,
            "exit": 0
        });
        if let Some(id) = id.filter(|id| id.to_str().is_none()) {
            record["object_hex"] = hex::encode(id.as_bytes()).into();
        }
        format!("{}\n", controls_escaped(&record.to_string())).into_bytes()
    } else if let Some(name) = &args.name {
        manifest(&key, name, tag)?
    } else {
        format!("{tag}\n").into_bytes()
    };
    standard::print_lines(&text)?;
    let segments = counted(count as u64, "segment", "segments");
    say(&format!("combine: {segments}, {bytes} bytes in all"));
    Ok(Exit::Good)
}

/// The manifest of one file with that tag.
fn manifest(key: &KeyFile, name: &OsStr, tag: AnyTag) -> Result<Vec<u8>> {
    ensure!((1..=MAX_NAME).contains(&name.len()) && name != STDIN, "--as: not a valid file name");
    let stamp = Stamp { tag, nonce: None };
    let entries = vec![Entry { name: name.to_owned(), stamp, attributes: None, upto: None }];
    let mut bytes = Vec::new();
    write_next(&Manifest { entries, ..Manifest::default() }, key, &mut bytes)?;
    Ok(bytes)
}

/// The parts in all files.
fn read_all(paths: &[PathBuf], key: &KeyFile, block: u64) -> Result<Vec<Part>> {
    let seal_key = key.derive(Purpose::Segments);
    let mut parts = Vec::new();
    for path in paths {
        let name = shown(path);
        let times = paths.iter().filter(|other| *other == path).count();
        ensure!(times == 1, "{name} is given more than once");
        let text = read(path.as_os_str()).with_context(|| format!("{name}: can't read it"))?;
        let before = parts.len();
        for (number, line) in (1..).zip(text.split(|&byte| byte == b'\n')) {
            let line = line.strip_suffix(b"\r").unwrap_or(line);
            if line.is_empty() {
                continue;
            }
            let source = format!("{name} line {number}");
            let parsed = parse(line, key, &*seal_key).map_err(anyhow::Error::from);
            let (object, segment) = parsed.with_context(|| source.clone())?;
            parts.push(Part { source, segment, object, block });
        }
        ensure!(parts.len() > before, "{name}: no segment in it; `wegman segment` makes them");
    }
    Ok(parts)
}

/// The object that all parts belong to, `wanted` if it is given; or says which ones do not.
fn object_of(parts: &[Part], wanted: Option<&OsStr>) -> Result<Object> {
    let first = &parts[0];
    for part in parts {
        let (id, source) = (&part.object.id, &part.source);
        if let Some(wanted) = wanted.filter(|wanted| id.as_deref() != Some(wanted)) {
            bail!("{source} is a part of {}, but --object says {}", part.of(), shown(wanted));
        }
        ensure!(
            *id == first.object.id,
            "{} is a part of {}, but {source} is one of {}: they do not belong together",
            first.source,
            first.of(),
            part.of()
        );
    }
    let mut known = parts.iter().filter_map(|part| Some((&part.source, part.object.length?)));
    let Some((first, length)) = known.next() else { return Ok(parts[0].object.clone()) };
    for (other, its) in known {
        ensure!(
            its == length,
            "{first} says the object has {length} bytes, {other} says {its}: they do not belong together"
        );
    }
    let last = parts.iter().max_by_key(|part| part.end()).expect("there is a first one");
    let (end, source) = (last.end(), &last.source);
    ensure!(
        end <= length,
        "{source} ends at byte {end}, but {first} says that the object has {length}: they do not belong together"
    );
    Ok(Object { id: parts[0].object.id.clone(), length: Some(length) })
}

/// Sorts the parts, and says which ones do not fit together.
fn fit(parts: &mut [Part], block: u64) -> Result<()> {
    parts.sort_by_key(|part| (part.segment.start(), part.segment.bits()));
    let mut before: Option<&Part> = None;
    for part in parts.iter() {
        let (start, end, source) = (part.start(), part.end(), &part.source);
        let Some(last) = before else {
            ensure!(start == 0, "bytes 0 to {start} are missing: no segment comes before {source}");
            before = Some(part);
            continue;
        };
        let (reached, other) = (last.end(), &last.source);
        if start > reached.next_multiple_of(block) {
            bail!("bytes {reached} to {start} are missing: they lie between {other} and {source}");
        } else if start == end && start >= reached {
            continue;
        } else if (start, end) == (last.start(), reached) {
            bail!("{source} and {other} both have bytes {start} to {end}: give only one of them");
        } else if start < reached {
            let end = end.min(reached);
            bail!("bytes {start} to {end} are in both {other} and {source}: they overlap");
        } else if !reached.is_multiple_of(block) {
            bail!(
                "{other} ends at byte {reached}, which is not a multiple of {block}, but {source} follows: \
                 only the last part may end like that"
            );
        }
        before = Some(part);
    }
    Ok(())
}

/// The bytes of a file of segments. All rooms they were in are wiped after use.
/// A pipe is waited for until somebody writes to it, as `cat` does: `segment >pipe` may start later.
fn read(path: &OsStr) -> Result<Zeroizing<Vec<u8>>> {
    let mut file = if path == STDIN { stdin()? } else { File::open(path)? };
    let mut room = Zeroizing::new(vec![0; ROOM]);
    let mut bytes = 0;
    loop {
        bytes += fill(&mut room[bytes..], |room, _| file.read(room))?;
        if bytes < room.len() {
            break;
        }
        ensure!(bytes < MAX_FILE, "too long for a file of segments");
        let mut larger = Zeroizing::new(vec![0; 2 * bytes]);
        larger[..bytes].copy_from_slice(&room);
        room = larger;
    }
    room.truncate(bytes);
    Ok(room)
}
