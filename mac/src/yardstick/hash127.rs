//! hash127 (Bernstein, "The hash127 library interface", 2000): a polynomial modulo 2^127 - 1 whose coefficients
//! are the message's 32-bit words; and hash127-RC6, the MAC with a pad from RC6.
//!
//! ```text
//! message words m_0 .. m_{L-1}, signed     u = r^(L+1) + m_0 r^L + ... + m_{L-1} r + k  mod 2^127 - 1
//! ```
//!
//! Up to 32 words are taken at a time, each by its power of `r`, so that one reduction and one long product serve for
//! all of them. No branch and no index depends on `r`, `k` or the message.
//!
//! hash127-RC6 is named in the papers, but no definition was found. **Padding, pad and tag are ours**:
//! `k = RC6(nonce)`, the message with a byte 01 and zeroes up to a whole word, the tag `u`, little-endian.
//!
//! **Bound.** Of `v` forgery attempts on messages of at most `L` words, after `q` messages, one succeeds with
//! probability at most `v (L + 1) / 2^126 + (q + 1)^2 / 2^126` (ours), plus the advantage of telling RC6 from a random
//! permutation, *if no nonce is used twice under one key*.
//!
//! ```
//! use wegman::Nonce;
//! use wegman::yardstick::hash127::Key;
//!
//! let key = Key::new(b"sixteen byte key", b"sixteen bytes: r");
//! let nonce = Nonce::counter(1); // never twice under one key
//! let tag = key.tag(&nonce, b"a message");
//! assert!(key.verify(&nonce, b"a message", &tag).is_ok());
//! ```

use crate::buffer::Buffer;
use crate::cipher::{Block, BlockCipher, Rc6};
use crate::cpu::Cpu;
use crate::nonce::{Nonce, NoncesExhausted};
use crate::tag::{InvalidLength, Tag, TagMismatch};
use core::fmt;
use zeroize::Zeroize;

/// 2^127 - 1.
const P: u128 = (1 << 127) - 1;

/// Words that are taken at a time, at most.
const WORDS: usize = 32;

/// Their bytes.
const GROUP: usize = 4 * WORDS;

// Numbers modulo p are kept at most p, so that p itself stands for 0, too.

/// At most p, for x at most 2^128 - 2.
fn fold(x: u128) -> u128 {
    debug_assert!(x < u128::MAX);
    (x & P) + (x >> 127)
}

/// The sum of two numbers at most p.
fn add(a: u128, b: u128) -> u128 {
    debug_assert!(a <= P && b <= P);
    fold(a + b)
}

/// The product of two numbers at most p. 2^128 is 2 modulo p.
fn mul(a: u128, b: u128) -> u128 {
    debug_assert!(a <= P && b <= P);
    let (a1, a0) = (a >> 64, u128::from(a as u64)); // a1 and b1 are below 2^63
    let (b1, b0) = (b >> 64, u128::from(b as u64));
    let middle = a0 * b1 + a1 * b0; // at most 2^128 - 3 2^64 + 2
    let (low, carry) = (a0 * b0).overflowing_add(middle << 64);
    // (2^63 - 1)^2 + 2^64 - 3 + 1, at most 2^126 - 1.
    let high = a1 * b1 + (middle >> 64) + u128::from(carry);
    // `low` folded is at most 2^127.
    fold((low & P) + (low >> 127) + 2 * high)
}

/// Below p, for x at most p.
fn canonical(x: u128) -> u128 {
    (x + ((x + 1) >> 127)) & P
}

/// 2^31 (1 + 2^32 + 2^64 + 2^96).
const BIAS: u128 = 0x8000_0000_8000_0000_8000_0000_8000_0000;

/// A signed word plus 2^31.
fn lift(word: &[u8; 4]) -> u64 {
    u64::from(u32::from_le_bytes(*word) ^ 1 << 31)
}

/// The number of 16 bytes, four signed words.
fn number(bytes: &Block) -> u128 {
    // The words lifted are one unsigned number.
    let lifted = u128::from_le_bytes(*bytes) ^ BIAS;
    // Twice, since it may be 2^128 - 1.
    add(fold((lifted & P) + (lifted >> 127)), P - fold(BIAS))
}

