//! XOR MAC (Bellare, Guérin and Rogaway, "XOR MACs: New methods for message authentication using finite pseudorandom
//! functions", CRYPTO 1995): every piece is encrypted together with its number; the xor of all results is masked with
//! the encryption of a value that is sent along.
//!
//! ```text
//! z = E(value) xor E(1, piece 1) xor ... xor E(m, piece m)       tag = (value, z)
//! ```
//!
//! The value is random (XMACR: 127 random bits) or a counter (XMACC). Half of each block holds the number, so there are
//! twice as many cipher calls as in PMAC. **Padding and sizes are ours**: pieces have 8 bytes; the message is always
//! padded with a byte 80 and zeroes; numbers have 63 or 64 bits.
//!
//! **Bound.** XMACC: over `s` blocks in all, at least one of `v` forgery attempts succeeds with probability at most
//! about `s^2 / 2^129 + v / 2^128`, plus the advantage of distinguishing the cipher from a random permutation, *if no
//! value is used twice under one key*. XMACR adds `q^2 / 2^127` for `q` random values.
//!
//! ```
//! use wegman::Cpu;
//! use wegman_yardstick::xor_mac::{Key, Layout, Value};
//!
//! let key = Key::from_slice_with_cpu(Cpu::detect(), Layout::Data, b"sixteen byte key")?;
//! let value = Value::counter(1); // never twice under one key
//! let z = key.tag(&value, b"a message");
//! assert!(key.verify(&value, b"a message", &z).is_ok());
//! # Ok::<(), wegman::InvalidLength>(())
//! ```

use crate::engine;
use crate::pieces::{Pieces, Sum};
use core::borrow::Borrow;
use core::fmt;
use wegman::cipher::Block;
use wegman::{Aes128, Cpu, InvalidLength, Tag, TagMismatch};

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
}

/// A key over AES-128.
pub struct Key {
    cipher: Pieces<Aes128>,
    layout: Layout,
}

impl Key {
    /// Prepares a key from a uniformly random secret of 16 bytes, with at most the features of `cpu`.
    ///
    /// # Errors
    /// [`InvalidLength`] for a secret of another length.
    pub fn from_slice_with_cpu(
        cpu: Cpu,
        layout: Layout,
        secret: &[u8],
    ) -> Result<Self, InvalidLength> {
        Ok(Key { cipher: Pieces::from_slice(cpu, secret)?, layout })
    }

    /// The name of the kernel that this key uses, for example `portable`.
    #[must_use]
    pub fn kernel(&self) -> &'static str {
        engine::kernel(self.cipher.uses_aes())
    }

    /// Every kernel that this machine can run: its name, and the `Cpu` with which a key chooses it.
    pub fn kernels(cpu: Cpu) -> impl Iterator<Item = (&'static str, Cpu)> {
        engine::kernels(cpu, true)
    }

    /// `z` of a message. The tag is the value together with `z`.
    pub fn tag(&self, value: &Value, message: &[u8]) -> Tag<16> {
        self.finish(value, self.cipher.sum(self.data_bit(), message))
    }

    /// The first bit of the blocks of pieces.
    fn data_bit(&self) -> bool {
        self.layout == Layout::Data
    }

    fn finish(&self, value: &Value, sum: u128) -> Tag<16> {
        let first_bit = u128::from(!self.data_bit()) << 127;
        Tag::from((sum ^ self.cipher.encrypt(value.0 | first_bit)).to_be_bytes())
    }

    /// Accepts a message only with its value and `z`. The time does not depend on their bytes.
    ///
    /// # Errors
    /// [`TagMismatch`], without detail, if message, key, value and `z` do not belong together.
    pub fn verify(&self, value: &Value, message: &[u8], z: &Tag<16>) -> Result<(), TagMismatch> {
        TagMismatch::unless(self.tag(value, message) == *z)
    }

    /// Starts a stream: a message whose bytes arrive in pieces.
    #[must_use]
    pub fn stream(&self) -> Stream<&Self> {
        Stream::new(self)
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "xor_mac::Key({:?}, {})", self.layout, self.kernel())
    }
}

/// A stream: any split of a message into pieces gives the same tag.
///
/// `K` is the key or anything that lends it: `&Key`, `Arc<Key>`, or the key itself.
#[derive(Clone)]
pub struct Stream<K> {
    key: K,
    sum: Sum,
}

impl<K: Borrow<Key>> Stream<K> {
    /// Starts a stream that keeps `key`.
    #[must_use]
    pub fn new(key: K) -> Self {
        let sum = Sum::new(key.borrow().data_bit());
        Stream { key, sum }
    }

    /// Appends bytes to the message.
    pub fn update(&mut self, piece: &[u8]) {
        self.sum.update(&self.key.borrow().cipher, piece);
    }

    /// `z` of the message, after which the stream starts again with an empty message.
    pub fn finish_reset(&mut self, value: &Value) -> Tag<16> {
        let z = self.tag(value);
        self.reset();
        z
    }

    fn tag(&self, value: &Value) -> Tag<16> {
        let key = self.key.borrow();
        key.finish(value, self.sum.finish(&key.cipher))
    }

    /// Accepts the message so far only with its value and `z`.
    ///
    /// # Errors
    /// [`TagMismatch`], without detail, if message, key, value and `z` do not belong together.
    pub fn verify(&self, value: &Value, z: &Tag<16>) -> Result<(), TagMismatch> {
        TagMismatch::unless(self.tag(value) == *z)
    }

    /// Forgets the message so far.
    pub fn reset(&mut self) {
        self.sum = Sum::new(self.key.borrow().data_bit());
    }
}

impl<K> fmt::Debug for Stream<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("xor_mac::Stream")
    }
}
