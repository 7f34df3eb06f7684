//! What times a group of subjects.

use crate::assurance::Receiver;
use crate::engine::{Engine, OURS};
use crate::papers::subject::{Doing, Subject};
use crate::rivals::Rivals;
use crate::timing::messages::{Messages, Mode, STARTS, Size};
use crate::timing::ours;
use crate::timing::rounds::Cell;
use std::rc::Rc;
use wegman::Cpu;

/// What a group of subjects, measured in turn, needs as long as it is measured.
pub struct Bench {
    /// With an engine, except for keys.
    subjects: Vec<(Subject, Option<Rc<Engine>>)>,
    messages: Messages,
}

/// Longer messages are not tagged by the slow definitions.
const LONGEST_CHECKED: usize = 256 << 10;

impl Bench {
    /// The engines are checked at their lengths.
    pub fn new(engines: &Rivals, subjects: &[Subject]) -> Result<Bench, String> {
        let lengths = subjects.iter().flat_map(|subject| subject.lengths.iter().copied());
        let messages = Messages::new(&[lengths.max().unwrap_or(1)], &[Mode::Single]);
        let with_engine = |subject: &Subject| {
            Ok::<_, String>((subject.clone(), engine(engines, subject, &messages)?))
        };
        let subjects = subjects.iter().map(with_engine).collect::<Result<_, _>>()?;
        Ok(Bench { subjects, messages })
    }

    /// The kernel and origin of each subject, and what times it.
    pub fn cells(&self) -> impl Iterator<Item = (&'static str, String, Cell<'_>)> {
        self.subjects.iter().map(|(subject, engine)| {
            let Some(engine) = engine else {
                let found = wegman_catalogue::find(&subject.algorithm).expect("it is taken");
                let (kernel, cell) = ours::setup(found, Cpu::detect());
                return (kernel, OURS.to_owned(), cell);
            };
            let packets =
                |start| subject.lengths.iter().map(|&l| self.messages.get(start, l)).collect();
            let cell = match subject.doing {
                Doing::Mix => engine.over(&(0..STARTS).map(packets).collect::<Vec<_>>()),
                _ => engine.cell(&self.messages, Mode::Single, subject.lengths[0]),
            };
            (engine.kernel, engine.origin.clone(), cell)
        })
    }
}

fn engine(
    engines: &Rivals,
    subject: &Subject,
    messages: &Messages,
) -> Result<Option<Rc<Engine>>, String> {
    let Subject { doing, algorithm, from, lengths } = subject;
    Ok(match *doing {
        Doing::Key => None,
        Doing::Front(bits) => {
            let receiver = Rc::new(Receiver::new(algorithm, messages, lengths[0]));
            Some(Rc::new(receiver.front(messages, bits)?.0))
        }
        Doing::Tag | Doing::Mix => {
            let engine = engines.find(algorithm, from.as_deref())?;
            for &length in lengths.iter().filter(|&&length| length <= LONGEST_CHECKED) {
                engine.check_all(messages, Mode::Single, Size::Bytes(length))?;
            }
            Some(engine)
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rivals;

    #[test]
    fn every_doing_is_right_and_wrong_sums_show() {
        let engines = rivals::all(None);
        for names in [
            &["UMAC-64 @ 43", "HMAC-SHA1 from hmac @ 43", "16 bits of UMAC16 @ 43"][..],
            &["UMAC-64 @ 43+256+1500", "SHA-1 @ 43+256+1500"],
            &["key of UMAC16"],
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
