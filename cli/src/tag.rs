//! `wegman tag`: files in, sealed manifest out.

use crate::args::Tag;
use crate::edit;
use crate::files::{self, STDIN};
use crate::journal;
use crate::keyfile::{KeyFile, Purpose};
use crate::manifest::{self, Sealer, Stamp, fresh_nonce, shown};
use crate::output::{Exit, FileRecord, Replacement, Screen, Tally, say};
use crate::reader::Reader;
use anyhow::{Context, Result, ensure};
use std::ffi::OsString;
use std::fs::File;
use std::io::{Read, Write};
use std::path::Path;

pub fn run(args: &Tag) -> Result<Exit> {
    let key = KeyFile::load(&args.key)?;
    let file_key = key.derive(Purpose::Files);
    let seal_key = key.derive(Purpose::Seals);

    let standard_input = [OsString::from(STDIN)];
    let paths = if args.paths.is_empty() { &standard_input[..] } else { &args.paths };
    // The manifest itself is no file of the tree, nor is one that the shell redirects to.
    let place = args.output.as_deref().unwrap_or(Path::new("/dev/stdout"));
    let how = journal::how_to_finish(&args.key, args.read.follow_symlinks, place);
    let before = files::identity(place);
    if args.output.is_some() {
        journal::refuse_at(place, &how)?;
    }
    if let Some(output) = &args.output {
        refuse_to_replace(output, &key, paths)?;
    }
    let journal = journal::identity(place);
    let except = key.identity.into_iter().chain(files::identity(place)).chain(journal);
    let except: Vec<_> = except.collect();
    let found = files::find(paths, args.recursive, &args.read, &except);

    let mut screen =
        Screen::new(found.total(), args.read.json, args.read.no_progress || args.quiet);
    let mut tally = Tally::new("tag", &["tagged", "unreadable"]);
    let mut output = args.output.as_deref().map(Replacement::new).transpose()?;
    let mut emit = |screen: &mut Screen, mut line: Vec<u8>| match &mut output {
        Some(output) => {
            line.push(b'\n');
            output.write_all(&line).context("writing the manifest")
        }
        None => {
            screen.line(&line);
            screen.whole() // a manifest with a gap is of no use
        }
    };

    let mut sealer = Sealer::new(&key, &*seal_key);
    // If nothing can be tagged, there is no manifest.
    let mut header = Some(sealer.header());
    for (name, error) in &found.errors {
        tally.add("unreadable");
        screen.message(&files::complaint(name, error));
        screen.record(&FileRecord::new(name, "unreadable").error(error));
    }
    let bar = screen.bar().clone();
    let stamp = |input: &files::Input, reader: &mut Reader<'_>| -> Result<Stamp> {
        let mut stream = file_key.stream();
        reader.feed(&mut *stream, &input.name, &bar)?;
        let nonce = fresh_nonce(&key)?;
        Ok(Stamp { tag: stream.tag(nonce.as_ref())?, nonce })
    };
    files::in_order(args.read.how(), &found.inputs, stamp, |input, stamped| {
        let record = match stamped {
            Ok(stamp) => {
                tally.add("tagged");
                if let Some(header) = header.take() {
                    emit(&mut screen, header)?;
                }
                emit(&mut screen, sealer.entry(&input.name, &stamp))?;
                FileRecord::new(&input.name, "tagged").stamp(&stamp)
            }
            Err(error) => {
                tally.add("unreadable");
                screen.message(&files::complaint(&input.name, &error));
                FileRecord::new(&input.name, "unreadable").error(&error)
            }
        };
        screen.record(&record);
        Ok(())
    })?;
    let is_nothing = tally.of(&["tagged"]) == 0 && tally.of(&["unreadable"]) > 0;
    if !is_nothing {
        if let Some(header) = header {
            emit(&mut screen, header)?;
        }
        emit(&mut screen, sealer.seal()?)?;
    }
    match output {
        // A mistyped name must not cost the manifest that is there.
        _ if is_nothing => screen.message("nothing could be tagged: no manifest was written"),
        Some(mut output) => {
            output.sync()?;
            // Where a manifest can't be locked, no edit locks it either.
            let lock = before.and_then(|_| place.is_file().then(|| edit::lock(place).ok())?);
            journal::refuse_at_of_others(place, &how)?;
            ensure!(
                files::identity(place) == before,
                "{}: an edit or somebody else wrote it meanwhile: it was left so; tag again",
                shown(place.as_os_str())
            );
            output.finish()?;
            drop(lock);
        }
        None => {}
    }

    let exit = Exit::of(0, tally.of(&["unreadable"]));
    screen.record(&tally.record(exit));
    let exit = screen.finish(exit)?;
    if !args.quiet {
        let passed_over =
            found.passed_over().map_or_else(String::new, |words| format!("; {words}"));
        say(&format!("{tally}{passed_over}"));
    }
    Ok(exit)
}

/// `-o photos/*` names a photo: only what is surely a manifest is replaced, or what is empty.
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
    read.with_context(|| format!("{shown}: can't see whether it is a manifest, to replace it"))?;
    ensure!(
        front.is_empty() || front == manifest::MARK.as_bytes(),
        "{shown}: it is a file, but no manifest: {advice}. To put one in its place, move it away or delete it"
    );
    Ok(())
}
