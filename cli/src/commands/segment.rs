//! `wegman segment`: a part of an object, summed on the machine that can read it.

pub mod summer;

use crate::args::Segment as Args;
use crate::durable::drafts::DRAFT;
use crate::durable::{Over, begin_for, put_in_place};
use crate::files::reader::{Reader, in_order};
use crate::files::{self, STDIN};
use crate::formats::keyfile::{KeyFile, Purpose};
use crate::formats::segment::line;
use crate::names::shown;
use crate::output::screen::progress_bar;
use crate::output::{Exit, say};
use crate::standard;
use anyhow::{Context, Result, anyhow, ensure};
use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, IsTerminal, Write};
use std::os::fd::AsFd;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use summer::{PartKey, Summer};
use tempfile::NamedTempFile;
use wegman::pmac::hazmat::Segment;
use zeroize::Zeroizing;

pub fn run(args: &Args) -> Result<Exit> {
    let key = KeyFile::load(&args.key)?;
    let file_key = key.derive(Purpose::Files);
    let part_key = PartKey::new(&key, &*file_key)?;
    let part = Part::new(args, part_key.block as u64)?;
    let place = match args.output.as_deref() {
        Some(place) => Some((place, begin(place)?)),
        None => {
            warn_of_output();
            None
        }
    };
    let line = Zeroizing::new(line(&key, &part.sum(args, part_key)?)?);
    match place {
        Some((place, mut file)) => {
            let written = file.write_all(line.as_bytes());
            let written = written.and_then(|()| put_in_place(file, place, Over::Nothing));
            drop(written.with_context(|| cant_write(place))?);
        }
        None => standard::print(line.as_bytes())?,
    }
    Ok(Exit::Good)
}

/// The part of an object to sum, and the file to read it from.
struct Part<'a> {
    file: &'a OsStr,
    /// The file's bytes, if that is known.
    size: Option<u64>,
    /// How many blocks come before it.
    start: u64,
    /// Where in the file it is, and its bytes, if the file has more.
    range: Option<(u64, u64)>,
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
        if file == STDIN {
            standard::input()?;
        }
        let size = Path::new(file).metadata().ok().filter(|_| file != STDIN);
        let size = size.map(|metadata| metadata.len());
        let at = start.saturating_mul(block);
        if let Some(length) = args.length {
            ensure!(
                file != STDIN,
                "--length: standard input is taken as the part itself; name a file"
            );
            let is_last = size == at.checked_add(length);
            ensure!(
                is_last || length.is_multiple_of(block),
                "--length {length} is not a multiple of {block}, and {} goes on: only its last part may have such a length",
                shown(file)
            );
        } else if at > 0 && size.is_some_and(|size| size > at) {
            say(&format!(
                "{}: all of it was taken as the part that begins at {at}; give --length for a part of the file",
                shown(file)
            ));
        }
        Ok(Part { file, size, start, range: args.length.map(|length| (at, length)) })
    }

    fn sum(&self, args: &Args, key: PartKey<'_>) -> Result<Segment> {
        let hidden = args.no_progress || !io::stderr().is_terminal();
        let bar = progress_bar(args.length.or(self.size), hidden);
        let work = |file: &&OsStr, reader: &mut Reader<'_>| -> Result<Segment> {
            let mut summer = Summer::new(key, self.start);
            match self.range {
                Some(range) => reader.feed_part(&mut summer, file, range, &bar)?,
                None => reader.feed(&mut summer, file, &bar)?,
            }
            Ok(summer.segment()?)
        };
        let mut sum = None;
        in_order(args.speed.how(args.follow_symlinks), &[self.file], work, |file, segment| {
            sum = Some(segment.map_err(|error| anyhow!("{}", files::complaint(file, &error)))?);
            Ok(())
        })?;
        bar.finish_and_clear();
        sum.context("nothing was read")
    }
}

/// The file a segment goes to, not yet in its place.
fn begin(place: &Path) -> Result<NamedTempFile> {
    ensure!(
        place.symlink_metadata().is_err(),
        "{}: it exists already, and segments overwrite nothing",
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
