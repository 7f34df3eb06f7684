//! PDF: from the nonce to the pad (draft, section 4.2). Pads of up to 8 bytes are parts of a block. Longer pads are the
//! first bytes of one block or of two blocks, the second of which is encrypted under a second key.

use super::kdf::{Cipher, Index, Kdf};
use super::quirks::NonceIndex;
use wegman::AnyTag;
use wegman::hazmat::pads::PadInput;
use wegman::hazmat::raw::Nonce;

/// The ciphers of the pads. They wipe themselves.
#[derive(Clone)]
pub(crate) struct Key {
    first: Cipher,
    second: Option<Cipher>,
    pad_bytes: usize,
    index: NonceIndex,
}

impl Key {
    pub(crate) fn derive(kdf: &Kdf, pad_bytes: usize, index: NonceIndex) -> Key {
        let second = (pad_bytes > 16).then(|| kdf.cipher(Index::SecondPad));
        Key { first: kdf.cipher(Index::Pad), second, pad_bytes, index }
    }

    /// The pad, followed by the other bytes of the two blocks.
    pub(crate) fn pad(&self, nonce: &Nonce) -> [u8; AnyTag::MAX] {
        let nonce = match self.index {
            NonceIndex::Unpadded => *nonce,
            NonceIndex::DraftLiteral => {
                let mut whole = [0; Nonce::MAX];
                whole[..nonce.as_bytes().len()].copy_from_slice(nonce.as_bytes());
                Nonce::from(whole)
            }
        };
        // As many low bits of the nonce say which part of a block is its pad.
        let bits = (16 / self.pad_bytes).checked_ilog2().unwrap_or(0);
        let (block, part) = nonce.block(bits as usize);
        let mut pads = [0; AnyTag::MAX];
        let [first, second] = pads.as_chunks_mut().0 else { unreachable!("two blocks") };
        *first = block.to_le_bytes();
        self.first.encrypt(first);
        if let Some(cipher) = &self.second {
            *second = block.to_le_bytes();
            cipher.encrypt(second);
        }
        pads.copy_within(part * self.pad_bytes.., 0);
        pads
    }
}
