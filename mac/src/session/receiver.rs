//! [`Receiver`]: a key with its replay window and forgery budget.

use super::budget::Budget;
use super::channel::{BATCH, Channel, MOST_WANTED};
use super::ledger::Exceeded;
use super::{Authentic, Counts, END, PacketMac, Rejected, ReserveError, SavedReceiver, WrongKey};
use crate::bound::{Traffic, Units};
use crate::parts;
use crate::session::owner::{OtherProcess, Owner};
use core::fmt;
use core::ops::Range;

/// Accepts each packet at most once, and only with its tag. The window has `64 * (WORDS - 1)` numbers: 1024 by
/// default ([`Window`](super::Window)).
///
/// # Storage
/// A receiver made by [`new`](Self::new) forgets at its end which packets it accepted: do not use its key again. For a key
/// that outlives the process, [`reserve`](Self::reserve) stores a number above all those that it lets the receiver accept,
/// and the attempts that it lets it examine. So after a crash at any time, [`restore`](Self::restore) continues above them:
/// packets that were under way may be refused, but none is accepted twice, and no attempt is forgotten.
///
/// ```
/// use wegman::session::{Budget, Receiver, Rejected, SavedReceiver, Sender};
/// use wegman::umac;
///
/// let key = umac::Key::<8>::new(b"sixteen byte key");
/// let mut disk = Vec::new(); // a file: written, synced, renamed, its folder synced
/// let saved = SavedReceiver::starting_at(&key, 1);
/// let mut receiver: Receiver<_> = Receiver::restore(&key, saved, Budget::close_at(40))?;
/// let (number, tag) = Sender::new(&key, 1).seal(b"a packet")?;
/// assert_eq!(receiver.open(number, b"a packet", &tag), Err(Rejected::NotReserved));
/// receiver.reserve(1000, 100, 1 << 20, |saved| -> std::io::Result<()> {
///     disk = saved.to_bytes().to_vec();
///     Ok(())
/// })?;
/// assert_eq!(receiver.open(number, b"a packet", &tag)?.message(), b"a packet");
/// drop(receiver); // a crash
///
/// let saved = SavedReceiver::from_bytes(&disk)?;
/// let mut receiver: Receiver<_> = Receiver::restore(&key, saved, Budget::close_at(40))?;
/// assert_eq!(receiver.open(number, b"a packet", &tag), Err(Rejected::TooOld));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Receiver<K: PacketMac, const WORDS: usize = 17> {
    channel: Channel<K, WORDS>,
    /// The end of the numbers that are stored as perhaps accepted, if the receiver is stored.
    covered: Option<u64>,
    /// The largest number that was authentic but not covered.
    wanted: Option<u64>,
    budget: Budget,
    counts: Counts,
    /// Who accepts these packets.
    owner: Owner,
}

impl<K: PacketMac, const WORDS: usize> Receiver<K, WORDS> {
    /// A receiver that has accepted nothing and takes sequence numbers from `first` on. `budget` should have room for
    /// some attempts beside what the sender may tag; if not, the receiver is closed at once
    /// ([`is_closed`](Self::is_closed)). The largest number is 2^64 - 9.
    #[must_use]
    pub fn new(key: K, first: u64, budget: Budget) -> Self {
        Self::of_range(key, first..END, budget)
    }

    /// A receiver for the sequence numbers in `numbers` only, one for each sender of
    /// [`Sender::split`](super::Sender::split). The ranges of receivers with the same key must not overlap, or each
    /// accepts what the other has accepted.
    #[must_use]
    pub fn of_range(key: K, numbers: Range<u64>, budget: Budget) -> Self {
        let mut receiver = Receiver {
            channel: Channel::new(key, numbers.start, numbers.end.min(END)),
            covered: None,
            wanted: None,
            budget,
            counts: Counts::default(),
            owner: Owner::this_process(),
        };
        receiver.update();
        receiver
    }

    /// A receiver that continues from storage. It must [`reserve`](Self::reserve) numbers before it accepts anything. The
    /// limit and the longest message are stored with it, the budget is not.
    ///
    /// # Errors
    /// [`WrongKey`] if the state was saved under another key.
    #[expect(clippy::needless_pass_by_value, reason = "a state is restored once")]
    pub fn restore(key: K, saved: SavedReceiver, budget: Budget) -> Result<Self, WrongKey> {
        let SavedReceiver { key: id, first, end, spent, limits } = saved;
        if id != key.key_id() {
            return Err(WrongKey);
        }
        let mut receiver = Self::of_range(key, first..end, budget);
        receiver.channel.ledger.restore(spent, limits);
        receiver.covered = Some(first);
        receiver.update();
        Ok(receiver)
    }

