//! What is measured: our algorithms and their rivals, each with another way to the same tag by which
//! its answers are checked.
//!
//! All choose their instructions at run time, so the bench must be built for the default processor.
//! Built with `-C target-cpu=native` on a machine with AVX-512, `hmac` runs a hundred times slower:
//! the old-style SHA instructions get inlined among 512-bit code that leaves the upper halves of
//! the vector registers in use. The price falls on `cmac` 0.8: in a default build it xors a block
//! into its state byte by byte, and long messages take twice the ten AES rounds they wait for.

use crate::class::Class;
use crate::timing::messages::{Messages, Mode, STARTS, Size};
use crate::timing::ours::{Ours, number};
use crate::timing::rounds::Cell;
use std::hint::black_box;
use wegman::Cpu;
use wegman_catalogue::Found;

/// The key of the rivals with keys of 16 bytes; ours have the same.
pub const KEY: &[u8; 16] = b"abcdefghijklmnop";

/// Bytes without a pattern: keys longer than [`KEY`] and its like.
pub fn random_bytes(count: usize) -> Vec<u8> {
    let mut state = 2_u64;
    let random = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (state >> 56) as u8
    };
    std::iter::repeat_with(random).take(count).collect()
}

/// Messages up to this length are checked with every nonce and start the timed ones begin with,
/// longer ones with one, because the definitions are slow on purpose.
const CHECKED_OFTEN: usize = 4096;

/// Messages of a mix that are checked.
const CHECKED_OF_MIX: u64 = 64;

/// Makes the tag of message number `count`, as a number: its first 16 bytes, the first one lowest.
/// It comes back in registers, so nothing a caller does with it disturbs the next call.
pub type TagOf = Box<dyn Fn(u64, &[u8]) -> u128>;

/// Makes the tags of many messages at once, without a nonce.
pub type TagsOf = Box<dyn Fn(&[&[u8]], &mut [[u8; 16]])>;

/// The groups of algorithms that are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    /// A nonce, and tags of 32 to 64 bits.
    ShortNonce,
    /// A nonce, and tags of 96 to 128 bits.
    LongNonce,
    /// No nonce.
    NoNonce,
    /// Only a hash: a key for one message, or a part of another MAC.
    OneMessage,
}

impl Group {
    /// What the table calls it.
    pub const fn title(self) -> &'static str {
        match self {
            Group::ShortNonce => "with a nonce, tags of 32 and 64 bits",
            Group::LongNonce => "with a nonce, tags of 96 and 128 bits",
            Group::NoNonce => "without a nonce",
            Group::OneMessage => "not a MAC by itself: a key for one message, or a part of others",
        }
    }
}

/// One algorithm as one library computes it.
pub struct Engine {
    /// The group it is compared within.
    pub group: Group,
    /// The algorithm.
    pub name: String,
    /// The kernel it runs, if the library tells.
    pub kernel: &'static str,
    /// The library it comes from, with its version.
    pub origin: String,
    /// The same tag from other code, if there is any; otherwise published tags are the only check.
    pub expected: Option<TagOf>,
    /// The largest class of instructions it may use.
    pub reach: Class,
    /// The longest message it takes.
    longest: usize,
    maker: Maker,
}

/// How the tags are made.
enum Maker {
    Registered(Ours),
    Function { tag: TagOf, tags: Option<TagsOf> },
}

impl Engine {
    /// Code that is not ours.
    pub fn rival(
        group: Group,
        name: impl Into<String>,
        origin: impl Into<String>,
        tag: impl Fn(u64, &[u8]) -> u128 + 'static,
    ) -> Engine {
        let maker = Maker::Function { tag: Box::new(tag), tags: None };
        let (name, kernel, origin, longest) = (name.into(), "auto", origin.into(), usize::MAX);
        let reach = Class::Avx512;
        Engine { group, name, kernel, origin, expected: None, reach, longest, maker }
    }

    /// Code of ours that the catalogue does not have.
    pub fn unlisted(
        group: Group,
        name: &str,
        kernel: &'static str,
        tag: impl Fn(u64, &[u8]) -> u128 + 'static,
    ) -> Engine {
        Engine { kernel, ..Engine::rival(group, name, OURS, tag) }
    }

