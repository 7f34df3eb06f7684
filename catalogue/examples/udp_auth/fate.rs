//! The fate of each datagram, and what the receiver must report.
//!
//! The fate of a datagram follows from the seed and its number alone, so the expected report can be computed without
//! the run. Delays are counted in datagrams of the sender. They are chosen so that the operating system's own
//! reordering, of at most `CREDIT` datagrams, changes no count: a forgery is far ahead of the genuine datagram, what is
//! too old is far behind the window, and it does not matter which of a packet and its copy counts as the replay.

use crate::support::Random;
use crate::{CREDIT, MESSAGE};

/// The receiver's window.
const WINDOW: u64 = 1024;

/// The most that a genuine datagram or its copy is late.
const LATE: u64 = 384;

/// The least by which a genuine datagram comes after a forgery with its number.
const BEHIND: u64 = 256;

/// The most by which a replay comes after the packet. Both delays together are within the window.
const REPLAY: u64 = 400;

/// The least delay of what is too old; the delay is below twice this. More than a hundred accepted packets come
/// between, which moved the window beyond it.
const OLD: u64 = 2048;

const _: () = assert!(LATE + REPLAY + CREDIT < WINDOW);
const _: () = assert!(OLD > WINDOW + LATE + CREDIT + 256 && BEHIND > 2 * CREDIT);

/// The longest delay.
pub const LONGEST: u64 = 2 * OLD;

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

/// What the relay does, and the number of datagrams.
#[derive(Clone, Debug)]
pub struct Plan {
    pub seed: u64,
    pub count: u64,
    /// The number of the first datagram.
    pub first: u64,
    /// How many bytes of each number are sent: 4 or 8.
    pub head: usize,
    pub shares: Shares,
}

pub struct Fate {
    /// Its delay; `None` if it is lost.
    pub delay: Option<u64>,
    /// What else arrives, and its delay.
    pub extra: Option<(u64, Extra)>,
}

#[derive(Clone, Copy, PartialEq)]
pub enum Extra {
    /// A copy.
    Replay,
    /// A copy, when its number is long behind the window.
    Old,
    Forged(Forgery),
    /// Too short.
    Malformed,
}

/// Forgeries. Their numbers are unused when they arrive; otherwise they would count as replays.
#[derive(Clone, Copy, PartialEq)]
pub enum Forgery {
    /// One bit of the tag is flipped. The genuine datagram arrives later or never.
    Tag,
    /// One bit of the message is flipped.
    Message,
    /// The number is one that the sender never reaches.
    Number,
    /// Everything made up.
    All,
}

/// What the receiver must report, or what it reports.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    pub accepted: u64,
    pub replayed: u64,
    pub too_old: u64,
    pub forged: u64,
    pub closed: u64,
    pub malformed: u64,
    /// The sum of the accepted numbers, whole ones.
    pub sum: u64,
}

impl Tally {
    /// The form in which one process sends it to another.
    pub fn to_array(self) -> [u64; 7] {
        let Tally { accepted, replayed, too_old, forged, closed, malformed, sum } = self;
        [accepted, replayed, too_old, forged, closed, malformed, sum]
    }

    pub fn from_array(array: [u64; 7]) -> Tally {
        let [accepted, replayed, too_old, forged, closed, malformed, sum] = array;
        Tally { accepted, replayed, too_old, forged, closed, malformed, sum }
    }
}

impl Plan {
    /// The index of a datagram. There are fewer than 2^32.
    pub fn index(&self, datagram: &[u8]) -> u64 {
        let low = datagram[..self.head].last_chunk().expect("4 bytes at least");
        u32::from_be_bytes(*low).wrapping_sub(self.first as u32).into()
    }

    fn random(&self, index: u64) -> Random {
        Random::new(self.seed.wrapping_add(index.wrapping_mul(0xd134_2543_de82_ef95)))
    }

