//! What the user sees: exit codes, lines on standard output, the progress bar, whole-or-nothing files.

use crate::hex;
use crate::manifest::{Stamp, shown};
use anyhow::{Context, Result};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde::Serialize;
use sha2::{Digest, Sha256};
use std::borrow::Cow;
use std::ffi::OsStr;
use std::fmt;
use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{self, BufWriter, ErrorKind, IntoInnerError, IsTerminal, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::{Mutex, PoisonError};
use tempfile::NamedTempFile;

/// How a command ended. The numbers are documented in `wegman --help`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    Good = 0,
    /// Something failed verification.
    Bad = 1,
    /// Usage, file or key error.
    Error = 2,
}

impl Exit {
    /// A forgery outweighs an unreadable file.
    pub fn of(bad: u64, errors: u64) -> Exit {
        match (bad, errors) {
            (0, 0) => Exit::Good,
            (0, _) => Exit::Error,
            _ => Exit::Bad,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        ExitCode::from(exit as u8)
    }
}

/// The file being written now, not yet in its place.
static UNFINISHED: Mutex<Option<PathBuf>> = Mutex::new(None);

/// What to say on an interrupt.
static ADVICE: Mutex<Option<String>> = Mutex::new(None);

/// Something stays unfinished if an interrupt comes from now on, and this says what to do then. `None`: not
/// any more.
pub fn advise_on_interrupt(advice: Option<String>) {
    *ADVICE.lock().unwrap_or_else(PoisonError::into_inner) = advice;
}

/// On an interrupt: no half-written file stays behind, and none takes its place afterwards.
pub fn remove_unfinished_on_interrupt() {
    let handler = || {
        let unfinished = UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(path) = unfinished.as_ref() {
            let _ = fs::remove_file(path);
        }
        if let Some(advice) = ADVICE.lock().unwrap_or_else(PoisonError::into_inner).as_ref() {
            say(advice);
        }
        std::process::exit(130);
    };
    // Without a handler an interrupt still ends the program; only a temporary file stays behind.
    let _ = ctrlc::set_handler(handler);
}

/// The manifest to be: a file that takes its place only when it is complete, until when the old one
/// stays whole. A pipe or device that stands in the place is written to, never replaced.
pub struct Replacement {
    file: BufWriter<Target>,
    place: PathBuf,
}

enum Target {
    Unfinished(NamedTempFile),
    Special(File),
}

impl Replacement {
    pub fn new(path: &Path) -> Result<Replacement> {
        Replacement::with_prefix(path, DRAFT)
    }

    /// For an edit of the manifest that is there.
    pub fn of_edit(path: &Path) -> Result<Replacement> {
        Replacement::with_prefix(path, &draft_of_edit(path))
    }

    fn with_prefix(path: &Path, prefix: &str) -> Result<Replacement> {
        // A link keeps pointing to its file: the file is replaced, not the link.
        let place = match fs::canonicalize(path) {
            Err(error) if path.is_symlink() => return Err(error).with_context(|| cant_write(path)),
            place => place.unwrap_or_else(|_| path.to_owned()),
        };
        let target = Target::open(&place, prefix).with_context(|| cant_write(path))?;
        Ok(Replacement { file: BufWriter::new(target), place })
    }

    /// Takes the place. If the manifest that was there is locked, lock this one before.
    pub fn finish(self) -> Result<File> {
        let Replacement { file, place } = self;
        let target = file.into_inner().map_err(IntoInnerError::into_error);
        target.and_then(|target| target.finish(&place)).with_context(|| cant_write(&place))
    }

    /// Brings what was written to disk, so that little is left to do for [`finish`](Self::finish).
    pub fn sync(&mut self) -> Result<()> {
        let flushed = self.file.flush().and_then(|()| match self.file.get_ref() {
            Target::Unfinished(file) => file.as_file().sync_all(),
            Target::Special(_) => Ok(()),
        });
        flushed.with_context(|| cant_write(&self.place))
    }

