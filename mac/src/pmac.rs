//! PMAC (Black and Rogaway, "A block-cipher mode of operation for parallelizable message authentication", EUROCRYPT
//! 2002): a block-cipher MAC whose cipher calls are independent of each other.
//!
//! ```text
//! message - 16-byte blocks - xor offset - E - xor -> sum - xor last block - E -> Tag
//!                               |                                |
//! key - E(0) = L - offset: L x^i ----------------------------- L/x if it is full
//! ```
//!
//! This is the paper's Gray-code PMAC. The "PMAC1" of 2004 gives other tags. PMAC needs no nonce. A tag has `N` bytes, 4 to
//! the block's length, fixed by the key.
//!
//! **Bound.** Over messages of `s` blocks in all, PMAC can be distinguished from a random function with advantage at
//! most `(s + 1)^2 / 2^127`, plus the advantage of distinguishing the cipher from a random permutation (Theorem 1 of
//! the paper). Each forgery attempt on an `N`-byte tag adds `2^(-8N)`. Change the key before 2^43 blocks
//! (128 TiB), as a sender in a session does: the first term is then at most 2^-41. For a cipher with 64-bit blocks, that term
//! has 2^63 in place of 2^127, and a sender stops at 2^16 blocks, with 2^-31.
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
//! assert_eq!(stream.finish(), tag);
//! ```

#[cfg(feature = "digest")]
mod digest;
#[cfg(feature = "hazmat")]
mod edit;
#[cfg(feature = "hazmat")]
pub mod hazmat;
#[cfg(feature = "hazmat")]
mod length_preserving;
pub(crate) mod offset;
#[cfg(feature = "parallel")]
mod parallel;
#[cfg(feature = "hazmat")]
mod segment;
#[cfg(feature = "hazmat")]
mod segment_stream;
pub(crate) mod sum;

#[cfg(feature = "digest")]
pub use self::digest::Mac;

use crate::batch::{EIGHT, eight_tags, tag_eights, verify_singly};
use crate::bits::Bits;
use crate::buffer::Buffer;
use crate::cipher::{BlockCipher, CipherBlock};
use crate::cpu::Cpu;
use crate::ct::wipe;
use crate::parts::{self, MASKS, together};
use crate::tag::{InvalidLength, Tag, TagMismatch, beginning};
use core::borrow::Borrow;
use core::fmt;
use offset::Offsets;
use sum::{AesSum, Given};
use zeroize::{Zeroize, ZeroizeOnDrop};

/// A PMAC key over the cipher `C` for tags of `N` bytes: 4 to the cipher's block length (others do not compile).
///
/// Deriving one costs the cipher's key schedule, one cipher call and some tables; share it (`&Key` is `Send` and
/// `Sync`).
#[derive(Clone)]
pub struct Key<C: BlockCipher, const N: usize> {
    cipher: C,
    offsets: Offsets<C::Block>,
    /// The kernels for AES, if the cipher is AES and the machine can run one.
    aes: Option<AesSum>,
    /// A mask: the bits of the tag's last byte that belong to the tag.
    last_byte: u8,
    /// Whether parts are joined in registers.
    pub(crate) joins_masked: bool,
}

impl<C: BlockCipher, const N: usize> Key<C, N> {
    /// Prepares a key from a uniformly random secret of the cipher's key length.
    #[must_use]
    pub fn new(secret: &C::Key) -> Self {
        Self::with_cpu(Cpu::detect(), secret)
    }

    /// [`new`](Self::new) with at most the features of `cpu`: the same tags, perhaps from another kernel.
    #[must_use]
    pub fn with_cpu(cpu: Cpu, secret: &C::Key) -> Self {
        Self::from_slice_with_cpu(cpu, secret.as_ref())
            .expect("its type gives the key the cipher's length")
    }

    /// [`new`](Self::new) from a slice.
    ///
    /// # Errors
    /// [`InvalidLength`] if the cipher takes no key of that length.
    pub fn from_slice(secret: &[u8]) -> Result<Self, InvalidLength> {
        Self::from_slice_with_cpu(Cpu::detect(), secret)
    }

