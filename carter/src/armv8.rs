//! The row of Carter (docs/carter.md) on 64-bit ARM: products and AES with its cryptographic instructions. kernel.rs is its
//! loop.
#![allow(unsafe_code)]

use crate::kernel::Registers;
use crate::lanes::{Lanes, Pairs, Single};
use core::arch::aarch64::*;
use wegman::cipher::Block;
use wegman::hazmat::buffer::slide;
use wegman::hazmat::pads::Blocks;
use wegman::hazmat::simd::{load128, operations, store128};

// Only functions with the row's features make its value.
/// Registers of 128 bits.
#[derive(Clone, Copy)]
pub struct Pmull(());

impl Pmull {
    const FEATURES: &str = "neon,aes";

    /// A value for functions that enable the row's features.
    ///
    /// # Safety
    /// The machine has these features.
    #[target_feature(enable = "neon,aes")]
    #[inline]
    #[must_use]
    pub fn new() -> Self {
        Pmull(())
    }

    operations! { "neon,aes":
        fn round(state: uint64x2_t, key: uint64x2_t) -> uint64x2_t {
            let (state, key) = (vreinterpretq_u8_u64(state), vreinterpretq_u8_u64(key));
            vreinterpretq_u64_u8(vaesmcq_u8(vaeseq_u8(state, key)))
        }
        fn last_round(state: uint64x2_t, key: uint64x2_t, last: uint64x2_t) -> uint64x2_t {
            let (state, key) = (vreinterpretq_u8_u64(state), vreinterpretq_u8_u64(key));
            veorq_u64(vreinterpretq_u64_u8(vaeseq_u8(state, key)), last)
        }
    }
}

#[inline]
#[target_feature(enable = "neon")]
fn load(block: &Block) -> uint64x2_t {
    vreinterpretq_u64_u8(load128(block))
}

#[inline]
#[target_feature(enable = "neon")]
fn spread(block: &Block) -> [uint64x2_t; 2] {
    // SAFETY: 16 bytes are read from 16 bytes; no alignment is required.
    let uint64x2x2_t(low, high) = unsafe { vld2q_dup_u64(block.as_ptr().cast()) };
    [low, high]
}

#[inline]
#[target_feature(enable = "neon,aes")]
fn product(a: u64, b: u64) -> uint64x2_t {
    vreinterpretq_u64_p128(vmull_p64(a, b))
}

impl Lanes for Pmull {
    type Register = uint64x2_t;
    type One = uint64x2_t;
    type Single = Self;
    type Eight = [uint64x2_t; 8];
    const WIDTH: usize = 1;

    #[inline(always)]
    fn single(self) -> Self {
        self
    }

    #[inline(always)]
    fn encrypt<const ROUNDS: usize>(self, rounds: &[Block; 15], states: &mut [uint64x2_t]) {
        // The instruction adds a round key before the round.
        for round in &rounds[..ROUNDS - 1] {
            let key = self.spread(round);
            for state in &mut *states {
                *state = self.round(*state, key);
            }
        }
        let (before, last) = (self.spread(&rounds[ROUNDS - 1]), self.spread(&rounds[ROUNDS]));
        for state in states {
            *state = self.last_round(*state, before, last);
        }
    }

