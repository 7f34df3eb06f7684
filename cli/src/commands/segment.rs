//! `wegman segment`: a part of an object, summed on the machine that can read it.

pub mod summer;

use crate::args::Segment as Args;
use crate::durable::drafts::{DRAFT, refuse_name};
use crate::durable::{begin_for, put_in_place};
use crate::files::STDIN;
use crate::files::tree::Tree;
use crate::names::shown;
use crate::output::screen::progress_bar;
use crate::output::{Exit, say};
use crate::reader::alone;
use crate::standard;
use crate::stored::leftovers;
use anyhow::{Context, Result, ensure};
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, IsTerminal, Write};
use std::os::fd::AsFd;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use summer::{PartKey, Summer};
use tempfile::NamedTempFile;
use wegman::pmac::hazmat::Segment;
use wegman_formats::keyfile::Purpose;
use wegman_formats::segment::{Object, line};
use zeroize::Zeroizing;

pub fn run(args: &Args) -> Result<Exit> {
    let key = args.key.load()?;
    let file_key = key.derive(Purpose::Files);
    let part_key = PartKey::new(&key, &*file_key)?;
    let part = Part::new(args, part_key.block as u64)?;
    let place = match args.output.as_deref() {
        Some(place) => {
            leftovers::remove(place, &key);
            Some((place, begin(place)?))
        }
        None => {
            warn_of_output();
            None
        }
    };
    let segment = part.sum(args, part_key)?;
    let line = Zeroizing::new(line(&key, &part.object, &segment)?);
    match place {
        Some((place, mut file)) => {
            let written = file.write_all(&line);
            let put = || put_in_place(file, place, NamedTempFile::persist_noclobber);
            let written = written.and_then(|()| put());
            drop(written.with_context(|| cant_write(place))?);
        }
        None => standard::print_lines(&line)?,
    }
    Ok(Exit::Good)
}

/// The part of an object to sum, and the file to read it from.
struct Part<'a> {
    file: &'a OsStr,
    /// The file's bytes, if that is known.
    size: Option<u64>,
    /// Bytes of a block.
    block: u64,
    /// How many blocks come before it.
    start: u64,
    /// Where in the file it is, and its bytes, if the file has more.
    range: Option<(u64, u64)>,
    object: Object,
}

impl<'a> Part<'a> {
    fn new(args: &'a Args, block: u64) -> Result<Part<'a>> {
        let start = match (args.start, args.offset.unwrap_or(0)) {
            (Some(start), _) => start,
            (None, offset) => {
                ensure!(
                    offset.is_multiple_of(block),
                    "--offset {offset} is not a multiple of {block}: a part begins with a whole block"
                );
                offset / block
            }
        };
        let file = args.file.as_deref().unwrap_or(OsStr::new(STDIN));
        ensure!(
            file != STDIN || standard::input_is_open(),
            "standard input is closed: name a file, or give the part's bytes there"
        );
        ensure!(
            file != STDIN || args.length.is_none(),
            "--length: standard input is taken as the part itself; name a file"
        );
        ensure!(args.object != Some(OsString::new()), "--object: an empty id names no object");
        let size = size_of(file);
        let range = args.length.map(|length| (start.saturating_mul(block), length));
        let length = if range.is_some() { args.size.or(size) } else { args.size };
        let object = Object { id: args.object.clone(), length };
        let part = Part { file, size, block, start, range, object };
        part.check(args)?;
        Ok(part)
    }

    /// What can be known to be wrong before anything is read.
    fn check(&self, args: &Args) -> Result<()> {
        let (file, at) = (shown(self.file), self.start.saturating_mul(self.block));
        // Reading it says why.
        let Some(size) = self.size else { return Ok(()) };
        let Some((_, length)) = self.range else {
            if at > 0 && size > at && args.size.is_none() {
                say(&format!(
                    "{file}: all of it was taken as the part that begins at {at}; give --length for a part of the file"
                ));
            }
            return self.ends_well(at.saturating_add(size));
        };
        if let Some(given) = args.size {
            ensure!(
                given == size,
                "{file}: it has {size} bytes, but --size says {given}: with --length, FILE is the whole object"
            );
        }
        let end = at.saturating_add(length);
        ensure!(
            end <= size,
            "{file}: it has {size} bytes: there are none from {} to {end}",
            at.max(size)
        );
        self.ends_well(end)
    }

    /// Whether the part may end there.
    fn ends_well(&self, end: u64) -> Result<()> {
        let (file, block) = (shown(self.file), self.block);
        let Some(length) = self.object.length else { return Ok(()) };
        ensure!(
            end <= length,
            "{file}: the part ends at byte {end}, but --size says that the object has {length}"
        );
        ensure!(
            end == length || end.is_multiple_of(block),
            "{file}: the part ends at byte {end}, which is not a multiple of {block}, and the object goes on to \
             {length}: only its last part may end like that"
        );
        Ok(())
    }

    fn sum(&self, args: &Args, key: PartKey<'_>) -> Result<Segment> {
        let hidden = args.no_progress || !io::stderr().is_terminal();
        let bar = progress_bar(args.length.or(self.size), hidden);
        let segment = alone(args.speed, &Tree::typed(args.follow_symlinks), |reader| {
            let mut summer = Summer::new(key, self.start);
            match self.range {
                Some(range) => reader.feed_part(&mut summer, self.file, range, &bar)?,
                None => reader.feed(&mut summer, self.file, &bar)?,
            }
            Ok(summer.segment()?)
        });
        let segment = segment.with_context(|| shown(self.file))?;
        bar.finish_and_clear();
        let (file, bytes) = (shown(self.file), segment.bits() / 8);
        self.ends_well(self.start.saturating_mul(self.block).saturating_add(bytes))?;
        let is_same = self.range.is_none() || size_of(self.file) == self.size;
        ensure!(is_same, "{file}: its size changed while it was read: run this again");
        Ok(segment)
    }
}

/// The bytes of a regular file.
fn size_of(file: &OsStr) -> Option<u64> {
    let metadata = Path::new(file).metadata().ok().filter(|_| file != STDIN)?;
    metadata.is_file().then_some(metadata.len())
}

/// The file a segment goes to, not yet in its place.
fn begin(place: &Path) -> Result<NamedTempFile> {
    refuse_name(place)?;
    ensure!(
        place.symlink_metadata().is_err(),
        "{}: it exists already, and segments overwrite nothing",
        shown(place)
    );
    begin_for(place, 0o600, DRAFT).with_context(|| cant_write(place))
}

fn cant_write(place: &Path) -> String {
    format!("{}: can't write the segment", shown(place))
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
