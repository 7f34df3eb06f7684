//! Typed keys, as programs have them, in every way to a tag: `names` compares a typed key with keys by name and with the
//! functions for C, `sessions` a tag with all that a session does, and `batches` a batch with the calls that it replaces,
//! than which it should never be slower.

use crate::engine::{Engine, Group, Way};
use crate::speeds::{Job, Note, Place};
use crate::timing::messages::{Messages, Mode, STARTS, Size};
use crate::timing::number::number;
use crate::timing::ours::{self, SECRET};
use crate::timing::rounds::{Cell, Work};
use crate::typed::{self, Typed};
use std::cell::RefCell;
use std::hint::black_box;
use std::rc::Rc;
use std::sync::{Barrier, Mutex};
use std::time::{Duration, Instant};
use wegman::session::{Budget, Link, LinkKey, Receiver, Role, Sender, SharedSender};
use wegman::{Cpu, Tag, umac};

/// What `names` tags.
pub const NAMED: &[Size] = {
    use Size::Bytes;
    &[Bytes(16), Bytes(43), Bytes(64), Bytes(256), Bytes(1500), Size::Uniform]
};

/// What `sessions` seals and opens.
pub const SEALED: &[Size] = &[Size::Bytes(64), Size::Bytes(256), Size::Bytes(1500)];

/// Numbers of messages in the batches of `batches`.
pub const NUMBERS: [usize; 19] =
    [1, 2, 3, 4, 5, 7, 8, 9, 12, 15, 16, 17, 24, 31, 32, 33, 48, 63, 64];
/// The lengths of their messages; there are a mix and a long message among short ones, too.
const LENGTHS: [usize; 10] = [0, 16, 43, 64, 100, 256, 512, 1024, 1500, LONG];
const LONG: usize = 4096;
const SHORT: usize = 43;

/// Room for the largest batch.
pub fn messages_of_batches() -> Messages {
    Messages::in_batches_of(64, LONG)
}

/// A group of jobs.
type Jobs<'m> = Vec<Job<'m>>;

fn secret() -> &'static [u8; 16] {
    SECRET.first_chunk().expect("32 bytes")
}

/// The best row that a key has here.
fn best<K: Typed<N>, const N: usize>() -> (&'static str, Cpu) {
    *K::rows(Cpu::detect()).last().expect("there is a portable row")
}

/// The ways to a tag of each MAC that has a typed key.
pub fn names(messages: &Messages) -> Jobs<'_> {
    fn of<'m, K: Typed<N>, const N: usize>(messages: &'m Messages, jobs: &mut Jobs<'m>) {
        let (kernel, cpu) = best::<K, N>();
        let found = wegman_catalogue::find(K::NAME).expect("the catalogue has it");
        let (typed, c) = (K::on(cpu, secret()), K::through_c(kernel, secret()));
        let mut by_name = ours::engine(found.clone(), cpu);
        by_name.origin = "tag_into".into();
        let way = |from: &str, way: Box<dyn Way>| {
            let engine = Engine::new(Group::NoNonce, K::NAME, kernel, from, way);
            engine.summed_by(ours::by_streams(&found))
        };
        let engines = [
            way("typed key", Box::new(move |n, m: &[u8]| number(&typed.tag(n, m).to_bytes()))),
            by_name,
            way("C", Box::new(move |n, m: &[u8]| number(&c(n, m).to_bytes()))),
        ];
        let engines = engines.map(Rc::new);
        for &size in NAMED {
            jobs.extend(engines.iter().map(|engine| {
                let section = format!("{} ({kernel})", K::NAME);
                let place = Place::new(section, engine, Mode::Single, size).beside("typed key");
                (place, engine.cell(messages, Mode::Single, size))
            }));
        }
    }
    let mut jobs = Vec::new();
    typed::each!(of(messages, &mut jobs));
    jobs
}

/// A tag alone, and all that a session does, of four MACs.
pub fn sessions(messages: &Messages) -> Jobs<'_> {
    let mut jobs = Vec::new();
    for &size in SEALED {
        typed::each!(in_sessions(messages, size, &mut jobs));
    }
    jobs
}

