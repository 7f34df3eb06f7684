//! [`Window`]: the replay window, which records which of the last sequence numbers were accepted (RFC 6479).
//!
//! It is a ring of 64-bit words, one more than the window needs, so moving it clears whole words and shifts none.

/// A window of `64 * (WORDS - 1)` sequence numbers: `Window<2>` has 64, `Window<17>` has 1024, `Window<1025>` has
/// 65,536 and takes 8 KiB. `WORDS` is 2 to 1025 (others do not compile).
#[derive(Clone, Debug)]
pub struct Window<const WORDS: usize> {
    /// Bit `n % 64` of word `n / 64 % WORDS` is set if `n` was accepted.
    words: [u64; WORDS],
    /// Smaller numbers are always too old.
    first: u64,
    /// The largest number accepted so far, if `has_top`. Not an `Option`: its halves, stored apart, would be loaded as one,
    /// and each packet would wait for the one before.
    top: u64,
    has_top: bool,
}

/// The state of a sequence number in a window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Place {
    /// It has not been accepted yet.
    Fresh,
    /// It was accepted before.
    Replayed,
    /// It is behind the window: whether it was accepted is unknown.
    TooOld,
}

impl<const WORDS: usize> Window<WORDS> {
    /// How many sequence numbers the window has.
    pub const SIZE: u64 = {
        assert!(2 <= WORDS && WORDS <= 1025, "a window has 64 to 65,536 numbers: 2 to 1025 words");
        64 * (WORDS as u64 - 1)
    };

    /// A window for numbers from `first` on, none of them accepted yet.
    #[must_use]
    pub const fn new(first: u64) -> Self {
        let _ = Self::SIZE;
        Window { words: [0; WORDS], first, top: 0, has_top: false }
    }

    /// The largest number accepted so far.
    #[must_use]
    pub const fn top(&self) -> Option<u64> {
        if self.has_top { Some(self.top) } else { None }
    }

    /// The smallest number that this window takes.
    pub(super) const fn first(&self) -> u64 {
        self.first
    }

    /// The number with these lowest `bits` bits that is in the window or nearest above it.
    #[must_use]
    pub(super) fn extend(&self, low: u64, bits: u32) -> Option<u64> {
        let top = self.top().unwrap_or(self.first);
        // The lowest number of the window. Below zero, it stands for the numbers that wrap.
        let bottom = i128::from(top) - i128::from(Self::SIZE - 1);
        // Of the 2^bits numbers from `bottom` on, exactly one has these low bits.
        let distance = low.wrapping_sub(bottom as u64) & ((1 << bits) - 1);
        u64::try_from(bottom + i128::from(distance)).ok()
    }

    /// The state of a number. Changes nothing.
    #[must_use]
    #[inline]
    pub fn place(&self, sequence: u64) -> Place {
        if sequence < self.first {
            return Place::TooOld;
        }
        if !self.has_top || sequence > self.top {
            Place::Fresh
        } else if self.top - sequence >= Self::SIZE {
            Place::TooOld
        } else if self.words[word::<WORDS>(sequence)] & bit(sequence) != 0 {
            Place::Replayed
        } else {
            Place::Fresh
        }
    }

    /// Marks a number as accepted if it is [`Place::Fresh`], and moves the window if it is the largest. Call it only after
    /// the packet was found authentic, and use the packet only if the answer is true: if a lock was free between
    /// [`place`](Self::place) and this, somebody else may have accepted the same number.
    #[must_use = "a packet of a number that was accepted before is a replay"]
    pub fn accept(&mut self, sequence: u64) -> bool {
        let is_fresh = self.place(sequence) == Place::Fresh;
        if is_fresh {
            self.mark(sequence);
        }
        is_fresh
    }

    /// [`accept`](Self::accept) of a number that is fresh.
    #[inline]
    pub(super) fn mark(&mut self, sequence: u64) {
        if !self.has_top || sequence > self.top {
            if self.has_top {
                // The words that the window moves onto: all of them if it moves far.
                let (from, to) = (self.top / 64, sequence / 64);
                for block in from + 1..=to.min(from + WORDS as u64) {
                    self.words[(block % WORDS as u64) as usize] = 0;
                }
            }
            (self.top, self.has_top) = (sequence, true);
        }
        self.words[word::<WORDS>(sequence)] |= bit(sequence);
    }
}

/// The index of a number's word in the ring. Sequence numbers are public.
#[inline]
fn word<const WORDS: usize>(sequence: u64) -> usize {
    (sequence / 64 % WORDS as u64) as usize
}

#[inline]
fn bit(sequence: u64) -> u64 {
    1 << (sequence % 64)
}
