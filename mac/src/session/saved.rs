//! [`Saved`] and [`SavedReceiver`]: senders and receivers as bytes, for storage.

use super::ledger::Limits;
use super::{END, PacketMac};
use crate::bound::Traffic;
use crate::session::owner::OtherProcess;
use core::fmt;

/// What a sender has used, or may have used, of one key. [`Sender::reserve`](super::Sender::reserve) and
/// [`Sender::into_saved`](super::Sender::into_saved) make it; [`Sender::restore`](super::Sender::restore) continues
/// from it. It is not secret, and it knows its key: another is refused. **Restoring an old one reuses nonces**: never
/// restore from a backup, a snapshot or a copied machine; change the key instead. Restoring one twice reuses nonces, too. So
/// it can't be copied.
#[derive(Debug, PartialEq, Eq)]
pub struct Saved {
    /// The id of the key.
    pub(super) key: [u8; 8],
    /// The first number that was not used.
    pub(super) next: u64,
    /// The end of this sender's numbers: the first that it must not use.
    pub(super) end: u64,
    /// How much of the key's limit is spent.
    pub(super) spent: u64,
    /// The limit.
    pub(super) limit: u64,
}

/// The first bytes of a stored sender: format and version.
const SENDER: u64 = u64::from_be_bytes(*b"wegmanS2");

/// Those of a stored receiver.
const RECEIVER: u64 = u64::from_be_bytes(*b"wegmanR2");

impl Saved {
    /// Length of the bytes.
    pub const BYTES: usize = 56;

    /// A sender for `key` that has used nothing and begins with number `first`.
    #[must_use]
    pub fn starting_at<K: PacketMac>(key: &K, first: u64) -> Saved {
        Saved { key: key.key_id(), next: first.min(END), end: END, spent: 0, limit: K::LIMIT }
    }

    /// Divides the numbers: the first part keeps those below `at`, the second gets the others, and each gets half of
    /// what is left of the key's limit. `None` if `at` is not one of the numbers left. Store both parts in place of
    /// this one before using either.
    #[must_use]
    pub fn split(self, at: u64) -> Option<(Saved, Saved)> {
        let half = self.limit.saturating_sub(self.spent) / 2;
        let lower = Saved { end: at, limit: self.limit - half, ..self };
        let upper = Saved { next: at, spent: 0, limit: half, ..self };
        (self.next..self.end).contains(&at).then_some((lower, upper))
    }

    /// The next number that a sender restored from this would use.
    #[must_use]
    pub const fn next(&self) -> u64 {
        self.next
    }

    /// The same, for a state that is stored or divided.
    pub(super) const fn again(&self) -> Saved {
        Saved { ..*self }
    }

    /// The bytes to store. Replace the old ones as a whole: write another file, sync it, rename it, sync the folder.
    #[must_use]
    pub fn to_bytes(&self) -> [u8; Self::BYTES] {
        let &Saved { key, next, end, spent, limit } = self;
        let mut bytes = [0; Self::BYTES];
        write(&mut bytes, &[SENDER, u64::from_be_bytes(key), next, end, spent, limit]);
        bytes
    }

    /// Reads what [`to_bytes`](Self::to_bytes) wrote.
    ///
    /// # Errors
    /// [`InvalidSaved`] if the bytes are not those of a saved sender: another file, or one that was not written
    /// completely.
    pub fn from_bytes(bytes: &[u8]) -> Result<Saved, InvalidSaved> {
        let [kind, key, next, end, spent, limit] = read(bytes)?;
        let whole = kind == SENDER && next <= end && end <= END;
        let saved = Saved { key: key.to_be_bytes(), next, end, spent, limit };
        if whole { Ok(saved) } else { Err(InvalidSaved) }
    }
}

/// What a receiver may have accepted and examined under one key.
/// [`Receiver::reserve`](super::Receiver::reserve) and [`Receiver::into_saved`](super::Receiver::into_saved) make it;
/// [`Receiver::restore`](super::Receiver::restore) continues from it. It is not secret, and it knows its key: another is
/// refused. **Restoring an old one accepts packets again.**
#[derive(Debug, PartialEq, Eq)]
pub struct SavedReceiver {
    /// The id of the key.
    pub(super) key: [u8; 8],
    /// The smallest number that may not have been accepted.
    pub(super) first: u64,
    /// The end of this receiver's numbers.
    pub(super) end: u64,
    /// Forgery attempts.
    pub(super) spent: Traffic,
    /// What sender and receiver have agreed.
    pub(super) limits: Limits,
}

impl SavedReceiver {
    /// Length of the bytes.
    pub const BYTES: usize = 88;

    /// A receiver for `key` that has accepted nothing and takes numbers from `first` on.
    #[must_use]
    pub fn starting_at<K: PacketMac>(key: &K, first: u64) -> SavedReceiver {
        let (spent, limits) = (Traffic::NONE, Limits::of::<K>());
        SavedReceiver { key: key.key_id(), first: first.min(END), end: END, spent, limits }
    }

