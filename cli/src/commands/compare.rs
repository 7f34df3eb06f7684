//! What happened to files since their manifest was made: `audit` reports it, `audit --accept` and `tag --update` take it
//! over into the manifest.

use crate::args::Speed;
use crate::files::find::{Found, Input};
use crate::files::{Kind, STDIN, attributes, is_missing, is_unfit, kind_of_stat, plain};
use crate::names::{escape, shown};
use crate::output::{Exit, counted};
use crate::reader::{Reader, in_tree};
use crate::report::FileRecord;
use crate::report::run::Run;
use crate::stored::manifest::{self as file, stamp};
use anyhow::Result;
use indicatif::ProgressBar;
use std::collections::{HashMap, HashSet};
use std::ffi::OsStr;
use std::fs::File;
use std::hash::{BuildHasher, RandomState};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use wegman_catalogue::{AnyKey, AnyStream, AnyTag, VerifyError};
use wegman_formats::keyfile::KeyFile;
use wegman_formats::manifest::attributes::Attributes;
use wegman_formats::manifest::role::FileKeys;
use wegman_formats::manifest::{Entry, Manifest, Other, Stamp};

pub const OUTCOMES: [&str; 7] =
    ["unchanged", "changed", "moved", "missing", "new", "unreadable", "interrupted"];
/// The outcomes that are differences between files and manifest.
pub const FINDINGS: [&str; 5] = ["changed", "moved", "missing", "new", "interrupted"];

/// What to compare, and how.
pub struct Comparison<'a> {
    pub key: &'a KeyFile,
    /// Those of the files' tags.
    pub keys: &'a FileKeys,
    pub speed: Speed,
    pub found: &'a Found,
    /// What the manifest says of the part that was searched.
    pub old: &'a Manifest,
    /// Whether attributes are compared, and are in the next version of the manifest.
    pub has_attributes: bool,
    /// Whether that is wanted.
    pub wants_next: bool,
}

/// What is known of a file after it was read.
struct Read {
    is_same: bool,
    /// The entry for the next version.
    entry: Option<Entry>,
    /// What is different besides the content.
    difference: Option<String>,
}

