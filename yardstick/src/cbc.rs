//! CBC-MAC, and its variants for messages of any length: ECBC, FCBC, XCBC (Black and Rogaway, "CBC MACs for
//! arbitrary-length messages: the three-key constructions", CRYPTO 2000).
//!
//! ```text
//! message - blocks - xor - E1 -+-> last block: E1, E2 | E2 | xor k2, E1   if the message ends with a block
//!                     ^--------+               E1, E3 | E3 | xor k3, E1   if 80 00 ... had to fill it
//! ```
//!
//! CMAC (RFC 4493, NIST SP 800-38B) is XCBC with masks that are computed from the cipher's key: k2 is E1(0) doubled,
//! and k3 is k2 doubled. It is here for peers that require it.
//!
//! **Bound.** Over `q` messages of up to `m` blocks of `n` bits, all three can be distinguished from a random function
//! with advantage at most `(m q)^2 / 2^n`, with one more block for each message in ECBC
//! (`wegman_catalogue::bounds::theorems::cbc`), plus the advantage of distinguishing the cipher from a random
//! permutation. Each forgery attempt on an `N`-byte tag adds `2^-8N`.

use crate::engine::{self, Engine, Longest, longest};
use core::fmt;
use wegman::cipher::{BlockCipher, CipherBlock};
use wegman::hazmat::buffer::Buffer;
use wegman::{Cpu, InvalidLength, Tag, TagMismatch};
use zeroize::Zeroize;

/// ECBC over the cipher `C`: CBC-MAC, encrypted once more.
pub type Ecbc<C> = Cbc<C, 'E'>;

/// FCBC over the cipher `C`: the last block goes through the cipher under another key. It is also the pseudorandom
/// function of the UMAC paper (CRYPTO '99, section 8.4).
pub type Fcbc<C> = Cbc<C, 'F'>;

/// XCBC over the cipher `C`: a mask is xored into the last block, and there is only one key schedule. With AES and
/// a key of 16 bytes, from which its three keys are derived as in RFC 3566, it is AES-XCBC-MAC.
pub type Xcbc<C> = Cbc<C, 'X'>;

/// CMAC over the cipher `C`, also called OMAC1: XCBC with one key.
pub type Cmac<C> = Cbc<C, 'C'>;

/// ECBC, FCBC, XCBC or CMAC, by its first letter.
pub struct Cbc<C: BlockCipher, const VARIANT: char> {
    chain: C,
    last: Last<C>,
}

/// How the last block is treated: the first entry is for a full block, the second for a padded one.
enum Last<C: BlockCipher> {
    /// ECBC: the block goes through the chain, and the result through another cipher.
    Again([C; 2]),
    /// FCBC: the block goes through another cipher in place of the chain's.
    Instead([C; 2]),
    /// XCBC and CMAC: a mask is xored into the block.
    Masked([C::Block; 2]),
}

impl<C: BlockCipher, const VARIANT: char> Cbc<C, VARIANT> {
    /// From the concatenation of the three keys.
    fn of_keys(cpu: Cpu, secret: &[u8]) -> Result<Self, InvalidLength> {
        const { assert!(matches!(VARIANT, 'E' | 'F' | 'X' | 'C'), "there is no such variant") };
        let (k1, others) = secret.split_at_checked(C::KEY_BYTES).ok_or(InvalidLength)?;
        if !others.len().is_multiple_of(2) {
            return Err(InvalidLength);
        }
        let (k2, k3) = others.split_at(others.len() / 2);
        let ciphers = || Ok::<_, InvalidLength>([C::from_slice(cpu, k2)?, C::from_slice(cpu, k3)?]);
        let last = match VARIANT {
            'E' => Last::Again(ciphers()?),
            'F' => Last::Instead(ciphers()?),
            _ => Last::Masked([mask::<C>(k2)?, mask::<C>(k3)?]),
        };
        Ok(Cbc { chain: C::from_slice(cpu, k1)?, last })
    }

    /// CMAC's key: the masks are the encrypted zero block times x and times x^2.
    fn of_one_key(cpu: Cpu, secret: &[u8]) -> Result<Self, InvalidLength> {
        let chain = C::from_slice(cpu, secret)?;
        let mut zero = C::Block::ZERO;
        chain.encrypt(&mut zero);
        let mut k2 = zero.double();
        zero.zeroize();
        let last = Last::Masked([k2, k2.double()]);
        k2.zeroize();
        Ok(Cbc { chain, last })
    }

