//! `wegman tag --update`: a manifest brought up to date with its files.

use super::search;
use crate::args::Tag;
use crate::commands::compare::{Comparison, FINDINGS, OUTCOMES, accept};
use crate::files::find::find;
use crate::files::{STDIN, is_below, is_missing, plain, tops};
use crate::names::shown;
use crate::output::Exit;
use crate::report::run::{Run, Voice};
use crate::stored::journal::{self, interrupted};
use crate::stored::{leftovers, manifest as file};
use anyhow::{Result, ensure};
use std::collections::HashSet;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use wegman_formats::keyfile::KeyFile;
use wegman_formats::manifest::role::{FileKeys, Role};

/// `paths`: what to bring up to date; nothing is all that the manifest has.
pub fn run(args: &Tag, key: &KeyFile, path: &Path, paths: &[OsString]) -> Result<Exit> {
    let voice = Voice::of(args.quiet, false);
    let lock = file::lock(path)?;
    let all = match file::load(path, key) {
        Ok(manifest) => manifest,
        Err(error) => return Run::new("tag", &OUTCOMES, None, &args.read, voice).without(error),
    };
    let finish = args.key.how_to_finish(args.read.follow_symlinks, path);
    interrupted::refuse_at_of_others(path, &finish)?;
    leftovers::remove(path, key);
    let parts: Vec<PathBuf> = paths.iter().map(|path| plain(path)).collect();
    let is_in = |name: &OsStr| {
        let path = plain(name);
        // What came from standard input once does not come again.
        name != STDIN && (parts.is_empty() || parts.iter().any(|part| is_below(&path, part)))
    };
    let tops = tops(&all);
    let had_attributes = all.has_attributes();
    // Those of a part alone would look like those of all.
    let is_whole = had_attributes || !args.mode || paths.is_empty();
    ensure!(is_whole, "{}: --mode is for all its files: name no paths", shown(path));
    let (old, elsewhere) = all.split(is_in);

    let except = journal::except(&args.key.key, path);
    let named: Vec<OsString> = (old.entries.iter()).map(|entry| entry.name.clone()).collect();
    let searched: &[OsString] = if paths.is_empty() { &tops } else { paths };
    let mut found = find(searched, &search(args, &except, &tops))?;
    // What is gone is told of as missing.
    let gone: HashSet<PathBuf> = (named.iter().chain(&tops)).map(|name| plain(name)).collect();
    found.errors.retain(|(name, error)| !(is_missing(error) && gone.contains(&plain(name))));

    let mut run = Run::new("tag", &OUTCOMES, found.total(), &args.read, voice);
    run.searched(&found);
    let has_attributes = args.mode || had_attributes;
    let comparison = Comparison {
        key,
        keys: &FileKeys::of(&Role::Plain, key),
        speed: args.read.speed,
        found: &found,
        old: &old,
        has_attributes,
        wants_next: true,
    };
    let next = comparison.run(&mut run)?;
    let is_other = run.of(&FINDINGS) > 0 || has_attributes != had_attributes;
    let (exit, words) = accept(&mut run, path, &lock, key, &next.and(elsewhere), is_other)?;
    let exit = run.end(exit)?;
    run.aside(&words);
    Ok(exit)
}