fn in_sessions<'m, K: Typed<N> + LinkKey, const N: usize>(
    messages: &'m Messages,
    size: Size,
    jobs: &mut Jobs<'m>,
) {
    let key = || K::from_secret(&SECRET[..K::KEY_BYTES]);
    let end = |role| Link::<K>::new(SECRET.first_chunk().expect("32 bytes"), b"lab", role);
    let ends = || (end(Role::Initiator), end(Role::Responder));
    let receiver = || -> Receiver<K> { Receiver::new(key(), 1, Budget::log_only(40)) };
    // The first part of a message in two has 12 bytes.
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
            let parts: [&[u8]; 2] = message.split_at(12).into();
            Some(Typed::tag_parts(key, *count, &parts))
        }),
        work(messages, size, "Link, two parts", ends(), |(alice, bob), message| {
            let parts: [&[u8]; 2] = message.split_at(12).into();
            let (header, tag) = alice.seal(&parts).ok()?;
            bob.open(header, &parts, &tag).ok().map(drop)
        }),
    ];
    jobs.extend(works.into_iter().map(|(way, work): (&str, Work<'m>)| {
        let section = "the tag alone, and what a session does besides";
        let row = [K::NAME, key().kernel(), way];
        let place = Place::at(section, row, Mode::Single.name(), size).beside("tag");
        // All calls go well; that the tags are right is what opening them shows.
        let label = format!("{} of {size} bytes, {way}", K::NAME);
        (place, Cell { label, work, expected: Box::new(u128::from), messages: 1 })
    }));
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
        let starts: [&[u8]; STARTS as usize] =
            std::array::from_fn(|i| messages.get(i as u64, size.longest()));
        let starts = black_box(starts);
        // A tag is handed out, so that it has to be made.
        let done = |call| black_box(step(state, starts[(call % STARTS) as usize])).is_some();
        (0..calls).map(done).map(u128::from).sum()
    };
    (way, Box::new(work))
}

/// Messages of 64 bytes that threads seal under one counter, each way three times in turn; the best counts.
pub fn shared(time: Duration) -> Note {
    let sender = || Sender::new(umac::Key::<8>::new(secret()), 1);
    let line = |threads| {
        let mut best = [0.0_f64; 2];
        for _ in 0..3 {
            let (shared, mutex) = (SharedSender::new(sender()), Mutex::new(sender()));
            let seal = || shared.seal(&[7; 64]).ok().map(|(_, tag)| tag);
            best[0] = best[0].max(rate(threads, time / 12, seal));
            let seal = || mutex.lock().ok()?.seal(&[7; 64]).ok().map(|(_, tag)| tag);
            best[1] = best[1].max(rate(threads, time / 12, seal));
        }
        let [shared, mutex] = best;
        format!("threads: {threads}; SharedSender {shared:.1}, a Sender in a Mutex {mutex:.1}")
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

/// Every batch, the jobs of a number of messages together.
///
/// # Errors
/// A text that names the batch, if an answer was wrong.
pub fn batches<'m>(messages: &'m Messages, numbers: &[usize]) -> Result<Vec<Jobs<'m>>, String> {
    let mut groups = Vec::new();
    typed::each!(in_batches(messages, numbers, &mut groups)?);
    Ok(groups)
}

fn in_batches<'m, K: Typed<N>, const N: usize>(
    messages: &'m Messages,
    numbers: &[usize],
    groups: &mut Vec<Jobs<'m>>,
) -> Result<(), String> {
    let (places, mix) = (messages.batch(LONG), messages.batches(Size::Imix).0);
    for &number in numbers {
        let batch = |length: &dyn Fn(usize) -> usize| -> Vec<&'m [u8]> {
            (0..number).map(|i| &places[i][..length(i)]).collect()
        };
        let what = format!("batches of {number}");
        let mut group = Vec::new();
        for length in LENGTHS {
            group.extend(jobs::<K, N>(Size::Bytes(length), &what, batch(&|_| length))?);
        }
        group.extend(jobs::<K, N>(Size::Imix, &what, batch(&|i| mix[i].len()))?);
        let one_long = batch(&|i| if i == number / 2 { LONG } else { SHORT });
        let what = format!("{number}, one of {LONG} B");
        group.extend(jobs::<K, N>(Size::Bytes(SHORT), &what, one_long)?);
        groups.push(group);
    }
    Ok(())
}

