//! [`Channel`]: what receiving under one key needs.

use super::budget::Budget;
use super::ledger::Ledger;
use super::window::{Place, Window};
use super::{PacketMac, Rejected};
use subtle::ConstantTimeEq;

/// How many packets are verified as one batch.
pub(super) const BATCH: usize = 32;

/// The longest packet for whose examination the next reservation is larger than asked for: that of a datagram.
pub(super) const MOST_WANTED: u64 = 1 << 16;

/// A key, the numbers that were accepted under it, and the attempts at forgeries.
pub(super) struct Channel<K: PacketMac, const WORDS: usize> {
    pub(super) key: K,
    pub(super) window: Window<WORDS>,
    /// The end of its numbers: the first that it refuses.
    pub(super) end: u64,
    pub(super) ledger: Ledger,
}

impl<K: PacketMac, const WORDS: usize> Channel<K, WORDS> {
    pub(super) fn new(key: K, first: u64, end: u64) -> Self {
        Channel { key, window: Window::new(first), end, ledger: Ledger::new::<K>() }
    }

    /// The smallest number above all that were accepted.
    pub(super) fn first_fresh(&self) -> u64 {
        self.window.top().map_or(0, |top| top + 1).max(self.window.first())
    }

    /// Whether a packet of this length could be accepted.
    #[inline]
    pub(super) fn check(&self, budget: &Budget, sequence: u64, bytes: u64) -> Result<(), Rejected> {
        self.place(sequence, bytes)?;
        Ok(self.ledger.check(&self.key, budget, bytes)?)
    }

    /// Whether number and length are good.
    #[inline]
    pub(super) fn place(&self, sequence: u64, bytes: u64) -> Result<(), Rejected> {
        if sequence >= self.end {
            return Err(Rejected::Outside);
        }
        match self.window.place(sequence) {
            Place::Replayed => Err(Rejected::Replayed),
            Place::TooOld => Err(Rejected::TooOld),
            Place::Fresh if bytes > self.ledger.limits.longest => Err(Rejected::TooLong),
            Place::Fresh => Ok(()),
        }
    }

    #[inline(always)] // in what almost all packets take, as the tag's call is
    pub(super) fn is_right(&self, sequence: u64, message: &[&[u8]], tag: &K::Tag) -> bool {
        let right = match message {
            [message] => self.key.tag_packet(sequence, message),
            _ => self.key.tag_packet_parts(sequence, message),
        };
        tag.ct_eq(&right).into()
    }

    /// Whether a packet could be accepted, without a calculation: if not, [`check`](Self::check) knows.
    #[cfg(feature = "link")]
    #[inline]
    pub(super) fn has_room(&self, sequence: u64, bytes: u64) -> bool {
        // There is no room for more than the longest message.
        let is_fresh = self.window.place(sequence) == Place::Fresh;
        sequence < self.end && is_fresh && self.ledger.has_room(bytes)
    }

    /// Up to [`BATCH`] packets side by side: whether each could be accepted and has the right tag.
    pub(super) fn are_right(
        &self,
        budget: &Budget,
        packets: &[(u64, &[u8], K::Tag)],
    ) -> [bool; BATCH] {
        let mut are_right = [false; BATCH];
        let Some(first) = packets.first() else {
            return are_right;
        };
        let (mut some, mut count) = ([*first; BATCH], 0);
        for (packet, is_checked) in packets.iter().zip(&mut are_right) {
            *is_checked = self.check(budget, packet.0, packet.1.len() as u64).is_ok();
            if *is_checked {
                some[count] = *packet;
                count += 1;
            }
        }
        let mut valid = [false; BATCH];
        self.key.verify_packets(&some[..count], &mut valid[..count]);
        let checked = are_right.iter_mut().filter(|is_checked| **is_checked);
        checked.zip(valid).for_each(|(is_right, valid)| *is_right = valid);
        are_right
    }
}
