//! Rows of the block sum (PMAC paper, section 3) on x86: AES-NI, and VAES in registers of two and of four blocks. kernel.rs
//! is their loop.
#![allow(unsafe_code)]

use super::kernel::{self, Before, OfMessage, Registers};
use super::{After, Functions, GROUP, Key, before_last};
use crate::batch::EIGHT;
use crate::cipher::Block;
use crate::simd::{
    load128, load256, load512, now128, now256, now512, store128, store256, store512,
};
use core::arch::x86_64::*;

/// The registers of single blocks, and one of them.
type Single = Aesni;
type One = __m128i;

// A value is made in functions with a row's features, or from the value of a row that has these, too.
#[derive(Clone, Copy)]
pub(super) struct Aesni(());
/// `VL`: with AVX-512, whose masks load parts of a register.
#[derive(Clone, Copy)]
pub(super) struct Vaes256<const VL: bool>(());
#[derive(Clone, Copy)]
pub(super) struct Vaes512(());

#[inline]
#[target_feature(enable = "sse")]
fn prefetch<const HINT: i32>(line: &[Block; 4]) {
    #[allow(unused_unsafe)] // newer compilers call it safe
    // SAFETY: the instruction has no effect that the program can see, whatever the address.
    unsafe {
        _mm_prefetch::<HINT>(line.as_ptr().cast());
    };
}

/// How a value is made, and AES with its instructions.
macro_rules! aes {
    ($isa:ty, $features:literal, $register:ty, $now:ident, $round:ident, $last:ident) => {
        impl $isa {
            #[target_feature(enable = $features)]
            #[inline]
            fn new() -> Self {
                Self(())
            }

            super::operations! { $features:
                fn round(state: $register, key: $register) -> $register { $round(state, key) }
                fn last_round(state: $register, key: $register) -> $register { $last(state, key) }
                /// Keeps the rounds of many registers interleaved. The compiler would put all rounds of one before those
                /// of the next, and a processor does not look ahead far enough to undo that.
                fn in_order(state: $register) -> $register { $now(state) }
            }
        }
    };
}

macro_rules! almost {
    () => {
        #[inline(always)]
        fn almost<const ROUNDS: usize>(
            self,
            key: &Key,
            states: &mut [Self::Register],
            offsets: &[Self::Register],
        ) {
            for (state, offset) in states.iter_mut().zip(offsets) {
                *state = self.xor(*state, *offset);
            }
            let many = states.len() > 1;
            for round in &key.rounds[1..ROUNDS] {
                let round = self.load(round);
                for state in &mut *states {
                    *state = self.round(*state, round);
                    if many {
                        *state = self.in_order(*state);
                    }
                }
            }
            let last = self.load(&key.rounds[ROUNDS]);
            for state in states {
                *state = self.last_round(*state, last);
            }
        }
    };
}

impl Aesni {
    /// Every row has its features: AVX2 includes SSSE3.
    #[inline(always)]
    fn of(_: impl Registers) -> Self {
        Aesni(())
    }
}

aes!(Aesni, "ssse3,aes", __m128i, now128, _mm_aesenc_si128, _mm_aesenclast_si128);

impl Registers for Aesni {
    type Register = __m128i;
    type Narrow = Self;
    const WIDTH: usize = 1;
    const PREFETCH: usize = 4;
    const MOST_MIXED: usize = super::MOST_MIXED;
    const HIDES_KEY: bool = true;

    super::row!(Aesni, "ssse3,aes");
    almost!();

    #[inline(always)]
    fn narrow(self) -> Self {
        self
    }

    super::operations! { "ssse3,aes":
        fn spread(block: &Block) -> __m128i { load128(block) }
        fn load(blocks: &[Block]) -> __m128i { load128(&blocks[0]) }
        fn load_some(blocks: &[Block]) -> __m128i { load128(&blocks[0]) }
        fn load_behind(given: &[One], _blocks: &[Block]) -> __m128i { given[0] }
        fn keep(register: __m128i, _count: usize) -> __m128i { register }
        fn join(blocks: &[One]) -> __m128i { blocks[0] }
        fn store(blocks: &mut [Block], register: __m128i) -> () { store128(&mut blocks[0], register) }
        fn block(register: __m128i, _i: usize) -> __m128i { register }
        fn sum_of_blocks(register: __m128i) -> __m128i { register }
        fn alone(block: __m128i) -> __m128i { block }
        fn with_last(_register: __m128i, block: __m128i) -> __m128i { block }
        fn xor(a: __m128i, b: __m128i) -> __m128i { _mm_xor_si128(a, b) }
        fn and(a: __m128i, b: __m128i) -> __m128i { _mm_and_si128(a, b) }
        fn shuffle(bytes: __m128i, order: __m128i) -> __m128i { _mm_shuffle_epi8(bytes, order) }
        fn prefetch(line: &[Block; 4]) -> () { prefetch::<_MM_HINT_T0>(line) }
    }
}

