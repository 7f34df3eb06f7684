//! XOR MAC (Bellare, Guerin and Rogaway, CRYPTO 1995): every piece is encrypted with its number, the xor of all
//! is masked with the encryption of a value that is sent along.
//!
//! ```text
//! z = E(value) xor E(1, piece 1) xor ... xor E(m, piece m)       tag = (value, z)
//! ```
//!
//! The value is random (XMACR) or a counter (XMACC). Half of each block is for the number, so there
//! are twice as many calls as PMAC has. **Padding and sizes are ours**: pieces of 8 bytes, always padded with 80
//! and zeroes, numbers of 63 or 64 bits.
//!
//! **Bound.** XMACC: over `s` blocks in all, `v` forgery attempts succeed with probability at most about
//! `s^2 / 2^129 + v / 2^8N`, plus the advantage of telling the cipher from a random permutation, *if no value is
//! used twice under one key*. XMACR adds `q^2 / 2^127` for `q` random values.
//!
//! ```
//! use wegman::Aes128;
//! use wegman::yardstick::xor_mac::{Key, Layout, Value};
//!
//! let key = Key::<Aes128, 16>::new(Layout::Data, b"sixteen byte key");
//! let value = Value::counter(1); // never twice under one key
//! let z = key.tag(&value, b"a message");
//! assert!(key.verify(&value, b"a message", &z).is_ok());
//! ```

use crate::buffer::Buffer;
use crate::cipher::{Block, BlockCipher, CipherBlock};
use crate::cpu::Cpu;
use crate::nonce::NoncesExhausted;
use crate::tag::{InvalidLength, Tag, TagMismatch};
use core::fmt;
use zeroize::Zeroize;

/// Which blocks begin with a 1 bit, so that none of one kind is one of the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// Bellare, Guerin and Rogaway: those of the pieces. Their numbers have 63 bits.
    Data,
    /// The PMAC paper (EUROCRYPT 2002), section 1: that of the value. The numbers have 64 bits.
    Value,
}

/// What is sent with `z`: 127 bits, never twice under one key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Value(u128);

impl Value {
    /// A value from its 16 bytes, as they are sent; `None` if the first bit is not zero.
    #[must_use]
    pub const fn new(bytes: Block) -> Option<Value> {
        let value = u128::from_be_bytes(bytes);
        if value >> 127 == 0 { Some(Value(value)) } else { None }
    }

    /// XMACC's: a counter.
    #[must_use]
    pub const fn counter(count: u64) -> Value {
        Value(count as u128)
    }

    /// XMACR's: 127 of 128 random bits.
    #[must_use]
    pub const fn random(bytes: Block) -> Value {
        Value(u128::from_be_bytes(bytes) >> 1)
    }

    /// The value `count` places after this one; `None` if there are not so many.
    #[must_use]
    pub fn advance(self, count: u64) -> Option<Value> {
        Value::new((self.0 + u128::from(count)).to_be_bytes()) // below 2^128
    }

    /// Its bytes, for sending.
    #[must_use]
    pub const fn to_bytes(self) -> Block {
        self.0.to_be_bytes()
    }
}

/// Eight bytes of the message.
type Piece = [u8; 8];

/// Bytes of pieces that are encrypted side by side.
const GROUP: usize = 64;

/// The xor of the encrypted pieces so far.
#[doc(hidden)]
#[derive(Clone)]
pub struct Sum {
    /// The number of the next piece, and the first bit of every block.
    next: u64,
    sum: Block,
    buffer: Buffer<GROUP>,
}

impl Sum {
    /// Pieces are numbered from 1 on.
    pub(super) fn new(first_bit: bool) -> Sum {
        Sum { next: u64::from(first_bit) << 63 | 1, sum: Block::ZERO, buffer: Buffer::new() }
    }

    pub(super) fn update(&mut self, cipher: &impl BlockCipher<Block = Block>, piece: &[u8]) {
        let Sum { next, sum, buffer } = self;
        buffer.update(piece, |parts| {
            absorb(cipher, next, sum, parts.as_flattened().as_chunks().0);
        });
    }