    /// What the catalogue has, on the kernel that this `Cpu` gives it.
    pub fn registered(algorithm: Found, cpu: Cpu) -> Engine {
        let ours = Ours::new(algorithm, cpu);
        let group = match (ours.algorithm.nonce_bytes, *ours.algorithm.tag_bytes.end()) {
            (None, _) => Group::NoNonce,
            (Some(_), ..=8) => Group::ShortNonce,
            (Some(_), _) => Group::LongNonce,
        };
        Engine {
            group,
            name: ours.algorithm.name.to_string(),
            kernel: ours.kernel,
            origin: OURS.into(),
            expected: None,
            reach: Class::Avx512,
            longest: usize::MAX,
            maker: Maker::Registered(ours),
        }
    }

    /// Adds a function that makes many tags at once.
    pub fn with_batches(mut self, batch: impl Fn(&[&[u8]], &mut [[u8; 16]]) + 'static) -> Engine {
        if let Maker::Function { tags, .. } = &mut self.maker {
            *tags = Some(Box::new(batch));
        }
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
        let has_batches = !matches!(self.maker, Maker::Function { tags: None, .. });
        size.into().longest() <= self.longest && (mode != Mode::Batch || has_batches)
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

    /// One tag, not timed.
    pub fn tag(&self, count: u64, message: &[u8]) -> u128 {
        match &self.maker {
            Maker::Registered(ours) => ours.tagger()(count, message),
            Maker::Function { tag, .. } => tag(count, message),
        }
    }

    /// Tags of messages of this size, to be timed; the engine must [take](Self::takes) them in this mode.
    pub fn cell<'a>(
        &'a self,
        messages: &'a Messages,
        mode: Mode,
        size: impl Into<Size>,
    ) -> Cell<'a> {
        let size = size.into();
        assert!(self.takes(mode, size));
        let (tag, tags) = match &self.maker {
            Maker::Registered(ours) => return ours.cell(messages, mode, size),
            Maker::Function { tag, tags } => (tag, tags),
        };
        let in_a_call = messages.in_a_call(mode, size);
        // Not in the loop, which is timed: as in `Ours::cell`.
        let (all, in_a_batch) = match mode {
            Mode::Batch => messages.batches(size),
            Mode::Single | Mode::Latency => (Vec::new(), 0),
        };
        let batches = move |calls: u64| {
            let tags_of = tags.as_ref().expect("it takes batches");
            let mut tags = vec![[0; 16]; in_a_batch];
            let mut sum = 0_u128;
            for _ in 0..calls {
                for batch in all.chunks_exact(in_a_batch) {
                    tags_of(batch, &mut tags);
                    sum = tags.iter().fold(sum, |sum, tag| sum.wrapping_add(number(tag)));
                }
            }
            sum
        };
        // A different loop than the timed one, one message at a time and the last call first: a wrong
        // optimisation is unlikely to hit both.
        let backwards = move |calls: u64| {
            let message = |count: u64| messages.number(count, mode, size);
            let tags = (0..calls * in_a_call).rev().map(|count| tag(count, message(count)));
            tags.fold(0, u128::wrapping_add)
        };
        Cell {
            label: format!("{} ({}, {mode}) of {size} bytes", self.name, self.origin),
            work: Box::new(move |calls| match mode {
                Mode::Single => messages.single(size, calls, tag),
                Mode::Latency => messages.latency(size, calls, tag),
                Mode::Batch => batches(calls),
            }),
            expected: Box::new(backwards),
            messages: in_a_call,
        }
    }

    /// Tags of the messages of one call after another, to be timed; after the last call the first one's
    /// messages come again. The engine must take them all.
    pub fn over<'a>(&'a self, calls: &[Vec<&'a [u8]>]) -> Cell<'a> {
        let in_a_call = calls[0].len() as u64;
        let messages = calls.concat();
        let label = format!("{} ({}) of {} bytes", self.name, self.origin, messages[0].len());
        let expected = messages.clone();
        let message = move |count: u64| expected[count as usize % expected.len()];
        Cell {
            label,
            work: Box::new(move |calls| match &self.maker {
                Maker::Registered(ours) => in_turn(&messages, in_a_call * calls, ours.tagger()),
                Maker::Function { tag, .. } => in_turn(&messages, in_a_call * calls, tag),
            }),
            // The last one first.
            expected: Box::new(move |calls| {
                let count = in_a_call * calls;
                let sum = |tag: &dyn Fn(u64, &[u8]) -> u128| {
                    let tags = (0..count).rev().map(|count| tag(count, message(count)));
                    tags.fold(0, u128::wrapping_add)
                };
                match &self.maker {
                    Maker::Registered(ours) => sum(&ours.portable_tagger()),
                    Maker::Function { tag, .. } => sum(tag),
                }
            }),
            messages: in_a_call,
        }
    }

    /// Checks the tag of a message against the other code, if there is any.
    pub fn check(&self, count: u64, message: &[u8]) -> Result<(), String> {
        match &self.expected {
            Some(expected) => self.is(count, message, expected(count, message), "its definition"),
            None => Ok(()),
        }
    }

    /// Checks the messages of this size that the timed ones begin with.
    pub fn check_all(&self, messages: &Messages, mode: Mode, size: Size) -> Result<(), String> {
        let counts = match size {
            Size::Bytes(length) if length > CHECKED_OFTEN => 1,
            Size::Bytes(_) => STARTS,
            Size::Uniform | Size::Imix => CHECKED_OF_MIX,
        };
        (0..counts).try_for_each(|count| self.check(count, messages.number(count, mode, size)))
    }

    /// Checks that the tag of a message is the published one. At most 16 bytes are compared.
    pub fn has_published(
        &self,
        count: u64,
        message: &[u8],
        tag: &str,
        source: &str,
    ) -> Result<(), String> {
        let digits = |i| u8::from_str_radix(&tag[2 * i..][..2], 16).expect("hexadecimal");
        let bytes: Vec<u8> = (0..tag.len().min(32) / 2).map(digits).collect();
        self.is(count, message, number(&bytes), source)?;
        self.check(count, message)
    }

    fn is(&self, count: u64, message: &[u8], right: u128, source: &str) -> Result<(), String> {
        let got = self.tag(count, message);
        if got == right {
            return Ok(());
        }
        let Engine { name, kernel, origin, .. } = self;
        let length = message.len();
        Err(format!(
            "{name} ({kernel}; {origin}) of {length} bytes, nonce {count}: got {got:032x}, but \
             {source} gives {right:032x} (the first byte is the lowest)"
        ))
    }
}