/// `some` and `keep`: a load of the first blocks, and a register without the others.
macro_rules! vaes256 {
    ($vl:literal, $features:literal, $some:expr, $keep:expr) => {
        aes!(
            Vaes256<$vl>,
            $features,
            __m256i,
            now256,
            _mm256_aesenc_epi128,
            _mm256_aesenclast_epi128
        );

        impl Registers for Vaes256<$vl> {
            type Register = __m256i;
            type Narrow = Self;
            const WIDTH: usize = 2;
            const PREFETCH: usize = 4;
            const MOST_MIXED: usize = super::MOST_MIXED;
            const HIDES_KEY: bool = true;

            super::row!(Vaes256<$vl>, $features);
            almost!();

            #[inline(always)]
            fn narrow(self) -> Self {
                self
            }

            super::operations! { $features:
                fn spread(block: &Block) -> __m256i { _mm256_broadcastsi128_si256(load128(block)) }
                fn load(blocks: &[Block]) -> __m256i {
                    load256(blocks.first_chunk::<2>().expect("two blocks"))
                }
                fn load_some(blocks: &[Block]) -> __m256i { $some(blocks) }
                fn load_behind(given: &[One], blocks: &[Block]) -> __m256i {
                    match (given, blocks) {
                        ([first, second, ..], _) => _mm256_set_m128i(*second, *first),
                        ([first], [second, ..]) => _mm256_set_m128i(load128(second), *first),
                        _ => _mm256_zextsi128_si256(given[0]),
                    }
                }
                fn keep(register: __m256i, count: usize) -> __m256i { $keep(register, count) }
                fn join(blocks: &[One]) -> __m256i { _mm256_set_m128i(blocks[1], blocks[0]) }
                fn store(blocks: &mut [Block], register: __m256i) -> () {
                    store256(blocks.first_chunk_mut::<2>().expect("two blocks"), register)
                }
                fn block(register: __m256i, i: usize) -> __m128i {
                    match i {
                        0 => _mm256_castsi256_si128(register),
                        _ => _mm256_extracti128_si256::<1>(register),
                    }
                }
                fn sum_of_blocks(blocks: __m256i) -> __m128i {
                    let high = _mm256_extracti128_si256::<1>(blocks);
                    _mm_xor_si128(_mm256_castsi256_si128(blocks), high)
                }
                fn alone(block: __m128i) -> __m256i { _mm256_zextsi128_si256(block) }
                fn with_last(register: __m256i, block: __m128i) -> __m256i {
                    _mm256_inserti128_si256::<1>(register, block)
                }
                fn xor(a: __m256i, b: __m256i) -> __m256i { _mm256_xor_si256(a, b) }
                fn and(a: __m256i, b: __m256i) -> __m256i { _mm256_and_si256(a, b) }
                fn shuffle(bytes: __m256i, order: __m256i) -> __m256i {
                    _mm256_shuffle_epi8(bytes, order)
                }
                fn prefetch(line: &[Block; 4]) -> () { prefetch::<_MM_HINT_T0>(line) }
            }

            #[inline(always)]
            fn last(self, key: &Key, message: &[u8]) -> (One, One) {
                if $vl { Vaes512(()).last(key, message) } else { Aesni(()).last(key, message) }
            }
        }
    };
}

vaes256!(
    false,
    "avx2,aes,vaes",
    |blocks: &[Block]| match blocks {
        [one] => _mm256_zextsi128_si256(load128(one)),
        _ => load256(blocks.first_chunk::<2>().expect("two blocks")),
    },
    |register, count| match count {
        1 => _mm256_zextsi128_si256(_mm256_castsi256_si128(register)),
        _ => register,
    }
);
vaes256!(
    true,
    "avx512f,avx512bw,avx512vl,aes,vaes",
    |blocks: &[Block]| {
        let mask = 0xf >> (2 * 2_usize.saturating_sub(blocks.len()));
        // SAFETY: only whole blocks are read that there are.
        unsafe { _mm256_maskz_loadu_epi64(mask, blocks.as_ptr().cast()) }
    },
    |register, count| _mm256_maskz_mov_epi64(0xf >> (2 * 2_usize.wrapping_sub(count)), register)
);

