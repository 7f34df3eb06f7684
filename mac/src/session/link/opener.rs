//! [`Opener`]: the half of a link that opens.

mod account;
mod storage;

use super::super::channel::{BATCH, Channel, MOST_WANTED};
use super::super::ledger::Limits;
use super::super::{Authentic, Budget, Counts, END, Rejected};
use super::schedule::Chain;
use super::sealer::EPOCH_LIMIT;
use super::{Header, LinkKey};
use crate::bound::{Probability, Traffic, Units};
use crate::parts;
use crate::session::owner::Owner;
use crate::wiped::Wiped;
use alloc::boxed::Box;
use alloc::vec::Vec;
use core::fmt;
use storage::Covered;

/// How many epochs after the present one a packet's may be. If more are lost in a row, the link is over; and for so many
/// keys a forged header can make a receiver work.
const BEYOND: u32 = 8;

/// The half of a [`Link`](super::Link) that opens.
///
/// # Storage
/// As for a [`Receiver`](super::super::Receiver): after a crash at any time, [`restore`](Self::restore) continues above all
/// numbers that may have been accepted, in the epoch that was stored last. The other end may have moved on; this one
/// follows its first packet.
pub struct Opener<K: LinkKey, const WORDS: usize = 17> {
    /// The epochs whose keys are here: the one before the present one for a while, the present one, and later ones that
    /// some header has named.
    epochs: Vec<Epoch<K, WORDS>>,
    /// Which of them is the present one: 0 or 1.
    present: usize,
    budget: Budget,
    /// What attempts have spent on epochs that are gone.
    gone: Units,
    /// Before the last restart, so much may have been tried in any epoch that begins from now on. What that has spent is
    /// in `gone`, but it makes later attempts dearer.
    floor: Traffic,
    counts: Counts,
    limits: Limits,
    covered: Option<Covered>,
    /// The largest number of the present epoch that was authentic but not covered.
    wanted: Option<u64>,
    /// The highest cost of an attempt that was not covered: later reservations have room for as many as that.
    wanted_cost: u64,
    /// Who accepts these packets.
    owner: Owner,
}

struct Epoch<K: LinkKey, const WORDS: usize> {
    number: u32,
    chain: Chain,
    /// What may have been tried in it before the last restart, and its bound with that.
    floor: Traffic,
    base: Units,
    /// What attempts have spent on this epoch: its bound without the base.
    spent: Units,
    channel: Channel<Box<Wiped<K>>, WORDS>,
}

impl<K: LinkKey, const WORDS: usize> Opener<K, WORDS> {
    pub(super) fn new(chain: Chain) -> Self {
        let mut opener = Opener {
            epochs: Vec::with_capacity(2),
            present: 0,
            budget: Budget::close_at(0),
            gone: Units::ZERO,
            floor: Traffic::NONE,
            counts: Counts::default(),
            limits: Limits { cost: K::LIMIT.min(EPOCH_LIMIT), ..Limits::of::<K>() },
            covered: None,
            wanted: None,
            wanted_cost: 0,
            owner: Owner::this_process(),
        };
        opener.add(0, chain, 0);
        opener.budget = opener.usual_budget();
        opener.update();
        opener
    }

    /// Replaces the budget for forgery attempts. It is for all epochs together.
    #[must_use]
    pub fn with_budget(mut self, budget: Budget) -> Self {
        self.budget = budget;
        self.update();
        self
    }

    /// [`Link::with_epoch_limit`](super::Link::with_epoch_limit) for this half.
    ///
    /// # Panics
    /// If the limit is 0, under which no message fits.
    #[must_use]
    pub fn with_epoch_limit(mut self, limit: u64) -> Self {
        assert_ne!(limit, 0, "no message fits under a limit of 0");
        self.limits.cost = self.limits.cost.min(limit);
        self.set_limits();
        self
    }

    /// [`Link::with_longest`](super::Link::with_longest) for this half.
    #[must_use]
    pub fn with_longest(mut self, bytes: u64) -> Self {
        self.limits.longest = bytes;
        self.set_limits();
        self
    }

