//! `wegman edit`, `append`, `truncate`, `finish`: a file and its manifest change together, in time
//! proportional to the change.
//!
//! The order makes it safe to stop at any moment: the new bytes and the new tag are in the journal, on
//! disk, before the file changes; the file is on disk before the manifest has its new tag; and the journal
//! goes last. `finish` does what is left of these steps again.

use crate::args::{Append, Edit, EditArgs, Finish, How, KeyArgs, Truncate};
use crate::check;
use crate::files::{self, STDIN, fill, is_at};
use crate::journal::{self, Details, Draft, Journal};
use crate::keyfile::{KeyFile, Purpose};
use crate::manifest::{Entry, Sealer, Stamp, shown};
use crate::output::{
    Exit, FileRecord, Replacement, Screen, Tally, advise_on_interrupt, counted,
    remove_drafts_of_edits, say,
};
use crate::reader::Reader;
use anyhow::{Context, Result, anyhow, bail, ensure};
use indicatif::ProgressBar;
use std::ffi::OsStr;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, ErrorKind, Read, Write};
use std::ops::{Range, RangeInclusive};
use std::os::unix::fs::{FileExt, MetadataExt, OpenOptionsExt};
use std::path::Path;
use wegman::pmac::hazmat::Sum;
use wegman::registry::{AnyKey, AnyPmac, AnyStream, AnyTag, NonceError};
use wegman::{Bits, Nonce};

/// Bytes of an edit in memory at once.
const PIECE: usize = 1 << 20;
/// Bytes of PMAC's longest block: no window begins further before its edit.
const BLOCK: usize = 16;

pub fn edit(args: &Edit) -> Result<Exit> {
    run("edit", &args.edit, Change::Write { at: Some(args.at) })
}

pub fn append(args: &Append) -> Result<Exit> {
    run("append", &args.edit, Change::Write { at: None })
}

pub fn truncate(args: &Truncate) -> Result<Exit> {
    run("truncate", &args.edit, Change::Truncate { to: args.size })
}

/// What is to be done to a file.
#[derive(Clone, Copy)]
enum Change {
    /// Write what comes on standard input, from `at` on or after the file's end.
    Write {
        at: Option<u64>,
    },
    Truncate {
        to: u64,
    },
}

/// Something did not verify: exit code 1.
type Refused = anyhow::Error;

/// How an edit works, beside what it does.
struct Run<'a> {
    key: &'a KeyFile,
    manifest: &'a Path,
    /// The command that completes an edit.
    finish: String,
    how: How,
    bar: ProgressBar,
    piece: usize,
    /// Called whenever files have changed; the tests see there what a kill would leave.
    watch: &'a mut dyn FnMut(),
}

impl<'a> Run<'a> {
    fn new(
        key: &'a KeyFile,
        key_args: &'a KeyArgs,
        manifest: &'a Path,
        how: How,
        watch: &'a mut dyn FnMut(),
    ) -> Run<'a> {
        // A map of a file is no copy: who can write the file changes the bytes between two looks at them.
        let how = How { mmap: false, ..how };
        let finish = journal::how_to_finish(key_args, how.follow_symlinks, manifest);
        Run { key, manifest, finish, how, bar: ProgressBar::hidden(), piece: PIECE, watch }
    }
}

/// What an edit did; `None`: there was nothing to do.
type Done = Option<Details>;

fn run(command: &'static str, args: &EditArgs, change: Change) -> Result<Exit> {
    let screen = Screen::new(None, args.read.json, args.read.no_progress);
    let change = || {
        let key = KeyFile::load(&args.key)?;
        let mut watch = || ();
        let mut run = Run::new(&key, &args.key, &args.manifest, args.read.how(), &mut watch);
        run.bar = screen.bar().clone();
        run.change(&args.file, change, args.verify, &mut io::stdin().lock())
    };
    let done = change();
    report(
        command,
        screen,
        done,
        &args.file,
        &args.manifest,
        After { quiet: args.quiet, good: None },
    )
}

