//! What is measured, by names that people write and the store keeps: `UMAC-64 @ 43`, `HMAC-SHA1 from OpenSSL @ 1500`,
//! `key of UMAC16`, `16 bits of UMAC16 @ 1500`, `batches of 8 of UMAC-64 @ 43`, `2 threads of UMAC-64 @ 1G`,
//! `UMAC-64 @ 43+256+1500`.

use crate::assurance::Receiver;
use crate::engine::{Engine, OURS};
use crate::engines;
use crate::memory::{self, Buffer};
use crate::rivals;
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::fmt;
use std::str::FromStr;
use wegman::Cpu;
use wegman::registry;
use wegman_bench::messages::{self, MAX_BATCH_LENGTH, Messages, Mode, STARTS};
use wegman_bench::ours::Ours;
use wegman_bench::report;
use wegman_bench::rounds::Cell;

/// What is done with an algorithm.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Doing {
    /// Its tags are made, one message a call.
    Tag,
    /// The same, the messages of several lengths in turn.
    Mix,
    /// Its tags are made, so many messages a call.
    Batch(usize),
    /// The first bits of its tags are verified.
    Front(usize),
    /// Its keys are made.
    Key,
    /// One long message is tagged on so many threads.
    Threads(usize),
}

/// One thing to be measured.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Subject {
    pub doing: Doing,
    pub algorithm: String,
    /// The library of a rival.
    pub from: Option<String>,
    /// Of its messages: one, but for a mix; none for a key.
    pub lengths: Vec<usize>,
}

impl fmt::Display for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.doing {
            Doing::Tag | Doing::Mix => {}
            Doing::Batch(n) => write!(f, "batches of {n} of ")?,
            Doing::Front(bits) => write!(f, "{bits} bits of ")?,
            Doing::Key => write!(f, "key of ")?,
            Doing::Threads(n) => write!(f, "{n} threads of ")?,
        }
        f.write_str(&self.algorithm)?;
        if let Some(from) = &self.from {
            write!(f, " from {from}")?;
        }
        if !self.lengths.is_empty() {
            let lengths: Vec<String> = self.lengths.iter().map(|&l| report::bytes(l)).collect();
            write!(f, " @ {}", lengths.join("+"))?;
        }
        Ok(())
    }
}

impl FromStr for Subject {
    type Err = String;

    fn from_str(text: &str) -> Result<Subject, String> {
        let (rest, lengths) = match text.split_once(" @ ") {
            Some((rest, lengths)) => (rest, lengths.split('+').map(messages::length).collect()),
            None => (text, Ok(Vec::new())),
        };
        let lengths: Vec<usize> = lengths.map_err(|error| format!("{text:?}: {error}"))?;
        let (doing, rest) = match rest.rsplit_once(" of ") {
            Some((doing, rest)) => (Some(doing), rest),
            None => (None, rest),
        };
        let (algorithm, from) = match rest.split_once(" from ") {
            Some((algorithm, from)) => (algorithm, Some(from.to_owned())),
            None => (rest, None),
        };
        let wrong = || format!("{text:?} is nothing to measure");
        let number = |text: &str| text.parse().ok().filter(|&n: &usize| n > 0).ok_or_else(wrong);
        let doing = match doing {
            None if lengths.len() > 1 => Doing::Mix,
            None => Doing::Tag,
            Some("key") => Doing::Key,
            Some(doing) => match (doing.strip_prefix("batches of "), doing.split_once(' ')) {
                (Some(n), _) => Doing::Batch(number(n)?),
                (None, Some((n, "bits"))) => Doing::Front(number(n)?),
                (None, Some((n, "threads"))) => Doing::Threads(number(n)?),
                _ => return Err(wrong()),
            },
        };
        let fits = match doing {
            Doing::Key => lengths.is_empty(),
            Doing::Mix => lengths.len() > 1,
            _ => lengths.len() == 1,
        };
        if algorithm.is_empty() || !fits {
            return Err(wrong());
        }
        Ok(Subject { doing, algorithm: algorithm.to_owned(), from, lengths })
    }
}

