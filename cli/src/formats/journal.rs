//! The journal of an edit: all that is needed to do it again, in a file beside the manifest, from before
//! the edited file changes until the manifest has its new tag. docs/manifest.md has the format.
//!
//! It is sealed like a manifest, under a key of its own: otherwise anybody who can write beside a manifest
//! could put a tag of their choice into it.

pub mod interrupted;

use super::keyfile::{KeyFile, Purpose};
use super::manifest::{Entry, Stamp, entry_line, parse_entry};
use crate::durable::drafts::draft_of_edit;
use crate::durable::{self, Over, begin_for, put_in_place};
use crate::files::find::Except;
use crate::files::tree::Tree;
use crate::files::{self, STDIN, is_missing};
use crate::hex;
use crate::names::shown;
use anyhow::{Context, Result, anyhow, bail, ensure};
use std::ffi::OsString;
use std::fs::{self, File, Metadata};
use std::io::{self, BufWriter, IntoInnerError, Write};
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;
use wegman_catalogue::{AnyKey, AnyStream, AnyTag};

/// What journals of any version begin with.
pub const MARK: &str = "# wegman edit ";
const HEADER: &str = "# wegman edit 1: ";
const SEAL: &str = "# wegman seal = ";
const DETAILS: &str = "# details ";
/// Digits of the line that says how long the details are.
const DIGITS: usize = 10;
/// Bytes of the line before the seal.
const DETAILS_LINE: usize = DETAILS.len() + DIGITS + 1;
/// Bytes of details: two names and tags are much shorter.
const MAX_DETAILS: u64 = 1 << 16;

/// Bytes to read at once.
const PIECE: usize = 256 << 10;

/// What an edit does, all but the new bytes.
pub struct Details {
    pub name: OsString,
    /// The file's tag before and after.
    pub old: Stamp,
    pub new: Stamp,
    /// How many bytes go where.
    pub bytes: u64,
    pub at: u64,
    /// The file's size before and after.
    pub from: u64,
    pub to: u64,
}

impl Details {
    fn text(&self, key: &KeyFile) -> Vec<u8> {
        let Details { name, old, new, bytes, at, from, to } = self;
        let numbers = format!("# write {bytes} at {at}, size {from} to {to}\n").into_bytes();
        let line = |stamp| entry_line(&key.algorithm.name, name, stamp);
        [&line(old)[..], b"\n", &line(new), b"\n", &numbers].concat()
    }

    fn parse(text: &[u8], key: &KeyFile) -> Result<Details> {
        let mut lines = text.split(|&byte| byte == b'\n');
        let mut line = || lines.next().context("a line is missing");
        let (old, new) = (parse_entry(line()?, key)?, parse_entry(line()?, key)?);
        let words = str::from_utf8(line()?)?.split([' ', ',']);
        let numbers: Vec<u64> = words.filter_map(|word| word.parse().ok()).collect();
        let [bytes, at, from, to] = numbers[..] else { bail!("it should have four numbers") };
        let Entry { name, stamp: new, .. } = new;
        let details = Details { name, old: old.stamp, new, bytes, at, from, to };
        ensure!(details.text(key) == text, "its details are malformed");
        ensure!(
            at.checked_add(bytes).is_some_and(|end| end <= to),
            "its numbers contradict each other"
        );
        Ok(details)
    }
}

/// Where the journal of a manifest's edit lies: beside the manifest, not beside a link to it.
pub fn place(manifest: &Path) -> PathBuf {
    let manifest = fs::canonicalize(manifest).unwrap_or_else(|_| manifest.to_owned());
    let mut place = manifest.into_os_string();
    place.push(".wegman-edit");
    place.into()
}

/// What is no file of a tree: the key, the manifest, also beside a link to it, and its journal.
pub fn except(key: &Path, manifest: &Path) -> Except {
    if manifest.as_os_str() == STDIN {
        return Except::of(key, &[]);
    }
    let real = fs::canonicalize(manifest).unwrap_or_else(|_| manifest.to_owned());
    Except::of(key, &[key, manifest, &real, &place(manifest)])
}

/// A journal being written, not yet in its place.
pub struct Draft<'k> {
    file: BufWriter<NamedTempFile>,
    key: &'k KeyFile,
    /// Everything written so far.
    seal: Box<dyn AnyStream + 'k>,
    bytes: u64,
    place: PathBuf,
}

