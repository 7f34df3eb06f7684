//! Typed keys, as programs have them, in every way to a tag: `names` compares a typed key with keys by name and with the
//! functions for C, `sessions` a tag with all that a session does, and `batches` a batch with the calls that it replaces,
//! than which it should never be slower.

use crate::engine::{Engine, Group, secret};
use crate::engines;
use crate::speeds::Note;
use crate::timing::messages::{Messages, Mix, Mode, STARTS, Size};
use crate::timing::rounds::{Cell, Place, Work, number};
use crate::typed::{self, Typed};
use std::cell::RefCell;
use std::hint::black_box;
use std::rc::Rc;
use std::sync::{Barrier, Mutex};
use std::time::{Duration, Instant};
use wegman::session::{Budget, Link, Receiver, Role, Sender, SharedSender};
use wegman::{Cpu, Tag, umac};

/// What `names` tags.
pub const NAMED: &[Size] = {
    use Size::Bytes;
    &[Bytes(16), Bytes(43), Bytes(64), Bytes(256), Bytes(1500), Size::Mix(Mix::Uniform)]
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
/// How far apart they begin: no power of two, or all would crowd into the same lines of the cache.
const STRIDE: usize = LONG + 64;

/// The same tags by other code.
fn by_streams<K: Typed<N>, const N: usize>() -> impl Fn(u64, &[u8]) -> u128 + Clone + use<K, N> {
    engines::by_streams(&wegman_catalogue::find(K::NAME).expect("the catalogue has it"))
}

/// The engine of a typed key's tags, of single messages and of batches.
fn typed<K: Typed<N>, const N: usize>(
    name: &str,
    from: &str,
    right: impl Fn(u64, &[u8]) -> u128 + 'static,
) -> Engine {
    let [one, many] = [(); 2].map(|()| K::from_secret(secret::<16>()));
    let tag = move |n, message: &[u8]| number(&one.tag(n, message).to_bytes());
    let batches = move |messages: &[&[u8]], in_a_batch, calls| {
        let (messages, mut tags) = (black_box(messages), vec![Tag::from([0; N]); in_a_batch]);
        let mut sum = 0_u128;
        for call in 0..calls {
            many.tag_many(black_box(call * in_a_batch as u64), messages, &mut tags);
            sum = tags.iter().fold(sum, |sum, tag| sum.wrapping_add(number(&tag.to_bytes())));
        }
        sum
    };
    let engine = Engine::new(Group::NoNonce, [name, K::row(), from], tag);
    engine.summed_by(right).in_batches(Box::new(batches))
}

/// The ways to a tag of each MAC that has a typed key.
pub fn names() -> Vec<Cell> {
    let mut cells = Vec::new();
    typed::each!(by_names(Messages::new(1500, Mode::Single, 0), &mut cells));
    cells
}

fn by_names<K: Typed<N>, const N: usize>(messages: &'static Messages, cells: &mut Vec<Cell>) {
    let kernel = K::row();
    let found = wegman_catalogue::find(K::NAME).expect("the catalogue has it");
    let c = K::through_c(kernel, secret());
    let c = move |n, m: &[u8]| number(&c(n, m).to_bytes());
    let mut by_name = engines::listed(found, Cpu::detect());
    by_name.origin = "tag_into".into();
    let c = Engine::new(Group::NoNonce, [K::NAME, kernel, "C"], c).summed_by(by_streams::<K, N>());
    let engines = [typed::<K, N>(K::NAME, "typed key", by_streams::<K, N>()), by_name, c];
    let engines = engines.map(Rc::new);
    let section = format!("{} ({kernel})", K::NAME);
    for &size in NAMED {
        for engine in &engines {
            cells.push(engine.cell(&section, messages, Mode::Single, size).beside("typed key"));
        }
    }
}

/// A tag alone, and all that a session does, of four MACs.
pub fn sessions() -> Vec<Cell> {
    let messages = Messages::new(1500, Mode::Single, 0);
    let mut cells = Vec::new();
    for &size in SEALED {
        typed::each!(in_sessions(messages, size, &mut cells));
    }
    cells
}

fn in_sessions<K: Typed<N>, const N: usize>(
    messages: &'static Messages,
    size: Size,
    cells: &mut Vec<Cell>,
) {
    let key = || K::from_secret(secret::<16>());
    let end = |role| Link::<K>::new(secret(), b"lab", role);
    let ends = || (end(Role::Initiator), end(Role::Responder));
    let receiver = || -> Receiver<K> { Receiver::new(key(), 1, Budget::log_only(40)) };
    // All calls go well; that the tags are right is what opening them shows.
    macro_rules! way {
        ($way:literal, $state:expr, $step:expr) => {{
            let section = "the tag alone, and what a session does besides";
            let row = [K::NAME, K::row(), $way];
            let place = Place::new(section, row, Mode::Single.name(), size);
            let (work, expected) = (work(messages, size, $state, $step), Box::new(u128::from));
            cells.push(Cell { place, work, expected, messages: 1 }.beside("tag"));
        }};
    }
    way!("tag", (key(), 0), |(key, count), message| {
        *count += 1;
        Some(Typed::tag(key, *count, message))
    });
    way!("Sender::seal", Sender::new(key(), 1), |sender, message| sender.seal(message).ok());
    let both = (Sender::new(key(), 1), receiver());
    way!("and Receiver::open", both, |(sender, receiver), message| {
        let (number, tag) = sender.seal(message).ok()?;
        receiver.open(number, message, &tag).ok().map(drop)
    });
    way!("Sealer::seal", ends(), |(alice, _), message| alice.sealer.seal(&[message]).ok());
    way!("and Opener::open", ends(), |(alice, bob), message| {
        let (header, tag) = alice.sealer.seal(&[message]).ok()?;
        bob.opener.open(header, &[message], &tag).ok().map(drop)
    });
    // The first part of a message in two has 12 bytes.
    way!("tag_parts, two", (key(), 0), |(key, count), message| {
        *count += 1;
        let parts: [&[u8]; 2] = message.split_at(12).into();
        Some(Typed::tag_parts(key, *count, &parts))
    });
    way!("Link, two parts", ends(), |(alice, bob), message| {
        let parts: [&[u8]; 2] = message.split_at(12).into();
        let (header, tag) = alice.sealer.seal(&parts).ok()?;
        bob.opener.open(header, &parts, &tag).ok().map(drop)
    });
}

/// Makes so many calls and returns how many went well. The state is kept from one call to the next, so that numbers go
/// on.
fn work<S: 'static, T>(
    messages: &'static Messages,
    size: Size,
    state: S,
    step: impl Fn(&mut S, &[u8]) -> Option<T> + 'static,
) -> Work {
    let state = RefCell::new(state);
    Box::new(move |calls| {
        let mut state = state.borrow_mut();
        let state = black_box(&mut *state);
        let starts = messages.starts(size);
        // A tag is handed out, so that it has to be made.
        let done = |call| black_box(step(state, starts[(call % STARTS) as usize])).is_some();
        (0..calls).map(done).map(u128::from).sum()
    })
}

