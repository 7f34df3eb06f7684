//! `wegman tag`: files in, sealed manifest out.

mod update;

use crate::args::Tag;
use crate::durable::drafts::{DRAFT, refuse_name};
use crate::durable::replacement::Replacement;
use crate::files::find::{Except, Found, Input, Search, find};
use crate::files::{self, Kind, STDIN, attributes, is_missing, is_unfit, kind_of_stat, plain};
use crate::names::shown;
use crate::output::screen::Screen;
use crate::output::{Exit, counted};
use crate::reader::{Reader, in_tree};
use crate::regular;
use crate::report::FileRecord;
use crate::report::run::{Run, Voice};
use crate::stored::journal::interrupted::{refuse_at, refuse_at_of_others};
use crate::stored::manifest::{fresh_nonce, stamp};
use crate::stored::{journal, leftovers, manifest as file};
use anyhow::{Context, Result, ensure};
use std::collections::{HashMap, HashSet};
use std::ffi::{OsStr, OsString};
use std::fs::Metadata;
use std::io::{self, Read, Write};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::time::SystemTime;
use wegman_catalogue::AnyStream;
use wegman_formats::keyfile::{KeyFile, Purpose};
use wegman_formats::manifest::attributes::Attributes;
use wegman_formats::manifest::{self, About, Entry, Other, Role, Sealer, Stamp};

pub fn run(args: &Tag) -> Result<Exit> {
    let key = args.key.load()?;
    let paths = paths(args)?;
    if let Some(manifest) = &args.update {
        return update::run(args, &key, manifest, &paths);
    }
    let standard_input = [OsString::from(STDIN)];
    let paths =
        if paths.is_empty() && args.files_from.is_none() { &standard_input[..] } else { &paths };
    let place = Place::new(args, &key, paths)?;
    // Before the search, which would find them.
    args.output.iter().for_each(|place| leftovers::remove(place, &key));
    let found = find(paths, &search(args, &journal::except(&args.key.key, place.path), &[]))?;

    let voice = Voice::of(args.quiet, false);
    let mut run = Run::new("tag", &["tagged", "unreadable"], found.total(), &args.read, voice);
    let old = match place.old(&key, args.force) {
        Ok(old) => old,
        Err(error) => return run.without(error),
    };
    let output = args.output.as_deref().map(|path| Replacement::new(path, DRAFT)).transpose()?;
    let seal_key = key.derive(Purpose::Seals);
    let sealer = Sealer::new(&key, &*seal_key, &Role::Plain, old.serial())?;
    let mut lines = Lines { sealer, output };
    run.searched(&found);
    let changes = tag_all(&mut run, args, &key, &found, &old, &mut lines)?;

    let unreadable = run.of(&["unreadable"]);
    if run.of(&["tagged"]) == 0 && unreadable > 0 {
        // A mistyped name must not cost the manifest that is there.
        run.screen().message("nothing could be tagged: no manifest was written");
        return run.end(Exit::of(0, unreadable));
    }
    let name = shown(place.path);
    if let Some((failed, reason)) = old.reason_to_keep(&changes, &found)
        && !args.force
    {
        run.message(&format!("{name}: {reason}: it was not replaced; --force replaces it"));
        return run.close(Exit::of(failed, unreadable));
    }
    if found.inputs.is_empty() {
        run.message("there are no files: the manifest names none, and checking it will fail");
    }
    let (manifest, about) = lines.finish(&key, run.screen())?;
    if let Some(manifest) = manifest {
        place.take(manifest)?;
    }
    let exit = run.end(Exit::of(0, unreadable))?;
    if args.output.is_some() {
        run.aside(&format!("{name}: {about}"));
        if matches!(old, Old::Unknown) {
            run.message(&format!(
                "{name}: the serial number before could not be read, so it is 1 again: ask --at-least for no more"
            ));
        }
    }
    Ok(exit)
}

/// No list of names is longer.
const MAX_NAMES: u64 = 1 << 30;

/// The paths on the command line, and those in --files-from.
fn paths(args: &Tag) -> Result<Vec<OsString>> {
    let mut paths = args.paths.clone();
    let Some(list) = &args.files_from else { return Ok(paths) };
    let shown = shown(list);
    let mut text = Vec::new();
    let mut read = || -> Result<usize> {
        let list: Box<dyn Read> = if list.as_os_str() == STDIN {
            Box::new(files::stdin()?)
        } else {
            Box::new(regular::open_or_pipe(list)?.0)
        };
        Ok(list.take(MAX_NAMES + 1).read_to_end(&mut text)?)
    };
    let bytes = read().with_context(|| format!("{shown}: can't read the names"))?;
    ensure!(bytes as u64 <= MAX_NAMES, "{shown}: too long for a list of names");
    let end = if args.null { 0 } else { b'\n' };
    for (number, name) in (1..).zip(text.split(|&byte| byte == end)) {
        ensure!(
            !name.contains(&0),
            "{shown}: line {number} has a zero byte: give -0 if names end so"
        );
        if !name.is_empty() {
            paths.push(OsStr::from_bytes(name).to_owned());
        }
    }
    Ok(paths)
}