pub fn finish(args: &Finish) -> Result<Exit> {
    let how = How { threads: None, mmap: false, follow_symlinks: args.follow_symlinks };
    let screen = Screen::new(None, args.json, args.no_progress);
    let finish = || {
        let key = KeyFile::load(&args.key)?;
        let mut watch = || ();
        let mut run = Run::new(&key, &args.key, &args.manifest, how, &mut watch);
        run.bar = screen.bar().clone();
        let done = run.finish()?;
        let good = match &done {
            Ok(Some(details)) if args.verify => Some(run.is_good(details)?),
            _ => None,
        };
        Ok((done, good))
    };
    let (done, good) = match finish() {
        Ok((done, good)) => (Ok(done), good),
        Err(error) => (Err(error), None),
    };
    let after = After { quiet: args.quiet, good };
    report("finish", screen, done, OsStr::new(""), &args.manifest, after)
}

/// What to say of an edit that is done.
struct After {
    quiet: bool,
    /// Whether the whole file is what its tag says, if it was read.
    good: Option<bool>,
}

fn in_bytes(bytes: u64) -> String {
    counted(bytes, "byte", "bytes")
}

/// Says what was done to the file `name`, or to that of a journal.
fn report(
    command: &'static str,
    mut screen: Screen,
    done: Result<Result<Done, Refused>>,
    name: &OsStr,
    manifest: &Path,
    After { quiet, good }: After,
) -> Result<Exit> {
    let outcomes = ["edited", "unchanged", "refused", "interrupted", "failed"];
    let mut tally = Tally::new(command, &outcomes);
    let (done, failed) = match done {
        Ok(done) => (done, Exit::Bad),
        Err(error) => (Err(error), Exit::Error),
    };
    let (exit, message) = match done {
        Ok(Some(details)) => {
            let (status, exit) = match good {
                Some(false) => ("failed", Exit::Bad),
                _ => ("edited", Exit::Good),
            };
            tally.add(status);
            screen.record(&FileRecord::new(&details.name, status).stamp(&details.new));
            let Details { name, bytes, at, from, to, .. } = details;
            let what =
                if bytes > 0 { format!("wrote {} at {at}; ", in_bytes(bytes)) } else { "".into() };
            let size = in_bytes(to);
            let rest = match good {
                Some(true) => "; all of it is what its tag says",
                Some(false) => "; the edit is complete, but the file is not what its tag says",
                None if command == "finish" => {
                    "; the rest of it was not looked at: `wegman check` does that"
                }
                None => "",
            };
            (exit, format!("{}: {what}it has {size} now, had {from}{rest}", shown(&name)))
        }
        Ok(None) => {
            tally.add("unchanged");
            if name.is_empty() {
                (Exit::Good, "no edit was interrupted: nothing to finish".to_owned())
            } else {
                screen.record(&FileRecord::new(name, "unchanged"));
                (Exit::Good, format!("{}: nothing to change", shown(name)))
            }
        }
        Err(error) => {
            let is_left = failed == Exit::Error && journal::place(manifest).exists();
            let status = if is_left { "interrupted" } else { "refused" };
            tally.add(status);
            if !name.is_empty() {
                screen.record(&FileRecord::new(name, status).error(&error));
            }
            (failed, format!("{error:#}"))
        }
    };
    screen.record(&tally.record(exit));
    let finished = screen.finish(exit);
    if !quiet || exit != Exit::Good {
        say(&message);
    }
    finished
}