/// A batch in four ways.
fn jobs<'m, K: Typed<N>, const N: usize>(
    size: Size,
    what: &str,
    batch: Vec<&'m [u8]>,
) -> Result<Jobs<'m>, String> {
    let (row, cpu) = best::<K, N>();
    let label = format!("{} ({row}), {what}, {size} bytes", K::NAME);
    let case = Case::new(K::on(cpu, secret()), batch);
    let cells = Rc::new(case.map_err(|wrong| format!("{label}: {wrong}"))?).cells();
    let job = |(way, beside, cell): (&str, &str, Cell<'m>)| {
        let section = format!("{} ({row})", K::NAME);
        let place = Place::at(section, [what, row, way], Mode::Batch.name(), size).beside(beside);
        (place, Cell { label: format!("{label}, {way}"), ..cell })
    };
    Ok(cells.map(job).into())
}

/// A key, and the messages of a batch with the right tags of two batches in a row: if the number of messages is odd, one
/// of the two begins in the middle of a block of pads.
struct Case<'m, K: Typed<N>, const N: usize> {
    key: K,
    messages: Vec<&'m [u8]>,
    packets: [Vec<K::Packet<'m>>; 2],
    /// The sums of the tags.
    sums: [u64; 2],
    /// Counts the timed blocks.
    blocks: std::cell::Cell<u32>,
}

/// Does the work a few frames further down the stack. A store and a load some multiple of 4096 bytes apart disturb each
/// other, which may cost a short message half as much again; so no two blocks have their frames at the same place.
fn down<T>(frames: u32, work: &mut dyn FnMut() -> T) -> T {
    if frames == 0 {
        return work();
    }
    let room = black_box([0_u8; 208]);
    let answer = down(frames - 1, work);
    black_box(&room);
    answer
}

impl<'m, K: Typed<N>, const N: usize> Case<'m, K, N> {
    /// Finds the right tags by other code, and checks that a wrong one among them is found.
    fn new(key: K, messages: Vec<&'m [u8]>) -> Result<Self, String> {
        let count = messages.len();
        let other = ours::by_streams(&wegman_catalogue::find(K::NAME).expect("it is listed"));
        let (mut packets, mut sums) = ([Vec::new(), Vec::new()], [0; 2]);
        for (at, first) in [0, count as u64].into_iter().enumerate() {
            let number = |i: usize| first + i as u64;
            let tag = |i: usize| {
                let tag = other(number(i), messages[i]).to_le_bytes();
                Tag::from(*tag.first_chunk::<N>().expect("no tag is longer"))
            };
            let right: Vec<Tag<N>> = (0..count).map(tag).collect();
            let packet = |i: usize, tag| K::packet(number(i), messages[i], tag);
            packets[at] = (0..count).map(|i| packet(i, right[i])).collect();
            sums[at] = sum(&right);
            let bad = count / 2;
            let mut forged = right[bad].to_bytes();
            forged[bad % N] ^= 1;
            let genuine = std::mem::replace(&mut packets[at][bad], packet(bad, forged.into()));
            let mut valid = vec![true; count];
            let all = key.verify_many(&packets[at], &mut valid);
            let is_found = valid.iter().enumerate().all(|(i, &valid)| valid == (i != bad));
            if all || !is_found || key.verify(&packets[at][bad]) {
                return Err("a forgery accepted, or the other way round".into());
            }
            packets[at][bad] = genuine;
        }
        Ok(Case { key, messages, packets, sums, blocks: Default::default() })
    }

