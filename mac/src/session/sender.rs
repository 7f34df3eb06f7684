//! [`Sender`]: a key with its counter.

use super::{PacketMac, ReserveError, Saved, WrongKey};
use crate::parts;
use crate::session::owner::{OtherProcess, Owner};
use core::fmt;

/// Seals packets under consecutive sequence numbers. It owns the counter: a number is used up before its tag is made,
/// and a sender can't be cloned, so **this sender uses no number twice**. In a child that is forked it seals nothing: the
/// numbers are the parent's ([`Owner`] says on which systems). There must be only one sender for a key, or
/// several whose numbers were divided by [`split`](Self::split).
///
/// Where no kernel takes whole packets, UMAC's pads are computed 32 at a time, ahead of the messages.
///
/// # Storage
/// A sender made by [`new`](Self::new) lives as long as its process, which is right for keys that do, too. A key that
/// outlives the process needs a counter that does. [`reserve`](Self::reserve) stores a number above all those that it
/// lets the sender use. So after a crash at any time, [`restore`](Self::restore) continues after them: numbers may be
/// skipped, but are never used twice.
///
/// ```
/// use wegman::session::{Saved, SealError, Sender};
/// use wegman::umac;
///
/// let key = umac::Key::<8>::new(b"sixteen byte key");
/// let mut disk = Vec::new(); // a file: written, synced, renamed, its folder synced
/// let mut sender = Sender::restore(&key, Saved::starting_at(&key, 1))?;
/// assert_eq!(sender.seal(b"too early"), Err(SealError::NotReserved));
/// sender.reserve(1000, 1 << 20, |saved| -> std::io::Result<()> {
///     disk = saved.to_bytes().to_vec();
///     Ok(())
/// })?;
/// assert_eq!(sender.seal(b"a packet")?.0, 1);
/// drop(sender); // a crash
///
/// let mut sender = Sender::restore(&key, Saved::from_bytes(&disk)?)?;
/// sender.reserve(1000, 1 << 20, |_| Ok::<_, std::io::Error>(()))?;
/// assert_eq!(sender.seal(b"a packet")?.0, 1001);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Sender<K: PacketMac> {
    key: K,
    ahead: K::Ahead,
    /// What is used, and what may be used.
    pub(super) now: Saved,
    /// How far `now` may go, if the sender is stored.
    pub(super) covered: Option<Covered>,
    /// The longest message in bytes.
    longest: u64,
    /// Whose numbers these are.
    pub(super) owner: Owner,
}

/// What was stored: the numbers below `next`, and how much of the key's limit.
#[derive(Clone, Copy)]
pub(super) struct Covered {
    next: u64,
    spent: u64,
}

impl Covered {
    fn by(&Saved { next, spent, .. }: &Saved) -> Self {
        Covered { next, spent }
    }
}

impl<K: PacketMac> Sender<K> {
    /// A sender for a key that never had another sender. Its counter is lost with this process.
    /// `first` is the first sequence number; 2^64 - 9 is the last.
    #[must_use]
    pub fn new(key: K, first: u64) -> Self {
        let now = Saved::starting_at(&key, first);
        Self::with(key, now, None)
    }

    fn with(key: K, now: Saved, covered: Option<Covered>) -> Self {
        let (ahead, owner) = (key.ahead(), Owner::this_process());
        Sender { key, ahead, now, covered, longest: K::LONGEST, owner }
    }

    /// A sender that continues from storage. It must [`reserve`](Self::reserve) numbers before it can seal anything. A
    /// limit above that of the key's type is lowered to it.
    ///
    /// # Errors
    /// [`WrongKey`] if the state was saved under another key.
    pub fn restore(key: K, saved: Saved) -> Result<Self, WrongKey> {
        let mut now = saved;
        if now.key != key.key_id() {
            return Err(WrongKey);
        }
        now.limit = now.limit.min(K::LIMIT);
        let covered = Some(Covered::by(&now));
        Ok(Self::with(key, now, covered))
    }

    /// Lowers the limit on what this key tags, in the units of [`PacketMac::LIMIT`]. A higher limit than the present
    /// one changes nothing. Reserve again afterwards: what was reserved was stored with the old limit.
    #[must_use]
    pub fn with_limit(mut self, limit: u64) -> Self {
        if limit < self.now.limit {
            self.now.limit = limit;
            self.covered = self.covered.map(|_| Covered::by(&self.now));
        }
        self
    }

