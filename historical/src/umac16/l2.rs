//! Level 2: POLY, from the level-1 words of 32 bits to 128 bits (draft of October 2000, section 6.3).
//!
//! ```text
//! up to 2^9 words:   y = POLY(p32, k32, words)
//! up to 2^31:        y = POLY(p64, k64, y || later words in pairs || 80 0...)
//! more:              y = POLY(p128, k128, y || later words in fours || 80 0...)
//! ```
//!
//! The number of words is not secret; words, keys and accumulators are.

use super::MAX_STREAMS;
use super::poly32::{self, poly32, reduce32};
use wegman::hazmat::ct::wipe;
use wegman::hazmat::umac::l2_poly::{self, Lazy, poly64, poly128, reduce64, reduce128};
use zeroize::Zeroize;

/// How many words POLY-32 hashes: those of 2^9 chunks, 2^19 bytes of message.
pub(crate) const WORDS_32: u64 = 1 << 9;
/// How many words POLY-32 and POLY-64 hash.
const WORDS_64: u64 = 1 << 31;

/// The keys of a stream.
#[derive(Clone, Copy, Default)]
pub(crate) struct Key {
    pub(crate) narrow: poly32::Key,
    wide: l2_poly::Key,
}

impl Key {
    pub(crate) fn from_bytes(bytes: &[u8; 28]) -> Key {
        let (narrow, wide) = bytes.split_first_chunk().expect("28 bytes begin with 4");
        let wide = wide.try_into().expect("24 bytes are left");
        Key { narrow: poly32::Key::from_bytes(*narrow), wide: l2_poly::Key::from_bytes(wide) }
    }
}

impl Zeroize for Key {
    fn zeroize(&mut self) {
        let Key { narrow, wide } = self;
        narrow.zeroize();
        wide.zeroize();
    }
}

/// A message under way: the accumulators of its streams. It wipes itself.
#[derive(Clone)]
pub(crate) struct State {
    /// The number of words so far, the same in each stream.
    count: u64,
    /// POLY-32, each [`Lazy`]; packets load and store them as words. Final once `count` reaches [`WORDS_32`].
    pub(super) y32: [u32; MAX_STREAMS],
    /// POLY-64. Final once `count` reaches [`WORDS_64`].
    y64: [Lazy<u64>; MAX_STREAMS],
    /// POLY-128.
    y128: [Lazy<u128>; MAX_STREAMS],
    /// The words of a pair or of a group of four that is not complete yet: below 2^32 for a pair, which lacks one
    /// word, and below 2^96 for four, which lack at least one. 0 at each switch, because [`WORDS_32`] is even and
    /// [`WORDS_64`] a multiple of four.
    waiting: [u128; MAX_STREAMS],
}

impl State {
    pub(crate) const fn new() -> State {
        State {
            count: 0,
            y32: [1; MAX_STREAMS],
            y64: [Lazy(1); MAX_STREAMS],
            y128: [Lazy(1); MAX_STREAMS],
            waiting: [0; MAX_STREAMS],
        }
    }

    /// How many words each stream has taken.
    pub(crate) fn count(&self) -> u64 {
        self.count
    }

    /// Records that `y32` has taken `words` more words. They are all within [`WORDS_32`].
    pub(super) fn counted(&mut self, words: usize) {
        self.count += words as u64;
        debug_assert!(self.count <= WORDS_32);
    }

    /// Takes a word of each stream.
    ///
    /// # Bounds
    /// In: any words of 32 bits.
    #[inline]
    pub(crate) fn absorb_words(&mut self, keys: &[Key; MAX_STREAMS], words: &[u32]) {
        if self.count < WORDS_32 {
            for (t, &word) in words.iter().enumerate() {
                self.y32[t] = poly32(&keys[t].narrow, Lazy(self.y32[t]), word).0;
            }
        } else if self.count < WORDS_64 {
            self.absorb_64(keys, words);
        } else {
            self.absorb_128(keys, words);
        }
        self.count += 1;
    }

    fn absorb_64(&mut self, keys: &[Key; MAX_STREAMS], words: &[u32]) {
        let begins = self.count == WORDS_32;
        for (t, &word) in words.iter().enumerate() {
            let (key, y, waiting) = (&keys[t].wide, &mut self.y64[t], &mut self.waiting[t]);
            if begins {
                *y = poly64(key, Lazy(1), reduce32(Lazy(self.y32[t])).into());
            }
            *waiting = *waiting << 32 | u128::from(word);
            debug_assert!(*waiting >> 64 == 0);
            if !self.count.is_multiple_of(2) {
                *y = poly64(key, *y, core::mem::take(waiting) as u64);
            }
        }
    }

    fn absorb_128(&mut self, keys: &[Key; MAX_STREAMS], words: &[u32]) {
        let begins = self.count == WORDS_64;
        for (t, &word) in words.iter().enumerate() {
            let (key, y, waiting) = (&keys[t].wide, &mut self.y128[t], &mut self.waiting[t]);
            if begins {
                *y = poly128(key, Lazy(1), reduce64(self.y64[t]).into());
            }
            debug_assert!(*waiting >> 96 == 0);
            *waiting = *waiting << 32 | u128::from(word);
            if self.count % 4 == 3 {
                *y = poly128(key, *y, core::mem::take(waiting));
            }
        }
    }

    /// The level-2 hash of stream `t`.
    ///
    /// # Bounds
    /// Out: below p32, p64 or p128, by [`reduce32`], [`reduce64`] or [`reduce128`].
    pub(crate) fn finish(&self, key: &Key, t: usize) -> u128 {
        // The waiting words, then the end mark. If no word waits, `room` is the whole width and `waiting` is 0.
        let marked = |bits: u32, whole: u64| {
            let room = bits - 32 * (self.count % whole) as u32;
            self.waiting[t].checked_shl(room).unwrap_or(0) | 0x80 << (room - 8)
        };
        if self.count <= WORDS_32 {
            reduce32(Lazy(self.y32[t])).into()
        } else if self.count <= WORDS_64 {
            reduce64(poly64(&key.wide, self.y64[t], marked(64, 2) as u64)).into()
        } else {
            reduce128(poly128(&key.wide, self.y128[t], marked(128, 4)))
        }
    }

    /// This state, moved to just before POLY-128 takes over. A test cannot wait for a message that long.
    #[cfg(test)]
    pub(crate) fn moved_to_the_end_of_64(mut self) -> State {
        self.count = WORDS_64;
        self
    }
}

impl Drop for State {
    fn drop(&mut self) {
        let State { count, y32, y64, y128, waiting } = self;
        count.zeroize();
        wipe(y32);
        wipe(y64);
        wipe(y128);
        wipe(waiting);
    }
}
