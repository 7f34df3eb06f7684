//! XOR MAC (Bellare, Guérin and Rogaway, "XOR MACs: New methods for message authentication using finite pseudorandom
//! functions", CRYPTO 1995): every piece is encrypted together with its number; the xor of all results is masked with
//! the encryption of a value that is sent along.
//!
//! ```text
//! z = E(value) xor E(1, piece 1) xor ... xor E(m, piece m)       tag = (value, z)
//! ```
//!
//! The value is random (XMACR) or a counter (XMACC). Half of each block holds the number, so there are twice as many
//! cipher calls as in PMAC. **Padding and sizes are ours**: pieces have 8 bytes; the message is always padded with a
//! byte 80 and zeroes; numbers have 63 or 64 bits.
//!
//! **Bound.** XMACC: over `s` blocks in all, at least one of `v` forgery attempts succeeds with probability at most
//! about `s^2 / 2^129 + v / 2^8N`, plus the advantage of distinguishing the cipher from a random permutation, *if no
//! value is used twice under one key*. XMACR adds `q^2 / 2^127` for `q` random values.
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
use core::borrow::Borrow;
use core::fmt;
use core::marker::PhantomData;
use wegman::Cpu;
use wegman::cipher::{Block, BlockCipher};
use wegman::{InvalidLength, Tag, TagMismatch};

/// Which blocks begin with a 1 bit, which separates the blocks of pieces from those of values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Layout {
    /// The blocks of pieces, as Bellare, Guérin and Rogaway define it. Numbers have 63 bits.
    Data,
    /// The block of the value, as the PMAC paper describes it (EUROCRYPT 2002, section 1). Numbers have 64 bits.
    Value,
}

/// The value sent with `z`: 127 bits, never used twice under one key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Value(u128);

impl Value {
    /// A value from its 16 bytes, as they are sent; `None` if the first bit is not zero.
    #[must_use]
    pub const fn new(bytes: Block) -> Option<Value> {
        let value = u128::from_be_bytes(bytes);
        if value >> 127 == 0 { Some(Value(value)) } else { None }
    }

    /// The value of XMACC: a counter.
    #[must_use]
    pub const fn counter(count: u64) -> Value {
        Value(count as u128)
    }

    /// The value of XMACR: 127 of the 128 random bits in `bytes`.
    #[must_use]
    pub const fn random(bytes: Block) -> Value {
        Value(u128::from_be_bytes(bytes) >> 1)
    }

    /// The bytes of the value, for sending.
    #[must_use]
    pub const fn to_bytes(self) -> Block {
        self.0.to_be_bytes()
    }
}

/// A key over the cipher `C` for `z` of `N` bytes: 4 to 16 (others do not compile).
pub struct Key<C: BlockCipher<Block = Block>, const N: usize> {
    cipher: Pieces<C>,
    layout: Layout,
}

impl<C: BlockCipher<Block = Block>, const N: usize> Key<C, N> {
    /// Prepares a key from a uniformly random secret of the cipher's key length.
    #[must_use]
    pub fn new(layout: Layout, secret: &C::Key) -> Self {
        Self::from_slice(layout, secret.as_ref()).expect("the cipher's length")
    }

    /// [`new`](Self::new) from a slice.
    ///
    /// # Errors
    /// [`InvalidLength`] if the cipher takes no key of that length.
    pub fn from_slice(layout: Layout, secret: &[u8]) -> Result<Self, InvalidLength> {
        Self::from_slice_with_cpu(Cpu::detect(), layout, secret)
    }

    /// [`from_slice`](Self::from_slice) with at most the features of `cpu`: the same tags, perhaps from another kernel.
    ///
    /// # Errors
    /// [`InvalidLength`] if the cipher takes no key of that length.
    pub fn from_slice_with_cpu(
        cpu: Cpu,
        layout: Layout,
        secret: &[u8],
    ) -> Result<Self, InvalidLength> {
        const { assert!(N >= 4 && N <= 16, "a tag has 4 to 16 bytes") };
        Ok(Key { cipher: Pieces::from_slice(cpu, secret)?, layout })
    }