    pub fn fate(&self, index: u64) -> Fate {
        let shares = &self.shares;
        let mut random = self.random(index);
        let is_lost = random.below(1000) < shares.lost;
        let is_late = random.below(1000) < shares.late;
        let mut delay = if is_late { 1 + random.below(LATE) } else { 0 };
        let draw = random.below(1000);
        let mut end = 0;
        let mut is_drawn = |share| {
            end += share;
            (end - share..end).contains(&draw)
        };
        let extra = if is_drawn(shares.replayed) {
            // The copy of a lost datagram would not be a replay.
            (!is_lost).then(|| (delay + 1 + random.below(REPLAY), Extra::Replay))
        } else if is_drawn(shares.old) {
            let late = OLD + random.below(OLD);
            // At the end, nothing moves the window any more.
            (index + late < self.count).then_some((late, Extra::Old))
        } else if is_drawn(shares.forged) {
            let (late, forgery) = match random.below(4) {
                0 => (0, Forgery::Tag),
                1 => (0, Forgery::Message),
                2 => (random.below(LATE), Forgery::Number),
                _ => (random.below(LATE), Forgery::All),
            };
            if matches!(forgery, Forgery::Tag | Forgery::Message) {
                delay = BEHIND + random.below(LATE - BEHIND);
            }
            Some((late, Extra::Forged(forgery)))
        } else {
            is_drawn(shares.malformed).then_some((0, Extra::Malformed))
        };
        Fate { delay: (!is_lost).then_some(delay), extra }
    }

    /// The extra datagram made from a genuine one.
    pub fn change(&self, index: u64, genuine: &[u8], extra: Extra) -> Vec<u8> {
        let mut random = self.random(!index);
        let mut datagram = genuine.to_vec();
        let (head, tag) = (self.head, self.head + MESSAGE);
        let mut turn_a_bit = |bytes: &mut [u8]| {
            let bit = random.below(8 * bytes.len() as u64);
            bytes[bit as usize / 8] ^= 1 << (bit % 8);
        };
        match extra {
            Extra::Replay | Extra::Old => {}
            // Longer than the relay's own datagrams.
            Extra::Malformed => {
                datagram.truncate(tag - 1 - random.below(MESSAGE as u64 / 2) as usize);
            }
            Extra::Forged(Forgery::Tag) if tag < datagram.len() => turn_a_bit(&mut datagram[tag..]),
            Extra::Forged(Forgery::Tag | Forgery::Message) => turn_a_bit(&mut datagram[head..tag]),
            Extra::Forged(forgery) => {
                let number = self.first + index + ((1 + random.below(4)) << 28);
                datagram[..head].copy_from_slice(&number.to_be_bytes()[8 - head..]);
                if forgery == Forgery::All {
                    for bytes in datagram[head..].chunks_mut(8) {
                        bytes.copy_from_slice(&random.next().to_be_bytes()[..bytes.len()]);
                    }
                }
            }
        }
        datagram
    }

    /// How many genuine datagrams arrive.
    pub fn accepted(&self) -> u64 {
        (0..self.count).filter(|index| self.fate(*index).delay.is_some()).count() as u64
    }

    /// What the receiver must report. If numbers are sent only in part, one behind the window looks like a future
    /// number and counts as a forgery. Without a MAC, the receiver accepts everything that has the right length.
    pub fn expected(&self, has_mac: bool) -> Tally {
        let mut tally = Tally::default();
        for index in 0..self.count {
            let Fate { delay, extra } = self.fate(index);
            if delay.is_some() {
                tally.accepted += 1;
                tally.sum = tally.sum.wrapping_add(self.first + index);
            }
            match extra.map(|(_, extra)| extra) {
                None => {}
                Some(Extra::Malformed) => tally.malformed += 1,
                Some(_) if !has_mac => tally.accepted += 1,
                Some(Extra::Replay) => tally.replayed += 1,
                Some(Extra::Old) if self.head == 8 => tally.too_old += 1,
                Some(Extra::Old | Extra::Forged(_)) => tally.forged += 1,
            }
        }
        Tally { sum: if has_mac { tally.sum } else { 0 }, ..tally }
    }
}
