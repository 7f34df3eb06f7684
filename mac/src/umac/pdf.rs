//! PDF: nonce to pad, one AES call (RFC 4418, section 3.3).
//!
//! Pads of 2, 4 or 8 bytes are parts of a block: the nonce's low bits say which part, so that
//! neighbours share one AES call.

#[cfg(target_arch = "x86_64")]
pub(crate) mod x86;

use crate::cipher::{Block, BlockCipher};
use crate::nonce::Nonce;
use crate::umac::first_bytes;
use crate::umac::packet::LANES;
pub(crate) use crate::wipe::wipe;

/// How many pads are made at a time.
pub(crate) const PADS: usize = 32;

/// The block to encrypt for a nonce, its first byte lowest, and the byte at which its pad begins.
#[inline]
pub(crate) fn block<const N: usize>(nonce: &Nonce) -> (u128, usize) {
    let (block, part) = nonce.block(part_bits(N));
    (block, part * N)
}

/// How many low bits of a nonce tell which part of a block is its pad of `pad_bytes` bytes.
const fn part_bits(pad_bytes: usize) -> usize {
    match pad_bytes {
        2 => 3,
        4 => 2,
        8 => 1,
        _ => 0,
    }
}

/// The pad of a nonce.
pub(crate) fn pad<const N: usize>(aes: &impl BlockCipher<Block = Block>, nonce: &Nonce) -> [u8; N] {
    let (block, start) = block::<N>(nonce);
    let mut bytes = block.to_le_bytes();
    aes.encrypt(&mut bytes);
    let pad = *bytes[start..].first_chunk().expect("a pad is part of a block");
    wipe(&mut bytes); // it may hold the pads of the neighbouring nonces
    pad
}

/// Encrypts blocks of little-endian words.
pub(crate) fn encrypt(aes: &impl BlockCipher<Block = Block>, words: &mut [[u64; 2]]) {
    let mut blocks = [[0; 16]; PADS];
    for (block, words) in blocks.iter_mut().zip(&*words) {
        block.as_chunks_mut().0.copy_from_slice(&words.map(u64::to_le_bytes));
    }
    aes.encrypt_many(&mut blocks[..words.len()]);
    for (block, words) in blocks.iter().zip(words) {
        *words = [0, 1].map(|i| u64::from_le_bytes(block.as_chunks().0[i]));
    }
    wipe(&mut blocks);
}

/// How many messages, beginning with this nonce, come before one whose pad begins a block.
pub(crate) fn before_a_block<const N: usize>(nonce: &Nonce) -> usize {
    let (_, part) = nonce.block(part_bits(N));
    part.wrapping_neg() % (1 << part_bits(N))
}

/// The blocks of the nonces of eight messages, as little-endian words; fewer if they share blocks.
pub(crate) type Blocks = [u64; 2 * LANES];

/// Gives the different blocks of this nonce and those after it, as little-endian words.
pub(crate) fn blocks<const N: usize>(first: &Nonce) -> impl FnMut() -> [u64; 2] + use<N> {
    first.blocks(part_bits(N))
}

/// Fills in the next blocks for eights of messages.
#[inline]
pub(crate) fn blocks_of_eights<const N: usize>(
    next: &mut impl FnMut() -> [u64; 2],
    eights: &mut [Blocks],
) {
    for blocks in eights {
        for block in &mut blocks.as_chunks_mut().0[..LANES >> part_bits(N)] {
            *block = next();
        }
    }
}

/// The pads of [`PADS`] consecutive nonces: encrypted blocks as little-endian words.
pub(crate) struct Pads<const N: usize> {
    words: [u64; 2 * PADS],
    /// The byte at which the first pad begins.
    start: usize,
}

impl<const N: usize> Pads<N> {
    /// All zeroes.
    pub(crate) const fn new() -> Self {
        Pads { words: [0; 2 * PADS], start: 0 }
    }

    /// Makes the pads of `first` and the nonces after it. `encrypt` is given words of blocks and how
    /// many of the blocks count.
    pub(crate) fn fill(
        &mut self,
        first: &Nonce,
        encrypt: impl FnOnce(&mut [u64; 2 * PADS], usize),
    ) {
        let bits = part_bits(N);
        let (_, part) = first.block(bits);
        let count = ((part + PADS - 1) >> bits) + 1;
        let mut next = first.blocks(bits);
        self.words.as_chunks_mut().0[..count].iter_mut().for_each(|words| *words = next());
        encrypt(&mut self.words, count);
        self.start = part * N;
    }

    /// Pad number `i`.
    #[inline]
    pub(crate) fn at(&self, i: usize) -> [u8; N] {
        // Pads of 12 bytes have a block each.
        let place = self.start + i * if N == 12 { 16 } else { N };
        let low = self.words[place / 8];
        let high = self.words.get(place / 8 + 1).copied().unwrap_or_default();
        first_bytes((u128::from(high) << 64 | u128::from(low)) >> (8 * (place % 8)))
    }

    pub(crate) fn wipe(&mut self) {
        wipe(&mut self.words);
    }
}

/// Pads of the nonces that come next; it wipes them.
pub(crate) struct Ahead<const N: usize> {
    pads: Pads<N>,
    /// How many of the pads are spent.
    spent: usize,
}

impl<const N: usize> Ahead<N> {
    pub(crate) const fn new() -> Self {
        Ahead { pads: Pads::new(), spent: PADS }
    }

    /// The pad of `nonce`, which comes right after that of the last call, but for the first call and after
    /// [`forget`](Self::forget). `encrypt` as for [`Pads::fill`].
    #[inline]
    pub(crate) fn pad(
        &mut self,
        nonce: &Nonce,
        encrypt: impl FnOnce(&mut [u64; 2 * PADS], usize),
    ) -> [u8; N] {
        if self.spent == PADS {
            // Fewer nonces may be left, but the caller ends with them.
            self.pads.fill(nonce, encrypt);
            self.spent = 0;
        }
        let pad = self.pads.at(self.spent);
        self.spent += 1;
        pad
    }

    /// The next nonce is another than the one after the last.
    pub(crate) fn forget(&mut self) {
        self.spent = PADS;
    }
}

impl<const N: usize> Drop for Ahead<N> {
    fn drop(&mut self) {
        let Ahead { pads, spent: _ } = self;
        pads.wipe();
    }
}
