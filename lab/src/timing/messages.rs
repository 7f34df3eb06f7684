//! What is tagged and in which order: the modes, their timed loops, and the messages.
//!
//! Every call has a nonce and a message other than the one before, and every tag goes into a sum,
//! so that a call left out or made once for all shows. (Not into their xor: a tag that comes twice
//! would cancel there.) The nonces start again in every block, so that all blocks of a cell have the
//! same sum; nothing remembers them.
//!
//! Of a mix of lengths ([`Size`]) one turn is thousands of messages in an order without a pattern, as packets have it:
//! what mispredicted branches cost shows.

use crate::named::named;
use clap::ValueEnum;
use serde::Serialize;
use std::fmt;
use std::hint::black_box;
use wegman_reference::inputs::Random;

named! {
    /// How messages follow each other.
    #[derive(ValueEnum)]
    pub enum Mode {
        /// One message a call, and no call waits for another: what a sender of packets sees.
        Single = "single",
        /// One message a call, and its address depends on the tag before: what one tag takes from the
        /// message to the tag, the nonce being known before.
        Latency = "latency",
        /// Many messages a call, each in its own buffer.
        Batch = "batch",
    }
}

/// The longest message.
pub const MAX_LENGTH: usize = 1 << 30;

/// The longest message of a batch: there are many of them.
pub const MAX_BATCH_LENGTH: usize = 1 << 24;

/// A length in bytes as people write it: digits, and perhaps K, M or G for powers of 1024.
///
/// # Errors
/// A text for people if it is not that, zero, or more than [`MAX_LENGTH`].
pub fn length(text: &str) -> Result<usize, String> {
    let is_it = |(name, _): &&(char, u32)| text.ends_with([*name, name.to_ascii_lowercase()]);
    let unit = UNITS.iter().find(is_it);
    let (digits, shift) = unit.map_or((text, 0), |unit| (&text[..text.len() - 1], unit.1));
    let is_number = digits.bytes().all(|digit| digit.is_ascii_digit());
    let number = digits.parse::<usize>().ok().filter(|_| is_number);
    let length = number.and_then(|number| number.checked_mul(1 << shift));
    length
        .filter(|length| (1..=MAX_LENGTH).contains(length))
        .ok_or_else(|| "a length is a number of bytes from 1 to 1G, as 1500 or 64K".to_owned())
}

/// The units of lengths, and their powers of 2.
const UNITS: [(char, u32); 3] = [('G', 30), ('M', 20), ('K', 10)];

/// A length as people write it: `4096`, `64K`.
pub fn bytes(length: usize) -> String {
    let is_whole = |(_, shift): &&(char, u32)| length.is_multiple_of(1 << shift);
    match UNITS.iter().find(is_whole).filter(|_| length >= 1 << 16) {
        Some((name, shift)) => format!("{}{name}", length >> shift),
        None => length.to_string(),
    }
}

named! {
    /// Mixes of lengths.
    pub enum Mix {
        /// Every length from 1 to 64 bytes equally often.
        Uniform = "uniform",
        /// The "simple IMIX" of Internet traffic: of twelve packets seven have 40 bytes, four 576 and one 1500, IP headers
        /// included. (On Ethernet the same mix is often given as frames of 64, 594 and 1518 bytes. RFC 6985 tells how such
        /// mixes are named.)
        Imix = "imix",
    }
}

impl Mix {
    /// Its lengths, each as often as it comes.
    fn deck(self) -> Vec<u16> {
        match self {
            Mix::Uniform => (1..=64).collect(),
            Mix::Imix => [&[40; 7][..], &[576; 4], &[1500]].concat(),
        }
    }

    /// The lengths of a turn, in an order without a pattern, always the same one. A deck of all lengths is shuffled again
    /// and again, so that any part of the turn has its mean.
    pub fn turn(self) -> Vec<u16> {
        let (deck, mut random) = (self.deck(), Random(1));
        let mut shuffled = || {
            let mut deck = deck.clone();
            (1..deck.len()).rev().for_each(|last| deck.swap(last, random.upto(last)));
            deck
        };
        (0..TURN / deck.len()).flat_map(|_| shuffled()).collect()
    }
}

/// How long messages are: all of one length in bytes, or of a mix.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(untagged)]
pub enum Size {
    Bytes(usize),
    Mix(Mix),
}

impl From<usize> for Size {
    fn from(length: usize) -> Size {
        Size::Bytes(length)
    }
}

impl Size {
    /// The mixes.
    pub const MIXES: [Size; 2] = [Size::Mix(Mix::Uniform), Size::Mix(Mix::Imix)];

