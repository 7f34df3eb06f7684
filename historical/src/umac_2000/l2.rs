//! Level 2: POLY, from the level-1 words to 128 bits (draft, sections 5.3, 5.4, 6.3).
//!
//! ```text
//! w = 4, words of 64 bits   up to 2^14 words:  y = POLY(p64, k64, words)
//!                           more:              y = POLY(p128, k128, y || later words in pairs || 80 0...)
//!
//! w = 2, words of 32 bits   up to 2^9 words:   y = POLY(p32, k32, words)
//!                           up to 2^31:        y = POLY(p64, k64, y || later words in pairs || 80 0...)
//!                           more:              y = POLY(p128, k128, y || later words in fours || 80 0...)
//! ```
//!
//! POLY-64 and POLY-128 are those of RFC 4418 ([`l2_poly`]); POLY-32 is that of UMAC16 ([`poly32`]). The number of
//! words is not secret; words, keys and accumulators are. An accumulator is lazy: any number of POLY's width that is
//! equal to the value mod p.

use super::kdf::{Index, Kdf};
use super::{MAX_WORDS, Parameters};
use crate::umac16::poly32::{self, poly32, reduce32};
use alloc::vec::Vec;
use wegman::hazmat::ct::wipe;
use wegman::hazmat::umac::l2_poly::{self, Lazy, Reduced, poly64, poly128, reduce64, reduce128};
use zeroize::Zeroize;

/// The keys of a stream.
#[derive(Clone, Copy, Default)]
pub(crate) struct Key {
    /// k32; 0 if words have 64 bits.
    pub(crate) narrow: poly32::Key,
    /// k64 and k128.
    wide: l2_poly::Key,
}

impl Key {
    pub(crate) fn derive(kdf: &Kdf, parameters: &Parameters) -> Vec<Key> {
        let mut bytes = [0; 28 * MAX_WORDS];
        let each = if parameters.word_bytes() == 4 { 24 } else { 28 };
        let bytes_of_all = &mut bytes[..each * parameters.words()];
        kdf.fill(Index::L2, bytes_of_all);
        let keys = bytes_of_all.chunks_exact(each).map(Key::from_bytes).collect();
        bytes.zeroize();
        keys
    }

    /// A key of 24 bytes for k64 and k128, or of 28 bytes, which begin with k32.
    pub(crate) fn from_bytes(bytes: &[u8]) -> Key {
        let (narrow, wide) = bytes.split_last_chunk().expect("24 bytes for POLY-64 and POLY-128");
        let narrow = poly32::Key::from_bytes(narrow.first_chunk().copied().unwrap_or_default());
        Key { narrow, wide: l2_poly::Key::from_bytes(wide) }
    }
}

/// The two shapes of the level.
#[derive(Clone, Copy)]
pub(crate) struct Shape {
    /// Bits of a word.
    pub(crate) word: u32,
    /// After how many words POLY of twice the width takes over, and after how many POLY of four times the width.
    pub(crate) ends: [u64; 2],
}

impl Shape {
    /// That of words of two bytes.
    pub(crate) const OF_16: Shape = Shape { word: 32, ends: [1 << 9, 1 << 31] };

    pub(crate) fn of(parameters: &Parameters) -> Shape {
        match parameters.word_bytes() {
            4 => Shape { word: 64, ends: [1 << 14, u64::MAX] },
            _ => Shape::OF_16,
        }
    }

    /// Which POLY takes the word that follows `count` words, and how many words came before that POLY's first. Step 0
    /// is POLY of a word's width; each step doubles the width.
    fn step(self, count: u64) -> (u32, u64) {
        match self.ends {
            [end, _] if count < end => (0, 0),
            [first, end] if count < end => (1, first),
            [_, end] => (2, end),
        }
    }
}

/// A message under way: the accumulators of its streams.
#[derive(Clone)]
pub(crate) struct State {
    shape: Shape,
    /// The number of words so far, the same in each stream.
    count: u64,
    /// Accumulators, below 2^bits if POLY of `bits` bits took the last word.
    y: [Lazy<u128>; MAX_WORDS],
    /// The words of a pair or of a group of four that is not complete yet. At least one word is missing, so they are
    /// below 2^(bits - word). 0 when a step begins, because every step has a whole number of groups.
    waiting: [u128; MAX_WORDS],
}

