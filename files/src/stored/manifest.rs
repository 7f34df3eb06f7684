//! The file a manifest is in: read as a whole, and locked.

use super::keyfile::random;
use crate::durable::drafts::{DRAFT, draft_of_edit};
use crate::durable::replacement::Replacement;
use crate::files::{STDIN, is_at, stdin};
use crate::names::shown;
use crate::regular;
use crate::standard::say;
use anyhow::{Context, Result, bail, ensure};
use std::ffi::OsString;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, BufReader, ErrorKind, Read, Seek, SeekFrom, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::FileTypeExt;
use std::path::Path;
use std::time::SystemTime;
use tempfile::SpooledTempFile;
use wegman_catalogue::{AnyStream, AnyTag, Nonce};
use wegman_formats::keyfile::{KeyFile, Purpose};
use wegman_formats::manifest::role::{Refused, Role};
use wegman_formats::manifest::{self, About, Entry, MAX_NAME, Manifest, Refusal, Sealer, Stamp};

/// Bytes of a manifest from a pipe that stay in memory until its seal was checked.
const IN_MEMORY: usize = 4 << 20;

/// Reads a manifest that stands alone, and its seal. If that is wrong, the error is [`Refused`].
pub fn load(path: &Path, key: &KeyFile) -> Result<Manifest> {
    let manifest = load_any(path, key)?;
    refuse_parted(path, &manifest)?;
    Ok(manifest)
}

/// Refuses a shard or a root: only those who know all the shards change them.
pub fn refuse_parted(path: &Path, manifest: &Manifest) -> Result<()> {
    let what = match manifest.role {
        Role::Plain => return Ok(()),
        Role::Shard(_) => "a shard of a large manifest",
        Role::Root => "the root of a manifest in shards",
    };
    bail!("{}: it is {what}: `wegman-cluster retag` changes it", shown(path))
}

/// As many of a file's first bytes as [`MARK`](manifest::MARK) has.
pub fn front(path: &Path) -> io::Result<Vec<u8>> {
    let mut front = Vec::new();
    File::open(path)?.take(manifest::MARK.len() as u64).read_to_end(&mut front)?;
    Ok(front)
}

/// [`load`] for a manifest of any role.
pub fn load_any(path: &Path, key: &KeyFile) -> Result<Manifest> {
    let name = shown(path);
    let open = || -> Result<Source> {
        if path.as_os_str() == STDIN {
            return Ok(Source::of(stdin()?)?);
        }
        if path.metadata()?.file_type().is_fifo() {
            return Ok(Source::Pipe(Box::new(regular::open_or_pipe(path)?.0)));
        }
        Ok(Source::of(File::open(path)?)?)
    };
    let source = open().with_context(|| format!("{name}: can't read the manifest"))?;
    parse(source, key).map_err(|refusal| {
        let what = match refusal {
            Refusal::Forged(_) => "manifest refused",
            Refusal::Key(_) => "wrong key",
            Refusal::Unreadable(_) => "can't read the manifest",
        };
        anyhow::Error::from(refusal).context(format!("{name}: {what}"))
    })
}

/// [`load_any`], and refuses one with a smaller serial number.
pub fn load_at_least(path: &Path, key: &KeyFile, serial: Option<u64>) -> Result<Manifest> {
    let manifest = load_any(path, key)?;
    let (name, least, has) = (shown(path), serial.unwrap_or(0), manifest.about.serial);
    let what =
        format!("its serial number is {has}, and --at-least asks for {least}: it is an old one");
    ensure!(has >= least, Refused(format!("{name}: manifest refused: {what}")));
    Ok(manifest)
}

/// Reads it twice: nothing of it stays in memory before its seal was checked. The seal is checked again over the bytes
/// that stay.
fn parse(source: Source, key: &KeyFile) -> Result<Manifest, Refusal> {
    match source {
        Source::File(mut file) => {
            let start = file.stream_position().map_err(Refusal::Unreadable)?;
            manifest::check(&mut BufReader::with_capacity(ROOM, &file), key)?;
            file.seek(SeekFrom::Start(start)).map_err(Refusal::Unreadable)?;
            manifest::parse(&mut BufReader::with_capacity(ROOM, file), key)
        }
        Source::Pipe(from) => {
            let mut copy = Copy { from, to: SpooledTempFile::new(IN_MEMORY) };
            manifest::check(&mut BufReader::with_capacity(ROOM, &mut copy), key)?;
            let mut copy = copy.to;
            copy.rewind().map_err(Refusal::Unreadable)?;
            manifest::parse(&mut BufReader::with_capacity(ROOM, copy), key)
        }
    }
}

/// Where a manifest comes from.
enum Source {
    File(File),
    Pipe(Box<dyn Read>),
}

impl Source {
    fn of(file: File) -> io::Result<Source> {
        let kind = file.metadata()?.file_type();
        if kind.is_dir() {
            return Err(ErrorKind::IsADirectory.into());
        }
        Ok(if kind.is_file() { Source::File(file) } else { Source::Pipe(Box::new(file)) })
    }
}

