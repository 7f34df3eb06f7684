//! [`Sealer`]: the half of a link that seals.

use super::super::{ReserveError, Saved, SealError, Sender, WrongKey};
use super::saved::SavedSealer;
use super::schedule::Chain;
use super::{Header, LinkKey};
use crate::parts;
use crate::session::owner::OtherProcess;
use crate::wiped::Wiped;
use alloc::boxed::Box;
use alloc::vec::Vec;
use core::fmt;

/// The most that is sealed under one key. It leaves 2^20 epochs below 2^-40 even where the bound has a term of the order
/// of the square of that.
pub(super) const EPOCH_LIMIT: u64 = 1 << 32;

/// The half of a [`Link`](super::Link) that seals.
///
/// # Storage
/// As for a [`Sender`]: after a crash at any time, [`restore`](Self::restore) continues after all numbers that may have
/// been used, in the epoch that was stored last.
pub struct Sealer<K: LinkKey> {
    /// Of the present epoch.
    chain: Chain,
    epoch: u32,
    sender: Sender<Box<Wiped<K>>>,
    limit: u64,
    longest: u64,
}

impl<K: LinkKey> Sealer<K> {
    pub(super) fn new(chain: Chain) -> Self {
        let sender = Sender::new(chain.key::<K>(), 0);
        let limit = K::LIMIT.min(EPOCH_LIMIT);
        Sealer { chain, epoch: 0, sender: sender.with_limit(limit), limit, longest: K::LONGEST }
    }

    /// A half that continues from storage. It must [`reserve`](Self::reserve) numbers before it can seal anything. The
    /// limit of an epoch is stored with it; set the longest message again. Nothing in the state says of which end it is: at
    /// the other end it would repeat this end's nonces.
    ///
    /// # Errors
    /// [`WrongKey`] if the state is of a link with another MAC.
    pub fn restore(saved: SavedSealer) -> Result<Self, WrongKey> {
        let SavedSealer { epoch, chain, sender } = saved;
        let limit = sender.limit;
        let sender = Sender::restore(chain.key::<K>(), sender)?;
        Ok(Sealer { chain, epoch, sender, limit, longest: K::LONGEST })
    }

    /// [`Link::with_epoch_limit`](super::Link::with_epoch_limit) for this half.
    ///
    /// # Panics
    /// If the limit is 0, under which no message fits.
    #[must_use]
    pub fn with_epoch_limit(mut self, limit: u64) -> Self {
        assert_ne!(limit, 0, "no message fits under a limit of 0");
        self.limit = self.limit.min(limit);
        self.sender = self.sender.with_limit(limit);
        self
    }

    /// [`Link::with_longest`](super::Link::with_longest) for this half.
    #[must_use]
    pub fn with_longest(mut self, bytes: u64) -> Self {
        self.longest = bytes;
        self.sender = self.sender.with_longest(bytes);
        self
    }

    /// The header and the tag of a message in parts.
    ///
    /// # Errors
    /// [`SealError`]. Then nothing was tagged, and no number is used up.
    #[inline(always)]
    pub fn seal(&mut self, message: &[&[u8]]) -> Result<(Header, K::Tag), SealError> {
        let number = match self.sender.take_one(message) {
            Ok(number) => number,
            Err(error) => {
                self.make_room_for(error, message)?;
                self.sender.take_one(message)?
            }
        };
        // The tag at last, so that it is made where it is returned: moving it would wait for its bytes.
        Ok((Header { epoch: self.epoch, number }, self.sender.tag(number, message)))
    }

    /// The tags of messages under consecutive numbers of one epoch. Returns the header of the first.
    ///
    /// # Errors
    /// [`SealError`] if one epoch has no room for all of them. Then nothing was tagged, and no number is used up.
    ///
    /// # Panics
    /// If `messages` and `tags` differ in length.
    pub fn seal_many(
        &mut self,
        messages: &[&[u8]],
        tags: &mut [K::Tag],
    ) -> Result<Header, SealError> {
        let number = match self.sender.seal_many(messages, tags) {
            Err(error) => {
                let cost = |message: &&[u8]| K::cost(1, message.len() as u64);
                self.make_room(error, messages.iter().map(cost).fold(0, u64::saturating_add))?;
                self.sender.seal_many(messages, tags)?
            }
            Ok(number) => number,
        };
        Ok(Header { epoch: self.epoch, number })
    }

