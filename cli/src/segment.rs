//! `wegman segment` and `wegman combine`: an object's tag from parts that are read on different machines.
//!
//! A segment is a line of text (docs/pmac.md), sealed under a key of its own, so that a damaged or foreign
//! one is refused and not combined to some wrong tag.

use crate::args;
use crate::files::{self, STDIN, fill};
use crate::hex;
use crate::keyfile::{KeyFile, Purpose};
use crate::manifest::{Refusal, Sealer, Stamp, made_with, shown};
use crate::output::{DRAFT, Exit, Over, begin_for, progress_bar, put_in_place, say};
use crate::reader::Reader;
use anyhow::{Context, Result, anyhow, bail, ensure};
use rayon::prelude::*;
use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, IsTerminal, Write};
use std::os::fd::AsFd;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use tempfile::NamedTempFile;
use wegman::pmac::hazmat::{Segment, SegmentError};
use wegman::registry::{AnyKey, AnyPmac, AnyStream, AnyTag, NonceError};
use wegman::{Bits, Nonce};
use zeroize::Zeroizing;

/// Bytes that one thread sums at once.
const SHARE: usize = 256 << 10;
/// Bytes of a file of segments to begin with.
const ROOM: usize = 64 << 10;
/// No file of segments is longer; anything longer is something else.
const MAX_FILE: usize = 64 << 20;

const START: &str = "wegman-segment 1: ";
const SEAL: &str = " seal=";

/// A key that sums parts of objects.
#[derive(Clone, Copy)]
struct PartKey<'k> {
    key: &'k dyn AnyKey,
    /// Bytes of a block: where one segment may end and another begin.
    block: usize,
}

impl<'k> PartKey<'k> {
    /// `file_key` is `key` derived for files.
    fn new(key: &KeyFile, file_key: &'k dyn AnyKey) -> Result<PartKey<'k>> {
        let (name, is_pmac) = (key.algorithm.name, file_key.pmac().is_some());
        ensure!(
            is_pmac,
            "{name} can't tag an object in parts: `wegman keygen -o KEY` makes a key that can"
        );
        // PMAC's longest tag is a block.
        Ok(PartKey { key: file_key, block: *key.algorithm.tag_bytes.end() })
    }

    fn pmac(self) -> &'k dyn AnyPmac {
        self.key.pmac().expect("checked when it was made")
    }

    /// Sums a part before which there are `start` blocks.
    fn sum(self, start: u64, part: &[u8]) -> Result<Segment, SegmentError> {
        self.pmac().segment(start, Bits::from(part))
    }

    /// [`sum`](Self::sum) on all threads of rayon's current pool.
    fn sum_rayon(self, start: u64, part: &[u8]) -> Result<Segment, SegmentError> {
        let blocks = SHARE / self.block;
        let shares = part.par_chunks(SHARE).enumerate();
        let shares: Vec<_> = shares
            .map(|(i, share)| self.sum(start.saturating_add((i * blocks) as u64), share))
            .collect();
        shares.into_iter().try_fold(self.sum(start, &[])?, |whole, next| whole.then(&next?))
    }
}

/// A stream that sums a part of an object.
struct Summer<'k> {
    key: PartKey<'k>,
    /// All whole blocks so far, or why there is no segment.
    whole: Result<Segment, SegmentError>,
    /// The bytes after them, less than a block.
    rest: Vec<u8>,
}

type Sum<'k> = fn(PartKey<'k>, u64, &[u8]) -> Result<Segment, SegmentError>;

impl<'k> Summer<'k> {
    fn new(key: PartKey<'k>, start: u64) -> Self {
        Summer { key, whole: key.sum(start, &[]), rest: Vec::new() }
    }

    fn push(&mut self, piece: &[u8], sum_of: Sum<'k>) {
        // Bytes that fill the block begun before.
        let block = self.key.block;
        let missing = if self.rest.is_empty() { 0 } else { block - self.rest.len() };
        let (front, piece) = piece.split_at(missing.min(piece.len()));
        self.rest.extend_from_slice(front);
        if self.rest.len() == block {
            let whole = std::mem::take(&mut self.rest);
            self.then(&whole, PartKey::sum);
        }
        let (blocks, rest) = piece.split_at(piece.len() / block * block);
        if !blocks.is_empty() {
            self.then(blocks, sum_of);
        }
        self.rest.extend_from_slice(rest);
    }

