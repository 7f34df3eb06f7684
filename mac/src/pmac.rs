//! PMAC (Black and Rogaway, EUROCRYPT 2002): a block-cipher MAC whose calls are independent.
//!
//! ```text
//! message - 16-byte blocks - xor offset - E - xor -> sum - last block - E -> Tag
//! ```
//!
//! This is the paper's Gray-code PMAC, not the "PMAC1" of 2004, which gives other tags. It needs no
//! nonce. The tag has `N` = 4 to 16 bytes, fixed by the key.
//!
//! **Bound.** Over messages of `s` blocks in all, PMAC is distinguished from a random function with
//! advantage at most `(s + 1)^2 / 2^127` plus that of telling the cipher from a random permutation
//! (Theorem 1 of the paper); each forgery attempt on an `N`-byte tag adds `2^-8N`. Change the key
//! before 2^48 blocks (4 PiB): the first term is then at most 2^-31.
//!
//! ```
//! use wegman::{Aes128, pmac};
//!
//! let key = pmac::Key::<Aes128, 16>::new(b"sixteen byte key");
//! let tag = key.tag(b"a message");
//! assert!(key.verify(b"a message", &tag).is_ok());
//!
//! let mut stream = key.stream();
//! stream.update(b"a mess");
//! stream.update(b"age");
//! assert_eq!(stream.tag(), tag);
//! ```

#[cfg(feature = "digest")]
mod digest;
pub(crate) mod offset;
#[cfg(feature = "parallel")]
mod parallel;
pub(crate) mod sum;

#[cfg(feature = "digest")]
pub use self::digest::Mac;

use crate::buffer::{Buffer, not_last};
use crate::cipher::{Block, BlockCipher, xor};
use crate::cpu::Cpu;
use crate::tag::{InvalidLength, Tag, TagMismatch};
use core::fmt;
use offset::Offsets;
use sum::Sum;
use zeroize::Zeroize;

/// A PMAC key over the cipher `C` for tags of `N` bytes, 4 to 16 (others do not compile).
///
/// Making one costs the cipher's key schedule and one call; share it (`&Key` is `Send` and `Sync`).
#[derive(Clone)]
pub struct Key<C: BlockCipher, const N: usize> {
    sum: Sum<C>,
    cipher: C,
    offsets: Offsets,
}

impl<C: BlockCipher, const N: usize> Key<C, N> {
    /// Prepares a key from a uniformly random secret of the cipher's key length.
    #[must_use]
    pub fn new(secret: &C::Key) -> Self {
        Self::with_cpu(Cpu::detect(), secret)
    }

    /// The same key on a machine with fewer features: the same tags, from another kernel.
    #[must_use]
    pub fn with_cpu(cpu: Cpu, secret: &C::Key) -> Self {
        Self::from_cipher(cpu, C::new(secret))
    }

    /// Prepares a key from a slice.
    ///
    /// # Errors
    /// [`InvalidLength`] if the cipher takes no key of that length.
    pub fn from_slice(cpu: Cpu, secret: &[u8]) -> Result<Self, InvalidLength> {
        C::from_slice(secret).map(|cipher| Self::from_cipher(cpu, cipher))
    }

    fn from_cipher(cpu: Cpu, cipher: C) -> Self {
        const { assert!(N >= 4 && N <= 16, "a PMAC tag has 4 to 16 bytes") };
        let mut l = [0; 16];
        cipher.encrypt(&mut l);
        let offsets = Offsets::new(&l);
        l.zeroize();
        Key { sum: Sum::new(cpu), cipher, offsets }
    }

    /// The name of the kernel of the block sum this key uses, for example `portable`.
    #[must_use]
    pub fn kernel(&self) -> &'static str {
        self.sum.name()
    }

    /// Every kernel of this machine: its name, and the `Cpu` that makes a key choose it.
    pub fn kernels(cpu: Cpu) -> impl Iterator<Item = (&'static str, Cpu)> {
        Sum::<C>::all(cpu).map(move |sum| (sum.name(), cpu.only(sum.needs())))
    }

    /// The tag of a message.
    #[must_use]
    pub fn tag(&self, message: &[u8]) -> Tag<N> {
        let (blocks, last) = not_last(message);
        let mut state = State::new();
        state.absorb(self, blocks);
        state.tag(self, last)
    }

    /// Accepts a message only with its tag, in time that does not depend on the tag's bytes.
    ///
    /// # Errors
    /// [`TagMismatch`], without detail, if message, key and tag do not belong together.
    pub fn verify(&self, message: &[u8], tag: &Tag<N>) -> Result<(), TagMismatch> {
        if self.tag(message) == *tag { Ok(()) } else { Err(TagMismatch) }
    }

    /// A message whose bytes arrive in pieces.
    #[must_use]
    pub fn stream(&self) -> Stream<'_, C, N> {
        Stream { key: self, state: State::new(), buffer: Buffer::new() }
    }

    /// The tags of independent messages.
    ///
    /// # Panics
    /// If `messages` and `tags` differ in length.
    pub fn tag_many(&self, messages: &[&[u8]], tags: &mut [Tag<N>]) {
        assert_eq!(messages.len(), tags.len(), "one tag for each message");
        for (message, tag) in messages.iter().zip(tags) {
            *tag = self.tag(message);
        }
    }

    /// Verifies messages, each with its own tag; `valid` tells which are authentic.
    ///
    /// # Errors
    /// [`TagMismatch`] if at least one is not; `valid` is filled in either way.
    ///
    /// # Panics
    /// If `packets` and `valid` differ in length.
    pub fn verify_many(
        &self,
        packets: &[(&[u8], Tag<N>)],
        valid: &mut [bool],
    ) -> Result<(), TagMismatch> {
        assert_eq!(packets.len(), valid.len(), "one outcome for each packet");
        for ((message, tag), valid) in packets.iter().zip(&mut *valid) {
            *valid = self.verify(message, tag).is_ok();
        }
        let all = valid.iter().fold(true, |all, valid| all & valid);
        if all { Ok(()) } else { Err(TagMismatch) }
    }
}

