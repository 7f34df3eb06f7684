//! CBC-MAC, and its variants for messages of any length: ECBC, FCBC, XCBC (Black and Rogaway, "CBC MACs for
//! arbitrary-length messages: the three-key constructions", CRYPTO 2000).
//!
//! ```text
//! message - blocks - xor - E1 -+-> last block: E1, E2 | E2 | xor k2, E1   if the message ends with a block
//!                     ^--------+               E1, E3 | E3 | xor k3, E1   if 80 00 ... had to fill it
//! ```
//!
//! A chain can't be cut into parts that are computed side by side, but eight messages can:
//! [`tag_many`](Key::tag_many).
//!
//! **Bound.** Over `q` messages of up to `m` blocks of `n` bits, all three are told from a random function with
//! probability at most `(m q)^2 / 2^n` ([`bounds::theorems::cbc`](crate::bounds::theorems::cbc); one more block
//! each for ECBC), plus the advantage of telling the cipher from a
//! random permutation; each forgery attempt on an `N`-byte tag adds `2^-8N`.

use crate::engine::sealed::Sealed;
use crate::engine::{self, Engine, Longest, MESSAGES, longest};
use core::fmt;
use wegman::Cpu;
use wegman::cipher::{BlockCipher, CipherBlock};
use wegman::hazmat::buffer::Buffer;
use wegman::{InvalidLength, Tag, TagMismatch};
use zeroize::Zeroize;

/// ECBC over the cipher `C`: CBC-MAC, encrypted once more.
pub type Ecbc<C> = Cbc<C, 'E'>;

/// FCBC over the cipher `C`: the last block under another key. It is also the pseudorandom function of the
/// UMAC paper (CRYPTO '99, section 8.4).
pub type Fcbc<C> = Cbc<C, 'F'>;

/// XCBC over the cipher `C`: a mask xored into the last block, and one key schedule only. With AES and the
/// keys of [`rfc3566`](Key::rfc3566) it is AES-XCBC-MAC.
pub type Xcbc<C> = Cbc<C, 'X'>;

/// ECBC, FCBC or XCBC, by its first letter.
pub struct Cbc<C: BlockCipher, const VARIANT: char> {
    chain: C,
    last: Last<C>,
}

/// What is done to the last block, if it is full and if it had to be filled.
enum Last<C: BlockCipher> {
    /// ECBC: it goes through the chain and then through a cipher.
    Again([C; 2]),
    /// FCBC: through another cipher than the chain's.
    Instead([C; 2]),
    /// XCBC: a mask is xored into it.
    Masked([C::Block; 2]),
}

impl<C: BlockCipher, const VARIANT: char> Cbc<C, VARIANT> {
    /// From the three keys one after another.
    fn of_keys(cpu: Cpu, secret: &[u8]) -> Result<Self, InvalidLength> {
        const { assert!(matches!(VARIANT, 'E' | 'F' | 'X'), "there is no such variant") };
        let (k1, others) = secret.split_at_checked(C::KEY_BYTES).ok_or(InvalidLength)?;
        if !others.len().is_multiple_of(2) {
            return Err(InvalidLength);
        }
        let (k2, k3) = others.split_at(others.len() / 2);
        let last = match VARIANT {
            'E' => Last::Again([C::from_slice(cpu, k2)?, C::from_slice(cpu, k3)?]),
            'F' => Last::Instead([C::from_slice(cpu, k2)?, C::from_slice(cpu, k3)?]),
            _ => Last::Masked([mask::<C>(k2)?, mask::<C>(k3)?]),
        };
        Ok(Cbc { chain: C::from_slice(cpu, k1)?, last })
    }

    /// Encrypts sums that already have the last block in them. Of the first `full` ones it was full.
    fn finish(&self, sums: &mut [C::Block], full: usize) {
        match &self.last {
            Last::Again(ciphers) => {
                self.chain.encrypt_many(sums);
                encrypt_by_end(ciphers, sums, full);
            }
            Last::Instead(ciphers) => encrypt_by_end(ciphers, sums, full),
            Last::Masked(masks) => {
                for (i, sum) in sums.iter_mut().enumerate() {
                    *sum = sum.xor(&masks[usize::from(i >= full)]);
                }
                self.chain.encrypt_many(sums);
            }
        }
    }
}

fn mask<C: BlockCipher>(bytes: &[u8]) -> Result<C::Block, InvalidLength> {
    let mut mask = C::Block::ZERO;
    if bytes.len() != C::Block::BYTES {
        return Err(InvalidLength);
    }
    mask.as_mut().copy_from_slice(bytes);
    Ok(mask)
}

