//! [`Receiver`]: replay window and forgery budget around a key.

use super::budget::{Budget, price};
use super::window::{Place, Window};
use super::{PacketMac, SelectiveMac};
use core::fmt;
use core::ops::Range;

/// How many packets are verified side by side.
const BATCH: usize = 32;

/// Accepts each packet at most once, and only with its tag. The window has `64 * (WORDS - 1)` numbers: 1024 unless
/// told otherwise ([`Window`]).
///
/// After a restart a receiver knows no packet that it accepted before: begin with a number above
/// [`highest`](Self::highest), or with a new key.
pub struct Receiver<K: PacketMac, const WORDS: usize = 17> {
    key: K,
    window: Window<WORDS>,
    /// The first number that is not this receiver's.
    end: u64,
    budget: Budget,
    /// What an attempt costs.
    price: u128,
    counts: Counts,
}

/// What became of the packets so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Packets accepted.
    pub accepted: u64,
    /// Packets whose number had been accepted before.
    pub replayed: u64,
    /// Packets behind the window.
    pub too_old: u64,
    /// Packets whose number is not among those of this receiver.
    pub outside: u64,
    /// Packets whose tag was wrong: attempts at a forgery.
    pub forged: u64,
    /// Packets that were not looked at since the budget was spent.
    pub closed: u64,
}

/// Why a packet was not accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rejected {
    /// Its number was accepted before.
    Replayed,
    /// Its number is behind the window.
    TooOld,
    /// Its number is above those of this receiver.
    Outside,
    /// Its tag is wrong.
    Forged,
    /// The forgery budget has no room for another attempt: take another key, or a larger budget.
    Closed,
}

impl<K: PacketMac, const WORDS: usize> Receiver<K, WORDS> {
    /// A receiver that has accepted nothing and takes sequence numbers from `first` on. `budget` should have room
    /// for some attempts, each of 2^-[`attempt_exponent`](PacketMac::attempt_exponent), or it is closed at once.
    #[must_use]
    pub fn new(key: K, first: u64, budget: Budget) -> Self {
        Self::of_range(key, first..u64::MAX, budget)
    }

    /// A receiver for these sequence numbers only: for each sender that [`Sender::split`](super::Sender::split) made one.
    /// Ranges of receivers of one key must not meet, or each of them accepts what the other has.
    #[must_use]
    pub fn of_range(key: K, numbers: Range<u64>, budget: Budget) -> Self {
        Receiver {
            price: price(key.attempt_exponent()),
            key,
            window: Window::new(numbers.start),
            end: numbers.end,
            budget,
            counts: Counts::default(),
        }
    }

    /// Whether a packet of that number could be accepted. Nothing is changed, and nothing is promised.
    ///
    /// # Errors
    /// [`Rejected`] but [`Rejected::Forged`]: why it would not be accepted, whatever its tag.
    #[inline]
    pub fn check(&self, sequence: u64) -> Result<(), Rejected> {
        self.check_for(sequence, self.price)
    }

    /// Accepts a packet if its number is new and its tag is right. Only then the window moves.
    ///
    /// # Errors
    /// [`Rejected`]: why it was not accepted. The tag of what is replayed or too old is not looked at.
    #[inline]
    pub fn open(&mut self, sequence: u64, message: &[u8], tag: &K::Tag) -> Result<(), Rejected> {
        let outcome = self.check(sequence).and_then(|()| {
            let right = self.key.tag_packet(sequence, message) == *tag;
            if right { Ok(()) } else { Err(Rejected::Forged) }
        });
        self.settle(sequence, outcome, self.price)
    }

