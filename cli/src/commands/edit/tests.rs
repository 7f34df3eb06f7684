//! Edits stopped at every point, and journals that are not what was written.

use super::editor::Editor;
use super::*;
use crate::args::{Args, Command};
use crate::commands::{check, keygen, tag};
use crate::files;
use crate::stored::journal::Journal;
use crate::stored::journal::interrupted::left_behind;
use crate::stored::manifest as file;
use clap::Parser;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::{self, OpenOptions};
use std::io::{Read, Write};
use std::os::unix::fs::FileExt;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};
use wegman_formats::journal::Details;
use wegman_formats::keyfile::{KeyFile, Purpose};
use wegman_formats::manifest::Entry;

/// So small that every edit here has many pieces.
const PIECES: [usize; 3] = [7, 64, 1000];

/// Only a test that fails waits so long.
const PATIENCE: Duration = Duration::from_secs(300);

/// Numbers without order, the same each time.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        (self.0 >> 33) % limit
    }

    fn bytes(&mut self, count: u64) -> Vec<u8> {
        (0..count).map(|_| self.below(256) as u8).collect()
    }
}

/// In memory, where the system has a place for that: nothing here rests on a disk, which would be slow.
fn directory() -> tempfile::TempDir {
    tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap()
}

/// What lies in a directory.
type State = BTreeMap<OsString, Vec<u8>>;

/// The files `a` and `b` with their manifest `m`, in a directory that can be set back.
struct Place {
    files: tempfile::TempDir,
    keys: tempfile::TempDir,
    args: EditArgs,
    key: KeyFile,
}

impl Place {
    fn new(a: &[u8]) -> Place {
        let (files, keys) = (directory(), directory());
        let path = |name: &str| files.path().join(name).into_os_string().into_string().unwrap();
        let key = keys.path().join("key").into_os_string().into_string().unwrap();
        fs::write(path("a"), a).unwrap();
        fs::write(path("b"), "another file").unwrap();
        let (a, b, m) = (path("a"), path("b"), path("m"));
        let Command::Keygen(args) = parse(&["keygen", "-o", &key]) else { unreachable!() };
        keygen::run(&args).unwrap();
        let words = ["tag", "-k", &key, "--quiet", "-o", &m, &a, &b];
        let Command::Tag(args) = parse(&words) else { unreachable!() };
        assert_eq!(tag::run(&args).unwrap(), Exit::Good);
        let words = ["append", "-k", &key, "-m", &m, &a];
        let Command::Append(args) = parse(&words) else { unreachable!() };
        let key = args.key.load().unwrap();
        Place { files, keys, args, key }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.files.path().join(name)
    }

    fn a(&self) -> Vec<u8> {
        fs::read(self.path("a")).unwrap()
    }

    fn state(&self) -> State {
        let entries = fs::read_dir(self.files.path()).unwrap().map(Result::unwrap);
        entries.map(|entry| (entry.file_name(), fs::read(entry.path()).unwrap())).collect()
    }

    fn set(&self, state: &State) {
        for entry in fs::read_dir(self.files.path()).unwrap() {
            fs::remove_file(entry.unwrap().path()).unwrap();
        }
        for (name, content) in state {
            self.write(name, content);
        }
    }

    /// Writes a file with the mode of a journal.
    fn write(&self, name: impl AsRef<OsStr>, content: &[u8]) {
        let path = self.files.path().join(name.as_ref());
        fs::write(&path, content).unwrap();
        fs::set_permissions(path, fs::Permissions::from_mode(0o600)).unwrap();
    }

    fn run_with<'a>(&'a self, watch: &'a mut dyn FnMut()) -> Editor<'a> {
        let EditArgs { key, manifest, read, .. } = &self.args;
        Editor::new(&self.key, key, manifest, read.speed.threads, read.follow_symlinks, watch)
    }

