//! [`Opener`]: the half of a link that opens.

use super::super::channel::{BATCH, Channel, MOST_WANTED};
use super::super::ledger::Limits;
use super::super::{
    Authentic, Budget, Counts, END, Rejected, ReserveError, SavedReceiver, WrongKey,
};
use super::saved::SavedOpener;
use super::schedule::Chain;
use super::sealer::EPOCH_LIMIT;
use super::{Header, LinkKey};
use crate::bound::{History, Probability, Traffic, Units};
use crate::owner::{OtherProcess, Owner};
use crate::parts;
use crate::wiped::Wiped;
use alloc::boxed::Box;
use alloc::vec::Vec;
use core::fmt;

/// How many epochs ahead of the present one a packet may be. If more are lost in a row, the link is over; and for so many
/// keys a forged header can make a receiver work.
const AHEAD: u32 = 8;

/// The half of a [`Link`](super::Link) that opens.
///
/// # Storage
/// As for a [`Receiver`](super::super::Receiver): after a crash at any time, [`restore`](Self::restore) continues above all
/// numbers that may have been accepted, in the epoch that was stored last. The other end may have moved on; this one
/// follows its first packet.
pub struct Opener<K: LinkKey, const WORDS: usize = 17> {
    /// The epochs whose keys are here: the one before the present one for a while, the present one, and those ahead that
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

/// What is stored.
#[derive(Clone, Copy)]
struct Covered {
    epoch: u32,
    /// The end of the numbers that may be accepted.
    end: u64,
    /// What may be spent on other epochs.
    elsewhere: Units,
    /// What was spent on this epoch, when it is gone.
    gone: Units,
    /// The attempts that may still be made at other epochs.
    left: Traffic,
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

    /// A half that continues from storage. It must [`reserve`](Self::reserve) numbers before it accepts anything. Set the
    /// limit of an epoch, the longest message and the budget again, if they were not the usual ones.
    ///
    /// # Errors
    /// [`WrongKey`] if the state is of a link with another MAC.
    pub fn restore(saved: SavedOpener) -> Result<Self, WrongKey> {
        let SavedOpener { epoch, chain, receiver, elsewhere, floors: [here, there] } = saved;
        let SavedReceiver { key, first, spent, limits, .. } = receiver;
        let mut opener = Self::new(chain.clone());
        opener.epochs.clear();
        opener.limits = limits;
        opener.floor = here;
        opener.add(epoch, chain, first);
        let channel = &mut opener.epochs[0].channel;
        if channel.key.key_id() != key {
            return Err(WrongKey);
        }
        channel.ledger.restore(spent, limits);
        (opener.gone, opener.floor) = (elsewhere, there);
        let (gone, left) = (Units::ZERO, Traffic::NONE);
        opener.covered = Some(Covered { epoch, end: first, elsewhere, gone, left });
        opener.budget = opener.usual_budget();
        opener.update();
        Ok(opener)
    }

    /// [`Link::with_budget`](super::Link::with_budget) for this half.
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
    /// ahead [`Rejected::Outside`].
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
            let right = match message[..] {
                [whole] => channel.key.tag_packet(header.number, whole),
                _ => channel.key.tag_packet_parts(header.number, &message),
            };
            if right == *tag {
                self.epochs[self.present].channel.window.mark(header.number);
                self.counts.add(Ok(()));
                if self.present == 1 {
                    self.end_overlap();
                }
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
        let is_right = |channel: &Channel<_, WORDS>| channel.is_right(header.number, message, tag);
        let outcome = self.judge(header, bytes, is_right);
        self.settle(header, outcome)
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
        let outcome = self.judge(header, bytes, |channel| {
            !is_wrong && channel.is_right(header.number, &message, &tag)
        });
        self.settle(header, outcome)
    }