impl Run<'_> {
    fn change(
        &mut self,
        name: &OsStr,
        change: Change,
        verify: bool,
        input: &mut dyn Read,
    ) -> Result<Result<Done, Refused>> {
        let key = self.key;
        let (file_key, edits_key) = (key.derive(Purpose::Files), key.derive(Purpose::Edits));
        // PMAC's longest tag is a block, and only that tells the sum.
        let is_whole = key.tag_bytes == *key.algorithm.tag_bytes.end();
        let pmac = file_key.pmac().filter(|_| is_whole).with_context(|| {
            format!(
                "{} with {}-bit tags can't be edited in place: `wegman keygen -o KEY` makes a key that \
                 can (PMAC, its longest tags); or change the file as usual and run `wegman tag` again",
                key.algorithm.name,
                8 * key.tag_bytes
            )
        })?;
        ensure!(name != STDIN, "standard input can't be edited");
        let lock = lock(self.manifest)?;
        let mut entries = match check::load(self.manifest, key)? {
            Ok(entries) => entries,
            Err(refused) => return Ok(Err(refused)),
        };
        let left = journal::left_behind_of_others(self.manifest, key, &self.finish, &entries);
        if let Some((name, error)) = left {
            return Ok(Err(anyhow!("{}", files::complaint(&name, &error))));
        }
        remove_drafts_of_edits(self.manifest);
        let i = entries.iter().position(|entry| entry.name == name).with_context(|| {
            format!(
                "{}: {} has no such file; name it as it stands there",
                shown(name),
                shown(self.manifest.as_os_str())
            )
        })?;
        let file = self.open(name)?;
        let before = file.metadata()?;
        let complain = |error: anyhow::Error| anyhow!("{}", files::complaint(name, &error));

        let place = journal::place(self.manifest);
        let mut draft = Draft::new(key, &*edits_key, self.manifest)?;
        let (old, from) = (entries[i].stamp.clone(), before.len());
        let mut sums = (!verify).then(|| Sums::new(pmac, &file, from, &old)).transpose()?;
        let drafted = self.draft(sums.as_mut(), from, change, input, &mut draft);
        let (at, to) = drafted.map_err(complain)?;
        let bytes = draft.bytes();
        let is_nothing = bytes == 0 && to == from;
        let tag = match &sums {
            _ if is_nothing && !verify => return Ok(Ok(None)),
            Some(sums) => pmac.tag_of_sum(&sums.sum)?,
            None => {
                let splice = (at, bytes, if to < from { u64::MAX } else { at + bytes });
                let tag = self.verify(&*file_key, &file, from, &old, &mut draft, splice);
                let Some(tag) = tag.map_err(complain)? else {
                    let error = anyhow!("it is not what its tag says: it was not edited");
                    return Ok(Err(complain(error)));
                };
                if is_nothing {
                    return Ok(Ok(None));
                }
                tag
            }
        };
        let new = Stamp { tag, nonce: None };
        let details = Details { name: name.to_owned(), old, new, bytes, at, from, to };
        let after = file.metadata()?;
        // This catches accidents: who maps the file into memory can change its bytes and not these.
        let state = |m: &fs::Metadata| (m.len(), m.ctime(), m.ctime_nsec());
        ensure!(
            state(&before) == state(&after),
            "{}: somebody changed it meanwhile: it was not edited",
            shown(name)
        );
        self.advise(&details.name);
        let journal = draft.finish(details).map_err(|error| {
            advise_on_interrupt(None);
            let is_there = place.symlink_metadata().is_ok();
            if is_there { error.context(self.not_complete()) } else { error }
        })?;
        (self.watch)();
        // Nothing is written yet, so there is one size it may have.
        let done = self.complete(&lock, &file, journal, &mut entries, i, from..=from);
        done.map(|details| Ok(Some(details)))
    }

    /// Writes the new bytes to the draft, and brings the sum up to date, if there is one. Returns where they
    /// go, or where the file is cut, and its size then.
    fn draft(
        &mut self,
        mut sums: Option<&mut Sums<'_>>,
        from: u64,
        change: Change,
        input: &mut dyn Read,
        draft: &mut Draft<'_>,
    ) -> Result<(u64, u64)> {
        let at = match change {
            Change::Truncate { to } => {
                ensure!(to <= from, "it has {}: it can't be cut to {to}", in_bytes(from));
                if let Some(sums) = sums {
                    self.bar.set_length(from - to);
                    sums.truncate(to, self.piece as u64, &self.bar)?;
                }
                return Ok((to, to));
            }
            Change::Write { at } => at.unwrap_or(from),
        };
        ensure!(at <= from, "it has {}: writing at {at} would leave a gap", in_bytes(from));
        let mut room = vec![0; self.piece];
        loop {
            let bytes = fill(input, &mut room).context("standard input")?;
            let piece = &room[..bytes];
            if let Some(sums) = &mut sums {
                sums.write(at + draft.bytes(), piece)?;
            }
            draft.write(piece)?;
            (self.watch)();
            self.bar.inc(bytes as u64);
            if bytes < room.len() {
                return Ok((at, from.max(at + draft.bytes())));
            }
        }
    }

    /// Reads all of a file once, and takes its tag and the one it is to have from the very same bytes: whatever
    /// others do to the file meanwhile, a new tag is of bytes that have the old one. `None`: they have not.
    fn verify(
        &self,
        key: &dyn AnyKey,
        file: &File,
        from: u64,
        old: &Stamp,
        draft: &mut Draft<'_>,
        (at, bytes, end): (u64, u64, u64),
    ) -> Result<Option<AnyTag>> {
        let bar = &self.bar;
        bar.set_position(0);
        bar.set_length(from);
        let (new_bytes, start) = draft.so_far()?;
        let work = |_: &(), reader: &mut Reader<'_>| -> Result<_> {
            let (old, new) = (key.stream(), key.stream());
            let mut splice = Splice {
                old,
                new,
                now: 0,
                at,
                end,
                bytes,
                done: 0,
                source: (new_bytes, start),
                failed: Ok(()),
            };
            reader.feed_open(&mut splice, file.try_clone()?, bar)?;
            splice.finish()
        };
        let mut tags = None;
        files::in_order(self.how, &[()], work, |_, outcome| {
            tags = Some(outcome?);
            Ok(())
        })?;
        let (old_tag, new_tag, read) = tags.context("nothing was read")?;
        if old_tag != old.tag {
            return Ok(None);
        }
        ensure!(read == from, "somebody changed its size meanwhile: it was not edited");
        Ok(Some(new_tag))
    }

    fn finish(&mut self) -> Result<Result<Done, Refused>> {
        let lock = lock(self.manifest)?;
        let mut entries = match check::load(self.manifest, self.key)? {
            Ok(entries) => entries,
            Err(refused) => return Ok(Err(refused)),
        };
        remove_drafts_of_edits(self.manifest);
        let place = journal::place(self.manifest);
        let journal = match Journal::open(&place, self.key) {
            Ok(Some(journal)) => journal,
            Ok(None) => return Ok(Ok(None)),
            Err(error) if error.chain().any(|cause| cause.is::<io::Error>()) => {
                return Err(error.context(format!("{}: can't read it", shown(place.as_os_str()))));
            }
            Err(error) => {
                let error = files::complaint(place.as_os_str(), &journal::refused(error));
                return Ok(Err(anyhow!("{error}")));
            }
        };
        match journal.fits(&entries) {
            None => {
                let shown = shown(place.as_os_str());
                Ok(Err(journal.stale().context(format!("{shown}: the journal is refused"))))
            }
            // The manifest had its new tag when the file was complete: only the journal is left.
            Some((_, true)) => Ok(Ok(Some(journal.remove()?))),
            Some((i, false)) => {
                let name = journal.details.name.clone();
                let file = self.open(&name)?;
                let Details { from, to, .. } = journal.details;
                let sizes = from.min(to)..=from.max(to);
                let done = self.complete(&lock, &file, journal, &mut entries, i, sizes);
                done.map(|details| Ok(Some(details)))
            }
        }
    }

    /// Reads a file that was edited: is all of it what its new tag says?
    fn is_good(&self, details: &Details) -> Result<bool> {
        let key = self.key.derive(Purpose::Files);
        let entry = [Entry { name: details.name.clone(), stamp: details.new.clone() }];
        let bar = &self.bar;
        bar.set_position(0);
        bar.set_length(details.to);
        let mut is_good = false;
        let work =
            |entry: &Entry, reader: &mut Reader<'_>| check::is_good(&*key, entry, reader, bar);
        files::in_order(self.how, &entry, work, |entry, outcome| {
            is_good = outcome.map_err(|error| {
                anyhow!("the edit is complete; {}", files::complaint(&entry.name, &error))
            })?;
            Ok(())
        })?;
        Ok(is_good)
    }

    /// From the journal's appearance on an interrupt leaves work.
    fn advise(&self, name: &OsStr) {
        let (name, how) = (shown(name), &self.finish);
        advise_on_interrupt(Some(format!("{name}: the edit is not complete: {how} completes it")));
    }

    fn not_complete(&self) -> String {
        let how = &self.finish;
        format!("the edit is not complete; when the cause is gone, {how} completes it")
    }

    /// What comes after the journal. All of it may be done again. `sizes`: those the file may have now.
    fn complete(
        &mut self,
        lock: &File,
        file: &File,
        journal: Journal,
        entries: &mut [Entry],
        i: usize,
        sizes: RangeInclusive<u64>,
    ) -> Result<Details> {
        let name = shown(&journal.details.name);
        self.advise(&journal.details.name);
        let done = self.write(file, &journal, sizes).with_context(|| name.clone()).and_then(|()| {
            entries[i].stamp = journal.details.new.clone();
            let lock = self.reseal(lock, entries)?;
            (self.watch)();
            let details = journal.remove()?;
            // The file's lock goes first: who has the manifest's must not meet it.
            let _ = file.unlock();
            drop(lock);
            Ok(details)
        });
        advise_on_interrupt(None);
        (self.watch)();
        done.with_context(|| self.not_complete())
    }

    /// Brings the file on disk to its new state.
    fn write(&mut self, file: &File, journal: &Journal, sizes: RangeInclusive<u64>) -> Result<()> {
        let Details { bytes, from, to, .. } = journal.details;
        let size = file.metadata()?.len();
        ensure!(
            sizes.contains(&size),
            "it has {size} bytes, but the edit was of {from} bytes to {to}: it was changed since; put back a \
             copy of before, then finish, or delete {} and tag it anew",
            shown(journal.path.as_os_str())
        );
        self.bar.set_position(0);
        self.bar.set_length(bytes);
        journal.replay(self.piece, |at, piece| {
            file.write_all_at(piece, at)?;
            self.bar.inc(piece.len() as u64);
            (self.watch)();
            Ok(())
        })?;
        // Writing needs no cut: what lies further on is somebody else's.
        if bytes == 0 {
            file.set_len(to)?;
            (self.watch)();
        }
        Ok(file.sync_all()?)
    }

    /// Puts the manifest of these entries in the place of the old one. The lock goes over to it, so that
    /// nobody edits it while its journal is still there.
    fn reseal(&mut self, lock: &File, entries: &[Entry]) -> Result<File> {
        let mut manifest = Replacement::of_edit(self.manifest)?;
        manifest.lock()?;
        let seals_key = self.key.derive(Purpose::Seals);
        let mut sealer = Sealer::new(self.key, &*seals_key);
        let mut write = |mut line: Vec<u8>| {
            line.push(b'\n');
            manifest.write_all(&line).context("writing the manifest")
        };
        write(sealer.header())?;
        for entry in entries {
            write(sealer.entry(&entry.name, &entry.stamp))?;
        }
        write(sealer.seal()?)?;
        manifest.sync()?;
        (self.watch)();
        ensure!(
            is_at(lock, self.manifest)?,
            "{}: another manifest took its place meanwhile",
            shown(self.manifest.as_os_str())
        );
        manifest.finish()
    }

    /// Opens a file for reading and writing, by the rules of [`files::open`].
    fn open(&self, name: &OsStr) -> Result<File> {
        let follow = self.how.follow_symlinks;
        let open = || -> Result<File> {
            let (_, seen) = files::open(name, follow)?;
            let no_follow = if follow { 0 } else { libc::O_NOFOLLOW };
            let mut options = OpenOptions::new();
            options.read(true).write(true).custom_flags(libc::O_NONBLOCK | no_follow);
            let file = options.open(name).context("can't open it for writing")?;
            let opened = file.metadata()?;
            let identity = (opened.dev(), opened.ino());
            ensure!((seen.dev(), seen.ino()) == identity, "somebody exchanged it meanwhile");
            ensure!(files::identity(self.manifest) != Some(identity), "it is the manifest itself");
            ensure!(self.key.identity != Some(identity), "it is the key file");
            let journal = journal::identity(self.manifest);
            ensure!(journal != Some(identity), "it is the journal of an edit");
            // Another manifest may have it, too.
            let locked = file.try_lock();
            ensure!(
                !matches!(locked, Err(TryLockError::WouldBlock)),
                "somebody has it locked, perhaps an edit through another manifest"
            );
            Ok(file)
        };
        open().map_err(|error| anyhow!("{}", files::complaint(name, &error)))
    }
}

