//! Every algorithm of ours by its name, with the definition of the oracle that checks it: those of the catalogue, on any row
//! of kernels, and the unlisted ones.

use crate::engine::{Batches, Engine, Group, OURS, SECRET, Way};
use crate::timing::messages::Size;
use crate::timing::rounds::{Cell, Place, number};
use crate::unlisted;
use std::hint::black_box;
use std::ops::Range;
use std::rc::Rc;
use std::sync::Arc;
use wegman::{Cpu, NonceOf};
use wegman_catalogue::{ALGORITHMS, Algorithm, AnyKey, AnyStream, AnyTag, Found, Nonce};
use wegman_reference::names;

/// Finds one of our algorithms by name, in the catalogue or among the unlisted ones, and adds its
/// definition. Every table that names its rows gets them here.
pub fn find(name: &str) -> Option<Rc<Engine>> {
    find_on(Cpu::detect(), name)
}

/// The same on the kernel that this `Cpu` gives it; unlisted ones have no choice.
pub fn find_on(cpu: Cpu, name: &str) -> Option<Rc<Engine>> {
    let listed = wegman_catalogue::find(name).map(|found| listed(found, cpu));
    let engine = listed.or_else(|| unlisted::find(name))?;
    Some(Rc::new(match definition(&engine.name) {
        Some(definition) => engine.checked_by(definition),
        None => engine,
    }))
}

/// The tag of message number `count` by the oracle, under the key that the engines have; `None` if it has none by this
/// name.
pub fn definition(name: &str) -> Option<impl Fn(u64, &[u8]) -> Vec<u8> + use<>> {
    let listed = wegman_catalogue::find(name);
    let secret = &SECRET[..listed.as_deref().map_or(SECRET.len(), |listed| listed.key_bytes)];
    let longest = listed.as_deref().map_or(usize::MAX, |listed| *listed.tag_bytes.end());
    let tag = names::find(name, secret)?;
    Some(move |count, message: &[u8]| {
        let nonce = listed.as_deref().and_then(|listed| listed.counter(count));
        let mut tag = tag(nonce.as_ref().map_or(&[], |nonce| nonce.as_bytes()), message);
        tag.truncate(longest);
        tag
    })
}

/// These engines on rows by their names, or on every row (`all`), for those that have a choice.
///
/// # Errors
/// The rows there are, if none of the engines has one of these here.
pub fn on_rows(engines: &[Rc<Engine>], rows: &[String]) -> Result<Vec<Rc<Engine>>, String> {
    let mut found = Vec::new();
    let mut known = Vec::new();
    for engine in engines {
        let Some(listed) = wegman_catalogue::find(&engine.name) else { continue };
        for (name, cpu) in listed.kernels(Cpu::detect()) {
            if rows.iter().any(|row| row == "all" || row.eq_ignore_ascii_case(name)) {
                found.extend(find_on(cpu, &engine.name));
            }
            if !known.contains(&name) {
                known.push(name);
            }
        }
    }
    let is_known =
        |row: &&String| *row == "all" || known.iter().any(|name| row.eq_ignore_ascii_case(name));
    rows.iter().find(|row| !is_known(row)).map_or(Ok(found), |row| {
        Err(format!("none of these has a row {row:?} here, only {}", known.join(", ")))
    })
}

/// The algorithms of ours that are compared with rivals, on the kernels that this `Cpu` gives them.
pub fn ours_on(cpu: Cpu) -> Vec<Rc<Engine>> {
    let names = "UMAC-32 UMAC-64 UMAC-96 UMAC-128 Carter-64 Carter-128 Polyval-AES PMAC-AES128";
    names.split(' ').map(|name| find_on(cpu, name).expect("the catalogue has it")).collect()
}

/// The names of the catalogue, and of all sections.
pub fn family() -> Vec<&'static str> {
    let names = unlisted::TITLES.iter().flat_map(|(_, names)| names.split(' '));
    ALGORITHMS.iter().map(|algorithm| algorithm.name.as_str()).chain(names).collect()
}

/// The title of an engine's section: in the catalogue, when to use it.
pub fn title(engine: &Engine) -> &'static str {
    let is_it = |(_, names): &&(_, &str)| names.split(' ').any(|name| name == engine.name);
    match wegman_catalogue::find(&engine.name) {
        Some(found) => found.status.name(),
        None => unlisted::TITLES.iter().find(is_it).map_or("others of ours", |(title, _)| title),
    }
}