    /// Tells the receiver the sender's limit, if [`Sender::with_limit`](super::Sender::with_limit) has lowered it. The
    /// bound is calculated for a sender that has tagged as much. Call it before the first packet.
    #[must_use]
    pub fn with_limit(mut self, limit: u64) -> Self {
        self.channel.ledger.set_limit(limit);
        self.update();
        self
    }

    /// Sets the longest message in bytes; the sender must have the same
    /// ([`Sender::with_longest`](super::Sender::with_longest)). Longer ones are refused. Call it before the first packet:
    /// after an attempt, the length is never lowered.
    #[must_use]
    pub fn with_longest(mut self, bytes: u64) -> Self {
        self.channel.ledger.set_longest(bytes);
        self.update();
        self
    }

    /// Lets the receiver accept numbers up to `numbers` above the largest authentic one, and examine `attempts` more
    /// forgeries, of `bytes` bytes in all, **after** `store` has stored a receiver that comes after them. `store` must be
    /// durable, or the protection is lost. If it fails, the receiver can do what it could before, and one made by
    /// [`new`](Self::new) can do nothing.
    ///
    /// # Errors
    /// [`ReserveError`]: whatever `store` returns; in a forked child, `store` is not called.
    pub fn reserve<E>(
        &mut self,
        numbers: u64,
        attempts: u64,
        bytes: u64,
        store: impl FnOnce(&SavedReceiver) -> Result<(), E>,
    ) -> Result<(), ReserveError<E>> {
        self.owner.check()?;
        // From now on the stored state is the limit, even if storing fails halfway. Never less than before: even a failed
        // attempt may have stored something.
        let first = self.channel.first_fresh();
        let covered = *self.covered.get_or_insert(first);
        let wanted = self.wanted.map_or(0, |number| number + 1);
        // Beside what is stored already, not on top of it: forgery attempts alone must not move it.
        let then = first.max(wanted).saturating_add(numbers).min(self.channel.end).max(covered);
        let more = Traffic { messages: attempts, cost: K::cost(attempts, bytes) };
        self.channel.ledger.limit_to_stored();
        let spent = self.channel.ledger.reserve(more);
        let result = store(&self.saved(then, spent)).map_err(ReserveError::Store);
        if result.is_ok() {
            self.covered = Some(then);
            self.channel.ledger.cover(spent);
        }
        self.update();
        result
    }

    /// The present state, for storage. The receiver is consumed, so it can accept nothing more.
    ///
    /// # Errors
    /// [`OtherProcess`] in a forked child: the present state is its parent's.
    pub fn into_saved(self) -> Result<SavedReceiver, OtherProcess> {
        self.owner.check()?;
        Ok(self.saved(self.channel.first_fresh(), self.channel.ledger.tried))
    }

    fn saved(&self, first: u64, spent: Traffic) -> SavedReceiver {
        let Channel { key, end, ledger, .. } = &self.channel;
        SavedReceiver { key: key.key_id(), first, end: *end, spent, limits: ledger.limits }
    }

    /// Calculates for which attempts there is room.
    fn update(&mut self) {
        self.channel.ledger.update(&self.channel.key, &self.budget);
    }

    /// Whether a packet with this number could be accepted now. Nothing changes, and the answer may change later.
    ///
    /// # Errors
    /// Any [`Rejected`] but [`Rejected::Forged`] and [`Rejected::TooLong`]: why the packet would be refused, whatever its
    /// tag.
    #[inline]
    pub fn check(&self, sequence: u64) -> Result<(), Rejected> {
        self.check_for(sequence, 0)
    }