/// Locks a manifest, so that two edits do not come between each other.
pub fn lock(path: &Path) -> Result<File> {
    let shown = shown(path.as_os_str());
    ensure!(path.as_os_str() != STDIN, "-: a manifest on standard input can't be edited");
    loop {
        // Some network file systems lock only what is open for writing.
        let opened = OpenOptions::new().read(true).write(true).open(path);
        let opened = opened.or_else(|_| File::open(path));
        let file = opened.with_context(|| format!("{shown}: can't read the manifest"))?;
        ensure!(file.metadata()?.is_file(), "{shown}: the manifest is no file");
        let locked = match file.try_lock() {
            Err(TryLockError::WouldBlock) => {
                say(&format!("{shown}: waiting for another edit to end"));
                file.lock()
            }
            Err(TryLockError::Error(error)) => Err(error),
            Ok(()) => Ok(()),
        };
        locked.with_context(|| format!("{shown}: can't lock the manifest"))?;
        // While we waited another manifest may have taken the place.
        if is_at(&file, path)? {
            return Ok(file);
        }
    }
}

/// A stream of a file's bytes that goes on as two: as they are, and with new bytes in their place.
struct Splice<'a> {
    old: Box<dyn AnyStream + 'a>,
    new: Box<dyn AnyStream + 'a>,
    /// Bytes of the file so far.
    now: u64,
    /// From where to where the file's bytes are left out, and so many new ones come instead.
    at: u64,
    end: u64,
    bytes: u64,
    /// How many of them were there already.
    done: u64,
    /// The file they are in, and where they begin there.
    source: (&'a File, u64),
    failed: io::Result<()>,
}

