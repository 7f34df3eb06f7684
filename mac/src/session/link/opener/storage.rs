//! Storage of an [`Opener`]: its stored state, and which packets and attempts that state covers.

use super::super::super::{END, ReserveError, SavedReceiver, WrongKey};
use super::super::saved::SavedOpener;
use super::super::{Header, LinkKey};
use super::{Epoch, Opener};
use crate::bound::{Probability, Traffic, Units};
use crate::session::owner::OtherProcess;

/// What is stored.
#[derive(Clone, Copy)]
pub(super) struct Covered {
    pub(super) epoch: u32,
    /// The end of the numbers that may be accepted.
    end: u64,
    /// What may be spent on other epochs.
    elsewhere: Units,
    /// What was spent on this epoch, when it is gone.
    pub(super) gone: Units,
    /// The attempts that may still be made at other epochs.
    pub(super) left: Traffic,
}

impl Covered {
    fn new(epoch: u32, end: u64, elsewhere: Units, left: Traffic) -> Covered {
        Covered { epoch, end, elsewhere, gone: Units::ZERO, left }
    }
}

impl<K: LinkKey, const WORDS: usize> Opener<K, WORDS> {
    /// A half that continues from storage. It must [`reserve`](Self::reserve) numbers before it accepts anything. Set the
    /// budget again, if it was not the usual one.
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
        opener.covered = Some(Covered::new(epoch, first, elsewhere, Traffic::NONE));
        opener.budget = opener.usual_budget();
        opener.update();
        Ok(opener)
    }

    /// Lets this half accept numbers up to `numbers` above the largest authentic one of the present epoch, and examine
    /// `attempts` more forgeries, of `bytes` bytes in all, **after** `store` has stored the half that comes after them, as
    /// [`Receiver::reserve`](crate::session::Receiver::reserve) does. What is stored is **secret**. After the first packet of a
    /// new epoch ([`Rejected::NotReserved`](super::super::super::Rejected::NotReserved)), reserve again.
    ///
    /// # Errors
    /// [`ReserveError`], as for [`Receiver::reserve`](crate::session::Receiver::reserve).
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
        // If storing fails, it may have stored this, and what was allowed before is tried all the same.
        let most = more.max(self.left_elsewhere());
        // An attempt costs most where the most were made.
        let prices = self.epochs.iter().map(|epoch| self.price(epoch, most));
        let allowance = prices.max().unwrap_or(Units::ZERO);
        let now = self.elsewhere(self.present().number);
        let present = &mut self.epochs[self.present];
        let (epoch, first) = (present.number, present.channel.first_fresh());
        let here = Covered::new(epoch, first, now, Traffic::NONE);
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
        let ledger = &present.channel.ledger;
        let (spent, stored) = (ledger.reserve(more), ledger.reserve(most));
        let saved = self.saved(end, stored, elsewhere, self.tried_elsewhere().plus(most));
        let result = store(&saved).map_err(ReserveError::Store);
        if result.is_ok() {
            self.epochs.iter_mut().for_each(|epoch| epoch.channel.ledger.uncover());
            self.epochs[self.present].channel.ledger.cover(spent);
            self.covered = Some(Covered::new(epoch, end, elsewhere, more));
        }
        self.update();
        result
    }

    /// What may still be tried, but for the present epoch if it is stored: that one's own ledger knows.
    fn left_elsewhere(&self) -> Traffic {
        let Some(covered) = &self.covered else { return Traffic::NONE };
        let before = self.epochs[..self.present].iter().find(|epoch| epoch.number == covered.epoch);
        covered.left.plus(before.map_or(Traffic::NONE, |epoch| epoch.channel.ledger.left()))
    }

    /// The present state, for storage at a clean exit. Packets below the largest number accepted are refused afterwards.
    /// The half is consumed.
    ///
    /// # Errors
    /// [`OtherProcess`] in a forked child: the present state is its parent's.
    pub fn into_saved(self) -> Result<SavedOpener, OtherProcess> {
        self.owner.check()?;
        let Epoch { number, channel, .. } = self.present();
        let (first, spent) = (channel.first_fresh(), channel.ledger.tried);
        Ok(self.saved(first, spent, self.elsewhere(*number), self.tried_elsewhere()))
    }

    /// A half in the present epoch.
    fn saved(&self, first: u64, spent: Traffic, elsewhere: Units, there: Traffic) -> SavedOpener {
        let Epoch { number, chain, channel, floor, .. } = self.present();
        let (key, limits) = (channel.key.key_id(), self.limits);
        let receiver = SavedReceiver { key, first, end: END, spent, limits };
        let (epoch, chain) = (*number, chain.clone());
        SavedOpener { epoch, chain, receiver, elsewhere, floors: [*floor, there] }
    }

    /// Whether a packet of this header may be accepted, if it is authentic: whether it is stored as perhaps accepted.
    #[inline]
    pub(super) fn may_accept(&self, header: Header) -> bool {
        match &self.covered {
            None => true,
            Some(covered) if covered.epoch == header.epoch => header.number < covered.end,
            // What is restored has no epoch before its own.
            Some(covered) => header.epoch < covered.epoch,
        }
    }

    /// Whether one more attempt is stored as perhaps made.
    pub(super) fn has_reserved(&self, epoch: &Epoch<K, WORDS>, bytes: u64) -> bool {
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
}
