//! The row of the block sum (PMAC paper, section 3) with the AES instructions of ARMv8. kernel.rs is its loop.
#![allow(unsafe_code)]

use super::kernel::{self, Before, OfMessage, Registers};
use super::{After, Functions, GROUP, Key};
use crate::batch::EIGHT;
use crate::cipher::Block;
use crate::simd::{load128, store128};
use core::arch::aarch64::*;

type Single = Armv8;
type One = uint8x16_t;

// Only functions with the row's features make its value.
#[derive(Clone, Copy)]
pub(super) struct Armv8(());

impl Armv8 {
    #[inline(always)]
    fn of(isa: Self) -> Self {
        isa
    }

    #[target_feature(enable = "neon,aes")]
    #[inline]
    fn new() -> Self {
        Armv8(())
    }

    super::operations! { "neon,aes":
        fn round(state: One, key: One) -> One { vaesmcq_u8(vaeseq_u8(state, key)) }
        fn last_round(state: One, key: One) -> One { vaeseq_u8(state, key) }
    }
}

impl Registers for Armv8 {
    type Register = uint8x16_t;
    type Narrow = Self;
    const WIDTH: usize = 1;
    const PREFETCH: usize = 4;
    const MOST_MIXED: usize = super::MOST_MIXED;
    const HIDES_KEY: bool = false; // all round keys fit in registers

    super::row!(Armv8, "neon,aes");

    super::operations! { "neon,aes":
        fn spread(block: &Block) -> One { load128(block) }
        fn load(blocks: &[Block]) -> One { load128(&blocks[0]) }
        fn load_some(blocks: &[Block]) -> One { load128(&blocks[0]) }
        fn load_behind(given: &[One], _blocks: &[Block]) -> One { given[0] }
        fn keep(register: One, _count: usize) -> One { register }
        fn join(blocks: &[One]) -> One { blocks[0] }
        fn store(blocks: &mut [Block], register: One) -> () {
            store128(&mut blocks[0], register)
        }
        fn block(register: One, _i: usize) -> One { register }
        fn sum_of_blocks(register: One) -> One { register }
        fn alone(block: One) -> One { block }
        fn with_last(_register: One, block: One) -> One { block }
        fn xor(a: One, b: One) -> One { veorq_u8(a, b) }
        fn and(a: One, b: One) -> One { vandq_u8(a, b) }
        fn shuffle(bytes: One, order: One) -> One { vqtbl1q_u8(bytes, order) }
        // Stable Rust has no such instruction, and reading onwards is what these processors recognize.
        fn prefetch(_line: &[Block; 4]) -> () { () }
    }

    #[inline(always)]
    fn narrow(self) -> Self {
        self
    }

    #[inline(always)]
    fn almost<const ROUNDS: usize>(self, key: &Key, states: &mut [One], offsets: &[One]) {
        // The instruction adds a round key before the round: the offset is the first one.
        for (state, offset) in states.iter_mut().zip(offsets) {
            *state = self.round(*state, *offset);
        }
        for round in &key.rounds[1..ROUNDS - 1] {
            let round = self.spread(&round[0]);
            for state in &mut *states {
                *state = self.round(*state, round);
            }
        }
        let before_last = self.spread(&key.rounds[ROUNDS - 1][0]);
        for state in states {
            *state = self.last_round(*state, before_last);
        }
    }

    /// The last round key. Sums of an even number of blocks do without.
    #[inline(always)]
    fn shared<const ROUNDS: usize>(self, key: &Key) -> Option<One> {
        Some(self.spread(&key.rounds[ROUNDS][0]))
    }
}
