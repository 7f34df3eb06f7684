//! What is tagged and in which order: the modes, their timed loops, and the messages.
//!
//! Every call has a nonce and a message other than the one before, and every tag goes into a sum,
//! so that a call left out or made once for all shows. (Not into their xor: a tag that comes twice
//! would cancel there.) The nonces start again in every block, so that all blocks of a cell have the
//! same sum; nothing remembers them.

use std::fmt;
use std::hint::black_box;
use std::str::FromStr;

/// How messages follow each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Mode {
    /// One message a call, and no call waits for another: what a sender of packets sees.
    Single,
    /// One message a call, and its address depends on the tag before: what one tag takes from the
    /// message to the tag, the nonce being known before.
    Latency,
    /// Many messages a call, each in its own buffer.
    Batch,
}

impl Mode {
    /// All of them.
    pub const ALL: [Mode; 3] = [Mode::Single, Mode::Latency, Mode::Batch];

    /// Its name on command lines and in reports.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Mode::Single => "single",
            Mode::Latency => "latency",
            Mode::Batch => "batch",
        }
    }
}

impl fmt::Display for Mode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Mode {
    type Err = String;

    fn from_str(name: &str) -> Result<Mode, String> {
        let found = Mode::ALL.into_iter().find(|mode| mode.name() == name);
        found.ok_or_else(|| "the modes are single, latency and batch".to_owned())
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
    let (digits, unit) = match text.as_bytes().last() {
        Some(b'K' | b'k') => (&text[..text.len() - 1], 1 << 10),
        Some(b'M' | b'm') => (&text[..text.len() - 1], 1 << 20),
        Some(b'G' | b'g') => (&text[..text.len() - 1], 1 << 30),
        _ => (text, 1),
    };
    let is_number = !digits.is_empty() && digits.bytes().all(|digit| digit.is_ascii_digit());
    let length = digits.parse::<usize>().ok().and_then(|number| number.checked_mul(unit));
    match length {
        Some(length @ 1..=MAX_LENGTH) if is_number => Ok(length),
        _ => Err("a length is a number of bytes from 1 to 1G, as 1500 or 64K".to_owned()),
    }
}

/// The most messages in a batch that is asked for by number.
pub const MAX_BATCH: usize = 1024;

/// How many messages a batch has: a number from 1 to [`MAX_BATCH`].
///
/// # Errors
/// A text for people if it is not that.
pub fn batch(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(number @ 1..=MAX_BATCH) if !text.starts_with('+') => Ok(number),
        _ => Err(format!("a batch has 1 to {MAX_BATCH} messages")),
    }
}

/// The places where messages begin, a cache line apart: enough that no two calls in a row have the
/// same message, few enough that a message stays in the cache it would be in alone.
pub const STARTS: u64 = 8;

/// A cache line, and the widest vector.
const LINE: usize = 64;

/// Messages in a batch, if they all fit into a typical second-level cache; otherwise half as many.
const BATCH: usize = 32;
const CACHE: usize = 512 << 10;

/// The messages: pieces of one buffer. Every message begins at a multiple of 64 bytes; what
/// messages that begin elsewhere cost is not measured here.
pub struct Messages {
    bytes: Vec<u8>,
    first: usize,
    /// Messages in a batch, if not [`batch_size`].
    batch: Option<usize>,
}

impl Messages {
    /// Messages of these lengths in these modes, without a pattern.
    #[must_use]
    pub fn new(lengths: &[usize], modes: &[Mode]) -> Messages {
        Messages::in_batches(lengths, modes, None)
    }

    /// The same with this many messages in a batch, if not [`batch_size`].
    #[must_use]
    pub fn in_batches(lengths: &[usize], modes: &[Mode], batch: Option<usize>) -> Messages {
        let room = |length: usize, mode: &Mode| match mode {
            Mode::Single | Mode::Latency => length + LINE * STARTS as usize,
            Mode::Batch => batch.unwrap_or(batch_size(length)) * batch_stride(length),
        };
        let rooms = lengths.iter().flat_map(|&l| modes.iter().map(move |mode| room(l, mode)));
        Messages::with_room(rooms.max().unwrap_or(0), batch)
    }

    /// Batches of this many messages of one length, and single messages.
    #[must_use]
    pub fn in_batches_of(messages: usize, length: usize) -> Messages {
        let one = length + LINE * STARTS as usize;
        Messages::with_room(one.max(messages * batch_stride(length)), Some(messages))
    }