/// The plain read of a message's memory, a row like others for messages of these lengths on.
pub const READ: &str = "plain read";

/// Messages of this length and longer are the beginning of one buffer in huge pages.
pub const LONG: usize = 1 << 20;

/// The rivals of this build, and the resolver of ours.
pub struct Engines {
    rivals: Vec<Engine>,
    absent: Vec<String>,
}

impl Engines {
    pub fn new() -> Engines {
        let (rivals, absent) = rivals::all();
        Engines { rivals, absent }
    }

    /// What would bring the library of a rival, if it is not there.
    pub fn absent(&self, from: Option<&str>) -> Option<&str> {
        let line = self.absent.iter().find(|line| from.is_some_and(|from| line.starts_with(from)));
        line.map(String::as_str)
    }

    /// Everything that is not there.
    pub fn all_absent(&self) -> &[String] {
        &self.absent
    }

    /// One of ours, or a rival.
    pub fn find(&self, name: &str, from: Option<&str>) -> Result<Found<'_>, String> {
        let Some(from) = from else {
            let found = engines::find(name).map(Found::Ours);
            return found.ok_or_else(|| format!("nothing of ours is called {name:?}"));
        };
        let is_it = |engine: &&Engine| engine.name == name && engine.origin.starts_with(from);
        let found = self.rivals.iter().find(is_it).map(Found::Rival);
        found.ok_or_else(|| format!("no library of this build has {name:?} from {from}"))
    }

    /// Whether the subject can be measured, or only its library is not there.
    pub fn takes(&self, subject: &Subject) -> bool {
        let Subject { doing, algorithm, from, lengths } = subject;
        if self.absent(from.as_deref()).is_some() {
            return true;
        }
        let registered = || from.is_none() && registry::find(algorithm).is_some();
        if algorithm == READ {
            return matches!(doing, Doing::Tag) && lengths.iter().all(|&length| length >= LONG);
        }
        let Ok(engine) = self.find(algorithm, from.as_deref()) else { return false };
        match doing {
            Doing::Tag | Doing::Mix => lengths.iter().all(|&l| engine.takes(Mode::Single, l)),
            Doing::Batch(_) => {
                lengths.iter().all(|&l| l <= MAX_BATCH_LENGTH && engine.takes(Mode::Batch, l))
            }
            Doing::Key => registered(),
            Doing::Threads(_) => registered() && lengths.iter().all(|&length| length >= LONG),
            Doing::Front(bits) => from.is_none() && Receiver::takes(algorithm, *bits),
        }
    }
}

/// An engine of [`Engines::find`].
pub enum Found<'e> {
    Ours(Engine),
    Rival(&'e Engine),
}

impl std::ops::Deref for Found<'_> {
    type Target = Engine;

    fn deref(&self) -> &Engine {
        match self {
            Found::Ours(engine) => engine,
            Found::Rival(engine) => engine,
        }
    }
}

/// The tag the tables have of an engine: of 1500 bytes, the byte at i being i modulo 251, under the keys that all
/// engines have and the nonce 1, in hexadecimal digits, 16 bytes of it at most. By its definition where there is one.
pub fn expected(engine: &Engine) -> Result<String, String> {
    let message: Vec<u8> = (0..1500).map(|i| (i % 251) as u8).collect();
    engine.check(1, &message)?;
    let tag = match &engine.expected {
        Some(definition) => definition(1, &message),
        None => engine.tag(1, &message),
    };
    Ok(tag.to_le_bytes().iter().map(|byte| format!("{byte:02x}")).collect())
}

/// What a group of subjects, measured in turn, needs as long as it is measured.
pub struct Bench<'e> {
    subjects: Vec<(Subject, Device<'e>)>,
    messages: Messages,
    /// For messages that are [`LONG`].
    buffer: Option<Buffer>,
}