    /// Sets the longest message in bytes; the receiver must have the same ([`Receiver::with_longest`]). For a MAC whose bound
    /// depends on the longest message, it is [`PacketMac::LONGEST`] at first: 64 KiB for Carter.
    ///
    /// [`Receiver::with_longest`]: super::Receiver::with_longest
    #[must_use]
    pub fn with_longest(mut self, bytes: u64) -> Self {
        self.longest = bytes;
        self
    }

    /// Lets the sender use the next `messages` numbers, for `bytes` bytes of message in all, **after** `store` has
    /// stored the sender that comes after them. `store` must be durable, or the protection is lost. If it fails, a
    /// restored sender can use what it could before, and one made by [`new`](Self::new) can use nothing. Numbers that
    /// are unused at a restart are skipped.
    ///
    /// # Errors
    /// [`ReserveError`]: whatever `store` returns; in a forked child, which must not store the numbers of its parent,
    /// `store` is not called.
    pub fn reserve<E>(
        &mut self,
        messages: u64,
        bytes: u64,
        store: impl FnOnce(&Saved) -> Result<(), E>,
    ) -> Result<(), ReserveError<E>> {
        self.owner.check()?;
        // From now on the stored state is the limit, even if storing fails halfway.
        let covered = self.covered.get_or_insert(Covered::by(&self.now));
        let mut then = self.now.again();
        then.next = then.next.saturating_add(messages).min(then.end);
        then.spent = then.spent.saturating_add(K::cost(messages, bytes)).min(then.limit);
        // Never less than before: even a failed attempt may have stored something.
        (then.next, then.spent) = (then.next.max(covered.next), then.spent.max(covered.spent));
        store(&then).map_err(ReserveError::Store)?;
        *covered = Covered::by(&then);
        Ok(())
    }

    /// The present state, for storage. The sender is consumed, so it can seal nothing more.
    ///
    /// # Errors
    /// [`OtherProcess`] in a forked child: the present state is its parent's.
    pub fn into_saved(self) -> Result<Saved, OtherProcess> {
        self.owner.check()?;
        Ok(self.now)
    }

    /// The tag of a message and its sequence number.
    ///
    /// # Errors
    /// [`SealError`]. Then nothing was tagged, and no number is used up.
    #[inline(always)] // a tag is made where it is returned: moving it would wait for its bytes
    pub fn seal(&mut self, message: &[u8]) -> Result<(u64, K::Tag), SealError> {
        let sequence = self.take(1, self.cost(message.len())?)?;
        Ok((sequence, self.key.next_tag(&mut self.ahead, sequence, message)))
    }

    /// [`seal`](Self::seal) of a message in parts, as they lie in memory: that of the parts one after the other.
    ///
    /// # Errors
    /// [`SealError`]. Then nothing was tagged, and no number is used up.
    #[inline(always)]
    pub fn seal_parts(&mut self, message: &[&[u8]]) -> Result<(u64, K::Tag), SealError> {
        let sequence = self.take_one(message)?;
        Ok((sequence, self.tag(sequence, message)))
    }

    /// Uses up a number for a message.
    #[inline(always)]
    pub(super) fn take_one(&mut self, message: &[&[u8]]) -> Result<u64, SealError> {
        self.take(1, self.cost(parts::length(message))?)
    }

    /// The tag of a message under a number that was taken for it.
    #[inline(always)]
    pub(super) fn tag(&mut self, sequence: u64, message: &[&[u8]]) -> K::Tag {
        match message {
            [message] => self.key.next_tag(&mut self.ahead, sequence, message),
            _ => self.key.tag_packet_parts(sequence, message),
        }
    }

    /// The tags of messages under consecutive sequence numbers. Returns the first of them.
    ///
    /// # Errors
    /// [`SealError`] if not enough is left for all of them. Then nothing was tagged, and no number is
    /// used up.
    ///
    /// # Panics
    /// If `messages` and `tags` differ in length.
    pub fn seal_many(&mut self, messages: &[&[u8]], tags: &mut [K::Tag]) -> Result<u64, SealError> {
        assert_eq!(messages.len(), tags.len(), "one tag for each message");
        let mut cost = 0_u64;
        for message in messages {
            cost = cost.saturating_add(self.cost(message.len())?);
        }
        let first = self.take(messages.len() as u64, cost)?;
        self.key.tag_packets(first, messages, tags);
        Ok(first)
    }

