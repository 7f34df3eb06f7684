//! Offsets: multiples of L = E(0) in GF(2^n), in the order of the Gray code (PMAC paper, section 2).

use crate::cipher::CipherBlock;
use crate::ct::wipe;
use zeroize::Zeroize;

/// `L x^i` for every `i` that a 64-bit block number can need, and `L x^-1`.
#[derive(Clone)]
pub(crate) struct Offsets<B: CipherBlock> {
    powers: [B; 64],
    inverse: B,
}

impl<B: CipherBlock> Offsets<B> {
    pub(crate) fn new(l: &B) -> Self {
        let mut powers = [*l; 64];
        for i in 1..powers.len() {
            powers[i] = powers[i - 1].double();
        }
        Offsets { powers, inverse: l.halve() }
    }

    /// What the offset of block `i` adds to that of the block before: `L x^ntz(i)`. `i` is at least 1.
    pub(crate) fn step(&self, i: u64) -> &B {
        &self.powers[i.trailing_zeros() as usize]
    }

    /// The offset of block `i`: the xor of `L x^j` over the one bits `j` of its Gray code word. There is no block 0;
    /// its offset would be 0.
    pub(crate) fn of(&self, i: u64) -> B {
        let mut gray = i ^ (i >> 1);
        let mut offset = B::ZERO;
        while gray != 0 {
            offset = offset.xor(&self.powers[gray.trailing_zeros() as usize]);
            gray &= gray - 1;
        }
        offset
    }

    /// `L x^-1`, for a last block of full length.
    pub(crate) fn inverse(&self) -> &B {
        &self.inverse
    }
}

impl<B: CipherBlock> Zeroize for Offsets<B> {
    fn zeroize(&mut self) {
        let Offsets { powers, inverse } = self;
        wipe(powers);
        inverse.zeroize();
    }
}