fn encrypt_by_end<C: BlockCipher>(ciphers: &[C; 2], sums: &mut [C::Block], full: usize) {
    let (full, filled) = sums.split_at_mut(full);
    ciphers[0].encrypt_many(full);
    ciphers[1].encrypt_many(filled);
}

/// A message's blocks but the last one; the last one, filled with 80 00 ... if it has to be; and whether
/// it was full.
fn split<B: CipherBlock>(message: &[u8]) -> (&[B], B, bool) {
    let (head, end) = message.split_at(message.len().saturating_sub(1) / B::BYTES * B::BYTES);
    let mut last = B::ZERO;
    last.as_mut()[..end.len()].copy_from_slice(end);
    let full = end.len() == B::BYTES;
    if !full {
        last.as_mut()[end.len()] = 0x80;
    }
    (B::split(head).0, last, full)
}

/// A message that is one of several side by side.
#[derive(Clone, Copy)]
struct Lane<'m, B> {
    /// Which message it is.
    message: usize,
    /// The blocks that are left.
    blocks: &'m [B],
}

/// The chains of up to [`MESSAGES`] messages side by side.
fn absorb_many<C: BlockCipher>(chain: &C, sums: &mut [C::Block; MESSAGES], all: &[&[C::Block]]) {
    let mut lanes = [Lane { message: 0, blocks: &[][..] }; MESSAGES];
    for (message, (lane, blocks)) in lanes.iter_mut().zip(all).enumerate() {
        *lane = Lane { message, blocks };
    }
    // Those that have blocks left are the first ones.
    let mut active = all.len();
    let mut front = *sums;
    loop {
        for i in (0..active).rev() {
            if lanes[i].blocks.is_empty() {
                active -= 1;
                lanes.swap(i, active);
                front.swap(i, active);
            }
        }
        let steps = lanes[..active].iter().map(|lane| lane.blocks.len()).min();
        let Some(steps) = steps else { break };
        if active == 1 {
            chain.chain(&mut front[0], lanes[0].blocks);
            break;
        }
        for step in 0..steps {
            for (sum, lane) in front[..active].iter_mut().zip(&lanes) {
                *sum = sum.xor(&lane.blocks[step]);
            }
            chain.encrypt_many(&mut front[..active]);
        }
        for lane in &mut lanes[..active] {
            lane.blocks = &lane.blocks[steps..];
        }
    }
    for (lane, sum) in lanes[..all.len()].iter().zip(&mut front) {
        sums[lane.message] = *sum;
        sum.zeroize();
    }
}

/// Bytes a stream holds back.
const BUFFER: usize = 64;

/// A message under way.
#[derive(Clone)]
pub struct State<B: CipherBlock> {
    sum: B,
    buffer: Buffer<BUFFER>,
}

impl<B: CipherBlock> Drop for State<B> {
    fn drop(&mut self) {
        let State { sum, buffer: _ } = self;
        sum.zeroize();
    }
}

impl<C: BlockCipher, const VARIANT: char> Engine for Cbc<C, VARIANT> {}

impl<C: BlockCipher, const VARIANT: char> Sealed for Cbc<C, VARIANT> {
    type State = State<C::Block>;

    const MOST: usize = C::Block::BYTES;

    /// The three keys one after another; of XCBC also the key of RFC 3566.
    fn from_slice(cpu: Cpu, secret: &[u8]) -> Result<Self, InvalidLength> {
        if VARIANT != 'X' || secret.len() != C::KEY_BYTES {
            return Self::of_keys(cpu, secret);
        }
        let cipher = C::from_slice(cpu, secret)?;
        let [mut k1, k2, k3] = [1, 2, 3].map(|byte| {
            let mut block = C::Block::ZERO;
            block.as_mut().fill(byte);
            cipher.encrypt(&mut block);
            block
        });
        let chain = C::from_slice(cpu, k1.as_ref());
        k1.zeroize();
        Ok(Cbc { chain: chain?, last: Last::Masked([k2, k3]) })
    }

