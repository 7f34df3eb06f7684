//! Key derivation (docs/carter.md): key streams of a secret, from AES in counter mode. Stream 0 is the key of the pads,
//! stream 1 that of level 1, stream 2 those of level 2 and of the length.

use wegman::cipher::{Block, BlockCipher};
use wegman::hazmat::ct::wipe;
use wegman::{Cpu, InvalidLength};

/// A secret, and the byte that separates one MAC's key streams from another's.
pub struct Kdf<C> {
    cipher: C,
    cpu: Cpu,
    first: u8,
}

impl<C: BlockCipher<Block = Block>> Kdf<C> {
    /// Every block of every stream begins with the byte `first`. Carter's is the number of tag bits.
    ///
    /// # Errors
    /// [`InvalidLength`] if the cipher takes no key of the secret's length.
    pub fn new(cpu: Cpu, secret: &[u8], first: u8) -> Result<Self, InvalidLength> {
        Ok(Kdf { cipher: C::from_slice(cpu, secret)?, cpu, first })
    }

    /// Fills `out` with the first bytes of a stream. Its blocks are encryptions of: the byte `first`, the number of the
    /// stream, ten zero bytes, and a counter of 4 bytes, big-endian, from 0.
    pub fn fill(&self, stream: u8, out: &mut [u8]) {
        let input = |count: usize| {
            let count = u128::from((count as u32).swap_bytes());
            (count << 96 | u128::from(stream) << 8 | u128::from(self.first)).to_le_bytes()
        };
        let (blocks, rest) = out.as_chunks_mut();
        for (count, block) in blocks.iter_mut().enumerate() {
            *block = input(count);
        }
        let mut last = input(blocks.len());
        self.cipher.encrypt_many(blocks);
        if !rest.is_empty() {
            self.cipher.encrypt(&mut last);
            rest.copy_from_slice(&last[..rest.len()]);
            wipe(&mut last);
        }
    }

    /// The pad cipher: `C` under the first bytes of stream 0.
    ///
    /// # Panics
    /// If the cipher takes keys of more than 32 bytes.
    #[must_use]
    pub fn pad_key(&self) -> C {
        let mut key = [0; 32];
        self.fill(0, &mut key[..C::KEY_BYTES]);
        let pad = C::from_slice(self.cpu, &key[..C::KEY_BYTES]).expect("as long as the secret");
        wipe(&mut key);
        pad
    }
}
