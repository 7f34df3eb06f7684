//! What is measured, by the names that people write and the store keeps: `UMAC-64 @ 43`,
//! `HMAC-SHA1 from OpenSSL @ 1500`, `key of UMAC16`, `16 bits of UMAC16 @ 1500`, `UMAC-64 @ 43+256+1500`; the engine that a
//! name stands for, and what times it.

use crate::assurance::Receiver;
use crate::engine::Engine;
use crate::engines;
use crate::rivals::Rivals;
use crate::timing::messages::{self, Messages, Mode, STARTS, Size};
use crate::timing::rounds::Cell;
use anyhow::Result;
use std::fmt;
use std::rc::Rc;
use std::str::FromStr;
use wegman::Cpu;
use wegman_historical::umac_2000::Parameters;

/// Longer messages are not tagged by the slow definitions.
const LONGEST_CHECKED: usize = 256 << 10;

/// What is done with an algorithm.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Doing {
    /// Its tags are made, one message a call, those of several lengths in turn.
    Tag,
    /// The first bits of its tags are verified.
    Front(usize),
    /// Its keys are made.
    Key,
}

/// One thing to be measured.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Subject {
    pub doing: Doing,
    pub algorithm: String,
    /// The library of a rival.
    pub from: Option<String>,
    /// Of its messages: several of a mix, none of a key.
    pub lengths: Vec<usize>,
}

impl fmt::Display for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.doing {
            Doing::Tag => {}
            Doing::Front(bits) => write!(f, "{bits} bits of ")?,
            Doing::Key => write!(f, "key of ")?,
        }
        f.write_str(&self.algorithm)?;
        if let Some(from) = &self.from {
            write!(f, " from {from}")?;
        }
        let lengths: Vec<String> = self.lengths.iter().map(|&l| messages::bytes(l)).collect();
        let at = if lengths.is_empty() { "" } else { " @ " };
        write!(f, "{at}{}", lengths.join("+"))
    }
}

impl FromStr for Subject {
    type Err = String;

    fn from_str(text: &str) -> Result<Subject, String> {
        let wrong = || format!("{text:?} is nothing to measure");
        let (what, lengths) = match text.split_once(" @ ") {
            Some((what, lengths)) => (what, lengths.split('+').map(messages::length).collect()),
            None => (text, Ok(Vec::new())),
        };
        let lengths: Vec<usize> = lengths.map_err(|error| format!("{text:?}: {error}"))?;
        let (doing, rest) = match what.rsplit_once(" of ") {
            None => (Doing::Tag, what),
            Some(("key", rest)) => (Doing::Key, rest),
            Some((bits, rest)) => {
                let bits = bits.strip_suffix(" bits").and_then(|bits| bits.parse().ok());
                (Doing::Front(bits.filter(|&bits| bits > 0).ok_or_else(wrong)?), rest)
            }
        };
        let mut names = rest.splitn(2, " from ").map(str::to_owned);
        let algorithm = names.next().filter(|name| !name.is_empty()).ok_or_else(wrong)?;
        let subject = Subject { doing, algorithm, from: names.next(), lengths };
        match (doing, subject.lengths.len()) {
            (Doing::Key, 0) | (Doing::Front(_), 1) | (Doing::Tag, 1..) => Ok(subject),
            _ => Err(wrong()),
        }
    }
}

impl Rivals {
    /// What would bring the library of a rival, if it is not there.
    pub fn missing(&self, from: Option<&str>) -> Option<&String> {
        self.absent.iter().find(|line| from.is_some_and(|from| line.starts_with(from)))
    }

    /// One of ours, or a rival.
    pub fn find(&self, name: &str, from: Option<&str>) -> Option<Rc<Engine>> {
        let Some(from) = from else { return engines::find(name) };
        let is_it = |engine: &&Rc<Engine>| engine.name == name && engine.origin.starts_with(from);
        self.engines.iter().find(is_it).cloned()
    }

