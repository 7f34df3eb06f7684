//! KDF: from the secret to subkeys (draft, section 4.1). The cipher runs in output feedback mode.

use super::{Parameters, quirks};
use crate::{Rc6, feedback};
use alloc::boxed::Box;
use wegman::InvalidLength;
use wegman::cipher::{Aes128, Aes256, BlockCipher};
use wegman::cpu::Cpu;
use zeroize::Zeroize;

/// Which subkey.
#[derive(Clone, Copy)]
#[repr(u8)]
pub(crate) enum Index {
    L1 = 0,
    L2 = 1,
    L3 = 2,
    L3Mask = 3,
    Pad = 128,
    SecondPad = 129,
}

/// E_K: any of the ciphers, with any length of key.
#[derive(Clone)]
pub(crate) enum Cipher {
    Aes128(Box<Aes128>),
    Aes256(Box<Aes256>),
    Rc6(Box<Rc6>),
}

impl Cipher {
    fn new(cpu: Cpu, kind: quirks::Cipher, key: &[u8]) -> Result<Cipher, InvalidLength> {
        fn boxed<C: BlockCipher>(cpu: Cpu, key: &[u8]) -> Result<Box<C>, InvalidLength> {
            C::from_slice(cpu, key).map(Box::new)
        }
        match (kind, key.len()) {
            (quirks::Cipher::Aes, 16) => boxed(cpu, key).map(Cipher::Aes128),
            (quirks::Cipher::Aes, 32) => boxed(cpu, key).map(Cipher::Aes256),
            (quirks::Cipher::Rc6, 16 | 32) => Rc6::with_key(key).map(Box::new).map(Cipher::Rc6),
            _ => Err(InvalidLength),
        }
    }

    pub(crate) fn encrypt(&self, block: &mut [u8; 16]) {
        match self {
            Cipher::Aes128(cipher) => cipher.encrypt(block),
            Cipher::Aes256(cipher) => cipher.encrypt(block),
            Cipher::Rc6(cipher) => cipher.encrypt(block),
        }
    }
}

pub(crate) struct Kdf {
    cpu: Cpu,
    kind: quirks::Cipher,
    cipher: Cipher,
    key_bytes: usize,
}

impl Kdf {
    /// # Errors
    /// [`InvalidLength`] if the secret does not have the length that the parameters say.
    pub(crate) fn new(
        cpu: Cpu,
        parameters: &Parameters,
        secret: &[u8],
        kind: quirks::Cipher,
    ) -> Result<Kdf, InvalidLength> {
        if secret.len() != parameters.key_bytes() {
            return Err(InvalidLength);
        }
        let cipher = Cipher::new(cpu, kind, secret)?;
        Ok(Kdf { cpu, kind, cipher, key_bytes: secret.len() })
    }

    /// Calls `take` with each of `count` blocks: E(index), E(E(index)), ...
    pub(crate) fn blocks(&self, index: Index, count: usize, take: impl FnMut(&[u8; 16])) {
        feedback::blocks(index as u8, count, |block| self.cipher.encrypt(block), take);
    }

    /// Fills `out` with those blocks, cut to its length.
    pub(crate) fn fill(&self, index: Index, out: &mut [u8]) {
        feedback::fill(index as u8, out, |block| self.cipher.encrypt(block));
    }

    /// The cipher with a derived key as long as the secret.
    pub(crate) fn cipher(&self, index: Index) -> Cipher {
        let mut key = [0; 32];
        let key_bytes = &mut key[..self.key_bytes];
        self.fill(index, key_bytes);
        let cipher = Cipher::new(self.cpu, self.kind, key_bytes).expect("as long as the secret");
        key.zeroize();
        cipher
    }
}