/// A key of the catalogue, with room for tags of `ROOM` bytes. The loops are compiled for each usual length, because a
/// branch on the length after each tag would cost cycles that show for short messages.
#[derive(Clone)]
struct Ours<const ROOM: usize> {
    key: Arc<dyn AnyKey>,
    /// Bytes of a nonce, asked for once, since the calls are timed.
    nonce: Option<usize>,
    tag_bytes: usize,
}

impl<const ROOM: usize> Ours<ROOM> {
    /// How long a tag is: a constant where the room is made for it.
    fn tag_bytes(&self) -> usize {
        if ROOM == AnyTag::MAX { self.tag_bytes } else { ROOM }
    }

    fn batches(self, algorithm: Found) -> Batches {
        Box::new(move |messages, in_a_batch, calls| {
            let (key, bytes) = (black_box(&*self.key), self.tag_bytes());
            let mut tags = vec![0; in_a_batch * bytes];
            let (mut sum, mut count) = (0_u128, 0);
            for _ in 0..calls {
                for batch in messages.chunks_exact(in_a_batch) {
                    let first = algorithm.counter(count);
                    key.tags(first.as_ref(), batch, &mut tags).expect("nonces if it takes them");
                    for tag in tags.chunks_exact(bytes) {
                        sum = sum.wrapping_add(number(tag));
                    }
                    count += in_a_batch as u64;
                }
            }
            sum
        })
    }
}

/// A call of `tag_into` and next to nothing else.
impl<const ROOM: usize> Way for Ours<ROOM> {
    #[inline(always)]
    fn tag(&self, count: u64, message: &[u8]) -> u128 {
        let mut tag = [0; ROOM];
        let tag = &mut tag[..self.tag_bytes()];
        let done = match self.nonce {
            None => self.key.tag_into(None, message, tag),
            Some(12) => {
                self.key.tag_into(Some(&NonceOf::<12>::counter(count).into()), message, tag)
            }
            Some(_) => self.key.tag_into(Some(&Nonce::counter(count)), message, tag),
        };
        done.expect("a nonce if it takes one");
        number(tag)
    }
}

/// The key that the engines have.
fn key(algorithm: &Algorithm, cpu: Cpu) -> Arc<dyn AnyKey> {
    let tag_bytes = *algorithm.tag_bytes.end();
    algorithm.key(cpu, &SECRET[..algorithm.key_bytes], tag_bytes).expect("both lengths are its own")
}

/// What the catalogue has, with tags of its longest length, on the kernel that this `Cpu` gives it.
pub fn listed(algorithm: Found, cpu: Cpu) -> Engine {
    match *algorithm.tag_bytes.end() {
        4 => with_room::<4>(algorithm, cpu),
        8 => with_room::<8>(algorithm, cpu),
        12 => with_room::<12>(algorithm, cpu),
        16 => with_room::<16>(algorithm, cpu),
        _ => with_room::<{ AnyTag::MAX }>(algorithm, cpu),
    }
}

fn with_room<const ROOM: usize>(algorithm: Found, cpu: Cpu) -> Engine {
    let tag_bytes = *algorithm.tag_bytes.end();
    let nonce = algorithm.counter(0).map(|nonce| nonce.as_bytes().len());
    let ours = Ours::<ROOM> { key: key(&algorithm, cpu), nonce, tag_bytes };
    let group = match (nonce, tag_bytes) {
        (None, _) => Group::NoNonce,
        (Some(_), ..=8) => Group::ShortNonce,
        (Some(_), _) => Group::LongNonce,
    };
    let kernel = ours.key.kernel();
    Engine::by(group, [&algorithm.name, kernel, OURS], Box::new(ours.clone()))
        .summed_by(by_streams(&algorithm))
        .in_batches(ours.batches(algorithm))
}

/// The tag of a stream that has the message.
fn finished(stream: Box<dyn AnyStream + '_>, algorithm: &Algorithm, count: u64) -> u128 {
    let tag = stream.finish(algorithm.counter(count).as_ref());
    number(tag.expect("a nonce if it takes one").to_bytes())
}

/// The same tags by other code: the portable row, from a stream fed in two pieces.
pub fn by_streams(algorithm: &Found) -> impl Fn(u64, &[u8]) -> u128 + Clone + use<> {
    let (portable, algorithm) = (key(algorithm, Cpu::PORTABLE), algorithm.clone());
    move |count, message| {
        let mut stream = portable.stream();
        let (one, two) = message.split_at(message.len() / 3);
        stream.update(one);
        stream.update(two);
        finished(stream, &algorithm, count)
    }
}