    /// [`with_cpu`](Self::with_cpu) from a slice.
    ///
    /// # Errors
    /// [`InvalidLength`] if the cipher takes no key of that length.
    pub fn from_slice_with_cpu(cpu: Cpu, secret: &[u8]) -> Result<Self, InvalidLength> {
        const { assert!(N >= 4, "a PMAC tag has 4 bytes at least; hazmat has shorter ones") };
        C::from_slice(cpu, secret).map(|cipher| Self::from_cipher(cpu, cipher, 0xff))
    }

    /// A new key from the system's random bytes, and its secret, to be stored or sent over a secure channel. The secret
    /// is wiped on drop.
    ///
    /// # Errors
    /// If the system gives no random bytes.
    #[cfg(feature = "getrandom")]
    pub fn generate() -> Result<(Self, zeroize::Zeroizing<C::Key>), getrandom::Error>
    where
        C::Key: crate::random::Secret,
    {
        let secret = crate::random::secret()?;
        Ok((Self::new(&secret), secret))
    }

    fn from_cipher(cpu: Cpu, cipher: C, last_byte: u8) -> Self {
        const { assert!(N >= 1 && N <= C::Block::BYTES, "a PMAC tag is at most a block") };
        let mut l = C::Block::ZERO;
        cipher.encrypt(&mut l);
        let offsets = Offsets::new(&l);
        l.zeroize();
        let mut mask = [0; 16];
        mask[..N].fill(0xff);
        mask[N - 1] = last_byte;
        let aes = cipher.rounds().and_then(|rounds| AesSum::new(cpu, rounds, &offsets, &mask));
        Key { cipher, offsets, aes, last_byte, joins_masked: cpu.meets(MASKS) }
    }