    /// [`open`](Self::open) of packets in order, with the same outcomes; their tags are made side by side.
    ///
    /// # Panics
    /// If `packets` and `outcomes` differ in length.
    pub fn open_many(
        &mut self,
        packets: &[(u64, &[u8], K::Tag)],
        outcomes: &mut [Result<(), Rejected>],
    ) {
        assert_eq!(packets.len(), outcomes.len(), "one outcome for each packet");
        for (packets, outcomes) in packets.chunks(BATCH).zip(outcomes.chunks_mut(BATCH)) {
            let mut fresh = 0;
            for (packet, outcome) in packets.iter().zip(&mut *outcomes) {
                *outcome = self.check(packet.0);
                fresh += usize::from(outcome.is_ok());
            }
            let mut valid = [false; BATCH];
            if fresh == packets.len() {
                self.key.verify_packets(packets, &mut valid[..fresh]);
            } else {
                let mut some = [packets[0]; BATCH];
                let those = packets.iter().zip(&*outcomes).filter(|(_, outcome)| outcome.is_ok());
                some.iter_mut().zip(those).for_each(|(slot, (packet, _))| *slot = *packet);
                self.key.verify_packets(&some[..fresh], &mut valid[..fresh]);
            }
            let mut valid = valid.iter();
            for ((sequence, ..), outcome) in packets.iter().zip(outcomes) {
                let right =
                    *outcome != Ok(()) || *valid.next().expect("one for each that is fresh");
                // Asked again: an earlier one of these packets may have had its number, moved the window or spent
                // the budget. Then nobody learns what its tag was.
                let now =
                    self.check(*sequence).and(if right { Ok(()) } else { Err(Rejected::Forged) });
                *outcome = self.settle(*sequence, now, self.price);
            }
        }
    }

    /// The whole sequence number of a packet that carries its low 32 bits only (extended sequence numbers, RFC
    /// 4303, appendix A): the one that is in the window, or nearest ahead of it. A wrong guess is a wrong
    /// tag. `None` if there is no such number.
    ///
    /// What is behind the window comes out 2^32 further on, and its tag is wrong there: with short numbers an old
    /// packet that is sent again is not told from a forgery, and spends the [`Budget`] like one.
    ///
    /// Who loses 2^32 - [`Window::SIZE`] packets in a row has to find the number in another way.
    #[must_use]
    pub fn extend(&self, low: u32) -> Option<u64> {
        let top = self.window.top().unwrap_or(self.window.first());
        // The lowest number of the window; it may be below zero, and then counts as those that wrap.
        let bottom = i128::from(top) - i128::from(Window::<WORDS>::SIZE - 1);
        // The one number with these low bits in 2^32 numbers from there on.
        let ahead = low.wrapping_sub(bottom as u32);
        u64::try_from(bottom + i128::from(ahead)).ok()
    }

    /// The largest number accepted so far.
    #[must_use]
    pub fn highest(&self) -> Option<u64> {
        self.window.top()
    }

    /// What became of the packets so far.
    #[must_use]
    pub fn counts(&self) -> Counts {
        self.counts
    }

    /// The bound on the probability that one of the attempts so far was accepted, in units of 2^-127.
    #[must_use]
    pub fn spent(&self) -> u128 {
        self.budget.spent()
    }

    /// Whether that is above the budget: only of one that does not close.
    #[must_use]
    pub fn is_overspent(&self) -> bool {
        self.budget.is_overspent()
    }

    /// Whether the budget is spent, so that no packet is looked at any more.
    #[must_use]
    pub fn is_closed(&self) -> bool {
        !self.budget.affords(self.price)
    }

    /// The key.
    #[must_use]
    pub fn key(&self) -> &K {
        &self.key
    }

    #[inline]
    fn check_for(&self, sequence: u64, price: u128) -> Result<(), Rejected> {
        if sequence >= self.end {
            return Err(Rejected::Outside);
        }
        match self.window.place(sequence) {
            Place::Replayed => Err(Rejected::Replayed),
            Place::TooOld => Err(Rejected::TooOld),
            Place::Fresh if !self.budget.affords(price) => Err(Rejected::Closed),
            Place::Fresh => Ok(()),
        }
    }

    /// Counts an outcome and, if it is a good one, moves the window.
    #[inline]
    fn settle(
        &mut self,
        sequence: u64,
        outcome: Result<(), Rejected>,
        price: u128,
    ) -> Result<(), Rejected> {
        let counts = &mut self.counts;
        let count = match outcome {
            Ok(()) => {
                self.window.mark(sequence); // it was checked
                &mut counts.accepted
            }
            Err(Rejected::Replayed) => &mut counts.replayed,
            Err(Rejected::TooOld) => &mut counts.too_old,
            Err(Rejected::Outside) => &mut counts.outside,
            Err(Rejected::Closed) => &mut counts.closed,
            Err(Rejected::Forged) => {
                self.budget.spend(price);
                &mut counts.forged
            }
        };
        *count = count.saturating_add(1);
        outcome
    }
}