    /// Accepts a packet if its number is new and its tag is right.
    ///
    /// # Errors
    /// [`Rejected`]: why the packet was refused. A header of an epoch that is over is [`Rejected::TooOld`], one too far
    /// after the present one [`Rejected::Outside`].
    #[inline(always)]
    pub fn open<'m, const P: usize>(
        &mut self,
        header: Header,
        message: &[&'m [u8]; P],
        tag: &K::Tag,
    ) -> Result<Authentic<'m, P>, Rejected> {
        // By value from here on, so that the parts stay in registers where nobody needs them in memory: what is stored in
        // halves and loaded as one waits for as long as a short tag takes.
        let message = *message;
        let bytes = parts::length(&message) as u64;
        let Some(Epoch { number, channel, .. }) = self.epochs.get(self.present) else {
            unreachable!("there is a present epoch")
        };
        // What almost all packets are: of the present epoch, with room for an attempt.
        let mut is_wrong = false;
        if *number == header.epoch
            && self.owner.is_this_process()
            && self.may_accept(header)
            && channel.has_room(header.number, bytes)
        {
            if channel.is_right(header.number, &message, tag) {
                self.mark(self.present, header.number);
                return Ok(Authentic::new(message));
            }
            is_wrong = true;
        }
        self.accept_rare(header, bytes, message, *tag, is_wrong)?;
        Ok(Authentic::new(message))
    }

    /// [`open`](Self::open) for any number of parts, without a proof of it: the caller must not use the message of a
    /// packet that was refused.
    ///
    /// # Errors
    /// [`Rejected`], as in [`open`](Self::open).
    pub fn accept(
        &mut self,
        header: Header,
        message: &[&[u8]],
        tag: &K::Tag,
    ) -> Result<(), Rejected> {
        let bytes = parts::length(message) as u64;
        self.judge(header, bytes, |channel| channel.is_right(header.number, message, tag))
    }

    /// Everything else: another epoch, or a packet that is refused; its tag may be known to be wrong. A function of its own:
    /// in its caller it would take the registers of what almost all packets need.
    #[cold]
    #[inline(never)]
    fn accept_rare<const P: usize>(
        &mut self,
        header: Header,
        bytes: u64,
        message: [&[u8]; P],
        tag: K::Tag,
        is_wrong: bool,
    ) -> Result<(), Rejected> {
        self.judge(header, bytes, |channel| {
            !is_wrong && channel.is_right(header.number, &message, &tag)
        })
    }

    /// The outcome of a packet, counted. It has moved the window if it was good.
    fn judge(
        &mut self,
        header: Header,
        bytes: u64,
        is_right: impl FnOnce(&Channel<Box<Wiped<K>>, WORDS>) -> bool,
    ) -> Result<(), Rejected> {
        let outcome = self.look_at(header, bytes, is_right);
        match self.place(header.epoch) {
            Some(place) if outcome.is_ok() => self.mark(place, header.number),
            _ => self.counts.add(outcome),
        }
        outcome
    }

    /// Of an attempt, it has been counted what it costs, and an authentic packet has moved the epoch.
    fn look_at(
        &mut self,
        header: Header,
        bytes: u64,
        is_right: impl FnOnce(&Channel<Box<Wiped<K>>, WORDS>) -> bool,
    ) -> Result<(), Rejected> {
        self.owner.check()?;
        let place = self.find(header.epoch)?;
        let epoch = &self.epochs[place];
        let mut check = epoch.channel.check(&self.budget_of(epoch), header.number, bytes);
        if check.is_ok() && !self.has_reserved(epoch, bytes) {
            check = Err(Rejected::NotReserved);
        }
        if check == Err(Rejected::NotReserved) {
            self.wanted_cost = self.wanted_cost.max(K::cost(1, bytes.min(MOST_WANTED)));
        }
        check?;
        let epoch = &self.epochs[place];
        if !is_right(&epoch.channel) {
            let cost = K::cost(1, bytes);
            let epoch = &mut self.epochs[place];
            epoch.channel.ledger.add(Traffic { messages: 1, cost });
            let number = epoch.number;
            if let Some(covered) = self.covered.as_mut().filter(|covered| covered.epoch != number) {
                let Traffic { messages, cost: before } = covered.left;
                covered.left = Traffic { messages: messages - 1, cost: before - cost };
            }
            self.update();
            return Err(Rejected::Forged);
        }
        if place > self.present {
            self.move_to(place);
        }
        if self.may_accept(header) {
            return Ok(());
        }
        if header.epoch == self.present().number {
            self.wanted = self.wanted.max(Some(header.number));
        }
        Err(Rejected::NotReserved)
    }

    /// The message, in one piece, of a packet that [`Sealer::seal_packet`](super::Sealer::seal_packet) has made, if it is
    /// authentic and new.
    ///
    /// # Errors
    /// [`Rejected`]: why the packet was refused.
    pub fn open_packet<'p>(&mut self, packet: &'p [u8]) -> Result<Authentic<'p>, Rejected> {
        let split = || {
            let (header, rest) = packet.split_first_chunk()?;
            let (message, tag) = rest.split_at_checked(rest.len().checked_sub(K::TAG_BYTES)?)?;
            Some((Header::from_bytes(header), message, K::Tag::try_from(tag).ok()?))
        };
        match split() {
            Some((header, message, tag)) => self.open(header, &[message], &tag),
            None => {
                self.counts.add(Err(Rejected::TooShort));
                Err(Rejected::TooShort)
            }
        }
    }

    /// [`open`](Self::open) for each packet in order, with the same outcomes but the tags of the present epoch computed
    /// side by side.
    ///
    /// # Panics
    /// If `packets` and `outcomes` differ in length.
    pub fn open_many<'m>(
        &mut self,
        packets: &[(Header, &'m [u8], K::Tag)],
        outcomes: &mut [Result<Authentic<'m>, Rejected>],
    ) {
        assert_eq!(packets.len(), outcomes.len(), "one outcome for each packet");
        for (packets, outcomes) in packets.chunks(BATCH).zip(outcomes.chunks_mut(BATCH)) {
            let present = self.present().number;
            let is_present = |(header, ..): &(Header, _, _)| header.epoch == present;
            if !packets.iter().all(is_present) {
                for ((header, message, tag), outcome) in packets.iter().zip(outcomes) {
                    *outcome = self.open(*header, &[*message], tag);
                }
                continue;
            }
            let mut wholes = [(0, &[][..], packets[0].2); BATCH];
            for (whole, (header, message, tag)) in wholes.iter_mut().zip(packets) {
                *whole = (header.number, *message, *tag);
            }
            let channel = &self.present().channel;
            let are_right = channel.are_right(&self.budget, &wholes[..packets.len()]);
            for ((packet, is_right), outcome) in packets.iter().zip(are_right).zip(outcomes) {
                let &(header, message, _) = packet;
                // As in `Receiver::open_many`: an earlier packet may have changed what can be accepted.
                let now = self.judge(header, message.len() as u64, |_| is_right);
                *outcome = now.map(|()| Authentic::new([message]));
            }
        }
    }

    /// The whole header of a packet with a short one. The epoch is the oldest with a key here, at most the one before the
    /// present, or nearest above it. The number is in that epoch's window or nearest above it. If that guess is wrong, so is the tag, and the packet counts as a forgery attempt. `None` if there is no such header.
    #[must_use]
    pub fn extend(&self, short: [u8; Header::SHORT_BYTES]) -> Option<Header> {
        let [low, number @ ..] = short;
        let [a, b, c] = number;
        let number = u32::from_be_bytes([0, a, b, c]).into();
        // Epochs may have been skipped between the one whose key is kept and the present one.
        let bottom = self.present().number.saturating_sub(1).min(self.epochs[0].number);
        let epoch = bottom.checked_add(low.wrapping_sub(bottom as u8).into())?;
        let number = match self.place(epoch) {
            Some(place) => self.epochs[place].channel.window.extend(number, 24)?,
            None => number,
        };
        Some(Header { epoch, number })
    }

    /// The epoch of the latest authentic packet.
    #[must_use]
    pub fn epoch(&self) -> u32 {
        self.present().number
    }

    /// The largest number accepted so far in the present epoch.
    #[must_use]
    pub fn highest(&self) -> Option<u64> {
        self.present().channel.window.top()
    }

    /// How many packets had each outcome so far.
    #[must_use]
    pub fn counts(&self) -> Counts {
        self.counts
    }

    /// Wipes the key of the epoch before the present one now. Late packets of it are refused.
    pub fn forget_previous(&mut self) {
        if self.present == 1 {
            let previous = self.epochs.remove(0);
            self.present = 0;
            self.retire(&previous);
        }
    }

    fn present(&self) -> &Epoch<K, WORDS> {
        &self.epochs[self.present]
    }

    /// Adds an epoch after the last one.
    fn add(&mut self, number: u32, chain: Chain, first: u64) {
        let mut channel = Channel::new(chain.key::<K>(), first, END);
        channel.ledger.set_limit(self.limits.cost);
        channel.ledger.set_longest(self.limits.longest);
        let floor = self.floor;
        channel.ledger.add(floor);
        let base = channel.ledger.forgery(&channel.key, Traffic::NONE);
        self.epochs.push(Epoch { number, chain, floor, base, spent: Units::ZERO, channel });
    }

    /// The place of an epoch whose key is here.
    fn place(&self, number: u32) -> Option<usize> {
        self.epochs.iter().position(|epoch| epoch.number == number)
    }

    /// The place of an epoch. Keys of later epochs are derived, and kept: a flood of forged headers makes them once.
    fn find(&mut self, number: u32) -> Result<usize, Rejected> {
        let present = self.present().number;
        if number > present.saturating_add(BEYOND) {
            return Err(Rejected::Outside);
        }
        if let Some(place) = self.place(number) {
            return Ok(place);
        }
        if number < present {
            return Err(Rejected::TooOld);
        }
        if self.is_closed() {
            return Err(Rejected::Closed);
        }
        loop {
            let last = self.epochs.last().expect("there is a present epoch");
            let (next, chain) = (last.number + 1, last.chain.next());
            self.add(next, chain, 0);
            self.update();
            if next == number {
                return Ok(self.epochs.len() - 1);
            }
        }
    }

    /// Makes a later epoch the present one, the present one the one before, and wipes those between and before.
    fn move_to(&mut self, place: usize) {
        let now = self.present;
        let skipped = self.epochs.drain(now + 1..place).collect::<Vec<_>>();
        skipped.into_iter().for_each(|epoch| self.retire(&epoch));
        self.forget_previous();
        (self.present, self.wanted) = (1, None);
        self.update();
    }

    /// Remembers what was spent on an epoch whose key goes.
    fn retire(&mut self, epoch: &Epoch<K, WORDS>) {
        self.gone = self.gone.plus(epoch.spent);
        if let Some(covered) = self.covered.as_mut().filter(|covered| covered.epoch == epoch.number)
        {
            covered.gone = epoch.spent;
        }
    }

    #[inline]
    fn mark(&mut self, place: usize, number: u64) {
        self.epochs[place].channel.window.mark(number);
        self.counts.add(Ok(()));
        if self.present == 1 {
            self.end_overlap();
        }
    }

    /// The key of the epoch before goes when this one has moved by a window.
    #[cold]
    fn end_overlap(&mut self) {
        let size = super::super::Window::<WORDS>::SIZE;
        if self.present().channel.window.top() >= Some(size) {
            self.forget_previous();
            self.update();
        }
    }
}

impl<K: LinkKey, const WORDS: usize> fmt::Debug for Opener<K, WORDS> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Opener(epoch {}, highest {:?}, {:?})", self.epoch(), self.highest(), self.counts)
    }
}
