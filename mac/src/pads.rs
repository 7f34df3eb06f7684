//! Pads: nonce to block, block to pad with one AES call (RFC 4418, section 3.3).
//!
//! Pads of 2, 4 or 8 bytes are parts of a block. The low bits of the nonce select the part, so neighbouring nonces
//! share an AES call. A longer pad has a block of its own. `pad_bytes` is a constant of the MAC.

#[cfg(target_arch = "x86_64")]
pub mod x86;

use crate::cipher::{Block, BlockCipher};
use crate::ct::wipe;
use crate::nonce::{Nonce, PadInput};

/// How many pads are made at a time.
pub const PADS: usize = 32;

/// The block to encrypt for a nonce, with its first byte lowest, and the byte at which the pad begins.
#[inline]
pub fn block(nonce: &impl PadInput, pad_bytes: usize) -> (u128, usize) {
    let (block, part) = nonce.block(part_bits(pad_bytes));
    (block, part * pad_bytes)
}

/// How many low bits of a nonce select the part of the block that is its pad.
#[inline]
const fn part_bits(pad_bytes: usize) -> usize {
    match pad_bytes {
        2 => 3,
        4 => 2,
        8 => 1,
        _ => 0,
    }
}

/// The byte shuffle that moves byte `start` of a block and those after it to the beginning.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
#[inline]
pub(crate) fn order_from(start: usize) -> &'static [u8; 16] {
    static ORDERS: [u8; 32] = {
        let mut orders = [0; 32];
        let mut i = 0;
        while i < 32 {
            orders[i] = i as u8 % 16;
            i += 1;
        }
        orders
    };
    ORDERS[start % 16..].first_chunk().expect("16 bytes from each of 16 places")
}

/// The encrypted `block` from byte `start` on, that byte lowest. A pad is its first bytes; what is above them is the rest
/// of the block, of pads of other nonces.
pub fn pad(cipher: &impl BlockCipher<Block = Block>, block: u128, start: usize) -> u128 {
    let mut bytes = block.to_le_bytes();
    cipher.encrypt(&mut bytes);
    let pad = u128::from_le_bytes(bytes) >> (8 * start);
    wipe(&mut bytes); // they may hold the pads of neighbouring nonces
    pad
}

/// Encrypts the first `count` blocks, each two little-endian words.
pub fn encrypt(aes: &impl BlockCipher<Block = Block>, words: &mut [u64; 2 * PADS], count: usize) {
    let words = &mut words.as_chunks_mut::<2>().0[..count];
    let mut blocks = [[0; 16]; PADS];
    let blocks = &mut blocks[..count];
    for (block, words) in blocks.iter_mut().zip(&*words) {
        block.as_chunks_mut().0.copy_from_slice(&words.map(u64::to_le_bytes));
    }
    aes.encrypt_many(blocks);
    for (block, words) in blocks.iter().zip(words) {
        *words = [0, 1].map(|i| u64::from_le_bytes(block.as_chunks().0[i]));
    }
    blocks.fill([0; 16]);
    core::hint::black_box(blocks);
}

/// The blocks of a nonce and those after it, counted and not stored: a kernel that loads what was stored a moment ago
/// has to wait. After the last nonce of its length they are unspecified.
///
/// # Bounds
/// `shift` is below 128, since a nonce has a byte at least, so no function shifts by too much. `part` is below 8. Sums
/// wrap only after the last nonce; [`reach`](Self::reach) says whether they do.
///
/// The two words of `first` are no neighbours in memory: a load of both would have to wait for the stores of each.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Blocks {
    /// The upper word of `first`, which is the first block as a number, its first byte highest.
    high: u64,
    /// The logarithm of the distance from one block to the next: at most 59, or 64 and more.
    shift: u64,
    /// The lower word of `first`.
    low: u64,
    /// How many pads of the first block come before that of the first nonce.
    part: usize,
}

impl Blocks {
    /// From this nonce on.
    #[inline]
    #[must_use]
    pub fn new(first: &impl PadInput, pad_bytes: usize) -> Self {
        let bits = part_bits(pad_bytes);
        let (block, part) = first.block(bits);
        let length = first.to_nonce().len();
        let shift = (8 * (Nonce::MAX - length) + bits) as u64;
        Blocks { high: 0, shift, low: 0, part }.with_first(block.swap_bytes())
    }

    #[inline]
    fn first(&self) -> u128 {
        u128::from(self.high) << 64 | u128::from(self.low)
    }

    #[inline]
    fn with_first(self, first: u128) -> Self {
        Blocks { high: (first >> 64) as u64, low: first as u64, ..self }
    }

    /// What [`block`] says of the next nonce.
    #[inline]
    #[must_use]
    pub fn next(&mut self, pad_bytes: usize) -> (u128, usize) {
        let (block, start) = (self.first().swap_bytes(), self.part * pad_bytes);
        self.part += 1;
        if self.part >> part_bits(pad_bytes) > 0 {
            self.part = 0;
            *self = self.with_first(self.first().wrapping_add(1 << self.shift));
        }
        (block, start)
    }

