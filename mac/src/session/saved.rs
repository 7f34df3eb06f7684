//! [`Saved`]: a sender as bytes, for storage.

use super::PacketMac;
use core::fmt;

/// What a sender has used, or may have used, of one key. [`Sender::reserve`](super::Sender::reserve) and
/// [`Sender::into_saved`](super::Sender::into_saved) make it; [`Sender::restore`](super::Sender::restore) continues
/// from it. It is not secret. **Restoring an old one reuses nonces**: never restore from a backup, a snapshot or a
/// copied machine; change the key instead. Restoring one twice, or under another key than its own, reuses nonces too.
/// So it can't be copied; store it beside its key.
#[derive(Debug, PartialEq, Eq)]
pub struct Saved {
    /// The first number that was not used.
    pub(super) next: u64,
    /// The end of this sender's numbers: the first that it must not use.
    pub(super) end: u64,
    /// How much of the key's limit is spent.
    pub(super) spent: u64,
    /// The limit.
    pub(super) limit: u64,
}

/// The first bytes: format and version.
const MAGIC: [u8; 8] = *b"wegmanC1";

impl Saved {
    /// Length of the bytes.
    pub const BYTES: usize = 48;

    /// A sender for a key of type `K` that has used nothing and begins with number `first`.
    #[must_use]
    pub const fn starting_at<K: PacketMac>(first: u64) -> Saved {
        Saved { next: first, end: u64::MAX, spent: 0, limit: K::LIMIT }
    }

    /// Divides the numbers: the first part keeps those below `at`, the second gets the others, and each gets half of
    /// what is left of the key's limit. `None` if `at` is not one of the numbers left. Store both parts in place of
    /// this one before using either.
    #[must_use]
    pub fn split(self, at: u64) -> Option<(Saved, Saved)> {
        let Saved { next, end, spent, limit } = self;
        let half = limit.saturating_sub(spent) / 2;
        let lower = Saved { next, end: at, spent, limit: limit - half };
        let upper = Saved { next: at, end, spent: 0, limit: half };
        (next..end).contains(&at).then_some((lower, upper))
    }

    /// The next number that a sender restored from this would use.
    #[must_use]
    pub const fn next(&self) -> u64 {
        self.next
    }

    /// The bytes to store. Replace the old ones as a whole: write another file, sync it, rename it, sync the folder.
    #[must_use]
    pub fn to_bytes(&self) -> [u8; Self::BYTES] {
        let &Saved { next, end, spent, limit } = self;
        let mut bytes = [0; Self::BYTES];
        let (parts, _) = bytes.as_chunks_mut();
        parts[0] = MAGIC;
        for (part, word) in parts[1..].iter_mut().zip([next, end, spent, limit, check(self)]) {
            *part = word.to_be_bytes();
        }
        bytes
    }

    /// Reads what [`to_bytes`](Self::to_bytes) wrote.
    ///
    /// # Errors
    /// [`InvalidSaved`] if the bytes are not those of a saved sender: another file, or one that was not written
    /// completely.
    pub fn from_bytes(bytes: &[u8]) -> Result<Saved, InvalidSaved> {
        let bytes: &[u8; Self::BYTES] = bytes.try_into().map_err(|_| InvalidSaved)?;
        let (parts, _) = bytes.as_chunks();
        let [next, end, spent, limit, sum] =
            core::array::from_fn(|i| u64::from_be_bytes(parts[i + 1]));
        let saved = Saved { next, end, spent, limit };
        let whole = parts[0] == MAGIC && sum == check(&saved) && next <= end;
        if whole { Ok(saved) } else { Err(InvalidSaved) }
    }
}

/// A checksum, to detect an incomplete write. It does not stop anyone from making up a valid one.
fn check(saved: &Saved) -> u64 {
    let &Saved { next, end, spent, limit } = saved;
    [next, end, spent, limit].into_iter().fold(0x9e37_79b9_7f4a_7c15, |sum, word| {
        // Each step is a bijection, so a change of one word always changes the sum.
        (sum ^ word).wrapping_mul(0xbf58_476d_1ce4_e5b9).rotate_left(31)
    })
}

/// The bytes are not those of a saved sender.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InvalidSaved;

impl fmt::Display for InvalidSaved {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("not a saved sender, or not all of it: take a new key")
    }
}

impl core::error::Error for InvalidSaved {}

#[cfg(test)]
mod tests {
    use super::{InvalidSaved, Saved};

    /// Complete bytes that no sender can have saved.
    #[test]
    fn numbers_in_order() {
        let saved = |next, end| Saved { next, end, spent: 0, limit: 1 };
        assert_eq!(Saved::from_bytes(&saved(5, 5).to_bytes()), Ok(saved(5, 5)));
        assert_eq!(Saved::from_bytes(&saved(6, 5).to_bytes()), Err(InvalidSaved));
    }
}
