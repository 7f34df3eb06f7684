//! `wegman audit`: what happened to a directory since its manifest was made?

use super::compare::{Comparison, FINDINGS, OUTCOMES, accept};
use crate::args::Audit;
use crate::files::find::{Search, find};
use crate::files::{STDIN, is_below, plain, tops};
use crate::names::shown;
use crate::output::{Exit, counted};
use crate::report::run::{Run, Voice};
use crate::stored::journal;
use crate::stored::journal::interrupted::{Watch, left_behind, refuse_at_of_others};
use crate::stored::{leftovers, manifest as file, shards};
use anyhow::{Result, ensure};
use std::ffi::OsStr;

pub fn run(args: &Audit) -> Result<Exit> {
    let key = args.key.load()?;
    let voice = Voice::of(args.voice.quiet, args.voice.status);
    let watch = Watch::new(&args.manifest);
    let lock = if args.accept { Some(file::lock(&args.manifest)?) } else { None };
    let all = match file::load_at_least(&args.manifest, &key, args.version.at_least)? {
        Ok(manifest) => manifest,
        Err(refused) => {
            return Run::new("audit", &OUTCOMES, None, &args.read, voice).refuse(&refused);
        }
    };
    if args.accept {
        file::refuse_parted(&args.manifest, &all)?;
    }
    let (all, keys) = match shards::gathered(&args.manifest, &key, all)? {
        Ok(gathered) => gathered,
        Err(refused) => {
            return Run::new("audit", &OUTCOMES, None, &args.read, voice).refuse(&refused);
        }
    };
    let follow = args.read.follow_symlinks;
    let how = args.key.how_to_finish(follow, &args.manifest);
    if args.accept {
        refuse_at_of_others(&args.manifest, &how)?;
        leftovers::remove(&args.manifest, &key);
    }
    let directory = shown(args.directory.as_os_str());
    ensure!(args.directory.metadata().is_ok_and(|m| m.is_dir()), "{directory}: not a directory");
    let left = left_behind(&args.manifest, &key, &how, &all.entries);

    let root = plain(args.directory.as_os_str());
    let is_in = |name: &OsStr| name != STDIN && is_below(&plain(name), &root);
    let total = all.entries.len();
    let is_empty = total == 0;
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
        shown(args.manifest.as_os_str())
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
    let mut run = Run::new("audit", &OUTCOMES, found.total(), &args.read, voice);
    run.interrupted(left);
    run.searched(&found);
    let next = args.accept.then_some(has_attributes);
    // What is taken over is told of.
    let compares_attributes = args.mode || (args.accept && has_attributes);
    let how = args.read.how();
    let comparison = Comparison {
        key: &key,
        keys: &keys,
        how,
        found: &found,
        old: &old,
        compares_attributes,
        next,
    };
    let next = comparison.run(&mut run)?;

    let findings = run.of(&FINDINGS);
    let rest = elsewhere.entries.len() as u64;
    let (exit, words) = match lock {
        Some(lock) => {
            let next = next.and(elsewhere);
            accept(&mut run, &args.manifest, &lock, &key, &next, findings > 0)?
        }
        None => {
            let failed = findings + u64::from(is_empty);
            (Exit::of(failed, run.of(&["unreadable"])), String::new())
        }
    };
    let exit = run.end(exit)?;
    if !args.accept {
        run.hint(&watch, &["changed", "missing"]);
    }
    if is_empty {
        run.remark(&format!("{}: it names no files", shown(args.manifest.as_os_str())));
    }
    if rest > 0 {
        let files = counted(rest, "file", "files");
        run.aside(&format!("outside {directory}, not audited: {files} of the manifest"));
    }
    if !words.is_empty() {
        run.aside(&words);
    }
    Ok(exit)
}