    /// The sum with the last pieces: what is left of the message, 80 and zeroes.
    pub(super) fn finish(&self, cipher: &impl BlockCipher<Block = Block>) -> Block {
        let last = self.buffer.last();
        let mut padded = [0; GROUP + 8];
        padded[..last.len()].copy_from_slice(last);
        padded[last.len()] = 0x80;
        let mut whole = self.clone();
        let (pieces, _) = padded[..(last.len() / 8 + 1) * 8].as_chunks();
        absorb(cipher, &mut whole.next, &mut whole.sum, pieces);
        whole.sum
    }
}

/// Takes pieces into the sum; the first one's number is `next`.
fn absorb(
    cipher: &impl BlockCipher<Block = Block>,
    next: &mut u64,
    sum: &mut Block,
    pieces: &[Piece],
) {
    for pieces in pieces.chunks(GROUP / 8) {
        let mut blocks = [Block::ZERO; GROUP / 8];
        let blocks = &mut blocks[..pieces.len()];
        for (block, piece) in blocks.iter_mut().zip(pieces) {
            *block = join(*next, piece);
            *next += 1;
        }
        cipher.encrypt_many(blocks);
        for block in blocks {
            *sum = sum.xor(block);
            block.zeroize();
        }
    }
}

impl Drop for Sum {
    fn drop(&mut self) {
        let Sum { next, sum, buffer } = self;
        next.zeroize();
        sum.zeroize();
        buffer.zeroize();
    }
}

/// The number in 64 bits and the piece.
pub(super) fn join(number: u64, piece: &Piece) -> Block {
    (u128::from(number) << 64 | u128::from(u64::from_be_bytes(*piece))).to_be_bytes()
}

/// A key over the cipher `C` for `z` of `N` bytes, 4 to 16 (others do not compile).
pub struct Key<C: BlockCipher<Block = Block>, const N: usize> {
    cipher: C,
    layout: Layout,
}

impl<C: BlockCipher<Block = Block>, const N: usize> Key<C, N> {
    /// Prepares a key from a uniformly random secret of the cipher's key length.
    #[must_use]
    pub fn new(layout: Layout, secret: &C::Key) -> Self {
        Self::from_slice(Cpu::detect(), layout, secret.as_ref()).expect("the cipher's length")
    }

    /// Prepares a key from a slice, for use with at most the features of `cpu`.
    ///
    /// # Errors
    /// [`InvalidLength`] if the cipher takes no key of that length.
    pub fn from_slice(cpu: Cpu, layout: Layout, secret: &[u8]) -> Result<Self, InvalidLength> {
        const { assert!(N >= 4 && N <= 16, "a tag has 4 to 16 bytes") };
        Ok(Key { cipher: C::from_slice(cpu, secret)?, layout })
    }

