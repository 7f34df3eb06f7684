//! A sender as bytes, for storage.

use super::PacketMac;
use core::fmt;

/// What a sender has used, or may have, of one key: [`Sender::reserve`](super::Sender::reserve) and
/// [`Sender::into_saved`](super::Sender::into_saved) make it, [`Sender::restore`](super::Sender::restore) goes on
/// from it. It is no secret. **Who restores an old one uses nonces twice**: never from a backup, a snapshot or
/// a copied machine; take a new key then. So does who restores one twice, or under a key it is not of: it can't be
/// copied, and is best stored beside its key.
#[derive(Debug, PartialEq, Eq)]
pub struct Saved {
    /// The first number that was not used.
    pub(super) next: u64,
    /// The first number that is not this sender's.
    pub(super) end: u64,
    /// How much of the key's limit is spent.
    pub(super) spent: u64,
    /// What may be spent.
    pub(super) limit: u64,
}

/// What the bytes begin with: format and version.
const MAGIC: [u8; 8] = *b"wegmanC1";

impl Saved {
    /// Length of the bytes.
    pub const BYTES: usize = 48;

    /// A sender of this kind of key that has used nothing, and begins with number `first`.
    #[must_use]
    pub const fn starting_at<K: PacketMac>(first: u64) -> Saved {
        Saved { next: first, end: u64::MAX, spent: 0, limit: K::LIMIT }
    }

    /// Deals out the numbers: the first part keeps those below `at`, the second gets the others, and each half of
    /// what is left of the key's limit. `None` if `at` is not among the numbers left. Store both parts where this
    /// one was before either is used.
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

    /// To be stored as a whole: write another file, sync it, rename it, sync the folder.
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

    /// What was stored.
    ///
    /// # Errors
    /// [`InvalidSaved`] if the bytes are not those of a saved sender: another file, or one that was not
    /// written to its end.
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

/// Tells a torn write from a whole one. It does not keep anybody from making one up.
fn check(saved: &Saved) -> u64 {
    let &Saved { next, end, spent, limit } = saved;
    [next, end, spent, limit].into_iter().fold(0x9e37_79b9_7f4a_7c15, |sum, word| {
        // Steps that lose nothing, so that no single changed word keeps the sum.
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

    /// Whole bytes that no sender has saved.
    #[test]
    fn numbers_in_order() {
        let saved = |next, end| Saved { next, end, spent: 0, limit: 1 };
        assert_eq!(Saved::from_bytes(&saved(5, 5).to_bytes()), Ok(saved(5, 5)));
        assert_eq!(Saved::from_bytes(&saved(6, 5).to_bytes()), Err(InvalidSaved));
    }
}