    /// The longest message.
    pub const fn longest(self) -> usize {
        match self {
            Size::Bytes(length) => length,
            Size::Mix(Mix::Uniform) => 64,
            Size::Mix(Mix::Imix) => 1500,
        }
    }

    /// Bytes in a message on average.
    pub fn mean(self) -> f64 {
        let Size::Mix(mix) = self else { return self.longest() as f64 };
        let deck = mix.deck();
        deck.iter().copied().map(f64::from).sum::<f64>() / deck.len() as f64
    }
}

/// As tables show it: `43`, `64K`, `1..64`, `IMIX`.
impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Size::Bytes(length) => f.pad(&bytes(*length)),
            Size::Mix(Mix::Uniform) => f.pad("1..64"),
            Size::Mix(Mix::Imix) => f.pad("IMIX"),
        }
    }
}

/// Messages in a turn of a mix: whole decks of either, and more than branch predictors remember.
const TURN: usize = 4608;

/// A length as people write it, or the name of a mix: `uniform` or `imix`.
///
/// # Errors
/// A text for people if it is neither.
pub fn size(text: &str) -> Result<Size, String> {
    let mix = Mix::ALL.into_iter().find(|mix| mix.name() == text).map(Size::Mix);
    let why = |error| format!("{error}, or a mix of lengths: uniform or imix");
    mix.map_or_else(|| length(text).map(Size::Bytes).map_err(why), Ok)
}

/// The places where messages begin, a cache line apart or a little more: enough that no two calls in a row have the
/// same message, few enough that a message stays in the cache it would be in alone.
pub const STARTS: u64 = 8;

/// A cache line, and the widest vector.
const LINE: usize = 64;

/// Messages in a batch, if they all fit into a typical second-level cache; otherwise half as many.
const BATCH: usize = 32;
const CACHE: usize = 512 << 10;

/// What is added to the distance of messages that begin anywhere: an odd number, so that no two in a row begin at the
/// same place in a line.
pub const SHIFT: usize = 21;

/// The messages: pieces of one buffer. Every message begins at a multiple of 64 bytes, or else anywhere.
pub struct Messages {
    bytes: Vec<u8>,
    first: usize,
    /// [`SHIFT`], or 0 if messages begin at multiples of 64 bytes.
    shift: usize,
    /// A turn of each mix.
    turns: [Vec<u16>; Mix::ALL.len()],
}

