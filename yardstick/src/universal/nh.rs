//! NH and its extensions (Black, Halevi, Krawczyk, Krovetz, Rogaway, "UMAC", CRYPTO '99, full version).
//!
//! ```text
//! NH[n, w]      sum of (k1 + m1 mod 2^w) (k2 + m2 mod 2^w), (k3 + m3) (k4 + m4), ...    mod 2^2w
//! NHS           the same, the factors in two's complement
//! NHT, NHST     t times: under the key from word 1, from word 3, from word 5, ...
//! NHT2, NHST2   blocks of n words under K, their hashes under L; again with K and L moved by two words
//! NHX           NHT of all blocks, the last one padded, and the length
//! ```
//!
//! **Bounds**, for any two different messages of one length under a uniformly random key:
//!
//! | | unsigned | signed |
//! |---|---|---|
//! | [`Nh`] | 2^-w (theorem 4.2), reached by 0 0 and 1 0; for differences mod 2^2w, too | 2^(1-w) (4.5), nearly reached (4.8) |
//! | [`Nht`] | 2^-wt (5.1) | 2^(t(1-w)) (5.2) |
//! | [`Nht2`] | 2^(2-2w) (5.3) | 2^(4-2w) (5.4) |
//! | [`Nhx`] | 2^-wt, of any two lengths (6.1) | 2^(t(1-w)) |
//!
//! Additions are no ornament: with xor for the inner ones the bound of NH is exceeded from w = 4 on; with xor
//! for the outer ones that of NHS from w = 4, and of NH the one for differences from w = 3 (section
//! 4.3, remarks; the sizes are ours, by trying all keys). For w = 1 the signed bounds say nothing.
//!
//! Constant time: additions, multiplications and masks of fixed shape.

use super::{InvalidInput, below, check, check_words};
use core::fmt;

/// How a word is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sign {
    /// As a number from 0 to 2^w - 1.
    Unsigned,
    /// In two's complement, as one from -2^(w-1) to 2^(w-1) - 1.
    Signed,
}

/// Words of one size and sign.
#[derive(Clone, Copy)]
struct Words {
    sign: Sign,
    w: u32,
}

impl Words {
    /// (k + m) mod 2^w as a number, modulo 2^128: 2^2w divides that, so a negative one is as good.
    fn factor(self, k: u64, m: u64) -> u128 {
        let spare = 64 - self.w;
        let sum = k.wrapping_add(m) << spare;
        match self.sign {
            Sign::Unsigned => (sum >> spare).into(),
            Sign::Signed => i128::from(sum.cast_signed() >> spare).cast_unsigned(),
        }
    }

    fn product(self, k: [u64; 2], m: [u64; 2]) -> u128 {
        self.factor(k[0], m[0]).wrapping_mul(self.factor(k[1], m[1]))
    }

    /// The sum of products modulo 2^2w, of pairs of words.
    fn nh(self, key: &[u64], message: impl Iterator<Item = [u64; 2]>) -> u128 {
        let products = key.as_chunks().0.iter().zip(message).map(|(&k, m)| self.product(k, m));
        products.fold(0, u128::wrapping_add) & below(2 * self.w)
    }
}

fn pairs(message: &[u64]) -> impl Iterator<Item = [u64; 2]> {
    message.as_chunks().0.iter().copied()
}

/// An even number of words, at least two and at most so many.
fn check_pairs(words: usize, most: usize) -> Result<(), InvalidInput> {
    let pairs = words >= 2 && words.is_multiple_of(2);
    check(pairs && words <= most, InvalidInput::MessageLength)
}

/// NH\[n, w\] or NHS\[n, w\] under a key of n words.
#[derive(Clone, Copy)]
pub struct Nh<'k>(Nht<'k>);

impl<'k> Nh<'k> {
    /// Under a key of n words of w bits, n even and at least 2.
    ///
    /// # Errors
    /// [`InvalidInput`] if there is no such word size, a word is 2^w or more, or n is no such number.
    pub fn new(sign: Sign, w: u32, key: &'k [u64]) -> Result<Self, InvalidInput> {
        Nht::new(sign, w, 1, key).map(Nh)
    }

    /// The hash, a number below 2^2w, of 2, 4, ... or n words; for NHS modulo 2^2w, as two's complement is.
    ///
    /// # Errors
    /// [`InvalidInput`] for another number of words or if one of them is 2^w or more.
    pub fn hash(&self, message: &[u64]) -> Result<u128, InvalidInput> {
        let mut hash = [0];
        self.0.hash(message, &mut hash)?;
        Ok(hash[0])
    }
}

