//! `wegman-bench sessions`: what a session costs beside the bare tag, and what one counter costs many threads.

use crate::progress::progress;
use serde::Serialize;
use std::cell::RefCell;
use std::fmt::Write as _;
use std::hint::black_box;
use std::sync::{Barrier, Mutex};
use std::time::{Duration, Instant};
use wegman::cipher::Aes128;
use wegman::session::{Budget, Link, LinkKey, Receiver, Role, Sender, SharedSender};
use wegman::{NonceOf, Tag, pmac, umac};
use wegman_carter::Carter128;
use wegman_timing::measure::Clock;
use wegman_timing::messages::{Messages, Mode, Size};
use wegman_timing::ours::SECRET;
use wegman_timing::report::{self, digits};
use wegman_timing::rounds::{self, Cell};

/// What is sealed and opened.
const SIZES: [Size; 3] = [Size::Bytes(64), Size::Bytes(256), Size::Bytes(1500)];

/// The first part of a message in two.
const HEAD: usize = 12;

/// One message size of one MAC: core cycles, or nanoseconds where cycles are not known.
#[derive(Serialize)]
pub struct Session {
    /// The MAC.
    pub algorithm: &'static str,
    /// What is sealed.
    pub length: Size,
    /// The tag alone, by `tag` of the typed key.
    pub tag: f64,
    /// `Sender::seal`.
    pub seal: f64,
    /// `Sender::seal` and `Receiver::open`.
    pub seal_open: f64,
    /// `Link::seal`.
    pub link_seal: f64,
    /// `Link::seal` and `Link::open`.
    pub link: f64,
    /// The tag of a message in two parts, by `tag_parts` of the typed key.
    pub parts_tag: f64,
    /// `Link::seal` and `Link::open` of a message in two parts.
    pub parts_link: f64,
    /// The largest interquartile range of these, divided by its median.
    pub spread: f64,
}

/// Messages of a size that threads seal under one counter, in millions a second.
#[derive(Serialize)]
pub struct Shared {
    /// How many threads.
    pub threads: usize,
    /// `SharedSender`.
    pub shared: f64,
    /// A `Mutex` around a `Sender`.
    pub mutex: f64,
}

/// What was measured.
pub struct Sessions {
    clock_ghz: Option<f64>,
    all: Vec<Session>,
    shared: Vec<Shared>,
}

/// The ways of [`Session`], in its order.
const WAYS: usize = 7;

/// A work for each way: makes so many calls and returns how many went well.
type Works<'a> = [Box<dyn Fn(u64) -> u128 + 'a>; WAYS];

/// A work that keeps its state from one call to the next, so that numbers go on.
fn work<'a, S: 'a, T>(
    messages: &'a Messages,
    size: Size,
    state: S,
    step: impl Fn(&mut S, &[u8]) -> Option<T> + 'a,
) -> Box<dyn Fn(u64) -> u128 + 'a> {
    let state = RefCell::new(state);
    Box::new(move |calls| {
        let mut state = state.borrow_mut();
        let state = black_box(&mut *state);
        let starts: [&[u8]; 8] = std::array::from_fn(|i| messages.get(i as u64, size.longest()));
        let starts = black_box(starts);
        let mut well = 0;
        for call in 0..calls {
            // A tag is handed out, so that it has to be made.
            let done = black_box(step(state, starts[(call % 8) as usize]));
            well += u128::from(done.is_some());
        }
        well
    })
}

