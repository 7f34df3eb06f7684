//! What times a group of subjects.

use crate::assurance::Receiver;
use crate::engine::{Engine, OURS};
use crate::memory::{self, Buffer, READ};
use crate::papers::resolver::{Engines, LONG};
use crate::papers::subject::{Doing, Subject};
use crate::timing::messages::{Messages, Mode, STARTS, Size};
use crate::timing::ours;
use crate::timing::rounds::Cell;
use std::rc::Rc;
use wegman::Cpu;
use wegman_catalogue::Found;

/// What a group of subjects, measured in turn, needs as long as it is measured.
pub struct Bench {
    subjects: Vec<(Subject, Device)>,
    messages: Messages,
    /// For messages that are [`LONG`].
    buffer: Option<Buffer>,
}

enum Device {
    Engine(Rc<Engine>),
    /// With its own batches.
    Batches(Rc<Engine>, Messages),
    Key(Found),
}

/// Longer messages are not tagged by the slow definitions.
const LONGEST_CHECKED: usize = 256 << 10;

impl Bench {
    /// The engines are checked at their lengths.
    pub fn new(engines: &Engines, subjects: &[Subject]) -> Result<Bench, String> {
        let lengths = subjects.iter().flat_map(|subject| subject.lengths.iter().copied());
        let longest = lengths.max().unwrap_or(1);
        let is_long = longest >= LONG;
        let buffer = is_long.then(|| Buffer::new(longest).ok_or("there is not enough memory"));
        let buffer = buffer.transpose()?;
        let messages = Messages::new(&[if is_long { 1 } else { longest }], &[Mode::Single]);
        let device = |subject: &Subject| {
            Ok::<_, String>((subject.clone(), device(engines, subject, &messages)?))
        };
        let subjects = subjects.iter().map(device).collect::<Result<_, _>>()?;
        Ok(Bench { subjects, messages, buffer })
    }

    /// The kernel and origin of each subject, and what times it.
    pub fn cells(&self) -> impl Iterator<Item = (&'static str, String, Cell<'_>)> {
        self.subjects.iter().map(|(subject, device)| self.cell(subject, device))
    }

    fn cell<'a>(
        &'a self,
        subject: &Subject,
        device: &'a Device,
    ) -> (&'static str, String, Cell<'a>) {
        let length = subject.lengths.first().copied().unwrap_or(0);
        let (engine, cell) = match device {
            Device::Key(found) => {
                let (kernel, cell) = ours::setup(found.clone(), Cpu::detect());
                return (kernel, OURS.to_owned(), cell);
            }
            Device::Batches(engine, messages) => {
                (engine, engine.cell(messages, Mode::Batch, length))
            }
            Device::Engine(engine) => match &self.buffer {
                Some(buffer) => (engine, engine.over(&[vec![&buffer.bytes()[..length]]])),
                None if subject.doing == Doing::Mix => {
                    let packets = |start| {
                        subject.lengths.iter().map(|&l| self.messages.get(start, l)).collect()
                    };
                    (engine, engine.over(&(0..STARTS).map(packets).collect::<Vec<_>>()))
                }
                None => (engine, engine.cell(&self.messages, Mode::Single, length)),
            },
        };
        (engine.kernel, engine.origin.clone(), cell)
    }
}

fn device(engines: &Engines, subject: &Subject, messages: &Messages) -> Result<Device, String> {
    let Subject { doing, algorithm, from, lengths } = subject;
    if algorithm == READ {
        return Ok(Device::Engine(Rc::new(memory::simplest())));
    }
    let found = || {
        let found = wegman_catalogue::find(algorithm);
        found.ok_or_else(|| format!("the catalogue has no {algorithm:?}"))
    };
    let engine = || {
        let engine = engines.find(algorithm, from.as_deref())?;
        for &length in lengths.iter().filter(|&&length| length <= LONGEST_CHECKED) {
            engine.check_all(messages, Mode::Single, Size::Bytes(length))?;
        }
        Ok::<_, String>(engine)
    };
    Ok(match *doing {
        Doing::Key => Device::Key(found()?),
        Doing::Threads(n) => Device::Engine(Rc::new(ours::on_threads(found()?, n)?)),
        Doing::Front(bits) => {
            let receiver = Rc::new(Receiver::new(algorithm, messages, lengths[0]));
            Device::Engine(Rc::new(receiver.front(messages, bits)?.0))
        }
        Doing::Batch(n) => Device::Batches(engine()?, Messages::in_batches_of(n, lengths[0])),
        Doing::Tag | Doing::Mix => Device::Engine(engine()?),
    })
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
            for (_, _, cell) in bench.cells() {
                assert_eq!((cell.work)(5), (cell.expected)(5), "{}", cell.label);
                assert_ne!((cell.work)(4), (cell.expected)(5), "{}", cell.label);
            }
        }
    }
}
