//! File contents into streams, several files at once, results in order. Each thread reads files of its own; a
//! big one is spread over the threads that have no file left.

use crate::args::Speed;
use crate::files::tree::Tree;
use crate::files::{Kind, STDIN, Unfit, fill, kind_of_stat, stdin};
use anyhow::{Context, Result, ensure};
use indicatif::ProgressBar;
use memmap2::MmapOptions;
use rustix::fs::{Stat, fstat};
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::num::NonZero;
use std::os::unix::fs::FileExt;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, TryLockError, mpsc};
use std::thread::available_parallelism;
use std::time::Duration;
use wegman_catalogue::{Absorb, AnyKey, AnyStream};
use wegman_formats::manifest::Entry;

/// Bytes one thread reads at once: large enough for the kernels, small enough for its cache.
const PIECE: usize = 256 << 10;

/// Bytes from which on a file, or what is left of it, is worth several threads.
const BIG: u64 = 4 << 20;

/// Bytes read ahead while those before are hashed: for each thread, but not for more than four.
const AHEAD: usize = 4 << 20;

/// More threads for each core gain nothing, and take time.
const PER_CORE: usize = 8;

/// Bytes of it that one thread reads at once.
const SHARE: usize = 512 << 10;

/// A page or a multiple of it.
const PAGE: usize = 4096;

/// How long results may wait.
const PAUSE: Duration = Duration::from_millis(1);

/// Bytes of a mapped file between two steps of the progress bar.
const STEP: usize = 64 << 20;

/// The threads of a run, and what they share.
pub struct Crew<'t> {
    threads: usize,
    /// From where names lead.
    tree: &'t Tree,
    /// How many files are not done yet.
    left: AtomicUsize,
    /// Room to read ahead, for one file at a time, so that memory does not grow with the threads.
    ahead: Mutex<Option<[Room; 2]>>,
    speed: Speed,
}

impl Crew<'_> {
    /// Spreads the rest of a source over the threads without a file, if there are any and no other
    /// source has them; else returns false. Each piece is read while that before is hashed. `fill` reads
    /// as much as there is room, less only at the end.
    fn spread(
        &self,
        stream: &mut dyn Absorb,
        mut fill: impl FnMut(&mut [u8]) -> io::Result<usize> + Send,
        bar: &ProgressBar,
    ) -> io::Result<bool> {
        // No files come later: a thread that has none stays without.
        if self.left.load(Ordering::Relaxed) >= self.threads {
            return Ok(false);
        }
        let mut ahead = match self.ahead.try_lock() {
            Ok(ahead) => ahead,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => return Ok(false),
        };
        let size = AHEAD * self.threads.min(4);
        let [now, next] = ahead.get_or_insert_with(|| [Room::new(size), Room::new(size)]);
        let (mut now, mut next) = (now.all(), next.all());
        let mut bytes = fill(now)?;
        while bytes == now.len() {
            let mut filled = Ok(0);
            rayon::in_place_scope(|scope| {
                scope.spawn(|_| filled = fill(next));
                stream.update_rayon(now);
            });
            bar.inc(bytes as u64);
            bytes = filled?;
            std::mem::swap(&mut now, &mut next);
        }
        stream.update_rayon(&now[..bytes]);
        bar.inc(bytes as u64);
        Ok(true)
    }
}

/// How one thread reads: room of its own, and the crew.
pub struct Reader<'c> {
    crew: &'c Crew<'c>,
    piece: Room,
}