aes!(
    Vaes512,
    "avx512f,avx512bw,avx512vl,aes,vaes",
    __m512i,
    now512,
    _mm512_aesenc_epi128,
    _mm512_aesenclast_epi128
);

/// A register with the first blocks, as many as are there, from its place `AT` on. From place 0 on, there is one at
/// least.
#[inline]
#[target_feature(enable = "avx512f")]
fn with_blocks<const AT: usize>(register: __m512i, blocks: &[Block]) -> __m512i {
    // Two mask bits, for two 64-bit words, for each block.
    let mask = 0xff >> (2 * (4 - AT).saturating_sub(blocks.len())) & 0xff << (2 * AT);
    // SAFETY: only whole blocks are read that there are, and none before them.
    unsafe { _mm512_mask_loadu_epi64(register, mask, blocks.as_ptr().wrapping_sub(AT).cast()) }
}

impl Registers for Vaes512 {
    type Register = __m512i;
    type Narrow = Vaes256<true>;
    const WIDTH: usize = 4;
    const PREFETCH: usize = 8;
    const MOST_MIXED: usize = 4;
    const HIDES_KEY: bool = false;

    super::row!(Vaes512, "avx512f,avx512bw,avx512vl,aes,vaes");
    almost!();

    /// Under masks, as if all had as many blocks as the longest: `in_a_row` took a third longer.
    #[inline(always)]
    fn mixed<const ROUNDS: usize>(
        self,
        key: &Key,
        messages: &[&[u8]; EIGHT],
        most: usize,
    ) -> [__m512i; EIGHT] {
        match most {
            ..=1 => self.masked::<ROUNDS, 1>(key, messages),
            2 => self.masked::<ROUNDS, 2>(key, messages),
            _ => self.masked::<ROUNDS, 4>(key, messages),
        }
    }

    #[inline(always)]
    fn narrow(self) -> Vaes256<true> {
        Vaes256(())
    }

    super::operations! { "avx512f,avx512bw,avx512vl,aes,vaes":
        fn spread(block: &Block) -> __m512i { _mm512_broadcast_i32x4(load128(block)) }
        fn load(blocks: &[Block]) -> __m512i {
            load512(blocks.first_chunk::<4>().expect("four blocks"))
        }
        fn load_some(blocks: &[Block]) -> __m512i {
            with_blocks::<0>(_mm512_setzero_si512(), blocks)
        }
        fn load_behind(given: &[One], blocks: &[Block]) -> __m512i {
            match given {
                [first, second, ..] => {
                    let both = _mm256_set_m128i(*second, *first);
                    with_blocks::<2>(_mm512_zextsi256_si512(both), blocks)
                }
                _ => with_blocks::<1>(_mm512_zextsi128_si512(given[0]), blocks),
            }
        }
        fn keep(register: __m512i, count: usize) -> __m512i {
            _mm512_maskz_mov_epi64(0xff >> (2 * 4_usize.wrapping_sub(count)), register)
        }
        fn join(blocks: &[One]) -> __m512i {
            let low = _mm256_inserti128_si256::<1>(_mm256_castsi128_si256(blocks[0]), blocks[1]);
            let high = _mm256_inserti128_si256::<1>(_mm256_castsi128_si256(blocks[2]), blocks[3]);
            _mm512_inserti64x4::<1>(_mm512_castsi256_si512(low), high)
        }
        fn store(blocks: &mut [Block], register: __m512i) -> () {
            store512(blocks.first_chunk_mut::<4>().expect("four blocks"), register)
        }
        fn block(register: __m512i, i: usize) -> __m128i {
            match i {
                0 => _mm512_castsi512_si128(register),
                1 => _mm512_extracti32x4_epi32::<1>(register),
                2 => _mm512_extracti32x4_epi32::<2>(register),
                _ => _mm512_extracti32x4_epi32::<3>(register),
            }
        }
        fn sum_of_blocks(blocks: __m512i) -> __m128i {
            let high = _mm512_extracti64x4_epi64::<1>(blocks);
            let half = _mm256_xor_si256(_mm512_castsi512_si256(blocks), high);
            _mm_xor_si128(_mm256_castsi256_si128(half), _mm256_extracti128_si256::<1>(half))
        }
        fn alone(block: __m128i) -> __m512i { _mm512_zextsi128_si512(block) }
        fn with_last(register: __m512i, block: __m128i) -> __m512i {
            _mm512_mask_broadcast_i32x4(register, 0xf000, block)
        }
        fn xor(a: __m512i, b: __m512i) -> __m512i { _mm512_xor_si512(a, b) }
        fn and(a: __m512i, b: __m512i) -> __m512i { _mm512_and_si512(a, b) }
        fn shuffle(bytes: __m512i, order: __m512i) -> __m512i { _mm512_shuffle_epi8(bytes, order) }
        fn prefetch(line: &[Block; 4]) -> () { prefetch::<_MM_HINT_T2>(line) }
        fn last(key: &Key, message: &[u8]) -> (One, One) {
            let start = 16 * before_last(message.len());
            let bytes = message.len() - start;
            let mask = ((1u32 << bytes) - 1) as u16;
            // SAFETY: only the message's bytes are read.
            let last = unsafe { _mm_maskz_loadu_epi8(mask, message.as_ptr().add(start).cast()) };
            (last, load128(&key.ends[bytes]))
        }
    }
}