    /// Accepts a packet if its number is new and its tag is right. The window moves only then.
    ///
    /// # Errors
    /// [`Rejected`]: why the packet was refused. If it is replayed or too old, its tag is not checked.
    #[inline]
    pub fn open<'m>(
        &mut self,
        sequence: u64,
        message: &'m [u8],
        tag: &K::Tag,
    ) -> Result<Authentic<'m>, Rejected> {
        self.open_parts(sequence, &[message], tag)
    }

    /// [`open`](Self::open) of a packet in parts, as they lie in memory.
    ///
    /// # Errors
    /// [`Rejected`], as in [`open`](Self::open).
    #[inline]
    pub fn open_parts<'m, const P: usize>(
        &mut self,
        sequence: u64,
        message: &[&'m [u8]; P],
        tag: &K::Tag,
    ) -> Result<Authentic<'m, P>, Rejected> {
        let bytes = parts::length(message) as u64;
        let outcome = self
            .check_for(sequence, bytes)
            .and_then(|()| self.judge(sequence, self.channel.is_right(sequence, message, tag)));
        self.settle(sequence, bytes, outcome)?;
        Ok(Authentic::new(*message))
    }

    /// [`open`](Self::open) for each packet in order, with the same outcomes but the tags computed side by side.
    ///
    /// # Panics
    /// If `packets` and `outcomes` differ in length.
    pub fn open_many<'m>(
        &mut self,
        packets: &[(u64, &'m [u8], K::Tag)],
        outcomes: &mut [Result<Authentic<'m>, Rejected>],
    ) {
        assert_eq!(packets.len(), outcomes.len(), "one outcome for each packet");
        for (packets, outcomes) in packets.chunks(BATCH).zip(outcomes.chunks_mut(BATCH)) {
            let are_right = self.channel.are_right(&self.budget, packets);
            for ((packet, is_right), outcome) in packets.iter().zip(are_right).zip(outcomes) {
                let &(sequence, message, _) = packet;
                let bytes = message.len() as u64;
                // Checked again: an earlier packet of this batch may have had the same number, moved the window or
                // spent the budget. Then the outcome does not show whether the tag was right.
                let now =
                    self.check_for(sequence, bytes).and_then(|()| self.judge(sequence, is_right));
                *outcome = self.settle(sequence, bytes, now).map(|()| Authentic::new([message]));
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
    /// After a loss of 2^32 - [`Window::SIZE`](super::Window::SIZE) packets in a row, the number must be found in another way.
    #[must_use]
    pub fn extend(&self, low: u32) -> Option<u64> {
        self.channel.window.extend(low.into(), 32)
    }

    /// The largest number accepted so far.
    #[must_use]
    pub fn highest(&self) -> Option<u64> {
        self.channel.window.top()
    }

    /// How many packets had each outcome so far.
    #[must_use]
    pub fn counts(&self) -> Counts {
        self.counts
    }

    /// The bound on the probability that at least one attempt so far was accepted, if the sender has tagged all that it
    /// may.
    #[must_use]
    pub fn spent(&self) -> Units {
        self.budget.spent(self.channel.ledger.forgery(&self.channel.key, Traffic::NONE))
    }

    /// Whether [`spent`](Self::spent) is above the budget, which happens only with a budget that does not close.
    #[must_use]
    pub fn is_overspent(&self) -> bool {
        self.budget.is_overspent(self.channel.ledger.forgery(&self.channel.key, Traffic::NONE))
    }

    /// Whether the budget is spent, so that no more packets are checked.
    #[must_use]
    pub fn is_closed(&self) -> bool {
        matches!(
            self.channel.ledger.check(&self.channel.key, &self.budget, 0),
            Err(Exceeded::Budget)
        )
    }

    /// The key.
    #[must_use]
    pub fn key(&self) -> &K {
        &self.channel.key
    }

    #[inline]
    fn check_for(&self, sequence: u64, bytes: u64) -> Result<(), Rejected> {
        self.owner.check()?;
        self.channel.check(&self.budget, sequence, bytes)
    }

    /// The outcome of a packet whose tag was looked at. Only here may an authentic packet be refused: its number is not
    /// stored.
    #[inline]
    fn judge(&mut self, sequence: u64, is_right: bool) -> Result<(), Rejected> {
        if !is_right {
            return Err(Rejected::Forged);
        }
        match self.covered {
            Some(covered) if sequence >= covered => {
                self.wanted = self.wanted.max(Some(sequence));
                Err(Rejected::NotReserved)
            }
            _ => Ok(()),
        }
    }

    /// Counts an outcome, and moves the window if it is good.
    #[inline]
    fn settle(
        &mut self,
        sequence: u64,
        bytes: u64,
        outcome: Result<(), Rejected>,
    ) -> Result<(), Rejected> {
        let Channel { key, window, ledger, .. } = &mut self.channel;
        match outcome {
            Ok(()) => window.mark(sequence), // callers have checked that it is fresh
            Err(Rejected::Forged) => ledger.attempt(key, &self.budget, bytes),
            // Too few attempts are reserved, or numbers, which is known already.
            Err(Rejected::NotReserved) => ledger.want(K::cost(1, bytes.min(MOST_WANTED))),
            Err(_) => {}
        }
        self.counts.add(outcome);
        outcome
    }
}

impl<K: PacketMac, const WORDS: usize> fmt::Debug for Receiver<K, WORDS> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "session::Receiver(highest {:?}, {:?})", self.highest(), self.counts)
    }
}