fn search<'a>(args: &'a Tag, except: &'a Except, tops: &'a [OsString]) -> Search<'a> {
    Search {
        tops,
        recursive: args.recursive || args.update.is_some(),
        follow: args.read.follow_symlinks,
        exclude: &args.exclude,
        except,
        sizes: args.read.shows_progress(),
    }
}

/// What differs from an old manifest.
struct Changes {
    /// How many files are not what it says.
    changed: u64,
    /// What can't be read: files and directories.
    unread: HashSet<PathBuf>,
}

/// Tags all files. Returns what differs from `old`.
fn tag_all(
    run: &mut Run,
    args: &Tag,
    key: &KeyFile,
    found: &Found,
    old: &Old,
    lines: &mut Lines<'_>,
) -> Result<Changes> {
    let attributes = |name: &OsStr| -> Result<Option<Attributes>> {
        let is_wanted = args.mode && name != STDIN;
        is_wanted.then(|| attributes(&found.tree, name)).transpose()
    };
    for (name, kind) in &found.others {
        match attributes(name) {
            Ok(attributes) => {
                lines.sealer.other(&Other { name: name.clone(), kind: *kind, attributes });
            }
            Err(error) => run.unreadable(name, &error),
        }
    }
    let file_key = key.derive(Purpose::Files);
    let bar = run.bar();
    let work = |input: &Input, reader: &mut Reader<'_>| -> Result<(Entry, bool)> {
        let name = &input.name;
        let stream = reader.fed(&*file_key, name, &bar)?;
        let is_changed = old.is_other(name, &*stream);
        let (name, stamp, attributes) = (name.clone(), stamp(key, stream)?, attributes(name)?);
        Ok((Entry { name, stamp, attributes, upto: None }, is_changed))
    };
    let unread = found.errors.iter().map(|(name, _)| plain(name)).collect();
    let mut changes = Changes { changed: 0, unread };
    in_tree(args.read.speed, &found.tree, &found.inputs, work, |input, tagged| {
        match tagged {
            Ok((entry, is_changed)) => {
                changes.changed += u64::from(is_changed);
                lines.entry(run.screen(), &entry)?;
                run.file(&FileRecord::new(&input.name, "tagged").stamp(&entry.stamp));
            }
            Err(error) => {
                changes.unread.insert(plain(&input.name));
                run.unreadable(&input.name, &error);
            }
        }
        Ok(())
    })?;
    Ok(changes)
}

/// The manifest that is to be replaced.
enum Old {
    Nothing,
    /// Its tags, and its serial number.
    Manifest(HashMap<PathBuf, Stamp>, u64),
    /// It can't be read with this key.
    Unknown,
}

impl Old {
    fn serial(&self) -> u64 {
        if let Old::Manifest(_, serial) = self { *serial } else { 0 }
    }

    /// Whether it has another tag for a file.
    fn is_other(&self, name: &OsStr, stream: &dyn AnyStream) -> bool {
        let Old::Manifest(stamps, _) = self else { return false };
        let is = |stamp: &Stamp| stream.verify(stamp.nonce.as_ref(), &stamp.tag).is_ok();
        stamps.get(&plain(name)).is_some_and(|stamp| !is(stamp))
    }

    /// And how many files fail it.
    fn reason_to_keep(&self, changes: &Changes, found: &Found) -> Option<(u64, String)> {
        let Old::Manifest(stamps, _) = self else { return None };
        // Something else in its place is as bad as nothing.
        let is_gone = |name: &PathBuf| match found.tree.look(name.as_os_str()) {
            Ok(stat) => kind_of_stat(&stat) != Kind::File,
            Err(error) => is_missing(&error) || is_unfit(&error),
        };
        let tagged: HashSet<PathBuf> =
            found.inputs.iter().map(|input| plain(&input.name)).collect();
        let (gone, others): (Vec<_>, Vec<_>) =
            stamps.keys().partition(|name| !tagged.contains(*name) && is_gone(name));
        // Without them, it would later be good again whatever they are then.
        let is_unread =
            |name: &&&PathBuf| name.ancestors().any(|name| changes.unread.contains(name));
        let unread = others.iter().filter(is_unread).count() as u64;
        let (changed, gone) = (changes.changed, gone.len() as u64);
        let files = |number| counted(number, "file", "files");
        let what = match (changed, gone) {
            (0, 0) if unread > 0 => {
                return Some((0, format!("it names {} that can't be read", files(unread))));
            }
            (0, 0) => return None,
            (_, 0) => format!("{} changed", files(changed)),
            (0, _) => format!("{} missing", files(gone)),
            _ => format!("{} changed and {gone} missing", files(changed)),
        };
        let advice = "`wegman audit` lists them, `wegman tag --update` accepts them";
        Some((changed + gone, format!("{what} since it was made ({advice})")))
    }
}

