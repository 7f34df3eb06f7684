//! What the demonstrations share.

// Each demonstration uses its own part.
#![allow(dead_code)]

/// Pseudorandom numbers that are the same in every run (SplitMix64). For experiments only: real secrets come from the
/// operating system.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(seed)
    }

    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    /// A number below `end`, almost uniform.
    pub fn below(&mut self, end: u64) -> u64 {
        ((u128::from(self.next()) * u128::from(end)) >> 64) as u64
    }

    /// A secret of 32 bytes.
    pub fn secret_of_32(&mut self) -> [u8; 32] {
        let mut secret = [0; 32];
        secret.chunks_exact_mut(16).for_each(|half| half.copy_from_slice(&self.secret()));
        secret
    }

    /// A secret of 16 bytes.
    pub fn secret(&mut self) -> [u8; 16] {
        (u128::from(self.next()) << 64 | u128::from(self.next())).to_be_bytes()
    }
}
