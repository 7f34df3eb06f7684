//! [`SharedSender`]: one counter for many threads.

use super::{PacketMac, ReserveError, SealError, Sender};
use crate::parts;
use core::fmt;
use core::sync::atomic::{AtomicU64, Ordering};

/// A [`Sender`] whose numbers many threads take, each by one atomic addition; no thread waits for another. Share it by
/// reference or in an `Arc`. It is there where the processor has atomic numbers of 64 bits.
///
/// ```
/// use wegman::session::{Sender, SharedSender};
/// use wegman::umac;
///
/// let key = umac::Key::<8>::new(b"sixteen byte key");
/// let sender = SharedSender::new(Sender::new(&key, 1));
/// std::thread::scope(|scope| {
///     for _ in 0..2 {
///         scope.spawn(|| sender.seal(b"a packet"));
///     }
/// });
/// assert_eq!(sender.into_sender().next_sequence(), Some(3));
/// ```
///
/// A sender that is stored can use what it has reserved. To reserve more, all threads have to be done with it:
/// [`into_sender`](Self::into_sender), or `&mut` access ([`reserve`](Self::reserve)), by an `RwLock`, for example.
///
/// A thread that pauses between a number and its packet falls behind those of the others: give the receiver a window that
/// covers the pause, such as `Receiver<_, 1025>` for 65,536 numbers. Pads are not computed ahead, as no thread knows its
/// next number.
pub struct SharedSender<K: PacketMac> {
    sender: Sender<K>,
    /// The next number. It may be beyond the end by as many as there are threads.
    next: AtomicU64,
    /// The cost of what was sealed, if that is not the number of messages.
    spent: AtomicU64,
    /// Neither may go beyond these. The end leaves room for the numbers that threads take at it in vain.
    end: u64,
    limit: u64,
}

/// Beyond this number a shared sender takes none: more than 2^32 threads at its end at once could count it round.
const ROOM: u64 = u64::MAX - (1 << 32);

impl<K: PacketMac> SharedSender<K> {
    /// Shares what a sender has left.
    #[must_use]
    pub fn new(sender: Sender<K>) -> Self {
        let [next, spent] = [0, 0].map(AtomicU64::new);
        let mut shared = SharedSender { sender, next, spent, end: 0, limit: 0 };
        shared.begin();
        shared
    }

    /// Takes over what the sender may use.
    fn begin(&mut self) {
        let ((next, end), (spent, limit)) = self.sender.bounds();
        // Where each message costs 1, one counter is enough: its end is the nearer of both.
        let most = if Self::COUNTS_MESSAGES() { limit.saturating_sub(spent) } else { u64::MAX };
        self.end = end.min(next.saturating_add(most)).min(ROOM).max(next);
        (*self.next.get_mut(), *self.spent.get_mut(), self.limit) = (next, spent, limit);
    }

    /// Whether every message costs 1. The compiler knows.
    #[expect(non_snake_case, reason = "it is a constant")]
    #[inline(always)]
    fn COUNTS_MESSAGES() -> bool {
        K::cost(1, u64::MAX) == 1
    }

    /// The tag of a message and its sequence number.
    ///
    /// # Errors
    /// [`SealError`]. Then nothing was tagged; if other threads were at the end at the same time, a number may be skipped.
    #[inline]
    pub fn seal(&self, message: &[u8]) -> Result<(u64, K::Tag), SealError> {
        let sequence = self.take(self.sender.cost(message.len())?)?;
        Ok((sequence, self.sender.key().tag_packet(sequence, message)))
    }

    /// [`seal`](Self::seal) of a message in parts.
    ///
    /// # Errors
    /// [`SealError`], as in [`seal`](Self::seal).
    #[inline]
    pub fn seal_parts(&self, message: &[&[u8]]) -> Result<(u64, K::Tag), SealError> {
        let sequence = self.take(self.sender.cost(parts::length(message))?)?;
        Ok((sequence, self.sender.key().tag_packet_parts(sequence, message)))
    }

    /// Lets the threads use more, as [`Sender::reserve`] does.
    ///
    /// # Errors
    /// [`ReserveError`], as for [`Sender::reserve`].
    pub fn reserve<E>(
        &mut self,
        messages: u64,
        bytes: u64,
        store: impl FnOnce(&super::Saved) -> Result<(), E>,
    ) -> Result<(), ReserveError<E>> {
        self.settle();
        let result = self.sender.reserve(messages, bytes, store);
        self.begin();
        result
    }

    /// The sender, for one thread again.
    #[must_use]
    pub fn into_sender(mut self) -> Sender<K> {
        self.settle();
        self.sender
    }

    /// Tells the sender what was used.
    fn settle(&mut self) {
        let next = (*self.next.get_mut()).min(self.end);
        let ((before, _), (spent, _)) = self.sender.bounds();
        let spent = if Self::COUNTS_MESSAGES() {
            spent + (next - before)
        } else {
            // It may be beyond the limit, by what threads took in vain.
            (*self.spent.get_mut()).min(self.limit.max(spent))
        };
        (self.sender.now.next, self.sender.now.spent) = (next, spent);
    }

    /// Takes a number, and its cost from what is left.
    #[inline]
    fn take(&self, cost: u64) -> Result<u64, SealError> {
        // Looked at first, so that threads that try again and again at the end do not count on. Nothing else depends on
        // the order of these operations: each number is returned once.
        self.sender.owner.check()?;
        if self.next.load(Ordering::Relaxed) >= self.end {
            return Err(self.refusal());
        }
        if !Self::COUNTS_MESSAGES() {
            let fits = |spent: u64| spent.checked_add(cost).is_some_and(|then| then <= self.limit);
            if !fits(self.spent.load(Ordering::Relaxed))
                || !fits(self.spent.fetch_add(cost, Ordering::Relaxed))
            {
                return Err(self.refusal());
            }
        }
        let sequence = self.next.fetch_add(1, Ordering::Relaxed);
        if sequence < self.end { Ok(sequence) } else { Err(self.refusal()) }
    }

    #[cold]
    fn refusal(&self) -> SealError {
        self.sender.refusal()
    }
}

impl<K: PacketMac> fmt::Debug for SharedSender<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "session::SharedSender(next {})", self.next.load(Ordering::Relaxed))
    }
}
