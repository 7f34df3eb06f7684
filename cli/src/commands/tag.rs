//! `wegman tag`: files in, sealed manifest out.

use crate::args::Tag;
use crate::durable::replacement::Replacement;
use crate::files::find::{Found, Input, find};
use crate::files::reader::{Reader, in_order};
use crate::files::{self, STDIN};
use crate::formats::journal;
use crate::formats::journal::interrupted::{how_to_finish, refuse_at, refuse_at_of_others};
use crate::formats::keyfile::{KeyFile, Purpose};
use crate::formats::leftovers;
use crate::formats::manifest::{self, Sealer, Stamp, fresh_nonce};
use crate::names::shown;
use crate::output::Exit;
use crate::output::screen::Screen;
use crate::report::FileRecord;
use crate::report::run::{Run, Voice};
use anyhow::{Context, Result, ensure};
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{Read, Write};
use std::path::Path;

pub fn run(args: &Tag) -> Result<Exit> {
    let key = KeyFile::load(&args.key)?;
    let standard_input = [OsString::from(STDIN)];
    let paths = if args.paths.is_empty() { &standard_input[..] } else { &args.paths };
    let place = Place::new(args, &key, paths)?;
    let found = find(paths, args.recursive, &args.read, &place.except(&key));

    let voice = if args.quiet { Voice::Quiet } else { Voice::Full };
    let mut run = Run::new("tag", &["tagged", "unreadable"], found.total(), &args.read, voice);
    args.output.iter().for_each(|place| leftovers::remove(place, &key));
    let output = args.output.as_deref().map(Replacement::new).transpose()?;
    let seal_key = key.derive(Purpose::Seals);
    let mut lines = Lines::new(Sealer::new(&key, &*seal_key), output);
    run.searched(&found);
    tag_all(&mut run, args, &key, &found, &mut lines)?;

    let unreadable = run.of(&["unreadable"]);
    if run.of(&["tagged"]) == 0 && unreadable > 0 {
        // A mistyped name must not cost the manifest that is there.
        run.screen().message("nothing could be tagged: no manifest was written");
    } else if let Some(manifest) = lines.finish(run.screen())? {
        place.take(manifest)?;
    }
    run.finish(0, unreadable)
}

fn tag_all(
    run: &mut Run,
    args: &Tag,
    key: &KeyFile,
    found: &Found,
    lines: &mut Lines<'_>,
) -> Result<()> {
    let file_key = key.derive(Purpose::Files);
    let bar = run.bar();
    let stamp = |input: &Input, reader: &mut Reader<'_>| -> Result<Stamp> {
        let mut stream = file_key.stream();
        reader.feed(&mut *stream, &input.name, &bar)?;
        let nonce = fresh_nonce(key)?;
        Ok(Stamp { tag: stream.finish(nonce.as_ref())?, nonce })
    };
    in_order(args.read.how(), &found.inputs, stamp, |input, stamped| {
        match stamped {
            Ok(stamp) => {
                lines.entry(run.screen(), &input.name, &stamp)?;
                run.file(&FileRecord::new(&input.name, "tagged").stamp(&stamp));
            }
            Err(error) => run.unreadable(&input.name, &error),
        }
        Ok(())
    })
}

/// The lines of the manifest, on their way to a file or to standard output.
struct Lines<'k> {
    sealer: Sealer<'k>,
    /// If nothing can be tagged, there is no manifest: it waits for the first entry.
    header: Option<Vec<u8>>,
    output: Option<Replacement>,
}

impl<'k> Lines<'k> {
    fn new(mut sealer: Sealer<'k>, output: Option<Replacement>) -> Self {
        let header = Some(sealer.header());
        Lines { sealer, header, output }
    }

    fn entry(&mut self, screen: &mut Screen, name: &OsStr, stamp: &Stamp) -> Result<()> {
        self.header(screen)?;
        let line = self.sealer.entry(name, stamp);
        write(&mut self.output, screen, line)
    }

