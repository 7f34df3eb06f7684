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
//! use wegman_yardstick::xor_mac::{Key, Layout, Value};
//!
//! let key = Key::<Aes128, 16>::new(Layout::Data, b"sixteen byte key");
//! let value = Value::counter(1); // never twice under one key
//! let z = key.tag(&value, b"a message");
//! assert!(key.verify(&value, b"a message", &z).is_ok());
//! ```

use crate::pieces::{Pieces, Sum};
use core::fmt;
use wegman::Cpu;
use wegman::NoncesExhausted;
use wegman::cipher::{Block, BlockCipher};
use wegman::{InvalidLength, Tag, TagMismatch};

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

/// A key over the cipher `C` for `z` of `N` bytes, 4 to 16 (others do not compile).
pub struct Key<C: BlockCipher<Block = Block>, const N: usize> {
    cipher: Pieces<C>,
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
        Ok(Key { cipher: Pieces::from_slice(cpu, secret)?, layout })
    }

    /// The name of the kernel this key uses, for example `portable`.
    #[must_use]
    pub fn kernel(&self) -> &'static str {
        self.cipher.kernel()
    }

    /// Every kernel of this machine: its name, and the `Cpu` that makes a key choose it.
    pub fn kernels(cpu: Cpu) -> impl Iterator<Item = (&'static str, Cpu)> {
        Pieces::<C>::kernels(cpu)
    }

    /// `z` of a message; the tag is the value and `z`.
    #[must_use]
    pub fn tag(&self, value: &Value, message: &[u8]) -> Tag<N> {
        self.finish(value, self.cipher.sum(self.data_bit(), message))
    }

    /// The first bit of the pieces' blocks.
    fn data_bit(&self) -> bool {
        self.layout == Layout::Data
    }

    fn finish(&self, value: &Value, sum: u128) -> Tag<N> {
        let first_bit = u128::from(!self.data_bit()) << 127;
        let z = (sum ^ self.cipher.encrypt(value.0 | first_bit)).to_be_bytes();
        Tag::from(*z.first_chunk().expect("a tag is at most a block"))
    }

    /// Accepts a message only with its value and `z`, in time that does not depend on their bytes.
    ///
    /// # Errors
    /// [`TagMismatch`], without detail, if message, key, value and `z` do not belong together.
    pub fn verify(&self, value: &Value, message: &[u8], z: &Tag<N>) -> Result<(), TagMismatch> {
        TagMismatch::unless(self.tag(value, message) == *z)
    }

    /// A message whose bytes arrive in pieces.
    #[must_use]
    pub fn stream(&self) -> Stream<'_, C, N> {
        Stream { key: self, sum: Sum::new(self.data_bit()) }
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
        TagMismatch::unless(valid.iter().all(|valid| *valid))
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
        self.key.finish(value, self.sum.finish(&self.key.cipher))
    }

    /// Accepts the message so far only with its value and `z`.
    ///
    /// # Errors
    /// [`TagMismatch`], without detail, if message, key, value and `z` do not belong together.
    pub fn verify(&self, value: &Value, z: &Tag<N>) -> Result<(), TagMismatch> {
        TagMismatch::unless(self.tag(value) == *z)
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
