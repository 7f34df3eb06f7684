//! `wegman-bench assurance`: what the check of a tag's front costs beside that of the whole tag ("selective
//! assurance"), by the engine that has both, `umac_2000`.
//!
//! The authors' note on UMAC32 and UMAC16 (2000), "Selective-assurance verifiability": of a 64-bit tag the first
//! 32 bits can be verified "at nearly twice the speed of verifying the whole thing", and with UMAC16 the first 16
//! bits "at nearly four times the speed".

use crate::engine::{Engine, Group, OURS, SECRET};
use crate::engines;
use crate::timing::messages::{Messages, Mode, STARTS};
use crate::timing::rounds::Cell;
use anyhow::{Result, bail};
use std::rc::Rc;
use wegman_catalogue::AnyTag;
use wegman_historical::umac_2000::{Assurance, Parameters};
use wegman_historical::{Nonce, Umac2000};

/// Whose tags.
const NAMES: [&str; 4] = ["UMAC16", "UMAC32", "UMAC-2/16/1024/16/SIGNED", "UMAC-4/16"];

/// Of which messages.
pub const LENGTHS: [usize; 5] = [256, 1500, 4096, 64 << 10, 256 << 10];

/// A key, and the right tags of the timed messages of one length.
pub struct Receiver {
    name: String,
    messages: &'static Messages,
    length: usize,
    key: Umac2000,
    /// Of message number 0, 1, ... each under its number as a nonce.
    tags: Vec<AnyTag>,
}

impl Receiver {
    /// The tags are the oracle's.
    pub fn new(name: &str, messages: &'static Messages, length: usize) -> Receiver {
        let parameters: Parameters = name.parse().expect("a name of the family");
        let key = Umac2000::new(&parameters, &SECRET[..parameters.key_bytes()]);
        let definition = engines::definition(name).expect("the oracle has the family");
        let tag = |count: u64| {
            AnyTag::new(&definition(count, messages.get(count, length))).expect("no tag is longer")
        };
        let tags = (0..STARTS).map(tag).collect();
        Receiver { name: name.to_owned(), messages, length, key: key.expect("its length"), tags }
    }

    /// The first bits of the tags verified, each answer the number of bits; and what they are worth.
    pub fn front(self: &Rc<Self>, bits: usize) -> Result<(Engine, Assurance)> {
        let words = bits / (8 * self.key.parameters().word_bytes());
        let level = self.level(words)?;
        let (name, kernel, receiver) = (&self.name, self.key.kernel(), Rc::clone(self));
        let engine = Engine::new(Group::ShortNonce, [name, kernel, OURS], move |count, message| {
            let start = count % STARTS;
            let tag = &receiver.tags[start as usize];
            let reached = receiver.key.verify_prefix(&Nonce::counter(start), message, tag, words);
            reached.map_or(0, |reached| reached.bits() as u128)
        });
        Ok((engine.summed_by(move |_, _| bits as u128), level))
    }

    /// What the first words of a tag are worth, after a check that this level reads all of them and
    /// nothing else.
    fn level(&self, words: usize) -> Result<Assurance> {
        let (nonce, message) = (Nonce::counter(0), self.messages.get(0, self.length));
        let verify = |wrong: Option<usize>| {
            let mut tag = self.tags[0].to_bytes().to_vec();
            wrong.and_then(|byte| tag.get_mut(byte)).into_iter().for_each(|byte| *byte ^= 1);
            let tag = AnyTag::new(&tag).expect("as long as before");
            self.key.verify_prefix(&nonce, message, &tag, words).ok()
        };
        let behind = words * self.key.parameters().word_bytes();
        match (verify(None), verify(Some(behind - 1)), verify(Some(behind))) {
            (Some(reached), None, Some(_)) => Ok(reached),
            _ => bail!(
                "{}, {words} words of the tag of {} bytes: accepted when wrong, or the other way round",
                self.name,
                self.length
            ),
        }
    }
}

/// Every level of every tag, the whole first: the others are compared with it.
pub fn cells(lengths: &[usize]) -> Result<Vec<Cell>> {
    let messages = Messages::new(*lengths.iter().max().expect("there are some"), Mode::Single, 0);
    let mut cells = Vec::new();
    for (name, &length) in NAMES.iter().flat_map(|name| lengths.iter().map(move |l| (name, l))) {
        let receiver = Rc::new(Receiver::new(name, messages, length));
        let mut whole = None;
        let parameters = receiver.key.parameters();
        for words in (1..=parameters.words()).rev() {
            let (mut engine, level) = receiver.front(8 * words * parameters.word_bytes())?;
            engine.origin = format!("{} bits, {}", level.bits(), level.bound());
            let whole = &*whole.get_or_insert(engine.origin.clone());
            let section = "the front of a tag verified";
            let cell = Rc::new(engine).cell(section, messages, Mode::Single, length);
            cells.push(cell.beside(whole));
        }
    }
    Ok(cells)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_level_of_every_tag_is_measured_beside_the_whole() {
        let cells = cells(&[43, 1500]).unwrap();
        assert_eq!(cells.len(), 2 * (4 + 2 + 8 + 4));
        let rows: Vec<(&str, bool)> = cells[..4]
            .iter()
            .map(|cell| (&*cell.place.from, cell.place.beside.is_some()))
            .collect();
        assert_eq!([rows[0], rows[3]], [("64 bits, 2^-60", false), ("16 bits, 2^-15", true)]);
        for cell in cells {
            assert_eq!((cell.work)(STARTS), (cell.expected)(STARTS), "{}", cell.place);
        }
    }

    #[test]
    fn a_wrong_tag_shows() {
        let messages = Messages::new(1500, Mode::Single, 0);
        for name in NAMES {
            let wrong = |at: usize, other: usize| {
                let mut receiver = Receiver::new(name, messages, 1500);
                receiver.tags[at] = receiver.tags[other];
                Rc::new(receiver).front(8 * 8)
            };
            // That of another message than the first one, which is looked at before.
            let (engine, _) = wrong(5, 4).unwrap();
            let cell = Rc::new(engine).cell("", messages, Mode::Single, 1500);
            assert!(cell.place.algorithm.starts_with(name));
            assert_ne!((cell.work)(STARTS), (cell.expected)(STARTS));
            assert!(wrong(0, 1).is_err());
        }
    }
}
