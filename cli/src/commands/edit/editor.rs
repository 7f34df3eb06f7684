//! How an edit is made, step by step, and how one that was interrupted is completed.

use super::splice::Splice;
use super::sums::Sums;
use super::{Change, PIECE, in_bytes};
use crate::args::{KeyArgs, Speed};
use crate::durable::interrupt;
use crate::files::tree::Tree;
use crate::files::{self, STDIN, fill, is_missing, is_unfit, tree_of};
use crate::names::shown;
use crate::reader::alone;
use crate::stored::journal::interrupted::left_behind_of_others;
use crate::stored::journal::{self, Draft, Journal};
use crate::stored::{leftovers, manifest as file};
use anyhow::{Context, Result, bail, ensure};
use indicatif::ProgressBar;
use std::ffi::{OsStr, OsString};
use std::fs::{File, Metadata, TryLockError};
use std::io::{self, Read};
use std::ops::RangeInclusive;
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::Path;
use wegman_catalogue::{AnyKey, AnyPmac, AnyTag};
use wegman_formats::journal::Details;
use wegman_formats::keyfile::{KeyFile, Purpose};
use wegman_formats::manifest::role::Refused;
use wegman_formats::manifest::{About, Entry, Manifest, Stamp};

/// What an edit did; `None`: there was nothing to do.
pub type Done = Option<Edited>;

pub struct Edited {
    pub details: Details,
    pub names: OtherNames,
    /// What the new manifest says of itself.
    pub about: About,
    /// Whether all of the file is what its new tag says, if it was read afterwards.
    pub is_good: Option<bool>,
}

/// The names, other than the one given, that the manifest has for the same file.
#[derive(Default)]
pub struct OtherNames {
    /// Those with the file's tag: they get the new one, too.
    pub same: Vec<OsString>,
    /// Those with another tag: they are not as they were when the manifest was made, and are left alone.
    pub other: Vec<OsString>,
}

/// How an edit works, apart from what it does.
pub struct Editor<'a> {
    key: &'a KeyFile,
    manifest: &'a Path,
    /// The command that completes an edit.
    finish: String,
    speed: Speed,
    follow_symlinks: bool,
    pub bar: ProgressBar,
    pub piece: usize,
    /// Called whenever files have changed; the tests see there what a kill would leave.
    watch: &'a mut dyn FnMut(),
}

/// The file that is edited.
struct Target<'a> {
    name: &'a OsStr,
    file: &'a File,
    /// Its size and tag before the edit.
    from: u64,
    old: Stamp,
}