    /// The name of the kernel that this key uses, for example `portable`.
    #[must_use]
    pub fn kernel(&self) -> &'static str {
        self.aes.as_ref().map_or(sum::PORTABLE, AesSum::name)
    }

    /// Every kernel that this machine can run: its name, and the `Cpu` with which a key chooses it.
    pub fn kernels(cpu: Cpu) -> impl Iterator<Item = (&'static str, Cpu)> {
        sum::rows(cpu, C::IS_AES).map(move |(name, needs)| (name, cpu.only(needs)))
    }

    /// The tag of a message.
    #[inline]
    pub fn tag(&self, message: &[u8]) -> Tag<N> {
        Tag::written(|tag| self.tag_into(message, tag))
    }

    /// Writes the [`tag`](Self::tag) to `tag`, without a copy.
    #[inline]
    pub fn tag_into(&self, message: &[u8], tag: &mut [u8; N]) {
        match &self.aes {
            Some(aes) => beginning(tag, |block| aes.tag(message, block)),
            None => self.tag_without_kernel(message, tag),
        }
    }

    /// A function of its own, so that the call of a kernel becomes part of the caller.
    #[cold]
    #[inline(never)]
    fn tag_without_kernel(&self, message: &[u8], tag: &mut [u8; N]) {
        *tag = self.tag_bits(Bits::from(message)).to_bytes();
    }

    /// The tag of a message of any number of bits.
    pub fn tag_bits(&self, message: Bits<'_>) -> Tag<N> {
        let (blocks, last) = not_last::<C::Block>(message.bytes());
        let mut state = State::new();
        state.absorb(self, blocks);
        state.tag(self, last, bits_of_last::<C::Block>(message.len()))
    }

    /// The length of a tag in bits.
    #[cfg(feature = "session")]
    pub(crate) fn tag_bits_count(&self) -> u32 {
        8 * (N as u32 - 1) + self.last_byte.count_ones()
    }

    /// The tag of a block with the number, big-endian, and the message behind it.
    #[cfg(feature = "session")]
    #[inline]
    pub(crate) fn tag_after(&self, number: u64, message: &[u8]) -> Tag<N> {
        let given = (u128::from(number).swap_bytes(), None);
        let tag = if message.is_empty() { None } else { self.tag_given(given, message) };
        tag.unwrap_or_else(|| self.tag_after_without_kernel(number, message))
    }

    /// [`tag_after`](Self::tag_after) of a message in parts, if there is a kernel for them.
    #[cfg(feature = "session")]
    #[inline]
    pub(crate) fn tag_parts_after(&self, number: u64, parts: &[&[u8]]) -> Option<Tag<N>> {
        let (second, rest) = parts::first_block(parts)?;
        self.tag_given((u128::from(number).swap_bytes(), Some(second)), rest)
    }

    /// The same by a copy.
    #[cfg(feature = "session")]
    #[inline(never)] // its stack would be the caller's
    pub(crate) fn tag_joined_after(&self, number: u64, parts: &[&[u8]]) -> Tag<N> {
        let one = |whole: &[u8]| self.tag_after(number, whole);
        together(self.joins_masked, 16, parts, one).unwrap_or_else(|| {
            let mut stream = self.stream();
            stream.update(Self::block_of(number).as_ref());
            parts.iter().for_each(|part| stream.update(part));
            stream.finish()
        })
    }

    /// The tag of a message that is not empty, behind these blocks, if there is a kernel for them.
    #[inline]
    fn tag_given(&self, given: Given, message: &[u8]) -> Option<Tag<N>> {
        let kernel = self.aes.as_ref()?.after()?;
        Some(Tag::written(|tag| beginning(tag, |block| kernel(given, message, block))))
    }

    #[cfg(feature = "session")]
    #[cold]
    #[inline(never)]
    fn tag_after_without_kernel(&self, number: u64, message: &[u8]) -> Tag<N> {
        self.tag_parts(&[Self::block_of(number).as_ref(), message])
    }

    /// A number as a block, big-endian.
    #[cfg(feature = "session")]
    #[inline]
    pub(crate) fn block_of(number: u64) -> C::Block {
        let mut block = C::Block::ZERO;
        let place = block.as_mut().last_chunk_mut().expect("a block has 8 bytes at least");
        *place = number.to_be_bytes();
        block
    }

    /// The tag of a message in parts, as they lie in memory: that of the parts one after the other.
    ///
    /// ```
    /// # use wegman::{Aes128, pmac};
    /// # let key = pmac::Key::<Aes128, 16>::new(b"sixteen byte key");
    /// assert_eq!(key.tag_parts(&[b"header", b" and payload"]), key.tag(b"header and payload"));
    /// ```
    #[inline]
    pub fn tag_parts(&self, parts: &[&[u8]]) -> Tag<N> {
        let first = parts::first_block(parts);
        let tag = first.and_then(|(first, rest)| self.tag_given((first, None), rest));
        tag.unwrap_or_else(|| self.tag_joined(parts))
    }

    #[inline(never)]
    fn tag_joined(&self, parts: &[&[u8]]) -> Tag<N> {
        if let [message] = parts {
            return self.tag(message);
        }
        together(self.joins_masked, 0, parts, |whole| self.tag(whole)).unwrap_or_else(|| {
            let mut stream = self.stream();
            parts.iter().for_each(|part| stream.update(part));
            stream.finish()
        })
    }

    /// Accepts a message in parts only if the tag is right, as [`verify`](Self::verify).
    ///
    /// # Errors
    /// [`TagMismatch`], without detail, if message, key and tag do not belong together.
    pub fn verify_parts(&self, parts: &[&[u8]], tag: &Tag<N>) -> Result<(), TagMismatch> {
        TagMismatch::unless(self.tag_parts(parts) == *tag)
    }

    /// Accepts a message only if the tag is right. The time does not depend on the tag's bytes.
    ///
    /// # Errors
    /// [`TagMismatch`], without detail, if message, key and tag do not belong together.
    pub fn verify(&self, message: &[u8], tag: &Tag<N>) -> Result<(), TagMismatch> {
        TagMismatch::unless(self.tag(message) == *tag)
    }

    /// Starts a stream: a message whose bytes arrive in pieces.
    #[must_use]
    #[inline(always)]
    pub fn stream(&self) -> Stream<&Self, C, N> {
        Stream::new(self)
    }

    /// The tags of independent messages. It is fastest for short messages of about the same length, which run side by
    /// side.
    ///
    /// ```
    /// # use wegman::{Aes128, Tag, pmac};
    /// # let key = pmac::Key::<Aes128, 16>::new(b"sixteen byte key");
    /// let mut tags = [Tag::from([0; 16]); 2];
    /// key.tag_many(&[b"one", b"another"], &mut tags);
    /// assert_eq!(tags[1], key.tag(b"another"));
    /// ```
    ///
    /// # Panics
    /// If `messages` and `tags` differ in length.
    #[inline]
    pub fn tag_many(&self, messages: &[&[u8]], tags: &mut [Tag<N>]) {
        assert_eq!(messages.len(), tags.len(), "one tag for each message");
        if let ([message], [tag]) = (messages, &mut *tags) {
            *tag = self.tag(message);
        } else if messages.len() < EIGHT {
            self.tag_singly(messages, tags);
        } else {
            tag_eights(
                messages,
                tags,
                0,
                |_, eight, tags| self.tag8(eight, tags),
                |_, messages, tags| self.tag_singly(messages, tags),
            );
        }
    }

    #[inline]
    fn tag_singly(&self, messages: &[&[u8]], tags: &mut [Tag<N>]) {
        for (message, tag) in messages.iter().zip(tags) {
            *tag = self.tag(message);
        }
    }

    /// Tags eight messages side by side, or returns false if that gains nothing.
    #[inline]
    fn tag8(&self, messages: &[&[u8]; EIGHT], tags: &mut [Tag<N>; EIGHT]) -> bool {
        let Some(aes) = &self.aes else { return false };
        eight_tags(tags, |blocks| aes.tag8(messages, blocks))
    }

    /// Verifies messages, each with its own tag, and sets `valid` for each that is authentic.
    ///
    /// # Errors
    /// [`TagMismatch`] if at least one is not authentic; `valid` is complete in either case.
    ///
    /// # Panics
    /// If `packets` and `valid` differ in length.
    #[inline]
    pub fn verify_many(
        &self,
        packets: &[(&[u8], Tag<N>)],
        valid: &mut [bool],
    ) -> Result<(), TagMismatch> {
        if let ([(message, tag)], [valid]) = (packets, &mut *valid) {
            let outcome = self.verify(message, tag);
            *valid = outcome.is_ok();
            return outcome;
        }
        let tag = |(message, _): &(&[u8], _)| self.tag(message);
        if packets.len() < EIGHT {
            let all = verify_singly(packets, valid, |(_, tag)| tag, tag);
            return TagMismatch::unless(all);
        }
        assert_eq!(packets.len(), valid.len(), "one outcome for each packet");
        let (eights, rest) = packets.as_chunks();
        let (valid_eights, valid_rest) = valid.as_chunks_mut();
        let mut all = true;
        for (eight, valid) in eights.iter().zip(valid_eights) {
            if !self.verify_eight(eight, valid, &mut all) {
                all &= verify_singly(eight, valid, |(_, tag)| tag, tag);
            }
        }
        TagMismatch::unless(all & verify_singly(rest, valid_rest, |(_, tag)| tag, tag))
    }

    /// Verifies eight packets side by side, or returns false if that gains nothing. Clears `all` if one is not
    /// authentic. A function of its own: its memory costs a few packets nothing.
    #[inline(never)]
    fn verify_eight(
        &self,
        packets: &[(&[u8], Tag<N>); EIGHT],
        valid: &mut [bool; EIGHT],
        all: &mut bool,
    ) -> bool {
        let Some(aes) = &self.aes else { return false };
        let mut blocks = [[0; 16]; EIGHT];
        if !aes.tag8(&packets.each_ref().map(|(message, _)| *message), &mut blocks) {
            return false;
        }
        for ((block, (_, tag)), valid) in blocks.iter().zip(packets).zip(valid) {
            let right = Tag::from(*block.first_chunk().expect("a tag is at most a block"));
            *valid = right == *tag;
            *all &= *valid;
        }
        wipe(&mut blocks); // the right tags of forgeries are secret
        true
    }

    /// Xors `E(blocks[j] xor offset(first + j))` for every `j` into `sum`.
    pub(crate) fn add(&self, first: u64, blocks: &[C::Block], sum: &mut C::Block) {
        match &self.aes {
            Some(aes) => aes.add(&self.offsets, first, blocks, sum),
            None => sum::portable::add(&self.cipher, &self.offsets, first, blocks, sum),
        }
    }

    /// What the last block of a message adds to the sum. It has `bits` bits, 0 to a whole block.
    fn last(&self, last: &[u8], bits: usize) -> C::Block {
        let mut block = C::Block::ZERO;
        block.as_mut()[..last.len()].copy_from_slice(last);
        if bits == 8 * C::Block::BYTES {
            return block.xor(self.offsets.inverse());
        }
        let end = &mut block.as_mut()[bits / 8];
        // The message's bits of this byte, then a one bit.
        *end = *end & !(0xff >> (bits % 8)) | 0x80 >> (bits % 8);
        block
    }

    /// The tag: the first bits of the encrypted sum.
    fn cut(&self, block: &impl AsRef<[u8]>) -> Tag<N> {
        let mut tag = *block.as_ref().first_chunk::<N>().expect("a tag is at most a block");
        tag[N - 1] &= self.last_byte;
        Tag::from(tag)
    }
}

