//! Level 3: an inner product, from 128 bits to w bytes, modulo p36 (w = 4) or p19 (w = 2) (draft, sections 5.5,
//! 6.4).

use super::kdf::{Index, Kdf};
use super::quirks::L3Keys;
use super::{MAX_WORDS, Parameters};
use crate::umac16::l3 as l3_16;
use alloc::vec::Vec;
use wegman::hazmat::umac::l3_inner;
use zeroize::Zeroize;

/// The key of a stream.
#[derive(Clone, Copy)]
pub(crate) enum Key {
    /// w = 4: the key of RFC 4418.
    Four(l3_inner::Key),
    /// w = 2: the key of UMAC16.
    Two(l3_16::Key),
}

impl Key {
    pub(crate) fn derive(kdf: &Kdf, parameters: &Parameters, which: L3Keys) -> Vec<Key> {
        let (w, streams) = (parameters.word_bytes(), parameters.words());
        let mut bytes = [0; 32 * MAX_WORDS]; // 8 streams of 64, or 16 of 32
        let mut masks = [0; 2 * MAX_WORDS];
        let bytes_of_all = &mut bytes[..16 * w * streams];
        let masks_of_all = &mut masks[..w * streams];
        kdf.fill(Index::L3, bytes_of_all);
        kdf.fill(Index::L3Mask, masks_of_all);
        let keys = masks_of_all.chunks_exact(w).enumerate().map(|(i, mask)| {
            let mut own = [0; 64];
            let own = &mut own[..16 * w];
            arrange(which, w, bytes_of_all, i, own);
            let key = Key::from_bytes(own, mask);
            own.zeroize();
            key
        });
        let keys = keys.collect();
        bytes.zeroize();
        masks.zeroize();
        keys
    }

    /// A key of 64 bytes and a mask of 4 bytes, or a key of 32 bytes and a mask of 2.
    ///
    /// # Bounds
    /// Out: keys below p36 or p19, reduced from any 64 or 32 bits.
    pub(crate) fn from_bytes(bytes: &[u8], mask: &[u8]) -> Key {
        if let (Ok(bytes), Ok(mask)) = (bytes.try_into(), mask.try_into()) {
            return Key::Four(l3_inner::Key::from_bytes(bytes, mask));
        }
        let bytes = bytes.try_into().expect("eight keys have 64 or 32 bytes");
        Key::Two(l3_16::Key::from_bytes(bytes, mask.try_into().expect("a mask has w bytes")))
    }

    /// Writes the hash of a level-2 hash to w bytes.
    ///
    /// # Bounds
    /// In: any 128 bits. The sums of eight products stay below 2^55 (w = 4) or 2^38 (w = 2), as
    /// [`l3_inner::Key::l3_hash`] and [`l3_16::Key::hash`] show.
    pub(crate) fn hash(&self, b: u128, out: &mut [u8]) {
        match self {
            Key::Four(key) => out.copy_from_slice(&key.l3_hash(b).to_be_bytes()),
            Key::Two(key) => out.copy_from_slice(&key.hash(b).to_be_bytes()),
        }
    }
}

/// Writes the key bytes of stream `i`, in order, to `own`: the stream's own bytes, or those that old code took. Old
/// code has keys for four digits only; the keys of the other digits stay zero.
fn arrange(which: L3Keys, w: usize, all: &[u8], i: usize, own: &mut [u8]) {
    let number = 2 * w; // bytes of a key
    let kept = match (which, w) {
        (L3Keys::Draft, _) | (L3Keys::Refcode005, 2) => {
            own.copy_from_slice(&all[8 * number * i..][..8 * number]);
            return;
        }
        (L3Keys::Refcode005, _) => 4,
        (L3Keys::Refcode001, _) => 0,
    };
    for (j, own) in own.chunks_exact_mut(number).skip(4).enumerate() {
        // The kept groups of four, laid end to end.
        let place = if w == 2 { 4 * i + j } else { i + j };
        own.copy_from_slice(&all[number * (8 * (place / 4) + kept + place % 4)..][..number]);
    }
}
