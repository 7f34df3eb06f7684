//! `wegman audit`: what happened to a directory since its manifest was made?

use crate::args::{Audit, How};
use crate::files::find::{Input, find};
use crate::files::reader::{Reader, in_order};
use crate::files::{self, is_missing};
use crate::formats::journal;
use crate::formats::journal::interrupted::{Watch, how_to_finish, left_behind};
use crate::formats::keyfile::{KeyFile, Purpose};
use crate::formats::manifest::{Entry, file};
use crate::names::{escape, shown};
use crate::output::{Exit, counted, say};
use crate::report::FileRecord;
use crate::report::run::{Run, Voice};
use anyhow::{Result, ensure};
use std::collections::HashSet;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path, PathBuf};
use wegman_catalogue::{AnyKey, VerifyError};

const OUTCOMES: [&str; 7] =
    ["unchanged", "changed", "moved", "missing", "new", "unreadable", "interrupted"];
/// The outcomes that are differences between directory and manifest.
const FINDINGS: [&str; 5] = ["changed", "moved", "missing", "new", "interrupted"];

/// A path without what does not matter: `./`, doubled and trailing slashes.
fn plain(path: &OsStr) -> PathBuf {
    Path::new(path).components().filter(|part| *part != Component::CurDir).collect()
}

pub fn run(args: &Audit) -> Result<Exit> {
    let key = KeyFile::load(&args.key)?;
    let watch = Watch::new(&args.manifest);
    let all = match file::load(&args.manifest, &key)? {
        Ok(entries) => entries,
        Err(refused) => {
            say(&format!("{refused:#}"));
            return Ok(Exit::Bad);
        }
    };
    let directory = shown(args.directory.as_os_str());
    ensure!(args.directory.metadata().is_ok_and(|m| m.is_dir()), "{directory}: not a directory");
    let how = how_to_finish(&args.key, args.read.follow_symlinks, &args.manifest);
    let left = left_behind(&args.manifest, &key, &how, &all);

    let root = plain(args.directory.as_os_str());
    let total = all.len();
    let entries: Vec<Entry> =
        all.into_iter().filter(|entry| plain(&entry.name).starts_with(&root)).collect();
    ensure!(
        total == 0 || !entries.is_empty(),
        "{directory}: no file of the manifest is in it; run this in the same directory as `wegman tag`, and \
         name the directory in the same way"
    );
    let manifest = files::identity(&args.manifest);
    let journal = journal::identity(&args.manifest);
    let except: Vec<_> = key.identity.into_iter().chain(manifest).chain(journal).collect();
    let found = find(&[args.directory.clone().into()], true, &args.read, &except);

    let mut run = Run::new("audit", &OUTCOMES, found.total(), &args.read, Voice::Full);
    run.interrupted(left);
    run.searched(&found);
    let mut comparison =
        Comparison { run: &mut run, key: key.derive(Purpose::Files), how: args.read.how() };
    let missing = comparison.known(&entries)?;
    let known: HashSet<PathBuf> = entries.iter().map(|entry| plain(&entry.name)).collect();
    let is_new = |input: &Input| !known.contains(&plain(&input.name));
    let new: Vec<Input> = found.inputs.into_iter().filter(is_new).collect();
    comparison.others(&new, &missing)?;

    let exit = run.finish(run.of(&FINDINGS), run.of(&["unreadable"]))?;
    run.hint(&watch, &["changed", "missing"]);
    let elsewhere = total - entries.len();
    if elsewhere > 0 {
        let files = counted(elsewhere as u64, "file", "files");
        run.remark(&format!("outside {directory}, not audited: {files} of the manifest"));
    }
    Ok(exit)
}

/// A directory being compared with its manifest.
struct Comparison<'r> {
    run: &'r mut Run,
    key: Box<dyn AnyKey>,
    how: How,
}

impl Comparison<'_> {
    /// Compares the files of the manifest, and returns those that are not there.
    fn known<'e>(&mut self, entries: &'e [Entry]) -> Result<Vec<&'e Entry>> {
        let Comparison { run, key, how } = self;
        let mut missing = Vec::new();
        let bar = run.bar();
        let good = |entry: &Entry, reader: &mut Reader<'_>| entry.is_good(&**key, reader, &bar);
        in_order(*how, entries, good, |entry, outcome| {
            match outcome {
                Ok(true) => run.count("unchanged"),
                Ok(false) => finding(run, &entry.name, "changed"),
                Err(error) if is_missing(&error) => missing.push(entry),
                Err(error) => run.unreadable(&entry.name, &error),
            }
            Ok(())
        })?;
        Ok(missing)
    }

    /// Compares the files that the manifest does not name with those that are missing: equal ones were moved.
    fn others(&mut self, new: &[Input], missing: &[&Entry]) -> Result<()> {
        let Comparison { run, key, how } = self;
        let bar = run.bar();
        let same = |input: &Input, reader: &mut Reader<'_>| -> Result<Vec<usize>> {
            if missing.is_empty() {
                return Ok(Vec::new());
            }
            let mut stream = key.stream();
            reader.feed(&mut *stream, &input.name, &bar)?;
            let mut same = Vec::new();
            for (i, entry) in missing.iter().enumerate() {
                match stream.verify(entry.stamp.nonce.as_ref(), &entry.stamp.tag) {
                    Ok(()) => same.push(i),
                    Err(VerifyError::Mismatch(_)) => {}
                    Err(error) => return Err(error.into()),
                }
            }
            Ok(same)
        };
        let mut is_moved = vec![false; missing.len()];
        in_order(*how, new, same, |input, same| {
            match same.map(|same| same.into_iter().find(|&i| !is_moved[i])) {
                Ok(Some(from)) => {
                    is_moved[from] = true;
                    moved(run, &missing[from].name, &input.name);
                }
                Ok(None) => finding(run, &input.name, "new"),
                Err(error) => run.unreadable(&input.name, &error),
            }
            Ok(())
        })?;
        let lost = missing.iter().zip(&is_moved).filter(|(_, is_moved)| !**is_moved);
        lost.for_each(|(entry, _)| finding(run, &entry.name, "missing"));
        Ok(())
    }
}

/// One difference between directory and manifest.
fn finding(run: &mut Run, name: &OsStr, what: &'static str) {
    run.file(&FileRecord::new(name, what));
    run.line(name, &what.to_uppercase());
}

fn moved(run: &mut Run, from: &OsStr, to: &OsStr) {
    run.file(&FileRecord::new(from, "moved").moved_to(to));
    let (mark, old) = escape(from.as_bytes());
    let (_, new) = escape(to.as_bytes());
    run.screen().line(&[mark, &old, b": MOVED to ", &new].concat());
}