    fn then(&mut self, part: &[u8], sum_of: Sum<'k>) {
        if let Ok(whole) = &self.whole {
            let end = whole.start() + whole.bits() / (8 * self.key.block as u64);
            self.whole = sum_of(self.key, end, part).and_then(|next| whole.then(&next));
        }
    }

    fn finish(mut self) -> Result<Segment, SegmentError> {
        let rest = std::mem::take(&mut self.rest);
        self.then(&rest, PartKey::sum);
        self.whole
    }
}

impl AnyStream for Summer<'_> {
    fn update(&mut self, piece: &[u8]) {
        self.push(piece, PartKey::sum);
    }

    fn update_rayon(&mut self, piece: &[u8]) {
        self.push(piece, PartKey::sum_rayon);
    }

    fn tag(&self, _: Option<&Nonce>) -> Result<AnyTag, NonceError> {
        unreachable!("nobody asks for the tag of a part")
    }
}

pub fn segment(args: &args::Segment) -> Result<Exit> {
    let key = KeyFile::load(&args.key)?;
    let file_key = key.derive(Purpose::Files);
    let part_key = PartKey::new(&key, &*file_key)?;
    let block = part_key.block;
    let start = match (args.start, args.offset) {
        (Some(start), _) => start,
        (None, offset) => {
            let offset = offset.unwrap_or(0);
            ensure!(
                offset.is_multiple_of(block as u64),
                "--offset {offset} is no multiple of {block}: a part begins with a whole block"
            );
            offset / block as u64
        }
    };
    let file = args.file.as_deref().unwrap_or(OsStr::new(STDIN));
    let size = Path::new(file).metadata().ok().filter(|_| file != STDIN);
    let size = size.map(|metadata| metadata.len());
    let at = start.saturating_mul(block as u64);
    let part = args.length.map(|length| (at, length));
    if let Some((at, length)) = part {
        ensure!(file != STDIN, "--length: standard input is taken as the part itself; name a file");
        let is_last = size == at.checked_add(length);
        ensure!(
            is_last || length.is_multiple_of(block as u64),
            "--length {length} is no multiple of {block}, and {} goes on: only its last part may end so",
            shown(file)
        );
    } else if at > 0 && size.is_some_and(|size| size > at) {
        say(&format!(
            "{}: all of it was taken as the part that begins at {at}; give --length for a part of the file",
            shown(file)
        ));
    }
    let place = args.output.as_deref().map(|place| Ok((place, begin(place)?)));
    let place = place.transpose().map_err(|error: anyhow::Error| error)?;
    if place.is_none() {
        warn_of_output();
    }

    let hidden = args.no_progress || !io::stderr().is_terminal();
    let bar = progress_bar(args.length.or(size), hidden);
    let work = |file: &&OsStr, reader: &mut Reader<'_>| -> Result<Segment> {
        let mut summer = Summer::new(part_key, start);
        match part {
            Some(part) => reader.feed_part(&mut summer, file, part, &bar)?,
            None => reader.feed(&mut summer, file, &bar)?,
        }
        Ok(summer.finish()?)
    };
    let mut line = Zeroizing::new(String::new());
    files::in_order(args.speed.how(args.follow_symlinks), &[file], work, |file, segment| {
        let segment = segment.map_err(|error| anyhow!("{}", files::complaint(file, &error)))?;
        *line = format(&key, &segment)?;
        Ok(())
    })?;
    bar.finish_and_clear();
    match place {
        Some((place, mut file)) => {
            let written = file.write_all(line.as_bytes());
            let written = written.and_then(|()| put_in_place(file, place, Over::Nothing));
            drop(written.with_context(|| cant_write(place))?);
        }
        None => io::stdout().write_all(line.as_bytes()).context("standard output")?,
    }
    Ok(Exit::Good)
}