/// The timed loop of [`Engine::over`].
#[inline(never)]
fn in_turn(messages: &[&[u8]], count: u64, tag: impl Fn(u64, &[u8]) -> u128) -> u128 {
    let turns = (0..count).zip(black_box(messages).iter().cycle());
    turns.fold(0, |sum, (count, message)| sum.wrapping_add(tag(count, message)))
}

/// The name of our own library in the tables; the workspace has one version.
pub const OURS: &str = concat!("wegman ", env!("CARGO_PKG_VERSION"));

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rivals;

    #[test]
    fn lengths_an_engine_does_not_take_are_known() {
        let any = Engine::rival(Group::NoNonce, "SOME-MAC", "some 1.0", |_, _| 1);
        assert!(any.takes(Mode::Single, usize::MAX) && !any.takes(Mode::Batch, 1));
        let batches = any.up_to(43).with_batches(|_, _| ());
        assert!(batches.takes(Mode::Batch, 43) && batches.takes(Mode::Latency, 43));
        assert!(!batches.takes(Mode::Batch, 44) && !batches.takes(Mode::Single, 44));
    }

    #[test]
    fn a_wrong_engine_is_named() {
        let engine = Engine::rival(Group::NoNonce, "SOME-MAC", "some 1.0", |_, _| 1)
            .checked_by(|_, _| [2; 16]);
        let error = engine.check(3, b"message").unwrap_err();
        assert!(error.starts_with("SOME-MAC (auto; some 1.0) of 7 bytes, nonce 3"), "{error}");
        assert!(engine.has_published(3, b"message", "00", "a paper").is_err());
    }

    #[test]
    fn every_batch_has_the_tags_of_its_messages() {
        let text: Vec<u8> = (0..3000).map(|i| (i * i / 7) as u8).collect();
        for engine in rivals::all(None).engines {
            let Maker::Function { tags: Some(tags_of), .. } = &engine.maker else { continue };
            for count in [0, 1, 2, 31, 32, 33, 70] {
                // Lengths go up and down: short messages are done before longer ones before them.
                let messages: Vec<&[u8]> =
                    (0..count).map(|i| &text[i..][..i * 971 % 1500]).collect();
                let mut tags = vec![[0; 16]; count];
                tags_of(&messages, &mut tags);
                for (message, tag) in messages.iter().zip(&tags) {
                    assert_eq!(engine.tag(0, message), number(tag));
                    assert_eq!(engine.check(0, message), Ok(()));
                }
            }
        }
    }
}