    /// The engine of a subject, if it can be measured in this build on this machine.
    pub fn engine(&self, subject: &Subject) -> Option<Rc<Engine>> {
        let Subject { doing, algorithm, from, lengths } = subject;
        let engine = self.find(algorithm, from.as_deref())?;
        let takes = match doing {
            Doing::Tag => lengths.iter().all(|&length| engine.takes(Mode::Single, length)),
            Doing::Key => from.is_none() && wegman_catalogue::find(algorithm).is_some(),
            Doing::Front(_) => from.is_none() && algorithm.parse::<Parameters>().is_ok(),
        };
        takes.then_some(engine)
    }

    /// What times a subject that has an engine, which is checked at its lengths.
    pub fn cell(&self, subject: &Subject, messages: &'static Messages) -> Result<Cell> {
        let Subject { doing, algorithm, lengths, .. } = subject;
        let mut engine = self.engine(subject).expect("the others are left out");
        match *doing {
            Doing::Key => {
                let found = wegman_catalogue::find(algorithm).expect("it is taken");
                return Ok(engines::setup(found, Cpu::detect()));
            }
            Doing::Front(bits) => {
                let receiver = Rc::new(Receiver::new(algorithm, messages, lengths[0]));
                engine = Rc::new(receiver.front(bits)?.0);
            }
            Doing::Tag => {
                for &length in lengths.iter().filter(|&&length| length <= LONGEST_CHECKED) {
                    engine.check_all(messages, Mode::Single, Size::Bytes(length))?;
                }
            }
        }
        let packets = |start| lengths.iter().map(move |&length| messages.get(start, length));
        Ok(match lengths[..] {
            [length] => engine.cell("", messages, Mode::Single, length),
            _ => {
                let packets = (0..STARTS).flat_map(packets).collect();
                engine.over("", packets, lengths.len(), Mode::Single, lengths[0].into())
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rivals;

    #[test]
    fn names_are_read_as_they_are_written() {
        for name in [
            "UMAC-64 @ 43",
            "HMAC-SHA1 from OpenSSL @ 256K",
            "BLAKE3 keyed from blake3 @ 1G",
            "key of UMAC-2/8/512/16/SIGNED",
            "16 bits of UMAC16 @ 1500",
            "UMAC-64 @ 43+256+1500",
        ] {
            assert_eq!(name.parse::<Subject>().unwrap().to_string(), name);
        }
        for name in [
            "",
            "UMAC-64",
            "key of UMAC-64 @ 43",
            " @ 43",
            "0 bits of UMAC16 @ 43",
            "x of UMAC16 @ 43",
            "16 bits of UMAC16 @ 43+256",
        ] {
            assert!(name.parse::<Subject>().is_err(), "{name:?}");
        }
    }

    #[test]
    fn what_can_not_be_measured_is_known() {
        let engines = rivals::all(None);
        for (name, takes) in [
            ("UMAC-64 @ 43", true),
            ("NOMAC @ 43", false),
            ("HMAC-SHA1 from hmac @ 43", true),
            ("HMAC-SHA1 from nowhere @ 43", false),
            ("MH32 @ 4097", false),
            ("key of SHA-1", false),
            ("key of UMAC16", true),
            ("16 bits of UMAC16 @ 43", true),
            ("16 bits of UMAC-64 @ 43", false),
        ] {
            assert_eq!(engines.engine(&name.parse().unwrap()).is_some(), takes, "{name}");
        }
    }

    #[test]
    fn every_doing_is_right_and_wrong_sums_show() {
        let (engines, messages) = (rivals::all(None), Messages::new(1500, Mode::Single, 0));
        for name in [
            "UMAC-64 @ 43",
            "HMAC-SHA1 from hmac @ 43",
            "16 bits of UMAC16 @ 43",
            "UMAC-64 @ 43+256+1500",
            "SHA-1 @ 43+256+1500",
            "key of UMAC16",
        ] {
            let cell = engines.cell(&name.parse().unwrap(), messages).unwrap();
            assert_eq!((cell.work)(5), (cell.expected)(5), "{}", cell.place);
            assert_ne!((cell.work)(4), (cell.expected)(5), "{}", cell.place);
        }
    }
}
