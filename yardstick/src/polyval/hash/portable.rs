//! POLYVAL (RFC 8452, section 3) in plain code, for machines without carry-less multiplication. It defines what the other
//! kernels compute.

use super::{CHUNK, Key, MOST};
use wegman::cipher::Block;
use wegman_carter::hazmat::field::{Wide, multiply};

pub(super) fn absorb(key: &Key, y: &mut u128, chunks: &[[u8; CHUNK]]) {
    for chunk in chunks {
        *y = products(key, MOST, *y, chunk.as_chunks().0).reduce();
    }
}

pub(super) fn finish(key: &Key, y: u128, last: &[u8], bits: u64) -> u128 {
    let (blocks, rest) = last.as_chunks();
    let n = last.len().div_ceil(16);
    let mut sum = products(key, n + 1, y, blocks);
    if !rest.is_empty() {
        let mut block = [0; 16];
        block[..rest.len()].copy_from_slice(rest);
        // If there are no others, it is also the first one.
        let y = if blocks.is_empty() { y } else { 0 };
        sum = sum ^ products(key, 2, y, &[block]);
    }
    (sum ^ multiply(u128::from(bits) << 64, u128::from_le_bytes(*key.h()))).reduce()
}

/// The sum of blocks, with `y` added to the first, times H^n and the powers below it. Unreduced.
fn products(key: &Key, n: usize, mut y: u128, blocks: &[Block]) -> Wide {
    let mut sum = Wide::default();
    for (i, block) in blocks.iter().enumerate() {
        let power = u128::from_le_bytes(*key.power(n - i));
        sum = sum ^ multiply(u128::from_le_bytes(*block) ^ y, power);
        y = 0;
    }
    sum
}
