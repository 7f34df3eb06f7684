//! What the receiver must say to each datagram: a simple model of a replay window, epochs, short headers and restarts,
//! with sets instead of bits. It is told what the relay knows, whether a datagram is genuine, and no key.

use crate::Form;
use crate::fate::Datagram;
use std::collections::{BTreeMap, HashSet};
use wegman::session::Header;

/// Numbers of the window.
const WINDOW: u64 = 1024;

/// How many epochs ahead a packet may be.
const AHEAD: u32 = 8;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Outcome {
    Accepted,
    Replayed,
    TooOld,
    Outside,
    Forged,
    Malformed,
    Closed,
}

impl Outcome {
    pub const ALL: [Outcome; 7] = {
        use Outcome::*;
        [Accepted, Replayed, TooOld, Outside, Forged, Malformed, Closed]
    };

    /// The form in which the receiver reports it.
    pub fn letter(self) -> u8 {
        b"AROUFMC"[self as usize]
    }

    pub fn of_letter(letter: u8) -> Option<Outcome> {
        Outcome::ALL.into_iter().find(|outcome| outcome.letter() == letter)
    }
}

pub struct Model {
    form: Form,
    has_mac: bool,
    present: u32,
    /// The epoch before, as long as its key is there.
    previous: Option<u32>,
    epochs: BTreeMap<u32, Numbers>,
    /// All that was accepted by any process.
    accepted: HashSet<Header>,
}

#[derive(Default)]
struct Numbers {
    first: u64,
    top: Option<u64>,
    accepted: HashSet<u64>,
}

impl Model {
    pub fn new(form: Form, has_mac: bool) -> Model {
        Model {
            form,
            has_mac,
            present: 0,
            previous: None,
            epochs: BTreeMap::new(),
            accepted: HashSet::new(),
        }
    }

    /// A new process continues at `first`. Whether that is above all that the one before has accepted.
    pub fn restart(&mut self, first: Header) -> bool {
        let Header { epoch, number } = first;
        (self.present, self.previous) = (epoch, None);
        self.epochs = BTreeMap::from([(epoch, Numbers { first: number, ..Numbers::default() })]);
        self.accepted.iter().all(|header| *header < first)
    }

    /// What must be said to a datagram. If it is accepted, this model goes on.
    pub fn judge(&mut self, datagram: &Datagram) -> Outcome {
        let Some(claimed) = datagram.header else { return Outcome::Malformed };
        if !self.has_mac {
            return Outcome::Accepted;
        }
        let header = match self.form {
            Form::Long => claimed,
            Form::Short => self.extend(claimed),
        };
        let Header { epoch, number } = header;
        if epoch > self.present + AHEAD {
            return Outcome::Outside;
        }
        if epoch < self.present && Some(epoch) != self.previous {
            return Outcome::TooOld;
        }
        let numbers = self.epochs.entry(epoch).or_default();
        if number < numbers.first || numbers.top.is_some_and(|top| number + WINDOW <= top) {
            return Outcome::TooOld;
        }
        if numbers.accepted.contains(&number) {
            return Outcome::Replayed;
        }
        if !datagram.is_genuine || header != claimed {
            return Outcome::Forged;
        }
        numbers.top = numbers.top.max(Some(number));
        numbers.accepted.insert(number);
        let top = numbers.top;
        if epoch > self.present {
            (self.previous, self.present) = (Some(self.present), epoch);
        }
        if epoch == self.present && top >= Some(WINDOW) {
            self.previous = None;
        }
        self.accepted.insert(header);
        Outcome::Accepted
    }

    /// The last header of the present epoch.
    pub fn top(&self) -> Option<Header> {
        let number = self.epochs.get(&self.present)?.top?;
        Some(Header { epoch: self.present, number })
    }

    /// What a short header is taken for: the first epoch from the one before on, and the first number from the window's
    /// lowest on, with the same low bits.
    fn extend(&self, claimed: Header) -> Header {
        let same =
            |bits: u32, from: u64, low: u64| from + (low.wrapping_sub(from) & ((1 << bits) - 1));
        let epoch = same(8, self.present.saturating_sub(1).into(), claimed.epoch.into()) as u32;
        // An epoch of which nothing was accepted begins at 0.
        let lowest = self
            .epochs
            .get(&epoch)
            .map_or(0, |numbers| (numbers.top.unwrap_or(numbers.first) + 1).saturating_sub(WINDOW));
        Header { epoch, number: same(24, lowest, claimed.number) }
    }
}