/// The file a segment goes to, not yet in its place.
fn begin(place: &Path) -> Result<NamedTempFile> {
    ensure!(
        place.symlink_metadata().is_err(),
        "{}: there is such a file already, and segments overwrite nothing",
        shown(place.as_os_str())
    );
    begin_for(place, 0o600, DRAFT).with_context(|| cant_write(place))
}

fn cant_write(place: &Path) -> String {
    format!("{}: can't write the segment", shown(place.as_os_str()))
}

/// A segment should not be seen by others.
fn warn_of_output() {
    let out = io::stdout();
    let mode = out.as_fd().try_clone_to_owned().and_then(|out| File::from(out).metadata());
    let others = mode.is_ok_and(|metadata| metadata.is_file() && metadata.mode() & 0o077 != 0);
    if out.is_terminal() {
        say("a segment is as secret as the key: -o writes it to a file only you can read");
    } else if others {
        say(
            "a segment is as secret as the key, and others can read this file: use -o, or chmod 600",
        );
    }
}

/// A segment's line.
fn format(key: &KeyFile, segment: &Segment) -> Result<String> {
    let bytes = Zeroizing::new(segment.to_bytes());
    let digits = Zeroizing::new(hex::encode(&*bytes));
    let text = Zeroizing::new(format!(
        "{START}{}: {} bytes at {} = {}",
        key.describe(),
        segment.bits() / 8,
        u128::from(segment.start()) * *key.algorithm.tag_bytes.end() as u128,
        *digits
    ));
    let seal = key.derive(Purpose::Segments).tag(None, text.as_bytes())?;
    Ok(format!("{}{SEAL}{seal}\n", *text))
}

/// Reads what [`format()`] wrote.
fn parse(line: &[u8], key: &KeyFile, seal_key: &dyn AnyKey) -> Result<Segment, Refusal> {
    let forged = |what: &str| Refusal::Forged(anyhow!("{what}"));
    let shape = || forged("not a line of `wegman segment`, or one of another version");
    let line = str::from_utf8(line).map_err(|_| shape())?;
    let rest = line.strip_prefix(START).ok_or_else(shape)?;
    let (of, rest) = rest.split_once(": ").ok_or_else(shape)?;
    if of != key.describe() {
        // Two keys differ in their ids: if that is ours, the rest is damaged.
        let id = |of: &str| of.split(',').next().map(str::to_owned);
        let other = made_with(of.as_bytes()).filter(|of| id(of) != id(&key.describe()));
        return Err(match other {
            Some(of) => Refusal::Key(anyhow!(
                "the segment was made with {of}, but the key given is {}",
                key.describe()
            )),
            None => shape(),
        });
    }
    let (covered, seal) = line.rsplit_once(SEAL).ok_or_else(|| forged("it is cut off"))?;
    let seal = hex::decode(seal.as_bytes()).map_err(Refusal::Forged)?;
    let sealed = seal_key.tag(None, covered.as_bytes());
    if !sealed.is_ok_and(|sealed| AnyTag::new(&seal).is_ok_and(|seal| seal == sealed)) {
        return Err(forged("the seal does not match: the line is damaged or forged"));
    }
    let digits = rest.split_once(" = ").and_then(|(_, rest)| rest.split_once(SEAL));
    let bytes = hex::decode(digits.ok_or_else(shape)?.0.as_bytes()).map_err(Refusal::Forged)?;
    let segment = Segment::try_from(&bytes[..]).map_err(|error| Refusal::Forged(error.into()))?;
    if segment.bits().is_multiple_of(8) { Ok(segment) } else { Err(shape()) }
}

/// A segment and where it came from.
struct Part {
    source: String,
    segment: Segment,
    block: u64,
}

impl Part {
    fn start(&self) -> u64 {
        self.segment.start() * self.block
    }

    fn end(&self) -> u64 {
        self.start() + self.segment.bits() / 8
    }
}

