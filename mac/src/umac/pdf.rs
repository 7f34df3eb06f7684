//! PDF: nonce to pad, one AES call (RFC 4418, section 3.3).
//!
//! Pads of 4 or 8 bytes are parts of a block: the nonce's low bits say which part, so that
//! neighbours share one AES call.

use crate::cipher::{Aes128, BlockCipher};
use crate::nonce::Nonce;

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
        4 => 2,
        8 => 1,
        _ => 0,
    }
}

/// The pad of a nonce.
pub(crate) fn pad<const N: usize>(aes: &Aes128, nonce: &Nonce) -> [u8; N] {
    let (block, start) = block::<N>(nonce);
    let mut bytes = block.to_le_bytes();
    aes.encrypt(&mut bytes);
    let pad = *bytes[start..].first_chunk().expect("a pad is part of a block");
    wipe(&mut bytes); // it may hold the pads of the neighbouring nonces
    pad
}

/// The pads of up to [`PADS`] nonces: encrypted blocks.
pub(crate) struct Pads<const N: usize> {
    blocks: [[u8; 16]; PADS],
}

/// Encrypts at least the first so many blocks.
pub(crate) trait Encrypt: FnOnce(&mut [[u8; 16]; PADS], usize) {}
impl<F: FnOnce(&mut [[u8; 16]; PADS], usize)> Encrypt for F {}

impl<const N: usize> Pads<N> {
    /// The distance of two nonces' pads, if they are neighbours.
    pub(crate) const STEP: usize = if N == 12 { 16 } else { N };

    pub(crate) const fn new() -> Self {
        Pads { blocks: [[0; 16]; PADS] }
    }

    /// Makes the pads of `first` and the nonces after it. Returns the place of the first one.
    pub(crate) fn fill_from(&mut self, first: &Nonce, count: usize, encrypt: impl Encrypt) -> usize {
        let bits = part_bits(N);
        // The first and the last block may hold fewer pads of these nonces.
        let count = ((count - 1) >> bits) + 2;
        let (blocks, part) = first.blocks(bits, count.min(PADS));
        for (place, block) in self.blocks.iter_mut().zip(blocks) {
            *place = block;
        }
        encrypt(&mut self.blocks, count.min(PADS));
        part * N
    }

    /// Makes pads of single nonces. Returns the place of each.
    pub(crate) fn fill<'n>(
        &mut self,
        nonces: impl Iterator<Item = &'n Nonce>,
        encrypt: impl Encrypt,
    ) -> [usize; PADS] {
        let mut places = [0; PADS];
        let mut count = 0;
        for (nonce, (slot, place)) in nonces.zip(self.blocks.iter_mut().zip(&mut places)) {
            let (block, start) = block::<N>(nonce);
            *slot = block.to_le_bytes();
            *place = 16 * count + start;
            count += 1;
        }
        encrypt(&mut self.blocks, count);
        places
    }

    /// The pad at a place.
    #[inline]
    pub(crate) fn at(&self, place: usize) -> [u8; N] {
        *self.blocks.as_flattened()[place..].first_chunk().expect("a place is that of a pad")
    }

    pub(crate) fn wipe(&mut self) {
        wipe(&mut self.blocks);
    }
}

/// Overwrites what was secret for a moment, as `zeroize` does but in whole registers: that crate
/// writes byte by byte, which would take longer than the MAC.
pub(crate) fn wipe<T: Copy + Default, const L: usize>(values: &mut [T; L]) {
    *values = [T::default(); L];
    // The compiler must believe that somebody looks.
    core::hint::black_box(values);
}
