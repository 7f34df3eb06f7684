//! KDF: user key to subkeys (RFC 4418, section 3.2). AES in counter mode.

use crate::cipher::{Aes128, BlockCipher};
use zeroize::Zeroize;

/// Which subkey: the first eight bytes of every block the KDF encrypts.
#[derive(Clone, Copy)]
#[repr(u64)]
pub(crate) enum Index {
    Pad = 0,
    L1 = 1,
    L2 = 2,
    L3 = 3,
    L3Mask = 4,
}

pub(crate) struct Kdf(Aes128);

impl Kdf {
    pub(crate) fn new(secret: &[u8; 16]) -> Kdf {
        Kdf(Aes128::new(secret))
    }

    /// Fills `out` with E(index || 1) || E(index || 2) || ..., cut to its length.
    pub(crate) fn fill(&self, index: Index, out: &mut [u8]) {
        for (i, part) in out.chunks_mut(16).enumerate() {
            let mut block = [0; 16];
            block[..8].copy_from_slice(&(index as u64).to_be_bytes());
            block[8..].copy_from_slice(&(i as u64 + 1).to_be_bytes());
            self.0.encrypt(&mut block);
            part.copy_from_slice(&block[..part.len()]);
            block.zeroize();
        }
    }

    pub(crate) fn pad_key(&self) -> Aes128 {
        let mut key = [0; 16];
        self.fill(Index::Pad, &mut key);
        let pad = Aes128::new(&key);
        key.zeroize();
        pad
    }
}
