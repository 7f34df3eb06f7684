//! The algorithms of the catalogue, on any row of kernels, ready to be timed.

use super::messages::{Messages, Mode, Size};
use super::rounds::Cell;
use std::hint::black_box;
use std::sync::Arc;
use wegman::{Cpu, NonceOf};
use wegman_catalogue::{Algorithm, AnyKey, AnyTag, Found, Nonce};

/// The key of every algorithm is a prefix of these bytes.
pub const SECRET: &[u8; 32] = b"abcdefghijklmnopqrstuvwxyz012345";

/// As long as any algorithm's key.
pub const THREE_SECRETS: &[u8; 48] = b"abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKL";

/// The key of an algorithm.
#[must_use]
pub fn secret(algorithm: &Algorithm) -> &'static [u8] {
    &THREE_SECRETS[..algorithm.key_bytes]
}

/// An algorithm on one row of kernels, and beside it the portable row, which checks it.
pub struct Ours {
    /// The algorithm.
    pub algorithm: Found,
    /// The kernel its key uses.
    pub kernel: &'static str,
    cpu: Cpu,
    key: Arc<dyn AnyKey>,
    portable: Arc<dyn AnyKey>,
    tag_bytes: usize,
}

impl Ours {
    /// The algorithm with tags of its longest length, on the kernel this `Cpu` gives it.
    #[must_use]
    pub fn new(algorithm: impl Into<Found>, cpu: Cpu) -> Ours {
        let algorithm = algorithm.into();
        let tag_bytes = *algorithm.tag_bytes.end();
        let secret = secret(&algorithm);
        let key = |cpu| algorithm.key(cpu, secret, tag_bytes).expect("both lengths are its own");
        let (key, portable) = (key(cpu), key(Cpu::PORTABLE));
        Ours { kernel: key.kernel(), cpu, key, portable, tag_bytes, algorithm }
    }

