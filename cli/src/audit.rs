//! `wegman audit`: what happened to a directory since its manifest was made?

use crate::args::Audit;
use crate::check::{self, is_good};
use crate::files::{self, Input, is_missing};
use crate::journal::{self, Watch};
use crate::keyfile::{KeyFile, Purpose};
use crate::manifest::{self, Entry};
use crate::output::{Exit, FileRecord, Screen, Tally, counted, say};
use crate::reader::Reader;
use anyhow::{Result, ensure};
use std::collections::HashSet;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path, PathBuf};

/// A path without what does not matter: `./`, doubled and trailing slashes.
fn plain(path: &OsStr) -> PathBuf {
    Path::new(path).components().filter(|part| *part != Component::CurDir).collect()
}

pub fn run(args: &Audit) -> Result<Exit> {
    let key = KeyFile::load(&args.key)?;
    let watch = Watch::new(&args.manifest);
    let entries = match check::load(&args.manifest, &key)? {
        Ok(entries) => entries,
        Err(refused) => {
            say(&format!("{refused:#}"));
            return Ok(Exit::Bad);
        }
    };
    let directory = manifest::shown(args.directory.as_os_str());
    ensure!(args.directory.metadata().is_ok_and(|m| m.is_dir()), "{directory}: not a directory");

    let how = journal::how_to_finish(&args.key, args.read.follow_symlinks, &args.manifest);
    let left = journal::left_behind(&args.manifest, &key, &how, &entries);

    let root = plain(args.directory.as_os_str());
    let total = entries.len();
    let entries: Vec<Entry> =
        entries.into_iter().filter(|entry| plain(&entry.name).starts_with(&root)).collect();
    ensure!(
        total == 0 || !entries.is_empty(),
        "{directory}: no file of the manifest lies there; name the directory as `wegman tag` was \
         given it, from the directory it was run in"
    );

    let manifest = files::identity(&args.manifest);
    let journal = journal::identity(&args.manifest);
    let except: Vec<_> = key.identity.into_iter().chain(manifest).chain(journal).collect();
    let found = files::find(&[args.directory.clone().into()], true, &args.read, &except);

    let mut screen = Screen::new(found.total(), args.read.json, args.read.no_progress);
    let outcomes = ["unchanged", "changed", "moved", "missing", "new", "unreadable", "interrupted"];
    let mut tally = Tally::new("audit", &outcomes);
    let file_key = key.derive(Purpose::Files);
    let bar = screen.bar().clone();

    if let Some((name, error)) = left {
        tally.add("interrupted");
        screen.message(&files::complaint(&name, &error));
        screen.record(&FileRecord::new(&name, "interrupted").error(&error));
    }

    // A file that can't be read is an error of the run, not a finding about the directory.
    let unreadable = |screen: &mut Screen, tally: &mut Tally, name: &OsStr, error| {
        tally.add("unreadable");
        screen.message(&files::complaint(name, &error));
        screen.record(&FileRecord::new(name, "unreadable").error(&error));
    };
    let passed_over = found.passed_over().map_or_else(String::new, |words| format!("; {words}"));
    for (name, error) in found.errors {
        unreadable(&mut screen, &mut tally, &name, error);
    }

    let mut missing = Vec::new();
    let good = |entry: &Entry, reader: &mut Reader<'_>| is_good(&*file_key, entry, reader, &bar);
    files::in_order(args.read.how(), &entries, good, |entry, outcome| {
        match outcome {
            Ok(true) => tally.add("unchanged"),
            Ok(false) => finding(&mut screen, &mut tally, &entry.name, "changed"),
            Err(error) if is_missing(&error) => missing.push(entry),
            Err(error) => unreadable(&mut screen, &mut tally, &entry.name, error),
        }
        Ok(())
    })?;

    let known: HashSet<PathBuf> = entries.iter().map(|entry| plain(&entry.name)).collect();
    let new = found.inputs.into_iter().filter(|input| !known.contains(&plain(&input.name)));
    let new: Vec<Input> = new.collect();
    // Which missing files a new one has the content of: their tags are its own.
    let same = |input: &Input, reader: &mut Reader<'_>| -> Result<Vec<usize>> {
        if missing.is_empty() {
            return Ok(Vec::new());
        }
        let mut stream = file_key.stream();
        reader.feed(&mut *stream, &input.name, &bar)?;
        let mut same = Vec::new();
        for (i, entry) in missing.iter().enumerate() {
            if stream.tag(entry.stamp.nonce.as_ref())? == entry.stamp.tag {
                same.push(i);
            }
        }
        Ok(same)
    };
    let mut moved = vec![false; missing.len()];
    files::in_order(args.read.how(), &new, same, |input, same| {
        let same = match same {
            Ok(same) => same,
            Err(error) => {
                unreadable(&mut screen, &mut tally, &input.name, error);
                return Ok(());
            }
        };
        let Some(&from) = same.iter().find(|&&i| !moved[i]) else {
            finding(&mut screen, &mut tally, &input.name, "new");
            return Ok(());
        };
        moved[from] = true;
        tally.add("moved");
        let from = &missing[from].name;
        let (mark, old) = manifest::escape(from.as_bytes());
        let (_, new) = manifest::escape(input.name.as_bytes());
        screen.line(&[mark, &old, b": MOVED to ", &new].concat());
        screen.record(&FileRecord::new(from, "moved").moved_to(&input.name));
        Ok(())
    })?;
    for (entry, _) in missing.iter().zip(&moved).filter(|(_, moved)| !**moved) {
        finding(&mut screen, &mut tally, &entry.name, "missing");
    }

    let findings = tally.of(&["changed", "moved", "missing", "new", "interrupted"]);
    let exit = Exit::of(findings, tally.of(&["unreadable"]));
    screen.record(&tally.record(exit));
    let exit = screen.finish(exit)?;
    let elsewhere = total - entries.len();
    say(&format!("{tally}{passed_over}"));
    let hint = watch.hint().filter(|_| tally.of(&["changed", "missing"]) > 0);
    if let Some(hint) = hint.filter(|_| tally.of(&["interrupted"]) == 0) {
        say(&hint);
    }
    if elsewhere > 0 {
        let files = counted(elsewhere as u64, "file", "files");
        say(&format!("outside {directory} and not audited: {files} of the manifest"));
    }
    Ok(exit)
}

/// One difference between directory and manifest.
fn finding(screen: &mut Screen, tally: &mut Tally, name: &OsStr, what: &'static str) {
    tally.add(what);
    let (mark, escaped) = manifest::escape(name.as_bytes());
    screen.line(&[mark, &escaped, b": ", what.to_uppercase().as_bytes()].concat());
    screen.record(&FileRecord::new(name, what));
}
