//! `wegman check`: are the files a manifest names what they were?

use crate::args::Check;
use crate::files::{self, STDIN, is_missing};
use crate::journal::{self, Watch};
use crate::keyfile::{KeyFile, Purpose};
use crate::manifest::{self, Entry, Refusal};
use crate::output::{Exit, FileRecord, Screen, Tally, say};
use crate::reader::Reader;
use anyhow::{Context, Result, ensure};
use std::fs;
use std::io::{self, Read};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use wegman::registry::AnyKey;

/// Reads a manifest and its seal. `Ok(Err(..))`: read, but refused.
pub fn load(path: &Path, key: &KeyFile) -> Result<Result<Vec<Entry>>> {
    let bytes = if path.as_os_str() == STDIN {
        let mut bytes = Vec::new();
        io::stdin().read_to_end(&mut bytes).map(|_| bytes)
    } else {
        fs::read(path)
    };
    let shown = manifest::shown(path.as_os_str());
    let bytes = bytes.with_context(|| format!("{shown}: can't read the manifest"))?;
    match manifest::parse(&bytes, key) {
        Ok(entries) => Ok(Ok(entries)),
        Err(Refusal::Forged(error)) => Ok(Err(error.context(format!("{shown}: manifest refused")))),
        Err(Refusal::Key(error)) => Err(error.context(format!("{shown}: wrong key"))),
    }
}

/// Whether a file is what its entry says: an error if it can't be read.
pub fn is_good(
    key: &dyn AnyKey,
    entry: &Entry,
    reader: &mut Reader<'_>,
    bar: &indicatif::ProgressBar,
) -> Result<bool> {
    let mut stream = key.stream();
    reader.feed(&mut *stream, &entry.name, bar)?;
    Ok(stream.tag(entry.stamp.nonce.as_ref())? == entry.stamp.tag)
}

pub fn run(args: &Check) -> Result<Exit> {
    let key = KeyFile::load(&args.key)?;
    let watch = Watch::new(&args.manifest);
    let entries = match load(&args.manifest, &key)? {
        Ok(entries) => entries,
        Err(refused) => {
            if !args.status {
                say(&format!("{refused:#}"));
            }
            return Ok(Exit::Bad);
        }
    };
    ensure!(
        args.manifest.as_os_str() != STDIN || entries.iter().all(|entry| entry.name != STDIN),
        "standard input can't be both the manifest and a file it names"
    );

    let sizes = entries.iter().map(|entry| Path::new(&entry.name).metadata().map(|m| m.len()));
    let total = sizes.map(|size| size.unwrap_or(0)).sum();
    let mut screen = Screen::new(Some(total), args.read.json, args.read.no_progress || args.status);
    let mut tally = Tally::new("check", &["ok", "failed", "missing", "unreadable", "interrupted"]);
    let how = journal::how_to_finish(&args.key, args.read.follow_symlinks, &args.manifest);
    let left = journal::left_behind(&args.manifest, &key, &how, &entries);
    if let Some((name, error)) = left {
        tally.add("interrupted");
        if !args.status {
            screen.message(&files::complaint(&name, &error));
            screen.record(&FileRecord::new(&name, "interrupted").error(&error));
        }
    }
    let file_key = key.derive(Purpose::Files);
    let bar = screen.bar().clone();
    let work = |entry: &Entry, reader: &mut Reader<'_>| is_good(&*file_key, entry, reader, &bar);
    files::in_order(args.read.how(), &entries, work, |entry, outcome| {
        let (status, word, error) = match outcome {
            Ok(true) => ("ok", "OK", None),
            Ok(false) => ("failed", "FAILED", None),
            Err(error) if is_missing(&error) && args.ignore_missing => return Ok(()),
            Err(error) if is_missing(&error) => ("missing", "MISSING", Some(error)),
            Err(error) => ("unreadable", "FAILED open or read", Some(error)),
        };
        tally.add(status);
        if args.status {
            return Ok(());
        }
        let mut record = FileRecord::new(&entry.name, status);
        if let Some(error) = &error {
            screen.message(&files::complaint(&entry.name, error));
            record = record.error(error);
        }
        if status != "ok" || !args.quiet {
            let (mark, name) = manifest::escape(entry.name.as_bytes());
            screen.line(&[mark, &name, b": ", word.as_bytes()].concat());
            screen.record(&record);
        }
        Ok(())
    })?;

    let nothing = args.ignore_missing && tally.of(&["ok", "failed", "unreadable"]) == 0;
    let failed = tally.of(&["failed", "interrupted"]) + u64::from(nothing && !entries.is_empty());
    let exit = Exit::of(failed, tally.of(&["missing", "unreadable"]));
    if !args.status {
        screen.record(&tally.record(exit));
    }
    let exit = screen.finish(exit)?;
    if !args.status {
        say(&tally.to_string());
        let hint = watch.hint().filter(|_| tally.of(&["failed", "missing"]) > 0);
        if let Some(hint) = hint.filter(|_| tally.of(&["interrupted"]) == 0) {
            say(&hint);
        }
        if entries.is_empty() {
            say(&format!("{}: it names no files", manifest::shown(args.manifest.as_os_str())));
        }
        if exit == Exit::Bad && nothing {
            say(&format!("{}: no file was checked", manifest::shown(args.manifest.as_os_str())));
        }
    }
    Ok(exit)
}