    /// Keys made of one secret after another, to be timed, each wiped again as keys are. The answer is
    /// a tag under the last one, which costs next to nothing beside many keys.
    #[must_use]
    pub fn setup(&self) -> Cell<'_> {
        // Long enough for all keys of those that have several.
        let message = [7; 100];
        let tag =
            move |key: &dyn AnyKey, count| self.tagger_of::<{ AnyTag::MAX }>(key)(count, &message);
        Cell {
            label: format!("{} ({}), a key", self.algorithm.name, self.kernel),
            work: Box::new(move |calls| {
                let mut last = 0;
                for count in 0..calls {
                    let key = black_box(self.key_number(self.cpu, count));
                    if count + 1 == calls {
                        last = tag(&*key, count);
                    }
                }
                last
            }),
            expected: Box::new(move |calls| {
                let count = calls - 1;
                tag(&*self.key_number(Cpu::PORTABLE, count), count)
            }),
            messages: 1,
        }
    }

    fn key_number(&self, cpu: Cpu, count: u64) -> Arc<dyn AnyKey> {
        let mut secret = *THREE_SECRETS;
        secret.iter_mut().zip(count.to_le_bytes()).for_each(|(byte, change)| *byte ^= change);
        let secret = &secret[..self.algorithm.key_bytes];
        self.algorithm.key(cpu, secret, self.tag_bytes).expect("both lengths are its own")
    }

    /// Tags of messages of this size, to be timed.
    #[must_use]
    pub fn cell<'a>(
        &'a self,
        messages: &'a Messages,
        mode: Mode,
        size: impl Into<Size>,
    ) -> Cell<'a> {
        let (name, size) = (self.algorithm.name, size.into());
        let in_a_call = messages.in_a_call(mode, size);
        // Here, because the work is timed: a block may be as short as one turn of a mix, and making the list of its
        // messages takes about as long as their tags.
        let batches = match mode {
            Mode::Batch => messages.batches(size),
            Mode::Single | Mode::Latency => (Vec::new(), 0),
        };
        let block = move |calls| match self.tag_bytes {
            4 => self.block::<4>(messages, mode, size, &batches, calls),
            8 => self.block::<8>(messages, mode, size, &batches, calls),
            12 => self.block::<12>(messages, mode, size, &batches, calls),
            16 => self.block::<16>(messages, mode, size, &batches, calls),
            _ => self.block::<{ AnyTag::MAX }>(messages, mode, size, &batches, calls),
        };
        Cell {
            label: format!("{name} ({}, {mode}) of {size} bytes", self.kernel),
            work: Box::new(block),
            expected: Box::new(move |calls| self.sum(messages, mode, size, calls * in_a_call)),
            messages: in_a_call,
        }
    }

    /// The timed loops, with room for tags of `ROOM` bytes. They are compiled for each usual length,
    /// because a branch on the length after each tag would cost cycles that show for short messages.
    #[inline(never)]
    fn block<const ROOM: usize>(
        &self,
        messages: &Messages,
        mode: Mode,
        size: Size,
        (batched, in_a_batch): &(Vec<&[u8]>, usize),
        calls: u64,
    ) -> u128 {
        let tag = self.tagger_of::<ROOM>(&*self.key);
        match mode {
            Mode::Single => messages.single(size, calls, tag),
            Mode::Latency => messages.latency(size, calls, tag),
            Mode::Batch => self.batches::<ROOM>(batched, *in_a_batch, calls),
        }
    }

    /// The tag of a message as a number.
    pub fn tagger(&self) -> impl Fn(u64, &[u8]) -> u128 {
        self.tagger_of::<{ AnyTag::MAX }>(&*self.key)
    }

    /// The same on the portable row.
    pub fn portable_tagger(&self) -> impl Fn(u64, &[u8]) -> u128 {
        self.tagger_of::<{ AnyTag::MAX }>(&*self.portable)
    }

    /// A call of `tag_into` and next to nothing else.
    fn tagger_of<'k, const ROOM: usize>(
        &self,
        key: &'k dyn AnyKey,
    ) -> impl Fn(u64, &[u8]) -> u128 + use<'k, ROOM> {
        let key = black_box(key);
        // Of the nonce: asked here, since the calls are timed.
        let length = self.nonce(0).map(|nonce| nonce.as_bytes().len());
        let bytes = self.tag_bytes_of::<ROOM>();
        move |count, message| {
            let mut tag = [0; ROOM];
            let tag = &mut tag[..bytes];
            let done = match length {
                None => key.tag_into(None, message, tag),
                Some(12) => key.tag_into(Some(&NonceOf::<12>::counter(count).into()), message, tag),
                Some(_) => key.tag_into(Some(&Nonce::counter(count)), message, tag),
            };
            done.expect("a nonce if it takes one");
            number(tag)
        }
    }

    /// How long a tag is: a constant where the room is made for it.
    fn tag_bytes_of<const ROOM: usize>(&self) -> usize {
        if ROOM == AnyTag::MAX { self.tag_bytes } else { ROOM }
    }

    fn nonce(&self, count: u64) -> Option<Nonce> {
        self.algorithm.counter(count)
    }

    /// The timed loop of [`Mode::Batch`].
    fn batches<const ROOM: usize>(
        &self,
        messages: &[&[u8]],
        in_a_batch: usize,
        calls: u64,
    ) -> u128 {
        let key = black_box(&*self.key);
        let bytes = self.tag_bytes_of::<ROOM>();
        let mut tags = vec![0; in_a_batch * bytes];
        let (mut sum, mut count) = (0_u128, 0);
        for _ in 0..calls {
            for batch in messages.chunks_exact(in_a_batch) {
                let first = self.nonce(count);
                key.tags(first.as_ref(), batch, &mut tags).expect("nonces if it takes them");
                for tag in tags.chunks_exact(bytes) {
                    sum = sum.wrapping_add(number(tag));
                }
                count += in_a_batch as u64;
            }
        }
        sum
    }

    /// The sum of `count` tags by other code: the portable row, from a stream fed in two pieces, the
    /// last message first.
    fn sum(&self, messages: &Messages, mode: Mode, size: Size, count: u64) -> u128 {
        let tag = |count: u64| {
            let message = messages.number(count, mode, size);
            let mut stream = self.portable.stream();
            let (one, two) = message.split_at(message.len() / 3);
            stream.update(one);
            stream.update(two);
            let tag = stream.finish(self.nonce(count).as_ref()).expect("a nonce if it takes one");
            number(tag.to_bytes())
        };
        (0..count).rev().map(tag).fold(0, u128::wrapping_add)
    }
}

