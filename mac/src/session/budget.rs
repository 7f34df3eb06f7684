//! How much probability of a forgery a receiver spends.

/// One in units of 2^-127: probabilities as whole numbers, always rounded up.
const ONE: u128 = 1 << 127;

/// The probability of an accepted forgery that a receiver may come to, and what it does then.
///
/// Each packet with a wrong tag is an attempt; by Theorem 8.2 of UMAC (CRYPTO '99, full version) `v` of them
/// succeed with probability at most `v (epsilon + 2^-tau)`. With UMAC-64, where that is about `v * 2^-60`,
/// `close_at(40)` allows 2^20 - 1 attempts; with UMAC-32, `close_at(20)` allows 1023.
///
/// A budget is of one receiver. Who restarts it starts anew: carry on what was spent with
/// [`Receiver::spent`](super::Receiver::spent) and [`Budget::already_spent`], or take another key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    limit: u128,
    spent: u128,
    closes: bool,
}

impl Budget {
    /// The receiver refuses everything before the bound on forgeries passes `2^-exponent`.
    ///
    /// # Panics
    /// If `exponent` is more than 120: no tag of this library is known to be that good.
    #[must_use]
    pub const fn close_at(exponent: u32) -> Budget {
        assert!(exponent <= 120, "a budget is 2^0 to 2^-120");
        Budget { limit: ONE >> exponent, spent: 0, closes: true }
    }

    /// The receiver only counts; ask [`Receiver::is_overspent`](super::Receiver::is_overspent).
    ///
    /// # Panics
    /// As [`close_at`](Self::close_at).
    #[must_use]
    pub const fn log_only(exponent: u32) -> Budget {
        Budget { closes: false, ..Self::close_at(exponent) }
    }

    /// The same budget after so much of it was spent, in units of 2^-127, as
    /// [`Receiver::spent`](super::Receiver::spent) tells it.
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

    /// Whether an attempt of that price may be made.
    pub(super) fn affords(&self, price: u128) -> bool {
        !self.closes || self.spent.saturating_add(price) <= self.limit
    }

    pub(super) fn spend(&mut self, price: u128) {
        self.spent = self.spent.saturating_add(price);
    }
}

/// What one attempt costs if its bound is 2^-exponent and a term of 2^-127 or less.
pub(super) const fn price(exponent: u32) -> u128 {
    match ONE.checked_shr(exponent) {
        Some(price) => price + 1,
        None => 1,
    }
}
