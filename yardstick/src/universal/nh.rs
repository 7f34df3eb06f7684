//! NH and its extensions (Black, Halevi, Krawczyk, Krovetz, Rogaway, "UMAC", CRYPTO '99, full version).
//!
//! ```text
//! NH[n, w]      sum of (k1 + m1 mod 2^w) (k2 + m2 mod 2^w), (k3 + m3) (k4 + m4), ...    mod 2^2w
//! NHS           the same with the factors in two's complement
//! NHT, NHST     t times: under the key from word 1, from word 3, from word 5, ...
//! NHT2, NHST2   blocks of n words under K, their hashes under L; again with K and L shifted by two words
//! NHX           NHT of all blocks, the last one padded, and the length
//! ```
//!
//! **Bounds**, for any two different messages of one length under a uniformly random key:
//!
//! | | unsigned | signed |
//! |---|---|---|
//! | [`Nh`] | 2^-w (theorem 4.2), reached by 0 0 and 1 0; also for differences mod 2^2w | 2^(1-w) (4.5), nearly reached (4.8) |
//! | [`Nht`] | 2^-wt (5.1) | 2^(t(1-w)) (5.2) |
//! | [`Nht2`] | 2^(2-2w) (5.3) | 2^(4-2w) (5.4) |
//! | [`Nhx`] | 2^-wt, of any two lengths (6.1) | 2^(t(1-w)) |
//!
//! The additions are essential. With xor in place of the inner ones, the bound of NH fails from w = 4 on. With xor in
//! place of the outer ones, that of NHS fails from w = 4 on, and that of NH for differences from w = 3 on (section 4.3,
//! remarks; the sizes are ours, found by trying all keys). For w = 1 the signed bounds are trivial.
//!
//! Constant time: additions, multiplications and masks of fixed shape.

use super::{InvalidInput, below, check, check_words};

/// How a word is read as a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Sign {
    /// As a number from 0 to 2^w - 1.
    Unsigned,
    /// In two's complement, as a number from -2^(w-1) to 2^(w-1) - 1.
    Signed,
}

/// Words of one size, read in one way.
#[derive(Clone, Copy)]
struct Words {
    sign: Sign,
    w: u32,
}

impl Words {
    /// (k + m) mod 2^w as a number, modulo 2^128. A negative one may be taken so, since 2^2w divides 2^128.
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

    /// The sum of the products of pairs of words.
    ///
    /// # Bounds
    /// In: words below 2^w. Out: below 2^2w. All arithmetic is modulo 2^128, which 2^2w divides.
    fn nh(self, key: &[u64], message: impl Iterator<Item = [u64; 2]>) -> u128 {
        let products = key.as_chunks().0.iter().zip(message).map(|(&k, m)| self.product(k, m));
        products.fold(0, u128::wrapping_add) & below(2 * self.w)
    }
}

fn pairs(message: &[u64]) -> impl Iterator<Item = [u64; 2]> {
    message.as_chunks().0.iter().copied()
}

/// How many words the key moves from one repetition to the next.
const SHIFT: usize = 2;

/// Checks that the number of words is even, at least two and at most `most`.
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
    /// [`InvalidInput`] for a wrong word size, a word of 2^w or more, or another n.
    pub fn new(sign: Sign, w: u32, key: &'k [u64]) -> Result<Self, InvalidInput> {
        Nht::new(sign, w, 1, key).map(Nh)
    }

    /// The hash, a number below 2^2w, of 2, 4, ... or n words. NHS gives it in two's complement.
    ///
    /// # Errors
    /// [`InvalidInput`] for another number of words or if one of them is 2^w or more.
    pub fn hash(&self, message: &[u64]) -> Result<u128, InvalidInput> {
        let mut hash = [0];
        self.0.hash(message, &mut hash)?;
        Ok(hash[0])
    }
}

/// NHT\[n, w, t\] or NHST\[n, w, t\]: NH t times, each time with the key shifted by two more words.
#[derive(Clone, Copy)]
pub struct Nht<'k> {
    words: Words,
    n: usize,
    t: usize,
    key: &'k [u64],
}

