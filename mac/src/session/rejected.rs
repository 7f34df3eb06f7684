//! [`Rejected`] and [`Counts`]: what became of packets.

use super::ledger::Exceeded;
use crate::session::owner::OtherProcess;

/// How many packets had each outcome so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Counts {
    /// Packets accepted.
    pub accepted: u64,
    /// Packets whose number had been accepted before.
    pub replayed: u64,
    /// Packets behind the window.
    pub too_old: u64,
    /// Packets whose number is not one of this receiver's, and packets longer than agreed or too short.
    pub outside: u64,
    /// Packets whose tag was wrong: attempts at a forgery.
    pub forged: u64,
    /// Packets that were not checked because the budget was spent.
    pub closed: u64,
    /// Packets that wait for the receiver to be stored.
    pub not_reserved: u64,
}

error! {
    /// Why a packet was not accepted.
    #[non_exhaustive]
    pub enum Rejected {
        /// Its number was accepted before.
        Replayed = "a packet of this number was accepted before",
        /// Its number is behind the window, or below what a receiver began with after a restart.
        TooOld = "its number is behind the replay window",
        /// Its number is above the range of this receiver.
        Outside = "its number is not among those of this receiver, or its epoch is too far ahead",
        /// Its tag is wrong.
        Forged = "its tag is wrong",
        /// The forgery budget has no room for another attempt: change the key, or allow more.
        Closed =
            "the forgery budget has no room for another attempt: change the key, or allow more",
        /// It would exceed what is reserved: [`Receiver::reserve`](super::Receiver::reserve) more, and open it again.
        NotReserved = "it is more than is reserved: store the receiver first",
        /// It is longer than sender and receiver have agreed ([`Receiver::with_longest`](super::Receiver::with_longest)).
        TooLong = "it is longer than agreed: raise the longest message, equally at both ends",
        /// It is shorter than a header and a tag.
        TooShort = "it is shorter than a header and a tag",
        /// This process was forked since the receiver was made: its parent accepts these packets. It counts nowhere.
        OtherProcess = OtherProcess::TEXT,
    }
}

impl Counts {
    /// Counts an outcome.
    #[inline]
    pub(super) fn add(&mut self, outcome: Result<(), Rejected>) {
        let count = match outcome {
            Ok(()) => &mut self.accepted,
            Err(Rejected::Replayed) => &mut self.replayed,
            Err(Rejected::TooOld) => &mut self.too_old,
            Err(Rejected::Outside | Rejected::TooLong | Rejected::TooShort) => &mut self.outside,
            Err(Rejected::Forged) => &mut self.forged,
            Err(Rejected::Closed) => &mut self.closed,
            Err(Rejected::NotReserved) => &mut self.not_reserved,
            Err(Rejected::OtherProcess) => return,
        };
        *count = count.saturating_add(1);
    }
}

impl From<Exceeded> for Rejected {
    fn from(exceeded: Exceeded) -> Rejected {
        match exceeded {
            Exceeded::Budget => Rejected::Closed,
            Exceeded::Reserve => Rejected::NotReserved,
        }
    }
}

impl From<OtherProcess> for Rejected {
    #[inline]
    fn from(_: OtherProcess) -> Rejected {
        Rejected::OtherProcess
    }
}
