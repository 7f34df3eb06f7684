//! UMAC of 1999 (CRYPTO '99, full version, section 2): UMAC-STD-30 and -60, UMAC-MMX-15, -30 and -60, and the
//! illustrative case of the paper's Figure 1.
//!
//! ```text
//! message - block_hash of each 4096 bytes -> HM - prf(HM, length, nonce) -> tag
//! secret - prg -^------------------------------^
//! ```
//!
//! Use it to check old tags and to reproduce what the authors measured. New designs use [`umac`](wegman::umac). The tag
//! is not the xor of a hash and a pad, as in later editions. It is a pseudorandom function of hash and nonce: HMAC-SHA1
//! in the STD sets, a CBC-MAC of RC6 in the MMX sets. So a nonce used twice reveals less. Where the paper leaves
//! something open, this follows the authors' code 0.25.05.
//!
//! **Bound.** At least one of `v` forgery attempts succeeds with probability at most about `v * 2^-30` (STD-30,
//! MMX-30), `v * 2^-60` (STD-60, MMX-60) or `v * 2^-15` (MMX-15), plus the advantage of telling the PRF from a random
//! function, *if no nonce is used twice under one key* (section 2.2; Theorems 5.2, 5.4 and 8.2).
//!
//! **Short messages** ([`Set::MIN_MESSAGE`]) go to the PRF unhashed and without the nonce. The same short message
//! always has the same tag: to detect a repetition, more than the tag is needed.
//!
//! ```
//! use wegman_historical::Umac1999;
//! use wegman_historical::umac_1999::Std30;
//!
//! let key = Umac1999::<Std30>::new(b"a secret of 20 bytes");
//! let (count, message) = (1, [7; 100]); // no count twice under one key
//! let tag = key.tag(count, &message);
//! assert!(key.verify(count, &message, &tag).is_ok());
//! ```

pub(crate) mod block_hash;
mod figure_1;
pub(crate) mod nh;
mod prf;
pub mod quirks;

pub use figure_1::Figure1;

use block_hash::{BLOCK, BlockHash, MAX_BYTES};
use core::borrow::Borrow;
use core::fmt;
use prf::{CbcRc6, HmacSha1, Index, Input, Prf};
use quirks::Padding;
use wegman::hazmat::buffer::{Buffer, not_last};
use wegman::hazmat::ct::wipe;
use wegman::{Cpu, InvalidLength, Tag, TagMismatch};
use zeroize::ZeroizeOnDrop;

/// One of the five named sets of parameters. No other type can be one.
pub trait Set: sealed::Sealed + Clone + 'static {
    /// Its name in the paper.
    const NAME: &'static str;

    /// Bytes of the secret.
    const KEY_BYTES: usize;

    /// Shorter messages, in bytes, are not hashed and their tag does not depend on the nonce.
    const MIN_MESSAGE: usize = Self::Hash::MIN_MESSAGE;

    /// The hash is 2^-`EXPONENT`-almost-universal.
    const EXPONENT: u32;

    /// Whether the pseudorandom function is HMAC-SHA1, not the CBC-MAC of RC6. Its tags are as long as the secret.
    const IS_HMAC: bool = Self::KEY_BYTES == 20;

    /// The type of the secret: `[u8; 20]` or `[u8; 16]`.
    type Secret: AsRef<[u8]>;

    /// The type of the tag: [`Tag<20>`](Tag) or `Tag<16>`.
    type Tag: Copy + Eq + fmt::Debug + fmt::Display;

    #[doc(hidden)]
    type Hash: BlockHash;
    #[doc(hidden)]
    type Prf: Prf<Output = Self::Tag>;
}

mod sealed {
    pub trait Sealed {}
}

