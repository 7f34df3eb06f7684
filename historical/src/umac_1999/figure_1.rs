//! The illustrative case of the paper's Figure 1 (section 2.1): NH of unsigned 32-bit words over blocks of 4096 bytes,
//! then HMAC-SHA1 of the nonce and the hash.
//!
//! The paper leaves open how its two keys are derived, so the caller gives both keys. It also leaves open the order of
//! bytes. Here, as in the oracle, words are read little-endian, hashes and the length are written big-endian, and an
//! empty message has no block.

use super::block_hash::BLOCK;
use super::nh::for_each_pair;
use core::fmt;
use hmac::{Hmac, KeyInit, Mac};
use sha1::Sha1;
use wegman::hazmat::ct::wipe;
use wegman::{Tag, TagMismatch};
use zeroize::Zeroize;

/// A key of Figure 1.
///
/// **Bound.** At least one of `v` forgery attempts succeeds with probability at most `v * (2^-32 + 2^-160)` plus the
/// advantage of telling HMAC-SHA1 from a random function, *if no nonce is used twice under one key*
/// (section 2.1; Theorems 4.2 and 8.2).
pub struct Figure1 {
    k: [u32; BLOCK / 4],
    a: Hmac<Sha1>,
}

impl Figure1 {
    /// A key of uniformly random bytes: `k` for NH, `a` for HMAC-SHA1.
    #[must_use]
    pub fn new(k: &[u8; BLOCK], a: &[u8; 64]) -> Figure1 {
        let mut key = Figure1 { k: [0; BLOCK / 4], a: Hmac::new(a.into()) };
        for (word, bytes) in key.k.iter_mut().zip(k.as_chunks().0) {
            *word = u32::from_le_bytes(*bytes);
        }
        key
    }

    /// The tag of a message.
    pub fn tag(&self, nonce: u64, message: &[u8]) -> Tag<20> {
        let mut hmac = self.a.clone().chain_update(nonce.to_be_bytes());
        message.chunks(BLOCK).for_each(|block| self.absorb(&mut hmac, block));
        hmac.update(&((message.len() % BLOCK) as u16).to_be_bytes());
        Tag::from(<[u8; 20]>::from(hmac.finalize().into_bytes()))
    }

    /// Accepts a message only if the tag is right, in time that does not depend on the tag's bytes.
    ///
    /// # Errors
    /// [`TagMismatch`], without detail, if message, nonce, key and tag do not belong together.
    pub fn verify(&self, nonce: u64, message: &[u8], tag: &Tag<20>) -> Result<(), TagMismatch> {
        TagMismatch::unless(self.tag(nonce, message) == *tag)
    }

    fn absorb(&self, hmac: &mut Hmac<Sha1>, block: &[u8]) {
        let mut sum = [0];
        for_each_pair(block, |i, x, y| {
            let factor = |word: u32, j: usize| u64::from(word.wrapping_add(self.k[j]));
            // Each factor is below 2^32, so the product is below 2^64.
            sum[0] = u64::wrapping_add(sum[0], factor(x, 2 * i) * factor(y, 2 * i + 1));
        });
        hmac.update(&sum[0].to_be_bytes());
        wipe(&mut sum);
    }
}

impl Drop for Figure1 {
    fn drop(&mut self) {
        let Figure1 { k, a: _ } = self; // `a` wipes itself
        k.zeroize();
    }
}

impl fmt::Debug for Figure1 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("umac_1999::Figure1")
    }
}