/// hash127 with one `r`: the universal hash alone. With a secret `k` that is used only once it is a MAC.
pub struct Hash127 {
    /// 1, r, ..., r^32.
    powers: [u128; WORDS + 1],
    /// What the lifts of n words are too much: -2^31 (r^(n-1) + ... + r + 1), from n = 0 on.
    unlifts: [u128; WORDS + 1],
}

impl Hash127 {
    /// Prepares the powers of `r`: four signed 32-bit words, little-endian, the lowest first. The same number
    /// modulo 2^127 - 1 is the same function.
    #[must_use]
    pub fn new(r: &Block) -> Hash127 {
        let r = number(r);
        let mut hash = Hash127 { powers: [1; WORDS + 1], unlifts: [P; WORDS + 1] };
        for n in 1..=WORDS {
            hash.unlifts[n] = add(hash.unlifts[n - 1], P - mul(hash.powers[n - 1], 1 << 31));
            hash.powers[n] = mul(hash.powers[n - 1], r);
        }
        hash
    }

    /// u, little-endian, for a message of whole words and `k` in the form of `r`.
    #[must_use]
    pub fn hash(&self, message: &[[u8; 4]], k: &Block) -> Block {
        self.finish(self.absorb(1, message), number(k))
    }

    /// Takes words.
    fn absorb(&self, mut y: u128, message: &[[u8; 4]]) -> u128 {
        let (groups, rest) = message.as_chunks::<WORDS>();
        for group in groups {
            y = self.absorb_group(y, group);
        }
        if rest.is_empty() { y } else { self.absorb_group(y, rest) }
    }

    /// Takes at most [`WORDS`] words.
    #[inline]
    fn absorb_group(&self, y: u128, words: &[[u8; 4]]) -> u128 {
        const LOW: u128 = (1 << 63) - 1;
        let n = words.len();
        let (mut low, mut high) = (0, 0); // below 2^101 and 2^100
        for (word, power) in words.iter().zip(self.powers[..n].iter().rev()) {
            let word = u128::from(lift(word));
            low += word * u128::from(*power as u64);
            high += word * (power >> 64);
        }
        // 2^127 is 1.
        let sum = fold(low + (high >> 63) + ((high & LOW) << 64));
        add(mul(y, self.powers[n]), add(sum, self.unlifts[n]))
    }

    /// Adds k.
    fn finish(&self, y: u128, k: u128) -> Block {
        canonical(add(mul(y, self.powers[1]), k)).to_le_bytes()
    }
}

impl Drop for Hash127 {
    fn drop(&mut self) {
        let Hash127 { powers, unlifts } = self;
        powers.zeroize();
        unlifts.zeroize();
    }
}

impl fmt::Debug for Hash127 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Hash127")
    }
}

/// What Bernstein's library returns for `u`: four limbs, the lowest first, each less 2^31.
#[must_use]
pub fn out_words(u: &Block) -> [i32; 4] {
    let (limbs, _) = u.as_chunks();
    core::array::from_fn(|i| i32::from_le_bytes(limbs[i]) ^ i32::MIN)
}

/// A key of hash127-RC6.
pub struct Key {
    hash: Hash127,
    cipher: Rc6,
}

impl Key {
    /// Prepares a key from two independent uniformly random secrets: RC6's key, and r.
    #[must_use]
    pub fn new(secret: &[u8; 16], r: &Block) -> Key {
        Key { hash: Hash127::new(r), cipher: Rc6::new(secret) }
    }

    /// Prepares a key from both secrets one after another, as the registry does.
    ///
    /// # Errors
    /// [`InvalidLength`] if they do not have 32 bytes.
    pub fn from_slice(_: Cpu, secret: &[u8]) -> Result<Key, InvalidLength> {
        match secret.as_chunks() {
            ([secret, r], []) => Ok(Key::new(secret, r)),
            _ => Err(InvalidLength),
        }
    }