/// The blocks of a message before the last, and the last one: at most a whole block, empty only if the message is.
fn not_last<B: CipherBlock>(message: &[u8]) -> (&[B], &[u8]) {
    let (head, last) = message.split_at(message.len().saturating_sub(1) / B::BYTES * B::BYTES);
    (B::split(head).0, last)
}

/// How many bits of a message are in its last block.
fn bits_of_last<B: CipherBlock>(bits: u64) -> usize {
    let block = 8 * B::BYTES as u64;
    match bits {
        0 => 0,
        _ => ((bits - 1) % block + 1) as usize,
    }
}

// `Drop` wipes everything but the cipher.
impl<C: BlockCipher + ZeroizeOnDrop, const N: usize> ZeroizeOnDrop for Key<C, N> {}

impl<C: BlockCipher, const N: usize> Drop for Key<C, N> {
    fn drop(&mut self) {
        // `cipher` and `aes` wipe their own round keys and tables.
        let Key { cipher: _, offsets, aes: _, last_byte: _, joins_masked: _ } = self;
        offsets.zeroize();
    }
}

impl<C: BlockCipher, const N: usize> fmt::Debug for Key<C, N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "pmac::Key<{N}>({})", self.kernel())
    }
}

/// How many bytes a stream holds back: a group of blocks, which suits the kernels best.
const BUFFER: usize = 512;