impl Reader<'_> {
    /// Whether a file is what its entry says: an error if it can't be read.
    pub fn is_good(&mut self, entry: &Entry, key: &dyn AnyKey, bar: &ProgressBar) -> Result<bool> {
        let stream = self.fed(key, &entry.name, bar)?;
        Ok(stream.finish(entry.stamp.nonce.as_ref())? == entry.stamp.tag)
    }

    /// A stream of this key that has a file's content.
    pub fn fed<'k>(
        &mut self,
        key: &'k dyn AnyKey,
        name: &OsStr,
        bar: &ProgressBar,
    ) -> Result<Box<dyn AnyStream + 'k>> {
        let mut stream = key.stream();
        self.feed(&mut *stream, name, bar)?;
        Ok(stream)
    }

    /// Feeds a file, or standard input, into a stream.
    pub fn feed(&mut self, stream: &mut dyn Absorb, name: &OsStr, bar: &ProgressBar) -> Result<()> {
        if name == STDIN {
            return self.feed_open(stream, stdin()?, bar);
        }
        let (file, stat) = self.crew.tree.open(name)?;
        self.feed_until(stream, file, &stat, (0, u64::MAX), bar).map(drop)
    }

    /// Feeds `length` bytes of a file, from `at` on, into a stream: an error if it ends before.
    pub fn feed_part(
        &mut self,
        stream: &mut dyn Absorb,
        name: &OsStr,
        (at, length): (u64, u64),
        bar: &ProgressBar,
    ) -> Result<()> {
        let (mut file, stat) = self.crew.tree.open(name)?;
        let end = at.checked_add(length).context("no file is that long")?;
        let size = stat.st_size as u64;
        ensure!(end <= size, "it has {size} bytes: there are none from {at} to {end}");
        file.seek(SeekFrom::Start(at))?;
        let reached = self.feed_until(stream, file, &stat, (at, end), bar)?;
        ensure!(reached == end, "it was truncated while it was read: run this again");
        Ok(())
    }

    /// Feeds what is left of an open file into a stream.
    pub fn feed_open(
        &mut self,
        stream: &mut dyn Absorb,
        mut file: File,
        bar: &ProgressBar,
    ) -> Result<()> {
        let stat = fstat(&file)?;
        let at = if kind_of_stat(&stat) == Kind::File { file.stream_position()? } else { 0 };
        self.feed_until(stream, file, &stat, (at, u64::MAX), bar).map(drop)
    }

    /// Feeds an open file into a stream from one place to another, or until it ends. Returns the place reached. An error
    /// if somebody wrote the file since `before`.
    fn feed_until(
        &mut self,
        stream: &mut dyn Absorb,
        mut file: File,
        before: &Stat,
        (start, end): (u64, u64),
        bar: &ProgressBar,
    ) -> Result<u64> {
        // Pipes and devices have no size and no places.
        let is_file = kind_of_stat(before) == Kind::File;
        let whole = if is_file { before.st_size as u64 } else { 0 };
        let size = whole.min(end);
        // No further than it goes now: a file that grows would have no end. Its times tell that it grew.
        let end = if whole > 0 { size } else { end };
        let mut at = start;
        if self.crew.speed.mmap && size.saturating_sub(at) >= BIG {
            at += map(stream, &file, at, size - at, bar);
            file.seek(SeekFrom::Start(at))?;
        }
        loop {
            if size.saturating_sub(at) >= BIG {
                let fill = |room: &mut [u8]| {
                    let left = end.saturating_sub(at).min(room.len() as u64) as usize;
                    let bytes = read_ahead(&file, &mut room[..left], at)?;
                    at += bytes as u64;
                    Ok(bytes)
                };
                if self.crew.spread(stream, fill, bar)? {
                    file.seek(SeekFrom::Start(at))?; // for whoever has standard input after us
                    break;
                }
            }
            let bytes = self.step(stream, &mut file, end.saturating_sub(at), bar)?;
            at += bytes as u64;
            // At a terminal, who has ended the input once is not asked for its end again.
            if bytes < PIECE || at == end {
                break;
            }
        }
        if is_file {
            ensure!(
                is_same(before, &fstat(&file)?),
                Unfit("it changed while it was read: run this again".into())
            );
        }
        Ok(at)
    }

    /// Reads a piece, of no more than `left` bytes, and hashes it. It is shorter only at the end.
    fn step(
        &mut self,
        stream: &mut dyn Absorb,
        file: &mut File,
        left: u64,
        bar: &ProgressBar,
    ) -> io::Result<usize> {
        let piece = self.piece.all();
        let bytes = usize::try_from(left).unwrap_or(usize::MAX).min(piece.len());
        // A slow pipe moves the bar before the piece is full.
        let bytes = fill(&mut piece[..bytes], |room, _| {
            file.read(room).inspect(|&more| bar.inc(more as u64))
        })?;
        stream.update(&piece[..bytes]);
        Ok(bytes)
    }
}

/// Whether nobody wrote a file in between.
fn is_same(before: &Stat, after: &Stat) -> bool {
    let state = |s: &Stat| (s.st_size, s.st_mtime, s.st_mtime_nsec, s.st_ctime, s.st_ctime_nsec);
    state(before) == state(after)
}

/// Room to read into. It begins with a page: the system copies a third faster there.
struct Room {
    bytes: Vec<u8>,
    size: usize,
}

impl Room {
    fn new(size: usize) -> Room {
        Room { bytes: vec![0; size + PAGE], size }
    }

    fn all(&mut self) -> &mut [u8] {
        let start = self.bytes.as_ptr().align_offset(PAGE).min(PAGE);
        &mut self.bytes[start..][..self.size]
    }
}

/// Fills `room` from a place in a file, on all threads that are free. They take their shares in order,
/// so that the system sees one reader of the whole file. Short only at the file's end.
fn read_ahead(file: &File, room: &mut [u8], at: u64) -> io::Result<usize> {
    let mut shares: Vec<_> = room.chunks_mut(SHARE).map(|room| (room, Ok(0))).collect();
    rayon::in_place_scope_fifo(|scope| {
        for (i, (room, bytes)) in shares.iter_mut().enumerate() {
            let at = at + (i * SHARE) as u64;
            let read = move |room: &mut [u8], done| file.read_at(room, at + done as u64);
            scope.spawn_fifo(move |_| *bytes = fill(room, read));
        }
    });
    let mut total = 0;
    for (room, bytes) in shares {
        let bytes = bytes?;
        total += bytes;
        if bytes < room.len() {
            break; // the end; whatever a file that grows had further on comes too late
        }
    }
    Ok(total)
}