    /// Runs something, and returns with its outcome every state that a kill would have left.
    fn run<T>(&self, piece: usize, work: impl FnOnce(&mut Editor<'_>) -> T) -> (T, Vec<State>) {
        let mut states = vec![self.state()];
        let mut watch = || states.push(self.state());
        let mut editor = self.run_with(&mut watch);
        editor.piece = piece;
        let outcome = work(&mut editor);
        states.push(self.state());
        (outcome, states)
    }

    fn change(&self, piece: usize, change: Change, mut new: &[u8]) -> (Details, Vec<State>) {
        let file = &self.args.file;
        let (done, states) = self.run(piece, |editor| editor.change(file, change, false, &mut new));
        (done.unwrap().expect("something to change").details, states)
    }

    fn finish(&self) -> (Option<Details>, Vec<State>) {
        let (done, states) = self.run(64, |editor| editor.finish(false));
        (done.unwrap().map(|edited| edited.details), states)
    }

    fn check(&self) -> Exit {
        let key = self.keys.path().join("key");
        let m = self.path("m");
        let words = ["check", "-k", key.to_str().unwrap(), "--status", m.to_str().unwrap()];
        let Command::Check(args) = parse(&words) else { unreachable!() };
        check::run(&args).unwrap()
    }

    fn entries(&self) -> Vec<Entry> {
        file::load(&self.args.manifest, &self.key).unwrap().entries
    }

    /// The name of a file of which an interrupted edit is reported.
    fn reported(&self) -> Option<OsString> {
        Some(left_behind(&self.args.manifest, &self.key, "", &self.entries())?.name)
    }

    /// What must hold wherever an edit is stopped.
    fn is_safe(&self, state: &State, old: &[u8], new: &[u8]) {
        self.set(state);
        if !self.path("m.wegman-edit").exists() {
            assert_eq!(self.check(), Exit::Good);
            assert!(self.a() == old || self.a() == new);
            return;
        }
        assert_eq!(self.check(), Exit::Bad);
        assert_eq!(self.reported().unwrap(), self.args.file);
        let (done, _) = self.finish();
        assert!(done.is_some());
        self.is_new(new);
    }

    fn is_new(&self, new: &[u8]) {
        assert!(self.a() == new);
        assert_eq!(self.check(), Exit::Good);
        assert!(self.reported().is_none());
        assert!(self.finish().0.is_none(), "nothing more to finish");
    }
}

fn parse(words: &[&str]) -> Command {
    Args::try_parse_from(["wegman"].iter().chain(words)).unwrap().command
}

/// The content after a change.
fn changed(old: &[u8], change: Change, new: &[u8]) -> Vec<u8> {
    let mut content = old.to_vec();
    match change {
        Change::Truncate { to } => content.truncate(to as usize),
        Change::Write { at } => {
            let at = at.map_or(old.len(), |at| at as usize);
            content.resize(old.len().max(at + new.len()), 0);
            content[at..][..new.len()].copy_from_slice(new);
        }
    }
    content
}

#[test]
fn stopped_anywhere_it_is_reported_and_can_be_finished() {
    let mut random = Random(1);
    let old = random.bytes(1000);
    let new = random.bytes(300);
    for (change, new) in [
        (Change::Write { at: Some(400) }, &new[..]),
        (Change::Write { at: Some(901) }, &new),
        (Change::Write { at: Some(0) }, &new[..1]),
        (Change::Write { at: None }, &new),
        (Change::Truncate { to: 333 }, &[]),
        (Change::Truncate { to: 0 }, &[]),
    ] {
        let place = Place::new(&old);
        let (details, states) = place.change(64, change, new);
        let content = changed(&old, change, new);
        assert_eq!((details.from, details.to), (1000, content.len() as u64));
        place.is_new(&content);
        let mut with_journal = 0;
        for state in &states {
            place.is_safe(state, &old, &content);
            if !state.contains_key(OsStr::new("m.wegman-edit")) {
                continue;
            }
            with_journal += 1;
            // To be stopped while finishing is no different.
            place.set(state);
            for state in place.finish().1 {
                place.is_safe(&state, &old, &content);
            }
            if place.entries()[0].stamp.tag == details.new.tag {
                continue;
            }
            // A power failure may leave any of the new bytes written, and any size between.
            for _ in 0..5 {
                let mut torn = state.clone();
                let a = torn.get_mut(OsStr::new("a")).unwrap();
                let (least, most) = (details.from.min(details.to), details.from.max(details.to));
                a.resize((least + random.below(most - least + 1)) as usize, 0);
                let end = a.len().min((details.at + details.bytes) as usize);
                let start = end.min(details.at as usize);
                a[start..end].fill_with(|| random.below(256) as u8);
                place.is_safe(&torn, &old, &content);
            }
        }
        assert!(with_journal >= 3, "{with_journal}");
    }
}

#[test]
fn a_journal_cut_off_or_altered_anywhere_is_refused() {
    let place = Place::new(&[7; 100]);
    let (_, states) = place.change(64, Change::Write { at: Some(10) }, b"new bytes");
    let name = OsStr::new("m.wegman-edit");
    let state = states.iter().find(|state| state.contains_key(name)).unwrap();
    let whole = &state[name];
    let refused = |journal: &[u8]| {
        place.set(state);
        place.write("m.wegman-edit", journal);
        assert_eq!(place.check(), Exit::Bad);
        assert_eq!(place.reported().unwrap(), place.path("m.wegman-edit"));
        assert!(
            place
                .run(64, |editor| editor.finish(false))
                .0
                .is_err_and(|error| Exit::after(&error) == Exit::Bad)
        );
        assert_eq!(&place.state()[OsStr::new("a")], &state[OsStr::new("a")]);
        assert_eq!(&place.state()[OsStr::new("m")], &state[OsStr::new("m")]);
    };
    for at in 0..whole.len() {
        let mut altered = whole.clone();
        altered[at] ^= 1;
        refused(&altered);
        refused(&whole[..at]);
    }
    refused(&[&whole[..], b"\n"].concat());
    place.set(state);
    assert!(place.finish().0.is_some(), "the journal itself is good");
}

#[test]
fn random_edits_give_the_tags_of_the_whole_files() {
    let mut random = Random(2);
    // How large the file is, how many edits of up to how many bytes, and whether they verify it.
    for (bytes, edits, most, verify) in [
        (500, 300, 90, false),
        (0, 8, 600_000, true),
        (1, 8, 600_000, true),
        (1000, 8, 600_000, true),
        (300_000, 8, 600_000, true),
        ((5 << 20) + 1, 8, 600_000, true),
        ((5 << 20) + 1, 2, 600_000, false),
    ] {
        let place = Place::new(&random.bytes(bytes));
        let file_key = place.key.derive(Purpose::Files);
        for i in 0..edits {
            let old = place.a();
            let size = old.len() as u64;
            let count = 1 + random.below(most);
            let new = random.bytes(count);
            let change = match random.below(4) {
                0 if size > 1 => Change::Truncate { to: size - 1 - random.below(size.min(most)) },
                0 | 1 => Change::Write { at: None },
                _ => Change::Write { at: Some(random.below(size + 1)) },
            };
            let mut watch = || ();
            let mut editor = place.run_with(&mut watch);
            if bytes < 1000 {
                editor.piece = PIECES[i % 3];
            }
            let mut input = &new[..];
            editor.change(&place.args.file, change, verify, &mut input).unwrap();
            let content = changed(&old, change, &new);
            assert!(place.a() == content);
            let tag = file_key.tag(None, &content).unwrap();
            assert!(place.entries()[0].stamp.tag == tag, "edit {i} of {bytes} bytes");
        }
        assert_eq!(place.check(), Exit::Good);
    }
}

#[test]
fn a_manifest_that_came_meanwhile_is_not_replaced() {
    let place = Place::new(b"old content");
    let (other, manifest) = (place.path("other"), place.path("m"));
    fs::copy(&manifest, &other).unwrap();
    let before = fs::read(&manifest).unwrap();
    let mut watch = || drop(fs::rename(&other, &manifest));
    let mut editor = place.run_with(&mut watch);
    editor.piece = 64;
    let change = Change::Write { at: None };
    let error =
        editor.change(&place.args.file, change, false, &mut &b" and more"[..]).err().unwrap();
    assert!(format!("{error:#}").contains("took its place"), "{error:#}");
    assert!(fs::read(&manifest).unwrap() == before);
    // As it happens it has the same tag, so that the edit can be finished.
    assert_eq!(place.reported().unwrap(), place.args.file);
    assert!(place.finish().0.is_some());
    place.is_new(b"old content and more");
}

/// Standard input that does something when it is read for the first time.
struct Meanwhile<F>(Option<F>, &'static [u8]);

impl<F: FnOnce()> Read for Meanwhile<F> {
    fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
        if let Some(then) = self.0.take() {
            then();
        }
        self.1.read(room)
    }
}

/// docs/pmac.md: the edit of a changed block can give a tag of the file with the change. A change through a
/// map of the file, of a page written to before, shows in none of its times.
#[test]
fn verify_and_the_new_tag_are_of_the_same_bytes() {
    let place = Place::new(&[b'a'; 1000]);
    let file = OpenOptions::new().read(true).write(true).open(place.path("a")).unwrap();
    #[allow(unsafe_code, reason = "there is no safe map of a file")]
    // SAFETY: nobody cuts the file.
    let mut map = unsafe { memmap2::MmapMut::map_mut(&file) }.unwrap();
    map[0] = b'a';
    let mut input = Meanwhile(Some(|| map[..16].fill(b'x')), &[b'a'; 16]);
    let change = Change::Write { at: Some(0) };
    let name = &place.args.file;
    let (done, _) = place.run(64, |editor| editor.change(name, change, true, &mut input));
    map[..16].fill(b'x');
    assert_eq!(place.check(), Exit::Bad);
    assert!(
        done.is_err_and(|error| Exit::after(&error) == Exit::Bad),
        "it was changed when all of it was read"
    );
}

/// A journal in its place, and everything as a kill right then would leave it.
fn with_journal() -> Place {
    let place = Place::new(&[7; 100]);
    let (_, states) = place.change(64, Change::Write { at: Some(10) }, b"new bytes");
    let name = OsStr::new("m.wegman-edit");
    place.set(states.iter().find(|state| state.contains_key(name)).unwrap());
    place
}

#[test]
fn the_details_are_those_the_seal_is_of() {
    let place = with_journal();
    let path = place.path("m.wegman-edit");
    let good = || Journal::open(&path, &place.key).unwrap().unwrap().details.new.tag;
    let tag = good();
    let text = fs::read(&path).unwrap();
    let digits = tag.to_string().into_bytes();
    let at = text.windows(digits.len()).position(|part| part == digits).unwrap() as u64;
    let file = OpenOptions::new().write(true).open(&path).unwrap();
    let stop = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            while !stop.load(Ordering::Relaxed) {
                let other = if digits[0] == b'0' { b"1" } else { b"0" };
                file.write_all_at(other, at).unwrap();
                file.write_all_at(&digits[..1], at).unwrap();
            }
        });
        // Until both states were met often, however long that takes: in between are those that matter.
        let (mut whole, mut refused) = (0, 0);
        let start = Instant::now();
        let mut wrong = None;
        while wrong.is_none() && (whole < 1000 || refused < 100) && start.elapsed() < PATIENCE {
            match Journal::open(&path, &place.key) {
                Ok(journal) => {
                    let journal = journal.expect("it is there");
                    wrong = Some(journal.details.new.tag).filter(|read| *read != tag);
                    whole += 1;
                }
                Err(_) => refused += 1,
            }
        }
        stop.store(true, Ordering::Relaxed);
        assert!(wrong.is_none(), "sealed with one tag, and read with another");
        assert!(whole >= 1000 && refused >= 100, "{whole} good, {refused} refused: too few");
    });
    assert!(good() == tag);
}

