//! The budget of a receiver: how much probability of a forgery it spends.

/// Probability 1 in units of 2^-127. Probabilities are integers in this unit, always rounded up.
const ONE: u128 = 1 << 127;

/// The highest probability of an accepted forgery that a receiver allows, and what the receiver does at that point.
///
/// Each packet with a wrong tag is a forgery attempt. By Theorem 8.2 of UMAC (CRYPTO '99, full version), at least one
/// of `v` attempts succeeds with probability at most `v (epsilon + 2^-tau)`. With UMAC-64, where that is about
/// `v * 2^-60`, `close_at(40)` allows 2^20 - 1 attempts; with UMAC-32, `close_at(20)` allows 1023.
///
/// A budget belongs to one receiver. A restart loses it: carry over what was spent with
/// [`Receiver::spent`](super::Receiver::spent) and [`Budget::already_spent`], or change the key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    limit: u128,
    spent: u128,
    closes: bool,
}

impl Budget {
    /// The receiver refuses every packet from the point on where one more attempt would take the bound above
    /// `2^-exponent`.
    ///
    /// # Panics
    /// If `exponent` is more than 120: no tag of this library has such a bound.
    #[must_use]
    pub const fn close_at(exponent: u32) -> Budget {
        assert!(exponent <= 120, "a budget is 2^0 to 2^-120");
        Budget { limit: ONE >> exponent, spent: 0, closes: true }
    }

    /// The receiver only counts; [`Receiver::is_overspent`](super::Receiver::is_overspent) tells when it is above.
    ///
    /// # Panics
    /// As [`close_at`](Self::close_at).
    #[must_use]
    pub const fn log_only(exponent: u32) -> Budget {
        Budget { closes: false, ..Self::close_at(exponent) }
    }

    /// The same budget with `spent` units of 2^-127 spent already, as [`Receiver::spent`](super::Receiver::spent)
    /// returns them.
    #[must_use]
    pub const fn already_spent(self, spent: u128) -> Budget {
        Budget { spent, ..self }
    }

    pub(super) const fn spent(&self) -> u128 {
        self.spent
    }

    pub(super) const fn is_overspent(&self) -> bool {
        self.spent > self.limit
    }

    /// Whether the budget has room for an attempt of this price.
    pub(super) fn affords(&self, price: u128) -> bool {
        !self.closes || self.spent.saturating_add(price) <= self.limit
    }

    pub(super) fn spend(&mut self, price: u128) {
        self.spent = self.spent.saturating_add(price);
    }
}

/// The price of one attempt whose bound is 2^-exponent plus a term of at most 2^-127.
pub(super) const fn price(exponent: u32) -> u128 {
    match ONE.checked_shr(exponent) {
        Some(price) => price + 1,
        None => 1,
    }
}