    /// The outcome of a packet: of an attempt, it has been counted what it costs, and an authentic packet has moved the
    /// epoch.
    fn judge(
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

    /// Counts an outcome, and moves the window if it is good.
    fn settle(&mut self, header: Header, outcome: Result<(), Rejected>) -> Result<(), Rejected> {
        match outcome {
            Ok(()) => self.mark(header),
            Err(_) => self.counts.add(outcome),
        }
        outcome
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
            Some((Header::from_bytes(header), message, K::tag_from(tag)?))
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
    #[allow(clippy::type_complexity, reason = "header, message, tag")]
    pub fn open_many<'m, const P: usize>(
        &mut self,
        packets: &[(Header, [&'m [u8]; P], K::Tag)],
        outcomes: &mut [Result<Authentic<'m, P>, Rejected>],
    ) {
        assert_eq!(packets.len(), outcomes.len(), "one outcome for each packet");
        for (packets, outcomes) in packets.chunks(BATCH).zip(outcomes.chunks_mut(BATCH)) {
            let present = self.present().number;
            let is_present = |(header, ..): &(Header, _, _)| header.epoch == present;
            if P != 1 || !packets.iter().all(is_present) {
                for ((header, message, tag), outcome) in packets.iter().zip(outcomes) {
                    *outcome = self.open(*header, message, tag);
                }
                continue;
            }
            let mut wholes = [(0, &[][..], packets[0].2); BATCH];
            for (whole, (header, message, tag)) in wholes.iter_mut().zip(packets) {
                *whole = (header.number, message[0], *tag);
            }
            let channel = &self.present().channel;
            let are_right = channel.are_right(&self.budget, &wholes[..packets.len()]);
            for ((packet, is_right), outcome) in packets.iter().zip(are_right).zip(outcomes) {
                let &(header, message, _) = packet;
                // As in `Receiver::open_many`: an earlier packet may have changed what can be accepted.
                let now = self.judge(header, message[0].len() as u64, |_| is_right);
                *outcome = self.settle(header, now).map(|()| Authentic::new(message));
            }
        }
    }

    /// What a packet with a short header has as its whole header: the epoch is the oldest whose key is here, at most the one
    /// before the present one, or nearest above it, the number is in that epoch's window or nearest above it. If that guess
    /// is wrong, so is the tag, and the packet counts as a forgery attempt. `None` if there is no such header.
    #[must_use]
    pub fn extend(&self, short: [u8; Header::SHORT_BYTES]) -> Option<Header> {
        let [low, number @ ..] = short;
        let [a, b, c] = number;
        let number = u32::from_be_bytes([0, a, b, c]).into();
        // Epochs may have been skipped between the one whose key is kept and the present one.
        let bottom = self.present().number.saturating_sub(1).min(self.epochs[0].number);
        let epoch = bottom.checked_add(low.wrapping_sub(bottom as u8).into())?;
        let known = self.epochs.iter().find(|known| known.number == epoch);
        let number = match known {
            Some(known) => known.channel.window.extend(number, 24)?,
            None => number,
        };
        Some(Header { epoch, number })
    }

    /// Lets this half accept numbers up to `numbers` above the largest authentic one of the present epoch, and examine as
    /// many more forgery attempts, of `bytes` bytes in all, **after** `store` has stored the half that comes after them, as
    /// [`Receiver::reserve`](super::super::Receiver::reserve) does. What is stored is **secret**. After the first packet of a
    /// new epoch ([`Rejected::NotReserved`]), reserve again.
    ///
    /// # Errors
    /// [`ReserveError`], as for [`Receiver::reserve`](super::super::Receiver::reserve).
    pub fn reserve<E>(
        &mut self,
        numbers: u64,
        attempts: u64,
        bytes: u64,
        store: impl FnOnce(&SavedOpener) -> Result<(), E>,
    ) -> Result<(), ReserveError<E>> {
        self.owner.check()?;
        let cost = K::cost(attempts, bytes).max(self.wanted_cost.saturating_mul(attempts));
        let more = Traffic { messages: attempts, cost };
        // An attempt costs most where the most were made.
        let prices = self.epochs.iter().map(|epoch| self.price(epoch, more));
        let allowance = prices.max().unwrap_or(Units::ZERO);
        let now = self.elsewhere(self.present().number);
        let present = &mut self.epochs[self.present];
        let (epoch, first) = (present.number, present.channel.first_fresh());
        let gone = Units::ZERO;
        let here = Covered { epoch, end: first, elsewhere: now, gone, left: Traffic::NONE };
        let covered = *self.covered.get_or_insert(here);
        let same = if covered.epoch == epoch { covered.end } else { 0 };
        let wanted = self.wanted.map_or(0, |number| number + 1);
        // Beside what is stored already, not on top of it: forgery attempts alone must not move it.
        let end = first.max(wanted).saturating_add(numbers).min(END).max(same);
        let elsewhere = now.plus(allowance).max(covered.elsewhere);
        // In an epoch that is not stored yet, what is stored for others limits the attempts until it is.
        if covered.epoch == epoch {
            present.channel.ledger.limit_to_stored();
        }
        let spent = present.channel.ledger.reserve(more);
        let key = present.channel.key.key_id();
        let receiver = SavedReceiver { key, first: end, end: END, spent, limits: self.limits };
        let chain = present.chain.clone();
        let floors = [present.floor, self.tried_elsewhere().plus(more)];
        let result = store(&SavedOpener { epoch, chain, receiver, elsewhere, floors })
            .map_err(ReserveError::Store);
        if result.is_ok() {
            self.epochs.iter_mut().for_each(|epoch| epoch.channel.ledger.uncover());
            self.epochs[self.present].channel.ledger.cover(spent);
            self.covered = Some(Covered { epoch, end, elsewhere, gone, left: more });
        }
        self.update();
        result
    }

    /// The present state, for storage at a clean exit. Packets below the largest number accepted are refused afterwards.
    /// The half is consumed.
    ///
    /// # Errors
    /// [`OtherProcess`] in a forked child: the present state is its parent's.
    pub fn into_saved(self) -> Result<SavedOpener, OtherProcess> {
        self.owner.check()?;
        let elsewhere = self.elsewhere(self.present().number);
        let Epoch { number: epoch, chain, channel, floor, .. } = self.present();
        let (key, first) = (channel.key.key_id(), channel.first_fresh());
        let (spent, limits) = (channel.ledger.spent(), self.limits);
        let receiver = SavedReceiver { key, first, end: END, spent, limits };
        let (chain, floors) = (chain.clone(), [*floor, self.tried_elsewhere()]);
        Ok(SavedOpener { epoch: *epoch, chain, receiver, elsewhere, floors })
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

    /// The bound on the probability that at least one attempt so far was accepted, in any epoch, if the other end has
    /// sealed all that it may.
    #[must_use]
    pub fn spent(&self) -> Units {
        self.budget.spent(self.spent_now())
    }

    /// Whether the budget is spent, so that no more packets are checked.
    #[must_use]
    pub fn is_closed(&self) -> bool {
        let present = self.present();
        let then = present.channel.ledger.forgery(&present.channel.key, ONE);
        !self.budget_of(present).affords(then)
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

    /// Before the first packet, as callers are told.
    fn set_limits(&mut self) {
        let Limits { cost, longest } = self.limits;
        for epoch in &mut self.epochs {
            epoch.channel.ledger.set_limit(cost);
            epoch.channel.ledger.set_longest(longest);
        }
        // After an attempt, the length is never lowered.
        self.limits.longest = self.present().channel.ledger.longest();
        for place in 0..self.epochs.len() {
            let epoch = &self.epochs[place];
            self.epochs[place].base = epoch.channel.key.forgery(&self.history(epoch.floor));
        }
        self.update();
    }

    /// The most that was tried in an epoch other than the present one.
    fn tried_elsewhere(&self) -> Traffic {
        let others = self.epochs.iter().filter(|epoch| epoch.number != self.present().number);
        others.fold(self.floor, |most, epoch| most.max(epoch.channel.ledger.spent()))
    }

    /// The place of an epoch. Keys of epochs ahead are derived, and kept: a flood of forged headers makes them once.
    fn find(&mut self, number: u32) -> Result<usize, Rejected> {
        let oldest = self.epochs[0].number;
        let present = self.present().number;
        if number > present.saturating_add(AHEAD) {
            return Err(Rejected::Outside);
        }
        let place = number.checked_sub(oldest).ok_or(Rejected::TooOld)? as usize;
        // Epochs were skipped between the one before and the present one.
        let place = match (self.present, number) {
            (1, number) if number == oldest => 0,
            (1, number) if number < present => return Err(Rejected::TooOld),
            (1, number) => 1 + (number - present) as usize,
            _ => place,
        };
        if place >= self.epochs.len() && self.is_closed() {
            return Err(Rejected::Closed);
        }
        while place >= self.epochs.len() {
            let last = self.epochs.last().expect("there is a present epoch");
            let (number, chain) = (last.number + 1, last.chain.next());
            self.add(number, chain, 0);
            self.update();
        }
        Ok(place)
    }

    /// Makes an epoch ahead the present one, the present one the one before, and wipes those between and before.
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

    /// Whether a packet of this header may be accepted, if it is authentic: whether it is stored as perhaps accepted.
    #[inline]
    fn may_accept(&self, header: Header) -> bool {
        match &self.covered {
            None => true,
            Some(covered) if covered.epoch == header.epoch => header.number < covered.end,
            // What is restored has no epoch before its own.
            Some(covered) => header.epoch < covered.epoch,
        }
    }

    /// Whether one more attempt is stored as perhaps made.
    fn has_reserved(&self, epoch: &Epoch<K, WORDS>, bytes: u64) -> bool {
        match &self.covered {
            Some(covered) if covered.epoch != epoch.number => {
                let attempt = Traffic { messages: 1, cost: K::cost(1, bytes) };
                let is_left = covered.left.messages >= 1 && covered.left.cost >= attempt.cost;
                let price = self.price(epoch, attempt);
                is_left && self.elsewhere(covered.epoch).plus(price) <= covered.elsewhere
            }
            // The epoch's own ledger knows.
            _ => true,
        }
    }

    /// Marks a number as accepted.
    #[inline]
    fn mark(&mut self, header: Header) {
        let place = usize::from(self.present == 1 && header.epoch != self.epochs[0].number);
        let window = &mut self.epochs[place].channel.window;
        window.mark(header.number);
        self.counts.add(Ok(()));
        if self.present == 1 && place == 1 {
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

    /// What the bound of an epoch has without an attempt, if all is sealed in it that may be.
    fn base(&self) -> Units {
        self.present().channel.key.forgery(&self.history(Traffic::NONE))
    }

    /// How many epochs the other end may have begun.
    fn begun(&self) -> u128 {
        u128::from(self.present().number) + 1 + u128::from(AHEAD)
    }

    /// What more attempts in an epoch would add.
    fn price(&self, epoch: &Epoch<K, WORDS>, more: Traffic) -> Units {
        let Units(then) = epoch.channel.ledger.forgery(&epoch.channel.key, more);
        Units(then.saturating_sub(epoch.base.0).saturating_sub(epoch.spent.0))
    }

    /// What was spent in all epochs, with the bases of all that may have begun.
    fn spent_now(&self) -> Units {
        let bases = self.base().times(self.begun()).plus(self.gone);
        self.epochs.iter().fold(bases, |sum, epoch| sum.plus(epoch.spent))
    }

    /// What attempts have spent in all epochs but one.
    fn elsewhere(&self, number: u32) -> Units {
        let its_own = match &self.covered {
            Some(covered) if covered.epoch == number => covered.gone,
            _ => Units::ZERO,
        };
        let gone = Units(self.gone.0.saturating_sub(its_own.0));
        let others = self.epochs.iter().filter(|epoch| epoch.number != number);
        others.fold(gone, |sum, epoch| sum.plus(epoch.spent))
    }

    /// The budget as it is for one epoch: what was spent elsewhere is spent.
    fn budget_of(&self, epoch: &Epoch<K, WORDS>) -> Budget {
        let base = self.base();
        let others = self.elsewhere(epoch.number).plus(base.times(self.begun() - 1));
        // What was tried in it before a restart is among what is gone, and in its own bound.
        let twice = epoch.base.0.saturating_sub(base.0);
        self.budget.and_spent(Units(others.0.saturating_sub(twice)))
    }

    /// Calculates again what was spent, and for which attempts there is room.
    fn update(&mut self) {
        for Epoch { channel, spent, base, .. } in &mut self.epochs {
            let Units(now) = channel.ledger.forgery(&channel.key, Traffic::NONE);
            *spent = Units(now.saturating_sub(base.0));
        }
        for place in 0..self.epochs.len() {
            let budget = self.budget_of(&self.epochs[place]);
            let channel = &mut self.epochs[place].channel;
            channel.ledger.update(&channel.key, &budget);
        }
    }

    /// 2^-40, or the two thirds of what one attempt costs if that is more.
    fn usual_budget(&self) -> Budget {
        let key = &self.present().channel.key;
        let Units(price) = key.forgery(&self.history(ONE));
        Budget::close_at((price.leading_zeros() * 2 / 3).min(40))
    }

    /// How an epoch is used at most.
    fn history(&self, tried: Traffic) -> History {
        let Limits { cost, longest } = self.limits;
        History { tagged: Traffic { messages: cost, cost }, tried, longest }
    }
}

/// One short attempt.
const ONE: Traffic = Traffic { messages: 1, cost: 1 };

impl<K: LinkKey, const WORDS: usize> fmt::Debug for Opener<K, WORDS> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Opener(epoch {}, highest {:?}, {:?})", self.epoch(), self.highest(), self.counts)
    }
}