impl State {
    pub(crate) const fn new(shape: Shape) -> State {
        State { shape, count: 0, y: [Lazy(1); MAX_WORDS], waiting: [0; MAX_WORDS] }
    }

    /// How many words each stream has taken.
    pub(crate) fn count(&self) -> u64 {
        self.count
    }

    /// Takes a word of each stream.
    ///
    /// # Bounds
    /// In: words below 2^word.
    pub(crate) fn absorb_words(&mut self, keys: &[Key], words: &[u64]) {
        let (step, start) = self.shape.step(self.count);
        let bits = self.shape.word << step;
        let begins = step > 0 && self.count == start;
        self.count += 1;
        let is_whole = (self.count - start).is_multiple_of(1 << step);
        for (t, &word) in words.iter().enumerate() {
            let (y, waiting) = (&mut self.y[t], &mut self.waiting[t]);
            debug_assert!(self.shape.word == 64 || word >> self.shape.word == 0);
            debug_assert!(*waiting >> (bits - self.shape.word) == 0);
            if begins {
                *y = poly(bits, &keys[t], Lazy(1), reduce(bits / 2, *y).0);
            }
            *waiting = *waiting << self.shape.word | u128::from(word);
            if is_whole {
                *y = poly(bits, &keys[t], *y, core::mem::take(waiting));
            }
        }
    }

    /// Lets `take` do POLY-32 of so many more words, from and to accumulators of eight streams. The words are all within
    /// POLY-32.
    pub(crate) fn move_32(&mut self, words: usize, take: impl FnOnce(&mut [Lazy<u32>; 8])) {
        let mut y = core::array::from_fn(|t| Lazy(self.y[t].0 as u32));
        take(&mut y);
        for (wide, Lazy(y)) in self.y.iter_mut().zip(y) {
            *wide = Lazy(y.into());
        }
        wipe(&mut y);
        self.count += words as u64;
        debug_assert!(self.count <= self.shape.ends[0]);
    }

    /// The level-2 hash of stream `t`, reduced by the last POLY's p.
    pub(crate) fn finish(&self, key: &Key, t: usize) -> Reduced<u128> {
        // The POLY that took the last word. Only the wider ones mark the end.
        let (step, start) = self.shape.step(self.count - 1);
        let bits = self.shape.word << step;
        if step == 0 {
            return reduce(bits, self.y[t]);
        }
        let room = bits - self.shape.word * ((self.count - start) % (1 << step)) as u32;
        // No word waits if `room` is the whole width.
        let waiting = self.waiting[t].checked_shl(room).unwrap_or(0);
        reduce(bits, poly(bits, key, self.y[t], waiting | 0x80 << (room - 8)))
    }

    /// This state with another shape and count. A test cannot wait for a message that long.
    #[cfg(test)]
    pub(crate) fn moved(mut self, shape: Shape, count: u64) -> State {
        (self.shape, self.count) = (shape, count);
        self
    }
}

impl Drop for State {
    fn drop(&mut self) {
        let State { shape: _, count, y, waiting } = self;
        count.zeroize();
        wipe(y);
        wipe(waiting);
    }
}

/// One word of POLY of `bits` bits, including the limit rule.
///
/// # Bounds
/// In: `y` and `m` below 2^bits, so that the casts lose nothing. Out: below 2^bits, by the types of [`poly32`] and
/// [`poly64`].
fn poly(bits: u32, key: &Key, y: Lazy<u128>, m: u128) -> Lazy<u128> {
    debug_assert!(bits == 128 || (y.0 | m) >> bits == 0);
    match bits {
        32 => Lazy(poly32(&key.narrow, Lazy(y.0 as u32), m as u32).0.into()),
        64 => Lazy(poly64(&key.wide, Lazy(y.0 as u64), m as u64).0.into()),
        _ => poly128(&key.wide, y, m),
    }
}

/// The number below p that is equal to y mod p, for the p of `bits` bits.
///
/// # Bounds
/// In: below 2^bits, so that the casts lose nothing.
fn reduce(bits: u32, y: Lazy<u128>) -> Reduced<u128> {
    debug_assert!(bits == 128 || y.0 >> bits == 0);
    match bits {
        32 => Reduced(reduce32(Lazy(y.0 as u32)).0.into()),
        64 => Reduced(reduce64(Lazy(y.0 as u64)).0.into()),
        _ => reduce128(y),
    }
}