impl Comparison<'_> {
    /// Reports every difference. Returns what the next version of the manifest says of this part.
    pub fn run(&self, run: &mut Run) -> Result<Manifest> {
        let mut next = Manifest::default();
        let missing = self.known(run, &mut next)?;
        self.others(run, &mut next);
        self.unknown(run, &missing, &mut next)?;
        Ok(next)
    }

    /// Compares the files of the manifest, and returns those that are not there.
    fn known(&self, run: &mut Run, next: &mut Manifest) -> Result<Vec<&Entry>> {
        let mut missing = Vec::new();
        let bar = run.bar();
        let work = |entry: &Entry, reader: &mut Reader<'_>| {
            self.read(entry, self.keys.key_of(&entry.name), reader, &bar)
        };
        in_tree(self.speed, &self.found.tree, &self.old.entries, work, |entry, outcome| {
            let name = &entry.name;
            match outcome {
                Ok(Read { is_same, entry, difference }) => {
                    match (is_same, &difference) {
                        (true, None) => run.count("unchanged"),
                        (_, words) => finding(run, name, "changed", None, words.as_deref()),
                    }
                    next.entries.extend(entry);
                }
                Err(error) if is_missing(&error) => missing.push(entry),
                Err(error) if is_unfit(&error) && !self.is_file(name) => {
                    finding(run, name, "changed", None, Some(&error.to_string()));
                }
                Err(error) => run.unreadable(name, &error),
            }
            Ok(())
        })?;
        Ok(missing)
    }

    /// Whether there is a file of this name now.
    fn is_file(&self, name: &OsStr) -> bool {
        self.found.tree.look(name).is_ok_and(|stat| kind_of_stat(&stat) == Kind::File)
    }

    fn read(
        &self,
        entry: &Entry,
        key: &dyn AnyKey,
        reader: &mut Reader<'_>,
        bar: &ProgressBar,
    ) -> Result<Read> {
        let stream = reader.fed(key, &entry.name, bar)?;
        let is_same = is_of(&*stream, &entry.stamp)?;
        let attributes = self.attributes(&entry.name)?;
        let difference = difference(entry.attributes.as_ref(), attributes.as_ref());
        let stamp = if is_same { Some(entry.stamp.clone()) } else { self.stamp(stream)? };
        let name = entry.name.clone();
        let entry = stamp.map(|stamp| Entry { name, stamp, attributes, upto: None });
        Ok(Read { is_same, entry: entry.filter(|_| self.wants_next), difference })
    }

    /// The tag for the next version, if that is wanted.
    fn stamp(&self, stream: Box<dyn AnyStream + '_>) -> Result<Option<Stamp>> {
        self.wants_next.then(|| stamp(self.key, stream)).transpose()
    }

    /// Those of a file, if they are needed.
    fn attributes(&self, name: &OsStr) -> Result<Option<Attributes>> {
        self.has_attributes.then(|| attributes(&self.found.tree, name)).transpose()
    }

    /// Compares directories, links and the like.
    fn others(&self, run: &mut Run, next: &mut Manifest) {
        let Found { inputs, others, tree, .. } = self.found;
        let files = inputs.iter().map(|input| (plain(&input.name), Kind::File));
        let found: HashMap<PathBuf, Kind> =
            files.chain(others.iter().map(|(name, kind)| (plain(name), *kind))).collect();
        let old_others = self.old.others.iter();
        let old: HashMap<PathBuf, Kind> = (self.old.entries.iter())
            .filter(|entry| entry.name != STDIN)
            .map(|entry| (plain(&entry.name), Kind::File))
            .chain(old_others.map(|other| (plain(&other.name), other.kind)))
            .collect();

        let (above_old, above_found) = (above(old.keys()), above(found.keys()));

        for other in &self.old.others {
            let name = plain(&other.name);
            let kind = match found.get(&name) {
                Some(kind) => Ok(*kind),
                // Perhaps it is left out now.
                None => tree.look(&other.name).map(|stat| kind_of_stat(&stat)),
            };
            match kind {
                Ok(kind) if kind == other.kind => match self.attributes(&other.name) {
                    Ok(new) => {
                        if let Some(words) = difference(other.attributes.as_ref(), new.as_ref()) {
                            finding(run, &other.name, "changed", Some(kind), Some(&words));
                        }
                    }
                    Err(error) => run.unreadable(&other.name, &error),
                },
                Ok(kind) => {
                    let words = format!("was {}, is {}", other.kind.name(), kind.name());
                    finding(run, &other.name, "changed", Some(kind), Some(&words));
                }
                Err(error) if is_unfit(&error) => {
                    let (kind, words) = (Some(other.kind), error.to_string());
                    finding(run, &other.name, "changed", kind, Some(&words));
                }
                // Of a directory, its files tell.
                Err(error) if is_missing(&error) && !above_old.contains(&*name) => {
                    finding(run, &other.name, "missing", Some(other.kind), None);
                }
                Err(error) if is_missing(&error) => {}
                Err(error) => run.unreadable(&other.name, &error),
            }
        }
        for (name, kind) in others {
            let path = plain(name);
            let is_told_of = *kind == Kind::Directory && above_found.contains(&*path);
            if !old.contains_key(&path) && !is_told_of {
                finding(run, name, "new", Some(*kind), None);
            }
            if self.wants_next {
                match self.attributes(name) {
                    Ok(attributes) => {
                        next.others.push(Other { name: name.clone(), kind: *kind, attributes });
                    }
                    Err(error) => run.unreadable(name, &error),
                }
            }
        }
    }

    /// Compares the files that the manifest does not name with those that are missing: equal ones were moved.
    fn unknown(&self, run: &mut Run, missing: &[&Entry], next: &mut Manifest) -> Result<()> {
        let named = self.old.entries.iter().filter(|entry| entry.name != STDIN);
        let known: HashSet<PathBuf> = named.map(|entry| plain(&entry.name)).collect();
        let others: HashSet<PathBuf> =
            self.old.others.iter().map(|other| plain(&other.name)).collect();
        let new = self.found.inputs.iter().filter(|input| !known.contains(&plain(&input.name)));
        let new: Vec<&Input> = new.collect();
        let has_nonces = self.key.nonce_bytes().is_some();
        // Without nonces, equal files have equal tags: one look finds them. The hash has random keys of its own, so where
        // it looks tells nothing of a tag. Another shard has another key: what was moved there is missing here, and new
        // there.
        let (random, mut by_tag) = (RandomState::new(), HashMap::<_, Vec<usize>>::new());
        let place = |tag: &AnyTag, shard: usize| (random.hash_one(tag.to_bytes()), shard);
        // At the last of equal ones, all of them, the first on top. With nonces, each alone.
        let mut equal = vec![Vec::new(); missing.len()];
        for (i, Entry { name, stamp: Stamp { tag, .. }, .. }) in missing.iter().enumerate().rev() {
            let lasts = by_tag.entry(place(tag, self.keys.shard_of(name))).or_default();
            let last = lasts.iter().copied().find(|&i| !has_nonces && missing[i].stamp.tag == *tag);
            if last.is_none() {
                lasts.push(i);
            }
            equal[last.unwrap_or(i)].push(i);
        }
        let bar = run.bar();
        let work =
            |input: &&Input, reader: &mut Reader<'_>| -> Result<(Vec<usize>, Option<Entry>)> {
                if missing.is_empty() && !self.wants_next {
                    return Ok((Vec::new(), None));
                }
                let stream = reader.fed(self.keys.key_of(&input.name), &input.name, &bar)?;
                let shard = self.keys.shard_of(&input.name);
                let is_in_shard = |i: &usize| self.keys.shard_of(&missing[*i].name) == shard;
                let mut same = Vec::new();
                let stamp = if has_nonces {
                    for i in (0..missing.len()).filter(is_in_shard) {
                        if is_of(&*stream, &missing[i].stamp)? {
                            same.push(i);
                        }
                    }
                    self.stamp(stream)?
                } else {
                    let tag = stream.finish(None)?;
                    let like = by_tag.get(&place(&tag, shard)).into_iter().flatten().copied();
                    same.extend(like.filter(|&i| missing[i].stamp.tag == tag));
                    self.wants_next.then_some(Stamp { tag, nonce: None })
                };
                let attributes = self.attributes(&input.name)?;
                let name = input.name.clone();
                Ok((same, stamp.map(|stamp| Entry { name, stamp, attributes, upto: None })))
            };
        in_tree(self.speed, &self.found.tree, &new, work, |input, read| {
            let read = read.map_err(|error| run.unreadable(&input.name, &error));
            let Ok((same, entry)) = read else { return Ok(()) };
            next.entries.extend(entry);
            if let Some(from) = same.into_iter().find_map(|i| equal[i].pop()) {
                moved(run, &missing[from].name, &input.name);
            } else if !others.contains(&plain(&input.name)) {
                finding(run, &input.name, "new", None, None);
            }
            Ok(())
        })?;
        let mut lost = equal.concat();
        lost.sort_unstable();
        lost.iter().for_each(|&i| finding(run, &missing[i].name, "missing", None, None));
        Ok(())
    }
}

