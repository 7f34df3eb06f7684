//! The algorithms of the catalogue, on any row of kernels, ready to be timed.

use super::messages::Size;
use super::rounds::{Cell, Place, number};
use crate::engine::{Batches, Engine, Group, OURS, Way};
use std::hint::black_box;
use std::ops::Range;
use std::sync::Arc;
use wegman::{Cpu, NonceOf};
use wegman_catalogue::{Algorithm, AnyKey, AnyStream, AnyTag, Found, Nonce};

/// The key of every algorithm is a prefix of these bytes.
pub const SECRET: &[u8; 32] = b"abcdefghijklmnopqrstuvwxyz012345";

/// As long as any algorithm's key.
pub const THREE_SECRETS: &[u8; 48] = b"abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKL";

/// The key of an algorithm.
pub fn secret(algorithm: &Algorithm) -> &'static [u8] {
    &THREE_SECRETS[..algorithm.key_bytes]
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
    algorithm.key(cpu, secret(algorithm), tag_bytes).expect("both lengths are its own")
}

/// What the catalogue has, with tags of its longest length, on the kernel that this `Cpu` gives it.
pub fn engine(algorithm: Found, cpu: Cpu) -> Engine {
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
            let mut secret = *THREE_SECRETS;
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
    use crate::engines;
    use crate::timing::measure::Clock;
    use crate::timing::messages::{Messages, Mode};
    use crate::timing::rounds;
    use std::rc::Rc;
    use std::time::Duration;
    use wegman_catalogue::ALGORITHMS;

    #[test]
    fn every_algorithm_and_key_on_every_kernel_is_right() {
        let lengths = [1, 43, 1500];
        let messages = Messages::new(1500, Mode::Batch, 0);
        for algorithm in ALGORITHMS {
            for (kernel, cpu) in algorithm.kernels(Cpu::detect()) {
                let engine = Rc::new(engine(algorithm.into(), cpu));
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
            let ours = engines::find(name).unwrap();
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
    fn a_wrong_tag_ends_the_run() {
        let messages = Messages::new(43, Mode::Single, 0);
        let mut ours = engine((&ALGORITHMS[0]).into(), Cpu::detect());
        ours = ours.summed_by(by_streams(&(&ALGORITHMS[1]).into()));
        let cells = [Rc::new(ours).cell("", messages, Mode::Single, 43)];
        let error = rounds::run(&Clock::start(), &cells, Duration::ZERO, |_| ()).unwrap_err();
        assert!(error.starts_with("UMAC-32 ("), "{error}");
    }
}