type Feed = fn(&mut dyn AnyStream, &[u8]);

impl Splice<'_> {
    fn push(&mut self, piece: &[u8], feed: Feed) {
        feed(&mut *self.old, piece);
        let start = self.now;
        self.now += piece.len() as u64;
        let cut = |at: u64| at.clamp(start, self.now) - start;
        let (front, back) = (cut(self.at) as usize, cut(self.end) as usize);
        feed(&mut *self.new, &piece[..front]);
        self.insert(self.bytes.min(self.now.saturating_sub(self.at)), feed);
        feed(&mut *self.new, &piece[back..]);
    }

    /// Puts in new bytes until there are so many of them.
    fn insert(&mut self, until: u64, feed: Feed) {
        if self.failed.is_ok() && until > self.done {
            let (file, start) = self.source;
            let new = &mut *self.new;
            self.failed =
                journal::in_pieces(file, start + self.done..start + until, PIECE, |_, piece| {
                    feed(new, piece);
                    Ok(())
                });
            self.done = until;
        }
    }

    /// Both tags, and how many bytes the file has.
    fn finish(mut self) -> Result<(AnyTag, AnyTag, u64)> {
        self.insert(self.bytes, |stream, piece| stream.update(piece));
        self.failed?;
        Ok((self.old.tag(None)?, self.new.tag(None)?, self.now))
    }
}