    /// The name of the kernel: there is one, `portable`.
    #[must_use]
    pub fn kernel(&self) -> &'static str {
        super::PORTABLE
    }

    /// Every kernel of this machine.
    pub fn kernels(cpu: Cpu) -> impl Iterator<Item = (&'static str, Cpu)> {
        super::kernels(cpu, false)
    }

    /// The tag of a message.
    #[must_use]
    pub fn tag(&self, nonce: &Nonce, message: &[u8]) -> Tag<16> {
        let mut stream = self.stream();
        stream.update(message);
        stream.tag(nonce)
    }

    /// Accepts a message only with its tag, in time that does not depend on the tag's bytes.
    ///
    /// # Errors
    /// [`TagMismatch`], without detail, if message, nonce, key and tag do not belong together.
    pub fn verify(&self, nonce: &Nonce, message: &[u8], tag: &Tag<16>) -> Result<(), TagMismatch> {
        super::matches(self.tag(nonce, message) == *tag)
    }

    /// A message whose bytes arrive in pieces.
    #[must_use]
    pub fn stream(&self) -> Stream<'_> {
        Stream { key: self, y: 1, buffer: Buffer::new() }
    }

    /// The tags of messages under consecutive nonces, beginning with `first`.
    ///
    /// # Errors
    /// [`NoncesExhausted`] if `first` has fewer nonces from it on than there are messages; then no
    /// tag is written.
    ///
    /// # Panics
    /// If `messages` and `tags` differ in length.
    pub fn tag_many(
        &self,
        first: &Nonce,
        messages: &[&[u8]],
        tags: &mut [Tag<16>],
    ) -> Result<(), NoncesExhausted> {
        assert_eq!(messages.len(), tags.len(), "one tag for each message");
        first.advance(messages.len().saturating_sub(1) as u64).ok_or(NoncesExhausted)?;
        for ((count, message), tag) in (0..).zip(messages).zip(tags) {
            *tag = self.tag(&first.advance(count).ok_or(NoncesExhausted)?, message);
        }
        Ok(())
    }

    /// Verifies messages, each with its own nonce and tag; `valid` tells which are authentic.
    ///
    /// # Errors
    /// [`TagMismatch`] if at least one is not; `valid` is filled in either way.
    ///
    /// # Panics
    /// If `packets` and `valid` differ in length.
    pub fn verify_many(
        &self,
        packets: &[(Nonce, &[u8], Tag<16>)],
        valid: &mut [bool],
    ) -> Result<(), TagMismatch> {
        assert_eq!(packets.len(), valid.len(), "one outcome for each packet");
        for ((nonce, message, tag), valid) in packets.iter().zip(&mut *valid) {
            *valid = self.verify(nonce, message, tag).is_ok();
        }
        super::matches(valid.iter().all(|valid| *valid))
    }

    /// The pad of a nonce: RC6 of the nonce with zeroes behind it, modulo p.
    fn pad(&self, nonce: &Nonce) -> u128 {
        let mut block = nonce.block(0).0.to_le_bytes();
        self.cipher.encrypt(&mut block);
        let pad = number(&block);
        block.zeroize();
        pad
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("hash127::Key")
    }
}

/// A message under way: any split of a message into pieces gives the same tag.
#[derive(Clone)]
pub struct Stream<'k> {
    key: &'k Key,
    y: u128,
    buffer: Buffer<GROUP>,
}

impl Stream<'_> {
    /// Appends bytes to the message.
    pub fn update(&mut self, piece: &[u8]) {
        let Stream { key, y, buffer } = self;
        buffer.update(piece, |parts| {
            let (words, _) = parts.as_flattened().as_chunks();
            *y = key.hash.absorb(*y, words);
        });
    }

    /// The tag of the message so far. The stream goes on undisturbed, but the nonce is spent.
    #[must_use]
    pub fn tag(&self, nonce: &Nonce) -> Tag<16> {
        let last = self.buffer.last();
        let mut padded = [0; GROUP + 4];
        padded[..last.len()].copy_from_slice(last);
        padded[last.len()] = 1;
        let (words, _) = padded[..(last.len() + 1).next_multiple_of(4)].as_chunks();
        let y = self.key.hash.absorb(self.y, words);
        Tag::from(self.key.hash.finish(y, self.key.pad(nonce)))
    }

    /// Accepts the message so far only with its tag.
    ///
    /// # Errors
    /// [`TagMismatch`], without detail, if message, nonce, key and tag do not belong together.
    pub fn verify(&self, nonce: &Nonce, tag: &Tag<16>) -> Result<(), TagMismatch> {
        super::matches(self.tag(nonce) == *tag)
    }

    /// Forgets the message so far.
    pub fn reset(&mut self) {
        self.y = 1;
        self.buffer.zeroize();
    }
}

impl Drop for Stream<'_> {
    fn drop(&mut self) {
        let Stream { key: _, y, buffer } = self;
        y.zeroize();
        buffer.zeroize();
    }
}

impl fmt::Debug for Stream<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("hash127::Stream")
    }
}
