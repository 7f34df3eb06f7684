//! Registers of one, two or four elements of GF(2^128) (RFC 8452, section 3), and what the kernels do with them. A kernel
//! is written once, for any [`Lanes`]; `x86.rs` and `armv8.rs` have the operations.
//!
//! A value of such a type shows that the machine has its features. What is generic becomes a part of the functions that
//! enable them, for which alone the compiler uses the instructions: hence `inline(always)` throughout.

use crate::field::MODULUS;
use wegman::cipher::Block;
use wegman::hazmat::pads::Blocks;

/// An unreduced element in each lane, low + x^64 middle + x^128 high.
///
/// # Bounds
/// Each part is a sum of 64-bit by 64-bit products, so its degree is at most 126. Neighbouring parts overlap by 64
/// bits; additions do not carry, so sums of any number of products keep these bounds.
#[derive(Clone, Copy)]
pub struct Parts<R> {
    /// The lowest part.
    pub low: R,
    /// The part 64 bits up.
    pub middle: R,
    /// The highest part.
    pub high: R,
}

/// Registers of [`WIDTH`](Self::WIDTH) lanes of 128 bits, and the functions that use them.
pub trait Lanes: Copy {
    /// A number of the field in each lane.
    type Register: Copy;
    /// One number.
    type One: Copy;
    /// The registers of one number.
    type Single: Single<Register = Self::One>;

    /// Registers of eight numbers.
    type Eight: AsRef<[Self::Register]> + AsMut<[Self::Register]>;

    /// Lanes in a register.
    const WIDTH: usize;

    /// The registers of one number.
    fn single(self) -> Self::Single;
    /// Eight zeroes.
    fn eight(self) -> Self::Eight;
    /// Zero.
    fn zero(self) -> Self::Register;
    /// Numbers from memory: as many of the bytes as fit.
    fn load(self, bytes: &[u8]) -> Self::Register;
    /// The first bytes, at most as many as fit, and zeroes.
    #[inline(always)]
    fn load_some(self, bytes: &[u8]) -> Self::Register {
        let mut some = [0; 64];
        some[..bytes.len()].copy_from_slice(bytes);
        self.load(&some)
    }
    /// Writes the first blocks.
    fn store(self, blocks: &mut [Block], register: Self::Register);
    /// One block in each lane.
    fn spread(self, block: &Block) -> Self::Register;
    /// A word in each half of each lane.
    fn words(self, word: u64) -> Self::Register;
    /// A register of the first numbers.
    fn join(self, numbers: &[Self::One]) -> Self::Register;
    /// A number in the lowest lane, zero in the others.
    fn alone(self, number: Self::One) -> Self::Register;
    /// The sum of the lanes.
    fn sum_of_lanes(self, register: Self::Register) -> Self::One;
    /// The sums of the lanes of as many registers as there are lanes, one sum in each lane.
    fn across(self, registers: &[Self::Register]) -> Self::Register;
    /// The sum of two numbers.
    fn xor(self, a: Self::Register, b: Self::Register) -> Self::Register;
    /// The product of the lower halves. Out: degree at most 126, as for all products here.
    fn lower(self, a: Self::Register, b: Self::Register) -> Self::Register;
    /// The product of the upper halves.
    fn upper(self, a: Self::Register, b: Self::Register) -> Self::Register;
    /// The sum of the products of the lower half of each and the upper half of the other.
    fn crossed(self, a: Self::Register, b: Self::Register) -> Self::Register;
    /// The product of the two halves of a number.
    fn of_halves(self, number: Self::Register) -> Self::Register;
    /// Two registers as [`of_two`](Self::of_two) takes them. It is linear.
    fn apart(self, numbers: [Self::Register; 2]) -> [Self::Register; 2];
    /// The sum of the products of the halves of both.
    fn of_two(self, numbers: [Self::Register; 2]) -> Self::Register;
    /// The halves exchanged.
    fn swapped(self, number: Self::Register) -> Self::Register;
    /// The sums of the halves of two numbers, side by side.
    fn sums_of_halves(self, a: Self::Register, b: Self::Register) -> Self::Register;
    /// In each lane the bytes in this order: zero for a number above 127.
    fn shuffle(self, bytes: Self::Register, order: Self::Register) -> Self::Register;
    /// Of the blocks for pads, those from number `from` on.
    fn nonces(self, blocks: &Blocks, from: usize) -> Self::Register;
    /// AES with the first 11 or 15 round keys.
    fn encrypt<const ROUNDS: usize>(self, rounds: &[Block; 15], states: &mut [Self::Register]);
    /// Prefetches a line of the cache that will be read soon.
    fn prefetch(self, line: &[u8; 64]);