/// A stream: any split of a message into pieces gives the same tag. Wiped on drop.
///
/// `K` is the key or anything that lends it: `&Key`, `Arc<Key>`, `Box<Key>` or the [`Key`] itself. A stream that owns
/// its key or shares it by `Arc` can outlive the function that made it, and move to another thread or task.
pub struct Stream<K, C: BlockCipher, const N: usize> {
    key: K,
    state: State<C::Block>,
    buffer: Buffer<BUFFER>,
}

impl<K: Borrow<Key<C, N>>, C: BlockCipher, const N: usize> Stream<K, C, N> {
    /// Starts a stream that keeps `key`.
    #[must_use]
    #[inline(always)] // a call would copy the buffer, of which nothing is initialised
    pub fn new(key: K) -> Self {
        Stream { key, state: State::new(), buffer: Buffer::new() }
    }

    /// Appends bytes to the message.
    pub fn update(&mut self, piece: &[u8]) {
        let Stream { key, state, buffer } = self;
        let key = (*key).borrow();
        buffer.update(piece, |parts| state.absorb(key, C::Block::split(parts.as_flattened()).0));
    }

    /// Appends everything that `reader` yields, in large pieces, and returns how many bytes that was.
    ///
    /// # Errors
    /// The reader's first error, except [`Interrupted`](std::io::ErrorKind::Interrupted), after which reading goes on.
    /// What was read before the error stays appended.
    #[cfg(feature = "std")]
    pub fn update_reader(&mut self, reader: impl std::io::Read) -> std::io::Result<u64> {
        std::io::copy(&mut std::io::BufReader::with_capacity(1 << 16, reader), self)
    }