/// The lines of the manifest, on their way to a file or to standard output. If nothing can be tagged, there is no
/// manifest: those before the first entry wait for it.
struct Lines<'k> {
    sealer: Sealer<'k>,
    output: Option<Replacement>,
}

impl Lines<'_> {
    fn entry(&mut self, screen: &mut Screen, entry: &Entry) -> Result<()> {
        self.sealer.entry(entry);
        write(&mut self.output, screen, &self.sealer.take())
    }

    /// The file that is complete now, if it is one, and what it says of itself.
    fn finish(
        mut self,
        key: &KeyFile,
        screen: &mut Screen,
    ) -> Result<(Option<Replacement>, About)> {
        let (lines, about) = self.sealer.seal(SystemTime::now(), fresh_nonce(key)?)?;
        write(&mut self.output, screen, &lines)?;
        Ok((self.output, about))
    }
}

fn write(output: &mut Option<Replacement>, screen: &mut Screen, lines: &[u8]) -> Result<()> {
    match output {
        Some(output) => output.write_all(lines).context("writing the manifest"),
        None => {
            let lines = lines.split_inclusive(|&byte| byte == b'\n');
            lines.for_each(|line| screen.line(line.strip_suffix(b"\n").unwrap_or(line)));
            screen.whole() // a manifest with a gap is of no use
        }
    }
}

/// Where the manifest goes.
struct Place<'a> {
    path: &'a Path,
    /// Whether -o gives it.
    is_given: bool,
    /// The file that was there before.
    before: Option<(u64, u64)>,
    /// The command that completes an interrupted edit.
    finish: String,
}

impl<'a> Place<'a> {
    /// Refuses a place where the manifest of these paths would do harm.
    fn new(args: &'a Tag, key: &KeyFile, paths: &[OsString]) -> Result<Place<'a>> {
        let path = args.output.as_deref().unwrap_or(Path::new("/dev/stdout"));
        ensure!(
            path.as_os_str() != STDIN,
            "-o -: without -o, the manifest goes to standard output"
        );
        refuse_name(path)?;
        let finish = args.key.how_to_finish(args.read.follow_symlinks, path);
        let before = files::identity(path);
        if args.output.is_some() {
            refuse_at(path, &finish)?;
            refuse_to_replace(path, key, paths)?;
        }
        Ok(Place { path, is_given: args.output.is_some(), before, finish })
    }

    /// The manifest that is there. One that can't be read is an error, unless `force` replaces it.
    fn old(&self, key: &KeyFile, force: bool) -> Result<Old> {
        let is_there = self.is_given && self.before.is_some();
        let has_text = |metadata: Metadata| metadata.is_file() && metadata.len() > 0;
        if !is_there || !self.path.metadata().is_ok_and(has_text) {
            return Ok(Old::Nothing);
        }
        let loaded = file::load_any(self.path, key);
        if force && loaded.is_err() {
            return Ok(Old::Unknown);
        }
        let manifest = loaded.context("nothing was tagged; --force replaces the manifest")?;
        file::refuse_parted(self.path, &manifest)?;
        let serial = manifest.about.serial;
        let stamps = manifest.entries.into_iter().map(|entry| (plain(&entry.name), entry.stamp));
        Ok(Old::Manifest(stamps.collect(), serial))
    }

    /// Gives the manifest its place, unless somebody else wrote there meanwhile.
    fn take(&self, mut manifest: Replacement) -> Result<()> {
        manifest.sync()?;
        // Where a manifest can't be locked, no edit locks it either.
        let is_there = self.before.is_some() && self.path.is_file();
        let lock = is_there.then(|| file::lock(self.path).ok()).flatten();
        refuse_at_of_others(self.path, &self.finish)?;
        ensure!(
            files::identity(self.path) == self.before,
            "{}: it changed meanwhile, so it was not replaced: tag again",
            shown(self.path)
        );
        manifest.finish()?;
        drop(lock);
        Ok(())
    }
}

/// `-o photos/*` names a photo: only a manifest or an empty file is replaced.
fn refuse_to_replace(place: &Path, key: &KeyFile, paths: &[OsString]) -> Result<()> {
    let shown = shown(place);
    let Some(identity) = files::identity(place).filter(|_| place.is_file()) else { return Ok(()) };
    let advice = "nothing was tagged; -o takes the name of the manifest to write";
    ensure!(key.identity != Some(identity), "{shown}: it is the key file: {advice}");
    let is_input = |name: &OsString| match name.to_str() {
        Some(STDIN) => files::identity_of(io::stdin()).ok() == Some(identity),
        _ => files::identity(Path::new(name)) == Some(identity),
    };
    ensure!(!paths.iter().any(is_input), "{shown}: it is one of the files to tag: {advice}");
    let front = file::front(place).with_context(|| {
        format!("{shown}: can't tell whether it is a manifest that may be replaced")
    })?;
    ensure!(
        front.is_empty() || front == manifest::MARK.as_bytes(),
        "{shown}: it is a file, but not a manifest: {advice}. To put one in its place, move it away or delete it"
    );
    Ok(())
}
