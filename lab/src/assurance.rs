//! `wegman-bench assurance`: what the check of a tag's front costs beside that of the whole tag ("selective
//! assurance"), by the engine that has both, `umac_2000`.
//!
//! The authors' note on UMAC32 and UMAC16 (2000), "Selective-assurance verifiability": of a 64-bit tag the first
//! 32 bits can be verified "at nearly twice the speed of verifying the whole thing", and with UMAC16 the first 16
//! bits "at nearly four times the speed".

use crate::oracles;
use crate::speeds::{Job, Place};
use crate::timing::messages::{Messages, Mode, STARTS, Size};
use crate::timing::ours::THREE_SECRETS;
use crate::timing::rounds::Cell;
use wegman_catalogue::AnyTag;
use wegman_historical::umac_2000::{Assurance, Parameters};
use wegman_historical::{Nonce, Umac2000};

/// Whose tags.
const NAMES: [&str; 4] = ["UMAC16", "UMAC32", "UMAC-2/16/1024/16/SIGNED", "UMAC-4/16"];

/// A key, and the right tags of the timed messages.
pub struct Receiver {
    name: String,
    key: Umac2000,
    /// Length after length, of message number 0, 1, ... each under its number as a nonce.
    tags: Vec<(usize, Vec<AnyTag>)>,
}

impl Receiver {
    /// Whether the family has this algorithm, and `bits` are whole words of its tags.
    pub fn takes(name: &str, bits: usize) -> bool {
        let is_front = |p: Parameters| {
            bits.is_multiple_of(8 * p.word_bytes()) && (1..=8 * p.output_bytes()).contains(&bits)
        };
        name.parse().is_ok_and(is_front)
    }

    /// The tags are the oracle's.
    pub fn new(name: &str, messages: &Messages, lengths: &[usize]) -> Receiver {
        let parameters: Parameters = name.parse().expect("a name of the family");
        let key = Umac2000::new(&parameters, &THREE_SECRETS[..parameters.key_bytes()]);
        let definition = oracles::find(name).expect("the oracle has the family");
        let tag = |length: usize, count: u64| {
            AnyTag::new(&definition(count, messages.get(count, length))).expect("no tag is longer")
        };
        let of = |&length: &usize| (length, (0..STARTS).map(|count| tag(length, count)).collect());
        let tags = lengths.iter().map(of).collect();
        Receiver { name: name.to_owned(), key: key.expect("its length"), tags }
    }

    /// The kernel of the key.
    pub fn kernel(&self) -> &'static str {
        self.key.kernel()
    }

    /// The first bits of the tags of messages of the first length verified.
    pub fn front<'a>(&'a self, messages: &'a Messages, bits: usize) -> Result<Cell<'a>, String> {
        let of_length = &self.tags[0];
        let words = bits / (8 * self.key.parameters().word_bytes());
        let level = self.level(messages, of_length, words)?;
        Ok(self.cell(messages, of_length, level))
    }

    /// What the first words of a tag are worth, after a check that this level reads all of them and
    /// nothing else.
    fn level(
        &self,
        messages: &Messages,
        (length, tags): &(usize, Vec<AnyTag>),
        words: usize,
    ) -> Result<Assurance, String> {
        let (nonce, message) = (Nonce::counter(0), messages.get(0, *length));
        let verify = |wrong: Option<usize>| {
            let mut tag = tags[0].to_bytes().to_vec();
            if let Some(byte) = wrong.and_then(|byte| tag.get_mut(byte)) {
                *byte ^= 1;
            }
            let tag = AnyTag::new(&tag).expect("as long as before");
            self.key.verify_prefix(&nonce, message, &tag, words).ok()
        };
        let behind = words * self.key.parameters().word_bytes();
        match (verify(None), verify(Some(behind - 1)), verify(Some(behind))) {
            (Some(reached), None, Some(_)) => Ok(reached),
            _ => Err(format!(
                "{}, {words} words of the tag of {length} bytes: accepted when wrong, or the other way \
                 round",
                self.name
            )),
        }
    }

    /// Messages of one length verified, each answer the number of bits.
    fn cell<'a>(
        &'a self,
        messages: &'a Messages,
        (length, tags): &'a (usize, Vec<AnyTag>),
        level: Assurance,
    ) -> Cell<'a> {
        let (words, bits) = (level.words(), level.bits());
        let verify = move |count: u64, message: &[u8]| {
            let start = count % STARTS;
            let tag = &tags[start as usize];
            let reached = self.key.verify_prefix(&Nonce::counter(start), message, tag, words);
            reached.map_or(0, |reached| reached.bits() as u128)
        };
        Cell {
            label: format!("{}, {bits} bits of {length} bytes", self.name),
            work: Box::new(move |calls| messages.single((*length).into(), calls, verify)),
            expected: Box::new(move |calls| u128::from(calls) * bits as u128),
            messages: 1,
        }
    }
}