/// Messages of 64 bytes that threads seal under one counter, each way three times; the best counts.
pub fn shared(time: Duration) -> Note {
    let sender = || Sender::new(umac::Key::<8>::new(secret()), 1);
    let line = |threads| {
        let (shared, mutex) = (SharedSender::new(sender()), Mutex::new(sender()));
        let rates = [(); 3].map(|()| {
            let seal = || shared.seal(&[7; 64]).ok().map(|(_, tag)| tag);
            let locked = || mutex.lock().ok()?.seal(&[7; 64]).ok().map(|(_, tag)| tag);
            [rate(threads, time / 12, seal), rate(threads, time / 12, locked)]
        });
        let best = |way: usize| rates.iter().map(|rates| rates[way]).fold(0.0, f64::max);
        let (shared, mutex) = (best(0), best(1));
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

/// Every batch, the cells of a number of messages together.
pub fn batches(numbers: &[usize]) -> Vec<Vec<Cell>> {
    let room = Messages::new(64 * STRIDE, Mode::Single, 0).get(0, 64 * STRIDE);
    let mut groups = Vec::new();
    typed::each!(in_batches(room, numbers, &mut groups));
    groups
}

fn in_batches<K: Typed<N>, const N: usize>(
    room: &'static [u8],
    numbers: &[usize],
    groups: &mut Vec<Vec<Cell>>,
) {
    let mix = Mix::Imix.turn();
    for &number in numbers {
        let mut group = Vec::new();
        let mut add = |size: Size, what: &str, length: &dyn Fn(usize) -> usize| {
            let batch = (0..number).map(|i| &room[i * STRIDE..][..length(i)]);
            let batch: Vec<&[u8]> = batch.collect();
            group.extend(ways_of_a_batch::<K, N>(size, what, &batch, by_streams::<K, N>()));
        };
        let what = format!("batches of {number}");
        for length in LENGTHS {
            add(length.into(), &what, &|_| length);
        }
        add(Size::Mix(Mix::Imix), &what, &|i| mix[i].into());
        let one_long = format!("{number}, one of {LONG} B");
        add(SHORT.into(), &one_long, &|i| if i == number / 2 { LONG } else { SHORT });
        groups.push(group);
    }
}

/// A batch in four ways: one call each and all at once, tagged and verified. The right tags are those of other code.
fn ways_of_a_batch<K: Typed<N>, const N: usize>(
    size: Size,
    what: &str,
    batch: &[&'static [u8]],
    right: impl Fn(u64, &[u8]) -> u128 + Clone + 'static,
) -> [Cell; 4] {
    let row = K::row();
    let in_a_batch = batch.len() as u64;
    let [verifier, verifier_of_many] = [(); 2].map(|()| K::from_secret(secret::<16>()));
    let packet = |count: u64, message: &'static [u8], wrong: u128| {
        let tag = (right(count, message) ^ wrong).to_le_bytes();
        K::packet(count, message, Tag::from(*tag.first_chunk().expect("no tag is longer")))
    };
    let (forged, mut valid) = ([packet(0, batch[0], 1)], [true]);
    assert!(!verifier_of_many.verify_many(&forged, &mut valid) && !valid[0]);
    assert!(!verifier.verify(&forged[0]));
    // Of two batches in a row: if the number of messages is odd, the second begins inside a block of pads.
    let packets = || -> Vec<K::Packet<'static>> {
        let messages = (0..).zip(batch.iter().chain(batch));
        messages.map(|(count, message)| packet(count, message, 0)).collect()
    };
    let (singly, at_once) = (packets(), packets());
    let verify = move |calls| {
        let packets = black_box(&singly).iter().cycle().take((calls * in_a_batch) as usize);
        packets.map(|packet| u128::from(verifier.verify(packet))).sum()
    };
    let verify_many = move |calls| {
        let mut valid = vec![false; in_a_batch as usize];
        let mut sum = 0;
        for (_, batch) in (0..calls).zip(at_once.chunks(valid.len()).cycle()) {
            verifier_of_many.verify_many(black_box(batch), &mut valid);
            sum += valid.iter().map(|&valid| u128::from(valid)).sum::<u128>();
        }
        sum
    };
    let section = format!("{} ({row})", K::NAME);
    let tagged = |way, mode| {
        let engine = Rc::new(typed::<K, N>(what, way, right.clone()));
        let mut cell = engine.over(&section, batch.to_vec(), batch.len(), mode, size);
        cell.place.mode = Mode::Batch.name();
        cell.beside("tag")
    };
    let verified = |way, work: Work| {
        let place = Place::new(&section, [what, row, way], Mode::Batch.name(), size);
        let expected = Box::new(move |calls| u128::from(calls * in_a_batch));
        Cell { place, work, expected, messages: in_a_batch }.beside("verify")
    };
    [
        tagged("tag", Mode::Single),
        tagged("tag_many", Mode::Batch),
        verified("verify", Box::new(verify)),
        verified("verify_many", Box::new(verify_many)),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::speeds;
    use crate::timing::measure::Clock;

    #[test]
    fn every_name_makes_the_same_tags() {
        let cells = names();
        assert_eq!(cells.len(), 4 * 3 * NAMED.len());
        for cell in cells {
            assert_eq!((cell.work)(2), (cell.expected)(2), "{}", cell.place);
            assert_ne!((cell.work)(1), (cell.expected)(2), "{}", cell.place);
        }
    }

    #[test]
    fn everything_that_sessions_measures_goes_well() {
        let cells = sessions();
        assert_eq!(cells.len(), 7 * 4 * SEALED.len());
        for cell in cells {
            assert_eq!(((cell.work)(3), (cell.work)(5)), (3, 5), "{}", cell.place);
        }
        assert_eq!(shared(Duration::ZERO).lines.len(), 2);
    }

    #[test]
    fn a_run_has_every_batch() {
        let groups = batches(&[1, 3, 17]);
        assert_eq!(groups.len(), 4 * 3);
        assert!(groups.iter().all(|group| group.len() == 4 * (LENGTHS.len() + 2)));
        let speeds = speeds::run(&Clock::start(), groups, Duration::ZERO).unwrap();
        let compared = speeds.results.iter().filter(|speed| speed.times.is_some());
        assert_eq!(compared.count(), speeds.results.len() / 2);
    }

    #[test]
    fn wrong_tags_show() {
        type Key = umac::Key<8>;
        let all = |wrong: u128| {
            let right = by_streams::<Key, 8>();
            let tag = move |count, message: &[u8]| right(count, message) ^ wrong;
            ways_of_a_batch::<Key, 8>(Size::Bytes(1), "a batch", &[b"a", b"b", b"c"], tag)
        };
        for wrong in [0, 2] {
            for cell in all(wrong) {
                assert_eq!((cell.work)(3) == (cell.expected)(3), wrong == 0, "{}", cell.place);
            }
        }
    }
}