    /// Divides the numbers, for another thread: this sender keeps those below `at`, the new one gets the others, and
    /// each gets half of what is left of the key's limit.
    ///
    /// # Errors
    /// [`SealError::Exhausted`] if `at` is not one of the numbers that this sender has left;
    /// [`SealError::NotReserved`] if the sender is stored: then split what is stored ([`Saved::split`]), or a restart
    /// would give out the same numbers again.
    pub fn split(&mut self, at: u64) -> Result<Sender<K>, SealError>
    where
        K: Clone,
    {
        self.owner.check()?;
        if self.covered.is_some() {
            return Err(SealError::NotReserved);
        }
        let (lower, upper) = self.now.again().split(at).ok_or(SealError::Exhausted)?;
        self.now = lower;
        Ok(Self::with(self.key.clone(), upper, None).with_longest(self.longest))
    }

    /// From which number to which it may go, and from which cost.
    #[cfg(target_has_atomic = "64")]
    pub(super) fn bounds(&self) -> ((u64, u64), (u64, u64)) {
        let &Saved { next, end, spent, limit, .. } = &self.now;
        match self.covered {
            Some(covered) => ((next, end.min(covered.next)), (spent, limit.min(covered.spent))),
            None => ((next, end), (spent, limit)),
        }
    }

    /// Why one more message may not be sealed within these bounds.
    #[cfg(target_has_atomic = "64")]
    pub(super) fn refusal(&self) -> SealError {
        match self.covered {
            Some(covered) if covered.next < self.now.end && covered.spent < self.now.limit => {
                SealError::NotReserved
            }
            _ => SealError::Limit,
        }
    }

    /// The sequence number of the next message, if there is one.
    #[must_use]
    pub fn next_sequence(&self) -> Option<u64> {
        (self.now.next < self.now.end).then_some(self.now.next)
    }

    /// What is left of the key's limit, in the units of [`PacketMac::LIMIT`].
    #[must_use]
    pub fn left(&self) -> u64 {
        self.now.limit.saturating_sub(self.now.spent)
    }

    /// The key.
    #[must_use]
    pub fn key(&self) -> &K {
        &self.key
    }

    /// The cost of a message, if it is not too long.
    #[inline]
    pub(super) fn cost(&self, len: usize) -> Result<u64, SealError> {
        let bytes = len as u64;
        if bytes > self.longest { Err(SealError::TooLong) } else { Ok(K::cost(1, bytes)) }
    }

    /// Uses up numbers and their cost, or nothing.
    #[inline]
    fn take(&mut self, count: u64, cost: u64) -> Result<u64, SealError> {
        self.owner.check()?;
        let &Saved { next, end, spent, limit, .. } = &self.now;
        if count > end - next || next == end {
            return Err(SealError::Exhausted);
        }
        let (next_then, spent_then) = (next + count, spent.saturating_add(cost));
        if spent_then > limit {
            return Err(SealError::Limit);
        }
        if self
            .covered
            .is_some_and(|covered| next_then > covered.next || spent_then > covered.spent)
        {
            return Err(SealError::NotReserved);
        }
        (self.now.next, self.now.spent) = (next_then, spent_then);
        Ok(next)
    }
}

impl<K: PacketMac> fmt::Debug for Sender<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "session::Sender(next {:?}, left {})", self.next_sequence(), self.left())
    }
}

error! {
    /// Why nothing was sealed.
    #[non_exhaustive]
    pub enum SealError {
        /// Not enough sequence numbers are left: change the key.
        Exhausted = "not enough sequence numbers are left: change the key",
        /// It would exceed what this key may tag: change the key.
        Limit = "it is more than this key may tag: change the key",
        /// It would exceed what is reserved: [`Sender::reserve`] more.
        NotReserved = "no sequence numbers are reserved: store the sender first",
        /// The message is longer than sender and receiver have agreed ([`Sender::with_longest`]).
        TooLong =
            "the message is longer than agreed: raise the longest message, equally at both ends",
        /// This process was forked since the sender was made: the numbers are its parent's. Make a new key or link.
        OtherProcess = OtherProcess::TEXT,
    }
}

impl From<OtherProcess> for SealError {
    #[inline]
    fn from(_: OtherProcess) -> SealError {
        SealError::OtherProcess
    }
}