impl fmt::Debug for Nh<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Nht { words: Words { sign, w }, n, .. } = self.0;
        write!(f, "Nh({sign:?}, n = {n}, w = {w})")
    }
}

/// NHT\[n, w, t\] or NHST\[n, w, t\]: t times NH, each time under the key two words further on.
#[derive(Clone, Copy)]
pub struct Nht<'k> {
    words: Words,
    n: usize,
    t: usize,
    shift: usize,
    key: &'k [u64],
}

impl<'k> Nht<'k> {
    /// Under a key of n + 2(t - 1) words of w bits, n even and at least 2.
    ///
    /// # Errors
    /// [`InvalidInput`] if t is 0, there is no such word size, a word is 2^w or more, or n is no such
    /// number.
    pub fn new(sign: Sign, w: u32, t: usize, key: &'k [u64]) -> Result<Self, InvalidInput> {
        Self::with_shift(sign, w, t, 2, key)
    }

    /// The same with the key so many words further on each time, an even number ("Key Shift", section 7):
    /// of n + shift (t - 1) words.
    ///
    /// # Errors
    /// As in [`new`](Self::new), and if `shift` is 0 or odd.
    pub fn with_shift(
        sign: Sign,
        w: u32,
        t: usize,
        shift: usize,
        key: &'k [u64],
    ) -> Result<Self, InvalidInput> {
        check_words(w, key)?;
        let even = shift > 0 && shift.is_multiple_of(2);
        check(t > 0 && even, InvalidInput::Repetitions)?;
        let moved = shift.checked_mul(t - 1).ok_or(InvalidInput::KeyLength)?;
        let n = key.len().checked_sub(moved).ok_or(InvalidInput::KeyLength)?;
        check(n >= 2 && n.is_multiple_of(2), InvalidInput::KeyLength)?;
        Ok(Nht { words: Words { sign, w }, n, t, shift, key })
    }

    /// How many words a message may have: n.
    #[must_use]
    pub fn most_words(&self) -> usize {
        self.n
    }

    /// Writes the t hashes, numbers below 2^2w, of 2, 4, ... or n words.
    ///
    /// # Errors
    /// [`InvalidInput`] for another number of words, if one of them is 2^w or more, or if `out` has not t
    /// elements. Nothing is written then.
    pub fn hash(&self, message: &[u64], out: &mut [u128]) -> Result<(), InvalidInput> {
        check_pairs(message.len(), self.n)?;
        check_words(self.words.w, message)?;
        check(out.len() == self.t, InvalidInput::OutputLength)?;
        for (j, hash) in out.iter_mut().enumerate() {
            *hash = self.words.nh(&self.key[j * self.shift..], pairs(message));
        }
        Ok(())
    }
}

impl fmt::Debug for Nht<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Nht { words: Words { sign, w }, n, t, shift, key: _ } = self;
        write!(f, "Nht({sign:?}, n = {n}, w = {w}, t = {t}, shift = {shift})")
    }
}

/// NHT2\[n, m, w\] or NHST2\[n, m, w\]: two levels, for longer messages under shorter keys.
///
/// A hash of the first level is two words of the second, the high half first (the order is that of the 1999
/// reference code; section 5.4 leaves it open).
#[derive(Clone, Copy)]
pub struct Nht2<'k> {
    words: Words,
    k: &'k [u64],
    l: &'k [u64],
}

impl<'k> Nht2<'k> {
    /// Under n + 2 words K and 2m + 2 words L of w bits; n is even and at least 2, m at least 1.
    ///
    /// # Errors
    /// [`InvalidInput`] if there is no such word size, a word is 2^w or more, or a key has no such length.
    pub fn new(sign: Sign, w: u32, k: &'k [u64], l: &'k [u64]) -> Result<Self, InvalidInput> {
        for key in [k, l] {
            check_words(w, key)?;
            check(key.len() >= 4 && key.len().is_multiple_of(2), InvalidInput::KeyLength)?;
        }
        Ok(Nht2 { words: Words { sign, w }, k, l })
    }