impl<'k> Nht<'k> {
    /// Under a key of n + 2(t - 1) words of w bits, n even and at least 2.
    ///
    /// # Errors
    /// [`InvalidInput`] if t is 0, for a wrong word size, a word of 2^w or more, or another n.
    pub fn new(sign: Sign, w: u32, t: usize, key: &'k [u64]) -> Result<Self, InvalidInput> {
        check_words(w, key)?;
        check(t > 0, InvalidInput::Repetitions)?;
        let moved = SHIFT.checked_mul(t - 1).ok_or(InvalidInput::KeyLength)?;
        let n = key.len().checked_sub(moved).ok_or(InvalidInput::KeyLength)?;
        check(n >= 2 && n.is_multiple_of(2), InvalidInput::KeyLength)?;
        Ok(Nht { words: Words { sign, w }, n, t, key })
    }

    /// Writes the t hashes, numbers below 2^2w, of 2, 4, ... or n words.
    ///
    /// # Errors
    /// [`InvalidInput`] for another number of words, for a word of 2^w or more, or if `out` does not have t
    /// elements. Then nothing is written.
    pub fn hash(&self, message: &[u64], out: &mut [u128]) -> Result<(), InvalidInput> {
        check_pairs(message.len(), self.n)?;
        check_words(self.words.w, message)?;
        check(out.len() == self.t, InvalidInput::OutputLength)?;
        for (j, hash) in out.iter_mut().enumerate() {
            *hash = self.words.nh(&self.key[j * SHIFT..], pairs(message));
        }
        Ok(())
    }
}

/// NHT2\[n, m, w\] or NHST2\[n, m, w\]: two levels, for longer messages under shorter keys.
///
/// A hash of the first level is two words of the second, the high half first (this is the order of the 1999 reference
/// code; section 5.4 leaves it open).
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
    /// [`InvalidInput`] for a wrong word size, a word of 2^w or more, or a key of another length.
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

/// NHX: NHT or NHST for byte strings of any length (section 6 and figure 1).
///
/// A block has n words of 8, 16, 32 or 64 bits, little-endian. The last block is padded with zeroes to whole pairs of
/// words. The hash consists of the hashes of all blocks, big-endian, followed by the length of the message in bytes
/// modulo that of a block, also big-endian. For the empty message it consists of that length alone. Figure 1
/// is `Nhx::new(Sign::Unsigned, 32, 1, key, 2)` with 1024 key words.
#[derive(Clone, Copy)]
pub struct Nhx<'k> {
    nht: Nht<'k>,
    length_bytes: usize,
}

impl<'k> Nhx<'k> {
    /// Under a key as for [`Nht::new`], with `length_bytes` bytes for the length at the end.
    ///
    /// # Errors
    /// As for [`Nht::new`]; also if a word is not whole bytes, or if the number of bytes in a block does not fit in
    /// `length_bytes` bytes.
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

    /// The length in bytes of the hash of a message of `message_bytes` bytes.
    #[must_use]
    pub fn hash_bytes(&self, message_bytes: usize) -> usize {
        let blocks = message_bytes.div_ceil(self.block_bytes());
        blocks * self.nht.t * 2 * self.word_bytes() + self.length_bytes
    }

    /// Writes the hash of a message.
    ///
    /// # Errors
    /// [`InvalidInput::OutputLength`] if `out` is not [`hash_bytes`](Self::hash_bytes) long. Then nothing is written.
    pub fn hash(&self, message: &[u8], out: &mut [u8]) -> Result<(), InvalidInput> {
        check(out.len() == self.hash_bytes(message.len()), InvalidInput::OutputLength)?;
        let Nht { words, t, key, .. } = self.nht;
        let (hashes, length) = out.split_at_mut(out.len() - self.length_bytes);
        let size = self.word_bytes();
        let mut hashes = hashes.chunks_exact_mut(2 * size);
        for block in message.chunks(self.block_bytes()) {
            for (j, out) in (0..t).zip(&mut hashes) {
                let pairs = block.chunks(2 * size).map(|pair| padded_pair(size, pair));
                let hash = words.nh(&key[j * SHIFT..], pairs);
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

/// Two little-endian words of `size` bytes, with zeroes for missing bytes.
fn padded_pair(size: usize, bytes: &[u8]) -> [u64; 2] {
    let mut pair = [0; 2];
    for (i, &byte) in bytes.iter().enumerate() {
        pair[i / size] |= u64::from(byte) << (8 * (i % size));
    }
    pair
}
