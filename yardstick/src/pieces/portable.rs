//! The sum with any cipher: the blocks are made in memory, and the cipher encrypts as many side by side as it can.

use super::{Piece, join};
use wegman::cipher::{Block, BlockCipher, CipherBlock};
use wegman::hazmat::ct::wipe;

/// How many pieces are taken side by side.
const GROUP: usize = 8;

pub(super) fn absorb(
    cipher: &impl BlockCipher<Block = Block>,
    first: u64,
    pieces: &[Piece],
    sum: &mut Block,
) {
    let mut number = first;
    let mut room = [Block::ZERO; GROUP];
    for pieces in pieces.chunks(GROUP) {
        let blocks = &mut room[..pieces.len()];
        for (block, piece) in blocks.iter_mut().zip(pieces) {
            *block = join(number, u64::from_be_bytes(*piece)).to_be_bytes();
            number += 1;
        }
        cipher.encrypt_many(blocks);
        *sum = blocks.iter().fold(*sum, |sum, block| sum.xor(block));
    }
    wipe(&mut room);
}