/// The receivers of tags at these lengths.
pub fn receivers(messages: &Messages, lengths: &[usize]) -> [Receiver; NAMES.len()] {
    NAMES.map(|name| Receiver::new(name, messages, lengths))
}

/// Every level of every tag, the whole first: the others are compared with it.
pub fn jobs<'a>(receivers: &'a [Receiver], messages: &'a Messages) -> Result<Vec<Job<'a>>, String> {
    let mut jobs = Vec::new();
    for receiver in receivers {
        for of_length in &receiver.tags {
            let mut whole = None;
            for words in (1..=receiver.key.parameters().words()).rev() {
                let level = receiver.level(messages, of_length, words)?;
                let from = format!("{} bits, {}", level.bits(), level.bound());
                let place = Place {
                    section: "the front of a tag verified".to_owned(),
                    algorithm: receiver.name.clone(),
                    kernel: receiver.kernel().to_owned(),
                    from: from.clone(),
                    mode: Mode::Single.name(),
                    length: Size::Bytes(of_length.0),
                    beside: whole.clone(),
                };
                whole.get_or_insert((receiver.name.clone(), from));
                jobs.push((place, receiver.cell(messages, of_length, level)));
            }
        }
    }
    Ok(jobs)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made(lengths: &[usize]) -> (Messages, [Receiver; 4]) {
        let messages = Messages::new(lengths, &[Mode::Single]);
        let receivers = receivers(&messages, lengths);
        (messages, receivers)
    }

    #[test]
    fn every_level_of_every_tag_is_measured_beside_the_whole() {
        let (messages, receivers) = made(&[43, 1500]);
        let jobs = jobs(&receivers, &messages).unwrap();
        assert_eq!(jobs.len(), 2 * (4 + 2 + 8 + 4));
        let rows: Vec<(&str, bool)> =
            jobs[..4].iter().map(|(place, _)| (&*place.from, place.beside.is_some())).collect();
        assert_eq!([rows[0], rows[3]], [("64 bits, 2^-60", false), ("16 bits, 2^-15", true)]);
    }

    #[test]
    fn a_wrong_tag_shows() {
        let (messages, mut receivers) = made(&[43, 1500]);
        for receiver in &mut receivers {
            let words = receiver.key.parameters().words();
            let level = receiver.level(&messages, &receiver.tags[1], words).unwrap();
            let all_are_right = |receiver: &Receiver| {
                let cell = receiver.cell(&messages, &receiver.tags[1], level);
                assert!(cell.label.starts_with(&receiver.name));
                (cell.work)(STARTS) == (cell.expected)(STARTS)
            };
            assert!(all_are_right(receiver));
            // That of another message than the first one, which is looked at before.
            receiver.tags[1].1[5] = receiver.tags[1].1[4];
            assert!(!all_are_right(receiver));
            receiver.tags[0].1[0] = receiver.tags[0].1[1];
            assert!(receiver.level(&messages, &receiver.tags[0], words).is_err());
        }
    }
}