    /// The two hashes, numbers below 2^2w, of 2, 4, ... or nm words.
    ///
    /// # Errors
    /// [`InvalidInput`] for another number of words or if one of them is 2^w or more.
    pub fn hash(&self, message: &[u64]) -> Result<[u128; 2], InvalidInput> {
        let (n, blocks) = (self.k.len() - 2, self.l.len() / 2 - 1);
        check_pairs(message.len(), n.saturating_mul(blocks))?;
        check_words(self.words.w, message)?;
        Ok([0, 2].map(|shift| {
            let first = message.chunks(n).map(|block| {
                let hash = self.words.nh(&self.k[shift..], pairs(block));
                [(hash >> self.words.w) as u64, (hash & below(self.words.w)) as u64]
            });
            self.words.nh(&self.l[shift..], first)
        }))
    }
}

impl fmt::Debug for Nht2<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Nht2 { words: Words { sign, w }, k, l } = self;
        write!(f, "Nht2({sign:?}, n = {}, m = {}, w = {w})", k.len() - 2, l.len() / 2 - 1)
    }
}

/// NHX: NHT or NHST for byte strings of any length (section 6 and figure 1).
///
/// A block has n words of 8, 16, 32 or 64 bits, little-endian; the last one is padded with zeroes to whole
/// pairs of words. The hash is the hashes of all blocks, big-endian, and at the end the number of bytes of the
/// message modulo that of a block, big-endian, too. For the empty message that number is all. Figure 1
/// is `Nhx::new(Sign::Unsigned, 32, 1, key, 2)` with 1024 key words.
#[derive(Clone, Copy)]
pub struct Nhx<'k> {
    nht: Nht<'k>,
    length_bytes: usize,
}

impl<'k> Nhx<'k> {
    /// Under a key as [`Nht::new`] takes it, with `length_bytes` bytes for the length at the end.
    ///
    /// # Errors
    /// As there; and if a word has not whole bytes, or the number of bytes of a block needs more than
    /// `length_bytes`.
    pub fn new(
        sign: Sign,
        w: u32,
        t: usize,
        key: &'k [u64],
        length_bytes: usize,
    ) -> Result<Self, InvalidInput> {
        check(matches!(w, 8 | 16 | 32 | 64), InvalidInput::WordSize)?;
        let nhx = Nhx { nht: Nht::new(sign, w, t, key)?, length_bytes };
        let largest = (nhx.block_bytes() - 1) as u64;
        let fits = length_bytes >= 8 || largest >> (8 * length_bytes) == 0;
        check(fits, InvalidInput::OutputLength)?;
        Ok(nhx)
    }

    fn word_bytes(&self) -> usize {
        self.nht.words.w as usize / 8
    }

    fn block_bytes(&self) -> usize {
        self.nht.n * self.word_bytes()
    }

    /// How many bytes the hash of a message of so many bytes has.
    #[must_use]
    pub fn hash_bytes(&self, message_bytes: usize) -> usize {
        let blocks = message_bytes.div_ceil(self.block_bytes());
        blocks * self.nht.t * 2 * self.word_bytes() + self.length_bytes
    }

    /// Writes the hash of a message.
    ///
    /// # Errors
    /// [`InvalidInput::OutputLength`] if `out` has not [`hash_bytes`](Self::hash_bytes); nothing is written.
    pub fn hash(&self, message: &[u8], out: &mut [u8]) -> Result<(), InvalidInput> {
        check(out.len() == self.hash_bytes(message.len()), InvalidInput::OutputLength)?;
        let Nht { words, t, shift, key, .. } = self.nht;
        let (hashes, length) = out.split_at_mut(out.len() - self.length_bytes);
        let size = self.word_bytes();
        let mut hashes = hashes.chunks_exact_mut(2 * size);
        for block in message.chunks(self.block_bytes()) {
            for (j, out) in (0..t).zip(&mut hashes) {
                let pairs = block.chunks(2 * size).map(|pair| padded_pair(size, pair));
                let hash = words.nh(&key[j * shift..], pairs);
                out.copy_from_slice(&hash.to_be_bytes()[16 - 2 * size..]);
            }
        }
        let rest = message.len() % self.block_bytes();
        for (i, byte) in length.iter_mut().rev().enumerate() {
            *byte = if i < size_of::<usize>() { (rest >> (8 * i)) as u8 } else { 0 };
        }
        Ok(())
    }
}

/// Two little-endian words of so many bytes, with zeroes for what is missing.
fn padded_pair(size: usize, bytes: &[u8]) -> [u64; 2] {
    let mut pair = [0; 2];
    for (i, &byte) in bytes.iter().enumerate() {
        pair[i / size] |= u64::from(byte) << (8 * (i % size));
    }
    pair
}

impl fmt::Debug for Nhx<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Nhx({:?}, {} bytes of length)", self.nht, self.length_bytes)
    }
}
