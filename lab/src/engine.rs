//! What is measured: our algorithms and their rivals, each with another way to the same tag by which
//! its answers are checked.
//!
//! All choose their instructions at run time, so the bench must be built for the default processor.
//! Built with `-C target-cpu=native` on a machine with AVX-512, `hmac` runs a hundred times slower:
//! the old-style SHA instructions get inlined among 512-bit code that leaves the upper halves of
//! the vector registers in use.

use crate::class::Class;
use crate::named::named;
use crate::timing::messages::{Messages, Mode, STARTS, Size};
use crate::timing::rounds::{Cell, Place, Work, number};
use anyhow::{Result, ensure};
use std::hint::black_box;
use std::rc::Rc;
use wegman_reference::names;

/// All keys are prefixes of these bytes, those of rivals, too.
pub const SECRET: &[u8; 48] = b"abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKL";

/// The key of `N` bytes.
pub fn secret<const N: usize>() -> &'static [u8; N] {
    SECRET.first_chunk().expect("no key is longer")
}

/// Messages up to this length are checked with every nonce and start the timed ones begin with,
/// longer ones with one, because the definitions are slow on purpose.
const CHECKED_OFTEN: usize = 4096;

/// Messages of a mix that are checked.
const CHECKED_OF_MIX: u64 = 64;

/// Makes the tag of message number `count`, as a number: its first 16 bytes, the first one lowest.
/// It comes back in registers, so nothing a caller does with it disturbs the next call.
pub type TagOf = Box<dyn Fn(u64, &[u8]) -> u128>;

/// A way to tags, and the timed loops around it: they are compiled with each way in them, so that no call is timed that
/// the way does not have.
pub trait Way {
    /// The tag of message number `count`.
    fn tag(&self, count: u64, message: &[u8]) -> u128;

    /// Tags of one message a call, in [`Mode::Single`]: their sum.
    #[inline(never)]
    fn single(&self, messages: &Messages, size: Size, calls: u64) -> u128 {
        messages.single(size, calls, |count, message| self.tag(count, message))
    }

    /// The same in [`Mode::Latency`].
    #[inline(never)]
    fn latency(&self, messages: &Messages, size: Size, calls: u64) -> u128 {
        messages.latency(size, calls, |count, message| self.tag(count, message))
    }

    /// So many tags of these messages, over and over: their sum.
    #[inline(never)]
    fn in_turn(&self, messages: &[&[u8]], count: u64) -> u128 {
        let turns = (0..count).zip(black_box(messages).iter().cycle());
        turns.fold(0, |sum, (count, message)| sum.wrapping_add(self.tag(count, message)))
    }
}

impl<F: Fn(u64, &[u8]) -> u128> Way for F {
    #[inline(always)]
    fn tag(&self, count: u64, message: &[u8]) -> u128 {
        self(count, message)
    }
}

/// The timed loop over batches: the messages of a call, how many a batch has, and how many calls.
pub type Batches = Box<dyn Fn(&[&[u8]], usize, u64) -> u128>;

named! {
    /// The groups of algorithms that are compared, by their headings.
    pub enum Group {
        ShortNonce = "with a nonce, tags of 32 and 64 bits",
        LongNonce = "with a nonce, tags of 96 and 128 bits",
        NoNonce = "without a nonce",
        /// Only a hash.
        OneMessage = "not a MAC by itself: a key for one message, or a part of others",
    }
}

/// One algorithm as one library computes it.
pub struct Engine {
    /// The group it is compared within.
    pub group: Group,
    /// The algorithm.
    pub name: String,
    /// The kernel it runs, if the library tells.
    pub kernel: String,
    /// The library it comes from, with its version, or the way it is called.
    pub origin: String,
    /// The same tag from other code, if there is any; otherwise published tags are the only check.
    pub expected: Option<TagOf>,
    /// The largest class of instructions it may use.
    pub reach: Class,
    /// The longest message it takes.
    longest: usize,
    way: Box<dyn Way>,
    batches: Option<Batches>,
    /// Other code that the sums of timed tags are checked with, if there is any that is fast enough.
    sums: Option<TagOf>,
}

