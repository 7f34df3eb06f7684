//! What times a group of subjects.

use crate::assurance::Receiver;
use crate::engine::OURS;
use crate::memory::{self, Buffer};
use crate::papers::resolver::{Engines, Found, LONG, READ};
use crate::papers::subject::{Doing, Subject};
use crate::timing::messages::{Messages, Mode, STARTS, Size};
use crate::timing::ours::Ours;
use crate::timing::rounds::Cell;
use rayon::{ThreadPool, ThreadPoolBuilder};
use wegman::Cpu;

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
            let found = wegman_catalogue::find(algorithm);
            let found = found.ok_or_else(|| format!("the catalogue has no {algorithm:?}"))?;
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
                    engine.check_all(messages, Mode::Single, Size::Bytes(length))?;
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
