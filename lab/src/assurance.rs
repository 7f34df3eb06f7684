//! `wegman-bench assurance`: what the check of a tag's front costs beside that of the whole tag ("selective
//! assurance"), by the engine that has both, `umac_2000`.
//!
//! The authors' note on UMAC32 and UMAC16 (2000), "Selective-assurance verifiability": of a 64-bit tag the first
//! 32 bits can be verified "at nearly twice the speed of verifying the whole thing", and with UMAC16 the first 16
//! bits "at nearly four times the speed".

use crate::oracles;
use crate::progress::progress;
use serde::Serialize;
use std::fmt::Write as _;
use std::time::Duration;
use wegman_catalogue::AnyTag;
use wegman_historical::umac_2000::{Assurance, Parameters};
use wegman_historical::{Nonce, Umac2000};
use wegman_timing::measure::Clock;
use wegman_timing::messages::{Messages, Mode, STARTS};
use wegman_timing::ours::THREE_SECRETS;
use wegman_timing::report::{self, digits};
use wegman_timing::rounds::{self, Cell};

/// Whose tags.
const NAMES: [&str; 4] = ["UMAC16", "UMAC32", "UMAC-2/16/1024/16/SIGNED", "UMAC-4/16"];

/// The front of a tag and the messages of one length.
#[derive(Serialize)]
pub struct Level {
    /// The algorithm.
    pub algorithm: String,
    /// The kernel.
    pub kernel: &'static str,
    /// Bits of the tag that are checked.
    pub bits: usize,
    /// What a forger has to guess for that.
    pub bound: String,
    /// Bytes in a message.
    pub length: usize,
    /// Core cycles a byte, if they can be known.
    pub cpb: Option<f64>,
    /// Nanoseconds a message.
    pub ns: f64,
    /// Interquartile range of the blocks divided by their median.
    pub spread: f64,
    /// How many times as fast as the check of the whole tag.
    pub times: f64,
    /// How many times as fast the authors' note says it nearly is, if it says so.
    pub papers: Option<u32>,
}

/// What was measured.
pub struct Levels {
    clock_ghz: Option<f64>,
    levels: Vec<Level>,
}

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

/// How much faster the authors' note says a prefix of `bits` bits is verified.
fn papers(parameters: &Parameters, bits: usize) -> Option<u32> {
    match (parameters.word_bytes(), 8 * parameters.output_bytes(), bits) {
        (_, 64, 32) => Some(2),
        (2, 64, 16) => Some(4),
        _ => None,
    }
}

/// Measures every level of every tag at these lengths, in turn, for about `time`.
pub fn run(clock: &Clock, lengths: &[usize], time: Duration) -> Result<Levels, String> {
    let messages = Messages::new(lengths, &[Mode::Single]);
    let receivers = NAMES.map(|name| Receiver::new(name, &messages, lengths));
    let mut cells = Vec::new();
    let mut places = Vec::new();
    for receiver in &receivers {
        for of_length in &receiver.tags {
            // The whole first: the others are compared with it.
            for words in (1..=receiver.key.parameters().words()).rev() {
                let level = receiver.level(&messages, of_length, words)?;
                cells.push(receiver.cell(&messages, of_length, level));
                places.push((receiver, of_length.0, level));
            }
        }
    }
    let run = rounds::run(clock, &cells, time, progress)?;
    let mut levels: Vec<Level> = Vec::new();
    let mut whole = 0.0;
    for ((receiver, length, level), timing) in places.into_iter().zip(&run.timings) {
        let cost = timing.cycles.unwrap_or(timing.ns);
        if level.is_full() {
            whole = cost.median;
        }
        levels.push(Level {
            algorithm: receiver.name.clone(),
            kernel: receiver.kernel(),
            bits: level.bits(),
            bound: level.bound(),
            length,
            cpb: timing.cycles.map(|cycles| cycles.median / length as f64),
            ns: timing.ns.median,
            spread: cost.spread,
            times: whole / cost.median,
            papers: papers(receiver.key.parameters(), level.bits()),
        });
    }
    Ok(Levels { clock_ghz: run.clock_ghz, levels })
}

/// For programs.
pub fn record(levels: &Levels) -> impl Serialize {
    serde_json::json!({
        "cpu": report::cpu_model(), "clock": levels.clock_ghz, "results": levels.levels,
    })
}

/// For people.
pub fn table(levels: &Levels) -> String {
    let unit = if levels.clock_ghz.is_some() { "cycles per byte" } else { "ns" };
    let mut text =
        format!("\nthe front of a tag verified: {unit}, and times the speed of the whole\n");
    for of_name in levels.levels.chunk_by(|a, b| a.algorithm == b.algorithm) {
        let Level { algorithm, kernel, .. } = &of_name[0];
        let _ = writeln!(text, "\n{algorithm} ({kernel})");
        let lengths: Vec<&[Level]> = of_name.chunk_by(|a, b| a.length == b.length).collect();
        let _ = write!(text, "{:>4}  {:<7}{:<9}", "bits", "bound", "papers");
        for levels in &lengths {
            let _ = write!(text, "{:>15}", format!("{} B", report::bytes(levels[0].length)));
        }
        for (row, first) in lengths[0].iter().enumerate() {
            let papers = first.papers.map_or_else(|| "-".into(), |times| format!("nearly {times}"));
            let _ = write!(text, "\n{:>4}  {:<7}{papers:<9}", first.bits, first.bound);
            for levels in &lengths {
                let Level { cpb, ns, times, .. } = levels[row];
                let _ = write!(text, "{:>9}{times:>6.2}", digits(cpb.unwrap_or(ns)));
            }
        }
        text.push('\n');
    }
    if let Some(ghz) = levels.clock_ghz {
        let _ = writeln!(text, "\ncore clock while measuring: {ghz:.2} GHz (median)");
    }
    if levels.levels.iter().any(|level| level.spread > report::UNQUIET) {
        let _ = writeln!(text, "{}", report::UNQUIET_NOTE);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn receivers(lengths: &[usize]) -> (Messages, [Receiver; 4]) {
        let messages = Messages::new(lengths, &[Mode::Single]);
        let receivers = NAMES.map(|name| Receiver::new(name, &messages, lengths));
        (messages, receivers)
    }

    #[test]
    fn every_level_of_every_tag_is_measured() {
        let levels = run(&Clock::start(), &[43, 1500], Duration::ZERO).unwrap();
        let text = table(&levels);
        assert!(text.lines().all(|line| line.len() <= 100), "{text}");
        let levels = &levels.levels;
        assert_eq!(levels.len(), 2 * (4 + 2 + 8 + 4));
        let bits: Vec<usize> = levels[..4].iter().map(|level| level.bits).collect();
        assert_eq!(bits, [64, 48, 32, 16]);
        assert_eq!((levels[0].times, &*levels[3].bound), (1.0, "2^-15"));
        let stated = |level: &&Level| level.papers.is_some();
        let stated: Vec<_> = levels.iter().filter(stated).map(|l| (l.bits, l.papers)).collect();
        let of_16 = [(32, Some(2)), (16, Some(4))];
        assert_eq!(stated, [of_16, of_16, [(32, Some(2)); 2]].concat());
        assert_eq!(text.matches("nearly 2").count(), 2, "{text}");
    }

    #[test]
    fn a_wrong_tag_shows() {
        let (messages, mut receivers) = receivers(&[43, 1500]);
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