impl Engine {
    /// A function that makes tags. The row is the algorithm, the kernel (`auto` of code that is not ours) and the origin.
    pub fn new(group: Group, row: [&str; 3], tag: impl Fn(u64, &[u8]) -> u128 + 'static) -> Engine {
        Engine::by(group, row, Box::new(tag))
    }

    /// Any way to tags.
    pub fn by(group: Group, row: [&str; 3], way: Box<dyn Way>) -> Engine {
        let [name, kernel, origin] = row.map(str::to_owned);
        let (longest, reach) = (usize::MAX, Class::Avx512);
        let (expected, batches, sums) = (None, None, None);
        Engine { group, name, kernel, origin, expected, reach, longest, way, batches, sums }
    }

    /// Adds a loop over batches.
    pub fn in_batches(mut self, batches: Batches) -> Engine {
        self.batches = Some(batches);
        self
    }

    /// Says that it uses no instructions beyond this class, wherever it runs or because it was told so.
    pub fn within(mut self, class: Class) -> Engine {
        self.reach = class;
        self
    }

    /// Limits the engine to messages of at most `longest` bytes.
    pub fn up_to(mut self, longest: usize) -> Engine {
        self.longest = longest;
        self
    }

    /// Whether it can be measured this way: batches need a function for many tags at once.
    pub fn takes(&self, mode: Mode, size: impl Into<Size>) -> bool {
        size.into().longest() <= self.longest && (mode != Mode::Batch || self.batches.is_some())
    }

    /// Adds other code that makes the same tags.
    pub fn checked_by<T: AsRef<[u8]>>(mut self, tag: impl Fn(u64, &[u8]) -> T + 'static) -> Engine {
        self.expected = Some(Box::new(move |count, message| {
            let tag = tag(count, message);
            let tag = tag.as_ref();
            number(&tag[..tag.len().min(16)])
        }));
        self
    }

    /// Adds the oracle's definition by its name, under a key and nonces of 8 bytes, if it takes any.
    pub fn defined_by(self, name: &str, key: &[u8]) -> Engine {
        let tag = names::find(name, key).expect("the oracle has it");
        self.checked_by(move |count, message| tag(&count.to_be_bytes(), message))
    }

    /// Adds other code, not too slow, that the sums of timed tags are checked with.
    pub fn summed_by(mut self, tag: impl Fn(u64, &[u8]) -> u128 + 'static) -> Engine {
        self.sums = Some(Box::new(tag));
        self
    }

    /// One tag, not timed.
    pub fn tag(&self, count: u64, message: &[u8]) -> u128 {
        self.way.tag(count, message)
    }

    /// Tags of messages of this size, to be timed; the engine must [take](Self::takes) them in this mode.
    pub fn cell(
        self: &Rc<Self>,
        section: &str,
        messages: &'static Messages,
        mode: Mode,
        size: impl Into<Size>,
    ) -> Cell {
        let size = size.into();
        assert!(self.takes(mode, size));
        let engine = Rc::clone(self);
        let work: Work = match mode {
            Mode::Single => Box::new(move |calls| engine.way.single(messages, size, calls)),
            Mode::Latency => Box::new(move |calls| engine.way.latency(messages, size, calls)),
            Mode::Batch => {
                // Not in the loop, which is timed: a block may be as short as one turn of a mix, and making the list
                // of its messages takes about as long as their tags.
                let (all, in_a_batch) = messages.batches(size);
                return self.over(section, all, in_a_batch, mode, size);
            }
        };
        let place = Place::new(section, self.row(), mode.name(), size);
        let message = move |count| messages.number(count, mode, size);
        self.checked(place, messages.in_a_call(mode, size), work, message)
    }