/// Hashes `size` bytes of a file from a map of them, on all free threads, and returns how many: none
/// where files can't be mapped.
#[allow(unsafe_code, reason = "there is no safe map of a file")]
fn map(stream: &mut dyn Absorb, file: &File, at: u64, size: u64, bar: &ProgressBar) -> u64 {
    let Ok(bytes) = usize::try_from(size) else { return 0 };
    // SAFETY: no system promises that nobody changes the file meanwhile. Whoever gives --mmap is told so:
    // bytes that change give some tag or other, and a file cut short ends the program (SIGBUS).
    let map = unsafe { MmapOptions::new().offset(at).len(bytes).map(file) };
    let Ok(map) = map else { return 0 };
    for step in map.chunks(STEP) {
        stream.update_rayon(step);
        bar.inc(step.len() as u64);
    }
    size
}

/// [`in_tree`] with one file.
pub fn alone<R: Send>(
    speed: Speed,
    tree: &Tree,
    work: impl Fn(&mut Reader<'_>) -> Result<R> + Sync,
) -> Result<R> {
    let mut outcome = None;
    let work = |(): &(), reader: &mut Reader<'_>| work(reader);
    in_tree(speed, tree, &[()], work, |(), done| {
        outcome = Some(done?);
        Ok(())
    })?;
    outcome.context("nothing was read")
}

/// Runs `work` on all items, several at once, and hands the results to `sink` in the order of the
/// items. Their names lead from `tree`.
pub fn in_tree<'i, T: Sync, R: Send>(
    speed: Speed,
    tree: &Tree,
    items: &'i [T],
    work: impl Fn(&'i T, &mut Reader<'_>) -> R + Sync,
    mut sink: impl FnMut(&'i T, R) -> Result<()>,
) -> Result<()> {
    let cores = available_parallelism().map_or(1, NonZero::get);
    let threads = speed.threads.map_or(cores, usize::from).min(cores.max(4) * PER_CORE);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    let pool = pool.context("can't start threads")?;
    let (threads, left) = (pool.current_num_threads(), AtomicUsize::new(items.len()));
    let crew = Crew { threads, tree, left, ahead: Mutex::default(), speed };
    let todo = AtomicUsize::new(0);
    let (sender, results) = mpsc::channel();
    pool.in_place_scope(|scope| {
        // Not a parallel iterator: waiting for its part of a big file, a thread would take up another
        // thread's share of the items, and lose it.
        let (crew, work, todo) = (&crew, &work, &todo);
        scope.spawn_broadcast(move |_, _| {
            let mut reader = Reader { crew, piece: Room::new(PIECE) };
            loop {
                let i = todo.fetch_add(1, Ordering::Relaxed);
                let Some(item) = items.get(i) else { break };
                let result = work(item, &mut reader);
                crew.left.fetch_sub(1, Ordering::Relaxed);
                // A closed channel means that the sink failed: no need to go on.
                if sender.send((i, result)).is_err() {
                    break;
                }
            }
        });
        let mut early = BTreeMap::new();
        let mut next = 0;
        while let Ok(first) = results.recv() {
            for (i, result) in std::iter::once(first).chain(results.try_iter()) {
                early.insert(i, result);
                while let Some(result) = early.remove(&next) {
                    sink(&items[next], result)?;
                    next += 1;
                }
            }
            // Readers need not wake somebody up for each file.
            if next < items.len() {
                std::thread::sleep(PAUSE);
            }
        }
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::OpenOptions;
    use std::io::Write;
    use std::path::PathBuf;

    /// Writes to the file that it gets the bytes of.
    struct Meddler {
        path: PathBuf,
        grows: bool,
    }

    impl Absorb for Meddler {
        fn update(&mut self, _: &[u8]) {
            let mut options = OpenOptions::new();
            if self.grows {
                options.append(true).open(&self.path).unwrap().write_all(b"more").unwrap();
            } else {
                options.write(true).open(&self.path).unwrap().write_all(b"else").unwrap();
            }
        }

        fn update_rayon(&mut self, piece: &[u8]) {
            self.update(piece);
        }
    }

    #[test]
    fn a_file_that_changes_while_it_is_read_is_an_error() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("file");
        let sizes = [1, PIECE, 3 * PIECE + 1, BIG as usize + 1];
        for (size, grows) in sizes.iter().flat_map(|size| [(size, false), (size, true)]) {
            std::fs::write(&path, vec![7; *size]).unwrap();
            let speed = Speed { threads: Some(1), mmap: false };
            let fed = alone(speed, &Tree::typed(false), |reader| {
                let mut meddler = Meddler { path: path.clone(), grows };
                reader.feed(&mut meddler, path.as_os_str(), &ProgressBar::hidden())
            });
            let error = fed.unwrap_err();
            assert_eq!(
                error.to_string(),
                "it changed while it was read: run this again",
                "{size} bytes"
            );
        }
    }
}