macro_rules! set {
    ($(#[$doc:meta])* $name:ident, $text:literal, $exponent:literal, $bytes:literal, $hash:ty, $prf:ty) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum $name {}

        impl sealed::Sealed for $name {}

        impl Set for $name {
            const NAME: &'static str = $text;
            const KEY_BYTES: usize = $bytes;
            const EXPONENT: u32 = $exponent;
            type Secret = [u8; $bytes];
            type Tag = Tag<$bytes>;

            type Hash = $hash;
            type Prf = $prf;
        }
    };
}

set!(
    /// UMAC-STD-30: words of 32 bits, one output of 64.
    Std30, "UMAC-STD-30", 30, 20, block_hash::Std<1>, HmacSha1
);
set!(
    /// UMAC-STD-60: words of 32 bits, two outputs.
    Std60, "UMAC-STD-60", 60, 20, block_hash::Std<2>, HmacSha1
);
set!(
    /// UMAC-MMX-15: words of 16 bits, one output of 32.
    Mmx15, "UMAC-MMX-15", 15, 16, block_hash::Mmx<1>, CbcRc6
);
set!(
    /// UMAC-MMX-30: words of 16 bits, two outputs.
    Mmx30, "UMAC-MMX-30", 30, 16, block_hash::Mmx<2>, CbcRc6
);
set!(
    /// UMAC-MMX-60: words of 16 bits, four outputs.
    Mmx60, "UMAC-MMX-60", 60, 16, block_hash::Mmx<4>, CbcRc6
);

/// A key of a set. Making a key costs one SHA-1 call for each 20 bytes of a hash key of 400 bytes (STD), or one RC6
/// call for each 16 bytes of a hash key of 4 KiB (MMX).
#[derive(Clone)]
pub struct Umac1999<S: Set> {
    hash: S::Hash,
    prf: S::Prf,
}

// Both parts wipe themselves.
impl<S: Set> ZeroizeOnDrop for Umac1999<S> {}

impl<S: Set> Umac1999<S> {
    /// Derives the subkeys from a uniformly random secret.
    #[must_use]
    pub fn new(secret: &S::Secret) -> Self {
        Self::from_slice(secret.as_ref()).expect("its type gives the secret the set's length")
    }

    /// [`new`](Self::new) from a slice.
    ///
    /// # Errors
    /// [`InvalidLength`] if `secret` does not have [`Set::KEY_BYTES`].
    pub fn from_slice(secret: &[u8]) -> Result<Self, InvalidLength> {
        Self::from_slice_with_cpu(Cpu::detect(), secret)
    }

    /// The same key on a machine with fewer features: the same tags, from another kernel.
    ///
    /// # Errors
    /// [`InvalidLength`] if `secret` does not have [`Set::KEY_BYTES`].
    pub fn from_slice_with_cpu(cpu: Cpu, secret: &[u8]) -> Result<Self, InvalidLength> {
        Self::derive(cpu, secret, Padding::Paper)
    }

    fn derive(cpu: Cpu, secret: &[u8], padding: Padding) -> Result<Self, InvalidLength> {
        let fill = S::Prf::generator(cpu, secret)?;
        Ok(Umac1999 {
            hash: S::Hash::derive(cpu, |bytes| fill(Index::Hash, bytes)),
            prf: S::Prf::derive(cpu, padding, |bytes| fill(Index::Prf, bytes)),
        })
    }

    /// The name of the hash's kernel, for example `portable`.
    #[must_use]
    pub fn kernel(&self) -> &'static str {
        self.hash.kernel()
    }

    /// Every kernel of this machine: its name, and the `Cpu` that makes a key choose it.
    pub fn kernels(cpu: Cpu) -> impl Iterator<Item = (&'static str, Cpu)> {
        S::Hash::kernels(cpu)
    }

    /// The tag of a message. The nonce has 64 bits: a counter, never the same twice under one key.
    #[must_use]
    pub fn tag(&self, nonce: u64, message: &[u8]) -> S::Tag {
        let (blocks, last) = not_last(message);
        let mut hashed = self.prf.start(Input::Hashed);
        self.absorb(&mut hashed, blocks);
        self.finish(hashed, blocks.is_empty(), last, nonce)
    }

    /// Accepts a message only if the tag is right, in time that does not depend on the tag's bytes.
    ///
    /// # Errors
    /// [`TagMismatch`], without detail, if message, nonce, key and tag do not belong together.
    pub fn verify(&self, nonce: u64, message: &[u8], tag: &S::Tag) -> Result<(), TagMismatch> {
        TagMismatch::unless(self.tag(nonce, message) == *tag)
    }

    /// A message whose bytes arrive in pieces.
    #[must_use]
    pub fn stream(&self) -> Stream<&Self, S> {
        Stream::new(self)
    }

    /// Takes blocks, none of which is the last.
    fn absorb(&self, hashed: &mut State<S>, blocks: &[[u8; BLOCK]]) {
        blocks.iter().for_each(|block| self.absorb_one(hashed, block));
    }

    fn absorb_one(&self, hashed: &mut State<S>, block: &[u8]) {
        let mut hash = [0; MAX_BYTES];
        let hash_of_set = &mut hash[..S::Hash::BYTES];
        self.hash.hash(block, hash_of_set);
        self.prf.update(hashed, hash_of_set);
        wipe(&mut hash);
    }

    /// Takes the last block, which is empty only if the message is. `is_first` says that it is the whole message.
    fn finish(&self, mut hashed: State<S>, is_first: bool, last: &[u8], nonce: u64) -> S::Tag {
        if is_first && last.len() < S::MIN_MESSAGE {
            let mut short = self.prf.start(Input::Short);
            self.prf.update(&mut short, last);
            return self.prf.finish(short);
        }
        self.absorb_one(&mut hashed, last);
        // The length in bits of the last block, 0 if it is full; the nonce without its leading zero bytes, but at
        // least one byte; and the number of these bytes.
        let bits = 8 * (last.len() % BLOCK) as u16;
        let zeroes = (nonce.leading_zeros() / 8).min(7) as usize;
        self.prf.update(&mut hashed, &bits.to_be_bytes());
        self.prf.update(&mut hashed, &nonce.to_be_bytes()[zeroes..]);
        self.prf.update(&mut hashed, &[8 - zeroes as u8]);
        self.prf.finish(hashed)
    }
}

