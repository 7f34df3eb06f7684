//! The budget of a receiver: how much probability of a forgery it allows.

use crate::bound::{Probability, Units};

/// The highest probability of an accepted forgery that a receiver allows, and what the receiver does at that point.
///
/// Each packet with a wrong tag is a forgery attempt. The receiver computes the bound of its MAC
/// ([`PacketMac::forgery`](super::PacketMac::forgery)) for the attempts so far, and for a sender that has tagged as
/// much as its limit allows. It examines another attempt only if the bound stays within the budget. With UMAC-64, where
/// `v` attempts succeed with probability about `v * 2^-60`, `close_at(40)` allows 2^20 - 1 attempts; with UMAC-32,
/// `close_at(20)` allows 1023.
///
/// A budget belongs to one receiver. A stored receiver keeps what was spent
/// ([`Receiver::reserve`](super::Receiver::reserve)).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    limit: Units,
    before: Units,
    closes: bool,
}

impl Budget {
    /// The receiver refuses every packet once another attempt would take the bound above `2^-exponent`.
    ///
    /// # Panics
    /// If `exponent` is more than 120, because no tag of this library has such a bound.
    #[must_use]
    pub const fn close_at(exponent: u32) -> Budget {
        assert!(exponent <= 120, "a budget is 2^0 to 2^-120");
        Budget { limit: Units(Units::ONE.0 >> exponent), before: Units(0), closes: true }
    }

    /// The receiver only counts; [`Receiver::is_overspent`](super::Receiver::is_overspent) tells when it is above.
    ///
    /// # Panics
    /// As [`close_at`](Self::close_at).
    #[must_use]
    pub const fn log_only(exponent: u32) -> Budget {
        Budget { closes: false, ..Self::close_at(exponent) }
    }

    /// The same budget with `spent` more spent already, by a receiver of another key, for example.
    #[must_use]
    pub const fn already_spent(self, spent: Units) -> Budget {
        Budget { before: Units(self.before.0.saturating_add(spent.0)), ..self }
    }

    /// What was spent before, and `now`.
    pub(super) fn spent(&self, now: Units) -> Units {
        self.before.plus(now)
    }

    pub(super) fn is_overspent(&self, now: Units) -> bool {
        self.spent(now) > self.limit
    }

    /// Whether a bound of `then` is allowed.
    pub(super) fn affords(&self, then: Units) -> bool {
        !self.closes || !self.is_overspent(then)
    }
}
