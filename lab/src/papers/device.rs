//! What times a subject.

use crate::assurance::Receiver;
use crate::engine::OURS;
use crate::papers::subject::{Doing, Subject};
use crate::rivals::Rivals;
use crate::speeds::{Job, Place};
use crate::timing::messages::{Messages, Mode, STARTS, Size};
use crate::timing::ours;
use std::rc::Rc;
use wegman::Cpu;

/// Longer messages are not tagged by the slow definitions.
const LONGEST_CHECKED: usize = 256 << 10;

/// As long as the longest that the subjects have.
pub fn messages<'s>(subjects: impl Iterator<Item = &'s Subject>) -> &'static Messages {
    let lengths = subjects.flat_map(|subject| &subject.lengths);
    Messages::new(&[*lengths.max().unwrap_or(&1)], &[Mode::Single])
}

/// What times a subject. Its engine is checked at its lengths.
pub fn job(
    engines: &Rivals,
    subject: &Subject,
    messages: &'static Messages,
) -> Result<Job, String> {
    let Subject { doing, algorithm, from, lengths } = subject;
    let engine = match *doing {
        Doing::Key => {
            let found = wegman_catalogue::find(algorithm).expect("it is taken");
            let (kernel, cell) = ours::setup(found, Cpu::detect());
            return Ok((Place::at("", [algorithm, kernel, OURS], "key", 0), cell));
        }
        Doing::Front(bits) => {
            let receiver = Rc::new(Receiver::new(algorithm, messages, lengths[0]));
            Rc::new(receiver.front(bits)?.0)
        }
        Doing::Tag | Doing::Mix => {
            let engine = engines.find(algorithm, from.as_deref())?;
            for &length in lengths.iter().filter(|&&length| length <= LONGEST_CHECKED) {
                engine.check_all(messages, Mode::Single, Size::Bytes(length))?;
            }
            engine
        }
    };
    let packets = |start| lengths.iter().map(move |&length| messages.get(start, length));
    let cell = match doing {
        Doing::Mix => engine.over((0..STARTS).flat_map(packets).collect(), lengths.len() as u64),
        _ => engine.cell(messages, Mode::Single, lengths[0]),
    };
    Ok((Place::new("", &engine, Mode::Single, lengths[0]), cell))
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
            let messages = messages(subjects.iter());
            for subject in &subjects {
                let (_, cell) = job(&engines, subject, messages).unwrap();
                assert_eq!((cell.work)(5), (cell.expected)(5), "{}", cell.label);
                assert_ne!((cell.work)(4), (cell.expected)(5), "{}", cell.label);
            }
        }
    }
}