    /// The name of the kernel that this key uses, for example `portable`.
    #[must_use]
    pub fn kernel(&self) -> &'static str {
        self.cipher.kernel()
    }

    /// Every kernel that this machine can run: its name, and the `Cpu` with which a key chooses it.
    pub fn kernels(cpu: Cpu) -> impl Iterator<Item = (&'static str, Cpu)> {
        Pieces::<C>::kernels(cpu)
    }

    /// `z` of a message. The tag is the value together with `z`.
    pub fn tag(&self, value: &Value, message: &[u8]) -> Tag<N> {
        self.finish(value, self.cipher.sum(self.data_bit(), message))
    }

    /// The first bit of the blocks of pieces.
    fn data_bit(&self) -> bool {
        self.layout == Layout::Data
    }

    fn finish(&self, value: &Value, sum: u128) -> Tag<N> {
        let first_bit = u128::from(!self.data_bit()) << 127;
        let z = (sum ^ self.cipher.encrypt(value.0 | first_bit)).to_be_bytes();
        Tag::from(*z.first_chunk().expect("a tag is at most a block"))
    }

    /// Accepts a message only with its value and `z`. The time does not depend on their bytes.
    ///
    /// # Errors
    /// [`TagMismatch`], without detail, if message, key, value and `z` do not belong together.
    pub fn verify(&self, value: &Value, message: &[u8], z: &Tag<N>) -> Result<(), TagMismatch> {
        TagMismatch::unless(self.tag(value, message) == *z)
    }

    /// Starts a stream: a message whose bytes arrive in pieces.
    #[must_use]
    pub fn stream(&self) -> Stream<&Self, C, N> {
        Stream::new(self)
    }
}

impl<C: BlockCipher<Block = Block>, const N: usize> fmt::Debug for Key<C, N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "xor_mac::Key<{N}>({:?}, {})", self.layout, self.kernel())
    }
}

/// A stream: any split of a message into pieces gives the same tag.
///
/// `K` is the key or anything that lends it: `&Key`, `Arc<Key>`, or the key itself.
pub struct Stream<K, C: BlockCipher<Block = Block>, const N: usize> {
    key: K,
    sum: Sum,
    cipher: PhantomData<C>,
}

impl<K, C, const N: usize> Stream<K, C, N>
where
    K: Borrow<Key<C, N>>,
    C: BlockCipher<Block = Block>,
{
    /// Starts a stream that keeps `key`.
    #[must_use]
    pub fn new(key: K) -> Self {
        let sum = Sum::new(key.borrow().data_bit());
        Stream { key, sum, cipher: PhantomData }
    }

    /// Appends bytes to the message.
    pub fn update(&mut self, piece: &[u8]) {
        self.sum.update(&self.key.borrow().cipher, piece);
    }

    /// `z` of the message. It uses up the stream, and the value.
    pub fn finish(self, value: &Value) -> Tag<N> {
        self.tag(value)
    }

    /// [`finish`](Self::finish), after which the stream starts again with an empty message.
    pub fn finish_reset(&mut self, value: &Value) -> Tag<N> {
        let z = self.tag(value);
        self.reset();
        z
    }

    fn tag(&self, value: &Value) -> Tag<N> {
        let key = self.key.borrow();
        key.finish(value, self.sum.finish(&key.cipher))
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
        self.sum = Sum::new(self.key.borrow().data_bit());
    }
}

impl<K: Clone, C: BlockCipher<Block = Block>, const N: usize> Clone for Stream<K, C, N> {
    fn clone(&self) -> Self {
        Stream { key: self.key.clone(), sum: self.sum.clone(), cipher: PhantomData }
    }
}

impl<K, C: BlockCipher<Block = Block>, const N: usize> fmt::Debug for Stream<K, C, N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "xor_mac::Stream<{N}>")
    }
}