/// Puts the next version of a manifest in its place, if something changed and all of it is known. Returns the exit code,
/// and what to say.
pub fn accept(
    run: &mut Run,
    path: &Path,
    lock: &File,
    key: &KeyFile,
    next: &Manifest,
    is_other: bool,
) -> Result<(Exit, String)> {
    let manifest = shown(path);
    let errors = run.of(&["unreadable"]);
    if errors > 0 {
        let files = counted(errors, "file", "files");
        let message = format!("{manifest}: left unchanged: {files} could not be read");
        return Ok((Exit::Error, message));
    }
    if !is_other {
        return Ok((Exit::Good, format!("{manifest}: it is up to date: {}", next.about)));
    }
    // What nobody was told of is not taken over.
    run.screen().whole()?;
    let (_, about) = file::replace(path, lock, key, next, &mut || ())?;
    Ok((Exit::Good, format!("{manifest}: accepted as it is now: {about}")))
}

/// The directories in which these paths are.
fn above<'p>(paths: impl Iterator<Item = &'p PathBuf>) -> HashSet<&'p Path> {
    let mut all = HashSet::new();
    for path in paths {
        // Those above one that is there are there, too.
        let _ = path.ancestors().skip(1).take_while(|path| all.insert(*path)).last();
    }
    all
}

/// What is different in attributes that were compared.
fn difference(old: Option<&Attributes>, new: Option<&Attributes>) -> Option<String> {
    old?.difference(new?)
}

fn is_of(stream: &dyn AnyStream, stamp: &Stamp) -> Result<bool> {
    match stream.verify(stamp.nonce.as_ref(), &stamp.tag) {
        Ok(()) => Ok(true),
        Err(VerifyError::Mismatch(_)) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

/// One difference between files and manifest.
fn finding(
    run: &mut Run,
    name: &OsStr,
    what: &'static str,
    kind: Option<Kind>,
    words: Option<&str>,
) {
    let mut record = FileRecord::new(name, what);
    if let Some(kind) = kind.filter(|kind| *kind != Kind::File) {
        record = record.with("kind", kind.word());
    }
    if let Some(words) = words {
        record = record.with("detail", words);
    }
    run.file(&record);
    let words = words.or(kind.map(Kind::name));
    let words = words.map(|words| format!(" ({words})")).unwrap_or_default();
    run.line(name, &format!("{}{words}", what.to_uppercase()));
}

fn moved(run: &mut Run, from: &OsStr, to: &OsStr) {
    run.file(&FileRecord::new(from, "moved").with("to", to.to_string_lossy()));
    let (mark, old) = escape(from.as_bytes());
    let (_, new) = escape(to.as_bytes());
    run.text(&[mark, &old, b": MOVED to ", &new].concat());
}
