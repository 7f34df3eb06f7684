//! Offsets: multiples of L = E(0) in GF(2^128), in Gray-code order (PMAC paper, section 2).

use crate::cipher::{Block, xor};
use zeroize::Zeroize;

/// `L x^i` for every i a 64-bit block number can ask for, and `L x^-1`.
#[derive(Clone)]
pub(crate) struct Offsets {
    powers: [Block; 64],
    inverse: Block,
}

impl Offsets {
    pub(crate) fn new(l: &Block) -> Offsets {
        let mut powers = [*l; 64];
        for i in 1..powers.len() {
            powers[i] = double(&powers[i - 1]);
        }
        Offsets { powers, inverse: halve(l) }
    }

    /// What block `i` differs by from its neighbour before: `L x^ntz(i)`, `i` at least 1.
    pub(crate) fn step(&self, i: u64) -> &Block {
        &self.powers[i.trailing_zeros() as usize]
    }

    /// The offset of block `i`: the xor of `L x^j` over the one bits j of its Gray code word.
    /// Block 0 does not exist; its offset is 0.
    pub(crate) fn of(&self, i: u64) -> Block {
        let mut gray = i ^ (i >> 1);
        let mut offset = [0; 16];
        while gray != 0 {
            offset = xor(&offset, &self.powers[gray.trailing_zeros() as usize]);
            gray &= gray - 1;
        }
        offset
    }

    /// `L x^-1`, for a last block of full length.
    pub(crate) fn inverse(&self) -> &Block {
        &self.inverse
    }
}

impl Zeroize for Offsets {
    fn zeroize(&mut self) {
        let Offsets { powers, inverse } = self;
        powers.zeroize();
        inverse.zeroize();
    }
}

/// Times x modulo x^128 + x^7 + x^2 + x + 1; bits most significant first.
fn double(block: &Block) -> Block {
    let a = u128::from_be_bytes(*block);
    ((a << 1) ^ ((a >> 127).wrapping_neg() & 0x87)).to_be_bytes()
}

/// Divided by x: the constant is x^-1.
fn halve(block: &Block) -> Block {
    let a = u128::from_be_bytes(*block);
    ((a >> 1) ^ ((a & 1).wrapping_neg() & (1 << 127 | 0x43))).to_be_bytes()
}