impl Messages {
    /// Messages up to a length in a mode, without a pattern, aligned if the shift is 0 and otherwise, with [`SHIFT`],
    /// beginning anywhere. Those of batches have room for the other modes, too. They stay to the end of the program.
    pub fn new(longest: usize, mode: Mode, shift: usize) -> &'static Messages {
        let room = match mode {
            Mode::Single | Mode::Latency => longest + (LINE + SHIFT) * STARTS as usize,
            Mode::Batch => {
                let room = |length| batch_size(length) * (batch_stride(length) + SHIFT);
                // Of shorter messages, a batch may have more.
                room(longest).max(room(longest.min(CACHE / BATCH)))
            }
        };
        let bytes = Random(1).message(room + LINE);
        let first = bytes.as_ptr().align_offset(LINE);
        Box::leak(Box::new(Messages { bytes, first, shift, turns: Mix::ALL.map(Mix::turn) }))
    }

    /// The lengths of a turn; none if all messages have one length.
    fn turn(&self, size: Size) -> &[u16] {
        match size {
            Size::Bytes(_) => &[],
            Size::Mix(mix) => &self.turns[mix as usize],
        }
    }

    /// Message number `count` of this length.
    pub fn get(&self, count: u64, length: usize) -> &[u8] {
        &self.bytes[self.start(count)..][..length]
    }

    #[inline]
    fn start(&self, count: u64) -> usize {
        self.first + (LINE + self.shift) * (count % STARTS) as usize
    }

    /// A message of this size from each start. The compiler does not know where they are.
    #[inline]
    pub fn starts(&self, size: Size) -> [&[u8]; STARTS as usize] {
        black_box(std::array::from_fn(|start| self.get(start as u64, size.longest())))
    }

    /// Message number `count` of this size, as the timed loop of a mode has it.
    pub fn number(&self, count: u64, mode: Mode, size: Size) -> &[u8] {
        let place = (count % self.in_a_call(mode, size)) as usize;
        let length = self.turn(size).get(place).map_or(size.longest(), |&length| length.into());
        match mode {
            Mode::Single | Mode::Latency => self.get(count, length),
            Mode::Batch => {
                let stride = batch_stride(size.longest()) + self.shift;
                let place = place % batch_size(size.longest());
                &self.bytes[self.first + place * stride..][..length]
            }
        }
    }

    /// Messages in a call of the timed loops: one, a batch, or a turn, of whole batches.
    pub fn in_a_call(&self, mode: Mode, size: Size) -> u64 {
        let (turn, batch) = (self.turn(size).len(), batch_size(size.longest()));
        let count = match mode {
            Mode::Single | Mode::Latency => turn.max(1),
            Mode::Batch => (turn / batch).max(1) * batch,
        };
        count as u64
    }

    /// The messages of a call in [`Mode::Batch`], batch after batch, and how many a batch has. Those of one batch do not
    /// overlap.
    pub fn batches(&self, size: Size) -> (Vec<&[u8]>, usize) {
        let count = self.in_a_call(Mode::Batch, size);
        let messages = (0..count).map(|count| self.number(count, Mode::Batch, size)).collect();
        (messages, batch_size(size.longest()))
    }

    /// The timed loop of [`Mode::Single`]. `tag` should end in a call that the compiler can't see
    /// into.
    #[inline]
    pub fn single(&self, size: Size, calls: u64, tag: impl Fn(u64, &[u8]) -> u128) -> u128 {
        let starts = self.starts(size);
        let mut sum = 0_u128;
        let turn = self.turn(size);
        if !turn.is_empty() {
            for call in 0..calls {
                let first = call * turn.len() as u64;
                for (count, &length) in (first..).zip(black_box(turn)) {
                    let message = &starts[(count % STARTS) as usize][..length.into()];
                    sum = sum.wrapping_add(tag(count, message));
                }
            }
            return sum;
        }
        for count in 0..calls {
            sum = sum.wrapping_add(tag(count, starts[(count % STARTS) as usize]));
        }
        sum
    }

    /// The timed loop of [`Mode::Latency`].
    #[inline]
    pub fn latency(&self, size: Size, calls: u64, tag: impl Fn(u64, &[u8]) -> u128) -> u128 {
        // The compiler does not know that the mask is zero: the next address needs the last tag.
        let mask = black_box(0_usize);
        let turn = match self.turn(size) {
            [] => &[size.longest()][..],
            turn => &turn.iter().map(|&length| length.into()).collect::<Vec<_>>(),
        };
        let (mut sum, mut last, mut count) = (0_u128, 0_u128, 0);
        for _ in 0..calls {
            for &length in turn {
                let start = self.start(count) + (last as usize & mask);
                last = tag(count, &self.bytes[start..][..length]);
                sum = sum.wrapping_add(last);
                count += 1;
            }
        }
        sum
    }
}

/// Messages in a batch of messages of this length.
pub fn batch_size(length: usize) -> usize {
    if BATCH * length <= CACHE { BATCH } else { BATCH / 2 }
}