impl AnyStream for Splice<'_> {
    fn update(&mut self, piece: &[u8]) {
        self.push(piece, |stream, piece| stream.update(piece));
    }

    fn update_rayon(&mut self, piece: &[u8]) {
        self.push(piece, |stream, piece| stream.update_rayon(piece));
    }

    fn tag(&self, _: Option<&Nonce>) -> Result<AnyTag, NonceError> {
        unreachable!("finish gives both tags")
    }
}

/// The sum of a file as it will be, while its edit is being prepared: on disk it is as before.
struct Sums<'f> {
    pmac: &'f dyn AnyPmac,
    sum: Sum,
    file: &'f File,
    /// Its size on disk.
    size: u64,
    /// The last new bytes, at most a block, and where they end: the next window may begin in them.
    tail: Vec<u8>,
    tail_end: u64,
}

impl<'f> Sums<'f> {
    fn new(pmac: &'f dyn AnyPmac, file: &'f File, size: u64, old: &Stamp) -> Result<Sums<'f>> {
        let bits = size.checked_mul(8).context("the file is too long")?;
        let sum = pmac.sum_from_tag(&old.tag, bits)?;
        Ok(Sums { pmac, sum, file, size, tail: Vec::new(), tail_end: 0 })
    }

    /// Writes bytes from `at` on, which is where the last ones ended.
    fn write(&mut self, at: u64, new: &[u8]) -> Result<()> {
        let inside = self.size.saturating_sub(at).min(new.len() as u64);
        let (over, beyond) = new.split_at(inside as usize);
        if !over.is_empty() {
            let (bit, bits) = (8 * at, Bits::from(over));
            let old = self.window(self.sum.replace_window(bit, bits.len()))?;
            self.pmac.replace(&mut self.sum, bit, bits, &old)?;
            self.remember(at + inside, over);
        }
        if !beyond.is_empty() {
            let old = self.window(self.sum.append_window())?;
            self.pmac.append(&mut self.sum, Bits::from(beyond), &old)?;
            self.remember(at + new.len() as u64, beyond);
        }
        Ok(())
    }

    /// Cuts to `to` bytes, step by step from the end.
    fn truncate(&mut self, to: u64, step: u64, bar: &ProgressBar) -> Result<()> {
        let mut now = self.size;
        while now > to {
            let next = to.max((now - 1) / step * step);
            let old = self.window(self.sum.truncate_window(8 * next))?;
            self.pmac.truncate(&mut self.sum, 8 * next, &old)?;
            bar.inc(now - next);
            now = next;
        }
        Ok(())
    }

    fn remember(&mut self, end: u64, new: &[u8]) {
        self.tail.extend_from_slice(&new[new.len().saturating_sub(BLOCK)..]);
        self.tail.drain(..self.tail.len().saturating_sub(BLOCK));
        self.tail_end = end;
    }

    /// Bytes of the file as it will be: those on disk, with the last new ones over them.
    fn window(&self, range: Range<u64>) -> Result<Vec<u8>> {
        let mut bytes = vec![0; usize::try_from(range.end - range.start)?];
        let on_disk = range.end.min(self.size).saturating_sub(range.start);
        let read = self.file.read_exact_at(&mut bytes[..on_disk as usize], range.start);
        match read {
            Err(error) if error.kind() == ErrorKind::UnexpectedEof => {
                bail!("somebody cut it short meanwhile: it was not edited")
            }
            read => read?,
        }
        let tail_start = self.tail_end - self.tail.len() as u64;
        for (at, byte) in (tail_start..).zip(&self.tail) {
            if range.contains(&at) {
                bytes[(at - range.start) as usize] = *byte;
            }
        }
        Ok(bytes)
    }
}

#[cfg(test)]
mod tests;