impl<'k> Draft<'k> {
    /// `edits_key` is `key` derived for edits.
    pub fn new(key: &'k KeyFile, edits_key: &'k dyn AnyKey, manifest: &Path) -> Result<Draft<'k>> {
        let place = &*place(manifest);
        // The bytes may be as secret as the file they are for.
        let file =
            begin_for(place, 0o600, &draft_of_edit(manifest)).with_context(|| cant_write(place))?;
        // Some file systems ignore the mode and owner asked for; then nobody could finish the edit.
        let metadata = file.as_file().metadata().with_context(|| cant_write(place))?;
        ensure_private(&metadata).with_context(|| cant_write(place))?;
        let (file, seal) = (BufWriter::new(file), edits_key.stream());
        let mut draft = Draft { file, key, seal, bytes: 0, place: place.to_owned() };
        draft.covered(header(key).as_bytes())?;
        Ok(draft)
    }

    /// New bytes of the file.
    pub fn write(&mut self, bytes: &[u8]) -> Result<()> {
        self.bytes += bytes.len() as u64;
        self.covered(bytes)
    }

    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// The new bytes so far: a file, and where in it they begin.
    pub fn so_far(&mut self) -> Result<(&File, u64)> {
        self.file.flush().with_context(|| cant_write(&self.place))?;
        Ok((self.file.get_ref().as_file(), header(self.key).len() as u64))
    }

    /// Puts the journal in its place, for good.
    pub fn finish(mut self, details: Details) -> Result<Journal> {
        let text = details.text(self.key);
        self.covered(&text)?;
        self.covered(format!("{DETAILS}{:0DIGITS$}\n", text.len()).as_bytes())?;
        let seal = self.seal.finish(None)?;
        let written = writeln!(self.file, "{SEAL}{seal}");
        let file =
            written.and_then(|()| self.file.into_inner().map_err(IntoInnerError::into_error));
        let file = file.and_then(|file| put_in_place(file, &self.place, Over::Nothing));
        let file = file.with_context(|| cant_write(&self.place))?;
        let data = header(self.key).len() as u64;
        Ok(Journal { file, path: self.place, data, details })
    }

    fn covered(&mut self, bytes: &[u8]) -> Result<()> {
        self.seal.update(bytes);
        self.file.write_all(bytes).with_context(|| cant_write(&self.place))
    }
}

/// Anybody else who can write a journal could change the new bytes after its seal was checked.
fn ensure_private(metadata: &Metadata) -> Result<()> {
    let mode = metadata.mode() & 0o777;
    ensure!(
        metadata.uid() == files::user(),
        "it belongs to another user: if they made it, they can finish the edit"
    );
    ensure!(mode & 0o077 == 0, "others may access it (mode {mode:03o}): only its owner should");
    Ok(())
}

fn cant_write(place: &Path) -> String {
    format!("{}: can't write the journal", shown(place.as_os_str()))
}

fn header(key: &KeyFile) -> String {
    format!("{HEADER}{}\n", key.describe())
}

/// A whole, sealed journal.
pub struct Journal {
    file: File,
    pub path: PathBuf,
    /// Where the new bytes begin.
    data: u64,
    pub details: Details,
}

