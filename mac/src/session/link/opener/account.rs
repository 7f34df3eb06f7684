//! What forgery attempts at an [`Opener`] have spent: the bound of all epochs together.

use super::super::super::Budget;
use super::super::super::ledger::Limits;
use super::super::LinkKey;
use super::{BEYOND, Epoch, Opener};
use crate::bound::{Probability, Traffic, Units};

/// One short attempt.
const ONE: Traffic = Traffic { messages: 1, cost: 1 };

impl<K: LinkKey, const WORDS: usize> Opener<K, WORDS> {
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

    /// Before the first packet, as callers are told.
    pub(super) fn set_limits(&mut self) {
        let Limits { cost, longest } = self.limits;
        for epoch in &mut self.epochs {
            let ledger = &mut epoch.channel.ledger;
            ledger.set_limit(cost);
            ledger.set_longest(longest);
            epoch.base = epoch.channel.key.forgery(&ledger.limits.with(epoch.floor));
        }
        // After an attempt, the length is never lowered.
        self.limits.longest = self.present().channel.ledger.limits.longest;
        self.update();
    }

    /// The most that was tried in an epoch other than the present one.
    pub(super) fn tried_elsewhere(&self) -> Traffic {
        let others = self.epochs.iter().filter(|epoch| epoch.number != self.present().number);
        others.fold(self.floor, |most, epoch| most.max(epoch.channel.ledger.tried))
    }

    /// What the bound of an epoch has without an attempt, if all is sealed in it that may be.
    fn base(&self) -> Units {
        self.present().channel.key.forgery(&self.limits.with(Traffic::NONE))
    }

    /// How many epochs the other end may have begun.
    fn begun(&self) -> u128 {
        u128::from(self.present().number) + 1 + u128::from(BEYOND)
    }

    /// What more attempts in an epoch would add.
    pub(super) fn price(&self, epoch: &Epoch<K, WORDS>, more: Traffic) -> Units {
        let Units(then) = epoch.channel.ledger.forgery(&epoch.channel.key, more);
        Units(then.saturating_sub(epoch.base.0).saturating_sub(epoch.spent.0))
    }

    /// What was spent in all epochs, with the bases of all that may have begun.
    fn spent_now(&self) -> Units {
        let bases = self.base().times(self.begun()).plus(self.gone);
        self.epochs.iter().fold(bases, |sum, epoch| sum.plus(epoch.spent))
    }

    /// What attempts have spent in all epochs but one.
    pub(super) fn elsewhere(&self, number: u32) -> Units {
        let its_own = match &self.covered {
            Some(covered) if covered.epoch == number => covered.gone,
            _ => Units::ZERO,
        };
        let gone = Units(self.gone.0.saturating_sub(its_own.0));
        let others = self.epochs.iter().filter(|epoch| epoch.number != number);
        others.fold(gone, |sum, epoch| sum.plus(epoch.spent))
    }

    /// The budget as it is for one epoch: what was spent elsewhere is spent.
    pub(super) fn budget_of(&self, epoch: &Epoch<K, WORDS>) -> Budget {
        let base = self.base();
        let others = self.elsewhere(epoch.number).plus(base.times(self.begun() - 1));
        // What was tried in it before a restart is among what is gone, and in its own bound.
        let twice = epoch.base.0.saturating_sub(base.0);
        self.budget.already_spent(Units(others.0.saturating_sub(twice)))
    }

    /// Calculates again what was spent, and for which attempts there is room.
    pub(super) fn update(&mut self) {
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
    pub(super) fn usual_budget(&self) -> Budget {
        let key = &self.present().channel.key;
        let Units(price) = key.forgery(&self.limits.with(ONE));
        Budget::close_at((price.leading_zeros() * 2 / 3).min(40))
    }
}