    /// The tag of a message that ends with the bytes `end`, given the sum of what came before.
    fn finish(&self, mut sum: C::Block, end: &[u8]) -> Longest {
        let (blocks, last, full) = split::<C::Block>(end);
        self.chain.chain(&mut sum, blocks);
        sum = sum.xor(&last);
        let end = usize::from(!full);
        match &self.last {
            Last::Again(ciphers) => {
                self.chain.encrypt(&mut sum);
                ciphers[end].encrypt(&mut sum);
            }
            Last::Instead(ciphers) => ciphers[end].encrypt(&mut sum),
            Last::Masked(masks) => {
                sum = sum.xor(&masks[end]);
                self.chain.encrypt(&mut sum);
            }
        }
        let tag = longest(sum);
        sum.zeroize();
        tag
    }
}

fn mask<C: BlockCipher>(bytes: &[u8]) -> Result<C::Block, InvalidLength> {
    match C::Block::split(bytes) {
        ([block], []) => Ok(*block),
        _ => Err(InvalidLength),
    }
}

/// The blocks of a message before the last; the last one, padded with 80 00 ... if it is incomplete; and whether it
/// was full.
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

/// How many bytes a stream holds back.
const BUFFER: usize = 64;

/// The state of a stream.
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

impl<C: BlockCipher, const VARIANT: char> Engine for Cbc<C, VARIANT> {
    type State = State<C::Block>;

    const MOST: usize = C::Block::BYTES;

    const IS_AES: bool = C::IS_AES;

    /// From the concatenation of the three keys, or, for XCBC, also from the key of RFC 3566. CMAC has one key.
    fn from_slice(cpu: Cpu, secret: &[u8]) -> Result<Self, InvalidLength> {
        if VARIANT == 'C' {
            return Self::of_one_key(cpu, secret);
        }
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

    fn uses_aes(&self) -> bool {
        self.chain.rounds().is_some()
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
        self.finish(state.sum, state.buffer.last())
    }

    fn tag_of(&self, message: &[u8]) -> Longest {
        self.finish(C::Block::ZERO, message)
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
        match VARIANT {
            'C' => f.write_str("CMAC"),
            _ => write!(f, "{VARIANT}CBC"),
        }
    }
}

/// CBC-MAC over the cipher `C` for messages of one length, a positive number of whole blocks.
///
/// **The key must fix the length.** Anyone who has the tag `T` of a one-block message `M` also has the tag of
/// `M || (M xor T)`, which is `T` again. So each key accepts only one length. For messages of different
/// lengths use ECBC, FCBC or XCBC.
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

    /// [`new`](Self::new) with at most the features of `cpu`: the same tags, perhaps from another kernel.
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

    /// Every kernel that this machine can run: its name, and the `Cpu` with which a key chooses it.
    pub fn kernels(cpu: Cpu) -> impl Iterator<Item = (&'static str, Cpu)> {
        engine::kernels(cpu, C::IS_AES)
    }

    /// The length of every message in bytes.
    #[must_use]
    pub fn length(&self) -> usize {
        self.length
    }

    /// The tag of a message.
    ///
    /// # Errors
    /// [`WrongLength`] if the message does not have the key's length.
    pub fn tag(&self, message: &[u8]) -> Result<Tag<N>, WrongLength> {
        if message.len() != self.length {
            return Err(WrongLength);
        }
        let mut sum = C::Block::ZERO;
        self.chain.chain(&mut sum, C::Block::split(message).0);
        let tag = engine::prefix(&longest(sum));
        sum.zeroize();
        Ok(tag)
    }

    /// Accepts a message only with its tag. The time does not depend on the tag's bytes.
    ///
    /// # Errors
    /// [`TagMismatch`], without detail, if message, key and tag do not belong together, or if the message does not have
    /// the key's length.
    pub fn verify(&self, message: &[u8], tag: &Tag<N>) -> Result<(), TagMismatch> {
        TagMismatch::unless(self.tag(message).map_err(|_| TagMismatch)? == *tag)
    }
}

impl<C: BlockCipher, const N: usize> fmt::Debug for FixedLength<C, N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "cbc::FixedLength<{N}>({} bytes)", self.length)
    }
}

wegman::error! {
    /// The message does not have the length that the key is for.
    pub struct WrongLength = "this key is for messages of another length";
}