    operations! { "neon,aes":
        fn eight() -> [uint64x2_t; 8] { [vdupq_n_u64(0); 8] }
        fn zero() -> uint64x2_t { vdupq_n_u64(0) }
        fn load(bytes: &[u8]) -> uint64x2_t { load(bytes.first_chunk().expect("a register")) }
        fn store(blocks: &mut [Block], register: uint64x2_t) -> () {
            store128(&mut blocks[0], vreinterpretq_u8_u64(register))
        }
        fn spread(block: &Block) -> uint64x2_t { load(block) }
        fn words(word: u64) -> uint64x2_t { vdupq_n_u64(word) }
        fn join(numbers: &[uint64x2_t]) -> uint64x2_t { numbers[0] }
        fn alone(number: uint64x2_t) -> uint64x2_t { number }
        fn sum_of_lanes(register: uint64x2_t) -> uint64x2_t { register }
        fn across(registers: &[uint64x2_t]) -> uint64x2_t { registers[0] }
        fn xor(a: uint64x2_t, b: uint64x2_t) -> uint64x2_t { veorq_u64(a, b) }
        fn lower(a: uint64x2_t, b: uint64x2_t) -> uint64x2_t {
            product(vgetq_lane_u64::<0>(a), vgetq_lane_u64::<0>(b))
        }
        fn upper(a: uint64x2_t, b: uint64x2_t) -> uint64x2_t {
            let [a, b] = [a, b].map(|number| vreinterpretq_p64_u64(number));
            vreinterpretq_u64_p128(vmull_high_p64(a, b))
        }
        fn crossed(a: uint64x2_t, b: uint64x2_t) -> uint64x2_t {
            let first = product(vgetq_lane_u64::<0>(a), vgetq_lane_u64::<1>(b));
            veorq_u64(first, product(vgetq_lane_u64::<1>(a), vgetq_lane_u64::<0>(b)))
        }
        fn of_halves(number: uint64x2_t) -> uint64x2_t {
            product(vgetq_lane_u64::<0>(number), vgetq_lane_u64::<1>(number))
        }
        /// The lower halves of two numbers, and their upper halves: their products are those of registers as they are.
        fn apart(numbers: [uint64x2_t; 2]) -> [uint64x2_t; 2] {
            [vuzp1q_u64(numbers[0], numbers[1]), vuzp2q_u64(numbers[0], numbers[1])]
        }
        fn of_two(numbers: [uint64x2_t; 2]) -> uint64x2_t {
            let (isa, [low, high]) = (Pmull(()), numbers);
            veorq_u64(isa.lower(low, high), isa.upper(low, high))
        }
        fn swapped(number: uint64x2_t) -> uint64x2_t { vextq_u64::<1>(number, number) }
        fn sums_of_halves(a: uint64x2_t, b: uint64x2_t) -> uint64x2_t {
            veorq_u64(vtrn1q_u64(a, b), vtrn2q_u64(a, b))
        }
        fn shuffle(bytes: uint64x2_t, order: uint64x2_t) -> uint64x2_t {
            let [bytes, order] = [bytes, order].map(|number| vreinterpretq_u8_u64(number));
            vreinterpretq_u64_u8(vqtbl1q_u8(bytes, order))
        }
        fn nonces(blocks: &Blocks, from: usize) -> uint64x2_t {
            let (block, _) = blocks.after(from, 16).next(16);
            vcombine_u64(vcreate_u64(block as u64), vcreate_u64((block >> 64) as u64))
        }
        // Stable Rust has no such instruction, and these processors prefetch by themselves.
        fn prefetch(_line: &[u8; 64]) -> () { () }
    }
}

impl Single for Pmull {
    operations! { "neon":
        fn halves(low: u64, high: u64) -> uint64x2_t {
            vcombine_u64(vcreate_u64(low), vcreate_u64(high))
        }
        fn number(number: uint64x2_t) -> u128 {
            let high = vgetq_lane_u64::<1>(number);
            u128::from(high) << 64 | u128::from(vgetq_lane_u64::<0>(number))
        }
    }
}

/// A part is its lower half twice, and its upper half twice. The first block of keys has the lower halves of both, the
/// second one the upper halves.
impl Pairs for Pmull {
    type Spread = [uint64x2_t; 2];
    type Both = [uint64x2_t; 2];

    operations! { "neon,aes":
        fn nothing() -> [uint64x2_t; 2] { [vdupq_n_u64(0); 2] }
        fn part(block: &Block) -> [uint64x2_t; 2] { spread(block) }
        fn part_from(from: usize, block: &Block) -> [uint64x2_t; 2] {
            let [low, high] = spread(slide(from));
            [low, high].map(|order| Pmull(()).shuffle(load(block), order))
        }
        fn part_of(number: u128) -> [uint64x2_t; 2] {
            [vdupq_n_u64(number as u64), vdupq_n_u64((number >> 64) as u64)]
        }
        fn with_two(part: [uint64x2_t; 2], keys: &[Block; 2]) -> [uint64x2_t; 2] {
            let low = veorq_u64(part[0], load(&keys[0]));
            let high = veorq_u64(part[1], load(&keys[1]));
            [Pmull(()).lower(low, high), Pmull(()).upper(low, high)]
        }
        fn of_word(word: u64, numbers: &[Block; 2]) -> [uint64x2_t; 2] {
            let [a, b] = numbers;
            [a, b].map(|number| Pmull(()).lower(vdupq_n_u64(word), load(number)))
        }
        fn plus(a: [uint64x2_t; 2], b: [uint64x2_t; 2]) -> [uint64x2_t; 2] {
            [veorq_u64(a[0], b[0]), veorq_u64(a[1], b[1])]
        }
        fn both(both: [uint64x2_t; 2]) -> [uint64x2_t; 2] { both }
    }
}

impl Registers for Pmull {
    type Pairs = Self;

    #[inline(always)]
    fn pairs(self) -> Self {
        self
    }
}
