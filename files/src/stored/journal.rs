//! The journal of an edit in a file beside the manifest, from before the edited file changes until the manifest has its
//! new tag.

pub mod interrupted;

use crate::durable::drafts::draft_of_edit;
use crate::durable::{self, begin_for, put_in_place};
use crate::files::find::Except;
use crate::files::tree::Tree;
use crate::files::{self, STDIN, is_missing};
use crate::names::shown;
use anyhow::{Context, Result, anyhow, ensure};
use std::fs::{self, File, Metadata};
use std::io::{self, BufWriter, IntoInnerError, Write};
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;
use wegman_catalogue::{AnyKey, AnyStream};
use wegman_formats::journal::{Details, End, details_line, header, seal_line};
use wegman_formats::keyfile::{KeyFile, Purpose};
use wegman_formats::manifest::Entry;

/// Bytes to read at once.
const PIECE: usize = 256 << 10;

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
        self.covered(details_line(text.len()).as_bytes())?;
        let seal = self.seal.finish(None)?;
        let written = self.file.write_all(seal_line(&seal).as_bytes());
        let file =
            written.and_then(|()| self.file.into_inner().map_err(IntoInnerError::into_error));
        let put = |file| put_in_place(file, &self.place, NamedTempFile::persist_noclobber);
        let file = file.and_then(put);
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
    format!("{}: can't write the journal", shown(place))
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
        let end_at = size.checked_sub(End::bytes(key) as u64).filter(|end| *end >= data);
        let end_at = end_at.context("it is cut off")?;
        let read = |at: u64, bytes: usize| -> io::Result<Vec<u8>> {
            let mut room = vec![0; bytes];
            file.read_exact_at(&mut room, at).map(|()| room)
        };
        let front = read(0, header.len())?;
        ensure!(
            front == header.as_bytes(),
            "its first line is damaged, or of another key or version"
        );
        let last = read(end_at, End::bytes(key))?;
        let end = End::parse(&last, size, key)?;
        let text = read(end.details, (end.at - end.details) as usize)?;

        // The seal is checked over the same memory that the details are then taken from.
        let edits_key = key.derive(Purpose::Edits);
        let mut stream = edits_key.stream();
        stream.update(&front);
        in_pieces(&file, data..end.details, PIECE, |_, piece| {
            stream.update(piece);
            Ok(())
        })?;
        stream.update(&text);
        stream.update(&last[..end.covered]);
        ensure!(
            stream.finish(None)? == end.seal,
            "the seal does not match: nothing in it can be trusted"
        );
        let details = Details::parse(&text, key)?;
        ensure!(end.details - data == details.bytes, "its details do not match its length");
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
            .with_context(|| format!("{}: can't remove it", shown(&self.path)))?;
        Ok(self.details)
    }
}

/// Says that a journal can't be used.
pub fn refused(error: anyhow::Error) -> anyhow::Error {
    error.context(
        "the journal of an interrupted edit is refused. If all files of the manifest are good, delete the \
         journal; restore bad files from a copy. The reason",
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