fn works<'a, K: LinkKey + 'a>(
    messages: &'a Messages,
    size: Size,
    tag: impl Fn(&K, u64, &[u8]) -> K::Tag + 'a,
    tag_parts: impl Fn(&K, u64, &[&[u8]]) -> K::Tag + 'a,
) -> Works<'a> {
    let key = || K::from_secret(&SECRET[..K::KEY_BYTES]);
    let ends = || {
        let end = |role| Link::<K>::new(SECRET.first_chunk().expect("32 bytes"), b"lab", role);
        (end(Role::Initiator), end(Role::Responder))
    };
    let receiver = || -> Receiver<K> { Receiver::new(key(), 1, Budget::log_only(40)) };
    [
        work(messages, size, (key(), 0), move |(key, count), message| {
            *count += 1;
            Some(tag(key, *count, message))
        }),
        work(messages, size, Sender::new(key(), 1), |sender, message| {
            sender.seal(message).ok().map(|(_, tag)| tag)
        }),
        work(messages, size, (Sender::new(key(), 1), receiver()), |(sender, receiver), message| {
            let (number, tag) = sender.seal(message).ok()?;
            receiver.open(number, message, &tag).ok().map(|_| ())
        }),
        work(messages, size, ends(), |(alice, _), message| {
            alice.seal(&[message]).ok().map(|(_, tag)| tag)
        }),
        work(messages, size, ends(), |(alice, bob), message| {
            let (header, tag) = alice.seal(&[message]).ok()?;
            bob.open(header, &[message], &tag).ok().map(|_| ())
        }),
        work(messages, size, (key(), 0), move |(key, count), message| {
            *count += 1;
            let (head, rest) = message.split_at(HEAD);
            Some(tag_parts(key, *count, &[head, rest]))
        }),
        work(messages, size, ends(), |(alice, bob), message| {
            let (head, rest) = message.split_at(HEAD);
            let (header, tag) = alice.seal(&[head, rest]).ok()?;
            bob.open(header, &[head, rest], &tag).ok().map(|_| ())
        }),
    ]
}

/// The works of all MACs at all sizes.
fn all(messages: &Messages) -> Vec<(&'static str, Size, Works<'_>)> {
    let mut all = Vec::new();
    for size in SIZES {
        all.push((
            "UMAC-64",
            size,
            works::<umac::Key<8>>(
                messages,
                size,
                |key, count, message| key.tag(NonceOf::counter(count), message),
                |key, count, parts| key.tag_parts(NonceOf::counter(count), parts),
            ),
        ));
        all.push((
            "UMAC-128",
            size,
            works::<umac::Key<16>>(
                messages,
                size,
                |key, count, message| key.tag(NonceOf::counter(count), message),
                |key, count, parts| key.tag_parts(NonceOf::counter(count), parts),
            ),
        ));
        all.push((
            "Carter-128",
            size,
            works::<Carter128<Aes128, 12>>(
                messages,
                size,
                |key, count, message| key.tag(NonceOf::counter(count), message),
                |key, count, parts| key.tag_parts(NonceOf::counter(count), parts),
            ),
        ));
        all.push((
            "PMAC-AES128",
            size,
            works::<pmac::Key<Aes128, 16>>(
                messages,
                size,
                |key, _, message| key.tag(message),
                |key, _, parts| key.tag_parts(parts),
            ),
        ));
    }
    all
}

/// Measures all of them in turn, for about `time`, and then the counters.
pub fn run(clock: &Clock, time: Duration) -> Result<Sessions, String> {
    let messages = Messages::new(&SIZES, &[Mode::Single]);
    let (mut names, mut cells) = (Vec::new(), Vec::new());
    for (algorithm, size, works) in all(&messages) {
        names.push((algorithm, size));
        cells.extend(works.into_iter().enumerate().map(|(way, work)| Cell {
            label: format!("{algorithm} of {size} bytes, way {way}"),
            work,
            // All calls go well; that the tags are right is what opening them shows.
            expected: Box::new(u128::from),
            messages: 1,
        }));
    }
    let run = rounds::run(clock, &cells, time, progress)?;
    let session = |((algorithm, length), timings): (&(&'static str, Size), &[rounds::Timing])| {
        let of = |way: usize| timings[way].cycles.unwrap_or(timings[way].ns);
        let [tag, seal, seal_open, link_seal, link, parts_tag, parts_link] =
            std::array::from_fn(|way| of(way).median);
        let spread = (0..WAYS).map(|way| of(way).spread).fold(0.0, f64::max);
        let (algorithm, length) = (*algorithm, *length);
        Session {
            algorithm,
            length,
            tag,
            seal,
            seal_open,
            link_seal,
            link,
            parts_tag,
            parts_link,
            spread,
        }
    };
    let all = names.iter().zip(run.timings.chunks(WAYS)).map(session).collect();
    let shared = [1, 2].map(|threads| share(threads, time / 20)).into();
    Ok(Sessions { clock_ghz: run.clock_ghz, all, shared })
}

/// Threads that seal messages of 64 bytes under one counter, each way three times in turn; the best counts.
fn share(threads: usize, time: Duration) -> Shared {
    let key = || umac::Key::<8>::from_secret(&SECRET[..16]);
    let message = [7; 64];
    let mut best = [0.0_f64; 2];
    for _ in 0..3 {
        let shared = SharedSender::new(Sender::new(key(), 1));
        let seal = || shared.seal(&message).ok().map(|(_, tag)| tag);
        best[0] = best[0].max(rate(threads, time / 6, seal));
        let mutex = Mutex::new(Sender::new(key(), 1));
        let seal = || mutex.lock().ok()?.seal(&message).ok().map(|(_, tag)| tag);
        best[1] = best[1].max(rate(threads, time / 6, seal));
    }
    let [shared, mutex] = best;
    Shared { threads, shared, mutex }
}

/// How many million calls a second threads make together.
fn rate(threads: usize, time: Duration, seal: impl Fn() -> Option<Tag<8>> + Sync) -> f64 {
    const BLOCK: u64 = 1000;
    let barrier = Barrier::new(threads);
    let count = || {
        barrier.wait();
        let (began, mut calls) = (Instant::now(), 0_u64);
        while began.elapsed() < time {
            for _ in 0..BLOCK {
                let _ = black_box(seal()).expect("there are numbers");
            }
            calls += BLOCK;
        }
        calls as f64 / began.elapsed().as_secs_f64() / 1e6
    };
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..threads).map(|_| scope.spawn(count)).collect();
        threads.into_iter().map(|thread| thread.join().expect("no thread fails")).sum()
    })
}

