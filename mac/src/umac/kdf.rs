//! KDF: from the user key to subkeys, by AES (RFC 4418, section 3.2).

use crate::cipher::{Aes128, BlockCipher};
use crate::cpu::Cpu;
use core::marker::PhantomData;
use zeroize::Zeroize;

/// Which subkey. In the RFC it is the first eight bytes of every block that the KDF encrypts.
#[derive(Clone, Copy)]
#[repr(u64)]
pub enum Index {
    Pad = 0,
    L1 = 1,
    L2 = 2,
    L3 = 3,
    L3Mask = 4,
}

/// How an edition of UMAC derives its subkeys.
pub trait Edition: Send + Sync + 'static {
    /// The module in which the edition's keys are named.
    const NAME: &'static str;

    /// What is encrypted for block `i` of a subkey, the first being 0. `block` holds block `i - 1` of the subkey, or
    /// zeros.
    fn next(index: Index, i: u64, block: &mut [u8; 16]);
}

/// Counter mode: E(index || 1) || E(index || 2) || ...
pub struct Rfc4418;

impl Edition for Rfc4418 {
    const NAME: &'static str = "umac";

    fn next(index: Index, i: u64, block: &mut [u8; 16]) {
        block[..8].copy_from_slice(&(index as u64).to_be_bytes());
        block[8..].copy_from_slice(&(i + 1).to_be_bytes());
    }
}

pub struct Kdf<E> {
    aes: Aes128,
    cpu: Cpu,
    edition: PhantomData<E>,
}

impl<E: Edition> Kdf<E> {
    pub(crate) fn new(cpu: Cpu, secret: &[u8; 16]) -> Self {
        Kdf { aes: keyed(cpu, secret), cpu, edition: PhantomData }
    }

    /// Fills `out` with the subkey, cut to its length.
    pub(crate) fn fill(&self, index: Index, out: &mut [u8]) {
        let mut block = [0; 16];
        for (i, part) in (0..).zip(out.chunks_mut(16)) {
            E::next(index, i, &mut block);
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
