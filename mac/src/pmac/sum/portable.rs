//! The block sum (PMAC paper, section 3) with any cipher. It defines what the other kernels compute.

use crate::cipher::{BlockCipher, CipherBlock};
use crate::ct::wipe;
use crate::pmac::offset::Offsets;

/// Blocks in one call of the cipher, which runs as many of them side by side as the machine can.
const AT_ONCE: usize = 64;

/// Xors `E(blocks[j] xor offset(first + j))` for every `j` into `sum`: what `add_groups` and `add_few` of the kernels do,
/// at any place.
pub(crate) fn add<C: BlockCipher>(
    cipher: &C,
    offsets: &Offsets<C::Block>,
    first: u64,
    blocks: &[C::Block],
    sum: &mut C::Block,
) {
    let mut masked = [C::Block::ZERO; AT_ONCE];
    let mut offset = offsets.of(first - 1);
    let mut i = first;
    for blocks in blocks.chunks(AT_ONCE) {
        let masked = &mut masked[..blocks.len()];
        for (masked, block) in masked.iter_mut().zip(blocks) {
            offset = offset.xor(offsets.step(i));
            *masked = block.xor(&offset);
            i += 1;
        }
        cipher.encrypt_many(masked);
        *sum = masked.iter().fold(*sum, |sum, block| sum.xor(block));
    }
    wipe(&mut masked);
    wipe(core::array::from_mut(&mut offset));
}