    fn with_room(room: usize, batch: Option<usize>) -> Messages {
        let room = room + LINE;
        let words: Vec<[u8; 8]> =
            std::iter::repeat_with(words_without_pattern()).take(room.div_ceil(8)).collect();
        let bytes = words.into_flattened();
        let first = bytes.as_ptr().align_offset(LINE);
        Messages { bytes, first, batch }
    }

    /// Message number `count` of this length.
    #[must_use]
    pub fn get(&self, count: u64, length: usize) -> &[u8] {
        &self.bytes[self.first + LINE * (count % STARTS) as usize..][..length]
    }

    /// The messages of a batch, none of which overlap.
    #[must_use]
    pub fn batch(&self, length: usize) -> Vec<&[u8]> {
        let stride = batch_stride(length);
        let size = self.batch.unwrap_or(batch_size(length));
        (0..size).map(|i| &self.bytes[self.first + i * stride..][..length]).collect()
    }

    /// The timed loop of [`Mode::Single`]. `tag` should end in a call that the compiler can't see
    /// into.
    #[inline]
    pub fn single(&self, length: usize, calls: u64, tag: impl Fn(u64, &[u8]) -> u128) -> u128 {
        let starts: [&[u8]; STARTS as usize] =
            std::array::from_fn(|start| self.get(start as u64, length));
        let starts = black_box(starts);
        let mut sum = 0_u128;
        for count in 0..calls {
            sum = sum.wrapping_add(tag(count, starts[(count % STARTS) as usize]));
        }
        sum
    }

    /// The timed loop of [`Mode::Latency`].
    #[inline]
    pub fn latency(&self, length: usize, calls: u64, tag: impl Fn(u64, &[u8]) -> u128) -> u128 {
        // The compiler does not know that the mask is zero: the next address needs the last tag.
        let mask = black_box(0_usize);
        let (mut sum, mut last) = (0_u128, 0_u128);
        for count in 0..calls {
            let start = self.first + LINE * (count % STARTS) as usize;
            last = tag(count, &self.bytes[start + (last as usize & mask)..][..length]);
            sum = sum.wrapping_add(last);
        }
        sum
    }
}

/// Makes one word after another, without a pattern: as good as random, and always the same.
pub fn words_without_pattern() -> impl FnMut() -> [u8; 8] {
    let mut state = 1_u64;
    move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (state ^ (state >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9).to_le_bytes()
    }
}

/// Messages in a batch of messages of this length.
#[must_use]
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
    fn messages_are_aligned_and_change_from_call_to_call() {
        let messages = Messages::new(&[7, 100], &[Mode::Single]);
        for count in 0..2 * STARTS {
            let message = messages.get(count, 100);
            assert!(message.as_ptr().addr().is_multiple_of(LINE));
            assert_ne!(message, messages.get(count + 1, 100));
        }
    }

    #[test]
    fn the_messages_of_a_batch_are_aligned_and_do_not_overlap() {
        for length in [1, 64, 4096, 20_000] {
            let messages = Messages::new(&[length], &[Mode::Batch]);
            let batch = messages.batch(length);
            assert_eq!(batch.len(), if length < 20_000 { 32 } else { 16 });
            for pair in batch.windows(2) {
                assert!(pair[1].as_ptr().addr().is_multiple_of(LINE));
                assert!(pair[0].as_ptr_range().end <= pair[1].as_ptr());
            }
        }
    }

    #[test]
    fn numbers_of_messages_are_read() {
        for (text, number) in [("1", Some(1)), ("64", Some(64)), ("1024", Some(1024))] {
            assert_eq!(batch(text).ok(), number);
        }
        for text in ["", "0", "1025", "-1", "+1", "8K", "1.5", "99999999999999999999"] {
            assert!(batch(text).is_err(), "{text:?}");
        }
    }

    #[test]
    fn a_batch_has_as_many_as_asked_for() {
        let messages = Messages::in_batches(&[43, 1500], &Mode::ALL, Some(3));
        assert!([43, 1500].iter().all(|&length| messages.batch(length).len() == 3));
        for size in [1, 64] {
            assert_eq!(Messages::in_batches_of(size, 43).batch(43).len(), size);
        }
    }

    #[test]
    fn both_loops_tag_the_same_messages_in_order() {
        let messages = Messages::new(&[20], &[Mode::Single, Mode::Latency]);
        let tag = |count: u64, message: &[u8]| {
            assert_eq!(message, messages.get(count, 20));
            u128::from(count + 1)
        };
        assert_eq!(messages.single(20, 20, tag), 210);
        assert_eq!(messages.latency(20, 20, tag), 210);
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
            assert_eq!(mode.to_string().parse(), Ok(mode));
        }
        assert!("Single".parse::<Mode>().is_err() && "".parse::<Mode>().is_err());
    }
}
