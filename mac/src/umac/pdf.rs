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

/// Encrypts blocks of little-endian words.
pub(crate) fn encrypt(aes: &Aes128, words: &mut [[u64; 2]]) {
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

/// The pads of up to [`PADS`] nonces, made together: encrypted blocks as little-endian words, in which
/// each pad has a place of [`WIDTH`](Self::WIDTH) words.
#[repr(C, align(64))] // whole cache lines for the widest loads and stores
pub(crate) struct Pads<const N: usize> {
    words: [u64; 2 * PADS],
    /// The first pad's place.
    start: usize,
}

/// Encrypts at least so many blocks of the front.
pub(crate) trait Encrypt: FnOnce(&mut [u64; 2 * PADS], usize) {}
impl<F: FnOnce(&mut [u64; 2 * PADS], usize)> Encrypt for F {}

impl<const N: usize> Pads<N> {
    /// Words from one pad to the next.
    pub(crate) const WIDTH: usize = N.div_ceil(8);

    pub(crate) const fn new() -> Self {
        Pads { words: [0; 2 * PADS], start: 0 }
    }

    /// Makes the pads of `first` and the nonces after it, `count` in all.
    pub(crate) fn fill_from(&mut self, first: &Nonce, count: usize, encrypt: impl Encrypt) {
        let bits = part_bits(N);
        let (_, part) = first.block(bits);
        let blocks = ((part + count - 1) >> bits) + 1;
        first.blocks(bits, &mut self.words.as_chunks_mut().0[..blocks]);
        encrypt(&mut self.words, blocks);
        self.start = 0;
        match N {
            4 => {
                let halves = self.words;
                for (i, word) in self.words[..count].iter_mut().enumerate() {
                    let half = part + i;
                    *word = halves[half / 2] >> (32 * (half % 2));
                }
            }
            8 => self.start = part,
            _ => (),
        }
    }

    /// Makes pads of single nonces.
    pub(crate) fn fill<'n>(
        &mut self,
        nonces: impl Iterator<Item = &'n Nonce> + Clone,
        encrypt: impl Encrypt,
    ) {
        let mut count = 0;
        for (place, nonce) in self.words.as_chunks_mut().0.iter_mut().zip(nonces.clone()) {
            let (block, _) = block::<N>(nonce);
            *place = [block as u64, (block >> 64) as u64];
            count += 1;
        }
        encrypt(&mut self.words, count);
        self.start = 0;
        if N <= 8 {
            for (i, nonce) in nonces.enumerate().take(PADS) {
                let (_, start) = block::<N>(nonce);
                self.words[i] = self.words[2 * i + start / 8] >> (8 * (start % 8));
            }
        }
    }

    /// The words of pad `i` and those after it.
    #[inline]
    pub(crate) fn from(&self, i: usize) -> &[u64] {
        &self.words[self.start + Self::WIDTH * i..]
    }

    pub(crate) fn wipe(&mut self) {
        wipe(&mut self.words);
    }
}

/// Overwrites what was secret for a moment, as `zeroize` does but in whole registers: that crate
/// writes byte by byte, which would take longer than the MAC.
pub(crate) fn wipe<T: Copy + Default, const L: usize>(values: &mut [T; L]) {
    *values = [T::default(); L];
    // The compiler must believe that somebody looks.
    core::hint::black_box(values);
}