/// How far apart the messages of a batch begin: one line more than they need, or the messages of
/// 4096 bytes would all crowd into the same lines of the first-level cache.
fn batch_stride(length: usize) -> usize {
    length.next_multiple_of(LINE) + LINE
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_aligned_if_asked_for_and_change_from_call_to_call() {
        for shift in [0, SHIFT] {
            let messages = Messages::new(100, Mode::Single, shift);
            for count in 0..2 * STARTS {
                let message = messages.get(count, 100);
                let place = shift * (count % STARTS) as usize % LINE;
                assert_eq!(message.as_ptr().addr() % LINE, place);
                assert_ne!(message, messages.get(count + 1, 100));
            }
        }
    }

    #[test]
    fn the_messages_of_a_batch_are_aligned_if_asked_for_and_do_not_overlap() {
        for length in [1, 64, 4096, CACHE / BATCH, 20_000] {
            for shift in [0, SHIFT] {
                let messages = Messages::new(20_000, Mode::Batch, shift);
                let batch = messages.batches(length.into()).0;
                assert_eq!(batch.len(), if length < 20_000 { 32 } else { 16 });
                for (count, pair) in batch.windows(2).enumerate() {
                    assert_eq!(pair[1].as_ptr().addr() % LINE, shift * (count + 1) % LINE);
                    assert!(pair[0].as_ptr_range().end <= pair[1].as_ptr());
                }
            }
        }
    }

    #[test]
    fn both_loops_tag_the_same_messages_in_order() {
        let messages = Messages::new(20, Mode::Latency, 0);
        let tag = |count: u64, message: &[u8]| {
            assert_eq!(message, messages.get(count, 20));
            u128::from(count + 1)
        };
        assert_eq!(messages.single(20.into(), 20, tag), 210);
        assert_eq!(messages.latency(20.into(), 20, tag), 210);
    }

    #[test]
    fn a_turn_has_every_length_as_often_as_its_mix_says_and_no_period() {
        for mix in Mix::ALL {
            let (turn, size) = (mix.turn(), Size::Mix(mix));
            assert_eq!(turn.len(), TURN);
            let sum: f64 = turn.iter().map(|&length| f64::from(length)).sum();
            assert!((sum / TURN as f64 - size.mean()).abs() < 1e-9);
            assert_eq!(turn.iter().max().map(|&length| length.into()), Some(size.longest()));
            for period in 1..TURN / 2 {
                let same = turn.iter().zip(&turn[period..]).filter(|(a, b)| a == b).count();
                assert!(same < (TURN - period) * 6 / 10, "{mix}: period {period}");
            }
        }
        let of = |length| Mix::Imix.turn().iter().filter(|&&other| other == length).count();
        assert_eq!([40, 576, 1500].map(of), [7 * TURN / 12, 4 * TURN / 12, TURN / 12]);
        assert!((1..=64).all(|length| Mix::Uniform.turn().contains(&length)));
    }

    #[test]
    fn the_loops_of_a_mix_have_its_messages_in_order() {
        let messages = Messages::new(1500, Mode::Batch, 0);
        for mix in Size::MIXES {
            for mode in [Mode::Single, Mode::Latency] {
                let calls = std::cell::Cell::new(0);
                let tag = |count: u64, message: &[u8]| {
                    assert_eq!(count, calls.replace(count + 1));
                    assert_eq!(message, messages.number(count, mode, mix));
                    1
                };
                let sum = match mode {
                    Mode::Single => messages.single(mix, 2, tag),
                    _ => messages.latency(mix, 2, tag),
                };
                assert_eq!(sum, 2 * u128::from(messages.in_a_call(mode, mix)));
            }
            let (all, in_a_batch) = messages.batches(mix);
            assert_eq!((all.len() % in_a_batch, in_a_batch), (0, 32));
            assert!(all.len() + 32 > TURN);
            for batch in all.chunks(in_a_batch) {
                for pair in batch.windows(2) {
                    assert!(pair[0].as_ptr_range().end <= pair[1].as_ptr());
                }
            }
            let turn = messages.turn(mix).iter().map(|&length| usize::from(length));
            assert!(all.iter().map(|message| message.len()).eq(turn.take(all.len())));
        }
    }

    #[test]
    fn sizes_are_read_and_written() {
        let sizes = [Size::Bytes(43), Size::Bytes(65_536), Size::MIXES[0], Size::MIXES[1]];
        assert_eq!(["43", "64K", "uniform", "imix"].map(size), sizes.map(Ok));
        assert_eq!(sizes.map(|size| size.to_string()), ["43", "64K", "1..64", "IMIX"]);
        let json = serde_json::to_value(sizes).unwrap();
        assert_eq!(json, serde_json::json!([43, 65_536, "uniform", "imix"]));
        for text in ["", "0", "mixed", "1..64", "Uniform"] {
            assert!(size(text).unwrap_err().contains("uniform or imix"), "{text:?}");
        }
    }

    #[test]
    fn lengths_are_short_where_they_are_round() {
        let lengths = [1, 4096, 1500, 65_536, 262_145, 16 << 20, 1 << 30];
        let texts = ["1", "4096", "1500", "64K", "262145", "16M", "1G"];
        assert_eq!(lengths.map(bytes), texts);
    }

    #[test]
    fn good_lengths_are_read() {
        let lengths = [("1", 1), ("43", 43), ("64K", 65_536), ("2m", 2 << 20), ("1G", 1 << 30)];
        for (text, bytes) in lengths {
            assert_eq!(length(text), Ok(bytes));
        }
    }

    #[test]
    fn bad_lengths_are_refused() {
        for text in ["", "K", "0", "0K", "-1", "+1", "1.5K", "2G", "1073741825", "1KB", "1 K", "€"]
        {
            assert!(length(text).is_err(), "{text:?}");
        }
        assert!(length("99999999999999999999").is_err() && length("18014398509481985K").is_err());
    }

    #[test]
    fn modes_are_read_by_name() {
        for mode in Mode::ALL {
            assert_eq!(Mode::from_str(mode.name(), false), Ok(mode));
        }
        assert!(Mode::from_str("Single", false).is_err() && Mode::from_str("", false).is_err());
    }
}