pub fn combine(args: &args::Combine) -> Result<Exit> {
    let key = KeyFile::load(&args.key)?;
    let file_key = key.derive(Purpose::Files);
    let part_key = PartKey::new(&key, &*file_key)?;
    let block = part_key.block as u64;
    let seal_key = key.derive(Purpose::Segments);

    let mut parts = Vec::new();
    for path in &args.segments {
        let name = shown(path.as_os_str());
        let times = args.segments.iter().filter(|other| *other == path).count();
        ensure!(
            times == 1,
            "{name} is given {}",
            if times == 2 { "twice" } else { "several times" }
        );
        let text = read(path.as_os_str()).with_context(|| format!("{name}: can't read it"))?;
        let before = parts.len();
        for (number, line) in (1..).zip(text.split(|&byte| byte == b'\n')) {
            let line = line.strip_suffix(b"\r").unwrap_or(line);
            if line.is_empty() {
                continue;
            }
            let source = format!("{name} line {number}");
            match parse(line, &key, &*seal_key) {
                Ok(segment) => parts.push(Part { source, segment, block }),
                Err(Refusal::Key(error)) => return Err(error.context(source)),
                Err(Refusal::Forged(error)) => {
                    say(&format!("{source}: {error:#}"));
                    return Ok(Exit::Bad);
                }
            }
        }
        ensure!(parts.len() > before, "{name}: no segment in it; `wegman segment` makes them");
    }
    fit(&mut parts, block)?;
    let count = parts.len();
    let mut segments: Vec<Segment> = parts.into_iter().map(|part| part.segment).collect();
    let whole = Segment::combine(&mut segments)?;
    let bytes = whole.bits() / 8;
    if let Some(length) = args.length {
        ensure!(
            bytes == length,
            "the segments end at byte {bytes}, but --length says {length}: {}",
            if bytes < length { "the last one is missing" } else { "they are of something else" }
        );
    }
    let tag = part_key.pmac().tag_of_segment(&whole)?;

    let text = if args.json {
        let record = serde_json::json!({
            "type": "summary", "command": "combine", "segments": count, "bytes": bytes,
            "tag": tag.to_string(), "exit": 0
        });
        format!("{record}\n").into_bytes()
    } else if let Some(name) = &args.name {
        ensure!(!name.is_empty() && name != STDIN, "--as: there is no such file name");
        let seals_key = key.derive(Purpose::Seals);
        let mut sealer = Sealer::new(&key, &*seals_key);
        let (header, entry) = (sealer.header(), sealer.entry(name, &Stamp { tag, nonce: None }));
        [header, entry, sealer.seal()?, Vec::new()].join(&b'\n')
    } else {
        format!("{tag}\n").into_bytes()
    };
    io::stdout().write_all(&text).context("standard output")?;
    let plural = if count == 1 { "" } else { "s" };
    say(&format!("combine: {count} segment{plural}, {bytes} bytes in all"));
    Ok(Exit::Good)
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
        let is_empty = start == end;
        if start > reached.next_multiple_of(block) {
            bail!("bytes {reached} to {start} are missing: they lie between {other} and {source}");
        } else if is_empty {
            continue;
        } else if (start, end) == (last.start(), reached) {
            bail!("{source} and {other} both have bytes {start} to {end}: give one of them");
        } else if start < reached {
            let end = end.min(reached);
            bail!("bytes {start} to {end} are in both {other} and {source}: they overlap");
        } else if !reached.is_multiple_of(block) {
            bail!(
                "{other} ends at byte {reached}, which is no multiple of {block}, but {source} follows: \
                 only the last part may have such an end"
            );
        }
        before = Some(part);
    }
    Ok(())
}

/// The bytes of a file of segments. All rooms they were in are wiped after use.
fn read(path: &OsStr) -> Result<Zeroizing<Vec<u8>>> {
    let mut file = if path == STDIN {
        File::from(io::stdin().as_fd().try_clone_to_owned()?)
    } else {
        File::open(path)?
    };
    let mut room = Zeroizing::new(vec![0; ROOM]);
    let mut bytes = 0;
    loop {
        bytes += fill(&mut file, &mut room[bytes..])?;
        if bytes < room.len() {
            break;
        }
        ensure!(bytes < MAX_FILE, "too long for segments");
        let mut larger = Zeroizing::new(vec![0; 2 * bytes]);
        larger[..bytes].copy_from_slice(&room);
        room = larger;
    }
    room.truncate(bytes);
    Ok(room)
}