impl<'a> Editor<'a> {
    pub fn new(
        key: &'a KeyFile,
        key_args: &'a KeyArgs,
        manifest: &'a Path,
        threads: Option<u16>,
        follow_symlinks: bool,
        watch: &'a mut dyn FnMut(),
    ) -> Editor<'a> {
        // A map of a file is not a copy: somebody who can write the file can change the bytes between two looks.
        let speed = Speed { threads, mmap: false };
        let finish = key_args.how_to_finish(follow_symlinks, manifest);
        let (bar, piece) = (ProgressBar::hidden(), PIECE);
        Editor { key, manifest, finish, speed, follow_symlinks, bar, piece, watch }
    }

    pub fn change(
        &mut self,
        name: &OsStr,
        change: Change,
        verify: bool,
        input: &mut dyn Read,
    ) -> Result<Done> {
        let key = self.key;
        let (file_key, edits_key) = (key.derive(Purpose::Files), key.derive(Purpose::Edits));
        pmac(key, &*file_key)?;
        ensure!(name != STDIN, "standard input can't be edited");
        let lock = file::lock(self.manifest)?;
        let mut manifest = file::load(self.manifest, key)?;
        let (entries, tree) = (&manifest.entries, tree_of(&manifest, self.follow_symlinks));
        if let Some(left) = left_behind_of_others(self.manifest, key, &self.finish, entries) {
            bail!(Refused(files::complaint(&left.name, &left.error)));
        }
        leftovers::remove(self.manifest, self.key);
        let i = self.position(entries, name)?;
        let file = self.open(&tree, name)?;
        let before = file.metadata().with_context(|| shown(name))?;

        let mut draft = Draft::new(key, &*edits_key, self.manifest)?;
        let from = before.len();
        let target = Target { name, file: &file, from, old: entries[i].stamp.clone() };
        let prepared = self.prepare(&*file_key, verify, target, change, input, &mut draft)?;
        let Some(details) = prepared else { return Ok(None) };
        ensure_unchanged(name, &before, &file.metadata().with_context(|| shown(name))?)?;
        let journal = self.put_in_place(draft, details)?;
        // Nothing is written yet, so there is one size it may have.
        self.complete(&lock, &file, journal, &mut manifest, i, from..=from).map(Some)
    }

    /// Which entry a file has.
    fn position(&self, entries: &[Entry], name: &OsStr) -> Result<usize> {
        let position = entries.iter().position(|entry| entry.name == name);
        let (name, manifest) = (shown(name), shown(self.manifest));
        position.with_context(|| {
            format!("{name}: {manifest} has no such file; name it as the manifest does")
        })
    }

    /// Drafts an edit, and works out the new tag from the old one or, to `verify`, from all of the file, which must be what
    /// its tag says. `None`: there is nothing to change.
    fn prepare(
        &mut self,
        key: &dyn AnyKey,
        verify: bool,
        target: Target<'_>,
        change: Change,
        input: &mut dyn Read,
        draft: &mut Draft<'_>,
    ) -> Result<Option<Details>> {
        let sums = || Sums::new(pmac(self.key, key)?, target.file, target.from, &target.old);
        let mut sums = if verify { None } else { Some(sums()?) };
        let drafted = self.draft(sums.as_mut(), target.from, change, input, draft);
        let (at, to) = drafted.with_context(|| shown(target.name))?;
        let bytes = draft.bytes();
        let tag = match sums {
            Some(sums) => sums.tag()?,
            None => {
                let end = if to < target.from { u64::MAX } else { at + bytes };
                let verified = self.verify(key, &target, draft, (at, bytes, end));
                verified.with_context(|| shown(target.name))?
            }
        };
        let is_nothing = bytes == 0 && to == target.from;
        Ok((!is_nothing).then(|| target.details(tag, bytes, at, to)))
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
            let bytes = fill(&mut room, |room, _| input.read(room)).context("standard input")?;
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

    /// Reads all of a file once, and computes its tag and the new one from the very same bytes: whatever
    /// others do to the file meanwhile, a new tag belongs to bytes that have the old one.
    fn verify(
        &self,
        key: &dyn AnyKey,
        target: &Target<'_>,
        draft: &mut Draft<'_>,
        change: (u64, u64, u64),
    ) -> Result<AnyTag> {
        let bar = &self.bar;
        bar.set_position(0);
        bar.set_length(target.from);
        let source = draft.so_far()?;
        let tree = Tree::typed(self.follow_symlinks);
        let (old_tag, new_tag, read) = alone(self.speed, &tree, |reader| {
            let mut splice = Splice::new(key, source, change);
            reader.feed_open(&mut splice, target.file.try_clone()?, bar)?;
            splice.tags()
        })?;
        let is_good = old_tag == target.old.tag;
        ensure!(is_good, Refused("it does not match its tag: it was not edited".to_owned()));
        ensure!(
            read == target.from,
            "its size changed while it was read: nothing was edited; run this again"
        );
        Ok(new_tag)
    }

    /// Puts the journal in its place: from then on the edit can be completed.
    fn put_in_place(&mut self, draft: Draft<'_>, details: Details) -> Result<Journal> {
        let name = details.name.clone();
        self.advise(&name);
        let journal = draft.finish(details).map_err(|error| {
            interrupt::advise(None);
            let is_there = journal::place(self.manifest).symlink_metadata().is_ok();
            if is_there { error.context(self.not_complete(&name)) } else { error }
        })?;
        (self.watch)();
        Ok(journal)
    }

    /// Completes an edit and, to `verify`, reads the whole file afterwards.
    pub fn finish(&mut self, verify: bool) -> Result<Done> {
        let lock = file::lock(self.manifest)?;
        let mut manifest = file::load(self.manifest, self.key)?;
        let tree = tree_of(&manifest, self.follow_symlinks);
        leftovers::remove(self.manifest, self.key);
        let place = journal::place(self.manifest);
        let at = shown(&place);
        let journal = match Journal::open(&place, self.key) {
            Ok(Some(journal)) => journal,
            Ok(None) => return Ok(None),
            Err(error) if error.chain().any(|cause| cause.is::<io::Error>()) => {
                return Err(error.context(format!("{at}: can't read it")));
            }
            Err(error) => {
                bail!(Refused(files::complaint(place.as_os_str(), &journal::refused(error))))
            }
        };
        let mut edited = match journal.fits(&manifest.entries) {
            None => {
                bail!(Refused(format!("{at}: the journal is refused: {:#}", journal.stale())))
            }
            // The manifest had its new tag when the file was complete: only the journal is left.
            Some((_, true)) => {
                let (details, names) = (journal.remove()?, OtherNames::default());
                Edited { details, names, about: manifest.about, is_good: None }
            }
            Some((i, false)) => {
                let name = journal.details.name.clone();
                let file = self.open(&tree, &name)?;
                let Details { from, to, .. } = journal.details;
                let sizes = from.min(to)..=from.max(to);
                self.complete(&lock, &file, journal, &mut manifest, i, sizes)?
            }
        };
        drop(lock);
        if verify {
            edited.is_good = Some(self.is_good(&tree, &edited.details)?);
        }
        Ok(Some(edited))
    }

    /// Reads a file that was edited: is all of it what its new tag says?
    fn is_good(&self, tree: &Tree, details: &Details) -> Result<bool> {
        let key = self.key.derive(Purpose::Files);
        let (name, stamp) = (details.name.clone(), details.new.clone());
        let entry = Entry { name, stamp, attributes: None, upto: None };
        let bar = &self.bar;
        bar.set_position(0);
        bar.set_length(details.to);
        let read = alone(self.speed, tree, |reader| reader.is_good(&entry, &*key, bar));
        read.with_context(|| format!("the edit is complete; {}", shown(&entry.name)))
    }

    /// Once the journal is in its place, an interrupt leaves work.
    fn advise(&self, name: &OsStr) {
        let (name, how) = (shown(name), &self.finish);
        let text = format!("{name}: the edit is not complete: {how} completes it");
        interrupt::advise(Some((journal::place(self.manifest), text)));
    }

    fn not_complete(&self, name: &OsStr) -> String {
        let (name, how) = (shown(name), &self.finish);
        format!("{name}: the edit is not complete; when the cause is gone, {how} completes it")
    }

    /// What comes after the journal. All of it may be done again. `sizes`: those the file may have now.
    fn complete(
        &mut self,
        lock: &File,
        file: &File,
        journal: Journal,
        manifest: &mut Manifest,
        i: usize,
        sizes: RangeInclusive<u64>,
    ) -> Result<Edited> {
        let name = journal.details.name.clone();
        self.advise(&name);
        let done = self.write(file, &journal, sizes).and_then(|()| {
            let names = self.update(file, &journal.details, manifest, i)?;
            let (lock, about) = file::replace(self.manifest, lock, self.key, manifest, self.watch)?;
            (self.watch)();
            let details = journal.remove()?;
            // The file's lock goes first: whoever gets the manifest's must not meet it.
            let _ = file.unlock();
            drop(lock);
            Ok(Edited { details, names, about, is_good: None })
        });
        interrupt::advise(None);
        (self.watch)();
        done.with_context(|| self.not_complete(&name))
    }

    /// Brings the file on disk to its new state.
    fn write(&mut self, file: &File, journal: &Journal, sizes: RangeInclusive<u64>) -> Result<()> {
        let Details { bytes, from, to, .. } = journal.details;
        let size = file.metadata()?.len();
        ensure!(
            sizes.contains(&size),
            "it has {size} bytes, but the edit takes it from {from} bytes to {to}: it was changed since; restore \
             a copy from before the edit, then finish, or delete {} and tag the file again",
            shown(&journal.path)
        );
        self.bar.set_position(0);
        self.bar.set_length(bytes);
        journal.replay(self.piece, |at, piece| {
            file.write_all_at(piece, at)?;
            self.bar.inc(piece.len() as u64);
            (self.watch)();
            Ok(())
        })?;
        // Writing needs no cut: anything further on is somebody else's.
        if bytes == 0 {
            file.set_len(to)?;
            (self.watch)();
        }
        Ok(file.sync_all()?)
    }

    /// Gives the file's entry its new tag, and those of its other names. The journal does not have these: after an
    /// interruption they are what they are then, and the manifest has the old tags or all of the new ones.
    fn update(
        &self,
        file: &File,
        details: &Details,
        manifest: &mut Manifest,
        i: usize,
    ) -> Result<OtherNames> {
        let metadata = file.metadata()?;
        let follow = self.follow_symlinks;
        // A file with one link has other names only by way of other names of a directory, or of symbolic links.
        let last = Path::new(&details.name).file_name();
        let may_be = |name: &OsStr| {
            name != STDIN && (follow || metadata.nlink() > 1 || Path::new(name).file_name() == last)
        };
        let tree = tree_of(manifest, follow);
        let own = (metadata.dev(), metadata.ino());
        let is_same =
            |name: &OsStr| tree.look(name).is_ok_and(|found| (found.st_dev, found.st_ino) == own);
        let mut names = OtherNames::default();
        for (j, entry) in manifest.entries.iter_mut().enumerate() {
            if j == i {
                entry.stamp = details.new.clone();
            } else if may_be(&entry.name) && is_same(&entry.name) {
                if entry.stamp.tag == details.old.tag {
                    entry.stamp = details.new.clone();
                    names.same.push(entry.name.clone());
                } else {
                    names.other.push(entry.name.clone());
                }
            }
        }
        Ok(names)
    }

    /// Opens a file for reading and writing.
    fn open(&self, tree: &Tree, name: &OsStr) -> Result<File> {
        let open = || -> Result<File> {
            let (file, stat) = tree.open_to_write(name).map_err(|error| {
                let says_all = is_missing(&error) || is_unfit(&error);
                if says_all { error } else { error.context("can't open it for writing") }
            })?;
            let identity = (stat.st_dev, stat.st_ino);
            ensure!(files::identity(self.manifest) != Some(identity), "it is the manifest itself");
            ensure!(self.key.identity != Some(identity), "it is the key file");
            let journal = journal::identity(self.manifest);
            ensure!(journal != Some(identity), "it is the journal of an edit");
            // Another manifest may have it, too.
            let locked = file.try_lock();
            ensure!(
                !matches!(locked, Err(TryLockError::WouldBlock)),
                "another process has it locked, perhaps an edit through another manifest: wait for it"
            );
            Ok(file)
        };
        open().with_context(|| shown(name))
    }
}

