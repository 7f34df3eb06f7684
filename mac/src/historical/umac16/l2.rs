//! Level 2: POLY, the level-1 words of 32 bits to 128 bits (draft of October 2000, section 6.3).
//!
//! ```text
//! up to 2^9 words:   y = POLY(p32, k32, words)
//! up to 2^31:        y = POLY(p64, k64, y || later words in pairs || 80 0...)
//! more:              y = POLY(p128, k128, y || later words in fours || 80 0...)
//! ```
//!
//! Numbers of words are not secret; words, keys and accumulators are.

use super::MAX_STREAMS;
use super::poly32::{self, poly32, reduce32};
use crate::ct::wipe;
use crate::umac::l2_poly::{self, poly64, poly128, reduce64, reduce128};
use zeroize::Zeroize;

/// Words hashed by POLY-32: 2^9 chunks, 2^19 bytes of message.
pub(crate) const WORDS_32: u64 = 1 << 9;
/// Words hashed by POLY-32 and POLY-64.
const WORDS_64: u64 = 1 << 31;

/// The keys of a stream.
#[derive(Clone, Copy, Default)]
pub(crate) struct Key {
    pub(crate) narrow: poly32::Key,
    wide: l2_poly::Key,
}

impl Key {
    pub(crate) fn from_bytes(bytes: &[u8; 28]) -> Key {
        let (narrow, wide) = bytes.split_first_chunk().expect("28 bytes have 4 at their front");
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
    /// Words so far, the same number in each stream.
    count: u64,
    pub(super) y32: [u32; MAX_STREAMS],
    y64: [u64; MAX_STREAMS],
    y128: [u128; MAX_STREAMS],
    /// The words of a pair or four that is not whole yet.
    waiting: [u128; MAX_STREAMS],
}

impl State {
    pub(crate) const fn new() -> State {
        State {
            count: 0,
            y32: [1; MAX_STREAMS],
            y64: [1; MAX_STREAMS],
            y128: [1; MAX_STREAMS],
            waiting: [0; MAX_STREAMS],
        }
    }

    /// How many words each stream has had.
    pub(crate) fn count(&self) -> u64 {
        self.count
    }

    /// Tells that `y32` has taken so many more words, all within [`WORDS_32`].
    pub(super) fn counted(&mut self, words: usize) {
        self.count += words as u64;
        debug_assert!(self.count <= WORDS_32);
    }

    /// Takes a word of each stream.
    #[inline]
    pub(crate) fn absorb_row(&mut self, keys: &[Key; MAX_STREAMS], words: &[u32]) {
        if self.count < WORDS_32 {
            for (t, &word) in words.iter().enumerate() {
                self.y32[t] = poly32(&keys[t].narrow, self.y32[t], word);
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
                *y = poly64(key, 1, reduce32(self.y32[t]).into());
            }
            *waiting = *waiting << 32 | u128::from(word);
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
                *y = poly128(key, 1, reduce64(self.y64[t]).into());
            }
            *waiting = *waiting << 32 | u128::from(word);
            if self.count % 4 == 3 {
                *y = poly128(key, *y, core::mem::take(waiting));
            }
        }
    }

    /// The level-2 hash of stream `t`.
    pub(crate) fn finish(&self, key: &Key, t: usize) -> u128 {
        // Behind the words that wait, the mark of the end.
        let marked = |bits: u32, whole: u64| {
            let room = bits - 32 * (self.count % whole) as u32;
            self.waiting[t].checked_shl(room).unwrap_or(0) | 0x80 << (room - 8)
        };
        if self.count <= WORDS_32 {
            reduce32(self.y32[t]).into()
        } else if self.count <= WORDS_64 {
            reduce64(poly64(&key.wide, self.y64[t], marked(64, 2) as u64)).into()
        } else {
            reduce128(poly128(&key.wide, self.y128[t], marked(128, 4)))
        }
    }

    /// This state as that of a message that nobody could wait for, just before POLY-128 takes over.
    #[cfg(all(test, feature = "alloc"))]
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
