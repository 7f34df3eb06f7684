//! KDF: the streams of a secret, AES in counter mode. Stream 0 is the key of the pads, 1 that of level 1, 2 those of
//! level 2 and of the length.

use wegman::cipher::{Block, BlockCipher};
use wegman::{Cpu, InvalidLength};
use zeroize::Zeroize;

/// How many blocks are encrypted side by side.
const MANY: usize = 8;

/// A secret, and what tells one MAC's streams from another's.
pub struct Kdf<C> {
    cipher: C,
    cpu: Cpu,
    first: u8,
}

impl<C: BlockCipher<Block = Block>> Kdf<C> {
    /// All blocks of all streams begin with the byte `first`; Carter's is the number of tag bits.
    ///
    /// # Errors
    /// [`InvalidLength`] if the cipher takes no key of the secret's length.
    pub fn new(cpu: Cpu, secret: &[u8], first: u8) -> Result<Self, InvalidLength> {
        Ok(Kdf { cipher: C::from_slice(cpu, secret)?, cpu, first })
    }

    /// Fills `out` with the front of a stream: the encrypted blocks of the first byte, number of the stream, ten
    /// zero bytes and a count.
    pub fn fill(&self, stream: u8, out: &mut [u8]) {
        let mut blocks = [[0; 16]; MANY];
        for (i, part) in out.chunks_mut(16 * MANY).enumerate() {
            for (count, block) in (MANY * i..).zip(&mut blocks) {
                *block = [0; 16];
                [block[0], block[1]] = [self.first, stream];
                block[12..].copy_from_slice(&(count as u32).to_be_bytes());
            }
            self.cipher.encrypt_many(&mut blocks[..part.len().div_ceil(16)]);
            part.copy_from_slice(&blocks.as_flattened()[..part.len()]);
        }
        blocks.as_flattened_mut().zeroize();
    }

    /// The cipher under the key of the pads.
    ///
    /// # Panics
    /// If the cipher takes keys of more than 32 bytes.
    #[must_use]
    pub fn pad_key(&self) -> C {
        let mut key = [0; 32];
        self.fill(0, &mut key[..C::KEY_BYTES]);
        let pad = C::from_slice(self.cpu, &key[..C::KEY_BYTES]).expect("as long as the secret");
        key.zeroize();
        pad
    }
}