impl Target<'_> {
    fn details(self, tag: AnyTag, bytes: u64, at: u64, to: u64) -> Details {
        let new = Stamp { tag, nonce: None };
        let Target { name, from, old, .. } = self;
        Details { name: name.to_owned(), old, new, bytes, at, from, to }
    }
}

/// PMAC's longest tag is a whole block, and only that determines the sum.
fn pmac<'k>(key: &KeyFile, file_key: &'k dyn AnyKey) -> Result<&'k dyn AnyPmac> {
    let is_whole = key.tag_bytes == *key.algorithm.tag_bytes.end();
    file_key.pmac().filter(|_| is_whole).with_context(|| {
        format!(
            "{} with {}-bit tags can't be edited in place: `wegman keygen -o KEY` makes a key that \
             can (PMAC, its longest tags); or change the file as usual and run `wegman tag` again",
            key.algorithm.name,
            8 * key.tag_bytes
        )
    })
}

/// This catches accidents: somebody who maps the file into memory can change its bytes and none of these.
fn ensure_unchanged(name: &OsStr, before: &Metadata, after: &Metadata) -> Result<()> {
    let state = |m: &Metadata| (m.len(), m.ctime(), m.ctime_nsec());
    ensure!(
        state(before) == state(after),
        "{}: it changed while it was read: nothing was edited; run this again",
        shown(name)
    );
    Ok(())
}