#[test]
fn a_journal_that_others_may_access_is_refused() {
    let place = with_journal();
    let path = place.path("m.wegman-edit");
    for mode in [0o620, 0o602, 0o640] {
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        let refused = place.run(64, |editor| editor.finish(false)).0.err().unwrap();
        assert_eq!(Exit::after(&refused), Exit::Bad);
        assert!(format!("{refused:#}").contains("others may access it"), "{refused:#}");
        assert_eq!(place.check(), Exit::Bad);
    }
    fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
    // Only the superuser can give it to somebody else.
    if std::os::unix::fs::chown(&path, Some(65534), None).is_ok() {
        let refused = place.run(64, |editor| editor.finish(false)).0.err().unwrap();
        assert_eq!(Exit::after(&refused), Exit::Bad);
        assert!(format!("{refused:#}").contains("belongs to another user"), "{refused:#}");
        std::os::unix::fs::chown(&path, Some(files::user()), None).unwrap();
    }
    assert!(place.finish().0.is_some());
}

#[test]
fn what_others_append_meanwhile_stays() {
    for (change, new) in [
        (Change::Write { at: Some(10) }, &b"new bytes"[..]),
        (Change::Write { at: None }, b"new bytes"),
        (Change::Truncate { to: 5 }, b""),
    ] {
        let place = Place::new(&[7; 100]);
        let manifest = place.state()[OsStr::new("m")].clone();
        let (file, journal) = (place.path("a"), place.path("m.wegman-edit"));
        let mut is_done = false;
        let mut watch = || {
            if journal.exists() && !is_done {
                is_done = true;
                let mut file = OpenOptions::new().append(true).open(&file).unwrap();
                file.write_all(b"and").unwrap();
            }
        };
        let mut editor = place.run_with(&mut watch);
        let error = editor.change(&place.args.file, change, false, &mut &*new).err().unwrap();
        assert!(format!("{error:#}").contains("it was changed since"), "{error:#}");
        assert!(place.a() == [&[7; 100][..], b"and"].concat());
        assert!(place.state()[OsStr::new("m")] == manifest);
        assert!(journal.exists());
        OpenOptions::new().write(true).open(&file).unwrap().set_len(100).unwrap();
        assert!(place.finish().0.is_some());
        place.is_new(&changed(&[7; 100], change, new));
    }
}