/// The catalogue's algorithm with rayon's threads over each message.
pub fn on_threads(algorithm: Found) -> Engine {
    let (key, name) = (key(&algorithm, Cpu::detect()), algorithm.name.to_string());
    let (kernel, checked) = (key.kernel(), by_streams(&algorithm));
    let tag = move |count, message: &[u8]| {
        let mut stream = key.stream();
        stream.update_rayon(message);
        finished(stream, &algorithm, count)
    };
    Engine::new(Group::OneMessage, [&name, kernel, OURS], tag).summed_by(checked)
}

/// Keys made of one secret after another, to be timed, from the secret to the wiping of the key in the catalogue's box. The
/// answer is a tag under the last one, which costs next to nothing beside many keys.
pub fn setup(algorithm: Found, cpu: Cpu) -> Cell {
    let row = [&*algorithm.name, key(&algorithm, cpu).kernel(), OURS];
    let place = Place::new("a key", row, "key", Size::Bytes(0));
    // The tag is long enough for all keys of those that have several.
    let tag_under_last = move |cpu, numbers: Range<u64>| {
        let made = |count: u64| {
            let mut secret = *SECRET;
            secret.iter_mut().zip(count.to_le_bytes()).for_each(|(byte, change)| *byte ^= change);
            let key =
                algorithm.key(cpu, &secret[..algorithm.key_bytes], *algorithm.tag_bytes.end());
            black_box(key.expect("both lengths are its own"))
        };
        let last = numbers.end - 1;
        (numbers.start..last).for_each(|count| drop(made(count)));
        let tag = made(last).tag(algorithm.counter(last).as_ref(), &[7; 100]);
        number(tag.expect("a nonce if it takes one").to_bytes())
    };
    let again = tag_under_last.clone();
    let work = Box::new(move |calls| tag_under_last(cpu, 0..calls));
    let expected = Box::new(move |calls| again(Cpu::PORTABLE, calls - 1..calls));
    Cell { place, work, expected, messages: 1 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rivals;
    use crate::speeds;
    use crate::timing::measure::Clock;
    use crate::timing::messages::{Messages, Mode};
    use crate::timing::rounds;
    use std::collections::BTreeSet;
    use std::time::Duration;

    #[test]
    fn every_rival_is_right_where_lengths_are_awkward() {
        let message: Vec<u8> = (0..3000).map(|i| (i * i / 7) as u8).collect();
        for engine in rivals::all(None).engines {
            for length in [0, 1, 15, 16, 17, 43, 63, 64, 65, 255, 256, 1023, 1024, 1025, 3000] {
                for count in [5, 6, 0] {
                    engine.check(count, &message[..length]).unwrap();
                }
            }
        }
    }

    #[test]
    fn every_mode_of_rivals_makes_the_sum_the_untimed_loop_makes() {
        let messages = Messages::new(43, Mode::Batch, 0);
        for engine in rivals::all(None).engines {
            for mode in Mode::ALL.into_iter().filter(|&mode| engine.takes(mode, 43)) {
                let cell = engine.cell("", messages, mode, 43);
                assert_eq!((cell.work)(9), (cell.expected)(9), "{}", cell.place);
                assert_ne!((cell.work)(8), (cell.expected)(9), "{}", cell.place);
            }
        }
    }

    #[test]
    fn rows_are_found_by_name_and_others_named() {
        let engines = [find("UMAC-64").unwrap(), find("SHA-1").unwrap()];
        let kernels = |row: &str| -> Vec<String> {
            let found = on_rows(&engines, &[row.into()]).unwrap();
            found.iter().map(|engine| engine.kernel.clone()).collect()
        };
        assert_eq!(kernels("Portable"), ["portable"]);
        let listed = wegman_catalogue::find("UMAC-64").unwrap().kernels(Cpu::detect());
        assert!(kernels("all").iter().eq(listed.iter().map(|(name, _)| name)));
        let error = on_rows(&engines, &["portable".into(), "abacus".into()]).err().unwrap();
        assert!(error.contains("abacus") && error.contains("portable"), "{error}");
    }

    #[test]
    fn names_are_found_in_any_case_and_others_are_not() {
        for (name, found) in [("umac-64", "UMAC-64"), ("sha-1", "SHA-1"), ("UMAC-4/8", "UMAC32")] {
            assert_eq!(find(name).map(|engine| engine.name.clone()).as_deref(), Some(found));
        }
        for name in ["", "UMAC", "UHASH-3/8", "NHX-32/0", "CBC-MAC"] {
            assert!(find(name).is_none(), "{name:?}");
        }
    }

    fn of_the_family() -> Vec<Rc<Engine>> {
        family().into_iter().map(|name| find(name).expect(name)).collect()
    }

    #[test]
    fn every_row_is_found_once_under_its_name_and_has_a_definition() {
        let all: Vec<String> = of_the_family().iter().map(|engine| engine.name.clone()).collect();
        let once: BTreeSet<&str> = all.iter().map(String::as_str).collect();
        assert_eq!(once.len(), all.len());
        assert!(ALGORITHMS.iter().all(|algorithm| once.contains(algorithm.name.as_str())));
        for row in unlisted::TITLES.iter().flat_map(|(_, rows)| rows.split(' ')) {
            let engine = find(row).unwrap_or_else(|| panic!("{row}"));
            assert_eq!(engine.name, row);
            assert!(engine.expected.is_some(), "{row}");
        }
    }

    #[test]
    fn every_row_is_right_where_lengths_are_awkward() {
        let message: Vec<u8> = (0..4096).map(|i| (i * i / 7) as u8).collect();
        for engine in of_the_family() {
            for length in [1, 2, 3, 4, 15, 16, 17, 43, 55, 56, 63, 64, 65, 1023, 1024, 1025, 4096] {
                for count in [0, 5, 1 << 40] {
                    engine.check(count, &message[..length]).unwrap();
                }
            }
        }
    }

    #[test]
    fn a_wrong_tag_ends_the_run() {
        for name in ["UMAC16", "UHASH-4/8", "CBC-MAC-AES128", "NHX-32/2"] {
            let mut engine = find(name).unwrap();
            Rc::get_mut(&mut engine).unwrap().expected = Some(Box::new(|_, _| 0));
            let mode = (Mode::Single, vec![43.into()]);
            let jobs = speeds::of_engines(&[engine], &mode, 0, |_| "").map(drop);
            assert!(jobs.is_err_and(|error| error.to_string().starts_with(name)), "{name}");
        }
    }

    #[test]
    fn every_algorithm_and_key_on_every_kernel_is_right() {
        let lengths = [1, 43, 1500];
        let messages = Messages::new(1500, Mode::Batch, 0);
        for algorithm in ALGORITHMS {
            for (kernel, cpu) in algorithm.kernels(Cpu::detect()) {
                let engine = Rc::new(listed(algorithm.into(), cpu));
                assert_eq!(engine.kernel, kernel);
                let of = |mode| lengths.map(|length| engine.cell("", messages, mode, length));
                let key = setup(algorithm.into(), cpu);
                for cell in Mode::ALL.into_iter().flat_map(of).chain([key]) {
                    // Of two keys that differ in the last bit, DES makes the same tags.
                    assert_eq!((cell.work)(11), (cell.expected)(11), "{}", cell.place);
                    assert_ne!((cell.work)(10), (cell.expected)(11), "{}", cell.place);
                }
            }
        }
    }

    #[test]
    fn mixes_of_lengths_are_right() {
        let messages = Messages::new(1500, Mode::Batch, 0);
        for name in ["UMAC-64", "Carter-128", "PMAC-AES128"] {
            let ours = find(name).unwrap();
            for mode in Mode::ALL {
                for mix in Size::MIXES {
                    let cell = ours.cell("", messages, mode, mix);
                    assert_eq!((cell.work)(2), (cell.expected)(2), "{}", cell.place);
                    assert_ne!((cell.work)(1), (cell.expected)(2), "{}", cell.place);
                }
            }
        }
    }

    #[test]
    fn a_wrong_sum_ends_the_run() {
        let messages = Messages::new(43, Mode::Single, 0);
        let mut ours = listed((&ALGORITHMS[0]).into(), Cpu::detect());
        ours = ours.summed_by(by_streams(&(&ALGORITHMS[1]).into()));
        let cells = [Rc::new(ours).cell("", messages, Mode::Single, 43)];
        let error =
            rounds::run(&Clock::start(), &cells, Duration::ZERO, |_| ()).unwrap_err().to_string();
        assert!(error.starts_with("UMAC-32 ("), "{error}");
    }
}