    /// Locks it until the file that [`finish`](Self::finish) gives is closed.
    pub fn lock(&self) -> Result<()> {
        let file = match self.file.get_ref() {
            Target::Unfinished(file) => file.as_file(),
            Target::Special(file) => file,
        };
        file.lock().with_context(|| cant_write(&self.place))
    }
}

fn cant_write(path: &Path) -> String {
    format!("{}: can't write the manifest", shown(path.as_os_str()))
}

impl Target {
    fn open(place: &Path, prefix: &str) -> io::Result<Target> {
        match fs::metadata(place) {
            Ok(old) if old.is_dir() => Err(ErrorKind::IsADirectory.into()),
            Ok(old) if !old.is_file() => {
                OpenOptions::new().write(true).open(place).map(Target::Special)
            }
            Ok(old) => {
                let mode = old.permissions().mode() & 0o777;
                let file = begin_for(place, mode, prefix)?;
                // The mode it had, whatever the umask takes from new files.
                file.as_file().set_permissions(Permissions::from_mode(mode))?;
                Ok(Target::Unfinished(file))
            }
            Err(_) => begin_for(place, 0o666, prefix).map(Target::Unfinished),
        }
    }

    fn finish(self, place: &Path) -> io::Result<File> {
        match self {
            Target::Unfinished(file) => put_in_place(file, place, Over::Any),
            Target::Special(file) => Ok(file),
        }
    }
}

/// What the names of unfinished files begin with; six letters and digits follow.
pub const DRAFT: &str = ".wegman-";
/// Those of edits: 16 digits for the manifest, a hyphen and the same six.
const DRAFT_OF_EDIT: &str = ".wegman-edit-";
const RANDOM: usize = 6;

fn is_random(text: &[u8]) -> bool {
    text.len() == RANDOM && text.iter().all(u8::is_ascii_alphanumeric)
}

/// Whether a file has the name of an unfinished one: a command that was killed left it.
pub fn is_draft(name: &OsStr) -> bool {
    let of_edit = |name: &[u8]| {
        let (manifest, random) =
            name.strip_prefix(DRAFT_OF_EDIT.as_bytes())?.split_at_checked(16)?;
        let is_hex = manifest.iter().all(u8::is_ascii_hexdigit);
        Some(is_hex && is_random(random.strip_prefix(b"-")?))
    };
    let name = name.as_bytes();
    name.strip_prefix(DRAFT.as_bytes()).is_some_and(is_random) || of_edit(name) == Some(true)
}

/// What the names of the unfinished files of a manifest's edits begin with.
pub fn draft_of_edit(manifest: &Path) -> String {
    // Of one length, however long the manifest's name is.
    let manifest = fs::canonicalize(manifest).unwrap_or_else(|_| manifest.to_owned());
    let name = manifest.file_name().unwrap_or_default();
    format!("{DRAFT_OF_EDIT}{}-", hex::encode(&Sha256::digest(name.as_bytes())[..8]))
}

/// Removes the unfinished files of a manifest's edits that were killed: for who has the manifest locked.
pub fn remove_drafts_of_edits(manifest: &Path) {
    let prefix = draft_of_edit(manifest);
    let manifest = fs::canonicalize(manifest).unwrap_or_else(|_| manifest.to_owned());
    let Ok(files) = fs::read_dir(directory_of(&manifest)) else { return };
    for file in files.flatten() {
        let name = file.file_name();
        let is_draft = name.as_bytes().strip_prefix(prefix.as_bytes()).is_some_and(is_random);
        if is_draft && file.file_type().is_ok_and(|kind| kind.is_file()) {
            // What can't be removed does no harm.
            let _ = fs::remove_file(file.path());
        }
    }
}

/// A new file beside a place it is to take; an interrupt removes it. One at a time. Its name begins with `prefix`.
pub fn begin_for(place: &Path, mode: u32, prefix: &str) -> io::Result<NamedTempFile> {
    let mut unfinished = UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner);
    let file = tempfile::Builder::new()
        .prefix(prefix)
        .rand_bytes(RANDOM)
        .permissions(Permissions::from_mode(mode))
        .tempfile_in(directory_of(place))?;
    *unfinished = Some(file.path().to_owned());
    Ok(file)
}