/// A tag of at most 16 bytes as a number, the first byte lowest. Where the length is one of the
/// usual ones, by loads of the size the tag was written with: others wait for the store.
#[must_use]
pub fn number(tag: &[u8]) -> u128 {
    match tag.len() {
        4 => read::<4>(tag),
        8 => read::<8>(tag),
        16 => read::<16>(tag),
        _ => tag.iter().rev().fold(0, |number, &byte| number << 8 | u128::from(byte)),
    }
}

fn read<const N: usize>(tag: &[u8]) -> u128 {
    let mut bytes = [0; 16];
    bytes[..N].copy_from_slice(&tag[..N]);
    u128::from_le_bytes(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::timing::measure::Clock;
    use crate::timing::rounds;
    use std::time::Duration;
    use wegman_catalogue::ALGORITHMS;

    #[test]
    fn a_tag_is_the_same_number_by_any_loads() {
        let tag: [u8; 16] = std::array::from_fn(|i| 16 * i as u8 + 1);
        for length in 0..=16 {
            let number = number(&tag[..length]);
            assert_eq!(number.to_le_bytes()[..length], tag[..length]);
            assert!(length == 16 || number >> (8 * length) == 0);
        }
    }

    #[test]
    fn every_algorithm_in_every_mode_on_every_kernel_is_right() {
        let lengths = [1, 43, 1500];
        let messages = Messages::new(&lengths, &Mode::ALL);
        for algorithm in ALGORITHMS {
            for (kernel, cpu) in algorithm.kernels(Cpu::detect()) {
                let ours = Ours::new(algorithm, cpu);
                assert_eq!(ours.kernel, kernel);
                for mode in Mode::ALL {
                    for length in lengths {
                        let cell = ours.cell(&messages, mode, length);
                        assert_eq!((cell.work)(10), (cell.expected)(10), "{}", cell.label);
                        assert_ne!((cell.work)(9), (cell.expected)(10), "{}", cell.label);
                    }
                }
            }
        }
    }

    #[test]
    fn mixes_of_lengths_are_right() {
        let messages = Messages::new(&Size::MIXES, &Mode::ALL);
        for name in ["UMAC-64", "Carter-128", "PMAC-AES128"] {
            let ours = Ours::new(wegman_catalogue::find(name).unwrap(), Cpu::detect());
            for mode in Mode::ALL {
                for mix in Size::MIXES {
                    let cell = ours.cell(&messages, mode, mix);
                    assert_eq!((cell.work)(2), (cell.expected)(2), "{}", cell.label);
                    assert_ne!((cell.work)(1), (cell.expected)(2), "{}", cell.label);
                }
            }
        }
    }

    #[test]
    fn every_key_made_while_timed_is_right() {
        for algorithm in ALGORITHMS {
            for (_, cpu) in algorithm.kernels(Cpu::detect()) {
                let ours = Ours::new(algorithm, cpu);
                let cell = ours.setup();
                assert_eq!((cell.work)(3), (cell.expected)(3), "{}", cell.label);
                assert_ne!((cell.work)(2), (cell.expected)(3), "{}", cell.label);
            }
        }
    }

    #[test]
    fn a_wrong_tag_ends_the_run() {
        let messages = Messages::new(&[43], &[Mode::Single]);
        let mut ours = Ours::new(&ALGORITHMS[0], Cpu::detect());
        let secret = &SECRET[1..][..ALGORITHMS[0].key_bytes];
        ours.key = ALGORITHMS[0].key(Cpu::detect(), secret, ours.tag_bytes).unwrap();
        let cells = [ours.cell(&messages, Mode::Single, 43)];
        let error = rounds::run(&Clock::start(), &cells, Duration::ZERO, |_| ()).unwrap_err();
        assert!(error.starts_with("UMAC-32 ("), "{error}");
    }
}
