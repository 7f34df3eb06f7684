//! [`Ledger`]: the attempts at forgeries under one key, and what they amount to.

use super::PacketMac;
use super::budget::Budget;
use crate::bound::{History, Traffic, Units};

/// What a receiver knows of the use of its key: it assumes that the sender has tagged all that it may.
pub(super) struct Ledger {
    pub(super) limits: Limits,
    /// What was tried until now.
    pub(super) tried: Traffic,
    /// What is stored as spent, if the receiver is stored.
    covered: Option<Traffic>,
    /// The highest cost of an attempt that was not covered: later reservations have room for as many as that.
    wanted: u64,
    /// An attempt below this length is affordable for sure.
    room: u64,
}

/// What sender and receiver agree on: how much the sender tags, and the longest message in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Limits {
    pub(super) cost: u64,
    pub(super) longest: u64,
}

impl Limits {
    /// Those of a type, if nothing else is agreed.
    pub(super) const fn of<K: PacketMac>() -> Limits {
        Limits { cost: K::LIMIT, longest: K::LONGEST }
    }

    /// How a key is used at most.
    pub(super) const fn with(self, tried: Traffic) -> History {
        let Limits { cost, longest } = self;
        History { tagged: Traffic { messages: cost, cost }, tried, longest }
    }
}

/// What would be exceeded by one more attempt.
pub(super) enum Exceeded {
    Budget,
    Reserve,
}

impl Ledger {
    /// For a sender with the limits of its type. [`update`](Self::update) must follow.
    pub(super) fn new<K: PacketMac>() -> Self {
        let (limits, tried) = (Limits::of::<K>(), Traffic::NONE);
        Ledger { limits, tried, covered: None, wanted: 0, room: 0 }
    }

    /// Lowers the sender's limit.
    pub(super) fn set_limit(&mut self, limit: u64) {
        self.limits.cost = self.limits.cost.min(limit);
    }

    /// Sets the longest message. What was tried is never made cheaper.
    pub(super) fn set_longest(&mut self, bytes: u64) {
        let has_tried = self.tried.messages > 0;
        self.limits.longest = if has_tried { bytes.max(self.limits.longest) } else { bytes };
    }

    /// Continues with what is stored as spent.
    pub(super) fn restore(&mut self, spent: Traffic, limits: Limits) {
        self.set_limit(limits.cost);
        self.set_longest(limits.longest);
        (self.tried, self.covered) = (spent, Some(spent));
    }

    /// From now on, what is stored limits the attempts.
    pub(super) fn limit_to_stored(&mut self) {
        self.covered.get_or_insert(self.tried);
    }

    /// Remembers an attempt that was not covered: reservations are for attempts of that cost from now on.
    pub(super) fn want(&mut self, cost: u64) {
        self.wanted = self.wanted.max(cost);
    }

    /// What has to be stored for so many attempts more.
    pub(super) fn reserve(&self, mut more: Traffic) -> Traffic {
        more.cost = more.cost.max(self.wanted.saturating_mul(more.messages));
        // Never less than before.
        self.tried.plus(more).max(self.covered.unwrap_or(self.tried))
    }

    pub(super) fn cover(&mut self, stored: Traffic) {
        self.covered = Some(stored);
    }

    /// What is stored as spent and was not tried.
    #[cfg(feature = "link")]
    pub(super) fn left(&self) -> Traffic {
        let Traffic { messages, cost } = self.covered.unwrap_or(self.tried);
        Traffic {
            messages: messages.saturating_sub(self.tried.messages),
            cost: cost.saturating_sub(self.tried.cost),
        }
    }

    /// What is stored limits the attempts no longer: it is stored elsewhere.
    #[cfg(feature = "link")]
    pub(super) fn uncover(&mut self) {
        self.covered = None;
    }

    /// The bound after `more` attempts.
    pub(super) fn forgery<K: PacketMac>(&self, key: &K, more: Traffic) -> Units {
        key.forgery(&self.limits.with(self.tried.plus(more)))
    }

    /// Whether there is room for sure for one more attempt of `bytes` bytes.
    #[inline]
    pub(super) fn has_room(&self, bytes: u64) -> bool {
        bytes < self.room
    }

    /// Whether there is room for one more attempt of `bytes` bytes.
    #[inline]
    pub(super) fn check<K: PacketMac>(
        &self,
        key: &K,
        budget: &Budget,
        bytes: u64,
    ) -> Result<(), Exceeded> {
        if self.has_room(bytes) { Ok(()) } else { self.calculate(key, budget, bytes) }
    }

    #[cold]
    fn calculate<K: PacketMac>(
        &self,
        key: &K,
        budget: &Budget,
        bytes: u64,
    ) -> Result<(), Exceeded> {
        let attempt = one::<K>(bytes);
        if !budget.affords(self.forgery(key, attempt)) {
            return Err(Exceeded::Budget);
        }
        let then = self.tried.plus(attempt);
        let is_covered = self
            .covered
            .is_none_or(|covered| then.messages <= covered.messages && then.cost <= covered.cost);
        if is_covered { Ok(()) } else { Err(Exceeded::Reserve) }
    }

    /// Counts attempts. [`update`](Self::update) must follow.
    pub(super) fn add(&mut self, more: Traffic) {
        self.tried = self.tried.plus(more);
    }

    /// Counts an attempt of `bytes` bytes.
    #[cold]
    pub(super) fn attempt<K: PacketMac>(&mut self, key: &K, budget: &Budget, bytes: u64) {
        self.add(one::<K>(bytes));
        self.update(key, budget);
    }

    /// Calculates the room again: few lengths are longer than those of datagrams.
    pub(super) fn update<K: PacketMac>(&mut self, key: &K, budget: &Budget) {
        let most = self.limits.longest.min(1 << 16);
        let fits = |bytes: &u64| self.calculate(key, budget, *bytes).is_ok();
        self.room = [most, 0].into_iter().find(fits).map_or(0, |bytes| bytes + 1);
    }
}

fn one<K: PacketMac>(bytes: u64) -> Traffic {
    Traffic { messages: 1, cost: K::cost(1, bytes) }
}
