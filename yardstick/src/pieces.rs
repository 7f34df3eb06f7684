//! The sum of numbered, encrypted pieces of a message: the first part of XOR MAC and protected counter sums.
//!
//! ```text
//! E(number, piece) xor E(number + 1, piece) xor ...      number and piece have 8 bytes each
//! ```
//!
//! The cipher calls do not depend on each other, so kernels for AES make many blocks side by side, in registers.

#[cfg(target_arch = "x86_64")]
mod aesni;
#[cfg(target_arch = "aarch64")]
mod armv8;
mod portable;
#[cfg(target_arch = "x86_64")]
mod vaes256;
#[cfg(target_arch = "x86_64")]
mod vaes512;

use wegman::Cpu;
use wegman::InvalidLength;
use wegman::cipher::{Block, BlockCipher, CipherBlock};
use wegman::cpu::Needs;
use wegman::hazmat::aes::Rounds;
use wegman::hazmat::buffer::Buffer;
use wegman::hazmat::ct::wipe;
use wegman::hazmat::rows::Row;
use zeroize::Zeroize;

/// Eight bytes of a message.
type Piece = [u8; 8];

/// The kernels for AES.
pub(crate) struct Kernels {
    /// Adds encrypted pieces to the sum. The first piece has the number `first`.
    absorb: unsafe fn(rounds: &Rounds, first: u64, pieces: &[Piece], sum: &mut Block),
    /// Encrypts a block. Input and output are numbers, the first byte highest.
    encrypt: unsafe fn(rounds: &Rounds, number: u128) -> u128,
}

/// One row for each file in `pieces/`. The last row that fits the machine is used. `None` is the row of
/// `portable::absorb`, for any cipher.
pub(crate) static ROWS: &[Row<Option<Kernels>>] = &[
    Row { name: "portable", needs: Needs::NONE, kernels: None },
    #[cfg(target_arch = "x86_64")]
    Row {
        name: "aesni",
        needs: Needs::AES,
        kernels: Some(Kernels { absorb: aesni::absorb, encrypt: aesni::encrypt }),
    },
    #[cfg(target_arch = "x86_64")]
    Row {
        name: "vaes256",
        needs: Needs::AVX2.and(Needs::AES).and(Needs::VAES),
        kernels: Some(Kernels { absorb: vaes256::absorb, encrypt: aesni::encrypt }),
    },
    #[cfg(target_arch = "x86_64")]
    Row {
        name: "vaes512",
        needs: Needs::AVX512F.and(Needs::AVX512BW).and(Needs::AES).and(Needs::VAES),
        kernels: Some(Kernels { absorb: vaes512::absorb, encrypt: aesni::encrypt }),
    },
    #[cfg(target_arch = "aarch64")]
    Row {
        name: "armv8",
        needs: Needs::NEON.and(Needs::AES),
        kernels: Some(Kernels { absorb: armv8::absorb, encrypt: armv8::encrypt }),
    },
];

/// Every row that the machine can run, for AES or for any other cipher, the preferred one last.
fn fitting(
    cpu: Cpu,
    is_aes: bool,
) -> impl DoubleEndedIterator<Item = &'static Row<Option<Kernels>>> {
    Row::fitting(ROWS, cpu).filter(move |row| is_aes || row.kernels.is_none())
}

/// A cipher under a key, and the kernel for its pieces.
pub(super) struct Pieces<C> {
    cipher: C,
    row: &'static Row<Option<Kernels>>,
}

impl<C: BlockCipher<Block = Block>> Pieces<C> {
    pub(super) fn from_slice(cpu: Cpu, secret: &[u8]) -> Result<Self, InvalidLength> {
        let cipher = C::from_slice(cpu, secret)?;
        let row = fitting(cpu, cipher.rounds().is_some()).next_back();
        Ok(Pieces { cipher, row: row.expect("one runs everywhere") })
    }

    pub(super) fn kernel(&self) -> &'static str {
        self.row.name
    }

    pub(super) fn kernels(cpu: Cpu) -> impl Iterator<Item = (&'static str, Cpu)> {
        fitting(cpu, C::IS_AES).map(move |row| (row.name, cpu.only(row.needs)))
    }

    #[allow(unsafe_code)] // the indirect call
    fn absorb(&self, first: u64, pieces: &[Piece], sum: &mut Block) {
        if let (Some(kernels), Some(rounds)) = (&self.row.kernels, self.cipher.rounds()) {
            // SAFETY: `from_slice` chose a row whose needs this machine meets.
            unsafe { (kernels.absorb)(rounds, first, pieces, sum) };
        } else {
            portable::absorb(&self.cipher, first, pieces, sum);
        }
    }

    /// Encrypts a block. Input and output are numbers, so that they can stay in registers: a load of a whole block
    /// would wait for the stores of its halves.
    #[allow(unsafe_code)] // the indirect call
    pub(super) fn encrypt(&self, number: u128) -> u128 {
        if let (Some(kernels), Some(rounds)) = (&self.row.kernels, self.cipher.rounds()) {
            // SAFETY: `from_slice` chose a row whose needs this machine meets.
            return unsafe { (kernels.encrypt)(rounds, number) };
        }
        let mut block = number.to_be_bytes();
        self.cipher.encrypt(&mut block);
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
#[doc(hidden)]
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
