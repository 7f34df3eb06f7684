//! What the relay does to each datagram. It follows from the seed and the datagram's index. Delays are counted in
//! datagrams of the sender.

use crate::support::Random;
use crate::{Form, MESSAGE};
use wegman::session::Header;

/// The most that a genuine datagram is late.
const LATE: u64 = 384;

/// The most by which a replay comes after the packet.
const REPLAY: u64 = 400;

/// The least delay of what is too old; the delay is below twice this.
const OLD: u64 = 2048;

/// How many of a thousand datagrams have each fate.
#[derive(Clone, Copy, Debug)]
pub struct Shares {
    pub lost: u64,
    pub late: u64,
    pub replayed: u64,
    pub old: u64,
    pub forged: u64,
    pub malformed: u64,
}

impl Default for Shares {
    fn default() -> Self {
        Shares { lost: 20, late: 300, replayed: 20, old: 5, forged: 20, malformed: 5 }
    }
}

pub struct Fate {
    /// Its delay; `None` if it is lost.
    pub delay: Option<u64>,
    /// What else arrives, and its delay.
    pub extra: Option<(u64, Extra)>,
}

#[derive(Clone, Copy, PartialEq)]
pub enum Extra {
    /// A copy of what is not lost.
    Copy,
    Forged(Forgery),
    /// Too short.
    Malformed,
}

#[derive(Clone, Copy, PartialEq)]
pub enum Forgery {
    /// One bit of the tag is flipped.
    Tag,
    /// One bit of the message is flipped.
    Message,
    /// The number is a later one.
    Number,
    /// The epoch is a later one, sometimes one too far ahead.
    Epoch,
    /// Everything is made up.
    All,
}

/// A datagram on its way to the receiver, and what the relay knows of it.
#[derive(Clone)]
pub struct Datagram {
    pub bytes: Vec<u8>,
    /// What it claims to be; `None` if it is too short.
    pub header: Option<Header>,
    /// Whether its tag is right for that header.
    pub is_genuine: bool,
    /// Of the genuine datagram of which it is made.
    pub index: u64,
}

fn random(seed: u64, index: u64) -> Random {
    Random::new(seed.wrapping_add(index.wrapping_mul(0xd134_2543_de82_ef95)))
}

impl Shares {
    pub fn fate(&self, seed: u64, index: u64) -> Fate {
        let mut random = random(seed, index);
        let is_lost = random.below(1000) < self.lost;
        let is_late = random.below(1000) < self.late;
        let delay = if is_late { 1 + random.below(LATE) } else { 0 };
        let draw = random.below(1000);
        let mut end = 0;
        let mut is_drawn = |share| {
            end += share;
            (end - share..end).contains(&draw)
        };
        let extra = if is_drawn(self.replayed) {
            (!is_lost).then(|| (delay + 1 + random.below(REPLAY), Extra::Copy))
        } else if is_drawn(self.old) {
            (!is_lost).then(|| (OLD + random.below(OLD), Extra::Copy))
        } else if is_drawn(self.forged) {
            let forgery = match random.below(5) {
                0 => Forgery::Tag,
                1 => Forgery::Message,
                2 => Forgery::Number,
                3 => Forgery::Epoch,
                _ => Forgery::All,
            };
            // Before the genuine datagram, between others, or after it.
            Some((random.below(LATE), Extra::Forged(forgery)))
        } else {
            is_drawn(self.malformed).then_some((0, Extra::Malformed))
        };
        Fate { delay: (!is_lost).then_some(delay), extra }
    }
}

impl Extra {
    /// What is made of a genuine datagram.
    pub fn of(self, genuine: &Datagram, seed: u64, form: Form) -> Datagram {
        let mut random = random(seed, !genuine.index);
        let mut made = genuine.clone();
        let (head, tag) = (form.head(), form.head() + MESSAGE);
        let mut turn_a_bit = |bytes: &mut [u8]| {
            let bit = random.below(8 * bytes.len() as u64);
            bytes[bit as usize / 8] ^= 1 << (bit % 8);
        };
        made.is_genuine = self == Extra::Copy;
        match self {
            Extra::Copy => {}
            Extra::Malformed => {
                made.bytes.truncate(tag - 1 - random.below(MESSAGE as u64 / 2) as usize);
                made.header = None;
            }
            Extra::Forged(Forgery::Tag) if tag < made.bytes.len() => {
                turn_a_bit(&mut made.bytes[tag..]);
            }
            Extra::Forged(Forgery::Tag | Forgery::Message) => {
                turn_a_bit(&mut made.bytes[head..tag]);
            }
            Extra::Forged(forgery) => {
                let Header { mut epoch, mut number } =
                    genuine.header.expect("what is genuine has a header");
                if forgery != Forgery::Epoch {
                    number += (1 + random.below(3)) << 22;
                }
                if forgery != Forgery::Number {
                    epoch += 1 + random.below(12) as u32;
                }
                let header = Header { epoch, number };
                made.bytes.splice(..head, form.bytes(header));
                made.header = Some(header);
                if forgery == Forgery::All {
                    for bytes in made.bytes[head..].chunks_mut(8) {
                        bytes.copy_from_slice(&random.next().to_be_bytes()[..bytes.len()]);
                    }
                }
            }
        }
        made
    }
}
