//! `wegman audit`: what happened to a directory since its manifest was made?

use super::compare::{Comparison, FINDINGS, OUTCOMES, accept};
use crate::args::Audit;
use crate::files::find::{Search, find};
use crate::files::{STDIN, is_below, plain, tops};
use crate::names::shown;
use crate::output::{Exit, counted};
use crate::report::run::{Run, Voice};
use crate::stored::journal::interrupted::{Watch, left_behind, refuse_at_of_others};
use crate::stored::{journal, leftovers, manifest as file, shards};
use anyhow::{Result, ensure};
use std::ffi::OsStr;
use std::fs::File;
use wegman_formats::keyfile::KeyFile;
use wegman_formats::manifest::Manifest;
use wegman_formats::manifest::role::FileKeys;

pub fn run(args: &Audit) -> Result<Exit> {
    let name = shown(&args.manifest);
    ensure!(!args.manifest.is_dir(), "{name}: it is a directory: give DIR first, then MANIFEST");
    let key = args.key.load()?;
    let watch = Watch::new(&args.manifest);
    let lock = if args.accept { Some(file::lock(&args.manifest)?) } else { None };
    match opened(args, &key) {
        Ok((all, keys)) => compared(args, &key, all, &keys, &watch, lock),
        Err(error) => begun(args, None).without(error),
    }
}

fn begun(args: &Audit, total: Option<u64>) -> Run {
    let voice = Voice::of(args.voice.quiet, args.voice.status);
    Run::new("audit", &OUTCOMES, total, &args.read, voice)
}

/// All that the manifest and its shards say, with the keys of the tags.
fn opened(args: &Audit, key: &KeyFile) -> Result<(Manifest, FileKeys)> {
    let all = file::load_at_least(&args.manifest, key, args.at_least)?;
    if args.accept {
        file::refuse_parted(&args.manifest, &all)?;
    }
    shards::gathered(&args.manifest, key, all)
}

fn compared(
    args: &Audit,
    key: &KeyFile,
    all: Manifest,
    keys: &FileKeys,
    watch: &Watch<'_>,
    lock: Option<File>,
) -> Result<Exit> {
    let follow = args.read.follow_symlinks;
    let how = args.key.how_to_finish(follow, &args.manifest);
    if args.accept {
        refuse_at_of_others(&args.manifest, &how)?;
        leftovers::remove(&args.manifest, key);
    }
    let directory = shown(&args.directory);
    ensure!(args.directory.metadata().is_ok_and(|m| m.is_dir()), "{directory}: not a directory");
    let left = left_behind(&args.manifest, key, &how, &all.entries);

    let root = plain(args.directory.as_os_str());
    let is_in = |name: &OsStr| name != STDIN && is_below(&plain(name), &root);
    let is_empty = all.entries.is_empty();
    let tops = tops(&all);
    let (old, elsewhere) = all.split(is_in);
    ensure!(
        is_empty || !old.entries.is_empty() || !old.others.is_empty(),
        "{directory}: no file of the manifest is in it; run this in the same directory as `wegman tag`, and \
         name the directory in the same way"
    );
    let has_attributes = old.has_attributes();
    ensure!(
        has_attributes || !args.mode,
        "{}: it has no permissions and owners to compare; `wegman tag --mode` records them",
        shown(&args.manifest)
    );
    let except = journal::except(&args.key.key, &args.manifest);
    let search = Search {
        tops: &tops,
        recursive: true,
        follow,
        exclude: &args.exclude,
        except: &except,
        sizes: args.read.shows_progress(),
    };
    let found = find(&[args.directory.clone().into()], &search)?;
    let mut run = begun(args, found.total());
    run.interrupted(left);
    run.searched(&found);
    let comparison = Comparison {
        key,
        keys,
        speed: args.read.speed,
        found: &found,
        old: &old,
        // What is taken over is told of.
        has_attributes: args.mode || (args.accept && has_attributes),
        wants_next: args.accept,
    };
    let next = comparison.run(&mut run)?;

    let findings = run.of(&FINDINGS);
    let rest = elsewhere.entries.len() as u64;
    let (exit, words) = match lock {
        Some(lock) => {
            let next = next.and(elsewhere);
            accept(&mut run, &args.manifest, &lock, key, &next, findings > 0)?
        }
        None => {
            let exit = Exit::of(findings + u64::from(is_empty), run.of(&["unreadable"]));
            (exit, String::new())
        }
    };
    let exit = run.end(exit)?;
    if !args.accept {
        run.hint(watch, &["changed", "missing"]);
    }
    if is_empty {
        run.remark(&format!("{}: it names no files", shown(&args.manifest)));
    }
    tell(&run, rest, &directory, &words);
    Ok(exit)
}

/// What else there is to say: of the `rest` of the files, and in `words`.
fn tell(run: &Run, rest: u64, directory: &str, words: &str) {
    if rest > 0 {
        let files = counted(rest, "file", "files");
        run.aside(&format!("outside {directory}, not audited: {files} of the manifest"));
    }
    if !words.is_empty() {
        run.aside(words);
    }
}