impl<C: BlockCipher, const N: usize> Drop for Key<C, N> {
    fn drop(&mut self) {
        // `cipher` wipes its own round keys; `sum` is a choice of kernel and no secret.
        let Key { sum: _, cipher: _, offsets } = self;
        offsets.zeroize();
    }
}

impl<C: BlockCipher, const N: usize> fmt::Debug for Key<C, N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "pmac::Key<{N}>({})", self.kernel())
    }
}

/// Bytes a stream holds back: enough blocks to keep the cipher busy when they go.
const BUFFER: usize = 512;

/// A message under way: any split of a message into pieces gives the same tag.
pub struct Stream<'k, C: BlockCipher, const N: usize> {
    key: &'k Key<C, N>,
    state: State,
    buffer: Buffer<BUFFER>,
}

impl<C: BlockCipher, const N: usize> Stream<'_, C, N> {
    /// Appends bytes to the message.
    pub fn update(&mut self, piece: &[u8]) {
        let Stream { key, state, buffer } = self;
        buffer.update(piece, |parts| state.absorb(key, parts.as_flattened().as_chunks().0));
    }

    /// The tag of the message so far. The stream goes on undisturbed.
    #[must_use]
    pub fn tag(&self) -> Tag<N> {
        let (blocks, last) = not_last(self.buffer.last());
        let mut state = self.state.clone();
        state.absorb(self.key, blocks);
        state.tag(self.key, last)
    }

    /// Accepts the message so far only with its tag.
    ///
    /// # Errors
    /// [`TagMismatch`], without detail, if message, key and tag do not belong together.
    pub fn verify(&self, tag: &Tag<N>) -> Result<(), TagMismatch> {
        if self.tag() == *tag { Ok(()) } else { Err(TagMismatch) }
    }

    /// Forgets the message so far.
    pub fn reset(&mut self) {
        self.state = State::new();
        self.buffer = Buffer::new();
    }
}

// By hand, because a derived one would ask for a cipher that can be cloned; the key is only borrowed.
impl<C: BlockCipher, const N: usize> Clone for Stream<'_, C, N> {
    fn clone(&self) -> Self {
        Stream { key: self.key, state: self.state.clone(), buffer: self.buffer.clone() }
    }
}

impl<C: BlockCipher, const N: usize> Drop for Stream<'_, C, N> {
    fn drop(&mut self) {
        let Stream { key: _, state: _, buffer } = self; // `state` wipes itself
        buffer.zeroize();
    }
}

impl<C: BlockCipher, const N: usize> fmt::Debug for Stream<'_, C, N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "pmac::Stream<{N}>")
    }
}

/// The sum of the blocks absorbed so far, and the number of the next one (the first is 1).
#[derive(Clone)]
struct State {
    next: u64,
    sum: Block,
}

impl State {
    const fn new() -> State {
        State { next: 1, sum: [0; 16] }
    }

    /// Absorbs blocks of which none is the message's last.
    fn absorb<C: BlockCipher, const N: usize>(&mut self, key: &Key<C, N>, blocks: &[Block]) {
        key.sum.add(&key.cipher, &key.offsets, self.next, blocks, &mut self.sum);
        self.next += blocks.len() as u64;
    }

    /// Absorbs the last block, 0 to 16 bytes, and makes the tag.
    fn tag<C: BlockCipher, const N: usize>(mut self, key: &Key<C, N>, last: &[u8]) -> Tag<N> {
        let mut block = [0; 16];
        block[..last.len()].copy_from_slice(last);
        if last.len() == 16 {
            block = xor(&block, key.offsets.inverse());
        } else {
            block[last.len()] = 0x80;
        }
        self.sum = xor(&self.sum, &block);
        key.cipher.encrypt(&mut self.sum);
        let mut tag = [0; N];
        tag.copy_from_slice(&self.sum[..N]);
        Tag::from(tag)
    }
}

impl Drop for State {
    fn drop(&mut self) {
        let State { next, sum } = self;
        next.zeroize();
        sum.zeroize();
    }
}