    /// The tag of the message. It uses up the stream.
    pub fn finish(self) -> Tag<N> {
        self.tag()
    }

    /// [`finish`](Self::finish), after which the stream starts again with an empty message.
    pub fn finish_reset(&mut self) -> Tag<N> {
        let tag = self.tag();
        self.reset();
        tag
    }

    /// The tag of the message so far. More bytes may follow: PMAC has no nonce that would be used up.
    pub fn tag(&self) -> Tag<N> {
        // One that fits in the buffer is still whole.
        match self.state.next {
            1 => self.key.borrow().tag(self.buffer.last()),
            _ => self.tag_without(0),
        }
    }

    /// The tag of the message so far without its last `bits` bits, 0 to 7: for messages that do not end with a whole
    /// byte.
    ///
    /// # Panics
    /// If `bits` is 8 or more, or if it is not 0 and the message is empty.
    pub fn tag_without(&self, bits: u32) -> Tag<N> {
        let (blocks, last) = not_last::<C::Block>(self.buffer.last());
        assert!(bits < 8, "bits of the last byte, 0 to 7");
        assert!(bits == 0 || !last.is_empty(), "an empty message has no last byte");
        let key = self.key.borrow();
        let mut state = self.state.clone();
        state.absorb(key, blocks);
        state.tag(key, last, 8 * last.len() - bits as usize)
    }

    /// Accepts the message so far only if the tag is right.
    ///
    /// # Errors
    /// [`TagMismatch`], without detail, if message, key and tag do not belong together.
    pub fn verify(&self, tag: &Tag<N>) -> Result<(), TagMismatch> {
        TagMismatch::unless(self.tag() == *tag)
    }

    /// Forgets the message so far.
    pub fn reset(&mut self) {
        if self.state.next > 1 {
            self.state = State::new();
        }
        self.buffer.clear();
    }
}

#[cfg(feature = "std")]
impl<K: Borrow<Key<C, N>>, C: BlockCipher, const N: usize> std::io::Write for Stream<K, C, N> {
    /// Appends all of `piece`. It never fails.
    fn write(&mut self, piece: &[u8]) -> std::io::Result<usize> {
        self.update(piece);
        Ok(piece.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

// Written out, since a derived `Clone` would require `C: Clone`, which a shared key does not need.
impl<K: Clone, C: BlockCipher, const N: usize> Clone for Stream<K, C, N> {
    fn clone(&self) -> Self {
        let Stream { key, state, buffer } = self;
        Stream { key: key.clone(), state: state.clone(), buffer: buffer.clone() }
    }
}

impl<K, C: BlockCipher, const N: usize> fmt::Debug for Stream<K, C, N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "pmac::Stream<{N}>")
    }
}

/// The sum of the blocks absorbed so far, and the number of the next block (the first is 1).
#[derive(Clone)]
struct State<B: CipherBlock> {
    next: u64,
    sum: B,
}

impl<B: CipherBlock> State<B> {
    const fn new() -> Self {
        State { next: 1, sum: B::ZERO }
    }

    /// Absorbs blocks, none of which is the message's last.
    fn absorb<C: BlockCipher<Block = B>, const N: usize>(&mut self, key: &Key<C, N>, blocks: &[B]) {
        if !blocks.is_empty() {
            key.add(self.next, blocks, &mut self.sum);
            self.next += blocks.len() as u64;
        }
    }

    /// Absorbs the last block, of `bits` bits, and makes the tag.
    fn tag<C: BlockCipher<Block = B>, const N: usize>(
        mut self,
        key: &Key<C, N>,
        last: &[u8],
        bits: usize,
    ) -> Tag<N> {
        self.sum = self.sum.xor(&key.last(last, bits));
        key.cipher.encrypt(&mut self.sum);
        key.cut(&self.sum)
    }
}

impl<B: CipherBlock> Drop for State<B> {
    fn drop(&mut self) {
        let State { next, sum } = self;
        next.zeroize();
        sum.zeroize();
    }
}