/// What a file may take the place of.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Over {
    Nothing,
    Any,
}

/// Gives a complete file its place. It is on disk then, and so is its name. If that fails for a reason that can be
/// known before, nothing is in the place.
pub fn put_in_place(file: NamedTempFile, place: &Path, over: Over) -> io::Result<File> {
    file.as_file().sync_all()?;
    let directory = File::open(directory_of(place))?;
    let mut unfinished = UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner);
    let file = match over {
        Over::Nothing => file.persist_noclobber(place)?,
        Over::Any => file.persist(place)?,
    };
    *unfinished = None;
    drop(unfinished);
    directory.sync_all().map_err(|error| {
        let what = "it is in its place, but a power failure may undo that";
        io::Error::new(error.kind(), format!("{what}: {error}"))
    })?;
    Ok(file)
}

impl Write for Target {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Target::Unfinished(file) => file.write(bytes),
            Target::Special(file) => file.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Target::Unfinished(file) => file.flush(),
            Target::Special(file) => file.flush(),
        }
    }
}

impl Write for Replacement {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

/// A number of things, as `1 byte` or `2 bytes`.
pub fn counted(number: u64, one: &str, more: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { more })
}

/// A message on standard error. If that is full or closed, the exit code still tells.
pub fn say(message: &str) {
    let _ = writeln!(io::stderr(), "wegman: {message}");
}

/// A progress bar on standard error, and lines on standard output that do not tear it.
pub struct Screen {
    bar: ProgressBar,
    out: BufWriter<io::Stdout>,
    json: bool,
    /// Why lines were lost. The work goes on: what it finds decides the exit code.
    lost: Option<anyhow::Error>,
}

impl Screen {
    /// `total` bytes are to be read, if that is known. `silent`: without a progress bar.
    pub fn new(total: Option<u64>, json: bool, silent: bool) -> Screen {
        let bar = progress_bar(total, silent || !io::stderr().is_terminal());
        Screen { bar, out: BufWriter::new(io::stdout()), json, lost: None }
    }

    pub fn bar(&self) -> &ProgressBar {
        &self.bar
    }

    /// A line of text for people, unless programs read the output.
    pub fn line(&mut self, line: &[u8]) {
        if !self.json {
            self.write(line);
        }
    }

    /// A record for programs, if they read the output.
    pub fn record(&mut self, record: &impl Serialize) {
        if self.json {
            let record = serde_json::to_vec(record).expect("records are plain text and numbers");
            self.write(&record);
        }
    }

    /// An error if lines were lost.
    pub fn whole(&mut self) -> Result<()> {
        self.lost.take().map_or(Ok(()), Err)
    }

    /// A message on standard error.
    pub fn message(&mut self, message: &str) {
        // Lines that belong before the message go out first.
        if let Err(error) = self.out.flush() {
            self.lost.get_or_insert(anyhow::Error::new(error).context("standard output"));
        }
        self.bar.suspend(|| say(message));
    }

    fn write(&mut self, line: &[u8]) {
        if self.lost.is_some() {
            return;
        }
        let out = &mut self.out;
        let write = |out: &mut BufWriter<io::Stdout>| {
            out.write_all(line)?;
            out.write_all(b"\n")
        };
        let written = if self.bar.is_hidden() {
            write(out)
        } else {
            // On a terminal the bar makes room, and then the line must be there at once.
            self.bar.suspend(|| write(out).and_then(|()| out.flush()))
        };
        self.lost = written.context("standard output").err();
    }

    /// The exit code, once everything written has arrived. Lost lines are an error, but they hide no
    /// failed verification.
    pub fn finish(mut self, exit: Exit) -> Result<Exit> {
        self.bar.finish_and_clear();
        let flushed = self.out.flush().context("standard output");
        match self.whole().and(flushed) {
            Err(error) if exit == Exit::Bad => {
                say(&format!("{error:#}"));
                Ok(exit)
            }
            written => written.map(|()| exit),
        }
    }
}

