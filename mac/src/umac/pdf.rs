//! PDF: nonce to pad, one AES call (RFC 4418, section 3.3).

use crate::cipher::{Aes128, BlockCipher};
use crate::nonce::Nonce;
use zeroize::Zeroize;

/// The pad of a nonce. Pads of 4 or 8 bytes are parts of a block: the nonce's low bits say which
/// part, so that neighbours share one AES call.
pub(crate) fn pad<const N: usize>(aes: &Aes128, nonce: &Nonce) -> [u8; N] {
    // log2 of how many pads a block holds: 4, 2 or 1.
    let bits = match N {
        4 => 2,
        8 => 1,
        _ => 0,
    };
    let mut block = nonce.without_low_bits(bits);
    aes.encrypt(&mut block);
    let start = nonce.low_bits(bits) * N;
    let mut pad = [0; N];
    pad.copy_from_slice(&block[start..start + N]);
    block.zeroize(); // it may hold the pads of the neighbouring nonces
    pad
}
