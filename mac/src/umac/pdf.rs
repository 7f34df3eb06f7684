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
    // log2 of how many pads a block holds.
    const { assert!(matches!(N, 4 | 8 | 12 | 16)) };
    let bits = match N {
        4 => 2,
        8 => 1,
        _ => 0,
    };
    let (block, part) = nonce.block(bits);
    (block, part * N)
}

/// The pad of a nonce, its first byte lowest. What follows byte `N` is of no account.
pub(crate) fn pad<const N: usize>(aes: &Aes128, nonce: &Nonce) -> u128 {
    let (block, start) = block::<N>(nonce);
    let mut bytes = block.to_le_bytes();
    aes.encrypt(&mut bytes);
    u128::from_le_bytes(bytes) >> (8 * start)
}

/// The pads of at most [`PADS`] nonces; neighbours that share a block should come one after another.
/// `encrypt` is given blocks and how many of them count.
pub(crate) fn pads<const N: usize>(
    nonces: impl Iterator<Item = Nonce>,
    pads: &mut [u128; PADS],
    encrypt: impl FnOnce(&mut [[u8; 16]; PADS], usize),
) {
    let mut blocks = [[0; 16]; PADS];
    let mut places = [0; PADS];
    let (mut count, mut last) = (0, 0);
    for (nonce, place) in nonces.zip(&mut places) {
        let (block, start) = block::<N>(&nonce);
        if count == 0 || block != last {
            blocks[count % PADS] = block.to_le_bytes();
            (count, last) = (count + 1, block);
        }
        *place = 16 * (count - 1) + start;
    }
    encrypt(&mut blocks, count);
    for (pad, place) in pads.iter_mut().zip(places) {
        *pad = u128::from_le_bytes(blocks[place / 16 % PADS]) >> (8 * (place % 16));
    }
    wipe(&mut blocks);
}

/// Overwrites what was secret for a moment, as `zeroize` does but in whole registers: that crate
/// writes byte by byte, which would take longer than the MAC.
pub(crate) fn wipe<T: Copy + Default, const L: usize>(values: &mut [T; L]) {
    *values = [T::default(); L];
    // The compiler must believe that somebody looks.
    core::hint::black_box(values);
}