    /// The file that is complete now, if it is one.
    fn finish(mut self, screen: &mut Screen) -> Result<Option<Replacement>> {
        self.header(screen)?;
        write(&mut self.output, screen, self.sealer.seal()?)?;
        Ok(self.output)
    }

    fn header(&mut self, screen: &mut Screen) -> Result<()> {
        match self.header.take() {
            Some(header) => write(&mut self.output, screen, header),
            None => Ok(()),
        }
    }
}

fn write(output: &mut Option<Replacement>, screen: &mut Screen, mut line: Vec<u8>) -> Result<()> {
    match output {
        Some(output) => {
            line.push(b'\n');
            output.write_all(&line).context("writing the manifest")
        }
        None => {
            screen.line(&line);
            screen.whole() // a manifest with a gap is of no use
        }
    }
}

/// Where the manifest goes.
struct Place<'a> {
    path: &'a Path,
    /// The file that was there before.
    before: Option<(u64, u64)>,
    /// The command that completes an interrupted edit.
    finish: String,
}

impl<'a> Place<'a> {
    /// Refuses a place where the manifest of these paths would do harm.
    fn new(args: &'a Tag, key: &KeyFile, paths: &[OsString]) -> Result<Place<'a>> {
        let path = args.output.as_deref().unwrap_or(Path::new("/dev/stdout"));
        let finish = how_to_finish(&args.key, args.read.follow_symlinks, path);
        let before = files::identity(path);
        if args.output.is_some() {
            refuse_at(path, &finish)?;
            refuse_to_replace(path, key, paths)?;
        }
        Ok(Place { path, before, finish })
    }

    /// What does not count as a file of the tree: the key, the manifest (or what the shell redirects to), its journal.
    fn except(&self, key: &KeyFile) -> Vec<(u64, u64)> {
        let manifest = files::identity(self.path);
        let journal = journal::identity(self.path);
        key.identity.into_iter().chain(manifest).chain(journal).collect()
    }

    /// Gives the manifest its place, unless somebody else wrote there meanwhile.
    fn take(&self, mut manifest: Replacement) -> Result<()> {
        manifest.sync()?;
        // Where a manifest can't be locked, no edit locks it either.
        let is_there = self.before.is_some() && self.path.is_file();
        let lock = is_there.then(|| manifest::file::lock(self.path).ok()).flatten();
        refuse_at_of_others(self.path, &self.finish)?;
        ensure!(
            files::identity(self.path) == self.before,
            "{}: an edit or somebody else wrote it meanwhile: it was left alone; tag again",
            shown(self.path.as_os_str())
        );
        manifest.finish()?;
        drop(lock);
        Ok(())
    }
}

/// `-o photos/*` names a photo: only a manifest or an empty file is replaced.
fn refuse_to_replace(place: &Path, key: &KeyFile, paths: &[OsString]) -> Result<()> {
    let shown = shown(place.as_os_str());
    let Some(identity) = files::identity(place).filter(|_| place.is_file()) else {
        return Ok(());
    };
    let advice = "nothing was tagged; -o takes the name of the manifest to write";
    ensure!(key.identity != Some(identity), "{shown}: it is the key file: {advice}");
    let is_input = |name: &OsString| match name.to_str() {
        Some(STDIN) => files::identity_of_stdin() == Some(identity),
        _ => files::identity(Path::new(name)) == Some(identity),
    };
    ensure!(!paths.iter().any(is_input), "{shown}: it is one of the files to tag: {advice}");
    let mut front = Vec::new();
    let read = File::open(place)
        .and_then(|file| file.take(manifest::MARK.len() as u64).read_to_end(&mut front));
    read.with_context(|| {
        format!("{shown}: can't tell whether it is a manifest that may be replaced")
    })?;
    ensure!(
        front.is_empty() || front == manifest::MARK.as_bytes(),
        "{shown}: it is a file, but not a manifest: {advice}. To put one in its place, move it away or delete it"
    );
    Ok(())
}