    /// Appends a whole packet to `packet`: header, message, tag. It has [`Link::OVERHEAD`](super::Link::OVERHEAD) bytes more
    /// than the message.
    ///
    /// # Errors
    /// [`SealError`]. Then nothing was appended, and no number is used up.
    pub fn seal_packet(
        &mut self,
        message: &[&[u8]],
        packet: &mut Vec<u8>,
    ) -> Result<(), SealError> {
        let (header, tag) = self.seal(message)?;
        packet.extend_from_slice(&header.to_bytes());
        message.iter().for_each(|part| packet.extend_from_slice(part));
        packet.extend_from_slice(K::tag_bytes(&tag).as_ref());
        Ok(())
    }

    #[cold]
    fn make_room_for(&mut self, error: SealError, message: &[&[u8]]) -> Result<(), SealError> {
        self.make_room(error, K::cost(1, parts::length(message) as u64))
    }

    /// Begins a new epoch if that helps: if the present one is at its end and this cost fits in one.
    fn make_room(&mut self, error: SealError, cost: u64) -> Result<(), SealError> {
        match error {
            SealError::Limit | SealError::Exhausted if cost <= self.limit => self.rekey(),
            _ => Err(error),
        }
    }

    /// Seals from now on under the key of the next epoch, and wipes the present one. A stored half must
    /// [`reserve`](Self::reserve) numbers again: the new epoch is stored with them. A key that has sealed nothing stays.
    ///
    /// If the packets of more than 8 epochs in a row are lost, the other end can't follow any more: do not rekey more often
    /// than packets arrive.
    ///
    /// # Errors
    /// [`SealError::Exhausted`] after the last epoch, 2^32 - 1; [`SealError::OtherProcess`].
    pub fn rekey(&mut self) -> Result<(), SealError> {
        // The child of a fork would begin the same epoch as its parent.
        self.sender.owner.check()?;
        if self.sender.now.next == 0 && self.sender.now.spent == 0 {
            return Ok(());
        }
        let epoch = self.epoch.checked_add(1).ok_or(SealError::Exhausted)?;
        let chain = self.chain.next();
        let key = chain.key::<K>();
        let sender = if self.sender.covered.is_some() {
            let saved = Saved::starting_at(&key, 0);
            Sender::restore(key, saved).expect("it was saved under this key")
        } else {
            Sender::new(key, 0)
        };
        self.sender = sender.with_limit(self.limit).with_longest(self.longest);
        (self.chain, self.epoch) = (chain, epoch);
        Ok(())
    }

    /// Lets this half use the next `messages` numbers, for `bytes` bytes of message in all, **after** `store` has stored
    /// the half that comes after them, as [`Sender::reserve`] does. What is stored is **secret**.
    ///
    /// # Errors
    /// [`ReserveError`], as for [`Sender::reserve`].
    pub fn reserve<E>(
        &mut self,
        messages: u64,
        bytes: u64,
        store: impl FnOnce(&SavedSealer) -> Result<(), E>,
    ) -> Result<(), ReserveError<E>> {
        let (epoch, chain) = (self.epoch, self.chain.clone());
        self.sender.reserve(messages, bytes, |sender| {
            store(&SavedSealer { epoch, chain, sender: sender.again() })
        })
    }

    /// The present state, for storage at a clean exit: no number is skipped. The half is consumed.
    ///
    /// # Errors
    /// [`OtherProcess`] in a forked child: the present state is its parent's.
    pub fn into_saved(self) -> Result<SavedSealer, OtherProcess> {
        let Sealer { epoch, chain, sender, .. } = self;
        Ok(SavedSealer { epoch, chain, sender: sender.into_saved()? })
    }

    /// The epoch in which the next message is sealed, if there is room in it.
    #[must_use]
    pub fn epoch(&self) -> u32 {
        self.epoch
    }

    /// What is left of the present epoch, in the units of [`PacketMac::cost`](super::super::PacketMac::cost).
    #[must_use]
    pub fn left(&self) -> u64 {
        self.sender.left()
    }
}

impl<K: LinkKey> fmt::Debug for Sealer<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Sealer(epoch {}, {:?})", self.epoch, self.sender)
    }
}