impl Journal {
    /// The journal in a place, if there is one. An error if it can't be read, or is not what was sealed.
    pub fn open(path: &Path, key: &KeyFile) -> Result<Option<Journal>> {
        let is_other = path.symlink_metadata().is_ok_and(|metadata| !metadata.is_file());
        ensure!(!is_other, "it is not a regular file");
        let (file, stat) = match Tree::typed(false).open(path.as_os_str()) {
            Err(error) if is_missing(&error) => return Ok(None),
            opened => opened?,
        };
        ensure_private(&file.metadata()?)?;
        let size = stat.st_size as u64;
        let header = header(key);
        let data = header.len() as u64;
        let end = DETAILS_LINE + SEAL.len() + 2 * key.tag_bytes + 1;
        let details_end = size.checked_sub(end as u64).filter(|end| *end >= data);
        let details_end = details_end.context("it is cut off")?;
        let read = |at: u64, bytes: usize| -> io::Result<Vec<u8>> {
            let mut room = vec![0; bytes];
            file.read_exact_at(&mut room, at).map(|()| room)
        };
        let front = read(0, header.len())?;
        ensure!(
            front == header.as_bytes(),
            "its first line is damaged, or of another key or version"
        );
        let end = read(details_end, end)?;
        let (length_line, seal) = end.split_at(DETAILS_LINE);
        let sealed = seal.strip_prefix(SEAL.as_bytes()).and_then(|seal| seal.strip_suffix(b"\n"));
        let seal = hex::decode_lower(sealed.context("it ends without a seal: it is cut off")?)?;
        let length = length_line.strip_prefix(DETAILS.as_bytes()).map(<[u8]>::trim_ascii_end);
        let length = length.and_then(|digits| str::from_utf8(digits).ok()?.parse::<u64>().ok());
        let start = length.filter(|length| *length <= MAX_DETAILS);
        let start = start.and_then(|length| details_end.checked_sub(length));
        let start = start.filter(|start| *start >= data).context("its details are malformed")?;
        let text = read(start, (details_end - start) as usize)?;

        // The seal is checked over the same memory that the details are then taken from.
        let edits_key = key.derive(Purpose::Edits);
        let mut stream = edits_key.stream();
        stream.update(&front);
        in_pieces(&file, data..start, PIECE, |_, piece| {
            stream.update(piece);
            Ok(())
        })?;
        stream.update(&text);
        stream.update(length_line);
        ensure!(
            stream.finish(None)? == AnyTag::new(&seal)?,
            "the seal does not match: nothing in it can be trusted"
        );
        let details = Details::parse(&text, key)?;
        ensure!(start - data == details.bytes, "its details do not match its length");
        Ok(Some(Journal { file, path: path.to_owned(), data, details }))
    }

    /// Hands over the new bytes, each piece with its place in the file.
    pub fn replay(
        &self,
        piece: usize,
        mut write: impl FnMut(u64, &[u8]) -> io::Result<()>,
    ) -> io::Result<()> {
        let range = self.data..self.data + self.details.bytes;
        in_pieces(&self.file, range, piece, |at, piece| {
            write(self.details.at + (at - self.data), piece)
        })
    }

    /// Which entry of the manifest it is for, and whether that has the new tag already. `None`: it is for
    /// none of them.
    pub fn fits(&self, entries: &[Entry]) -> Option<(usize, bool)> {
        let i = entries.iter().position(|entry| entry.name == self.details.name)?;
        let tag = entries[i].stamp.tag;
        // If both tags are the same, doing it again does no harm.
        if tag == self.details.old.tag {
            Some((i, false))
        } else {
            (tag == self.details.new.tag).then_some((i, true))
        }
    }

    /// What to do if it fits no entry.
    pub fn stale(&self) -> anyhow::Error {
        anyhow!(
            "it belongs to an interrupted edit of {}, but the manifest has neither the old nor the new tag \
             of that file: if the manifest was made again since, delete this journal",
            shown(&self.details.name)
        )
    }

    /// Removes it: the edit is complete.
    pub fn remove(self) -> Result<Details> {
        durable::remove(&self.path)
            .with_context(|| format!("{}: can't remove it", shown(self.path.as_os_str())))?;
        Ok(self.details)
    }
}

/// Says that a journal can't be used.
pub fn refused(error: anyhow::Error) -> anyhow::Error {
    error.context(
        "the journal of an interrupted edit is refused. If all files of the manifest are good, delete it; \
         restore a file that is not from a copy. The reason",
    )
}

/// Reads a range of a file piece by piece.
pub fn in_pieces(
    file: &File,
    range: std::ops::Range<u64>,
    piece: usize,
    mut sink: impl FnMut(u64, &[u8]) -> io::Result<()>,
) -> io::Result<()> {
    let mut room = vec![0; piece.min(usize::try_from(range.end - range.start).unwrap_or(piece))];
    let mut at = range.start;
    while at < range.end {
        let bytes = (range.end - at).min(room.len() as u64) as usize;
        file.read_exact_at(&mut room[..bytes], at)?;
        sink(at, &room[..bytes])?;
        at += bytes as u64;
    }
    Ok(())
}

/// What is in the journal's place, if anything: it is not a file of a tree.
pub fn identity(manifest: &Path) -> Option<(u64, u64)> {
    files::identity(&place(manifest))
}
