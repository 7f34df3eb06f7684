//! KDF: from the user key to subkeys. AES in counter mode (RFC 4418, section 3.2), or in output feedback (the draft
//! of October 2000, section 4.1).

use crate::cipher::{Aes128, BlockCipher};
use crate::cpu::Cpu;
use zeroize::Zeroize;

/// Which subkey. In the RFC it is the first eight bytes of every block that the KDF encrypts.
#[derive(Clone, Copy)]
#[repr(u64)]
pub(crate) enum Index {
    Pad = 0,
    L1 = 1,
    L2 = 2,
    L3 = 3,
    L3Mask = 4,
}

impl Index {
    /// The number of the same subkey in the draft.
    #[cfg(feature = "historical")]
    fn in_2000(self) -> u8 {
        match self {
            Index::L1 => 0,
            Index::L2 => 1,
            Index::L3 => 2,
            Index::L3Mask => 3,
            Index::Pad => 128,
        }
    }
}

/// The edition whose derivation is used. In everything else, UMAC-4/4, 4/8, 4/12 and 4/16 of 2000 are as in the RFC.
#[derive(Clone, Copy)]
pub(crate) enum Edition {
    Rfc4418,
    #[cfg(feature = "historical")]
    Draft2000,
}

pub(crate) struct Kdf {
    aes: Aes128,
    cpu: Cpu,
    edition: Edition,
}

impl Kdf {
    pub(crate) fn new(cpu: Cpu, secret: &[u8; 16]) -> Kdf {
        Self::of(Edition::Rfc4418, cpu, secret)
    }

    pub(crate) fn of(edition: Edition, cpu: Cpu, secret: &[u8; 16]) -> Kdf {
        Kdf { aes: keyed(cpu, secret), cpu, edition }
    }

    /// Fills `out` with the subkey, cut to its length. RFC: E(index || 1) || E(index || 2) || ...
    /// Draft: E(index) || E(E(index)) || ...
    pub(crate) fn fill(&self, index: Index, out: &mut [u8]) {
        let mut block = [0; 16];
        for (i, part) in out.chunks_mut(16).enumerate() {
            match self.edition {
                Edition::Rfc4418 => {
                    block[..8].copy_from_slice(&(index as u64).to_be_bytes());
                    block[8..].copy_from_slice(&(i as u64 + 1).to_be_bytes());
                }
                #[cfg(feature = "historical")]
                Edition::Draft2000 => {
                    if i == 0 {
                        block[15] = index.in_2000();
                    }
                }
            }
            self.aes.encrypt(&mut block);
            part.copy_from_slice(&block[..part.len()]);
        }
        block.zeroize();
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