    /// The bytes to store. Replace the old ones as a whole.
    #[must_use]
    pub fn to_bytes(&self) -> [u8; Self::BYTES] {
        let &SavedReceiver { key, first, end, spent, limits } = self;
        let mut bytes = [0; Self::BYTES];
        let (key, Traffic { messages, cost }) = (u64::from_be_bytes(key), spent);
        let Limits { cost: limit, longest } = limits;
        write(&mut bytes, &[RECEIVER, key, first, end, messages, cost, 0, 0, limit, longest]);
        bytes
    }

    /// Reads what [`to_bytes`](Self::to_bytes) wrote.
    ///
    /// # Errors
    /// [`InvalidSaved`] if the bytes are not those of a saved receiver.
    pub fn from_bytes(bytes: &[u8]) -> Result<SavedReceiver, InvalidSaved> {
        let [kind, key, first, end, messages, cost, zero, also, limit, longest] = read(bytes)?;
        // Two words had a meaning once.
        let whole = kind == RECEIVER && first <= end && end <= END && zero | also == 0;
        let (key, spent) = (key.to_be_bytes(), Traffic { messages, cost });
        let limits = Limits { cost: limit, longest };
        let saved = SavedReceiver { key, first, end, spent, limits };
        if whole { Ok(saved) } else { Err(InvalidSaved) }
    }
}

/// Writes words and their checksum.
pub(super) fn write(bytes: &mut [u8], words: &[u64]) {
    let places = bytes.as_chunks_mut().0;
    assert_eq!(places.len(), words.len() + 1, "the words and the sum");
    for (place, word) in places.iter_mut().zip(words) {
        *place = word.to_be_bytes();
    }
    write_sum(bytes);
}

/// Writes the checksum of all words before the last in place of that one.
pub(super) fn write_sum(bytes: &mut [u8]) {
    let (sum, words) = bytes.as_chunks_mut().0.split_last_mut().expect("words and a sum");
    *sum = check(words).to_be_bytes();
}

/// The words, where they are, if their checksum is right.
pub(super) fn whole<const WORDS: usize>(bytes: &[u8]) -> Result<&[[u8; 8]; WORDS], InvalidSaved> {
    let (places, rest) = bytes.as_chunks();
    let (sum, words) = places.split_last().ok_or(InvalidSaved)?;
    let is_whole = rest.is_empty() && check(words) == u64::from_be_bytes(*sum);
    words.try_into().ok().filter(|_| is_whole).ok_or(InvalidSaved)
}

/// Reads words if their checksum is right.
pub(super) fn read<const WORDS: usize>(bytes: &[u8]) -> Result<[u64; WORDS], InvalidSaved> {
    whole(bytes).map(|words| words.map(u64::from_be_bytes))
}

/// A checksum, to detect an incomplete write. It does not stop anyone from making up a valid one.
fn check(words: &[[u8; 8]]) -> u64 {
    words.iter().fold(0x9e37_79b9_7f4a_7c15, |sum: u64, word| {
        // Each step is a bijection, so a change of one word always changes the sum.
        (sum ^ u64::from_be_bytes(*word)).wrapping_mul(0xbf58_476d_1ce4_e5b9).rotate_left(31)
    })
}

error! {
    /// The bytes are not those of a saved sender or receiver.
    pub struct InvalidSaved = "not a saved sender or receiver, or not all of it: take a new key";
}

/// Nothing was reserved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReserveError<E> {
    /// What the function that stores has returned.
    Store(E),
    /// This process was forked: what has to be stored is its parent's. The function that stores was not called.
    OtherProcess,
}

impl<E> From<OtherProcess> for ReserveError<E> {
    fn from(_: OtherProcess) -> ReserveError<E> {
        ReserveError::OtherProcess
    }
}

impl<E: fmt::Display> fmt::Display for ReserveError<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ReserveError::Store(error) => error.fmt(f),
            ReserveError::OtherProcess => OtherProcess.fmt(f),
        }
    }
}

impl<E: core::error::Error> core::error::Error for ReserveError<E> {
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        match self {
            ReserveError::Store(error) => error.source(),
            ReserveError::OtherProcess => None,
        }
    }
}

error! {
    /// What was saved belongs to another key.
    pub struct WrongKey =
        "it was saved under another key: find the state of this key, or take a new one";
}

#[cfg(test)]
mod tests {
    use super::{END, InvalidSaved, Saved};

    /// Complete bytes that no sender can have saved.
    #[test]
    fn numbers_in_order() {
        let saved = |next, end| Saved { key: [7; 8], next, end, spent: 0, limit: 1 };
        assert_eq!(Saved::from_bytes(&saved(5, 5).to_bytes()), Ok(saved(5, 5)));
        assert_eq!(Saved::from_bytes(&saved(6, 5).to_bytes()), Err(InvalidSaved));
        assert_eq!(Saved::from_bytes(&saved(6, END + 1).to_bytes()), Err(InvalidSaved));
    }
}