    /// Whether there is a nonce number `i` from the next on.
    #[inline]
    #[must_use]
    pub fn reach(&self, i: usize, pad_bytes: usize) -> bool {
        // Almost always: what is added is below 2^(32 + 1 + 67).
        if self.high >> 60 < 0xf && self.shift <= 67 && i as u64 >> 32 == 0 {
            return true;
        }
        let blocks = (self.part as u128 + i as u128) >> part_bits(pad_bytes);
        let added = blocks << self.shift;
        added >> self.shift == blocks && self.first().checked_add(added).is_some()
    }

    /// The blocks after those of `count` nonces.
    #[inline]
    #[must_use]
    pub fn after(self, count: usize, pad_bytes: usize) -> Self {
        let (i, bits) = (self.part + count, part_bits(pad_bytes));
        let first = self.first().wrapping_add(((i >> bits) as u128) << self.shift);
        Blocks { part: i & ((1 << bits) - 1), ..self }.with_first(first)
    }

    /// The first `L` blocks.
    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
    #[inline]
    pub(crate) fn some<const L: usize>(&self) -> [u128; L] {
        let mut next = self.first();
        core::array::from_fn(|_| {
            let block = next.swap_bytes();
            next = next.wrapping_add(1 << self.shift);
            block
        })
    }

    /// How many nonces come before one whose pad begins a block.
    #[inline]
    #[must_use]
    pub fn before_a_block(&self, pad_bytes: usize) -> usize {
        self.part.wrapping_neg() % (1 << part_bits(pad_bytes))
    }
}

/// The bytes of a number, the lowest first.
#[inline]
pub fn first_bytes<const N: usize>(number: u128) -> [u8; N] {
    *number.to_le_bytes().first_chunk().expect("a tag has at most 16 bytes")
}

/// The pads of [`PADS`] consecutive nonces: encrypted blocks as little-endian words. Wiped on drop.
pub struct Pads {
    words: [u64; 2 * PADS],
    /// The byte at which the first pad begins.
    start: usize,
}

impl Pads {
    /// All zeroes.
    #[must_use]
    #[inline]
    pub const fn new() -> Self {
        Pads { words: [0; 2 * PADS], start: 0 }
    }

    /// Makes the pads of `count` nonces, 1 to [`PADS`], from their blocks. `encrypt` receives the words of the blocks, and
    /// the number of blocks that it must encrypt.
    #[inline]
    pub fn fill(
        &mut self,
        blocks: &Blocks,
        count: usize,
        pad_bytes: usize,
        encrypt: impl FnOnce(&mut [u64; 2 * PADS], usize),
    ) {
        let bits = part_bits(pad_bytes);
        let count = ((blocks.part + count - 1) >> bits) + 1;
        for (i, words) in self.words.as_chunks_mut().0[..count].iter_mut().enumerate() {
            let block = blocks.first().wrapping_add((i as u128) << blocks.shift).swap_bytes();
            *words = [block as u64, (block >> 64) as u64];
        }
        encrypt(&mut self.words, count);
        self.start = blocks.part * pad_bytes;
    }

    /// Pad number `i`.
    #[must_use]
    #[inline]
    pub fn at(&self, i: usize, pad_bytes: usize) -> u128 {
        let apart = if part_bits(pad_bytes) == 0 { 16 } else { pad_bytes };
        let place = self.start + i * apart;
        let low = self.words[place / 8];
        let high = self.words.get(place / 8 + 1).copied().unwrap_or_default();
        (u128::from(high) << 64 | u128::from(low)) >> (8 * (place % 8))
    }
}

impl Drop for Pads {
    #[inline]
    fn drop(&mut self) {
        let Pads { words, start: _ } = self;
        wipe(words);
    }
}

/// Pads made ahead for the nonces that come next.
#[cfg(any(feature = "hazmat", feature = "session"))]
pub struct Ahead {
    pads: Pads,
    /// How many of the pads are used.
    spent: usize,
}

/// No pads yet.
#[cfg(any(feature = "hazmat", feature = "session"))]
impl Default for Ahead {
    #[inline]
    fn default() -> Self {
        Ahead { pads: Pads::new(), spent: PADS }
    }
}

#[cfg(any(feature = "hazmat", feature = "session"))]
impl Ahead {
    /// The pad of `nonce`. It must be the nonce after that of the last call, except on the first call and after
    /// [`forget`](Self::forget). `encrypt` receives the words of the blocks and how many of them to encrypt.
    #[inline]
    pub fn pad(
        &mut self,
        nonce: &Nonce,
        pad_bytes: usize,
        encrypt: impl FnOnce(&mut [u64; 2 * PADS], usize),
    ) -> u128 {
        if self.spent == PADS {
            // There may be fewer nonces left than pads, but then the caller stops before the surplus.
            self.pads.fill(&Blocks::new(nonce, pad_bytes), PADS, pad_bytes, encrypt);
            self.spent = 0;
        }
        let pad = self.pads.at(self.spent, pad_bytes);
        self.spent += 1;
        pad
    }

    /// Discards the pads: the next nonce may be any.
    #[inline]
    pub fn forget(&mut self) {
        self.spent = PADS;
    }
}
