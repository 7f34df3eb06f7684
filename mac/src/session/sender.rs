//! [`Sender`]: a key with its counter.

use super::{PacketMac, Saved};
use core::fmt;

/// Seals packets under consecutive sequence numbers. It owns the counter: a number is used up before its tag is made,
/// and a sender can't be cloned, so **this sender uses no number twice**. There must be only one sender for a key, or
/// several whose numbers were divided by [`split`](Self::split).
///
/// UMAC's pads are computed 32 at a time, ahead of the messages.
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
/// let mut sender = Sender::restore(&key, Saved::starting_at::<&umac::Key<8>>(1));
/// assert_eq!(sender.seal(b"too early"), Err(SealError::NotReserved));
/// sender.reserve(1000, 1 << 20, |saved| -> std::io::Result<()> {
///     disk = saved.to_bytes().to_vec();
///     Ok(())
/// })?;
/// assert_eq!(sender.seal(b"a packet")?.0, 1);
/// drop(sender); // a crash
///
/// let mut sender = Sender::restore(&key, Saved::from_bytes(&disk)?);
/// sender.reserve(1000, 1 << 20, |_| Ok::<_, std::io::Error>(()))?;
/// assert_eq!(sender.seal(b"a packet")?.0, 1001);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Sender<K: PacketMac> {
    key: K,
    ahead: K::Ahead,
    /// What is used, and what may be used.
    now: Saved,
    /// How far `now` may go, if the sender is stored.
    covered: Option<Covered>,
}

/// What was stored: the numbers below `next`, and how much of the key's limit.
#[derive(Clone, Copy)]
struct Covered {
    next: u64,
    spent: u64,
}

impl<K: PacketMac> Sender<K> {
    /// A sender for a key that never had another sender. Its counter is lost with this process.
    /// `first` is the first sequence number; 2^64 - 2 is the last.
    #[must_use]
    pub fn new(key: K, first: u64) -> Self {
        Sender { ahead: key.ahead(), key, now: Saved::starting_at::<K>(first), covered: None }
    }

    /// A sender that continues from storage. It must [`reserve`](Self::reserve) numbers before it can seal anything. A
    /// limit above that of the key's type is lowered to it.
    #[must_use]
    pub fn restore(key: K, saved: Saved) -> Self {
        let mut now = saved;
        now.limit = now.limit.min(K::LIMIT);
        let covered = Some(Covered { next: now.next, spent: now.spent });
        Sender { ahead: key.ahead(), key, now, covered }
    }

    /// Lowers the limit on what this key tags, in the units of [`PacketMac::LIMIT`]. A higher limit than the present
    /// one changes nothing.
    #[must_use]
    pub fn with_limit(mut self, limit: u64) -> Self {
        self.now.limit = self.now.limit.min(limit);
        self
    }

    /// Lets the sender use the next `messages` numbers, for `bytes` bytes of message in all, **after** `store` has
    /// stored the sender that comes after them. `store` must be durable, or the protection is lost. If it fails, a
    /// restored sender can use what it could before, and one made by [`new`](Self::new) can use nothing. Numbers that
    /// are unused at a restart are skipped.
    ///
    /// # Errors
    /// Whatever `store` returns.
    pub fn reserve<E>(
        &mut self,
        messages: u64,
        bytes: u64,
        store: impl FnOnce(&Saved) -> Result<(), E>,
    ) -> Result<(), E> {
        let &Saved { next, end, spent, limit } = &self.now;
        // From now on the stored state is the limit, even if storing fails halfway.
        let covered = self.covered.get_or_insert(Covered { next, spent });
        // Never less than before: even a failed attempt may have stored something.
        let saved = Saved {
            next: next.saturating_add(messages).clamp(covered.next, end),
            spent: spent.saturating_add(K::cost(messages, bytes)).max(covered.spent),
            end,
            limit,
        };
        store(&saved)?;
        *covered = Covered { next: saved.next, spent: saved.spent };
        Ok(())
    }

    /// The present state, for storage. The sender is consumed, so it can seal nothing more.
    #[must_use]
    pub fn into_saved(self) -> Saved {
        self.now
    }

    /// The tag of a message and its sequence number.
    ///
    /// # Errors
    /// [`SealError`]. Then nothing was tagged, and no number is used up.
    #[inline]
    pub fn seal(&mut self, message: &[u8]) -> Result<(u64, K::Tag), SealError> {
        let sequence = self.take(1, K::cost(1, message.len() as u64))?;
        Ok((sequence, self.key.next_tag(&mut self.ahead, sequence, message)))
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
        let cost = |sum: u64, message: &&[u8]| sum.saturating_add(K::cost(1, message.len() as u64));
        let first = self.take(messages.len() as u64, messages.iter().fold(0, cost))?;
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
        if self.covered.is_some() {
            return Err(SealError::NotReserved);
        }
        let &Saved { next, end, spent, limit } = &self.now;
        let whole = Saved { next, end, spent, limit };
        let (lower, upper) = whole.split(at).ok_or(SealError::Exhausted)?;
        self.now = lower;
        let key = self.key.clone();
        Ok(Sender { ahead: key.ahead(), key, now: upper, covered: None })
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

    /// Uses up numbers and their cost, or nothing.
    #[inline]
    fn take(&mut self, count: u64, cost: u64) -> Result<u64, SealError> {
        let &Saved { next, end, spent, limit } = &self.now;
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

/// Why nothing was sealed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SealError {
    /// Not enough sequence numbers are left: change the key.
    Exhausted,
    /// It would exceed what this key may tag: change the key.
    Limit,
    /// It would exceed what is reserved: [`Sender::reserve`] more.
    NotReserved,
}

impl fmt::Display for SealError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            SealError::Exhausted => "not enough sequence numbers are left: change the key",
            SealError::Limit => "it is more than this key may tag: change the key",
            SealError::NotReserved => "no sequence numbers are reserved: store the sender first",
        })
    }
}

impl core::error::Error for SealError {}
