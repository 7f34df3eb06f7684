//! [`Receiver`]: a key with its replay window and forgery budget.

use super::budget::{Budget, price};
use super::window::{Place, Window};
use super::{PacketMac, SelectiveMac};
use core::fmt;
use core::ops::Range;

/// How many packets are verified as one batch.
const BATCH: usize = 32;

/// Accepts each packet at most once, and only with its tag. The window has `64 * (WORDS - 1)` numbers: 1024 by
/// default ([`Window`]).
///
/// After a restart, a receiver has forgotten which packets it accepted: begin with a number above
/// [`highest`](Self::highest), or change the key.
pub struct Receiver<K: PacketMac, const WORDS: usize = 17> {
    key: K,
    window: Window<WORDS>,
    /// The end of this receiver's numbers: the first that it refuses.
    end: u64,
    budget: Budget,
    /// The price of one forgery attempt.
    price: u128,
    counts: Counts,
}

/// How many packets had each outcome so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Counts {
    /// Packets accepted.
    pub accepted: u64,
    /// Packets whose number had been accepted before.
    pub replayed: u64,
    /// Packets behind the window.
    pub too_old: u64,
    /// Packets whose number is not one of this receiver's.
    pub outside: u64,
    /// Packets whose tag was wrong: attempts at a forgery.
    pub forged: u64,
    /// Packets that were not checked because the budget was spent.
    pub closed: u64,
}

/// Why a packet was not accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Rejected {
    /// Its number was accepted before.
    Replayed,
    /// Its number is behind the window.
    TooOld,
    /// Its number is above the range of this receiver.
    Outside,
    /// Its tag is wrong.
    Forged,
    /// The forgery budget has no room for another attempt: change the key, or allow more.
    Closed,
}

impl<K: PacketMac, const WORDS: usize> Receiver<K, WORDS> {
    /// A receiver that has accepted nothing and takes sequence numbers from `first` on. `budget` should have room for
    /// some attempts, each of 2^-[`attempt_exponent`](PacketMac::attempt_exponent); if not, the receiver is closed at
    /// once.
    #[must_use]
    pub fn new(key: K, first: u64, budget: Budget) -> Self {
        Self::of_range(key, first..u64::MAX, budget)
    }

    /// A receiver for the sequence numbers in `numbers` only, one for each sender of
    /// [`Sender::split`](super::Sender::split). The ranges of receivers with the same key must not overlap, or each
    /// accepts what the other has accepted.
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

    /// Whether a packet with this number could be accepted now. Nothing changes, and the answer may change later.
    ///
    /// # Errors
    /// Any [`Rejected`] but [`Rejected::Forged`]: why the packet would be refused, whatever its tag.
    #[inline]
    pub fn check(&self, sequence: u64) -> Result<(), Rejected> {
        self.check_for(sequence, self.price)
    }

    /// Accepts a packet if its number is new and its tag is right. The window moves only then.
    ///
    /// # Errors
    /// [`Rejected`]: why the packet was refused. If it is replayed or too old, its tag is not checked.
    #[inline]
    pub fn open(&mut self, sequence: u64, message: &[u8], tag: &K::Tag) -> Result<(), Rejected> {
        let outcome = self.check(sequence).and_then(|()| {
            let right = self.key.tag_packet(sequence, message) == *tag;
            if right { Ok(()) } else { Err(Rejected::Forged) }
        });
        self.settle(sequence, outcome, self.price)
    }

    /// [`open`](Self::open) for each packet in order, with the same outcomes but the tags computed side by side.
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
                // Checked again: an earlier packet of this batch may have had the same number, moved the window or
                // spent the budget. Then the outcome does not show whether the tag was right.
                let now =
                    self.check(*sequence).and(if right { Ok(()) } else { Err(Rejected::Forged) });
                *outcome = self.settle(*sequence, now, self.price);
            }
        }
    }

    /// The whole sequence number of a packet that carries only its low 32 bits (extended sequence numbers, RFC 4303,
    /// appendix A): the number that is in the window or nearest above it. If that guess is wrong, so is the tag. `None`
    /// if there is no such number.
    ///
    /// A number behind the window comes out 2^32 too high, and the packet's tag is wrong for that number. So with short
    /// numbers, an old packet that is sent again looks like a forgery, and spends the [`Budget`] like one.
    ///
    /// After a loss of 2^32 - [`Window::SIZE`] packets in a row, the number must be found in another way.
    #[must_use]
    pub fn extend(&self, low: u32) -> Option<u64> {
        let top = self.window.top().unwrap_or(self.window.first());
        // The lowest number of the window. Below zero, it stands for the numbers that wrap.
        let bottom = i128::from(top) - i128::from(Window::<WORDS>::SIZE - 1);
        // Of the 2^32 numbers from `bottom` on, exactly one has these low bits.
        let ahead = low.wrapping_sub(bottom as u32);
        u64::try_from(bottom + i128::from(ahead)).ok()
    }

    /// The largest number accepted so far.
    #[must_use]
    pub fn highest(&self) -> Option<u64> {
        self.window.top()
    }

    /// How many packets had each outcome so far.
    #[must_use]
    pub fn counts(&self) -> Counts {
        self.counts
    }

    /// The bound on the probability that at least one attempt so far was accepted, in units of 2^-127.
    #[must_use]
    pub fn spent(&self) -> u128 {
        self.budget.spent()
    }

    /// Whether [`spent`](Self::spent) is above the budget, which happens only with a budget that does not close.
    #[must_use]
    pub fn is_overspent(&self) -> bool {
        self.budget.is_overspent()
    }

    /// Whether the budget is spent, so that no more packets are checked.
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

    /// Counts an outcome, and moves the window if it is good.
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
                self.window.mark(sequence); // callers have checked that it is fresh
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

/// A packet that was accepted by a prefix of its tag. It can't be copied: it is finished once.
#[must_use = "the rest of the tag was not checked"]
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

    /// How many words of its tag were checked: all, if its number was far ahead.
    #[must_use]
    pub fn words(&self) -> usize {
        self.words
    }

    /// The bound on one attempt at this level, as an exponent: 30 means 2^-30.
    #[must_use]
    pub fn log2_bound(&self) -> u32 {
        self.exponent
    }
}

/// Selective assurance.
impl<K: SelectiveMac, const WORDS: usize> Receiver<K, WORDS> {
    /// [`open`](Self::open) by the first `words` words of the tag, at a proportionate share of the hashing: for packets
    /// that are urgent, or harmless if forged. The level is the receiver's choice, never the packet's. A failure costs
    /// the budget its own bound: one attempt of 2^-15 costs as much as 2^45 attempts of 2^-60.
    ///
    /// The budget must have room for attempts of that level: `Budget::close_at(40)` has none for one word of 2^-15.
    /// [`check`](Self::check) and [`is_closed`](Self::is_closed) assume attempts at whole tags.
    ///
    /// A forgery at a low level is more likely, so it must not move the window far: the whole tag is checked if the
    /// number is more than a window ahead. Up to that distance the window moves, and numbers that fall behind it become
    /// too old.
    ///
    /// # Errors
    /// [`Rejected`], as in [`open`](Self::open).
    ///
    /// # Panics
    /// If `words` is 0 or more than a tag of this key has.
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

    /// Checks the whole tag of a packet that was accepted by a prefix of it. Its number stays used in either case.
    ///
    /// # Errors
    /// [`Rejected::Forged`] if the tag is wrong: then undo what was done because of the prefix.
    /// [`Rejected::Closed`] if the budget is spent: then the packet stays counted as accepted.
    #[expect(clippy::needless_pass_by_value)] // so that a packet is finished only once
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