/// A packet that was accepted by a prefix of its tag. Not to be copied: it is finished once.
#[must_use = "the rest of the tag was not looked at"]
#[derive(Debug, PartialEq, Eq)]
pub struct Pending {
    sequence: u64,
    words: usize,
    exponent: u32,
}

impl Pending {
    /// Its sequence number.
    #[must_use]
    pub fn sequence(&self) -> u64 {
        self.sequence
    }

    /// How many words of its tag were right: all, if its number was far ahead.
    #[must_use]
    pub fn words(&self) -> usize {
        self.words
    }

    /// The bound on one attempt at this level as an exponent: 30 stands for 2^-30.
    #[must_use]
    pub fn log2_bound(&self) -> u32 {
        self.exponent
    }
}

/// Selective assurance.
impl<K: SelectiveMac, const WORDS: usize> Receiver<K, WORDS> {
    /// [`open`](Self::open) by the first words of the tag, for their share of the hashing: for classes of packets
    /// that are cheap to believe, or urgent. The level is the receiver's choice, never the packet's. A
    /// failure costs the budget what it is worth: one of 2^-15 as much as 2^45 of 2^-60.
    ///
    /// The budget must have room for attempts of that level: `Budget::close_at(40)` has none for one word of 2^-15.
    /// [`check`](Self::check) and [`is_closed`](Self::is_closed) speak of whole tags.
    ///
    /// A forgery at a low level is likelier, and must not move the window far: a number that is more than a
    /// window ahead is checked in full. Up to there it does: what was not accepted yet is too old then.
    ///
    /// # Errors
    /// [`Rejected`], as in [`open`](Self::open).
    ///
    /// # Panics
    /// If the key's tags do not have so many words.
    pub fn open_prefix(
        &mut self,
        sequence: u64,
        message: &[u8],
        tag: &K::Tag,
        words: usize,
    ) -> Result<Pending, Rejected> {
        let top = self.window.top().unwrap_or(self.window.first());
        let is_far = sequence.saturating_sub(top) > Window::<WORDS>::SIZE;
        let words = if is_far { self.key.words() } else { words };
        let exponent = self.key.exponent_of(words);
        let outcome = self.check_for(sequence, price(exponent)).and_then(|()| {
            let right = self.key.verify_prefix(sequence, message, tag, words);
            if right { Ok(()) } else { Err(Rejected::Forged) }
        });
        self.settle(sequence, outcome, price(exponent))?;
        Ok(Pending { sequence, words, exponent })
    }

    /// Checks the whole tag of a packet that was accepted by a prefix of its tag. Its number stays spent either way.
    ///
    /// # Errors
    /// [`Rejected::Forged`] if the tag is wrong: then what was done on the strength of the prefix must be
    /// undone. [`Rejected::Closed`] if the budget is spent; then it stays counted as accepted by a prefix of its tag.
    #[expect(clippy::needless_pass_by_value)] // what is finished is gone
    pub fn finish(
        &mut self,
        pending: Pending,
        message: &[u8],
        tag: &K::Tag,
    ) -> Result<(), Rejected> {
        let sequence = pending.sequence;
        let price = self.price;
        if !self.budget.affords(price) {
            self.counts.closed = self.counts.closed.saturating_add(1);
            return Err(Rejected::Closed);
        }
        if self.key.tag_packet(sequence, message) == *tag {
            return Ok(());
        }
        self.counts.accepted = self.counts.accepted.saturating_sub(1);
        self.settle(sequence, Err(Rejected::Forged), price)
    }
}

impl<K: PacketMac, const WORDS: usize> fmt::Debug for Receiver<K, WORDS> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "session::Receiver(highest {:?}, {:?})", self.highest(), self.counts)
    }
}

impl fmt::Display for Rejected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Rejected::Replayed => "a packet of this number was accepted before",
            Rejected::TooOld => "its number is behind the replay window",
            Rejected::Forged => "its tag is wrong",
            Rejected::Outside => "its number is not among those of this receiver",
            Rejected::Closed => {
                "the forgery budget has no room for another attempt: change the key, or allow more"
            }
        })
    }
}

impl core::error::Error for Rejected {}