    fn kernel(&self) -> &'static str {
        engine::kernel(self.chain.rounds().is_some())
    }

    fn kernels(cpu: Cpu) -> impl Iterator<Item = (&'static str, Cpu)> {
        engine::kernels(cpu, C::IS_AES)
    }

    fn state(&self) -> Self::State {
        State { sum: C::Block::ZERO, buffer: Buffer::new() }
    }

    fn update(&self, state: &mut Self::State, piece: &[u8]) {
        let State { sum, buffer } = state;
        buffer.update(piece, |parts| {
            self.chain.chain(sum, C::Block::split(parts.as_flattened()).0);
        });
    }

    fn tag(&self, state: &Self::State) -> Longest {
        let (blocks, last, full) = split::<C::Block>(state.buffer.last());
        let mut sum = state.sum;
        self.chain.chain(&mut sum, blocks);
        let mut sums = [sum.xor(&last)];
        self.finish(&mut sums, usize::from(full));
        sum.zeroize();
        longest(sums[0])
    }

    fn tags(&self, messages: &[&[u8]], tags: &mut [Longest]) {
        let mut blocks = [&[][..]; MESSAGES];
        let mut lasts = [(C::Block::ZERO, false); MESSAGES];
        for ((blocks, last), message) in blocks.iter_mut().zip(&mut lasts).zip(messages) {
            let (head, end, full) = split::<C::Block>(message);
            *blocks = head;
            *last = (end, full);
        }
        let mut sums = [C::Block::ZERO; MESSAGES];
        absorb_many(&self.chain, &mut sums, &blocks[..messages.len()]);

        // The full ones first, so that each key has its blocks together.
        let lasts = &lasts[..messages.len()];
        let full = lasts.iter().filter(|(_, full)| *full).count();
        let (mut order, mut next) = ([0; MESSAGES], [0, full]);
        for (message, (_, is_full)) in lasts.iter().enumerate() {
            let next = &mut next[usize::from(!is_full)];
            order[*next] = message;
            *next += 1;
        }
        let order = &order[..messages.len()];
        let mut ends = [C::Block::ZERO; MESSAGES];
        for (end, &message) in ends.iter_mut().zip(order) {
            *end = sums[message].xor(&lasts[message].0);
        }
        self.finish(&mut ends[..messages.len()], full);
        for (end, &message) in ends.iter().zip(order) {
            tags[message] = longest(end);
        }
        C::Block::flatten_mut(&mut sums).zeroize();
    }
}

impl<C: BlockCipher, const VARIANT: char> Drop for Cbc<C, VARIANT> {
    fn drop(&mut self) {
        let Cbc { chain: _, last } = self; // the ciphers wipe their own round keys
        if let Last::Masked(masks) = last {
            C::Block::flatten_mut(masks).zeroize();
        }
    }
}

impl<C: BlockCipher, const VARIANT: char> fmt::Debug for Cbc<C, VARIANT> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{VARIANT}CBC")
    }
}

/// CBC-MAC over the cipher `C` for messages of one length, a positive number of whole blocks.
///
/// **The length must be fixed by more than the message**, or whoever has the tag `T` of a block `M` knows
/// that of `M || (M xor T)`: it is `T`, too. So the key is for one length and refuses all others. For messages
/// of different lengths there are the variants beside.
///
/// ```
/// use wegman::Aes128;
/// use wegman_yardstick::cbc::{FixedLength, WrongLength};
///
/// let key = FixedLength::<Aes128, 16>::new(b"sixteen byte key", 32);
/// let tag = key.tag(&[7; 32])?;
/// assert!(key.verify(&[7; 32], &tag).is_ok());
/// assert_eq!(key.tag(&[7; 16]), Err(WrongLength));
/// # Ok::<(), WrongLength>(())
/// ```
pub struct FixedLength<C: BlockCipher, const N: usize> {
    chain: C,
    length: usize,
}

impl<C: BlockCipher, const N: usize> FixedLength<C, N> {
    /// Prepares a key for messages of `length` bytes from a uniformly random secret.
    ///
    /// # Panics
    /// If `length` is not a positive number of whole blocks.
    #[must_use]
    pub fn new(secret: &C::Key, length: usize) -> Self {
        Self::with_cpu(Cpu::detect(), secret, length)
    }

    /// The same key on a machine with fewer features.
    ///
    /// # Panics
    /// If `length` is not a positive number of whole blocks.
    #[must_use]
    pub fn with_cpu(cpu: Cpu, secret: &C::Key, length: usize) -> Self {
        const { assert!(N >= 4 && N <= C::Block::BYTES, "a tag has 4 bytes to a block") };
        let blocks = C::Block::BYTES;
        assert!(length > 0 && length.is_multiple_of(blocks), "whole blocks, and at least one");
        let chain = C::from_slice(cpu, secret.as_ref()).expect("the cipher's length");
        FixedLength { chain, length }
    }