/// Bytes to read at once.
const ROOM: usize = 256 << 10;

/// Keeps what is read from it.
struct Copy {
    from: Box<dyn Read>,
    to: SpooledTempFile,
}

impl Read for Copy {
    fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
        let bytes = self.from.read(room)?;
        self.to.write_all(&room[..bytes])?;
        Ok(bytes)
    }
}

/// A fresh random nonce, if the algorithm takes one. 16 random bytes: 2^32 files under one key
/// collide with probability about 2^-65.
pub fn fresh_nonce(key: &KeyFile) -> Result<Option<Nonce>> {
    let Some(length) = key.nonce_bytes() else { return Ok(None) };
    let mut bytes = [0; Nonce::MAX];
    random(&mut bytes[..length])?;
    Ok(Some(Nonce::new(&bytes[..length])?))
}

/// The tag of what a stream was given, under a [fresh nonce](fresh_nonce).
pub fn stamp(key: &KeyFile, stream: Box<dyn AnyStream + '_>) -> Result<Stamp> {
    let nonce = fresh_nonce(key)?;
    Ok(Stamp { tag: stream.finish(nonce.as_ref())?, nonce })
}

/// Writes a manifest, sealed, as the next version of itself.
pub fn write_next(manifest: &Manifest, key: &KeyFile, out: &mut dyn Write) -> Result<About> {
    manifest.write_next(key, SystemTime::now(), fresh_nonce(key)?, out)
}

/// Puts the next version of a manifest in the place of one that is locked. The lock goes over to it: nobody edits it
/// before the file that comes back is closed. `watch` is called before it takes the place.
pub fn replace(
    path: &Path,
    lock: &File,
    key: &KeyFile,
    next: &Manifest,
    watch: &mut dyn FnMut(),
) -> Result<(File, About)> {
    let mut file = Replacement::new(path, &draft_of_edit(path))?;
    file.lock()?;
    let about = write_next(next, key, &mut file).with_context(|| shown(path))?;
    file.sync()?;
    watch();
    ensure!(
        is_at(lock, path)?,
        "{}: another manifest took its place meanwhile, so nothing was written: run this again",
        shown(path)
    );
    Ok((file.finish()?, about))
}

/// Writes a manifest of these files, in the order of their names, or of a root's ranges, as the next version of the one
/// that is there; it takes its place at once.
pub fn write_rows(
    path: &Path,
    key: &KeyFile,
    role: &Role,
    rows: impl Iterator<Item = Result<(OsString, AnyTag, Option<OsString>)>>,
) -> Result<About> {
    ensure!(
        key.nonce_bytes().is_none(),
        "{} needs a nonce for each file: take a PMAC key",
        key.algorithm.name
    );
    let serial = match path.symlink_metadata() {
        Err(error) if error.kind() == ErrorKind::NotFound => 0,
        _ => load_any(path, key)?.about.serial,
    };
    let seal_key = key.derive(Purpose::Seals);
    let mut sealer = Sealer::new(key, &*seal_key, role, serial)?;
    let mut file = Replacement::new(path, DRAFT)?;
    let mut write = |lines: Vec<u8>| file.write_all(&lines).context("writing the manifest");
    let mut before: Option<Entry> = None;
    for row in rows {
        let (name, tag, upto) = row?;
        let is_valid = (1..=MAX_NAME).contains(&name.len()) && !name.as_bytes().contains(&0);
        ensure!(is_valid, "that is not a valid file name");
        let entry = Entry { name, stamp: Stamp { tag, nonce: None }, attributes: None, upto };
        ensure!(
            before.as_ref().is_none_or(|before| before.place() < entry.place()),
            "{}: out of order, or repeated: give the rows in the order of their names, each once",
            shown(&entry.name)
        );
        sealer.entry(&entry);
        write(sealer.take())?;
        before = Some(entry);
    }
    let (lines, about) = sealer.seal(SystemTime::now(), None)?;
    write(lines)?;
    file.finish()?;
    Ok(about)
}

/// Locks a manifest, so that two edits do not come between each other.
pub fn lock(path: &Path) -> Result<File> {
    let name = shown(path);
    ensure!(path.as_os_str() != STDIN, "-: a manifest on standard input can't be edited");
    let mut is_told = false;
    loop {
        // Some network file systems lock only what is open for writing.
        let opened = OpenOptions::new().read(true).write(true).open(path);
        let opened = opened.or_else(|_| File::open(path));
        let file = opened.with_context(|| format!("{name}: can't read the manifest"))?;
        ensure!(file.metadata()?.is_file(), "{name}: the manifest is not a regular file");
        let locked = match file.try_lock() {
            Err(TryLockError::WouldBlock) => {
                if !is_told {
                    say(&format!("{name}: waiting for another edit to end"));
                    is_told = true;
                }
                file.lock()
            }
            Err(TryLockError::Error(error)) => Err(error),
            Ok(()) => Ok(()),
        };
        locked.with_context(|| format!("{name}: can't lock the manifest"))?;
        // While we waited another manifest may have taken the place.
        if is_at(&file, path)? {
            return Ok(file);
        }
    }
}
