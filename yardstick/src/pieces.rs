//! The sum of numbered, encrypted pieces of a message: the first part of XOR MAC and protected counter sums.
//!
//! ```text
//! E(number, piece) xor E(number + 1, piece) xor ...      number and piece have 8 bytes each
//! ```
//!
//! The cipher calls do not depend on each other, so the cipher encrypts as many side by side as it can. These MACs have
//! no kernels of their own, because no table compares their speeds.

use wegman::cipher::{Block, BlockCipher, CipherBlock};
use wegman::hazmat::buffer::Buffer;
use wegman::hazmat::ct::wipe;
use wegman::{Cpu, InvalidLength};
use zeroize::Zeroize;

/// How many pieces are taken side by side.
const GROUP: usize = 8;

/// A cipher under a key.
pub(super) struct Pieces<C>(C);

impl<C: BlockCipher<Block = Block>> Pieces<C> {
    pub(super) fn from_slice(cpu: Cpu, secret: &[u8]) -> Result<Self, InvalidLength> {
        Ok(Pieces(C::from_slice(cpu, secret)?))
    }

    pub(super) fn uses_aes(&self) -> bool {
        self.0.rounds().is_some()
    }

    /// Adds encrypted pieces to the sum. The first piece has the number `first`.
    fn absorb(&self, first: u64, pieces: &[[u8; 8]], sum: &mut Block) {
        let mut number = first;
        let mut room = [Block::ZERO; GROUP];
        for pieces in pieces.chunks(GROUP) {
            let blocks = &mut room[..pieces.len()];
            for (block, piece) in blocks.iter_mut().zip(pieces) {
                *block = join(number, u64::from_be_bytes(*piece)).to_be_bytes();
                number += 1;
            }
            self.0.encrypt_many(blocks);
            *sum = blocks.iter().fold(*sum, |sum, block| sum.xor(block));
        }
        wipe(&mut room);
    }

    /// Encrypts a block. Input and output are numbers.
    pub(super) fn encrypt(&self, number: u128) -> u128 {
        let mut block = number.to_be_bytes();
        self.0.encrypt(&mut block);
        let number = u128::from_be_bytes(block);
        wipe(&mut block);
        number
    }

    /// The sum of a message.
    pub(super) fn sum(&self, first_bit: bool, message: &[u8]) -> u128 {
        self.finish(first_number(first_bit), Block::ZERO, message)
    }

    /// The sum of a message that ends with the bytes `end`, given the sum of what came before.
    fn finish(&self, next: u64, mut sum: Block, end: &[u8]) -> u128 {
        let (pieces, rest) = end.as_chunks();
        if !pieces.is_empty() {
            self.absorb(next, pieces, &mut sum);
        }
        // The rest, then a byte 80 and zeroes.
        let last = rest.iter().rev().fold(0x80, |last, &byte| last << 8 | u64::from(byte));
        let last = join(next + pieces.len() as u64, last.swap_bytes());
        let all = u128::from_be_bytes(sum) ^ self.encrypt(last);
        wipe(&mut sum);
        all
    }
}

/// The number of the first piece: 1, with the first bit of every block.
fn first_number(first_bit: bool) -> u64 {
    u64::from(first_bit) << 63 | 1
}

/// The block of a number and a piece, as one number.
fn join(number: u64, piece: u64) -> u128 {
    u128::from(number) << 64 | u128::from(piece)
}

/// How many bytes a stream holds back.
const BUFFER: usize = 64;

/// The state of a stream.
#[derive(Clone)]
pub struct Sum {
    /// The number of the next piece, with the first bit of every block.
    next: u64,
    sum: Block,
    buffer: Buffer<BUFFER>,
}

impl Sum {
    pub(super) fn new(first_bit: bool) -> Sum {
        Sum { next: first_number(first_bit), sum: Block::ZERO, buffer: Buffer::new() }
    }

    pub(super) fn update(
        &mut self,
        cipher: &Pieces<impl BlockCipher<Block = Block>>,
        bytes: &[u8],
    ) {
        let Sum { next, sum, buffer } = self;
        buffer.update(bytes, |parts| {
            let (pieces, _) = parts.as_flattened().as_chunks();
            cipher.absorb(*next, pieces, sum);
            *next += pieces.len() as u64;
        });
    }

    pub(super) fn finish(&self, cipher: &Pieces<impl BlockCipher<Block = Block>>) -> u128 {
        cipher.finish(self.next, self.sum, self.buffer.last())
    }
}

impl Drop for Sum {
    fn drop(&mut self) {
        let Sum { next, sum, buffer: _ } = self; // `buffer` wipes itself
        next.zeroize();
        sum.zeroize();
    }
}
