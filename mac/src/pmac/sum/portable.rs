//! The block sum over any cipher: the meaning of every kernel beside this file.

use crate::cipher::{Block, BlockCipher, xor};
use crate::pmac::offset::Offsets;
use zeroize::Zeroize;

/// Blocks handed to the cipher at once; it takes as many side by side as the machine can.
const GROUP: usize = 64;

pub(super) fn sum<C: BlockCipher>(
    cipher: &C,
    offsets: &Offsets,
    first: u64,
    blocks: &[Block],
    sum: &mut Block,
) {
    let mut group = [[0; 16]; GROUP];
    let mut offset = offsets.of(first - 1);
    let mut i = first;
    for blocks in blocks.chunks(GROUP) {
        let group = &mut group[..blocks.len()];
        for (masked, block) in group.iter_mut().zip(blocks) {
            offset = xor(&offset, offsets.step(i));
            *masked = xor(block, &offset);
            i += 1;
        }
        cipher.encrypt_many(group);
        *sum = group.iter().fold(*sum, |sum, block| xor(&sum, block));
    }
    // Only what was used: a wipe is a store for each byte.
    group[..blocks.len().min(GROUP)].as_flattened_mut().zeroize();
    offset.zeroize();
}