/// A bar of bytes with rate and time left.
pub fn progress_bar(total: Option<u64>, hidden: bool) -> ProgressBar {
    if hidden {
        return ProgressBar::hidden();
    }
    let (bar, style) = match total {
        Some(total) => (
            ProgressBar::new(total),
            "{bar:30} {bytes:>11} of {total_bytes}  {bytes_per_sec}  {eta} left",
        ),
        None => (ProgressBar::new_spinner(), "{spinner} {bytes:>11}  {bytes_per_sec}"),
    };
    bar.set_draw_target(ProgressDrawTarget::stderr());
    bar.with_style(ProgressStyle::with_template(style).expect("a fixed template"))
}

/// Makes sure a new file survives a power failure together with its name.
pub fn sync_directory_of(path: &Path) -> io::Result<()> {
    File::open(directory_of(path))?.sync_all()
}

/// Removes a file for good.
pub fn remove(path: &Path) -> io::Result<()> {
    let directory = File::open(directory_of(path))?;
    fs::remove_file(path)?;
    directory.sync_all()
}

fn directory_of(path: &Path) -> &Path {
    match path.parent() {
        Some(directory) if directory != Path::new("") => directory,
        _ => Path::new("."),
    }
}

/// One file, for programs.
#[derive(Serialize)]
pub struct FileRecord<'a> {
    r#type: &'static str,
    name: Cow<'a, str>,
    /// The name's bytes in hexadecimal, if they are not UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    name_hex: Option<String>,
    pub status: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    tag: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    nonce: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    to: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

impl<'a> FileRecord<'a> {
    pub fn new(name: &'a OsStr, status: &'static str) -> FileRecord<'a> {
        let name_hex = name.to_str().is_none().then(|| hex::encode(name.as_bytes()));
        let name = name.to_string_lossy();
        FileRecord {
            r#type: "file",
            name,
            name_hex,
            status,
            tag: None,
            nonce: None,
            to: None,
            error: None,
        }
    }

    pub fn stamp(mut self, stamp: &Stamp) -> Self {
        self.tag = Some(stamp.tag.to_string());
        self.nonce = stamp.nonce.map(|nonce| hex::encode(nonce.as_bytes()));
        self
    }

    /// Where the file is now.
    pub fn moved_to(mut self, name: &'a OsStr) -> Self {
        self.to = Some(name.to_string_lossy());
        self
    }

    pub fn error(mut self, error: &anyhow::Error) -> Self {
        self.error = Some(format!("{error:#}"));
        self
    }
}

/// What a run came to: how many files of each outcome.
pub struct Tally {
    command: &'static str,
    counts: Vec<(&'static str, u64)>,
}

impl Tally {
    pub fn new(command: &'static str, outcomes: &[&'static str]) -> Tally {
        Tally { command, counts: outcomes.iter().map(|&outcome| (outcome, 0)).collect() }
    }

    pub fn add(&mut self, outcome: &str) {
        let count = self.counts.iter_mut().find(|(name, _)| *name == outcome);
        count.expect("an outcome named at the start").1 += 1;
    }

    /// How many files had one of these outcomes.
    pub fn of(&self, outcomes: &[&str]) -> u64 {
        let counted = self.counts.iter().filter(|(name, _)| outcomes.contains(name));
        counted.map(|(_, count)| count).sum()
    }

    /// The last record for programs.
    pub fn record(&self, exit: Exit) -> serde_json::Value {
        let mut record = serde_json::json!({
            "type": "summary", "command": self.command, "exit": exit as u8
        });
        for (outcome, count) in &self.counts {
            record[outcome] = (*count).into();
        }
        record
    }
}

/// The first count always, the others if there is something to count.
impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (first, others) = self.counts.split_first().expect("at least one outcome");
        write!(f, "{}: {} {}", self.command, first.1, first.0)?;
        let others = others.iter().filter(|(_, count)| *count > 0);
        others.into_iter().try_for_each(|(outcome, count)| write!(f, ", {count} {outcome}"))
    }
}
