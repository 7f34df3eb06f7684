//! KDF: user key to subkeys (RFC 4418, section 3.2). AES in counter mode.

use crate::cipher::{Aes128, BlockCipher};
use crate::cpu::Cpu;
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

pub(crate) struct Kdf {
    aes: Aes128,
    cpu: Cpu,
}

impl Kdf {
    pub(crate) fn new(cpu: Cpu, secret: &[u8; 16]) -> Kdf {
        Kdf { aes: keyed(cpu, secret), cpu }
    }

    /// Fills `out` with E(index || 1) || E(index || 2) || ..., cut to its length.
    pub(crate) fn fill(&self, index: Index, out: &mut [u8]) {
        for (i, part) in out.chunks_mut(16).enumerate() {
            let mut block = [0; 16];
            block[..8].copy_from_slice(&(index as u64).to_be_bytes());
            block[8..].copy_from_slice(&(i as u64 + 1).to_be_bytes());
            self.aes.encrypt(&mut block);
            part.copy_from_slice(&block[..part.len()]);
            block.zeroize();
        }
    }

    pub(crate) fn pad_key(&self) -> Aes128 {
        let mut key = [0; 16];
        self.fill(Index::Pad, &mut key);
        let pad = keyed(self.cpu, &key);
        key.zeroize();
        pad
    }
}

fn keyed(cpu: Cpu, key: &[u8; 16]) -> Aes128 {
    Aes128::from_slice(cpu, key).expect("a key of AES-128 has 16 bytes")
}