    /// `aes` if the key uses the machine's instructions for AES, else `portable`.
    #[must_use]
    pub fn kernel(&self) -> &'static str {
        super::kernel(self.cipher.rounds().is_some())
    }

    /// Every kernel of this machine: its name, and the `Cpu` that makes a key choose it.
    pub fn kernels(cpu: Cpu) -> impl Iterator<Item = (&'static str, Cpu)> {
        super::kernels(cpu, C::IS_AES)
    }

    /// `z` of a message; the tag is the value and `z`.
    #[must_use]
    pub fn tag(&self, value: &Value, message: &[u8]) -> Tag<N> {
        let mut stream = self.stream();
        stream.update(message);
        stream.tag(value)
    }

    /// Accepts a message only with its value and `z`, in time that does not depend on their bytes.
    ///
    /// # Errors
    /// [`TagMismatch`], without detail, if message, key, value and `z` do not belong together.
    pub fn verify(&self, value: &Value, message: &[u8], z: &Tag<N>) -> Result<(), TagMismatch> {
        super::matches(self.tag(value, message) == *z)
    }

    /// A message whose bytes arrive in pieces.
    #[must_use]
    pub fn stream(&self) -> Stream<'_, C, N> {
        Stream { key: self, sum: Sum::new(self.layout == Layout::Data) }
    }

    /// `z` of messages under consecutive values, beginning with `first`.
    ///
    /// # Errors
    /// [`NoncesExhausted`] if `first` has fewer values from it on than there are messages; then nothing is
    /// written.
    ///
    /// # Panics
    /// If `messages` and `tags` differ in length.
    pub fn tag_many(
        &self,
        first: &Value,
        messages: &[&[u8]],
        tags: &mut [Tag<N>],
    ) -> Result<(), NoncesExhausted> {
        assert_eq!(messages.len(), tags.len(), "one tag for each message");
        first.advance(messages.len().saturating_sub(1) as u64).ok_or(NoncesExhausted)?;
        for ((count, message), tag) in (0..).zip(messages).zip(tags) {
            *tag = self.tag(&first.advance(count).ok_or(NoncesExhausted)?, message);
        }
        Ok(())
    }

    /// Verifies messages, each with its own value and `z`; `valid` tells which are authentic.
    ///
    /// # Errors
    /// [`TagMismatch`] if at least one is not; `valid` is filled in either way.
    ///
    /// # Panics
    /// If `packets` and `valid` differ in length.
    pub fn verify_many(
        &self,
        packets: &[(Value, &[u8], Tag<N>)],
        valid: &mut [bool],
    ) -> Result<(), TagMismatch> {
        assert_eq!(packets.len(), valid.len(), "one outcome for each packet");
        for ((value, message, z), valid) in packets.iter().zip(&mut *valid) {
            *valid = self.verify(value, message, z).is_ok();
        }
        super::matches(valid.iter().all(|valid| *valid))
    }
}

impl<C: BlockCipher<Block = Block>, const N: usize> fmt::Debug for Key<C, N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "xor_mac::Key<{N}>({:?}, {})", self.layout, self.kernel())
    }
}

/// A message under way: any split of a message into pieces gives the same tag.
pub struct Stream<'k, C: BlockCipher<Block = Block>, const N: usize> {
    key: &'k Key<C, N>,
    sum: Sum,
}

impl<C: BlockCipher<Block = Block>, const N: usize> Stream<'_, C, N> {
    /// Appends bytes to the message.
    pub fn update(&mut self, piece: &[u8]) {
        self.sum.update(&self.key.cipher, piece);
    }

    /// `z` of the message so far. The stream goes on undisturbed, but the value is spent.
    #[must_use]
    pub fn tag(&self, value: &Value) -> Tag<N> {
        let Key { cipher, layout } = self.key;
        let first_bit = u128::from(*layout == Layout::Value) << 127;
        let mut z = (value.0 | first_bit).to_be_bytes();
        cipher.encrypt(&mut z);
        let mut sum = self.sum.finish(cipher);
        z = z.xor(&sum);
        sum.zeroize();
        Tag::from(*z.first_chunk().expect("a tag is at most a block"))
    }

    /// Accepts the message so far only with its value and `z`.
    ///
    /// # Errors
    /// [`TagMismatch`], without detail, if message, key, value and `z` do not belong together.
    pub fn verify(&self, value: &Value, z: &Tag<N>) -> Result<(), TagMismatch> {
        super::matches(self.tag(value) == *z)
    }

    /// Forgets the message so far.
    pub fn reset(&mut self) {
        self.sum = self.key.stream().sum.clone();
    }
}

impl<C: BlockCipher<Block = Block>, const N: usize> Clone for Stream<'_, C, N> {
    fn clone(&self) -> Self {
        Stream { key: self.key, sum: self.sum.clone() }
    }
}

impl<C: BlockCipher<Block = Block>, const N: usize> fmt::Debug for Stream<'_, C, N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "xor_mac::Stream<{N}>")
    }
}