    /// `aes` if the key uses the machine's instructions for AES, else `portable`.
    #[must_use]
    pub fn kernel(&self) -> &'static str {
        engine::kernel(self.chain.rounds().is_some())
    }

    /// Every kernel of this machine: its name, and the `Cpu` that makes a key choose it.
    pub fn kernels(cpu: Cpu) -> impl Iterator<Item = (&'static str, Cpu)> {
        engine::kernels(cpu, C::IS_AES)
    }

    /// The length of every message.
    #[must_use]
    pub fn length(&self) -> usize {
        self.length
    }

    /// The tag of a message.
    ///
    /// # Errors
    /// [`WrongLength`] if the message has another length than the key is for.
    pub fn tag(&self, message: &[u8]) -> Result<Tag<N>, WrongLength> {
        let mut tag = [Tag::from([0; N])];
        self.tag_many(&[message], &mut tag)?;
        Ok(tag[0])
    }

    /// Accepts a message only with its tag, in time that does not depend on the tag's bytes.
    ///
    /// # Errors
    /// [`TagMismatch`], without detail, if message, key and tag do not belong together; also if the
    /// message has another length than the key is for.
    pub fn verify(&self, message: &[u8], tag: &Tag<N>) -> Result<(), TagMismatch> {
        TagMismatch::unless(self.tag(message).map_err(|_| TagMismatch)? == *tag)
    }

    /// The tags of messages, eight side by side.
    ///
    /// # Errors
    /// [`WrongLength`] if one of them has another length than the key is for; then no tag is written.
    ///
    /// # Panics
    /// If `messages` and `tags` differ in length.
    pub fn tag_many(&self, messages: &[&[u8]], tags: &mut [Tag<N>]) -> Result<(), WrongLength> {
        assert_eq!(messages.len(), tags.len(), "one tag for each message");
        if messages.iter().any(|message| message.len() != self.length) {
            return Err(WrongLength);
        }
        for (messages, tags) in messages.chunks(MESSAGES).zip(tags.chunks_mut(MESSAGES)) {
            let mut blocks = [&[][..]; MESSAGES];
            for (blocks, message) in blocks.iter_mut().zip(messages) {
                *blocks = C::Block::split(message).0;
            }
            let mut sums = [C::Block::ZERO; MESSAGES];
            absorb_many(&self.chain, &mut sums, &blocks[..messages.len()]);
            for (tag, sum) in tags.iter_mut().zip(&sums) {
                *tag = engine::prefix(&longest(sum));
            }
            C::Block::flatten_mut(&mut sums).zeroize();
        }
        Ok(())
    }

    /// A message whose bytes arrive in pieces.
    #[must_use]
    pub fn stream(&self) -> FixedLengthStream<'_, C, N> {
        let state = State { sum: C::Block::ZERO, buffer: Buffer::new() };
        FixedLengthStream { key: self, state, taken: 0 }
    }
}

impl<C: BlockCipher, const N: usize> fmt::Debug for FixedLength<C, N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "cbc::FixedLength<{N}>({} bytes)", self.length)
    }
}

/// A message of fixed length under way.
pub struct FixedLengthStream<'k, C: BlockCipher, const N: usize> {
    key: &'k FixedLength<C, N>,
    state: State<C::Block>,
    taken: usize,
}

impl<C: BlockCipher, const N: usize> FixedLengthStream<'_, C, N> {
    /// Appends bytes to the message.
    ///
    /// # Errors
    /// [`WrongLength`] if it would become longer than the key is for; then nothing is appended.
    pub fn update(&mut self, piece: &[u8]) -> Result<(), WrongLength> {
        if piece.len() > self.key.length - self.taken {
            return Err(WrongLength);
        }
        self.taken += piece.len();
        let State { sum, buffer } = &mut self.state;
        buffer.update(piece, |parts| {
            self.key.chain.chain(sum, C::Block::split(parts.as_flattened()).0);
        });
        Ok(())
    }

    /// The tag of the message.
    ///
    /// # Errors
    /// [`WrongLength`] if it is shorter than the key is for.
    pub fn tag(&self) -> Result<Tag<N>, WrongLength> {
        if self.taken != self.key.length {
            return Err(WrongLength);
        }
        let mut sum = self.state.sum;
        self.key.chain.chain(&mut sum, C::Block::split(self.state.buffer.last()).0);
        Ok(engine::prefix(&longest(sum)))
    }

    /// Accepts the message only with its tag.
    ///
    /// # Errors
    /// [`TagMismatch`], without detail, if message, key and tag do not belong together; also if the message
    /// is shorter than the key is for.
    pub fn verify(&self, tag: &Tag<N>) -> Result<(), TagMismatch> {
        TagMismatch::unless(self.tag().map_err(|_| TagMismatch)? == *tag)
    }

    /// Forgets the message so far.
    pub fn reset(&mut self) {
        self.state = State { sum: C::Block::ZERO, buffer: Buffer::new() };
        self.taken = 0;
    }
}

impl<C: BlockCipher, const N: usize> fmt::Debug for FixedLengthStream<'_, C, N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "cbc::FixedLengthStream<{N}>")
    }
}

/// A message of another length than the key is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WrongLength;

impl fmt::Display for WrongLength {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("this key is for messages of another length")
    }
}

impl core::error::Error for WrongLength {}