/// The blocks that the PRF sees of a message: of 64 bytes with HMAC-SHA1, of 16 with the CBC-MAC.
#[must_use]
pub const fn prf_blocks<S: Set>(bytes: u128) -> u128 {
    // 30 bits of the bound are worth a hash of 64 bits, 15 one of 32.
    let hash_bytes = (S::EXPONENT * 4 / 15) as u128;
    // A message from this length on is hashed; a shorter one is the input of the function.
    let hashed_from = if S::IS_HMAC { 56 } else { 33 };
    // The hashes, the length of the last block, the nonce and its length.
    let hashed = bytes.div_ceil(4096).saturating_mul(hash_bytes).saturating_add(2 + 8 + 1);
    let short = if bytes < hashed_from { bytes } else { hashed_from - 1 };
    let input = if bytes < hashed_from || hashed < short { short } else { hashed };
    // One block before the input separates the two functions. HMAC pads with a bit 1 and 64 bits of length.
    1 + if S::IS_HMAC { (input + 9).div_ceil(64) } else { input.div_ceil(16) }
}

/// The cipher calls of the subkeys of a set with RC6: at most 4096 + 48 bytes for the hash and three keys of the CBC-MAC.
#[must_use]
pub const fn subkey_blocks<S: Set>() -> u32 {
    (4096 + 16 * (S::EXPONENT * 4 / 15 / 4 - 1)) / 16 + 3
}

impl<S: Set> fmt::Debug for Umac1999<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Umac1999({}, {})", S::NAME, self.kernel())
    }
}

/// The PRF's input under way.
type State<S> = <<S as Set>::Prf as Prf>::State;

/// A message under way: any split of a message into pieces gives the same tag.
///
/// `K` is the key or anything that lends it: `&Key`, `Arc<Key>`, or the key itself.
#[derive(Clone)]
pub struct Stream<K, S: Set> {
    key: K,
    /// The hashes of the blocks so far.
    hashed: State<S>,
    /// Whether no block has been hashed yet.
    is_first: bool,
    buffer: Buffer<BLOCK>,
}

impl<K: Borrow<Umac1999<S>>, S: Set> Stream<K, S> {
    /// Starts a stream that keeps `key`.
    #[must_use]
    pub fn new(key: K) -> Self {
        let hashed = key.borrow().prf.start(Input::Hashed);
        Stream { key, hashed, is_first: true, buffer: Buffer::new() }
    }

    /// Appends bytes to the message.
    pub fn update(&mut self, piece: &[u8]) {
        let Stream { key, hashed, is_first, buffer } = self;
        let key = (*key).borrow();
        buffer.update(piece, |blocks| {
            *is_first = false;
            key.absorb(hashed, blocks);
        });
    }

    /// The tag of the message.
    #[must_use]
    pub fn finish(self, nonce: u64) -> S::Tag {
        self.tag(nonce)
    }

    /// [`finish`](Self::finish), after which the stream starts again with an empty message.
    #[must_use]
    pub fn finish_reset(&mut self, nonce: u64) -> S::Tag {
        let tag = self.tag(nonce);
        self.reset();
        tag
    }

    fn tag(&self, nonce: u64) -> S::Tag {
        let Stream { key, hashed, is_first, buffer } = self;
        key.borrow().finish(hashed.clone(), *is_first, buffer.last(), nonce)
    }

    /// Accepts the message so far only if the tag is right.
    ///
    /// # Errors
    /// [`TagMismatch`], without detail, if message, nonce, key and tag do not belong together.
    pub fn verify(&self, nonce: u64, tag: &S::Tag) -> Result<(), TagMismatch> {
        TagMismatch::unless(self.tag(nonce) == *tag)
    }

    /// Forgets the message so far.
    pub fn reset(&mut self) {
        self.hashed = self.key.borrow().prf.start(Input::Hashed);
        self.is_first = true;
        self.buffer.clear();
    }
}

impl<K, S: Set> fmt::Debug for Stream<K, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "umac_1999::Stream({})", S::NAME)
    }
}
