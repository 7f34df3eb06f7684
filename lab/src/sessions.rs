//! `wegman-bench sessions`: what a session costs beside the bare tag, and what one counter costs many threads.

use crate::speeds::{Job, Note, Place};
use crate::timing::messages::{Messages, Mode, Size};
use crate::timing::ours::SECRET;
use crate::timing::rounds::{Cell, Work};
use crate::typed::{self, Typed};
use std::cell::RefCell;
use std::hint::black_box;
use std::sync::{Barrier, Mutex};
use std::time::{Duration, Instant};
use wegman::session::{Budget, Link, LinkKey, Receiver, Role, Sender, SharedSender};
use wegman::{Tag, umac};

/// What is sealed and opened.
pub const SIZES: [Size; 3] = [Size::Bytes(64), Size::Bytes(256), Size::Bytes(1500)];

/// The first part of a message in two.
const HEAD: usize = 12;

/// A tag alone, and all that a session does, of four MACs.
pub fn jobs(messages: &Messages) -> Vec<Job<'_>> {
    let mut jobs = Vec::new();
    for size in SIZES {
        typed::each!(of(messages, size, &mut jobs));
    }
    jobs
}

fn of<'m, K: Typed<N> + LinkKey, const N: usize>(
    messages: &'m Messages,
    size: Size,
    jobs: &mut Vec<Job<'m>>,
) {
    let key = || K::from_secret(&SECRET[..K::KEY_BYTES]);
    let end = |role| Link::<K>::new(SECRET.first_chunk().expect("32 bytes"), b"lab", role);
    let ends = || (end(Role::Initiator), end(Role::Responder));
    let receiver = || -> Receiver<K> { Receiver::new(key(), 1, Budget::log_only(40)) };
    let works = [
        work(messages, size, "tag", (key(), 0), |(key, count), message| {
            *count += 1;
            Some(Typed::tag(key, *count, message))
        }),
        work(messages, size, "Sender::seal", Sender::new(key(), 1), |sender, message| {
            sender.seal(message).ok()
        }),
        work(
            messages,
            size,
            "and Receiver::open",
            (Sender::new(key(), 1), receiver()),
            |(sender, receiver), message| {
                let (number, tag) = sender.seal(message).ok()?;
                receiver.open(number, message, &tag).ok().map(drop)
            },
        ),
        work(messages, size, "Link::seal", ends(), |(alice, _), message| {
            alice.seal(&[message]).ok()
        }),
        work(messages, size, "and Link::open", ends(), |(alice, bob), message| {
            let (header, tag) = alice.seal(&[message]).ok()?;
            bob.open(header, &[message], &tag).ok().map(drop)
        }),
        work(messages, size, "tag_parts, two", (key(), 0), |(key, count), message| {
            *count += 1;
            let (head, rest) = message.split_at(HEAD);
            Some(Typed::tag_parts(key, *count, &[head, rest]))
        }),
        work(messages, size, "Link, two parts", ends(), |(alice, bob), message| {
            let (head, rest) = message.split_at(HEAD);
            let (header, tag) = alice.seal(&[head, rest]).ok()?;
            bob.open(header, &[head, rest], &tag).ok().map(drop)
        }),
    ];
    let job = |(way, work): (&str, Work<'m>)| {
        let section = "the tag alone, and what a session does besides";
        let row = [K::NAME, key().kernel(), way];
        let place = Place::at(section, row, Mode::Single.name(), size).beside("tag");
        // All calls go well; that the tags are right is what opening them shows.
        let label = format!("{} of {size} bytes, {way}", K::NAME);
        (place, Cell { label, work, expected: Box::new(u128::from), messages: 1 })
    };
    jobs.extend(works.into_iter().map(job));
}

/// A way, and its work: makes so many calls and returns how many went well. The state is kept from one call to the next,
/// so that numbers go on.
fn work<'a, S: 'a, T>(
    messages: &'a Messages,
    size: Size,
    way: &'static str,
    state: S,
    step: impl Fn(&mut S, &[u8]) -> Option<T> + 'a,
) -> (&'static str, Work<'a>) {
    let state = RefCell::new(state);
    let work = move |calls| {
        let mut state = state.borrow_mut();
        let state = black_box(&mut *state);
        let starts: [&[u8]; 8] = std::array::from_fn(|i| messages.get(i as u64, size.longest()));
        let starts = black_box(starts);
        // A tag is handed out, so that it has to be made.
        let done = |call| black_box(step(state, starts[(call % 8) as usize])).is_some();
        (0..calls).map(done).map(u128::from).sum()
    };
    (way, Box::new(work))
}

/// Messages of 64 bytes that threads seal under one counter, each way three times in turn; the best counts.
pub fn shared(time: Duration) -> Note {
    let key = || umac::Key::<8>::from_secret(&SECRET[..16]);
    let message = [7; 64];
    let line = |threads| {
        let mut best = [0.0_f64; 2];
        for _ in 0..3 {
            let shared = SharedSender::new(Sender::new(key(), 1));
            let seal = || shared.seal(&message).ok().map(|(_, tag)| tag);
            best[0] = best[0].max(rate(threads, time / 12, seal));
            let mutex = Mutex::new(Sender::new(key(), 1));
            let seal = || mutex.lock().ok()?.seal(&message).ok().map(|(_, tag)| tag);
            best[1] = best[1].max(rate(threads, time / 12, seal));
        }
        format!(
            "threads: {threads}; SharedSender {:.1}, a Sender in a Mutex {:.1}",
            best[0], best[1]
        )
    };
    let title = "UMAC-64 of 64 bytes under one counter, in millions a second, all threads together";
    Note { title, lines: [1, 2].map(line).into() }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_that_is_measured_goes_well() {
        let messages = Messages::new(&SIZES, &[Mode::Single]);
        let jobs = jobs(&messages);
        assert_eq!(jobs.len(), 7 * 4 * SIZES.len());
        for (_, cell) in jobs {
            assert_eq!(((cell.work)(3), (cell.work)(5)), (3, 5), "{}", cell.label);
        }
        assert_eq!(shared(Duration::ZERO).lines.len(), 2);
    }
}