    /// Each way, and the one it is compared with.
    fn cells(self: Rc<Self>) -> [(&'static str, &'static str, Cell<'m>); 4] {
        let (sums, all) = (self.sums, [self.messages.len() as u64; 2]);
        let first = |case: &Self, at| black_box(at as u64 * case.messages.len() as u64);
        let tag = self.cell(sums, move |case, at, tags, _| {
            for ((number, message), tag) in (first(case, at)..).zip(&case.messages).zip(&mut *tags)
            {
                *tag = case.key.tag(number, message);
            }
            sum(tags)
        });
        let tag_many = self.cell(sums, move |case, at, tags, _| {
            case.key.tag_many(first(case, at), &case.messages, tags);
            sum(tags)
        });
        let verify = self.cell(all, |case, at, _, valid| {
            for (packet, valid) in black_box(&case.packets[at]).iter().zip(&mut *valid) {
                *valid = case.key.verify(packet);
            }
            count(valid)
        });
        let verify_many = self.cell(all, |case, at, _, valid| {
            case.key.verify_many(black_box(&case.packets[at]), valid);
            count(valid)
        });
        [
            ("tag", "tag", tag),
            ("tag_many", "tag", tag_many),
            ("verify", "verify", verify),
            ("verify_many", "verify", verify_many),
        ]
    }

    /// The cell of a way, with its answers for the two batches.
    fn cell(
        self: &Rc<Self>,
        answers: [u64; 2],
        way: impl Fn(&Self, usize, &mut [Tag<N>], &mut [bool]) -> u64 + 'm,
    ) -> Cell<'m> {
        let (case, count) = (Rc::clone(self), self.messages.len());
        let work = move |calls: u64| {
            let (mut tags, mut valid) = (vec![Tag::from([0; N]); count], vec![false; count]);
            case.blocks.set(case.blocks.get() + 1);
            let mut all = || {
                let one = |call| way(&case, call as usize % 2, &mut tags, &mut valid);
                (0..calls).map(one).fold(0, u64::wrapping_add)
            };
            down(case.blocks.get() % 17, &mut all).into()
        };
        let [even, odd] = answers;
        let expected = move |calls: u64| {
            even.wrapping_mul(calls.div_ceil(2)).wrapping_add(odd.wrapping_mul(calls / 2)).into()
        };
        let (work, expected) = (Box::new(work), Box::new(expected));
        Cell { label: String::new(), work, expected, messages: count as u64 }
    }
}

/// How many are valid.
fn count(valid: &[bool]) -> u64 {
    valid.iter().map(|&valid| u64::from(valid)).sum()
}

/// The sum of the tags' words, the second ones three times: a wrong tag shows, and a sum of long numbers would cost as
/// much as a part of a tag.
fn sum<const N: usize>(tags: &[Tag<N>]) -> u64 {
    let word = |tag: &Tag<N>, i: usize| {
        let bytes = tag.to_bytes();
        bytes.as_chunks().0.get(i).map_or(0, |word| u64::from_le_bytes(*word))
    };
    let [low, high] =
        [0, 1].map(|i| tags.iter().fold(0_u64, |sum, tag| sum.wrapping_add(word(tag, i))));
    low.wrapping_add(high.wrapping_mul(3))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::speeds;
    use crate::timing::measure::Clock;

    #[test]
    fn every_name_makes_the_same_tags() {
        let messages = Messages::new(NAMED, &[Mode::Single]);
        let jobs = names(&messages);
        assert_eq!(jobs.len(), 4 * 3 * NAMED.len());
        for (_, cell) in jobs {
            assert_eq!((cell.work)(2), (cell.expected)(2), "{}", cell.label);
            assert_ne!((cell.work)(1), (cell.expected)(2), "{}", cell.label);
        }
    }

    #[test]
    fn everything_that_sessions_measures_goes_well() {
        let messages = Messages::new(SEALED, &[Mode::Single]);
        let jobs = sessions(&messages);
        assert_eq!(jobs.len(), 7 * 4 * SEALED.len());
        for (_, cell) in jobs {
            assert_eq!(((cell.work)(3), (cell.work)(5)), (3, 5), "{}", cell.label);
        }
        assert_eq!(shared(Duration::ZERO).lines.len(), 2);
    }

    #[test]
    fn a_run_has_every_batch() {
        let messages = messages_of_batches();
        let groups = batches(&messages, &[1, 3, 17]).unwrap();
        assert_eq!(groups.len(), 4 * 3);
        assert!(groups.iter().all(|group| group.len() == 4 * (LENGTHS.len() + 2)));
        let speeds = speeds::run(&Clock::start(), groups, Duration::ZERO).unwrap();
        let compared = speeds.results.iter().filter(|speed| speed.times.is_some());
        assert_eq!(compared.count(), speeds.results.len() / 2);
    }

    #[test]
    fn a_wrong_key_shows() {
        let case = |secret| Case::new(umac::Key::<8>::new(secret), vec![b"a", b"b", b"c"]);
        assert!(case(secret()).is_ok() && case(b"another 16 bytes").is_err());
    }
}
