//! `wegman check`: are the files a manifest names what they were?

use crate::args::Check;
use crate::files::reader::{Reader, in_order};
use crate::files::{STDIN, is_missing};
use crate::formats::journal::interrupted::{Watch, how_to_finish, left_behind};
use crate::formats::keyfile::{KeyFile, Purpose};
use crate::formats::manifest::{Entry, file};
use crate::names::shown;
use crate::output::{Exit, say};
use crate::report::FileRecord;
use crate::report::run::{Run, Voice};
use anyhow::{Result, ensure};
use std::path::Path;

pub fn run(args: &Check) -> Result<Exit> {
    let key = KeyFile::load(&args.key)?;
    let watch = Watch::new(&args.manifest);
    let entries = match file::load(&args.manifest, &key)? {
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

    let outcomes = ["ok", "failed", "missing", "unreadable", "interrupted"];
    let voice = if args.status { Voice::Silent } else { Voice::Full };
    let mut run = Run::new("check", &outcomes, Some(size(&entries)), &args.read, voice);
    let how = how_to_finish(&args.key, args.read.follow_symlinks, &args.manifest);
    run.interrupted(left_behind(&args.manifest, &key, &how, &entries));
    compare(&mut run, args, &key, &entries)?;

    let nothing = args.ignore_missing && run.of(&["ok", "failed", "unreadable"]) == 0;
    let failed = run.of(&["failed", "interrupted"]) + u64::from(nothing && !entries.is_empty());
    let exit = run.finish(failed, run.of(&["missing", "unreadable"]))?;
    run.hint(&watch, &["failed", "missing"]);
    let manifest = shown(args.manifest.as_os_str());
    if entries.is_empty() {
        run.remark(&format!("{manifest}: it names no files"));
    }
    if exit == Exit::Bad && nothing {
        run.remark(&format!("{manifest}: no file was checked"));
    }
    Ok(exit)
}

/// Bytes to read. What can't be read counts for nothing.
fn size(entries: &[Entry]) -> u64 {
    let sizes = entries.iter().map(|entry| Path::new(&entry.name).metadata().map(|m| m.len()));
    sizes.map(|size| size.unwrap_or(0)).sum()
}

fn compare(run: &mut Run, args: &Check, key: &KeyFile, entries: &[Entry]) -> Result<()> {
    let file_key = key.derive(Purpose::Files);
    let bar = run.bar();
    let work = |entry: &Entry, reader: &mut Reader<'_>| entry.is_good(&*file_key, reader, &bar);
    in_order(args.read.how(), entries, work, |entry, outcome| {
        let name = &entry.name;
        match outcome {
            Ok(true) if args.quiet => run.count("ok"),
            Ok(true) => {
                run.file(&FileRecord::new(name, "ok"));
                run.line(name, "OK");
            }
            Ok(false) => {
                run.file(&FileRecord::new(name, "failed"));
                run.line(name, "FAILED");
            }
            Err(error) if is_missing(&error) && args.ignore_missing => {}
            Err(error) if is_missing(&error) => {
                run.error(name, "missing", &error);
                run.line(name, "MISSING");
            }
            Err(error) => {
                run.unreadable(name, &error);
                run.line(name, "FAILED open or read");
            }
        }
        Ok(())
    })
}