    /// Tags of these messages over and over, to be timed, so many in a call, or all of them in batches of so many. The
    /// engine must take them all.
    pub fn over(
        self: &Rc<Self>,
        section: &str,
        messages: Vec<&'static [u8]>,
        together: usize,
        mode: Mode,
        size: Size,
    ) -> Cell {
        let place = Place::new(section, self.row(), mode.name(), size);
        let (engine, again) = (Rc::clone(self), messages.clone());
        let is_batch = mode == Mode::Batch;
        let in_a_call = if is_batch { messages.len() } else { together } as u64;
        let work = move |calls| match &engine.batches {
            Some(batches) if is_batch => batches(&messages, together, calls),
            _ => engine.way.in_turn(&messages, in_a_call * calls),
        };
        let message = move |count: u64| again[count as usize % again.len()];
        self.checked(place, in_a_call, Box::new(work), message)
    }

    /// What tells it from others in a table.
    pub fn row(&self) -> [&str; 3] {
        [&self.name, &self.kernel, &self.origin]
    }

    /// The cell of this work. Its sum is also made in a different loop than the timed one, one message at a time and the
    /// last one first, by other code if there is some: a wrong optimisation is unlikely to hit both.
    fn checked(
        self: &Rc<Self>,
        place: Place,
        in_a_call: u64,
        work: Work,
        message: impl Fn(u64) -> &'static [u8] + 'static,
    ) -> Cell {
        let engine = Rc::clone(self);
        let backwards = move |calls: u64| {
            let tag = |count| match &engine.sums {
                Some(other) => other(count, message(count)),
                None => engine.tag(count, message(count)),
            };
            (0..calls * in_a_call).rev().map(tag).fold(0, u128::wrapping_add)
        };
        Cell { place, work, expected: Box::new(backwards), messages: in_a_call }
    }

    /// Checks the tag of a message against the other code, if there is any.
    pub fn check(&self, count: u64, message: &[u8]) -> Result<()> {
        match &self.expected {
            Some(expected) => self.is(count, message, expected(count, message), "its definition"),
            None => Ok(()),
        }
    }

    /// Checks the messages of this size that the timed ones begin with.
    pub fn check_all(&self, messages: &Messages, mode: Mode, size: Size) -> Result<()> {
        let counts = match size {
            Size::Bytes(length) if length > CHECKED_OFTEN => 1,
            Size::Bytes(_) => STARTS,
            Size::Mix(_) => CHECKED_OF_MIX,
        };
        (0..counts).try_for_each(|count| self.check(count, messages.number(count, mode, size)))
    }

    /// Checks that the tag of a message is this one. At most 16 bytes are compared.
    pub fn is(&self, count: u64, message: &[u8], right: u128, source: &str) -> Result<()> {
        let (got, length) = (self.tag(count, message), message.len());
        let Engine { name, kernel, origin, .. } = self;
        ensure!(
            got == right,
            "{name} ({kernel}; {origin}) of {length} bytes, nonce {count}: got {got:032x}, but \
             {source} gives {right:032x} (the first byte is the lowest)"
        );
        Ok(())
    }
}

/// The name of our own library in the tables; the workspace has one version.
pub const OURS: &str = concat!("wegman ", env!("CARGO_PKG_VERSION"));

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_an_engine_does_not_take_are_known() {
        let any = Engine::new(Group::NoNonce, ["SOME-MAC", "auto", "some 1.0"], |_, _| 1);
        assert!(any.takes(Mode::Single, usize::MAX) && !any.takes(Mode::Batch, 1));
        let batches = any.up_to(43).in_batches(Box::new(|_, _, _| 0));
        assert!(batches.takes(Mode::Batch, 43) && batches.takes(Mode::Latency, 43));
        assert!(!batches.takes(Mode::Batch, 44) && !batches.takes(Mode::Single, 44));
    }

    #[test]
    fn a_wrong_engine_is_named() {
        let engine = Engine::new(Group::NoNonce, ["SOME-MAC", "auto", "some 1.0"], |_, _| 1)
            .checked_by(|_, _| [2; 16]);
        let error = engine.check(3, b"message").unwrap_err().to_string();
        assert!(error.starts_with("SOME-MAC (auto; some 1.0) of 7 bytes, nonce 3"), "{error}");
        assert!(engine.is(3, b"message", 0, "a paper").is_err());
    }
}