/// For programs.
pub fn record(sessions: &Sessions) -> impl Serialize {
    serde_json::json!({
        "cpu": report::cpu_model(), "clock": sessions.clock_ghz, "results": sessions.all,
        "millions_of_seals_a_second": sessions.shared,
    })
}

/// For people.
pub fn table(sessions: &Sessions) -> String {
    let unit = if sessions.clock_ghz.is_some() { "cycles" } else { "ns" };
    let mut text = format!(
        "\na message, in {unit}: the tag alone, and what a session adds to it at each end\n\n\
         {:27}  Sender, Receiver      Link       in two parts, Link\n",
        ""
    );
    let _ = writeln!(
        text,
        "{:<13}{:>6}{:>8}{:>8}{:>8}{:>8}{:>8}{:>8}{:>8}{:>8}",
        "algorithm", "bytes", "tag", "seal", "open", "seal", "open", "tag", "each", "spread"
    );
    for session in &sessions.all {
        let Session { algorithm, length, tag, seal, link_seal, parts_tag, spread, .. } = session;
        let _ = writeln!(
            text,
            "{algorithm:<13}{length:>6}{:>8}{:>+8.1}{:>+8.1}{:>+8.1}{:>+8.1}{:>8}{:>+8.1}{:>6.1} %",
            digits(*tag),
            seal - tag,
            session.seal_open - seal - tag,
            link_seal - tag,
            session.link - link_seal - tag,
            digits(*parts_tag),
            session.parts_link / 2.0 - parts_tag,
            100.0 * spread
        );
    }
    text.push_str(
        "\nUMAC-64 of 64 bytes under one counter, in millions a second, all threads together\n",
    );
    for Shared { threads, shared, mutex } in &sessions.shared {
        let _ = writeln!(
            text,
            "{threads} thread{}: SharedSender {shared:.1}, a Sender in a Mutex {mutex:.1}",
            if *threads == 1 { "" } else { "s" }
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_that_is_measured_goes_well() {
        let messages = Messages::new(&SIZES, &[Mode::Single]);
        for (algorithm, size, works) in all(&messages) {
            for (way, work) in works.iter().enumerate() {
                assert_eq!((work(3), work(5)), (3, 5), "{algorithm}, {size}, {way}");
            }
        }
    }

    #[test]
    fn the_table_has_a_line_for_each() {
        let sessions = run(&Clock::start(), Duration::ZERO).unwrap();
        assert_eq!(table(&sessions).lines().count(), 5 + 4 * SIZES.len() + 4);
        assert!(table(&sessions).lines().all(|line| line.len() <= 100));
    }
}