enum Device<'e> {
    Engine(Found<'e>),
    /// With its own batches.
    Batches(Found<'e>, Messages),
    Key(Box<Ours>),
    Threads(Box<Ours>, ThreadPool),
    Front(Box<Receiver>, usize),
    Read,
}

/// Longer messages are not tagged by the slow definitions.
const LONGEST_CHECKED: usize = 256 << 10;

/// Messages up to this length are checked with every start, longer ones with one.
const CHECKED_OFTEN: usize = 4096;

impl<'e> Bench<'e> {
    /// The engines are checked at their lengths.
    pub fn new(engines: &'e Engines, subjects: &[Subject]) -> Result<Bench<'e>, String> {
        let lengths = subjects.iter().flat_map(|subject| subject.lengths.iter().copied());
        let longest = lengths.max().unwrap_or(1);
        let is_long = longest >= LONG;
        let buffer = is_long.then(|| Buffer::new(longest).ok_or("there is not enough memory"));
        let buffer = buffer.transpose()?;
        let messages = Messages::new(&[if is_long { 1 } else { longest }], &[Mode::Single]);
        let device = |subject: &Subject| {
            let device = Device::new(engines, subject, &messages)?;
            Ok::<_, String>((subject.clone(), device))
        };
        let subjects = subjects.iter().map(device).collect::<Result<_, _>>()?;
        Ok(Bench { subjects, messages, buffer })
    }

    /// The kernel and origin of each subject, and what times it.
    pub fn cells(&self) -> Result<Vec<(&'static str, String, Cell<'_>)>, String> {
        self.subjects.iter().map(|(subject, device)| self.cell(subject, device)).collect()
    }

    fn cell<'a>(
        &'a self,
        subject: &Subject,
        device: &'a Device<'e>,
    ) -> Result<(&'static str, String, Cell<'a>), String> {
        let length = subject.lengths.first().copied().unwrap_or(0);
        let long = || &self.buffer.as_ref().expect("long messages have it").bytes()[..length];
        let of_ours = |kernel, cell| (kernel, OURS.to_owned(), cell);
        Ok(match device {
            Device::Read => {
                let (vectors, cell) = memory::read(long());
                (vectors, String::new(), cell)
            }
            Device::Key(ours) => of_ours(ours.kernel, ours.setup()),
            Device::Threads(ours, pool) => {
                of_ours(ours.kernel, memory::over_on_threads(ours, pool, long()))
            }
            Device::Front(receiver, bits) => {
                of_ours(receiver.kernel(), receiver.front(&self.messages, *bits)?)
            }
            Device::Batches(engine, messages) => {
                let cell = engine.cell(messages, Mode::Batch, length);
                (engine.kernel, engine.origin.clone(), cell)
            }
            Device::Engine(engine) => {
                let cell = if self.buffer.is_some() {
                    engine.over(&[vec![long()]])
                } else if subject.doing == Doing::Mix {
                    let packets = |start| {
                        subject.lengths.iter().map(|&l| self.messages.get(start, l)).collect()
                    };
                    engine.over(&(0..STARTS).map(packets).collect::<Vec<_>>())
                } else {
                    engine.cell(&self.messages, Mode::Single, length)
                };
                (engine.kernel, engine.origin.clone(), cell)
            }
        })
    }
}

impl<'e> Device<'e> {
    fn new(
        engines: &'e Engines,
        subject: &Subject,
        messages: &Messages,
    ) -> Result<Device<'e>, String> {
        let Subject { doing, algorithm, from, lengths } = subject;
        if algorithm == READ {
            return Ok(Device::Read);
        }
        let ours = || {
            let found = registry::find(algorithm);
            let found = found.ok_or_else(|| format!("the registry has no {algorithm:?}"))?;
            Ok::<_, String>(Box::new(Ours::new(found, Cpu::detect())))
        };
        Ok(match *doing {
            Doing::Key => Device::Key(ours()?),
            Doing::Threads(n) => {
                let pool = ThreadPoolBuilder::new().num_threads(n).build();
                Device::Threads(ours()?, pool.map_err(|error| format!("threads: {error}"))?)
            }
            Doing::Front(bits) => {
                Device::Front(Box::new(Receiver::new(algorithm, messages, lengths)), bits)
            }
            Doing::Tag | Doing::Mix | Doing::Batch(_) => {
                let engine = engines.find(algorithm, from.as_deref())?;
                for &length in lengths.iter().filter(|&&length| length <= LONGEST_CHECKED) {
                    let starts = if length <= CHECKED_OFTEN { STARTS } else { 1 };
                    for count in 0..starts {
                        engine.check(count, messages.get(count, length))?;
                    }
                }
                match *doing {
                    Doing::Batch(n) => {
                        Device::Batches(engine, Messages::in_batches_of(n, lengths[0]))
                    }
                    _ => Device::Engine(engine),
                }
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_as_they_are_written() {
        for name in [
            "UMAC-64 @ 43",
            "HMAC-SHA1 from OpenSSL @ 256K",
            "BLAKE3 keyed from blake3 @ 1G",
            "key of UMAC-2/8/512/16/SIGNED",
            "16 bits of UMAC16 @ 1500",
            "batches of 8 of UMAC-64 @ 43",
            "2 threads of PMAC-AES128 @ 64M",
            "UMAC-64 @ 43+256+1500",
        ] {
            assert_eq!(name.parse::<Subject>().unwrap().to_string(), name);
        }
        for name in ["", "UMAC-64", "key of UMAC-64 @ 43", " @ 43", "0 bits of UMAC16 @ 43"] {
            assert!(name.parse::<Subject>().is_err(), "{name:?}");
        }
    }

    #[test]
    fn what_can_not_be_measured_is_known() {
        let engines = Engines::new();
        for (name, takes) in [
            ("UMAC-64 @ 43", true),
            ("NOMAC @ 43", false),
            ("HMAC-SHA1 from hmac @ 43", true),
            ("HMAC-SHA1 from nowhere @ 43", false),
            ("MH-32 @ 4097", false),
            ("key of SHA-1", false),
            ("key of UMAC16", true),
            ("16 bits of UMAC16 @ 43", true),
            ("24 bits of UMAC16 @ 43", false),
            ("16 bits of UMAC-64 @ 43", false),
            ("batches of 3 of SHA-1 @ 43", false),
            ("plain read @ 43", false),
            ("plain read @ 1M", true),
        ] {
            assert_eq!(engines.takes(&name.parse().unwrap()), takes, "{name}");
        }
    }

    #[test]
    fn every_doing_is_right_and_wrong_sums_show() {
        let engines = Engines::new();
        for names in [
            &["UMAC-64 @ 43", "HMAC-SHA1 from hmac @ 43", "16 bits of UMAC16 @ 43"][..],
            &["batches of 1 of UMAC-64 @ 43", "batches of 5 of UMAC-64 @ 43"],
            &["UMAC-64 @ 43+256+1500", "SHA-1 @ 43+256+1500"],
            &["key of UMAC16"],
            &["UMAC-64 @ 1M", "SHA-1 @ 1M", "plain read @ 1M", "2 threads of UMAC-64 @ 1M"],
        ] {
            let subjects: Vec<Subject> = names.iter().map(|name| name.parse().unwrap()).collect();
            let bench = Bench::new(&engines, &subjects).unwrap();
            for (_, _, cell) in bench.cells().unwrap() {
                assert_eq!((cell.work)(5), (cell.expected)(5), "{}", cell.label);
                assert_ne!((cell.work)(4), (cell.expected)(5), "{}", cell.label);
            }
        }
    }
}