impl Vaes512 {
    super::operations! { "avx512f,avx512bw,avx512vl,aes,vaes":
        fn two(blocks: &[Block; 2]) -> __m512i { _mm512_broadcast_i64x4(load256(blocks)) }
        /// The whole blocks before the last of a message with at most four of them, and zeroes; and their mask.
        fn before_last(message: &[u8]) -> (__m512i, u8) {
            let mask = ((1u32 << (2 * before_last(message.len()))) - 1) as u8;
            // SAFETY: only whole blocks of the message are read.
            (unsafe { _mm512_maskz_loadu_epi64(mask, message.as_ptr().cast()) }, mask)
        }
        fn under(mask: u8, register: __m512i) -> __m512i { _mm512_maskz_mov_epi64(mask, register) }
        /// The sums of neighbours in two registers.
        fn both(a: __m512i, b: __m512i) -> __m512i {
            let even = _mm512_shuffle_i64x2::<0x88>(a, b);
            _mm512_xor_si512(even, _mm512_shuffle_i64x2::<0xdd>(a, b))
        }
        fn halves(low: __m512i, high: __m512i) -> __m512i {
            _mm512_inserti64x4::<1>(low, _mm512_castsi512_si256(high))
        }
    }

    /// The sums of the blocks before the last ones of eight messages, each with at most `EACH` of them.
    #[inline(always)]
    fn masked<const ROUNDS: usize, const EACH: usize>(
        self,
        key: &Key,
        messages: &[&[u8]; EIGHT],
    ) -> [__m512i; EIGHT] {
        let zero = self.spread(&[0; 16]);
        let table = match EACH {
            1 => self.spread(&key.table[0]),
            2 => self.two(key.table.first_chunk().expect("32 blocks")),
            _ => self.load(&key.table),
        };
        let (mut states, mut counted) = ([zero; EIGHT], [0; EIGHT]);
        for i in 0..2 * EACH {
            let mut blocks = [zero; 4];
            for (j, message) in messages[4 / EACH * i..][..4 / EACH].iter().enumerate() {
                let mask;
                (blocks[j], mask) = self.before_last(message);
                counted[i] |= mask << (2 * EACH * j);
            }
            let blocks = match EACH {
                1 => self.join(&blocks.map(|block| self.block(block, 0))),
                2 => self.halves(blocks[0], blocks[1]),
                _ => blocks[0],
            };
            states[i] = self.xor(blocks, table);
        }
        self.almost::<ROUNDS>(key, &mut states[..2 * EACH], &[zero; EIGHT][..2 * EACH]);
        for i in 0..2 * EACH {
            states[i] = self.under(counted[i], states[i]);
        }
        match EACH {
            1 => {}
            2 => {
                states[0] = self.both(states[0], states[1]);
                states[1] = self.both(states[2], states[3]);
            }
            _ => {
                let [a, b, c, d, e, f, g, h] = states;
                states[0] = self.both(self.both(a, b), self.both(c, d));
                states[1] = self.both(self.both(e, f), self.both(g, h));
            }
        }
        states
    }
}
