//! Layer 2: POLY, the layer-1 words to 128 bits (draft, sections 5.3, 5.4, 6.3).
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
//! POLY is RFC 4418's ([`l2_poly`]), whose steps do the two widths that it has; that of 32 bits is
//! UMAC16's ([`poly32`]). Numbers of words are not secret; words, keys and accumulators are.

use super::kdf::{Index, Kdf};
use super::{MAX_WORDS, Parameters};
use crate::ct::wipe;
use crate::historical::umac16::poly32::{self, poly32, reduce32};
use crate::umac::l2_poly::{self, poly64, poly128, reduce64, reduce128};
use alloc::vec::Vec;
use zeroize::Zeroize;

/// The keys of a stream.
pub(crate) struct Key {
    /// k32; 0 if words have 4 bytes.
    narrow: poly32::Key,
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

    /// 24 bytes, or four more before them.
    pub(crate) fn from_bytes(bytes: &[u8]) -> Key {
        let (narrow, wide) = bytes.split_last_chunk().expect("24 bytes for POLY-64 and POLY-128");
        let narrow = poly32::Key::from_bytes(narrow.first_chunk().copied().unwrap_or_default());
        Key { narrow, wide: l2_poly::Key::from_bytes(wide) }
    }
}

impl Drop for Key {
    fn drop(&mut self) {
        let Key { narrow, wide } = self;
        narrow.zeroize();
        wide.zeroize();
    }
}

/// The two shapes of the layer.
#[derive(Clone, Copy)]
pub(crate) struct Shape {
    /// Bits of a word.
    pub(crate) word: u32,
    /// How many words there are when POLY of twice the width takes over, and of four times.
    pub(crate) ends: [u64; 2],
}

impl Shape {
    pub(crate) fn of(parameters: &Parameters) -> Shape {
        match parameters.word_bytes() {
            4 => Shape { word: 64, ends: [1 << 14, u64::MAX] },
            _ => Shape { word: 32, ends: [1 << 9, 1 << 31] },
        }
    }

    /// Which POLY takes the word after so many: 0 is that of a word's width, each more doubles it. And
    /// how many words came before it.
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
    /// Words so far, the same number in each stream.
    count: u64,
    /// Accumulators, equal to the value modulo p.
    y: [u128; MAX_WORDS],
    /// The words of a pair or four that is not whole yet.
    waiting: [u128; MAX_WORDS],
}

impl State {
    pub(crate) const fn new(shape: Shape) -> State {
        State { shape, count: 0, y: [1; MAX_WORDS], waiting: [0; MAX_WORDS] }
    }

    /// How many words each stream has had.
    pub(crate) fn count(&self) -> u64 {
        self.count
    }

    /// Takes a word of each stream.
    pub(crate) fn absorb_row(&mut self, keys: &[Key], words: &[u64]) {
        let (step, start) = self.shape.step(self.count);
        let bits = self.shape.word << step;
        let begins = step > 0 && self.count == start;
        self.count += 1;
        let is_whole = (self.count - start).is_multiple_of(1 << step);
        for (t, &word) in words.iter().enumerate() {
            let (y, waiting) = (&mut self.y[t], &mut self.waiting[t]);
            if begins {
                *y = poly(bits, &keys[t], 1, reduce(bits / 2, *y));
            }
            *waiting = *waiting << self.shape.word | u128::from(word);
            if is_whole {
                *y = poly(bits, &keys[t], *y, core::mem::take(waiting));
            }
        }
    }

    /// The layer-2 hash of stream `t`.
    pub(crate) fn finish(&self, key: &Key, t: usize) -> u128 {
        // The POLY of the last word; only the wider ones mark the end.
        let (step, start) = self.shape.step(self.count - 1);
        let bits = self.shape.word << step;
        if step == 0 {
            return reduce(bits, self.y[t]);
        }
        let room = bits - self.shape.word * ((self.count - start) % (1 << step)) as u32;
        let waiting = self.waiting[t].checked_shl(room).unwrap_or(0); // none waits if all is room
        reduce(bits, poly(bits, key, self.y[t], waiting | 0x80 << (room - 8)))
    }

    /// This state as that of a message that nobody could wait for.
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

/// One word of POLY of so many bits, the limit rule included.
fn poly(bits: u32, key: &Key, y: u128, m: u128) -> u128 {
    match bits {
        32 => poly32(&key.narrow, y as u32, m as u32).into(),
        64 => poly64(&key.wide, y as u64, m as u64).into(),
        _ => poly128(&key.wide, y, m),
    }
}

/// The number below p of so many bits that is equal to y mod p.
fn reduce(bits: u32, y: u128) -> u128 {
    match bits {
        32 => reduce32(y as u32).into(),
        64 => reduce64(y as u64).into(),
        _ => reduce128(y),
    }
}