    /// Products, or sums of products, from the three of Karatsuba's method, as
    /// [`Wide::from_three`](crate::field::Wide::from_three).
    #[inline(always)]
    fn of_three(self, [a, b, c]: [Self::Register; 3]) -> Parts<Self::Register> {
        Parts { low: a, middle: self.xor(self.xor(a, b), c), high: b }
    }

    /// Adds the product of `a` and `b`, any two elements.
    #[inline(always)]
    fn plus_product(
        self,
        Parts { low, middle, high }: Parts<Self::Register>,
        a: Self::Register,
        b: Self::Register,
    ) -> Parts<Self::Register> {
        Parts {
            low: self.xor(low, self.lower(a, b)),
            middle: self.xor(middle, self.crossed(a, b)),
            high: self.xor(high, self.upper(a, b)),
        }
    }

    /// Each lane times x^-128, reduced to one element of the field.
    #[inline(always)]
    fn reduce(self, parts: Parts<Self::Register>) -> Self::Register {
        self.reduce_by(self.words(MODULUS), parts)
    }

    /// [`reduce`](Self::reduce) with [`MODULUS`] in the lower half of each lane.
    ///
    /// Multiples of the modulus cancel the lower half of `low`, then the lower half of what that leaves in the middle.
    /// Each multiple adds the 64 bits times x^63 + x^62 + x^57 to the part above, and the bits themselves 128 places
    /// up.
    ///
    /// # Bounds
    /// In: three parts of any value. Out: degree at most 127. The products have degree at most 63 + 63 and fit a lane.
    #[inline(always)]
    fn reduce_by(
        self,
        modulus: Self::Register,
        Parts { low, middle, high }: Parts<Self::Register>,
    ) -> Self::Register {
        let middle = self.xor(middle, self.xor(self.lower(low, modulus), self.swapped(low)));
        self.xor(high, self.xor(self.lower(middle, modulus), self.swapped(middle)))
    }

    /// The pads of eight messages, from the blocks of their nonces.
    #[inline(always)]
    fn pads8<const ROUNDS: usize>(self, rounds: &[Block; 15], blocks: &Blocks) -> Self::Eight {
        let mut pads = self.eight();
        for (i, pad) in pads.as_mut().iter_mut().enumerate() {
            *pad = self.nonces(blocks, Self::WIDTH * i);
        }
        self.encrypt::<ROUNDS>(rounds, pads.as_mut());
        pads
    }
}

/// Registers of one number.
pub trait Single: Lanes {
    /// A number from its halves.
    fn halves(self, low: u64, high: u64) -> Self::Register;
    /// The register as a number.
    fn number(self, number: Self::Register) -> u128;

    /// The pad: AES of `block`.
    #[inline(always)]
    fn pad<const ROUNDS: usize>(self, rounds: &[Block; 15], block: u128) -> Self::Register {
        let mut state = [self.halves(block as u64, (block >> 64) as u64)];
        self.encrypt::<ROUNDS>(rounds, &mut state);
        state[0]
    }
}

/// Registers in which a short message is hashed part by part: each part with two keys, that of x_j and that of
/// x_j + y_j.
pub trait Pairs: Lanes {
    /// A part as [`with_two`](Self::with_two) takes it.
    type Spread: Copy;
    /// What two keys make of parts: two numbers.
    type Both: Copy;

    /// The sum of no products.
    fn nothing(self) -> Self::Both;
    /// A block.
    fn part(self, block: &Block) -> Self::Spread;
    /// The bytes of a block from byte `from` on, 0 to 16, and zeroes after them.
    fn part_from(self, from: usize, block: &Block) -> Self::Spread;
    /// A block as a number, the first byte lowest.
    fn part_of(self, number: u128) -> Self::Spread;
    /// The sums of a part with each of two keys, as the products of their halves.
    fn with_two(self, part: Self::Spread, keys: &[Block; 2]) -> Self::Both;
    /// The products of a word with the lower halves of two numbers.
    fn of_word(self, word: u64, numbers: &[Block; 2]) -> Self::Both;
    /// The sums.
    fn plus(self, a: Self::Both, b: Self::Both) -> Self::Both;
    /// Both numbers.
    fn both(self, both: Self::Both) -> [Self::One; 2];
}
